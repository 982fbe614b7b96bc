"""What a configuration says about long inputs, beside literal computations and the Hugging Face library."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from command_runner import Runner
from published_configs import CONFIGS

from lengthwise.context.config_reader import alibi_slopes, parse_model_config
from lengthwise.context.findings import TURN, Finding, findings_of
from lengthwise.context.model_config import AttentionKind, ModelConfig
from lengthwise.context.offsets import closest_sum, first_negative_sum
from lengthwise.context.rotations import Rotation
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.errors import InvalidOptionError
from lengthwise.theory.precision.look_back import NumberFormat, least_amplitude, penalty_reach, rotary_angles

UNDERFLOWS = {"float32": 103.97, "bfloat16": 92.88, "float16": 17.33}


def answers(config: ModelConfig) -> dict[tuple[str, str], Finding]:
    return {(found.key, found.kind): found for found in findings_of(config, 10.0)}


def of(config: ModelConfig, key: str, kind: str) -> Finding:
    return answers(config)[key, kind]


def literal_angles(name: str, kind: str) -> tuple[list[float], list[float]]:
    """The angles before and after scaling as the formulas of the papers give them, typed in again for the published models."""
    entries = CONFIGS[name].get("text_config", CONFIGS[name])
    heads = entries.get("num_attention_heads", entries.get("n_head"))
    head = entries.get("head_dim", entries.get("hidden_size", entries.get("n_embd")) // heads)
    width = {"phi-2": 32, "pythia-1.4b": 32, "gpt-neox-20b": 24, "gpt-j-6b": 64, "DeepSeek-V3": 64}.get(name, head)
    base = entries.get("rope_theta", 10_000)
    if kind == "sliding" and "rope_local_base_freq" in entries:
        base = entries["rope_local_base_freq"]
    before = [1 / base ** (2 * t / width) for t in range(width // 2)]
    scaling = entries.get("rope_scaling") or {}
    if kind == "sliding" or not scaling:
        return before, before
    factor = scaling["factor"]
    what = scaling.get("rope_type") or scaling["type"]
    if what == "linear":
        return before, [angle / factor for angle in before]
    trained = scaling["original_max_position_embeddings"]
    after = []
    for t, angle in enumerate(before):
        wave = 2 * math.pi / angle
        if what == "llama3":
            if wave < trained / 4:
                after.append(angle)
            elif wave > trained / 1:
                after.append(angle / factor)
            else:
                smooth = (trained / wave - 1) / (4 - 1)
                after.append((1 - smooth) * angle / factor + smooth * angle)
        else:
            low = max(math.floor(width * math.log(trained / (32 * 2 * math.pi)) / (2 * math.log(base))), 0)
            high = min(math.ceil(width * math.log(trained / (1 * 2 * math.pi)) / (2 * math.log(base))), width - 1)
            ramp = min(max((t - low) / (high - low), 0), 1)
            after.append(angle / factor * ramp + angle * (1 - ramp))
    return before, after


ROTARY = [name for name in CONFIGS if name not in ("bloom-7b1", "mpt-7b", "gpt2")]


@pytest.mark.parametrize("name", ROTARY)
def test_every_rotary_finding_of_a_published_model_equals_the_literal_computation(name: str) -> None:
    config = parse_model_config(CONFIGS[name], name)
    assert config.rotations
    found = answers(config)
    for kind, _ in config.rotations:
        before, after = literal_angles(name, kind.name)
        pairs = found["wavelengths", kind.name].data["pairs"]
        assert isinstance(pairs, list)
        assert [pair["wavelength"] for pair in pairs] == pytest.approx([2 * math.pi / angle for angle in before])
        assert [pair["scaled"] for pair in pairs] == pytest.approx([2 * math.pi / angle for angle in after])
        trained, used = (min(n, kind.window or n) for n in (config.trained, config.declared))
        came_round = [t for t, angle in enumerate(before) if angle * trained >= 2 * math.pi]
        assert found["came_round", kind.name].data["pairs"] == len(came_round)
        unseen = [
            t
            for t in range(len(before))
            if before[t] * (trained - 1) < 2 * math.pi
            and after[t] * (used - 1) > before[t] * (trained - 1) * (1 + 1e-9)
        ]
        assert found["unseen", kind.name].data["pairs"] == unseen
        # literal sums at the ends of what is claimed: the first distance, and some before it
        distance = found["similarity", kind.name].data["distance"]
        if distance is not None:
            assert isinstance(distance, int)
            assert sum(math.cos(angle * distance) for angle in after) < 0
        for n in range(1, min(distance or used, 120)):
            assert sum(math.cos(angle * n) for angle in after) >= 0
        amplitude = found["look_back", kind.name].data["amplitude"]
        needed = UNDERFLOWS[str(config.number_format)]
        sums = [sum(1 - math.cos(angle * n) for angle in after) for n in range(1, min(used, 120))]
        assert isinstance(amplitude, float)
        assert amplitude * min(sums) >= needed * (1 - 1e-9)


@pytest.mark.parametrize(
    ("name", "windows"), [("Mistral-7B-v0.1", 32), ("gemma-2-9b", 21), ("gemma-3-1b-it", 22), ("Qwen2-7B", 0)]
)
def test_windows_stand_in_the_layers_that_the_model_gives_them(name: str, windows: int) -> None:
    config = parse_model_config(CONFIGS[name], name)
    assert sum(len(kind.layers) for kind in config.kinds if kind.window) == windows


def test_windowed_layers_alone_look_back_one_window_less_one_for_each_layer() -> None:
    config = parse_model_config(CONFIGS["Mistral-7B-v0.1"], "mistral")
    assert of(config, "window", "sliding").data["tokens"] == 1 + 32 * 4095


def test_penalties_reach_as_far_as_their_slopes_say() -> None:
    config = parse_model_config(CONFIGS["mpt-7b"], "mpt")
    found = of(config, "penalty", "full").data
    assert found["slopes"] == [2 ** (-(head + 1) / 4) for head in range(32)]
    assert found["tokens"] == [
        penalty_reach(2**-0.25, 10, NumberFormat.BFLOAT16),
        penalty_reach(2**-8, 10, NumberFormat.BFLOAT16),
    ]


def test_slopes_equal_those_of_the_library_of_bloom() -> None:
    torch = pytest.importorskip("torch")
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    for heads in (1, 2, 6, 8, 12, 32, 71):
        mask = torch.ones(1, 2)
        theirs = build_alibi_tensor(mask, heads, torch.float32)[:, 0, 1].tolist()
        assert list(alibi_slopes(heads)) == pytest.approx(theirs)


def library_rotation(entries: dict[str, Any], scaling: str, length: int) -> tuple[list[float], float]:
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    config = LlamaConfig(**entries)
    frequencies, gain = ROPE_INIT_FUNCTIONS[scaling](config, "cpu", seq_len=length)
    return frequencies.tolist(), float(gain)


SHAPE = {"hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 2}
SCALINGS: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "linear": ({"factor": 8.0}, (4096,)),
    "dynamic": ({"factor": 2.0}, (1000, 4096, 20_000)),
    "yarn": ({"factor": 4.0, "original_max_position_embeddings": 1024}, (4096,)),
    "yarn, with scales": (
        {
            "factor": 40.0,
            "original_max_position_embeddings": 4096,
            "mscale": 0.707,
            "mscale_all_dim": 1.0,
            "beta_fast": 16,
        },
        (4096,),
    ),
    "yarn, not truncated": ({"factor": 4.0, "original_max_position_embeddings": 1024, "truncate": False}, (4096,)),
    "llama3": (
        {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 512},
        (4096,),
    ),
    "longrope": (
        {
            "short_factor": [1 + t / 50 for t in range(32)],
            "long_factor": [1 + t / 2 for t in range(32)],
            "original_max_position_embeddings": 1024,
        },
        (1000, 1024, 1025, 4096),
    ),
    "proportional": ({"partial_rotary_factor": 0.75, "factor": 2.0}, (4096,)),
}


@pytest.mark.parametrize("name", SCALINGS)
def test_every_scaling_turns_as_the_hugging_face_library_does(name: str) -> None:
    pytest.importorskip("transformers")
    settings, lengths = SCALINGS[name]
    scaling = name.partition(",")[0]
    entries = {
        **SHAPE,
        "max_position_embeddings": 4096,
        "rope_parameters": {"rope_theta": 50_000.0, "rope_type": scaling, **settings},
    }
    ours = parse_model_config({"model_type": "llama", **entries}, "ours").kinds[0].positions
    assert isinstance(ours, Rotation)
    for length in lengths:
        angles, gain = library_rotation(entries, scaling, length)
        assert ours.angles(length) == pytest.approx(angles, rel=2e-6)
        assert ours.gain == pytest.approx(gain)


@pytest.mark.parametrize("name", ROTARY)
def test_the_named_encoding_is_one_of_ours_with_the_same_base(name: str) -> None:
    config = parse_model_config(CONFIGS[name], name)
    for kind, rotation in config.rotations:
        encoding = find_encoding(str(of(config, "encoding", kind.name).data["encoding"]))
        base = dict(encoding.options).get("base", 500_000.0 if encoding.name.startswith("llama3") else 10_000.0)
        assert kind.window is not None or base == rotation.base
        assert kind.window is not None or encoding.precise_at_most is not None


# Sums


def test_the_closest_sum_equals_the_slow_search() -> None:
    for base, width, length in ((10_000, 16, 700), (500_000, 64, 300), (10.0, 4, 50)):
        angles = rotary_angles(base, width)
        slow = least_amplitude(angles, length, NumberFormat.FLOAT32)
        assert NumberFormat.FLOAT32.underflow / closest_sum(angles, length) == pytest.approx(slow)


def test_sums_in_blocks_equal_sums_at_once() -> None:
    angles = rotary_angles(500_000, 64)
    everything = [sum(math.cos(angle * n) for angle in angles) for n in range(1, 40_001)]
    first = next((n for n, value in enumerate(everything, 1) if value < 0), None)
    assert first_negative_sum(angles, 40_000) == first
    assert closest_sum(angles, 40_000) == pytest.approx(len(angles) - max(everything))


PUBLISHED_BASES = {1024: 4.3e3, 2048: 1.6e4, 8192: 8.4e4}
"""From arXiv 2405.14591, table 2: a context length and the least base, two digits each, for heads of width 128."""


@pytest.mark.parametrize("length", PUBLISHED_BASES)
def test_the_published_least_base_keeps_similar_keys_ahead_and_a_smaller_one_does_not(length: int) -> None:
    base = PUBLISHED_BASES[length]
    assert first_negative_sum(rotary_angles(base, 128), length - 1) is None
    assert first_negative_sum(rotary_angles(0.95 * base, 128), length - 1) is not None


# Reading


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"num_hidden_layers": None}, "has no num_hidden_layers"),
        (
            {"num_hidden_layers": "many"},
            "num_hidden_layers in the configuration of 'm' must be a number from 1 to 10000; found 'many'",
        ),
        ({"rope_theta": -1}, "rope_theta in the configuration of 'm' must be a number from 1.0001 to 1e+15; found -1"),
        ({"rope_theta": True}, "found True"),
        ({"rope_theta": float("nan")}, "found nan"),
        (
            {"rope_scaling": {"type": "spiral", "factor": 2}},
            "rope_type in the configuration of 'm' must be one of default",
        ),
        ({"rope_scaling": {"type": "yarn", "factor": 1e9}}, "factor in the configuration"),
        ({"rope_scaling": 3}, "rope_scaling in the configuration of 'm' must be a table; found 3"),
        (
            {"rope_scaling": {"type": "longrope", "short_factor": [1], "long_factor": [1]}},
            "for each of the 64 pairs; found 1",
        ),
        ({"layer_types": ["full_attention"]}, "layer_types in the configuration of 'm' must be 32 entries"),
        ({"head_dim": 7}, "the rotary width must be an even number from 2 on; found 7"),
        ({"max_position_embeddings": 10**30}, "max_position_embeddings in the configuration"),
        ({"sliding_window": 0}, "sliding_window in the configuration"),
        ({"no_rope_layers": [2]}, "no_rope_layers in the configuration"),
        ({"num_attention_heads": 8.5}, "must be a whole number from 1 to 1,000,000; found 8.5"),
        ({"max_position_embeddings": 4096.5}, "must be a whole number from 1 to 16,777,216; found 4096.5"),
        ({"rotary_dim": 6.5}, "rotary_dim in the configuration of 'm' must be a whole number from 2 to 128; found 6.5"),
        ({"hidden_size": 4100}, "hidden_size in the configuration of 'm' must be a multiple of the 32 heads"),
        ({"layer_types": ["sliding_attention"] * 32}, "sliding_window in the configuration of 'm' must be the tokens"),
        (
            {"rope_parameters": {"full_attention": 7}},
            "rope_parameters in the configuration of 'm' must be a table, or one for each kind of layers",
        ),
        (
            {"rope_scaling": {"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4}},
            "high_freq_factor must be above low_freq_factor; found 4 and 4",
        ),
        (
            {
                "rope_scaling": {"type": "longrope", "short_factor": [1] * 64, "long_factor": [2] * 64},
                "original_max_position_embeddings": 1,
            },
            "LongRoPE needs a trained length from 2 on; found 1",
        ),
        ({"is_encoder_decoder": True}, "the configuration of 'm' is that of an encoder with a decoder (llama)"),
        ({"model_type": {"a": 1}}, "model_type in the configuration of 'm' must be a text"),
        ({"lengthwise": 7}, "lengthwise in the configuration of 'm' must be what lengthwise.encodings.attach writes"),
    ],
)
def test_a_wrong_entry_is_named_with_what_is_allowed(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        findings_of(parse_model_config(CONFIGS["Llama-3-8B"] | change, "m"), 10.0)
    assert words in caught.value.message


def test_what_is_not_given_is_said() -> None:
    entries = CONFIGS["Llama-3-8B"] | {"rope_theta": None, "torch_dtype": {"": "bfloat16"}}
    remarks = parse_model_config(entries, "m").remarks
    assert any("names no base of rotary positions" in remark for remark in remarks)
    assert any("the number format is {'': 'bfloat16'}" in remark for remark in remarks)


@pytest.mark.parametrize(
    ("encoding", "answer"),
    [("nope", "nope: counting at least C-RASP"), ("alibi", "alibi: counting"), ("rope", "rope: counting")],
)
def test_an_attached_encoding_takes_the_place_of_the_models_own(encoding: str, answer: str) -> None:
    attached = {"encoding": encoding, "max_length": 64, "trained": 64, "revision": 1}
    config = parse_model_config(CONFIGS["Llama-3-8B"] | {"lengthwise": attached}, "m")
    found = answers(config)
    assert set(found) == {("encoding", "full"), ("horizon", "")}
    assert found["encoding", "full"].answer.startswith(answer)
    assert bool(config.remarks) == (encoding != "nope")


def test_a_file_that_a_configuration_names_as_its_encoding_is_not_opened(tmp_path: Path) -> None:
    attached = {"encoding": f"{tmp_path / 'absent.py'}", "max_length": 64, "trained": 64, "revision": 1}
    config = parse_model_config(CONFIGS["Llama-3-8B"] | {"lengthwise": attached}, "m")
    assert "is unknown" in of(config, "encoding", "full").answer


@pytest.mark.parametrize(
    ("key", "hint"),
    [("rope_thetta", "did you mean 'rope_theta'?"), ("factor", "a scaling is one entry"), ("vocab_size", "a scaling")],
)
def test_a_change_that_would_show_nothing_is_refused(key: str, hint: str) -> None:
    with pytest.raises(InvalidOptionError, match=f"no answer of context depends on '{key}'") as caught:
        parse_model_config(CONFIGS["Llama-3-8B"], "m", {key: 4})
    assert hint in str(caught.value)


def test_layers_without_positions_are_a_kind_of_their_own() -> None:
    config = parse_model_config(CONFIGS["SmolLM2-1.7B"] | {"no_rope_layer_interval": 4}, "m")
    assert [(kind.name, len(kind.layers)) for kind in config.kinds] == [("full", 18), ("full without positions", 6)]
    assert of(config, "encoding", "full without positions").data["encoding"] == "nope"


def test_rotations_by_kind_of_layer_are_read_from_the_newer_form() -> None:
    newer = {
        **{key: value for key, value in CONFIGS["gemma-3-1b-it"].items() if not key.startswith("rope")},
        "rope_parameters": {
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    }
    found = {kind.name: rotation for kind, rotation in parse_model_config(newer, "m").rotations}
    assert (found["full"].base, found["full"].factor) == (1e6, 8.0)
    assert (found["sliding"].base, found["sliding"].scaling) == (1e4, "default")


# The command


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


def written(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIGS[name]))
    return folder


def test_the_command_prints_the_answers_and_what_they_rest_on(tmp_path: Path, run_command: Runner) -> None:
    done = run_command("context", str(written(tmp_path, "Llama-3.1-8B")))
    assert done.code == 0
    assert "pairs that came round in training        35 of 64" in done.out
    assert "theorem bounded_look_back" in done.out
    assert "Not claimed" in done.out


def test_a_changed_entry_stands_beside_the_model_as_it_is(tmp_path: Path, run_command: Runner) -> None:
    done = run_command("context", str(written(tmp_path, "Llama-2-7b")), "--change", "rope_theta=500000", "--json")
    plain, changed = json.loads(done.out)
    assert changed["name"] == "Llama-2-7b with rope_theta=500000"
    longest = [max(pair["scaled"] for pair in each["findings"][1]["pairs"]) for each in (plain, changed)]
    assert longest == pytest.approx([TURN * 10_000 ** (126 / 128), TURN * 500_000 ** (126 / 128)])


def test_what_is_no_configuration_gets_a_sentence(tmp_path: Path, run_command: Runner) -> None:
    (tmp_path / "config.json").write_text("[1, 2]")
    done = run_command("context", str(tmp_path / "config.json"))
    assert (done.code, "it holds no table" in done.err) == (2, True)
    assert run_command("context", str(tmp_path / "missing.json")).code == 2


def test_a_picture_is_drawn_and_refused_where_nothing_turns(tmp_path: Path, run_command: Runner) -> None:
    target = tmp_path / "waves.svg"
    assert run_command("context", str(written(tmp_path, "gemma-3-12b")), "--svg", str(target)).code == 0
    assert target.read_text().startswith("<svg")
    done = run_command("context", str(written(tmp_path, "gpt2")), "--svg", str(target))
    assert (done.code, "no rotary pairs" in done.err) == (2, True)


def test_a_kind_of_attention_is_frozen() -> None:
    kind = AttentionKind(name="full", layers=(0,), window=None, positions=None)
    with pytest.raises(AttributeError):
        kind.window = 3  # type: ignore[misc]
