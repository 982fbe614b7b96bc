"""Bombs: small inputs that cost much, or would, each run through the command line in a process with limits.

``python tests/attacks/bombs.py --source SRC`` runs the bombs against the package in a folder of sources and prints a line for
each: exit code, CPU seconds, peak memory, and whether it ended with a sentence. The bar: at most 10 s of CPU time and 1 GB,
exit code 0, 1, 2 or 3, and no traceback.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

CPU_LIMIT, MEMORY_LIMIT = 20, 3 << 30  # of the child process, far above the bar
MOST_SECONDS, MOST_MEGABYTES = 10.0, 1024
EXIT_CODES = (0, 1, 2, 3)
HUGE = 10**9
DIGITS = "9" * 5000
SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bomb:
    """A name, the arguments of the command, and the files it needs: by name, what is written to them."""

    name: str
    arguments: tuple[str, ...]
    files: tuple[tuple[str, Callable[[], str]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a bomb did."""

    bomb: Bomb
    exit_code: int
    seconds: float
    megabytes: int
    has_sentence: bool
    has_traceback: bool

    @property
    def held(self) -> bool:
        """Whether the program stayed within the bar."""
        within = self.seconds <= MOST_SECONDS and self.megabytes <= MOST_MEGABYTES
        return within and self.exit_code in EXIT_CODES and self.has_sentence and not self.has_traceback

    def line(self) -> str:
        """Return the outcome as a line of the table."""
        sentence = "traceback" if self.has_traceback else "sentence" if self.has_sentence else "none"
        figures = f"exit {self.exit_code:>4}  {self.seconds:6.2f} s  {self.megabytes:5d} MB  {sentence:<9}"
        return f"{'ok ' if self.held else 'BAD'}  {figures}  {self.bomb.name}"


def bombs() -> list[Bomb]:
    """Return all bombs."""
    return [*_expressions(), *_automata(), *_names(), *_options(), *_programs(), *_certificates(), *_python()]


def _expressions() -> Iterator[Bomb]:
    texts = {
        "a repair with 256 names": ("recommend", "[ab]*a[ab][a-c]{2}{3}"),
        "advice that takes long": ("predict", "(a[ab]*a[ab]{3}|b|c)*abc(a|b)*×", "--explain"),
        "a count of 10^9": ("predict", "a{1000000000}"),
        "a count of 5,000 digits": ("predict", f"a{{{DIGITS}}}"),
        "nested counts": ("predict", "((((a{99}){99}){99}){99}){99}"),
        "an open nested count": ("predict", "((a{50,}){50,}b){50,}"),
        "optional nested counts": ("predict", "(((a?){99})?{99}b?){99}"),
        "an exponential automaton": ("predict", "[ab]*a[ab]{24}"),
        "an exponential automaton below the cap": ("predict", "[ab]*a[ab]{11}"),
        "recommend on an exponential automaton": ("recommend", "[ab]*a[ab]{9}"),
        "explain on an exponential automaton": ("predict", "[ab]*a[ab]{8}", "--explain"),
        "a large semigroup": ("predict", "((a|b)*a(a|b){6}c)*", "--explain"),
        "a semigroup of many states": ("predict", "([ab]*a[ab]{9}c)*"),
        "deep parentheses": ("predict", "(" * 20_000 + "a" + ")" * 20_000),
        "unclosed parentheses": ("predict", "(" * 100_000),
        "many stars": ("predict", "a" + "*" * 50_000),
        "many alternatives": ("predict", "|".join("a" * n for n in range(1, 400))),
        "many alternatives of words": ("predict", "|".join(format(n, "012b") for n in range(4000))),
        "complement of a large automaton": ("predict", "~([ab]*a[ab]{11})"),
        "nested complements": ("predict", "~(" * 2_000 + "a" + ")" * 2_000),
        "complements that alternate": ("predict", "~(~(~(a*b)a*)b*[ab]*a[ab]{5})"),
        "intersection of cycles": ("predict", "(a{7})*&(a{11})*&(a{13})*&(a{17})*"),
        "intersection of large automata": ("predict", "[ab]*a[ab]{9}&[ab]*b[ab]{10}"),
        "a cycle of length 9973": ("predict", "(a{9973})*"),
        "a product of cycles": ("predict", "(a{97}|b{89})*"),
        "a large alphabet": ("predict", "[" + "".join(map(chr, range(0x4E00, 0x4E00 + 5000))) + "]*a"),
        "any symbol of a large alphabet": (
            *("predict", ".*a.{3}", "--alphabet"),
            "a" + "".join(map(chr, range(0x4E00, 0x4E00 + 3000))),
        ),
        "an error in a long expression": ("predict", "a" * 100_000 + ")"),
        "next symbols of an exponential automaton": ("predict", "([ab]*a[ab]{8})c", "--asked", "next"),
        "readout last of an exponential automaton": ("predict", "[ab]*a[ab]{9}", "--readout", "last"),
        "the ladder of an exponential automaton": ("show", "language", "[ab]*a[ab]{9}"),
    }
    for name, arguments in texts.items():
        yield Bomb(name=name, arguments=arguments)


