"""Tasks of users: every kind of file from the name to the run, and every finding about one, word for word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.cli.main import main
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.measures import fragment_of
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.programs.catalog import PROGRAMS
from lengthwise.crasp.syntax import Program
from lengthwise.errors import CapExceededError, LengthwiseError
from lengthwise.experiment.plan import make_groups
from lengthwise.experiment.spec import Spec
from lengthwise.predict.predict import predict_task
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.task import EOS, Objective, Task
from lengthwise.tasks.user.automata import check_automaton
from lengthwise.tasks.user.checks import check_python
from lengthwise.tasks.user.findings import Finding
from lengthwise.tasks.user.pairs import check_pairs
from lengthwise.tasks.user.programs import at_end_marker
from lengthwise.tasks.user.source import Random
from lengthwise.tasks.user.template import TEMPLATE

EVEN = {
    "alphabet": ["a", "b"],
    "initial": "even",
    "accepting": ["even"],
    "transitions": {"even": {"a": "odd", "b": "even"}, "odd": {"a": "even", "b": "odd"}},
}
DYCK = """
alphabet '(' ')'
depth  := #['('] - #[')']
broken := depth < 0
accept := #[broken] = 0 and depth = 0
"""
FIRST = 'alphabet = ["a", "b"]\ndef answer(prompt):\n    return prompt[:1]\n'
ODD = FIRST + "def is_valid(prompt):\n    return len(prompt) % 2 == 1\n"
UNIQUE = 'alphabet = ["a", "b", "c"]\ndef answer(prompt):\n    return sorted(set(prompt))\n'
RANDOM = "error: answer is not a function of its prompt"
UNREADABLE = "error: the program cannot be used: cannot read the program"
PAIRS = "".join(
    json.dumps({"prompt": "".join(word), "answer": word[-1] * (len(word) - 1)}) + "\n"
    for length in (2, 3, 5)
    for word in product("ab", repeat=length)
)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


FILES = {
    "even.json": json.dumps(EVEN),
    "dyck.crasp": DYCK,
    "lift.py": TEMPLATE,
    "odd.py": ODD,
    "unique.py": UNIQUE,
    "pairs.jsonl": PAIRS,
}


def save_all() -> None:
    for name, text in FILES.items():
        save(name, text)


def samples(task: Task, number: int = 60) -> list[tuple[list[str], list[str]]]:
    """Return prompts with the answers of their targets, after comparing NumPy with torch."""
    lengths = task.lengths(0, 12)
    parts = []
    for xp in (numpy_arrays(), torch_arrays()):
        draw = open_stream(DATA, seed=[0, 7], xp=xp).at(3)
        chosen = xp.asarray(list(lengths))[draw.named("length").integers(len(lengths), (number,))]
        batch = task.sample(draw.named("instance"), chosen, 12, xp)
        parts.append([np.asarray(part) for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB)])
    for one, two in zip(*parts, strict=True):
        assert np.array_equal(one, two)
    tokens, targets, sizes = parts[0]
    found = []
    for place in np.ndindex(tokens.shape[:2]):
        size = int(sizes[place])
        prompt, said = task.read_back(tokens[place][:size].tolist(), targets[place][:size].tolist())
        assert size <= task.size(len(prompt))
        found.append((prompt, said[:-1] if task.objective is Objective.ANSWER and said[-1] == EOS else said))
    return found


# Every kind of file


@pytest.mark.parametrize("name", [*FILES, "accepts(even.json)", "states(even.json)"])
def test_a_file_is_a_task_whose_samples_are_what_its_oracle_says(name: str) -> None:
    save_all()
    task = find_task(name)
    assert task.name == name
    assert find_task(task.name).revision == task.revision
    assert 1 < task.revision < 2**31
    for prompt, said in samples(task):
        assert list(said) == list(task.answer(prompt))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("even.json", "NO"),
        ("accepts(even.json)", "NO"),
        ("states(even.json)", "NO"),
        ("dyck.crasp", "YES"),
        ("lift.py", "YES"),
        ("unique.py", "UNKNOWN"),
        ("pairs.jsonl", "UNKNOWN"),
    ],
)
def test_a_verdict_rests_on_what_a_file_says(name: str, answer: str) -> None:
    save_all()
    assert str(predict_task(find_task(name), "nope").answer) == answer


@pytest.mark.parametrize("name", [*FILES, "accepts(even.json)", "states(even.json)"])
def test_a_changed_file_changes_the_run(name: str) -> None:
    save_all()

    def run_id() -> str:
        return make_groups(Spec(tasks=(name,), encodings=("nope",), seeds=1, train_length=4, test_length=5))[0][0].id

    before = run_id()
    assert run_id() == before
    path = name.removeprefix("accepts(").removeprefix("states(").removesuffix(")")
    save(path, FILES[path] + "\n")
    assert run_id() != before


def test_a_file_that_another_file_names_changes_the_run_too() -> None:
    save("even.json", json.dumps(EVEN))
    Path("inner").mkdir()
    save("inner/even.json", json.dumps(EVEN))
    source = (
        'alphabet = ["a", "b"]\nlanguage = "even.json"\ndef answer(prompt):\n    return ["ab"[prompt.count("a") % 2]]\n'
    )
    name = save("inner/parity.py", source)
    before = find_task(name)
    assert before.facts.language is not None
    save("inner/even.json", json.dumps(EVEN) + "\n")
    assert find_task(name).revision != before.revision


def test_all_kinds_of_files_are_shown_and_the_automaton_is_recognized(capsys: pytest.CaptureFixture[str]) -> None:
    save_all()
    for name in FILES:
        assert main(["show", "task", name]) == 0
        assert capsys.readouterr().out.startswith(f"{name}\n")
    assert main(["check", "even.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"][-1]["what"] == "2 symbols; 2 states are needed."


PROMPTS = """
import hashlib
from lengthwise.arrays import numpy_arrays
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import find_task
xp = numpy_arrays()
for name in ("lift.py", "odd.py", "unique.py", "pairs.jsonl", "dyck.crasp"):
    task = find_task(name)
    batch = task.sample(open_stream(DATA, seed=0), xp.asarray([3] * 40), 5, xp)
    print(name, task.revision, task.symbols, hashlib.sha256(batch.tokens_MBL.tobytes()).hexdigest())
