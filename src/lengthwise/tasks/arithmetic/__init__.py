"""Tasks on written numbers."""
