"""Tasks of reasoning, composition and learning in context: known answers, laws of their inputs, programs and refusals."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest
from task_families import families_of

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.interpreter import generate
from lengthwise.crasp.measures import fragment_of
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.task import Task
from lengthwise.tasks.reasoning.graphs_and_grids import Kinship
from lengthwise.theory.theorems import THEOREMS

FAMILIES = families_of("reasoning", "in_context")


def make(name: str) -> Task:
    family, _, arguments = name.removesuffix(")").partition("(")
    return FAMILIES[family].read([text.strip() for text in arguments.split(",") if text])


def draw_pairs(task: Task, length: int, number: int = 400, seed: int = 0) -> list[tuple[list[str], list[str]]]:
    """Return random prompts with the answers that the sampler gives, without the end."""
    xp = numpy_arrays()
    batch = task.sample(open_stream(DATA, seed=seed, xp=xp), xp.asarray([length] * number), length + 1, xp)
    pairs = []
    for tokens, targets in zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True):
        prompt, answer = task.read_back(tokens, targets)
        pairs.append((prompt, [symbol for symbol in answer if symbol != "<eos>"]))
    return pairs


KNOWN = [
    ("lego", "v3 - one ? v3", "-"),
    ("lego", "v1 - v0 v0 - one v2 + v1 ? v2", "+"),
    ("lego", "v9 - v4 v7 - v9 v4 - one ? v7", "-"),
    ("kinship", "p0 father p1 ? p0 p1", "father"),
    ("kinship", "p1 father p2 p0 father p1 ? p0 p2", "sibling"),
    ("kinship", "p1 mother p2 p0 father p1 ? p0 p2", "spouse"),
    ("kinship", "p1 spouse p2 p2 sibling p5 p0 mother p1 ? p0 p5", "father"),
    ("path_star(2)", "v0 v1 v0 v2 ? v0 v2", "v0 v2"),
    ("path_star(2)", "v1 v3 v0 v2 v0 v1 v2 v9 ? v0 v9", "v0 v2 v9"),
    ("path_star(2, next)", "v1 v3 v0 v2 v0 v1 v2 v9 ? v0 v9", "v2"),
    ("maze_hops", "v5 v1 v7 v5 ? v1 v5", "v1 v5"),
    ("maze_hops", "v5 v1 v7 v5 v7 v8 v8 v9 ? v8 v5", "v8 v7 v5"),
    ("circuit_value", "g5 and 1 1", "1"),
    ("circuit_value", "g5 nand 1 1 g2 or g5 1 g0 xor g2 g5", "1"),
    ("circuit_value", "g5 xor 1 1 g2 nand g5 g5 g0 and g2 g5", "0"),
    ("minesweeper(2)", "* .", "* 1"),
    ("minesweeper(3)", ". * . . . . * * *", "1 * 1 3 4 3 * * *"),
    ("life_step(3)", ". o . . o . . o .", ". . . o o o . . ."),
    ("life_step(2)", "o o o o . .", "o o o o . ."),
    ("life_step(4)", ". . . . . . . . o o o o", ". . . . . o o . . o o ."),
    ("sudoku_row", "s2 s3 s1", "yes"),
    ("sudoku_row", "s2 s3 s2", "no"),
    ("sudoku_row", "s2 s3", "no"),
    ("scan", "walk", "WALK"),
    ("scan", "walk left twice", "LEFT WALK LEFT WALK"),
    ("scan", "walk after jump thrice", "JUMP JUMP JUMP WALK"),
    ("scan", "walk and run after jump right", "RIGHT JUMP WALK RUN"),
    ("scan", "walk after run and look", "RUN WALK LOOK"),
    ("pcfg", "copy a b a", "a b a"),
    ("pcfg", "reverse a b c", "c b a"),
    ("pcfg", "swap a b c d", "d b c a"),
    ("pcfg", "shift a b c", "b c a"),
    ("pcfg", "reverse echo a b", "b b a"),
    ("pcfg", "echo reverse a b", "b a a"),
    ("pcfg", "swap shift echo echo a", "a a a"),
    ("nested_clauses", "Emma slept", "slept ( Emma )"),
    ("nested_clauses", "Emma said that Liam knew that Noah ran", "said ( Emma , knew ( Liam , ran ( Noah ) ) )"),
    ("listops", "[max 2 9 4 ]", "9"),
    ("listops", "[med 2 9 4 7 ]", "4"),
    ("listops", "[sum 7 [min 8 6 ] [max 0 [sum 9 9 ] ] ]", "1"),
    ("hanoi", "o a c", "ac"),
    ("hanoi", "o o b a", "bc ba ca"),
    ("hanoi", "o o o a c", "ac ab cb ac ba bc ac"),
    ("icl_map", "k0 v1 k3 v2 k0 v1 k3", "v2"),
    ("icl_overwrite", "k0 v1 k3 v2 k0 v3 k0", "v3"),
    ("icl_overwrite", "k0 v1 k3 v2 k0 v3 k3", "v2"),
    ("icl_majority", "a + c - a -", "-"),
    ("icl_markov", "a b a b a c a", "b"),
    ("icl_markov(2)", "a b c b b a b c c b a b", "c"),
    ("icl_dfa", "a a a + a a b", None),
    ("icl_dfa", "a a a + a a a", "+"),
    ("icl_dfa", "a a a + a a b - b a b + a b a", "-"),
    ("icl_dfa", "a a a + a a b - b a b + b b a", "+"),
    ("icl_regression", "x0 1 x1 3 x3", "2"),
    ("icl_regression(7)", "x2 4 x5 4 x1", "4"),
]


@pytest.mark.parametrize(("name", "prompt", "answer"), KNOWN)
def test_the_oracle_gives_the_known_answer(name: str, prompt: str, answer: str | None) -> None:
    task, words = make(name), prompt.split()
    assert set(words) <= set(task.symbols)
    assert len(words) in task.lengths(0, 40)
    if answer is None:  # automata that agree with the shots differ on the query, so this is no instance
        with pytest.raises(ValueError, match="too many values"):
            task.answer(words)
    else:
        assert task.answer(words) == answer.split()


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_a_name_and_the_samplers_answers_are_the_oracles(name: str) -> None:
    task = FAMILIES[name]()
    assert task.name == name
    assert task.definition
    assert task.citation
    for citation in task.facts.cited:
        assert citation.theorem in THEOREMS
    for length in (task.lengths(0, 30)[0], task.lengths(0, 30)[-1]):
        for prompt, answer in draw_pairs(task, length, 60):
            assert len(prompt) == length
            assert answer == task.answer(prompt)
            assert len(answer) <= task.answer_length(length)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name",
    [
        *("path_star(5)", "path_star(2, next)", "minesweeper(2)", "life_step(7)", "icl_map(2)", "icl_overwrite(3)"),
        *("icl_markov(2)", "icl_markov(3)", "icl_regression(3)", "icl_regression(7)"),
    ],
)
def test_other_parameters_agree_with_the_oracle_too(name: str) -> None:
    task = make(name)
    assert task.name == name
    for length in task.lengths(0, 45)[:3] + task.lengths(0, 45)[-1:]:
        for prompt, answer in draw_pairs(task, length, 60):
            assert answer == task.answer(prompt)


# Laws of the inputs


def test_kinship_is_a_group_in_which_every_relation_undoes_itself() -> None:
    kin = Kinship.TABLE[0]
    after = {(one, two): Kinship.TABLE[i][j] for i, one in enumerate(kin) for j, two in enumerate(kin)}
    assert all(after[one, one] == "sibling" for one in kin)
    assert all(after[after[a, b], c] == after[a, after[b, c]] for a, b, c in product(kin, repeat=3))


@pytest.mark.parametrize(
    ("name", "length", "answers"),
    [
        ("lego", 17, "+ -"),
        ("kinship", 18, "sibling father mother spouse"),
        ("sudoku_row", 9, "yes no"),
        ("icl_regression", 11, "0 1 2 3 4"),
        ("icl_majority", 12, "+ -"),
        ("icl_map", 13, "v0 v1 v2 v3"),
    ],
)
def test_answers_are_balanced(name: str, length: int, answers: str) -> None:
    counts = Counter(answer[0] for _, answer in draw_pairs(make(name), length, 4000))
    assert set(counts) == set(answers.split())
    expected = 4000 / len(counts)
    assert all(abs(number - expected) < 5 * expected**0.5 for number in counts.values())


def test_no_answer_to_circuits_lists_or_automata_is_rare() -> None:
    for name, length, num_answers in (("circuit_value", 40, 2), ("listops", 30, 10), ("icl_dfa", 31, 2)):
        counts = Counter(answer[0] for _, answer in draw_pairs(make(name), length, 1000))
        assert len(counts) == num_answers
        assert min(counts.values()) > 300 / num_answers


def test_a_path_through_a_star_is_one_arm_long_and_the_goal_is_any_arm_of_the_list() -> None:
    first_edges: Counter[int] = Counter()
    for prompt, path in draw_pairs(make("path_star"), 27, 1000):
        edges = list(zip(prompt[:-3:2], prompt[1:-3:2], strict=True))
        assert len(path) == 5
        assert sum(one == path[0] for one, _ in edges) == 3
        assert all(edge in edges for edge in pairwise(path))
        outward = [two for one, two in edges if one == path[0]]
        first_edges[outward.index(path[1])] += 1
    assert all(250 < first_edges[arm] < 420 for arm in range(3))


def test_a_maze_is_a_tree_with_as_many_wrong_edges_as_right_ones() -> None:
    for prompt, path in draw_pairs(make("maze_hops"), 23, 100):
        edges = [frozenset(pair) for pair in zip(prompt[:-3:2], prompt[1:-3:2], strict=True)]
        assert len(edges) == len(set(edges)) == len(set().union(*edges)) - 1 == 2 * (len(path) - 1)


def test_shares_of_mines_and_living_cells_are_as_stated() -> None:
    for name, symbol, share in (("minesweeper", "*", 1 / 4), ("life_step", "o", 1 / 2)):
        cells = [cell for prompt, _ in draw_pairs(make(name), 40, 500) for cell in prompt]
        assert abs(cells.count(symbol) / len(cells) - share) < 0.015


def test_hanoi_moves_no_disk_upon_a_smaller_one_and_ends_at_the_goal() -> None:
    for length in make("hanoi").lengths(0, 99):
        for prompt, moves in draw_pairs(make("hanoi"), length, 12):
            start, goal = prompt[-2:]
            pegs: dict[str, list[int]] = {"a": [], "b": [], "c": []}
            pegs[start] = list(range(length - 2, 0, -1))
            for source, target in moves:
                disk = pegs[source].pop()
                assert not pegs[target] or pegs[target][-1] > disk
                pegs[target].append(disk)
            assert pegs[goal] == list(range(length - 2, 0, -1))


def test_in_a_chain_one_symbol_has_followed_most_often() -> None:
    for name, length in (("icl_markov", 2), ("icl_markov", 9), ("icl_markov(2)", 6), ("icl_markov(3)", 7)):
        task = make(name)
        order = task.min_length - 1
        for prompt, _ in draw_pairs(task, length):
            text = "".join(prompt)
            followers = Counter(text[end] for end in range(order, length) if text[end - order : end] == text[-order:])
            best = followers.most_common(2)
            assert best
            assert len(best) == 1 or best[0][1] > best[1][1]


def test_the_liked_symbol_of_a_chain_follows_two_times_in_three() -> None:
    shares = []
    for prompt, _ in draw_pairs(make("icl_markov"), 400, 100):
        pairs = Counter(pairwise(prompt))
        for first in "abc":
            total = sum(pairs[first, second] for second in "abc")
            if total > 60:
                shares.append(max(pairs[first, second] for second in "abc") / total)
    assert abs(sum(shares) / len(shares) - 2 / 3) < 0.02


def test_grids_couple_a_cell_with_its_answer() -> None:
    xp = numpy_arrays()
    task = make("life_step")
    batch = task.sample(open_stream(DATA, seed=0, xp=xp), xp.asarray([15]), 15, xp)
    assert task.roles(batch, xp)[0].tolist() == [*range(16), *range(17)]


# Programs as facts


def test_the_program_of_icl_map_is_its_oracle_on_all_short_inputs() -> None:
    task = make("icl_map(2)")
    keys, values = task.symbols[:2], task.symbols[2:]
    assert task.facts.program is not None
    assert fragment_of(task.facts.program) is Fragment.PLAIN
    for mapping in product(values, repeat=2):
        table = dict(zip(keys, mapping, strict=True))
        for shots in (1, 2, 3):
            for shown in product(keys, repeat=shots):
                prompt = [symbol for key in shown for symbol in (key, table[key])]
                for query in set(shown):
                    assert list(generate(task.facts.program, [*prompt, query, "<sep>"])) == [table[query]]


@pytest.mark.full
def test_the_program_of_icl_markov_is_its_oracle_on_all_short_inputs_without_ties() -> None:
    for order in (1, 2):
        task = make(f"icl_markov({order})")
        assert task.facts.program is not None
        assert fragment_of(task.facts.program) is Fragment.LOCAL
        for length in range(order + 1, 7):
            for prompt in product("abc", repeat=length):
                text = "".join(prompt)
                seen = [text[end] for end in range(order, length) if text[end - order : end] == text[-order:]]
                counts = sorted((seen.count(symbol) for symbol in "abc"), reverse=True)
                if counts[0] > counts[1]:
                    assert list(generate(task.facts.program, [*prompt, "<sep>"])) == task.answer(prompt)


@pytest.mark.full
def test_the_program_of_icl_dfa_is_its_oracle_on_all_short_inputs() -> None:
    task = make("icl_dfa")
    assert task.facts.program is not None
    assert fragment_of(task.facts.program) is Fragment.LOCAL
    words = list(product("ab", repeat=3))
    num_checked = 0
    for one, two, query in product(words, words, words[::3]):
        for labels in product("+-", repeat=2):
            prompt = [*one, labels[0], *two, labels[1], *query]
            try:
                answer = task.answer(prompt)
            except ValueError:  # no automaton fits, or those that do differ
                continue
            num_checked += 1
            assert list(generate(task.facts.program, [*prompt, "<sep>"])) == answer
    assert num_checked > 150


@pytest.mark.full
def test_the_program_of_icl_regression_is_its_oracle_on_all_short_inputs() -> None:
    task = make("icl_regression(3)")
    assert task.facts.program is not None
    assert fragment_of(task.facts.program) is Fragment.PLAIN
    for a, b, *points in product(range(3), repeat=6):
        *shots, query = points
        if shots[0] != shots[1]:
            prompt = [symbol for x in shots for symbol in (f"x{x}", str((a * x + b) % 3))]
            assert list(generate(task.facts.program, [*prompt, f"x{query}", "<sep>"])) == [str((a * query + b) % 3)]


def test_the_program_of_icl_majority_is_its_oracle_on_all_short_inputs() -> None:
    task = make("icl_majority")
    assert task.facts.program is not None
    assert fragment_of(task.facts.program) is Fragment.PLAIN
    for shots in (1, 2, 3):
        for labels in product("+-", repeat=shots):
            if labels.count("+") * 2 != shots:
                for letters in product("ah", repeat=shots):
                    prompt = [symbol for pair in zip(letters, labels, strict=True) for symbol in pair]
                    assert list(generate(task.facts.program, [*prompt, "<sep>"])) == task.answer(prompt)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in FAMILIES if FAMILIES[name]().facts.program is not None])
def test_programs_agree_with_the_oracle_on_random_inputs(name: str) -> None:
    task = FAMILIES[name]()
    assert task.facts.program is not None
    for length in task.lengths(15, 31)[::6]:
        for prompt, answer in draw_pairs(task, length, 15, seed=3):
            assert list(generate(task.facts.program, [*prompt, "<sep>"])) == answer


# What the negative facts say


def test_one_list_of_fives_is_a_parity_and_one_key_is_a_flip_flop() -> None:
    lists, recall = make("listops"), make("icl_overwrite")
    letters = {"0": ["k0", "v0"], "1": ["k0", "v1"], "2": ["k1", "v0"]}
    for length in range(1, 7):
        for digits in product("05", repeat=length):
            assert (lists.answer(["[sum", *digits, "]"]) == ["0"]) == (digits.count("5") % 2 == 0)
        for word in product("012", repeat=length):
            shots = [symbol for letter in word for symbol in letters[letter]]
            is_flip_flop = "".join(word).rstrip("2").endswith("0")
            assert (recall.answer(["k0", "v1", *shots, "k0"]) == ["v0"]) == is_flip_flop


def test_blocks_two_rows_apart_stay_as_they_are() -> None:
    for width in (2, 5):
        task = make(f"life_step({width})")
        block, empty = ["o", "o", *"." * (width - 2)], ["."] * width
        for pattern in product((False, True), repeat=4):
            rows = [row for there in pattern for row in ([block, block] if there else [empty] * 2) + [empty] * 2]
            grid = [cell for row in rows for cell in row]
            assert task.answer(grid) == grid


# Refusals


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "path_star(1)",
            "path_star takes the number of arms, a whole number from 2 to 20; found '1'.\nhint: for example path_star(3).",
        ),
        (
            "path_star(3, nxt)",
            "path_star takes what is asked for, one of path, next; found 'nxt'.\nhint: did you mean 'next'?",
        ),
        (
            "life_step(1)",
            "life_step takes the width of its grid, a whole number from 2 to 20; found '1'.\nhint: for example life_step(5).",
        ),
        (
            "icl_markov(4)",
            "icl_markov takes the order of the chain, a whole number from 1 to 3; found '4'.\nhint: for example icl_markov(1).",
        ),
        (
            "icl_regression(4)",
            "icl_regression takes a prime, one of 3, 5, 7; found 4.\nhint: for example icl_regression(5).",
        ),
        ("scan(3)", "scan takes nothing in parentheses; found '3'.\nhint: for example scan."),
    ],
)
def test_parameters_that_cannot_be_are_refused(name: str, text: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        make(name)
    assert str(caught.value) == text


def test_a_task_says_when_its_names_run_out() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        make("lego").lengths(0, 160)
    assert str(caught.value) == (
        "length 160 is too long for lego: its names suffice for length 152.\nhint: use lengths up to 152."
    )
    for name in FAMILIES:
        assert make(name).lengths(0, 150)


@pytest.mark.parametrize("name", ["lego", "kinship", "circuit_value", "path_star", "maze_hops", "path_star(20)"])
def test_at_the_longest_length_names_still_suffice(name: str) -> None:
    task = make(name)
    longest = task.lengths(0, task.max_length)[-1]  # type: ignore[attr-defined]
    assert longest == task.max_length  # type: ignore[attr-defined]
    for prompt, answer in draw_pairs(task, longest, 3):
        assert answer == task.answer(prompt)


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("lego", (5, 8, 11)),
        ("kinship", (6, 9, 12)),
        ("path_star", (9,)),
        ("maze_hops", (7, 11)),
        ("circuit_value", (4, 8, 12)),
        ("life_step(4)", (12,)),
        ("nested_clauses", (2, 5, 8, 11)),
        ("hanoi", (3, 4, 5, 6, 7, 8, 9, 10)),
        ("icl_dfa", (7, 11)),
        ("icl_regression", (5, 7, 9, 11, 13)),
        ("icl_majority", (2, 4, 6, 8, 10, 12)),
    ],
)
def test_the_lengths_are_those_with_instances(name: str, lengths: tuple[int, ...]) -> None:
    assert make(name).lengths(0, 13) == lengths
