"""`lengthwise atlas`: what training was measured to find, as a page, with runs of your own, and for an encoding of your own."""

COMMANDS = {
    "page": "write all measured cells beside their predictions as one page (also without naming it: lengthwise atlas)",
    "add": "add the runs of a store to your own measurements, which predict then shows",
    "score": "give an encoding its row: conformance, cost against RoPE, and reference cells among all measured encodings",
}

EXAMPLES = """\
examples:
  lengthwise atlas                                 writes lengthwise-atlas.html
  lengthwise atlas --json
  lengthwise atlas add runs.sqlite
  lengthwise atlas score my_encoding.py --quick"""
