"""Through which layer digits that should be ignored get into the answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import nan
from pathlib import Path

from theory.display.style import FAINT, PALETTE, figure
from theory.display.tables import markdown_table
from verify.plan.premise import PREMISE
from verify.reporting.figures import WIDTH, name_rows
from verify.reporting.mechanism import mechanism_name, read_mechanisms
from verify.reporting.report import Report

ORDER = 100
LEAKS = PREMISE
"""A model leaks if fewer of its answers follow the learned function: as many as in domain."""
SOME = 0.1
"""The part of the lost answers from which some count as brought back."""


def section(report: Report) -> str:
    """What comes back of the lost answers where one layer does not see the ignored digits."""
    measured = [found for found in read_mechanisms(report.folder).values() if "leaks" in found]
    names = [mechanism_name(found) for found in measured]
    shares = [(x["leaks"]["as it is"], *x["leaks"]["mended by layer"]) for x in measured]
    leaking = [_recovered(x) for x in shares if x[0] < LEAKS]
    if not leaking:
        return ""
    some = sum(max(later, default=0.0) >= SOME for _, *later in leaking)
    most = sum(max(later, default=0.0) > first for first, *later in leaking)
    rows = [
        [name, str(found["digits"]), *(f"{x:.3f}" for x in of_model)]
        for name, found, of_model in zip(names, measured, shares, strict=True)
    ]
    layers = range(1, max(map(len, shares)))
    columns = ("cell", "digits", "as it is", *(f"layer {i} patched" for i in layers))
    _draw(names, shares, report.folder / "leaks.svg")
    return "\n\n".join(
        [
            "## Leaks",
            f"In {some} of {len(leaking)} models that leak, a tenth or more of what is lost comes "
            "back where a later layer does not see the places of the ignored digits, in "
            f"{most} more than where the first does not. What leaks is not only the digits, but "
            "what the model has made of them at their places.",
            "![Answers that follow the expected function, as they are and patched](leaks.svg)",
            markdown_table(rows, columns),
            "The share of answers that follow f^, each digit given the right ones before it. "
            "*layer i patched*: the share if that layer's keys and values at the places of ignored "
            "digits were those of the equivalent trained input, and all else as it is. The first "
            "layer sees the digits, a later one what stands at their places by then: the digit, "
            "and what was worked out there. Made by `arith inspect`.",
        ]
    )


def _recovered(shares: Sequence[float]) -> list[float]:
    """By layer, the part of the lost answers that comes back when it is patched."""
    now, *patched = shares
    return [(x - now) / (1 - now) for x in patched]


def _draw(names: Sequence[str], shares: Sequence[Sequence[float]], path: Path) -> None:
    """A row per model: the share as it is (a bar), and with each layer patched (dots).

    Args:
        shares: of each model, as it is, then with one layer patched, layer by layer.
    """
    with figure(path, WIDTH, 0.3 * len(names) + 1.0) as drawn:
        drawn.set_layout_engine("tight")
        ax = drawn.subplots()
        name_rows(ax, names)
        for row, of_model in enumerate(shares):
            ax.plot([min(of_model), max(of_model)], [row, row], color=FAINT, lw=0.8)
        now, *patched = zip_longest(*shares, fillvalue=nan)
        ax.plot(now, range(len(names)), "|k", ms=8, mew=2, label="as it is")
        for i, layer in enumerate(patched):
            label = f"layer {i + 1} patched"
            ax.plot(layer, range(len(names)), "o", color=PALETTE[i], ms=6 - i, label=label)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel("share of the answers to the longest inputs that follow f^")
        ax.legend(fontsize=6.5, frameon=False, ncols=5, loc="lower left", bbox_to_anchor=(0, 1))
