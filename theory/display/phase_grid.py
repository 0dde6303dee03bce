"""The points of a phase diagram as a grid, what is said of it in words, and as a table."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from operator import attrgetter
from pathlib import Path

from theory.display.files import writing
from theory.display.text import digits_text
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
        cells: the point of each ``(x, n)``: a value of the axis, and a training length.
    """

    axis: str
    cells: dict[tuple[int, int], Point]

    @cached_property
    def xs(self) -> list[int]:
        """The values of the axis, in ascending order."""
        return sorted({x for x, _ in self.cells})

    @cached_property
    def rows(self) -> list[int]:
        """The training lengths, in ascending order."""
        return sorted({n for _, n in self.cells})

    @cached_property
    def some(self) -> Point:
        """A point, for what all have in common."""
        return next(iter(self.cells.values()))

    @cached_property
    def ahead(self) -> int:
        """The test distance that is drawn: the largest, where the accuracy has settled."""
        return self.some.ahead[-1]

    @cached_property
    def generalizing(self) -> list[int]:
        """The values that generalize when trained on the longest training length."""
        n = self.rows[-1]
        return [x for x in self.xs if self.cells[x, n].verdict == Status.GENERALIZES]

    def at(self, x: int, n: int) -> LengthPrediction:
        """The prediction that a cell shows."""
        return self.cells[x, n].at(self.ahead)

    def neighbour(self) -> int | None:
        """A modulus that generalizes while the next does not, best the base squared (100)."""
        n, square = self.rows[-1], self.some.setting.base**2
        found = [
            x
            for x in self.generalizing
            if self.cells[x, n].base_aligned is not None
            and (x + 1, n) in self.cells
            and self.at(x + 1, n).accuracy not in (None, 1)
        ]
        if self.axis == "base" or not found:
            return None
        return square if square in found else found[-1]

    @classmethod
    def of(cls, points: Sequence[Point]) -> Grid:
        """The grid that points fill (InvalidInput: they fill none)."""
        if not points:
            raise InvalidInput("there are no points to draw")
        moduli = {point.setting.task.modulus for point in points}
        bases = {point.setting.base for point in points}
        if len(moduli) > 1 and len(bases) > 1:
            raise InvalidInput("a picture shows a range of moduli or a range of bases, not both")
        axis = "base" if len(bases) > 1 or None in moduli else "modulus"
        x_of = attrgetter("setting.base" if axis == "base" else "setting.task.modulus")
        grid = cls(axis, {(x_of(p), p.train_digits): p for p in points})
        if len(grid.cells) < len(grid.xs) * len(grid.rows):
            raise InvalidInput("every modulus (or base) needs a point at every training length")
        return grid

    def setting_text(self) -> str:
        """What is predicted of which settings."""
        s = self.some.setting
        task = s.task.text()
        if self.axis == "modulus":
            task = f"{task.removesuffix(str(s.task.modulus))}p, base {s.base}"
        longer = f"{digits_text(self.ahead)} longer than those in training"
        return (
            f"{task}, {s.encoding.name} ({s.encoding.summary}), {s.layout.name} layout.\n"
            f"Predicted accuracy on numbers {longer}."
        )

    def generalizing_text(self) -> str:
        """Which columns generalize, and the reason where they all have the same one."""
        found, n = self.generalizing, self.rows[-1]
        trained = f"when trained on {digits_text(n)}"
        if len(found) in (0, len(self.xs)):
            return f"{'All are' if found else 'None is'} predicted to generalize {trained}."
        because = ""
        if all(self.cells[x, n].residual_modulus == 1 for x in found):
            s = self.some.setting
            p, base = (f"p = {s.task.modulus}", "base") if self.axis == "base" else ("p", s.base)
            because = f" ({p} divides {_power(base, n)})"
        return f"Predicted to generalize {trained}{because}:"

    def note(self) -> str:
        """What the small numbers in the cells are; nothing where there are none."""
        task, base = self.some.setting.task, self.some.setting.base
        if task.modulus is None:
            return ""
        p, b = ("p", base) if self.axis == "modulus" else (task.modulus, "base")
        return (
            f"Small numbers: p′ = {p} / gcd({p}, {b}ⁿ), what n digits in training leave open. "
            "At p′ = 1 the digits above cannot change the result."
        )


def _power(base: int | str, exponent: int) -> str:
    return f"{base}{str(exponent).translate(_SUPERSCRIPTS)}"


def why_right(point: Point) -> str:
    """Why a base aligned modulus generalizes."""
    k = point.base_aligned
    assert k is not None
    return (
        f"It divides {_power(point.setting.base, k)}. With {digits_text(k)} or more in training "
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
        what = f"It does not divide {_power(base, point.train_digits)}. What is left is"
    share = f"only {float(100 * value):.2g}%" if value else "none"
    return (
        f"{what} p′ = {point.residual_modulus}: the digits above change the result, and {share} "
        "of the answers come out right."
    )


def write_csv(points: Sequence[Point], path: Path) -> None:
    """A file with a line per point: each accuracy exactly, as a float, and by its upper bound.

    Raises:
        InvalidInput: no points, or the file cannot be written.
    """
    if not points:
        raise InvalidInput("there are no points to write")
    rows = [_row(point) for point in points]
    with writing(path), path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _row(point: Point) -> dict[str, object]:
    s = point.setting
    row: dict[str, object] = {
        "task": s.task.text(),
        "modulus": s.task.modulus,
        "base": s.base,
        "encoding": s.encoding.name,
        "layout": s.layout.name,
        "train_digits": point.train_digits,
        "verdict": point.verdict,
        "residual_modulus": point.residual_modulus,
        "base_aligned": point.base_aligned,
    }
    for distance, x in zip(point.ahead, point.lengths, strict=True):
        name = f"accuracy_plus_{distance}"
        row[name] = x.accuracy
        row[f"{name}_float"] = None if x.accuracy is None else float(x.accuracy)
        row[f"{name}_at_most"] = x.at_most
    return row
