"""The code of task files runs in a process of its own: however it ends, a sentence says so, and nothing is left behind."""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lengthwise
from lengthwise.arrays import numpy_arrays
from lengthwise.cli.main import main
from lengthwise.errors import LengthwiseError, UserCodeError
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.user import task_process, watch
from lengthwise.tasks.user.process.main import MOST_BYTES
from lengthwise.tasks.user.python_task import PythonTask, read_python_task
from lengthwise.tasks.user.template import TEMPLATE

FIRST = 'import os, sys, time\nalphabet = ["a", "b"]\ndef answer(prompt):\n    return prompt[:1]\n'
PLAIN = FIRST.partition("\n")[2]
LOOP = "while True: pass"
ENDLESS = "10**10**8"
EAT = "while True: data.append(bytearray(10**6))"
SOURCE = str(Path(lengthwise.__file__).parents[1])


def answering(body: str) -> str:
    """Return a file whose oracle does something before it answers."""
    return "data = []\n" + FIRST.replace("    return", f"    {body}\n    return")


def sampling(body: str) -> str:
    """Return a file whose sampler does something before it fails to return."""
    return f"data = []\n{FIRST}def sample(random, length):\n    {body}\n"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def read_quickly(text: str, *, memory: int = 2**28) -> PythonTask:
    """Return the task of a file under small limits.

    Only code that never ends gets little CPU time. On a busy machine, even memory that is touched for the first time can
    take longer than that.
    """
    patience = 0.3 if LOOP in text or ENDLESS in text else 30.0
    return read_python_task(save("mine.py", text), patience=patience, memory=memory)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    for _ in range(600):
        if not is_running(pid):
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} is still there")


