"""How long a word may be before rounding can change an answer: predicted from the program alone.

With m tokens seen, a comparison of counts is decided by an average whose distance from 0 is at least 1/(2m). All truths are
exactly 0 or 1 and all factors are whole numbers, so that rounding enters in few places, with u = 2^−p, p the significant
bits of the numbers that are kept, and a = 2^−q, q those in which sums are accumulated:

- an average of m numbers of size at most V, and a constant c at token 0. A kernel that divides last adds whole numbers,
  exactly while m·V + c ≤ 2^q. One that divides first adds multiples of one weight, kept in p bits: exactly while
  m·V + c ≤ 2^(q−p), and otherwise with an error of at most a·m·(V + c/m), whatever the order of the sum;
- what is kept is rounded once, to a number of p bits, by u of its size at most. Near a tie, an average is as large as what
  balances it: the terms of size s/m that are added to it, and a half more or less. If 1/m was rounded on its own, these
  terms err by u·s/m, the average by u·(s + 1)/m and the half by u/(2m). If weights were divided first, all but the average's
  own rounding is one common factor, which changes no sign. A truth over m is 1/m + 1 − 1, with an error of 2a;
- counts that pass a choice are kept before and after it, each time with an error of u of their size, and an average that
  balances them is as large as they are;
- the last sum has n terms, and errs by a·n times their size.

The answer is right while all errors together are less than the gap. That is a bound, and no measurement: it holds for every
word, and words that reach it need not exist. It takes for granted that equal scores give equal weights,
and that products of matrices are accumulated in q bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .circuit import Circuit, Decision
from .compiler import SLOPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A floating-point format: the significant bits of what is kept, and of sums while they are accumulated."""

    name: str
    kept: int
    summed: int


FORMATS = {
    "float64": Format(name="float64", kept=53, summed=53),
    "float32": Format(name="float32", kept=24, summed=24),
    "bfloat16": Format(name="bfloat16", kept=8, summed=24),
}
"""Products of bfloat16 numbers are taken to be summed in float32, as torch does on CPUs. On GPUs it may add up parts in
bfloat16 unless ``torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction`` is off."""


class Kernel(StrEnum):
    """How attention is computed: weights first, each divided by their sum, or sums first, divided at the end."""

    STEPWISE = "stepwise"
    FUSED = "fused"


def predict_longest(circuit: Circuit, number_format: Format, kernel: Kernel, *, slope: float = SLOPE) -> int | None:
    """Return a length up to which rounding changes no answer; None if there is none at all, 0 if there is no guarantee."""
    decisions = circuit.decisions
    if not all(_is_right(each, 2, number_format, kernel) for each in decisions):
        return 0
    if not any(each.averaged for each in decisions):
        return None
    good, bad = 2, int(slope / 2)
    while bad - good > 1:
        middle = (good + bad) // 2
        if all(_is_right(each, middle, number_format, kernel) for each in decisions):
            good = middle
        else:
            bad = middle
    return good - 1  # token 0 is no part of the word


def _is_right(decision: Decision, tokens: int, number_format: Format, kernel: Kernel) -> bool:
    """Return whether the errors of a decision are less than its gap, with so many tokens seen."""
    kept, summed = 2.0**-number_format.kept, 2.0**-number_format.summed
    if max(decision.spread, decision.constant, decision.small) > 1 / kept:
        return False  # a factor may not even be a number of this format
    if not decision.averaged:
        return 16 * decision.small + 8 <= 1 / summed  # sums of whole numbers and halves, times 4
    fused = kernel is Kernel.FUSED
    total = tokens * decision.spread + decision.constant
    room = 1 / summed if fused else kept / summed
    averaging = 0.0 if total <= room else summed * total
    small = 2 * decision.small + 2
    near = (kept * (small if fused else decision.small + 2) + summed * decision.terms * small) / tokens
    divided = 2 * summed * decision.small
    gated = kept * (1 + kept) ** decision.nested * decision.gated + summed * decision.gated_sums
    return averaging + near + divided + gated < 0.5 / tokens
