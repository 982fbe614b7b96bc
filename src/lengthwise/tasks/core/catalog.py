"""Tasks by name, and every regular language as a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from ...errors import InvalidOptionError, UnreadableFileError, unknown_name
from ...languages.catalog import LANGUAGES, find_language
from ...names import is_plain_name, read_call, split_arguments
from ..languages.acceptance import read_language
from ..languages.regular import NextSymbols, States
from ..user.source import language_revision
from .calls import FILE_ENDINGS, FORMATS
from .family import Family
from .task import Task

Value = TypeVar("Value")

MODULES = {
    "counting.majorities": "bin_majority majority parity",
    "copying.copies": "repeat_copy unique_copy duplicate",
    "ordering.sort": "sort sort_multidigit bucket_sort",
    "arithmetic.binary_addition": "addition",
    "counting.counts": "bin_majority_interleave count_up count_symbol count_mod missing_duplicate",
    "counting.histograms": "mode histogram double_histogram most_freq",
    "ordering.largest": "max min argmax kth_largest",
    "copying.permutations": "odds_first shift swap_pairs transpose",
    "copying.copy_every": "copy_every",
    "copying.reversal": "reverse reverse_unique palindrome marked_reversal",
    "copying.selecting": "selective_copy dedup unique_sorted",
    "retrieval.lookup": "flip_flop mqar mqar_compositional mqar_forgetting mkar induction index_lookup needle",
    "arithmetic.decimal": "add_decimal add_multi subtract mul_nxm multiply_binary",
    "arithmetic.add_columns": "add_columns",
    "arithmetic.operations": "increment mul_nx1 mul_nx2 bitwise_or bitwise_xor bitwise_and isqrt gcd compare divide",
    "arithmetic.modular": "sum_mod mod_arith mod_arith_brackets solve_equation poly_eval",
    "scratchpads.steps": "parity_cot turing_program sort_cot count_cot majority_cot dyck_cot state_track_cot",
    "scratchpads.columns": "add_cot mul_cot div_cot",
    "scratchpads.aligned_parity": "parity_cot_aligned",
    "languages.counters": "dyck_1 shuffle_dyck_2 anbn anbncn anbncndn bool_3 bool_5",
    "languages.brackets": "dyck stack_manipulation",
    "languages.families": "block_alternation dyck_bounded random_regular subregular",
    "languages.acceptance": "accepts even_pairs first repeat_01",
    "tracking.state_tracking": (
        "word_problem word_problem_states mqar_word_problem swap_tracking cycle_navigation "
        "grid_1d grid_2d variable_chain"
    ),
    "reasoning.graphs_and_grids": "lego kinship path_star maze_hops minesweeper life_step sudoku_row",
    "reasoning.composition": "scan pcfg nested_clauses circuit_value listops hanoi",
    "in_context": "icl_map icl_regression icl_markov icl_dfa icl_majority icl_overwrite",
}
"""The modules of this package that have families, with the names of these: a name is known before its module is read."""


class ByName(Mapping[str, Value]):
    """Values by name; the module that defines a value is imported when it is asked for."""

    def __init__(self, names: Mapping[str, str], read: Callable[[Any], Mapping[str, Value]]) -> None:
        self._modules = {name: module for module, listed in names.items() for name in listed.split()}
        self._read = read

    def __getitem__(self, name: str) -> Value:
        return self._read(import_module(f"..{self._modules[name]}", __package__))[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


TASKS: ByName[Family] = ByName(MODULES, lambda module: {family.name: family for family in module.FAMILIES})


def task_names() -> list[str]:
    """Return the names of all tasks that are not regular languages."""
    return list(TASKS)


def find_named_task(name: str, *, alphabet: Iterable[str] | None = None) -> Task | None:
    """Return the task of a name, with parameters in parentheses where it takes some, or None."""
    name = _trimmed(name)
    if name in TASKS:
        return TASKS[name]()
    call = read_call(name)
    if call is None or call.inside is None:
        return None
    if call.name in ("states", "accepts"):
        text = _trimmed(call.inside, "language")
        _require_one(call.name, text)
        if call.name == "accepts":
            from ..languages.acceptance import accepts

            return accepts(text, alphabet)
        states = States(read_language(text, alphabet), text)
        states.revision = language_revision(text)
        return states
    if call.name in TASKS:
        return TASKS[call.name].read(split_arguments(call.inside))
    if call.name == "hard":
        from ..hard.apply import read_hard

        return read_hard(split_arguments(call.inside))
    if call.name in FORMATS:
        from ..formats.apply import read_format

        return read_format(call.name, split_arguments(call.inside))
    return None


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
        from ..user.files import read_task_file

        return read_task_file(name, alphabet=alphabet)
    if is_plain_name(name) and not _is_language(name):
        raise unknown_name("task", name, [*TASKS, *LANGUAGES])
    return NextSymbols(read_language(name, alphabet), _spelled(name))


def find_packaged_task(name: str) -> Task:
    """Return the task of a name that was found in data: a name in a store or a model file never opens or runs a file."""
    paths = task_files(name)
    if paths:
        raise UnreadableFileError(
            f"the task {name!r} is read from {paths[0]!r}, and no file is opened because a store or a model names it.",
            hint="name the task file yourself, where the command takes one.",
        )
    return find_task(name)


def task_files(name: str) -> list[str]:
    """Return the files that a task is read from: the name itself, or what its parentheses hold.

    >>> task_files("hard(accepts(even.json), near)"), task_files("parity")
    (['even.json'], [])
    """
    call = read_call(name)
    if call is None or call.inside is None:
        return [name] if name.lower().endswith(FILE_ENDINGS) else []
    return [path for part in split_arguments(call.inside) for path in task_files(part)]


def _trimmed(text: str, kind: str = "task") -> str:
    """Return a name without the space around it; in a regular expression it stands for itself. Raise if there is no name."""
    bare = text.strip()
    if not bare:
        raise InvalidOptionError(
            f"the name of a {kind} is {text!r}; it must not be empty.",
            hint=f"name one, for example {'parity' if kind == 'task' else 'D_2'}; see: lengthwise list {kind}s",
        )
    call = read_call(bare)
    is_call = call is not None and call.name == call.name.lower()  # as tasks are written, but not every language
    is_name = is_call or is_plain_name(bare) or bare.lower().endswith(FILE_ENDINGS)
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
