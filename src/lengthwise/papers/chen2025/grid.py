"""The grid of arXiv 2510.04130: tasks, encodings, stages, and what the conjecture says of each cell.

Every cell is trained in stages, from a small model to a larger one that trains longer, until enough of its seeds are right on
the scales of training. Which stage and learning rate a cell is reported with is decided on these scales alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...encodings.core.choice import find_encoding
from ...experiment.spec import Spec
from ...model.shape import Shape
from ...predict.circuit_opinions import relation_of
from ...tasks.core.problems import find_problem, problem_of
from ...theory.positions.circuits import Circuit
from ...theory.positions.opinion import IDEAL, Opinion, form_opinions
from ...theory.positions.problem import Problem
from ...theory.positions.relations_ideal import equations_of
from ...train.settings import Training

CLAIMS = (
    "With a scale hint, position embeddings win where the scale matters, as on copy and shift.",
    "IPE and RPE align the steps of parity with a chain of thought (Figure 1, aligned); APE does not.",
    "Length generalization is possible exactly when SRC does not grow with the scale (conjecture).",
)
"""What the abstract and Figure 1 of the paper state, in our words."""

STANDING = (
    "The paper's figures are not known to us, so none is shown; we compare its claims. Circuits, SRC, ideal and learned "
    "encodings are our reconstruction of arXiv 2510.04130."
)

TRAIN_SCALE = 16
TEST_SCALES = (32, 64, 128)
ENOUGH = 0.8
"""The share of seeds that must fit the scales of training before a cell needs no further stage."""
FITTED = 0.99
SOLVED = 0.99
"""The exact match from which a run fits the scales of training, and from which it solves a longer scale."""

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
HINTED = {
    "kerple_log + hint": "scale_hint(kerple_log)",
    "rpe + hint corrected": "length_corrected(scale_hint(rpe))",
    "t5 + hint corrected": "length_corrected(scale_hint(t5))",
}
"""Baselines that get what lbpe gets, where they can: the scale hint and the length correction."""

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
    def task_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the task."""
        return self.task_title, self.task

    @property
    def encoding_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the encoding."""
        return self.encoding_title, self.encoding

    def specs(self, stage: Stage, seeds: int) -> list[Spec]:
        """Return what is trained in a stage, one spec for each learning rate."""
        first = Spec(
            tasks=(self.task,),
            encodings=(self.encoding,),
            seeds=seeds,
            train_length=TRAIN_SCALE,
            test_length=TEST_SCALES,
            room=TEST_SCALES[-1],
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
        return [replace(first, learning_rate=rate) for rate in stage.rates]

    @property
    def is_smooth(self) -> bool:
        """Whether the encoding is a formula in the distance, which says something of distances it was not trained on."""
        return find_encoding(self.encoding).card.name in _SMOOTH

    def opinion(self) -> Opinion | None:
        """Return what the conjecture says of it; None where the encoding is no relation with labels, or the task no problem."""
        problem = _problem_of(self.task)
        if problem is None:
            return None
        choice = find_encoding(self.encoding)
        if choice.learns_relations and problem.circuit is not None and problem.limit is None:
            return self._opinion_on_a_dictionary(problem, problem.circuit)
        relation = IDEAL if choice.card.name == "ipe" or choice.learns_relations else relation_of(self.encoding)
        return None if relation is None else form_opinions(problem, [relation])[0]

    def _opinion_on_a_dictionary(self, problem: Problem, circuit: Circuit) -> Opinion:
        """Return the opinion on the ideal relation if the dictionary can express it, else that it cannot."""
        from ...encodings.core.build import load_encoding
        from ...encodings.relation_readout import in_circuit_notation

        choice = find_encoding(self.encoding)
        dictionary = load_encoding(choice).make_dictionary(hint=choice.needs_scale)
        relations = {in_circuit_notation(relation) for relation in dictionary}
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


def cells_of_part(part: str) -> list[GridCell]:
    """Return every task of a part with every encoding, apart from ideal encodings of tasks without a circuit."""
    return [
        GridCell(
            part=part,
            task_title=task_title,
            task=task,
            encoding_title=encoding_title,
            encoding=_with_circuit(encoding, task),
        )
        for task_title, task in PARTS[part].tasks.items()
        for encoding_title, encoding in PARTS[part].encodings.items()
        if not encoding.startswith("ipe") or task not in CONTROLS.values()
    ]


def _problem_of(task: str) -> Problem | None:
    """Return the problem of a task; that of the control is the one without a circuit, whatever the order of its digits."""
    return find_problem("mul_nxn(2)") if task == "multiply_binary" else problem_of(task)


def _with_circuit(encoding: str, task: str) -> str:
    """Return the encoding, with the circuit of the task if it is one that needs a circuit."""
    if not encoding.startswith("ipe"):
        return encoding
    options = encoding.removeprefix("ipe").strip("()")
    problem = problem_of(task)
    assert problem is not None
    return f"ipe(circuit={problem.name}, eos=true{', ' if options else ''}{options})"


@dataclass(frozen=True, slots=True)
class GridPart:
    """Tasks and encodings by their titles, each of one with each of the other."""

    summary: str
    tasks: dict[str, str]
    encodings: dict[str, str]


PARTS = {
    "first": GridPart("six tasks with ten encodings", TASKS, ENCODINGS),
    "plain": GridPart("the same tasks with a plain softmax", TASKS, UNCORRECTED),
    "outside": GridPart("tasks that the relations of lbpe were not chosen for", OUTSIDE, GROWN),
    "second": GridPart("the six tasks with two further encodings", TASKS, FURTHER),
    "hinted": GridPart("the six tasks with baselines that get the hint and the correction", TASKS, HINTED),
    "controls": GridPart("tasks that must fail", CONTROLS, ENCODINGS | FURTHER),
}
"""The parts of the grid."""
