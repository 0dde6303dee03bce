"""Grids: named lists of cells."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from arith.theory.errors import unknown_name
from arith.verify.plan.cells import Cell
from arith.verify.plan.natural_rows import NATURAL
from arith.verify.plan.recipe import DENSE, Recipe
from arith.verify.plan.relative_rows import CONTEXTS, PREDICTED, RELATIVE, WINDOWS
from arith.verify.plan.rows import Row, read_grid, read_row, row, rows
from arith.verify.plan.unconverged_rows import UNCONVERGED

_HEADLINE = (
    row("add", "ape", 3, 5),
    row("add", "rpe", 3, 6, layout="interleaved", window=5, layers=1),
    row("add", "rpe", 3, 5),
    *rows("mod_add", ["ape", "rpe"], 3, 5, modulus=100),
    *rows("mod_add", "ape", 2, 4, modulus=[101, 150]),
    row("mod_mul", "ape", 2, 4, modulus=50),
)

_OTHERS = ["sinusoidal", "rope", "t5", "alibi", "fire", "nope", "abacus", "coupled"]
_ADDITION = (
    *rows("add", _OTHERS, 3, 5),
    *rows("add", "ape", 3, 5, layout=["reversed", "interleaved"]),
    *rows("add", RELATIVE[1:], 3, 6, layout="interleaved", window=6),
    row("add", "ape", 2, 4),
    row("add", "ape", "2+3", 5),
    *rows("add", "ape", 3, 5, layout=["plain", "bare"]),
    row("add", "ape", 3, 5, model="nano"),
    row("add", "rpe", 3, 6, layout="interleaved", window=6, model="nano"),
    row("add", "ape", 3, 5, model="micro"),
)
_MODULI_ADDED = {50: 2, 51: 2, 100: 2, 101: 3, 150: 3, 151: 2, 200: 3, 201: 2}
"""The moduli of the paper's tables, and how many digits are trained on."""
_MODULAR_ADDITION = (
    *(row("mod_add", "ape", n, n + 2, modulus=p) for p, n in _MODULI_ADDED.items()),
    *rows("mod_add", "ape", 3, 5, modulus=[101, 150], model="wide"),
    *rows("mod_add", "rpe", 2, 4, modulus=[50, 101, 150]),
    row("mod_add", "rpe", 3, 5, modulus=200),
    *rows("mod_add", _OTHERS, 3, 5, modulus=100),
    # The causal mask hides what training kept constant.
    *rows("mod_add", ["rpe", "rope"], 3, 5, modulus=100, layout="interleaved"),
    row("mod_add", "ape", 3, 5, modulus=100, model="nano"),
    *rows("mod_add", "ape", 2, 4, modulus=[101, 150], model="nano"),
)
_PRODUCTS = (
    row("mul", "ape", 2, 4),
    row("mul", "ape", "1+2", 4),
    row("mul", "ape", 2, 4, layout="reversed"),
    *rows("mul", ["rpe", "rope"], 2, 4),
    *rows("mod_mul", "ape", 2, 4, modulus=[51, 100, 150, 200]),
    *rows("mod_mul", "rpe", 2, 4, modulus=[50, 100]),
    row("mod_mul", "ape", 2, 4, modulus=50, model="micro"),
    *rows("mod_mul", "ape", 3, 5, modulus=[50, 100], test_domain="every"),
    # Hard to learn, and here all the same: it is the example that everybody asks for first.
    row("mod_mul", "ape", 3, 6, modulus=125),
)
_EXPRESSIONS = (
    *rows(None, "ape", 2, 4, expr=["a + b + c", "(a + b + c) % 100"], model=["pico", "wide"]),
    row(None, "rpe", 3, 6, expr="a + b + c", layout="interleaved", window=8),
    row(None, "ape", 3, 5, expr="(2*a + 3*b) % 12", base=6),
    *rows("add", "ape", 3, 5, base=[2, 3, 4, 6]),
    row("add", "rpe", 3, 6, base=6, layout="interleaved", window=6),
    # The least windows that hold the rule, under encodings that cannot single out an offset.
    *rows(None, ["alibi", "fire"], 3, 6, expr="a + b + c", layout="interleaved", window=7),
    *rows("add", ["alibi", "fire"], 3, 6, base=6, layout="interleaved", window=5),
)
_DATA = (
    row("add", "ape", 3, 5, train_domain="every"),
    row("mod_add", "ape", 3, 5, modulus=100, train_domain="every"),
    row("add", "ape", 3, 5, train_allowed=("1:6-9", "2:6-9", "3:6-9")),
    row("add", "ape", 3, 5, train_allowed=("2:0,1,2,3,4,6,7,8,9",)),
    *(row("add", "ape", 3, 5, train_allowed=(f"2:{d}",)) for d in ("4", "5", "9", "0-4", "5-9")),
    *(row("add", "ape", 3, 5, train_priming=(f"5:{x}",)) for x in ("0.001", "0.01", "0.1")),
    *rows("add", "ape", 3, 5, train_pairs=[1000, 3000, 10_000, 30_000, 100_000]),
)
_SEPARATE = ["aligned", "plain", "reversed"]  # operands one after the other, signs between them
# The ignored digits stand after the digits that count, or before.
_LAYOUTS = (
    *rows("mod_mul", "ape", 2, 4, modulus=[50, 100, 150, 200], layout=_SEPARATE),
    *(
        each
        for form in ("aligned", "plain")
        for each in (
            row("mod_mul", "ape", 2, 4, modulus=51, layout=form),
            row("mod_mul", "ape", 3, 5, modulus=100, test_domain="every", layout=form),
            *rows("mod_add", "ape", 3, 5, modulus=[101, 200], layout=form),
            row("mod_add", "ape", 3, 5, modulus=101, layout=form, model="wide"),
            row(None, "ape", 2, 4, expr="a + b + c", layout=form, model="wide"),
        )
    ),
)
# The same by depth: two layers (the size of products by default) and four, of one width.
_DEPTHS = (
    *rows("mod_mul", "ape", 2, 4, model=[None, "micro"], modulus=[51, 150, 200]),
    *(
        each
        for model in ("wide", "micro")
        for each in (
            row("mod_add", "ape", 3, 5, modulus=101, model=model),
            row(None, "ape", 2, 4, expr="a + b + c", model=model),
        )
    ),
)
# Sums that ask for two digits at once (400, 500; 36, 108), and for more (300; 35, 72).
_LEAPS = (
    *rows("mod_add", "ape", 3, 5, modulus=[300, 400, 500]),
    *rows("mod_add", "ape", 3, 5, modulus=[36, 108, 35, 72], base=6),
)


