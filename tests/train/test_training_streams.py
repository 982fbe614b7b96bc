"""Different instances decide when to stop, whether a run fits, and what it scores; and testing further changes no training."""

from __future__ import annotations

import pytest
import torch

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.base import Fit
from lengthwise.encodings.core.build import make_encoding
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.errors import LengthwiseError
from lengthwise.experiment.plan import make_groups
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import training_runs
from lengthwise.model.shape import Shape
from lengthwise.train.instance_sets import FIT
from lengthwise.train.settings import FIT_EXAMPLES, Training
from lengthwise.train.stack import Stack

SMALL = {
    "model": Shape(layers=1, heads=2, width=16),
    "training": Training(steps=20, batch=32, evaluate_every=10, examples=50),
}


def stack_for(**settings: object) -> Stack:
    (cell,) = make_groups(Spec(encodings=("ape",), seeds=1, **(SMALL | settings)))  # type: ignore[arg-type]
    return Stack.of(training_runs(cell))


def test_whether_a_run_fits_is_read_from_fresh_instances_of_the_longest_training_lengths() -> None:
    stack = stack_for(tasks=("parity",), train_length=10)
    fit = stack.test([0])[0].fit
    assert sum(score.examples for score in fit) == FIT_EXAMPLES
    assert {score.length for score in fit} == {8, 9, 10}


def test_instances_that_stop_fit_and_score_are_different() -> None:
    stack = stack_for(tasks=("parity",), train_length=60, test_length=180)
    sets = [
        stack._examples[0],
        *(stack._test_sets([0], kind, 0)[0][0] for kind in ("", FIT)),
    ]
    words = [{tuple(row) for row in examples.batch.tokens_MBL[0].tolist()} for examples in sets]
    longest = [{row for row in of_set if min(row.count(0), row.count(1)) > 10} for of_set in words]
    assert all(longest), "there are such words; others repeat by chance"
    for number, of_set in enumerate(longest):
        assert not any(of_set & other for other in longest[:number])


def test_testing_further_changes_nothing_in_training_or_at_shorter_lengths() -> None:
    near, far = (stack_for(tasks=("bin_majority",), test_length=length, room=60) for length in (30, 60))
    for stack in (near, far):
        stack.advance(20)
    assert torch.equal(near.weights.values_MP, far.weights.values_MP)
    tested = near.test([0])[0], far.test([0])[0]
    assert tested[0].fit == tested[1].fit
    assert tested[1].scores[: len(tested[0].scores)] == tested[0].scores


def test_tables_of_positions_have_room_for_three_times_the_training_length() -> None:
    cells = make_groups(Spec(tasks=("parity",), encodings=("ape", "rope"), train_length=8, test_length=16))
    assert [cell[0].room for cell in cells] == [24, None]
    assert [cell[0].settings.get("room") for cell in cells] == [24, None]
    with pytest.raises(LengthwiseError) as caught:
        make_groups(Spec(tasks=("parity",), train_length=8, test_length=32))
    assert caught.value.message == (
        "'ape' has room for inputs up to length 24 (3 times the training length, the default), and test_length is 32."
    )
    assert caught.value.hint == "set room to at least 32, which changes how it is trained, or test up to 24."


def made(name: str, room: int) -> tuple[object, ...]:
    """Return the shapes of the parameters of an encoding that is made for so many positions, and its numbers."""
    fit = Fit(
        num_models=1, num_heads=2, head_width=8, width=16, max_length=room, trained=10, num_layers=2, digits=(0, 1)
    )
    encoding = make_encoding(find_encoding(name), fit)
    numbers = {key: value for key, value in vars(encoding).items() if isinstance(value, (int, float))}
    return [tuple(parameter.shape) for parameter in encoding.parameters()], numbers


@pytest.mark.parametrize(
    "name", [*(name for name in ENCODINGS if name != "lbpe_found"), "offset(rope)", "random_float(rope)"]
)
def test_an_encoding_depends_on_its_room_only_if_it_says_so(name: str) -> None:
    assert (made(name, 30) != made(name, 90)) == find_encoding(name).uses_room
