"""Tables of results, as Markdown and as plain values; and the machine they come from."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tabulate import tabulate

from arith.verify.training.device import has_compiler, precision_name
from benchmarks.timing import Spread

Row = dict[str, Any]
_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Table:
    """Rows of equal columns.

    Args:
        rows: by column, text, numbers or ``Spread``.
        note: what to read from it, below the table.
    """

    title: str
    rows: list[Row]
    note: str = ""

    def markdown(self) -> str:
        """The table with its title and note."""
        cells = [{name: _text(value) for name, value in row.items()} for row in self.rows]
        grid = tabulate(cells, headers="keys", tablefmt="pipe", disable_numparse=True)
        return "\n\n".join(part for part in (f"### {self.title}", grid, self.note) if part)

    def plain(self) -> dict[str, Any]:
        """The table as plain values."""
        return asdict(self)


def tell(row: Row) -> None:
    """Print a row as it is measured, in one line, beside the tables."""
    text = ", ".join(f"{name} {_text(value)}" for name, value in row.items())
    print(text, file=sys.stderr, flush=True)


def machine(device: str) -> str:
    """What the results depend on, in one line."""
    chip = f"{_processor()}, {os.cpu_count()} cores"
    if device == "cuda":
        chip += f", {torch.cuda.get_device_name()}"
    compiled = "compiled" if has_compiler(device) else "not compiled"
    return (
        f"{chip}; Python {platform.python_version()}, torch {torch.__version__}, "
        f"NumPy {np.__version__}; {precision_name(device)}, {compiled}"
    )


def _processor() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _text(value: object) -> str:
    if isinstance(value, Spread):
        return f"{_number(value.median)} ({_number(value.low)}-{_number(value.high)})"
    return _number(value) if isinstance(value, int | float) else str(value)


def _number(value: float) -> str:
    """Three digits, and no exponents."""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
