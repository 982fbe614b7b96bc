"""Formal languages as tasks: next symbols, states and membership."""
