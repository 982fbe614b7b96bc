"""Whatever is read: it gives an answer or a sentence, in time and in memory. The million is run by hand: see fuzz.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.full
def test_fuzzed_inputs_give_an_answer_or_a_sentence() -> None:
    attack = Path(__file__).with_name("fuzz.py")
    done = subprocess.run(
        [sys.executable, str(attack), "--inputs", "20000", "--seed", "2", "--jobs", "1"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
