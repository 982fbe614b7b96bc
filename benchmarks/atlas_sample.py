"""The regular languages of the atlas: a sample of each kind, drawn by a seed, distinct up to the names of letters.

    python benchmarks/atlas_sample.py            draws the sample again and writes benchmarks/atlas/sample.json (about 10 minutes)
    python benchmarks/atlas_sample.py --counts   counts what the committed sample holds

A language has 2 to 12 states, 2 to 4 letters and words of every tenth of the tested lengths. It was drawn for training lengths up to
50; up to the 25 of the atlas, 17 of the 284 languages have only 4 to 7 lengths. It was not trained in this
repository before. Its kind says in which fragments of C-RASP next symbols can be predicted, and for plain C-RASP by how many
rounds of counting (its level). Within a kind, numbers of states and letters are as even as the candidates allow. The
split is by language: pilot languages fix the preset and the features and are left out afterwards; the test third is trained
only when the predictions for it are committed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sweep import draw_languages, random_regex

from lengthwise.crasp.fragments import Fragment
from lengthwise.errors import LengthwiseError
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import without_letter_names
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.semigroup import transition_semigroup
from lengthwise.tasks.core.catalog import find_task
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.precision.deciders import decide_logic
from lengthwise.theory.precision.logics import Logic

FILE = Path(__file__).parent / "atlas" / "sample.json"
SEED = 25
TRAIN_LENGTH = 50
MULTIPLES = 10
LETTERS = "abcd"
QUOTAS = {
    "level 0": 36,
    "level 1": 45,
    "level 2": 36,
    "level 3": 18,
    "windows": 45,
    "periods": 36,
    "windows and periods": 27,
    "none": 54,
}
"""How many languages of each kind: those that plain C-RASP has by level, then those that need more, and those that nothing here has.

