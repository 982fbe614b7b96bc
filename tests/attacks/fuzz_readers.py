"""The readers under attack. Each has a generator of inputs (fuzz_inputs) and the functions with which the product reads one.

A reader returns what it made of the input or raises; the texts that it would show the user are returned for inspection.
"""

from __future__ import annotations

import contextlib
import io
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zlib import crc32

import fuzz_inputs as inputs
from fuzz_corpus import Corpus
from fuzz_inputs import Case
from fuzz_stores import make_store

from lengthwise.arrays import numpy_arrays
from lengthwise.cli.commands import check, report
from lengthwise.cli.commands import predict as predict_command
from lengthwise.cli.main import build_parser
from lengthwise.crasp.checker import check_program, has_errors
from lengthwise.crasp.interpreter import accepts, next_symbols
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.printer import print_program
from lengthwise.crasp.programs.catalog import find_program
from lengthwise.crasp.simplification import simplify
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.experiment import models
from lengthwise.experiment.grid import parse_specs
from lengthwise.experiment.plan import make_groups
from lengthwise.files import parse_json
from lengthwise.languages.alphabet import make_alphabet
from lengthwise.languages.dfa_files import dfa_from_json, dfa_to_json
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.predict import predict
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import shortest_length
from lengthwise.tasks.user.automata import check_automaton
from lengthwise.tasks.user.pairs import check_pairs, read_pairs_task
from lengthwise.theory.positions.formulas import parse_formula


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """``make`` gives an input; ``read`` reads it in a scratch folder; ``share`` is its part of all inputs, in thousandths."""

    make: Callable[[Random, Corpus], Case]
    read: Callable[[Case, Path], Iterable[str] | None]
    share: int


def _written(folder: Path, name: str, data: str | bytes) -> str:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    return str(path)


_PARSED: dict[tuple[str, ...], Namespace] = {}


def _options(*arguments: str) -> Namespace:
    """Return the options of a command line, which is parsed once."""
    if arguments not in _PARSED:
        _PARSED[arguments] = build_parser().parse_args(arguments)
    return Namespace(**vars(_PARSED[arguments]))


