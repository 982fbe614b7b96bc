"""Counter-based randomness: one root seed, named streams, and no state.

A random number is a hash of where it is needed (stream, seed, then names and steps, then the number of the
element), so that any batch can be made again from its key, in any order and on any array library, bit for bit.
The hash is a chain: every part v turns the key k into ``mix(k ^ mix(v * GOLDEN + tag))``, where ``mix`` is the
finalizer of splitmix64 and the tag says what kind of part v is. It is computed in int64, which wraps around;
right shifts are masked, because they copy the sign. Under one key the hash is a bijection of the element.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from .arrays import Array, Arrays, numpy_arrays
from .errors import InvalidSeedError, unknown_name

DATA = "data"
INITIALIZATION = "initialization"
EVALUATION = "evaluation"
STREAMS = (DATA, INITIALIZATION, EVALUATION)

_GOLDEN = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio, made odd: neighbouring numbers land far apart
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # the multipliers of splitmix64
_SEED, _NAME, _STEP, _ELEMENT = 1, 2, 3, 4  # the tags
_WORD = 2**64 - 1
_KEPT_ELEMENTS = 2**16  # of which the mixed numbers are kept


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draw:
    """A place in the tree of random numbers, or a stack of such places: ``keys`` has any shape.

    A draw has no state: asked twice, it answers the same. So ask each draw for one thing only, and take children
    with :meth:`named` and :meth:`at` for further things. Results lead with the axes of ``keys``; the row of a key
    is what a draw with that key alone would give.

    >>> draw = open_stream(DATA, seed=0).at(7)
    >>> draw.named("ones").integers(10, (5,)).tolist()
    [7, 7, 2, 1, 4]
    """

    keys: Array
    xp: Arrays

    def named(self, name: str) -> Draw:
        """Return the child draw of this name."""
        return self._absorbed(_mixed_name(name))

    def at(self, step: int | Array) -> Draw:
        """Return the child draw of a step; an int64 array of steps gives a child for each, along new last axes."""
        if hasattr(step, "dtype"):
            self._require_int64("steps", step)
            return self._child(self.xp.asarray(step), _STEP)
        _require_int("step", step)
        return self._absorbed(_mixed(int(step), _STEP))

    def at_own(self, steps: Array) -> Draw:
        """Return the child draws of steps that differ by key: an int64 array that leads with the axes of the keys."""
        self._require_int64("steps", steps)
        keys = self.keys.reshape((*self.keys.shape, *[1] * (len(steps.shape) - len(self.keys.shape))))
        return Draw(keys=_absorb(keys, steps, _STEP, self.xp), xp=self.xp)

    def bits31(self, shape: tuple[int, ...]) -> Array:
        """Return numbers from 0 to 2**31 - 1: the upper bits of the hash."""
        return _shift_right(self._bits64(shape), 33)

    def integers(self, below: int | Array, shape: tuple[int, ...]) -> Array:
        """Return numbers x with 0 <= x < below; ``below`` is at most 2**31, and may be an array that broadcasts.

        x = (u * below) >> 31 for 31 random bits u. A value gets ⌊2**31 / below⌋ or ⌈2**31 / below⌉ of the 2**31
        possible u, so its probability is within 2**-31 of 1 / below.
        """
        bounds = self._checked_bounds(below)
        bits = self.bits31(shape)
        fits = all(size in (1, full) for size, full in zip(bounds.shape[::-1], bits.shape[::-1], strict=False))
        if not fits or len(bounds.shape) > len(bits.shape):
            raise InvalidSeedError(
                f"bounds of shape {tuple(bounds.shape)} do not fit numbers of shape {tuple(bits.shape)}.",
                hint="give bounds that broadcast to the shape of the numbers.",
            )
        return (bits * bounds) >> 31

    def permutation(self, n: int, shape: tuple[int, ...] = ()) -> Array:
        """Return permutations of 0, …, n - 1 along a new last axis: the order that sorts n hashes of 64 bits.

        Ties have probability 0, because the hash of one key is a bijection of the element.
        """
        return self.xp.stable_argsort(self._bits64((*shape, n)))

    def big_integer(self, below: int) -> int:
        """Return a Python int x with 0 <= x < below, exactly uniform: the first of many candidates that is below.

        ``below`` has no upper limit. Each candidate has just enough bits, so more than half of them are.
        """
        if type(below) is not int or below < 1:
            raise InvalidSeedError(
                f"the bound {below!r} is not allowed; it must be an int of at least 1.",
                hint="check that there is something to choose from.",
            )
        keys = self.keys.reshape(-1)
        if keys.shape[0] != 1:
            raise InvalidSeedError(
                f"a big integer needs a draw with one key; this one has {keys.shape[0]}.",
                hint="open the stream with a single seed.",
            )
        single = Draw(keys=keys.reshape(()), xp=self.xp)
        num_bits = (below - 1).bit_length()
        num_parts = -(-num_bits // 31)
        attempt = 0
        while True:
            candidate = 0
            for part in single.at(attempt).bits31((num_parts,)).tolist():
                candidate = candidate << 31 | part
            candidate >>= 31 * num_parts - num_bits
            if candidate < below:
                return candidate
            attempt += 1

    def _child(self, values: Array, tag: int) -> Draw:
        """Return the draw whose keys have absorbed every value: the axes of the keys, then those of the values."""
        keys = self.keys.reshape((-1, 1))
        hashed = _absorb(keys, values.reshape((1, -1)), tag, self.xp)
        return Draw(keys=hashed.reshape((*self.keys.shape, *values.shape)), xp=self.xp)

    def _absorbed(self, mixed: int) -> Draw:
        """Return the draw whose keys have absorbed one value, the same for all, which is mixed already."""
        keys = self.keys.reshape((-1,))  # NumPy warns when numbers without an axis wrap around
        return Draw(keys=_mix(keys ^ self.xp.asarray(mixed), self.xp).reshape(self.keys.shape), xp=self.xp)

    def _bits64(self, shape: tuple[int, ...]) -> Array:
        number = math.prod(shape)
        mixed = _mixed_elements(number, self.xp) if number <= _KEPT_ELEMENTS else _mix_elements(number, self.xp)
        hashed = _mix(self.keys.reshape((-1, 1)) ^ mixed, self.xp)
        return hashed.reshape((*self.keys.shape, *shape))

    def _checked_bounds(self, below: int | Array) -> Array:
        if not hasattr(below, "dtype"):
            if type(below) is not int or not 1 <= below <= 2**31:
                raise _bad_bound(below)
            return self.xp.asarray(below)
        bounds: Array = below
        self._require_int64("bounds", bounds)
        if self.xp.may_look:
            wrong = (bounds < 1) | (bounds > 2**31)
            if wrong.any():
                raise _bad_bound(int(bounds[wrong].reshape(-1)[0]))
        return bounds

    def _require_int64(self, what: str, given: Array) -> None:
        if given.dtype != self.xp.int64:
            raise InvalidSeedError(
                f"{what} have the type {given.dtype}; they must be int64.", hint="convert them to int64 first."
            )


def open_stream(stream: str, *, seed: int | list[int] | tuple[int, ...] | range, xp: Arrays | None = None) -> Draw:
    """Return the draw at the root of a stream; several seeds, in a list, tuple or range, give a stack of draws."""
    if stream not in STREAMS:
        raise unknown_name("stream", stream, STREAMS)
    table = numpy_arrays() if xp is None else xp
    seeds: int | list[int]
    if isinstance(seed, list | tuple | range):
        seeds = [_require_int("seed", one) for one in seed]
    else:
        seeds = _require_int("seed", seed)
    root = Draw(keys=table.asarray(0), xp=table)
    return root.named(stream)._child(table.asarray(seeds), _SEED)


def reference_bits31(stream: str, seed: int, *path: str | int, element: int) -> int:
    """Return what ``bits31`` must give for one element; the slow and obvious oracle of the vectorised hash."""
    return reference_bits64(stream, seed, *path, element=element) >> 33


def reference_bits64(stream: str, seed: int, *path: str | int, element: int) -> int:
    """Return the whole hash of one element as a number from 0 to 2**64 - 1; ``path`` holds names and steps."""
    key = _reference_absorb(0, _name_number(stream), _NAME)
    key = _reference_absorb(key, seed, _SEED)
    for part in path:
        if isinstance(part, str):
            key = _reference_absorb(key, _name_number(part), _NAME)
        else:
            key = _reference_absorb(key, part, _STEP)
    return _reference_absorb(key, element, _ELEMENT)


def _reference_absorb(key: int, value: int, tag: int) -> int:
    return _reference_mix(key ^ _reference_mix((value * _GOLDEN + tag) & _WORD))


def _reference_mix(number: int) -> int:
    number = ((number ^ (number >> 30)) * _FIRST) & _WORD
    number = ((number ^ (number >> 27)) * _SECOND) & _WORD
    return number ^ (number >> 31)


def _absorb(keys: Array, values: Array, tag: int, xp: Arrays) -> Array:
    """Return the keys after one part of the chain; needs at least one axis, since NumPy's scalars warn on overflow."""
    return _mix(keys ^ _mix(values * xp.asarray(_signed(_GOLDEN)) + tag, xp), xp)


