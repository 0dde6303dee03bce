"""Phase diagrams: the upward prediction over a range of moduli, bases and training lengths.

Every point is one call of ``theory.prediction.predict.predict``; nothing of the theory is repeated here.

>>> from theory import encoding, layout
>>> from theory.studies.phase import phase_diagram
>>> points = phase_diagram("mod_add", (100, 101), (10,), (2,), encoding("ape"), layout("aligned"))
>>> [str(point.accuracy(3)) for point in points]
['1', '99/10000']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from theory.errors import InvalidInput, TooMuchWork
from theory.numbers.effort import budget
from theory.prediction.lengths import LengthPrediction
from theory.prediction.predict import predict
from theory.setting.directions import Direction
from theory.setting.domains import Domain
from theory.setting.encodings import Encoding
from theory.setting.layouts import Layout
from theory.setting.properties import base_aligned, residual_modulus
from theory.setting.settings import Setting
from theory.setting.tasks import Task, named_task

TaskFactory = Callable[[int | None], Task]
"""The task of a modulus; None asks for the task as it is, without one."""

MOST_POINTS = 2_000
"""Points of one diagram at most: ``2..501`` with four training lengths."""
MOST_WORK = 3_000_000_000
"""Steps that the counts of one diagram may take (some seconds)."""
AHEAD = (1, 2, 3)
"""The usual test distances, those that ``predict`` tests by itself."""


@dataclass(frozen=True)
class Point:
    """The upward prediction for one task and base, trained on ``D_n``.

    Args:
        task: the task as a person writes it, ``(a + b) mod 100``.
        modulus: p, or None for a task over the natural numbers.
        base: the base B of the digits.
        encoding: the name of the positional encoding.
        layout: the name of the layout.
        train_digits: the training length n.
        verdict: ``generalizes``, ``fails`` or ``undetermined``, over all test distances.
        lengths: the prediction at each test length, in ascending order.
        residual_modulus: ``p' = p / gcd(p, B**n)``: the digits above n matter modulo p'.
        base_aligned: the least k with p dividing ``B**k``; None where p divides no power.
    """

    task: str
    modulus: int | None
    base: int
    encoding: str
    layout: str
    train_digits: int
    verdict: str
    lengths: tuple[LengthPrediction, ...]
    residual_modulus: int | None
    base_aligned: int | None

    @property
    def ahead(self) -> tuple[int, ...]:
        """The test distances: digits that the test numbers have more than those in training."""
        return tuple(x.digits - self.train_digits for x in self.lengths)

    def at(self, ahead: int) -> LengthPrediction:
        """The prediction for numbers that are ``ahead`` digits longer than in training.

        Raises:
            InvalidInput: this distance was not asked for.
        """
        for distance, prediction in zip(self.ahead, self.lengths, strict=True):
            if distance == ahead:
                return prediction
        raise InvalidInput(
            f"nothing was predicted {ahead} digits ahead, only {', '.join(map(str, self.ahead))}"
        )

    def accuracy(self, ahead: int) -> Fraction | None:
        """The exact accuracy at a test distance, None where it is undetermined.

        Raises:
            InvalidInput: this distance was not asked for.
        """
        return self.at(ahead).accuracy


def phase_diagram(
    task: str | TaskFactory,
    moduli: Sequence[int | None],
    bases: Sequence[int],
    train_digits: Sequence[int],
    encoding: Encoding,
    layout: Layout,
    ahead: Sequence[int] = AHEAD,
) -> list[Point]:
    """The points of all combinations: for each modulus, each base, each training length.

    Args:
        task: a name of the table of tasks, or a function from a modulus to the task.
        moduli: the moduli; ``(None,)`` for a task over the natural numbers.
        train_digits: each is a training domain ``D_n`` of its own.
        ahead: the test distances in digits; all are kept, and the verdict is over all of them.

    Raises:
        InvalidInput: an empty range, too many points, a distance below 1, or a setting that makes
            no sense.
    """
    ranges = (
        ("moduli", moduli),
        ("bases", bases),
        ("training lengths", train_digits),
        ("test distances", ahead),
    )
    for name, values in ranges:
        if not values:
            raise InvalidInput(f"the range of {name} is empty")
    if min(ahead) < 1:
        raise InvalidInput(f"a test has to be at least 1 digit ahead, not {min(ahead)}")
    count = (
        len(dict.fromkeys(moduli)) * len(dict.fromkeys(bases)) * len(dict.fromkeys(train_digits))
    )
    if count > MOST_POINTS:
        raise InvalidInput(f"a map takes at most {MOST_POINTS:,} points, not {count:,}")
    make: TaskFactory = task if callable(task) else lambda p: named_task(task, p)
    distances = tuple(sorted(set(ahead)))
    points: list[Point] = []
    try:
        with budget(MOST_WORK):
            for chosen in map(make, dict.fromkeys(moduli)):
                for base in dict.fromkeys(bases):
                    for n in dict.fromkeys(train_digits):
                        points.append(_point(chosen, base, n, encoding, layout, distances))
    except TooMuchWork:
        raise InvalidInput(
            f"{count:,} points with such moduli take too long to be counted: the limit was reached "
            f"after {len(points):,}; ask for fewer"
        ) from None
    return points


def _point(
    task: Task, base: int, n: int, encoding: Encoding, layout: Layout, ahead: tuple[int, ...]
) -> Point:
    tests = tuple(n + distance for distance in ahead)
    prediction = predict(Setting(task, base, encoding, layout, Domain((n,)), 0, tests))
    p = task.full_modulus
    return Point(
        task.text(),
        task.modulus,
        base,
        encoding.name,
        layout.name,
        n,
        prediction.verdict(Direction.UPWARD),
        prediction.lengths,
        None if p is None else residual_modulus(p, base, n),
        None if p is None else base_aligned(p, base),
    )