def _linear(modulus: int, *forms: str, test: int = 4) -> list[Row]:
    """Linear forms under a modulus, after two digits."""
    return rows(None, "ape", 2, test, expr=[f"({form}) % {modulus}" for form in forms])


# Products that ask for one or two digits at once, such that ask for more (15, 25, 75, 120), and
# linear forms, all of one or two.
_AT_ONCE = (
    *rows("mod_mul", "ape", 2, 4, modulus=[12, 20, 30, 60, 15, 25, 75, 120]),
    *rows("mod_mul", "ape", 2, 4, modulus=[24, 36], base=6),
    row("mod_add", "ape", 2, 4, modulus=170),
    *_linear(150, "a + 2*b"),
    *rows("mod_mul", "ape", 2, 4, modulus=[4, 6, 10]),
    row("mod_mul", "ape", 2, 4, modulus=6, base=6),
    row("mod_add", "ape", 2, 4, modulus=30),
    row("mod_sub", "ape", 2, 4, modulus=100),
    *_linear(100, "2*a + b", "a + 5*b", "4*a + b"),
    *_linear(60, "2*a + 3*b"),
    # Once products had been named: forms of one or two digits, and three that ask for more.
    *_linear(100, "3*a + b", "5*a + b", "a + 4*b", "2*a + 2*b", "3*a + 4*b", "a - 2*b"),
    *_linear(50, "a + 2*b", "a + 3*b"),
    *_linear(100, "a + 6*b", "a + 7*b", "a + 9*b"),
)
# Shorter inputs after two digits: few pairs of digits were shown.
_SHORTER = (
    row(None, "ape", 2, 4, expr="(a + b) % 49", base=7),
    row(None, "ape", 2, 4, expr="a + b + 3", layout="reversed"),
)
# Under APE, three digits up: what a model ignores it has to ignore there too.
_IGNORED = (
    *(row("mod_add", "ape", n, n + 3, modulus=p) for p, n in _MODULI_ADDED.items() if p < 201),
    *rows("mod_add", "ape", 3, 6, modulus=[101, 150, 200], model="wide"),
    *rows("mod_mul", "ape", 2, 5, modulus=[50, 51, 100, 200]),
    row("mod_mul", "ape", 3, 6, modulus=125),
    row("mul", "ape", 2, 5),
    *_linear(100, "4*a + b", "3*a + 4*b", "a - 2*b", "a + 7*b", test=5),
    row(None, "ape", 2, 5, expr="a + b + c", model="wide"),
)
# Two sums, three products and a linear form, by every recipe: what decides.
_FACTORS = (
    *rows("mod_add", "ape", 2, 5, modulus=[50, 151]),
    *rows("mod_mul", "ape", 2, 5, modulus=[50, 100, 200]),
    *_linear(100, "a - 2*b", test=5),
)
# Sums after two digits whose accuracy on longer inputs is a fraction, by base.
_FRACTIONS = (
    *rows("mod_add", "ape", 2, 4, modulus=[6, 8, 30, 40, 60, 70, 75, 80, 90]),
    *rows("mod_add", "ape", 2, 4, modulus=[110, 125, 175, 180, 250]),
    *rows("mod_add", "ape", 2, 4, modulus=[21, 27, 40, 54, 64, 96, 108, 132], base=12),
    *rows("mod_add", "ape", 2, 4, modulus=[24, 40, 56, 96], base=8),
    *rows("mod_add", "ape", 2, 4, modulus=[18, 36, 54, 63, 108, 135], base=9),
)
# In base 2, where every operand has as many digits as trained: the highest one was always 1.
_BINARY: dict[str, Any] = {"base": 2, "train_domain": "every"}
_CONSTANTS = (
    *rows("add", "ape", 7, 8, layout=[*_SEPARATE, "interleaved"], **_BINARY),
    row(None, "ape", 5, 6, expr="a + b + c", **_BINARY),
    *rows(None, "ape", 7, 8, expr=["2*a + b", "3*a + b", "a + b + 3"], **_BINARY),
    *rows("mod_add", "ape", 7, 8, modulus=[24, 96], **_BINARY),
)
# What the paper's models had learned, in its layout, padding and test domains.
_AS_PUBLISHED: dict[str, Any] = {"layout": "reversed", "width": 20}
_PUBLISHED = (
    *(row("add", "ape", n, 9, **_AS_PUBLISHED) for n in ("4", "5", "6", "4+5", "5+6", "6+7")),
    row("add", "ape", 4, 9, train_domain="every", **_AS_PUBLISHED),
    *(row("mul", "ape", n, 9, **_AS_PUBLISHED) for n in ("1+2", "2")),
    *rows("mod_mul", "ape", 3, 9, modulus=[50, 51, 100], test_domain="every", **_AS_PUBLISHED),
    *rows(
        *("mod_add", "ape", "1-4", 9),
        modulus=150,
        test_domain="every",
        model=["pico", "wide"],
        **_AS_PUBLISHED,
    ),
)
_FULL = (
    *_HEADLINE,
    *_ADDITION,
    *_MODULAR_ADDITION,
    *_EXPRESSIONS,
    *_PRODUCTS,
    *_DATA,
    *WINDOWS,
    *_LAYOUTS,
    *_DEPTHS,
    *_AT_ONCE,
    *_SHORTER,
)


