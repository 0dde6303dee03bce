"""Stands for ``arith.verify.running.execute`` in workers that are killed: it trains nothing.

It has made-up runs after a moment, and needs no torch, which takes two seconds of every process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arith.verify.plan.folders import Folders
from arith.verify.plan.plan import Job
from arith.verify.running.progress import Progress
from builders.runs import run

MOMENT = 0.2
"""Seconds that a training takes."""


def execute(
    jobs: list[Job],
    budget: int,
    device: str,
    tell: Callable[[Any], None],
    folders: Folders,
    precision: str,
) -> None:
    """Tell of each job what a training tells: its beginning, and a run with every answer right."""
    for job in jobs:
        tell(Progress(job, 0))
    time.sleep(MOMENT)
    runs = [
        replace(
            run(job.cell, dict.fromkeys(job.cell.setting.test_lengths, 1.0), seed=job.seed),
            recipe=job.recipe.version,
            steps=budget,
            budget=budget,
            precision=precision,
        )
        for job in jobs
    ]
    tell([*zip(jobs, runs, strict=True)])
