"""Training speed: our stacks beside a Hugging Face Trainer script and a plain PyTorch loop, in one run.

All three train the same: task, scored tokens, lengths 1–50, batch 64, AdamW with clipping and linear decay, learned
positions with random offsets (benchmarks/training_baselines.py says how the baselines do it). Each measurement is a
process of its own. Speeds are of steady steps; "with set-up" counts compilation and start-up into a run of 30,000 steps.

    python benchmarks/training.py --device cuda              four shapes on a GPU, bf16 and tf32
    python benchmarks/training.py --device cpu               bin_majority, widths 16 and 64, on all cores
    python benchmarks/training.py --device cuda --profile --shapes 3 --no-baselines    small models of sweeps, kernel by kernel
    python benchmarks/training.py --device cuda --profile    where the time of our step goes, kernel by kernel
    python benchmarks/training.py --device cuda --concurrent 16 8 4 1 --shapes 0 --seconds 480
                                                             baselines with so many processes on one GPU, shape by shape
    python benchmarks/training.py --device cpu --concurrent 2 --shapes 0 --rehearse     tiny, to find mistakes

Concurrent baselines are measured while all processes train: each waits for the others when it is warm. Their speeds are
added up, with and without NVIDIA's multi-process service (MPS), and ours is compared with the best sum. A baseline takes up
to a minute; each is printed when it is measured, and after ``--seconds`` no other is begun, so that a line ends within nine
minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BASELINES = ROOT / "benchmarks" / "training_baselines.py"
STEPS = 30_000
BASELINE_STEPS = 300  # that a baseline takes
BF16_PEAK = 989e12  # dense, of an H100 or H200 by its datasheet
FLOOR_FOR_TRAINER = 60  # steps/s of the Trainer script on the first shape, below which ratios would say nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A shape to train, and how many at once."""

    task: str
    layers: int
    heads: int
    width: int
    models: int
    goal: str = ""
    tied: bool = True

    def __str__(self) -> str:
        return f"{self.task}, {self.layers} layers, {self.heads} heads, width {self.width}"


GPU_CASES = (
    Case(task="unique_copy", layers=2, heads=1, width=64, models=256, goal="floor 10,700, aim 21,300"),
    Case(task="unique_copy", layers=4, heads=4, width=256, models=64, goal="floor 1,290, aim 2,400"),
    Case(task="bin_majority", layers=1, heads=1, width=16, models=2048, goal="floor 50,100, aim 100,000"),
    Case(task="TOMITA_4", layers=2, heads=4, width=32, models=512, goal="aim 37,500", tied=False),
)
CPU_CASES = (
    Case(task="bin_majority", layers=1, heads=1, width=16, models=8, goal="at least 3 times the Trainer"),
    Case(task="bin_majority", layers=1, heads=1, width=64, models=8, goal="at least 3 times the Trainer"),
)


def train_ours(case: Case, device: str, precision: str, *, compiled: bool, steps: int, profile: bool) -> dict[str, Any]:
    """Train a stack in this process; return its speed."""
    begun = time.perf_counter()
    sys.path.insert(0, str(ROOT / "src"))
    import torch

    from lengthwise.model.shape import Shape
    from lengthwise.tasks.core.catalog import find_task
    from lengthwise.tasks.core.lengths import length_bins
    from lengthwise.train.groups import make_training_runs
    from lengthwise.train.precision import Precision
    from lengthwise.train.settings import Training
    from lengthwise.train.stack import Stack

    if device == "cpu":
        torch.set_num_threads(1)
    task = find_task(case.task)
    runs = make_training_runs(
        task=task,
        encoding="ape",
        shape=Shape(layers=case.layers, heads=case.heads, width=case.width, tied=case.tied),
        training=Training(steps=STEPS, batch=64, warmup=0),
        bins=length_bins(50, 150),
        seeds=range(case.models),
        rates=[1e-3] * case.models,
    )
    stack = Stack.of(runs, device=device, precision=Precision(precision), compiled=compiled)

    def wait() -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    for _ in range(6):
        first = stack.step()
    wait()
    set_up = time.perf_counter() - begun
    begun = time.perf_counter()
    stack.advance(steps)
    last = stack.losses_M.clone()
    wait()
    per_step = (time.perf_counter() - begun) / steps
    lengths = task.lengths(0, 50)
    tokens = 64 * sum(map(task.size, lengths)) / len(lengths)
    found = {
        "speed": case.models / per_step,
        "step_ms": 1e3 * per_step,
        "tokens_per_second": case.models * tokens / per_step,
        "set_up": set_up,
        "with_set_up": case.models * STEPS / (set_up + STEPS * per_step),
        "peak_share": case.models * tokens * flops_per_token(case, stack) / per_step / BF16_PEAK,
        "memory": torch.cuda.max_memory_allocated() if device == "cuda" else 0,
        "loss_first": first.mean().item(),
        "loss_last": last.mean().item(),
    }
    if profile:
        print_profile(stack, per_step)
    return found


