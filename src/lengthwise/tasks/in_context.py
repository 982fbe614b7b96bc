"""In context: what a map, a chain, an automaton or a line does is told by shots, and asked for by a query.

Longer inputs have more shots. The answer always follows from the prompt alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from ..arrays import Array, Arrays
from ..crasp.programs.recall import line_rows, map_rows
from ..crasp.syntax import Program
from ..errors import InvalidOptionError
from ..names import Parameter, shortest_name
from ..seeds import Draw
from ..theory.facts import Facts
from .core.cited import NO_LAST_OF_MANY, excluded_by_hidden, excluded_without_positions
from .core.clauses import ClauseTask, clauses
from .core.family import Family, Group
from .core.legal_inputs import FLIP_FLOP, context_inputs, parity_inputs
from .core.row_functions import at, batch_of, count, count_symbols, is_inside, last_marked, one_at, places, uniform
from .core.task import SEP, shuffled
from .core.task_programs import short_answer_program


def _program(symbols: Sequence[str], definitions: Sequence[str], answers: dict[str, str]) -> Program:
    """Return the program that writes, at the separator, the symbol whose condition holds, and then ends."""
    rows = [f"next '{symbol}' := '{SEP}' and ({condition})" for symbol, condition in answers.items()]
    return short_answer_program(symbols, [*definitions, *rows])


def _some(conditions: Sequence[str]) -> str:
    return " or ".join(conditions)


_NUM_VALUES = 4


class _RecallTask(ClauseTask):
    """Shots ``key value`` and then a key that was among them."""

    min_length, clause = 3, 2
    length_means = "the number of symbols: 2 for each shot, and 1 for the query"

    def __init__(self, family: str, num_keys: int) -> None:
        self.num_keys = num_keys
        self.name = shortest_name(family, [num_keys], [8])
        self.keys = tuple(f"k{number}" for number in range(num_keys))
        self.values = tuple(f"v{number}" for number in range(_NUM_VALUES))
        self.symbols = (*self.keys, *self.values)

    def recalled(
        self, keys_MBN: Array, values_MBN: Array, draw: Draw, lengths_MB: Array, xp: Arrays
    ) -> tuple[Array, ...]:
        """Return the query, the key of a shot drawn uniformly, and the value that it had last."""
        num_MB = lengths_MB // 2
        query = one_at(keys_MBN, draw.integers(num_MB, batch_of(draw, lengths_MB)), xp)
        same = (keys_MBN == query[..., None]) & is_inside(num_MB, keys_MBN.shape[-1], xp)
        return query, one_at(values_MBN, last_marked(same, xp)[..., -1], xp)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Read the shots into a dictionary."""
        return [dict(zip(prompt[:-1:2], prompt[1::2], strict=True))[prompt[-1]]]


