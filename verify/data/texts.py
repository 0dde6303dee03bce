"""Examples as text: how the tokens of a setting are written for people, and read back.

Digits and signs stand for themselves, most digits as one character; a space is a space, a marker
``<3>`` and a carry ``(1)``.  ``<bos>`` and the end are not written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain, product
from operator import itemgetter

import numpy as np

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.domains import digit_base
from arith.theory.arithmetic.tasks import Operations, Task
from arith.theory.errors import InvalidInput
from arith.theory.transformer.layouts import BLANKS, SPACE, Layout
from arith.verify.data.files import Examples
from arith.verify.data.numerals import DIGITS, symbols, written_number
from arith.verify.data.sequences import Format, NaturalFormat

COMMA = ","
SIGNS = f"+-*{COMMA}"
"""The signs between operands, as they are written."""
_ALSO = str.maketrans({"−": "-", "×": "*", "·": "*", "–": "-"})
"""Other signs that people write."""
_WORDS = {"plus": "+", "minus": "-", "times": "*", "and": "+"}
_NO_SIGNS = str.maketrans("", "", SIGNS + "=")
_WORD = "\0"
"""What stands in place of a word until blanks are gone."""
NOT_DIGITS = re.compile(r"<[0-9]+>|\(-?[0-9]+\)")
"""Markers and carries."""
_NO_BLANKS = str.maketrans("", "", " \t\r_?!")
"""What fills up numbers, stands between their digits or ends a question."""
_END = re.compile(r"(?<![0-9])\.|\.(?![0-9])")
"""A full stop, but no decimal point."""
_PAUSE = re.compile(r"(?<![0-9]),|,(?![0-9])")
"""A comma between words, but none between numbers."""
_SPACE_BETWEEN = re.compile(r"(?<=[0-9a-z:_.])[ \t]+(?=[0-9a-z<_.])")
"""The space between two operands."""


def sign_of(task: Task) -> str:
    """The sign between the operands of a task: ``-`` of a difference, ``*`` of a product."""
    ordered = sorted(c for c, e in task.terms if sum(e) == 1)
    if len(task.terms) == 1 and task.degree > 1:
        return "*"
    return "-" if ordered == [-1, 1] and len(task.terms) == 2 else "+"


def signs_of(task: Task) -> list[str]:
    """The sign of each operation (InvalidInput: two have the same, so no text tells them apart)."""
    found = [sign_of(part) for part in task.operations]
    for i, sign in enumerate(found):
        if sign in found[:i]:
            a, b = task.operations[found.index(sign)], task.operations[i]
            raise InvalidInput(f"{a.text()} and {b.text()} would both be written with '{sign}'")
    return found


def signs_between(task: Task, layout: Layout) -> list[str]:
    """What stands between two operands in a layout: the sign of each operation, or a separator."""
    signs = signs_of(task)
    return [" " if layout.sign == SPACE else layout.sign] if layout.separator else signs


# --- writing ----------------------------------------------------------------------------


def token_texts(fmt: Format, first: str) -> np.ndarray:
    """The text of every token; a digit of a base above 36 ends with a colon.

    Args:
        first: the digit that is written first in a token of several, as in the whole number.
    """
    in_token = max(fmt.layout.in_token, 1)
    if fmt.layout.in_token == 0:
        raise InvalidInput(
            "whole numbers as tokens have no text but their digits: leave out 'whole numbers'"
        )
    base = digit_base(fmt.base, in_token)
    digits = [x + ":" * (base > len(DIGITS)) for x in symbols(base, landmarks=())]
    step = -1 if first == "least" else 1
    texts = ["".join(x[::step]) for x in product(digits, repeat=in_token)]
    texts += ["", *signs_between(fmt.task, fmt.layout), "="]
    sizes = range(2, fmt.layout.from_left + 1)  # these are as they are written, in either order
    groups = ["".join(x) for size in sizes for x in product(digits, repeat=size)]
    texts += [""] * (fmt.first_other - len(texts) - len(groups)) + groups
    if fmt.task.signed:
        texts.append("-")
    if fmt.space is not None:
        texts.append(" ")
    if fmt.blank not in (None, 0, fmt.space):
        texts.append(next(BLANKS[x.blank] for x in fmt.layouts if x.blanks))
    if any(x.scratchpad for x in fmt.layouts):
        texts += [f"({c})" for c in digit_automaton(fmt.task, fmt.base).carries]
    texts += [f"<{i + 1}>" for i in range(fmt.vocabulary - len(texts))]
    return np.array(texts, dtype=object)


def example_texts(
    fmt: Format,
    operands: np.ndarray,
    results: np.ndarray | None = None,
    starts: np.ndarray | None = None,
    spaces: np.ndarray | None = None,
) -> Examples:
    """Operand digits ``(n, k, N)`` as prompts and answers.

    Interleaved numbers have no prompt that stands before the answer: all of an example is one.

    Args:
        results: other digits ``(n, M)`` than those of the right answers.
        starts, spaces: as for ``Format.write``.
    """
    results = fmt.results(operands) if results is None else results
    written, form = fmt.write(operands, results, starts, spaces), fmt.layout
    texts = token_texts(fmt, form.operands_first)[written]
    if form.in_token > 1 and form.operands_first != form.result_first:  # padded, each in its column
        texts[:, fmt.result_slots] = token_texts(fmt, form.result_first)[
            written[:, fmt.result_slots]
        ]
    if form.interleaved:  # each example begins in one column, and ends somewhere
        split = [row.partition("=") for row in _joined(texts)]
        return Examples([a + b for a, b, _ in split], [c for _, _, c in split])
    cut = int(fmt.written_slots[0])
    answers = [x.strip() for x in _joined(texts[:, cut:])]
    return Examples(_joined(texts[:, :cut]), answers)


def _joined(texts: np.ndarray) -> list[str]:
    """The tokens of each row as one text; a colon stands only between two digits."""
    rows = list(map("".join, texts.tolist()))
    has_colons = any(":" in x for x in rows[:1])
    return [re.sub(r":(?![0-9])", "", x) for x in rows] if has_colons else rows


# --- reading ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """Examples cut into numbers, each as its digits are written.

    Args:
        operands: the digits of each operand, as text.
        answers: those of the result, a minus sign before those of a negative one.
        signs: the sign between the operands of each example; empty where there is none.
        fits: which lines are written so, ``(n,)``; the others have no digits.
    """

    operands: list[list[str]]
    answers: list[str]
    signs: list[str]
    fits: np.ndarray


@dataclass(frozen=True)
class Form:
    """How numbers are cut out of lines.

    Args:
        operands: how many there are.
        signs: whether one stands between two operands, and ``equals`` before the result.
        width: the digits of each operand, and ``result`` those of a result, where no sign parts
            them and they are padded; else 0.
        interleaved: digits of equal weight stand together, ``size`` of each number.
    """

    operands: int
    signs: bool = True
    equals: bool = True
    width: int = 0
    result: int = 0
    interleaved: bool = False
    size: int = 1

    def cut(self, examples: Examples, base: int, signs: str = SIGNS) -> Columns:
        """Cleaned examples as numbers in text.

        Args:
            signs: those that may stand between operands.
        """
        if self.signs and self.equals and not self.interleaved:
            return _parted_by_signs(examples, self.operands, base, signs)
        lines = [a + b for a, b in zip(examples.prompts, examples.answers, strict=True)]
        if not self.width:
            return _natural_interleaved(lines, self.operands)
        return self._fixed([x.translate(_NO_SIGNS) for x in lines])

    def _fixed(self, lines: list[str]) -> Columns:
        """Lines of numbers of fixed widths, cut into these."""
        widths = [self.width] * self.operands + [self.result]
        places: list[list[int]] = [[] for _ in widths]
        step = self.size if self.interleaved else max(widths)
        at = 0
        for i in range(0, max(widths), step):
            for own, most in zip(places, widths, strict=True):
                count = min(step, max(most - i, 0))
                own += range(at, at + count)
                at += count
        fits = np.array([len(x) == at and x.isalnum() for x in lines], bool)
        cut = [x if fine else "" for x, fine in zip(lines, fits.tolist(), strict=True)]
        if self.interleaved:
            every = [itemgetter(*own) for own in places]
            numbers = [["".join(own(x)) if x else "" for x in cut] for own in every]
        else:
            numbers = [[x[own[0] : own[-1] + 1] for x in cut] for own in places]
        return Columns(numbers[:-1], numbers[-1], [""] * len(lines), fits)


def cleaned(examples: Examples, base: int) -> Examples:
    """Examples without blanks, markers, carries and words; the signs are those of ``SIGNS``.

    Of an answer with several numbers, as ``12 + 34 = 46``, the one is left that a person would read
    as the result, as it is written there.
    """
    prompts, answers = _clean(examples.prompts, base, COMMA), _clean(examples.answers, base, "?")
    for i, text in enumerate(answers) if base <= 10 else ():
        if text and not text.strip("-").isalnum():
            said = written_number(examples.answers[i])
            answers[i] = said if said and said in examples.answers[i] else text
    return Examples(prompts, answers)


def parted(text: str) -> str:
    """A prompt with a comma in place of the space between two operands."""
    return _SPACE_BETWEEN.sub(COMMA, text)


def _clean(texts: list[str], base: int, between: str) -> list[str]:
    """Texts without blanks and words; ``between`` stands where these part two numbers."""
    text = "\n".join(texts)
    if text.count("\n") >= len(texts):
        text = "\n".join(x.replace("\n", " ") for x in texts)
    if base <= 10 and (not text.isascii() or re.search("[A-Za-z:]", text)):
        for word, sign in _WORDS.items():
            text = re.sub(rf"\b{word}\b", sign, text, flags=re.IGNORECASE)
        text = re.sub(r"(?<=[0-9 ])[xX](?=[0-9 ])", "*", text).translate(_ALSO)
        text = re.sub(r"[A-Za-z][A-Za-z']*[.,]?|:", _WORD, text)
    text = (_END.sub("", text) if "." in text else text).lower().translate(_NO_BLANKS)
    if _WORD in text:
        text = re.sub(rf"(?<=[0-9]){_WORD}+(?=[0-9])", between, text).replace(_WORD, "")
        text = _PAUSE.sub("", text)
    return (NOT_DIGITS.sub("", text) if "<" in text or "(" in text else text).split("\n")


def _parted_by_signs(examples: Examples, operands: int, base: int, signs: str) -> Columns:
    """Cleaned examples with signs between the operands, cut into numbers."""
    digit = "[0-9a-z]" if base <= len(DIGITS) else "[0-9:]"
    between = rf"([{re.escape(signs)}])({digit}+)" + rf"\2({digit}+)" * (operands - 2)
    number = rf"({digit}+){between if operands > 1 else '()'}=?"
    line = re.compile(rf"^{number}\t(-?{digit}+|{digit}+-)$|^.*$", re.MULTILINE)
    text = "\n".join(map("\t".join, zip(examples.prompts, examples.answers, strict=True)))
    first, used, *others, answers = map(list, zip(*line.findall(text), strict=True))
    return Columns([first, *others], answers, used, np.array(list(map(bool, first)), dtype=bool))


def _natural_interleaved(lines: list[str], operands: int) -> Columns:
    """Interleaved numbers of natural length: result digits beside the operands', then the rest."""
    found: list[list[str]] = [[] for _ in range(operands)]
    answers, fits = [], []
    for line in lines:
        before, equals, rest = line.partition("=")
        fine = bool(equals and before) and len(before) % (operands + 1) == 0
        fits.append(fine and (before + rest).isalnum())
        before, rest = (before, rest) if fits[-1] else ("", "")
        for j, column in enumerate(found):
            column.append(before[j :: operands + 1])
        answers.append(before[operands :: operands + 1] + rest)
    return Columns(found, answers, [""] * len(lines), np.array(fits))


