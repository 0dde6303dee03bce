"""Token noise: in training tokens' vectors are mixed with those of others.

What was written weighs more in most tokens, and what is asked for is always the answer to it.
Where an answer rests on a digit, a model learns to read it through the noise.  Where it does not,
the noise is the only thing that tells digits apart that training never showed there, and a model
learns that they change nothing.  Dropout moves every component of the stream a little; this moves
a digit towards the others, which is what longer inputs do.

By some recipes each place learns to have more of it: as much as the answers bear.  The loss has a
small reward for noise, so a place that no answer rests on ends with all of it, and one that answers
rest on with what every token gets.  Noise as large as the loss allows tells what a network uses
(Schulz et al. 2020, arXiv 2001.00396, who look at trained ones); here it sees to it that nothing
else is used.

Shapes: B sequences, T tokens, V tokens of the vocabulary, C model width.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

BYTES = 2
"""Random bytes for each token: which other one is mixed in, and how much of it."""
NAME = "noise"
"""What the parameters of learned noise are called among a model's, ``(T,)``."""
_STEEP = 8.0
"""The optimizer moves a parameter by up to 0.002 a step: so a place takes its noise, or gets rid of
it, within a few hundred steps."""
_WHOLE = 128
"""In so many of 256 tokens of a place that bears all of the learned noise it is as large as it
gets."""


def noise_share(parameters: Tensor, begins: float) -> Tensor:
    """The share of the noise that each place has learned to bear, between 0 and 1.

    Args:
        parameters: 0 is the share that it begins with, to which weight decay draws it back.
        begins: that share, above 0.
    """
    return torch.sigmoid(_STEEP * parameters + math.log(begins / (1 - begins)))


def mix(
    x: Tensor,
    vectors: Tensor,
    noise: Tensor,
    most: Tensor,
    clean: int = 0,
    own: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    """Token vectors ``(B, T, C)`` with a random share of a random token's vector in each.

    Args:
        x: the vectors of the tokens, ``(B, T, C)``.
        vectors: those of the vocabulary, ``(V, C)``.
        noise: uniform random bytes, ``(BYTES * B * T,)``.
        most: the largest share, in 256ths.
        clean: how many of 256 tokens, on average, stay as they are.
        own: the share of learned noise that each place bears, ``(T,)``, and the largest share of
            a token in it, in 256ths; None where no noise is learned.
    """
    which, drawn = noise.view(BYTES, *x.shape[:2])
    others = vectors[which.long() % len(vectors)]  # (B, T, C)
    byte = drawn[..., None].to(x.dtype)
    between = max(1, 255 - clean)
    shares = (byte - clean).clamp(min=0, max=between) * (most / (256 * between))  # (B, T, 1)
    if own is not None:
        bears, whole = own[0][:, None], own[1]
        rising = 255 - _WHOLE
        shares = (1 - bears) * shares + byte.clamp(max=rising) * (whole * bears / (256 * rising))
    return x + shares * (others - x)
