from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from crasp_programs import ProgramSource, random_word
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import all_words

from lengthwise.arrays import Arrays, numpy_arrays
from lengthwise.crasp import syntax
from lengthwise.crasp.batched import (
    LONGEST_INTERPRETED,
    NO_SYMBOL,
    BatchedProgram,
    count_at,
    progressions,
    run_outputs,
    shift_right,
    strided_sum,
)
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.interpreter import (
    MAX_BITS,
    accepts,
    frame_word,
    generate,
    next_symbols,
    run_program,
)
from lengthwise.crasp.kinds import Kind, infer_kinds, require_meaning
from lengthwise.crasp.measures import (
    definition_depths,
    depth_of,
    expression_size,
    fragment_of,
    moduli_of,
    size_of,
    used_definitions,
    used_nodes,
    window_of,
)
from lengthwise.crasp.parser import parse_expression, parse_program
from lengthwise.errors import CapExceededError, InvalidProgramError, NoSuchWordError, UnknownSymbolError

HEAD = "alphabet 'a' 'b'\n"
NUMPY = numpy_arrays()

# Kinds


def findings(text: str) -> list[tuple[str, str, str]]:
    """Return the code, the sentence and the text at fault of every finding."""
    found: list[tuple[str, str, str]] = []
    infer_kinds(parse_program(text), lambda code, message, node: found.append((code, message, text[slice(*node.span)])))
    return found


NEEDS_TRUTH = "compare it with a number, as in #['a'] > 0."
NEEDS_COUNT = "count it, as in #['a'], or choose: (if 'a' then 1 else 0)."


@pytest.mark.parametrize(
    ("body", "message", "place"),
    [
        ("not #['a']", f"'not' needs a truth, but #['a'] is a count; {NEEDS_TRUTH}", "#['a']"),
        ("not 3", f"'not' needs a truth, but 3 is a count; {NEEDS_TRUTH}", "3"),
        ("'a' and #<['a']", f"'and' needs a truth, but #<['a'] is a count; {NEEDS_TRUTH}", "#<['a']"),
        ("2*#['a'] or 'a'", f"'or' needs a truth, but 2*#['a'] is a count; {NEEDS_TRUTH}", "2*#['a']"),
        ("'a' = 1", f"'=' needs a count, but 'a' is a truth; {NEEDS_COUNT}", "'a'"),
        ("1 != true", f"'!=' needs a count, but true is a truth; {NEEDS_COUNT}", "true"),
        ("1 < (not 'a')", f"'<' needs a count, but not 'a' is a truth; {NEEDS_COUNT}", "not 'a'"),
        ("pos % 2 = 0 <= 1", f"'<=' needs a count, but pos % 2 = 0 is a truth; {NEEDS_COUNT}", "pos % 2 = 0"),
        ("1 > (1 = 2)", f"'>' needs a count, but 1 = 2 is a truth; {NEEDS_COUNT}", "1 = 2"),
        ("1 + 'b' >= 1", f"a sum needs a count, but 'b' is a truth; {NEEDS_COUNT}", "'b'"),
        ("-('a' or 'b') = 1", f"a sum needs a count, but 'a' or 'b' is a truth; {NEEDS_COUNT}", "'a' or 'b'"),
        ("#[#['a']] = 1", f"'#' needs a truth, but #['a'] is a count; {NEEDS_TRUTH}", "#['a']"),
        ("#<[1] = 1", f"'#' needs a truth, but 1 is a count; {NEEDS_TRUTH}", "1"),
        ("#{1}[-1] = 1", f"'#' needs a truth, but -1 is a count; {NEEDS_TRUTH}", "-1"),
        ("1 = (if 1 then 1 else 1)", f"'if' needs a truth, but 1 is a count; {NEEDS_TRUTH}", "1"),
        (
            "1 = (if 'a' then 'b' else 1)",
            f"'then' and 'else' needs a count, but 'b' is a truth; {NEEDS_COUNT}",
            "'b'",
        ),
        (
            "1 = (if 'a' then 1 else 'b')",
            f"'then' and 'else' needs a count, but 'b' is a truth; {NEEDS_COUNT}",
            "'b'",
        ),
        (
            "if 'a' then 1 else 2",
            "'accept' needs a truth, but if 'a' then 1 else 2 is a count; compare it with a number.",
            "if 'a' then 1 else 2",
        ),
        ("count", "'accept' needs a truth, but count is a count; compare it with a number.", "count"),
        ("not count", f"'not' needs a truth, but count is a count; {NEEDS_TRUTH}", "count"),
        ("truth + 1 = 2", f"a sum needs a count, but truth is a truth; {NEEDS_COUNT}", "truth"),
    ],
)
def test_a_part_of_the_wrong_kind_is_found_at_its_place(body: str, message: str, place: str) -> None:
    assert findings(f"{HEAD}count := #['a'] truth := 'a' accept := {body}") == [("type", message, place)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("accept := x", ("undefined", "name 'x' is not defined; define it first.", "x")),
        ("accept := a", ("undefined", "name 'a' is not defined; symbols stand in quotes: 'a'.", "a")),
        (
            "count := #['a'] accept := cuont > 1",
            ("undefined", "name 'cuont' is not defined; did you mean 'count'?", "cuont"),
        ),
        (
            "accept := later later := 'a'",
            None,
        ),
        (
            "x := later later := 'a' accept := x",
            ("undefined", "name 'later' is used before it is defined; move its definition up.", "later"),
        ),
        (
            "x := not x accept := x",
            ("undefined", "name 'x' is used before it is defined; move its definition up.", "x"),
        ),
        (
            "x := 'a' x := 'b' accept := x",
            ("redefined", "name 'x' is defined twice; choose another.", "'b'"),
        ),
        ("accept := 'c'", ("symbol", "symbol 'c' is not in the alphabet 'a' 'b'.", "'c'")),
        ("start '$' accept := '^'", ("symbol", "symbol '^' is not in the alphabet '$' 'a' 'b'.", "'^'")),
        ("start '$' accept := '$'", None),
        ("stop '!' accept := '!'", ("symbol", "symbol '!' is not in the alphabet 'a' 'b'.", "'!'")),
        (
            "next 'c' := 'a'",
            (
                "symbol",
                "next 'c' can never come: the symbol is not in the alphabet, nor the stop symbol.",
                "'a'",
            ),
        ),
        (
            "start '$' next '$' := 'a'",
            (
                "symbol",
                "next '$' can never come: the symbol is not in the alphabet, nor the stop symbol.",
                "'a'",
            ),
        ),
        ("stop '!' next '!' := 'a'", None),
        (
            "next 'a' := #['a']",
            ("type", "next 'a' needs a truth, but #['a'] is a count; compare it with a number.", "#['a']"),
        ),
    ],
)
def test_names_and_symbols_that_mean_nothing_are_found(text: str, found: tuple[str, str, str] | None) -> None:
    assert findings(HEAD + text) == ([found] if found else [])


