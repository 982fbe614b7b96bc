"""No task file can hang, exhaust or silently end a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from task_files import FILES, attack

import lengthwise

SOURCE = Path(lengthwise.__file__).parents[1]


@pytest.mark.full
@pytest.mark.parametrize("file", FILES)
def test_a_hostile_file_ends_every_command_with_a_result_or_a_sentence(file: str) -> None:
    assert [str(row) for row in attack(SOURCE, files=[file]) if not row.is_good] == []
