"""Measuring a trained model: its greedy answers, and whether they stay when its input is disturbed.

Shapes: n inputs, k operands of N digits, M result digits, T tokens of each but the last, S of them
followed by one that the model writes, C model width.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from arith.theory.observation.support import Support
from arith.theory.prediction.predict import Prediction
from arith.verify.data.sequences import Format, NaturalFormat
from arith.verify.model.gpt import GPT
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED, held_out_inputs, inputs_at
from arith.verify.records.measurement import Measurement

BATCH = 500
"""Examples that a model answers at once."""
HALF = 0.5
"""Noise invariance: the share of another token's vector; neither of the two outweighs the other."""
TENTH = 0.1
"""Perturbation stability: far from one half, at which the other digit would be read."""
MOST_PERTURBED = 1000
"""Inputs that are perturbed, evenly spaced among those that there are."""


def answers(
    model: nn.Module,
    cell: Cell,
    operands: np.ndarray,
    guess: np.ndarray | None = None,
    test: bool = False,
) -> np.ndarray:
    """The model's greedy answers, result digits ``(n, M)``, units first (see ``greedy``)."""
    fmt = cell.format_for(operands.shape[2], test)
    return fmt.read(greedy(model, cell, operands, guess, test)[:, fmt.written_slots])


@torch.no_grad()
def greedy(
    model: nn.Module,
    cell: Cell,
    operands: np.ndarray,
    guess: np.ndarray | None = None,
    test: bool = False,
) -> np.ndarray:
    """The examples ``(n, T + 1)`` with what the model writes, greedily, in place of the result.

    All result digits are asked for at once, after a guess of those before them, and the answers
    are the next guess until nothing changes.  After i passes the first i digits are the greedy
    ones, whatever the guess was.  So the fixed point is what decoding digit by digit gives, and
    a guess that is right saves passes.

    Args:
        operands: digits ``(n, k, N)``, units first.
        guess: the first guess ``(n, M)``, units first; None for the true results.
        test: they are written as in tests, and not as in training.
    """
    model.eval()
    fmt = cell.format_for(operands.shape[2], test)
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
        out.append(tokens.cpu().numpy())
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
    fmt = cell.format_for(digits, test=True)
    operands, exhaustive = inputs_at(cell, digits)
    expected = learned_answers(prediction, cell, operands)
    written = greedy(model, cell, operands, expected, test=True)
    said = fmt.read(written[:, fmt.written_slots])
    correct, by_digit = _count(said == fmt.results(operands))
    learned, learned_by_digit = (None, None) if expected is None else _count(said == expected)
    trained = cell.setting.is_premise(digits)
    steady = None if trained else perturbation_stability(model, cell, operands, written)
    counts = correct, learned, by_digit, learned_by_digit
    return Measurement(digits, len(said), exhaustive, *counts, steady)


def _count(right: np.ndarray) -> tuple[int, tuple[int, ...]]:
    """How many answers ``(n, M)`` are right as a whole, and how many in each digit."""
    return int(right.all(1).sum()), tuple(right.sum(0).tolist())


def ignored_slots(cell: Cell, support: Support) -> np.ndarray:
    """Which of the tokens that are read are operand digits at ignored positions, ``(T,)``."""
    return np.array(
        [
            t.kind == "operand" and support.constant((t.operand, t.position)) is not None
            for t in cell.format.tokens[:-1]
        ]
    )


def noise_invariance(model: GPT, cell: Cell, support: Support) -> float | None:
    """The share of held-out inputs whose answer stays when ignored tokens are blended with others.

    The theory says of digits that training never varied that a model ignores them.  Whether a
    trained model does can be seen at the trained lengths, without asking what it answers to longer
    inputs.  Ours; the rule *noise invariance* (``theory.rules``).

    Answers are compared digit by digit, each after the right ones before it.  None where no token
    is ignored, or every token is a part of the question, as with natural lengths.
    """
    if cell.setting.natural or not (ignored := ignored_slots(cell, support)).any():
        return None
    operands = np.concatenate(held_out_inputs(cell))
    written = cell.format.write(operands, cell.format.results(operands))
    rng = np.random.default_rng(EVALUATION_SEED)
    others = rng.integers(cell.format.vocabulary, size=(len(operands), len(ignored)))
    stays = sum(
        int(_stays(model, written[some], ignored, others[some], HALF, cell.format).sum())
        for some in (slice(i, i + BATCH) for i in range(0, len(operands), BATCH))
    )
    return stays / len(operands)


def perturbation_stability(
    model: GPT, cell: Cell, operands: np.ndarray, written: np.ndarray
) -> float:
    """The share of answers that stay when all operand digits are blended a little with others.

    To digits that training never showed together a model may have no firm answer: another one is
    near, and which of them it gives differs from model to model.  That can be seen without knowing
    which is right.  Ours; the rule *stability* (``theory.rules``).

    Answers are compared digit by digit, each after the model's own digits before it.

    Args:
        operands: digits ``(n, k, N)``, units first.
        written: the examples with the model's answers (see ``greedy``).
    """
    some = slice(None, None, -(-len(written) // MOST_PERTURBED))
    fmt = cell.format_for(operands.shape[2], test=True)
    written, digits = written[some], fmt.operand_digits(operands)[some, :-1]
    rng = np.random.default_rng(EVALUATION_SEED)
    others = rng.integers(cell.setting.base, size=digits.shape)
    return float(_stays(model, written, digits, others, TENTH, fmt).double().mean())


@contextmanager
def moved_towards(embedding: nn.Module, others: Tensor, share: float) -> Iterator[None]:
    """Move the vectors of tokens that a module reads towards those of other tokens.

    Args:
        embedding: the part of it that gives a vector for each token.
        others: towards which, as many as it is given; where they are the same nothing moves.
        share: how far, from 0 to 1.
    """

    def blend(_: object, __: object, x: Tensor) -> Tensor:
        return x + share * (embedding.forward(others) - x)

    hook = embedding.register_forward_hook(blend)
    try:
        yield
    finally:
        hook.remove()


@torch.no_grad()
def _stays(
    model: GPT,
    written: np.ndarray,
    blended: np.ndarray,
    others: np.ndarray,
    share: float,
    fmt: Format,
) -> Tensor:
    """Which answers stay when the vectors of some tokens are moved towards others', ``(n,)``.

    What follows the end of an answer is no part of it.

    Args:
        written: the examples ``(n, T + 1)``.
        blended: which tokens are, ``(T,)`` or ``(n, T)``.
        others: towards which, ``(n, T)``.
        share: how far, from 0 to 1.
        fmt: how they are written.
    """
    model.eval()
    device = next(model.parameters()).device
    tokens, moved, towards = (torch.from_numpy(x).to(device) for x in (written, blended, others))
    written_slots = torch.from_numpy(fmt.written_slots).to(device)
    slots = written_slots - 1
    before = model(tokens[:, :-1], slots).argmax(2)  # (n, S)
    with moved_towards(model.embedding, torch.where(moved, towards, tokens[:, :-1]), share):
        after = model(tokens[:, :-1], slots).argmax(2)
    stays = before == after
    if isinstance(fmt, NaturalFormat):
        stays |= tokens[:, written_slots] == fmt.padding
    return stays.all(1)
