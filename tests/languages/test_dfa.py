from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import FrozenInstanceError
from random import Random
from typing import Any

import pytest
from automata.fa import dfa as automata_lib
from hypothesis import given
from strategies import all_words, automata, random_dfa, random_table, regex_texts, tables, words

from lengthwise.errors import (
    AlphabetMismatchError,
    CapExceededError,
    InvalidAlphabetError,
    InvalidAutomatonError,
    InvalidOptionError,
    UnknownSymbolError,
)
from lengthwise.languages.dfa import DFA, product
from lengthwise.languages.dfa_algebra import (
    count_words,
    distinguishing_word,
    left_quotient,
    left_quotient_by,
    over_alphabet,
    reverse,
    right_quotient,
    right_quotient_by,
    separating_suffix,
    shortest_path,
    shortest_word,
    word_counts,
)
from lengthwise.languages.minimization import hopcroft_classes, moore_classes
from lengthwise.languages.regex import compile_regex

SHORT_WORDS = list(all_words("ab", 6))

Table = dict[str, Any]


def small_tables(alphabet: str, max_states: int) -> Iterator[Table]:
    """Yield every complete automaton with initial state 0 and at most so many states."""
    for num_states in range(1, max_states + 1):
        rows = list(itertools.product(range(num_states), repeat=len(alphabet)))
        for transitions in itertools.product(rows, repeat=num_states):
            for flags in itertools.product((False, True), repeat=num_states):
                accepting = [state for state, flag in enumerate(flags) if flag]
                yield {"alphabet": alphabet, "transitions": transitions, "accepting": accepting}


def accepts(table: Table, word: str) -> bool:
    """Say whether the automaton of these arguments accepts a word, by walking it."""
    state = table.get("initial", 0)
    for symbol in word:
        state = table["transitions"][state][table["alphabet"].index(symbol)]
    return state in table["accepting"]


