"""Replaying a step on a GPU: its operations are recorded once, and from then on launched together.

A step of a small model is more than a thousand small operations.  To launch them one by one takes
longer than the GPU needs for them (benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

FIRST = 3
"""Steps that are taken as they are: in them libraries choose their algorithms and get memory."""


class Replayed:
    """A step that is recorded as a CUDA graph, and replayed."""

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
        if self._taken <= FIRST:
            return _aside(step, inputs)
        if not self._inputs:
            self._inputs = [x.clone() for x in inputs]
            with torch.cuda.graph(self._graph):
                self._result = step(*self._inputs)
        for kept, given in zip(self._inputs, inputs, strict=True):
            kept.copy_(given)
        self._graph.replay()
        return self._result.clone()


def _aside(step: Callable[..., Tensor], inputs: tuple[Tensor, ...]) -> Tensor:
    """A step in a stream of its own, as recording asks of those before it."""
    stream, usual = torch.cuda.Stream(), torch.cuda.current_stream()
    stream.wait_stream(usual)
    with torch.cuda.stream(stream):
        result = step(*inputs)
    usual.wait_stream(stream)
    return result
