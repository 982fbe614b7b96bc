from __future__ import annotations

import ast
import builtins
import inspect
import re
from pathlib import Path

import pytest

from lengthwise import errors
from lengthwise.errors import (
    InvalidOptionError,
    LengthwiseError,
    ProgramSyntaxError,
    RegexSyntaxError,
    UnknownNameError,
    UnreadableFileError,
    did_you_mean,
    draw_caret,
    lookup,
    unknown_name,
)

LEAF = re.compile(r"    [├└]── (\w+) \((\w+)\) {2,}\S.*")


def drawn_lines() -> list[str]:
    block = inspect.cleandoc(errors.__doc__ or "").split("::\n\n")[1].split("\n\n")[0]
    return block.split("\n")


def drawn_tree() -> dict[str, str]:
    """Return the leaves of the drawing, each with the builtin beside it."""
    matches = [LEAF.fullmatch(line) for line in drawn_lines()[1:]]
    assert all(matches), drawn_lines()
    return {match[1]: match[2] for match in matches if match}


def real_tree() -> dict[str, type[LengthwiseError]]:
    """Return every error below the root that errors.py defines; a private one is no leaf but what leaves share."""
    members = inspect.getmembers(errors, inspect.isclass)
    return {
        name: kind
        for name, kind in members
        if issubclass(kind, LengthwiseError) and kind is not LengthwiseError and not name.startswith("_")
    }


def errors_defined_elsewhere() -> list[str]:
    """Return the public errors that other modules define, from their source, so that none needs to be imported."""
    known = {"LengthwiseError", *real_tree()}
    found = []
    for path in sorted(Path(errors.__file__).parent.rglob("*.py")):
        if path.name == "errors.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
                found += [f"{path.name}: {node.name}"] * bool(bases & known)
    return found


def test_the_drawn_tree_has_exactly_the_real_errors() -> None:
    assert drawn_lines()[0] == "    LengthwiseError"
    assert [line[4] for line in drawn_lines()[1:]] == ["├"] * (len(drawn_lines()) - 2) + ["└"]
    assert set(drawn_tree()) == set(real_tree())
    assert len(drawn_tree()) == len(drawn_lines()) - 1
    assert errors_defined_elsewhere() == []


def test_every_error_is_the_root_and_the_builtin_drawn_beside_it() -> None:
    tree = real_tree()
    for name, builtin in drawn_tree().items():
        kind: type = tree[name]
        if len(kind.__bases__) == 1:
            (kind,) = kind.__bases__
            assert kind.__name__.startswith("_")
        assert kind.__bases__ == (LengthwiseError, getattr(builtins, builtin))
        assert tree[name].__module__ == "lengthwise.errors"
        assert tree[name].__doc__
    assert LengthwiseError.__bases__ == (Exception,)


@pytest.mark.parametrize("name", drawn_tree())
def test_an_error_shows_its_message_and_then_its_hint(name: str) -> None:
    kind = real_tree()[name]
    placed = kind in (RegexSyntaxError, ProgramSyntaxError)
    place = {"text": "ab)", "span": (2, 3)} if placed else {}
    mark = "\nab)\n  ^" if placed else ""
    error = kind("this is wrong.", hint="do that.", **place)
    assert (error.message, error.hint) == ("this is wrong.", "do that.")
    assert str(error) == f"this is wrong.\nhint: do that.{mark}"
    assert str(kind("this is wrong.", **place)) == f"this is wrong.{mark}"


@pytest.mark.parametrize(
    ("text", "span", "drawing"),
    [
        ("ab)", (2, 3), "ab)\n  ^"),
        ("a{3,2}", (1, 6), "a{3,2}\n ^^^^^"),
        ("", (0, 0), "\n^"),
        ("ab", (2, 2), "ab\n  ^"),
        ("a\x1b[)", (3, 4), "a?[)\n   ^"),
    ],
)
def test_a_mark_stands_under_the_characters_at_fault(text: str, span: tuple[int, int], drawing: str) -> None:
    assert draw_caret(text, span) == drawing
    assert RegexSyntaxError("wrong.", text=text, span=span).caret() == drawing
    assert ProgramSyntaxError("wrong.", text=text, span=span).caret() == drawing