def test_what_depends_on_a_mistake_is_not_at_fault() -> None:
    text = "n := mistake m := n accept := m > 1 and n and #[m] = 1"
    assert [code for code, _, _ in findings(HEAD + text)] == ["undefined"]
    assert [code for code, _, _ in findings(HEAD + "n := 1 + mistake accept := n > 1")] == ["undefined"]
    # but a definition with a part at fault still has a kind of its own
    assert [code for code, _, _ in findings(HEAD + "n := 1 + mistake accept := n")] == ["undefined", "type"]


def test_the_same_symbol_cannot_come_next_twice() -> None:
    with pytest.raises(InvalidProgramError, match="a symbol comes next by one line only"):
        syntax.Program(alphabet="ab", next=(syntax.Next("a", syntax.Symbol("a")), syntax.Next("a", syntax.Symbol("b"))))


def test_every_finding_is_reported_in_the_order_of_the_text() -> None:
    text = "x := 'c' + 1 y := x and zz accept := 'd' or #[y] w := not w"
    assert [(code, place) for code, _, place in findings(HEAD + text)] == [
        ("symbol", "'c'"),
        ("type", "'c'"),
        ("type", "x"),
        ("undefined", "zz"),
        ("undefined", "w"),
        ("symbol", "'d'"),
        ("type", "#[y]"),
    ]


def test_a_program_without_meaning_is_refused_with_its_first_finding_and_how_many_there_are() -> None:
    with pytest.raises(InvalidProgramError) as caught:
        require_meaning(parse_program(HEAD + "accept := x"))
    hint = "hint: 'lengthwise check FILE.crasp' shows every finding."
    assert str(caught.value) == f"the program has no meaning: name 'x' is not defined; define it first.\n{hint}"
    with pytest.raises(InvalidProgramError) as caught:
        require_meaning(parse_program(HEAD + "accept := not 'c' and 1 and 2"))
    assert str(caught.value) == (
        f"the program has no meaning: symbol 'c' is not in the alphabet 'a' 'b'. (and 2 more)\n{hint}"
    )
    for use in (lambda program: run_program(program, "ab"), BatchedProgram):
        with pytest.raises(InvalidProgramError, match="has no meaning"):
            use(parse_program(HEAD + "accept := x"))


def test_a_message_shows_of_a_long_expression_or_alphabet_only_a_part() -> None:
    (_, message, _), *_ = findings(f"{HEAD}accept := not ({' + '.join(['1'] * 5000)})")
    assert message == f"'not' needs a truth, but this long expression is a count; {NEEDS_TRUTH}"
    (_, message, _), *_ = findings(f"{HEAD}accept := 1 = '{'ab' * 5000}' + 1")
    assert message == f"symbol '{'ab' * 29}a… is not in the alphabet 'a' 'b'."
    alphabet = " ".join(f"'{number:03}'" for number in range(500))
    (_, message, _), *_ = findings(f"alphabet {alphabet} accept := 'x'")
    assert message.endswith("'057' '058' '059' ….")


def test_every_definition_and_output_has_its_kind() -> None:
    program = parse_program(HEAD + "t := 'a' n := #[t] m := if t then n else 1 s := m u := pos % 2 = 1 accept := s > n")
    assert require_meaning(program) == {
        "t": Kind.TRUTH,
        "n": Kind.COUNT,
        "m": Kind.COUNT,
        "s": Kind.COUNT,
        "u": Kind.TRUTH,
        "accept": Kind.TRUTH,
    }
    writer = parse_program(HEAD + "stop '!' next 'a' := true next '!' := false")
    assert require_meaning(writer) == {"next 'a'": Kind.TRUTH, "next '!'": Kind.TRUTH}


# Measures


@pytest.mark.parametrize(
    ("text", "fragment", "depth", "window", "moduli"),
    [
        ("accept := 'a'", "PLAIN", 0, 0, ()),
        ("accept := #['a'] > #<['b']", "PLAIN", 1, 0, ()),
        ("accept := #[#['a'] > 1] > #['b']", "PLAIN", 2, 0, ()),
        ("accept := #{1}['a'] = 1", "LOCAL", 1, 1, ()),
        ("accept := #{0}['a'] = 1", "PLAIN", 0, 0, ()),
        ("accept := #{0}[#['a'] = 1] = 1", "PLAIN", 1, 0, ()),
        ("accept := #{0,1}['a'] = 1", "LOCAL", 1, 1, ()),
        ("accept := #{0}['a'] + #{2,5}[#{7}['a'] = 1] = 1", "LOCAL", 2, 7, ()),
        ("accept := pos % 3 = 1", "PERIODIC", 0, 0, (3,)),
        ("accept := pos % 1 = 0", "PLAIN", 0, 0, (1,)),
        ("accept := pos % 4 = 1 or pos % 3 = 1 and pos % 4 = 3", "PERIODIC", 0, 0, (3, 4)),
        ("accept := #[pos % 2 = 1] > #{3}['a']", "PERIODIC_LOCAL", 1, 3, (2,)),
        ("n := #['a'] m := #[n > 1] accept := #[m > 1] > n", "PLAIN", 3, 0, ()),
        ("n := #{9}['a'] accept := 'a'", "PLAIN", 0, 0, ()),
        ("n := pos % 2 = 1 m := #[n] accept := 'a'", "PLAIN", 0, 0, ()),
        ("n := pos % 2 = 1 m := #[n] accept := m > 1", "PERIODIC", 1, 0, (2,)),
        ("t := 'a' u := #{2}[t] = 1 v := pos % 5 = 1 accept := t or u", "LOCAL", 1, 2, ()),
        ("next 'a' := #{2}['a'] = 1 next 'b' := #[#['a'] > 1] > 1", "LOCAL", 2, 2, ()),
        ("accept := (if #['a'] > 1 then #[#['a'] > 1] else 3) = 1", "PLAIN", 2, 0, ()),
    ],
)
def test_what_can_be_read_off_a_program(
    text: str, fragment: str, depth: int, window: int, moduli: tuple[int, ...]
) -> None:
    program = parse_program(HEAD + text)
    assert fragment_of(program) is Fragment[fragment]
    assert depth_of(program) == depth
    assert window_of(program) == window
    assert moduli_of(program) == moduli


