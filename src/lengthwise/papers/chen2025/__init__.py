"""arXiv 2510.04130: parts, claims, and how they are compared."""
