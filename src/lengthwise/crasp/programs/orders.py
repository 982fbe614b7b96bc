"""Regular languages in plain C-RASP, first part: which letters come before which, and what stands at the ends."""

from __future__ import annotations

from ...languages.catalog import LANGUAGES
from .entry import HUANG, OURS, Acceptor, Family, Regular, Rule, integer_argument, regular, word_argument
from .samplers import uniform
from .templates import all_of, lines, quoted

LETTERS = "abcdefgh"

ORDERS = (
    Acceptor(
        name="tomita_1",
        definition="only 1s",
        source=HUANG,
        code="""
            alphabet '0' '1'
            read at end
            accept := #['0'] = 0
        """,
        language=Regular(build=lambda: LANGUAGES["TOMITA_1"].language),
    ),
    Acceptor(
        name="tomita_7",
        definition="at most four runs, 0s first",
        source=HUANG,
        code="""
            alphabet '0' '1'
            read at end
            run_2  := #['1'] > 0
            run_3  := #['0' and run_2] > 0
            run_4  := #['1' and run_3] > 0
            run_5  := #['0' and run_4] > 0
            accept := not run_5
        """,
        language=Regular(build=lambda: LANGUAGES["TOMITA_7"].language),
    ),
    Acceptor(
        name="runs_of_five",
        definition="runs of a, b, c, d, e in this order, none empty",
        source=HUANG,
        code="""
            alphabet 'a' 'b' 'c' 'd' 'e'
            read at end
            late_a := 'a' and #['b' or 'c' or 'd' or 'e'] > 0
            late_b := 'b' and #['c' or 'd' or 'e'] > 0
            late_c := 'c' and #['d' or 'e'] > 0
            late_d := 'd' and #['e'] > 0
            sorted := #[late_a or late_b or late_c or late_d] = 0
            all    := #['a'] > 0 and #['b'] > 0 and #['c'] > 0 and #['d'] > 0 and #['e'] > 0
            accept := sorted and all
        """,
        language=Regular(build=lambda: LANGUAGES["aa*bb*cc*dd*ee*"].language),
    ),
    Acceptor(
        name="one_d",
        definition="as and bs, one d, then bs and cs",
        source=HUANG,
        code="""
            alphabet 'a' 'b' 'c' 'd'
            read at end
            early  := 'c' and #['d'] = 0
            late   := 'a' and #['d'] > 0
            accept := #['d'] = 1 and #[early or late] = 0
        """,
        language=Regular(build=lambda: LANGUAGES["{a,b}*d{b,c}*"].language),
    ),
    Acceptor(
        name="sorted_letters",
        definition="as, then bs, then cs",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            late   := 'a' and #['b' or 'c'] > 0 or 'b' and #['c'] > 0
            accept := #[late] = 0
        """,
        language=regular("a*b*c*", "abc"),
    ),
    Acceptor(
        name="unimodal",
        definition="as, then bs, then as again",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at end
            falling := 'a' and #['b'] > 0
            again   := 'b' and #[falling] > 0
            accept  := #[again] = 0
        """,
        language=regular("a*b*a*", "ab"),
    ),
    Acceptor(
        name="no_a_after_b",
        definition="no a comes after a b",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            accept := #['a' and #['b'] > 0] = 0
        """,
        language=regular("[ac]*[bc]*", "abc"),
    ),
    Acceptor(
        name="first_a_before_first_b",
        definition="there are as and bs, and an a comes first",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            accept := #['a' and #['b'] = 0] > 0 and #['b'] > 0
        """,
        language=regular("c*a.*b.*", "abc"),
    ),
    Acceptor(
        name="first_is_1",
        definition="the first symbol is 1",
        source=HUANG,
        code="""
            alphabet '0' '1'
            read at last
            accept := #['1' and #[true] = 1] = 1
        """,
        language=regular("1.*", "01"),
    ),
    Acceptor(
        name="ends_in_b",
        definition="the last symbol is b",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at last
            accept := 'b'
        """,
        language=Regular(build=lambda: LANGUAGES["{a,b}*b"].language),
    ),
    Acceptor(
        name="first_equals_last",
        definition="the last symbol is the first symbol",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at last
            first   := #[true] = 1
            first_a := #['a' and first] = 1
            first_b := #['b' and first] = 1
            first_c := #['c' and first] = 1
            accept  := 'a' and first_a or 'b' and first_b or 'c' and first_c
        """,
        language=regular("a|b|c|a.*a|b.*b|c.*c", "abc"),
    ),
    Acceptor(
        name="even_pairs",
        definition="the factors ab and ba together occur an even number of times",
        source="arXiv 2207.02098",
        code="""
            alphabet 'a' 'b'
            read at last
            // the symbol changes an even number of times if it is back where it began
            first_a := #['a' and #[true] = 1] = 1
            accept  := 'a' and first_a or 'b' and not first_a
        """,
        language=Rule(
            contains=lambda word: (word.count("ab") + word.count("ba")) % 2 == 0,
            member=lambda random, length: _closed(uniform(random, "ab", max(1, length - 1))),
        ),
    ),
)


