"""Models as a probe sees them: scores of few rows at a time, tokenizers of all kinds, and a sentence for everything that is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
import torch
from command_runner import Runner
from processes import wait_until
from tiny_decoders import WORDS, save_decoder
from torch import Tensor

from lengthwise.encodings import attach
from lengthwise.errors import UnreadableFileError, UserCodeError
from lengthwise.probe.measure import Settings, measure
from lengthwise.probe.models import CallableProber, FolderProber, find_prober
from lengthwise.probe.probes import PROBES, answer_symbols, is_single, make_instances
from lengthwise.probe.prompts import form_for, rows_of


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_decoder(tmp_path_factory.mktemp("models") / "llama", "llama")


@pytest.fixture
def copied(tmp_path: Path, llama: Path) -> Callable[..., Path]:
    def copy(without: str = "nothing", **entries: object) -> Path:
        folder = tmp_path / "copied"
        copytree(llama, folder)
        for path in folder.glob(without):
            path.unlink()
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | entries))
        return folder

    return copy


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Runner:
    return Runner(capsys, tmp_path, "probe")


SHORT = ("--probe", "majority", "--lengths", "8", "--number", "10", "--shots", "2")


# Scores


@pytest.mark.parametrize("name", ["majority", "copy_repeated", "recall_distinct"])
def test_scores_at_the_places_are_those_of_the_whole_model(llama: Path, name: str) -> None:
    from transformers import AutoModelForCausalLM

    prober, plain = FolderProber(llama, "cpu"), AutoModelForCausalLM.from_pretrained(llama)
    form = form_for(PROBES[name], prober, 2, 0)
    assert form is not None
    rows = rows_of(form, prober, 12, 7)
    found = dict(prober.scores([row.tokens for row in rows], [row.places for row in rows]))
    assert sorted(found) == list(range(7))
    for index, row in enumerate(rows):
        with torch.no_grad():
            whole = plain(input_ids=torch.tensor([row.tokens])).logits[0, list(row.places)]
        torch.testing.assert_close(found[index], whole, rtol=1e-5, atol=1e-5)


class Copier:
    """Gives each symbol of a list its score at its place, by a table; counts how often it is asked."""

    def __init__(self, scores: Tensor) -> None:
        self.vocabulary = {symbol: number for number, symbol in enumerate(("a", "b", "<bos>", "<sep>"))}
        self.scores = scores
        self.asked = 0

    def __call__(self, tokens_BL: Tensor) -> Tensor:
        self.asked += 1
        return self.scores[: tokens_BL.shape[1]].expand(len(tokens_BL), -1, -1)


def test_a_margin_is_the_least_over_all_places_also_beyond_one_slice() -> None:
    draw = torch.Generator().manual_seed(1)
    model = CallableProber(Copier(torch.randn(1_300, 4, generator=draw)), "copier")
    form = form_for(PROBES["copy_repeated"], model, 0, 0)
    assert form is not None
    (row,) = rows_of(form, model, 600, 1)
    scores = torch.randn(600, 4, generator=draw)
    scores[torch.arange(600), list(row.right)] += 9
    scores[599, row.right[599]] = scores[599].max() + 0.25  # the last place is the closest

    model._model.scores = torch.cat([torch.zeros(601, 4), scores])
    (measured,) = measure(model, [PROBES["copy_repeated"]], Settings(lengths=(600,), number=1), None)
    others = scores.clone()
    others[torch.arange(600), list(row.right)] = -torch.inf
    expected = float((scores[torch.arange(600), list(row.right)] - others[:, :2].max(1).values).min())
    assert measured.cells[0].margin == pytest.approx(expected)
    assert (measured.cells[0].matches, measured.cells[0].greedy) == (1, 1)


def test_the_model_is_asked_for_the_next_rows_only_when_those_before_are_judged() -> None:
    copier = Copier(torch.zeros(9_000, 4))
    scores = CallableProber(copier, "copier").scores([[0] * 5_000] * 3, [[4_999]] * 3)
    for asked in (1, 2, 3):
        next(iter(scores))
        assert copier.asked == asked


def test_scores_that_are_no_numbers_are_never_a_match() -> None:
    model = CallableProber(Copier(torch.full((99, 4), torch.nan)), "copier")
    with pytest.raises(UnreadableFileError, match="scores that are no numbers after 17 tokens"):
        measure(model, [PROBES["copy_repeated"]], Settings(lengths=(8,), number=10), None)


@pytest.mark.parametrize("name", [name for name, probe in PROBES.items() if is_single(probe)])
def test_every_answer_is_among_the_choices(name: str) -> None:
    probe = PROBES[name]
    choices = set(answer_symbols(probe))
    for seed in range(5):
        assert all(each.answer[0] in choices for each in make_instances(probe, 12, 200, seed, "questions"))


# Encodings


def test_the_encoding_is_read_from_the_configuration(copied: Callable[..., Path]) -> None:
    scaling = {"rope_type": "linear", "factor": 8.0, "rope_theta": 10_000.0}
    assert FolderProber(copied(rope_parameters=scaling), "cpu").encoding == "pi(factor=8)"


def test_a_model_with_an_attached_encoding_is_probed_with_it(tmp_path: Path, llama: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = attach(AutoModelForCausalLM.from_pretrained(llama), "nope")
    folder = tmp_path / "nope"
    copytree(llama, folder)
    model.save_pretrained(folder)
    prober = FolderProber(folder, "cpu")
    assert prober.encoding == "nope"
    tokens = list(range(4, 30))
    ((_, scores),) = prober.scores([tokens], [[len(tokens) - 1]])
    with torch.no_grad():
        torch.testing.assert_close(scores[0], model(input_ids=torch.tensor([tokens])).logits[0, -1])


# Tokenizers


def test_words_are_found_where_a_tokenizer_puts_a_blank_before_every_text(copied: Callable[..., Path]) -> None:
    from tokenizers import Tokenizer, decoders, models, normalizers
    from transformers import PreTrainedTokenizerFast

    pieces = ["<unk>", "<s>", "▁", ":", "▁:", *(f"▁{word}" for word in WORDS[:600])]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0 if len(piece) > 2 else -5.0) for piece in pieces], unk_id=0))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Replace("▁", " ")
    folder = copied("tokenizer*")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>").save_pretrained(folder)
    prober = FolderProber(folder, "cpu")
    assert prober.tokens(" bab")[0] == 2  # a piece of its own: " bab" alone is two tokens
    words = prober.words(256, 0)
    assert len({prober.tokens(f" {word}")[-1] for word in words}) == 256


def test_another_seed_takes_other_words(llama: Path) -> None:
    prober = FolderProber(llama, "cpu")
    assert not set(prober.words(4, 0)) & set(prober.words(4, 1))
    assert len(set(prober.words(256, 700))) == 256


# Wrong input


@pytest.mark.parametrize(
    ("without", "entries", "words"),
    [
        ("tokenizer*", {}, "cannot be loaded"),
        ("*.safetensors", {}, "cannot be loaded"),
        ("nothing", {"num_hidden_layers": 3}, "weights are missing"),
        ("nothing", {"vocab_size": 10_000}, "cannot be loaded"),
        ("nothing", {"model_type": "mine", "auto_map": {"AutoModelForCausalLM": "mine.Mine"}}, "cannot be loaded"),
        ("nothing", {"model_type": "t5"}, "cannot be loaded"),
        ("nothing", {"rope_parameters": {"rope_type": "hyper"}}, "cannot be loaded"),
        ("nothing", {"lengthwise": {"encoding": "nope"}}, "was not saved with an encoding of lengthwise"),
    ],
)
def test_a_folder_that_is_no_whole_model_gets_one_sentence(
    copied: Callable[..., Path], run_command: Runner, without: str, entries: dict[str, object], words: str
) -> None:
    said = run_command.fails(str(copied(without, **entries)), *SHORT)
    assert words in said
    assert said.startswith("error: ")
    assert said.count("\n") == 2, said  # the sentence and the hint, and nothing of the library


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_file_that_was_cut_gets_one_sentence(copied: Callable[..., Path], run_command: Runner, name: str) -> None:
    file = copied() / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert run_command.fails(str(file.parent), *SHORT).count("\n") == 2


def test_a_small_vocabulary_gets_a_sentence(copied: Callable[..., Path], run_command: Runner) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    folder = copied("tokenizer*")
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, ":": 1, "dog": 2, "cat": 3}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>").save_pretrained(folder)
    said = run_command.fails(str(folder), "--probe", "adjacency")
    assert said == (
        "error: the vocabulary of copied has 2 words that are single tokens; 5 are needed.\n"
        "hint: choose probes with fewer symbols, with --probe.\n"
    )


def test_a_tokenizer_with_more_tokens_than_the_model_gets_a_sentence(
    tmp_path: Path, llama: Path, run_command: Runner
) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path / "narrow"
    copytree(llama, folder)
    LlamaForCausalLM(
        LlamaConfig(vocab_size=50, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2)
    ).save_pretrained(folder)
    assert "the model 'narrow' failed on 10 rows of 25 tokens" in run_command.fails(str(folder), *SHORT)


def test_what_is_too_long_is_named(copied: Callable[..., Path], run_command: Runner, tmp_path: Path) -> None:
    folder = copied(max_position_embeddings=40)
    done = run_command(
        str(folder), "--probe", "majority,copy_repeated", "--lengths", "8,16", "--number", "10", "--shots", "2"
    )
    told = " ".join(done.out.split())
    assert "Longer questions of copy_repeated are left out: length 16 has 56 tokens, and the model takes 40." in told
    exported = run_command(
        str(folder), *SHORT[:2], "--lengths", "8,64", "--number", "10", "--shots", "2", "--export", str(tmp_path / "h")
    )
    assert exported.err.endswith("; 1 left out, which are too long for the model\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--encoding", "roppe"), "did you mean 'rope'?"),
        (("--page", "missing/page.html"), "there is no such folder"),
        (("--out", "."), "it is a folder"),
    ],
)
def test_what_could_only_fail_after_measuring_is_said_before(
    run_command: Runner, arguments: tuple[str, str], words: str
) -> None:
    assert words in run_command.fails("no-such-model/", *arguments)


OBJECTS = """
import torch

