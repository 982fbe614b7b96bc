"""The shape of the package: what may import what, what it exports, and that the built wheel works."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import lengthwise

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "lengthwise"
SOURCES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    "errors",
    "extras",
    "budget",
    "markup",
    "svg",
    "notices",
    "tables",
    "citation_data",
    "citations",
    "files",
    "arrays",
    "seeds",
    "names",
    "languages",
    "crasp",
    "theory",
    "tasks",
    "encodings",
    "evidence",
    "predict",
    "context",
    "model",
    "conformance",
    "train",
    "experiment",
    "report",
    "papers",
    "probe",
    "web",
    "cli",
)
EXEMPT = ("", "_version", "__main__")  # the package itself, its version, and its entry point

OPTIONAL = ("torch", "safetensors")
WITH_OPTIONAL = ("encodings", "model", "conformance", "train", "experiment", "papers", "probe")
"""The layers with modules that need what ``lengthwise[train]`` adds; encodings.catalog is not one of them."""


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = [module_name(path) for path in SOURCES if path.name != "__main__.py"]


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the modules of the package that a file imports, wherever in the file it does so."""
    package = list(path.relative_to(PACKAGE.parent).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "lengthwise")
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "lengthwise":  # from .. import seeds: the names are the modules
                yield from (f"lengthwise.{alias.name}" for alias in node.names)
            elif module.startswith("lengthwise."):
                yield module


def is_allowed(importer: str, imported: str) -> bool:
    """Say whether a layer may import from another: its own and those below."""
    if imported == "_version" or importer == imported:
        return True
    if imported not in LAYERS:
        return False
    return LAYERS.index(imported) < LAYERS.index(importer)


# Layers


def test_a_module_imports_only_from_its_own_layer_and_those_below() -> None:
    forbidden = []
    for path in SOURCES:
        layer = layer_of(module_name(path)) if path.name != "__main__.py" else "__main__"
        if layer in EXEMPT:
            continue
        assert layer in LAYERS, f"{layer} has no place among the layers"
        forbidden += [
            (module_name(path), name) for name in imported_modules(path) if not is_allowed(layer, layer_of(name))
        ]
    assert forbidden == []


def test_imports_are_found_at_every_depth_and_in_every_form() -> None:
    found = {layer_of(name) for name in imported_modules(PACKAGE / "cli" / "commands" / "predict.py")}
    assert {"errors", "languages", "theory", "encodings", "predict", "cli"} <= found
    assert set(imported_modules(PACKAGE / "cli" / "parser.py")) >= {"lengthwise._version", "lengthwise.errors"}
    assert "lengthwise.errors" in set(imported_modules(PACKAGE / "languages" / "dfa.py"))


def test_the_order_of_the_layers_forbids_what_it_should() -> None:
    assert is_allowed("theory", "languages")
    assert is_allowed("cli", "report")
    assert not is_allowed("languages", "theory")
    assert is_allowed("cli", "web")
    assert not is_allowed("web", "cli")
    assert not is_allowed("theory", "")
    assert not is_allowed("errors", "utils")
    assert not is_allowed("errors", "files")
    assert is_allowed("arrays", "files")


def test_the_checker_shares_no_code_with_the_solvers() -> None:
    allowed = {
        "checker": {
            "lengthwise.budget",
            "lengthwise.errors",
            "lengthwise.languages.dfa",
            "lengthwise.theory.replay",
            "lengthwise.theory.graph_checker",
            "lengthwise.theory.period_checker",
            "lengthwise.theory.precision.checker",
            "lengthwise.theory.promise_checker",
            "lengthwise.crasp.fragments",  # a program is read again from its text
            "lengthwise.crasp.kinds",
            "lengthwise.crasp.measures",
            "lengthwise.crasp.parser",
        },
        "graph_checker": {"lengthwise.theory.replay"},
        "period_checker": {"lengthwise.budget", "lengthwise.theory.replay"},
        "precision/checker": {"lengthwise.budget", "lengthwise.theory.replay"},
        "promise_checker": {"lengthwise.theory.replay"},
        "depth/checker": {
            "lengthwise.budget",
            "lengthwise.errors",
            "lengthwise.languages.dfa",
            "lengthwise.theory.replay",
        },
        "replay": {"lengthwise.budget"},
    }
    for name, modules in allowed.items():
        assert set(imported_modules(PACKAGE / "theory" / f"{name}.py")) == modules


