"""The points of a phase diagram as a grid, what is said of it in words, and as a table."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd
from operator import attrgetter
from pathlib import Path

from arith.theory.display.answer import UNCLAIMED
from arith.theory.display.files import writing
from arith.theory.display.text import digits_text
from arith.theory.errors import InvalidInput
from arith.theory.numbers.exact_text import exact_text, text_and_float
from arith.theory.prediction.lengths import LengthPrediction
from arith.theory.prediction.outcomes import Claim
from arith.theory.studies.phase import Point

MOST_LISTED = 20
"""Up to so many columns are listed in words."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def check_ranges(moduli: Collection[int | None], bases: Collection[int]) -> None:
    """Refuse what no picture can show (InvalidInput: several moduli and several bases)."""
    if len(moduli) > 1 and len(bases) > 1:
        raise InvalidInput("a picture shows a range of moduli or a range of bases, not both")


@dataclass(frozen=True)
class Grid:
    """The points as a grid.

    Args:
        axis: what runs to the right: ``modulus`` or ``base``.
        cells: the point of each ``(x, n)``: a value of the axis, and a training length.
        xs, rows: these values and lengths, ascending.
    """

    axis: str
    cells: dict[tuple[int, int], Point]
    xs: list[int]
    rows: list[int]

    @classmethod
    def of(cls, points: Sequence[Point]) -> Grid:
        """The grid that points fill (InvalidInput: they fill none)."""
        if not points:
            raise InvalidInput("there are no points to draw")
        moduli = {point.setting.task.modulus for point in points}
        bases = {point.setting.base for point in points}
        check_ranges(moduli, bases)
        axis = "base" if len(bases) > 1 or None in moduli else "modulus"
        x_of = attrgetter("setting.base" if axis == "base" else "setting.task.modulus")
        cells = {(x_of(p), p.train_digits): p for p in points}
        xs, rows = (sorted(set(values)) for values in zip(*cells, strict=True))
        if len(cells) < len(xs) * len(rows):
            raise InvalidInput("every modulus (or base) needs a point at every training length")
        return cls(axis, cells, xs, rows)

    @property
    def some(self) -> Point:
        """A point, for what all have in common."""
        return next(iter(self.cells.values()))

    def at(self, x: int, n: int) -> LengthPrediction:
        """What a cell shows: the largest test distance, where the accuracy has settled."""
        return self.cells[x, n].lengths[-1]

    @property
    def right(self) -> list[int]:
        """The values that are always right when trained on the longest training length."""
        return [x for x in self.xs if self.at(x, self.rows[-1]).accuracy == 1]

    @property
    def open(self) -> list[int]:
        """The values of which nothing is claimed there."""
        last = [(x, self.at(x, self.rows[-1])) for x in self.xs]
        return [x for x, shown in last if shown.claim == Claim.NONE]

    def neighbour(self) -> int | None:
        """The base squared, or the largest modulus that is right while the next fails."""
        n, square = self.rows[-1], self.some.setting.base**2
        fail = [x for x in self.xs if self.at(x, n).accuracy not in (None, 1)]
        aligned = [x for x in self.right if self.cells[x, n].base_aligned is not None]
        found = [x for x in aligned if x + 1 in fail and self.axis == "modulus"]
        return square if square in found else max(found, default=None)

    def headline(self) -> str:
        """How many columns generalize, and of how many nothing is said, in a sentence."""
        n, count = digits_text(self.rows[-1]), len(self.xs)
        columns = f"{count} {'moduli' if self.axis == 'modulus' else 'bases'}"
        if len(self.open) == count:
            where = f"No claim {digits_text(self.some.ahead[-1])} up for any of {columns}"
            return f"{where}: training on {n} leaves the answer open"
        said = f"Trained on {n}, {len(self.right)} of {columns} generalize to longer numbers"
        return f"{said}; no claim for {len(self.open)}" if self.open else said

    def about(self) -> list[str]:
        """What is predicted of which settings, and which of them generalize."""
        s, ahead = self.some.setting, digits_text(self.some.ahead[-1])
        task = s.task.text()
        if self.axis == "modulus":
            task = f"{task.removesuffix(str(s.task.modulus))}p, base {s.base}"
        lines = [
            f"{task}, {s.encoding.label} ({s.encoding.summary}), {s.seen_text}.",
            f"Predicted accuracy on numbers {ahead} longer than those in training.",
        ]
        if 0 < len(self.right) < len(self.xs):
            n, values = self.rows[-1], ", ".join(map(str, self.right[:MOST_LISTED]))
            because = ""
            if all(self.cells[x, n].residual_modulus == 1 for x in self.right):
                p, b = (s.task.modulus, "base") if self.axis == "base" else ("p", s.base)
                because = f" ({p} divides {_power(b, n)})"
            more = ", ..." if len(self.right) > MOST_LISTED else ""
            lines.append(f"▼ generalize{because}: {values}{more}")
        return lines

    def note(self, numbered: bool) -> list[str]:
        """What hatching means, and ``numbered`` cells' small numbers, where there are any."""
        found = [self.at(*cell) for cell in self.cells]
        unknown = [x for x in found if x.accuracy is None]
        bounds = sum(x.claim != Claim.NONE for x in unknown)
        counts = {UNCLAIMED: len(unknown) - bounds, "only a bound": bounds}
        said = " and ".join(f"{what} in {number}" for what, number in counts.items() if number)
        lines = [f"Hatched: {said} of {len(found)} cells."] if said else []
        task, base = self.some.setting.task, self.some.setting.base
        if numbered and task.modulus is not None and len(unknown) < len(found):
            p, b = ("p", base) if self.axis == "modulus" else (task.modulus, "base")
            what = f"Small numbers: p′ = {p} / gcd({p}, {b}ⁿ), what n digits in training leave open"
            lines.append(f"{what}. At p′ = 1 the digits above cannot change the result.")
        return lines


