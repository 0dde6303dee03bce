"""Progress of long work: a bar with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.theory.text.text import count
from arith.verify.plan.plan import Job
from arith.verify.records.claims import FORGOTTEN
from arith.verify.records.notices import say
from arith.verify.records.runs import Run

EVERY = 30.0
"""Seconds between two lines where there is no bar."""
PAUSE = 5.0
"""Seconds between two lines on work of a minute."""


def saying(words: str) -> Callable[[int, int], None]:
    """What says now and then how much of something is done: ``looking inside: 3 of 12 digits``."""
    last = time.monotonic()

    def watch(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() > last + PAUSE or done == of:
            last = time.monotonic()
            say(words.format(done=done, of=of))

    return watch


@dataclass(frozen=True)
class Progress:
    """A report on a job: the steps taken, and the run once it is finished.

    Args:
        file: holds the run if the store could not be written.
        elsewhere: the process that trains it, in words, if it is another one.
    """

    job: Job
    steps: int
    run: Run | None = None
    file: Path | None = None
    elsewhere: str | None = None


@dataclass(frozen=True)
class Unwritten:
    """What was asked for beside a run, and could not be written, in words."""

    words: str


class ProgressDisplay:
    """Shows on standard error how far training is; a context manager.

    Args:
        total: models to train.
        budget: the most steps of each.
        where: the place of the training in words, where it is not this machine.
    """

    def __init__(self, total: int, budget: int, where: str = "") -> None:
        self.total, self.budget, self.where = total, budget, where
        self.finished = 0
        self._steps: dict[Job, int] = {}
        """Steps taken of each model in training."""
        self._bar: Any = None
        self._lines: dict[Job, Any] = {}
        """The line of each model in the bar."""
        self._start = time.monotonic()
        self._over = threading.Event()

    def __enter__(self) -> ProgressDisplay:
        if not self.total or sys.stderr is None:
            return self
        from rich.console import Console

        console = Console(stderr=True)
        is_drawn = sys.stderr.isatty() or console.is_jupyter
        if self.where or not is_drawn:
            on = f" on {self.where}" if self.where else ""
            say(f"training {count(self.total, 'model')}, at most {self.budget} steps each{on}")
        if not is_drawn:
            threading.Thread(target=self._remind, daemon=True).start()
            return self
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = (_notebook_bar() if console.is_jupyter else Bar)(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._bar.start()
        self._all = self._bar.add_task("all steps (at most)", total=self.total * self.budget)
        return self

    def update(self, sign: Progress) -> None:
        """Show one report of a worker."""
        name, line = sign.job.name, ""
        self._steps[sign.job] = sign.steps
        if sign.run is not None:
            self.finished += 1
            line = (
                f"[{self.finished}/{self.total}] {name}: in domain {sign.run.premise_text}, "
                f"{sign.run.steps} steps, {sign.run.seconds:.0f} s"
            )
            if sign.file is not None:
                line += f"; the store cannot be written, kept in {sign.file}"
            if sign.elsewhere is not None:
                line += f", trained by {sign.elsewhere}"
        elif sign.elsewhere is not None:
            line = (
                f"{name}: left to {sign.elsewhere}, which has claimed it; taken over here when "
                f"that process ends, or {FORGOTTEN:.0f} s after its last sign of life"
            )
        if line:
            del self._steps[sign.job]
            self._say(line)
        if self._bar is None:
            return
        with suppress(OSError):  # the terminal is gone
            if sign.job not in self._lines:
                label = sign.job.cell.label()
                self._lines[sign.job] = self._bar.add_task(label, total=self.budget)
            number = self._lines[sign.job]
            self._bar.update(number, visible=sign.run is None, completed=sign.steps)
            self._bar.update(self._all, completed=self._done(), refresh=True)

    def _say(self, line: str) -> None:
        """Print a line, above the bar if there is one."""
        if self._bar is not None:
            with suppress(OSError):
                self._bar.console.print(line, highlight=False, markup=False)
        else:
            say(line)

    def _remind(self) -> None:
        while not self._over.wait(EVERY):
            self._say(self.reminder())

    def reminder(self) -> str:
        """How far the work is, in a line."""
        spent = time.monotonic() - self._start
        steps = list(self._steps.values())
        line = f"still training: {self.finished} of {self.total} models are done"
        if steps:
            line += f", {len(steps)} at step {', '.join(map(str, steps[:8]))} of {self.budget}"
        done = self._done()
        if done:
            left = spent * (self.total * self.budget - done) / done
            most = f"{left / 60:.0f} min" if left > 90 else f"{left:.0f} s"
            line += f"; at most about {most} left"
        return line

    def _done(self) -> int:
        """Steps done of all; a model that converged early is done with its whole budget."""
        return self.finished * self.budget + sum(self._steps.values())

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._bar is not None:
            self._bar.stop()


def _notebook_bar() -> type[Any]:
    """A bar as output of a notebook's cell, where rich's own needs ``ipywidgets``."""
    from IPython.display import display
    from rich.progress import Progress as Bar

    class NotebookBar(Bar):
        def start(self) -> None:
            self._output: Any = display(self.make_tasks_table(self.tasks), display_id=True)

        def refresh(self) -> None:
            self._output.update(self.make_tasks_table(self.tasks))

        def stop(self) -> None:
            self.refresh()

    return NotebookBar
