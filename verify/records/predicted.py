"""What was predicted of a model before it was trained, as it is kept with the model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from arith.theory.generalization.lengths import Premise
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.prediction.predict import Prediction
from arith.theory.rules import THEORY_VERSION
from arith.verify.plan.cells import Cell
from arith.verify.records.reading import Length, Line, Number, as_json, check


@dataclass(frozen=True)
class PredictedLength:
    """The prediction at one test length (see ``theory.generalization.lengths.LengthPrediction``).

    Args:
        learned_accuracy: of f^ on the whole test domain, None where it is not known.
        at_least: what the accuracy does not fall below; 0 in what was stored before theory 27.
        candidates: none where there are none, and in what was stored before they were named.
        premises: what the claim asks of a model; None in what was stored before claims said so.
    """

    digits: Length
    status: Status
    claim: Claim
    accuracy: Fraction | None
    at_most: Fraction
    unseen_share: Fraction | None
    learned_accuracy: Fraction | None
    at_least: Fraction = Fraction(0)
    candidates: tuple[Fraction, ...] = ()
    premises: tuple[Premise, ...] | None = None


@dataclass(frozen=True)
class Predicted:
    """A prediction, as it was before the model was trained.

    Args:
        theory: the version of the theory that made it.
        learned: the expected function f^ as text, None where there is none.
    """

    BESIDE: ClassVar = {"hash": (str,)}

    theory: Number
    learned: Line | None
    lengths: tuple[PredictedLength, ...]

    def to_json(self) -> dict[str, Any]:
        """The prediction as plain values, and its hash."""
        head = {"theory": self.theory, "learned": self.learned, "hash": self.hash}
        return {**head, "lengths": as_json(self.lengths)}

    def check(self, cell: Cell) -> None:
        """Check that it can be one of this cell, and its bounds go together (InvalidInput)."""
        lengths = [x.digits for x in self.lengths]
        fine = len(set(lengths)) == len(lengths) and set(lengths) <= set(cell.setting.test_lengths)
        check(fine, "predicted: not the test lengths of the cell, each once")
        for x in self.lengths:
            least, most = (x.at_least, x.at_most) if x.accuracy is None else (x.accuracy,) * 2
            fine = x.at_least <= least <= most <= x.at_most
            check(fine, f"predicted: bounds at {x.digits} digits contradict each other")
            fine = x.candidates[:1] in ((), (1,)) and all(c < 1 for c in x.candidates[1:])
            fine &= len(x.candidates) <= 2 and (x.claim == Claim.NONE or not x.candidates)
            check(
                fine, f"predicted: candidates at {x.digits} digits are 1 and less, without a claim"
            )

    def at(self, digits: int) -> PredictedLength | None:
        """What was predicted at a test length; None where nothing was."""
        return next((x for x in self.lengths if x.digits == digits), None)

    @cached_property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the whole prediction."""
        text = json.dumps([self.theory, self.learned, as_json(self.lengths)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def predicted(prediction: Prediction) -> Predicted:
    """What is kept of a prediction."""
    kept = PredictedLength.__dataclass_fields__.keys() - {"claim"}
    lengths = tuple(
        PredictedLength(claim=x.claim, **{name: getattr(x, name) for name in kept})
        for x in prediction.lengths
    )
    return Predicted(THEORY_VERSION, prediction.learned_text, lengths)