def digits_of(
    numbers: list[str], base: int, first: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers in text as digits ``(n, N)``, units first; how long each is written; those negative.

    A digit that the base does not have is -1 in all of its number.

    Args:
        first: the digit that is written first, ``most`` or ``least`` significant.
    """
    text = "".join(numbers)
    minus = last = np.zeros(len(numbers), dtype=bool)
    if "-" in text:
        minus = np.array([x.startswith("-") for x in numbers], dtype=bool)
        last = np.array([x.endswith("-") for x in numbers], dtype=bool)
        numbers = [x.strip("-") for x in numbers]
        text = "".join(numbers)
    if base > len(DIGITS):
        parts = [[int(d) if d and len(d) < 9 else base for d in x.split(":")] for x in numbers]
        digits: np.ndarray = np.array(list(chain.from_iterable(parts)), dtype=np.int64)
        written = np.array(list(map(len, parts)), dtype=np.int64)
    else:
        table = np.full(256, base, dtype=np.int16)
        table[[ord(c) for c in DIGITS[:base]]] = np.arange(base)
        digits = table[np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8)]
        written = np.array(list(map(len, numbers)), dtype=np.int64)
    places = np.arange(written.max(initial=1))
    found: np.ndarray = np.zeros((len(numbers), len(places)), dtype=digits.dtype)
    if first == "most":  # put down as they are written, and read from the end
        found[places >= len(places) - written[:, None]] = digits
        found = found[:, ::-1]
    else:
        found[places < written[:, None]] = digits
    if (digits >= base).any():  # seldom, and to look at each row takes long
        found[(found >= base).any(axis=1)] = -1
    if first == "most":
        found[last] = -1  # a sign stands above the highest digit
    return found, written, minus | last


def read_texts(examples: Examples, fmt: Format) -> tuple[np.ndarray, np.ndarray]:
    """The operand digits ``(n, k, N)`` and result digits ``(n, M)`` of examples of a format.

    Of several operations the last row of operands says which.  Of what is written otherwise, and of
    an answer that is none, every digit is -1.
    """
    task, form = fmt.task, fmt.layout
    base, in_token = digit_base(fmt.base, max(form.in_token, 1)), max(form.in_token, 1)
    cut = read_columns(examples, task, form, base, fmt)
    n, width, result = len(examples), fmt.width * in_token, fmt.result_width * in_token
    operands = np.full((n, task.operands, width), -1, dtype=np.int32)  # of a million lines
    for j, numbers in enumerate(cut.operands):
        _put(operands[:, j], digits_of(numbers, base, form.operands_first)[0], cut.fits)
    results = np.full((n, result), -1, dtype=np.int32)
    said, _, negative = digits_of(cut.answers, base, form.result_first)
    _put(results, said, cut.fits & ~negative)
    bad = (operands < 0).any(axis=(1, 2))
    operands[bad] = results[bad] = -1
    found, answers = (_grouped(x, in_token, base) for x in (operands, results))
    if isinstance(task, Operations):
        row = np.zeros((n, 1, found.shape[2]), dtype=np.int64)
        row[:, 0, 0] = [signs_of(task).index(x) if x else -1 for x in cut.signs]
        found = np.concatenate([found, row], axis=1)
    return found, answers


def read_columns(
    examples: Examples, task: Task, layout: Layout, base: int, fmt: Format | None = None
) -> Columns:
    """Examples of a layout, cut into numbers.

    Args:
        fmt: of padded numbers that no sign parts, which have its widths.
    """
    if layout.sign == SPACE:
        examples = Examples([parted(x) for x in examples.prompts], examples.answers)
    size, k = max(layout.in_token, 1), task.operands
    known = signs_between(task, layout) if layout.operators else [""]
    form = Form(k, layout.operators or k == 1, layout.equals, 0, 0, layout.interleaved, size)
    if fmt is not None and not isinstance(fmt, NaturalFormat):
        form = replace(form, width=fmt.width * size, result=fmt.result_width * size)
    texts, signs = cleaned(examples, base), "".join(known).replace(" ", COMMA)
    cut = form.cut(texts, base, signs + COMMA * (len(signs) == 1))
    if form.equals or len(known) == 1:
        return cut
    said = [next((s for s in known if s in x), "") for x in texts.prompts]
    return replace(cut, signs=said, fits=cut.fits & np.array([bool(x) for x in said]))


def _put(into: np.ndarray, digits: np.ndarray, fits: np.ndarray) -> None:
    """Fill in digits ``(n, N)``, with zeros above them; numbers that are longer are none."""
    width = min(into.shape[1], digits.shape[1])
    fine = fits & (digits[:, width:] == 0).all(axis=1) & (digits >= 0).all(axis=1)
    into[fine] = 0
    into[fine, :width] = digits[fine, :width]


def _grouped(digits: np.ndarray, size: int, base: int) -> np.ndarray:
    """So many digits as one of a higher base, from the units; -1 where they are none."""
    if size == 1:
        return digits
    wide = digits.reshape(*digits.shape[:-1], -1, size)
    return np.where(wide.min(-1) < 0, -1, wide @ base ** np.arange(size))
