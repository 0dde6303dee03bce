"""A measurement: what one trained model answered at one test length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """What one trained model answered at one test length.

    Args:
        digits: the test length.
        samples: inputs tested (in domain: held-out ones only).
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

    def to_json(self) -> dict[str, Any]:
        """The measurement as plain values."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Measurement:
        """The measurement that ``to_json`` wrote."""
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        return cls(**values)
