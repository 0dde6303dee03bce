"""Properties of a task that decide how it generalizes, each decided from its terms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from math import gcd, lcm

from arith.theory.arithmetic.canonical import Term, canonical
from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.effort import LIMIT
from arith.theory.arithmetic.tasks import Task, digit_count


def base_aligned(p: int, base: int) -> int | None:
    """The least k with p dividing ``base**k``, None where p divides no power of the base.

    Digits above position k then change nothing modulo p (arXiv 2407.17963).
    """
    powers = range(p.bit_length())  # each digit takes a factor of 2 or more from p
    return next((k for k in powers if base**k % p == 0), None)


def residual_modulus(p: int, base: int, digits: int) -> int:
    """``p' = p / gcd(p, base**digits)``: what is left of p for the digits above ``digits``."""
    return p // gcd(p, base**digits)


def translation_invariant(task: Task) -> bool:
    """Whether ``f(B x) = B f(x)``: a shift of all operands shifts the result (arXiv 2407.17963)."""
    return task.repeats and task.is_linear and not task.constant


def shift_difference(task: Task, base: int) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """The terms and operands of ``f(B x) - B f(x)``, of the polynomial f, modulo p if there is one.

    A single term, 0, where a shift of all operands shifts the result.
    """
    terms = tuple((c * (base ** sum(e) - base), e) for c, e in task.terms)
    return canonical(terms, task.names, task.modulus)


@dataclass(frozen=True)
class Witness:
    """Two operand tuples that agree on digits 1..j, and whose results do not."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    digits: int

    def text(self) -> str:
        """The witness as a sentence."""
        first, second = (", ".join(map(str, x)) for x in (self.first, self.second))
        return (
            f"f({first}) and f({second}) agree on the operands' lowest {self.digits} digit(s) "
            "and differ on the result's"
        )


@lru_cache(maxsize=4096)
def digit_causal(task: Task, base: int) -> tuple[Decision, Witness | None]:
    """Whether digits 1..j of the result depend on those of the operands only; if not, a witness.

    Integer polynomials are digit causal, as they respect congruences mod ``B**j``.  Reduction mod p
    keeps that exactly when ``B**(M-1)`` divides p and p divides ``B**M``, M the digits of p - 1,
    because ``x -> x mod p`` has to be a function of ``x mod B**j`` for each j <= M.  A polynomial
    that misses some residues can still be causal for another p; that is decided where a whole
    period is small enough to be searched.  The absolute value, which is what is written of a signed
    result, does not keep it, nor does a function of digits.
    """
    p = task.modulus
    if not task.follows_polynomial:  # two digits of a result show it
        witness = _search_small(task, base**2 + 1, base, 2)
        return Decision.UNDECIDED if witness is None else Decision.NO, witness
    m = 1 if p is None else digit_count(p - 1, base)
    if task.degree == 0 or p is None or (p % base ** (m - 1) == 0 and base**m % p == 0):
        return Decision.YES, None
    witness = _search_small(task, p, base, m)
    if witness is None:
        # The result depends on the operands mod p only: a whole period decides.
        period = lcm(p, base**m)
        if period**task.operands * m * task.steps > _MOST_WORK:
            return Decision.UNDECIDED, None
        witness = _search_period(task, base, m, period)
    return Decision.of(witness is None), witness


_MOST_LOWS, _MOST_SHIFTS = 200, 200
_MOST_WORK = LIMIT // 5_000
"""Multiplications and additions for one answer at most (about a second)."""


def _search_small(task: Task, p: int, base: int, result_width: int) -> Witness | None:
    """A violation with few digits; one operand's upper part is moved at a time."""
    work = 0
    for j in range(1, result_width + 1):
        scale = base**j
        if p % scale == 0:
            continue  # the reduction keeps these digits, and the polynomial is causal
        past = {-(-p // (scale * abs(c))) for c, _ in task.terms}  # a reduction breaks there
        shifts = [1, *sorted(past - {1}), *range(2, min(p, _MOST_SHIFTS) + 1)]
        # 1 first: it makes products move with each operand.
        digits = [1, 0, *range(2, min(scale, p, _MOST_LOWS))]
        for low in islice(product(digits, repeat=task.operands), _MOST_LOWS):
            expected = abs(task.evaluate(*low))
            for operand, t in product(range(task.operands), shifts):
                work += task.steps
                if work > _MOST_WORK:
                    return None
                moved = list(low)
                moved[operand] += scale * t
                if (abs(task.evaluate(*moved)) - expected) % scale:
                    return Witness(low, tuple(moved), j)
    return None


def _search_period(task: Task, base: int, result_width: int, period: int) -> Witness | None:
    """The first violation among all operands below a period."""
    for j in range(1, result_width + 1):
        scale = base**j
        first: dict[tuple[int, ...], tuple[int, ...]] = {}
        for x in product(range(period), repeat=task.operands):
            other = first.setdefault(tuple(v % scale for v in x), x)
            if task.evaluate(*other) % scale != task.evaluate(*x) % scale:
                return Witness(other, x, j)
    return None