def test_only_what_an_output_depends_on_is_used() -> None:
    text = "a1 := 'a' a2 := #[a1] a3 := pos % 7 = 1 a4 := a2 > 1 a5 := a4 and a3 accept := a4"
    program = parse_program(HEAD + text)
    assert [each.name for each in used_definitions(program)] == ["a1", "a2", "a4"]
    assert syntax.Modulo(7, 1) not in list(used_nodes(program))
    assert definition_depths(program) == {"a1": 0, "a2": 1, "a3": 0, "a4": 1, "a5": 1, "accept": 1}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("'a'", 1),
        ("x", 1),
        ("true", 1),
        ("not 'a'", 2),
        ("'a' and 'b'", 3),
        ("'a' and 'b' and 'a'", 5),
        ("('a' and 'b') and 'a'", 5),
        ("'a' or 'b' or 'a' or 'b'", 7),
        ("0", 1),
        ("1", 1),
        ("-1", 1),
        ("7", 7),
        ("-7", 7),
        ("x + y", 3),
        ("x - y", 3),
        ("x + y + z", 5),
        ("2*x + y", 4),
        ("x - 3*y", 5),
        ("-x", 2),
        ("2*x", 3),
        ("5*x", 6),
        ("0*x", 2),
        ("x < 3", 5),
        ("pos % 6 = 2", 6),
        ("pos % 1 = 0", 1),
        ("#['a']", 2),
        ("#<['a']", 2),
        ("#{0}['a']", 2),
        ("#{1}['a']", 3),
        ("#{2,9}['a']", 11),
        ("if 'a' then 4 else x", 7),
    ],
)
def test_the_size_of_an_expression(text: str, size: int) -> None:
    assert expression_size(parse_expression(text)) == size


def test_the_size_of_a_program_is_that_of_all_its_definitions_and_outputs() -> None:
    assert size_of(parse_program(HEAD + "x := 'a' y := 3 accept := not x")) == 1 + 3 + 2
    assert size_of(parse_program(HEAD + "x := 'a' next 'a' := x next 'b' := not x")) == 1 + 1 + 2


# The meaning, by hand


def row(text: str, word: str, **options: Any) -> list[int]:
    """Return the values of an expression at every position, by way of a definition of it."""
    start, body = ("start '$'\n", text.removeprefix("$ ")) if text.startswith("$ ") else ("", text)
    program = parse_program(f"{HEAD}{start}read at last\nx := {body}\naccept := true")
    return run_program(program, word, **options)["x"]


T, F = True, False


@pytest.mark.parametrize(
    ("text", "word", "values"),
    [
        ("'a'", "abba", [T, F, F, T]),
        ("true", "ab", [T, T]),
        ("false", "ab", [F, F]),
        ("not 'a'", "ab", [F, T]),
        ("'a' and true", "ab", [T, F]),
        ("'a' or 'b' and false", "ab", [T, F]),
        ("'a' and 'a' and 'b'", "ab", [F, F]),
        ("3", "ab", [3, 3]),
        ("-3", "ab", [-3, -3]),
        ("#['a']", "abaab", [1, 1, 2, 3, 3]),
        ("#<['a']", "abaab", [0, 1, 1, 2, 3]),
        ("#[true]", "abab", [1, 2, 3, 4]),
        ("#<[true]", "abab", [0, 1, 2, 3]),
        ("#{0}['a']", "abaa", [1, 0, 1, 1]),
        ("#{1}['a']", "abaa", [0, 1, 0, 1]),
        ("#{2}['a']", "abaa", [0, 0, 1, 0]),
        ("#{0,1}['a']", "abaa", [1, 1, 1, 2]),
        ("#{1..3}['a']", "aaaaa", [0, 1, 2, 3, 3]),
        ("#{1,3}['a']", "abaab", [0, 1, 0, 2, 1]),
        ("#{4}['a']", "aaaa", [0, 0, 0, 0]),
        ("#{0..10000}['a']", "abaa", [1, 1, 2, 3]),
        ("#{9000}['a']", "ab", [0, 0]),
        ("#['a'] - 2*#['b'] + 1", "aabb", [2, 3, 1, -1]),
        ("-#['a']", "aab", [-1, -2, -2]),
        ("0*#['a']", "aab", [0, 0, 0]),
        ("#['a'] = #['b']", "abab", [F, T, F, T]),
        ("#['a'] != #['b']", "abab", [T, F, T, F]),
        ("#['a'] < #['b']", "babb", [T, F, T, T]),
        ("#['a'] <= #['b']", "abab", [F, T, F, T]),
        ("#['a'] > #['b']", "abab", [T, F, T, F]),
        ("#['a'] >= #['b']", "babb", [F, T, F, F]),
        ("if 'a' then #['a'] else -1", "abaa", [1, -1, 2, 3]),
        ("pos % 1 = 0", "aaa", [T, T, T]),
        ("pos % 2 = 1", "aaaa", [T, F, T, F]),
        ("pos % 3 = 0", "aaaa", [F, F, T, F]),
        ("pos % 3 = 1", "aaaa", [T, F, F, T]),
        ("#[#['a'] = 1]", "baba", [0, 1, 2, 2]),
        ("#[#<['a'] = 0]", "bab", [1, 2, 2]),
        ("#[#{1}['a'] = 1 and 'b']", "abbab", [0, 1, 1, 1, 2]),
        ("#{1}[#{1}['a'] = 1]", "aba", [0, 0, 1]),
        ("$ #['$']", "ab", [1, 1, 1]),
        ("$ #[true]", "ab", [1, 2, 3]),
        ("$ pos % 2 = 1", "ab", [T, F, T]),
        ("$ #{1}['$']", "ab", [0, 1, 0]),
        ("$ '$' or 'b'", "ab", [T, F, T]),
    ],
)
def test_every_form_has_the_value_that_its_definition_gives(text: str, word: str, values: list[int]) -> None:
    found = row(text, word)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))  # truths are True and False
    if not text.startswith("$"):
        assert row(text, "") == []


