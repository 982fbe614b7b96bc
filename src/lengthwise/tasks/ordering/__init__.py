"""Sorting, and the largest and smallest of some tokens."""
