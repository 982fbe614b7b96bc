"""`lengthwise crasp`: the commands about C-RASP programs."""

COMMANDS = {
    "run": "run a program on words",
    "trace": "show every value of a program on a word",
    "equal": "compare two programs or languages; programs on all short words",
    "simplify": "write a program in a simpler form",
    "synthesize": "find a smallest program for a language or for labelled words",
    "compile": "turn a program into the weights of a transformer",
}

EXAMPLES = """\
examples:
  lengthwise crasp run dyck_1 '(())' '())('
  lengthwise crasp trace mine.crasp aab --html trace.html
  lengthwise crasp equal mine.crasp '(ab)*'
  lengthwise crasp simplify mine.crasp
  lengthwise crasp synthesize '(ab)*' --max-length 6
  lengthwise crasp compile dyck_1 --out folder

C-RASP programs count symbols. A problem that one program solves at every length is predicted to length-generalize.
PROGRAM is a file (.crasp), - for standard input, or a name from 'lengthwise list programs'.
How to write one: docs/guides/crasp.md. To check one: lengthwise check FILE.crasp"""
