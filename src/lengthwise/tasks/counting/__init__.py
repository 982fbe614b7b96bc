"""Tasks about how many symbols there are of a kind."""
