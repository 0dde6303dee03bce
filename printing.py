"""What the commands print: predictions, verdicts and lists, as tables on a terminal or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from theory.predict import Prediction
    from verify.judge import CellVerdict


def print_text(text: str, bold: bool = False) -> None:
    """Print text as it is, broken into lines that fit the terminal."""
    _console().print(text, markup=False, style="bold" if bold else None)


_NARROWEST = 12
"""Characters that a column gets at least, on average; on a narrower terminal words would break."""


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under the headings of their columns, or one below the other on a narrow terminal."""
    from rich.table import Table
    from rich.text import Text

    if _console().width < _NARROWEST * len(columns):
        for row in rows:
            print_text(row[0], bold=True)
            for column, text in zip(columns[1:], row[1:], strict=True):
                print_text(f"  {column}: {text}")
        return
    table = Table(box=None, pad_edge=False, show_lines=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    _console().print(table)


def print_list(columns: dict[str, str], rows: Sequence[Sequence[str]], as_json: bool) -> None:
    """Print a table, or its rows as JSON; ``columns`` holds the keys and the headings."""
    if as_json:
        print(json.dumps([dict(zip(columns, row, strict=True)) for row in rows], indent=2))
    else:
        print_table(tuple(columns.values()), rows)


def print_prediction(prediction: Prediction, explain: bool) -> None:
    """Print the setting, the verdicts and the table of lengths, and on request the derivation."""
    from rich.table import Table

    from theory.text import LENGTH_COLUMNS, explanation, length_rows, setting_text, verdict_rows

    console = _console()
    console.print(setting_text(prediction.setting), markup=False, style="bold")
    grid = Table.grid(padding=(0, 2))
    for direction, refined, theorem in verdict_rows(prediction):
        grid.add_row(direction, _coloured(refined), theorem)
    console.print(grid)
    if prediction.learned_text:
        console.print(f"learned function  {prediction.learned_text}", markup=False)
    table = Table(box=None, pad_edge=False)
    for column in LENGTH_COLUMNS:
        table.add_column(column, justify="right" if column == "digits" else "left")
    for row in length_rows(prediction):
        table.add_row(*(_coloured(text) for text in row))
    console.print(table)
    if prediction.leaks:
        console.print(f"{prediction.derivation[-1].statement} (rule: leak)", markup=False)
    if explain:
        console.print()
        for line in explanation(prediction):
            console.print(line, markup=False)


def print_digits(prediction: Prediction) -> None:
    """Print the accuracy of each result digit, or in one line why there is none."""
    from theory.text import digit_rows

    rows = digit_rows(prediction)
    if rows:
        columns = ("digits", "", "accuracy of each result digit, and of the lowest 1, 2, ...")
        print_table(columns, rows)
    elif prediction.continues:
        print("every result digit is right: what is learned is the task itself")
    else:
        lacking = "learned function" if prediction.learned is None else "accuracy"
        print(f"no accuracy of single digits: no {lacking} is predicted")


def learning_json(prediction: Prediction) -> dict[str, Any]:
    """How a task is learned: whether by leaps, None where it is not counted, and the plateaus on the way."""
    from theory.leaps import leaps
    from theory.plateaus import plateaus

    s = prediction.setting
    return {
        "leaps": leaps(s.task, s.base, s.train),
        "plateaus": [
            {
                "digits_read": x.read,
                "accuracy": str(x.accuracy),
                "accuracy_float": float(x.accuracy),
            }
            for x in plateaus(s.task, s.base, s.train)
        ],
    }


def digits_json(prediction: Prediction) -> list[dict[str, Any]] | None:
    """What ``print_digits`` prints, exactly: one object per length with a predicted accuracy.

    None where no learned function is predicted, or it is the task itself.
    """
    from theory.text import predicted_digits

    if prediction.learned is None:
        return None
    rows = []
    for digits, found in predicted_digits(prediction):
        each, lowest = (
            [None if v is None else str(v) for v in values]
            for values in (found.digit, found.lowest)
        )
        rows.append({"digits": digits, "each": each, "lowest": lowest})
    return rows


def print_verdicts(verdicts: Sequence[CellVerdict]) -> None:
    """Print a cell's verdicts length by length, those of several in a line each; and their sum."""
    from rich.table import Table

    from verify.report import COLUMNS, SUMMARY_COLUMNS, cell_row, length_row, summary

    console = _console()
    single = len(verdicts) == 1
    table = Table(box=None, pad_edge=False, title=verdicts[0].cell.label() if single else None)
    for column in COLUMNS if single else SUMMARY_COLUMNS:
        table.add_column(column, overflow="fold")
    rows = (
        [length_row(verdicts[0], x) for x in verdicts[0].lengths]
        if single
        else [cell_row(v) for v in verdicts]
    )
    for row in rows:
        table.add_row(*(_coloured(text) for text in row))
    console.print(table)
    console.print()
    console.print(summary(verdicts).replace("**", ""), markup=False)


def _console() -> Console:
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the program with 1, which is a verdict

    return Output(highlight=False)


def _coloured(status: str) -> str:
    colours = {
        "generalizes": "green",
        "agree": "green",
        "fails": "red",
        "diverge": "red",
        "partial": "yellow",
        "inconclusive": "yellow",
    }
    colour = colours.get(status.split(" ")[0])
    return f"[{colour}]{status}[/{colour}]" if colour else status
