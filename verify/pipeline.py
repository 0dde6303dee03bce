"""The pipeline in four steps: train, measure, judge, report.

``verify`` takes a plan through the first three, ``judge`` and ``report`` the evidence of a grid
through the last two.  A model lives only in the process that trains it, which measures it too
(``verify.running.execute``), and a store keeps the measurements.  Torch is imported there, and here
only where models are kept or curves written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from arith.theory.errors import InvalidInput
from arith.theory.text.text import count
from arith.verify.judging.judge import CellVerdict, judge_evidence
from arith.verify.judging.known_divergences import read_known_divergences
from arith.verify.plan.folders import WHERE_COMMITTED
from arith.verify.plan.grids import GRIDS, grid, recipe_of
from arith.verify.plan.plan import Plan
from arith.verify.plan.recipe import BY_VERSION
from arith.verify.records.budgets import merge
from arith.verify.records.evidence import read_evidence, write_evidence
from arith.verify.records.files import check_inside, check_writable, write
from arith.verify.records.notices import say
from arith.verify.records.runs import Run
from arith.verify.records.store import Store, stored
from arith.verify.reporting.report import Report

if TYPE_CHECKING:
    from arith.verify.running.estimate import Estimate


def verify(plan: Plan, store: Store) -> list[CellVerdict]:
    """Train and measure what the store lacks, and judge every cell of the plan.

    Where models are to be kept, those that are not are trained again.

    Raises:
        InvalidInput: a device or a precision that this machine lacks, a cell of which no input can
            be held out, curves without TensorBoard, or a cluster that cannot be reached or cannot
            train.
        Failed: a training process ended early, the store cannot be read or written, or something
            could not be written beside it.
    """
    from arith.verify.running.run import ending_in_order

    with ending_in_order():
        precision = _train(plan, store)
    found = (store.find(x.cell, x.seed, x.recipe.version, precision) for x in plan.models)
    return judge_evidence(plan.cells, [run for run in found if run is not None])


def _train(plan: Plan, store: Store) -> str:
    """Train what the store lacks, here or on a cluster; the precision that was used."""
    from arith.verify.running.progress import ProgressDisplay
    from arith.verify.running.run import JobQueue, Processes, missing
    from arith.verify.training.device import pick_device, precision_name

    folders, budget = plan.folders, plan.budget
    if folders.curves is not None:
        from arith.verify.training.recorder import check_installed

        check_installed()
    for folder in (folders.models, folders.curves):
        if folder is not None:
            check_writable(folder / "new")
    with ExitStack() as stack:
        cluster = None
        if plan.cluster is None:
            device, precision = pick_device(plan.device), plan.precision
        else:
            from arith.verify.running.cluster import Cluster

            cluster = stack.enter_context(Cluster(plan.cluster, plan.device))
            device, precision = cluster.device, cluster.precision(plan.precision)
        precision = precision_name(device, precision)
        jobs, again = missing(plan, store, precision)
        if jobs:
            store.check_writable()
        if again:
            say(f"in the store but not kept, so trained again: {again} of {len(jobs)} models")
        if folders.curves is not None and len(jobs) < len(plan.models):
            others = f"{len(plan.models) - len(jobs)} of {len(plan.models)} models"
            say(f"in the store and not trained again, so without curves: {others}")
        where = "" if cluster is None else cluster.text()
        display = stack.enter_context(ProgressDisplay(len(jobs), budget, where))
        queue = JobQueue(jobs, store, budget, device, precision, display.update, folders)
        stack.callback(store.release)  # what was claimed and not finished is given up
        if cluster is None:
            stack.enter_context(Processes(queue, _at_once(plan, device))).run()
        else:
            cluster.run(queue, plan.jobs)
    return precision


def kept_models(plan: Plan) -> list[Path]:
    """Where ``verify`` has kept the models of a plan."""
    if plan.folders.models is None:  # on a cluster the device need not be here
        return []
    from arith.verify.model.kept import kept_path
    from arith.verify.training.device import pick_device, precision_name

    precision = precision_name(pick_device(plan.device), plan.precision)
    return [kept_path(plan.folders.models, job, precision) for job in plan.models]


def estimate(plan: Plan, store: Path, evidence: Path | None = None) -> Estimate:
    """What ``verify`` would train, and how long that may take here; nothing is stored.

    Args:
        store: it is not made if it is not there.
        evidence: a file whose models tell, beside those of the store, how many steps others take;
            it need not be there.

    Raises:
        InvalidInput: as of ``verify``.
    """
    from arith.verify.running.estimate import estimate
    from arith.verify.running.run import missing
    from arith.verify.training.device import pick_device, precision_name

    device = pick_device(plan.device)
    precision = precision_name(device, plan.precision)
    kept = Store(store) if store.exists() else None
    jobs, again = missing(plan, kept, precision)
    before = list(read_evidence(evidence)) if evidence is not None and evidence.exists() else []
    if kept is not None:
        before += kept.runs()[0]
    return estimate(plan, jobs, again, device, _at_once(plan, device), before)


def _at_once(plan: Plan, device: str) -> int:
    """How many trainings run at once: on a CPU as many as this process may use cores."""
    if plan.jobs or device == "cuda":
        return plan.jobs or 1
    if hasattr(os, "sched_getaffinity"):  # a scheduler or ``taskset`` may limit them
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS and Windows cannot be asked


def judge(name: str, folder: Path, store: Path | None = None) -> Report:
    """Judge the evidence of a grid: the models that were trained by its recipe.

    Args:
        name: of the grid, or of its TOML file.
        folder: the evidence stands in a folder of the grid's name in this one.
        store: measurements to be added to the evidence.

    Raises:
        InvalidInput: no such grid, a file that is called like a named one, damaged evidence, or a
            link that leads out of the folder.
    """
    cells, stem = grid(name), Path(name).stem
    if name not in GRIDS and stem in GRIDS:
        raise InvalidInput(
            f"{name} would get the report of the grid {stem}: give the file another name"
        )
    keys = {cell.key for cell in cells}
    check_inside(folder / stem, folder)
    folder = folder / stem
    evidence = folder / "evidence.jsonl"
    if store is None and not evidence.exists():
        raise InvalidInput(f"there is no evidence {evidence}; {WHERE_COMMITTED}")

    def is_known(run: Run) -> bool:
        return run.recipe in BY_VERSION and run.cell.key in keys

    added, notes = ([], []) if store is None else stored(store)
    before = read_evidence(evidence) if evidence.exists() else []
    runs = merge(before, filter(is_known, added))
    known = [run for run in runs if is_known(run)]
    if len(known) < len(runs):
        notes.append(
            f"{len(runs) - len(known)} models in {evidence} are kept and not judged: they are of "
            "a recipe that is none now, or of cells that the grid does not have"
        )
    recipe = recipe_of(name)
    ours, others = list[Run](), list[Run]()
    for run in known:
        (ours if run.recipe == (recipe or run.cell.recipe).version else others).append(run)
    causes = read_known_divergences(folder / "causes.toml")
    verdicts = judge_evidence(cells, ours)
    return Report(f"the {folder.name} grid", verdicts, folder, causes, recipe, others, runs, notes)


def grids_with_evidence(folder: Path) -> list[str]:
    """The named grids that have evidence in a folder (InvalidInput: there is none)."""
    names = [name for name in GRIDS if (folder / name / "evidence.jsonl").exists()]
    if not names:
        raise InvalidInput(f"there is no evidence of a grid in {folder}; {WHERE_COMMITTED}")
    return names


def judge_store(path: Path) -> Report:
    """Judge every cell in a store: its models by its usual recipe, or by another if it has none.

    Raises:
        InvalidInput, Failed: the store cannot be used.
    """
    check_inside(path.parent / "mechanism", path.parent)
    runs, notes = stored(path)
    recipes: dict[str, set[tuple[bool, str]]] = {}
    for run in runs:
        unusual = run.recipe != run.cell.recipe.version
        recipes.setdefault(run.cell.key, set()).add((unusual, run.recipe))
    by_identity = sorted(runs, key=lambda run: run.identity)
    ours = [run for run in by_identity if run.recipe == min(recipes[run.cell.key])[1]]
    if others := len(runs) - len(ours):
        notes.append(f"{count(others, 'model')} of a second recipe of a cell in {path}: not judged")
    verdicts = judge_evidence(list(dict.fromkeys(r.cell for r in ours)), ours)
    return Report(f"the cells in {path}", verdicts, path.parent, runs=runs, notes=notes)


def report(about: Report) -> Path:
    """Write the evidence, and the report on it with its figures; the report's first page."""
    from arith.verify.reporting.page import cells_page, page

    write_evidence(about.evidence, about.runs)
    write(about.folder / "cells.md", cells_page(about))
    first = about.folder / "README.md"
    write(first, page(about))
    return first


def overview(reports: Sequence[Report], folder: Path) -> Path:
    """Write the page over the reports in a folder and that of their settings; the first's path."""
    from arith.verify.reporting.overview import overview_page, settings_page

    first = folder / "README.md"
    check_inside(first, folder)
    write(first, overview_page(reports, folder))
    write(folder / "settings.md", settings_page(reports, folder))
    return first
