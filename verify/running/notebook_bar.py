"""A progress bar in a notebook, where rich's own needs ``ipywidgets``."""

from __future__ import annotations

from typing import Any

from rich.progress import Progress


class NotebookBar(Progress):
    """Rich's bar as output of the cell, drawn again whenever it is refreshed."""

    def start(self) -> None:
        from IPython.display import display

        self._output: Any = display(self.make_tasks_table(self.tasks), display_id=True)

    def refresh(self) -> None:
        self._output.update(self.make_tasks_table(self.tasks))

    def stop(self) -> None:
        self.refresh()
