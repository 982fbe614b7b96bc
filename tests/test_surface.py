"""The public Python surface: what a notebook shows, and running and reporting as functions."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import lengthwise
from lengthwise.errors import InvalidOptionError, MissingExtraError, UnknownNameError
from lengthwise.model.shape import Shape
from lengthwise.predict.recommend import BOUNDED
from lengthwise.train.settings import Training

HAS_FRAMES = any(find_spec(name) is not None for name in ("pandas", "polars"))


def test_objects_have_one_short_line() -> None:
    rows = lengthwise.predict("(aa)*")
    assert repr(rows) == "[<Prediction: (aa)* × nope: NO>, <Prediction: (aa)* × ape: YES>]"
    assert repr(rows[0].verdict) == "<Verdict: NO for C-RASP, by balanced_refinement>"
    assert repr(lengthwise.compile_regex("(aa)*")) == "<DFA: 2 states over {a}>"
    program = lengthwise.find_program("dyck_1").program
    assert repr(program) == "<Program: 2 lines over {(, )}>"
    assert repr(lengthwise.trace_program(program, "()")) == "<Trace: 3 positions, accepted>"
    assert repr(lengthwise.find_task("parity")) == "<Task: parity>"
    assert repr(lengthwise.recommend("(aba)*")) == f"<Advice: (aba)*, {len(BOUNDED)} encodings>"
    assert (
        repr(lengthwise.predict("(aa)*", encodings="rope")[0].verdict) == "<LogicVerdict: NO for LTL[P], by ltl_past>"
    )


def test_predictions_are_a_table() -> None:
    rows = lengthwise.predict("(aa)*")
    assert str(rows).startswith("encoding  answer  why\nnope      NO ")
    assert '<td data-title="answer" class="YES">YES</td>' in rows._repr_html_()
    assert rows[1]._repr_html_().count("<tr>") == 2
    assert rows.table.to_json()[1] == {
        "what": "(aa)*",
        "encoding": "ape",
        "answer": "YES",
        "fragment": "PERIODIC_LOCAL",
        "level": 0,
        "theorem": "unrolled_refinement",
        "reason": "A model is right at every length if it tracks the position modulo 2. Attention can do this at "
        "any length: position vectors can repeat with period 2, so that they show this.",
    }
    assert rows[0].verdict._repr_html_().startswith("<b>NO</b> for C-RASP: ")


def test_notebooks_draw_automata_and_show_programs_and_traces() -> None:
    language = lengthwise.compile_regex("(ab)*")
    assert language._repr_svg_().startswith("<svg ")
    assert lengthwise.compile_regex("a{300}")._repr_svg_() is None  # nobody could read it
    program = lengthwise.parse_program("alphabet '<' 'b'\naccept := #['<'] < #['b']\n")
    assert "#['&lt;'] &lt; #['b']" in program._repr_html_().replace("&#x27;", "'")
    shown = lengthwise.trace_program(program, "<b")._repr_html_()
    assert shown.startswith("<table>")
    assert "<style>" not in shown  # it would reach the whole notebook


def test_advice_is_a_table_with_what_else_helps() -> None:
    advice = lengthwise.recommend("PARITY", encodings=["nope", "ape"])
    assert str(advice).startswith("rank  encoding  answer  why\n1     nope      NO ")
    assert "  - use a layer that carries a state itself" in str(advice)
    assert advice._repr_html_().count("<tr>") == 3


@pytest.mark.parametrize("made", [lambda: lengthwise.predict("(aa)*"), lambda: lengthwise.recommend("(aa)*")])
def test_tables_become_data_frames_where_there_is_a_library_for_them(made: object) -> None:
    table = made()  # type: ignore[operator]
    if HAS_FRAMES:
        assert "encoding" in table.to_frame().columns
    else:
        with pytest.raises(MissingExtraError, match="a data frame needs pandas or polars; neither is installed"):
            table.to_frame()


TINY = {"encodings": ("nope",), "seeds": 1, "train_length": 4, "test_length": 8}
MODEL = {"layers": 1, "heads": 1, "width": 8}
TRAINING = {"steps": 20, "batch": 32, "warmup": 2, "evaluate_every": 20, "examples": 16}


def test_run_trains_what_is_missing_and_report_shows_the_store(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    first = lengthwise.run("[ab]*b", store, device="cpu", workers=1, **TINY, **MODEL, **TRAINING)
    assert repr(first) == "<Report: 1 run in 1 cell>"
    spec = lengthwise.Spec(tasks=("[ab]*b",), **TINY, model=Shape(**MODEL), training=Training(**TRAINING))
    again = lengthwise.run(spec, store, device="cpu")
    assert again.results == first.results
    found = lengthwise.report(store)
    assert found.to_json() == first.to_json()
    assert [row["task"] for row in found.to_json()] == ["[ab]*b"]
    assert str(found).startswith("task    encoding  predicted")
    assert '<td data-title="predicted" class="YES">YES</td>' in found._repr_html_()
    found.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_run_says_what_does_not_fit(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with pytest.raises(UnknownNameError, match=r"setting 'encoding' is unknown\."):
        lengthwise.run("parity", store, encoding="rope")
    with pytest.raises(InvalidOptionError, match="a spec holds all settings; found seeds beside it"):
        lengthwise.run(lengthwise.Spec(tasks=("parity",)), store, seeds=2)
    assert not store.exists()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("lr", "learning_rate"),
        ("d_model", "width"),
        ("n_layers", "layers"),
        ("encoding", "encodings"),
        ("trian_length", "train_length"),
        ("worker", "workers"),
    ],
)
def test_run_suggests_the_setting_that_is_called_otherwise_elsewhere(tmp_path: Path, name: str, meant: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        lengthwise.run("parity", tmp_path / "runs.sqlite", **{name: [1, 2]})
    assert caught.value.message.startswith(f"setting {name!r} is unknown. Known: tasks, encodings, seeds, ")
    assert caught.value.hint == f"did you mean {meant!r}?"


def test_importing_lengthwise_loads_nothing_else() -> None:
    code = "import sys, lengthwise; print(*[name for name in sys.modules if name.startswith('lengthwise')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["lengthwise._version", "lengthwise"]
