"""The program attacked as its worst users would: every attack must come out well. Slow, so only ``--full`` runs it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import faults
import kills
from base import SOURCE, Program
from report import MODULES

pytestmark = pytest.mark.full


@pytest.fixture
def program() -> Program:
    return Program(source=SOURCE)


@pytest.mark.parametrize("attack", MODULES, ids=lambda attack: attack.__module__)
def test_every_attack_comes_out_well(attack: object, program: Program, tmp_path: Path) -> None:
    assert callable(attack)
    found = attack(program, tmp_path)
    assert found
    assert [row for row in found if not row.good] == []


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler to make writes fail")
def test_disk_errors_lose_nothing(program: Program, tmp_path: Path) -> None:
    found = faults.attack(program, tmp_path, stride=25, jobs=1)
    assert len(found) >= 20
    assert [row for row in found if not row.good] == []


def test_kills_lose_nothing(program: Program, tmp_path: Path) -> None:
    count, found = kills.attack(program, tmp_path, kills=10, seed=7)
    assert count.kills >= 10
    assert count.lost == count.twice == count.different == 0, found
    assert count.bad_endings == []
