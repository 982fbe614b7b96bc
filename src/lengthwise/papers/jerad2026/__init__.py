"""arXiv 2608.11909: rotary positions, periodic and conventional, on five regular languages."""
