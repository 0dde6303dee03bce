"""What a file of examples is: its format, task, base and lengths, and what it shows and lacks.

Formats and tasks are tried in order, and the first that fits most lines is taken.  Some of the
lines are looked at, then the task is applied to all of them; the lines that it does not fit are
looked at once more beside the others, so that a rarer one, as a modulus that few sums reach, is
found by them.  What the user says is not looked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import ceil, gcd, inf, prod, sqrt
from operator import itemgetter
from typing import Any

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.domains import BALANCED, LEAST_SHARE, UNIFORM, Domain, each_text
from arith.theory.arithmetic.expressions import NAMES, parse_task
from arith.theory.arithmetic.lengths_text import lengths_text, runs
from arith.theory.arithmetic.observed import (
    ObservedDomain,
    box_of_widths,
    distinct,
    is_defined,
    observed,
    shapes_of,
    widths_of,
)
from arith.theory.arithmetic.tasks import (
    DIGIT_FUNCTIONS,
    SIGNED,
    TASKS,
    UNSIGNED,
    Operations,
    Task,
    is_named,
    named_task,
    names_in,
)
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import (
    LARGEST_DIGITS,
    LARGEST_MODULUS,
    LARGEST_TEST,
    Request,
    flag,
    read_lengths,
)
from arith.theory.setting.settings import Setting, check_base
from arith.theory.transformer.layouts import BLANKS, SPACE, Layout
from arith.theory.transformer.layouts import layout as read_layout
from arith.verify.data.files import Examples
from arith.verify.data.numerals import DIGITS
from arith.verify.data.phrasing import Phrasing
from arith.verify.data.sequences import values_of
from arith.verify.data.texts import (
    COMMA,
    NOT_DIGITS,
    SIGNS,
    Columns,
    Form,
    cleaned,
    digits_of,
    parted,
    read_columns,
    sign_of,
)

LOOKED_AT = 1_000
"""Lines by which formats and tasks are chosen."""
LEAST_FIT = Fraction(9, 10)
"""The least share of lines that a format and a task fit: the premise of a prediction is a model
that is right in training, and of more wrong lines none is."""
_NEAR = Fraction(1, 4)
"""Of fewer lines a task is not named as one that nearly fits."""
_PART = 50_000
"""Lines that are read at once, of up to ``_LINE`` digits each; of longer ones fewer are."""
_LINE = 100
_LONGEST = 1_000
"""Characters of a number, zeros before it included; longer ones are none."""
_LEAST_WRAPPED = 5
"""Lines that a modulus fits beyond those that whole numbers fit: of fewer some modulus is met by
chance."""
_FEW = 20
"""Lines of which all may have one answer; and answers that may all be explained by chance."""
_FINEST = 100
"""The largest denominator of the chance of a space."""
_DRAWS = 60
"""Of three lines each, to find a modulus that errors do not hide."""
_MOST_OPERANDS = len(NAMES)
_MOST_TOGETHER = 100_000
"""Combinations of lengths that are looked for."""
_MOST_LISTED = 6
_BY_CHANCE = 4
"""Standard errors by which the share of a length may be off by chance."""
_ORDERS = (("most", "most"), ("most", "least"), ("least", "least"), ("least", "most"))
"""Of the digits of operands and result, the most usual first."""


@dataclass(frozen=True)
class Reading:
    """Examples as numbers, by a form and by the order of digits.

    Args:
        operands: their digits ``(n, k, N)``, units first.
        values: the value of each operand, ``(n,)``.
        results: the values of results, below zero where a minus sign says so.
        written: how many digits of each operand are written, ``(n, k)``, and of the result, with
            its sign.
        fits: the lines that are written so and have digits of the base only.
        zeros: whether any stands before an operand.
        result_zeros: the lines whose result has zeros before it.
    """

    operands: np.ndarray
    values: list[np.ndarray]
    results: np.ndarray
    written: np.ndarray
    result_written: np.ndarray
    signs: list[str]
    fits: np.ndarray
    zeros: bool
    result_zeros: np.ndarray


def reading(cut: Columns, base: int, order: tuple[str, str]) -> Reading:
    """The numbers of some columns."""
    firsts = [order[0]] * len(cut.operands) + [order[1]]
    *each, (said, result_written, negative) = (
        digits_of(_short_ones(column), base, first)
        for column, first in zip([*cut.operands, cut.answers], firsts, strict=True)
    )
    width = max(x.shape[1] for x, *_ in each)
    operands = np.stack([_of_width(x, width).astype(np.int16) for x, *_ in each], axis=1)
    written = np.stack([x[1] for x in each], axis=1)
    lengths = widths_of(operands)
    fits = cut.fits & (operands >= 0).all(axis=(1, 2)) & (said >= 0).all(axis=1)
    fits &= (written > 0).all(axis=1) & (lengths <= LARGEST_DIGITS).all(axis=1)
    operands[~fits] = lengths[~fits] = 0
    operands = operands[:, :, : max(int(lengths.max(initial=1)), 1)]
    said = np.where(fits[:, None], said, 0)
    said_lengths = widths_of(said[:, None])[:, 0]
    results = values_of(said[:, : int(said_lengths.max(initial=1))], base)
    return Reading(
        operands,
        [values_of(operands[:, j], base) for j in range(len(each))],
        np.where(negative, -results, results),
        written,
        result_written + negative,
        cut.signs,
        fits,
        bool((written > lengths)[fits].any()),
        fits & (result_written > said_lengths),
    )


def _short_ones(numbers: list[str]) -> list[str]:
    """Numbers in text, those that are too long as none."""
    if max(map(len, numbers), default=0) <= _LONGEST:
        return numbers
    return [x if len(x) <= _LONGEST else "" for x in numbers]


@dataclass(frozen=True)
class Found:
    """What was found of a file.

    Args:
        setting: a prediction of it is one from the file.
        read: how many lines there are, and ``fit`` how many are examples of the setting.
        odd: the number of the first example that is none, and its text; None if there is none.
        others: further tasks that fit as many lines.
        chosen: the options that were found, as the command line takes them.
        given: the names of those that were said.
        one_digit: which numbers all have one digit, and more in longer tests: operands, results, or
            both.
        begin: what each line began with, and is left out.
        written: to how many digits operands are padded; 0 if they are not.
        phrasing: what examples have around their numbers.
        rows: the digits of the examples of the setting, each once, ``(n, k, N)``; of several
            operations, the last row says which.
    """

    setting: Setting
    read: int
    fit: int
    odd: tuple[int, str] | None
    others: tuple[str, ...]
    chosen: dict[str, Any]
    lengths: tuple[tuple[int, int], ...]
    duplicates: int
    contradictions: int
    lacking: tuple[str, ...] = field(default=())
    given: frozenset[str] = frozenset()
    one_digit: str = ""
    begin: str = ""
    written: int = 0
    phrasing: Phrasing = field(kw_only=True, compare=False, repr=False)
    rows: np.ndarray = field(kw_only=True, compare=False, repr=False)

    @cached_property
    def inputs(self) -> frozenset[tuple[int, ...]]:
        """The operands of the examples of the setting, and of several operations which it is."""
        return frozenset(map(tuple, values_of(self.rows, self.setting.digit_base).tolist()))

    @property
    def train(self) -> ObservedDomain:
        """What the file shows."""
        train = self.setting.train
        assert isinstance(train, ObservedDomain)
        return train

    @property
    def head(self) -> str:
        """``500 of 500 examples are of a + b in base 10: reversed layout``."""
        s = self.setting
        examples = "examples are" if self.read > 1 else "example is"
        return (
            f"{self.fit:,} of {self.read:,} {examples} of {s.task.text()} in base "
            f"{s.digit_base}: {s.layout.text}"
        )

    def lines(self) -> list[str]:
        """What was found, what the file shows, and what it lacks."""
        s, train = self.setting, self.train
        padded = f"padded to {self.written} digits" if self.written else "natural lengths"
        if s.width > self.written:
            padded += f", asked as if to {s.width}"
        elif s.width and s.longest == s.width:
            padded += ", the longest that can be tested (--width asks as if to more)"
        found = [f"{self.head}, {padded}"]
        if self.odd:
            found.append(f"the first that is none is example {self.odd[0]:,}: {self.odd[1]}")
        if self.others:
            found.append(f"as many fit {' and '.join(self.others)} (--task or --expr says which)")
        shares = ", ".join(f"{n}: {100 * c / self.fit:.3g}%" for n, c in self.lengths[:20])
        found.append(f"digits of the longest operand: {shares}")
        every = _domain_size(s)
        share = f" of the {_short(every)} of {lengths_text(train.lengths)}" if every else ""
        several = "s" * (train.different > 1)
        different = f"{train.different:,} different input{several}{share}"
        found.append(f"{different}; {self.duplicates:,} repeated")
        if odd := self.contradictions:
            inputs = "inputs have" if odd > 1 else "input has"
            found.append(f"{odd:,} {inputs} other answers elsewhere in the file")
        found += [f"lacks {x}" for x in self.lacking] or ["lacks no digit, pair of digits or carry"]
        return [*found, *self.assumed_lines()]

    def assumed_lines(self) -> list[str]:
        """What no file says and was taken for granted, as nobody said it."""
        s, found = self.setting, self.phrasing.uneven_lines()
        if self.begin:
            found.append(f"{self.begin} before each is taken for the begin token: prompts lack it")
        if self.one_digit and "layout" not in self.given:
            told = f"{self.one_digit} of one digit show no order of digits"
            found.append(f"{told}: the {s.layout.text} is taken (--layout; arith layouts)")
        if "pe" not in self.given:
            taken = f"{s.encoding.name} is taken (--pe; arith encodings lists them)"
            found.append(f"examples do not say the encoding: {taken}")
        return found

    def to_json(self) -> dict[str, Any]:
        """What was found, as a JSON object."""
        return {
            "examples": self.read,
            "fit": self.fit,
            "first_other": self.odd and {"number": self.odd[0], "text": self.odd[1]},
            "other_tasks": list(self.others),
            "options": self.chosen,
            "lengths": {str(n): count for n, count in self.lengths},
            "different": self.train.different,
            "repeated": self.duplicates,
            "contradictions": self.contradictions,
            "lacking": list(self.lacking),
            "around": {place: list(x) for place, x in self.phrasing.lengths.items()},
        }


def find_setting(
    examples: Examples, given: Mapping[str, Any], test: Examples | None = None
) -> Found:
    """The setting of a file of examples.

    Args:
        given: options of a setting that are known, by their names; they are not looked for.
        test: examples of the tests.

    Raises:
        InvalidInput: no known format and task fit half of the lines, or an option does not.
    """
    begin, whole = examples.begin, examples
    between, examples = _separated(examples)
    try:
        guess = _guess(examples, given, Request(**given))
        guess, rows = _of_all(examples, guess, Request(**given))
        count = len(rows.digits)
        if count < LEAST_FIT * len(examples):
            raise _misfit(examples, guess, rows.right)
    except _Misfit as error:
        why = error.why or _hint(whole, given, error.odd)
        raise InvalidInput(f"{error}{why}") from None
    _check_given(rows, given, examples)
    read = _options(rows, guess, given, examples)
    chosen = {name: value for name, value in read.items() if name not in given}
    if "layout" in chosen:
        chosen["layout"] = read_layout(chosen["layout"] + between).name
    if test is not None:
        of_tests = _of_tests(test, guess, {**chosen, **given})
        chosen |= {k: v for k, v in of_tests.items() if k not in given}
    _check_width(read, given, examples)
    try:
        setting = Request(**{**chosen, **given}).setting()
    except InvalidInput as error:
        if test is None or "test_layout" not in chosen:
            raise
        layouts = {**chosen, **given}
        trained, tested = (read_layout(layouts[x]).text for x in ("layout", "test_layout"))
        raise InvalidInput(
            f"training is in the {trained}, and tests in the {tested}, as {test.quoted(0)}: {error}"
        ) from None
    values, counts = np.unique(rows.widths.max(axis=1), return_counts=True)
    often = dict(zip(values.tolist(), counts.tolist(), strict=True))
    if "train_weights" not in given and (weights := _weights(setting, often)):
        chosen["train_weights"] = weights
    s, k = setting, setting.task.operands
    together = s.layout.from_left, s.layout.operands_first
    train = observed(s.task, rows.digits, s.base, s.natural, s.train.in_token, together)
    setting = replace(
        s, train=replace(train, kind=s.train.kind, each=s.train.each) if s.train.each else train
    )
    different = distinct(rows.digits.reshape(count, -1), s.digit_base)[0]
    wrong = np.flatnonzero(~rows.right)
    odd = (int(wrong[0]) + 1, examples.told(int(wrong[0]))) if len(wrong) else None
    numbers = ("operands", rows.written, s.longest), ("results", rows.said, s.result_digits)
    one_digit = " and ".join(
        what
        for what, lengths, longest in numbers
        if {*lengths} == {1} and longest > 1 and not guess.form.interleaved
    )
    return Found(
        setting,
        len(examples),
        count,
        odd,
        guess.others,
        chosen,
        tuple(often.items()),
        count - len(different),
        rows.contradictions(different),
        tuple(_lacking(setting, train, rows.digits[:, :k], rows.widths)),
        frozenset(given),
        one_digit,
        begin,
        read.get("width", 0),
        phrasing=Phrasing.of(whole, setting),
        rows=different.reshape(-1, *rows.digits.shape[1:]),
    )


class _Misfit(InvalidInput):
    """Too few examples are read; ``odd`` are some that are not, and ``why`` one of them is not."""

    def __init__(self, message: str, odd: Examples, why: str) -> None:
        super().__init__(message)
        self.odd, self.why = odd, why


def _hint(examples: Examples, given: Mapping[str, Any], odd: Examples) -> str:
    """What would have examples read: without which of the options that say how, or what they lack.

    Args:
        odd: those that are not read.
    """
    told = [n for n in ("layout", "base", "modulus", "task", "expr") if n in given]
    for names in chain(*(combinations(told, size + 1) for size in range(len(told)))):
        try:
            found = find_setting(examples, {n: x for n, x in given.items() if n not in names})
        except InvalidInput:
            continue
        return f"; without {' '.join(f'{flag(n)} {given[n]}' for n in names)}, {found.head}"
    if _FEW <= len(odd) < len(examples):
        with suppress(_Misfit):
            other = _guess(odd, {}, Request())
            layout = read_layout(_layout({0}, other, odd, wide=False))
            task = f"{other.task.text()} in base {other.base}"
            return f"; these are of {task} in the {layout.text}: a file has one format"
    if examples.in_columns:
        k = examples.prompts[0].count(",") + 1
        columns = f"{k} operand{'s' * (k > 1)} and the answer"
        return f"; its columns are read as {columns}: a line is 12,34,46 or 12+34,46"
    return (
        "; each stands on one line: whole numbers without commas, a sign "
        "(+, - or *), and the right answer, as 12+34=46 (--task, --layout, --base)"
    )


def _of_all(examples: Examples, guess: _Guess, known: Request) -> tuple[_Guess, _Rows]:
    """A guess, or one whose task fits more of all lines, and the lines.

    The task that fits most of some lines may fit no line of another kind, of which these have too
    few: so the lines that it does not fit are looked at beside them.
    """
    rows = _Rows.read(examples, guess)
    odd = np.flatnonzero(~rows.right)
    if not len(odd) or guess.is_given:
        return guess, rows
    odd = odd[:: -(-len(odd) // LOOKED_AT)]
    step = -(-len(examples) // LOOKED_AT)
    some = sorted({*odd.tolist(), *range(0, len(examples), step)})
    beside = examples.some(some)
    fits = _tasks(reading(guess.cut(beside), guess.base, guess.order), None, known, guess.base)
    if fits is None or fits[1] == guess.task:
        return guess, rows
    other = replace(guess, task=fits[1], others=fits[2])
    again = _Rows.read(examples, other)
    return (other, again) if len(again.digits) > len(rows.digits) else (guess, rows)


def _of_several_lengths(rows: _Rows, examples: Examples) -> str:
    """Examples whose operands, or else results, have several lengths, as errors repeat them."""
    lengths = rows.written if len(rows.written) > 1 else rows.said
    return " and ".join(map(examples.quoted, sorted({*lengths.values()})[:2]))


def _check_given(rows: _Rows, given: Mapping[str, Any], examples: Examples) -> None:
    """Refuse padding that is given and that the examples do not have (InvalidInput).

    Numbers of several lengths are not padded, and padded ones are as long as the longest.
    """
    width, is_uneven = given.get("width", 0), max(len(rows.written), len(rows.said)) > 1
    if is_uneven and (width or given.get("padding") == "fixed"):
        raise InvalidInput(
            f"{f'--width {width}' if width else '--padding fixed'} is for padded numbers, and "
            f"those of the examples have several lengths, as "
            f"{_of_several_lengths(rows, examples)}: leave it out"
        )
    lengths = rows.widths.max(axis=1)
    longest = int(lengths.max())
    if width and width < longest:
        such = examples.quoted(int(np.flatnonzero(rows.right)[lengths.argmax()]))
        raise InvalidInput(
            f"--width {width} has no room for operands of {longest} digits, as in {such}: say "
            f"{longest} or more"
        )


def _check_width(read: Mapping[str, Any], given: Mapping[str, Any], examples: Examples) -> None:
    """Refuse numbers without padding, or test lengths without room, of padded ones (InvalidInput).

    Args:
        read: the options that were found, also those that are given.
    """
    width, asked = read.get("width"), given.get("test_digits")
    if not width:
        return
    padded = f"the examples are padded to {width} digits, as {examples.quoted(0)}"
    if given.get("padding") == "none":
        raise InvalidInput(f"{padded}: leave out --padding none")
    if not asked or given.get("width") or "x" in asked:
        return
    longest = max(read_lengths(asked, "--test-digits", LARGEST_TEST))
    if longest > width:
        raise InvalidInput(
            f"{padded}, so operands of {longest} digits cannot be written (--test-digits {asked}): "
            f"--width {longest} asks as if they were padded to that"
        )


def _separated(examples: Examples) -> tuple[str, Examples]:
    """What stands between operands in place of a sign, in words, and examples with a comma there.

    Operands of CSV have columns of their own, which say nothing of what a model reads.
    """
    some = _sample(examples)
    if _parted_by_spaces(some):
        commas = [parted(x) for x in examples.prompts]
        return ", space between operands", replace(examples, prompts=commas)
    prompts = cleaned(some, 10).prompts
    between = [COMMA in x and not {*x} & {*SIGNS.replace(COMMA, "")} for x in prompts]
    is_comma = not examples.in_columns and sum(between) >= LEAST_FIT * len(between)
    return ", comma between operands" * is_comma, examples


def _parted_by_spaces(examples: Examples) -> bool:
    """Whether operands have nothing but a space between them, and no other space stands there."""
    words = [x.rstrip("= ").split() for x in examples.prompts]
    if any(not x.isdecimal() for each in words for x in each):
        return False
    numbers = {len(x) for x in words}
    has_digits = any(len(x) > 1 for each in words for x in each)
    return len(numbers) == 1 and 1 < max(numbers) <= _MOST_OPERANDS and has_digits


# --- the format and the task --------------------------------------------------------------


@dataclass(frozen=True)
class _Guess:
    """A format and a task that fit.

    Args:
        layout: as it was given; None where it is to be found.
        others: further tasks that fit as many lines.
        is_given: whether the task is.
    """

    task: Task
    base: int
    order: tuple[str, str]
    form: Form
    layout: Layout | None
    others: tuple[str, ...] = ()
    is_given: bool = False

    def cut(self, examples: Examples) -> Columns:
        """The examples as numbers in text."""
        if self.layout and self.form.width == 0:
            return read_columns(examples, self.task, self.layout, self.base)
        return self.form.cut(cleaned(examples, self.base), self.base)


def _guess(examples: Examples, given: Mapping[str, Any], known: Request) -> _Guess:
    """The format and the task that fit most of some lines, the first of those that do."""
    check_base(known.base)
    some = _sample(examples)
    layout = read_layout(known.layout) if {"layout"} & {*given} else None
    named = {"task", "expr"} & {*given}
    stated = Request(task=known.task, expr=known.expr, modulus=known.modulus, results=known.results)
    asked = stated.setting().task if named and _is_known(known) else None
    found: list[tuple[Fraction, bool, float, _Guess]] = []
    for base in [known.base] if "base" in given else _bases(some):
        texts = cleaned(some, base)
        for form in _forms(texts, asked, layout):
            cut = form.cut(texts, base)
            if not cut.fits.any():
                continue
            for order in _ORDERS:
                if layout and order != (layout.operands_first, layout.result_first):
                    continue
                read = reading(cut, base, order)
                different = len(np.unique(read.results[read.fits]))
                if len(some) > _FEW and different == 1:
                    continue  # cut where zeros are
                if fits := _tasks(read, asked, known, base):
                    fit, task, others = fits
                    guess = _Guess(task, base, order, form, layout, others, asked is not None)
                    found.append((fit, different > _FEW, task.modulus or inf, guess))
                    if fit == 1 and different > _FEW and task.modulus is None:
                        return guess
    # Few answers say little: in an odd base the last carry of a sum is the parity of all digits
    # before it.  A larger modulus is met by chance more seldom.  (Two digits read in the other
    # order, sums and differences are right modulo 99 too: of the whole numbers first.)
    best = max(found, key=itemgetter(0, 1, 2), default=None)
    if best is None or best[0] < _NEAR:
        what = asked.text() if asked else "any task"
        raise _Misfit(
            f"the examples are not read as examples of {what}: the first is {examples.quoted(0)}",
            some,
            too_long(examples.line(0)),
        )
    share, *_, guess = best
    if share < LEAST_FIT:
        _, right = _right(reading(guess.cut(some), guess.base, guess.order), guess.task)
        raise _misfit(some, guess, right)
    return guess


def _misfit(examples: Examples, guess: _Guess, right: np.ndarray) -> _Misfit:
    """That too many examples are none of the task that fits most; one of them is shown."""
    odd = int(right.argmin())
    return _Misfit(
        f"{100 * right.mean():.3g}% of the examples are of {guess.task.text()} in base "
        f"{guess.base}, and {float(100 * LEAST_FIT):.3g}% have to be: one that is not is "
        f"{examples.quoted(odd)}",
        examples.some(np.flatnonzero(~right)),
        too_long(examples.line(odd)),
    )


def too_long(text: str, most: int = LARGEST_DIGITS) -> str:
    """That a text has a number of more digits than most; empty if it has none."""
    longest = max(map(len, re.findall("[0-9a-z]+", text)), default=0)
    return f", with a number of {longest:,} digits: at most {most:,}" * (longest > most)


def _is_known(request: Request) -> bool:
    """Whether the task is given as a whole: the modulus of a named one may be left to be found."""
    if request.expr is not None or request.modulus is not None:
        return True
    return not any(TASKS[x].modular for x in names_in(request.task or "") if x in TASKS)


def _sample(examples: Examples) -> Examples:
    """Some of the examples, from everywhere."""
    return examples.sample(LOOKED_AT)


def _bases(examples: Examples) -> list[int]:
    """The bases that the digits of some lines may have, the most usual first."""
    joined = "\n".join(examples.prompts + examples.answers)
    letters = [c for c in {*joined.lower()} if c.isalpha()]
    if re.search("[0-9]:[0-9]", joined) and not letters:
        numbers = (int(x) for x in re.findall(r"\d+", joined) if len(x) < 6)
        high = max(numbers, default=0) + 1
        return [b for b in (60, 100, 256, 1000, 10_000) if b >= high][:2]
    if letters and max(letters) <= "f":
        return [16, *([ord(max(letters)) - 86] if max(letters) < "f" else []), 10]
    found = cleaned(examples, 10)
    digits = {*"".join(found.prompts + found.answers)} & {*DIGITS[:10]}
    own = max(map(int, digits), default=0) + 1
    return [10, *([own] if 2 <= own < 10 else [])]


def _forms(texts: Examples, asked: Task | None, layout: Layout | None) -> Iterator[Form]:
    """The ways in which lines may be cut into numbers, the most usual first."""
    usual = Counter(
        (sum(map(p.count, SIGNS)), p.endswith("="), len(p) + len(a))
        for p, a in zip(texts.prompts, texts.answers, strict=True)
    )
    (signs, equals, length), _ = usual.most_common(1)[0]
    has_answers = sum(map(bool, texts.answers)) * 2 > len(texts)
    k = asked.operands if asked else signs + 1
    if (
        has_answers
        and (signs or k == 1)
        and not (layout and layout.interleaved)
        and k <= _MOST_OPERANDS
    ):
        yield Form(k)
    if signs and has_answers:
        return
    if equals and not signs and not (layout and not layout.interleaved):
        for operands in [asked.operands] if asked else (2, 3):
            yield Form(operands, interleaved=True)
    # Without signs between the numbers these have fixed widths.
    fixed = length - signs - equals
    result = Counter(map(len, texts.answers)).most_common(1)[0][0] if has_answers else 0
    for operands in [k] if asked or signs else (2, 3, 1):
        for width in range(1, fixed // operands + 1):
            left = fixed - operands * width
            if left < 1 or (result and left != result):
                continue
            for interleaved in (False, True):
                if layout is None or layout.interleaved == interleaved:
                    yield Form(operands, bool(signs), equals, width, left, interleaved)


def _tasks(
    read: Reading, asked: Task | None, known: Request, base: int
) -> tuple[Fraction, Task, tuple[str, ...]] | None:
    """The share of the lines that the best task fits, that task, and others that fit as many.

    Of several signs each has a task of its own.
    """
    if asked is not None:
        _, right = _right(read, asked)
        return Fraction(int(right.sum()), len(right)), asked, ()
    k = len(read.values)
    used = Counter(s for s, fits in zip(read.signs, read.fits.tolist(), strict=True) if fits)
    signs = [s for s, count in used.most_common() if 10 * count >= used.total() / 2]
    n, parts, total = len(read.signs), [], 0
    others: tuple[str, ...] = ()
    for sign in signs or [""]:
        chosen = read.fits & np.array([s == sign for s in read.signs])
        fits = [
            (int(_is_right(read, task, chosen).sum()), task)
            for task in _candidates(read, chosen, k, sign, known, base)
        ]
        if not fits:
            return None
        lead = 0 if known.modulus else _LEAST_WRAPPED - 1
        worth = [fit - lead * (task.modulus is not None) for fit, task in fits]
        best = [task for w, (_, task) in zip(worth, fits, strict=True) if w == max(worth)]
        parts.append(best[0])
        total += fits[worth.index(max(worth))][0]
        first = best[0].terms, best[0].modulus
        others = tuple(dict.fromkeys(x.text() for x in best if (x.terms, x.modulus) != first))
    if len(parts) == 1:
        return Fraction(total, n), parts[0], others
    names, known_names = [x.name for x in parts], [*TASKS]
    if len({x.modulus for x in parts}) > 1 or len({*names}) < len(names):
        return None
    names.sort(key=lambda x: known_names.index(x) if x in TASKS else len(known_names))
    results = SIGNED if any(x.signed for x in parts) else UNSIGNED
    return Fraction(total, n), named_task(",".join(names), parts[0].modulus, results), ()


def _candidates(
    read: Reading, chosen: np.ndarray, k: int, sign: str, known: Request, base: int
) -> Iterator[Task]:
    """The tasks of so many operands that are tried, those first that are written with the sign."""
    names = [n for n, row in TASKS.items() if len(row.names) == k]
    if known.task is not None:
        names = [n for n in names if n in names_in(known.task)]
    plain = [named_task(n) for n in names if not TASKS[n].modular]
    if (read.results[chosen] < 0).any():
        plain = [replace(x, results=SIGNED) for x in plain if x.subtracts]
    elif k == 1:
        whole = (n for n, x in DIGIT_FUNCTIONS.items() if not x.modular)
        plain += [named_task(n, base=base) for n in whole if known.task in (None, n)]
    if k > 3 or (k == 1 and known.task is None):
        plain.append(parse_task(" + ".join(NAMES[:k])))
    plain.sort(key=lambda task: sign_of(task) != sign if k > 1 else False)
    yield from plain
    bodies = [(n, TASKS[n].terms, TASKS[n].names) for n in names if TASKS[n].modular]
    if k not in (1, 2):
        bodies.append(("", parse_task(" + ".join(NAMES[:k])).terms, NAMES[:k]))
    tried = [Task(name or "sum", terms, tuple(every)) for name, terms, every in bodies]
    tried.sort(key=lambda task: sign_of(task) != sign)
    for task in tried:
        p = known.modulus or _modulus(read, chosen, task)
        if p is None:
            continue
        if task.name in TASKS:
            yield named_task(task.name, p)
        else:
            yield parse_task(f"({' + '.join(NAMES[:k])}) % {p}")


def _modulus(read: Reading, chosen: np.ndarray, task: Task) -> int | None:
    """The modulus by which the answers differ from a polynomial, found by small sets of lines."""
    rows = np.flatnonzero(chosen)
    top = max(int(x.max(initial=0)) for x in (*read.values, abs(read.results)))
    *values, said = (x[rows].astype(task.dtype(top)) for x in (*read.values, read.results))
    differences = abs(task.polynomial(*values) - said)
    apart = differences[differences != 0].tolist()
    if len(apart) < _LEAST_WRAPPED:
        return None
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(apart), size=(_DRAWS, 3))
    votes = Counter(gcd(*(apart[i] for i in row)) for row in drawn.tolist())
    largest = int(np.sort(said)[-1 - len(said) // 50])
    for p, _ in votes.most_common():
        if max(largest, 1) < p < LARGEST_MODULUS:
            return p
    return None


def _is_right(read: Reading, task: Task, chosen: np.ndarray) -> np.ndarray:
    """Which of the chosen lines have the answer of a task."""
    found = np.zeros(len(chosen), dtype=bool)
    top = max([1, *(int(x.max(initial=0)) for x in read.values)])
    values = [x[chosen].astype(task.dtype(top), copy=False) for x in read.values]
    found[chosen] = task.evaluate(*values) == read.results[chosen]
    if task.needs_order:
        found &= np.asarray(read.results >= 0, dtype=bool)
    return found


def _right(read: Reading, task: Task) -> tuple[np.ndarray, np.ndarray]:
    """The operation that each line asks for, and which lines have its answer."""
    if len(task.names) != len(read.values):
        raise InvalidInput(
            f"{task.text()} has {task.operands} operands, and lines have {len(read.values)}"
        )
    parts = task.operations
    which = np.zeros(len(read.fits), dtype=np.int64)
    right = np.zeros(len(read.fits), dtype=bool)
    for i, part in enumerate(parts):
        chosen = read.fits
        if len(parts) > 1:
            chosen = chosen & np.array([s == sign_of(part) for s in read.signs])
        which[chosen] = i
        right |= _is_right(read, part, chosen)
    return which, right


@dataclass(frozen=True)
class _Rows:
    """All examples of a file, read in parts.

    Args:
        digits: of those that are right, ``(n, k, N)``; of several operations, the last row says
            which.
        widths: how many digits each operand of these has.
        right: which lines these are.
        wrong: the operands of the others that can be read, and their answers.
        written: the lengths that operands are written with, each with the first line that has it,
            and ``said`` those of results.
        extra: how many zeros stand before operands.
        zeros: whether any stands before a number, and ``result_zeros`` before a result.
    """

    digits: np.ndarray
    widths: np.ndarray
    right: np.ndarray
    wrong: list[tuple[np.ndarray, int]]
    written: dict[int, int]
    said: dict[int, int]
    extra: set[int]
    zeros: bool
    result_zeros: bool

    def zeros_to(self, task: Task, base: int) -> int:
        """To how many digits zeros fill operands beside results of natural length; 0: they do not.

        Results of one length are natural where the largest would not fit, nor the operands.
        """
        if self.result_zeros or len(self.written) > 1 or self.extra == {0} or not self.said:
            return 0
        [width], said = self.written, self.said
        is_short = max(said) < min(width, task.result_width(base, width))
        return width if len(said) > 1 or is_short else 0

    @staticmethod
    def read(examples: Examples, guess: _Guess) -> _Rows:
        """The examples of a file, by a format and a task."""
        kind = np.uint8 if guess.base <= 256 else np.uint16
        parts, widths, rights = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
        wrong, extra = list[tuple[np.ndarray, int]](), set[int]()
        written, said = dict[int, int](), dict[int, int]()
        zeros = result_zeros = False
        several = len(guess.task.operations) > 1
        step = max(1, _PART * _LINE // max(_LINE, max(map(len, examples.prompts))))
        for start in range(0, len(examples), step):
            part = examples.some(range(start, min(start + step, len(examples))))
            read = reading(guess.cut(part), guess.base, guess.order)
            operations, right = _right(read, guess.task)
            rows = np.pad(read.operands.astype(kind), ((0, 0), (0, int(several)), (0, 0)))
            if several:
                rows[:, -1, 0] = operations
            long = widths_of(read.operands)
            extra.update(np.unique((read.written - long)[right]).tolist())
            at = start + np.flatnonzero(right)
            for known, column in (
                *((written, x) for x in read.written[right].T),
                (said, read.result_written[right]),
            ):
                each = zip(*(x.tolist() for x in np.unique(column, return_index=True)), strict=True)
                for length, i in each:
                    known[length] = min(known.get(length, len(examples)), int(at[i]))
            zeros |= read.zeros
            result_zeros |= bool(read.result_zeros[right].any())
            parts.append(rows[right])
            widths.append(long[right].astype(np.int16))
            rights.append(right)
            wrong += [(rows[i], read.results[i]) for i in np.flatnonzero(read.fits & ~right)]
        longest = max(int(x.max(initial=1)) for x in widths)
        digits = np.concatenate([_of_width(rows, longest) for rows in parts])
        long, right = np.concatenate(widths), np.concatenate(rights)
        all_zeros = zeros or result_zeros, result_zeros
        return _Rows(digits, long, right, wrong, written, said, extra, *all_zeros)

    def contradictions(self, different: np.ndarray) -> int:
        """How many inputs stand in the file with several answers.

        Args:
            different: the right ones, each once.
        """
        answers: dict[bytes, set[int]] = {}
        width = self.digits.shape[2]
        for row, answer in self.wrong:
            if not row[:, width:].any():
                own = _of_width(row, width).astype(different.dtype)
                answers.setdefault(own.tobytes(), set()).add(int(answer))
        if not answers:
            return 0
        several = {key for key, said in answers.items() if len(said) > 1}
        several |= answers.keys() & {row.tobytes() for row in different}
        return len(several)


# --- its options ------------------------------------------------------------------------


def _options(
    rows: _Rows, guess: _Guess, given: Mapping[str, Any], examples: Examples
) -> dict[str, Any]:
    """The options of what was found; where some are given, beside these."""
    task, form = guess.task, guess.form
    found: dict[str, Any] = {}
    if not {"task", "expr"} & {*given}:
        found["task" if is_named(task.name) else "expr"] = task.name
    named = found.get("task", given.get("task"))
    if task.modulus is not None and named and "modulus" not in given:
        found["modulus"] = task.modulus
    if task.signed:
        found["results"] = SIGNED
    found["base"] = guess.base
    alike = len(rows.written) == len(rows.said) == 1
    filled = form.interleaved and not form.width  # all operands are as long as the longest
    zeros = rows.zeros_to(task, guess.base)
    is_said = given.get("width") or given.get("padding") == "fixed"
    natural = filled or bool(zeros) or not (alike and (form.width or rows.zeros or is_said))
    found["padding"] = "none" if natural else "fixed"
    told = natural and not filled and "layout" not in given
    if told and not zeros and (len(rows.extra) > 1 or rows.result_zeros):
        raise _uneven(rows, examples)
    longest = rows.digits.shape[2]
    lengths = np.unique(rows.widths.max(axis=1)).tolist()
    found["train_digits"] = "+".join(map(str, lengths))
    each = [tuple(np.unique(column).tolist()) for column in rows.widths.T]
    together = {tuple(x) for x in shapes_of(rows.widths)[0].tolist()}
    if (
        natural
        and not filled
        and len({*each}) > 1
        and len(together) == prod(map(len, each))
        and together != _lengths_together(task, guess.base, lengths)
    ):
        found["train_digits"] = each_text(each)
    wide = False
    if not natural:
        [width], [result] = rows.written, rows.said
        least = guess.order[0] == "least" and guess.order[1] == "least"
        wide = least and width == result < task.result_width(guess.base, width)
    if "layout" not in given:
        found["layout"] = _layout(rows.extra if natural else {0}, guess, examples, wide, zeros)
    if zeros:
        found["test_digits"] = f"1-{min(longest + 3, zeros)}"
    if not natural:
        if read_layout(given.get("layout", found.get("layout", ""))).wide:  # as long as the result
            k, every = task.operands, task.operands * width + result

            def fits(w: int) -> bool:
                of_result = task.result_width(guess.base, w)
                if form.interleaved:  # whose zeros stand above all digits is not seen
                    return k * max(w, of_result) + of_result <= every
                return of_result <= width

            width = max(filter(fits, range(1, every)), default=width)
            result *= not form.interleaved
        asked = given.get("width") or width
        found["width"] = width
        found["test_digits"] = f"1-{min(longest + 3, asked)}"
        if result > task.result_width(guess.base, asked):
            found["result_width"] = result
    return found


def _weights(setting: Setting, often: Mapping[int, int]) -> str:
    """How often each length is met, as the command line takes it; empty where that is as usual."""
    every = sum(often.values())

    def is_so(train: Domain, n: int, count: int) -> bool:
        share = float(train.share(n, setting.base, setting.task.operands))
        return abs(count - every * share) <= _BY_CHANCE * sqrt(every * share * (1 - share))

    for name in ("", BALANCED, UNIFORM)[: 2 if setting.train.each else 3]:
        train = replace(setting.train, weights=name)
        if all(is_so(train, n, count) for n, count in often.items()):
            return name
    least = ceil(2 * every * LEAST_SHARE)
    return ",".join(f"{n}:{max(count, least)}" for n, count in often.items())


def _uneven(rows: _Rows, examples: Examples) -> InvalidInput:
    """That zeros stand before some numbers, which have several lengths all the same."""
    what, lengths = ("operands", rows.written) if len(rows.written) > 1 else ("results", rows.said)
    (usual, first), (other, odd), *_ = sorted(lengths.items(), key=itemgetter(1))
    return InvalidInput(
        f"numbers have leading zeros and several lengths: {examples.quoted(first)} has {what} of "
        f"{usual} digits, and {examples.quoted(odd)} of {other}; pad all {what} to "
        f"{max(lengths)} digits, or write no zeros"
    )


def _lengths_together(task: Task, base: int, lengths: Sequence[int]) -> set[tuple[int, ...]]:
    """The lengths that operands have together where the longest has one of some lengths.

    Those are left out on which the task is not defined.  None are known where they are too many.
    """
    if lengths[-1] ** task.operands > _MOST_TOGETHER:
        return set()
    domain = Domain(tuple(lengths))
    every = (w for n in lengths for w in domain.operand_lengths(n, task.operands))
    return {w for w in every if is_defined(task, box_of_widths(w, base), base)}


def _layout(extra: set[int], guess: _Guess, examples: Examples, wide: bool, zeros: int = 0) -> str:
    """The layout that lines were found to have, in words.

    Args:
        extra: how many zeros stand before operands.
        wide: padded operands are as long as the result.
        zeros: to how many digits zeros fill operands beside a natural result; 0 if they do not.
    """
    form, (operands, result) = guess.form, guess.order
    if form.interleaved:
        return "interleaved"
    parts = ["aligned", f"operands {operands}", f"result {result}"]
    if not form.signs and form.operands > 1:
        parts.append("no operators")
    if not form.equals:
        parts.append("no equals")
    if wide:
        parts.append("wide")
    some = _sample(examples)
    if "<" in some.prompts[0]:
        parts.append("markers")
    if "(" in some.answers[0]:
        parts.append("carries")
    width, blank = _blanks(some.prompts)
    if width:
        parts.append(f"padded to {width} with {blank}")
        some = Examples([x.replace(" ", "") for x in some.prompts], some.answers)
    chance, stands = (_spaces(x, guess.base) for x in (some.prompts, some.answers))
    if chance == 1:
        parts.append("operand spaces")
    elif chance:
        parts.append(f"random spaces {chance}")
    if stands == 1:
        parts.append("result spaces")
    [before] = extra if len(extra) == 1 else [0]
    if zeros:
        parts.append(f"padded to {zeros} with zeros")
    elif 0 < before < 10:
        parts.append(f"{before} leading zeros" if before > 1 else "leading zero")
    return read_layout(", ".join(parts)).name


def _blanks(prompts: Sequence[str]) -> tuple[int, str]:
    """To how many characters operands of several lengths are filled up, and with which; 0: none."""
    fields = [x for text in prompts for x in re.split(r"[-+*,]", text.rstrip().rstrip("="))]
    filled = {c for c in set("".join(fields)) if not c.isalnum()}
    known = {symbol.replace(SPACE, " "): name for name, symbol in BLANKS.items()}
    widths, filling = set(map(len, fields)), "".join(filled)
    # Spaces beside numbers of one length are those around signs.
    is_around = filling == " " and len({len(x.strip()) for x in fields}) == 1
    if filling not in known or is_around or len(widths) > 1:
        return 0, ""
    return widths.pop(), known[filling]


def _spaces(texts: Sequence[str], base: int) -> Fraction:
    """The chance of a space between two digits: the simplest share within two standard errors."""
    words = re.compile("[A-Za-z]{2}")  # they part numbers
    text = "\n".join(x for x in texts if base > 10 or not words.search(x))
    text = NOT_DIGITS.sub("", text)
    apart = len(re.findall(r"(?<=[^\W_]) +(?=[^\W_])", text))
    together = len(re.findall(r"[^\W_](?=[^\W_])", text))
    places = apart + together
    if not apart or not together:
        return Fraction(int(apart > 0))
    share, error = apart / places, 2 * sqrt(apart * together / places**3)
    simple = (Fraction(round(share * n), n) for n in range(2, _FINEST))
    return next(
        (x for x in simple if abs(x - share) <= error and 0 < x < 1), Fraction(round(share, 2))
    ).limit_denominator(_FINEST)


def _of_tests(test: Examples, guess: _Guess, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The lengths that tests have, and the layout where it is another one."""
    stated = ("task", "expr", "modulus", "base", "results")
    given = {k: v for k, v in chosen.items() if k in stated}
    between, test = _separated(test)
    try:
        own = _guess(test, given, Request(**given))
    except _Misfit as error:
        raise InvalidInput(f"{error}{error.why}; tests are of the task of training") from None
    rows = _Rows.read(test, replace(own, task=guess.task))
    if not len(rows.digits):
        raise InvalidInput(f"no test example is one of {guess.task.text()}")
    if chosen.get("width") and len(rows.written) > 1:
        raise InvalidInput(
            f"the training examples are padded, and those of the tests have several lengths, as "
            f"{_of_several_lengths(rows, test)}: pad them too"
        )
    widths = rows.widths
    lengths = np.unique(widths.max(axis=1)).tolist()
    found: dict[str, Any] = {"test_digits": ",".join(map(str, lengths))}
    if chosen.get("width"):
        found["width"] = max(chosen["width"], *lengths)
    if (widths == widths[:, :1]).all() and max(lengths) > 1 and widths.shape[1] > 1:
        found["test_domain"] = "every"
    natural = chosen.get("padding") == "none"
    wide = read_layout(chosen.get("layout", "")).wide if chosen.get("layout") else False
    zeros = rows.zeros_to(guess.task, guess.base)
    written = _layout(rows.extra if natural else {0}, own, test, wide, zeros)
    written = read_layout(written + between).name
    if written != chosen.get("layout", written):
        found["test_layout"] = written
    return found


