"""The conformance suite: what every position encoding must do, and what each declares of itself, measured.

A check raises ``Nonconforming`` if the encoding fails it. Oracles are the literal references in
``encodings/reference``, which are plain Python. Everything is random but fixed: a failure can be made again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from ..arrays import torch_arrays
from ..encodings.core.attend import attend
from ..encodings.core.base import Where
from ..encodings.core.build import make_encoding
from ..encodings.core.choice import Choice, find_encoding
from ..errors import InvalidOptionError
from ..model.shape import Shape
from ..seeds import DATA, INITIALIZATION, open_stream
from .cases import Unmeasured
from .declared import check_declared
from .initial import check_initial
from .models import (
    DIGITS,
    SHAPE,
    TOKENS,
    TRAINED,
    Nonconforming,
    fit_for,
    make_model,
    outputs_of,
    random_tokens,
    require_same,
    roles_of,
    scale_of,
    where,
)
from .reference import check_far, check_long, check_reference
from .rows import check_rows
from .slopes import check_slopes, check_training_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a check came to: ``failure`` is empty if it passed, ``skipped`` says why nothing was measured."""

    check: str
    failure: str = ""
    skipped: str = ""


def conform(name: str) -> list[Outcome]:
    """Return the outcome of every check for an encoding."""
    choice = find_encoding(name)
    return [run_check(check, choice) for check in CHECKS]


def run_check(check: str, choice: Choice) -> Outcome:
    """Return the outcome of one check."""
    try:
        CHECKS[check](choice)
    except Unmeasured as nothing:
        return Outcome(check=check, skipped=str(nothing))
    except Exception as error:  # whatever goes wrong is a failure of the encoding, not of the suite
        return Outcome(check=check, failure=f"{type(error).__name__}: {error}".strip())
    return Outcome(check=check)


# The checks, in the order of the table


def check_training(choice: Choice) -> None:
    """In training, positions are drawn as the encoding defines them."""
    encoding = make_encoding(choice, fit_for(SHAPE, room=40))
    tokens = random_tokens(1, 600, 12)
    sizes = torch.tensor([[12, 9] * 300])
    roles = roles_of(tokens)
    given = encoding.ids(tokens, sizes, None, roles)
    drawn, other = (
        encoding.ids(tokens, sizes, open_stream(DATA, seed=[seed], xp=torch_arrays()), roles) for seed in (3, 4)
    )
    is_random = choice.shifts_ids or any(part.card.draws_ids for part in choice.parts)
    if is_random and torch.equal(drawn, other):
        raise Nonconforming("two draws give the same positions in training")
    inside = torch.arange(12) < sizes[..., None]
    check_training_ids(choice, encoding, given[0], drawn[0], inside[0])


def check_precision(choice: Choice) -> None:
    """In bfloat16 attention is within 4 percent of what it is in 32 bits, also at positions beyond 256."""
    fit = replace(fit_for(SHAPE), max_length=16 * TRAINED)
    encoding = make_encoding(choice, fit)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, 2, 60, 8, generator=generator)
    x = torch.randn(1, 1, 60, 16, generator=generator)
    ids = (torch.arange(60) * 8 + 1).expand(1, 1, 60)
    at = Where(ids, ids * 0 + 60, ids * 0 + 60)
    outputs = []
    for dtype in (torch.float32, torch.bfloat16):
        kind = encoding.to(dtype).at_layer(0)
        given = [part.to(torch.bfloat16).to(dtype) for part in (q, k, v, x)]
        turned = kind.transform(given[0], given[1], given[3], at, at)
        outputs.append(attend(*turned, given[2], given[3], kind, at, at).float())
    error = (outputs[1] - outputs[0]).norm() / outputs[0].norm()
    if error > 0.04:
        raise Nonconforming(f"in bfloat16 attention differs by {error:.1%}")


