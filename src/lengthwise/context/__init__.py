"""What the configuration of a language model says about long inputs, without its weights."""
