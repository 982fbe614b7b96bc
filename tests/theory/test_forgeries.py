"""Nothing false is ever accepted: certificates with random edits, transplanted ones, and forgeries made with care."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest
from certificate_forgeries import (
    CHEATS,
    NO_FORGERS,
    READOUTS,
    YES_FORGERS,
    Json,
    asking,
    automaton_of,
    forged_graph,
    forged_yes,
    hidden_graph,
    reduction,
    with_other_suffixes,
)
from test_certificates import (
    AFTER_A,
    EQUAL_COUNTS,
    LAST_IS_A,
    NAMED,
    NEXT_FLIP_FLOP,
    QUESTIONS,
    ask,
    certificate_of,
    program_certificate,
)
from theory_generators import many_languages, random_languages

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.errors import InvalidCertificateError
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import right_quotient
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.predict import predict
from lengthwise.predict.row_checks import check_row
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
                    ("kind", ["potentials", "obstruction", "reduction", "graph", "periods", "quotients", "program"]),
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


def attack(seed: int, num_tries: int, num_languages: int) -> Counter[str]:
    """Try random forgeries; return how many were tried, stayed valid, were rejected, or were no certificate any more."""
    rng = Random(seed)
    languages = [*NAMED, NEXT_FLIP_FLOP, *random_languages(42, num_languages)]
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
    assert len(by_kind) == 10  # six kinds for membership; quotients and periods are for membership alone
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
        outcome[f"valid {original['kind']}"] += alone.accepted
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
                for smaller in Fragment:
                    honest = certificate_of(language, smaller)
                    if honest is not None and honest["answer"] == "NO":
                        refuse("bigger_fragment", honest | {"fragment": str(fragment)}, language)
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


KINDS = ["potentials", "obstruction", "reduction", "graph", "quotients"]


def report(outcome: Counter[str]) -> str:
    valid = ", ".join(f"{kind} {outcome['valid ' + kind]}" for kind in KINDS)
    return (
        f"mutation test: {outcome['tried']} mutants, of which {outcome['stayed valid']} stayed valid and true ({valid}), "
        f"{outcome['rejected']} were rejected; {outcome['forgeries']} forgeries for languages of the opposite answer, "
        "none accepted"
    )


# Graphs: parts of the Karoubi graph made of random words, honest ones and such as break one rule

#: In the class, and with states that look alike in one component, or only by their residues.
RICH = [
    *("(aa)*", "(aaaa)*", "(abab)*", "(ab)*", "((a|b)(a|b))*", "(a|bb)*", "(aab|ab)*", "((ab)*c)*", "(a(ab)*b)*"),
    *("(a(a(ab)*b)*b)*", "((a|b)c(a|b))*", "(ab|bba)*", "(ab|aabb)*", "(ab|bbaa)*", "(abc|b)*", "(aba|bb)*"),
]


@cache
def languages_for_graphs(num_languages: int) -> list[DFA]:
    random = (language for _, language in many_languages(49) if 2 <= language.num_states <= 7)
    return [*map(compile_regex, RICH), *NAMED, *islice(random, num_languages)]


def attack_by_graphs(seed: int, num_tries: int, num_languages: int) -> Counter[tuple[str, Answer | None, str]]:
    """Try parts of graphs; return how often each cheat came to nothing, was refused or accepted, for which answer."""
    rng = Random(seed)
    outcome: Counter[tuple[str, Answer | None, str]] = Counter()
    languages = languages_for_graphs(num_languages)
    fragments = [Fragment.LOCAL, Fragment.PERIODIC_LOCAL]
    pool = [(language, fragment) for language in languages for fragment in fragments if language.num_states < 12]
    rich = [
        (language, fragment)
        for language, fragment in pool
        if ask(language, fragment, Readout.END_MARKER).answer is Answer.YES
        and ask(language, Fragment.PLAIN, Readout.END_MARKER).level != 0
    ]
    for number in range(num_tries):
        cheat = CHEATS[number % len(CHEATS)]
        language, fragment = rng.choice(rich if number % 3 else pool)
        answer = ask(language, fragment, Readout.END_MARKER).answer
        data = forged_graph(rng, language, fragment, cheat)
        if data is None:
            outcome[cheat, answer, "came to nothing"] += 1
            continue
        if answer is Answer.YES:
            assert cheat, ("two vertices of an honest part of the graph stay together", data)
        check = check_certificate(data, language)
        assert not (check.accepted and answer is Answer.YES), data
        assert not (check.objection or "").startswith("a field is missing"), data
        outcome[cheat, answer, "accepted" if check.accepted else "refused"] += 1
    return outcome


def report_graphs(outcome: Counter[tuple[str, Answer | None, str]]) -> str:
    lies = sum(number for (_, answer, what), number in outcome.items() if answer is Answer.YES and what == "refused")
    true = sum(number for (_, _, what), number in outcome.items() if what == "accepted")
    lines = [
        f"graph test: {outcome.total()} parts of graphs; {lies} lies refused, none accepted; {true} true ones accepted"
    ]
    for cheat in CHEATS:
        row = [f"{answer} {what} {n}" for (name, answer, what), n in sorted(outcome.items()) if name == cheat]
        lines.append(f"  {cheat or 'honest'}: {', '.join(row)}")
    return "\n".join(lines)


def test_no_part_of_a_graph_proves_anything_false() -> None:
    outcome = attack_by_graphs(50, 1_500, 40)
    assert (
        outcome["", Answer.NO, "accepted"] > 5
    )  # so that the attack is not in vain: where there is a proof, it finds one
    for cheat in ("words", "length", "connected", "merge", "pair"):
        assert outcome[cheat, Answer.YES, "refused"] > 2, cheat


def test_a_graph_where_no_word_leads_proves_nothing() -> None:
    refuse = Refusals()
    for language in NAMED:
        for fragment in Fragment:
            if len(language.alphabet) > 1 and ask(language, fragment, Readout.END_MARKER).answer is Answer.YES:
                for prefix in ("", *language.alphabet):
                    data = hidden_graph(language, fragment) | {"prefix": [prefix] if prefix else []}
                    refuse("hidden_graph", data, language)
    assert refuse.tried["hidden_graph"] > 100


@pytest.mark.full
def test_no_part_of_thirty_thousand_graphs_proves_anything_false(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = attack_by_graphs(51, 30_000, 300)
    with capsys.disabled():
        print(f"\n{report_graphs(outcome)}")
    assert sum(n for (_, answer, what), n in outcome.items() if answer is Answer.YES and what == "refused") > 1_000


# Programs: nothing is claimed of a language, so only what the text uses is in question


def uses(text: str) -> set[str]:
    """Return which positions a program's text speaks of, by its signs."""
    return {name for name, sign in (("windows", "#{"), ("periods", "mod")) if sign in text}


