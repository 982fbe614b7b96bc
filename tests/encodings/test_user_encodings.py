"""Encodings in a user's file: read without being run, checked, measured, trained with, and never run because data names them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from lengthwise.cli.main import main
from lengthwise.conformance.suite import CHECKS, conform, run_check
from lengthwise.encodings import Attention, make_encoding
from lengthwise.encodings.core.base import Fit
from lengthwise.encodings.core.choice import encoding_files, find_encoding, find_packaged_encoding
from lengthwise.encodings.user.template import TEMPLATE
from lengthwise.errors import (
    InvalidOptionError,
    LengthwiseError,
    TrainingFailedError,
    UnknownNameError,
    UnreadableFileError,
    UserCodeError,
)
from lengthwise.experiment.models import load_model, model_path, models_folder
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of
from lengthwise.model.shape import Shape
from lengthwise.predict.predict import predict
from lengthwise.train.settings import Training

RIPPLE = TEMPLATE.replace("NAME", "ripple")
FIT = Fit(num_heads=2, head_width=4, width=8, max_length=20, trained=10)


def tiny() -> Spec:
    return Spec(
        tasks=("bin_majority",),
        encodings=("ripple.py",),
        seeds=2,
        train_length=4,
        test_length=8,
        model=Shape(layers=1, heads=2, width=8),
        training=Training(steps=3, batch=4, warmup=0, evaluate_every=3, examples=4),
    )


Write = Callable[..., str]
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Return a function that writes ripple.py, with parts of it replaced, into the current folder."""
    monkeypatch.chdir(tmp_path)

    def written(*changes: tuple[str, str], name: str = "ripple", before: str = "") -> str:
        text = RIPPLE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        Path(f"{name}.py").write_text(before + text, encoding="utf-8")
        return f"{name}.py"

    return written


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs a command in this process: its exit code, and what it printed."""
    monkeypatch.setenv("COLUMNS", "1000")

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return ran


# Reading


def test_a_card_is_read_without_running_the_file(write: Write) -> None:
    path = write(before="raise RuntimeError('this file ran')\n")
    choice = find_encoding(path)
    assert (choice.name, choice.card.name, choice.options) == ("ripple.py", "ripple", (("period", 4.0),))
    (row,) = predict("PARITY", encodings=[path])
    assert (row.encoding, str(row.verdict.answer)) == ("ripple.py", "UNKNOWN")
    for verdict in (row.verdict, row.counting, row.precision):
        assert (str(verdict.answer), verdict.reason) == (
            "UNKNOWN",
            "No theorem here says what ripple.py can or cannot do at every length.",
        )
    with pytest.raises(UserCodeError) as caught:
        make_encoding(path, FIT)
    assert str(caught.value) == (
        "'ripple.py' cannot be run: line 1: RuntimeError: this file ran.\n"
        "hint: correct the file; lengthwise check shows more."
    )


def test_a_bound_on_the_card_gives_a_verdict(write: Write) -> None:
    path = write(
        ("bounded_bias=True,", "bounded_bias=True, at_least=Bound(fragment=Fragment.PLAIN, citation='my proof'),")
    )
    (row,) = predict("[ab]*a[ab]*", encodings=[path])
    assert str(row.verdict.answer) == "YES"


def test_a_file_can_be_named_with_options_and_within_others(write: Write) -> None:
    path = write()
    assert find_encoding("./ripple.py( period = 4 )").name == "./ripple.py"
    assert find_encoding(f"window({path}(period=3), window=2)").name == "window(ripple.py(period=3), window=2)"
    assert [choice.name for choice in find_encoding(path).variants] == ["ripple.py(period=3)"]
    assert encoding_files("window(ripple.py(period=3), window=2)") == ["ripple.py"]
    assert encoding_files("interleaved(a.py, b/c.py, every=3)") == ["a.py", "b/c.py"]
    assert encoding_files("randomized(rope, length=64)") == []
    with pytest.raises(UnknownNameError):
        find_packaged_encoding("window(ripple.py)")


def test_its_revision_is_that_of_its_content_and_part_of_the_run_id(write: Write) -> None:
    def ids() -> set[str]:
        return {run.id for run in make_runs([tiny()])}

    write()
    first, before = find_encoding("ripple.py").revision, ids()
    write(("self.height_MH.fill_(1.0)", "self.height_MH.fill_(2.0)"))
    second, after = find_encoding("ripple.py").revision, ids()
    write()
    assert first != second
    assert before.isdisjoint(after)
    assert (find_encoding("ripple.py").revision, ids()) == (first, before)


WRONG_CARDS = [
    (('name="ripple"', 'name="other"'), "the name on the card is 'other', and the file is called 'ripple'"),
    (("CARD = Card(", "KARD = Card("), "it assigns no CARD"),
    (("shift_invariant=True,", ""), "Card missing 1 required keyword-only argument: 'shift_invariant'"),
    (("shift_invariant=True,", "shift_invariant=1,"), "shift_invariant of CARD must be True or False; found 1"),
    (("shift_invariant=True,", "shift_invarint=True,"), "got an unexpected keyword argument 'shift_invarint'"),
    (
        ('citation="mine"', "citation=open('x').read()"),
        "a card is written out, and open('x').read() would have to be run",
    ),
    (('citation="mine"', "citation=__import__('os').name"), "would have to be run"),
    (("high=1000.0", "high=10**10**10"), "10 ** 10 ** 10 would have to be run"),
    (('acts_on=("scores",)', 'acts_on=("scores")'), "acts_on of CARD must be a tuple, with one of 'ids'"),
    (('acts_on=("scores",)', 'acts_on=("score",)'), "found ('score',)"),
    (('acts_on=("scores",)', "acts_on=()"), "acts_on is empty"),
    (('parameters="H"', 'parameters="H.real"'), "the formula of parameters, 'H.real', may have"),
    (("default=4.0", "default=4000.0"), "the default of option 'period', 4000.0, is not a number from 1 to 1000"),
    (("default=4.0", 'default="long"'), "the default of option 'period', 'long', is not"),
    (('relation="relative"', 'relation="relativ"'), "'relativ' is not a position relation; known are"),
    (("per_layer=True,", "per_layer=True, bases=('ripple.py',),"), "the bases on a card are encodings of the package"),
    (
        ("per_layer=True,", "per_layer=True, scale_options=('hint',),"),
        "there is no option 'hint', which the card names",
    ),
    (('citation="mine"', 'citation="\\x1b[2J"'), "citation of CARD has characters that cannot be printed: '\\x1b[2J'"),
    (('citation="mine"', f"citation={'(' * 5000}1{')' * 5000}"), "is not the file of an encoding"),
    (("import math", "import math ("), "line 3: it is not Python: invalid syntax"),
]


@pytest.mark.parametrize(
    ("change", "sentence"), WRONG_CARDS, ids=[(change[1] or "missing")[:60] for change, _ in WRONG_CARDS]
)
def test_a_wrong_card_ends_in_a_sentence(
    change: tuple[str, str], sentence: str, write: Write, command: Command
) -> None:
    path = write(change)
    with pytest.raises(LengthwiseError) as caught:
        find_encoding(path)
    assert sentence in caught.value.message
    assert caught.value.hint
    code, _, err = command("predict", "PARITY", "--encoding", path)
    assert (code, sentence in err, "Traceback" in err) == (2, True, False)


def test_what_is_no_file_ends_in_a_sentence(write: Write) -> None:
    with pytest.raises(UnreadableFileError, match=r"there is no file 'absent\.py'"):
        find_encoding("absent.py")
    for name in (f"{'a' * 300}.py", "a\0b.py"):
        with pytest.raises(UnreadableFileError, match="cannot read"):
            find_encoding(name)
    Path("folder.py").mkdir()
    with pytest.raises(UnreadableFileError, match=r"'folder\.py' is not a regular file"):
        find_encoding("folder.py")
    Path("large.py").write_text("#" * 1_000_001)
    with pytest.raises(UnreadableFileError, match="has 1000001 bytes"):
        find_encoding("large.py")
    write(name="ripple")
    with pytest.raises(InvalidOptionError, match=r"encoding 'ripple\.py' has no option 'perod'"):
        find_encoding("ripple.py(perod=3)")


# Running

WRONG_CODE = [
    (
        ("import math", "import maths"),
        "'ripple.py' cannot be run: line 3: ModuleNotFoundError: No module named 'maths'.",
    ),
    (("import math\n", "import sys\nsys.exit(3)\n"), "'ripple.py' cannot be run: line 4: SystemExit: 3."),
    (
        ("card = CARD", "pass"),
        "'ripple.py' must have one class that derives from Encoding and says card = CARD; found 0.",
    ),
    (("class Ripple(Encoding):", "class Ripple:"), "derives from Encoding and says card = CARD; found 0."),
    (
        ("\n\nclass Ripple", "\n\nCARD.__class__\nimport dataclasses\nglobals()['CARD'] = None\nclass Ripple"),
        "changes its CARD while it runs",
    ),
    (
        ("fit.num_models, fit.num_heads))", "fit.heads))"),
        "'ripple.py' cannot be made: line 36: AttributeError: 'Fit' object has no attribute 'heads'.",
    ),
    (("def __init__(self, fit, *, period=4.0)", "def __init__(self, fit)"), "unexpected keyword argument 'period'."),
    (
        ("self.height_MH.fill_(1.0)", "self.height_MH.fill(1.0)"),
        "'ripple.py': initialize fails: line 41: AttributeError",
    ),
    (
        (", self.num_models)", ", self.num_models)[..., :2]"),
        "'ripple.py': bias must return None or a tensor of shape [1 or 3, 1 or 4, 6, 6] for 2 models",
    ),
    ((", self.num_models)", ", self.num_models).tolist()"), "found list."),
    (
        ("2 * math.pi / self.period)", "2 * math.pi / self.perod)"),
        "'ripple.py': bias fails: line 46: AttributeError: 'Ripple' object has no attribute 'perod'.",
    ),
    (("wave = torch.cos(", "wave = 1e400 * torch.cos("), "'ripple.py': attention is not finite."),
]


@pytest.mark.parametrize(("change", "sentence"), WRONG_CODE, ids=[sentence[-40:] for _, sentence in WRONG_CODE])
def test_wrong_code_ends_in_a_sentence(change: tuple[str, str], sentence: str, write: Write, command: Command) -> None:
    path = write(change)
    assert find_encoding(path).card.name == "ripple", "the card is still known"
    with pytest.raises(UserCodeError) as caught:
        make_encoding(path, FIT)
    assert sentence in caught.value.message
    code, out, err = command("check", path)
    assert code == 1
    assert out.startswith("error: ")
    assert "Traceback" not in out + err


def test_an_error_before_training_ends_a_run_in_a_sentence(write: Write, command: Command) -> None:
    path = write((", self.num_models)", ", self.num_models)[..., :2]"))
    code, _, err = command("run", "bin_majority", "--encoding", path, "--steps", "2", "--seeds", "1")
    assert code == 2
    assert "error: 'ripple.py': bias must return None or a tensor" in err


def test_an_error_in_training_ends_a_run_in_a_sentence(write: Write) -> None:
    write(("        wave = ", "        assert queries.ids_MBL.shape[-1] < 9, 'too long for me'\n        wave = "))
    with pytest.raises(UserCodeError) as caught:
        run_experiment(tiny(), "store.db", workers=1, device="cpu", models_per_stack=2)
    assert caught.value.message.startswith("training with ripple.py failed: line 46: AssertionError: too long for me")


# Checking


def test_the_template_is_right(write: Write, command: Command) -> None:
    code, out, err = command("new", "encoding", "ripple")
    assert (code, err) == (0, "wrote ripple.py\n")
    assert "lengthwise run bin_majority --encoding ripple.py   train with it" in out
    assert Path("ripple.py").read_text() == RIPPLE
    note = "note: running the code in ripple.py (named on the command line), in this process.\n"
    assert command("check", "ripple.py") == (
        0,
        "note: a wave of the distance, as high as each head learns: 19 checks passed.\n",
        note,
    )
    code, out, err = command("conform", "ripple.py", "--json")
    data = json.loads(out)
    assert (code, err) == (0, note)
    assert (data["encodings"], data["passed"], data["failed"]) == (["ripple.py"], len(CHECKS), 0)
    assert command("new", "encoding", "ripple")[0] == 2, "a file that is there is not written over"
    assert write() == "ripple.py"


def test_without_a_reference_that_check_is_left_out(write: Write, command: Command) -> None:
    path = write(("def reference(case)", "def other(case)"))
    code, out, _ = command("check", path)
    assert code == 0
    assert "the check 'reference' was left out: 'ripple.py' has no function reference(case) to compare with." in out
    assert "16 checks passed" in out
    assert "ripple.py  –  –  –  ✓" in command("conform", path)[1]


WRONG_DECLARATIONS = [
    (
        ("shift_invariant=True", "shift_invariant=False"),
        "shift",
        "declared not invariant to shifts, but outputs do not",
    ),
    (("bounded_bias=True", "bounded_bias=False"), "declared", "bounded_bias is declared False; the largest is"),
    (("bounded_bias=True", "bounded_bias=None"), "declared", "bounded_bias is declared None, but there is a bias"),
    (("bounded_bias=True", "bounded_bias=True, never_positive=True"), "declared", "never_positive is declared True"),
    (("bounded_bias=True", "bounded_bias=True, needs_scale=True"), "declared", "needs_scale is declared True, but"),
    (("bounded_bias=True", "bounded_bias=True, reads_stream=True"), "declared", "reads_stream is declared True, but"),
    (("bounded_bias=True", "bounded_bias=True, uses_visible_keys=True"), "declared", "uses_visible_keys is declared"),
    (
        ("bounded_bias=True", "bounded_bias=True, has_table=True"),
        "declared",
        "has_table is declared True, but there is no",
    ),
    (("bounded_bias=True", "bounded_bias=True, prefix_consistent=False"), "prefix", "declared not prefix-consistent"),
    (("bounded_bias=True", "bounded_bias=True, float_ids=False"), "ids", "fractions are not refused"),
    (("bounded_bias=True", "bounded_bias=True, max_length=True"), "largest", "are accepted, though there is room for"),
    (('parameters="H"', 'parameters="2·H"'), "declared", "8 parameters are declared (2·H), but there are 4"),
    (('acts_on=("scores",)', 'acts_on=("values",)'), "declared", "declared to act on values, but acts on scores"),
    (("heights[h] * math.cos", "heights[h] * math.sin"), "reference", "outputs differ by up to"),
    (("float() * (2", "float().abs().sqrt() * (2"), "reference", "outputs differ by up to"),
]


@pytest.mark.parametrize(
    ("change", "check", "sentence"), WRONG_DECLARATIONS, ids=[change[1] for change, *_ in WRONG_DECLARATIONS]
)
def test_a_wrong_declaration_is_measured(change: tuple[str, str], check: str, sentence: str, write: Write) -> None:
    choice = find_encoding(write(change))
    assert sentence in run_check(check, choice).failure


def test_others_can_be_put_around_it(write: Write) -> None:
    path = write()
    for name in (
        f"window({path}, window=3)",
        f"offset({path})",
        f"scale_hint({path}(period=3))",
        f"length_corrected({path})",
    ):
        failed = [outcome for outcome in conform(name) if outcome.failure]
        assert failed == [], name


# Where it goes


def test_a_layer_takes_it(write: Write) -> None:
    layer = Attention(8, 2, write(), max_length=12)
    assert layer(torch.ones(1, 12, 8)).shape == (1, 12, 8)


def test_a_model_of_hugging_face_takes_it_and_a_folder_does_not_run_it(write: Write, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from lengthwise.encodings import attach, load

    path = write(before="open('ran', 'a').close()\n")
    config = transformers.LlamaConfig(
        vocab_size=9, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2
    )
    model = attach(transformers.LlamaForCausalLM(config).eval(), path, max_length=16)
    tokens = torch.arange(6)[None]
    expected = model(tokens).logits
    model.save_pretrained(tmp_path / "saved")
    Path("ran").unlink()
    with pytest.raises(InvalidOptionError) as caught:
        load(tmp_path / "saved")
    assert caught.value.hint == "if you trust the file, name it: load(path, encoding='ripple.py')."
    assert not Path("ran").exists()
    torch.testing.assert_close(load(tmp_path / "saved", encoding=path)(tokens).logits, expected)
    write(("fill_(1.0)", "fill_(2.0)"))
    with pytest.raises(InvalidOptionError, match="was saved with revision"):
        load(tmp_path / "saved", encoding=path)


def test_workers_train_with_it_and_a_store_never_runs_it(write: Write, command: Command) -> None:
    path = write(before="open('ran', 'a').close()\n")
    store = Path("store.db")
    outcome = run_experiment(tiny(), store, workers=2, device="cpu", models_per_stack=1, keep=True)
    assert [result.encoding for result in outcome.results] == ["ripple.py"] * 2
    assert Path("ran").exists()
    Path("ran").unlink()
    run_id = outcome.results[0].id
    kept = model_path(models_folder(store), run_id)

    def reading() -> None:
        code, out, err = command("report", str(store))
        assert (code, "ripple.py" in out, "note: running" in err) == (0, True, False)
        assert command("store", "verify", str(store))[0] == 0
        with pytest.raises(UnreadableFileError) as caught:
            load_model(kept)
        assert caught.value.hint == "if you trust the file, name it: --encoding 'ripple.py'."
        assert command("inspect", run_id, "--store", str(store))[0] == 2

    reading()
    assert not Path("ran").exists()
    code, _, err = command("inspect", run_id, "--store", str(store), "--encoding", path, "--instances", "2")
    assert (code, err) == (0, "note: running the code in ripple.py (named on the command line), in this process.\n")
    Path("ran").unlink(missing_ok=True)
    Path(path).write_text("raise SystemExit(9)\n", encoding="utf-8")
    reading()
    Path(path).unlink()
    reading()
    assert not Path("ran").exists()


@pytest.mark.full
def test_runs_of_an_older_content_are_told_apart(write: Write, command: Command) -> None:
    for height in ("1.0", "2.0"):
        write(("fill_(1.0)", f"fill_({height})"))
        run_experiment(tiny(), "store.db", workers=1, device="cpu", models_per_stack=2)
    code, out, err = command("report", "store.db")
    assert code == 0
    assert "ripple.py had changed when it was run last" in out + err


def test_a_file_that_changes_while_it_is_trained_is_not_recorded_under_the_wrong_revision(write: Write) -> None:
    write()
    runs = make_runs([tiny()])
    write(("fill_(1.0)", "fill_(2.0)"))
    with pytest.raises(TrainingFailedError, match=r"ripple\.py has changed since its runs were planned"):
        stack_of(runs)


@pytest.mark.full
def test_a_spec_names_it(write: Write, command: Command) -> None:
    path = write()
    Path("spec.toml").write_text(
        f'tasks = ["bin_majority"]\nencodings = ["{path}"]\nseeds = 1\n[training]\nsteps = 2\n', encoding="utf-8"
    )
    code, _, err = command("run", "spec.toml", "--store", "store.db")
    assert code == 0
    assert err.count("note: running the code in ripple.py (named in spec.toml), in this process.") == 1
