"""Benchmarks are run by hand: what they import from the package must still be there."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_everything_a_benchmark_imports_exists(path: Path) -> None:
    pytest.importorskip("torch")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lengthwise"):
            module = importlib.import_module(str(node.module))
            for alias in node.names:
                assert hasattr(module, alias.name) or importlib.import_module(f"{node.module}.{alias.name}")


def test_results_are_named_by_theme_hardware_and_date() -> None:
    for path in (BENCHMARKS / "results").iterdir():
        theme, hardware, date = path.name.rsplit("_", 2)
        assert theme
        assert hardware in ("epyc", "h200")
        assert len(date) == len("2026-11-16.txt")
