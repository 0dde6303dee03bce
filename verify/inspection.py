"""Inspecting one model, trained here or kept: what is inside is measured and drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arith.theory.errors import InvalidInput
from arith.verify.mechanism.equivalence import Equivalence, Leaks, equivalence, leaks
from arith.verify.mechanism.influence import answerers, disagreement, influences
from arith.verify.mechanism.pictures import draw_states
from arith.verify.model.kept import KeptModel
from arith.verify.plan.cells import Cell, refuse_natural
from arith.verify.plan.plan import Plan
from arith.verify.records.files import write
from arith.verify.records.notices import say
from arith.verify.reporting.influence_plot import draw_influences
from arith.verify.running.progress import Progress, ProgressDisplay, saying
from arith.verify.training.device import pick_device, precision_name, train_alone
from arith.verify.training.train import Trained, train


def trained(plan: Plan) -> Trained:
    """The first model of a plan, trained in this process.

    Raises:
        InvalidInput: a device or a precision that this machine lacks, or natural lengths.
    """
    train_alone()
    device = pick_device(plan.device)
    precision = precision_name(device, plan.precision)
    job = plan.models[0]
    _check(job.cell)
    with ProgressDisplay(1, plan.budget) as display:
        found = train(
            job.cell,
            job.seed,
            plan.budget,
            device=device,
            recipe=job.recipe,
            on_step=lambda step: display.update(Progress(job, step)),
            precision=precision,
        )
    say(f"trained {found.steps} steps in {found.seconds:.0f} s")
    return found


def _check(cell: Cell) -> None:
    """Refuse what is not looked into: natural lengths, several operations (InvalidInput)."""
    if len(cell.setting.task.operations) > 1:
        raise InvalidInput(f"inspect needs a single operation, not {cell.setting.task.name}")
    refuse_natural(cell, "inspect")


def kept(found: KeptModel) -> Trained:
    """A kept model, as it was when it was trained.

    Raises:
        InvalidInput: it is of natural lengths, or of several operations.
    """
    train_alone()
    run = found.run
    _check(run.cell)
    return Trained(found.model, run.cell, run.seed, run.premise, run.steps, run.seconds, run.noise)


@dataclass(frozen=True)
class Mechanism:
    """What was measured of one model at one test length.

    Args:
        influence: of ``answerers``, shares ``(k, digits, M)`` as ``influences`` returns them.
        equivalence: None where no position is predicted to be ignored.
        leaks: the same.
    """

    digits: int
    influence: dict[str, np.ndarray]
    equivalence: Equivalence | None
    leaks: Leaks | None

    def to_json(self) -> dict[str, Any]:
        """The measurements as plain values, rounded to four digits."""
        model, *others = self.influence.items()
        values: dict[str, Any] = {
            "digits": self.digits,
            "influence": {k: _plain(x) for k, x in self.influence.items()},
            "distance": {k: disagreement(model[1], x) for k, x in others},
        }
        if self.equivalence is not None:
            ratios = _plain(np.array(self.equivalence.ratios))
            values["equivalence"] = {"samples": self.equivalence.samples, "by layer": ratios}
        if self.leaks is not None:
            values["leaks"] = {
                "samples": self.leaks.samples,
                "as it is": round(self.leaks.unpatched, 4),
                "mended by layer": [round(x, 4) for x in self.leaks.patched],
            }
        return values


def _plain(shares: np.ndarray) -> list[Any]:
    """Shares as nested lists, rounded; None where one is not known, as JSON has no other word."""
    values = np.round(shares, 4).astype(object)
    values[np.isnan(shares)] = None
    return values.tolist()


def inspect(model: Trained) -> Mechanism:
    """Measure a model at its longest test length."""
    net, cell, digits = model.model, model.cell, max(model.cell.setting.test_lengths)
    watch = saying("looking inside: {done} of {of} digits")
    found = influences(answerers(net, cell), cell, digits, watch=watch)
    same, leak = None, None
    # It may be that no position is ignored, or nothing is equivalent to a trained input.
    with suppress(InvalidInput):
        same, leak = equivalence(net, cell, digits), leaks(net, cell, digits)
    return Mechanism(digits, found, same, leak)


def drawn_digit(cell: Cell) -> int:
    """The result digit before which states are drawn: the highest of the trained operands."""
    return min(max(cell.setting.train.lengths), cell.format.result_width)


def pictures(model: Trained, mechanism: Mechanism) -> dict[str, Callable[[Path], None]]:
    """What draws each picture of a model, by the name of its file."""
    cell, names = model.cell, model.cell.setting.task.names
    found: dict[str, Callable[[Path], None]] = {
        "influence.svg": partial(draw_influences, mechanism.influence, cell.label(), names=names)
    }
    if mechanism.equivalence is not None:
        found["states.svg"] = partial(
            draw_states, model.model, cell, mechanism.digits, drawn_digit(cell)
        )
    return found


def write_inspection(model: Trained, mechanism: Mechanism, folder: Path) -> list[Path]:
    """Write what was measured as JSON, and draw it; the paths of the pictures.

    Raises:
        InvalidInput: a file cannot be written.
    """
    drawn = pictures(model, mechanism)
    for name, draw in drawn.items():
        draw(folder / name)
    head = {"cell": model.cell.to_json(), "seed": model.seed, "premise": round(model.premise, 6)}
    write(folder / "mechanism.json", json.dumps({**head, **mechanism.to_json()}) + "\n")
    return [folder / name for name in drawn]
