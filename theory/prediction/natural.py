"""Predictions where numbers have their natural lengths: shape by shape (docs/addresses.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np

from arith.theory.counting.best_guess import best_share
from arith.theory.errors import NotCountable
from arith.theory.inference.derivation import Step, cite
from arith.theory.inference.finder import Finder
from arith.theory.inference.found import Found, Missing, Where
from arith.theory.inference.result_lengths import number_of_tuples
from arith.theory.inference.shapes import shapes
from arith.theory.numbers.effort import PART, budget, remembered, spend
from arith.theory.numbers.integer_arrays import Array
from arith.theory.prediction.finder_text import (
    goes_on_steps,
    is_always_missing,
    missing_text,
    open_step,
    open_text,
)
from arith.theory.prediction.lengths import LengthPrediction, natural_length
from arith.theory.setting.domains import LENGTHS_FIRST
from arith.theory.setting.lengths_text import lengths_text
from arith.theory.setting.properties import base_aligned
from arith.theory.setting.settings import Setting

_ShareOf = Callable[[Missing, tuple[int, ...], int], Fraction]
"""The best guess without a digit, at a position of operands of some lengths."""
_STEPS_PER_DIGIT = 100
"""Steps for each digit of the number of inputs of a shape."""
NEAR = 6
"""Where no query can single out an offset, untrained addresses are found up to one digit in so many
beyond the longest trained length (docs/addresses.md has the models that this was read off)."""


@dataclass(frozen=True, eq=False)
class _AtLength:
    """What follows at one test length.

    Args:
        found: None where training shows the length, or it was not counted.
        near: why a digit may be found though it stands at an address that training never showed;
            empty if it is not.
    """

    digits: int
    right: bool
    at_most: Fraction = Fraction(1)
    found: Found | None = None
    near: str = ""

    @property
    def bounded_by(self) -> str:
        """The rule that bounds the accuracy, where it is bounded."""
        moves = self.at_most < 1 and not is_always_missing(_found(self))
        return "spaces" if moves else "address"


@remembered(64)
def natural_lengths(setting: Setting) -> tuple[tuple[LengthPrediction, ...], tuple[Step, ...]]:
    """The prediction at each test length, and the steps to it."""
    each, steps = _at_lengths(setting)
    lengths = (
        natural_length(
            *(setting, x.digits, x.right, x.at_most),
            counted=x.found is not None,
            bounded_by=x.bounded_by,
        )
        for x in each
    )
    return tuple(lengths), tuple(steps)


def _at_lengths(setting: Setting) -> tuple[list[_AtLength], list[Step]]:
    """What follows at each test length, and why."""
    trained = [_AtLength(n, setting.is_premise(n)) for n in setting.test_lengths]
    train = setting.train
    if all(x.right for x in trained):
        return trained, []
    if train.pairs is not None or train.allowed:
        what = f"{train.text()} may lack digits, or lengths together, that its lengths have"
        return trained, [cite("sample", what, leaves_open=True)]
    with budget(4 * PART):
        try:
            finder = Finder(setting)
        except NotCountable as error:
            return trained, [cite("count", f"nothing follows: {error}", leaves_open=True)]
        share_of = cache(partial(best_share, setting.task, setting.base, setting.layout))
        each = [x if x.right else _at_length(finder, x.digits, share_of) for x in trained]
    return each, _steps(finder, each)


def _at_length(finder: Finder, digits: int, share_of: _ShareOf) -> _AtLength:
    """What follows at a length, by its shapes."""
    setting = finder.setting
    try:
        found = finder.find(shapes(setting, (digits,), setting.test_kind))
    except NotCountable:
        return _AtLength(digits, False)
    if (found.trained | found.rule).all():
        return _AtLength(digits, True, found=found)
    at_most, encoding = _at_most(setting, found, share_of), setting.encoding
    if at_most == 1:
        return _AtLength(digits, False, found=found)
    longest, points = setting.train.every_length[-1], encoding.selection == "any"
    beside = not encoding.own_positions and _counts_beside_signs(setting, longest)
    if not points:
        always = found.always()
        surely = _at_most(setting, always, share_of)
        if surely == 1 or digits <= longest + longest // NEAR:
            like = "an address that training never showed is like those beside it"
            return _AtLength(digits, False, found=found, near=like)
        if not beside:
            return _AtLength(digits, False, surely, always)
    if beside:
        sign = "digits may be found by the sign beside their number, no farther than in training"
        return _AtLength(digits, False, found=found, near=sign)
    return _AtLength(digits, False, at_most, found)


def _counts_beside_signs(setting: Setting, longest: int) -> bool:
    """Whether each digit that counts stands as far from a sign as in training: the lowest ones."""
    p = setting.task.full_modulus
    k = None if p is None else base_aligned(p, setting.base)
    return setting.layout.marked and k is not None and k <= longest


def _at_most(setting: Setting, found: Found, share_of: _ShareOf) -> Fraction:
    """The largest share of the inputs that can be right.

    Of each tuple of operands' lengths, whatever the length of the result, no more can be right
    than the best guess without a digit that is missing throughout; nor more than the sum over the
    results' lengths, in each of which no more can be right than it has inputs, nor than the best
    guess without a digit that is missing there.  Where spaces move digits this is the mean over
    the choices of spaces, one digit at a time.
    """
    counts, firsts = found.shapes.counts, found.shapes.firsts.tolist()
    widths = found.shapes.widths
    guesses = _best(setting, found.missing, widths, share_of)
    throughout = _best(setting, found.throughout, widths[firsts], share_of)
    if all(guess == 1 for guess in (*guesses, *throughout)):
        return Fraction(1)
    spend(len(counts) * (50_000 + _STEPS_PER_DIGIT * int(widths.max())))
    lengths_first = setting.test_kind in LENGTHS_FIRST
    right, every = Fraction(0), Fraction(0)
    for first, end, guess in zip(firsts, [*firsts[1:], len(counts)], throughout, strict=True):
        inputs = sum(counts[first:end])
        each = (
            min(Fraction(count), guesses[s] * inputs)
            for s, count in enumerate(counts[first:end], first)
        )
        weight = Fraction(1)
        if lengths_first:  # of a - b, operands with a < b are drawn again, lengths and all
            weight = Fraction(1, number_of_tuples(tuple(widths[first].tolist()), setting.base))
        right += weight * min(guess * inputs, sum(each, Fraction(0)))
        every += weight * inputs
    return right / every


def _best(
    setting: Setting, missing: dict[Missing, Where], widths: Array, share_of: _ShareOf
) -> list[Fraction]:
    """The best guess of each shape; 1 where no digit is missing."""
    best = [Fraction(1)] * len(widths)
    for what, at in missing.items():
        # But for differences, it depends on the kind of digit alone.
        alike = None if setting.task.needs_order else share_of(what, (), 0)
        if alike == 1:
            continue
        chances = at.chance.tolist()
        for s in np.flatnonzero(at.position).tolist():
            position, one = int(at.position[s]), tuple(widths[s].tolist())
            share = share_of(what, one, position) if alike is None else alike
            best[s] = min(best[s], 1 - chances[s] * (1 - share))
    return best


def _steps(finder: Finder, each: list[_AtLength]) -> list[Step]:
    """Why, for the lengths that were not trained: what fails, what goes on, what is open."""
    steps = []
    lost = [x for x in each if x.at_most < 1]
    for rule_name in ("spaces", "address"):
        some = [x for x in lost if x.bounded_by == rule_name]
        if some:
            at = lengths_text([x.digits for x in some])
            what = f"At {at} a digit is not found: {missing_text(finder, _found(some[0]))}"
            steps.append(cite(rule_name, what))
    rule = [x for x in each if x.right and x.found is not None and x.found.rule.any()]
    if rule:
        steps += goes_on_steps(finder, lengths_text([x.digits for x in rule]))
    for why in dict.fromkeys(x.near for x in each if x.near):
        near = [x.digits for x in each if x.near == why]
        what = f"under {finder.setting.encoding.label} {why}"
        steps.append(open_step("neighbours", near, what))
    unclear = [x for x in each if not (x.right or x.near) and x.at_most == 1 and x.found]
    if unclear:
        rule_name, why = open_text(finder, _found(unclear[0]))
        steps.append(open_step(rule_name, [x.digits for x in unclear], why))
    given_up = [x.digits for x in each if not x.right and x.found is None]
    if given_up:
        what = f"At {lengths_text(given_up)} it would take too long to go through all shapes"
        steps.append(cite("count", what, leaves_open=True))
    return steps


def _found(x: _AtLength) -> Found:
    assert x.found is not None
    return x.found
