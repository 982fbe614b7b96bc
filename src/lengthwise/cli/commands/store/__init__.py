"""`lengthwise store`: the commands about stores of results."""

COMMANDS = {"verify": "check every page and row of a store and name the damage"}

EXAMPLES = """\
examples:
  lengthwise store verify runs.sqlite
  lengthwise store verify runs.sqlite --salvage sound.sqlite"""
