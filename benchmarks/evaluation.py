"""Evaluation: answers a second, against decoding token by token."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from arith.verify.model.gpt import GPT
from arith.verify.model.measure import BATCH, answers
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import inputs
from arith.verify.training.train import train
from benchmarks.measuring import Row, Table, each_apart, every_thread, ratio, spread, timed
from benchmarks.steps import headline_cell

MODELS = ("pico", "nano")
STEPS = 200
"""Steps of the trained model: its guesses settle sooner than those of random weights."""


def tables(quick: bool, device: str) -> list[Table]:
    """Sequences a second of both ways to decode, before and after some training."""
    rows = each_apart(every_thread(), _rows, MODELS, quick, device)
    note = (
        f"Inputs of 3-digit addition in batches of {BATCH}, {every_thread()} threads, {device}; "
        "the same model on both sides."
    )
    return [Table("Greedy answers", rows, note)]


def _rows(model: str, quick: bool, device: str) -> list[Row]:
    cell = headline_cell(model)
    # A budget of one step is as good as random weights.
    states = {"random": 1, f"{STEPS} steps": STEPS}
    return [
        {"model": model, "weights": text}
        | _compare(train(cell, 0, budget, device=device).model, cell, quick, device)
        for text, budget in states.items()
    ]


def _compare(model: GPT, cell: Cell, quick: bool, device: str) -> Row:
    operands, _ = inputs(cell, cell.setting.train, None)
    sides = {
        "ours": lambda: answers(model, cell, operands),
        "plain": lambda: token_by_token(model, cell, operands),
    }
    equal = float((sides["ours"]() == sides["plain"]()).all(1).mean())
    seconds = timed(sides, quick, device, rounds=15)
    return {
        "ours seq/s": len(operands) / spread(seconds["ours"]).median,
        "token by token seq/s": len(operands) / spread(seconds["plain"]).median,
        "ratio": ratio(seconds["plain"], seconds["ours"]),
        "equal answers": equal,
    }


@torch.no_grad()
def token_by_token(model: nn.Module, cell: Cell, operands: np.ndarray) -> np.ndarray:
    """Greedy answers, result digits ``(n, M)``, units first: one pass per result digit."""
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    written = fmt.write(operands, np.zeros((len(operands), fmt.result_width), dtype=np.int64))
    examples = torch.from_numpy(written).to(device)
    for tokens in examples.split(BATCH):  # views, which are written into
        for slot in np.sort(fmt.result_slots):
            tokens[:, slot] = model(tokens[:, :slot])[:, -1].argmax(1)
    return examples.cpu().numpy()[:, fmt.result_slots]
