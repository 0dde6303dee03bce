"""What can be trained and judged: checked for every cell before the first model is trained."""

from __future__ import annotations

from collections.abc import Sequence

from theory.counting.congruences import LARGEST_MODULUS
from theory.errors import InvalidInput
from verify.plan.cells import Cell

LARGEST_SEED = 2**31 - 1
"""Seeds are 32-bit numbers."""
MOST_MODELS = 100_000
"""Models asked for at once: even this many take weeks."""
MOST_TOKENS = 1_000
"""Tokens of one example: attention over more needs memory that small machines lack."""


def check_seeds(first: int, count: int) -> None:
    """Refuse seeds that no model can have.

    Raises:
        InvalidInput: a count below 1, a negative seed, one that is too large, or too many.
    """
    if count < 1 or count > MOST_MODELS:
        raise InvalidInput(f"--seeds goes from 1 to {MOST_MODELS:,}, not {count}")
    if first < 0 or first + count - 1 > LARGEST_SEED:
        raise InvalidInput(f"seeds go from 0 to {LARGEST_SEED:,}")


def check_cells(cells: Sequence[Cell], seeds: int) -> None:
    """Refuse cells that cannot be trained, or judged when they are.

    Raises:
        InvalidInput: too many models, examples too long, a modulus too large for any accuracy to
            be counted, or more operand tuples than the training domain has.
    """
    if len(cells) * seeds > MOST_MODELS:
        raise InvalidInput(
            f"{len(cells):,} cells with {seeds:,} seeds are more than {MOST_MODELS:,} models"
        )
    for cell in cells:
        task, train = cell.setting.task, cell.setting.train
        if (task.full_modulus or 1) > LARGEST_MODULUS:
            raise InvalidInput(
                f"modulus {task.modulus} is too large to be verified: accuracies are counted for "
                f"moduli (times the divisor) up to {LARGEST_MODULUS:,}"
            )
        if len(cell.format.tokens) > MOST_TOKENS:
            raise InvalidInput(
                f"an example of {cell.label()} has {len(cell.format.tokens):,} tokens; models take "
                f"at most {MOST_TOKENS:,}: ask for fewer digits"
            )
        tuples = sum(box.size for box in train.boxes(cell.setting.base, task.operands))
        if train.pairs is not None and train.pairs > tuples:
            raise InvalidInput(f"{train.text()}: there are only {tuples:,} operand tuples")
