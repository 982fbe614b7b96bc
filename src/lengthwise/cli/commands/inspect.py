"""`lengthwise inspect`: look inside a model that was kept: product functions, limits, margins, attention by length."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from ...errors import InvalidOptionError
from ...extras import require_extra
from ...files import make_folder_of, write_text
from ...report.numbers import percent
from ..arguments import add_store_argument
from ..failures import print_failures, run_in_print, tested_on
from ..learned_relations import draw_relations_of, relation_lines, relations_to_json
from ..text import colour, paragraph, passing_line, print_json, table

if TYPE_CHECKING:
    from ...experiment.plan import Run
    from ...model.inspection.functions import Findings
    from ...model.inspection.inspect import Head, Inspection
    from ...report.inspection import FunctionPicture

EXAMPLES = """\
examples:
  lengthwise run unique_copy --encoding ape --keep       train, and keep the models
  lengthwise inspect 3f2a                                one of them, by the beginning of its id
  lengthwise inspect 3f2a --failures                     where it breaks, with failing examples
  lengthwise inspect 3f2a --failures --hard pumped       the same on hard instances of a kind
  lengthwise inspect 3f2a --failures --lengths 61-120    at lengths beyond those that were tested
  lengthwise inspect 3f2a --svg inspect.svg              functions of positions as a picture
  lengthwise inspect model.safetensors --tau 1 --json    against the limit with local functions up to distance 1
  lengthwise inspect 3f2a --cut 1 20                     would it last if a layer saw no further back?

