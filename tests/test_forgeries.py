"""Nothing false is ever accepted: certificates with random edits, transplanted ones, and forgeries made with care."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from random import Random
from typing import Any

import pytest
from certificate_forgeries import (
    NO_FORGERS,
    READOUTS,
    YES_FORGERS,
    Json,
    asking,
    automaton_of,
    forged_yes,
    reduction,
    with_other_suffixes,
)
from test_certificates import NAMED, NEXT_FLIP_FLOP, QUESTIONS, ask, certificate_of
from theory_generators import random_languages

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.errors import InvalidCertificateError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import right_quotient
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked


def all_paths(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every place in JSON data."""
    children: list[Any] = (
        list(data) if isinstance(data, dict) else list(range(len(data))) if isinstance(data, list) else []
    )
    return [path, *(deeper for child in children for deeper in all_paths(data[child], (*path, child)))]


def mutate(rng: Random, data: Json) -> Json:
    """Return the data after one random edit."""
    data = copy.deepcopy(data)
    *parents, last = rng.choice(all_paths(data)[1:])
    place: Any = data
    for key in parents:
        place = place[key]
    value = place[last]
    edits = ["delete", "replace", "nudge", "nudge", "copy", "swap", "claim", "ask"]
    match rng.choice(edits):
        case "ask":  # another question, with the readout that belongs to it
            data |= asking({}, rng.choice(list(Asked)))
        case "delete":
            del place[last]
        case "replace":
            place[last] = rng.choice([0, 1, 2, -1, True, None, "", "a", [], {}, [0], 0.5])
        case "nudge" if type(value) is int:
            place[last] = value + rng.choice((-2, -1, 1, 2))
        case "nudge" if isinstance(value, str):
            symbol = rng.choice(data["automaton"]["alphabet"] if isinstance(data.get("automaton"), dict) else ["a"])
            at = rng.randint(0, len(value))
            place[last] = rng.choice((value[:at] + symbol + value[at:], value[: max(0, at - 1)] + value[at:], symbol))
        case "nudge" | "copy" if isinstance(place, list):
            place.insert(rng.randint(0, len(place)), copy.deepcopy(rng.choice(place)))
        case "swap" if isinstance(place, list) and len(place) > 1:
            other = rng.randrange(len(place))
            place[last], place[other] = place[other], place[last]
        case "swap" | "copy" if isinstance(value, list) and value:
            rng.shuffle(value)
        case _:
            field, values = rng.choice(
                [
                    ("answer", ["YES", "NO", "UNKNOWN"]),
                    ("fragment", [str(fragment) for fragment in Fragment]),
                    ("readout", [str(readout) for readout in Readout]),
                    ("asked", [str(asked) for asked in Asked]),
                    ("kind", ["potentials", "obstruction", "reduction", "quotients"]),
                ]
            )
            data[field] = rng.choice(values)
    return data


def transplant(data: Json, language: DFA) -> Json:
    """Return the certificate with the automaton of another language, quotients included."""
    moved = data | {"automaton": automaton_of(language)}
    parts = data.get("parts")
    if isinstance(parts, list):
        moved["parts"] = [
            part | {"certificate": transplant(part["certificate"], right_quotient(language, (part["symbol"],)))}
            if isinstance(part, dict)
            and part.get("symbol") in language.alphabet
            and isinstance(part.get("certificate"), dict)
            else part
            for part in parts
        ]
    return moved


def claimed(data: Json) -> tuple[str, Fragment, Readout, Asked] | None:
    """Return what a certificate claims, if it is a claim that could be true or false."""
    try:
        claim = (data["answer"], Fragment(data["fragment"]), Readout(data["readout"]), Asked(data["asked"]))
    except (KeyError, ValueError):
        return None
    return claim if claim[0] in ("YES", "NO") and (claim[3], claim[2]) in QUESTIONS else None


def embedded_language(data: Json) -> DFA:
    automaton = data["automaton"]
    return DFA(alphabet=automaton["alphabet"], transitions=automaton["transitions"], accepting=automaton["accepting"])


