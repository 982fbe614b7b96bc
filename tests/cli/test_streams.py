"""Standard streams that a file cannot steer and that no character can break."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from lengthwise.cli.streams import SafeStream, control, safe_streams
from lengthwise.markup import visible


def written(*texts: str) -> str:
    stream = io.StringIO()
    safe = SafeStream(stream)
    for text in texts:
        safe.write(text)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("ünï → ₂\n", "ünï → ₂\n"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwritten", "over\\rwritten"),
        ("\x9b2J", "\\x9b2J"),
        ("right\u202eleft", "right\\u202eleft"),
        ("half \udc80", "half \\udc80"),
        ("\x1b000000000000[31m", "\\x1b000000000000[31m"),  # the mark is drawn anew in every process
    ],
)
def test_control_characters_of_others_are_written_out(text: str, expected: str) -> None:
    assert written(text) == expected


def test_our_own_control_sequences_act() -> None:
    ours = [control(sequence, SafeStream(io.StringIO())) for sequence in ("[31m", "[0m", "\r", "[K")]
    assert written("red".join(ours)) == "\x1b[31mred\x1b[0mred\rred\x1b[K"
    assert control("[1m", io.StringIO()) == "\x1b[1m"  # a stream that is not filtered gets it plainly


def test_a_text_that_mixes_both_keeps_them_apart() -> None:
    assert (
        written("\x1b[1m".join(control(sequence, SafeStream(io.StringIO())) for sequence in ("[1m", "[0m")))
        == "\x1b[1m\\x1b[1m\x1b[0m"
    )


def test_what_is_printable_has_no_line_ends_either() -> None:
    assert visible("a\nb\x1b") == "a\\nb\\x1b"


def test_streams_are_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with safe_streams():
        assert isinstance(sys.stdout, SafeStream)
        print("\x1b[2J")
    assert (sys.stdout, sys.stderr) == before
    assert capsys.readouterr().out == "\\x1b[2J\n"


def test_characters_that_an_encoding_lacks_become_plain_ones() -> None:
    code = "from lengthwise.cli.streams import safe_streams\nwith safe_streams():\n    print('1–3 × a₂ ✓ 字')"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONIOENCODING": "ascii"}, capture_output=True, check=True
    )
    assert done.stdout == b"1-3 x a2 yes \\u5b57\n"
