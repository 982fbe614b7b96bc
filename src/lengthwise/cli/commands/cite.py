"""`lengthwise cite`: BibTeX for what is named, or for everything that the runs of a store used."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from ...citations import CITATIONS, Work, works_of
from ...encodings.catalog import ALIASES, ENCODINGS
from ...encodings.core.choice import find_encoding
from ...errors import unknown_name
from ...languages.catalog import LANGUAGES, find_language
from ...papers.catalog import PAPERS
from ...report.measured import report
from ...report.sources import Sources, citations_of, sources_of
from ...tasks.core.catalog import TASKS, find_named_task
from ..text import print_json, print_note

EXAMPLES = """\
examples:
  lengthwise cite                                  lengthwise itself
  lengthwise cite rope 'randomized(fire)' cable
  lengthwise cite huang2025 D_3 unique_copy
  lengthwise cite runs.sqlite                      all that the report of a store rests on
  lengthwise cite rope alibi >> references.bib"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="encodings, papers, tasks, languages or stores (default: lengthwise)"
    )


def run(options: Namespace) -> int:
    """Print BibTeX for what is named, or for lengthwise itself."""
    works: dict[str, tuple[Work, list[str]]] = {}
    found = [_find_store(name) if _is_store(name) else _find_name(name) for name in options.names]
    for sources in found:
        for work, used in sources.works:
            known = works.setdefault(work.key, (work, []))[1]
            known += [reason for reason in used if reason not in known]
        for used_for, source in sources.without:
            print_note(f"the source of {used_for} has no BibTeX entry: {source}.")
    if not options.names:
        works = {"lengthwise": (CITATIONS["lengthwise"], [])}
    if options.json:
        print_json([_to_json(work, used) for work, used in works.values()])
    elif works:
        print("\n\n".join(_comment(used) + work.bibtex() for work, used in works.values()))
    return 0


def _to_json(work: Work, used: list[str]) -> dict[str, object]:
    return asdict(work) | {"bibtex_key": work.bibtex_key, "bibtex": work.bibtex(), "used_for": used}


def _comment(used: list[str]) -> str:
    """Return a line that BibTeX skips, with what a work was used for; an at sign would begin an entry."""
    return f"% used for {', '.join(used)}\n".replace("@", "(at)") if used else ""


def _is_store(name: str) -> bool:
    """Return whether a name is that of a database file, or looks like one."""
    if name.endswith((".sqlite", ".db")):
        return True
    try:
        with open(name, "rb") as opened:
            return opened.read(len(_DATABASE)) == _DATABASE
    except (OSError, ValueError):
        return False


_DATABASE = b"SQLite format 3\0"


def _find_store(path: str) -> Sources:
    return sources_of(report(path).results)


def _find_name(name: str) -> Sources:
    citations = _sources(name)
    works = dict.fromkeys(work for citation in citations for work in works_of(citation))
    without = () if works else ((repr(name), "; ".join(citations)),)
    return Sources(works=tuple((work, ()) for work in works), without=without)


def _sources(name: str) -> list[str]:
    """Return the sources of an encoding with its bases, a paper, a task or a language."""
    if name.partition("(")[0].strip() in (*ENCODINGS, *ALIASES):
        alias = ALIASES.get(name.strip())
        return [*([alias.citation] if alias else []), *citations_of(find_encoding(name))]
    if name in PAPERS:
        return [PAPERS[name].source]
    task = find_named_task(name)
    if task is not None:
        return [task.citation]
    try:
        return [find_language(name).source]
    except LookupError:
        known = dict.fromkeys([*ENCODINGS, *ALIASES, *PAPERS, *TASKS, *LANGUAGES])
        raise unknown_name("encoding, paper, task or language", name, known) from None
