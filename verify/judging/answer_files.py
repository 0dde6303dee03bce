"""What answers tell of themselves: the lengths that they are of, and what looks wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from arith.theory.setting.requests import LARGEST_TEST
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import default_model
from arith.verify.data.files import Examples
from arith.verify.data.finding import Found
from arith.verify.data.phrasing import Phrasing
from arith.verify.judging.answers import Answers, operand_lengths, written_width
from arith.verify.plan.cells import Cell


def notes_on_answers(
    names: Sequence[str], models: Sequence[Examples], setting: Setting, found: Found | None
) -> list[str]:
    """What looks wrong with answers, or leaves positions open, a line each.

    Args:
        found: what the training examples were found to be, if they are given.
    """
    notes = []
    for name, model in zip(names, models, strict=True):
        own = Phrasing.of(model, setting)
        lines = own.uneven_lines() or (found.phrasing.other_lines(own) if found else [])
        notes += [f"{name}: {x}" for x in lines]
    said = [dict(zip(x.prompts, x.answers, strict=True)) for x in models]
    same = "have the same answers to the same prompts: are they two models?"
    return notes + [
        f"{names[i]} and {names[j]} {same}"
        for j in range(len(said))
        for i in range(j)
        if said[i] == said[j]
    ]


def answered_setting(setting: Setting, models: Sequence[Examples]) -> Setting:
    """A setting with the test lengths that were answered, and the width that prompts are padded to.

    Where no prompt is an input of the task, the setting is tested up to the longest number there.
    Padded operands are as long as most are in prompts, and no longer ones can be tested.
    """
    numbers = sum((operand_lengths(x.prompts, setting) for x in models), Counter[int]())
    every = [n for n, _ in numbers.most_common() if n <= LARGEST_TEST] or [1]
    width = 0 if setting.natural else setting.width or _padded_to(every[0], setting)
    tested = tuple(range(1, (width or max(every)) + 1))
    wide = replace(setting, test_lengths=tested, width=width)
    cell = Cell(wide, default_model(wide.task))
    said = [Answers.read(x, cell) for x in models]
    found = tuple(n for n in tested if any(len(x.tested(n)) for x in said))
    return replace(wide, test_lengths=found) if found else wide


def _padded_to(written: int, setting: Setting) -> int:
    """To how many digits operands are padded that are written with so many, or are in training."""
    trained = setting.train.every_length[-1]
    widths = range(written, trained, -1)
    each = (replace(setting, test_lengths=(), width=n) for n in widths)
    return next((x.width for x in each if written_width(x) <= written), trained)