def flops_per_token(case: Case, stack: Any) -> float:
    """Return the operations of the matrix products of one real token, forward and backward."""
    width = case.width
    in_layers = case.layers * (12 * width**2 + 2 * stack.packing.width * width / 2)  # attention sees half of a row
    scored = stack.packing.scored_CS.shape[1] / stack.packing.width
    return 6 * (in_layers + scored * width * stack.group.num_outputs)


def print_profile(stack: Any, per_step: float) -> None:
    """Print the kernels of a step by time, in groups, beside the ceilings of this GPU."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    repeats = 5
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        stack.advance(repeats)
        torch.cuda.synchronize()
    kernels = sorted(
        (
            (each.self_device_time_total / repeats / 1e3, each.count / repeats, each.key)
            for each in profiled.key_averages()
        ),
        reverse=True,
    )
    groups: dict[str, float] = {}
    for ms, _, name in kernels:
        groups[group_of(name)] = groups.get(group_of(name), 0.0) + ms
    total = sum(groups.values())
    print(f"one step: {1e3 * per_step:.2f} ms, of which kernels {total:.2f} ms", flush=True)
    for name, ms in sorted(groups.items(), key=lambda item: -item[1]):
        print(f"  {ms:7.3f} ms  {ms / total:4.0%}  {name}")
    for ms, count, name in kernels[:25]:
        print(f"    {ms:7.3f} ms  {count:3.0f} ×  {name[:100]}")


def group_of(kernel: str) -> str:
    """Return what a kernel is for, as far as its name tells."""
    name = kernel.lower()
    for group, signs in {
        "matrix products": ("nvjet", "gemm", "cutlass", "bmm", "cublas"),
        "attention": ("sdpa", "flash", "attend", "cudnn", "fmha"),
        "drawing batches": ("rshift", "bitwise", "scatter_gather", "sort"),
        "layer norm": ("layer_norm",),
        "GELU": ("gelu",),
        "loss": ("softmax", "nll"),
        "optimizer": ("reciprocal_rsub_sqrt", "fused_pow_sum", "copy__div_mul_pow"),
    }.items():
        if any(sign in name for sign in signs):
            return group
    return "other elementwise work, sums and copies"


def ceilings() -> str:
    """Return the copy bandwidth and the bf16 matrix rate of this GPU, measured now."""
    import torch

    def seconds(work: Any, repeats: int = 10) -> float:
        for _ in range(3):
            work()
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(repeats):
            work()
        torch.cuda.synchronize()
        return (time.perf_counter() - begun) / repeats

    one = torch.empty(2**30, dtype=torch.float32, device="cuda")
    other = torch.empty_like(one)
    copy = 2 * one.numel() * 4 / seconds(lambda: other.copy_(one))
    square = torch.randn(8192, 8192, dtype=torch.bfloat16, device="cuda")
    product = 2 * 8192**3 / seconds(lambda: square @ square)
    return f"copies {copy / 1e12:.2f} TB/s, bf16 products {product / 1e12:.0f} TFLOP/s (8192³)"


def in_process(arguments: list[str], number: int = 1, threads: int | None = None) -> list[dict[str, Any]]:
    """Run a script so many times at once; return the last line of each, which is JSON."""
    environment = os.environ | ({} if threads is None else {"OMP_NUM_THREADS": str(threads)})
    running = [
        subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(number)
    ]
    results = []
    for process in running:
        output, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{' '.join(arguments)} failed with exit code {process.returncode}.")
        lines = output.strip().split("\n")
        print("\n".join(lines[:-1]), end="\n" if lines[:-1] else "", flush=True)
        results.append(json.loads(lines[-1]))
    return results


def ours(case: Case, device: str, precision: str, *, compiled: bool, number: int, profile: bool) -> dict[str, Any]:
    """Return our speed, added up over so many processes."""
    flags = ["--compiled"] if compiled else []
    flags += ["--profile"] if profile else []
    found = in_process(
        [__file__, "--ours", json.dumps(asdict(case)), "--device", device, "--precision", precision, *flags],
        number,
        threads=1 if device == "cpu" else None,
    )
    summed = ("speed", "tokens_per_second", "with_set_up")
    return found[0] | {name: sum(each[name] for each in found) for name in summed}


def baseline(
    kind: str,
    case: Case,
    device: str,
    *flags: str,
    number: int = 1,
    threads: int | None = None,
    steps: int = BASELINE_STEPS,
) -> dict[str, Any]:
    """Return a baseline's speed, added up over so many processes, each with one model."""
    sizes = [f"--{name}={getattr(case, name)}" for name in ("layers", "heads", "width")]
    limit = [f"--threads={threads}"] if threads else []
    arguments = [
        str(BASELINES),
        kind,
        "--task",
        case.task,
        *sizes,
        "--device",
        device,
        *limit,
        *flags,
        f"--steps={steps}",
    ]
    with tempfile.TemporaryDirectory() as meeting:
        found = in_process([*arguments, f"--together={number}", f"--meeting={meeting}"], number, threads)
    set_up = found[0]["seconds_in_all"] - steps / found[0]["steps_per_second"]
    return {
        "speed": sum(each["steps_per_second"] for each in found),
        "tokens_per_second": sum(each["tokens_per_second"] for each in found),
        "set_up": set_up,
        "with_set_up": sum(STEPS / (set_up + STEPS / each["steps_per_second"]) for each in found),
        "memory": found[0]["memory_bytes"],
    }


