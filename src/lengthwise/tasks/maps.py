"""Position-id maps: for every token its role, the place value of its digit, and the part of the instance it is in.

A map is causal if the value of a token of the answer follows from the prompt and from the answer up to that token, so
that an encoding may use it while an answer is being written. The prompt is given as a whole: its tokens may have values
that depend on all of it.

Shapes: M models in a stack, B batch, L tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from ..arrays import Array, Arrays
from .pieces import last_marked, places, running_count
from .task import BOS, PAD, SEP, AnswerTask, Batch, Task

DIGITS = tuple("0123456789")


class Order(StrEnum):
    """How the digits of a number follow each other."""

    MOST_FIRST = "most significant first"
    LEAST_FIRST = "least significant first"

    @property
    def reversed(self) -> Order:
        """The other order."""
        return Order.LEAST_FIRST if self is Order.MOST_FIRST else Order.MOST_FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class Maps:
    """Three numbers for every token, each as an array [M, B, L]; a map that a task does not have is None.

    ``role``: tokens that belong together share one, from 1 on; 0 stands for apart (:meth:`Task.roles`).
    ``significance``: the place value of a digit in its number, 1 for ones, 2 for tens or twos; 0 for other tokens.
    ``segment``: the number of the part that a token is in, from 1 on; 0 for ``<bos>``, ``<pad>`` and filling symbols.
    ``not_causal``: the names of those maps that are not causal. Roles always are.
    """

    role: Array | None
    significance: Array | None
    segment: Array
    not_causal: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How a task writes its instances: which symbols divide them into parts, and where numbers are.

    A number is an unbroken run of digits. ``prompt`` and ``answer`` are the orders of their digits, None where digits
    form no numbers of several places.
    """

    prompt_separators: tuple[str, ...] = ()
    answer_separators: tuple[str, ...] = ()
    prompt: Order | None = None
    answer: Order | None = None
    numbers_after: str = ""
    """Digits of the answer up to this symbol are no number: they are the columns of a trace."""
    is_one_number: bool = False
    """Whether the answer is one number without a sign, and nothing else."""
    is_full: bool = False
    """Whether the answer is as long as it can be, and its only number ends it, so that its places are known beforehand."""
    hints_count_places: bool = False
    """Whether index hints count the places of digits, not those of symbols in the text."""
    prompt_digits: Callable[[Array], Array] | None = None
    """How many digits a number of the prompt can have, for one length or an array; None if not more than the answer."""

    @property
    def is_causal(self) -> bool:
        """Whether the significance of the answer's digits is known when they are written."""
        return self.answer is not Order.MOST_FIRST or self.is_full


def _arithmetic(signs: str, *, is_one_number: bool = True, is_full: bool = False) -> Writing:
    return Writing(
        prompt_separators=tuple(signs),
        prompt=Order.MOST_FIRST,
        answer=Order.MOST_FIRST,
        is_one_number=is_one_number,
        is_full=is_full,
        hints_count_places=True,
    )


def _trace(signs: str, after: str = "=", *, is_full: bool = True) -> Writing:
    return Writing(
        prompt_separators=tuple(signs),
        answer_separators=tuple(after),
        prompt=Order.MOST_FIRST,
        answer=Order.MOST_FIRST,
        numbers_after="=",
        is_full=is_full,
    )


def _parts(prompt: str, answer: str = "") -> Writing:
    return Writing(prompt_separators=tuple(prompt), answer_separators=tuple(answer))


_PLAIN = Writing()
_COUNT = Writing(answer=Order.MOST_FIRST, is_one_number=True)

WRITINGS = {
    "addition": _arithmetic("+="),
    "add_decimal": _arithmetic("+="),
    "add_decimal(padded)": _arithmetic("+=", is_full=True),
    "add_decimal(reversed)": replace(_arithmetic("+=", is_full=True), answer=Order.LEAST_FIRST),
    "add_decimal(all_reversed)": replace(_arithmetic("+="), prompt=Order.LEAST_FIRST, answer=Order.LEAST_FIRST),
    "add_multi": _arithmetic("+=", is_full=True),
    "subtract": _arithmetic("-=", is_one_number=False),
    "mul_nxm": _arithmetic("*="),
    "multiply_binary": _arithmetic("*="),
    "mul_nx1": _arithmetic("*="),
    "mul_nx2": _arithmetic("*="),
    "increment": _arithmetic(""),
    "divide": replace(_arithmetic("/=", is_one_number=False), answer_separators=("r",)),
    "isqrt": replace(_arithmetic("", is_full=True), prompt_digits=lambda length: length),
    "gcd": _arithmetic(",="),
    "compare": Writing(
        prompt_separators=(",", "="),
        prompt=Order.MOST_FIRST,
        hints_count_places=True,
        prompt_digits=lambda length: length // 2 - 1,
    ),
    "bitwise_or": _arithmetic("|=", is_full=True),
    "bitwise_xor": _arithmetic("^=", is_full=True),
    "bitwise_and": _arithmetic("&=", is_full=True),
    "sort_multidigit": replace(_parts(",", ","), prompt=Order.MOST_FIRST, answer=Order.MOST_FIRST),
    "count_symbol": _COUNT,
    "count_symbol(unary)": _PLAIN,
    "argmax": _COUNT,
    "argmax(unary)": _PLAIN,
    "add_cot": _trace("+="),
    "mul_cot": _trace("*="),
    "div_cot": _trace("/=", "=r", is_full=False),
    "turing_program": _parts("", "|"),
    "mod_arith": _parts("+-*"),
    "solve_equation": _parts("="),
    "poly_eval": _parts(":"),
    "marked_reversal": _parts("#"),
    "lego": _parts("?"),
    "kinship": _parts("?"),
    "path_star": _parts("?"),
    "maze_hops": _parts("?"),
}
"""How tasks write, by name, or by name and first parameter; of other tasks it is only known that ``<sep>`` divides them."""


