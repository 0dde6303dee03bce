"""Whether ignored digits leak into the answer in other layouts, and with more layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from theory.display.style import PALETTE
from verify.judging.judge import CellVerdict
from verify.reporting.figures import named_rows
from verify.reporting.report import Report
from verify.reporting.tables import count, table

ORDER = 80
BASELINE, DEEPER = "aligned", "four layers"
VARIANTS = (BASELINE, "plain", "reversed", DEEPER)
Shares = Mapping[str, Mapping[str, Sequence[float]]]
"""By task and variant, the share of answers that follow f^ at each longer length."""


def section(report: Report) -> list[str]:
    """The answers that follow f^, by task, in the aligned layout and in each other variant."""
    tasks: dict[str, dict[str, CellVerdict]] = {}
    for v in (*report.trained_of("layouts"), *report.trained_of("depths")):
        tasks.setdefault(_task(v), {})[_variant(v)] = v
    tasks = {task: cells for task, cells in tasks.items() if BASELINE in cells and len(cells) > 1}
    if not tasks:
        return []
    variants = [x for x in VARIANTS if any(x in cells for cells in tasks.values())]
    shares, rows = {}, []
    for task, cells in tasks.items():
        shares[task] = {x: _followed(cells[x]) for x in variants if x in cells}
        texts = {x: _text(cells[x]) if x in cells else "" for x in variants}
        rows.append({"task": task} | texts)
    _draw(shares, variants, report.folder / "leaking.svg")
    return [
        "## Layouts and depths",
        "Of the answers to the longest inputs f^ explains "
        f"{', '.join(_compared(shares, x) for x in variants[1:])}. In the aligned layout "
        "ignored digits stand after those that count. In the others they stand before, where "
        "less can be worked out at their places.",
        "![Answers that follow f^ by layout and depth](leaking.svg)",
        table(rows),
        "The share of answers that follow f^, one digit up and two: of the models that met the "
        "premise, or of all where none did (*). Models have two layers and are 128 wide where "
        "nothing else is said.",
    ]


def _variant(v: CellVerdict) -> str:
    return DEEPER if v.cell.model == "micro" else v.cell.setting.layout.name


def _task(v: CellVerdict) -> str:
    """The task and what it is trained on, with the model where it is not 128 wide."""
    s = v.cell.setting
    model = "" if v.cell.model in ("wide", "micro") else f" · {v.cell.model}"
    return f"{s.task.text()} · {s.train.text()}{model}"


def _followed(v: CellVerdict) -> list[float]:
    """The share of answers that follow f^ at each longer length."""
    shares = [v.measured(x.digits, learned=True) for x in v.longer]
    return [0.0 if share is None else share.value for share in shares]


def _text(v: CellVerdict) -> str:
    return ", ".join(f"{x:.3f}" for x in _followed(v)) + ("" if v.converged else " *")


def _compared(shares: Shares, variant: str) -> str:
    """``0.91 in place of 0.60 (plain; 8 tasks)``: means at the longest inputs of the same tasks."""
    both = [by_variant for by_variant in shares.values() if variant in by_variant]
    there, here = (fmean(by_variant[x][-1] for by_variant in both) for x in (variant, BASELINE))
    return f"{there:.2f} in place of {here:.2f} ({variant}; {len(both)} tasks)"


def _draw(shares: Shares, variants: Sequence[str], path: Path) -> None:
    """A panel per longer length, a row per task, a colour per variant."""
    longer = range(len(next(iter(shares.values()))[BASELINE]))
    titles = [f"{count(n + 1, 'digit')} more than trained" for n in longer]
    with named_rows(path, list(shares), "share of the answers that follow f^", titles) as axes:
        for i, variant in enumerate(variants):
            by_row = {row: x[variant] for row, x in enumerate(shares.values()) if variant in x}
            places = [row + 0.15 * (i - (len(variants) - 1) / 2) for row in by_row]
            for n, ax in zip(longer, axes, strict=True):
                values = [followed[n] for followed in by_row.values()]
                ax.plot(values, places, "o", color=PALETTE[i], ms=5, label=variant)
