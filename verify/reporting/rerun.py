"""The commands that train the models of a cell again."""

from __future__ import annotations

from itertools import groupby

from arith.verify.judging.judge import CellVerdict
from arith.verify.plan.recipe import BY_VERSION, Recipe


def commands(v: CellVerdict, recipe: Recipe | None = None) -> list[str]:
    """A command for consecutive seeds of one budget and precision; of seed 0 if none was trained.

    The store keeps a model by its seed, so these train what a store lacks, and judge it.

    Args:
        recipe: for a cell of which no model was trained; None for its usual one.
    """
    runs = sorted(v.runs, key=lambda r: (r.precision, r.budget, r.seed))
    # Along consecutive seeds the seed grows as the index does.
    found = groupby(enumerate(runs), lambda x: (x[1].precision, x[1].budget, x[1].seed - x[0]))
    stretches = [[run for _, run in stretch] for _, stretch in found]
    made = [
        v.cell.command(x[0].seed, x[0].budget, len(x), x[0].precision, BY_VERSION.get(x[0].recipe))
        for x in stretches
    ]
    return made or [v.cell.command(0, recipe=recipe or v.cell.recipe)]
