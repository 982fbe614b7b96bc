"""`lengthwise complexity`: how many operators a problem needs by scale, and which positions make that number stay the same."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from types import FrameType

from ..encodings.names import split_names
from ..errors import CapExceededError, InvalidOptionError
from ..files import write_text
from ..predict.predict import Prediction
from ..predict.second import ideal_opinion, problem_of, relation_of, second_opinions
from ..tasks.catalog import find_task
from ..theory.positions.layouts import LAYOUTS, find_layout
from ..theory.positions.opinion import IDEAL, Opinion, Problem, find_problem, form_opinions
from ..theory.positions.relations import RELATIONS, Relation, with_scale
from .text import colour, paragraph, print_json, table

_RELATIONS = ("constant", "absolute", "relative", "relative_scaled", IDEAL)
_TITLES = {
    "constant": "nope",
    "absolute": "ape",
    "relative": "rpe",
    "relative_scaled": "rpe, scale hint",
    "t5_bucket": "t5",
}
_WORDS = {True: "yes", False: "no", None: "open"}
_MOST_SCALES = 32
_MOST_SECONDS = 86_400
STANDING = (
    "Definitions are our reconstruction of arXiv 2510.04130. That a problem length-generalizes exactly where the number does not "
    "grow is a conjecture; the number is that of the library's circuit."
)


def complexity(options: Namespace) -> int:
    """Print the complexity of one problem under several relations, of all problems, or of a linear target."""
    _check(options)
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
    """Raise a sentence inside when the time is over; without effect outside of the main thread.

    It is raised in our own code only, and tried again until it is: inside a callback of the garbage collector, say, it would
    be lost.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    own = str(Path(__file__).parents[1])

    def stop(_: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename.startswith(own):
            raise CapExceededError(
                f"this takes longer than {seconds:g} s.", hint="ask for fewer scales or symbols, or for more --seconds."
            )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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
    if (options.what is None) is not options.all or not (options.what or options.all):
        raise InvalidOptionError(
            "a problem or --all is needed, and not both.",
            hint=f"for example: lengthwise complexity {next(iter(LAYOUTS))}",
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
    if name not in LAYOUTS:
        if known is None:
            task = None
            with suppress(LookupError):
                task = find_task(what)
            if task is not None:
                raise InvalidOptionError(
                    f"the circuit library has no problem that is written like the task {what!r}.",
                    hint=f"it has {', '.join(LAYOUTS)}.",
                )
        return find_problem(known or what), ""
    note = ""
    if known is not None and known.split("(")[0] != name:
        note = f"the task {what!r} is written otherwise: it is {known!r} here."
    return find_problem(what), note


def _asked(options: Namespace) -> list[Relation | str]:
    """Return the relations of the encodings asked for, or the usual ones; for a picture three of these."""
    names = [name for group in options.encoding or [] for name in split_names(group)]
    if not names and options.svg is not None:
        names = ["absolute", "relative", IDEAL]
    elif not names:
        names = [each for each in _RELATIONS if not (options.scale_hint and each == "relative_scaled")]
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
    for each in opinions:
        found = each.complexity
        by_scale = "–" if found is None else " ".join(map(str, found.by_scale))
        growth = "–" if found is None else found.growth
        told = "" if problem.limit is not None else each.reason
        is_ideal = each.relation.startswith(IDEAL) and problem.limit is None
        label = "see below" if is_ideal else each.formula or "–"
        rows.append((_title(each.relation), label, by_scale, growth, _WORDS[each.predicted], told))
    last = scales if circuit is None else min(scales, circuit.cap)
    lines += ["", *table(("positions", "label", f"at scales 1–{last}", "", "conjectured", "why"), rows).split("\n")]
    if circuit is not None and circuit.cap < scales:
        lines += ["", f"{problem.name} has no scale above {circuit.cap}."]
    if circuit is not None and problem.limit is None:
        lines += ["", *_ideal_lines(problem, opinions)]
    return lines


def _ideal_lines(problem: Problem, opinions: Sequence[Opinion]) -> list[str]:
    """Return which relation keeps the number the same, as equations, and from which scale on."""
    from ..theory.positions.circuits import needs_hint
    from ..theory.positions.relations_ideal import describes, equations_of

    assert problem.circuit is not None
    circuit = problem.circuit
    slots = equations_of(circuit, max_scale=min(8, circuit.cap))
    last = min(24, circuit.cap)
    holds = describes(slots, circuit, last)
    hint = "the scale must be known" if needs_hint(circuit) else "the scale need not be known"
    lines = [f"What is to be read (i the position read, q the last one seen, n the scale, t the step); {hint}:"]
    if holds:
        lines += [f"  {slot}" for slot in slots]
        lines.append(f"  compared with the circuit's gates up to scale {last}")
    else:
        lines.append(f"  no few small equations describe it at all scales up to {last}")
    enough = [each.complexity.smallest_scale for each in opinions if each.complexity and each.predicted]
    known = [each for each in enough if each is not None]
    if known:
        lines.append(f"  smallest training scale that is enough: {min(known)}")
    return lines


def opinion_lines(rows: Sequence[Prediction]) -> list[str]:
    """Return the second opinion beside the verdicts on a task, or nothing where there is none."""
    if rows[0].question.read_as != "task":
        return []
    task = rows[0].question.what
    found = second_opinions(task, [(row.encoding, row.verdict) for row in rows])
    best = ideal_opinion(task)
    if not found or best is None:
        return []
    answers = {row.encoding: str(row.verdict.answer) for row in rows}
    told = []
    for each in found:
        differs = f"Unlike the verdict, {answers[each.encoding]}: {each.disagreement}." if each.disagreement else ""
        reason = "" if best.complexity is None else each.opinion.reason
        why = "\n".join(filter(None, (reason, each.assumed, differs)))
        told.append((each.encoding, _WORDS[each.opinion.predicted], why))
    shown = "ideal" if best.relation == IDEAL else "ideal, with the scale"
    told.append((shown, _WORDS[best.predicted], best.reason))
    problem = problem_of(task)
    title = f"Second opinion, a conjecture (our reconstruction of arXiv 2510.04130; lengthwise complexity {problem!r}):"
    return [paragraph(title), "", *table(("positions", "works", "why"), told).split("\n"), ""]


def _title(relation: str) -> str:
    return _TITLES.get(relation, "ideal (ipe)" if relation.startswith(IDEAL) else relation)


def _to_json(problem: Problem, opinions: Sequence[Opinion], exact: object) -> dict[str, object]:
    return {
        "problem": problem.name,
        "definition": problem.definition,
        "limit": None if problem.limit is None else {"bound": problem.limit.bound, "argument": problem.limit.argument},
        "relations": [
            {
                "relation": each.relation,
                "formula": each.formula,
                "predicted": each.predicted,
                "reason": each.reason,
                "by_scale": None if each.complexity is None else list(each.complexity.by_scale),
                "growth": None if each.complexity is None else each.complexity.growth,
                "smallest_scale": None if each.complexity is None else each.complexity.smallest_scale,
            }
            for each in opinions
        ],
        "exact": exact,
    }


def _exact(options: Namespace) -> dict[str, object]:
    """Return the exact numbers by scale, as far as they are found within the seconds given; then why there are no more."""
    from ..theory.positions import sat
    from ..theory.positions.search import complexity_by_scale, search

    name = options.solver or "search"
    problem, _ = _problem(options.what)
    layout = find_layout(problem.name)
    found: dict[str, object] = {"arity": options.exact, "solver": name, "stopped": None}
    for key, reduced in (("reduced", True), ("at_most", False)):
        numbers: list[int | None] = []
        found[key] = numbers
        try:
            with deadline(options.seconds):
                for each in complexity_by_scale(
                    layout,
                    options.scales,
                    max_arity=options.exact,
                    reduced=reduced,
                    solver=sat.solve if name == "sat" else search,
                ):
                    numbers.append(each.num_operators)
                    if each.num_operators is None:
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
    from ..theory.positions.circuits import ideal
    from ..theory.positions.drawing import draw_relations

    if problem.circuit is None:
        raise InvalidOptionError(f"{problem.name!r} has no circuit to draw.", hint="leave --svg out.")
    relations = [ideal(problem.circuit) if isinstance(each, str) else each for each in _asked(options)]
    write_text(options.svg, draw_relations(problem.circuit, relations, (3, 5)))
    print(f"wrote {options.svg}", file=sys.stderr)


def _print_all(options: Namespace) -> int:
    """Print every problem of the library under the usual relations, beside the verdicts on the task that it is."""
    from ..predict.problems import compare_problems

    rows = compare_problems(options.scales)
    if options.json:
        print_json([row.to_json() for row in rows])
        return 0
    told = []
    for row in rows:
        verdicts = [row.verdicts[name].answer if name in row.verdicts else "–" for name in ("nope", "ape")]
        told.append((row.problem, *(_WORDS[each.predicted] for each in row.opinions), *map(str, verdicts), row.note))
    header = (
        "problem",
        *(_title(each) for each in _RELATIONS),
        "C-RASP nope",
        "C-RASP ape",
        "where they differ, or why",
    )
    print(table(header, told))
    print()
    print(
        paragraph(
            f"yes: the number of operator and labels is the same from half of {options.scales} scales on, what is read can be told from "
            "what is not, and all rows are met in training. C-RASP: the verdict of 'lengthwise predict' on the task, or what copying "
            "implies."
        )
    )
    print(paragraph(STANDING))
    return 0


def _print_linear(options: Namespace) -> int:
    """Print the linear complexity of a target given as a formula or a name, and what encodings make of it."""
    from ..theory.positions.pola import compare, find_guarantee, format_table, linear_complexities
    from ..theory.positions.targets import read_target

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
            f"Trained up to {trained} and tested up to {tested}, {some} that every fit is right: {found.reason}", "  "
        )
    )
    print()
    print(format_table([row]))
    print()
    print(
        paragraph(
            "Largest error of the matrix after a minimum-norm fit; 0* is zero only for a table that starts at zero. Definitions are "
            "our reconstruction of arXiv 2510.04130."
        )
    )
    return 0
