"""Citations: every source that the package names can be cited, and nothing is made up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lengthwise.citation_data import PAPERS, PHRASES, UNNUMBERED
from lengthwise.citations import CITATIONS, Work, missing, works_of
from lengthwise.encodings.catalog import ALIASES, ENCODINGS, Alias, Card

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "lengthwise").rglob("*.py"))


def keys(text: str) -> list[str]:
    return [work.key for work in works_of(text)]


# The table


def test_every_arxiv_id_that_the_source_mentions_is_in_the_table() -> None:
    assert [(path.name, found) for path in SOURCES if (found := missing(path.read_text(encoding="utf-8")))] == []


def test_the_scan_of_the_source_does_find_ids() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "citation_data.py")
    assert len(works_of(text)) > 50


@pytest.mark.parametrize("card", [*ENCODINGS.values(), *ALIASES.values()], ids=lambda card: card.name)
def test_every_card_of_an_encoding_names_a_work(card: Card | Alias) -> None:
    assert works_of(card.citation)


def test_no_work_is_listed_twice() -> None:
    assert len(CITATIONS) == sum(len(text.strip().split("\n\n")) for text in (PAPERS, UNNUMBERED))


def test_every_phrase_means_a_work_of_the_table() -> None:
    assert {key for _, key in PHRASES} <= set(CITATIONS)


def test_a_work_is_found_under_its_own_key_and_is_named_completely() -> None:
    for work in CITATIONS.values():
        assert CITATIONS[work.key] is work
        assert work.key == work.arxiv or not work.arxiv
        assert work.title
        assert work.title == work.title.strip()
        assert work.authors
        assert all(work.authors)


def test_the_year_of_a_work_is_that_of_its_arxiv_id_or_the_next() -> None:
    for work in CITATIONS.values():
        if work.arxiv:
            assert 0 <= work.year - (2000 + int(work.arxiv[:2])) <= 1
            assert work.url == f"https://arxiv.org/abs/{work.arxiv}"


def test_authors_are_family_and_given_name_and_more_than_eight_are_cut_after_three() -> None:
    for work in CITATIONS.values():
        named = [author for author in work.authors if author != "others"]
        assert len(set(named)) == len(named)
        if "others" in work.authors:
            assert work.authors.index("others") == 3 == len(named)
        assert len(named) <= 8
        if work.arxiv:
            assert all(re.fullmatch(r"[^,;]+, [^,;]+", author) for author in named)


def test_lengthwise_is_cited_as_its_citation_file_says() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    work = CITATIONS["lengthwise"]
    assert f'title: "{work.title}"' in text
    assert all(f"name: {author}\n" in text for author in work.authors)
    assert CITATIONS["2410.02140"].title in text


# BibTeX


def test_the_braces_of_an_entry_balance_and_every_field_is_on_a_line_of_its_own() -> None:
    for work in CITATIONS.values():
        entry = work.bibtex()
        depth = 0
        for character in entry:
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 0
        assert depth == 0
        first, *fields, last = entry.split("\n")
        assert re.fullmatch(r"@(misc|article|inproceedings)\{[a-z0-9]+,", first)
        assert all(re.fullmatch(r"  [a-zA-Z]+ = \{.+\},", field) for field in fields)
        assert last == "}"


def test_an_entry_escapes_what_latex_would_take_for_a_command() -> None:
    for work in CITATIONS.values():
        fields = [line for line in work.bibtex().split("\n") if not line.startswith("  url")]
        assert not re.search(r"(?<!\\)[&%$#_]", "\n".join(fields))


def test_the_keys_of_the_entries_are_unique() -> None:
    found = [work.bibtex_key for work in CITATIONS.values()]
    assert sorted(set(found)) == sorted(found)


def test_an_entry_of_a_conference_paper_reads_as_a_bibliography_needs_it() -> None:
    assert CITATIONS["2108.12409"].bibtex() == (
        "@inproceedings{press2022train,\n"
        "  title = {{Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation}},\n"
        "  author = {Press, Ofir and Smith, Noah A. and Lewis, Mike},\n"
        "  year = {2022},\n"
        "  booktitle = {ICLR},\n"
        "  eprint = {2108.12409},\n"
        "  archivePrefix = {arXiv},\n"
        "  url = {https://arxiv.org/abs/2108.12409},\n"
        "}"
    )


def test_a_journal_makes_an_article_and_a_preprint_neither() -> None:
    assert "  journal = {JMLR},\n" in CITATIONS["1910.10683"].bibtex()
    assert CITATIONS["1910.10683"].bibtex().startswith("@article{raffel2020exploring,")
    assert CITATIONS["2104.09864"].bibtex().startswith("@misc{su2021roformer,")
    assert " and others},\n" in CITATIONS["1910.10683"].bibtex()


def test_accents_leave_the_key_and_stay_in_the_name() -> None:
    entry = CITATIONS["2207.02098"].bibtex()
    assert entry.startswith("@inproceedings{deletang2023neural,")
    assert "Delétang, Grégoire" in entry
    assert Work(key="k", title="On", authors=("Straßø Ünal, A.",), year=2020).bibtex_key == "strassunal2020"


def test_a_name_that_is_not_a_persons_is_kept_whole() -> None:
    assert "  author = {{The lengthwise developers}},\n" in CITATIONS["lengthwise"].bibtex()
    assert "  author = {{bloc97}},\n" in CITATIONS["bloc97-2023"].bibtex()


def test_quotation_marks_open_and_close() -> None:
    assert "Decoupling the ``What'' and ``Where'' With" in CITATIONS["2509.10534"].bibtex()


# From a sentence to works


def test_several_works_in_one_sentence_are_found_in_order_and_once() -> None:
    assert keys("arXiv 2405.20671; arXiv 2410.15787") == ["2405.20671", "2410.15787"]
    assert keys("see 2410.15787v2, arXiv:2405.20671, https://arxiv.org/abs/2410.15787.") == ["2410.15787", "2405.20671"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("arXiv 1706.03762; as in x-transformers", ["1706.03762", "x-transformers"]),
        ("after x-transformers, July 2026", ["x-transformers"]),
        ("NTK-aware scaling, bloc97 2023; see arXiv 2309.00071", ["bloc97-2023", "2309.00071"]),
        ("dynamic NTK scaling, 2023; see arXiv 2309.00071", ["emozilla-2023", "2309.00071"]),
        ("as in GPT-J and GPT-NeoX", ["gpt-j", "2204.06745"]),
        ("GPT-NeoX, arXiv 2204.06745", ["2204.06745"]),
        ("lengthwise", ["lengthwise"]),
        ("None.", []),
    ],
)
def test_works_without_a_number_are_found_by_what_they_are_called(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_a_part_of_a_word_or_of_a_number_names_nothing() -> None:
    assert keys("GPT-2x, GPT-20, relengthwise, 12410.02140, 2410.021401, 2413.02140, 1.2410.02140") == []
    assert missing("12410.02141, 2410.021411, 2413.02141, 0.43") == []


def test_what_is_not_in_the_table_is_missing_and_not_made_up() -> None:
    assert missing("arXiv 2410.02140; arXiv 9912.12345; again 9912.12345v1; 9911.00001") == ["9912.12345", "9911.00001"]
    assert keys("arXiv 9912.12345") == []
