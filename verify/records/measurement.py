"""A measurement: what one trained model answered at one test length."""

from __future__ import annotations

from dataclasses import dataclass


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
    """

    digits: int
    samples: int
    exhaustive: bool
    correct: int
    learned: int | None
    digit_correct: tuple[int, ...]
    digit_learned: tuple[int, ...] | None
