"""Tasks whose answers show their work."""
