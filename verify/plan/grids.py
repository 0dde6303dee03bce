"""Grids: named lists of cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from theory.errors import unknown_name
from verify.plan.cells import Cell
from verify.plan.rows import Row, read_grid


def _row(
    task: str | None, pe: str, train: int | str, test: int, modulus: int | None = None, **more: Any
) -> Row:
    trained, tested = str(train), f"1-{test}"
    return Row(task, pe=pe, modulus=modulus, train_digits=trained, test_digits=tested, **more)


_HEADLINE = (
    _row("add", "ape", 3, 5),
    _row("add", "rpe", 3, 6, layout="interleaved", window=5, layers=1),
    _row("add", "rpe", 3, 6, layout="interleaved", window=6),
    _row("add", "rpe", 3, 5),
    _row("mod_add", "ape", 3, 5, modulus=100),
    _row("mod_add", "rpe", 3, 5, modulus=100),
    _row("mod_add", "ape", 2, 4, modulus=101),
    _row("mod_add", "ape", 2, 4, modulus=150),
    _row("mod_mul", "ape", 2, 4, modulus=50),
)

_RELATIVE = ("rpe", "rope", "t5", "alibi", "fire", "nope")
_OTHERS = ("sinusoidal", "rope", "t5", "alibi", "fire", "nope", "abacus", "coupled")
_ADDITION = (
    *(_row("add", pe, 3, 5) for pe in _OTHERS),
    *(_row("add", "ape", 3, 5, layout=form) for form in ("reversed", "interleaved")),
    *(_row("add", pe, 3, 6, layout="interleaved", window=6) for pe in _RELATIVE[1:]),
    _row("add", "ape", 2, 4),
    _row("add", "ape", "2+3", 5),
    _row("add", "ape", 3, 5, layout="plain"),
    _row("add", "ape", 3, 5, layout="bare"),
    _row("add", "ape", 3, 5, model="nano"),
    _row("add", "rpe", 3, 6, layout="interleaved", window=6, model="nano"),
    _row("add", "ape", 3, 5, model="micro"),
)
_MODULI_ADDED = {50: 2, 51: 2, 100: 2, 101: 3, 150: 3, 151: 2, 200: 3, 201: 2}
"""The moduli of the paper's tables, and how many digits are trained on."""
_MODULAR_ADDITION = (
    *(_row("mod_add", "ape", n, n + 2, modulus=p) for p, n in _MODULI_ADDED.items()),
    *(_row("mod_add", "ape", 3, 5, modulus=p, model="wide") for p in (101, 150)),
    *(
        _row("mod_add", "rpe", n, n + 2, modulus=p)
        for p, n in {50: 2, 101: 2, 150: 2, 200: 3}.items()
    ),
    *(_row("mod_add", pe, 3, 5, modulus=100) for pe in _OTHERS),
    # The causal mask hides what training kept constant.
    *(_row("mod_add", pe, 3, 5, modulus=100, layout="interleaved") for pe in ("rpe", "rope")),
    _row("mod_add", "ape", 3, 5, modulus=100, model="nano"),
    *(_row("mod_add", "ape", 2, 4, modulus=p, model="nano") for p in (101, 150)),
)
_PRODUCTS = (
    _row("mul", "ape", 2, 4),
    _row("mul", "ape", "1+2", 4),
    _row("mul", "ape", 2, 4, layout="reversed"),
    *(_row("mul", pe, 2, 4) for pe in ("rpe", "rope")),
    *(_row("mod_mul", "ape", 2, 4, modulus=p) for p in (51, 100, 150, 200)),
    _row("mod_mul", "rpe", 2, 4, modulus=50),
    _row("mod_mul", "rpe", 2, 4, modulus=100),
    _row("mod_mul", "ape", 2, 4, modulus=50, model="micro"),
    *(_row("mod_mul", "ape", 3, 5, modulus=p, test_domain="every") for p in (50, 100)),
)
_EXPRESSIONS = (
    *(
        _row(None, "ape", 2, 4, expr=expr, model=model)
        for expr in ("a + b + c", "(a + b + c) % 100")
        for model in ("pico", "wide")
    ),
    _row(None, "rpe", 3, 6, expr="a + b + c", layout="interleaved", window=8),
    _row(None, "ape", 3, 5, expr="(2*a + 3*b) % 12", base=6),
    *(_row("add", "ape", 3, 5, base=base) for base in (2, 3, 4, 6)),
    _row("add", "rpe", 3, 6, base=6, layout="interleaved", window=6),
    # The least windows that hold the rule, under encodings that cannot single out an offset.
    *(
        _row(None, pe, 3, 6, expr="a + b + c", layout="interleaved", window=7)
        for pe in ("alibi", "fire")
    ),
    *(_row("add", pe, 3, 6, base=6, layout="interleaved", window=5) for pe in ("alibi", "fire")),
)
_HIGH = ("1:6-9", "2:6-9", "3:6-9")
_DATA = (
    _row("add", "ape", 3, 5, train_domain="every"),
    _row("mod_add", "ape", 3, 5, modulus=100, train_domain="every"),
    _row("add", "ape", 3, 5, train_allowed=_HIGH),
    _row("add", "ape", 3, 5, train_allowed=("2:0,1,2,3,4,6,7,8,9",)),
    *(_row("add", "ape", 3, 5, train_allowed=(f"2:{d}",)) for d in ("4", "5", "9", "0-4", "5-9")),
    *(_row("add", "ape", 3, 5, train_priming=(f"5:{x}",)) for x in ("0.001", "0.01", "0.1")),
    *(_row("add", "ape", 3, 5, train_pairs=n) for n in (1000, 3000, 10_000, 30_000, 100_000)),
)
_WINDOWS = (
    *(
        _row("add", pe, 3, 6, layout="interleaved", window=window)
        for window in (5, 6, 8, 10, 12, 0)
        for pe in _RELATIVE
    ),
    *(_row("add", pe, 3, 5, window=window) for window in (16, 0) for pe in _RELATIVE),
    *(_row("add", pe, 3, 5, layout="bare", window=13) for pe in _RELATIVE),
    _row("add", "rpe", 3, 5, layout="bare"),
)
# The ignored digits stand after the digits that count, or before.
_LAYOUTS = (
    *(
        _row("mod_mul", "ape", 2, 4, modulus=p, layout=form)
        for p in (50, 100, 150, 200)
        for form in ("aligned", "plain", "reversed")
    ),
    *(
        row
        for form in ("aligned", "plain")
        for row in (
            _row("mod_mul", "ape", 2, 4, modulus=51, layout=form),
            _row("mod_mul", "ape", 3, 5, modulus=100, test_domain="every", layout=form),
            *(_row("mod_add", "ape", 3, 5, modulus=p, layout=form) for p in (101, 200)),
            _row("mod_add", "ape", 3, 5, modulus=101, layout=form, model="wide"),
            _row(None, "ape", 2, 4, expr="a + b + c", layout=form, model="wide"),
        )
    ),
)
# The same by depth: two layers (the size of products by default) and four, of one width.
_DEPTHS = (
    *(
        row
        for model in (None, "micro")
        for row in (_row("mod_mul", "ape", 2, 4, modulus=p, model=model) for p in (51, 150, 200))
    ),
    *(
        row
        for model in ("wide", "micro")
        for row in (
            _row("mod_add", "ape", 3, 5, modulus=101, model=model),
            _row(None, "ape", 2, 4, expr="a + b + c", model=model),
        )
    ),
)
# Hard to learn, or with too few inputs to hold enough of them out (bases 2 and 3).
_UNCONVERGED = (
    *(_row("mod_add", "ape", 3, 5, modulus=p) for p in (40, 250)),
    _row("mod_add", "ape", 3, 5, modulus=20, base=6),
    *(_row("mod_mul", "ape", 3, 5, modulus=p) for p in (40, 125, 250)),
    *(_row("mod_add", "ape", 3, 5, modulus=p) for p in (60, 120)),
    _row("mod_add", "ape", 3, 5, modulus=150, model="wide"),
    _row("mod_add", "ape", 3, 5, modulus=200, layout="plain"),
    _row(None, "ape", 2, 4, expr="a + b + c", model="pico"),
    *(_row(None, "ape", 2, 4, expr="(a + b + c) % 100", model=model) for model in ("pico", "wide")),
    *(_row("add", "ape", 3, 5, base=base) for base in (2, 3)),
    _row(None, "ape", 2, 4, expr="a + b", base=4, layout="plain"),
    _row(None, "ape", 2, 4, expr="a + b", base=6),
    _row("add", "ape", 3, 5, train_priming=("5:0.001",)),
    _row("mul", "ape", 3, 5),
    *(_row("mod_mul", "ape", 2, 4, modulus=p) for p in (12, 101, 125, 201)),
    _row("mod_mul", "ape", 2, 4, modulus=200, layout="plain"),
    *(_row("mod_mul", "ape", 3, 5, modulus=p, test_domain="every") for p in (51, 150, 200, 201)),
)
# Sums that ask for two digits at once (400, 500; 36, 108), and for more (300; 35, 72).
_LEAPS = (
    *(_row("mod_add", "ape", 3, 5, modulus=p) for p in (300, 400, 500)),
    *(_row("mod_add", "ape", 3, 5, modulus=p, base=6) for p in (36, 108, 35, 72)),
)
# Products that ask for one or two digits at once, such that ask for more (15, 25, 75, 120), and
# linear forms, all of one or two.
_AT_ONCE = (
    *(_row("mod_mul", "ape", 2, 4, modulus=p) for p in (12, 20, 30, 60, 15, 25, 75, 120)),
    *(_row("mod_mul", "ape", 2, 4, modulus=p, base=6) for p in (24, 36)),
    _row("mod_add", "ape", 2, 4, modulus=170),
    _row(None, "ape", 2, 4, expr="(a + 2*b) % 150"),
    *(_row("mod_mul", "ape", 2, 4, modulus=p) for p in (4, 6, 10)),
    _row("mod_mul", "ape", 2, 4, modulus=6, base=6),
    _row("mod_add", "ape", 2, 4, modulus=30),
    _row("mod_sub", "ape", 2, 4, modulus=100),
    *(
        _row(None, "ape", 2, 4, expr=expr)
        for expr in ("(2*a + b) % 100", "(a + 5*b) % 100", "(4*a + b) % 100", "(2*a + 3*b) % 60")
    ),
    # Once products had been named: forms of one or two digits, and three that ask for more.
    *(
        _row(None, "ape", 2, 4, expr=f"({form}) % {p}")
        for form, p in (
            ("3*a + b", 100),
            ("5*a + b", 100),
            ("a + 4*b", 100),
            ("2*a + 2*b", 100),
            ("3*a + 4*b", 100),
            ("a - 2*b", 100),
            ("a + 2*b", 50),
            ("a + 3*b", 50),
            ("a + 6*b", 100),
            ("a + 7*b", 100),
            ("a + 9*b", 100),
        )
    ),
)
# Shorter inputs after two digits: few pairs of digits were shown.
_SHORTER = (
    _row(None, "ape", 2, 4, expr="(a + b) % 49", base=7),
    _row(None, "ape", 2, 4, expr="a + b + 3", layout="reversed"),
)
# Under APE, three digits up: what a model ignores it has to ignore there too.
_IGNORED = (
    *(_row("mod_add", "ape", n, n + 3, modulus=p) for p, n in _MODULI_ADDED.items() if p < 201),
    *(_row("mod_mul", "ape", 2, 5, modulus=p) for p in (50, 51, 100, 200)),
    _row("mod_mul", "ape", 3, 6, modulus=125),
    _row("mul", "ape", 2, 5),
    *(
        _row(None, "ape", 2, 5, expr=f"({form}) % 100")
        for form in ("4*a + b", "3*a + 4*b", "a - 2*b", "a + 7*b")
    ),
    _row(None, "ape", 2, 5, expr="a + b + c", model="wide"),
)


