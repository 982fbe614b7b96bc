"""Names in, verdicts out: how a question is read, and what an encoding's bounds make of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.encodings.catalog import ALIASES, ENCODINGS, Bound, Card
from lengthwise.errors import (
    AlphabetMismatchError,
    CapExceededError,
    InvalidAlphabetError,
    InvalidOptionError,
    LengthwiseError,
    RegexSyntaxError,
    ThreeAnswersError,
    UnknownNameError,
    UnknownSymbolError,
    UnreadableFileError,
    listed,
)
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa_files import write_dfa
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.predict import DEFAULT_ENCODINGS, predict, predict_task
from lengthwise.predict.resolve import resolve
from lengthwise.predict.theories import Theory, with_previous_token
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.precision.deciders import decide_logic
from lengthwise.theory.precision.logics import Logic
from lengthwise.theory.theorems import THEOREMS
from lengthwise.theory.verdict import Verdict

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_name_of_the_catalogue_is_read_as_a_name(name: str) -> None:
    question = resolve(name)
    assert question.read_as == "language"
    assert question.facts.language == LANGUAGES[name].language
    assert question.note == ""


@pytest.mark.parametrize(
    ("name", "same"), [("Parity", "PARITY"), ("tomita_3", "TOMITA_3"), ("d_3", "D_3"), ("D(3)", "D_3")]
)
def test_names_are_read_whatever_their_case(name: str, same: str) -> None:
    assert resolve(name).read_as == "language"
    assert resolve(name).facts.language == resolve(same).facts.language


def test_the_family_d_n_has_a_member_for_every_n() -> None:
    language = resolve("D_7").facts.language
    assert "a" * 7 + "b" * 7 in language
    assert "a" * 8 + "b" * 8 not in language


def test_what_is_no_name_is_read_as_an_expression() -> None:
    question = resolve("(ab|b)*")
    assert question.read_as == "regex"
    assert question.facts.language == compile_regex("(ab|b)*")


def test_a_bare_word_is_an_expression_only_on_request() -> None:
    question = resolve("ab", regex=True)
    assert question.read_as == "regex"
    assert question.facts.language == compile_regex("ab")
    assert resolve("PARITY", regex=True).facts.language == compile_regex("PARITY")


def test_an_automaton_file_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    language = compile_regex("(ab)*")
    for name in ("automaton.json", "AUTOMATON.JSON", "automaton.txt"):
        path = tmp_path / name
        write_dfa(language, path)
        question = resolve(str(path))
        assert (question.read_as, question.facts.language) == ("file", language)
        assert resolve(str(path), alphabet="abc").facts.language == compile_regex("(ab)*", alphabet="abc")


def test_an_expression_too_long_for_the_name_of_a_file_is_still_an_expression() -> None:
    text = "(a|[ab].)" + "a" * 300
    assert resolve(text, alphabet="ab").read_as == "regex"


@pytest.mark.parametrize("what", ["(ab)*", "D_1"])
def test_a_larger_alphabet_adds_symbols_that_no_word_uses(what: str) -> None:
    language = resolve(what, alphabet="abc").facts.language
    assert language.alphabet == ("a", "b", "c")
    assert "abab" in language
    assert "abc" not in language


@pytest.mark.parametrize(
    ("what", "note"),
    [
        ("{a,b}*c", "the braces of {a,b} were read as symbols; for one of several symbols write [ab]."),
        ("{0,1,2}*0", "the braces of {0,1,2} were read as symbols; for one of several symbols write [012]."),
        ("a{2,3}", ""),
        ("a{2,}", ""),
        (r"\{a,b\}*c", ""),
        ("{a,bc}", ""),
        ("{a}", ""),
    ],
)
def test_braces_that_look_like_a_set_are_read_as_symbols_with_a_note(what: str, note: str) -> None:
    assert resolve(what).note == note


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("bin_majority", None),
        ("parity", "0*(10*10*)*"),
        ("unique_copy", None),
        ("unique_copy(64)", None),
        ("repeat_copy", None),
        ("states((ab|b)*)", "(ab|b)*"),
    ],
)
def test_a_task_is_read_by_its_name_with_its_own_readout(name: str, language: str | None) -> None:
    question = resolve(name)
    assert question.read_as == "task"
    assert question.facts.language == (compile_regex(language) if language else None)
    assert question.readout is Readout.END_MARKER
    assert bool(question.facts.cited or question.facts.program) == (language is None)


def test_the_states_of_a_named_language_are_a_task_too() -> None:
    assert resolve("states(D_3)").facts.language == LANGUAGES["D_3"].language


KNOWN = listed([*LANGUAGES, *TASKS])
ERRORS: list[tuple[str, dict[str, object], type[LengthwiseError], str]] = [
    (
        "parityy",
        {},
        UnknownNameError,
        f"task or language 'parityy' is unknown. Known: {KNOWN}.\nhint: did you mean 'PARITY'?",
    ),
    (
        "xylophone",
        {},
        UnknownNameError,
        f"task or language 'xylophone' is unknown. Known: {KNOWN}.\n"
        "hint: see 'lengthwise list languages'; or write '(xylophone)' for the regular expression.",
    ),
    (
        "xylo(3)",
        {},
        UnknownNameError,
        f"task or language 'xylo(3)' is unknown. Known: {KNOWN}.\n"
        "hint: see 'lengthwise list languages'; or write '(xylo(3))' for the regular expression.",
    ),
    (
        "bin_majorty",
        {},
        UnknownNameError,
        f"task or language 'bin_majorty' is unknown. Known: {KNOWN}.\nhint: did you mean 'bin_majority'?",
    ),
    (
        "unique_copy(many)",
        {},
        InvalidOptionError,
        "unique_copy takes the number of its symbols, a whole number from 1 to 999999; found 'many'.\n"
        "hint: for example unique_copy(150).",
    ),
    ("D_0", {}, InvalidOptionError, "the depth of D_n must be at least 1; found 0.\nhint: for example D_3."),
    ("missing.json", {}, UnreadableFileError, "there is no file 'missing.json'.\nhint: check the path."),
    (
        "program.crasp",
        {},
        UnreadableFileError,
        "there is no file 'program.crasp'.\nhint: check the path.",
    ),
    (
        "(ab)*",
        {"alphabet": "a"},
        UnknownSymbolError,
        "symbol 'b' in '(ab)*' is outside the alphabet {a}.\n"
        "hint: add it to the alphabet, or use only the symbols named there.",
    ),
    (
        "PARITY",
        {"alphabet": "a"},
        AlphabetMismatchError,
        "symbol 'b' of the language is not in the alphabet {a}.\n"
        "hint: an alphabet can only grow: name all symbols of the language.",
    ),
    (
        "(ab)*",
        {"alphabet": ""},
        InvalidAlphabetError,
        "an alphabet needs at least one symbol; none was given.\nhint: name its symbols, for example 'ab'.",
    ),
    (
        "(ab)*",
        {"alphabet": "aab"},
        InvalidAlphabetError,
        "symbol 'a' appears twice in the alphabet.\nhint: name each symbol once.",
    ),
    (
        "(ab)*",
        {"max_states": 0},
        InvalidOptionError,
        "max_states must be from 1 to 1,000,000; found 0.\nhint: the default is 10000.",
    ),
    (
        "(ab){50}",
        {"max_states": 5},
        CapExceededError,
        "the automaton of '(ab){50}' would have more than 5 states, which is the cap.\n"
        "hint: simplify the expression, or raise the cap with max_states (predict --max-states).",
    ),
    (
        "a.b",
        {},
        RegexSyntaxError,
        "cannot read the regular expression: '.' means any symbol, but the alphabet is not given.\n"
        "hint: name the alphabet: alphabet='ab', or --alphabet ab with predict, recommend or crasp synthesize.\na.b\n ^",
    ),
    (
        "",
        {},
        RegexSyntaxError,
        "cannot read the regular expression: it is empty.\n"
        "hint: write () for the empty word, or an expression such as '(ab)*'.\n\n^",
    ),
]


@pytest.mark.parametrize(("what", "options", "kind", "text"), ERRORS)
def test_a_question_that_cannot_be_read_says_why(
    what: str, options: dict[str, object], kind: type[LengthwiseError], text: str
) -> None:
    with pytest.raises(kind) as caught:
        resolve(what, **options)  # type: ignore[arg-type]
    assert str(caught.value) == text


def test_an_unknown_encoding_gets_a_suggestion_before_anything_is_computed() -> None:
    with pytest.raises(UnknownNameError) as caught:
        predict("no such language", encodings=["nope", "rop"])
    known = listed([*ENCODINGS, *ALIASES])
    assert str(caught.value) == f"encoding 'rop' is unknown. Known: {known}.\nhint: did you mean 'rope'?"


def test_predictions_come_in_the_order_asked_and_default_to_nope_and_ape() -> None:
    assert DEFAULT_ENCODINGS == ("nope", "ape")
    assert [row.encoding for row in predict("(ab)*")] == ["nope", "ape"]
    assert [row.encoding for row in predict("(ab)*", encodings=["rope", "nope", "rope"])] == ["rope", "nope", "rope"]


FIVE = ("nope", "ape", "sinusoidal", "rope", "alibi")

#: What is proved with exact counts and with fixed precision, each at least and at most; of several lower bounds the larger
#: comes first. Where nothing is proved the field is empty.
PROVED: dict[tuple[str, str, str, str], str] = {
    ("PLAIN", "PLAIN", "LTL[P]", "LTL[P]"): "nope",
    ("PERIODIC_LOCAL", "PERIODIC_LOCAL", "", "LTL[P,MOD]"): "ape",
    ("PERIODIC PLAIN", "PERIODIC", "LTL[P,MOD] LTL[P]", "LTL[P,MOD]"): "periodic periodic_rope",
    ("PERIODIC PLAIN", "PERIODIC", "", ""): "counters",
    ("PLAIN", "", "", "LTL[P]"): "sinusoidal scaled_sinusoidal rope pi ntk yarn llama3 transformer_xl",
    ("PLAIN", "", "LTL[P]", "LTL[P]"): "rope_partial p_rope",
    ("", "", "", "LTL[P]"): "sandwich pope",
    ("LOCAL PLAIN", "LOCAL", "LTL[P,Y] LTL[P]", "LTL[P,Y]"): "t5 shaw deberta hard_alibi relative_projection",
    ("PLAIN", "LOCAL", "", "LTL[P,Y]"): "tisa",
    ("", "LOCAL", "", "LTL[P,Y]"): "xpos",
    ("", "LOCAL", "", "LTL[Y]"): "alibi learned_alibi kerple_power",
    ("LTL[Y]", "LTL[Y]", "LTL[Y]", "LTL[Y]"): "window",
    ("PLAIN", "", "LTL[S]", ""): "cope fox",
    ("", "", "LTL[S]", "LTL[S]"): "stick_breaking",
    ("PLAIN", "", "", ""): (
        "path fire dynamic_bias dynamic_ntk longrope interleaved random_float rpe_square ipe lbpe lbpe_grown lbpe_found lbpe_mlp"
    ),
    (
        "",
        "",
        "",
        "",
    ): "learned kerple_log dape dape_v2 offset randomized coupling abacus rpe scale_hint length_corrected",
}
KINDS = ("at_least", "at_most", "precise_at_least", "precise_at_most")


def declared(card: Card, kind: str) -> tuple[Bound, ...]:
    bounds = getattr(card, kind)
    return bounds if isinstance(bounds, tuple) else () if bounds is None else (bounds,)


def named(field: str, value: object = True) -> set[str]:
    return {name for name, card in ENCODINGS.items() if getattr(card, field) == value}


def bounded(field: str) -> set[tuple[str, str]]:
    """Return each encoding and kind of bound that has something in a field."""
    return {
        (name, kind)
        for name, card in ENCODINGS.items()
        for kind in KINDS
        if any(getattr(bound, field) for bound in declared(card, kind))
    }


def test_cards_declare_the_bounds_that_are_proved_and_no_others() -> None:
    found: dict[tuple[str, ...], set[str]] = {}
    for name, card in ENCODINGS.items():
        assert card.name == name
        bounds = tuple(" ".join(str(bound.fragment) for bound in declared(card, kind)) for kind in KINDS)
        found.setdefault(bounds, set()).add(name)
    assert found == {bounds: set(names.split()) for bounds, names in PROVED.items()}
    assert all(bound.citation for card in ENCODINGS.values() for kind in KINDS for bound in declared(card, kind))


def test_cards_declare_what_is_proved_beside_the_bounds() -> None:
    assert named("expressible", None) == set(ENCODINGS) - {"learned", "rpe", "xpos"}
    assert named("solves", ()) == set(ENCODINGS) - {"path"}
    assert ENCODINGS["path"].solves == ("PARITY",)
    assert named("few_bits_of_bases") == {"interleaved", "offset", "randomized", "random_float", "coupling", "abacus"}
    separate = PROVED["PLAIN", "", "", "LTL[P]"] + " rope_partial p_rope sandwich pope dynamic_ntk longrope"
    clipped = PROVED["LOCAL PLAIN", "LOCAL", "LTL[P,Y] LTL[P]", "LTL[P,Y]"] + " tisa window"
    assert named("few_bits") == set(
        f"nope ape periodic periodic_rope counters learned cope {separate} {clipped}".split()
    )
    assert named("few_bits_if_precise") == {"fox"}
    assert named("bounds_of_base") == {"offset"}


def test_bounds_say_what_they_are_limited_to() -> None:
    """Theorem A is about regular languages; where weights fade, a bound is about far lengths; arithmetic is assumed."""
    turned = PROVED["PLAIN", "", "", "LTL[P]"] + " rope_partial p_rope sandwich pope"
    penalized = ("alibi", "learned_alibi", "kerple_power")
    assert bounded("regular") >= {(name, "precise_at_most") for name in f"ape {turned}".split()}
    assert bounded("far") == {(name, "precise_at_most") for name in (*penalized, *turned.split())}
    assert bounded("far_within") == {(name, "precise_at_most") for name in turned.split()}
    exact = set(PROVED["LOCAL PLAIN", "LOCAL", "LTL[P,Y] LTL[P]", "LTL[P,Y]"].split())
    assert bounded("where") == {
        *((name, kind) for name in exact for kind in ("at_least", "precise_at_least")),
        *(("window", kind) for kind in KINDS),
        *((name, "precise_at_least") for name in ("cope", "rope_partial", "p_rope")),
    }
    declared_at = {(name, kind) for name, card in ENCODINGS.items() for kind in KINDS if declared(card, kind)}
    uniform = {(name, kind) for name, kind in declared_at if fragments(ENCODINGS[name], kind) == [Fragment.PLAIN]}
    unassumed = {(name, "at_least") for name, kind in uniform if kind == "at_least"} - {
        ("fox", "at_least"),  # its gates must be open
        ("interleaved", "at_least"),  # it must have layers without positions
    }
    windows = {("window", kind) for kind in KINDS}
    tables = {(name, "at_least") for name in ("ape", "periodic", "counters")}
    assert declared_at - bounded("assumption") == unassumed | windows | tables


def fragments(card: Card, kind: str) -> list[Fragment | Logic]:
    return [bound.fragment for bound in declared(card, kind)]


# The answers, from the cards again


def default_bounds(card: Card, kind: str) -> list[Bound]:
    """Return the bounds whose conditions hold for default options."""
    defaults = {option.name: option.default for option in card.options}
    return [
        bound
        for bound in declared(card, kind)
        if all(low <= float(defaults[name]) <= high for name, low, high in bound.where)
    ]


def with_bounds(card: Card) -> Card:
    """Return the card that has an encoding's bounds: that of its base, for one that hands them on."""
    return ENCODINGS[card.bases[0]] if card.bounds_of_base else card


