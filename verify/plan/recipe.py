"""Recipes: how models are trained."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from arith.theory.errors import look_up
from arith.theory.setting.training import Noise

CHUNK = 50
"""Steps between two looks at the loss."""
MOST_STEPS = 100_000_000
"""Training steps of one model."""


@dataclass(frozen=True)
class Recipe:
    """The settings of a training.

    Args:
        name: how commands call it.
        about: what sets it apart, in a few words.
        version: changes whenever results would, so that old measurements are not mixed in.
        batch_size: examples per step.
        muon_lr: peak learning rate of Muon (the matrices inside the blocks); 0 leaves them to
            AdamW.
        adamw_lr: peak learning rate of AdamW (embeddings, positions, norms, head).
        separate: how long the vectors of positions start, in those of tokens, all of them rows of
            one random orthogonal matrix; 0 has them start short, random and overlapping.
        sharp: whether queries start twice as long and learn twice as fast, and neither they nor
            keys decay: attention is sharper.
        betas: the decay rates of AdamW's two moments.
        tied: whether the head's weights are the vectors of the tokens.
        gelu: whether the perceptrons have a GELU; otherwise they have a rectifier.
        norm_bias: whether the norms have a bias.
        early_lr: the share of the learning rates that is used while there is no noise; it grows
            to 1 with the noise.
        warmup: steps of linear warmup.
        low_loss: the training loss per digit (nats, mean over a chunk of steps) below which
            the noise starts.
        dropout: whether the noise is dropout, on the embeddings and on what each block adds to the
            residual stream; otherwise it is token noise (``verify.model.token_noise``).
        dropout_first: steps of dropout, of a fifth of the elements, before token noise; it stays
            beside that.  0 is token noise alone.
        attention_dropout: whether dropout is on the weights of attention too.
        noise: the rate of dropout, or the largest share of another token's vector in that of each
            token, in 256ths.
        clean: the share of tokens that token noise leaves as they are, in 256ths.
        reward: taken off the loss (nats per digit) for each place whose share of learned noise is
            1, and in proportion for less.  A share grows while that costs less than this.  0: no
            noise is learned.
        begins: the share of learned noise that each place bears at first.
        noise_change: by how much the noise rises between two chunks of steps, in 256ths.
        patience: after so many steps without a low loss a model starts anew, with other weights, if
            as many are left; 0 is never.
        settling: the fewest steps in the state ``settling`` (``verify.training.schedule``), not
            counting ``dropout_first``.
        cooling: the most steps in the state ``cooling``.
        weight_decay: decoupled, as in AdamW.
        norms_decay: whether the norms decay as all other weights do.
        grad_clip: largest gradient norm of a model.
        decays: whether the learning rate follows a cosine over the budget, so that a larger
            budget makes other models; otherwise it stays at its peak until the model cools.
        least_lr: the share of the learning rates at which that cosine ends.
        for_products: what is otherwise for tasks that multiply operands, as pairs of a field and
            its value.
        for_natural: the same for numbers of natural length.
        for_windows: the same where one rule should go on in a window (``verify.plan.cells``).
        published_steps: how many the code takes that it is read from; 0 where it is ours.
    """

    name: str = "place-noise"
    about: str = "token noise on half of the tokens, and all of it on each place that bears it"
    version: str = "15"
    batch_size: int = 128
    muon_lr: float = 0.01
    adamw_lr: float = 2e-3
    separate: float = 0.0
    sharp: bool = False
    betas: tuple[float, float] = (0.9, 0.95)
    tied: bool = False
    gelu: bool = False
    norm_bias: bool = True
    early_lr: float = 0.5
    warmup: int = 100
    low_loss: float = 0.1
    dropout: bool = False
    dropout_first: int = 0
    attention_dropout: bool = False
    noise: int = 256
    clean: int = 128
    reward: float = 0.02
    begins: float = 0.02
    noise_change: int = 5
    patience: int = 8000
    settling: int = 3000
    cooling: int = 1000
    weight_decay: float = 0.1
    norms_decay: bool = True
    grad_clip: float = 1.0
    decays: bool = False
    least_lr: float = 0.0
    for_products: tuple[tuple[str, Any], ...] = ()
    for_natural: tuple[tuple[str, Any], ...] = ()
    for_windows: tuple[tuple[str, Any], ...] = ()
    published_steps: int = 0

    @property
    def kind(self) -> Noise:
        """The kind of its noise."""
        if self.dropout or not self.noise:
            return Noise.DROPOUT if self.dropout else Noise.NONE
        return Noise.BY_PLACE if self.reward else Noise.SAME

    @property
    def trains_as(self) -> str:
        """How the recipe is asked for that trains as this one, where it is adapted to a setting."""
        apart = {"name", "about", "version", "for_products", "for_natural", "for_windows"}
        same = {name: value for name, value in vars(self).items() if name not in apart}
        others = (x for x in BY_VERSION.values() if same.items() <= vars(x).items())
        return next(others, BY_VERSION.get(self.version, self)).asked_for

    @property
    def asked_for(self) -> str:
        """How commands call it: by its name, or with its version where another has that name."""
        return self.name if RECIPES.get(self.name) == self else f"{self.name}-{self.version}"


RECIPE = Recipe()
"""The usual one of most cells."""
SPARSE = replace(
    RECIPE,
    name="sparse-noise",
    about="token noise on half of the tokens, up to the whole of another",
    version="12",
    reward=0.0,
    noise_change=48,
    patience=0,
)
"""Every place gets noise alike, and all of it soon; once the usual recipe."""
DENSE = replace(
    SPARSE,
    name="dense-noise",
    about="token noise on every token, up to three quarters of another",
    version="9",
    noise=192,
    clean=0,
)
"""The usual one where a rule goes on, and the one that single changes are compared with."""
LEARNED = replace(
    RECIPE,
    name="learned-noise",
    about="token noise, on each place as much as it bears",
    version="13",
    clean=256,
    begins=0.5,
    noise_change=48,
    patience=0,
)
"""Learned noise alone: shorter inputs come out wrong."""
_ADAMW: dict[str, Any] = {"muon_lr": 0.0, "adamw_lr": 1e-3, "betas": (0.9, 0.99)}
FIFTH, TENTH = 51, 26
"""Rates of dropout, in 256ths."""
_DROPOUT: dict[str, Any] = {"dropout": True, "attention_dropout": True, "noise": FIFTH}
_EARLY: dict[str, Any] = {"early_lr": 1.0, "low_loss": math.inf}
FIRST_PAPER = replace(
    DENSE,
    name="paper",
    about="the published recipe",
    version="10",
    **_ADAMW,
    **_DROPOUT,
    **_EARLY,
    tied=True,
    noise_change=51,
    settling=MOST_STEPS,
    cooling=1,
    decays=True,
)
"""The first reading of that of arXiv 2407.17963: dropout all the time, the whole budget."""
PAPER = replace(
    FIRST_PAPER,
    version="16",
    batch_size=64,
    least_lr=0.1,
    gelu=True,
    norm_bias=False,
    norms_decay=False,
    published_steps=8_000_000,
    for_products=(
        ("noise", TENTH),
        ("noise_change", TENTH),
        ("decays", False),
        ("published_steps", 20_000_000),
    ),
)
"""That of its code (github.com/xingchengxu/ArithmeticLLM), which trains nanoGPT.

