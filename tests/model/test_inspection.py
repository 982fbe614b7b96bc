"""Looking inside models: functions that are known by construction must be reported as what they are."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from lengthwise.cli.commands import inspect
from lengthwise.encodings.core.base import Fit, Where
from lengthwise.encodings.core.build import make_encoding
from lengthwise.errors import InvalidOptionError, UnreadableFileError
from lengthwise.experiment.models import models_folder, save_model
from lengthwise.experiment.plan import Run, make_groups
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of
from lengthwise.model.inspection.functions import study
from lengthwise.model.inspection.inspect import Inspection, inspect_model
from lengthwise.model.inspection.products import positions_of, product_function
from lengthwise.model.inspection.watching import margins_of, mean_scores, measure_at, watch
from lengthwise.model.shape import Shape
from lengthwise.model.transformer import Block, Transformer
from lengthwise.seeds import INITIALIZATION, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.task import IGNORE, Objective
from lengthwise.train.objectives import exact_matches

N, SEEN = 30, 12

Square = NDArray[np.float64]


def by_distance(*values: float, then: float = 0.0) -> Square:
    """Return a function of the distance: these values, then a constant."""
    query, key = np.indices((N, N))
    curve = np.array([*values, *[then] * (N - len(values))])
    return np.where(query >= key, curve[np.abs(query - key)], np.nan)


def modulo(period: int, *values: float) -> Square:
    query, key = np.indices((N, N))
    return np.where(query >= key, np.array(values)[(query - key) % period], np.nan)


# Functions


def test_a_local_function_is_found_to_be_local() -> None:
    found = study(by_distance(1.0, 5.0, -2.0), SEEN)
    assert (found.tau, found.limit.tau, found.limit.period, found.limit.departs_at) == (2, 2, 1, None)
    assert found.invariant == pytest.approx(1)
    assert (found.within_tau, found.rest) == pytest.approx((1, 0), abs=1e-9)
    assert found.limit.residual == pytest.approx(0, abs=1e-9)
    assert found.limit.beyond == pytest.approx(0, abs=1e-9)
    assert found.curve[:4] == pytest.approx((1, 5, -2, 0), abs=1e-9)
    assert (found.largest, found.largest_beyond) == pytest.approx((5, 0), abs=1e-9)
    assert found.period == 1


@pytest.mark.parametrize(("period", "values"), [(2, (3.0, 0.0)), (3, (0.0, 1.0, 0.0))])
def test_a_periodic_function_is_found_to_be_periodic(period: int, values: tuple[float, ...]) -> None:
    found = study(modulo(period, *values), SEEN)
    assert (found.period, found.limit.period) == (period, period)
    assert found.periodic == pytest.approx(1)
    assert found.wavelength == pytest.approx(period, rel=0.02)
    assert found.limit.residual == pytest.approx(0, abs=1e-9)
    assert found.limit.beyond == pytest.approx(0, abs=1e-9)
    assert found.tau is not None
    assert found.tau > SEEN // 2


def test_a_local_and_periodic_function_is_both() -> None:
    values = modulo(2, 0.0, 1.0) + np.nan_to_num(by_distance(0.0, 7.0))
    found = study(values, SEEN)
    assert (found.limit.tau, found.limit.period) == (1, 2)
    assert found.limit.residual == pytest.approx(0, abs=1e-9)


def test_what_a_query_gives_to_all_keys_changes_nothing_but_its_own_share() -> None:
    plain = study(by_distance(1.0, 5.0), SEEN)
    shifted = study(by_distance(1.0, 5.0) + 10 * np.sin(np.arange(N))[:, None], SEEN)
    assert shifted.curve == pytest.approx(plain.curve, abs=1e-8)
    assert shifted.invariant == pytest.approx(1)
    assert shifted.limit.residual == pytest.approx(0, abs=1e-9)
    assert plain.by_query is not None
    assert shifted.by_query is not None
    assert shifted.by_query > 0.9 > plain.by_query


def test_a_function_of_chance_is_no_function_of_the_distance() -> None:
    values = np.random.default_rng(0).normal(size=(N, N))
    found = study(values, SEEN)
    assert found.invariant is not None
    assert found.invariant < 0.15
    assert found.limit.residual is not None
    assert found.limit.residual > 0.8


def test_a_wave_is_seen_although_its_length_is_not_whole() -> None:
    query, key = np.indices((N, N))
    found = study(np.sin(2 * np.pi * (query - key) / 7.3), SEEN)
    assert found.wavelength == pytest.approx(7.3, rel=0.01)
    assert found.wave == pytest.approx(1, abs=1e-3)
    assert found.limit.departs_at is not None


@pytest.mark.parametrize("at", [SEEN, SEEN + 5])
def test_where_a_function_explodes_is_told(at: int) -> None:
    values = by_distance(0.0, 5.0, *[0.0] * (at - 2), then=50.0)
    found = study(values, SEEN)
    assert found.limit.departs_at == at
    assert found.largest_beyond == pytest.approx(50)
    assert found.limit.residual == pytest.approx(0, abs=1e-9)
    assert found.limit.beyond is not None
    assert found.limit.beyond > 10


def test_without_offsets_later_positions_are_not_seen() -> None:
    values = by_distance(0.0, 5.0)
    values[SEEN:] = np.random.default_rng(0).normal(size=(N - SEEN, N))  # queries that training never had
    told, not_told = (study(values, SEEN, offsets=offsets) for offsets in (False, True))
    assert told.invariant == pytest.approx(1)
    assert told.limit.beyond is not None
    assert told.limit.beyond > 0.5
    assert not_told.invariant is not None
    assert not_told.invariant < 0.9


def test_a_function_that_is_flat_has_no_shares() -> None:
    found = study(np.full((N, N), 3.0), SEEN)
    assert (found.invariant, found.tau, found.periodic, found.wave) == (None, None, None, None)
    assert (found.period, found.limit.departs_at) == (1, None)


def test_keys_that_are_hidden_leave_no_holes_where_distances_were_seen() -> None:
    query, key = np.indices((N, N))
    found = study(np.where(query - key < 3, by_distance(0.0, 5.0), np.nan), SEEN)
    assert np.isfinite(found.curve[:SEEN]).all()
    assert np.isfinite(found.spread).all()
    assert (found.largest_beyond, found.invariant_beyond, found.limit.beyond) == (None, None, None)


def test_the_limit_can_be_chosen_and_must_fit() -> None:
    found = study(by_distance(1.0, 5.0, -2.0), SEEN, tau=1, period=2)
    assert (found.limit.tau, found.limit.period) == (1, 2)
    assert found.limit.residual is not None
    assert found.limit.residual > 0.05
    with pytest.raises(InvalidOptionError) as caught:
        study(by_distance(1.0), SEEN, tau=12)
    assert str(caught.value) == (
        "tau must be from 0 to 11, for 12 distances seen in training; found 12.\n"
        "hint: correct it, or leave it out to let us choose."
    )
    with pytest.raises(InvalidOptionError, match="period must be from 1 to 12"):
        study(by_distance(1.0), SEEN, period=0)


def test_the_split_into_query_and_distance_is_the_least_squares_one() -> None:
    values = np.random.default_rng(1).normal(size=(8, 8))
    found = study(values, 8)
    pairs = [(i, j) for i in range(8) for j in range(i + 1)]
    design = np.zeros((len(pairs), 16))
    for number, (i, j) in enumerate(pairs):
        design[number, [i, 8 + i - j]] = 1
    target = np.array([values[pair] for pair in pairs])
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    assert [found.rows[i] + found.curve[i - j] for i, j in pairs] == pytest.approx(list(fitted), abs=1e-8)


@pytest.mark.parametrize("offsets", [True, False])
def test_the_nearest_limit_is_the_least_squares_one_over_pairs(offsets: bool) -> None:
    values = np.random.default_rng(2).normal(size=(9, 9)) + 2 * np.arange(9)
    found = study(values, 6, offsets=offsets, tau=1, period=2)
    pairs = [(i, j) for i in range(9) for j in range(i + 1) if i - j < 6 and (offsets or i < 6)]
    design = np.zeros((len(pairs), 4))
    for number, (i, j) in enumerate(pairs):
        design[number, i - j if i - j <= 1 else 2 + (i - j) % 2] = 1
    visible = np.array([values[i, j] - found.rows[i] for i, j in pairs])
    fitted = design @ np.linalg.lstsq(design, visible, rcond=None)[0]
    assert [found.limit.curve[i - j] for i, j in pairs] == pytest.approx(list(fitted), abs=1e-9)
    share = np.square(visible - fitted).sum() / np.square(visible - visible.mean()).sum()
    assert found.limit.residual == pytest.approx(share)


# Models


def make_model(
    encoding: str = "ape", *, task: str = "bin_majority", length: int = 10, models: int = 1, **shape: object
) -> Transformer:
    """Return a small model with random weights, for a task up to a length, trained up to a third of it."""
    found, made = find_task(task), replace(Shape(layers=2, heads=2, width=16), **shape)  # type: ignore[arg-type]
    fit = Fit(
        num_models=models,
        num_heads=made.heads,
        head_width=made.width // made.heads,
        width=made.width,
        max_length=found.size(length),
        trained=found.size(max(1, length // 3)),
        num_layers=made.layers,
    )
    model = Transformer(
        num_models=models,
        num_tokens=len(found.vocabulary),
        num_outputs=found.num_outputs,
        shape=made,
        encoding=make_encoding(encoding, fit),
    )
    model.initialize(open_stream(INITIALIZATION, seed=list(range(models))))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(5)
    return model


def with_product(function: Square) -> Transformer:
    """Return a model whose first head has this product function, for any function: one position for each channel."""
    model = make_model(task="dyck_1", length=27, layers=1, heads=1, width=N)
    table = model.encoding.table_MND
    block = model.blocks[0]
    assert isinstance(table, torch.Tensor)
    assert isinstance(block, Block)
    assert table.shape[1] <= N
    with torch.no_grad():
        table.copy_(torch.eye(N)[None, : table.shape[1]])
        block.qkv.weight_MIO[0, :, :N] = torch.eye(N)
        block.qkv.weight_MIO[0, :, N : 2 * N] = torch.from_numpy(np.nan_to_num(function).T)
    return model


@pytest.mark.parametrize(
    ("function", "limit"),
    [
        (by_distance(0.0, 4.0), (1, 1)),
        (modulo(2, 0.0, 2.0), (0, 2)),
        (modulo(2, 0.0, 2.0) + np.nan_to_num(by_distance(9.0)), (0, 2)),
    ],
)
def test_the_product_function_of_a_model_is_read_from_its_weights(function: Square, limit: tuple[int, int]) -> None:
    model, task = with_product(function), find_task("dyck_1")
    found = inspect_model(model, task, 10, 27, instances=4)
    (head,) = found.heads
    assert head.product is not None
    assert head.product_NN is not None
    size = len(head.product_NN)
    causal = np.tril(np.ones((size, size))) > 0
    assert np.allclose(head.product_NN.numpy()[causal], function[:size, :size][causal], atol=1e-6)
    assert (head.product.limit.tau, head.product.limit.period) == limit
    assert head.product.limit.residual == pytest.approx(0, abs=1e-9)
    assert head.product.seen == task.size(10)


def test_products_agree_with_loops_over_positions() -> None:
    model = make_model(models=2)
    positions = positions_of(model, 100)
    block = model.blocks[1]
    assert isinstance(block, Block)
    assert torch.equal(positions, model.encoding.table_MND)  # type: ignore[arg-type]
    found = product_function(positions, block)
    for m, head, i, j in ((0, 0, 3, 1), (1, 1, 5, 5), (1, 0, 2, 6)):
        own = slice(8 * head, 8 * head + 8)
        q = positions[m, i] @ block.qkv.weight_MIO[m, :, :16][:, own]
        k = positions[m, j] @ block.qkv.weight_MIO[m, :, 16:32][:, own]
        assert found[m, head, i, j].item() == pytest.approx((q @ k).item(), rel=1e-5)


def test_positions_given_by_a_formula_have_products_too_and_others_have_none() -> None:
    sinusoidal = make_model("sinusoidal", models=2)
    assert positions_of(sinusoidal, 40).shape == (2, 40, 16)
    with pytest.raises(InvalidOptionError, match="adds no position vectors"):
        positions_of(make_model("rope"), 10)


@pytest.mark.parametrize("encoding", ["ape", "nope", "alibi", "rope", "stick_breaking", "cope"])
def test_a_watched_model_computes_what_it_computes_unwatched(encoding: str) -> None:
    task = find_task("bin_majority")
    model = make_model(encoding, softmax_1=encoding == "ape")
    seen = list(watch(model, task, [3, 10, 7, 1]))
    assert len(seen) == 1
    assert [tuple(weights.shape) for weights in seen[0].weights_BHLL] == [(4, 2, 14, 14)] * 2
    with torch.no_grad():
        batch_tokens = _tokens(task, [3, 10, 7, 1])
        sizes = seen[0].sizes_B[None]
        at = Where(
            ids_MBL=model.encoding.ids(batch_tokens, sizes, None, None),
            scale_MBL=torch.tensor([[3, 10, 7, 1]])[..., None].expand(batch_tokens.shape),
            sizes_MBL=sizes[..., None].expand(batch_tokens.shape),
        )
        expected = model(batch_tokens, at)[0]
    assert torch.allclose(seen[0].outputs_BLO, expected, atol=1e-4)


def _tokens(task: object, lengths: list[int]) -> torch.Tensor:
    from lengthwise.arrays import torch_arrays
    from lengthwise.seeds import EVALUATION

    xp = torch_arrays("cpu")
    draw = open_stream(EVALUATION, seed=[0], xp=xp).named("inspect")
    tokens: torch.Tensor = task.sample(draw, xp.asarray(lengths), max(lengths), xp).tokens_MBL  # type: ignore[attr-defined]
    return tokens


def test_mean_scores_of_a_model_without_contents_are_its_bias() -> None:
    model = make_model("alibi")
    with torch.no_grad():
        for block in model.blocks:
            assert isinstance(block, Block)
            block.qkv.weight_MIO.zero_()
            block.qkv.bias_MO.zero_()
    for scores_HNN in mean_scores(model, find_task("bin_majority"), [10, 4, 10]):
        for head, slope in enumerate((2**-4, 2**-8)):
            distance = torch.arange(14)[:, None] - torch.arange(14)
            expected = torch.where(distance >= 0, -slope * distance, torch.nan).double()
            assert torch.allclose(scores_HNN[head], expected, equal_nan=True)


def test_margins_are_the_right_output_against_the_best_other() -> None:
    outputs = torch.tensor([[[3.0, 1.0, 2.5], [0.0, 4.0, -1.0], [1.0, 1.0, 1.0]]])
    assert margins_of(Objective.ANSWER, outputs, torch.tensor([[0, 2, IGNORE]]))[0, :2].tolist() == [0.5, -5.0]
    sets = torch.tensor([[0b101, 0b010, 0b111]])  # outputs 0 and 2; output 1; all
    assert margins_of(Objective.NEXT_SYMBOLS, outputs, sets)[0].tolist() == [-1.0, 0.0, 1.0]


def test_dilution_of_a_head_that_sees_all_alike_is_known() -> None:
    model, task = make_model("nope"), find_task("bin_majority")
    with torch.no_grad():
        for block in model.blocks:
            assert isinstance(block, Block)
            block.qkv.weight_MIO.zero_()
            block.qkv.bias_MO.zero_()
    found = inspect_model(model, task, 4, 10, instances=5)
    assert not found.has_positions
    for at in found.lengths:
        last = [head for head in at.heads if head.layer == 1]
        keys = [place + 1 for place in task.scored(at.length)]
        for head in last:
            assert head.largest == pytest.approx(sum(1 / number for number in keys) / len(keys))
            assert head.entropy == pytest.approx(sum(np.log(number) for number in keys) / len(keys))
    assert {head.product for head in found.heads} == {None}


def test_a_model_that_only_looks_one_back_is_seen_to() -> None:
    model, task = with_product(by_distance(0.0, 4.0)), find_task("dyck_1")
    block = model.blocks[0]
    assert isinstance(block, Block)
    with torch.no_grad():
        model.embedding_MVD.zero_()  # the stream is the positions alone, and after the norm nearly so
        block.qkv.weight_MIO[..., : 2 * N] *= 4
        block.qkv.bias_MO.zero_()
    found = inspect_model(model, task, 10, 27, instances=5)
    assert found.usual_distance(0, 0) == 1
    assert found.heads[0].measured.limit.tau == 1
    assert found.lengths[-1].heads[0].at_distance(1) > 0.9


@pytest.mark.parametrize("name", ["bin_majority", "dyck_1", "unique_copy(10)"])
def test_an_instance_is_matched_when_all_its_margins_are_above_zero(name: str) -> None:
    task, model = find_task(name), make_model(task=name)
    (seen,) = watch(model, task, [4, 2, 6, 8] * 4)
    expected = exact_matches(task.objective, seen.outputs_BLO[None], seen.targets_BL[None])[0]
    margins_BL = margins_of(task.objective, seen.outputs_BLO, seen.targets_BL)
    assert torch.equal(((margins_BL > 0) | (seen.targets_BL == IGNORE)).all(1), expected)
    at = measure_at(model, task, 4, 9)
    assert (at.length, at.instances) == (4, 9)
    assert 0 <= at.matched <= at.right <= 1
    assert at.low <= at.margin


@pytest.mark.parametrize(
    ("encoding", "moves"),
    [
        ("ape", True),
        ("learned", False),
        ("nope", True),
        ("window(ape, window=3)", True),
        ("window(learned, window=3)", False),
        ("randomized(learned)", True),
        ("window(offset(learned), window=3)", True),
        ("coupling(learned)", True),
        ("random_float(sinusoidal)", True),
    ],
)
def test_offsets_are_seen_through_other_encodings(encoding: str, moves: bool) -> None:
    task = find_task("unique_copy(6)")
    found = inspect_model(make_model(encoding, task=task.name, length=6, layers=1), task, 2, 6, instances=2)
    assert found.has_offsets is moves
    assert found.has_positions is (encoding != "nope")


def test_positions_end_with_the_table_that_an_encoding_is_put_around() -> None:
    size = find_task("bin_majority").size(10)
    assert positions_of(make_model("offset(learned)"), 100).shape == (1, size, 16)
    assert positions_of(make_model("window(ape, window=3)"), 100).shape == (1, size, 16)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_model_that_diverged_is_refused_in_a_sentence(value: float) -> None:
    model = make_model()
    with torch.no_grad():
        model.embedding_MVD[0, 1, 2] = value
    with pytest.raises(
        InvalidOptionError, match="1 of the model's tensors have weights that are not finite, 'embedding_MVD'"
    ):
        inspect_model(model, find_task("bin_majority"), 4, 10)


def test_one_model_is_inspected_at_a_time() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        inspect_model(make_model(models=2), find_task("bin_majority"), 4, 10)
    assert str(caught.value) == ("one model can be inspected at a time; found a stack of 2.\nhint: take one out first.")


# The command


def runs(**fields: object) -> list[tuple[Run, ...]]:
    return make_groups(Spec(**fields))  # type: ignore[arg-type]


def kept(folder: Path, encoding: str) -> tuple[Run, str]:
    """Keep a model as it is before training; return its run and the store."""
    (run,) = runs(tasks=("bin_majority",), encodings=(encoding,), seeds=1)[0]
    store = str(folder / "runs.sqlite")
    models_folder(store).mkdir(parents=True, exist_ok=True)
    weights = stack_of([run]).named_weights(0)
    save_model(run, weights, models_folder(store))
    return run, store


def options(what: str, store: str, **fields: object) -> Namespace:
    """Return what the command line gives."""
    parser = ArgumentParser()
    inspect.add_arguments(parser)
    return Namespace(**vars(parser.parse_args([what, "--store", store])) | {"json": False, "instances": 4} | fields)


def test_inspect_prints_heads_lengths_and_terms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, store = kept(tmp_path, "ape")
    assert inspect.run(options(run.id[:6], store, svg=str(tmp_path / "out" / "a.svg"))) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"bin_majority × ape, seed 0, run {run.id}: trained up to length 10 (14 tokens)")
    for told in (
        "layer 2, head 4  product ",
        "layer 2, head 4  measured ",
        "Terms of R(T):",
        "positional_first",
        "30 *",
    ):
        assert told in printed.out
    assert printed.err == f"wrote {tmp_path / 'out' / 'a.svg'}\n"
    drawn = (tmp_path / "out" / "a.svg").read_text(encoding="utf-8")
    assert drawn.count("<image") == 16
    assert "nan" not in drawn


def test_inspect_as_data_is_json_without_holes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, store = kept(tmp_path, "ape")
    assert inspect.run(options(run.id, store, json=True, tau=1, period=2)) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert [(head["layer"], head["head"]) for head in found["heads"][:5]] == [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1)]
    assert {head["product"]["limit"]["period"] for head in found["heads"]} == {2}
    assert found["settings"] == json.loads(json.dumps(run.settings))
    assert found["lengths"][-1]["length"] == 30
    assert set(found["terms"]) >= {"size", "positional"}


def test_a_model_without_positions_has_one_sentence_and_everything_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, store = kept(tmp_path, "rope")
    assert inspect.run(options(run.id, store, svg=str(tmp_path / "a.svg"))) == 0
    printed = capsys.readouterr().out
    assert "rope adds no positions to the input, so it has no product functions.\n" in printed
    assert "product " not in printed.split("product functions.")[1]
    assert "positional" not in printed
    assert "30 *" in printed
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("<image") == 8


def test_what_cannot_be_inspected_is_told_in_a_sentence(tmp_path: Path) -> None:
    run, store = kept(tmp_path, "ape")
    with pytest.raises(UnreadableFileError, match="has 1 kept models, and no id begins with 'zzz'"):
        inspect.run(options("zzz", store))
    with pytest.raises(UnreadableFileError, match=r"there is no file 'no\.safetensors'"):
        inspect.run(options("no.safetensors", store))
    with pytest.raises(InvalidOptionError, match="tau must be from 0 to 13"):
        inspect.run(options(run.id, store, tau=99))
    with pytest.raises(InvalidOptionError) as caught:
        inspect.run(options(run.id, store, instances=0))
    assert str(caught.value) == "--instances must be from 1 to 100000; found 0.\nhint: correct the value."
    other = replace(run, trainer_revision=99)
    weights = stack_of([run]).named_weights(0)
    path = save_model(other, weights, tmp_path)
    with pytest.raises(UnreadableFileError, match="was trained by revision 99 of the trainer"):
        inspect.run(options(str(path), store))


def test_the_inspection_of_a_run_is_the_same_twice() -> None:
    task = find_task("bin_majority")

    def look() -> Inspection:
        return inspect_model(make_model(), task, 3, 10, instances=6)

    first, second = look(), look()
    assert first.lengths == second.lengths
    assert [head.measured.rows for head in first.heads] == [head.measured.rows for head in second.heads]
