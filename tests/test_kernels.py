"""Attention over packed rows: the kernels against their oracle, and the oracle against PyTorch's own attention.

The kernels run on a Hopper GPU, or slowly on the CPU in Triton's interpreter: TRITON_INTERPRET=1, with Triton installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

import pytest
import torch
import torch.nn.functional as functional
from torch import Tensor

from lengthwise.model import kernels
from lengthwise.model.kernels import Tuning, attend_rows, can_attend, reference_attend_rows

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
needs_kernel = pytest.mark.skipif(
    not can_attend(64, 16, torch.float32), reason="needs a Hopper GPU, or Triton with TRITON_INTERPRET=1"
)
needs_gpu = pytest.mark.skipif(
    DEVICE == "cpu" or not can_attend(64, 16, torch.float32), reason="needs a Hopper GPU, and Triton"
)

Rows = tuple[Tensor, Tensor, Tensor, Tensor]


def make_rows(
    models: int,
    rows: int,
    width: int,
    heads: int,
    head_width: int,
    *,
    segments: int,
    dtype: torch.dtype = torch.float32,
) -> Rows:
    """Return q, k and v without bias, their bias, segments that end elsewhere in each row, and a gradient."""
    columns = heads * head_width
    random = torch.Generator().manual_seed(width * 1000 + columns)
    qkv = torch.randn(models, rows, width, 3 * columns, generator=random).to(DEVICE, dtype).requires_grad_()
    bias = torch.randn(models, 3 * columns, generator=random).to(DEVICE).requires_grad_()
    gradient = torch.randn(models, rows, width, columns, generator=random).to(DEVICE, dtype)
    place, row = torch.arange(width), torch.arange(rows)[:, None]
    segments_RW = place * segments // (width - row % width).clamp(min=1)
    return qkv, bias, segments_RW.clamp(max=segments - 1).to(DEVICE), gradient


def attend_both_ways(
    attend: Callable[[Tensor, Tensor, Tensor, int], Tensor], rows: Rows, heads: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the output and the gradients of q, k and v and of their bias."""
    qkv, bias, segments, gradient = rows
    mixed = attend(qkv, bias, segments, heads)
    gradient_qkv, gradient_bias = torch.autograd.grad(mixed, (qkv, bias), gradient)
    return mixed.detach(), gradient_qkv, gradient_bias


def assert_same(rows: Rows, heads: int, *, tolerance: float) -> None:
    """Compare the kernels with their oracle; the tolerance is relative to the largest entry."""
    got = attend_both_ways(attend_rows, rows, heads)
    expected = attend_both_ways(reference_attend_rows, rows, heads)
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        assert (ours.float() - theirs.float()).abs().max() <= tolerance * theirs.float().abs().max().clamp(min=1)


