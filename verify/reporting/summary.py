"""The head of a report: what became of the claims, of which models, and how it went by training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from verify.judging.learning_speed import LEARNED, SOON, is_soon, learned_step
from verify.plan.premise import INDIFFERENT, PREMISE
from verify.records.runs import Run
from verify.reporting.tables import count
from verify.reporting.terminal import summary_line


def summary(verdicts: Sequence[CellVerdict]) -> str:
    """The head of a report, as a Markdown list."""
    lengths = [x for v in verdicts if v.runs for x in v.lengths]
    learned = Counter(x.learned_verdict for x in lengths)
    theorem = Counter(x.published for x in lengths)
    models = sum(len(v.runs) for v in verdicts)
    converged = sum(len(v.converged) for v in verdicts)
    return "\n".join(
        [
            f"- **Refined theory**: {summary_line(verdicts)}",
            *_before(lengths),
            f"- **Premise**: {converged} of {count(models, 'model')} were right on {PREMISE:.0%} "
            "of the held-out inputs of the trained lengths; only these are judged.",
            *_indifferent([r for v in verdicts if v.standard.indifferent for r in v.converged]),
            "- **Expected function f^**: it exists, and its accuracy was counted, at "
            f"{learned[Verdict.AGREE] + learned[Verdict.DIVERGE]} of the lengths that were not "
            "trained, with a claim or without. Models have that accuracy at "
            f"{learned[Verdict.AGREE]} of them and another at {learned[Verdict.DIVERGE]}.",
            "- **Published theorems** (always right, or not always): true of the models at "
            f"{theorem[Verdict.AGREE]} lengths, false at {theorem[Verdict.DIVERGE]}.",
            *_by_training([m for v in verdicts for m in v.by_model if m.converged]),
        ]
    )


def _indifferent(runs: Sequence[Run]) -> list[str]:
    """How many models keep their answers when ignored tokens are disturbed, where measured."""
    asked = [r for r in runs if r.indifference is not None]
    if not asked:
        return []
    return [
        f"- **Indifference**: {sum(r.indifferent for r in asked)} of {count(len(asked), 'model')} "
        f"kept {INDIFFERENT:.0%} of their answers in domain when half of another token's vector "
        "was put into every digit that the theory says is ignored; only these are judged where a "
        "prediction rests on that."
    ]


def _before(lengths: Sequence[LengthVerdict]) -> list[str]:
    """What became of the claims that were stored before the models were trained."""
    before = Counter(x.before for x in lengths)
    if not before[Verdict.AGREE] + before[Verdict.DIVERGE]:
        return []
    judged = (Verdict.AGREE, Verdict.DIVERGE)
    after = Counter(x.verdict for x in lengths if x.verdict in judged and x.verdict != x.before)
    return [
        f"- **Predicted before**: of the claims stored before the models were trained "
        f"{before[Verdict.AGREE]} agree and {before[Verdict.DIVERGE]} diverge. Explained after: "
        f"{after[Verdict.AGREE]} agree and {after[Verdict.DIVERGE]} diverge of the claims made "
        "since, or made anew."
    ]


def _by_training(models: Sequence[CellVerdict]) -> list[str]:
    """How models fared that settled or did not, and that learned soon or late.

    Described beside the verdicts, model by model; no verdict depends on it.
    """
    ended = "those whose training ended by itself (long enough under all of the noise)"
    spent = "those that met the premise when their budget was spent"
    soon = f"those that were right in domain on {LEARNED:.0%} within {SOON:,} steps"
    later = "those that took longer"
    settled: dict[str, list[CellVerdict]] = {ended: [], spent: []}
    speed: dict[str, list[CellVerdict]] = {soon: [], later: []}
    for model in models:
        [run] = model.runs
        settled[ended if run.settled else spent].append(model)
        step = learned_step(run)
        if step is not None:
            speed[soon if is_soon(step) else later].append(model)
    unknown = len(models) - sum(map(len, speed.values()))
    remark = " The two thresholds were chosen after the fact."
    if unknown:
        remark += f" ({unknown} models were not tested on what they were trained on.)"
    return [
        *_fared("Settled or not", settled),
        *(line + remark for line in _fared("Learned soon or late", speed)),
    ]


def _fared(what: str, kinds: Mapping[str, Sequence[CellVerdict]]) -> list[str]:
    """At how many lengths the models of each kind agree with the expected function."""
    parts = []
    for kind, models in kinds.items():
        counts = Counter(x.learned_verdict for m in models for x in m.lengths)
        judged = counts[Verdict.AGREE] + counts[Verdict.DIVERGE]
        if judged:
            parts.append(f"{counts[Verdict.AGREE]} of {judged} for {kind}")
    if not parts:
        return []
    return [
        f"- **{what}**: lengths at which models, each by itself, have the accuracy of f^: "
        f"{'; '.join(parts)}."
    ]