class Oracle:
    """The answers of both theories from the cards, with a decision for each class."""

    def __init__(self, what: str) -> None:
        self.facts = resolve(what).facts
        self.names = {name for name in ("PARITY",) if LANGUAGES[name].language == self.facts.language}
        self.answers: dict[Fragment | Logic, Answer] = {}

    def within(self, bound: Bound) -> Answer:
        if bound.fragment not in self.answers:
            assert self.facts.language is not None
            self.answers[bound.fragment] = (
                decide(self.facts, bound.fragment).answer
                if isinstance(bound.fragment, Fragment)
                else decide_logic(self.facts.language, bound.fragment).answer
            )
        return self.answers[bound.fragment]

    def answer(self, card: Card, prefix: str) -> Answer:
        if self.names & set(card.solves):
            return YES
        if any(self.within(bound) is YES for bound in default_bounds(card, f"{prefix}at_least")):
            return YES
        return NO if any(self.within(bound) is NO for bound in default_bounds(card, f"{prefix}at_most")) else UNKNOWN

    def settled(self, card: Card) -> Answer:
        counting, precision = self.answer(card, ""), self.answer(card, "precise_")
        return precision if counting is UNKNOWN and not self.is_far(card, precision) else counting

    def is_far(self, card: Card, precision: Answer) -> bool:
        most = [bound for bound in declared(card, "precise_at_most") if bound.far]
        if precision is not NO or not most:
            return False
        around = [name for bound in most for name in bound.far_within]
        return not around or any(self.within(Bound(fragment=name, citation="")) is YES for name in around)


