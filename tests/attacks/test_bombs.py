"""No bomb takes more than 10 s of CPU time or 1 GB, and each ends with a sentence."""

from __future__ import annotations

import pytest
from bombs import SOURCE, Bomb, bombs, run_bomb

ALL = bombs()


def test_there_are_enough_bombs_and_each_has_its_own_name() -> None:
    assert len(ALL) >= 60
    assert len({bomb.name for bomb in ALL}) == len(ALL)


@pytest.mark.full
@pytest.mark.parametrize("bomb", ALL, ids=lambda bomb: bomb.name)
def test_a_bomb_is_held(bomb: Bomb) -> None:
    outcome = run_bomb(bomb, SOURCE)
    assert outcome.held, outcome.line()
