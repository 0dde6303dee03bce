"""Examples: sampling, layouts and the held-out split."""

from __future__ import annotations

import numpy as np
import pytest

from theory.errors import InvalidInput
from theory.setting.domains import Domain
from theory.setting.expressions import parse_task
from theory.setting.layouts import LAYOUTS, layout
from theory.setting.tasks import named_task
from verify.plan.sequences import HELD_OUT, Format, Sampler, is_held_out


def small(name: str = "add", digits: int = 3, form: str = "aligned", base: int = 10) -> Format:
    return Format(named_task(name), base, layout(form), digits)


@pytest.mark.parametrize("name", LAYOUTS)
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


def test_samples_are_uniform_on_the_domain() -> None:
    form = small(digits=2, base=3)
    sampler = Sampler(form, Domain((2,)))
    drawn = sampler.sample(60_000, np.random.default_rng(0))
    values = np.stack(form.values(drawn), axis=1)
    found, counts = np.unique(values, axis=0, return_counts=True)
    expected = sampler.everything()
    assert len(found) == len(expected) == 9**2 - 3**2
    assert counts.std() / counts.mean() < 0.08  # 60000 / 72 draws each: sampling gives 0.035


def test_held_out_tuples_are_never_trained_on() -> None:
    sampler = Sampler(small(digits=2), Domain((2,)))
    rng = np.random.default_rng(0)
    trained = sampler.sample(20_000, rng, held_out=False)
    held = sampler.everything(held_out=True)
    pairs = {tuple(x.ravel()) for x in trained}
    assert not pairs & {tuple(x.ravel()) for x in held}
    assert len(held) == pytest.approx(9900 / HELD_OUT, rel=0.2)


def test_a_domain_without_held_out_tuples_is_an_error_and_no_endless_search() -> None:
    sampler = Sampler(small(digits=1, base=2), Domain((1,)))
    assert len(sampler.everything(held_out=True)) == 0
    with pytest.raises(InvalidInput, match="D_1 has no held-out examples"):
        sampler.sample(10, np.random.default_rng(0), held_out=True)


def test_the_split_does_not_depend_on_the_padding() -> None:
    digits = np.random.default_rng(0).integers(0, 10, (500, 2, 4))
    wider = np.concatenate([digits, np.zeros((500, 2, 3), dtype=np.int64)], axis=2)
    assert (is_held_out(digits) == is_held_out(wider)).all()


def test_subtraction_is_sampled_where_it_is_defined() -> None:
    form = small("sub")
    drawn = Sampler(form, Domain((3,))).sample(500, np.random.default_rng(0))
    a, b = form.values(drawn)
    assert (a >= b).all()


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
