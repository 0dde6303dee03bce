"""Rows of the grid of natural lengths: predicted by addresses before any of them was trained."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verify.plan.rows import Row, row, rows

_FOUND_BY_PLACE = ["ape", "sinusoidal", "rpe", "t5", "rope", "alibi", "fire", "nope"]
"""Encodings under which a digit has an index or an offset."""


def _natural(task: str | None, pe: Any, layout: Any, **more: Any) -> list[Row]:
    """Trained on one to five digits, tested on up to ten."""
    return rows(task, pe, "1-5", 10, layout=layout, padding="none", **more)


# Under windows that hold the rule and little else, by layers; the last is tested far beyond.
_WINDOWS = (
    *_natural("add", ["rpe", "t5", "rope"], "interleaved", window=5, layers=1),
    *_natural("add", ["ape", "sinusoidal"], "interleaved", window=5, layers=1),
    *_natural("add", "rpe", "interleaved", window=6, layers=1),
    *_natural("add", ["rpe", "rope"], "interleaved", window=5, layers=2, base=3),
    *_natural("add", ["rope", "ape"], "interleaved", window=5, layers=1, base=6),
    *_natural(None, ["rpe", "rope"], "interleaved", window=7, layers=1, expr="a + b + c"),
    *_natural(None, "rpe", "interleaved", window=5, layers=1, expr="2*a + b"),
    *_natural(None, ["rpe", "ape"], "interleaved", window=3, layers=1, expr="7*a"),
    *(
        replace(x, test_digits="5,10,20,30")
        for x in _natural("add", ["rpe", "ape"], "interleaved", window=5, layers=1)
    ),
)
# The same theorem in other bases and for other rules of finite carry.
_MORE_WINDOWS = (
    *_natural(
        "add",
        ["rpe", "rope", "t5", "ape"],
        "interleaved",
        window=5,
        layers=1,
        base=[2, 4, 5, 7, 8, 12],
    ),
    *_natural(
        None,
        ["rpe", "rope"],
        "interleaved",
        window=5,
        layers=1,
        expr=["3*a + b", "2*a + 3*b", "a + b + 5"],
        base=[4, 10],
    ),
    *_natural(
        None, ["rpe", "rope", "t5"], "interleaved", window=3, layers=1, expr="3*a", base=[4, 7, 10]
    ),
    *_natural(
        None, ["rpe", "rope", "t5"], "interleaved", window=3, layers=1, expr="7*a", base=[4, 7]
    ),
    *_natural(None, ["rope", "t5"], "interleaved", window=3, layers=1, expr="7*a"),
    *_natural(None, ["rpe", "rope"], "interleaved", window=7, layers=1, expr="a + b + c", base=4),
    *_natural("sub", ["rpe", "rope"], "interleaved", window=5, layers=1),
)
# Differences: the borrow of the highest digits has to come out.
_DIFFERENCES = (
    *_natural("sub", ["rpe", "rope", "t5"], "interleaved", window=5, layers=1, base=[3, 5, 7]),
    *_natural(
        None, ["rpe", "rope"], "interleaved", window=5, layers=1, expr=["2*a - b", "a - 2*b"]
    ),
    *_natural(None, ["rpe", "rope"], "interleaved", window=7, layers=1, expr="a + b - c", base=5),
)
# The same rules under learned positions, which start at the first index or at random, and T5.
_RULES: tuple[dict[str, Any], ...] = (
    {"expr": ["3*a + b", "2*a + 3*b"], "window": 5, "base": [4, 10]},
    {"expr": "a + b + 5", "window": 5, "base": 10},
    {"expr": "3*a", "window": 3, "base": [4, 7, 10]},
    {"expr": "7*a", "window": 3, "base": 7},
    {"expr": "a + b + c", "window": 7, "base": [4, 10]},
)
_STARTS = (
    *_natural(
        "add", "shifted", "interleaved", window=5, layers=1, base=[2, 3, 4, 5, 6, 7, 8, 10, 12]
    ),
    *(
        x
        for r in _RULES
        for x in _natural(None, ["shifted", "ape", "t5"], "interleaved", layers=1, **r)
    ),
    *(
        x
        for expr, window, bases in (("2*a + b", 5, [5, 7, 12]), ("5*a", 3, [7, 12]))
        for x in _natural(
            None,
            ["shifted", "ape", "rpe", "rope", "t5"],
            "interleaved",
            layers=1,
            expr=expr,
            window=window,
            base=bases,
        )
    ),
    *_natural("sub", ["shifted", "ape"], "interleaved", window=5, layers=1),
    *_natural("add", "shifted", ["aligned", "reversed", "plain", "hinted"]),
    *_natural("sub", "shifted", "aligned"),
    *_natural(None, "shifted", "aligned", expr=["7*a", "a"]),
)
# Indices that are drawn for each example: no address is new, and none tells a digit.
_RANDOM = (
    *_natural("add", ["randomized", "randomized-fire"], ["aligned", "hinted"]),
    *_natural(
        "add", ["randomized", "randomized-fire"], "interleaved", window=5, layers=1, base=[4, 10]
    ),
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
        for x in (
            *_natural("add", _SPACED_ENCODINGS, "spaced"),
            *_natural("sub", "rpe", "spaced"),
        )
    ),
    row("add", "coupled", "1-4+6", 7, layout="spaced", padding="none"),
)
# Is an address that a formula tells found a little beyond many trained lengths?
_EIGHT = tuple(
    x
    for pe in ("alibi", "fire", "rope", "shifted")
    for x in rows("add", pe, "1-8", 12, layout="aligned", padding="none")
)
# Yes: under encodings by which no query can single out an offset.  How far is that?
_NEAR = tuple(
    x
    for pe in ("alibi", "fire")
    for longest, last in ((6, 9), (12, 18))
    for x in rows("add", pe, f"1-{longest}", last, layout="aligned", padding="none")
)
# Numbers from a random start after more lengths, and tested beyond the last start.
_FAR: dict[str, Any] = {"layout": "aligned", "padding": "none"}
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
    *(row("add", pe, "2,5", 7, layout="aligned", padding="none") for pe in ("rpe", "coupled")),
    *(row("add", pe, "4+5", 7, layout="aligned", padding="none") for pe in ("rpe", "coupled")),
)