def check_shift(choice: Choice) -> None:
    """Adding a number to all ids changes nothing, if that is declared; if not, it changes something."""
    model = make_model(choice)
    tokens = random_tokens(1, 3, 20)
    ids = where(model, tokens).ids_MBL
    before = outputs_of(model, tokens, ids)
    change = max((outputs_of(model, tokens, ids + shift) - before).abs().max().item() for shift in (1, 5, 100))
    if choice.shift_invariant and change > 1e-3:
        raise Nonconforming(f"declared invariant to shifts, but outputs change by {change:.2g}")
    if not choice.shift_invariant and change < 1e-4:
        raise Nonconforming("declared not invariant to shifts, but outputs do not change")


def check_causality(choice: Choice) -> None:
    """A later token never changes an earlier output."""
    model = make_model(choice)
    tokens = random_tokens(1, 4, 12)
    at = where(model, tokens)
    before = model(tokens, at)
    for place in range(12):
        changed = tokens.clone()
        changed[..., place] = (changed[..., place] + 1) % TOKENS
        if choice.card.ids_from == "digits":  # ids follow the tokens
            at = where(model, changed)
        after = model(changed, at)
        require_same(after[:, :, :place], before[:, :, :place], f"outputs before the changed place {place}", 1e-5)
        if torch.equal(after[:, :, place], before[:, :, place]):
            raise Nonconforming(f"the output at place {place} does not see its own token")


def check_prefix(choice: Choice) -> None:
    """More tokens leave the outputs of the first ones as they were, if that is declared; if not, they do not.

    The scale stays that of the whole: an encoding that is told it knows it from the prompt, not from how much is written.
    """
    model = make_model(choice)
    tokens = random_tokens(1, 4, 2 * TRAINED)
    whole = outputs_of(model, tokens)
    roles = roles_of(tokens)
    change = 0.0
    for length in (1, 2, 7, TRAINED, 2 * TRAINED - 1):
        part = tokens[..., :length]
        sizes = torch.full(part.shape[:2], length)
        ids = model.encoding.ids(part, sizes, None, roles[..., :length])
        outputs = outputs_of(model, part, ids, scale=scale_of(tokens.shape[-1]))
        change = max(change, (outputs - whole[:, :, :length]).abs().max().item())
    if choice.prefix_consistent and change > 1e-3:
        raise Nonconforming(f"declared prefix-consistent, but outputs of the first tokens change by {change:.2g}")
    if not choice.prefix_consistent and change < 1e-4:
        raise Nonconforming("declared not prefix-consistent, but nothing changes")


def check_decoding(choice: Choice) -> None:
    """Token by token, with what was kept of the earlier ones, gives the outputs of the whole."""
    model = make_model(choice)
    tokens = random_tokens(1, 3, TRAINED + 8)
    at = where(model, tokens)
    whole = model(tokens, at)
    past, outputs = None, []
    for place in range(tokens.shape[-1]):
        sofar = Where(*(part[..., : place + 1] for part in at[:3]))
        output, past = model.extend(tokens[..., place : place + 1], sofar, past)
        outputs.append(output)
    require_same(torch.cat(outputs, dim=2), whole, "outputs one by one and all at once")
    single = make_model(choice, shape=replace(SHAPE, layers=1))  # deeper layers keep what earlier sizes left
    past = None
    for place in range(tokens.shape[-1]):
        sizes = torch.full((1, 3, place + 1), place + 1)
        sofar = Where(at.ids_MBL[..., : place + 1], sizes, sizes)
        output, past = single.extend(tokens[..., place : place + 1], sofar, past)
        alone = single(tokens[..., : place + 1], sofar)
        require_same(output, alone[:, :, -1:], f"the output at place {place}, as the input grows, and all at once")


