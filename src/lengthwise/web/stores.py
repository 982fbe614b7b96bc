"""Pages about stores of results: which there are, their runs, how far a sweep is, and the report.

A store is opened for reading, for the time of one request. Everything that is shown passes through ``report.pages``, which
escapes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from threading import Lock

from ..errors import LengthwiseError
from ..experiment.store import Result, read_store
from ..markup import escape
from ..report.measured import report
from ..report.numbers import percent
from ..report.pages import Block, Document, Heading, Paragraph
from ..report.results_page import results_page
from ..tables import Table
from .http import Response, policy_of, refusal

MOST_LISTED = 2_000  # runs on a page; a report sums up the rest
SCRIPT = '<script type="module" src="/stores/live.js"></script>\n'


@dataclass(frozen=True, slots=True)
class _Links(Block):
    """A list of links of ours, each with what it says."""

    links: Sequence[tuple[str, str, str]]  # address, text, remark

    def to_html(self) -> str:
        items = (
            f'<li><a href="{escape(at)}">{escape(text)}</a> {escape(remark)}</li>' for at, text, remark in self.links
        )
        return "\n".join(["<ul>", *items, "</ul>"])


@dataclass(frozen=True, slots=True)
class _Live(Block):
    """How far a sweep is; a script of ours keeps it up to date."""

    done: int
    planned: int

    def to_html(self) -> str:
        bar = f'<progress value="{self.done}" max="{max(1, self.planned)}" aria-label="finished runs"></progress>'
        said = f"{self.done} of {self.planned} planned runs are finished."
        return f'<p class="live" role="status">{bar} <span>{said}</span></p>'


class Stores:
    """The pages of these stores; ``page(path)`` gives the one at an address below /stores/."""

    def __init__(self, places: Sequence[str | Path]) -> None:
        self.places = [Path(place) for place in places]
        self._reports: dict[int, tuple[tuple[int, ...], bytes]] = {}
        self._reporting = Lock()  # one at a time: a report of a large store takes seconds

    def page(self, path: str) -> Response:
        """Return the page at an address such as /stores/0/report."""
        parts = path.removeprefix("/stores/").split("/")
        if parts == [""]:
            return self._page(self._overview())
        number, rest = parts[0], parts[1:]
        if not number.isascii() or not number.isdigit() or len(number) > 4 or int(number) >= len(self.places):
            return refusal(HTTPStatus.NOT_FOUND, "There is no such store.")
        try:
            match rest:
                case [""]:
                    return self._page(self._runs(int(number)), live=True)
                case ["progress.json"]:
                    done, planned = self._progress(int(number))
                    data = json.dumps({"finished": done, "planned": planned}).encode()
                    return Response(kind="application/json", body=data)
                case ["report"]:
                    body = self._report(int(number))
                    return Response(kind="text/html; charset=utf-8", body=body, policy=policy_of(body, scripts=False))
        except LengthwiseError as error:
            return self._page(
                Document([Paragraph(error.message), Paragraph(f"Hint: {error.hint}", soft=True)], title="Error")
            )
        return refusal(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _page(self, document: Document, *, live: bool = False) -> Response:
        body = (
            document.to_html()
            .replace("</body>", f"{SCRIPT if live else ''}</body>")
            .encode("utf-8", "backslashreplace")
        )
        return Response(kind="text/html; charset=utf-8", body=body, policy=policy_of(body, scripts=False))

    def _overview(self) -> Document:
        links = []
        for number, place in enumerate(self.places):
            try:
                done, planned = self._progress(number)
                remark = f"{done} of {planned} planned runs are finished"
            except LengthwiseError as error:
                remark = error.message
            links.append((f"/stores/{number}/", str(place), remark))
        if not links:
            return Document([Paragraph("No store was named. Start with: lengthwise serve runs.sqlite")], title="Stores")
        return Document([_Links(links)], title="Stores of results")

    def _progress(self, number: int) -> tuple[int, int]:
        with read_store(self.places[number]) as store:
            planned = {run for stack in store.planned() for run in stack}
            finished = store.finished()
        return len(finished), len(planned | finished)

    def _runs(self, number: int) -> Document:
        with read_store(self.places[number]) as store:
            results = store.results()
        done, planned = self._progress(number)
        links = [("/stores/", "All stores", "")]
        links += [(f"/stores/{number}/report", "Report", "prediction beside measurement, with curves")] * bool(results)
        return Document(
            [_Links(links), _Live(done, planned), Heading("Finished runs"), *_run_blocks(results)],
            title=f"Store {self.places[number].name}",
        )

    def _report(self, number: int) -> bytes:
        place = self.places[number]
        with self._reporting:
            stamp = _stamp(place)
            if self._reports.get(number, ((), b""))[0] != stamp:
                page = results_page(list(report(place).results)).to_html()
                self._reports[number] = (stamp, page.encode("utf-8", "backslashreplace"))
            return self._reports[number][1]


def _stamp(place: Path) -> tuple[int, ...]:
    """Return what changes when a store does."""
    found: list[int] = []
    for path in (place, place.with_name(f"{place.name}-wal")):
        try:
            state = path.stat()
            found += [state.st_size, state.st_mtime_ns]
        except OSError:
            found.append(-1)
    return tuple(found)


def _run_blocks(results: Sequence[Result]) -> list[Block | Table]:
    if not results:
        return [Paragraph("There are none yet.")]
    shown = sorted(results, key=lambda run: (run.task, run.encoding, run.seed))[:MOST_LISTED]
    rows = [
        [
            run.task,
            run.encoding,
            str(run.seed),
            f"{run.learning_rate:g}",
            f"{run.seconds:.1f}",
            _share(run.fit),
            *_at_the_end(run),
        ]
        for run in shown
    ]
    header = [
        "task",
        "encoding",
        "seed",
        "learning rate",
        "seconds",
        "training lengths",
        "longest lengths",
        "up to length",
    ]
    kinds = {0: "name", 1: "name", **dict.fromkeys(range(2, len(header)), "number")}
    remark = (
        "Exact match in percent: on fresh instances of the longest training lengths, and at the longest quarter of the tested lengths. "
        "The report has curves and predictions."
    )
    if len(results) > len(shown):
        remark += f" The first {len(shown)} of {len(results)} runs are listed."
    return [Table(header=header, rows=rows, kinds=kinds), Paragraph(remark, soft=True)]


def _at_the_end(run: Result) -> list[str]:
    """Return exact match at the longest quarter of the tested lengths, and the longest of them."""
    longest = max((length for length, _, _ in run.scores), default=0)
    return [_share([score for score in run.scores if score[0] > 0.75 * longest]), str(longest)]


def _share(scores: Iterable[tuple[int, int, int]]) -> str:
    counted = list(scores)
    examples, matches = (sum(score[place] for score in counted) for place in (1, 2))
    return percent(matches / examples) if examples else "–"
