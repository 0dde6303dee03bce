"""Indifference: whether a model's answers stay when its ignored tokens are disturbed.

The theory says of digits that training never varied that a model ignores them.  Whether a trained
model does can be seen on inputs of the trained lengths, without asking what it answers to longer
ones: the vectors of those tokens are moved halfway towards others', and the answers must stay.
Ours; the rule *indifference* (``theory.inference.rules``).

Shapes: n inputs, T tokens of each but the last, C model width.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from arith.theory.inference.support import Support
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import BATCH
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED, held_out_inputs

SHARE = 0.5
"""The share of another token's vector: at one half neither of the two outweighs the other."""


def ignored_slots(cell: Cell, support: Support) -> np.ndarray:
    """Which of the tokens that are read are operand digits at ignored positions, ``(T,)``."""
    return np.array(
        [
            t.kind == "operand" and support.constant((t.operand, t.position)) is not None
            for t in cell.format.tokens[:-1]
        ]
    )


@torch.no_grad()
def indifference(model: GPT, cell: Cell, support: Support) -> float | None:
    """The share of held-out inputs whose answer stays; None where no token is ignored.

    Answers are compared digit by digit, each after the right ones before it.
    """
    if cell.setting.natural:  # every token of an example is a part of the question
        return None
    ignored = ignored_slots(cell, support)
    if not ignored.any():
        return None
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    operands = np.concatenate(held_out_inputs(cell))
    written = torch.from_numpy(fmt.write(operands, fmt.results(operands))).to(device)
    slots = torch.from_numpy(fmt.written_slots).to(device) - 1
    vectors = model.embedding.get_parameter("weight")
    which = np.random.default_rng(EVALUATION_SEED).integers(
        fmt.vocabulary, size=(len(operands), len(ignored))
    )
    others, places = torch.from_numpy(which).to(device), torch.from_numpy(ignored).to(device)
    stays = 0
    for tokens, other in zip(written[:, :-1].split(BATCH), others.split(BATCH), strict=True):

        def disturb(_: object, __: object, x: Tensor, other: Tensor = other) -> Tensor:
            return torch.where(places[:, None], x + SHARE * (vectors[other] - x), x)

        said = model(tokens, slots).argmax(2)
        with model.embedding.register_forward_hook(disturb):
            disturbed = model(tokens, slots).argmax(2)
        stays += int((said == disturbed).all(1).sum())
    return stays / len(operands)
