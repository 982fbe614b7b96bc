"""The notebooks run from top to bottom and print what they show; how they become pages."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from notebooks import NOTEBOOKS, execute_notebook, notebook_text, run_cell

TRAINING = ("researcher",)  # its figures depend on the processor
LONGEST = 60.0  # seconds on one core


def test_there_is_a_notebook_for_each_kind_of_user() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["engineer", "library", "researcher", "theorist"]


def test_a_cell_shows_what_it_prints_and_then_its_last_value() -> None:
    names: dict[str, object] = {}
    assert run_cell("x = 1\nprint('told')\nx + 1", names) == "told\n2\n"
    assert run_cell("x = 3", names) == ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_was_run(path: Path) -> None:
    code = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert any(cell["outputs"] for cell in code)


@pytest.mark.full
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_within_a_minute_and_prints_what_it_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.stem in ("library", *TRAINING):
        pytest.importorskip("torch")
    monkeypatch.setenv("COLUMNS", "100")
    started = time.process_time()
    found = execute_notebook(path)
    assert time.process_time() - started < LONGEST
    if path.stem not in TRAINING:
        assert notebook_text(found) == path.read_text(encoding="utf-8"), "scripts/notebooks.py writes it anew"
