"""How many models train together on a GPU: few runs all at once, many in waves, and never more than fit into its memory."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from lengthwise.experiment import sizing
from lengthwise.experiment.plan import Run, make_runs
from lengthwise.experiment.sizing import bytes_per_model, choose_on_gpu, seconds_per_step_on_gpu
from lengthwise.experiment.spec import Spec
from lengthwise.model.shape import Shape
from lengthwise.train.settings import EVEN_SIZES, RING_BYTES, Training


def run_of(task: str, layers: int, heads: int, width: int, steps: int = 8000) -> Run:
    spec = Spec(
        tasks=(task,),
        encodings=("nope",),
        seeds=1,
        train_length=50,
        test_length=150,
        learning_rate=0.001,
        model=Shape(layers=layers, heads=heads, width=width),
        training=Training(steps=steps),
    )
    return make_runs([spec])[0]


SMALL, LARGE = run_of("(ab)*", 2, 4, 32), run_of("unique_copy", 4, 4, 256, 30_000)


@pytest.mark.parametrize(
    ("run", "models", "speed"),
    [
        (LARGE, 64, 2_733),
        (run_of("(ab)*", 4, 4, 64), 192, 13_760),
        (SMALL, 2048, 37_500),
        (run_of("unique_copy", 2, 1, 64), 256, 22_894),
        (run_of("bin_majority", 1, 1, 16), 2048, 237_717),
    ],
)
def test_the_time_of_a_step_is_about_what_was_measured(run: Run, models: int, speed: float) -> None:
    assert models / seconds_per_step_on_gpu(run, models) == pytest.approx(speed, rel=0.2)


@pytest.mark.parametrize("number", [1, 3, 5, 7, 13])
def test_few_runs_train_at_once_however_large_they_are(number: int) -> None:
    choice = choose_on_gpu("cuda", 1, 1)(SMALL, number)
    assert choice.models == number
    assert choose_on_gpu("cuda", 1, 1)(LARGE, min(number, 5)).models == min(number, 5)


def test_many_runs_fill_their_slots_more_than_once_and_sizes_are_few() -> None:
    choose = choose_on_gpu("cuda", 1, 1)
    sizes = {choose(SMALL, number).models for number in range(17, 900, 7)}
    assert sizes <= set(EVEN_SIZES)
    assert choose(SMALL, 800).models <= 400
    assert choose_on_gpu("cuda", 2, 2)(SMALL, 800).models <= choose(SMALL, 800).models


def test_no_more_models_than_fit_into_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    room = 3 * bytes_per_model(LARGE)
    monkeypatch.setattr(sizing, "_USUAL_MEMORY", int((room + RING_BYTES) / 0.8) + 1)
    choice = choose_on_gpu("cuda", 1, 1)(LARGE, 5)
    assert choice.models == 3
    assert "hold 3 at" in choice.reason


def test_a_step_is_compiled_where_training_takes_long() -> None:
    choose = choose_on_gpu("cuda", 1, 1)
    assert choose(LARGE, 5).compiled
    brief = choose(run_of("(ab)*", 2, 4, 32, steps=200), 6)
    assert not brief.compiled
    assert "recorded but not compiled" in brief.reason
