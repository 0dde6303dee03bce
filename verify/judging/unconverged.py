"""Models that did not learn their modular task, beside the plateaus that the theory counts.

The rule ``plateau`` speaks of models that the other rules are silent about: those that missed the
premise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from theory.display.text import reads_text
from theory.learning.plateaus import Plateau, plateau_accuracy, plateaus
from theory.prediction.predict import Prediction
from theory.setting.directions import Direction
from verify.judging.judge import AGREE, DIVERGE, TOLERANCE, UNDECIDED, CellVerdict, pooled
from verify.judging.known_divergences import name
from verify.plan.recipe import PREMISE
from verify.records.runs import Run
from verify.reporting import pictures

APART = 2 * TOLERANCE
"""How far a plateau has to be from the others for a measured accuracy to tell them apart."""


@dataclass(frozen=True)
class Stand:
    """Where a model stands that missed the premise.

    Args:
        plateau: the nearest one within the judge's tolerance in domain, if any.
        longer: by longer test length that was counted: the least and the largest accuracy of the
            plateau, the measured one, and whether they agree.
        verdict: agree, diverge, or undetermined: for a model that is past the last plateau, which
            reads every digit and has not learned the task all the same, and at one that is too
            near another to be told from it.
    """

    plateau: Plateau | None
    longer: dict[int, tuple[float, float, float, bool]]
    verdict: str


def nearest(found: Sequence[Plateau], accuracy: float) -> Plateau | None:
    """The nearest plateau within the judge's tolerance, if any."""
    near = min(found, key=lambda x: abs(float(x.accuracy) - accuracy), default=None)
    if near is None or abs(float(near.accuracy) - accuracy) > TOLERANCE:
        return None
    return near


def stand(prediction: Prediction, run: Run) -> Stand | None:
    """Where a model stands; None if it met the premise, or the task has no known plateau."""
    s = prediction.setting
    found = () if run.premise >= PREMISE else plateaus(s.task, s.base, s.train)
    if not found:
        return None
    near = nearest(found, run.premise)
    if near is None:
        past = run.premise > float(found[-1].accuracy)
        return Stand(None, {}, UNDECIDED if past else DIVERGE)
    longer = {}
    for m in run.measurements:
        if s.direction(m.digits) != Direction.UPWARD or prediction.learned is None:
            continue
        bounds = plateau_accuracy(s.task, s.base, s.train, near, s.test(m.digits))
        if bounds is not None:
            least, most = map(float, bounds)
            seen = pooled([(m.correct, m.samples)])
            alike = seen.low <= most + TOLERANCE and seen.high >= least - TOLERANCE
            longer[m.digits] = least, most, seen.value, bool(alike)
    if any(x != near and abs(float(x.accuracy - near.accuracy)) < APART for x in found):
        return Stand(near, longer, UNDECIDED)
    alike = all(same for *_, same in longer.values())
    return Stand(near, longer, AGREE if alike else DIVERGE)


def verdicts_of(v: CellVerdict) -> list[str]:
    """What the models of a cell that missed the premise say of the rule."""
    return [x.verdict for run in v.runs if (x := stand(v.prediction, run))]


COLUMNS = ("cell", "seed", "in domain", "plateau", "reading", "longer inputs, plateau: measured")


def section(verdicts: Sequence[CellVerdict], folder: Path) -> str:
    """What the models know that did not learn a modular task, as Markdown; empty without any.

    Args:
        folder: where the picture of those goes that did learn one of three digits or more.
    """
    stands = [
        (v, run, x)
        for v in verdicts
        for run in v.runs
        if (x := stand(v.prediction, run)) is not None
    ]
    if not stands:
        return ""
    told = [x for _, _, x in stands if x.plateau and x.verdict != UNDECIDED]
    agree = sum(x.verdict == AGREE for x in told)
    counted = sum(bool(x.longer) for x in told)
    near = sum(x.plateau is not None for _, _, x in stands) - len(told)
    past = sum(x.plateau is None and x.verdict == UNDECIDED for _, _, x in stands)
    return "\n\n".join(
        [
            "## What models know that did not learn a modular task",
            f"Of {len(stands)} models of modular tasks that missed the premise, {len(told)} are right in "
            f"domain on the share of a plateau (give or take {TOLERANCE}) that stands apart from the others, "
            f"{agree} of them at the longer lengths too, where these were counted (for {counted}). Near a "
            f"plateau that is less than {APART} from another: {near}; past the last: {past}; at none: "
            f"{len(stands) - len(told) - near - past}. A plateau is the accuracy of the most frequent result "
            "given the lowest digits of the operands, counted exactly.",
            tabulate(
                [_row(v, run, x) for v, run, x in stands],
                COLUMNS,
                tablefmt="github",
                disable_numparse=True,
            ),
            *_on_the_way(verdicts, folder),
        ]
    )


def _of(v: CellVerdict) -> tuple[Plateau, ...]:
    s = v.cell.setting
    return plateaus(s.task, s.base, s.train)


def _on_the_way(verdicts: Sequence[CellVerdict], folder: Path) -> list[str]:
    """A picture of the models that came past a plateau at which every digit but the top ones is read."""
    shown = [
        v
        for v in verdicts
        if v.converged
        and (n := max(v.cell.setting.train.every_length)) > 2
        and any(x.read == n - 1 for x in _of(v))
    ]
    if not shown:
        return []
    pictures.in_domain(shown, folder / "plateaus.svg")
    return [
        "Cells of which some model did learn the task, with the plateaus on the way (dashed):",
        "![Plateaus on the way](plateaus.svg)",
    ]


def _row(v: CellVerdict, run: Run, x: Stand) -> list[str]:
    row = [name(v), str(run.seed), f"{run.premise:.3f}"]
    if x.plateau is None:
        return [*row, "past the last" if x.verdict == UNDECIDED else "none", "", ""]
    longer = ", ".join(
        f"{n} digits {least:.3f}{'' if least == most else f' to {most:.3f}'}: {value:.3f}"
        f"{'' if alike else ' (not)'}"
        for n, (least, most, value, alike) in x.longer.items()
    )
    share = f"{x.plateau.accuracy} = {float(x.plateau.accuracy):.3f}"
    reads = reads_text(x.plateau.read)
    return [*row, share, reads if x.verdict != UNDECIDED else f"{reads}, or other", longer]