@pytest.mark.parametrize(
    ("offset", "values"),
    [(0, [T, F, F, T]), (1, [F, F, T, F]), (2, [F, T, F, F]), (3, [T, F, F, T]), (-1, [F, T, F, F]), (10**30, [F, F, T, F])],
)  # fmt: skip
def test_an_offset_moves_the_positions_that_pos_sees_and_nothing_else(offset: int, values: list[bool]) -> None:
    assert row("pos % 3 = 1", "aaaa", offset=offset) == values
    assert row("#{1,2}['a'] + #['b'] + #<['a']", "abaa", offset=offset) == row("#{1,2}['a'] + #['b'] + #<['a']", "abaa")


def test_the_end_marker_carries_no_symbol_and_is_counted_where_that_matters() -> None:
    text = HEAD + "read at end\nn := #['a'] m := #[not 'a'] k := #[true] l := #{1}['a'] p := pos % 3 = 0\naccept := 'a'"
    program = parse_program(text)
    assert frame_word(program, "ab") == ("a", "b", None)
    assert run_program(program, "ab") == {
        "n": [1, 1, 1],
        "m": [0, 1, 2],
        "k": [1, 2, 3],
        "l": [0, 1, 0],
        "p": [F, F, T],
        "accept": [T, F, F],
    }
    assert not accepts(program, "aa")  # the last symbol is hidden behind the marker
    marked = parse_program(HEAD + "start '$'\nread at end\naccept := #[not 'a' and not 'b'] = 2")
    assert frame_word(marked, "") == ("$", None)
    assert accepts(marked, "ab")
    assert accepts(marked, "")


@pytest.mark.parametrize(
    ("head", "framed", "answer"),
    [
        ("read at end\n", (None,), True),
        ("start '$'\nread at last\n", ("$",), True),
        ("start '$'\nread at end\n", ("$", None), False),
    ],
)
def test_the_empty_word_is_read_where_there_is_a_position(
    head: str, framed: tuple[str | None, ...], answer: bool
) -> None:
    program = parse_program(f"{HEAD}{head}accept := #[true] = 1")
    assert frame_word(program, "") == framed
    assert accepts(program, "") is answer
    assert BatchedProgram(program).accepts(["", "a", ""], NUMPY).tolist() == [answer, False, answer]


def test_the_empty_word_without_any_position_has_no_answer() -> None:
    program = parse_program(HEAD + "accept := true")
    assert run_program(program, "") == {"accept": []}
    message = (
        "the empty word has no last symbol, so a program read there says nothing about it.\n"
        "hint: give a word, or let the program 'read at end' or have a start symbol."
    )
    for ask in (lambda: accepts(program, ""), lambda: BatchedProgram(program).accepts(["a", ""], NUMPY)):
        with pytest.raises(NoSuchWordError) as caught:
            ask()
        assert str(caught.value) == message
    assert BatchedProgram(program).accepts([], NUMPY).tolist() == []


def test_a_word_has_only_symbols_of_the_alphabet() -> None:
    program = parse_program(HEAD + "start '$'\naccept := true")
    for word in ("abc", "$a"):
        with pytest.raises(UnknownSymbolError) as caught:
            run_program(program, word)
        assert str(caught.value) == (
            f"symbol {word[-1] if word[0] != '$' else '$'!r} is not in the program's alphabet {{a, b}}.\n"
            "hint: use only these symbols."
        )
    several = parse_program("alphabet 'up' 'down'\naccept := #['up'] > #['down']")
    assert accepts(several, ["up", "down", "up"])
    with pytest.raises(UnknownSymbolError):
        accepts(several, "up")


def test_a_program_is_asked_for_what_it_says() -> None:
    acceptor, writer = parse_program(HEAD + "accept := true"), parse_program(HEAD + "next 'a' := true")
    with pytest.raises(InvalidProgramError) as caught:
        accepts(writer, "a")
    assert str(caught.value) == (
        "the program says which symbols come next, not which words it accepts.\nhint: ask for next symbols."
    )
    with pytest.raises(InvalidProgramError) as caught:
        BatchedProgram(writer).accepts(["a"], NUMPY)
    assert str(caught.value) == (
        "the program says which symbols come next, not which words it accepts.\nhint: run it instead."
    )
    for ask in (next_symbols, generate):
        with pytest.raises(InvalidProgramError) as caught:
            ask(acceptor, "a")
        assert str(caught.value) == (
            "the program says which words it accepts, not which symbols come next.\n"
            "hint: ask whether it accepts a word."
        )


