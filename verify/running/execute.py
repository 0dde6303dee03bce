"""One job of the pipeline: models of one shape are trained together, then each is measured."""

from __future__ import annotations

from collections.abc import Callable

from arith.theory.observation.support import support
from arith.verify.model.kept import keep
from arith.verify.model.measure import measure, noise_invariance
from arith.verify.plan.folders import NO_FOLDERS, Folders
from arith.verify.plan.inputs import held_out_count
from arith.verify.plan.plan import Job
from arith.verify.records.files import checkpoint_path
from arith.verify.records.notices import say
from arith.verify.records.predicted import predicted
from arith.verify.records.runs import Run
from arith.verify.running.progress import Progress, Unwritten
from arith.verify.training.checkpoint import Checkpoint
from arith.verify.training.device import machine, precision_name
from arith.verify.training.recorder import Curves, Recorder
from arith.verify.training.train import train_ensemble


def execute(
    jobs: list[Job],
    budget: int,
    device: str,
    tell: Callable[[Progress | list[tuple[Job, Run]] | Unwritten], None] = lambda message: None,
    folders: Folders = NO_FOLDERS,
    precision: str = "auto",
) -> list[Run]:
    """Train models of one shape as an ensemble, and measure each at every test length.

    What is predicted of them is settled before.  Their runs are told before anything else is
    written: what fails then, as on a full disk, costs no run.

    Args:
        jobs: of one shape and one recipe.
        tell: called with the steps of each job now and then, with all runs, and with what could
            not be written.
        folders: where it writes.
        precision: of the matrix products (see ``precision_name``).
    """

    def on_step(step: int) -> None:
        for job in jobs:
            tell(Progress(job, step))

    recipe, precision = jobs[0].recipe, precision_name(device, precision)
    models = [(job.cell, job.seed) for job in jobs]
    with Curves(folders.curves, jobs, precision) as curves:
        recorder, checkpoint = Recorder([job.cell for job in jobs], curves), None
        if folders.checkpoints is not None:
            path = checkpoint_path(folders.checkpoints, jobs, budget, device, precision)
            checkpoint = Checkpoint(path, recorder, say)
        trained_models = train_ensemble(
            models,
            budget,
            device,
            recipe,
            on_step,
            recorder,
            checkpoint=checkpoint,
            curves=curves,
            precision=precision,
        )
    runs = []
    for i, trained in enumerate(trained_models):
        cell, setting, prediction = trained.cell, trained.cell.setting, trained.cell.prediction
        measured = tuple(measure(trained.model, cell, prediction, n) for n in setting.test_lengths)
        shown = support(setting.task, setting.train, setting.base)
        runs.append(
            Run(
                cell=cell,
                seed=trained.seed,
                recipe=recipe.version,
                precision=precision,
                premise=trained.premise,
                held_out=held_out_count(cell),
                steps=trained.steps,
                budget=budget,
                seconds=trained.seconds,
                machine=machine(device, precision),
                measurements=measured,
                trajectory=recorder.trajectory(i, trained.steps, measured),
                predicted=predicted(prediction),
                indifference=noise_invariance(trained.model, cell, shown),
                noise=trained.noise,
            )
        )
    tell([*zip(jobs, runs, strict=True)])
    for fault in curves.faults:
        tell(Unwritten(fault))
    if folders.models is not None:
        for job, trained, run in zip(jobs, trained_models, runs, strict=True):
            try:
                keep(folders.models, trained.model, run, recipe)
            except Exception as error:
                tell(Unwritten(f"cannot keep {job.name}: {error}"))
    return runs
