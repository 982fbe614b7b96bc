"""`lengthwise relations`: which positions a task reads, as equations, and whether a transformer given them extrapolates."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from ...errors import InvalidOptionError
from ...extras import require_extra
from ...files import make_folder_of, write_text
from ..text import colour, paragraph, print_json, table

if TYPE_CHECKING:
    from ...train.relation_search import Found
    from ...train.relation_training import Trained

_MOST_SCALES, _MOST_SEEDS = 64, 100
EXAMPLES = """\
examples:
  lengthwise relations odds_first
  lengthwise relations swap_pairs --scales 8 --train --seeds 3
  lengthwise relations 'transpose(3)' --scales 8 --svg transpose.svg
  lengthwise relations 'add_columns(2, unequal)' --json
"""
STANDING = (
    "The family of relations and the search are ours; the theory is our reconstruction of arXiv 2510.04130. u is the index of a symbol "
    "in its part of the prompt, S the size of that part, t the index of the token to write; i is the key, q the query, n the scale."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("task", metavar="TASK", help="a task with answers")
    parser.add_argument(
        "--scales", type=int, default=12, metavar="N", help="the largest scale to look at (default: 12)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the instances that are looked at (default: 0)")
    parser.add_argument("--train", action="store_true", help="also train transformers that know the relations")
    parser.add_argument("--seeds", type=int, default=1, metavar="K", help="for --train: how many (default: 1)")
    parser.add_argument("--layers", type=int, default=1, metavar="K", help="for --train (default: 1)")
    parser.add_argument(
        "--heads", type=int, metavar="K", help="for --train (default: a power of 2, one for each relation)"
    )
    parser.add_argument("--width", type=int, default=32, metavar="D", help="for --train (default: 32)")
    parser.add_argument("--steps", type=int, default=1500, metavar="K", help="for --train, at most (default: 1500)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="for --train (default: cpu)")
    parser.add_argument("--svg", metavar="FILE", help="draw where the relations point to this file")


def run(options: Namespace) -> int:
    """Search, print what was found, and train if asked to."""
    for name, most in (
        ("scales", _MOST_SCALES),
        ("seeds", _MOST_SEEDS),
        ("layers", 64),
        ("heads", 64),
        ("width", 4096),
        ("steps", 10**6),
    ):
        value = getattr(options, name)
        if value is not None and not 1 <= value <= most:
            raise InvalidOptionError(f"--{name} {value} is not allowed: 1 to {most}.", hint=f"leave --{name} out.")
    require_extra("looking for relations")
    if options.train:
        from ...experiment.engines.local import choose_device
        from ...model.shape import Shape

        choose_device(options.device)
        if options.heads is not None:
            Shape(
                layers=options.layers, heads=options.heads, width=options.width
            )  # raises if heads do not divide the width
    if options.svg is not None:
        make_folder_of(options.svg)
    from ...tasks.core.catalog import find_task
    from ...train.relation_search import find_relations
    from ...train.relation_training import train_with

    def report(text: str) -> None:
        if not options.json:
            print(colour(f"  {text}", "dim", sys.stderr), file=sys.stderr, flush=True)

    task = find_task(options.task)
    tested = [scale for times in (2, 4) for scale in _at(task, times * options.scales)]
    found = find_relations(task, scales=options.scales, tested=tested, seed=options.seed, report=report)
    trained = None
    if options.train and found.encoding is not None:
        trained = train_with(
            task,
            found.encoding,
            scales=options.scales,
            tested=tested,
            layers=options.layers,
            heads=options.heads or max(2, 1 << (len(found.relations) - 1).bit_length()),
            width=options.width,
            steps=options.steps,
            seeds=range(options.seeds),
            device=options.device,
            report=report,
        )
    if options.svg is not None:
        from ...report.relations_picture import draw_relations

        write_text(options.svg, draw_relations(found, task, min(options.scales, 10)))
    if options.json:
        print_json(found.to_json() | ({} if trained is None else {"trained": trained.to_json()}))
        return 0
    _print(found, trained, options)
    return 0


def _at(task: object, scale: int) -> list[int]:
    """Return the scale, if the task has instances of it."""
    try:
        return list(task.lengths(scale, scale))  # type: ignore[attr-defined]
    except InvalidOptionError:
        return []


def _print(found: Found, trained: Trained | None, options: Namespace) -> None:
    standing = (
        "all positions that it reads were found" if found.complete else "not all positions that it reads were found"
    )
    print(
        f"{colour(found.task, 'bold')}: {standing} ({found.num_candidates:,} relations tried, {found.seconds:.0f} s)\n"
    )
    for equation in found.equations:
        print(f"  {equation}")
    if not found.relations:
        print("  no relation of the family predicts anything about the next token")
    rows = [("lookup table", *(f"{share:.0%}" for share in found.table.values()), "")]
    for seed, shares in enumerate([] if trained is None else trained.shares):
        rows.append(
            (
                f"transformer, seed {seed}",
                *(f"{shares.get(scale, 0.0):.0%}" for scale in found.table),
                _told(trained, seed),
            )
        )
    print(f"\n{table(('exact match', *(f'n = {scale}' for scale in found.table), ''), rows)}\n")
    if found.guarded is None:
        print(
            paragraph(
                "A part of the prompt begins at a position that the scale does not determine. No encoding here supports such "
                "relations, so there is nothing to train."
            )
        )
    elif found.encoding is not None:
        print(f"encoding: {found.encoding}")
        if not options.train:
            print("train it:  the same command with --train")
    if options.svg is not None:
        print(f"written:   {options.svg}")
    print(f"\n{paragraph(STANDING)}")


def _told(trained: Trained | None, seed: int) -> str:
    assert trained is not None
    return f"fitted {trained.fitted[seed]:.0%} in {trained.steps} steps"
