"""The commands that use kept models: ask one, and export one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arith.commands.options import JsonOption
from arith.printing import print_json, print_lines, print_table, print_text
from arith.theory.errors import InvalidInput

KeptOption = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A folder that verify --keep-models or export has made."),
]


def ask(
    model: KeptOption,
    questions: Annotated[list[str], typer.Argument(metavar="QUESTIONS...")],
    as_json: JsonOption = False,
) -> None:
    """Ask a kept model.

    Args:
        questions: Each with its operands: '12 + 34'.
    """
    from arith.verify.model.kept import read_kept

    kept = read_kept(model)  # before torch is imported

    from arith.verify.model.questions import COLUMNS, ask, legend, read_question
    from arith.verify.training.device import train_alone

    train_alone()
    cell = kept.run.cell
    asked, refused = list[tuple[int, ...]](), list[str]()
    for text in questions:
        try:
            asked.append(read_question(text, cell))
        except InvalidInput as error:
            refused.append(str(error))
    answers = ask(kept.model, cell, cell.prediction, asked)
    if as_json and answers:
        about = {"cell": cell.to_json(), "seed": kept.run.seed, "premise": kept.run.premise}
        about["expected_function"] = cell.prediction.learned_text
        print_json({**about, "answers": [x.to_json(cell) for x in answers]})
    elif answers:
        print_text(cell.setting.text(), bold=True)
        print_table(COLUMNS, [x.row(cell) for x in answers])
        print_lines(legend(kept.run, cell.prediction))
    if refused:
        raise InvalidInput("; ".join(refused))


def export(
    model: KeptOption,
    folder: Annotated[Path, typer.Argument()],
) -> None:
    """Write a kept model in the format of Hugging Face.

    Args:
        folder: A new folder.
    """
    from arith.verify.model.kept import read_kept

    kept = read_kept(model)  # before torch is imported

    from arith.verify.model.huggingface import export

    export(kept, folder)
    print(f"wrote {folder}; its README.md says how to load it")