def _shown(command: Callable[[Namespace], int], options: Namespace, codes: tuple[int, ...] = (0,)) -> list[str]:
    """Run a command; return the lines that it prints."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        assert command(options) in codes
    return shown.getvalue().split("\n")


# Regular expressions and alphabets


def read_regex(case: Case, _folder: Path) -> None:
    compile_regex(case.data, alphabet=case.options["alphabet"])


def read_prediction(case: Case, _folder: Path) -> list[str]:
    options = _options("predict", "a", "--regex")
    options.what, options.alphabet = [case.data], case.options["alphabet"]
    options.explain, options.json = case.options["shown"] == "explain", case.options["shown"] == "json"
    return _shown(predict_command.run, options)


def read_alphabet(case: Case, _folder: Path) -> None:
    make_alphabet(case.data)
    compile_regex(case.options["regex"], alphabet=case.data)


# Names


def read_question(case: Case, _folder: Path) -> list[str]:
    rows = predict(case.data, encodings=[case.options["encoding"]], alphabet=case.options["alphabet"])
    return [row.verdict.reason for row in rows]


def read_program_name(case: Case, _folder: Path) -> None:
    assert check_program(find_program(case.data).program)


def read_encoding(case: Case, _folder: Path) -> None:
    choice = find_encoding(case.data)
    assert find_encoding(choice.name) == choice


def read_built(case: Case, _folder: Path) -> None:
    from lengthwise.encodings.core.base import Fit
    from lengthwise.encodings.core.build import make_encoding

    fit = Fit(num_heads=2, head_width=8, width=16, max_length=30, trained=10, num_layers=2)
    sum(parameter.numel() for parameter in make_encoding(case.data, fit).parameters())


def read_task(case: Case, _folder: Path) -> None:
    task = find_task(case.data)
    length = shortest_length(task)
    xp = numpy_arrays()
    batch = task.sample(open_stream(DATA, seed=0), xp.asarray([length] * 2), length, xp)
    size = int(batch.sizes_MB[0])
    prompt, answer = task.read_back(batch.tokens_MBL[0].tolist()[:size], batch.targets_MBL[0].tolist()[:size])
    assert isinstance(prompt, list)
    assert isinstance(answer, list)


# Programs


def read_program(case: Case, _folder: Path) -> list[str]:
    program = parse_program(case.data)
    findings = check_program(program)
    assert parse_program(print_program(program)) == program, "printing and reading changes the program"
    if not has_errors(findings):
        word = list(program.alphabet[:2]) * 2
        (next_symbols if program.is_generator else accepts)(program, word)
        print_program(simplify(program))
    return [finding.message for finding in findings]


def read_program_file(case: Case, folder: Path) -> None:
    path = _written(folder, "program.crasp", case.data)
    predict(path)
    task = find_task(path)
    length = shortest_length(task)
    xp = numpy_arrays()
    task.sample(open_stream(DATA, seed=0), xp.asarray([length] * 2), length, xp)


# JSON: automata, certificates, pairs


def read_automaton(case: Case, folder: Path) -> list[str]:
    path = _written(folder, "automaton.json", case.data)
    findings = check_automaton(path)
    language = dfa_from_json(parse_json(case.data, "the file"))
    assert dfa_from_json(dfa_to_json(language)) == language
    find_task(path).vocabulary  # noqa: B018  # made when it is asked for
    if case.options["predict"]:
        predict(path)
    return [finding.what for finding in findings]


def read_certificates(case: Case, _folder: Path) -> list[str]:
    options = _options("check", "-")
    options.language, options.json = case.options["for"], case.options["json"]
    assert isinstance(case.data, str)
    standard, sys.stdin = sys.stdin, io.StringIO(case.data)
    try:
        return _shown(check.run, options, codes=(0, 1))
    finally:
        sys.stdin = standard


def read_formula(case: Case, _folder: Path) -> None:
    entry, _ = parse_formula(case.data)
    for key in range(1, 4):
        entry(key, 3, 4)


def read_pairs(case: Case, folder: Path) -> list[str]:
    path = _written(folder, "pairs.jsonl", case.data)
    findings = check_pairs(path)
    task = read_pairs_task(path)
    xp, length = numpy_arrays(), shortest_length(task)
    task.sample(open_stream(DATA, seed=0), xp.asarray([length] * 2), length, xp)
    return [finding.what for finding in findings]


# Specs


def read_spec(case: Case, _folder: Path) -> None:
    for spec in parse_specs(case.data):
        for group in make_groups(spec):
            assert group[0].id
            assert group[0].bins


# Stores


def read_store(case: Case, folder: Path) -> list[str]:
    path, new = _written(folder, "runs.sqlite", case.data), str(folder / "merged.sqlite")
    for ending in ("-wal", "-shm", "-journal"):
        Path(path + ending).unlink(missing_ok=True)
        Path(new + ending).unlink(missing_ok=True)
    Path(new).unlink(missing_ok=True)
    page, table, figure = str(folder / "page.html"), str(folder / "page.md"), str(folder / "page.svg")
    others = (
        ("store", "ls", path),
        ("store", "export", path, "--out", str(folder / "runs.csv")),
        ("store", "export", path, "--out", str(folder / "runs.json")),
        ("store", "merge", new, path),
        ("compare", path, path, "--json"),
        ("watch", path, "--once"),
        ("cite", path),
        ("report", path, "--out", page, "--figure", figure, "--latex", str(folder / "page.tex")),
    )
    options = _options(*others[crc32(case.data) % len(others)])  # one of them for each input
    return [
        *_shown(options.function, options),
        *_shown(report.run, _options("report", path, "--out", page, "--markdown", table)),
    ]


# Models


def read_model(case: Case, folder: Path) -> None:
    run = models.load_model(_written(folder, "model.safetensors", case.data))[1]
    assert run.id


def read_compiled(case: Case, folder: Path) -> None:
    from lengthwise.model.compiled.files import load_model

    place = folder / "compiled"
    place.mkdir(exist_ok=True)
    _written(place, "config.json", case.data)
    _written(place, "model.safetensors", case.options["weights"])
    load_model(place)


READERS: dict[str, Reader] = {
    "regex": Reader(make=inputs.make_regex, read=read_regex, share=160),
    "prediction": Reader(make=inputs.make_prediction, read=read_prediction, share=70),
    "alphabet": Reader(make=inputs.make_alphabet_case, read=read_alphabet, share=20),
    "question": Reader(make=inputs.make_question, read=read_question, share=40),
    "encoding": Reader(make=inputs.make_encoding_case, read=read_encoding, share=80),
    "built encoding": Reader(make=inputs.make_built_case, read=read_built, share=20),
    "task": Reader(make=inputs.make_task_case, read=read_task, share=80),
    "program": Reader(make=inputs.make_program, read=read_program, share=100),
    "program file": Reader(make=inputs.make_program, read=read_program_file, share=40),
    "program name": Reader(make=inputs.make_program_name, read=read_program_name, share=20),
    "formula": Reader(make=inputs.make_formula, read=read_formula, share=30),
    "automaton": Reader(make=inputs.make_automaton, read=read_automaton, share=90),
    "certificate": Reader(make=inputs.make_certificate, read=read_certificates, share=90),
    "pairs": Reader(make=inputs.make_pairs, read=read_pairs, share=60),
    "spec": Reader(make=inputs.make_spec, read=read_spec, share=50),
    "store": Reader(make=make_store, read=read_store, share=25),
    "model": Reader(make=inputs.make_model_case, read=read_model, share=15),
    "compiled model": Reader(make=inputs.make_compiled_case, read=read_compiled, share=10),
}
assert sum(reader.share for reader in READERS.values()) == 1000
