"""Looking inside one model: it is trained, or read where it was kept; what is found is drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.verify.plan.cells import refuse_natural
from arith.verify.plan.plan import Plan
from arith.verify.records.files import write
from arith.verify.records.notices import say

if TYPE_CHECKING:
    from arith.verify.mechanism.inspection import Mechanism
    from arith.verify.training.train import Trained


def inspect(plan: Plan) -> tuple[Trained, Mechanism]:
    """Train the first model of a plan in this process and measure its mechanism.

    Raises:
        InvalidInput: a device or a precision that this machine lacks, or natural lengths.
    """
    from arith.verify.running.progress import Progress, ProgressDisplay
    from arith.verify.training.device import fix_precision, pick_device, train_alone
    from arith.verify.training.train import train

    train_alone()
    device = pick_device(plan.device)
    fix_precision(plan.precision, device)
    job = plan.models[0]
    refuse_natural(job.cell, "inspect")
    how: Any = {"device": device, "recipe": job.recipe}
    with ProgressDisplay(1, plan.budget) as display:
        how["on_step"] = lambda step: display.update(Progress(job, step))
        trained = train(job.cell, job.seed, plan.budget, **how)
    say(f"trained {trained.steps} steps in {trained.seconds:.0f} s")
    return trained, _look_inside(trained)


def inspect_kept(folder: Path) -> tuple[Trained, Mechanism]:
    """Measure the mechanism of a kept model.

    Raises:
        InvalidInput: the folder holds no kept model, or one of natural lengths.
    """
    from arith.verify.model.kept import read_kept
    from arith.verify.training.device import train_alone
    from arith.verify.training.train import Trained

    train_alone()
    kept = read_kept(folder)
    run = kept.run
    refuse_natural(run.cell, "inspect")
    trained = Trained(kept.model, run.cell, run.seed, run.premise, run.steps, run.seconds)
    return trained, _look_inside(trained)


def _look_inside(trained: Trained) -> Mechanism:
    from arith.verify.mechanism.inspection import measure_mechanism
    from arith.verify.running.progress import saying

    longest = max(trained.cell.setting.test_lengths)
    return measure_mechanism(
        trained.model, trained.cell, longest, saying("looking inside: {done} of {of} digits")
    )


def write_inspection(trained: Trained, mechanism: Mechanism, folder: Path) -> list[Path]:
    """Write what ``inspect`` measured as JSON, and draw it; the paths of the pictures.

    Raises:
        InvalidInput: a file cannot be written.
    """
    from arith.theory.display.influence_plot import draw_influences
    from arith.verify.mechanism.pictures import draw_states

    cell, pictures = trained.cell, [folder / "influence.svg"]
    draw_influences(mechanism.influence, cell.label(), pictures[0], cell.setting.task.names)
    if mechanism.equivalence is not None:
        pictures.append(folder / "states.svg")
        highest = min(max(cell.setting.train.lengths), cell.format.result_width)
        draw_states(trained.model, cell, mechanism.digits, highest, pictures[1])
    head = {"cell": cell.to_json(), "seed": trained.seed, "premise": round(trained.premise, 6)}
    write(folder / "mechanism.json", json.dumps({**head, **mechanism.to_json()}) + "\n")
    return pictures
