"""Ideal encodings of circuits, dictionaries of relations, and what is read out of them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from lengthwise.encodings.core.base import Fit, Where
from lengthwise.encodings.core.build import make_encoding
from lengthwise.encodings.core.choice import find_encoding, split_names
from lengthwise.encodings.core.pointing import add_at, add_by_comparison, counts_up
from lengthwise.encodings.methods.ipe import IPE, Operands
from lengthwise.encodings.methods.lbpe import LBPE, dictionary, relation_penalty
from lengthwise.encodings.methods.lbpe_grown import grown_dictionary
from lengthwise.encodings.reference.learned_relations import FEW, many
from lengthwise.encodings.relation_readout import agreement, read_relations
from lengthwise.errors import InvalidOptionError, UnknownNameError
from lengthwise.seeds import INITIALIZATION, open_stream
from lengthwise.tasks.core.problems import PROBLEMS, find_circuit, find_problem
from lengthwise.theory.positions.circuits import slots

pytestmark = pytest.mark.usefixtures("one_thread")

FIT = Fit(num_models=2, num_heads=3, head_width=4, width=12, max_length=100, trained=20)
DESCRIBED = [name for name in PROBLEMS if name != "parity" and find_problem(name).circuit is not None]


def rows(num_tokens: int, scales: list[int], ids: Tensor | None = None) -> Where:
    """Return where the tokens of rows of mixed scales stand, for two models."""
    shape = (2, len(scales), num_tokens)
    counted = torch.arange(num_tokens) if ids is None else ids
    scale = torch.tensor(scales)[None, :, None].expand(shape)
    return Where(counted.expand(shape), scale, torch.full(shape, num_tokens))


def made(name: str) -> LBPE | IPE:
    encoding = make_encoding(name, FIT).at_layer(0)
    assert isinstance(encoding, LBPE | IPE)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0, 1]))
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)))
    return encoding


# Dictionaries


@pytest.mark.parametrize("name", ["lbpe", "lbpe_grown", "lbpe(hint=false)", "lbpe_grown(hint=false)"])
def test_one_key_for_each_query_is_what_comparing_all_pairs_gives(name: str) -> None:
    """The oracle is the definition: a·i + b·q + c·n + d = 0, tried for every pair."""
    encoding = made(name)
    assert isinstance(encoding, LBPE)
    at = rows(23, [1, 4, 9, 10])
    gains = encoding.gains()
    found = add_at(gains, encoding.keys(at), at, at)
    i, q, n = torch.arange(23), torch.arange(23)[:, None], torch.tensor([1, 4, 9, 10])[:, None, None]
    expected = torch.zeros(4, 2, 3, 23, 23)
    for number, each in enumerate(encoding.relations):
        holds = each.key * i + each.query * q + each.scale * n + each.constant == 0
        expected += gains[None, :, :, number, None, None] * holds[:, None, None]
    assert torch.allclose(found.expand_as(expected), expected, atol=1e-5)
    assert found.shape[0] == (1 if "hint=false" in name else 4)  # without the scale all rows share a bias


@pytest.mark.parametrize("places", [None, [[22], [7], [0]], [[3, 20], [4, 5], [21, 22]]])
def test_places_and_comparisons_agree_for_a_few_queries(places: list[list[int]] | None) -> None:
    encoding = made("lbpe")
    assert isinstance(encoding, LBPE)
    at = rows(23, [3, 8, 10])
    queries = at
    if places is not None:
        where = torch.tensor(places)
        row = torch.arange(3)[:, None]
        queries = Where(
            at.ids_MBL[:, row, where], at.scale_MBL[:, row, where], at.sizes_MBL[:, row, where], None, where
        )
    keys = encoding.keys(queries)
    found = add_at(encoding.gains(), keys, queries, at)
    assert torch.allclose(found, add_by_comparison(encoding.gains(), keys, at), atol=1e-5)
    assert found.abs().sum() > 0


def test_ids_that_do_not_count_up_are_noticed() -> None:
    assert counts_up(rows(6, [1]))
    assert counts_up(rows(6, [1], torch.tensor([3, 4, 5, 6, 6, 6])))  # padding
    assert not counts_up(rows(6, [1], torch.tensor([0, 1, 1, 2, 3, 4])))
    assert not counts_up(rows(6, [1], torch.tensor([0, 1, 3, 4, 5, 6])))
    assert not counts_up(rows(6, [1], torch.tensor([0, 1, 2, 0, 1, 2])))
    apart = torch.tensor([0, 0, 0, 1, 1, 1])
    sees = (apart[:, None] == apart) & torch.ones(6, 6, dtype=torch.bool).tril()
    assert counts_up(rows(6, [1], torch.tensor([0, 1, 2, 0, 1, 2]))._replace(visible=sees[None, None]))


@torch.no_grad()
def test_ids_with_gaps_and_repeats_are_compared() -> None:
    encoding = made("lbpe(corrected=false)")
    assert isinstance(encoding, LBPE)
    ids = torch.tensor([0, 1, 1, 3, 7, 8, 9, 20])
    bias = encoding.bias(rows(8, [3], ids), rows(8, [3], ids)).reshape(2, 3, 8, 8)
    gains = encoding.gains()
    for query in range(8):
        for key in range(8):
            holds = torch.tensor([each.holds(int(ids[key]), int(ids[query]), 3) for each in encoding.relations])
            assert torch.allclose(bias[:, :, query, key], (gains * holds).sum(-1), atol=1e-4)


def test_the_dictionaries_are_those_of_the_definitions() -> None:
    for hint in (True, False):
        small = [(each.key, each.query, each.scale, each.constant) for each in dictionary(hint=hint)]
        assert small == [four for four in FEW if hint or not four[2]]
        large = [(each.key, each.query, each.scale, each.constant) for each in grown_dictionary(hint=hint)]
        assert large == many(hint=hint)
        assert len(set(large)) == len(large)


@pytest.mark.parametrize(
    "circuit", ["copy", "reverse", "shift", "odds_first", "copy_every(2)", "addition", "div_1_cot"]
)
def test_the_large_dictionary_has_the_equations_of_circuits_it_was_not_made_for(circuit: str) -> None:
    known = {(each.key, each.query, each.scale, each.constant) for each in grown_dictionary(hint=True)}
    for slot in Operands(find_circuit(circuit)).slots:
        for piece in slot.pieces:
            told = piece.equation
            assert (told.key, told.query, told.scale, told.constant - told.key - told.query) in known


def test_the_correction_takes_the_logarithm_from_what_no_relation_favours() -> None:
    encoding = made("lbpe")
    at = rows(12, [3])
    bias = encoding.bias(at, at)[0, :, 7]
    plain = add_at(encoding.gains(), encoding.keys(at), at, at).flatten(1, 2)[0, :, 7]  # type: ignore[operator]
    none, much = plain == 0, plain > 6
    assert none.any()
    assert much.any()
    assert torch.allclose(bias[none], -torch.log(torch.tensor(8.0)))
    assert torch.allclose(bias[much], plain[much], atol=1e-3)


@pytest.mark.parametrize("num_tokens", [30, 60])
def test_the_correction_is_the_same_where_it_is_computed_for_few_keys_only(num_tokens: int) -> None:
    """With 60 tokens there are more keys than relations; the oracle is the formula, and its gradient."""
    encoding = made("lbpe")
    assert isinstance(encoding, LBPE)
    at = rows(num_tokens, [3, 9, 14])
    gain = add_at(encoding.gains(), encoding.keys(at), at, at)
    logarithm = torch.log(torch.arange(num_tokens) + 1.0)[:, None]
    expected = (gain - logarithm * (1 - torch.tanh(torch.relu(gain)))).flatten(1, 2)
    found = encoding.bias(at, at)
    assert torch.allclose(found, expected, atol=1e-4)
    weight = torch.randn(found.shape, generator=torch.Generator().manual_seed(0))
    slopes = [torch.autograd.grad((part * weight).sum(), encoding.raw_MHR)[0] for part in (found, expected)]
    assert torch.allclose(slopes[0], slopes[1], rtol=1e-3, atol=1e-2)


def test_the_penalty_is_a_sum_for_each_model_and_pruning_sets_small_gains_to_zero() -> None:
    encoding = make_encoding(
        "lbpe", Fit(num_models=2, num_heads=3, head_width=4, width=12, max_length=9, trained=9, num_layers=2)
    )
    encoding.initialize(open_stream(INITIALIZATION, seed=[0, 1]))
    parts = [layer.gains().abs().sum((1, 2)) for layer in encoding.modules() if isinstance(layer, LBPE)]
    penalty = relation_penalty(encoding)
    assert penalty is not None
    assert (penalty.shape, len(parts)) == ((2,), 2)
    assert torch.allclose(penalty, parts[0] + parts[1])
    assert relation_penalty(make_encoding("alibi", FIT)) is None
    layer = made("lbpe")
    assert isinstance(layer, LBPE)
    large = int((layer.gains().abs() >= 3).sum())
    assert layer.prune(3.0) == large
    assert set((layer.gains().abs() >= 3).flatten().tolist()) == {True, False}
    assert (layer.gains()[layer.gains().abs() < 3] == 0).all()


# Ideal encodings


@pytest.mark.parametrize("circuit", ["copy", "shift(2)", "odds_first", "copy_every(3)", "addition(2)", "div_1_cot"])
def test_the_operands_of_a_batch_of_mixed_scales_are_those_that_are_wired(circuit: str) -> None:
    wired = find_circuit(circuit)
    operands = Operands(wired)
    scales = torch.tensor([1, 2, 5, 21, 40])
    query = torch.arange(150)
    found = operands.positions(query[None], scales[:, None])
    for row, scale in enumerate(scales.tolist()):
        for place in range(150):
            step = place - wired.layout.prompt_length(scale) + 2
            is_gate = 1 <= step <= wired.layout.answer_length(scale)
            expected = list(wired.gate(scale, step).operands) if is_gate else None
            given = found[row, place].tolist()
            assert given == expected if expected else max(given) < 0


@pytest.mark.full
@pytest.mark.parametrize("circuit", DESCRIBED)
def test_every_circuit_but_parity_has_an_ideal_encoding_up_to_its_largest_scale(circuit: str) -> None:
    wired = find_circuit(circuit)
    operands = Operands(wired)
    gates = [*wired.gates(wired.cap)]
    query = torch.tensor([wired.query(scale, step) for scale, step, _ in gates])
    found = operands.positions(query, torch.tensor([scale for scale, *_ in gates]))
    assert found.tolist() == [list(gate.operands) for *_, gate in gates]


@pytest.mark.parametrize("circuit", ["parity_cot", "addition(2)", "parity_cot_aligned(16)"])
def test_the_bias_is_the_gains_of_the_slots_held_one_id_behind_bos(circuit: str) -> None:
    name = f"ipe(circuit={circuit}, corrected=false)"
    encoding, corrected = made(name), made(f"ipe(circuit={circuit})")
    wired = find_circuit(circuit)
    at = rows(40, [1, 3, 7])
    bias, lowered = (each.bias(at, at) for each in (encoding, corrected))
    gains = encoding.gains().flatten(0, 1)
    for row, scale in enumerate([1, 3, 7]):
        for step in range(1, wired.layout.answer_length(scale) + 1):
            query = wired.query(scale, step)
            held = slots(wired.gate(scale, step))
            row_of = row if bias.shape[0] > 1 else 0
            for key in range(-1, query + 1):
                chosen = [slot - 1 for slot in held.get(key, ())]
                assert torch.allclose(bias[row_of, :, query + 1, key + 1], gains[:, chosen].sum(-1), atol=1e-5)
            rest = [key + 1 for key in range(-1, query + 1) if key not in held]
            assert torch.allclose(lowered[row_of, :, query + 1, rest], -torch.log(torch.tensor(query + 2.0)))
    if encoding.operands.needs_scale:  # type: ignore[union-attr]
        end = wired.query(3, wired.layout.answer_length(3)) + 2  # the id of the token that predicts <eos>
        assert (bias[1, :, end] == 0).all()


def test_a_gate_that_reads_bos_can_say_when_to_end() -> None:
    encoding = made("ipe(circuit=copy, corrected=false, eos=true)")
    assert isinstance(encoding, IPE)
    at = rows(12, [2, 3])
    bias = encoding.bias(at, at)
    for row, end in ((0, 5), (1, 7)):  # <bos> x … <sep> y …: the id of the last y
        assert torch.allclose(bias[row, :, end, 0], encoding.gains()[..., 1].flatten())
        assert (bias[row, :, end, 1:] == 0).all()
        assert (bias[row, :, :, 0] != 0).sum(1).tolist() == [1] * 6
    assert find_encoding("ipe(circuit=parity_cot_aligned, eos=true)").needs_scale


def test_a_circuit_without_few_equations_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="circuit 'parity' has no few small equations for its operands"):
        make_encoding("ipe(circuit=parity)", FIT)


# Names


def test_words_with_parameters_are_values() -> None:
    assert find_encoding("ipe").name == find_encoding("ipe( circuit = copy(01) )").name == "ipe"
    assert (
        find_encoding("ipe(circuit=addition( 2 ), corrected=false)").name == "ipe(circuit=addition(2), corrected=false)"
    )
    assert dict(find_encoding("ipe(circuit=shift(2, abc))").options)["circuit"] == "shift(2, abc)"
    assert find_encoding(find_encoding("ipe(circuit=shift(2, abc))").name).name == "ipe(circuit=shift(2, abc))"
    assert split_names("ipe(circuit=shift(2, abc)), nope") == ["ipe(circuit=shift(2, abc))", "nope"]
    assert find_encoding("window(ipe(circuit=reverse), window=5)").name == "window(ipe(circuit=reverse), window=5)"


def test_wrong_words_are_told() -> None:
    with pytest.raises(UnknownNameError, match="circuit 'revers' is unknown"):
        find_encoding("ipe(circuit=revers)")
    for name in ("ipe(circuit=addition(2)", "ipe(circuit=(2))", "ipe(circuit=)"):
        with pytest.raises((InvalidOptionError, UnknownNameError)):
            find_encoding(name)
    with pytest.raises(InvalidOptionError, match="has equations between those that they have"):
        find_encoding("randomized(lbpe)")


def test_the_scale_is_needed_where_relations_speak_of_it() -> None:
    needing = ["ipe", "lbpe", "lbpe_grown", "lbpe_mlp", "ipe(circuit=addition)"]
    assert all(find_encoding(name).needs_scale for name in needing)
    spared = ["lbpe(hint=false)", "lbpe_mlp(hint=false)", "lbpe_grown(hint=false)", "ipe(circuit=parity_cot_aligned)"]
    assert not any(find_encoding(name).needs_scale for name in spared)
    assert [find_encoding(name).bounded_bias for name in ("lbpe", "lbpe(corrected=false)", "rope")] == [
        False,
        True,
        None,
    ]


# Reading out


def set_gain(layer: LBPE, head: int, text: str, gain: float) -> None:
    from lengthwise.encodings.relation_readout import in_circuit_notation

    number = [str(in_circuit_notation(each)) for each in layer.relations].index(text)
    with torch.no_grad():
        layer.raw_MHR[0, head, number] = gain / 8


def test_learned_relations_are_read_as_equations_and_compared_with_circuits() -> None:
    encoding = make_encoding("lbpe", FIT)
    layer = encoding.at_layer(0)
    assert isinstance(layer, LBPE)
    torch.nn.init.zeros_(layer.raw_MHR)
    set_gain(layer, 2, "q − i = n", 4.004)
    set_gain(layer, 0, "i = q", 3.0)
    set_gain(layer, 0, "q + i = 2n − 1", 0.1)
    set_gain(layer, 1, "i = 0", -2.0)
    found = read_relations(encoding)
    assert [*map(str, found)] == [
        "head 0 attends to i = q (gain 3.00)",
        "head 1 avoids i = 0 (gain -2.00)",
        "head 2 attends to q − i = n (gain 4.00)",
    ]
    assert read_relations(encoding, model=1) == ()
    both = agreement(found, find_circuit("parity_cot"))
    assert (both.slots, both.gates, both.alone) == ((1.0, 1.0), 1.0, 1.0)
    half = agreement(found[:1], find_circuit("parity_cot"))
    assert (half.slots, half.gates) == ((0.0, 1.0), 0.0)  # the query itself needs no head
    assert agreement((), find_circuit("parity_cot")) == half
    shifted = agreement(found, find_circuit("shift"), max_scale=4)
    assert shifted.gates == 0.1  # only at n = 1 is the shifted word the word
    assert agreement((), find_circuit("copy")).gates == 0.0
    set_gain(layer, 2, "i = 0", 4.5)
    torn = agreement(read_relations(encoding), find_circuit("copy"), max_scale=4)
    assert (torn.gates, torn.alone) == (1.0, 0.4)  # the head looks at i = 0 first, which is right at t = 1 only
    with pytest.raises(InvalidOptionError, match="ALiBi has no dictionary of relations"):
        read_relations(make_encoding("alibi", FIT))
