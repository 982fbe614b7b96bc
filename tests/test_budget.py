"""The budget of CPU time: what it counts, who shares it, and what becomes of an answer when it runs out."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from itertools import count
from time import sleep, thread_time

import pytest
from theory_generators import random_languages

from lengthwise.budget import checkpoint, default_time_budget, time_budget
from lengthwise.cli.main import main
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.errors import OutOfTimeError
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.predict import predict
from lengthwise.predict.recommend import recommend
from lengthwise.predict.theories import Theory, Verdicts, weigh
from lengthwise.theory import windows
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.repairs import MAX_SPLIT_NAMES, find_repairs
from lengthwise.theory.windows import Caps

REPAIR_BOMB = "[ab]*a[ab][a-c]{2}{3}"
ADVICE_BOMB = "(a[ab]*a[ab]{3}|b|c)*abc(a|b)*×"
NO_TIME = Caps(max_seconds=0.0, max_advice_seconds=0.0)


def use_processor(seconds: float) -> None:
    """Let this thread compute for so long."""
    end = thread_time() + seconds
    while thread_time() < end:
        pass


def test_a_budget_that_is_spent_raises_at_the_next_checkpoint() -> None:
    with time_budget(0.02, "this", hint="wait.") as budget:
        checkpoint()
        use_processor(0.03)
        assert budget.is_spent
        with pytest.raises(OutOfTimeError) as caught:
            checkpoint()
    assert str(caught.value) == "this took more than 0.02 s of CPU time, the cap.\nhint: wait."
    checkpoint()  # without a budget, nothing


def test_waiting_costs_nothing() -> None:
    with time_budget(0.1, "this"):
        sleep(0.3)
        checkpoint()


def test_the_time_of_another_thread_costs_nothing() -> None:
    other = threading.Thread(target=use_processor, args=(0.3,))
    with time_budget(0.15, "this"):
        other.start()
        other.join()
        checkpoint()


def test_another_thread_has_no_budget_and_opens_its_own() -> None:
    found: list[str] = []

    def ask() -> None:
        checkpoint()
        with default_time_budget(0.0, "theirs"), pytest.raises(OutOfTimeError) as caught:
            checkpoint()
        found.append(caught.value.message)

    with time_budget(0.0, "ours"):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert found == ["theirs took more than 0 s of CPU time, the cap."]


def test_an_inner_budget_does_not_lift_an_outer_one() -> None:
    with time_budget(0.0, "outer"), time_budget(100.0, "inner"), pytest.raises(OutOfTimeError, match="outer took"):
        checkpoint()
    with (
        time_budget(0.0, "outer"),
        default_time_budget(100.0, "default"),
        pytest.raises(OutOfTimeError, match="outer took"),
    ):
        checkpoint()


@pytest.mark.parametrize("fragment", Fragment)
def test_a_decision_without_time_is_unknown_or_right(fragment: Fragment) -> None:
    """Wherever it stops, an answer that is given is the right one; here it stops at the first checkpoint it meets."""
    unknown = 0
    for language in random_languages(19, 25):
        for asked in Asked:
            facts = Facts(language=language, asked=asked)
            hurried = decide(facts, fragment, caps=NO_TIME)
            if hurried.answer is Answer.UNKNOWN:
                unknown += 1
                assert hurried.certificate is None
            else:
                assert hurried.answer is decide(facts, fragment).answer
    assert unknown > 5


@pytest.mark.parametrize("steps", [1, 3, 10, 30, 100, 300, 1000, 3000])
def test_an_answer_is_right_or_unknown_wherever_the_time_ends(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Both clocks go on by a second whenever they are read, so that no machine changes where the time ends."""
    texts = ("(ab|bbaa)*", "(aab*aa|ab)*", "(cca*b|bb|a)*", "((bb)*bab|a)*", "(aaa|b)*", "[abc]*ab[abc]*", "(a{6}|b)*")
    for text in texts:
        for fragment in Fragment:
            facts = Facts(language=compile_regex(text))
            right = decide(facts, fragment)
            clock = count().__next__
            with monkeypatch.context() as patched:
                patched.setattr("lengthwise.budget.perf_counter", clock)
                patched.setattr("lengthwise.budget._cpu_time", clock)
                hurried = decide(facts, fragment, caps=replace(Caps(), max_seconds=steps))
            assert hurried.answer in (right.answer, Answer.UNKNOWN)
            if hurried.certificate is None:
                assert "s of CPU time, the cap" in hurried.reason or hurried == right
            else:
                assert hurried == right


