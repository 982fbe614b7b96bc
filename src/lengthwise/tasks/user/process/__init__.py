"""The process that runs a user's file: it answers questions about it, under limits. It loads little of lengthwise.

These modules, and what they import, must stay light: a process is started for every task that is read from a file.
"""
