"""The options of the commands that train: grids, sizes, recipes, and where they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arith.commands.options import annotated, completion
from arith.verify.plan.grids import GRIDS
from arith.verify.plan.plan import DEVICES, PRECISIONS
from arith.verify.plan.recipe import CHOICES
from arith.verify.plan.rows import Row

SizeOption = annotated(Row, "model")
EXTERNAL = "hf:"
"""What the name of a model on disk begins with."""
ModelOption = annotated(
    Row,
    "model",
    f"; or {EXTERNAL}PATH, a causal language model on disk, which is asked and not trained.",
)
GridOption = typer.Option(
    help=f"{', '.join(GRIDS)}, or a TOML file.", autocompletion=completion(GRIDS)
)
_RECIPE_HELP = f"How models are trained: {', '.join(CHOICES)}."
RecipeOption = Annotated[str, typer.Option(help=_RECIPE_HELP, autocompletion=completion(CHOICES))]
GridRecipeOption = Annotated[
    str | None,
    typer.Option(
        help=f"{_RECIPE_HELP} Unless given, the one of the grid's evidence, or the usual one of "
        "each cell (default).",
        autocompletion=completion(CHOICES),
    ),
]
KeepOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep each trained model in a folder of its own here, for inspect, ask and export. "
        "What the store has and this folder lacks is trained again.",
    ),
]
CurvesOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Write curves of the trainings here, to be seen with tensorboard."
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Train nothing: list what would be, and how long it takes."),
]
DeviceOption = Annotated[
    str, typer.Option(help=f"{', '.join(DEVICES)}.", autocompletion=completion(DEVICES))
]
PrecisionOption = Annotated[
    str,
    typer.Option(
        envvar="ARITH_PRECISION",
        help="Of matrix products: float32, bfloat16, or auto: by what the processor has.",
        autocompletion=completion(("auto", *PRECISIONS)),
    ),
]