def _automaton(rows: list[list[int]], accepting: list[int], alphabet: str = "ab") -> str:
    names = [str(state) for state in range(len(rows))]
    table = {
        names[state]: {symbol: names[target] for symbol, target in zip(alphabet, row, strict=True)}
        for state, row in enumerate(rows)
    }
    fields = {"alphabet": list(alphabet), "initial": "0", "accepting": [names[state] for state in accepting]}
    return json.dumps(fields | {"transitions": table})


def _automata() -> Iterator[Bomb]:
    def random_rows(size: int) -> list[list[int]]:
        rng = Random(19)
        return [[rng.randrange(size), rng.randrange(size)] for _ in range(size)]

    files: dict[str, Callable[[], str]] = {
        "a cycle of 100,000 states": lambda: _automaton([[(n + 1) % 100_000, n] for n in range(100_000)], [0]),
        "a cycle of 15,000 states": lambda: _automaton([[(n + 1) % 15_000, n] for n in range(15_000)], [0]),
        "a random automaton of 3,000 states": lambda: _automaton(random_rows(3_000), list(range(0, 3_000, 2))),
        "a counter of 5,000 states": lambda: _automaton(
            [[min(n + 1, 4_999), max(n - 1, 0)] for n in range(5_000)], [0]
        ),
        "an alphabet of 100,000 symbols": lambda: json.dumps(
            {"alphabet": [f"s{n}" for n in range(100_000)], "initial": "0", "accepting": ["0"]}
            | {"transitions": {"0": {f"s{n}": "0" for n in range(100_000)}}}
        ),
        "a symbol of 10^6 characters": lambda: _automaton([[0]], [0], "a").replace('"a"', f'"{"a" * 10**6}"'),
        "a state of 10^6 characters that is not there": lambda: _automaton([[0]], [0], "a").replace(
            '["0"]', f'["{"q" * 10**6}"]'
        ),
        "JSON nested 100,000 deep": lambda: "[" * 100_000 + "]" * 100_000,
        "JSON tables nested 100,000 deep": lambda: '{"a":' * 100_000 + "0" + "}" * 100_000,
    }
    for name, text in files.items():
        yield Bomb(name=name, arguments=("predict", "bomb.json"), files=(("bomb.json", text),))
    for command in (("recommend", "bomb.json"), ("show", "language", "bomb.json"), ("check", "bomb.json")):
        yield Bomb(
            name=f"{command[0]}: a random automaton of 2,000 states",
            arguments=command,
            files=(("bomb.json", lambda: _automaton(random_rows(2_000), list(range(0, 2_000, 2)))),),
        )
    yield Bomb(
        name="a drawing of 2,000 states",
        arguments=("show", "language", "bomb.json", "--svg", "out.svg"),
        files=(("bomb.json", lambda: _automaton(random_rows(2_000), [0])),),
    )