# Interleaved, with windows that hold the rule and little else, by layers.
def _narrow(pe: str, train: int, window: int, layers: int, **more: Any) -> Row:
    task = None if "expr" in more else "add"
    more |= {"layout": "interleaved", "window": window, "layers": layers}
    return _row(task, pe, train, train + 3, **more)


_CONTEXTS = (
    *(_narrow(pe, 3, 5, 1) for pe in ("rpe", "rope", "t5")),
    *(_narrow(pe, n, 6, 1) for n in (3, 5) for pe in ("rpe", "t5")),
    _narrow("rpe", 4, 7, 1, expr="a + b + c", base=4),
    *(_narrow(pe, 5, 5, 2, base=4) for pe in _RELATIVE),
    *(_narrow(pe, 3, 5, 2, base=4) for pe in ("alibi", "fire", "nope")),
    *(_narrow("nope", n, 5, layers, base=3) for n, layers in ((5, 2), (5, 3), (6, 3), (6, 4))),
    *(_narrow("nope", 3, 5, layers) for layers in (3, 4)),
    replace(_narrow("rpe", 5, 5, 1), test_digits="5,10,20,30"),
)
# Two sums, three products and a linear form, by every recipe: what decides.
_FACTORS = (
    *(_row("mod_add", "ape", 2, 5, modulus=p) for p in (50, 151)),
    *(_row("mod_mul", "ape", 2, 5, modulus=p) for p in (50, 100, 200)),
    _row(None, "ape", 2, 5, expr="(a - 2*b) % 100"),
)
_FULL = (
    *_HEADLINE,
    *_ADDITION,
    *_MODULAR_ADDITION,
    *_EXPRESSIONS,
    *_PRODUCTS,
    *_DATA,
    *_WINDOWS,
    *_LAYOUTS,
    *_DEPTHS,
    *_AT_ONCE,
    *_SHORTER,
)


