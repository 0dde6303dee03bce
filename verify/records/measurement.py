"""A measurement: what one trained model answered at one test length."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arith.verify.plan import premise


@dataclass(frozen=True)
class Measurement:
    """What one trained model answered at one test length.

    Args:
        digits: the test length.
        samples: inputs tested; held-out ones only where the whole test domain was trained.
        exhaustive: whether they are all there are.
        correct: answers equal to ``f``.
        learned: answers equal to ``f^``, None where no learned function is predicted.
        digit_correct: per result digit, units first: answers right in that digit.
        digit_learned: the same against ``f^``.
        steady: the share of answers that stay when operand digits are disturbed a little
            (``verify.model.steadiness``), where that was measured.
    """

    digits: int
    samples: int
    exhaustive: bool
    correct: int
    learned: int | None
    digit_correct: tuple[int, ...]
    digit_learned: tuple[int, ...] | None
    steady: float | None = None

    def is_steady(self, unseen: Fraction = Fraction(0), least: float = premise.STEADY) -> bool:
        """Whether the model is not known to waver here: most answers stayed, or none were tried.

        Args:
            unseen: the share of inputs whose answer training leaves open; these may change.
            least: the share of the answers that have to stay.
        """
        return self.steady is None or self.steady + unseen >= least

    def to_json(self) -> dict[str, Any]:
        """The measurement as plain values, without what was not measured."""
        values = dict(vars(self))
        if self.steady is None:
            del values["steady"]
        return values
