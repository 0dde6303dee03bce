"""The commands that train models, and the one that shows what is to be trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from arith.commands.options import DEFAULT_STORE, annotated, completion, flags, takes, written
from arith.printing import print_parts, print_table, print_text, shown, verdict_parts, waiting
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import chosen
from arith.theory.setting.training import DEFAULT_BUDGET
from arith.verify.plan.cells import CellRequest
from arith.verify.plan.folders import Folders, evidence_folder
from arith.verify.plan.grids import GRIDS, recipe_of
from arith.verify.plan.grids import grid as cells_of
from arith.verify.plan.plan import Plan
from arith.verify.plan.recipe import CHOICES, find_recipe

GridOption = typer.Option(
    help=f"{', '.join(GRIDS)}, or a TOML file.", autocompletion=completion(GRIDS)
)
_RECIPE_HELP = f"How models are trained: {', '.join(CHOICES)}."


@takes(CellRequest, Plan)
def verify(
    context: typer.Context,
    grid: Annotated[str | None, GridOption] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            help=f"{_RECIPE_HELP} Unless given, the one of the grid's evidence, or the usual one "
            "of each cell (default).",
            autocompletion=completion(CHOICES),
        ),
    ] = None,
    store: Path = DEFAULT_STORE,
    junit_xml: Path | None = None,
    keep_models: Annotated[Path | None, typer.Option(metavar="DIR")] = None,
    tensorboard: Annotated[Path | None, typer.Option(metavar="DIR")] = None,
    dry_run: bool = False,
    **options: Any,
) -> None:
    """Train the cells of a grid, or one cell, and judge them.

    Args:
        store: Where measurements are kept; what it has is not redone.
        junit_xml: Write the verdicts as JUnit XML.
        keep_models: Keep each trained model in a folder of its own here, for inspect, ask and
            export. What the store has and this folder lacks is trained again.
        tensorboard: Write curves of the trainings here, to be seen with tensorboard.
        dry_run: Train nothing: list what would be, and how long it takes.
    """
    asked, given = CellRequest(**chosen(CellRequest, options)), written(context)
    _refuse_external(asked.model)
    if grid is not None and given:
        raise InvalidInput(f"give --grid or the options of one cell ({flags(given)}), not both")
    if grid is None and asked.task is None and asked.expr is None:
        raise InvalidInput("say what to verify: --grid smoke, --grid headline, or --task NAME")
    cells = [asked.cell()] if grid is None else cells_of(grid, asked.model)

    from arith.verify import pipeline
    from arith.verify.judging.judge import exit_code
    from arith.verify.records.files import check_writable, write
    from arith.verify.records.store import Store
    from arith.verify.reporting.exports import junit

    how = recipe_of(grid) if recipe is None else find_recipe(recipe)
    folders = Folders(keep_models, tensorboard)
    plan = Plan(cells, **chosen(Plan, options), recipe=how, folders=folders)
    for note in plan.notes():
        print_text(note)
    if dry_run:
        if junit_xml is not None or plan.cluster is not None:
            raise InvalidInput("--dry-run trains nothing: leave out --junit-xml and --cluster")
        _print_estimate(plan, store, grid)
        return
    if junit_xml is not None:
        check_writable(junit_xml)
    with Store(store) as kept:
        verdicts = pipeline.verify(plan, kept)
        print_parts(verdict_parts(verdicts))
        if junit_xml is not None:
            write(junit_xml, junit(verdicts))
        models = pipeline.kept_models(plan)
        if len(models) > 1:
            print(f"{len(models)} models are kept in {keep_models}")
        elif models:
            print(f"kept {models[0]}")
        kept.check_written()
    raise typer.Exit(exit_code(verdicts))


def _print_estimate(plan: Plan, store: Path, grid: str | None) -> None:
    """Print what would be trained, and how long it may take."""
    from arith.verify import pipeline

    evidence = None
    if grid is not None:
        evidence = evidence_folder(grid) / Path(grid).stem / "evidence.jsonl"
    with waiting("timing a few steps"):
        ahead = pipeline.estimate(plan, store, evidence)
    if ahead.each:
        print_table(ahead.columns, ahead.rows())
    print_text(ahead.sentence(), bold=True)


def _refuse_external(model: str | None) -> None:
    """Refuse a model on disk, which is not trained."""
    if model is not None and model.startswith("hf:"):
        raise InvalidInput(f"{model} is not trained: arith judge --model {model} judges it")


def show_grid(
    grid: Annotated[str, GridOption] = "full",
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the cells of a grid with their predictions.

    Args:
        as_json: Print one JSON object per cell and line.
    """
    from arith.theory.text.text import count
    from arith.verify.reporting.terminal import PREDICTION_COLUMNS, prediction_row

    cells = cells_of(grid)
    if as_json:
        for cell in cells:
            data = {"cell": cell.to_json(), "prediction": cell.prediction.to_json()}
            print(json.dumps(data), flush=True)
        return
    rows = [prediction_row(cell, cell.prediction) for cell in shown(cells, "cells predicted")]
    print_table(PREDICTION_COLUMNS, rows)
    print_text(f"\n{count(len(cells), 'cell')}; train them with arith verify --grid {grid}")


