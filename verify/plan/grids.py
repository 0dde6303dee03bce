"""Grids: lists of cells, each in a TOML file; the named ones are in the folder ``grids``.

A table has options, by the names of the command line.  ``cell`` in it is a list of further tables,
which have these options too unless they say otherwise; ``include`` in it stands for the tables of
another grid, a name or a file beside this one.  A table with neither is a cell.  Where an option
has a list of values, the table is read once for each; the option given last varies fastest.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from arith.theory.errors import InvalidInput, unknown_name
from arith.theory.setting.requests import options_of, plain_values
from arith.verify.plan.cells import Cell, CellRequest
from arith.verify.plan.given import one_line, read_toml
from arith.verify.plan.recipe import Recipe, find_recipe

_FOLDER = Path(__file__).with_name("grids")
GRIDS = {path.stem.partition("-")[2]: path for path in sorted(_FOLDER.glob("*.toml"))}
"""The files of the named grids, in the order of reports, which the numbers before the names give.

The first line of each says what the grid is for.
"""
_WHAT = "the grid"
MOST_CELLS = 10_000
"""Cells of a grid."""


def grid(name: str, model: str | None = None) -> list[Cell]:
    """The cells of a named grid, or of a TOML file, each once.

    Args:
        model: a size for all of them, in place of their own.

    Raises:
        InvalidInput: no such grid or file, or a cell that makes no sense or is twice in that file.
    """
    cells = _named(name) if name in GRIDS else _cells(name)
    return list(dict.fromkeys(x if model is None else Cell(x.setting, model) for x in cells))


def recipe_of(name: str | None) -> Recipe | None:
    """How all models of a grid are trained where no recipe is asked for; None: as usual.

    Some grids were measured before noise was learned by place, and keep their recipe, so that their
    evidence stands.
    """
    if name is None:
        return None
    path = _path(name)
    recipe = read_toml(path, _WHAT).get("recipe", "default")
    with _Place(path).errors():
        return find_recipe(str(recipe))


@dataclass(frozen=True)
class _Place:
    """Where a table stands: its file, the numbers in it, and the files that include that file."""

    path: Path
    numbers: str = ""
    included_in: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}{self.numbers}"

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Name this place in an error."""
        try:
            yield
        except InvalidInput as error:
            raise InvalidInput(f"{self}: {one_line(str(error))}") from None
        except (ValueError, ArithmeticError, RecursionError):
            raise InvalidInput(f"{self}: a number is too long") from None


def _cells(name: str) -> list[Cell]:
    top = _Place(_path(name))
    cells: dict[Cell, _Place] = {}
    for number, (place, options) in enumerate(_rows(top, read_toml(top.path, _WHAT), {})):
        if number == MOST_CELLS:
            raise InvalidInput(f"the grid {name} has more than {MOST_CELLS:,} cells")
        with place.errors():
            cell = CellRequest(**options).cell()
            if not place.included_in and cell in cells and not cells[cell].included_in:
                raise InvalidInput(f"the same as{cells[cell].numbers.removeprefix(',')}")
        cells.setdefault(cell, place)
    return list(cells)


_named = cache(_cells)


def _path(name: str, beside: Path | None = None) -> Path:
    """The file of a grid; a name that is no grid's is one beside another file."""
    if name in GRIDS:
        return GRIDS[name]
    if not name.endswith(".toml"):
        raise unknown_name("grid", name, [*GRIDS, "FILE.toml"])
    return Path(name) if beside is None else beside.parent / name


def _rows(
    place: _Place, table: dict[str, Any], given: dict[str, Any]
) -> Iterator[tuple[_Place, dict[str, Any]]]:
    """The cells of a table, each with its place and its options.

    Args:
        given: the options of the tables around it.
    """
    inner, include = table.get("cell"), table.get("include")
    is_top = not place.numbers
    if (is_top or inner is not None) and not _is_list_of_tables(inner):
        raise InvalidInput(f"the grid {place} has no [[cell]] tables")
    own = {k: _values(k, x) for k, x in table.items() if k not in ("cell", "include")}
    if is_top:
        own.pop("recipe", None)
    for values in product(*own.values()):
        with place.errors():
            options = given | plain_values(CellRequest, dict(zip(own, values, strict=True)))
            if include is not None:
                included = _included(place, include, inner)
        if include is not None:
            yield from _rows(included, read_toml(included.path, _WHAT), options)
        elif inner is not None:
            for number, each in enumerate(inner, 1):
                within = _Place(place.path, f"{place.numbers}, cell {number}", place.included_in)
                yield from _rows(within, each, options)
        else:
            yield place, options


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)


def _values(key: str, value: Any) -> list[Any]:
    """The values of an option in turn; a list of lengths is one, and a list of lists several."""
    option = options_of(CellRequest).get(key.replace("-", "_"))
    takes_list = option is not None and (option.joined or option.example)
    if not isinstance(value, list) or not value:
        return [value]
    return value if not takes_list or all(isinstance(x, list) for x in value) else [value]


def _included(place: _Place, include: Any, inner: Any) -> _Place:
    """The place of a grid that is included (InvalidInput: there is none, or it is this one)."""
    if inner is not None or not isinstance(include, str):
        raise InvalidInput("'include' names one grid, in a table without 'cell'")
    files = *place.included_in, place.path
    path = _path(include, place.path)
    if path in files:
        raise InvalidInput(f"{include} includes itself")
    return _Place(path, included_in=files)
