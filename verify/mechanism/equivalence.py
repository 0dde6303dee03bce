"""Equivalent inputs: which trained input a long input is predicted to be taken for, and is.

Xu et al. (2023, arXiv 2308.08268) see a model that was trained on n digits answer longer inputs
as it answers their low digits, and call it equivalence generalization.  Which input is equivalent
follows from the support rule (``theory.observation.support``): the digits at ignored
positions are those that training showed.  They compare the hidden states of both by PCA; here
their distance is measured, layer by layer (``equivalence``).

Where a position is ignored, nothing makes a model leave its token unused: it is the same digit in
every training example, so that a block can rest attention on it, or work there on what it has read
elsewhere (Darcet et al. 2023, arXiv 2309.16588, find background patches of images used like that).
Another digit then disturbs this work.  Activation patching (``leaks``) shows through which layer.

Shapes: n inputs, k operands, N digits of each, M result digits (units first), L blocks, width C.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from math import nan

import numpy as np
import torch
from torch import Tensor

from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput
from arith.theory.observation.support import Support
from arith.verify.data.sampling import Sampler
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import BATCH, ignored_slots
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED

SAMPLES = 300
"""Inputs whose states are compared."""
PATCHED = 1000
"""Inputs that are answered with a layer patched: a share is then known to about 0.02."""
_TRIES = 20
"""Inputs drawn for each one wanted: some have no equivalent that was trained."""


def predicted_support(cell: Cell) -> Support:
    """What the learned function reads (InvalidInput: none is predicted that ignores positions)."""
    learned = cell.prediction.learned
    if not isinstance(learned, LearnedFunction):
        raise InvalidInput(f"no digits are predicted to be ignored by {cell.label()}")
    return learned.support


def equivalents(cell: Cell, operands: np.ndarray) -> np.ndarray:
    """The inputs that the learned function cannot tell from these: digits ``(n, k, N)`` of both.

    For ``D_n`` they are ``(a mod B**n, b mod B**n)``.  Errors are those of ``predicted_support``.
    """
    support, reduced = predicted_support(cell), operands.copy()
    for j, i in np.ndindex(*operands.shape[1:]):
        constant = support.constant((j, i + 1))
        if constant is not None:
            reduced[:, j, i] = constant
    return reduced


def pairs(cell: Cell, digits: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of one length whose equivalents are in the training domain, and these equivalents.

    Digits ``(n, k, N)`` each, n <= samples (InvalidInput: there are none).
    """
    fmt, train = cell.format, cell.setting.train
    rng = np.random.default_rng([EVALUATION_SEED, digits])
    drawn = Sampler(fmt, cell.setting.test(digits)).sample(_TRIES * samples, rng)
    reduced = equivalents(cell, drawn)
    values = list(zip(*(x.tolist() for x in fmt.values(reduced)), strict=True))
    defined = (fmt.results(reduced) >= 0).all(1)
    # Mostly the first that are drawn are enough.
    trained = (x for x in np.flatnonzero(defined) if train.contains(values[x], fmt.base))
    kept = list(islice(trained, samples))
    if not kept:
        raise InvalidInput(f"no input of {digits} digit(s) is equivalent to one in {train.text()}")
    return drawn[kept], reduced[kept]


@torch.no_grad()
def hidden(model: GPT, cell: Cell, operands: np.ndarray, result: np.ndarray) -> np.ndarray:
    """The residual stream where the result digits are predicted: embedding, then each block.

    Args:
        operands: digits ``(n, k, N)``.
        result: the result digits ``(n, M)`` that are written in the sequence.

    Returns:
        states ``(n, L + 1, M, C)``: ``[:, 0]`` is the embedding, ``[:, :, r]`` the token that
        is followed by result digit r + 1.
    """
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    slots = torch.from_numpy(fmt.result_slots - 1).to(device)
    written = torch.from_numpy(fmt.write(operands, result)).to(device)
    stream: list[Tensor] = []
    states = []
    with ExitStack() as hooks:
        for module in (*model.blocks, model.norm):
            hooks.enter_context(module.register_forward_pre_hook(lambda _, x: stream.append(x[0])))
        for tokens in written.split(BATCH):
            stream.clear()
            model(tokens[:, :-1], slots)
            *before, last = stream  # the last block is computed at the slots alone
            layers = [*(x[:, slots] for x in before), last]
            states.append(torch.stack(layers, dim=1).cpu().numpy())
    return np.concatenate(states)


