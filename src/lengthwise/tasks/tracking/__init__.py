"""State tracking: where a long row of small steps leads."""
