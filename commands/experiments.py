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
from verify.plan.cells import Cell
from verify.plan.folders import Folders
from verify.plan.grids import GRIDS, recipe_of
from verify.plan.grids import grid as cells_of
from verify.plan.plan import Plan
from verify.plan.recipe import DEFAULT_BUDGET, find_recipe
from verify.plan.rows import Row
from verify.plan.sizes import SIZES

_OF_TRAINING = (
    *("seeds", "first_seed", "jobs", "precision", "recipe", "store", "budget", "junit_xml"),
    *("keep_models", "tensorboard", "dry_run", "cluster", "pe", "layout", "window", "layers"),
    *("width", "padding", "train_pairs"),
)
"""Options that mean nothing to a model from disk."""


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
    recipe: options.GridRecipeOption = None,
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
    keep_models: options.KeepOption = None,
    tensorboard: options.CurvesOption = None,
    dry_run: options.DryRunOption = False,
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
    if external and (given := options.written(context, _OF_TRAINING)):
        raise InvalidInput(f"{model} is not trained: leave out {', '.join(given)}")
    own = None if external else model
    cells = [Row(**vars(asked), model=own).cell()] if grid is None else cells_of(grid)
    if external:
        _print_external(cells, Path(str(model).removeprefix(options.EXTERNAL)), device)
        return
    if grid is not None and model is not None:
        cells = list(dict.fromkeys(Cell(cell.setting, model) for cell in cells))

    from verify import pipeline
    from verify.judging.judge import exit_code
    from verify.records.files import check_writable, write
    from verify.records.store import Store
    from verify.reporting.junit import junit

    how = recipe_of(grid) if recipe is None else find_recipe(recipe)
    folders = Folders(keep_models, tensorboard)
    plan = Plan(cells, first_seed, seeds, budget, jobs, device, precision, how, folders, cluster)
    if dry_run:
        if junit_xml is not None or cluster is not None:
            raise InvalidInput("--dry-run trains nothing: leave out --junit-xml and --cluster")
        evidence = None if grid is None else Path("reports", Path(grid).stem, "evidence.jsonl")
        ahead = pipeline.estimate(plan, store, evidence)
        if ahead.each:
            print_table(ahead.columns, ahead.rows())
        print_text(ahead.sentence(), bold=True)
        return
    if junit_xml is not None:
        check_writable(junit_xml)
    kept = Store(store)
    verdicts = pipeline.verify(plan, kept)
    print_verdicts(verdicts)
    if junit_xml is not None:
        write(junit_xml, junit(verdicts))
    models = pipeline.kept_models(plan)
    if len(models) > 1:
        print(f"{len(models)} models are kept in {keep_models}")
    elif models:
        print(f"kept {models[0]}")
    kept.check_written()
    raise typer.Exit(exit_code(verdicts))


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
    from verify.reporting.tables import count
    from verify.reporting.terminal import PREDICTION_COLUMNS, prediction_row

    cells = cells_of(grid)
    if as_json:
        for cell in cells:
            data = {"cell": cell.to_json(), "prediction": predict(cell.setting).to_json()}
            print(json.dumps(data), flush=True)
        return
    rows = [prediction_row(cell, predict(cell.setting)) for cell in shown(cells, "cells predicted")]
    print_table(PREDICTION_COLUMNS, rows)
    print_text(f"\n{count(len(cells), 'cell')}; train them with arith verify --grid {grid}")


@options.asks_for_setting
def inspect(
    asked: Request,
    context: typer.Context,
    kept: Annotated[
        Path | None,
        typer.Option("--from", metavar="MODEL", help="A kept model, in place of one to train."),
    ] = None,
    model: options.SizeOption = None,
    seed: Annotated[int, typer.Option(help="Of the weights and the examples.")] = 0,
    device: options.DeviceOption = "auto",
    precision: options.PrecisionOption = "auto",
    recipe: options.RecipeOption = "default",
    budget: Annotated[int, typer.Option(help="Most training steps.")] = DEFAULT_BUDGET,
    out: Annotated[Path, typer.Option(help="A folder for the pictures and mechanism.json.")] = Path(
        "mechanism"
    ),
) -> None:
    """Show what the answers of a trained model depend on."""
    how = [name for name in context.params if name not in ("kept", "out")]
    if kept is not None and (given := options.written(context, how)):
        raise InvalidInput(f"give --from or how to train a model ({', '.join(given)}), not both")
    if model is not None and model.startswith(options.EXTERNAL):
        raise InvalidInput(
            f"--model {model}: only verify takes {options.EXTERNAL}PATH; inspect trains a model of "
            f"a size ({', '.join(SIZES)})"
        )
    from verify import pipeline
    from verify.plan import premise
    from verify.plan.inputs import held_out_count
    from verify.records.files import check_writable
    from verify.reporting.sections.inside import mechanism_rows

    check_writable(out / "mechanism.json")
    if kept is not None:
        trained, mechanism = pipeline.inspect_kept(kept)
    else:
        cells, by = [Row(**vars(asked), model=model).cell()], find_recipe(recipe)
        plan = Plan(cells, seed, budget=budget, device=device, precision=precision, recipe=by)
        trained, mechanism = pipeline.inspect(plan)
    print_text(f"{trained.cell.label()}, seed {trained.seed}", bold=True)
    print_text(f"in domain {premise.written(trained.premise)} after {trained.steps} steps")
    print_table(("at", "what", "value"), mechanism_rows(mechanism.to_json()))
    for picture in pipeline.write_inspection(trained, mechanism, out):
        print(f"wrote {picture}")
    cell = trained.cell
    inputs = premise.independent(cell.setting.task, held_out_count(cell))
    raise typer.Exit(0 if premise.is_met(trained.premise, inputs) else 3)


