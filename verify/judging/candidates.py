"""Where training fits two functions: which of them models compute, by what noise does to them.

The rule *two candidates* says it of stable models.  It was found in part of this evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arith.theory.generalization.constants import KEPT_IF_STABLE
from arith.theory.generalization.lengths import LengthPrediction, expected
from arith.theory.prediction.mixture import mixed_length
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.standards import TOLERANCE
from arith.verify.plan.premise import SEEN_STEADY, STEADY

STABLE = {
    f"{SEEN_STEADY:g} or more": SEEN_STEADY,
    f"{STEADY:g} or more, not {SEEN_STEADY:g}": STEADY,
    f"less than {STEADY:g}": 0.0,
}
"""By the share of answers that stay when digits are disturbed a little: the least of each kind."""
NOISE = {"changes answers": False, "changes none": True}
"""By whether noise at constant addresses leaves a model's answers as they are."""


@dataclass
class Candidates:
    """What converged models did at longer inputs; a model counts once for each length.

    Args:
        lengths: of all models together.
        task: with an accuracy within the tolerance of 1, that of f.
        expected: with an accuracy within it of f^'s, give or take the open share.
    """

    lengths: int = 0
    task: int = 0
    expected: int = 0


def candidate_counts(verdicts: Iterable[CellVerdict]) -> dict[str, dict[str, Candidates]]:
    """The counts by what noise does (``NOISE``), and by how stable models were (``STABLE``).

    A model whose stability at a length was not measured is left out, and one of which is not known
    what noise does to it.
    """
    counts = {noise: {kind: Candidates() for kind in STABLE} for noise in NOISE}
    for v in verdicts:
        at = {x.digits: x for x in _of_both(v)}
        for run, m in ((model, m) for model in v.converged for m in model.measurements):
            if run.indifference is not None and m.digits in at and m.steady is not None:
                noise = next(name for name, ignores in NOISE.items() if ignores == run.indifferent)
                kind = next(kind for kind, least in STABLE.items() if m.steady >= least)
                found = counts[noise][kind]
                found.lengths += 1
                found.task += m.accuracy >= 1 - TOLERANCE
                least, most = float(at[m.digits].at_least), float(at[m.digits].at_most)
                found.expected += least - TOLERANCE <= m.accuracy <= most + TOLERANCE
    return counts


def _of_both(v: CellVerdict) -> Iterator[LengthPrediction]:
    """What f^ gets right at the longer lengths at which noise tells between it and the task."""
    setting, said = v.cell.setting, v.prediction
    rules = {step.rule for step in said.derivation}
    told = [x.digits for x in v.longer if x.prediction.requires_measured_stability]
    if told and "two candidates" in rules:
        learned = [part.kept for part in said.operations or (said,)]
        for n in told:
            each = [expected(f, setting.test(n), KEPT_IF_STABLE) for f in learned if f]
            yield mixed_length(setting, each)
