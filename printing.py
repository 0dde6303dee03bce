"""What the commands print: predictions, verdicts and lists, as tables on a terminal or as JSON."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from arith.theory.counting.accuracy import DigitAccuracy
    from arith.theory.prediction.predict import Prediction
    from arith.verify.judging.answers import JudgedAnswers
    from arith.verify.judging.judge import CellVerdict

_GAP = 2
"""Blanks between two columns."""
_WHOLE: Any = {"break_on_hyphens": False, "break_long_words": False}
"""How lines are broken: between words."""
_COLOURS = {
    "generalizes": "green",
    "agree": "green",
    "fails": "red",
    "diverge": "red",
    "partial": "yellow",
    "inconclusive": "yellow",
}
"""Of the first word of a field."""
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Text:
    """A text, as ``print_text`` prints it."""

    text: str
    bold: bool = False
    indent: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under the headings of their columns, as ``print_table`` prints them."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


Part = Text | Table
"""An answer is a list of parts, each to be shown below the other."""


def print_parts(parts: Iterable[Part]) -> None:
    """Print an answer."""
    for part in parts:
        if isinstance(part, Table):
            print_table(part.columns, part.rows)
        else:
            print_text(part.text, part.bold, part.indent)


def plain_text(parts: Iterable[Part]) -> str:
    """What ``print_parts`` prints, without colours and without the end of the last line."""
    with redirect_stdout(StringIO()) as written:
        print_parts(parts)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines())


def print_text(text: str, bold: bool = False, indent: str = "") -> None:
    """Print text, broken between words where it does not fit; later lines begin with ``indent``."""
    console = _console()
    for line in text.split("\n"):
        lines = textwrap.wrap(line, console.width, subsequent_indent=indent, **_WHOLE)
        for part in lines or [""]:
            console.print(part, markup=False, style="bold" if bold else None, soft_wrap=True)


def print_lines(lines: Iterable[str], indent: str = "  ") -> None:
    """Print texts below each other, as ``print_text`` does."""
    for line in lines:
        print_text(line, indent=indent)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under the headings of their columns, or one below the other on a narrow terminal.

    A column is never narrower than its longest word, so that no word is broken.
    """
    from rich import text as rich_text

    console = _console()
    widths = _widths([columns, *rows], console.width)
    if widths is None:
        for first, *others in rows:
            print_text(f"{columns[0]} {first}".strip(), bold=True)
            named = (
                f"{c}: {t}".removeprefix(": ") for c, t in zip(columns[1:], others, strict=True)
            )
            print_text("  " + "; ".join(named), indent="  ")
        return
    justify = [str.rjust if column == "digits" else str.ljust for column in columns]
    lines = []
    for row in (columns, *rows):
        styles = [
            "bold" if row is columns else _COLOURS.get(text.partition(" ")[0], "") for text in row
        ]
        broken = [textwrap.wrap(x, w, **_WHOLE) for x, w in zip(row, widths, strict=True)]
        for parts in zip_longest(*broken, fillvalue=""):
            line = rich_text.Text()
            for part, style, fill, width in zip(parts, styles, justify, widths, strict=True):
                line.append(fill(part, width), style).append(" " * _GAP)
            line.rstrip()
            lines.append(line)
    console.print(rich_text.Text("\n").join(lines), soft_wrap=True)


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The widths of columns that fit, or None: the widest give way, down to their longest words."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [max(len(w) for text in column for w in text.split() or [""]) for column in columns]
    while sum(widths) + _GAP * (len(widths) - 1) > room:
        width, i = max((w if w > least[i] else 0, i) for i, w in enumerate(widths))
        if not width:
            return None
        widths[i] -= 1
    return widths


def print_json(data: Any) -> None:
    """Print an object or a list as JSON, in which there is no NaN."""
    print(json.dumps(data, indent=2, allow_nan=False))


def print_list(columns: dict[str, str], rows: Sequence[Sequence[str]], as_json: bool) -> None:
    """Print a table, or its rows as JSON; ``columns`` holds the keys and the headings."""
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(tuple(columns.values()), rows)


def prediction_parts(prediction: Prediction, explain: bool = False) -> list[Part]:
    """The setting and the answer; then the table of lengths, or the derivation."""
    from arith.theory.learning.leap_complexity import setting_leaps
    from arith.theory.learning.learnability import learnability
    from arith.theory.text import answer, text
    from arith.verify.plan.inputs import unjudged_setting

    parts: list[Part] = [
        Text("\n".join(text.setting_lines(prediction.setting)), bold=True),
        Text(answer.answer_line(prediction), bold=True, indent="  "),
        Text(answer.expected_line(prediction), indent="  "),
    ]
    forecasts = text.forecast_lines(prediction, named=explain)
    forecasts.append(text.convergence_line(prediction.convergence))
    forecasts += filter(None, [unjudged_setting(prediction.setting)])
    if explain:
        lines = answer.explanation(prediction, learnability(prediction.setting))
        return [*parts, *_indented([*lines, *forecasts], "   ")]
    legend = text.legend(prediction, setting_leaps(prediction.setting))
    return [
        *parts,
        *_indented(answer.published_lines(prediction)),
        Text(""),
        Table(text.LENGTH_COLUMNS, text.length_rows(prediction)),
        *_indented([*forecasts, *legend]),
    ]


