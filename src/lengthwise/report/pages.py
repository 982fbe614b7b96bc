"""A document of text, tables and pictures: on a terminal, in Markdown, and as one self-contained HTML page.

The page needs no network; it is readable on a phone, in the dark, on paper, by keyboard and by screen reader. One small script of
ours (``page.js``) sorts tables; without it nothing is missing but that. Pictures are SVG of ours; all other text is of unknown
origin and escaped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from .._version import __version__
from ..markup import escape, escape_markdown
from ..svg import STYLE
from ..tables import Paint, Table, no_paint, wrap_paragraph


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line: ``kind`` is "code", "strong", or a class of the style sheet, such as an answer."""

    text: str
    kind: str = ""

    def to_html(self) -> str:
        text = escape(self.text)
        if self.kind in ("code", "strong"):
            return f"<{self.kind}>{text}</{self.kind}>"
        return f'<span class="{escape(self.kind)}">{text}</span>' if self.kind else text


Line = str | Sequence[str | Span]


def _spans(line: Line) -> list[Span]:
    pieces = [line] if isinstance(line, str) else line
    return [piece if isinstance(piece, Span) else Span(piece) for piece in pieces]


def _plain(line: Line) -> str:
    return "".join(span.text for span in _spans(line))


def _html(line: Line) -> str:
    return "".join(span.to_html() for span in _spans(line))


class Block(ABC):
    """A part of a document; one that says nothing else is shown on pages only."""

    __slots__ = ()

    @abstractmethod
    def to_html(self) -> str: ...

    def to_markdown(self) -> str:
        return ""

    def to_text(self, _width: int, _paint: Paint) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Heading(Block):
    """The title of what follows; not shown on a terminal."""

    text: str

    def to_html(self) -> str:
        return f"<h2>{escape(self.text)}</h2>"

    def to_markdown(self) -> str:
        return f"## {escape_markdown(self.text)}"


@dataclass(frozen=True, slots=True)
class Paragraph(Block):
    """Running text; ``soft`` for what explains the rest, as a legend does."""

    line: Line
    soft: bool = False

    def to_html(self) -> str:
        start = '<p class="soft">' if self.soft else "<p>"
        return f"{start}{_html(self.line)}</p>"

    def to_markdown(self) -> str:
        return escape_markdown(_plain(self.line))

    def to_text(self, width: int, _paint: Paint) -> str:
        return wrap_paragraph(_plain(self.line), width)


@dataclass(frozen=True, slots=True)
class Items(Block):
    """A list of lines."""

    lines: Sequence[Line]

    def to_html(self) -> str:
        return "\n".join(["<ul>", *(f"<li>{_html(line)}</li>" for line in self.lines), "</ul>"]) if self.lines else ""

    def to_markdown(self) -> str:
        return "\n".join(f"- {escape_markdown(_plain(line))}" for line in self.lines)

    def to_text(self, width: int, _paint: Paint) -> str:
        return "\n".join(wrap_paragraph(_plain(line), width, "    ", "  - ") for line in self.lines)


@dataclass(frozen=True, slots=True)
class Picture(Block):
    """An SVG of ours; on pages only."""

    svg: str

    def to_html(self) -> str:
        return _scrolling(self.svg, "picture") if self.svg else ""


@dataclass(frozen=True, slots=True)
class Panel:
    """A task with its picture and what is said of it; on pages only."""

    task: str
    definition: str
    svg: str
    lines: Sequence[Line]

    def to_html(self) -> str:
        paragraphs = [f"<p>{_html(line)}</p>" for line in self.lines]
        head = [f"<h3><code>{escape(self.task)}</code></h3>", f'<p class="soft">{escape(self.definition)}</p>']
        return "\n".join(['<section class="panel">', *head, self.svg, *paragraphs, "</section>"])


@dataclass(frozen=True, slots=True)
class Panels(Block):
    """Panels side by side; on pages only."""

    panels: Sequence[Panel]

    def to_html(self) -> str:
        return "\n".join(['<div class="panels">', *(panel.to_html() for panel in self.panels), "</div>"])


@dataclass(frozen=True, slots=True)
class Details(Block):
    """What a reader may open, or close: lines, or ``code`` as it is; on pages only."""

    title: str
    lines: Sequence[Line] = ()
    code: str = ""
    is_open: bool = False

    def to_html(self) -> str:
        code = f'<pre class="scroll"><code>{_as_it_is(self.code)}</code></pre>' if self.code else ""
        paragraphs = "".join(f"<p>{_html(line)}</p>" for line in self.lines)
        start = '<details open="">' if self.is_open else "<details>"
        return f"{start}<summary>{escape(self.title)}</summary>{code}{paragraphs}</details>"


def _scrolling(content: str, label: str) -> str:
    """Return what scrolls by itself where it is too wide, with the arrow keys too."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">\n{content}\n</div>'


def _as_it_is(code: str) -> str:
    """Return text of several lines, escaped line by line: a line end stays one."""
    return "\n".join(map(escape, code.split("\n")))


@dataclass(frozen=True, slots=True)
class Document:
    """Blocks and tables one below the other."""

    blocks: Sequence[Block | Table]
    title: str = ""
    asset: str = ""  # the name of a style sheet and a script beside page.css and page.js that this page needs too

    def to_html(self) -> str:
        """Return a page that stands alone."""
        shown = [
            _scrolling(block.to_html(), "table") if isinstance(block, Table) else block.to_html()
            for block in self.blocks
        ]
        return _PAGE.format(
            title=escape(self.title),
            style=_own_file("page.css") + STYLE + (_own_file(f"{self.asset}.css") if self.asset else ""),
            script=_own_file("page.js") + (_own_file(f"{self.asset}.js") if self.asset else ""),
            body="\n".join(filter(None, shown)),
            footer=f"Made by lengthwise {escape(__version__)}.",
        )

    def to_markdown(self) -> str:
        """Return the blocks in Markdown, without pictures."""
        return "\n\n".join(filter(None, (block.to_markdown() for block in self.blocks))) + "\n"

    def to_text(self, width: int = 100, paint: Paint = no_paint) -> str:
        """Return the blocks for a terminal, with an empty line above and below tables."""
        shown = [(text, isinstance(block, Table)) for block in self.blocks if (text := block.to_text(width, paint))]
        lines: list[str] = []
        for number, (text, is_table) in enumerate(shown):
            if number and (is_table or shown[number - 1][1]):
                lines.append("")
            lines.append(text)
        return "\n".join(lines)

    _repr_html_ = to_html


def _own_file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main class="lengthwise-page">
<h1>{title}</h1>
{body}
<p class="soft">{footer}</p>
</main>
<script>
{script}</script>
</body>
</html>
"""
