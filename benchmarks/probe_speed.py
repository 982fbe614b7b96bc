"""Time of `lengthwise context`, and time and memory of `lengthwise probe`, for a Llama of a given shape with random weights.

The default is the shape of Llama 3.2 1B, probed up to 8,192 tokens. The tokenizer is one by words, so nothing is
downloaded. Probing runs in a process of its own, whose peak of memory is that of probing alone.

    python benchmarks/probe_speed.py --device cuda
    python benchmarks/probe_speed.py --plan               what that run needs, without running it
    python benchmarks/probe_speed.py --layers 8 --width 384 --heads 6 --kv-heads 2 --inner 1024 --vocabulary 32000 \
        --tokens 2048 --number 10
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from lengthwise.probe.measure import Settings, measure
from lengthwise.probe.models import FolderProber
from lengthwise.probe.probes import PROBES, lengths_of
from lengthwise.probe.prompts import form_for, rows_of
from lengthwise.tables import Table

_SYLLABLES = ["".join(letters) for letters in product("bdfgklmnprstvwz", "aeiou")]


def shape_of(options: argparse.Namespace) -> Any:
    """Return the configuration of the Llama."""
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=options.vocabulary,
        hidden_size=options.width,
        intermediate_size=options.inner,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        num_key_value_heads=options.kv_heads,
        max_position_embeddings=options.tokens,
        tie_word_embeddings=True,
        rope_theta=500_000.0,
        bos_token_id=1,
        eos_token_id=3,
        dtype=options.dtype,
    )


def make_folder(options: argparse.Namespace, folder: Path) -> int:
    """Save a random Llama with a tokenizer by words; return its number of parameters."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

    words = map("".join, product(_SYLLABLES, _SYLLABLES, _SYLLABLES))
    entries = ["<unk>", "<s>", ":", "\n", *islice(words, options.vocabulary - 4)]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(entries)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split("\n", "isolated"), pre_tokenizers.Split(" ", "removed")]
    )
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>").save_pretrained(folder)
    config = shape_of(options)
    torch.manual_seed(0)
    model = LlamaForCausalLM(config).to(getattr(torch, options.dtype))
    model.save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def lengths_up_to(tokens: int) -> tuple[int, ...]:
    """Return lengths of questions: doubling, and one that nearly fills the tokens beside the solved lines."""
    return (*(2**power for power in range(3, 20) if 2**power <= tokens // 2), tokens - 192)


def probe(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Probe a folder; return seconds of every probe, all cells, and peaks of memory."""
    loading = time.perf_counter()
    model = FolderProber(folder, options.device)
    began, used = {"": time.perf_counter()}, time.process_time()
    settings = Settings(lengths=lengths_up_to(options.tokens), number=options.number)
    measured = measure(
        model, list(PROBES.values()), settings, None, lambda name, _: began.setdefault(name, time.perf_counter())
    )
    marks = [*began.values(), time.perf_counter()]
    spent = {name: marks[place + 1] - marks[place] for place, name in enumerate(began) if name}
    return {
        "loading": began[""] - loading,
        "seconds": marks[-1] - marks[0],
        "cpu": time.process_time() - used,
        "probes": spent,
        "cells": [[each.probe, cell.length, cell.tokens, cell.instances] for each in measured for cell in each.cells],
        "host_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "gpu_mb": torch.cuda.max_memory_allocated() / 2**20 if options.device == "cuda" else None,
    }


def plan(options: argparse.Namespace, folder: Path) -> None:
    """Print what a run needs: rows and tokens are those that a small model of the same tokens is asked."""
    from transformers import LlamaForCausalLM

    small = {"layers": 1, "width": 8, "heads": 1, "kv_heads": 1, "inner": 8, "vocabulary": 4_096, "dtype": "float32"}
    make_folder(argparse.Namespace(**{**vars(options), **small}), folder)
    model, cells = FolderProber(folder, "cpu"), []
    for name, each in PROBES.items():
        form = form_for(each, model, 6, 0)
        assert form is not None
        for length in lengths_of(each, lengths_up_to(options.tokens)):
            (row,) = rows_of(form, model, length, 1)
            if len(row.tokens) <= options.tokens:
                cells.append([name, length, len(row.tokens), options.number, len(row.places)])
    with torch.device("meta"):
        parameters = sum(each.numel() for each in LlamaForCausalLM(shape_of(options)).parameters())
    bytes_each = getattr(torch, options.dtype).itemsize
    counted = operations(options, parameters, [cell[:4] for cell in cells])
    print(f"$ python benchmarks/probe_speed.py {' '.join(sys.argv[1:])}")
    print(
        f"{options.layers} layers of width {options.width:,}, up to {options.tokens:,} tokens, {options.number} questions of each length"
    )
    print(f"{parameters:,} parameters: {parameters * bytes_each / 1e9:.1f} GB in {options.dtype}")
    print(f"{len(cells)} cells, {sum(2 * cell[2] * cell[3] for cell in cells):,} tokens, {counted:.3g} operations")
    places = max(max(1, 8_192 // cell[2]) * cell[4] for cell in cells)
    size = places * options.vocabulary * bytes_each / 1e9
    print(f"scores that exist at a time: at most {places:,} places over the vocabulary, {size:.1f} GB")
    everything = max(cell[3] * cell[4] for cell in cells) * options.vocabulary * 4 / 1e9
    print(f"scores of all rows of one cell in float32, which are not kept: {everything:,.0f} GB")


def time_context(folder: Path) -> tuple[float, float]:
    """Return the seconds that the command takes by the clock and of the CPU, the start of Python included: medians of five."""
    path = str(Path(__file__).resolve().parent.parent / "src")
    command = f"import sys; sys.path.insert(0, {path!r}); from lengthwise.cli.main import main; sys.exit(main())"
    seconds, of_cpu = [], []
    for _ in range(5):
        began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        arguments = [sys.executable, "-c", command, "context", str(folder)]
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        of_cpu.append(after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime)
    return sorted(seconds)[2], sorted(of_cpu)[2]


def operations(options: argparse.Namespace, parameters: int, cells: list[list[Any]]) -> float:
    """Return the multiplications and additions of all forward passes, the control with shuffled examples included."""
    total = 0.0
    embeddings = options.vocabulary * options.width  # tied; scores are computed where an answer is asked for
    for _, _, tokens, instances in cells:
        weights = 2.0 * (parameters - embeddings) * tokens
        attention = 2.0 * options.layers * options.width * tokens**2  # causal: half of 4·L·d·n²
        total += 2 * instances * (weights + attention)
    return total


def report(
    options: argparse.Namespace, parameters: int, seconds_of_context: tuple[float, float], found: dict[str, Any]
) -> None:
    """Print what was measured."""
    device = torch.cuda.get_device_name() if options.device == "cuda" else f"{platform.machine()} CPU"
    print(f"$ python benchmarks/probe_speed.py {' '.join(sys.argv[1:])}")
    print(f"{device}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(f"{parameters:,} parameters in {options.dtype}, {options.vocabulary:,} tokens in the vocabulary")
    by_clock, of_cpu = seconds_of_context
    print(f"context: {by_clock:.2f} s by the clock, {of_cpu:.2f} s of CPU time, the start of Python included")
    print(
        f"probe: {found['seconds']:.1f} s by the clock, {found['cpu']:.1f} s of CPU time, after {found['loading']:.1f} s of loading"
    )
    print(f"{options.number} questions of each length, each also with shuffled examples")
    print(f"peak of memory of the process: {found['host_mb']:,.0f} MB")
    if found["gpu_mb"]:
        print(f"peak of memory of the GPU: {found['gpu_mb']:,.0f} MB")
    rows = []
    for name, seconds in found["probes"].items():
        cells = [cell for cell in found["cells"] if cell[0] == name]
        counted = sum(2 * cell[2] * cell[3] for cell in cells)
        rows.append([name, str(len(cells)), f"{max(cell[2] for cell in cells):,}", f"{counted:,}", f"{seconds:.1f}"])
    print(Table(header=["probe", "lengths", "longest row in tokens", "tokens read", "seconds"], rows=rows).to_text(120))
    counted = operations(options, parameters, found["cells"])
    print(f"operations: {counted:.3g}, {counted / found['seconds']:.3g} per second")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--width", type=int, default=2_048)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=8)
    parser.add_argument("--inner", type=int, default=8_192)
    parser.add_argument("--vocabulary", type=int, default=128_256)
    parser.add_argument("--tokens", type=int, default=8_192, help="the longest input")
    parser.add_argument("--number", type=int, default=100, help="questions of each length")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="bfloat16")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--plan", action="store_true", help="print what the run needs, and run nothing")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)  # the process of its own
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(probe(options.measure, options)))
        return
    with TemporaryDirectory() as place:
        folder = Path(place) / "model"
        if options.plan:
            plan(options, folder)
            return
        parameters = make_folder(options, folder)
        seconds = time_context(folder)
        child = [sys.executable, __file__, *sys.argv[1:], "--measure", str(folder)]
        done = subprocess.run(child, check=True, stdout=subprocess.PIPE, text=True)
        report(options, parameters, seconds, json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()