# --- what it shows, and what it lacks ------------------------------------------------------


def _lacking(
    setting: Setting, train: ObservedDomain, digits: np.ndarray, widths: np.ndarray
) -> Iterator[str]:
    """What a file lacks of all inputs of its lengths, in words."""
    base, names = setting.digit_base, setting.task.names
    last = train.lengths[-1]
    missing = [n for n in range(1, last) if n not in train.lengths]
    if missing:
        yield f"inputs of {lengths_text(missing)}"
    if setting.natural and not setting.train.each:
        every = sorted(
            _lengths_together(setting.task, base, train.lengths), key=lambda w: (max(w), w)
        )
        gone = [w for w in every if w not in set(train.widths)]
        if gone and train.kind != "every":
            of = f"{len(gone):,} of {len(every):,} combinations of lengths"
            yield f"{of}, as {_tuple(gone[0])} digits"
    for j, name in enumerate(names):
        for i in range(min(last, digits.shape[2])):
            there = widths[:, j] > i
            have = set(np.unique(digits[there, j, i]).tolist())
            top = i > 0 and not (widths[:, j] > i + 1).any()
            gone_digits = sorted(set(range(1 if top else 0, base)) - have)
            if have and gone_digits:
                yield f"{_digits_text(gone_digits)} at place {i + 1} of {name}"
    yield from _lacking_pairs(setting, digits, widths if setting.natural else None)
    if not train.every_token:
        yield "some tokens of several digits, or pairs of them"
    yield from _lacking_carries(setting, digits)