def _names() -> Iterator[Bomb]:
    for name in (
        f"count_mod({DIGITS})",
        f"D_{DIGITS}",
        "D_100000",
        "D_1000000000",
        f"shift({DIGITS})",
        f"shift({HUGE})",
        f"copy_every({HUGE})",
        f"MOD({DIGITS})",
        "x" * 100_000,
        f"parity_cot_aligned({HUGE})",
        f"transpose({HUGE})",
    ):
        yield Bomb(name=f"predict {name[:40]}", arguments=("predict", name))
    for name in (f"shift({HUGE})", f"transpose({HUGE})", f"add_columns({HUGE})"):
        yield Bomb(name=f"recommend {name[:40]}", arguments=("recommend", name))
        yield Bomb(name=f"show task {name[:40]}", arguments=("show", "task", name))
    for name in (
        f"window(rope, window={DIGITS})",
        f"window(rope, window={HUGE})",
        "scale_hint(" * 500 + "rope" + ")" * 500,
    ):
        yield Bomb(name=f"encoding {name[:40]}", arguments=("predict", "(ab)*", "--encoding", name))
    yield Bomb(
        name="show encoding with a huge window", arguments=("show", "encoding", f"window(rope, window={DIGITS})")
    )
    yield Bomb(name="an unknown command of 10^5 characters", arguments=("x" * 100_000,))


def _options() -> Iterator[Bomb]:
    for arguments in (
        ("predict", "(aa)*", "--pairs", str(HUGE)),
        ("predict", "(aa)*", "--pairs", DIGITS),
        ("predict", "(aa)*", "--pairs", "1000"),
        ("predict", "(a{401})*", "--pairs", "1000"),
        ("predict", "[ab]*a[ab]{9}", "--effort", str(HUGE)),
        ("predict", "[ab]*a[ab]{24}", "--max-states", str(HUGE)),
        ("predict", "[ab]*a[ab]{24}", "--max-states", "100000"),
        ("complexity", "parity", "--scales", str(HUGE)),
        ("complexity", "parity", "--scales", "32"),
        ("complexity", "parity", "--seconds", "nan"),
        ("complexity", "parity", "--seconds", "inf"),
        ("complexity", "parity", "--seconds", "-1"),
        ("complexity", "copy(abcdefghijklmnopqrstuvwxyz)", "--scales", "12", "--seconds", "5"),
        ("complexity", "addition(1000000000)", "--seconds", "5"),
        ("complexity", "parity", "--exact", str(HUGE)),
        ("complexity", "--linear", "i**j**9999", "--seconds", "5"),
        ("show", "task", "parity", "--count", str(HUGE)),
        ("show", "task", "parity", "--length", str(HUGE)),
        ("show", "task", "parity", "--count", "1000", "--length", "1000"),
        ("show", "encoding", "rope", "--svg", "out.svg", "--head", str(HUGE)),
        ("infer", "parity", "--lengths", str(HUGE)),
        ("relations", "parity", "--scales", str(HUGE)),
        ("crasp", "synthesize", "(ab)*", "--max-length", str(HUGE)),
        ("crasp", "synthesize", "(ab)*", "--max-length", "14"),
        ("crasp", "synthesize", "(ab|bbaa)*", "--max-size", str(HUGE)),
        ("crasp", "equal", "(ab)*", "(ab)*", "--max-length", str(HUGE)),
        ("crasp", "run", "weak_majority", "01", "--offset", DIGITS),
        ("crasp", "run", "weak_majority", "01", "--offset", str(10**30)),
        ("crasp", "run", "weak_majority", "01" * 20_000),
        ("crasp", "trace", "weak_majority", "01" * 20_000),
        ("crasp", "compile", "weak_majority", "--check-length", str(HUGE)),
        ("relations", "parity", "--train", "--width", str(HUGE)),
        ("infer", "parity", "--size", str(HUGE)),
    ):
        shown = " ".join(part if len(part) < 30 else f"{part[:12]}…" for part in arguments)
        yield Bomb(name=shown, arguments=arguments)


