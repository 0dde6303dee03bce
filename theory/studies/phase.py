"""Phase diagrams: the prediction for longer inputs by modulus, base and training length.

>>> from arith.theory import encoding, layout, named_task
>>> from arith.theory.studies.phase import phase_diagram
>>> model = {"encoding": encoding("ape"), "layout": layout("aligned")}
>>> found = phase_diagram(lambda p: named_task("mod_add", p), (100, 101), (10,), (2,), **model)
>>> print(*(found.cells[p, 2].lengths[0].accuracy for p in found.xs))
1 99/10000
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import LIMIT, budget
from arith.theory.arithmetic.properties import residual_modulus
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import InvalidInput, TooMuchWork
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting

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
        return None if p is None else residual_modulus(p, s.base, n)


def phase_diagram(
    task: Callable[[int | None], Task],
    moduli: Sequence[int | None],
    bases: Sequence[int],
    train_digits: Sequence[int],
    ahead: Sequence[int] = (1, 2, 3),
    **fields: Any,
) -> PhaseDiagram:
    """The predictions of a range of moduli or of bases, for each training length.

    Args:
        task: the task of a modulus.
        moduli: ``(None,)`` for a task over the natural numbers.
        train_digits: each is a training domain ``D_n`` of its own.
        ahead: how many digits test numbers have more than those in training.
        fields: the encoding, the layout and what else a ``Setting`` has.

    Raises:
        InvalidInput: an empty range, two ranges, too many points, or no setting that makes sense.
    """
    names = ("moduli", "bases", "training lengths", "test distances")
    for name, values in zip(names, (moduli, bases, train_digits, ahead), strict=True):
        if not values:
            raise InvalidInput(f"the range of {name} is empty")
    if min(ahead) < 1:
        raise InvalidInput(f"a test has to be at least 1 digit ahead, not {min(ahead)}")
    if len(moduli) > 1 and len(bases) > 1:
        raise InvalidInput("a picture shows a range of moduli or a range of bases, not both")
    pairs, lengths = dict.fromkeys(product(moduli, bases)), dict.fromkeys(train_digits)
    count = len(pairs) * len(lengths)
    if count > MOST_POINTS:
        raise InvalidInput(f"a map takes at most {MOST_POINTS:,} points, not {count:,}")
    axis = "base" if len(bases) > 1 or None in moduli else "modulus"
    cells: dict[tuple[int, int], Prediction] = {}
    refused: dict[int, InvalidInput] = {}
    try:
        with budget(LIMIT):
            for modulus, base in pairs:
                x = base if axis == "base" or modulus is None else modulus
                try:
                    parts = {"task": task(modulus), "digit_base": base, **fields}
                    row = {(x, n): predict(_trained_on(n, ahead, parts)) for n in lengths}
                except TooMuchWork:
                    raise
                except InvalidInput as error:
                    refused[x] = error
                else:
                    cells |= row
    except TooMuchWork:
        raise InvalidInput(
            f"{count:,} points with such moduli take too long to be counted: the limit was reached "
            f"after {len(cells):,}; ask for fewer"
        ) from None
    if not cells:
        raise next(iter(refused.values()))
    return PhaseDiagram(axis, cells, tuple(refused))


@lru_cache(maxsize=10_000)
def with_modulus(request: Request, modulus: int) -> LengthPrediction | None:
    """What is predicted at a request's longest test length with another modulus.

    None where the setting makes no sense with it.

    Raises:
        TooMuchWork: a budget around it is spent.
    """
    try:
        setting = replace(request, modulus=modulus).setting()
        if not setting.test_each:
            setting = replace(setting, test_lengths=setting.test_lengths[-1:])
        return predict(setting).lengths[-1]
    except TooMuchWork:
        raise
    except InvalidInput:
        return None


def _trained_on(n: int, ahead: Sequence[int], parts: dict[str, Any]) -> Setting:
    tests = tuple(n + distance for distance in ahead)
    return Setting(**parts, train=Domain((n,)), test_lengths=tests)
