"""The questions of probes as tasks for lm-evaluation-harness: a YAML file and a JSON Lines file for each probe and length.

Answers of one symbol become a choice between all of them; longer answers are one choice that has to be the greedy one. Both
are scored by log-likelihood, as a probe does, so that the two give the same numbers. Nothing but data is written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..files import write_text
from .measure import Settings
from .models import FolderProber
from .probes import Probe, answer_symbols, is_single, lengths_of
from .prompts import form_for, rows_of

_TASK = """\
task: {name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
{scoring}doc_to_text: text
target_delimiter: ""
num_fewshot: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""
_CHOICE = """\
output_type: multiple_choice
doc_to_choice: choices
doc_to_target: right
"""
_WHOLE = """\
output_type: loglikelihood
doc_to_target: answer
"""


def export_tasks(model: FolderProber, probes: Sequence[Probe], settings: Settings, folder: Path) -> list[str]:
    """Write the tasks into a folder; return their names. A folder belongs to a tokenizer: words are single tokens of it."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for probe in probes:
        form = form_for(probe, model, settings.shots, settings.seed)
        assert form is not None
        choices = [f" {form.words[symbol]}" for symbol in answer_symbols(probe)]
        single = is_single(probe)
        for length in lengths_of(probe, settings.lengths):
            rows = rows_of(form, model, length, settings.number)
            if model.most_tokens is not None and max(len(row.tokens) for row in rows) > model.most_tokens:
                break
            name = f"lengthwise_{probe.name}_{length}"
            data = folder / f"{name}.jsonl"
            lines = (
                {"text": row.text, "choices": choices, "right": choices.index(row.answer)}
                if single
                else {"text": row.text, "answer": row.answer}
                for row in rows
            )
            write_text(data, "".join(json.dumps(line) + "\n" for line in lines))
            scoring = _CHOICE if single else _WHOLE
            place = json.dumps(str(data.resolve()))
            write_text(folder / f"{name}.yaml", _TASK.format(name=name, data=place, scoring=scoring))
            written.append(name)
    return written
