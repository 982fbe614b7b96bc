"""Random numbers for instances that are made one by one; a module of its own, because task processes load little else."""

from __future__ import annotations

_MULTIPLIER, _INCREMENT, _MASK = 6364136223846793005, 1442695040888963407, 2**64 - 1  # of a linear congruence


class Numbers:
    """Random numbers for one instance, from its key."""

    def __init__(self, key: int) -> None:
        self._state = key & _MASK

    @property
    def key(self) -> int:
        """The key from which another object gives the same numbers from here on."""
        return self._state

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound − 1; its probability is within bound / 2**31 of uniform."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        mixed = (self._state ^ (self._state >> 33)) * 0xFF51AFD7ED558CCD & _MASK
        return ((mixed >> 33) * bound) >> 31

    def shuffle(self, values: list[int]) -> list[int]:
        """Return the values in a random order."""
        left = list(values)
        for last in range(len(left) - 1, 0, -1):
            other = self.below(last + 1)
            left[last], left[other] = left[other], left[last]
        return left
