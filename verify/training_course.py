"""How models fared by the course of their training: whether it settled, how soon it learned.

Described beside the verdicts, model by model; no verdict depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from verify.judge import AGREE, DIVERGE, CellVerdict, judge
from verify.trajectory import learned_at

LEARNED, SOON = 0.9, 1000
"""A model has learned its task soon if it is right on this share in domain within so many steps.

Chosen after the fact, to describe the evidence: no verdict depends on them.
"""


def by_training(verdicts: Sequence[CellVerdict]) -> list[str]:
    """A line for each question: how models fared whose training went one way or the other."""
    ended: Counter[tuple[str, str]] = Counter()
    learned: Counter[tuple[str, str]] = Counter()
    whole = "those that met the premise when their budget was spent"
    alone = "those whose training ended by itself (long enough under all of the dropout)"
    soon = f"those that were right in domain on {LEARNED:.0%} within {SOON:,} steps"
    late = "those that took longer"
    unknown = 0
    for v in verdicts:
        for run in v.converged:
            found = [x.verdict for x in judge(v.cell, [run], v.prediction).lengths]
            ended.update((alone if run.settled else whole, x) for x in found)
            at = run.trajectory and learned_at(v.cell, run.trajectory, LEARNED)
            unknown += not at
            if at:
                learned.update((soon if at <= SOON else late, x) for x in found)
    rest = " The two thresholds were chosen after the fact."
    if unknown:
        rest += f" ({unknown} models were not tested on what they were trained on.)"
    return [
        *_fared("Settled or not", ended, (alone, whole)),
        *(line + rest for line in _fared("Learned soon or late", learned, (soon, late))),
    ]


def _fared(what: str, counts: Counter[tuple[str, str]], kinds: Sequence[str]) -> list[str]:
    """At how many lengths the models of each kind agree."""
    judged = {kind: counts[kind, AGREE] + counts[kind, DIVERGE] for kind in kinds}
    parts = [f"{k} agree at {counts[k, AGREE]} of {n} lengths" for k, n in judged.items() if n]
    return [f"- **{what}**: model by model, {', '.join(parts)}."] if parts else []
