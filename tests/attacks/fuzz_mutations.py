"""How fuzzed inputs differ from proper ones: edits of texts, of JSON data and of bytes, all drawn from a ``Random``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

ODD_TEXTS = (
    "", " ", "\0", "\n", "\r\n", "\t", "\x1b[31m", "\x7f", "\x85", "\xa0", "\u00ad", "\u200b", "\u202e", "\u2028", "\ufeff",
    "\ud800", "\udc80", "é", "e\u0301", "ß", "İ", "ſ", "²", "½", "٣", "٣٣", "𝒳", "\U0010ffff", "×", "ε", "∅", "'", '"', "`",
    "\\", "\\\\", "\\n", "\\u0000", "%s", "%d", "{0}", "{}", "${x}", "<script>", "<b>", "|", "||", "&", "--", "-", "#", "//",
    "null", "true", "None", "NaN", "inf", "__class__", "0", "-0", "00", "1e5", "0x10", "1_000", "..", "../..", "~", "$", "^",
)  # fmt: skip
ODD_NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 7, 10, 64, 100, 255, 256, 1000, 65_536, 10**6, 2**31 - 1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, 2**63,
    -(2**63) - 1, 2**64, 10**18, 10**30, -(10**30), 10**400, 0.0, -0.0, 0.5, 1.0, 2.0, -1.5, 1e-320, 1e16, 1e308, -1e308,
    float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, "", "a", "ab", "0", "1", "YES", "\0", "\x1b[2J", "\ud800", "x" * 300, [], {}, [[]], [{}], {"": None},
    [None], ["a"], ["a", "a"], [1], [1, 2], [True], {"a": 1}, {"0": "0"}, [["a", "b"], ["b"]],
)  # fmt: skip


def odd_text(rng: Random) -> str:
    """Return a text that few programs expect; once in a while a long one."""
    draw = rng.random()
    if draw < 0.01:
        return rng.choice("a(x0é[ '{-") * rng.choice((50, 300, 3000, 20_000))
    if draw < 0.15:
        return str(rng.choice(ODD_NUMBERS))
    if draw < 0.25:
        return chr(
            rng.choice((rng.randrange(256), rng.randrange(0x3000), rng.randrange(0xD800), 0x1D400 + rng.randrange(512)))
        )
    return rng.choice(ODD_TEXTS)


def odd_value(rng: Random) -> Any:
    """Return JSON data of a kind or size that is seldom meant."""
    draw = rng.random()
    if draw < 0.45:
        return rng.choice(ODD_NUMBERS)
    if draw < 0.8:
        return deepcopy(rng.choice(ODD_VALUES))  # what is put in may be edited again
    if draw < 0.82:
        value: Any = deepcopy(rng.choice(ODD_VALUES))
        for _ in range(rng.choice((5, 50, 400))):
            value = [value] if rng.random() < 0.5 else {"a": value}
        return value
    return odd_text(rng)


def edit_text(rng: Random, text: str, tokens: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """Return a text after a few edits: parts left out, repeated, exchanged, put in, or taken from another text."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        text = _edit_once(rng, text, tokens, others)
    return text


def _edit_once(rng: Random, text: str, tokens: Sequence[str], others: Sequence[str]) -> str:
    start = rng.randint(0, len(text))
    end = min(len(text), start + rng.choice((1, 1, 1, 2, 3, 8)))
    kind = rng.randrange(10)
    if kind <= 1:
        return text[:start] + text[end:]
    if kind == 2:
        return text[:end] + text[start:end] * rng.choice((1, 1, 2, 8)) + text[end:]
    if kind == 3:
        other = rng.randint(0, len(text))
        low, high = sorted((start, other))
        return text[:low] + text[high : high + 3] + text[low:high] + text[high + 3 :]
    if kind == 4:
        return text[:start] + odd_text(rng) + text[rng.choice((start, end)) :]
    if kind <= 7 and tokens:
        return text[:start] + rng.choice(tokens) + text[rng.choice((start, end)) :]
    if kind == 8 and others:
        other_text = rng.choice(others)
        return text[:start] + other_text[rng.randint(0, len(other_text)) :]
    if kind == 9:
        return text[:start] if rng.random() < 0.5 else text[start:]
    return text[:start] + (text[start:end].swapcase() or odd_text(rng)) + text[end:]


