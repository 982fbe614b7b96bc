"""From instances to rows of tokens, with the places where an answer is asked for.

Two forms. A model that was trained on the tasks gets an instance as they write it: ``<bos> question <sep> answer``. A language
model gets lines of words, some solved ones first; every symbol is a word that is a single token, which is checked on the
finished text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import InvalidOptionError
from ..tasks.core.special_tokens import BOS, SEP
from .models import FolderProber, Prober
from .probes import Instance, Probe, answer_symbols, lengths_of, make_instances

SHOT_LENGTHS = (4, 6, 8)
"""The lengths of the solved lines before the question, in turn."""

_SHOTS = 256  # different solved lines for each place before the question


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Tokens of a prompt with its answer, the places that ask for the answer, and the right tokens there.

    ``choices`` are the tokens that answers of the task may consist of. ``text`` and ``answer`` are the same as words, for models of
    text.
    """

    tokens: tuple[int, ...]
    places: tuple[int, ...]
    right: tuple[int, ...]
    choices: tuple[int, ...]
    text: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How instances of one probe are written for one model: the token, and for text the word, of every symbol."""

    probe: Probe
    tokens: Mapping[str, int]
    words: Mapping[str, str]
    shots: int
    seed: int

    @property
    def choices(self) -> tuple[int, ...]:
        """The tokens that answers may consist of."""
        return tuple(self.tokens[symbol] for symbol in answer_symbols(self.probe))


def form_for(probe: Probe, model: Prober, shots: int, seed: int) -> Form | None:
    """Return how a model is asked, or None if its vocabulary lacks symbols of the task."""
    if model.symbols is not None:
        needed = (*probe.task.symbols, BOS, SEP)
        if any(symbol not in model.symbols for symbol in needed):
            return None
        tokens = {symbol: model.symbols[symbol] for symbol in needed}
        return Form(probe=probe, tokens=tokens, words={}, shots=0, seed=seed)
    assert isinstance(model, FolderProber)
    words = dict(zip(probe.task.symbols, model.words(len(probe.task.symbols), seed), strict=True)) | {SEP: ":"}
    tokens = {symbol: model.tokens(f" {word}")[-1] for symbol, word in words.items()}
    return Form(probe=probe, tokens=tokens, words=words, shots=shots, seed=seed)


def rows_of(form: Form, model: Prober, length: int, number: int, *, shuffled: bool = False) -> list[Row]:
    """Return rows for instances of one length; ``shuffled`` gives the solved lines each other's answers, as a control."""
    instances = make_instances(form.probe, length, number, form.seed, "questions")
    if not form.words:
        return [_trained_row(form, instance) for instance in instances]
    assert isinstance(model, FolderProber)
    return [
        _text_row(form, model, instance, _shots(form, index, shuffled=shuffled))
        for index, instance in enumerate(instances)
    ]


def _trained_row(form: Form, instance: Instance) -> Row:
    question = [form.tokens[BOS], *(form.tokens[symbol] for symbol in instance.question)]
    right = tuple(form.tokens[symbol] for symbol in instance.answer)
    tokens = (*question, *right[:-1])
    return Row(tokens=tokens, places=tuple(range(len(question) - 1, len(tokens))), right=right, choices=form.choices)


def _shots(form: Form, index: int, *, shuffled: bool) -> list[Instance]:
    """Return the solved lines before a question, other ones for every question."""
    lengths = lengths_of(form.probe, SHOT_LENGTHS) or lengths_of(form.probe, (16, 32))
    shots = [
        make_instances(form.probe, lengths[number % len(lengths)], _SHOTS, form.seed + number, "shots")[index % _SHOTS]
        for number in range(form.shots)
    ]
    if not shuffled:
        return shots
    answers = [shot.answer for shot in shots]
    return [Instance(question=shot.question, answer=answers[number - 1]) for number, shot in enumerate(shots)]


def _text_row(form: Form, model: FolderProber, instance: Instance, shots: Sequence[Instance]) -> Row:
    lines = "".join(f"{_written(form, (*shot.question, *shot.answer))}\n" for shot in shots)
    prompt, answer = lines + _written(form, instance.question), _written(form, instance.answer)
    before, right = model.tokens(prompt), tuple(form.tokens[symbol] for symbol in instance.answer)
    if model.tokens(prompt + answer) != [*before, *right]:
        raise InvalidOptionError(
            f"the tokenizer of {model.name} joins words of probe {form.probe.name!r} with their neighbours.",
            hint="choose other words with --seed.",
        )
    tokens = (*model.first, *before, *right[:-1])
    start = len(tokens) - len(right)
    return Row(
        tokens=tokens,
        places=tuple(range(start, len(tokens))),
        right=right,
        choices=form.choices,
        text=prompt,
        answer=answer,
    )


def _written(form: Form, symbols: Sequence[str]) -> str:
    return "".join(f" {form.words[symbol]}" for symbol in symbols)
