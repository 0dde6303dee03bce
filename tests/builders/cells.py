"""Small cells."""

from __future__ import annotations

from typing import Any

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import encoding
from arith.theory.transformer.layouts import layout
from arith.verify.plan.cells import Cell


def cell(
    task: str | Task = "add",
    modulus: int | None = None,
    *,
    pe: str = "ape",
    form: str = "aligned",
    digits: int = 2,
    base: int = 10,
    **changes: Any,
) -> Cell:
    """A cell trained on some digits and tested on up to one more.

    Args:
        task: a task, or the name of one.
        modulus: of a named task that has one.
        pe: the encoding.
        form: the layout.
        digits: the length of training.
        changes: other fields of the setting, and those that should be otherwise.
    """
    values: dict[str, Any] = {
        "task": named_task(task, modulus) if isinstance(task, str) else task,
        "digit_base": base,
        "train": Domain((digits,)),
        "test_lengths": tuple(range(1, digits + 2)),
    }
    return Cell(Setting(encoding=encoding(pe), layout=layout(form), **values | changes), "pico")


def natural_cell(pe: str, form: str, task: str | Task = "add", **changes: Any) -> Cell:
    """A cell of natural lengths, trained on one to three digits and tested on up to five."""
    values = {"train": Domain((1, 2, 3)), "test_lengths": (1, 2, 3, 4, 5), "padding": "none"}
    return cell(task, pe=pe, form=form, **values | changes)
