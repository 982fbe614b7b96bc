r"""Text of unknown origin inside SVG, HTML and LaTeX: it stays text.

Symbols come from files. Besides the characters that a markup gives a meaning there are control characters, which XML does not
allow at all, and surrogates, which no file can hold. They are written out, as in ``\x1b``.
"""

from __future__ import annotations

import unicodedata


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


_GREEK = {
    **{"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "θ": "theta", "λ": "lambda", "μ": "mu"},
    **{"π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi", "ω": "omega"},
}

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\`{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
    "–": "--",
    "−": r"\ensuremath{-}",
    "—": "---",
    "…": r"\ldots{}",
    "’": "'",
    "“": "``",
    "”": "''",
    "\N{NO-BREAK SPACE}": "~",
    **{
        sign: f"\\ensuremath{{\\{command}}}"
        for sign, command in {
            **{"×": "times", "·": "cdot", "±": "pm", "→": "rightarrow", "←": "leftarrow"},
            **{"≤": "le", "≥": "ge", "≠": "ne", "∈": "in", "∉": "notin", "⊆": "subseteq", "∪": "cup", "∩": "cap"},
            **{"∞": "infty", "√": "surd", "¬": "neg", "∧": "wedge", "∨": "vee", "∀": "forall", "∃": "exists"},
            **_GREEK,
            **{"Σ": "Sigma", "Δ": "Delta", "Ω": "Omega", "Φ": "Phi", "Π": "Pi", "✓": "surd", "✗": "times"},
        }.items()
    },
    **dict(zip("₀₁₂₃₄₅₆₇₈₉", (f"\\ensuremath{{_{digit}}}" for digit in range(10)), strict=True)),
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", (f"\\ensuremath{{^{digit}}}" for digit in range(10)), strict=True)),
}


def escape_latex(text: str) -> str:
    r"""Return the text with what LaTeX would read as commands written out, for a plain pdflatex.

    Signs that its fonts lack are written as their number.

    >>> print(escape_latex("50 % of a_b"))
    50 \% of a\_b
    >>> print(escape_latex("é 3× -- 漢"))
    é 3\ensuremath{\times} -{}- [U+6F22]
    """
    return "".join(map(_latex_character, visible(text).replace("--", "-\0-").replace("--", "-\0-")))


def _latex_character(character: str) -> str:
    if character == "\0":  # set between two hyphens, which LaTeX would join
        return "{}"
    if character in _LATEX:
        return _LATEX[character]
    if character.isascii() or unicodedata.normalize("NFD", character)[0].isascii():  # letters with accents
        return character
    return f"[U+{ord(character):04X}]"


def escape_markdown(text: str) -> str:
    """Return text that is no HTML, ends no cell of a table and begins no line.

    >>> escape_markdown("(a|b)* <script>")
    '(a\\\\|b)* &lt;script&gt;'
    """
    return escape(text, quote=False).replace("|", "\\|")
