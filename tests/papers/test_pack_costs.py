"""What pages say that parts of a paper cost, the smoke test of all papers, and that no page claims a result that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_runner import Runner

from lengthwise.experiment.estimates import gpu_minutes
from lengthwise.experiment.plan import make_runs
from lengthwise.papers.catalog import PAPERS
from lengthwise.papers.huang2025.search import SEARCH
from lengthwise.papers.sweep import SweepPaper

RESULTS = Path(__file__).parents[2] / "docs" / "results"
SWEEPS: dict[str, SweepPaper] = {
    **{name: paper for name, paper in PAPERS.items() if isinstance(paper, SweepPaper)},
    SEARCH.name: SEARCH,
}
PAGES = {"ruoss2023": "deletang2023"}


def minutes_of(paper: SweepPaper) -> dict[str, str]:
    rows = paper.parts_table().rows
    return {row[0]: row[3] for row in rows}


@pytest.mark.full
@pytest.mark.parametrize("name", ["jerad2026", "yang2026", "mechanism", "deletang2023", "ruoss2023", "huang2025"])
def test_pages_say_what_parts_cost(name: str) -> None:
    page = (RESULTS / f"{PAGES.get(name, name)}.md").read_text(encoding="utf-8")
    minutes = minutes_of(SWEEPS[name])
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")
    ]
    shown = {part.strip(): row[-1] for row in rows for part in [re.sub("`", "", row[0])] if part in minutes}
    assert shown
    assert shown == {part: minutes[part] for part in shown}
    if name == "jerad2026":
        full = sum(float(value.replace(",", "")) for part, value in minutes.items() if part.endswith("_full"))
        assert f"| {full:,.0f} |" in page


def test_what_was_not_run_is_said_to_be_not_run() -> None:
    for name in SWEEPS:
        page = (RESULTS / f"{PAGES.get(name, name)}.md").read_text(encoding="utf-8")
        assert "**Not run yet.**" in page, name
        table = (RESULTS / "README.md").read_text(encoding="utf-8")
        assert name == "huang2025" or f"({PAGES.get(name, name)}.md)" in table


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_has_one_small_cell_for_the_smoke_test(name: str) -> None:
    paper = PAPERS[name]
    assert len(paper.select(only=paper.smoke)) in (1, 2), "two where the pair is one question"
    assert paper.experiments(paper.select(only=paper.smoke), quick=True, seeds=1)


def test_minutes_grow_with_the_runs() -> None:
    cells = SWEEPS["deletang2023"].cells("regular")
    few, many = (make_runs([spec for cell in cells[:number] for spec in cell.specs]) for number in (2, 20))
    assert 0 < gpu_minutes(few) < gpu_minutes(many)
    assert gpu_minutes(few + few) == gpu_minutes(few), "a run is trained once"
    assert gpu_minutes([]) == 0


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(capsys, tmp_path, "reproduce")


def test_all_papers_can_be_looked_at_in_one_command(run: Runner) -> None:
    code, out, err = run("all", "--quick", "--dry-run", "--json")
    assert (code, err) == (0, "")
    assert out.count('"paper"') == len(PAPERS)
    code, out, err = run("all", "--quick", "--dry-run", "--out", "page.html")
    assert code == 0
    assert [line for line in out.split("\n") if line in PAPERS] == list(PAPERS)
    for number, name in enumerate(PAPERS, start=1):
        assert f"{number}/{len(PAPERS)} {name}: " in err
    assert (run.folder / "page.html").is_file()


@pytest.mark.parametrize(
    "arguments", [["all"], ["all", "--quick", "--part", "tasks"], ["all", "--quick", "--only", "parity"]]
)
def test_all_is_a_smoke_test_only(run: Runner, arguments: list[str]) -> None:
    assert run(*arguments) == (
        2,
        "",
        "error: 'reproduce all' is a smoke test: one small cell of each paper. It needs --quick and takes neither --part nor "
        "--only.\nhint: lengthwise reproduce all --quick; to repeat a paper, name it.\n",
    )
