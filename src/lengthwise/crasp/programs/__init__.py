"""A library of C-RASP programs, each with an oracle in plain Python; ``catalog`` has them by name."""
