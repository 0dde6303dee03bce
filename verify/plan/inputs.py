"""Test inputs: the same for every model of a cell, and which of them were held out of training."""

from __future__ import annotations

import contextlib
from functools import lru_cache

import numpy as np

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.observed import ObservedDomain, shapes_of, widths_of
from arith.theory.errors import InvalidInput
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import default_model
from arith.verify.data.sampling import (
    HELD_OUT,
    Sampler,
    box_digits,
    drawn_file,
    is_partial,
    wanted,
    with_operations,
)
from arith.verify.data.sequences import Format
from arith.verify.plan import premise
from arith.verify.plan.cells import Cell

SAMPLES = 10_000
"""Inputs per test length; a domain no larger than this is tested whole.

The 90 % interval of a share is then at most .0165 wide.  Where spaces stand at random no domain
is tested whole: a sample has its operands with different spaces.  Nor is it where the operands'
lengths are drawn first, and each tuple is not as likely as any other.
"""
_COUNTED = 20 * SAMPLES
"""Domains up to this size are searched whole for their held-out inputs; larger ones have enough."""
EVALUATION_SEED = 20240717


@lru_cache(maxsize=16)
def inputs(cell: Cell, domain: Domain, held_out: bool | None) -> tuple[np.ndarray, bool]:
    """Test inputs ``(n, k, N)`` of a domain, the same for every model, and whether they are all.

    They are remembered, and not to be changed.

    Raises:
        InvalidInput: there are none.
    """
    if held_out and cell.setting.train.holdout == "position":
        return _held_out_of_file(cell, domain), False
    sampler = Sampler(cell.format_for(domain.lengths[-1]), domain)
    layouts = cell.setting.layout, cell.setting.test_layout
    spaced = any(x and x.spaced for x in layouts)
    whole = domain.even and not (domain.priming or spaced)
    if whole and (sampler.size <= SAMPLES or (held_out and sampler.size <= _COUNTED)):
        everything = sampler.everything(held_out)
        if not len(everything):
            raise sampler.nothing(held_out)
        if len(everything) <= SAMPLES:
            return everything, True
    rng = np.random.default_rng([EVALUATION_SEED, *domain.lengths])
    return sampler.sample(SAMPLES, rng, held_out), False


def _held_out_of_file(cell: Cell, domain: Domain) -> np.ndarray:
    """The inputs ``(n, k, N)`` of a domain that are held out by position (InvalidInput: none)."""
    _, held_out = drawn_file(cell.training_format, cell.setting.train)
    long = widths_of(held_out)
    shapes, number = shapes_of(long)
    inside = np.array([domain.has_lengths(tuple(x)) for x in shapes.tolist()], dtype=bool)
    width = cell.format_for(domain.lengths[-1]).width
    found = held_out[inside[number]][:SAMPLES, :, :width]
    if not len(found):
        raise InvalidInput(f"{domain.text()} has no held-out examples among those drawn")
    return found


def inputs_at(cell: Cell, digits: int) -> tuple[np.ndarray, bool]:
    """What a model is tested on at one length ``(n, k, N)``, and whether that is all there is.

    At a length whose whole test domain was trained these are held-out inputs, if it has any; where
    the test domain is another (``Setting.is_premise``), most of them were trained on.
    """
    domain = cell.setting.test(digits)
    if cell.setting.is_premise(digits):
        with contextlib.suppress(InvalidInput):
            return inputs(cell, domain, held_out=True)
    return inputs(cell, domain, held_out=None)


def held_out_inputs(cell: Cell) -> list[np.ndarray]:
    """What the premise is measured on: held-out inputs ``(n, k, N)`` of each trained length.

    A length without any is left out.

    Raises:
        InvalidInput: no length has any.
    """
    found = []
    for n in cell.setting.train.every_length:
        with contextlib.suppress(InvalidInput):
            found.append(inputs(cell, cell.setting.train.of_length(n), held_out=True)[0])
    if not found:
        raise InvalidInput(
            f"{cell.setting.train.text()}: no input can be held out of training (about one in "
            f"{HELD_OUT} is, and here are too few), so nothing could be tested; train on more "
            "digits or in a larger base"
        )
    return found


def held_out_count(cell: Cell) -> int:
    """How many inputs ``held_out_inputs`` has; large domains are not drawn from.

    Where spaces stand at random each operand tuple counts once, however they stand.
    """
    s, task = cell.setting, cell.setting.task
    if s.train.holdout == "position":
        return sum(map(len, held_out_inputs(cell)))
    known = s.base, task.operands, task.symmetric_operands, len(task.operations)
    return sum(
        _held_out(
            s.train.of_length(n), *known, cell.format_for(n) if is_partial(task) else None, SAMPLES
        )
        for n in s.train.every_length
    )


def unjudged(cell: Cell) -> str:
    """Why no model of a cell can be judged, as too few inputs are held out; empty where one can."""
    independent = premise.independent(cell.setting.task, held_out_count(cell))
    few = premise.too_few(independent)
    return few and f"No model can be judged: {few} (arith theorems convergence)."


def unjudged_setting(setting: Setting) -> str:
    """``unjudged`` of models of a setting; empty if it is that of a file, which we do not split."""
    if isinstance(setting.train, ObservedDomain):
        return ""
    with contextlib.suppress(InvalidInput):  # no model of ours takes it
        return unjudged(Cell(setting, default_model(setting.task)))
    return ""


@lru_cache(maxsize=4096)
def _held_out(
    domain: Domain,
    base: int,
    operands: int,
    alike: tuple[tuple[int, ...], ...],
    operations: int,
    ordered: Format | None,
    most: int,
) -> int:
    """The test inputs of one length; tasks that are defined on the same inputs share the count."""
    [length] = domain.lengths
    cut = domain.cut(length, base, operands)
    boxes = [box for one in cut for box in with_operations(one, operations)]
    if sum(box.size for box in boxes) > _COUNTED:
        return most
    digits = box_digits(boxes, domain.places(length) if ordered is None else ordered.width)
    return min(most, int(np.count_nonzero(wanted(digits, True, alike, ordered))))