def renumbered(classes: Sequence[int]) -> list[int]:
    """Return a partition with its classes numbered by first appearance."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(number, len(numbers)) for number in classes]


def permuted(table: Table, rng: Random) -> Table:
    """Return the same automaton with its states renumbered."""
    num_states = len(table["transitions"])
    new_number = rng.sample(range(num_states), num_states)
    transitions: list[list[int]] = [[] for _ in range(num_states)]
    for state, row in enumerate(table["transitions"]):
        transitions[new_number[state]] = [new_number[target] for target in row]
    return {
        "alphabet": table["alphabet"],
        "transitions": transitions,
        "accepting": [new_number[state] for state in table["accepting"]],
        "initial": new_number[table.get("initial", 0)],
    }


def doubled(table: Table, rng: Random) -> Table:
    """Return an automaton of the same language in which every state has a twin, plus states that nothing leads to."""
    num_states = len(table["transitions"])
    twin_rows = [[target + num_states * rng.randrange(2) for target in row] for row in table["transitions"] * 2]
    stray_rows = [[rng.randrange(2 * num_states) for _ in table["alphabet"]] for _ in range(3)]
    twins = [state + num_states for state in table["accepting"]]
    return {
        "alphabet": table["alphabet"],
        "transitions": twin_rows + stray_rows,
        "accepting": [*table["accepting"], *twins, 2 * num_states, 2 * num_states + 2],
        "initial": table.get("initial", 0),
    }


def reordered(table: Table, rng: Random) -> Table:
    """Return the same automaton with its alphabet in another order."""
    order = rng.sample(range(len(table["alphabet"])), len(table["alphabet"]))
    return table | {
        "alphabet": "".join(table["alphabet"][column] for column in order),
        "transitions": [[row[column] for column in order] for row in table["transitions"]],
    }


def assert_canonical(language: DFA) -> None:
    """Check that all states are reachable, numbered breadth first, and pairwise inequivalent."""
    seen = [0]
    for row in language.transitions:
        for target in row:
            if target not in seen:
                seen.append(target)
    assert seen == list(range(language.num_states))
    assert len(set(moore_classes(language.transitions, language.accepting))) == language.num_states


# Canonical form


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("(ab)*", "()|a(ba)*b"),
        ("(a|b)*", "(a*b*)*"),
        ("a*", "(aa)*(()|a)"),
        ("a{2,4}", "aa(a(a)?)?"),
        ("(a|b)*b", "(a*b)+"),
        ("[ab]{0}", "()(a?b?){0}"),
    ],
)
def test_equal_languages_from_different_expressions_are_equal_objects(one: str, two: str) -> None:
    left, right = compile_regex(one, alphabet="ab"), compile_regex(two, alphabet="ba")
    assert left == right
    assert hash(left) == hash(right)
    assert (left.alphabet, left.transitions, left.accepting) == (right.alphabet, right.transitions, right.accepting)
    assert len({left, right}) == 1


@pytest.mark.parametrize("change", [permuted, doubled, reordered])
def test_equal_languages_from_changed_automata_are_equal_objects(change: Callable[[Table, Random], Table]) -> None:
    rng = Random(1)
    for num_states in range(1, 13):
        for _ in range(10):
            table = random_table(rng, num_states, "abc")
            original, changed = DFA(**table), DFA(**change(table, rng))
            assert original == changed
            assert hash(original) == hash(changed)
            assert_canonical(changed)


def test_languages_are_equal_exactly_when_their_words_are() -> None:
    by_words: dict[tuple[bool, ...], DFA] = {}
    for table in small_tables("ab", 2):
        language = DFA(**table)
        # two inequivalent automata with at most 2 states differ on a word shorter than 4
        key = tuple(accepts(table, word) for word in all_words("ab", 3))
        assert by_words.setdefault(key, language) == language
    assert len(set(by_words.values())) == len(by_words) == 26


def test_languages_over_different_alphabets_are_different() -> None:
    assert compile_regex("a*") != compile_regex("a*", alphabet="ab")
    assert compile_regex("a*") != "a*"


@given(tables())
def test_an_automaton_accepts_the_same_words_as_the_table_it_was_made_from(table: Table) -> None:
    language = DFA(**table)
    assert_canonical(language)
    for word in SHORT_WORDS:
        assert (word in language) == accepts(table, word)


@given(automata("abc"))
def test_making_an_automaton_minimal_twice_changes_nothing(language: DFA) -> None:
    again = DFA(alphabet=language.alphabet, transitions=language.transitions, accepting=language.accepting)
    assert (again.transitions, again.accepting) == (language.transitions, language.accepting)


@pytest.mark.parametrize("alphabet", ["a", "ab"])
def test_hopcroft_agrees_with_moore_on_every_automaton_with_up_to_three_states(alphabet: str) -> None:
    for table in small_tables(alphabet, 3):
        rows, accepting = table["transitions"], set(table["accepting"])
        assert renumbered(hopcroft_classes(rows, accepting)) == renumbered(moore_classes(rows, accepting))


@pytest.mark.parametrize("num_states", [4, 7, 15, 40, 120])
def test_hopcroft_agrees_with_moore_on_random_automata(num_states: int) -> None:
    rng = Random(num_states)
    for alphabet in ("a", "ab", "abcd"):
        for share in (0.03, 0.5):  # few accepting states make many rounds of splitting
            for _ in range(10):
                rows = random_table(rng, num_states, alphabet)["transitions"]
                accepting = {state for state in range(num_states) if rng.random() < share}
                assert renumbered(hopcroft_classes(rows, accepting)) == renumbered(moore_classes(rows, accepting))


def test_hopcroft_agrees_with_moore_where_every_round_splits_off_one_state() -> None:
    for num_states in (2, 3, 30):
        rows = [[min(state + 1, num_states - 1), 0] for state in range(num_states)]
        assert len(set(hopcroft_classes(rows, {num_states - 1}))) == num_states
        assert len(set(moore_classes(rows, {num_states - 1}))) == num_states


def test_an_automaton_with_very_many_states_is_no_trouble() -> None:
    num_states = 30_000
    rows = [[(state + 1) % num_states, state] for state in range(num_states)]
    assert DFA(alphabet="ab", transitions=rows, accepting=range(0, num_states, 3)).num_states == 3


# A value


@pytest.mark.parametrize("attribute", ["alphabet", "transitions", "accepting", "_index", "initial"])
def test_an_automaton_cannot_be_changed(attribute: str) -> None:
    language = compile_regex("(ab)*")
    with pytest.raises((FrozenInstanceError, TypeError)):
        setattr(language, attribute, ())
    assert language == compile_regex("(ab)*")


def test_an_automaton_does_not_change_with_the_lists_it_was_made_from() -> None:
    rows, accepting, alphabet = [[1, 0], [0, 1]], [0], ["a", "b"]
    language = DFA(alphabet=alphabet, transitions=rows, accepting=accepting)
    rows[0][0], accepting[0], alphabet[0] = 0, 1, "c"
    assert language == compile_regex("b*(ab*ab*)*")


def test_an_automaton_survives_copying_and_pickling() -> None:
    language = compile_regex("(ab|bbaa)*")
    for other in (copy.copy(language), copy.deepcopy(language), pickle.loads(pickle.dumps(language))):
        assert other == language
        assert hash(other) == hash(language)
        assert "bbaaab" in other


def test_an_automaton_shows_its_size_and_alphabet() -> None:
    assert repr(compile_regex("(ab)*")) == "<DFA: 3 states over {a, b}>"
    assert repr(compile_regex("a*")) == "<DFA: 1 state over {a}>"


def test_symbols_may_have_several_characters() -> None:
    language = DFA(alphabet=["open", "close"], transitions=[[1, 2], [2, 0], [2, 2]], accepting=[0])
    assert language.alphabet == ("close", "open")
    assert ["open", "close"] in language
    assert ("close", "open") not in language
    assert language.decode(language.encode(["open", "close"])) == ("open", "close")


# Set operations


OPERATIONS: dict[str, tuple[Callable[[DFA, DFA], DFA], Callable[[bool, bool], bool]]] = {
    "and": (lambda a, b: a & b, lambda a, b: a and b),
    "or": (lambda a, b: a | b, lambda a, b: a or b),
    "difference": (lambda a, b: a - b, lambda a, b: a and not b),
    "symmetric difference": (lambda a, b: a ^ b, lambda a, b: a is not b),
    "complement of the left": (lambda a, _: ~a, lambda a, _: not a),
    "implication by product": (
        lambda a, b: product(a, b, lambda left, right: not left or right),
        lambda a, b: not a or b,
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_set_operations_agree_with_membership_on_every_short_word(name: str) -> None:
    operation, rule = OPERATIONS[name]
    rng = Random(2)
    for _ in range(60):
        left, right = random_dfa(rng, rng.randint(1, 5), "ab"), random_dfa(rng, rng.randint(1, 5), "ab")
        result = operation(left, right)
        assert_canonical(result)
        for word in SHORT_WORDS:
            assert (word in result) == rule(word in left, word in right)


def test_inclusion_agrees_with_membership_on_every_pair_of_small_languages() -> None:
    languages = sorted(
        {DFA(**table) for table in small_tables("ab", 2)}, key=lambda language: str(language.transitions)
    )
    for left, right in itertools.product(languages, repeat=2):
        # the difference has at most 4 states, so that its shortest word is shorter than 4
        included = all(word in right for word in all_words("ab", 3) if word in left)
        assert (left <= right) == included
        assert (right >= left) == included


@given(automata(), automata())
def test_de_morgan_holds(one: DFA, two: DFA) -> None:
    assert ~(one & two) == ~one | ~two
    assert ~(one | two) == ~one & ~two


@given(automata(), automata(), automata())
def test_languages_form_a_boolean_algebra(one: DFA, two: DFA, three: DFA) -> None:
    assert one & (two | three) == (one & two) | (one & three)
    assert one | (one & two) == one
    assert one ^ two == (one - two) | (two - one)
    assert ~~one == one
    assert one & two <= one <= one | two
    assert (one <= two) == (one | two == two)
    nothing, everything = one & ~one, one | ~one
    assert nothing == DFA(alphabet="ab", transitions=[[0, 0]], accepting=[])
    assert everything == DFA(alphabet="ab", transitions=[[0, 0]], accepting=[0])


@given(regex_texts(), regex_texts())
def test_union_of_automata_is_union_of_expressions(one: str, two: str) -> None:
    left, right = compile_regex(one, alphabet="ab"), compile_regex(two, alphabet="ab")
    assert left | right == compile_regex(f"{one}|{two}", alphabet="ab")


# Words, quotients, alphabets, counts


def brute_shortest(is_wanted: Callable[[str], bool], max_length: int) -> tuple[str, ...] | None:
    return next((tuple(word) for word in all_words("ab", max_length) if is_wanted(word)), None)


def test_a_distinguishing_word_is_the_first_shortest_one_and_none_exactly_when_equal() -> None:
    rng = Random(3)
    num_equal = 0
    for _ in range(300):
        left, right = random_dfa(rng, rng.randint(1, 3), "ab"), random_dfa(rng, rng.randint(1, 3), "ab")
        word = distinguishing_word(left, right)
        # two automata with 3 states each differ on a word shorter than 6
        assert word == brute_shortest(lambda text, one=left, two=right: (text in one) != (text in two), 6)
        assert (word is None) == (left == right)
        num_equal += word is None
    assert 10 < num_equal < 290


def test_a_shortest_word_is_the_first_accepted_one_and_none_for_the_empty_language() -> None:
    rng = Random(4)
    for _ in range(100):
        language = random_dfa(rng, rng.randint(1, 6), "ab")
        assert shortest_word(language) == brute_shortest(lambda text, one=language: text in one, 6)
    assert shortest_word(compile_regex("a*") - compile_regex("a*")) is None


def test_a_shortest_path_reaches_every_state_by_the_first_shortest_word() -> None:
    language = random_dfa(Random(5), 12, "ab")
    assert language.num_states > 4
    for goal in range(language.num_states):
        word = shortest_path(language, 1, lambda state, wanted=goal: state == wanted)
        assert word == brute_shortest(lambda text, wanted=goal: language.run(text, 1) == wanted, 8)


def test_a_separating_suffix_is_shortest_and_none_exactly_for_the_same_state() -> None:
    language = random_dfa(Random(6), 9, "ab")
    assert language.num_states > 4
    for one, two in itertools.product(range(language.num_states), repeat=2):
        suffix = separating_suffix(language, one, two)
        assert suffix == brute_shortest(
            lambda text, one=one, two=two: (
                (language.run(text, one) in language.accepting) != (language.run(text, two) in language.accepting)
            ),
            9,
        )
        assert (suffix is None) == (one == two)


@given(automata(), words("ab", 5))
def test_quotients_hold_what_completes_a_word(language: DFA, word: str) -> None:
    left, right = left_quotient(language, word), right_quotient(language, word)
    for other in all_words("ab", 4):
        assert (other in left) == (word + other in language)
        assert (other in right) == (other + word in language)


@given(automata("ab", 3), automata("ab", 3))
def test_quotients_by_a_language_hold_what_some_word_of_it_completes(language: DFA, cut: DFA) -> None:
    left, right = left_quotient_by(language, cut), right_quotient_by(language, cut)
    # 3 times 3 pairs of states are all met within 8 symbols, so that longer words complete nothing more
    cuts = [word for word in all_words("ab", 8) if word in cut]
    for word in all_words("ab", 3):
        assert (word in left) == any(beginning + word in language for beginning in cuts)
        assert (word in right) == any(word + end in language for end in cuts)


@given(automata(), words("ab", 4))
def test_a_quotient_by_a_word_is_one_by_the_language_of_that_word(language: DFA, word: str) -> None:
    alone = compile_regex(word or "()", alphabet="ab")
    assert left_quotient_by(language, alone) == left_quotient(language, word)
    assert right_quotient_by(language, alone) == right_quotient(language, word)


@given(automata("ab", 5), automata("ab", 5), automata("ab", 5))
def test_quotients_by_languages_obey_their_laws(language: DFA, one: DFA, two: DFA) -> None:
    assert right_quotient_by(language, one | two) == right_quotient_by(language, one) | right_quotient_by(language, two)
    assert left_quotient_by(language, one | two) == left_quotient_by(language, one) | left_quotient_by(language, two)
    assert left_quotient_by(right_quotient_by(language, one), two) == right_quotient_by(
        left_quotient_by(language, two), one
    )
    assert reverse(right_quotient_by(language, one)) == left_quotient_by(reverse(language), reverse(one))


@given(automata())
def test_a_reversal_holds_the_words_read_backwards(language: DFA) -> None:
    backwards = reverse(language)
    assert_canonical(backwards)
    for word in SHORT_WORDS:
        assert (word in backwards) == (word[::-1] in language)
    assert reverse(backwards) == language


@given(automata("bd"))
def test_a_larger_alphabet_keeps_the_words_and_adds_none(language: DFA) -> None:
    larger = over_alphabet(language, "dcba")
    assert larger.alphabet == ("a", "b", "c", "d")
    for word in all_words("abcd", 4):
        assert (word in larger) == (set(word) <= {"b", "d"} and word in language)
    assert over_alphabet(language, "db") == language


@given(automata("abc"))
def test_words_are_counted_exactly(language: DFA) -> None:
    for length in range(6):
        num_words = sum("".join(word) in language for word in itertools.product("abc", repeat=length))
        assert count_words(language, length) == num_words


def test_words_are_counted_from_every_state_and_without_rounding() -> None:
    language = compile_regex("[ab]*b")
    assert word_counts(language, 2) == [[0, 1], [1, 1], [2, 2]]
    assert count_words(language, 200) == 2**199


# Another library


@pytest.mark.parametrize("alphabet", ["a", "ab", "abc"])
def test_another_library_finds_as_many_states_and_the_same_words(alphabet: str) -> None:
    rng = Random(7)
    short = list(all_words(alphabet, 5))
    for _ in range(40):
        table = random_table(rng, rng.randint(1, 9), alphabet)
        ours = DFA(**table)
        theirs = automata_lib.DFA(
            states=set(range(len(table["transitions"]))),
            input_symbols=set(alphabet),
            transitions={
                state: dict(zip(alphabet, row, strict=True)) for state, row in enumerate(table["transitions"])
            },
            initial_state=0,
            final_states=set(table["accepting"]),
        )
        assert ours.num_states == len(theirs.minify().to_complete().states)
        for word in short:
            assert (word in ours) == theirs.accepts_input(word)


# Errors


PAIR: Table = {"alphabet": "ab", "transitions": [[1, 0], [0, 1]], "accepting": [0]}
LEADS_HINT = "hint: lead to an existing state."
ACCEPTING_HINT = "hint: name existing states only."
INITIAL_HINT = "hint: start in an existing state."
ROW_HINT = "hint: give every state one transition per symbol; let dead ends lead to a rejecting sink."


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"transitions": [], "accepting": []},
            "an automaton needs at least one state; none was given.\nhint: add the initial state.",
        ),
        (
            {"transitions": [[1, 0], [0]]},
            f"state 1 has 1 transitions; the alphabet has 2 symbols.\n{ROW_HINT}",
        ),
        ({"transitions": [[1, 2], [0, 1]]}, f"state 0 leads to 2; states are numbered 0 to 1.\n{LEADS_HINT}"),
        ({"transitions": [[1, 0], [-1, 1]]}, f"state 1 leads to -1; states are numbered 0 to 1.\n{LEADS_HINT}"),
        ({"transitions": [[1, "0"], [0, 1]]}, f"state 0 leads to '0'; states are numbered 0 to 1.\n{LEADS_HINT}"),
        ({"transitions": [[True, 0], [0, 1]]}, f"state 0 leads to True; states are numbered 0 to 1.\n{LEADS_HINT}"),
        ({"accepting": [2]}, f"accepting state 2 does not exist; states are numbered 0 to 1.\n{ACCEPTING_HINT}"),
        ({"accepting": ["q"]}, f"accepting state 'q' does not exist; states are numbered 0 to 1.\n{ACCEPTING_HINT}"),
        ({"initial": 2}, f"initial state 2 does not exist; states are numbered 0 to 1.\n{INITIAL_HINT}"),
        ({"initial": None}, f"initial state None does not exist; states are numbered 0 to 1.\n{INITIAL_HINT}"),
    ],
)
def test_a_table_that_is_no_complete_automaton_is_refused(change: Table, text: str) -> None:
    with pytest.raises(InvalidAutomatonError) as caught:
        DFA(**(PAIR | change))
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("alphabet", "text"),
    [
        ("", "an alphabet needs at least one symbol; none was given.\nhint: name its symbols, for example 'ab'."),
        ("aa", "symbol 'a' appears twice in the alphabet.\nhint: name each symbol once."),
        (["a", ""], "a symbol must be a non-empty string; found ''.\nhint: write symbols as text, for example 'a'."),
        (["a", 1], "a symbol must be a non-empty string; found 1.\nhint: write symbols as text, for example 'a'."),
    ],
)
def test_symbols_that_form_no_alphabet_are_refused(alphabet: Any, text: str) -> None:
    with pytest.raises(InvalidAlphabetError) as caught:
        DFA(**(PAIR | {"alphabet": alphabet}))
    assert str(caught.value) == text


def test_a_symbol_outside_the_alphabet_is_refused() -> None:
    with pytest.raises(UnknownSymbolError) as caught:
        DFA(**PAIR).run("abc")
    assert str(caught.value) == (
        "symbol 'c' is not in the alphabet {a, b}.\n"
        "hint: use only these symbols, or build the language over a larger alphabet."
    )


@pytest.mark.parametrize(
    "operation",
    [lambda a, b: a & b, lambda a, b: a <= b, distinguishing_word, left_quotient_by, right_quotient_by],
)
def test_languages_over_different_alphabets_cannot_be_combined(operation: Callable[[DFA, DFA], object]) -> None:
    with pytest.raises(AlphabetMismatchError) as caught:
        operation(compile_regex("a*"), compile_regex("(ab)*"))
    assert str(caught.value) == (
        "the languages are over different alphabets, {a} and {a, b}.\n"
        "hint: bring both over one alphabet first, with over_alphabet(language, symbols)."
    )


def test_an_alphabet_cannot_lose_a_symbol() -> None:
    with pytest.raises(AlphabetMismatchError) as caught:
        over_alphabet(compile_regex("(ab)*"), "ac")
    assert str(caught.value) == (
        "symbol 'b' of the language is not in the alphabet {a, c}.\n"
        "hint: an alphabet can only grow: name all symbols of the language."
    )


MORE = "needs more than 15 states, which is the cap.\nhint: use a smaller language, or raise max_states."


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: product(compile_regex("(a{7})*"), compile_regex("(a{11})*"), lambda one, _: one, max_states=76),
            "a product of languages with 7 and 11 states would have more than 76 states, which is the cap.\n"
            "hint: combine smaller languages, or raise the cap.",
        ),
        (
            lambda: reverse(compile_regex("[ab]{4}a[ab]*"), max_states=15),
            f"a reversal of a language with 7 states {MORE}",
        ),
        (
            lambda: left_quotient_by(compile_regex("([ab]{3}a)*"), compile_regex("[ab]*"), max_states=15),
            f"a left quotient of a language with 5 states {MORE}",
        ),
    ],
)
def test_a_construction_that_passes_its_cap_on_states_is_refused(build: Callable[[], DFA], text: str) -> None:
    with pytest.raises(CapExceededError) as caught:
        build()
    assert str(caught.value) == text


def test_a_construction_of_exactly_its_cap_on_states_is_built() -> None:
    seven, eleven = compile_regex("(a{7})*"), compile_regex("(a{11})*")
    assert product(seven, eleven, lambda one, two: one and two, max_states=77).num_states == 77
    assert left_quotient_by(compile_regex("([ab]{3}a)*"), compile_regex("[ab]*"), max_states=16).num_states == 16


def test_words_of_a_negative_length_are_not_counted() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        count_words(compile_regex("a*"), -1)
    assert str(caught.value) == ("length -1 is not allowed; a length is at least 0.\nhint: choose a length such as 8.")


def test_words_are_not_counted_where_the_counts_would_fill_the_memory() -> None:
    with pytest.raises(CapExceededError) as caught:
        count_words(compile_regex("a{2200}b?"), 2200)
    assert str(caught.value) == (
        "counting the words up to length 2,200 of a language with 2,203 states and 2 symbols adds 9,697,606 numbers of "
        "666,710,412 bytes in all; the caps are 5,000,000 numbers and 536,870,912 bytes.\n"
        "hint: use a shorter length or a smaller language."
    )
    with pytest.raises(CapExceededError, match="counting the words up to length 100,000"):
        count_words(compile_regex("(ab|bbaa)*"), 100_000)
