"""A comparison of settings as a table and as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.generalization.lengths import MOST_UNSEEN
from arith.theory.generalization.outcomes import Claim
from arith.theory.studies.compare import Comparison, Row
from arith.theory.text.answer import INPUTS, cut, why_silent
from arith.theory.text.style import CENTRED, INK, figure, heat_map
from arith.theory.text.text import SIGNS, short_claim

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from arith.theory.setting.settings import Setting

_NAMES = {"pe": "encoding", "train_digits": "training lengths"}
"""What a column of options is called, if otherwise than the option."""
_TRAINED, _NO_SENSE = "trained", "-"
_FORECAST = "~: a forecast, no claim: the median and the 80% interval of models like it"
_WIDTH, _STRIP = 8.0, 0.34
"""Of the picture, and of a row in it, in inches."""


def heading(c: Comparison) -> str:
    """What is compared, and what is the same in every row."""
    s = _first(c)
    told = s.text().replace(s.task.text(), cut(s.task.text()), 1)
    of_rows = {
        "pe": s.encoding.label,
        "layout": s.layout.text,
        "window": f"attention window {s.window}",
        "train_digits": f"trained on {s.train.text()}",
    }
    for option in c.by:
        told = told.replace(f", {of_rows[option]}", "", 1)
    padded = "" if s.natural or s.width else f", operands padded to {s.digits_text(s.digits)}"
    return f"{told}{padded}, by {' and '.join(map(name_of, c.by))}"


def name_of(option: str) -> str:
    """What the column of an option is called."""
    return _NAMES.get(option, option)


def comparison_table(c: Comparison) -> tuple[list[str], list[list[str]]]:
    """The headings and rows: a column per test length; those that all rows trained are one."""
    columns = _columns(c)
    heads = [f"{lengths_text(x)}{_kind(c, x)}" for x in columns]
    rows = [[*row.values, *(_claimed(row, x[0]) for x in columns)] for row in c.rows]
    return [*map(name_of, c.by), *heads], rows


def _columns(c: Comparison) -> list[list[int]]:
    """The test lengths, those together that follow each other and that every row trained."""
    trained = {n for n in c.lengths if all(row.is_trained(n) for row in c.predicted)}
    groups = (list(group) for _, group in groupby(c.lengths, key=lambda n: n in trained))
    return [
        x for group in groups for x in ([group] if group[0] in trained else [[n] for n in group])
    ]


def _kind(c: Comparison, column: Sequence[int]) -> str:
    """``(shorter)``, ``(longer)``; empty where rows differ in that, or all is trained."""
    found = {x.direction for row in c.predicted for n in column if (x := row.at(n))}
    [kind] = found if len(found) == 1 else [Direction.IN_DOMAIN]
    return "" if kind == Direction.IN_DOMAIN else f" ({INPUTS[kind]})"


def _claimed(row: Row, digits: int) -> str:
    """What is claimed of a row at a length, in few characters; its forecast where that says more.

    Nothing is claimed there, or something of stable models that is not expected of most.
    """
    x = row.at(digits)
    if x is None or row.prediction is None:
        return _NO_SENSE
    if row.is_trained(digits):
        return _TRAINED
    found, claim = row.prediction.forecasts.get(digits), short_claim(x)
    says_more = x.claim == Claim.NONE or (
        x.requires_measured_stability
        and found is not None
        and not x.at_least - MOST_UNSEEN <= found.median <= x.at_most + MOST_UNSEEN
    )
    if found is None or not (says_more and found.near):
        return claim
    told = f"~{found.median:.2f} ({_short(found.low)}-{_short(found.high)})"
    return told if x.claim == Claim.NONE else f"{claim} {told}"


def _short(share: float) -> str:
    """A share in two decimals, as short as it can be: ``.08``, ``0``, ``1``."""
    text = f"{share:.2f}".removeprefix("0")
    return {".00": "0", "1.00": "1"}.get(text, text)


def comparison_legend(c: Comparison) -> list[str]:
    """What the signs in the table mean, and why rows are empty."""
    shown = {_claimed(row, n) for row in c.rows for n in c.lengths}
    claims = " ".join(x.partition("~")[0] for x in shown)
    signs = [f"{sign}: {meaning}" for sign, meaning in SIGNS.items() if sign in claims]
    head = "Share of inputs that a converged model gets right, by the digits of the longest operand"
    lines = ["; ".join([head, *signs])]
    lines += [_FORECAST] * any("~" in x for x in shown)
    lines += ["D_n: the inputs whose longest operand has n digits"] * _names_domains(c)
    why: dict[str, list[str]] = {}
    for row in c.predicted:
        open_ = [n for n in c.lengths if (x := row.at(n)) and x.claim == Claim.NONE]
        if row.prediction and (silent := [n for n in open_ if not row.is_trained(n)]):
            text = f"No claim at {lengths_text(silent)}: {why_silent(row.prediction)}"
            why.setdefault(text, []).append(", ".join(row.values))
    lines += [f"{text} ({'; '.join(rows)})" for text, rows in why.items()]
    lines += ["arith predict --explain says more of one of them"] * bool(why)
    return [*lines, *(f"{', '.join(x.values)}: {x.refused}" for x in c.rows if x.refused)]


def _names_domains(c: Comparison) -> bool:
    """Whether the heading names the lengths of training as ``D_n``, with the usual meaning."""
    train = _first(c).train
    return "train_digits" not in c.by and train.kind == "longest" and not train.each


def plot_comparison(c: Comparison, path: Path) -> None:
    """Draw a comparison, a row per setting and a column per length, as PNG or SVG by the suffix."""
    title = textwrap.fill(heading(c), 88)
    height = 1.1 + _STRIP * len(c.predicted) + 0.19 * title.count("\n")
    with figure(path, _WIDTH, height) as page:
        page.set_layout_engine("constrained")
        page.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
        _draw(page.add_subplot(), c)


def _draw(ax: Axes, c: Comparison) -> None:
    """The fields: coloured where an accuracy is claimed, hatched elsewhere; the claim in words."""
    rows, lengths = c.predicted[::-1], c.lengths
    shares = np.full((len(rows), len(lengths)), np.nan)
    for y, row in enumerate(rows):
        for i, n in enumerate(lengths):
            x = row.at(n)
            if row.is_trained(n):
                shares[y, i] = 1
            elif x is not None and x.claim == Claim.EXACT:
                shares[y, i] = float(x.accuracy or 0)
    heat_map(ax, shares, 0)
    for y, row in enumerate(rows):
        for i, n in enumerate(lengths):
            known = not np.isnan(shares[y, i])
            box = None if known else {"fc": "white", "ec": "none", "pad": 1.5}
            colour = "white" if known and shares[y, i] > 0.5 else INK
            text = _claimed(row, n).replace(" ", "\n")
            ax.text(i + 0.5, y + 0.5, text, color=colour, bbox=box, fontsize=7.5, **CENTRED)
    ax.set_xticks([i + 0.5 for i in range(len(lengths))], [str(n) for n in lengths])
    ax.set_yticks([y + 0.5 for y in range(len(rows))], [", ".join(x.values) for x in rows])
    ax.tick_params(length=0)
    ax.set_xlabel(
        "digits of the longest operand; hatched: no exact accuracy is claimed; ~: a forecast"
    )


def _first(c: Comparison) -> Setting:
    prediction = c.predicted[0].prediction
    assert prediction is not None
    return prediction.setting
