"""Certificates of the logics: no edit, and no transplant to another language, is accepted for a false answer."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from itertools import islice
from random import Random
from typing import Any

import pytest
from certificate_forgeries import automaton_of
from logic_oracles import expressible
from test_forgeries import all_paths
from theory_generators import TELLING, many_languages

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.graph import unrolled_graph
from lengthwise.theory.periods import build_periods_certificate, refine_by_roots
from lengthwise.theory.potentials import refine
from lengthwise.theory.precision.deciders import decide_logic
from lengthwise.theory.precision.logics import Logic

Json = dict[str, Any]
WORDS = ("prefix", "other_prefix", "stay", "there", "back", "suffix")
CAP = 400


def originals(seed: int, number: int) -> list[Json]:
    languages = [
        *map(compile_regex, [*TELLING, "[012]*02*"]),
        *(each for _, each in islice(many_languages(seed), number)),
    ]
    found = []
    for language in languages:
        for logic in Logic:
            for asked in Asked:
                certificate = decide_logic(language, logic, asked).certificate
                found += [] if certificate is None else [certificate.to_json()]
        stuck = [each for each in refine_by_roots(language) if not each.passed]
        found += [build_periods_certificate(language, each).to_json() for each in stuck]
    return [json.loads(json.dumps(data)) for data in found]


def mutate(rng: Random, data: Json) -> Json:
    """Return a certificate after one or two random edits."""
    data = copy.deepcopy(data)
    for _ in range(rng.randint(1, 2)):
        *parents, last = rng.choice(all_paths(data)[1:])
        place: Any = data
        for key in parents:
            place = place[key]
        value = place[last]
        match rng.choice(["replace", "nudge", "nudge", "nudge", "copy", "delete", "claim", "word"]):
            case "replace":
                place[last] = rng.choice([0, 1, 2, -1, True, None, "", "a", [], {}, [0], 0.5])
            case "nudge" if type(value) is int:
                place[last] = value + rng.choice((-2, -1, 1, 2))
            case "nudge" | "copy" if isinstance(place, list):
                place.insert(rng.randint(0, len(place)), copy.deepcopy(rng.choice(place)))
            case "delete":
                del place[last]
            case "word":
                letters = (
                    data.get("automaton", {}).get("alphabet", ["a"])
                    if isinstance(data.get("automaton"), dict)
                    else ["a"]
                )
                symbols = [symbol for symbol in letters if isinstance(symbol, str)] if isinstance(letters, list) else []
                data[rng.choice(WORDS)] = rng.choices(symbols or ["a"], k=rng.randint(0, 3))
            case _:
                answer, logic = rng.choice(["YES", "NO"]), str(rng.choice(list(Logic)))
                field, given = rng.choice(
                    [("answer", answer), ("fragment", logic), ("fragment", "PERIODIC"), ("condition", logic)]
                )
                data[field] = given
                if rng.random() < 0.2:
                    data |= {"asked": "NEXT_SYMBOLS", "readout": "LAST_SYMBOL"}
    return data


def is_true(data: Json) -> bool | None:
    """Say whether a claim is true, by the algebraic definitions; None if the language is too large for them."""
    automaton = data["automaton"]
    language = DFA(
        alphabet=automaton["alphabet"], transitions=automaton["transitions"], accepting=automaton["accepting"]
    )
    if data["fragment"] in ("PERIODIC", "PLAIN"):
        periods = range(1, 13) if data["fragment"] == "PERIODIC" else (1,)
        inside = any(all(part.passed for part in refine(unrolled_graph(language, period=period))) for period in periods)
        return inside == (data["answer"] == "YES")
    if data["asked"] == "NEXT_SYMBOLS" and data["fragment"] in ("LTL[P]", "LTL[P,MOD]", "LTL[Y]"):
        return False  # no theorem here, so nothing may be accepted
    expected = expressible(language, CAP)
    return None if expected is None else expected[data["fragment"]] == (data["answer"] == "YES")


def attack(seed: int, tries: int, change: Callable[[Random, Json, list[Json]], Json], number: int) -> Counter[str]:
    rng = Random(seed)
    honest = originals(seed, number)
    by_kind: dict[tuple[str, str], list[Json]] = {}
    for data in honest:
        by_kind.setdefault((data["kind"], data["fragment"]), []).append(data)
    kinds = sorted(by_kind)
    assert len(kinds) == 6 + 6 + 1 + 1  # NO and YES of each logic, star-free by its semigroup, periods
    outcomes: Counter[str] = Counter()
    for _ in range(tries):
        data = change(rng, rng.choice(by_kind[rng.choice(kinds)]), honest)
        check = check_certificate(data)
        if not check.accepted:
            outcomes["rejected"] += 1
            continue
        truth = is_true(data)
        assert truth is not False, data
        outcomes["true" if truth else "too large"] += 1
    return outcomes


def edited(rng: Random, data: Json, _all: list[Json]) -> Json:
    while True:
        changed = mutate(rng, data)
        version = changed.get("version")
        if changed.get("lengthwise") == "certificate" and type(version) is int and version == 1:
            return changed


def transplanted(rng: Random, data: Json, everything: list[Json]) -> Json:
    """Return the certificate with the automaton of another language, as often as possible one of the same size."""
    size = (len(data["automaton"]["transitions"]), len(data["automaton"]["alphabet"]))
    others = [
        each["automaton"]
        for each in rng.sample(everything, min(80, len(everything)))
        if (len(each["automaton"]["transitions"]), len(each["automaton"]["alphabet"])) == size
    ]
    return data | {"automaton": rng.choice(others or [rng.choice(everything)["automaton"]])}


def test_edited_certificates_are_never_accepted_for_a_false_answer() -> None:
    outcomes = attack(31, 800, edited, 5)
    assert outcomes["rejected"] > 200
    assert outcomes["true"] > 20


def test_transplanted_certificates_are_never_accepted_for_a_false_answer() -> None:
    outcomes = attack(32, 600, transplanted, 5)
    assert outcomes["rejected"] > 200
    assert outcomes["true"] > 20


@pytest.mark.full
def test_ten_thousand_forgeries_are_never_accepted_for_a_false_answer() -> None:
    for seed, change in ((33, edited), (34, transplanted)):
        outcomes = attack(seed, 10_000, change, 120)
        assert outcomes["rejected"] > 3_000
        assert outcomes["true"] > 300


AB = compile_regex("(ab)*")
DYCK = compile_regex("(a(ab)*b)*")
ENDS = compile_regex("[ab]*a")


def certificate(language: DFA, logic: Logic) -> Json:
    found = decide_logic(language, logic).certificate
    assert found is not None
    return json.loads(json.dumps(found.to_json()))


@pytest.mark.parametrize(
    ("language", "logic", "change", "objection"),
    [
        (AB, Logic.P, {"there": "b"}, "the way back does not lead back"),
        (AB, Logic.P, {"there": "ab"}, "the two states are one"),
        (AB, Logic.P, {"suffix": "bb"}, "the suffix does not tell the two states apart"),
        (AB, Logic.P, {"stay": "ab"}, "LTL[P] needs the words back, prefix, suffix, there"),
        (AB, Logic.P, {"answer": "YES"}, "this kind of certificate proves NO, not 'YES'"),
        (AB, Logic.P, {"fragment": "PLAIN"}, "this certificate proves nothing about 'PLAIN'"),
        (AB, Logic.P, {"asked": "NEXT_SYMBOLS"}, "this kind of certificate is about LAST_SYMBOL, not 'END_MARKER'"),
        (
            AB,
            Logic.P,
            {"asked": "NEXT_SYMBOLS", "readout": "LAST_SYMBOL"},
            "for next symbols no theorem speaks of LTL[P]",
        ),
        (AB, Logic.Y, {"stay": ""}, "the word that stays is empty"),
        (AB, Logic.Y, {"stay": "a"}, "the word that stays moves the first state"),
        (DYCK, Logic.P_Y, {"stay": "ba"}, "the word that stays moves the first state"),
        (ENDS, Logic.P_MOD, {"stay": "bb"}, "two words have different lengths"),
        (AB, Logic.P_Y, {"ranks": []}, "a pair of states has no rank"),
        (AB, Logic.P_Y, {"condition": "LTL[P]"}, "an edge inside a level is no loop"),
        (AB, Logic.P_Y, {"condition": "LTL[S]"}, "'LTL[S]' has no condition on levels"),
        (AB, Logic.P_Y, {"condition": "LTL[P,MOD]"}, "LTL[P,MOD] is not inside LTL[P,Y]"),
        (AB, Logic.P_Y, {"moduli": [[0, 2]]}, "LTL[P,Y] does not see the position"),
        (AB, Logic.P_Y, {"levels": [1, 1, 0]}, "an edge leads to a lower level"),
        (AB, Logic.P_MOD, {"residues": [0, 0, 0]}, "the residue does not grow by 1 on an edge"),
        (AB, Logic.P_MOD, {"moduli": []}, "two states share their level and residue"),
        (AB, Logic.P_MOD, {"moduli": [[0, 2], [0, 2]]}, "a level has two moduli"),
        (ENDS, Logic.Y, {"levels": [0, 1]}, "an edge leads to a lower level"),
        (ENDS, Logic.Y, {"ranks": [[0, 1, 1], [0, 1, 2]]}, "a pair of states is listed twice"),
        (ENDS, Logic.Y, {"ranks": [[0, 1, True]]}, "a rank is not an integer"),
    ],
)
def test_an_objection_names_what_is_wrong(language: DFA, logic: Logic, change: Json, objection: str) -> None:
    data = certificate(language, logic)
    assert check_certificate(data, language).accepted
    assert check_certificate(data | change, language).objection == objection


def test_star_free_certificates_are_about_all_maps() -> None:
    flip_flop = compile_regex("[012]*02*")
    data = certificate(flip_flop, Logic.S)
    assert data["kind"] == "aperiodic"
    for change, objection in (
        ({"size": data["size"] + 1}, "words make fewer maps than stated"),
        ({"size": data["size"] - 1}, "words make more maps than stated"),
        ({"exponent": 0}, "the exponent is out of range"),
        ({"fragment": "LTL[P,Y]"}, "this kind of certificate proves nothing about LTL[P,Y]"),
    ):
        assert check_certificate(data | change).objection == objection
    parity = compile_regex("b*(ab*ab*)*")
    claim = data | {"automaton": automaton_of(parity), "size": 2}
    assert check_certificate(claim).objection == "the power of a word moves a state for ever"
    counted = certificate(parity, Logic.S)
    assert check_certificate(counted, parity).accepted
    assert check_certificate(counted | {"power": 1}).objection == "the power is out of range"
    assert decide_logic(parity, Logic.S).answer is Answer.NO


def test_a_rank_that_does_not_fall_is_refused() -> None:
    data = certificate(compile_regex("[ab]*ab"), Logic.Y)
    flat = [[one, two, 1] for one, two, _ in data["ranks"]]
    assert check_certificate(data | {"ranks": flat}).objection == "a rank does not fall"
