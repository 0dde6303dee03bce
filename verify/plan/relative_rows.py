"""Rows of the grids that ask what is learned under relative encodings, or without positions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verify.plan.rows import Row, row

RELATIVE = ("rpe", "rope", "t5", "alibi", "fire", "nope")
WINDOWS = (
    *(
        row("add", pe, 3, 6, layout="interleaved", window=window)
        for window in (5, 6, 8, 10, 12, 0)
        for pe in RELATIVE
    ),
    *(row("add", pe, 3, 5, window=window) for window in (16, 0) for pe in RELATIVE),
    *(row("add", pe, 3, 5, layout="bare", window=13) for pe in RELATIVE),
    row("add", "rpe", 3, 5, layout="bare"),
)


# Interleaved, with windows that hold the rule and little else, by layers.
def _narrow(pe: str, train: int, window: int, layers: int, **more: Any) -> Row:
    task = None if "expr" in more else "add"
    more |= {"layout": "interleaved", "window": window, "layers": layers}
    return row(task, pe, train, train + 3, **more)


CONTEXTS = (
    *(_narrow(pe, 3, 5, 1) for pe in ("rpe", "rope", "t5")),
    *(_narrow(pe, n, 6, 1) for n in (3, 5) for pe in ("rpe", "t5")),
    _narrow("rpe", 4, 7, 1, expr="a + b + c", base=4),
    *(_narrow(pe, 5, 5, 2, base=4) for pe in RELATIVE),
    *(_narrow(pe, 3, 5, 2, base=4) for pe in ("alibi", "fire", "nope")),
    *(_narrow("nope", n, 5, layers, base=3) for n, layers in ((5, 2), (5, 3), (6, 3), (6, 4))),
    *(_narrow("nope", 3, 5, layers) for layers in (3, 4)),
    replace(_narrow("rpe", 5, 5, 1), test_digits="5,10,20,30"),
)