def test_no_mutated_program_is_accepted_for_a_fragment_that_lacks_what_it_uses() -> None:
    rng = Random(52)
    outcome: Counter[str] = Counter()
    originals = [program_certificate(text, Fragment.PERIODIC_LOCAL) for text in (EQUAL_COUNTS, LAST_IS_A, AFTER_A)]
    for _ in range(2_000):
        mutant = copy.deepcopy(rng.choice(originals))
        text = mutant["program"]
        at = rng.randrange(len(text))
        piece = rng.choice(
            ["#", "#{1}", "#{0}", "mod", "'a'", "'b'", "not ", "1", "2", "<", "", "", " and 'a'", "read at end\n"]
        )
        mutant["program"] = text[:at] + piece + text[at + rng.randint(0, 2) :]
        mutant["fragment"] = str(rng.choice(list(Fragment)))
        check = check_certificate(mutant)
        outcome["accepted" if check.accepted else "rejected"] += 1
        if check.accepted:
            assert Fragment(mutant["fragment"]).has_windows or "windows" not in uses(
                mutant["program"].replace("#{0}", "#")
            )
            assert Fragment(mutant["fragment"]).has_periods or "periods" not in uses(mutant["program"])
        assert not check_certificate(mutant, compile_regex("(ab)*")).accepted
    assert min(outcome["accepted"], outcome["rejected"]) > 60


def test_no_mutated_certificate_proves_anything_false() -> None:
    outcome = attack(seed=43, num_tries=900, num_languages=25)
    assert outcome["stayed valid"] > 20
    assert outcome["rejected"] > 450
    assert outcome["forgeries"] > 900
    assert outcome["claims of NEXT_SYMBOLS"] > 250
    assert outcome["other questions"] > 20


TEMPTING = [
    compile_regex("[ab]*b[ab]"),  # read at the last symbol NO, although its quotients are YES there
    compile_regex("(ac|bc|ad)*"),  # NO, but a potential that is rounded would do
]
TEMPTING_NEXT = [
    compile_regex("b*(ab+)*a?"),  # no aa: next symbols YES, membership NO even where the last symbol is seen
    compile_regex("[ab]*b"),  # next symbols YES, membership NO at the end marker
    compile_regex("(ab|aabb)*"),
    NEXT_FLIP_FLOP,
]


