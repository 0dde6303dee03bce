"""Places: where the tokens of examples of natural lengths stand, told from the tokens themselves.

Shapes: B sequences, T tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from theory.setting.layouts import BOS, EQUALS, SIGN
from verify.plan.cells import Cell
from verify.plan.natural_sequences import NaturalFormat
from verify.plan.sequences import LANDMARKS


@dataclass(frozen=True)
class Numbering:
    """What has to be known of an alphabet and an encoding to tell places from tokens.

    Args:
        base: tokens below it are digits; the landmarks follow.
        operands: how many there are.
        padding: the token that is no part of an example; tokens above it are markers.
        by_weight: numbers are weights: the sign after a number has 0, beside its units; otherwise
            signs have none.
        from_end: the digits of operands are numbered from where the operand ends.
    """

    base: int
    operands: int
    padding: int
    by_weight: bool
    from_end: bool


def numbering(cell: Cell) -> Numbering | None:
    """That of a cell; None where operands are padded, and every token has one place."""
    s, fmt = cell.setting, cell.format
    if not isinstance(fmt, NaturalFormat):
        return None
    from_end = s.encoding.by_weight and s.layout.operands_first == "most"
    return Numbering(s.base, s.task.operands, fmt.padding, s.encoding.by_weight, from_end)


class Places:
    """Where the tokens ``(B, T)`` of some sequences stand."""

    def __init__(self, how: Numbering, tokens: Tensor) -> None:
        self.how, self.tokens = how, tokens

    @cached_property
    def hidden(self) -> Tensor:
        """Which tokens are padding, ``(B, T)``."""
        return self.tokens == self.how.padding

    @cached_property
    def index(self) -> Tensor:
        """How many tokens of its example stand before each, ``(B, T)``."""
        return ((~self.hidden).long().cumsum(1) - 1).clamp(min=0)

    @cached_property
    def number(self) -> Tensor:
        """The number of each digit or marker within its number, from 1; -1 of others; ``(B, T)``.

        Where it is a weight the landmarks have 0, so that the first digit of a result is found as
        every other is: one above what was written last (Cho et al. 2024).
        """
        tokens, how = self.tokens, self.how
        is_digit = tokens < how.base
        marks = [how.base + LANDMARKS.index(x) for x in (BOS, SIGN, EQUALS)]
        is_landmark = (tokens >= marks[0]) & (tokens <= marks[-1])
        part = is_landmark.long().cumsum(1)
        # same[b, t, s]: token s is a digit of the same part of the example as token t.
        same = (part[:, :, None] == part[:, None, :]) & is_digit[:, None, :]
        t = tokens.shape[1]
        before = torch.ones(t, t, dtype=torch.bool, device=tokens.device).tril(-1)
        number = (same & before).sum(2) + 1
        if how.from_end:
            number = torch.where(part <= how.operands, (same & ~before).sum(2), number)
        others = torch.where(is_landmark & how.by_weight, 0, -1)
        return torch.where(is_digit | (tokens > how.padding), number, others)
