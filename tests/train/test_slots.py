"""Slots: a run trains as it would alone, whoever is beside it, whoever was there before, and whatever is padded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.model.shape import Shape
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.train.evaluation import tokens_on_gpu
from lengthwise.train.groups import TrainingRun, make_training_runs
from lengthwise.train.loop import Progress, Trained, smaller_size, train_runs
from lengthwise.train.optimizer import IDLE, step_factors
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

SHAPE = Shape(layers=1, heads=2, width=16)
TRAINING = Training(steps=40, batch=32, warmup=5, evaluate_every=10, examples=16)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def runs_of(
    task: str,
    encoding: str,
    seeds: Sequence[int] = (0,),
    rate: float = 0.03,
    shape: Shape = SHAPE,
    training: Training = TRAINING,
    **changes: object,
) -> list[TrainingRun]:
    return make_training_runs(
        task=find_task(task),
        encoding=encoding,
        shape=shape,
        training=replace(training, **changes),  # type: ignore[arg-type]
        bins=length_bins(8, 16),
        seeds=seeds,
        rates=[rate] * len(seeds),
        hard=task == "TOMITA_4",
    )


def mixed_runs(encoding: str) -> list[TrainingRun]:
    """Runs of several languages, one of which lacks lengths, that differ in everything that a group allows."""
    return [
        *runs_of("TOMITA_1", encoding, [0, 1]),
        *runs_of("TOMITA_4", encoding, [7], rate=0.001, steps=60),
        *runs_of("(aa)*", encoding, [2], steps=25, weight_decay=0.1, clip=0.3, warmup=0),
        *runs_of("D_3", encoding, [5], stop_early=False),
        *runs_of("(abc|c)*", encoding, [1], rate=0.01, steps=30),
    ]


def outcomes(trained: Sequence[Trained]) -> list[tuple[object, ...]]:
    return [(run.scores, run.hard, run.losses, run.steps) for run in trained]


def alone(runs: Sequence[TrainingRun]) -> list[tuple[object, ...]]:
    return [outcomes(train_runs(Stack(run.group, 1), [run]))[0] for run in runs]


@pytest.mark.parametrize(
    "encoding",
    ["ape", "alibi", *(pytest.param(name, marks=pytest.mark.full) for name in ("rope", "randomized(sinusoidal)"))],
)
def test_runs_in_refilled_slots_beside_other_tasks_come_out_as_alone_bit_for_bit(encoding: str) -> None:
    runs = mixed_runs(encoding)
    assert len({run.group for run in runs}) == 1
    together = outcomes(train_runs(Stack(runs[0].group, 2), runs))
    assert together == alone(runs)
    steps = [run[3] for run in together]
    assert steps[2:5] == [60, 25, 40]
    assert steps[0] < 40, "some run should stop early, and free its slot"


def test_tasks_with_answers_share_slots_too() -> None:
    runs = [*runs_of("first", "ape", [0, 1]), *runs_of("bin_majority", "ape", [0], rate=0.01)]
    assert runs[0].group == runs[2].group
    assert outcomes(train_runs(Stack(runs[0].group, 2), runs)) == alone(runs)


def test_penalties_of_any_weight_share_a_stack() -> None:
    weights = (0.1, 0.0, 2.0)
    runs = [
        run
        for weight in weights[::2]
        for run in runs_of("TOMITA_4", "ape", penalties=(("positional", weight), ("value_norm", 0.3)), steps=20)
    ]
    assert outcomes(train_runs(Stack.of(runs), runs)) == alone(runs)
    without = runs_of("TOMITA_4", "ape", penalties=(("positional", 0.0),))[0].group
    assert without == runs_of("TOMITA_4", "ape")[0].group != runs[0].group


def test_runs_of_one_task_with_and_without_hard_sets_share_a_stack() -> None:
    (hard,) = runs_of("TOMITA_4", "nope", steps=10)
    plain = replace(hard, hard_sets={}, seed=1)
    for runs in ([hard, plain], [plain, hard]):
        together = train_runs(Stack.of(runs), runs)
        assert outcomes(together) == alone(runs)
        assert [bool(trained.hard) for trained in together] == [bool(run.hard_sets) for run in runs]


class CutOffError(Exception):
    """Stands for whatever ends a process."""


@pytest.mark.parametrize("at", [2, 6])
def test_a_stack_that_is_cut_off_amid_its_queue_goes_on_as_if_it_had_not_been(at: int, tmp_path: Path) -> None:
    runs, file, seen = mixed_runs("ape"), tmp_path / "stack.safetensors", list[Progress]()

    def cut(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) > at:
            raise CutOffError

    whole = outcomes(train_runs(Stack(runs[0].group, 2), runs))
    with pytest.raises(CutOffError):
        train_runs(Stack(runs[0].group, 2), runs, cut, checkpoint=file)
    done: list[int] = []
    after: list[Progress] = []
    resumed = train_runs(
        Stack(runs[0].group, 2), runs, after.append, checkpoint=file, on_done=lambda number, _: done.append(number)
    )
    assert after[0].step > seen[at - 1].step
    assert sorted(done) == list(range(len(runs))), "also what was done before is told"
    assert outcomes(resumed) == whole


def test_runs_that_somebody_has_are_left_out(tmp_path: Path) -> None:
    runs, file = mixed_runs("ape"), tmp_path / "stack.safetensors"
    whole = outcomes(train_runs(Stack(runs[0].group, 2), runs, checkpoint=file))
    some = train_runs(Stack(runs[0].group, 2), runs, checkpoint=file, finished=[0, 1, 3])
    assert outcomes(some) == [whole[number] for number in (2, 4, 5)]


def cut_after(reports: int) -> Callable[[Progress], None]:
    left = iter(range(reports))

    def cut(_: Progress) -> None:
        if next(left, None) is None:
            raise CutOffError

    return cut


def test_runs_that_nobody_has_any_more_are_trained_again(tmp_path: Path) -> None:
    runs, file = mixed_runs("ape"), tmp_path / "stack.safetensors"
    whole = outcomes(train_runs(Stack(runs[0].group, 2), runs))
    for reports, finished in ((1, []), (1, [2, 0, 5])):  # the second checkpoint holds nothing of the finished runs
        with pytest.raises(CutOffError):
            train_runs(Stack(runs[0].group, 2), runs, cut_after(reports), checkpoint=file, finished=finished)
    assert outcomes(train_runs(Stack(runs[0].group, 2), runs, checkpoint=file)) == whole


def test_results_that_are_forgotten_are_trained_again(tmp_path: Path) -> None:
    runs, file = mixed_runs("ape"), tmp_path / "stack.safetensors"
    before: list[int] = []
    with pytest.raises(CutOffError):
        train_runs(
            Stack(runs[0].group, 2),
            runs,
            cut_after(6),
            checkpoint=file,
            on_done=lambda number, _: before.append(number),
        )
    assert before
    kept: list[int] = []
    again = train_runs(
        Stack(runs[0].group, 2),
        runs,
        checkpoint=file,
        keep=lambda number, _: kept.append(number),
        forgotten=range(len(runs)),
    )
    assert sorted(kept) == list(range(len(runs)))
    assert outcomes(again) == outcomes(train_runs(Stack(runs[0].group, 2), runs))


def test_runs_go_on_in_a_smaller_stack_with_slots_to_spare() -> None:
    runs = mixed_runs("ape")[:4]
    large = Stack.of(runs)
    large.advance(10)
    large.clear([0, 2])
    small = large.moved([1, 3, 0])
    assert small.num_slots == 3
    for _ in range(10):
        assert torch.equal(small.step()[:2], large.step()[[1, 3]])


@pytest.mark.parametrize(
    ("busy", "left", "step", "set_up", "expected"),
    [
        (90, 8000, 0.008, 2.0, 96),  # there is no smaller size for these
        (60, 8000, 0.008, 2.0, 64),
        (60, 500, 0.008, 2.0, 96),  # it would save one second
        (60, 8000, 0.008, 20.0, 96),  # programs are not known: it would save 16 seconds
        (8, 8000, 0.008, 20.0, 8),
        (5, 4000, 0.024, 3.0, 6),
        (1, 4000, 0.008, 3.0, 1),
        (1, 4000, 0.002, 0.1, 96),  # a step takes as long however small it is
        (5000, 4000, 0.1, 0.1, 96),
    ],
)
def test_a_stack_on_a_gpu_gets_smaller_where_that_saves_more_than_it_costs(
    busy: int, left: int, step: float, set_up: float, expected: int
) -> None:
    assert smaller_size(96, busy, left, step=step, set_up=set_up) == expected


def test_times_of_steps_are_told_for_a_choice_of_size() -> None:
    stack = Stack.of(runs_of("TOMITA_4", "nope"))
    stack.advance(4)
    assert stack.set_up > 0 == stack.step_seconds
    stack.advance(6)
    assert 0 < stack.step_seconds < stack.seconds["steps"]


@pytest.mark.parametrize(
    ("task", "encoding"),
    [("TOMITA_4", "ape"), ("(aab)*", "nope"), ("unique_copy", "coupling(learned)"), ("listops", "nope")],
)
def test_evaluation_sets_made_by_numpy_are_those_made_by_torch(task: str, encoding: str) -> None:
    runs = runs_of(task, encoding, [0, 1])
    found = []
    for host_xp in (torch_arrays(), numpy_arrays()):
        stack = Stack(runs[0].group, 2)
        stack.host_xp = host_xp
        stack.put(dict(enumerate(runs)))
        stack.advance(10)
        found.append((stack.matched(), stack.test([0, 1])))
    assert found[0] == found[1]


def test_a_test_after_more_steps_is_of_the_weights_by_then() -> None:
    stack = Stack.of(runs_of("TOMITA_4", "ape", [0, 1]))
    before = stack.test([1])
    stack.advance(30)
    assert stack.test([1]) != before


def test_a_stack_is_used_again_as_if_it_were_new() -> None:
    stack = Stack(mixed_runs("ape")[0].group, 2)
    first, again = (outcomes(train_runs(stack, mixed_runs("ape"))) for _ in range(2))
    assert first == again


# What is padded


@pytest.mark.parametrize(("task", "tied"), [("TOMITA_4", False), ("bin_majority", False), ("bin_majority", True)])
def test_what_is_padded_stays_zero_and_is_not_kept(task: str, tied: bool) -> None:
    (run,) = runs_of(task, "ape", shape=replace(SHAPE, tied=tied), weight_decay=0.5)
    stack = Stack.of([run])
    stack.advance(5)
    tokens, outputs = len(run.task.vocabulary), run.task.num_outputs
    assert stack.model.embedding_MVD.shape[1] == run.group.num_tokens == 8
    assert not stack.model.embedding_MVD[:, tokens:].any()
    kept = stack.named_weights(0)
    assert kept["embedding_MVD"].shape == (1, tokens, 16)
    if not tied:
        assert stack.model.readout is not None
        assert not stack.model.readout.weight_MIO[..., outputs:].any()
        assert not stack.model.readout.bias_MO[:, outputs:].any()
        assert kept["readout.weight_MIO"].shape == (1, 16, outputs)
        assert kept["readout.bias_MO"].shape == (1, outputs)
    assert all(torch.isfinite(values).all() for values in kept.values())


def test_initial_weights_are_drawn_at_the_true_size() -> None:
    from lengthwise.seeds import INITIALIZATION
    from lengthwise.train.models import make_model

    (run,) = runs_of("TOMITA_4", "ape", [3])
    model = make_model(run.task, "ape", SHAPE, run.bins, num_models=1)
    model.initialize(open_stream(INITIALIZATION, seed=[3]))
    kept = Stack.of([run]).named_weights(0)
    for name, parameter in model.named_parameters():
        assert torch.equal(kept[name], parameter.detach()), name


def test_a_refilled_slot_begins_with_no_moments() -> None:
    first, second = runs_of("TOMITA_4", "nope", [0, 1])
    stack = Stack.of([first])
    stack.advance(stack.group.period)
    stack.clear([0])
    stack.put({0: second})
    assert not stack.optimizer.means_MP.any()
    assert not stack.optimizer.squares_MP.any()
    assert torch.equal(stack.step(), Stack.of([second]).step())


# Layouts


def test_slots_at_different_steps_have_the_same_lengths() -> None:
    first, second = runs_of("TOMITA_4", "nope", [0, 1])
    stack = Stack(first.group, 2)
    stack.put({0: first})
    stack.advance(stack.group.period)
    stack.put({1: second})
    stack.advance(1)
    late, early = stack.ring.sizes_TMB[0, 0].clone(), stack.ring.sizes_TMB[0, 1].clone()
    assert torch.equal(late, early)
    assert torch.equal(early, (Stack.of([second])._fill_ring() or stack).ring.sizes_TMB[0, 1])


@pytest.mark.parametrize(("evaluate_every", "batch"), [(10, 32), (1, 2), (7, 8), (250, 64)])
def test_every_length_is_equally_frequent_within_a_period(evaluate_every: int, batch: int) -> None:
    stack = Stack.of(runs_of("TOMITA_4", "nope", steps=250, evaluate_every=evaluate_every, batch=batch))
    period = stack.group.period
    assert period % evaluate_every == 0
    counts = torch.bincount(stack.packing.choices(0, period).flatten(), minlength=9)
    assert counts.max() - counts.min() <= 1
    assert counts.min() >= 15
    assert torch.equal(stack.packing.choices(0, 3), stack.packing.choices(5 * period, 3))


def test_an_evaluation_after_the_last_step_is_one_at_the_end() -> None:
    late, at_end = (runs_of("TOMITA_4", "nope", steps=20, evaluate_every=every) for every in (10**9, 20))
    assert late[0].group == at_end[0].group
    assert outcomes(train_runs(Stack.of(late), late)) == outcomes(train_runs(Stack.of(at_end), at_end))


@pytest.mark.parametrize("steps", [10**6, 999_983])
def test_a_long_period_repeats_a_cycle_of_lengths(steps: int) -> None:
    stack = Stack.of(runs_of("TOMITA_4", "nope", steps=steps, evaluate_every=steps))
    period, cycle = stack.group.period, stack.group.cycle
    assert period == steps
    assert cycle == len(stack.packing.schedule_PR) == 10_000
    counts = torch.bincount(stack.packing.choices(0, cycle).flatten(), minlength=9)
    assert counts.max() - counts.min() <= 1
    assert torch.equal(stack.packing.choices(cycle, 3), stack.packing.choices(0, 3))
    assert torch.equal(stack.packing.choices(period - 2, 5)[2:], stack.packing.choices(0, 3))


def test_lengths_of_a_language_that_lacks_some_are_as_frequent_as_their_rooms() -> None:
    (run,) = runs_of("(aab)*", "nope", evaluate_every=32)
    stack = Stack.of([run])
    (own,) = stack.ring._source([run.task]).lengths
    frequency = torch.bincount(own[list(stack.group.layout.lengths)])
    assert frequency.tolist() == [3, 0, 0, 3, 0, 0, 3]


@pytest.mark.parametrize(("kind", "most"), [("", 2**25), ("fit", 2**25), ("fit", 3 * 2000 * 8)])
def test_sets_of_several_languages_made_at_once_are_those_of_each(
    kind: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [run for language in ("(aab)*", "TOMITA_4", "(a|bc)*", "(ab)*") for run in runs_of(language, "ape", [0, 1])]
    stack = Stack.of(runs)
    alone = stack._test_sets(range(len(runs)), kind, 0)
    monkeypatch.setattr("lengthwise.train.instance_sets._LEAST_TOKENS_ON_GPU", 1)
    monkeypatch.setattr("lengthwise.train.instance_sets._MOST_TOKENS_ON_GPU", most)  # three slots in a call, or all
    monkeypatch.setattr("lengthwise.train.instance_sets.make_examples", None)  # so that it is seen if it is called
    stack.on_gpu = True
    (together,), (apart,) = stack._test_sets(range(len(runs)), kind, 0), alone
    assert together.keys() == apart.keys() == set(range(len(runs)))
    for slot, examples in together.items():
        other = apart[slot]
        for one, two in zip(examples[1:], other[1:], strict=True):
            assert torch.equal(one, two)
        for part in ("tokens_MBL", "targets_MBL", "sizes_MB", "scale_MB"):
            assert torch.equal(getattr(examples.batch, part), getattr(other.batch, part))


def test_an_evaluation_takes_no_more_memory_than_a_stack_was_sized_for() -> None:
    for slots in (1, 3, 64, 500):
        for models in range(1, slots + 1):
            assert models * tokens_on_gpu(models, slots) <= slots * tokens_on_gpu(slots, slots) == slots * 8192
    assert tokens_on_gpu(1, None) == 2**20


def test_a_stack_that_is_emptied_lets_go_of_its_tasks() -> None:
    stack = Stack.of(runs_of("(aa)*", "nope"))
    stack.advance(1)
    assert stack.ring._sources
    stack.empty()
    assert not stack.ring._sources


def test_a_language_that_lacks_a_length_has_a_shorter_word_in_its_room() -> None:
    (run,) = runs_of("(aa)*", "ape")
    stack = Stack.of([run])
    stack._fill_ring()
    asked = stack.packing.lengths(stack.ring.choices_TR)
    scale = stack.ring.scale_TMB
    assert scale is not None
    assert set(asked.flatten().tolist()) == set(range(9))
    assert torch.equal(scale[:, 0].long(), asked // 2 * 2)


def test_a_ring_that_is_filled_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [*runs_of("TOMITA_4", "randomized(learned)", [0, 1]), *runs_of("D_3", "randomized(learned)", [2])]
    rings = []
    for most in (2**20, 500):
        monkeypatch.setattr("lengthwise.train.ring._TOKENS_AT_ONCE_ON_CPU", most)
        stack = Stack.of(runs)
        stack._fill_ring()
        rings.append(stack.ring)
    for name in ("tokens_TMRW", "targets_TMRS", "sizes_TMB", "scale_TMB", "ids", "factors_TFM"):
        assert torch.equal(getattr(rings[0], name), getattr(rings[1], name)), name


def test_draws_at_steps_of_their_own_are_those_at_each_step() -> None:
    for xp in (numpy_arrays(), torch_arrays()):
        draw = open_stream(DATA, seed=[3, 4], xp=xp)
        own = draw.at_own(xp.asarray([[5, 6], [0, 9]])).keys
        for row, (seed, steps) in enumerate(((3, (5, 6)), (4, (0, 9)))):
            single = open_stream(DATA, seed=seed, xp=xp)
            assert own[row].tolist() == [int(single.at(step).keys) for step in steps]


def test_after_its_last_step_a_run_is_idle() -> None:
    assert step_factors(TRAINING, 0.1, 40) == IDLE
    assert step_factors(TRAINING, 0.1, 39) != IDLE


@pytest.mark.parametrize(
    "change",
    [
        {"encoding": "rope"},
        {"shape": Shape(layers=2, heads=2, width=16)},
        {"batch": 64},
        {"evaluate_every": 20},
        {"task": "unique_copy"},
        {"task": "states(TOMITA_4)"},
    ],
    ids=str,
)
def test_what_the_program_depends_on_makes_another_group(change: dict[str, object]) -> None:
    base: dict[str, object] = {"task": "TOMITA_4", "encoding": "ape"}
    one, other = (runs_of(**settings)[0].group for settings in (base, base | change))  # type: ignore[arg-type]
    assert one != other
