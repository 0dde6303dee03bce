"""Leaks: nothing leaks where nothing is ignored or read, and what is put in is found."""

from __future__ import annotations

import pytest
from builders.cells import cell
from builders.tiny_models import PRODUCT, Taught, leaking, untrained

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.domains import Domain
from arith.verify.mechanism.equivalence import PATCHED, leaks, pairs, predicted_support
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers, ignored_slots, learned_answers
from arith.verify.plan.cells import Cell

SUM = cell(base=2, train=Domain((1, 2, 3)), test_lengths=(3, 4))


def test_ignored_slots_are_the_operands_above_the_trained_digits() -> None:
    places = ignored_slots(SUM, predicted_support(SUM))
    tokens = SUM.format.tokens[:-1]
    assert [(t.operand, t.position) for t, x in zip(tokens, places, strict=True) if x] == [
        (0, 4),
        (1, 4),
    ]
    with pytest.raises(InvalidInput, match="no positions are predicted to be ignored"):
        predicted_support(cell(pe="rope"))


def followed(model: GPT, c: Cell, digits: int) -> float:
    """How many of a model's own greedy answers are the learned function's."""
    long, _ = pairs(c, digits, PATCHED)
    learned = learned_answers(predict(c.setting), c, long)
    return float((answers(model, c, long) == learned).all(1).mean())


def test_the_unpatched_share_is_that_of_the_models_own_answers(tiny: Taught) -> None:
    """Right at each digit after the right ones is right as a whole, and the other way round."""
    for model in (*tiny.models, *tiny.before):
        found = leaks(model, tiny.cell, 3)
        assert found.unpatched == pytest.approx(followed(model, tiny.cell, 3))
        assert len(found.patched) == len(model.blocks)
    wild = untrained(PRODUCT, std=0.6)
    assert leaks(wild, PRODUCT, 4).unpatched == pytest.approx(followed(wild, PRODUCT, 4))


def test_a_trained_input_has_nothing_to_patch(tiny: Taught) -> None:
    for model in (*tiny.models, untrained(tiny.cell, std=0.6)):
        found = leaks(model, tiny.cell, 2, samples=50)
        assert found.patched == (found.unpatched,) * 2


@pytest.mark.parametrize("layer", [0, 1])
def test_a_leak_is_found_in_the_block_that_was_given_it(layer: int) -> None:
    """The model answers 1 at each longer input, and 0 once it sees that of the trained one."""
    _, short = pairs(PRODUCT, 4, PATCHED)
    zero = float((PRODUCT.format.results(short) == 0).mean())
    assert 0.6 < zero < 0.9
    model = leaking(layer)
    found = leaks(model, PRODUCT, 4)
    assert found.unpatched == found.patched[1 - layer] == pytest.approx(1 - zero)
    assert found.patched[layer] == pytest.approx(zero)
    assert leaks(model, PRODUCT, 4) == found  # it is left as it was
