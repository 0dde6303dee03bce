"""Rows of the grids that ask what is learned under relative encodings, or without positions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arith.verify.plan.rows import Row, row, rows

RELATIVE = ["rpe", "rope", "t5", "alibi", "fire", "nope"]
WINDOWS = (
    *rows("add", RELATIVE, 3, 6, layout="interleaved", window=[5, 6, 8, 10, 12, 0]),
    *rows("add", RELATIVE, 3, 5, window=[16, 0]),
    *rows("add", RELATIVE, 3, 5, layout="bare", window=13),
    row("add", "rpe", 3, 5, layout="bare"),
)


# Interleaved, with windows that hold the rule and little else, by layers.
def _narrow(pe: Any, train: int, window: int, layers: Any, **more: Any) -> list[Row]:
    task = None if "expr" in more else "add"
    more |= {"layout": "interleaved", "window": window, "layers": layers}
    return rows(task, pe, train, train + 3, **more)


_ANY = ["rpe", "rope", "t5"]  # these can single out an offset
_NONE = ["alibi", "fire", "nope"]
CONTEXTS = (
    *_narrow(_ANY, 3, 5, 1),
    *_narrow(["rpe", "t5"], 3, 6, 1),
    *_narrow(["rpe", "t5"], 5, 6, 1),
    *_narrow("rpe", 4, 7, 1, expr="a + b + c", base=4),
    *_narrow(RELATIVE, 5, 5, 2, base=4),
    *_narrow(_NONE, 3, 5, 2, base=4),
    *_narrow("nope", 5, 5, [2, 3], base=3),
    *_narrow("nope", 6, 5, [3, 4], base=3),
    *_narrow("nope", 3, 5, [3, 4]),
    *(replace(x, test_digits="5,10,20,30") for x in _narrow("rpe", 5, 5, 1)),
)
# Predicted before any rule had seen them; the rules shared parameters, neighbours and place were
# narrowed by what came out.
_GOES_ON = (
    *_narrow(_ANY, 3, 5, 2, base=6),
    *_narrow(_ANY, 3, 6, 3, base=5),
    *_narrow(_ANY, 3, 7, 2, base=8),
    *_narrow(_ANY, 4, 8, 2, base=12),
    *_narrow(_ANY, 3, 5, 4),
    *_narrow(_ANY, 3, 7, 2, expr="a + b + c", base=5),
    *_narrow(_ANY, 3, 5, 2, expr="2*a + b"),
    *_narrow(_ANY, 3, 5, 1, base=7),
    *_narrow(_NONE, 5, 5, 2, base=5),
    *_narrow([*_ANY, "fire"], 6, 5, 3, base=2),
)
_MODULAR = (
    *rows("mod_add", "rpe", 2, 4, modulus=[60, 90]),
    *rows("mod_add", "rope", 2, 4, modulus=[30, 75]),
    *rows("mod_add", "t5", 2, 4, modulus=[40, 125]),
    *rows("mod_add", "alibi", 2, 4, modulus=[60, 90]),
    *rows("mod_add", "fire", 2, 4, modulus=[80, 30]),
    *rows("mod_add", "nope", 2, 4, modulus=[40, 60]),
    *rows("mod_add", "sinusoidal", 2, 4, modulus=[75, 150]),
    row("mod_add", "abacus", 2, 4, modulus=40),
    row("mod_add", "coupled", 2, 4, modulus=60),
    *(
        row("mod_add", pe, 2, 4, modulus=p, width=6)
        for pe, p in zip(RELATIVE, (30, 60, 75, 40, 150, 90), strict=True)
    ),
    *rows("mod_add", _ANY, 3, 5, modulus=36, base=6, layout="interleaved"),
    *(
        row("mod_add", pe, 3, 5, modulus=base**2, base=base, layout="interleaved")
        for pe, base in zip(_ANY, (5, 7, 8), strict=True)
    ),
    *rows("mod_add", [*_ANY, "nope"], 7, 8, modulus=24, base=2, train_domain="every"),
    *rows("mod_add", ["rpe", "rope"], 7, 8, modulus=96, base=2, train_domain="every"),
)
# Without an encoding: by digits trained and layers, the start of the sequence is in view or not.
_PLACES = (
    *_narrow("nope", 4, 5, [2, 3], base=10),
    *_narrow("nope", 5, 5, [3, 4], base=10),
    *_narrow("nope", 4, 5, [2, 3], base=6),
    *_narrow("nope", 4, 5, [2, 3], base=4),
    *_narrow("nope", 5, 5, 4, base=7),
    *_narrow("nope", 6, 5, 4, base=7),
    # In view at every digit that varies: first predicted by theory 12.
    *_narrow("nope", 3, 5, 5, base=10),
    *_narrow("nope", 4, 5, [4, 5], base=10),
    *_narrow("nope", 5, 5, 5, base=10),
    *(cell for n in (3, 4) for cell in _narrow("nope", n, 5, n, base=4)),
    *_narrow("nope", 3, 5, 4, base=5),
    *(cell for n in (3, 4) for cell in _narrow("nope", n, 5, n, base=6)),
    *_narrow("nope", 5, 5, 5, base=7),
    # One layer less has it in view as well: first predicted by theory 14.
    *_narrow("nope", 3, 5, 4, base=6),
    *_narrow("nope", 3, 5, 5, base=4),
    *_narrow("nope", 4, 5, 5, base=[4, 7]),
    *_narrow("nope", 5, 5, 6, base=[3, 10]),
    *_narrow("nope", 3, 7, 3),
    *_narrow("nope", 4, 7, 4, base=5),
    *_narrow("nope", 5, 7, 4),
    *_narrow("nope", 4, 9, 3, base=8),
    *_narrow("nope", 3, 12, 2),
    *_narrow("nope", 3, 5, 4, expr="2*a + b"),
)
# One rule said 1 where another said that training lacks the contexts; theory 36 withdrew the first.
_UNSHOWN = row(
    *(None, "rope", "2+3", 6),
    expr="a - b",
    base=16,
    layout="interleaved",
    window=5,
    layers=3,
)
PREDICTED = (*_GOES_ON, *_MODULAR, *_PLACES, _UNSHOWN)
