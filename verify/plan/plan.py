"""A plan: what is to be trained, checked before the first model is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from arith.theory.arithmetic.effort import ENTRIES
from arith.theory.arithmetic.residues import LARGEST_MODULUS
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import option
from arith.theory.setting.training import DEFAULT_BUDGET
from arith.verify.data.sampling import HELD_OUT, Sampler
from arith.verify.plan.cells import Cell, adapted
from arith.verify.plan.folders import NO_FOLDERS, Folders
from arith.verify.plan.inputs import unjudged
from arith.verify.plan.recipe import MOST_STEPS, Recipe

DEVICES = ("auto", "cpu", "cuda")
"""Where models are trained."""
PRECISIONS = ("float32", "bfloat16")
"""Of matrix products."""
LARGEST_SEED = 2**31 - 1
"""Seeds are 32-bit numbers."""
MOST_MODELS = 100_000
"""Models asked for at once: even this many take weeks."""
MOST_JOBS = 1_000
"""Processes at once."""
MOST_TOKENS = 1_000
"""Tokens of one example: attention over more needs memory that small machines lack."""
_MOST_NAMED = 3
"""Cells of a note that are named."""
_MOST_COUNTED = ENTRIES // 5
"""Operand tuples that are counted one by one."""
_MOST_PARTS = 5 * ENTRIES
"""Digits of the parts of a domain, from which its inputs are drawn."""


@dataclass(frozen=True)
class Job:
    """One model to train: a cell, a seed, and how."""

    cell: Cell
    seed: int
    recipe: Recipe

    @property
    def name(self) -> str:
        """The model in words."""
        return f"{self.cell.label()}, seed {self.seed}"


@dataclass(frozen=True)
class Plan:
    """Cells, each to be trained with some seeds, and how.

    Args:
        jobs: 0 is as many as a cluster takes, too.
        device: on a cluster ``auto`` is ``cpu``.
        recipe: how every model is trained; None is the usual recipe of its cell.
        folders: where models are kept and curves are written, if they are.

    Raises:
        InvalidInput: a number out of range, or a cell that cannot be trained or judged.
    """

    cells: Sequence[Cell]
    first_seed: int = option(0, "The first seed.")
    seeds: int = option(1, "Models per cell.")
    budget: int = option(
        DEFAULT_BUDGET,
        "Most training steps per model. Runs that had spent a smaller budget are made again.",
    )
    jobs: int = option(0, "Models trained at once; 0 is one per core.")
    device: str = option("auto", f"{', '.join(DEVICES)}.", names=DEVICES)
    precision: str = option(
        "auto",
        "Of matrix products: float32, bfloat16, or auto: by what the processor has.",
        names=("auto", *PRECISIONS),
        variable="ARITH_PRECISION",
    )
    cluster: str | None = option(None, "Train on the workers of a Dask scheduler at this address.")
    recipe: Recipe | None = None
    folders: Folders = NO_FOLDERS

    def __post_init__(self) -> None:
        if not 1 <= self.seeds <= MOST_MODELS:
            raise InvalidInput(f"--seeds goes from 1 to {MOST_MODELS:,}, not {self.seeds}")
        if not 0 <= self.first_seed <= self.first_seed + self.seeds - 1 <= LARGEST_SEED:
            raise InvalidInput(f"seeds go from 0 to {LARGEST_SEED:,}")
        if not 0 <= self.jobs <= MOST_JOBS:
            raise InvalidInput(f"--jobs goes from 0 to {MOST_JOBS:,}, not {self.jobs}")
        if not 0 < self.budget <= MOST_STEPS:
            raise InvalidInput(f"--budget goes from 1 to {MOST_STEPS:,}, not {self.budget}")
        if len(self.cells) * self.seeds > MOST_MODELS:
            raise InvalidInput(
                f"{len(self.cells):,} cells with {self.seeds:,} seeds are more than "
                f"{MOST_MODELS:,} models"
            )
        if self.cluster is not None and self.folders != NO_FOLDERS:
            raise InvalidInput(
                "a cluster writes no models and no curves: leave out --keep-models and "
                "--tensorboard, or --cluster"
            )
        for cell in self.cells:
            _check(cell)

    @property
    def models(self) -> list[Job]:
        """Each cell with each seed."""
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        made = [(c, adapted(self.recipe or c.recipe, c.setting)) for c in self.cells]
        return [Job(cell, seed, recipe) for cell, recipe in made for seed in seeds]

    def notes(self) -> list[str]:
        """What is to be known before training: of cells that cannot be judged, and of the recipe.

        That is what differs from the published code, where models are trained by its recipe.
        """
        few = {cell.label(): why for cell in self.cells if (why := unjudged(cell))}
        notes = [f"{label}: {why}" for label, why in few.items()]
        if len(few) > 1:
            named = [*islice(few, _MOST_NAMED), "..."][: len(few)]
            notes = [
                f"No model of {len(few):,} of {len(self.cells):,} cells can be judged, as too few "
                f"inputs are held out (arith theorems convergence): {'; '.join(named)}"
            ]
        steps = sorted({job.recipe.published_steps for job in self.models} - {0})
        theirs = " and ".join(f"{n:,}" for n in steps)
        differs = (
            f"Of the published recipe one thing differs: it takes {theirs} steps, here "
            f"{self.budget:,} (--budget). Its data are options: docs/published-code.md."
        )
        return notes + [differs] * bool(theirs)


def _check(cell: Cell) -> None:
    """Refuse a cell that cannot be trained, or judged when it is."""
    task, train = cell.setting.task, cell.setting.train
    if (task.modulus or 1) > LARGEST_MODULUS:
        raise InvalidInput(
            f"modulus {task.modulus} is too large to be verified: accuracies are counted for "
            f"moduli up to {LARGEST_MODULUS:,}"
        )
    tokens = len(cell.longest_format.tokens)
    if tokens > MOST_TOKENS:
        raise InvalidInput(
            f"an example of {cell.label()} has {tokens:,} tokens; models take "
            f"at most {MOST_TOKENS:,}: ask for fewer digits"
        )
    for domain in (train, *map(cell.setting.test, cell.setting.test_lengths)):
        boxes = sum(domain.number_of_boxes(n, task.operands) for n in domain.every_length)
        digits = boxes * task.operands * domain.every_length[-1] * cell.setting.base
        if digits > _MOST_PARTS:
            raise InvalidInput(
                f"{domain.text()} has {boxes:,} choices of lengths together, too many to draw "
                "from: ask for fewer or shorter lengths"
            )
    if train.pairs is not None and train.pairs > (most := _most_pairs(cell)):
        why = f", as one in {HELD_OUT} is held out" if train.holdout == "hash" else ""
        raise InvalidInput(
            f"{train.text()}: training takes at most {most:,} different operand tuples there{why}"
        )


def _most_pairs(cell: Cell) -> int:
    """How many different operand tuples can be drawn for training, or a bound that is safe."""
    train = cell.setting.train
    sampler = Sampler(cell.training_format, train)
    if train.holdout == "position" and not cell.setting.task.needs_order:
        return sampler.size
    if sampler.size > _MOST_COUNTED:
        return sampler.size // 4  # a - b is defined on half of the pairs
    return len(sampler.everything(held_out=False))
