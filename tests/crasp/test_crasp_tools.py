"""The tools around programs: checker, simplification, normal form, comparison, trace, LaTeX, Python form."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from random import Random

import pytest
from crasp_programs import ProgramSource, random_word

from lengthwise.crasp.checker import Severity, check_program, has_errors
from lengthwise.crasp.comparison import Comparison, compare
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.interpreter import accepts, next_symbols, run_program
from lengthwise.crasp.latex import latex_program
from lengthwise.crasp.measures import depth_of, fragment_of
from lengthwise.crasp.normal_form import normal_form
from lengthwise.crasp.operators import constant, count, make_program, named, position, symbol, where
from lengthwise.crasp.parser import parse_expression, parse_program
from lengthwise.crasp.printer import print_expression, print_program
from lengthwise.crasp.ranges import Ranges
from lengthwise.crasp.simplification import simplify
from lengthwise.crasp.syntax import Constant, CountAt, CountBefore, Or, Program, Symbol, walk
from lengthwise.crasp.trace import trace_html, trace_program, trace_text
from lengthwise.errors import (
    AlphabetMismatchError,
    CapExceededError,
    InvalidOptionError,
    InvalidProgramError,
    NoSuchWordError,
)
from lengthwise.languages.regex import compile_regex
from lengthwise.markup import visible

DYCK = """
alphabet '(' ')'
depth := #['('] - #[')']
broken := depth < 0
accept := #[broken] = 0 and depth = 0
"""


def program_of(body: str, head: str = "alphabet 'a' 'b'") -> Program:
    return parse_program(f"{head}\naccept := {body}")


def random_programs(seed: int, number: int) -> list[tuple[Program, list[str]]]:
    random = Random(seed)
    made = []
    for _ in range(number):
        source = ProgramSource(random, alphabet=random.choice(["a", "ab", "abc"]), start=random.choice([None, "$"]))
        words = [random_word(random, source.alphabet, 11) for _ in range(6)]
        made.append((source.program(random.randint(1, 14)), words))
    return made


def assert_same(one: Program, two: Program, words: list[str]) -> None:
    for offset, word in enumerate(words):
        left, right = run_program(one, word, offset=offset), run_program(two, word, offset=offset)
        for output in one.outputs:
            assert left[output.name] == right[output.name], (print_program(one), print_program(two), word)


# Checker


def findings(text: str) -> list[str]:
    return [f"{each.severity} {each.code}: {each.message}" for each in check_program(parse_program(text))]


def test_the_checker_returns_every_error_and_not_only_the_first() -> None:
    text = "alphabet 'a'\nx := #['b'] and y\nz := not 3\nx := 'a'\naccept := z + 1"
    assert findings(text) == [
        "error symbol: symbol 'b' is not in the alphabet 'a'.",
        "error type: 'and' needs a truth, but #['b'] is a count; compare it with a number, as in #['a'] > 0.",
        "error undefined: name 'y' is not defined; define it first.",
        "error type: 'not' needs a truth, but 3 is a count; compare it with a number, as in #['a'] > 0.",
        "error redefined: name 'x' is defined twice; choose another.",
        "error type: a sum needs a count, but z is a truth; count it, as in #['a'], or choose: (if 'a' then 1 else 0).",
        "error type: 'accept' needs a truth, but z + 1 is a count; compare it with a number.",
    ]
    assert has_errors(check_program(parse_program(text)))


def test_the_checker_finds_what_is_unused_constant_or_never_changes() -> None:
    text = "alphabet 'a' 'b'\nn := #['a']\naccept := #['a' and 'b'] = 0 and ('a' or 'b') and #['a'] > -1 and #['b'] > 1"
    assert findings(text) == [
        "warning unused: name 'n' is never used; remove it, or use it.",
        "warning constant: #['a' and 'b'] = 0 is true at every position of every word.",
        "warning count: the count #['a' and 'b'] can never change: it is 0 everywhere.",
        "warning constant: 'a' or 'b' is true at every position of every word.",
        "warning constant: #['a'] > -1 is true at every position of every word.",
        "note fragment: the program is in C-RASP: it only counts.",
        "note depth: its depth is 1: #['a' and 'b'].",
    ]


def test_fragment_and_depth_come_with_what_makes_them() -> None:
    text = "alphabet 'a' 'b'\np := #{1}['a'] > 0\naccept := #[p and pos % 2 = 0] > 2"
    assert findings(text)[-2:] == [
        "note fragment: the program is in C-RASP[periodic, local]: pos % 2 = 0 looks at the position, and #{1}['a'] looks back.",
        "note depth: its depth is 2: #{1}['a'] inside #[p and pos % 2 = 0].",
    ]


def test_a_count_that_takes_in_the_end_marker_is_pointed_out() -> None:
    text = "alphabet 'a' 'b'\nread at end\naccept := #[not 'a'] <= 1"
    assert "warning marker: at the end marker, #[not 'a'] counts the marker itself; #<[not 'a'] does not." in findings(
        text
    )
    assert not [
        each for each in findings("alphabet 'a' 'b'\nread at end\naccept := #<[not 'a'] = 0") if "marker" in each
    ]


def test_a_generator_is_told_which_symbols_never_come() -> None:
    text = "alphabet 'a' 'b'\nstop '#'\nnext 'a' := 'b'"
    assert "note next: no line says when these come next, so they never do: 'b' '#'." in findings(text)


def test_findings_know_their_place() -> None:
    text = "alphabet 'a'\naccept := #['a'] and 'a'"
    (finding,) = check_program(parse_program(text))
    assert finding.severity is Severity.ERROR
    assert finding.where == "accept"
    assert finding.span is not None
    assert text[slice(*finding.span)] == "#['a']"


def test_a_program_without_errors_has_no_constant_that_a_run_refutes() -> None:
    for program, words in random_programs(1, 300):
        ranges = Ranges(program)
        for definition in (*program.definitions, *program.outputs):
            value = ranges.constant(definition.body)
            if value is not None:
                for word in words:
                    assert set(run_program(program, word)[definition.name]) <= {value}


def test_every_value_lies_in_the_range_that_is_claimed() -> None:
    for program, words in random_programs(2, 300):
        ranges = Ranges(program)
        for definition in (*program.definitions, *program.outputs):
            low = min(each for each, _ in ranges.of(definition.body))
            high = max(each for _, each in ranges.of(definition.body))
            for word in words:
                assert all(low <= value <= high for value in run_program(program, word)[definition.name])


# Simplification


@pytest.mark.parametrize(
    ("body", "simple"),
    [
        ("not not 'a'", "'a'"),
        ("not #['a'] < 3", "#['a'] >= 3"),
        ("'a' and true and 'a'", "'a'"),
        ("'a' and not 'a'", "false"),
        ("#['a'] > 1 or not #['a'] > 1", "true"),
        ("#['a'] - #['b'] > 0", "#['a'] > #['b']"),
        ("2*#['a'] + 3 > 4*#['b']", "#['a'] + 2 > 2*#['b']"),
        ("2*#['a'] > 4*#['b']", "#['a'] > 2*#['b']"),
        ("2*#['a'] > 3", "#['a'] > 1"),
        ("2*#['a'] >= 3", "#['a'] >= 2"),
        ("3*#['a'] < 7", "#['a'] < 3"),
        ("3*#['a'] <= 7", "#['a'] <= 2"),
        ("2*#['a'] = 3", "false"),
        ("2*#['a'] != 3", "true"),
        ("#['a'] + #['b'] - #['a'] = 2", "#['b'] = 2"),
        ("(if #['a'] > 2 then 1 else 0) = 1", "#['a'] > 2"),
        ("(if #['a'] > 2 then 1 else 0) = 0", "#['a'] <= 2"),
        ("(if #['a'] > 2 then 5 else 5) = #['b']", "#['b'] = 5"),
        ("(if not 'a' then #['a'] else 0) = 2", "(if 'a' then 0 else #['a']) = 2"),
        ("#['a' and 'b'] < #['a']", "#['a'] > 0"),
        ("#{1}['a' or 'b'] < 2", "true"),
        ("pos % 1 = 0 and 'a'", "'a'"),
        ("#['a'] >= 0 and #['b'] < 0", "false"),
    ],
)
def test_simplification_gives_the_short_form(body: str, simple: str) -> None:
    accept = simplify(program_of(body)).accept
    assert accept is not None
    assert print_expression(accept) == simple


def test_simplification_drops_names_that_are_unused_or_stand_for_atoms() -> None:
    program = parse_program("alphabet 'a' 'b'  x := 'a'  y := not not x  z := #[y]  u := #[z > 1]  accept := z = 2")
    assert print_program(simplify(program)) == "alphabet 'a' 'b'\nread at last\n\nz      := #['a']\naccept := z = 2\n"


def test_simplification_never_changes_the_meaning() -> None:
    for program, words in random_programs(3, 400):
        simple = simplify(program)
        assert_same(program, simple, words)
        assert fragment_of(program).includes(fragment_of(simple))
        assert depth_of(simple) <= depth_of(program)
        assert simplify(simple) == simple


def test_simplification_stays_within_the_size_of_numbers() -> None:
    program = program_of("1000000*(1000000*#['a']) > #['b'] + 1000000 + 1000000")
    assert_same(program, simplify(program), ["", "ab", "ba", "aab"][1:])


# Normal form


def test_the_normal_form_never_changes_the_meaning_and_has_the_form() -> None:
    for program, words in random_programs(4, 400):
        normal = normal_form(program)
        assert_same(program, normal, words)
        assert depth_of(normal) <= depth_of(program)
        assert fragment_of(program).includes(fragment_of(normal))
        for definition in (*normal.definitions, *normal.outputs):
            for node in walk(definition.body):
                assert not isinstance(node, CountBefore)
                assert not isinstance(node, CountAt) or isinstance(node.body, (Symbol, Constant))


def test_a_program_that_never_looks_back_has_none_of_it_in_its_normal_form() -> None:
    random = Random(5)
    for _ in range(100):
        program = ProgramSource(random, fragment=Fragment.PLAIN).program(10)
        assert fragment_of(normal_form(program)) is Fragment.PLAIN


def num_parts(program: Program) -> int:
    return sum(1 for each in (*program.definitions, *program.outputs) for _ in walk(each.body))


def test_the_normal_form_is_linear_in_the_program_and_in_its_window() -> None:
    def nested(depth: int) -> Program:
        lines = ["d0 := #<['a'] > 1"]
        lines += [f"d{number} := #<[d{number - 1}] > 1 and #['b'] > {number}" for number in range(1, depth)]
        return parse_program(f"alphabet 'a' 'b'\n{chr(10).join(lines)}\naccept := d{depth - 1}")

    def wide(window: int) -> Program:
        return program_of(f"#{{{window}}}[#[#['a'] > #['b']] > 3] > 0")

    for family in (nested, wide):
        parts = [num_parts(normal_form(family(number))) for number in (10, 20, 30, 40)]
        steps = {later - earlier for earlier, later in itertools.pairwise(parts)}
        assert len(steps) == 1  # ten more of one cost the same, however many there are


def test_the_normal_form_keeps_the_names_of_definitions() -> None:
    normal = normal_form(parse_program(DYCK))
    assert [each.name for each in normal.definitions] == ["depth", "broken"]


def test_a_long_chain_of_definitions_has_a_normal_form() -> None:
    links = "\n".join(f"d{number} := #<[d{number - 1}] >= 1" for number in range(1, 400))
    program = parse_program(f"alphabet 'a' 'b'\nd0 := 'a'\n{links}\naccept := d399")
    plain = normal_form(program)
    assert depth_of(plain) == depth_of(program) == 399
    assert not any(isinstance(node, CountBefore) for each in plain.definitions for node in walk(each.body))


# Comparison


def test_programs_that_agree_are_equal_on_all_words_up_to_a_length() -> None:
    program = parse_program("alphabet 'a' 'b'\nd := #['a'] - #['b']\naccept := #[d < 0 or d > 1] = 0 and d = 0")
    found = compare(program, compile_regex("(ab)*"), max_length=9)
    assert (found.equal, found.num_words, found.min_length, found.max_length) == (True, 2**10 - 2, 1, 9)


def test_a_counterexample_is_a_shortest_one() -> None:
    random = Random(6)
    different = 0
    for _ in range(150):
        source = ProgramSource(random, alphabet="ab")
        pair = [source.program(8) for _ in range(2)]
        if pair[0].is_generator != pair[1].is_generator:
            continue
        found = compare(pair[0], pair[1], max_length=5)
        tell = next_symbols if pair[0].is_generator else accepts

        def differ(word: str, pair: list[Program] = pair, tell: object = tell) -> bool:
            assert callable(tell)
            said = [tell(each, word) for each in pair]
            return bool(said[0] != said[1] if tell is accepts else said[0][-1] != said[1][-1])

        words = ["".join(w) for n in range(found.min_length, 6) for w in itertools.product("ab", repeat=n)]
        shortest = next((word for word in words if differ(word)), None)
        assert (None if found.counterexample is None else "".join(found.counterexample)) == shortest
        different += shortest is not None
    assert different > 30


def test_what_each_side_says_of_the_counterexample_is_told() -> None:
    found = compare(parse_program("alphabet 'a' 'b'  accept := #['a'] = #['b']"), compile_regex("(ab)*"))
    assert found.counterexample == ("b", "a")
    assert (found.left, found.right) == ("accepts", "rejects")
    one = parse_program("alphabet 'a' 'b'  next 'a' := 'b'  next 'b' := true")
    two = parse_program("alphabet 'a' 'b'  next 'b' := 'a'")
    found = compare(one, two)
    assert (found.counterexample, found.left, found.right) == (("b",), "goes on with a or b", "goes on with nothing")


def test_the_empty_word_is_compared_where_both_sides_speak_of_it() -> None:
    at_end = parse_program("alphabet 'a'\nread at end\naccept := #['a'] = 1")
    assert compare(at_end, compile_regex("a")).min_length == 0
    assert compare(at_end, parse_program("alphabet 'a'\naccept := #['a'] = 1")).min_length == 1
    assert compare(at_end, compile_regex("a?")).counterexample == ()


def test_automata_are_compared_on_words_of_every_length_unless_one_is_asked_for() -> None:
    one, two = compile_regex("(ab)*", alphabet="abc"), compile_regex("(ab){0,40}", alphabet="abc")
    found = compare(one, two)
    assert (found.exact, found.equal, found.counterexample) == (True, False, ("a", "b") * 41)
    assert (found.left, found.right) == ("accepts", "rejects")
    assert compare(one, compile_regex("(ab)*|(abab)*", alphabet="abc")) == Comparison(
        num_words=0, min_length=0, max_length=None, counterexample=None
    )
    short = compare(one, two, max_length=5)
    assert (short.exact, short.equal, short.num_words) == (False, True, sum(3**length for length in range(6)))


def test_sides_that_cannot_be_compared_are_refused() -> None:
    acceptor = program_of("'a'")
    generator = parse_program("alphabet 'a' 'b'  next 'a' := 'b'")
    with pytest.raises(InvalidProgramError, match="one of the two says which words it accepts"):
        compare(acceptor, generator)
    with pytest.raises(InvalidProgramError, match="an automaton accepts words"):
        compare(compile_regex("ab"), generator)
    with pytest.raises(AlphabetMismatchError, match=r"over different alphabets, \{a, b\} and \{a, c\}"):
        compare(acceptor, compile_regex("(a|c)*"))
    with pytest.raises(InvalidOptionError, match="a longest length of 0 leaves no word to compare"):
        compare(acceptor, acceptor, max_length=0)
    with pytest.raises(CapExceededError, match="more than 20,000,000 words up to length 60 over 2 symbols"):
        compare(acceptor, acceptor, max_length=60)


# Trace


def test_a_trace_has_a_row_per_definition_and_a_column_per_position() -> None:
    trace = trace_program(parse_program(DYCK), "())(")
    assert trace_text(trace).split("\n") == [
        "position  1 2  3 4",
        "symbol    ( )  ) (",
        "──────────────────",
        "depth     1 0 -1 0",
        "broken    · ·  ✓ ·",
        "accept    · ✓  · ·",
    ]
    assert trace.result == "rejected"


def test_a_long_trace_goes_on_below() -> None:
    text = trace_text(trace_program(parse_program(DYCK), "()" * 40), width=60)
    assert max(map(len, text.split("\n"))) <= 60
    assert text.count("position") > 1
    assert [line for line in text.split("\n") if line.startswith("depth")][-1].endswith(" 0")


def test_a_trace_shows_markers_and_what_comes_next() -> None:
    trace = trace_program(parse_program("alphabet 'a'\nstart '$'\nread at end\naccept := #['a'] > 0"), "a")
    assert trace.symbols == ("$", "a", "⊣")
    generator = parse_program("alphabet 'a' 'b'  next 'a' := 'b'  next 'b' := true")
    assert trace_program(generator, "ab").result == "goes on with a or b"
    with pytest.raises(NoSuchWordError, match="the empty word has no position"):
        trace_program(generator, "")


class TableReader(HTMLParser):
    """Collects the cells of all rows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  the parser calls it so
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.inside = False