def _programs() -> Iterator[Bomb]:
    def chain(length: int) -> str:
        lines = ["alphabet 'a' 'b'", "t0 := #['a'] >= 1"]
        lines += [f"t{n} := #[t{n - 1}] >= #['b']" for n in range(1, length)]
        return "\n".join([*lines, f"accept := t{length - 1}\n"])

    def sums(length: int) -> str:
        lines = ["alphabet 'a'", "s0 := #['a']"] + [f"s{n} := s{n - 1} + s{n - 1}" for n in range(1, length)]
        return "\n".join([*lines, f"accept := s{length - 1} >= 7\n"])

    texts: dict[str, Callable[[], str]] = {
        "a program nested 50,000 deep": lambda: "alphabet 'a'\naccept := " + "not " * 50_000 + "'a'\n",
        "a program of 50,000 parentheses": lambda: "alphabet 'a'\naccept := " + "(" * 50_000 + "'a'" + ")" * 50_000,
        "a program with a number of 5,000 digits": lambda: f"alphabet 'a'\naccept := #['a'] >= {DIGITS}\n",
        "a program with a window of 10^9": lambda: f"alphabet 'a'\naccept := #{{{HUGE}}}['a'] >= 1\n",
        "a program with a huge modulus": lambda: f"alphabet 'a'\naccept := i % {HUGE} = 1\n",
        "a chain of 3,000 definitions": lambda: chain(3_000),
        "a sum that doubles 5,000 times": lambda: sums(5_000),
        "a program over 20,000 symbols": lambda: (
            "alphabet " + " ".join(f"'s{n}'" for n in range(20_000)) + "\naccept := 's1'\n"
        ),
    }
    for name, text in texts.items():
        yield Bomb(name=f"predict: {name}", arguments=("predict", "bomb.crasp"), files=(("bomb.crasp", text),))
    for name in ("a chain of 3,000 definitions", "a sum that doubles 5,000 times"):
        for arguments in (("check", "bomb.crasp"), ("crasp", "simplify", "bomb.crasp")):
            yield Bomb(name=f"{arguments[-2]}: {name}", arguments=arguments, files=(("bomb.crasp", texts[name]),))


