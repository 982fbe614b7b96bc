"""The checker of certificates about legal inputs: it walks on the stated automaton and shares no code with the search.

Whether the automaton describes the task is not checked here, as with every certificate: tests compare it with the
task's oracle.
"""

from __future__ import annotations

from typing import Any

from .replay import (
    Automaton,
    Data,
    as_classes,
    equal_walks,
    generated_classes,
    is_place,
    is_strongly_connected,
    known_non_member,
    read_automaton,
    read_list,
    read_word,
    require,
)

Answers = list[Any]


def check_promise(data: Data) -> None:
    """Check that no program answers all legal inputs: by walks that look alike, or by a reduction."""
    automaton = read_automaton(data["automaton"])
    answers = read_list(data["automaton"], "answers")
    require(len(answers) == len(automaton.transitions), "the answers are not one for every state")
    require(all(each is None or type(each) is str for each in answers), "an answer is neither a symbol nor missing")
    require(data["answer"] == "NO", f"this kind of certificate proves NO, not {data['answer']!r}")
    require(data["asked"] == "NEXT_SYMBOLS", f"this kind of certificate is not about {data['asked']!r}")
    require(data["readout"] in ("END_MARKER", "LAST_SYMBOL"), f"nothing is read at {data['readout']!r}")
    # Both readouts hold: the last symbol of the two texts is the same, because the suffix is not empty.
    require(len(read_word(data["suffix"], automaton)) > 0, "the two texts need a last symbol in common")
    if data["kind"] == "promise":
        _check_walks(data, automaton, answers)
    else:
        _check_reduction(data, automaton, answers)


def _check_walks(data: Data, automaton: Automaton, answers: Answers) -> None:
    """Follow the walks: equal counts must lead to states that are equal to every program but have different answers."""
    require(data["fragment"] == "PLAIN", f"this certificate proves nothing about {data['fragment']!r}")
    members, blocks = read_list(data, "members"), read_list(data, "blocks")
    require(all(is_place(member, automaton.transitions) for member in members), "a member is not a state")
    inside = set(members)
    require(len(inside) == len(members) > 1, "the component needs at least two different states")
    block_of = {state: number for number, block in enumerate(blocks) for state in block}
    require(set(block_of) == inside and sum(map(len, blocks)) == len(members), "the blocks do not divide the component")
    require(is_strongly_connected(automaton, inside), "the component is not strongly connected")
    pairs = read_list(data, "pairs")
    require(len(pairs) > 0, "there is no pair of walks")
    ends = [equal_walks(pair, automaton, block_of) for pair in pairs]
    require(generated_classes(automaton, inside, ends) == as_classes(block_of), "the pairs do not generate the blocks")
    enter, suffix = read_word(data["enter"], automaton), read_word(data["suffix"], automaton)
    require(automaton.run(enter) == pairs[0]["start"], "the first word does not lead to the start of the first pair")
    one, two = (answers[automaton.run(suffix, state)] for state in ends[0])
    require(one is not None and two is not None, "one of the two texts is not legal")
    require(one != two, "the two texts have the same answer")


def _check_reduction(data: Data, automaton: Automaton, answers: Answers) -> None:
    """Build the problem that the reduction speaks of and compare it with the known one, completely."""
    require(data["fragment"] in ("PLAIN", "LOCAL", "PERIODIC", "PERIODIC_LOCAL"), "there is no such fragment")
    target = known_non_member(data["target"])
    require(set(data["images"]) == set(target.alphabet), "the reduction does not say what every symbol is read as")
    images = [read_word(data["images"][symbol], automaton) for symbol in target.alphabet]
    require(len(set(map(len, images))) == 1 and bool(images[0]), "the symbols are not read as words of one length")
    suffix = read_word(data["suffix"], automaton)
    start = automaton.run(read_word(data["prefix"], automaton))
    met = {(0, start)}
    queue = [(0, start)]
    for goal, state in queue:
        said = answers[automaton.run(suffix, state)]
        require(said is not None, "the reduction uses a text that is not legal")
        require((said == data["says"]) == (goal in target.accepting), f"the reduction does not give {data['target']}")
        for after, image in zip(target.transitions[goal], images, strict=True):
            pair = (after, automaton.run(image, state))
            if pair not in met:
                met.add(pair)
                queue.append(pair)
