"""The commands that list what is known: tasks, encodings, layouts, rules, published findings."""

from __future__ import annotations

from typing import Annotated

import typer

from arith.commands.options import JsonListOption, completion
from arith.printing import print_lines, print_list, print_table, print_text
from arith.theory.errors import InvalidInput
from arith.theory.text import catalogue


def _complete_finding(incomplete: str) -> list[str]:
    """Its file is read only when a finding is asked for."""
    from arith.theory.studies.literature import findings

    return completion([x.id for x in findings()])(incomplete)


def literature(
    finding: Annotated[
        str | None, typer.Argument(show_default=False, autocompletion=_complete_finding)
    ] = None,
    as_json: JsonListOption = False,
    as_latex: Annotated[bool, typer.Option("--latex")] = False,
) -> None:
    """Set published findings beside the predictions.

    Args:
        finding: One finding, to be printed whole, or an author, an encoding or a task.
        as_latex: Print those that meet every premise as LaTeX for a paper.
    """
    from arith.theory.text import literature_tables as published

    if as_latex:
        if as_json:
            raise InvalidInput("--latex is printed without --json")
        print(published.latex_findings(finding))
        return
    if as_json:
        columns = {name: name for name in published.COLUMNS}
        print_list(columns, published.table(finding), as_json)
    elif finding is not None and [x.id for x in published.found(finding)] == [finding]:
        print_text(finding, bold=True)
        print_lines(published.finding_text(finding))
    else:
        if finding is None:
            print_text(f"{published.summary()}\n{published.LEGEND}\n")
        print_table(published.IN_SHORT, published.short_table(finding))


def _complete_rule(incomplete: str) -> list[str]:
    """The names are put together only when one is asked for."""
    return completion([row[0] for row in catalogue.rule_rows()])(incomplete)


def tasks(as_json: JsonListOption = False) -> None:
    """List the named tasks and what decides how they extend."""
    print_list(catalogue.TASK_COLUMNS, catalogue.task_rows(), as_json)


def encodings(as_json: JsonListOption = False) -> None:
    """List the positional encodings."""
    print_list(catalogue.ENCODING_COLUMNS, catalogue.encoding_rows(), as_json)
    if not as_json:
        print_lines(catalogue.encoding_legend())


def layouts(
    formats: Annotated[
        list[str] | None, typer.Argument(metavar="FORMAT", show_default=False)
    ] = None,
    as_json: JsonListOption = False,
) -> None:
    """List the layouts, each with the way it writes 12 + 34 = 46.

    Args:
        formats: A layout of one's own: a name and what differs, as in 'reversed, no signs'.
    """
    print_list(catalogue.LAYOUT_COLUMNS, catalogue.layout_rows(formats or ()), as_json)
    if not (formats or as_json):
        print_text(
            f"\nA name and what differs make others. Parts: {catalogue.LAYOUT_PARTS}.\n"
            "Each number one token: whole numbers, of so many digits as --train-digits says; or "
            "--base 97 --train-digits 1, of the numbers 0 to 96."
        )


def models(as_json: JsonListOption = False) -> None:
    """List the named sizes of models."""
    from arith.verify.plan.sizes import SIZES

    parts = ("model", "layers", "heads", "width", "mlp")
    rows = [(name, *map(str, vars(size).values())) for name, size in SIZES.items()]
    print_list({part: part for part in parts}, rows, as_json)


def theorems(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="RULE", show_default=False, autocompletion=_complete_rule),
    ] = None,
    as_json: JsonListOption = False,
) -> None:
    """List the four theorems and their rules, or explain one.

    Args:
        words: One theorem or rule, to be printed whole.
    """
    # A name of two words needs no quotes.
    rule = " ".join(words).replace("-", " ") if words else None
    entry = [] if rule is None else catalogue.rule_text(rule)
    if as_json:
        rows = [row for row in catalogue.rule_rows() if rule in (None, row[0])]
        print_list(catalogue.RULE_COLUMNS, rows, as_json)
    elif rule is not None:
        print_text(rule, bold=True)
        print_lines(entry, indent="")
    else:
        print_table(catalogue.THEOREMS_IN_SHORT, catalogue.theorems_in_short())
        print_text("\nThe first theorem that applies decides a length. Rules say when one does.")
        for name, rows in catalogue.rules_in_short().items():
            print_text(f"\nOf {name}:")
            print_table(catalogue.RULES_IN_SHORT, rows)
        print_text(
            "\nbasis: proved by mathematics; observed in trained models; a premise that each model "
            "is tested for; open, it says where nothing follows. "
            'One rule whole: arith theorems RULE, say "joint support".'
        )
