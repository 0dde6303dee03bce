"""Whether ignored digits leak into the answer in other layouts, and with more layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from theory.display.style import PALETTE, figure
from theory.display.tables import markdown_table
from verify.judging.judge import CellVerdict
from verify.reporting.figures import WIDTH, name_rows
from verify.reporting.numbers import count
from verify.reporting.report import Report

ORDER = 80
BASELINE, DEEPER = "aligned", "four layers"
VARIANTS = (BASELINE, "plain", "reversed", DEEPER)
Shares = Mapping[str, Mapping[str, Sequence[float]]]
"""By task and variant, the share of answers that follow f^ at each longer length."""


def section(report: Report) -> str:
    """The answers that follow f^, by task, in the aligned layout and in each other variant."""
    tasks: dict[str, dict[str, CellVerdict]] = {}
    for v in (*report.trained_of("layouts"), *report.trained_of("depths")):
        tasks.setdefault(_task(v), {})[_variant(v)] = v
    tasks = {task: found for task, found in tasks.items() if BASELINE in found and len(found) > 1}
    if not tasks:
        return ""
    variants = [x for x in VARIANTS if any(x in found for found in tasks.values())]
    shares = {
        task: {x: _followed(found[x]) for x in variants if x in found}
        for task, found in tasks.items()
    }
    rows = [
        [task, *(_cell(found[x], shares[task][x]) if x in found else "" for x in variants)]
        for task, found in tasks.items()
    ]
    _draw(shares, variants, report.folder / "leaking.svg")
    return "\n\n".join(
        [
            "## Layouts and depths",
            "Of the answers to the longest inputs f^ explains "
            f"{', '.join(_compared(shares, x) for x in variants[1:])}. In the aligned layout "
            "ignored digits stand after those that count. In the others they stand before, where "
            "less can be worked out at their places.",
            "![Answers that follow f^ by layout and depth](leaking.svg)",
            markdown_table(rows, ("task", *variants)),
            "The share of answers that follow f^, one digit up and two: of the models that met the "
            "premise, or of all where none did (*). Models have two layers and are 128 wide where "
            "nothing else is said.",
        ]
    )


def _variant(v: CellVerdict) -> str:
    return DEEPER if v.cell.model == "micro" else v.cell.setting.layout.name


def _task(v: CellVerdict) -> str:
    """The task and what it is trained on, with the model where it is not 128 wide."""
    s = v.cell.setting
    model = "" if v.cell.model in ("wide", "micro") else f" · {v.cell.model}"
    return f"{s.task.text()} · {s.train.text()}{model}"


def _followed(v: CellVerdict) -> list[float]:
    shares = [v.measured(x.digits, learned=True) for x in v.longer]
    return [0.0 if share is None else share.value for share in shares]


def _cell(v: CellVerdict, shares: Sequence[float]) -> str:
    return ", ".join(f"{x:.3f}" for x in shares) + ("" if v.converged else " *")


def _compared(shares: Shares, variant: str) -> str:
    """``0.91 in place of 0.60 (plain; 8 tasks)``: means at the longest inputs of the same tasks."""
    both = [found for found in shares.values() if variant in found]
    there, here = (fmean(found[x][-1] for found in both) for x in (variant, BASELINE))
    return f"{there:.2f} in place of {here:.2f} ({variant}; {len(both)} tasks)"


def _draw(shares: Shares, variants: Sequence[str], path: Path) -> None:
    """A panel per longer length, a row per task, a colour per variant."""
    lengths = len(next(iter(shares.values()))[BASELINE])
    with figure(path, WIDTH, 0.34 * len(shares) + 1.3) as drawn:
        drawn.set_layout_engine("tight")
        axes = drawn.subplots(1, lengths, sharey=True, squeeze=False)[0]
        for n, ax in enumerate(axes):
            for i, variant in enumerate(variants):
                shift = 0.15 * (i - (len(variants) - 1) / 2)
                points = [
                    (found[variant][n], row + shift)
                    for row, found in enumerate(shares.values())
                    if variant in found
                ]
                ax.plot(*zip(*points, strict=True), "o", color=PALETTE[i], ms=5, label=variant)
            name_rows(ax, list(shares))
            ax.set_xlim(-0.03, 1.03)
            ax.set_title(f"{count(n + 1, 'digit')} more than trained", fontsize=8)
        labels = axes[0].get_legend_handles_labels()
        drawn.legend(*labels, ncols=len(variants), fontsize=7, frameon=False, loc="upper right")
        drawn.supxlabel("share of the answers that follow f^", fontsize=8)
