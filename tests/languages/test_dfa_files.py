from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from strategies import random_dfa

from lengthwise.errors import (
    CapExceededError,
    InvalidAlphabetError,
    InvalidAutomatonError,
    LengthwiseError,
    UnreadableFileError,
)
from lengthwise.files import parse_json
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_files import dfa_from_json, dfa_to_json, read_dfa, write_dfa
from lengthwise.languages.regex import compile_regex

PARITY: dict[str, Any] = {
    "alphabet": ["a", "b"],
    "initial": "even",
    "accepting": ["even"],
    "transitions": {"even": {"a": "odd", "b": "even"}, "odd": {"a": "even", "b": "odd"}},
}
ROW_HINT = "hint: give every state one transition per symbol; let dead ends lead to a rejecting sink."
STATE_HINT = 'hint: name a state that "transitions" has.'
FILES_HINT = "hint: see docs/reference/files.md."
FIELDS = "alphabet, initial, accepting, transitions"


def changed(**fields: object) -> str:
    """Return the text of the file with some fields replaced; None removes a field."""
    return json.dumps({name: value for name, value in (PARITY | fields).items() if value is not None})


# Reading and writing


def test_a_written_language_is_read_back_as_the_same_object(tmp_path: Path) -> None:
    rng = Random(1)
    for number in range(60):
        language = random_dfa(rng, rng.randint(1, 12), rng.choice(["a", "ab", '(,"\\', "éü "]))
        path = tmp_path / f"{number}.json"
        write_dfa(language, path)
        assert read_dfa(path) == language
        assert read_dfa(str(path)) == language
        assert dfa_from_json(dfa_to_json(language)) == language


def test_symbols_of_several_characters_survive_a_file(tmp_path: Path) -> None:
    language = DFA(alphabet=["open", "close"], transitions=[[1, 2], [2, 0], [2, 2]], accepting=[0])
    write_dfa(language, tmp_path / "brackets.json")
    assert read_dfa(tmp_path / "brackets.json") == language


def test_a_file_reads_as_the_language_it_describes(tmp_path: Path) -> None:
    path = tmp_path / "parity.json"
    path.write_text(json.dumps(PARITY), encoding="utf-8")
    assert read_dfa(path) == compile_regex("b*(ab*ab*)*")


def test_state_names_order_and_unreachable_states_do_not_matter() -> None:
    table = {"zig": {"b": "zag", "a": "zig"}, "zag": {"a": "zag", "b": "zig"}, "lost": {"a": "zig", "b": "zag"}}
    data = {"transitions": table, "accepting": ["zag", "lost", "zag"], "initial": "zag", "alphabet": ["b", "a"]}
    assert dfa_from_json(data) == compile_regex("a*(ba*ba*)*")


def test_a_written_file_is_readable_text_that_names_every_transition(tmp_path: Path) -> None:
    path = tmp_path / "language.json"
    write_dfa(compile_regex("é*", alphabet="aé"), path)
    text = path.read_text(encoding="utf-8")
    assert json.loads(text) == {
        "alphabet": ["a", "é"],
        "initial": "0",
        "accepting": ["0"],
        "transitions": {"0": {"a": "1", "é": "0"}, "1": {"a": "1", "é": "1"}},
    }
    assert "é" in text
    assert text.endswith("}\n")


