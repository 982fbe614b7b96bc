"""`lengthwise reproduce`: the experiments of a paper, published figures beside measured ones."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...encodings.core.choice import split_names
from ...errors import InvalidOptionError
from ...experiment.engines.local import Local, choose_device
from ...experiment.estimates import estimate_work, gpu_minutes
from ...experiment.models import model_path, models_folder
from ...experiment.plan import Run, StackPlan, make_runs
from ...experiment.run import run_experiment
from ...experiment.spec import Spec
from ...experiment.store import Result, read_store
from ...experiment.trials import Trials, trials_file
from ...experiment.workload import Work
from ...files import keep_input, make_folder_of, write_text
from ...papers.catalog import PAPERS, find_paper
from ...papers.interface import ALL, Comparison
from ...report.pages import Document, Heading
from ..arguments import add_report_arguments, add_training_arguments
from ..durations import show_duration
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
  lengthwise reproduce all --quick                             one small cell of every paper, to see that all of it runs

Finished models are kept in the store and never trained again: after an interruption, the same command trains what is
missing. Meant for a GPU; training needs torch: pip install '.[train]' in the clone"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paper", metavar="PAPER", help="the paper's name, for example huang2025 (see 'list papers'), or all"
    )
    parser.add_argument("--quick", action="store_true", help="leave out large models, or train small ones briefly")
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
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="models for each setting of a cell (default: 5, or what the paper needs)"
    )
    parser.add_argument("--store", metavar="FILE", help="where results are kept (default: PAPER.sqlite)")
    add_report_arguments(parser, default=None, usual="PAPER.html; with --dry-run, none")
    parser.add_argument(
        "--dry-run", action="store_true", help="train nothing; show the results so far and the work left"
    )
    add_training_arguments(parser)


def run(options: Namespace) -> int:
    """Train what is missing of a paper's cells, then print and write what was published beside what was measured."""
    if options.paper == ALL:
        return _run_smoke_test(options)
    paper = find_paper(options.paper)
    parts = [name.strip() for group in options.part or [] for name in group.split(",")]
    only = [name for group in options.only or [] for name in split_names(group)]
    cells = paper.select(parts, only)
    seeds = paper.usual_seeds if options.seeds is None else options.seeds
    experiments = paper.experiments(cells, quick=options.quick, seeds=seeds)
    page = options.out or (None if options.dry_run else f"{paper.name}.html")
    store = options.store or f"{paper.name}.sqlite"
    keep_input(store)
    for path in filter(None, (page, options.markdown)):
        make_folder_of(path)
    trainer = StoreTrainer(store=store, options=options)
    _show([experiment.measure(trainer) for experiment in experiments], page, options)
    return 0


def _run_smoke_test(options: Namespace) -> int:
    """Train one small cell of each paper with one seed, and show what came of it."""
    if not options.quick or options.part or options.only:
        raise InvalidOptionError(
            "'reproduce all' is a smoke test: one small cell of each paper. It needs --quick and takes neither --part nor --only.",
            hint="lengthwise reproduce all --quick; to repeat a paper, name it.",
        )
    for path in filter(None, (options.out, options.markdown)):
        make_folder_of(path)
    seeds = 1 if options.seeds is None else options.seeds
    comparisons: list[Comparison] = []
    titles: list[str] = []
    for number, paper in enumerate(PAPERS.values(), start=1):
        store = options.store or f"{paper.name}.sqlite"
        keep_input(store)
        trainer = StoreTrainer(store=store, options=options)
        trainer.say(f"{number}/{len(PAPERS)} {paper.name}: {', '.join(paper.smoke)}")
        for experiment in paper.experiments(paper.select(only=paper.smoke), quick=True, seeds=seeds):
            comparisons.append(experiment.measure(trainer))
            titles.append(paper.name)
    _show(comparisons, options.out, options, titles)
    return 0


def _show(comparisons: Sequence[Comparison], page: str | None, options: Namespace, titles: Sequence[str] = ()) -> None:
    """Print comparisons, under titles if there are any, and write the files that were asked for."""
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
        texts = [comparison.brief(narrow=True).to_text(width(), paint) for comparison in comparisons]
        if titles:
            texts = [f"{paint(title, 'bold')}\n\n{text}" for title, text in zip(titles, texts, strict=True)]
        print("\n\n".join(texts))
    if page is not None:
        print(f"report: {Path(page).resolve()}", file=sys.stderr)


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

    def model_file(self, run_id: str) -> Path:
        """Return the file of a kept model."""
        return model_path(models_folder(self.store), run_id)

    def train(self, specs: Sequence[Spec], stage: str = "", *, keep: bool = False) -> list[Result]:
        """Return the results of these specs, after training those that the store does not hold."""
        if self.is_dry_run:
            return self._look(specs, stage)
        if not specs:
            return []

        def begin(stacks: list[StackPlan], reused: int) -> None:
            if stacks:
                self.say(f"estimate: {self._estimate(stacks, reused)}")
            bars.begin(stacks, reused)

        with Bars(quiet=self.options.json) as bars:
            outcome = run_experiment(
                specs,
                self.store,
                workers=self.options.workers,
                device=self.options.device,
                models_per_stack=self.options.models_per_stack,
                seconds_per_checkpoint=self.options.checkpoint_every,
                keep=keep,
                on_plan=begin,
                on_event=bars.update,
            )
        return list(outcome.results)

    def _estimate(self, stacks: list[StackPlan], reused: int) -> str:
        """Return how long the work takes on this machine, in a sentence."""
        runs = tuple(run for stack in stacks for run in stack.runs if run.id not in stack.finished)
        workers = Local().count_workers(self.options.workers, self.device)
        work = Work(runs=runs, stacks=stacks, reused=reused, workers=workers, device=self.device)
        estimate = estimate_work(work, Trials(trials_file()))
        return f"about {show_duration(estimate.seconds)} on {self.device}, at most {show_duration(estimate.most)}, for {_work(runs)}."

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
        minutes = f" About {gpu_minutes(missing):,.1f} minutes on an H200 if no run stops early." if missing else ""
        self.say(f"dry run: {len(missing)} of {len(runs)} {models} are still to be trained{work}.{minutes}")
        return results


def _work(runs: Sequence[Run]) -> str:
    steps = sum(run.training.steps for run in runs)
    if not any(run.training.stop_early for run in runs):
        return f"{steps:,} model·steps"
    return f"up to {steps:,} model·steps, as a model stops at 100 % on all training lengths"