OPPOSITE = {"YES": Answer.NO, "NO": Answer.YES}


def attack(seed: int, num_tries: int) -> Counter[str]:
    """Try random forgeries; return how many were tried, stayed valid, were rejected, or were no certificate any more."""
    rng = Random(seed)
    languages = [*NAMED, NEXT_FLIP_FLOP, *random_languages(42, 60)]
    originals = [
        (language, data)
        for language in languages
        for fragment in Fragment
        for asked, readout in QUESTIONS
        if (data := certificate_of(language, fragment, readout, asked)) is not None
    ]
    by_kind: dict[tuple[str, str], list[tuple[DFA, Json]]] = {}
    for language, data in originals:
        by_kind.setdefault((data["kind"], data["asked"]), []).append((language, data))
    assert len(by_kind) == 7  # four kinds for membership, and all but quotients for next symbols
    outcome: Counter[str] = Counter()
    for number in range(num_tries):
        language, original = rng.choice(by_kind[sorted(by_kind)[number % len(by_kind)]])
        mutant = original
        while mutant == original:
            mutant = mutate(rng, original)
        outcome["tried"] += 1
        try:
            alone = check_certificate(mutant)
        except InvalidCertificateError:
            outcome["no certificate"] += 1
            continue
        outcome["stayed valid" if alone.accepted else "rejected"] += 1
        claim = claimed(mutant)
        if alone.accepted:
            assert claim is not None, mutant
            truth = ask(embedded_language(mutant), *claim[1:]).answer
            assert truth is not OPPOSITE[claim[0]], mutant
        if claim is None:
            continue
        outcome[f"claims of {claim[3]}"] += 1
        outcome["other questions"] += claim[3] != original["asked"]
        liars = [each for each in languages if ask(each, *claim[1:]).answer is OPPOSITE[claim[0]]]
        same = [each for each in liars if each.alphabet == language.alphabet]
        for other in rng.sample(same or liars, min(3, len(same or liars))):
            outcome["forgeries"] += 2
            assert not check_certificate(mutant, other).accepted, mutant
            assert not check_certificate(transplant(mutant, other), other).accepted, mutant
            moved = transplant(original, other)  # and the other way round: moved first, then edited
            again = mutate(rng, moved)
            if claimed(again) == claim:
                outcome["forgeries"] += 1
                try:
                    assert not check_certificate(again, other).accepted, again
                except InvalidCertificateError:
                    outcome["no certificate"] += 1
    return outcome


