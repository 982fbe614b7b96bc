"""Compiled programs: both targets equal the interpreter at every position, and rounding behaves as predicted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from crasp_programs import ProgramSource, random_word

from lengthwise.cli import programs
from lengthwise.cli.main import main
from lengthwise.crasp.interpreter import Values, run_program
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.programs.catalog import PROGRAMS, find_program
from lengthwise.crasp.syntax import Program
from lengthwise.errors import CapExceededError, InvalidOptionError, UnreadableFileError
from lengthwise.model.compiled.checking import check_equal, values_of
from lengthwise.model.compiled.circuit import Style
from lengthwise.model.compiled.compiler import make_circuit
from lengthwise.model.compiled.running import run_on_limit
from lengthwise.model.compiled.to_limit import limit_transformer
from lengthwise.model.limit.checks import check_local, check_periodic
from lengthwise.model.limit.transformer import LimitTransformer

torch = pytest.importorskip("torch")

from further_training import distance, exact_match, perturbed, train_further  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from torch import Tensor  # noqa: E402

import lengthwise.model.transformer as transformer_module  # noqa: E402
from lengthwise.model.compiled import files  # noqa: E402
from lengthwise.model.compiled.files import CONFIG, WEIGHTS, load_model, save_model  # noqa: E402
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
from lengthwise.model.compiled.to_transformer import Plan, empty_transformer  # noqa: E402
from lengthwise.model.transformer import Transformer  # noqa: E402

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


def test_words_of_different_lengths_run_together() -> None:
    model = compile_to_transformer(find_program("dyck_1").program)
    words = ["", "((", "()())("]
    assert list(model.run_all(words)) == [model.run(word) for word in words]
    assert list(model.run_all([])) == []
    with pytest.raises(InvalidOptionError, match="there are no words"):
        model.tokens([])


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


@pytest.mark.full
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


NEAR = "alphabet 'a' 'b' 'c'\naccept := #['a'] >= 100 * #{1}['b']"
"""An average that balances a large term of size 1/m is as large itself, and rounded."""


def predicted(text: str, name: str, kernel: Kernel) -> int | None:
    return predict_longest(make_circuit(parse_program(text), Style.RELUS), FORMATS[name], kernel)


def test_large_factors_of_local_counts_are_not_promised_where_they_fail() -> None:
    word = tuple("c" * 148 + "a" * 99 + "bcabc")
    coarse = in_format(compile_to_transformer(parse_program(NEAR)), "bfloat16", Kernel.FUSED)
    found = first_wrong(coarse, [word])
    assert found is not None
    bound = predicted(NEAR, "bfloat16", Kernel.FUSED)
    assert bound is not None
    assert bound < found[0] == len(word)
    less = NEAR.replace("100", "60")
    bound = predicted(less, "bfloat16", Kernel.FUSED)
    assert bound is not None
    assert bound > 1000
    words = [tuple("c" * n + "a" * 59 + "bcabc") for n in range(0, 300, 20)]
    assert first_wrong(in_format(compile_to_transformer(parse_program(less)), "bfloat16", Kernel.FUSED), words) is None


def test_every_part_of_the_bound_counts() -> None:
    """The bounds by hand, of terms of size 1/m with factor f: m·2·2^−24·f + (2f + 2)·2^−8 < 1/2, or (f + 2) if divided first."""

    def text(factor: int) -> str:
        return f"alphabet 'a' 'b'\naccept := #['a'] >= {factor} * #{{1}}['b']"

    assert predicted(text(60), "bfloat16", Kernel.FUSED) == pytest.approx((0.5 - 122 / 256) * 2**23 / 60, rel=0.01)
    assert predicted(text(63), "bfloat16", Kernel.FUSED) == 0
    assert predicted(text(120), "bfloat16", Kernel.STEPWISE) == pytest.approx((0.5 - 122 / 256) * 2**23 / 120, rel=0.01)
    assert predicted(text(1000), "float32", Kernel.FUSED) == pytest.approx(2**22 / 1000, rel=0.01)
    one, two = (
        predicted(
            f"alphabet 'a' 'b'\nf := if 'b' then #['a'] else 0\naccept := {count} > #['b']", "bfloat16", Kernel.FUSED
        )
        for count in ("f", "(if #['a'] > 3 then f else 0)")
    )
    assert one is not None
    assert two is not None
    assert 0 < two < one < 64
    whole = "alphabet 'a'\naccept := 999999 * #{1}['a'] > 700001 * #{2}['a']"
    assert [predicted(whole, name, Kernel.FUSED) for name in ("float32", "float64")] == [0, None]


def test_constants_are_not_added_after_the_product_was_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPUs add the bias to a product that is bfloat16 already, where 1/m + 1 would be 1."""

    def affine(x: Tensor, weight_MIO: Tensor, bias_MO: Tensor | None) -> Tensor:
        flat = x.reshape(x.shape[0], -1, x.shape[-1])
        mapped = torch.bmm(flat, weight_MIO)
        mapped = mapped if bias_MO is None else mapped + bias_MO[:, None, :]
        found: Tensor = mapped.reshape(*x.shape[:-1], -1)
        return found

    monkeypatch.setattr(transformer_module, "affine", affine)
    model = compile_to_transformer(parse_program("alphabet 'a' 'b'\naccept := #<['a'] >= #['b']"))
    for kernel in Kernel:
        words = [tuple("b" * half + "a" * (half + 1)) for half in (100, 129, 300)]
        assert first_wrong(in_format(model, "bfloat16", kernel), words) is None
    assert disagrees(parse_program(EVERYTHING), 4, most=50) == []


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
    for version in (True, 1.0, "1"):
        write({**config, "version": version})
        assert message_of(folder) == f"'DIR/config.json' has version {version!r}; this program reads version 1."
    write({"model_type": "gpt2"})
    assert message_of(folder) == "'DIR/config.json' does not describe a compiled program."
    write({key: value for key, value in config.items() if key != "shape"})
    assert message_of(folder) == "'DIR/config.json' has no 'shape'."
    damaged = "'DIR' is no whole compiled model: weights and config.json do not fit each other, or are damaged."
    write({**config, "program": "alphabet 'a'"})
    assert message_of(folder) == damaged
    write({**config, "shape": {**config["shape"], "width": 9}})
    assert message_of(folder) == damaged
    for key, value in (
        ("alphabet", ["a", "b"]),
        ("tokens", ["x"]),
        ("outputs", ["other"]),
        ("dtype", "float32"),
        ("dtype", "load"),
        ("slope", "nan"),
        ("slope", 0),
    ):
        write({**config, key: value})
        assert message_of(folder) == damaged
    write(config)
    tensors = load_file(folder / WEIGHTS)
    save_file({**tensors, "embedding_MVD": tensors["embedding_MVD"] * float("nan")}, folder / WEIGHTS)
    assert message_of(folder) == damaged
    (folder / WEIGHTS).write_bytes(weights)
    assert load_model(folder).run("011") == outputs(find_program("majority").program, "011")
    (folder / WEIGHTS).write_bytes(weights[: len(weights) // 2])
    assert message_of(folder) == damaged
    (folder / WEIGHTS).unlink()
    assert message_of(folder) == "there is no file 'DIR/model.safetensors' beside its config.json."
    assert message_of(tmp_path / "nowhere") == "there is no file 'DIR/config.json'."
    (tmp_path / "empty").mkdir()
    assert message_of(tmp_path / "empty") == "the folder 'DIR' holds no compiled model: there is no config.json in it."


def test_a_wrong_size_in_a_file_costs_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = saved(tmp_path)
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    made, make = [], empty_transformer

    def counted(plan: Plan) -> Transformer:
        made.append(torch.empty(0).device.type)
        assert made[-1] == "meta" or plan.width < 100
        return make(plan)

    monkeypatch.setattr(files, "empty_transformer", counted)
    config["shape"].update(width=10_000, layers=2)
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    assert "is no whole compiled model" in message_of(folder)
    assert made == ["meta"]
    config["shape"]["width"] = 10_001
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    assert "is no whole compiled model" in message_of(folder)


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS])
def test_a_folder_in_the_place_of_a_file_is_told_before_compiling(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    code, out, err = run(capsys, "majority", "--out", str(tmp_path))
    assert (code, out) == (2, "")
    assert f"cannot write a model to '{tmp_path}': {name} is a folder there." in err


def test_a_failure_while_weights_are_written_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / WEIGHTS).mkdir()
    monkeypatch.setattr(files, "require_writable", Path)
    with pytest.raises(UnreadableFileError, match=r"cannot write .*: Is a directory"):
        saved(tmp_path)
    (tmp_path / CONFIG).mkdir()
    with pytest.raises(UnreadableFileError, match=r"cannot write .*: Is a directory"):
        saved(tmp_path)


