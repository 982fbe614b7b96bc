"""The file that ``lengthwise new task`` writes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ...errors import InvalidOptionError
from ...files import write_text

TEMPLATE = '''"""Is the lift back where it started? u is one floor up, d is one floor down."""

alphabet = ["u", "d"]  # the symbols of prompts
answer_alphabet = ["y", "n"]  # further symbols of answers
length_means = "the number of moves"
min_length = 1


def answer(prompt):
    """Return the right answer to a prompt; both are lists of symbols."""
    return ["y" if prompt.count("u") == prompt.count("d") else "n"]


def sample(random, length):
    """Return a random prompt of this length. Without this function, symbols are uniform."""
    moves = [random.choice(alphabet) for _ in range(length)]
    if random.choice([True, False]):  # uniform moves seldom lead back
        moves = ["u", "d"] * (length // 2) + moves[: length % 2]
        random.shuffle(moves)
    return moves


# What theory may rest on, if you know it; it is compared with answer() on all short prompts.
program = "alphabet 'u' 'd'  read at end  accept := #['u'] = #['d']"
'''


def write_template(name: str, *, kind: str = "task", template: str = TEMPLATE, force: bool = False) -> str:
    """Write a file to start from into the current folder; return its path. NAME in it becomes the name."""
    bare = name.removesuffix(".py")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", bare):
        raise InvalidOptionError(
            f"{name!r} cannot be the name of {'an' if kind[0] in 'aeiou' else 'a'} {kind}; a name is a letter, then letters, digits and _.",
            hint=f"for example: lengthwise new {kind} mine",
        )
    if bare in sys.stdlib_module_names or bare in ("lengthwise", "numpy", "torch"):
        raise InvalidOptionError(
            f"a file {bare}.py would hide the module {bare!r} from Python programs in this folder.",
            hint=f"choose another name, for example my_{bare}.",
        )
    path = f"{bare}.py"
    if Path(path).exists() and not force:
        raise InvalidOptionError(
            f"there is a file {path!r} already.", hint="choose another name, or write over it with --force."
        )
    write_text(path, template.replace("NAME", bare))
    return path