# Imports


def run_python(*arguments: str, **environment: str) -> str:
    """Run this Python on the package's source in a fresh process; return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


LIGHT = """
import sys
import lengthwise
answers = [str(row.verdict.answer) for row in lengthwise.predict("(ab|bbaa)*a", encodings=["nope", "ape"])]
heavy = {"torch", "numpy", "rich", "jinja2"} & set(sys.modules)
print(answers, sorted(heavy))
"""

LIGHT_COMMAND = """
import sys
from lengthwise.cli.main import main
code = main(["predict", "(aa)*", "--explain"])
heavy = {"torch", "numpy", "rich", "jinja2"} & set(sys.modules)
print(code, sorted(heavy))
"""


def test_a_prediction_for_an_expression_loads_no_heavy_library() -> None:
    assert run_python("-c", LIGHT).endswith("'] []\n")
    assert run_python("-c", LIGHT_COMMAND).endswith("\n0 []\n")


@pytest.mark.parametrize("layer", sorted({layer_of(module) for module in MODULES}))
def test_every_module_can_be_imported_and_its_examples_give_what_they_show(layer: str) -> None:
    failed = []
    for module in [module for module in MODULES if layer_of(module) == layer]:
        try:
            failed += [module] * doctest.testmod(importlib.import_module(module)).failed
        except ModuleNotFoundError as missing:
            if missing.name not in OPTIONAL or layer not in WITH_OPTIONAL or module == "lengthwise.encodings.catalog":
                raise
    assert failed == []


def test_the_package_has_examples() -> None:
    finder = doctest.DocTestFinder()
    light = ("lengthwise", "lengthwise.languages.dfa", "lengthwise.languages.regex", "lengthwise.predict.predict")
    for module in light:
        assert any(test.examples for test in finder.find(importlib.import_module(module))), module


# Names


def test_the_package_exports_exactly_these_names() -> None:
    assert lengthwise.__all__ == [
        "Advice",
        "Answer",
        "Attention",
        "Check",
        "DFA",
        "ENCODINGS",
        "Facts",
        "Fit",
        "Fragment",
        "LANGUAGES",
        "LengthwiseError",
        "PROGRAMS",
        "Prediction",
        "Predictions",
        "Program",
        "Readout",
        "Report",
        "Spec",
        "TASKS",
        "THEOREMS",
        "Verdict",
        "__version__",
        "attach",
        "check_certificate",
        "compile_regex",
        "decide",
        "distinguishing_word",
        "find_encoding",
        "find_program",
        "find_task",
        "load_specs",
        "make_encoding",
        "parse_program",
        "predict",
        "recommend",
        "report",
        "run",
        "trace_program",
    ]


@pytest.mark.parametrize("name", lengthwise.__all__)
def test_an_exported_name_is_there_and_is_the_one_that_type_checkers_see(name: str) -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {alias.name: node.module for node in block.body for alias in node.names}  # type: ignore[attr-defined]
    assert set(typed) | {"__version__"} == set(lengthwise.__all__)
    try:
        value = getattr(lengthwise, name)
    except ModuleNotFoundError as missing:
        if missing.name not in (*OPTIONAL, "transformers"):
            raise
        pytest.skip(f"{missing.name} is not installed")
    if name in ("predict", "report"):
        assert callable(value)
        assert value is sys.modules[f"lengthwise.{name}"]
    elif name != "__version__":
        assert value is getattr(importlib.import_module(f"lengthwise.{typed[name]}"), name)
    assert name in dir(lengthwise)


def test_a_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'lengthwise' has no attribute 'nothing'"):
        lengthwise.nothing  # noqa: B018


# Hash seeds

SEEDED = """
from lengthwise.cli.main import main
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.drawing import draw_svg, draw_text
from lengthwise.languages.sampling import sample_word, sample_words
from lengthwise.languages.semigroup import transition_semigroup
from lengthwise.seeds import open_stream