def test_numbers_that_grow_forever_reach_a_stated_cap_and_can_be_written_up_to_it() -> None:
    steps = "".join(f"d{i} := 1024*d{i - 1}\n" for i in range(1, MAX_BITS // 10))
    program = parse_program(f"{HEAD}d0 := #['a']\n{steps}last := 512*d{MAX_BITS // 10 - 1}\naccept := true")
    values = run_program(program, "a")
    assert values["last"] == [2 ** (MAX_BITS - 1)]
    assert str(values)
    with pytest.raises(CapExceededError) as caught:
        run_program(program, "aa")
    assert str(caught.value) == "the numbers of 'last' grow beyond 10000 bits.\nhint: use smaller factors."


# Writing


def test_the_symbols_that_come_next_are_said_at_every_position() -> None:
    program = parse_program(
        HEAD + "start '$'\nstop '!'\nnext 'a' := '$' or 'b'\nnext '!' := #['b'] > 1\nnext 'b' := 'a'"
    )
    assert next_symbols(program, "abab") == [("a",), ("b",), ("a",), ("b",), ("a", "!")]
    assert next_symbols(program, "") == [("a",)]
    assert next_symbols(parse_program(HEAD + "next 'a' := true"), "") == []


def test_a_program_writes_until_its_stop_symbol_comes() -> None:
    program = parse_program(
        HEAD + "start '$'\nstop '!'\nnext 'a' := ('$' or 'b') and #['b'] < 3\nnext 'b' := 'a'\nnext '!' := #['b'] = 3"
    )
    assert generate(program, "") == tuple("ababab")
    assert generate(program, "ab") == tuple("abab")
    assert generate(program, "ababab") == ()
    assert generate(program, "", max_length=6) == tuple("ababab")
    with pytest.raises(CapExceededError) as caught:
        generate(program, "", max_length=5)
    assert str(caught.value) == (
        "the program wrote 5 symbols and did not stop.\nhint: raise max_length, or give it a stop symbol."
    )


def test_a_program_stops_writing_where_nothing_comes_next() -> None:
    program = parse_program(HEAD + "next 'a' := #['a'] < 3")
    assert generate(program, "ba") == ("a", "a")
    assert generate(program, "aaa") == ()
    with pytest.raises(NoSuchWordError) as caught:
        generate(program, "")
    assert str(caught.value) == (
        "an empty prompt has no position to write from.\nhint: give a prompt, or the program a start symbol."
    )


def test_a_program_that_writes_must_leave_one_choice() -> None:
    program = parse_program(HEAD + "next 'a' := true\nnext 'b' := #['a'] = 2")
    with pytest.raises(InvalidProgramError) as caught:
        generate(program, "b")
    assert str(caught.value) == (
        "after b a a several symbols come next: a b.\nhint: a program that writes must leave one choice."
    )


def test_writing_sees_the_offset_and_the_same_position_while_the_word_grows() -> None:
    program = parse_program(
        HEAD + "stop '!'\nnext 'a' := pos % 4 = 1\nnext 'b' := pos % 4 = 2\nnext '!' := pos % 4 = 3"
    )
    assert generate(program, "b") == ("a", "b")
    assert generate(program, "b", offset=1) == ("b",)
    assert generate(program, "b", offset=2) == ()
    assert generate(program, "b", offset=3) == ()  # pos % 4 = 0: nothing comes


# The meaning, a second time: by its mathematical definition, one position at a time

RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Meaning:
    """The value of an expression at a position 1, 2, …, n of a framed word, as the definition has it."""

    def __init__(self, program: syntax.Program, word: str, offset: int) -> None:
        begin = [] if program.start is None else [program.start]
        marker = ["the end"] if program.accept is not None and program.readout is Readout.END_MARKER else []
        self.word = [*begin, *word, *marker]
        self.bodies = {each.name: each.body for each in (*program.definitions, *program.outputs)}
        self.offset = offset
        self.known: dict[tuple[syntax.Expression, int], int] = {}

    def __call__(self, node: syntax.Expression, i: int) -> int:
        if (node, i) not in self.known:
            self.known[node, i] = self.define(node, i)
        return self.known[node, i]

    def define(self, node: syntax.Expression, i: int) -> int:
        positions = range(1, len(self.word) + 1)
        if isinstance(node, syntax.Symbol):
            return self.word[i - 1] == node.symbol
        if isinstance(node, (syntax.Constant, syntax.Number)):
            return node.value
        if isinstance(node, syntax.Name):
            return self(self.bodies[node.name], i)
        if isinstance(node, syntax.Modulo):
            return (i + self.offset - node.residue) % node.modulus == 0
        if isinstance(node, syntax.Not):
            return not self(node.part, i)
        if isinstance(node, syntax.And):
            return not {part for part in node.parts if not self(part, i)}
        if isinstance(node, syntax.Or):
            return bool({part for part in node.parts if self(part, i)})
        if isinstance(node, syntax.Compare):
            return RELATIONS[node.sign](self(node.left, i), self(node.right, i))
        if isinstance(node, syntax.Sum):
            return sum(factor * self(term, i) for factor, term in node.terms)
        if isinstance(node, syntax.Count):
            return len({j for j in positions if j <= i and self(node.body, j)})
        if isinstance(node, syntax.CountBefore):
            return len({j for j in positions if j < i and self(node.body, j)})
        if isinstance(node, syntax.CountAt):
            return len({j for j in positions if i - j in node.distances and self(node.body, j)})
        assert isinstance(node, syntax.Choice)
        return self(node.then, i) if self(node.condition, i) else self(node.otherwise, i)

    def table(self) -> dict[str, list[int]]:
        return {
            name: [self(body, i) for i in range(1, len(self.word) + 1)] for name, body in self.bodies.items()
        }  # fmt: skip


def random_programs(seed: int, number: int, size: int = 30) -> Iterator[tuple[Random, syntax.Program]]:
    """Yield programs of all fragments, with and without markers, and the source of randomness they came from."""
    rng = Random(seed)
    kinds = itertools.cycle(itertools.product(Fragment, (None, "$"), (None, "!"), (True, False), (2, 8, 30)))
    for fragment, start, stop, strict, max_distance in itertools.islice(kinds, number):
        source = ProgramSource(
            rng,
            alphabet=rng.choice(("a", "ab", "abc")),
            fragment=fragment,
            start=start,
            stop=stop,
            strict=strict,
            max_distance=max_distance,
        )
        yield rng, source.program(rng.randint(1, size))


@pytest.mark.parametrize("seed", range(2))
def test_the_interpreter_gives_every_value_that_the_definition_does(seed: int) -> None:
    forms = set()
    for rng, program in random_programs(seed, 400):
        word = random_word(rng, "".join(program.alphabet), 9)
        offset = rng.choice((0, 0, 1, 5, -3))
        forms |= {type(node) for node in used_nodes(program)}
        meaning = Meaning(program, word, offset)
        assert run_program(program, word, offset=offset) == meaning.table(), (program, word)
        if not program.is_generator and meaning.word:
            assert accepts(program, word, offset=offset) == meaning.table()["accept"][-1]
    assert len(forms) == 14  # every form there is


# The batched form, beside the interpreter


def compare_on(program: syntax.Program, words: list[str], xp: Arrays, offset: int) -> None:
    """Assert that all definitions have the same values at all positions of all words."""
    batched = BatchedProgram(program)
    tokens_BL, sizes_B = batched.encode(words, xp)
    names = [each.name for each in (*program.definitions, *program.outputs)]
    found = {name: values.tolist() for name, values in batched.run(tokens_BL, xp, offset=offset, names=names).items()}
    for number, (word, size) in enumerate(zip(words, sizes_B.tolist(), strict=True)):
        expected = run_program(program, word, offset=offset)
        assert {name: values[number][:size] for name, values in found.items()} == expected, (program, word)
    if not program.is_generator and words and int(sizes_B.min()) > 0:
        expected_B = [accepts(program, word, offset=offset) for word in words]
        assert batched.accepts(words, xp, offset=offset).tolist() == expected_B


def compare_on_random_pairs(seed: int, num_programs: int, num_words: int, xp: Arrays) -> int:
    """Return how many pairs of a program and a word were compared."""
    pairs = 0
    for rng, program in random_programs(seed, num_programs):
        max_length = rng.choice((0, 3, 9, 9, 14))
        words = [random_word(rng, "".join(program.alphabet), max_length) for _ in range(num_words)]
        compare_on(program, words, xp, rng.choice((0, 0, 1, 2, 7, 12, -5, 10**20)))
        pairs += num_words
    return pairs


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 4))])
def test_the_batched_form_gives_what_the_interpreter_does_on_ten_thousand_pairs(seed: int) -> None:
    assert compare_on_random_pairs(seed, 250, 10, NUMPY) == 2500


