"""Position encodings: cards for all, modules for those that can be trained."""
