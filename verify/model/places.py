"""Places: where the tokens of examples of natural lengths stand, told from the tokens themselves.

Shapes: B sequences, T tokens.
"""

from __future__ import annotations

from functools import cache, cached_property

import torch
from torch import Tensor

from arith.verify.plan.numbering import Numbering


class Places:
    """Where the tokens ``(B, T)`` of some sequences stand."""

    def __init__(self, how: Numbering, tokens: Tensor) -> None:
        self.how, self.tokens = how, tokens

    @cached_property
    def hidden(self) -> Tensor:
        """Which tokens are padding, ``(B, T)``."""
        return self.tokens == self.how.end + 1

    @cached_property
    def index(self) -> Tensor:
        """How many tokens of its example stand before each, ``(B, T)``."""
        return ((~self.hidden).long().cumsum(1) - 1).clamp(min=0)

    @cached_property
    def asked(self) -> Tensor:
        """Which tokens a model writes in the interleaved layout, ``(B, T)``."""
        after_sign = (self.tokens == self.how.end - 1).long().cumsum(1)  # '=' is the last landmark
        is_over = after_sign - (self.tokens == self.how.end - 1).long() > 0
        column = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        is_beside = (column % self.how.together == 0) & (column > 0) & (after_sign == 0)
        return (is_beside | is_over) & ~self.hidden

    @cached_property
    def question(self) -> Tensor:
        """Which tokens are of the operands, before ``=``, whatever a model writes; ``(B, T)``."""
        column = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        is_given = column % self.how.together > 0 if self.how.together else column >= 0
        is_sign = (self.tokens == self.how.end - 1) & is_given
        return is_given & (is_sign.long().cumsum(1) == 0) & ~self.hidden

    @cached_property
    def room(self) -> Tensor:
        """How many tokens stand before the end if the result is as long as it can be, ``(B,)``.

        It is known from the operands, before any of the result is written.
        """
        how, is_digit = self.how, self.question & (self.tokens < self.how.base)
        if how.together:
            longest = is_digit.long().sum(1) // (how.together - 1)
            begun = 2 + longest * how.together
        else:
            part = (self.question & ~is_digit & (self.tokens < how.end)).long().cumsum(1)
            each = [(is_digit & (part == j + 1)).long().sum(1) for j in range(how.operands)]
            longest = torch.stack(each).amax(0)
            begun = 1 + self.question.long().sum(1)
        return begun + _on(self.tokens.device, how.after)[longest.clamp(min=1) - 1]

    @cached_property
    def number(self) -> Tensor:
        """The number of each digit or marker within its number, from 1; -1 of others; ``(B, T)``.

        Where it is a weight the landmarks have 0, so that the first digit of a result is found as
        every other is: one above what was written last (Cho et al. 2024).
        """
        tokens, how = self.tokens, self.how
        is_digit = tokens < how.base
        is_landmark = (tokens >= how.base) & (tokens < how.end)
        part = is_landmark.long().cumsum(1)
        # same[b, t, s]: token s is a digit of the same part of the example as token t.
        same = (part[:, :, None] == part[:, None, :]) & is_digit[:, None, :]
        t = tokens.shape[1]
        before = torch.ones(t, t, dtype=torch.bool, device=tokens.device).tril(-1)
        number = (same & before).sum(2) + 1
        if how.from_end:
            number = torch.where(part <= how.operands, (same & ~before).sum(2), number)
        others = torch.where(is_landmark & how.by_weight, 0, -1)
        numbered = is_digit if how.space is not None else is_digit | (tokens > how.end + 1)
        return torch.where(numbered, number, others)


@cache
def _on(device: torch.device, numbers: tuple[int, ...]) -> Tensor:
    """Numbers as a tensor, copied to a device once: a step that is recorded there copies none."""
    return torch.tensor(numbers, device=device)
