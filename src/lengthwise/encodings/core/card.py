"""The card of a position encoding: what it computes, what is proved of it, and how it behaves; torch-free.

A card declares bounds, not labels, for each of two theories of arithmetic. In the first, *counting*, sums inside attention
are exact. In the second, *fixed precision*, every number comes from a finite set. ``at_least`` is a class of problems that
an idealized learner is proved to solve with this encoding; ``at_most`` one that contains everything a transformer with this
encoding can do; None where nothing is proved. A task in ``at_least`` is a YES, one outside ``at_most`` a NO, and everything
between is UNKNOWN. ``expressible`` is weaker than ``at_least``: some weights compute it, but nobody has proved that they are
found, as for tables that grow with the length.

The conformance suite measures what a card declares of behaviour, except ``unsigned``, ``counts_positions``,
``angles_by_base`` and ``network_on_scores``, which are decisions. No other module tests an encoding's name.

A method's module writes its card as ``CARD = Card(…)``, with constants and the names of this module only. It is read from
the source (``source``), so that cards are known without torch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from ...crasp.fragments import Fragment
from ...names import Parameter
from ...theory.precision.logics import Logic

Acts = Literal["ids", "input", "queries and keys", "scores", "weights", "values", "tokens", "nothing"]

IdsFrom = Literal["order", "roles", "digits", "sample", "fractions"]
"""Where position ids come from: the order of the tokens, the roles that the task gives them, the runs of digits, a sorted
sample of whole numbers, or sorted fractions."""

Family = Literal["absolute", "biases", "rotations", "contents", "wrappers", "relations", "learned relations", "user"]

FAMILIES: dict[Family, str] = {
    "absolute": "No positions, and positions added to the input",
    "biases": "Added to scores, by distance",
    "rotations": "Rotations of queries and keys",
    "contents": "By content",
    "wrappers": "Around other encodings",
    "relations": "By position relations",
    "learned relations": "By the relations of a circuit, or learned ones",
    "user": "In a file of your own",
}
"""The families in the order in which they are listed, with their titles."""

Refusal = Literal[
    "chosen ids",
    "counted positions",
    "whole ids",
    "visible keys",
    "wrapped",
    "itself",
    "no distances",
    "no positive bias",
]
"""What a wrapper may refuse to be put around; ``refusals`` says what each means."""


Status = Literal["published", "ours"]
"""Who vouches for a proof: a publication, or we (docs/concepts/encodings.md; not peer reviewed)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A class of problems, with where it is proved and what the proof assumes.

    - ``where`` limits it to some values of options: (option, least, most).
    - ``regular``: it is proved for regular languages alone.
    - ``period`` names the option that the period of a solution must divide.
    - ``far`` says from which lengths on it holds, where that is far beyond ordinary ones. It then predicts nothing for
      ordinary lengths, and settles no answer. With ``far_within`` this concerns only problems in one of these classes.
    """

    fragment: Fragment | Logic
    citation: str
    assumption: str = ""
    status: Status = "published"
    where: tuple[tuple[str, float, float], ...] = ()
    regular: bool = False
    period: str = ""
    far: str = ""
    far_within: tuple[Fragment | Logic, ...] = ()

    def stated_for(self, encoding: str) -> str:
        """Return what an answer assumes that rests on this bound; empty if that is nothing."""
        return f"{encoding}: {self.assumption} ({self.citation})" if self.assumption else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option(Parameter):
    """A number, a switch or a word that an encoding takes.

    ``kind`` says what a word is: a circuit of the library (theory/positions), with its parameters in parentheses, a list
    of relations (``guarded``), or a list of numbers (``factors``), in place of which the default may be a word.
    """

    kind: Literal["", "circuit", "relations", "factors"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Another name of an encoding, and why it is the same."""

    name: str
    means: str
    why: str
    citation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An encoding: what it computes, what is proved of it, and how it behaves.

    What it is:

    - ``order`` is where it stands in the lists of its family; those with equal numbers stand by name.
    - ``parameters`` counts the numbers it learns, in each layer if ``per_layer``: N positions, T tokens trained on,
      D width, H heads, d head width, and its options by name.
    - ``bases`` are the encodings it is put around unless others are named, for one that needs them; ``refuses`` says
      which ones it cannot be put around.
    - ``variants`` are options and bases of further configurations, which must differ from the default and from each other.
    - ``aliases`` are other names; ``equals`` has pairs (base, name): put around that base, it is the encoding of that name.
    - ``relation`` names the position relation (theory/positions) that it is a function of, where it is one: a pair of
      positions acts through its label alone.

    What is proved: ``at_least``, ``at_most`` and ``expressible`` if counts are exact, ``precise_at_least`` and
    ``precise_at_most`` for fixed precision. They hold where everything in ``bounds_need`` (names of options, or "bases") has
    its default; of several bounds, the first counts whose options fit. With ``bounds_of_base`` they are those of the base.

    - ``solves`` are named languages that weights in closed form accept at every length, in both theories.
    - ``few_bits``: what a query reads of far keys depends only on how often each of finitely many kinds of keys occurs. One
      half of the input then tells the other O(log n) bits. With ``few_bits_of_bases`` it holds where it holds for all bases,
      with ``few_bits_if_precise`` for numbers of fixed precision alone.

    How it behaves:

    - ``shift_invariant``: adding a number to all ids changes nothing.
    - ``prefix_consistent``: more tokens change nothing before them.
    - ``bounded_bias``: what it adds to scores stays bounded at all distances, None if it adds nothing by position alone;
      ``unbounded_option`` names the switch without which it does, where there is one.
    - ``never_positive``: what it adds to scores by position alone is never above 0.
    - ``needs_scale``: it must know how long the instance is. ``scale_options`` names the options that ask for it, where
      it depends on them. ``takes_hint``: what it must know is the scale that a task states, not a number of tokens.
    - ``max_length``: there is a largest number of positions, fixed beforehand. ``float_ids``: ids may be fractions.
    - ``ids_from``: where ids come from. ``shifts_ids``: in training they start at a random number. ``draws_ids``: they are
      drawn at random from all that there is room for.
    - ``counts_positions``: it solves equations between positions as they come, so other ids would make no sense.
    - ``unsigned``: it has no meaning of its own for negative distances.
    - ``hides_keys``: every head sees a fixed number of tokens.
    - ``uses_visible_keys``: the score of a query and a key depends on which keys farther back the query sees.
    - ``reads_stream``: it reads the stream that enters attention, which a cache of keys and values does not hold.
    - ``chooses_layers``: it gives layers different encodings.
    - ``has_table``: it is a table of positions that is added to the input. ``learns_relations``: it has a dictionary of
      relations, whose gains a penalty may act on. ``network_on_scores``: a network has a hidden layer for every score.
    - ``angles_by_base``: it turns all pairs of channels, by angles that follow from the option ``base`` and the width alone.
    """

    name: str
    title: str
    formula: str
    citation: str
    family: Family = "user"
    order: int = 1000
    acts_on: tuple[Acts, ...]
    parameters: str = "0"
    per_layer: bool = False
    options: tuple[Option, ...] = ()
    bases: tuple[str, ...] = ()
    refuses: tuple[Refusal, ...] = ()
    variants: tuple[str, ...] = ()
    aliases: tuple[Alias, ...] = ()
    equals: tuple[tuple[str, str], ...] = ()
    relation: str = ""
    at_least: Bound | tuple[Bound, ...] | None = None
    at_most: Bound | None = None
    expressible: Bound | None = None
    precise_at_least: Bound | tuple[Bound, ...] | None = None
    precise_at_most: Bound | None = None
    solves: tuple[str, ...] = ()
    few_bits: bool = False
    few_bits_of_bases: bool = False
    few_bits_if_precise: bool = False
    bounds_need: tuple[str, ...] = ()
    bounds_of_base: bool = False
    shift_invariant: bool
    prefix_consistent: bool = True
    bounded_bias: bool | None = None
    unbounded_option: str = ""
    never_positive: bool = False
    needs_scale: bool = False
    scale_options: tuple[str, ...] = ()
    takes_hint: bool = False
    max_length: bool = False
    float_ids: bool = True
    ids_from: IdsFrom = "order"
    shifts_ids: bool = False
    draws_ids: bool = False
    counts_positions: bool = False
    unsigned: bool = False
    hides_keys: bool = False
    uses_visible_keys: bool = False
    reads_stream: bool = False
    chooses_layers: bool = False
    has_table: bool = False
    learns_relations: bool = False
    network_on_scores: bool = False
    angles_by_base: bool = False
    revision: int = 1
    note: str = ""


def has_bounds(card: Card) -> bool:
    """Return whether anything is proved of what an encoding can or cannot do."""
    bounds = (card.at_least, card.at_most, card.precise_at_least, card.precise_at_most)
    return any(bound is not None for bound in bounds) or card.few_bits or card.bounds_of_base


# What several cards say

ROUNDED = "numbers are rounded to a fixed precision, except inside attention"
ROUNDED_ONCE = "every number comes from a finite set, and every sum is formed exactly and rounded once"
DEPTH = "arXiv 2506.16055"
HUANG = "arXiv 2410.02140"
CHEN = "arXiv 2510.04130"
FINITE = "arXiv 2505.23623"
TURNING = "arXiv 2608.11909"
OURS = "docs/concepts/encodings.md"
FACTOR_IS_FIXED = "the factor is fixed, in training and at test; it is meant for going on from a trained model."
EQUATIONS = "a·i + b·q + c·n + d = 0"

UNIFORM_HEADS = Bound(fragment=Fragment.PLAIN, citation=f"{OURS}: zero keys give uniform heads", status="ours")
"""What every encoding can do that leaves a head with zero keys and queries uniform."""
FADED = Bound(
    fragment=Fragment.LOCAL,
    citation=f"{DEPTH}, appendix E",
    assumption=f"{ROUNDED}, so that the penalty rounds distant weights to zero",
)
"""What a penalty that grows with the distance leaves."""
FADED_ALIKE = replace(FADED, citation=f"{OURS}, theorem D, after {DEPTH}", status="ours")
FLAT_IN_THE_END = Bound(
    fragment=Fragment.LOCAL,
    citation=f"{OURS}, theorem B",
    assumption=f"{ROUNDED}; every kernel underflows to 0 at some distance",
    status="ours",
)
FADED_TO_WINDOWS = Bound(
    fragment=Logic.Y,
    citation=f"{OURS}, theorem D",
    assumption=f"{ROUNDED_ONCE}; penalties are not clipped",
    status="ours",
    far="from the length on at which the weights of distant keys underflow to 0 (26,616 tokens and more for a slope of 1/256)",
)
FADED_IF_STEEP = replace(FADED_TO_WINDOWS, assumption=f"{FADED_TO_WINDOWS.assumption}; every slope stays above 1e-45")
"""The same for slopes that are learned: one that rounds to 0 leaves a head without positions."""
SEPARATE = Bound(
    fragment=Logic.P_MOD,
    citation=f"{OURS}, theorem A",
    assumption=f"{ROUNDED_ONCE}; positions act on queries and on keys separately",
    status="ours",
    regular=True,
)
TURNED = Bound(
    fragment=Logic.P,
    citation=f"{OURS}, theorem A",
    assumption=f"{ROUNDED_ONCE}; sines and cosines have exact phases, and queries and keys are turned and rounded separately",
    status="ours",
    regular=True,
    far="from the length on at which no head can single out one distance any more (thousands of tokens if its scores are large enough)",
    far_within=(Fragment.LOCAL, Logic.P_Y),
)
"""What rounded waves of a position leave: no wave of a stored frequency ever comes round again exactly.

