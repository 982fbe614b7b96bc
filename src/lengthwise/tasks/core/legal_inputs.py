"""Automata of legal inputs: what verdicts about tasks rest on, where inputs have a form that must be kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from ...theory.promises import AnswerAutomaton, PromiseReductionCertificate, State, answer_automaton
from .special_tokens import SEP

FLIP_FLOP = "{0,1,2}*02*"
"""The words over 0, 1, 2 in which the last letter that is not a 2 is a 0. At first it is as if there had been a 1."""


def counter(prime: int) -> str:
    """Return the name of the problem whether the number of a among as and bs is a multiple of a prime."""
    return "PARITY" if prime == 2 else f"MOD({prime}; 0)"


def hidden_problem(
    target: str,
    *,
    images: Mapping[str, Sequence[str]],
    answers: Sequence[str],
    prefix: Sequence[str],
    suffix: Sequence[str],
    legal_inputs: Callable[[], AnswerAutomaton] | None,
) -> PromiseReductionCertificate:
    """Return the certificate that these legal inputs hide a known problem; see ``excluded_by_hidden``."""
    from ...theory.reductions import target_language

    automaton = legal_inputs() if legal_inputs else _blocks(target, images, answers, prefix, suffix)
    (accepting, *_) = sorted(target_language(target).accepting)
    return PromiseReductionCertificate(
        automaton=automaton,
        target=target,
        images=tuple((symbol, tuple(image)) for symbol, image in images.items()),
        prefix=tuple(prefix),
        suffix=tuple(suffix),
        says=answers[accepting],
    )


def _blocks(
    target: str,
    images: Mapping[str, Sequence[str]],
    answers: Sequence[str],
    prefix: Sequence[str],
    suffix: Sequence[str],
) -> AnswerAutomaton:
    """Return the automaton of the texts prefix, images, suffix; a state is (known problem's state, letters under way)."""
    from ...theory.reductions import target_language

    known = target_language(target)
    letters = {tuple(image): symbol for symbol, image in images.items()}
    beginnings = {block[:size] for block in (*letters, tuple(suffix)) for size in range(len(block))}
    alphabet = sorted({symbol for block in (prefix, suffix, *letters) for symbol in block})

    def step(state: State, symbol: str) -> State:
        kind, number, part = state
        longer = (*part, symbol)
        if kind == "prefix":
            if longer != tuple(prefix[: len(longer)]):
                return None
            return ("prefix", 0, longer) if len(longer) < len(prefix) else ("inside", 0, ())
        if kind == "said":
            return None
        if longer in letters:
            return ("inside", known.run([letters[longer]], number), ())
        if longer == tuple(suffix):
            return ("said", number, ())
        return ("inside", number, longer) if longer in beginnings else None

    start = ("prefix", 0, ()) if prefix else ("inside", 0, ())
    return answer_automaton(
        alphabet,
        start,
        step,
        lambda state: answers[state[1]] if state[0] == "said" else None,
    )


def register_inputs() -> AnswerAutomaton:
    """Return legal prompts of flip_flop in which neither bit ever leads by more than one.

    w and a bit come first, r shows the bit that w wrote last, and at the end r asks for it. As both bits are equally
    frequent, these prompts are legal whether or not a sampler balances them.
    """

    def step(state: State, symbol: str) -> State:
        stored, instruction, lead = state
        if stored == "said":
            return None
        if instruction == "":
            starts = "w" if stored is None else "wri"
            return (stored, symbol, lead) if symbol in starts else None
        if symbol == SEP:
            return ("said", stored, lead) if instruction == "r" else None
        if symbol not in "01" or (instruction == "r" and symbol != stored):
            return None
        lead += 1 if symbol == "1" else -1
        return (symbol if instruction == "w" else stored, "", lead) if abs(lead) <= 1 else None

    return answer_automaton(
        ("w", "r", "i", "0", "1", SEP),
        (None, "", 0),
        step,
        lambda state: state[1] if state[0] == "said" else None,
    )


def turn_taking_inputs(num_streams: int) -> AnswerAutomaton:
    """Return inputs of bin_majority_interleave without ties: the first stream's majority is what is written next.

    The first stream never leads by more than one. The others get a 1 in the first round, a 1 and any bit in turn after
    it, so that their 1s are always more.
    """

    def step(state: State, symbol: str) -> State:
        phase, stream, lead = state
        if phase == "said":
            return None
        if symbol == SEP:
            return ("said", 0, lead) if stream == 0 and lead and phase else None
        if stream == 0:
            lead += 1 if symbol == "1" else -1
        elif phase < 2 and symbol == "0":
            return None
        if abs(lead) > 1:
            return None
        if stream + 1 < num_streams:
            return (phase, stream + 1, lead)
        return ((1, 2, 1)[phase], 0, lead)

    return answer_automaton(
        ("0", "1", SEP),
        (0, 0, 0),
        step,
        lambda state: "01"[state[2] > 0] if state[0] == "said" else None,
    )


def context_inputs(order: int) -> AnswerAutomaton:
    """Return inputs of icl_markov over a and b that end in as: the answer is what followed these as more often.

    Neither letter leads by more than one there.
    """
    context = "a" * order

    def step(state: State, symbol: str) -> State:
        recent, lead = state
        if recent == SEP:
            return None
        if symbol == SEP:
            return (SEP, lead) if recent == context and lead else None
        if recent == context:
            lead += 1 if symbol == "a" else -1
        return ((recent + symbol)[-order:], lead) if abs(lead) <= 1 else None

    return answer_automaton(
        ("a", "b", SEP), ("", 0), step, lambda state: "ba"[state[1] > 0] if state[0] == SEP else None
    )


def parity_inputs(size: int) -> AnswerAutomaton:
    """Return inputs of icl_dfa where + is for words with an odd number of bs; the first shots show all words."""
    words = ["".join(letters) for letters in product("ab", repeat=size)]
    shown = "".join(word + "-+"[word.count("b") % 2] for word in words)

    def step(state: State, symbol: str) -> State:
        kind, place, parity = state
        if kind == "said":
            return None
        if kind == "first":
            if symbol != shown[place]:
                return None
            return ("first", place + 1, 0) if place + 1 < len(shown) else ("inside", 0, 0)
        if place < size:
            return ("inside", place + 1, (parity + (symbol == "b")) % 2) if symbol in "ab" else None
        if symbol == SEP:
            return ("said", 0, parity)
        return ("inside", 0, 0) if symbol == "-+"[parity] else None

    return answer_automaton(
        (*"ab-+", SEP), ("first", 0, 0), step, lambda state: "-+"[state[2]] if state[0] == "said" else None
    )


def sorting_inputs(num_digits: int) -> AnswerAutomaton:
    """Return lists of the numbers 12, 21 and 22, the first being 12, and perhaps 11 at the end, to be sorted.

    Zeros stand before the last two digits. Behind the separator and the digits that all these numbers begin with, the
    sorted list goes on with 1 if 11 is among them, and else with 2.
    """
    zeros = num_digits - 2
    first = "0" * zeros + "1"

    def step(state: State, symbol: str) -> State:
        kind, place, tens, has_least = state
        if kind == "sorted":
            return (kind, place + 1, "", has_least) if place < len(first) and symbol == first[place] else None
        if symbol == SEP:
            return ("sorted", 0, "", has_least) if kind == "list" and place == 0 else None
        if place == num_digits:
            return ("list", 0, "", has_least) if symbol == "," else None
        if has_least or symbol not in ("0" if place < zeros else "12"):
            return None
        if place < zeros:
            return (kind, place + 1, "", False)
        if place == zeros:
            return (kind, place + 1, symbol, False) if kind == "list" or symbol == "1" else None
        if kind == "start" and symbol == "1":
            return None
        return ("list", num_digits, "", tens + symbol == "11")

    def answer(state: State) -> str | None:
        kind, place, _, has_least = state
        return ("1" if has_least else "2") if kind == "sorted" and place == len(first) else None

    return answer_automaton((*"012", ",", SEP), ("start", 0, "", False), step, answer)
