"""What a trained model does with positions, and how sure it is, by length: read from its weights and measured."""
