"""How long must training inputs be? What is published or elementary, with what each statement assumes."""

from __future__ import annotations

from dataclasses import dataclass

from ..languages.dfa import DFA


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingLength:
    """One statement about the training length; ``length`` is None where no number can be given."""

    name: str
    length: int | None
    statement: str
    assumption: str
    source: str

    def is_reached(self, trained: int) -> bool | None:
        """Return whether training up to a length reaches it; None where there is no number to reach."""
        return None if self.length is None else trained >= self.length

    def sentence(self, trained: int) -> str:
        """Return the statement with whether a training length reaches it."""
        verdict = {
            True: f"Training up to {trained} reaches this.",
            False: f"Training up to {trained} does not reach this.",
            None: f"So nothing here says whether {trained} is enough.",
        }[self.is_reached(trained)]
        return f"{self.statement} {verdict} Assumes: {self.assumption}. Source: {self.source}."

    def to_json(self, trained: int) -> dict[str, object]:
        """Return the statement as JSON data."""
        return {
            "name": self.name,
            "length": self.length,
            "reached": self.is_reached(trained),
            "statement": self.statement,
            "assumption": self.assumption,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramDepth:
    """What is known of the programs of plain C-RASP for a language; None stands for not known."""

    exists: bool | None = None
    at_least: int | None = None
    at_most: int | None = None


def coverage_length(language: DFA) -> int:
    """Return the least length up to which words read every transition of the minimal automaton."""
    distance = {0: 0}
    queue = [0]
    for state in queue:
        for target in language.transitions[state]:
            if target not in distance:
                distance[target] = distance[state] + 1
                queue.append(target)
    return max(distance.values()) + 1


def training_lengths(language: DFA, program: ProgramDepth) -> list[TrainingLength]:
    """Return what is known about the training length for a language, given what is known of its programs."""
    num_states = language.num_states
    return [
        TrainingLength(
            name="coverage",
            length=coverage_length(language),
            statement=(
                f"Words up to length {coverage_length(language)} are needed to read every transition of the minimal automaton "
                "once; from shorter words nothing says where the others lead."
            ),
            assumption="nothing; it is necessary for a learner that knows no more than that the language is regular",
            source="elementary",
        ),
        TrainingLength(
            name="smallest automaton",
            length=max(0, 2 * num_states - 2),
            statement=(
                f"All words up to length 2n − 2 = {2 * num_states - 2} determine the language among the automata with at "
                f"most n = {num_states} states."
            ),
            assumption="a learner that returns the smallest automaton that fits all words up to the training length",
            source="arXiv 2506.03085",
        ),
        _programs(program),
    ]


def _programs(program: ProgramDepth) -> TrainingLength:
    learner = "a learner that returns the simplest program that fits all words up to the training length"
    if program.exists is False:
        return TrainingLength(
            name="no program",
            length=None,
            statement="No program of plain C-RASP exists, so training on longer words does not help to find one.",
            assumption="a model without positions, and the theorem named beside the answer",
            source="the answer above",
        )
    if program.at_most is not None and program.at_most <= 1:
        return TrainingLength(
            name="one layer",
            length=None,
            statement=(
                "For programs of one layer and precision T, all words up to a length of order T² determine the program. The "
                "constant is not computed here."
            ),
            assumption=learner,
            source="arXiv 2506.03085",
        )
    needs_more = (program.at_least or 0) > 1
    why = "A program for this language needs more than one layer" if needs_more else "A program may need two layers"
    return TrainingLength(
        name="more layers",
        length=None,
        statement=f"{why}. From two layers on, no bound on the training length can be computed in general.",
        assumption=learner,
        source="arXiv 2603.02238",
    )