docs/published-code.md has every constant of theirs beside ours.
"""
ANNEALED = replace(
    DENSE,
    name="annealed",
    about="no noise, and learning rates that fall over the whole budget",
    version="17",
    muon_lr=0.005,
    adamw_lr=1e-3,
    noise=0,
    **_EARLY,
    settling=MOST_STEPS,
    cooling=1,
    decays=True,
)
"""For settings in which every token is needed, as mostly where numbers have natural lengths.

No claim rests on ignored digits there, and noise on needed ones keeps the loss high; so does a
learning rate that stays (docs/training.md).
"""


def _changes(other: Recipe) -> tuple[tuple[str, Any], ...]:
    """What another recipe has otherwise than the usual one."""
    apart = ("name", "about", "version")
    return tuple(
        (name, value)
        for name, value in vars(other).items()
        if name not in apart and value != getattr(RECIPE, name)
    )


BY_FORMAT = replace(
    RECIPE,
    name="by-format",
    about="as place-noise, and as annealed for numbers of natural length",
    version="18",
    for_natural=_changes(ANNEALED),
)
"""For grids that have both: padded digits may be ignored, those of natural lengths never are."""
BY_SETTING = replace(
    BY_FORMAT,
    name="by-setting",
    about="as by-format, and as dense-noise where one rule should go on in a window",
    version="19",
    for_windows=_changes(DENSE),
)
"""For grids that have windows too: noise by place would keep a rule from going on there."""
TWO_STAGE = replace(
    DENSE,
    name="two-stage",
    about="separate inputs, sharp attention, and dropout before weaker token noise",
    version="11",
    separate=2.0,
    sharp=True,
    dropout_first=2000,
    noise=128,
    settling=4000,
)
"""For tasks that are learned by heart under dense noise, such as products mod 51.

First dropout, under which a model finds the rule; then token noise beside it, so that it does not
rest on what never varied.  All of the token noise at once would have it know its inputs by heart
for good.  It takes some 3,000 steps more.
"""
_CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "without-noise": ("no token noise", {"noise": 0}),
    "with-dropout": ("dropout in place of token noise", _DROPOUT),
    "with-longer-noise": ("token noise for twice as long", {"settling": 6000}),
    "with-early-noise": ("token noise from the first step", _EARLY),
    "with-adamw": ("AdamW in place of Muon", _ADAMW),
    "with-tied-head": ("the head tied to the embedding", {"tied": True}),
    "with-separate-inputs": ("tokens and positions that start orthogonal", {"separate": 2.0}),
    "with-decay": ("a learning rate that decays", {"decays": True}),
}
FACTORS = tuple(
    replace(DENSE, name=name, about=about, version=f"9-{name.removeprefix('with-')}", **fields)
    for name, (about, fields) in _CHANGES.items()
)
"""Dense noise with one thing changed, mostly to that of the paper, to see what decides."""
RECIPES = {
    recipe.name: recipe
    for recipe in [RECIPE, DENSE, SPARSE, LEARNED, *FACTORS]
    + [TWO_STAGE, ANNEALED, BY_FORMAT, BY_SETTING, PAPER]
}
"""Every recipe, by name."""
BY_VERSION = {recipe.version: recipe for recipe in (*RECIPES.values(), FIRST_PAPER)}
"""Every recipe by version, as measurements name them, with those that another has replaced."""
CHOICES: dict[str, Recipe | None] = {
    "default": None,
    **{recipe.asked_for: recipe for recipe in BY_VERSION.values()},
}
"""What can be asked for: ``default`` is the usual recipe of each cell."""


def find_recipe(name: str) -> Recipe | None:
    """The recipe of that name; None for the usual one of each (InvalidInput: there is none)."""
    return look_up("recipe", name, CHOICES)
