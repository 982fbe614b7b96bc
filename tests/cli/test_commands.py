"""The folder of commands: its tables name its modules, and each module has what the parser needs."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

import pytest

from lengthwise.cli import commands, kinds
from lengthwise.cli.commands import crasp, store

MODULES = [f"{package.__name__}.{name}" for package in (commands, crasp, store) for name in package.COMMANDS]


@pytest.mark.parametrize("package", [commands, crasp, store])
def test_a_table_names_the_modules_of_its_folder(package: object) -> None:
    found = {path.stem for path in Path(package.__file__).parent.iterdir() if not path.name.startswith("__")}
    assert found == set(package.COMMANDS)


def test_every_kind_has_a_module_that_lists_and_shows() -> None:
    found = {path.stem for path in Path(kinds.__file__).parent.glob("*.py")} - {"__init__"}
    assert found == set(kinds.KINDS)
    for name in kinds.KINDS:
        module = import_module(f"{kinds.__name__}.{name}")
        assert callable(module.print_list)
        assert callable(module.print_one)


@pytest.mark.parametrize("name", MODULES)
def test_a_command_declares_its_arguments_and_has_examples(name: str) -> None:
    module = import_module(name)
    assert module.EXAMPLES.startswith("examples:\n")
    if not hasattr(module, "COMMANDS"):
        module.add_arguments(ArgumentParser())
        assert module.run.__doc__


def loaded_by(*arguments: str) -> set[str]:
    """Return the modules that a command loads, in a fresh process."""
    code = (
        "import sys\nfrom lengthwise.cli.main import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_only_the_command_that_runs_is_imported() -> None:
    ours = f"{commands.__name__}."
    assert not any(name.startswith(ours) for name in loaded_by("--help"))
    assert {name for name in loaded_by("predict", "(aa)*") if name.startswith(ours)} == {f"{ours}predict"}
    crasp_modules = {name for name in loaded_by("crasp", "run", "dyck_1", "()") if name.startswith(ours)}
    assert crasp_modules == {f"{ours}crasp", f"{ours}crasp.run"}


@pytest.mark.parametrize("expression", ["(ab|bbaa)*", "(ab)*"])
def test_a_verdict_about_an_expression_loads_few_modules_and_no_heavy_library(expression: str) -> None:
    loaded = loaded_by("predict", expression)
    assert len([name for name in loaded if name.split(".")[0] == "lengthwise"]) < 72
    assert not loaded & {"torch", "numpy", "rich", "jinja2"}
    assert not any(name.startswith(("lengthwise.theory.positions", "lengthwise.tasks")) for name in loaded)