"""


def test_tasks_of_files_do_not_depend_on_the_seed_of_hashes() -> None:
    save_all()
    source = str(Path(sys.modules["lengthwise"].__file__ or "").parents[1])
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROMPTS],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": source, "PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2")
    ]
    printed = [process.communicate()[0] for process in running]
    assert printed[0].count("\n") == 5
    assert printed[0] == printed[1]


# Python files


def test_loading_a_file_leaves_nothing_behind(folder: Path) -> None:
    save("lift.py", TEMPLATE)
    modules, paths = set(sys.modules), list(sys.path)
    find_task("lift.py")
    assert set(sys.modules) - modules <= {name for name in sys.modules if name.startswith("lengthwise.")}
    assert sys.path == paths
    assert [path.name for path in folder.iterdir()] == ["lift.py"]


def test_what_a_file_prints_is_not_data(capfd: pytest.CaptureFixture[str]) -> None:
    find_task(save("loud.py", "print('hello', flush=True)\n" + FIRST)).answer(["a"])
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "hello\n")


def test_lengths_are_those_that_have_valid_prompts() -> None:
    task = find_task(save("odd.py", ODD + "min_length = 2\nmax_length = 8\n"))
    assert task.lengths(0, 30) == (3, 5, 7)
    assert task.min_length == 3


def test_a_sampler_may_have_no_prompt_of_a_length() -> None:
    sampler = "def sample(random, length):\n    return None if length % 2 else ['a', 'b'] * (length // 2)\n"
    task = find_task(save("even.py", FIRST + sampler))
    assert task.lengths(0, 6) == (2, 4, 6)
    assert all(prompt in (["a", "b"], ["a", "b"] * 2, ["a", "b"] * 3) for prompt, _ in samples(task) if len(prompt) < 7)


def test_room_for_answers_is_what_trials_show_or_what_is_declared() -> None:
    assert [find_task(save("first.py", FIRST)).size(length) for length in (1, 5, 40)] == [5, 9, 44]
    double = 'alphabet = ["a"]\ndef answer(prompt):\n    return prompt * 2\n'
    assert [find_task(save("double.py", double)).size(length) for length in (1, 5, 100)] == [6, 18, 303]
    assert find_task(save("unique.py", UNIQUE)).size(9) == 9 + 9 + 3  # answers vary: a multiple of the length
    declared = UNIQUE + "def answer_length(length):\n    return min(3, length)\n"
    assert find_task(save("declared.py", declared)).size(9) == 9 + 3 + 3


def test_random_numbers_of_samplers_are_as_they_are_called() -> None:
    random = Random(5)
    assert {random.randint(2, 4) for _ in range(50)} == {2, 3, 4}
    assert {random.choice("xy") for _ in range(50)} == {"x", "y"}
    assert all(0 <= random.random() < 1 for _ in range(50))
    values = list(range(6))
    random.shuffle(values)
    assert sorted(values) == list(range(6))
    assert len(set(random.sample("abcdef", 4))) == 4
    for call in (lambda: random.randrange(0), lambda: random.sample("ab", 3)):
        with pytest.raises(ValueError, match="needs"):
            call()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("alphabet = [\n", "'bad.py' cannot be run: line 1: SyntaxError: '[' was never closed."),
        ("\n\nx = y\n", "'bad.py' cannot be run: line 3: NameError: name 'y' is not defined."),
        ("raise SystemExit\n", "'bad.py' cannot be run: line 1: SystemExit."),
        (
            "import nothing_there\n",
            "'bad.py' cannot be run: line 1: ModuleNotFoundError: No module named 'nothing_there'.",
        ),
        (FIRST.replace('["a", "b"]', '"ab"'), "'bad.py': alphabet is one string, 'ab'; it must be a list of strings."),
    ],
)
def test_a_file_that_cannot_be_a_task_says_why_in_a_sentence(source: str, message: str) -> None:
    save("bad.py", source)
    with pytest.raises(LengthwiseError) as caught:
        find_task("bad.py")
    assert caught.value.message == message


def test_mistakes_that_show_in_training_are_sentences() -> None:
    cases = {
        "    return [prompt[5]]": "'bad.py': answer() fails at the prompt aa: line 3: IndexError: list index out of range.",
        "    return 'q'": "'bad.py': answer returned 'q' for the prompt aa; it must return a list of strings.",
        "    return ['q']": "'bad.py': answer returned the symbol 'q' for the prompt aa; allowed are a, b.",
        "    return prompt\ndef answer_length(length):\n    return 1": (
            "'bad.py': the answer to the prompt aa has 2 symbols; answer_length() said at most 1."
        ),
    }
    for body, message in cases.items():
        save("bad.py", f'alphabet = ["a", "b"]\ndef answer(prompt):\n{body}\n')
        with pytest.raises(LengthwiseError) as caught:
            find_task("bad.py").answer(["a", "a"])
        assert caught.value.message == message


# Findings about Python files


def told(found: list[Finding]) -> list[str]:
    return [f"{each.severity}: {each.what}" for each in found]


def test_the_template_passes_its_own_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "task", "lift"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "wrote lift.py\n"
    assert Path("lift.py").read_text(encoding="utf-8") == TEMPLATE
    assert len(TEMPLATE.splitlines()) <= 26
    assert main(["check", "lift.py"]) == 0
    assert capsys.readouterr().out == (
        "note: a rule that sees nothing but the number of u against half the length is right on 100.0 % at\n"
        "  lengths 11–30; models must beat this.\n"
        "  hint: if the task is meant to need more, let sample() return prompts on which this rule fails.\n"
        "note: 4 symbols; lengths from 1 on; a sampler of its own; theory rests on a program.\n"
    )


@pytest.mark.parametrize(
    ("source", "findings"),
    [
        (
            "",
            [
                "error: alphabet is missing; a task needs alphabet and answer.",
                "error: answer is missing; a task needs alphabet and answer.",
            ],
        ),
        (
            'alphabet = ["a", "a", "<sep>", 3, "x y"]\nanswer = 7\nmin_length = -1\nmax_length = "x"\nis_valid = 1\ndefinition = ""\n',
            [
                "error: alphabet has 3, 'x y'; a symbol is a non-empty string without spaces.",
                "error: alphabet has 'a' 2 times.",
                "error: alphabet has '<sep>'; <bos>, <sep>, <eos>, <pad> are reserved, because instances are framed with them.",
                "error: answer must be a function; found 7.",
                "error: is_valid must be a function; found 1.",
                "error: definition must be a text; found ''.",
                "error: min_length must be a whole number from 0 to 100000; found -1.",
                "error: max_length must be a whole number from 0 to 100000; found 'x'.",
            ],
        ),
        (
            FIRST.replace('["a", "b"]', "[]"),
            ["error: alphabet is empty; it needs at least one symbol."],
        ),
        (
            FIRST.replace('["a", "b"]', "{'a'}"),
            ["error: alphabet is a set, whose order changes from process to process."],
        ),
        (FIRST.replace('["a", "b"]', "7"), ["error: alphabet must be a list of strings; found 7."]),
        (
            FIRST + "min_lenght = 3\n",
            [
                "warning: min_lenght means nothing to lengthwise, and is close to min_length.",
                "note: a rule that sees nothing but the first symbol is right on 100.0 % at lengths 11–30; models must beat this.",
                "note: 2 symbols; lengths from 1 on; a sampler of uniform symbols; theory knows nothing of it.",
            ],
        ),
        (
            FIRST.replace("prompt[:1]", "[prompt[2]]"),
            ["error: answer fails at the prompt a: line 3: IndexError: list index out of range."],
        ),
        (
            FIRST.replace("prompt[:1]", "'a'"),
            ["error: answer returned 'a' for the prompt a; it must return a list of strings."],
        ),
        (
            FIRST.replace("prompt[:1]", "['q']"),
            ["error: answer returned the symbol 'q' for the prompt a; allowed are a, b."],
        ),
        (
            FIRST.replace("return", "prompt.append('a')\n    return"),
            ["error: answer changes its prompt: a became aa."],
        ),
        (
            FIRST + "def sample(random, length):\n    return ['a'] * (length + 1)\n",
            ["error: sample(random, 1) returned 2 symbols, aa; it must return 1."],
        ),
        (
            FIRST + "def sample(random, length):\n    return ['q'] * length\n",
            ["error: sample returned the symbol 'q' for length 1; allowed are a, b."],
        ),
        (
            FIRST + "def sample(random, length):\n    return random.gauss()\n",
            [
                "error: sample() fails at the length 1: line 5: AttributeError: 'Random' object has no attribute 'gauss'."
            ],
        ),
        (
            FIRST + "def is_valid(prompt):\n    return False\nmax_length = 3\n",
            ["error: there is no prompt at all, of lengths 1, 2, 3: none of 512 candidates was valid."],
        ),
        (
            ODD + "max_length = 5\n",
            [
                "note: there is no prompt of lengths 2, 4; they are left out.",
                "note: 2 symbols; lengths from 1 to 5; a sampler of uniform symbols; theory knows nothing of it.",
            ],
        ),
        (
            FIRST.replace("prompt[:1]", "['a']"),
            [
                "warning: every answer is a, to 90 prompts: there is nothing to learn.",
                "note: 2 symbols; lengths from 1 on; a sampler of uniform symbols; theory knows nothing of it.",
            ],
        ),
        (
            UNIQUE,
            [
                "note: answers to prompts of one length have several lengths, so 31 places are kept for an answer at length 31.",
                "warning: a constant answer (most frequent symbol at each position of the answer) is right on 99.3 % at "
                "lengths 11–30; models must beat this.",
                "note: 3 symbols; lengths from 1 on; a sampler of uniform symbols; theory knows nothing of it.",
            ],
        ),
        (
            FIRST + 'language = "a*"\n',
            [
                "error: the language lacks ab, to which answer returns ['a'], and lacks b, to which it returns ['b']; "
                "there must be one answer inside and another one outside."
            ],
        ),
        (
            FIRST + 'language = "[ab]*"\n',
            [
                "error: the language has b, to which answer returns ['b'], and has a, to which it returns ['a']; "
                "there must be one answer inside and another one outside."
            ],
        ),
        (
            FIRST + "program = \"alphabet 'a' 'b' read at end accept := #['a'] > 0\"\n",
            [
                "error: the program accepts ba, to which answer returns ['b'], and accepts a, to which it returns ['a']; "
                "there must be one answer inside and another one outside."
            ],
        ),
        (
            FIRST
            + "program = \"alphabet 'a' 'b' '<sep>' start '<bos>' stop '<eos>' next 'a' := '<sep>' and #['a'] > 0\"\n",
            ["error: for b the program writes [], but answer returns ['b']."],
        ),
        (
            FIRST + "program = \"alphabet 'a' 'c' accept := 'a'\"\n",
            ["error: the program is over {a, c}, prompts are over {a, b}; they must have the same symbols."],
        ),
        (
            FIRST + "program = \"alphabet 'a' 'b' next 'a' := 'a'\"\n",
            ["error: the program lacks the symbol '<sep>'; it must know all of the prompt and <sep>."],
        ),
        (
            FIRST + 'language = "(ab"\n',
            ["error: the language cannot be used: cannot read the regular expression: this '(' is never closed."],
        ),
        (
            FIRST + 'language = "a*"\nprogram = "x"\n',
            ["error: language and program are both given; a verdict rests on one."],
        ),
        (
            'import random\nalphabet = ["a", "b", "a", 3]\ndef answer(prompt):\n    if len(prompt) > 5:\n'
            "        raise ValueError('too long')\n    return [random.choice('ab')]\n"
            "def sample(random, length):\n    return ['a'] * (length + 1)\n",
            [
                "error: alphabet has 3; a symbol is a non-empty string without spaces.",
                "error: alphabet has 'a' 2 times.",
                "error: sample(random, 1) returned 2 symbols, aa; it must return 1.",
                "error: answer fails at the prompt aaabba: line 5: ValueError: too long.",
                "error: answer is not a function of its prompt: …",
            ],
        ),
        (
            FIRST.replace('["a", "b"]', '"ab"') + 'program = "accept := ("\n',
            [
                "error: alphabet is one string, 'ab'; it must be a list of strings.",
                "error: the program cannot be used: cannot read the program: …",
            ],
        ),
        (
            FIRST.replace('["a", "b"]', '["a", 3]') + 'language = ".*[^a](b"\n',
            [
                "error: alphabet has 3; a symbol is a non-empty string without spaces.",
                "error: the language cannot be used: cannot read the regular expression: this '(' is never closed.",
            ],
        ),
        (
            FIRST.replace('["a", "b"]', '["a", 3]') + 'language = "[^a]*"\nis_valid = 3\n',
            [
                "error: alphabet has 3; a symbol is a non-empty string without spaces.",
                "error: is_valid must be a function; found 3.",
            ],
        ),
        (
            FIRST.replace('["a", "b"]', "[str(number) for number in range(10001)]"),
            ["error: alphabet has 10001 symbols; at most 10000 are allowed."],
        ),
        (
            FIRST + "answer_alphabet = list(map(str, range(20000)))\n",
            ["error: answer_alphabet has 20000 symbols; at most 10000 are allowed."],
        ),
        (
            FIRST.replace("prompt[:1]", "['a'] * 10 ** len(prompt)"),
            ["error: answer returned 100000 symbols for the prompt abbab; at most 10000 are allowed."],
        ),
        (
            'alphabet = ["a"]\ndef answer(prompt):\n    return prompt\nmax_length = 3\n',
            ["note: 1 symbol; lengths from 1 to 3; a sampler of uniform symbols; theory knows nothing of it."],
        ),
        (
            ODD + 'language = "a*"\n',
            [
                "error: language speaks of all words, and is_valid leaves some out, so that a NO would not follow.",
                "note: there is no prompt of lengths 2, 4, 6, 8, 10, 12; they are left out.",
            ],
        ),
    ],
)
def test_every_problem_of_a_python_file_is_found(source: str, findings: list[str]) -> None:
    found = check_python(save("bad.py", source), seeds=("1",))
    said = [
        next((f"{start}: …" for start in (RANDOM, UNREADABLE) if line.startswith(start)), line) for line in told(found)
    ]
    assert said == findings
    assert all(each.hint for each in found if each.severity != "note")


def test_findings_whose_words_depend_on_random_prompts() -> None:
    save(
        "state.py",
        "calls = []\n" + FIRST.replace("return prompt[:1]", "calls.append(1)\n    return ['ab'[len(calls) % 7 > 3]]"),
    )
    (only,) = check_python("state.py", seeds=("1",))
    assert only.what.startswith("answer is not a function of its prompt: for ")
    assert only.hint == "use no randomness, and nothing that an earlier call has changed."
    (short,) = check_python(
        save("short.py", FIRST.replace("prompt[:1]", "prompt") + "def answer_length(length):\n    return 2\n"),
        seeds=("1",),
    )
    assert short.what.endswith("has 3 symbols; answer_length() said at most 2.")
    rare = FIRST + "def is_valid(prompt):\n    return prompt[:9] == ['a'] * 9\nmin_length = 9\nmax_length = 9\n"
    what = [each.what for each in check_python(save("rare.py", rare), seeds=("1",))]
    assert any(
        "is_valid takes" in each and each.endswith("the same prompts will come again and again.") for each in what
    )


def test_a_constant_answer_that_is_often_right_is_told() -> None:
    has_aa = 'alphabet = ["a", "b"]\nanswer_alphabet = ["yes", "no"]\ndef answer(prompt):\n'
    has_aa += '    return ["yes" if "aa" in "".join(prompt) else "no"]\n'
    warned, _ = told(check_python(save("pairs.py", has_aa), seeds=("1",)))
    assert warned == "warning: always answering 'yes' is right on 97.3 % at lengths 11–30; models must beat this."


def test_a_slow_oracle_is_told_with_the_time_it_takes() -> None:
    slow = "import time\n" + FIRST.replace("return", "time.sleep(0.003)\n    return") + "max_length = 2\n"
    found = check_python(save("slow.py", slow), seeds=("1",))
    assert [str(each.severity) for each in found] == ["warning", "note"]
    assert found[0].what.startswith("an instance of length 2 takes ")
    assert " minutes." in found[0].what


def test_what_depends_on_the_process_is_found() -> None:
    hashed = 'alphabet = ["a", "b", "c"]\ndef answer(prompt):\n    return list(set(prompt))[:1]\n'
    (only,) = check_python(save("hashed.py", hashed + "max_length = 6\n"))
    assert only.what.startswith("answer depends on the process: for ")
    sampled = FIRST + (
        "def sample(random, length):\n"
        "    return [min('ab', key=lambda symbol: hash(symbol * (place + 1))) for place in range(length)]\n"
    )
    (only,) = check_python(save("sampled.py", sampled + "max_length = 6\n"))
    assert only.what.startswith("sample depends on the process: for length ")


def test_an_oracle_that_never_ends_is_found() -> None:
    endless = FIRST.replace("return", "while len(prompt) > 1:\n        pass\n    return") + "max_length = 2\n"
    (only,) = check_python(save("endless.py", endless), seeds=("1",), patience=0.3)
    assert only.what.startswith("answer() used more than 0.3 s of CPU time at the prompt ")
    assert only.hint == "look for a loop that never ends there, or make it faster."


def test_answers_that_are_slow_together_are_found() -> None:
    slow = FIRST.replace("return", "sum(range(10**6))\n    return")
    (only,) = check_python(save("slow.py", slow), seeds=("1",), patience=0.3)
    assert only.what.startswith("the file used more than 0.3 s of CPU time up to the answer to the prompt ")


ENDING = "import os\n" + FIRST + "max_length = 3\n"


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (
            ENDING.replace("return", "os._exit(0)\n    return"),
            "answer() ended its process with exit code 0 at the prompt ",
        ),
        (
            ENDING + "def sample(random, length):\n    os._exit(0)\n",
            "sample() ended its process with exit code 0 at length 1.",
        ),
        (ENDING + "os._exit(3)\n", "the file ended its process with exit code 3 at its top level."),
    ],
)
def test_a_file_that_ends_its_process_is_found(capsys: pytest.CaptureFixture[str], source: str, what: str) -> None:
    save("ends.py", source + "min_lenght = 1\n" * ("_exit(3)" not in source))
    assert main(["check", "ends.py", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert found[-1]["what"].startswith(what)
    assert found[-1]["hint"] == "raise an exception instead of ending the process."
    assert len(found) == 1 + ("_exit(3)" not in source), "what was found before is told too"


def test_files_of_the_current_folder_do_not_hide_modules() -> None:
    save("json.py", "x = 1\n")
    save("subprocess.py", "raise SystemExit(5)\n")
    assert told(check_python(save("first.py", FIRST + "max_length = 3\n"))) == [
        "note: 2 symbols; lengths from 1 to 3; a sampler of uniform symbols; theory knows nothing of it."
    ]


def test_a_process_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("early").mkdir()
    save("early/json.py", "x = 1\n")
    real = subprocess.Popen

    def broken(command: list[str], *, env: dict[str, str], **options: object) -> object:
        return real(command, env=env | {"PYTHONPATH": "early"}, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", broken)
    assert told(check_python(save("first.py", FIRST), seeds=("1",))) == [
        "error: a fresh process ended with exit code 1 before it could read the file."
    ]


def test_fresh_processes_have_different_seeds_of_hashes() -> None:
    note_seed = "Path('seed' + os.environ.get('PYTHONHASHSEED', '')).write_text(str(hash('a')))\n"
    save("seeds.py", "import os\nfrom pathlib import Path\n" + note_seed + FIRST + "max_length = 2\n")
    check_python("seeds.py")
    hashes = [Path(f"seed{seed}").read_text(encoding="utf-8") for seed in ("1", "2")]
    assert hashes[0] != hashes[1]


def test_a_file_without_any_prompt_is_told_by_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    save("never.py", FIRST + "def is_valid(prompt):\n    return False\nmax_length = 6\n")
    for command in (["show", "task", "never.py"], ["run", "never.py", "--seeds", "1", "--store", "never.sqlite"]):
        assert main(command) == 2
        assert capsys.readouterr().err == (
            "note: running the code in never.py (named on the command line), in a process of its own.\n"
            "error: 'never.py' has no instance of any length that was tried, from 1 to 100.\n"
            "hint: lengthwise check 'never.py' says more.\n"
        )


# Findings about other files


def test_a_mark_before_the_text_is_left_out_and_a_repeated_key_is_found() -> None:
    line = '{"prompt": "ab", "answer": "b"}\n'
    assert find_task(save("marked.jsonl", "\ufeff" + line)).answer(["a", "b"]) == ["b"]
    assert find_task(save("marked.py", "\ufeff" + FIRST)).answer(["a", "b"]) == ["a"]
    assert find_task(save("marked.crasp", "\ufeff" + DYCK)).answer(["(", ")"]) == ["y"]
    assert told(check_pairs("marked.jsonl"))[1] == "note: 1 pair over 2 symbols; prompts have length 2."
    assert "1 pair " in find_task("marked.jsonl").definition
    (first, *_) = told(check_pairs(save("twice.jsonl", line + '{"prompt": "a", "prompt": "b", "answer": "b"}\n')))
    assert first == "error: line 2: the key 'prompt' appears twice in one table."


def test_one_symbol_and_one_state_are_told_as_one() -> None:
    single = {"alphabet": ["a"], "initial": "p", "accepting": ["p"], "transitions": {"p": {"a": "p"}}}
    assert told(check_automaton(save("single.json", json.dumps(single))))[-1] == "note: 1 symbol; 1 state is needed."


def test_a_program_that_says_nothing_is_told_so() -> None:
    with pytest.raises(LengthwiseError, match="come next; found neither"):
        find_task(save("nothing.crasp", "alphabet 'a'\nx := 'a'\n"))


def test_every_problem_of_a_file_of_pairs_is_found() -> None:
    lines = [
        '{"prompt": "aab", "answer": "2"}',
        '{"prompt": "aab", "answer": "3"}',
        '{"promt": "ab", "answer": "1"}',
        '{"prompt": "", "answer": "0"}',
        '{"prompt": "b", "answer": 0}',
        "[1]",
        '{"prompt": "b", "answer": "0"',
        "",
        '{"prompt": ["<bos>"], "answer": "2"}',
    ]
    assert told(check_pairs(save("bad.jsonl", "\n".join(lines)))) == [
        "error: line 2: the prompt aab has two answers, 2 and 3 (line 1 has the other).",
        "error: line 3: 'prompt' is missing.",
        "error: line 3: the key 'promt' is unknown. Known: prompt, answer.",
        "error: line 4: the prompt is empty; it needs at least one symbol.",
        "error: line 5: answer is 0; it must be a text, or a list of texts without spaces.",
        "error: line 6: found [1]; a line is an object with prompt and answer.",
        "error: line 7 is not JSON: Expecting ',' delimiter at column 30.",
        "error: the file has '<bos>'; <bos>, <sep>, <eos>, <pad> are reserved, because instances are framed with them.",
        "warning: there are few pairs, 1 of length 1, 1 of length 3; fewer than 10 are soon learnt by heart.",
        "warning: every answer is 2: there is nothing to learn.",
    ]
    assert told(check_pairs(save("empty.jsonl", "\n"))) == ["error: the file has no pair; at least one is needed."]
    assert told(check_pairs(save("pairs.jsonl", PAIRS)))[1:] == [
        "note: 44 pairs over 2 symbols; prompts have lengths from 2 to 5, 3 in all.",
        "note: within the training lengths, training and evaluation share the pairs.",
    ]


def test_pairs_have_the_lengths_that_occur_and_no_others() -> None:
    task = find_task(save("pairs.jsonl", PAIRS))
    assert task.lengths(0, 30) == (2, 3, 5)
    assert [task.size(length) for length in (2, 3, 4, 5)] == [2 + 1 + 3, 3 + 2 + 3, 4 + 2 + 3, 5 + 4 + 3]
    with pytest.raises(LengthwiseError, match="has no prompt abab"):
        task.answer(list("abab"))


def test_every_problem_of_an_automaton_file_is_found() -> None:
    wrong = {
        "alphabet": ["a", "a", "<pad>"],
        "initial": "start",
        "accepting": ["q"],
        "transitions": {"p": {"a": "p", "c": "r"}, "q": 3},
    }
    assert told(check_automaton(save("bad.json", json.dumps(wrong)))) == [
        "error: alphabet has 'a' 2 times.",
        "error: alphabet has '<pad>'; <bos>, <sep>, <eos>, <pad> are reserved, because instances are framed with them.",
        "error: state 'p' has no transition on symbol '<pad>'.",
        "error: state 'p' has a transition on 'c', which is not in the alphabet.",
        "error: the transitions of state 'q' must be a table of symbols; found 3.",
        "error: the initial state is 'start', which is not a state. States: p, q.",
        "error: the target of state 'p' on symbol 'c' is 'r', which is not a state. States: p, q.",
    ]
    assert told(check_automaton(save("bad.json", json.dumps({"alphabet": "a", "initial": "p", "final": []})))) == [
        "error: field 'final' is unknown. Known: alphabet, initial, accepting, transitions.",
        "error: field 'alphabet' must be a list; found 'a'.",
        "error: field 'accepting' is missing.",
        "error: field 'transitions' is missing.",
    ]
    apart = EVEN | {"transitions": EVEN["transitions"] | {"far": {"a": "far", "b": "far"}}}  # type: ignore[operator]
    assert told(check_automaton(save("apart.json", json.dumps(apart)))) == [
        "warning: no word leads to state 'far'.",
        "note: 2 symbols; 2 states are needed.",
    ]
    assert told(check_automaton(save("empty.json", json.dumps(EVEN | {"accepting": []}))))[0] == (
        "error: no word leads to an accepting state: the language is empty."
    )
    assert told(check_automaton(save("all.json", json.dumps(EVEN | {"accepting": ["even", "odd"]}))))[0] == (
        "warning: every word is accepted: there is nothing to learn."
    )


# Programs


@pytest.mark.parametrize("name", [name for name, entry in PROGRAMS.items() if not entry.program.is_generator])
def test_a_program_moved_to_the_end_marker_accepts_the_same_words(name: str) -> None:
    program = PROGRAMS[name].program
    moved = at_end_marker(program)
    assert moved.readout is Readout.END_MARKER
    longest = {1: 8, 2: 5, 3: 4}.get(len(program.alphabet), 2)
    for length in range(1, longest + 1):
        for word in product(program.alphabet, repeat=length):
            assert accepts(moved, word) == accepts(program, word)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("not d{0} or (d{0} and d{0})", "acceptance has [0-9,]+ parts, nested 81 deep"),
        ("not d{0}", "acceptance has 101 parts, nested 101 deep"),
    ],
)
def test_names_that_double_are_not_written_out(form: str, told: str) -> None:
    def program(size: int) -> Program:
        lines = [f"d{number + 1} := {form.format(number)}" for number in range(size)]
        return parse_program("\n".join(["alphabet 'a' 'b'", "d0 := 'a'", *lines, f"accept := d{size}"]))

    assert accepts(at_end_marker(program(4)), "ba") == accepts(program(4), "ba")
    with pytest.raises(CapExceededError, match=told):
        at_end_marker(program(40 if "or" in form else 100))


def test_every_form_can_be_moved_to_the_end_marker() -> None:
    for accept in (
        "'a'",
        "#<['a'] > #['b']",
        "#{1}['a'] = 1 and #{0}['b'] = 1",
        "pos % 3 = 1",
        "n > (if 'b' then 1 else 2)",
    ):
        program = parse_program(f"alphabet 'a' 'b'  n := #[#<['a'] > 0]  accept := {accept} and not (n = 7)")
        moved = at_end_marker(program)
        for word in (word for length in range(1, 7) for word in product("ab", repeat=length)):
            assert accepts(moved, word) == accepts(program, word), (accept, word)
    counting = at_end_marker(parse_program(DYCK))
    assert fragment_of(counting) is Fragment.PLAIN
    assert fragment_of(at_end_marker(parse_program("alphabet 'a' 'b' accept := 'a'"))) is Fragment.LOCAL


def test_about_half_of_the_words_are_accepted_where_that_can_be() -> None:
    task = find_task(save("dyck.crasp", DYCK))
    answers = [said for prompt, said in samples(task, 400) if len(prompt) in (4, 6, 8)]
    assert 0.35 < sum(said == ["y"] for said in answers) / len(answers) < 0.65


def test_a_program_that_says_what_comes_next_is_refused_with_a_way_out() -> None:
    with pytest.raises(LengthwiseError) as caught:
        find_task(save("next.crasp", "alphabet 'a' 'b'\nnext 'a' := 'b'\n"))
    assert caught.value.message == (
        "the program 'next.crasp' says which symbols come next, so it does not tell which prompts it is for."
    )
    assert caught.value.hint == 'write a Python file with the prompts and answers, and program = "next.crasp" in it.'


def test_a_program_that_writes_answers_can_be_what_theory_rests_on() -> None:
    save(
        "first.crasp",
        "alphabet 'a' 'b' '<sep>'\nstart '<bos>'\nstop '<eos>'\n"
        "next 'a' := '<sep>' and #['a' and #['b'] = 0] > 0\nnext 'b' := '<sep>' and #['b' and #['a'] = 0] > 0\n"
        "next '<eos>' := not '<sep>'\n",
    )
    found = check_python(save("first.py", FIRST + 'program = "first.crasp"\nmax_length = 6\n'), seeds=("1",))
    assert told(found)[-1].endswith("theory rests on a program.")
    assert str(predict_task(find_task("first.py"), "nope").answer) == "YES"


# The commands


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (
            ["new", "task", "my task"],
            "'my task' cannot be the name of a task; a name is a letter, then letters, digits and _.",
            "for example: lengthwise new task mine",
        ),
        (
            ["new", "task", "random"],
            "a file random.py would hide the module 'random' from Python programs in this folder.",
            "choose another name, for example my_random.",
        ),
        (
            ["new", "task", "there"],
            "there is a file 'there.py' already.",
            "choose another name, or write over it with --force.",
        ),
        (
            ["check", "there.py", "--for", "PARITY"],
            "--for is about certificates and programs; 'there.py' is a task file.",
            "leave it out; a Python file says itself what theory may rest on.",
        ),
        (["show", "task", "absent.py"], "there is no file 'absent.py'.", "check the path."),
        (["show", "task", "absent.jsonl"], "there is no file 'absent.jsonl'.", "check the path."),
    ],
)
def test_wrong_commands_are_told_with_a_hint(
    capsys: pytest.CaptureFixture[str], arguments: list[str], error: str, hint: str
) -> None:
    save("there.py", FIRST)
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"error: {error}\nhint: {hint}\n"


def test_new_writes_over_a_file_when_forced(capsys: pytest.CaptureFixture[str]) -> None:
    save("there.py", FIRST)
    assert main(["new", "task", "there", "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"path": "there.py"}
    assert Path("there.py").read_text(encoding="utf-8") == TEMPLATE


def test_check_prints_findings_and_exits_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    save("bad.py", "answer = 3\n")
    assert main(["check", "bad.py"]) == 1
    assert capsys.readouterr().out == (
        "error: alphabet is missing; a task needs alphabet and answer.\n"
        '  hint: define it, for example: alphabet = ["a", "b"]\n'
        "error: answer must be a function; found 3.\n"
        "  hint: write: def answer(…): …\n"
    )
    assert main(["check", "bad.py", "--json"]) == 1
    assert [each["severity"] for each in json.loads(capsys.readouterr().out)["findings"]] == ["error", "error"]
