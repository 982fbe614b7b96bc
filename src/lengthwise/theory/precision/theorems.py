"""The theorems about fixed precision: what each says, who proved it, and what it assumes of a model."""

from __future__ import annotations

from ..theorem import Standing, Theorem

FINITE = "all numbers of the model come from a finite set"
ONE_ROUNDING = "every sum is formed exactly and rounded once"
SHIFTED = "softmax subtracts the maximum"
MASKED = "attention sees earlier positions only, or also its own and a start symbol is present"
CHOSEN = "the finite set is chosen for the formula, so what is built need not fit float32"
READ_AT_END = "the language is read at the end marker"
ALL_LENGTHS = "all lengths count, and the language is regular"

UPPER = (FINITE, ONE_ROUNDING, SHIFTED, MASKED, READ_AT_END)
"""What every upper bound for fixed precision assumes."""

BOTH = (*UPPER, CHOSEN)

_PROVED_HERE = "Our own, proved in docs/concepts/fixed-precision.md and not peer reviewed."
_FIXED = "arXiv 2505.23623"
_ROPE = "arXiv 2608.11909"

PRECISION_THEOREMS: dict[str, Theorem] = {
    "ltl_past": Theorem(
        statement=(
            "LTL[P] expresses a regular language exactly if every strongly connected component of its minimal automaton is a "
            "single state: the language is R-trivial."
        ),
        citation=f"{_FIXED}; Brzozowski and Fich 1980 for the automata.",
        status="Published.",
        standing=Standing.PUBLISHED,
    ),
    "ltl_past_yesterday": Theorem(
        statement=(
            "LTL[P,Y] expresses a regular language exactly if no non-empty word keeps two states of one component of its "
            "minimal automaton: the language is locally R-trivial."
        ),
        citation="arXiv 2605.00768 for the class of languages.",
        status=f"The class of languages is published. The criterion on automata: {_PROVED_HERE}",
        standing=Standing.OURS,
    ),
    "ltl_past_modulus": Theorem(
        statement=(
            "LTL[P,MOD] expresses a regular language exactly if every component of its minimal automaton that has a cycle is "
            "a bare cycle: no two of its states have one phase."
        ),
        citation=f"{_ROPE} for the class of languages.",
        status=f"The class of languages is published. The criterion on automata: {_PROVED_HERE}",
        standing=Standing.OURS,
    ),
    "ltl_past_yesterday_modulus": Theorem(
        statement=(
            "LTL[P,Y,MOD] expresses a regular language exactly if no non-empty word keeps two states of one component and one "
            "phase of its minimal automaton: its stable semigroup is locally R-trivial."
        ),
        citation="We know of no earlier statement.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
    ),
    "ltl_yesterday": Theorem(
        statement=(
            "LTL[Y] expresses a regular language exactly if no non-empty word keeps two states of its minimal automaton: the "
            "language is definite, decided by the last letters."
        ),
        citation="Perles, Rabin and Shamir 1963.",
        status="Published.",
        standing=Standing.PUBLISHED,
    ),
    "ltl_since": Theorem(
        statement=(
            "LTL[S] expresses a regular language exactly if no word moves the states of its minimal automaton around a cycle: "
            "the language is star-free."
        ),
        citation="Kamp 1968, Schützenberger 1965, McNaughton and Papert 1971.",
        status="Published.",
        standing=Standing.PUBLISHED,
    ),
    "saturation": Theorem(
        statement=(
            "Colour the positions of an infinite word with finitely many colours, and let the type of depth d + 1 of a "
            "position be its colour with the set of types of depth d before it. Two prefixes after which these sets no "
            "longer grow, continued by words of equal colours, agree on all formulas of that depth."
        ),
        citation="We know of no earlier statement.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
    ),
    "nope_fixed_precision": Theorem(
        statement="A transformer of fixed precision without positions recognizes exactly the languages of LTL[P].",
        citation=f"{_FIXED}, {_ROPE}.",
        status="Published; that a mask which includes the position itself is as strong with a start symbol is our own.",
        standing=Standing.OURS,
        assumptions=BOTH,
    ),
    "table_fixed_precision": Theorem(
        statement=(
            "A transformer of fixed precision with a table of embeddings indexed by the position modulo a number recognizes "
            "exactly the languages of LTL[P,MOD]."
        ),
        citation=f"{_ROPE}.",
        status="Published.",
        standing=Standing.PUBLISHED,
        assumptions=BOTH,
    ),
    "separate_positions": Theorem(
        statement=(
            "If positions enter only by finite-valued functions of the key's position and of the query's position "
            "separately, a transformer of fixed precision recognizes at most the regular languages of LTL[P,MOD]."
        ),
        citation="We know of no earlier statement.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
        assumptions=(*UPPER, ALL_LENGTHS),
    ),
    "algebraic_angles": Theorem(
        statement=(
            "If positions enter by rounded sines and cosines of multiples iθ of algebraic numbers θ, for key and query "
            "separately, a transformer of fixed precision recognizes at most the regular languages of LTL[P]; exactly these "
            "if some channels are not turned."
        ),
        citation=f"We know of no earlier statement; {_ROPE} treats rotations that return.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
        assumptions=(
            *BOTH,
            ALL_LENGTHS,
            "the phase iθ is exact before its sine is rounded; every stored float is algebraic",
            "query and key are turned and rounded separately, not by a rounded function of their distance",
        ),
    ),
    "clipped_distances": Theorem(
        statement=(
            "If scores and added values depend on query value, key value and min(i − j, K) only, a transformer recognizes at "
            "most LTL[P,Y] with fixed precision, and on regular languages at most C-RASP[local] with exact sums. Both are "
            "reached if one head can single out the previous position and another is flat."
        ),
        citation="We know of no earlier statement.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
        assumptions=(
            *BOTH,
            "to reach the bound, exp underflows to 0 or a bias is −∞; otherwise far keys outweigh any finite bias",
        ),
    ),
    "vanishing_weights": Theorem(
        statement=(
            "If a penalty grows with the distance without bound, far weights are 0 and each head is a window: with fixed "
            "precision a transformer recognizes at most the languages of LTL[Y]."
        ),
        citation="We know of no earlier statement.",
        status=f"{_PROVED_HERE} Whether all of LTL[Y] is reached is open.",
        standing=Standing.OURS,
        assumptions=(
            *UPPER,
            "slopes are realized as numbers above 0",
            "penalties are not clipped",
            "all lengths count",
        ),
    ),
    "windowed_layers": Theorem(
        statement=(
            "A transformer in which every head sees the last w ≥ 2 positions and the start symbol recognizes exactly the "
            "languages of LTL[Y]; L layers reach L(w − 1) letters back."
        ),
        citation="We know of no earlier statement.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
        assumptions=("a start symbol is present", READ_AT_END),
    ),
    "last_match": Theorem(
        statement=(
            "Stick-breaking attention with fixed precision recognizes exactly the languages of LTL[S]: it can attend to the "
            "last position that matches. CoPE and FoX recognize at least these."
        ),
        citation="We know of no earlier statement.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
        assumptions=(*BOTH, "product and sum are both rounded once, or both after every step in a fixed order"),
    ),
    "householder_parity": Theorem(
        statement="PaTH attention recognizes parity: a reflection at every a turns the key of the start symbol over.",
        citation="We know of no earlier statement for this encoding.",
        status=f"{_PROVED_HERE} Built by hand and run to 2,000 letters.",
        standing=Standing.OURS,
        assumptions=("the factor 2 of a reflection is reached exactly", "a start symbol is present"),
    ),
    "logics_inside_counting": Theorem(
        statement=(
            "LTL[P], LTL[P,Y], LTL[P,MOD] and LTL[P,Y,MOD] lie properly inside C-RASP, and C-RASP with windows, with periods "
            "and with both: P φ is #<[φ] ≥ 1."
        ),
        citation="Elementary; Dyck words of depth 3 show that the inclusions are proper.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
    ),
    "counting_inside_star_free": Theorem(
        statement=(
            "Every regular language of C-RASP or C-RASP[local] is star-free. With periods the classes are incomparable: "
            "(aa)* is not star-free, and the flip-flop is not in C-RASP[periodic]."
        ),
        citation="We know of no earlier statement.",
        status=_PROVED_HERE,
        standing=Standing.OURS,
    ),
    "fewest_bits": Theorem(
        statement=(
            "Where a model is finitely many bits, the learner that takes the fewest bits right on all inputs up to length n "
            "is right at every length from some n on, exactly for what the arithmetic can express."
        ),
        citation="Gold 1967; arXiv 2506.03085.",
        status="Published in substance. It bounds no n, and it is not the regularizer of arXiv 2410.02140.",
        standing=Standing.PUBLISHED,
        assumptions=(
            "depth and width are counted among the bits",
            "the model is defined at every length: no growing table",
        ),
    ),
    "bounded_look_back": Theorem(
        statement=(
            "A head with rotary pairs of amplitudes C_t and angles θ_t singles out a distance exactly up to length L if "
            "Σ C_t(1 − cos θ_t n) is at least the range of the number format's exp for 1 ≤ n ≤ L."
        ),
        citation=f"{_ROPE}, Corollary 4.1, for one pair.",
        status="Published for one pair; the sum over pairs is our own. Sufficient, not necessary.",
        standing=Standing.OURS,
        assumptions=("exp underflows to 0 below the stated range", "the amplitudes C_t can be reached"),
    ),
}
