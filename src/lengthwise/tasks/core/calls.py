"""What may stand before parentheses besides the name of a task, and which files are tasks; nothing is imported for it."""

FORMATS = ("prompt_reversed", "answer_reversed", "padded", "aligned", "index_hints", "spaced", "scratchpad")
"""Ways of writing a task's instances: each takes the task in parentheses."""

CALLS = ("states", "accepts", "hard", *FORMATS)
"""What takes a language or a task in parentheses."""

FILE_ENDINGS = (".py", ".jsonl", ".crasp", ".json")
"""How the names of files end that are read as tasks."""
