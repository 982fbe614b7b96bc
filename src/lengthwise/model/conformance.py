"""The conformance suite: what every position encoding must do, and what each declares of itself, measured.

A check returns None if the encoding passes, a sentence beginning with "–" if it does not apply, and raises
``Nonconforming`` if it fails. Oracles are the literal references in ``encodings/references``, which are plain Python.
Everything is random but fixed: a failure can be made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ..arrays import torch_arrays
from ..encodings.attend import attend
from ..encodings.base import Encoding, Fit, Where
from ..encodings.build import make_encoding
from ..encodings.names import Choice, find_encoding
from ..errors import InvalidOptionError
from ..seeds import DATA, INITIALIZATION, open_stream
from .conformance_cases import VARIANTS, literal_outputs, make_case, stir
from .shape import Shape
from .transformer import Transformer

TOKENS = 7
"""How many tokens the models of the suite know; the last two are digits."""
DIGITS = (5, 6)
TRAINED = 32
ROOM = 16 * TRAINED
SHAPE = Shape(layers=2, heads=2, width=16)


class Nonconforming(AssertionError):
    """An encoding does not do what it must, or not what its card says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a check came to: ``failure`` is empty if it passed, ``skipped`` says why it does not apply."""

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
        skipped = CHECKS[check](choice)
    except Exception as error:  # whatever goes wrong is a failure of the encoding, not of the suite
        return Outcome(check=check, failure=f"{type(error).__name__}: {error}".strip())
    return Outcome(check=check, skipped=skipped or "")


def fit_for(shape: Shape, models: int = 1, room: int = ROOM) -> Fit:
    """Return what an encoding of the suite is made for."""
    return Fit(
        num_models=models,
        num_heads=shape.heads,
        head_width=shape.width // shape.heads,
        width=shape.width,
        max_length=room,
        trained=TRAINED,
        num_layers=shape.layers,
        digits=DIGITS,
    )


def make_model(choice: Choice, seeds: tuple[int, ...] = (0,), shape: Shape = SHAPE, room: int = ROOM) -> Transformer:
    """Return a model with weights so large that every part of it matters."""
    model = Transformer(
        num_models=len(seeds),
        num_tokens=TOKENS,
        num_outputs=5,
        shape=shape,
        encoding=make_encoding(choice, fit_for(shape, len(seeds), room)),
    )
    model.initialize(open_stream(INITIALIZATION, seed=list(seeds)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(10 if parameter.dim() > 2 else 1)
    stir(model.encoding, seeds)
    return model


def random_tokens(*shape: int, seed: int = 0) -> Tensor:
    """Return random tokens."""
    return torch.randint(TOKENS, shape, generator=torch.Generator().manual_seed(seed))


def where(model: Transformer, tokens_MBL: Tensor, ids_MBL: Tensor | None = None) -> Where:
    """Return where tokens stand that fill their rows, by the model's own ids or others."""
    sizes = torch.full(tokens_MBL.shape[:2], tokens_MBL.shape[-1])
    if ids_MBL is None:
        ids_MBL = model.encoding.ids(tokens_MBL, sizes, None, _roles(tokens_MBL))
    whole = sizes[..., None].expand(tokens_MBL.shape)
    return Where(ids_MBL=ids_MBL, scale_MBL=whole, sizes_MBL=whole)


