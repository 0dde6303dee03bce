"""Rows of the grid of natural lengths: predicted by addresses before any of them was trained."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arith.verify.plan.rows import Row, row, rows

_FOUND_BY_PLACE = ["ape", "sinusoidal", "rpe", "t5", "rope", "alibi", "fire", "nope"]
"""Encodings under which a digit has an index or an offset."""


def _natural(task: str | None, pe: Any, layout: Any, **more: Any) -> list[Row]:
    """Trained on one to five digits, tested on up to ten."""
    return rows(task, pe, "1-5", 10, layout=layout, padding="none", **more)


def _narrow(task: str | None, pe: Any, window: int, layers: int = 1, **more: Any) -> list[Row]:
    """The same interleaved, under a window that holds the rule and little else."""
    return _natural(task, pe, "interleaved", window=window, layers=layers, **more)


# The last is tested far beyond.
_WINDOWS = (
    *_narrow("add", ["rpe", "t5", "rope"], 5),
    *_narrow("add", ["ape", "sinusoidal"], 5),
    *_narrow("add", "rpe", 6),
    *_narrow("add", ["rpe", "rope"], 5, layers=2, base=3),
    *_narrow("add", ["rope", "ape"], 5, base=6),
    *_narrow(None, ["rpe", "rope"], 7, expr="a + b + c"),
    *_narrow(None, "rpe", 5, expr="2*a + b"),
    *_narrow(None, ["rpe", "ape"], 3, expr="7*a"),
    *(replace(x, test_digits="5,10,20,30") for x in _narrow("add", ["rpe", "ape"], 5)),
)
# The same theorem in other bases and for other rules of finite carry.
_LINEAR = ["3*a + b", "2*a + 3*b", "a + b + 5"]
_MORE_WINDOWS = (
    *_narrow("add", ["rpe", "rope", "t5", "ape"], 5, base=[2, 4, 5, 7, 8, 12]),
    *_narrow(None, ["rpe", "rope"], 5, expr=_LINEAR, base=[4, 10]),
    *_narrow(None, ["rpe", "rope", "t5"], 3, expr="3*a", base=[4, 7, 10]),
    *_narrow(None, ["rpe", "rope", "t5"], 3, expr="7*a", base=[4, 7]),
    *_narrow(None, ["rope", "t5"], 3, expr="7*a"),
    *_narrow(None, ["rpe", "rope"], 7, expr="a + b + c", base=4),
    *_narrow("sub", ["rpe", "rope"], 5),
)
# Differences: the borrow of the highest digits has to come out.
_DIFFERENCES = (
    *_narrow("sub", ["rpe", "rope", "t5"], 5, base=[3, 5, 7]),
    *_narrow(None, ["rpe", "rope"], 5, expr=["2*a - b", "a - 2*b"]),
    *_narrow(None, ["rpe", "rope"], 7, expr="a + b - c", base=5),
)
# The same rules under learned positions, which start at the first index or at random, and T5.
_LEARNED = ["shifted", "ape", "t5"]
_STARTS = (
    *_narrow("add", "shifted", 5, base=[2, 3, 4, 5, 6, 7, 8, 10, 12]),
    *_narrow(None, _LEARNED, 5, expr=_LINEAR[:2], base=[4, 10]),
    *_narrow(None, _LEARNED, 5, expr="a + b + 5", base=10),
    *_narrow(None, _LEARNED, 3, expr="3*a", base=[4, 7, 10]),
    *_narrow(None, _LEARNED, 3, expr="7*a", base=7),
    *_narrow(None, _LEARNED, 7, expr="a + b + c", base=[4, 10]),
    *_narrow(None, ["shifted", "ape", "rpe", "rope", "t5"], 5, expr="2*a + b", base=[5, 7, 12]),
    *_narrow(None, ["shifted", "ape", "rpe", "rope", "t5"], 3, expr="5*a", base=[7, 12]),
    *_narrow("sub", ["shifted", "ape"], 5),
    *_natural("add", "shifted", ["aligned", "reversed", "plain", "hinted"]),
    *_natural("sub", "shifted", "aligned"),
    *_natural(None, "shifted", "aligned", expr=["7*a", "a"]),
)
# Indices that are drawn for each example: no address is new, and none tells a digit.
_RANDOM = (
    *_natural("add", ["randomized", "randomized-fire"], ["aligned", "hinted"]),
    *_narrow("add", ["randomized", "randomized-fire"], 5, base=[4, 10]),
)
# The carry is written before each digit, which moves no operand digit.
_SCRATCHPADS = (
    *_natural("add", ["ape", "shifted", "rpe", "t5", "rope", "coupled"], "scratchpad"),
    *_natural("sub", "rpe", "scratchpad"),
    *_natural(None, "rpe", "scratchpad", expr=["a + b + c", "2*a + 3*b", "7*a"]),
)
# Spaces at random show more addresses: how far do models go on, and is none found beyond them?
_SPACED_ENCODINGS = ["ape", "rpe", "t5", "rope", "alibi", "nope", "coupled", "abacus"]
_SPACES = (
    *(
        replace(x, test_digits="1-8,10,12,14")
        for x in _natural("add", _SPACED_ENCODINGS, "spaced") + _natural("sub", "rpe", "spaced")
    ),
    row("add", "coupled", "1-4+6", 7, layout="spaced", padding="none"),
)
_FAR: dict[str, Any] = {"layout": "aligned", "padding": "none"}
# Is an address that a formula tells found a little beyond many trained lengths?
_EIGHT = [row("add", pe, "1-8", 12, **_FAR) for pe in ("alibi", "fire", "rope", "shifted")]
# Yes: under encodings by which no query can single out an offset.  How far is that?
_NEAR = [
    row("add", pe, f"1-{longest}", last, **_FAR)
    for pe in ("alibi", "fire")
    for longest, last in ((6, 9), (12, 18))
]
# Numbers from a random start after more lengths, and tested beyond the last start.
_NUMBERED = (
    Row("add", pe="coupled", train_digits="1-10", test_digits="10-14,20,45", layers=1, **_FAR),
    Row("add", pe="coupled", train_digits="1-10", test_digits="10-14,20,45", **_FAR),
    Row("add", pe="abacus", train_digits="1-8", test_digits="8-12,16,45", **_FAR),
)
NATURAL = (
    *_WINDOWS,
    *_MORE_WINDOWS,
    *_DIFFERENCES,
    *_STARTS,
    *_RANDOM,
    *_SCRATCHPADS,
    *_SPACES,
    *_EIGHT,
    *_NEAR,
    *_NUMBERED,
    *_natural("add", _FOUND_BY_PLACE, ["aligned", "reversed", "plain"]),
    *_natural("add", "abacus", ["aligned", "reversed", "plain"]),
    *_natural("add", "coupled", ["aligned", "reversed"]),
    *_natural("add", [*_FOUND_BY_PLACE, "abacus", "coupled"], "hinted"),
    *(
        each
        for pe in ("rpe", "rope", "nope", "coupled")
        for each in (
            *_natural("sub", pe, "aligned"),
            *_natural(None, pe, "aligned", expr=["a + b + c", "2*a + 3*b", "7*a", "a"]),
        )
    ),
    # Without a local rule: products, and the parity of the digits' sum.
    *_natural("mul", ["ape", "rpe", "coupled"], "aligned"),
    *_natural(None, ["ape", "rpe", "nope"], "aligned", expr="a % 2", base=3),
    # Lengths between and below the trained ones.
    *(row("add", pe, n, 7, **_FAR) for n in ("2,5", "4+5") for pe in ("rpe", "coupled")),
)
