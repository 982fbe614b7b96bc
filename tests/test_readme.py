"""README and docs: sessions and commands give what they show, generated files are up to date, links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from write_docs import GENERATED, PAGES, ROOT, execute_page, executed_pages

import lengthwise
from lengthwise.cli.parser import build_parser
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.tasks.core.catalog import TASKS

README = ROOT / "README.md"
PACKAGE = ROOT / "src" / "lengthwise"


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", executed_pages(), ids=page_name)
def test_the_blocks_of_a_page_give_what_they_show(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From top to bottom: files are saved, commands run, Python examples executed, all in one folder."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    assert execute_page(page) == page.read_text(encoding="utf-8"), "scripts/docs writes the output of commands anew"


def test_a_page_whose_session_shows_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "wrong.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="Expected:\n    3\nGot:\n    2"):
        execute_page(page)


@pytest.mark.parametrize("path", GENERATED, ids=page_name)
def test_generated_files_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == GENERATED[path](), "scripts/docs writes it anew"


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_the_tree_names_every_package() -> None:
    tree = README.read_text(encoding="utf-8").split("src/lengthwise/\n")[1].split("```")[0]
    packages = [path.parent.name for path in (ROOT / "src" / "lengthwise").glob("*/__init__.py")]
    named = re.findall(r"^  (\w+)/ ", tree, flags=re.MULTILINE)
    assert sorted(named) == sorted(packages)


def test_every_public_name_is_on_the_page_of_python() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for name in lengthwise.__all__:
        assert name.startswith("__") or re.search(rf"\b{name}\b", page), name


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)(#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        path = page.parent / target if target else page
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert anchor[1:] in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}, anchor


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_files_and_modules_named_on_a_page_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for name in re.findall(r"`((?:[\w-]+/)+[\w.-]+\.(?:py|md|txt|toml))`", text):
        assert "NAME" in name or (ROOT / name).exists() or (PACKAGE / name).exists(), name
    for name in re.findall(r"`lengthwise\.((?:[a-z_]+\.)*[a-z_]+)`", text):
        path = PACKAGE.joinpath(*name.split("."))
        source = path.parent / "__init__.py" if path.parent.is_dir() else path.parent.with_suffix(".py")
        is_attribute = re.search(rf"\b{path.name}\b", source.read_text(encoding="utf-8"))
        assert path.is_dir() or path.with_suffix(".py").exists() or is_attribute, name


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_on_a_page_can_be_read(page: Path) -> None:
    code = "".join(re.findall(r"^```.*?^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE))
    for line in re.findall(r"^(?:\$ )?lengthwise ([^\n]+)$", code, flags=re.MULTILINE):
        build_parser().parse_args(shlex.split(line, comments=True))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=page_name)
def test_counts_of_encodings_and_tasks_are_those_of_the_package(page: Path) -> None:
    if "results" in page.parts or page.name == "log.md":
        return  # these tell what was there when something was measured
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for count in re.findall(r"\b(\d+) (?:position )?encodings", text):
        assert int(count) == len(ENCODINGS)
    for count in re.findall(r"\b(\d+) tasks", text):
        assert int(count) == len(TASKS)


def test_the_version_is_the_same_everywhere() -> None:
    for name in ("CITATION.cff", "CHANGELOG.md"):
        assert lengthwise.__version__ in (ROOT / name).read_text(encoding="utf-8")
