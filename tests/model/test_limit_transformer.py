"""Limit transformers: floats against exact fractions, and PERIODIC and LOCAL as checks that can refuse."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from lengthwise.crasp.programs.catalog import find_program
from lengthwise.errors import InvalidOptionError
from lengthwise.model.compiled.circuit import Style
from lengthwise.model.compiled.compiler import make_circuit
from lengthwise.model.compiled.to_limit import limit_transformer
from lengthwise.model.limit import running
from lengthwise.model.limit.checks import check_local, check_periodic, check_positions, check_relation
from lengthwise.model.limit.exact import run_exactly
from lengthwise.model.limit.positions import AnyPositions, AnyRelation, LocalRelation, PeriodicPositions
from lengthwise.model.limit.running import run_limit
from lengthwise.model.limit.transformer import Head, Layer, LimitTransformer


def random_transformer(seed: int, *, fraction_bits: int | None = None) -> LimitTransformer:
    """Return a limit transformer of small whole numbers, with contents, positions and distances in its scores.

    Coordinate 0 is always 1 and makes queries that are the same everywhere; coordinate 1 is the input's in all layers and
    makes keys of different whole scores.
    """
    rng = np.random.default_rng(seed)
    width, hidden = 4, 3

    def matrix(*shape: int) -> np.ndarray:
        return rng.integers(-1, 2, shape).astype(float)

    def without_rows(found: np.ndarray) -> np.ndarray:
        found[:2] = 0
        return found

    def layer() -> Layer:
        heads = tuple(
            Head(
                keys=np.array([[0.0, score, 0.0, 0.0]]),
                queries=np.array([[1.0, 0.0, 0.0, 0.0]]),
                values=without_rows(matrix(width, width)),
                relation=LocalRelation(((0, 1.0), (2, -1.0))) if local else LocalRelation(),
            )
            for score, local in ((1.0, True), (-2.0, False))
        )
        return Layer(
            heads=heads,
            into=matrix(hidden, width),
            shift=matrix(hidden) + 0.37109375,  # no sum of other numbers here cancels it, so that no step is at 0
            out_of=without_rows(matrix(width, hidden)),
            is_step=np.array([True, False, True]),
        )

    embeddings, positions = matrix(3, width), matrix(3, width)
    embeddings[:, :2], positions[:, 0] = [[1, -1], [1, 0], [1, 1]], 0
    return LimitTransformer(
        embeddings=embeddings,
        positions=PeriodicPositions(positions),
        layers=(layer(), layer()),
        readout=matrix(2, width),
        fraction_bits=fraction_bits,
    )


def with_contents(transformer: LimitTransformer) -> LimitTransformer:
    """Return it with one head in the first layer that attends by symbols; its logits are whole numbers."""
    width = transformer.width
    keys, queries = np.zeros((1, width)), np.zeros((1, width))
    keys[0, 1], queries[0, 1] = 1, 1
    values = np.diag([0.0, 0.0, *[1.0] * (width - 2)])
    head = Head(keys=keys, queries=queries, values=values, relation=LocalRelation(((1, 2.0),)))
    first = replace(transformer.layers[0], heads=(*transformer.layers[0].heads, head))
    return replace(transformer, layers=(first, *transformer.layers[1:]))


@pytest.fixture
def summed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by the number of different scores whenever a head is computed by running sums."""
    found: list[int] = []
    by_sums = running._by_sums

    def counted(head: Head, scores: np.ndarray, levels: np.ndarray, values: np.ndarray) -> np.ndarray:
        found.append(len(levels))
        return by_sums(head, scores, levels, values)

    monkeypatch.setattr(running, "_by_sums", counted)
    return found


def as_floats(rows: list[list[Fraction]]) -> np.ndarray:
    return np.array([[float(value) for value in row] for row in rows])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bits", [None, 16])
def test_sums_pairs_and_fractions_give_the_same_outputs(seed: int, bits: int | None, summed: list[int]) -> None:
    transformer = with_contents(random_transformer(seed, fraction_bits=bits))
    tokens = Random(seed).choices(range(3), k=7)
    for offset in (0, 2):
        exact = as_floats(run_exactly(transformer, tokens, offset=offset))
        np.testing.assert_allclose(run_limit(transformer, tokens, offset=offset), exact, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            run_limit(transformer, tokens, offset=offset, fast=False), exact, rtol=1e-9, atol=1e-9
        )
    assert len(summed) == (8 if bits is None else 0)  # two heads, two layers, two offsets; rounded weights need pairs
    assert bits or min(summed) > 1


def test_running_sums_agree_with_pairs_over_several_blocks(summed: list[int]) -> None:
    transformer = random_transformer(3)
    tokens = Random(0).choices(range(3), k=700)
    np.testing.assert_allclose(run_limit(transformer, tokens), run_limit(transformer, tokens, fast=False), atol=1e-9)
    assert len(summed) == 4


