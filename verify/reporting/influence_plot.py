"""Influences as heat maps: which digits of the operands change which digits of the answers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from arith.theory.text.style import figure, heat_map

_LETTER = 0.09
"""Inches that a letter of a title takes."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def draw_influences(
    influences: Mapping[str, np.ndarray], title: str, path: Path, names: Sequence[str] = "abcd"
) -> None:
    """Draw influences ``(k, N, M)`` as heat maps side by side, named by who answered.

    A row is a digit of an operand (by its name) that is changed, a column a digit of the answer,
    units first; influences that are not known are hatched.  Errors are those of ``figure``.
    """
    [(k, n, m)] = {shares.shape for shares in influences.values()}
    cell_size = min(max(7.5 / (len(influences) * m), 0.12), 0.4)
    width = 1.6 + len(influences) * max(m * cell_size, 1.1)
    title = textwrap.fill(title, int(width / _LETTER))
    height = 1.0 + k * n * cell_size + 0.18 * title.count("\n")
    with figure(path, width, height) as page:
        page.set_layout_engine("constrained")
        page.suptitle(title, fontsize=10, fontweight="bold")
        panels = page.subplots(1, len(influences), sharey=True, squeeze=False)[0]
        for axes, (name, shares) in zip(panels, influences.items(), strict=True):
            mesh = heat_map(axes, shares.reshape(k * n, m), cell_size)
            axes.set_title(name, fontsize=9)
            for j in range(1, k):
                axes.axhline(j * n, color="white", linewidth=2)
            step = 1 if cell_size >= 0.18 else 2
            numbers = [str(r + 1) for r in range(0, m, step)]
            axes.set_xticks(np.arange(0, m, step) + 0.5, labels=numbers)
            axes.tick_params(length=0)
        labels = [f"{names[j]}{i + 1}".translate(_SUBSCRIPTS) for j in range(k) for i in range(n)]
        panels[0].set_yticks(np.arange(k * n) + 0.5, labels=labels)
        panels[0].set_ylabel("changed digit")
        panels[0].invert_yaxis()
        page.supxlabel("result digit (1 = units)", fontsize=8.5)
        some_unknown = any(np.isnan(shares).any() for shares in influences.values())
        label = "share that changes" + "\nhatched: not known" * some_unknown
        page.colorbar(mesh, ax=panels, ticks=[0, 0.5, 1], label=label)
