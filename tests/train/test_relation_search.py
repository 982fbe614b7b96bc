"""The search for relations: keys against definitions, what is found on small tasks, and transformers that are told it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from lengthwise.cli.main import main
from lengthwise.encodings.core.base import Fit, Where
from lengthwise.encodings.core.build import make_encoding
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.encodings.core.guarded import EVERYWHERE, Guarded, read_guarded, write_guarded
from lengthwise.encodings.methods.lbpe_found import LBPEFound
from lengthwise.encodings.relation_readout import agreement, read_relations
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import DATA, INITIALIZATION, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.problems import find_circuit
from lengthwise.theory.positions.relations_ideal import Equation
from lengthwise.train.relation_family import (
    Candidate,
    Points,
    as_guarded,
    distinct,
    draw_points,
    keys_of,
    make_family,
    values_of,
)
from lengthwise.train.relation_search import Found, find_relations
from lengthwise.train.relation_training import train_with

ODDS = "r(1, -2, 2, 1, 0, 1, 1, 0, 1, 0, 1, -2, 3, 0, 0, 1, 1, 0, 2, 1, 1, -2, 3, 1, 0, 1, 1, 0, 2, 1)"


def points_of(name: str, lengths: range = range(2, 7)) -> Points:
    return draw_points(find_task(name), list(lengths), 6, open_stream(DATA, seed=0).at(0))


def slow_key(candidate: Candidate, points: Points, place: int) -> int:
    """Return the key of a point by trying all tokens of the part, −1 if none is the one."""
    row, query = int(points.row_P[place]), int(points.query_P[place])
    starts = [*points.starts_IG[row].tolist(), None]
    start, end, sep = starts[candidate.part], starts[candidate.part + 1], starts[-2]
    keys = range(start, query + 1) if end is None else range(start + 1, end)
    size = query - sep if end is None else len(keys)
    for key in keys:
        u, written = key - start, query - sep
        is_right = candidate.a * u == candidate.b * written + candidate.c * size + candidate.d
        if is_right and (u - 1) % candidate.modulus == candidate.remainder:
            return key
    return -1


@pytest.mark.parametrize("name", ["repeat_copy", "add_columns(2)", "add_columns(3, unequal)", "transpose(2)"])
def test_keys_are_those_that_trying_all_tokens_finds(name: str) -> None:
    points = points_of(name)
    family = make_family(points)
    for candidate in family[:: len(family) // 60]:
        keys = keys_of(candidate, points)
        places = range(0, len(keys), max(1, len(keys) // 40))
        assert [int(keys[place]) for place in places] == [slow_key(candidate, points, place) for place in places]


@pytest.mark.parametrize(
    "name", ["repeat_copy", "add_columns(2)", "transpose(2)", "copy_every", "parity_cot_aligned(9)"]
)
def test_relations_between_ids_point_where_those_within_parts_do(name: str) -> None:
    points = points_of(name)
    family = make_family(points)
    for candidate in family[:: len(family) // 60]:
        guarded = as_guarded(candidate, points)
        assert guarded is not None
        found = [
            guarded.key(int(query), int(scale)) for query, scale in zip(points.query_P, points.scales, strict=True)
        ]
        assert found == np.maximum(keys_of(candidate, points), 0).tolist(), candidate


def test_parts_that_the_scale_does_not_give_have_no_relation_between_ids() -> None:
    points = points_of("add_columns(2, unequal)")
    assert points.names == ("<bos>", "+", "<sep>")
    assert as_guarded(Candidate(part=1, a=1, b=1, c=0, d=1), points) is None


def test_the_encoding_points_where_the_relations_say() -> None:
    encoding = make_encoding(
        f"lbpe_found(relations={ODDS})", Fit(num_heads=4, head_width=8, width=32, max_length=60, trained=30)
    )
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    module = encoding.at_layer(0)
    assert isinstance(module, LBPEFound)
    length = 40
    for scale in (5, 12):
        ids = torch.arange(length).expand(1, 1, length)
        at = Where(ids_MBL=ids, scale_MBL=torch.full_like(ids, scale), sizes_MBL=torch.full_like(ids, length))
        expected = [[each.key(query, scale) for each in module.guarded] for query in range(length)]
        assert module.keys(at)[0, 0].tolist() == expected
        favoured = module.bias(at, at)[0, :3].argmax(-1).T.tolist()  # head h begins with relation h
        assert favoured == expected
    assert module.prune(2.0) == 4
    assert (module.gains().abs() > 1e-6).sum() == 4
    told = agreement(read_relations(encoding), find_circuit("odds_first"))
    assert told.gates == 1.0


def test_relations_are_read_back_and_wrong_ones_refused() -> None:
    assert write_guarded(read_guarded(ODDS)) == ODDS
    assert find_encoding(f"lbpe_found(relations={ODDS})").name == f"lbpe_found(relations={ODDS})"
    assert find_encoding("lbpe_found").learns_relations
    assert Guarded(equation=Equation(key=1, query=-1, scale=0, constant=0)).high == (0, EVERYWHERE)
    for text in ("copy", "r(1, 2)", "r()", "r(0, -1, 1, 0, 0, 1, 1, 0, 1, 0)", "r(1, -1, 1, 0, 0, 1, 1, 0, 1, 1)"):
        with pytest.raises(InvalidOptionError):
            read_guarded(text)


def search(name: str, scales: int = 8) -> Found:
    return find_relations(find_task(name), scales=scales, tested=[2 * scales, 4 * scales], per_length=64)


def test_exchanged_pairs_are_found_with_the_parity_that_tells_them_apart() -> None:
    found = search("swap_pairs")
    assert found.complete
    assert found.table == {8: 1.0, 16: 1.0, 32: 1.0}
    assert {told.split(" (")[0] for told in found.equations} == {"q − i = n", "q − i = n − 1", "q − i = n + 1"}
    assert any("odd u" in told or "even u" in told for told in found.equations)
    assert found.trace[0].bits > 1 > 0.02 > found.trace[-1].bits
    assert json.loads(json.dumps(found.to_json()))["encoding"] == found.encoding


def test_reversal_is_one_relation() -> None:
    assert search("reverse", 6).equations == ("q + i = 2n − 1 (u = −t + S + 1 after <bos>)",)


def test_what_is_outside_of_the_family_is_not_found() -> None:
    found = find_relations(find_task("parity"), scales=8, tested=[16], per_length=16, most=2)
    assert not found.complete
    assert found.table[16] < 0.9


def test_tasks_without_answers_or_with_few_lengths_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="has none"):
        find_relations(find_task("D_2"), scales=8)
    with pytest.raises(InvalidOptionError, match="at least 3"):
        find_relations(find_task("repeat_copy"), scales=2)


def test_a_transformer_that_is_told_the_relations_extrapolates() -> None:
    trained = train_with(
        find_task("repeat_copy"),
        "lbpe_found(relations=r(1, -1, 1, 0, 0, 1, 1, 0, 1, 0))",
        scales=4,
        tested=[8, 16],
        width=16,
        steps=120,
        rate=1e-2,
    )
    assert trained.shares[0] == {4: 1.0, 8: 1.0, 16: 1.0}


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "number"),
    [("odds_first", 3), ("copy_every", 1), ("transpose", 3), ("add_columns(2)", 5), ("add_columns(2, unequal)", 5)],
)
def test_tasks_outside_of_the_first_family_are_found_and_extrapolate(name: str, number: int) -> None:
    found = find_relations(find_task(name), scales=8, tested=[16, 32])
    assert found.complete
    assert len(found.relations) == number
    assert set(found.table.values()) == {1.0}


def test_the_command_prints_equations_and_draws_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "reverse.svg"
    assert main(["relations", "reverse", "--scales", "5", "--svg", str(picture)]) == 0
    out, err = capsys.readouterr()
    assert "q + i = 2n − 1" in out
    assert "n = 20" in out
    assert "bits" in err
    drawn = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    assert len(drawn.findall("{http://www.w3.org/2000/svg}circle")) == 5 + 1  # a mark for each token, and the legend
    assert main(["relations", "reverse", "--scales", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"]
    assert main(["relations", "reverse", "--scales", "0"]) == 2
    assert "--scales 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--heads", "0"), "--heads 0 is not allowed: 1 to 64."),
        (("--heads", "-3"), "--heads -3 is not allowed: 1 to 64."),
        (("--train", "--heads", "3"), "width 32 cannot be divided among 3 heads."),
        (("--train", "--device", "cuda"), "device 'cuda' was asked for"),
        (("--svg", "FILE/x.svg"), "cannot write"),
    ],
)
def test_the_command_refuses_before_it_searches(
    arguments: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "FILE").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("lengthwise.train.relation_search.find_relations", lambda *_, **__: pytest.fail("searched"))
    assert main(["relations", "reverse", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_without_torch_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lengthwise.extras.find_spec", lambda _: None)
    assert main(["relations", "reverse"]) == 2
    assert "looking for relations needs torch, which is not installed." in capsys.readouterr().err


@pytest.mark.parametrize("guarded", [None, ()])
def test_where_nothing_is_found_the_prompt_is_not_blamed(
    guarded: tuple[()] | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Found(
        task="reverse",
        relations=(),
        names=("<bos>", "<sep>"),
        guarded=guarded,
        num_candidates=3,
        bits=1.0,
        trace=(),
        table={8: 2 / 3},
    )
    monkeypatch.setattr("lengthwise.train.relation_search.find_relations", lambda *_, **__: found)
    assert main(["relations", "reverse"]) == 0
    printed = capsys.readouterr().out
    assert "no relation of the family predicts anything" in printed
    assert ("begins at a position that the scale does" in printed) == (guarded is None)
    assert found.to_json()["table"] == {"8": 0.666667}


def test_what_is_read_is_the_same_one_by_one_and_together() -> None:
    points = points_of("add_columns(2)")
    kept, values_CP = distinct(make_family(points)[::7], points)
    for candidate, values_P in zip(kept, values_CP, strict=True):
        assert (values_of(candidate, points) == values_P).all()
