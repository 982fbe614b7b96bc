"""The checker's part for certificates of the fixed-precision logics. It shares no code with the deciders.

It replays words, compares numbers along edges, and composes maps of states. docs/concepts/fixed-precision.md proves that
what is checked here is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...budget import checkpoint
from ..replay import Automaton, Data, is_integer, is_place, read_list, read_word, require

#: What the formulas of each logic can say: P, Y, the position modulo a number, and ``since``.
_ABILITIES: Mapping[str, frozenset[str]] = {
    "LTL[P]": frozenset({"P"}),
    "LTL[P,Y]": frozenset({"P", "Y"}),
    "LTL[P,MOD]": frozenset({"P", "MOD"}),
    "LTL[P,Y,MOD]": frozenset({"P", "Y", "MOD"}),
    "LTL[Y]": frozenset({"Y"}),
    "LTL[S]": frozenset({"P", "Y", "S"}),
}

_WORDS = ("prefix", "other_prefix", "stay", "there", "back", "suffix")

#: The words that a NO needs for each logic.
_NEEDED: Mapping[str, frozenset[str]] = {
    "LTL[P]": frozenset({"prefix", "there", "back", "suffix"}),
    "LTL[P,Y]": frozenset({"prefix", "stay", "there", "back", "suffix"}),
    "LTL[P,MOD]": frozenset({"prefix", "stay", "there", "back", "suffix"}),
    "LTL[P,Y,MOD]": frozenset({"prefix", "stay", "there", "back", "suffix"}),
    "LTL[Y]": frozenset({"prefix", "other_prefix", "stay", "suffix"}),
    "LTL[S]": frozenset({"prefix", "there", "suffix"}),
}


def check_pumping(data: Data, automaton: Automaton) -> None:
    """Follow the words of a NO: they must keep two states apart in the way that the logic cannot follow."""
    logic = _read_claim(data, "NO")
    present = {name for name in _WORDS if name in data}
    require(present == _NEEDED[logic], f"{logic} needs the words {', '.join(sorted(_NEEDED[logic]))}")
    words = {name: read_word(data[name], automaton) for name in present}
    one = automaton.run(words["prefix"])

    if logic == "LTL[Y]":
        two = automaton.run(words["other_prefix"])
    else:
        two = automaton.run(words["there"], one)
    require(one != two, "the two states are one")
    ends = [automaton.run(words["suffix"], state) in automaton.accepting for state in (one, two)]
    require(ends[0] != ends[1], "the suffix does not tell the two states apart")

    if "back" in words:
        require(automaton.run(words["back"], two) == one, "the way back does not lead back")
    if "stay" in words:
        require(len(words["stay"]) > 0, "the word that stays is empty")
        require(automaton.run(words["stay"], one) == one, "the word that stays moves the first state")
        if "Y" in _ABILITIES[logic]:
            require(automaton.run(words["stay"], two) == two, "the word that stays moves the second state")
        if "MOD" in _ABILITIES[logic]:
            require(len(words["stay"]) == len(words["there"]), "two words have different lengths")
    if logic == "LTL[S]":
        _check_cycle(data, automaton, words["there"], one)


def _check_cycle(data: Data, automaton: Automaton, word: Sequence[str], start: int) -> None:
    power = data["power"]
    require(is_integer(power) and 2 <= power <= len(automaton.transitions), "the power is out of range")
    state = start
    for _ in range(power):
        state = automaton.run(word, state)
    require(state == start, "the powers of the word do not lead back")


def check_ranks(data: Data, automaton: Automaton) -> None:
    """Follow every edge: levels never fall, residues grow by 1, and ranks of pairs that stay together fall."""
    logic = _read_claim(data, "YES")
    condition = data["condition"]
    require(condition in _ABILITIES and condition != "LTL[S]", f"{condition!r} has no condition on levels")
    require(_ABILITIES[condition] <= _ABILITIES[logic], f"{condition} is not inside {logic}")
    states = range(len(automaton.transitions))
    levels = _read_integers(data, "levels", len(states))
    residues = _read_integers(data, "residues", len(states))
    moduli = _read_moduli(data, condition)
    for state in states:
        for target in automaton.transitions[state]:
            require(levels[target] >= levels[state], "an edge leads to a lower level")
            if levels[target] == levels[state]:
                step = residues[target] - residues[state] - 1
                require(step % moduli.get(levels[state], 1) == 0, "the residue does not grow by 1 on an edge")
    classes: dict[tuple[int, int], list[int]] = {}
    for state in states:
        key = (levels[state], residues[state] % moduli.get(levels[state], 1))
        classes.setdefault(key, []).append(state)
    if condition == "LTL[P]":
        kept = [
            (state, target)
            for state in states
            for target in automaton.transitions[state]
            if levels[target] == levels[state]
        ]
        require(all(state == target for state, target in kept), "an edge inside a level is no loop")
    elif condition == "LTL[P,MOD]":
        require(all(len(members) == 1 for members in classes.values()), "two states share their level and residue")
    else:
        require(condition != "LTL[Y]" or len(set(levels)) == 1, "LTL[Y] has no levels")
        _check_falling_ranks(data, automaton, classes.values(), levels)


def _check_falling_ranks(
    data: Data, automaton: Automaton, classes: Iterable[Sequence[int]], levels: Sequence[int]
) -> None:
    ranks: dict[tuple[int, int], int] = {}
    for one, two, rank in read_list(data, "ranks"):
        require(is_place(one, levels) and is_place(two, levels) and one < two, "a pair of states is malformed")
        require(is_integer(rank), "a rank is not an integer")
        require((one, two) not in ranks, "a pair of states is listed twice")
        ranks[one, two] = rank
    for members in classes:
        for place, one in enumerate(members):
            for two in members[place + 1 :]:
                require((one, two) in ranks, "a pair of states has no rank")
                for left, right in zip(automaton.transitions[one], automaton.transitions[two], strict=True):
                    if left != right and levels[left] == levels[one] and levels[right] == levels[two]:
                        after = (min(left, right), max(left, right))
                        require(after in ranks, "a pair of states has no rank")
                        require(ranks[after] < ranks[one, two], "a rank does not fall")


def check_aperiodic(data: Data, automaton: Automaton) -> None:
    """Make all maps of states that words make, and check the power of each."""
    logic = _read_claim(data, "YES")
    require(logic == "LTL[S]", f"this kind of certificate proves nothing about {logic}")
    size, exponent = data["size"], data["exponent"]
    require(is_integer(size) and is_integer(exponent), "the size or the exponent is not an integer")
    require(1 <= exponent <= len(automaton.transitions), "the exponent is out of range")
    letters = [tuple(row[column] for row in automaton.transitions) for column in range(len(automaton.alphabet))]
    met = set(letters)
    queue = list(met)
    for element in queue:
        require(len(queue) <= size, "words make more maps than stated")
        power = _power(element, exponent)
        require(all(element[state] == state for state in power), "the power of a word moves a state for ever")
        for letter in letters:
            product = _compose(element, letter)
            if product not in met:
                met.add(product)
                queue.append(product)
    require(len(queue) == size, "words make fewer maps than stated")


def _compose(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    checkpoint()
    return tuple(second[state] for state in first)


def _power(element: tuple[int, ...], exponent: int) -> tuple[int, ...]:
    result = element
    for _ in range(exponent - 1):
        result = _compose(result, element)
    return result


def _read_claim(data: Data, answer: str) -> str:
    """Return the logic of a claim, whose parts must fit each other."""
    logic = data["fragment"]
    require(logic in _ABILITIES, f"this certificate proves nothing about {logic!r}")
    require(data["answer"] == answer, f"this kind of certificate proves {answer}, not {data['answer']!r}")
    readouts = {"MEMBERSHIP": "END_MARKER", "NEXT_SYMBOLS": "LAST_SYMBOL"}
    require(data["asked"] in readouts, f"nobody asks for {data['asked']!r}")
    readout = readouts[data["asked"]]
    require(data["readout"] == readout, f"this kind of certificate is about {readout}, not {data['readout']!r}")
    both = {"P", "Y"} <= _ABILITIES[logic]
    require(both or data["asked"] == "MEMBERSHIP", f"for next symbols no theorem speaks of {logic}")
    found: str = logic
    return found


def _read_integers(data: Data, field: str, length: int) -> list[int]:
    values = read_list(data, field)
    require(len(values) == length and all(map(is_integer, values)), f"{field!r} is not one integer for each state")
    return values


def _read_moduli(data: Data, condition: str) -> dict[int, int]:
    moduli: dict[int, int] = {}
    for level, modulus in read_list(data, "moduli"):
        require(is_integer(level) and is_integer(modulus) and modulus >= 1, "a modulus is malformed")
        require(level not in moduli, "a level has two moduli")
        moduli[level] = modulus
    require("MOD" in _ABILITIES[condition] or not moduli, f"{condition} does not see the position")
    return moduli
