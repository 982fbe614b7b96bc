"""The static folder of the site: the page, Python for the browser, our source, and answers that need no Python.

Any web server can show the folder; nothing in it asks for another address.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from .._version import __version__
from ..errors import UsageError
from ..files import draft_of, write_text
from ..markup import escape
from ..predict.theories import HEADLINE_MEANS
from ..svg import STYLE
from ..theory.claims import MEANINGS
from ..theory.reasons import capitalized
from .answers import answer
from .pyodide import pyodide_files

PACKAGE = Path(__file__).parent.parent
SOURCE = "lengthwise.zip"
LEFT_OUT = (
    "cli",
    "conformance",
    "context",
    "probe",
    "experiment",
    "model",
    "papers",
    "report",
    "train",
    "web/static",
    "encodings/hf",
)
"""Folders of the package that the playground does not use: they train, report, or need torch."""

_LEFT_OUT_OF_WEB = ("snapshot.mjs", "build.py", "http.py", "pyodide.py", "server.py", "stores.py")
_STATIC = ("icon.svg", "site.css", "playground.js", "python.js", "state.js", "view.js", "worker.js")

_NODE_SECONDS = 300

EXAMPLES = ("(aa)*", "(ab)*", "[012]*02*", "(ab|bbaa)*", "PARITY", "TOMITA_4")
"""What the page shows before Python has started; the first stands on the front page."""

USUAL_ENCODINGS = "nope, ape, rope, alibi"
"""Of the playground; state.js has the same, and a test compares the two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A site that was written: its folder, and its size."""

    folder: Path
    num_files: int
    num_bytes: int
    has_snapshot: bool  # whether the page starts from the memory of a Python that has imported lengthwise


def build_site(out: str | Path, *, pyodide: str | Path | None = None, docs: str | Path | None = None) -> Built:
    """Write the site into a folder; ``pyodide`` is that of the npm package, ``docs`` the built documentation."""
    folder = Path(out)
    _require_free(folder)
    if docs is not None and not (Path(docs) / "index.html").is_file():
        raise UsageError(
            f"the folder {str(docs)!r} has no index.html.", hint="build the documentation with scripts/docs --site."
        )
    with pyodide_files(pyodide) as engine:
        written = {f"pyodide/{name}": data for name, data in engine.items()}
        written |= {SOURCE: pack_source(), "examples.json": prerendered().encode()}
        written |= {name: text.encode() for name, text in page_files(docs).items()}
        for name, data in written.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with draft_of(target) as draft:
                draft.write_bytes(data)
    has_snapshot = _write_snapshot(folder)
    write_text(folder / "engine.js", f"export const SNAPSHOT = {json.dumps(has_snapshot)};\n")
    if docs is not None:
        copy_docs(Path(docs), folder / "docs")
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return Built(folder=folder, num_files=len(sizes), num_bytes=sum(sizes), has_snapshot=has_snapshot)


def _write_snapshot(folder: Path) -> bool:
    """Write the memory of a started Python beside it, if there is Node to start it; return whether it is there."""
    node = shutil.which("node")
    if node is None:
        (folder / "pyodide" / "snapshot.bin").unlink(missing_ok=True)
        return False
    script = Path(__file__).with_name("snapshot.mjs")
    command = [node, str(script), str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_NODE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"Python for the browser did not start under Node in {_NODE_SECONDS} s.",
            hint="try again on a machine that is less busy.",
        ) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise UsageError(f"Python for the browser does not start under Node: {last}.", hint="use Node 20 or newer.")
    return True


def _require_free(folder: Path) -> None:
    """Raise unless the folder can become a site: it is not there, empty, or a site already."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{str(folder)!r} is not a folder.", hint="name another one with --out.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / SOURCE).is_file():
        raise UsageError(f"the folder {str(folder)!r} holds other files.", hint="name an empty folder with --out.")


def page_files(docs: str | Path | None) -> dict[str, str]:
    """Return the page with its scripts and styles, by file name; it links to pages that the documentation has."""
    static = files(__package__).joinpath("static")
    found = {name: static.joinpath(name).read_text(encoding="utf-8") for name in _STATIC}
    found["site.css"] += STYLE
    page = static.joinpath("index.html").read_text(encoding="utf-8")
    links = "" if docs is None else _existing(static.joinpath("links.html").read_text(encoding="utf-8"), Path(docs))
    blocks = {
        "VERSION": __version__,
        "NAVIGATION": _NAVIGATION[docs is not None],
        "LINKS": links,
        "MEANINGS": _meanings(),
        "HEADLINE": escape(HEADLINE_MEANS),
    }
    for mark, block in blocks.items():
        page = page.replace(mark, block)
    return found | {"index.html": page}


def _meanings() -> str:
    """Return what the answers mean, as the terms of a list."""
    return "\n".join(
        f'<dt class="{name}">{name}</dt><dd>{escape(capitalized(meaning))}</dd>' for name, meaning in MEANINGS.items()
    )


def copy_docs(docs: Path, folder: Path) -> None:
    """Copy the documentation beside the playground; its pages then link to it."""
    shutil.copytree(docs, folder, dirs_exist_ok=True)
    for page in folder.rglob("*.html"):
        text = page.read_bytes()
        linked = _TO_PLAYGROUND.sub(rb'<a href="\1">Playground</a> &middot; ', text)
        if linked != text:
            page.write_bytes(linked)


_TO_PLAYGROUND = re.compile(
    rb"<!-- playground: ((?:\.\./|\./)*index\.html) -->"
)  # scripts/docs_site.py writes it into each page


def _existing(links: str, docs: Path) -> str:
    """Return the lines whose link leads to a page of the documentation, and those without a link."""
    targets = {line: re.search(r'href="docs/([^"#]+)', line) for line in links.splitlines()}
    return "\n".join(line for line, found in targets.items() if found is None or (docs / found[1]).is_file())


_HERE = '<a href="./">Playground</a> <a href="#meanings">What YES means</a>'
_NAVIGATION = {
    False: _HERE,
    True: f'{_HERE} <a href="#find">Find your way</a> <a href="docs/index.html">Documentation</a> '
    '<a href="docs/docs/reference/glossary.html">Glossary</a> <a href="docs/search.html">Search</a>',
}


def pack_source() -> bytes:
    """Return the torch-free source as a zip archive, the same bytes each time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in _source_files():
            entry = zipfile.ZipInfo(f"lengthwise/{path.relative_to(PACKAGE).as_posix()}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return packed.getvalue()


def _source_files() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        is_left_out = name.startswith(tuple(f"{folder}/" for folder in LEFT_OUT)) or "__pycache__" in name
        is_left_out |= path.parent.name == "web" and path.name in _LEFT_OUT_OF_WEB
        if path.is_file() and not is_left_out:
            yield path


def prerendered() -> str:
    """Return the answers about the examples as JSON text: requests as the page makes them, verdicts and advice."""
    rows = []
    for what in EXAMPLES:
        request = example_request(what)
        found = {kind: json.loads(answer(json.dumps(request | {"kind": kind}))) for kind in ("predict", "advise")}
        rows.append({"request": request, "answer": found["predict"], "advice": found["advise"]})
    return json.dumps(rows, ensure_ascii=False)


def example_request(what: str) -> dict[str, object]:
    """Return the request of the playground about a language, its keys in the order in which state.js writes them."""
    return {
        "kind": "predict",
        "what": what,
        "encodings": USUAL_ENCODINGS,
        "alphabet": "",
        "asked": "",
        "readout": "",
        "regex": False,
    }
