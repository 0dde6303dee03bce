"""The second page of a report: every test length of every cell, model by model."""

from __future__ import annotations

from theory.display.text import claim_text
from theory.setting.directions import EXTRAPOLATING
from verify.judging.intervals import CONFIDENCE
from verify.judging.judge import CellVerdict, LengthVerdict
from verify.judging.learning_speed import is_soon, learned_step
from verify.records.runs import Run
from verify.reporting.report import Report
from verify.reporting.tables import interval_text, table


def cells_page(report: Report) -> str:
    """The page as Markdown, a section per trained cell."""
    parts = [
        f"# Every length of the {report.name} grid",
        "*theorem*: arXiv 2407.17963 as published. *predicted*: the refined theory's exact "
        f"accuracy. *measured*: accuracy against the truth with its {CONFIDENCE:.0%} interval. "
        "*as f^*: share of answers equal to those of the expected function f^.",
        *(paragraph for v in report.trained for paragraph in _cell(v)),
    ]
    return "\n\n".join(parts) + "\n"


def _cell(v: CellVerdict) -> list[str]:
    learned = v.prediction.learned_text
    runs = "; ".join(_run(v, r) for r in v.runs).replace("seed", "Seed", 1)
    return [
        f"## {v.name}",
        table([_length_row(v, x) for x in v.lengths]),
        (f"Expected function: `{learned}`. " if learned else "") + f"{runs}.",
        f"Rerun: {'; '.join(f'`{text}`' for text in _commands(v))}",
    ]


def _length_row(v: CellVerdict, x: LengthVerdict) -> dict[str, str]:
    direction = x.prediction.direction
    treated = direction in EXTRAPOLATING
    return {
        "digits": str(x.digits),
        "direction": direction.replace("_", " "),
        "theorem": v.prediction.published_verdict(direction) if treated else "-",
        "predicted": claim_text(v.prediction, x.prediction),
        "measured": interval_text(x.accuracy),
        "as f^": interval_text(x.learned),
        "verdict": x.verdict,
        "theorem judged": x.published,
    }


def _run(v: CellVerdict, run: Run) -> str:
    """One model, with what it got right out of domain: pooling must not hide a seed."""
    outside = ", ".join(
        f"{m.correct / m.samples:.3f} at {m.digits}"
        for m in run.measurements
        if not v.cell.setting.is_premise(m.digits)
    )
    whole = "" if run.settled else " (the whole budget)"
    step = learned_step(run)
    late = "" if step is None or is_soon(step) else ", learned late"
    return (
        f"seed {run.seed}: {run.premise:.3f} in domain after {run.steps} steps{whole}{late}, "
        f"right on {outside}"
    )


def _commands(v: CellVerdict) -> list[str]:
    """The commands that train a cell's models again, consecutive seeds of one budget together."""
    stretches: list[list[Run]] = []
    for run in sorted(v.runs, key=lambda r: (r.precision, r.budget, r.seed)):
        last = stretches[-1][-1] if stretches else None
        follows = last and (last.precision, last.budget, last.seed + 1)
        if follows == (run.precision, run.budget, run.seed):
            stretches[-1].append(run)
        else:
            stretches.append([run])
    return [v.cell.command(x[0].seed, x[0].budget, len(x), x[0].precision) for x in stretches]
