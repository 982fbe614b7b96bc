"""The fit, the freeze and the scores of the atlas, rehearsed on outcomes whose truth is known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent.parent
if str(ROOT / "benchmarks") not in sys.path:
    sys.path.append(str(ROOT / "benchmarks"))  # last: some scripts are called like modules of Python

pytest.importorskip("torch")

from atlas_cells import Cell, read_cells  # noqa: E402
from atlas_fit import PREDICTOR, freeze, predictions, write_predictor  # noqa: E402
from atlas_frozen import FROZEN, FrozenError, commit_time, frozen_text, read_frozen, require_frozen_before, sha_of  # noqa: E402
from atlas_model import fit_head, fit_predictor, generalizes, make_table  # noqa: E402
from atlas_rehearsal import draw_cells, true_chances, with_outcomes, write_pieces  # noqa: E402
from atlas_score import BASES, base_rate, read_test, scores, transfer  # noqa: E402

from lengthwise.evidence.chance import is_monotone, logistic, read_predictor  # noqa: E402

Drawn = tuple[list[Cell], list[Cell], list[float]]
Few = tuple[list[Cell], list[Cell]]


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """Cells of both splits with drawn outcomes, and the true chances of the test cells."""
    fit, test = draw_cells("fit", 40), draw_cells("test", 60)
    truth = true_chances(test)
    return with_outcomes(fit, true_chances(fit)), with_outcomes(test, truth, seed=3), truth


@pytest.fixture(scope="module")
def few(drawn: Drawn) -> Few:
    """The cells of three encodings, where files are what matters."""
    fit, test, _ = drawn
    return tuple([cell for cell in cells if cell.encoding in ("nope", "rope", "alibi")] for cells in (fit, test))  # type: ignore[return-value]


def test_a_predictor_that_knows_the_truth_gets_the_skill_and_the_slope_that_it_must(drawn: Drawn) -> None:
    fit, test, truth = drawn
    found = scores(fit, test, truth, draws=100, refits=False)
    used = [cell for cell in test if cell.num_fitted]
    tries = np.array([cell.num_fitted for cell in used], dtype=float)
    chances = np.array([chance for cell, chance in zip(test, truth, strict=True) if cell.num_fitted])
    base = base_rate(fit, used)
    expected = 1 - (tries @ (chances * (1 - chances))) / (tries @ (chances * (1 - base) ** 2 + (1 - chances) * base**2))
    skill, slope = found["skill over"][BASES[0]], found["calibration slope"]
    assert skill.low < expected < skill.high
    assert skill.value == pytest.approx(expected, abs=0.04)
    assert slope.low < 1 < slope.high
    assert slope.value == pytest.approx(1, abs=0.08)


def test_a_constant_prediction_has_no_skill_and_no_slope(drawn: Drawn) -> None:
    fit, test, _ = drawn
    found = scores(fit, test, base_rate(fit, test).tolist(), draws=20, refits=False)
    assert found["skill over"][BASES[0]].value == pytest.approx(0, abs=1e-12)
    assert np.isnan(found["calibration slope"].value)
    assert found["always"]["always yes"][BASES[0]].value < 0


def test_the_fitted_predictor_comes_close_to_the_truth_and_beats_what_it_must_beat(drawn: Drawn) -> None:
    fit, test, truth = drawn
    predictor = fit_predictor(fit, "a rehearsal", replicates=10)
    chances = [predictor.generalize.chance(cell.features) for cell in test]
    found = scores(fit, test, chances, draws=50)
    best = scores(fit, test, truth, draws=10, refits=False)
    assert found["skill over"][BASES[0]].value > 0.8 * best["skill over"][BASES[0]].value
    assert found["skill over"][BASES[1]].value > 0.1
    assert 0.8 < found["calibration slope"].value < 1.25
    skills = {name: skill.value for name, skill in found["ablations"].items()}
    assert max(skills, key=lambda name: skills[name]) in ("everything", "all of theory")
    assert skills["encoding alone"] < skills["level alone"] < skills["everything"]
    assert found["leave one encoding out"]["all encodings"].value > 0.3


def test_weights_of_proved_features_are_never_negative_even_where_the_data_want_that(drawn: Drawn) -> None:
    fit, _, _ = drawn
    upside_down = with_outcomes(fit, [logistic(-3 * cell.features.get("+counting", 0.0)) for cell in fit])
    head = fit_head(make_table(upside_down, generalizes), replicates=3, ridge=1.0)
    for name, weight in head.weights.items():
        assert not is_monotone(name) or min(weight, *map(float, head.replicates[name].split())) >= 0
    assert any(weight < 0 for weight in head.weights.values())


def test_the_interval_covers_the_mean_chance_of_languages_of_one_shape(drawn: Drawn) -> None:
    """Without effects that no feature shows, 95 % intervals contain nearly all true chances."""
    fit, test, _ = drawn
    rule = [
        logistic(2 * cell.features.get("+PLAIN", 0.0) + cell.features.get("+LTL[S]", 0.0)) for cell in (*fit, *test)
    ]
    predictor = fit_predictor(with_outcomes(fit, rule[: len(fit)], runs=20), "a rehearsal")
    intervals = [predictor.generalize.interval(cell.features) for cell in test]
    covered = [
        low - 0.02 <= truth <= high + 0.02 for (low, high), truth in zip(intervals, rule[len(fit) :], strict=True)
    ]
    assert sum(covered) / len(covered) > 0.85


# Pieces


def test_pieces_are_read_back_as_cells_of_their_split_alone(few: Few, tmp_path: Path) -> None:
    fit, test = few
    write_pieces(fit, tmp_path, "fit")
    write_pieces(test, tmp_path, "test")
    read = {cell.key: cell for cell in read_cells(tmp_path, splits=("fit",))}
    assert {key: replace(cell, beyond=()) for key, cell in read.items()} == {cell.key: cell for cell in fit}
    fitted = [cell for cell in read.values() if cell.num_fitted]
    assert all(cell.beyond == ((5, 0, cell.num_fitted), (10, 0, cell.num_fitted)) for cell in fitted)
    assert not {cell.cluster for cell in read_cells(tmp_path, splits=("test",))} & {cell.cluster for cell in fit}


def test_larger_multiples_have_heads_of_their_own(few: Few) -> None:
    fit, test = few
    farther = [replace(cell, beyond=((5, cell.num_generalized // 2, cell.num_fitted),)) for cell in fit]
    predictor = fit_predictor(farther, "a rehearsal", replicates=0)
    assert list(predictor.beyond) == [5]
    chances = [predictor.estimate(cell.features) for cell in test]
    assert all(chance.beyond[5] <= (chance.generalize or 0) for chance in chances)
    assert sum(chance.beyond[5] for chance in chances) < 0.7 * sum(chance.generalize or 0 for chance in chances)
    assert chances[0].to_json()["beyond"] == {"5": round(chances[0].beyond[5], 3)}


def test_a_predictor_file_is_small_and_says_what_it_was_fitted_to(few: Few, tmp_path: Path) -> None:
    fit, _ = few
    predictor = fit_predictor(fit, "a rehearsal")
    write_predictor(predictor, tmp_path / "predictor.json")
    assert read_predictor(tmp_path / "predictor.json").to_json() == predictor.to_json()
    assert (tmp_path / "predictor.json").stat().st_size < 500_000
    assert predictor.num_cells == len(fit)


# The freeze


def git(folder: Path, *arguments: str, when: str = "2030-01-01T12:00:00+00:00") -> None:
    environment = os.environ | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    own = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *own, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def committed(few: Few, tmp_path: Path) -> tuple[Path, Path, Path]:
    """A repository with a frozen file and its predictor, committed at noon; and the folder of its pieces."""
    fit, test = few
    runs, predictor, frozen = tmp_path / "runs", tmp_path / "predictor.json", tmp_path / "frozen.jsonl"
    write_pieces(fit, runs, "fit")
    freeze(runs, predictor, frozen, test)
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "Predictions for the test third")
    return runs, predictor, frozen


def piece(frozen: Path, hours: float) -> dict[str, Any]:
    finished = datetime.fromisoformat("2030-01-01T12:00:00+00:00") + timedelta(hours=hours)
    return {"piece": "test_nope", "frozen": sha_of(frozen), "provenance": {"finished": finished.isoformat()}}


def test_frozen_predictions_are_scored_when_all_came_after_them(committed: tuple[Path, Path, Path], few: Few) -> None:
    runs, predictor, frozen = committed
    _, test = few
    later = piece(frozen, 1)["provenance"] | {"hardware": "made up"}
    write_pieces(test, runs, "test", frozen=sha_of(frozen), provenance=later)
    cells, chances = read_test(runs, frozen, predictor)
    assert {cell.key[:2] for cell in cells} == set(chances)
    estimates = predictions(read_predictor(predictor), test)
    assert chances == {(row["task"], row["encoding"]): row["generalize"] for row in estimates}


def test_transfer_is_scored_with_the_frozen_chances_and_kept_apart(few: Few, tmp_path: Path) -> None:
    fit, test = few
    truth = {cell.key[:2]: chance for cell, chance in zip(test, true_chances(test), strict=True)}
    write_pieces(with_outcomes(test, list(truth.values()), seed=5), tmp_path, "transfer_wide")
    assert read_cells(tmp_path, splits=("test",)) == []
    found = transfer(tmp_path, fit, truth, draws=50)
    assert list(found) == ["transfer_wide"]
    slope = found["transfer_wide"]["calibration slope"]
    assert slope.low < 1.1
    assert slope.high > 0.9
    assert found["transfer_wide"]["skill over the base rate"].value > 0.3


def test_pieces_older_than_the_frozen_commit_or_trained_without_it_are_refused(
    committed: tuple[Path, Path, Path],
) -> None:
    _, predictor, frozen = committed
    assert require_frozen_before(frozen, predictor, [piece(frozen, 1)])
    with pytest.raises(FrozenError, match=r"was finished before frozen\.jsonl was committed"):
        require_frozen_before(frozen, predictor, [piece(frozen, 1), piece(frozen, -1)])
    with pytest.raises(FrozenError, match=r"was not trained under frozen\.jsonl"):
        require_frozen_before(frozen, predictor, [piece(frozen, 1) | {"frozen": None}])


def test_changed_predictions_are_refused_however_they_were_changed(committed: tuple[Path, Path, Path]) -> None:
    _, predictor, frozen = committed
    lines = read_frozen(frozen, predictor)
    text = frozen.read_text()
    frozen.write_text(text.replace('"generalize":', '"generalize":0', 1))
    with pytest.raises(FrozenError, match=r"was changed: its predictions"):
        read_frozen(frozen, predictor)
    lines[0]["generalize"] = 0.5
    frozen.write_text(frozen_text(lines, sha_of(predictor)))  # with all hashes made to fit
    assert read_frozen(frozen, predictor) == lines
    with pytest.raises(FrozenError, match="is not as it was committed"):
        commit_time(frozen)
    git(frozen.parent, "commit", "-am", "Other predictions", when="2030-01-02T12:00:00+00:00")
    with pytest.raises(FrozenError, match=r"was committed 2 times"):
        commit_time(frozen)
    frozen.write_text(text)
    predictor.write_text(predictor.read_text() + "\n")
    with pytest.raises(FrozenError, match=r"predictor.json was changed"):
        read_frozen(frozen, predictor)


def test_without_frozen_predictions_nothing_is_scored(tmp_path: Path) -> None:
    with pytest.raises(FrozenError, match=r"frozen\.jsonl is missing: predictions are frozen first"):
        require_frozen_before(tmp_path / "frozen.jsonl", tmp_path / "predictor.json", [])


def test_nothing_is_frozen_twice_or_after_the_test_third_was_trained(
    committed: tuple[Path, Path, Path], few: Few, tmp_path: Path
) -> None:
    runs, predictor, frozen = committed
    _, test = few
    with pytest.raises(SystemExit, match="frozen predictions are never written again"):
        freeze(runs, predictor, frozen, test)
    write_pieces(test, runs, "test")
    with pytest.raises(SystemExit, match="the test third was trained already"):
        freeze(runs, tmp_path / "p.json", tmp_path / "f.jsonl", test)


def test_the_committed_predictions_of_the_atlas_are_as_they_were_committed() -> None:
    pieces = [
        json.loads(path.open().readline()) for path in sorted((ROOT / "benchmarks/atlas/runs").glob("test_*.jsonl"))
    ]
    if not FROZEN.exists():
        assert pieces == [], "test pieces exist without predictions that came first"
        return
    if (ROOT / ".git").exists():
        require_frozen_before(FROZEN, PREDICTOR, pieces)
    else:
        read_frozen(FROZEN, PREDICTOR)