@pytest.mark.parametrize(
    ("text", "span", "program_drawing", "regex_drawing"),
    [
        ("a\n\x1b[)", (4, 5), "?[)\n  ^", "a??[)\n    ^"),
        ("a\n\tb)\nc", (4, 5), " b)\n  ^", "a??b)?c\n    ^"),
        ("ab\ncd", (1, 5), "ab\n ^", "ab?cd\n ^^^^"),
        ("ab\ncd", (2, 3), "ab\n  ^", "ab?cd\n  ^"),
        ("ab\ncd", (3, 4), "cd\n^", "ab?cd\n   ^"),
        ("ab\n", (3, 3), "\n^", "ab?\n   ^"),
        ("\n\nab", (3, 4), "ab\n ^", "??ab\n   ^"),
    ],
)
def test_a_program_has_lines_and_a_regular_expression_is_one_line(
    text: str, span: tuple[int, int], program_drawing: str, regex_drawing: str
) -> None:
    assert ProgramSyntaxError("wrong.", text=text, span=span).caret() == program_drawing
    assert RegexSyntaxError("wrong.", text=text, span=span).caret() == regex_drawing


@pytest.mark.parametrize("length", [1, 119, 120, 121, 150, 10_000])
def test_of_a_long_line_the_part_around_the_mark_is_shown(length: int) -> None:
    text = "".join(chr(ord("a") + number % 23) for number in range(length))
    for start in {0, 1, 29, 30, 31, length // 2, length - 1} & set(range(length)):
        for width in (1, 7, length):
            line, mark = draw_caret(f"x\n{text}\ny", (2 + start, 2 + min(length, start + width))).split("\n")
            first, last = mark.index("^"), mark.rindex("^") + 1
            assert mark == " " * first + "^" * (last - first)
            assert len(line) <= 122
            assert line.removesuffix("…")[first:last] == text[start : start + last - first]
            assert last - first == min(width, length - start) or line[last:] == "…"
            assert line.strip("…") in text
            assert line.startswith("…") or text.startswith(line.removesuffix("…"))
            assert line.endswith("…") or text.endswith(line.removeprefix("…"))
    assert draw_caret(text, (length, length)).split("\n")[1].index("^") == min(length, 121)


def test_errors_can_be_caught_as_the_builtins_they_are() -> None:
    with pytest.raises(OSError, match="cannot read"):
        raise UnreadableFileError("cannot read.", hint="check the path.")
    with pytest.raises(LookupError, match="unknown"):
        raise UnknownNameError("unknown.")
    with pytest.raises(ValueError, match="not allowed"):
        raise InvalidOptionError("not allowed.")


# Names


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("rop", "rope"),
        ("ROPE", "rope"),
        ("nope", "NoPE"),
        ("NOPE", "NoPE"),
        ("alibbi", "alibi"),
        ("sinusoidal", None),
        ("", None),
    ],
)
def test_the_closest_name_is_suggested_whatever_its_case(name: str, suggestion: str | None) -> None:
    assert did_you_mean(name, ["rope", "NoPE", "alibi", "fire"]) == suggestion


def test_nothing_is_suggested_where_nothing_is_known() -> None:
    assert did_you_mean("rope", []) is None


def test_a_look_up_returns_the_value_of_a_known_name() -> None:
    assert lookup("encoding", "rope", {"rope": 1, "alibi": 2}) == 1
    assert lookup("encoding", "none", {"none": None}) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rop", "encoding 'rop' is unknown. Known: alibi, rope.\nhint: did you mean 'rope'?"),
        ("xyz", "encoding 'xyz' is unknown. Known: alibi, rope.\nhint: choose one of the known encoding names."),
        ("it's", 'encoding "it\'s" is unknown. Known: alibi, rope.\nhint: choose one of the known encoding names.'),
    ],
)
def test_a_look_up_of_an_unknown_name_lists_the_family_and_suggests(name: str, text: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        lookup("encoding", name, {"alibi": 1, "rope": 2})
    assert str(caught.value) == text
    assert str(unknown_name("encoding", name, iter(["alibi", "rope"]))) == text


def test_a_long_value_is_shortened_in_message_and_hint() -> None:
    for error in (unknown_name("task", "x" * 10**6, ["parity"]), InvalidOptionError("y" * 10**6, hint="z" * 10**6)):
        assert len(str(error)) < 4_500
        assert "characters left out" in error.message
    assert error.hint.startswith("zzz")
    assert error.hint.endswith("zzz")
    assert "(998,000 characters left out)" in error.hint


def test_a_message_of_usual_length_is_not_touched() -> None:
    for length in (0, 1, 2_000):
        assert InvalidOptionError("y" * length).message == "y" * length


def test_the_caret_of_a_long_expression_shows_what_stands_around_it() -> None:
    text = "a" * 10**5 + ")" + "b" * 10**5
    shown, mark = RegexSyntaxError("wrong.", text=text, span=(10**5, 10**5 + 1)).caret().split("\n")
    assert len(shown) <= 122
    assert shown[mark.index("^")] == ")"