def _converging(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows but for those that are hard to learn, each once."""
    return tuple(row for row in dict.fromkeys(rows) if row not in _UNCONVERGED)


GRIDS: dict[str, tuple[Row, ...]] = {
    "smoke": tuple(_HEADLINE[i] for i in (0, 1, 7)),
    "headline": _HEADLINE,
    "data": _converging(_DATA),
    "windows": _WINDOWS,
    "leaps": _LEAPS,
    "unconverged": _UNCONVERGED,
    "ignored": _IGNORED,
    "factors": _FACTORS,
    "contexts": _CONTEXTS,
    "full": _converging(_FULL),
}
"""Every named grid.

``smoke`` is the part of ``headline`` that trains in minutes: one cell that fails upward, one that
generalizes, one with a fraction.  ``data`` varies what addition is trained on, ``windows`` how far
a query sees.  ``leaps`` tests how soon a task is learned, ``ignored`` three digits above the
trained ones, ``factors`` six cells by every recipe, ``contexts`` which layers and windows leave one
rule.  ``full`` has all of these but the last four, and every task, encoding, layout and size.
``unconverged`` has cells that were hard to learn: what their models know is shown where they miss
the premise.
"""


def grid(name: str) -> list[Cell]:
    """The cells of a named grid, or of a TOML file (see ``read_grid``).

    Raises:
        InvalidInput: no such grid or file, or a cell that makes no sense or is there twice.
    """
    if name in GRIDS:
        return [row.cell() for row in GRIDS[name]]
    if name.endswith(".toml"):
        return read_grid(name)
    raise unknown_name("grid", name, [*GRIDS, "FILE.toml"])
