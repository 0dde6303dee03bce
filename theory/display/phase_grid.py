"""The points of a phase diagram as a grid, and what is said of it in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from theory.errors import InvalidInput
from theory.prediction.lengths import LengthPrediction
from theory.prediction.outcomes import Status
from theory.studies.phase import Point

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Grid:
    """The points as a grid.

    Args:
        axis: what runs to the right: ``modulus`` or ``base``.
        xs: its values, in ascending order.
        rows: the training lengths, in ascending order.
        cells: the point of each ``(x, n)``.
    """

    axis: str
    xs: tuple[int, ...]
    rows: tuple[int, ...]
    cells: dict[tuple[int, int], Point]

    @property
    def some(self) -> Point:
        """A point, for what all have in common."""
        return self.cells[self.xs[0], self.rows[0]]

    @property
    def ahead(self) -> int:
        """The test distance that is drawn: the largest.

        There the accuracy has settled at what the residual modulus leaves (about ``1/p'`` for
        addition).  One digit ahead it still depends on what single digits can add up to.
        """
        return max(self.some.ahead)

    @cached_property
    def generalizing(self) -> list[Point]:
        """The points that generalize when trained on the longest training length."""
        top = [self.cells[x, self.rows[-1]] for x in self.xs]
        return [point for point in top if point.verdict == Status.GENERALIZES]

    def x_of(self, point: Point) -> int:
        """The value of the axis at a point."""
        return point.setting.base if self.axis == "base" else point.setting.task.modulus or 0

    def at(self, x: int, n: int) -> LengthPrediction:
        """The prediction that a cell shows."""
        return self.cells[x, n].at(self.ahead)

    def part(self, xs: Sequence[int]) -> Grid:
        """The columns of the given values."""
        return Grid(self.axis, tuple(xs), self.rows, self.cells)

    def neighbours(self) -> tuple[Point, Point] | None:
        """Two moduli side by side of which the first generalizes and the second does not.

        The square of the base is preferred: 100 and 101 in base 10.
        """
        pairs = [
            (point, self.cells[x + 1, self.rows[-1]])
            for point in self.generalizing
            if self.axis == "modulus" and (x := self.x_of(point)) + 1 in self.xs
        ]
        pairs = [
            (right, wrong)
            for right, wrong in pairs
            if right.base_aligned is not None and wrong.at(self.ahead).accuracy not in (None, 1)
        ]
        square = self.some.setting.base**2
        pairs.sort(key=lambda pair: (self.x_of(pair[0]) == square, self.x_of(pair[0])))
        return pairs[-1] if pairs else None


def make_grid(points: Sequence[Point]) -> Grid:
    """The grid that points fill.

    Raises:
        InvalidInput: no points, moduli and bases that both vary, or points missing from the grid.
    """
    if not points:
        raise InvalidInput("there are no points to draw")
    moduli = {point.setting.task.modulus for point in points}
    bases = {point.setting.base for point in points}
    if len(moduli) > 1 and len(bases) > 1:
        raise InvalidInput("a picture shows a range of moduli or a range of bases, not both")
    grid = Grid("base" if len(bases) > 1 or None in moduli else "modulus", (), (), {})
    cells = {(grid.x_of(point), point.train_digits): point for point in points}
    xs, rows = sorted({x for x, _ in cells}), sorted({n for _, n in cells})
    if len(cells) < len(xs) * len(rows):
        raise InvalidInput("every modulus (or base) needs a point at every training length")
    return Grid(grid.axis, tuple(xs), tuple(rows), cells)


def digits_text(count: int) -> str:
    """``1 digit``, ``2 digits``."""
    return "1 digit" if count == 1 else f"{count} digits"


def power(exponent: int) -> str:
    """An exponent in raised digits."""
    return str(exponent).translate(_SUPERSCRIPTS)


def setting_text(grid: Grid) -> str:
    """What is predicted of which settings."""
    s = grid.some.setting
    task = s.task.text()
    if grid.axis == "modulus":
        task = f"{task.removesuffix(str(s.task.modulus))}p, base {s.base}"
    return (
        f"{task}, {s.encoding.name} ({s.encoding.summary}), {s.layout.name} layout.\n"
        f"Predicted accuracy on numbers {digits_text(grid.ahead)} longer than those in training."
    )


def generalizing_text(grid: Grid) -> str:
    """Which columns generalize, and the reason where they all have the same one."""
    points, longest = grid.generalizing, grid.rows[-1]
    trained = f"when trained on {digits_text(longest)}"
    if len(points) in (0, len(grid.xs)):
        return f"{'All are' if points else 'None is'} predicted to generalize {trained}."
    because = ""
    if all(p.base_aligned is not None and p.base_aligned <= longest for p in points):
        s = grid.some.setting
        p, base = (f"p = {s.task.modulus}", "base") if grid.axis == "base" else ("p", s.base)
        because = f" ({p} divides {base}{power(longest)})"
    return f"Predicted to generalize {trained}{because}:"


def numbers_note(grid: Grid) -> list[str]:
    """What the small numbers in the cells are."""
    s = grid.some.setting
    if s.task.full_modulus is None:
        return []
    p, base = ("p", s.base) if grid.axis == "modulus" else (s.task.modulus, "base")
    return [
        f"Small numbers: p′ = {p} / gcd({p}, {base}ⁿ), what n digits in training leave open. "
        "At p′ = 1 the digits above cannot change the result."
    ]


def leak_note(grid: Grid) -> list[str]:
    """Whose accuracy is drawn, where a model may fall below it."""
    extends = any(x.extends for point in grid.cells.values() for x in point.lengths)
    if not (extends and grid.some.setting.encoding.own_positions):
        return []
    return [
        "The accuracy is the expected function's. Models of tasks that multiply digits, or ask "
        "for three at once, are right as often or less (rule leak)."
    ]


def why_right(point: Point) -> str:
    """Why a base aligned modulus generalizes."""
    k = point.base_aligned
    assert k is not None
    return (
        f"It divides {point.setting.base}{power(k)}. With {digits_text(k)} or more in training "
        "p′ = 1: the digits above, which the model has not learned to read, cannot change the "
        "result."
    )


def why_wrong(point: Point, ahead: int) -> str:
    """Why a modulus with a predicted accuracy below 1 fails."""
    value, base = point.at(ahead).accuracy, point.setting.base
    assert value is not None
    if gcd(point.setting.task.modulus or 1, base) == 1:
        what = f"It shares no factor with {base}. However many digits are in training,"
    else:
        what = f"It does not divide {base}{power(point.train_digits)}. What is left is"
    share = f"only {float(100 * value):.2g}%" if value else "none"
    return (
        f"{what} p′ = {point.residual_modulus}: the digits above change the result, and {share} "
        "of the answers come out right."
    )
