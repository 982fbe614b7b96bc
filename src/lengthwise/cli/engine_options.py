"""Where to train, as options: this machine, or a cluster."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..errors import UsageError
from ..experiment.engines.cluster_engine import MOST_JOBS, USUAL_JOBS
from ..experiment.engines.engine import Engine
from ..experiment.engines.local import Local
from .arguments import whole_number


def add_engine_options(parser: ArgumentParser) -> None:
    """Add where stacks are trained."""
    group = parser.add_argument_group("on a cluster (docs/guides/clusters.md)")
    group.add_argument(
        "--engine", choices=("local", "slurm", "ray"), default="local", help="where to train (default: this machine)"
    )
    group.add_argument(
        "--jobs", type=whole_number(1, MOST_JOBS), metavar="N", help=f"jobs at once at most (default: {USUAL_JOBS})"
    )
    group.add_argument(
        "--work-folder", metavar="DIR", help="a folder that all nodes share (default: beside the store, STORE.work)"
    )
    group.add_argument(
        "--slurm",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of sbatch, such as partition=gpu, time=04:00:00, mem=8G, gpus=1 (may be given more than once)",
    )
    group.add_argument("--ray-address", metavar="HOST:PORT", help="the Ray cluster (default: auto)")


def engine_of(options: Namespace) -> Engine:
    """Return the engine that the options name; raise if some are of another one."""
    of_engine = {
        "jobs": ("slurm", "ray"),
        "work_folder": ("slurm", "ray"),
        "slurm": ("slurm",),
        "ray_address": ("ray",),
    }
    for name, engines in of_engine.items():
        if getattr(options, name) and options.engine not in engines:
            raise UsageError(
                f"--{name.replace('_', '-')} is for the engine {' or '.join(engines)}; the engine is {options.engine}.",
                hint=f"add --engine {engines[0]}.",
            )
    shared = {"jobs": options.jobs or USUAL_JOBS, "folder": options.work_folder}
    if options.engine == "slurm":
        from ..experiment.engines.slurm import Slurm

        return Slurm(**shared, options=dict(map(_option, options.slurm)))
    if options.engine == "ray":
        from ..experiment.engines.ray import Ray

        return Ray(**shared, address=options.ray_address or "auto")
    return Local()


def _option(text: str) -> tuple[str, str]:
    """Return name and value of an option of sbatch; one without a value is a switch."""
    name, _, value = text.partition("=")
    return name.strip().lstrip("-"), value.strip()
