"""Phase diagrams: the prediction for longer inputs by modulus, base and training length.

>>> from arith.theory.setting.requests import Request
>>> from arith.theory.studies.phase import phase_diagram
>>> found = phase_diagram(Request(task="mod_add"), (100, 101), (10,), (2,))
>>> print(*(found.cells[p, 2].lengths[0].accuracy for p in found.xs))
1 99/10000
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from arith.theory.arithmetic.effort import LIMIT, budget
from arith.theory.arithmetic.properties import residual_modulus
from arith.theory.errors import InvalidInput, TooMuchWork
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.requests import Request
from arith.theory.studies.compare import predicted

MOST_POINTS = 2_000
"""Predictions of one diagram at most."""


@dataclass(frozen=True)
class PhaseDiagram:
    """Predictions for inputs longer than the trained ``D_n``.

    Args:
        axis: what runs to the right: ``modulus`` or ``base``.
        cells: the prediction of each ``(x, n)``, a value of the axis and a training length.
        left_out: the values at which the setting makes no sense.
    """

    axis: str
    cells: dict[tuple[int, int], Prediction]
    left_out: tuple[int, ...] = ()

    @cached_property
    def xs(self) -> list[int]:
        """The values of the axis, ascending."""
        return sorted({x for x, _ in self.cells})

    @cached_property
    def rows(self) -> list[int]:
        """The training lengths, ascending."""
        return sorted({n for _, n in self.cells})

    def at(self, x: int, n: int) -> LengthPrediction:
        """The longest test length of a cell, where the accuracy has settled."""
        return self.cells[x, n].lengths[-1]

    @property
    def generalizing(self) -> list[int]:
        """The values that are always right when trained on the longest training length."""
        return [x for x in self.xs if self.at(x, self.rows[-1]).accuracy == 1]

    @property
    def open(self) -> list[int]:
        """The values of which nothing is claimed there."""
        return [x for x in self.xs if self.at(x, self.rows[-1]).claim == Claim.NONE]

    def residual_modulus(self, x: int, n: int) -> int | None:
        """The digits above n matter modulo this; None without a modulus."""
        s = self.cells[x, n].setting
        p = s.task.modulus
        return None if p is None else residual_modulus(p, s.digit_base, n)


def phase_diagram(
    request: Request,
    moduli: Sequence[int | None],
    bases: Sequence[int],
    train_digits: Sequence[int],
) -> PhaseDiagram:
    """The predictions of a range of moduli or of bases, for each training length.

    Tested are numbers of one, two and three digits more.

    Args:
        request: what is the same at every point.
        moduli: ``(None,)`` for a task without, or with one of its own.
        train_digits: each is a training domain ``D_n`` of its own.

    Raises:
        InvalidInput: an empty range, two ranges, too many points, or no setting that makes sense.
    """
    ranges = {"moduli": moduli, "bases": bases, "training lengths": train_digits}
    for name, values in ranges.items():
        if not values:
            raise InvalidInput(f"the range of {name} is empty")
    if len(moduli) > 1 and len(bases) > 1:
        raise InvalidInput("a picture shows a range of moduli or a range of bases, not both")
    count = prod(len({*values}) for values in ranges.values())
    if count > MOST_POINTS:
        raise InvalidInput(f"a map takes at most {MOST_POINTS:,} points, not {count:,}")
    axis = "base" if len(bases) > 1 or None in moduli else "modulus"
    cells: dict[tuple[int, int], Prediction] = {}
    refused: dict[int, InvalidInput] = {}
    with budget(LIMIT):
        for modulus, base, n in dict.fromkeys(product(moduli, bases, train_digits)):
            x = base if axis == "base" or modulus is None else modulus
            if x in refused:
                continue
            found = predicted(
                request,
                modulus=modulus,
                base=base,
                train_digits=str(n),
                test_digits=f"{n + 1}-{n + 3}",
            )
            if isinstance(found, TooMuchWork):
                raise InvalidInput(
                    f"{count:,} points with such moduli take too long to be counted: the "
                    f"limit was reached after {len(cells):,}; ask for fewer"
                )
            if isinstance(found, InvalidInput):
                refused[x] = found
            else:
                cells[x, n] = found
    cells = {(x, n): found for (x, n), found in cells.items() if x not in refused}
    if not cells:
        raise next(iter(refused.values()))
    return PhaseDiagram(axis, cells, tuple(refused))
