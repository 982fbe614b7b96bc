"""Which prompts are legal for the tasks whose verdicts rest on particular inputs, said apart from the package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, product

Prompt = Sequence[str]


def _matches(expression: str) -> Callable[[Prompt], bool]:
    return lambda prompt: re.fullmatch(expression, " ".join(prompt)) is not None


def _reads_show_the_last_write(prompt: Prompt) -> bool:
    if len(prompt) % 2 == 0 or prompt[0] != "w" or prompt[-1] != "r":
        return False
    stored = ""
    for instruction, bit in zip(prompt[:-1:2], prompt[1::2], strict=True):
        if instruction not in ("w", "r", "i") or bit not in ("0", "1") or (instruction == "r" and bit != stored):
            return False
        stored = bit if instruction == "w" else stored
    return True


def _has_no_ties(prompt: Prompt) -> bool:
    streams = [list(prompt[start::3]) for start in range(3)]
    return len(prompt) % 3 == 0 and all(stream.count("0") != stream.count("1") for stream in streams)


def _has_one_best_follower(prompt: Prompt) -> bool:
    found = Counter(two for one, two in pairwise(prompt) if one == prompt[-1])
    ranked = [*(number for _, number in found.most_common(2)), 0]
    return bool(found) and ranked[0] > ranked[1]


def _asks_for_a_key_that_was_shown(prompt: Prompt) -> bool:
    keys, values = prompt[:-1:2], prompt[1::2]
    in_form = len(prompt) % 2 == 1 and all(key[0] == "k" for key in keys) and all(value[0] == "v" for value in values)
    return in_form and prompt[-1] in keys


def _asks_for_written_keys(prompt: Prompt) -> bool:
    number = len(prompt) // 3
    written, asked = prompt[: 2 * number], prompt[2 * number :]
    return len(asked) == number and all(_asks_for_a_key_that_was_shown([*written, key]) for key in asked)


def _repeats_its_end(prompt: Prompt) -> bool:
    text = "".join(prompt)
    return set(text) <= set("abcdefghijklmnop") and text[-2:] in text[:-2]


def _has_the_label_of_its_shots(prompt: Prompt) -> bool:
    """Whether all automata with states 0 and 1 that agree with the shots agree about the query."""

    def label(rules: dict[str, tuple[int, int]], word: Sequence[str]) -> str:
        state = 0
        for letter in word:
            state = rules[letter][state]
        return "-+"[state]

    shots = [prompt[start : start + 4] for start in range(0, len(prompt) - 3, 4)]
    every = [{"a": one, "b": two} for one, two in product(product((0, 1), repeat=2), repeat=2)]
    fitting = [rules for rules in every if all(label(rules, shot[:3]) == shot[3] for shot in shots)]
    return len(prompt) % 4 == 3 and len({label(rules, prompt[-3:]) for rules in fitting}) == 1


def _multiplies_keys_with_meanings(prompt: Prompt) -> bool:
    keys = {"k0", "k1", "k2", "k3"}
    return set(prompt[0:8:2]) == keys and not keys & set(prompt[1:8:2]) and set(prompt[8:]) <= keys and len(prompt) > 8


LEGAL: dict[str, Callable[[Prompt], bool]] = {
    "parity": _matches("([01]( |$))*"),
    "count_mod": _matches("([xab]( |$))*"),
    "sum_mod": _matches("([0-9]( |$))+"),
    "mod_arith": _matches("[0-4]( [-+*] [0-4])*"),
    "poly_eval": _matches("[0-9] :( [0-9])+"),
    "even_pairs": _matches("([ab]( |$))+"),
    "sort_multidigit": _matches("([0-9] [0-9] ,( |$))+"),
    "bin_majority_interleave": _has_no_ties,
    "flip_flop": _reads_show_the_last_write,
    "mqar_forgetting": _asks_for_written_keys,
    "mkar": _repeats_its_end,
    "icl_markov": _has_one_best_follower,
    "icl_dfa": _has_the_label_of_its_shots,
    "icl_overwrite": _asks_for_a_key_that_was_shown,
    "listops": _matches(r"\[sum( [0-9])+ \]"),
    "word_problem": _matches("(g[0-9]+( |$))+"),
    "word_problem_states": _matches("(g[0-9]+( |$))+"),
    "mqar_word_problem": _multiplies_keys_with_meanings,
    "swap_tracking": _matches("(swap[0-4][0-4]( |$))+"),
    "cycle_navigation": _matches("((stay|on|back)( |$))+"),
    "grid_1d": _matches("((left|right)( |$))+"),
    "grid_2d": _matches("((left|right|down|up)( |$))+"),
    "variable_chain": _matches("([a-e] [0-9a-e] )+[a-e]"),
}