What the numbers mean: docs/guides/inspect.md. Needs torch: pip install '.[train]' in the clone"""

_PRODUCT = (
    "'product' is the product function of the weights alone, as in arXiv 2410.02140 and its released code. This model has layer "
    "norms, so only its shape means something, not its size. "
)
_MEASURED = (
    "'measured' is the mean score that softmax gets. A number that a query adds to all keys alike is subtracted first, because "
    "softmax does not see it."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what", metavar="RUN", help="the id of a run that was trained with --keep, or a file (.safetensors)"
    )
    add_store_argument(parser)
    parser.add_argument(
        "--failures",
        action="store_true",
        help="show where the model breaks instead: the first wrong position, margin and attention by length, failing examples",
    )
    parser.add_argument(
        "--hard", metavar="KIND", help="with --failures: on hard instances of a kind (docs/concepts/hard-tests.md)"
    )
    parser.add_argument(
        "--lengths",
        metavar="LOW-HIGH",
        help="with --failures: at these lengths, which may be longer than the tested ones (default: 1 to the longest tested one)",
    )
    parser.add_argument("--svg", metavar="FILE", help="draw functions, margins and attention to this file")
    parser.add_argument(
        "--tau",
        type=int,
        metavar="N",
        help="compare with functions that are local within distance N (default: the nearest)",
    )
    parser.add_argument(
        "--period",
        type=int,
        metavar="N",
        help="and periodic with period N beyond; 1 is constant (default: the nearest)",
    )
    parser.add_argument(
        "--cut",
        type=int,
        nargs="+",
        action="extend",
        default=[],
        metavar="N",
        help="measure again while one layer at a time sees no key more than N tokens back, for all queries and for input queries only, "
        "at the training length, the longest length and one between",
    )
    parser.add_argument("--task", metavar="TASK", help="the task of the model, where that is a file of yours")
    parser.add_argument("--encoding", metavar="FILE", help="the encoding of the model, where that is a file of yours")
    parser.add_argument(
        "--instances",
        type=int,
        default=100,
        metavar="N",
        help="how many instances to measure at each length (default: 100)",
    )


def run(options: Namespace) -> int:
    """Print what is inside a kept model."""
    if not 1 <= options.instances <= 100_000:
        raise InvalidOptionError(
            f"--instances must be from 1 to 100000; found {options.instances}.", hint="correct the value."
        )
    require_extra("looking into models")
    from ...encodings.core.choice import find_encoding
    from ...experiment.models import find_model, load_model
    from ...model.inspection.inspect import inspect_model
    from ...tasks.core.catalog import find_task
    from ...train.terms import evaluate_terms

    given = None if options.task is None else find_task(options.task)
    model, run, task = load_model(find_model(options.what, options.store), given, options.encoding)
    if options.failures:
        print_failures(model, run, tested_on(task, run, given, options.hard), options)
        return 0
    for name in ("hard", "lengths"):
        if getattr(options, name) is not None:
            raise InvalidOptionError(
                f"--{name} chooses what --failures looks at, and --failures is not given.", hint="add it."
            )
    if options.svg is not None:
        make_folder_of(options.svg)
    with passing_line(hidden=options.json) as show:
        found = inspect_model(
            model,
            task,
            run.bins[0].high,
            run.bins[-1].high,
            tau=options.tau,
            period=options.period,
            cuts=list(dict.fromkeys(options.cut)),
            instances=options.instances,
            report=show,
        )
    terms = {name: values.tolist()[0] for name, values in evaluate_terms(model).items()}
    learns = find_encoding(options.encoding or run.encoding).learns_relations
    if options.svg is not None:
        if learns:
            draw_relations_of(model, run, task, options.svg)
        else:
            _draw(run, found, options.svg)
        print(f"wrote {options.svg}", file=sys.stderr)
    if options.json:
        print_json(_to_json(run, found, terms) | (relations_to_json(model, run) if learns else {}))
        return 0
    print("\n".join(_lines(run, found, terms, relation_lines(model, run) if learns else [])))
    return 0


def _title(run: Run, found: Inspection) -> str:
    return f"{run_in_print(run)}: trained up to length {found.trained_length} ({found.trained} tokens)"


def _name(layer: int, head: int) -> str:
    return f"layer {layer + 1}, head {head + 1}"


# Text


def _lines(run: Run, found: Inspection, terms: dict[str, float], learned: Sequence[str]) -> list[str]:
    lines = [colour(_title(run, found), "bold"), "", *learned]
    if not found.has_positions:
        lines += [
            paragraph(f"{run.encoding} adds no positions to the input, so it has no product functions."),
            "",
        ]
    functions = [
        (_name(head.layer, head.head), kind, own)
        for head in found.heads
        for kind, own in (("product", head.product), ("measured", head.measured))
        if own is not None
    ]
    shapes = [[name, kind, *_shape(own)] for name, kind, own in functions]
    limits = [[name, kind, *_limit(own)] for name, kind, own in functions]
    lines += [
        "How positions change the scores; 'beyond' is past the training length:",
        table(("head", "function", "largest", "beyond", "by i − j", "beyond", "τ 95 %", "period", "wave"), shapes),
        "",
        "The nearest local and periodic function, and the distance to it:",
        table(("head", "function", "local", "period", "within", "rest", "residual", "beyond", "departs at"), limits),
        "",
        paragraph(_PRODUCT * found.has_positions + _MEASURED),
        "",
        *_by_length(found),
        "",
        *_by_cut(found),
        "Terms of R(T):",
        table(("term", "value", "formula"), _term_rows(terms)),
    ]
    return lines


def _shape(found: Findings) -> list[str]:
    return [
        f"{found.largest:.3g}",
        "–" if found.largest_beyond is None else f"{found.largest_beyond:.3g}",
        percent(found.invariant, "%"),
        percent(found.invariant_beyond, "%"),
        "–" if found.tau is None else str(found.tau),
        f"{found.period} ({found.periodic:.0%})" if found.period > 1 and found.periodic is not None else "none",
        "–" if found.wavelength is None or found.wave is None else f"{found.wavelength:.1f} ({found.wave:.0%})",
    ]


def _limit(found: Findings) -> list[str]:
    limit = found.limit
    return [
        f"up to {limit.tau}",
        str(limit.period),
        percent(found.within_tau, "%"),
        percent(found.rest, "%"),
        percent(limit.residual, "%"),
        "–" if limit.beyond is None else f"{limit.beyond:.2f} ×",
        "–" if limit.departs_at is None else str(limit.departs_at),
    ]


def _by_length(found: Inspection) -> list[str]:
    places = [(head.layer, head.head) for head in found.heads]
    usual = {place: found.usual_distance(*place) for place in places}
    rows = []
    for at in found.lengths:
        own = [_marked(at.length, found), f"{at.matched:.1%}", f"{at.right:.1%}", f"{at.margin:.2f}", f"{at.low:.2f}"]
        by_place = {(head.layer, head.head): head for head in at.heads}
        for place in places:
            head = by_place[place]
            parts = [f"{head.largest:.2f}", f"{head.entropy:.2f}"]
            distance = usual[place]
            if distance is not None:
                parts.append(f"{head.at_distance(distance):.2f}")
            if head.unseen is not None:
                parts.append(f"[{head.unseen:.1%}]")
            if head.unseen_of_input is not None:
                parts.append(f"input [{head.unseen_of_input:.1%}]")
            own.append(", ".join(parts))
        rows.append(own)
    titles = [f"head {layer + 1}.{head + 1}" for layer, head in places]
    watched = [
        f"head {layer + 1}.{head + 1} attends {_back(distance)}"
        for (layer, head), distance in usual.items()
        if distance is not None
    ]
    legend = (
        "By length (* longer than in training): exact match, the share of correct answers, and the mean and 1 % quantile of their "
        "margin. For each head: its largest attention weight, its entropy in nats"
        + (f", its weight at its usual distance ({'; '.join(watched)})" if watched else "")
        + ", and in brackets the weight on keys at distances never seen in training, over the queries that have such keys; 'input' "
        "counts only queries of the input, and distances that these never had."
    )
    return [paragraph(legend), table(("length", "match", "right", "margin", "low", *titles), rows)]


def _by_cut(found: Inspection) -> list[str]:
    if not found.cuts:
        return []
    lengths = list(found.cuts[0].matched)
    uncut = {at.length: at.matched for at in found.lengths}
    rows = [["–", "all", "all", *(percent(uncut[length], "%") for length in lengths)]]
    for outcome in found.cuts:
        who = "of the input" if outcome.cut.of_input else "all"
        rows.append(
            [
                str(outcome.cut.layer + 1),
                f"{outcome.cut.distance} back",
                who,
                *(percent(share, "%") for share in outcome.matched.values()),
            ]
        )
    legend = (
        "Exact match by length when one layer sees no further back. The input ends before the first scored position."
    )
    titles = [_marked(length, found) for length in lengths]
    return [paragraph(legend), table(("layer", "sees", "queries", *titles), rows), ""]


def _marked(length: int, found: Inspection) -> str:
    return f"{length}" if length <= found.trained_length else f"{length} *"


def _back(distance: int) -> str:
    return "to the token itself" if distance == 0 else f"{distance} back"


def _term_rows(terms: dict[str, float]) -> list[list[str]]:
    from ...train.terms import TERMS

    return [[name, f"{value:.4g}", TERMS[name].formula] for name, value in terms.items()]


# Data


def _to_json(run: Run, found: Inspection, terms: dict[str, float]) -> dict[str, Any]:
    return {
        "run": run.id,
        "settings": run.settings,
        "trained_length": found.trained_length,
        "trained_tokens": found.trained,
        "heads": [
            {
                "layer": head.layer + 1,
                "head": head.head + 1,
                "looks_back": found.usual_distance(head.layer, head.head),
                "product": None if head.product is None else _plain(asdict(head.product)),
                "measured": _plain(asdict(head.measured)),
            }
            for head in found.heads
        ],
        "lengths": [_plain(asdict(at)) for at in found.lengths],
        "cuts": [
            {
                "layer": outcome.cut.layer + 1,
                "distance": outcome.cut.distance,
                "of_input": outcome.cut.of_input,
                "matched": {str(length): share for length, share in outcome.matched.items()},
            }
            for outcome in found.cuts
        ],
        "terms": terms,
    }


def _plain(value: Any) -> Any:
    """Return data that JSON has: lists for tuples, null for what is no number; layers and heads count from 1."""
    if isinstance(value, dict):
        return {key: each + 1 if key in ("layer", "head") else _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


# Pictures


def _draw(run: Run, found: Inspection, path: str) -> None:
    from ...report.inspection import HeadPicture, draw_inspection

    heads = [
        HeadPicture(
            name=_name(head.layer, head.head),
            product=_picture(head, head.product, of_product=True),
            measured=_measured(head),
        )
        for head in found.heads
    ]
    lengths = [at.length for at in found.lengths]
    drawn = draw_inspection(_title(run, found), heads, lengths, found.trained_length, _plots(found))
    write_text(path, drawn)


def _picture(head: Head, found: Findings | None, *, of_product: bool) -> FunctionPicture | None:
    from ...report.inspection import FunctionPicture

    values = head.product_NN if of_product else head.measured_NN
    return None if found is None or values is None else FunctionPicture(values=values.tolist(), findings=found)


def _measured(head: Head) -> FunctionPicture:
    picture = _picture(head, head.measured, of_product=False)
    assert picture is not None
    return picture


def _plots(found: Inspection) -> Sequence[Any]:
    from ...report.inspection import LengthPlot

    by_length = found.lengths
    places = [(head.layer, head.head) for head in found.heads]

    def line(place: tuple[int, int], field: str) -> tuple[str, tuple[float, ...], bool]:
        own = [next(head for head in measured.heads if (head.layer, head.head) == place) for measured in by_length]
        return f"{place[0] + 1}.{place[1] + 1}", tuple(getattr(head, field) for head in own), False

    return (
        LengthPlot(
            title="exact match, right answers",
            lines=(
                ("match", tuple(measured.matched for measured in by_length), False),
                ("right", tuple(measured.right for measured in by_length), True),
            ),
        ),
        LengthPlot(
            title="logit margin",
            lines=(
                ("mean", tuple(measured.margin for measured in by_length), False),
                ("1 % quantile", tuple(measured.low for measured in by_length), True),
            ),
        ),
        LengthPlot(title="largest attention weight", lines=tuple(line(place, "largest") for place in places)),
        LengthPlot(title="entropy of attention, nats", lines=tuple(line(place, "entropy") for place in places)),
    )
