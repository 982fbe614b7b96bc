"""What padding behind a word makes possible: a verdict speaks of inputs in one format, and another format may differ.

Parity is not in any of the classes here. Written with enough pads behind the word it is in the smallest one: each pad
moves a comparison on by one, so that some pad finds the number of 1s divided by the modulus, if it is a whole number.
With a bounded number of pads nothing changes, because they are the same suffix for every word.
"""

from __future__ import annotations

from random import Random

from .entry import OURS, Acceptor, Family, Rule, integer_argument
from .samplers import uniform
from .templates import lines


def padded_modulo(text: str) -> Acceptor:
    """Return the program that finds a pad at which the number of 1s is a multiple of the number of pads so far."""
    modulus = integer_argument("padded_modulo", text, low=2, high=100)

    def contains(word: str) -> bool:
        bits = word.rstrip("p")
        num_pads = len(word) - len(bits)
        return "p" not in bits and num_pads * modulus >= len(bits) and bits.count("1") % modulus == 0

    def member(random: Random, length: int) -> str:
        bits = uniform(random, "01", length * modulus // (modulus + 1))
        for _ in range(bits.count("1") % modulus):
            bits = bits.replace("1", "0", 1)
        return bits + "p" * (-(-len(bits) // modulus) + random.randrange(2))

    return Acceptor(
        name="padded_modulo",
        argument=str(modulus),
        definition=f"bits with a number of 1s divisible by {modulus}, and pads p behind them, at least 1 for {modulus} bits",
        source=OURS,
        code=lines(
            "alphabet '0' '1' 'p'",
            "read at end",
            "bit := '0' or '1'",
            f"padded := #[bit and #['p'] > 0] = 0 and {modulus}*#['p'] >= #[bit]",
            f"divided := 'p' and #['1'] = {modulus}*#['p']",
            "accept := padded and (#['1'] = 0 or #[divided] > 0)",
        ),
        language=Rule(contains=contains, member=member),
    )


FAMILIES = (Family(name="padded_modulo", default="2", build=padded_modulo),)
