"""The hash: equal to its big-integer reference, uniform, and without state."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import InvalidSeedError, UnknownNameError
from lengthwise.seeds import (
    DATA,
    EVALUATION,
    INITIALIZATION,
    STREAMS,
    Draw,
    open_stream,
    reference_bits31,
    reference_bits64,
)

EXTREME = [0, 1, 2, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 2, 2**63 - 1]


def chi_square_excess(observed: np.ndarray) -> float:
    """Return how many standard deviations the chi-square statistic lies above its mean, for equal probabilities."""
    expected = observed.sum() / observed.size
    freedom = observed.size - 1
    return float((((observed - expected) ** 2).sum() / expected - freedom) / math.sqrt(2 * freedom))


def assert_uniform(values: np.ndarray, num_values: int) -> None:
    counts = np.bincount(values.reshape(-1), minlength=num_values)
    assert counts.size == num_values
    assert abs(chi_square_excess(counts)) < 4


def correlation(one: np.ndarray, two: np.ndarray) -> float:
    """Return the correlation in units of its standard deviation for independent numbers."""
    return float(np.corrcoef(one.reshape(-1), two.reshape(-1))[0, 1] * math.sqrt(one.size))


# The vectorised hash and its oracle


def test_the_vectorised_hash_equals_the_reference_on_extreme_seeds_and_steps() -> None:
    for stream, step in itertools.product(STREAMS, EXTREME):
        drawn = open_stream(stream, seed=EXTREME).at(step).bits31((40,))
        for seed, row in zip(EXTREME, drawn.tolist(), strict=True):
            assert row == [reference_bits31(stream, seed, step, element=element) for element in range(40)]


@given(
    stream=st.sampled_from(STREAMS),
    seed=st.integers(0, 2**63 - 1),
    path=st.lists(st.integers(0, 2**63 - 1) | st.text(max_size=5), max_size=4),
)
def test_the_vectorised_hash_equals_the_reference_along_any_path(stream: str, seed: int, path: list[str | int]) -> None:
    draw = open_stream(stream, seed=seed)
    for part in path:
        draw = draw.named(part) if isinstance(part, str) else draw.at(part)
    expected = [reference_bits31(stream, seed, *path, element=element) for element in range(3)]
    assert draw.bits31((3,)).tolist() == expected


def test_the_hash_is_pinned_so_that_old_batches_can_be_made_again() -> None:
    assert reference_bits64(DATA, 0, element=0) == 15950206220484062237
    assert open_stream(DATA, seed=0).at(7).named("ones").bits31((3,)).tolist() == [1671073007, 1556570651, 453401739]


def test_permutations_follow_the_order_of_the_reference_hashes() -> None:
    def as_int64(element: int) -> int:
        number = reference_bits64(DATA, 5, element=element)
        return number - 2**64 if number >= 2**63 else number

    assert open_stream(DATA, seed=5).permutation(50).tolist() == sorted(range(50), key=as_int64)


# Keys


def test_a_stack_of_seeds_draws_row_by_row_what_single_seeds_draw() -> None:
    seeds = [3, 0, 2**63 - 1, 17]
    stacked = open_stream(DATA, seed=seeds).named("x").at(4)
    for row, seed in enumerate(seeds):
        single = open_stream(DATA, seed=seed).named("x").at(4)
        assert (stacked.bits31((2, 3))[row] == single.bits31((2, 3))).all()
        assert (stacked.integers(7, (5,))[row] == single.integers(7, (5,))).all()
        assert (stacked.permutation(6, (2,))[row] == single.permutation(6, (2,))).all()


def test_an_array_of_steps_gives_a_child_for_each_step() -> None:
    draw = open_stream(DATA, seed=[1, 2])
    together = draw.at(np.arange(12, dtype=np.int64).reshape(3, 4))
    assert together.keys.shape == (2, 3, 4)
    for step in range(12):
        assert (together.bits31((5,))[:, step // 4, step % 4] == draw.at(step).bits31((5,))).all()


def test_shapes_may_be_empty_or_without_axes() -> None:
    draw = open_stream(DATA, seed=[1, 2])
    assert draw.bits31(()).shape == (2,)
    assert draw.bits31((3, 0)).shape == (2, 3, 0)
    assert draw.permutation(0, (4,)).shape == (2, 4, 0)
    assert open_stream(DATA, seed=1).bits31(()) == reference_bits31(DATA, 1, element=0)
    assert open_stream(DATA, seed=[]).integers(5, (2,)).shape == (0, 2)


def test_draws_have_no_state_and_results_are_int64() -> None:
    draw = open_stream(DATA, seed=9)
    first = draw.at(1).bits31((10,))
    draw.at(2).bits31((10,))
    draw.named("other").permutation(5)
    assert (draw.at(1).bits31((10,)) == first).all()
    assert {array.dtype for array in (first, draw.integers(3, (2,)), draw.permutation(3))} == {np.dtype(np.int64)}


def test_a_longer_draw_begins_with_the_shorter_one() -> None:
    draw = open_stream(DATA, seed=9)
    assert (draw.bits31((100,))[:10] == draw.bits31((10,))).all()


def test_names_steps_seeds_and_streams_never_share_a_key() -> None:
    keys = set()
    for stream, seed in itertools.product(STREAMS, range(10)):
        draw = open_stream(stream, seed=seed)
        children = [draw, *(draw.at(step) for step in range(10)), *(draw.named(str(name)) for name in range(10))]
        children += [draw.at(1).named("a"), draw.named("a").at(1), draw.at(1).at(2), draw.at(2).at(1)]
        keys |= {int(child.keys) for child in children}
    assert len(keys) == 3 * 10 * 25


# Uniformity; every draw below is fixed, so that a passing hash always passes


def test_the_statistics_reject_numbers_that_are_not_random() -> None:
    lopsided = np.bincount(open_stream(DATA, seed=0).integers(64, (4096,)) % 63, minlength=64)
    assert chi_square_excess(lopsided) > 4
    counter = np.arange(4096)
    assert chi_square_excess(np.bincount(counter % 64)) < -4
    assert abs(correlation(counter[1:], counter[:-1])) > 4


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("places", [0, 8, 15, 23], ids=lambda places: f"bits-from-{places}")
def test_eight_neighbouring_bits_are_uniform(stream: str, places: int) -> None:
    assert_uniform((open_stream(stream, seed=1).bits31((200_000,)) >> places) & 255, 256)


def test_every_bit_is_a_fair_coin() -> None:
    bits = open_stream(DATA, seed=2).bits31((100_000,))
    for place in range(31):
        assert abs(int(((bits >> place) & 1).sum()) - 50_000) < 4 * math.sqrt(100_000) / 2


@pytest.mark.parametrize("below", [2, 3, 5, 7, 10, 64, 100, 257, 1000])
def test_integers_are_uniform(below: int) -> None:
    assert_uniform(open_stream(DATA, seed=3).named("integers").integers(below, (200_000,)), below)


@pytest.mark.parametrize("axis", ["seeds", "steps", "elements"])
def test_first_numbers_of_neighbouring_keys_are_uniform(axis: str) -> None:
    numbers = range(20_000)
    drawn = {
        "seeds": lambda: open_stream(DATA, seed=numbers).integers(97, ()),
        "steps": lambda: open_stream(DATA, seed=0).at(np.arange(20_000)).integers(97, ()),
        "elements": lambda: open_stream(DATA, seed=0).integers(97, (20_000,)),
    }[axis]()
    assert_uniform(drawn, 97)
    pairs = drawn[:-1] % 10 * 10 + drawn[1:] % 10
    likely = np.bincount(np.arange(97) % 10) / 97
    expected = np.outer(likely, likely).reshape(-1) * pairs.size
    statistic = (((np.bincount(pairs, minlength=100) - expected) ** 2) / expected).sum()
    assert abs(statistic - 99) < 4 * math.sqrt(2 * 99)


def test_neighbouring_elements_steps_and_seeds_are_uncorrelated() -> None:
    drawn = open_stream(DATA, seed=range(50)).at(np.arange(50)).bits31((50,)).astype(float)
    for axis, lag in itertools.product(range(3), (1, 2, 16)):
        turned = np.moveaxis(drawn, axis, 0)
        assert abs(correlation(turned[lag:], turned[:-lag])) < 4


def test_streams_are_independent() -> None:
    drawn = {stream: open_stream(stream, seed=4).bits31((50_000,)) for stream in (DATA, INITIALIZATION, EVALUATION)}
    for one, two in itertools.combinations(drawn.values(), 2):
        assert (one == two).sum() < 3
        assert abs(correlation(one, two)) < 4
        assert_uniform((one & 15) * 16 + (two & 15), 256)


@pytest.mark.parametrize("part", ["seed", "step", "element"])
def test_flipping_one_bit_of_the_input_flips_half_of_the_output(part: str) -> None:
    samples = 200
    for place in range(63):
        flipped = 0
        by_place = np.zeros(31, dtype=np.int64)
        for sample in range(samples):
            given_ = {"seed": sample, "step": sample + 1, "element": sample + 2}
            other = given_ | {part: given_[part] ^ (1 << place)}
            change = reference_bits31(DATA, given_["seed"], given_["step"], element=given_["element"])
            change ^= reference_bits31(DATA, other["seed"], other["step"], element=other["element"])
            flipped += change.bit_count()
            by_place += (change >> np.arange(31)) & 1
        assert abs(flipped - 31 * samples / 2) < 4.5 * math.sqrt(31 * samples) / 2
        assert abs(by_place - samples / 2).max() < 5 * math.sqrt(samples) / 2


@pytest.mark.full
def test_a_million_draws_fill_sixteen_bits_evenly_in_every_window() -> None:
    for seed in range(5):
        bits = open_stream(EVALUATION, seed=seed).at(3).bits31((4_000_000,))
        for place in range(16):
            assert_uniform((bits >> place) & 0xFFFF if place < 15 else bits >> 15, 2**16)


# Integers and permutations


@pytest.mark.parametrize("below", [1, 2, 3, 1000, 2**31 - 1, 2**31])
def test_integers_stay_below_their_bound_and_reach_both_ends(below: int) -> None:
    drawn = open_stream(DATA, seed=6).integers(below, (100_000,))
    assert drawn.min() >= 0
    assert drawn.max() < below
    assert drawn.min() < max(below // 1000, 1)
    assert drawn.max() >= below - max(below // 1000, 1)


def test_integers_take_one_bound_for_each_number() -> None:
    draw = open_stream(DATA, seed=[6, 7])
    bounds = np.array([1, 2, 3, 2**31], dtype=np.int64)
    together = draw.integers(bounds, (4,))
    for column, bound in enumerate(bounds.tolist()):
        assert (together[:, column] == draw.integers(bound, (4,))[:, column]).all()


@given(below=st.integers(1, 2**31), data=st.data())
def test_every_integer_has_a_probability_within_the_stated_bound(below: int, data: st.DataObject) -> None:
    value = data.draw(st.integers(0, below - 1))
    first = -(-(value << 31) // below)  # the least u with (u * below) >> 31 == value
    last = -(-((value + 1) << 31) // below)
    assert (first * below) >> 31 == value or first == last
    assert abs((last - first) * below - 2**31) < below


@pytest.mark.parametrize("n", [3, 4])
def test_permutations_are_uniform(n: int) -> None:
    drawn = open_stream(DATA, seed=8).permutation(n, (60_000,))
    everything = {order: number for number, order in enumerate(itertools.permutations(range(n)))}
    numbers = np.array([everything[order] for order in map(tuple, drawn.tolist())])
    assert_uniform(numbers, math.factorial(n))


def test_permutations_are_permutations() -> None:
    drawn = open_stream(DATA, seed=[1, 2]).permutation(200, (30,))
    assert drawn.shape == (2, 30, 200)
    assert (np.sort(drawn, axis=-1) == np.arange(200)).all()


@pytest.mark.full
@pytest.mark.parametrize("below", [1, 2, 3, 10, 100])
def test_big_integers_are_uniform_for_small_bounds(below: int) -> None:
    draw = open_stream(DATA, seed=11)
    drawn = [draw.at(step).big_integer(below) for step in range(4_000)]
    counts = np.bincount(drawn, minlength=below)
    assert counts.size == below
    assert below == 1 or abs(chi_square_excess(counts)) < 4


def test_big_integers_fill_bounds_beyond_any_machine_word() -> None:
    draw = open_stream(DATA, seed=12)
    below = 5 * 2**500 // 7
    drawn = [draw.at(step).big_integer(below) for step in range(3_000)]
    assert all(0 <= number < below for number in drawn)
    assert_uniform(np.array([number * 30 // below for number in drawn]), 30)
    assert_uniform(np.array([number & 31 for number in drawn]), 32)


# Errors


def message(draw: object) -> str:
    with pytest.raises(InvalidSeedError) as caught:
        draw()  # type: ignore[operator]
    return str(caught.value)


@pytest.mark.parametrize("seed", [-1, 2**63, True, 1.0, "12", None, np.int64(3)], ids=repr)
def test_a_bad_seed_is_named_with_the_range_that_is_allowed(seed: object) -> None:
    expected = (
        f"the seed {seed!r} is not allowed; a seed is an int from 0 to 2**63 - 1.\n"
        "hint: choose a seed in this range, for example 0."
    )
    assert message(lambda: open_stream(DATA, seed=seed)) == expected  # type: ignore[arg-type]
    assert message(lambda: open_stream(DATA, seed=[0, seed])) == expected  # type: ignore[list-item]


@pytest.mark.parametrize("step", [-1, 2**63, False, "1"], ids=repr)
def test_a_bad_step_is_named_with_the_range_that_is_allowed(step: int) -> None:
    assert message(lambda: open_stream(DATA, seed=0).at(step)) == (
        f"the step {step!r} is not allowed; a step is an int from 0 to 2**63 - 1.\n"
        "hint: choose a step in this range, for example 0."
    )


@pytest.mark.parametrize("below", [0, -3, 2**31 + 1, True, 2.0, None], ids=repr)
def test_a_bad_bound_is_named_with_the_range_that_is_allowed(below: int) -> None:
    assert message(lambda: open_stream(DATA, seed=0).integers(below, (3,))) == (
        f"the bound {below!r} is not allowed; it must be an int from 1 to 2**31.\n"
        "hint: check that there is something to choose from; for a larger bound use big_integer."
    )


@pytest.mark.parametrize("wrong", [0, 2**31 + 1])
def test_a_bad_bound_in_an_array_is_named(wrong: int) -> None:
    bounds = np.array([3, wrong, 4], dtype=np.int64)
    assert message(lambda: open_stream(DATA, seed=0).integers(bounds, (3,))) == (
        f"the bound {wrong} is not allowed; it must be an int from 1 to 2**31.\n"
        "hint: check that there is something to choose from; for a larger bound use big_integer."
    )


@pytest.mark.parametrize("shape", [(2,), (2, 3), (1, 1, 3)])
def test_bounds_that_would_reuse_or_miss_numbers_are_refused(shape: tuple[int, ...]) -> None:
    assert message(lambda: open_stream(DATA, seed=0).integers(np.ones(shape, dtype=np.int64), (3,))) == (
        f"bounds of shape {shape} do not fit numbers of shape (3,).\n"
        "hint: give bounds that broadcast to the shape of the numbers."
    )


def test_arrays_of_another_type_are_refused() -> None:
    draw = open_stream(DATA, seed=0)
    assert message(lambda: draw.at(np.zeros(2))) == (
        "steps have the type float64; they must be int64.\nhint: convert them to int64 first."
    )
    assert message(lambda: draw.integers(np.ones(2, dtype=np.int32), (2,))) == (
        "bounds have the type int32; they must be int64.\nhint: convert them to int64 first."
    )


@pytest.mark.parametrize("below", [0, -1, True, 3.0], ids=repr)
def test_a_big_integer_needs_a_positive_bound(below: int) -> None:
    assert message(lambda: open_stream(DATA, seed=0).big_integer(below)) == (
        f"the bound {below!r} is not allowed; it must be an int of at least 1.\n"
        "hint: check that there is something to choose from."
    )


def test_a_big_integer_needs_one_key() -> None:
    assert message(lambda: open_stream(DATA, seed=[0, 1]).big_integer(5)) == (
        "a big integer needs a draw with one key; this one has 2.\nhint: open the stream with a single seed."
    )
    single: Draw = open_stream(DATA, seed=[3])
    assert single.big_integer(10**40) == open_stream(DATA, seed=3).big_integer(10**40)


def test_a_misspelled_stream_is_an_error() -> None:
    with pytest.raises(UnknownNameError) as caught:
        open_stream("dta", seed=0)
    assert str(caught.value) == (
        "stream 'dta' is unknown. Known: data, initialization, evaluation.\nhint: did you mean 'data'?"
    )
