"""`lengthwise probe`: which mechanism of a language model breaks at which length."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from ...encodings.core.choice import find_encoding
from ...errors import InvalidOptionError, UnreadableFileError
from ...extras import require_extra
from ...files import write_text
from ...probe.probes import PROBES, Probe, find_probe, lengths_of
from ..arguments import whole_number
from ..text import paint, paragraph, passing_line, print_json, width

_MOST_LENGTH = 1_000_000
LENGTHS = (8, 16, 32, 64, 128, 256, 512)

EXAMPLES = """\
examples:
  lengthwise probe my-model/ --encoding rope --out probe.json --page probe.html
  lengthwise probe my-model/ --probe copy_distinct,copy_repeated --lengths 8,32,128,512,2048
  lengthwise probe my_model.py:model --shots 0
  lengthwise probe my-model/ --export harness/          tasks for lm-evaluation-harness

MODEL is a folder that save_pretrained has written, or a Python object with a vocabulary. Nothing is downloaded, and code in a
folder is never run. With --out, an interrupted probe goes on where it stopped."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a folder with a model, or FILE.py:NAME")
    parser.add_argument("--probe", default="", metavar="P,P", help=f"probes, out of {', '.join(PROBES)} (default: all)")
    parser.add_argument(
        "--lengths",
        type=_lengths,
        default=LENGTHS,
        metavar="N,N",
        help="lengths of questions, in symbols (default: 8 to 512)",
    )
    parser.add_argument(
        "--number",
        type=whole_number(10, 100_000),
        default=100,
        metavar="N",
        help="instances of each length (default: 100)",
    )
    parser.add_argument(
        "--shots",
        type=whole_number(0, 64),
        default=6,
        metavar="N",
        help="solved examples before a question (default: 6)",
    )
    parser.add_argument(
        "--seed", type=whole_number(0, 2**31 - 1), default=0, metavar="N", help="draws questions and words"
    )
    parser.add_argument(
        "--encoding",
        metavar="E",
        help="the encoding of the model, for what theory predicts (default: that of its configuration)",
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default=None, help="where the model runs (default: a GPU if there is one)"
    )
    parser.add_argument("--out", metavar="FILE", help="keep measurements in this file (.json), and go on from it")
    parser.add_argument("--page", metavar="FILE", help="write the profile as a page (.html)")
    parser.add_argument(
        "--export", metavar="FOLDER", help="measure nothing; write the questions for lm-evaluation-harness"
    )


def _lengths(text: str) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        found = ()
    if not found or not 1 <= found[0] <= found[-1] <= _MOST_LENGTH:
        raise ArgumentTypeError(f"it takes whole numbers from 1 to {_MOST_LENGTH:,}, such as 8,32,128; found {text!r}")
    return found


def _probes(names: str) -> list[Probe]:
    """Return the probes that are named, each once."""
    return (
        [find_probe(name) for name in dict.fromkeys(map(str.strip, names.split(",")))] if names else [*PROBES.values()]
    )


def _require_place(file: str | None) -> None:
    """Raise if a file cannot be written where it is wanted: that should not come out after an hour of measuring."""
    if file is not None and (Path(file).is_dir() or not Path(file).parent.is_dir()):
        raise UnreadableFileError(
            f"cannot write {file!r}: {'it is a folder' if Path(file).is_dir() else 'there is no such folder'}.",
            hint="choose another path.",
        )


def run(options: Namespace) -> int:
    """Measure a model and print its profile."""
    probes = _probes(options.probe)
    if options.encoding:
        find_encoding(options.encoding)  # a wrong name is said before anything is measured
    for file in (options.page, options.out):
        _require_place(file)
    require_extra("probing a model")
    import torch

    from ...probe.harness import export_tasks
    from ...probe.measure import Settings, measure
    from ...probe.models import FolderProber, find_prober
    from ...probe.profile import LEGEND, find_profile, lines_left_out, profile_page, profile_table, to_json

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidOptionError("device 'cuda' was asked for, but torch finds no GPU here.", hint="use --device cpu.")
    model = find_prober(options.model, device)
    settings = Settings(lengths=options.lengths, number=options.number, shots=options.shots, seed=options.seed)
    if options.export:
        if not isinstance(model, FolderProber):
            raise InvalidOptionError(
                "--export writes text, so it needs a tokenizer; a Python object has none.", hint="name a folder."
            )
        written = export_tasks(model, probes, settings, Path(options.export))
        too_long = sum(len(lengths_of(probe, settings.lengths)) for probe in probes) - len(written)
        note = f"; {too_long} left out, which are too long for the model" if too_long else ""
        print(f"{len(written)} tasks: {Path(options.export).resolve()}{note}", file=sys.stderr)
        return 0
    with passing_line(hidden=options.json) as show:
        measured = measure(
            model, probes, settings, options.out, lambda name, length: show(f"{name}, length {length:,} …")
        )
    findings = find_profile(measured, model, options.encoding)
    if options.page:
        write_text(options.page, profile_page(model, findings).to_html())
        print(f"page: {Path(options.page).resolve()}", file=sys.stderr)
    if options.json:
        print_json({"model": model.name, "findings": to_json(findings)})
        return 0
    print(profile_table(findings).to_text(width(), paint))
    print()
    for line in lines_left_out(findings):
        print(paragraph(line))
    print(paragraph(LEGEND))
    return 0
