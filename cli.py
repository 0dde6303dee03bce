"""The command ``arith``: its commands in one list, and how each of them ends."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from arith import __version__
from arith.commands.loading import Listed, group_of
from arith.theory.errors import Failed, InvalidInput

EXIT_CODES = {
    0: "theory and experiment agree (or nothing was claimed)",
    1: "they diverge",
    2: "wrong usage or bad input",
    3: "inconclusive: no model of some cell met the premises",
    4: "failed; what had finished is kept",
    130: "interrupted; what had finished is kept",
    141: "the output was closed early; what had finished is kept",
}
"""What the command ends with."""
COMMANDS = {
    "predict": Listed(
        "predictions:predict", "Predict how a model does on shorter and longer inputs."
    ),
    "verify": Listed(
        "experiments:verify", "Train the cells of a grid, or one cell, and judge them."
    ),
    "grid": Listed("experiments:show_grid", "List the cells of a grid with their predictions."),
    "inspect": Listed("experiments:inspect", "Show what the answers of a trained model depend on."),
    "report": Listed("reports:report", "Judge and report on all cells in the store, or on a grid."),
    "ask": Listed("models:ask", "Ask a kept model."),
    "export": Listed("models:export", "Write a kept model in the format of Hugging Face."),
    "data": Listed("data:data", "Write all measurements, and what was predicted, as CSV."),
    "advise": Listed("predictions:advise", "Say what to change so that a model generalizes."),
    "map": Listed(
        "predictions:phase_map", "Draw accuracy on longer inputs by modulus, or by base."
    ),
    "literature": Listed("lists:literature", "Set published findings beside the predictions."),
    "tasks": Listed("lists:tasks", "List the named tasks and what decides how they extend."),
    "encodings": Listed("lists:encodings", "List the positional encodings."),
    "layouts": Listed(
        "lists:layouts", "List the layouts, each with the way it writes 12 + 34 = 46."
    ),
    "theorems": Listed("lists:theorems", "List the rules of the theory, or explain one."),
}
"""Every command, in the order of the help page."""
app = typer.Typer(
    name="arith",
    cls=group_of(COMMANDS),
    help="Predict how a small GPT trained on arithmetic generalizes to other lengths, "
    "and verify it.",
    epilog="\n".join(
        ["\b", "Exit codes:", *(f"  {code:3}  {text}" for code, text in EXIT_CODES.items())]
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from arith.theory.inference.rules import THEORY_VERSION
        from arith.verify.plan.recipe import DENSE, RECIPE

        versions = ", ".join(f"{x.name} {x.version}" for x in (RECIPE, DENSE))
        print(f"arith {__version__} (theory {THEORY_VERSION}, recipes {versions})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Show the versions of the program, the theory and the recipes, and exit.",
        ),
    ] = False,
) -> None:
    """The options of the command itself."""


LONGEST_MESSAGE = 600
"""Characters of an error: what is echoed of the input may be longer."""


CLOSED = 128 + 13
"""As a shell counts SIGPIPE."""


def _drop_output() -> None:
    """Let what is left of the output go nowhere: Python would write it at its end, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _fail(message: str, code: int) -> NoReturn:
    """Print an error on one line, what would act on a terminal written as an escape, and end."""
    line = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in " ".join(message.split())
    )
    if len(line) > LONGEST_MESSAGE:
        line = f"{line[: LONGEST_MESSAGE // 2]} ... {line[-LONGEST_MESSAGE // 2 :]}"
    with suppress(OSError):
        print(f"arith: {line}", file=sys.stderr)
    raise SystemExit(code)


_PLAINLY = "arith"
"""How signs are written that the terminal's encoding lacks (as Python names error handlers)."""
_SIGNS = {"±": "+-", "·": "*", "≈": "~", "≠": "!=", "′": "'", "−": "-", "⌊": "[", "⌋": "]"}


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """What an encoding cannot write, in signs that every one has."""
    assert isinstance(error, UnicodeEncodeError)
    signs = error.object[error.start : error.end]
    return "".join(_SIGNS.get(sign, "?") for sign in signs), error.end


codecs.register_error(_PLAINLY, _plainly)


def main() -> NoReturn:
    """Run the command line; every error is one line on stderr.

    It ends with one of ``EXIT_CODES``.
    """
    if not os.environ.get("COLUMNS", "").strip("0"):
        os.environ.pop("COLUMNS", None)  # a width of 0 is none, and nothing would be printed
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_PLAINLY)
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="arith", standalone_mode=False)
        if code == 130:  # typer's word for an interrupt
            raise KeyboardInterrupt
        print(end="", flush=True)
    except SystemExit as end:  # typer's word for an output that was closed early
        if isinstance(end.__context__, BrokenPipeError):
            _drop_output()
            raise SystemExit(CLOSED) from None
        raise
    except InvalidInput as error:
        _fail(str(error), 2)
    except Failed as error:
        _fail(str(error), 4)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted; what had finished is kept", 130)
    except TyperException as error:
        _fail(error.format_message(), 2)
    except OSError as error:
        if error.filename is not None:
            _fail(f"{error.filename}: {error.strerror or error}", 2)
        _drop_output()
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            raise SystemExit(CLOSED) from None
        _fail(f"cannot write the output: {error.strerror or error}", 4)
    raise SystemExit(code or 0)


if __name__ == "__main__":
    main()
