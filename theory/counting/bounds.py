"""Bounds: how often answers can be right that do not depend on a digit that is needed, exactly.

A model whose answer does not depend on a digit X gives one answer for all values of X, where all
other digits are the same.  So of these values it is right on as many, at most, as have one answer.
If no query depends on a digit that a later query lacks (*locality*), the chances of several result
digits multiply.  The proofs are in ``docs/proofs.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial, reduce
from math import gcd, lcm
from operator import itemgetter

import numpy as np

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import ENTRIES, memoize_with_cost, spend
from arith.theory.arithmetic.integer_arrays import Array, combinations
from arith.theory.arithmetic.tasks import Task
from arith.theory.observation.addresses import Chances, Finding, Missing, grouped, writes_carry
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import Layout

_MOST_TUPLES = ENTRIES // 100
"""Tuples of units digits that are tried."""


def most_right(
    setting: Setting, test: Domain, findings: list[Finding], local: bool = False
) -> Fraction:
    """The largest share of the inputs of a test domain that can be right.

    Of each tuple of operands' lengths, whatever the length of the result, no more can be right
    than without the digits that are missing throughout; nor more than the sum over the results'
    lengths, in each of which no more can be right than it has inputs, nor than without the digits
    that are missing there.

    Args:
        local: chances of several digits multiply.
    """
    spend(sum(50_000 + 100 * max(x.shape.widths) for x in findings))
    right, every = Counter[int](), Counter[int]()  # numerators by denominator
    guess = cache(partial(best_guess, setting))
    least = _local if local else _least
    # Where not, results of two lengths may agree in all that a missing digit has a part in.
    is_one = not setting.task.needs_order or (
        setting.base > 2 and {*map(abs, setting.task.coefficients)} == {1}
    )
    for group in grouped(findings):
        inputs, widths = sum(x.shape.inputs for x in group), group[0].shape.widths
        guessed = partial(_guessed, guess, widths if _by_place(setting.task, widths) else ())
        # At one result digit a digit is missing throughout if it is in all of the shapes.
        common = reduce(_in_both, (x.missing for x in group))
        if len(group) > 1 and not is_one:
            common = {
                kind: {i: x for i, x in at.items() if i == 1 or not kind.by_all}
                for kind, at in common.items()
            }
        together = least(guessed(common))
        each = [together if x.missing == common else least(guessed(x.missing)) for x in group]
        # Of a - b, operands with a < b are drawn again, lengths and all.
        weight = test.weight_of_input(widths, setting.base)
        unit = lcm(*(n.denominator for n in each), together.denominator)
        shares = [n.numerator * (unit // n.denominator) for n in (together, *each)]
        most = (
            min(unit * x.shape.inputs, inputs * n) for x, n in zip(group, shares[1:], strict=True)
        )
        right[unit * weight.denominator] += weight.numerator * min(inputs * shares[0], sum(most))
        every[weight.denominator] += weight.numerator * inputs
    return _added(right) / _added(every)


def _added(numerators: Counter[int]) -> Fraction:
    """The sum of fractions that were added up by denominator: fewer of them are reduced."""
    return sum((Fraction(n, unit) for unit, n in numerators.items()), Fraction(0))


_Guess = tuple[Fraction, bool, Mapping[int, Fraction]]
"""Missing digits with one best guess: how often it is right, whether all other queries that need
the digits lack them too, and the chance that each is missing, by result digit."""


def _guessed(
    guess: Callable[[Missing, tuple[int, ...], int], Fraction],
    widths: tuple[int, ...],
    missing: Chances,
) -> list[_Guess]:
    """Missing digits with their best guesses.

    Args:
        widths: the lengths of the operands; empty where a guess depends on the kind alone.
    """
    if not widths:
        return [(guess(kind, (), 0), kind.by_all, at) for kind, at in missing.items()]
    return [
        (guess(kind, widths, i), kind.by_all, {i: chance})
        for kind, at in missing.items()
        for i, chance in at.items()
    ]


def _in_both(one: Chances, other: Chances) -> Chances:
    """The digits that are missing in both, with the smaller chance."""
    return {
        kind: at
        if at == other[kind]
        else {i: min(x, other[kind][i]) for i, x in at.items() if i in other[kind]}
        for kind, at in one.items()
        if kind in other
    }


def _least(missing: list[_Guess]) -> Fraction:
    """The largest share that can be right without these digits; 1 if there is none."""
    each = ((share, chance) for share, _, at in missing for chance in _distinct([at]))
    right = (share if chance == 1 else 1 - chance * (1 - share) for share, chance in each)
    return min(right, default=Fraction(1))


def _local(missing: list[_Guess]) -> Fraction:
    """The same where chances of several result digits multiply.

    Where spaces move digits it is the mean over the choices of spaces, in the worst case: that all
    digits are missing whenever one is that is missing less often.
    """
    found, before = Fraction(1), Fraction(0)
    here = sorted(missing, key=itemgetter(0))
    for n, chance in enumerate(sorted({*_distinct(at for _, _, at in here)})):
        if n:
            here = [(x, all_, {i: c for i, c in at.items() if c >= chance}) for x, all_, at in here]
        above, below, places = 1, 1, set[int]()
        for share, by_all, at in here:  # the least first
            if not by_all:  # its best guess asks that all below is found
                more = len(at.keys() - places)
                above, below = above * share.numerator**more, below * share.denominator**more
                places |= at.keys()
        alone = next(share for share, _, at in here if at)
        found -= (chance - before) * (1 - min(alone, Fraction(above, below)))
        before = chance
    return found


def _distinct(chances: Iterable[Mapping[int, Fraction]]) -> list[Fraction]:
    """Chances without those that are one object: comparing takes long, and most are the same."""
    return list({id(x): x for at in chances for x in at.values()}.values())


def best_guess(setting: Setting, what: Missing, widths: Sequence[int], position: int) -> Fraction:
    """The largest share of the inputs of some lengths that can be right without a digit.

    Args:
        what: the digit, at a position of operands of these lengths.
    """
    task, base = setting.task, setting.base
    if not task.has_finite_carry:
        return _best_units(task, base, what.operand)
    number = base - 1 if what.top else base
    right = min(number, right_values(task, base, setting.layout, what))
    if _by_place(task, widths):
        return _of_differences(task, base, what.operand, widths[0], position, right)
    return Fraction(right, number)


def _by_place(task: Task, widths: Sequence[int]) -> bool:
    """Whether the best guess of a digit of operands of these lengths depends on its place too.

    It does for differences of two numbers of one length, whose digits are not independent.
    """
    return task.needs_order and len(widths) == 2 and widths[0] == widths[1]


def right_values(task: Task, base: int, layout: Layout, what: Missing) -> int:
    """On how many values of the digit one answer can be right, all other digits being the same."""
    factor = task.coefficients[what.operand]
    if writes_carry(layout):
        values = range(int(what.top), base)
        return max(Counter(factor * d % base for d in values).values())
    if factor and what.by_all:
        return 1  # one answer in full, and no two values have the same result
    return abs(factor) + 1 if factor else base  # what stands before it tells the carry out of it


@memoize_with_cost(1024)
def _best_units(task: Task, base: int, operand: int) -> Fraction:
    """The best guess of a polynomial's units digit, which depends on units digits alone."""
    n, tuples = task.modulus, base**task.operands
    is_told = task.follows_polynomial and (n is None or n % base == 0)
    if not is_told or tuples > _MOST_TUPLES:
        return Fraction(1)
    by_digit = np.moveaxis(_units(task, base), operand, -1).reshape(-1, base)
    spend(10 * base * tuples)
    often = [np.count_nonzero(by_digit == value, axis=1) for value in range(base)]
    return Fraction(int(np.max(often, axis=0).sum()), tuples)