# The oracle


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_the_oracle_is_attention_with_a_mask(heads: int) -> None:
    models, rows, width, head_width = 3, 4, 20, 8
    made = make_rows(models, rows, width, heads, head_width, segments=2)

    def with_a_mask(qkv: Tensor, bias: Tensor, segments: Tensor, heads: int) -> Tensor:
        q, k, v = (
            part.reshape(models, rows, width, heads, -1).transpose(2, 3)
            for part in (qkv + bias[:, None, None, :]).chunk(3, dim=-1)
        )
        visible = (segments[:, :, None] == segments[:, None, :]).tril()
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=visible[None, :, None])
        return mixed.transpose(2, 3).reshape(models, rows, width, -1)

    assert set(made[2].flatten().tolist()) == {0, 1}
    expected = attend_both_ways(with_a_mask, made, heads)
    for ours, theirs in zip(attend_both_ways(reference_attend_rows, made, heads), expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def test_the_first_place_of_a_segment_sees_itself_alone() -> None:
    qkv, bias, segments, _ = make_rows(2, 3, 12, 2, 8, segments=3)
    mixed = reference_attend_rows(qkv, bias, segments, 2)
    v = (qkv + bias[:, None, None, :])[..., 2 * 2 * 8 :]
    is_first = functional.pad(segments[:, 1:] != segments[:, :-1], (1, 0), value=True)
    assert is_first.sum(1).tolist() == [3, 3, 3]
    torch.testing.assert_close(mixed[:, is_first], v[:, is_first])


# What there is a kernel for


@pytest.mark.parametrize(
    ("width", "head_width", "dtype"),
    [
        (129, 16, torch.float32),
        (256, 64, torch.bfloat16),
        (64, 24, torch.bfloat16),
        (64, 128, torch.float32),
        (64, 16, torch.float16),
        (64, 16, torch.float64),
    ],
)
def test_there_is_no_kernel_for_long_rows_odd_heads_and_other_dtypes(
    width: int, head_width: int, dtype: torch.dtype
) -> None:
    assert not can_attend(width, head_width, dtype)
    with pytest.raises(
        NotImplementedError, match=f"^no kernel for rows of {width} places and heads of width {head_width}"
    ):
        attend_rows(torch.zeros(1, 1, width, 3 * head_width, dtype=dtype), torch.zeros(1, 1), torch.zeros(1, 1), 1)


@needs_kernel
def test_there_is_a_kernel_for_short_rows_and_heads_of_a_power_of_two() -> None:
    for width, head_width in product((1, 5, 64, 112, 128), (8, 16, 32, 64)):
        assert can_attend(width, head_width, torch.float32)
        assert can_attend(width, head_width, torch.bfloat16)


@pytest.mark.skipif(can_attend(64, 16, torch.float32), reason="there is a kernel here")
def test_without_a_gpu_there_is_none_at_all() -> None:
    qkv, bias, segments, _ = make_rows(1, 1, 64, 1, 16, segments=1)
    expected = (
        "no kernel for rows of 64 places and heads of width 16 in torch.float32 on cpu: at most 128 places, widths of 8, "
        "16, 32, 64 or (bfloat16 only) 128, on a Hopper GPU; ask can_attend first."
    )
    with pytest.raises(NotImplementedError, match=f"^{re.escape(expected)}$"):
        attend_rows(qkv.cpu(), bias, segments, 1)


# The operators, of which shapes alone are computed here


def test_the_operators_know_the_shapes_of_what_they_return() -> None:
    qkv = torch.zeros(3, 4, 56, 3 * 32, dtype=torch.bfloat16, device="meta", requires_grad=True)
    bias = torch.zeros(3, 3 * 32, device="meta", requires_grad=True)
    segments = torch.zeros(4, 56, dtype=torch.int64, device="meta")
    mixed = torch.ops.lengthwise.attend_rows(qkv, bias, segments, 2)
    assert (mixed.shape, mixed.dtype) == ((3, 4, 56, 32), torch.bfloat16)
    gradients = torch.autograd.grad(mixed, (qkv, bias), torch.zeros_like(mixed))
    assert [(each.shape, each.dtype) for each in gradients] == [(each.shape, each.dtype) for each in (qkv, bias)]


# The kernels


@needs_kernel
@pytest.mark.parametrize("width", [1, 5, 16, 24, 56, 64, 65, 104, 112, 128])
@pytest.mark.parametrize("head_width", [8, 16, 32, 64])
def test_the_kernels_compute_what_their_oracle_does(width: int, head_width: int) -> None:
    for heads, segments, (models, rows) in ((1, 2, (3, 4)), (4, 1, (1, 1)), (2, 2, (3, 1))):
        made = make_rows(models, rows, width, heads, head_width, segments=min(segments, width))
        assert_same(made, heads, tolerance=2e-6)


@pytest.mark.full
@needs_kernel
@pytest.mark.parametrize("width", [5, 56, 64, 104, 112, 128])
@pytest.mark.parametrize("head_width", [8, 16, 32, 64])
def test_the_kernels_compute_what_their_oracle_does_everywhere(width: int, head_width: int) -> None:
    for heads, segments, models, rows in product((1, 2, 4), (1, 2), (1, 3), (1, 4)):
        made = make_rows(models, rows, width, heads, head_width, segments=segments)
        assert_same(made, heads, tolerance=2e-6)


@needs_gpu  # the interpreter takes bfloat16 for whole numbers
@pytest.mark.parametrize(("width", "heads", "head_width"), [(64, 1, 16), (112, 2, 64), (56, 4, 8), (128, 1, 128)])
def test_in_16_bits_they_differ_by_rounding_alone(width: int, heads: int, head_width: int) -> None:
    made = make_rows(2, 3, width, heads, head_width, segments=2, dtype=torch.bfloat16)
    assert_same(made, heads, tolerance=2e-2)


@needs_kernel
def test_segments_need_not_be_runs_and_may_be_any_integers() -> None:
    qkv, bias, _, gradient = make_rows(2, 3, 72, 2, 16, segments=1)
    segments = (torch.arange(72) * 7 % 3 - 1).expand(3, -1).to(DEVICE)
    for kind in (torch.int64, torch.int32):
        assert_same((qkv, bias, segments.to(kind), gradient), 2, tolerance=2e-6)


@needs_kernel
def test_a_row_in_two_blocks_is_as_good_as_in_one() -> None:
    qkv, bias, segments, gradient = make_rows(2, 2, 56, 2, 16, segments=2)
    one, two = Tuning(block=64, num_warps=4), Tuning(block=32, num_warps=4)
    inputs = (qkv.detach(), bias.detach(), segments, 2)
    torch.testing.assert_close(kernels.forward(*inputs, one), kernels.forward(*inputs, two), atol=1e-5, rtol=1e-5)
    back = (kernels.backward(gradient, *inputs, each) for each in (one, two))
    torch.testing.assert_close(*back, atol=1e-5, rtol=1e-5)


@needs_kernel
def test_inputs_and_gradients_need_not_be_contiguous() -> None:
    qkv, bias, segments, gradient = made = make_rows(2, 3, 24, 2, 8, segments=2)
    apart = qkv.detach().transpose(0, 1).contiguous().transpose(0, 1).requires_grad_()
    spread = gradient.transpose(1, 2).contiguous().transpose(1, 2)
    assert not apart.is_contiguous()
    assert not spread.is_contiguous()
    expected = attend_both_ways(attend_rows, made, 2)
    for ours, theirs in zip(attend_both_ways(attend_rows, (apart, bias, segments, spread), 2), expected, strict=True):
        assert torch.equal(ours, theirs)


@needs_kernel
def test_a_model_attends_alone_as_it_does_in_a_stack() -> None:
    qkv, bias, segments, gradient = made = make_rows(3, 2, 40, 2, 16, segments=2)
    together = attend_both_ways(attend_rows, made, 2)
    alone = qkv[1:2].detach().requires_grad_(), bias[1:2].detach().requires_grad_(), segments, gradient[1:2]
    mixed, gradient_qkv, gradient_bias = attend_both_ways(attend_rows, alone, 2)
    assert torch.equal(mixed, together[0][1:2])
    assert torch.equal(gradient_qkv, together[1][1:2])
    torch.testing.assert_close(gradient_bias, together[2][1:2])


@needs_kernel
def test_the_operators_keep_the_promises_that_torch_asks_of_them() -> None:
    qkv, bias, segments, gradient = make_rows(2, 2, 24, 2, 8, segments=2)
    checks = ("test_schema", "test_faketensor", "test_autograd_registration")
    torch.library.opcheck(torch.ops.lengthwise.attend_rows.default, (qkv, bias, segments, 2), test_utils=checks)
    inputs = (gradient, qkv.detach(), bias.detach(), segments, 2)
    torch.library.opcheck(torch.ops.lengthwise.attend_rows_backward.default, inputs, test_utils=checks)


@needs_kernel
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, while it compiles
def test_a_compiled_program_holds_them_whole() -> None:
    made = make_rows(2, 2, 24, 2, 8, segments=2)
    torch.compiler.reset()

    def attend(qkv: Tensor, bias: Tensor, segments: Tensor, heads: int) -> Tensor:
        if can_attend(qkv.shape[2], 8, qkv.dtype):  # asked while compiling, as a model does
            return attend_rows(qkv * 2, bias, segments, heads) + 1
        raise AssertionError

    backend = "inductor" if DEVICE == "cuda" else "aot_eager"
    compiled = torch.compile(attend, backend=backend, dynamic=False, fullgraph=True)
    expected = attend_both_ways(attend, made, 2)
    for ours, theirs in zip(attend_both_ways(compiled, made, 2), expected, strict=True):
        torch.testing.assert_close(ours, theirs)


@needs_gpu
def test_a_cuda_graph_can_record_them() -> None:
    qkv, bias, segments, gradient = made = make_rows(2, 4, 112, 2, 64, segments=2, dtype=torch.bfloat16)
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        attend_both_ways(attend_rows, made, 2)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        recorded = attend_both_ways(attend_rows, made, 2)
    with torch.no_grad():
        qkv.mul_(0.5)
    graph.replay()
    for ours, theirs in zip(recorded, attend_both_ways(attend_rows, (qkv, bias, segments, gradient), 2), strict=True):
        assert torch.equal(ours, theirs)