def edit_json(rng: Random, data: Any, others: Sequence[Any] = ()) -> Any:
    """Return a copy of JSON data after a few edits: keys and items left out, renamed, exchanged, or of another kind."""
    data = json.loads(json.dumps(data))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        data = _edit_json_once(rng, data, others)
    return data


def _edit_json_once(rng: Random, data: Any, others: Sequence[Any]) -> Any:
    places = _places(data)
    if not places or rng.random() < 0.01:
        return odd_value(rng)
    holder, key = rng.choice(places)
    kind = rng.randrange(9)
    if kind <= 2:
        holder[key] = odd_value(rng)
    elif kind == 3:
        holder[key] = _nearby(rng, holder[key])
    elif kind == 4:
        del holder[key]
    elif kind == 5:
        one, two = rng.choice(places), (holder, key)
        value = one[0][one[1]]
        if not _holds(value, holder):
            two[0][two[1]] = value if not isinstance(value, dict | list) else json.loads(json.dumps(value))
    elif kind == 6 and isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), json.loads(json.dumps(holder[key])))
    elif kind == 6:
        holder[odd_text(rng)] = holder.pop(key) if rng.random() < 0.5 else json.loads(json.dumps(holder[key]))
    elif kind == 7 and others:
        found = rng.choice(_places(rng.choice(others)) or places)
        holder[key] = json.loads(json.dumps(found[0][found[1]]))
    else:
        holder[key] = rng.choice(([holder[key]], {"a": holder[key]}, str(holder[key])))
    return data


def _nearby(rng: Random, value: Any) -> Any:
    """Return a value that is almost the same: one more or less, an edited text, another kind of number."""
    if isinstance(value, bool):
        return rng.choice((not value, int(value)))
    if isinstance(value, int):
        return rng.choice(
            (value + 1, value - 1, -value, float(value) if abs(value) < 10**300 else 0.5, bool(value), str(value))
        )
    if isinstance(value, float):
        return rng.choice((-value, value * 10, value / 10, str(value)))
    if isinstance(value, str):
        return edit_text(rng, value)
    if isinstance(value, list):
        return rng.choice((value[::-1], value[1:], value + deepcopy(value), value[:1]))
    return odd_value(rng)


def _places(data: Any) -> list[tuple[Any, Any]]:
    """Return every (table or list, key or index) of JSON data, so that what stands there can be changed."""
    places: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        here = waiting.pop()
        keys: Any = here.keys() if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        for key in keys:
            places.append((here, key))
            waiting.append(here[key])
    return places


def _holds(value: Any, part: Any) -> bool:
    return value is part or any(found[0] is part for found in _places(value))


def json_text(rng: Random, data: Any) -> str:
    """Return JSON data as text, now and then with a repeated key, a comment or another edit of the text itself."""
    text = json.dumps(data, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 2)))
    return (
        edit_text(rng, text, ('"', "{", "}", "[", "]", ",", ":", "null", "NaN", "1e999"))
        if rng.random() < 0.1
        else text
    )


def edit_bytes(rng: Random, data: bytes) -> bytes:
    """Return bytes after a few edits: some overwritten, left out or put in, or the end cut off."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        start = rng.randrange(len(made) + 1)
        size = rng.choice((1, 1, 1, 2, 4, 8, 100))
        kind = rng.randrange(6)
        if kind <= 2:
            made[start : start + size] = rng.choice((b"\0", b"\xff", bytes([rng.randrange(256)]))) * size
        elif kind == 3:
            made[start : start + size] = rng.randbytes(size)
        elif kind == 4 and rng.random() < 0.5:
            del made[start : start + size]
        elif rng.random() < 0.3:
            del made[start:]
    return bytes(made)
