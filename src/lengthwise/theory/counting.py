"""From a refinement that passed to the counts that name every state: the certificate of a YES, and its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from ..crasp.fragments import Fragment
from ..languages.dfa import DFA
from .certificates import Component, Level, PotentialsCertificate, Test
from .claims import Asked
from .graph import Graph
from .potentials import Edges, Refinement, Round

_MERGING_FACTORS = (1, -1, 2, -2, 3, -3, 4, -4)


def build_certificate(
    language: DFA,
    fragment: Fragment,
    graph: Graph,
    refinements: Iterable[Refinement],
    asked: Asked = Asked.MEMBERSHIP,
) -> PotentialsCertificate:
    """Return the certificate of refinements that tell apart all that is asked for."""
    return PotentialsCertificate(
        language=language,
        fragment=fragment,
        window=graph.window,
        period=graph.period,
        vertices=tuple(graph.vertices),
        components=tuple(_component(refinement) for refinement in refinements),
        asked=asked,
    )


def _component(refinement: Refinement) -> Component:
    partitions = [*(each.blocks for each in refinement.rounds), refinement.blocks]
    levels = []
    for before, after in zip(refinement.rounds, partitions[1:], strict=True):
        columns = _choose_columns(before, len(set(after)))
        levels.append(
            Level(
                blocks=_groups(refinement.members, before.blocks),
                tests=tuple(
                    Test(gains=_gains(refinement.edges, before.blocks, values), values=tuple(values))
                    for values in columns
                ),
            )
        )
    return Component(members=refinement.members, levels=tuple(levels))


def _choose_columns(before: Round, num_blocks: int) -> list[list[int]]:
    """Return few potentials with small values that split the blocks as far as all basis potentials do.

    A basis potential that splits nothing new is left out; one that does is added to the potential before it,
    times a small factor, if the sum still splits as much.
    """
    known: list[int] = list(before.blocks)  # the partition by all chosen potentials
    without_last = known  # and by all but the last
    chosen: list[list[int]] = []
    for column in sorted({key for value in before.values for key in value}):
        if len(set(known)) == num_blocks:
            break
        values = _normalized([value.get(column, 0) for value in before.values])
        finer = _split(known, values)
        if len(set(finer)) == len(set(known)):
            continue
        for factor in _MERGING_FACTORS if chosen else ():
            merged = [old + factor * new for old, new in zip(chosen[-1], values, strict=True)]
            if len(set(zip(without_last, merged, strict=True))) == len(set(finer)):
                chosen[-1] = merged
                break
        else:
            chosen.append(values)
            without_last = known
        known = finer
    return chosen


def _normalized(values: Sequence[int]) -> list[int]:
    """Return the values from zero at the first member, without a common divisor."""
    shifted = [value - values[0] for value in values]
    divisor = gcd(*shifted) or 1
    return [value // divisor for value in shifted]


def _split(blocks: Sequence[int], values: Sequence[int]) -> list[int]:
    numbers: dict[tuple[int, int], int] = {}
    return [numbers.setdefault(pair, len(numbers)) for pair in zip(blocks, values, strict=True)]


def _groups(members: Sequence[int], blocks: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    groups: list[list[int]] = [[] for _ in range(max(blocks) + 1)]
    for member, block in zip(members, blocks, strict=True):
        groups[block].append(member)
    return tuple(tuple(group) for group in groups)


def _gains(edges: Edges, blocks: Sequence[int], values: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    gains = {
        (symbol, blocks[source]): values[target] - values[source]
        for source, targets in enumerate(edges)
        for symbol, target in targets
    }
    return tuple((symbol, block, gain) for (symbol, block), gain in sorted(gains.items()))


def describe_counts(certificate: PotentialsCertificate) -> Iterator[str]:
    """Yield the counts of each component as formulas, such as ``t1 = #[b] − #[a]``.

    #[…] counts the earlier positions of the component; a test inside the brackets is taken there, just before the
    letter is read.
    """
    for component in certificate.components:
        names: list[str] = []
        history: list[Sequence[int]] = []  # the values of all tests so far, test by test
        for level in component.levels:
            for number, test in enumerate(level.tests, start=len(names) + 1):
                yield f"t{number} = {_formula(certificate, component, level, test, names, history)}"
            names += [f"t{number}" for number in range(len(names) + 1, len(names) + len(level.tests) + 1)]
            history += [test.values for test in level.tests]


def _formula(
    certificate: PotentialsCertificate,
    component: Component,
    level: Level,
    test: Test,
    names: Sequence[str],
    history: Sequence[Sequence[int]],
) -> str:
    alphabet = certificate.language.alphabet
    place = {member: number for number, member in enumerate(component.members)}
    terms: dict[tuple[int, str], list[str]] = {}
    symbols = sorted({symbol for symbol, _, _ in test.gains})
    for symbol in symbols:
        gains = {block: gain for other, block, gain in test.gains if other == symbol}
        if len(set(gains.values())) == 1:
            gain = next(iter(gains.values()))
            terms.setdefault((gain, ""), []).append(alphabet[symbol])
            continue
        for block, gain in gains.items():
            vertex = level.blocks[block][0]
            conditions = _seen(certificate, vertex)
            conditions += [f"{name}={values[place[vertex]]}" for name, values in zip(names, history, strict=True)]
            terms.setdefault((gain, " & ".join(conditions)), []).append(alphabet[symbol])
    text = ""
    for (gain, condition), chosen in sorted(
        terms.items(), key=lambda item: (item[0][0] < 0, -abs(item[0][0]), item[1])
    ):
        if not gain:
            continue
        sign = ("− " if gain < 0 else "+ ") if text else ("−" if gain < 0 else "")
        factor = str(abs(gain)) if abs(gain) != 1 else ""
        inside = "|".join(chosen) + (f" & {condition}" if condition else "")
        text += f"{' ' if text else ''}{sign}{factor}#[{inside}]"
    return text or "0"


def _seen(certificate: PotentialsCertificate, vertex: int) -> list[str]:
    """Return what a program sees at a vertex without counting, as conditions."""
    _, letters, residue = certificate.vertices[vertex]
    seen = []
    if certificate.window:
        shown = "".join(certificate.language.decode(letters)) or "start"
        seen.append(f"after {shown}")
    if certificate.period > 1:
        seen.append(f"i≡{(residue + 1) % certificate.period} mod {certificate.period}")
    return seen
