"""Regular expressions over an ordered alphabet.

Syntax, tightest first::

    a  \\*  \\<open>  [abc]  [a-z]  [^ab]  .  ( … )  ()  a symbol, an escaped one, one with a longer name, classes,
                                                      any symbol, a group, the empty word
    x*  x+  x?  x{3}  x{2,}  x{2,4}  x^R              repetition; reversal: the words of x read backwards
    ~x                                                complement: all words over the alphabet but those of x
    xy                                                concatenation
    x/y  y//x                                         quotients: {u : uv in x for some v in y}, an end cut off, and
                                                      {v : uv in x for some u in y}, a beginning cut off
    x&y                                               intersection
    x|y                                               union

So ``~(ab)*`` is the complement of ``(ab)*``, ``~ab`` is ``(~a)b``, and ``ab/b&c|d`` is ``(((ab)/b)&c)|d``. Signs after
a part act from left to right: ``ab*^R+`` is ``a(((b*)^R)+)``. A quotient of a quotient needs a group.

The whole word must match, so there are no anchors. ``.`` and ``[^…]`` need a given alphabet; a complement is taken in
the alphabet at hand, which is the symbols used unless another is given. A brace that opens no count is a literal brace,
and a space is a symbol. The signs ``( ) [ ] | * + ? . ^ $ ~ & / \\`` stand for themselves after a backslash; inside a
class only ``] \\`` need one, ``^`` in front, and ``-`` in the middle. ``<`` is ordinary: only ``\\<`` opens a name.
:func:`parse_regex` returns pure data, :func:`compile_regex` the automaton.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import RegexSyntaxError
from .alphabet import make_alphabet
from .dfa import DFA
from .positions import Positions, determinize
from .regex_parser import ALPHABET_HINT, parse_regex
from .regex_tree import survey

MAX_STATES = 10_000


def compile_regex(text: str, *, alphabet: Iterable[str] | None = None, max_states: int = MAX_STATES) -> DFA:
    """Return the language of an expression; the alphabet defaults to the symbols it uses.

    >>> compile_regex("(ab|bbaa)*")
    <DFA: 6 states over {a, b}>
    >>> "bbaaab" in compile_regex("(ab|bbaa)*")
    True
    >>> compile_regex(r"(\\<open>\\<close>)*&~()")
    <DFA: 4 states over {close, open}>
    """
    given = None if alphabet is None else make_alphabet(alphabet)
    tree = parse_regex(text, alphabet=given)
    used, plain = survey(tree)
    if given is None and not used:
        raise RegexSyntaxError(
            f"the expression {text!r} uses no symbol, so its alphabet is unknown.",
            text=text,
            span=(0, len(text)),
            hint=ALPHABET_HINT,
        )
    symbols = given if given is not None else make_alphabet(used)
    if plain:
        return determinize(Positions(tree, symbols), symbols, f"the automaton of {text!r}", max_states)
    from .regex_compilation import compile_tree  # here, because ordinary expressions do without it

    return compile_tree(tree, symbols, text, max_states)
