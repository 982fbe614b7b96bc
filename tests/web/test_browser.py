"""The page in a real Chromium: it answers what the command answers, hostile text stays text, the keyboard reaches everything.

These tests need Chromium, the Python package playwright, and Pyodide: in a folder that LENGTHWISE_PYODIDE names, or from npm.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import docs_site
import pytest

from lengthwise.cli.main import main
from lengthwise.errors import LengthwiseError
from lengthwise.web.build import EXAMPLES, build_site

pytestmark = pytest.mark.full
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]


def built_docs(folder: Path) -> Path | None:
    """Build the documentation, where Sphinx is installed."""
    if not all(find_spec(name) for name in ("sphinx", "furo", "myst_parser")):
        return None
    docs_site.main(folder)
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """Yield an open page and the address of the site."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on this machine")
    folder = tmp_path_factory.mktemp("browser") / "site"
    try:
        build_site(folder, pyodide=os.environ.get("LENGTHWISE_PYODIDE"), docs=built_docs(folder.parent / "docs"))
    except LengthwiseError as error:
        pytest.skip(f"no Pyodide: {error.message}")
    command = [sys.executable, "-m", "lengthwise", "serve", "--port", "0", "--site", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
            yield browser.new_page(), address
            browser.close()
        server.terminate()


def ask(page: Any, address: str, fragment: str, wanted: str) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#{fragment}")
    page.locator(wanted).first.wait_for(timeout=60_000)


def test_the_downloaded_json_is_that_of_the_command(page: tuple[Any, str]) -> None:
    shown, address = page
    for what in ("(ab|bba)*", "[012]*02*", "TOMITA_5"):
        ask(shown, address, f"what={quote(what)}&encodings=nope,ape,rope", "#copy")
        with shown.expect_download() as download:
            shown.get_by_text("Download as JSON").click()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            assert main(["predict", "--json", "--encoding", "nope,ape,rope", "--", what]) == 0
        assert Path(download.value.path()).read_text(encoding="utf-8") == printed.getvalue()


def test_an_example_is_shown_before_python_has_started(page: tuple[Any, str]) -> None:
    shown, address = page
    shown.route("**/pyodide/**", lambda route: route.abort())
    ask(shown, address, "", ".verdicts")
    assert shown.locator(".verdicts td.NO").count() > 0
    shown.unroute("**/pyodide/**")


def test_an_error_shows_the_caret(page: tuple[Any, str]) -> None:
    shown, address = page
    ask(shown, address, "what=(aa", ".caret")
    assert shown.locator(".caret").inner_text() == "(aa\n^"


def test_hostile_text_stays_text(page: tuple[Any, str]) -> None:
    shown, address = page
    elsewhere: list[str] = []
    shown.on("request", lambda request: elsewhere.append(request.url) if address not in request.url else None)
    for text in ("<img src=x onerror=fired=1>", r"\<<script>fired=1</script>>*", "'\"><svg onload=fired=1>"):
        ask(shown, address, f"what={quote(text)}&regex=1&word={quote(text)}", "#answer > *")
        assert shown.locator("#answer img, #answer script, #answer [onload]").count() == 0
    assert shown.evaluate("() => typeof window.fired") == "undefined"
    assert elsewhere == []


def test_the_keyboard_reaches_the_tabs_and_a_word_walks_through_the_automaton(page: tuple[Any, str]) -> None:
    shown, address = page
    ask(shown, address, f"what={quote('(aa)*')}", "#word")
    shown.locator("#tab-language").focus()
    shown.keyboard.press("ArrowRight")
    assert shown.evaluate("() => document.activeElement.id") == "tab-compare"
    shown.keyboard.press("ArrowLeft")
    shown.locator("#word").fill("aaa")
    assert "not in the language. States: 0 → 1 → 0 → 1." in shown.locator(".walk").inner_text()
    assert shown.locator("g.state.current text").text_content() == "1"
    assert re.search(r"[#&]word=aaa", shown.url)


def test_a_link_within_the_page_keeps_the_question(page: tuple[Any, str]) -> None:
    shown, address = page
    ask(shown, address, f"what={quote('(ab)*')}", "#word")
    shown.get_by_role("link", name="What YES means").click()
    assert shown.locator("#answer p code").first.inner_text() == "(ab)*"
    assert "what=" in shown.url


def test_the_answers_stand_in_one_line_on_a_phone_and_lead_to_their_rows(page: tuple[Any, str]) -> None:
    shown, address = page
    shown.set_viewport_size({"width": 390, "height": 844})
    ask(shown, address, f"what={quote('(ab|bba)*')}&encodings=nope,ape", "#word")
    short = shown.locator("#answer nav")
    assert short.inner_text().split("\n") == ["nope NO", "ape YES", "What does this mean?"]
    box = short.bounding_box()
    assert box["y"] + box["height"] < 844
    short.get_by_role("link", name="ape YES").click()
    assert shown.locator("#row-1 th").inner_text() == "ape"
    assert 0 <= shown.locator("#row-1").bounding_box()["y"] < 844
    assert "what=" in shown.url
    shown.set_viewport_size({"width": 1280, "height": 720})


def test_every_tab_has_examples_that_are_answered(page: tuple[Any, str]) -> None:
    shown, address = page
    ask(shown, address, "tab=compare", "#examples-compare button")
    shown.locator("#examples-compare button").first.click()
    shown.locator("#answer", has_text="They differ.").wait_for(timeout=60_000)
    for tab, said in (("program", "Result: accepted."), ("check", "accepted (nope)")):
        shown.locator(f"#tab-{tab}").click()
        shown.locator(f"#examples-{tab} button").first.click()
        shown.locator("#answer", has_text=said).wait_for(timeout=60_000)
    shown.locator("#tab-language").click()
    for _ in range(2):  # the same example again is answered again
        shown.locator("#examples button").first.click()
        shown.locator("#answer p code", has_text=EXAMPLES[0]).first.wait_for(timeout=60_000)


def test_a_label_of_two_lines_leaves_fields_in_line(page: tuple[Any, str]) -> None:
    shown, address = page
    ask(shown, address, "", "#options summary")
    shown.locator("#options summary").click()
    ends = [shown.locator(f"#{name}").bounding_box() for name in ("encodings", "alphabet", "asked")]
    assert len({round(box["y"] + box["height"]) for box in ends}) == 1


def test_pages_of_the_documentation_work_again_on_a_second_visit(page: tuple[Any, str]) -> None:
    shown, address = page
    require_docs(shown, address)
    said: list[str] = []
    shown.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    for name in ("docs/index.html", "docs/docs/guides/site.html"):
        for _ in range(2):
            shown.goto(f"{address}{name}")
            shown.reload()
        shown.locator(".announcement").get_by_role("link", name="Playground").click()
        shown.locator("#what").wait_for()
    assert said == []


def test_the_search_of_the_documentation_can_be_seen_on_a_phone_and_finds_the_guide(page: tuple[Any, str]) -> None:
    shown, address = page
    require_docs(shown, address)
    shown.set_viewport_size({"width": 390, "height": 844})
    for words in ("own encoding", "custom position encoding"):
        shown.goto(f"{address}docs/search.html")
        shown.get_by_label("Words to find").fill(words)
        shown.get_by_role("button", name="Search").click()
        shown.locator("#search-results li a").first.wait_for(timeout=30_000)
        shown.locator("#search-results .search-summary", has_text="found").wait_for(timeout=30_000)
        found = [link.get_attribute("href") for link in shown.locator("#search-results li > a").all()[:3]]
        assert any("guides/encodings.html" in target for target in found), (words, found)
    shown.set_viewport_size({"width": 1280, "height": 720})


def require_docs(shown: Any, address: str) -> None:
    if shown.request.get(f"{address}docs/index.html").status != 200:
        pytest.skip("the site has no documentation: sphinx, furo and myst-parser are not installed")


def test_a_question_that_takes_too_long_can_be_stopped(page: tuple[Any, str]) -> None:
    shown, address = page
    ask(shown, address, f"what={quote('(aa)*')}", "#word")
    shown.locator("#status", has_text="Ready.").wait_for(timeout=60_000)
    shown.locator("#what").fill("[ab]*a[ab]{11}")
    shown.locator("#answer[aria-busy=true] .verdicts").wait_for(timeout=10_000)
    assert float(shown.locator("#answer").evaluate("(answer) => getComputedStyle(answer).opacity")) < 0.5
    shown.locator("#stop").click(timeout=30_000)
    shown.locator("#answer", has_text="Stopped.").wait_for(timeout=10_000)
    assert shown.locator("#answer").get_attribute("aria-busy") is None
    shown.locator("#what").fill("(ab)*")
    shown.locator("#answer p code", has_text="(ab)*").first.wait_for(timeout=60_000)