def read_writing(name: str) -> Writing:
    """Return how the task of a name writes; a hard set writes as its task does.

    >>> read_writing("add_decimal(reversed)").answer
    <Order.LEAST_FIRST: 'least significant first'>
    """
    from .catalog import split_arguments

    family, _, inside = name.partition("(")
    first = split_arguments(inside.removesuffix(")"))[0]
    if family == "hard":
        return read_writing(first)
    return WRITINGS.get(f"{family}({first})", WRITINGS.get(family, _PLAIN))


def count_places(counted_MBL: Array, order: Order, xp: Arrays) -> Array:
    """Return the place value of every digit in its run, from 1 on, and anything where there is none."""
    if order is Order.MOST_FIRST:
        width = counted_MBL.shape[-1]
        mirrored = xp.broadcast(width - 1 - xp.arange(width), tuple(counted_MBL.shape))
        backwards = count_places(xp.gather_last(counted_MBL, mirrored), Order.LEAST_FIRST, xp)
        return xp.gather_last(backwards, mirrored)
    place = xp.broadcast(xp.arange(counted_MBL.shape[-1]), tuple(counted_MBL.shape))
    return place - last_marked(~counted_MBL, xp)


def make_maps(task: Task, batch: Batch, xp: Arrays, *, is_full: bool = False) -> Maps:
    """Return the maps of a task's batch; ``is_full`` says that its answers have been filled up with zeros."""
    writing = read_writing(task.name)
    writing = replace(writing, is_full=writing.is_full or is_full)
    return Maps(
        role=task.roles(batch, xp),
        significance=_significance(task, writing, batch, xp),
        segment=_segments(task, writing, batch, xp),
        not_causal=frozenset() if writing.is_causal else frozenset({"significance"}),
    )


def is_any(task: Task, tokens_MBL: Array, symbols: tuple[str, ...], xp: Arrays) -> Array:
    """Return where one of these symbols stands."""
    return xp.asarray([int(token in symbols) for token in task.vocabulary])[tokens_MBL] == 1


def _significance(task: Task, writing: Writing, batch: Batch, xp: Arrays) -> Array | None:
    if writing.prompt is None and writing.answer is None:
        return None
    tokens = batch.tokens_MBL
    place = places(batch.scale_MB, tokens.shape[-1], xp)
    is_digit = is_any(task, tokens, DIGITS, xp)
    is_answer = running_count(tokens == task.token(SEP), xp) > 0
    told = place * 0
    if writing.prompt is not None:
        counted = is_digit & ~is_answer
        told = xp.where(counted, count_places(counted, writing.prompt, xp), told)
    if writing.answer is not None:
        counted = is_digit & is_answer
        if writing.numbers_after:
            seen = is_answer & (tokens == task.token(writing.numbers_after))
            counted = counted & (running_count(seen, xp) > 0)
        told = xp.where(counted, _in_answer(task, writing, batch, counted, xp), told)
    return told


def _in_answer(task: Task, writing: Writing, batch: Batch, counted_MBL: Array, xp: Arrays) -> Array:
    """Return the place values of the answer's digits; where their places are known, without looking at what follows."""
    assert writing.answer is not None
    if not writing.is_full:
        return count_places(counted_MBL, writing.answer, xp)
    assert isinstance(task, AnswerTask)
    place = places(batch.scale_MB, counted_MBL.shape[-1], xp)
    number = place - last_marked(batch.tokens_MBL == task.token(SEP), xp)
    if writing.answer is Order.LEAST_FIRST:
        return number
    return task.answer_length(batch.scale_MB)[..., None] + 1 - number


def _segments(task: Task, writing: Writing, batch: Batch, xp: Arrays) -> Array:
    """Return 1 and how many parts have begun since the first: a part begins after separators, which end the one before."""
    tokens = batch.tokens_MBL
    place = places(batch.scale_MB, tokens.shape[-1], xp)
    is_answer = running_count(tokens == task.token(SEP), xp) > 0
    in_prompt = is_any(task, tokens, (*writing.prompt_separators, SEP), xp)
    in_answer = is_any(task, tokens, (*writing.answer_separators, SEP), xp)
    divides = (is_answer & in_answer) | (~is_answer & in_prompt)
    before = xp.gather_last(divides, xp.where(place > 0, place - 1, 0))
    begins = (place > 1) & before & ~divides
    return xp.where(is_any(task, tokens, (BOS, PAD), xp), 0, 1 + running_count(begins, xp))
