"""Predictions where numbers have their natural lengths: shape by shape (docs/addresses.md)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from arith.theory.counting.bounds import most_right
from arith.theory.errors import NotCountable
from arith.theory.inference.addresses import (
    LOOKED_BACK,
    UNTRAINED,
    AddressObservation,
    Finding,
    Missing,
    Need,
)
from arith.theory.inference.derivation import Step, cite, open_step
from arith.theory.numbers.effort import PART, budget, remembered
from arith.theory.prediction.lengths import LengthPrediction, natural_length
from arith.theory.setting.domains import LEAST_SHARE
from arith.theory.setting.lengths_text import lengths_text, runs
from arith.theory.setting.properties import base_aligned
from arith.theory.setting.settings import Setting

NEAR = 6
"""Where no query can single out an offset, untrained addresses are found up to one digit in so many
beyond the longest trained length (docs/addresses.md has the models that this was read off)."""
_MOST_RUNS = 3
"""Runs of shown addresses that are listed."""


@dataclass(frozen=True, eq=False)
class _AtLength:
    """What follows at one test length.

    Args:
        findings: by shape; None where training shows the length, or it was not counted.
        near: why a digit may be found though it stands at an address that training never showed;
            empty if it is not.
    """

    digits: int
    right: bool
    at_most: Fraction = Fraction(1)
    findings: list[Finding] | None = None
    near: str = ""

    @property
    def bounded_by(self) -> str:
        """The rule that bounds the accuracy, where it is bounded."""
        if self.at_most == 1 or self.findings is None:
            return "address"
        example, _, _ = _example(self.findings)
        return "address" if 1 in example.missing.values() else "spaces"


@remembered(64)
def natural_lengths(setting: Setting) -> tuple[tuple[LengthPrediction, ...], tuple[Step, ...]]:
    """The prediction at each test length, and the steps to it."""
    each, steps = _at_lengths(setting)
    lengths = (
        natural_length(
            *(setting, x.digits, x.right, x.at_most),
            counted=x.findings is not None,
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
            observed = AddressObservation(setting)
        except NotCountable as error:
            return trained, [cite("count", f"nothing follows: {error}", leaves_open=True)]
        each = [x if x.right else _at_length(observed, x.digits) for x in trained]
    return each, _steps(observed, each)


def _at_length(observed: AddressObservation, digits: int) -> _AtLength:
    """What follows at a length, by its shapes."""
    setting = observed.setting
    try:
        findings = observed.find((digits,), setting.test_kind)
    except NotCountable:
        return _AtLength(digits, False)
    if all(x.right for x in findings):
        return _AtLength(digits, True, findings=findings)
    at_most, encoding = most_right(setting, findings), setting.encoding
    if at_most == 1:
        return _AtLength(digits, False, findings=findings)
    longest = setting.train.every_length[-1]
    beside = not encoding.own_positions and _counts_beside_signs(setting, longest)
    if encoding.selection != "any":
        always = [x.always() for x in findings]
        surely = most_right(setting, always)
        if surely == 1 or digits <= longest + longest // NEAR:
            like = (
                "an address that training never showed is like those beside it, up to one digit up "
                f"in {NEAR} trained"
            )
            return _AtLength(digits, False, findings=findings, near=like)
        at_most, findings = surely, always
    if beside:
        sign = "digits may be found by the sign beside their number, no farther than in training"
        return _AtLength(digits, False, findings=findings, near=sign)
    return _AtLength(digits, False, at_most, findings)


def _counts_beside_signs(setting: Setting, longest: int) -> bool:
    """Whether each digit that counts stands as far from a sign as in training: the lowest ones."""
    p = setting.task.modulus
    k = None if p is None else base_aligned(p, setting.base)
    return setting.layout.marked and k is not None and k <= longest


# --- in words ----------------------------------------------------------------------------


def _steps(observed: AddressObservation, each: list[_AtLength]) -> list[Step]:
    """Why, for the lengths that were not trained: what fails, what goes on, what is open."""
    steps = []
    lost = [x for x in each if x.at_most < 1]
    for rule_name in ("spaces", "address"):
        some = [x for x in lost if x.bounded_by == rule_name]
        if some:
            at, found = lengths_text([x.digits for x in some]), some[0].findings or []
            what = f"At {at} a digit is not found: {_missing_text(observed, found)}"
            if observed.encoding.selection != "any":
                what += f"; nor beside those places, more than one digit up in {NEAR} trained"
            what += _seldom_text(found)
            steps.append(cite(rule_name, what))
    rule = [x.digits for x in each if x.right and any(y.continues for y in x.findings or ())]
    if rule:
        steps += _goes_on(observed, lengths_text(rule))
    for why in dict.fromkeys(x.near for x in each if x.near):
        near = [x.digits for x in each if x.near == why]
        what = f"under {observed.encoding.label} {why}"
        steps.append(open_step("neighbours", near, what))
    unclear = [x for x in each if not (x.right or x.near) and x.at_most == 1 and x.findings]
    if unclear:
        rule_name, why = _open_text(observed, unclear[0].findings or [])
        why += _seldom_text(unclear[0].findings or [])
        steps.append(open_step(rule_name, [x.digits for x in unclear], why))
    given_up = [x.digits for x in each if not x.right and x.findings is None]
    if given_up:
        what = f"At {lengths_text(given_up)} it would take too long to go through all shapes"
        steps.append(cite("count", what, leaves_open=True))
    return steps


def _example(findings: list[Finding]) -> tuple[Finding, int, int]:
    """The most frequent shape with a missing digit, whose it is, and the lowest such digit.

    Of digits that spaces move it is the one that is missing for most of their choices.
    """
    one = max((x for x in findings if x.missing), key=lambda x: x.shape.inputs)

    def order(item: tuple[tuple[Missing, int], Fraction]) -> tuple[Fraction, int, int]:
        (what, position), chance = item
        return 1 - chance, position, what.operand

    what, position = min(one.missing.items(), key=order)[0]
    return one, what.operand, position


def _missing_text(observed: AddressObservation, findings: list[Finding]) -> str:
    """Where a digit stands that is not found, in the most frequent shape that lacks one."""
    one, operand, position = _example(findings)
    names, need = observed.setting.task.names, Need(operand, 0)
    addresses, shown = observed.addresses(one.shape, need, position), observed.shown_addresses[need]
    if len(addresses) > 1:
        where = _moved_text(observed, need, [a for a in addresses if a not in shown])
        where += f", {_share_text(observed.not_found(one.shape, need, position))}"
    else:
        where = _where_text(observed, next(iter(addresses)), need)
    what = (
        f"{one.shape.text(names)} the query of result digit {position} has digit {position} of "
        f"{names[operand]} {where}"
    )
    if any(kind.by_all for kind, _ in one.missing):
        what += f", nor does one of the {LOOKED_BACK} digits above find it"
    return what


def _where_text(observed: AddressObservation, address: Hashable, need: Need) -> str:
    """Where a digit stands that is not found."""
    encoding, shown = observed.encoding, observed.shown_addresses[need]
    if encoding.reference == "significance":
        if address is UNTRAINED:
            last, starts = observed.last_number, f"from {observed.setting.starts} starts"
            return f"under a number above {last}, the largest that was trained {starts}"
        return f"at a difference of numbers of {address}, {_never(shown)}"
    if encoding.reference == "relative":
        assert isinstance(address, int)
        untrained = encoding.own_parameter and address >= observed.tokens
        more = ", and nothing was learned for that offset" if untrained else ""
        return f"at offset {address}, {_never(shown)}{more}"
    assert isinstance(address, tuple)
    query, key = address
    learned = encoding.own_positions or encoding.reference == "shifted"
    untrained = learned and query >= observed.tokens
    more = f", and nothing was learned for index {query}" if untrained else ""
    more = f", from {observed.starts} starts{more}" if observed.starts > 1 else more
    return f"from index {query} at index {key}, a pair that training never showed for it{more}"


def _moved_text(observed: AddressObservation, need: Need, unseen: list[Hashable]) -> str:
    """Where spaces move a digit so that it is not found."""
    if observed.encoding.reference != "relative":
        return "at pairs of indices that training never showed for it"
    offsets = ", ".join(_runs(unseen))
    return f"at offsets {offsets}, {_never(observed.shown_addresses[need])}"


def _share_text(chance: Fraction) -> str:
    """``whatever the spaces``, ``for 34 % of the choices of spaces``."""
    if chance == 1:
        return "whatever the spaces"
    share = f"{100 * float(chance):.3g}" if chance < Fraction(999, 1000) else "more than 99.9"
    return f"for {share} % of the choices of spaces"


def _runs(numbers: list[Hashable] | set[Hashable]) -> list[str]:
    """Numbers in words, in ascending order: ``2``, ``4 to 6``."""
    ordered = sorted(x for x in numbers if isinstance(x, int))
    return [str(a) if a == b else f"{a} to {b}" for a, b in runs(ordered)]


def _never(shown: set[Hashable]) -> str:
    """``where training never showed it (3 to 11)``."""
    found = _runs(shown)
    if len(found) > _MOST_RUNS:
        numbers = [x for x in shown if isinstance(x, int)]
        found = [f"some from {min(numbers)} to {max(numbers)}"]
    return f"where training never showed it ({', '.join(found)})"


def _seldom_text(findings: list[Finding]) -> str:
    """That lengths seen too seldom count as not shown; empty where there are none."""
    least = f"{int(1 / LEAST_SHARE):,}"
    what = f"; lengths in fewer than one example in {least} count as not shown"
    return what * any(x.seldom for x in findings)


def _goes_on(observed: AddressObservation, at: str) -> list[Step]:
    """Why the rule goes on at these lengths."""
    label, most = observed.encoding.label, observed.together
    if observed.by_content:
        rule = "hints"
        what = f"at {at} every digit is found by the marker before it, and up to {most} markers"
    else:
        rule = "numbered digits"
        what = f"at {at} {label} finds every digit at the difference of numbers as in training, "
        what += f"and up to {most} numbers"
    end = "the result ends where no operand has a digit left and the carry is 0"
    return [cite(rule, f"{what} stood together"), cite("end", end)]


def _open_text(observed: AddressObservation, findings: list[Finding]) -> tuple[str, str]:
    """The rule by which nothing follows at a length, and why."""
    if observed.stops is not None:
        return observed.stops
    content, label = observed.by_content, observed.encoding.label
    shape = max((x for x in findings if not x.right), key=lambda x: x.shape.inputs).shape
    numbers, most = max(*shape.widths, shape.result), observed.together
    rule = "hints" if content else "numbered digits"
    if numbers > most:
        what = "markers" if content else "numbers"
        return rule, (
            f"up to {numbers} {what} stand in one example, and in training {most} did, so no query "
            "had to tell its digit from one that far away"
        )
    if not observed.ends(shape) <= observed.shown_ends:
        shown = lengths_text(sorted(observed.shown_ends))
        return "end", f"in training results ended after {shown}, and here not all do"
    if not observed.cases(shape) <= observed.shown_cases:
        return rule, (
            f"{shape.text(observed.setting.task.names)} the digit rule meets a case that training "
            "lacks: which operands still have digits, and which digit is the highest"
        )
    if observed.layout.spaced:
        return rule, "more spaces may stand in one example than in training"
    if content:
        return rule, (
            f"examples are longer than the trained ones, and what {label} adds there was never "
            "trained"
        )
    return rule, "the difference of numbers between a digit and its query depends on the lengths"