def test_the_page_of_a_trace_has_the_same_cells_and_escapes_symbols() -> None:
    program = parse_program("alphabet '<b>' '&'\nn := #['<b>']\naccept := n > 1")
    trace = trace_program(program, ["<b>", "&", "<b>"])
    page = trace_html(trace)
    reader = TableReader()
    reader.feed(page)
    assert reader.rows == [
        ["position", "1", "2", "3"],
        ["symbol", "<b>", "&", "<b>"],
        ["n", "1", "1", "2"],
        ["accept", "·", "·", "✓"],
    ]
    assert "<script" not in page
    assert "http" not in page


HOSTILE = ("\x1b[31m", "<script>", "</th>&", "a\x00", "$\\input{x}$", "\\end{align*}", "%\n\n", "~^|")
"""Symbols that would steer a terminal, a page or LaTeX."""


def test_no_symbol_breaks_out_of_the_page_of_a_trace() -> None:
    program = Program(alphabet=tuple(sorted(HOSTILE)), accept=Symbol("<script>"), readout=Readout.LAST_SYMBOL)
    page = trace_html(trace_program(program, HOSTILE))
    reader = TableReader()
    reader.feed(page)
    assert reader.rows[1] == ["symbol", *map(visible, HOSTILE)]
    assert "<script" not in page
    assert all(character.isprintable() or character == "\n" for character in page)


