"""The inputs of every reader: proper ones by grammar or from the corpus, most of them edited."""

from __future__ import annotations

import contextlib
import json
import struct
from dataclasses import dataclass, field
from random import Random
from typing import Any

import fuzz_grammars as grammars
from fuzz_corpus import Corpus
from fuzz_mutations import edit_bytes, edit_json, edit_text, json_text, odd_text

REGEX_SIGNS = ("(", ")", "[", "]", "[^", "{", "}", "{2}", "{1,3}", "{,}", "|", "*", "+", "?", ".", "^R", "~", "&", "/", "//",
               "<", ">", "\\", "a", "b", "-", "()", "$", "\\<open>", "\\<")  # fmt: skip
PROGRAM_WORDS = ("alphabet", "accept", ":=", "#", "[", "]", "(", ")", "{", "}", "..", ",", "'a'", "'b'", "'$'", "and", "or",
                 "not", "if", "then", "else", "pos", "%", "=", "!=", "<", "<=", "+", "-", "*", "2", "1000000", "start", "stop",
                 "read at end", "next 'a' :=", "true", "false", "//", "'", "\n", "n0", "t0")  # fmt: skip
NAME_SIGNS = ("(", ")", ",", "=", " ", "-", ".", "1", "0", "2", "1e9", "99999999999", "true", "false", "length", "base", "hard",
              "states", "accepts", "aligned", ".json", ".crasp", ".jsonl", "nope", "rope", "window(", "offset(", "addition",
              "parity", "D_2", "near")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An input: its data, and the options beside it."""

    data: str | bytes
    options: dict[str, Any] = field(default_factory=dict)


# Regular expressions and alphabets


def make_regex(rng: Random, corpus: Corpus) -> Case:
    alphabet = rng.choice(grammars.SYMBOLS)
    draw = rng.random()
    if draw < 0.02:
        size = rng.choice((20, 200, 5000))
        text = rng.choice(("(" * size, "~" * size + "a", "a" * size, "(a|" * size + "b" + ")" * size, "a{9}" * size, "a" + "*" * size,
                           f"a{{{size * 100}}}", f"(a{{{size}}}){{{size}}}", "((a|b){3}){4}" * 3, "<" + "a" * size + ">"))  # fmt: skip
    elif draw < 0.35:
        text = grammars.regex(rng, rng.choice((1, 2, 3, 3, 4)), alphabet)
    else:
        base = rng.choice(corpus.regexes) if rng.random() < 0.5 else grammars.regex(rng, 2, alphabet)
        text = edit_text(rng, base, REGEX_SIGNS, corpus.regexes)
    given = None
    if rng.random() < 0.2:
        given = edit_text(rng, alphabet, "ab01") if rng.random() < 0.3 else alphabet
    return Case(data=text, options={"alphabet": given})


def make_prediction(rng: Random, corpus: Corpus) -> Case:
    case = make_regex(rng, corpus)
    return Case(
        data=case.data, options=case.options | {"shown": rng.choice(("text", "text", "json", "json", "explain"))}
    )


def make_alphabet_case(rng: Random, _corpus: Corpus) -> Case:
    text = "".join(
        odd_text(rng) if rng.random() < 0.3 else rng.choice("abc01 ,") for _ in range(rng.choice((0, 1, 2, 3, 5)))
    )
    return Case(data=text, options={"regex": rng.choice(("(ab)*", "a", ".*", "~a", "[^a]", "()"))})


# Names


def make_question(rng: Random, corpus: Corpus) -> Case:
    name = rng.choice(
        rng.choice((corpus.tasks, corpus.regexes, ["majority", "bounded_dyck(3)", "no.crasp", "no.json", "no.jsonl"]))
    )
    text = edit_text(rng, name, NAME_SIGNS, corpus.tasks) if rng.random() < 0.8 else name
    return Case(
        data=text, options={"encoding": _encoding_name(rng, corpus), "alphabet": rng.choice((None, None, None, "ab"))}
    )


def make_program_name(rng: Random, corpus: Corpus) -> Case:
    name = rng.choice(corpus.program_names)
    if rng.random() < 0.4:
        name = f"{name}({rng.choice(('0', '1', '2', '3', '7', 'ab', '-1', '', '2, 3', '99999', 'x'))})"
    return Case(data=edit_text(rng, name, NAME_SIGNS, corpus.program_names) if rng.random() < 0.6 else name)


def _at_bounds(rng: Random, low: float, high: float, default: object) -> str:
    """Return a number at, near or past the bounds of an option or a parameter."""
    value = rng.choice((low, high, high, default, low - 1, high + 1, (low + high) / 2, low + 1))
    return (
        f"{value:g}"
        if isinstance(value, float) and value != int(value)
        else str(int(value) if isinstance(value, float) else value)
    )


def _encoding_name(rng: Random, corpus: Corpus) -> str:
    draw = rng.random()
    if draw < 0.35:
        return _with_options(rng, corpus, depth=rng.choice((0, 1, 1, 2, 7)))
    name = rng.choice(corpus.encodings)
    if draw < 0.5:
        name = f"{rng.choice(corpus.encodings)}({name})"
    return edit_text(rng, name, NAME_SIGNS, corpus.encodings) if rng.random() < 0.7 else name


def _with_options(rng: Random, corpus: Corpus, depth: int) -> str:
    """Return an encoding around others, with options at their bounds."""
    wrappers = [card for card in corpus.cards if card.bases]
    card = rng.choice(wrappers if depth else corpus.cards)
    told = [_with_options(rng, corpus, depth - 1) for _ in card.bases] if depth else []
    for option in card.options:
        if rng.random() < 0.7:
            is_number = not isinstance(option.default, bool | str)
            word = rng.choice(
                (
                    "true",
                    "false",
                    "copy",
                    "addition(2)",
                    "addition(99999999)",
                    "reverse",
                    "shift(3)",
                    "copy_every(9999)",
                )
            )
            told.append(
                f"{option.name}={_at_bounds(rng, option.low, option.high, option.default) if is_number else word}"
            )
    return f"{card.name}({', '.join(told)})" if told else str(card.name)


def make_encoding_case(rng: Random, corpus: Corpus) -> Case:
    return Case(data=_encoding_name(rng, corpus))


def make_built_case(rng: Random, corpus: Corpus) -> Case:
    return Case(data=_with_options(rng, corpus, depth=rng.choice((0, 0, 1, 2))))


def make_task_case(rng: Random, corpus: Corpus) -> Case:
    name = rng.choice(corpus.tasks)
    draw = rng.random()
    if draw < 0.35:
        family = rng.choice(corpus.families)
        values = [
            rng.choice(each.words) if each.words else _at_bounds(rng, each.low, each.high, each.default)
            for each in family.parameters
        ]
        values = (
            values if rng.random() < 0.8 else [*values[:1], rng.choice(("-1", "x", "", "4294967296", "2.5", "9" * 400))]
        )
        name = f"{family.name}({', '.join(values)})"
    if draw > 0.25 and draw < 0.55:
        outer = rng.choice(
            ("states", "accepts", "hard", "aligned", "index_hints", "padded", "spaced", "scratchpad", "answer_reversed")
        )
        name = (
            f"{outer}({name}{rng.choice(('', '', ', 9', ', near', ', boundary', ', pumped', ', powers', ', repeats'))})"
        )
    return Case(data=edit_text(rng, name, NAME_SIGNS, corpus.tasks) if rng.random() < 0.4 else name)


# Programs


def _chain(rng: Random) -> str:
    """Return a program whose definitions each use the one before several times, so that writing them out doubles."""
    lines = ["alphabet 'a' 'b'", *rng.choice(([], ["read at last"], ["read at end"])), "d0 := 'a'", "n0 := #['b']"]
    form, count = rng.choice(
        (
            ("not d{0} or (d{0} and d{0})", "n{0} + n{0}"),
            ("not d{0}", "1 + n{0}"),
            ("d{0} and #[d{0}] = 1 or #[d{0}] = 3", "#[n{0} = n{0}]"),
            ("#{{1}}[d{0}] = #{{1}}[d{0}]", "(if n{0} = 1 then n{0} else 2*n{0})"),
        )
    )
    size = rng.choice((3, 10, 40, 150))
    for number in range(size):
        lines += [f"d{number + 1} := {form.format(number)}", f"n{number + 1} := {count.format(number)}"]
    return "\n".join([*lines, f"accept := d{size} and n{size} > 1"])


def make_program(rng: Random, corpus: Corpus) -> Case:
    draw = rng.random()
    if draw < 0.02:
        size = rng.choice((30, 300, 3000))
        hard = rng.choice(("(" * size, "not " * size + "'a'", "#[" * size, "- " * size + "1 = 0", f"{'9' * size} = 1",
                           f"#{{0..{size}}}['a'] = 1",
                           " and ".join(["'a'"] * size), " + ".join(["#['a']"] * size) + " = 0"))  # fmt: skip
        return Case(data=f"alphabet 'a' 'b' accept := {hard}")
    made = grammars.program(rng, rng.choice(grammars.SYMBOLS)) if draw > 0.03 else _chain(rng)
    if draw < 0.35:
        return Case(data=made)
    return Case(
        data=edit_text(rng, made if rng.random() < 0.5 else rng.choice(corpus.programs), PROGRAM_WORDS, corpus.programs)
    )


FORMULAS = ("2^-(j-i) + [i = n]/3", "abs(i - j)", "min(i, j, n)", "[i = j]", "i % 3", "-2^2", "1/2*i - 3//j",
            "[not i < j or i = 1 and n > 2]",
            "max(1, i^2)", "0.5", "((i))", "2^j^2")  # fmt: skip
FORMULA_SIGNS = ("+", "-", "*", "/", "//", "%", "^", "(", ")", "[", "]", "i", "j", "n", "abs(", "min(", "max(", ",", "=", "<", "and",
                 "or", "not", "0", "2", "10", "99", "0.5", "10^", "2^2^")  # fmt: skip


def make_formula(rng: Random, _corpus: Corpus) -> Case:
    if rng.random() < 0.1:
        return Case(data=" ".join(rng.choice(FORMULA_SIGNS) for _ in range(rng.choice((3, 8, 30)))))
    return Case(data=edit_text(rng, rng.choice(FORMULAS), FORMULA_SIGNS, FORMULAS))


# JSON: automata, certificates, pairs


def make_automaton(rng: Random, corpus: Corpus) -> Case:
    data = grammars.automaton(rng) if rng.random() < 0.6 else rng.choice(corpus.automata)
    if rng.random() < 0.75:
        data = edit_json(rng, data, corpus.automata)
    return Case(data=json_text(rng, data), options={"predict": rng.random() < 0.2})


def make_certificate(rng: Random, corpus: Corpus) -> Case:
    row = rng.choice(corpus.rows)
    if rng.random() < 0.7 and row["certificate"]:
        row = row["certificate"]
    if rng.random() < 0.1:
        row = [row, rng.choice(corpus.rows)]
    data = edit_json(rng, row, corpus.rows) if rng.random() < 0.95 else row
    return Case(
        data=json_text(rng, data),
        options={"for": rng.choice((None, None, None, None, "(ab)*", "PARITY")), "json": rng.random() < 0.5},
    )


def make_pairs(rng: Random, corpus: Corpus) -> Case:
    lines = rng.choice(corpus.pairs).split("\n")
    for _ in range(rng.choice((1, 1, 2))):
        number = rng.randrange(len(lines))
        if lines[number].strip():
            with contextlib.suppress(ValueError):
                lines[number] = json_text(rng, edit_json(rng, json.loads(lines[number])))
    text = rng.choice(("\n", "\n", "\n", "\r\n", "\u2028")).join(line.replace("\n", " ") for line in lines)
    return Case(data=edit_text(rng, text) if rng.random() < 0.2 else text)


# Specs


def make_spec(rng: Random, corpus: Corpus) -> Case:
    if rng.random() < 0.1:
        return Case(
            data=edit_text(rng, rng.choice(corpus.specs), ("=", "[", "]", "true", "1", "0.5", '"a"'), corpus.specs)
        )
    data = grammars.spec(rng, corpus.tasks, corpus.encodings)
    if rng.random() < 0.75:
        data = edit_json(rng, data)
    try:
        return Case(data=grammars.toml(data if isinstance(data, dict) else {"tasks": data}))
    except RecursionError:
        deep = rng.choice((100, 1000, 10_000))
        return Case(data=f"tasks = {'[' * deep}{']' * deep}\n")


# Models


def _edit_weights(rng: Random, data: bytes, settings: str | None) -> tuple[bytes, str]:
    """Return a safetensors file with another header, other notes in it, or other bytes; and the notes."""
    if rng.random() < 0.25:
        return edit_bytes(rng, data), "other bytes"
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    if settings is not None and rng.random() < 0.8:
        notes = edit_json(rng, json.loads(header["__metadata__"][settings]))
        header["__metadata__"][settings] = json_text(rng, notes)
    else:
        header = edit_json(rng, header)
    text = json_text(rng, header).encode("utf-8", "surrogatepass")
    told = len(text) if rng.random() < 0.95 else rng.choice((0, 1, 2**31, 2**63, len(text) + 1))
    return struct.pack("<Q", told) + text + data[8 + size :], str(
        header.get("__metadata__") if isinstance(header, dict) else header
    )


def make_model_case(rng: Random, corpus: Corpus) -> Case:
    data, notes = _edit_weights(rng, rng.choice(corpus.models), "lengthwise")
    return Case(data=data, options={"notes": notes})


def make_compiled_case(rng: Random, corpus: Corpus) -> Case:
    config, weights = rng.choice(corpus.compiled)
    if rng.random() < 0.7:
        return Case(data=json_text(rng, edit_json(rng, json.loads(config))), options={"weights": weights})
    return Case(data=config, options={"weights": _edit_weights(rng, weights, None)[0]})
