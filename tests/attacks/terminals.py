"""Text from files that would steer a terminal, terminals that lack our characters, signals, and exit codes (9, 10)."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import TINY, Attack, Program, main

_EVIL = "\x1b]0;owned\x07\x1b[2J"
_COLOURS = re.compile(rb"\x1b\[[0-9;]*m|\x1b\[\?25[hl]|\r|\x1b\[K|\x1b\[2K|\x1b\[1A")


def attack(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of hostile text, poor terminals and signals."""
    _write_files(folder)
    return [
        *_escapes(program, folder),
        *_markdown(program, folder),
        *_encodings(program, folder),
        _internal_error(program, folder),
        *_signals(program, folder),
    ]


def _write_files(folder: Path) -> None:
    automaton = {
        "alphabet": ["a", _EVIL],
        "initial": "p",
        "accepting": ["p"],
        "transitions": {"p": {"a": "q", _EVIL: "p"}, "q": {"a": "p", _EVIL: "q"}},
    }
    (folder / "evil.json").write_text(json.dumps(automaton))
    broken = automaton | {"initial": _EVIL}
    (folder / "broken.json").write_text(json.dumps(broken))
    (folder / "evil.jsonl").write_text(
        "".join(json.dumps({"prompt": ["a", _EVIL] * n, "answer": [_EVIL]}) + "\n" for n in range(1, 40))
    )
    (folder / "evil.py").write_text(
        f'"""A task {_EVIL} here."""\nalphabet = ["a", {_EVIL!r}]\ndef answer(prompt):\n    return prompt[:1]\n'
    )
    (folder / "wrong.py").write_text(
        f'"""A task."""\nalphabet = ["a"]\ndef answer(prompt):\n    raise ValueError({_EVIL!r})\n'
    )
    (folder / "evil.crasp").write_text(f"alphabet 'a'\nx := {_EVIL}\n")
    (folder / "rows.json").write_text(json.dumps([{"what": _EVIL, "certificate": {"lengthwise": _EVIL}}]))
    (folder / "spec.toml").write_text(TINY)


_COMMANDS = (
    ("show", "language", "evil.json"),
    ("predict", "evil.json"),
    ("predict", "evil.json", "--explain"),
    ("predict", "evil.json", "--pairs", "2"),
    ("recommend", "evil.json"),
    ("check", "evil.json"),
    ("check", "broken.json"),
    ("predict", "broken.json"),
    ("show", "task", "evil.json"),
    ("show", "task", "evil.jsonl"),
    ("check", "evil.jsonl"),
    ("show", "task", "evil.py"),
    ("check", "evil.py"),
    ("check", "wrong.py"),
    ("show", "task", "wrong.py"),
    ("crasp", "run", "evil.crasp", "a"),
    ("check", "evil.crasp"),
    ("check", "rows.json"),
    ("predict", f"a{_EVIL}b"),
    ("show", "language", f"[{_EVIL}]*"),
    ("predict", "--regex", f"({_EVIL}"),
    ("list", _EVIL),
)


def _escapes(program: Program, folder: Path) -> list[Attack]:
    found = []
    for command in _COMMANDS:
        told = " ".join(command).replace(_EVIL, "EVIL")
        done = program.run(*command, folder=folder)
        shown = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.out + done.err)
        found.append(
            Attack(number="9", what=told, outcome="it reached the output" if shown else str(done), good=shown is None)
        )
        seen = _COLOURS.sub(b"", _on_terminal(program, folder, command))
        good = not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", seen)
        outcome = "nothing but colours" if good else "it reached the terminal"
        found.append(Attack(number="9", what=f"{told}, on a terminal", outcome=outcome, good=good))
    return found


