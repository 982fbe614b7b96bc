"""What every encoding is made of: the card, the hooks, the names, and what builds a module from a name."""
