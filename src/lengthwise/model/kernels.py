"""Attention over short packed rows as one GPU kernel each way, written in Triton; and the oracle it is tested against.

A program of the kernel takes one head of one row of one model and holds all of it: it reads q, k and v where the matrix
product left them, adds their bias, and writes its columns of the output, so that nothing is transposed or copied. The
way back computes everything again from the same input and writes one gradient; nothing is kept in between. A row is cut
in two blocks of places where that pays: the late block sees both, the early one only itself.

Shapes: M models, R rows, W places of a row, D width, K head width, X the 3·D columns of q, k and v.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor

try:
    import triton  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import triton.language as tl  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ImportError:  # torch for the CPU comes without it
    triton = tl = None

_IS_INTERPRETED = triton is not None and os.environ.get("TRITON_INTERPRET") == "1"  # kernels run on the CPU, slowly
_SMALLEST_TILE = 16  # of a matrix product in Triton
_LONGEST_ROW = 128
_HEAD_WIDTHS = {torch.bfloat16: (8, 16, 32, 64, 128), torch.float32: (8, 16, 32, 64)}  # shared memory holds no more
_HOPPER = 9  # the generation of GPUs that the kernels are laid out for


def can_attend(width: int, head_width: int, dtype: torch.dtype) -> bool:
    """Say whether ``attend_rows`` takes rows of this many places with heads of this width, in tensors on the GPU.

    Tensors on the CPU are taken by Triton's interpreter alone (``TRITON_INTERPRET=1``).
    """
    if triton is None or width > _LONGEST_ROW or head_width not in _HEAD_WIDTHS.get(dtype, ()):
        return False
    return _IS_INTERPRETED or (torch.cuda.is_available() and torch.cuda.get_device_properties(0).major == _HOPPER)


def attend_rows(qkv_MRWX: Tensor, bias_MX: Tensor, segments_RW: Tensor, heads: int) -> Tensor:
    """Return causal attention within the segments of each row, [M, R, W, D]: place i sees j ≤ i of its own segment.

    ``qkv_MRWX`` holds the columns of q, of k, then of v, each head after head, without their bias, which is added here
    in 32 bits; q, k and v are then rounded to the dtype of ``qkv_MRWX``.
    """
    width, head_width = qkv_MRWX.shape[2], qkv_MRWX.shape[3] // (3 * heads)
    if not can_attend(width, head_width, qkv_MRWX.dtype) or not (qkv_MRWX.is_cuda or _IS_INTERPRETED):
        raise NotImplementedError(
            f"no kernel for rows of {width} places and heads of width {head_width} in {qkv_MRWX.dtype} on "
            f"{qkv_MRWX.device}: at most {_LONGEST_ROW} places, widths of 8, 16, 32, 64 or (bfloat16 only) 128, "
            "on a Hopper GPU; ask can_attend first."
        )
    attended: Tensor = _attend_rows(qkv_MRWX, bias_MX, segments_RW, heads)
    return attended


def reference_attend_rows(qkv_MRWX: Tensor, bias_MX: Tensor, segments_RW: Tensor, heads: int) -> Tensor:
    """Return what ``attend_rows`` returns, one head at a time, every formula written out."""
    width, head_width = qkv_MRWX.shape[2], qkv_MRWX.shape[3] // (3 * heads)
    biased = (qkv_MRWX.float() + bias_MX[:, None, None, :].float()).to(qkv_MRWX.dtype).float()
    q_MRWD, k_MRWD, v_MRWD = biased.chunk(3, dim=-1)
    place = torch.arange(width, device=qkv_MRWX.device)
    is_visible_RWW = (place[None, :] <= place[:, None]) & (segments_RW[:, :, None] == segments_RW[:, None, :])
    mixed = []
    for head in range(heads):
        own = slice(head * head_width, (head + 1) * head_width)
        scores = q_MRWD[..., own] @ k_MRWD[..., own].transpose(-1, -2) / math.sqrt(head_width)
        weights = torch.softmax(scores.masked_fill(~is_visible_RWW, -torch.inf), dim=-1)
        mixed.append(weights @ v_MRWD[..., own])
    return torch.cat(mixed, dim=-1).to(qkv_MRWX.dtype)


# What torch sees: two operators it does not look into


@torch.library.custom_op("lengthwise::attend_rows", mutates_args=())
def _attend_rows(qkv_MRWX: Tensor, bias_MX: Tensor, segments_RW: Tensor, heads: int) -> Tensor:
    return forward(qkv_MRWX, bias_MX, segments_RW, heads)


@torch.library.custom_op("lengthwise::attend_rows_backward", mutates_args=())
def _attend_rows_backward(
    gradient_MRWD: Tensor, qkv_MRWX: Tensor, bias_MX: Tensor, segments_RW: Tensor, heads: int
) -> Tensor:
    return backward(gradient_MRWD, qkv_MRWX, bias_MX, segments_RW, heads)


@_attend_rows.register_fake
def _(qkv_MRWX: Tensor, bias_MX: Tensor, segments_RW: Tensor, heads: int) -> Tensor:  # noqa: ARG001
    return qkv_MRWX.new_empty((*qkv_MRWX.shape[:-1], qkv_MRWX.shape[-1] // 3))


@_attend_rows_backward.register_fake
def _(gradient_MRWD: Tensor, qkv_MRWX: Tensor, bias_MX: Tensor, segments_RW: Tensor, heads: int) -> Tensor:  # noqa: ARG001
    return qkv_MRWX.new_empty(qkv_MRWX.shape)


def _keep_inputs(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor, int], output: Tensor) -> None:  # noqa: ARG001
    *tensors, ctx.heads = inputs
    ctx.save_for_backward(*tensors)


def _differentiate(ctx: Any, gradient_MRWD: Tensor) -> tuple[Tensor, Tensor, None, None]:
    qkv_MRWX, bias_MX, segments_RW = ctx.saved_tensors
    gradient_MRWX = _attend_rows_backward(gradient_MRWD, qkv_MRWX, bias_MX, segments_RW, ctx.heads)
    return gradient_MRWX, gradient_MRWX.sum((1, 2), dtype=torch.float32).to(bias_MX.dtype), None, None


_attend_rows.register_autograd(_differentiate, setup_context=_keep_inputs)


# Launching


class Tuning(NamedTuple):
    """How a kernel is laid out: places of a block (a row has one or two), warps of a program, registers of a thread.

    There are no loops in the kernels, hence no stages to choose.
    """

    block: int
    num_warps: int
    max_registers: int | None = None


def default_tuning(width: int, head_width: int, dtype: torch.dtype, *, is_backward: bool) -> Tuning:
    """Return the layout for rows of this shape."""
    padded = _padded(width)
    if dtype == torch.float32 and _precision() == "ieee":  # no tensor cores: every product is a line of the program
        return Tuning(block=padded, num_warps=padded // 8)
    if padded < 64:
        return Tuning(block=padded, num_warps=1 if head_width < 64 else 2)
    if is_backward and head_width == 128:
        return Tuning(block=padded, num_warps=padded // 16)
    lets_three_run = is_backward and padded > 64 and dtype == torch.bfloat16  # programs at once on a multiprocessor
    return Tuning(block=64, num_warps=4, max_registers=168 if lets_three_run else None)


def forward(qkv_MRWX: Tensor, bias_MX: Tensor, segments_RW: Tensor, heads: int, tuning: Tuning | None = None) -> Tensor:
    """Launch the kernel of the way there."""
    qkv_MRWX, bias_MX, segments_RW = qkv_MRWX.contiguous(), bias_MX.contiguous(), segments_RW.contiguous()
    mixed_MRWD = qkv_MRWX.new_empty((*qkv_MRWX.shape[:-1], qkv_MRWX.shape[-1] // 3))
    _launch(_forward_kernel, (qkv_MRWX, bias_MX, segments_RW, mixed_MRWD), heads, tuning)
    return mixed_MRWD


def backward(
    gradient_MRWD: Tensor,
    qkv_MRWX: Tensor,
    bias_MX: Tensor,
    segments_RW: Tensor,
    heads: int,
    tuning: Tuning | None = None,
) -> Tensor:
    """Launch the kernel of the way back; return the gradient of ``qkv_MRWX``."""
    qkv_MRWX, bias_MX, segments_RW = qkv_MRWX.contiguous(), bias_MX.contiguous(), segments_RW.contiguous()
    gradient_MRWX = torch.empty_like(qkv_MRWX)
    tensors = (qkv_MRWX, bias_MX, segments_RW, gradient_MRWD.contiguous(), gradient_MRWX)
    _launch(_backward_kernel, tensors, heads, tuning)
    return gradient_MRWX


def _launch(kernel: Any, tensors: tuple[Tensor, ...], heads: int, tuning: Tuning | None) -> None:
    qkv_MRWX = tensors[0]
    num_models, num_rows, width, columns = qkv_MRWX.shape
    head_width = columns // (3 * heads)
    if tuning is None:
        tuning = default_tuning(width, head_width, qkv_MRWX.dtype, is_backward=kernel is _backward_kernel)
    where: AbstractContextManager[Any] = torch.cuda.device(qkv_MRWX.device) if qkv_MRWX.is_cuda else nullcontext()
    with where:
        kernel[(num_models * num_rows * heads,)](
            *tensors,
            num_rows,
            HEADS=heads,
            WIDTH=width,
            HEAD_WIDTH=head_width,
            BLOCK=tuning.block,
            COLUMNS=_padded(head_width),
            SCALE=1 / math.sqrt(head_width),
            PRECISION=_precision(),
            num_warps=tuning.num_warps,
            maxnreg=tuning.max_registers,
        )


def _precision() -> str:
    """Return how products of 32-bit matrices are computed; it means nothing for those of 16 bits."""
    return "ieee" if torch.get_float32_matmul_precision() == "highest" else "tf32"


def _padded(number: int) -> int:
    """Return the next power of two, or the smallest side of a tile."""
    return int(max(_SMALLEST_TILE, 1 << (number - 1).bit_length()))


# The kernels


def _jit(function: Callable[..., Any]) -> Any:
    return function if triton is None else triton.jit(function)


@_jit
def _load_biased(
    qkv: tl.tensor,
    bias: tl.tensor,
    place: tl.tensor,
    column: tl.tensor,
    STRIDE: tl.constexpr,
    WIDTH: tl.constexpr,
    HEAD_WIDTH: tl.constexpr,
) -> tl.tensor:
    """Return q, k or v at these places, whose columns begin at ``qkv`` and ``bias``; zeros, or the bias, outside."""
    is_inside = (place[:, None] < WIDTH) & (column[None, :] < HEAD_WIDTH)
    raw = tl.load(qkv + place[:, None] * STRIDE + column[None, :], mask=is_inside, other=0.0)
    added = tl.load(bias + column, mask=column < HEAD_WIDTH, other=0.0)
    return (raw.to(tl.float32) + added.to(tl.float32)[None, :]).to(raw.dtype)


@_jit
def _load(
    matrix: tl.tensor,
    place: tl.tensor,
    column: tl.tensor,
    STRIDE: tl.constexpr,
    WIDTH: tl.constexpr,
    HEAD_WIDTH: tl.constexpr,
) -> tl.tensor:
    """Return columns of a row at these places, zeros outside."""
    is_inside = (place[:, None] < WIDTH) & (column[None, :] < HEAD_WIDTH)
    return tl.load(matrix + place[:, None] * STRIDE + column[None, :], mask=is_inside, other=0.0)


@_jit
def _store(
    matrix: tl.tensor,
    values: tl.tensor,
    place: tl.tensor,
    column: tl.tensor,
    STRIDE: tl.constexpr,
    WIDTH: tl.constexpr,
    HEAD_WIDTH: tl.constexpr,
) -> None:
    """Write columns of a row at these places."""
    is_inside = (place[:, None] < WIDTH) & (column[None, :] < HEAD_WIDTH)
    tl.store(matrix + place[:, None] * STRIDE + column[None, :], values.to(matrix.dtype.element_ty), mask=is_inside)


@_jit
def _scores(
    q: tl.tensor,
    k: tl.tensor,
    place_q: tl.tensor,
    place_k: tl.tensor,
    segment_q: tl.tensor,
    segment_k: tl.tensor,
    PRECISION: tl.constexpr,
) -> tl.tensor:
    """Return the products of q and k, -inf where a place of q does not see that of k."""
    is_visible = (place_k[None, :] <= place_q[:, None]) & (segment_k[None, :] == segment_q[:, None])
    return tl.where(is_visible, tl.dot(q, tl.trans(k), input_precision=PRECISION), float("-inf"))


@_jit
def _forward_kernel(
    qkv: tl.tensor,
    bias: tl.tensor,
    segments: tl.tensor,
    mixed: tl.tensor,
    num_rows: tl.tensor,
    HEADS: tl.constexpr,
    WIDTH: tl.constexpr,
    HEAD_WIDTH: tl.constexpr,
    BLOCK: tl.constexpr,
    COLUMNS: tl.constexpr,
    SCALE: tl.constexpr,
    PRECISION: tl.constexpr,
) -> None:
    D: tl.constexpr = HEADS * HEAD_WIDTH
    X: tl.constexpr = 3 * D
    LOG_SCALE: tl.constexpr = SCALE * 1.4426950408889634  # powers of 2 are cheaper than those of e
    head = tl.program_id(0) % HEADS
    row = tl.program_id(0) // HEADS  # of all models
    qkv += row.to(tl.int64) * (WIDTH * X) + head * HEAD_WIDTH
    mixed += row.to(tl.int64) * (WIDTH * D) + head * HEAD_WIDTH
    bias += (row // num_rows) * X + head * HEAD_WIDTH
    segments += (row % num_rows) * WIDTH

    column = tl.arange(0, COLUMNS)
    early = tl.arange(0, BLOCK)
    early_segment = tl.load(segments + early, mask=early < WIDTH, other=-1).to(tl.int32)
    early_k = _load_biased(qkv + D, bias + D, early, column, X, WIDTH, HEAD_WIDTH)
    early_v = _load_biased(qkv + 2 * D, bias + 2 * D, early, column, X, WIDTH, HEAD_WIDTH)

    if BLOCK < WIDTH:  # the late block of places, which sees the early one and itself
        late = BLOCK + early
        late_segment = tl.load(segments + late, mask=late < WIDTH, other=-1).to(tl.int32)
        q = _load_biased(qkv, bias, late, column, X, WIDTH, HEAD_WIDTH)
        k = _load_biased(qkv + D, bias + D, late, column, X, WIDTH, HEAD_WIDTH)
        v = _load_biased(qkv + 2 * D, bias + 2 * D, late, column, X, WIDTH, HEAD_WIDTH)
        s_early = _scores(q, early_k, late, early, late_segment, early_segment, PRECISION)
        s_late = _scores(q, k, late, late, late_segment, late_segment, PRECISION)
        top = tl.maximum(tl.max(s_early, 1), tl.max(s_late, 1)) * LOG_SCALE
        p_early = tl.exp2(s_early * LOG_SCALE - top[:, None])
        p_late = tl.exp2(s_late * LOG_SCALE - top[:, None])
        total = tl.sum(p_early, 1) + tl.sum(p_late, 1)
        o = tl.dot(p_early.to(v.dtype), early_v, input_precision=PRECISION)
        o = tl.dot(p_late.to(v.dtype), v, acc=o, input_precision=PRECISION)
        _store(mixed, o / total[:, None], late, column, D, WIDTH, HEAD_WIDTH)

    q = _load_biased(qkv, bias, early, column, X, WIDTH, HEAD_WIDTH)
    s = _scores(q, early_k, early, early, early_segment, early_segment, PRECISION)
    p = tl.exp2(s * LOG_SCALE - (tl.max(s, 1) * LOG_SCALE)[:, None])
    o = tl.dot(p.to(early_v.dtype), early_v, input_precision=PRECISION)
    _store(mixed, o / tl.sum(p, 1)[:, None], early, column, D, WIDTH, HEAD_WIDTH)


@_jit
def _backward_kernel(
    qkv: tl.tensor,
    bias: tl.tensor,
    segments: tl.tensor,
    gradient: tl.tensor,
    gradient_qkv: tl.tensor,
    num_rows: tl.tensor,
    HEADS: tl.constexpr,
    WIDTH: tl.constexpr,
    HEAD_WIDTH: tl.constexpr,
    BLOCK: tl.constexpr,
    COLUMNS: tl.constexpr,
    SCALE: tl.constexpr,
    PRECISION: tl.constexpr,
) -> None:
    D: tl.constexpr = HEADS * HEAD_WIDTH
    X: tl.constexpr = 3 * D
    LOG_SCALE: tl.constexpr = SCALE * 1.4426950408889634  # powers of 2 are cheaper than those of e
    head = tl.program_id(0) % HEADS
    row = tl.program_id(0) // HEADS  # of all models
    qkv += row.to(tl.int64) * (WIDTH * X) + head * HEAD_WIDTH
    gradient_qkv += row.to(tl.int64) * (WIDTH * X) + head * HEAD_WIDTH
    gradient += row.to(tl.int64) * (WIDTH * D) + head * HEAD_WIDTH
    bias += (row // num_rows) * X + head * HEAD_WIDTH
    segments += (row % num_rows) * WIDTH

    column = tl.arange(0, COLUMNS)
    early = tl.arange(0, BLOCK)
    early_segment = tl.load(segments + early, mask=early < WIDTH, other=-1).to(tl.int32)
    early_k = _load_biased(qkv + D, bias + D, early, column, X, WIDTH, HEAD_WIDTH)
    early_v = _load_biased(qkv + 2 * D, bias + 2 * D, early, column, X, WIDTH, HEAD_WIDTH)
    early_dk = tl.zeros((BLOCK, COLUMNS), tl.float32)
    early_dv = tl.zeros((BLOCK, COLUMNS), tl.float32)

    if BLOCK < WIDTH:  # the late block of places, which sees the early one and itself
        late = BLOCK + early
        late_segment = tl.load(segments + late, mask=late < WIDTH, other=-1).to(tl.int32)
        q = _load_biased(qkv, bias, late, column, X, WIDTH, HEAD_WIDTH)
        k = _load_biased(qkv + D, bias + D, late, column, X, WIDTH, HEAD_WIDTH)
        v = _load_biased(qkv + 2 * D, bias + 2 * D, late, column, X, WIDTH, HEAD_WIDTH)
        do = _load(gradient, late, column, D, WIDTH, HEAD_WIDTH)
        s_early = _scores(q, early_k, late, early, late_segment, early_segment, PRECISION)
        s_late = _scores(q, k, late, late, late_segment, late_segment, PRECISION)
        top = tl.maximum(tl.max(s_early, 1), tl.max(s_late, 1)) * LOG_SCALE
        p_early = tl.exp2(s_early * LOG_SCALE - top[:, None])
        p_late = tl.exp2(s_late * LOG_SCALE - top[:, None])
        share = 1 / (tl.sum(p_early, 1) + tl.sum(p_late, 1))
        p_early *= share[:, None]
        p_late *= share[:, None]
        dp_early = tl.dot(do, tl.trans(early_v), input_precision=PRECISION)
        dp_late = tl.dot(do, tl.trans(v), input_precision=PRECISION)
        mean = tl.sum(p_early * dp_early, 1) + tl.sum(p_late * dp_late, 1)
        ds_early = (p_early * (dp_early - mean[:, None])).to(q.dtype)
        ds_late = (p_late * (dp_late - mean[:, None])).to(q.dtype)
        dv = tl.dot(tl.trans(p_late.to(q.dtype)), do, input_precision=PRECISION)
        _store(gradient_qkv + 2 * D, dv, late, column, X, WIDTH, HEAD_WIDTH)
        dq = tl.dot(ds_early, early_k, input_precision=PRECISION)
        dq = tl.dot(ds_late, k, acc=dq, input_precision=PRECISION)
        _store(gradient_qkv, dq * SCALE, late, column, X, WIDTH, HEAD_WIDTH)
        dk = tl.dot(tl.trans(ds_late), q, input_precision=PRECISION)
        _store(gradient_qkv + D, dk * SCALE, late, column, X, WIDTH, HEAD_WIDTH)
        early_dk = tl.dot(tl.trans(ds_early), q, input_precision=PRECISION)
        early_dv = tl.dot(tl.trans(p_early.to(q.dtype)), do, input_precision=PRECISION)

    q = _load_biased(qkv, bias, early, column, X, WIDTH, HEAD_WIDTH)
    do = _load(gradient, early, column, D, WIDTH, HEAD_WIDTH)
    s = _scores(q, early_k, early, early, early_segment, early_segment, PRECISION)
    p = tl.exp2(s * LOG_SCALE - (tl.max(s, 1) * LOG_SCALE)[:, None])
    p *= (1 / tl.sum(p, 1))[:, None]
    dp = tl.dot(do, tl.trans(early_v), input_precision=PRECISION)
    ds = (p * (dp - tl.sum(p * dp, 1)[:, None])).to(q.dtype)
    dv = tl.dot(tl.trans(p.to(q.dtype)), do, acc=early_dv, input_precision=PRECISION)
    _store(gradient_qkv + 2 * D, dv, early, column, X, WIDTH, HEAD_WIDTH)
    dq = tl.dot(ds, early_k, input_precision=PRECISION)
    _store(gradient_qkv, dq * SCALE, early, column, X, WIDTH, HEAD_WIDTH)
    dk = tl.dot(tl.trans(ds), q, acc=early_dk, input_precision=PRECISION)
    _store(gradient_qkv + D, dk * SCALE, early, column, X, WIDTH, HEAD_WIDTH)
