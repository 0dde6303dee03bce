"""Layouts: how an example is written, as tokens.

A layout is a value with free parts: the order of digits, signs, spaces, markers, carries, what
begins and ends an example, how many digits a token holds.  Some have names; any other is told by a
name and what differs, as in ``reversed, no signs`` (``layout``).

Numbers are zero-padded, as in the published experiments, or have their natural lengths; then an end
token follows the result.  The tokens that are no digits (``<bos>``, the signs between the operands,
``=``) are **landmarks**.  Where numbers are padded each stands at a fixed index, so that a query
that sees one can tell where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb
from typing import NamedTuple

from arith.theory.errors import InvalidInput, look_up, unknown_name

BOS, SIGN, EQUALS, END, SPACE = "<bos>", "+", "=", "<end>", "<space>"
ZERO = "0"
BLANKS = {"_": "_", "spaces": SPACE, "dots": ".", "zeros": ZERO}
"""The characters, by their names, that fill operands up to a width; to a model each is one token,
and a zero is that of the digit.
"""
SEPARATORS = {"comma": ",", "space": SPACE}
"""What may stand between two operands in place of a sign."""
STARTS = 32
"""Starts to draw from in training unless a setting says another number."""
INDICES = 128
"""Indices that random positions are drawn from: sums of thirty interleaved digits have 93 tokens,
and the next power of two leaves room between them."""
RESULT = -1
"""The result among the operands."""
MOST_IN_TOKEN = 4
"""The most digits that one token holds."""


class Token(NamedTuple):
    """A token of the sequence: a landmark, a digit, or what stands before a digit.

    Attributes:
        kind: ``landmark``, which has a symbol, ``operand``, which has an index, ``result``,
            ``marker``, which stands before a digit of its position (an operand's has an index),
            ``carry``, which stands before the result digit into which it goes, ``space``, or
            ``blank``, which stands where an operand has no digit.
        position: 1 = units; 0 for landmarks.  Of several digits it is that of the lowest.
        operand: the index of the operand; ``RESULT`` for the result and for landmarks.
        digits: how many digits of its number the token holds.
    """

    kind: str
    position: int = 0
    operand: int = RESULT
    symbol: str = ""
    digits: int = 1


@dataclass(frozen=True)
class Layout:
    """How operands and result are written.

    Args:
        operands_first: the digit order of the operands, ``most`` or ``least`` significant first.
        result_first: the digit order of the result.
        interleaved: digits of equal weight stand together, ``a_1 b_1 c_1 a_2 b_2 c_2 ...``.
        operators: a sign stands between two operands.
        equals: ``=`` stands before the result.
        wide: padded operands are as long as the result, so that equal digits are at equal offsets;
            otherwise they have a length of their own.
        hinted: before each digit stands a marker that says its position (index hints, Zhou et al.
            2023).
        scratchpad: before each result digit stands the carry that goes into it.
        spaces: the chance that a space stands before an operand digit (Shen et al. 2023).
        result_spaces: a space stands before each result digit.
        bos: ``<bos>`` begins an example.
        end: an end token follows the result of padded numbers too.
        in_token: how many digits one token holds, counted from the units, so that the tokens of
            padded numbers are the digits of a higher base; 0 for a whole number.
        from_left: how many digits one token holds, counted from the first that is written: which
            digits stand together depends on the length of their number.
        leading_zeros: so many zeros stand before each operand of natural length.
        blanks: to how many digits operands are filled up with blanks, above their highest digit,
            beside a result of natural length; 0 where they are not.
        blank: the character of a blank, by its name in ``BLANKS``.
        separator: what stands between two operands, by its name in ``SEPARATORS``; none for the
            sign of the task.
    """

    name: str
    operands_first: str = "least"
    result_first: str = "least"
    interleaved: bool = False
    summary: str = ""
    operators: bool = True
    equals: bool = True
    wide: bool = False
    hinted: bool = False
    scratchpad: bool = False
    spaces: Fraction = Fraction(0)
    result_spaces: bool = False
    bos: bool = True
    end: bool = False
    in_token: int = 1
    from_left: int = 1
    leading_zeros: int = 0
    blanks: int = 0
    blank: str = ""
    separator: str = ""

    @property
    def text(self) -> str:
        """``aligned layout``, ``layout 'reversed, no signs'``."""
        return f"layout '{self.name}'" if "," in self.name else f"{self.name} layout"

    @property
    def marked(self) -> bool:
        """Whether some sign says where a number ends."""
        return self.operators or self.equals

    @cached_property
    def spaced(self) -> bool:
        """Whether some spaces stand at random."""
        return 0 < self.spaces < 1

    @property
    def sign(self) -> str:
        """What stands between two operands; ``SIGN`` is that of the task."""
        return SEPARATORS.get(self.separator, SIGN)

    @cached_property
    def fills_with_zeros(self) -> bool:
        """Whether zeros fill operands up to a width, beside a result of natural length."""
        return self.blanks > 0 and BLANKS[self.blank] == ZERO

    @cached_property
    def operand_tokens(self) -> int:
        """How many tokens each digit of an operand takes at most, with what stands before it."""
        return 1 + self.hinted + (self.spaces > 0)

    @cached_property
    def result_tokens(self) -> int:
        """The tokens of a digit of the result, with its marker, its carry and its space."""
        return 1 + self.hinted + self.scratchpad + self.result_spaces

    def tokens(
        self, widths: Sequence[int], result_width: int, ends: bool = False
    ) -> tuple[Token, ...]:
        """The tokens of one example; of those that differ in their spaces, the longest.

        Args:
            widths: the digits of each operand.
            ends: whether numbers have their natural lengths, so that an end token follows.
        """
        tokens = [Token("landmark", symbol=BOS)] * self.bos
        end = [Token("landmark", symbol=END)] * (ends or self.end)
        if self.interleaved:
            together = max(widths) if ends else max(*widths, result_width)
            for i in range(1, together + 1):
                tokens += [Token("operand", i, j) for j, width in enumerate(widths) if i <= width]
                tokens += [Token("result", i)] if i <= result_width else []
            if ends:  # a sign says that the operands are over; what is left of the result follows
                tokens.append(Token("landmark", symbol=EQUALS))
                tokens += [Token("result", i) for i in range(together + 1, result_width + 1)]
            return (*tokens, *end)
        for j, width in enumerate(widths):
            tokens += [Token("landmark", symbol=SIGN)] * (j > 0 and self.operators)
            written = self._number("operand", max(width + self.leading_zeros, self.blanks), j)
            tokens += [self._blanked(token, width) for token in written]
        tokens += [Token("landmark", symbol=EQUALS)] * self.equals
        tokens += self._number("result", result_width)
        return (*tokens, *end)

    def _blanked(self, token: Token, width: int) -> Token:
        """A token of an operand of so many digits, or the blank in its place."""
        if self.blanks and token.position > width:
            return Token("blank", token.position, token.operand, BLANKS[self.blank])
        return token

    def _number(self, kind: str, width: int, operand: int = RESULT) -> Iterator[Token]:
        """The tokens of a number; digits that stand together do so from the left."""
        is_result = kind == "result"
        most = (self.result_first if is_result else self.operands_first) == "most"
        for before in range(0, width, self.from_left):
            digits = min(self.from_left, width - before)
            i = 1 + (width - before - digits if most else before)
            if self.result_spaces if is_result else self.spaces:
                yield Token("space", i, operand, SPACE)
            if self.hinted:
                yield Token("marker", i, operand)
            if self.scratchpad and is_result:
                yield Token("carry", i)
            yield Token(kind, i, operand, digits=digits)

    def places(self, digits: int) -> int:
        """How many tokens so many digits of one number take, beside what stands before each."""
        return -(-digits // self.from_left)

    def padded(self) -> Layout:
        """The layout of padded numbers: they are whole tokens long, from either side."""
        return layout(f"{self.name}, {_per_token(self.from_left)}") if self.from_left > 1 else self

    def ways(self, places: int) -> tuple[int, ...]:
        """How likely 0, 1, ... of some spaces are to be missing, but for a common factor."""
        return _ways(*self.spaces.as_integer_ratio(), places)

    def chance(self, shape: Shape) -> Fraction:
        """The chance that an example of this layout is written just as one of another layout.

        It is 1 of an example of its own, whose spaces are among those that it draws itself.
        """
        other, digits = shape.layout, sum(shape.widths)
        if other == self:
            return Fraction(1)
        apart = {name for name, x in self.parts().items() if x != other.parts()[name]}
        if apart != {"spaces"} or not self.spaced or other.spaced:
            return Fraction(0)
        return (self.spaces if other.spaces else 1 - self.spaces) ** digits

    def operand_width(self, digits: int, result_width: int) -> int:
        """How many digits operands of up to ``digits`` digits are padded to."""
        return max(digits, result_width) if self.wide else digits

    def parts(self) -> dict[str, object]:
        """Everything but the name and the summary: two layouts of the same parts are one."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _WORDS_ONLY}


_WORDS_ONLY = ("name", "summary")


@dataclass(frozen=True)
class Shape:
    """The lengths of the operands and of the result, and how many inputs have them."""

    layout: Layout
    widths: tuple[int, ...]
    result: int
    inputs: int

    @cached_property
    def tokens(self) -> int:
        """How many tokens an example has, the end token included."""
        return self.index(RESULT, self.result if self.layout.result_first == "least" else 1) + 2

    def has(self, operand: int, position: int) -> bool:
        """Whether a number has a digit at a position."""
        return 1 <= position <= (self.result if operand == RESULT else self.widths[operand])

    def _length(self, operand: int) -> int:
        """How many digits a number is written with, the zeros before it included."""
        if operand == RESULT:
            return self.result
        length = self.widths[operand] + self.layout.leading_zeros
        return max(length, self.layout.blanks) if self.layout.fills_with_zeros else length

    @property
    def longest(self) -> int:
        """How many digits the longest number is written with."""
        return max(map(self._length, (*range(len(self.widths)), RESULT)))

    def highest(self, operand: int) -> int:
        """The highest position at which an operand has a digit, or a zero that fills it up."""
        filled = self.layout.blanks if self.layout.fills_with_zeros else 0
        return max(self.widths[operand], filled)

    def rank(self, operand: int, position: int) -> int:
        """How many tokens of digits of its number are written before that of a digit."""
        origin, sign, _, _ = self._lines[operand]
        return (origin + sign * position) // self.layout.from_left

    def index(self, operand: int, position: int) -> int:
        """Where a digit stands, with a space before every operand digit if there are spaces."""
        origin, sign, first, each = self._lines[operand]
        return first + each * ((origin + sign * position) // self.layout.from_left)

    def indices(self, operand: int, positions: range) -> Sequence[int]:
        """``index`` of each of some positions that ascend one by one."""
        _, _, first, each = self._lines[operand]
        ranks = self.ranks(operand, positions)
        if isinstance(ranks, range):
            return range(first + each * ranks.start, first + each * ranks.stop, each * ranks.step)
        return [first + each * rank for rank in ranks]

    def ranks(self, operand: int, positions: range) -> Sequence[int]:
        """``rank`` of each of some positions that ascend one by one."""
        origin, sign, _, _ = self._lines[operand]
        digits = range(origin + sign * positions.start, origin + sign * positions.stop, sign)
        together = self.layout.from_left
        return digits if together == 1 else [x // together for x in digits]

    @cached_property
    def _lines(self) -> list[tuple[int, int, int, int]]:
        """How the digits of each number stand in line, the result last; it is asked very often.

        The digits before that of a position are the first plus the second times it; the third is
        the index of the number's first token of digits, and the fourth how many tokens each takes.
        """
        layout, last, found = self.layout, len(self.widths) - 1, []
        start = int(layout.bos)
        for operand in (*range(last + 1), RESULT):
            is_result, length = operand == RESULT, self._length(operand)
            order = layout.result_first if is_result else layout.operands_first
            each = layout.result_tokens if is_result else layout.operand_tokens
            blanks = 0 if is_result else max(0, layout.blanks - length)  # above its highest digit
            first = start + each * (1 if order == "least" else blanks + 1) - 1
            found.append((*((-1, 1) if order == "least" else (length, -1)), first, each))
            start += each * layout.places(length + blanks)
            start += layout.operators if operand < last else layout.equals
        return found

    def query(self, position: int) -> int:
        """Where the token before a result digit stands."""
        return self.index(RESULT, position) - 1

    def spaces(self, operand: int, position: int) -> tuple[int, int]:
        """How many spaces stand before an operand digit at most, and how many after it."""
        each = [self._length(j) for j in range(len(self.widths))]
        before = sum(each[:operand]) + self.rank(operand, position) + 1
        return before, sum(each) - before

    def text(self, names: tuple[str, ...]) -> str:
        """``with 6 and 5 digits in a and b``."""
        each = " and ".join(map(str, self.widths))
        return f"with {each} digit{'s' * (self.widths != (1,))} in {' and '.join(names)}"


_LAYOUTS = (
    Layout("plain", "most", "most", summary="as people write: most significant digit first"),
    Layout(
        "reversed",
        "most",
        "least",
        summary="the published one: the result units first",
    ),
    Layout("aligned", summary="all numbers units first: digits of a place at equal offsets"),
    Layout(
        "interleaved",
        interleaved=True,
        summary="a1 b1 c1 a2 b2 c2 ...: digits of a place side by side",
        operators=False,
        equals=False,
        wide=True,
    ),
    Layout(
        "bare", summary="aligned, without signs to go by", operators=False, equals=False, wide=True
    ),
    Layout("hinted", summary="aligned, a marker before each digit", hinted=True),
    Layout("scratchpad", summary="aligned, the carry before each result digit", scratchpad=True),
    Layout(
        "spaced",
        summary="aligned, a space or none before each operand digit",
        spaces=Fraction(1, 2),
    ),
)
LAYOUTS = {layout.name: layout for layout in _LAYOUTS}
"""Every layout that has a name.  Adding a row here is all that a new one needs."""

# --- layouts in words ---------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _ways(there: int, every: int, places: int) -> tuple[int, ...]:
    return tuple(
        comb(places, missing) * (every - there) ** missing * there ** (places - missing)
        for missing in range(places + 1)
    )


def _per_token(digits: int) -> str:
    return f"{digits} digit{'s' * (digits > 1)} per token"


PART_WORDS: dict[str, dict[str, object]] = {
    "operands most": {"operands_first": "most"},
    "operands least": {"operands_first": "least"},
    "result most": {"result_first": "most"},
    "result least": {"result_first": "least"},
    "no signs": {"operators": False, "equals": False},
    "signs": {"operators": True, "equals": True},
    "no operators": {"operators": False},
    "operators": {"operators": True},
    "no equals": {"equals": False},
    "equals": {"equals": True},
    "wide": {"wide": True},
    "narrow": {"wide": False},
    "markers": {"hinted": True},
    "no markers": {"hinted": False},
    "carries": {"scratchpad": True},
    "no carries": {"scratchpad": False},
    "no spaces": {"spaces": Fraction(0), "result_spaces": False},
    "spaces": {"spaces": Fraction(1), "result_spaces": True},
    "random spaces": {"spaces": Fraction(1, 2)},
    "operand spaces": {"spaces": Fraction(1)},
    "result spaces": {"result_spaces": True},
    "no result spaces": {"result_spaces": False},
    "no bos": {"bos": False},
    "bos": {"bos": True},
    "end": {"end": True},
    "no end": {"end": False},
    "whole numbers": {"in_token": 0, "from_left": 1},
    "no blanks": {"blanks": 0, "blank": ""},
    "signs between operands": {"separator": ""},
    **{f"{name} between operands": {"separator": name} for name in SEPARATORS},
    "no leading zeros": {"leading_zeros": 0},
    "leading zero": {"leading_zeros": 1},
    **{f"{n} leading zeros": {"leading_zeros": n} for n in range(2, 10)},
    **{
        _per_token(n) + side: {"in_token": units, "from_left": left}
        for n in range(1, MOST_IN_TOKEN + 1)
        for side, units, left in (("", n, 1), (" from the right", n, 1), (" from the left", 1, n))
    },
}
"""What may follow the name of a layout, and what it changes."""
_RANDOM = "random spaces "
"""A chance may follow it: ``random spaces 1/4``."""
_PADDED = re.compile(r"padded to ([0-9]{1,4}) with (.+)")
"""``padded to 8 with _``, ``padded to 8 with spaces``."""


def layout(text: str) -> Layout:
    """The layout of that name, or of a name and what differs, as in ``reversed, no signs``.

    Without a name it is the aligned one that the parts change.  Layouts of the same parts are
    equal, however they were told: ``aligned, random spaces`` is ``spaced``.

    Raises:
        InvalidInput: no such name or part, or parts that cannot stand together.
    """
    first, *rest = (" ".join(part.split()) for part in text.split(","))
    if not rest and not _is_part(first):
        return look_up("layout", first, LAYOUTS)
    parts = [first, *rest]
    start = LAYOUTS.get(first)
    if start is not None:
        parts = rest
    changed = replace(start or LAYOUTS["aligned"], name="", summary="")
    for part in parts:
        changed = replace(changed, **_changes(part))  # type: ignore[arg-type]
    if why := next((why for is_wrong, why in _refusals(changed) if is_wrong), ""):
        raise InvalidInput(f"'{text}': {why}")
    return next((x for x in LAYOUTS.values() if x.parts() == changed.parts()), _named(changed))


def _is_part(text: str) -> bool:
    """Whether a text is a part of a layout, and no name."""
    return text in PART_WORDS or text.startswith(_RANDOM) or bool(_PADDED.fullmatch(text))


def _changes(part: str) -> dict[str, object]:
    """What a part of a layout's words changes (InvalidInput: it is none)."""
    if padded := _PADDED.fullmatch(part):
        digits, blank = int(padded[1]), padded[2]
        if digits < 1 or blank not in BLANKS:
            known = ", ".join(BLANKS)
            raise InvalidInput(
                f"'{part}': operands are padded to 1 digit or more with one of {known}; results "
                "are padded too where --padding is fixed"
            )
        return {"blanks": digits, "blank": blank}
    if part.startswith(_RANDOM):
        chance = part.removeprefix(_RANDOM)
        try:
            share = Fraction(chance) if len(chance) <= 12 else Fraction(0)
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not (0 < share < 1 and share.denominator <= 100):
            raise InvalidInput(
                f"'{part}': the chance of a space is a share such as 1/4 or 0.1, in hundredths"
            )
        return {"spaces": share}
    if part not in PART_WORDS:
        raise unknown_name("part of a layout", part, PART_WORDS, "arith layouts lists them")
    return PART_WORDS[part]


def _refusals(layout: Layout) -> Iterator[tuple[object, str]]:
    """Whether parts of a layout cannot stand together, each with why."""
    alone = layout.operand_tokens == layout.result_tokens == 1
    together, filled = layout.from_left > 1, layout.leading_zeros or layout.blanks
    units_first = layout.operands_first == layout.result_first == "least"
    more = layout.marked or filled or layout.separator or together
    as_wide = units_first and layout.wide and layout.bos and alone and not more
    what = "digits that are interleaved stand alone, behind <bos>, least significant first"
    yield layout.interleaved and not as_wide, what
    what = (
        "digits that stand in one token have no markers, carries, spaces, blanks or leading zeros"
    )
    yield together and (filled or not alone), f"{what} between them or before them"
    yield layout.leading_zeros and layout.spaced, "leading zeros stand without random spaces"
    what = "padded numbers stand without random spaces or leading zeros"
    yield layout.blanks and (layout.leading_zeros or layout.spaced), what
    what = "zeros fill up numbers without markers or spaces"
    yield layout.fills_with_zeros and layout.operand_tokens > 1, what
    yield layout.separator and not layout.operators, "nothing stands between the operands"
    what = "no other spaces stand beside one between the operands"
    yield layout.sign == SPACE and (layout.spaces or layout.blank == "spaces"), what
    is_reversed = layout.operands_first == "most" and not layout.interleaved
    yield layout.wide and is_reversed, "operands as wide as the result are written least first"


def _named(changed: Layout) -> Layout:
    """A layout with the shortest words that tell it: a name, and what differs from it."""
    words = min((_differences(x, changed) for x in LAYOUTS.values()), key=len)
    start, *parts = words
    name = ", ".join([start, *parts])
    return replace(changed, name=name, summary=f"{start}, but {' and '.join(parts)}")


def _differences(start: Layout, changed: Layout) -> list[str]:
    """The name of a layout, and the parts that make another of it."""
    now, asked = start.parts(), changed.parts()
    if now["interleaved"] != asked["interleaved"]:
        return [start.name] * (len(asked) + 2)  # no part changes that
    words = [start.name]
    for part, changes in PART_WORDS.items():
        wanted = {key: asked[key] for key in changes}
        is_needed = wanted == changes and any(now[key] != asked[key] for key in changes)
        if is_needed:
            words.append(part)
            now |= changes
    if now["spaces"] != asked["spaces"]:
        words.append(f"{_RANDOM}{asked['spaces']}")
    if now["blanks"] != asked["blanks"] or now["blank"] != asked["blank"]:
        words.append(f"padded to {asked['blanks']} with {asked['blank']}")
    return words