For next symbols, C-RASP[periodic] has no decision that says NO: "windows and periods" are those not known to need periods alone.
"""

CANDIDATES = 5  # for each place, of which the one is taken that makes the sample the most even
MOST_TRIES = 14_000
SPLIT = (
    "pilot",
    "fit",
    "fit",
    "fit",
    "fit",
    "fit",
    "test",
    "test",
    "test",
)  # one in nine, then two thirds and one third

TRAINED_BEFORE = (
    *("(ab)*", "(aa)*", "(ab|bbaa)*", "(ab|aabb)*", "(aa)*bb(a)*", "(ca)*(cc)*", "(a+b+)(a+b+)(a+b+)", "(ab|bba)*"),
    *("(b*cc)*", "[ab]*b", "(b|ab)*a?", "((bc)*[ab]+){0,2}", "(a+b+)(a+b+)", "[ab]*ab[ab]*", "[abc]*ab[abc]*"),
)
"""Languages that this repository has trained on, beside those with a name and those of ``sweep.py``."""


def random_texts(rng: random.Random) -> Iterator[str]:
    """Give expressions of several forms, without end."""
    while True:
        alphabet = LETTERS[: rng.randint(2, 4)]
        form = rng.randrange(6)
        if form == 0:
            yield random_regex(rng, rng.randint(2, 4), alphabet)
        elif form == 1:
            yield f"({random_regex(rng, rng.randint(2, 4), alphabet)})*"
        elif form == 2:
            yield star_of_words(rng, alphabet, 5)
        elif form == 3:
            yield star_of_words(rng, alphabet, 8)
        elif form == 4:
            first, last = rng.sample(alphabet, 2)
            other = rng.choice(("", f"|{rng.choice(alphabet)}"))
            yield f"({first}{star_of_words(rng, alphabet, 4)}{last}{other})*"
        else:
            yield star_of_words(rng, alphabet, 4) + random_regex(rng, 2, alphabet) + star_of_words(rng, alphabet, 4)


def star_of_words(rng: random.Random, alphabet: str, longest: int) -> str:
    """Return any number of a few random words."""
    words = {"".join(rng.choices(alphabet, k=rng.randint(1, longest))) for _ in range(rng.randint(2, 4))}
    return f"({'|'.join(sorted(words))})*"


def kind_of(language: DFA) -> str | None:
    """Return the kind of a language, or None where a verdict is UNKNOWN."""
    facts = Facts(language=language, asked=Asked.NEXT_SYMBOLS)
    plain = decide(facts, Fragment.PLAIN)
    if plain.answer is Answer.YES:
        return f"level {plain.level}"
    windows, both = (decide(facts, fragment).answer for fragment in (Fragment.LOCAL, Fragment.PERIODIC_LOCAL))
    if Answer.UNKNOWN in (plain.answer, windows, both):
        return None
    if both is Answer.NO:
        return "none"
    if windows is Answer.YES:
        return "windows"
    return "periods" if decide(facts, Fragment.PERIODIC).answer is Answer.YES else "windows and periods"


def is_suitable(text: str) -> bool:
    """Return whether a language can be trained and tested at all lengths."""
    try:
        task = find_task(text)
    except LengthwiseError:
        return False
    bins = [(TRAIN_LENGTH * number + 1, TRAIN_LENGTH * (number + 1)) for number in range(MULTIPLES)]
    return all(task.lengths(*bounds) for bounds in bins) and len(task.lengths(1, TRAIN_LENGTH)) >= 8


def draw_candidates() -> dict[str, list[tuple[str, DFA]]]:
    """Return languages of each kind, distinct and never trained, until there are enough or the tries run out."""
    rng = random.Random(SEED)
    before = [*TRAINED_BEFORE, *draw_languages(40, 50, 150)]
    seen = {without_letter_names(compile_regex(text)) for text in before}
    seen |= {
        without_letter_names(named.language)
        for named in LANGUAGES.values()
        if len(named.language.alphabet) <= len(LETTERS)
    }
    found: dict[str, list[tuple[str, DFA]]] = {kind: [] for kind in QUOTAS}
    for number, text in enumerate(random_texts(rng)):
        if number % 5_000 == 0:
            print(f"{number:,} tried", file=sys.stderr)
        if number == MOST_TRIES or all(len(found[kind]) >= CANDIDATES * QUOTAS[kind] for kind in QUOTAS):
            return found
        try:
            language = compile_regex(text)
        except LengthwiseError:
            continue
        if len(language.alphabet) < 2 or not 2 <= language.num_states <= 12 or len(text) > 60:
            continue
        shape = without_letter_names(language)
        if shape in seen:
            continue
        seen.add(shape)
        kind = kind_of(language)
        if kind in found and len(found[kind]) < CANDIDATES * QUOTAS[kind] and is_suitable(text):
            found[kind].append((text, language))
            if sum(map(len, found.values())) % 100 == 0:
                counts = ", ".join(f"{kind} {len(languages)}" for kind, languages in found.items())
                print(f"{number:,} tried: {counts}", file=sys.stderr)
    return found


def choose_even(candidates: list[tuple[str, DFA]], number: int) -> list[tuple[str, DFA]]:
    """Return so many candidates, each from the numbers of states and letters that are rarest so far."""
    states, letters, left, chosen = Counter[int](), Counter[int](), list(candidates), []
    while left and len(chosen) < number:
        best = min(left, key=lambda pair: states[pair[1].num_states] + 2 * letters[len(pair[1].alphabet)])
        left.remove(best)
        chosen.append(best)
        states[best[1].num_states] += 1
        letters[len(best[1].alphabet)] += 1
    return chosen


def draw_sample() -> list[dict[str, object]]:
    """Return the sample: a row for each language."""
    rows = []
    for kind, candidates in draw_candidates().items():
        chosen = choose_even(candidates, QUOTAS[kind])
        random.Random(f"{SEED} {kind}").shuffle(chosen)
        for number, (text, language) in enumerate(chosen):
            logics = [str(logic) for logic in Logic if decide_logic(language, logic).answer is Answer.YES]
            rows.append(
                {
                    "language": text,
                    "kind": kind,
                    "split": SPLIT[number % len(SPLIT)],
                    "states": language.num_states,
                    "letters": len(language.alphabet),
                    "semigroup": len(transition_semigroup(language).elements),
                    "logics": logics,
                    # half of them are also asked for membership
                    "membership": (number // len(SPLIT) + number) % 2 == 0,
                }
            )
    return rows


def print_counts(rows: list[dict[str, object]]) -> None:
    """Print how many languages there are of each kind, split, size and class."""
    print(f"{len(rows)} languages, {sum(bool(row['membership']) for row in rows)} of them asked for membership too")
    for name in ("kind", "split", "states", "letters"):
        counts = Counter(row[name] for row in rows)
        order = list(QUOTAS) if name == "kind" else sorted(counts, key=str if name == "split" else int)  # type: ignore[arg-type]
        print(f"{name}: {', '.join(f'{value} {counts[value]}' for value in order)}")
    logics = Counter(logic for row in rows for logic in row["logics"])  # type: ignore[attr-defined]
    print(f"in the logic: {', '.join(f'{logic} {logics[logic]}' for logic in map(str, Logic))}")


def main() -> None:
    """Draw and write the sample, or count the one that is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", action="store_true")
    if not parser.parse_args().counts:
        rows = draw_sample()
        FILE.parent.mkdir(exist_ok=True)
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print_counts(json.loads(FILE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