ANSWERS = {
    "(ab)*": (YES, YES, YES, YES, UNKNOWN),
    "[ab]*b": (NO, YES, UNKNOWN, UNKNOWN, UNKNOWN),
    "(aa)*": (NO, YES, NO, NO, NO),
    "TOMITA_4": (NO, YES, UNKNOWN, UNKNOWN, UNKNOWN),
    "PARITY": (NO, NO, NO, NO, NO),
    "[012]*02*": (NO, NO, NO, NO, NO),
    "((bb)*bab|a)*": (NO, NO, NO, NO, NO),
    "a*b*": (YES, YES, YES, YES, UNKNOWN),
    "[abc]*ab[abc]*": (NO, YES, UNKNOWN, UNKNOWN, UNKNOWN),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_yes_is_inside_the_lower_bound_no_outside_the_upper_and_the_rest_unknown(what: str) -> None:
    rows = {row.encoding: row for row in predict(what, encodings=ENCODINGS)}
    assert tuple(rows[name].verdict.answer for name in FIVE) == ANSWERS[what]
    oracle = Oracle(what)
    for name, card in ((name, with_bounds(card)) for name, card in ENCODINGS.items()):
        row = rows[name]
        assert row.counting.answer is oracle.answer(card, ""), name
        assert row.precision.answer is oracle.answer(card, "precise_"), name
        assert row.verdict.answer is oracle.settled(card), name
        assert row.verdict is (row.counting if row.theory is Theory.COUNTING else row.precision)
        assert row.differs == ({row.counting.answer, row.precision.answer} == {YES, NO}), name
        for verdict, prefix in ((row.counting, ""), (row.precision, "precise_")):
            kind = {YES: "at_least", NO: "at_most"}.get(verdict.answer)
            if kind is None or verdict.theorem == "householder_parity":
                assert verdict.certificate is None
            else:
                assert verdict.certificate is not None
                assert verdict.fragment in fragments(card, f"{prefix}{kind}"), name


def test_between_two_theories_all_four_relations_occur() -> None:
    """Both answer alike; only one answers; they contradict each other."""
    (row,) = predict("(ab)*", encodings="nope")
    assert (row.counting.answer, row.precision.answer, row.theory, row.differs) == (YES, NO, "counting", True)
    assert (
        row.aside
        == "This YES assumes exact averages. With numbers of fixed precision, models fail from some length on."
    )
    (row,) = predict("a*b*", encodings="nope")
    assert (row.counting.answer, row.precision.answer, row.theory, row.aside) == (YES, YES, "counting", "")
    (row,) = predict("PARITY", encodings="rope")
    assert (row.counting.answer, row.precision.answer, row.theory) == (UNKNOWN, NO, "fixed precision")
    assert (row.verdict.answer, row.differs) == (NO, False)
    assert row.aside == "This NO assumes numbers of fixed precision. Where sums are exact, nothing is proved."
    (row,) = predict("[ab]*b", encodings="fox")
    assert (row.counting.answer, row.precision.answer, row.verdict.answer) == (UNKNOWN, YES, YES)
    assert str(row.verdict.fragment) == "LTL[S]"
    assert ENCODINGS["fox"].at_most is None


@pytest.mark.parametrize("name", ["alibi", "learned_alibi", "kerple_power", "offset(alibi)"])
def test_a_bound_that_holds_only_far_out_settles_nothing_but_is_told(name: str) -> None:
    for what in ("(ab)*", "a*b*", "aΣ*"):
        (row,) = predict("a[ab]*" if what == "aΣ*" else what, encodings=name)
        assert (row.counting.answer, row.precision.answer) == (UNKNOWN, NO)
        assert (row.verdict.answer, row.theory) == (UNKNOWN, "counting")
        assert row.verdict.certificate is None
        assert row.aside == (
            "With numbers of fixed precision: NO from the length on at which the weights of distant keys underflow to 0 (26,616 "
            "tokens and more for a slope of 1/256)."
        )
    (row,) = predict("(aa)*", encodings=name)  # with exact counts it is a NO at all lengths
    assert (row.verdict.answer, row.theory, row.aside) == (NO, "counting", "")


def test_a_lower_bound_with_fewer_assumptions_is_preferred() -> None:
    free = "hard_alibi: at least one head has no window (docs/concepts/encodings.md: zero keys give uniform heads)"
    for name, assumption in (("t5", ""), ("shaw", ""), ("hard_alibi", free), ("offset(t5)", "")):
        (row,) = predict("(ab)*", encodings=name)
        assert (row.verdict.answer, row.verdict.fragment, row.verdict.assumption) == (YES, Fragment.PLAIN, assumption)
        (row,) = predict("[ab]*b", encodings=name)
        assert (row.verdict.answer, row.verdict.fragment) == (YES, Fragment.LOCAL)
        assert row.verdict.assumption == (
            f"{name}: one head sees the previous token alone (exp underflows for all other distances, or their bias is −∞), and "
            "another head is without a bias (docs/concepts/encodings.md, theorem B)"
        )


@pytest.mark.parametrize(
    ("what", "period", "answer"),
    [
        ("(aa)*", 12, YES),
        ("(aa)*", 2, YES),
        ("(aa)*", 5, UNKNOWN),
        ("(a{5})*", 5, YES),
        ("(a{5})*", 12, UNKNOWN),
        ("a*b*", 5, YES),
    ],
)
def test_a_table_that_repeats_must_repeat_as_the_solution_needs_it(what: str, period: int, answer: Answer) -> None:
    (row,) = predict(what, encodings=f"periodic(period={period})")
    assert (row.counting.answer, row.precision.answer) == (answer, answer)
    if answer is UNKNOWN:
        needed, name = (2 if what == "(aa)*" else 5), row.encoding
        assert row.verdict.reason == (
            f"The known solution needs the position modulo {needed}, but the positions of {name} repeat after {period}."
        )


PARITIES = {"PARITY": "a", "y*(xy*xy*)*": "x", "1*(01*01*)*": "0", "b*(ab*ab*)*": "a", "(b|ab*a)*": "a"}


@pytest.mark.parametrize("what", PARITIES)
def test_path_computes_parity_whatever_its_symbols_are_called(what: str) -> None:
    for row in predict(what, encodings=["path"]):
        for verdict in (row.counting, row.precision):
            assert (verdict.answer, verdict.theorem) == (YES, "householder_parity")
            assert verdict.certificate is None
            assert verdict.reason == (
                f"One layer of path can flip a stored direction at every '{PARITIES[what]}' and leave it alone elsewhere. So the "
                "direction shows at any length whether their number is even. The weights are written out in "
                "docs/concepts/encodings.md."
            )
    assert predict(what, encodings="rope")[0].verdict.answer is NO


@pytest.mark.parametrize("what", ["b*ab*(ab*ab*)*", "b*(ab*ab*ab*)*", "[bc]*(a[bc]*a[bc]*)*", "(aa)*"])
def test_path_is_not_said_to_compute_other_languages_that_resemble_parity(what: str) -> None:
    """An odd number, a number modulo 3, a third symbol, one symbol alone: nobody has written those weights down."""
    (row,) = predict(what, encodings="path")
    assert (row.verdict.answer, row.verdict.theorem) == (UNKNOWN, "open")


def test_few_bits_are_a_no_where_nothing_else_is_known() -> None:
    for name in ("rope", "dynamic_ntk", "cope", "randomized(t5)", "coupling(rope)"):
        (row,) = predict("repeat_copy", encodings=name)
        assert row.verdict is row.counting
        assert (row.verdict.theorem, row.verdict.assumption) == (
            "communication",
            f"{name}: keys, and what positions do to them, come from a finite set (docs/concepts/encodings.md, theorem F)",
        )
        for verdict in (row.counting, row.precision):
            assert verdict.answer is NO, name
            assert verdict.reason == (
                "The answer needs every symbol of the input, in order. Attention cannot fetch them one at a time. Symbols repeat, so "
                "their content does not show which one is meant. Positions do not show it either: at lengths that were never "
                "trained, they single out only tokens a fixed distance back, or every m-th token. Whatever else reaches an answer "
                "is an average over many tokens, that is, a count. A few counts hold about log n bits, too few for n symbols."
            )
    (row,) = predict("repeat_copy", encodings="fox")  # with exact counts its gates may carry more
    assert (row.counting.answer, row.precision.answer, row.theory) == (UNKNOWN, NO, "fixed precision")
    for name in ("path", "coupling(t5)", "abacus(shaw)"):  # some query may find one key among the far ones
        assert predict("repeat_copy", encodings=name)[0].verdict.answer is UNKNOWN, name


def reasons(what: str, *encodings: str) -> list[str]:
    return [row.verdict.reason for row in predict(what, encodings=encodings)]


def test_an_unknown_names_the_bound_that_is_missing() -> None:
    assert reasons("(ab)*", "alibi", "kerple_log", "learned") == [
        "Nothing is proved to work with alibi at every length. At most, alibi can do this: counting, with the "
        "last few symbols (C-RASP[local]). That would solve it.",
        "No theorem here says what kerple_log can or cannot do at every length.",
        "Some weights of learned solve it (docs/concepts/encodings.md: zero keys give uniform heads). But rows "
        "of its table beyond the training length are never trained, and no theorem says what they do.",
    ]
    assert reasons("TOMITA_4", "path", "window(rope)") == [
        "Counting (C-RASP) is proved for path, and it does not solve the problem. No theorem says whether path "
        "can do more.",
        "No theorem here says what window(rope) can or cannot do at every length.",
    ]


def test_a_no_says_what_its_bound_assumes() -> None:
    rows = predict("PARITY", encodings=["ape", "rope", "alibi"])
    even = "The right answer depends on whether the number of 'a' is even or odd."
    changes = "the answer changes again and again as the number grows, while a comparison of averages changes once."
    assert [row.verdict.reason for row in rows] == [
        f"{even} Even a model that can compare counts, see the last few symbols, and know positions modulo a number cannot count "
        f"modulo a number at every length: {changes} The symbols come in any order, so positions "
        "say nothing about it.",
        "Take an input that repeats 'a', with long runs of 'b' in between. Whether it is accepted depends on whether 'a' occurred "
        "an even or an odd number of times. Its last symbols are such a run, so they do not show it. With numbers of fixed "
        "precision, attention with this encoding only notices that something has occurred before, not how often.",
        f"{even} Even a model that can compare counts and see the last few symbols cannot count modulo a number at every length: "
        f"{changes}",
    ]
    assert [row.verdict.assumption for row in rows] == [
        "ape: limit transformers do no more than C-RASP[periodic, local] (seen in experiments, not proved) (arXiv 2410.02140)",
        "rope: every number comes from a finite set, and every sum is formed exactly and rounded once; sines and cosines have "
        "exact phases, and queries and keys are turned and rounded separately (docs/concepts/encodings.md, theorem A)",
        "alibi: numbers are rounded to a fixed precision, except inside attention, so that the penalty rounds distant weights to "
        "zero (arXiv 2506.16055, appendix E)",
    ]


TASK_ANSWERS = {
    "bin_majority": (YES, YES, YES, YES, UNKNOWN),
    "parity": (NO, NO, NO, NO, NO),
    "unique_copy": (YES, YES, YES, YES, UNKNOWN),
    "repeat_copy": (NO, NO, NO, NO, NO),
    "states((aa)*)": (NO, YES, NO, NO, NO),
}


@pytest.mark.parametrize("name", TASK_ANSWERS)
def test_tasks_get_the_answers_of_their_languages_or_of_what_is_published(name: str) -> None:
    rows = predict(name, encodings=FIVE)
    assert tuple(row.verdict.answer for row in rows) == TASK_ANSWERS[name]
    facts = resolve(name).facts
    known = facts.language or facts.program
    for row in rows:
        assert row.verdict.theorem in THEOREMS
        assert row.verdict.readout is Readout.END_MARKER
        assert row.verdict.alphabet == (known.alphabet if known else ())
        if known is None:
            assert row.verdict.certificate is None


def test_the_readout_of_a_task_cannot_be_changed() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        predict("parity", readout=Readout.LAST_SYMBOL)
    assert str(caught.value) == (
        "the task 'parity' is read at the end marker; another readout was asked for.\nhint: leave the readout out."
    )
    assert [row.verdict.answer for row in predict("parity", readout=Readout.END_MARKER)] == [NO, NO]


def test_the_readout_of_a_language_is_the_end_marker_unless_said_otherwise() -> None:
    (usual,) = predict("[ab]*b", encodings=["nope"])
    (said,) = predict("[ab]*b", encodings=["nope"], readout=Readout.END_MARKER)
    assert usual.verdict == said.verdict
    assert (usual.verdict.answer, usual.verdict.readout) == (NO, Readout.END_MARKER)


def test_the_next_symbols_of_a_language_are_predicted_as_a_task() -> None:
    verdict = predict_task(find_task("[ab]*b"), "nope")
    assert (verdict.answer, verdict.asked, verdict.readout) == (YES, Asked.NEXT_SYMBOLS, Readout.LAST_SYMBOL)
    assert predict_task(find_task("states([ab]*b)"), "nope").answer is NO
    assert predict_task(find_task("bin_majority"), "ape").answer is YES


def test_the_readout_and_the_alphabet_reach_the_verdict() -> None:
    (row,) = predict("[ab]*b", encodings=["nope"], readout=Readout.LAST_SYMBOL, alphabet="abc")
    assert (row.verdict.answer, row.verdict.readout) == (YES, Readout.LAST_SYMBOL)
    assert row.verdict.alphabet == ("a", "b", "c")
    (unknown,) = predict("(ab)*", encodings=["alibi"], readout=Readout.LAST_SYMBOL)
    assert (unknown.verdict.answer, unknown.verdict.readout) == (UNKNOWN, Readout.LAST_SYMBOL)


@pytest.mark.parametrize(("what", "level"), [("(ab|bbaa)*", 2), ("PARITY", None)])
def test_a_row_of_json_has_exactly_the_documented_fields(what: str, level: int | None) -> None:
    row = predict(what, encodings=["nope"])[0]
    data = row.to_json()
    assert list(data) == [
        "what",
        "read_as",
        "encoding",
        "fragment",
        "asked",
        "readout",
        "alphabet",
        "answer",
        "level",
        "theorem",
        "reason",
        "assumption",
        "theory",
        "theories",
        "certificate",
        "grade",
        "second_opinion",
        "measured",
        "chance",
    ]
    assert data["what"] == what
    assert (data["fragment"], data["readout"], data["alphabet"]) == ("PLAIN", "END_MARKER", ["a", "b"])
    assert (data["level"], data["theorem"]) == (level, "balanced_refinement")
    certificate = data["certificate"]
    assert isinstance(certificate, dict)
    assert certificate["answer"] == data["answer"]


def test_the_json_of_a_row_has_both_theories_and_says_which_one_counts() -> None:
    data = predict("(ab)*", encodings=["nope"])[0].to_json()
    assert (data["answer"], data["theory"], data["assumption"]) == ("YES", "counting", "")
    assert data["theories"] == {
        "counting": {
            "answer": "YES",
            "class": "C-RASP",
            "theorem": "balanced_refinement",
            "reason": "A model is right at every length if it tracks how many more a's than b's it has read "
            "(which shows where in the pattern it is) and whether an error has occurred (an input that begins with 'b' is "
            "never accepted). Attention can do this at any length: averages over all earlier tokens compare counts, and it finds "
            "whether something has occurred before.",
            "assumption": "",
        },
        "fixed precision": {
            "answer": "NO",
            "class": "LTL[P]",
            "theorem": "ltl_past",
            "reason": "Take a long input that alternates between 'a' and 'b'. Whether it is accepted depends on "
            "which of 'a' and 'b' came last. With numbers of fixed precision, attention with this encoding only "
            "notices whether something has occurred before, not what came last.",
            "assumption": "nope: every number comes from a finite set, and every sum is formed exactly and rounded once "
            "(arXiv 2505.23623)",
        },
    }
    for what, encoding in (
        ("(ab)*", "nope"),
        ("PARITY", "rope"),
        ("[ab]*b", "fox"),
        ("(ab)*", "alibi"),
        ("(aa)*", "t5"),
    ):
        row = predict(what, encodings=encoding)[0]
        data = json.loads(json.dumps(row.to_json()))
        said = data["theories"][data["theory"]]
        assert {key: said[key] for key in ("answer", "theorem", "reason", "assumption")} == {
            key: data[key] for key in ("answer", "theorem", "reason", "assumption")
        }
        assert said["class"] == row.verdict.fragment.notation
        assert [*data["theories"]] == [str(theory) for theory in Theory]


def test_a_row_without_certificate_has_null_in_its_place() -> None:
    data = predict("(ab)*", encodings=["alibi"])[0].to_json()
    assert (data["answer"], data["certificate"], data["level"]) == ("UNKNOWN", None, None)


@pytest.mark.parametrize("readout", list(Readout))
def test_a_readout_may_be_given_by_its_name(readout: Readout) -> None:
    (by_name,) = predict("{a,b}*b", encodings="nope", readout=str(readout))  # type: ignore[arg-type]
    (by_value,) = predict("{a,b}*b", encodings="nope", readout=readout)
    assert by_name.verdict == by_value.verdict
    assert by_name.verdict.answer is (Answer.NO if readout is Readout.END_MARKER else Answer.YES)


def test_a_readout_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        predict("{a,b}*b", readout="start")
    assert str(caught.value) == (
        "readout 'start' is unknown. Known: end, last, END_MARKER, LAST_SYMBOL.\n"
        "hint: use Readout.END_MARKER or Readout.LAST_SYMBOL."
    )


@pytest.mark.parametrize("asked", ["neXt", "", None, 7, ["next"]])
def test_what_nobody_asks_for_is_an_error(asked: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r"is unknown\. Known: membership, next, MEMBERSHIP, NEXT_SYMBOLS\."):
        predict("(ab)*", asked=asked)


def test_the_words_of_the_command_line_are_understood_in_python_too() -> None:
    def first(**options: Any) -> Verdict:
        return predict("[ab]*b", encodings="nope", **options)[0].verdict

    assert first(asked="next") == first(asked=Asked.NEXT_SYMBOLS) != first(asked="membership")
    assert first(readout="last") == first(readout=Readout.LAST_SYMBOL) != first(readout="end")
    facts = Facts(language=compile_regex("[ab]*b"), asked="next")  # type: ignore[arg-type]
    assert facts.asked is Asked.NEXT_SYMBOLS


def test_neither_a_verdict_nor_its_answer_is_a_truth_value() -> None:
    verdict = predict("(aa)*", encodings="nope")[0].verdict
    for value in (verdict, verdict.answer):
        with pytest.raises(ThreeAnswersError, match="is not a truth value"):
            bool(value)
    assert verdict.answer == "NO"
    assert verdict.answer in (Answer.NO, Answer.YES)
    assert {verdict.answer: 1}[Answer.NO] == 1


def test_predict_is_a_function_and_a_package() -> None:
    """In a fresh process, because what was imported before decides which names are there."""
    script = (
        "import lengthwise.predict.recommend\n"
        "import lengthwise.predict.recommend as module\n"
        "from lengthwise.predict.recommend import recommend\n"
        "from lengthwise import predict\n"
        "assert lengthwise.predict.recommend.recommend is recommend is module.recommend\n"
        "assert predict is lengthwise.predict\n"
        "print(*(row.verdict.answer for row in lengthwise.predict('(aa)*', encodings=['nope', 'ape'])))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("NO YES\n", "")


def test_a_question_that_is_no_text_is_an_error() -> None:
    with pytest.raises(InvalidOptionError, match=r"a question is a text; found 7\."):
        predict(7)  # type: ignore[arg-type]


def test_next_symbols_can_be_asked_for() -> None:
    no_aa = "(b|ab)*a?"
    assert [row.verdict.answer for row in predict(no_aa, encodings=["nope"])] == [Answer.NO]
    (row,) = predict(no_aa, encodings=["nope"], asked=Asked.NEXT_SYMBOLS)
    assert row.verdict.answer is Answer.YES
    assert row.to_json()["asked"] == "NEXT_SYMBOLS"


def test_with_a_switch_on_nothing_is_predicted() -> None:
    task = find_task("TOMITA_4")
    assert predict_task(task, "nope").answer is NO
    for switches, named_ones in ((["no_bos"], "no_bos"), (["token_shift", "no_bos"], "no_bos")):
        switched = predict_task(task, "nope", switches)
        assert (switched.answer, switched.certificate, switched.assumption) == (UNKNOWN, None, "")
        assert switched.reason == f"The bounds of nope are proved for models without {named_ones}."


#: Task, encoding, the answer without and with the previous token in sight, and the class that the second rests on.
SHIFTED = [
    ("states([ab]*b)", "nope", NO, YES, "LOCAL"),
    ("states([ab]*b)", "rope", UNKNOWN, YES, "LOCAL"),
    ("states(TOMITA_4)", "nope", NO, YES, "LOCAL"),
    ("states((aa)*)", "nope", NO, NO, "LOCAL"),
    ("states((aa)*)", "ape", YES, YES, "PERIODIC_LOCAL"),
    ("states((aa)*)", "rope", NO, NO, "LTL[P,Y]"),
    ("parity", "nope", NO, NO, "LOCAL"),
    ("parity", "rope", NO, NO, "LTL[P,Y]"),
    ("states((ab)*)", "window", NO, NO, "LTL[Y]"),
    ("states((ab)*)", "alibi", UNKNOWN, UNKNOWN, "LOCAL"),
    ("repeat_copy", "nope", NO, NO, "LOCAL"),
    ("repeat_copy", "rope", NO, NO, "PERIODIC_LOCAL"),
]


@pytest.mark.parametrize(("name", "encoding", "before", "after", "fragment"), SHIFTED)
def test_the_previous_token_in_sight_adds_windows_to_every_bound(
    name: str, encoding: str, before: Answer, after: Answer, fragment: str
) -> None:
    task = find_task(name)
    assert predict_task(task, encoding).answer is before
    shifted = predict_task(task, encoding, ["token_shift"])
    assert (shifted.answer, str(shifted.fragment)) == (after, fragment)


def test_the_bounds_with_the_previous_token_are_the_smallest_classes_with_windows_around_those_without() -> None:
    for fragment in Fragment:
        around = [each for each in Fragment if each.includes(fragment) and each.has_windows]
        assert around
        assert shifted_class(fragment) is min(around, key=lambda each: sum(map(each.includes, Fragment)))
    for logic in Logic:
        above = [each for each in Logic if each.includes(logic) and each.has_yesterday]
        assert shifted_class(logic) is min(above, key=lambda each: sum(map(each.includes, Logic)))
    assert with_previous_token(None) is None


def shifted_class(fragment: Fragment | Logic) -> Fragment | Logic:
    """Return the class of a bound with the previous token in sight, which is ours, and far only if that is not for want of windows."""
    bound = Bound(fragment=fragment, citation="here", assumption="numbers", far="far")
    shifted = with_previous_token(bound)
    assert shifted is not None
    assert shifted == replace(bound, fragment=shifted.fragment, status="ours")
    near = with_previous_token(replace(bound, far_within=(Fragment.LOCAL,)))
    assert near == replace(shifted, far="")
    return shifted.fragment
