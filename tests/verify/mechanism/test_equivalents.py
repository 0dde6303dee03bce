"""Equivalents: what a long input is predicted to be taken for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders.cells import cell
from builders.tiny_models import untrained

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.domains import Domain
from arith.theory.setting.tasks import named_task
from arith.verify.mechanism.equivalence import equivalence, equivalents, pairs
from arith.verify.plan.sampling import Sampler


def test_a_long_input_is_equivalent_to_its_low_digits() -> None:
    c = cell()
    operands = Sampler(c.format, Domain((3,))).sample(20, np.random.default_rng(0))
    for whole, low in zip(
        c.format.values(operands), c.format.values(equivalents(c, operands)), strict=True
    ):
        assert (low == whole % 100).all()
        assert (low != whole).any()


ODD: dict[str, dict[str, Any]] = {
    "a constant other than zero": {"train": Domain((3,), allowed=((2, (4,)),))},
    "each operand long": {"train": Domain((2,), "every")},
    "a modulus": {"task": named_task("mod_mul", 101)},
    "a gap": {"train": Domain((1, 3), allowed=((2, (0,)),))},
    "subtraction": {"task": named_task("sub")},
}


@pytest.mark.parametrize("kind", ODD)
def test_the_learned_function_is_the_task_at_the_equivalent_input(kind: str) -> None:
    c = cell(**(ODD[kind] | {"test_lengths": (2, 3, 4)}))
    long, short = pairs(c, 4, 100)
    learned = predict(c.setting).learned
    assert learned is not None
    values = c.format.values(short)
    assert (c.format.task.evaluate(*values) == learned.evaluate(*c.format.values(long))).all()
    for x in zip(*values, strict=True):
        assert c.setting.train.contains(tuple(map(int, x)), 10)
    assert (c.format.results(short) >= 0).all()
    assert len(long) == 100
    assert (long != short).any(axis=(1, 2)).all()


def test_where_nothing_is_ignored_nothing_is_equivalent() -> None:
    goes_on = cell(form="interleaved", pe="rpe", window=6, train=Domain((3,)))
    for c in (cell(pe="rope"), goes_on):
        with pytest.raises(InvalidInput, match="no positions are predicted to be ignored"):
            equivalence(untrained(c), c, 3)


def test_a_length_without_equivalents_is_refused() -> None:
    c = cell()
    with pytest.raises(InvalidInput, match=r"no input of 1 digit\(s\) is equivalent to one in D_2"):
        pairs(c, 1, 10)