def check_length(choice: Choice) -> None:
    """Sixteen times the training length stays finite, in 32 bits and in bfloat16, also at ids sixteen times as large."""
    for dtype in (torch.float32, torch.bfloat16):
        model = make_model(choice).to(dtype)
        tokens = random_tokens(1, 1, 16 * TRAINED)
        with torch.no_grad():
            for factor in (1, 1 if choice.max_length else 16):
                outputs = outputs_of(model, tokens, where(model, tokens).ids_MBL * factor)
                if outputs.dtype != dtype:
                    raise Nonconforming(f"outputs of a model in {dtype} are in {outputs.dtype}")
                if not outputs.isfinite().all():
                    raise Nonconforming(f"not finite in {dtype} at {tokens.shape[-1]} tokens, ids times {factor}")


def check_hidden_positions(choice: Choice) -> None:
    """Positions come in through ids alone: another instance before this one in the row changes nothing."""
    model = make_model(choice)
    tokens = random_tokens(1, 3, 15)
    at = where(model, tokens)
    alone = model(tokens, at)
    before = random_tokens(1, 3, 9, seed=1)
    both = torch.cat([before, tokens], dim=-1)
    ids = torch.cat([where(model, before).ids_MBL.to(at.ids_MBL.dtype), at.ids_MBL], dim=-1)
    segment = torch.tensor([0] * 9 + [1] * 15)
    sees = (segment[:, None] == segment[None]) & torch.ones(24, 24, dtype=torch.bool).tril()
    sizes = torch.tensor([9] * 9 + [15] * 15).expand(1, 3, 24)
    scales = torch.tensor([scale_of(9)] * 9 + [scale_of(15)] * 15).expand(1, 3, 24)
    packed = model(both, Where(ids, scales, sizes, sees[None, None].expand(3, 1, -1, -1)))
    require_same(packed[:, :, 9:], alone, "outputs of an instance alone and behind another in its row")


@torch.no_grad()
def check_ids(choice: Choice) -> None:
    """Ids may be fractions and repeat; an encoding that is a table says that it wants whole numbers."""
    model = make_model(choice)
    tokens = random_tokens(1, 2, 12)
    repeated = torch.tensor([0, 1, 1, 2, 2, 2, 3, 5, 5, 8, 8, 8]).expand(1, 2, 12)
    if not outputs_of(model, tokens, repeated).isfinite().all():
        raise Nonconforming("not finite with repeated ids")
    fractions = torch.linspace(0, 11, 12).expand(1, 2, 12) + 0.25
    if not choice.float_ids:
        try:
            outputs_of(model, tokens, fractions)
        except InvalidOptionError:
            return
        raise Nonconforming("fractions are not refused, though the card says so")
    if not outputs_of(model, tokens, fractions).isfinite().all():
        raise Nonconforming("not finite with fractions")
    require_same(
        outputs_of(model, tokens, repeated.float()),
        outputs_of(model, tokens, repeated),
        "whole numbers as fractions: outputs",
    )


def check_largest(choice: Choice) -> None:
    """Beyond the largest number of positions there is a clear error; without one, any length works."""
    shape = replace(SHAPE, layers=1, heads=1, width=4)
    encoding = make_encoding(choice, fit_for(shape, room=20))

    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))

    def ids_of(length: int) -> None:
        tokens = torch.full((1, 1, length), DIGITS[0])  # one long number, for what counts digits
        sizes = torch.full((1, 1), length)
        training = open_stream(DATA, seed=[0], xp=torch_arrays())
        for draw in (None, training) if length <= 20 else (None,):  # training may need room for random offsets
            ids = encoding.ids(tokens, sizes, draw, roles_of(tokens))
            whole = sizes[..., None].expand_as(ids)
            try:
                encoding.embed(Where(ids, whole, whole))
            except IndexError:
                raise Nonconforming(f"{length} tokens have positions for which the table has no row") from None

    limit = encoding.max_length or 20
    counts = choice.card.ids_from in ("roles", "digits")  # these count what is in an instance made for so many tokens
    ids_of(limit)
    if not choice.max_length and not counts:
        ids_of(100 * limit)
        return
    try:
        ids_of(limit + 1)
    except InvalidOptionError as error:
        if str(limit + 1) not in str(error):
            raise Nonconforming(f"the error does not say how long the input is: {error}") from None
    else:
        raise Nonconforming(f"{limit + 1} tokens are accepted, though there is room for {limit} only")


