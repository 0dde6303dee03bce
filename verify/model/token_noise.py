"""Token noise: in training tokens' vectors are mixed with those of others.

What was written weighs more in most tokens, and what is asked for is always the answer to it.
Where an answer rests on a digit, a model learns to read it through the noise.  Where it does not,
the noise is the only thing that tells digits apart that training never showed there, and a model
learns that they change nothing.  Dropout moves every component of the stream a little; this moves
a digit towards the others, which is what longer inputs do.

By some recipes it is learned how much noise each place gets: as much as the answers bear.  The loss
has a small reward for noise, so a place that no answer rests on ends with all of it, and one that
answers rest on with little.  Noise as large as the loss allows tells what a network uses (Schulz et
al. 2020, arXiv 2001.00396, who look at trained ones); here it sees to it that nothing else is used.

Shapes: B sequences, T tokens, V tokens of the vocabulary, C model width.
"""

from __future__ import annotations

import torch
from torch import Tensor

BYTES = 2
"""Random bytes for each token: which other one is mixed in, and how much of it."""
NAME = "noise"
"""What the parameters of learned noise are called among a model's, ``(T,)``."""
_STEEP = 8.0
"""The optimizer moves a parameter by up to 0.002 a step: so a place takes its noise, or gets rid of
it, within a few hundred steps."""


def borne(parameters: Tensor) -> Tensor:
    """The share of the noise that each place gets, between 0 and 1, of its learned parameter."""
    return torch.sigmoid(_STEEP * parameters)


def mix(
    x: Tensor, vectors: Tensor, noise: Tensor, most: Tensor, clean: int = 0, whole: int = 0
) -> Tensor:
    """Token vectors ``(B, T, C)`` with a random share of a random token's vector in each.

    Args:
        x: the vectors of the tokens, ``(B, T, C)``.
        vectors: those of the vocabulary, ``(V, C)``.
        noise: uniform random bytes, ``(BYTES * B * T,)``.
        most: the largest share, in 256ths, of all tokens or of each place, ``(T, 1)``.
        clean: how many of 256 tokens, on average, stay as they are.
        whole: how many of 256 tokens, on average, get the largest share; with ``clean`` fewer
            than 255.
    """
    which, share = noise.view(BYTES, *x.shape[:2])
    others = vectors[which.long() % len(vectors)]  # (B, T, C)
    between = 255 - clean - whole
    above = (share[..., None].to(x.dtype) - clean).clamp(min=0, max=between)
    shares = above * (most / (256 * between))  # (B, T, 1)
    return x + shares * (others - x)