@memoize_with_cost(64)
def _units(task: Task, base: int) -> Array:
    """The units digit of a polynomial, by the units digits of its operands."""
    axes, tuples = [range(base)] * task.operands, base**task.operands
    dtype = task.dtype(base)
    spend(tuples * task.steps * (200 if dtype.hasobject else 4))
    units: Array = task.polynomial(*combinations(axes).astype(dtype)) % base
    return units.astype(np.int64).reshape((base,) * task.operands)


def _of_differences(
    task: Task, base: int, operand: int, width: int, position: int, right: int
) -> Fraction:
    """The best guess for a difference of equal lengths, whose digits are not independent.

    Where the others leave room for some values of the digit they are its lowest, if it is taken
    off, and otherwise its highest.
    """
    first = int(position == width > 1)
    is_greater = task.coefficients[operand] > 0
    values = range(base - right, base) if is_greater else range(first, first + right)
    every = _ordered_pairs(base, width, 0, is_greater, values)
    return min(
        Fraction(1), Fraction(_ordered_pairs(base, width, position, is_greater, values), every)
    )


@memoize_with_cost(100_000)
def _ordered_pairs(base: int, width: int, position: int, is_greater: bool, values: range) -> int:
    """How many pairs a >= b of one length have a digit in a range, a's or b's; 0 is no position."""
    equal, greater = 1, 0  # of the digits from the highest down to here
    for i in range(width, 0, -1):
        spend(1_000)
        a = b = range(int(i == width > 1), base)
        if i == position:
            a, b = (values, b) if is_greater else (a, values)
        above = sum(max(0, min(x, b.stop) - b.start) for x in a)
        greater = equal * above + greater * len(a) * len(b)
        equal *= len(set(a).intersection(b))
    return equal + greater


def interleaved_bound(setting: Setting, digits: int) -> Fraction:
    """The most that can be right of longer interleaved inputs whose indices were never trained.

    No digit above the trained ones is found, but for those of the last operand, at which the
    queries stand.  Each takes every value, but for the top digits of the longest operands: not all
    of them are 0.  What later queries lack stands behind a query, so chances multiply.
    """
    task, base, k = setting.task, setting.base, setting.task.operands
    alike = min((gcd(c, base) for c in task.coefficients[:-1]), default=base)
    beyond = digits - setting.train.every_length[-1]
    if setting.test_kind == "every":
        top = Fraction(alike, base - 1)
    else:
        top = Fraction(alike * base ** (k - 1), base**k - 1)
    return min(Fraction(1), top) * Fraction(alike, base) ** (beyond - 1)
