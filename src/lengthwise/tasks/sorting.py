"""Sorting tokens that are all different."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from .distinct import NUMBER_OF_SYMBOLS, DistinctTokensTask
from .family import Family, Group


class Sort(DistinctTokensTask):
    """Sort tokens that are all different."""

    family = "sort"
    purpose = "sort"
    facts = Facts(
        cited=(
            Citation(
                fragment=Fragment.PLAIN,
                answer=Answer.YES,
                theorem="library_program",
                reason="the next token is the smallest that occurs and is larger than the last one (lengthwise show program sort).",
            ),
        )
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the tokens in the order of their numbers."""
        return sorted(prompt, key=lambda token: int(token[1:]))

    def rearranged(self, tokens_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the tokens in order."""
        place = xp.broadcast(xp.arange(tokens_MBN.shape[-1]), tuple(tokens_MBN.shape))
        beyond_last = xp.where(place < lengths_MB[..., None], tokens_MBN, self.num_symbols)
        return xp.gather_last(tokens_MBN, xp.stable_argsort(beyond_last))


FAMILIES: tuple[Family, ...] = (
    Family(name="sort", group=Group.COUNTING, make=Sort, parameters=(NUMBER_OF_SYMBOLS,), rows=("a04",)),
)
