"""Cards: read from the source of methods, known without torch, and the only place where anything about an encoding stands."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import lengthwise
from lengthwise.encodings.catalog import ALIASES, ENCODINGS, cards_by_family
from lengthwise.encodings.core.card import Card
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.encodings.core.source import read_card
from lengthwise.encodings.user.file import read_encoding_file
from lengthwise.errors import InvalidOptionError

PACKAGE = Path(lengthwise.__file__).parent
METHODS = PACKAGE / "encodings" / "methods"


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_card_is_read_as_it_is_in_its_module(name: str) -> None:
    pytest.importorskip("torch")
    from lengthwise.encodings.core.build import load_encoding

    module = import_module(f"lengthwise.encodings.methods.{name}")
    card = ENCODINGS[name]
    assert card == module.CARD
    assert card.name == name
    assert card.family != "user"
    assert load_encoding(find_encoding(name)).card is module.CARD


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_card_of_the_package_has_values_of_the_right_types(name: str, tmp_path: Path) -> None:
    text = (METHODS / f"{name}.py").read_text(encoding="utf-8")
    text = re.sub(
        r"    aliases=\(\n.*?\n    \),\n|    equals=[^\n]*\n", "", text, flags=re.DOTALL
    )  # only the package may have them
    path = tmp_path / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    assert read_encoding_file(str(path))[0].name == name


def test_every_method_is_in_the_catalog_and_every_name_is_one() -> None:
    assert set(ENCODINGS) == {path.stem for path in METHODS.glob("*.py")} - {"__init__"}
    assert set(ENCODINGS).isdisjoint(ALIASES)
    assert [card.name for cards in cards_by_family().values() for card in cards] == list(ENCODINGS)
    assert len(set(ENCODINGS)) == len(ENCODINGS)
    with pytest.raises(KeyError):
        ENCODINGS["rop"]


def test_cards_need_no_torch_and_names_need_no_theory_of_positions() -> None:
    script = (
        "import sys; from lengthwise.encodings.core.choice import find_encoding; "
        "from lengthwise.encodings.catalog import ENCODINGS; "
        "assert find_encoding('nope').at_least and find_encoding('window(rope)').name == 'window(rope)'; "
        "loaded = [name for name in sys.modules if name.startswith('lengthwise.') and "
        "('.methods' in name or 'theory.positions' in name or '.tasks' in name)]; "
        "assert loaded == [], loaded; assert len(list(ENCODINGS)) > 50; "
        "assert not {'torch', 'numpy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_no_module_of_the_framework_tests_the_name_of_an_encoding() -> None:
    """What holds for an encoding stands on its card; comparing names would leave out those in users' files."""
    found = []
    for folder in ("encodings/core", "encodings/hf", "encodings/user", "conformance", "experiment", "train", "model"):
        for path in (PACKAGE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Compare):
                    words = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
                    if "name" in ast.unparse(node) and words & set(ENCODINGS):
                        found.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_a_card_that_would_have_to_be_run_is_refused() -> None:
    for text in ("CARD = make()", "CARD = Card(**{})", "CARD = Card('rope')", "CARD = Card(name=[])", "CARD = 1"):
        with pytest.raises(InvalidOptionError):
            read_card(text, "mine")
    assert isinstance(
        read_card("CARD = Card(name='a', title='b', formula='c', citation='d', acts_on=(), shift_invariant=True)", ""),
        Card,
    )
