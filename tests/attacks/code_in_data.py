"""Stores and model files that name code: nothing found in data is ever run or opened (2)."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import TINY, Attack, Program, main

_CODE = "open('ran', 'w').write('1')\nalphabet = ['a', 'b']\ndef answer(prompt):\n    return prompt[:1]\n"


def attack(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of reading stores and models whose task is a Python file."""
    (folder / "spec.toml").write_text(TINY.replace('"(aa)*"', '"D_2"').replace("seeds = 2", "seeds = 1"))
    made = program.run("run", "spec.toml", "--store", "runs.sqlite", "--out", "first.html", "--keep", folder=folder)
    assert made.code == 0, made
    (folder / "evil.py").write_text(_CODE)
    names = ("evil.py", str(folder / "evil.py"), "hard(evil.py, near)", "index_hints(evil.py)")
    return [*_attack_stores(program, folder, names), *_attack_models(program, folder, names)]


def _ran(folder: Path) -> bool:
    """Return whether the code has run since this was last asked."""
    mark = folder / "ran"
    was_there = mark.exists()
    mark.unlink(missing_ok=True)
    return was_there


def _attack_stores(program: Program, folder: Path, names: tuple[str, ...]) -> list[Attack]:
    found = []
    for name in names:
        _ran(folder)
        (folder / "evil.sqlite").write_bytes((folder / "runs.sqlite").read_bytes())
        with closing(sqlite3.connect(folder / "evil.sqlite")) as connection, connection:
            _rename(connection, name)
        for command in (["report", "evil.sqlite", "--out", "evil.html"], ["report", "evil.sqlite", "--json"]):
            done = program.run(*command, folder=folder)
            ran = _ran(folder)
            what = f"{' '.join(command[:2])} of task {name.replace(str(folder), '…')!r}"
            outcome = "the code ran" if ran else str(done)
            found.append(Attack(number="2", what=what, outcome=outcome, good=not ran and done.has_sentence))
    return found


def _rename(connection: sqlite3.Connection, name: str) -> None:
    """Give a run another task, with an id and, where there is one, no checksum that would tell."""
    run, text = connection.execute("SELECT id, settings FROM runs").fetchone()
    settings = json.loads(text) | {"task": name}
    new = sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
    columns = {row[1] for row in connection.execute("PRAGMA table_info(runs)")}
    more = ", checksum = NULL" if "checksum" in columns else ""
    connection.execute(
        f"UPDATE runs SET id = ?, task = ?, settings = ?{more} WHERE id = ?", (new, name, json.dumps(settings), run)
    )
    connection.execute("UPDATE scores SET run = ? WHERE run = ?", (new, run))


def _attack_models(program: Program, folder: Path, names: tuple[str, ...]) -> list[Attack]:
    from safetensors import safe_open
    from safetensors.torch import save_file

    found = []
    model = next(folder.glob("runs.sqlite.models/*.safetensors"))
    with safe_open(model, framework="pt") as opened:
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # not a dict
        notes = json.loads(opened.metadata()["lengthwise"])
    for name in names:
        _ran(folder)
        changed = notes | {"run": notes["run"] | {"task": name}}
        save_file(tensors, folder / "evil.safetensors", {"lengthwise": json.dumps(changed)})
        done = program.run("inspect", "evil.safetensors", folder=folder)
        ran = _ran(folder)
        what = f"inspect a model of task {name.replace(str(folder), '…')!r}"
        outcome = "the code ran" if ran else str(done)
        found.append(Attack(number="2", what=what, outcome=outcome, good=not ran and done.has_sentence))
    return found


if __name__ == "__main__":
    main(attack)