def test_heads_with_many_different_scores_are_computed_by_pairs(summed: list[int]) -> None:
    transformer = random_transformer(3)
    table = np.array([[0.0, 0.25 * place, 0.0, 0.0] for place in range(20)])
    many = replace(transformer, positions=PeriodicPositions(table))
    tokens = Random(0).choices(range(3), k=50)
    np.testing.assert_allclose(run_limit(many, tokens), run_limit(many, tokens, fast=False))
    assert not summed


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("bonus", [200.0, -200.0])
def test_large_logits_do_not_overflow(fast: bool, bonus: float) -> None:
    transformer = random_transformer(1)
    head = replace(transformer.layers[0].heads[0], relation=LocalRelation(((1, bonus),)))
    head = replace(head, keys=120 * head.keys)
    tokens = Random(1).choices(range(3), k=9)
    changed = with_head(transformer, head)
    with np.errstate(over="raise", invalid="raise"):
        found = run_limit(
            replace(changed, positions=PeriodicPositions(np.zeros((1, 4)))), [*tokens, *[1] * 60], fast=fast
        )
    exact = run_exactly(replace(changed, positions=PeriodicPositions(np.zeros((1, 4)))), [*tokens, *[1] * 60])
    np.testing.assert_allclose(found, as_floats(exact), rtol=1e-9, atol=1e-9)


def test_one_object_runs_at_every_length() -> None:
    transformer = limit_transformer(make_circuit(find_program("majority").program, Style.STEPS))
    for length in (1, 10, 1000):
        assert run_limit(transformer, [3, *[0] * length])[-1] < 0.5
        assert run_limit(transformer, [3, *[1] * length])[-1] > 0.5


def test_data_is_periodic_and_local_by_proof() -> None:
    transformer = random_transformer(0)
    for check in (check_periodic(transformer), check_local(transformer)):
        assert check.holds
        assert check.is_proved
    assert (transformer.period, transformer.reach) == (3, 2)


def test_the_period_is_the_smallest_one() -> None:
    doubled = PeriodicPositions(np.tile(np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]), (3, 1)))
    assert replace(random_transformer(0), positions=doubled).period == 2


def test_functions_are_believed_only_as_far_as_one_has_looked() -> None:
    turning = AnyPositions(lambda i: np.array([float(i % 5), 0.0, 0.0, 0.0]))
    found = check_positions(turning)
    assert (found.holds, found.is_proved) == (True, False)
    assert "p_(i+5)" in found.reason
    near = AnyRelation(lambda j, i: 1.0 if i - j == 3 else 0.0)
    assert (check_relation(near).holds, check_relation(near).is_proved) == (True, False)


def test_positions_that_grow_are_refuted() -> None:
    transformer = replace(random_transformer(0), positions=AnyPositions(lambda i: np.full(4, float(i))))
    check = check_periodic(transformer)
    assert (check.holds, check.is_proved) == (False, False)  # no period up to the bound; that is all
    assert check.counterexample is not None
    first, second = check.counterexample
    assert first != second
    assert transformer.period is None


def test_a_function_that_depends_on_more_than_the_distance_is_refuted() -> None:
    transformer = random_transformer(0)
    layer = transformer.layers[1]
    bad = replace(layer.heads[1], relation=AnyRelation(lambda j, i: 1.0 if j == 4 and i == 6 else 0.0))
    changed = replace(transformer, layers=(transformer.layers[0], replace(layer, heads=(layer.heads[0], bad))))
    check = check_local(changed)
    assert (check.holds, check.is_proved, check.counterexample) == (False, True, (0, 2, 4, 6))
    assert check.reason.startswith("layer 2, head 2: φ is not translation invariant")
    assert "unknown" in str(changed)


def test_a_function_without_an_end_is_refuted() -> None:
    check = check_relation(AnyRelation(lambda j, i: float((i - j) % 2)))
    assert (check.holds, check.counterexample) == (False, (0, 65))


def test_it_says_what_it_is() -> None:
    transformer = limit_transformer(make_circuit(find_program("tomita_4").program, Style.STEPS))
    assert str(transformer) == (
        "limit transformer: layers 3, heads 3, width 14, 6 bits a parameter, period 1, largest distance 2, "
        "46 parameters that are not 0"
    )


def test_parts_that_do_not_fit_are_refused() -> None:
    transformer = random_transformer(0)
    with pytest.raises(InvalidOptionError, match="the readout of shape"):
        replace(transformer, readout=np.zeros((1, 5)))
    with pytest.raises(InvalidOptionError, match="not a finite number"):
        replace(transformer, readout=np.full((1, 4), np.inf))
    with pytest.raises(InvalidOptionError, match="distances are different whole numbers"):
        LocalRelation(((1, 1.0), (1, 2.0)))
    with pytest.raises(InvalidOptionError, match="one row or more"):
        PeriodicPositions(np.zeros((0, 4)))
    far_below = replace(transformer.layers[0].heads[0], relation=LocalRelation(((0, -50.0),)))
    for run in (run_limit, run_exactly):
        with pytest.raises(InvalidOptionError, match="all weights of a query are rounded to 0"):
            run(replace(with_head(transformer, far_below), fraction_bits=3), [0, 1])
    half = replace(transformer.layers[0].heads[0], relation=LocalRelation(((0, 0.5),)))
    with pytest.raises(InvalidOptionError, match="no whole number"):
        run_exactly(with_head(transformer, half), [0, 1])


def with_head(transformer: LimitTransformer, head: Head) -> LimitTransformer:
    return replace(transformer, layers=(replace(transformer.layers[0], heads=(head,)),))
