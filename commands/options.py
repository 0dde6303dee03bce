"""The options of a setting, as ``Request`` describes them, and those that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from arith.theory.errors import InvalidInput
from arith.theory.setting.options import flag, options_of
from arith.theory.setting.requests import Request

DEFAULT_STORE = Path(".arith") / "measurements.sqlite"


def completion(names: Collection[str]) -> Callable[[str], list[str]]:
    """What completes the beginning of a word to one of the names."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def annotated(request: type[Request], name: str, more_help: str = ".") -> Any:
    """The type of a command's parameter, for an option that a request describes."""
    words, option = get_type_hints(request)[name], options_of(request)[name]
    return Annotated[
        list[str] | None if words == tuple[str, ...] else words,
        typer.Option(
            flag(name),
            help=option.help.removesuffix(".") + more_help,
            autocompletion=completion(option.names) if option.names else None,
        ),
    ]


TaskOption = annotated(Request, "task")
EncodingOption = annotated(Request, "pe")
LayoutOption = annotated(Request, "layout")
WindowOption = annotated(Request, "window")
LayersOption = annotated(Request, "layers")
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
JsonListOption = Annotated[
    bool, typer.Option("--json", help="Print a JSON list with one object per row.")
]


def asks_for_setting(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a setting in place of its parameter ``asked``."""
    names = tuple(options_of(Request))
    own = dict(signature(command, eval_str=True).parameters)
    del own["asked"]
    parameters = [_parameter(name) for name in names]
    parameters += [p.replace(kind=Parameter.KEYWORD_ONLY) for p in own.values()]

    @wraps(command)
    def run(**values: Any) -> None:
        words = {name: values.pop(name) for name in names}
        words = {n: tuple(w) if isinstance(w, list) else w for n, w in words.items()}
        command(Request(**{n: w for n, w in words.items() if w is not None}), **values)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _parameter(name: str) -> Parameter:
    default = getattr(Request, name)
    if default == ():
        default = None  # a list that is not given
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=annotated(Request, name)
    )


def check_store(context: typer.Context, store: Path) -> None:
    """Refuse a store that the command line names and that is not there."""
    if written(context, ("store",)) and not store.exists():
        raise InvalidInput(f"there is no store {store}; arith verify makes one")


def written(
    context: typer.Context, names: Collection[str] = tuple(options_of(Request))
) -> list[str]:
    """The options that the command line names, also those with their default value.

    Args:
        names: of which options; those of a setting.
    """
    return [
        flag(name)
        for name in names
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    ]
