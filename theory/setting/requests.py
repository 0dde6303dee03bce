"""Settings asked for in words: what the command line and grid files write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from theory.errors import InvalidInput
from theory.setting.domains import Domain
from theory.setting.encodings import encoding
from theory.setting.expressions import parse_task
from theory.setting.layouts import layout
from theory.setting.settings import Setting
from theory.setting.tasks import TASKS, Task, named_task

LARGEST_DIGITS = 100
"""The longest operand to train on."""
LARGEST_TEST = 1000
"""The longest operand to test on."""
LARGEST_MODULUS = 10**40
"""Moduli stay below it, as the numbers of an expression do."""
MOST_NUMBERS = 10_000
"""The most numbers that a list, as that of moduli, may have."""


@dataclass(frozen=True)
class Request:
    """A setting in words; the names are those of the command line's options.

    Lengths and positions to train on go from 1 to ``LARGEST_DIGITS``, test lengths to ``LARGEST_TEST``.

    Args:
        task: a named task, or None where ``expr`` is given.
        train_digits: ``3``, or ``4+5`` for a union.
        train_priming: ``6:0.01`` mixes in 1 % of 6-digit examples.
        train_allowed: ``2:6-9`` allows only the digits 6..9 at position 2.
        train_pairs: train on so many operand tuples, drawn once; None for all.
        test_digits: ``1-6`` or ``1,4``; None for 1 to the longest trained + 3.
    """

    task: str | None = None
    expr: str | None = None
    modulus: int | None = None
    base: int = 10
    pe: str = "ape"
    layout: str = "aligned"
    window: int = 0
    train_digits: str = "3"
    train_domain: str = "longest"
    train_priming: tuple[str, ...] = ()
    train_allowed: tuple[str, ...] = ()
    train_pairs: int | None = None
    test_digits: str | None = None
    test_domain: str = "longest"

    def read_task(self) -> Task:
        """The task asked for.

        Raises:
            InvalidInput: none or two of ``task`` and ``expr``, or one that makes no sense.
        """
        if self.task is not None and self.expr is not None:
            raise InvalidInput("give --task or --expr, not both")
        if self.modulus is not None and self.modulus >= LARGEST_MODULUS:
            raise InvalidInput("--modulus has more than 40 digits")
        if self.expr is not None:
            return parse_task(self.expr, self.modulus)
        if self.task is None:
            raise InvalidInput(f"give a task: --task ({', '.join(TASKS)}) or --expr")
        return named_task(self.task, self.modulus)

    def setting(self) -> Setting:
        """The setting asked for.

        Raises:
            InvalidInput: a value that no setting can have, or an allowed digit that the base
                does not have.
        """
        return Setting(
            self.read_task(),
            self.base,
            encoding(self.pe),
            layout(self.layout),
            Domain(
                read_lengths(self.train_digits, "--train-digits"),
                self.train_domain,
                tuple(_priming(text) for text in self.train_priming),
                tuple(_allowed(text, self.base) for text in self.train_allowed),
                self.train_pairs,
            ),
            self.window,
            ()
            if self.test_digits is None
            else read_lengths(self.test_digits, "--test-digits", LARGEST_TEST),
            self.test_domain,
        )


def read_lengths(text: str, what: str, largest: int = LARGEST_DIGITS) -> tuple[int, ...]:
    """``4+5``, ``1,3`` and ``1-6`` as lengths.

    Raises:
        InvalidInput: anything else, or a length out of range; ``what`` names the option.
    """
    try:
        found = read_ranges(text)
        if min(found) < 1 or max(found) > largest:
            raise ValueError
    except ValueError:
        raise InvalidInput(
            f"{what} '{text}' is no list of lengths from 1 to {largest}, such as 3, 4+5, 1,3 or 1-6"
        ) from None
    return found


def read_numbers(text: str, what: str) -> tuple[int, ...]:
    """``2..400`` and ``100,101`` as numbers.

    Raises:
        InvalidInput: anything else, or more than ``MOST_NUMBERS``; ``what`` names the option.
    """
    try:
        return read_ranges(text)
    except ValueError:
        raise InvalidInput(
            f"{what} '{text}' is no list of at most {MOST_NUMBERS:,} numbers, as in 2..400 or 5,7"
        ) from None


def read_ranges(text: str) -> tuple[int, ...]:
    """``4+5``, ``1,3``, ``1-6`` and ``1..6`` as numbers.

    Raises:
        ValueError: anything else, a range that runs backwards, or more than ``MOST_NUMBERS``.
    """
    found: list[int] = []
    for part in text.replace("+", ",").replace("..", "-").split(","):
        low, _, high = part.strip().partition("-")
        first, last = int(low), int(high or low)
        if last < first or len(found) + last - first >= MOST_NUMBERS:
            raise ValueError
        found += range(first, last + 1)
    return tuple(found)


_SHARE = re.compile(r"[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}", re.I)
"""A share, short enough to be written out: ``1e1000000000`` would fill the memory."""


def _priming(text: str) -> tuple[int, Fraction]:
    try:
        before, after = text.split(":")
        if not _SHARE.fullmatch(after.strip()):
            raise ValueError
        length, share = int(before), Fraction(after)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(f"--train-priming '{text}' is not LENGTH:SHARE, as in 6:0.01") from None
    if not 1 <= length <= LARGEST_DIGITS:
        raise InvalidInput(f"--train-priming '{text}': lengths go from 1 to {LARGEST_DIGITS}")
    return length, share


def _allowed(text: str, base: int) -> tuple[int, tuple[int, ...]]:
    try:
        before, after = text.split(":")
        position, digits = int(before), tuple(sorted(set(read_ranges(after))))
    except ValueError:
        raise InvalidInput(
            f"--train-allowed '{text}' is not POSITION:DIGITS, as in 2:6-9 or 1:0,5"
        ) from None
    if not 1 <= position <= LARGEST_DIGITS:
        raise InvalidInput(
            f"--train-allowed '{text}': positions start at 1 (the units) and end at {LARGEST_DIGITS}"
        )
    if digits[-1] >= base:
        raise InvalidInput(f"--train-allowed '{text}': {digits[-1]} is no digit of base {base}")
    return position, digits
