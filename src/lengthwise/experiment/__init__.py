"""Experiments: a strict spec becomes runs; nothing finished is ever lost or done twice."""
