"""Shortcuts: how far simple rules get on a task that look at a prompt only superficially."""
