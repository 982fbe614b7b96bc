from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from crasp_programs import ODD_SYMBOLS, expressions, programs, random_syntax, random_tree
from hypothesis import given, settings

from lengthwise.crasp import syntax
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.fragments import Readout
from lengthwise.crasp.interpreter import run_program
from lengthwise.crasp.measures import depth_of, fragment_of, size_of
from lengthwise.crasp.parser import (
    MAX_DEPTH,
    MAX_DISTANCES,
    MAX_NESTING,
    parse_expression,
    parse_program,
    read_program,
)
from lengthwise.crasp.printer import print_distances, print_expression, print_program
from lengthwise.crasp.tokens import MAX_TEXT, split_tokens
from lengthwise.errors import InvalidAlphabetError, InvalidProgramError, LengthwiseError, ProgramSyntaxError

A, B = syntax.Symbol("a"), syntax.Symbol("b")
X, Y, Z = syntax.Name("x"), syntax.Name("y"), syntax.Name("z")
ONE, TWO, THREE = syntax.Number(1), syntax.Number(2), syntax.Number(3)

# Reading what was written


@pytest.mark.parametrize("seed", range(4))
def test_a_random_program_reads_back_from_its_text(seed: int) -> None:
    rng = Random(seed)
    for number in range(500):
        program = random_syntax(rng, 1 + number % 5)
        text = print_program(program)
        assert parse_program(text) == program, text
        assert print_program(parse_program(text)) == text


@pytest.mark.parametrize("seed", range(2))
def test_a_random_expression_reads_back_from_its_text(seed: int) -> None:
    rng = Random(seed)
    for number in range(1500):
        tree = random_tree(rng, 1 + number % 6)
        assert parse_expression(print_expression(tree)) == tree, print_expression(tree)


@pytest.mark.full
@settings(max_examples=40)
@given(programs())
def test_every_program_reads_back_from_its_text(program: syntax.Program) -> None:
    assert parse_program(print_program(program)) == program


@settings(max_examples=300)
@given(expressions())
def test_every_expression_reads_back_from_its_text(tree: syntax.Expression) -> None:
    assert parse_expression(print_expression(tree)) == tree


@pytest.mark.full
def test_many_random_programs_read_back_from_their_texts() -> None:
    rng = Random(0)
    for _ in range(50_000):
        program = random_syntax(rng, rng.randint(1, 6))
        assert parse_program(print_program(program)) == program, print_program(program)
    print("50000 random programs read back from their texts")


def test_a_program_is_written_one_definition_a_line() -> None:
    program = syntax.Program(
        alphabet=("b", "a"),
        definitions=(
            syntax.Definition("seen", syntax.Count(A)),
            syntax.Definition("n", syntax.CountAt(B, (4, 1, 2, 6, 3))),
        ),
        accept=syntax.And(
            (
                syntax.Compare(">", syntax.Name("seen"), syntax.Number(1)),
                syntax.Or((syntax.Not(B), syntax.Compare("=", syntax.Name("n"), syntax.Number(-2)))),
            )
        ),
        readout=Readout.END_MARKER,
        start="$",
    )
    assert print_program(program) == (
        "alphabet 'a' 'b'\n"
        "start '$'\n"
        "read at end\n"
        "\n"
        "seen   := #['a']\n"
        "n      := #{1..4,6}['b']\n"
        "accept := seen > 1 and (not 'b' or n = -2)\n"
    )
    writer = syntax.Program(
        alphabet="ab", next=(syntax.Next("b", A), syntax.Next("!", syntax.Constant(True))), stop="!"
    )
    assert print_program(writer) == "alphabet 'a' 'b'\nstop '!'\n\nnext 'b' := 'a'\nnext '!' := true\n"


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (syntax.Sum(((-1, THREE), (1, X))), "-1*3 + x"),
        (syntax.Sum(((1, syntax.Number(-3)), (1, X))), "-3 + x"),
        (syntax.Sum(((1, X), (-1, THREE))), "x - 3"),
        (syntax.Sum(((1, X), (1, syntax.Number(-3)))), "x + -3"),
        (syntax.Sum(((1, X), (-1, syntax.Number(-3)))), "x - -3"),
        (syntax.Sum(((-1, syntax.Number(-3)),)), "-1*-3"),
        (syntax.Sum(((2, syntax.Number(-3)), (0, X))), "2*-3 + 0*x"),
        (syntax.Sum(((-1, X), (-2, syntax.Sum(((1, Y), (-1, Z)))))), "-x - 2*(y - z)"),
        (syntax.Not(syntax.Compare("<=", X, syntax.Choice(A, ONE, TWO))), "not x <= (if 'a' then 1 else 2)"),
        (syntax.And((syntax.And((X, Y)), syntax.Not(syntax.Or((X, Y))))), "(x and y) and not (x or y)"),
        (syntax.Compare("=", syntax.Modulo(3, 1), syntax.Compare("<", X, Y)), "pos % 3 = 1 = (x < y)"),
        (syntax.Choice(syntax.Choice(X, Y, Z), syntax.Choice(X, Y, Z), syntax.Choice(X, Y, Z)), "if " + " ".join(
            ["if x then y else z", "then if x then y else z", "else if x then y else z"])),
    ],
)  # fmt: skip
def test_an_expression_is_written_with_no_more_parentheses_than_it_needs(tree: syntax.Expression, text: str) -> None:
    assert print_expression(tree) == text
    assert parse_expression(text) == tree


