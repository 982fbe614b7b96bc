"""How long a cold ``lengthwise predict`` takes, against a bare interpreter in the same run, and what it imports."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

RUNS = 7
QUESTION = "(ab|bbaa)*"


def wall_time(command: list[str]) -> float:
    durations = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        durations.append(time.perf_counter() - start)
    return median(durations)


def imported_modules() -> list[str]:
    program = (
        "import sys; from lengthwise.cli.main import main; code = main(['predict', sys.argv[1]]); "
        "print(*sorted(sys.modules), sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, QUESTION], check=True, capture_output=True, text=True)
    return done.stderr.split()


def main() -> None:
    bare = wall_time([sys.executable, "-c", "pass"])
    predict = wall_time([sys.executable, "-m", "lengthwise", "predict", QUESTION])
    modules = imported_modules()
    heavy = [name for name in ("torch", "numpy", "rich", "jinja2") if name in modules]
    ours = [name for name in modules if name.startswith("lengthwise")]
    print(f"lengthwise predict '{QUESTION}': median of {RUNS} runs {predict:.3f} s")
    print(f"bare interpreter: {bare:.3f} s; ratio {predict / bare:.1f}")
    print(
        f"imported: {len(modules)} modules, {len(ours)} of them lengthwise; of torch, numpy, rich, jinja2: {heavy or 'none'}"
    )
    print("lengthwise modules: " + ", ".join(name.removeprefix("lengthwise.") for name in ours if name != "lengthwise"))
    others = sorted({name.split(".")[0] for name in modules if not name.startswith(("lengthwise", "_"))})
    print("others (top level): " + ", ".join(others))


if __name__ == "__main__":
    main()
