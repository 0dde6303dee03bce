"""Sampling: uniform on the domain, and never a held-out tuple in training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders.cells import cell, natural_cell

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.observed import widths_of
from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request
from arith.theory.transformer.layouts import layout
from arith.verify.data.sampling import HELD_OUT, Sampler, is_held_out
from arith.verify.data.sequences import Format, NaturalFormat
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import inputs
from arith.verify.plan.plan import Plan


def small(name: str = "add", digits: int = 3, form: str = "aligned", base: int = 10) -> Format:
    return Format(named_task(name), base, layout(form), digits)


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


def test_mirrored_tuples_are_held_out_together() -> None:
    digits = np.random.default_rng(0).integers(0, 10, (2000, 3, 4))
    swapped = digits[:, [1, 0, 2]]
    for alike, same in ((((0, 1), (2,)), True), ((), False), (((0,), (1,), (2,)), False)):
        held_out, other = is_held_out(digits, alike), is_held_out(swapped, alike)
        assert (held_out == other).all() == same
        assert 0.03 < held_out.mean() < 0.07


def test_no_training_tuple_is_the_mirror_image_of_a_held_out_one() -> None:
    form = small("add")
    sampler = Sampler(form, Domain((2,)))
    trained = {x.tobytes() for x in sampler.everything(held_out=False)}
    for x in sampler.everything(held_out=True):
        assert np.ascontiguousarray(x[::-1]).tobytes() not in trained


@pytest.mark.parametrize(("kind", "n"), [("lengths", 3), ("total", 5)])
def test_lengths_are_drawn_first(kind: str, n: int) -> None:
    form = NaturalFormat(named_task("add"), 3, layout("aligned"), n)
    sampler, domain = Sampler(form, Domain((n,), kind)), Domain((n,), kind)
    drawn = sampler.sample(20_000, np.random.default_rng(0))
    widths = widths_of(drawn)
    found, counts = np.unique(widths, axis=0, return_counts=True)
    assert {tuple(w) for w in found.tolist()} == set(domain.operand_lengths(n, 2))
    assert counts.std() / counts.mean() < 0.06  # 20000 / 5 or 4 draws each: sampling gives 0.015
    values = [x.tolist() for x in form.values(drawn[:100])]
    assert all(domain.contains(x, 3) for x in zip(*values, strict=True))
    assert sampler.size == len({tuple(x.ravel()) for x in sampler.everything()})


@pytest.mark.parametrize("padding", ["fixed", "none"])
@pytest.mark.parametrize(
    ("weights", "shares"),
    [("", [1 / 6] * 6), ("1:2,2:1,3:1", [1 / 2, *[1 / 12] * 3, *[1 / 8] * 2]), ("uniform", None)],
)
def test_each_operand_has_lengths_of_its_own(
    padding: str, weights: str, shares: list[float] | None
) -> None:
    words: dict[str, Any] = {"train_digits": "1-3x1-2", "train_weights": weights}
    c = Cell(Request("add", base=3, padding=padding, **words).setting(), "pico")
    drawn = Sampler(c.training_format, c.setting.train).sample(20_000, np.random.default_rng(0))
    widths = [tuple(w) for w in widths_of(drawn).tolist()]
    found = [widths.count(w) / 20_000 for w in ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2))]
    expected = shares or [x / (27 * 9) for x in (9, 18, 18, 36, 54, 108)]
    assert sum(found) == pytest.approx(1)
    assert found == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize(("kind", "uneven"), [("lengths", True), ("longest", False)])
def test_a_small_domain_is_sampled_where_its_tuples_are_not_alike(kind: str, uneven: bool) -> None:
    c = natural_cell("rpe", "aligned", test_kind=kind, train=Domain((1, 2, 3), "every"))
    operands, whole = inputs(c, c.setting.test(2), None)
    assert whole is not uneven
    both = (operands[:, :, 1] > 0).all(1).mean()
    assert both == pytest.approx(1 / 3 if uneven else 0.818, abs=0.02)


@pytest.mark.parametrize(("task", "digits", "most"), [("add", 2, 9449), ("sub", 1, 52)])
def test_a_plan_asks_for_no_more_pairs_than_can_be_drawn(task: str, digits: int, most: int) -> None:
    def asked(pairs: int) -> Cell:
        return cell(task, train=Domain((digits,), pairs=pairs))

    Plan([asked(most)])
    drawn = Sampler(asked(most).training_format, asked(most).setting.train)
    assert len(drawn.distinct(most, np.random.default_rng(0))) == most
    with pytest.raises(InvalidInput, match=f"at most {most:,} different operand tuples"):
        Plan([asked(most + 1)])
