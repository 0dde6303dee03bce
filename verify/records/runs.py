"""Runs: what is kept of one trained model."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar

from msgspec import Struct

from arith.theory.errors import InvalidInput
from arith.verify.plan import premise
from arith.verify.plan.cells import Cell, adapted
from arith.verify.plan.given import one_line
from arith.verify.plan.recipe import BY_VERSION, Recipe
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import Predicted
from arith.verify.records.reading import (
    FORMAT,
    Line,
    Positive,
    Precision,
    Seconds,
    Seed,
    Share,
    UnknownField,
    Whole,
    as_json,
    check,
    read,
)
from arith.verify.records.trajectory import Trajectory

Identity = tuple[str, int, str, str]
"""The key of a cell, the seed, the recipe and the precision."""
_Kind = TypeVar("_Kind")


@dataclass(frozen=True)
class Run:
    """One trained model and what was measured of it.

    Args:
        recipe: version of the recipe it was trained with.
        precision: of its matrix products, ``float32`` or ``bfloat16``.
        premise: held-out accuracy in domain, at the trained length where it is lowest.
        held_out: how many held-out inputs were tested, of all trained lengths.
        steps: optimizer steps taken.
        budget: the most steps it was allowed.
        seconds: wall time of training.
        machine: processor or accelerator, and the versions of Python and torch.
        trajectory: what it answered along training, where that was recorded.
        predicted: what was predicted before it was trained, where that was kept.
        indifference: the share of answers in domain that stay when ignored tokens are disturbed
            (``verify.model.measure``), where that was measured.
        noise: where noise is learned, the share of it that each token that is read bears,
            when training ended (``verify.model.token_noise``).
    """

    BESIDE: ClassVar = {"format": (Literal[FORMAT], FORMAT)}
    format: ClassVar = FORMAT

    cell: Cell
    seed: Seed
    recipe: Line
    precision: Precision
    premise: Share
    held_out: Positive
    steps: Whole
    budget: Whole
    seconds: Seconds
    machine: Line
    measurements: tuple[Measurement, ...]
    trajectory: Trajectory | None = None
    predicted: Predicted | None = None
    indifference: Share | None = None
    noise: tuple[Share, ...] | None = None

    @property
    def identity(self) -> Identity:
        """What two measurements of the same thing share."""
        return self.cell.key, self.seed, self.recipe, self.precision

    @cached_property
    def trained_by(self) -> Recipe | None:
        """Its recipe as it is for the setting; None where the version is not known."""
        recipe = BY_VERSION.get(self.recipe)
        return None if recipe is None else adapted(recipe, self.cell.setting)

    @cached_property
    def noise_kind(self) -> str:
        """The kind of noise in its training; empty where its recipe is not known."""
        recipe = self.trained_by
        return recipe.kind if recipe else ""

    @property
    def premise_text(self) -> str:
        """``premise`` as it is written in reports."""
        return premise.written(self.premise)

    @cached_property
    def converged(self) -> bool:
        """Whether it meets the premise of the theory (see ``verify.plan.premise``)."""
        return premise.is_met(self.premise, self.independent)

    @property
    def independent(self) -> int:
        """How many of the held-out inputs are surely independent of each other."""
        return premise.independent(self.cell.setting.task, self.held_out)

    @property
    def indifferent(self) -> bool:
        """Whether its answers are known to stay when ignored tokens are disturbed."""
        return self.indifference is not None and self.indifference >= premise.INDIFFERENT

    def at(self, digits: int) -> Measurement | None:
        """What was measured at a test length, if anything was."""
        return next((m for m in self.measurements if m.digits == digits), None)

    @property
    def settled(self) -> bool:
        """Whether training ended by itself, and not because too few steps were left."""
        return self.premise >= premise.PREMISE and self.steps < self.budget

    def after(self, before: Run | None) -> Run:
        """The run beside an earlier one of the same model, if there is one.

        What was predicted the first time stays: later predictions know its answers.
        """
        return self if before is None else replace(self, predicted=before.predicted)

    def to_json(self) -> dict[str, Any]:
        """The run as plain values, without what was not recorded."""
        values = as_json(self) | {
            "premise": round(self.premise, 6),
            "seconds": round(self.seconds, 1),
        }
        if self.predicted is not None:
            values["predicted"] = self.predicted.to_json()
        if self.indifference is not None:
            values["indifference"] = round(self.indifference, 6)
        if self.noise is not None:
            values["noise"] = [round(x, 3) for x in self.noise]
        return values

    @classmethod
    def from_json(cls, text: str | bytes) -> Run:
        """The run that ``to_json`` wrote, checked.

        Raises:
            InvalidInput: a value that no run can have, or one that is missing.
            UnknownField: a field more, or another format.
        """
        run = read_model(cls, text)
        run.check()
        return run

    def check(self) -> None:
        """Check that what is told of the model goes together, and with its cell (InvalidInput)."""
        check(self.steps <= self.budget, "steps must not be above budget")
        tokens = len(self.cell.training_format.tokens) - 1
        fine = self.noise is None or len(self.noise) == tokens
        check(fine, "noise must hold a share for each token")
        digits = [m.digits for m in self.measurements]
        check(len(set(digits)) == len(digits), "a length is measured twice")
        for part in (*self.measurements, self.trajectory, self.predicted):
            if part is not None:
                part.check(self.cell)


def by_cell(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """The runs of each cell, by its key."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.cell.key, []).append(run)
    return found


class _Format(Struct):
    format: Any = FORMAT


def read_model(kind: type[_Kind], text: str | bytes) -> _Kind:
    """A record of a model, as ``reading.read`` does (UnknownField: of another format, too)."""
    try:
        return read(kind, text)
    except InvalidInput:
        said: Any = FORMAT
        with suppress(InvalidInput):
            said = read(_Format, text).format
        if said != FORMAT:
            other = one_line(repr(said))
            words = f"format {other} is unknown; this version of arith reads {FORMAT}"
            raise UnknownField(words) from None
        raise