def _lacking_pairs(
    setting: Setting, digits: np.ndarray, widths: np.ndarray | None
) -> Iterator[str]:
    """The pairs of digits at one position that no example has.

    Args:
        widths: how many digits operands have, where they are not padded.
    """
    base, names = setting.digit_base, setting.task.names
    if base * base > 10**6:
        return
    for i in range(digits.shape[2]):
        for a, b in combinations(range(len(names)), 2):
            there = slice(None) if widths is None else (widths[:, [a, b]] > i).all(axis=1)
            x, y = digits[there, a, i].astype(np.int64), digits[there, b, i].astype(np.int64)
            met = np.bincount(x * base + y, minlength=base * base).reshape(base, base) > 0
            possible = np.outer(met.any(axis=1), met.any(axis=0))
            if i == digits.shape[2] - 1:  # where a result may be below 0 whatever stands below
                ends = (0, base - 1)
                for pair in np.argwhere(possible & ~met).tolist():
                    top = {a: (pair[0],), b: (pair[1],)}
                    box = Box(tuple((*[ends] * i, top.get(j, ends)) for j in range(len(names))))
                    possible[*pair] = is_defined(setting.task, box, base)
            gone = np.argwhere(possible & ~met)
            if len(gone):
                first = tuple(int(v) for v in gone[0])
                such = ", such as" if len(gone) > 1 else ":"
                yield (
                    f"{len(gone):,} of {int(possible.sum()):,} pairs of digits at place {i + 1} "
                    f"of {names[a]} and {names[b]}{such} {_tuple(first)}"
                )