# Every end is a sentence


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (answering(LOOP), "answer() used more than 0.3 s of CPU time at the prompt ab."),
        (answering(ENDLESS), "answer() used more than 0.3 s of CPU time at the prompt ab."),
        (
            answering("import signal; signal.signal(signal.SIGPROF, signal.SIG_IGN)\n    " + LOOP),
            "answer() used more than 0.6 s of CPU time at the prompt ab.",
        ),
        (answering(EAT), "answer() used more than 0.25 GiB of memory at the prompt ab."),
        (answering("x = ' ' * 10**12"), "answer() used more than 0.25 GiB of memory at the prompt ab."),
        (answering("os._exit(0)"), "answer() ended its process with exit code 0 at the prompt ab."),
        (answering("os.kill(os.getpid(), 9)"), "answer() was ended by signal 9 (SIGKILL) at the prompt ab."),
        (answering("os.abort()"), "answer() was ended by signal 6 (SIGABRT) at the prompt ab."),
        (answering("os.closerange(3, 99)"), "answer() ended its process with exit code 1 at the prompt ab."),
        (
            answering("[os.write(file, b'{}\\n') for file in range(3, 9) if os.isatty(file) or file > 3]"),
            "answer() wrote what is no answer at the prompt ab.",
        ),
        (answering("sys.exit(3)"), "answer() fails at the prompt ab: line 5: SystemExit: 3."),
        (answering("raise KeyboardInterrupt"), "answer() fails at the prompt ab: line 5: KeyboardInterrupt."),
        (answering("answer(prompt)"), "answer() fails at the prompt ab: line 5: RecursionError: maximum recursion depth exceeded."),
        (answering("return [object()]"), "answer returned "),
        (answering("return [[]]"), "answer returned [[]] for the prompt ab; it must return a list of strings."),
        (answering("return 'a' * 10**7"), f"answer returned '{'a' * 56}… for the prompt ab; it must return a list of strings."),
        (answering("return ['a'] * 10**6"), "answer returned 1000000 symbols for the prompt ab; at most 10000 are allowed."),
    ],
)  # fmt: skip
def test_an_oracle_that_does_not_answer_ends_with_a_sentence(text: str, message: str) -> None:
    task = read_quickly(text)
    with pytest.raises(LengthwiseError) as caught:
        task.process.ask("answer", [(["a", "b"],)])
    assert caught.value.message.startswith(f"'mine.py': {message}")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (sampling(LOOP), "sample() used more than 0.3 s of CPU time at length 3."),
        (sampling(EAT), "sample() used more than 0.25 GiB of memory at length 3."),
        (sampling("os._exit(0)"), "sample() ended its process with exit code 0 at length 3."),
        (
            FIRST + f"def is_valid(prompt):\n    {LOOP}\n",
            "is_valid() used more than 0.3 s of CPU time at the prompt ",
        ),
    ],
)
def test_a_sampler_that_does_not_return_ends_with_a_sentence(text: str, message: str) -> None:
    task = read_quickly(text)
    with pytest.raises(UserCodeError) as caught:
        task.lengths(3, 3)
    assert caught.value.message.startswith(f"'mine.py': {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LOOP, ": the file used more than 0.3 s of CPU time at its top level."),
        (f"data = []\n{EAT}", ": the file used more than 0.25 GiB of memory at its top level."),
        ("import os\nos._exit(0)", ": the file ended its process with exit code 0 at its top level."),
        ("raise SystemExit(0)", " cannot be run: line 1: SystemExit: 0."),
        ("import builtins\ndel builtins.len\n" + FIRST, ": the file ended its process with exit code 1 at its top level."),
        ("class Odd:\n    def __repr__(self): return 1 / 0\n" + FIRST + "language = Odd()\n",
         ": language must be a text; found an object of type Odd."),
        (f"class Odd:\n    def __repr__(self):\n        {LOOP}\n{FIRST}language = Odd()\n",
         ": the file used more than 0.3 s of CPU time at its top level."),
        ("class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd", " cannot be run: line 3: Odd."),
        (FIRST + "alphabet *= 10**7\n", ": alphabet has 20000000 symbols; at most 10000 are allowed."),
        (FIRST + "alphabet.append('c' * 10**6)\n",
         f": alphabet has a symbol of 1000000 characters, '{'c' * 56}…; at most 1000 are allowed."),
        (FIRST + "definition = 'c' * 10**6\n", ": definition has 1000000 characters; at most 100000 are allowed."),
        (FIRST + "min_length = 10**9999\n", ": min_length must be a whole number from 0 to 100000; found an object of type int."),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_ends_with_a_sentence(text: str, message: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        read_quickly(text, memory=2**28 if "append(byte" in text else 2**30)
    assert caught.value.message == f"'mine.py'{message}"
    assert caught.value.hint


def test_a_file_that_sleeps_is_ended_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "ASLEEP", 0.6)
    task = read_quickly(answering("time.sleep(10**6)"))
    with pytest.raises(UserCodeError) as caught:
        task.answer(["a", "b"])
    assert caught.value.message.startswith("'mine.py': answer() was asleep for more than 0.6 s at the prompt ")


def test_a_reply_has_a_largest_size() -> None:
    long = FIRST.replace('"a"', "'a' * 1000").replace("prompt[:1]", "alphabet[:1] * 10**4")
    task = read_python_task(save("mine.py", long))
    with pytest.raises(UserCodeError, match=f"of which at most {MOST_BYTES} can be read at the prompt b."):
        task.process.ask("answer", [(["b"],)] * 8)


# The process


def test_a_task_answers_again_after_its_process_has_ended() -> None:
    task = read_quickly(answering("len(prompt) > 1 and os._exit(0)"))
    for _ in range(2):
        with pytest.raises(UserCodeError):
            task.process.ask("answer", [(["a", "a"],)])
        assert task.process.ask("answer", [(["b"],)]) == [["b"]]


def test_one_question_has_many_answers_up_to_the_first_that_fails() -> None:
    task = read_quickly(answering("assert len(prompt) < 3"))
    made, problem = task.process.ask_until_wrong("answer", [(["a"] * number,) for number in (1, 2, 3, 1)])
    assert made == [["a"], ["a"]]
    assert problem is not None
    assert problem.message == "'mine.py': answer() fails at the prompt aaa: line 5: AssertionError."


def test_a_task_can_be_sent_to_another_process() -> None:
    task = pickle.loads(pickle.dumps(read_quickly(FIRST)))
    assert task.answer(["b", "a"]) == ["b"]


def test_a_process_ends_with_its_task() -> None:
    task = read_quickly(FIRST)
    assert task.process._running is not None
    pid = task.process._running._process.pid
    assert is_running(pid)
    del task
    wait_until_gone(pid)


def test_the_file_may_import_lengthwise_and_its_process_has_loaded_little() -> None:
    heavy = "assert not {'numpy', 'lengthwise', 'lengthwise.theory.facts'} & set(sys.modules)\n"
    task = read_quickly("import sys\n" + heavy + "import lengthwise\ndefinition = lengthwise.__version__\n" + FIRST)
    assert task.definition == lengthwise.__version__


def test_the_file_finds_what_this_process_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("more").mkdir()
    save("more/beside.py", "definition = 'found'\n")
    monkeypatch.syspath_prepend("more")
    assert read_quickly("from beside import definition\n" + FIRST).definition == "found"


def test_the_file_has_no_input_and_its_own_arguments() -> None:
    task = read_quickly(FIRST + "definition = repr((sys.stdin.read(), sys.argv))\n")
    assert task.definition == "('', ['mine.py'])"


DRIVER = """
import sys
from lengthwise.tasks.user.python_task import read_python_task
task = read_python_task("mine.py")
print(task.process._running._process.pid, flush=True)
task.answer(["a", "b"])
"""


@pytest.mark.parametrize("body", [LOOP, "time.sleep(10**6)"])
def test_a_process_ends_soon_after_its_parent_is_killed(body: str) -> None:
    save("mine.py", answering(body))
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    with subprocess.Popen([sys.executable, "-c", DRIVER], stdout=subprocess.PIPE, env=environment) as driver:
        assert driver.stdout is not None
        pid = int(driver.stdout.readline())
        driver.kill()
    wait_until_gone(pid)


def test_ctrl_c_ends_the_command_and_the_process() -> None:
    tell = "open('pid', 'w').write(str(os.getpid()))\nprint('begun', file=sys.stderr, flush=True)\n"
    save("mine.py", FIRST + tell + LOOP + "\n")
    command = [sys.executable, "-m", "lengthwise", "show", "task", "mine.py"]
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as driver:
        assert driver.stderr is not None
        for line in driver.stderr:
            if line == "begun\n":
                break
        driver.send_signal(signal.SIGINT)
        said = driver.stderr.read()
    assert (driver.returncode, said) == (130, "interrupted.\n")
    wait_until_gone(int(Path("pid").read_text()))


# What must not change

GOLDEN = {
    "lift.py": (TEMPLATE, "b7105988ad9a9dfb", 450249456, 13),
    "odd.py": (PLAIN + "def is_valid(prompt):\n    return len(prompt) % 2 == 1\n", "f250beec8ea1cac0", 289625636, 13),
    "unique.py": (
        'alphabet = ["a", "b", "c"]\ndef answer(prompt):\n    return sorted(set(prompt))\n',
        "8d2c54ad28968803",
        1631168914,
        21,
    ),
    "rare.py": (
        PLAIN + "def is_valid(prompt):\n    return prompt[:5] == ['a'] * 5\nmin_length = 5\n",
        "5590e54682a151c4",
        642563415,
        13,
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_instances_are_those_that_were_made_before_files_had_processes(name: str) -> None:
    text, digest, revision, size = GOLDEN[name]
    xp = numpy_arrays()
    task = find_task(save(name, text))
    lengths = list(task.lengths(1, 12))
    batch = task.sample(open_stream(DATA, seed=[0, 7], xp=xp).at(3), xp.asarray((lengths * 60)[:120]), 12, xp)
    parts = b"".join(part.tobytes() for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB))
    assert (hashlib.sha256(parts).hexdigest()[:16], task.revision, task.size(9)) == (digest, revision, size)


# The commands


@pytest.mark.parametrize(
    "command",
    [["show", "task", "mine.py"], ["predict", "mine.py"], ["recommend", "mine.py"], ["complexity", "mine.py"]],
)
def test_every_command_ends_with_the_sentence(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    save("mine.py", FIRST + "os._exit(0)\n")
    assert main(command) == 2
    assert capsys.readouterr() == (
        "",
        "note: running the code in mine.py (named on the command line), in a process of its own.\n"
        "error: 'mine.py': the file ended its process with exit code 0 at its top level.\n"
        "hint: raise an exception instead of ending the process.\n",
    )


def test_the_code_that_runs_is_told_once_for_each_file(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one.py", "two.py"):
        save(name, PLAIN)
    assert main(["predict", "one.py", "two.py", "one.py"]) == 0
    assert capsys.readouterr().err == "".join(
        f"note: running the code in {name} (named on the command line), in a process of its own.\n"
        for name in ("one.py", "two.py")
    )


def test_the_code_that_a_spec_names_is_told_with_the_spec(capsys: pytest.CaptureFixture[str]) -> None:
    save("mine.py", FIRST + "os._exit(0)\n")
    save("spec.toml", 'tasks = ["mine.py"]\nencodings = ["nope"]\n')
    assert main(["run", "spec.toml"]) == 2
    assert capsys.readouterr().err.startswith(
        "note: running the code in mine.py (named in spec.toml), in a process of its own.\n"
    )


def test_the_library_tells_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    find_task(save("mine.py", PLAIN)).answer(["a"])
    assert capfd.readouterr() == ("", "")


def test_limits_are_generous() -> None:
    assert task_process.PATIENCE == 20.0
    assert task_process.MEMORY == 4 * 2**30
    assert watch.ASLEEP == 30.0
