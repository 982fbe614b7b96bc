"""What a probe asks of a model: next-token scores at some places of rows of tokens.

A model is a folder in the form of the Hugging Face library, or any Python object with a vocabulary and scores. Nothing that lies
in a folder is run: weights come as safetensors only, and code of the model's own is refused.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import torch
from torch import Tensor

from ..context.config_reader import parse_model_config
from ..context.findings import encoding_of
from ..encodings.core.choice import find_encoding, find_packaged_encoding
from ..errors import CapExceededError, InvalidOptionError, LengthwiseError, UnreadableFileError, UserCodeError
from ..extras import require_extra
from ..files import read_json

_TOKENS_AT_ONCE = 8_192
_WORD_LENGTHS = range(2, 9)  # letters of the words that stand for symbols
_MOST_TRIED = 40_000  # entries of a vocabulary that are looked at for words


class Prober(Protocol):
    """A model that can be probed.

    ``symbols`` maps symbols of tasks to tokens where a model was trained on them; None if words of a vocabulary stand for
    symbols. ``most_tokens`` is the longest row that the model takes, if there is one.
    """

    name: str
    identity: str
    symbols: Mapping[str, int] | None
    most_tokens: int | None
    encoding: str | None

    def scores(self, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]]) -> Iterator[tuple[int, Tensor]]:
        """Yield for every row, in any order, its number and the scores of the next token at its places, [places, tokens].

        Scores of a few rows exist at a time: those of long answers over a large vocabulary take gigabytes.
        """
        ...


class CallableProber:
    """A Python object that maps rows of tokens to scores, [rows, tokens] to [rows, tokens, vocabulary].

    It has a ``vocabulary``, from symbols to tokens; it may have ``max_length`` and ``encoding``, the name of one of ours.
    """

    def __init__(self, model: Any, name: str) -> None:
        vocabulary = getattr(model, "vocabulary", None)
        if not callable(model) or not isinstance(vocabulary, Mapping):
            raise InvalidOptionError(
                f"{name} must be callable and have a vocabulary, from symbols to token numbers; found {type(model).__name__}.",
                hint="see docs/guides/probe.md for an example.",
            )
        self.name = name
        self.symbols: Mapping[str, int] | None = vocabulary
        self.most_tokens: int | None = getattr(model, "max_length", None)
        self.encoding: str | None = getattr(model, "encoding", None)
        self.identity = f"callable {name}"
        self._model = model
        self._tokens = _checked_tokens(vocabulary, name)
        if self.encoding is not None:
            find_encoding(str(self.encoding))  # a wrong name is said before anything is measured
        if self.most_tokens is not None and (type(self.most_tokens) is not int or self.most_tokens < 1):
            raise InvalidOptionError(
                f"max_length of {name} must be a whole number from 1 on; found {self.most_tokens!r}.",
                hint="leave it out where there is none.",
            )

    def scores(self, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]]) -> Iterator[tuple[int, Tensor]]:
        """Yield the scores at the places; rows of one length go to the model together."""
        for chosen in _by_length(rows):
            for part in _slices(chosen, max(1, _TOKENS_AT_ONCE // len(rows[chosen[0]]))):
                scores = self._answer([rows[index] for index in part])
                for number, index in enumerate(part):
                    yield index, scores[number, list(places[index])]

    def _answer(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Return what the object gives for rows of one length, checked."""
        try:
            with torch.no_grad():
                scores = torch.as_tensor(self._model(torch.tensor([list(row) for row in rows])))
        except Exception as error:  # code of the user's own
            raise UserCodeError(
                f"{self.name} failed on {len(rows)} rows of {len(rows[0])} tokens: {_reason(error)}", hint="mend it."
            ) from error
        if scores.ndim != 3 or scores.shape[:2] != (len(rows), len(rows[0])):
            raise UserCodeError(
                f"{self.name} must return scores of shape [{len(rows)}, {len(rows[0])}, vocabulary]; "
                f"found {list(scores.shape)}.",
                hint="return a score for every token of the vocabulary after every token of a row.",
            )
        if scores.shape[2] <= max(self._tokens):
            raise UserCodeError(
                f"{self.name} returns scores of {scores.shape[2]} tokens, and its vocabulary has token {max(self._tokens)}.",
                hint="return a score for every token of the vocabulary after every token of a row.",
            )
        return scores