class Refusals:
    """Requires that forgeries are refused, and counts them."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()

    def __call__(self, forger: str, data: Json | None, language: DFA) -> None:
        if data is not None:
            self.tried[forger] += 1
            check = check_certificate(data, language)
            assert not check.accepted, (forger, data)
            assert not re.search(f"KeyError: '({HEAD})'", str(check.objection)), (
                forger,
                "not even a certificate",
                data,
            )
            assert not check_certificate(json.loads(json.dumps(data)), language).accepted, (forger, data)


HEAD = "kind|answer|fragment|asked|readout|automaton|reads"


def forgeries(seed: int, languages: list[DFA]) -> Counter[str]:
    """Try forgeries that break one rule each, plain and inside quotients; return how many of each were tried."""
    rng = Random(seed)
    refuse = Refusals()

    def within_quotients(symbol: str, forged: Json, language: DFA) -> Json:
        """Return a claim at the last symbol with the forged part and, for YES, honest ones beside it."""
        fragment = Fragment(forged["fragment"])
        parts = [{"symbol": symbol, "certificate": forged}]
        for other in language.alphabet:
            honest = certificate_of(right_quotient(language, (other,)), fragment, Readout(forged["readout"]))
            if forged["answer"] == "YES" and other != symbol and honest is not None:
                parts.append({"symbol": other, "certificate": honest})
        outer = {key: forged[key] for key in ("lengthwise", "version", "answer", "fragment", "asked")}
        return outer | {
            "kind": "quotients",
            "readout": "LAST_SYMBOL",
            "automaton": automaton_of(language),
            "parts": parts,
        }

    for language in languages:
        for fragment in Fragment:
            answer = ask(language, fragment, Readout.END_MARKER).answer
            if answer is Answer.NO:
                for forger in YES_FORGERS:
                    refuse(forger.__name__, forged_yes(rng, language, fragment, forger), language)
                for larger in Fragment:
                    honest = certificate_of(language, larger)
                    if honest is not None and honest["answer"] == "YES":
                        refuse("smaller_fragment", honest | {"fragment": str(fragment)}, language)
            if answer is Answer.YES:
                for number, invent in enumerate(NO_FORGERS):
                    made = invent(language)
                    refuse(f"no_{number}", made and made | {"fragment": str(fragment)}, language)
                for _ in range(5):
                    refuse("reduction", reduction(rng, language, fragment), language)
                if (plain := certificate_of(language)) is not None and plain["answer"] == "NO":
                    refuse("larger_fragment", plain | {"fragment": str(fragment)}, language)
            answer = ask(language, fragment, Readout.LAST_SYMBOL).answer
            for symbol in language.alphabet:
                quotient = right_quotient(language, (symbol,))
                inner = ask(quotient, fragment, Readout.END_MARKER).answer
                if answer is Answer.NO and inner is Answer.NO:
                    for forger in YES_FORGERS:
                        if (forged := forged_yes(rng, quotient, fragment, forger)) is not None:
                            refuse("yes_inside", within_quotients(symbol, forged, language), language)
                    for readout, larger in claims_of_quotients():
                        honest = certificate_of(quotient, larger, readout)
                        if honest is not None and honest["answer"] == "YES":
                            outer = within_quotients(symbol, honest, language) | {"fragment": str(fragment)}
                            refuse("other_claim_inside", outer, language)
                if answer is Answer.NO and inner is Answer.YES:
                    honest = certificate_of(quotient, fragment)
                    assert honest is not None
                    alone = within_quotients(symbol, honest, language)
                    refuse("some_parts", alone | {"parts": alone["parts"][:1]}, language)
                    refuse("same_part", alone | {"parts": alone["parts"][:1] * len(language.alphabet)}, language)
                    renamed = [{"symbol": other, "certificate": honest} for other in language.alphabet]
                    refuse("renamed_part", alone | {"parts": renamed}, language)
                if answer is Answer.YES:
                    honest = certificate_of(quotient, fragment)
                    assert honest is not None
                    alone = within_quotients(symbol, honest, language)
                    refuse("other_answer", alone | {"answer": "NO"}, language)
                    refuse("no_parts", alone | {"answer": "NO", "parts": []}, language)
                    for invent in NO_FORGERS:
                        if fragment is Fragment.PLAIN and (made := invent(quotient)) is not None:
                            refuse("no_inside", within_quotients(symbol, made, language), language)
    return refuse.tried


def forgeries_of_next_symbols(seed: int, languages: list[DFA]) -> Counter[str]:
    """Try forgeries about next symbols, and honest certificates of one question in the place of another."""
    rng = Random(seed)
    refuse = Refusals()
    for language in languages:
        for fragment in Fragment:
            answers = {
                asked: ask(language, fragment, Readout(READOUTS[asked]), asked).answer
                for asked in (Asked.NEXT_SYMBOLS, Asked.MEMBERSHIP)
            }
            honest = {asked: certificate_of(language, fragment, Readout(READOUTS[asked]), asked) for asked in answers}
            if answers[Asked.NEXT_SYMBOLS] is Answer.NO:
                for forger in YES_FORGERS:
                    forged = forged_yes(rng, language, fragment, forger, Asked.NEXT_SYMBOLS)
                    refuse(forger.__name__, forged, language)
                for larger in Fragment:
                    wider = certificate_of(language, larger, Readout.LAST_SYMBOL, Asked.NEXT_SYMBOLS)
                    if wider is not None and wider["answer"] == "YES":
                        refuse("smaller_fragment", wider | {"fragment": str(fragment)}, language)
            if answers[Asked.NEXT_SYMBOLS] is Answer.YES:
                for number, invent in enumerate(NO_FORGERS):
                    made = invent(language)
                    for other in with_other_suffixes(language, asking(made, Asked.NEXT_SYMBOLS)) if made else ():
                        refuse(f"no_{number}", other | {"fragment": str(fragment)}, language)
                for _ in range(5):
                    refuse("reduction", reduction(rng, language, fragment, Asked.NEXT_SYMBOLS), language)
            for asked, other in ((Asked.NEXT_SYMBOLS, Asked.MEMBERSHIP), (Asked.MEMBERSHIP, Asked.NEXT_SYMBOLS)):
                data = honest[other]
                if data is None or answers[asked] is not OPPOSITE[data["answer"]]:
                    continue
                refuse(f"{other} for {asked}", asking(data, asked), language)
                if data["kind"] == "obstruction":
                    for edited in with_other_suffixes(language, asking(data, asked)):
                        refuse(f"{other} for {asked}, other suffix", edited, language)
    return refuse.tried


def claims_of_quotients() -> list[tuple[Readout, Fragment]]:
    return [(readout, fragment) for readout in Readout for fragment in Fragment]


def report(outcome: Counter[str]) -> str:
    return (
        f"mutation test: {outcome['tried']} mutants, of which {outcome['stayed valid']} stayed valid and true, "
        f"{outcome['rejected']} were rejected; {outcome['forgeries']} forgeries for languages of the opposite answer, "
        "none accepted"
    )


def test_no_mutated_certificate_proves_anything_false(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = attack(seed=43, num_tries=1_400)
    with capsys.disabled():
        print(f"\n{report(outcome)}")
    assert outcome["stayed valid"] > 20
    assert outcome["rejected"] > 700
    assert outcome["forgeries"] > 1_400
    assert outcome["claims of NEXT_SYMBOLS"] > 400
    assert outcome["other questions"] > 20


def test_no_forgery_that_breaks_a_single_rule_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    tempting = [
        compile_regex("[ab]*b[ab]"),  # read at the last symbol NO, although its quotients are YES there
        compile_regex("(ac|bc|ad)*"),  # NO, but a potential that is rounded would do
    ]
    tried = forgeries(45, [*NAMED, *tempting, *random_languages(46, 60)])
    with capsys.disabled():
        print(f"\nforgery test: {tried.total()} forgeries of {len(tried)} sorts, none accepted")
    assert {forger.__name__ for forger in YES_FORGERS} <= set(tried)
    assert {f"no_{number}" for number in range(len(NO_FORGERS))} <= set(tried)
    assert {"smaller_fragment", "yes_inside", "other_claim_inside", "some_parts", "other_answer"} <= set(tried)


def test_no_forgery_about_next_symbols_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    tempting = [
        compile_regex("b*(ab+)*a?"),  # no aa: next symbols YES, membership NO even where the last symbol is seen
        compile_regex("[ab]*b"),  # next symbols YES, membership NO at the end marker
        compile_regex("(ab|aabb)*"),
        NEXT_FLIP_FLOP,
    ]
    tried = forgeries_of_next_symbols(47, [*NAMED, *tempting, *random_languages(48, 60)])
    with capsys.disabled():
        print(f"\nforgery test, next symbols: {tried.total()} forgeries of {len(tried)} sorts, none accepted")
    assert {forger.__name__ for forger in YES_FORGERS} <= set(tried)
    assert {f"no_{number}" for number in range(len(NO_FORGERS))} <= set(tried)
    assert {"smaller_fragment", "reduction", "NEXT_SYMBOLS for MEMBERSHIP", "MEMBERSHIP for NEXT_SYMBOLS"} <= set(tried)
    assert tried["MEMBERSHIP for NEXT_SYMBOLS, other suffix"] > 100


@pytest.mark.full
def test_no_certificate_of_ten_thousand_mutants_proves_anything_false(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = attack(seed=44, num_tries=10_000)
    with capsys.disabled():
        print(f"\n{report(outcome)}")
    assert outcome["tried"] == 10_000
