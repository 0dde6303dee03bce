"""Boxes modulo p: on how many members do a polynomial and its learned function agree mod p?

The digits of a box are independent, so what the model reads of an operand and what it
misses are independent numbers, each known by how often it falls on each residue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, prod

import numpy as np

from arith.theory.counting.residue_polynomials import (
    polynomial_matches,
    polynomial_unchanged,
)
from arith.theory.counting.residue_products import product_matches
from arith.theory.counting.residues import (
    Operand,
    Row,
    convolve,
    digit_sum,
    interval,
    scale,
    translate,
    unchanged,
)
from arith.theory.errors import NotCountable
from arith.theory.inference.learned import LearnedFunction
from arith.theory.numbers.effort import ENTRIES
from arith.theory.numbers.integer_arrays import Array
from arith.theory.setting.boxes import Box

LARGEST_MODULUS = ENTRIES // 2
LARGEST_PRODUCT_MODULUS = LARGEST_KEYED_MODULUS = ENTRIES // 100


def congruent(learned: LearnedFunction, box: Box, p: int) -> int:
    """How many members of a box have ``P(x) = P(r(x))`` mod p.

    P is the polynomial of the task; its own modulus and divisor are left aside.

    Raises:
        NotCountable: p is too large for the polynomial.
    """
    task = learned.task
    common = gcd(p, *(c for c, e in task.terms if any(e)))
    p //= common
    terms = [(c // common, e) for c, e in task.terms if any(e) and c // common % p]
    used = [j for j in range(task.operands) if any(e[j] for _, e in terms)]
    changed = [i for j in used for i, values in _missed(learned, box, j) if any(values)]
    lowest = min(changed, default=1)
    step = gcd(p, learned.base ** (lowest - 1)) if changed else p
    if step == p:  # what the model misses is 0 mod p
        return box.size
    terms = [(c, tuple(e[j] for j in used)) for c, e in terms]
    is_product = len(terms) == 1 and terms[0][1] == (1, 1)
    if is_product:
        _check(p, LARGEST_PRODUCT_MODULUS)
    else:
        _check(p // step, LARGEST_MODULUS)
    operands = [_operand(learned, box, j, p, step, lowest) for j in used]
    unused = prod(Box((row,)).size for j, row in enumerate(box.digits) if j not in used)
    if is_product:
        a, b = operands
        return unused * product_matches(a.seen, a.moved, b.seen, b.moved, step)
    return unused * polynomial_matches(terms, p, step, operands)


def key_matches(
    learned: LearnedFunction, box: Box, p: int, keys: Callable[[Array], Sequence[Array]]
) -> list[int]:
    """How many members of a box have ``key[P(x) mod p] = key[P(r(x)) mod p]``, for each key.

    P is the polynomial of the task; its own modulus and divisor are left aside.

    Args:
        keys: gives what is compared, k arrays of shape ``(p,)``, for the residues mod p, ``(p,)``.

    Raises:
        NotCountable: p is too large for the polynomial.
    """
    _check(p, LARGEST_KEYED_MODULUS)
    task = learned.task
    table = np.stack(keys(np.arange(p)))
    operands = [_operand(learned, box, j, p) for j in range(task.operands)]
    if not task.is_linear:
        return polynomial_unchanged(task.terms, p, operands, table)
    constant = task.constant
    seen, missed = interval(p, constant, constant + 1), interval(p, 0, 1)
    for j, operand in enumerate(operands):
        coefficient = task.coefficients[j]
        seen = convolve(seen, scale(operand.seen, coefficient))
        missed = convolve(missed, scale(operand.moved, coefficient))
    return unchanged(seen, missed, table)


def _check(p: int, largest: int) -> None:
    if p > largest:
        raise NotCountable(f"more than {largest} residues are too many to be counted exactly")


def _operand(
    learned: LearnedFunction, box: Box, j: int, p: int, step: int = 1, lowest: int = 1
) -> Operand:
    """Operand j as what is read of it and, in units of step, what is missed; mod ``p / step``.

    Args:
        step: a divisor of ``base**(lowest - 1)``.
        lowest: a position below which nothing is missed.
    """
    base, q = learned.base, p // step
    read = [(i, box.values(k, i)) for k, i in learned.support.read if k == j]
    missed = [(i - lowest + 1, v) for i, v in _missed(learned, box, j) if i >= lowest]
    return Operand(
        seen=translate(digit_sum(q, base, read), learned.support.offset(j)),
        moved=digit_sum(q, base, missed, step=base ** (lowest - 1) // step),
    )


def _missed(learned: LearnedFunction, box: Box, operand: int) -> list[Row]:
    """Per ignored position, the differences between the digit there and the one acted upon."""
    return [
        (i, [d - constant for d in box.values(operand, i)])
        for i in range(1, max(box.width, learned.support.width) + 1)
        if (constant := learned.support.constant((operand, i))) is not None
    ]