def check_configurations(choice: Choice) -> None:
    """Modules of different configurations do not influence each other, as they would through a shared cache."""
    configurations = [choice, *choice.variants[:2]]
    small = Shape(layers=1, heads=2, width=8)
    settings: list[tuple[Choice, int, Shape]] = [(each, 0, SHAPE) for each in configurations]
    settings += [(choice, 1, SHAPE), (choice, 0, small)]
    tokens = random_tokens(1, 2, 10)
    alone = [outputs_of(make_model(each, (seed,), shape), tokens) for each, seed, shape in settings]
    models = [make_model(each, (seed,), shape) for each, seed, shape in settings]
    for number in (*range(len(models)), *reversed(range(len(models))), 0):
        if not torch.equal(outputs_of(models[number], tokens), alone[number]):
            raise Nonconforming("what a module computes depends on which others were called before")
    if any(torch.equal(alone[0], other) for other in alone[1 : len(configurations)]):
        raise Nonconforming("another configuration computes the same")


def check_gradient(choice: Choice) -> None:
    """The gradient reaches every parameter of every model and is the slope that differences show."""
    others = choice.variants if choice.card.bases and not choice.chooses_ids else ()
    for variant in (choice, *others):
        _check_gradient(variant)
    check_slopes(choice)


def _check_gradient(choice: Choice) -> None:
    model = make_model(choice, seeds=(0, 1))
    tokens = random_tokens(2, 12, 2 * TRAINED)
    starts = (0, 7) if choice.max_length else (0,)
    ids = where(model, tokens).ids_MBL
    outputs = torch.cat([outputs_of(model, tokens, ids + start) for start in starts], dim=1)
    outputs.square().mean().backward()  # type: ignore[no-untyped-call]
    for name, parameter in model.named_parameters():
        if parameter.grad is None:
            raise Nonconforming(f"no gradient reaches {name}")
        if not parameter.grad.isfinite().all():
            raise Nonconforming(f"the gradient of {name} is not finite")
        if not (parameter.grad.reshape(2, -1).abs().sum(1) > 0).all():
            raise Nonconforming(f"the gradient of {name} is zero")


def check_stack(choice: Choice) -> None:
    """A stack of three models computes what they compute alone, in training and at test."""
    for variant in (choice, *choice.variants[:1]):
        _check_stack(variant)


def _check_stack(choice: Choice) -> None:
    seeds = (4, 0, 9)
    stack = make_model(choice, seeds)
    tokens = random_tokens(3, 4, 14)
    sizes = torch.full((3, 4), 14)
    for training in (False, True):
        draw = open_stream(DATA, seed=list(seeds), xp=torch_arrays()) if training else None
        together = outputs_of(stack, tokens, stack.encoding.ids(tokens, sizes, draw, roles_of(tokens)))
        for number, seed in enumerate(seeds):
            alone = make_model(choice, (seed,))
            part = tokens[number : number + 1]
            own = open_stream(DATA, seed=[seed], xp=torch_arrays()) if training else None
            ids = alone.encoding.ids(part, sizes[:1], own, roles_of(part))
            require_same(
                together[number], outputs_of(alone, part, ids)[0], f"model {number} in a stack and alone", 1e-4
            )


Check = Callable[[Choice], None]

CHECKS: dict[str, Check] = {
    "reference": check_reference,
    "long": check_long,
    "far": check_far,
    "rows": check_rows,
    "initial": check_initial,
    "shift": check_shift,
    "causality": check_causality,
    "prefix": check_prefix,
    "decoding": check_decoding,
    "training": check_training,
    "16 × length": check_length,
    "bfloat16": check_precision,
    "hidden positions": check_hidden_positions,
    "ids": check_ids,
    "largest": check_largest,
    "configurations": check_configurations,
    "gradient": check_gradient,
    "stack": check_stack,
    "declared": check_declared,
}
