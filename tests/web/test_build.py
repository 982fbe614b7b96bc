"""The folder of the site: our source in it works alone, the page asks what the build answered, and nothing is overwritten."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from lengthwise.cli.main import main
from lengthwise.errors import LengthwiseError
from lengthwise.markup import escape
from lengthwise.predict.theories import HEADLINE_MEANS
from lengthwise.theory.claims import MEANINGS
from lengthwise.theory.reasons import capitalized
from lengthwise.web.build import (
    EXAMPLES,
    USUAL_ENCODINGS,
    build_site,
    copy_docs,
    example_request,
    pack_source,
    page_files,
    prerendered,
)
from lengthwise.web.pyodide import FILES, VERSION, pyodide_files

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "lengthwise" / "web" / "static"
NODE = shutil.which("node")

ALONE = """
import sys
for name in ("numpy", "rich", "torch", "jinja2", "sqlite3", "ssl", "multiprocessing", "ctypes"):
    sys.modules[name] = None
sys.path.insert(0, sys.argv[1])
import json
from lengthwise.web.answers import answer
def ask(**fields):
    return json.loads(answer(json.dumps(fields)))
for what in ("(ab|bba)*", "PARITY", "unique_copy"):
    print([row["answer"] for row in ask(kind="predict", what=what)["rows"]])