def test_programs_that_would_be_too_large_are_refused_in_a_sentence() -> None:
    far = parse_program("alphabet 'a'\naccept := #{0..200}['a'] > 3")
    with pytest.raises(CapExceededError, match="200 different distances, which takes a head each; at most 99"):
        make_circuit(far, Style.STEPS)
    moduli = parse_program("alphabet 'a'\naccept := pos % 101 = 0 or pos % 103 = 1")
    with pytest.raises(CapExceededError, match="period 10403"):
        make_circuit(moduli, Style.STEPS)
    huge = parse_program("alphabet 'a'\naccept := 1000000*(1000000*(10000*#['a'])) >= 1000000*(1000000*10000) + 1")
    with pytest.raises(CapExceededError, match="add up to 20000000000000000; at most 2\\^48"):
        make_circuit(huge, Style.STEPS)


def test_programs_that_are_nested_too_deeply_are_refused_in_a_sentence() -> None:
    lines = [f"f{i} := if #['b'] > {i} then f{i - 1} + 1 else 0" for i in range(1, 801)]
    program = parse_program("\n".join(["alphabet 'a' 'b'", "f0 := #['a']", *lines, "accept := f800 > 5"]))
    with pytest.raises(CapExceededError, match="nested too deeply"):
        make_circuit(program, Style.STEPS)


