"""The two usual ways to train one small GPT-2, timed: the Hugging Face Trainer, and a plain PyTorch loop.

Our trainer of many small models is compared with these, so each gets every setting that makes it faster without
changing what is trained. What is trained follows arXiv 2410.02140: GPT-2 from scratch on <bos> input <sep> answer
<eos>, cross-entropy on the answer and <eos> alone, input lengths uniform over 1..50, AdamW with weight decay 0.01,
gradients clipped at 1, a learning rate that falls linearly from 0.001 to 0, no dropout, and learned absolute
positions that start at a random offset.

Each run prints one line of JSON; run each in a process of its own:
python benchmarks/training_baselines.py trainer --task bin_majority --layers 1 --heads 1 --width 16 --device cpu

Shapes: N sequences drawn at once, B batch, L length, D width, H heads, K head width, V vocabulary,
A longest answer with its <eos>.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

TRAIN_LENGTH = 50
TEST_LENGTH = 150  # the longest input that the positions must reach
RATE = 1e-3
WEIGHT_DECAY = 0.01
CLIP = 1.0
UNSCORED = -100
CHUNK = 50  # batches drawn at once: the fixed cost of many small operations is paid once for all of them
LAST = 20  # loss_last is the mean over this many steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is trained, and how; the fields from ``threads`` on only change the speed."""

    task: str
    layers: int
    heads: int
    width: int
    batch: int = 64
    steps: int = 300
    warm: int = 100
    device: str = "cpu"
    bf16: bool = False
    compile: bool = False
    threads: int | None = None
    tf32: bool = True
    graph: bool = False  # plain loop: the whole step as one CUDA graph
    workers: int = 0  # trainer: processes that draw batches; with 0 they are drawn on the device itself
    together: int = 1  # processes that are measured at the same time: each waits for the others when it is warm
    meeting: str = ""  # the folder where they wait

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise ValueError(f"task {self.task!r} is unknown. Known: {', '.join(TASKS)}.")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}.")
        if not 0 < self.warm < self.steps:
            raise ValueError(f"warm {self.warm} must lie between 1 and steps - 1 = {self.steps - 1}.")
        if self.graph and self.device == "cpu":
            raise ValueError("graph needs device cuda: the CPU has no CUDA graphs.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The speed between step ``warm`` and the last; everything else is of the whole run."""

    steps_per_second: float
    tokens_per_second: float  # without padding, on average over lengths
    seconds_in_all: float  # with imports of the baseline's own, start-up and compilation
    memory_bytes: int  # most that tensors took at once on the GPU; 0 on a CPU
    loss_first: float
    loss_last: float


# --- Tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    """Sequences padded on the right; ``sep_N`` is where <sep> stands and ``end_N`` the length without padding."""

    tokens_NL: Tensor
    labels_NL: Tensor
    positions_NL: Tensor
    sep_N: Tensor
    end_N: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Tokens are the symbols, then <bos> <sep> <eos> <pad>; ``draw`` makes inputs and answers from their lengths."""

    symbols: int
    copies: bool  # the answer is as long as the input, else one symbol
    draw: Callable[[Tensor, torch.Generator], tuple[Tensor, Tensor]]

    @property
    def vocabulary(self) -> int:
        """Return the number of tokens."""
        return self.symbols + 4

    def answer(self, length: int) -> int:
        """Return the length of the answer."""
        return length if self.copies else 1

    def tokens(self, length: float) -> float:
        """Return the length of the whole sequence."""
        return length + (length if self.copies else 1) + 3

    @property
    def positions(self) -> int:
        """Return the size of the table of positions."""
        return int(self.tokens(TEST_LENGTH))


def random_order(keys_NL: Tensor) -> Tensor:
    """Return the order of each row's random keys; on a CPU by NumPy, which is several times as fast as torch there."""
    if keys_NL.device.type == "cpu":
        return torch.from_numpy(keys_NL.numpy().argsort(axis=1))
    return keys_NL.argsort(dim=1)


def uniform(below_N: Tensor, generator: torch.Generator) -> Tensor:
    """Draw an integer from 0 to below - 1 in each place."""
    shares_N = torch.rand(below_N.shape, generator=generator, device=below_N.device, dtype=torch.float64)
    return (shares_N * below_N).long()


def unique_copy(lengths_N: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    shape = (len(lengths_N), TEST_LENGTH)
    words_NL = random_order(torch.rand(shape, generator=generator, device=lengths_N.device))[:, :TRAIN_LENGTH]
    return words_NL, words_NL


def bin_majority(lengths_N: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    even_N = lengths_N % 2 == 0
    zeros_N = uniform(lengths_N + 1 - even_N.long(), generator)
    zeros_N += even_N & (zeros_N >= lengths_N // 2)  # skips the tie
    places_L = torch.arange(TRAIN_LENGTH, device=lengths_N.device)
    keys_NL = torch.rand((len(lengths_N), TRAIN_LENGTH), generator=generator, device=lengths_N.device)
    keys_NL += places_L >= lengths_N[:, None]  # places past the end come last
    sorted_NL = (places_L >= zeros_N[:, None]).long()
    words_NL = torch.empty_like(sorted_NL).scatter_(1, random_order(keys_NL), sorted_NL)
    return words_NL, (2 * zeros_N < lengths_N).long()[:, None]


TASKS = {
    "unique_copy": Task(symbols=TEST_LENGTH, copies=True, draw=unique_copy),
    "bin_majority": Task(symbols=2, copies=False, draw=bin_majority),
}


def draw_batches(task: Task, num: int, generator: torch.Generator) -> Batches:
    """Draw ``num`` sequences at once, with their answers as labels and their positions from a random offset on."""
    device = generator.device
    bos, sep, eos, pad = range(task.symbols, task.vocabulary)
    lengths_N = torch.randint(1, TRAIN_LENGTH + 1, (num,), generator=generator, device=device)
    words_NL, answers_NA = task.draw(lengths_N, generator)
    answer_N = lengths_N if task.copies else torch.ones_like(lengths_N)
    answers_NA = functional.pad(answers_NA, (0, 1)).scatter(1, answer_N[:, None], eos)
    # Every token of a sequence has a place in its row of parts; past <eos> the place is that of <pad>.
    parts_NL = torch.cat((functional.pad(words_NL, (1, 1), value=bos), answers_NA), dim=1)
    parts_NL[:, TRAIN_LENGTH + 1] = sep
    columns_L = torch.arange(int(task.tokens(TRAIN_LENGTH)), device=device)
    sep_N = lengths_N + 1
    end_N = sep_N + answer_N + 2
    within_NL = columns_L < end_N[:, None]
    places_NL = columns_L + (columns_L >= sep_N[:, None]) * (TRAIN_LENGTH - lengths_N)[:, None]
    tokens_NL = parts_NL.gather(1, places_NL * within_NL).where(within_NL, pad)
    offsets_N = uniform(task.positions - end_N + 1, generator)
    return Batches(
        tokens_NL=tokens_NL,
        labels_NL=tokens_NL.where(within_NL & (columns_L > sep_N[:, None]), UNSCORED),
        positions_NL=(columns_L + offsets_N[:, None]).clamp(max=task.positions - 1),  # only padding is clamped
        sep_N=sep_N,
        end_N=end_N,
    )


# --- Measuring


class Clock:
    """Reads the time when step ``warm`` ends and when the last one does."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.begun = time.perf_counter()
        self.times: list[float] = []
        self.losses: list[Tensor] = []
        if setting.threads is not None:
            torch.set_num_threads(setting.threads)
        if setting.device != "cpu":
            torch.cuda.reset_peak_memory_stats()

    def step_ended(self, num_steps: int) -> None:
        """Note the time if ``num_steps`` is one of the two ends."""
        if num_steps in (self.setting.warm, self.setting.steps):
            if self.setting.device != "cpu":
                torch.cuda.synchronize()
            if num_steps == self.setting.warm:
                self._wait_for_others()
            self.times.append(time.perf_counter())

    def _wait_for_others(self) -> None:
        if self.setting.together > 1:
            folder = Path(self.setting.meeting)
            (folder / str(os.getpid())).touch()
            while len(list(folder.iterdir())) < self.setting.together:
                time.sleep(0.005)

    def measured(self) -> Measured:
        """Return what was measured, once training has ended."""
        seconds_in_all = time.perf_counter() - self.begun
        start, end = self.times
        speed = (self.setting.steps - self.setting.warm) / (end - start)
        tokens = TASKS[self.setting.task].tokens((1 + TRAIN_LENGTH) / 2) * self.setting.batch
        losses = torch.stack(self.losses).tolist()
        return Measured(
            steps_per_second=speed,
            tokens_per_second=speed * tokens,
            seconds_in_all=seconds_in_all,
            memory_bytes=0 if self.setting.device == "cpu" else torch.cuda.max_memory_allocated(),
            loss_first=losses[0],
            loss_last=sum(losses[-LAST:]) / len(losses[-LAST:]),
        )


# --- The Hugging Face Trainer


class WholeBatches(torch.utils.data.IterableDataset[dict[str, Tensor]]):
    """Yields whole batches without end: the DataLoader then has nothing left to gather."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        task, batch = TASKS[self.setting.task], self.setting.batch
        device = "cpu" if self.setting.workers else self.setting.device
        generator = torch.Generator(device).manual_seed(torch.initial_seed())  # each worker has a seed of its own
        while True:
            drawn = draw_batches(task, CHUNK * batch, generator)
            longest = drawn.end_N.view(CHUNK, batch).amax(dim=1).tolist()
            for number, length in enumerate(longest):
                # Compiled code wants one shape; the longest of a batch is within two or so of the limit anyway.
                width = int(task.tokens(TRAIN_LENGTH)) if self.setting.compile else length
                rows = slice(number * batch, (number + 1) * batch)
                yield {
                    "input_ids": drawn.tokens_NL[rows, :width].clone(),
                    "labels": drawn.labels_NL[rows, :width].clone(),
                    "position_ids": drawn.positions_NL[rows, :width].clone(),
                }


def only_item(items: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Collate the one whole batch that the dataset yielded."""
    (item,) = items
    return item


def hf_model(setting: Setting) -> Any:
    """Build GPT-2 with SDPA that is causal and has no other mask.

    Padding on the right is never seen by what comes before it. Without this, transformers reads the positions back
    from the device at each step to look for packed sequences, takes the offsets for them and builds a mask.
    """
    from transformers import AttentionInterface, GPT2Config, GPT2LMHeadModel
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    AttentionInterface.register("causal_sdpa", sdpa_attention_forward)
    task = TASKS[setting.task]
    config = GPT2Config(
        vocab_size=task.vocabulary,
        n_positions=task.positions,
        n_embd=setting.width,
        n_layer=setting.layers,
        n_head=setting.heads,
        activation_function="gelu_pytorch_tanh",  # gelu_new, GPT-2's own, as one operation instead of eight
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
        bos_token_id=task.symbols,
        eos_token_id=task.symbols + 2,
        attn_implementation="causal_sdpa",
    )
    return GPT2LMHeadModel(config)


def hf_arguments(setting: Setting, folder: str) -> Any:
    """Return the settings of the paper, with every switch of the Trainer's that saves time."""
    from transformers import TrainingArguments

    cuda = setting.device != "cpu"
    return TrainingArguments(
        output_dir=folder,
        max_steps=setting.steps,
        per_device_train_batch_size=1,  # one item of the dataset is a whole batch
        learning_rate=RATE,
        lr_scheduler_type="linear",
        warmup_steps=0,
        weight_decay=WEIGHT_DECAY,
        max_grad_norm=CLIP,
        optim="adamw_torch_fused",
        use_cpu=not cuda,
        bf16=setting.bf16,
        tf32=setting.tf32 if cuda else None,
        torch_compile=setting.compile,
        torch_compile_mode="reduce-overhead" if setting.compile and cuda else None,  # CUDA graphs
        dataloader_num_workers=setting.workers,
        dataloader_prefetch_factor=8 if setting.workers else None,
        dataloader_pin_memory=cuda and setting.workers > 0,
        accelerator_config={"dispatch_batches": False, "non_blocking": True},
        remove_unused_columns=False,
        average_tokens_across_devices=False,
        logging_nan_inf_filter=False,  # it would wait for the device at each step
        logging_strategy="no",
        save_strategy="no",
        eval_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )


def trainer_steps_per_second(setting: Setting) -> Measured:
    """Train one model with the Hugging Face Trainer."""
    clock = Clock(setting)
    try:
        import accelerate  # noqa: F401  the Trainer needs it
        from transformers import PrinterCallback, Trainer, TrainerCallback
        from transformers.utils.logging import set_verbosity_error
    except ImportError as error:
        raise SystemExit(f"The trainer needs transformers and accelerate: pip install them ({error}).") from error
    set_verbosity_error()

    class Watch(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
            clock.step_ended(state.global_step)

    class LeanTrainer(Trainer):
        def training_step(self, *args: Any, **kwargs: Any) -> Tensor:
            loss: Tensor = super().training_step(*args, **kwargs)
            clock.losses.append(loss)
            return loss

        def floating_point_ops(self, inputs: Any) -> int:  # noqa: ARG002
            return 0  # the Trainer would count the parameters again at each step

    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        trainer = LeanTrainer(
            model=hf_model(setting),
            args=hf_arguments(setting, folder),
            train_dataset=WholeBatches(setting),
            data_collator=only_item,
            callbacks=[Watch()],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.model_accepts_loss_kwargs = False  # no count of labels at each step: the loss is their mean as it is
        trainer.train()
    return clock.measured()


# --- The plain loop


class Block(nn.Module):
    """A layer of GPT-2: causal attention, then an MLP, each after a norm and added to the stream."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.attention_out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp_in = nn.Linear(width, 4 * width)
        self.mlp_out = nn.Linear(4 * width, width)

    def forward(self, stream_BLD: Tensor) -> Tensor:
        """Return the stream after this layer."""
        joint_BLD = self.query_key_value(self.attention_norm(stream_BLD))
        q_BHLK, k_BHLK, v_BHLK = joint_BLD.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed_BHLK = functional.scaled_dot_product_attention(q_BHLK, k_BHLK, v_BHLK, is_causal=True)
        stream_BLD = stream_BLD + self.attention_out(mixed_BHLK.transpose(1, 2).flatten(-2))
        hidden_BLD = functional.gelu(self.mlp_in(self.mlp_norm(stream_BLD)), approximate="tanh")
        return stream_BLD + self.mlp_out(hidden_BLD)


class PlainGpt2(nn.Module):
    """GPT-2 with its loss; logits are computed only where an answer may stand."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        task = TASKS[setting.task]
        self.token = nn.Embedding(task.vocabulary, setting.width)
        self.position = nn.Embedding(task.positions, setting.width)
        self.blocks = nn.Sequential(*(Block(setting.width, setting.heads) for _ in range(setting.layers)))
        self.norm = nn.LayerNorm(setting.width)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                nn.init.normal_(weight, std=0.02 / (math.sqrt(2 * setting.layers) if "_out." in name else 1))
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, tokens_BL: Tensor, positions_BL: Tensor, window_BA: Tensor, targets_BA: Tensor) -> Tensor:
        """Return the mean loss of the targets, which follow the places in the window."""
        stream_BLD = self.blocks(self.token(tokens_BL) + self.position(positions_BL))
        window_BAD = window_BA[..., None].expand(-1, -1, stream_BLD.shape[-1])
        logits_BAV = functional.linear(self.norm(stream_BLD.gather(1, window_BAD)), self.token.weight)
        return functional.cross_entropy(logits_BAV.flatten(0, 1).float(), targets_BA.flatten(), ignore_index=UNSCORED)


def plain_batches(setting: Setting) -> Iterator[tuple[Tensor, ...]]:
    """Yield the arguments of PlainGpt2 without end, all of one shape."""
    task = TASKS[setting.task]
    generator = torch.Generator(setting.device).manual_seed(0)
    answer_A = torch.arange(task.answer(TRAIN_LENGTH) + 1, device=setting.device)
    while True:
        drawn = draw_batches(task, CHUNK * setting.batch, generator)
        window_NA = drawn.sep_N[:, None] + answer_A
        targets_NA = drawn.labels_NL.gather(1, window_NA + 1)
        tensors = (drawn.tokens_NL[:, :-1], drawn.positions_NL[:, :-1], window_NA, targets_NA)
        yield from zip(*(tensor.contiguous().split(setting.batch) for tensor in tensors), strict=True)


def as_graph(step: Callable[..., Tensor], batch: tuple[Tensor, ...]) -> Callable[..., Tensor]:
    """Record the step as one CUDA graph, after three steps on a side stream, which train as well but are not counted."""
    kept = tuple(tensor.clone() for tensor in batch)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(*kept)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step(*kept)

    def replay(*batch: Tensor) -> Tensor:
        for old, new in zip(kept, batch, strict=True):
            old.copy_(new)
        graph.replay()
        return loss

    return replay


def plain_loop_steps_per_second(setting: Setting) -> Measured:
    """Train one model with a loop of our own."""
    clock = Clock(setting)
    cuda = setting.device != "cpu"
    if cuda and setting.tf32:
        torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    model = PlainGpt2(setting).to(setting.device)
    weights = list(model.parameters())
    rate = torch.tensor(RATE, device=setting.device)
    optimizer = torch.optim.AdamW(
        [
            {"params": [weight for weight in weights if weight.ndim == 2], "weight_decay": WEIGHT_DECAY},
            {"params": [weight for weight in weights if weight.ndim == 1], "weight_decay": 0.0},
        ],
        lr=rate,
        fused=True,
        capturable=setting.graph,
    )
    loss_of: Callable[..., Tensor] = model
    if setting.compile:
        loss_of = torch.compile(model, mode="reduce-overhead" if cuda and not setting.graph else None)
    autocast = torch.autocast(setting.device, torch.bfloat16) if setting.bf16 else contextlib.nullcontext()

    def step(*batch: Tensor) -> Tensor:
        optimizer.zero_grad()
        with autocast:
            loss = loss_of(*batch)
        loss.backward()
        nn.utils.clip_grad_norm_(weights, CLIP)
        optimizer.step()
        return loss.detach()

    batches = plain_batches(setting)
    take_step = as_graph(step, next(batches)) if setting.graph else step
    for number in range(setting.steps):
        rate.fill_(RATE * (1 - number / setting.steps))
        clock.losses.append(take_step(*next(batches)).clone())
        clock.step_ended(number + 1)
    return clock.measured()


BASELINES = {"trainer": trainer_steps_per_second, "plain": plain_loop_steps_per_second}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("baseline", choices=BASELINES)
    parser.add_argument("--task", choices=TASKS, default="bin_majority")
    for name in ("layers", "heads", "width"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    defaults = {field.name: field.default for field in fields(Setting)}
    for name in ("batch", "steps", "warm", "threads", "workers", "together"):
        parser.add_argument(f"--{name}", type=int, default=defaults[name])
    parser.add_argument("--meeting", default="", help="the folder where processes wait for each other")
    for name in ("bf16", "compile", "tf32", "graph"):
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=defaults[name])
    asked = vars(parser.parse_args())
    baseline = asked.pop("baseline")
    try:
        setting = Setting(**asked)
    except ValueError as error:
        parser.error(str(error))
    measured = BASELINES[baseline](setting)
    print(json.dumps({"baseline": baseline, **asdict(setting), **asdict(measured), "torch": torch.__version__}))


if __name__ == "__main__":
    sys.exit(main())
