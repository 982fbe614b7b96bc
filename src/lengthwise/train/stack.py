"""A stack: a machine with slots, in which runs of one group train together as one program.

A slot holds a run of any task of the group, at any step. When a run is done, the next one takes its slot: the program stays
as it is, and only the numbers it reads change. Slots begin at multiples of the group's period, so all slots share one layout.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import torch
import torch.nn.functional as functional
from torch import Tensor

from ..arrays import numpy_arrays, torch_arrays
from ..model.transformer import Block, Transformer
from ..seeds import INITIALIZATION, Draw, open_stream
from .evaluation import Examples, Score, join_examples, match_instances, score_by_length
from .generation import match_generated
from .groups import Group, TrainingRun
from .instance_sets import FIT, Wanted, make_sets, test_set
from .models import model_of_group
from .objectives import loss_per_model
from .optimizer import StackedAdamW
from .packing import Packing, Rows
from .penalties import penalties_of, require_what_penalties_act_on
from .precision import Precision, matrix_products, precision_on
from .recording import Recorded
from .ring import Placed, Ring
from .settings import GENERATED_EXAMPLES
from .weights import Weights

_FIRST_STEPS = 4  # in which a step is compiled and recorded
_MOST_INITIAL = 64  # initial weights that are kept, for runs of one seed on several tasks


class Tested(NamedTuple):
    """The scores of a model at every length, on the hard sets of its task by kind, and on the other sets that ``Trained`` has."""

    scores: tuple[Score, ...]
    hard: dict[str, tuple[Score, ...]]
    fit: tuple[Score, ...]
    generated: tuple[Score, ...] = ()
    forced: tuple[Score, ...] = ()


class Stack:
    """Slots for runs of one group.

    Each run trains as it would alone: bit for bit with one thread on one kind of CPU, not compiled, where the batch is a
    multiple of 32 and the width of a head a multiple of 8, so that no vector instruction spans two models; otherwise up
    to rounding. On a GPU the step is recorded, and compiled unless ``compiled`` says otherwise.
    """

    def __init__(
        self,
        group: Group,
        slots: int,
        *,
        device: str = "cpu",
        precision: Precision | None = None,
        compiled: bool | None = None,
    ) -> None:
        self.group, self.num_slots, self.device = group, slots, device
        self.on_gpu = torch.device(device).type == "cuda"
        self.precision = precision or precision_on(device)
        self.is_compiled = self.on_gpu if compiled is None else compiled
        self.xp = torch_arrays(device)
        # evaluation sets are many small steps, of which a GPU starts each as slowly as a large one
        self.host_xp = numpy_arrays() if self.on_gpu else self.xp
        self.model = model_of_group(group, slots).to(device)
        self.weights = Weights(dict(self.model.named_parameters()))
        self.optimizer = StackedAdamW(self.weights)
        self.packing = Packing(
            group.layout,
            batch=group.batch,
            period=group.period,
            cycle=group.cycle,
            pairs=group.batch % 2 == 0 and self.model.encoding.may_share_rows,
            device=device,
        )
        self.ring = Ring(group, self.packing, self.model.encoding, slots, self.xp, device)
        self.runs: dict[int, TrainingRun] = {}
        self.begun: dict[int, int] = {}  # the tick of the first step of each slot's run
        self.tick = 0
        self.steps_taken = 0  # by the stack, whoever was in its slots
        self.seconds: dict[str, float] = {}  # by what they were spent on
        self.set_up = 0.0  # seconds of the first steps, in which a step is compiled and recorded
        self.step_seconds = 0.0  # of a step, when some were last taken
        self.is_output_MO = torch.ones(slots, group.num_outputs, dtype=torch.bool, device=device)
        self.penalty_weights_PM = torch.zeros(len(group.penalties), slots, device=device)
        self.losses_M = torch.zeros(slots, device=device)
        self._position_1 = torch.zeros(1, dtype=torch.int64, device=device)
        self._initial: dict[tuple[int, int, int], Tensor] = {}
        self._examples: dict[int, Examples] = {}
        self._joined: Examples | None = None
        self._models: dict[tuple[int, ...], Transformer] = {}  # those of some slots, during a test
        self._run_block: Callable[..., Tensor] = Block.__call__
        self._read_losses: Callable[[Tensor, Tensor], Tensor] = self._losses_of_stream
        self._update: Callable[[Tensor, Tensor], None] = self.optimizer.step
        self._advance: Callable[[], None] = self._step
        if self.is_compiled:
            torch.compiler.reset()  # a process trains one stack at a time, and forgets the programs of the last
            self._run_block, self._read_losses = _compile(Block.forward), _compile(self._losses_of_stream)
        if self.is_compiled and self.on_gpu:
            self._update = _compile(self.optimizer.step)
        if self.on_gpu:
            self._advance = Recorded(self._step)

    @classmethod
    def of(cls, runs: Sequence[TrainingRun], **options: Any) -> Stack:
        """Return a stack with a slot for each run, before their first step."""
        stack = cls(runs[0].group, len(runs), **options)
        stack.put(dict(enumerate(runs)))
        return stack

    # Slots

    def put(self, runs: Mapping[int, TrainingRun]) -> None:
        """Put runs into slots, before their first steps; what was there is forgotten."""
        assert self.tick % self.group.period == 0, "slots begin at multiples of the period"
        with torch.no_grad():
            for slot, run in runs.items():
                self.weights.put(slot, self._initial_weights(run))
        self.optimizer.clear(list(runs))
        self._seat(runs, dict.fromkeys(runs, self.tick))

    def _seat(self, runs: Mapping[int, TrainingRun], begun: Mapping[int, int]) -> None:
        """Note which runs are in which slots, whatever their weights are."""
        for slot, run in runs.items():
            assert run.group == self.group, "a stack holds runs of one group"
            require_what_penalties_act_on(self.model, self.group.encoding, run.training)
            self.runs[slot], self.begun[slot] = run, begun[slot]
            self.is_output_MO[slot] = torch.arange(self.group.num_outputs, device=self.device) < run.task.num_outputs
            penalties = dict(run.training.penalties)
            for number, name in enumerate(self.group.penalties):
                self.penalty_weights_PM[number, slot] = penalties.get(name, 0.0)
        wanted = {slot: Wanted(run.task, run.bins[0], self.group.examples) for slot, run in runs.items()}
        # others than those of the scores: a run that stops must not score 100 % by that
        self._examples.update(self._make_sets(wanted, lambda stream: stream.named("stop")))
        self._joined = None
        self.ring.filled = 0

    def clear(self, slots: Sequence[int]) -> None:
        """Empty slots: their runs are done."""
        for slot in slots:
            del self.runs[slot], self.begun[slot], self._examples[slot]
        self._joined = None

    def empty(self) -> None:
        """Empty all slots, as in a new stack."""
        self.clear(list(self.runs))
        self.ring.forget_tasks()
        self.tick, self.seconds = 0, {}

    def step_of(self, slot: int) -> int:
        """Return how many steps the run in a slot has taken."""
        return self.tick - self.begun[slot]

    def moved(self, slots: Sequence[int], *, compiled: bool = False) -> Stack:
        """Return a stack with the runs of these slots alone; each trains on as if nothing had happened."""
        stack = Stack(self.group, len(slots), device=self.device, precision=self.precision, compiled=compiled)
        for name, tensor in stack.tensors().items():
            tensor.copy_(self.tensors()[name][list(slots)])
        stack.tick, stack.seconds = self.tick, self.seconds
        placed = {number: slot for number, slot in enumerate(slots) if slot in self.runs}
        stack._seat(
            {number: self.runs[slot] for number, slot in placed.items()},
            {number: self.begun[slot] for number, slot in placed.items()},
        )
        return stack

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that training changes, by name, a row for each slot."""
        return {
            "weights": self.weights.values_MP,
            "means": self.optimizer.means_MP,
            "squares": self.optimizer.squares_MP,
        }

    def restore(
        self, tensors: Mapping[str, Tensor], runs: Mapping[int, TrainingRun], begun: Mapping[int, int], tick: int
    ) -> None:
        """Set everything that training changes, as it was at a tick."""
        for name, tensor in self.tensors().items():
            tensor.copy_(tensors[name])
        self.tick = tick
        self._seat(runs, begun)

    def _initial_weights(self, run: TrainingRun) -> Tensor:
        """Return initial weights: drawn at the true size of a model, then padded."""
        key = (run.seed, len(run.task.vocabulary), run.task.num_outputs)
        if key not in self._initial:
            model = model_of_group(
                replace(self.group, num_tokens=len(run.task.vocabulary), num_outputs=run.task.num_outputs), 1
            )
            model.initialize(open_stream(INITIALIZATION, seed=[run.seed]))
            values_P = torch.zeros_like(self.weights.values_MP[0], device="cpu")
            padded = dict(self.model.named_parameters())
            with torch.no_grad():
                for name, parameter in model.named_parameters():
                    start, stop = self.weights.places[name]
                    values_P[start:stop] = _pad(parameter[0], padded[name].shape[1:]).flatten()
            while len(self._initial) >= _MOST_INITIAL:
                del self._initial[next(iter(self._initial))]
            self._initial[key] = values_P.to(self.device)
        return self._initial[key]

    def named_weights(self, slot: int) -> dict[str, Tensor]:
        """Return the weights of the model in a slot, by name, each with a leading 1, without padding."""
        task, found = self.runs[slot].task, {}
        for name, parameter in self.model.named_parameters():
            own = parameter.detach()[slot : slot + 1]
            if name == "embedding_MVD":
                own = own[:, : len(task.vocabulary)]
            elif name.startswith("readout."):
                own = own[..., : task.num_outputs]
            found[name] = own.cpu().clone()
        return found

    # Training

    def step(self) -> Tensor:
        """Take a step with every run; return the loss of each before it, without its penalties, [M]."""
        self.advance(1)
        return self.losses_M.clone()

    def advance(self, steps: int) -> None:
        """Take so many steps with every run."""
        left = steps
        while left:
            if self.tick >= self.ring.first + self.ring.filled or not self.ring.filled:
                with self.timed("batches"):
                    self._fill_ring()
            ready = min(left, self.ring.first + self.ring.filled - self.tick)
            what = "steps"
            if self.steps_taken < _FIRST_STEPS:
                ready, what = min(ready, _FIRST_STEPS - self.steps_taken), "set-up"
            before = self.seconds.get(what, 0.0)
            with self.timed(what), matrix_products(self.precision):
                for _ in range(ready):
                    self._advance()
            spent = self.seconds[what] - before
            if what == "set-up":
                self.set_up += spent
            else:
                self.step_seconds = spent / ready
            self.tick += ready
            self.steps_taken += ready
            left -= ready

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Add the time of what is done here to the seconds spent on it."""
        begun = time.perf_counter()
        yield
        self.wait()
        self.seconds[what] = self.seconds.get(what, 0.0) + time.perf_counter() - begun

    def wait(self) -> None:
        """Wait for the work under way, so that times are those of steps that were taken."""
        if self.on_gpu:
            torch.cuda.synchronize(self.device)

    def _fill_ring(self) -> None:
        placed = {slot: Placed(run, self.step_of(slot)) for slot, run in self.runs.items()}
        longest = max((run.training.steps - step for run, step in placed.values()), default=1)
        self.ring.fill(placed, self.tick, max(1, longest))
        self._position_1.zero_()

    def _step(self) -> None:
        rows = self.ring.rows(self._position_1)
        self.weights.forget_gradients()
        losses_M = self._loss_per_model(rows)
        (losses_M + self.penalties()).sum().backward()  # type: ignore[no-untyped-call]
        self._update(self.weights.gradient(), self.ring.factors(self._position_1))
        self.losses_M.copy_(losses_M.detach())
        self._position_1.add_(1)

    def penalties(self) -> Tensor:
        """Return what the penalties of each model add to its loss, [M]."""
        return penalties_of(self.model, self.group.penalties, self.penalty_weights_PM)

    def _loss_per_model(self, rows: Rows) -> Tensor:
        """Return the loss of each model, [M]."""
        with self._autocast():
            stream = self.model.stream(rows.tokens_MRW, rows.at, rows.scored, self._run_block)
            return self._read_losses(stream, rows.targets_MRS)

    def _losses_of_stream(self, stream_MRSD: Tensor, targets_MRS: Tensor) -> Tensor:
        outputs = self.model.read(stream_MRSD).float()
        return loss_per_model(self.group.objective, outputs, targets_MRS, self.is_output_MO)

    def _autocast(self) -> AbstractContextManager[Any]:
        return torch.autocast(
            torch.device(self.device).type, dtype=torch.bfloat16, enabled=self.precision is Precision.BF16
        )

    # Evaluation

    def matched(self) -> dict[int, float]:
        """Return the share of training-length instances that the run in each slot matches exactly."""
        if self._joined is None:
            of_anyone = next(iter(self._examples.values()))  # an empty slot computes something, which nobody reads
            self._joined = join_examples([self._examples.get(slot, of_anyone) for slot in range(self.num_slots)])
        shares = self._match(self.model, self._joined, self.is_output_MO).float().mean(1).tolist()
        return {slot: shares[slot] for slot in self.runs}

    def test(self, slots: Sequence[int]) -> dict[int, Tested]:
        """Return the scores of the runs in these slots at all lengths and on hard sets, computed together."""
        self._models.clear()
        scores: dict[tuple[int, str], list[Score]] = {(slot, ""): [] for slot in slots}
        kinds = dict.fromkeys(["", FIT, *(kind for slot in slots for kind in self.runs[slot].hard_sets)])
        for kind in kinds:
            for number in range(max(len(self.runs[slot].bins) for slot in slots)):
                for alike in self._test_sets(slots, kind, number):
                    for slot, found in self._score(alike).items():
                        scores.setdefault((slot, kind), []).extend(found)
        return {
            slot: Tested(
                tuple(scores[slot, ""]),
                {kind: tuple(scores[slot, kind]) for kind in kinds if kind not in ("", FIT) and (slot, kind) in scores},
                tuple(scores[slot, FIT]),
                *(self._generate(slot) if self.runs[slot].generates else ()),
            )
            for slot in slots
        }

    def _generate(self, slot: int) -> tuple[tuple[Score, ...], tuple[Score, ...]]:
        """Return the scores of a run's real decoding on some instances of every bin, and of teacher forcing on the same."""
        generated, forced = [], []
        model, run, is_output = self._model_of([slot]), self.runs[slot], self.is_output_MO[[slot]]
        for number in range(len(run.bins)):
            for sets in self._test_sets([slot], "", number):
                examples = sets[slot].of_instances(slice(GENERATED_EXAMPLES))
                scale = examples.batch.scale_MB
                with matrix_products(Precision.FP32):
                    matches = match_generated(model, run.task, examples, self.xp, is_output)
                generated += score_by_length(matches, scale)[0]
                forced += score_by_length(self._match(model, examples, is_output), scale)[0]
        return tuple(generated), tuple(forced)

    def _test_sets(self, slots: Sequence[int], kind: str, number: int) -> list[dict[int, Examples]]:
        """Return the instances of a bin for each slot that has any, of a hard set if a kind is named, by their sizes."""
        wanted = {slot: found for slot in slots if (found := test_set(self.runs[slot], kind, number)) is not None}

        def draw_of(stream: Draw) -> Draw:
            named = {"": stream, FIT: stream.named(FIT)}.get(kind) or stream.named("hard").named(kind)
            return named.at(number)

        sets: dict[tuple[int, ...], dict[int, Examples]] = {}
        for slot, examples in self._make_sets(wanted, draw_of).items():
            size = (examples.batch.tokens_MBL.shape[-1], examples.places_MBS.shape[-1])
            sets.setdefault(size, {})[slot] = examples
        return list(sets.values())

    def _make_sets(self, wanted: Mapping[int, Wanted], draw_of: Callable[[Draw], Draw]) -> dict[int, Examples]:
        """Return the instances that are wanted for slots."""
        seeds = {slot: self.runs[slot].seed for slot in wanted}
        on_gpu = self.xp if self.on_gpu else None
        return make_sets(wanted, seeds, draw_of, self.model.encoding, xp=self.xp, host_xp=self.host_xp, gpu_xp=on_gpu)

    def _score(self, sets: Mapping[int, Examples]) -> dict[int, list[Score]]:
        """Return the scores of the runs in slots on their instances, which are equally wide."""
        chosen = list(sets)
        examples = join_examples(list(sets.values()))
        matches = self._match(self._model_of(chosen), examples, self.is_output_MO[chosen])
        return dict(zip(chosen, score_by_length(matches, examples.batch.scale_MB), strict=True))

    def _model_of(self, slots: list[int]) -> Transformer:
        """Return the models in these slots as one, in this order."""
        if slots == list(range(self.num_slots)):
            return self.model
        if tuple(slots) not in self._models:
            model = model_of_group(self.group, len(slots)).to(self.device)
            Weights(dict(model.named_parameters())).values_MP.copy_(self.weights.values_MP[slots])
            self._models[tuple(slots)] = model
        return self._models[tuple(slots)]

    def _match(self, model: Transformer, examples: Examples, is_output_MO: Tensor) -> Tensor:
        with matrix_products(Precision.FP32):  # whatever the precision of training: a score must not hang on rounding
            return match_instances(model, self.group.objective, examples, is_output_MO, slots=self.num_slots)


def _pad(values: Tensor, shape: Sequence[int]) -> Tensor:
    """Return values with zeros at the end of every axis, to a shape."""
    ends = [end for size, full in zip(values.shape, shape, strict=True) for end in (full - size, 0)]
    return functional.pad(values, ends[::-1])


def _compile(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, dynamic=False, fullgraph=True)
