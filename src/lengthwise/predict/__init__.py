"""Names in, verdicts out."""
