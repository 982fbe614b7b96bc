"""What each position encoding costs: forward and backward of a model with it, against one without positions.

One model of 2 layers, 8 heads and width 256, at length 512; positions are made once, outside of what is timed. Ratios are
of median times, NoPE measured in turn with each encoding in the same process: its own row shows the noise. Memory is the
peak beyond what weights and gradients take (GPU only). On a GPU the model runs in bf16, as it is and compiled; processes
compile side by side, then take turns on the GPU.

    python benchmarks/encodings.py                   on all CPU cores, 32 bits, as it is
    python benchmarks/encodings.py --device cuda     on a GPU
    python benchmarks/encodings.py --against rope lbpe 'lbpe(hint=false)'     these only, against rope
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

LENGTH, WIDTH, HEADS, LAYERS, TOKENS = 512, 256, 8, 2, 32
BATCH = {"cpu": 2, "cuda": 32}
ROUNDS = {"cpu": 5, "cuda": 30}
TITLES = {"nope": "NoPE", "rope": "RoPE"}


class Subject:
    """A model with an encoding, and a step forward and backward."""

    def __init__(self, name: str, device: str, *, compiled: bool) -> None:
        import torch

        from lengthwise.encodings.core.base import Fit, Where
        from lengthwise.encodings.core.build import make_encoding
        from lengthwise.model.shape import Shape
        from lengthwise.model.transformer import Transformer
        from lengthwise.seeds import INITIALIZATION, open_stream

        shape = Shape(layers=LAYERS, heads=HEADS, width=WIDTH)
        fit = Fit(
            num_heads=HEADS,
            head_width=WIDTH // HEADS,
            width=WIDTH,
            max_length=LENGTH,
            trained=LENGTH,
            num_layers=LAYERS,
            digits=tuple(range(10)),
        )
        self.model = Transformer(
            num_models=1, num_tokens=TOKENS, num_outputs=TOKENS, shape=shape, encoding=make_encoding(name, fit)
        )
        self.model.initialize(open_stream(INITIALIZATION, seed=[0]))
        self.model.to(device)
        self.device = device
        batch = BATCH[device]
        self.tokens = torch.randint(TOKENS, (1, batch, LENGTH), device=device)
        sizes = torch.full((1, batch), LENGTH, device=device)
        roles = (torch.arange(LENGTH, device=device) % (LENGTH // 2)).expand(1, batch, LENGTH)
        whole = sizes[..., None].expand(1, batch, LENGTH)
        self.at = Where(self.model.encoding.ids(self.tokens, sizes, None, roles), whole, whole)
        self.loss = torch.compile(self._loss, dynamic=False, fullgraph=True) if compiled else self._loss

    def _loss(self) -> Any:
        import torch

        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            return self.model(self.tokens, self.at).float().square().mean()

    def step(self) -> float:
        """Return the seconds of one step."""
        import torch

        self.model.zero_grad()
        if self.device == "cuda":
            torch.cuda.synchronize()
        begun = time.perf_counter()
        self.loss().backward()
        if self.device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - begun

    def peak(self) -> int:
        """Return the peak of memory in a step, beyond what was there before."""
        import torch

        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        self.step()
        return torch.cuda.max_memory_allocated() - before


def compare(subject: Subject, plain: Subject) -> tuple[float, float]:
    """Return the ratio of median times, and the median of the subject in ms, measured in turn."""
    ours, theirs = [], []
    for _ in range(ROUNDS[subject.device]):
        ours.append(subject.step())
        theirs.append(plain.step())
    return statistics.median(ours) / statistics.median(theirs), 1e3 * statistics.median(ours)


def work(names: list[str], against: str, device: str, barrier: Any, turn: Any, results: Any) -> None:
    """Make and warm all models of these names, wait for the other processes, then measure when it is our turn."""
    import torch

    if device == "cuda":
        torch.set_num_threads(1)
    kinds = (False, True) if device == "cuda" else (False,)
    made: dict[tuple[str, bool], Subject | str] = {}
    for compiled in kinds:
        for name in dict.fromkeys((against, *names)):
            try:
                subject = Subject(name, device, compiled=compiled)
                for _ in range(3):
                    subject.step()
                made[name, compiled] = subject
                if device == "cuda":
                    torch.cuda.empty_cache()
            except Exception as error:  # one that fails must not hide the others
                made[name, compiled] = f"{type(error).__name__}: {error}"
    barrier.wait()
    for name in names:
        with turn:
            row: dict[str, Any] = {"name": name}
            for compiled in kinds:
                subject, plain = made[name, compiled], made[against, compiled]
                if isinstance(subject, str) or isinstance(plain, str):
                    row[f"failed {compiled}"] = subject
                    continue
                row[f"ratio {compiled}"], row[f"ms {compiled}"] = compare(subject, plain)
                if device == "cuda":
                    row[f"memory {compiled}"] = subject.peak() / plain.peak()
            if device == "cuda":
                torch.cuda.empty_cache()
            results.put(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("names", nargs="*", help="encodings (default: all)")
    parser.add_argument("--against", default="nope", help="what they are compared with (default: nope)")
    parser.add_argument("--processes", type=int, default=12, help="that compile side by side, on a GPU")
    options = parser.parse_args()
    from lengthwise.encodings.catalog import ENCODINGS

    names = options.names or list(ENCODINGS)
    number = min(len(names), options.processes) if options.device == "cuda" else 1
    context = multiprocessing.get_context("spawn")
    barrier, turn, results = context.Barrier(number), context.Lock(), context.Queue()
    workers = [
        context.Process(
            target=work, args=(names[start::number], options.against, options.device, barrier, turn, results)
        )
        for start in range(number)
    ]
    for worker in workers:
        worker.start()
    rows = {}
    for _ in names:
        row = results.get()
        rows[row["name"]] = row
        print(".", end="", file=sys.stderr, flush=True)
    for worker in workers:
        worker.join()
    print(file=sys.stderr)
    show([rows[name] for name in names], options.against, options.device)


def show(rows: list[dict[str, Any]], against: str, device: str) -> None:
    import torch

    from lengthwise.experiment.provenance import provenance

    print(f"{provenance(device)}")
    print(
        f"forward and backward, {LAYERS} layers, {HEADS} heads, width {WIDTH}, length {LENGTH}, batch {BATCH[device]}, "
        f"{'bf16' if device == 'cuda' else f'32 bits, {torch.get_num_threads()} threads'}; "
        f"median of {ROUNDS[device]}, {TITLES.get(against, against)} measured in turn"
    )
    columns = [("as it is", False), ("compiled", True)] if device == "cuda" else [("as it is", False)]
    heads = "".join(
        f"{title + ', ms':>14}{'× ' + TITLES.get(against, against):>9}"
        + (f"{'× memory':>10}" if device == "cuda" else "")
        for title, _ in columns
    )
    print(f"{'encoding':<40}{heads}")
    for row in rows:
        line = f"{row['name']:<40}"
        for _, compiled in columns:
            if f"ratio {compiled}" in row:
                line += f"{row[f'ms {compiled}']:>14.2f}{row[f'ratio {compiled}']:>9.2f}"
                line += f"{row[f'memory {compiled}']:>10.2f}" if device == "cuda" else ""
            else:
                line += f"  failed: {str(row[f'failed {compiled}'])[:60]}"
        print(line)


if __name__ == "__main__":
    main()