@takes(CellRequest)
def inspect(
    context: typer.Context,
    kept: Annotated[Path | None, typer.Option("--from", metavar="MODEL")] = None,
    seed: int = 0,
    device: annotated(Plan, "device") = "auto",  # type: ignore[valid-type]
    precision: annotated(Plan, "precision") = "auto",  # type: ignore[valid-type]
    recipe: Annotated[
        str, typer.Option(help=_RECIPE_HELP, autocompletion=completion(CHOICES))
    ] = "default",
    budget: int = DEFAULT_BUDGET,
    out: Path = Path("mechanism"),
    html: Path | None = None,
    **options: Any,
) -> None:
    """Show what the answers of a trained model depend on.

    Args:
        kept: A kept model, in place of one to train.
        seed: Of the weights and the examples.
        budget: Most training steps.
        out: A folder for the pictures and mechanism.json.
        html: Write what was found as one page too, with a wrong answer.
    """
    of_training = [name for name in context.params if name not in ("kept", "out", "html")]
    if kept is not None and (given := written(context, of_training)):
        raise InvalidInput(f"give --from or how to train a model ({flags(given)}), not both")
    asked = CellRequest(**options)
    _refuse_external(asked.model)
    from arith.verify.model.kept import KeptModel, read_kept
    from arith.verify.plan import premise
    from arith.verify.plan.inputs import held_out_count
    from arith.verify.records.files import check_writable, write
    from arith.verify.training.device import pick_device, precision_name

    check_writable(out / "mechanism.json")
    if html is not None:
        check_writable(html)
    if kept is not None:
        model: KeptModel | Plan = read_kept(kept)
    else:
        device = pick_device(device)
        precision = precision_name(device, precision)
        how = {"budget": budget, "device": device, "precision": precision}
        model = Plan([asked.cell()], seed, **how, recipe=find_recipe(recipe))

    from arith.verify import inspection
    from arith.verify.reporting.sections.inside import mechanism_rows

    trained = inspection.trained(model) if isinstance(model, Plan) else inspection.kept(model)
    mechanism = inspection.inspect(trained)
    print_text(f"{trained.cell.label()}, seed {trained.seed}", bold=True)
    print_text(f"in domain {premise.written(trained.premise)} after {trained.steps} steps")
    print_table(("at", "what", "value"), mechanism_rows(mechanism.to_json()))
    for picture in inspection.write_inspection(trained, mechanism, out):
        print(f"wrote {picture}")
    if html is not None:
        from arith.verify.inspection_page import inspection_html

        write(html, inspection_html(trained, mechanism))
        print(f"wrote {html}")
    cell = trained.cell
    inputs = premise.independent(cell.setting.task, held_out_count(cell))
    raise typer.Exit(0 if premise.is_met(trained.premise, inputs) else 3)
