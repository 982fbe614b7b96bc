"""`lengthwise complexity`: how many operators a problem needs by scale, and which positions make that number stay the same."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from types import FrameType

from ...encodings.core.choice import split_names
from ...errors import CapExceededError, InvalidOptionError
from ...files import write_text
from ...predict.circuit_opinions import relation_of
from ...tasks.core.catalog import find_task
from ...tasks.core.problems import PROBLEMS, find_problem, problem_of
from ...theory.positions.opinion import IDEAL, Opinion, form_opinions
from ...theory.positions.problem import Problem
from ...theory.positions.relations import RELATIONS, Relation, with_scale
from ..arguments import add_encoding_argument, whole_number
from ..dimensions import print_dimensions
from ..second_opinion import PREDICTED
from ..text import colour, paragraph, print_json, table

_RELATIONS = ("constant", "absolute", "relative", "relative_scaled", IDEAL)
_TITLES = {
    "constant": "nope",
    "absolute": "ape",
    "relative": "rpe",
    "relative_scaled": "rpe, scale hint",
    "t5_bucket": "t5",
}
_MOST_SCALES = 32
_MOST_SECONDS = 86_400
STANDING = (
    "The definitions are our reconstruction of arXiv 2510.04130. It is a conjecture that a problem length-generalizes exactly if "
    "the number does not grow. The number shown is that of the library's circuit."
)


EXAMPLES = """\
examples:
  lengthwise complexity parity_cot                       by scale, without positions, with absolute, relative and ideal ones
  lengthwise complexity repeat_copy --encoding rope,ipe
  lengthwise complexity --dimensions 2 3                 how many targets any position relation extrapolates
  lengthwise complexity 'addition(2)' --encoding rpe --scale-hint
  lengthwise complexity parity_cot --exact 2             the fewest operators of any circuit
  lengthwise complexity 'parity_cot_aligned(6)' --svg parity.svg
  lengthwise complexity --all                            every problem, beside the verdicts
  lengthwise complexity --linear '[j - i < 3]'           linear attention by position alone

problems: copy shift(K) reverse sort running_max odds_first copy_every(K) parity parity_cot parity_cot_aligned addition(BASE)
addition_plain addition_padded mul_1xn mul_nxn div_1 div_1_cot increment, or a task that is one of them."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what", nargs="?", metavar="PROBLEM", help="a problem, a task that is one, or with --linear a formula"
    )
    add_encoding_argument(parser, "encodings or relations, separated by commas; ipe is the ideal")
    parser.add_argument("--scale-hint", action="store_true", help="let positions see the scale too")
    parser.add_argument("--scales", type=int, default=8, metavar="N", help="how many scales (default: 8)")
    parser.add_argument(
        "--exact", type=int, metavar="K", help="also the fewest operators of arity K of any circuit, by search"
    )
    parser.add_argument("--solver", choices=("search", "sat"), help="for --exact (default: search; sat: [solver])")
    parser.add_argument(
        "--seconds",
        type=float,
        default=20.0,
        metavar="S",
        help="stop after this many seconds of CPU time (default: 20)",
    )
    parser.add_argument("--svg", metavar="FILE", help="draw which positions share a label to this file")
    parser.add_argument("--all", action="store_true", help="all problems, beside the verdicts of predict")
    parser.add_argument(
        "--dimensions",
        nargs=2,
        type=whole_number(1, 40),
        metavar=("TRAINED", "TESTED"),
        help="how many targets any position relation can extrapolate between two scales (theorems T2 and T3)",
    )
    parser.add_argument(
        "--linear", action="store_true", help="a matrix A(i, j) instead of a problem: a formula or a name"
    )


