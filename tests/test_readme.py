"""The README and the guides with commands are executed: Python examples and commands with their output; links and the tree.

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


EXECUTED = [
    README,
    *(
        ROOT / "docs" / "guides" / name
        for name in ("compile.md", "crasp.md", "encodings.md", "formats.md", "lbpe.md", "reproduce.md", "tasks.md")
    ),
]


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_the_blocks_of_a_page_give_what_they_show(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From top to bottom: files are saved, commands run, Python examples executed, all in one folder."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    kinds = set()
    for match in re.finditer(r"```(crasp|py|jsonl|json|console|python)\n(.*?)```", text, flags=re.DOTALL):
        kind, block = match.groups()
        kinds.add(kind)
        if kind in ("crasp", "py", "jsonl", "json"):
            saved = re.findall(rf"`([\w-]+\.{kind})`", text[: match.start()])[-1]
            Path(saved).write_text(block, encoding="utf-8")
        elif kind == "console":
            shown = run_block(block.split("\n")[0])
            if os.environ.get("LENGTHWISE_README") == "write":
                written = page.read_text(encoding="utf-8").replace(f"```console\n{block}```", f"```console\n{shown}```")
                page.write_text(written, encoding="utf-8")
            else:
                assert block == shown
        else:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            assert test.examples
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
            names |= test.globs
    assert "console" in kinds


def run_block(command: str) -> str:
    """Return a command with what it prints and, if it is not 0, its exit code."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(shlex.split(command.removeprefix("$ lengthwise ")))
    return f"{command}\n{output.getvalue()}" + (f"(exit code {code})\n" if code else "")


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