@pytest.mark.parametrize(
    ("distances", "text"),
    [((0,), "0"), ((0, 1), "0,1"), ((0, 1, 2), "0..2"), ((1, 3, 4, 6, 7, 8, 9), "1,3,4,6..9"), ((2, 5), "2,5")],
)
def test_distances_are_written_as_ranges_from_three_on(distances: tuple[int, ...], text: str) -> None:
    assert print_distances(distances) == text


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("a", "'a'"),
        ("'", r"'\''"),
        ("\\", r"'\\'"),
        ("\\'", r"'\\\''"),
        ("\n", r"'\u{a}'"),
        ("\0", r"'\u{0}'"),
        ("a\x7fb", r"'a\u{7f}b'"),
        ("\u2028", r"'\u{2028}'"),
        ("\U0010ffff", r"'\u{10ffff}'"),
        ("é→😀", "'é→😀'"),
        ("two words", "'two words'"),
    ],
)
def test_a_symbol_is_quoted_so_that_it_stays_on_its_line_and_reads_back(symbol: str, text: str) -> None:
    assert syntax.quote(symbol) == text
    assert syntax.next_name(symbol) == f"next {text}"
    assert parse_expression(text) == syntax.Symbol(symbol)


def test_odd_symbols_make_one_alphabet_which_reads_back() -> None:
    program = syntax.Program(
        alphabet=ODD_SYMBOLS, accept=syntax.disjunction([syntax.Symbol(each) for each in ODD_SYMBOLS])
    )
    assert parse_program(print_program(program)) == program


def test_a_program_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "majority.crasp"
    path.write_bytes(b"alphabet 'a' '\xc3\xa9'\r\naccept := #['a'] > #['\xc3\xa9']\r\n")
    assert read_program(path) == syntax.Program(
        alphabet="aé", accept=syntax.Compare(">", syntax.Count(A), syntax.Count(syntax.Symbol("é")))
    )


# Spellings

SPELLINGS = {
    "and": ("and", "&", "∧"),
    "or": ("or", "|", "∨"),
    "not": ("not", "!", "¬"),
    "=": ("=", "=="),
    "!=": ("!=", "≠"),
    "<=": ("<=", "≤"),
    ">=": (">=", "≥"),
}
GAPS = (" ", "  ", "\n", "\t", "\r\n", " // not 'a\n", "\n\n//\n", "\u00a0")


def respell(rng: Random, text: str) -> str:
    """Return the text with other spellings of its words and anything that means nothing between them."""
    found = []
    for token in split_tokens(text):
        spelled = text[slice(*token.span)]
        if token.kind in ("sign", "name"):
            spelled = rng.choice(SPELLINGS.get(token.text, (spelled,)))
        elif token.kind == "integer":
            spelled = "0" * rng.randrange(3) + spelled
        found += [spelled, rng.choice(GAPS)]
    return rng.choice(GAPS) + "".join(found)


def test_a_program_reads_the_same_in_every_spelling_and_spacing() -> None:
    rng = Random(0)
    for _ in range(400):
        program = random_syntax(rng)
        text = respell(rng, print_program(program))
        assert parse_program(text) == program, text


@pytest.mark.parametrize(
    ("texts", "tree"),
    [
        (("x and y", "x & y", "x∧y", "x&y"), syntax.And((X, Y))),
        (("x or y", "x | y", "x∨y"), syntax.Or((X, Y))),
        (("not x", "! x", "!x", "¬x"), syntax.Not(X)),
        (("not not x", "!!x", "¬!x", "not ¬ x"), syntax.Not(syntax.Not(X))),
        (("x = y", "x == y", "x==y"), syntax.Compare("=", X, Y)),
        (("x != y", "x ≠ y", "x!=y"), syntax.Compare("!=", X, Y)),
        (("x <= y", "x ≤ y"), syntax.Compare("<=", X, Y)),
        (("x >= y", "x ≥ y"), syntax.Compare(">=", X, Y)),
        (("pos % 3 = 1", "pos%3==01", "pos % 03 == 1"), syntax.Modulo(3, 1)),
        (
            ("#{1..3}['a']", "#{3,2,1}['a']", "# { 1 .. 2 , 2 .. 3 } [ 'a' ]", "#{01,2..3,1}['a']"),
            syntax.CountAt(A, (1, 2, 3)),
        ),
        (("#<['a']", "# < ['a']"), syntax.CountBefore(A)),
        (("-3", "- 3", "((-3))", "-0003"), syntax.Number(-3)),
        ((r"'\u{61}'", r"'\u{000061}'", "'a'"), A),
        (("x + y", "x+y", "1*x + y", "x - -1*y", "x // one\n + y// two"), syntax.Sum(((1, X), (1, Y)))),
        (("x - y", "x-y", "x + -y", "x + -1*y"), syntax.Sum(((1, X), (-1, Y)))),
    ],
)
def test_these_spellings_mean_the_same(texts: tuple[str, ...], tree: syntax.Expression) -> None:
    for text in texts:
        assert parse_expression(text) == tree, text


def test_lines_at_the_head_may_stand_anywhere_and_symbols_are_put_in_order() -> None:
    first = parse_program("alphabet 'b' 'a'\nstart '$'\nread at end\nx := 'a'\naccept := x\n")
    second = parse_program("accept := x read at end x := 'a' start '$' alphabet 'a' 'b'")
    assert first == second
    assert first.alphabet == ("a", "b")
    assert parse_program("alphabet 'a'\naccept := true").readout is Readout.LAST_SYMBOL