def _indented(lines: Iterable[str], indent: str = "  ") -> list[Part]:
    """Texts whose later lines are indented."""
    return [Text(line, indent=indent) for line in lines]


def digit_parts(prediction: Prediction, found: dict[int, DigitAccuracy] | None) -> list[Part]:
    """The accuracy of each result digit, or in one line why there is none."""
    from arith.theory.arithmetic.shares import share_text

    if found:
        columns = ("digits", "", "accuracy of each result digit, and of the lowest 1, 2, ...")
        rows = [
            [str(n), what, " ".join("?" if v is None else share_text(v, 4) for v in values)]
            for n, x in found.items()
            for what, values in (("each", x.digit), ("lowest", x.lowest))
        ]
        uncounted = any("?" in shown for *_, shown in rows)
        note = Text("?: not counted, for it would take too long.")
        return [Table(columns, rows), *[note] * uncounted]
    if prediction.continues:
        return [Text("every result digit is right: the expected function is the task itself")]
    if prediction.operations:
        return [Text("the accuracy of single digits is not counted of several operations")]
    lacking = "expected function" if prediction.learned is None else "accuracy"
    return [Text(f"no accuracy of single digits: no {lacking} is predicted")]


def verdict_parts(verdicts: Sequence[CellVerdict]) -> list[Part]:
    """A cell's verdicts length by length, or those of several in a line each; and their sum."""
    from arith.verify.reporting import terminal

    if len(verdicts) == 1:
        [v] = verdicts
        lines = [*terminal.length_legend(v), terminal.theorem_sentence(v)]
        return [
            Text(v.cell.label(), bold=True),
            Table(terminal.LENGTH_COLUMNS, [terminal.length_line(v, x) for x in v.lengths]),
            *_indented(lines),
            Text(terminal.sentence(v), bold=True),
        ]
    return [
        Table(terminal.CELL_COLUMNS, [terminal.cell_line(v) for v in verdicts]),
        *_indented(terminal.cell_legend(verdicts)),
        Text(terminal.summary_line(verdicts), bold=True),
    ]


def answer_parts(judged: JudgedAnswers, notes: Sequence[str] = ()) -> list[Part]:
    """What models answered at each length, which function explains it, and the verdict.

    Args:
        notes: lines to stand above the verdict.
    """
    from arith.theory.text.text import setting_lines
    from arith.verify.reporting import answers

    parts: list[Part] = [
        Text("\n".join(setting_lines(judged.verdict.cell.setting)), bold=True),
        *_indented(answers.left_out_lines(judged)),
        Table(answers.COLUMNS, answers.answer_rows(judged)),
        *_indented(answers.answer_legend(judged)),
        Text(""),
        Table(*answers.explanation_table(judged)),
        Text(""),
        *_indented(answers.digit_lines(judged)),
    ]
    if judged.surprising:
        rows = answers.surprising_rows(judged)
        parts += [Text(answers.surprising_title(judged)), Table(answers.SURPRISING, rows)]
    said = [*notes, *answers.premise_lines(judged)]
    sentence = Text(answers.answer_sentence(judged), bold=True)
    return [*parts, *_indented(said), sentence, *_indented(answers.next_lines(judged))]


def shown(items: Sequence[_Item], what: str) -> Iterator[_Item]:
    """The items, with how many are done said on a terminal: ``120 of 1498 cells predicted``."""
    with _progress(f"{{task.completed:.0f}} of {{task.total:.0f}} {what}") as progress:
        yield from progress.track(items) if progress else items


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on a terminal that work of some seconds goes on: ``predicting: 4 s``."""
    with _progress(f"{what}: {{task.elapsed:.0f}} s") as progress:
        if progress:
            progress.add_task(what)
        yield


@contextmanager
def _progress(text: str) -> Iterator[Progress | None]:
    """A line on a terminal that goes away at the end; None where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    with Progress(TextColumn(text), console=Console(stderr=True), transient=True) as progress:
        yield progress


def _console() -> Console:
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the program with 1, which is a verdict

    # Rich would take a notebook, and a kernel's variables, for a terminal with colours.
    written = isinstance(sys.stdout, StringIO)
    return Output(highlight=False, force_jupyter=False, force_terminal=False if written else None)
