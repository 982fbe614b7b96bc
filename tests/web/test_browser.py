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
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from lengthwise.cli.main import main
from lengthwise.errors import LengthwiseError
from lengthwise.web.build import build_site

pytestmark = pytest.mark.full
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """Yield an open page and the address of the site."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on this machine")
    folder = tmp_path_factory.mktemp("browser") / "site"
    try:
        build_site(folder, pyodide=os.environ.get("LENGTHWISE_PYODIDE"))
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


def test_a_question_that_takes_too_long_can_be_stopped(page: tuple[Any, str]) -> None:
    shown, address = page
    ask(shown, address, f"what={quote('(aa)*')}", "#word")
    shown.locator("#status", has_text="Ready.").wait_for(timeout=60_000)
    shown.locator("#what").fill("[ab]*a[ab]{11}")
    shown.locator("#stop").click(timeout=30_000)
    shown.locator("#answer", has_text="Stopped.").wait_for(timeout=10_000)
    shown.locator("#what").fill("(ab)*")
    shown.locator("#answer p code", has_text="(ab)*").first.wait_for(timeout=60_000)