def test_words_that_only_some_lines_use_may_be_names() -> None:
    program = parse_program("alphabet 'a'\nread at last\nat := 'a'\nlast := at\nend := last\naccept := end")
    assert [each.name for each in program.definitions] == ["at", "last", "end"]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x or y and z", syntax.Or((X, syntax.And((Y, Z))))),
        ("x and y or z", syntax.Or((syntax.And((X, Y)), Z))),
        ("(x or y) and z", syntax.And((syntax.Or((X, Y)), Z))),
        ("x and y and z", syntax.And((X, Y, Z))),
        ("(x and y) and z", syntax.And((syntax.And((X, Y)), Z))),
        ("x and (y and z)", syntax.And((X, syntax.And((Y, Z))))),
        ("not x and y", syntax.And((syntax.Not(X), Y))),
        ("not x or y", syntax.Or((syntax.Not(X), Y))),
        ("not x = y", syntax.Not(syntax.Compare("=", X, Y))),
        ("not (x) = y", syntax.Not(syntax.Compare("=", X, Y))),
        ("(not x) = y", syntax.Compare("=", syntax.Not(X), Y)),
        ("x = y and y < z", syntax.And((syntax.Compare("=", X, Y), syntax.Compare("<", Y, Z)))),
        ("x + y = z - 1", syntax.Compare("=", syntax.Sum(((1, X), (1, Y))), syntax.Sum(((1, Z), (-1, ONE))))),
        ("x - y - z", syntax.Sum(((1, X), (-1, Y), (-1, Z)))),
        ("x - (y - z)", syntax.Sum(((1, X), (-1, syntax.Sum(((1, Y), (-1, Z))))))),
        ("2*x + y", syntax.Sum(((2, X), (1, Y)))),
        ("2*(x + y)", syntax.Sum(((2, syntax.Sum(((1, X), (1, Y)))),))),
        ("1*x", X),
        ("1*(2*x)", syntax.Sum(((2, X),))),
        ("2*(3*x)", syntax.Sum(((2, syntax.Sum(((3, X),))),))),
        ("0*x", syntax.Sum(((0, X),))),
        ("-x", syntax.Sum(((-1, X),))),
        ("-2*x", syntax.Sum(((-2, X),))),
        ("-x + y", syntax.Sum(((-1, X), (1, Y)))),
        ("-(3)", syntax.Sum(((-1, THREE),))),
        ("- -3", syntax.Sum(((-1, syntax.Number(-3)),))),
        ("x -3", syntax.Sum(((1, X), (-1, THREE)))),
        ("x - -3", syntax.Sum(((1, X), (-1, syntax.Number(-3))))),
        ("x - -3*y", syntax.Sum(((1, X), (3, Y)))),
        ("x - -y", syntax.Sum(((1, X), (1, Y)))),
        ("x + -y", syntax.Sum(((1, X), (-1, Y)))),
        ("-3 - 3", syntax.Sum(((1, syntax.Number(-3)), (-1, THREE)))),
        ("if x then y else z or x", syntax.Choice(X, Y, syntax.Or((Z, X)))),
        ("if x or y then 1 else 2 + 3", syntax.Choice(syntax.Or((X, Y)), ONE, syntax.Sum(((1, TWO), (1, THREE))))),
        ("if x then if y then 1 else 2 else 3", syntax.Choice(X, syntax.Choice(Y, ONE, TWO), THREE)),
        ("if x then 1 else if y then 2 else 3", syntax.Choice(X, ONE, syntax.Choice(Y, TWO, THREE))),
        ("(if x then 1 else 2) + 3", syntax.Sum(((1, syntax.Choice(X, ONE, TWO)), (1, THREE)))),
        ("pos % 2 = 1 and x", syntax.And((syntax.Modulo(2, 1), X))),
        ("pos % 2 = 1 = x", syntax.Compare("=", syntax.Modulo(2, 1), X)),
        ("x = pos % 2 = 1", syntax.Compare("=", X, syntax.Modulo(2, 1))),
        ("#[x] < #<[y]", syntax.Compare("<", syntax.Count(X), syntax.CountBefore(Y))),
        ("#[x or y]", syntax.Count(syntax.Or((X, Y)))),
        ("#[#{0}[x] > 1]", syntax.Count(syntax.Compare(">", syntax.CountAt(X, (0,)), ONE))),
    ],
)
def test_what_binds_tighter_is_read_first(text: str, tree: syntax.Expression) -> None:
    assert parse_expression(text) == tree
    assert parse_expression(print_expression(tree)) == tree


# Places


def test_the_place_of_a_node_holds_the_text_of_that_node() -> None:
    rng = Random(0)
    checked = 0
    for number in range(250):
        tree = random_tree(rng, 3 + number % 3)
        text = respell(rng, print_expression(tree))
        for node in syntax.walk(parse_expression(text)):
            assert node.span is not None
            spelled = text[slice(*node.span)]
            assert parse_expression(spelled) == node, (text, spelled)
            assert spelled.strip() == spelled
            checked += 1
    assert checked > 1500


def test_the_place_of_a_definition_is_its_name() -> None:
    rng = Random(1)
    for _ in range(200):
        text = respell(rng, print_program(random_syntax(rng, 3)))
        program = parse_program(text)
        for definition in program.definitions:
            assert text[slice(*definition.span)] == definition.name
        for following in program.next:
            begin, *_, symbol, end = split_tokens(text[slice(*following.span)])
            assert (begin.text, symbol.text, end.kind) == ("next", following.symbol, "end")
        assert [each.span for each in program.outputs] == [each.span for each in program.next] or program.accept


def test_the_place_of_a_node_is_no_part_of_its_value() -> None:
    here, there = parse_expression("#['a'] > 1 or x"), parse_expression("  ((#['a']) > 1)  or  x")
    assert here.span != there.span
    assert here == there
    assert hash(here) == hash(there)
    assert len({here, there, syntax.Or((syntax.Compare(">", syntax.Count(A), ONE), X))}) == 1
    assert repr(here) == repr(there)
    assert "span" not in repr(here)
    assert syntax.Definition("x", A, span=(0, 1)) == syntax.Definition("x", A)
    assert syntax.Next("a", A, span=(0, 1)) == syntax.Next("a", A)
    assert syntax.Modulo(2, 1, span=(3, 4)) != syntax.Modulo(2, 0, span=(3, 4))


