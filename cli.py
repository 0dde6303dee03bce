"""The command ``arith``: its commands in one list, and how each of them ends."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from arith import __version__
from arith.commands.loading import group_of
from arith.theory.errors import ADDITIONS, Failed, InvalidInput

EXIT_CODES = {
    0: "theory and experiment agree (or nothing was claimed)",
    1: "they diverge",
    2: "wrong usage or bad input",
    3: "inconclusive: no claim failed, and some were not tested",
    4: "failed; what had finished is kept",
    129: "the terminal was closed (SIGHUP); what had finished is kept",
    130: "interrupted; what had finished is kept",
    141: "the output was closed early; what had finished is kept",
    143: "asked to end (SIGTERM); what had finished is kept",
}
"""What the command ends with."""
COMMANDS = {
    "predict": ("predictions:predict", "Predict how a model does on shorter and longer inputs."),
    "explore": ("explore:explore", "Open a page to play with settings, on this machine alone."),
    "examples": ("examples:examples", "Write examples of a setting to a file."),
    "verify": ("experiments:verify", "Train the cells of a grid, or one cell, and judge them."),
    "judge": ("judging:judge", "Judge the answers of any model against the prediction."),
    "grid": ("experiments:show_grid", "List the cells of a grid with their predictions."),
    "inspect": ("experiments:inspect", "Show what the answers of a trained model depend on."),
    "report": ("reports:report", "Judge and report on all cells in the store, or on a grid."),
    "ask": ("models:ask", "Ask a kept model."),
    "export": ("models:export", "Write a kept model in the format of Hugging Face."),
    "data": ("reports:data", "Write all measurements, and what was predicted, as CSV."),
    "advise": ("predictions:advise", "Say what to change so that a model generalizes."),
    "compare": (
        "predictions:compare",
        "Set encodings, layouts or windows side by side for one task.",
    ),
    "map": ("predictions:phase_map", "Draw accuracy on longer inputs by modulus, or by base."),
    "literature": ("lists:literature", "Set published findings beside the predictions."),
    "tasks": ("lists:tasks", "List the named tasks and what decides how they extend."),
    "encodings": ("lists:encodings", "List the positional encodings."),
    "layouts": ("lists:layouts", "List the layouts, each with the way it writes 12 + 34 = 46."),
    "models": ("lists:models", "List the named sizes of models."),
    "theorems": ("lists:theorems", "List the four theorems and their rules, or explain one."),
}
"""Every command, in the order of the help page: its function, and the first line of its help."""
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
        from arith.theory.rules import THEORY_VERSION
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
_OF_THE_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What a write to a closed or full output fails with."""
_WHERE = "ARITH_DEBUG=1 shows where"


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


class _Unfailing(io.FileIO):
    """A file that work does not depend on: what cannot be written to it is lost."""

    def write(self, data: Any) -> int:
        with suppress(OSError):
            return super().write(data) or 0
        return len(data)


def _open_streams() -> None:
    """Make the three streams usable, whatever they were when the process was started.

    A closed one is opened, or the next file that is opened would take its number: nothing is read
    from it, a write to the output fails, and what goes to standard error is lost.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            os.dup2(opened, number)  # inheritable, also where the two are one
            if opened != number:
                os.close(opened)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        unfailing = io.BufferedWriter(_Unfailing(2, "w", closefd=False))
        encoding = getattr(sys.stderr, "encoding", "utf-8")
        sys.stderr = io.TextIOWrapper(unfailing, encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_PLAINLY)


def main() -> NoReturn:
    """Run the command line; every error is one line on stderr.

    It ends with one of ``EXIT_CODES``.  ``ARITH_DEBUG=1`` shows the traceback of what is no known
    error; ``ARITH_IMPORT`` names modules, or their files, that add what commands then have.
    """
    # NumPy counts here, and multiplies no matrices: the threads for that would but start and wait.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not os.environ.get("COLUMNS", "").strip("0"):
        os.environ.pop("COLUMNS", None)  # a width of 0 is none, and nothing would be printed
    _open_streams()
    try:
        for word in sys.argv[1:]:
            _check_text(word)
        for name in os.environ.get(ADDITIONS, "").split():
            _import(name)
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
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            _drop_output()
            raise SystemExit(CLOSED) from None
        if error.errno not in _OF_THE_OUTPUT:
            _fail_unexpectedly(error)
        _drop_output()
        _fail(f"cannot write the output: {error.strerror or error}", 4)
    except Exception as error:
        _fail_unexpectedly(error)
    raise SystemExit(code or 0)


def _import(name: str) -> None:
    """Import a module that adds an encoding, a task, a layout or a size, by its name or its file.

    Processes that train import it too, by the name that it then has.
    """
    file = os.path.abspath(name) if name.endswith(".py") else ""
    folder = os.path.dirname(file) or os.getcwd()
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        if file and not os.path.isfile(file):
            raise InvalidInput("there is no such file")
        module = import_module(os.path.basename(name).removesuffix(".py") if file else name)
        if file and not os.path.samefile(module.__file__ or "", file):
            raise InvalidInput(f"another module has this name, {module.__file__}: take a new one")
    except Exception as error:
        if os.environ.get("ARITH_DEBUG") == "1":
            raise
        raise InvalidInput(f"{ADDITIONS}={name}: {error} ({_WHERE})") from None


def _check_text(word: str) -> None:
    """Refuse a word of the command line that could not be written to a file."""
    try:
        word.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{word!a} is no text in UTF-8") from None


def _fail_unexpectedly(error: BaseException) -> NoReturn:
    """The last resort: what nobody foresaw is no verdict, and takes one line all the same."""
    if os.environ.get("ARITH_DEBUG") == "1":
        raise error
    if isinstance(error, MemoryError):
        traceback.clear_frames(error.__traceback__)  # what they hold is free for the line
        _fail(f"not enough memory; what had finished is kept ({_WHERE})", 4)
    _fail(f"failed unexpectedly, by {type(error).__name__}: {error} ({_WHERE})", 4)


if __name__ == "__main__":
    main()
