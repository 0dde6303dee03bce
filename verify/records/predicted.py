"""What was predicted of a model before it was trained, as it is kept with the model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arith.theory.errors import InvalidInput
from arith.theory.inference.rules import THEORY_VERSION
from arith.theory.numbers.exact_text import exact_text, read_exact
from arith.theory.prediction.outcomes import Claim, Status
from arith.theory.prediction.predict import Prediction
from arith.verify.records.reading import check, check_fields


@dataclass(frozen=True)
class PredictedLength:
    """The prediction at one test length (see ``arith.theory.prediction.lengths.LengthPrediction``).

    Args:
        learned_accuracy: of f^ on the whole test domain, None where it is not known.
        at_least: what the accuracy does not fall below; 0 in what was stored before theory 27.
    """

    digits: int
    status: Status
    claim: Claim
    accuracy: Fraction | None
    at_most: Fraction
    unseen_share: Fraction | None
    learned_accuracy: Fraction | None
    at_least: Fraction = Fraction(0)

    def to_json(self) -> dict[str, Any]:
        """The prediction as plain values; fractions as text, and no lower bound of 0."""
        kept = {k: v for k, v in vars(self).items() if k != "at_least" or v}
        return {k: exact_text(v) if isinstance(v, Fraction) else v for k, v in kept.items()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PredictedLength:
        """The prediction that ``to_json`` wrote (InvalidInput: a value is wrong or missing)."""
        try:
            return cls(
                data["digits"],
                Status(data["status"]),
                Claim(data["claim"]),
                _fraction(data["accuracy"]),
                read_exact(data["at_most"]),
                _fraction(data["unseen_share"]),
                _fraction(data["learned_accuracy"]),
                read_exact(data.get("at_least", "0")),
            )
        except (KeyError, ValueError, TypeError, ZeroDivisionError) as error:
            raise InvalidInput(f"predicted: {error}") from None


def _fraction(text: str | None) -> Fraction | None:
    return None if text is None else read_exact(text)


@dataclass(frozen=True)
class Predicted:
    """A prediction, as it was before the model was trained.

    Args:
        theory: the version of the theory that made it.
        learned: the expected function f^ as text, None where there is none.
    """

    theory: str
    learned: str | None
    lengths: tuple[PredictedLength, ...]

    def to_json(self) -> dict[str, Any]:
        """The prediction as plain values, and its hash."""
        head = {"theory": self.theory, "learned": self.learned, "hash": self.hash}
        return {**head, "lengths": [x.to_json() for x in self.lengths]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Predicted:
        """The prediction that ``to_json`` wrote (InvalidInput: it did not, or not so)."""
        check_fields(data, {"theory", "learned", "hash", "lengths"})
        check(isinstance(data["lengths"], list), "predicted: lengths must be a list")
        lengths = tuple(PredictedLength.from_json(x) for x in data["lengths"])
        read = cls(data["theory"], data["learned"], lengths)
        check(read.hash == data["hash"], "predicted: it was changed, for it has another hash")
        return read

    def at(self, digits: int) -> PredictedLength | None:
        """What was predicted at a test length; None where nothing was."""
        return next((x for x in self.lengths if x.digits == digits), None)

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the whole prediction."""
        lengths = [x.to_json() for x in self.lengths]
        text = json.dumps([self.theory, self.learned, lengths], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def predicted(prediction: Prediction) -> Predicted:
    """What is kept of a prediction."""
    kept = PredictedLength.__dataclass_fields__.keys() - {"claim"}
    lengths = tuple(
        PredictedLength(claim=x.claim, **{name: getattr(x, name) for name in kept})
        for x in prediction.lengths
    )
    return Predicted(THEORY_VERSION, prediction.learned_text, lengths)