def _certificates() -> Iterator[Bomb]:
    head = {"lengthwise": "certificate", "version": 1, "answer": "YES", "fragment": "PERIODIC_LOCAL"}
    head |= {"asked": "MEMBERSHIP", "readout": "END_MARKER"}
    automaton = {"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}
    cycle = {"alphabet": ["a"], "transitions": [[(n + 1) % 20_000] for n in range(20_000)], "accepting": [0]}
    data: dict[str, Callable[[], Any]] = {
        "a window of 10^4000": lambda: (
            head
            | {"kind": "potentials", "automaton": automaton, "window": 10**4000, "period": 1}
            | {"vertices": [[0, "", 0], [1, "a", 0]], "components": []}
        ),
        "a period of 10^4000": lambda: (
            head
            | {"kind": "potentials", "automaton": automaton, "window": 0, "period": 10**4000}
            | {"vertices": [[n % 2, "", n] for n in range(50_000)], "components": []}
        ),
        "loops taken 10^4000 times": lambda: (
            head
            | {"kind": "obstruction", "answer": "NO", "fragment": "PLAIN", "automaton": automaton, "members": [0, 1]}
            | {"blocks": [[0, 1]], "enter": "", "suffix": ""}
            | {
                "pairs": [
                    {"kind": "loops", "start": 0, "path": "a", "short_loop": "", "long_loop": "aa", "times": 10**4000}
                ]
            }
        ),
        "a reduction over a cycle of 20,000 states": lambda: (
            head
            | {"kind": "reduction", "answer": "NO", "automaton": cycle, "target": "MOD(9973; 0)", "reads": None}
            | {"images": {"a": "a", "b": "a"}, "prefix": "", "suffix": "a" * 20_000}
        ),
        "an obstruction of a cycle of 20,000 states": lambda: (
            head
            | {"kind": "obstruction", "answer": "NO", "fragment": "PLAIN", "automaton": cycle}
            | {"members": list(range(20_000)), "blocks": [list(range(20_000))], "enter": "", "suffix": ""}
            | {"pairs": [{"kind": "paths", "start": 0, "first": "a" * n, "second": "a" * n} for n in range(1, 2_000)]}
        ),
        "a program nested 50,000 deep": lambda: (
            head
            | {"kind": "program", "alphabet": ["a"], "program": "alphabet 'a'\naccept := " + "not " * 50_000 + "'a'\n"}
        ),
        "quotients nested 300 deep": lambda: _nested_quotients(head, automaton, 300),
    }
    for name, make in data.items():
        text: Callable[[], str] = lambda make=make: json.dumps(make())  # noqa: E731
        yield Bomb(name=f"check: {name}", arguments=("check", "bomb.json"), files=(("bomb.json", text),))
    for name, raw in (
        ("a number of 10,000 digits", f'{{"lengthwise": "certificate", "version": {"9" * 10_000}}}'),
        ("nested 100,000 deep", '{"certificate":' * 100_000 + "0" + "}" * 100_000),
    ):
        written: Callable[[], str] = lambda raw=raw: raw  # noqa: E731
        yield Bomb(name=f"check: {name}", arguments=("check", "bomb.json"), files=(("bomb.json", written),))


def _nested_quotients(head: dict[str, Any], automaton: dict[str, Any], depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = head | {"kind": "quotients", "automaton": automaton, "readout": "LAST_SYMBOL", "parts": []}
    for _ in range(depth):
        inner = inner | {"parts": [{"symbol": "a", "certificate": inner}]}
    return inner


def _python() -> Iterator[Bomb]:
    """Bombs for the functions: the name is the expression, run where the package is imported as lengthwise."""
    for expression in (
        "predict('(ab)*', max_states=10**30)",
        "predict('a{2}', regex=True, alphabet=map(chr, range(97, 50_000)))[0].verdict.answer",
        "predict('[ab]*a[ab]{9}', asked='next', readout=None)[0].verdict.answer",
    ):
        yield Bomb(
            name=f"lengthwise.{expression}", arguments=("-c", f"import lengthwise\nprint(lengthwise.{expression})")
        )


def run_bomb(bomb: Bomb, source: Path) -> Outcome:
    """Run one bomb in a folder of its own, in a process with limits."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in bomb.files:
            (Path(folder) / name).write_text(text(), encoding="utf-8")
        start = () if bomb.arguments[0] == "-c" else ("-m", "lengthwise")
        names = ("PATH", "HOME", "LANG")
        environment = {name: os.environ[name] for name in names if name in os.environ}
        environment |= {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        out, err = Path(folder) / "stdout.txt", Path(folder) / "stderr.txt"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, *start, *bomb.arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                preexec_fn=_set_limits,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        told = err.read_text(encoding="utf-8", errors="replace")
        return Outcome(
            bomb=bomb,
            exit_code=process.returncode,
            seconds=usage.ru_utime + usage.ru_stime,
            megabytes=usage.ru_maxrss // 1024,
            has_sentence=bool(out.stat().st_size) if process.returncode == 0 else "." in told or out.stat().st_size > 0,
            has_traceback="Traceback (most recent call last)" in told and "lengthwise.errors." not in told,
        )


def _set_limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def rows(source: Path = SOURCE, only: str = "") -> Iterator[Outcome]:
    """Yield the outcome of every bomb whose name has a text in it."""
    for bomb in bombs():
        if only in bomb.name:
            yield run_bomb(bomb, source)


def main() -> int:
    """Print a line for every bomb, and the totals; the exit code is 1 if one was above the bar."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="the folder that has the package lengthwise")
    parser.add_argument("--only", default="", metavar="TEXT", help="only bombs whose name has this text")
    options = parser.parse_args()
    outcomes = []
    for outcome in rows(options.source.resolve(), options.only):
        outcomes.append(outcome)
        print(outcome.line(), flush=True)
    held = sum(outcome.held for outcome in outcomes)
    slow = sum(outcome.seconds > MOST_SECONDS for outcome in outcomes)
    large = sum(outcome.megabytes > MOST_MEGABYTES for outcome in outcomes)
    tracebacks = sum(outcome.has_traceback for outcome in outcomes)
    print(
        f"{len(outcomes)} bombs: {held} held, {len(outcomes) - held} not; {slow} over {MOST_SECONDS:g} s, "
        f"{large} over {MOST_MEGABYTES} MB, {tracebacks} tracebacks; "
        f"{sum(outcome.seconds for outcome in outcomes):.0f} s of CPU time in all"
    )
    return 0 if held == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
