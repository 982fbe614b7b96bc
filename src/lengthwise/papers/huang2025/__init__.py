"""arXiv 2410.02140: parts, published figures, and how they are compared."""
