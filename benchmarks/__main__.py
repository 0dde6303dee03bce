"""The command ``python -m benchmarks``: measures, and prints Markdown."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arith.theory.errors import InvalidInput, look_up
from arith.verify.training.device import pick_device
from benchmarks import cold_start, evaluation, explore, predictor, premise, steps
from benchmarks.measuring import machine

PARTS = {
    "throughput": steps.throughput,
    "ensembles": steps.ensembles,
    "natural": steps.natural,
    "premise": premise.tables,
    "predictor": predictor.tables,
    "cold_start": cold_start.tables,
    "evaluation": evaluation.tables,
    "explore": explore.tables,
}
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    quick: Annotated[
        bool, typer.Option("--quick", help="A small run, to see that it works.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help=f"Parts to run: {', '.join(PARTS)}.")
    ] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Write the numbers to this file too.")
    ] = None,
) -> None:
    """Measure how fast training, predicting and evaluating are, in ratios made in turns."""
    try:
        parts = {name: look_up("part", name, PARTS) for name in only or PARTS}
    except InvalidInput as error:
        raise typer.BadParameter(str(error), param_hint="--only") from None
    device = pick_device("auto")
    where = machine(device)
    print(f"{where}\n", flush=True)
    tables = []
    for part in parts.values():
        for table in part(quick, device):
            print(f"{table.markdown()}\n", flush=True)
            tables.append(asdict(table))
        if json_path is not None:
            json_path.write_text(json.dumps({"machine": where, "tables": tables}, indent=1) + "\n")


if __name__ == "__main__":
    app()