def test_the_reason_names_the_cap_and_what_to_do() -> None:
    verdict = decide(Facts(language=compile_regex("[ab]*ab[ab]*")), Fragment.LOCAL, caps=NO_TIME)
    assert (verdict.answer, verdict.readout) == (Answer.UNKNOWN, Readout.END_MARKER)
    assert verdict.reason == (
        "Not decided: deciding this took more than 0 s of CPU time, the cap. More effort (--effort 10) allows more time."
    )
    verdict = decide(Facts(language=compile_regex("[ab]*b")), Fragment.LOCAL, Readout.LAST_SYMBOL, caps=NO_TIME)
    assert (verdict.answer, verdict.readout) == (Answer.UNKNOWN, Readout.LAST_SYMBOL)


@pytest.mark.parametrize("readout", [None, Readout.LAST_SYMBOL])
@pytest.mark.parametrize("text", ["(aa)*", "[ab]*b", "(ab|bbaa)*"])
def test_both_theories_of_every_encoding_say_something_when_no_time_is_left(text: str, readout: Readout | None) -> None:
    """The first encodings may use up the time of all; the others are then open, and no error ends the answer."""
    facts = Facts(language=compile_regex(text))
    right = Verdicts(facts, readout, None)
    stopped = 0
    for name in ENCODINGS:
        choice = find_encoding(name)
        for theory in Theory:
            with time_budget(0.0, "deciding this"):
                hurried = weigh(choice, theory, Verdicts(facts, readout, None))
            full = weigh(choice, theory, right)
            assert hurried.answer in (full.answer, Answer.UNKNOWN)
            stopped += hurried.answer is not full.answer
    assert stopped > 5


def test_effort_multiplies_time() -> None:
    caps = Caps().times(10)
    assert caps.max_seconds == 10 * Caps().max_seconds
    assert caps.max_advice_seconds == 10 * Caps().max_advice_seconds


def test_advice_that_runs_out_says_so_and_keeps_what_it_has() -> None:
    full = recommend("(aa)*")
    assert full.stopped == ""
    assert full.repairs
    hurried = recommend("(aa)*", caps=replace(Caps(), max_advice_seconds=0.0))
    assert hurried.stopped == "looking for programs and advice took more than 0 s of CPU time, the cap."
    assert hurried.repairs == ()
    answers = [row.prediction.verdict for row in hurried.ranking]
    assert answers == [row.prediction.verdict for row in full.ranking]


def test_advice_that_runs_out_is_noted_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows.Caps, "times", lambda self, _: replace(self, max_advice_seconds=0.0))
    note = (
        "note: the search for advice stopped early: looking for programs and advice took more than 0 s of CPU time, the cap. "
        "--effort 10 allows ten times as much.\n"
    )
    for arguments in (["recommend", "(aa)*"], ["predict", "(aa)*", "--explain"], ["predict", "(aa)*", "--json"]):
        assert main(arguments) == 0
        shown = capsys.readouterr()
        assert shown.err == note
        assert shown.out


def test_the_bombs_of_the_issue_are_answered_within_seconds_of_cpu_time(capsys: pytest.CaptureFixture[str]) -> None:
    start = thread_time()
    assert main(["recommend", REPAIR_BOMB]) == 0
    assert main(["predict", ADVICE_BOMB, "--explain"]) == 0
    assert thread_time() - start < 20  # 53 and 14 seconds before
    assert "₁₃" not in capsys.readouterr().out


def test_no_repair_gives_a_symbol_more_names_than_anybody_would_write() -> None:
    language = compile_regex(REPAIR_BOMB)
    for repair in find_repairs(language, Fragment.PLAIN):
        assert len(repair.language.alphabet) <= len(language.alphabet) * MAX_SPLIT_NAMES


def test_an_expression_that_takes_too_long_to_read_is_an_error_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OutOfTimeError) as caught:
        predict("([ab]*a[ab]{5}c)*", caps=NO_TIME)
    assert str(caught.value) == (
        "deciding this took more than 0 s of CPU time, the cap.\n"
        "hint: use a smaller question, or more effort (--effort 10)."
    )
    assert main(["predict", "(ab)*", "--effort", "1000000000", "--json"]) == 2
    assert "--effort: it takes a whole number from 1 to 1,000" in capsys.readouterr().err


def test_pairs_have_a_cap(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "(aa)*", "--pairs", "1000000000"]) == 2
    assert capsys.readouterr().err == (
        "error: argument --pairs: it takes a whole number from 0 to 1,000; found '1000000000'.\n"
        "hint: see 'lengthwise predict --help'.\n"
    )
    assert main(["predict", "(aa)*", "--pairs", "3", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3
