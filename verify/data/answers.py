"""What models say, in text: the number that a person would read in it, and logs of answers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np

from arith.theory.arithmetic.domains import digit_base
from arith.theory.errors import InvalidInput
from arith.verify.data.files import Examples, Source
from arith.verify.data.numerals import first_line, written_number
from arith.verify.data.sequences import Format, values_of
from arith.verify.data.texts import DIGITS, cleaned, digits_of

_MOST, _MORE = 10_000, 50
"""Characters of an answer that are read, and by how many its number may be longer than a result."""
_ONE = r"\b(?!\W*\bor\b)"
_WORD = {
    True: re.compile(rf"[-−]?[0-9a-z]+{_ONE}"),
    False: re.compile(rf"[-−]?[0-9]+(?::[0-9]+)*+{_ONE}"),
}
"""A number in a base above 10, by whether each digit is one character; none that offers another."""
_SIGN_LAST = re.compile(r"([0-9a-z:]+)[-−](?![0-9])")


def said_numbers(texts: Sequence[str], fmt: Format) -> np.ndarray:
    """The numbers ``(n,)`` that answers say in the digit order of a format; None where none is.

    An answer may be padded with zeros or not.  A digit that the base does not have makes none.
    """
    if not texts:
        return np.empty(0, dtype=object)
    form, base = fmt.layout, digit_base(fmt.base, max(fmt.layout.in_token, 1))
    between = form.result_spaces or form.hinted or form.scratchpad
    if between:  # what stands between its digits goes
        lines = [first_line(x) for x in texts]
        texts = cleaned(Examples(lines, lines), base).answers
    longest = _MORE + fmt.result_width * max(form.in_token, 1) * len(str(base))
    sign_last = fmt.task.signed and form.result_first == "least"
    words = [
        word if word and len(word) <= longest else None
        for word in (_written(text[:_MOST], base, sign_last) for text in texts)
    ]
    digits, _, negative = digits_of([x or "0" for x in words], base, form.result_first)
    values = values_of(np.maximum(digits, 0), base).astype(object)
    values = np.where(negative, -values, values)
    values[(digits < 0).any(axis=1) | np.array([x is None for x in words], dtype=bool)] = None
    return values


def _written(text: str, base: int, sign_last: bool) -> str | None:
    """The digits of the number that an answer is, as they are written, after a minus sign.

    Args:
        sign_last: the sign is written after the digits.
    """
    if sign_last and (signed := _SIGN_LAST.match(first_line(text).lower())):
        return f"-{signed[1]}"
    if base <= 10:
        return written_number(text)
    found = _WORD[base <= len(DIGITS)].match(first_line(text).lower())
    return found[0].replace("−", "-") if found else None


def parse_log(data: bytes, what: str) -> Examples:
    """The prompts and answers of a log of samples that lm-evaluation-harness wrote.

    A prompt is that of the task's document where this has one, and else the last line of what the
    model was given.  Of a sample that several filters have read the first counts.

    Args:
        what: the file is, for errors.

    Raises:
        InvalidInput: a line is none of such a log.
    """
    found: dict[object, tuple[str, str, int]] = {}
    for i, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line, parse_int=str, parse_float=str)
            said = entry.get("filtered_resps") or entry["resps"]
            while isinstance(said, list):
                said = said[0]
            given = entry["doc"].get("prompt") if isinstance(entry.get("doc"), dict) else None
            prompt = given if isinstance(given, str) else _asked(entry["arguments"])
            if not isinstance(said, str):
                raise TypeError
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise InvalidInput(
                f"{what}, line {i}: a log of lm-evaluation-harness has a prompt in 'arguments' and "
                "an answer in 'resps' of each line"
            ) from None
        found.setdefault(entry.get("doc_id", -i), (prompt, said, i))
    prompts, answers, lines = map(list, zip(*found.values(), strict=True))
    return Examples(prompts, answers, source=Source(what, lines))


def _asked(arguments: object) -> str:
    """The last line of what a model was given: ``[[text, ...]]``, or an object of such objects."""
    while isinstance(arguments, dict | list):
        first = arguments.values() if isinstance(arguments, dict) else arguments
        arguments = next(iter(first), None)
    if not isinstance(arguments, str):
        raise TypeError
    return arguments.strip().splitlines()[-1]
