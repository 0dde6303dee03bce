"""Measuring a trained model: greedy answers, against the truth and against the learned function."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from theory.domains import Domain
from theory.predict import Prediction
from theory.tasks import InvalidInput
from verify.cells import Cell
from verify.model import GPT
from verify.sequences import Sampler

SAMPLES = 2000
"""Inputs per test length; a domain no larger than this is tested whole."""
_COUNTED = 20 * SAMPLES
"""Domains up to this size are searched whole for their held-out inputs; larger ones have enough."""
EVALUATION_SEED = 20240717
_BATCH = 500


@dataclass(frozen=True)
class Measurement:
    """What one trained model answered at one test length.

    Args:
        digits: the test length.
        samples: inputs tested (in domain: held-out ones only).
        exhaustive: whether they are all there are.
        correct: answers equal to ``f``.
        learned: answers equal to ``f^``, None where no learned function is predicted.
        digit_correct: per result digit, units first: answers right in that digit.
        digit_learned: the same against ``f^``.
    """

    digits: int
    samples: int
    exhaustive: bool
    correct: int
    learned: int | None
    digit_correct: tuple[int, ...]
    digit_learned: tuple[int, ...] | None

    def to_json(self) -> dict[str, Any]:
        """The measurement as plain values."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Measurement:
        """The measurement that ``to_json`` wrote."""
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        return cls(**values)


def inputs(cell: Cell, domain: Domain, held_out: bool | None) -> tuple[np.ndarray, bool]:
    """Test inputs ``(n, k, N)`` of a domain, the same for every model, and whether they are all."""
    sampler = Sampler(cell.format, domain)
    if not domain.priming and (sampler.size <= SAMPLES or (held_out and sampler.size <= _COUNTED)):
        everything = sampler.everything(held_out)
        if 0 < len(everything) <= SAMPLES:
            return everything, True
    rng = np.random.default_rng([EVALUATION_SEED, *domain.lengths])
    return sampler.sample(SAMPLES, rng, held_out), False


@torch.no_grad()
def answers(
    model: GPT, cell: Cell, operands: np.ndarray, guess: np.ndarray | None = None
) -> np.ndarray:
    """The model's greedy answers, result digits ``(n, M)``, units first.

    All result digits are asked for at once, after a guess of those before them, and the answers
    are the next guess until nothing changes.  After i passes the first i digits are the greedy
    ones, whatever the guess was, so the fixed point is what decoding digit by digit gives; a
    guess that is right saves passes.

    Args:
        guess: the first guess ``(n, M)``, units first; None for the true results.
    """
    model.eval()
    form = cell.format
    device = model.mask.device
    written = form.write(operands, form.results(operands) if guess is None else guess)
    slots = torch.from_numpy(np.sort(form.result_slots)).to(device)
    out = []
    for tokens in torch.from_numpy(written).to(device).split(_BATCH):
        moving = torch.arange(len(tokens), device=device)
        for _ in range(form.result_width):
            said = model(tokens[moving, :-1], slots - 1).argmax(dim=2)
            changed = (said != tokens[moving][:, slots]).any(dim=1)
            tokens[moving[:, None], slots] = said
            moving = moving[changed]
            if not len(moving):
                break
        out.append(tokens[:, torch.from_numpy(form.result_slots).to(device)].cpu().numpy())
    return np.concatenate(out)


def learned_answers(prediction: Prediction, cell: Cell, operands: np.ndarray) -> np.ndarray | None:
    """What ``f^`` answers, result digits ``(n, M)``, units first; None where none is predicted."""
    if prediction.learned is None:
        return None
    form = cell.format
    return form.to_digits(prediction.learned.evaluate(*form.values(operands)))


def held_out_inputs(cell: Cell) -> list[np.ndarray]:
    """What the premise is measured on: held-out inputs ``(n, k, N)`` of each trained length.

    A length without any is left out.

    Raises:
        InvalidInput: no length has any.
    """
    found = []
    for n in cell.setting.train.every_length:
        with contextlib.suppress(InvalidInput):
            found.append(inputs(cell, _of_length(cell, n), held_out=True)[0])
    if not found:
        raise InvalidInput(
            f"{cell.setting.train.text()}: no input can be held out of training, so nothing could "
            "be tested; train on more digits or in a larger base"
        )
    return found


def _of_length(cell: Cell, digits: int) -> Domain:
    return replace(cell.setting.train, lengths=(digits,), priming=(), pairs=None)


@lru_cache(maxsize=4096)
def held_out_count(cell: Cell) -> int:
    """How many inputs ``held_out_inputs`` has; large domains are not drawn from."""
    count = 0
    for n in cell.setting.train.every_length:
        sampler = Sampler(cell.format, _of_length(cell, n))
        small = sampler.size <= _COUNTED
        count += min(SAMPLES, len(sampler.everything(held_out=True))) if small else SAMPLES
    return count


def held_out_accuracy(model: GPT, cell: Cell) -> float:
    """Accuracy on held-out inputs of the training domain: the premise of the theory.

    The lowest of all trained lengths: a model may be right nearly everywhere and know nothing
    of a length that is rare in training.

    Raises:
        InvalidInput: there are none.
    """
    return min(
        float((answers(model, cell, x) == cell.format.results(x)).all(1).mean())
        for x in held_out_inputs(cell)
    )


def measure(model: GPT, cell: Cell, prediction: Prediction, digits: int) -> Measurement:
    """Test a model at one length; in domain on held-out inputs."""
    setting, form = cell.setting, cell.format
    held_out = True if setting.is_premise(digits) else None
    operands, exhaustive = inputs(cell, setting.test(digits), held_out)
    learned = learned_answers(prediction, cell, operands)
    said = answers(model, cell, operands, learned)
    right = said == form.results(operands)
    as_learned = None if learned is None else said == learned
    return Measurement(
        digits,
        len(said),
        exhaustive,
        int(right.all(1).sum()),
        None if as_learned is None else int(as_learned.all(1).sum()),
        tuple(right.sum(0).tolist()),
        None if as_learned is None else tuple(as_learned.sum(0).tolist()),
    )
