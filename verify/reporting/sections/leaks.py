"""Through which layer digits that should be ignored get into the answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import nan
from pathlib import Path

from theory.display.style import FAINT, PALETTE
from verify.plan.premise import PREMISE
from verify.reporting.figures import named_rows
from verify.reporting.mechanism import mechanism_name, read_mechanisms
from verify.reporting.report import Report
from verify.reporting.tables import table

ORDER = 100
LEAKS = PREMISE
"""A model leaks if fewer of its answers follow the learned function: as many as in domain."""
SOME = 0.1
"""The part of the lost answers from which some count as brought back."""


def section(report: Report) -> list[str]:
    """What comes back of the lost answers where one layer does not see the ignored digits."""
    measured = [x for x in read_mechanisms(report.folder).values() if "leaks" in x]
    names = [mechanism_name(x) for x in measured]
    shares = [(x["leaks"]["as it is"], *x["leaks"]["mended by layer"]) for x in measured]
    leaking = [x for x in shares if x[0] < LEAKS]
    if not leaking:
        return []
    # Of what is lost, 1 - now, patching a layer brings back the difference to now.
    some = sum(max(x[2:], default=0) - x[0] >= SOME * (1 - x[0]) for x in leaking)
    most = sum(max(x[2:], default=0) > x[1] for x in leaking)
    rows = []
    for name, model, (now, *patched) in zip(names, measured, shares, strict=True):
        layers = {f"layer {i} patched": f"{x:.3f}" for i, x in enumerate(patched, 1)}
        rows.append(
            {"cell": name, "digits": str(model["digits"]), "as it is": f"{now:.3f}"} | layers
        )
    _draw(names, shares, report.folder / "leaks.svg")
    return [
        "## Leaks",
        f"In {some} of {len(leaking)} models that leak, a tenth or more of what is lost comes "
        "back where a later layer does not see the places of the ignored digits, in "
        f"{most} more than where the first does not. What leaks is not only the digits, but "
        "what the model has made of them at their places.",
        "![Answers that follow the expected function, as they are and patched](leaks.svg)",
        table(rows),
        "The share of answers that follow f^, each digit given the right ones before it. "
        "*layer i patched*: the share if that layer's keys and values at the places of ignored "
        "digits were those of the equivalent trained input, and all else as it is. The first "
        "layer sees the digits, a later one what stands at their places by then: the digit, "
        "and what was worked out there. Made by `arith inspect`.",
    ]


def _draw(names: Sequence[str], shares: Sequence[Sequence[float]], path: Path) -> None:
    """A row per model: the share as it is (a bar), and with each layer patched (dots).

    Args:
        shares: of each model, as it is, then with one layer patched, layer by layer.
    """
    label = "share of the answers to the longest inputs that follow f^"
    with named_rows(path, names, label) as [ax]:
        for row, of_model in enumerate(shares):
            ax.plot([min(of_model), max(of_model)], [row, row], color=FAINT, lw=0.8)
        now, *patched = zip_longest(*shares, fillvalue=nan)
        ax.plot(now, range(len(names)), "|k", ms=8, mew=2, label="as it is")
        for i, layer in enumerate(patched):
            label = f"layer {i + 1} patched"
            ax.plot(layer, range(len(names)), "o", color=PALETTE[i], ms=6 - i, label=label)
