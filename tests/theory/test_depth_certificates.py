"""Certificates for the depth of counts: what the checker refuses, and that no mutant proves a false bound."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random
from typing import Any

import pytest
from theory_generators import random_languages

from lengthwise.errors import InvalidCertificateError
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.depth.bounds import DepthBounds, bound_depth
from lengthwise.theory.depth.checker import check_depth_certificate
from lengthwise.theory.depth.problem import DepthQuestion
from lengthwise.theory.depth.reading import read_depth_certificate

END, LAST, NEXT, STATES = DepthQuestion
TEXTS = ["(ab)*", "(ab|bbaa)*", "(a+b+){2}", "(acca)*", "(a(ab)*b)*"]


@lru_cache
def bounds_of(text: str, question: DepthQuestion) -> DepthBounds:
    return bound_depth(compile_regex(text), question)


def data_of(text: str, question: DepthQuestion, *, upper: bool) -> dict[str, Any]:
    bounds = bounds_of(text, question)
    certificate = bounds.upper if upper else bounds.lower
    assert certificate is not None
    found: dict[str, Any] = json.loads(json.dumps(certificate.to_json()))
    return found


def test_a_certificate_is_read_back_as_it_was() -> None:
    for text in TEXTS[1:2]:
        for question in DepthQuestion:
            bounds = bounds_of(text, question)
            for certificate in (bounds.lower, bounds.upper):
                if certificate is not None:
                    data = json.loads(json.dumps(certificate.to_json()))
                    assert read_depth_certificate(data) == certificate
                    assert read_depth_certificate(data, certificate.language) == certificate


def test_symbols_of_several_characters_are_read_back() -> None:
    language = DFA(alphabet=["up", "down"], transitions=[[2, 1], [0, 2], [2, 2]], accepting=[0])
    bounds = bound_depth(language, END)
    assert bounds.is_exact
    for certificate in (bounds.lower, bounds.upper):
        assert certificate is not None
        assert read_depth_certificate(json.loads(json.dumps(certificate.to_json())), language) == certificate


# What is no certificate


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], 'this is not a depth certificate: it has no field "lengthwise" with the value "depth certificate".'),
        ({"lengthwise": "certificate"}, "this is not a depth certificate"),
        ({"lengthwise": "depth certificate"}, "this depth certificate has version None; this program reads version 1."),
        (
            {"lengthwise": "depth certificate", "version": True},
            "this depth certificate has version True; this program reads version 1.",
        ),
    ],
)
def test_what_is_no_certificate_raises(data: object, message: str) -> None:
    with pytest.raises(InvalidCertificateError) as caught:
        check_depth_certificate(data)
    assert caught.value.message.startswith(message)


def test_a_certificate_for_another_language_is_refused() -> None:
    data = data_of("(ab)*", END, upper=True)
    check = check_depth_certificate(data, LANGUAGES["PARITY"].language)
    assert check.objection == "the automaton in the certificate is not that of the language"
    with pytest.raises(InvalidCertificateError, match="does not hold: the automaton in the certificate is not that"):
        read_depth_certificate(data, LANGUAGES["PARITY"].language)


# Directed edits: each must meet the condition it is aimed at

Edit = Callable[[dict[str, Any]], object]


def set_in(*path: Any) -> Edit:
    """Return the edit that puts the last argument at the place that the others name."""
    *steps, field, value = path

    def edit(data: dict[str, Any]) -> None:
        place: Any = data
        for step in steps:
            place = place[step]
        place[field] = value

    return edit


AT_MOST: list[tuple[Edit, str]] = [
    (set_in("kind", "depth_exactly"), "there is no kind of depth certificate called 'depth_exactly'"),
    (set_in("more", 1), "the field 'more' is unknown"),
    (set_in("question", "WORDS"), "nobody asks for 'WORDS'"),
    (set_in("bound", -1), "the bound is not a whole number"),
    (set_in("bound", 1), "the bound is not the number of steps"),
    (set_in("steps", 0, "more", 1), "a step has other fields than known and tests"),
    (set_in("states", []), "there is not one row of edges for each node"),
    (set_in("states", 1, 7), "a node stands for no state"),
    (set_in("states", [1, 0, 2]), "node 0 does not stand for the initial state"),
    (set_in("edges", 0, [1, 2]), "the edges of a node are not a table"),
    (set_in("edges", 0, {"a": 1}), "a node has no edge for symbol 'b'"),
    (set_in("edges", 0, "a", 9), "an edge leads nowhere"),
    (set_in("edges", 0, "a", 2), "an edge does not lead where the automaton does"),
    (set_in("edges", 0, "c", 2), "an edge has a symbol outside the alphabet"),
    (set_in("steps", 0, "known", 0, []), "a known set is not a list of blocks"),
    (set_in("steps", 0, "known", 0, [[], [0, 1, 2]]), "a block is not a list of nodes"),
    (set_in("steps", 0, "known", 0, [[0, 1, 2, 2]]), "the blocks of a known set do not divide it"),
    (set_in("steps", 0, "known", 0, [[2]]), "a known set lacks a predecessor of its nodes"),
    (
        set_in("steps", 0, "known", 0, [[0], [1, 2]]),
        "nodes 0 and 1 are in different blocks, but not yet told apart",
    ),
    (set_in("steps", 0, "tests", 0, "more", 1), "a test has other fields than gains, upper and lower"),
    (set_in("steps", 0, "tests", 0, "gains", 0, [1, "a", 0, 1]), "a gain is malformed"),
    (set_in("steps", 0, "tests", 0, "gains", 0, [0, "a", 1, 1]), "a gain is for a block that does not exist"),
    (set_in("steps", 0, "tests", 0, "upper", [0]), "a test does not have one bound for each node"),
    (set_in("steps", 0, "tests", 0, "upper", 1, 0.5), "a bound is not an integer"),
    (set_in("steps", 0, "tests", 0, "upper", 0, -1), "the sum can be larger than stated at the start"),
    (set_in("steps", 0, "tests", 0, "lower", 0, 1), "the sum can be smaller than stated at the start"),
    (set_in("steps", 0, "tests", 0, "upper", 2, 5), "on an edge with symbol 'b' the sum can exceed its upper bound"),
    (
        set_in("steps", 0, "tests", 0, "lower", 2, -5),
        "on an edge with symbol 'a' the sum can fall below its lower bound",
    ),
    (set_in("steps", 1, "tests", []), "nodes 0 and 2 are not told apart, but get different answers"),
]


@pytest.mark.parametrize(("edit", "objection"), AT_MOST, ids=[objection for _, objection in AT_MOST])
def test_an_edit_of_at_most_is_refused_for_its_reason(edit: Edit, objection: str) -> None:
    data = data_of("(ab)*", END, upper=True)
    edit(data)
    assert check_depth_certificate(data).objection == objection


AT_LEAST: list[tuple[Edit, str]] = [
    (set_in("bound", 4), "the bound is not one more than the number of rounds"),
    (set_in("rounds", 0, "more", 1), "a round has other fields than path and loops"),
    (set_in("rounds", 0, "loops", 0, "more", 1), "a closed walk has other fields than after and word"),
    (set_in("rounds", 0, "loops", 0, "after", 99), "a closed walk is not on the path"),
    (set_in("rounds", 0, "loops", 0, "word", "a"), "a closed walk does not return"),
    (set_in("rounds", 1, "loops", []), "the two words lead to different labels"),
    (set_in("rounds", 0, "path", "x"), "symbol 'x' is not in the alphabet"),
    (set_in("first", ""), "the two words do not differ in membership"),
]


@pytest.mark.parametrize(("edit", "objection"), AT_LEAST, ids=[objection for _, objection in AT_LEAST])
def test_an_edit_of_at_least_is_refused_for_its_reason(edit: Edit, objection: str) -> None:
    data = data_of("(ab|bbaa)*", END, upper=False)
    assert data["bound"] == 3
    if objection == "the two words do not differ in membership":
        data["second"] = data["suffix"] = ""
    edit(data)
    assert check_depth_certificate(data).objection == objection


def test_other_questions_have_conditions_of_their_own() -> None:
    data = data_of("(ab|bbaa)*", END, upper=False)
    data["suffix"] = ""
    data["question"] = "LAST_SYMBOL"
    assert check_depth_certificate(data).objection == "the two words need a last symbol in common"
    data = data_of("(a+b+){2}", NEXT, upper=False)
    data["suffix"] = "bbb" + "ab" * 9
    assert check_depth_certificate(data).objection == "the common word leaves the words that can be accepted"
    data = data_of("(ab|bbaa)*", STATES, upper=False)
    data["second"] = data["first"]
    assert check_depth_certificate(data).objection == "the two words end in one state"


# Mutants


def numbers_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value inside JSON data."""
    items = data.items() if type(data) is dict else enumerate(data) if type(data) is list else ()
    for key, value in items:
        yield (*path, key)
        yield from numbers_in(value, (*path, key))