def test_a_word_that_is_too_long_for_a_trace_is_refused_with_the_cap() -> None:
    program = parse_program("alphabet 'a'\naccept := 'a'")
    assert trace_program(program, "a" * 2_000).rows[0].values == (1,) * 2_000
    with pytest.raises(CapExceededError) as caught:
        trace_program(program, "a" * 2_001)
    assert str(caught.value) == (
        "the word has 2,001 positions; a trace shows up to 2,000, the cap.\n"
        "hint: give a shorter word; 'lengthwise crasp run' answers for long ones."
    )


# LaTeX


def test_no_symbol_breaks_out_of_latex() -> None:
    program = Program(
        alphabet=tuple(sorted(HOSTILE)), accept=Or(tuple(map(Symbol, HOSTILE))), readout=Readout.LAST_SYMBOL
    )
    text = latex_program(program)
    body = text.removeprefix("\\begin{align*}\n").removesuffix("\n\\end{align*}\n")
    assert "\n" not in body  # an empty line would end the paragraph
    assert all(character.isprintable() for character in body)
    commands = set(re.findall(r"\\([A-Za-z]+)", body))
    assert commands <= {"mathrm", "mathtt", "lor", *(f"text{name}" for name in ("backslash", "asciitilde", "bar"))} | {
        "textasciicircum",
        "textless",
        "textgreater",
    }
    assert not re.search(r"(?<!\\)[$%#]", body)


