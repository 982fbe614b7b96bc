"""What was measured: the data are what the results give, and a problem finds its cells whatever its letters are called."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lengthwise
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.evidence.measured import all_cells, language_key, measured_cells, settings
from lengthwise.languages.catalog import find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import without_letter_names
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.recommend import Standing
from lengthwise.theory.claims import Answer, Asked

ROOT = Path(__file__).parent.parent.parent


def test_the_data_are_what_the_committed_results_give() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "evidence.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_every_cell_counts_fitted_among_its_runs_and_names_an_encoding_of_the_package() -> None:
    cells = list(all_cells())
    assert len(cells) > 200
    for cell in cells:
        assert cell.encoding in ENCODINGS
        assert 0 <= cell.num_generalized <= cell.num_fitted <= cell.num_runs
        assert (cell.median is None) == (cell.num_fitted == 0)
        assert (ROOT / cell.setting.source).exists()


def test_cells_are_those_that_the_table_shows() -> None:
    (path,) = measured_cells(task="unique_copy")["path"]
    assert (path.num_runs, path.num_fitted, path.num_generalized, path.median) == (5, 5, 0, 0.0)
    (rope,) = measured_cells(language=find_language("TOMITA_4").language)["rope"]
    assert (rope.num_runs, rope.num_fitted, rope.num_generalized, rope.median) == (5, 5, 5, 1.0)
    (window,) = measured_cells(language=compile_regex("(aa)*"))["window"]
    assert window.is_found is None
    assert (
        window.sentence()
        == "Measured: no evidence, since 0 of 5 runs fitted the training lengths (trained on another question: which symbols may come "
        "next)."
    )


def test_a_row_of_an_older_revision_is_not_shipped() -> None:
    (fire,) = measured_cells(language=find_language("TOMITA_4").language)["fire"]
    assert (fire.num_generalized, fire.median) == (4, 0.94)  # revision 2; revision 1 had 3 of 5


def test_letters_may_have_any_names() -> None:
    one, other = compile_regex("(xxx|y)*z"), compile_regex("(bbb|c)*a")
    assert one != other
    assert language_key(one) == language_key(other)
    assert language_key(one) != language_key(compile_regex("(bb|c)*a"))
    assert measured_cells(language=compile_regex("(zz)*")) == measured_cells(language=compile_regex("(aa)*")) != {}


def test_the_language_without_letter_names_differs_from_others_in_names_alone() -> None:
    for text in ("(ab)*", "a*b*c", "[abc]*abc", "(a|bc)*d"):
        language = compile_regex(text)
        plain = without_letter_names(language)
        assert plain is not None
        assert plain.num_states == language.num_states
        assert len(plain.accepting) == len(language.accepting)


def test_large_languages_have_no_key() -> None:
    assert without_letter_names(compile_regex("(abcde)*")) is None
    assert language_key(compile_regex("(abcde)*")) is None
    assert language_key(DFA(alphabet="a", transitions=[[(n + 1) % 17] for n in range(17)], accepting=[0])) is None


def test_unknown_problems_have_no_cells() -> None:
    assert measured_cells(language=compile_regex("abab")) == {}
    assert measured_cells(task="no such task") == {}


def test_a_prediction_carries_what_was_measured() -> None:
    (row,) = lengthwise.predict("(aa)*", encodings=["nope"])
    assert row.measured is not None
    assert row.measured.sentence(Asked.MEMBERSHIP).endswith(
        "(trained on another question: which symbols may come next)."
    )
    assert (
        row.measured.sentence(Asked.NEXT_SYMBOLS)
        == "Measured: 0 of 4 fitted runs are right at 3 times the training length."
    )
    data = json.loads(json.dumps(row.to_json()))["measured"]
    assert data == {
        "source": "measured",
        "problem": "(aa)*",
        "asked": "NEXT_SYMBOLS",
        "runs": 5,
        "fitted": 4,
        "generalize": 0,
        "at": 3,
        "median": 0.0,
        "setting": "preset_10",
        "own": False,
    }
    assert set(settings()) >= {"preset_10"}
    (other,) = lengthwise.predict("(ab)*", encodings=["nope"])
    assert other.measured is None
    assert other.to_json()["measured"] is None


def test_what_is_proved_comes_first_and_of_it_what_runs_found() -> None:
    ranking = lengthwise.recommend("TOMITA_4").ranking
    first = ranking[0].prediction
    assert first.verdict.answer is Answer.YES
    assert first.measured is not None
    assert first.measured.num_generalized == 5
    ranks = {row.prediction.encoding: row.rank for row in ranking}
    assert ranks["deberta"] < ranks["ape"] < ranks["path"]  # YES with 5 of 5 runs, YES with 0 of 5, UNKNOWN with 5 of 5
    groups = [Standing.of(row.prediction) for row in ranking]
    assert groups == sorted(groups)
    assert {Standing.PROVED, Standing.MEASURED, Standing.MISSED, Standing.FAILING, Standing.REFUTED} <= set(groups)


@pytest.mark.parametrize(("what", "encoding"), [("parity", "path"), ("unique_copy", "lbpe")])
def test_what_runs_found_is_recommended(what: str, encoding: str) -> None:
    best = [row.prediction.encoding for row in lengthwise.recommend(what).ranking[:5]]
    assert encoding in best


def test_the_evidence_in_the_package_is_small() -> None:
    files = (ROOT / "src" / "lengthwise" / "evidence" / "data").iterdir()
    assert sum(path.stat().st_size for path in files) <= 2_000_000
