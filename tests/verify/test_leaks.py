"""Leaks: nothing leaks where nothing is ignored or read, and what is put in is found."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from test_measure import cell
from test_states import TINY, tiny

from theory.predict import predict
from theory.tasks import InvalidInput
from verify.leaks import SAMPLES, ignored_places, leaks
from verify.measure import measure
from verify.model import GPT
from verify.states import pairs


def test_ignored_places_are_the_operands_above_the_trained_digits() -> None:
    places = ignored_places(TINY)
    tokens = TINY.format.tokens[:-1]
    assert [(t.operand, t.position) for t, x in zip(tokens, places, strict=True) if x] == [
        (0, 4),
        (1, 4),
    ]
    with pytest.raises(InvalidInput, match="no positions are predicted to be ignored"):
        ignored_places(cell(pe="rope"))


def test_the_share_as_it_is_is_about_the_one_measured() -> None:
    found = leaks(tiny().model, TINY, 4)
    whole = measure(tiny().model, TINY, predict(TINY.setting), 4)
    assert whole.learned is not None
    # Given the right digits so far a model does at least as well as by itself.
    assert found.as_it_is >= whole.learned / whole.samples - 0.05
    assert len(found.mended) == len(tiny().model.blocks)


def test_a_trained_input_has_nothing_to_mend() -> None:
    found = leaks(tiny().model, TINY, 3, samples=50)
    assert found.mended == (found.as_it_is,) * 2


def still(net: GPT, layer: int) -> GPT:
    """The model with one block that adds nothing to the stream."""
    with torch.no_grad():
        net.blocks[layer].out.weight.zero_()
        net.blocks[layer].down.weight.zero_()
    return net


def test_a_model_mended_where_it_reads_answers_as_for_the_trained_input() -> None:
    """Where one block only does anything, all that leaks does so there."""
    long, short = pairs(TINY, 4, SAMPLES)
    result = TINY.format.results(short)
    slots = TINY.format.result_slots
    shares = []
    for layer in (0, 1):
        net = still(copy.deepcopy(tiny().model), 1 - layer)

        def follows(operands: np.ndarray, net: GPT = net) -> float:
            tokens = torch.from_numpy(TINY.format.write(operands, result))
            said = net(tokens[:, :-1]).argmax(2)[:, slots - 1]
            return float((said == tokens[:, slots]).all(1).float().mean())

        found = leaks(net, TINY, 4)
        assert found.mended[layer] == follows(short)
        assert found.mended[1 - layer] == found.as_it_is == follows(long)
        assert not any("attend" in vars(b) for b in net.blocks)
        shares.append((found.as_it_is, found.mended[layer]))
    # A block by itself may be right as often as before by chance, but not both.
    assert any(before != after for before, after in shares)
