"""`lengthwise run`: train models and compare them with the prediction."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from ...experiment.models import models_folder
from ...experiment.workload import plan_experiment
from ...files import make_folder_of
from ...report.measured import run as run_specs
from ..arguments import add_figure_arguments, add_report_arguments, add_store_argument, add_training_arguments
from ..engine_options import add_engine_options, engine_of
from ..progress import Bars
from ..spec_options import add_spec_options, option_meant, specs_of
from .report import publish, require_outputs

EXAMPLES = """\
examples:
  lengthwise run bin_majority parity '(aa)*' --encoding nope,ape --seeds 3 --train-length 12 --test-length 36
  lengthwise run unique_copy --encoding 'nope,alibi,rope(base=500000)' --switch log_n,qk_norm
  lengthwise run TOMITA_4 --width 16,32,64 --lr 0.001,0.003 --seeds 5 --dry-run
  lengthwise run experiment.toml another.toml --steps 8000
  lengthwise run experiment.toml --engine slurm --slurm partition=cpu --slurm time=04:00:00 --jobs 100

A dry run prints how many models there are to train and how long that takes. Finished models are kept in the store and
never trained again: after an interruption, the same command trains what is missing. Training needs torch:
pip install '.[train]' in the clone"""

suggest_option = option_meant


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what",
        nargs="+",
        metavar="TASK",
        help="tasks, languages or expressions; or specs (.toml), with their own tasks",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="train nothing; print what there is to train and how long it takes"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the trained models in a folder beside the store, for 'inspect'"
    )
    add_training_arguments(parser)
    add_store_argument(parser)
    add_report_arguments(parser)
    add_figure_arguments(parser)
    add_engine_options(parser)
    add_spec_options(parser)


def run(options: Namespace) -> int:
    """Train what is missing, then print and write the report."""
    specs = specs_of(options)
    machine = {name: getattr(options, name) for name in ("workers", "device", "models_per_stack")}
    engine = engine_of(options)
    if options.dry_run:
        from ..dry_run import print_work

        with Bars(quiet=options.json) as bars:
            work = plan_experiment(specs, options.store, **machine, engine=engine, on_event=bars.update)
        print_work(work, options)
        return 0
    require_outputs(options, make_folder_of)
    with Bars(quiet=options.json) as bars:
        found = run_specs(
            specs,
            options.store,
            **machine,
            seconds_per_checkpoint=options.checkpoint_every,
            keep=options.keep,
            engine=engine,
            on_plan=bars.begin,
            on_event=bars.update,
        )
    publish(found, options)
    if options.keep:
        print(f"models: {models_folder(options.store).resolve()}", file=sys.stderr)
    return 0
