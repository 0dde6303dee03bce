"""A measurement: what one trained model answered at one test length."""

from __future__ import annotations

from dataclasses import dataclass

from arith.verify.plan.cells import Cell
from arith.verify.records.reading import Length, Positive, Share, Whole, check


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
            (``verify.model.measure``), where that was measured.
    """

    digits: Length
    samples: Positive
    exhaustive: bool
    correct: Whole
    learned: Whole | None
    digit_correct: tuple[Whole, ...]
    digit_learned: tuple[Whole, ...] | None
    steady: Share | None = None

    @property
    def accuracy(self) -> float:
        """The share of answers equal to ``f``."""
        return self.correct / self.samples

    @property
    def learned_share(self) -> float | None:
        """The share of answers equal to ``f^``, if any is predicted."""
        return None if self.learned is None else self.learned / self.samples

    def check(self, cell: Cell) -> None:
        """Check that it can be one of this cell, and its counts go together (InvalidInput)."""
        check(self.digits in cell.setting.test_lengths, "digits: no test length")
        width = cell.format_for(self.digits).result_width
        for name, right, by_digit in (
            ("correct", self.correct, self.digit_correct),
            ("learned", self.learned, self.digit_learned),
        ):
            if right is None or by_digit is None:
                check(
                    right is by_digit, f"digit_{name} must be null where {name} is, and only there"
                )
                continue
            check(right <= self.samples, f"{name} must be 0 to samples")
            check(len(by_digit) == width, f"digit_{name} must have {width} items")
            fine = right <= min(by_digit) and max(by_digit) <= self.samples
            check(fine, f"digit_{name} must be from {name} to samples")
