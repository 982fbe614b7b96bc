"""The grammar of names with parameters that tasks, encodings, programs and circuits share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import InvalidOptionError
from lengthwise.names import (
    MOST_NESTED,
    Parameter,
    is_plain_name,
    parse_call,
    read_call,
    read_parameters,
    shortest_name,
    show_value,
    split_arguments,
    write_call,
)

WORDS = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
ARGUMENTS = st.recursive(
    WORDS | st.integers().map(str) | st.builds("{}={}".format, WORDS, st.integers()),
    lambda inner: st.builds(write_call, WORDS, st.lists(inner, max_size=3)),
    max_leaves=6,
)


@given(WORDS, st.lists(ARGUMENTS, max_size=3))
def test_what_is_written_is_read_again(name: str, arguments: list[str]) -> None:
    call = parse_call("task", write_call(name, arguments))
    assert (call.name, call.arguments) == (name, arguments)


def test_options_stand_apart_from_plain_arguments() -> None:
    call = parse_call("encoding", " ipe ( nope, circuit = addition(2, x=1), eos=true, ) ")
    assert call.name == "ipe"
    assert call.split_options("encoding") == (["nope"], {"circuit": "addition(2, x=1)", "eos": "true"})
    with pytest.raises(InvalidOptionError, match="'base' is given twice"):
        parse_call("encoding", "rope(base=2, base=3)").split_options("encoding")


def test_a_text_that_is_no_name_is_not_read_as_one() -> None:
    assert read_call("(ab)*") is None
    assert read_call("a(b)*") is None
    assert read_call("") is None
    assert not is_plain_name("count_mod(5)*")
    assert is_plain_name("D_2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not the name of an encoding: a name is missing."),
        ("rope(", "'rope(' is not the name of an encoding: a parenthesis is not closed."),
        ("rope)", "'rope)' is not the name of an encoding: ')' comes after its end."),
        ("rope(2)x", "'rope(2)x' is not the name of an encoding: 'x' comes after its end."),
        ("ro$e", "'ro$e' is not the name of an encoding: '$' does not belong in a name."),
        ("(rope)", "'(rope)' is not the name of an encoding: '(' does not belong in a name."),
    ],
)
def test_a_bad_name_is_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        parse_call("encoding", text, examples="names look like rope.")
    assert str(caught.value) == f"{message}\nhint: names look like rope."


def test_nesting_has_a_cap() -> None:
    most = MOST_NESTED + 1
    parse_call("encoding", "w(" * most + ")" * most)
    with pytest.raises(InvalidOptionError, match=f"nested more than {MOST_NESTED} deep"):
        parse_call("encoding", "w(" * (most + 1) + ")" * (most + 1))


def test_commas_in_parentheses_separate_nothing() -> None:
    assert split_arguments("nope,rope(base=5), randomized(rope, length=64)") == [
        "nope",
        "rope(base=5)",
        "randomized(rope, length=64)",
    ]
    assert split_arguments("a), b") == ["a)", "b"]


MODULUS = Parameter(name="modulus", default=5, meaning="a modulus", low=2, high=100)
BASE = Parameter(name="base", default=10_000.0, meaning="the base", low=1, high=1e9)
CORRECTED = Parameter(name="corrected", default=True, meaning="whether it is corrected")
KIND = Parameter(name="kind", default="plain", meaning="an order", words=("plain", "reversed"))


def test_a_parameter_reads_what_its_default_says() -> None:
    assert [MODULUS.parse(text) for text in ("7", "1", "101", "7.0", "seven", "٧")] == [7, *[None] * 5]
    assert [BASE.parse(text) for text in ("5e5", "0", "nan", "x")] == [5e5, None, None, None]
    assert [CORRECTED.parse(text) for text in ("true", "false", "yes")] == [True, False, None]
    assert [KIND.parse(text) for text in ("reversed", "2")] == ["reversed", None]


@pytest.mark.parametrize(
    ("parameter", "text", "error"),
    [
        (MODULUS, "1", "mod takes a modulus, a whole number from 2 to 100; found '1'.\nhint: for example mod(5)."),
        (KIND, "revers", "mod takes an order, one of plain, reversed; found 'revers'.\nhint: did you mean 'reversed'?"),
        (CORRECTED, "1", "mod takes whether it is corrected, true or false; found '1'.\nhint: for example mod(true)."),
    ],
)
def test_a_bad_parameter_is_refused_with_what_is_allowed(parameter: Parameter, text: str, error: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        parameter.read("mod", text)
    assert str(caught.value) == error


def test_parameters_that_are_left_out_have_their_defaults() -> None:
    assert read_parameters("mod", [MODULUS, KIND], ["7"]) == [7, "plain"]
    with pytest.raises(InvalidOptionError) as caught:
        read_parameters("task mod", [MODULUS], ["7", "8"])
    assert str(caught.value) == "task mod takes a modulus in parentheses; found '7', '8'.\nhint: for example mod(5)."


def test_the_shortest_name_leaves_out_defaults_at_the_end() -> None:
    assert shortest_name("mod", [5, "reversed"], [5, "plain"]) == "mod(5, reversed)"
    assert shortest_name("mod", [7, "plain"], [5, "plain"]) == "mod(7)"
    assert shortest_name("mod", [5, "plain"], [5, "plain"]) == "mod"
    assert [show_value(value) for value in (1e-3, 2.0, True)] == ["0.001", "2", "true"]
