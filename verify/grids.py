"""Grids: named lists of cells, and grids that a user writes as TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from theory.requests import Request
from theory.tasks import InvalidInput, unknown_name
from verify.cells import Cell, default_model


@dataclass(frozen=True)
class Row(Request):
    """One line of a grid: a request in the words of the command line, and a model size."""

    model: str | None = None

    def cell(self) -> Cell:
        """The cell that the line describes.

        Raises:
            InvalidInput: a value that no cell can have.
        """
        setting = self.setting()
        return Cell(setting, self.model or default_model(setting.task))


def _row(task: str, pe: str, train: int, test: int, modulus: int | None = None, **more: Any) -> Row:
    trained, tested = str(train), f"1-{test}"
    return Row(task, pe=pe, modulus=modulus, train_digits=trained, test_digits=tested, **more)


_HEADLINE = (
    _row("add", "ape", 3, 5),
    _row("add", "ape", 3, 5, layout="reversed"),
    _row("add", "ape", 3, 5, layout="interleaved"),
    _row("add", "rpe", 3, 6, layout="interleaved", window=6),
    _row("add", "rpe", 3, 5),
    _row("add", "rope", 3, 6, layout="interleaved", window=6),
    _row("mul", "ape", 2, 4),
    _row("mul", "rpe", 2, 4),
    _row("mod_add", "ape", 3, 5, modulus=100),
    _row("mod_add", "rpe", 3, 5, modulus=100),
    _row("mod_add", "ape", 2, 4, modulus=101),
    _row("mod_add", "rpe", 2, 4, modulus=101),
    _row("mod_add", "ape", 2, 4, modulus=150),
    _row("mod_mul", "ape", 2, 4, modulus=125),
    _row("mod_mul", "ape", 2, 4, modulus=50),
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
    return [_read_row(name, number, row).cell() for number, row in enumerate(rows, 1)]


def _read_row(name: str, number: int, data: dict[str, Any]) -> Row:
    where = f"{name}, cell {number}"
    known = [field.name for field in fields(Row)]
    values: dict[str, Any] = {}
    for key, value in data.items():
        field = key.replace("-", "_")
        if field not in known:
            raise InvalidInput(f"{where}: {unknown_name('key', key, known)}")
        values[field] = _value(field, value, where)
    return Row(**values)


_NUMBERS = ("modulus", "base", "window")
_LISTS = ("train_priming", "train_allowed")
_LENGTHS = ("train_digits", "test_digits")


def _value(field: str, value: Any, where: str) -> Any:
    """A TOML value as the request holds it: lengths may be a number, a list or text."""
    if field in _LENGTHS and not isinstance(value, bool):
        if isinstance(value, list):
            return ",".join(map(str, value))
        if isinstance(value, int | str):
            return str(value)
    elif field in _LISTS:
        if isinstance(value, list) and all(isinstance(x, str) for x in value):
            return tuple(value)
    elif type(value) is (int if field in _NUMBERS else str):
        return value
    raise InvalidInput(f"{where}: {value!r} is no value for '{field}'")