def _lacking_carries(setting: Setting, digits: np.ndarray) -> Iterator[str]:
    """The carries that sums of digits never had where others of them did."""
    task, base = setting.task, setting.digit_base
    if not task.is_linear or isinstance(task, Operations) or min(task.coefficients) < 0:
        return
    linear = np.array(task.coefficients)
    carry = np.full(len(digits), task.constant, dtype=np.int64)
    for i in range(digits.shape[2]):
        total = digits[:, :, i].astype(np.int64) @ linear
        carry = (carry + total) // base
        if not total.any():
            return
        if len(np.unique(carry)) == 1:
            yield f"carries out of place {i + 1} other than {int(carry[0])}"


def _domain_size(setting: Setting) -> int:
    """How many inputs of its lengths there are."""
    s = setting
    domain = Domain(s.train.lengths, s.train.kind, natural=s.natural, in_token=s.train.in_token)
    boxes = domain.boxes(s.base, s.task.operands) if s.train.lengths[-1] <= 100 else ()
    return sum(box.size for box in boxes)


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"{number:.2g}"


def _digits_text(digits: Sequence[int]) -> str:
    ranges = [
        f"{a}..{b}" if b > a + 1 else str(a) if a == b else f"{a}, {b}"
        for a, b in runs(tuple(digits))
    ]
    listed = ", ".join(ranges[:_MOST_LISTED]) + (", ..." if len(ranges) > _MOST_LISTED else "")
    return f"the digit{'s' * (len(digits) > 1)} {listed}"


def _tuple(values: Sequence[int]) -> str:
    return " and ".join(map(str, values))


def _of_width(digits: np.ndarray, width: int) -> np.ndarray:
    """Digits ``(..., N)`` cut to so many, or with zeros above them."""
    missing = max(width - digits.shape[-1], 0)
    return np.pad(digits[..., :width], [(0, 0)] * (digits.ndim - 1) + [(0, missing)])
