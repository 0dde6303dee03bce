"""Numbers as text in any base, and the tokens of a model as text.

Up to base 36 the digits are 0-9 and a-z; above, a digit is a decimal number, and colons stand
between the digits of a number, as in ``1:59``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, digits

from arith.theory.errors import InvalidInput
from arith.verify.data.sequences import LANDMARKS

DIGITS = digits + ascii_lowercase
"""Those of bases up to 36."""
_LONGEST_DIGIT = 9
"""Characters of one digit that is written as a decimal number."""
_NOT_WHOLE = re.compile(r"(^|[^\w\s)])\s*[-−]|\d\.\d")
"""A sign that is no minus between two numbers, or a decimal point."""
NAMED = re.compile(r"\b[a-z]\s*=\s*(?=\w)")
"""The name of an operand before its value, as in ``a = 5``."""
_BEFORE, _AFTER = re.compile(r"[-−+*·×/(,=]\s*$"), re.compile(r"\s*[-−+*·×/),]")
"""What shows that a word of letters beside it is a number: the sign before it, or after it."""

_NUMBER = re.compile(
    r"(?<![\w.,])(?<!\w[-−])(?:[-−]\s?)?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?![\w]|[.,][0-9])"
)
"""A number as people write it: a sign, thousands with commas, a fraction; no part of a word."""
_EQUALS = re.compile(r"=|\b(?:is|equals|makes|gives)\b", re.IGNORECASE)
"""What stands before a result."""
_GOES_ON = re.compile(r"\s*(?:[-−+*·×/^%]|(?:plus|minus|times|mod|and)\b)\s*[0-9(]")
"""What follows a number that is an operand."""
_OFFERED = re.compile(rf"\W*\bor\b|\W+?(?={_NUMBER.pattern}(?!{_GOES_ON.pattern}))")
"""What stands between a number and another one that is offered with it: ``46 or 47``."""
_MARKUP = " \t*_`$("
"""What sets off a number that begins a line or follows a colon: ``answer: **46**``."""
_ENDS = re.compile(r"(?:<eos>|<end>|</s>|<\|endoftext\|>|;).*", re.DOTALL)
"""What ends an answer."""


def symbols(base: int, landmarks: Sequence[str] = LANDMARKS) -> list[str]:
    """The text of every token: the digits of the base, then the landmarks."""
    return [*(_digit(i, base) for i in range(base)), *landmarks]


def numeral(value: int, base: int) -> str:
    """A whole number, written in a base."""
    found: list[str] = []
    sign, value = "-" * (value < 0), abs(value)
    while value or not found:
        value, rest = divmod(value, base)
        found.insert(0, _digit(rest, base))
    return sign + ("" if _is_short(base) else ":").join(found)


def numbers(text: str, base: int) -> list[int]:
    """The numbers that stand in a text, written in a base; words are passed over.

    Where a word of letters alone could be a number (``add`` in base 16), it is one if there is a
    sign beside it, or none anywhere.

    Raises:
        InvalidInput: a digit that the base does not have, a negative number or a fraction.
    """
    if _NOT_WHOLE.search(text):
        raise InvalidInput(f"'{text}': operands are whole numbers from 0")
    text = NAMED.sub("", text)
    has_signs = re.search(r"[-−+*·×/,]", text) is not None
    found = []
    for word in re.finditer(r"\w+" if _is_short(base) else r"\w+(?::\w+)*", text):
        value = _number(word[0], base)
        is_bare = word[0].isalpha() and has_signs
        signed = _BEFORE.search(text[: word.start()]) or _AFTER.match(text, word.end())
        if value is not None and (signed or not is_bare):
            found.append(value)
    return found


def _number(word: str, base: int) -> int | None:
    """The number that a word is; None if it is no number (InvalidInput: it has other digits)."""
    value = 0
    for part in word.lower() if _is_short(base) else word.split(":"):
        known = DIGITS.find(part) if _is_short(base) else _read_digit(part)
        if not 0 <= known < base:
            if any(c.isdecimal() for c in word):
                raise InvalidInput(f"'{word}' is no number in base {base}")
            return None
        value = value * base + known
    return value


def _read_digit(part: str) -> int:
    """The value of a digit that is written as a number; -1 if it is none."""
    return int(part) if part.isdecimal() and len(part) <= _LONGEST_DIGIT else -1


def _digit(value: int, base: int) -> str:
    return DIGITS[value] if _is_short(base) else str(value)


def _is_short(base: int) -> bool:
    """Whether every digit is one character."""
    return base <= len(DIGITS)


def first_line(text: str) -> str:
    """The first line that is not blank; what follows is a question that a model made up."""
    return _ENDS.sub("", text).strip().partition("\n")[0]


def written_number(text: str) -> str | None:
    """The digits of the number that a person would read as the answer; None if there is none.

    The first line that is not blank counts.  A number that it begins with is the answer, unless it
    is an operand of an expression; otherwise it is what follows the first ``=`` or ``is``.  A
    fraction is no answer, nor are two different numbers, as in ``46 or 47``.
    """
    line = text if text.isdecimal() else first_line(text)
    if line.isascii() and line.isdecimal():
        return line
    said, line = _first_number(line)
    while said and (offered := _OFFERED.match(line)):
        other, line = _first_number(line[offered.end() :])
        said = said if other in (None, said) else None
    return said


def _first_number(line: str) -> tuple[str | None, str]:
    """The digits of the first number of a line that is an answer, and what follows it."""
    while True:
        number, mark = _NUMBER.search(line), _EQUALS.search(line)
        begins = number and not (mark and mark.start() < number.start())
        asks = number is None or _GOES_ON.match(line, number.end())
        before = (line[: number.start()] if number else line).rstrip(_MARKUP)
        tells = re.search(r"\w", before) and not before.endswith(":")  # as in "the sum of 1 and 2"
        if not (mark and (not begins or asks or tells)):
            break
        line = line[mark.end() :]
    if number is None or asks:
        return None, ""
    whole, _, fraction = re.sub(r"[,\s]", "", number[0]).replace("−", "-").partition(".")
    return None if fraction.strip("0") else whole, line[number.end() :]