# Automata that are none


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            changed(transitions={"even": {"a": "odd", "b": "even"}, "odd": {"a": "even"}}),
            InvalidAutomatonError,
            f"state 'odd' has no transition on symbol 'b'.\n{ROW_HINT}",
        ),
        (
            changed(transitions={"even": {"a": "even", "b": "even", "c": "even"}}),
            InvalidAutomatonError,
            "state 'even' has a transition on 'c', which is not in the alphabet {a, b}.\n"
            'hint: add the symbol to "alphabet", or remove the transition.',
        ),
        (
            changed(alphabet=["a", "b", "a"]),
            InvalidAlphabetError,
            "symbol 'a' appears twice in the alphabet.\nhint: name each symbol once.",
        ),
        (
            changed(alphabet=["a", 1]),
            InvalidAlphabetError,
            "a symbol must be a non-empty string; found 1.\nhint: write symbols as text, for example 'a'.",
        ),
        (
            changed(alphabet=[]),
            InvalidAlphabetError,
            "an alphabet needs at least one symbol; none was given.\nhint: name its symbols, for example 'ab'.",
        ),
        (
            '{"alphabet": ["a"], "initial": "0", "accepting": [], "transitions": {"0": {"a": "0"}, "0": {"a": "0"}}}',
            UnreadableFileError,
            "the key '0' appears twice in one table.\nhint: name each key once.",
        ),
        (
            '{"alphabet": ["a"], "initial": "0", "accepting": [], "transitions": {"0": {"a": "0", "a": "0"}}}',
            UnreadableFileError,
            "the key 'a' appears twice in one table.\nhint: name each key once.",
        ),
        (
            changed(acepting=["even"]),
            InvalidAutomatonError,
            f"field 'acepting' is unknown in an automaton file. Known: {FIELDS}.\nhint: did you mean 'accepting'?",
        ),
        (
            changed(colour="red"),
            InvalidAutomatonError,
            f"field 'colour' is unknown in an automaton file. Known: {FIELDS}.\nhint: remove it.",
        ),
        *(
            (
                changed(**{field: None}),
                InvalidAutomatonError,
                f"field '{field}' is missing.\nhint: an automaton file needs {FIELDS}.",
            )
            for field in PARITY
        ),
        ("{}", InvalidAutomatonError, f"field 'alphabet' is missing.\nhint: an automaton file needs {FIELDS}."),
        (
            changed(alphabet="ab"),
            InvalidAutomatonError,
            f"field 'alphabet' must be a list; found 'ab'.\n{FILES_HINT}",
        ),
        (changed(initial=0), InvalidAutomatonError, f"field 'initial' must be a string; found 0.\n{FILES_HINT}"),
        (
            changed(accepting="even"),
            InvalidAutomatonError,
            f"field 'accepting' must be a list; found 'even'.\n{FILES_HINT}",
        ),
        (
            changed(transitions=[["even"]]),
            InvalidAutomatonError,
            f"field 'transitions' must be a table of states; found [['even']].\n{FILES_HINT}",
        ),
        (
            changed(transitions={"even": ["odd", "even"]}),
            InvalidAutomatonError,
            f"the transitions of state 'even' must be a table of symbols; found ['odd', 'even'].\n{FILES_HINT}",
        ),
        (
            changed(transitions={"even": {"a": "odd", "b": "even"}}),
            InvalidAutomatonError,
            f"the target of state 'even' on symbol 'a' is 'odd', which is not a state. States: even.\n{STATE_HINT}",
        ),
        (
            changed(transitions={"even": {"a": 0, "b": "even"}}),
            InvalidAutomatonError,
            f"the target of state 'even' on symbol 'a' is 0, which is not a state. States: even.\n{STATE_HINT}",
        ),
        (
            changed(initial="evn"),
            InvalidAutomatonError,
            f"the initial state is 'evn', which is not a state. States: even, odd.\n{STATE_HINT}",
        ),
        (
            changed(accepting=["even", "od"]),
            InvalidAutomatonError,
            f"an accepting state is 'od', which is not a state. States: even, odd.\n{STATE_HINT}",
        ),
        (
            changed(accepting=[["even"]]),
            InvalidAutomatonError,
            f"an accepting state is ['even'], which is not a state. States: even, odd.\n{STATE_HINT}",
        ),
        (
            changed(transitions={}, accepting=[]),
            InvalidAutomatonError,
            f"the initial state is 'even', which is not a state. States: none.\n{STATE_HINT}",
        ),
        (
            changed(transitions={str(n): {"a": "0", "b": "0"} for n in range(20)}, accepting=[]),
            InvalidAutomatonError,
            "the initial state is 'even', which is not a state. "
            f"States: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ….\n{STATE_HINT}",
        ),
        *(
            (
                text,
                InvalidAutomatonError,
                f"an automaton file holds an object; found {found}.\nhint: give it the fields {FIELDS}.",
            )
            for text, found in [("[]", "list"), ('"even"', "str"), ("null", "NoneType"), ("3", "int")]
        ),
    ],
)
def test_a_file_that_describes_no_automaton_is_refused(
    tmp_path: Path, text: str, kind: type[LengthwiseError], message: str
) -> None:
    path = tmp_path / "automaton.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(kind) as caught:
        read_dfa(path)
    assert str(caught.value) == message


