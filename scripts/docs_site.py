"""The documentation as a site: README and docs through Sphinx, with search; the links of the built pages are checked.

    python scripts/docs_site.py OUT

It needs the packages sphinx, furo and myst-parser, and no network. Pages are copied to a temporary folder first, where README becomes the
front page and notebooks become Markdown.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent

CONF = """\
project = "lengthwise"
copyright = "The lengthwise developers"
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "furo"
html_title = "lengthwise"
html_favicon = "icon.svg"
html_copy_source = False
html_show_sphinx = False
templates_path = ["_templates"]
html_static_path = ["_own"]
html_css_files = ["pages.css"]
html_search_scorer = __file__.replace("conf.py", "scorer.js")
html_last_updated_fmt = None
html_theme_options = {"source_repository": "", "top_of_page_buttons": [], "announcement": "Search"}
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
nitpicky = False
"""

TEMPLATES = {
    # a bar on top of every page; lengthwise site build turns the comment into a link
    "page.html": """\
{% extends "!page.html" %}
{% block announcement %}<!-- playground: {{ content_root }}../index.html --><a href="{{ pathto("search") }}">Search</a>{% endblock %}
""",
    "search.html": """\
{% extends "!search.html" %}
{% block content %}
<h1>Search the documentation</h1>
<form class="search-form" method="get" action="" role="search">
<label for="query">Words to find</label>
<input id="query" type="search" name="q" autocomplete="off" autofocus>
<button type="submit">Search</button>
</form>
{{ super() }}
{% endblock %}
""",
}

STYLE = """\
.search-form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 1rem 0; }
.search-form input { flex: 1 1 12rem; min-width: 0; }
.search-form input, .search-form button { font: inherit; padding: .4rem .6rem; color: inherit;
  background: var(--color-background-secondary); border: 1px solid var(--color-foreground-muted); border-radius: .3rem; }
"""

SCORER = """\
// Sphinx's scores. Headings that contain the words come first, then the glossary and guides, changelog and log last.
var Scorer = {
  score: ([page, , , , score, , kind]) => score + (kind === "title" ? 12 : 0) + (/^docs.guides./.test(page) ? 6 : 0)
    + (page === "docs/reference/glossary" ? 8 : 0) - (/^(CHANGELOG|docs.log)$/.test(page) ? 12 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
"""

SECTIONS = {
    "Guides": "docs/guides",
    "Notebooks": "docs/notebooks",
    "Concepts": "docs/concepts",
    "Reference": "docs/reference",
    "Results": "docs/results",
}
PROJECT = ("CONTRIBUTING", "CHANGELOG", "docs/log")
FIRST = ("first-report", "glossary", "README")  # of a section, in this order; the others follow by name


def main(out: Path) -> None:
    """Build the site into a folder, check its links, and print what it took."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="lengthwise-docs-") as folder:
        stage(Path(folder))
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", folder, str(out)]
        done = subprocess.run(command, check=False)
        if done.returncode:
            sys.exit(f"sphinx failed with exit code {done.returncode}.")
    shutil.rmtree(out / ".doctrees", ignore_errors=True)
    for name in ("objects.inv", ".buildinfo"):
        (out / name).unlink(missing_ok=True)
    num_links, broken = check_links(out)
    pages = len(list(out.rglob("*.html")))
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    for link in broken:
        print(f"broken: {link}")
    spent = time.perf_counter() - started
    print(f"{pages} pages, {size / 1e6:.1f} MB, {num_links} links within the site, {len(broken)} broken, {spent:.1f} s")
    if broken:
        sys.exit(1)


def stage(folder: Path) -> None:
    """Copy what the site is made of; README becomes the front page with the table of contents."""
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    for name, template in TEMPLATES.items():
        _write(folder / "_templates" / name, template)
    _write(folder / "_own" / "pages.css", STYLE)
    _write(folder / "scorer.js", SCORER)
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copytree(ROOT / "benchmarks" / "results", folder / "benchmarks" / "results")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copy(ROOT / "src" / "lengthwise" / "web" / "static" / "icon.svg", folder)
    for notebook in (folder / "docs").rglob("*.ipynb"):
        notebook.with_suffix(".md").write_text(notebook_to_markdown(notebook), encoding="utf-8")
        notebook.unlink()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (folder / "index.md").write_text(f"{readme}\n{contents(folder)}", encoding="utf-8")
    for page in [*folder.rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        depth = len(page.relative_to(folder).parts) - 1
        at_root = "../" * depth
        text = text.replace(f"]({at_root}README.md", f"]({at_root}index.md")
        text = re.sub(r"\[([^\]]*)\]\([./\w]*/results/?\)", r"\1", text)  # a folder is no page
        page.write_text(text, encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def contents(folder: Path) -> str:
    """Return the table of contents of all pages, a part for each section."""
    parts = []
    for title, place in SECTIONS.items():
        names = sorted(path.stem for path in (folder / place).glob("*.md"))
        names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
        parts.append(_toctree(title, [f"{place}/{name}" for name in names]))
    return "\n".join([*parts, _toctree("Project", PROJECT)])


def _toctree(title: str, names: list[str] | tuple[str, ...]) -> str:
    lines = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n:caption: {title}\n:maxdepth: 1\n\n{lines}\n```\n"


def notebook_to_markdown(path: Path) -> str:
    """Return a notebook as Markdown: its text, its code, and the text that each cell printed."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        printed = "".join("".join(output.get("text", [])) for output in cell["outputs"])
        if printed.strip():
            parts.append(f"```text\n{printed.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


# Links


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if value and ((tag, name) in (("a", "href"), ("img", "src"), ("link", "href"), ("script", "src"))):
                self.targets.append(value)


def check_links(folder: Path) -> tuple[int, list[str]]:
    """Return how many links within the built pages there are, and which lead nowhere."""
    pages = {path: _Links() for path in folder.rglob("*.html")}
    for path, links in pages.items():
        links.feed(path.read_text(encoding="utf-8"))
    num_links, broken = 0, []
    for path, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            num_links += 1
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            anchors = (
                next((found.anchors for page, found in pages.items() if page.resolve() == file), None)
                if parts.fragment
                else None
            )
            if not file.is_file() or (anchors is not None and unquote(parts.fragment) not in anchors):
                broken.append(f"{path.relative_to(folder)}: {target}")
    return num_links, broken


if __name__ == "__main__":
    if len(sys.argv) != 2 or re.match("-", sys.argv[1]):
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve())