@pytest.mark.full
def test_the_batched_form_gives_what_the_interpreter_does_on_a_hundred_thousand_pairs() -> None:
    pairs = compare_on_random_pairs(99, 10_000, 10, NUMPY)
    print(f"{pairs} pairs of a program and a word: batched = interpreter at every definition and position")
    assert pairs == 100_000


def with_every_part_named(program: syntax.Program) -> syntax.Program:
    """Return the program with a definition for every part of its definitions and outputs."""
    definitions: list[syntax.Definition] = []
    for definition in (*program.definitions, *program.outputs):
        definitions += [syntax.Definition("part", part) for part in [*syntax.walk(definition.body)][1:]]
        definitions += [definition] * (definition in program.definitions)
    names = (f"part{number}" for number in itertools.count())
    renamed = [each if each in program.definitions else replace(each, name=next(names)) for each in definitions]
    return replace(program, definitions=tuple(renamed))


def test_the_batched_form_gives_what_the_interpreter_does_at_every_part_of_a_program() -> None:
    for rng, program in random_programs(11, 96):
        words = [random_word(rng, "".join(program.alphabet), 6) for _ in range(4)]
        compare_on(with_every_part_named(program), words, NUMPY, 1)


def test_the_batched_form_gives_what_the_interpreter_does_on_all_short_words() -> None:
    for _, program in random_programs(7, 24):
        compare_on(program, list(all_words("".join(program.alphabet), 4)), NUMPY, 0)


def test_torch_gives_what_numpy_does() -> None:
    pytest.importorskip("torch")
    from lengthwise.arrays import torch_arrays

    assert compare_on_random_pairs(5, 96, 6, torch_arrays()) == 576


@pytest.mark.parametrize("text", ["accept := #{1..3}['a'] = 1", "accept := true", "accept := #<[pos % 2 = 1] = 1"])
def test_no_words_and_empty_words_are_batches_too(text: str) -> None:
    batched = BatchedProgram(parse_program(HEAD + text))
    for words in ([], [""], ["", ""]):
        tokens_BL, sizes_B = batched.encode(words, NUMPY)
        assert tokens_BL.shape == (len(words), 0)
        assert sizes_B.tolist() == [0] * len(words)
        assert batched.run(tokens_BL, NUMPY)["accept"].shape == (len(words), 0)


def test_words_are_encoded_with_their_markers_and_padded_on_the_right() -> None:
    batched = BatchedProgram(parse_program(HEAD + "start '$'\nread at end\naccept := true"))
    tokens_BL, sizes_B = batched.encode(["ab", "", "b"], NUMPY)
    assert tokens_BL.tolist() == [
        [0, 1, 2, NO_SYMBOL],
        [0, NO_SYMBOL, NO_SYMBOL, NO_SYMBOL],
        [0, 2, NO_SYMBOL, NO_SYMBOL],
    ]
    assert sizes_B.tolist() == [4, 2, 3]


def test_padding_and_the_other_words_of_a_batch_do_not_matter() -> None:
    for rng, program in random_programs(3, 60):
        batched = BatchedProgram(program)
        word = random_word(rng, "".join(program.alphabet), 7)
        alone_BL, sizes_B = batched.encode([word], NUMPY)
        size = int(sizes_B[0])
        names = [each.name for each in (*program.definitions, *program.outputs)]
        alone = batched.run(alone_BL, NUMPY, names=names)
        padded_BL = np.concatenate([alone_BL, np.full((1, 5), NO_SYMBOL)], axis=-1)
        other_BL = np.array([[rng.choice((NO_SYMBOL, 0)) for _ in range(size + 5)]], dtype=np.int64)
        together = batched.run(np.concatenate([other_BL, padded_BL]), NUMPY, names=names)
        for name in names:
            assert together[name][1, :size].tolist() == alone[name][0].tolist()


