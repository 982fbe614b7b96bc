"""Published experiments: their figures, and the specs that repeat them. Torch-free."""
