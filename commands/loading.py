"""How typer's commands start fast: each is imported when it is named, and values are read plainly.

A cold ``arith predict`` takes as long as what it imports.  Typer would make every command to show
or run one, and would import pydantic to read a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from os.path import isfile
from pathlib import Path
from typing import Any, NamedTuple, get_args

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from arith.theory.errors import InvalidInput, NoTask

_PLAIN = (bool, str, int, Path)
"""What a word is made by itself, without pydantic."""
_FEW = 3
"""Options that are named in place of one that there is not."""


class _Reading:
    """A command that reads words, numbers and paths plainly, and all else as typer does."""

    get_params: Callable[[Any], list[Any]]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for param in self.get_params(ctx):
            annotation = param.type_descriptor.annotation
            [kind] = get_args(annotation) or [annotation]  # of each word, where it takes several
            if kind in _PLAIN:
                param.get_runtime_param = partial(_Plain, kind)
        parsed: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return parsed


class _Plain(NamedTuple):
    """Stands for typer's way from a word to a value."""

    kind: Any

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of a word, or of each; None and no words stay what they are."""
        try:
            if param.multiple or param.nargs == -1:
                return [self.kind(word) for word in value or ()]
            return value if value is None else self.kind(value)
        except ValueError:
            raise typer.BadParameter(f"{value!r} is no whole number", ctx, param) from None


class _Command(_Reading, TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = list(args)  # the parser empties the other
        if any(param.nargs == -1 for param in self.get_params(ctx)):
            # No option is a number: a word that begins as one below zero is one of the arguments.
            ctx.ignore_unknown_options = any(x[:1] == "-" and x[1:2].isdecimal() for x in words)
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            said, params = error.format_message(), self.get_params(ctx)
            files = [x for x in words if said.endswith(f"({x})") and isfile(x)]
            names = {param.name for param in params}
            for option, what in (("answers", "answers"), ("data", "examples")):
                if files and option in names:
                    how = f"a file of {what} is given as --{option} {files[0]}"
                    raise InvalidInput(f"{said}: {how}") from None
            # Of no such option typer names those that are spelled like it.
            if hasattr(error, "option_name") and hasattr(error, "possibilities"):
                unknown, near = error.option_name, error.possibilities or []
                if unknown == "--data":
                    takes = f"{ctx.info_name} takes what options describe"
                    whose = "files of examples are for arith predict, advise and judge"
                    raise InvalidInput(f"No such option: {unknown}: {takes}; {whose}") from None
                if not any(unknown.strip("-") in x for x in near):
                    error.possibilities = _told_of(unknown, params) or near
            raise

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except NoTask as error:
            if "data" in ctx.params:
                raise InvalidInput(f"{error}, or examples of it: --data FILE") from None
            raise


def _told_of(unknown: str, params: list[Any]) -> list[str]:
    """The options whose help has the last word of another, as that of --budget has *steps*.

    None if they are many.
    """
    word = re.compile(rf"\b{re.escape(unknown.rpartition('-')[2])}\b", re.IGNORECASE)
    found = [x.opts[0] for x in params if word.search(x.help or "")]
    return found if len(found) <= _FEW else []


def group_of(listed: Mapping[str, tuple[str, str]]) -> type[TyperGroup]:
    """The class of a group that has these commands, each imported and made when it is named.

    Args:
        listed: by name, where a command is defined in ``arith.commands``, as ``module:function``,
            and the first line of its help.
    """

    @cache
    def made(name: str) -> Any:
        from arith.commands.options import documented

        module, _, function = listed[name][0].partition(":")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        command = getattr(import_module(f"arith.commands.{module}"), function)
        alone.command(name, cls=_Command, help=documented(command))(command)
        return get_command(alone)

    class Group(_Reading, TyperGroup):
        def __init__(self, **more: Any) -> None:
            super().__init__(**more | {"commands": dict.fromkeys(listed)})

        def get_command(self, ctx: Any, name: str) -> Any:
            return made(name) if name in listed else None

        def invoke(self, ctx: Any) -> Any:
            try:
                return super().invoke(ctx)
            except EOFError as error:  # typer would take it for a user who ends
                raise RuntimeError("what was read ended early (EOFError)") from error

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            with formatter.section("Commands"):
                formatter.write_dl([(name, text) for name, (_, text) in listed.items()])

    return Group