@pytest.mark.parametrize(
    "node",
    [
        A,
        syntax.Not(A),
        syntax.And((A, B)),
        syntax.Count(A),
        syntax.CountAt(A, (1,)),
        syntax.Number(3),
        syntax.Name("x"),
    ],
)
def test_a_node_is_frozen(node: syntax.Expression) -> None:
    field = dataclasses.fields(node)[-1].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(node, field, None)


@given(expressions())
def test_a_node_rebuilt_from_its_parts_is_the_same_node_in_the_same_place(tree: syntax.Expression) -> None:
    for node in syntax.walk(dataclasses.replace(tree, span=(3, 7))):
        again = syntax.rebuild(node, syntax.children(node))
        assert again == node
        assert again.span == node.span
    assert next(syntax.walk(tree)) is tree
    assert len(list(syntax.walk(tree))) == 1 + sum(len(list(syntax.walk(child))) for child in syntax.children(tree))


def test_any_number_of_parts_becomes_one_expression() -> None:
    assert (syntax.conjunction([]), syntax.conjunction([A]), syntax.conjunction([A, B])) == (
        syntax.Constant(True),
        A,
        syntax.And((A, B)),
    )
    assert (syntax.disjunction([]), syntax.disjunction([A]), syntax.disjunction([A, B])) == (
        syntax.Constant(False),
        A,
        syntax.Or((A, B)),
    )
    assert syntax.total([]) == syntax.Number(0)
    assert syntax.total([(1, X)]) == X
    assert syntax.total([(2, X)]) == syntax.Sum(((2, X),))
    assert syntax.total([(1, X), (1, Y)]) == syntax.Sum(((1, X), (1, Y)))


def test_distances_are_put_in_order_and_named_once() -> None:
    assert syntax.CountAt(A, (3, 1, 1, 2)) == syntax.CountAt(A, (1, 2, 3))
    assert syntax.CountAt(A, (3, 1, 1, 2)).distances == (1, 2, 3)


def test_a_program_knows_its_outputs_and_the_symbols_a_position_may_carry() -> None:
    program = syntax.Program(alphabet="ba", accept=X, start="$", stop="!")
    assert program.outputs == (syntax.Definition("accept", X),)
    assert program.symbols == ("$", "a", "b")
    assert not program.is_generator
    writer = syntax.Program(alphabet="ba", next=(syntax.Next("b", X), syntax.Next("'", Y)))
    assert writer.outputs == (syntax.Definition("next 'b'", X), syntax.Definition("next '\\''", Y))
    assert writer.symbols == ("a", "b")
    assert writer.is_generator


# Errors of the text: message, hint, line, mark

HEAD = "alphabet 'a' 'b'\n"
DISTANCES_HINT = "hint: name distances, as in #{1}[…], #{0,2}[…] or #{1..3}[…].\n"
POSITION_HINT = "hint: the position can be seen modulo a number only, as in: pos % 3 = 1\n"
ESCAPE_HINT = "hint: after \\ stands ' or \\ or u{…} with the code of a character.\n"


