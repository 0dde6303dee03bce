"""The first page of a report: what was predicted, what was measured, and where they part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from theory.display.answer import verdict_text
from theory.display.text import claim_text
from theory.setting.directions import EXTRAPOLATING
from verify.judging.judge import (
    MECHANISM,
    TOLERANCE,
    CellVerdict,
    LengthVerdict,
    Verdict,
    count_verdicts,
)
from verify.judging.known_divergences import KnownDivergences
from verify.plan.cells import default_model
from verify.plan.recipe import RECIPE
from verify.plan.sampling import HELD_OUT
from verify.reporting.report import Report
from verify.reporting.sections import sections
from verify.reporting.sentences import gate_line
from verify.reporting.summary import summary
from verify.reporting.tables import interval_text, table
from verify.reporting.terminal import verdict_word


def page(report: Report) -> str:
    """The page as Markdown, with every section that the evidence allows."""
    parts = [
        f"# Theory and experiment: the {report.name} grid",
        f"**{gate_line(report.verdicts, report.known)}**",
        summary(report.verdicts),
        "## Cells",
        table([_cell_row(v) for v in report.trained]),
        "*theorem*: the published one; *refined*: what this theory claims; each on shorter (down) "
        "and longer (up) inputs. "
        "*measured upward*: accuracy against the truth at each length above the trained one. "
        "*converged*: models that met the premise, of those trained. Every test length of every "
        "cell, and the command that trains it again: [cells.md](cells.md).",
        *_divergences(report.verdicts, report.known),
        *sections(report),
        _how(report.verdicts),
    ]
    return "\n\n".join(parts) + "\n"


def _cell_row(v: CellVerdict) -> dict[str, str]:
    counts = count_verdicts([v])
    judged = counts[Verdict.AGREE] + counts[Verdict.DIVERGE]
    outcome = verdict_word(v.verdict)
    if v.verdict != Verdict.INCONCLUSIVE and judged:
        outcome += f" ({counts[Verdict.AGREE]} of {judged} lengths)"
    longer = [f"{x.accuracy.value:.3f}" for x in v.longer if x.accuracy is not None]
    usual = v.cell.model == default_model(v.cell.setting.task)
    return {
        "cell": v.cell.label() if usual else v.name,
        "theorem (down, up)": ", ".join(map(v.prediction.published_verdict, EXTRAPOLATING)),
        "refined (down, up)": ", ".join(verdict_text(v.prediction, d) for d in EXTRAPOLATING),
        "measured upward": " ".join(longer) or "-",
        "converged": f"{len(v.converged)} of {len(v.runs)}",
        "verdict": outcome,
    }


def _divergences(verdicts: Sequence[CellVerdict], known: KnownDivergences) -> list[str]:
    """What diverges from a claim, and then what differs from the expected function only."""
    claimed, unclaimed = [], []
    for v in verdicts:
        for x in v.lengths:
            if x.verdict == Verdict.DIVERGE:
                claimed.append(_divergence(v, x, known))
            elif x.learned_verdict == Verdict.DIVERGE:
                unclaimed.append(_divergence(v, x, known))
    parts = ["## Divergences", "\n".join(claimed) or "None."]
    if unclaimed:
        parts += [
            "## Where the expected function is not met",
            "No claim forbids this: these tasks multiply digits, or ask for more than two at once "
            "(rule *leak*).",
            "\n".join(unclaimed),
        ]
    return parts


def _divergence(v: CellVerdict, x: LengthVerdict, known: KnownDivergences) -> str:
    return (
        f"- {v.name}, {x.digits} digits: predicted {claim_text(v.prediction, x.prediction)}, "
        f"measured {interval_text(x.accuracy)}, as f^ {interval_text(x.learned)}. Likely cause: "
        f"{known.causes.get((v.name, x.digits), 'no cause is known')}"
    )


def _how(verdicts: Sequence[CellVerdict]) -> str:
    runs = [r for v in verdicts for r in v.runs]
    machines = Counter(r.machine for r in runs)
    seeds = ", ".join(map(str, sorted({r.seed for r in runs}))) or "none"
    recipe = ", ".join(f"{k} {v}" for k, v in vars(RECIPE).items())
    return "\n".join(
        [
            "## How it was made",
            "",
            f"- {len(runs)} models, {sum(r.steps for r in runs):,} optimizer steps, "
            f"{sum(r.seconds for r in runs) / 60:.0f} minutes of training in all. Seeds: {seeds}.",
            *(f"- {n} on {m}" for m, n in sorted(machines.items())),
            f"- One recipe for every cell: {recipe}. Dropout is in 256ths; "
            "`verify/plan/recipe.py` says what each name means.",
            f"- One operand tuple in {HELD_OUT} is held out by its hash and never trained on. "
            "In-domain accuracy is measured on held-out tuples only.",
            f"- A length agrees when the measured interval comes within {TOLERANCE} of the "
            "predicted accuracy, most models do so by themselves and, where an expected function "
            f"is predicted, it explains at least {MECHANISM:.0%} of the answers. Where a bound is "
            f"predicted, the interval has to reach down to {TOLERANCE} above it. The same holds "
            "for every cell.",
            "- The premise has to hold at every length that was trained on, however rare.",
            "- Evidence: `evidence.jsonl`, one measurement per line; `arith report` makes this "
            "page from it.",
        ]
    )
