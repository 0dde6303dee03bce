"""Grids: named lists of cells, and grids that a user writes as TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theory.domains import Domain
from theory.encodings import encoding
from theory.layouts import layout
from theory.predict import Setting
from theory.tasks import InvalidInput, unknown_name
from verify.cells import Cell, default_model, read_task


@dataclass(frozen=True)
class Row:
    """One line of a grid, in the words of the command line."""

    task: str
    pe: str
    train_digits: int
    modulus: int | None = None
    layout: str = "aligned"
    window: int = 0
    base: int = 10
    train_domain: str = "longest"
    test_digits: tuple[int, ...] = ()
    test_domain: str = "longest"
    model: str | None = None

    def cell(self) -> Cell:
        """The cell that the line describes.

        Raises:
            InvalidInput: a value that no cell can have.
        """
        task = read_task(self.task, self.modulus)
        setting = Setting(
            task,
            self.base,
            encoding(self.pe),
            layout(self.layout),
            Domain((self.train_digits,), self.train_domain),
            self.window,
            self.test_digits,
            self.test_domain,
        )
        return Cell(setting, self.model or default_model(task))


def _up_to(longest: int) -> tuple[int, ...]:
    return tuple(range(1, longest + 1))


_HEADLINE = (
    Row("add", "ape", 3, test_digits=_up_to(5)),
    Row("add", "ape", 3, layout="reversed", test_digits=_up_to(5)),
    Row("add", "ape", 3, layout="interleaved", test_digits=_up_to(5)),
    Row("add", "rpe", 3, layout="interleaved", window=6, test_digits=_up_to(6)),
    Row("add", "rpe", 3, test_digits=_up_to(5)),
    Row("add", "rope", 3, layout="interleaved", window=6, test_digits=_up_to(6)),
    Row("mul", "ape", 2, test_digits=_up_to(4)),
    Row("mul", "rpe", 2, test_digits=_up_to(4)),
    Row("mod_add", "ape", 3, modulus=100, test_digits=_up_to(5)),
    Row("mod_add", "rpe", 3, modulus=100, test_digits=_up_to(5)),
    Row("mod_add", "ape", 2, modulus=101, test_digits=_up_to(4)),
    Row("mod_add", "rpe", 2, modulus=101, test_digits=_up_to(4)),
    Row("mod_add", "ape", 2, modulus=150, test_digits=_up_to(4)),
    Row("mod_mul", "ape", 2, modulus=125, test_digits=_up_to(4)),
    Row("mod_mul", "ape", 2, modulus=50, test_digits=_up_to(4)),
)

GRIDS: dict[str, tuple[Row, ...]] = {
    "smoke": tuple(_HEADLINE[i] for i in (2, 3, 12)),
    "headline": _HEADLINE,
}
"""Every named grid.  ``smoke`` is the part of ``headline`` that trains in minutes: one cell that
fails upward, one that generalizes, one with a fraction."""


def grid(name: str) -> list[Cell]:
    """The cells of a named grid, or of a TOML file with one ``[[cell]]`` table per cell.

    Raises:
        InvalidInput: no such grid or file, or a cell that makes no sense.
    """
    if name in GRIDS:
        return [row.cell() for row in GRIDS[name]]
    if not name.endswith(".toml"):
        raise unknown_name("grid", name, [*GRIDS, "FILE.toml"])
    try:
        data = tomllib.loads(Path(name).read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read the grid {name}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"the grid {name} is not valid TOML: {error}") from None
    rows = data.get("cell")
    if not isinstance(rows, list) or not rows:
        raise InvalidInput(f"the grid {name} has no [[cell]] tables")
    return [_row(name, number, row).cell() for number, row in enumerate(rows, 1)]


def _row(name: str, number: int, data: dict[str, Any]) -> Row:
    fields: dict[str, Any] = {
        k.replace("-", "_"): tuple(v) if isinstance(v, list) else v for k, v in data.items()
    }
    for field in fields:
        if field not in Row.__annotations__:
            raise InvalidInput(
                f"{name}, cell {number}: {unknown_name('key', field, list(Row.__annotations__))}"
            )
    try:
        return Row(**fields)
    except TypeError as error:
        raise InvalidInput(f"{name}, cell {number}: {error}") from None
