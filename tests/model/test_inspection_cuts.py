"""A layer that sees only so far back: what is hidden, what is left, and what it says of a model."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from io import StringIO
from pathlib import Path

import pytest
import torch

from lengthwise.cli.commands import inspect
from lengthwise.cli.text import passing_line
from lengthwise.encodings.core.base import Fit
from lengthwise.encodings.core.build import make_encoding
from lengthwise.errors import InvalidOptionError
from lengthwise.experiment.models import models_folder, save_model
from lengthwise.experiment.plan import make_groups
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of
from lengthwise.model.inspection.inspect import inspect_model
from lengthwise.model.inspection.watching import Cut, HeadAtLength, SeenDistances, measure_at, watch
from lengthwise.model.shape import Shape
from lengthwise.model.transformer import Transformer
from lengthwise.seeds import INITIALIZATION, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.task import IGNORE, Task

COPY = find_task("unique_copy(12)")


def make_model(
    encoding: str, *, task: Task = COPY, length: int = 12, layers: int = 2, softmax_1: bool = False
) -> Transformer:
    """Return a model of random weights, all of the same seed, large enough that attention is not nearly uniform."""
    shape = Shape(layers=layers, heads=2, width=16, softmax_1=softmax_1)
    fit = Fit(num_heads=2, head_width=8, width=16, max_length=task.size(length), trained=20, num_layers=layers)
    model = Transformer(
        num_models=1,
        num_tokens=len(task.vocabulary),
        num_outputs=task.num_outputs,
        shape=shape,
        encoding=make_encoding(encoding, fit),
    )
    model.initialize(open_stream(INITIALIZATION, seed=[3]))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(5)
    return model


def outputs(model: Transformer, cut: Cut | None = None) -> torch.Tensor:
    return torch.cat([seen.outputs_BLO for seen in watch(model, COPY, [9, 9, 9], cut=cut)])


@pytest.mark.parametrize("of_input", [False, True])
def test_what_is_hidden_is_what_two_loops_say(of_input: bool) -> None:
    targets = torch.tensor([[IGNORE, IGNORE, IGNORE, 4, 5], [IGNORE, 2, IGNORE, 3, IGNORE]])
    hidden = Cut(layer=0, distance=1, of_input=of_input).hidden(targets).expand(2, 1, 5, 5)
    for instance, first in enumerate((3, 1)):
        for query in range(5):
            for key in range(query + 1):
                expected = query - key > 1 and (not of_input or query < first)
                assert bool(hidden[instance, 0, query, key]) is expected


@pytest.mark.parametrize("base", ["nope", "ape", "alibi", "rope"])
@pytest.mark.parametrize("distance", [0, 2])
def test_a_cut_of_the_only_layer_is_the_encoding_with_a_window(base: str, distance: int) -> None:
    plain, windowed = make_model(base, layers=1), make_model(f"window({base}, window={distance + 1})", layers=1)
    with torch.no_grad():
        for own, other in zip(plain.parameters(), windowed.parameters(), strict=True):
            other.copy_(own)
    assert torch.allclose(outputs(plain, Cut(layer=0, distance=distance)), outputs(windowed), atol=1e-5)
    assert not torch.allclose(outputs(plain), outputs(windowed), atol=1e-3)


@pytest.mark.parametrize("softmax_1", [False, True])
def test_a_cut_changes_its_layer_alone_and_nothing_beyond_the_longest_distance(softmax_1: bool) -> None:
    model = make_model("ape", softmax_1=softmax_1)
    assert torch.equal(outputs(model, Cut(layer=0, distance=99)), outputs(model))
    (whole,) = watch(model, COPY, [9, 9, 9])
    (cut,) = watch(model, COPY, [9, 9, 9], cut=Cut(layer=1, distance=2))
    assert torch.equal(whole.weights_BHLL[0], cut.weights_BHLL[0])
    size = cut.weights_BHLL[1].shape[-1]
    far = torch.arange(size)[:, None] - torch.arange(size) > 2
    assert not cut.weights_BHLL[1][..., far].any()
    (written,) = watch(model, COPY, [9, 9, 9], cut=Cut(layer=0, distance=2, of_input=True))
    first = int((whole.targets_BL[0] != IGNORE).nonzero()[0])
    assert not written.weights_BHLL[0][:, :, :first][..., far[:first]].any()
    assert torch.equal(written.weights_BHLL[0][:, :, first:], whole.weights_BHLL[0][:, :, first:])


def test_the_weight_at_unseen_distances_is_what_a_loop_says() -> None:
    model, known = make_model("ape"), SeenDistances(tokens=8, of_input=4)
    found = measure_at(model, COPY, 9, 3, seen=known)
    (seen,) = watch(model, COPY, [9, 9, 9])
    first = COPY.scored(9)[0]

    def loop(head: HeadAtLength, trained: int, *, of_input: bool) -> float:
        weights = seen.weights_BHLL[head.layer][:, head.head]
        total = number = 0.0
        for instance, size in enumerate(seen.sizes_B.tolist()):
            for query in range(trained, first if of_input else size):
                if head.layer == 1 and seen.targets_BL[instance, query] == IGNORE:
                    continue
                total += float(weights[instance, query, : query - trained + 1].sum())
                number += 1
        return total / number

    for head in found.heads:
        assert head.unseen == pytest.approx(loop(head, 8, of_input=False))
        if head.layer == 0:
            assert head.unseen_of_input == pytest.approx(loop(head, 4, of_input=True))
        else:
            assert head.unseen_of_input is None  # nothing is read off the input in the last layer
    for longer in (None, SeenDistances(tokens=99, of_input=99)):
        for head in measure_at(model, COPY, 9, 3, seen=longer).heads:
            assert (head.unseen, head.unseen_of_input) == (None, None)


def test_what_was_trained_is_the_longest_length_that_exists() -> None:
    task = find_task("copy_every(3, 30, whole)")
    found = inspect_model(make_model("ape", task=task, length=29), task, 10, 29, cuts=[5], instances=2)
    assert (found.trained_length, found.trained) == (8, task.size(8))
    assert [each.length for each in found.lengths][-1] == 29
    assert min(found.cuts[0].matched) == 8
    (after,) = [at for at in found.lengths if at.length == 11]
    assert after.heads[0].unseen is not None
    (before,) = [at for at in found.lengths if at.length == 8]
    assert {(head.unseen, head.unseen_of_input) for head in before.heads} == {(None, None)}


def test_a_cut_may_be_longer_than_any_number_of_the_machine() -> None:
    model = make_model("nope")
    assert torch.equal(outputs(model, Cut(layer=0, distance=10**30)), outputs(model))


def test_cuts_are_measured_layer_by_layer_at_three_lengths() -> None:
    model, heard = make_model("ape"), list[str]()
    found = inspect_model(model, COPY, 4, 12, cuts=[1, 99], instances=3, report=heard.append)
    assert heard[0] == "scores of all heads"
    assert heard[len(found.lengths)] == "length 12 of 12"
    assert heard[-1] == "cut 6 of 6"
    told = [(each.cut.layer, each.cut.distance, each.cut.of_input) for each in found.cuts]
    first = [(0, 1, False), (0, 1, True), (0, 99, False), (0, 99, True)]
    assert told == [*first, (1, 1, False), (1, 99, False)]  # nothing is read off the input in the last layer
    for each in found.cuts:
        assert len(each.matched) == 3
        assert {min(each.matched), max(each.matched)} == {4, 12}
        for length, share in each.matched.items():
            assert share == measure_at(model, COPY, length, 3, cut=each.cut).matched
    dyck = find_task("dyck_1")
    sets = inspect_model(make_model("nope", task=dyck), dyck, 4, 8, cuts=[2], instances=2)
    assert [each.cut.of_input for each in sets.cuts] == [False, False]  # all places are scored
    with pytest.raises(InvalidOptionError, match="a layer can see 0 tokens back or more; found -1"):
        inspect_model(model, COPY, 4, 12, cuts=[1, -1], instances=3)


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_passing_line_is_gone_at_the_end_and_shown_on_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, hidden, expected in (
        (Terminal(), False, "\r\x1b[Kone \r\x1b[Ktwo \r\x1b[K"),
        (Terminal(), True, ""),
        (StringIO(), False, ""),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        with passing_line(hidden=hidden) as show:
            show("one")
            show("two")
        assert stream.getvalue() == expected


def test_inspect_prints_cuts_as_a_table_and_as_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ((run,),) = make_groups(
        Spec(tasks=("unique_copy(12)",), encodings=("ape",), seeds=1, train_length=4, test_length=12)
    )
    stack = stack_of([run])
    store = str(tmp_path / "runs.sqlite")
    models_folder(store).mkdir()
    save_model(run, stack.named_weights(0), models_folder(store))
    given = Namespace(
        what=run.id,
        store=store,
        svg=None,
        tau=None,
        period=None,
        instances=2,
        cut=[1, 1],
        json=False,
        task=None,
        encoding=None,
        failures=False,
        hard=None,
        lengths=None,
    )
    assert inspect.run(given) == 0
    out = capsys.readouterr().out
    assert "layer  sees    queries       4   8 *  12 *\n–      all     all           0%  0%   0%\n" in out
    assert out.count("1 back  of the input") == 1
    assert inspect.run(Namespace(**vars(given) | {"json": True})) == 0
    cuts = json.loads(capsys.readouterr().out)["cuts"]
    assert cuts[0] == {"layer": 1, "distance": 1, "of_input": False, "matched": {"4": 0.0, "8": 0.0, "12": 0.0}}
