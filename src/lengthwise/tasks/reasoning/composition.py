"""Composition: commands, string functions, nested clauses and lists, circuits, and the tower of Hanoi."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.cited import excluded_by_communication, excluded_by_hidden, no_count_modulo, unsettled
from ..core.clauses import FIXED_NAMES, NAMES, ClauseTask, clauses, constant
from ..core.family import Family, Group
from ..core.host_tasks import HostTask, Numbers
from ..core.legal_inputs import counter
from ..core.row_functions import at, batch_of, behind, is_inside, one_at, places, uniform
from ..core.task import SEP, AnswerTask, SameLengthTask

_VERBS, _TURNS, _TIMES = ("walk", "look", "run", "jump"), ("left", "right"), ("twice", "thrice")


class Scan(AnswerTask):
    """Commands turned into actions."""

    name = "scan"
    definition = (
        "phrases of a verb, perhaps a direction, perhaps twice or thrice, joined by 'and' or 'after'; read from the left, "
        "'and' adds the actions of the next phrase behind all those so far, 'after' before them. The size of a phrase is "
        "uniform over those that leave a rest that can be filled, all else is uniform"
    )
    length_means = "the number of words in the command"
    symbols = (*_VERBS, *_TURNS, *_TIMES, "and", "after", "WALK", "LOOK", "RUN", "JUMP", "LEFT", "RIGHT")
    min_length = 1
    citation = "arXiv 1711.00350; the grammar is smaller, and commands of any length are chains of phrases"
    facts = excluded_by_communication("Verbs joined by 'and' are copied in order, so the answer needs all of them")

    def answer_length(self, length: Array) -> Array:
        """Return the most actions that so many words can mean: six for every phrase of three words and its joint."""
        return 3 * (length + 1) // 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Carry out phrase by phrase."""
        actions: list[str] = []
        joint, phrase = "and", list[str]()
        for word in [*prompt, "and"]:
            if word not in ("and", "after"):
                phrase.append(word)
                continue
            once = [turn.upper() for turn in phrase if turn in _TURNS] + [phrase[0].upper()]
            done = once * {"twice": 2, "thrice": 3}.get(phrase[-1], 1)
            actions = actions + done if joint == "and" else done + actions
            joint, phrase = word, []
        return actions

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return commands made of blocks: a phrase and the joint behind it, the last of which is cut off."""
        sizes = self._draw_sizes(draw.named("sizes"), lengths_MB, (max_length + 1) // 2, xp)
        num = sizes.shape[-1]
        verb, turn, times, joint, which = (
            uniform(draw.named(name), number, lengths_MB, num)
            for name, number in (("verb", 4), ("turn", 2), ("times", 2), ("joint", 2), ("which", 2))
        )
        has_turn = (sizes == 4) | ((sizes == 3) & (which == 0))
        has_times = (sizes == 4) | ((sizes == 3) & (which == 1))
        ends = xp.running_sum(sizes, -1)
        block, offset = _blocks(ends, sizes, max_length, xp)
        size, turned = xp.gather_last(sizes, block), xp.gather_last(xp.where(has_turn, 1, 0), block)
        ids = (verb, turn + self.token("left"), times + self.token("twice"), joint + self.token("and"))
        first, second, third, last = (xp.gather_last(values, block) for values in ids)
        inner = xp.where(offset == 0, first, xp.where((offset == 1) & (turned == 1), second, third))
        text = xp.where(offset == size - 1, last, inner)
        place = places(lengths_MB, num, xp)
        before = xp.concat_last([joint[..., :1] * 0, joint[..., :-1]])  # the joint in front of each block
        order = xp.stable_argsort(xp.where(sizes == 0, num, xp.where(before == 1, -place, place)))
        unit = xp.where(has_turn, 2, 1)
        total = xp.where(sizes == 0, 0, unit * xp.where(has_times, times + 2, 1))
        unit, total, verb, turn = (xp.gather_last(values, order) for values in (unit, total, verb, turn))
        ends = xp.running_sum(total, -1)
        block, offset = _blocks(ends, total, self.answer_length(max_length), xp)
        unit, verb, turn = (xp.gather_last(values, block) for values in (unit, verb, turn))
        actions = xp.where((unit == 2) & (offset % 2 == 0), turn + self.token("LEFT"), verb + self.token("WALK"))
        return text, actions, ends[..., -1]

    def _draw_sizes(self, draw: Draw, lengths_MB: Array, num: int, xp: Arrays) -> Array:
        """Return the sizes of blocks, 2 to 4 or none, that fill one place more than the length."""
        choices = xp.asarray([[0] * 3, [0] * 3, [2] * 3, [3] * 3, [2, 4, 4], [2, 3, 3], [2, 3, 4]])
        how_many = xp.asarray([1, 1, 1, 1, 2, 2, 3])
        left, sizes = lengths_MB + 1, []
        for block in range(num):
            row = xp.where(left > 6, 6, left)
            sizes.append(choices[row, draw.at(block).integers(how_many[row], batch_of(draw, lengths_MB))])
            left = left - sizes[-1]
        return xp.stack_last(sizes)


def _blocks(ends: Array, sizes: Array, width: int, xp: Arrays) -> tuple[Array, Array]:
    """Return for each place the block that it is in, the last one for places behind all, and how far in."""
    place = xp.broadcast(xp.arange(width), (*ends.shape[:-1], width))
    block = xp.where(ends[..., None, :-1] <= place[..., None], 1, 0).sum(-1)
    return block, place - xp.gather_last(ends - sizes, block)


_FUNCTIONS = ("copy", "reverse", "swap", "shift", "echo")


class Pcfg(SameLengthTask):
    """Functions on strings, applied one after the other."""

    name = "pcfg"
    definition = (
        "functions and then letters; from the last function to the first, they are applied to the letters: copy changes "
        "nothing, reverse turns them round, swap exchanges the first and the last, shift moves the first behind the last, "
        "echo repeats the last. The number of functions is uniform from 1 to all symbols but one, all else is uniform"
    )
    length_means = "the number of functions and letters"
    symbols = (*_FUNCTIONS, *"abcdefgh")
    min_length = 2
    citation = "arXiv 1908.08351"
    facts = excluded_by_communication(
        "With the function copy alone the letters are copied, so the answer needs all of them"
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Apply function after function."""
        letters = [symbol for symbol in prompt if symbol not in _FUNCTIONS]
        for function in reversed(prompt[: len(prompt) - len(letters)]):
            if function == "reverse":
                letters.reverse()
            elif function == "swap":
                letters[0], letters[-1] = letters[-1], letters[0]
            elif function == "shift":
                letters.append(letters.pop(0))
            elif function == "echo":
                letters.append(letters[-1])
        return letters

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return functions and letters; every place of the answer is traced back to the letter that ends there."""
        num_MB = draw.named("depth").integers(lengths_MB - 1, batch_of(draw, lengths_MB)) + 1
        letters = uniform(draw.named("letters"), 8, lengths_MB, max_length) + len(_FUNCTIONS)
        functions = uniform(draw.named("functions"), len(_FUNCTIONS), lengths_MB, max_length)
        inside = is_inside(num_MB, max_length, xp)
        echoes = xp.where(inside & (functions == 4), 1, 0)
        sizes_MB = lengths_MB - num_MB + echoes.sum(-1)
        last = sizes_MB[..., None] - xp.running_sum(echoes, -1) - 1  # of the letters that a function is applied to
        applied = xp.where(inside, functions, 0)
        turns, moves = (xp.asarray(one)[applied] for one in ((1, -1, 1, 1, 1), (0, 0, 0, 1, 0)))
        moves = xp.where(applied == 1, last, moves)
        first_from_last = xp.where((applied == 2) | (applied == 3), last, -1)
        last_from_first = xp.where(applied == 2, 0, -1)
        longest = xp.where(applied == 4, last, max_length)
        place = places(lengths_MB, max_length, xp)
        for number in range(max_length - 1):
            here = (..., number, None)
            moved = place * turns[here] + moves[here]
            moved = xp.where(place == first_from_last[here], 0, moved)
            moved = xp.where(place == last_from_first[here], last[here], moved)
            place = xp.where(place > longest[here], last[here], moved)
        return behind(functions, num_MB, letters, max_length, xp), at(letters, place, xp), sizes_MB


_PEOPLE = ("Emma", "Liam", "Olivia", "Noah", "Ava", "Mia", "Leo", "Zoe")
_SAYING, _DOING = ("said", "knew", "hoped", "thought"), ("slept", "ran", "smiled", "laughed")


class NestedClauses(ClauseTask):
    """Sentences with clauses within clauses, turned into a logical form."""

    name = "nested_clauses"
    definition = (
        "'Emma said that Liam knew that Noah slept' becomes 'said ( Emma , knew ( Liam , slept ( Noah ) ) )'; names and verbs "
        "are uniform"
    )
    length_means = "the number of words: 3 for each level of nesting, and 2 for the innermost clause"
    symbols = (*_PEOPLE, *_SAYING, *_DOING, "that", "(", ",", ")")
    min_length, clause = 2, 3
    citation = "arXiv 2010.05465; the sentences nest in one way only"
    facts = excluded_by_communication("Names are copied in their order, so the answer needs all of them")

    def answer_length(self, length: Array) -> Array:
        """Return four symbols for each clause, and a bracket for each level."""
        return 5 * ((length - 2) // 3) + 4

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Write the outer clause around the form of the rest."""
        form: list[str] = []
        for start in reversed(range(0, len(prompt), 3)):
            name, verb = prompt[start : start + 2]
            form = [verb, "(", name, *([",", *form] if form else []), ")"]
        return form

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return sentences and forms, the clauses of which begin every four symbols."""
        depth_MB, num = (lengths_MB - 2) // 3, (max_length - 2) // 3 + 1
        names = uniform(draw.named("names"), len(_PEOPLE), lengths_MB, num)
        verbs = uniform(draw.named("verbs"), 4, lengths_MB, num)
        innermost = places(lengths_MB, num, xp) == depth_MB[..., None]
        verbs = verbs + xp.where(innermost, self.token("slept"), self.token("said"))
        that = constant(self.token("that"), tuple(names.shape), xp)
        text = clauses([names, verbs, that], depth_MB + 1, [], max_length, xp)
        opening, comma, closing = (constant(self.token(symbol), tuple(names.shape), xp) for symbol in "(,)")
        joint = xp.where(innermost, closing, comma)
        form = clauses(
            [verbs, opening, names, joint], depth_MB + 1, [closing[..., 0]], self.answer_length(max_length), xp
        )
        return text, form


_LISTS = ("[max", "[min", "[med", "[sum")


class ListOps(HostTask):
    """Nested lists of digits with an operation each."""

    name = "listops"
    definition = (
        "lists '[max … ]', '[min … ]', '[med … ]' (the middle one, the lower of two) and '[sum … ]' (modulo 10) of digits and "
        "lists; an entry is a digit with probability 1/2, else a list whose size is uniform; the value of the whole"
    )
    length_means = "the number of symbols"
    symbols = (*"0123456789", *_LISTS, "]")
    min_length = 3
    citation = "arXiv 1804.06028"
    facts = Facts(
        cited=(
            excluded_by_hidden(
                counter(2),
                "One list '[sum … ]' of the digits 0 and 5 has the value 0 exactly if the number of 5s is even. "
                f"{no_count_modulo(2)}",
                images={"a": ("5",), "b": ("0",)},
                answers=("0", "5"),
                prefix=("[sum", "0"),
                suffix=("]", SEP),
            ),
        )
    )

    def answer_length(self, length: Array) -> Array:
        """Return 1: one digit."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Evaluate with a stack of lists begun."""
        open_lists: list[tuple[str, list[int]]] = [("", [])]
        for symbol in prompt:
            if symbol in _LISTS:
                open_lists.append((symbol, []))
            elif symbol != "]":
                open_lists[-1][1].append(int(symbol))
            else:
                operation, values = open_lists.pop()
                middle = sorted(values)[(len(values) - 1) // 2]
                results = {"[max": max(values), "[min": min(values), "[med": middle, "[sum": sum(values) % 10}
                open_lists[-1][1].append(results[operation])
        return [str(open_lists[0][1][0])]

    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return a list of so many symbols; the room that is left in each list under way is on a stack."""
        prompt, rooms = [_LISTS[numbers.below(4)]], [length - 2]
        while rooms:
            room = rooms.pop()
            if not room:
                prompt.append("]")
            elif room < 3 or numbers.below(2):
                prompt.append(str(numbers.below(10)))
                rooms.append(room - 1)
            else:
                size = 3 + numbers.below(room - 2)
                prompt.append(_LISTS[numbers.below(4)])
                rooms += [room - size, size - 2]
        return prompt


_GATES = {"and": (0, 0, 0, 1), "or": (0, 1, 1, 1), "xor": (0, 1, 1, 0), "nand": (1, 1, 1, 0)}


class CircuitValue(ClauseTask):
    """The value of a Boolean circuit whose gates come in an order in which they can be evaluated."""

    name = "circuit_value"
    definition = (
        "gates 'name operation x y' with different names and operations uniform over and, or, xor, nand; x is the gate "
        "before, or a random bit for the first gate, and y is uniform over 0, 1 and all earlier gates; the value of the last"
    )
    length_means = "the number of symbols: 4 for each gate"
    symbols = ("0", "1", *(f"g{number}" for number in range(NAMES)), *_GATES)
    min_length, clause, max_length = 4, 4, 4 * NAMES
    citation = "R. Ladner, The circuit value problem is log space complete for P (1975)"
    facts = FIXED_NAMES

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Evaluate gate by gate."""
        values = {"0": 0, "1": 1}
        for start in range(0, len(prompt), 4):
            gate, operation, one, two = prompt[start : start + 4]
            both = (values[one], values[two])
            values[gate] = int(
                {"and": all(both), "or": any(both), "xor": both[0] != both[1], "nand": not all(both)}[operation]
            )
        return [str(values[prompt[-4]])]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return gates and the value of the last; of the operands, 0 and 1 are bits, i + 2 is gate i."""
        num_MB, width = lengths_MB // 4, max(1, max_length // 4)
        batch = batch_of(draw, lengths_MB)
        names = draw.named("names").permutation(NAMES, batch)[..., :width] + 2
        operations = uniform(draw.named("operations"), 4, lengths_MB, width)
        place = places(num_MB, width, xp)
        bit = uniform(draw.named("bit"), 2, lengths_MB, 1)
        first = xp.where(place == 0, bit, place + 1)
        second = draw.named("operands").integers(xp.arange(width) + 2, (*batch, width))
        table = xp.asarray(list(_GATES.values()))
        known = [constant(0, tuple(num_MB.shape), xp), constant(1, tuple(num_MB.shape), xp)]
        for gate in range(width):
            so_far = xp.stack_last(known)
            one, two = (one_at(so_far, operand[..., gate], xp) for operand in (first, second))
            known.append(table[operations[..., gate], 2 * one + two])
        operands = [xp.where(operand < 2, operand, at(names, operand - 2, xp)) for operand in (first, second)]
        columns = [names, operations + self.token("and"), *operands]
        answer = one_at(xp.stack_last(known), num_MB + 1, xp)
        return clauses(columns, num_MB, [], max_length, xp), answer[..., None]


_MOST_DISKS = 8  # the answer for so many has 255 moves, and doubles with every disk


class Hanoi(AnswerTask):
    """The moves that bring a tower from one peg to another."""

    name = "hanoi"
    definition = (
        f"an o for each of at most {_MOST_DISKS} disks, the peg where they are and another peg, uniform; the answer is the "
        "shortest list of moves 'ab' (from peg a to peg b) that brings all disks there, never a larger one upon a smaller"
    )
    length_means = "the number of disks and 2"
    symbols = ("o", "a", "b", "c", "ab", "ac", "ba", "bc", "ca", "cb")
    min_length = 3
    citation = "É. Lucas, Récréations mathématiques (1883)"
    facts = Facts(
        cited=(
            unsettled("The answer is exponentially longer than the input, and no theorem here covers such answers."),
        )
    )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths whose answers are not too long."""
        return super().lengths(low, min(high, _MOST_DISKS + 2))

    def answer_length(self, length: Array) -> Array:
        """Return the number of moves: 2ⁿ − 1 for n disks."""
        return (1 << (length - 2)) - 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Move all disks but the largest out of the way, the largest, and the others upon it."""

        def moves(num_disks: int, start: str, goal: str) -> list[str]:
            if not num_disks:
                return []
            (third,) = {"a", "b", "c"} - {start, goal}
            return [*moves(num_disks - 1, start, third), start + goal, *moves(num_disks - 1, third, goal)]

        return moves(len(prompt) - 2, *prompt[-2:])

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return pegs, and moves from the digits of their numbers.

        Move m goes from the peg (m & (m − 1)) mod 3 to the peg ((m | (m − 1)) + 1) mod 3: this brings the tower from peg 0
        to peg 2 if the number of disks is odd, and to peg 1 if it is even.
        """
        start = draw.named("start").integers(3, batch_of(draw, lengths_MB))
        step = draw.named("goal").integers(2, batch_of(draw, lengths_MB)) + 1
        goal = (start + step) % 3
        text = behind(lengths_MB[..., None] * 0, lengths_MB - 2, xp.stack_last([start + 1, goal + 1]), max_length, xp)
        number = places(lengths_MB, self.answer_length(max_length), xp) + 1
        around = xp.where(lengths_MB % 2 == 1, 3 - step, step)  # how far on the peg 1 of the rule is
        source, target = (number & (number - 1)) % 3, ((number | (number - 1)) + 1) % 3
        source, target = ((start[..., None] + around[..., None] * peg) % 3 for peg in (source, target))
        tokens = xp.asarray([[0, 4, 5], [6, 0, 7], [8, 9, 0]])
        return text, tokens[source, target]


FAMILIES: tuple[Family, ...] = (
    Family(name="scan", group=Group.REASONING, make=Scan),
    Family(name="pcfg", group=Group.REASONING, make=Pcfg),
    Family(name="nested_clauses", group=Group.REASONING, make=NestedClauses),
    Family(name="circuit_value", group=Group.REASONING, make=CircuitValue),
    Family(name="listops", group=Group.REASONING, make=ListOps),
    Family(name="hanoi", group=Group.REASONING, make=Hanoi),
)
