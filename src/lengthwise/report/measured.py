"""Running experiments and reporting stores from Python: what a notebook calls, and what the commands call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InvalidOptionError, UnknownNameError, did_you_mean
from ..experiment import DEFAULT_STORE
from ..experiment.grid import TABLES, Grid, load_grid, setting_meant
from ..experiment.models import kept_runs
from ..experiment.run import run_experiment
from ..experiment.spec import Spec
from ..experiment.store import Result, read_store
from ..files import write_text
from ..tables import to_frame
from .figure_files import save_figure
from .latex import latex_table
from .looking import KeptModels
from .pages import Document
from .results import brief_report, results_table
from .results_data import to_json
from .results_page import results_page
from .run_table import table_rows
from .statistics import Cell, sort_out, summarize


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Finished runs beside their predictions, a row for each task, encoding and setting.

    ``left_out`` are runs that cannot be compared with a prediction of this version, by the reason why. ``kept`` are the runs whose
    models lie beside the store.
    """

    results: Sequence[Result]
    left_out: Mapping[str, Sequence[Result]] = field(default_factory=dict)
    kept: KeptModels | None = None

    @property
    def cells(self) -> list[Cell]:
        """The runs of each task, encoding and setting in sum."""
        return summarize(list(self.results))

    @property
    def brief(self) -> Document:
        """The tables with how to read them."""
        return brief_report(self.cells, self.kept)

    def to_frame(self) -> Any:
        """Return a data frame of pandas or, where that is missing, of polars, with a row for each cell."""
        return results_table(self.cells).to_frame()

    def runs_frame(self) -> Any:
        """Return a data frame with a row for each run, kind of instances and tested length (docs/reference/stores.md)."""
        return to_frame(list(table_rows(self.results)))

    def to_json(self) -> list[dict[str, object]]:
        """Return the rows as JSON data, in the shape that docs/reference/json.md documents."""
        return to_json(self.cells)

    def save(self, path: str | Path) -> None:
        """Write the whole report as one HTML page, with curves, reasons and settings."""
        write_text(path, results_page(list(self.results), kept=self.kept).to_html())

    def save_figure(self, path: str | Path) -> None:
        """Write the curves as one drawing, SVG or PDF as the name of the file ends."""
        save_figure(self.results, path)

    def save_latex(self, path: str | Path) -> None:
        """Write the table in LaTeX, for documents that use booktabs."""
        write_text(path, latex_table(self.cells))

    def __str__(self) -> str:
        return self.brief.to_text()

    def __repr__(self) -> str:
        runs, cells = len(self.results), len(self.cells)
        return f"<Report: {runs} run{'s' * (runs != 1)} in {cells} cell{'s' * (cells != 1)}>"

    def _repr_html_(self) -> str:
        return results_table(self.cells).to_html()


def report(store: str | Path = DEFAULT_STORE) -> Report:
    """Return the report of a store: prediction beside measurement for every finished run."""
    with read_store(store) as opened:
        stored = opened.results()
    results, left_out = sort_out(stored)
    if left_out and not results:
        raise InvalidOptionError(
            f"every finished run of the store {str(store)!r} is left out, {len(stored)} in all: {'; '.join(left_out)}.",
            hint="run them again, or go to the folder of the task files.",
        )
    if not results:
        raise InvalidOptionError(
            f"the store {str(store)!r} has no finished run yet.", hint="finish one with 'lengthwise run'."
        )
    return Report(results=results, left_out=left_out, kept=_kept_models(store))


def _kept_models(store: str | Path) -> KeptModels | None:
    """Return which runs of a store have a model beside it; None where there are no models."""
    kept = kept_runs(store)
    return KeptModels(store=str(store), runs=kept) if kept else None


_ENGINE = (
    *("engine", "workers", "device", "models_per_stack", "seconds_per_checkpoint", "keep"),
    *("on_plan", "on_event"),
)


def run(
    what: Spec | str | Sequence[Spec] | Sequence[str], store: str | Path = DEFAULT_STORE, **settings: Any
) -> Report:
    """Train what the store does not hold yet; return the report of all runs asked for.

    ``what`` is a :class:`Spec` or several, the path of a file with them (.toml), a task, or several tasks. ``settings`` are those of a
    spec by name: ``encodings``, ``seeds``, ``width``, ``learning_rate`` and so on; a list of values trains all combinations. They take the
    place of what a file says. ``workers``, ``device``, ``keep``, ``engine`` and the other options of
    :func:`~lengthwise.experiment.run.run_experiment` may be given too.
    """
    engine = {name: settings.pop(name) for name in _ENGINE if name in settings}
    outcome = run_experiment(_specs(what, settings), store, **engine)
    return Report(results=outcome.results, kept=_kept_models(store))


def _specs(what: Spec | str | Sequence[Spec] | Sequence[str], settings: Mapping[str, Any]) -> Sequence[Spec]:
    several = [what] if isinstance(what, (Spec, str)) else list(what)
    specs = [spec for spec in several if isinstance(spec, Spec)]
    if specs:
        if settings or len(specs) < len(several):
            found = ", ".join([*(str(name) for name in several if not isinstance(name, Spec)), *settings])
            raise InvalidOptionError(
                f"a spec holds all settings; found {found} beside it.",
                hint="put them into the spec, or name tasks instead of one.",
            )
        return specs
    for name in settings:
        if name not in TABLES:
            meant = setting_meant(name) or did_you_mean(name, _ENGINE)
            raise UnknownNameError(
                f"setting {name!r} is unknown. Known: {', '.join([*TABLES, *_ENGINE])}.",
                hint=f"did you mean {meant!r}?" if meant else "remove it.",
            )
    if isinstance(what, str) and what.lower().endswith(".toml"):
        return load_grid(what).override(settings).specs()
    return Grid(settings={"tasks": several}, source="the call").override(settings).specs()