def refusal(text: str, parse: Callable[[str], object] = parse_program) -> str:
    with pytest.raises(ProgramSyntaxError) as caught:
        parse(text)
    return str(caught.value).removeprefix("cannot read the program: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it names no alphabet.\nhint: begin with a line such as: alphabet 'a' 'b'\n\n^"),
        (
            "\n\naccept := true\n",
            "it names no alphabet.\nhint: begin with a line such as: alphabet 'a' 'b'\n\n^",
        ),
        (
            "alphabet a b",
            "'alphabet' needs one or more symbols in quotes; found 'a'.\n"
            "hint: for example: alphabet 'a' 'b'\n"
            "alphabet a b\n"
            "         ^",
        ),
        (
            "alphabet\n",
            "'alphabet' needs one or more symbols in quotes; found the end of the text.\n"
            "hint: for example: alphabet 'a' 'b'\n"
            "alphabet\n"
            "        ^",
        ),
        (
            "alphabet 'a' 'b'\n  'a'\n",
            "symbol 'a' appears twice.\nhint: name each symbol once.\n  'a'\n  ^^^",
        ),
        (
            "alphabet 'a'\nalphabet 'b'",
            "'alphabet' is said twice.\nhint: say it once.\nalphabet 'b'\n^^^^^^^^",
        ),
        (
            HEAD + "start '$' '^'\naccept := true",
            "'start' needs one symbol in quotes; found 2.\nhint: for example: start '$'\nstart '$' '^'\n          ^^^",
        ),
        (
            HEAD + "stop\naccept := true",
            "'stop' needs one symbol in quotes; found 'accept'.\nhint: for example: stop '$'\naccept := true\n^^^^^^",
        ),
        (
            HEAD + "read at start\naccept := true",
            "where to read is missing.\nhint: write 'read at last' or 'read at end'.\nread at start\n^^^^",
        ),
        (
            HEAD + "read at 'last'\naccept := true",
            "where to read is missing.\nhint: write 'read at last' or 'read at end'.\nread at 'last'\n^^^^",
        ),
        (HEAD + "read", "where to read is missing.\nhint: write 'read at last' or 'read at end'.\nread\n^^^^"),
        (
            HEAD + "accept := true\naccept := false",
            "'accept' is defined twice.\nhint: define it once.\naccept := false\n^^^^^^",
        ),
        (
            HEAD + "next 'a' := true\nnext 'a' := false",
            "next 'a' is defined twice.\nhint: define it once.\nnext 'a' := false\n     ^^^",
        ),
        (
            HEAD + "next a := true",
            "the symbol that comes next is missing; found 'a'.\n"
            "hint: write, for example: next 'a' := …\n"
            "next a := true\n"
            "     ^",
        ),
        (
            HEAD + "next 'a' = true",
            "':=' is missing after next 'a'; found '='.\nhint: write := here.\nnext 'a' = true\n         ^",
        ),
        (
            HEAD + "accept = true",
            "':=' is missing after accept; found '='.\nhint: write := here.\naccept = true\n       ^",
        ),
        (
            HEAD + "x = 'a'\naccept := x",
            "expected a definition; found 'x'.\n"
            "hint: a definition is written x := expression; or an operator is missing before it.\n"
            "x = 'a'\n"
            "^",
        ),
        (
            HEAD + "if := 'a'",
            "expected a definition; found 'if'.\n"
            "hint: 'if' is a word of the language and cannot be a name.\n"
            "if := 'a'\n"
            "^^",
        ),
        (
            HEAD + "alphabt 'c'",
            "expected a definition; found 'alphabt'.\nhint: did you mean 'alphabet'?\nalphabt 'c'\n^^^^^^^",
        ),
        (
            HEAD + "accept := #['a'] > 1 2",
            "expected a definition; found '2'.\n"
            "hint: an operator is missing before it, such as 'and', '+' or '='.\n"
            "accept := #['a'] > 1 2\n"
            "                     ^",
        ),
        (
            HEAD + "accept := #['a']] > 1",
            "expected a definition; found ']'.\n"
            "hint: it closes nothing; remove it.\n"
            "accept := #['a']] > 1\n"
            "                ^",
        ),
        (
            HEAD + "accept := true := false",
            "expected a definition; found ':='.\n"
            "hint: a definition is written name := expression.\n"
            "accept := true := false\n"
            "               ^^",
        ),
        (
            HEAD + "accept := true then",
            "expected a definition; found 'then'.\n"
            "hint: 'then' is a word of the language and cannot be a name here.\n"
            "accept := true then\n"
            "               ^^^^",
        ),
        (
            HEAD + "accept := (#['a'] > 1\n\n",
            "')' is missing after what stands in parentheses; found the end of the text.\n"
            "hint: write ) here.\n"
            "accept := (#['a'] > 1\n"
            "                     ^",
        ),
        (
            HEAD + "accept := #['a' > 1 // and so on\n",
            "']' is missing after what is counted; found the end of the text.\n"
            "hint: write ] here.\n"
            "accept := #['a' > 1 // and so on\n"
            "                   ^",
        ),
        (
            HEAD + "accept :=\n  #['a'] > 1 and\n",
            "expected an expression; found the end of the text.\n"
            "hint: for example: 'a', a name, #['a'], 3, (…).\n"
            "  #['a'] > 1 and\n"
            "                ^",
        ),
        (
            HEAD + "accept := 'a' or\n\t('b' and\n\t\tx y)\n",
            "')' is missing after what stands in parentheses; found 'y'.\nhint: write ) here.\n  x y)\n    ^",
        ),
        (
            HEAD + "n := #['a']\naccept := 1 < n < 3",
            "comparisons do not chain.\nhint: write 'x < y and y < z'.\naccept := 1 < n < 3\n                ^",
        ),
        (
            HEAD + "x := and",
            "expected an expression; found 'and'.\n"
            "hint: 'and' is a word of the language and cannot be a name.\n"
            "x := and\n"
            "     ^^^",
        ),
        (
            HEAD + "accept := 2*3*#['a'] = 1",
            "a product begins with one integer.\n"
            "hint: write, for example, 6*#['a'].\n"
            "accept := 2*3*#['a'] = 1\n"
            "             ^",
        ),
        (
            HEAD + "accept := *#['a'] = 1",
            "expected an expression; found '*'.\n"
            "hint: a product is an integer times a count, as in 2*#['a'].\n"
            "accept := *#['a'] = 1\n"
            "          ^",
        ),
        (
            HEAD + "accept := 1 + not 'a'",
            "expected an expression; found 'not'.\n"
            "hint: put what 'not' belongs to in parentheses: (not …).\n"
            "accept := 1 + not 'a'\n"
            "              ^^^",
        ),
        (
            HEAD + "accept := 1 + if 'a' then 1 else 0 = 1",
            "expected an expression; found 'if'.\n"
            "hint: put the choice in parentheses: (if … then … else …).\n"
            "accept := 1 + if 'a' then 1 else 0 = 1\n"
            "              ^^",
        ),
        (
            HEAD + "accept := (if 'a'\n  1 else 2) = 1",
            "'then' is missing after the condition; found '1'.\nhint: write then here.\n  1 else 2) = 1\n  ^",
        ),
        (
            HEAD + "accept := (if 'a' then 1) = 1",
            "'else' is missing after the first count; found ')'.\n"
            "hint: write else here.\n"
            "accept := (if 'a' then 1) = 1\n"
            "                        ^",
        ),
        (
            HEAD + "accept := pos = 2",
            f"the position is not used as it can be; found '='.\n{POSITION_HINT}accept := pos = 2\n              ^",
        ),
        (
            HEAD + "accept := pos % 0 = 0",
            f"a modulus is at least 1.\n{POSITION_HINT}accept := pos % 0 = 0\n          ^^^^^^^^^^^",
        ),
        (
            HEAD + "accept := pos % 3 = 3",
            f"a residue modulo 3 is at most 2.\n{POSITION_HINT}accept := pos % 3 = 3\n          ^^^^^^^^^^^",
        ),
        (
            HEAD + "accept := #{}['a'] = 1",
            f"a distance is missing; found '}}'.\n{DISTANCES_HINT}accept := #{{}}['a'] = 1\n            ^",
        ),
        (
            HEAD + "accept := #{1..}['a'] = 1",
            f"the largest distance is missing; found '}}'.\n"
            f"{DISTANCES_HINT}accept := #{{1..}}['a'] = 1\n               ^",
        ),
        (
            HEAD + "accept := #{3..1}['a'] = 1",
            "distances run from a smaller to a larger number, at most 10000.\n"
            f"{DISTANCES_HINT}"
            "accept := #{3..1}['a'] = 1\n"
            "            ^^^^",
        ),
        (
            HEAD + "accept := #{1 ['a'] = 1",
            "'}' is missing after the distances; found '['.\n"
            "hint: write } here.\n"
            "accept := #{1 ['a'] = 1\n"
            "              ^",
        ),
        (
            HEAD + "accept := #<{1}['a'] = 1",
            "'[' is missing after '#'; found '{'.\nhint: write [ here.\naccept := #<{1}['a'] = 1\n            ^",
        ),
        (
            HEAD + "accept := #'a' = 1",
            "'[' is missing after '#'; found 'a'.\nhint: write [ here.\naccept := #'a' = 1\n           ^^^",
        ),
        (
            HEAD + "accept := 'a\nx := 'b'",
            "this quote is never closed.\n"
            "hint: a symbol stands in quotes on one line, for example 'a'.\n"
            "accept := 'a\n"
            "          ^",
        ),
        (
            HEAD + "accept := ''",
            "a symbol needs at least one character.\n"
            "hint: write it between the quotes, for example 'a'.\n"
            "accept := ''\n"
            "          ^^",
        ),
        (HEAD + r"accept := 'a\n'", f"this is no escape.\n{ESCAPE_HINT}accept := 'a\\n'\n            ^^"),
        (
            HEAD + r"accept := '\u{110000}'",
            f"this is no escape.\n{ESCAPE_HINT}accept := '\\u{{110000}}'\n           ^^",
        ),
        (HEAD + r"accept := '\u{d800}'", f"this is no escape.\n{ESCAPE_HINT}accept := '\\u{{d800}}'\n           ^^"),
        (HEAD + r"accept := '\u{}'", f"this is no escape.\n{ESCAPE_HINT}accept := '\\u{{}}'\n           ^^"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_its_line_and_a_mark(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ('"a"', "symbols stand in single quotes, for example 'a'."),
        (": true", "a definition is written name := expression."),
        ("? 1", "a choice is written: if condition then 1 else 0."),
        ("^ x", "write 'and', 'or', 'not' for truths; there are no powers."),
        ("/ 2", "a comment begins with //; there is no division."),
        (".3", "distances may be given as a range, as in #{1..3}[…]."),
        ("; x", "a definition ends where the next one begins; leave the sign out."),
        ("@", "symbols of the word stand in quotes, for example 'a'."),
        ("٣", "symbols of the word stand in quotes, for example 'a'."),
    ],
)
def test_a_character_without_a_meaning_is_refused_with_what_was_probably_meant(body: str, hint: str) -> None:
    assert refusal(f"{HEAD}accept := {body}") == (
        f"{body[0]!r} has no meaning here.\nhint: {hint}\naccept := {body}\n          ^"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "expected an expression; found the end of the text.\nhint: for example: 'a', a name, #['a'], 3, (…).\n\n^",
        ),
        ("x )", "the expression ends before ')'.\nhint: it closes nothing; remove it.\nx )\n  ^"),
        ("x := 1", "the expression ends before ':='.\nhint: a definition is written name := expression.\nx := 1\n  ^^"),
        ("- - x", "expected an expression; found '-'.\nhint: for example: 'a', a name, #['a'], 3, (…).\n- - x\n  ^"),
        (
            "1 + 2 'a'",
            "the expression ends before 'a'.\n"
            "hint: an operator is missing before it, such as 'and', '+' or '='.\n"
            "1 + 2 'a'\n"
            "      ^^^",
        ),
    ],
)
def test_a_text_that_is_more_or_less_than_an_expression_is_refused(text: str, message: str) -> None:
    assert refusal(text, parse_expression) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD,
            "a program says what it accepts or which symbols come next; found neither.\n"
            "hint: write 'accept := …', or a line \"next 'a' := …\" for every symbol.",
        ),
        (
            HEAD + "read at end\nnext 'a' := true",
            "which symbols come next is read at every position, so there is no end to read at; found 'END_MARKER'.\n"
            "hint: leave 'read at end' out.",
        ),
        (
            HEAD + "start 'a'\naccept := true",
            "the start symbol is put there by the program and cannot be in its alphabet; found 'a'.\n"
            "hint: choose another symbol.",
        ),
        (
            HEAD + "start '$'\nstop '$'\nnext 'a' := true",
            "the start and the stop symbol differ; found '$'.\nhint: choose another symbol.",
        ),
    ],
)
def test_a_program_that_is_wrong_as_a_whole_is_refused_at_its_alphabet(text: str, message: str) -> None:
    assert refusal(text) == f"{message}\nalphabet 'a' 'b'\n^^^^^^^^"


