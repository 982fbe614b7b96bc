"""The checker: it accepts every certificate that was honestly made, and no other."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from theory_generators import GAPS, TELLING, random_languages

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.kinds import require_meaning
from lengthwise.crasp.parser import parse_program
from lengthwise.errors import InvalidCertificateError, LengthwiseError
from lengthwise.languages.catalog import LANGUAGES, find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory import checker, graph_checker, replay
from lengthwise.theory.certificates import ReductionCertificate
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.verdict import Verdict

Json = dict[str, Any]


#: The three questions, each with where it is read.
QUESTIONS = [
    (Asked.MEMBERSHIP, Readout.END_MARKER),
    (Asked.MEMBERSHIP, Readout.LAST_SYMBOL),
    (Asked.NEXT_SYMBOLS, Readout.LAST_SYMBOL),
]


@cache
def ask(language: DFA, fragment: Fragment, readout: Readout, asked: Asked = Asked.MEMBERSHIP) -> Verdict:
    return decide(Facts(language=language, asked=asked), fragment, readout)


def certificate_of(
    language: DFA,
    fragment: Fragment = Fragment.PLAIN,
    readout: Readout = Readout.END_MARKER,
    asked: Asked = Asked.MEMBERSHIP,
) -> Json | None:
    """Return the certificate of a verdict after a journey through text."""
    certificate = ask(language, fragment, readout, asked).certificate
    return None if certificate is None else json.loads(json.dumps(certificate.to_json()))


def languages_with_symbols_of_several_characters() -> list[DFA]:
    table = [[1, 0, 2], [1, 2, 0], [2, 2, 2]]
    return [
        DFA(alphabet=("go", "stop", "x"), transitions=table, accepting=[0]),
        DFA(alphabet=("even", "odd"), transitions=[[0, 1], [1, 0]], accepting=[0]),
        DFA(alphabet=("open", "close"), transitions=[[1, 2], [2, 0], [2, 2]], accepting=[0]),
    ]


NAMED = [find_language(name).language for name in LANGUAGES] + [
    compile_regex(text) for text in dict.fromkeys([*TELLING, *GAPS])
]


@pytest.mark.parametrize(("asked", "readout"), QUESTIONS)
@pytest.mark.parametrize("fragment", Fragment)
def test_every_certificate_is_accepted_for_its_language_and_alone(
    fragment: Fragment, asked: Asked, readout: Readout
) -> None:
    kinds: Counter[str] = Counter()
    for language in [*NAMED, *languages_with_symbols_of_several_characters(), *random_languages(41, 100)]:
        verdict = ask(language, fragment, readout, asked)
        assert (verdict.asked, verdict.readout) == (asked, readout)
        data = certificate_of(language, fragment, readout, asked)
        if data is None:  # a YES may rest on a theorem alone, but with windows only
            assert verdict.answer is Answer.UNKNOWN or (verdict.answer is Answer.YES and fragment.has_windows)
            continue
        for check in (check_certificate(data, language), check_certificate(data)):
            assert check.accepted, check
            claim = (str(verdict.answer), str(fragment), str(asked), str(readout), language.alphabet)
            assert (check.answer, check.fragment, check.asked, check.readout, check.alphabet) == claim
        kinds[data["kind"]] += 1
        if data["kind"] == "quotients":
            kinds.update(f"{part['certificate']['kind']} inside" for part in data["parts"])
    expected = {"potentials"} | ({"obstruction"} if fragment is Fragment.PLAIN else {"reduction", "graph"})
    if fragment is Fragment.PERIODIC and asked is Asked.MEMBERSHIP:
        expected = {"potentials", "reduction", "periods"}
    if (asked, readout) == (Asked.MEMBERSHIP, Readout.LAST_SYMBOL):
        expected = {"quotients", *(f"{kind} inside" for kind in expected)}
    assert set(kinds) == expected
    assert min(kinds.values()) >= 4


def test_a_certificate_is_rejected_for_any_other_language() -> None:
    for language, other in zip(NAMED, [*NAMED[1:], NAMED[0]], strict=True):
        data = certificate_of(language)
        check = check_certificate(data, other)
        assert check.objection == "the automaton in the certificate is not that of the language"


def test_a_certificate_may_number_its_states_and_order_its_symbols_differently() -> None:
    language = compile_regex("(ab)*")
    data = certificate_of(language)
    assert data is not None
    data["automaton"]["alphabet"] = ["b", "a"]
    data["automaton"]["transitions"] = [row[::-1] for row in data["automaton"]["transitions"]]
    assert check_certificate(data, language).accepted
    reordered = copy.deepcopy(data)
    (component,) = [part for part in reordered["components"] if len(part["members"]) == 2]
    component["members"].reverse()
    for test in component["levels"][0]["tests"]:
        test["values"].reverse()
    assert check_certificate(reordered, language).accepted


def test_a_component_may_be_larger_than_a_strongly_connected_one() -> None:
    data = certificate_of(compile_regex("(ab)*"))
    assert data is not None
    # b's gain is −1 everywhere and the sink sees none of it: merging it into the component must not go unnoticed
    data["components"] = [{"members": [0, 1, 2], "levels": []}]
    assert check_certificate(data).objection == "the counts do not name every state of a component"
    chain = certificate_of(compile_regex("a", alphabet="a"))
    assert chain is not None
    assert len(chain["vertices"]) == 3
    chain["components"] = [
        {
            "members": [0, 1],
            "levels": [{"blocks": [[0, 1]], "tests": [{"gains": [["a", 0, 1]], "values": [0, 1]}]}],
        },
        {"members": [2], "levels": []},
    ]
    assert check_certificate(chain).accepted


def next_certificate_of(language: DFA, fragment: Fragment = Fragment.PLAIN) -> Json | None:
    return certificate_of(language, fragment, Readout.LAST_SYMBOL, Asked.NEXT_SYMBOLS)


#: d may follow exactly after the words of the flip-flop.
NEXT_FLIP_FLOP = compile_regex("0(2*|[012]*02*)de|[12][012]*02*df|[012]*")


def reads_a_symbol() -> Json:
    """Return a reduction read off a symbol; the search takes the end, which needs a prefix and a suffix."""
    certificate = ReductionCertificate(
        language=NEXT_FLIP_FLOP,
        fragment=Fragment.PERIODIC_LOCAL,
        target="{0,1,2}*02*",
        images=(("0", ("0",)), ("1", ("1",)), ("2", ("2",))),
        prefix=(),
        suffix=(),
        asked=Asked.NEXT_SYMBOLS,
        reads="d",
    )
    data: Json = json.loads(json.dumps(certificate.to_json()))
    return data


def program_certificate(text: str, fragment: Fragment = Fragment.PLAIN) -> Json:
    certificate = decide(Facts(program=parse_program(text)), fragment).certificate
    assert certificate is not None
    data: Json = json.loads(json.dumps(certificate.to_json()))
    return data


EQUAL_COUNTS = "alphabet 'a' 'b'  read at end  accept := #['a'] = #['b']"
LAST_IS_A = "alphabet 'a' 'b'  read at end  accept := #{1}['a'] >= 1"
AFTER_A = "alphabet 'a' 'b'  next 'a' := 'b'  next 'b' := 'a'"

#: A counter modulo 3, of the letter a; reading b again and again changes nothing.
COUNTER = compile_regex("b*(ab*ab*ab*)*")

# Hand-made corruptions: each objection the checker can have, in its own words.

YES_TEXT = "(ab|bbaa)*"


def base(kind: str) -> Json:
    """Return a certificate to corrupt."""
    made = {
        "potentials": lambda: certificate_of(compile_regex(YES_TEXT)),
        "window": lambda: certificate_of(compile_regex("[ab]*b"), Fragment.LOCAL),
        "paths": lambda: certificate_of(compile_regex("[ab]*b")),
        "loops": lambda: certificate_of(compile_regex("(aa)*")),
        "sinking": lambda: certificate_of(compile_regex("(ab|bba)*")),
        "reduction": lambda: certificate_of(find_language("PARITY").language, Fragment.PERIODIC_LOCAL),
        "quotients": lambda: certificate_of(compile_regex("[ab]*b"), readout=Readout.LAST_SYMBOL),
        "next potentials": lambda: next_certificate_of(compile_regex("(ab|bbaa)*")),
        "next seen": lambda: next_certificate_of(compile_regex("b*(ab+)*a?")),
        "next window": lambda: next_certificate_of(find_language("TOMITA_4").language, Fragment.LOCAL),
        "next paths": lambda: next_certificate_of(compile_regex("(ab|bba)*")),
        "next loops": lambda: next_certificate_of(compile_regex("(aa)*")),
        "next reduction": lambda: next_certificate_of(find_language("PARITY").language, Fragment.PERIODIC_LOCAL),
        "next symbol reduction": reads_a_symbol,
        "word reduction": lambda: certificate_of(find_language("TOMITA_3").language, Fragment.PERIODIC_LOCAL),
        "counter": lambda: certificate_of(COUNTER, Fragment.PERIODIC_LOCAL),
        "graph": lambda: certificate_of(compile_regex("((bb)*bab|a)*"), Fragment.PERIODIC_LOCAL),
        "local graph": lambda: certificate_of(compile_regex("(aa)*"), Fragment.LOCAL),
        "next graph": lambda: next_certificate_of(compile_regex("((bb)*bab|a)*"), Fragment.PERIODIC_LOCAL),
        "program": lambda: program_certificate(EQUAL_COUNTS),
        "local program": lambda: program_certificate(LAST_IS_A, Fragment.LOCAL),
        "generator": lambda: program_certificate(AFTER_A),
    }[kind]()
    assert made is not None
    assert check_certificate(made).accepted
    return made


def put(*path: Any) -> Callable[[Json], None]:
    """Return an edit that puts the last of its arguments at the path of the others."""
    *keys, last, value = path

    def edit(data: Json) -> None:
        place: Any = data
        for key in keys:
            place = place[key]
        place[last] = value

    return edit


def drop(*path: Any) -> Callable[[Json], None]:
    *keys, last = path

    def edit(data: Json) -> None:
        place: Any = data
        for key in keys:
            place = place[key]
        del place[last]

    return edit


def double(*path: Any) -> Callable[[Json], None]:
    """Return an edit that repeats the first item of a list."""

    def edit(data: Json) -> None:
        place: Any = data
        for key in path:
            place = place[key]
        place.append(copy.deepcopy(place[0]))

    return edit


def largest_component(data: Json) -> Json:
    component: Json = max(data["components"], key=lambda part: len(part["members"]))
    return component


def merge_blocks(data: Json) -> None:
    level = largest_component(data)["levels"][1]
    level["blocks"] = [[member for block in level["blocks"] for member in block]]


def split_blocks(data: Json) -> None:
    level = largest_component(data)["levels"][0]
    level["blocks"] = [[member] for block in level["blocks"] for member in block]


def forget_the_last_level(data: Json) -> None:
    largest_component(data)["levels"].pop()


def change_a_gain(data: Json) -> None:
    largest_component(data)["levels"][0]["tests"][0]["gains"][0][2] += 1


def make_a_value_a_fraction(data: Json) -> None:
    largest_component(data)["levels"][0]["tests"][0]["values"][0] = 0.5


def lose_a_member_of_a_block(data: Json) -> None:
    largest_component(data)["levels"][0]["blocks"][0].pop()


def swap_components(data: Json) -> None:
    data["components"].reverse()


def lose_a_component(data: Json) -> None:
    data["components"].pop()


def add_an_unreachable_vertex(data: Json) -> None:
    data["vertices"].append([0, "", 7])


def leave_the_component(data: Json) -> None:
    data["pairs"][0]["first"] += "a" * 20


def exchange_the_walks_for_unequal_ones(data: Json) -> None:
    data["pairs"][0]["first"] = ""


def walk_nowhere(data: Json) -> None:
    data["pairs"] = [{"kind": "paths", "start": data["members"][0], "first": "", "second": ""}]


def make_a_state_unreachable_back(data: Json) -> None:
    data["members"] = list(range(len(data["automaton"]["transitions"])))
    data["blocks"] = [data["members"]]


def claim_one_block_for_each_state(data: Json) -> None:
    data["blocks"] = [[member] for member in data["members"]]
    data["pairs"] = [{"kind": "paths", "start": data["members"][0], "first": "", "second": ""}]


def ask_for_membership(data: Json) -> None:
    data |= {"asked": "MEMBERSHIP", "readout": "END_MARKER"}


def ask_for_next_symbols(data: Json) -> None:
    data |= {"asked": "NEXT_SYMBOLS", "readout": "LAST_SYMBOL"}


def accept_the_sink(data: Json) -> None:
    """Make every state live, so that there are more next states to name."""
    data["automaton"]["accepting"] = list(range(len(data["automaton"]["transitions"])))


def kill_the_component(data: Json) -> None:
    """Accept nothing, so that the walks are the same but no prefix is live."""
    data["automaton"]["accepting"] = []


def walk_to_one_state(data: Json) -> None:
    """Add a pair that is true but shows nothing, and put it first."""
    data["pairs"].insert(0, {"kind": "paths", "start": data["pairs"][0]["start"], "first": "", "second": ""})


def swap_images(data: Json) -> None:
    """Read 0 as 1 and 1 as 0."""
    images = data["images"]
    images["0"], images["1"] = images["1"], images["0"]


def lengthen_an_image(data: Json) -> None:
    """Read a symbol as a word that does the same but is longer than the others."""
    data["images"]["b"] += "b"


def empty_the_images(data: Json) -> None:
    data["images"] = dict.fromkeys(data["images"], "")


def lose_vertices(*lost: int) -> Callable[[Json], None]:
    """Return an edit that leaves out vertices; the arrows to them are then as good as none."""

    def edit(data: Json) -> None:
        kept = [number for number in range(len(data["vertices"])) if number not in lost]
        data["vertices"] = [data["vertices"][number] for number in kept]
        blocks = [[kept.index(number) for number in block if number in kept] for block in data["blocks"]]
        data["blocks"] = [block for block in blocks if block]
        data["pair"] = [kept.index(number) for number in data["pair"]]

    return edit


def merge_all_blocks(data: Json) -> None:
    data["blocks"] = [[vertex for block in data["blocks"] for vertex in block]]


def merge_across_residues(data: Json) -> None:
    """Claim that vertices with different residues stay together, as if nobody saw the position."""
    data["blocks"][1:3] = [data["blocks"][1] + data["blocks"][2]]


def ignore_residues(data: Json) -> None:
    """Put all vertices at residue 0, and all arrows too."""
    data["vertices"] = [[state, idempotent, 0] for state, idempotent, _ in data["vertices"]]
    for arrow in data["arrows"]:
        arrow["source"][1] = arrow["target"][1] = 0


def split_all_blocks(data: Json) -> None:
    data["blocks"] = [[vertex] for block in data["blocks"] for vertex in block]


def forget_what_leads_back(data: Json) -> None:
    data["arrows"] = [arrow for arrow in data["arrows"] if arrow["target"][0] >= arrow["source"][0]]


def turn_the_pair_around(data: Json) -> None:
    data["pair"].reverse()


def read_at_the_other_place(data: Json) -> None:
    data["readout"] = {"END_MARKER": "LAST_SYMBOL", "LAST_SYMBOL": "END_MARKER"}[data["readout"]]


MALFORMED = "a field is missing or malformed "
CORRUPTIONS: list[tuple[str, Callable[[Json], None], str]] = [
    ("potentials", put("kind", "oracle"), "there is no kind of certificate called 'oracle'"),
    ("potentials", put("answer", "NO"), "this kind of certificate proves YES, not 'NO'"),
    ("potentials", put("answer", "UNKNOWN"), "this kind of certificate proves YES, not 'UNKNOWN'"),
    ("potentials", put("readout", "LAST_SYMBOL"), "this kind of certificate is about END_MARKER, not 'LAST_SYMBOL'"),
    ("potentials", put("fragment", "EVERYTHING"), "this certificate proves nothing about 'EVERYTHING'"),
    ("window", put("fragment", "PLAIN"), "this certificate proves nothing about 'PLAIN'"),
    ("window", put("fragment", "PERIODIC"), "this certificate proves nothing about 'PERIODIC'"),
    ("paths", put("fragment", "LOCAL"), "this certificate proves nothing about 'LOCAL'"),
    ("paths", put("answer", "YES"), "this kind of certificate proves NO, not 'YES'"),
    ("potentials", put("automaton", "alphabet", []), "the alphabet is empty"),
    ("potentials", put("automaton", "alphabet", ["a", ""]), "a symbol is not a non-empty string"),
    ("potentials", put("automaton", "alphabet", ["a", 1]), "a symbol is not a non-empty string"),
    ("potentials", put("automaton", "alphabet", ["a", "a"]), "a symbol appears twice in the alphabet"),
    ("potentials", put("automaton", "transitions", 0, [0]), "a state does not have one transition per symbol"),
    ("potentials", put("automaton", "transitions", 0, 0, 99), "a transition leads nowhere"),
    ("potentials", put("automaton", "transitions", 0, 0, True), "a transition leads nowhere"),
    ("potentials", put("automaton", "transitions", []), "a transition leads nowhere"),
    ("potentials", put("automaton", "accepting", [-1]), "an accepting state does not exist"),
    ("potentials", put("automaton", "accepting", "0"), "'accepting' is not a list"),
    ("potentials", put("automaton", "alphabet", "ab"), "'alphabet' is not a list"),
    ("potentials", put("automaton", "alphabet", {"a": 0, "b": 0}), "'alphabet' is not a list"),
    ("potentials", put("automaton", "transitions", 0, {"0": 0}), "the transitions of a state are not a list"),
    ("potentials", put("components", {}), "'components' is not a list"),
    ("paths", put("members", {"0": 0}), "'members' is not a list"),
    ("potentials", put("vertices", 0, [0, 5, 0]), "5 is not a word"),
    ("potentials", put("vertices", 0, [0, "x", 0]), "symbol 'x' is not in the alphabet"),
    ("potentials", put("window", -1), "window or period is out of range"),
    ("potentials", put("window", True), "window or period is out of range"),
    ("potentials", put("period", 0), "window or period is out of range"),
    ("potentials", put("vertices", 0, ["0", "", 0]), "a vertex is malformed"),
    ("potentials", double("vertices"), "a vertex is listed twice"),
    ("potentials", drop("vertices", 0), "a reachable vertex is not listed"),
    ("potentials", drop("vertices", 1), "a reachable vertex is not listed"),
    ("potentials", put("window", 1), "this certificate proves nothing about 'PLAIN'"),
    ("window", put("window", 2), "a reachable vertex is not listed"),
    ("potentials", add_an_unreachable_vertex, "a vertex that cannot be reached is listed"),
    ("potentials", double("components", 0, "members"), "the components do not divide the vertices"),
    ("potentials", put("components", 0, "members", 0, 99), "the components do not divide the vertices"),
    ("potentials", lose_a_component, "a vertex is in no component"),
    ("potentials", swap_components, "an edge leads back to an earlier component"),
    ("potentials", lose_a_member_of_a_block, "the blocks do not divide the component"),
    ("potentials", merge_blocks, "the blocks of a level are not what the levels before it tell apart"),
    ("potentials", split_blocks, "the blocks of a level are not what the levels before it tell apart"),
    ("potentials", make_a_value_a_fraction, "a value or a gain is not an integer"),
    ("potentials", change_a_gain, "the potential does not change by the stated gain on an edge with symbol 'a'"),
    ("potentials", forget_the_last_level, "the counts do not name every state of a component"),
    ("paths", put("members", [0, 99]), "a member is not a state"),
    ("paths", put("members", [0]), "the component needs at least two different states"),
    ("paths", put("members", [0, 0]), "the component needs at least two different states"),
    ("paths", put("blocks", [[0], [0, 1]]), "the blocks do not divide the component"),
    ("sinking", make_a_state_unreachable_back, "the component is not strongly connected"),
    ("paths", put("pairs", []), "there is no pair of walks"),
    ("paths", put("pairs", 0, "start", 7), "a walk does not start in the component"),
    ("sinking", leave_the_component, "a walk leaves the component"),
    ("paths", exchange_the_walks_for_unequal_ones, "the two walks differ in their counts"),
    ("paths", put("pairs", 0, "kind", "knots"), "there is no kind of pair called 'knots'"),
    ("loops", put("pairs", 0, "times", 0), "the number of times is out of range"),
    ("loops", put("pairs", 0, "times", 2.0), "the number of times is out of range"),
    ("loops", put("pairs", 0, "times", 3), "the loops do not differ by the stated number of paths"),
    ("loops", put("pairs", 0, "long_loop", "aaa"), "a loop does not return to its start"),
    ("paths", claim_one_block_for_each_state, "the two words do not differ in membership"),
    ("paths", put("blocks", [[0], [1]]), "the two walks differ in their counts"),
    ("paths", walk_nowhere, "the pairs do not generate the blocks"),
    ("paths", put("enter", "b"), "the first word does not lead to the start of the first pair"),
    ("loops", put("suffix", 3), "3 is not a word"),
    ("reduction", put("target", "DYCK"), "no theorem speaks of 'DYCK'"),
    ("reduction", put("images", {"a": "a"}), "the reduction does not say what every symbol is read as"),
    ("reduction", put("images", {"a": "b", "b": "a"}), "the reduction does not give PARITY"),
    ("reduction", put("suffix", "a"), "the reduction does not give PARITY"),
    ("quotients", put("answer", "UNKNOWN"), "'UNKNOWN' is nothing to prove"),
    ("quotients", put("answer", "NO"), "a part makes another claim"),
    ("quotients", put("fragment", "LOCAL"), "a part makes another claim"),
    ("quotients", put("readout", "END_MARKER"), "this kind of certificate is about LAST_SYMBOL, not 'END_MARKER'"),
    ("quotients", put("parts", 0, "symbol", "z"), "a part is about a symbol outside the alphabet"),
    ("quotients", drop("parts", 0), "YES needs one part for every symbol"),
    ("quotients", put("parts", 0, "symbol", "b"), "YES needs one part for every symbol"),
    ("quotients", put("parts", 0, "certificate", "readout", "LAST_SYMBOL"), "a part is not read at the end marker"),
    ("potentials", put("asked", "WEATHER"), "nobody asks for 'WEATHER'"),
    ("potentials", put("asked", "NEXT_SYMBOLS"), "this kind of certificate is about LAST_SYMBOL, not 'END_MARKER'"),
    ("next potentials", put("asked", "MEMBERSHIP"), "this kind of certificate is about END_MARKER, not 'LAST_SYMBOL'"),
    ("next potentials", ask_for_membership, "the counts do not name every state of a component"),
    ("next seen", ask_for_membership, "the counts do not name every state of a component"),
    ("next window", ask_for_membership, "the counts do not name every state of a component"),
    ("next potentials", forget_the_last_level, "the counts and the symbol 'b' do not name the next state"),
    ("next potentials", change_a_gain, "the potential does not change by the stated gain on an edge with symbol 'a'"),
    ("next seen", accept_the_sink, "the counts and the symbol 'a' do not name the next state"),
    ("next window", put("fragment", "PLAIN"), "this certificate proves nothing about 'PLAIN'"),
    ("next paths", put("suffix", ""), "the two words need a last symbol in common"),
    ("next paths", put("suffix", "aa"), "a prefix cannot become a word of the language"),
    ("next paths", kill_the_component, "a prefix cannot become a word of the language"),
    ("next paths", walk_to_one_state, "the two words do not differ in their next symbols"),
    ("next paths", ask_for_membership, "the two words do not differ in membership"),
    ("next loops", put("pairs", 0, "times", 3), "the loops do not differ by the stated number of paths"),
    ("paths", ask_for_next_symbols, "the two words need a last symbol in common"),
    ("reduction", put("reads", "a"), "membership is not read off a symbol"),
    ("next reduction", put("reads", "a"), "the reduction does not give PARITY"),
    ("next reduction", put("reads", "z"), "the reduction does not give PARITY"),
    ("next symbol reduction", put("reads", None), "the reduction does not give {0,1,2}*02*"),
    ("next symbol reduction", put("reads", "e"), "the reduction does not give {0,1,2}*02*"),
    ("next symbol reduction", put("suffix", "d"), "the reduction does not give {0,1,2}*02*"),
    ("next symbol reduction", ask_for_membership, "membership is not read off a symbol"),
    ("quotients", put("asked", "NEXT_SYMBOLS"), "this kind of certificate is about MEMBERSHIP, not 'NEXT_SYMBOLS'"),
    ("quotients", put("parts", 0, "certificate", "asked", "NEXT_SYMBOLS"), "a part is not about membership"),
    ("potentials", drop("asked"), MALFORMED + "(KeyError: 'asked')"),
    ("reduction", drop("reads"), MALFORMED + "(KeyError: 'reads')"),
    ("next reduction", put("reads", ["a"]), MALFORMED + "(TypeError: unhashable type: 'list')"),
    ("potentials", drop("automaton"), MALFORMED + "(KeyError: 'automaton')"),
    ("potentials", put("automaton", 7), MALFORMED + "(TypeError: 'int' object is not subscriptable)"),
    ("potentials", put("vertices", 0, [0, ""]), MALFORMED + "(ValueError: not enough values to unpack (expected 3, got 2))"),
    ("potentials", drop("kind"), MALFORMED + "(KeyError: 'kind')"),
    ("reduction", put("images", "a", "z"), "symbol 'z' is not in the alphabet"),
    ("reduction", put("images", "a", 3), "3 is not a word"),
    ("reduction", lengthen_an_image, "the symbols are not read as words of one length"),
    ("reduction", empty_the_images, "the symbols are not read as words of one length"),
    ("reduction", put("target", None), "no theorem speaks of None"),
    ("reduction", put("target", "MOD(2; 1)"), "the reduction does not give MOD(2; 1)"),
    ("word reduction", swap_images, "the reduction does not give {0,1,2}*02*"),
    ("word reduction", put("images", "2", "0011"), "the reduction does not give {0,1,2}*02*"),
    ("word reduction", put("prefix", ""), "the reduction does not give {0,1,2}*02*"),
    ("word reduction", put("target", "PARITY"), "the reduction does not say what every symbol is read as"),
    ("counter", put("target", "MOD(3; 1)"), "the reduction does not give MOD(3; 1)"),
    ("counter", put("target", "MOD(4; 0)"), "4 is not a prime"),
    ("counter", put("target", "MOD(1; 0)"), "1 is not a prime"),
    ("counter", put("target", "MOD(0; 0)"), "0 is not a prime"),
    ("counter", put("target", "MOD(3; 3)"), "MOD(3; 3) is no counter"),
    ("counter", put("target", "MOD(3; 0, 1, 2)"), "MOD(3; 0, 1, 2) is no counter"),
    ("counter", put("target", "MOD(3; )"), "no theorem speaks of 'MOD(3; )'"),
    ("counter", put("target", "MOD(99991; 0)"), "no theorem speaks of 'MOD(99991; 0)'"),
    ("counter", put("target", "MOD(٣; 0)"), "no theorem speaks of 'MOD(٣; 0)'"),
    ("counter", put("fragment", "EVERYTHING"), "this certificate proves nothing about 'EVERYTHING'"),
    ("graph", put("answer", "YES"), "this kind of certificate proves NO, not 'YES'"),
    ("graph", put("readout", "LAST_SYMBOL"), "this kind of certificate is about END_MARKER, not 'LAST_SYMBOL'"),
    ("graph", put("fragment", "EVERYTHING"), "this certificate proves nothing about 'EVERYTHING'"),
    ("local graph", put("fragment", "PERIODIC_LOCAL"), "an arrow has another length"),
    ("graph", put("fragment", "LOCAL"), "a residue is out of range"),
    ("graph", put("idempotents", 0, []), "an idempotent has no word"),
    ("graph", put("idempotents", 0, [""]), "an idempotent has no word"),
    ("graph", put("idempotents", 0, 1, "b"), "words of one idempotent differ"),
    ("graph", put("idempotents", 1, ["b"]), "a word is not idempotent"),
    ("graph", put("idempotents", 2, ["ab"]), "a word is not idempotent"),
    ("graph", put("idempotents", 2, ["abab", "ab"]), "words of one idempotent differ"),
    ("graph", put("idempotents", 1, ["bbbb"]), "an arrow has another length"),
    ("graph", double("vertices"), "a vertex is listed twice"),
    ("graph", put("vertices", 0, [9, 0, 0]), "a vertex does not exist"),
    ("graph", put("vertices", 0, [False, 0, 0]), "a vertex does not exist"),
    ("graph", put("vertices", 0, [0, 3, 0]), "a vertex does not exist"),
    ("graph", put("vertices", 0, [0, -1, 0]), "a vertex does not exist"),
    ("graph", put("vertices", 0, [0, 0, 1]), "a residue is out of range"),
    ("graph", put("vertices", 0, [0, 0, False]), "a residue is out of range"),
    ("graph", put("vertices", 1, [0, 1, 0]), "a vertex is not kept by its idempotent"),
    ("graph", put("arrows", 0, "source", [3, 0]), "an arrow leads nowhere"),
    ("graph", put("arrows", 0, "target", [True, 0]), "an arrow leads nowhere"),
    ("graph", put("arrows", 0, "target", [1, "0"]), "a residue is not a number"),
    ("graph", put("arrows", 0, "source", [0, 0.0]), "a residue is not a number"),
    ("graph", put("arrows", 0, "word", "axb"), "symbol 'x' is not in the alphabet"),
    ("graph", put("arrows", 16, "word", "bb"), "an arrow has another length"),
    ("graph", put("arrows", 16, "target", [1, 0]), "an arrow has another length"),
    ("graph", ignore_residues, "a vertex is listed twice"),
    ("graph", put("arrows", []), "the vertices are not strongly connected"),
    ("graph", forget_what_leads_back, "the vertices are not strongly connected"),
    ("graph", lose_vertices(0), "the vertices are not strongly connected"),
    ("graph", drop("blocks", 0), "the blocks are no partition"),
    ("graph", double("blocks"), "the blocks are no partition"),
    ("graph", put("blocks", 0, [False]), "the blocks are no partition"),
    ("graph", merge_all_blocks, "a block holds vertices that do not look alike"),
    ("graph", merge_across_residues, "a block holds vertices that do not look alike"),
    ("graph", put("blocks", 0, []), "the blocks are no partition"),
    ("graph", lose_vertices(*range(5, 13)), "counts could tell two vertices of a block apart"),
    ("graph", put("pair", [1, 99]), "the pair does not exist"),
    ("graph", put("pair", [True, 3]), "the pair does not exist"),
    ("graph", put("pair", [0, 1]), "the pair is not in one block"),
    ("graph", split_all_blocks, "the pair is not in one block"),
    ("graph", turn_the_pair_around, "the prefix does not lead to the pair"),
    ("graph", put("prefix", "b"), "the prefix does not have the length of the pair"),
    ("graph", put("prefix", ""), "the prefix does not lead to the pair"),
    ("graph", put("suffix", "b"), "the suffix does not tell the pair apart"),
    ("graph", put("pair", [1, 1]), "the suffix does not tell the pair apart"),
    ("graph", put("suffix", 1), "1 is not a word"),
    ("next graph", put("readout", "END_MARKER"), "this kind of certificate is about LAST_SYMBOL, not 'END_MARKER'"),
    ("next graph", put("suffix", "b"), "the suffix does not tell the pair apart"),
    ("program", put("answer", "NO"), "this kind of certificate proves YES, not 'NO'"),
    ("program", put("alphabet", ["b", "a"]), "the program is over another alphabet"),
    ("program", put("asked", "NEXT_SYMBOLS"), "the program is about MEMBERSHIP, not 'NEXT_SYMBOLS'"),
    ("generator", put("asked", "MEMBERSHIP"), "the program is about NEXT_SYMBOLS, not 'MEMBERSHIP'"),
    ("program", put("readout", "HERE"), "nothing is read at 'HERE'"),
    ("generator", put("readout", None), "nothing is read at None"),
    ("program", read_at_the_other_place, "the program is read at the end marker"),
    ("program", put("fragment", "EVERYTHING"), "there is no fragment 'EVERYTHING'"),
    ("local program", put("fragment", "PLAIN"), "the program is in C-RASP[local], which is more"),
    ("local program", put("fragment", "PERIODIC"), "the program is in C-RASP[local], which is more"),
    ("program", put("kind", "potentials"), MALFORMED + "(KeyError: 'automaton')"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "corrupt", "objection"), CORRUPTIONS)
def test_a_corrupted_certificate_is_rejected_with_its_reason(
    kind: str, corrupt: Callable[[Json], None], objection: str
) -> None:
    data = base(kind)
    corrupt(data)
    check = check_certificate(data)
    assert check.objection == objection
    assert not check.accepted


NOT_ABOUT_AUTOMATA = "a program proves nothing about an automaton: whether they agree on all words is not checked here"


def test_a_program_is_not_believed_to_be_an_automaton() -> None:
    for text in (EQUAL_COUNTS, AFTER_A):
        data = program_certificate(text)
        assert check_certificate(data).accepted
        assert check_certificate(data, compile_regex("(ab)*")).objection == NOT_ABOUT_AUTOMATA


def test_a_program_proves_every_fragment_that_has_it() -> None:
    for text, smallest in ((EQUAL_COUNTS, Fragment.PLAIN), (LAST_IS_A, Fragment.LOCAL)):
        data = program_certificate(text, smallest)
        accepted = {each for each in Fragment if check_certificate(data | {"fragment": str(each)}).accepted}
        assert accepted == {each for each in Fragment if each.includes(smallest)}


def test_a_graph_proves_a_no_for_every_smaller_fragment_and_for_next_symbols() -> None:
    for fragment in Fragment:
        data = base("graph") | {"fragment": str(fragment)}
        if not fragment.has_periods:  # then nobody sees the position, and residues must not be used
            assert check_certificate(data).objection == "a residue is out of range"
            data = base("local graph") | {"fragment": str(fragment)}
        assert check_certificate(data).accepted
        ask_for_next_symbols(data)
        assert check_certificate(data).accepted


def test_a_graph_may_leave_out_vertices_that_nothing_rests_on() -> None:
    data = base("graph")
    assert len(data["vertices"]) == 13
    lose_vertices(12)(data)
    assert check_certificate(data).accepted


def test_a_graph_may_list_fewer_words_of_an_idempotent_if_no_residue_is_needed() -> None:
    data = base("graph")
    assert data["idempotents"][0] == ["aa", "aaa"]
    data["idempotents"][0] = ["aa", "aaaaa", "aaaa"]
    assert check_certificate(data).accepted


@pytest.mark.parametrize("text", ["alphabet 'a'  accept := 1", "alphabet 'a'  accept :=", "alphabet 'a'", ""])
def test_a_program_without_a_meaning_is_rejected_for_that(text: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        require_meaning(parse_program(text))
    check = check_certificate(base("program") | {"program": text})
    assert check.objection == caught.value.message.removesuffix(".")


def test_exchanged_parts_of_quotients_are_noticed() -> None:
    data = base("quotients")
    one, two = data["parts"]
    one["symbol"], two["symbol"] = two["symbol"], one["symbol"]
    assert check_certificate(data).objection == "the automaton in the certificate is not that of the language"


def test_a_no_without_any_part_is_rejected() -> None:
    data = base("quotients") | {"answer": "NO", "parts": []}
    assert check_certificate(data).objection == "there is no part"


@pytest.mark.parametrize(
    ("field", "kind"), [("components", "list_iterator"), ("vertices", "list_iterator"), ("window", "Fraction")]
)
def test_what_is_not_json_data_is_refused(field: str, kind: str) -> None:
    from fractions import Fraction

    data = base("potentials")
    data[field] = Fraction(0) if field == "window" else iter(data[field])
    assert check_certificate(data).objection == f"a {kind} is not JSON data"


def test_an_iterator_that_is_empty_the_second_time_cannot_hide_a_component() -> None:
    automaton = {"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}
    head = {"lengthwise": "certificate", "version": 1, "kind": "potentials"}
    claim = {"answer": "YES", "fragment": "PLAIN", "readout": "END_MARKER", "automaton": automaton}
    body = {"asked": "MEMBERSHIP", "window": 0, "period": 1, "vertices": [[0, "", 0], [1, "", 0]]}
    components = [{"members": [0, 1], "levels": []}]
    data = head | claim | body | {"components": iter(components)}
    assert check_certificate(data, compile_regex("(aa)*")).objection == "a list_iterator is not JSON data"
    honest = check_certificate(data | {"components": components}, compile_regex("(aa)*"))
    assert honest.objection == "the counts do not name every state of a component"


def test_every_objection_that_the_checker_knows_is_provoked_here() -> None:
    calls = [
        call for module in (checker, graph_checker, replay) for call in ast.walk(ast.parse(inspect.getsource(module)))
    ]
    patterns = []
    for call in calls:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "require":
            text = call.args[1]
            pieces = text.values if isinstance(text, ast.JoinedStr) else [text]
            patterns.append(
                "".join(re.escape(piece.value) if isinstance(piece, ast.Constant) else ".+" for piece in pieces)
            )
    assert len(patterns) > 85
    provoked = [objection for _, _, objection in CORRUPTIONS]
    provoked += ["the automaton in the certificate is not that of the language", "there is no part"]
    provoked += ["a list_iterator is not JSON data", NOT_ABOUT_AUTOMATA]
    provoked += ["this kind is about answers to some inputs, not about a language"]  # in test_promises
    missing = [pattern for pattern in patterns if not any(re.fullmatch(pattern, text) for text in provoked)]
    assert missing == []


@pytest.mark.parametrize("version", [True, 1.0, "1", None, 2, [1]])
def test_only_the_integer_1_is_a_version(version: object) -> None:
    with pytest.raises(InvalidCertificateError, match=re.escape(f"has version {version!r}; this program reads")):
        check_certificate(base("potentials") | {"version": version})


@pytest.mark.parametrize("data", [None, 7, "certificate", [], {}, {"lengthwise": "verdict"}, [{"lengthwise": 1}]])
def test_data_that_is_no_certificate_raises(data: object) -> None:
    with pytest.raises(InvalidCertificateError) as caught:
        check_certificate(data)
    assert str(caught.value) == (
        'this is not a certificate: it has no field "lengthwise" with the value "certificate".\n'
        "hint: write one with: lengthwise predict '(ab)*' --json > verdicts.json"
    )


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_certificate_of_another_version_raises(version: object) -> None:
    with pytest.raises(InvalidCertificateError) as caught:
        check_certificate(base("paths") | {"version": version})
    assert str(caught.value) == (
        f"this certificate has version {version!r}; this program reads version 1.\n"
        "hint: use the version of lengthwise that wrote it, or write it again."
    )


@pytest.mark.parametrize("level", [50, 5_000])
def test_deeply_nested_data_is_an_objection_and_no_crash(level: int) -> None:
    nested: Any = []
    for _ in range(level):
        nested = [nested]
    data = base("paths") | {"suffix": nested}
    assert not check_certificate(data).accepted