class IclMap(_RecallTask):
    """The value of a random map at a point that was shown."""

    citation = "arXiv 2208.01066, for maps of finite sets"

    def __init__(self, num_keys: int) -> None:
        super().__init__("icl_map", num_keys)
        self.definition = (
            f"a map from {num_keys} keys to {_NUM_VALUES} values is drawn uniformly; shots 'key value' with uniform keys, then "
            "the key of one of the shots, whose value is the answer"
        )
        self.facts = Facts(
            program=short_answer_program(self.symbols, map_rows(self.keys, self.values, SEP)),
            how="Every shot adds a key and its value, so the key that is asked for has one occurrence more than its value accounts for",
        )

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return shots of one map, and the value of a key among them."""
        width = max(1, max_length // 2)
        table = uniform(draw.named("map"), _NUM_VALUES, lengths_MB, self.num_keys) + self.num_keys
        keys = uniform(draw.named("keys"), self.num_keys, lengths_MB, width)
        values = xp.gather_last(table, keys)
        query, value = self.recalled(keys, values, draw.named("query"), lengths_MB, xp)
        return clauses([keys, values], lengths_MB // 2, [query], max_length, xp), value[..., None]


class IclOverwrite(_RecallTask):
    """The value that a key was given last."""

    citation = "arXiv 2312.04927"
    facts = Facts(
        cited=(
            excluded_by_hidden(
                FLIP_FLOP,
                "Ask for k0, which was shown again and again among other keys. Its value is the one that was shown last. "
                f"{NO_LAST_OF_MANY}",
                images={"0": ("k0", "v0"), "1": ("k0", "v1"), "2": ("k1", "v0")},
                answers=("v1", "v0"),
                prefix=("k0", "v1"),
                suffix=("k0", SEP),
            ),
        )
    )

    def __init__(self, num_keys: int) -> None:
        super().__init__("icl_overwrite", num_keys)
        self.definition = (
            f"shots 'key value', uniform over {num_keys} keys and {_NUM_VALUES} values, in which a later value replaces an "
            "earlier one; then the key of one of the shots, whose last value is the answer"
        )

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return independent shots, and the last value of a key among them."""
        width = max(1, max_length // 2)
        keys = uniform(draw.named("keys"), self.num_keys, lengths_MB, width)
        values = uniform(draw.named("values"), _NUM_VALUES, lengths_MB, width) + self.num_keys
        query, value = self.recalled(keys, values, draw.named("query"), lengths_MB, xp)
        return clauses([keys, values], lengths_MB // 2, [query], max_length, xp), value[..., None]


class IclMajority(ClauseTask):
    """The more frequent label, whatever the points are."""

    name = "icl_majority"
    definition = "shots of a uniform letter and a label + or -; the number of + is uniform, without ties; the more frequent label"
    length_means = "the number of symbols: 2 for each shot"
    symbols = (*"abcdefgh", "+", "-")
    min_length, clause = 2, 2
    citation = "ours; the majority of labels as a baseline of learning in context"

    def __init__(self) -> None:
        more = {"+": "#['+'] > #['-']", "-": "#['-'] > #['+']"}
        self.facts = Facts(
            program=_program(self.symbols, [], more), how="The model compares how many + and - it has read"
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Count the labels."""
        return ["+" if prompt.count("+") > prompt.count("-") else "-"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return letters with shuffled labels."""
        num_MB, width = lengths_MB // 2, max(1, max_length // 2)
        choice = draw.named("plus").integers(num_MB + num_MB % 2, batch_of(draw, lengths_MB))
        plus = xp.where((num_MB % 2 == 0) & (choice >= num_MB // 2), choice + 1, choice)
        labels = xp.where(places(num_MB, width, xp) < plus[..., None], self.token("+"), self.token("-"))
        labels = shuffled(labels, is_inside(num_MB, width, xp), draw.named("order"), xp)
        letters = uniform(draw.named("letters"), 8, lengths_MB, width)
        answer = xp.where(plus * 2 > num_MB, self.token("+"), self.token("-"))
        return clauses([letters, labels], num_MB, [], max_length, xp), answer[..., None]


class IclMarkov(ClauseTask):
    """What most often followed the last few symbols."""

    symbols = ("a", "b", "c")
    clause = 1
    attempts = 8
    citation = "arXiv 2402.11004"

    def __init__(self, order: int) -> None:
        self.order = order
        self.name = shortest_name("icl_markov", [order], [1])
        self.min_length = order + 1
        self.definition = (
            f"a random chain of order {order} over a, b, c, in which each context has a symbol that follows with probability "
            "2/3 and the others with 1/6 each; the symbol that has most often followed the last "
            f"{'symbol' if order == 1 else f'{order} symbols'}, given that there is one such symbol"
        )
        self.length_means = "the number of symbols"
        contexts = ["".join(context) for context in product(self.symbols, repeat=order)]
        seen = [
            f"at_{context} := "
            + " and ".join(f"#{{{order - place}}}['{symbol}'] = 1" for place, symbol in enumerate(context))
            for context in contexts
        ]
        answers = {}
        for symbol in self.symbols:
            counts = [
                " and ".join(
                    [f"at_{context}"]
                    + [
                        f"#['{symbol}' and at_{context}] > #['{other}' and at_{context}]"
                        for other in self.symbols
                        if other != symbol
                    ]
                )
                for context in contexts
            ]
            answers[symbol] = _some(counts)
        self.facts = Facts(
            program=_program(self.symbols, seen, answers),
            how="The model sees the previous symbols, so it counts how often each symbol followed them",
            cited=(
                excluded_without_positions(
                    lambda: context_inputs(order),
                    f"Counting tells how often a and b occur, but not how often each follows {'a' * order}.",
                ),
            ),
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Count what followed the last symbols wherever they occurred before."""
        text, order = "".join(prompt), self.order
        followers = [text[end] for end in range(order, len(text)) if text[end - order : end] == text[-order:]]
        return [max(self.symbols, key=followers.count)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return the first of 8 chains in which one symbol has followed most often.

        If there is none, the input repeats one symbol, drawn uniformly, as all inputs of the shortest length do. Beyond that
        length this happens at order 1 to 0.02 % of inputs; at order 2 to 11 % of length 4, 0.5 % of length 7; at order 3 to
        49 % of length 5, 3 % of length 13, 0.6 % of length 20.
        """
        tries = draw.named("tries").at(xp.arange(self.attempts))
        chains = self._chains(tries, lengths_MB, max_length, xp)
        best, is_valid = self._most_frequent(chains, lengths_MB[..., None, :], xp)
        winner = draw.named("same").integers(3, batch_of(draw, lengths_MB))
        chain = xp.broadcast(winner[..., None], (*winner.shape, max_length))
        for attempt in reversed(range(self.attempts)):
            taken = is_valid[..., attempt, :]
            chain = xp.where(taken[..., None], chains[..., attempt, :, :], chain)
            winner = xp.where(taken, best[..., attempt, :], winner)
        return chain, winner[..., None]

    def _chains(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return random chains, [M, attempts, B, N]; a context is the number whose digits in base 3 are its symbols."""
        batch, num_contexts = tuple(lengths_MB.shape[-1:]), 3**self.order
        liked = draw.named("liked").integers(3, (*batch, num_contexts))
        noise = draw.named("noise").integers(6, (*batch, max_length))
        surprise = xp.where(noise < 4, 0, noise - 3)  # how far from the liked symbol
        context = draw.named("start").integers(num_contexts, batch)
        symbols = []
        for place in range(max_length):
            symbol = (one_at(liked, context, xp) + surprise[..., place]) % 3
            context = (context * 3 + symbol) % num_contexts
            symbols.append(symbol)
        return xp.stack_last(symbols)

    def _most_frequent(self, chains: Array, lengths: Array, xp: Arrays) -> tuple[Array, Array]:
        """Return the most frequent follower of the last context, and whether there is one and only one."""
        width = chains.shape[-1]
        place = xp.broadcast(xp.arange(width), tuple(chains.shape))
        context = chains * 0
        for back in range(1, self.order + 1):
            context = context * 3 + at(chains, place - back, xp)
        last = chains[..., 0] * 0
        for back in range(1, self.order + 1):
            last = last * 3 + one_at(chains, xp.broadcast(lengths, tuple(last.shape)) - back, xp)
        same = (context == last[..., None]) & (place >= self.order) & (place < lengths[..., None])
        counts = count_symbols(chains, same, 3, xp)
        ranked = xp.stable_argsort(counts)
        top = xp.gather_last(counts, ranked[..., 1:])
        return ranked[..., 2], top[..., 1] > top[..., 0]


_WORD = 3
_RULES = ((0, 1), (1, 0), (0, 0), (1, 1))  # what a letter makes of the states 0 and 1: keep, flip, clear, set


def _ends_in(rules: tuple[tuple[int, int], ...], word: Sequence[int]) -> int:
    """Return the state after a word, from 0; letters have the rules at their numbers."""
    state = 0
    for letter in word:
        state = rules[letter][state]
    return state


class IclDfa(ClauseTask):
    """Whether an automaton with two states, known from labelled words, accepts another word."""

    name = "icl_dfa"
    definition = (
        "an automaton with the states 0 and 1 is drawn in which a and b each keep, flip, clear or set the state, from 0 on, and "
        f"of whose 8 words of {_WORD} letters at least 2 end in 1 and 2 in 0; shots are such words with + if they end in 1, else -; the "
        "query is a word whose label is the same for all automata that agree with the shots; a coin says which label"
    )
    revision = 2
    length_means = f"the number of symbols: {_WORD + 1} for each shot, and {_WORD} for the query"
    symbols = ("a", "b", "-", "+")
    min_length, clause = 2 * _WORD + 1, _WORD + 1
    citation = "arXiv 2401.12973, for automata with two states"

    def __init__(self) -> None:
        self.words = list(product((0, 1), repeat=_WORD))
        self.labels = [[_ends_in(rules, word) for word in self.words] for rules in product(_RULES, repeat=2)]
        names = ["".join("ab"[letter] for letter in word) for word in self.words]
        lines = [
            f"at_{name} := "
            + " and ".join(f"#{{{_WORD - place}}}['{letter}'] = 1" for place, letter in enumerate(name))
            for name in names
        ]
        for number, row in enumerate(self.labels):
            wrong = [f"'{'+-'[label]}' and at_{name}" for name, label in zip(names, row, strict=True)]
            lines.append(f"fits_{number} := #[{_some(wrong)}] = 0")
        answers = {
            symbol: _some(
                [
                    f"fits_{number} and at_{name}"
                    for number, row in enumerate(self.labels)
                    for name, label in zip(names, row, strict=True)
                    if label == sign
                ]
            )
            for sign, symbol in enumerate("-+")
        }
        self.facts = Facts(
            program=_program(self.symbols, lines, answers),
            how="The model sees whole words, and keeps those of the few automata that no shot contradicts",
            cited=(
                excluded_without_positions(
                    lambda: parity_inputs(_WORD),
                    "The labels can mean: + for an odd number of bs in a word. Counting does not tell whether the word "
                    "that is asked about has an even or an odd number.",
                ),
            ),
        )
        self._varied = [number for number, row in enumerate(self.labels) if 2 <= sum(row) <= len(row) - 2]

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Ask all automata that agree with the shots; they are of one mind."""
        shots = [prompt[start : start + _WORD + 1] for start in range(0, len(prompt) - _WORD, _WORD + 1)]
        found = set()
        for rules in product(_RULES, repeat=2):
            labels = ["-+"[_ends_in(rules, ["ab".index(letter) for letter in shot[:_WORD]])] for shot in shots]
            if labels == [shot[-1] for shot in shots]:
                found.add("-+"[_ends_in(rules, ["ab".index(letter) for letter in prompt[-_WORD:]])])
        (label,) = found
        return [label]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return labelled words and a word whose label they determine; those that were shown are among these."""
        num_MB, width = lengths_MB // (_WORD + 1), max(1, max_length // (_WORD + 1))
        batch, table = batch_of(draw, lengths_MB), xp.asarray(self.labels)
        hidden = xp.asarray(self._varied)[draw.named("automaton").integers(len(self._varied), batch)]
        words = uniform(draw.named("words"), len(self.words), lengths_MB, width)
        labels = table[hidden[..., None], words]
        inside = is_inside(num_MB, width, xp)
        fits = xp.stack_last([count(inside & (row[words] != labels), xp) == 0 for row in map(xp.asarray, self.labels)])
        num_plus = xp.where(fits[..., None], table, 0).sum(-2)
        settled = (num_plus == 0) | (num_plus == xp.where(fits, 1, 0).sum(-1)[..., None])
        order = draw.named("query").permutation(len(self.words), batch)
        is_asked = table[hidden] == draw.named("label").integers(2, batch)[..., None]
        rank = xp.where(
            is_asked, order, order + len(self.words)
        )  # the other label, where no word with this one is settled
        query = xp.stable_argsort(xp.where(settled, rank, 2 * len(self.words)))[..., 0]
        letters = [words >> shift & 1 for shift in reversed(range(_WORD))]
        tail = [query >> shift & 1 for shift in reversed(range(_WORD))]
        text = clauses([*letters, labels + 2], num_MB, tail, max_length, xp)
        return text, (table[hidden, query] + 2)[..., None]


class IclRegression(ClauseTask):
    """The value of a line, modulo a prime, that goes through all shots."""

    min_length, clause = 5, 2
    length_means = "the number of symbols: 2 for each shot, and 1 for the query"
    citation = "arXiv 2208.01066, modulo a prime"

    def __init__(self, prime: int) -> None:
        if prime not in (3, 5, 7):
            raise InvalidOptionError(
                f"icl_regression takes a prime, one of 3, 5, 7; found {prime}.", hint="for example icl_regression(5)."
            )
        self.prime = prime
        self.name = shortest_name("icl_regression", [prime], [5])
        self.definition = (
            f"shots 'x y' with y = a x + b modulo {prime}, where a, b and each x are uniform, but the first two x differ; then "
            "a uniform x, whose y is the answer"
        )
        numbers = range(prime)
        self.symbols = (*(f"x{number}" for number in numbers), *map(str, numbers))
        rows = line_rows(self.symbols[:prime], self.symbols[prime:], SEP)
        self.facts = Facts(
            program=short_answer_program(self.symbols, rows),
            how="The first two shots give the line; then counts show which x has occurred once more than its y accounts for",
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Try all lines; one goes through the shots."""
        shots = [(int(x[1:]), int(y)) for x, y in zip(prompt[:-1:2], prompt[1::2], strict=True)]
        lines = product(range(self.prime), repeat=2)
        ((a, b),) = [(a, b) for a, b in lines if all((a * x + b) % self.prime == y for x, y in shots)]
        return [str((a * int(prompt[-1][1:]) + b) % self.prime)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return shots of one line, the second at least one place from the first, and its value at the query."""
        width, batch, prime = max(1, max_length // 2), batch_of(draw, lengths_MB), self.prime
        a, b, query = (draw.named(name).integers(prime, batch) for name in ("slope", "intercept", "query"))
        drawn = uniform(draw.named("shots"), prime, lengths_MB, width)
        apart = draw.named("apart").integers(prime - 1, batch) + 1
        second = (drawn[..., 0] + apart) % prime
        points = xp.where(places(lengths_MB, width, xp) == 1, second[..., None], drawn)
        values = (a[..., None] * points + b[..., None]) % prime + prime
        text = clauses([points, values], lengths_MB // 2, [query], max_length, xp)
        return text, ((a * query + b) % prime + prime)[..., None]


_KEYS = Parameter(name="keys", default=8, meaning="the number of keys", low=2, high=64)
_ORDER = Parameter(name="order", default=1, meaning="the order of the chain", low=1, high=3)
_PRIME = Parameter(name="prime", default=5, meaning="a prime", low=3, high=7)

FAMILIES: tuple[Family, ...] = (
    Family(name="icl_map", group=Group.IN_CONTEXT, make=IclMap, parameters=(_KEYS,)),
    Family(name="icl_regression", group=Group.IN_CONTEXT, make=IclRegression, parameters=(_PRIME,)),
    Family(name="icl_markov", group=Group.IN_CONTEXT, make=IclMarkov, parameters=(_ORDER,)),
    Family(name="icl_dfa", group=Group.IN_CONTEXT, make=IclDfa),
    Family(name="icl_majority", group=Group.IN_CONTEXT, make=IclMajority),
    Family(name="icl_overwrite", group=Group.IN_CONTEXT, make=IclOverwrite, parameters=(_KEYS,)),
)
