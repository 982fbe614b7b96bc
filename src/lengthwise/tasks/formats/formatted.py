"""A task whose instances are those of another, written in another way.

The format states where the symbols of prompt and answer go; samplers and roles follow from that. The oracle
is separate: it reads the prompt back, asks the task inside, and writes its answer, all in plain Python.

Shapes: M models in a stack, B batch, L tokens, N symbols of a prompt or an answer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from ...arrays import Array, Arrays, numpy_arrays
from ...crasp.fragments import Fragment
from ...errors import InvalidOptionError
from ...seeds import DATA, Draw, open_stream
from ...theory.deciders import decide_cited
from ...theory.facts import Facts
from ..core.cited import unsettled
from ..core.row_functions import at, places
from ..core.task import PAD, SPECIALS, AnswerTask, Batch, Task
from .layout import Layout, Sizes, constant, places_elsewhere

_SEARCHED = 1000  # lengths from the shortest on, of which one has an instance


class Formatted(AnswerTask):
    """A task in a format. Its length is that of the task inside; its symbols are those, and extra ones behind them."""

    format_name: str
    not_inside: tuple[str, ...] = ()
    """Formats that the task inside must not have, because this one would tear their symbols apart."""
    format_revision = 1

    def __init__(
        self, inner: AnswerTask, *, how: str, extra: tuple[str, ...] = (), parameters: Sequence[str] = ()
    ) -> None:
        _require_composable(self.format_name, self.not_inside, inner)
        self.inner = inner
        self.name = f"{self.format_name}({', '.join([inner.name, *parameters])})"
        self.definition = f"{inner.definition}; {how}"
        self.length_means, self.min_length = inner.length_means, inner.min_length
        taken = frozenset(inner.symbols)
        self.extra = tuple(unused(symbol, taken) for symbol in extra)
        self.symbols = (*inner.symbols, *self.extra)
        self.citation, self.attempts, self.host_only = inner.citation, inner.attempts, inner.host_only
        self.revision = inner.revision + self.format_revision - 1
        self.facts = _facts(self.name, plain_task(inner))
        self.has_fixed_answers, self.has_roles = _answers_and_roles(inner)
        self.writing = inner.writing

    # The format, in arrays; sizes are those of the rows of the task inside

    def prompt_size(self, size: Array) -> Array:
        """Return how many symbols a prompt of this size becomes; for one size or an array."""
        return size

    def answer_size(self, size: Array) -> Array:
        """Return how many symbols an answer of this size becomes; for one size or an array."""
        return size

    def answer_size_inside(self, size: Array) -> Array:
        """Return the size that an answer had inside, from the size it has become."""
        return size

    def prompt_layout(self, sizes_MB: Array) -> Layout:  # noqa: ARG002
        """Return where the symbols of prompts go."""
        return Layout()

    def answer_layout(self, sizes_MB: Array, lengths_MB: Array) -> Layout:  # noqa: ARG002
        """Return where the symbols of answers go."""
        return Layout()

    def draw_extras(self, rows: Rows, draw: Draw, xp: Arrays) -> tuple[Array, Array]:  # noqa: ARG002
        """Return the extra symbols between those of the prompt and those of the answer, [M, B, N] or [M, B, 1]."""
        filled = constant(len(self.inner.symbols), rows.lengths_MB, xp)
        return filled, filled

    def fits(self, length: int) -> bool:  # noqa: ARG002
        """Return whether the format can write instances of this length."""
        return True

    # The oracle, in lists of symbols

    @abstractmethod
    def write_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return a prompt of the task inside in this format."""

    @abstractmethod
    def read_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt of the task inside that a prompt stands for."""

    @abstractmethod
    def write_answer(self, answer: Sequence[str], prompt: Sequence[str]) -> list[str]:
        """Return an answer of the task inside in this format, for a prompt in this format."""

    def length_of(self, prompt: Sequence[str]) -> int:
        """Return the length of the instance with this prompt."""
        inside = self.read_prompt(prompt)
        return self.inner.length_of(inside) if isinstance(self.inner, Formatted) else len(inside)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the answer of the task inside, in this format."""
        return self.write_answer(self.inner.answer(self.read_prompt(prompt)), prompt)

    # What follows from both

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths of the task inside that the format can write."""
        fitting = [length for length in range(max(low, self.min_length), high + 1) if self.fits(length)]
        if not fitting:
            return ()
        return tuple(length for length in self.inner.lengths(low, max(fitting)) if length in fitting)

    def prompt_length(self, length: Array) -> Array:
        """Return how many symbols a prompt has, for one length or an array."""
        return self.prompt_size(prompt_length(self.inner, length))

    def answer_length(self, length: Array) -> Array:
        """Return how many symbols an answer has, at most; for one length or an array."""
        return self.answer_size(self.inner.answer_length(length))

    def size(self, length: int) -> int:
        """Return how many tokens an instance of this length has."""
        return int(self.prompt_length(length) + self.answer_length(length) + 3)

    def scored(self, length: int) -> range:
        """Return the places of the separator and of the answer."""
        first = int(self.prompt_length(length)) + 1
        return range(first, first + 1 + int(self.answer_length(length)))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return prompts and answers of the task inside in this format, and how long the answers are."""
        prompts, answers, *shorter = self.inner.draw_inputs(draw, lengths_MB, max_length, xp)
        prompt_sizes_MB = prompt_length(self.inner, lengths_MB)
        sizes_MB = shorter[0] if shorter else self.inner.answer_length(lengths_MB)
        rows = Rows(prompts, prompt_sizes_MB, answers, sizes_MB, lengths_MB)
        before, after = self.draw_extras(rows, draw.named(self.format_name), xp)
        widths = int(self.prompt_length(max_length)), int(self.answer_length(max_length))
        return (
            self.prompt_layout(prompt_sizes_MB).write(prompts, prompt_sizes_MB, before, widths[0], xp),
            self.answer_layout(sizes_MB, lengths_MB).write(answers, sizes_MB, after, widths[1], xp),
            self.written_size(sizes_MB, lengths_MB),
        )

    def written_size(self, sizes_MB: Array, lengths_MB: Array) -> Array:  # noqa: ARG002
        """Return how long answers of these sizes become at these lengths."""
        return self.answer_size(sizes_MB)

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random instances of these lengths; inside they are those that the same draw gives without the format."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        prompts, answers, sizes_MB = self.draw_inputs(draw, lengths_MB, max_length, xp)
        batch = self._frame(prompts, self.prompt_length(lengths_MB), answers, sizes_MB, self.size(max_length), xp)
        return replace(batch, scale_MB=lengths_MB)

    def roles(self, batch: Batch, xp: Arrays) -> Array | None:
        """Return the roles of the task inside where they stay causal, 0 for extra symbols; None if there are none."""
        if not self.has_roles:
            return None
        inside, index_MBL = self.unwrapped(batch, xp)
        return _carried(self.inner.roles(inside, xp), index_MBL, xp)

    def unwrapped(self, batch: Batch, xp: Arrays) -> tuple[Batch, Array]:
        """Return the batch of the task inside, and for each token the place that it had there, −1 for extra ones."""
        tokens, lengths_MB = batch.tokens_MBL, batch.scale_MB
        place = places(lengths_MB, tokens.shape[-1], xp)
        prompt_MB, sizes_MB = self.prompt_length(lengths_MB), prompt_length(self.inner, lengths_MB)
        answer_MB = self.answer_length(lengths_MB) if self.has_fixed_answers else batch.sizes_MB - prompt_MB - 3
        inside_MB = self.answer_size_inside(answer_MB)
        prompt, answer = self.prompt_layout(sizes_MB), self.answer_layout(inside_MB, lengths_MB)
        here, there = Sizes(prompt_MB, answer_MB), Sizes(sizes_MB, inside_MB)
        index = places_elsewhere(
            place,
            here,
            there,
            prompt.number_at(place - 1, sizes_MB)[0],
            answer.number_at(place - prompt_MB[..., None] - 2, inside_MB)[0],
            xp,
        )
        origin = places_elsewhere(
            place,
            there,
            here,
            prompt.shown_at(place - 1, sizes_MB),
            answer.shown_at(place - sizes_MB[..., None] - 2, inside_MB),
            xp,
        )
        inner_tokens = xp.asarray(self._ids_inside())[at(tokens, origin, xp)]
        inside = Batch(
            tokens_MBL=inner_tokens,
            targets_MBL=inner_tokens,
            sizes_MB=sizes_MB + inside_MB + 3,
            scale_MB=lengths_MB,
        )
        is_extra = (tokens >= len(self.inner.symbols)) & (tokens < len(self.symbols))
        return inside, xp.where(is_extra, -1, index)

    def _ids_inside(self) -> list[int]:
        """Return for every token its id in the task inside, that of ``<pad>`` for extra ones."""
        known, pad = len(self.inner.symbols), self.inner.token(PAD)
        return [*range(known), *(pad for _ in self.extra), *range(known, known + len(SPECIALS))]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Prompts and answers of the task inside, how long they are, and the lengths of their instances."""

    prompts_MBN: Array
    prompt_sizes_MB: Array
    answers_MBN: Array
    answer_sizes_MB: Array
    lengths_MB: Array


def prompt_length(task: AnswerTask, length: Array) -> Array:
    """Return how many symbols a task's prompt has, for one length or an array."""
    return task.prompt_length(length) if isinstance(task, Formatted) else length


