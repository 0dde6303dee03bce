"""Lines of a grid, and grids that a user writes as TOML."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, get_type_hints

from arith.theory.errors import InvalidInput, unknown_name
from arith.theory.setting.options import Option, option, options_of
from arith.theory.setting.requests import Request
from arith.verify.plan.cells import Cell, default_model
from arith.verify.plan.given import one_line, read_toml
from arith.verify.plan.sizes import SIZES

MOST_CELLS = 10_000
"""Cells of a grid file."""


@dataclass(frozen=True)
class Row(Request):
    """One line of a grid: a request in the words of the command line, and a model size."""

    model: str | None = option(None, f"Model size: {', '.join(SIZES)}.", names=SIZES)

    def cell(self) -> Cell:
        """The cell that the line describes (InvalidInput: a value that no cell can have)."""
        setting = self.setting()
        return Cell(setting, self.model or default_model(setting.task))


def row(task: str | None, pe: str, train: int | str, test: int, **more: Any) -> Row:
    """A line of a grid: lengths from 1 to the last are tested."""
    return Row(task, pe=pe, train_digits=str(train), test_digits=f"1-{test}", **more)


def rows(task: str | None, pe: Any, train: int | str, test: int, **more: Any) -> list[Row]:
    """Lines of a grid: a value may be a list, and there is a line for each combination of items.

    Encodings vary fastest, and before them what is given last.
    """
    values = {**more, "pe": pe}
    lists = [x if isinstance(x, list) else [x] for x in values.values()]
    combinations = (dict(zip(values, items, strict=True)) for items in product(*lists))
    return [row(task, train=train, test=test, **each) for each in combinations]


def read_grid(path: str) -> list[Cell]:
    """The cells of a TOML file with one ``[[cell]]`` table per cell.

    Raises:
        InvalidInput: no such file, or a cell that makes no sense or is there twice.
    """
    rows = read_toml(Path(path), "the grid").get("cell")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput(f"the grid {path} has no [[cell]] tables")
    if len(rows) > MOST_CELLS:
        raise InvalidInput(f"the grid {path} has {len(rows):,} cells; at most {MOST_CELLS:,}")
    cells: dict[Cell, int] = {}
    for number, row in enumerate(rows, 1):
        try:
            cell = read_row(row).cell()
            if cell in cells:
                raise InvalidInput(f"the same as cell {cells[cell]}")
        except InvalidInput as error:
            raise InvalidInput(f"{path}, cell {number}: {one_line(str(error))}") from None
        except (ValueError, ArithmeticError, RecursionError):
            raise InvalidInput(f"{path}, cell {number}: a number is too long") from None
        cells[cell] = number
    return list(cells)


def read_row(data: dict[str, Any]) -> Row:
    """A line of a grid, from the keys and values of a TOML table.

    Raises:
        InvalidInput: an unknown key, or a value of another type than its option takes.
    """
    keys, values = _keys(), dict[str, Any]()
    for key, value in data.items():
        dashed = key.replace("_", "-")
        if dashed not in keys:
            raise unknown_name("key", key, list(keys))
        name, option, kind = keys[dashed]
        if name in values:
            raise InvalidInput(f"'{dashed}' is given twice, with a dash and with an underscore")
        values[name] = _words(dashed, option, kind, value)
    return Row(**values)


@cache
def _keys() -> dict[str, tuple[str, Option, type]]:
    """The keys of a TOML table: each with its field, its option, and what the field takes."""
    hints = get_type_hints(Row)
    whole = {name: int if hints[name] in (int, int | None) else str for name in hints}
    return {n.replace("_", "-"): (n, option, whole[n]) for n, option in options_of(Row).items()}


def _words(dashed: str, option: Option, kind: type, value: Any) -> Any:
    """What the command line would give for a TOML value; lengths may be a number or a list."""
    if option.joined:
        takes = "a number, a list of numbers, or text such as '1-6'"
        if isinstance(value, list):
            return ",".join(map(str, value))
        if isinstance(value, int | str) and not isinstance(value, bool):
            return str(value)
    elif option.example:
        takes = f"a list of texts, as in ['{option.example}']"
        if isinstance(value, list) and all(isinstance(x, str) for x in value):
            return tuple(value)
    else:
        takes = "a whole number" if kind is int else "text"
        if type(value) is kind:
            return value
    raise InvalidInput(f"{one_line(repr(value))} is no value for '{dashed}', which takes {takes}")
