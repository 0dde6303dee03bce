"""Records read back: every value is checked before it is used."""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from functools import lru_cache
from typing import Any

from arith.theory.errors import InvalidInput
from arith.verify.plan.cells import Cell
from arith.verify.plan.plan import PRECISIONS
from arith.verify.records.measurement import Measurement
from arith.verify.records.trajectory import Trajectory

FORMAT = 1
"""Of the records of models; one that does not say its ``format`` has format 1."""


class UnknownField(InvalidInput):
    """A record has a field, or a format, that this version does not know."""


def read_head(data: Any, tail: Set[str]) -> dict[str, Any]:
    """The fields of a run that are numbers or text, and its cell, checked.

    Args:
        tail: fields that the record may have besides.

    Raises:
        InvalidInput: a value that no run can have, or one that is missing.
        UnknownField: a field more, or another format.
    """
    if isinstance(data, dict) and data.get("format", FORMAT) != FORMAT:
        other = json.dumps(data["format"])[:40]
        raise UnknownField(f"format {other} is unknown; this version of arith reads {FORMAT}")
    check_fields(data, {*_HEAD, "cell"}, {"indifference", "noise", "format", *tail})
    head: dict[str, Any] = {"cell": read_cell(data["cell"])}
    if "indifference" in data:
        head["indifference"] = data["indifference"]
        check(_share(data["indifference"]), "indifference must be a number from 0 to 1")
    if "noise" in data:
        shares = data["noise"]
        known = (
            isinstance(shares, list) and len(shares) == len(head["cell"].training_format.tokens) - 1
        )
        check(known and all(map(_share, shares)), "noise must hold a share for each token")
        head["noise"] = tuple(shares)
    for name, (good, what) in _HEAD.items():
        check(good(data[name]), f"{name} must be {what}, not {json.dumps(data[name])[:40]}")
        head[name] = data[name]
    check(data["steps"] <= data["budget"], "steps must not be above budget")
    return head


def read_cell(data: Any) -> Cell:
    """A cell, checked (InvalidInput: it is none)."""
    check(isinstance(data, dict), "cell must be an object")
    return _cell(json.dumps(data, sort_keys=True))


@lru_cache(maxsize=4096)
def _cell(text: str) -> Cell:
    try:
        cell = Cell.from_json(json.loads(text))
    except KeyError as error:
        raise InvalidInput(f"cell lacks {error}") from None
    except (ValueError, TypeError, AttributeError, OverflowError, ZeroDivisionError) as error:
        raise InvalidInput(f"cell: {error}") from None
    unknown = json.loads(text).keys() - cell.to_json().keys()
    if unknown:
        raise UnknownField(f"cell: unknown field '{min(unknown)}'")
    return cell


def read_measurement(data: Any, cell: Cell) -> Measurement:
    """A measurement, checked against its cell (InvalidInput: a value is wrong or missing)."""
    check_fields(data, Measurement.__dataclass_fields__.keys() - {"steady"}, {"steady"})
    if "steady" in data:
        check(_share(data["steady"]), "steady must be a number from 0 to 1")
    digits, samples = data["digits"], data["samples"]
    check(_whole(digits) and digits in cell.setting.test_lengths, "digits: no test length")
    check(_whole(samples) and samples > 0, "samples must be a positive integer")
    check(isinstance(data["exhaustive"], bool), "exhaustive must be true or false")
    width = cell.format_for(digits).result_width
    for whole, name in (("correct", "digit_correct"), ("learned", "digit_learned")):
        right, values = data[whole], data[name]
        if right is None and whole == "learned":
            check(values is None, f"{name} must be null where {whole} is")
            continue
        check(_whole(right) and right <= samples, f"{whole} must be 0 to samples")
        check(isinstance(values, list) and len(values) == width, f"{name} must have {width} items")
        fine = all(_whole(v) and right <= v <= samples for v in values)
        check(fine, f"{name} must be from {whole} to samples")
    found: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    return Measurement(**found)


def read_trajectory(data: Any, cell: Cell) -> Trajectory:
    """A trajectory, checked against its cell (InvalidInput: a value is wrong or missing)."""
    check_fields(data, Trajectory.__dataclass_fields__.keys())
    steps, lengths = data["steps"], {str(n) for n in cell.setting.test_lengths}
    rising = isinstance(steps, list) and all(map(_whole, steps)) and steps == sorted(steps)
    check(rising and steps, "trajectory: steps must rise")
    found: dict[str, Any] = {"learned": None}
    for name in ("correct", "learned"):
        curves = data[name]
        if curves is None and name == "learned":
            continue
        known = isinstance(curves, dict) and set(curves) <= lengths
        check(known, f"trajectory: {name} must hold a list per test length")
        for values in curves.values():
            fine = isinstance(values, list) and len(values) == len(steps)
            check(fine and all(map(_share, values)), f"trajectory: {name} must hold shares")
        found[name] = {int(n): tuple(values) for n, values in curves.items()}
    return Trajectory(tuple(steps), **found)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _share(value: Any) -> bool:
    return _number(value) and value <= 1


_HEAD: dict[str, tuple[Callable[[Any], bool], str]] = {
    "seed": (_whole, "an integer from 0"),
    "recipe": (lambda x: isinstance(x, str), "a text"),
    "precision": (lambda x: x in PRECISIONS, " or ".join(PRECISIONS)),
    "premise": (_share, "a number from 0 to 1"),
    "held_out": (lambda x: _whole(x) and x > 0, "a positive integer"),
    "steps": (_whole, "an integer from 0"),
    "budget": (_whole, "an integer from 0"),
    "seconds": (_number, "a number from 0"),
    "machine": (lambda x: isinstance(x, str), "a text"),
}


def check_fields(data: Any, wanted: Set[str], optional: Set[str] = frozenset()) -> None:
    """Check that a record is an object that has the fields that it should have, and no other.

    Raises:
        InvalidInput: it is none, or a field is missing.
        UnknownField: there is one more.
    """
    check(isinstance(data, dict), "it is no object of JSON")
    lacking, unknown = wanted - data.keys(), data.keys() - wanted - optional
    if lacking:
        raise InvalidInput(f"it lacks '{min(lacking)}'")
    if unknown:
        raise UnknownField(f"unknown field '{min(unknown)}'")


def check(fine: Any, message: str) -> None:
    if not fine:
        raise InvalidInput(message)
