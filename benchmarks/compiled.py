"""Every program of the library as an ordinary transformer: its size, which no length changes, and up to where it is exact.

Predicted is a bound that holds for every word. Measured are two things, on words close to ties: whole runs, right at every
position of every word up to a length; and the last position alone, at lengths whose square is out of reach.
"""

from __future__ import annotations

import argparse
import time
from random import Random

import torch
import torch.nn.functional as functional

from lengthwise.crasp.programs.catalog import PROGRAMS
from lengthwise.crasp.programs.entry import Acceptor
from lengthwise.model.compiled.measurement import Measurement, Words, in_format, measure_longest, tie_words
from lengthwise.model.compiled.model import CompiledModel, compile_to_transformer
from lengthwise.model.compiled.precision import FORMATS, Kernel, predict_longest
from lengthwise.model.compiled.probing import probe_longest

FAR = ("majority", "weighted_majority", "dyck_1", "tomita_4", "unary_period")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--up-to", type=int, default=512, help="whole runs up to this length")
    parser.add_argument("--last-up-to", type=int, default=2**13, help="then the last position alone up to this length")
    parser.add_argument("--far-up-to", type=int, default=2**17, help="the same for a few programs")
    parser.add_argument("--kernels-up-to", type=int, default=2**26, help="one average alone up to this length")
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS), help="only these")
    options = parser.parse_args()
    torch.set_num_threads(1)
    start = time.process_time()
    print(
        f"torch {torch.__version__.split('+')[0]}, one core. Attention: stepwise divides weights first, fused divides last"
    )
    print()
    print_library(options.programs, options.up_to, options.last_up_to)
    print()
    print_far([name for name in FAR if name in options.programs], options.far_up_to)
    print()
    print_kernels(options.kernels_up_to)
    print()
    print(f"{time.process_time() - start:.0f} s of processor time in all")


def print_library(names: list[str], up_to: int, last_up_to: int) -> None:
    print(
        "The length up to which answers are exact: p predicted (a bound for all words), m measured on words near ties:"
    )
    print(f"every position up to {up_to:,}, then the last position up to {last_up_to:,}; ≥ means that nothing failed")
    columns = [f"{short} {kernel} {what}" for short in ("f32", "bf16") for kernel in Kernel for what in "pm"]
    print(
        f"{'program':24}{'layers':>7}{'heads':>6}{'width':>6}{'parameters':>11}{'not 0':>7}"
        + "".join(f"{column:>16}" for column in columns)
    )
    for name in names:
        model = compile_to_transformer(PROGRAMS[name].program)
        cells = []
        for number_format in ("float32", "bfloat16"):
            for kernel in Kernel:
                cells.append(predicted(model, number_format, kernel))
                copy = in_format(model, number_format, kernel)
                found = measure_longest(copy, up_to=up_to, words=words(name))
                cells.append(str(found if found.failed else probe_longest(copy, up_to=last_up_to)))
        plan = model.plan
        print(
            f"{name:24}{plan.layers:>7}{plan.heads:>6}{plan.width:>6}{model.num_parameters:>11,}{model.num_nonzero:>7,}"
            + "".join(f"{cell:>16}" for cell in cells),
            flush=True,
        )


def words(name: str) -> Words:
    """Return words near ties and, of a language, a word of it and one with a symbol changed."""
    entry = PROGRAMS[name]
    ties = tie_words(entry.program)

    def made(length: int) -> list[tuple[str, ...]]:
        found = ties(length)
        if isinstance(entry, Acceptor):
            (member,) = entry.language.sample(Random(length), [length])
            changed = [*member]
            if changed:
                place = Random(length).randrange(len(changed))
                changed[place] = entry.program.alphabet[0]
            found += [tuple(member), tuple(changed)]
        return found

    return made


def predicted(model: CompiledModel, number_format: str, kernel: Kernel) -> str:
    assert model.circuit is not None
    bound = predict_longest(model.circuit, FORMATS[number_format], kernel, slope=model.slope)
    return "every" if bound is None else f"{bound:,}"


def print_far(names: list[str], up_to: int) -> None:
    print("The last position alone, every layer on exact inputs, lengths doubling")
    print(f"{'program':24}{'format':>10}{'attention':>10}{'predicted':>14}{'measured':>12}{'seconds':>9}")
    for name in names:
        model = compile_to_transformer(PROGRAMS[name].program)
        for number_format in ("float32", "bfloat16"):
            for kernel in Kernel:
                start = time.process_time()
                found: Measurement = probe_longest(in_format(model, number_format, kernel), up_to=up_to)
                bound = predicted(model, number_format, kernel)
                seconds = time.process_time() - start
                print(f"{name:24}{number_format:>10}{kernel:>10}{bound:>14}{found!s:>12}{seconds:>9.1f}", flush=True)


def print_kernels(up_to: int) -> None:
    """The average of majority alone, by the same functions of torch, on a^h b^h and one symbol more or less."""
    print("One average of +1 and −1 alone, first half against second half, lengths growing by √2")
    print(f"{'format':>10}{'attention':>10}{'predicted':>14}{'right up to':>14}{'wrong at':>14}")
    model = compile_to_transformer(PROGRAMS["majority"].program)
    for number_format in ("float32", "bfloat16"):
        for kernel in Kernel:
            good, wrong, length = 0, None, 64.0
            while wrong is None and length <= up_to:
                if average_is_right(int(length), number_format, kernel):
                    good, length = int(length), length * 2**0.5
                else:
                    wrong = int(length)
            bound = predicted(model, number_format, kernel)
            shown = "none found" if wrong is None else f"{wrong:,}"
            print(f"{number_format:>10}{kernel:>10}{bound:>14}{good:>14,}{shown:>14}", flush=True)


def average_is_right(length: int, number_format: str, kernel: Kernel) -> bool:
    """Return whether the sign of the average is decided as it should for blocks that balance but for −1, 0 or 1."""
    dtype = getattr(torch, number_format)
    half = length // 2
    for sign in (1.0, -1.0):
        for extra in (0.0, 1.0, -1.0):
            size = 1 + 2 * half + (extra != 0)
            v = torch.zeros(1, 1, size, 2, dtype=dtype)
            v[0, 0, 0, 1] = 1  # token 0, which gives 1/m
            v[0, 0, 1 : 1 + half, 0], v[0, 0, 1 + half : 1 + 2 * half, 0] = sign, -sign
            if extra:
                v[0, 0, -1, 0] = extra
            q, k = torch.zeros(1, 1, 1, 2, dtype=dtype), torch.zeros(1, 1, 1, 2, dtype=dtype).expand(1, 1, size, 2)
            if kernel is Kernel.FUSED:
                mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(1, 1, 1, size).bool())
            else:
                mixed = torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v
            average, inverse = mixed[0, 0, 0].tolist()
            if (average + inverse / 2 > 0) != (extra >= 0) or (average - inverse / 2 > 0) != (extra > 0):
                return False
    return True


if __name__ == "__main__":
    main()
