"""Training: many small models at once, exact match by length."""
