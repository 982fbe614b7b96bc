r"""Text of unknown origin inside SVG, HTML and LaTeX: it stays text.

Symbols come from files. Besides the characters that a markup gives a meaning there are control characters, which XML does not
allow at all, and surrogates, which no file can hold. They are written out, as in ``\x1b``.
"""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Return the text with every character that cannot be printed written out.

    >>> print(visible("a\x1b[31m\n"))
    a\x1b[31m\n
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def escape(text: str, quote: bool = True) -> str:
    """Return the text for SVG and HTML, within elements and within quoted attributes."""
    import html  # here, because a verdict in a terminal needs none

    return html.escape(visible(text), quote)


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}


def escape_latex(text: str) -> str:
    r"""Return the text with what LaTeX would read as commands written out.

    >>> print(escape_latex("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(_LATEX.get(character, character) for character in visible(text))


def escape_markdown(text: str) -> str:
    """Return text that is no HTML, ends no cell of a table and begins no line.

    >>> escape_markdown("(a|b)* <script>")
    '(a\\\\|b)* &lt;script&gt;'
    """
    return escape(text, quote=False).replace("|", "\\|")
