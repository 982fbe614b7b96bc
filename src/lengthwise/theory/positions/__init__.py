"""Positions: circuits, layouts and position relations; our reconstruction of arXiv 2510.04130."""
