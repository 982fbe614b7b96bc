"""`lengthwise store`: the commands about stores of results."""

COMMANDS = {
    "ls": "list the runs of a store with their scores",
    "show": "print everything about one run",
    "export": "write all runs and lengths as one table: CSV, JSON or Parquet",
    "merge": "add the runs of other stores to a store",
    "verify": "check every page and row of a store and name the damage",
}

EXAMPLES = """\
examples:
  lengthwise store ls runs.sqlite --task parity
  lengthwise store show runs.sqlite 3f9c
  lengthwise store export runs.sqlite --out runs.csv
  lengthwise store merge all.sqlite monday.sqlite tuesday.sqlite
  lengthwise store verify runs.sqlite --salvage sound.sqlite"""