GPU_BASELINES = (  # the last ones only beside the first shape
    ("Trainer, bf16", "trainer", ("--bf16",)),
    ("Trainer, bf16, compiled", "trainer", ("--bf16", "--compile")),
    ("plain loop, bf16, compiled, one CUDA graph", "plain", ("--bf16", "--compile", "--graph")),
    ("Trainer, tf32", "trainer", ()),
    ("Trainer, tf32, compiled", "trainer", ("--compile",)),
    ("plain loop, tf32, compiled, one CUDA graph", "plain", ("--compile", "--graph")),
)


def on_gpu(cases: tuple[Case, ...], *, profile: bool, with_baselines: bool) -> None:
    """Print the table for a GPU."""
    import torch

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; {ceilings()}")
    torch.cuda.empty_cache()
    for case in cases:
        is_first = case == GPU_CASES[0]
        print(f"\n{case} ({case.goal} model·steps/s)", flush=True)
        speeds = {}
        rows = []
        for precision in ("bf16", "tf32") if is_first else ("bf16",):
            found = ours(case, "cuda", precision, compiled=True, number=1, profile=profile and precision == "bf16")
            speeds[precision] = found["speed"]
            rows.append((f"ours, {case.models} models, {precision}", found))
        if with_baselines:
            for label, kind, flags in GPU_BASELINES if is_first else GPU_BASELINES[:3]:
                rows.append((label, baseline(kind, case, "cuda", *flags)))
        show(rows, speeds)
        trainers = [found["speed"] for name, found in rows if name.startswith("Trainer")]
        if is_first and trainers and max(trainers) < FLOOR_FOR_TRAINER:
            print(f"void: the Trainer does {max(trainers):.0f} steps/s here, less than {FLOOR_FOR_TRAINER}.")


CONCURRENT = (  # label, kind, flags, steps: enough that all processes train for some seconds
    ("plain loop, bf16, compiled, one CUDA graph", "plain", ("--bf16", "--compile", "--graph"), 6000),
    ("Trainer, bf16, compiled", "trainer", ("--bf16", "--compile"), 1000),
)
REHEARSED = (
    ("plain loop, bf16, compiled, one CUDA graph", "plain", ("--warm=2",), 6),
    ("Trainer", "trainer", ("--warm=2",), 6),
)


@contextlib.contextmanager
def multi_process_service() -> Iterator[bool]:
    """Run NVIDIA's multi-process service for the processes begun inside; yield whether there is one."""
    sys.path.insert(0, str(ROOT / "src"))
    from lengthwise.experiment.engines.gpu_sharing import shared_gpus

    with shared_gpus() as variables:
        os.environ.update(variables)
        if not variables:
            print("no multi-process service here", flush=True)
        try:
            yield bool(variables)
        finally:
            for name in variables:
                del os.environ[name]


