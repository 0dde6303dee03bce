"""The mechanism of one trained model: what its answers depend on, and which inputs it confuses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from arith.theory.errors import InvalidInput
from arith.verify.mechanism.hidden_states import Equivalence, equivalence
from arith.verify.mechanism.influence import answerers, disagreement, influences
from arith.verify.mechanism.patching import Leaks, leaks
from arith.verify.model.gpt import GPT
from arith.verify.plan.cells import Cell


@dataclass(frozen=True)
class Mechanism:
    """What was measured of one model at one test length.

    Args:
        influence: of ``answerers``, shares ``(k, digits, M)`` as ``influences`` returns them.
        equivalence: None where no position is predicted to be ignored.
        leaks: the same.
    """

    digits: int
    influence: dict[str, np.ndarray]
    equivalence: Equivalence | None
    leaks: Leaks | None

    def to_json(self) -> dict[str, Any]:
        """The measurements as plain values, rounded to four digits."""
        model, *others = self.influence.items()
        values: dict[str, Any] = {
            "digits": self.digits,
            "influence": {k: _plain(x) for k, x in self.influence.items()},
            "distance": {k: disagreement(model[1], x) for k, x in others},
        }
        if self.equivalence is not None:
            known = [None if np.isnan(x) else round(x, 4) for x in self.equivalence.ratios]
            values["equivalence"] = {"samples": self.equivalence.samples, "by layer": known}
        if self.leaks is not None:
            values["leaks"] = {
                "samples": self.leaks.samples,
                "as it is": round(self.leaks.unpatched, 4),
                "mended by layer": [round(x, 4) for x in self.leaks.patched],
            }
        return values


def _plain(shares: np.ndarray) -> list[Any]:
    """Shares as nested lists, rounded; None where one is not known, as JSON has no other word."""
    values = np.round(shares, 4).astype(object)
    values[np.isnan(shares)] = None
    return values.tolist()


def measure_mechanism(
    model: GPT, cell: Cell, digits: int, watch: Callable[[int, int], None] = lambda done, of: None
) -> Mechanism:
    """Measure a trained model at one test length.

    Args:
        watch: called with how many digits are done, and of how many.
    """
    done, of = count(1), digits * cell.setting.task.operands
    found = influences(answerers(model, cell), cell, digits, on_digit=lambda: watch(next(done), of))
    same, leak = None, None
    # It may be that no position is ignored, or nothing is equivalent to a trained input.
    with suppress(InvalidInput):
        same, leak = equivalence(model, cell, digits), leaks(model, cell, digits)
    return Mechanism(digits, found, same, leak)
