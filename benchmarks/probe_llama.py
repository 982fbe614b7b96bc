"""Small Llamas that learned the tasks of `lengthwise probe` at short lengths: their profiles, beside theory and `context`.

Three models see the same batches: with RoPE, without positions, and with RoPE that changes to YaRN for the last fifth
of training. A fourth is the RoPE model with YaRN switched on and no training after it. Each batch holds blocks of
solved lines in the few-shot form that the probe uses. Training is resumable, and so is probing.

    python benchmarks/probe_llama.py --folder models/                     train what is missing, probe, print
    python benchmarks/probe_llama.py --folder models/ --harness           the same questions by lm-evaluation-harness
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from lengthwise.context.config_reader import read_model_config
from lengthwise.context.findings import MEANINGS, findings_of
from lengthwise.context.model_config import with_lengths
from lengthwise.encodings import attach, load
from lengthwise.probe.harness import export_tasks
from lengthwise.probe.measure import Measured, Settings, measure
from lengthwise.probe.models import FolderProber
from lengthwise.probe.probes import PROBES, is_single, lengths_of, make_instances
from lengthwise.probe.profile import Finding, figures_table, find_profile, profile_table
from lengthwise.probe.prompts import form_for

BLOCK = 128  # tokens of a training row: the trained length
LINE_LENGTHS = range(2, 17)  # symbols of the questions in it
POOL = 2_000  # different lines of each task and length
BATCH = 32
RATE, WARMUP, LAST_PART = 1.5e-3, 100, 0.2
LONGEST = 2_048  # tokens that the models declare, so that long questions are asked
SHAPE = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4}
YARN = {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": BLOCK, "rope_theta": 10_000.0}
MODELS = {
    "rope": "RoPE, base 10,000",
    "nope": "no positions (lengthwise.encodings.attach)",
    "yarn": "RoPE for four fifths of training, YaRN with factor 16 for the last fifth",
    "yarn_untrained": "the RoPE model with YaRN switched on, not trained further",
}
SHOWN = ("came_round", "unseen", "similarity", "look_back")
WORDS = ["".join(letters) for letters in product("bdfgklmnprstvz", "aeiou", "bdgkl")][:300]


def make_tokenizer() -> Any:
    """Return a tokenizer by words that begins every text with <s>."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate(["<unk>", "<s>", ":", "\n", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split("\n", "isolated"), pre_tokenizers.Split(" ", "removed")]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>")


def make_model(name: str, seed: int) -> Any:
    """Return a Llama with random weights; they are the same for all models of a seed."""
    from transformers import LlamaConfig, LlamaForCausalLM

    scaling = {"rope_scaling": dict(YARN)} if name.startswith("yarn") else {}
    size = 4 + len(WORDS)
    config = LlamaConfig(
        vocab_size=size, max_position_embeddings=LONGEST, bos_token_id=1, eos_token_id=3, **SHAPE, **scaling
    )
    torch.manual_seed(seed)
    model = LlamaForCausalLM(config)
    return attach(model, "nope") if name == "nope" else model


# Training


def make_pools(prober: FolderProber) -> list[list[tuple[NDArray[np.int64], NDArray[np.float32]]]]:
    """Return for every probe its solved lines: arrays of tokens, and the weight of each token in the loss.

    Only answers are learned. An answer of n symbols weighs √n, so that copying does not drown answers of one symbol.
    """
    newline = prober.tokens("\n")
    pools = []
    for probe in PROBES.values():
        form = form_for(probe, prober, 6, 0)
        assert form is not None
        lines = []
        for length in lengths_of(probe, tuple(LINE_LENGTHS)):
            if length <= max(LINE_LENGTHS):
                for instance in make_instances(probe, length, POOL, 0, "training"):
                    answer = [form.tokens[symbol] for symbol in instance.answer]
                    question = [form.tokens[symbol] for symbol in instance.question]
                    weights = [0.0] * len(question) + [len(answer) ** -0.5] * len(answer) + [0.0]
                    lines.append((np.array([*question, *answer, *newline]), np.array(weights, dtype=np.float32)))
        pools.append(lines)
    return pools


def make_batch(pools: Sequence[Sequence[Any]], first: int, seed: int, step: int) -> tuple[Tensor, Tensor]:
    """Return blocks of lines, each block of one task, and the weights; a function of the seed and the step alone."""
    draw = np.random.default_rng([seed, step])
    tokens, weights = np.full((BATCH, BLOCK), first), np.zeros((BATCH, BLOCK), dtype=np.float32)
    for row in range(BATCH):
        lines, filled = pools[int(draw.integers(len(pools)))], 1
        while filled < BLOCK:
            line, weight = lines[int(draw.integers(len(lines)))]
            kept = min(len(line), BLOCK - filled)
            tokens[row, filled : filled + kept], weights[row, filled : filled + kept] = line[:kept], weight[:kept]
            filled += kept
    return torch.from_numpy(tokens), torch.from_numpy(weights)


