"""Tasks that combine facts, rules and nested parts."""