def test_a_text_that_says_both_what_is_accepted_and_what_comes_next_is_refused() -> None:
    message = refusal(HEAD + "accept := true\nnext 'a' := true")
    assert message.startswith("a program says what it accepts or which symbols come next, and not both; found (")


def test_of_a_long_line_and_a_long_word_only_a_part_is_shown() -> None:
    message = refusal(f"{HEAD}accept := {'x and ' * 10_000} and")
    assert len(message) < 400
    line, mark = message.split("\n")[2:]
    assert line[mark.index("^") :] == "and"
    assert line.startswith("…")
    assert refusal("alphabet 'a' " + "y" * 10_000).startswith(
        f"expected a definition; found '{'y' * 40}…'.\nhint: a def"
    )


# Limits


def test_nesting_is_read_up_to_its_limit() -> None:
    assert parse_expression("(" * (MAX_NESTING - 1) + "x" + ")" * (MAX_NESTING - 1)) == X
    text = "(" * MAX_NESTING + "x"
    assert refusal(text, parse_expression) == (
        f"it is nested more than 60 deep here.\nhint: give inner parts names of their own.\n{text}\n{' ' * 60}^"
    )
    for inner in ("#[{}]", "#<[{}]", "#{{1}}[{}]", "if {} then 1 else 2", "if x then {} else 2", "if x then 1 else {}"):
        text = "x"
        for _ in range(MAX_NESTING):
            text = inner.format(text)
        assert "it is nested more than 60 deep here." in refusal(text, parse_expression)


