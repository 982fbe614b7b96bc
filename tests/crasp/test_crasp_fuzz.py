"""Whatever text is given: it is read or refused in words, and in time.

Every text goes the whole way: read, written, checked for a meaning, measured, and run by the interpreter and in a batch.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeVar

import pytest
from crasp_programs import ProgramSource, random_syntax

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.interpreter import accepts, generate, next_symbols, run_program
from lengthwise.crasp.kinds import infer_kinds
from lengthwise.crasp.measures import depth_of, fragment_of, moduli_of, size_of, window_of
from lengthwise.crasp.parser import parse_expression, parse_program
from lengthwise.crasp.printer import print_program
from lengthwise.crasp.syntax import Program
from lengthwise.crasp.tokens import MAX_TEXT, split_tokens
from lengthwise.errors import LengthwiseError, ProgramSyntaxError

NUMPY = numpy_arrays()
LIMIT_S = 10.0  # a blow-up takes minutes; what is fine takes under one second, on an idle machine
Result = TypeVar("Result")

# The whole way


def attempt(work: Callable[[], Result]) -> tuple[Result | None, LengthwiseError | None]:
    """Return what some work gives or the error of ours in which it ends; any other error is a failure."""
    try:
        return work(), None
    except LengthwiseError as error:
        return None, error


def is_refused(work: Callable[[], object]) -> bool:
    """Return whether some work ends in an error of ours, which can be shown and says what to do."""
    _, error = attempt(work)
    assert error is None or (str(error).startswith(error.message) and error.hint)
    return error is not None


def go_once(text: str) -> str:
    """Return how far a text came: it is read, written, checked, measured and run on one word in both ways."""
    program, error = attempt(lambda: parse_program(text))
    if program is None:
        assert isinstance(error, ProgramSyntaxError)
        assert str(error).startswith("cannot read the program: ")
        assert error.hint
        assert 0 <= error.span[0] <= error.span[1] <= len(text)
        return "refused"
    assert print_program(program)
    findings: list[str] = []
    infer_kinds(program, lambda _code, message, _node: findings.append(message))
    assert min(depth_of(program), window_of(program), size_of(program), len(moduli_of(program))) >= 0
    assert fragment_of(program) in Fragment
    ran = runs(program, [program.alphabet[0], program.alphabet[-1]] * 2)
    assert not (ran and findings)
    return "ran" if ran else "meaningless" if findings else "too large"


def runs(program: Program, word: list[str]) -> bool:
    """Return whether the interpreter runs a program on a word; where a batch does, so does the interpreter."""

    def run_batched() -> None:
        batched = BatchedProgram(program)
        batched.run(batched.encode([word], NUMPY)[0], NUMPY)

    ran, ran_batched = not is_refused(lambda: run_program(program, word)), not is_refused(run_batched)
    assert ran or not ran_batched
    return ran


def go_the_whole_way(text: str) -> str:
    """Return how far a text came, after asking for everything else as well."""
    outcome = go_once(text)
    is_refused(lambda: parse_expression(text))
    if outcome != "refused":
        program = parse_program(text)
        assert parse_program(print_program(program)) == program
        for word in ([], [program.alphabet[0]], [program.alphabet[-1]] * 5):
            assert runs(program, word) == (outcome == "ran")
            answered = is_refused(lambda word=word: accepts(program, word))
            listed = is_refused(lambda word=word: next_symbols(program, word))
            assert answered or listed  # a program has one of the two meanings
            is_refused(lambda word=word: generate(program, word, max_length=3))
    return outcome


def timed(text: str, way: Callable[[str], str]) -> tuple[float, str]:
    """Return the CPU seconds that a text takes and how far it came; a text that seems slow has a second try."""
    seconds, outcome = 0.0, ""
    for _ in range(2):
        begin = time.process_time()
        outcome = way(text)
        seconds = time.process_time() - begin
        if seconds < LIMIT_S:
            break
    return seconds, outcome


# Random texts

CHARACTERS = "#[]{}()<>=+-*%,!&|¬∧∨≤≥≠:.'\\ \n\t//0123456789abxnot_$\"?^;@é٣\0"
TOKENS = (
    *("alphabet", "start", "stop", "read", "at", "last", "end", "accept", "next", "and", "or", "not", "if", "then"),
    *("else", "true", "false", "pos", "x", "y", "n", ":=", "==", "!=", "<=", ">=", "..", "=", "<", ">", "+", "-", "*"),
    *("%", ",", "!", "&", "|", "¬", "∧", "∨", "≤", "≥", "≠", "#", "[", "]", "{", "}", "(", ")", "'a'", "'b'", "'$'"),
    *("0", "1", "2", "3", "1000000", "#[", "#<[", "#{1}[", "#{0..3}[", "x :=", "accept :=", "next 'a' :=", "// x\n"),
    *("pos % 2 = 1", "#['a']", "if 'a' then 1 else 0", "alphabet 'a' 'b'", "read at end", "start '$'"),
)


def random_characters(rng: Random) -> str:
    return "".join(rng.choice(CHARACTERS) for _ in range(rng.randint(0, 60)))


def random_tokens(rng: Random) -> str:
    head = rng.choice(("", "alphabet 'a' 'b' ", "alphabet 'a' 'b' x := 'a' n := #[x] accept := "))
    return head + rng.choice((" ", " ", "\n", "")).join(rng.choice(TOKENS) for _ in range(rng.randint(1, 16)))


def random_body(rng: Random) -> str:
    """Return a program with short random expressions, which are read more often than long ones."""
    operand = (
        "'a'",
        "x",
        "n",
        "1",
        "#['b']",
        "#{1,2}[x]",
        "#<[x]",
        "pos % 2 = 1",
        "true",
        "(n = 1)",
        "2*n",
        "-n",
        "not x",
    )
    sign = ("and", "or", "=", "<", ">=", "+", "-", "&", "≠", "*")
    parts = [rng.choice(operand)]
    for _ in range(rng.randint(0, 3)):
        parts += [rng.choice(sign), rng.choice(operand)]
    return f"alphabet 'a' 'b' x := 'a' n := #[x] accept := {' '.join(parts)}"


def valid_text(rng: Random) -> str:
    if rng.random() < 0.3:
        return print_program(random_syntax(rng, 3))
    start, stop = rng.choice((None, "$")), rng.choice((None, "!"))
    source = ProgramSource(rng, alphabet=rng.choice(("a", "ab")), start=start, stop=stop)
    return print_program(source.program(rng.randint(1, 10)))


KINDRED = (
    ("and", "or", "&", "∨"),
    ("=", "!=", "<", "<=", ">", ">=", "≥"),
    ("+", "-"),
    ("'a'", "'b'", "'$'", "true", "x", "n", "d0", "d1", "1", "7", "#['a']", "#[x]", "#{0,3}['b']", "pos % 3 = 2"),
    ("0", "2", "-1", "1000000", "(if 'a' then n else 1)"),
    ("#[", "#<[", "#{1}[", "#{0..9}["),
    ("last", "end"),
)


def exchanged(rng: Random, piece: str) -> str:
    """Return another text for a token that may stand in the same place, so that most edits can still be read."""
    kin = [group for group in KINDRED if piece in group]
    if piece.startswith("'"):
        kin = [KINDRED[3]]
    elif piece.isdigit():
        kin = [KINDRED[4], ("3", "0", "1")]
    return rng.choice(rng.choice(kin)) if kin else piece


def edited(rng: Random, text: str) -> str:
    """Return the text after some deletions, insertions, replacements and repetitions of characters or tokens."""
    gentle = rng.random() < 0.7
    for _ in range(rng.randint(1, 3)):
        tokens, _ = attempt(lambda text=text: split_tokens(text))
        spans = [(at, at + 1) for at in range(len(text))]
        more: tuple[str, ...] = tuple(CHARACTERS)
        if tokens and (gentle or rng.random() < 0.5):
            spans, more = [token.span for token in tokens], TOKENS
        if not spans:
            return text
        first, last = rng.choice(spans)
        piece = text[first:last]
        if gentle:
            piece = exchanged(rng, piece)
        else:
            piece = rng.choice(("", f"{rng.choice(more)} {piece}", rng.choice(more), f"{piece} {piece}", piece * 2))
        text = f"{text[:first]}{piece}{text[last:]}"
    return text


def random_texts(seed: int, number: int) -> Iterator[str]:
    rng = Random(seed)
    for each in range(number):
        kind = each % 8
        if kind == 0:
            yield random_characters(rng)
        elif kind == 1:
            yield random_tokens(rng)
        elif kind == 2:
            yield random_body(rng)
        elif kind == 3:
            yield edited(rng, random_body(rng))
        else:
            yield edited(rng, valid_text(rng))


def try_texts(seed: int, number: int) -> str:
    """Return what became of random texts, after asserting that it was always one of the allowed ends, and in time."""
    outcomes: Counter[str] = Counter()
    slowest, slowest_text = 0.0, ""
    for text in random_texts(seed, number):
        try:
            seconds, outcome = timed(text, go_the_whole_way)
        except Exception as error:
            raise AssertionError(f"this text ends in {error!r}: {text!r}") from error
        outcomes[outcome] += 1
        if seconds > slowest:
            slowest, slowest_text = seconds, text
    assert slowest < LIMIT_S, slowest_text
    assert outcomes.total() == number
    assert outcomes["refused"] < 0.75 * number  # otherwise the texts would test the parser only
    assert min(outcomes["ran"], outcomes["meaningless"]) > 0.1 * number
    read = number - outcomes["refused"]
    return (
        f"{number} random texts: {read} read, of which {outcomes['ran']} ran; the slowest took {1000 * slowest:.1f} ms"
    )


@pytest.mark.parametrize("seed", range(3))
def test_random_texts_are_read_or_refused_in_words_and_in_time(seed: int) -> None:
    try_texts(seed, 1000)


@pytest.mark.full
def test_a_hundred_thousand_random_texts_are_read_or_refused_in_words_and_in_time() -> None:
    print(try_texts(1000, 100_000))


# Texts made to be slow, or to fill the memory

HEAD = "alphabet 'a' 'b'\n"


def accepting(body: str) -> str:
    return f"{HEAD}accept := {body}\n"


def nested(form: str, times: int, inside: str = "'a'") -> str:
    for _ in range(times):
        inside = form.format(inside)
    return inside


def chained(number: int, form: str, first: str = "#['a']") -> str:
    """Return many definitions, each made from the previous one."""
    later = "".join(f"d{i} := {form.format(f'd{i - 1}')}\n" for i in range(1, number))
    return f"{HEAD}d0 := {first}\n{later}accept := d{number - 1} > 0"


ADVERSARIAL: dict[str, tuple[str, str]] = {
    "parentheses that open": (accepting("(" * 100_000), "refused"),
    "parentheses that open and close": (accepting("(" * 10_000 + "'a'" + ")" * 10_000), "refused"),
    "parentheses that close": (accepting(")" * 20_000), "refused"),
    "brackets that open": (accepting("#[" * 15_000), "refused"),
    "a chain of not": (accepting("not " * 25_000 + "'a'"), "refused"),
    "a chain of !": (accepting("!" * 30_000 + "'a'"), "refused"),
    "a chain of minus": (accepting("-" * 30_000 + "1 = 1"), "refused"),
    "a chain of if": (accepting("if " * 15_000), "refused"),
    "a chain of else": (accepting("if 'a' then 1 else " * 5000 + "1"), "refused"),
    "deep counts": (accepting(nested("#[{} = 1]", 1000, "1")), "refused"),
    "deep trees in few parentheses": (accepting(nested("'a' or 'a' and not 1 + #[{}] = 2", 59)), "refused"),
    "not and parentheses in turn": (accepting(nested("not " * 59 + "({})", 59)), "refused"),
    "the deepest tree of not": (accepting("not " * 99 + "'a'"), "ran"),
    "the deepest counts": (accepting(nested("#[{}] = 1", 49)), "ran"),
    "a giant integer": (accepting("9" * 100_000 + " = 1"), "refused"),
    "a giant integer of zeros": (accepting("0" * 100_000 + " = 0"), "ran"),
    "a giant escape": (accepting("'\\u{" + "0" * 100_000 + "}'"), "refused"),
    "a symbol of a hundred thousand characters": (accepting("'" + "x" * 100_000 + "'"), "meaningless"),
    "a symbol of escapes": (accepting("'" + "\\'" * 50_000 + "'"), "meaningless"),
    "a quote that is never closed": (accepting("'" + "\\'" * 50_000), "refused"),
    "a name of a hundred thousand letters": (accepting("x" * 100_000), "meaningless"),
    "a first word of a hundred thousand letters": ("alphabe" * 15_000, "refused"),
    "one comment": (f"//{'x' * 100_000}\n{accepting('true')}", "ran"),
    "only line ends": ("\n" * 100_000, "refused"),
    "huge sets of distances": (accepting(" + ".join(["#{0..10000}['a']"] * 5000) + " = 1"), "refused"),
    "as many distances as can be": (accepting(" + ".join(["#{1..10000}['a']"] * 20) + " = 1"), "ran"),
    "distances one by one": (accepting("#{" + ",".join(map(str, range(0, 10_001, 2))) + "}['a'] = 1"), "ran"),
    "the same distance again and again": (accepting("#{" + ",".join(["7"] * 15_000) + "}['a'] = 1"), "ran"),
    "numbers that double": (chained(2000, "{0} + {0}"), "ran"),
    "numbers that grow as fast as they can": (chained(2000, "1000000*{0}"), "too large"),
    "comparisons of comparisons": (chained(1500, "#[{0} > 1]"), "ran"),
    "definitions without an end": (HEAD + "".join(f"d{i} := 'a'\n" for i in range(7000)), "refused"),
    "definitions that nothing uses": (HEAD + "".join(f"d{i} := 'a'\n" for i in range(6000)) + "accept := d7", "ran"),
    "one name defined again and again": (HEAD + "d := 'a'\n" * 10_000 + "accept := d", "meaningless"),
    "names that are nowhere defined": (HEAD + "".join(f"d{i} := e{i}\n" for i in range(6000)) + "accept := d1", "meaningless"),
    "names that are almost defined": (
        HEAD + "".join(f"name_number_{i} := name_numbre_{i}\n" for i in range(2500)) + "accept := true",
        "meaningless",
    ),
    "long names that are almost defined": (
        HEAD + "".join(f"{'xy' * 100}{i} := {'yx' * 100}{i}\n" for i in range(240)) + "accept := true",
        "meaningless",
    ),
    "symbols that are nowhere": (accepting(" or ".join(f"'x{i}'" for i in range(10_000))), "meaningless"),
    "a large alphabet": ("alphabet " + " ".join(f"'{i}'" for i in range(14_000)) + "accept := '1' or '2'", "ran"),
    "a large alphabet of other symbols": (
        "alphabet " + " ".join(f"'{i}'" for i in range(7000)) + "accept := " + "|".join(f"'x{i}'" for i in range(5000)),
        "meaningless",
    ),
    "a large alphabet, each symbol used": (
        "alphabet " + " ".join(f"'{i}'" for i in range(6000)) + "accept := " + "|".join(f"'{i}'" for i in range(6000)),
        "ran",
    ),
    "a symbol that comes twice in a large alphabet": (
        "alphabet " + " ".join(f"'{i}'" for i in range(14_000)) + " '7' accept := true",
        "refused",
    ),
    "many symbols that may come next": (
        "alphabet " + " ".join(f"'{i}'" for i in range(3000)) + " ".join(f"next '{i}' := '1'" for i in range(3000)),
        "ran",
    ),
    "a wide disjunction": (accepting("|".join(["'a'"] * 10_000)), "ran"),
    "a wide sum": (accepting("+".join(["1"] * 10_000) + "=1"), "ran"),
    "a wide sum of the wrong kind at every level": (
        accepting(nested("#[{}]", 50, "+".join(["1"] * 15_000))),
        "meaningless",
    ),
    "choices side by side": (accepting("+".join(["(if 'a' then 1 else 2)"] * 2000) + "=1"), "ran"),
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_a_text_made_to_be_slow_is_read_or_refused_in_time(name: str) -> None:
    text, expected = ADVERSARIAL[name]
    assert len(text) < 420_000
    seconds, outcome = timed(text, go_once)
    assert outcome == (expected if len(text) <= MAX_TEXT else "refused")
    assert seconds < LIMIT_S


LONGEST: dict[str, Callable[[int], str]] = {
    "parentheses": lambda size: accepting("(" * size),
    "a quote that is never closed": lambda size: accepting("'" + "x" * size),
    "numbers": lambda size: accepting("+".join(["1"] * (size // 2)) + "=1"),
    "symbols": lambda size: accepting("|".join(["'a'"] * (size // 4))),
    "definitions": lambda size: HEAD + "".join(f"d{i}:='a'\n" for i in range(size // 12)) + "accept := d1",
    "names that are nowhere defined": lambda size: (
        HEAD + "".join(f"d{i}:=e{i}\n" for i in range(size // 16)) + "accept := d1"
    ),
    "growing numbers": lambda size: chained(size // 26, "1000000*{0}"),
    "an alphabet": lambda size: "alphabet" + "".join(f"'{i}'" for i in range(size // 9)) + "accept := '1'",
    "symbols that come next": lambda size: (
        "alphabet" + "".join(f"'{i}'" for i in range(size // 30)) + "".join(f"next'{i}':='1'" for i in range(size // 30))
    ),
    "unknown symbols": lambda size: accepting("|".join(f"'x{i}'" for i in range(size // 10))),
    "huge sets of distances": lambda size: accepting("+".join(["#{0..10000}['a']"] * (size // 17)) + " = 1"),
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("name", LONGEST)
def test_the_longest_texts_take_no_longer_than_their_length_explains(name: str) -> None:
    seconds = {}
    for size in (MAX_TEXT // 10, MAX_TEXT - 100):
        text = LONGEST[name](size)
        assert len(text) <= MAX_TEXT
        begin = time.process_time()
        outcome = go_once(text)
        seconds[size] = time.process_time() - begin
        print(f"{name}: {len(text)} characters, {outcome} in {seconds[size]:.2f} s")
    assert seconds[MAX_TEXT - 100] < 25 * max(0.1, seconds[MAX_TEXT // 10])  # with the square, it would be 100


def test_a_text_that_is_too_long_is_refused_at_once() -> None:
    seconds, outcome = timed("(" * (MAX_TEXT + 1), go_once)
    assert outcome == "refused"
    assert seconds < 0.1 * LIMIT_S
