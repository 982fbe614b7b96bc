"""Durations in print."""

from __future__ import annotations


def show_duration(seconds: float) -> str:
    """Return a time as people say it, with two digits.

    >>> [show_duration(seconds) for seconds in (0.4, 48, 130, 4000, 90_000, 400_000)]
    ['1 s', '48 s', '2 min 10 s', '1 h 6 min', '25 h', '4 days 15 h']
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole < 600 else f"{round(whole / 60)} min"
    if whole < 10 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    hours = round(whole / 3600)
    return f"{hours} h" if hours < 48 else f"{hours // 24} days {hours % 24} h"
