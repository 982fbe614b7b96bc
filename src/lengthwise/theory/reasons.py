"""A few plain sentences for each certificate: what a model has to do, and why it can or cannot do it at every length.

They are read by people who know transformers and no automata theory. So they speak of inputs and symbols of the task itself,
and name what attention contributes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ..crasp.fragments import Fragment
from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word, shortest_path
from .certificates import (
    GraphCertificate,
    ObstructionCertificate,
    PeriodsCertificate,
    PotentialsCertificate,
    ReductionCertificate,
)
from .claims import Asked
from .counting import describe_counts
from .events import THE_BEGINNING, final_examples, listed, one_way_events, quoted_word

if TYPE_CHECKING:
    from ..crasp.syntax import Program

_SHOWN_COUNTS = 3


_IN_WORDS = {
    Fragment.PLAIN: "counting",
    Fragment.LOCAL: "counting, with the last few symbols",
    Fragment.PERIODIC: "counting, with the position modulo a number",
    Fragment.PERIODIC_LOCAL: "counting, with the last few symbols and the position modulo a number",
}


def in_words(fragment: Fragment) -> str:
    """Return what a model does in a fragment, with the name of the fragment."""
    return f"{_IN_WORDS[fragment]} ({fragment.notation})"


def program_reason(certificate: PotentialsCertificate) -> str:
    """Say what a model has to track to be right at every length, and what attention does for it."""
    counts = list(islice(describe_counts(certificate), _SHOWN_COUNTS + 1))
    if all(len(component.members) == 1 for component in certificate.components) and certificate.period == 1:
        return few_events_reason(certificate.language)
    return tracking_reason(
        certificate.language,
        window=certificate.window,
        moduli=[certificate.period] if certificate.period > 1 else [],
        counts=counts,
        asked=certificate.asked,
    )


def few_events_reason(language: DFA) -> str:
    """Say that a language only asks which events have occurred, in which order."""
    if language.num_states == 1:
        return "All inputs have the same answer."
    return (
        "The model only has to notice which of a few things have occurred, and in which order. Nothing that follows undoes them. For "
        f"example, {final_examples(language)}. Attention finds whether something has occurred before, at any length."
    )


def tracking_reason(
    language: DFA,
    *,
    window: int,
    moduli: Sequence[int],
    counts: Sequence[str] = (),
    asked: Asked = Asked.MEMBERSHIP,
) -> str:
    """Say that it is enough to know the last symbols, the position modulo numbers, counts and one-way events."""
    tracked, means, legend = [], [], ""
    seen = window + (asked is Asked.NEXT_SYMBOLS)  # the current symbol is seen where next symbols are read
    if seen:
        tracked.append("the last symbol" if seen == 1 else f"the last {seen} symbols")
    if window:
        means.append("it can look at the nearest tokens")
    if moduli:
        number = listed([str(modulus) for modulus in moduli])
        tracked.append(f"the position modulo {number}")
        means.append(f"position vectors can repeat with period {number}, so that they show this")
    if counts:
        counted, legend = _counted(counts)
        tracked.append(counted)
        means.append("averages over all earlier tokens compare counts")
    events = one_way_events(language)
    if events:
        tracked.append(events)
        is_start = events == THE_BEGINNING
        means.append(f"it finds {'the first token' if is_start else 'whether something has occurred before'}")
    if not tracked:
        return "All inputs have the same answer."
    able = f" Attention can do this at any length: {_clauses(means)}." if means else ""
    return f"A model is right at every length if it tracks {listed(tracked)}.{legend}{able}"


def _clauses(clauses: Sequence[str]) -> str:
    """Return whole clauses as one sentence without its full stop."""
    return ", and ".join([", ".join(clauses[:-1]), clauses[-1]] if clauses[1:] else clauses)


_DEPENDS = re.compile(r"[ &]t\d+=")
_DIFFERENCE = re.compile(r"t1 = #\[([^\]&|]+)\] − #\[([^\]&|]+)\]")


def _counted(counts: Sequence[str]) -> tuple[str, str]:
    """Return counts in words, and a sentence that explains their notation where words are not enough."""
    simple = _DIFFERENCE.fullmatch(counts[0]) if len(counts) == 1 else None
    if simple is not None:
        ordered = sorted(simple.groups())  # the difference shows as much with the other sign
        more, fewer = (f"{symbol}'s" if symbol.isalnum() else f"'{symbol}'" for symbol in ordered)
        return f"how many more {more} than {fewer} it has read (which shows where in the pattern it is)", ""
    shown = "; ".join(counts[:_SHOWN_COUNTS]) + ("; …" if len(counts) > _SHOWN_COUNTS else "")
    several = len(counts) > 1
    legend = f" The count{'s' * several} show{'s' * (not several)} where in the pattern the input is; #[x] is how often x was read so far"
    if _DEPENDS.search(shown):
        further = "counts of symbols that were read while t1 had a certain value"
        return f"the count {counts[0]}, {further}", f"{legend} (--explain lists all counts)."
    if "|" in shown:
        legend += ", and | means or"
    if "&" in shown:
        legend += ", and #[x & c] counts only those x at which c held"
    return f"the count{'s' * several} {shown}", f"{legend}."


def given_program_reason(program: Program, how: str = "") -> str:
    """Say that a program computes the problem, and how if that is known."""
    from ..crasp.measures import depth_of, fragment_of

    depth, fragment = depth_of(program), fragment_of(program)
    uses = ["counts symbols"] if depth else []
    uses += ["looks at the last few symbols"] * fragment.has_windows
    uses += ["uses the position modulo a number"] * fragment.has_periods
    if not uses:
        return "The current symbol is enough to answer (--explain shows the program)."
    later = "later ones count places at which earlier counts compare in some way, such as 'more a than b so far'"
    rounds = f", in {depth} rounds ({later})" if depth > 1 else ""
    solved = "A program solves it at every length (--explain shows it)."
    if how:
        solved = f"{how} (--explain shows the program)."
    if not depth:
        return f"{solved} It only {listed(uses)}, which attention can do at every length."
    means = ["averages over all earlier tokens compare counts"]
    means += ["it can look at the nearest tokens"] * fragment.has_windows
    return (
        f"{solved} The program only {listed(uses)}{rounds}. Attention can do that at every length: {_clauses(means)}."
    )


_SEES_COUNTS = "Attention here only compares how often symbols occurred."
_SAME_ANSWER = (
    "The text can be chosen so that every comparison of counts in which this could matter is far from a tie. Then the model gives "
    "both the same answer."
)


def obstruction_reason(certificate: ObstructionCertificate) -> str:
    """Say which two words no program tells apart."""
    first, second = certificate.witnesses
    if certificate.asked is Asked.NEXT_SYMBOLS:
        told = f"After {quoted_word(first)} and {quoted_word(second)} different symbols may follow."
    else:
        told = _answers(certificate.language, first, second)
    if certificate.enter:
        longer = f"Replace {quoted_word(certificate.enter)}, with which both begin, by the same long text, so that"
    else:
        longer = "Put the same long text in front of both, so that"
    kept = (
        "different symbols may still follow"
        if certificate.asked is Asked.NEXT_SYMBOLS
        else "the right answers still differ"
    )
    alike = "the order of a few symbols" if sorted(first) == sorted(second) else "a few symbols"
    return f"{told} {_SEES_COUNTS} {longer} {kept}. The two inputs differ only in {alike}. {_SAME_ANSWER}"


def _answers(language: DFA, first: Word, second: Word) -> str:
    inside, outside = (first, second) if first in language else (second, first)
    return f"{capitalized(quoted_word(inside))} is accepted and {quoted_word(outside)} is not."


def reduction_reason(certificate: ReductionCertificate) -> str:
    """Say which inputs ask a model for the last of two events, or for a count modulo a number."""
    blocks = {symbol: quoted_word(image) for symbol, image in certificate.images}
    noun = "symbol" if all(len(image) == 1 for _, image in certificate.images) else "block"
    around = [f"begin with {quoted_word(certificate.prefix)}"] if certificate.prefix else []
    around += [f"end with {quoted_word(certificate.suffix)}"] if certificate.suffix else []
    letters = {image for _, image in certificate.images}
    is_whole = not around and letters == {(symbol,) for symbol in certificate.language.alphabet}
    where = f"Take inputs that {listed([*around, f'otherwise consist of the {noun}s' if around else f'consist of the {noun}s'])} "
    where = "" if is_whole else f"{where}{listed(list(blocks.values()))}. "
    if certificate.asked is Asked.NEXT_SYMBOLS:
        may = "the word may end" if certificate.reads is None else f"{certificate.reads} may follow"
        depends = f"Whether {may} after {'an' if is_whole else 'such an'} input depends on"
    else:
        depends = f"The right answer {'' if is_whole else 'then '}depends on"
    if certificate.target.startswith("{"):
        return f"{where}{depends} whether the last {noun} other than {blocks['2']} is {blocks['0']}. {_why_no_last(certificate, noun)}"
    return f"{where}{depends} {_residue(certificate.target, blocks['a'])}. {_why_no_modulus(certificate, noun)}"


def _residue(target: str, counted: str) -> str:
    """Return what of the number of symbols or blocks matters, in words."""
    if target == "PARITY":
        return f"whether the number of {counted} is even or odd"
    prime, _ = target.removeprefix("MOD(").removesuffix(")").split("; ")
    return f"the remainder of the number of {counted} when divided by {prime}"


def _why_no_last(certificate: ReductionCertificate, noun: str) -> str:
    blocks = {symbol: quoted_word(image) for symbol, image in certificate.images}
    seen = (
        " The last few symbols do not show it,"
        if certificate.fragment.has_windows
        else " Attention cannot single it out,"
    )
    return (
        f"That {noun} may lie arbitrarily far back.{seen} and counts of {blocks['0']} and {blocks['1']} do not tell which of the "
        "two came last."
    )


def _why_no_modulus(certificate: ReductionCertificate, noun: str) -> str:
    able = ["compare counts"]
    able += ["see the last few symbols"] * certificate.fragment.has_windows
    able += ["know positions modulo a number"] * certificate.fragment.has_periods
    alike = "have the same length and " if noun == "block" else ""
    where = f" The {noun}s {alike}come in any order, so positions say nothing about it."
    return (
        f"Even a model that can {listed(able)} cannot count modulo a number at every length: the answer changes again and again as the "
        f"number grows, while a comparison of averages changes once.{where if certificate.fragment.has_periods else ''}"
    )


def graph_reason(certificate: GraphCertificate) -> str:
    """Say which two words no program tells apart."""
    one, two = (certificate.vertices[member][0] for member in certificate.pair)
    return _states_reason(certificate.language, one, two, certificate.suffix, certificate.fragment)


def periods_reason(certificate: PeriodsCertificate) -> str:
    """Say which two words no program tells apart."""
    return _states_reason(certificate.language, *certificate.pair, certificate.suffix, certificate.fragment)


def _states_reason(language: DFA, one: int, two: int, suffix: Word, fragment: Fragment) -> str:
    """Say that long words with the effects of two short ones look alike."""
    words = [shortest_path(language, 0, state.__eq__) for state in (one, two)]
    first, second = ((*(word or ()), *suffix) for word in words)
    alike = ["in their last symbols"] * fragment.has_windows
    alike += ["in their length modulo any number"] * fragment.has_periods
    return (
        f"{_answers(language, first, second)} Both can be made arbitrarily long without changing their answers, in such a way that "
        f"they agree {listed([*alike, 'in every comparison of counts'])}. So a model that sees only these cannot tell them apart."
    )


def capitalized(sentence: str) -> str:
    """Return a sentence that begins with a word of ours, not with a symbol, with a capital."""
    return sentence[:1].upper() + sentence[1:]
