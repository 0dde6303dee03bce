"""An ensemble: models of one shape that train together, step by step.

Each model has its own task, data, seed, noise and learning rate; they share nothing but the
operations.  ``vmap`` turns the operations of one model into those of all.

Shapes: M models, B examples, T tokens of an example, S of them result digits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call, vmap
from torch.nn import functional as F

from arith.verify.data.sampling import Sampler, drawn_file
from arith.verify.data.sequences import NaturalFormat, drawn_spaces
from arith.verify.model import token_noise
from arith.verify.model.gpt import GPT
from arith.verify.model.networks import network
from arith.verify.model.positions import Natural, Slots
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import Recipe
from arith.verify.records.reading import Whole
from arith.verify.training.device import precision_type
from arith.verify.training.optimizer import Optimizer, Weights

_NEXT_START = 2**31
"""Between the seeds of the weights of two starts: beyond every seed that can be asked for."""
_NONE = -100
"""No token."""
FIRST = 3
"""Steps on a GPU that are taken as they are: in them libraries choose algorithms and get memory."""


def shape_of(cell: Cell) -> Hashable:
    """What the models of an ensemble have in common: cells of equal shape can train together."""
    fmt, setting = cell.longest_format, cell.setting
    written = cell.training_format
    slots = tuple(written.trained_slots.tolist())
    encoding = (setting.encoding.name, setting.window, cell.numbering)
    return (cell.size, fmt.vocabulary, fmt.tokens, written.tokens, slots, encoding)


class Examples:
    """The training examples of one model.  Shapes: B examples of a step, T tokens of each."""

    def __init__(self, cell: Cell, seed: int, recipe: Recipe) -> None:
        self.format, self.batch_size = cell.training_format, recipe.batch_size
        train, several = cell.setting.train, len(cell.setting.task.operations) > 1
        self._sampler = Sampler(self.format, train, evenly=several)
        self._rng = np.random.default_rng([seed, 1])
        self._drawn: np.ndarray | None = None
        if train.holdout == "position":
            self._drawn, _ = drawn_file(self.format, train)
        elif train.pairs is not None:
            self._drawn = self._sampler.distinct(train.pairs, self._rng)

    def state(self) -> str:
        """How far the generator has come, as text."""
        return _text(self._rng.bit_generator.state)

    def restore(self, state: str) -> None:
        """Go on from what ``state`` gave."""
        self._rng.bit_generator.state = json.loads(state)

    def draw(self, steps: int) -> Tensor:
        """The tokens of the next steps, ``(steps, B, T)``."""
        number = self.batch_size * steps
        if self._drawn is None:
            operands = self._sampler.sample(number, self._rng, held_out=False)
        else:
            operands = self._drawn[self._rng.integers(len(self._drawn), size=number)]
        layout, more = self.format.layout, dict[str, np.ndarray]()
        if layout.spaced:
            more["spaces"] = drawn_spaces(operands, layout, self._rng)
        if layout.hinted:  # markers start anywhere
            more["starts"] = self._rng.integers(self.format.starts, size=number)
        tokens = self.format.write(operands, self.format.results(operands), **more)
        return torch.from_numpy(tokens).unflatten(0, (steps, self.batch_size))


def _text(state: Any) -> str:
    """The state of a generator, whose numbers are longer than other readers take."""
    return json.dumps(state, default=lambda array: array.tolist())


class Noise:
    """The random bytes of one model; on a CPU they are NumPy's, which are the fastest there."""

    def __init__(self, seed: int, size: int, device: str) -> None:
        self.size, self.device = size, device
        self._rng = np.random.SFC64(seed)
        self._generator = torch.Generator(device).manual_seed(seed)

    def state(self) -> str:
        """How far the generator has come, as text."""
        on_cpu = self.device == "cpu"
        return _text(self._rng.state if on_cpu else self._generator.get_state())

    def restore(self, state: str) -> None:
        """Go on from what ``state`` gave."""
        if self.device == "cpu":
            self._rng.state = json.loads(state)
        else:
            self._generator.set_state(torch.tensor(json.loads(state), dtype=torch.uint8))

    def draw(self) -> Tensor:
        """The bytes of one step, ``(size,)``."""
        if self.device == "cpu":
            words = self._rng.random_raw(-(-self.size // 8))
            return torch.from_numpy(words.view(np.uint8)[: self.size])
        noise = torch.empty(self.size, dtype=torch.uint8, device=self.device)
        return noise.random_(generator=self._generator)


@dataclass(frozen=True)
class Drawn:
    """How far an ensemble has come, but for its tensors.

    Args:
        steps: of the optimizer.
        examples: the states of the generators of each model's examples.
        noise: those of its noise.
    """

    steps: Whole
    examples: tuple[str, ...]
    noise: tuple[str, ...]


class Ensemble:
    """Models of one shape in training.

    Args:
        jobs: cells of equal ``shape_of``, and seeds; M of them.
        compiled: whether the step is compiled (once, at the first).
        precision: of the matrix products (see ``precision_name``).
    """

    def __init__(
        self,
        jobs: Sequence[tuple[Cell, int]],
        device: str,
        recipe: Recipe,
        compiled: bool,
        precision: str = "auto",
    ) -> None:
        self.device, self.compiled = device, compiled
        self.models = [network(cell, seed, recipe).to(device) for cell, seed in jobs]
        self.weights = Weights([self._parameters(x, jobs[0][0], recipe) for x in self.models])
        self._examples = [Examples(cell, seed, recipe) for cell, seed in jobs]
        fmt = jobs[0][0].training_format
        self.slots = _as_slots(fmt.trained_slots - 1, device)
        """The tokens that are followed by one that the model writes."""
        noise_size = self.models[0].noise_size(
            recipe.batch_size, len(fmt.tokens) - 1, len(fmt.trained_slots)
        )
        self._unasked = fmt.padding if isinstance(fmt, NaturalFormat) else _NONE
        """The token that is no answer."""
        self._noise = [Noise(seed, noise_size, device) for _, seed in jobs]
        self.precision = precision_type(device, precision)
        self._optimizer = Optimizer(self.weights, recipe, self.precision)
        self.recipe = recipe
        self._noise_shares = partial(token_noise.noise_share, begins=recipe.begins)

    @staticmethod
    def _parameters(model: GPT, cell: Cell, recipe: Recipe) -> dict[str, Tensor]:
        """What is learned, by name: the model's own, and how much noise each place bears."""
        own = dict[str, Tensor](model.named_parameters())
        if recipe.reward:
            places = len(cell.training_format.tokens) - 1
            own[token_noise.NAME] = next(model.parameters()).new_zeros(places)
        return own

    def examples(self, steps: int) -> Tensor:
        """The tokens of the next steps, ``(steps, M, B, T)``."""
        tokens = torch.stack([source.draw(steps) for source in self._examples], dim=1)
        return tokens.to(self.device)

    def step(self, tokens: Tensor, levels: Tensor, rate: Tensor) -> Tensor:
        """One optimizer step of every model; the losses ``(M,)`` before it.

        Args:
            tokens: ``(M, B, T)``.
            levels: of the noise, of the dropout beside it and of learned noise, in 256ths,
                ``(M, 3)``.
            rate: learning rates as shares of the peak, ``(M,)``.
        """
        noise = [source.draw() for source in self._noise]
        # A single model's noise is not copied.
        stacked = torch.stack(noise) if len(noise) > 1 else noise[0][None]
        if self.device == "cuda":
            return self._replayed(self._step, tokens, stacked, levels, rate)
        # A rate of 0 drops nothing, but costs a twentieth of a step; compiled code costs less than
        # compiling the step once more without noise.
        noisy = self.compiled or bool(levels.any())
        return self._step(tokens, stacked, levels, rate, noisy)

    def _step(
        self, tokens: Tensor, noise: Tensor, levels: Tensor, rate: Tensor, noisy: bool = True
    ) -> Tensor:
        """The step, given random bytes; without noise where it is not ``noisy``."""
        losses = self._losses(self.weights.tensors, tokens, noise, levels if noisy else None)
        objective = losses.sum()
        if self.recipe.reward:  # for the learned noise of all places
            borne = self._noise_shares(self.weights.stacked(token_noise.NAME))
            objective = objective - self.recipe.reward * (borne * (levels[:, 2:] / 256)).sum()
        gradients = torch.autograd.grad(objective, self.weights.tensors)
        self._optimizer.step(gradients, rate)
        return losses.detach()

    @cached_property
    def _replayed(self) -> Replayed:
        """The step as it is taken on a GPU."""
        return Replayed()

    def model(self, i: int) -> GPT:
        """Model i with the weights that it has now."""
        weights = self.weights.model(i)
        weights.pop(token_noise.NAME, None)
        self.models[i].load_state_dict(weights)
        return self.models[i]

    def start_anew(self, i: int, cell: Cell, seed: int, starts: int) -> None:
        """Let model i, which has started so often, start with other weights.

        What it is shown goes on where it was.
        """
        model = network(cell, seed + starts * _NEXT_START, self.recipe).to(self.device)
        self.weights.replace(i, self._parameters(model, cell, self.recipe))
        self._optimizer.forget(i)

    def noise(self, i: int) -> tuple[float, ...] | None:
        """The share of learned noise that each token of model i bears; None if none is learned."""
        if not self.recipe.reward:
            return None
        return tuple(self._noise_shares(self.weights.stacked(token_noise.NAME)[i]).tolist())

    def tensors(self) -> dict[str, Tensor]:
        """What training changes, by name: the weights, and the moments of the optimizer."""
        optimizer = self._optimizer
        lists = {
            "weights": self.weights.tensors,
            "momentum": optimizer.momenta,
            "first": optimizer.first,
            "second": optimizer.second,
        }
        return {f"{name}.{i}": x.detach() for name, xs in lists.items() for i, x in enumerate(xs)}

    def drawn(self) -> Drawn:
        """How far it has come."""
        examples = tuple(x.state() for x in self._examples)
        return Drawn(int(self._optimizer.steps), examples, tuple(x.state() for x in self._noise))

    def restore(self, drawn: Drawn, tensors: Mapping[str, Tensor]) -> None:
        """Go on from where ``drawn`` and ``tensors`` were taken.

        Raises:
            ValueError, TypeError, LookupError, ArithmeticError, RuntimeError: they are not of these
                models; it may be in part restored then.
        """
        for name, own in self.tensors().items():
            own.copy_(tensors[name])
        if isinstance(self._optimizer.steps, Tensor):
            self._optimizer.steps.fill_(drawn.steps)
        else:
            self._optimizer.steps = drawn.steps
        for source, state in zip(self._examples, drawn.examples, strict=True):
            source.restore(state)
        for noise, state in zip(self._noise, drawn.noise, strict=True):
            noise.restore(state)

    @cached_property
    def _losses(self) -> Callable[..., Tensor]:
        """The loss of each model, ``(M,)``, as a function of the weights' tensors."""
        model, weights, slots = self.models[0], self.weights, self.slots
        mixed, exact = self.precision == torch.bfloat16, weights.tensors[0].dtype
        unasked, shares_of = self._unasked, self._noise_shares

        def one(
            tensors: list[Tensor], tokens: Tensor, noise: Tensor, level: Tensor | None
        ) -> Tensor:
            named = weights.named(tensors)
            learned = named.pop(token_noise.NAME, None)
            shares = None if learned is None else shares_of(learned)
            inputs = (tokens[:, :-1], slots, noise, level, shares)
            with torch.autocast(self.device, self.precision, enabled=mixed):
                # No weight is there by two names.
                logits = functional_call(model, named, inputs, tie_weights=False)
            # Outside the products everything has the precision of the weights.  The vocabulary
            # goes before the slots: rows as short as it is would take more than three times as
            # long (benchmarks/README.md).
            asked = tokens[:, 1:]
            if model.numbering is not None and model.numbering.together:
                is_asked = Natural(model.numbering, tokens).asked[:, 1:]
                asked = torch.where(is_asked, asked, unasked)
            targets = asked[:, slots].flatten()
            rows = logits.flatten(0, 1).to(exact).T[None]
            return F.cross_entropy(rows, targets[None], ignore_index=unasked)

        def every(
            tensors: list[Tensor], tokens: Tensor, noise: Tensor, level: Tensor | None
        ) -> Tensor:
            if len(tokens) > 1:
                dims = (0, 0, 0, None if level is None else 0)
                return vmap(one, dims)(tensors, tokens, noise, level)
            # One model by itself is spared the cost of a batch of one.
            first = None if level is None else level[0]
            return one([x.squeeze(0) for x in tensors], tokens[0], noise[0], first)[None]

        if not self.compiled:
            return every
        # Forget the code of other ensembles: only so many versions of a function are kept.
        torch.compiler.reset()
        return torch.compile(every, dynamic=False)


def _as_slots(indices: np.ndarray, device: str) -> Slots:
    """Ascending indices ``(S,)`` as a slice where they are evenly spaced, else as a tensor."""
    steps = set(np.diff(indices).tolist())
    if len(steps) > 1:
        return torch.from_numpy(indices).to(device)
    return slice(int(indices[0]), int(indices[-1]) + 1, steps.pop() if steps else 1)


class Replayed:
    """A step on a GPU, recorded once as a CUDA graph and replayed from then on.

    A step of a small model is more than a thousand small operations.  To launch them one by one
    takes longer than the GPU needs for them (benchmarks/README.md).
    """

    def __init__(self) -> None:
        self._taken = 0
        self._graph = torch.cuda.CUDAGraph()
        self._inputs: list[Tensor] = []
        """Where the recorded operations read what they are given."""

    def __call__(self, step: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
        """One step.

        Args:
            step: the same every time; it is not kept.  It gives a tensor, and changes others in
                place.  It takes the same operations every time, and meanwhile asks nothing of the
                GPU and copies nothing to it.
            inputs: of the same shapes every time.
        """
        self._taken += 1
        if self._taken <= FIRST:  # in a stream of its own, as recording asks of those before it
            stream, usual = torch.cuda.Stream(), torch.cuda.current_stream()
            stream.wait_stream(usual)
            with torch.cuda.stream(stream):
                result = step(*inputs)
            usual.wait_stream(stream)
            return result
        if not self._inputs:
            self._inputs = [x.clone() for x in inputs]
            with torch.cuda.graph(self._graph):
                self._result = step(*self._inputs)
        for kept, given in zip(self._inputs, inputs, strict=True):
            kept.copy_(given)
        self._graph.replay()
        return self._result.clone()
