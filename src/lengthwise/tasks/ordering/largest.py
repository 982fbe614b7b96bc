"""The largest and smallest of some tokens, and where the largest stands."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...crasp.parser import parse_program
from ...crasp.programs.templates import any_of, lines, quoted
from ...crasp.syntax import Program
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.facts import Facts
from ...theory.positions.circuits import Circuit, Gate, Operator
from ...theory.positions.layout import word_layout
from ...theory.positions.problem import Problem
from ..core.cited import answered_by
from ..core.family import Family, Group
from ..core.row_functions import batch_of, is_inside, places
from ..core.task import EOS, SEP, OneSymbolTask, shuffled
from ..counting.counts import FORM, FORMS, HEAD, NumberTask, excluded_numeral

DEFAULT_TOKENS = 20
_AFTER = f"after := #[{quoted([SEP])}] > 0"


class TokensTask(OneSymbolTask):
    """A task whose input is tokens that have an order, and whose answer is one of them."""

    length_means = "the number of tokens"
    min_length = 1
    citation = "arXiv 2310.16028"

    def __init__(self, num_tokens: int) -> None:
        self.symbols = tuple(f"s{number}" for number in range(num_tokens))

    def draw_below(self, draw: Draw, lengths_MB: Array, max_length: int) -> tuple[Array, Array]:
        """Return uniform tokens up to a bound, which is uniform itself, and the bound."""
        batch = batch_of(draw, lengths_MB)
        bound_MB = draw.named("bound").integers(len(self.symbols), batch)
        return draw.named("tokens").integers(bound_MB[..., None] + 1, (*batch, max_length)), bound_MB

    def draw_largest(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return tokens and the largest of them, which is uniform; one place has it, the others are uniform up to it."""
        tokens, bound_MB = self.draw_below(draw, lengths_MB, max_length)
        chosen_MB = draw.named("place").integers(lengths_MB, batch_of(draw, lengths_MB))
        is_chosen = places(lengths_MB, max_length, xp) == chosen_MB[..., None]
        return xp.where(is_chosen, bound_MB[..., None], tokens), bound_MB[..., None]


def _number(token: str) -> int:
    return int(token[1:])


class Maximum(TokensTask):
    """The largest token."""

    facts = Facts(
        cited=(
            answered_by(
                "maximum",
                Fragment.PLAIN,
                "The largest token occurs and none above it does, and attention shows what occurs",
            ),
        )
    )

    def __init__(self, num_tokens: int) -> None:
        super().__init__(num_tokens)
        self.name = shortest_name("max", [num_tokens], [DEFAULT_TOKENS])
        self.definition = f"the largest of tokens out of {num_tokens}; it is uniform, the others uniform up to it"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the largest."""
        return [max(prompt, key=_number)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return tokens and the largest of them."""
        return self.draw_largest(draw, lengths_MB, max_length, xp)


class Minimum(TokensTask):
    """The smallest token."""

    facts = Facts(
        cited=(
            answered_by(
                "minimum",
                Fragment.PLAIN,
                "The smallest token occurs and none below it does, and attention shows what occurs",
            ),
        )
    )

    def __init__(self, num_tokens: int) -> None:
        super().__init__(num_tokens)
        self.name = shortest_name("min", [num_tokens], [DEFAULT_TOKENS])
        self.definition = f"the smallest of tokens out of {num_tokens}; it is uniform, the others uniform from it on"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the smallest."""
        return [min(prompt, key=_number)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return tokens as for the largest, counted from the other end."""
        tokens, largest = self.draw_largest(draw, lengths_MB, max_length, xp)
        return len(self.symbols) - 1 - tokens, len(self.symbols) - 1 - largest


class KthLargest(TokensTask):
    """The k-th largest token, equal ones counted apart."""

    facts = Facts(
        cited=(
            answered_by(
                "kth_largest",
                Fragment.PLAIN,
                "At least k tokens are as large as the answer, and fewer than k are larger: counts show that",
            ),
        )
    )

    def __init__(self, rank: int, num_tokens: int) -> None:
        super().__init__(num_tokens)
        self.rank = rank
        self.name = shortest_name("kth_largest", [rank, num_tokens], [2, DEFAULT_TOKENS])
        self.definition = (
            f"number {rank} of tokens out of {num_tokens}, the largest first; it is uniform, the larger ones are uniform from it on, "
            "the others uniform up to it"
        )
        self.min_length, self.revision = rank, 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the token of this rank."""
        return [sorted(prompt, key=_number, reverse=True)[self.rank - 1]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return tokens in a random order: those at the first places of it are larger, then the answer, then the others."""
        tokens, bound_MB = self.draw_below(draw, lengths_MB, max_length)
        place = places(lengths_MB, max_length, xp)
        bound = bound_MB[..., None]
        more = draw.named("larger").integers(len(self.symbols) - bound, (*batch_of(draw, lengths_MB), max_length))
        tokens = xp.where(place < self.rank - 1, bound + more, xp.where(place == self.rank - 1, bound, tokens))
        return shuffled(tokens, is_inside(lengths_MB, max_length, xp), draw.named("order"), xp), bound


