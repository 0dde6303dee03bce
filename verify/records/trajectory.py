"""Trajectories: what a model answered along its training, in domain and out of it.

The published question behind them: does the behaviour out of domain come before, with, or long
after the accuracy in domain (arXiv 2407.17963, on grokking)?
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arith.verify.plan.cells import Cell
from arith.verify.plan.premise import PREMISE
from arith.verify.records.reading import Length, Share, Whole, check

GROWTH = 1.25
"""Each look comes at about so many times the steps of the last: what is learned early is seen."""


@dataclass(frozen=True)
class Trajectory:
    """Accuracies of one model along training.

    Args:
        steps: optimizer steps at each look; the last is the end, with the final measurement.
        correct: by test length, the share of answers equal to ``f`` at each look.
        learned: the same for the predicted learned function, None where there is none.
    """

    steps: tuple[Whole, ...]
    correct: dict[Length, tuple[Share, ...]]
    learned: dict[Length, tuple[Share, ...]] | None

    def check(self, cell: Cell) -> None:
        """Check that it can be one of this cell, and its curves go together (InvalidInput)."""
        steps, lengths = self.steps, set(cell.setting.test_lengths)
        check(steps and list(steps) == sorted(set(steps)), "trajectory: steps must rise")
        for name, curves in (("correct", self.correct), ("learned", self.learned or {})):
            check(curves.keys() <= lengths, f"trajectory: {name} has a length that is not tested")
            fine = all(len(shares) == len(steps) for shares in curves.values())
            check(fine, f"trajectory: {name} must hold a share per step")


@dataclass(frozen=True)
class Timing:
    """The first steps at which a model was seen to have got there.

    Args:
        within: to the premise, at every trained length; None if it never was.
        outside: to answers of which the learned function explains ``share``, at a test length.
    """

    within: int | None
    outside: int | None


def timing(cell: Cell, trajectory: Trajectory, digits: int, share: float) -> Timing | None:
    """When the premise was reached, and when the predicted behaviour at a test length.

    None where there is no learned function, or no test length that was trained.

    Args:
        share: of answers equal to the learned function that count as reached.
    """
    if trajectory.learned is None or not any(map(cell.setting.is_premise, trajectory.correct)):
        return None
    outside = _first(trajectory, trajectory.learned[digits], share)
    return Timing(learned_at(cell, trajectory, PREMISE), outside)


def learned_at(cell: Cell, trajectory: Trajectory, share: float) -> int | None:
    """The first step at which a model was seen to be right in domain on that share of the answers.

    At the trained length where it is lowest; None if it never was, or no test length was trained.
    """
    curves = [shares for n, shares in trajectory.correct.items() if cell.setting.is_premise(n)]
    return _first(trajectory, map(min, zip(*curves, strict=True)), share)


def _first(trajectory: Trajectory, values: Iterable[float], goal: float) -> int | None:
    reached = zip(trajectory.steps, values, strict=False)
    return next((step for step, value in reached if value >= goal), None)