def test_a_program_is_written_in_the_notation_of_the_literature() -> None:
    assert latex_program(parse_program(DYCK)) == (
        "\\begin{align*}\n"
        "  \\mathit{depth}(i) &:= \\#\\left[j \\le i\\right]\\, Q_{\\mathtt{(}}(j) - "
        "\\#\\left[j \\le i\\right]\\, Q_{\\mathtt{)}}(j) \\\\\n"
        "  \\mathit{broken}(i) &:= \\mathit{depth}(i) < 0 \\\\\n"
        "  \\mathrm{accept}(i) &:= \\#\\left[j \\le i\\right]\\, \\mathit{broken}(j) = 0 \\land \\mathit{depth}(i) = 0\n"
        "\\end{align*}\n"
    )


def test_latex_has_balanced_braces_for_any_program() -> None:
    for program, _ in random_programs(7, 200):
        text = latex_program(program)
        assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
        assert text.count("\\left") == text.count("\\right")


def test_latex_escapes_symbols() -> None:
    assert "Q_{\\mathtt{\\#}}(i) \\lor Q_{\\mathtt{\\_\\%}}(i)" in latex_program(
        program_of("'#' or '_%'", "alphabet '#' '_%'")
    )


# The Python form


def test_operators_build_what_the_text_form_reads() -> None:
    a, b = symbol("a"), symbol("b")
    cases = [
        (a & ~b | (a & b & a), "'a' and not 'b' or 'a' and 'b' and 'a'"),
        (count(a) - 2 * count(b) + 3 == 0, "#['a'] - 2*#['b'] + 3 = 0"),
        (1 - count(a) <= -count(b), "1 - #['a'] <= -#['b']"),
        (2 + count(a) != 3 * count(b, before=True), "2 + #['a'] != 3*#<['b']"),
        (count(a, at=1) > count(b, at=(0, 2)), "#{1}['a'] > #{0,2}['b']"),
        (where(a, count(b), 0) >= 1, "(if 'a' then #['b'] else 0) >= 1"),
        (position(3, 1) & constant(True), "pos % 3 = 1 and true"),
    ]
    for term, text in cases:
        assert make_program("ab", accept=term).accept == parse_expression(text)


