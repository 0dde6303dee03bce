"""Token noise: in training tokens' vectors are mixed with those of others.

What was written weighs more in most tokens, and what is asked for is always the answer to it.
Where an answer rests on a digit, a model learns to read it through the noise.  Where it does not,
the noise is the only thing that tells digits apart that training never showed there, and a model
learns that they change nothing.  Dropout moves every component of the stream a little; this moves
a digit towards the others, which is what longer inputs do.

Shapes: B sequences, T tokens, V tokens of the vocabulary, C model width.
"""

from __future__ import annotations

from torch import Tensor

BYTES = 2
"""Random bytes for each token: which other one is mixed in, and how much of it."""


def mix(x: Tensor, vectors: Tensor, noise: Tensor, most: Tensor, clean: int = 0) -> Tensor:
    """Token vectors ``(B, T, C)`` with a random share of a random token's vector in each.

    Args:
        x: the vectors of the tokens, ``(B, T, C)``.
        vectors: those of the vocabulary, ``(V, C)``.
        noise: uniform random bytes, ``(BYTES * B * T,)``.
        most: the largest share, in 256ths.
        clean: how many of 256 tokens, on average, stay as they are; fewer than 255.
    """
    which, share = noise.view(BYTES, *x.shape[:2])
    others = vectors[which.long() % len(vectors)]  # (B, T, C)
    above = (share[..., None].to(x.dtype) - clean).clamp(min=0)
    shares = above * (most / (256 * (255 - clean)))  # (B, T, 1)
    return x + shares * (others - x)
