"""Where theory names two candidates: how many models have the accuracy of one of them.

It is evidence after the fact: the principle (rule *two candidates*) was found in part of it, and no
claim rests on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arith.theory.arithmetic.directions import Direction
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.standards import TOLERANCE
from arith.verify.plan.premise import SEEN_STEADY, STEADY

STABLE = {
    f"{SEEN_STEADY:g} or more": SEEN_STEADY,
    f"{STEADY:g} or more, not {SEEN_STEADY:g}": STEADY,
    f"less than {STEADY:g}": 0.0,
}
"""By the share of answers that stay when digits are disturbed a little: the least of each kind."""


@dataclass
class Candidates:
    """What converged models did at lengths with candidates; a model counts once for each length.

    Args:
        lengths: of all models together.
        either: of these, with an accuracy within the tolerance of 1 or of f^'s.
        task: with an accuracy within it of 1.
        expected: with an accuracy within it of f^'s; where that is near 1 both are met.
        fractions: at lengths where f^ is right on a fraction, which a model that is always right,
            or always wrong, does not meet.
        fractions_expected: of these, with an accuracy within the tolerance of f^'s.
    """

    lengths: int = 0
    either: int = 0
    task: int = 0
    expected: int = 0
    fractions: int = 0
    fractions_expected: int = 0


def candidate_counts(verdicts: Iterable[CellVerdict]) -> dict[str, dict[str, Candidates]]:
    """The counts for longer and for other inputs, by how stable models were (``STABLE``).

    A model whose stability at a length was not measured is left out.
    """
    counts = {inputs: {kind: Candidates() for kind in STABLE} for inputs in ("longer", "other")}
    for v in verdicts:
        at = {x.digits: x.prediction for x in v.lengths if x.prediction.candidates}
        for m in (m for run in v.converged for m in run.measurements):
            if m.digits not in at or m.steady is None:
                continue
            x, steady = at[m.digits], m.steady
            kind = next(kind for kind, least in STABLE.items() if steady >= least)
            near = [abs(m.correct / m.samples - float(c)) <= TOLERANCE for c in x.candidates]
            found = counts["longer" if x.direction == Direction.UPWARD else "other"][kind]
            found.lengths += 1
            found.either += any(near)
            found.task += near[0]
            found.expected += near[-1]
            is_fraction = TOLERANCE < x.candidates[-1] < 1 - TOLERANCE
            found.fractions += is_fraction
            found.fractions_expected += is_fraction and near[-1]
    return counts