def concurrently(cases: tuple[Case, ...], numbers: Sequence[int], limit: float, *, rehearse: bool) -> None:
    """Print our stack beside baselines of several processes on one GPU, and the ratio to the best of them."""
    begun = time.perf_counter()
    device, precision = ("cpu", "fp32") if rehearse else ("cuda", "bf16")
    for case in cases:
        print(f"\n{case}", flush=True)
        mine = ours(case, device, precision, compiled=not rehearse, number=1, profile=False)
        print(f"  ours, {case.models} models: {mine['speed']:,.0f}", flush=True)
        rows = []
        for service in (False,) if rehearse else (False, True):
            with multi_process_service() if service else contextlib.nullcontext(enter_result=False) as is_shared:
                if service and not is_shared:
                    break
                for label, kind, flags, steps in REHEARSED if rehearse else CONCURRENT:
                    for number in numbers:
                        name = f"{number} × {label}{', MPS' if service else ''}"
                        if time.perf_counter() - begun > limit or (service and number == 1):
                            print(f"  {name}: not measured", flush=True)
                            continue
                        try:
                            rows.append((name, baseline(kind, case, device, *flags, number=number, steps=steps)))
                        except SystemExit as error:
                            print(f"  {name}: {error}", flush=True)
                            continue
                        print(f"  {name}: {rows[-1][1]['speed']:,.0f}", flush=True)
        show([(f"ours, {case.models} models, {precision}", mine), *rows], {precision: mine["speed"]})
        if rows:
            best, speed = max(((name, found["speed"]) for name, found in rows), key=lambda row: row[1])
            print(f"best baseline: {best}, {speed:,.0f} model·steps/s; ours is {mine['speed'] / speed:.1f} times that")


def on_cpu(cases: tuple[Case, ...]) -> None:
    """Print the table for a CPU."""
    import torch

    cores = os.cpu_count() or 1
    print(f"{processor()}, {cores} cores, torch {torch.__version__}")
    for case in cases:
        print(f"\n{case} ({case.goal})", flush=True)
        rows = []
        for compiled in (False, True):
            found = ours(case, "cpu", "fp32", compiled=compiled, number=cores, profile=False)
            what = f"ours, {cores} processes of {case.models} models{', compiled' if compiled else ''}"
            rows.append((what, found))
        for kind, label in (("trainer", "Trainer"), ("plain", "plain loop")):
            for flags in ([], ["--compile"]):
                what = ", compiled" if flags else ""
                rows.append(
                    (f"{label}, {cores} processes{what}", baseline(kind, case, "cpu", *flags, number=cores, threads=1))
                )
            rows.append((f"{label}, 1 process, {cores} threads", baseline(kind, case, "cpu", threads=cores)))
        show(rows, {"": max(found["speed"] for name, found in rows if name.startswith("ours"))})


def show(rows: list[tuple[str, dict[str, Any]]], speeds: dict[str, float]) -> None:
    """Print rows with the ratio of our speed to each; the ratio is to ours of the same precision, if it is named."""
    print(
        f"{'':44} {'model·steps/s':>13} {'tokens/s':>11} {'set-up s':>8} {'with it':>8} {'GiB':>5} {'peak':>5}  ours is"
    )
    for name, found in rows:
        mine = next((speed for precision, speed in speeds.items() if f", {precision}" in name), max(speeds.values()))
        with_set_up = found.get("with_set_up")
        share = found.get("peak_share")
        print(
            f"{name:44} {found['speed']:13,.1f} {found['tokens_per_second']:11,.0f} {found['set_up']:8.0f} "
            f"{'' if with_set_up is None else f'{with_set_up:,.0f}':>8} {found['memory'] / 2**30:5.1f} "
            f"{f'{share:.0%}' if share and 'bf16' in name else '':>5}  {mine / found['speed']:.1f}×",
            flush=True,
        )


def processor() -> str:
    """Return the name of the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--shapes", type=int, nargs="*", help="which shapes, from 0 (default: all)")
    parser.add_argument("--profile", action="store_true", help="show the kernels of our step")
    parser.add_argument("--concurrent", type=int, nargs="+", help="how many processes of a baseline share the GPU")
    parser.add_argument("--seconds", type=float, default=480, help="begin no other concurrent baseline after them")
    parser.add_argument("--rehearse", action="store_true", help="with --concurrent: tiny, on a CPU")
    parser.add_argument("--no-baselines", action="store_true", help="measure ours alone")
    parser.add_argument("--ours", help=argparse.SUPPRESS)
    parser.add_argument("--precision", default="fp32", help=argparse.SUPPRESS)
    parser.add_argument("--compiled", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        case = Case(**json.loads(options.ours))
        steps = 100 if options.device == "cuda" else 40
        found = train_ours(
            case,
            options.device,
            options.precision,
            compiled=options.compiled,
            steps=steps,
            profile=options.profile,
        )
        print(json.dumps(found))
        return
    cases = GPU_CASES if options.device == "cuda" else CPU_CASES
    chosen = tuple(cases[number] for number in options.shapes) if options.shapes else cases
    if options.concurrent:
        concurrently(chosen, options.concurrent, options.seconds, rehearse=options.rehearse)
    elif options.device == "cuda":
        on_gpu(chosen, profile=options.profile, with_baselines=not options.no_baselines)
    else:
        on_cpu(chosen)


if __name__ == "__main__":
    main()
