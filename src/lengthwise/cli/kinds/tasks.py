"""Tasks in print: the list with verdicts and published figures, and one task with examples."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Sequence

from ...arrays import numpy_arrays
from ...errors import InvalidOptionError, lookup
from ...papers.headlines import headline_of
from ...predict.predict import predict_task
from ...seeds import DATA, open_stream
from ...tasks.core.catalog import TASKS, find_task
from ...tasks.core.family import Family, Group
from ...tasks.core.lengths import has_length, shortest_length
from ...tasks.core.task import EOS, Objective, Task
from ...theory.verdict import AnyVerdict
from ..text import colour, paragraph, print_detail, print_json, table, width

_ENCODINGS = ("nope", "ape")
_MOST_EXAMPLES = 1000
_LONGEST_EXAMPLE = 10_000
_LEGIBLE = range(3, 13)  # lengths of an example that says something and fits a line
_LANGUAGES = (
    ("LANGUAGE", "the legal next symbols of a language, at every prefix: a name, an expression or an automaton file"),
    ("states(LANGUAGE)", "the states of its automaton, at every prefix"),
)


def print_list(options: Namespace) -> None:
    """Print every task by group: its verdicts for nope and ape, what is published, and what it is or why the verdict."""
    rows = [_Row(family) for family in _families(options.group)]
    if options.json:
        print_json([row.to_json() for row in rows])
        return
    for group in Group:
        own = [row for row in rows if row.family.group is group]
        if not own:
            continue
        print(colour(f"{group} ({len(own)})", "bold"))
        if options.why:
            print(table(("  name", *_ENCODINGS, "why"), [row.reasons() for row in own], coloured=1))
        else:
            print(table(("  name", *_ENCODINGS, "what it asks, and what is published"), [row.line() for row in own]))
        if group is Group.LANGUAGES and not options.why:
            print(table(("", ""), [(f"  {name}", meaning) for name, meaning in _LANGUAGES]).split("\n", 1)[1])
        print()
    print(paragraph(f"{len(rows)} tasks. {_counts(rows)}"))
    print(
        paragraph(
            "Parameters go in parentheses (count_mod(5)), formats around a task (index_hints(add_decimal)); "
            "verdicts are for the parameters shown by 'lengthwise show task NAME'."
        )
    )


def _families(group: str | None) -> list[Family]:
    chosen = None if group is None else lookup("group", group, {str(member): member for member in Group})
    families = sorted(TASKS.values(), key=lambda family: list(Group).index(family.group))
    return [family for family in families if chosen in (None, family.group)]


class _Row:
    """A task of the list, with its verdicts."""

    def __init__(self, family: Family) -> None:
        self.family, self.task = family, family()
        self.verdicts = {name: predict_task(self.task, name) for name in _ENCODINGS}
        self.headline = headline_of(family.name)

    def line(self) -> tuple[str, ...]:
        published = f"\npublished: {self.headline.text} ({self.headline.source})" if self.headline else ""
        mark = "\nmade one by one in plain Python" * self.task.host_only
        return (f"  {self.family.name}", *self._answers(), self.task.definition + published + mark)

    def reasons(self) -> tuple[str, ...]:
        reasons = {name: _reason(verdict) for name, verdict in self.verdicts.items()}
        nope, ape = (reasons[name] for name in _ENCODINGS)
        why = nope if nope == ape else f"nope: {nope}\nape: {ape}"
        return (f"  {self.family.name}", *self._answers(), why)

    def _answers(self) -> list[str]:
        return [str(verdict.answer) for verdict in self.verdicts.values()]

    def to_json(self) -> dict[str, object]:
        task = self.task
        return {
            "name": self.family.name,
            "group": str(self.family.group),
            "parameters": {parameter.name: parameter.default for parameter in self.family.parameters},
            "objective": str(task.objective),
            "definition": task.definition,
            "host_only": task.host_only,
            "verdicts": {
                name: {
                    "answer": str(verdict.answer),
                    "theorem": verdict.theorem,
                    "reason": verdict.reason,
                    "certificate": verdict.certificate.summary() if verdict.certificate else None,
                }
                for name, verdict in self.verdicts.items()
            },
            "published": None
            if self.headline is None
            else {"text": self.headline.text, "source": self.headline.source},
        }


def _reason(verdict: AnyVerdict) -> str:
    """Return why an answer was given: the sentence, the certificate if there is one, and the theorem."""
    certificate = f" {verdict.certificate.summary()}" if verdict.certificate else ""
    return f"{verdict.reason}{certificate} [{verdict.theorem}]"


def _counts(rows: Sequence[_Row]) -> str:
    parts = []
    for name in _ENCODINGS:
        counts = Counter(str(row.verdicts[name].answer) for row in rows)
        parts.append(f"{name}: " + ", ".join(f"{counts[answer]} {answer}" for answer in ("YES", "NO", "UNKNOWN")))
    return "; ".join(parts) + "."


def print_one(options: Namespace) -> None:
    """Print one task in full, with examples."""
    name = options.name
    task = find_task(name)
    length, count = _asked(task, options.length, 1 if options.count is None else options.count)
    examples = make_examples(task, length, count)
    headline = headline_of(task.name)
    data: dict[str, object] = {
        "name": task.name,
        "definition": task.definition,
        "length": task.length_means,
        "objective": str(task.objective),
        "readout": str(task.objective.readout),
        "min_length": task.min_length,
        "vocabulary": list(task.vocabulary),
        "outputs": task.num_outputs,
        "host_only": task.host_only,
        "citation": task.citation,
        "published": None if headline is None else {"text": headline.text, "source": headline.source},
        "revision": task.revision,
        "examples": [{"tokens": tokens, "prompt": prompt, "answer": answer} for tokens, prompt, answer in examples],
    }
    num_shown = 12
    shown = ", ".join(task.vocabulary[:num_shown]) + (
        f", … ({len(task.vocabulary)} in all)" if len(task.vocabulary) > num_shown else ""
    )
    lines = [
        colour(task.name, "bold"),
        paragraph(task.definition, "  "),
        paragraph(f"length: {task.length_means}; at least {task.min_length}", "    ", "  "),
        f"  objective: {task.objective}, {task.objective.readout.notation}",
        paragraph(f"tokens: {shown}", "    ", "  "),
        *_parameter_lines(task.name),
        *([paragraph(f"published: {headline.text} ({headline.source})", "    ", "  ")] if headline else []),
        f"  source: {task.citation}",
        f"  verdicts: lengthwise predict {name.strip()!r}{' --asked next' * (_is_language(task))}",
        "",
        f"  {'an example' if count == 1 else f'{count} examples'} of length {length}:",
        *_aligned(task, examples),
    ]
    print_detail(data, lines, options)


def _is_language(task: Task) -> bool:
    return task.objective is Objective.NEXT_SYMBOLS and task.name not in TASKS


def _parameter_lines(name: str) -> list[str]:
    """Return what may stand in parentheses."""
    family = TASKS.get(name.split("(")[0])
    if family is None:
        return []
    lines = []
    for parameter in family.parameters:
        allowed = (
            f"one of {', '.join(parameter.words)}"
            if parameter.words
            else f"{parameter.low} to {parameter.high}" * (parameter.high > 0)
        )
        text = (
            f"{parameter.name}: {parameter.meaning}{f', {allowed}' if allowed else ''}; {parameter.default} if left out"
        )
        lines.append(paragraph(text, "    ", "  parameter "))
    return lines


def _asked(task: Task, length: int | None, count: int) -> tuple[int, int]:
    """Return the length and the number of examples to show; raise if the task has none of that length."""
    if not 1 <= count <= _MOST_EXAMPLES:
        raise InvalidOptionError(
            f"--count is a whole number from 1 to {_MOST_EXAMPLES}; found {count}.", hint="for example --count 5."
        )
    if length is None:
        return next((candidate for candidate in _LEGIBLE if has_length(task, candidate)), None) or shortest_length(
            task
        ), count
    if not 0 <= length <= _LONGEST_EXAMPLE:
        raise InvalidOptionError(
            f"--length is a whole number from 0 to {_LONGEST_EXAMPLE}; found {length}.", hint="for example --length 20."
        )
    if not task.lengths(length, length):
        near = [candidate for candidate in range(max(0, length - 20), length + 21) if has_length(task, candidate)]
        nearest = sorted(near, key=lambda other: abs(other - length))[:3]
        known = f"the nearest are {', '.join(map(str, sorted(nearest)))}" if nearest else "there is none near it"
        raise InvalidOptionError(f"{task.name!r} has no instance of length {length}; {known}.", hint="choose another.")
    return length, count


def make_examples(task: Task, length: int, count: int) -> list[tuple[list[str], list[str], list[str]]]:
    """Return tokens, prompt and answer of the first instances of seed 0."""
    xp = numpy_arrays()
    batch = task.sample(open_stream(DATA, seed=0), xp.asarray([length] * count), length, xp)
    examples = []
    for tokens, targets, size in zip(
        batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), batch.sizes_MB.tolist(), strict=True
    ):
        prompt, answer = task.read_back(tokens[:size], targets[:size])
        examples.append(([task.vocabulary[token] for token in tokens[:size]], prompt, answer))
    return examples


def _aligned(task: Task, examples: Sequence[tuple[list[str], list[str], list[str]]]) -> list[str]:
    """Return the examples in columns: an answer behind its prompt, or what is asked for below every symbol."""
    if task.objective is Objective.ANSWER:
        prompts = _columns([prompt for _, prompt, _ in examples])
        answers = _columns([answer[:-1] if answer[-1:] == [EOS] else answer for _, _, answer in examples])
        lines = [f"    {prompt} → {answer}".rstrip() for prompt, answer in zip(prompts, answers, strict=True)]
        if max(map(len, lines)) <= width():
            return lines
        return [
            line
            for prompt, answer in zip(prompts, answers, strict=True)
            for line in (
                paragraph(prompt.rstrip(), "      ", "    "),
                paragraph(f"→ {answer}".rstrip(), "        ", "      "),
            )
        ]
    lines = []
    for _, prompt, answer in examples:
        symbols = ["<bos>", *prompt]
        above, below = _columns([symbols, [_braces(answers) for answers in answer]])
        lines += [f"    {above}".rstrip(), f"    {below}".rstrip()]
    return lines


def _braces(asked: str) -> str:
    return "{" + asked.replace(EOS, "end").replace(" ", ",") + "}" if not asked.isdigit() else asked


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of words with the words of a column below one another, padded to one width."""
    most = max(map(len, rows))
    widths = [max((len(row[place]) for row in rows if place < len(row)), default=0) for place in range(most)]
    lines = [" ".join(word.ljust(widths[place]) for place, word in enumerate(row)) for row in rows]
    longest = max(map(len, lines))
    return [line.ljust(longest) for line in lines]
