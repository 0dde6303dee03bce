"""Interactions: which digits of the operands a result depends on together."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import factorial, prod

from theory.inference.carries import carry_range
from theory.inference.support import OperandDigit, Support
from theory.numbers.effort import remembered, spend
from theory.setting.decision import Decision
from theory.setting.properties import digit_causal

_STEPS_PER_PRODUCT = 30_000
"""Steps for one product of digits, and for looking later whether training showed it."""


@remembered(4096)
def interactions(support: Support) -> tuple[frozenset[OperandDigit], ...]:
    """The sets of needed digits that the result depends on together.

    A digit causal task couples the digits that a term multiplies, unless the product is 0 modulo p,
    and the digits at a position where training did not show that they are added.  It reads the
    others one by one.  A task that is not known to be digit causal couples all digits.

    Raises:
        TooMuchWork: a term multiplies too many digits.
    """
    task, base = support.task, support.base
    if digit_causal(task, base)[0] is not Decision.YES:
        return (frozenset(support.needed),) if support.needed else ()
    groups = {frozenset({digit}) for digit in support.needed}
    positions = [[i for k, i in support.needed if k == j] for j in range(task.operands)]
    for coefficient, exponents in task.terms:
        if sum(exponents) < 2:
            continue
        factors = [j for j, e in enumerate(exponents) for _ in range(e)]
        spend(_STEPS_PER_PRODUCT * prod(len(positions[j]) for j in factors))
        for chosen in product(*(positions[j] for j in factors)):
            digits = tuple(zip(factors, chosen, strict=True))
            weight = coefficient * base ** sum(i - 1 for i in chosen)
            if task.full_modulus is None or _times(digits) * weight % task.full_modulus:
                groups.add(frozenset(digits))
    for i in range(1, support.width + 1):
        together = frozenset(digit for digit in support.needed if digit[1] == i)
        if together and not _adding_shown(support, together, i):
            groups.add(together)
    return tuple(sorted(groups, key=lambda s: (len(s), sorted(s))))


def _times(digits: tuple[OperandDigit, ...]) -> int:
    """How often a monomial, multiplied out, has this product of digits."""
    powers = Counter(j for j, _ in digits)
    orders = prod(map(factorial, powers.values()))
    return orders // prod(map(factorial, Counter(digits).values()))


def _adding_shown(support: Support, together: frozenset[OperandDigit], position: int) -> bool:
    """Whether training is known to have shown that the digits at a position are added.

    It has not where the carry into the position is built in, or may be, and where two operands
    showed two values each.
    """
    carry = carry_range(support, position)
    if carry is None or carry[0] == carry[1] != 0:
        return False
    values = [
        {v % (support.period((j, i)) or support.base) for v in support.seen[j][i - 1]}
        for j, i in together
    ]
    return [len(vs) for vs in values] != [2, 2]
