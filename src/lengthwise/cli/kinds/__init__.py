"""What ``list`` and ``show`` print: a module for each kind of thing, with ``print_list`` and ``print_one``."""

KINDS = {
    "tasks": "task",
    "languages": "language",
    "programs": "program",
    "encodings": "encoding",
    "theorems": "theorem",
    "bounds": "bound",
    "papers": "paper",
    "runs": "run",
}
"""The kinds, in the plural of ``list``, which is also the name of the module, and in the singular of ``show``."""