def test_names_are_collected_in_order_and_only_once() -> None:
    a = symbol("a")
    n = named("n", count(a))
    m = named("m", n + n)
    program = make_program("ab", accept=(m > n) & (n > 1), readout="END_MARKER", start="$")
    expected = "alphabet 'a' 'b' start '$' read at end n := #['a'] m := n + n accept := m > n and n > 1"
    assert program == parse_program(expected)
    with pytest.raises(InvalidProgramError, match="the name 'n' was given to two different expressions"):
        make_program("ab", accept=(n > 1) & (named("n", count(~a)) > 1))


def test_a_generator_can_be_built_too() -> None:
    a, b = symbol("a"), symbol("b")
    program = make_program("ab", following={"a": b, "#": a}, stop="#")
    assert program == parse_program("alphabet 'a' 'b'  stop '#'  next 'a' := 'b'  next '#' := 'a'")
    assert program.readout is Readout.LAST_SYMBOL


def test_terms_refuse_to_be_truth_values_and_foreign_operands() -> None:
    with pytest.raises(InvalidProgramError, match=r"combine truths with & \| ~"):
        bool(symbol("a"))
    with pytest.raises(InvalidProgramError, match=r"cannot be combined with 1\.5"):
        count(symbol("a")) + 1.5  # type: ignore[operator]
    with pytest.raises(InvalidProgramError, match="a count has distances or is strict, not both"):
        count(symbol("a"), at=1, before=True)