@pytest.mark.full
def test_no_forgery_that_breaks_a_single_rule_is_accepted() -> None:
    tried = forgeries(45, [*NAMED[::3], *TEMPTING, *random_languages(46, 15)])
    assert {forger.__name__ for forger in YES_FORGERS} <= set(tried)
    assert {f"no_{number}" for number in range(len(NO_FORGERS))} <= set(tried)
    assert {"smaller_fragment", "bigger_fragment", "yes_inside", "other_claim_inside"} <= set(tried)
    assert {"some_parts", "other_answer"} <= set(tried)


@pytest.mark.full
def test_no_forgery_about_next_symbols_is_accepted() -> None:
    tried = forgeries_of_next_symbols(47, [*NAMED[1::3], *TEMPTING_NEXT, *random_languages(48, 15)])
    assert {forger.__name__ for forger in YES_FORGERS} <= set(tried)
    assert {f"no_{number}" for number in range(len(NO_FORGERS))} <= set(tried)
    assert {"smaller_fragment", "reduction", "NEXT_SYMBOLS for MEMBERSHIP", "MEMBERSHIP for NEXT_SYMBOLS"} <= set(tried)
    assert tried["MEMBERSHIP for NEXT_SYMBOLS, other suffix"] > 100


@pytest.mark.full
def test_no_forgery_is_accepted_for_many_languages(capsys: pytest.CaptureFixture[str]) -> None:
    tried = forgeries(53, [*NAMED, *TEMPTING, *random_languages(54, 150)])
    asked_next = forgeries_of_next_symbols(55, [*NAMED, *TEMPTING_NEXT, *random_languages(56, 150)])
    with capsys.disabled():
        print(f"\nforgery test: {tried.total()} forgeries of {len(tried)} sorts, none accepted")
        print(f"forgery test, next symbols: {asked_next.total()} of {len(asked_next)} sorts, none accepted")
    assert min(tried.total(), asked_next.total()) > 10_000


