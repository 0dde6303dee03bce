"""What a report is about: the judged cells of a grid, and the folder of their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path

from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.known_divergences import KnownDivergences
from arith.verify.plan.grids import grid
from arith.verify.plan.recipe import BY_VERSION, Recipe
from arith.verify.records.runs import Run, by_cell


@dataclass(frozen=True)
class Report:
    """What the page and each of its sections are made from.

    Args:
        name: what it is about, as in ``the headline grid``.
        verdicts: on every cell of the grid, trained or not.
        folder: of the evidence; the pages and their figures are written there.
        known: what was found out about divergences.
        recipe: how the judged models were trained; None is the usual recipe of each cell.
        others: models of these cells that were trained by other recipes; they are not judged.
        runs: all that the evidence holds, also what is not judged.
        notes: lines on what is left out.
    """

    name: str
    verdicts: Sequence[CellVerdict]
    folder: Path
    known: KnownDivergences = field(default_factory=KnownDivergences)
    recipe: Recipe | None = None
    others: Sequence[Run] = ()
    runs: Sequence[Run] = ()
    notes: Sequence[str] = ()

    def all_of(self, v: CellVerdict) -> list[Run]:
        """The models of a cell, also those that were trained by other recipes."""
        return [*v.runs, *self._others.get(v.cell.key, ())]

    @cached_property
    def _others(self) -> dict[str, list[Run]]:
        return by_cell(self.others)

    @property
    def evidence(self) -> Path:
        """The file of the measurements."""
        return self.folder / "evidence.jsonl"

    @property
    def trained(self) -> list[CellVerdict]:
        """The verdicts on the cells of which there is any model."""
        return [v for v in self.verdicts if v.runs]

    def trained_of(self, name: str) -> list[CellVerdict]:
        """The trained cells of another grid; none unless this grid has all cells of that one."""
        by_key = {v.cell.key: v for v in self.verdicts}
        keys = [cell.key for cell in grid(name)]
        whole = all(key in by_key for key in keys)
        return [by_key[key] for key in keys if by_key[key].runs] if whole else []


def rerun_commands(v: CellVerdict, recipe: Recipe | None = None) -> list[str]:
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