class ArgMax(NumberTask):
    """The place of the largest token, the first place being 1; there is one such token."""

    length_means = "the number of tokens"
    min_length = 1
    citation = "arXiv 2310.16028"

    def __init__(self, form: str, num_tokens: int) -> None:
        super().__init__(form, tuple(f"s{number}" for number in range(num_tokens)))
        self.name = shortest_name("argmax", [form, num_tokens], [FORMS[0], DEFAULT_TOKENS])
        how = "as so many 1s" if self.is_unary else "in decimal"
        self.definition = (
            f"the place of the largest of tokens out of {num_tokens}, {how}; place and largest are uniform"
        )
        excluded = Facts(cited=(excluded_numeral("tokens up to the largest one"),))
        self.facts = (
            Facts(
                program=_place_program(self.input_symbols),
                how="The model writes as many 1s as tokens stand up to the first of the largest",
            )
            if self.is_unary
            else excluded
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the place of the largest token."""
        return self.spelled(1 + list(prompt).index(max(prompt, key=_number)))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return a token at a uniform place, smaller ones, uniform, at all others, and the place."""
        batch = batch_of(draw, lengths_MB)
        largest_MB = draw.named("largest").integers(len(self.input_symbols) - 1, batch) + 1
        smaller = draw.named("tokens").integers(largest_MB[..., None], (*batch, max_length))
        place_MB = draw.named("place").integers(lengths_MB, batch)
        is_there = places(lengths_MB, max_length, xp) == place_MB[..., None]
        return xp.where(is_there, largest_MB[..., None], smaller), *self.written(place_MB + 1, max_length, xp)


def _place_program(tokens: Sequence[str]) -> Program:
    """Return the program that writes a 1 for every place before the first largest token, from the start symbol on."""
    rows, writing, ending, above = [], [], [], "0"
    for token in reversed(tokens):
        rows.append(f"is_{token} := #[{quoted([token])}] > 0 and {above} = 0")
        rows.append(f"from_{token} := {above} + #[{quoted([token])}]")
        rows.append(f"place_{token} := #[not after and #[{quoted([token])}] = 0]")
        writing.append(f"is_{token} and #['1'] < place_{token}")
        ending.append(f"is_{token} and #['1'] = place_{token}")
        above = f"from_{token}"
    rows.append(f"next '1' := after and ({any_of(writing)})")
    rows.append(f"next {quoted([EOS])} := after and ({any_of(ending)})")
    return parse_program(lines(f"alphabet {quoted([*tokens, '1', SEP])}", *HEAD, _AFTER, *rows))


def running_max_problem(symbols: str = "01") -> Problem:
    """Return the largest symbol so far: y_t = max(x_{t−1}, y_{t−1}), `=` being smaller than every symbol."""

    def larger(one: str, two: str) -> str:
        return max(one, two, key=lambda symbol: symbols.find(symbol))  # -1 for `=`

    layout = word_layout(
        "running_max",
        "at every place the largest symbol so far",
        symbols,
        lambda word: tuple(max(word[: place + 1], key=symbols.index) for place in range(len(word))),
    )
    circuit = Circuit(
        name=layout.name,
        layout=layout,
        operators={"max": Operator(name="max", arity=2, apply=larger)},
        wire=lambda scale, step: Gate(operator="max", operands=(step - 1, scale + step - 1)),
        note="y_t = max(x_{t−1}, y_{t−1})",
    )
    return Problem(
        layout=layout, circuit=circuit, unsettled="no program and no theorem here says whether it is in C-RASP"
    )


PROBLEMS = {"running_max": running_max_problem}
_TOKENS = Parameter(name="tokens", default=DEFAULT_TOKENS, meaning="the number of different tokens", low=2, high=150)
_RANK = Parameter(name="rank", default=2, meaning="the rank", low=1, high=100)

FAMILIES: tuple[Family, ...] = (
    Family(name="max", group=Group.COUNTING, make=Maximum, parameters=(_TOKENS,)),
    Family(name="min", group=Group.COUNTING, make=Minimum, parameters=(_TOKENS,)),
    Family(name="argmax", group=Group.COUNTING, make=ArgMax, parameters=(FORM, _TOKENS)),
    Family(name="kth_largest", group=Group.COUNTING, make=KthLargest, parameters=(_RANK, _TOKENS)),
)
