"""Measuring a trained model: greedy answers, against the truth and against the learned function."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from arith.theory.prediction.predict import Prediction
from arith.verify.model.gpt import GPT
from arith.verify.model.steadiness import steadiness
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import held_out_inputs, inputs_at
from arith.verify.plan.sequences import Format, NaturalFormat
from arith.verify.records.measurement import Measurement

BATCH = 500
"""Examples that a model answers at once."""


@torch.no_grad()
def answers(
    model: nn.Module, cell: Cell, operands: np.ndarray, guess: np.ndarray | None = None
) -> np.ndarray:
    """The model's greedy answers, result digits ``(n, M)``, units first.

    All result digits are asked for at once, after a guess of those before them, and the answers
    are the next guess until nothing changes.  After i passes the first i digits are the greedy
    ones, whatever the guess was.  So the fixed point is what decoding digit by digit gives, and
    a guess that is right saves passes.

    Args:
        operands: digits ``(n, k, N)``, units first.
        guess: the first guess ``(n, M)``, units first; None for the true results.
    """
    model.eval()
    fmt = cell.format_for(operands.shape[2])
    device = next(model.parameters()).device
    # Where f^ is not defined its digits are -1, which no token is.
    begun = fmt.results(operands) if guess is None else guess.clip(min=0)
    written = fmt.write(operands, begun)
    slots = torch.from_numpy(fmt.written_slots).to(device)
    out = []
    for tokens in torch.from_numpy(written).to(device).split(BATCH):
        unsettled = torch.arange(len(tokens), device=device)
        for _ in slots:
            said = _to_the_end(model(tokens[unsettled, :-1], slots - 1).argmax(dim=2), fmt)
            changed = (said != tokens[unsettled][:, slots]).any(dim=1)
            tokens[unsettled[:, None], slots] = said
            unsettled = unsettled[changed]
            if not len(unsettled):
                break
        out.append(fmt.read(tokens[:, slots].cpu().numpy()))
    return np.concatenate(out)


def _to_the_end(said: Tensor, fmt: Format) -> Tensor:
    """Answers ``(n, S)`` with padding after the first end token, if there is one."""
    if not isinstance(fmt, NaturalFormat):
        return said
    ended = (said == fmt.end).long()
    return said.masked_fill(ended.cumsum(1) > ended, fmt.padding)


def learned_answers(prediction: Prediction, cell: Cell, operands: np.ndarray) -> np.ndarray | None:
    """What ``f^`` answers to operands ``(n, k, N)``: ``(n, M)``; None where none is predicted."""
    if prediction.learned is None:
        return None
    fmt = cell.format_for(operands.shape[2])
    return fmt.to_digits(prediction.learned.evaluate(*fmt.values(operands)))


def held_out_accuracy(model: nn.Module, cell: Cell) -> float:
    """Accuracy on held-out inputs of the training domain: the premise of the theory.

    The lowest of all trained lengths: a model may be right nearly everywhere and know nothing
    of a length that is rare in training.

    Raises:
        InvalidInput: there are none.
    """
    return min(
        float((answers(model, cell, x) == cell.format_for(x.shape[2]).results(x)).all(1).mean())
        for x in held_out_inputs(cell)
    )


def measure(model: GPT, cell: Cell, prediction: Prediction, digits: int) -> Measurement:
    """Test a model at one length, on held-out inputs where it is a trained one and has any."""
    fmt = cell.format_for(digits)
    operands, exhaustive = inputs_at(cell, digits)
    expected = learned_answers(prediction, cell, operands)
    said = answers(model, cell, operands, expected)
    correct, by_digit = _count(said == fmt.results(operands))
    learned, learned_by_digit = (None, None) if expected is None else _count(said == expected)
    steady = None if cell.setting.is_premise(digits) else steadiness(model, cell, operands, said)
    counts = correct, learned, by_digit, learned_by_digit
    return Measurement(digits, len(said), exhaustive, *counts, steady)


def _count(right: np.ndarray) -> tuple[int, tuple[int, ...]]:
    """How many answers ``(n, M)`` are right as a whole, and how many in each digit."""
    return int(right.all(1).sum()), tuple(right.sum(0).tolist())