def loss_of(model: Any, tokens_BL: Tensor, weights_BL: Tensor) -> Tensor:
    """Return the mean loss of answers."""
    logits = model(input_ids=tokens_BL, use_cache=False).logits[:, :-1].float()
    losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens_BL[:, 1:], reduction="none")
    return (losses * weights_BL[:, 1:]).sum() / weights_BL.sum()


def rate_at(step: int, steps: int) -> float:
    """Return the learning rate: a warmup, a plateau, and a linear decay over the last part."""
    return RATE * min((step + 1) / WARMUP, 1.0, (steps - step) / (LAST_PART * steps))


def train(name: str, folder: Path, steps: int, seed: int, device: str) -> None:
    """Train a model and save it; go on from its checkpoint if there is one."""
    model = make_model(name, seed)
    kept = folder / f"{name}.pt"
    start, spent = 0, 0.0
    branch = int((1 - LAST_PART) * steps)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.1)
    source = kept if kept.exists() else folder / "rope-plateau.pt" if name == "yarn" else None
    if source is not None:
        state = torch.load(source, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start, spent = state["step"], state["seconds"]
    model.to(device).train()
    for values in optimizer.state.values():
        values.update({key: value.to(device) for key, value in values.items() if key != "step"})
    prepared = folder / "tokenizer"
    make_tokenizer().save_pretrained(prepared)
    make_model("rope", seed).save_pretrained(prepared)
    prober = FolderProber(prepared, "cpu")
    pools, (first,) = make_pools(prober), prober.first
    began = time.perf_counter() - spent
    for step in range(start, steps):
        if step % 200 == 0 or step == branch:
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "step": step,
                "seconds": time.perf_counter() - began,
            }
            save_state(state, kept)
            if name == "rope" and step == branch:
                save_state(state, folder / "rope-plateau.pt")
        tokens_BL, weights_BL = (part.to(device) for part in make_batch(pools, first, seed, step))
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps)
        loss = loss_of(model, tokens_BL, weights_BL)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 50 == 0:
            print(f"{name} step {step} loss {loss.item():.4f}", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - began
    save(model, folder / name, {"steps": steps, "seconds": round(seconds), "loss": round(loss.item(), 4)})


def save_state(state: dict[str, Any], file: Path) -> None:
    """Write a checkpoint in one piece."""
    torch.save(state, file.with_suffix(".new"))
    file.with_suffix(".new").replace(file)


def save(model: Any, folder: Path, facts: dict[str, Any]) -> None:
    """Write a model in the form of the Hugging Face library; what training said goes beside the folder, last."""
    model.cpu().save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)
    folder.with_suffix(".json").write_text(json.dumps(facts) + "\n")


def prepare(folder: Path, names: Sequence[str], steps: int, seed: int, device: str) -> None:
    """Train and save the models that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (folder / f"{name}.json").exists():
            continue
        if name == "yarn_untrained":
            model, trained = make_model(name, seed), load_model(folder / "rope")
            model.load_state_dict(trained.state_dict())
            save(model, folder / name, json.loads((folder / "rope.json").read_text()))
        else:
            train(name, folder, steps, seed, device)


def load_model(folder: Path) -> Any:
    """Return a model that was saved here."""
    from transformers import AutoModelForCausalLM

    return load(folder) if folder.name == "nope" else AutoModelForCausalLM.from_pretrained(folder)


# Probing


def settings_of(options: argparse.Namespace) -> Settings:
    return Settings(lengths=tuple(options.lengths), number=options.number, shots=6, seed=0)


def probe(folder: Path, settings: Settings, device: str) -> list[Finding]:
    """Return the profile of a saved model, as `lengthwise probe FOLDER --out FILE` measures it."""
    model = FolderProber(folder, device)
    file = folder.with_name(f"{folder.name}-probe.json")
    measured = measure(model, list(PROBES.values()), settings, file, show_cell(folder.name))
    return find_profile(measured, model, None)


def show_cell(name: str) -> Any:
    """Return what says on stderr which cell is next."""
    return lambda probe, length: print(f"{name}: {probe} {length}", file=sys.stderr, flush=True)


def print_profile(folder: Path, findings: Sequence[Finding]) -> None:
    """Print what training said, the profile, what `context` says, and where the profile and theory part."""
    facts = json.loads(folder.with_suffix(".json").read_text())
    print(f"\n## {folder.name}: {MODELS[folder.name]}")
    print(f"{facts['steps']} steps, {facts['seconds']} s, loss of answers in the last batch {facts['loss']}")
    print(profile_table(findings).to_text(200))
    config = with_lengths(read_model_config(folder), BLOCK, None)
    said = [
        f"{MEANINGS[found.key].question}: {found.answer}" for found in findings_of(config, 10.0) if found.key in SHOWN
    ]
    print("context --trained 128 says: " + ("; ".join(said) or "nothing about angles"))
    for line in compare_with_theory(findings):
        print(line)
    print(figures_table(findings).to_text(200))


def compare_with_theory(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a line for each kind of agreement, with its probes."""
    groups: dict[str, list[str]] = {}
    for finding in findings:
        groups.setdefault(relation(finding), []).append(finding.probe)
    for words, names in sorted(groups.items()):
        yield f"{words}: {', '.join(names)}"


