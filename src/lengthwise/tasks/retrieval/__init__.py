"""Tasks that ask for something written before."""
