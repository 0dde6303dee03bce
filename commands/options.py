"""Options of commands: made from the descriptions of them, and those that several commands have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request, flag, options_of, parameters

DEFAULT_STORE = Path(".arith") / "measurements.sqlite"


def completion(names: Collection[str]) -> Callable[[str], list[str]]:
    """What completes the beginning of a word to one of the names."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def annotated(described: type, name: str) -> Any:
    """The type of a command's parameter, for an option of a dataclass."""
    option = options_of(described)[name]
    [hint] = [p.annotation for p in parameters(described) if p.name == name]
    return Annotated[
        list[str] | None if option.example else hint,
        typer.Option(
            flag(name),
            *([flag(option.alias)] if option.alias else []),
            help=option.help.removesuffix(".") + ".",
            envvar=option.variable or None,
            autocompletion=completion(option.names) if option.names else None,
        ),
    ]


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
JsonListOption = Annotated[
    bool, typer.Option("--json", help="Print a JSON list with one object per row.")
]


def takes(
    *described: type, without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of dataclasses; those given are in its ``**options``.

    An option that the command has itself it keeps.

    Args:
        without: options that make no sense of it.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        *own, _ = signature(command, eval_str=True).parameters.values()
        names = {p.name for p in own}
        others = {*names, *without}
        options = [_typed(each, p) for each in described for p in parameters(each, others)]
        shown = [*options, *(p.replace(kind=Parameter.KEYWORD_ONLY) for p in own)]

        @wraps(command)
        def run(**values: Any) -> None:
            mine = {name: values.pop(name) for name in names}
            given = {n: tuple(x) if isinstance(x, list) else x for n, x in values.items()}
            command(**mine, **{n: x for n, x in given.items() if x is not None})

        run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in shown}
        return run

    return decorate


def documented(command: Callable[..., None]) -> str:
    """Give the parameters of a command the help that its docstring has of them; what else it says.

    A yes or no that is not annotated is an option without its opposite.
    """
    text, _, args = (getdoc(command) or "").partition("\n\nArgs:\n")
    helps = dict(re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", args, re.MULTILINE))
    shown = []
    for p in signature(command, eval_str=True).parameters.values():
        if p.name in helps:
            hint, info = p.annotation, typer.Option(*[flag(p.name)] * (p.annotation is bool))
            if get_origin(hint) is Annotated:
                hint, info = get_args(hint)
            info.help = " ".join(helps[p.name].split())
            p = p.replace(annotation=Annotated[hint, info])
        shown.append(p)
    command.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in shown}
    return text


def _typed(described: type, parameter: Parameter) -> Parameter:
    default = None if parameter.default == () else parameter.default  # a list that is not given
    return parameter.replace(default=default, annotation=annotated(described, parameter.name))


def check_store(context: typer.Context, store: Path | None) -> None:
    """Refuse a store that the command line names and that is not there."""
    if store and written(context, ("store",)) and not store.exists():
        raise InvalidInput(f"there is no store {store}; arith verify makes one")


def check_picture(path: Path | None) -> None:
    """Refuse a picture that cannot be written before the work whose result it is to show."""
    if path is not None:
        from arith.theory.text.style import check_suffix
        from arith.verify.records.files import check_writable

        check_suffix(path)
        check_writable(path)


def written(
    context: typer.Context, names: Collection[str] = tuple(options_of(Request))
) -> list[str]:
    """The options that the command line names, also those with their default value.

    Args:
        names: of which options; those of a setting.
    """
    return [
        name
        for name in names
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    ]


def flags(names: Iterable[str]) -> str:
    """Options as they are written: ``--task, --train-digits``."""
    return ", ".join(map(flag, names))
