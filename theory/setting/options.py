"""Options of a setting: how each is described, read from words, and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from arith.theory.errors import InvalidInput

LARGEST_DIGITS = 200
"""The longest operand to train on."""
LARGEST_TEST = 1000
"""The longest operand to test on."""
MOST_NUMBERS = 10_000
"""The most numbers that a list, as that of moduli, may have."""
WHERE_SET, IN_CELLS, ALWAYS = range(3)
"""Where an option is written: only where it differs from its default; in the JSON of cells always;
there and in commands always."""
_SHARE = re.compile(r"[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}", re.I)
"""A share, short enough to be written out: ``1e1000000000`` would fill the memory."""


@dataclass(frozen=True)
class Option:
    """What there is to say of one option.

    Args:
        help: for ``--help`` and the page on usage.
        part: the field of ``Setting`` that holds the value, with ``train.`` before a field of the
            training domain; empty for the options that name the task together.
        written: ``WHERE_SET``, ``IN_CELLS`` or ``ALWAYS``.
        read: makes the value of a text; its other arguments say where that stands, for an error,
            and the base.
        names: the names that the option takes, if it takes names.
        example: of one text, if the option takes several, each a number with what belongs to it.
        joined: what stands between two lengths in a command, if the option takes lengths.
    """

    help: str
    part: str = ""
    written: int = WHERE_SET
    read: Callable[[Any, str, int], Any] = lambda words, option, base: words
    names: Collection[str] = ()
    example: str = ""
    joined: str = ""

    def value(self, words: Any, option: str, base: int) -> Any:
        """The value of what the command line gives."""
        if self.example:
            return tuple(self.read(text, f"{option} '{text}'", base) for text in words)
        return self.read(words, option, base)

    def words(self, value: Any) -> list[str]:
        """The value for the command line; one text for each time that the option is given."""
        if self.example:
            return [f"{number}:{self._word(other)}" for number, other in value]
        return [self._word(value)]

    def _word(self, value: Any) -> str:
        if isinstance(value, tuple):
            return (self.joined or ",").join(map(str, value))
        return str(getattr(value, "name", value))

    def to_json(self, value: Any) -> Any:
        """The value for the JSON of a cell."""
        if self.example:
            return {str(n): list(x) if isinstance(x, tuple) else str(x) for n, x in value}
        return list(value) if isinstance(value, tuple) else getattr(value, "name", value)

    def from_json(self, data: Any) -> Any:
        """The value that ``to_json`` wrote."""
        if self.example:
            return tuple(
                (int(n), tuple(x) if isinstance(x, list) else Fraction(x)) for n, x in data.items()
            )
        return tuple(data) if isinstance(data, list) else self.read(data, "", 0)


def option(default: Any, *description: Any, **more: Any) -> Any:
    """A field of a dataclass that is an option, described by the fields of ``Option``."""
    return field(default=default, metadata={"option": Option(*description, **more)})


def options_of(request: Any) -> dict[str, Option]:
    """The options of a dataclass (or of one of its objects), by the names of its fields."""
    return {f.name: f.metadata["option"] for f in fields(request)}


def flag(name: str) -> str:
    """How the option of that name is given: ``--train-digits``."""
    return "--" + name.replace("_", "-")


def read_lengths(text: str, option: str, largest: int = LARGEST_DIGITS) -> tuple[int, ...]:
    """``4+5``, ``1,3`` and ``1-6`` as lengths (InvalidInput: others, or one out of range)."""
    try:
        lengths = _read_ranges(text)
        if min(lengths) < 1 or max(lengths) > largest:
            raise ValueError
    except ValueError:
        raise InvalidInput(
            f"{option} '{text}' is no list of lengths from 1 to {largest}, "
            "such as 3, 4+5, 1,3 or 1-6"
        ) from None
    return lengths


def read_numbers(text: str, option: str) -> tuple[int, ...]:
    """``2..400`` and ``100,101`` as numbers (InvalidInput: others, or too many)."""
    try:
        return _read_ranges(text)
    except ValueError:
        raise InvalidInput(
            f"{option} '{text}' is no list of at most {MOST_NUMBERS:,} numbers, as in 2..400 or 5,7"
        ) from None


def _read_ranges(text: str) -> tuple[int, ...]:
    """``4+5``, ``1,3``, ``1-6`` and ``1..6`` as numbers (ValueError: others, or too many)."""
    numbers: list[int] = []
    for part in text.replace("+", ",").replace("..", "-").split(","):
        low, dash, high = part.strip().partition("-")
        first, last = int(low), int(high if dash else low)
        if last < first or len(numbers) + last - first >= MOST_NUMBERS:
            raise ValueError
        numbers += range(first, last + 1)
    return tuple(numbers)


def read_share(text: str, where: str, _: int) -> tuple[int, Fraction]:
    """A length with its share, from text such as ``6:0.01`` (InvalidInput: other text)."""
    try:
        before, after = text.split(":")
        if not _SHARE.fullmatch(after.strip()):
            raise ValueError
        length, share = int(before), Fraction(after)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(f"{where} is not LENGTH:SHARE, as in 6:0.01") from None
    if not 1 <= length <= LARGEST_DIGITS:
        raise InvalidInput(f"{where}: lengths go from 1 to {LARGEST_DIGITS}")
    return length, share


def read_allowed(text: str, where: str, base: int) -> tuple[int, tuple[int, ...]]:
    """A position with the digits allowed there, from text such as ``2:6-9`` (InvalidInput)."""
    try:
        before, after = text.split(":")
        position, digits = int(before), tuple(sorted(set(_read_ranges(after))))
    except ValueError:
        raise InvalidInput(f"{where} is not POSITION:DIGITS, as in 2:6-9 or 1:0,5") from None
    if not 1 <= position <= LARGEST_DIGITS:
        raise InvalidInput(f"{where}: positions start at 1 (the units) and end at {LARGEST_DIGITS}")
    if digits[-1] >= base:
        raise InvalidInput(f"{where}: {digits[-1]} is no digit of base {base}")
    return position, digits
