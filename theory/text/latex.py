"""A prediction as LaTeX for a paper: the task, the expected function and the table of lengths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arith.theory.text.answer import expected_function
from arith.theory.text.text import LENGTH_COLUMNS, length_rows

if TYPE_CHECKING:
    from arith.theory.prediction.predict import Prediction

_SIGNS = {"mod": r"\bmod", "·": r" \cdot "}
"""What our formulas have and LaTeX writes otherwise."""
_IN_TEXT = {"±": r"$\pm$", "≈": r"$\approx$", "→": r"$\to$", "·": r"$\cdot$"}


def formula(text: str) -> str:
    """A formula as ``Task.text`` writes it, in LaTeX's mathematics."""
    text = re.sub(r"[a-z_]{2,}(?=\()", _operator, text)  # a function of digits
    for sign, command in _SIGNS.items():
        text = text.replace(sign, command)
    text = text.replace(" or ", r" \text{ or } ")  # between operations
    return re.sub(r"\^(\d+)", r"^{\1}", text)


def _operator(name: re.Match[str]) -> str:
    """The name of a function, set upright."""
    return rf"\operatorname{{{name[0].replace('_', chr(92) + '_')}}}"


def latex(prediction: Prediction) -> str:
    """The prediction as LaTeX; it needs the packages amsmath and booktabs."""
    s = prediction.setting
    operands, expected = ", ".join(s.task.names), expected_function(prediction)
    equations = rf"  f({operands}) &= {formula(s.task.text())}"
    if expected is not None:
        equations += " \\\\\n" + rf"  \hat{{f}}({operands}) &= {formula(expected)}"
    table = latex_table(length_rows(prediction), LENGTH_COLUMNS)
    return f"% {s.text()}\n\\begin{{align*}}\n{equations}\n\\end{{align*}}\n{table}"


def latex_table(rows: Sequence[Sequence[str]], headers: Sequence[str], long: bool = False) -> str:
    """A table in LaTeX; the cells are escaped.

    Args:
        long: it goes on over pages (package longtable); otherwise it has the rules of booktabs.
    """
    from tabulate import tabulate

    style = "latex_longtable" if long else "latex_booktabs"
    table = str(tabulate(rows, headers, tablefmt=style, disable_numparse=True))
    for sign, command in _IN_TEXT.items():
        table = table.replace(sign, command)
    return table
