"""Ctrl-C waits for what must not be cut in half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from lengthwise.experiment.interrupts import interrupts_deferred


def test_an_interrupt_inside_is_raised_at_the_end() -> None:
    done = []

    def work() -> None:
        with interrupts_deferred():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest")
        done.append("never reached")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the rest"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # as before


def test_an_interrupt_taken_by_another_thread_waits_too() -> None:
    done = []
    idle = threading.Event()
    thread = threading.Thread(target=idle.wait, daemon=True)  # this one does not block the signal
    thread.start()

    def work() -> None:
        with interrupts_deferred():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        work()
    idle.set()
    assert done == ["the rest"]


def test_without_an_interrupt_nothing_is_raised() -> None:
    handler = signal.getsignal(signal.SIGINT)
    with interrupts_deferred():
        pass
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_error_inside_is_not_replaced() -> None:
    with pytest.raises(ZeroDivisionError), interrupts_deferred():
        raise ZeroDivisionError


def test_outside_of_the_main_thread_nothing_changes() -> None:
    seen = []

    def work() -> None:
        with interrupts_deferred():
            seen.append(signal.getsignal(signal.SIGINT))

    handler = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [handler]


def test_a_child_started_inside_does_not_see_an_interrupt() -> None:
    code = "import signal, sys; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    with interrupts_deferred():
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "True\n"
