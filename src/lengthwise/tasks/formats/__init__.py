"""Formats: other ways of writing a task's instances, with the same question and the same answer."""
