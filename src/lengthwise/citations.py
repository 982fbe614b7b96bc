"""The works that lengthwise rests on: who wrote them, and how to cite them. Nothing here imports torch.

A card or a program names its sources in a sentence, as in "arXiv 2405.20671; as in x-transformers". ``works_of`` turns
that sentence into works, and ``Work.bibtex`` a work into what a bibliography needs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from .citation_data import PAPERS, PHRASES, UNNUMBERED

__all__ = ["CITATIONS", "Work", "missing", "works_of"]

_ARXIV_ID = re.compile(r"(?<![0-9.])[0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{5}(?![0-9])")
_LONG_WORD = re.compile(r"[a-z]{5,}")
_QUOTED = re.compile(r'"([^"]*)"')
_LATEX = str.maketrans({each: f"\\{each}" for each in "&%$#_"})
_JOURNALS = ("JMLR",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A paper, a program or a post: ``arxiv`` is its number there, "" if it has none, as with ``venue``, ``url`` and ``version``.

    An author is "Family, Given"; "others" at the end stands for those left out; a name without a comma is whole.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    venue: str = ""
    arxiv: str = ""
    url: str = ""
    version: str = ""

    @property
    def bibtex_key(self) -> str:
        """Return the first author's family name, the year and the first word of five letters or more of the title."""
        family = re.sub(r"[^a-z0-9]", "", _plain(self.authors[0].partition(",")[0]))
        word = _LONG_WORD.search(_plain(self.title))
        return f"{family}{self.year}{word.group() if word else ''}"

    def bibtex(self) -> str:
        """Return the entry for a bibliography, in UTF-8: of a journal, of a conference, or neither."""
        fields = {
            "title": f"{{{_escaped(self.title)}}}",  # braced once more, so that no style takes its capitals away
            "author": " and ".join(_author(each) for each in self.authors),
            "year": str(self.year),
        }
        kind = "misc"
        if self.venue:
            kind, place = ("article", "journal") if self.venue in _JOURNALS else ("inproceedings", "booktitle")
            fields[place] = _escaped(self.venue)
        if self.version:
            fields["note"] = f"Version {_escaped(self.version)}"  # standard styles print no field called version
        if self.arxiv:
            fields |= {"eprint": self.arxiv, "archivePrefix": "arXiv"}
        if self.url:
            fields["url"] = self.url
        lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@{kind}{{{self.bibtex_key},\n{''.join(lines)}}}"


def _plain(text: str) -> str:
    """Return a text in small letters without accents: of é and ß, e and ss remain."""
    return unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode("ascii")


def _escaped(text: str) -> str:
    return _QUOTED.sub(r"``\1''", text.translate(_LATEX))


def _author(name: str) -> str:
    """Return a name as BibTeX reads it; one without a comma is braced, as it would be taken apart otherwise."""
    return _escaped(name) if "," in name or name == "others" else f"{{{_escaped(name)}}}"


def _works(text: str, *, on_arxiv: bool) -> Iterator[Work]:
    """Yield the works of a text in which each takes three lines, and an empty line stands between two."""
    for record in text.strip().split("\n\n"):
        head, title, authors = record.split("\n")
        key, year, *place = head.split(" ", 2)
        yield Work(
            key=key,
            title=title,
            authors=tuple(authors.split("; ")),
            year=int(year),
            venue="".join(place) if on_arxiv else "",
            arxiv=key if on_arxiv else "",
            url=f"https://arxiv.org/abs/{key}" if on_arxiv else "".join(place),
        )


CITATIONS: dict[str, Work] = {
    work.key: work for work in (*_works(PAPERS, on_arxiv=True), *_works(UNNUMBERED, on_arxiv=False))
}
"""All works, by arXiv id, or by a short name for those without one."""


def works_of(text: str) -> list[Work]:
    """Return the known works that a citation names, each once, in the order in which they are named first."""
    places = {match.group(): match.start() for match in reversed(list(_ARXIV_ID.finditer(text)))}
    for phrase, key in PHRASES:
        found = re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", text, re.IGNORECASE)
        if found:
            places[key] = min(found.start(), places.get(key, found.start()))
    return [CITATIONS[key] for key in sorted(places, key=places.__getitem__) if key in CITATIONS]


def missing(text: str) -> list[str]:
    """Return the arXiv ids that a text mentions and ``CITATIONS`` does not have, each once, in order."""
    return [each for each in dict.fromkeys(_ARXIV_ID.findall(text)) if each not in CITATIONS]