def _converging(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows but for those that are hard to learn, each once."""
    return tuple(x for x in dict.fromkeys(rows) if x not in UNCONVERGED)


@cache
def _drawn() -> tuple[Row, ...]:
    text = Path(__file__).with_name("drawn.toml").read_text(encoding="utf-8")
    return tuple(map(read_row, tomllib.loads(text)["cell"]))


class _Grids(Mapping[str, tuple[Row, ...]]):
    """Rows by the name of their grid; those of a file are read when that grid is asked for."""

    def __init__(self, **rows: tuple[Row, ...] | Callable[[], tuple[Row, ...]]) -> None:
        self._rows = rows

    def __getitem__(self, name: str) -> tuple[Row, ...]:
        rows = self._rows[name]
        return rows if isinstance(rows, tuple) else rows()

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


GRIDS = _Grids(
    smoke=tuple(_HEADLINE[i] for i in (0, 1, 6)),
    headline=_HEADLINE,
    data=_converging(_DATA),
    windows=WINDOWS,
    leaps=_LEAPS,
    unconverged=UNCONVERGED,
    ignored=_IGNORED,
    factors=_FACTORS,
    contexts=CONTEXTS,
    relative=PREDICTED,
    fractions=_FRACTIONS,
    constants=_CONSTANTS,
    natural=NATURAL,
    published=_PUBLISHED,
    drawn=_drawn,
    full=_converging(_FULL),
)
"""Every named grid.

``smoke`` is the part of ``headline`` that trains in minutes: one cell that fails upward, one that
generalizes, one with a fraction.  ``data`` varies what addition is trained on, ``windows`` how far
a query sees.  ``leaps`` tests how soon a task is learned, ``ignored`` three digits above the
trained ones, ``factors`` six cells by every recipe, ``contexts`` which layers and windows leave one
rule, ``relative`` cells off APE, predicted before any rule had seen them, ``fractions`` sums that
longer inputs get right now and then, ``constants`` a digit that is the same in all of training,
``natural`` numbers of natural length, ``published`` the paper's own cells, ``drawn`` cells drawn at
random (``verify.plan.draw``).
``full`` has ``headline``, ``data`` and ``windows``, and most tasks, encodings, layouts and
sizes.
``unconverged`` has cells that were hard to learn: what their models know is shown where they miss
the premise.
"""


_DENSE = ("factors", "leaps", "relative", "fractions", "constants", "published")


def recipe_of(name: str | None) -> Recipe | None:
    """How all models of a grid are trained where no recipe is asked for; None: as usual.

    Some were measured before noise was learned by place, and keep their recipe, so that their
    evidence stands; ``factors`` also because single changes were made to that.
    """
    return DENSE if name in _DENSE else None


def grid(name: str, model: str | None = None) -> list[Cell]:
    """The cells of a named grid, each once, or of a TOML file (see ``read_grid``).

    Args:
        model: a size for all of them, in place of their own.

    Raises:
        InvalidInput: no such grid or file, or a cell that makes no sense or is there twice.
    """
    if name in GRIDS:
        cells = [x.cell() for x in GRIDS[name]]
    elif name.endswith(".toml"):
        cells = read_grid(name)
    else:
        raise unknown_name("grid", name, [*GRIDS, "FILE.toml"])
    return list(dict.fromkeys(x if model is None else Cell(x.setting, model) for x in cells))
