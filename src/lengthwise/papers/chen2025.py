"""On the Limitations and Capabilities of Position Embeddings for Length Generalization: its claims, measured.

Chen, Liang, Lin; arXiv 2510.04130. The figures of the paper are not known to us, so that nothing here repeats one: what can be
compared are its claims. Tasks, encodings and learned relations are our reconstruction.

Every cell is trained in stages, from a small model to a larger one that trains longer, until enough of its seeds are right on
the scales of training. Which stage and learning rate a cell is reported with is decided on these scales alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..encodings.names import find_encoding
from ..errors import unknown_name
from ..experiment.spec import Spec
from ..model.shape import Shape
from ..predict.second import problem_of, relation_of
from ..theory.positions.circuits import Circuit
from ..theory.positions.opinion import IDEAL, Opinion, Problem, find_problem, form_opinions
from ..theory.positions.relations_ideal import equations_of
from ..train.settings import Training

NAME = "chen2025"
TITLE = "On the Limitations and Capabilities of Position Embeddings for Length Generalization"
SOURCE = "Chen, Liang, Lin; arXiv 2510.04130"
STANDING = (
    "The paper's figures are not known to us: none is shown, and what is compared are its claims. Circuits, SRC, ideal and "
    "learned encodings are our reconstruction of arXiv 2510.04130."
)

TRAIN_SCALE = 16
TEST_SCALES = (32, 64, 128)
SEEDS = 5
ENOUGH = 0.8
"""The share of seeds that must fit the scales of training before a cell needs no further stage."""
FITTED = 0.99
SOLVED = 0.99
"""The exact match from which a run fits the scales of training, and from which it solves a longer scale."""

CLAIMS = (
    "With a scale hint, position embeddings win where the scale matters, as on copy and shift.",
    "IPE and RPE align the steps of parity with a chain of thought (Figure 1, aligned); APE does not.",
    "Length generalization is possible exactly when SRC does not grow with the scale (conjecture).",
)
"""What the abstract and Figure 1 of the paper state, in our words."""

TASKS = {
    "copy": "repeat_copy",
    "shift": "shift",
    "reverse": "reverse",
    "parity CoT": "parity_cot",
    "parity CoT aligned": "parity_cot_aligned",
    "addition": "add_columns(5)",
}
CONTROLS = {"parity without CoT": "parity", "N×N without CoT": "multiply_binary"}
"""What must fail: no circuit of bounded arity computes them."""

OUTSIDE = {
    "odds first": "odds_first",
    "every second": "copy_every(2)",
    "pairs swapped": "swap_pairs",
    "grid transposed": "transpose",
}
"""Tasks that the relations of lbpe were not chosen for."""

ENCODINGS = {
    "nope": "nope",
    "ape": "ape",
    "rpe": "rpe",
    "rpe + hint": "scale_hint(rpe)",
    "t5": "t5",
    "rope": "rope",
    "fire": "fire",
    "ipe + hint": "ipe",
    "lbpe": "lbpe(hint=false)",
    "lbpe + hint": "lbpe",
}
UNCORRECTED = {
    "ipe + hint plain": "ipe(corrected=false)",
    "lbpe plain": "lbpe(hint=false, corrected=false)",
    "lbpe + hint plain": "lbpe(corrected=false)",
}
"""The same with a plain softmax."""

FURTHER = {"rpe²": "rpe_square", "alibi": "alibi"}
GROWN = {"lbpe + hint": "lbpe", "lbpe_grown": "lbpe_grown", "ipe + hint": "ipe", "rope": "rope"}

_SMOOTH = ("rope", "alibi", "fire")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A size of model, how long it trains, and the learning rates it is tried with."""

    name: str
    shape: Shape
    steps: int
    rates: tuple[float, ...]


