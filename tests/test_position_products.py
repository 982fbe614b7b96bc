"""Products of position vectors, fitted to relations of distances, and the published experiments of huang2025's appendix."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from lengthwise.errors import InvalidOptionError, UnknownNameError
from lengthwise.experiment.plan import make_groups
from lengthwise.experiment.store import Result
from lengthwise.papers.huang2025_distances import (
    PUBLISHED,
    Distance,
    compare_distances,
    print_distances,
    published_rows,
    spec_of_distance,
)
from lengthwise.papers.huang2025_positions import (
    RELATIONS,
    PositionsRow,
    positions_table,
    print_positions,
    read_rows,
    run_positions,
)
from lengthwise.tasks.catalog import find_task
from lengthwise.train.position_products import ProductFit, ProductStack, fit_products

SMALL = ProductFit(positions=12, train_length=5, test_lengths=(5, 8, 12), steps=20, batch=6)


def small_stack(seeds: list[int], relations: list[tuple[int, ...]], fit: ProductFit = SMALL) -> ProductStack:
    return ProductStack(relations, seeds=seeds, width=4, fit=fit, dtype=torch.float64)


def window_loss(stack: ProductStack, parameters: list[Tensor], starts: list[int], length: int) -> Tensor:
    """Return the mean squared error of the first fit over windows, cut out one by one: slow and obvious."""
    positions, queries, keys = parameters
    total, number = torch.zeros((), dtype=torch.float64), 0
    for start in starts:
        for query in range(start, start + length):
            for key in range(start, query + 1):
                logit = (positions[query] @ queries) @ (positions[key] @ keys)
                total = total + (logit - stack.targets_MNN[0, query, key]) ** 2
                number += 1
    return total / number


def test_the_loss_is_the_mean_over_windows_that_are_cut_out_one_by_one() -> None:
    stack = small_stack([3], [(1,)])
    stack.number.fill_(7)
    parameters = [each[0] for each in stack.parameters]
    expected = window_loss(stack, parameters, stack.starts()[0].tolist(), 5)
    expected = expected + 0.01 * sum(each.square().mean() for each in parameters)
    assert stack.loss().item() == pytest.approx(expected.item(), rel=1e-12)


def test_the_test_error_is_the_mean_over_all_windows_of_a_length() -> None:
    stack = small_stack([0], [(0, 2)])
    errors = stack.errors()[0]
    for number, length in enumerate(SMALL.test_lengths):
        starts = list(range(SMALL.positions - length + 1))
        with torch.no_grad():
            expected = window_loss(stack, [each[0] for each in stack.parameters], starts, length)
        assert errors[number].item() == pytest.approx(expected.item(), rel=1e-12)


def test_a_fit_in_a_stack_is_plain_adam_on_windows() -> None:
    stack = small_stack([5, 2], [(1,), (0, 3)])
    ours = [each[:1].detach().clone()[0].requires_grad_() for each in stack.parameters]
    optimizer = torch.optim.Adam(ours, lr=SMALL.learning_rate)
    for number in range(6):
        stack.number.fill_(number)
        loss = window_loss(stack, ours, stack.starts()[0].tolist(), 5)
        loss = loss + 0.01 * sum(each.square().mean() for each in ours)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        stack.step(number)
        assert stack.losses_M[0].item() == pytest.approx(loss.item(), rel=1e-6)
    for own, stacked in zip(ours, stack.parameters, strict=True):
        assert torch.allclose(own, stacked[0], atol=1e-9)


def test_the_gradient_of_the_loss_is_that_of_finite_differences() -> None:
    stack = small_stack([1], [(2,)])
    (loss,) = stack.loss()
    loss.backward()
    for parameter in stack.parameters:
        place = (0, 1, 2)
        with torch.no_grad():
            kept = parameter[place].item()
            found = []
            for shift in (1e-6, -1e-6):
                parameter[place] = kept + shift
                found.append(stack.loss().item())
            parameter[place] = kept
        assert parameter.grad is not None
        assert parameter.grad[place].item() == pytest.approx((found[0] - found[1]) / 2e-6, rel=1e-5)


def test_windows_and_starts_are_uniform_and_a_fit_does_not_depend_on_its_stack() -> None:
    fit = replace(SMALL, batch=8_000)
    stack = small_stack([0, 1, 0], [(1,), (1,), (4,)], fit)
    starts = stack.starts()
    assert (starts[0] == starts[2]).all()
    assert not (starts[0] == starts[1]).all()
    counts = torch.bincount(starts[0], minlength=8)
    assert counts.shape == (8,)
    assert (counts.double() - 1000).abs().max() < 6 * math.sqrt(1000)
    alone = small_stack([1], [(1,)])
    assert torch.equal(alone.positions_MND[0], stack.positions_MND[1])
    assert stack.positions_MND.abs().max() <= 1
    assert stack.queries_MDD.abs().max() <= 0.5


def test_a_fit_learns_its_relation() -> None:
    fit = ProductFit(positions=20, train_length=6, test_lengths=(6, 20), steps=600, batch=16, learning_rate=0.01)
    ((inside, beyond),) = fit_products(ProductStack([(0, 2, 4)], seeds=[0], width=16, fit=fit))
    assert inside < 0.05
    assert beyond > inside
    stack = ProductStack([(1,)], seeds=[0], width=8, fit=fit)
    profile = stack.profile()[0]
    assert profile.shape == (20,)
    assert profile[19].item() == pytest.approx(stack.logits()[0, 19, 0].item(), rel=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test_lengths": (5, 13)}, "a window's length must be a whole number from 1 to 12; found 13."),
        ({"steps": 0}, "steps must be a whole number from 1 to 1e+08; found 0."),
    ],
)
def test_settings_are_checked(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        replace(SMALL, **change)  # type: ignore[arg-type]
    assert caught.value.message == message


def test_every_fit_needs_a_relation_and_a_seed() -> None:
    with pytest.raises(InvalidOptionError, match="every fit has a relation and a seed; found 1 relations and 2 seeds"):
        ProductStack([(1,)], seeds=[0, 1], width=4, fit=SMALL)


# The published table


def test_the_published_relations_hold_where_their_names_say() -> None:
    near = {name: relation.distances[:5] for name, relation in RELATIONS.items()}
    assert near == {
        "one_back": (1,),
        "25_back": (25,),
        "last_2": (0, 1),
        "last_25": (0, 1, 2, 3, 4),
        "0_mod_3": (0, 3, 6, 9, 12),
        "2_mod_5": (2, 7, 12, 17, 22),
        "all_before": (1, 2, 3, 4, 5),
        "prime": (2, 3, 5, 7, 11),
        "one_back_or_0_mod_3": (0, 1, 3, 6, 9),
    }
    assert {relation.kind for relation in RELATIONS.values()} == {"local", "periodic", "neither", "local or periodic"}
    assert all(set(relation.published) == {32, 256} for relation in RELATIONS.values())


def test_rows_are_kept_and_not_fitted_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "rows.json"
    told: list[tuple[int, int]] = []

    def run(names: list[str]) -> list[PositionsRow]:
        return run_positions("cpu", 2, 2, names, (3, 4), out, on_step=lambda *step: told.append(step))

    first = run(["one_back"])
    both = run(["0_mod_3", "one_back"])
    assert [row.relation for row in both] == ["0_mod_3", "0_mod_3", "one_back", "one_back"]
    assert both[2:] == first  # with the seconds of the first time
    assert {row.relation for row in read_rows(out)} == {"one_back", "0_mod_3"}
    assert len(positions_table(both)) == 5
    print_positions(first)
    assert capsys.readouterr().out.count("| j = i−1 | local | ") == 2


def test_wrong_names_files_and_numbers_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="relation 'one_bakc' is unknown"):
        run_positions(relations=["one_bakc"])
    with pytest.raises(InvalidOptionError, match="seeds must be a whole number of at least 1; found 0"):
        run_positions(seeds=0)
    with pytest.raises(InvalidOptionError, match="a width must be a whole number of at least 1; found 0"):
        run_positions(widths=[0])
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(InvalidOptionError, match="holds no fitted relations"):
        read_rows(tmp_path / "x.json")


# Copying with attention distance k


def finished(row: Distance, shares: tuple[float, float, float], seed: int, **fields: int) -> Result:
    """Return a finished run with these shares of matches at the three ranges."""
    run = make_groups(spec_of_distance(row, seeds=seed + 1, **fields))[0][seed]
    lengths = [bounds.high for bounds in run.bins]
    return Result(
        id=run.id,
        task=run.task,
        encoding=run.encoding,
        seed=seed,
        learning_rate=run.learning_rate,
        settings=run.settings,
        steps=run.training.steps,
        seconds=1.0,
        losses=(),
        provenance={},
        scores=tuple((length, 1000, round(1000 * share)) for length, share in zip(lengths, shares, strict=True)),
    )


def test_published_distances_are_the_runs_of_the_logs() -> None:
    assert len(PUBLISHED) == 12
    assert {row.task for row in PUBLISHED if row.lengths == "small"} == {
        "copy_every(1)",
        "copy_every(2, 150, whole)",
        "copy_every(3, 150, whole)",
    }
    means = {(row.distance, row.encoding): row.bins[1].mean for row in published_rows()}
    assert [round(100 * means[distance, "nope"], 1) for distance in (1, 2, 3)] == [77.0, 23.2, 11.6]
    assert min(means[distance, "ape"] for distance in (1, 2, 3)) > 0.999
    for row in PUBLISHED:  # a number of tokens that is a multiple of k, after k − 1 marks
        assert {(length + 1) % row.distance for length in find_task(row.task).lengths(0, 50)} == {0}
    with pytest.raises(InvalidOptionError, match="published distances are 1, 2, 3; found 4"):
        published_rows(distances=[4])


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: f"{row.distance}-{row.encoding}-{row.lengths}")
def test_a_row_of_distances_can_be_trained_as_published(row: Distance) -> None:
    spec = spec_of_distance(row)
    ((first, *_),) = make_groups(spec)
    assert (first.train_length, first.test_length) in ((50, 150), (128, 384))
    assert not spec.training.stop_early
    assert spec_of_distance(row, most_width=64).model.width == 64
    task = find_task(first.task)
    assert len(task.vocabulary) == spec.train_length * 3 + 5  # as many symbols as the longest input; # and four markers


def test_measured_distances_stand_beside_published_ones(capsys: pytest.CaptureFixture[str]) -> None:
    ape, nope = published_rows(distances=[2])
    results = [finished(ape, (1.0, 0.9, 0.5), 0), finished(ape, (0.995, 0.7, 0.1), 1), finished(ape, (0.98, 0, 0), 2)]
    results.append(finished(nope, (0.5, 0.0, 0.0), 0))
    one, two, *others = compare_distances(results, published_rows(distances=[2, 3]))
    assert (one.num_runs, one.bins[1].values, one.best_fit) == (3, (0.9, 0.7), 1.0)
    assert (two.num_runs, two.bins, two.best_fit) == (1, (), 0.5)
    assert [each.num_runs for each in others] == [0, 0]
    print_distances([one, two, *others])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith(
        "| 2 | ape | 50 → 150 | 2l1h256d lr 0.0001, dropout 0.1 | 100.0±0.0 / 100.0±0.0 / 97.7±3.0 |"
    )
    assert "| 99.8±0.4 / 80.0±14.1 / 30.0±28.3 | 2 of 3 | 2l1h256d, 30,000 steps |" in lines[2]
    assert "| none fits: at best 50.0 % | 0 of 1 |" in lines[3]
    assert lines[4].endswith("| not run | 0 of 0 | not run |")


def test_results_of_other_settings_are_left_out_of_the_comparison() -> None:
    rows = published_rows(distances=[2], encodings=["ape"])
    own, short, narrow = (
        finished(rows[0], (1.0, 0.9, 0.5), 0),
        finished(rows[0], (1.0, 0.1, 0.1), 0, steps=300),
        finished(rows[0], (1.0, 0.2, 0.2), 0, most_width=64),
    )
    for results, specs, steps, width in (
        ([own, short, narrow], None, 30_000, 256),
        ([own, short, narrow], [spec_of_distance(rows[0], steps=300)], 300, 256),
        ([own, short, narrow], [spec_of_distance(rows[0], most_width=64)], 30_000, 64),
    ):
        (found,) = compare_distances(results, rows, specs)
        assert (found.num_runs, found.steps, found.width) == (1, steps, width)
