"""Steadiness: whether a model's answers at a length stay when its operand digits are disturbed.

To digits that training never showed together a model may have no firm answer: another one is near,
and which of them it gives differs from model to model.  That can be seen without knowing which is
right: the vectors of all operand digits are moved a little towards those of other digits, and the
answers must stay.  Ours; the rule *steadiness* (``theory.inference.rules``).

Shapes: n inputs, k operands of N digits, M result digits, T tokens of each but the last, S of them
followed by one that the model writes, C model width.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from arith.verify.model.gpt import GPT
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED

SHARE = 0.1
"""The share of another digit's vector: far from one half, at which the other would be read."""
MOST = 1000
"""Inputs that are disturbed, evenly spaced among those that there are."""


@torch.no_grad()
def steadiness(model: GPT, cell: Cell, operands: np.ndarray, said: np.ndarray) -> float | None:
    """The share of answers that stay; None where numbers have their natural lengths.

    Answers are compared digit by digit, each after the model's own digits before it.

    Args:
        operands: digits ``(n, k, N)``, units first.
        said: the model's answers, ``(n, M)``.
    """
    if cell.setting.natural:
        return None
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    some = slice(None, None, -(-len(said) // MOST))
    written = torch.from_numpy(fmt.write(operands[some], said[some])).to(device)[:, :-1]
    slots = torch.from_numpy(fmt.written_slots).to(device) - 1
    digit = torch.tensor([t.kind == "operand" for t in fmt.tokens[:-1]], device=device)[:, None]
    vectors = model.embedding.get_parameter("weight")
    drawn = np.random.default_rng(EVALUATION_SEED).integers(cell.setting.base, size=written.shape)
    others = vectors[torch.from_numpy(drawn).to(device)]  # (n, T, C)

    def disturb(_: object, __: object, x: Tensor) -> Tensor:
        return torch.where(digit, x + SHARE * (others - x), x)

    before = model(written, slots).argmax(2)  # (n, S)
    with model.embedding.register_forward_hook(disturb):
        after = model(written, slots).argmax(2)
    return float((before == after).all(1).double().mean())
