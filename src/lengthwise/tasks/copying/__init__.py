"""Tasks whose answer is the input, or part of it, in another order."""
