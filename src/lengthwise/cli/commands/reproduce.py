"""`lengthwise reproduce`: the experiments of a paper, published figures beside measured ones."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...encodings.core.choice import split_names
from ...experiment.engines.local import choose_device
from ...experiment.plan import Run, StackPlan, make_runs
from ...experiment.run import run_experiment
from ...experiment.spec import Spec
from ...experiment.store import Result, read_store
from ...files import keep_input, make_folder_of, write_text
from ...papers.catalog import find_paper
from ...report.pages import Document, Heading
from ..arguments import add_report_arguments, add_training_arguments
from ..progress import Bars
from ..text import paint, print_json, width

EXAMPLES = """\
examples:
  lengthwise reproduce huang2025 --quick                       12 of the 16 cells: those without 12 layers
  lengthwise reproduce huang2025 --quick --dry-run             published figures, results so far, and the work left
  lengthwise reproduce huang2025 --only unique_copy parity --seeds 10
  lengthwise reproduce huang2025 --quick --out page.html --markdown table.md
  lengthwise reproduce huang2025 --part distances_g7 --dry-run     an experiment of the appendix
  lengthwise reproduce chen2025 --only copy,rope,lbpe --quick      three cells of a grid, small models only
  lengthwise reproduce chen2025 --part first plain                 the grid, with and without the length correction

Finished models are kept in the store and never trained again: after an interruption, the same command trains what is
missing. Meant for a GPU; training needs torch: pip install '.[train]' in the clone"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paper", metavar="PAPER", help="the paper's name, for example huang2025 (see 'list papers')")
    parser.add_argument("--quick", action="store_true", help="leave out the cells, or the stage, with large models")
    parser.add_argument(
        "--only",
        action="extend",
        nargs="+",
        metavar="NAME",
        help="only these tasks or encodings (default: all)",
    )
    parser.add_argument(
        "--part",
        action="extend",
        nargs="+",
        metavar="PART",
        help="parts of the paper (see 'show paper PAPER'), or all (default: the first)",
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="models per task and encoding (default: 5)")
    parser.add_argument("--store", metavar="FILE", help="where results are kept (default: PAPER.sqlite)")
    add_report_arguments(parser, default=None, usual="PAPER.html; with --dry-run, none")
    parser.add_argument(
        "--dry-run", action="store_true", help="train nothing; show the results so far and the work left"
    )
    add_training_arguments(parser)


def run(options: Namespace) -> int:
    """Train what is missing of a paper's cells, then print and write what was published beside what was measured."""
    paper = find_paper(options.paper)
    parts = [name.strip() for group in options.part or [] for name in group.split(",")]
    only = [name for group in options.only or [] for name in split_names(group)]
    cells = paper.select(parts, only)
    experiments = paper.experiments(cells, quick=options.quick, seeds=options.seeds)
    page = options.out or (None if options.dry_run else f"{paper.name}.html")
    store = options.store or f"{paper.name}.sqlite"
    keep_input(store)
    for path in filter(None, (page, options.markdown)):
        make_folder_of(path)
    trainer = StoreTrainer(store=store, options=options)
    comparisons = [experiment.measure(trainer) for experiment in experiments]
    if page is not None:
        first, *others = [comparison.page() for comparison in comparisons]
        blocks = [block for other in others for block in (Heading(other.title), *other.blocks)]
        write_text(page, Document([*first.blocks, *blocks], title=first.title).to_html())
    if options.markdown:
        texts = [comparison.brief(narrow=False).to_markdown() for comparison in comparisons]
        write_text(options.markdown, "\n".join(texts))
    if options.json:
        data = [comparison.to_json() for comparison in comparisons]
        print_json(data[0] if len(data) == 1 else data)
    else:
        print("\n\n".join(comparison.brief(narrow=True).to_text(width(), paint) for comparison in comparisons))
    if page is not None:
        print(f"report: {Path(page).resolve()}", file=sys.stderr)
    return 0


@dataclass(frozen=True, kw_only=True)
class StoreTrainer:
    """Trains into a store with the options of the command; on a dry run it looks into the store and says what is missing."""

    store: str
    options: Namespace

    @property
    def is_dry_run(self) -> bool:
        """Whether nothing is to be trained."""
        return bool(self.options.dry_run)

    @property
    def device(self) -> str:
        """Where to train."""
        return choose_device(self.options.device)

    def beside_store(self, ending: str) -> Path:
        """Return a file that is called like the store, with another ending."""
        return Path(self.store).with_suffix(f".{ending}")

    def say(self, text: str) -> None:
        """Print a line on stderr, unless JSON was asked for."""
        if not self.options.json:
            print(text, file=sys.stderr)

    def train(self, specs: Sequence[Spec], stage: str = "") -> list[Result]:
        """Return the results of these specs, after training those that the store does not hold."""
        if self.is_dry_run:
            return self._look(specs, stage)
        if not specs:
            return []

        def begin(stacks: list[StackPlan], reused: int) -> None:
            if stacks and self.device == "cpu":
                work = _work([run for stack in stacks for run in stack.runs])
                self.say(f"note: without a GPU this takes long: {work}.")
            bars.begin(stacks, reused)

        with Bars(quiet=self.options.json) as bars:
            outcome = run_experiment(
                specs,
                self.store,
                workers=self.options.workers,
                device=self.options.device,
                models_per_stack=self.options.models_per_stack,
                seconds_per_checkpoint=self.options.checkpoint_every,
                on_plan=begin,
                on_event=bars.update,
            )
        return list(outcome.results)

    def _look(self, specs: Sequence[Spec], stage: str) -> list[Result]:
        """Return what is in the store, and say what there would be to do."""
        runs = make_runs(specs)
        results: list[Result] = []
        if Path(self.store).exists():
            with read_store(self.store) as opened:
                results = opened.results_of(runs)
        finished = {result.id for result in results}
        missing = [run for run in runs if run.id not in finished]
        models = f"models of the stage {stage!r}" if stage else "models"
        work = f", {_work(missing)}" if missing else ""
        self.say(f"dry run: {len(missing)} of {len(runs)} {models} are still to be trained{work}.")
        return results


def _work(runs: Sequence[Run]) -> str:
    steps = sum(run.training.steps for run in runs)
    if not any(run.training.stop_early for run in runs):
        return f"{steps:,} model·steps"
    return f"up to {steps:,} model·steps, as a model stops at 100 % on all training lengths"
