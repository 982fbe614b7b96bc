"""Verdicts on thousands of random languages: how many each class has, by number of states, and what a decision costs.

Baseline, in the same run: the NoPE decision, beside which the APE decision is set. Writes the figure with --svg FILE.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from strategies import random_dfa, random_regex

from lengthwise.crasp.fragments import Fragment
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.potentials import refine
from lengthwise.theory.tracking import plain_graph

NUM_LANGUAGES = 5_000
CLASSES = ("NoPE and APE", "APE only", "neither", "unknown")
COLOURS = ("#1b7f5c", "#e0a526", "#b3423a", "#9a9a9a")


def random_languages(number: int) -> dict[DFA, str]:
    """Return distinct languages, each with where it comes from: two thirds expressions, one third automata."""
    rng = random.Random(5)
    found: dict[DFA, str] = {}
    while len(found) < number:
        alphabet = rng.choice(("ab", "abc"))
        if rng.random() < 2 / 3:
            depth = rng.randint(2, 5)
            text = random_regex(rng, depth, alphabet)
            text = f"({text})*" if rng.random() < 0.5 else text
            found.setdefault(compile_regex(text, alphabet=alphabet), "expression")
        else:
            states = rng.randint(3, 8)
            kind = "automaton of 3–5 states" if states <= 5 else "automaton of 6–8 states"
            found.setdefault(random_dfa(rng, states, alphabet), kind)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=NUM_LANGUAGES)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    languages = random_languages(options.number)
    by_size: dict[int, Counter[str]] = {}
    by_source: dict[str, Counter[str]] = {}
    ape_times, with_certificate = [], []
    start = time.perf_counter()
    for language in languages:
        all(refinement.passed for refinement in refine(plain_graph(language)))
    nope_time = (time.perf_counter() - start) / len(languages)
    for language, source in languages.items():
        facts = Facts(language=language)
        start = time.perf_counter()
        nope = decide(facts, Fragment.PLAIN).answer
        with_certificate.append(time.perf_counter() - start)
        start = time.perf_counter()
        ape = decide(facts, Fragment.PERIODIC_LOCAL)
        ape_times.append(time.perf_counter() - start)
        kind = CLASSES[0] if nope is Answer.YES else dict(zip(Answer, CLASSES[1:], strict=True))[ape.answer]
        by_size.setdefault(min(language.num_states, 13), Counter())[kind] += 1
        by_source.setdefault(source, Counter())[kind] += 1
        by_source[source]["YES without a program"] += ape.answer is Answer.YES and ape.certificate is None
    ape_times.sort()
    print(f"{len(languages):,} distinct languages (seed 5), one core")
    print(
        f"NoPE: {1e6 * nope_time:.0f} µs per decision, {1e6 * sum(with_certificate) / len(languages):.0f} µs with certificate"
    )
    middle, high = ape_times[len(ape_times) // 2], ape_times[int(0.99 * len(ape_times))]
    print(
        f"APE, with certificate: median {1e3 * middle:.2f} ms, 99th percentile {1e3 * high:.0f} ms, longest {ape_times[-1]:.1f} s"
    )
    print()
    header = (*CLASSES, "YES without a program")
    print(f"{'source':26}" + "".join(f"{name:>23}" for name in header))
    for source, counts in sorted(by_source.items()):
        print(f"{source:26}" + "".join(f"{counts[name]:23}" for name in header))
    print()
    print(f"{'states':26}" + "".join(f"{name:>23}" for name in CLASSES))
    for size, counts in sorted(by_size.items()):
        label = f"{size}" if size < 13 else "13 and more"
        print(f"{label:26}" + "".join(f"{counts[name]:23}" for name in CLASSES))
    if options.svg is not None:
        options.svg.write_text(draw(by_size), encoding="utf-8")


def draw(by_size: dict[int, Counter[str]]) -> str:
    """Return stacked bars, one for each number of states: the share of each class."""
    width, height, left, top, bottom = 760, 360, 56, 46, 64
    step = (width - left - 16) / len(by_size)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{left}" y="20" font-size="15" fill="#222">Which random regular languages length-generalize, by number of states</text>',
    ]
    for number, (name, colour) in enumerate(zip(CLASSES, COLOURS, strict=True)):
        x = left + 150 * number
        parts.append(f'<rect x="{x}" y="28" width="11" height="11" fill="{colour}"/>')
        parts.append(f'<text x="{x + 16}" y="38" fill="#222">{name}</text>')
    full = height - top - bottom
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + full * (1 - share)
        parts.append(f'<line x1="{left}" x2="{width - 16}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{share:.0%}</text>')
    for place, (size, counts) in enumerate(sorted(by_size.items())):
        x = left + step * place + 4
        base = top + full
        total = sum(counts.values())
        for name, colour in zip(CLASSES, COLOURS, strict=True):
            part = full * counts[name] / total
            base -= part
            parts.append(
                f'<rect x="{x:.1f}" y="{base:.1f}" width="{step - 8:.1f}" height="{part:.1f}" fill="{colour}"/>'
            )
        middle = x + (step - 8) / 2
        label = str(size) if size < 13 else "13+"
        parts.append(f'<text x="{middle:.1f}" y="{top + full + 16}" text-anchor="middle" fill="#222">{label}</text>')
        parts.append(
            f'<text x="{middle:.1f}" y="{top + full + 31}" text-anchor="middle" fill="#888" font-size="10">{total}</text>'
        )
    parts.append(
        f'<text x="{left}" y="{height - 10}" fill="#555">states of the minimal automaton; below, how many languages</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