def _mix_elements(number: int, xp: Arrays) -> Array:
    """Return the numbers of elements, mixed as a key absorbs them, [1, n]."""
    return _mix(xp.arange(number).reshape((1, -1)) * xp.asarray(_signed(_GOLDEN)) + _ELEMENT, xp)


_mixed_elements = lru_cache(maxsize=64)(
    _mix_elements
)  # they are half of the work of a hash, and few numbers come again


def _mixed(value: int, tag: int) -> int:
    """Return a value mixed as a key absorbs it, as an int64."""
    return _signed(_reference_mix((value * _GOLDEN + tag) & _WORD))


@lru_cache(maxsize=4096)
def _mixed_name(name: str) -> int:
    return _mixed(_name_number(name), _NAME)


def _mix(numbers: Array, xp: Arrays) -> Array:
    # the multipliers are arrays, because compilers of array programs take plain numbers for 32-bit ones
    numbers = (numbers ^ _shift_right(numbers, 30)) * xp.asarray(_signed(_FIRST))
    numbers = (numbers ^ _shift_right(numbers, 27)) * xp.asarray(_signed(_SECOND))
    return numbers ^ _shift_right(numbers, 31)


def _shift_right(numbers: Array, places: int) -> Array:
    return (numbers >> places) & ((1 << (64 - places)) - 1)


def _signed(number: int) -> int:
    """Return the int64 with the same 64 bits."""
    return number - 2**64 if number >= 2**63 else number


_NUMBERS: dict[str, int] = {}  # of names; known ones need no hashing, which compilers of array programs cannot follow


def _name_number(name: str) -> int:
    if name not in _NUMBERS:
        _NUMBERS[name] = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
    return _NUMBERS[name]


def _require_int(what: str, given: object) -> int:
    if type(given) is not int or not 0 <= given < 2**63:
        raise InvalidSeedError(
            f"the {what} {given!r} is not allowed; a {what} is an int from 0 to 2**63 - 1.",
            hint=f"choose a {what} in this range, for example 0.",
        )
    return given


def _bad_bound(below: object) -> InvalidSeedError:
    return InvalidSeedError(
        f"the bound {below!r} is not allowed; it must be an int from 1 to 2**31.",
        hint="check that there is something to choose from; for a larger bound use big_integer.",
    )
