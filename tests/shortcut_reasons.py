"""Tasks on which a simple rule is more than five points above chance at three times the training length, each with the reason.

``INHERENT``: the rule is the task, or a good approximation of it for all inputs. ``PAPER``: the instances are those of the paper
that defines the task, and are kept. ``OPEN``: a better choice of instances may exist; none is built.
"""

INHERENT = {
    "bin_majority": "the more frequent symbol is the answer",
    "majority": "the most frequent symbol is the answer",
    "mode": "the most frequent symbol is the answer",
    "icl_majority": "the more frequent label is the answer",
    "missing_duplicate": "the parity of counts is the answer",
    "dyck_1": "comparing both counts says what can follow",
    "shuffle_dyck_2": "comparing the counts of each type says what can follow",
    "max": "the answer is a function of counts, which a linear rule approximates",
    "min": "the answer is a function of counts, which a linear rule approximates",
    "kth_largest": "the answer is a function of counts, which a linear rule approximates",
    "unique_sorted": "the set of symbols is the answer",
    "count_symbol": "few counts are possible at each length, and long runs show that they are large",
    "repeat_01": "beginning, end and pairs of neighbours decide together; no negative hides all of them",
    "sum_mod": "a sum modulo 10 modulo 2 is the parity of the odd digits: 2 in 10 instead of 1 in 10",
    "count_mod": "with few symbols a set of pairs says that counts are small",
    "even_pairs": "the first and the last symbol are the answer",
    "first": "the first symbol is the answer",
    "parity": "the parity of the count is the answer",
    "icl_regression": "two shots decide, and every later one repeats them",
    "icl_markov": "the most frequent follower is often the most frequent symbol",
    "icl_map": "the answer is one of few values that are shown, often the most frequent",
    "icl_overwrite": "the last shot is often the one that is asked for",
    "variable_chain": "the answer is one of few digits that are shown",
    "needle": "the answer is one of few values that are shown",
    "index_lookup": "the answer is one of few symbols that are shown",
    "mkar": "the answer is one of few symbols that are shown",
    "induction": "the answer is one of few symbols that are shown",
    "mqar_forgetting": "a value that was shown last is sometimes the one that is asked for",
    "grid_1d": "walls make the last steps decide: three steps to a wall say where one is",
    "grid_2d": "walls make the last steps decide: three steps to a wall say where one is",
    "flip_flop": "reads show the bit that is stored, so a pair of an instruction and a bit says much",
    "mul_nx1": "a factor of 0 or 1, which the last symbols show, makes the product 0 or the other factor",
    "most_freq": "the set of symbols is half of the answer at the border",
    "anbn": "at the border of the language all words end soon, so that the last symbol nearly decides",
    "anbncn": "at the border of the language all words end soon, so that counts nearly decide",
    "anbncndn": "at the border of the language all words end soon, so that counts nearly decide",
    "dyck_bounded": "power words are few, and their last symbols decide",
    "block_alternation": "in words whose last block is short, the last three symbols decide at every prefix",
    "random_regular": "power words are few, and their last symbols decide",
    "poly_eval": "at the points 0 and 1 one coefficient, or the sum of all, is the answer",
    "listops": "the outermost operation often gives 9 or 0, its absorbing values",
}
"""The rule is the task, or a property of the question that no choice of instances removes."""
PAPER = {
    "bin_majority_interleave": "instances of arXiv 2410.02140; the streams' first or last symbols hint at their majorities",
    "compare": "the first digits decide most comparisons of random numbers",
}
OPEN = {
    "cycle_navigation": "the difference of counts, which is the answer modulo 5, is near 0 for uniform steps",
    "sudoku_row": "a row with a number twice is seen from which numbers occur more than once",
}
REASONS = {**INHERENT, **PAPER, **OPEN}
