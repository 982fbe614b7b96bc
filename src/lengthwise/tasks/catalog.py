"""Tasks by name, and every regular language as a task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

from ..errors import InvalidOptionError, unknown_name
from ..languages.catalog import LANGUAGES, find_language
from ..languages.dfa import DFA
from ..languages.dfa_algebra import over_alphabet
from ..languages.dfa_files import read_dfa
from ..languages.regex import compile_regex
from .calls import FILE_ENDINGS, FORMATS
from .family import Family
from .regular import NextSymbols, States
from .task import Task
from .yours.source import language_revision

MODULES = {
    "counting": "bin_majority majority parity",
    "copying": "unique_copy repeat_copy",
    "sorting": "sort",
    "arithmetic": "addition",
    "algorithmic": "bin_majority_interleave count_up count_symbol count_mod missing_duplicate",
    "histograms": "mode histogram double_histogram most_freq",
    "ordering": "sort_multidigit bucket_sort odds_first max min argmax kth_largest shift",
    "rearranging": "copy_every reverse reverse_unique selective_copy dedup unique_sorted palindrome marked_reversal",
    "retrieval": "flip_flop mqar mqar_compositional mqar_forgetting mkar induction index_lookup needle",
    "decimal": "add_decimal add_multi subtract mul_nxm multiply_binary",
    "operations": "increment mul_nx1 mul_nx2 bitwise_or bitwise_xor bitwise_and isqrt gcd compare divide",
    "modular": "sum_mod mod_arith mod_arith_brackets solve_equation poly_eval",
    "scratchpads": "parity_cot turing_program sort_cot count_cot majority_cot dyck_cot state_track_cot",
    "columns": "add_cot mul_cot div_cot",
    "wired": "swap_pairs transpose add_columns parity_cot_aligned",
    "counters": "dyck_1 shuffle_dyck_2 anbn anbncn anbncndn bool_3 bool_5",
    "brackets": "dyck stack_manipulation",
    "regular_families": "block_alternation dyck_bounded random_regular subregular",
    "acceptance": "accepts even_pairs first repeat_01",
    "tracking": (
        "word_problem word_problem_states mqar_word_problem swap_tracking cycle_navigation grid_1d "
        "grid_2d variable_chain"
    ),
    "reasoning": "lego kinship path_star maze_hops minesweeper life_step sudoku_row",
    "composition": "scan pcfg nested_clauses circuit_value listops hanoi",
    "in_context": "icl_map icl_regression icl_markov icl_dfa icl_majority icl_overwrite",
}
"""The modules of this package that have families, with the names of these: a name is known before its module is read."""


class _Tasks(Mapping[str, Family]):
    """Families by name; the module of a family is imported when it is asked for."""

    def __init__(self) -> None:
        self._modules = {name: module for module, names in MODULES.items() for name in names.split()}

    def __getitem__(self, name: str) -> Family:
        families = import_module(f".{self._modules[name]}", __package__).FAMILIES
        found: Family = next(family for family in families if family.name == name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


TASKS: Mapping[str, Family] = _Tasks()

_CALL = re.compile(r"([a-z_][a-z0-9_]*)\((.*)\)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_, ]*\))?")


def task_names() -> list[str]:
    """Return the names of all tasks that are not regular languages."""
    return list(TASKS)


def find_named_task(name: str, *, alphabet: Iterable[str] | None = None) -> Task | None:
    """Return the task of a name, with parameters in parentheses where it takes some, or None."""
    name = _trimmed(name)
    if name in TASKS:
        return TASKS[name]()
    call = _CALL.fullmatch(name)
    if call is None:
        return None
    if call[1] in ("states", "accepts"):
        text = _trimmed(call[2], "language")
        _require_one(call[1], text)
        if call[1] == "accepts":
            from .acceptance import accepts

            return accepts(text, alphabet)
        states = States(_language(text, alphabet), text)
        states.revision = language_revision(text)
        return states
    if call[1] in TASKS:
        return TASKS[call[1]].read([part.strip() for part in call[2].split(",")])
    if call[1] == "hard":
        from .hard.apply import read_hard

        return read_hard(split_arguments(call[2]))
    if call[1] in FORMATS:
        from .formats.apply import read_format

        return read_format(call[1], split_arguments(call[2]))
    return None


def split_arguments(text: str) -> list[str]:
    """Return what commas separate, where parentheses keep together what they hold.

    >>> split_arguments("index_hints(addition, 9), 20")
    ['index_hints(addition, 9)', '20']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def find_task(name: str, *, alphabet: Iterable[str] | None = None) -> Task:
    """Return the task of a name, or the next symbols of a named language or a regular expression.

    >>> find_task("states((ab)*)").size(3)
    8
    """
    name = _trimmed(name)
    task = find_named_task(name, alphabet=alphabet)
    if task is not None:
        return task
    if name.lower().endswith(FILE_ENDINGS):
        from .files import read_task_file

        return read_task_file(name, alphabet=alphabet)
    if _NAME.fullmatch(name) and not _is_language(name):
        raise unknown_name("task", name, [*TASKS, *LANGUAGES])
    return NextSymbols(_language(name, alphabet), _spelled(name))


def task_files(name: str) -> list[str]:
    """Return the files that a task is read from: the name itself, or what its parentheses hold.

    >>> task_files("hard(accepts(even.json), near)"), task_files("parity")
    (['even.json'], [])
    """
    call = _CALL.fullmatch(name)
    if call is None:
        return [name] if name.lower().endswith(FILE_ENDINGS) else []
    return [path for part in split_arguments(call[2]) for path in task_files(part)]


def _trimmed(text: str, kind: str = "task") -> str:
    """Return a name without the space around it; in a regular expression it stands for itself. Raise if there is no name."""
    bare = text.strip()
    if not bare:
        raise InvalidOptionError(
            f"the name of a {kind} is {text!r}; it must not be empty.",
            hint=f"name one, for example {'parity' if kind == 'task' else 'D_2'}; see: lengthwise list {kind}s",
        )
    is_name = _NAME.fullmatch(bare) or _CALL.fullmatch(bare) or bare.lower().endswith(FILE_ENDINGS)
    return bare if is_name or _is_language(bare) else text


def _require_one(call: str, text: str) -> None:
    """Raise if a language that is known is followed by something else, which would be read as a regular expression."""
    parts = split_arguments(text)
    if len(parts) > 1 and (_is_language(parts[0]) or parts[0].lower().endswith(".json")):
        raise InvalidOptionError(
            f"{call} takes a language or a regular expression in parentheses; found {', '.join(map(repr, parts))}.",
            hint=f"for example {call}({parts[0]}).",
        )


def _spelled(name: str) -> str:
    """Return the name of a language as the catalogue spells it, and any other text as it is."""
    return find_language(name).name if _is_language(name) else name


def _is_language(name: str) -> bool:
    try:
        find_language(name)
    except LookupError:
        return False
    return True


def _language(text: str, alphabet: Iterable[str] | None) -> DFA:
    if _is_language(text):
        return find_language(text).language
    if _NAME.fullmatch(text):
        raise unknown_name("language", text, LANGUAGES)
    if text.lower().endswith(".json"):
        language = read_dfa(text)
        return language if alphabet is None else over_alphabet(language, alphabet)
    return compile_regex(text, alphabet=alphabet)