STAGES = (
    Stage(name="small", shape=Shape(layers=2, heads=8, width=64), steps=2_000, rates=(0.003, 0.01)),
    Stage(name="large", shape=Shape(layers=4, heads=8, width=128), steps=5_000, rates=(0.001,)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """A task with an encoding, as they are called in the tables and as they are trained."""

    part: str
    task_title: str
    task: str
    encoding_title: str
    encoding: str

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be asked for by."""
        return self.task_title, self.task, self.encoding_title, self.encoding

    def spec(self, stage: Stage, seeds: int) -> Spec:
        """Return what is trained in a stage."""
        return Spec(
            tasks=(self.task,),
            encodings=(self.encoding,),
            seeds=seeds,
            train_length=TRAIN_SCALE,
            test_length=TEST_SCALES,
            learning_rates=stage.rates,
            model=stage.shape,
            training=Training(
                steps=stage.steps,
                batch=32,
                warmup=200,
                evaluate_every=1_000,
                examples=500,
                stop_early=False,
            ),
        )

    @property
    def is_smooth(self) -> bool:
        """Whether the encoding is a formula in the distance, which says something of distances it was not trained on."""
        return find_encoding(self.encoding).card.name in _SMOOTH

    def opinion(self) -> Opinion | None:
        """Return what the conjecture says of it; None where the encoding is no relation with labels, or the task no problem."""
        name = _problem_of(self.task)
        if name is None:
            return None
        problem = find_problem(name)
        choice = find_encoding(self.encoding)
        if choice.learns_relations and problem.circuit is not None and problem.limit is None:
            return self._opinion_on_a_dictionary(problem, problem.circuit)
        relation = IDEAL if choice.card.name == "ipe" or choice.learns_relations else relation_of(self.encoding)
        return None if relation is None else form_opinions(problem, [relation])[0]

    def _opinion_on_a_dictionary(self, problem: Problem, circuit: Circuit) -> Opinion:
        """Return the opinion on the ideal relation if the dictionary can express it, else that it cannot."""
        from ..encodings.lbpe import dictionary, grown_dictionary
        from ..encodings.relation_readout import in_circuit_notation

        choice = find_encoding(self.encoding)
        make = grown_dictionary if choice.uses("lbpe_grown") else dictionary
        relations = {in_circuit_notation(each) for each in make(hint=choice.needs_scale)}
        pieces = [piece.equation for slot in equations_of(circuit) for piece in slot.pieces]
        missing = [equation for equation in dict.fromkeys(pieces) if equation not in relations]
        if not missing:
            return form_opinions(problem, [IDEAL])[0]
        return Opinion(
            problem=problem.name,
            relation=choice.card.name,
            formula=f"{len(relations)} equations",
            predicted=False,
            reason=f"its relations do not include {missing[0]}",
            complexity=None,
        )


def grid_cells(parts: Sequence[str] = (), only: Sequence[str] = ()) -> list[GridCell]:
    """Return the cells of some parts, by default the first; ``only`` names tasks or encodings, as they are called or trained."""
    for part in parts:
        if part not in PARTS:
            raise unknown_name("part", part, tuple(PARTS))
    chosen = [cell for part in parts or ("first",) for cell in _make_part(part)]
    names = {name for cell in chosen for name in cell.names}
    for name in only:
        if name not in names:
            raise unknown_name("task or encoding", name, sorted(names))
    tasks = {name for name in only if any(name in (cell.task, cell.task_title) for cell in chosen)}
    encodings = set(only) - tasks
    return [
        cell
        for cell in chosen
        if (not tasks or tasks & {cell.task, cell.task_title})
        and (not encodings or encodings & {cell.encoding, cell.encoding_title})
    ]


def _make_part(part: str) -> list[GridCell]:
    tasks, encodings = PARTS[part]
    return [
        GridCell(
            part=part,
            task_title=task_title,
            task=task,
            encoding_title=encoding_title,
            encoding=_with_circuit(encoding, task),
        )
        for task_title, task in tasks.items()
        for encoding_title, encoding in encodings.items()
        if not encoding.startswith("ipe") or task not in CONTROLS.values()
    ]


def _problem_of(task: str) -> str | None:
    """Return the problem of a task; that of the control is the one without a circuit, whatever the order of its digits."""
    return "mul_nxn(2)" if task == "multiply_binary" else problem_of(task)


def _with_circuit(encoding: str, task: str) -> str:
    """Return the encoding, with the circuit of the task if it is one that needs a circuit."""
    if not encoding.startswith("ipe"):
        return encoding
    options = encoding.removeprefix("ipe").strip("()")
    return f"ipe(circuit={problem_of(task)}, eos=true{', ' if options else ''}{options})"


PARTS = {
    "first": (TASKS, ENCODINGS),
    "plain": (TASKS, UNCORRECTED),
    "outside": (OUTSIDE, GROWN),
    "second": (TASKS, FURTHER),
    "controls": (CONTROLS, ENCODINGS | FURTHER),
}
"""Tasks and encodings of each part of the grid."""
