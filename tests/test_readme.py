"""The README is executed: its Python examples, its commands with their output, its tree and its links.

Write the output of the commands anew with LENGTHWISE_README=write.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
from pathlib import Path

import pytest

import lengthwise
from lengthwise.cli.main import build_parser, main

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_python_examples_print_what_they_say() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, "README", str(README), 0)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0


def test_the_commands_print_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        command = block.split("\n")[0]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            assert main(shlex.split(command.removeprefix("$ lengthwise "))) == 0
        shown = f"{command}\n{output.getvalue()}"
        if os.environ.get("LENGTHWISE_README") == "write":
            text = text.replace(f"```console\n{block}```", f"```console\n{shown}```")
            README.write_text(text, encoding="utf-8")
        else:
            assert block == shown


def test_the_tree_names_every_package() -> None:
    tree = README.read_text(encoding="utf-8").split("src/lengthwise/\n")[1].split("```")[0]
    packages = [path.parent.name for path in (ROOT / "src" / "lengthwise").glob("*/__init__.py")]
    for package in packages:
        assert re.search(rf"^  {package}/ ", tree, flags=re.MULTILINE), package


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_can_be_read(page: Path) -> None:
    for line in re.findall(r"^(?:\$ )?lengthwise ([^\n]+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        build_parser().parse_args(shlex.split(line, comments=True))


def test_the_version_is_the_same_everywhere() -> None:
    for name in ("CITATION.cff", "CHANGELOG.md"):
        assert lengthwise.__version__ in (ROOT / name).read_text(encoding="utf-8")
