"""Progress of long work: a bar with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from verify.run import Progress


class ProgressDisplay:
    """Shows signs of life on standard error; used as a context manager around ``run_all``.

    Args:
        total: models to train.
        budget: the most steps of each.
    """

    def __init__(self, total: int, budget: int) -> None:
        self.total, self.budget = total, budget
        self.finished = 0
        self._tasks: dict[Any, Any] = {}
        self._bar: Any = None

    def __enter__(self) -> ProgressDisplay:
        if not self.total:
            return self
        if not sys.stderr.isatty():
            print(
                f"training {self.total} models, at most {self.budget} steps each", file=sys.stderr
            )
            return self
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._bar.start()
        self._all = self._bar.add_task("all steps (at most)", total=self.total * self.budget)
        return self

    def update(self, sign: Progress) -> None:
        """Show one sign of life."""
        if self._bar is not None:
            self._advance(sign)
        if sign.run is None:
            return
        self.finished += 1
        line = (
            f"[{self.finished}/{self.total}] {sign.job.cell.label()}, seed {sign.job.seed}: "
            f"in domain {sign.run.premise:.3f}, {sign.run.steps} steps, {sign.run.seconds:.0f} s"
        )
        if self._bar is not None:
            self._bar.console.print(line, highlight=False, markup=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def _advance(self, sign: Progress) -> None:
        if sign.job not in self._tasks:
            label = sign.job.cell.label()
            self._tasks[sign.job] = self._bar.add_task(label, total=self.budget)
        task = self._tasks[sign.job]
        if sign.run is None:
            self._bar.update(task, completed=sign.steps)
        else:  # a model that converged early is done with its whole share of the work
            self._bar.update(task, visible=False, completed=self.budget)
        done = sum(t.completed for t in self._bar.tasks if t.id != self._all)
        self._bar.update(self._all, completed=done)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
