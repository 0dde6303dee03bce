"""The mechanism of one trained model: what its answers depend on, and which inputs it confuses."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from theory.errors import InvalidInput
from theory.prediction.predict import predict
from verify.mechanism.hidden_states import Equivalence, equivalence
from verify.mechanism.influence import (
    Disagreement,
    by_learned,
    by_model,
    by_truth,
    disagreement,
    influence,
)
from verify.mechanism.patching import Leaks, leaks
from verify.mechanism.pictures import draw_influences, draw_states
from verify.model.gpt import GPT
from verify.plan.cells import Cell


@dataclass(frozen=True)
class Mechanism:
    """What was measured of one model at one test length.

    Args:
        digits: the length.
        influence: by who answered (``model``, ``learned function`` if one is predicted,
            ``truth``), shares ``(k, digits, M)``: see ``verify.mechanism.influence``.
        equivalence: see ``verify.mechanism.hidden_states``; None where no position is predicted
            to be ignored.
        leaks: see ``verify.mechanism.patching``; None likewise.
    """

    digits: int
    influence: dict[str, np.ndarray]
    equivalence: Equivalence | None
    leaks: Leaks | None

    def distance(self, name: str) -> Disagreement:
        """How far the model's influences are from the learned function's or the truth's."""
        return disagreement(self.influence["model"], self.influence[name])

    def to_json(self) -> dict[str, Any]:
        """The measurements as plain values, rounded to four digits."""
        values: dict[str, Any] = {
            "digits": self.digits,
            "influence": {k: np.round(x, 4).tolist() for k, x in self.influence.items()},
            "distance": {k: asdict(self.distance(k)) for k in self.influence if k != "model"},
        }
        if self.equivalence is not None:
            ratios = self.equivalence.ratios
            known = [None if np.isnan(x) else round(x, 4) for x in ratios]
            values["equivalence"] = {"samples": self.equivalence.samples, "by layer": known}
        if self.leaks is not None:
            values["leaks"] = {
                "samples": self.leaks.samples,
                "as it is": round(self.leaks.unpatched, 4),
                "mended by layer": [round(x, 4) for x in self.leaks.patched],
            }
        return values


def measure_mechanism(model: GPT, cell: Cell, digits: int) -> Mechanism:
    """Measure a trained model at one test length.

    Raises:
        InvalidInput: a length that the cell does not write.
    """
    prediction = predict(cell.setting)
    answerers = {"model": by_model(model, cell)}
    if prediction.learned is not None or prediction.continues:
        answerers["learned function"] = by_learned(cell)
    answerers["truth"] = by_truth(cell)
    everybody = tuple(answerers.values())
    influences = {
        name: influence(answer, cell, digits, others=everybody)
        for name, answer in answerers.items()
    }
    same, leak = None, None
    if prediction.learned is not None:
        # It may be that nothing of that length is equivalent to a trained input.
        with suppress(InvalidInput):
            same, leak = equivalence(model, cell, digits), leaks(model, cell, digits)
    return Mechanism(digits, influences, same, leak)


def draw(model: GPT, cell: Cell, mechanism: Mechanism, folder: Path) -> list[Path]:
    """Draw influences, and states before the highest trained result digit, as SVG; the files.

    Raises:
        InvalidInput: a file cannot be written.
    """
    first = folder / "influence.svg"
    names = cell.setting.task.names
    draw_influences(mechanism.influence, cell.label(), first, names)
    if mechanism.equivalence is None:
        return [first]
    second = folder / "states.svg"
    result_digit = min(max(cell.setting.train.lengths), cell.format.result_width)
    draw_states(model, cell, mechanism.digits, result_digit, second)
    return [first, second]
