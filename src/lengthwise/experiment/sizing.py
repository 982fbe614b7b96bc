"""How many models train together, and whether their step is compiled: from memory on a GPU, by a short trial on a CPU."""

from __future__ import annotations

from collections.abc import Callable

from ..encodings.core.choice import find_encoding
from ..train.settings import EVEN_SIZES, RING_BYTES
from .plan import DEFAULT_CHOICE, Choice, Run
from .trials import Trials

Chooser = Callable[[Run, int], Choice]
"""Chooses for a run like this one, of which there are so many."""

_MOST_MODELS = 2048  # no more has been measured
_SIZES = (1, 4, 8, 16)  # tried on a CPU
_USUAL_MEMORY = 32 * 2**30  # bytes of a GPU that cannot be asked
_WAVES = 2  # how often a slot is filled on a GPU, at least, where that leaves it busy
_BEST_RATE = 4e14  # operations a second that training of wide models is taken to reach on an H200
_FEW = 16  # runs that train at once, however many they are: five seeds in four slots would take twice as long
_BUSY_STEP = 0.004  # seconds of a step from which a GPU is busy
_LEAST_STEP = 0.002  # seconds of a recorded step on an H200, however small it is
_TRIAL_STEP = 0.5  # seconds of a step beyond which models are so large that nothing is gained by more of them
_WORTH_TRYING = 5.0  # seconds that a model trains alone, from which it matters how many train together
_WORTH_COMPILING_ON_GPU = 45.0  # compiling takes about 25 s and makes steps about twice as fast
_WORTH_COMPILING = 300.0  # seconds of training from which a trial of compilation, some 20 seconds, is worth it