@pytest.mark.full
def test_no_certificate_of_ten_thousand_mutants_proves_anything_false(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = attack(seed=44, num_tries=10_000, num_languages=60)
    with capsys.disabled():
        print(f"\n{report(outcome)}")
    assert outcome["tried"] == 10_000


# Rows of predict: they claim more than their certificates


@cache
def named_rows() -> tuple[Json, ...]:
    """Return the rows of predict for named languages and a few expressions that have certificates."""
    asked = [*list(LANGUAGES)[:26], "(ab)*", "(ab|bbaa)*", "[ab]*b", "(aa)*"]
    rows = [row.to_json() for what in asked for row in predict(what)]
    rows += [row.to_json() for what in ("(ab)*", "a*b*") for row in predict(what, asked=Asked.NEXT_SYMBOLS)]
    rows += [row.to_json() for row in predict("[ab]*b", readout=Readout.LAST_SYMBOL)]
    return tuple(row for row in rows if row["certificate"] is not None)


def test_the_rows_of_predict_are_accepted_as_they_are() -> None:
    assert len(named_rows()) > 50
    for row in named_rows():
        check = check_row(row)
        assert check is not None
        assert check.accepted, (row["what"], check.objection)


def test_a_row_with_the_certificate_of_another_is_rejected() -> None:
    rng = Random(19)
    rows = named_rows()
    swapped = 0
    for row in rows:
        for other in rng.sample(rows, 8):
            if other["certificate"]["automaton"] == row["certificate"]["automaton"]:
                continue
            check = check_row(row | {"certificate": other["certificate"]})
            assert check is not None
            assert not check.accepted, (row["what"], other["what"])
            swapped += 1
    assert swapped > 300


@pytest.mark.parametrize("field", ["answer", "what", "fragment", "asked", "readout", "alphabet", "encoding", "read_as"])
def test_a_row_with_another_value_in_a_field_of_its_claim_is_rejected(field: str) -> None:
    others: dict[str, list[object]] = {
        "answer": ["YES", "NO", "UNKNOWN", None, True],
        "what": ["PARITY", "(abab)*", "D_2", "nothing_of_this_name", "", 7, "task.py", "missing.json"],
        "fragment": [*map(str, Fragment), "EVERYTHING", None],
        "asked": ["MEMBERSHIP", "NEXT_SYMBOLS", "next", None],
        "readout": ["END_MARKER", "LAST_SYMBOL", "end", None],
        "alphabet": [["a"], ["b", "a"], "ab", {"a": 0, "b": 1}, None],
        "encoding": ["nope", "ape", "rope", "no_such_encoding", None],
        "read_as": ["task", "language", "regex", "file", "program", None],
    }
    for row in named_rows()[:: 1 if field == "answer" else 5]:
        for value in others[field]:
            if value == row[field] or _is_as_true(row, field, value):
                continue
            check = check_row(row | {field: value})
            assert check is not None
            assert not check.accepted, (row["what"], field, value)
        check = check_row({key: kept for key, kept in row.items() if key != field})
        assert check is not None
        assert check.objection == f"the row has no field {field!r}, so what it claims is not known"


def _is_as_true(row: Json, field: str, value: object) -> bool:
    """Return whether a row stays true: encodings of one class share verdicts, and (aa)* is a name and an expression."""
    if field != "encoding" or value not in ("nope", "ape", "rope"):
        return field == "read_as" and {row[field], value} == {"language", "regex"} and "*" in row["what"]
    choice = find_encoding(str(value))
    bound = choice.at_least if row["answer"] == "YES" else choice.at_most
    return bound is not None and bound.fragment == row["fragment"]


def test_a_row_without_certificate_is_not_accepted_and_an_unknown_one_claims_nothing() -> None:
    row = named_rows()[0] | {"certificate": None}
    check = check_row(row)
    assert check is not None
    assert check.objection == "the row has no certificate, so there is nothing that proves its answer"
    assert check_row(row | {"answer": "UNKNOWN"}) is None


#: Rows whose answer rests on fixed precision, and the class that they name.
BY_PRECISION = [
    ("PARITY", "rope", "NO", "LTL[P]"),
    ("(aa)*", "sinusoidal", "NO", "LTL[P]"),
    ("[ab]*b", "fox", "YES", "LTL[S]"),
    ("(ab)*", "stick_breaking", "YES", "LTL[S]"),
    ("(aa)*", "stick_breaking", "NO", "LTL[S]"),
]


@pytest.mark.parametrize(("what", "encoding", "answer", "logic"), BY_PRECISION)
def test_a_row_that_rests_on_fixed_precision_is_accepted_for_encodings_with_that_bound_only(
    what: str, encoding: str, answer: str, logic: str
) -> None:
    row = json.loads(json.dumps(predict(what, encodings=encoding)[0].to_json()))
    assert (row["answer"], row["fragment"], row["theory"]) == (answer, logic, "fixed precision")
    check = check_row(row)
    assert check is not None
    assert (check.accepted, check.objection) == (True, None)
    other = "YES" if answer == "NO" else "NO"
    for changed in (
        {"answer": other},
        {"fragment": "LTL[P,Y]"},
        {"fragment": "PLAIN"},
        {"what": "(abab)*"},
        {"encoding": "kerple_log"},
        {"encoding": "alibi"},
        {"encoding": "t5"},
    ):
        check = check_row(row | changed)
        assert check is not None
        assert not check.accepted, changed


def test_a_row_whose_bound_holds_far_out_only_is_refused() -> None:
    """Alibi without windows of its own: the NO is proved, but for lengths that nobody tries."""
    (row,) = predict("(ab)*", encodings="alibi")
    certificate = row.precision.certificate
    assert certificate is not None
    data = certificate.to_json()
    forged = (
        row.to_json() | {key: data[key] for key in ("answer", "fragment", "asked", "readout")} | {"certificate": data}
    )
    check = check_row(json.loads(json.dumps(forged)))
    assert check is not None
    assert check.objection == "no bound of alibi makes NO follow from LTL[Y]"
    assert check_certificate(json.loads(json.dumps(data)), compile_regex("(ab)*")).accepted
    check = check_row(json.loads(json.dumps(forged)) | {"encoding": "window"})  # that one sees no farther at any length
    assert check is not None
    assert check.accepted


def test_the_row_of_a_program_needs_that_program() -> None:
    rows = [row.to_json() for what in ("weak_majority", "exact_half") for row in predict(what)]
    programs = [row for row in rows if row["certificate"] is not None and row["certificate"]["kind"] == "program"]
    one, two = programs[0], next(row for row in programs if row["what"] != programs[0]["what"])
    (accepted,) = {check.accepted for check in (check_row(one),) if check is not None}
    assert accepted
    check = check_row(one | {"certificate": two["certificate"]})
    assert check is not None
    assert not check.accepted