@pytest.mark.full
@pytest.mark.parametrize("length", [LONGEST_INTERPRETED, LONGEST_INTERPRETED + 1])
def test_outputs_on_short_and_long_words_are_those_of_the_interpreter(length: int) -> None:
    random = Random(length)
    told = set()
    for _ in range(40):
        program = ProgramSource(random, start=random.choice([None, "<"]), stop=">").program(8)
        word = "".join(random.choice("ab") for _ in range(length))
        offset = random.choice([0, 3])
        said = run_outputs(program, word, offset=offset)
        values = run_program(program, word, offset=offset)
        assert {each.name: said[each.name] for each in program.outputs} == {
            each.name: values[each.name] for each in program.outputs
        }
        tell: Callable[..., object] = next_symbols if program.is_generator else accepts
        answer = tell(program, word, offset=offset)
        assert tell(program, word, offset=offset, run=run_outputs) == answer
        told.add(str(answer))
    assert {"True", "False"} < told


def test_long_words_whose_numbers_need_more_than_64_bits_are_run_by_the_interpreter() -> None:
    lines = [f"{letter}0 := #['{letter}']" for letter in "ab"]
    lines += [f"{letter}{power} := 1000000*{letter}{power - 1}" for power in range(1, 5) for letter in "ab"]
    program = parse_program("\n".join([HEAD, *lines, "accept := 3*a4 > b4"]))
    word = "ab" * LONGEST_INTERPRETED
    with pytest.raises(CapExceededError, match="beyond 64 bits"):
        BatchedProgram(program).accepts([word], NUMPY)
    assert accepts(program, word, run=run_outputs)
    assert not accepts(program, "ab" + "b" * LONGEST_INTERPRETED, run=run_outputs)


def test_a_long_prompt_is_written_on_as_by_the_interpreter() -> None:
    program = parse_program(
        "alphabet 'a' 'b' '|'\nstop '.'\nleft := #['a'] - #['b']\nnext 'b' := left > 0\nnext '.' := left = 0"
    )
    prompt = "a" * (LONGEST_INTERPRETED + 5) + "b" * LONGEST_INTERPRETED + "|"
    written = generate(program, prompt, run=run_outputs)
    assert written == generate(program, prompt) == ("b",) * 5


def test_what_is_asked_for_by_name_is_what_comes_back() -> None:
    program = parse_program(HEAD + "n := #['a'] m := n + 1 k := 2*m again := n accept := k > 4 unused := #['b']")
    batched = BatchedProgram(program)
    tokens_BL, _ = batched.encode(["aab"], NUMPY)
    assert list(batched.run(tokens_BL, NUMPY)) == ["accept"]
    found = batched.run(tokens_BL, NUMPY, names=["k", "again", "n"])
    assert {name: values.tolist() for name, values in found.items()} == {
        "k": [[4, 6, 6]],
        "again": [[1, 2, 2]],
        "n": [[1, 2, 2]],
    }
    assert batched.run(tokens_BL, NUMPY, names=[]) == {}
    for name in ("n", "m", "k", "again", "unused", "accept"):
        assert list(batched.run(tokens_BL, NUMPY, names=[name])) == [name]
    with pytest.raises(InvalidProgramError) as caught:
        batched.run(tokens_BL, NUMPY, names=["n", "x"])
    assert str(caught.value) == (
        "the program defines no 'x'. It defines: n, m, k, again, unused, accept.\nhint: name one of these."
    )


def test_what_occurs_twice_is_computed_once_and_kept_as_long_as_it_is_needed() -> None:
    shared = "#['a'] + #['b']"
    text = f"n := {shared} m := {shared} k := #[{shared} > 1] accept := #['a'] = 1 and {shared} = k + m or #['a'] = n"
    program = parse_program(HEAD + text)
    batched = BatchedProgram(program)
    # both symbols, their counts, the sum, the number, whether the sum is larger, how often, k + m, the comparisons
    # with 1, with k + m and with n, and what joins them
    assert len(batched._steps) == 2 + 2 + 1 + 1 + 1 + 1 + 1 + 3 + 2
    compare_on(program, list(all_words("ab", 5)), NUMPY, 0)
    tokens_BL, _ = batched.encode(["abbab"], NUMPY)
    expected = run_program(program, "abbab")
    for number in range(5):
        for names in itertools.permutations(("n", "m", "k", "accept"), number):
            found = batched.run(tokens_BL, NUMPY, names=names)
            assert {name: values[0].tolist() for name, values in found.items()} == {
                name: expected[name] for name in names
            }


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.data())
def test_any_selection_of_names_gives_the_same_values(seed: int, data: st.DataObject) -> None:
    _, program = next(random_programs(seed, 1))
    batched = BatchedProgram(program)
    names = [each.name for each in (*program.definitions, *program.outputs)]
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True))
    tokens_BL, _ = batched.encode(["abab"[: 4 if len(program.alphabet) > 1 else 0] or "aa"], NUMPY)
    everything = batched.run(tokens_BL, NUMPY, names=names)
    for name, values in batched.run(tokens_BL, NUMPY, names=chosen).items():
        assert values.tolist() == everything[name].tolist()


def test_numbers_that_may_not_fit_into_64_bits_are_refused() -> None:
    factors = "".join(f"d{i} := 1000000*d{i - 1}\n" for i in range(1, 4))
    program = parse_program(f"{HEAD}d0 := #['a']\n{factors}accept := d3 > 1")
    batched = BatchedProgram(program)
    assert 4 * 10**18 <= 2**62 < 5 * 10**18
    compare_on(program, ["aaaa"], NUMPY, 0)
    with pytest.raises(CapExceededError) as caught:
        batched.accepts(["aaaaa"], NUMPY)
    assert str(caught.value) == (
        "the program's numbers may grow beyond 64 bits on words of length 5.\n"
        "hint: use smaller factors, or the interpreter, whose limit is far higher."
    )
    assert accepts(program, "aaaaa")


@pytest.mark.parametrize(
    "body",
    [
        "1000000*(1000000*(1000000*5)) > 0",
        "-1000000*(1000000*(-1000000*5)) > 0",
        "1000000*(1000000*(1000000*(if 'a' then -5 else 1))) > 0",
        "1000000*(1000000*(1000000*(if 'a' then 1 else -5))) > 0",
        "1000000*(1000000*(1000000*#[true])) > 0",
        "1000000*(1000000*(1000000*#<[true])) > 0",
        "1000000*(1000000*(1000000*#{0..9}[true])) > 0",
        "1000000*(1000000*(1000000*3)) - 1000000*(1000000*(1000000*2)) > 0",
    ],
)
def test_the_bound_on_numbers_holds_for_every_form(body: str) -> None:
    batched = BatchedProgram(parse_program(f"{HEAD}accept := {body}"))
    with pytest.raises(CapExceededError):
        batched.accepts(["aaaaa"], NUMPY)


