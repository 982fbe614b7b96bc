"""The command line: thin, each command calls one library function."""
