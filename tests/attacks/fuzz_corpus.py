"""What fuzzed inputs start from: names, programs, certificates, a store and models that the package itself has or writes."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.crasp.printer import print_program
from lengthwise.crasp.programs.catalog import PROGRAMS
from lengthwise.encodings.catalog import ALIASES, ENCODINGS
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa_files import dfa_to_json
from lengthwise.predict.predict import predict
from lengthwise.tasks.core.calls import FORMATS
from lengthwise.tasks.core.catalog import TASKS
from lengthwise.theory.claims import Asked

REGEXES = (
    "(ab|bbaa)*", "(aa)*", "a*b*", "~(ab)*", "(ab)*&~()", "[ab]*a[ab]{2}", r"(\<open>\<close>)*", "a{2,4}b?", "ab/b", "a//ab",
    "(ab*)^R", "(0|1)*11(0|1)*", "\\*+a", "[a-c]+d", "((a|b)(a|b))*", "a(a|b)*a|b", "[^a]b", ".*", "(a|ab)(c|bcd)*", "()",
)  # fmt: skip
ENCODING_NAMES = (
    "rope(base=500000)", "randomized(rope, length=2048)", "window(alibi, size=8)", "ipe(circuit=addition(2))", "offset(ape)",
    "length_corrected(scale_hint(rpe))", "interleaved(nope, rope)", "dape(kerple_log)", "cable", "random_float(rope)",
    "lbpe_found(relations=r(1, -1, 1, 0, 0, 1, 1, 0, 1, 0))", "hard_alibi(heads=2)", "scale_hint(t5, hint=false)",
    "guarded(ape)", "lbpe(width=4)", "rope( base = 10000 )", "ipe(circuit=copy(abc), eos=true)",
)  # fmt: skip
TASK_NAMES = (
    "count_mod(5)", "word_problem(S3)", "states((ab)*)", "accepts(D_2)", "hard(parity, boundary)", "hard(accepts((aa)*), near)",
    "index_hints(answer_reversed(addition), 40)", "aligned(addition, 9)", "scratchpad(addition)", "padded(spaced(addition))",
    "prompt_reversed(unique_copy)", "states(PARITY)", "hard((ab)*, pumped)", "dyck_bounded(2, 3)", "D_3", "(aa)*", "Tomita_3",
    "sum_mod(3)", "kth_largest(2)", "random_regular(5, 3)", "mod_arith(5)", "hard(hard(parity, near), near)", "sort_multidigit(3)",
)  # fmt: skip
PAIRS = (
    '{"prompt": "aab", "answer": "2"}\n{"prompt": "ab", "answer": "1"}\n',
    '{"prompt": "red red blue", "answer": ["blue"]}\n\n{"prompt": ["red"], "answer": "red"}\n',
    "\n".join(json.dumps({"prompt": "ab" * n, "answer": str(n)}) for n in range(1, 13)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The proper inputs of every kind."""

    regexes: list[str]
    programs: list[str]
    program_names: list[str]
    automata: list[Any]
    rows: list[Any]
    encodings: list[str]
    cards: list[Any]
    tasks: list[str]
    families: list[Any]
    specs: list[str]
    pairs: list[str]
    store: bytes
    models: list[bytes]
    compiled: list[tuple[str, bytes]]


def make_corpus(folder: Path, docs: Path) -> Corpus:
    """Return all proper inputs; the store and the models are those that :func:`write_files` left in a folder."""
    languages = list(LANGUAGES)
    rows = [
        row.to_json()
        for what in (
            "(ab)*",
            "(aa)*",
            "PARITY",
            "D_2",
            "TOMITA_3",
            "(a|b)*ab",
            "bin_majority",
            r"(\<open>\<close>)*",
            "a*b*a*",
        )
        for asked in (list(Asked) if what not in ("bin_majority",) else [Asked.MEMBERSHIP])
        for row in predict(what, asked=asked, encodings=("nope", "ape", "rope"))
    ]
    return Corpus(
        regexes=[*REGEXES, *(each.regex for each in LANGUAGES.values() if each.regex)],
        programs=[print_program(each.program) for each in PROGRAMS.values()],
        program_names=list(PROGRAMS),
        automata=[dfa_to_json(each.language) for each in LANGUAGES.values()],
        rows=rows,
        encodings=[*ENCODINGS, *ALIASES, *ENCODING_NAMES],
        cards=list(ENCODINGS.values()),
        families=[family for family in map(TASKS.__getitem__, TASKS) if family.parameters],
        tasks=[*TASKS, *languages, *TASK_NAMES, *(f"{name}(addition)" for name in FORMATS)],
        specs=[
            part.split("```")[0]
            for page in sorted(docs.rglob("*.md"))
            for part in page.read_text().split("```toml\n")[1:]
        ],
        pairs=list(PAIRS),
        store=(folder / "runs.sqlite").read_bytes(),
        models=[path.read_bytes() for path in sorted((folder / "runs.sqlite.models").glob("*.safetensors"))],
        compiled=[
            ((path / "config.json").read_text(), (path / "model.safetensors").read_bytes())
            for path in sorted(folder.glob("compiled-*"))
        ],
    )


def write_files(folder: Path) -> None:
    """Train four tiny models, with their store, and compile two programs, all in a folder."""
    from lengthwise.crasp.parser import parse_program
    from lengthwise.experiment.run import run_experiment
    from lengthwise.experiment.spec import Spec
    from lengthwise.model.compiled.files import save_model
    from lengthwise.model.compiled.model import compile_to_transformer
    from lengthwise.model.shape import Shape
    from lengthwise.train.settings import Training

    spec = Spec(
        tasks=("bin_majority", "(aa)*"),
        encodings=("ape", "rope"),
        seeds=1,
        train_length=4,
        test_length=(6, 12),
        hard=True,
        model=Shape(layers=1, heads=1, width=8),
        training=Training(steps=10, batch=8, warmup=2, evaluate_every=5, examples=16),
    )
    run_experiment(spec, folder / "runs.sqlite", device="cpu", workers=1, keep=True)
    _forget_time(folder / "runs.sqlite")
    for number, text in enumerate(("accept := #['a'] > #['b']", "accept := 'a' and #{1}['b'] = 1")):
        program = parse_program(f"alphabet 'a' 'b' {text}")
        save_model(compile_to_transformer(program), folder / f"compiled-{number}")


def _forget_time(store: Path) -> None:
    """Take out of a store what differs from one day and machine to another, so that a seed gives the same inputs."""
    from fuzz_stores import forge

    from lengthwise.experiment.store import read_store

    with closing(sqlite3.connect(store)) as connection, connection:
        for number, told in connection.execute("SELECT rowid, provenance FROM runs").fetchall():
            fixed = json.loads(told) | {"finished": "2026-01-01T00:00:00+00:00", "hardware": "a machine"}
            values = (json.dumps(fixed), number)
            connection.execute("UPDATE runs SET seconds = 0.25, provenance = ? WHERE rowid = ?", values)
        forge(connection)
    with read_store(store) as opened:
        assert len(opened.results()) == 4  # or ids and checksums are made in another way now


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
