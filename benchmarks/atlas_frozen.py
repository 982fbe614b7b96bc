"""Predictions for the test third, written down before anything there is trained, and the proof that nobody changed them.

A frozen file has a head and a line for every cell. The head holds the hash of the lines and that of the predictor. Each piece
of the test third holds the hash of the whole file it was trained under. Scoring refuses unless all of these agree, the file was
committed exactly once and is as committed, and every test piece was finished after that commit.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

FROZEN = Path(__file__).resolve().parent / "atlas" / "frozen.jsonl"
TEST_PARTS = ("test", "test_membership", "design_test", "transfer_wide", "transfer_50", "transfer_100")
"""Parts of languages that nothing is fitted to; they come last among all parts."""

FORMAT = "lengthwise atlas predictions 1"


class FrozenError(ValueError):
    """Predictions that may not be scored."""


def sha_of(path: Path) -> str:
    """Return the hash of a file."""
    return sha256(path.read_bytes()).hexdigest()


def frozen_text(lines: Sequence[dict[str, Any]], predictor_sha: str) -> str:
    """Return the text of a frozen file."""
    body = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    head = {
        "format": FORMAT,
        "cells": len(lines),
        "predictor": predictor_sha,
        "lines": sha256(body.encode()).hexdigest(),
    }
    return json.dumps(head) + "\n" + body


def read_frozen(path: Path, predictor: Path) -> list[dict[str, Any]]:
    """Return the predictions of a frozen file; raise if it or its predictor was changed."""
    if not path.exists():
        raise FrozenError(f"{path.name} is missing: predictions are frozen first (atlas_fit.py --freeze).")
    first, _, body = path.read_text(encoding="utf-8").partition("\n")
    head = json.loads(first)
    if head.get("format") != FORMAT:
        raise FrozenError(f"{path.name} is no file of frozen predictions.")
    if head["lines"] != sha256(body.encode()).hexdigest():
        raise FrozenError(f"{path.name} was changed: its predictions are not those that its head was written for.")
    if head["predictor"] != sha_of(predictor):
        raise FrozenError(f"{predictor.name} was changed: it is not the predictor that {path.name} was made with.")
    return [json.loads(line) for line in body.splitlines()]


def commit_time(path: Path) -> datetime:
    """Return when a file was committed; raise unless that was exactly once, and it is as it was then."""
    commits = _git(path, "log", "--format=%H %cI", "--follow", "--", path.name).split("\n")
    commits = [line for line in commits if line]
    if not commits:
        raise FrozenError(f"{path.name} is not committed; commit it before any test piece is trained.")
    if len(commits) > 1:
        raise FrozenError(f"{path.name} was committed {len(commits)} times; frozen predictions are committed once.")
    commit, when = commits[0].split(" ")
    if _git(path, "show", f"{commit}:./{path.name}") != path.read_text(encoding="utf-8"):
        raise FrozenError(f"{path.name} is not as it was committed.")
    return datetime.fromisoformat(when)


def _git(path: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=path.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FrozenError(f"git cannot say when {path.name} was committed: {done.stderr.strip()}")
    return done.stdout


def require_frozen_before(path: Path, predictor: Path, heads: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the predictions if every test piece, given by its head, was trained after they were committed; else raise."""
    predictions, committed, sha = read_frozen(path, predictor), commit_time(path), sha_of(path)
    for head in heads:
        if head.get("frozen") != sha:
            raise FrozenError(f"piece {head['piece']} was not trained under {path.name}: its hash is another.")
        if datetime.fromisoformat(head["provenance"]["finished"]) <= committed:
            raise FrozenError(f"piece {head['piece']} was finished before {path.name} was committed.")
    return predictions
