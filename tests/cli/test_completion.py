"""Completion in a real bash: commands, their options, names of encodings."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from lengthwise.cli.commands import COMMANDS
from lengthwise.cli.completion import completion_script

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")


def complete(*words: str) -> list[str]:
    """Return what bash offers for the last word."""
    quoted = " ".join(f"'{word}'" for word in ("lengthwise", *words))
    code = f"{completion_script('bash')}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _lengthwise; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-euc", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


def test_every_command_is_offered() -> None:
    assert set(COMMANDS) <= set(complete(""))
    assert complete("pre") == ["predict"]


def test_options_are_those_of_the_command_also_after_other_words() -> None:
    assert complete("predict", "(aa)*", "--enc") == ["--encoding"]
    assert complete("crasp", "eq") == ["equal"]
    assert "--out" in complete("site", "build", "--")


def test_encodings_are_offered_after_their_option() -> None:
    assert complete("predict", "(aa)*", "--encoding", "alib") == ["alibi"]


def test_the_script_of_zsh_loads_what_bash_has_built_in() -> None:
    assert "bashcompinit" in completion_script("zsh")
    assert "bashcompinit" not in completion_script("bash")
