"""Measured figures in README and docs have a source, and those from committed benchmark files are what the files say.

A comment after a paragraph, list or table names where its figures come from:

- ``<!-- source: benchmarks/results/NAME.txt -->``: every number of the block is in the file (or in one of several, with commas
  between them); the numbers of a table row stand in one line of it;
- ``<!-- source: definition -->``: no measurement, such as a threshold.

Numbers in code, in links and of arXiv are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from write_docs import ROOT

FOLDERS = ("guides", "concepts", "results")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md")))]
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
SOURCE = re.compile(r"<!-- source: (.*?) -->", flags=re.DOTALL)
PERCENT = re.compile(r"\d ?%")


def numbers_in(text: str) -> list[str]:
    plain = re.sub(r"`[^`]*`|\]\([^)]*\)|arXiv:?\s[\d.]+|<!--.*?-->", " ", text, flags=re.DOTALL)
    return [found.replace(",", "").removesuffix(".0") for found in NUMBER.findall(plain)]


def blocks_of(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield paragraphs, lists and tables without code, each with the source named after it."""
    blocks = re.split(r"\n\s*\n", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))
    for block, following in zip(blocks, [*blocks[1:], ""], strict=True):
        source = SOURCE.search(block) or SOURCE.fullmatch(following.strip())
        if not SOURCE.fullmatch(block.strip()):
            yield block, source and source.group(1)


def check_block(block: str, source: str) -> list[str]:
    """Return the figures of a block that its source does not have."""
    if source == "definition":
        return []
    texts = [(ROOT / name.strip()).read_text(encoding="utf-8") for name in source.split(",")]
    lines = [set(numbers_in(line)) for text in texts for line in text.splitlines()]
    rows = [line for line in block.splitlines() if line.startswith("|")][2:]
    missing = [row for row in rows if not any(set(numbers_in(row)) <= line for line in lines)]
    prose = "\n".join(line for line in block.splitlines() if not line.startswith("|"))
    known = set().union(*lines)
    return missing + [number for number in numbers_in(prose) if number not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_figures_have_a_source_and_are_those_of_the_file(page: Path) -> None:
    for block, source in blocks_of(page.read_text(encoding="utf-8")):
        if source is None:
            assert not PERCENT.search(re.sub(r"`[^`]*`", "", block)), f"name a source after:\n{block}"
        else:
            assert check_block(block, source) == [], block


FILE = "benchmarks/results/huang2025_h200_2026-11-16.txt"


@pytest.mark.parametrize(
    ("block", "missing"),
    [
        ("The 60 models take 566 s.", []),
        ("The 60 models take 567 s.", ["567"]),
        ("| a | b |\n|---|---|\n| unique_copy | 99.9±0.1, 98.2±2.2 |", []),
        ("| a | b |\n|---|---|\n| unique_copy | 99.9±0.1, 98.4±0.6 |", ["| unique_copy | 99.9±0.1, 98.4±0.6 |"]),
        ("`567` of arXiv 9999.99999", []),
    ],
)
def test_a_figure_that_is_not_in_its_file_is_found(block: str, missing: list[str]) -> None:
    assert check_block(block, FILE) == missing


def test_a_percentage_without_a_source_is_found() -> None:
    ((_, source),) = blocks_of("Models are at 98 %.")
    assert source is None
    assert [source for _, source in blocks_of("98 %.\n\n<!-- source: definition -->\n\n7")] == ["definition", None]


def test_every_result_that_a_page_names_exists() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for name in re.findall(r"benchmarks/results/[\w-]+\.txt", page.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{page}: {name}"