def _power(base: int | str, exponent: int) -> str:
    return f"{base}{str(exponent).translate(_SUPERSCRIPTS)}"


def why(point: Point) -> tuple[str, str]:
    """Whether a modulus of known accuracy generalizes, and the reason; it does if base aligned."""
    p, base, value = point.setting.task.modulus, point.setting.base, point.lengths[-1].accuracy
    assert p is not None and value is not None
    if value == 1 and point.base_aligned is not None:
        k = point.base_aligned
        return f"{p} generalizes", (
            f"It divides {_power(base, k)}. With {digits_text(k)} or more in training p′ = 1: the "
            "digits above, which the model has not learned to read, cannot change the result."
        )
    what = f"It does not divide {_power(base, point.train_digits)}. What is left is"
    if gcd(p, base) == 1:
        what = f"It shares no factor with {base}. However many digits are in training,"
    share = f"only {float(100 * value):.2g}%" if value else "none"
    return f"{p} fails", (
        f"{what} p′ = {point.residual_modulus}: the digits above change the result, and {share} "
        "of the answers come out right."
    )


def left_out(
    points: Sequence[Point], moduli: Sequence[int | None], bases: Sequence[int]
) -> str | None:
    """A sentence on the moduli (or bases) that have no points, if there are any."""
    drawn = {(point.setting.task.modulus, point.setting.base) for point in points}
    pairs = [x for x in product(dict.fromkeys(moduli), dict.fromkeys(bases)) if x not in drawn]
    if not pairs:
        return None
    named = [str(base if len(moduli) == 1 else p) for p, base in pairs[:MOST_LISTED]]
    more = ", ..." if len(pairs) > MOST_LISTED else ""
    return (
        "left out, for the setting makes no sense there (arith predict says why): "
        f"{', '.join(named)}{more}; {len(pairs)} in all"
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
        csv.writer(file, lineterminator="\n").writerows([rows[0], *(x.values() for x in rows)])


def _row(point: Point) -> dict[str, object]:
    s = point.setting
    row: dict[str, object] = {
        "task": s.task.text(),
        "modulus": s.task.modulus,
        "base": s.base,
        "encoding": s.encoding.name,
        "layout": s.layout.name,
        "window": s.window,
        "layers": s.layers,
        "train_digits": point.train_digits,
        "verdict": point.verdict,
        "residual_modulus": point.residual_modulus,
        "base_aligned": point.base_aligned,
    }
    for distance, x in zip(point.ahead, point.lengths, strict=True):
        name = f"accuracy_plus_{distance}"
        row |= text_and_float(name, x.accuracy)
        row[f"{name}_at_most"] = exact_text(x.at_most)
        row[f"{name}_at_least"] = exact_text(x.at_least)
    return row
