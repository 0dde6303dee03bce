"""Boxes modulo p: on how many members do a polynomial and its learned function agree mod p?

The digits of a box are independent, so what the model reads of an operand and what it
misses are independent numbers, each known by how often it falls on each residue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import gcd, prod

import numpy as np

from theory.counting.residue_polynomials import Operand, polynomial_matches, polynomial_unchanged
from theory.counting.residue_products import product_matches
from theory.counting.residues import Row, convolve, digit_sum, interval, scale, unchanged
from theory.errors import NotCountable
from theory.inference.support import Support
from theory.numbers.integer_arrays import Array
from theory.setting.boxes import Box
from theory.setting.tasks import Task

LARGEST_MODULUS = 5_000_000
LARGEST_PRODUCT_MODULUS = LARGEST_KEYED_MODULUS = 100_000


def congruent(task: Task, p: int, support: Support, box: Box, base: int) -> int:
    """How many members of a box have ``P(x) = P(r(x))`` mod p.

    Args:
        task: gives the polynomial P; its own modulus and divisor are left aside.

    Raises:
        NotCountable: p is too large for the polynomial.
    """
    common = gcd(p, *(c for c, e in task.terms if any(e)))
    p //= common
    terms = [(c // common, e) for c, e in task.terms if any(e) and c // common % p]
    used = [j for j in range(task.operands) if any(e[j] for _, e in terms)]
    changed = [i for j in used for i in _changed(support, box, j)]
    lowest = min(changed, default=1)
    step = gcd(p, base ** (lowest - 1)) if changed else p
    if step == p:  # what the model misses is 0 mod p
        return box.size
    terms = [(c, tuple(e[j] for j in used)) for c, e in terms]
    is_product = len(terms) == 1 and terms[0][1] == (1, 1)
    if is_product:
        _check(p, LARGEST_PRODUCT_MODULUS)
    else:
        _check(p // step, LARGEST_MODULUS)
    operands = [_operand(support, box, base, j, p, step, lowest) for j in used]
    unused = prod(
        len(values) for j in range(task.operands) if j not in used for values in box.digits[j]
    )
    if is_product:
        a, b = operands
        return unused * product_matches(a.seen, a.moved, b.seen, b.moved, step)
    return unused * polynomial_matches(terms, p, step, operands)


def key_matches(
    task: Task,
    p: int,
    support: Support,
    box: Box,
    base: int,
    keys: Callable[[Array], Sequence[Array]],
) -> list[int]:
    """How many members of a box have ``key[P(x) mod p] = key[P(r(x)) mod p]``, for each key.

    Args:
        task: gives the polynomial P; its own modulus and divisor are left aside.
        keys: gives what is compared, k arrays of shape ``(p,)``, for the residues mod p, ``(p,)``.

    Raises:
        NotCountable: p is too large for the polynomial.
    """
    _check(p, LARGEST_KEYED_MODULUS)
    table = np.stack(keys(np.arange(p)))
    operands = [_operand(support, box, base, j, p, 1, 1) for j in range(task.operands)]
    if not task.is_linear:
        return polynomial_unchanged(task.terms, p, operands, table)
    constant = sum(c for c, e in task.terms if not any(e))
    seen, missed = interval(p, constant, constant + 1), interval(p, 0, 1)
    for j, operand in enumerate(operands):
        coefficient = sum(c for c, e in task.terms if e[j])
        seen = convolve(seen, scale(operand.seen, coefficient))
        missed = convolve(missed, scale(operand.moved, coefficient))
    return unchanged(seen, missed, table)


def _check(p: int, largest: int) -> None:
    if p > largest:
        raise NotCountable(f"more than {largest} residues are too many to be counted exactly")


@lru_cache(maxsize=64)
def _changes(support: Support, box: Box, operand: int) -> tuple[Row, ...]:
    """Per ignored position, the differences between the digit there and the one acted upon."""
    return tuple(
        (i, _differences(box.values(operand, i), constant))
        for i in range(1, max(box.width, support.width) + 1)
        if (constant := support.constant((operand, i))) is not None
    )


@lru_cache(maxsize=1024)  # one tuple for all positions that are alike
def _differences(values: tuple[int, ...], constant: int) -> tuple[int, ...]:
    return tuple(d - constant for d in values)


@lru_cache(maxsize=64)
def _changed(support: Support, box: Box, operand: int) -> tuple[int, ...]:
    """The ignored positions at which some member has another digit than the one acted upon."""
    return tuple(i for i, values in _changes(support, box, operand) if any(values))


def _operand(
    support: Support, box: Box, base: int, j: int, p: int, step: int, lowest: int
) -> Operand:
    """Operand j as what is read of it and, in units of step, what is missed; mod ``p / step``.

    Args:
        step: a divisor of ``base**(lowest - 1)``.
        lowest: a position below which nothing is missed.
    """
    q = p // step
    read = [
        (i, box.values(j, i))
        for i in range(1, support.width + 1)
        if support.constant((j, i)) is None
    ]
    missed = [(i - lowest + 1, v) for i, v in _changes(support, box, j) if i >= lowest]
    constant = support.offset(j)
    seen = digit_sum(q, base, read)
    if constant:
        seen = convolve(seen, interval(q, constant, constant + 1))
    return Operand(seen, digit_sum(q, base, missed, step=base ** (lowest - 1) // step))
