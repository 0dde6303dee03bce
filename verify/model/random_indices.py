"""Random positions: increasing indices that are drawn for each example (Ruoss et al. 2023).

Each of the T tokens of an example has an index of a sorted random subset of 0, 1, ..., R - 1.  T
counts the longest result that the operands can have, so that no index tells how long it is.

Shapes: B sequences, T tokens, R indices to draw from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from arith.theory.setting.layouts import INDICES, Token
from arith.verify.model.places import Places

BYTES = 2 * INDICES
"""Random bytes that the indices of one example are drawn from."""
_DRAWS, _SEED = 1024, 0
"""In evaluation: draws that are made once for all models, and the seed of their generator."""


class RandomIndices(nn.Module):
    """The indices of the tokens of examples.

    In training they are drawn anew each time.  In evaluation they are one of ``_DRAWS`` draws, and
    the operands say which: they change neither with the batch nor while a result is written.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__()
        rng = np.random.default_rng(_SEED)
        orders = rng.permuted(np.tile(np.arange(INDICES), (_DRAWS, 1)), axis=1)
        self.orders = nn.Buffer(torch.from_numpy(orders), persistent=False)
        self.weights = nn.Buffer(
            torch.from_numpy(rng.integers(1, 2**31, INDICES)), persistent=False
        )
        is_operand = torch.tensor([token.kind == "operand" for token in tokens])
        self.is_operand = nn.Buffer(is_operand, persistent=False)

    def forward(self, tokens: Tensor, noise: Tensor | None, places: Places | None) -> Tensor:
        """The indices ``(B, T)`` of tokens ``(B, T)``; those behind the end have the last.

        Args:
            noise: ``(B, BYTES)`` random bytes in training, None in evaluation.
            places: where the tokens stand if numbers have natural lengths, else None.
        """
        every = torch.arange(INDICES, device=tokens.device)
        if noise is None:
            keys = self.orders[self._draw(tokens, places)]
        else:
            high, low = noise.view(-1, 2, INDICES).long().unbind(1)
            keys = (256 * high + low) * INDICES + every  # no two are equal
        if places is None:
            number = torch.full_like(keys[:, :1], len(self.is_operand))
        else:
            number = places.room[:, None]
        largest = keys.sort(1).values.gather(1, number - 1)
        drawn = torch.where(keys <= largest, every, INDICES - 1).sort(1).values
        return drawn[:, : tokens.shape[1]] if places is None else drawn.gather(1, places.index)

    def _draw(self, tokens: Tensor, places: Places | None) -> Tensor:
        """Which of the draws an example has, ``(B,)``, by its operands."""
        if places is None:
            of_question = self.is_operand[: tokens.shape[1]].expand(len(tokens), -1)
        else:
            of_question = places.question
        rank = (of_question.long().cumsum(1) - 1).clamp(min=0)
        mixed = (tokens + 1) * self.weights[rank] * of_question
        return mixed.sum(1) % _DRAWS
