"""How typer's commands start fast: each is imported when it is named, and values are read plainly.

A cold ``arith predict`` takes as long as what it imports.  Typer would make every command to show
or run one, and would import pydantic to read a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


class Listed(NamedTuple):
    """A command in the list of all.

    Args:
        function: where it is defined in ``arith.commands``, as ``module:name``.
        text: the first line of its help.
    """

    function: str
    text: str


class _Plain:
    """Stands for typer's way from a word to a value, which goes through pydantic."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of a word, or of each; None and no words stay what they are."""
        if param.multiple or param.nargs == -1:
            return [self._one(x, param, ctx) for x in value or ()]
        return value if value is None else self._one(value, param, ctx)

    def _one(self, word: Any, param: Any, ctx: Any) -> Any:
        try:
            return self.kind(word)
        except ValueError:
            raise typer.BadParameter(f"{word!r} is no whole number", ctx, param) from None


_KINDS: dict[Any, Any] = {bool: bool, str: str, int: int, Path: Path}
_KINDS |= {list[kind]: kind for kind in (str, int, Path)}  # type: ignore[valid-type]


class _Reading:
    """A command that reads words, numbers and paths plainly, and all else as typer does."""

    get_params: Callable[[Any], list[Any]]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for param in self.get_params(ctx):
            kind = _KINDS.get(param.type_descriptor.annotation)
            if kind is not None:
                plain = _Plain(kind)
                param.get_runtime_param = lambda plain=plain: plain
        parsed: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return parsed


class _Command(_Reading, TyperCommand):
    pass


class _Commands(Mapping[str, Any]):
    """Commands by their names, each imported and made when it is asked for."""

    def __init__(self, listed: Mapping[str, Listed]) -> None:
        self._listed = listed
        self._made = cache(self._make)

    def __getitem__(self, name: str) -> Any:
        return self._made(name)

    def _make(self, name: str) -> Any:
        module, _, function = self._listed[name].function.partition(":")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name, cls=_Command)(
            getattr(import_module(f"arith.commands.{module}"), function)
        )
        return get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def group_of(listed: Mapping[str, Listed]) -> type[TyperGroup]:
    """The class of a group that has these commands."""

    class Group(_Reading, TyperGroup):
        def __init__(self, **more: Any) -> None:
            super().__init__(**more | {"commands": _Commands(listed)})

        def invoke(self, ctx: Any) -> Any:
            try:
                return super().invoke(ctx)
            except EOFError as error:  # typer would take it for a user who ends
                raise RuntimeError("what was read ended early (EOFError)") from error

        def list_commands(self, ctx: Any) -> list[str]:
            return list(listed)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            with formatter.section("Commands"):
                formatter.write_dl([(name, text) for name, (_, text) in listed.items()])

    return Group
