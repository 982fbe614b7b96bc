"""`lengthwise crasp compile`: a program as weights, checked against it, saved and run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ....crasp.interpreter import Values, frame_word
from ....crasp.measures import depth_of, fragment_of
from ....crasp.syntax import Program
from ....errors import InvalidOptionError, MissingExtraError
from ....extras import install_hint
from ....languages.alphabet import show_word
from ....markup import visible
from ...programs import load_program, print_runs, require_generator, run_on_words, split_word
from ...text import colour, paragraph, print_json, table

if TYPE_CHECKING:
    from ....model.compiled.checking import Equality
    from ....model.compiled.model import CompiledModel

EXAMPLES = """\
examples:
  lengthwise crasp compile dyck_1
  lengthwise crasp compile mine.crasp --out folder --precision
  lengthwise crasp compile folder --run aabb --run ab       run what was saved
  lengthwise crasp compile unique_copy --target limit

The weights do not depend on any length. What is computed and why it is exact: docs/concepts/limit-transformers.md
exit codes: 0 equal to the program on every word compared, 1 different, 2 the input was wrong"""

MOST_CHECKED = 12
_MEASURED = 1024


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("program", metavar="PROGRAM", help="a program, or a folder that --out wrote")
    parser.add_argument(
        "--target",
        choices=("transformer", "limit"),
        default="transformer",
        help="an ordinary causal transformer (default) or a limit transformer",
    )
    parser.add_argument("--out", metavar="FOLDER", help="write weights (safetensors) and what they mean (JSON)")
    parser.add_argument(
        "--check-length",
        type=int,
        default=6,
        metavar="N",
        help="compare with the program on words up to this length (default: 6)",
    )
    parser.add_argument("--precision", action="store_true", help="up to which length rounding changes no answer")
    parser.add_argument("--run", action="append", default=[], metavar="WORD", help="run the weights on a word")
    parser.add_argument(
        "--generate", action="store_true", help="with --run: let a program that says what comes next write on"
    )


def run(options: Namespace) -> int:
    """Compile a program, or load one that was compiled; check it, save it and run it as asked."""
    if not 0 <= options.check_length <= MOST_CHECKED:
        raise InvalidOptionError(
            f"--check-length must be from 0 to {MOST_CHECKED}; found {options.check_length}.",
            hint="longer words are tested by --precision.",
        )
    if options.generate and not options.run:
        raise InvalidOptionError("--generate is about the words of --run, and there are none.", hint="add --run WORD.")
    if options.target == "limit" and (options.out or options.precision):
        raise InvalidOptionError(
            "--out and --precision are about ordinary transformers, and the target is limit.",
            hint="leave --target limit out.",
        )
    if not options.program:
        raise InvalidOptionError("'' names no program.", hint="name a program, or a folder that --out wrote.")
    compiled = _Limit(options) if options.target == "limit" else _Ordinary(options)
    data: dict[str, object] = {"program": options.program, "target": options.target, **compiled.facts()}
    if not options.json:
        print(compiled.describe())
    equality = compiled.check(options.check_length)
    data["check"] = {
        "equal": equality.counterexample is None,
        "max_length": equality.max_length,
        "words": equality.num_words,
        "exhaustive": equality.is_exhaustive,
        "counterexample": None if equality.counterexample is None else list(equality.counterexample),
    }
    if not options.json:
        print(paragraph(_describe_equality(equality), "  "))
    if isinstance(compiled, _Ordinary) and options.precision:
        data["precision"] = _precision(compiled.model, shown=not options.json)
    if isinstance(compiled, _Ordinary) and options.out:
        data["folder"] = compiled.save(options.out)
        if not options.json:
            print(f"  saved in {visible(options.out)}: model.safetensors, config.json")
    if options.run:
        data["runs"] = _runs(compiled, options)
    if options.json:
        print_json(data)
    return 0 if equality.counterexample is None else 1


def _describe_equality(equality: Equality) -> str:
    if equality.counterexample is not None:
        return f"{colour('different', 'NO')} from the program on {visible(show_word(equality.counterexample))}"
    from ....model.compiled.checking import MAX_WORDS

    which = (
        "all" if equality.is_exhaustive else f"{MAX_WORDS:,} random words of each length, or all if there are fewer:"
    )
    words = f"{which} {equality.num_words:,} words" if equality.num_words > 1 else "1 word"
    return f"{colour('equal', 'YES')} to the program at every position of {words} up to length {equality.max_length}"


class _Limit:
    """A program as a limit transformer."""

    def __init__(self, options: Namespace) -> None:
        from ....model.compiled.circuit import Style
        from ....model.compiled.compiler import make_circuit
        from ....model.compiled.to_limit import limit_transformer

        if _is_saved(options.program):
            raise InvalidOptionError(
                f"{options.program!r} holds an ordinary transformer, and the target is limit.",
                hint="name a program, or leave --target limit out.",
            )
        self.program = load_program(options.program)
        _words(self.program, options)
        self.name = options.program
        self.transformer = limit_transformer(make_circuit(self.program, Style.STEPS))

    def facts(self) -> dict[str, object]:
        """Return what it is, in numbers."""
        from ....model.limit.checks import check_local, check_periodic

        facts: dict[str, object] = dict(self.transformer.facts())
        facts["periodic"] = check_periodic(self.transformer).holds
        facts["local"] = check_local(self.transformer).holds
        return facts

    def describe(self) -> str:
        """Return what it is, in words."""
        from ....model.limit.checks import check_local, check_periodic

        lines = [_title(self.name, self.program), paragraph(str(self.transformer), "  ")]
        for name, check in (("PERIODIC", check_periodic(self.transformer)), ("LOCAL", check_local(self.transformer))):
            answer = colour("yes", "YES") if check.holds else colour("no", "NO")
            lines.append(paragraph(f"{name}: {answer}, {check.reason}", "    ", "  "))
        return "\n".join(lines)

    def check(self, max_length: int) -> Equality:
        """Compare it with the program."""
        from ....model.compiled.checking import check_equal

        return check_equal(self.program, lambda words: (self.run(self.program, word) for word in words), max_length)

    def run(self, program: Program, word: Iterable[str], *, offset: int = 0) -> Values:
        """Return the outputs at every position."""
        from ....model.compiled.running import run_on_limit

        return run_on_limit(self.transformer, program, word, offset=offset)


class _Ordinary:
    """A program as an ordinary transformer, compiled or loaded."""

    def __init__(self, options: Namespace) -> None:
        try:
            from ....model.compiled.files import load_model, require_writable
            from ....model.compiled.model import compile_to_transformer
        except ModuleNotFoundError:
            raise MissingExtraError(
                "an ordinary transformer needs torch, which is not installed.",
                hint=f"{install_hint('train')}, or --target limit.",
            ) from None
        self.name = options.program
        if _is_saved(options.program):
            if options.precision:
                raise InvalidOptionError(
                    "--precision is predicted from the program while it is compiled, and this model was loaded.",
                    hint="name the program instead of the folder.",
                )
            model = load_model(options.program)
            self.program = model.program
        else:
            model = None
            self.program = load_program(options.program)
        _words(self.program, options)
        if options.out:
            require_writable(options.out)
        self.model = compile_to_transformer(self.program) if model is None else model

    def facts(self) -> dict[str, object]:
        """Return what it is, in numbers."""
        plan = self.model.plan
        return {
            "layers": plan.layers,
            "heads": plan.heads,
            "width": plan.width,
            "period": plan.period,
            "largest_distance": plan.reach,
            "parameters": self.model.num_parameters,
            "nonzero_parameters": self.model.num_nonzero,
        }

    def describe(self) -> str:
        """Return what it is, in words."""
        facts = {key: f"{value:,}" for key, value in self.facts().items()}
        text = (
            f"causal transformer without layer norm, with ReLU: layers {facts['layers']}, heads {facts['heads']}, "
            f"width {facts['width']}, period {facts['period']}, largest distance {facts['largest_distance']}, "
            f"{facts['parameters']} parameters at every length, {facts['nonzero_parameters']} of them not 0"
        )
        return "\n".join([_title(self.name, self.program), paragraph(text, "  ")])

    def check(self, max_length: int) -> Equality:
        """Compare it with the program."""
        from ....model.compiled.checking import check_equal

        return check_equal(self.program, self.model.run_all, max_length)

    def run(self, program: Program, word: Iterable[str], *, offset: int = 0) -> Values:  # noqa: ARG002
        """Return the outputs at every position."""
        return self.model.run(word, offset=offset)

    def save(self, folder: str) -> str:
        """Write it to a folder."""
        from ....model.compiled.files import save_model

        return str(save_model(self.model, folder))


def _is_saved(what: str) -> bool:
    """Return whether this names a folder; a program of the library comes before a folder that holds no model."""
    from ....crasp.programs.catalog import PROGRAMS

    return (Path(what) / "config.json").is_file() or (Path(what).is_dir() and what not in PROGRAMS)


def _title(name: str, program: Program) -> str:
    return f"{colour(visible(name), 'bold')}: {fragment_of(program).notation}, depth {depth_of(program)}"


def _precision(model: CompiledModel, *, shown: bool) -> list[dict[str, object]]:
    """Return up to which length each format is exact, predicted and measured."""
    from ....model.compiled.measurement import in_format, measure_longest
    from ....model.compiled.precision import FORMATS, Kernel, predict_longest

    assert model.circuit is not None
    rows: list[dict[str, object]] = []
    for number_format in FORMATS.values():
        for kernel in Kernel:
            predicted = predict_longest(model.circuit, number_format, kernel, slope=model.slope)
            found = measure_longest(in_format(model, number_format.name, kernel), up_to=_MEASURED)
            rows.append(
                {
                    "format": number_format.name,
                    "attention": str(kernel),
                    "predicted": predicted,
                    "measured": found.longest,
                    "failed_beyond": found.failed,
                }
            )
    if shown:
        cells = [
            (
                str(row["format"]),
                str(row["attention"]),
                "every length" if row["predicted"] is None else f"{row['predicted']:,}",
                f"{row['measured']:,}" if row["failed_beyond"] else f"no error up to {row['measured']:,}",
            )
            for row in rows
        ]
        print(table(("format", "attention", "exact up to (bound)", "measured"), cells))
    return rows


def _words(program: Program, options: Namespace) -> list[tuple[str, ...]]:
    """Return the words to run; raise if the program cannot read one of them, or cannot generate."""
    if options.generate:
        require_generator(program, options.program)
    words = [split_word(text, program) for text in options.run]
    for word in words:
        frame_word(program, word)
    return words


def _runs(compiled: _Limit | _Ordinary, options: Namespace) -> list[dict[str, object]]:
    rows = run_on_words(compiled.program, _words(compiled.program, options), compiled.run, generating=options.generate)
    if not options.json:
        print_runs(rows)
    return rows
