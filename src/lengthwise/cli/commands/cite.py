"""`lengthwise cite`: BibTeX for what is named."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from ...citations import CITATIONS, Work, works_of
from ...encodings.catalog import ALIASES, ENCODINGS
from ...encodings.core.choice import Choice, find_encoding
from ...errors import unknown_name
from ...languages.catalog import LANGUAGES, find_language
from ...papers.catalog import PAPERS
from ...tasks.core.catalog import TASKS, find_named_task
from ..text import print_json, print_note

EXAMPLES = """\
examples:
  lengthwise cite                                  lengthwise itself
  lengthwise cite rope 'randomized(fire)' cable
  lengthwise cite huang2025 D_3 unique_copy
  lengthwise cite rope alibi >> references.bib"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="encodings, papers, tasks or languages (default: lengthwise)"
    )


def run(options: Namespace) -> int:
    """Print BibTeX for what is named, or for lengthwise itself."""
    works: dict[str, Work] = {}
    for name, sources in [(name, _sources(name)) for name in options.names]:
        named = [work for source in sources for work in works_of(source)]
        works |= {work.key: work for work in named}
        if not named:
            print_note(f"the source of {name!r} has no BibTeX entry: {'; '.join(sources)}.")
    if not options.names:
        works = {"lengthwise": CITATIONS["lengthwise"]}
    if options.json:
        print_json([asdict(work) | {"bibtex_key": work.bibtex_key, "bibtex": work.bibtex()} for work in works.values()])
    elif works:
        print("\n\n".join(work.bibtex() for work in works.values()))
    return 0


def _sources(name: str) -> list[str]:
    """Return the sources of an encoding with its bases, a paper, a task or a language."""
    if name.partition("(")[0].strip() in (*ENCODINGS, *ALIASES):
        alias = ALIASES.get(name.strip())
        return [*([alias.citation] if alias else []), *_citations(find_encoding(name))]
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


def _citations(choice: Choice) -> list[str]:
    return [choice.card.citation, *(source for base in choice.bases for source in _citations(base))]