print(len(ask(kind="advise", what="(aa)*")["pairs"]))
print(ask(kind="compare", what="(ab)*", other="a*")["word"])
print(ask(kind="program", program="alphabet 'a' accept := #['a'] > 1", word="aa")["trace"]["result"])
print(ask(kind="check", certificates=ask(kind="predict", what="(aa)*")["json"])["checks"][0]["accepted"])
"""


def test_the_source_in_the_site_works_alone_and_without_other_libraries(tmp_path: Path) -> None:
    with zipfile.ZipFile(BytesIO(pack_source())) as archive:
        assert not [name for name in archive.namelist() if name.startswith(("lengthwise/train/", "lengthwise/cli/"))]
        archive.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["['NO', 'YES']", "['NO', 'NO']", "['YES', 'YES']", "5", "a", "accepted", "True"]


def test_packing_gives_the_same_bytes_each_time() -> None:
    assert pack_source() == pack_source()


def made_docs(folder: Path) -> Path:
    """Make the pages of the documentation, without their text."""
    for page in (ROOT / "docs").rglob("*.*"):
        if page.suffix in (".md", ".ipynb"):
            target = folder / page.relative_to(ROOT).with_suffix(".html")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("x")
    return folder


def test_the_page_has_no_inline_script_or_style_and_asks_no_other_address(tmp_path: Path) -> None:
    for docs in (None, made_docs(tmp_path)):
        for name, text in page_files(docs).items():
            addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
            assert addresses <= {"http://www.w3.org/2000/svg"}, name
        page = page_files(docs)["index.html"]
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", page)
        assert not re.search(r"VERSION|NAVIGATION|LINKS|MEANINGS|HEADLINE", page)


def test_the_front_page_links_to_pages_of_the_documentation_that_are_there(tmp_path: Path) -> None:
    page = page_files(made_docs(tmp_path))["index.html"]
    linked = re.findall(r'href="docs/(docs/[^"]+)"', page)
    assert len(linked) >= 14
    for target in linked:
        name, _, anchor = target.partition("#")
        assert (tmp_path / name).is_file()
        if anchor:
            text = (ROOT / name).with_suffix(".md").read_text(encoding="utf-8")
            headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
            assert anchor in [re.sub(r"\W+", "-", heading.lower()) for heading in headings]
    assert "docs/" not in page_files(None)["index.html"]


def test_pages_of_the_documentation_link_to_the_playground_where_they_stand_beside_it(tmp_path: Path) -> None:
    pages = {"index.html": "./../index.html", "docs/guides/site.html": "../../../index.html"}
    for name, target in pages.items():
        (tmp_path / "built" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "built" / name).write_text(f"<p><!-- playground: {target} --><a>Search</a></p>")
    (tmp_path / "built" / "other.html").write_text('<!-- playground: javascript:x --><!-- playground: "> -->')
    copy_docs(tmp_path / "built", tmp_path / "site" / "docs")
    for name in pages:
        target = re.findall(r'<a href="([^"]+)">Playground</a>', (tmp_path / "site" / "docs" / name).read_text())[0]
        assert ((tmp_path / "site" / "docs" / name).parent / target).resolve() == tmp_path / "site" / "index.html"
        assert "<!--" in (tmp_path / "built" / name).read_text()
    assert "<a" not in (tmp_path / "site" / "docs" / "other.html").read_text()


def test_yes_no_and_unknown_are_explained_in_the_same_words_everywhere() -> None:
    page = " ".join(page_files(None)["index.html"].split())
    readme, glossary = (
        " ".join((ROOT / name).read_text(encoding="utf-8").split())
        for name in ("README.md", "docs/reference/glossary.md")
    )
    for name, meaning in MEANINGS.items():
        assert f'<dt class="{name}">{name}</dt><dd>{escape(capitalized(meaning))}</dd>' in page
        assert f"- **{name}**: {meaning}" in readme
        assert f"| **{name}** | {capitalized(meaning)} |" in glossary
    assert HEADLINE_MEANS in page
    assert HEADLINE_MEANS in glossary


def test_what_people_search_for_stands_in_the_guide_about_encodings() -> None:
    guide = (ROOT / "docs" / "guides" / "encodings.md").read_text(encoding="utf-8")
    assert re.search(r"^## .*\bown encoding$", guide, flags=re.MULTILINE)
    assert "custom position encoding" in guide
    assert "class Slope(Encoding):" in guide.partition("## Write your own encoding")[2].partition("\n## ")[0]


def test_the_guide_about_clusters_begins_with_the_file_and_ends_with_the_report() -> None:
    opening = (ROOT / "docs" / "guides" / "clusters.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert "(sweeps.md)" in opening
    assert "(../reference/spec.md)" in opening
    commands = re.findall(r"^lengthwise .*$", opening, flags=re.MULTILINE)
    assert all("--store /local/" in command for command in commands[:-1])
    assert commands[-1].startswith("lengthwise report /local/")


def test_scripts_never_parse_text_as_html() -> None:
    for path in STATIC.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path.name
        )


def test_examples_are_answered_as_the_page_would_ask() -> None:
    rows = json.loads(prerendered())
    assert [row["request"]["what"] for row in rows] == list(EXAMPLES)
    assert all("error" not in row["answer"] and "error" not in row["advice"] for row in rows)
    state = (STATIC / "state.js").read_text(encoding="utf-8")
    assert f'USUAL_ENCODINGS = "{USUAL_ENCODINGS}"' in state


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda out: (out.mkdir(), (out / "mine.txt").write_text("x")), "holds other files"),
        (lambda out: out.write_text("x"), "is not a folder"),
    ],
)
def test_other_files_are_never_mixed_with_a_site(prepare, said: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    prepare(tmp_path / "out")
    with pytest.raises(LengthwiseError, match=said):
        build_site(tmp_path / "out", pyodide=tmp_path)


def test_another_pyodide_is_refused_and_the_right_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["site", "build", "--out", str(tmp_path / "out"), "--pyodide", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "has no file 'pyodide.mjs' of Pyodide." in error
    assert (
        f"hint: get it with 'npm pack pyodide@{VERSION}', unpack the archive, and name its folder: --pyodide package"
        in error
    )
    for name in FILES:
        (tmp_path / name).write_text("not it")
    with (
        pytest.raises(LengthwiseError, match=f"is not that of Pyodide {VERSION}: its SHA-256 is"),
        pyodide_files(tmp_path),
    ):
        pass


# The state of the page, under Node

STATE = """
import { readFragment, requestOf, writeFragment, splitWord, walk, FIELDS } from "STATE";
import assert from "node:assert";
const states = JSON.parse(process.argv[1]);
for (const fresh of states) {
  const state = { ...FIELDS, ...fresh };
  assert.deepStrictEqual(readFragment("#" + writeFragment(state)), state);
}
assert.deepStrictEqual(readFragment("#__proto__=x&constructor=y&tab=evil&asked=z&what=%ff%"), { ...FIELDS, what: "\\ufffd%" });
assert.strictEqual(writeFragment(FIELDS), "");
assert.strictEqual(JSON.stringify(requestOf({ ...FIELDS, what: "(aa)*" })), process.argv[2]);
assert.strictEqual(requestOf({ ...FIELDS, tab: "compare", what: "a" }), null);
assert.deepStrictEqual(splitWord("open close", ["open", "close"]), ["open", "close"]);
assert.deepStrictEqual(splitWord("aé", ["a"]), ["a", "é"]);
const even = { alphabet: ["a"], transitions: [[1], [0]], accepting: [0] };
assert.deepStrictEqual(walk(even, ["a", "a", "a"]), { states: [0, 1, 0, 1], wrong: null, accepted: false });
assert.deepStrictEqual(walk(even, ["a", "b"]), { states: [0, 1], wrong: "b", accepted: false });
console.log("agreed");
"""


@pytest.mark.skipif(NODE is None, reason="there is no node on this machine")
def test_a_permalink_holds_the_whole_state_and_the_request_is_that_of_the_examples() -> None:
    states = [
        {"what": "(a|b)* & ~x#%?+ é\u202e\U0001f600"},
        {"tab": "compare", "what": "a", "other": "=&"},
        {"program": "a\nb\tc"},
    ]
    code = STATE.replace("STATE", (STATIC / "state.js").as_uri())
    wanted = json.dumps(example_request("(aa)*"), separators=(",", ":"))
    command = [str(NODE), "--input-type=module", "--eval", code, "--", json.dumps(states), wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "agreed\n", done.stderr
