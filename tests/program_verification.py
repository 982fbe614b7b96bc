"""Whether programs do what their oracles say: on every short word, and on long ones at random.

A *case* is a word and what the outputs should be at its last positions: for an acceptor at the very last one, for a
writer at every position from which it writes, for a predictor after every prefix. Outputs at a position are the bits of
one number, so that a whole batch is compared at once. A program that sees its position and has a start symbol to take
its phase from must not mind where a word begins; it is run at several offsets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from random import Random

from lengthwise.arrays import Array, Arrays, numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.fragments import Readout
from lengthwise.crasp.measures import moduli_of
from lengthwise.crasp.programs.entry import Acceptor, Entry, Predictor, Regular, Rule, Writer
from lengthwise.crasp.syntax import ACCEPT, Program, next_name
from lengthwise.languages.alphabet import Alphabet, show_word

OFFSETS = range(9)
MAX_EXHAUSTIVE_LENGTH = 64  # with a single symbol, words are few and only get longer
_BATCH = 2_000
_NOT_FOLLOWED = 0.05  # how often a random walk goes where a predictor does not expect it


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A word on which a program and its oracle differ, and at which of its symbols: 0 is before the first one."""

    word: str
    position: int
    offset: int
    expected: str
    found: str

    def __str__(self) -> str:
        where = f" at offset {self.offset}" if self.offset else ""
        return (
            f"on {show_word(self.word)}, after {self.position} symbols{where}: "
            f"expected {self.expected}, found {self.found}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How far a program has been compared with its oracle. The word of a writer is a prompt with its answer."""

    name: str
    num_words: int
    longest_word: int
    num_random: int
    longest_random: int
    mismatch: Mismatch | None = None

    @property
    def passed(self) -> bool:
        """Whether program and oracle agreed everywhere."""
        return self.mismatch is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A word, and the outputs that are expected at its last positions, each as the bits of a number."""

    word: str
    expected: tuple[int, ...]


def verify(
    entry: Entry, *, max_words: int = 20_000, random_words: int = 300, random_length: int = 200, seed: int = 0
) -> Verification:
    """Compare a program with its oracle, until they differ for the first time.

    All words are compared up to the longest length with no more than ``max_words`` words in total, then up to
    ``random_words`` further ones, of up to about ``random_length`` symbols.
    """
    program = entry.program
    few = list(_short_cases(entry, program, max_words))
    known = {case.word for case in few}
    drawn = {case.word: case for case in _random_cases(entry, program, Random(seed), random_words, random_length)}
    many = [case for word, case in drawn.items() if word not in known]
    return Verification(
        name=entry.title,
        num_words=len(few),
        longest_word=max((len(case.word) for case in few), default=0),
        num_random=len(many),
        longest_random=max((len(case.word) for case in many), default=0),
        mismatch=first_mismatch(program, [*few, *many]),
    )


def first_mismatch(program: Program, cases: Sequence[Case]) -> Mismatch | None:
    """Return where a program first differs from what is expected of it."""
    xp = numpy_arrays()
    batched = BatchedProgram(program)
    shifts = OFFSETS if program.start is not None and moduli_of(program) else (0,)
    for offset in shifts:
        for start in range(0, len(cases), _BATCH):
            some = cases[start : start + _BATCH]
            tokens_BL, sizes_B = batched.encode([case.word for case in some], xp)
            codes_BL = _codes(batched, tokens_BL, offset, xp).tolist()
            for case, size, row in zip(some, sizes_B.tolist(), codes_BL, strict=True):
                found = row[size - len(case.expected) : size]
                if found != list(case.expected):
                    return _mismatch(program, case, found, offset)
    return None


def _codes(batched: BatchedProgram, tokens_BL: Array, offset: int, xp: Arrays) -> Array:
    """Return the outputs at every position as the bits of a number."""
    program = batched.program
    names = [ACCEPT] if not program.is_generator else [next_name(each.symbol) for each in program.next]
    bits = _bits(program)
    truths = batched.run(tokens_BL, xp, offset=offset)
    total = xp.broadcast(xp.asarray(0), tuple(tokens_BL.shape))
    for name in names:
        total = total + xp.where(truths[name], xp.asarray(1 << bits[name]), xp.asarray(0))
    return total


def _bits(program: Program) -> dict[str, int]:
    """Return which bit stands for which output, also for symbols of which the program never says that they come next."""
    if not program.is_generator:
        return {ACCEPT: 0}
    symbols = (*program.alphabet, *((program.stop,) if program.stop is not None else ()))
    assert len(symbols) < 63, "the bits of a number are not enough for so many symbols"
    return {next_name(symbol): number for number, symbol in enumerate(symbols)}


def _code(program: Program, symbols: Iterable[str]) -> int:
    bits = _bits(program)
    return sum(1 << bits[next_name(symbol)] for symbol in set(symbols))


def _mismatch(program: Program, case: Case, found: Sequence[int], offset: int) -> Mismatch:
    place = next(place for place, code in enumerate(case.expected) if code != found[place])
    behind = len(case.expected) - 1 - place
    return Mismatch(
        word=case.word,
        position=len(case.word) - behind,
        offset=offset,
        expected=_shown(program, case.expected[place]),
        found=_shown(program, found[place]),
    )


def _shown(program: Program, code: int) -> str:
    """Return outputs in words."""
    if not program.is_generator:
        return "accepted" if code else "rejected"
    said = [name for name, bit in _bits(program).items() if code >> bit & 1]
    return ", ".join(said) or "nothing next"


# Short words


def _short_cases(entry: Entry, program: Program, max_words: int) -> Iterator[Case]:
    match entry:
        case Acceptor():
            words = short_words(program, max_words)
            judged = entry.language.judge(words)
            return (Case(word=word, expected=(int(truth),)) for word, truth in zip(words, judged, strict=True))
        case Writer():
            return (_writing_case(entry, program, prompt) for prompt in _short_prompts(entry, max_words))
        case Predictor():
            words = short_words(program, max_words)
            return (Case(word=word, expected=(_code(program, entry.following(word)),)) for word in words)


def short_words(program: Program, max_words: int) -> list[str]:
    """Return all words up to the longest length with no more than ``max_words`` in total.

    The empty word is among them if the program has a position for it.
    """
    alphabet = program.alphabet
    has_empty = program.start is not None or (not program.is_generator and program.readout is Readout.END_MARKER)
    words = [""] if has_empty else []
    for length in range(1, MAX_EXHAUSTIVE_LENGTH + 1):
        if len(words) + len(alphabet) ** length > max_words:
            break
        words += map("".join, product(alphabet, repeat=length))
    return words


def _short_prompts(writer: Writer, max_words: int) -> list[str]:
    """Return all prompts up to the largest size with no more than ``max_words`` in total."""
    prompts: list[str] = []
    for size in range(MAX_EXHAUSTIVE_LENGTH + 1):
        room = max_words - len(prompts)
        more = list(islice(writer.prompts.every(size), room + 1))
        if len(more) > room or (size and not more):
            break
        prompts += more
    return prompts


def _writing_case(writer: Writer, program: Program, prompt: str) -> Case:
    """Return the prompt with its answer, and at every position from the prompt's last on, what comes next."""
    answer = writer.answer(prompt)
    stop = program.stop or ""
    return Case(word=prompt + answer, expected=tuple(_code(program, symbol) for symbol in (*answer, stop)))


# Long words


def _random_cases(entry: Entry, program: Program, random: Random, num_words: int, max_length: int) -> Iterator[Case]:
    match entry:
        case Acceptor():
            words = random_words(entry, random, num_words, max_length)
            judged = entry.language.judge(words)
            return (Case(word=word, expected=(int(truth),)) for word, truth in zip(words, judged, strict=True))
        case Writer():
            sizes = [1 + random.randrange(max(1, max_length // 2)) for _ in range(num_words)]
            return (_writing_case(entry, program, entry.prompts.draw(random, size)) for size in sizes)
        case Predictor():
            lengths = [1 + random.randrange(max_length) for _ in range(num_words)]
            return (_walk(entry, program, random, length) for length in lengths)


def random_words(acceptor: Acceptor, random: Random, num_words: int, max_length: int) -> list[str]:
    """Return random words: in turn, one inside and one outside the language, each as it is and with a change in it."""
    alphabet = acceptor.program.alphabet
    lengths = [1 + random.randrange(max_length) for _ in range(num_words)]
    words = [""] * num_words
    words[0::2] = acceptor.language.sample(random, lengths[0::2])
    words[1::2] = _sample_outside(acceptor.language, random, lengths[1::2], alphabet)
    for number in range(num_words):
        if number % 4 >= 2 or not words[number]:
            words[number] = _changed(random, words[number], alphabet)
    return words


def _sample_outside(language: Rule | Regular, random: Random, lengths: Sequence[int], alphabet: Alphabet) -> list[str]:
    """Return a word outside the language for every length, of about that length."""
    if isinstance(language, Regular):
        return Regular(build=lambda: ~language.build()).sample(random, lengths)
    return [_draw_outside(language, random, length, alphabet) for length in lengths]


def _draw_outside(language: Rule, random: Random, length: int, alphabet: Alphabet) -> str:
    """Return the first of many words that is outside the language; some symbols are rare in it, others frequent."""
    while True:
        weights = [random.random() ** 3 for _ in alphabet]
        word = "".join(random.choices(alphabet, weights, k=length))
        if not language.contains(word):
            return word
        length += 1  # a language may have all words of some length


def _changed(random: Random, word: str, alphabet: Alphabet) -> str:
    """Return a word with one symbol replaced, removed or added, or with two symbols exchanged; never the empty word."""
    at = random.randrange(len(word) + 1)
    other = random.choice(alphabet)
    change = random.randrange(4) if len(word) > 1 else 2
    if change == 0:
        return word[:at] + other + word[at + 1 :]
    if change == 1:
        return word[:at] + word[at + 1 :]
    if change == 2:
        return word[:at] + other + word[at:]
    to = random.randrange(len(word) + 1)
    low, high = min(at, to), max(at, to)
    return word[:low] + word[high : high + 1] + word[low + 1 : high] + word[low : low + 1] + word[high + 1 :]


def _walk(predictor: Predictor, program: Program, random: Random, length: int) -> Case:
    """Return a word that mostly goes where the predictor leads, and what comes next after every prefix."""
    word = ""
    expected = []
    if program.start is not None:
        expected.append(_code(program, predictor.following(word)))
    led = sorted(set(predictor.following(word)) & set(program.alphabet)) if program.start is not None else []
    while len(word) < length:
        word += random.choice(led if led and random.random() >= _NOT_FOLLOWED else program.alphabet)
        following = set(predictor.following(word))
        expected.append(_code(program, following))
        led = sorted(following & set(program.alphabet))
    return Case(word=word, expected=tuple(expected))