def _closed(word: str) -> str:
    return word + word[0]


def alternating_blocks(text: str) -> Acceptor:
    """Return the program for L_k; every further block takes one more count inside the others."""
    number = integer_argument("alternating_blocks", text, low=2, high=20)
    letters = ("ab" * number)[: number + 1]
    seen = ["block_2 := #['b'] > 0"]
    seen += [f"block_{place} := #['{letters[place - 1]}' and block_{place - 1}] > 0" for place in range(3, number + 2)]
    return Acceptor(
        name="alternating_blocks",
        argument=str(number),
        definition=f"{number} blocks, the first of as, the next of bs, and so on in turn",
        source="arXiv 2506.16055",
        code=lines(
            "alphabet 'a' 'b'",
            "read at end",
            "early := 'b' and #['a'] = 0",
            *seen,
            f"accept := #[early] = 0 and block_{number} and not block_{number + 1}",
        ),
        language=regular("".join(f"{letter}+" for letter in letters[:number]), "ab"),
    )


def _letters_for(word: str) -> str:
    return "".join(sorted({*"abc", *word}))


def _subword_steps(word: str) -> list[str]:
    steps = [f"step_1 := '{word[0]}'"]
    return steps + [
        f"step_{place} := '{letter}' and #<[step_{place - 1}] > 0" for place, letter in enumerate(word[1:], 2)
    ]


def subword(text: str) -> Acceptor:
    """Return the program that finds a scattered subword; its steps end at their letters."""
    word = word_argument("subword", text, letters=LETTERS, most=8)
    letters = _letters_for(word)
    return Acceptor(
        name="subword",
        argument=word,
        definition=f"the letters of {word} occur in this order, perhaps with others between them",
        source=OURS,
        code=lines(
            f"alphabet {quoted(letters)}", "read at end", *_subword_steps(word), f"accept := #[step_{len(word)}] > 0"
        ),
        language=regular(".*" + "".join(f"{letter}.*" for letter in word), letters),
    )


def no_subword(text: str) -> Acceptor:
    """Return the program that forbids a scattered subword."""
    word = word_argument("no_subword", text, letters=LETTERS, most=8)
    letters = _letters_for(word)
    found = regular(".*" + "".join(f"{letter}.*" for letter in word), letters)
    return Acceptor(
        name="no_subword",
        argument=word,
        definition=f"the letters of {word} do not occur in this order, even with others between them",
        source=OURS,
        code=lines(
            f"alphabet {quoted(letters)}", "read at end", *_subword_steps(word), f"accept := #[step_{len(word)}] = 0"
        ),
        language=Regular(build=lambda: ~found.build()),
    )


def symbol_at(text: str) -> Acceptor:
    """Return the program that looks at one position from the left, which counting can find."""
    place = integer_argument("symbol_at", text, low=1, high=50)
    return Acceptor(
        name="symbol_at",
        argument=str(place),
        definition=f"symbol number {place} is a",
        source=OURS,
        code=lines("alphabet 'a' 'b'", "read at last", f"accept := #['a' and #[true] = {place}] = 1"),
        language=regular(f".{{{place - 1}}}a.*", "ab"),
    )


def starts_with(text: str) -> Acceptor:
    """Return the program that compares the first letters with a word."""
    word = word_argument("starts_with", text, letters=LETTERS, most=8)
    letters = _letters_for(word)
    return Acceptor(
        name="starts_with",
        argument=word,
        definition=f"the word begins with {word}",
        source=OURS,
        code=lines(
            f"alphabet {quoted(letters)}",
            "read at last",
            "place := #[true]",
            "accept := " + all_of(f"#['{letter}' and place = {place}] = 1" for place, letter in enumerate(word, 1)),
        ),
        language=regular(f"{word}.*", letters),
    )


FAMILIES = (
    Family(name="alternating_blocks", default="3", build=alternating_blocks),
    Family(name="subword", default="abba", build=subword),
    Family(name="no_subword", default="abc", build=no_subword),
    Family(name="symbol_at", default="3", build=symbol_at),
    Family(name="starts_with", default="ab", build=starts_with),
)