def formats_of(task: Task) -> tuple[str, ...]:
    """Return the formats that a task is in, the outermost first."""
    return (task.format_name, *formats_of(task.inner)) if isinstance(task, Formatted) else ()


def plain_task(task: AnswerTask) -> AnswerTask:
    """Return the task without its formats."""
    return plain_task(task.inner) if isinstance(task, Formatted) else task


def unused(symbol: str, taken: Container[str]) -> str:
    """Return the symbol, with marks behind it until no other is like it.

    >>> unused("_", ["a", "_"])
    '_!'
    """
    while symbol in taken:
        symbol += "!"
    return symbol


def _require_composable(name: str, not_inside: tuple[str, ...], inner: AnswerTask) -> None:
    """Raise unless the format can be put around the task."""
    if name in formats_of(inner):
        raise InvalidOptionError(f"{inner.name!r} is {name} already.", hint="apply every format once.")
    for other in formats_of(inner):
        if other in not_inside:
            raise InvalidOptionError(
                f"{name} cannot be put around {other}: it would tear apart what {other} has put together.",
                hint=f"write it the other way round: {other}({name}({plain_task(inner).name})).",
            )


def _facts(name: str, plain: AnswerTask) -> Facts:
    """Return that nothing is proved of the format, and what is published of the plain task in each fragment."""
    start = f"No theorem here covers {plain.name} when it is written as {name}, and a format can change the answer."

    def reason(fragment: Fragment) -> str:
        if not plain.facts.cited or plain.facts.program is not None:
            return f"{start} For the plain task see: lengthwise predict {plain.name!r}."
        known = decide_cited(plain.facts, fragment, plain.objective.readout)
        return f"{start} For the plain task the answer is {known.answer}: {known.reason}"

    return Facts(cited=tuple(unsettled(reason(fragment), fragment) for fragment in Fragment))


def _answers_and_roles(inner: AnswerTask) -> tuple[bool, bool]:
    """Return whether the lengths of answers follow from those of instances, and whether tokens have roles.

    Both are seen in one short instance: a task says how long its answers are exactly if that can differ.
    """
    if isinstance(inner, Formatted):
        return inner.has_fixed_answers, inner.has_roles
    xp = numpy_arrays()
    length = next(each for each in range(inner.min_length, inner.min_length + _SEARCHED) if inner.lengths(each, each))
    draw, lengths_MB = open_stream(DATA, seed=[0], xp=xp), xp.asarray([[length]])
    roles = inner.roles(inner.sample(draw, lengths_MB[0], length, xp), xp)
    return len(inner.draw_inputs(draw, lengths_MB, length, xp)) < 3, roles is not None


def _carried(values_MBL: Array | None, index_MBL: Array, xp: Arrays) -> Array | None:
    """Return what the tokens had inside, 0 for extra ones."""
    return None if values_MBL is None else xp.where(index_MBL < 0, 0, at(values_MBL, index_MBL, xp))