def relation(finding: Finding) -> str:
    """Return how a finding stands to what theory predicts."""
    predicted = str(finding.predicted)
    if finding.state != "done":
        return f"not learned on short questions, so nothing to compare (theory {predicted})"
    if finding.breaks is None:
        return f"done up to {finding.cells[-1].length} symbols, theory {predicted}"
    return f"breaks, theory {predicted}"


# lm-evaluation-harness


def compare_harness(folder: Path, settings: Settings, device: str) -> tuple[int, int]:
    """Run the exported questions in lm-evaluation-harness; print both numbers for each; return how many agree, of how many."""
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    model = FolderProber(folder, device)
    measured = measure(model, list(PROBES.values()), settings, folder.with_name(f"{folder.name}-probe.json"))
    exported = folder.with_name(f"{folder.name}-harness")
    shutil.rmtree(exported, ignore_errors=True)
    names = export_tasks(model, list(PROBES.values()), settings, exported)
    theirs = HFLM(
        pretrained=load_model(folder).to(device), tokenizer=make_tokenizer(), batch_size=16, add_bos_token=True
    )
    manager = TaskManager(include_path=str(exported))
    results = lm_eval.simple_evaluate(model=theirs, tasks=names, task_manager=manager, bootstrap_iters=0)["results"]
    agreeing = 0
    print(f"\n## {folder.name}: {len(names)} tasks in lm_eval {lm_eval.__version__}")
    for name, row in harness_rows(measured, results):
        same = row[0] == row[1]
        agreeing += same
        print(f"{name} probe {row[0]} harness {row[1]} of {row[2]} {'same' if same else 'DIFFERENT'}")
    return agreeing, len(names)


def harness_rows(measured: Sequence[Measured], results: Any) -> Iterator[tuple[str, tuple[int, float, int]]]:
    """Yield the numbers of right answers by the probe and by the harness; longer answers are greedy matches there."""
    for found in measured:
        for cell in found.cells:
            name = f"lengthwise_{found.probe}_{cell.length}"
            ours = cell.matches if is_single(PROBES[found.probe]) else cell.greedy
            counted = results[name]["acc,none"] * cell.instances
            yield name, (ours, round(counted, 6), cell.instances)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="keeps models, checkpoints and measurements")
    parser.add_argument("--steps", type=int, default=2_400)
    parser.add_argument(
        "--only", nargs="+", choices=list(MODELS), default=list(MODELS), help="these models, in this order"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=100, help="questions of each length")
    parser.add_argument("--lengths", type=int, nargs="+", default=[8, 16, 32, 64, 128, 256])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument(
        "--harness", action="store_true", help="compare with lm-evaluation-harness instead of printing profiles"
    )
    options = parser.parse_args()
    prepare(options.folder, options.only, options.steps, options.seed, options.device)
    device = torch.cuda.get_device_name() if options.device == "cuda" else f"{platform.machine()} CPU"
    print(f"$ python benchmarks/probe_llama.py {' '.join(sys.argv[1:])}")
    print(f"{device}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(f"seed {options.seed} of weights and batches, seed 0 of questions")
    parameters = sum(each.numel() for each in load_model(options.folder / options.only[0]).parameters())
    print(f"Llama {SHAPE}, {parameters:,} parameters")
    lengths = f"{LINE_LENGTHS[0]} to {LINE_LENGTHS[-1]} symbols"
    print(f"trained on rows of {BLOCK} tokens, questions of {lengths}, batch {BATCH}, AdamW {RATE}")
    agreeing = total = 0
    for name in options.only:
        if options.harness:
            same, number = compare_harness(options.folder / name, settings_of(options), options.device)
            agreeing, total = agreeing + same, total + number
        else:
            print_profile(options.folder / name, probe(options.folder / name, settings_of(options), options.device))
    if options.harness:
        print(f"\n{agreeing} of {total} numbers are the same")


if __name__ == "__main__":
    main()
