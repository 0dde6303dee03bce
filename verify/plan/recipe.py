"""The recipe: the settings that every cell is trained with."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from theory.errors import look_up

CHUNK = 50
"""Steps between two looks at the loss."""
MOST_STEPS = 100_000_000
"""Training steps of one model."""
DEFAULT_BUDGET = 6000
"""The most optimizer steps that a model gets unless more are asked for."""


@dataclass(frozen=True)
class Recipe:
    """The settings of a training.

    Args:
        name: how commands call it.
        version: changes whenever results would, so that old measurements are not mixed in.
        batch_size: examples per step.
        muon_lr: peak learning rate of Muon (the matrices inside the blocks); 0 leaves them to
            AdamW.
        adamw_lr: peak learning rate of AdamW (embeddings, positions, norms, head).
        betas: the decay rates of AdamW's two moments.
        tied: whether the head's weights are the vectors of the tokens.
        early_lr: the share of the learning rates that is used while there is no noise; it grows
            to 1 with the noise.
        warmup: steps of linear warmup.
        low_loss: the training loss per digit (nats, mean over a chunk of steps) below which
            the noise starts, or rises.
        high_loss: the loss above which the noise falls again.
        dropout: the noise, if it is dropout: the highest rate, in 256ths; on the embeddings and on
            what each block adds to the residual stream.
        attention_dropout: whether dropout is on the weights of attention too.
        token_noise: the noise, if it is not dropout: the largest share of another token's vector
            in the vector of each (``verify.model.token_noise``), in 256ths.
        noise_change: by how much the noise changes between two chunks of steps, in 256ths.
        noise_waits: whether the noise rises only while the loss is low, and falls where it is
            high; otherwise it rises with every chunk.
        settling: the fewest steps in the state ``settling`` (``verify.training.schedule``).
        cooling: the most steps in the state ``cooling``.
        weight_decay: decoupled, as in AdamW.
        grad_clip: largest gradient norm of a model.
        separate_inputs: whether the vectors of tokens and positions start as orthogonal unit
            vectors, and not as short random ones (``verify.model.initialization``).
        position_scale: how long the positions' vectors then are.
        decays: whether the learning rate follows a cosine over the budget, so that a larger
            budget makes other models; otherwise it stays at its peak until the model cools.
        budget: the most optimizer steps of a model unless more are asked for.
        mirrored: whether tuples that differ only in the order of operands that can
            change places are held out together.
    """

    name: str = "default"
    version: str = "3"
    batch_size: int = 128
    muon_lr: float = 0.01
    adamw_lr: float = 2e-3
    betas: tuple[float, float] = (0.9, 0.95)
    tied: bool = False
    early_lr: float = 0.5
    warmup: int = 100
    low_loss: float = 0.1
    high_loss: float = 0.2
    dropout: int = 51
    attention_dropout: bool = False
    token_noise: int = 0
    noise_change: int = 5
    noise_waits: bool = True
    settling: int = 1000
    cooling: int = 1000
    weight_decay: float = 0.1
    grad_clip: float = 1.0
    separate_inputs: bool = False
    position_scale: float = 2.0
    decays: bool = True
    budget: int = DEFAULT_BUDGET
    mirrored: bool = False

    @property
    def leak_free(self) -> bool:
        """Whether models trained so are expected to ignore what the theory says they ignore."""
        return self.token_noise > 0

    @property
    def most_noise(self) -> int:
        """The highest noise, in 256ths."""
        return self.token_noise or self.dropout


RECIPE = Recipe()
"""What is used unless another is asked for."""
RECIPES: dict[str, Recipe] = {
    r.name: r
    for r in (
        RECIPE,
        replace(
            RECIPE,
            name="token-noise",
            version="9",
            dropout=0,
            token_noise=192,
            noise_change=48,
            noise_waits=False,
            settling=3000,
            decays=False,
            budget=18_000,
            mirrored=True,
        ),
        replace(RECIPE, name="separate", version="5", separate_inputs=True, mirrored=True),
        # That of arXiv 2407.17963, which trains nanoGPT (github.com/karpathy/nanoGPT): dropout all
        # the time, the whole budget.  Not theirs: fewer steps, a rectifier in place of GELU, and
        # weight decay on the norms too.
        replace(
            RECIPE,
            name="paper",
            version="10",
            muon_lr=0.0,
            adamw_lr=1e-3,
            betas=(0.9, 0.99),
            tied=True,
            early_lr=1.0,
            low_loss=math.inf,
            high_loss=math.inf,
            attention_dropout=True,
            noise_change=51,
            settling=MOST_STEPS,
            cooling=1,
        ),
    )
}
"""Every recipe, by name."""


def find_recipe(name: str) -> Recipe:
    """The recipe of that name.

    Raises:
        InvalidInput: there is none.
    """
    return look_up("recipe", name, RECIPES)