class FolderProber:
    """A decoder of the Hugging Face library in a folder, with its tokenizer; words of its vocabulary stand for symbols."""

    def __init__(self, folder: Path, device: str) -> None:
        require_extra("probing a folder", "hf")
        from transformers import AutoTokenizer

        if not (folder / "config.json").is_file():
            raise UnreadableFileError(
                f"{str(folder)!r} holds no model: there is no config.json.",
                hint="name a folder that save_pretrained has written, or FILE.py:NAME.",
            )
        if not isinstance(read_json(folder / "config.json"), dict):
            raise UnreadableFileError(
                f"config.json in {str(folder)!r} holds no table.", hint="save the model again with save_pretrained."
            )
        with _sentences(folder):
            self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            self._model = _load_model(folder)
        torch.nn.Module.to(self._model, device)
        torch.nn.Module.eval(self._model)
        self._device = device
        self._words: dict[tuple[int, int], list[str]] = {}
        self.name = folder.resolve().name
        self.identity = sha256("".join(_described(path) for path in sorted(folder.iterdir())).encode()).hexdigest()[:16]
        self.symbols: Mapping[str, int] | None = None
        self.encoding: str | None = _encoding_in(folder)
        declared = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        self.most_tokens = declared if isinstance(declared, int) else None

    def words(self, number: int, skip: int) -> list[str]:
        """Return words that are single tokens of the vocabulary, also behind one another, spread over it; ``skip`` varies them."""
        if (number, skip) not in self._words:
            self._words[number, skip] = self._find_words(number, skip)
        return self._words[number, skip]

    def _find_words(self, number: int, skip: int) -> list[str]:
        specials = set(self._tokenizer.all_special_ids)
        size = len(self._tokenizer)
        stride = max(1, size // _MOST_TRIED)
        decoded = {token: str(self._tokenizer.decode([token])).strip() for token in range(skip % stride, size, stride)}
        candidates = self._single(
            word
            for token, word in decoded.items()
            if word.isalpha() and word.isascii() and len(word) in _WORD_LENGTHS and token not in specials
        )
        if len(candidates) < number:
            # a tokenizer by words: any entry that comes back as one token serves
            entries = sorted(set(self._tokenizer.get_vocab()) - set(self._tokenizer.all_special_tokens))
            candidates = self._single(entry for entry in entries if entry.isalnum())
        if len(candidates) < number:
            raise InvalidOptionError(
                f"the vocabulary of {self.name} has {len(candidates)} words that are single tokens; {number} are needed.",
                hint="choose probes with fewer symbols, with --probe.",
            )
        step = len(candidates) // number
        return [candidates[(index * step + skip) % len(candidates)] for index in range(number)]

    def _single(self, words: Iterable[str]) -> list[str]:
        """Return the words that are one token of their own behind other words, where a tokenizer may treat them otherwise."""
        wanted = list(dict.fromkeys(words))
        if not wanted:
            return []
        before, unknown = len(self.tokens(":")), self._tokenizer.unk_token_id
        rows = self._tokenizer([f": {word} {word}" for word in wanted], add_special_tokens=False)["input_ids"]
        tokens = {
            word: row[-1]
            for word, row in zip(wanted, rows, strict=True)
            if len(row) == before + 2 and row[-1] == row[-2] != unknown
        }
        return [word for word, token in tokens.items() if str(self._tokenizer.decode([token])).strip() == word]

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text, without any that a tokenizer adds."""
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    @property
    def first(self) -> list[int]:
        """The token that begins every text, if the tokenizer adds one."""
        added = list(self._tokenizer("", add_special_tokens=True)["input_ids"])
        return [token for token in added if token == self._tokenizer.bos_token_id]

    def scores(self, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]]) -> Iterator[tuple[int, Tensor]]:
        """Yield the scores at the places, on the device; where memory runs out, fewer rows go together."""
        for chosen in _by_length(rows):
            together = max(1, _TOKENS_AT_ONCE // len(rows[chosen[0]]))
            while chosen:
                try:
                    part = self._part(rows, places, chosen[:together])
                except torch.cuda.OutOfMemoryError:
                    if together == 1:
                        raise CapExceededError(
                            f"one row of {len(rows[chosen[0]]):,} tokens needs more memory than the GPU has.",
                            hint="choose shorter --lengths, or --device cpu.",
                        ) from None
                    torch.cuda.empty_cache()
                    together = max(1, together // 2)
                    continue
                yield from part
                chosen = chosen[together:]

    @torch.no_grad()
    def _part(
        self, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]], chosen: Sequence[int]
    ) -> list[tuple[int, Tensor]]:
        tokens = torch.tensor([list(rows[index]) for index in chosen], device=self._device)
        asked = sorted({place for index in chosen for place in places[index]})
        kept = torch.tensor(asked, device=self._device)
        try:
            scores = self._model(input_ids=tokens, logits_to_keep=kept, use_cache=False).logits
        except torch.cuda.OutOfMemoryError:
            raise
        except Exception as error:  # such as a token beyond the embeddings
            raise UnreadableFileError(
                f"the model {self.name!r} failed on {len(chosen)} rows of {tokens.shape[1]:,} tokens: {_reason(error)}",
                hint="check that its tokenizer, its configuration and its weights belong together.",
            ) from error
        if scores.shape[1] != len(asked):  # a model that does not know logits_to_keep
            scores = scores[:, asked]
        number = {place: position for position, place in enumerate(asked)}
        return [(index, scores[row][[number[place] for place in places[index]]]) for row, index in enumerate(chosen)]


def _load_model(folder: Path) -> Any:
    """Return the decoder in a folder, with the encoding of ours that it was saved with, if there is one."""
    if _attached_in(folder) is not None:
        from ..encodings.hf.attach import load

        return load(folder, local_files_only=True, use_safetensors=True, dtype="auto")
    library: Any = import_module("transformers")
    model, found = library.AutoModelForCausalLM.from_pretrained(
        folder,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype="auto",
        output_loading_info=True,
    )
    lacking = sorted(map(str, found["missing_keys"]))
    if lacking:  # the library draws them at random
        more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        raise UnreadableFileError(
            f"weights are missing in {str(folder)!r}: {', '.join(lacking[:3])}{more}.",
            hint="save the whole language model with save_pretrained, its output layer included.",
        )
    return model


def _attached_in(folder: Path) -> Mapping[str, Any] | None:
    """Return what a configuration says of an encoding of ours, or None."""
    found = read_json(folder / "config.json")
    attached = found.get("lengthwise") if isinstance(found, dict) else None
    return attached if isinstance(attached, dict) else None


def _encoding_in(folder: Path) -> str | None:
    """Return the encoding that a configuration names, for what theory predicts; None if layers differ, or it is none of ours."""
    try:
        data = read_json(folder / "config.json")
        kinds = {encoding_of(kind) for kind in parse_model_config(data, folder.name).kinds}
        return find_packaged_encoding(kinds.pop()).name if len(kinds) == 1 else None
    except LengthwiseError:
        return None


@contextmanager
def _sentences(folder: Path) -> Iterator[None]:
    """Turn errors of the library, which are of many kinds, into a sentence, and keep its reports and progress bars away."""
    logging: Any = import_module("transformers.utils.logging")
    before, shows_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except LengthwiseError:
        raise
    except Exception as error:
        raise UnreadableFileError(
            f"the model in {str(folder)!r} cannot be loaded: {_reason(error)}",
            hint="it needs config.json, a tokenizer and weights as safetensors; code of its own is never run.",
        ) from None
    finally:
        logging.set_verbosity(before)
        if shows_bars:
            logging.enable_progress_bar()


def _reason(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    said = lines[0][:300] if lines else "no reason given"
    return f"{type(error).__name__}: {said}" if isinstance(error, KeyError) or not lines else said


def _checked_tokens(vocabulary: Mapping[Any, Any], name: str) -> list[int]:
    """Return the numbers of a vocabulary; raise if one is none, or stands for two symbols."""
    tokens = list(vocabulary.values())
    wrong = next((token for token in tokens if type(token) is not int or token < 0), None)
    if wrong is not None or len(set(tokens)) < len(tokens) or not tokens:
        found = "one for two symbols" if wrong is None and tokens else repr(wrong) if tokens else "none"
        raise InvalidOptionError(
            f"the vocabulary of {name} must give every symbol a token number of its own, from 0 on; found {found}.",
            hint="see docs/guides/probe.md for an example.",
        )
    return tokens


def _by_length(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the numbers of the rows, those of one length together: nothing is padded."""
    groups: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(len(row), []).append(index)
    return list(groups.values())


def _slices(numbers: Sequence[int], size: int) -> list[Sequence[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def _described(path: Path) -> str:
    """Return what tells one state of a file from another; small files by content."""
    size = path.stat().st_size
    if not path.is_file() or size > 2**22:
        return f"{path.name} {size} {path.stat().st_mtime_ns};"
    return f"{path.name} {sha256(path.read_bytes()).hexdigest()};"


def find_prober(model: str, device: str) -> Prober:
    """Return the model that is named: a folder, or ``FILE.py:NAME``, which is run because it is named here."""
    file, colon, name = model.rpartition(":")
    if colon and file.endswith(".py"):
        return CallableProber(_from_file(Path(file), name), f"{Path(file).name}:{name}")
    folder = Path(model)
    if not folder.is_dir():
        raise UnreadableFileError(
            f"there is no model {model!r}: it is neither a folder nor FILE.py:NAME.",
            hint="name an object in the file, as FILE.py:NAME."
            if folder.is_file()
            else "models are not downloaded; save one with save_pretrained first.",
        )
    return FolderProber(folder, device)


def _from_file(file: Path, name: str) -> Any:
    if not file.is_file():
        raise UnreadableFileError(f"there is no file {str(file)!r}.", hint="check the path.")
    spec = importlib.util.spec_from_file_location(f"lengthwise_probed_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UserCodeError(f"{file} failed: {type(error).__name__}: {error}", hint="mend the file.") from error
    return _attribute(module, name, file)


def _attribute(module: ModuleType, name: str, file: Path) -> Any:
    if not hasattr(module, name):
        known = ", ".join(key for key in vars(module) if not key.startswith("_"))
        raise InvalidOptionError(f"{file} has no {name!r}. It has: {known}.", hint="name one of these.")
    return getattr(module, name)
