"""Layouts: the order in which the tokens of one example are written.

Numbers are zero-padded, as in the published experiments, or have their natural lengths; then an end
token follows the result.  The tokens that are no digits (``<bos>``, the signs between the operands,
``=``) are **landmarks**.  Where numbers are padded each stands at a fixed index, so that a query
that sees one can tell where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arith.theory.errors import look_up

BOS, SIGN, EQUALS, END, SPACE = "<bos>", "+", "=", "<end>", "<space>"
STARTS = 32
"""Starts to draw from in training unless a setting says another number."""
INDICES = 128
"""Indices that random positions are drawn from: sums of thirty interleaved digits have 93 tokens,
and the next power of two leaves room between them."""


@dataclass(frozen=True)
class Token:
    """A token of the sequence: a landmark, a digit, or what stands before a digit.

    Args:
        kind: ``landmark``, which has a symbol, ``operand``, which has an index, ``result``,
            ``marker``, which stands before a digit of its position (an operand's has an index),
            ``carry``, which stands before the result digit into which it goes, or ``space``.
        position: 1 = units; 0 for landmarks and spaces.
    """

    kind: str
    position: int = 0
    operand: int = -1
    symbol: str = ""


@dataclass(frozen=True)
class Layout:
    """How operands and result are ordered.

    Args:
        operands_first: the digit order of the operands, ``most`` or ``least`` significant first.
        result_first: the digit order of the result.
        interleaved: digits of equal weight stand together, ``a_1 b_1 c_1 a_2 b_2 c_2 ...``.
        marked: signs stand between the numbers, and operands are padded to a length of their own;
            otherwise they are as long as the result, so that equal digits are at equal offsets.
        hinted: before each digit stands a marker that says its position (index hints, Zhou et al.
            2023).
        scratchpad: before each result digit stands the carry that goes into it.
        spaced: before each operand digit stands a space or none, at random (Shen et al. 2023).
    """

    name: str
    operands_first: str
    result_first: str
    interleaved: bool
    summary: str
    marked: bool = True
    hinted: bool = False
    scratchpad: bool = False
    spaced: bool = False

    @property
    def operand_tokens(self) -> int:
        """How many tokens each digit of an operand takes at most, with what stands before it."""
        return 2 if self.hinted or self.spaced else 1

    @property
    def result_tokens(self) -> int:
        """The same of a digit of the result."""
        return 2 if self.hinted or self.scratchpad else 1

    def tokens(
        self, widths: Sequence[int], result_width: int, ends: bool = False
    ) -> tuple[Token, ...]:
        """The tokens of one example; of those that differ in their spaces, the longest.

        Args:
            widths: the digits of each operand.
            ends: whether an end token follows the result.
        """
        tokens = [Token("landmark", symbol=BOS)]
        if self.interleaved:
            together = max(widths) if ends else max(*widths, result_width)
            for i in range(1, together + 1):
                tokens += [Token("operand", i, j) for j, width in enumerate(widths) if i <= width]
                tokens += [Token("result", i)] if i <= result_width else []
            if not ends:
                return tuple(tokens)
            # A sign says that the operands are over; what is left of the result follows.
            tokens.append(Token("landmark", symbol=EQUALS))
            tokens += [Token("result", i) for i in range(together + 1, result_width + 1)]
            return (*tokens, Token("landmark", symbol=END))
        for j, width in enumerate(widths):
            tokens += self._number("operand", width, self.operands_first, j)
            if self.marked:
                tokens.append(Token("landmark", symbol=SIGN if j < len(widths) - 1 else EQUALS))
        tokens += self._number("result", result_width, self.result_first)
        return (*tokens, Token("landmark", symbol=END)) if ends else tuple(tokens)

    def _number(self, kind: str, width: int, first: str, operand: int = -1) -> Iterator[Token]:
        order = range(1, width + 1) if first == "least" else range(width, 0, -1)
        for i in order:
            if self.hinted:
                yield Token("marker", i, operand)
            if self.spaced and kind == "operand":
                yield Token("space", symbol=SPACE)
            if self.scratchpad and kind == "result":
                yield Token("carry", i)
            yield Token(kind, i, operand)

    def operand_width(self, digits: int, result_width: int) -> int:
        """How many digits operands of up to ``digits`` digits are padded to."""
        return digits if self.marked else max(digits, result_width)


_LAYOUTS = (
    Layout("plain", "most", "most", False, "as people write: most significant digit first"),
    Layout("reversed", "most", "least", False, "the published one: only the result reversed"),
    Layout("aligned", "least", "least", False, "all reversed: equal digits at equal offsets"),
    Layout(
        "interleaved", "least", "least", True, "a1 b1 c1 a2 b2 c2 ...: equal digits adjacent", False
    ),
    Layout("bare", "least", "least", False, "aligned, without signs to go by", marked=False),
    Layout("hinted", "least", "least", False, "aligned, a marker before each digit", hinted=True),
    Layout(
        "scratchpad",
        "least",
        "least",
        False,
        "aligned, the carry before each result digit",
        scratchpad=True,
    ),
    Layout(
        "spaced",
        "least",
        "least",
        False,
        "aligned, a space or none before each operand digit",
        spaced=True,
    ),
)
LAYOUTS = {layout.name: layout for layout in _LAYOUTS}
"""Every layout.  Adding a row here is all that a new layout needs."""


def layout(name: str) -> Layout:
    """The layout of that name (InvalidInput: there is none)."""
    return look_up("layout", name, LAYOUTS)
