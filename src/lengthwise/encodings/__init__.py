"""Position encodings; for now their cards."""
