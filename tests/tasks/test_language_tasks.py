"""Formal languages and state tracking as tasks: oracles by hand, exact distributions, and facts that hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from program_verification import Case, first_mismatch
from task_families import families_of
from uniformity import assert_uniform

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.programs.catalog import find_program
from lengthwise.crasp.programs.entry import Acceptor, Rule
from lengthwise.errors import InvalidOptionError, UnknownNameError
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa_algebra import count_words
from lengthwise.languages.ladder import ladder
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.predict import predict_task
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.family import Family
from lengthwise.tasks.core.task import EOS, IGNORE, AnswerTask, Task
from lengthwise.tasks.languages.acceptance import accepts, read_language
from lengthwise.tasks.languages.families import SUBREGULAR, bounded_brackets, random_automaton, subregular
from lengthwise.tasks.languages.regular import NextSymbols
from lengthwise.tasks.languages.words import WordsTask
from lengthwise.tasks.tracking.finite_monoids import find_group, find_monoid
from lengthwise.tasks.tracking.state_tracking import WordProblemStates
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts

FAMILIES = families_of("languages", "tracking")
COUNTERS = ("dyck_1", "shuffle_dyck_2", "anbn", "anbncn", "anbncndn", "bool_3", "bool_5")
GROUPS = ("Z2", "Z60", "S3", "A4", "S4", "A5", "S5", "Z2xS3")


def task_of(name: str, *texts: str) -> Task:
    return FAMILIES[name].read(texts)


def drawn(
    task: Task, lengths: Sequence[int], size: int = 400, seed: int = 0, longest: int = 0
) -> list[tuple[list[str], list[str]]]:
    """Return prompts and stated answers of random instances, without the end of an answer."""
    xp = numpy_arrays()
    draw = open_stream(DATA, seed=seed, xp=xp)
    chosen = xp.asarray([lengths[number % len(lengths)] for number in range(size)])
    batch = task.sample(draw, chosen, max(*lengths, longest), xp)
    found = [task.read_back(*each) for each in zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True)]
    return [(prompt, said[:-1] if isinstance(task, AnswerTask) else said) for prompt, said in found]


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    return FAMILIES[request.param]


# Oracles


@pytest.mark.parametrize(
    ("name", "prefix", "following"),
    [
        ("dyck_1", "", "( <eos>"),
        ("dyck_1", "()(", "( )"),
        ("dyck_1", "())", ""),
        ("shuffle_dyck_2", "([", "( ) [ ]"),
        ("shuffle_dyck_2", "([)", "( [ ]"),
        ("shuffle_dyck_2", "([)]", "( [ <eos>"),
        ("shuffle_dyck_2", "]", ""),
        ("anbn", "", "a <eos>"),
        ("anbn", "aa", "a b"),
        ("anbn", "aab", "b"),
        ("anbn", "aabb", "<eos>"),
        ("anbn", "aba", ""),
        ("anbncn", "aabb", "c"),
        ("anbncn", "aabbc", "c"),
        ("anbncn", "abc", "<eos>"),
        ("anbncndn", "abc", "d"),
        ("bool_3", "", "0 1 a b c"),
        ("bool_3", "b0", "0 1 a b c"),
        ("bool_3", "ba01", "<eos>"),
        ("bool_3", "00", ""),
        ("bool_5", "e0101", "0 1 a b c d e"),
        ("bool_5", "e01010", "<eos>"),
    ],
)
def test_what_can_follow_is_what_anyone_would_say(name: str, prefix: str, following: str) -> None:
    task = task_of(name)
    assert isinstance(task, WordsTask)
    assert " ".join(task.following(list(prefix))) == following


def test_brackets_of_several_types_close_what_was_opened_last() -> None:
    task = task_of("dyck", "3")
    assert isinstance(task, WordsTask)
    assert task.following(["(1", "(3"]) == ["(1", "(2", "(3", ")3"]
    assert task.following(["(1", "(3", ")3"]) == ["(1", "(2", "(3", ")1"]
    assert task.following(["(2", ")2"]) == ["(1", "(2", "(3", EOS]
    assert task.following(["(1", ")2"]) == []


@pytest.mark.parametrize(
    ("name", "texts", "prompt", "answer"),
    [
        ("accepts", ["(ab)*"], "a b a b", "y"),
        ("accepts", ["(ab)*"], "a b b", "n"),
        ("accepts", ["PARITY"], "", "y"),
        ("even_pairs", [], "a a b b a", "y"),
        ("even_pairs", [], "a b", "n"),
        ("first", [], "1 0", "y"),
        ("first", [], "", "n"),
        ("repeat_01", [], "0 1 0 1", "y"),
        ("repeat_01", [], "0 1 1 0", "n"),
        ("stack_manipulation", [], "a b b a a pop push_a pop", "a b b a"),
        ("stack_manipulation", [], "a push_b", "b a"),
        ("stack_manipulation", [], "a pop pop push_b", "b"),
        ("stack_manipulation", [], "a pop", ""),
        ("word_problem", ["Z5"], "g3 g4", "g2"),
        ("word_problem", ["S3"], "g102 g021", "g201"),
        ("word_problem", ["S3"], "g021 g102", "g120"),
        ("word_problem", ["Z2xS3"], "g1.102 g1.021", "g0.201"),
        ("swap_tracking", ["3"], "swap01 swap12", "at2"),
        ("swap_tracking", ["5"], "swap34 swap04 swap34", "at3"),
        ("cycle_navigation", [], "back stay back", "at3"),
        ("cycle_navigation", ["2"], "on on on", "at1"),
        ("grid_1d", ["3"], "left right right right left", "x1"),
        ("grid_2d", ["3"], "up up up left right", "x1 y2"),
        ("variable_chain", [], "a 7 b a a 2 b", "7"),
        ("variable_chain", [], "a b a", "0"),
        ("variable_chain", [], "c 4 c c c", "4"),
        ("mqar_word_problem", ["Z5", "2"], "k1 g3 k0 g1 k1 k0 k1", "g2"),
    ],
)
def test_the_oracles_answer_what_anyone_would(name: str, texts: list[str], prompt: str, answer: str) -> None:
    assert task_of(name, *texts).answer(prompt.split()) == answer.split()


def test_the_states_of_a_word_problem_are_the_products_of_all_prefixes() -> None:
    group = find_group("S3", "word_problem")
    task = WordProblemStates("S3")
    word = ["g102", "g021", "g120"]
    names = [group.symbols[0], "g102", "g201", "g012"]
    states = [str(task.language.run([name])) for name in names]  # one element leads to its own state
    assert task.answer(word) == states
    assert len(set(task.answer(list(group.symbols))) | {"0"}) <= task.num_outputs == 6


@pytest.mark.parametrize("name", GROUPS)
def test_groups_are_groups(name: str) -> None:
    group = find_group(name, "word_problem")
    size = len(group.elements)
    table = np.asarray(group.table)
    assert size == {"Z2": 2, "Z60": 60, "S3": 6, "A4": 12, "S4": 24, "A5": 60, "S5": 120, "Z2xS3": 12}[name]
    assert len(set(group.symbols)) == size
    assert table[0].tolist() == table[:, 0].tolist() == list(range(size))
    assert all(sorted(row) == list(range(size)) for row in [*table.tolist(), *table.T.tolist()])
    assert np.array_equal(table[table], table[:, table])  # (xy)z = x(yz)


# Samplers


def test_samplers_agree_with_the_oracle_and_both_libraries_agree(family: Family) -> None:
    task = family()
    lengths = task.lengths(0, 17)
    for number, said in drawn(task, lengths, longest=19):
        assert said == task.answer(number)
    batches = []
    for xp in (numpy_arrays(), torch_arrays()):
        draw = open_stream(DATA, seed=[1, 2], xp=xp)
        chosen = xp.asarray(list(lengths))[draw.named("lengths").integers(len(lengths), (60,))]
        batch = task.sample(draw, chosen, max(lengths), xp)
        batches.append(
            [np.asarray(part) for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, batch.scale_MB)]
        )
    for ours, theirs in zip(*batches, strict=True):
        assert ours.dtype == theirs.dtype == np.int64
        assert np.array_equal(ours, theirs)


def test_the_shortest_instances_alone_can_be_drawn(family: Family) -> None:
    task = family()
    shortest = task.lengths(0, 20)[:1]
    assert shortest[0] == task.min_length
    for prompt, said in drawn(task, shortest, size=3):
        assert len(prompt) == shortest[0]
        assert said == task.answer(prompt)


@pytest.mark.parametrize(
    ("name", "texts", "length", "number"),
    [
        ("dyck_1", [], 8, 14),
        ("shuffle_dyck_2", [], 4, 10),
        ("shuffle_dyck_2", [], 6, 70),
        ("anbncn", [], 6, 1),
        ("bool_3", [], 4, 22),
        ("bool_5", [], 3, 6),
        ("dyck", ["2"], 4, 8),
        ("dyck", ["3"], 4, 18),
        ("dyck", ["2"], 6, 40),
    ],
)
def test_words_are_uniform_at_each_length(name: str, texts: list[str], length: int, number: int) -> None:
    task = task_of(name, *texts)
    assert isinstance(task, WordsTask)
    words = [word for word in product(task.symbols, repeat=length) if EOS in task.following(word)]
    assert len(words) == number
    seen = Counter(" ".join(prompt) for prompt, _ in drawn(task, [length], size=60 * number, longest=length + 3))
    if number > 1:
        assert_uniform(seen, map(" ".join, words))


PROGRAMS = {
    "dyck_1": "dyck_1",
    "shuffle_dyck_2": "shuffle_dyck(2)",
    "anbn": "a_n_b_n",
    "anbncn": "a_n_b_n_c_n",
    "anbncndn": "a_n_b_n_c_n_d_n",
    "bool_3": "boolean_expression(3)",
    "bool_5": "boolean_expression(5)",
}
ENDINGS = {
    "dyck_1": [")" * one for one in range(9)],
    "shuffle_dyck_2": [")" * one + "]" * two for one in range(6) for two in range(6)],
    **{name: ["0" * one for one in range(18)] for name in ("bool_3", "bool_5")},
    **{
        name: ["b" * one + "c" * two + "d" * three for one in range(6) for two in range(6) for three in range(6)]
        for name in ("anbn", "anbncn", "anbncndn")
    },
}


@pytest.mark.parametrize("name", COUNTERS)
def test_the_set_after_a_prefix_is_what_words_go_on_with(name: str) -> None:
    """Compare with the rule of the library: each symbol of a set leads to a word, and no word goes another way."""
    task = task_of(name)
    entry = find_program(PROGRAMS[name])
    assert isinstance(task, WordsTask)
    assert isinstance(entry, Acceptor)
    assert isinstance(entry.language, Rule)
    contains = entry.language.contains
    for length in range(5 if len(task.symbols) < 6 else 4):
        for prefix in map("".join, product(task.symbols, repeat=length)):
            legal = task.following(list(prefix))
            assert (EOS in legal) == contains(prefix)
            for symbol in task.symbols:
                assert (symbol in legal) == any(contains(prefix + symbol + ending) for ending in ENDINGS[name])


def test_half_of_the_words_are_accepted_at_every_length_that_is_used() -> None:
    task = accepts("D_2")
    for length in (4, 8, 30):
        found = drawn(task, [length], size=2000)
        assert all((said == ["y"]) is (tuple(prompt) in task.language) for prompt, said in found)
        assert 900 < sum(said == ["y"] for _, said in found) < 1100


def test_only_lengths_with_words_of_both_kinds_are_used() -> None:
    for text in ("(ab)*", "D_4", "a{3}b*", "(aaa|bbb)*", "[ab]*b", "(a|b){3}*"):
        task = accepts(text)
        kinds = [
            {word in task.language for word in product(task.language.alphabet, repeat=length)} for length in range(9)
        ]
        both = [length for length in range(9) if kinds[length] == {True, False}]
        assert task.lengths(0, 8) == tuple(both or range(9)), text
        assert task.min_length == (both or [0])[0]
    assert accepts("(ab)*").lengths(10**4 - 1, 10**4) == (10**4,)


def test_a_language_that_settles_soon_has_all_lengths() -> None:
    task = accepts("aa*")
    assert task.lengths(0, 3) == (0, 1, 2, 3)
    assert {tuple(said) for _, said in drawn(task, [0])} == {("n",)}
    assert {tuple(said) for _, said in drawn(task, [4])} == {("y",)}
    few = accepts("ab|ba")
    assert few.lengths(0, 3) == (0, 1, 2, 3)
    assert {tuple(said) for _, said in drawn(few, [2])} == {("y",), ("n",)}
    assert {tuple(said) for _, said in drawn(few, [1, 3])} == {("n",)}
    assert {tuple(said) for _, said in drawn(few, [0])} == {("n",)}


@pytest.mark.parametrize(
    ("name", "words"),
    [("even_pairs", "aab abb bba baa"), ("first", "000 001 010 011")],
)
def test_what_is_said_to_be_uniform_on_each_side_is(name: str, words: str) -> None:
    task = task_of(name)
    outside = Counter("".join(prompt) for prompt, said in drawn(task, [3], size=1000) if said == ["n"])
    assert_uniform(outside, words.split())


def test_answers_are_named_apart_from_the_alphabet() -> None:
    task = accepts("(yn)*")
    assert task.symbols == ("n", "y", "y!", "n!")
    assert task.answer(["y", "n"]) == ["y!"]


def test_the_product_is_uniform() -> None:
    task = task_of("word_problem", "S3")
    assert_uniform(Counter(said[0] for _, said in drawn(task, [1, 7], size=1200)), task.symbols)


# Languages


def test_bounded_brackets_are_those_of_a_stack() -> None:
    for types, depth in ((1, 3), (2, 2), (3, 1)):
        language = bounded_brackets(types, depth)
        for length in range(7 - types):
            for word in product(language.alphabet, repeat=length):
                stack: list[str] = []
                fine = True
                for symbol in word:
                    if symbol[0] == "(":
                        stack.append(symbol[1])
                        fine = fine and len(stack) <= depth
                    else:
                        fine = fine and bool(stack) and stack.pop() == symbol[1]
                assert (word in language) == (fine and not stack)


@pytest.mark.parametrize(("seed", "states"), [(0, 5), (1, 5), (7, 2), (3, 10)])
def test_random_automata_have_their_states_and_depend_on_the_seed_only(seed: int, states: int) -> None:
    language = random_automaton(seed, states)
    assert language.num_states == states
    assert language == random_automaton(seed, states)
    assert language != random_automaton(seed + 1, states) or states == 2


@pytest.mark.parametrize("name", SUBREGULAR)
def test_examples_of_classes_are_in_their_class_and_not_in_a_smaller_one(name: str) -> None:
    classes = {
        "SL": "strictly local",
        "SP": "piecewise testable",
        "LT": "locally testable",
        "PT": "piecewise testable",
        "LTT": "dot-depth one",
        "TSL": "star-free",
        "SF": "star-free",
        "Zp": "group",
    }
    smaller = {"LT": "strictly local", "LTT": "locally testable", "TSL": "dot-depth one", "SF": "dot-depth one"}
    holds = {rung.name for rung in ladder(subregular(name).language) if rung.holds}
    assert (classes[name] in holds) if name in classes else not holds
    assert smaller.get(name) not in holds


def test_a_strictly_piecewise_language_holds_all_subwords_of_its_words() -> None:
    sp, pt = (subregular(name).language for name in ("SP", "PT"))
    words = [word for length in range(6) for word in product("abc", repeat=length)]

    def is_closed(language: object) -> bool:
        return all(
            word[:place] + word[place + 1 :] in language  # type: ignore[operator]
            for word in words
            if word in language  # type: ignore[operator]
            for place in range(len(word))
        )

    assert is_closed(sp)
    assert not is_closed(pt)


def test_block_alternation_has_so_many_blocks() -> None:
    task = FAMILIES["block_alternation"](4)
    assert isinstance(task, NextSymbols)
    assert all("".join(word) in task.language for word in ("abab", "aabbbab"))
    assert not any("".join(word) in task.language for word in ("", "aba", "babab", "ababa"))


# Facts


@pytest.mark.parametrize("name", COUNTERS)
def test_the_program_of_a_counter_language_says_what_can_follow(name: str) -> None:
    task = task_of(name)
    assert isinstance(task, WordsTask)
    program = task.facts.program
    assert program is not None
    outputs = (*program.alphabet, program.stop)
    assert sorted(program.alphabet) == sorted(task.symbols)
    longest = 10 if len(task.symbols) == 2 else 7 if len(task.symbols) < 5 else 5 if len(task.symbols) < 7 else 4
    words = [word for length in range(longest + 1) for word in product(task.symbols, repeat=length)]
    words += [tuple(prompt) for prompt, _ in drawn(task, task.lengths(30, 40), size=60)]
    cases = [
        Case(word="".join(word), expected=(sum(1 << outputs.index(symbol) for symbol in task.following(word)),))
        for word in words
    ]
    assert first_mismatch(program, cases) is None


@pytest.mark.parametrize(
    ("name", "nope", "ape"),
    [
        *((name, Answer.YES, Answer.YES) for name in COUNTERS),
        ("dyck", Answer.NO, Answer.NO),
        ("dyck_bounded", Answer.YES, Answer.YES),
        ("block_alternation", Answer.YES, Answer.YES),
        ("subregular", Answer.YES, Answer.YES),
        ("even_pairs", Answer.NO, Answer.YES),
        ("first", Answer.YES, Answer.YES),
        ("repeat_01", Answer.YES, Answer.YES),
        ("accepts", Answer.YES, Answer.YES),
        ("stack_manipulation", Answer.NO, Answer.NO),
        *((name, Answer.NO, Answer.NO) for name in FAMILIES if name in families_of("tracking")),
    ],
)
def test_verdicts(name: str, nope: Answer, ape: Answer) -> None:
    task = FAMILIES[name]()
    assert (predict_task(task, "nope").answer, predict_task(task, "ape").answer) == (nope, ape)


@pytest.mark.parametrize("name", ["Z2", "Z9", "S3", "A4"])
def test_the_decider_agrees_that_no_fragment_has_a_word_problem(name: str) -> None:
    kernel = WordProblemStates(name).language
    assert decide(Facts(language=kernel), Fragment.PERIODIC_LOCAL).answer is Answer.NO


WALLS = {"zero": "left left left left", "one": "left left left right", "stays": "right left right left"}


@pytest.mark.parametrize(
    ("name", "texts", "before", "letters", "after", "answer", "language"),
    [
        ("word_problem", ["Z9"], "", {"a": "g3", "b": "g0"}, "", "g0", "mod 3"),
        ("word_problem", ["S5"], "", {"a": "g10234", "b": "g01234"}, "", "g01234", "mod 2"),
        ("mqar_word_problem", ["S3", "2"], "k0 g102 k1 g012", {"a": "k0", "b": "k1"}, "", "g012", "mod 2"),
        ("swap_tracking", ["3"], "", {"a": "swap01 swap12", "b": "swap01 swap01"}, "", "at0", "mod 3"),
        ("cycle_navigation", ["9"], "", {"a": "on on on", "b": "stay stay stay"}, "", "at0", "mod 3"),
        ("grid_1d", ["3"], "", {"0": WALLS["zero"], "1": WALLS["one"], "2": WALLS["stays"]}, "", "x0", "flip-flop"),
        ("grid_1d", ["5"], "", {"0": WALLS["zero"], "1": WALLS["one"], "2": WALLS["stays"]}, "", "x0", "flip-flop"),
        ("grid_2d", ["3"], "", {"0": WALLS["zero"], "1": WALLS["one"], "2": WALLS["stays"]}, "", "x0 y0", "flip-flop"),
        ("variable_chain", ["2"], "", {"0": "a 0", "1": "a 1", "2": "b b"}, "a", "0", "flip-flop"),
    ],
)
def test_a_task_that_no_program_does_holds_a_known_non_member(
    name: str, texts: list[str], before: str, letters: dict[str, str], after: str, answer: str, language: str
) -> None:
    """Substitute words of one length for letters, between fixed ends: the answer tells membership of that language."""
    task = task_of(name, *texts)
    assert len({len(text.split()) for text in letters.values()}) == 1
    for length in range(1, 7):
        for word in product(letters, repeat=length):
            if language == "flip-flop":
                # all tasks start as after a 0
                inside = next((symbol for symbol in reversed(word) if symbol != "2"), "0") == "0"
            else:
                inside = word.count("a") % int(language[-1]) == 0
            prompt = [*before.split(), *" ".join(letters[letter] for letter in word).split(), *after.split()]
            assert (task.answer(prompt) == answer.split()) == inside


# Names


def test_every_family_is_found_by_its_name_and_says_what_it_is(family: Family) -> None:
    task = family()
    assert task.name in (family.name, family.example)
    assert family.read([str(each.default) for each in family.parameters]).name == task.name
    assert task.definition
    assert task.citation
    assert task.length_means
    assert len(set(task.vocabulary)) == len(task.vocabulary)


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("accepts", ["tomita_4"], "accepts(TOMITA_4)"),
        ("accepts", ["(ab)*"], "accepts((ab)*)"),
        ("block_alternation", ["3"], "block_alternation"),
        ("block_alternation", ["12"], "block_alternation(12)"),
        ("dyck_bounded", ["2", "4"], "dyck_bounded(2, 4)"),
        ("random_regular", ["7"], "random_regular(7)"),
        ("subregular", ["LTT"], "subregular(LTT)"),
        ("word_problem", ["Z2xS3"], "word_problem(Z2xS3)"),
        ("mqar_word_problem", ["S3", "5"], "mqar_word_problem(S3, 5)"),
    ],
)
def test_a_parameter_that_is_not_the_default_is_in_the_name(name: str, texts: list[str], expected: str) -> None:
    assert task_of(name, *texts).name == expected


def test_a_language_is_read_by_name_or_as_an_expression() -> None:
    assert read_language("PARITY") == LANGUAGES["PARITY"].language
    assert read_language("(aaa)*", "ab").alphabet == ("a", "b")


GROUP_TEXT = (
    "takes the name of a group or monoid, Z2 to Z60, S2 to S5, A3 to A5, T2, T3, U2, the monoid that maps generate as in M011_120, "
    "or a product of these such as Z2xS3, of at most 120 elements; found"
)


@pytest.mark.parametrize(
    ("name", "texts", "text"),
    [
        ("word_problem", ["Z1"], f"word_problem {GROUP_TEXT} 'Z1'.\nhint: for example word_problem(S5)."),
        (
            "word_problem_states",
            ["S6"],
            f"word_problem_states {GROUP_TEXT} 'S6'.\nhint: for example word_problem_states(S5).",
        ),
        (
            "mqar_word_problem",
            ["S4xS3"],
            f"mqar_word_problem {GROUP_TEXT} 'S4xS3'.\nhint: for example mqar_word_problem(S5).",
        ),
        ("word_problem", ["M12_01"], f"word_problem {GROUP_TEXT} 'M12_01'.\nhint: for example word_problem(S5)."),
        (
            "word_problem_states",
            ["U2"],
            "word_problem_states takes the name of a group, Z2 to Z60, S2 to S5, A3 to A5 or a product of these; in U2 some elements "
            "have no inverse.\nhint: word_problem takes every monoid.",
        ),
        (
            "swap_tracking",
            ["2"],
            "swap_tracking takes the number of places, a whole number from 3 to 10; found '2'.\n"
            "hint: for example swap_tracking(5).",
        ),
        (
            "subregular",
            ["LTX"],
            f"subregular takes a class of regular languages, one of {', '.join(SUBREGULAR)}; found 'LTX'.\n"
            "hint: did you mean 'LT'?",
        ),
        (
            "dyck_bounded",
            ["9", "4"],
            "dyck_bounded(9, 4) has 7,382 states; the cap is 400.\nhint: choose fewer types or a smaller depth.",
        ),
        (
            "accepts",
            ["[ab]*"],
            "the language 'accepts([ab]*)' is everything: there is only one answer.\nhint: choose another language.",
        ),
        (
            "accepts",
            ["a&b"],
            "the language 'accepts(a&b)' is empty: there is only one answer.\nhint: choose another language.",
        ),
    ],
)
def test_a_task_that_cannot_be_says_why(name: str, texts: list[str], text: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        task_of(name, *texts)
    assert str(caught.value) == text


def test_a_misspelled_language_is_not_taken_for_a_word() -> None:
    with pytest.raises(UnknownNameError) as caught:
        task_of("accepts", "PARTIY")
    assert str(caught.value) == (
        f"language 'PARTIY' is unknown. Known: {', '.join(LANGUAGES)}.\nhint: did you mean 'PARITY'?"
    )


def test_targets_are_scored_where_the_task_says(family: Family) -> None:
    task = family()
    xp = numpy_arrays()
    lengths = task.lengths(0, 14)
    batch = task.sample(open_stream(DATA, seed=3, xp=xp), xp.asarray(list(lengths)), max(lengths), xp)
    for length, size, targets in zip(lengths, batch.sizes_MB.tolist(), batch.targets_MBL.tolist(), strict=True):
        scored = {place for place, target in enumerate(targets) if target != IGNORE}
        assert scored <= set(task.scored(length))
        assert max(scored) < size <= task.size(length)


@pytest.mark.parametrize("name", ["U2", "T2", "T3", "M011_120", "M001", "U2xZ3", "M0"])
def test_a_monoid_is_closed_associative_and_begins_with_the_identity(name: str) -> None:
    monoid = find_monoid(name)
    numbers = range(len(monoid.elements))
    table = monoid.table
    assert len(set(monoid.symbols)) == len(monoid.elements)
    assert all(table[0][each] == table[each][0] == each for each in numbers)
    assert all(
        table[table[one][two]][three] == table[one][table[two][three]]
        for one in numbers
        for two in numbers
        for three in numbers
    )
    assert not monoid.is_group or name == "M0"


def test_maps_generate_all_their_products_and_nothing_else() -> None:
    maps = [(0, 1, 1), (1, 2, 0)]
    found = {(0, 1, 2)}
    for length in range(1, 9):
        for word in product(maps, repeat=length):
            images = (0, 1, 2)
            for each in word:
                images = tuple(each[image] for image in images)  # type: ignore[assignment]
            found.add(images)
    assert {element[0] for element in find_monoid("M011_120").elements} == found


@pytest.mark.parametrize(
    ("name", "answer"), [("U2", Answer.NO), ("T2", Answer.NO), ("S3", Answer.NO), ("M001", Answer.UNKNOWN)]
)
def test_a_word_problem_is_refused_where_it_counts_or_resets(name: str, answer: Answer) -> None:
    assert predict_task(task_of("word_problem", name), "ape").answer is answer
    assert predict_task(task_of("mqar_word_problem", name, "2"), "ape").answer is (
        Answer.UNKNOWN if name == "U2" else answer
    )


def test_the_product_in_the_flip_flop_monoid_is_the_last_reset() -> None:
    task = task_of("word_problem", "U2")
    for word in product(("g01", "g00", "g11"), repeat=5):
        resets = [symbol for symbol in word if symbol != "g01"]
        assert task.answer(word) == (resets[-1:] or ["g01"])


@pytest.mark.parametrize(
    "expression",
    ["(aa)*", "(aaa|aaaaa)*", "a{7}", "a?", "(a{7}|b{5}|a{11}b)*b", "(a{6})*|(a{10})*|(a{15})*", "[ab]*a[ab]{6}"],
)
def test_the_lengths_of_a_language_are_those_that_have_words(expression: str) -> None:
    language = compile_regex(expression)
    task = NextSymbols(language, expression)
    having = [length for length in range(200) if count_words(language, length)]
    for low, high in ((0, 0), (0, 1), (1, 5), (3, 40), (0, 199), (50, 160), (5, 3)):
        assert list(task.lengths(low, high)) == [length for length in having if low <= length <= high]


def test_the_lengths_of_a_large_automaton_end_where_they_repeat() -> None:
    task = NextSymbols(compile_regex("[ab]*a[ab]{12}"), "large")
    assert task.lengths(99_990, 100_000) == tuple(range(99_990, 100_001))  # a step takes milliseconds without that
