"""Numbers in print: shares of exact matches in percent, and numbers of any size in a few digits."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal


def percent(share: float | None, sign: str = "") -> str:
    """Return percent with one decimal, halves rounded up; with two decimals where one would round to all or nothing.

    >>> [percent(share) for share in (1.0, 0.9999, 0.2555, 0.0002, 0.0, 1.5, None)]
    ['100', '99.99', '25.6', '0.02', '0', '150.0', '–']
    """
    if share is None or share != share:
        return "–"
    if share in (0.0, 1.0):
        return f"{share * 100:.0f}{sign}"
    exact = Decimal(f"{share * 100:.9f}")  # without what binary fractions add
    shown = exact.quantize(Decimal("0.1"), ROUND_HALF_UP)
    if 0 < share < 0.0005 or 0.9995 <= share < 1:
        shown = min(max(exact.quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal("0.01")), Decimal("99.99"))
    return f"{shown}{sign}"


def show_number(value: float) -> str:
    """Return a number with three digits that count and a proper minus sign.

    >>> show_number(-7.75), show_number(0.0), show_number(-100.42)
    ('−7.75', '0', '−100')
    """
    return f"{value:.3g}".replace("-", "−") if value else "0"


def show_multiple(value: float) -> str:
    """Return a multiple of the training length, the same in tables and in sentences.

    >>> show_multiple(3.0), show_multiple(4 / 3), show_multiple(1234.5)
    ('3×', '1.33×', '1234×')
    """
    return f"{value:.3g}×" if value < 1000 else f"{value:.0f}×"
