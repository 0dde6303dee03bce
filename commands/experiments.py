"""The commands that train models, and those that show what is to be trained and what was found."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from commands import options
from printing import print_table, print_text, print_verdicts, shown
from theory.errors import InvalidInput
from theory.setting.requests import Request
from verify.plan.cells import Cell, default_model
from verify.plan.grids import grid as cells_of
from verify.plan.recipe import DEFAULT_BUDGET, RECIPE, find_recipe
from verify.plan.sizes import SIZES


@options.asks_for_setting
def verify(
    asked: Request,
    context: typer.Context,
    grid: Annotated[str | None, options.GridOption] = None,
    model: options.ModelOption = None,
    seeds: Annotated[int, typer.Option(help="Models per cell.")] = 1,
    first_seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    jobs: Annotated[int, typer.Option(help="Models trained at once; 0 is one per core.")] = 0,
    device: options.DeviceOption = "auto",
    precision: options.PrecisionOption = "auto",
    recipe: options.RecipeOption = RECIPE.name,
    store: Annotated[
        Path, typer.Option(help="Where measurements are kept; what it has is not redone.")
    ] = options.DEFAULT_STORE,
    budget: Annotated[
        int,
        typer.Option(
            help="Most training steps per model. Runs that had spent a smaller budget are made "
            "again."
        ),
    ] = DEFAULT_BUDGET,
    junit_xml: Annotated[Path | None, typer.Option(help="Write the verdicts as JUnit XML.")] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Train on the workers of a Dask scheduler at this address."),
    ] = None,
) -> None:
    """Train the cells of a grid, or one cell, and judge them."""
    given = options.written(context)
    if grid is not None and given:
        raise InvalidInput(f"give --grid or the options of one cell ({', '.join(given)}), not both")
    if grid is None and asked.task is None and asked.expr is None:
        raise InvalidInput("say what to verify: --grid smoke, --grid headline, or --task NAME")
    external = model is not None and model.startswith(options.EXTERNAL)
    if external and cluster is not None:
        raise InvalidInput(f"{model} is not trained: leave out --cluster")
    if external and (seeds != 1 or first_seed or budget != DEFAULT_BUDGET or junit_xml is not None):
        raise InvalidInput(
            f"{model} is not trained: leave out --seeds, --first-seed, --budget and --junit-xml"
        )
    own = None if external else model
    cells = [_cell(asked, own)] if grid is None else cells_of(grid)
    if external:
        _print_external(cells, Path(str(model).removeprefix(options.EXTERNAL)), device)
        return
    if grid is not None and model is not None:
        cells = list(dict.fromkeys(Cell(cell.setting, model) for cell in cells))

    from verify import pipeline
    from verify.judging.judge import exit_code
    from verify.plan.plan import Plan
    from verify.records.files import check_writable, write
    from verify.records.store import Store
    from verify.reporting.junit import junit

    how = find_recipe(recipe)
    plan = Plan(cells, first_seed, seeds, budget, jobs, device, precision, how, cluster)
    if junit_xml is not None:
        check_writable(junit_xml)
    kept = Store(store)
    verdicts = pipeline.verify(plan, kept)
    if junit_xml is not None:
        write(junit_xml, junit(verdicts))
    print_verdicts(verdicts)
    kept.check_written()
    raise typer.Exit(exit_code(verdicts))


def _cell(asked: Request, model: str | None) -> Cell:
    """The one cell that the command line asks for."""
    setting = asked.setting()
    return Cell(setting, model or default_model(setting.task))


def _print_external(cells: list[Cell], path: Path, device: str) -> None:
    """Ask a model from disk the inputs of each cell, and say which function explains its errors."""
    from verify.external import COLUMNS, evaluate, table
    from verify.external_model import load

    loaded = load(path, device)
    for cell in cells:
        s = cell.setting
        answers = [evaluate(loaded, s, n) for n in s.test_lengths]
        print_text(f"{s.task.text()}, examples of {s.train.text()}", bold=True)
        print_table(COLUMNS, table(answers))


def show_grid(
    grid: Annotated[str, options.GridOption] = "full",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per cell and line.")
    ] = False,
) -> None:
    """List the cells of a grid with their predictions."""
    from theory.prediction.predict import predict
    from verify.reporting.terminal import PREDICTION_COLUMNS, prediction_row

    cells = cells_of(grid)
    if as_json:
        for cell in cells:
            data = {"cell": cell.to_json(), "prediction": predict(cell.setting).to_json()}
            print(json.dumps(data), flush=True)
        return
    rows = [prediction_row(cell, predict(cell.setting)) for cell in shown(cells, "cells predicted")]
    print_table(PREDICTION_COLUMNS, rows)
    print_text(f"\n{len(cells)} cells; train them with arith verify --grid {grid}")


@options.asks_for_setting
def inspect(
    asked: Request,
    model: options.SizeOption = None,
    seed: Annotated[int, typer.Option(help="Of the weights and the examples.")] = 0,
    device: options.DeviceOption = "auto",
    precision: options.PrecisionOption = "auto",
    recipe: options.RecipeOption = RECIPE.name,
    budget: Annotated[int, typer.Option(help="Most training steps.")] = DEFAULT_BUDGET,
    out: Annotated[Path, typer.Option(help="A folder for the pictures and mechanism.json.")] = Path(
        "mechanism"
    ),
) -> None:
    """Train one cell and show what its answers depend on."""
    if model is not None and model.startswith(options.EXTERNAL):
        raise InvalidInput(
            f"--model {model}: only verify takes {options.EXTERNAL}PATH; inspect trains a model of "
            f"a size ({', '.join(SIZES)})"
        )
    from verify import pipeline
    from verify.plan.plan import Plan
    from verify.records.files import check_writable
    from verify.reporting.sections.inside import mechanism_rows

    cell, how = _cell(asked, model), find_recipe(recipe)
    plan = Plan([cell], seed, budget=budget, device=device, precision=precision, recipe=how)
    check_writable(out / "mechanism.json")
    trained, mechanism = pipeline.inspect(plan)
    print_text(f"{cell.label()}, seed {seed}", bold=True)
    print_text(f"in domain {trained.premise:.3f} after {trained.steps} steps")
    print_table(("at", "what", "value"), mechanism_rows(mechanism.to_json()))
    for picture in pipeline.write_inspection(trained, mechanism, out):
        print(f"wrote {picture}")
    raise typer.Exit(0 if trained.converged else 3)


def report(
    grid: Annotated[
        str, typer.Option(help="The grid to report on: a name or a TOML file.")
    ] = "headline",
    store: Annotated[
        Path, typer.Option(help="Where arith verify kept its measurements.")
    ] = options.DEFAULT_STORE,
    folder: Annotated[Path, typer.Option(help="Where reports/GRID stands.")] = Path("reports"),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; judge the committed evidence.")
    ] = False,
) -> None:
    """Judge the evidence of a grid and write its report.

    Measurements in the store are added.

    Ends with 1 where a claim diverges and no cause is named in causes.toml beside the evidence
    (with --check also where those texts do not fit it), with 3 where a cell is inconclusive.
    """
    from verify import pipeline
    from verify.judging.judge import Verdict, count_verdicts
    from verify.judging.known_divergences import out_of_date, unexplained
    from verify.reporting.terminal import outcome_line

    about = pipeline.judge(grid, folder, None if check else store)
    for note in about.notes:
        print(f"arith: {note}", file=sys.stderr)
    verdicts, known = about.verdicts, about.known
    if not about.trained:
        raise InvalidInput(
            f"no measurements of the grid '{about.name}' in {about.evidence} or {store}; "
            "run arith verify first"
        )
    failures = unexplained(verdicts, known)
    if check:
        failures += out_of_date(verdicts, known)
        print_verdicts(verdicts)
    else:
        print(f"wrote {pipeline.report(about)}")
    for line in failures:
        print(line, file=sys.stderr)
    if check:
        print_text(f"gate: {outcome_line(verdicts, known)}")
    raise typer.Exit(1 if failures else 3 if count_verdicts(verdicts)[Verdict.INCONCLUSIVE] else 0)
