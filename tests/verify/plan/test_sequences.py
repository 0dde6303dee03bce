"""Examples: each layout, and numbers of any size."""

from __future__ import annotations

import numpy as np
import pytest
from builders.layouts import PADDED

from arith.theory.setting.expressions import parse_task
from arith.theory.setting.layouts import layout
from arith.theory.setting.tasks import named_task
from arith.verify.plan.sequences import Format


def small(name: str = "add", digits: int = 3, form: str = "aligned", base: int = 10) -> Format:
    return Format(named_task(name), base, layout(form), digits)


@pytest.mark.parametrize("name", PADDED)
def test_every_layout_writes_each_digit_once(name: str) -> None:
    form = small(form=name)
    operands = np.array([[[1, 2, 3], [4, 5, 6]]])
    padded = np.zeros((1, 2, form.width), dtype=np.int64)
    padded[:, :, :3] = operands
    sequence = form.write(padded, form.results(padded))[0].tolist()
    # 321 + 654 = 975
    expected = {
        "plain": [10, 3, 2, 1, 11, 6, 5, 4, 12, 0, 9, 7, 5],
        "reversed": [10, 3, 2, 1, 11, 6, 5, 4, 12, 5, 7, 9, 0],
        "aligned": [10, 1, 2, 3, 11, 4, 5, 6, 12, 5, 7, 9, 0],
        "interleaved": [10, 1, 4, 5, 2, 5, 7, 3, 6, 9, 0, 0, 0],
        "bare": [10, 1, 2, 3, 0, 4, 5, 6, 0, 5, 7, 9, 0],
    }
    assert sequence == expected[name]


def test_numbers_beyond_64_bits_are_exact() -> None:
    form = Format(named_task("mul"), 10, layout("aligned"), 30)
    operands = np.random.default_rng(0).integers(0, 10, (5, 2, 30))
    a, b = form.values(operands)
    digits = form.results(operands)
    for n in range(5):
        product = "".join(map(str, reversed(digits[n].tolist())))
        assert int(product) == int(a[n]) * int(b[n])


def test_a_modulus_is_exact_where_products_pass_64_bits() -> None:
    form = Format(parse_task("(a*a*a*b) % 1000"), 10, layout("aligned"), 8)
    operands = np.full((1, 2, 8), 9)
    assert form.results(operands)[0].tolist() == [1, 0, 0]  # (10^8 - 1)^4 mod 1000
