"""The cells of which no model met the premise: how far they came, and what was tried."""

from __future__ import annotations

from verify.judging.judge import CellVerdict
from verify.reporting.figures import in_domain_curves
from verify.reporting.report import Report

ORDER = 10


def section(report: Report) -> str:
    """A line per inconclusive cell, and the accuracy of its models along training."""
    waiting = [v for v in report.trained if not v.converged]
    if not waiting:
        return ""
    in_domain_curves(waiting, report.folder / "inconclusive.svg")
    return "\n\n".join(
        [
            "## Inconclusive: the premise was not met",
            "\n".join(_line(v, report.known.tried.get(v.name, "")) for v in waiting),
            "![In-domain accuracy along training](inconclusive.svg)",
            "Dashed: the plateaus of modular tasks (below).",
        ]
    )


def _line(v: CellVerdict, tried: str) -> str:
    reached = [f"{r.premise:.3f} after {r.steps} steps (seed {r.seed})" for r in v.runs]
    text = f"- {v.name}: in-domain accuracy {', '.join(reached)}. {tried}"
    return text.rstrip(" .") + "."
