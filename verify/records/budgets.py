"""Which run of a model stands where it was trained with several budgets."""

from __future__ import annotations

from collections.abc import Iterable

from arith.verify.records.runs import Identity, Run


def is_wanted(run: Run | None, budget: int) -> bool:
    """Whether to train a model: there is none, or a larger budget would make another one."""
    return run is None or (run.budget < budget and rests_on_budget(run, budget))


def rests_on_budget(run: Run, budget: int) -> bool:
    """Whether this budget makes another model than that of the run.

    It does where training had not settled, where it would not settle in so few steps, and where
    the learning rate follows the budget.
    """
    if budget == run.budget:
        return False
    follows = run.trained_by is not None and run.trained_by.decays
    return follows or not run.settled or budget <= run.steps


def merge(old: Iterable[Run], new: Iterable[Run]) -> list[Run]:
    """All runs; of two of one model the one with the larger budget, or else the newer one.

    What was predicted of it the first time stays: later its answers were known.
    """
    merged: dict[Identity, Run] = {}
    for run in (*old, *new):
        before = merged.get(run.identity)
        if before is None or run.budget >= before.budget:
            merged[run.identity] = run.after(before)
    return list(merged.values())