main(["predict", "--json", "(ab|bbaa)*", "[012]*02*", "PARITY", "TOMITA_3", "D_3", "(aa)*", "--encoding", "nope,ape,rope"])
main(["predict", "--explain", "TOMITA_5", "[abc]*d[bc]*"])
main(["list", "languages"])
main(["show", "language", "TOMITA_7"])
draw = open_stream("data", seed=3)
for entry in LANGUAGES.values():
    language = entry.language
    print(entry.name, language.alphabet, language.transitions, sorted(language.accepting))
    print(sample_word(language, 20, draw), sample_words(language, [20] * 3, draw).tolist())
    if language.num_states < 12:
        print(draw_text(language), draw_svg(language), transition_semigroup(language).elements)
"""


def test_nothing_depends_on_the_seed_of_hashes() -> None:
    printed = [run_python("-c", SEEDED, PYTHONHASHSEED=seed) for seed in ("0", "1", "2")]
    assert len(printed[0]) > 10_000
    assert printed[0] == printed[1] == printed[2]


# The wheel


def packed_files(wheel: Path) -> set[str]:
    """Return the files of a wheel, without what describes it."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def run_outside(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command without our PYTHONPATH, where pip would find the package and think it installed already."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=clean)


def build_wheel(folder: Path) -> Path:
    """Build the wheel from a copy of the tree, so that nothing is left behind in it."""
    tree = folder / "tree"
    tree.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, tree)
    shutil.copytree(PACKAGE, tree / "src" / "lengthwise", ignore=shutil.ignore_patterns("__pycache__"))
    command = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder)]
    built = run_outside(sys.executable, *command, str(tree), cwd=folder)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("lengthwise-*.whl")
    return wheel


def test_the_wheel_holds_the_whole_package_and_works_alone(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path)
    source = tmp_path / "tree" / "src"
    files = {path.relative_to(source).as_posix() for path in (source / "lengthwise").rglob("*") if path.is_file()}
    assert packed_files(wheel) == files
    assert {"lengthwise/py.typed", "lengthwise/cli/main.py", "lengthwise/languages/__init__.py"} < files

    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    install = ["-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    installed = run_outside(sys.executable, *install, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return run_outside(*command, cwd=tmp_path)

    where = run(str(python), "-c", "import lengthwise; print(lengthwise.__file__, lengthwise.__version__)")
    assert where.stdout.startswith(str(environment)), where.stderr
    assert where.stdout.split()[1] == lengthwise.__version__
    assert run(str(python), "-c", "import numpy").returncode == 1

    command = str(environment / "bin" / "lengthwise")
    answered = run(command, "predict", "(ab)*")
    assert (answered.returncode, answered.stderr) == (0, "")
    assert answered.stdout.startswith("(ab)*: a regular expression over {a, b}, 3 states, ")
    assert [line.split()[:2] for line in answered.stdout.splitlines() if line.startswith(("nope", "ape"))] == [
        ["nope", "YES"],
        ["ape", "YES"],
    ]
    refused = run(command, "predict", "(ab")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "this '(' is never closed." in refused.stderr


# Files


def test_a_source_file_is_short_and_names_no_private_path() -> None:
    texts = {module_name(path): path.read_text(encoding="utf-8") for path in SOURCES}
    assert [name for name, text in texts.items() if len(text.splitlines()) > 450] == []
    assert [name for name, text in texts.items() if re.search(r"/(home|root|tmp|Users|mnt|opt)/", text)] == []


def test_every_folder_of_the_package_is_a_package() -> None:
    folders = {path.parent for path in SOURCES}
    assert [folder.name for folder in folders if not (folder / "__init__.py").exists()] == []
