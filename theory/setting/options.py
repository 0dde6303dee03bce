"""Options of a setting: one description each, and how the values of each kind are written.

A value has three written forms: words of the command line, a value in a TOML grid, and JSON in
the identity of a cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from theory.errors import InvalidInput

LARGEST_DIGITS = 100
"""The longest operand to train on."""
LARGEST_TEST = 1000
"""The longest operand to test on."""
MOST_NUMBERS = 10_000
"""The most numbers that a list, as that of moduli, may have."""
_SHARE = re.compile(r"[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}", re.I)
"""A share, short enough to be written out: ``1e1000000000`` would fill the memory."""


class Kind:
    """A kind of values; this one is for texts and numbers, which are written as they are.

    Args:
        type: of the values in a TOML grid.
        takes: what may stand there, in words.
        names: the names that are allowed, for ``--help`` and completion.
    """

    def __init__(self, type: type = str, takes: str = "text", names: Collection[str] = ()) -> None:
        self.type, self.takes, self.names = type, takes, names

    def read(self, words: Any, option: str, base: int) -> Any:
        """The value for what was given on the command line.

        Args:
            option: the name of the option, for the error.
            base: of the digits.

        Raises:
            InvalidInput: it cannot be read.
        """
        return words

    def words(self, value: Any) -> list[str]:
        """The value for the command line; one text for each time that the option is given."""
        return [str(value)]

    def from_toml(self, data: Any) -> Any:
        """What the command line would give for a value of a TOML grid.

        Raises:
            TypeError: the value is not of this kind.
        """
        if type(data) is not self.type:
            raise TypeError
        return data

    def to_json(self, value: Any) -> Any:
        """The value as JSON."""
        return value

    def from_json(self, data: Any) -> Any:
        """The value that ``to_json`` wrote."""
        return data


class Named(Kind):
    """A row of a registry, written by its name.

    Args:
        find: gives the row of a name.
    """

    def __init__(self, find: Callable[[str], Any], names: Collection[str]) -> None:
        super().__init__(names=names)
        self.find = find

    def read(self, words: str, option: str, base: int) -> Any:
        return self.find(words)

    def words(self, value: Any) -> list[str]:
        return [value.name]

    def to_json(self, value: Any) -> str:
        return value.name

    def from_json(self, data: str) -> Any:
        return self.find(data)


class Lengths(Kind):
    """Numbers of digits, as a text such as ``4+5`` or ``1-6``.

    Args:
        largest: the largest number allowed.
        joined: what stands between two of them in a command.
    """

    def __init__(self, largest: int, joined: str) -> None:
        super().__init__(takes="a number, a list of numbers, or text such as '1-6'")
        self.largest, self.joined = largest, joined

    def read(self, words: str | None, option: str, base: int) -> tuple[int, ...]:
        return () if words is None else read_lengths(words, option, self.largest)

    def words(self, value: tuple[int, ...]) -> list[str]:
        return [self.joined.join(map(str, value))]

    def from_toml(self, data: Any) -> str:
        if isinstance(data, list):
            return ",".join(map(str, data))
        if isinstance(data, int | str) and not isinstance(data, bool):
            return str(data)
        raise TypeError

    def to_json(self, value: tuple[int, ...]) -> list[int]:
        return list(value)

    def from_json(self, data: list[int]) -> tuple[int, ...]:
        return tuple(data)


class _Pairs(Kind):
    """Pairs of a number and something else, each written ``number:something``."""

    def __init__(self, example: str) -> None:
        super().__init__(takes=f"a list of texts, as in ['{example}']")

    def read(self, words: tuple[str, ...], option: str, base: int) -> tuple[Any, ...]:
        return tuple(self.pair(text, f"{option} '{text}'", base) for text in words)

    def pair(self, text: str, where: str, base: int) -> tuple[int, Any]:
        """One pair.

        Args:
            where: the option and the text, for the error.

        Raises:
            InvalidInput: the text is no such pair.
        """
        raise NotImplementedError

    def from_toml(self, data: Any) -> tuple[str, ...]:
        if isinstance(data, list) and all(isinstance(x, str) for x in data):
            return tuple(data)
        raise TypeError


class Shares(_Pairs):
    """Lengths with the share of each, written ``6:0.01``."""

    def pair(self, text: str, where: str, base: int) -> tuple[int, Fraction]:
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

    def words(self, value: tuple[tuple[int, Fraction], ...]) -> list[str]:
        return [f"{length}:{share}" for length, share in value]

    def to_json(self, value: tuple[tuple[int, Fraction], ...]) -> dict[str, str]:
        return {str(length): str(share) for length, share in value}

    def from_json(self, data: dict[str, str]) -> tuple[tuple[int, Fraction], ...]:
        return tuple((int(length), Fraction(share)) for length, share in data.items())


class DigitSets(_Pairs):
    """Positions with the digits allowed at each, written ``2:6-9``."""

    def pair(self, text: str, where: str, base: int) -> tuple[int, tuple[int, ...]]:
        try:
            before, after = text.split(":")
            position, digits = int(before), tuple(sorted(set(_read_ranges(after))))
        except ValueError:
            raise InvalidInput(f"{where} is not POSITION:DIGITS, as in 2:6-9 or 1:0,5") from None
        if not 1 <= position <= LARGEST_DIGITS:
            raise InvalidInput(
                f"{where}: positions start at 1 (the units) and end at {LARGEST_DIGITS}"
            )
        if digits[-1] >= base:
            raise InvalidInput(f"{where}: {digits[-1]} is no digit of base {base}")
        return position, digits

    def words(self, value: tuple[tuple[int, tuple[int, ...]], ...]) -> list[str]:
        return [f"{position}:{','.join(map(str, digits))}" for position, digits in value]

    def to_json(self, value: tuple[tuple[int, tuple[int, ...]], ...]) -> dict[str, list[int]]:
        return {str(position): list(digits) for position, digits in value}

    def from_json(self, data: dict[str, list[int]]) -> tuple[tuple[int, tuple[int, ...]], ...]:
        return tuple((int(position), tuple(digits)) for position, digits in data.items())


@dataclass(frozen=True)
class Option:
    """What there is to say of one option.

    Args:
        help: for ``--help``.
        kind: how its values are written.
        part: the field of ``Setting`` that holds the value, with ``train.`` before a field of the
            training domain; empty for what is no field of its own.
        in_commands: commands name it even where it has its default.
        in_cells: the JSON of a cell has it even where it has its default.
    """

    help: str
    kind: Kind
    part: str = ""
    in_commands: bool = False
    in_cells: bool = False


def option(default: Any, *description: Any, **more: Any) -> Any:
    """A field of a dataclass that is an option; what follows the default is that of ``Option``."""
    return field(default=default, metadata={"option": Option(*description, **more)})


def options_of(request: Any) -> dict[str, Option]:
    """The options of a dataclass (or of one of its objects), by the names of its fields."""
    return {f.name: f.metadata["option"] for f in fields(request)}


def flag(name: str) -> str:
    """How the option of that name is given: ``--train-digits``."""
    return "--" + name.replace("_", "-")


def read_lengths(text: str, option: str, largest: int = LARGEST_DIGITS) -> tuple[int, ...]:
    """``4+5``, ``1,3`` and ``1-6`` as lengths.

    Raises:
        InvalidInput: anything else, or a length out of range.
    """
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
    """``2..400`` and ``100,101`` as numbers.

    Raises:
        InvalidInput: anything else, or more than ``MOST_NUMBERS``.
    """
    try:
        return _read_ranges(text)
    except ValueError:
        raise InvalidInput(
            f"{option} '{text}' is no list of at most {MOST_NUMBERS:,} numbers, as in 2..400 or 5,7"
        ) from None


def _read_ranges(text: str) -> tuple[int, ...]:
    """``4+5``, ``1,3``, ``1-6`` and ``1..6`` as numbers.

    Raises:
        ValueError: anything else, a range that runs backwards, or more than ``MOST_NUMBERS``.
    """
    numbers: list[int] = []
    for part in text.replace("+", ",").replace("..", "-").split(","):
        low, _, high = part.strip().partition("-")
        first, last = int(low), int(high or low)
        if last < first or len(numbers) + last - first >= MOST_NUMBERS:
            raise ValueError
        numbers += range(first, last + 1)
    return tuple(numbers)
