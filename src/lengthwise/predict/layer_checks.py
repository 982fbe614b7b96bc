"""Whether what a row of ``predict --json`` says about layers is proved by the depth certificates it carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..crasp.fragments import Fragment
from ..encodings.core.choice import find_packaged_encoding
from ..languages.dfa import DFA
from ..theory.checker import Check
from ..theory.depth.checker import check_depth_certificate
from ..theory.replay import Objection, is_integer, require

_ASKED = {
    "END_MARKER": ("MEMBERSHIP", "END_MARKER"),
    "LAST_SYMBOL": ("MEMBERSHIP", "LAST_SYMBOL"),
    "NEXT_SYMBOLS": ("NEXT_SYMBOLS", "LAST_SYMBOL"),
}


def check_depth_alone(data: Mapping[str, Any], language: DFA | None) -> Check:
    """Check a depth certificate that stands alone; its answer is the bound, in words."""
    done = check_depth_certificate(data, language)
    asked, readout = _ASKED.get(done.question, (done.question, "END_MARKER"))
    automaton = data.get("automaton")
    alphabet = automaton.get("alphabet") if isinstance(automaton, Mapping) else None
    words = {"depth_at_least": "at least", "depth_at_most": "at most"}.get(done.kind, done.kind)
    return Check(
        answer=f"{words} {done.bound} layers",
        fragment=str(Fragment.PLAIN),
        asked=asked,
        readout=readout,
        alphabet=tuple(map(str, alphabet)) if isinstance(alphabet, list) else (),
        objection=done.objection,
    )


def require_layers(row: Mapping[str, Any]) -> None:
    """Object unless every bound that the row states has a certificate, for its language, its question and its encoding."""
    stated = row["layers"]
    require(type(stated) is dict, "the row's layers are not a table")
    choice = find_packaged_encoding(row["encoding"])
    for bound in (choice.at_least, choice.at_most):
        is_plain = bound is not None and bound.fragment is Fragment.PLAIN
        require(is_plain, f"no bound on the layers is proved for {choice.name}")
    question = stated.get("question")
    about = (row["asked"], row["readout"])
    require(_ASKED.get(question) == about, f"the row's layers are about {question!r}, which is another question")
    proved = _proved_bounds(row, question)
    least, most = stated.get("at_least"), stated.get("at_most")
    require(
        is_integer(least) and least <= proved.get("depth_at_least", 0),
        f"that {least!r} layers are needed is not proved",
    )
    if most is not None:
        shown = is_integer(most) and most >= proved.get("depth_at_most", most + 1)
        require(shown, f"that {most!r} layers are enough is not proved")
    layers = stated.get("layers")
    if layers is not None:
        require(is_integer(layers), f"{layers!r} is no number of layers")
        answer = "NO" if layers < least else "YES" if most is not None and layers >= most else "UNKNOWN"
        require(stated.get("answer") == answer, f"for {layers} layers {answer} is proved, not {stated.get('answer')!r}")


def _proved_bounds(row: Mapping[str, Any], question: str) -> dict[str, int]:
    """Return the bound that each kind of certificate proves for the automaton of the row's own certificate."""
    about = row["certificate"]["automaton"]
    language = DFA(alphabet=about["alphabet"], transitions=about["transitions"], accepting=about["accepting"])
    proved: dict[str, int] = {}
    certificates = row["layers"].get("certificates")
    require(type(certificates) is list, "the row's layers have no list of certificates")
    for certificate in certificates:
        done = check_depth_certificate(certificate, language)
        if done.objection is not None:
            raise Objection(f"on its number of layers, {done.objection}")
        require(done.question == question, "a certificate of the row's layers is about another question")
        assert done.bound is not None
        proved[done.kind] = done.bound
    return proved