def run(options: Namespace) -> int:
    """Print the complexity of one problem under several relations, of all problems, or of a linear target."""
    _check(options)
    if options.dimensions:
        with deadline(options.seconds):
            return print_dimensions(*options.dimensions, hint=options.scale_hint, as_json=options.json)
    if options.all:
        with deadline(options.seconds):
            return _print_all(options)
    if options.linear:
        with deadline(options.seconds):
            return _print_linear(options)
    problem, note = _problem(options.what)
    with deadline(options.seconds):
        opinions = form_opinions(problem, _asked(options), options.scales)
    exact = _exact(options) if options.exact else None
    if options.svg is not None:
        _draw(problem, options)
    if options.json:
        print_json(_to_json(problem, opinions, exact))
        return 0
    if note:
        print(f"note: {note}", file=sys.stderr)
    print("\n".join(_lines(problem, opinions, options.scales)))
    if exact is not None:
        print("\n".join(_exact_lines(exact)))
    print()
    print(paragraph(STANDING))
    return 0


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise a sentence inside when so much CPU time is used; without effect outside of the main thread.

    The timer is that of the process on its processors, so a busy machine changes nothing.
    It is raised in our own code only, and tried again until it is: inside a callback of the garbage collector, say, it would
    be lost.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    own = str(Path(__file__).parents[2])

    def stop(_: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename.startswith(own):
            raise CapExceededError(
                f"this takes more than {seconds:g} s of CPU time.",
                hint="ask for fewer scales or symbols, or for more --seconds.",
            )

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _check(options: Namespace) -> None:
    if not 2 <= options.scales <= _MOST_SCALES:
        raise InvalidOptionError(
            f"--scales is a whole number from 2 to {_MOST_SCALES}; found {options.scales}.",
            hint="for example --scales 12.",
        )
    if not 0 < options.seconds <= _MOST_SECONDS:
        raise InvalidOptionError(
            f"--seconds is a number above 0, at most {_MOST_SECONDS}; found {options.seconds:g}.",
            hint="for example --seconds 60.",
        )
    if options.exact is not None and not 1 <= options.exact <= 8:
        raise InvalidOptionError(
            f"--exact takes the largest arity, from 1 to 8; found {options.exact}.", hint="for example --exact 2."
        )
    if [bool(options.what), options.all, options.dimensions is not None].count(True) != 1:
        raise InvalidOptionError(
            "one of a problem, --all and --dimensions is needed.",
            hint=f"for example: lengthwise complexity {next(iter(PROBLEMS))}",
        )
    given = {
        "--linear": options.linear,
        "--encoding": bool(options.encoding),
        "--scale-hint": options.scale_hint,
        "--exact": options.exact is not None,
        "--solver": options.solver is not None,
        "--svg": options.svg is not None,
    }
    for mode, taken, ignored in (
        ("--dimensions", options.dimensions is not None, ("--linear", "--encoding", "--exact", "--solver", "--svg")),
        ("--all", options.all, ("--linear", "--encoding", "--scale-hint", "--exact", "--solver", "--svg")),
        ("--linear", options.linear, ("--encoding", "--exact", "--solver", "--svg")),
    ):
        for option in ignored:
            if taken and given[option]:
                raise InvalidOptionError(f"{option} has no meaning with {mode}.", hint="leave one of the two out.")
    if given["--solver"] and not given["--exact"]:
        raise InvalidOptionError("--solver has no meaning without --exact.", hint="for example --exact 2 --solver sat.")


def _problem(what: str) -> tuple[Problem, str]:
    """Return the problem of a name, which may be that of a task; with a word of warning where a task is written otherwise."""
    name = what.split("(")[0].strip()
    known = problem_of(what)
    if name not in PROBLEMS:
        if known is None:
            task = None
            with suppress(LookupError):
                task = find_task(what)
            if task is not None:
                raise InvalidOptionError(
                    f"the circuit library has no problem that is written like the task {what!r}.",
                    hint=f"it has {', '.join(PROBLEMS)}.",
                )
        return known or find_problem(what), ""
    note = ""
    if known is not None and known.name.split("(")[0] != name:
        note = f"the task {what!r} is written differently; its circuit here is {known.name!r}."
    return find_problem(what), note


def _asked(options: Namespace) -> list[Relation | str]:
    """Return the relations of the encodings asked for, or the usual ones; for a picture three of these."""
    names = [name for group in options.encoding or [] for name in split_names(group)]
    if not names and options.svg is not None:
        names = ["absolute", "relative", IDEAL]
    elif not names:
        names = [relation for relation in _RELATIONS if not (options.scale_hint and relation == "relative_scaled")]
    return [_relation(name, hint=options.scale_hint) for name in names]


def _relation(name: str, *, hint: bool) -> Relation | str:
    if name in (IDEAL, "ipe"):
        return IDEAL
    found = RELATIONS.get("relative" if name == "rpe" else name) or relation_of(name)
    if found is None:
        raise InvalidOptionError(
            f"no position relation is known for encoding {name!r}, so it has no complexity of this kind.",
            hint=f"use ipe, rpe, one of the relations {', '.join(RELATIONS)}, or an encoding such as nope, ape, t5 or rope.",
        )
    return with_scale(found) if hint else found


def _lines(problem: Problem, opinions: Sequence[Opinion], scales: int) -> list[str]:
    lines = [f"{colour(problem.name, 'bold')}: {problem.definition}"]
    circuit = problem.circuit
    if circuit is not None and circuit.note:
        lines.append(f"  circuit: {circuit.note}")
    if problem.limit is not None:
        lines.append(paragraph(opinions[0].reason, "  "))
    rows = []
    for opinion in opinions:
        found = opinion.complexity
        by_scale = "–" if found is None else " ".join(map(str, found.by_scale))
        growth = "–" if found is None else found.growth
        reason = "" if problem.limit is not None else opinion.reason
        is_ideal = opinion.relation.startswith(IDEAL) and problem.limit is None
        label = "see below" if is_ideal else opinion.formula or "–"
        rows.append((_title(opinion.relation), label, by_scale, growth, PREDICTED[opinion.predicted], reason))
    last = scales if circuit is None else min(scales, circuit.cap)
    lines += ["", *table(("positions", "label", f"at scales 1–{last}", "", "conjectured", "why"), rows).split("\n")]
    if circuit is not None and circuit.cap < scales:
        lines += ["", f"{problem.name} has no scale above {circuit.cap}."]
    if circuit is not None and problem.limit is None:
        lines += ["", *_ideal_lines(problem, opinions)]
    return lines


def _ideal_lines(problem: Problem, opinions: Sequence[Opinion]) -> list[str]:
    """Return which relation keeps the number the same, as equations, and from which scale on."""
    from ...theory.positions.circuits import needs_hint
    from ...theory.positions.relations_ideal import describes, equations_of

    assert problem.circuit is not None
    circuit = problem.circuit
    slots = equations_of(circuit, max_scale=min(8, circuit.cap))
    last = min(24, circuit.cap)
    holds = describes(slots, circuit, last)
    hint = "the scale must be known" if needs_hint(circuit) else "the scale need not be known"
    lines = [f"Positions to read (i the key, q the query, n the scale, t the step); {hint}:"]
    if holds:
        lines += [f"  {slot}" for slot in slots]
        lines.append(f"  compared with the circuit's gates up to scale {last}")
    else:
        lines.append(f"  no small set of equations describes it at all scales up to {last}")
    enough = [opinion.complexity.smallest_scale for opinion in opinions if opinion.complexity and opinion.predicted]
    known = [scale for scale in enough if scale is not None]
    if known:
        lines.append(f"  smallest sufficient training scale: {min(known)}")
    return lines


def _title(relation: str) -> str:
    return _TITLES.get(relation, "ideal (ipe)" if relation.startswith(IDEAL) else relation)


def _to_json(problem: Problem, opinions: Sequence[Opinion], exact: object) -> dict[str, object]:
    return {
        "problem": problem.name,
        "definition": problem.definition,
        "limit": None if problem.limit is None else {"bound": problem.limit.bound, "argument": problem.limit.argument},
        "relations": [
            {
                "relation": opinion.relation,
                "formula": opinion.formula,
                "predicted": opinion.predicted,
                "reason": opinion.reason,
                "by_scale": None if opinion.complexity is None else list(opinion.complexity.by_scale),
                "growth": None if opinion.complexity is None else opinion.complexity.growth,
                "smallest_scale": None if opinion.complexity is None else opinion.complexity.smallest_scale,
            }
            for opinion in opinions
        ],
        "exact": exact,
    }


def _exact(options: Namespace) -> dict[str, object]:
    """Return the exact numbers by scale, as far as they are found within the seconds given; then why there are no more."""
    from ...theory.positions import sat
    from ...theory.positions.search import complexity_by_scale, search

    name = options.solver or "search"
    problem, _ = _problem(options.what)
    found: dict[str, object] = {"arity": options.exact, "solver": name, "stopped": None}
    for key, reduced in (("reduced", True), ("at_most", False)):
        numbers: list[int | None] = []
        found[key] = numbers
        try:
            with deadline(options.seconds):
                for found_at in complexity_by_scale(
                    problem.layout,
                    options.scales,
                    max_arity=options.exact,
                    reduced=reduced,
                    solver=sat.solve if name == "sat" else search,
                ):
                    numbers.append(found_at.num_operators)
                    if found_at.num_operators is None:
                        break
        except CapExceededError as error:
            found["stopped"] = error.message
    return found


def _exact_lines(exact: dict[str, object]) -> list[str]:
    def shown(key: str) -> str:
        numbers = exact[key]
        assert isinstance(numbers, list)
        return ", ".join("∞" if number is None else str(number) for number in numbers) or "–"

    return [
        "",
        f"Fewest operators of any circuit, exactly, at scales 1, 2, … ({exact['solver']}):",
        f"  arity at most {exact['arity']}: {shown('at_most')}",
        f"  every gate with as few operands as it can, at most {exact['arity']}: {shown('reduced')}",
        *([f"  stopped there: {exact['stopped']}"] if exact["stopped"] else []),
    ]


def _draw(problem: Problem, options: Namespace) -> None:
    from ...theory.positions.circuits import ideal
    from ...theory.positions.drawing import draw_relations

    if problem.circuit is None:
        raise InvalidOptionError(f"{problem.name!r} has no circuit to draw.", hint="leave --svg out.")
    relations = [ideal(problem.circuit) if isinstance(relation, str) else relation for relation in _asked(options)]
    write_text(options.svg, draw_relations(problem.circuit, relations, (3, 5)))
    print(f"wrote {options.svg}", file=sys.stderr)


def _print_all(options: Namespace) -> int:
    """Print every problem of the library under the usual relations, beside the verdicts on the task that it is."""
    from ...predict.compare_problems import compare_problems

    rows = compare_problems(options.scales)
    if options.json:
        print_json([row.to_json() for row in rows])
        return 0
    lines = []
    for row in rows:
        verdicts = [row.verdicts[name].answer if name in row.verdicts else "–" for name in ("nope", "ape")]
        lines.append(
            (row.problem, *(PREDICTED[opinion.predicted] for opinion in row.opinions), *map(str, verdicts), row.note)
        )
    header = (
        "problem",
        *(_title(relation) for relation in _RELATIONS),
        "C-RASP nope",
        "C-RASP ape",
        "where they differ, or why",
    )
    print(table(header, lines))
    print()
    print(
        paragraph(
            f"yes: the number of pairs of operator and labels stops growing by half of {options.scales} scales, labels tell the positions "
            "to read from all others, and training meets every pair. C-RASP: the verdict of 'lengthwise predict' on the task, or what "
            "copying implies."
        )
    )
    print(paragraph(STANDING))
    return 0


def _print_linear(options: Namespace) -> int:
    """Print the linear complexity of a target given as a formula or a name, and what encodings make of it."""
    from ...theory.positions.pola import compare, find_guarantee, format_table, linear_complexities
    from ...theory.positions.targets import read_target

    target = read_target(options.what)
    trained, tested, hint = options.scales // 2, options.scales, options.scale_hint
    counts = ["∞" if count == inf else str(count) for count in linear_complexities(target, tested, hint=hint)]
    found = find_guarantee(target, trained, tested, hint=hint)
    row = compare(target, trained, tested, hint=hint)
    if options.json:
        print_json(
            {
                "target": target.name,
                "by_scale": counts,
                "trained": trained,
                "tested": tested,
                "guaranteed": found.holds,
                "reason": found.reason,
                "errors": {name: None if error is None else str(error) for name, error in row.errors.items()},
            }
        )
        return 0
    print(f"{colour(target.name, 'bold')}: linear representation complexity at scales 1–{tested}: {' '.join(counts)}")
    some = "some relation guarantees" if found.holds else "no relation guarantees"
    print(
        paragraph(
            f"Trained up to {trained} and tested up to {tested}, {some} that every fit is correct: {found.reason}", "  "
        )
    )
    print()
    print(format_table([row]))
    print()
    print(
        paragraph(
            "Largest error of the matrix after a minimum-norm fit. 0* is zero only for a table that starts at zero. The definitions "
            "are our reconstruction of arXiv 2510.04130."
        )
    )
    return 0
