"""Options as keyword arguments: those of the commands, by their names and with their defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypeVar, get_type_hints

from arith.theory.errors import Failed, InvalidInput, unknown_name
from arith.theory.setting.options import MOST_NUMBERS, flag
from arith.verify.plan.cells import Cell
from arith.verify.plan.plan import Plan
from arith.verify.plan.recipe import find_recipe
from arith.verify.plan.rows import Row, read_row

_MOST_BITS = 1000
_TAKES = {int: "a whole number", str: "text"}
_P = ParamSpec("_P")
_R = TypeVar("_R")


def takes(*described: type) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Give a function the options that dataclasses describe, in place of its ``**options``.

    A help page and a notebook's completion show them.  Any other name is refused with the nearest
    valid one, and an error names options as Python does.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        *own, _ = signature(function, eval_str=True).parameters.values()
        names = {p.name for p in own}
        hints = {name: hint for x in described for name, hint in get_type_hints(x).items()}
        more = [_parameter(f, hints[f.name]) for x in described for f in fields(x)]
        shown = [*own, *(p for p in more if p.name not in {*names, "cells"})]
        known = [p.name for p in shown]

        @wraps(function)
        def call(*args: _P.args, **values: _P.kwargs) -> _R:
            for name, value in values.items():
                if name not in known:
                    raise unknown_name("option", name, known)
                _check_size(name, value)
            with python_errors(known):
                return function(*args, **values)

        call.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        call.__doc__ = f"{function.__doc__}\n{_in_python(_help(described), known)}"
        return call

    return decorate


def _check_size(name: str, value: Any) -> None:
    """Refuse what no option takes and what Python would not write into an error.

    On the command line and in TOML such a number is no number.
    """
    if isinstance(value, range | list | tuple):
        if len(value[: MOST_NUMBERS + 1]) > MOST_NUMBERS:
            raise InvalidInput(f"'{name}' has more than {MOST_NUMBERS:,} values")
        each = list(value)
    else:
        each = [value]
    if any(isinstance(x, int) and x.bit_length() > _MOST_BITS for x in each):
        raise InvalidInput(f"'{name}' is a number of more than 300 digits")


def _parameter(field: Any, hint: Any) -> Parameter:
    # A recipe is given by its name.
    default, kind = ("default", str) if field.name == "recipe" else (field.default, hint)
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _help(described: tuple[type, ...]) -> str:
    """The options of settings with what there is to say of each."""
    about = {f.name: f.metadata["option"].help for x in described for f in fields(x) if f.metadata}
    return "\n".join(["    Options:", *(f"        {n}: {text}" for n, text in about.items())])


@contextmanager
def python_errors(known: Sequence[str]) -> Iterator[None]:
    """Name these options in an error as Python does."""
    try:
        yield
    except (InvalidInput, Failed) as error:
        raise type(error)(_in_python(str(error), known)) from None


def _in_python(message: str, known: Sequence[str]) -> str:
    """A message with its options as Python names them: ``train_digits`` for ``--train-digits``."""
    for name in sorted(known, key=len, reverse=True):
        message = message.replace(flag(name), name).replace(f"'{flag(name)[2:]}'", f"'{name}'")
    return message


def setting_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that describe a cell and are not None."""
    names = {f.name for f in fields(Row)}
    return {n: value for n, value in options.items() if n in names and value is not None}


def row(options: Mapping[str, Any]) -> Row:
    """A request of keyword arguments; lengths may be numbers, lists or ranges (InvalidInput)."""
    given = setting_options(_plain(options)).items()
    return read_row({n: list(x) if isinstance(x, tuple | range) else x for n, x in given})


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """NumPy's numbers and arrays as Python's."""
    return {n: x.tolist() if hasattr(x, "tolist") else x for n, x in options.items()}


def plan(cells: Sequence[Cell], options: Mapping[str, Any]) -> Plan:
    """A plan for cells, by those of the options that are not about them (InvalidInput)."""
    hints, asked = get_type_hints(Plan), dict[str, Any]()
    for name, value in _plain(options).items():
        if name == "recipe" and isinstance(value, str):
            asked[name] = find_recipe(value)
        elif name == "recipe" and value is not None:
            raise InvalidInput(f"{value!r} is no value for 'recipe', which takes a name")
        elif name in hints:
            if hints[name] in _TAKES and type(value) is not hints[name]:
                raise InvalidInput(
                    f"{value!r} is no value for '{name}', which takes {_TAKES[hints[name]]}"
                )
            asked[name] = value
    return Plan(cells, **asked)
