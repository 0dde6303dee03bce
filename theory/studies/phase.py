"""Phase diagrams: the prediction for longer inputs by modulus, base and training length.

>>> from arith.theory import encoding, layout, named_task
>>> from arith.theory.studies.phase import phase_diagram
>>> add = lambda p: named_task("mod_add", p)
>>> points = phase_diagram(add, (100, 101), (10,), (2,), encoding("ape"), layout("aligned"))
>>> print(*(point.at(3).accuracy for point in points))
1 99/10000
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from arith.theory.errors import InvalidInput, TooMuchWork
from arith.theory.numbers.effort import LIMIT, budget
from arith.theory.prediction.lengths import LengthPrediction
from arith.theory.prediction.outcomes import Status
from arith.theory.prediction.predict import predict
from arith.theory.setting.directions import Direction
from arith.theory.setting.domains import Domain
from arith.theory.setting.encodings import Encoding
from arith.theory.setting.layouts import Layout
from arith.theory.setting.properties import base_aligned, residual_modulus
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import Task

MOST_POINTS = 2_000
"""Points of one diagram at most."""


@dataclass(frozen=True)
class Point:
    """The prediction for inputs longer than the trained ``D_n``.

    Args:
        verdict: over all test lengths, which ascend.
        residual_modulus: the digits above n matter modulo this; None without a modulus.
        base_aligned: the least k with p dividing ``B**k``; None where p divides no power.
    """

    setting: Setting
    verdict: Status
    lengths: tuple[LengthPrediction, ...]
    residual_modulus: int | None
    base_aligned: int | None

    @property
    def train_digits(self) -> int:
        """The training length n."""
        return self.setting.train.lengths[0]

    @property
    def ahead(self) -> tuple[int, ...]:
        """The test distances: how many digits the test numbers have more than those in training."""
        return tuple(x.digits - self.train_digits for x in self.lengths)

    def at(self, ahead: int) -> LengthPrediction:
        """The prediction at a test distance (InvalidInput: it was not asked for)."""
        if ahead not in self.ahead:
            known = ", ".join(map(str, self.ahead))
            raise InvalidInput(f"nothing was predicted {ahead} digits ahead, only {known}")
        return self.lengths[self.ahead.index(ahead)]


def phase_diagram(
    task: Callable[[int | None], Task],
    moduli: Sequence[int | None],
    bases: Sequence[int],
    train_digits: Sequence[int],
    encoding: Encoding,
    layout: Layout,
    ahead: Sequence[int] = (1, 2, 3),
    window: int = 0,
    layers: int = 0,
) -> list[Point]:
    """The points of all combinations: for each modulus, each base, each training length.

    A modulus with a base in which the setting makes no sense has none, as where a layout cannot
    write the task.

    Args:
        task: the task of a modulus.
        moduli: ``(None,)`` for a task over the natural numbers.
        train_digits: each is a training domain ``D_n`` of its own.
        ahead: the test distances in digits.
        window: as of a ``Setting``.
        layers: as of a ``Setting``.

    Raises:
        InvalidInput: an empty range, too many points, or no setting that makes sense.
    """
    names = ("moduli", "bases", "training lengths", "test distances")
    for name, values in zip(names, (moduli, bases, train_digits, ahead), strict=True):
        if not values:
            raise InvalidInput(f"the range of {name} is empty")
    if min(ahead) < 1:
        raise InvalidInput(f"a test has to be at least 1 digit ahead, not {min(ahead)}")
    ps, bs, ns = dict.fromkeys(moduli), dict.fromkeys(bases), dict.fromkeys(train_digits)
    count = len(ps) * len(bs) * len(ns)
    if count > MOST_POINTS:
        raise InvalidInput(f"a map takes at most {MOST_POINTS:,} points, not {count:,}")
    points: list[Point] = []
    refused: list[InvalidInput] = []
    try:
        with budget(LIMIT):
            for modulus, base in product(ps, bs):
                try:
                    p, row = task(modulus), list[Point]()
                    for n in ns:
                        trained, tests = Domain((n,)), tuple(n + distance for distance in ahead)
                        parts = p, base, encoding, layout, trained, window, tests
                        row.append(_point(Setting(*parts, layers=layers)))
                    points += row
                except TooMuchWork:
                    raise
                except InvalidInput as error:
                    refused.append(error)
    except TooMuchWork:
        raise InvalidInput(
            f"{count:,} points with such moduli take too long to be counted: the limit was reached "
            f"after {len(points):,}; ask for fewer"
        ) from None
    if not points:
        raise refused[0]
    return points


def _point(setting: Setting) -> Point:
    found, p = predict(setting), setting.task.modulus
    n, base = setting.train.lengths[0], setting.base
    left = None if p is None else residual_modulus(p, base, n)
    aligned = None if p is None else base_aligned(p, base)
    return Point(setting, found.verdict(Direction.UPWARD), found.lengths, left, aligned)