def _on_terminal(program: Program, folder: Path, command: tuple[str, ...]) -> bytes:
    """Return everything that a command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = program.environment({"TERM": "xterm"})
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "lengthwise", *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        parts.append(part)
    process.wait()
    os.close(ours)
    return b"".join(parts)


def _markdown(program: Program, folder: Path) -> list[Attack]:
    """Return what stands in a Markdown report on a task whose name is HTML and has pipes."""
    name = "(<b>|<script>alert)*"
    done = program.run(
        *(
            "run",
            name,
            "--encoding",
            "nope",
            "--seeds",
            "1",
            "--steps",
            "20",
            "--train-length",
            "4",
            "--test-length",
            "8",
        ),
        *("--store", "markdown.sqlite", "--out", "page.html", "--markdown", "page.md"),
        folder=folder,
    )
    text = (folder / "page.md").read_text() if (folder / "page.md").exists() else "<script>"
    page = (folder / "page.html").read_text() if (folder / "page.html").exists() else "<script>"
    lines = [line for line in text.splitlines() if line.startswith("|")]
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    return [
        Attack(number="9", what="HTML in a Markdown report", outcome=str(done), good="<script" not in text),
        Attack(number="9", what="pipes in a Markdown report", outcome=f"columns {columns}", good=len(columns) == 1),
        Attack(number="9", what="HTML in a page", outcome=str(done), good="<script" not in page),
    ]


def _encodings(program: Program, folder: Path) -> list[Attack]:
    found = []
    for encoding in ("ascii", "latin-1"):
        for command in (
            ("predict", "(ab|bbaa)*", "--explain"),
            ("show", "language", "evil.json"),
            ("list", "encodings"),
            ("list", "tasks"),
            ("show", "encoding", "rope"),
            ("crasp", "trace", "dyck_1", "ab"),
            ("complexity", "copy"),
            ("predict", "é*"),
            ("recommend", "PARITY"),
            ("--help",),
        ):
            done = program.run(*command, folder=folder, environment={"PYTHONIOENCODING": encoding})
            found.append(
                Attack(
                    number="10",
                    what=f"{' '.join(command)} in {encoding}",
                    outcome=str(done),
                    good=done.has_sentence and done.code in (0, 2) and "codec" not in done.err,
                )
            )
    return found


def _internal_error(program: Program, folder: Path) -> Attack:
    code = (
        "import sys, lengthwise.cli.main as m\ndef broken(*_): raise ZeroDivisionError('x')\n"
        "m.build_parser = broken\nsys.exit(m.main(['predict', '(ab)*']))"
    )
    done = program.python("-c", code, folder=folder)
    return Attack(number="10", what="a fault of our own", outcome=str(done), good=done.code == 70)


def _hear_signals() -> None:
    """Undo what nohup and shells do to processes in the background: they let them ignore signals, and children inherit it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _signals(program: Program, folder: Path) -> list[Attack]:
    found = []
    (folder / "long.toml").write_text(TINY.replace("seeds = 2", "seeds = 400"))
    for what, numbers, codes in (
        ("Ctrl-C", [signal.SIGINT], (130,)),
        ("Ctrl-C twice", [signal.SIGINT, signal.SIGINT], (130,)),
        ("SIGTERM", [signal.SIGTERM], (143,)),
        ("SIGHUP", [signal.SIGHUP], (129,)),
        ("SIGTERM, then Ctrl-C twice", [signal.SIGTERM, signal.SIGINT, signal.SIGINT], (130, 143)),
    ):
        for left in folder.glob("long.sqlite*"):
            if left.is_file():
                left.unlink()
        process = subprocess.Popen(
            [sys.executable, "-m", "lengthwise", "run", "long.toml", "--store", "long.sqlite", "--workers", "1"],
            cwd=folder,
            env=program.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_hear_signals,
        )
        lines: list[str] = []
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(line)
            if line.startswith("done: "):
                break
        reader = threading.Thread(target=lines.extend, args=(process.stderr,))
        reader.start()
        for number in numbers:
            os.killpg(process.pid, number)
        process.wait()
        reader.join()
        told = "".join(lines)
        last = lines[-1].strip() if lines else "nothing"
        good = process.returncode in codes and "Traceback" not in told and "run the same command again" in last
        outcome = f"exit {process.returncode}, {'a traceback' if 'Traceback' in told else last}"
        found.append(Attack(number="10", what=f"run and {what}", outcome=outcome, good=good))
    return found


if __name__ == "__main__":
    main(attack)
