"""The transformer in one readable file, many of them as one."""
