"""Pairs of words that look alike: every change and every sign beside a plain version, and where the words lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from uniformity import assert_uniform

from lengthwise.arrays import Array, numpy_arrays, torch_arrays
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.word_lengths import lengths_with_words
from lengthwise.seeds import DATA, Draw, open_stream
from lengthwise.tasks.audit.shortcuts import audit_shortcuts
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.tasks.languages.acceptance import accepts
from lengthwise.tasks.languages.changes import (
    Zone,
    cross_words,
    exchange_segments,
    replace_one,
    shuffle_window,
    swap_two,
)
from lengthwise.tasks.languages.likeness import differences, signs
from lengthwise.tasks.languages.pairs import PairKinds, WordPairs

XP = numpy_arrays()
ROWS = 300
ZONES = (Zone.ANYWHERE, Zone.ANYWHERE, Zone.START, Zone.END)
Word = tuple[int, ...]


def random_rows(number: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(number * 100 + width)
    return random.integers(number, size=(ROWS, width)), random.integers(1, width + 1, size=ROWS)


def changed(change: Callable[[Array, Array, Draw], Array], words: Array, lengths: Array, size: int) -> Array:
    """Return candidates, [K, B, N]."""
    return change(words[None], lengths[None], open_stream(DATA, seed=0).at(XP.arange(size)))


def inside(row: Array, length: int) -> Word:
    return tuple(row[:length].tolist())


def blocks(word: Word, size: int) -> Counter[Word]:
    return Counter(word[start : start + size] for start in range(len(word) - size + 1))


def test_one_symbol_is_replaced_at_a_uniform_place() -> None:
    words, lengths = random_rows(3, 9)
    found = changed(lambda *given: replace_one(*given[:2], ZONES, 3, given[2], XP), words, lengths, 4)
    for rows in found:
        for word, row, length in zip(words, rows, lengths, strict=True):
            assert sum(a != b for a, b in zip(inside(word, length), inside(row, length), strict=True)) == 1


@pytest.mark.parametrize("number", [2, 4])
def test_two_symbols_change_places_and_pairs_stay_where_neighbours_are_the_same(number: int) -> None:
    words, lengths = random_rows(number, 12)
    found = changed(lambda *given: swap_two(*given[:2], (False, True), ZONES[:2], given[2], XP), words, lengths, 2)
    kept = 0
    for candidate, rows in enumerate(found):
        for row, other, length in zip(words, rows, lengths, strict=True):
            word, after = inside(row, length), inside(other, length)
            differ = [place for place in range(length) if word[place] != after[place]]
            if differ:
                one, two = differ
                assert (word[one], word[two]) == (after[two], after[one])
            if candidate == 0:
                assert bool(differ) is (len(set(word)) > 1)
            elif differ and two - one > 1:
                assert blocks(word, 2) == blocks(after, 2)
                kept += 1
    assert kept > 10


def test_exchanged_segments_keep_every_block_that_the_context_covers() -> None:
    words, lengths = random_rows(2, 22)
    contexts = (3, 2, 1, 0, -1)
    found = changed(
        lambda *given: exchange_segments(*given[:2], contexts, (Zone.ANYWHERE,) * 5, 2, given[2], XP), words, lengths, 5
    )
    changes: Counter[int] = Counter()
    for context, rows in zip(contexts, found, strict=True):
        for row, other, length in zip(words, rows, lengths, strict=True):
            word, after = inside(row, length), inside(other, length)
            changes[context] += word != after
            assert all(blocks(word, size) == blocks(after, size) for size in range(1, context + 2))
            if context < 0:
                assert after in {word[cut:] + word[:cut] for cut in range(length + 1)}
            else:
                cuts = combinations(range(length + 1), 3)
                exchanges = {word[:i] + word[j:k] + word[i:j] + word[k:] for i, j, k in cuts}
                assert after in exchanges | {word}
    assert all(changes[context] > 5 for context in contexts), changes


@pytest.mark.parametrize("zone", [Zone.START, Zone.END])
def test_changes_in_a_zone_are_near_that_end(zone: Zone) -> None:
    words, lengths = random_rows(2, 60)
    swapped = changed(lambda *given: swap_two(*given[:2], (False,), (zone,), given[2], XP), words, lengths, 1)[0]
    moved = changed(lambda *given: exchange_segments(*given[:2], (0,), (zone,), 2, given[2], XP), words, lengths, 1)[0]
    for found in (swapped, moved):
        differ = (found != words) & (np.arange(60) < lengths[:, None])
        rows, places = np.nonzero(differ)
        distance = places if zone is Zone.START else lengths[rows] - 1 - places
        assert len(rows) > 100
        assert distance.max() < 24


def test_a_window_is_shuffled_and_the_rest_stays() -> None:
    words, lengths = random_rows(3, 20)
    found = changed(lambda *given: shuffle_window(*given, XP), words, lengths, 1)[0]
    for row, other, length in zip(words, found, lengths, strict=True):
        word, after = inside(row, length), inside(other, length)
        differ = [place for place in range(length) if word[place] != after[place]]
        assert Counter(word) == Counter(after)
        assert not differ or differ[-1] - differ[0] < 8


def test_a_word_goes_on_as_another_one_after_the_same_symbols() -> None:
    words, lengths = random_rows(2, 12)
    others = np.random.default_rng(5).integers(2, size=words.shape)
    contexts = (2, 0)
    found = changed(
        lambda *given: cross_words(given[0], others[None], given[1], contexts, 2, given[2], XP), words, lengths, 2
    )
    for context, rows in zip(contexts, found, strict=True):
        for row, other, crossed, length in zip(words, others, rows, lengths, strict=True):
            word, second, after = inside(row, length), inside(other, length), inside(crossed, length)
            cuts = [
                cut
                for cut in range(1, length)
                if word[max(0, cut - context) : cut] == second[max(0, cut - context) : cut]
            ]
            assert after in {word[:cut] + second[cut:] for cut in cuts} | {second if not cuts else ()}


def plain_signs(word: Word, number: int) -> list[object]:
    """Return the signs in the plainest way."""
    runs = 1 + sum(a != b for a, b in pairwise(word)) if word else 0
    longest = max(
        (size for size in range(5) for symbol in range(number) if (symbol,) * size in blocks(word, size)), default=0
    )
    pairs = blocks(word, 2)
    return [
        (word + (-1,) * 5)[:5],
        ((-1,) * 3 + word)[-3:] if len(word) >= 3 else (word, len(word)),
        tuple(sorted(word)),
        (frozenset(pairs), frozenset(blocks(word, 3)) if number <= 3 else None),
        frozenset(pair for pair in pairs if pairs[pair] % 2),
        (min(runs, 8), longest),
    ]


@pytest.mark.parametrize(("number", "width"), [(2, 7), (2, 16), (3, 9), (5, 8)])
def test_signs_differ_exactly_where_the_plain_ones_do(number: int, width: int) -> None:
    words, _ = random_rows(number, width)
    others = words.copy()
    random = np.random.default_rng(1)
    for row in others:
        row[random.integers(width, size=2)] = random.integers(number, size=2)
    lengths = random.integers(3, width + 1, size=ROWS)
    found = differences(signs(words, lengths, number, XP), signs(others, lengths, number, XP), XP)
    for row, (word, other, length) in enumerate(zip(words, others, lengths, strict=True)):
        one, two = (plain_signs(inside(each, length), number) for each in (word, other))
        assert [int(a != b) for a, b in zip(one, two, strict=True)] == [int(each[row]) for each in found]


LANGUAGES = ["(a(ab)*b)*", "(ab)*", "[ab]*abba[ab]*", "(b*ab*ab*)*", "[abc]*a[bc]*", "(aa|bb|cc)*"]


@pytest.mark.parametrize("regex", LANGUAGES)
@pytest.mark.parametrize("kinds", [PairKinds(pumped=2, plain=4, near=False), PairKinds(pumped=0, plain=0, near=True)])
def test_a_partner_is_on_the_other_side_and_differs_by_a_change(regex: str, kinds: PairKinds) -> None:
    language = compile_regex(regex)
    base = language if accepts(regex).is_sparse else ~language
    lengths = [length for length in range(2, 17) if lengths_with_words(base, length)[length]]
    rows = XP.asarray([lengths[row % len(lengths)] for row in range(600)])
    words, partners, is_found = WordPairs(language, base, kinds).draw(open_stream(DATA, seed=3), rows, 16, XP)
    for word, partner, found, length in zip(words, partners, is_found, rows, strict=True):
        assert language.decode(inside(word, length)) in base
        assert (language.decode(inside(partner, length)) in base) is not bool(found)
        assert found or inside(word, length) == inside(partner, length)
    assert is_found.mean() > 0.3


def test_words_without_loops_are_uniform_and_pumped_ones_repeat_a_loop() -> None:
    language = compile_regex("(a(ab)*b)*")
    rows = XP.asarray([8] * 4000)

    def drawn(pumped: int) -> list[str]:
        kinds = PairKinds(pumped=pumped, plain=0, near=False)
        words, *_ = WordPairs(language, language, kinds).draw(open_stream(DATA, seed=1), rows, 8, XP)
        return ["".join(language.decode(word.tolist())) for word in words]

    every = ["".join(word) for word in product("ab", repeat=8) if word in language]
    assert_uniform(Counter(drawn(0)), every)
    pumped = Counter(drawn(1))
    assert set(pumped) <= set(every)
    assert min(pumped["abababab"], pumped["aabababb"]) > 1.2 * 4000 / len(every)


def test_alike_words_hide_what_sets_and_counts_show() -> None:
    """Most partners of longer words of D_2 have the same signs, so that no rule about signs tells them apart."""
    language = compile_regex("(a(ab)*b)*")
    pairs = WordPairs(language, language, PairKinds(pumped=8, plain=24, near=False))
    rows = XP.asarray([40] * 1000)
    words, partners, is_found = pairs.draw(open_stream(DATA, seed=0), rows, 40, XP)
    found = differences(signs(words, rows, 2, XP), signs(partners, rows, 2, XP), XP)
    assert is_found.all()
    assert (sum(found) == 0).mean() > 0.6


@pytest.mark.parametrize(
    "name", ["accepts(D_2)", "accepts([ab]*abba[ab]*)", "hard(accepts(D_4), near)", "accepts((aa|bb|cc)*)"]
)
def test_numpy_and_torch_draw_the_same_pairs(name: str) -> None:
    task = find_task(name)
    lengths = task.lengths(0, 13)
    batches = []
    for xp in (XP, torch_arrays("cpu")):
        draw = open_stream(DATA, seed=[0, 5], xp=xp).at(2)
        chosen = xp.asarray([lengths[row % len(lengths)] for row in range(24)])
        batches.append(task.sample(draw, chosen, max(lengths), xp))
    for part in ("tokens_MBL", "targets_MBL", "sizes_MB", "scale_MB"):
        assert np.array_equal(getattr(batches[0], part), np.asarray(getattr(batches[1], part)))


@pytest.mark.full
@pytest.mark.parametrize("name", ["D_2", "D_4", "[ab]*abba[ab]*"])
@pytest.mark.parametrize("form", ["accepts({})", "hard(accepts({}), near)"])
def test_no_shortcut_decides_what_counts_decided_before(name: str, form: str) -> None:
    audit = audit_shortcuts(find_task(form.format(name)), length_bins(16, 48), examples=1000)
    best = audit.best(2).shares[2]
    assert best is not None
    assert best < 0.6, audit.best(2)


@pytest.mark.parametrize("regex", ["(aaa|bbbbb)*", "ab|ba", "a*", "(a{6})*b?", "(a{4}|a{7}b)*"])
def test_lengths_with_words_are_those_of_all_words(regex: str) -> None:
    language = compile_regex(regex, alphabet="ab")
    every = [any(word in language for word in product("ab", repeat=length)) for length in range(13)]
    assert lengths_with_words(language, 12) == every
    reached, plain = {0}, []
    for _ in range(501):
        plain.append(bool(reached & language.accepting))
        reached = {target for state in reached for target in language.transitions[state]}
    assert lengths_with_words(language, 500) == plain
