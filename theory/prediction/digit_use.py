"""What becomes of each operand digit of one input: read, ignored, or at an address never shown.

It is what the theorems look at, digit by digit, so that one input can be shown with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

from arith.theory.arithmetic.tasks import digit_count
from arith.theory.generalization.constants import Computes
from arith.theory.generalization.theorems import Observation
from arith.theory.observation.addresses import AddressObservation, Finding, Need, unseen
from arith.theory.observation.support import OperandDigit


class Use(StrEnum):
    """What is expected of a digit of an operand, by what training showed at its address."""

    READ = "read"
    """Training showed other digits there too, and they can change the answer."""
    IGNORED = "ignored"
    """Training showed only one digit there, or no digit there can change the answer."""
    NEVER_SHOWN = "never shown"
    """It stands at an address where training never showed it."""
    OPEN = "open"
    """Training does not say whether it is read."""


def digit_uses(
    observed: Observation, digits: int, operands: Sequence[int]
) -> dict[OperandDigit, Use]:
    """What becomes of each written digit of the operands of an input of a test length."""
    setting, support = observed.setting, observed.support
    base, found = setting.base, {}
    widths = [digit_count(x, base) if setting.natural else setting.operand_width for x in operands]
    at = observed.at.get(digits)
    alike = (x for x in (at and at.findings) or () if x.shape.widths == tuple(widths))
    finding = next(alike, None)
    for j, (number, width) in enumerate(zip(operands, widths, strict=True)):
        for i in range(1, width + 1):
            if support.period((j, i)) == 1:
                found[j, i] = Use.IGNORED
            elif setting.natural:
                found[j, i] = _of_natural(observed, digits, finding, (j, i))
            else:
                value = number // base ** (i - 1) % base
                found[j, i] = _of_padded(observed, digits, (j, i), value)
    return found


def _of_padded(observed: Observation, digits: int, digit: OperandDigit, value: int) -> Use:
    """A digit of padded numbers: one that training kept constant may be ignored."""
    constant = observed.support.constant(digit)
    if constant is None:
        return Use.READ
    if value == constant:
        return Use.IGNORED
    how = observed.constants[digits]
    if how.computes in (Computes.RIGHT, Computes.TASK):
        return Use.READ
    return Use.IGNORED if how.computes is Computes.EXPECTED else Use.OPEN


def _of_natural(
    observed: Observation, digits: int, finding: Finding | None, digit: OperandDigit
) -> Use:
    """A digit of numbers of natural length: it may stand where training never showed it."""
    setting, (operand, position) = observed.setting, digit
    if setting.is_premise(digits) or digits in observed.shown:
        return Use.READ
    if setting.layout.interleaved and setting.encoding.own_positions:
        return Use.NEVER_SHOWN if position > setting.train.most_places else Use.READ
    addresses = observed.addresses
    if finding is None or addresses is None:
        return Use.OPEN
    if finding.right:
        return Use.READ
    if setting.encoding.reference == "random" or addresses.by_content:
        return Use.OPEN  # no address says which digit stands there
    if addresses.local:
        if position > finding.shape.result:
            return Use.READ  # no query looks for it
        chance = addresses.not_found(finding.shape, Need(operand, 0), position)
    else:
        chance = _unshown_of_units(addresses, finding, digit)
    if not chance:
        return Use.READ
    return Use.NEVER_SHOWN if chance == 1 and not observed.at[digits].near else Use.OPEN


def _unshown_of_units(
    addresses: AddressObservation, finding: Finding, digit: OperandDigit
) -> Fraction:
    """How many of a digit's addresses training never showed it at, for the query of the units.

    Without a local rule that query needs every digit.  Of positions that start at random only a
    digit that no training example has is known to be at an address never shown.
    """
    operand, position = digit
    need = Need(operand, 1 - position)
    there = [x for x in addresses.shown if x.has(operand, position)]
    if there and addresses.setting.random_starts:
        return Fraction(1, 2)
    shown = {a for x in there for a in addresses.addresses(x, need, 1)}
    return unseen(addresses.addresses(finding.shape, need, 1), shown)