# Files that cannot be read


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.json"
    with pytest.raises(UnreadableFileError) as caught:
        read_dfa(path)
    assert str(caught.value) == f"there is no file '{path}'.\nhint: check the path."


def test_a_directory_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        read_dfa(tmp_path)
    assert str(caught.value) == f"cannot read '{tmp_path}': Is a directory.\nhint: check the path and its permissions."
    with pytest.raises(UnreadableFileError) as caught:
        write_dfa(compile_regex("a"), tmp_path)
    assert str(caught.value) == f"cannot write '{tmp_path}': Is a directory.\nhint: choose a path that can be written."


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    path.write_bytes(b'{"alphabet": ["\xff"]}')
    with pytest.raises(UnreadableFileError) as caught:
        read_dfa(path)
    assert str(caught.value) == (
        f"cannot read '{path}': it is not UTF-8 text.\nhint: check the path and its permissions."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"alphabet": ["a"', "is not JSON: Expecting ',' delimiter at line 1, column 18."),
        ('{\n"alphabet": ["a', "is not JSON: Unterminated string starting at line 2, column 14."),
        ("", "is not JSON: Expecting value at line 1, column 1."),
    ],
)
def test_a_truncated_file_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "cut.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableFileError) as caught:
        read_dfa(path)
    assert str(caught.value) == f"'{path}' {message}\nhint: it may be truncated; write it again."


def test_every_truncation_of_a_file_is_refused() -> None:
    text = json.dumps(PARITY)
    for length in range(len(text)):
        with pytest.raises(UnreadableFileError):
            dfa_from_json(parse_json(text[:length], "the text"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "the text is nested too deeply to be read.\nhint: write it again."),
        (
            '{"initial": ' + "1" * 10_000 + "}",
            "the text has a number that is too long to be read.\nhint: write it again.",
        ),
    ],
)
def test_text_that_python_refuses_to_read_is_an_error_of_ours(text: str, message: str) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        parse_json(text, "the text")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("num_states", "num_symbols", "message"),
    [
        (20_001, 1, "the automaton has 20,001 states; a file may have up to 20,000, the cap."),
        (1, 1_001, "the automaton has 1,001 symbols; a file may have up to 1,000, the cap."),
        (1_000, 401, "the automaton has 401,000 transitions; a file may have up to 400,000, the cap."),
    ],
)
def test_an_automaton_that_is_too_large_is_refused_with_the_cap(
    num_states: int, num_symbols: int, message: str
) -> None:
    symbols = [f"s{number}" for number in range(num_symbols)]
    row = dict.fromkeys(symbols, "0")
    data = {"alphabet": symbols, "initial": "0", "accepting": []}
    data |= {"transitions": {str(state): row for state in range(num_states)}}
    with pytest.raises(CapExceededError) as caught:
        dfa_from_json(data)
    assert caught.value.message == message


@pytest.mark.parametrize("alphabet", ["ab", {"a": 0, "b": 1}, None, 7, True])
def test_an_alphabet_that_is_no_list_is_refused(alphabet: object) -> None:
    data = {"alphabet": alphabet, "initial": "0", "accepting": [], "transitions": {"0": {"a": "0", "b": "0"}}}
    with pytest.raises(InvalidAutomatonError, match="field 'alphabet' must be a list"):
        dfa_from_json(data)
