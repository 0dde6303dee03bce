"""Sections of the report that need more than the verdicts of single cells.

Each is Markdown with a picture beside the page, and starts with the one sentence that says what
was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median

from tabulate import tabulate

from theory.setting.directions import Direction
from verify.judging import claims
from verify.judging import unconverged as unlearned
from verify.judging.judge import CellVerdict
from verify.judging.known_divergences import Causes, name
from verify.plan.grids import grid
from verify.records.trajectory import Timing, timing
from verify.reporting import inside, pictures, published_tables, training_course
from verify.training.recorder import GROWTH

REACHED = 0.9
"""The share of answers that the learned function explains when a model counts as there."""
SHOWN = 9
"""Cells in the picture of the trajectories."""
BEFORE, WITH, AFTER, NEVER = "before", "with", "after", "never"


def sections(verdicts: Sequence[CellVerdict], folder: Path, causes: Causes) -> list[str]:
    """The sections that the evidence allows.

    Args:
        folder: of the evidence; their pictures are written there.
    """
    runs = [run for v in verdicts for run in v.runs]
    return [
        text
        for text in (
            inconclusive(verdicts, folder, causes),
            unlearned.section(verdicts, folder),
            claims_section(verdicts),
            along_training(verdicts, folder),
            window_scan(verdicts, folder),
            training_data(verdicts, folder),
            training_course.how_soon(verdicts, folder),
            leaking(verdicts, folder),
            *inside.sections(folder),
            published_tables.section(runs),
        )
        if text
    ]


def inconclusive(verdicts: Sequence[CellVerdict], folder: Path, causes: Causes) -> str:
    """The cells of which no model met the premise: how far they came, and what was tried."""
    waiting = [v for v in verdicts if v.runs and not v.converged]
    if not waiting:
        return ""
    lines = [
        f"- {name(v)}: in-domain accuracy "
        + ", ".join(f"{r.premise:.3f} after {r.steps} steps (seed {r.seed})" for r in v.runs)
        + f". {causes.tried.get(name(v), '')}".rstrip(" .")
        + "."
        for v in waiting
    ]
    pictures.in_domain(waiting, folder / "inconclusive.svg")
    return "\n\n".join(
        [
            "## Inconclusive: the premise was not met",
            "\n".join(lines),
            "![In-domain accuracy along training](inconclusive.svg)",
            "Dashed: the plateaus of modular tasks (below).",
        ]
    )


def claims_section(verdicts: Sequence[CellVerdict]) -> str:
    """What the evidence says of each published theorem and of each rule of ours."""
    return "\n\n".join(
        [
            "## Claims",
            "A cell, or one model of it, counts once per claim, by its worst test length; models are "
            "judged one by one as the cell is with all of them.",
            claims.table(claims.claims(verdicts)),
        ]
    )


def along_training(verdicts: Sequence[CellVerdict], folder: Path) -> str:
    """Trajectories: does the behaviour out of domain come before, with or after the premise?"""
    recorded = [v for v in verdicts if _timed(v)]
    if not recorded:
        return ""
    found = [t for v in recorded for t in _timed(v)]
    counts = Counter(map(_when, found))
    delays = [t.outside / t.within for t in found if t.within and t.outside]
    rows = [
        [
            name(v),
            _steps([t.within for t in _timed(v)]),
            _steps([t.outside for t in _timed(v)]),
            ", ".join(map(_when, _timed(v))),
        ]
        for v in recorded
    ]
    pictures.trajectories(_varied(recorded), folder / "trajectories.svg")
    return "\n\n".join(
        [
            "## Along training",
            f"Of {len(found)} converged models with an expected function, {counts[BEFORE]} came to it "
            f"(it explains {REACHED:.0%} of the answers at the longest test length) before the premise "
            f"held, {counts[WITH]} with it, {counts[AFTER]} after it and {counts[NEVER]} never"
            + (f"; the median is {median(delays):.2g} times the steps." if delays else "."),
            "![Answers along training](trajectories.svg)",
            f"Looks at about every {GROWTH} times the steps of the last; *with* is within one look of it.",
            tabulate(
                rows,
                ("cell", "premise (step)", "expected function (step)", "comes"),
                tablefmt="github",
                disable_numparse=True,
            ),
        ]
    )


def _timed(v: CellVerdict) -> list[Timing]:
    """When each converged model of a cell got there, at the longest test length out of domain."""
    outside = [x.prediction.digits for x in v.lengths if x.prediction.direction == Direction.UPWARD]
    trained = any(v.cell.setting.is_premise(n) for n in v.cell.setting.test_lengths)
    if v.prediction.learned is None or not outside or not trained:
        return []
    curves = [run.trajectory for run in v.converged if run.trajectory is not None]
    return [timing(v.cell, curve, max(outside), REACHED) for curve in curves]


def _when(t: Timing) -> str:
    if t.outside is None or t.within is None:
        return NEVER
    if t.outside < t.within / GROWTH**1.5:
        return BEFORE
    return WITH if t.outside <= t.within * GROWTH**1.5 else AFTER


def _steps(steps: Sequence[int | None]) -> str:
    return ", ".join("-" if s is None else str(s) for s in steps)


def _varied(verdicts: Sequence[CellVerdict]) -> list[CellVerdict]:
    """One cell of each task, and then more, up to ``SHOWN``."""
    first = {v.cell.setting.task.text(): v for v in reversed(verdicts)}
    chosen = [*reversed(first.values()), *(v for v in verdicts if v not in first.values())]
    return chosen[:SHOWN]


def window_scan(verdicts: Sequence[CellVerdict], folder: Path) -> str:
    """How far a query may see before addition no longer extends upward."""
    scanned = [v for v in _of_grid("windows", verdicts) if v.converged]
    if not scanned:
        return ""
    yes = [v for v in scanned if v.prediction.verdict(Direction.UPWARD) == "generalizes"]
    no: dict[str, list[CellVerdict]] = {}
    for v in scanned:
        if v not in yes:
            no.setdefault(v.cell.setting.layout.name, []).append(v)
    open_ = ", ".join(
        f"{_right(found)} of {len(found)} in the {form} layout" for form, found in no.items()
    )
    pictures.windows(scanned, folder / "windows.svg")
    return "\n\n".join(
        [
            "## Windows",
            f"Of {len(yes)} cells that are predicted to extend addition upward, {_right(yes)} were right on "
            "at least 95% of the longer inputs; of those without a claim (a landmark in view, or an encoding "
            f"that cannot single out an offset), {open_ or 'none was trained'}.",
            "![Upward accuracy by window](windows.svg)",
        ]
    )


def _of_grid(name: str, verdicts: Sequence[CellVerdict]) -> list[CellVerdict]:
    """The cells of another grid, where this one holds all of them."""
    found = {v.cell.key: v for v in verdicts}
    keys = [cell.key for cell in grid(name)]
    return [found[key] for key in keys] if all(key in found for key in keys) else []


def _right(verdicts: Sequence[CellVerdict]) -> int:
    def worst(v: CellVerdict) -> float:
        upward = [x for x in v.lengths if x.prediction.direction == Direction.UPWARD]
        return min(x.accuracy.value for x in upward if x.accuracy is not None)

    return sum(worst(v) >= 0.95 for v in verdicts)


def training_data(verdicts: Sequence[CellVerdict], folder: Path) -> str:
    """What addition is trained on: other domains, priming, few pairs."""
    varied = [v for v in _of_grid("data", verdicts) if v.runs]
    if not varied:
        return ""
    claims = [x for v in varied for x in v.lengths if x.verdict in ("agree", "diverge")]
    agree = sum(x.verdict == "agree" for x in claims)
    pictures.data(varied, folder / "data.svg")
    return "\n\n".join(
        [
            "## Training data",
            f"Of the {len(claims)} test lengths at which the theory makes a claim for a changed training "
            f"set, {agree} agree.",
            "![Predicted and measured accuracy by training set](data.svg)",
        ]
    )


def leaking(verdicts: Sequence[CellVerdict], folder: Path) -> str:
    """What leaks in the aligned layout under two layers, in other layouts and under four."""
    tasks: dict[str, dict[str, CellVerdict]] = {}
    for v in (*_of_grid("layouts", verdicts), *_of_grid("depths", verdicts)):
        if v.runs:
            tasks.setdefault(_task_and_width(v), {})[_variant(v)] = v
    tasks = {task: found for task, found in tasks.items() if _BASELINE in found and len(found) > 1}
    if not tasks:
        return ""
    variants = [x for x in _VARIANTS if any(x in found for found in tasks.values())]
    shares = {
        task: {x: _followed(found[x]) for x in variants if x in found}
        for task, found in tasks.items()
    }
    pictures.leaking(shares, folder / "leaking.svg")
    means = []
    for variant in variants[1:]:
        pairs = [(x[variant][-1], x[_BASELINE][-1]) for x in shares.values() if variant in x]
        there, here = (fmean(x) for x in zip(*pairs, strict=True))
        means.append(f"{there:.2f} in place of {here:.2f} ({variant}; {len(pairs)} tasks)")
    rows = [
        [task, *(_shares_text(shares[task][x], found[x]) if x in found else "" for x in variants)]
        for task, found in tasks.items()
    ]
    return "\n\n".join(
        [
            "## Layouts and depths",
            f"Of the answers to the longest inputs f^ explains {', '.join(means)}: in the aligned layout "
            "ignored digits stand after those that count, in the others before, where less can be worked "
            "out at their places.",
            "![Answers that follow f^ by layout and depth](leaking.svg)",
            tabulate(rows, ("task", *variants), tablefmt="github", disable_numparse=True),
            "The share of answers that follow f^, one digit up and two: of the models that met the premise, "
            "or of all where none did (*). Two layers, 128 wide, where nothing else is said.",
        ]
    )


_BASELINE = "aligned"
_VARIANTS = (_BASELINE, "plain", "reversed", "four layers")


def _variant(v: CellVerdict) -> str:
    return "four layers" if v.cell.model == "micro" else v.cell.setting.layout.name


def _task_and_width(v: CellVerdict) -> str:
    """The task and what it is trained on; models of two and of four layers are 128 wide."""
    s = v.cell.setting
    width = "" if v.cell.model in ("wide", "micro") else f" · {v.cell.model}"
    return f"{s.task.text()} · {s.train.text()}{width}"


def _followed(v: CellVerdict) -> list[float]:
    """The share of answers equal to the learned function at each longer length."""
    upward = [x.prediction.digits for x in v.lengths if x.prediction.direction == Direction.UPWARD]
    shares = []
    for n in upward:
        seen = [m for run in v.shown for m in run.measurements if m.digits == n]
        shares.append(sum(m.learned or 0 for m in seen) / sum(m.samples for m in seen))
    return shares


def _shares_text(shares: Sequence[float], v: CellVerdict) -> str:
    return ", ".join(f"{x:.3f}" for x in shares) + ("" if v.converged else " *")
