"""Options as keyword arguments: those of the commands, by their names and with their defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import Signature, signature
from typing import Any, ParamSpec, TypeVar

from arith.theory.errors import Failed, InvalidInput, unknown_name
from arith.theory.setting.requests import (
    MOST_NUMBERS,
    chosen,
    flag,
    options_of,
    parameters,
    plain_values,
)

_MOST_BITS = 1000
_P = ParamSpec("_P")
_R = TypeVar("_R")


def takes(*described: type) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Give a function the options of dataclasses in place of its ``**options``.

    A help page and a notebook's completion show them.  Any other name is refused with the nearest
    valid one, and an error names options as Python does.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        *own, _ = signature(function, eval_str=True).parameters.values()
        names = {p.name for p in own}
        shown = [*own, *(p for each in described for p in parameters(each, names))]
        known = [p.name for p in shown]
        about = {n: option.help for each in described for n, option in options_of(each).items()}

        @wraps(function)
        def call(*args: _P.args, **values: _P.kwargs) -> _R:
            for name, value in values.items():
                if name not in known:
                    raise unknown_name("option", name, known)
                _check_size(name, value)
            with python_errors(known):
                return function(*args, **values)

        lines = [function.__doc__ or "", "    Options:"]
        lines += [f"        {name}: {text}" for name, text in about.items()]
        call.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        call.__doc__ = _in_python("\n".join(lines), known)
        return call

    return decorate


def read(described: type[_R], options: Mapping[str, Any], **more: Any) -> _R:
    """A dataclass of the options that are its own; lengths may be numbers, lists or ranges.

    Args:
        more: its other fields.

    Raises:
        InvalidInput: a value that an option cannot have.
    """
    given = {n: _plain(x) for n, x in chosen(described, options).items()}
    return described(**plain_values(described, given), **more)


def given(options: Mapping[str, Any]) -> set[str]:
    """The names of the options that have a value."""
    return {name for name, value in options.items() if value is not None}


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's, and sequences as lists."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(value) if isinstance(value, tuple | range) else value


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