def report(
    context: typer.Context,
    grid: Annotated[
        str | None,
        typer.Option(
            help="The grid to report on, a name or a TOML file; else all cells in the store.",
            autocompletion=options.completion(GRIDS),
        ),
    ] = None,
    store: Annotated[
        Path, typer.Option(help="Where arith verify kept its measurements.")
    ] = options.DEFAULT_STORE,
    folder: Annotated[Path, typer.Option(help="Where reports/GRID stands.")] = Path("reports"),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; judge the committed evidence.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the report here as one page for a browser, and nothing else."),
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Judge and report on all cells in the store, or on a grid.

    With --grid the measurements in the store are added to the evidence in reports/GRID, and the
    report is written there, unless --html, --json or --check asks for something else.

    Ends with 1 where a claim diverges and no cause is named in causes.toml beside the evidence
    (with --check also where those texts do not fit it), with 3 where a cell is inconclusive.
    """
    from verify import pipeline
    from verify.judging.judge import Verdict, count_verdicts
    from verify.judging.known_divergences import out_of_date, unexplained
    from verify.records.files import check_writable, write
    from verify.reporting.tables import count
    from verify.reporting.terminal import outcome_line

    given = options.written(context, ("store", "folder"))
    if check and (grid is None or html is not None or "--store" in given):
        raise InvalidInput(
            "--check judges the evidence of a --grid and writes nothing: no --html, no --store"
        )
    if grid is None and "--folder" in given:
        raise InvalidInput("--folder is where the evidence of a --grid stands: give that too")
    if "--store" in given and not store.exists():
        raise InvalidInput(f"there is no store {store}")
    if html is not None:
        check_writable(html)
    if grid is None:
        about = pipeline.judge_store(store)
    else:
        about = pipeline.judge(grid, folder, None if check else store)
    for note in about.notes:
        print(f"arith: {note}", file=sys.stderr)
    verdicts, known = about.verdicts, about.known
    if not about.trained:
        where = "in" if grid is None else f"of {about.name} in {about.evidence} or"
        by = "" if about.recipe is None else f"by the recipe {about.recipe.name} "
        raise InvalidInput(f"no measurements {by}{where} {store}; run arith verify first")
    failures = unexplained(verdicts, known) + (out_of_date(verdicts, known) if check else [])
    untested = any(
        Verdict.INCONCLUSIVE in (v.verdict, *(x.verdict for x in v.lengths)) for v in verdicts
    )
    if as_json:
        from verify.reporting.json_data import report_json

        print(json.dumps(report_json(about), indent=2))
    elif check or grid is None:
        print_verdicts(verdicts)
    if html is not None:
        from verify.reporting.html_page import html_page

        write(html, html_page(about))
        print(f"wrote {html}", file=sys.stderr if as_json else sys.stdout)
    elif grid is not None and not (check or as_json):
        print(f"wrote {pipeline.report(about)}")
    for line in failures if grid is not None else ():
        print(line, file=sys.stderr)
    if check and not as_json:
        print_text(f"gate: {outcome_line(verdicts, known)}")
        if untested:
            lengths = count_verdicts(about.trained)[Verdict.INCONCLUSIVE]
            cells = count(len(verdicts) - len(about.trained), "cell")
            print_text(
                f"gate: {cells} not trained, {count(lengths, 'length')} of the others inconclusive "
                "(exit code 3)."
            )
    raise typer.Exit(1 if failures else 3 if untested else 0)