def mutate(data: dict[str, Any], rng: Random) -> None:
    """Change one thing."""
    for _ in range(100):
        *path, field = rng.choice(list(numbers_in(data)))
        if path[:1] == ["automaton"] or field in ("lengthwise", "version", "automaton", "kind"):
            continue
        place: Any = data
        for step in path:
            place = place[step]
        value = place[field]
        if field == "question":
            place[field] = str(rng.choice(list(DepthQuestion)))
        elif type(value) is int:
            place[field] = rng.choice([value + 1, value - 1, -value, 0, None])
        elif value is None:
            place[field] = rng.randint(-2, 2)
        elif type(value) is str:
            letters = "".join(rng.choice("abc") for _ in range(rng.randint(0, 3)))
            place[field] = rng.choice([value[:-1], value[1:], value + letters, letters])
        elif type(value) is list and value:
            rng.choice([value.pop, value.reverse, lambda value=value: value.append(copy.deepcopy(rng.choice(value)))])()
        else:
            continue
        return


def count_mutants(languages: list[DFA], per_certificate: int, seed: int) -> tuple[int, int]:
    """Require that every accepted mutant claims a true bound; return how many mutants were refused and accepted."""
    rng = Random(seed)
    refused = accepted = 0
    for language in languages:
        true = {question: bound_depth(language, question) for question in DepthQuestion}
        for bounds in true.values():
            for certificate in (bounds.lower, bounds.upper):
                for _ in range(per_certificate if certificate is not None else 0):
                    assert certificate is not None
                    data = json.loads(json.dumps(certificate.to_json()))
                    for _ in range(rng.randint(1, 2)):
                        mutate(data, rng)
                    check = check_depth_certificate(data, language)
                    if not check.accepted:
                        refused += 1
                        continue
                    accepted += 1
                    depth = true[DepthQuestion(check.question)]
                    assert check.bound is not None
                    assert depth.exists or check.kind == "depth_at_least"
                    if check.kind == "depth_at_most":
                        assert check.bound >= (depth.at_least or 0), data
                    elif depth.at_most is not None:
                        assert check.bound <= depth.at_most, data
    return refused, accepted


def test_no_mutant_proves_a_false_bound() -> None:
    languages = [compile_regex(text) for text in TEXTS[:2]]
    refused, _ = count_mutants(languages, 12, 5)
    assert refused > 100


@pytest.mark.full
def test_no_mutant_of_many_certificates_proves_a_false_bound() -> None:
    languages = [*map(compile_regex, TEXTS), *random_languages(2305, 60)]
    refused, accepted = count_mutants(languages, 30, 6)
    assert refused > 3_000
    assert accepted > 100
