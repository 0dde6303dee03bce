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
_ANY = ("rpe", "rope", "t5")  # these can single out an offset
# Predicted before any rule had seen them; the rules shared parameters, neighbours and place were
# narrowed by what came out.
_GOES_ON = (
    *(_narrow(pe, 3, 5, 2, base=6) for pe in _ANY),
    *(_narrow(pe, 3, 6, 3, base=5) for pe in _ANY),
    *(_narrow(pe, 3, 7, 2, base=8) for pe in _ANY),
    *(_narrow(pe, 4, 8, 2, base=12) for pe in _ANY),
    *(_narrow(pe, 3, 5, 4) for pe in _ANY),
    *(_narrow(pe, 3, 7, 2, expr="a + b + c", base=5) for pe in _ANY),
    *(_narrow(pe, 3, 5, 2, expr="2*a + b") for pe in _ANY),
    *(_narrow(pe, 3, 5, 1, base=7) for pe in _ANY),
    *(_narrow(pe, 5, 5, 2, base=5) for pe in ("alibi", "fire", "nope")),
    *(_narrow(pe, 6, 5, 3, base=2) for pe in (*_ANY, "fire")),
)
_MODULAR = (
    *(
        row("mod_add", pe, 2, 4, modulus=p)
        for pe, moduli in {
            "rpe": (60, 90),
            "rope": (30, 75),
            "t5": (40, 125),
            "alibi": (60, 90),
            "fire": (80, 30),
            "nope": (40, 60),
            "sinusoidal": (75, 150),
            "abacus": (40,),
            "coupled": (60,),
        }.items()
        for p in moduli
    ),
    *(
        row("mod_add", pe, 2, 4, modulus=p, width=6)
        for pe, p in zip(RELATIVE, (30, 60, 75, 40, 150, 90), strict=True)
    ),
    *(row("mod_add", pe, 3, 5, modulus=36, base=6, layout="interleaved") for pe in _ANY),
    *(
        row("mod_add", pe, 3, 5, modulus=base**2, base=base, layout="interleaved")
        for pe, base in zip(_ANY, (5, 7, 8), strict=True)
    ),
    *(
        row("mod_add", pe, 7, 8, modulus=p, base=2, train_domain="every")
        for p, encodings in {24: ("rpe", "rope", "t5", "nope"), 96: ("rpe", "rope")}.items()
        for pe in encodings
    ),
)
# Without an encoding: by digits trained and layers, the start of the sequence is in view or not.
_PLACES = tuple(
    _narrow("nope", n, 5, layers, base=base)
    for base, n, layers in (
        *((10, 4, 2), (10, 4, 3), (10, 5, 3), (10, 5, 4)),
        *((6, 4, 2), (6, 4, 3), (4, 4, 2), (4, 4, 3), (7, 5, 4), (7, 6, 4)),
        # in view at every digit that varies, first predicted by theory 12
        *((10, 3, 5), (10, 4, 4), (10, 4, 5), (10, 5, 5), (4, 3, 3), (4, 4, 4)),
        *((5, 3, 4), (6, 3, 3), (6, 4, 4), (7, 5, 5)),
    )
)
PREDICTED = (*_GOES_ON, *_MODULAR, *_PLACES)