def choose_on_gpu(device: str, num_gpus: int, workers: int) -> Chooser:
    """Return a chooser by the memory of each GPU, which its share of the workers divide among them.

    Where this machine has no GPU, because others train, a usual one is assumed; a stack that does not fit is halved.

    A stack has as many slots as keep the GPU busy, but half of the runs at most beyond that: the more often a slot is
    filled again, the smaller is the share of slots that are empty at the end.
    """
    import torch

    free = torch.cuda.mem_get_info(device)[0] if torch.cuda.is_available() else _USUAL_MEMORY
    room = int(0.8 * free / -(-workers // num_gpus)) - RING_BYTES

    def choose(run: Run, number: int) -> Choice:
        each = bytes_per_model(run)
        fitting = max(1, room // each)
        own = -(-number // num_gpus)
        wanted = min(own, max(own // _WAVES, int(_BUSY_STEP / _seconds_per_model(run))), fitting, _MOST_MODELS)
        models = own if wanted == own <= _FEW else _even(wanted)
        why = "all of them" if models == own else f"of {own}"
        if fitting < own:
            why += f"; {room / 2**30:.0f} GiB hold {fitting} at {each / 2**20:.0f} MiB each"
        compiled, told = is_worth_compiling(run, own)
        return Choice(models=models, compiled=compiled, reason=f"{models} models, {why}; {told}")

    return choose


def _even(models: int) -> int:
    """Return the largest of few sizes up to this one, for which programs may be known."""
    return max(size for size in EVEN_SIZES if size <= models)


def _seconds_per_model(run: Run) -> float:
    """Return about how long a step of one of many models takes on an H200.

    The numbers are fitted to five stacks that were measured there, within a fifth: widths 16 to 256, 1 and 4 heads, 1 to 4
    layers, rows of 51 to 103 places.
    """
    from ..tasks.core.catalog import find_task

    shape, size = run.model, find_task(run.task).size(run.train_length)
    width = shape.width
    of_place = 7.3e-10 * shape.heads + 3.3e-11 * width + 5.8e-14 * width**2 + 3.5e-14 * width * size
    at_best = (72 * width**2 + 12 * width * size) / _BEST_RATE  # matrix products of wider models than were measured
    return run.training.batch * size * shape.layers * max(of_place, at_best)


def seconds_per_step_on_gpu(run: Run, models: int) -> float:
    """Return about how long a step of so many models takes. Measured on an H200: some 2 ms however small they are."""
    return max(_LEAST_STEP, models * _seconds_per_model(run))


def is_worth_compiling(run: Run, number: int) -> tuple[bool, str]:
    """Return whether so many runs on a GPU train so long that compiling their step pays, and why."""
    seconds = run.training.steps * (_LEAST_STEP + number * _seconds_per_model(run))
    if seconds < _WORTH_COMPILING_ON_GPU:
        return False, f"recorded but not compiled, about {_whole(seconds)} s at most"
    return True, "compiled and recorded"


def bytes_per_model(run: Run) -> int:
    """Return about how much memory a model takes on a GPU in training and evaluation, on the safe side."""
    from ..tasks.core.catalog import find_task

    task = find_task(run.task)
    shape, training = run.model, run.training
    vocabulary, longest = len(task.vocabulary), task.size(run.bins[-1].high)
    weights = shape.layers * 12 * shape.width**2 + (2 * vocabulary + longest) * shape.width
    tokens = training.batch * (task.size(run.train_length) + 8)
    in_training = 20 * weights + tokens * (60 * shape.width * shape.layers + 4000)
    in_evaluation = 8192 * (40 * shape.width + 6 * vocabulary) + 60 * training.examples * longest * task.attempts
    regularized = 16 * shape.layers * shape.heads * longest**2 if dict(training.penalties).get("positional") else 0
    return in_training + in_evaluation + regularized + _bytes_of_scores(run, task.size(run.train_length), longest)


def _bytes_of_scores(run: Run, size: int, longest: int) -> int:
    """Return about how much memory scores take with an encoding that acts on them, so that they are stored."""
    choice = find_encoding(run.encoding)
    cards = [part.card for part in choice.parts]
    if not any({"scores", "weights", "values"} & set(card.acts_on) for card in cards):
        return 0
    heads = run.model.heads
    wide = max((int(value) for name, value in choice.options if name == "hidden"), default=0)  # a network on each pair
    per_pair = 4 * (14 * heads + (4 * wide if any(card.network_on_scores for card in cards) else 0))
    alone = 16 * wide * size**2  # a network on the pairs of one row
    return run.model.layers * (run.training.batch * size**2 * per_pair + alone) + 8192 * longest * per_pair


def choose_on_cpu(
    workers: int, num_runs: int, trials: Trials, on_trial: Callable[[Run], None] = lambda _: None
) -> Chooser:
    """Return a chooser that tries sizes on one core, unless trials of this shape are known; it tells of those it makes."""
    at_most = max(1, -(-num_runs // workers))  # no worker should be without work

    def choose(run: Run, number: int) -> Choice:
        if not trials.has(run):
            on_trial(run)
        return _by_trials(run, min(number, at_most, _SIZES[-1]), trials)

    return choose


def _by_trials(run: Run, largest: int, trials: Trials) -> Choice:
    """Return the size with the most steps of models in a second, of those that are worth a trial."""
    sizes = sorted({1, largest, *(size for size in _SIZES if size < largest)})
    alone = trials.find(run, 1).step
    if alone * run.training.steps < _WORTH_TRYING:
        few = min(largest, DEFAULT_CHOICE.models)
        brief = f"{_whole(alone * run.training.steps)} s each at most"
        return Choice(models=few, compiled=False, reason=f"{few} models, too short to be worth a trial: {brief}")
    brief_enough = [size for size in sizes[1:] if size * alone < _TRIAL_STEP]
    seconds = {1: alone} | {size: trials.find(run, size).step for size in brief_enough}
    best = max(seconds, key=lambda size: size / seconds[size])
    speed = best / seconds[best]
    reason = f"{best} models: {speed:.0f} model·steps/s on one core"
    if best != 1:
        reason += f", {1 / seconds[1]:.0f} alone"
    eager = seconds[best] * run.training.steps
    if eager < _WORTH_COMPILING or seconds[best] > _TRIAL_STEP:
        return Choice(models=best, compiled=False, reason=f"{reason}; not compiled, {_whole(eager)} s at most")
    compiled = trials.find(run, best, compiled=True)
    gains = compiled.step * run.training.steps + compiled.set_up < eager
    told = f"compiled, which gives {best / compiled.step:.0f} after {compiled.set_up:.0f} s"
    return Choice(models=best, compiled=gains, reason=f"{reason}; {'' if gains else 'not '}{told}")


def _whole(seconds: float) -> int:
    """Return seconds as a whole number of them, at least one."""
    return max(1, round(seconds))