def test_numbers_just_below_the_bound_are_exact() -> None:
    program = parse_program(HEAD + "n := 1000000*(1000000*(1000000*-4)) + #['a'] m := n + 1 accept := n = m - 1")
    compare_on(program, ["aab", "a"], NUMPY, 0)


# Counts at distances, against obvious loops


def loop_count(truths: list[bool], distances: list[int]) -> list[int]:
    return [sum(truths[i - d] for d in set(distances) if i - d >= 0) for i in range(len(truths))]


distance_sets = st.one_of(
    st.sets(st.integers(0, 12), min_size=1),
    st.sets(st.integers(0, 60), min_size=1),
    st.builds(
        lambda first, stride, number, more: {first + stride * each for each in range(number)} | more,
        st.integers(0, 10),
        st.integers(1, 9),
        st.integers(1, 9),
        st.sets(st.integers(0, 40), max_size=3),
    ),
).map(sorted)


@settings(max_examples=150)
@given(distance_sets)
def test_progressions_name_every_distance_once_and_in_order(distances: list[int]) -> None:
    found = progressions(distances)
    named = [first + stride * each for first, stride, number in found for each in range(number)]
    assert named == distances
    assert all(stride >= 1 and number >= 1 for _, stride, number in found)


def test_a_whole_window_is_one_progression() -> None:
    assert progressions([]) == []
    assert progressions([4]) == [(4, 1, 1)]
    assert progressions(list(range(3, 500))) == [(3, 1, 497)]
    assert progressions([0, 7, 14, 21]) == [(0, 7, 4)]
    assert progressions([0, 1, 5, 6, 7, 8]) == [(0, 1, 1), (1, 1, 1), (5, 1, 4)]


@settings(max_examples=100)
@given(st.lists(st.lists(st.booleans(), min_size=7, max_size=7), min_size=1, max_size=3), st.integers(1, 12))
def test_a_strided_sum_is_the_sum_of_every_so_many_entries_back(rows: list[list[bool]], stride: int) -> None:
    expected = [[sum(row[i::-stride]) for i in range(len(row))] for row in rows]
    assert strided_sum(np.array(rows), stride, NUMPY).tolist() == expected


@settings(max_examples=150)
@given(
    st.integers(0, 40).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=3)
    ),
    distance_sets,
)
def test_a_count_at_distances_is_what_a_loop_counts(rows: list[list[bool]], distances: list[int]) -> None:
    truths_BL = np.array(rows, dtype=bool).reshape(len(rows), -1)
    found = count_at(truths_BL, distances, NUMPY)
    assert found.dtype == np.int64
    assert found.tolist() == [loop_count(row, distances) for row in rows]


def test_thousands_of_distances_on_a_long_word_are_counted_as_a_loop_counts_them() -> None:
    rng = Random(0)
    truths = [rng.random() < 0.5 for _ in range(700)]
    for distances in (
        list(range(0, 10_001)),
        list(range(0, 10_001, 7)),
        list(range(3, 400, 3)) + list(range(500, 10_000, 11)),
        sorted(rng.sample(range(10_001), 3000)),
        [699],
        [700],
        [9999, 10_000],
    ):
        found = count_at(np.array([truths]), distances, NUMPY).tolist()
        assert found == [loop_count(truths, [each for each in distances if each < 700])]


@pytest.mark.parametrize("distance", [0, 1, 3, 4, 5, 100])
def test_a_shift_brings_what_stood_a_distance_back(distance: int) -> None:
    numbers = np.array([[5, -6, 7, 8]])
    assert shift_right(numbers, distance, NUMPY).tolist() == [([0] * distance + [5, -6, 7, 8])[:4]]
    truths = shift_right(numbers > 6, distance, NUMPY)
    assert truths.dtype == bool
    assert truths.tolist() == [([False] * distance + [False, False, True, True])[:4]]


def tables() -> list[Any]:
    found = [pytest.param(NUMPY, id="numpy")]
    try:
        from lengthwise.arrays import torch_arrays

        found.append(pytest.param(torch_arrays(), id="torch"))
    except ImportError:
        found.append(pytest.param(None, id="torch", marks=pytest.mark.skip(reason="torch is not installed")))
    return found


@pytest.mark.parametrize("xp", tables())
def test_array_tables_join_and_add_up_along_an_axis(xp: Arrays) -> None:
    values = xp.asarray([[1, 2, 3], [4, 5, 6]])
    assert xp.concat_last([values, values[..., :1]]).tolist() == [[1, 2, 3, 1], [4, 5, 6, 4]]
    assert xp.running_sum(values, -1).tolist() == [[1, 3, 6], [4, 9, 15]]
    assert xp.running_sum(values, -2).tolist() == [[1, 2, 3], [5, 7, 9]]
    truths = xp.running_sum(values > 2, -1)
    assert truths.tolist() == [[0, 0, 1], [1, 2, 3]]
    assert truths.dtype == xp.int64
    assert xp.running_sum(xp.asarray([[], []]).reshape(2, 0), -1).tolist() == [[], []]
    wide = strided_sum(xp.broadcast(xp.asarray(1) == 1, (2, 7)), 3, xp)
    assert wide.tolist() == [[1, 1, 1, 2, 2, 2, 3]] * 2


def test_definitions_that_are_the_same_expression_are_different_names_for_the_same_values() -> None:
    program = syntax.Program(
        alphabet="ab",
        definitions=(
            syntax.Definition("one", syntax.Number(1)),
            syntax.Definition("yes", syntax.Constant(True)),
            syntax.Definition("n", syntax.Count(syntax.Name("yes"))),
        ),
        accept=syntax.Compare("=", syntax.Sum(((1, syntax.Name("n")), (-1, syntax.Name("one")))), syntax.Number(1)),
    )
    compare_on(program, ["", "a", "ab", "abb"], NUMPY, 0)
