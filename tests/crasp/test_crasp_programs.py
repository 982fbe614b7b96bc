"""The library of programs: each is read, has a meaning, and does what its oracle says; and a wrong one would be caught."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from random import Random

import pytest
from program_verification import OFFSETS, random_words, short_words, verify

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.checker import Severity, check_program
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.interpreter import accepts, generate, next_symbols, run_program
from lengthwise.crasp.kinds import require_meaning
from lengthwise.crasp.measures import depth_of, fragment_of, moduli_of
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.printer import print_program
from lengthwise.crasp.programs import catalog
from lengthwise.crasp.programs.catalog import FAMILIES, PROGRAMS, find_program
from lengthwise.crasp.programs.entry import Acceptor, Entry, Predictor, Regular, Writer
from lengthwise.crasp.syntax import Compare, Definition, Expression, Next, Program, children, rebuild
from lengthwise.errors import InvalidOptionError, LengthwiseError, UnknownNameError, listed
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts

ENTRIES = list(PROGRAMS.values())
ACCEPTORS = [entry for entry in ENTRIES if isinstance(entry, Acceptor)]
WRITERS = [entry for entry in ENTRIES if isinstance(entry, Writer)]

every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
every_acceptor = pytest.mark.parametrize("entry", ACCEPTORS, ids=lambda entry: entry.title)

MEMBERS = [
    *("at_least(1)", "at_least(7)", "at_most(0)", "at_most(4)", "exactly(0)", "exactly(5)"),
    *("shuffle_dyck(3)", "shuffle_dyck(4)", "bounded_dyck(1)", "bounded_dyck(3)", "bounded_dyck(12)"),
    *("two_type_dyck(1)", "two_type_dyck(3)", "two_type_dyck(5)", "boolean_expression(1)", "boolean_expression(5)"),
    *("alternating_blocks(2)", "alternating_blocks(4)", "alternating_blocks(7)"),
    *("subword(a)", "subword(aaa)", "subword(bca)", "subword(dad)", "no_subword(a)", "no_subword(aba)"),
    *("symbol_at(1)", "symbol_at(6)", "starts_with(c)", "starts_with(abba)", "fixed_width_fields(1)"),
    *("fixed_width_fields(5)", "contains(a)", "contains(aba)", "contains(bbb)", "avoids(aba)", "ends_with(b)"),
    *("ends_with(bbcb)", "from_the_end(4)", "at_distance(2)", "at_distance(5)", "unary_period(2)"),
    *("unary_period(7)", "repetition(a)", "repetition(aa)", "repetition(abc)", "length_modulo(2,0)"),
    *("length_modulo(5,4)", "majority_letter(2)", "majority_letter(5)", "kth_largest(1)", "kth_largest(4)"),
    *("first_symbols(1)", "first_symbols(4)", "last_symbols(1)", "last_symbols(3)", "interleaved_majority(2)"),
    *("interleaved_majority(4)", "sort(2)", "sort(5)", "unique_sorted(5)", "dedup(4)", "unique_reverse(6)"),
    *("by_frequency(4)", "missing_letters(5)", "unique_copy(2)", "unique_copy(6)", "count_up(2)", "count_up(10)"),
    *("bounded_dyck_next(1)", "bounded_dyck_next(4)", "shift(3)", "induction(2)", "induction(3)"),
    *("letter_after(2)", "letter_after(4)", "value_of_key(1)", "value_of_key(3)", "value_on_line(2)"),
    *("value_on_line(5)", "padded_modulo(3)", "padded_modulo(5)"),
]


# The catalogue


def test_there_are_at_least_64_programs_and_some_of_every_kind() -> None:
    assert len(ENTRIES) >= 64
    assert all(name == entry.name for name, entry in PROGRAMS.items())
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in PROGRAMS)
    assert {type(entry) for entry in ENTRIES} == {Acceptor, Writer, Predictor}
    assert {fragment_of(entry.program) for entry in ENTRIES} == set(Fragment)
    assert {entry.program.readout for entry in ACCEPTORS} == set(Readout)


def test_every_family_has_a_member_in_the_table_and_others_in_the_tests() -> None:
    assert set(FAMILIES) < set(PROGRAMS)
    assert {name for name, entry in PROGRAMS.items() if entry.argument} == set(FAMILIES)
    assert {title.partition("(")[0] for title in MEMBERS} == set(FAMILIES)
    assert all(PROGRAMS[name].argument == family.default for name, family in FAMILIES.items())


@pytest.mark.parametrize("name", ["dyck_1", "bounded_dyck", "bounded_dyck(3)", "subword(abba)", "length_modulo(5,2)"])
def test_a_program_is_found_by_its_name_or_call(name: str) -> None:
    entry = find_program(name)
    assert entry.title == (name if "(" in name else PROGRAMS[name].title)
    assert find_program(entry.title).text == entry.text


def error_of(name: str) -> LengthwiseError:
    with pytest.raises(LengthwiseError) as caught:
        find_program(name)
    return caught.value


def test_an_unknown_name_is_answered_with_known_names_and_the_closest() -> None:
    known = listed(PROGRAMS)
    for name, family in (("dick_1", "dick_1"), ("dick_1(3)", "dick_1")):
        error = error_of(name)
        assert isinstance(error, UnknownNameError)
        assert str(error) == f"program {family!r} is unknown. Known: {known}.\nhint: did you mean 'dyck_1'?"


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("majority(3)", "program majority takes no parameter; found '3'.", "write majority alone."),
        (
            "bounded_dyck(0)",
            "program bounded_dyck takes an integer from 1 to 1000; found '0'.",
            "for example bounded_dyck(3).",
        ),
        (
            "bounded_dyck(two)",
            "program bounded_dyck takes an integer from 1 to 1000; found 'two'.",
            "for example bounded_dyck(3).",
        ),
        (
            "unique_copy(99999999999)",
            "program unique_copy takes an integer from 2 to 8; found '99999999999'.",
            "for example unique_copy(3).",
        ),
        (
            "subword(axb)",
            "program subword takes a word of 1 to 8 letters out of a, b, c, d, e, f, g, h; found 'axb'.",
            "for example subword(aba).",
        ),
        (
            "subword()",
            "program subword takes a word of 1 to 8 letters out of a, b, c, d, e, f, g, h; found ''.",
            "for example subword(aba).",
        ),
        (
            "length_modulo(3,3)",
            "program length_modulo takes a modulus from 2 to 100 and a smaller residue; found '3,3'.",
            "for example length_modulo(3,1).",
        ),
        (
            "length_modulo(3)",
            "program length_modulo takes a modulus from 2 to 100 and a smaller residue; found '3'.",
            "for example length_modulo(3,1).",
        ),
    ],
)
def test_a_parameter_that_is_not_allowed_is_refused_in_full_sentences(name: str, message: str, hint: str) -> None:
    error = error_of(name)
    assert isinstance(error, InvalidOptionError)
    assert str(error) == f"{message}\nhint: {hint}"


# The programs


@every_entry
def test_a_program_is_read_has_a_meaning_and_can_be_written_and_read_again(entry: Entry) -> None:
    program = entry.program
    require_meaning(program)
    assert parse_program(print_program(program)) == program
    assert program.is_generator != isinstance(entry, Acceptor)
    assert all(len(symbol) == 1 for symbol in program.symbols)
    assert (program.stop is not None) >= isinstance(entry, Writer)
    assert entry.text.startswith("alphabet ")
    assert ("read at " in entry.text) == isinstance(entry, Acceptor)
    assert [str(found) for found in check_program(program) if found.severity is not Severity.NOTE] == []


@every_entry
def test_the_interpreter_does_what_the_oracle_says_on_short_words(entry: Entry) -> None:
    program = entry.program
    if isinstance(entry, Writer):
        prompts = [prompt for size in range(4) for prompt in islice(entry.prompts.every(size), 12)]
        assert len(prompts) > 8
        assert [generate(program, prompt) for prompt in prompts] == [tuple(entry.answer(each)) for each in prompts]
        return
    words = short_words(program, 70)
    if isinstance(entry, Acceptor):
        assert [accepts(program, word) for word in words] == entry.language.judge(words)
    else:
        found = [set(next_symbols(program, word)[-1]) for word in words]
        assert found == [set(entry.following(word)) for word in words]


def assert_batch_is_interpreter(program: Program, max_words: int) -> None:
    """Compare every definition at every position; what stands right of a position is seen by neither."""
    xp = numpy_arrays()
    words = short_words(program, max_words)
    if program.is_generator or program.readout is Readout.LAST_SYMBOL:
        words = [word for word in words if len(word) == len(words[-1])]  # the shorter ones are prefixes of these
    batched = BatchedProgram(program)
    names = [each.name for each in (*program.definitions, *program.outputs)]
    for start in range(0, len(words), 4_000):
        some = words[start : start + 4_000]
        tokens_BL, sizes_B = batched.encode(some, xp)
        columns = {name: found.tolist() for name, found in batched.run(tokens_BL, xp, names=names).items()}
        for number, (word, size) in enumerate(zip(some, sizes_B.tolist(), strict=True)):
            assert {name: column[number][:size] for name, column in columns.items()} == run_program(program, word)


@every_entry
def test_the_batch_is_the_interpreter_on_short_words(entry: Entry) -> None:
    assert_batch_is_interpreter(entry.program, 300)


@pytest.mark.full
@every_entry
def test_the_batch_is_the_interpreter_on_many_words(entry: Entry) -> None:
    assert_batch_is_interpreter(entry.program, 20_000)


@every_entry
def test_a_program_does_what_its_oracle_says(entry: Entry) -> None:
    verification = verify(entry, max_words=800, random_words=30, random_length=80)
    assert verification.mismatch is None
    assert verification.num_words > 10


@pytest.mark.full
@every_entry
def test_a_program_does_what_its_oracle_says_on_many_words(entry: Entry) -> None:
    assert verify(entry, random_words=600, random_length=300, seed=1).mismatch is None


@pytest.mark.parametrize("title", MEMBERS)
def test_other_members_of_families_do_what_their_oracles_say(title: str) -> None:
    entry = find_program(title)
    assert entry.title == title
    assert verify(entry, max_words=800, random_words=30, random_length=80).mismatch is None


@pytest.mark.parametrize("blocks", range(2, 8))
def test_alternating_blocks_take_one_level_of_counts_each(blocks: int) -> None:
    assert depth_of(find_program(f"alternating_blocks({blocks})").program) == blocks


# The languages


def test_no_two_acceptors_accept_the_same_language() -> None:
    xp = numpy_arrays()
    accepted: dict[tuple[str, ...], dict[str, str]] = {}
    for entry in ACCEPTORS:
        program = entry.program
        words = [word for word in short_words(program, 1_200) if word]
        truths = BatchedProgram(program).accepts(words, xp).tolist()
        accepted.setdefault(program.alphabet, {})[entry.title] = "".join("01"[truth] for truth in truths)
    same = [
        (one, two)
        for languages in accepted.values()
        for (one, first), (two, second) in combinations(languages.items(), 2)
        if first == second
    ]
    assert same == []
    assert len(accepted["a", "b"]) > 20


@every_acceptor
def test_random_words_are_of_both_sorts_and_what_is_drawn_from_a_language_is_in_it(entry: Acceptor) -> None:
    members = entry.language.sample(Random(3), [1, 2, 3, 5, 8, 20, 40, 60])
    assert entry.language.judge(members) == [True] * len(members)
    assert max(map(len, members)) > 25
    judged = entry.language.judge(random_words(entry, Random(5), 60, 80))
    assert min(judged.count(True), judged.count(False)) >= 12


@every_acceptor
def test_no_program_uses_positions_where_counting_would_do(entry: Acceptor) -> None:
    program = entry.program
    if isinstance(entry.language, Regular) and fragment_of(program) is not Fragment.PLAIN:
        verdict = decide(Facts(language=entry.language.build()), Fragment.PLAIN, program.readout)
        assert verdict.answer is Answer.NO


@pytest.mark.parametrize("entry", WRITERS, ids=lambda entry: entry.title)
def test_random_prompts_are_prompts(entry: Writer) -> None:
    program = entry.program
    for size in (1, 2, 5, 30):
        prompt = entry.prompts.draw(Random(size), size)
        assert generate(program, prompt) == tuple(entry.answer(prompt))


# The verification itself

OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

SAME_AFTER_ALL = {"permuted_copy"}
"""If as many letters stand before the c as after it, it does not matter on which side they are counted."""


def turned(node: Expression) -> Iterator[Expression]:
    """Yield the expression with one comparison turned into its opposite."""
    if isinstance(node, Compare):
        yield Compare(OPPOSITES[node.sign], node.left, node.right)
    parts = children(node)
    for place, part in enumerate(parts):
        for other in turned(part):
            yield rebuild(node, (*parts[:place], other, *parts[place + 1 :]))


def wrong_programs(program: Program) -> Iterator[Program]:
    """Yield the program with one comparison turned into its opposite, for every comparison."""
    for place, each in enumerate(program.definitions):
        for body in turned(each.body):
            others = program.definitions[:place], program.definitions[place + 1 :]
            yield replace(program, definitions=(*others[0], Definition(each.name, body), *others[1]))
    if program.accept is not None:
        for body in turned(program.accept):
            yield replace(program, accept=body)
    for place, following in enumerate(program.next):
        for body in turned(following.body):
            nexts = (*program.next[:place], Next(following.symbol, body), *program.next[place + 1 :])
            yield replace(program, next=nexts)


def survivors(entry: Entry, programs: list[Program], max_words: int) -> list[str]:
    texts = [print_program(program) for program in programs]
    wrong = [replace(entry, code=text) for text in texts]
    return [each.text for each in wrong if verify(each, max_words=max_words, random_words=24, random_length=60).passed]


@every_entry
def test_a_program_with_a_comparison_turned_around_is_caught(entry: Entry) -> None:
    programs = list(wrong_programs(entry.program))
    if programs:
        assert len(survivors(entry, [programs[0], programs[-1]], 400)) <= (entry.name in SAME_AFTER_ALL)


@pytest.mark.full
@every_entry
def test_a_program_with_any_comparison_turned_around_is_caught(entry: Entry) -> None:
    assert len(survivors(entry, list(wrong_programs(entry.program)), 2_000)) == (entry.name in SAME_AFTER_ALL)


def test_a_mismatch_says_where_and_how() -> None:
    majority = replace(PROGRAMS["majority"], code="alphabet '0' '1'  read at last  accept := #['1'] >= #['0']")
    assert str(verify(majority).mismatch) == "on 01, after 2 symbols: expected rejected, found accepted"
    maximum = replace(PROGRAMS["maximum"], code=PROGRAMS["maximum"].text.replace("next '3' := '|' and", "next '3' :="))
    assert str(verify(maximum).mismatch) == "on 3|3, after 3 symbols: expected next '#', found next '3', next '#'"
    silent = replace(PROGRAMS["modes"], code="alphabet 'a' 'b' 'c'  next 'a' := true")
    assert str(verify(silent).mismatch) == "on b, after 1 symbols: expected next 'b', found next 'a'"


def test_a_program_that_trusts_its_offset_is_caught() -> None:
    right = PROGRAMS["even_from_start"]
    wrong = replace(right, code="alphabet 'a' 'b'  start '$'  read at last  accept := #['b'] = 0 and pos % 2 = 1")
    assert [accepts(wrong.program, word) for word in ("", "a", "aa", "ab")] == [True, False, True, False]
    found = verify(wrong).mismatch
    assert found is not None
    assert (found.word, found.offset) == ("", 1)
    assert str(found) == "on ε, after 0 symbols at offset 1: expected accepted, found rejected"
    for offset in OFFSETS:
        assert [accepts(right.program, word, offset=offset) for word in ("", "a", "aa", "b")] == [1, 0, 1, 0]


def test_programs_with_a_start_symbol_that_see_positions_are_run_at_all_offsets() -> None:
    offset = [entry.name for entry in ENTRIES if entry.program.start is not None and moduli_of(entry.program)]
    assert offset == ["even_from_start", "interleaved_majority"]


def test_a_verification_counts_what_it_compared() -> None:
    found = verify(PROGRAMS["majority"], max_words=14, random_words=40, random_length=50)
    assert (found.name, found.num_words, found.longest_word) == ("majority", 2 + 4 + 8, 3)
    assert 20 < found.num_random <= 40
    assert 30 < found.longest_random < 60  # a word may grow until it is outside the language
    assert verify(PROGRAMS["dyck_1"], max_words=14, random_words=4, random_length=9).num_words == 1 + 2 + 4
    copied = verify(PROGRAMS["unique_copy"])
    assert (copied.num_words, copied.longest_word, copied.num_random) == (1 + 4 + 12 + 24 + 24, 4 + 1 + 4, 0)


def test_every_program_that_is_written_in_a_file_is_in_the_library() -> None:
    folder = Path(catalog.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.crasp")]
    written = [name for text in texts for name in re.findall(r"^// (\w+): .* \[.*\]$", text, re.MULTILINE)]
    assert sorted(written) == sorted(set(PROGRAMS) - set(FAMILIES))


def run_python(code: str, **environment: str) -> str:
    folders = [str(Path(__file__).parents[2] / name) for name in ("src", "tests")]
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), **environment},
    ).stdout


def test_the_library_is_imported_without_any_heavy_library() -> None:
    code = """
import sys
import program_verification
from lengthwise.crasp.programs.catalog import PROGRAMS
print(len([entry.program for entry in PROGRAMS.values()]), sorted({"numpy", "torch"} & set(sys.modules)))
"""
    assert run_python(code) == f"{len(PROGRAMS)} []\n"


def test_random_words_do_not_depend_on_the_seed_of_hashes() -> None:
    code = """
from random import Random
from lengthwise.crasp.programs.catalog import PROGRAMS
from lengthwise.crasp.programs.entry import Acceptor, Writer
from program_verification import _walk, random_words
for entry in PROGRAMS.values():
    if isinstance(entry, Acceptor):
        print(entry.title, random_words(entry, Random(0), 6, 20))
    elif isinstance(entry, Writer):
        print(entry.title, entry.answer(entry.prompts.draw(Random(0), 20)))
    else:
        print(entry.title, _walk(entry, entry.program, Random(0), 20).word)
"""
    assert run_python(code, PYTHONHASHSEED="1") == run_python(code, PYTHONHASHSEED="2")
