"""Tasks of your own: a Python file, a file of pairs, or a C-RASP program."""
