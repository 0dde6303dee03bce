"""Floating-point operations of a training step, counted from what the models compute."""

from __future__ import annotations

from arith.verify.plan.cells import Cell


def training_flops(cell: Cell, batch: int, last: int | None = None) -> int:
    """The operations of one forward and backward pass of one model.

    The matrix products of an (m, k) by a (k, n) matrix, 2 m n k each, and nothing else: not
    the optimizer, and of the encodings only those without products of their own (APE).  The
    backward pass makes two products of the same size for each one of the forward pass.
    Attention counts whole, without regard to the causal mask.

    Args:
        last: at how many tokens the last block is computed; None for all.
            ``verify.model.gpt`` computes its queries, perceptron and the head only where a
            result digit follows, its keys and values everywhere.
    """
    shape, fmt = cell.size, cell.training_format
    tokens, width = len(fmt.tokens) - 1, shape.width
    wanted = tokens if last is None else last
    products = wanted * width * fmt.vocabulary  # the head
    for queries in [tokens] * (shape.layers - 1) + [wanted]:
        products += 2 * tokens * width**2  # keys and values
        products += 2 * queries * width**2  # queries and output
        products += 2 * queries * width * shape.mlp  # perceptron
        products += 2 * queries * tokens * width  # scores and weighted sums, all heads
    return 3 * 2 * batch * products