def test_a_tree_is_read_up_to_its_depth_however_little_its_text_is_nested() -> None:
    tree = parse_expression("not " * (MAX_DEPTH - 1) + "x")
    assert len(list(syntax.walk(tree))) == MAX_DEPTH
    for text in ("not " * MAX_DEPTH + "x", "not " * (MAX_DEPTH // 2) + "(" + "not " * (MAX_DEPTH // 2) + "x)"):
        assert refusal(text, parse_expression).startswith(
            "its parts are nested more than 100 deep here.\nhint: give inner parts names of their own.\n…"
        )
        with pytest.raises(ProgramSyntaxError) as caught:
            parse_expression(text)
        assert text[slice(*caught.value.span)] == "x"
    assert refusal("¬" * (MAX_DEPTH + 1) + "x", parse_expression) == (
        f"there are more than 100 'not' in a row.\nhint: two cancel out.\n{'¬' * 101}x\n{'^' * 100}"
    )


DEEP_FORMS = (
    "not not not not ({})",
    "'a' and not ({})",
    "'a' or 'a' and not 1 + #[{}] = 2",
    "#[#<[#{{1}}[{}] > 0] > 0] > 0",
    "(if {} then 1 else 2) + 1 = 2",
    "(if 'a' then #[{}] else 2) = 1",
    "2*(1 + 2*#[{}]) = 1",
)


def deepest_texts() -> list[str]:
    """Return for each form the longest expression that is read."""
    found = []
    for form in DEEP_FORMS:
        text = "'a'"
        while True:
            try:
                parse_expression(form.format(text))
            except ProgramSyntaxError:
                break
            text = form.format(text)
        found.append(text)
    return found


def with_a_deep_stack(frames: int, work: Callable[[], object]) -> object:
    return work() if frames == 0 else with_a_deep_stack(frames - 1, work)


@pytest.mark.parametrize("text", deepest_texts())
def test_whatever_can_be_read_can_be_used_without_reaching_the_limit_of_the_stack(text: str) -> None:
    def use() -> None:
        program = parse_program(f"alphabet 'a'\naccept := {text}")
        again = parse_program(print_program(program))
        assert again == program
        assert hash(again) == hash(program)
        assert repr(again) == repr(program)
        run_program(program, "aaa")
        BatchedProgram(program)
        assert min(depth_of(program), size_of(program), len(fragment_of(program))) >= 0

    frames = 1
    frame = sys._getframe()
    while frame := frame.f_back:
        frames += 1
    with_a_deep_stack(max(0, 250 - frames), use)


def test_numbers_are_read_up_to_their_limit() -> None:
    assert parse_expression("1000000") == syntax.Number(syntax.MAX_INTEGER)
    assert parse_expression("-1000000") == syntax.Number(-syntax.MAX_INTEGER)
    assert parse_expression("0" * 9000 + "7*x") == syntax.Sum(((7, X),))
    assert parse_expression("0" * 9000) == syntax.Number(0)
    message = "this number is larger than 1000000.\nhint: choose a smaller one.\n{}\n{}"
    for text in ("1000001", "9" * 12, "9" * 100):
        assert refusal(text, parse_expression) == message.format(text, "^" * len(text))
    assert "is larger than" in refusal("9" * 100_000, parse_expression)
    assert "is larger than" in refusal("pos % 1000001 = 1", parse_expression)


def test_distances_are_read_up_to_their_limits() -> None:
    assert parse_expression(f"#{{0..{syntax.MAX_DISTANCE}}}[x]") == syntax.CountAt(
        X, tuple(range(syntax.MAX_DISTANCE + 1))
    )
    assert "at most 10000" in refusal(f"#{{{syntax.MAX_DISTANCE + 1}}}[x]", parse_expression)
    most = MAX_DISTANCES // syntax.MAX_DISTANCE
    text = " + ".join([f"#{{1..{syntax.MAX_DISTANCE}}}[x]"] * most)
    assert len(syntax.children(parse_expression(text))) == most
    assert refusal(f"{text} +\n #{{0}}[x]", parse_expression) == (
        "it names more than 1000000 distances.\nhint: define a count once and use its name.\n #{0}[x]\n   ^"
    )


def test_a_text_is_read_up_to_its_size() -> None:
    text = "alphabet 'a' accept := true //"
    assert parse_program(text.ljust(MAX_TEXT, "x")).accept == syntax.Constant(True)
    assert refusal(text.ljust(MAX_TEXT + 1, "x")) == (
        "it has 100001 characters; at most 100000 are read.\n"
        "hint: split it into several programs.\n"
        "alphabet 'a' accept := true //xxxxxxxxxx\n"
        "^"
    )


# Nodes that cannot be made

SUM_MESSAGE = "a sum has two or more terms, or one with a factor other than 1, and factors of size at most 1000000"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: syntax.Symbol(""),
            "a symbol must be a non-empty string; found ''.\nhint: write symbols as text, for example 'a'.",
        ),
        (
            lambda: syntax.Symbol(3),
            "a symbol must be a non-empty string; found 3.\nhint: write symbols as text, for example 'a'.",
        ),
        (lambda: syntax.Constant(1), "a constant must be true or false; found 1.\nhint: numbers are Number(3)."),
        (
            lambda: syntax.And((A,)),
            "'and' needs two or more parts; found (Symbol(symbol='a'),).\nhint: use conjunction(parts) for any number.",
        ),
        (
            lambda: syntax.Or(()),
            "'or' needs two or more parts; found ().\nhint: use disjunction(parts) for any number.",
        ),
        (lambda: syntax.Modulo(0, 0), "a modulus lies between 1 and 1000000; found 0.\nhint: for example 2."),
        (lambda: syntax.Modulo(2.0, 0), "a modulus lies between 1 and 1000000; found 2.0.\nhint: for example 2."),
        (
            lambda: syntax.Modulo(1_000_001, 0),
            "a modulus lies between 1 and 1000000; found 1000001.\nhint: for example 2.",
        ),
        (lambda: syntax.Modulo(3, 3), "a residue modulo 3 lies between 0 and 2; found 3.\nhint: reduce it first."),
        (lambda: syntax.Modulo(3, -1), "a residue modulo 3 lies between 0 and 2; found -1.\nhint: reduce it first."),
        (
            lambda: syntax.Modulo(3, True),
            "a residue modulo 3 lies between 0 and 2; found True.\nhint: reduce it first.",
        ),
        (
            lambda: syntax.Compare("==", X, Y),
            "a comparison is one of = != < <= > >=; found '=='.\nhint: use one of these signs.",
        ),
        (
            lambda: syntax.Number(True),
            "a number must be an integer of size at most 1000000; found True.\nhint: truths are Constant(True).",
        ),
        (
            lambda: syntax.Number(-1_000_001),
            "a number must be an integer of size at most 1000000; found -1000001.\nhint: truths are Constant(True).",
        ),
        (lambda: syntax.Sum(()), f"{SUM_MESSAGE}; found ().\nhint: use total(terms) for any terms."),
        (
            lambda: syntax.Sum(((1, X),)),
            f"{SUM_MESSAGE}; found ((1, Name(name='x')),).\nhint: use total(terms) for any terms.",
        ),
        (
            lambda: syntax.Sum(((0.5, X), (1, X))),
            f"{SUM_MESSAGE}; found ((0.5, Name(name='x')), (1, Name(name='x'))).\nhint: use total(terms) for any terms.",
        ),
        (
            lambda: syntax.CountAt(A, ()),
            "distances are one or more integers from 0 to 10000; found ().\n"
            "hint: for example (1,) for the previous position.",
        ),
        (
            lambda: syntax.CountAt(A, (1, -1)),
            "distances are one or more integers from 0 to 10000; found (1, -1).\n"
            "hint: for example (1,) for the previous position.",
        ),
        (
            lambda: syntax.CountAt(A, (10_001,)),
            "distances are one or more integers from 0 to 10000; found (10001,).\n"
            "hint: for example (1,) for the previous position.",
        ),
        (
            lambda: syntax.Program(alphabet="ab", accept=A, start="a"),
            "the start symbol is put there by the program and cannot be in its alphabet; found 'a'.\n"
            "hint: choose another symbol.",
        ),
        (
            lambda: syntax.Program(alphabet="ab", accept=A, stop="b"),
            "the stop symbol is put there by the program and cannot be in its alphabet; found 'b'.\n"
            "hint: choose another symbol.",
        ),
        (
            lambda: syntax.Program(alphabet="ab", accept=A, start=""),
            "a symbol must be a non-empty string; found ''.\nhint: write symbols as text, for example 'a'.",
        ),
        (
            lambda: syntax.Program(alphabet="ab", accept=A, start="$", stop="$"),
            "the start and the stop symbol differ; found '$'.\nhint: choose another symbol.",
        ),
        *(
            (
                lambda name=name: syntax.Program(alphabet="ab", accept=A, definitions=(syntax.Definition(name, A),)),
                "a name is letters, digits and _, begins with a letter and is no word of the language; "
                f"found {name!r}.\nhint: choose another name.",
            )
            for name in ("not", "accept", "pos", "", "1x", "x y", "x-y", "x\n", "next 'a'", 3)
        ),
        (
            lambda: syntax.Program(alphabet="ab"),
            "a program says what it accepts or which symbols come next; found neither.\n"
            "hint: write 'accept := …', or a line \"next 'a' := …\" for every symbol.",
        ),
        (
            lambda: syntax.Program(alphabet="ab", next=(syntax.Next("a", A),), readout=Readout.END_MARKER),
            "which symbols come next is read at every position, so there is no end to read at; found 'END_MARKER'.\n"
            "hint: leave 'read at end' out.",
        ),
    ],
)
def test_a_node_that_means_nothing_cannot_be_made(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidProgramError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("alphabet", "message"),
    [
        ("", "an alphabet needs at least one symbol; none was given.\nhint: name its symbols, for example 'ab'."),
        ("aba", "symbol 'a' appears twice in the alphabet.\nhint: name each symbol once."),
        (("a", ""), "a symbol must be a non-empty string; found ''.\nhint: write symbols as text, for example 'a'."),
    ],
)
def test_a_program_needs_a_proper_alphabet(alphabet: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidAlphabetError) as caught:
        syntax.Program(alphabet=alphabet, accept=syntax.Constant(True))
    assert str(caught.value) == message


def test_both_errors_of_programs_are_errors_of_the_package_and_value_errors() -> None:
    for kind in (ProgramSyntaxError, InvalidProgramError):
        assert issubclass(kind, LengthwiseError)
        assert issubclass(kind, ValueError)
