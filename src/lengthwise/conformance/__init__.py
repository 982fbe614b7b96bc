"""The conformance suite: what every position encoding must do, and what each declares of itself, measured."""
