"""What the models know that did not learn a modular task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from theory.display.tables import markdown_table
from theory.display.text import reads_text
from theory.learning.plateaus import plateaus
from verify.judging.judge import TOLERANCE, CellVerdict, Verdict
from verify.judging.unconverged import APART, Unconverged, unconverged
from verify.records.runs import Run
from verify.reporting.figures import in_domain_curves
from verify.reporting.report import Report

ORDER = 20
COLUMNS = ("cell", "seed", "in domain", "plateau", "reading", "longer inputs, plateau: measured")


def section(report: Report) -> str:
    """Each model that missed the premise beside the plateau at which it stands."""
    models = [
        (v, run, x)
        for v in report.verdicts
        for run in v.runs
        if (x := unconverged(v.prediction, run)) is not None
    ]
    if not models:
        return ""
    at_one = [x for _, _, x in models if x.plateau]
    clear = [x for x in at_one if x.verdict != Verdict.UNDETERMINED]
    agree = sum(x.verdict == Verdict.AGREE for x in clear)
    counted = sum(bool(x.longer) for x in clear)
    past = sum(_is_past(x) for _, _, x in models)
    return "\n\n".join(
        [
            "## What models know that did not learn a modular task",
            f"{len(models)} models of modular tasks missed the premise. {len(clear)} of them are "
            f"right in domain on the share of a plateau (give or take {TOLERANCE}) that stands "
            f"apart from the others. At longer lengths this was counted for {counted} of these, "
            f"and {agree} are at the plateau wherever it was. Near a plateau that is less than "
            f"{APART} from another: {len(at_one) - len(clear)}; past the last plateau: {past}; at "
            f"none: {len(models) - len(at_one) - past}. A plateau is the accuracy of the most "
            "frequent result given the lowest digits of the operands, counted exactly.",
            markdown_table([_row(v, run, x) for v, run, x in models], COLUMNS),
            *_learned(report.verdicts, report.folder),
        ]
    )


def _is_past(x: Unconverged) -> bool:
    """Whether a model is past the last plateau."""
    return x.plateau is None and x.verdict == Verdict.UNDETERMINED


def _learned(verdicts: Sequence[CellVerdict], folder: Path) -> list[str]:
    """The models that came past a plateau at which every digit but the top ones is read."""
    passed = [v for v in verdicts if v.converged and _has_high_plateau(v)]
    if not passed:
        return []
    in_domain_curves(passed, folder / "plateaus.svg")
    return [
        "Cells of which some model did learn the task, with the plateaus on the way (dashed):",
        "![Plateaus on the way](plateaus.svg)",
    ]


def _has_high_plateau(v: CellVerdict) -> bool:
    s = v.cell.setting
    n = max(s.train.every_length)
    return n > 2 and any(x.read == n - 1 for x in plateaus(s.task, s.base, s.train))


def _row(v: CellVerdict, run: Run, x: Unconverged) -> list[str]:
    row = [v.name, str(run.seed), f"{run.premise:.3f}"]
    if x.plateau is None:
        return [*row, "past the last" if _is_past(x) else "none", "", ""]
    longer = ", ".join(
        f"{n} digits {at.least:.3f}{'' if at.least == at.most else f' to {at.most:.3f}'}: "
        f"{at.measured:.3f}{'' if at.agrees else ' (not)'}"
        for n, at in x.longer.items()
    )
    share = f"{x.plateau.accuracy} = {float(x.plateau.accuracy):.3f}"
    reads = reads_text(x.plateau.read)
    return [*row, share, reads + ", or other" * (x.verdict == Verdict.UNDETERMINED), longer]