@dataclass(frozen=True)
class Equivalence:
    """How far inputs of a length are from what they are equivalent to, inside the model.

    Distances are Euclidean, over all tokens that are followed by a result digit: the median over
    the inputs, by layer (embedding first).

    Args:
        samples: inputs compared.
        equivalent: distances to the equivalent short input.
        unrelated: distances to a random input of the training domain.
    """

    samples: int
    equivalent: tuple[float, ...]
    unrelated: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """By layer, ``equivalent / unrelated``: 0 is the same state, 1 an unrelated one.

        NaN where unrelated inputs have the same state, as at the embedding of most layouts:
        no operand has reached the tokens of the result there.
        """
        both = zip(self.equivalent, self.unrelated, strict=True)
        return tuple(near / far if far else nan for near, far in both)


def equivalence(model: GPT, cell: Cell, digits: int, samples: int = SAMPLES) -> Equivalence:
    """Compare states of inputs with those of their equivalents (see ``pairs``) and of others.

    All three are written with the same result digits, those that ``f^`` says of the input: the
    states then differ by the operands only.  Written with their own, even a model that has not
    been trained would look as if it took an input for its equivalent.
    """
    fmt = cell.format
    long, short = pairs(cell, digits, samples)
    rng = np.random.default_rng([EVALUATION_SEED, digits, 1])
    others = Sampler(fmt, cell.setting.train).sample(len(long), rng)
    result = fmt.results(short)
    of_long, of_short, of_others = (hidden(model, cell, x, result) for x in (long, short, others))
    return Equivalence(len(long), _distance(of_long, of_short), _distance(of_long, of_others))


def _distance(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """The median distance by layer of states ``(n, L + 1, M, C)``."""
    distances = np.sqrt(np.square(x - y, dtype=np.float64).sum((2, 3)))
    return tuple(np.median(distances, axis=0).tolist())


@dataclass(frozen=True)
class Leaks:
    """How many answers follow ``f^``, and how many would if a layer saw no ignored digit.

    An answer is judged given its own right digits so far: those of ``f^`` are written.

    Args:
        samples: inputs answered.
        unpatched: the share of answers that are ``f^``.
        patched: by block, the share when that block is patched.
    """

    samples: int
    unpatched: float
    patched: tuple[float, ...]


@torch.no_grad()
def leaks(model: GPT, cell: Cell, digits: int, samples: int = PATCHED) -> Leaks:
    """Patch one layer of a model at a time (InvalidInput: as ``pairs`` does).

    At the ignored tokens its keys and values are those of the equivalent trained input.  The first
    layer sees the digits, a later one what stands at their tokens by then: the digit, and what was
    worked out there.
    """
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    long, short = pairs(cell, digits, samples)
    result = fmt.results(short)
    tokens, trained = (torch.from_numpy(fmt.write(x, result)).to(device) for x in (long, short))
    slots = torch.from_numpy(fmt.result_slots).to(device)
    ignored = torch.from_numpy(ignored_slots(cell, predicted_support(cell))).to(device)[:, None]

    def share() -> float:
        said = model(tokens[:, :-1]).argmax(2)[:, slots - 1]
        return float((said == tokens[:, slots]).all(1).float().mean())

    contexts = [block.get_submodule("context") for block in model.blocks]
    clean: list[Tensor] = []
    with ExitStack() as hooks:
        for context in contexts:
            hook = context.register_forward_hook(lambda _, x, y: clean.append(y))
            hooks.enter_context(hook)
        model(trained[:, :-1])
    patched = []
    for context, instead in zip(contexts, clean, strict=True):
        with context.register_forward_hook(
            lambda _, x, y, instead=instead: torch.where(ignored, instead, y)
        ):
            patched.append(share())
    return Leaks(len(long), share(), tuple(patched))