class Model:
    vocabulary = {"0": 0, "1": 1, "<bos>": 2, "<sep>": 3}

    def __call__(self, tokens):
        return torch.zeros(*tokens.shape, 4)

class Raises(Model):
    def __call__(self, tokens):
        raise KeyError("boom")

class Few(Model):
    def __call__(self, tokens):
        return torch.zeros(*tokens.shape, 2)

class Twice(Model):
    vocabulary = {"0": 0, "1": 0, "<bos>": 2, "<sep>": 3}

class Endless(Model):
    max_length = "long"

class Misspelt(Model):
    encoding = "roppe"

raises, few, twice, endless, misspelt = Raises(), Few(), Twice(), Endless(), Misspelt()
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raises", "models.py:raises failed on 10 rows of 10 tokens: KeyError: 'boom'"),
        ("few", "returns scores of 2 tokens, and its vocabulary has token 3"),
        ("twice", "must give every symbol a token number of its own"),
        ("endless", "max_length of models.py:endless must be a whole number"),
        ("misspelt", "did you mean 'rope'?"),
        ("absent", "has no 'absent'"),
    ],
)
def test_an_object_that_is_no_model_gets_a_sentence(tmp_path: Path, run_command: Runner, name: str, words: str) -> None:
    (tmp_path / "models.py").write_text(OBJECTS)
    done = run_command(f"{tmp_path / 'models.py'}:{name}", *SHORT)
    assert (done.code, words in done.err) == (2, True), done.err


def test_a_file_that_ends_the_process_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(UserCodeError, match="SystemExit: 3"):
        find_prober(f"{tmp_path / 'ends.py'}:model", "cpu")


# Ctrl-C


def test_a_stopped_command_says_that_it_can_go_on_and_does(tmp_path: Path, llama: Path, run_command: Runner) -> None:
    file = tmp_path / "probe.json"
    arguments = (str(llama), "--probe", "majority", "--lengths", "8,16,32,64,128,256", "--out", str(file))
    command = "import sys; from lengthwise.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "probe", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_until(file.exists, "the first cell")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert said.endswith("interrupted: what is measured is saved; run the same command again to continue.\n")
    before = json.loads(file.read_text())["cells"]
    assert run_command(*arguments).code == 0
    after = json.loads(file.read_text())["cells"]
    assert len(before) < len(after) == 6
    assert {key: after[key] for key in before} == before
