"""Compiled programs: both targets equal the interpreter at every position, and rounding behaves as predicted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from crasp_programs import ProgramSource, random_word

from lengthwise.cli.main import main
from lengthwise.crasp.interpreter import Values, run_program
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.programs.catalog import PROGRAMS, find_program
from lengthwise.crasp.syntax import Program
from lengthwise.errors import CapExceededError, LengthwiseError, UnreadableFileError
from lengthwise.model.compiled.checking import check_equal, values_of
from lengthwise.model.compiled.circuit import Style
from lengthwise.model.compiled.compiler import make_circuit
from lengthwise.model.compiled.running import run_on_limit
from lengthwise.model.compiled.to_limit import limit_transformer
from lengthwise.model.limit.checks import check_local, check_periodic
from lengthwise.model.limit.transformer import LimitTransformer

torch = pytest.importorskip("torch")

from lengthwise.model.compiled.files import CONFIG, WEIGHTS, load_model, save_model  # noqa: E402
from lengthwise.model.compiled.further import distance, exact_match, perturbed, train_further  # noqa: E402
from lengthwise.model.compiled.measurement import (  # noqa: E402
    Measurement,
    first_wrong,
    in_format,
    measure_longest,
    tie_words,
)
from lengthwise.model.compiled.model import CompiledModel, compile_to_transformer  # noqa: E402
from lengthwise.model.compiled.precision import FORMATS, Kernel, predict_longest  # noqa: E402
from lengthwise.model.compiled.probing import probe_longest  # noqa: E402

QUICK = ("majority", "dyck_1", "tomita_4", "aligned_pair", "no_subword", "unique_copy", "interleaved_majority")
EVERYTHING = """
    alphabet 'a' 'b'
    start '$'
    lead   := (if 'a' and pos % 3 = 1 then 2 * #['a'] - #['b'] + 3 else #<['a'] - #{1,4}['b'])
    odd    := lead > #['b' or pos % 2 = 0] - 2 or #{0,2}[lead >= 1] = 1
    accept := #[odd] != #<[not odd] + (if odd then 1 else #{3}['a'])
"""
"""All forms of the language in one program."""
GATED = "alphabet 'a' 'b'\naccept := (if 'b' then 4 * #['a'] else 0) >= (if 'b' then 4 * #['b'] + 1 else 1)"
"""Two counts that each pass a choice before they are compared: rounded on their own, where ties need the difference."""


def as_limit(program: Program) -> LimitTransformer:
    return limit_transformer(make_circuit(program, Style.STEPS))


def outputs(program: Program, word: str, offset: int = 0) -> dict[str, list[bool]]:
    values = run_program(program, word, offset=offset)
    return {output.name: [bool(value) for value in values[output.name]] for output in program.outputs}


def disagrees(program: Program, max_length: int, *, most: int) -> list[str]:
    """Return the targets that differ from the program on a word."""
    limit, model = as_limit(program), compile_to_transformer(program)
    runs: dict[str, Callable[[list[tuple[str, ...]]], Iterator[Values]]] = {
        "limit": lambda words: (run_on_limit(limit, program, word) for word in words),
        "transformer": model.run_all,
    }
    found = {name: check_equal(program, run, max_length, most=most) for name, run in runs.items()}
    return [f"{name}: {each.counterexample}" for name, each in found.items() if each.counterexample is not None]


# Equal to the interpreter


@pytest.mark.parametrize("name", QUICK)
def test_compiled_programs_are_equal_to_the_interpreter_on_short_words(name: str) -> None:
    assert disagrees(find_program(name).program, 4, most=100) == []


@pytest.mark.full
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_of_the_library_is_equal_on_all_words_to_length_6(name: str) -> None:
    """All words of a length if these are at most 20,000, as they are for up to five symbols; else 20,000 at random."""
    assert disagrees(find_program(name).program, 6, most=20_000) == []


@pytest.mark.parametrize("name", ["prefix_majority"])
def test_a_long_word_is_right_at_every_position(name: str) -> None:
    long_word_is_right(name, 3000)


@pytest.mark.full
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_of_the_library_is_right_on_a_random_word_of_ten_thousand_symbols(name: str) -> None:
    long_word_is_right(name, 10_000)


def long_word_is_right(name: str, length: int) -> None:
    program = find_program(name).program
    word = Random(7).choices(program.alphabet, k=length)
    wanted = values_of(program, word)
    assert run_on_limit(as_limit(program), program, word) == wanted
    assert compile_to_transformer(program).run(word) == wanted


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_are_equal_in_every_semantics(seed: int) -> None:
    random_programs_agree(seed, size=14)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 400))
def test_large_random_programs_are_equal_in_every_semantics(seed: int) -> None:
    random_programs_agree(seed, size=30)


def random_programs_agree(seed: int, size: int) -> None:
    random = Random(seed)
    program = ProgramSource(random, start=random.choice((None, "$")), max_distance=4).program(size)
    limit, model = as_limit(program), compile_to_transformer(program)
    for length in (0, 3, 12):
        word, offset = random_word(random, "ab", length), random.choice((0, 1, 5))
        wanted = outputs(program, word, offset)
        assert run_on_limit(limit, program, word, offset=offset) == wanted
        assert model.run(word, offset=offset) == wanted
        if len(word) < 4 and limit.width < 60:
            assert run_on_limit(limit, program, word, offset=offset, exact=True) == wanted


def test_one_program_with_all_forms_is_right_in_exact_arithmetic() -> None:
    program = parse_program(EVERYTHING)
    limit = as_limit(program)
    for word in ("", "a", "ab", "bbaab"):
        assert run_on_limit(limit, program, word, exact=True) == outputs(program, word)
    assert disagrees(program, 6, most=100) == []
    assert check_periodic(limit).holds
    assert check_local(limit).holds
    assert (limit.period, limit.reach) == (6, 4)


def test_the_same_weights_run_at_several_lengths() -> None:
    model = compile_to_transformer(find_program("dyck_1").program)
    before = [parameter.clone() for parameter in model.transformer.parameters()]
    for half in (1, 20, 400):
        assert model.run("(" * half + ")" * half)["accept"][-1]
        assert not model.run("(" * half + ")" * (half + 1))["accept"][-1]
    assert all(torch.equal(one, two) for one, two in zip(before, model.transformer.parameters(), strict=True))
    assert model.num_parameters == sum(each.numel() for each in before)


def test_a_changed_weight_is_noticed() -> None:
    program = find_program("dyck_1").program
    model = compile_to_transformer(program)
    parameters = dict(model.transformer.named_parameters())
    with torch.no_grad():
        parameters["blocks.0.expand.bias_MO"][0, 0] += 1.0e18
    assert check_equal(program, model.run_all, 4).counterexample is not None


def test_a_small_slope_is_exact_for_short_words_only() -> None:
    model = compile_to_transformer(find_program("dyck_1").program, slope=16.0)
    assert first_wrong(model, tie_words(model.program)(7)) is None
    assert first_wrong(model, tie_words(model.program)(200)) is not None


# Precision


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
@pytest.mark.parametrize("kernel", Kernel)
def test_up_to_the_predicted_length_rounding_changes_nothing(name: str, kernel: Kernel) -> None:
    limited = 0
    for seed in range(6):
        program = ProgramSource(Random(seed), max_distance=3).program(20)
        model = compile_to_transformer(program)
        assert model.circuit is not None
        predicted = predict_longest(model.circuit, FORMATS[name], kernel)
        limited += predicted is not None and predicted < 1000
        length = 200 if predicted is None else min(200, predicted)
        if length:
            words = tie_words(program)(length - 2 if length > 2 else length)  # room for markers
            assert first_wrong(in_format(model, name, kernel), words) is None
    assert limited or name == "float32"


def test_choices_between_counts_cost_precision_and_fail_where_they_may() -> None:
    model = compile_to_transformer(parse_program(GATED))
    assert model.circuit is not None
    coarse = in_format(model, "bfloat16", Kernel.FUSED)
    predicted = predict_longest(model.circuit, FORMATS["bfloat16"], Kernel.FUSED)
    assert predicted is not None
    assert first_wrong(coarse, tie_words(model.program)(predicted)) is None
    words = tie_words(model.program)(1000)
    found = first_wrong(coarse, words)
    assert found is not None
    assert predicted < found[0]
    assert first_wrong(in_format(model, "float64", Kernel.FUSED), [words[found[1]]]) is None


@pytest.mark.full
def test_the_longest_length_is_found_by_halving() -> None:
    model = in_format(compile_to_transformer(parse_program(GATED)), "bfloat16", Kernel.FUSED)
    found = measure_longest(model, up_to=2048)
    assert found.failed
    assert found.word is not None
    assert first_wrong(model, [found.word]) is not None
    assert first_wrong(model, tie_words(model.program)(found.longest)) is None


def test_the_bound_is_read_off_the_program() -> None:
    def bound(name: str, number_format: str, kernel: Kernel) -> int | None:
        circuit = make_circuit(find_program(name).program, Style.RELUS)
        return predict_longest(circuit, FORMATS[number_format], kernel)

    assert bound("majority", "float32", Kernel.FUSED) == 2**24 - 1
    assert bound("majority", "float32", Kernel.STEPWISE) == 2895  # √(2^24 / 2)
    assert bound("weighted_majority", "float32", Kernel.FUSED) == 2**24 // 3 - 1
    assert bound("ends_in_b", "bfloat16", Kernel.STEPWISE) is None
    huge = parse_program("alphabet 'a'\naccept := #['a'] > 100000")
    assert predict_longest(make_circuit(huge, Style.RELUS), FORMATS["bfloat16"], Kernel.FUSED) == 0


def test_a_probe_of_the_last_position_finds_what_a_whole_run_finds() -> None:
    program = parse_program("alphabet 'a' 'b'\naccept := (if 'b' then #['a'] else 0) >= (if 'b' then #['b'] else 1)")
    coarse = in_format(compile_to_transformer(program), "bfloat16", Kernel.FUSED)
    assert probe_longest(coarse, up_to=2048).failed
    assert probe_longest(in_format(coarse, "float64", Kernel.FUSED), up_to=2048) == Measurement(
        longest=2048, failed=False
    )
    assert probe_longest(compile_to_transformer(find_program("dyck_1").program), up_to=4096).longest == 4096


# Files


def test_a_saved_model_is_loaded_as_it_was(tmp_path: Path) -> None:
    model = compile_to_transformer(find_program("aligned_pair").program, dtype=torch.float32)
    loaded = load_model(save_model(model, tmp_path / "saved"))
    assert loaded.program == model.program
    for one, two in zip(loaded.transformer.parameters(), model.transformer.parameters(), strict=True):
        assert torch.equal(one, two)
    assert loaded.run("cab") == model.run("cab") == outputs(model.program, "cab")


def saved(folder: Path) -> Path:
    model: CompiledModel = compile_to_transformer(find_program("majority").program)
    return save_model(model, folder)


def message_of(folder: Path) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        load_model(folder)
    return caught.value.message.replace(str(folder), "DIR")


def test_files_that_are_not_ours_are_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    weights = (folder / WEIGHTS).read_bytes()

    def write(data: object) -> None:
        (folder / CONFIG).write_text(json.dumps(data), encoding="utf-8")

    write({**config, "version": 7})
    assert message_of(folder) == "'DIR/config.json' has version 7; this program reads version 1."
    write({"model_type": "gpt2"})
    assert message_of(folder) == "'DIR/config.json' does not describe a compiled program."
    write({key: value for key, value in config.items() if key != "shape"})
    assert message_of(folder) == "'DIR/config.json' has no 'shape'."
    damaged = "'DIR' is no whole compiled model: weights and config.json do not fit each other, or are damaged."
    write({**config, "program": "alphabet 'a'"})
    assert message_of(folder) == damaged
    write({**config, "shape": {**config["shape"], "width": 9}})
    assert message_of(folder) == damaged
    write(config)
    (folder / WEIGHTS).write_bytes(weights[: len(weights) // 2])
    assert message_of(folder) == damaged
    (folder / WEIGHTS).unlink()
    assert message_of(folder) == "there is no file 'DIR/model.safetensors' beside its config.json."
    assert message_of(tmp_path / "nowhere") == "there is no file 'DIR/config.json'."


def test_programs_that_would_be_too_large_are_refused_in_a_sentence() -> None:
    far = parse_program("alphabet 'a'\naccept := #{0..200}['a'] > 3")
    with pytest.raises(CapExceededError, match="200 different distances, which takes a head each; at most 99"):
        make_circuit(far, Style.STEPS)
    moduli = parse_program("alphabet 'a'\naccept := pos % 101 = 0 or pos % 103 = 1")
    with pytest.raises(CapExceededError, match="period 10403"):
        make_circuit(moduli, Style.STEPS)
    assert issubclass(CapExceededError, LengthwiseError)


# The command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["crasp", "compile", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_program_is_compiled_saved_loaded_and_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    code, out, _ = run(capsys, "dyck_1", "--out", "dyck", "--check-length", "3")
    assert code == 0
    assert "equal to the program at every position of all 15 words up to length 3" in out
    assert sorted(path.name for path in Path("dyck").iterdir()) == [CONFIG, WEIGHTS]
    code, out, _ = run(capsys, "dyck", "--check-length", "2", "--run", "(())", "--run", "())", "--json")
    data = json.loads(out)
    assert (code, [row["accepted"] for row in data["runs"]]) == (0, [True, False])
    assert data["check"] == {
        "equal": True,
        "max_length": 2,
        "words": 7,
        "exhaustive": True,
        "counterexample": None,
    }


def test_the_limit_transformer_is_described_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "unique_copy", "--target", "limit", "--check-length", "2", "--run", "c a b |", "--generate"
    )
    assert code == 0
    assert "LOCAL: yes, every φ is 0 beyond distance 1, and depends on the distance alone." in out
    assert out.endswith("word  writes\ncab|  c a b\n")


def test_the_precision_of_every_format_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ends_in_b", "--precision", "--check-length", "1")
    assert code == 0
    assert "bfloat16  fused      every length" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["majority", "--check-length", "40"], "--check-length must be from 0 to 12; found 40."),
        (["majority", "--generate"], "--generate is about the words of --run, and there are none."),
        (["majority", "--target", "limit", "--out", "x"], "--out and --precision are about ordinary transformers"),
        (["majority", "--generate", "--run", "01"], "--generate lets a program write on"),
        (["nothing_here"], "program 'nothing_here' is unknown."),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert message in err


# Training further


@pytest.mark.full  # torch's optimizers take seconds to import
def test_a_perturbed_model_can_be_trained_and_the_compiled_one_is_left_alone() -> None:
    model = compile_to_transformer(find_program("majority").program, slope=64.0, bias=20.0, dtype=torch.float32)
    before = [parameter.detach().clone() for parameter in model.transformer.parameters()]
    assert exact_match(model, [4, 12], count=40) == {4: 1.0, 12: 1.0}
    moved = perturbed(model, 0.05, seed=1)
    trained, losses = train_further(moved, steps=2, rate=1e-3, max_length=6, seed=1)
    assert len(losses) == 2
    assert all(torch.equal(one, two) for one, two in zip(before, model.transformer.parameters(), strict=True))
    assert distance(moved, model) > 0
    assert distance(trained, moved) > 0
    again, same = train_further(moved, steps=2, rate=1e-3, max_length=6, seed=1)
    assert same == losses
    assert distance(again, trained) == 0