Problems that need the last few symbols are solved up to the length to which a head can single out one distance.
"""
SEES_THE_PAST = Bound(
    fragment=Logic.P,
    citation=f"{FINITE}; {OURS}",
    assumption="the set of numbers is chosen for the formula",
    status="ours",
)
SEES_THE_PAST_UNTURNED = Bound(
    fragment=Logic.P,
    citation=f"{FINITE}; {OURS}",
    assumption="the set of numbers is chosen for the formula, and every head has channels that are not turned",
    status="ours",
    where=(("share", 0, 0.99),),
)
NEAR_AND_FAR = Bound(
    fragment=Fragment.LOCAL,
    citation=f"{OURS}, theorem B",
    assumption=f"{ROUNDED}; counts may have real coefficients",
    status="ours",
)
"""What a function of min(distance, K) leaves: far keys are alike, and near ones can be told apart."""
SCORES_ROUNDED = "the whole score is rounded, not only its parts"
EXACT_NEIGHBOUR = (
    "one head sees the previous token alone (exp underflows for all other distances, or their bias is −∞), and another head "
    "is without a bias"
)
MANY = 10**9
"""More than any option allows."""
NEAR_AND_FAR_ROUNDED = replace(NEAR_AND_FAR, assumption=f"{NEAR_AND_FAR.assumption}; {SCORES_ROUNDED}")
WINDOWED = Bound(fragment=Logic.Y, citation=f"{OURS}, theorem W", status="ours", where=(("window", 2, MANY),))
"""What windows around heads without positions leave: the last letters, exactly, in any arithmetic."""
STICKS = Bound(
    fragment=Logic.S,
    citation=f"{OURS}, theorem E",
    assumption="every number comes from a finite set; products and sums are both rounded once, or both after every step",
    status="ours",
)
NEAR_AND_FAR_PRECISE = Bound(fragment=Logic.P_Y, citation=f"{OURS}, theorem B", assumption=ROUNDED_ONCE, status="ours")
NEAR_AND_FAR_PRECISELY_ROUNDED = replace(NEAR_AND_FAR_PRECISE, assumption=f"{ROUNDED_ONCE}; {SCORES_ROUNDED}")

BASE = Option(name="base", default=10000.0, low=1.0001, high=1e12, meaning="the base of the frequencies")
ANY_BASE = Option(name="base", default=10000.0, low=1e-12, high=1e12, meaning="the base of the frequencies")
"""Also 1, where all pairs turn alike, and less, where later pairs turn faster, as in arXiv 2608.11909."""
HIDDEN = Option(name="hidden", default=32, low=1, high=10_000, meaning="the width of the hidden layer")
CLIP = Option(name="clip", default=16, low=1, high=100_000, meaning="the distance from which all are alike")
FACTOR = Option(name="factor", default=4.0, low=1, high=10_000, meaning="how much longer inputs shall become")
TRAINED = Option(
    name="trained", default=0, low=0, high=10**8, meaning="the length trained on, in tokens; 0: that of the experiment"
)
HINT = Option(name="hint", default=True, meaning="whether relations may speak of the scale")
CORRECTED = Option(name="corrected", default=True, meaning="whether other positions lose the logarithm of the length")

ROTATION: dict[str, Any] = {
    "family": "rotations",
    "acts_on": ("queries and keys",),
    "shift_invariant": True,
}
"""What the cards of rotations have in common, as ``Card(name=…, **ROTATION)``."""
POINTING: dict[str, Any] = {
    "family": "learned relations",
    "citation": CHEN,
    "acts_on": ("scores",),
    "per_layer": True,
    "at_least": UNIFORM_HEADS,
    "shift_invariant": False,
    "bounded_bias": False,
    "unbounded_option": "corrected",
    "needs_scale": True,
    "takes_hint": True,
    "float_ids": False,
    "counts_positions": True,
}
"""What the cards of encodings have in common that solve equations between positions."""


def _near_or_far(option: str, least: int, *, otherwise: str = "") -> dict[str, Any]:
    """Return what is proved where scores depend on min(distance, K), and a head can single out the previous token.

    That takes an option of at least this value; for smaller ones a head is known to attend uniformly only, assuming ``otherwise``.
    """

    def reached(problems: Fragment | Logic) -> Bound:
        return Bound(
            fragment=problems,
            citation=f"{OURS}, theorem B",
            assumption=EXACT_NEIGHBOUR,
            status="ours",
            where=((option, least, MANY),),
        )

    past = "; ".join(filter(None, (SEES_THE_PAST.assumption, otherwise)))
    return {
        "at_least": (reached(Fragment.LOCAL), replace(UNIFORM_HEADS, assumption=otherwise)),
        "at_most": NEAR_AND_FAR,
        "precise_at_least": (reached(Logic.P_Y), replace(SEES_THE_PAST, assumption=past)),
        "precise_at_most": NEAR_AND_FAR_PRECISE,
        "few_bits": True,
    }


NEAR_OR_FAR_BY_BUCKETS = _near_or_far("buckets", 4)
NEAR_OR_FAR_BY_CLIP = _near_or_far("clip", 2)
NEAR_OR_FAR_BY_REACH = _near_or_far("reach", 2)
NEAR_OR_FAR_BY_WINDOW = _near_or_far("window", 2, otherwise="at least one head has no window")
TURNED_APART: dict[str, Any] = {"at_least": UNIFORM_HEADS, "precise_at_most": TURNED, "few_bits": True}
"""What is proved where rounded waves turn queries and keys, or are added to the input."""
BY_PHASE = Bound(
    fragment=Fragment.PERIODIC,
    citation=f"{OURS}, theorem P",
    assumption="one head finds the start symbol by its phase (exp underflows for all other tokens), and another head is flat",
    status="ours",
    period="period",
)
REPEATING: dict[str, Any] = {
    "at_least": (BY_PHASE, UNIFORM_HEADS),
    "at_most": replace(NEAR_AND_FAR, fragment=Fragment.PERIODIC, citation=f"{OURS}, theorem P"),
    "precise_at_least": (replace(BY_PHASE, fragment=Logic.P_MOD), SEES_THE_PAST),
    "precise_at_most": SEPARATE,
    "few_bits": True,
}
"""What is proved where queries and keys are turned by angles that come round again after ``period`` positions."""
DISTANCE_BIAS: dict[str, Any] = {
    "family": "biases",
    "acts_on": ("scores",),
    "relation": "relative",
    "shift_invariant": True,
}
"""What the cards of functions of the distance have in common that act on scores."""
OTHER_IDS: dict[str, Any] = {
    "family": "wrappers",
    "acts_on": ("ids",),
    "shift_invariant": False,
    "few_bits_of_bases": True,
}
"""What the cards of wrappers have in common that give tokens other ids."""
