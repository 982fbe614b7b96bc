"""Word pairs that are hard by construction: from every NO, pairs that look more and more alike to any program.

One word of a pair is in the language and the other is not, and after a long enough loop no program of the class keeps them
apart. Models that fit the training lengths are best tested on these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ..budget import checkpoint
from ..errors import CapExceededError, InvalidOptionError
from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word
from .certificates import (
    Certificate,
    GraphCertificate,
    ObstructionCertificate,
    PathsPair,
    PeriodsCertificate,
    QuotientsCertificate,
    ReductionCertificate,
)
from .claims import Answer, Asked
from .reductions import FLIP_FLOP

MAX_LETTERS = 5_000_000

Pair = tuple[Word, Word]  # a word of the language, and one that is not


def adversarial_pairs(certificate: Certificate, number: int) -> list[Pair]:
    """Return pairs of growing length from the certificate of a NO about membership: in the language, not in it.

    >>> from lengthwise.languages.regex import compile_regex
    >>> from lengthwise.theory.deciders import decide_plain
    >>> certificate = decide_plain(compile_regex("[ab]*b")).certificate
    >>> [("".join(one), "".join(two)) for one, two in adversarial_pairs(certificate, 2)]
    [('ab', 'ba'), ('baab', 'baba')]
    """
    if certificate.answer is not Answer.NO or certificate.asked is not Asked.MEMBERSHIP:
        raise InvalidOptionError(
            f"pairs come from a NO about membership; this certificate says {certificate.answer} about {certificate.asked}.",
            hint="ask for membership, and for a fragment that does not have the language.",
        )
    found: list[Pair] = []
    letters = 0
    for pair in islice(_pairs(certificate), number):
        checkpoint()
        letters += len(pair[0]) + len(pair[1])
        if letters > MAX_LETTERS:
            raise CapExceededError(
                f"{len(found) + 1} pairs have more than {MAX_LETTERS:,} letters together, the cap.",
                hint=f"ask for at most {len(found)} pairs.",
            )
        found.append(pair)
    return found


def _pairs(certificate: Certificate) -> Iterator[Pair]:
    match certificate:
        case ObstructionCertificate():
            return _pumped(certificate)
        case ReductionCertificate():
            return _reduced(certificate)
        case GraphCertificate():
            return _walked(certificate)
        case PeriodsCertificate():
            return _joined(certificate)
        case QuotientsCertificate(parts=((symbol, part), *_)):
            return (((*one, symbol), (*two, symbol)) for one, two in _pairs(part))
    raise AssertionError(f"a {type(certificate).__name__} proves no NO")


def _sorted_pair(language: DFA, one: Word, two: Word) -> Pair:
    return (one, two) if one in language else (two, one)


def _pumped(certificate: ObstructionCertificate) -> Iterator[Pair]:
    """Yield x·uᴺ·w₁·v and x·uᴺ·w₂·v, where u is a loop through the whole component."""
    language = certificate.language
    pair = certificate.pairs[0]
    first, second = (pair.first, pair.second) if isinstance(pair, PathsPair) else ((), pair.path)
    loop = _tour(language, certificate.members, pair.start)
    turns = 0
    while True:
        before = (*certificate.enter, *loop * turns)
        yield _sorted_pair(language, (*before, *first, *certificate.suffix), (*before, *second, *certificate.suffix))
        turns += 1


def _joined(certificate: PeriodsCertificate) -> Iterator[Pair]:
    """Yield words that lead to the two states of the pair behind a loop through the whole component."""
    language = certificate.language
    one, two = certificate.pair
    inside = set(certificate.members)
    loop = _tour(language, certificate.members, one)
    apart = _path(one, two, lambda state: _steps(language, state, inside))
    turns = 0
    while True:
        before = (*certificate.prefix, *loop * turns)
        yield _sorted_pair(language, (*before, *certificate.suffix), (*before, *apart, *certificate.suffix))
        turns += 1


def _tour(language: DFA, members: Sequence[int], start: int) -> Word:
    """Return a loop that visits all members of a component and returns to its start each time."""
    inside = set(members)
    loop: Word = ()
    for member in members:
        there = _path(start, member, lambda state: _steps(language, state, inside))
        back = _path(member, start, lambda state: _steps(language, state, inside))
        loop += (*there, *back)
    return loop


def _reduced(certificate: ReductionCertificate) -> Iterator[Pair]:
    """Yield words that differ in the first symbol of the hidden flip-flop, or by one in the hidden counter."""
    images = dict(certificate.images)
    keep = images["2"] if certificate.target == FLIP_FLOP else images["b"]
    ones = (images["0"], images["1"]) if certificate.target == FLIP_FLOP else (images["a"], images["b"])
    turns = 1
    while True:
        one, two = ((*certificate.prefix, *start, *keep * turns, *certificate.suffix) for start in ones)
        if (one in certificate.language) != (two in certificate.language):
            yield _sorted_pair(certificate.language, one, two)
        else:  # two residues of the counter that are both in, or both out: count on until they differ
            extra = images["a"]
            for _ in range(certificate.language.num_states):
                one, two = (
                    (*certificate.prefix, *extra, *one[len(certificate.prefix) :]),
                    (
                        *certificate.prefix,
                        *extra,
                        *two[len(certificate.prefix) :],
                    ),
                )
                if (one in certificate.language) != (two in certificate.language):
                    yield _sorted_pair(certificate.language, one, two)
                    break
        turns += 1


def _walked(certificate: GraphCertificate) -> Iterator[Pair]:
    """Yield words that lead to the two vertices of the pair behind a loop through the whole component."""
    language = certificate.language
    kept = [words[0] for words in certificate.idempotents]
    numbers = {vertex: number for number, vertex in enumerate(certificate.vertices)}

    def steps(vertex: int) -> Iterator[tuple[int, Word]]:
        state, idempotent, residue = certificate.vertices[vertex]
        for arrow in certificate.arrows:
            if arrow.source == (idempotent, residue):
                word = (*kept[idempotent], *arrow.word, *kept[arrow.target[0]])
                target = numbers.get((language.run(word, state), *arrow.target))
                if target is not None:
                    yield target, word

    one, two = certificate.pair
    loop: Word = ()
    for vertex in range(len(certificate.vertices)):
        loop += (*_path(one, vertex, steps), *_path(vertex, one, steps))
    tail = (*kept[certificate.vertices[one][1]], *certificate.suffix)
    apart = _path(one, two, steps)
    turns = 0
    while True:
        before = (*certificate.prefix, *loop * turns)
        yield _sorted_pair(language, (*before, *tail), (*before, *apart, *tail))
        turns += 1


def _steps(language: DFA, state: int, inside: set[int]) -> Iterator[tuple[int, Word]]:
    for symbol, target in zip(language.alphabet, language.transitions[state], strict=True):
        if target in inside:
            yield target, (symbol,)


def _path(start: int, goal: int, steps: Callable[[int], Iterator[tuple[int, Word]]]) -> Word:
    """Return the word of a walk with fewest steps."""
    words: dict[int, Word] = {start: ()}
    queue = [start]
    for place in queue:
        checkpoint()
        if place == goal:
            return words[place]
        for target, word in steps(place):
            if target not in words:
                words[target] = (*words[place], *word)
                queue.append(target)
    raise AssertionError("a component is strongly connected")