def test_chained_choices_are_compiled_in_a_moment() -> None:
    """Each choice uses the count before it twice; without sharing, 30 of them would take 2^30 steps."""
    lines = [f"f{i} := if #['b'] > {i} then 2 * f{i - 1} + 1 else f{i - 1}" for i in range(1, 31)]
    program = parse_program("\n".join(["alphabet 'a' 'b'", "f0 := #['a']", *lines, "accept := f30 > 5"]))
    circuit = make_circuit(program, Style.STEPS)
    assert len(circuit.units) < 400
    word = "abbab" * 4
    assert run_on_limit(limit_transformer(circuit), program, word) == outputs(program, word)


def test_choices_that_are_equal_or_cancel_out_are_made_once() -> None:
    def units(count: str) -> int:
        return len(
            make_circuit(parse_program(f"alphabet 'a' 'b'\nf := {choice}\naccept := {count}"), Style.RELUS).units
        )

    choice = "if #['b'] > 1 then #['a'] else 0"
    assert units("f + f + f > 5") == units("f > 5") == units("2 * f - 2 * f + f > 5")
    assert units("f - f + #['a'] > 5") < units("f > 5")


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
        (["majority", "--generate", "--run", "01"], "--generate needs a program that predicts the next symbols"),
        (["nothing_here"], "program 'nothing_here' is unknown."),
        ([""], "'' names no program."),
        (["majority", "--run", "01x"], "symbol 'x' is not in the program's alphabet"),
        (["majority", "--target", "limit", "--run", "2"], "symbol '2' is not in the program's alphabet"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")  # before anything is compiled and compared
    assert message in err


def test_a_program_that_never_stops_is_told_what_helps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object, **__: object) -> tuple[str, ...]:
        raise CapExceededError("the program wrote 1000 symbols and did not stop.", hint="raise max_length.")

    monkeypatch.setattr(programs, "generate", endless)
    arguments = ("unique_copy", "--target", "limit", "--check-length", "0", "--run", "a|", "--generate")
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert "did not stop" in err
    assert "max_length" not in err
    assert "at every position of 1 word up to length 0" in " ".join(out.split())


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
