"""The theorems that verdicts rest on: what each says, who proved it, and what is conjecture."""

from __future__ import annotations

from .precision.theorems import PRECISION_THEOREMS
from .theorem import Standing, Theorem

HUANG = "Huang et al., A Formal Framework for Understanding Length Generalization in Transformers, ICLR 2025, arXiv 2410.02140"


THEOREMS: dict[str, Theorem] = {
    "balanced_refinement": Theorem(
        statement=(
            "A regular language is in C-RASP, read at the end marker, exactly if balanced refinement separates all states "
            "in every strongly connected component of its minimal automaton. If it does, the potentials are a program for "
            "all lengths; if not, some pair of states looks the same to every program after a long enough prefix."
        ),
        citation=("Decidability: arXiv 2608.13433. What a program implies for NoPE transformers: " + HUANG + "."),
        status=(
            "The polynomial-time form with both certificates is our own, proved in docs/concepts/deciding.md and not peer "
            "reviewed. That a program implies length generalization is published, for an idealized learner; that its absence "
            "implies failure is an empirical finding, not a theorem."
        ),
        standing=Standing.OURS,
    ),
    "last_symbol_quotients": Theorem(
        statement=(
            "Read at the last symbol, a language is in a class exactly if for every letter a the language of the words w with "
            "wa in it is in the class when read at the end marker. The certificate of each part names its own theorem by kind."
        ),
        citation="What a program implies for transformers: " + HUANG + ".",
        status="Elementary; proved in docs/concepts/deciding.md. The parts rest on the theorems of their kinds.",
        standing=Standing.OURS,
    ),
    "next_symbol_refinement": Theorem(
        statement=(
            "With the last symbol seen, plain C-RASP can tell the legal next symbols at every prefix that can still become a "
            "word exactly if, in every strongly connected component, states that balanced refinement leaves together lead "
            "by each symbol to one state, or at most one of them can go on."
        ),
        citation="What a program implies for NoPE transformers: " + HUANG + ".",
        status=(
            "Our own, proved in docs/concepts/deciding.md and not peer reviewed. That a program implies length "
            "generalization is published, for an idealized learner; the converse is an empirical finding."
        ),
        standing=Standing.OURS,
    ),
    "unrolled_refinement": Theorem(
        statement=(
            "If balanced refinement separates the states of the automaton unrolled by the last k letters and the position "
            "modulo m, wherever these agree, then the language is in C-RASP with windows up to k and period m: the "
            "potentials are the program. For next symbols it is enough that, with the symbol read, they name the next state."
        ),
        citation="What a program implies for transformers with absolute positions: " + HUANG + ".",
        status=(
            "The construction is our own, proved in docs/concepts/deciding.md and not peer reviewed; each certificate proves "
            "its own case. That a program implies length generalization is published, for an idealized learner."
        ),
        standing=Standing.OURS,
    ),
    "known_non_member": Theorem(
        statement=(
            "Flip-flops ({0,1,2}*02*) and counters modulo a prime, parity first, are not in C-RASP[periodic, local]. The class "
            "is closed under quotients and under substituting words of one length for letters, so a language from which one "
            "of these can be obtained that way is not in it either. Nor are its next symbols: from them a program with "
            "windows can tell membership."
        ),
        citation=HUANG + " (Lemma 11, for parity and the flip-flop).",
        status=(
            "Non-membership of parity and the flip-flop is published; for counters modulo other primes it follows from our "
            "theorem on the Karoubi graph. The closure properties are elementary (docs/concepts/deciding.md). That no program "
            "means no length generalization is an empirical finding, not a theorem."
        ),
        standing=Standing.OURS,
    ),
    "karoubi": Theorem(
        statement=(
            "A regular language is in C-RASP[periodic, local] exactly if balanced refinement tells apart all vertices of its "
            "Karoubi graph that look alike, in every component; without residues the same holds for C-RASP[local]. If it "
            "does, a window as long as the transition semigroup is large suffices; if not, no window, period or depth does."
        ),
        citation="We know of no earlier procedure. What a program implies for transformers: " + HUANG + ".",
        status=(
            "Our own, derived twice independently, proved in docs/concepts/deciding.md and not peer reviewed. That no "
            "program means no length generalization is an empirical finding, not a theorem."
        ),
        standing=Standing.OURS,
    ),
    "periodic_refinement": Theorem(
        statement=(
            "A regular language is in C-RASP[periodic], read at the end marker, exactly if refinement with all roots of unity "
            "separates all states in every strongly connected component of its minimal automaton. Finitely many orders of "
            "roots are enough, and the least common multiple of those that split something is a period."
        ),
        citation="We know of no earlier procedure. What a program implies for transformers: " + HUANG + ".",
        status=(
            "Our own, proved in docs/concepts/fixed-precision.md and not peer reviewed. That no program means no length "
            "generalization is an empirical finding, not a theorem."
        ),
        standing=Standing.OURS,
    ),
    "communication": Theorem(
        statement=(
            "What a limit transformer with periodic and local positional information knows of the first half of an input of "
            "length n fits into O(log n) bits. Copying arbitrary strings and adding binary numbers need linearly many, so they "
            "are not in C-RASP[periodic, local]."
        ),
        citation=HUANG + " (Theorem 12 and Corollary 13).",
        status="Published. That no program means no length generalization is an empirical finding, not a theorem.",
        standing=Standing.PUBLISHED,
    ),
    "program": Theorem(
        statement=(
            "A program of the class computes the problem: the problem is what the program says, so nothing is left to "
            "decide."
        ),
        citation="What a program implies for transformers: " + HUANG + ".",
        status=(
            "That a program implies length generalization is published, for an idealized learner. That the program is the "
            "problem somebody has in mind is up to its reader; for a library program, it has been compared with an oracle "
            "on all small inputs."
        ),
        standing=Standing.PUBLISHED,
    ),
    "library_program": Theorem(
        statement="A program of the class for this task is in the library; for larger alphabets it is written in the same way.",
        citation=HUANG + ".",
        status=(
            "The library's programs are compared with the task's oracle on all small inputs (lengthwise list programs). That "
            "a program implies length generalization is published, for an idealized learner."
        ),
        standing=Standing.PUBLISHED,
    ),
    "promise_refinement": Theorem(
        statement=(
            "Take an automaton of legal inputs, a strongly connected part of it, and two of its states that balanced "
            "refinement of this part never separates. If one continuation makes two legal inputs with different answers, "
            "then no plain C-RASP program answers all legal inputs."
        ),
        citation="Our own. What the absence of a program means for NoPE transformers: " + HUANG + ".",
        status=(
            "Proved in docs/concepts/deciding.md, not peer reviewed; each certificate is checked by walking. That the "
            "automaton describes the task is tested with the task's oracle. That no program means no length generalization "
            "is an empirical finding, not a theorem."
        ),
        standing=Standing.OURS,
    ),
    "ultimately_periodic": Theorem(
        statement=(
            "On inputs of the form xⁿ and a fixed rest, every formula of C-RASP[periodic, local] is ultimately periodic in "
            "n: from some n on, its truth depends only on n modulo some number. The first decimal digit of n is not "
            "ultimately periodic, so no program writes it."
        ),
        citation="Our own. What the absence of a program means for transformers: " + HUANG + ".",
        status=(
            "Proved in docs/concepts/deciding.md, not peer reviewed. It speaks of numbers in decimal, not of numbers in "
            "unary. That no program means no length generalization is an empirical finding, not a theorem."
        ),
        standing=Standing.OURS,
    ),
    "finite_inputs": Theorem(
        statement=(
            "Where tokens are all different, or numbers are tokens, a fixed alphabet allows finitely many inputs. So does one "
            "size for all inputs. A plain C-RASP program can list them with their answers."
        ),
        citation="Elementary. Alphabets that grow with the input are the subject of C*-RASP, arXiv 2603.19954.",
        status="Elementary. The answer is for the named alphabet or size only and says nothing about longer inputs.",
        standing=Standing.OURS,
    ),
    "published_prediction": Theorem(
        statement="The source predicts an answer for this task and class, but does not prove it.",
        citation=HUANG + ".",
        status="A prediction borne out by the paper's experiments; we know of no proof and offer none, so the answer is UNKNOWN.",
        standing=Standing.CONJECTURE,
    ),
    **PRECISION_THEOREMS,
    "depth_at_most": Theorem(
        statement=(
            "If sums of counts over blocks that depth d tells apart have bounds after all words to each state, and the "
            "lower bound at one state exceeds the upper bound at another, then depth d + 1 tells the two states apart. The "
            "depth of a question is the largest depth of a pair of states that it must tell apart."
        ),
        citation="Depth is the number of layers: arXiv 2506.16055.",
        status=(
            "That C-RASP of depth k is future-masked transformers of k layers, rounded to a fixed precision outside the "
            "sums of attention, is published. The bound is our own, proved in docs/concepts/depth.md and not peer reviewed; "
            "its certificate is a program."
        ),
        standing=Standing.OURS,
    ),
    "depth_at_least": Theorem(
        statement=(
            "Two nodes of the D-th region that share a label look the same to every formula of depth D, after a long enough "
            "prefix: sums of counts that closed walks on the way change are far from their thresholds, and all others agree."
        ),
        citation="The depth of alternating blocks, and that depth is the number of layers: arXiv 2506.16055.",
        status=(
            "The bound is our own, proved in docs/concepts/depth.md and not peer reviewed. It says what a number of layers "
            "can express; we know of no theorem about learning with a fixed number of layers."
        ),
        standing=Standing.OURS,
    ),
    "training_length": Theorem(
        statement=(
            "All words up to length 2n − 2 tell an automaton with n states from all others with at most n. For programs of "
            "one layer and precision T a length of order T² suffices. From two layers on, no bound can be computed in general."
        ),
        citation="arXiv 2506.03085 for automata and one layer; arXiv 2603.02238 for more layers.",
        status="Published, each for the learner that returns the simplest automaton or program that fits.",
        standing=Standing.PUBLISHED,
    ),
    "open": Theorem(
        statement="No theorem that this version knows settles the question.",
        citation="None.",
        status="Open, or not yet part of this version; the reason names what is missing.",
        standing=Standing.OPEN,
    ),
}
