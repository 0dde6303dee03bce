"""Models that did not learn their modular task, beside the plateaus that the theory counts.

The rule ``plateau`` speaks of models that the other rules are silent about: those that missed the
premise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from theory.plateaus import Plateau, plateaus
from theory.predict import Prediction
from theory.text import reads_text
from verify import pictures
from verify.causes import name
from verify.judge import AGREE, DIVERGE, TOLERANCE, UNDECIDED, CellVerdict, pooled
from verify.recipe import PREMISE
from verify.store import Run


@dataclass(frozen=True)
class Stand:
    """Where a model stands that missed the premise.

    Args:
        plateau: the nearest one within the judge's tolerance in domain, if any.
        longer: by longer test length the measured accuracy and whether it is the plateau's.
        verdict: agree, diverge, or undetermined for a model that is past the last plateau, which
            reads every digit and has not learned the task all the same.
    """

    plateau: Plateau | None
    longer: dict[int, tuple[float, bool]]
    verdict: str


def stand(prediction: Prediction, run: Run) -> Stand | None:
    """Where a model stands; None if it met the premise, or the task has no known plateau."""
    found = () if run.premise >= PREMISE else plateaus(prediction)
    if not found:
        return None
    nearest = min(found, key=lambda x: abs(float(x.accuracy) - run.premise))
    if abs(float(nearest.accuracy) - run.premise) > TOLERANCE:
        past = run.premise > float(found[-1].accuracy)
        return Stand(None, {}, UNDECIDED if past else DIVERGE)
    longer = {}
    for m in run.measurements:
        if m.digits in nearest.upward:
            least, most = map(float, nearest.upward[m.digits])
            seen = pooled([(m.correct, m.samples)])
            alike = seen.low <= most + TOLERANCE and seen.high >= least - TOLERANCE
            longer[m.digits] = seen.value, alike
    alike = all(same for _, same in longer.values())
    return Stand(nearest, longer, AGREE if alike else DIVERGE)


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
    counts = Counter(x.verdict for _, _, x in stands)
    at = sum(x.plateau is not None for _, _, x in stands)
    return "\n\n".join(
        [
            "## What models know that did not learn a modular task",
            f"Of {len(stands)} models of modular tasks that missed the premise, {at} are right in domain on "
            f"the share of a plateau (give or take {TOLERANCE}), {counts[AGREE]} of them at every longer "
            f"length that was counted too. Past the last plateau: {counts[UNDECIDED]}; between two: "
            f"{len(stands) - at - counts[UNDECIDED]}. A plateau is the accuracy of the most frequent "
            "result given the lowest digits of the operands, counted exactly.",
            tabulate(
                [_row(v, run, x) for v, run, x in stands],
                COLUMNS,
                tablefmt="github",
                disable_numparse=True,
            ),
            *_on_the_way(verdicts, folder),
        ]
    )


def _on_the_way(verdicts: Sequence[CellVerdict], folder: Path) -> list[str]:
    """A picture of the models that came past a plateau at which every digit but the top ones is read."""
    shown = [
        v
        for v in verdicts
        if v.converged
        and (n := max(v.cell.setting.train.every_length)) > 2
        and any(x.read == n - 1 for x in plateaus(v.prediction))
    ]
    if not shown:
        return []
    pictures.in_domain(shown, folder / "plateaus.svg")
    return [
        "Cells of which some model did learn the task, all digits of it, stood at the same places on the "
        "way (dashed):",
        "![Plateaus on the way](plateaus.svg)",
    ]


def _row(v: CellVerdict, run: Run, x: Stand) -> list[str]:
    row = [name(v), str(run.seed), f"{run.premise:.3f}"]
    if x.plateau is None:
        return [*row, "past the last" if x.verdict == UNDECIDED else "none", "", ""]
    longer = ", ".join(
        f"{n} digits {float(x.plateau.upward[n][0]):.3f}: {value:.3f}{'' if alike else ' (not)'}"
        for n, (value, alike) in x.longer.items()
    )
    share = f"{x.plateau.accuracy} = {float(x.plateau.accuracy):.3f}"
    return [*row, share, reads_text(x.plateau.read), longer]
