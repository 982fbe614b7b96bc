"""What the chance of success is estimated from: numbers that theory and an encoding's card give for a question.

A name that begins with "+" stands for something that theory proves: the feature is larger for a YES than for UNKNOWN,
and larger for UNKNOWN than for a NO. ``evidence.chance`` keeps the weights of those from being negative. All other features describe the
shape of the problem and the encoding, and no verdict changes them.

A name with "|" is a product: a feature of the problem for encodings of one family, or for one encoding.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import log2

from ..crasp.fragments import Fragment, Readout
from ..encodings.core.choice import Choice, find_encoding
from ..errors import CapExceededError
from ..languages.dfa import DFA
from ..languages.dfa_algebra import word_counts
from ..theory.certificates import PotentialsCertificate, QuotientsCertificate
from ..theory.claims import Answer, Asked
from ..theory.facts import Facts
from ..theory.grades import counter_range, longest_chain
from ..theory.precision.logics import Logic
from ..theory.precision.problems import decide_problem
from ..theory.verdict import AnyVerdict
from .theories import Verdicts

SIGNS = {Answer.YES: 1.0, Answer.UNKNOWN: 0.0, Answer.NO: -1.0}
_LONG = 24  # symbols of words that are counted
HARDEST = 4  # the level that counts as the hardest: one more than the largest that is known

_CROSSED = ("+PLAIN", "+LOCAL", "+PERIODIC", "+PERIODIC_LOCAL", "+LTL[P]", "+LTL[P,Y]", "+LTL[S]", "+shallow")
"""What theory says of a problem may help one encoding more than another."""
_SHAPE_CROSSED = ("states", "next symbols")
_SWITCHES = (
    *("shift_invariant", "per_layer", "never_positive", "needs_scale", "max_length", "shifts_ids", "draws_ids"),
    *("hides_keys", "uses_visible_keys", "has_table", "learns_relations", "network_on_scores"),
)


@lru_cache(maxsize=16)
def problem_features(facts: Facts, readout: Readout | None = None) -> dict[str, float]:
    """Return the features of a problem: its shape, and which classes of both theories contain it."""
    verdicts = Verdicts(facts, readout, None)
    language = facts.language
    shape = {
        "language": float(language is not None),
        "next symbols": float(facts.asked is Asked.NEXT_SYMBOLS),
        "states": log2(language.num_states) if language is not None else 0.0,
        "letters": log2(len(language.alphabet)) if language is not None else 0.0,
        "freedom": _freedom(language) if language is not None else 0.0,
    }
    found = {fragment: verdicts.counting(fragment) for fragment in Fragment}
    logics = {
        logic: decide_problem(facts, logic, readout, verdicts.counting, regular=language is not None) for logic in Logic
    }
    answers = {f"+{fragment.name}": SIGNS[verdict.answer] for fragment, verdict in found.items()}
    answers |= {f"+{logic}": SIGNS[verdict.answer] for logic, verdict in logics.items()}
    return shape | answers | _ease(found)


def _freedom(language: DFA) -> float:
    """Return about how many bits a symbol of a word carries: log₂ of the number of words, over their length."""
    try:
        counts = word_counts(language, _LONG)
    except CapExceededError:
        return 0.0
    lengths = range(_LONG // 2, _LONG + 1)
    return max((log2(counts[length][0]) / length for length in lengths if counts[length][0]), default=0.0)


def _ease(found: Mapping[Fragment, AnyVerdict]) -> dict[str, float]:
    """Return how easy the programs of a YES are: 0 where there is none, and more for fewer rounds and smaller numbers."""
    ease = {
        "+shallow": 0.0,
        "+shallow in any class": 0.0,
        "+small window": 0.0,
        "+small period": 0.0,
        "+small counts": 0.0,
        "+short chain": 0.0,
        "+few counted values": 0.0,
    }
    for fragment, verdict in found.items():
        level = verdict.level
        if verdict.answer is not Answer.YES or level is None:
            continue
        shallow = max(0.0, 1 - level / HARDEST)
        ease["+shallow in any class"] = max(ease["+shallow in any class"], shallow)
        if fragment is Fragment.PLAIN:
            ease["+shallow"] = shallow
        for part in _parts(verdict.certificate):
            sizes = {
                "+small window": 1 + part.window,
                "+small period": part.period,
                "+small counts": 1 + part.largest_coefficient,
                "+short chain": longest_chain(part),
                "+few counted values": counter_range(part),
            }
            for name, size in sizes.items():
                ease[name] = max(ease[name], 1 / max(1, size))
    return ease


def _parts(certificate: object) -> list[PotentialsCertificate]:
    inner = [part for _, part in certificate.parts] if isinstance(certificate, QuotientsCertificate) else [certificate]
    return [part for part in inner if isinstance(part, PotentialsCertificate)]


def card_features(choice: Choice) -> dict[str, float]:
    """Return the features of an encoding: its name, its family, and what its card declares."""
    card = choice.card
    features = {"encoding:" + choice.name: 1.0, "family:" + card.family: 1.0}
    features |= {f"acts on {part}": 1.0 for part in card.acts_on}
    features |= {name.replace("_", " "): 1.0 for name in _SWITCHES if getattr(card, name)}
    if card.bounded_bias is not None:
        features["bounded bias" if card.bounded_bias else "unbounded bias"] = 1.0
    return features


def features_of(
    facts: Facts,
    readout: Readout | None,
    encoding: str,
    counting: AnyVerdict,
    precision: AnyVerdict,
    *,
    is_far: bool,
) -> dict[str, float]:
    """Return all features of a question with an encoding."""
    choice = find_encoding(encoding)
    problem, card = problem_features(facts, readout), card_features(choice)
    features = {"always": 1.0} | problem | card
    features["+counting"] = SIGNS[counting.answer]
    features["+far precision" if is_far else "+precision"] = SIGNS[precision.answer]
    features["+level"] = 0.0
    if counting.answer is Answer.YES and counting.level is not None:
        features["+level"] = max(0.0, 1 - counting.level / HARDEST)
    for group in (f"family:{choice.card.family}", f"encoding:{choice.name}"):
        features |= {f"{name}|{group}": problem[name] for name in (*_CROSSED, *_SHAPE_CROSSED)}
    return {name: value for name, value in features.items() if value}
