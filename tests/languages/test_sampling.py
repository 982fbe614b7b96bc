"""Samplers of words: exact, fast within a stated bound, and never outside the language."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import InvalidOptionError, InvalidSeedError, NoSuchWordError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import count_words
from lengthwise.languages.mixed_sampling import MixedWordSampler
from lengthwise.languages.sampling import (
    PADDING,
    WordSampler,
    nearest_lengths,
    rank,
    sample_word,
    sample_words,
    unrank,
)
from lengthwise.seeds import DATA, Draw, open_stream

Word = tuple[str, ...]

LANGUAGES = {
    "an odd number of b": DFA(alphabet="ab", transitions=[[0, 1], [1, 0]], accepting=[1]),
    "some a before some b before some c": DFA(
        alphabet="abc", transitions=[[1, 0, 0], [1, 2, 1], [2, 2, 3], [3, 3, 3]], accepting=[3]
    ),
    "(ab)*": DFA(alphabet="ab", transitions=[[1, 2], [2, 0], [2, 2]], accepting=[0]),
    "no two b in a row": DFA(alphabet="ab", transitions=[[0, 1], [0, 2], [2, 2]], accepting=[0, 1]),
    "everything": DFA(alphabet="abc", transitions=[[0, 0, 0]], accepting=[0]),
    "an even number of the only symbol": DFA(alphabet="a", transitions=[[1], [0]], accepting=[0]),
    "at most three symbols": DFA(
        alphabet="ab", transitions=[[1, 1], [2, 2], [3, 3], [4, 4], [4, 4]], accepting=range(4)
    ),
    "symbols of several characters": DFA(
        alphabet=["<s>", "a", "b"], transitions=[[1, 2, 2], [2, 1, 1], [2, 2, 2]], accepting=[1]
    ),
}
NOTHING = DFA(alphabet="ab", transitions=[[0, 0]], accepting=[])


@pytest.fixture(params=list(LANGUAGES))
def language(request: pytest.FixtureRequest) -> DFA:
    return LANGUAGES[request.param]


def words_of(language: DFA, length: int) -> list[Word]:
    """Return all words of this length in the order of the alphabet, by trying everything."""
    return [word for word in itertools.product(language.alphabet, repeat=length) if word in language]


def lengths_with_words(language: DFA, longest: int) -> list[int]:
    return [length for length in range(longest + 1) if count_words(language, length)]


def chi_square_excess(counts: list[int]) -> float:
    """Return how many standard deviations the chi-square statistic lies above its mean, for equal probabilities."""
    expected = sum(counts) / len(counts)
    freedom = len(counts) - 1
    return (sum((count - expected) ** 2 for count in counts) / expected - freedom) / math.sqrt(2 * freedom)


def random_languages() -> st.SearchStrategy[DFA]:
    @st.composite
    def build(choose: st.DrawFn) -> DFA:
        alphabet = "abcd"[: choose(st.integers(1, 4))]
        num_states = choose(st.integers(1, 6))
        state = st.integers(0, num_states - 1)
        row = st.lists(state, min_size=len(alphabet), max_size=len(alphabet))
        transitions = choose(st.lists(row, min_size=num_states, max_size=num_states))
        return DFA(alphabet=alphabet, transitions=transitions, accepting=choose(st.sets(state)))

    return build()


# Ranks


def test_unrank_lists_the_words_in_order_and_rank_is_its_inverse(language: DFA) -> None:
    for side, length in itertools.product((language, ~language), range(7)):
        words = words_of(side, length)
        assert [unrank(side, length, number) for number in range(len(words))] == words
        assert [rank(side, word) for word in words] == list(range(len(words)))


@given(language=random_languages(), length=st.integers(0, 200), data=st.data())
def test_rank_inverts_unrank_for_long_words_too(language: DFA, length: int, data: st.DataObject) -> None:
    num_words = count_words(language, length)
    if num_words:
        number = data.draw(st.integers(0, num_words - 1))
        word = unrank(language, length, number)
        assert len(word) == length
        assert word in language
        assert rank(language, word) == number


# The exact sampler


@pytest.mark.parametrize("outside", [False, True], ids=["inside", "outside"])
def test_the_exact_sampler_hits_every_word_equally_often(language: DFA, outside: bool) -> None:
    side = ~language if outside else language
    draw = open_stream(DATA, seed=1)
    for length in lengths_with_words(side, 4):
        words = words_of(side, length)
        counts = Counter(sample_word(side, length, draw.at(step)) for step in range(20 * len(words)))
        assert set(counts) <= set(words)
        assert len(words) == 1 or abs(chi_square_excess([counts[word] for word in words])) < 4


def test_the_exact_sampler_unranks_a_big_integer() -> None:
    language = LANGUAGES["no two b in a row"]
    draw = open_stream(DATA, seed=2)
    word = sample_word(language, 1000, draw)
    assert rank(language, word) == draw.big_integer(count_words(language, 1000))


# The fast sampler


def distribution(sampler: WordSampler, length: int) -> dict[Word, Fraction]:
    """Return the exact probability of every word, for ideal random bits, read off the thresholds."""
    language = sampler.language
    thresholds = sampler.thresholds.tolist()
    reached: dict[tuple[Word, int], Fraction] = {((), 0): Fraction(1)}
    for to_go in range(length, 0, -1):
        following: dict[tuple[Word, int], Fraction] = {}
        for (word, state), probability in reached.items():
            bounds = [0, *thresholds[to_go][state], 2**31]
            for symbol, (low, high) in enumerate(itertools.pairwise(bounds)):
                assert low <= high
                if low < high:
                    place = ((*word, language.alphabet[symbol]), language.transitions[state][symbol])
                    following[place] = probability * Fraction(high - low, 2**31)
        reached = following
    return {word: probability for (word, _), probability in reached.items()}


def assert_within_the_bound(language: DFA, longest: int) -> None:
    sampler = WordSampler(language, max_length=longest)
    for length in lengths_with_words(language, longest):
        uniform = Fraction(1, count_words(language, length))
        exact = distribution(sampler, length)
        assert sum(exact.values()) == 1
        assert all(word in language for word in exact)
        missed = count_words(language, length) - len(exact)
        distance = (sum(abs(probability - uniform) for probability in exact.values()) + missed * uniform) / 2
        assert distance <= Fraction(length * (len(language.alphabet) - 1), 2**32)


def test_the_fast_sampler_is_within_its_stated_distance_of_uniform(language: DFA) -> None:
    assert_within_the_bound(language, 6)
    assert_within_the_bound(~language, 6)


@given(language=random_languages())
def test_the_fast_sampler_is_within_its_stated_distance_of_uniform_for_any_language(language: DFA) -> None:
    assert_within_the_bound(language, 4)


@pytest.mark.full
def test_the_fast_sampler_is_within_its_stated_distance_of_uniform_for_longer_words(language: DFA) -> None:
    assert_within_the_bound(language, 9)
    assert_within_the_bound(~language, 9)


def test_the_fast_sampler_follows_its_thresholds() -> None:
    """Replay every word from the random bits alone, without arrays."""
    language = LANGUAGES["some a before some b before some c"]
    sampler = WordSampler(language, max_length=12)
    thresholds = sampler.thresholds.tolist()
    draw = open_stream(DATA, seed=3)
    lengths = [3 + number % 10 for number in range(200)]
    bits = [draw.at(position).bits31((200,)).tolist() for position in range(12)]
    for row, (length, drawn) in enumerate(zip(lengths, sampler.sample(lengths, draw).tolist(), strict=True)):
        state, symbols = 0, []
        for position in range(length):
            limits = thresholds[length - position][state]
            symbols.append(sum(bits[position][row] >= limit for limit in limits))
            state = language.transitions[state][symbols[-1]]
        assert drawn == symbols + [PADDING] * (12 - length)


def test_a_symbol_begins_exactly_at_the_threshold_of_the_one_before() -> None:
    sampler = WordSampler(LANGUAGES["an odd number of b"], max_length=1)
    draw = open_stream(DATA, seed=3)
    bits = int(draw.at(0).bits31((1,))[0])
    sampler.thresholds[1, 0] = bits
    assert sampler.sample([1], draw).tolist() == [[1]]
    sampler.thresholds[1, 0] = bits + 1
    assert sampler.sample([1], draw).tolist() == [[0]]


def test_the_fast_sampler_hits_every_word_equally_often(language: DFA) -> None:
    for number, length in enumerate(lengths_with_words(language, 5)):
        words = words_of(language, length)
        drawn = sample_words(language, [length] * 40 * len(words), open_stream(DATA, seed=4).at(number))
        counts = Counter(map(language.decode, drawn.tolist()))
        assert set(counts) <= set(words)
        assert len(words) == 1 or abs(chi_square_excess([counts[word] for word in words])) < 4


@pytest.mark.parametrize("outside", [False, True], ids=["inside", "outside"])
def test_samples_of_mixed_lengths_are_in_the_language_and_padded(language: DFA, outside: bool) -> None:
    side = ~language if outside else language
    possible = lengths_with_words(side, 60)
    lengths = (possible * 100)[:200]
    drawn = sample_words(side, lengths, open_stream(DATA, seed=5))
    assert drawn.shape == (len(lengths), max(lengths, default=0))
    assert drawn.dtype == np.int64
    for length, row in zip(lengths, drawn.tolist(), strict=True):
        word = side.decode(row[:length])
        assert word in side
        assert (word in language) is not outside
        assert row[length:] == [PADDING] * (len(row) - length)


@given(language=random_languages(), seed=st.integers(0, 2**63 - 1))
def test_only_words_of_the_language_come_out(language: DFA, seed: int) -> None:
    for side in (language, ~language):
        lengths = lengths_with_words(side, 15)
        drawn = sample_words(side, lengths, open_stream(DATA, seed=seed)).tolist()
        for length, row in zip(lengths, drawn, strict=True):
            assert side.decode(row[:length]) in side


def test_words_with_counts_beyond_any_machine_word_are_sampled() -> None:
    language = LANGUAGES["some a before some b before some c"]
    for row in sample_words(language, [500] * 20, open_stream(DATA, seed=6)).tolist():
        assert language.decode(row) in language


def test_a_rare_symbol_may_be_lost_but_a_forced_one_never_is() -> None:
    """Words b…b with at most one a: where one is left to come, it must come; a needle among 2**40 is rounded away."""
    needle = DFA(alphabet="ab", transitions=[[1, 2], [1, 1], [2, 3], [3, 3]], accepting=[1, 2])
    sampler = WordSampler(needle, max_length=40)
    assert count_words(needle, 40) == 2**39 + 1
    assert sampler.thresholds[40, 0].tolist() == [2**31]
    assert sampler.thresholds[40, 2].tolist() == [2**31]
    forced = DFA(alphabet="ab", transitions=[[0, 1], [2, 2], [2, 2]], accepting=[1])
    drawn = sample_words(forced, [40] * 10, open_stream(DATA, seed=6))
    assert (drawn == [0] * 39 + [1]).all()


def test_a_stack_of_seeds_samples_row_by_row_what_single_seeds_sample() -> None:
    sampler = WordSampler(LANGUAGES["no two b in a row"], max_length=9)
    lengths = [9, 3, 0, 7]
    stacked = sampler.sample(lengths, open_stream(DATA, seed=[5, 6, 7]))
    assert stacked.shape == (3, 4, 9)
    each = np.array([lengths, lengths[::-1], [1, 2, 3, 4]])
    stacked_each = sampler.sample(each, open_stream(DATA, seed=[5, 6, 7]))
    for row, seed in enumerate([5, 6, 7]):
        assert (stacked[row] == sampler.sample(lengths, open_stream(DATA, seed=seed))).all()
        assert (stacked_each[row] == sampler.sample(each[row], open_stream(DATA, seed=seed))).all()


def test_a_word_does_not_depend_on_its_neighbours_or_on_the_width() -> None:
    language = LANGUAGES["some a before some b before some c"]
    draw = open_stream(DATA, seed=8)
    alone = sample_words(language, [6, 8], draw)
    among = WordSampler(language, max_length=20).sample([6, 8, 20, 3], draw)
    assert (among[:2, :8] == alone).all()
    assert (among[:2, 8:] == PADDING).all()


def test_a_sampler_can_be_used_again_and_gives_new_words_for_new_steps() -> None:
    sampler = WordSampler(LANGUAGES["everything"], max_length=30)
    draw = open_stream(DATA, seed=9)
    first, second = (sampler.sample([30] * 5, draw.at(step)) for step in (0, 1))
    assert (first != second).any()
    assert (sampler.sample([30] * 5, draw.at(0)) == first).all()


def test_no_words_and_empty_words_have_arrays_too() -> None:
    language = LANGUAGES["everything"]
    assert sample_words(language, [], open_stream(DATA, seed=0)).shape == (0, 0)
    assert sample_words(language, [0, 0], open_stream(DATA, seed=0)).shape == (2, 0)
    assert sample_words(language, [0, 0], open_stream(DATA, seed=[0, 1, 2])).shape == (3, 2, 0)
    assert WordSampler(language, max_length=4).sample([], open_stream(DATA, seed=0)).shape == (0, 4)
    assert sample_word(language, 0, open_stream(DATA, seed=0)) == ()


def test_lengths_may_be_any_integer_array() -> None:
    language = LANGUAGES["everything"]
    draw = open_stream(DATA, seed=0)
    for dtype in (np.int64, np.int32, np.uint8):
        drawn = sample_words(language, np.array([3, 4], dtype=dtype), draw)
        assert (drawn == sample_words(language, [3, 4], draw)).all()


SCRIPT = """
from lengthwise.languages.dfa import DFA
from lengthwise.languages.sampling import sample_word, sample_words
from lengthwise.seeds import DATA, open_stream
transitions = [[0, 1, 2, 0], [2, 1, 0, 0], [1, 2, 2, 0]]
language = DFA(alphabet=["x", "a", "<s>", "b"], transitions=transitions, accepting={1, 2})
draw = open_stream(DATA, seed=3).named("words")
print(sample_words(language, [5, 9, 30], draw).tolist(), sample_words(~language, [5, 9], draw).tolist())
print([sample_word(language, 40, draw.at(step)) for step in range(3)], draw.permutation(9).tolist())
"""


def run_script(text: str, **environment: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", text], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return finished.stdout


def test_samples_do_not_depend_on_the_hash_seed_of_python() -> None:
    printed = {run_script(SCRIPT, PYTHONHASHSEED=hash_seed) for hash_seed in ("0", "1", "2")}
    assert len(printed) == 1
    assert len(printed.pop().splitlines()) == 2


def test_automata_do_without_numpy() -> None:
    printed = run_script("import lengthwise.languages.dfa, lengthwise.arrays, sys; print('numpy' in sys.modules)")
    assert printed == "False\n"


# Errors


@pytest.mark.parametrize(
    ("language", "length", "hint"),
    [
        (LANGUAGES["(ab)*"], 7, "the nearest lengths with words are 6 and 8."),
        (LANGUAGES["at most three symbols"], 100, "its longest words have length 3."),
        (LANGUAGES["some a before some b before some c"], 1, "its shortest words have length 3."),
        (NOTHING, 5, "the language is empty: it has no words of any length."),
        (~LANGUAGES["everything"], 0, "the language is empty: it has no words of any length."),
    ],
)
def test_a_length_without_words_is_named_with_the_nearest_that_have_some(language: DFA, length: int, hint: str) -> None:
    draw = open_stream(DATA, seed=0)
    for ask in (
        lambda: sample_word(language, length, draw),
        lambda: sample_words(language, [length], draw),
        lambda: unrank(language, length, 0),
    ):
        with pytest.raises(NoSuchWordError) as caught:
            ask()
        assert str(caught.value) == f"the language has no word of length {length}.\nhint: {hint}"


@given(language=random_languages(), length=st.integers(0, 12))
def test_the_nearest_lengths_are_the_nearest(language: DFA, length: int) -> None:
    far = lengths_with_words(language, length + 40)
    below = max((other for other in far if other < length), default=None)
    above = min((other for other in far if other > length), default=None)
    assert nearest_lengths(language, length) == (below, above)


@pytest.mark.parametrize("length", [-1, True, 2.0, "3", None], ids=repr)
def test_a_bad_length_is_named_with_what_is_allowed(length: int) -> None:
    language = LANGUAGES["everything"]
    draw = open_stream(DATA, seed=0)
    for ask in (
        lambda: sample_word(language, length, draw),
        lambda: sample_words(language, [2, length], draw),
        lambda: unrank(language, length, 0),
        lambda: WordSampler(language, max_length=length),
    ):
        with pytest.raises(InvalidOptionError) as caught:
            ask()
        assert str(caught.value) == (
            f"length {length!r} is not allowed; a length is an int of at least 0.\nhint: choose a length such as 8."
        )


def option_message(ask: object) -> str:
    with pytest.raises(InvalidOptionError) as caught:
        ask()  # type: ignore[operator]
    return str(caught.value)


@pytest.mark.parametrize("lengths", [5, "5", np.int64(5)], ids=repr)
def test_lengths_must_be_a_list(lengths: object) -> None:
    assert option_message(lambda: sample_words(LANGUAGES["everything"], lengths, open_stream(DATA, seed=0))) == (
        f"lengths {lengths!r} are not allowed; they are a list, one length per word.\n"
        "hint: for one word, use sample_word."
    )


def test_an_array_of_fractions_is_no_array_of_lengths() -> None:
    lengths = np.array([2.0, 3.0])
    assert option_message(lambda: sample_words(LANGUAGES["everything"], lengths, open_stream(DATA, seed=0))) == (
        "length 2.0 is not allowed; a length is an int of at least 0.\nhint: choose a length such as 8."
    )


def test_a_length_above_the_samplers_longest_is_refused() -> None:
    sampler = WordSampler(LANGUAGES["everything"], max_length=4)
    assert option_message(lambda: sampler.sample([4, 5], open_stream(DATA, seed=0))) == (
        "length 5 is too long for this sampler, made for lengths up to 4.\nhint: make the sampler with max_length=5."
    )


def test_lengths_must_fit_the_keys_of_the_draw() -> None:
    lengths = np.array([[1, 2], [3, 4]])
    draw: Draw = open_stream(DATA, seed=[0, 1, 2])
    assert option_message(lambda: sample_words(LANGUAGES["everything"], lengths, draw)) == (
        "lengths of shape (2, 2) do not fit a draw with keys of shape (3,).\n"
        "hint: give one length per word, either for all keys together or for each key."
    )


@pytest.mark.parametrize("number", [-1, 9, True, 1.0], ids=repr)
def test_a_rank_out_of_range_is_named_with_the_range(number: int) -> None:
    assert option_message(lambda: unrank(LANGUAGES["everything"], 2, number)) == (
        f"rank {number!r} is out of range; the words of length 2 have ranks 0 to 8.\nhint: choose a rank in this range."
    )


@pytest.mark.parametrize(("word", "shown"), [("aba", "aba"), ("a", "a")])
def test_a_word_outside_the_language_has_no_rank(word: str, shown: str) -> None:
    with pytest.raises(NoSuchWordError) as caught:
        rank(LANGUAGES["(ab)*"], word)
    assert str(caught.value) == (
        f"the word {shown} is not in the language, so it has no rank.\n"
        "hint: for words outside a language, pass ~language."
    )


def test_the_exact_sampler_refuses_a_stack_of_seeds() -> None:
    with pytest.raises(InvalidSeedError, match="a big integer needs a draw with one key; this one has 2"):
        sample_word(LANGUAGES["everything"], 3, open_stream(DATA, seed=[0, 1]))


def test_words_of_several_languages_drawn_at_once_are_those_of_each() -> None:
    languages = [LANGUAGES["(ab)*"], LANGUAGES["everything"], LANGUAGES["an even number of the only symbol"]]
    draw = open_stream(DATA, seed=[3, 1, 4, 1])
    which, lengths = np.asarray([2, 0, 1, 0]), np.asarray([[0, 2, 8], [6, 8, 4], [7, 1, 8], [0, 2, 2]])
    words, states = MixedWordSampler(languages, max_length=8, xp=draw.xp).sample_runs(which, lengths, draw)
    first = [0, 3, 4]  # states of one language after those of another
    for row, number in enumerate(which):
        alone = Draw(keys=draw.keys[row], xp=draw.xp)
        own, visited = WordSampler(languages[number], max_length=8).sample_runs(lengths[row], alone)
        assert words[row].tolist() == own.tolist()
        for word, length, ours, theirs in zip(own, lengths[row], states[row], visited, strict=True):
            assert [state - first[number] for state in ours[: length + 1]] == theirs[: length + 1].tolist()
            reached = [languages[number].run(languages[number].decode(word[:end])) for end in range(length + 1)]
            assert theirs[: length + 1].tolist() == reached


def test_an_interruption_leaves_a_table_that_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    language = DFA(alphabet="ab", transitions=[[1, 3], [2, 3], [3, 0], [3, 3]], accepting=[0])  # (aab)*
    calls = itertools.count()

    def interrupted(values: object) -> object:
        if next(calls) == 25:
            raise KeyboardInterrupt
        return itertools.accumulate(values)  # type: ignore[call-overload]

    with monkeypatch.context() as patch:
        patch.setattr("lengthwise.languages.sampling.accumulate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            WordSampler(language, max_length=60)
    words = WordSampler(language, max_length=60).sample([60], open_stream(DATA, seed=0))
    assert language.decode(words[0].tolist()) == tuple("aab" * 20)
