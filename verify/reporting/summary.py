"""The head of a report: what became of the claims, and of which models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from theory.inference.rules import THEORY_VERSION
from theory.prediction.outcomes import Claim
from verify.judging.judge import CellVerdict, Verdict, judge
from verify.plan.premise import INDIFFERENT, PREMISE
from verify.reporting.tables import count
from verify.reporting.terminal import summary_line


def summary(verdicts: Sequence[CellVerdict]) -> str:
    """The head of a report, as a Markdown list."""
    lengths = [x for v in verdicts if v.runs for x in v.lengths]
    theorem = Counter(x.published for x in lengths)
    both = Counter((x.verdict, x.published) for x in lengths)
    models = sum(len(v.runs) for v in verdicts)
    converged = sum(len(v.converged) for v in verdicts)
    return "\n".join(
        [
            f"- **Refined theory**: {summary_line(verdicts)}",
            *_before(verdicts),
            *_coverage([v for v in verdicts if v.runs]),
            f"- **Premise**: {converged} of {count(models, 'model')} were right on at least "
            f"{PREMISE:.0%} of the held-out inputs of the trained lengths; only these are judged.",
            *_indifferent(verdicts),
            "- **Published theorems** (*right on all inputs*, or *wrong on some*): true of the "
            f"models at {theorem[Verdict.AGREE]} lengths, false at {theorem[Verdict.DIVERGE]}. "
            "Where both claim something, the refined theory alone is right at "
            f"{both[Verdict.AGREE, Verdict.DIVERGE]} lengths, the theorem alone at "
            f"{both[Verdict.DIVERGE, Verdict.AGREE]}.",
        ]
    )


def _coverage(trained: Sequence[CellVerdict]) -> list[str]:
    """On which share of the longer lengths the refined theory claims something."""
    said = []
    for where, is_ape in (("under APE", True), ("under other encodings", False)):
        cells = [v for v in trained if (v.cell.setting.encoding.name == "ape") == is_ape]
        claims = [v.prediction.claim(x.prediction) for v in cells for x in v.longer]
        if claims:
            claimed = sum(claim != Claim.NONE for claim in claims)
            said.append(f"{claimed} of {len(claims)} {where}")
    text = f"- **Coverage**: of the longer lengths {', '.join(said)} carry a claim."
    return [text] if said else []


def _indifferent(verdicts: Sequence[CellVerdict]) -> list[str]:
    """How many models keep their answers when ignored tokens are disturbed, where it is asked."""
    cells = [v for v in verdicts if any(x.prediction.ignores for x in v.lengths)]
    asked = [r for v in cells for r in v.converged if r.indifference is not None]
    if not asked:
        return []
    return [
        f"- **Indifference**: {sum(r.indifferent for r in asked)} of {count(len(asked), 'model')} "
        f"with a claim that rests on ignored digits kept {INDIFFERENT:.0%} of their answers in "
        "domain when all such digits were blended half and half with others; only these are judged "
        "on such claims."
    ]


def _before(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What became of the claims that were stored before the models were trained."""
    lengths = [x for v in verdicts if v.runs for x in v.lengths]
    before = Counter(x.before for x in lengths)
    if not before[Verdict.AGREE] + before[Verdict.DIVERGE]:
        return []
    judged = (Verdict.AGREE, Verdict.DIVERGE)
    after = Counter(x.verdict for x in lengths if x.verdict in judged and x.verdict != x.before)
    return [
        f"- **Predicted before**: of the claims stored before the models were trained "
        f"{before[Verdict.AGREE]} agree and {before[Verdict.DIVERGE]} diverge; by the version of "
        f"the theory that made them (today's is {THEORY_VERSION}): {_by_version(verdicts)}. "
        f"Explained after: {after[Verdict.AGREE]} agree and {after[Verdict.DIVERGE]} diverge of "
        "the claims made or changed since."
    ]


def _by_version(verdicts: Sequence[CellVerdict]) -> str:
    """``4: 128 and 6, 8: 20 and 0``: what became of the stored claims, by what made them."""
    runs = [r for v in verdicts for r in v.runs]
    said = []
    for version in sorted({r.predicted.theory for r in runs if r.predicted}, key=int):
        found: Counter[Verdict] = Counter()
        for v in verdicts:
            told = [r for r in v.runs if r.predicted and r.predicted.theory == version]
            found.update(x.before for x in judge(v.cell, told, v.prediction).lengths)
        if found[Verdict.AGREE] + found[Verdict.DIVERGE]:
            said.append(f"{version}: {found[Verdict.AGREE]} and {found[Verdict.DIVERGE]}")
    return ", ".join(said)
