"""`lengthwise run`: train models and compare them with the prediction."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import replace

from ...encodings.core.choice import split_names
from ...errors import InvalidOptionError, unknown_name
from ...experiment.models import models_folder
from ...experiment.spec import Spec, load_spec
from ...files import make_folder_of
from ...model.shape import SWITCHES
from ...report.measured import run as run_spec
from ..arguments import add_encoding_argument, add_report_arguments, add_store_argument, add_training_arguments
from ..progress import Bars
from .report import publish

EXAMPLES = """\
examples:
  lengthwise run bin_majority parity '(aa)*' --encoding nope,ape --seeds 3 --train-length 12 --test-length 36
  lengthwise run unique_copy --encoding 'nope,alibi,rope(base=500000)' --switch log_n,qk_norm
  lengthwise run experiment.toml

Finished models are kept in the store and never trained again: after an interruption, the same command trains what is
missing. Training needs torch: pip install '.[train]' in the clone"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", nargs="+", metavar="TASK", help="tasks, languages or expressions; or one spec (.toml)")
    add_encoding_argument(parser)
    parser.add_argument(
        "--switch",
        action="append",
        metavar="S",
        help=f"switches of the model, separated by commas: {', '.join(SWITCHES)}",
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="models per task and encoding (default: 3)")
    parser.add_argument("--train-length", type=int, metavar="N", help="longest input in training (default: 10)")
    parser.add_argument(
        "--test-length",
        type=_test_length,
        metavar="N",
        help="longest input at test (default: 30), or several test lengths separated by commas",
    )
    parser.add_argument(
        "--steps", type=int, metavar="N", help="most training steps (default: see docs/reference/spec.md)"
    )
    parser.add_argument(
        "--hard", action="store_true", default=None, help="also test on hard instances (docs/concepts/hard-tests.md)"
    )
    parser.add_argument(
        "--success-at",
        type=float,
        metavar="K",
        help="judge success at K times the training length (default: 3, if that is tested)",
    )
    parser.add_argument(
        "--room",
        type=int,
        metavar="N",
        help="longest input that encodings with a table of positions, or with random ones, are made for (default: 3 times "
        "the training length)",
    )
    parser.add_argument(
        "--generate",
        action="store_true",
        default=None,
        help="also decode some instances token by token, and report the difference",
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the trained models in a folder beside the store, for 'inspect'"
    )
    add_training_arguments(parser)
    add_store_argument(parser)
    add_report_arguments(parser)


def _test_length(text: str) -> int | tuple[int, ...]:
    """Return the longest length to test at, or the lengths that are listed."""
    try:
        lengths = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number, nor numbers separated by commas") from None
    return lengths if "," in text else lengths[0]


def run(options: Namespace) -> int:
    """Train what is missing, then print and write the report."""
    spec = spec_of(options)
    make_folder_of(options.out)
    with Bars(quiet=options.json) as bars:
        found = run_spec(
            spec,
            options.store,
            workers=options.workers,
            device=options.device,
            models_per_stack=options.models_per_stack,
            seconds_per_checkpoint=options.checkpoint_every,
            keep=options.keep,
            on_plan=bars.begin,
            on_event=bars.update,
        )
    publish(found, options)
    if options.keep:
        print(f"models: {models_folder(options.store).resolve()}", file=sys.stderr)
    return 0


def spec_of(options: Namespace) -> Spec:
    """Return the spec of a file, or of the tasks and options given."""
    files = [what for what in options.what if what.lower().endswith(".toml")]
    if files:
        given = [f"--{name.replace('_', '-')}" for name in _SPEC_OPTIONS if getattr(options, name) is not None]
        others = list(options.what)
        others.remove(files[0])
        if others or given:
            raise InvalidOptionError(
                f"the spec {files[0]!r} stands alone; found {', '.join([*others, *given])} beside it.",
                hint="put everything into the spec, or name tasks and options without one.",
            )
        return load_spec(files[0])
    chosen = {name: getattr(options, name) for name in _SPEC_OPTIONS if getattr(options, name) is not None}
    encodings = chosen.pop("encoding", None)
    if encodings is not None:
        chosen["encodings"] = tuple(name for group in encodings for name in split_names(group))
    steps, named = chosen.pop("steps", None), chosen.pop("switch", [])
    switches = [name.strip() for group in named for name in group.split(",")]
    for name in switches:
        if name not in SWITCHES:
            raise unknown_name("switch", name, SWITCHES)
    spec = Spec(tasks=tuple(options.what), **chosen)
    if switches:
        spec = replace(spec, model=replace(spec.model, **dict.fromkeys(switches, True)))
    return spec if steps is None else replace(spec, training=replace(spec.training, steps=steps))


_SPEC_OPTIONS = (
    "encoding",
    "switch",
    "seeds",
    "train_length",
    "test_length",
    "steps",
    "hard",
    "generate",
    "success_at",
    "room",
)
