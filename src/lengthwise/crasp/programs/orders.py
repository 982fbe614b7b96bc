"""Regular languages in plain C-RASP, first part: which letters come before which, and what stands at the ends."""

from __future__ import annotations

from .entry import (
    OURS,
    Acceptor,
    Family,
    Regular,
    Rule,
    acceptors,
    integer_argument,
    letters_for,
    named_language,
    regular,
    word_argument,
)
from .samplers import uniform
from .templates import all_of, lines, quoted

ORDERS = acceptors(
    "orders",
    {
        "tomita_1": named_language("TOMITA_1"),
        "tomita_7": named_language("TOMITA_7"),
        "runs_of_five": named_language("aa*bb*cc*dd*ee*"),
        "one_d": named_language("{a,b}*d{b,c}*"),
        "sorted_letters": regular("a*b*c*", "abc"),
        "unimodal": regular("a*b*a*", "ab"),
        "no_a_after_b": regular("[ac]*[bc]*", "abc"),
        "first_a_before_first_b": regular("c*a.*b.*", "abc"),
        "first_is_1": regular("1.*", "01"),
        "ends_in_b": named_language("{a,b}*b"),
        "first_equals_last": regular("a|b|c|a.*a|b.*b|c.*c", "abc"),
        "even_pairs": Rule(
            contains=lambda word: (word.count("ab") + word.count("ba")) % 2 == 0,
            member=lambda random, length: _closed(uniform(random, "ab", max(1, length - 1))),
        ),
    },
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


def _subword_steps(word: str) -> list[str]:
    steps = [f"step_1 := '{word[0]}'"]
    return steps + [
        f"step_{place} := '{letter}' and #<[step_{place - 1}] > 0" for place, letter in enumerate(word[1:], 2)
    ]


def subword(text: str) -> Acceptor:
    """Return the program that finds a scattered subword; its steps end at their letters."""
    word = word_argument("subword", text)
    letters = letters_for(word)
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
    word = word_argument("no_subword", text)
    letters = letters_for(word)
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
    word = word_argument("starts_with", text)
    letters = letters_for(word)
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
