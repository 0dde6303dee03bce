"""In words: which address is missing, why a rule goes on, and what is left open."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from arith.theory.inference.addresses import NEVER, Need
from arith.theory.inference.derivation import Step, cite
from arith.theory.inference.finder import LOOKED_BACK, Finder
from arith.theory.inference.found import Found
from arith.theory.inference.shapes import Shapes
from arith.theory.setting.domains import LEAST_SHARE
from arith.theory.setting.lengths_text import lengths_text, runs

_MOST_RUNS = 3
"""Runs of shown addresses that are listed."""


def missing_text(finder: Finder, found: Found) -> str:
    """A digit that is not found in the most frequent shape that lacks one."""
    shape, operand, position = _example(found)
    one = _only(found.shapes, shape)
    moves = finder.setting.layout.spaced and finder.setting.encoding.reference != "significance"
    where = (_moved_where if moves else _where)(finder, one, Need(operand, 0), position)
    name = finder.setting.task.names[operand]
    lengths = _lengths(finder, one)
    what = f"{lengths} the query of result digit {position} has digit {position} of {name} {where}"
    if any(kind.by_all and at.position[shape] for kind, at in found.missing.items()):
        what += f", nor does one of the {LOOKED_BACK} digits above find it"
    return what


def is_always_missing(found: Found) -> bool:
    """Whether the digit of ``missing_text`` is missing whatever the spaces."""
    shape, _, _ = _example(found)
    return any(at.chance[shape] == 1 for at in found.missing.values())


def _example(found: Found) -> tuple[int, int, int]:
    """The most frequent shape with a missing digit, whose it is, and the lowest such digit.

    Of digits that spaces move it is the one that is missing for most of their choices.
    """
    positions = np.stack([at.position for at in found.missing.values()])
    lacking = np.flatnonzero(np.any(positions > 0, axis=0))
    shape = max(lacking.tolist(), key=lambda s: found.shapes.counts[s])
    digits = [
        (1 - at.chance[shape], int(at.position[shape]), what.operand)
        for what, at in found.missing.items()
        if at.position[shape]
    ]
    _, position, operand = min(digits)
    return shape, operand, position


def _only(every: Shapes, shape: int) -> Shapes:
    return Shapes(every.widths[[shape]], every.results[[shape]], (every.counts[shape],))


def _lengths(finder: Finder, one: Shapes) -> str:
    """``with 6 and 5 digits in a and b``."""
    widths = one.widths[0].tolist()
    each = " and ".join(map(str, widths))
    return f"with {each} digit{'s' * (widths != [1])} in {' and '.join(finder.setting.task.names)}"


def _where(finder: Finder, one: Shapes, need: Need, position: int) -> str:
    """Where a digit stands that is not found."""
    encoding, shown = finder.setting.encoding, finder.addresses[need]
    code = int(finder.at(one, need, position)[0][0])
    number, tokens = finder.trained.number, finder.trained.tokens
    if encoding.reference == "significance":
        if code == NEVER:
            starts = f"from {finder.setting.starts} starts"
            return f"under a number above {number}, the largest that was trained {starts}"
        never = _never((shown - number).tolist())
        return f"at a difference of numbers of {code - number}, {never}"
    if encoding.reference == "relative":
        untrained = encoding.own_parameter and code >= tokens
        more = ", and nothing was learned for that offset" if untrained else ""
        return f"at offset {code}, {_never(shown.tolist())}{more}"
    query, key = finder.indices(one, need, position)
    learned = encoding.own_positions or encoding.reference == "shifted"
    untrained = learned and query >= tokens
    more = f", and nothing was learned for index {query}" if untrained else ""
    more = f", from {finder.starts} starts{more}" if finder.starts > 1 else more
    return f"from index {query} at index {key}, a pair that training never showed for it{more}"


def _moved_where(finder: Finder, one: Shapes, need: Need, position: int) -> str:
    """The same where spaces move it: for which share of their choices, and where it stands then."""
    shown = finder.addresses[need]
    moved = finder.choices(one, need, position)
    unseen = ~np.isin(moved.codes, shown)
    chance = moved.chance(unseen)[0]
    where = "at pairs of indices that training never showed for it"
    if finder.setting.encoding.reference == "relative":
        offsets = np.unique(moved.codes[unseen & moved.possible]).tolist()
        where = f"at offsets {', '.join(_runs(offsets))}, {_never(shown.tolist())}"
    return f"{where}, {_share_text(chance)}"


def _share_text(chance: Fraction) -> str:
    """``whatever the spaces``, ``for 34 % of the choices of spaces``."""
    if chance == 1:
        return "whatever the spaces"
    share = f"{100 * float(chance):.3g}" if chance < Fraction(999, 1000) else "more than 99.9"
    return f"for {share} % of the choices of spaces"


def _runs(numbers: list[int]) -> list[str]:
    """Ascending numbers in words: ``2``, ``4 to 6``."""
    return [str(a) if a == b else f"{a} to {b}" for a, b in runs(numbers)]


def _never(shown: list[int]) -> str:
    """``where training never showed it (3 to 11)``."""
    found = _runs(shown)
    if len(found) > _MOST_RUNS:
        found = [f"some from {shown[0]} to {shown[-1]}"]
    return f"where training never showed it ({', '.join(found)})"


def seldom_text(found: Found) -> str:
    """That lengths seen too seldom count as not shown; empty where there are none."""
    least = f"{int(1 / LEAST_SHARE):,}"
    what = f"; lengths in fewer than one example in {least} count as not shown"
    return what * found.seldom


def goes_on_steps(finder: Finder, at: str) -> list[Step]:
    """Why the rule goes on at these lengths."""
    label, most = finder.setting.encoding.label, finder.together
    if finder.by_content:
        rule = "hints"
        what = f"at {at} every digit is found by the marker before it, and up to {most} markers"
    else:
        rule = "numbered digits"
        what = f"at {at} {label} finds every digit at the difference of numbers as in training, "
        what += f"and up to {most} numbers"
    end = "the result ends where no operand has a digit left and the carry is 0"
    return [cite(rule, f"{what} stood together"), cite("end", end)]


def open_step(rule: str, lengths: list[int], why: str) -> Step:
    """That nothing follows at some lengths, and why."""
    return cite(rule, f"at {lengths_text(lengths)} nothing follows: {why}", leaves_open=True)


def open_text(finder: Finder, found: Found) -> tuple[str, str]:
    """The rule by which nothing follows at a length, and why."""
    stops = finder.stops()
    content, label = finder.by_content, finder.setting.encoding.label
    if stops is not None:
        return stops
    is_open = np.flatnonzero(~(found.trained | found.rule)).tolist()
    one = _only(found.shapes, max(is_open, key=lambda s: found.shapes.counts[s]))
    numbers, most = max(int(one.widths.max()), int(one.results.max())), finder.together
    rule = "hints" if content else "numbered digits"
    if numbers > most:
        what = "markers" if content else "numbers"
        return rule, (
            f"up to {numbers} {what} stand in one example, and in training {most} did, so no query "
            "had to tell its digit from one that far away"
        )
    if not finder.ends_shown(one).all():
        shown = lengths_text(sorted(finder.shown_ends))
        return "end", f"in training results ended after {shown}, and here not all do"
    if not finder.cases.all_shown(one, finder.shown_cases).all():
        return rule, (
            f"{_lengths(finder, one)} the digit rule meets a case that training lacks: which "
            "operands still have digits, and which digit is the highest"
        )
    if finder.setting.layout.spaced:
        return rule, "more spaces may stand in one example than in training"
    if content:
        return rule, (
            f"examples are longer than the trained ones, and what {label} adds there was never "
            "trained"
        )
    return rule, "the difference of numbers between a digit and its query depends on the lengths"
