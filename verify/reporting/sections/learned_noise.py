"""Learned noise: whether the places that got most of it are those that theory does not need."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.display.markdown import Markdown
from arith.theory.display.text import count
from arith.theory.inference.support import support
from arith.verify.judging.judge import CellVerdict
from arith.verify.plan.recipe import BY_VERSION
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import Block, Heading, Table
from arith.verify.reporting.report import Report

ORDER = 36


def section(report: Report) -> list[Block]:
    """How many models gave the most noise to the digits that are not needed, and a row per cell."""
    found = []
    for v in report.verdicts:
        met = [run for run in (*v.runs, *report.others_of(v)) if run.converged]
        for recipe in BY_VERSION.values():
            if shares := _by_model(v, [run for run in met if run.recipe == recipe.version]):
                found.append((v.name, recipe.name, shares))
    if not found:
        return []
    models = [of_model for *_, shares in found for of_model in shares]
    apart = sum(max(needed) < min(others) for needed, others in models)
    return [
        Heading("Learned noise"),
        f"In {apart} of {count(len(models), 'model')} each operand digit that theory says is not "
        "needed got more noise than each that is.",
        Table([_row(*x) for x in found]),
        Markdown(
            "While a model settles, each place learns how much of the learned noise it bears, from "
            "0 to 1: the more, the less answers rest on what stands there. *needed*: operand "
            "digits that varied in training and can change the answer. *not needed*: those that "
            "never varied, or cannot change it (the hundreds, where the modulus is 100). "
            "The lowest and the highest share, of all models that met the premise."
        ),
    ]


def _by_model(v: CellVerdict, runs: Sequence[Run]) -> list[tuple[list[float], list[float]]]:
    """Of each model the shares of the needed digits, and of the others."""
    s = v.cell.setting
    if s.natural:  # a token's place does not say which digit it is
        return []
    needed = set(support(s.task, s.train, s.base).needed)
    tokens = v.cell.training_format.tokens[:-1]
    operands = [(i, (t.operand, t.position)) for i, t in enumerate(tokens) if t.kind == "operand"]

    def shares(run: Run, of_needed: bool) -> list[float]:
        noise = run.noise or ()
        return [noise[i] for i, digit in operands if (digit in needed) == of_needed]

    both = [(shares(run, True), shares(run, False)) for run in runs if run.noise]
    return [x for x in both if all(x)]


def _row(cell: str, recipe: str, models: list[tuple[list[float], list[float]]]) -> dict[str, str]:
    needed, others = ([x for of_model in models for x in of_model[i]] for i in (0, 1))
    return {
        "cell": cell,
        "recipe": recipe,
        "needed": f"{min(needed):.2f} to {max(needed):.2f}",
        "not needed": f"{min(others):.2f} to {max(others):.2f}",
        "models": str(len(models)),
    }
