"""Limit transformers: one object for words of every length, as we understand arXiv 2410.02140."""