def _roles(tokens_MBL: Tensor) -> Tensor:
    """Return roles as in copying: the second half repeats those of the first."""
    length = tokens_MBL.shape[-1]
    return (torch.arange(length) % max(1, length // 2)).expand(tokens_MBL.shape)


def outputs_of(model: Transformer, tokens_MBL: Tensor, ids_MBL: Tensor | None = None) -> Tensor:
    """Return the outputs of a model."""
    outputs: Tensor = model(tokens_MBL, where(model, tokens_MBL, ids_MBL))
    return outputs


def _same(found: Tensor, expected: Tensor, what: str, tolerance: float = 2e-4) -> None:
    if not torch.allclose(found, expected, rtol=tolerance, atol=tolerance):
        raise Nonconforming(f"{what} differ by up to {(found - expected).abs().max().item():.2g}")


# The checks, in the order of the table


def check_reference(choice: Choice) -> str | None:
    """Attention is what the literal reference says, at n = 17, for several numbers of heads and configurations."""
    for number, (variant, heads, head_width) in enumerate(_configurations(choice)):
        fit = Fit(
            num_heads=heads, head_width=head_width, width=heads * head_width, max_length=700, trained=9, digits=DIGITS
        )
        encoding = make_encoding(variant, replace(fit, num_layers=2))
        encoding.initialize(open_stream(INITIALIZATION, seed=[number]))
        stir(encoding, (number,))
        for layout in ("plain", "spread", "packed"):
            case = make_case(variant, encoding, fit, layout, seed=number)
            for layer in range(2 if variant.card.name == "interleaved" else 1):
                kind = encoding.at_layer(layer)
                q, k = kind.transform(case.q, case.k, case.x_MBLD, case.at, case.at)
                found = attend(q, k, case.v, case.x_MBLD, kind, case.at, case.at)[0]
                expected = torch.tensor(literal_outputs(variant, layer, kind, case))
                _same(
                    found, expected, f"{variant.name} with {heads} heads of width {head_width}, {layout} ids: outputs"
                )
            added = encoding.embed(case.at)
            embedded = case.embedded(variant, encoding)
            if (added is None) != (embedded is None):
                raise Nonconforming(f"{variant.name} {'adds nothing' if added is None else 'adds'} to the input")
            if added is not None:
                _same(added[0, 0], torch.tensor(embedded), f"{variant.name}, {layout} ids: what is added to the input")
    return None


def _configurations(choice: Choice) -> Iterator[tuple[Choice, int, int]]:
    variants = [choice, *(find_encoding(name) for name in VARIANTS.get(choice.name, ()))]
    for variant in variants:
        for heads, head_width in ((1, 4), (3, 4), (4, 6)):
            yield variant, heads, head_width


def check_shift(choice: Choice) -> str | None:
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
    return None


def check_causality(choice: Choice) -> str | None:
    """A later token never changes an earlier output."""
    model = make_model(choice)
    tokens = random_tokens(1, 4, 12)
    at = where(model, tokens)
    before = model(tokens, at)
    for place in range(12):
        changed = tokens.clone()
        changed[..., place] = (changed[..., place] + 1) % TOKENS
        if choice.card.name == "abacus":
            at = where(model, changed)
        after = model(changed, at)
        _same(after[:, :, :place], before[:, :, :place], f"outputs before the changed place {place}", 1e-5)
        if torch.equal(after[:, :, place], before[:, :, place]):
            raise Nonconforming(f"the output at place {place} does not see its own token")
    return None


def check_prefix(choice: Choice) -> str | None:
    """More tokens leave the outputs of the first ones as they were, if that is declared; if not, they do not."""
    model = make_model(choice)
    tokens = random_tokens(1, 4, 2 * TRAINED)
    whole = outputs_of(model, tokens)
    roles = _roles(tokens)
    change = 0.0
    for length in (1, 2, 7, TRAINED, 2 * TRAINED - 1):
        part = tokens[..., :length]
        sizes = torch.full(part.shape[:2], length)
        ids = model.encoding.ids(part, sizes, None, roles[..., :length])
        change = max(change, (outputs_of(model, part, ids) - whole[:, :, :length]).abs().max().item())
    if choice.prefix_consistent and change > 1e-3:
        raise Nonconforming(f"declared prefix-consistent, but outputs of the first tokens change by {change:.2g}")
    if not choice.prefix_consistent and change < 1e-4:
        raise Nonconforming("declared not prefix-consistent, but nothing changes")
    return None


def check_decoding(choice: Choice) -> str | None:
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
    _same(torch.cat(outputs, dim=2), whole, "outputs one by one and all at once")
    return None


def check_length(choice: Choice) -> str | None:
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
    return None


def check_hidden_positions(choice: Choice) -> str | None:
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
    packed = model(both, Where(ids, sizes, sizes, sees[None, None].expand(3, 1, -1, -1)))
    _same(packed[:, :, 9:], alone, "outputs of an instance alone and behind another in its row")
    return None


def check_ids(choice: Choice) -> str | None:
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
            return None
        raise Nonconforming("fractions are not refused, though the card says so")
    if not outputs_of(model, tokens, fractions).isfinite().all():
        raise Nonconforming("not finite with fractions")
    _same(
        outputs_of(model, tokens, repeated.float()),
        outputs_of(model, tokens, repeated),
        "whole numbers as fractions: outputs",
    )
    return None


def check_largest(choice: Choice) -> str | None:
    """Beyond the largest number of positions there is a clear error; without one, any length works."""
    shape = replace(SHAPE, layers=1, heads=1, width=4)
    encoding = make_encoding(choice, fit_for(shape, room=20))
    limit = 20 if encoding.max_length is None else encoding.max_length
    if choice.max_length and choice.card.max_length and encoding.max_length is None:
        raise Nonconforming("the card has a largest number of positions, the module none")
    length = 4 * 20 if not choice.max_length else max(limit, 80) + 1
    tokens = torch.zeros(1, 1, length, dtype=torch.int64)
    sizes = torch.full((1, 1), length)
    try:
        encoding.ids(tokens, sizes, None, _roles(tokens))
    except InvalidOptionError as error:
        if choice.max_length or choice.card.name in ("randomized",):
            if str(length) not in str(error):
                raise Nonconforming(f"the error does not say how long the input is: {error}") from None
            return None
        raise
    if choice.max_length:
        raise Nonconforming(f"{length} tokens are accepted, though there is room for {limit} only")
    return None


def check_configurations(choice: Choice) -> str | None:
    """Modules of different configurations do not influence each other, as they would through a shared cache."""
    names = [choice.name, *VARIANTS.get(choice.name, ())[:2]]
    small = Shape(layers=1, heads=2, width=8)
    settings: list[tuple[Choice, int, Shape]] = [(find_encoding(name), 0, SHAPE) for name in names]
    settings += [(choice, 1, SHAPE), (choice, 0, small)]
    tokens = random_tokens(1, 2, 10)
    alone = [outputs_of(make_model(each, (seed,), shape), tokens) for each, seed, shape in settings]
    models = [make_model(each, (seed,), shape) for each, seed, shape in settings]
    for number in (*range(len(models)), *reversed(range(len(models))), 0):
        if not torch.equal(outputs_of(models[number], tokens), alone[number]):
            raise Nonconforming("what a module computes depends on which others were called before")
    if any(torch.equal(alone[0], other) for other in alone[1 : len(names)]):
        raise Nonconforming("another configuration computes the same")
    return None


def check_gradient(choice: Choice) -> str | None:
    """The gradient reaches every parameter of every model, and is finite."""
    model = make_model(choice, seeds=(0, 1))
    tokens = random_tokens(2, 24, 2 * TRAINED)
    outputs = (
        outputs_of(model, tokens)
        if not choice.max_length
        else torch.cat([outputs_of(model, tokens, where(model, tokens).ids_MBL + start) for start in (0, 7)], dim=1)
    )
    outputs.square().mean().backward()  # type: ignore[no-untyped-call]
    for name, parameter in model.named_parameters():
        if parameter.grad is None:
            raise Nonconforming(f"no gradient reaches {name}")
        if not parameter.grad.isfinite().all():
            raise Nonconforming(f"the gradient of {name} is not finite")
        if not (parameter.grad.reshape(2, -1).abs().sum(1) > 0).all():
            raise Nonconforming(f"the gradient of {name} is zero")
    return None


def check_stack(choice: Choice) -> str | None:
    """A stack of three models computes what they compute alone, in training and at test."""
    seeds = (4, 0, 9)
    stack = make_model(choice, seeds)
    tokens = random_tokens(3, 4, 14)
    sizes = torch.full((3, 4), 14)
    for training in (False, True):
        draw = open_stream(DATA, seed=list(seeds), xp=torch_arrays()) if training else None
        together = outputs_of(stack, tokens, stack.encoding.ids(tokens, sizes, draw, _roles(tokens)))
        for number, seed in enumerate(seeds):
            alone = make_model(choice, (seed,))
            part = tokens[number : number + 1]
            own = open_stream(DATA, seed=[seed], xp=torch_arrays()) if training else None
            ids = alone.encoding.ids(part, sizes[:1], own, _roles(part))
            _same(together[number], outputs_of(alone, part, ids)[0], f"model {number} in a stack and alone", 1e-4)
    return None


def check_declared(choice: Choice) -> str | None:
    """Parameters, layers, what it acts on, bounds of its bias and need of the scale are as the card says."""
    fit = fit_for(SHAPE)
    encoding = make_encoding(choice, fit)
    _check_parameters(choice, encoding, fit)
    _check_hooks(choice, encoding)
    _check_bias(choice)
    model = make_model(choice)
    tokens = random_tokens(1, 2, 20)
    at = where(model, tokens)
    longer = torch.full_like(at.sizes_MBL, 40 * TRAINED)
    change = (model(tokens, at._replace(sizes_MBL=longer, scale_MBL=longer)) - model(tokens, at)).abs().max().item()
    if (change > 1e-4) != choice.needs_scale:
        raise Nonconforming(
            f"needs_scale is declared {choice.needs_scale}, but the scale changes outputs by {change:.2g}"
        )
    for parameter in encoding.parameters():
        parameter.data.fill_(torch.nan)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    if not all(parameter.isfinite().all() for parameter in encoding.parameters()):
        raise Nonconforming("some parameters are not set by initialize")
    return None


def _check_parameters(choice: Choice, encoding: Encoding, fit: Fit) -> None:
    if choice.card.bases:
        return  # those of the bases are counted with the bases
    formula = choice.card.parameters.replace("·", "*")
    names: dict[str, Any] = dict(choice.options) | {"N": fit.max_length, "T": fit.trained}
    names |= {"D": fit.width, "H": fit.num_heads, "d": fit.head_width}
    declared = eval(formula, {"__builtins__": {}}, names) * (fit.num_layers if choice.card.per_layer else 1)
    found = sum(parameter.numel() for parameter in encoding.parameters())
    if declared != found:
        raise Nonconforming(f"{declared} parameters are declared ({choice.card.parameters}), but there are {found}")


def _check_hooks(choice: Choice, encoding: Encoding) -> None:
    """Compare what the card says it acts on with the hooks that do something."""
    whole, layer = type(encoding), type(encoding.at_layer(0))
    if choice.card.bases:
        return
    acts = {
        "ids": whole.ids is not Encoding.ids,
        "input": whole.embed is not Encoding.embed,
        "queries and keys": layer.transform is not Encoding.transform,
        "scores": layer.bias is not Encoding.bias or layer.scores is not Encoding.scores,
        "weights": layer.weights is not Encoding.weights,
        "values": layer.value is not Encoding.value,
    }
    found = tuple(name for name, does in acts.items() if does) or ("nothing",)
    if set(found) != set(choice.card.acts_on):
        raise Nonconforming(f"declared to act on {', '.join(choice.card.acts_on)}, but acts on {', '.join(found)}")


def _check_bias(choice: Choice) -> None:
    """Compare the largest bias among a few and among many positions with what is declared."""
    kind = make_model(choice).encoding.at_layer(0)
    declared = choice.card.bounded_bias
    few, many = (_largest_bias(kind, last) for last in (1000, 1_000_000))
    if choice.card.bases and (few is None or declared is None):
        return  # that of a base is the base's
    if (few is None) != (declared is None):
        raise Nonconforming(
            f"bounded_bias is declared {declared}, but there is {'no' if few is None else 'a'} bias by position"
        )
    if few is None or many is None:
        return
    is_bounded = many != torch.inf and many <= 1.02 * few
    if is_bounded != declared:
        raise Nonconforming(f"bounded_bias is declared {declared}; the largest is {few:.3g}, then {many:.3g}")


def _largest_bias(kind: Encoding, last: int) -> float | None:
    """Return the largest bias, either way, between position ``last`` and the ones before it."""
    far = [round(last ** (step / 400)) for step in range(401)]
    distance = sorted({*range(min(200, last)), *far, last}, reverse=True)
    ids = (last - torch.tensor(distance)).expand(1, 1, -1)
    at = Where(ids, ids, ids)
    bias = kind.bias(at.at_places(torch.tensor([[ids.shape[-1] - 1]])), at)
    return None if bias is None else bias.abs().max().item()


Check = Callable[[Choice], str | None]

CHECKS: dict[str, Check] = {
    "reference": check_reference,
    "shift": check_shift,
    "causality": check_causality,
    "prefix": check_prefix,
    "decoding": check_decoding,
    "16 × length": check_length,
    "hidden positions": check_hidden_positions,
    "ids": check_ids,
    "largest": check_largest,
    "configurations": check_configurations,
    "gradient": check_gradient,
    "stack": check_stack,
    "declared": check_declared,
}
