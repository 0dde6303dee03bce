"""The commands that train models, and the one that shows what is to be trained."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arith.commands import options
from arith.commands import training_options as training
from arith.printing import print_table, print_text, print_verdicts, shown, waiting
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request
from arith.verify.plan.folders import Folders, evidence_folder
from arith.verify.plan.grids import grid as cells_of
from arith.verify.plan.grids import recipe_of
from arith.verify.plan.plan import Plan
from arith.verify.plan.recipe import DEFAULT_BUDGET, find_recipe
from arith.verify.plan.rows import Row
from arith.verify.plan.sizes import SIZES

_OF_TRAINING = (
    *("seeds", "first_seed", "jobs", "precision", "recipe", "store", "budget", "junit_xml"),
    *("keep_models", "tensorboard", "dry_run", "cluster"),
)
"""Options that mean nothing to a model from disk."""
_ORDINARY = {"layout": "plain", "padding": "none", "width": 0}
"""How a model from disk is asked: in ordinary text."""


@options.asks_for_setting
def verify(
    asked: Request,
    context: typer.Context,
    grid: Annotated[str | None, training.GridOption] = None,
    model: training.ModelOption = None,
    seeds: Annotated[int, typer.Option(help="Models per cell.")] = 1,
    first_seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    jobs: Annotated[int, typer.Option(help="Models trained at once; 0 is one per core.")] = 0,
    device: training.DeviceOption = "auto",
    precision: training.PrecisionOption = "auto",
    recipe: training.GridRecipeOption = None,
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
    keep_models: training.KeepOption = None,
    tensorboard: training.CurvesOption = None,
    dry_run: training.DryRunOption = False,
    cluster: Annotated[
        str | None,
        typer.Option(help="Train on the workers of a Dask scheduler at this address."),
    ] = None,
    trust_remote_code: Annotated[
        bool, typer.Option(help="Run the code that a model of hf:PATH brings along.")
    ] = False,
) -> None:
    """Train the cells of a grid, or one cell, and judge them."""
    if model is not None and model.startswith(training.EXTERNAL):
        raise typer.Exit(_verify_external(asked, context, grid, model, device, trust_remote_code))
    if trust_remote_code:
        raise InvalidInput(f"--trust-remote-code goes with --model {training.EXTERNAL}PATH")
    given = options.written(context)
    _check_asked(asked, grid, given)
    cells = [Row(**vars(asked), model=model).cell()] if grid is None else cells_of(grid, model)

    from arith.verify import pipeline
    from arith.verify.judging.judge import exit_code
    from arith.verify.records.files import check_writable, write
    from arith.verify.records.store import Store
    from arith.verify.reporting.junit import junit

    how = recipe_of(grid) if recipe is None else find_recipe(recipe)
    folders = Folders(keep_models, tensorboard)
    plan = Plan(cells, first_seed, seeds, budget, jobs, device, precision, how, folders, cluster)
    if dry_run:
        if junit_xml is not None or cluster is not None:
            raise InvalidInput("--dry-run trains nothing: leave out --junit-xml and --cluster")
        _print_estimate(plan, store, grid)
        return
    if junit_xml is not None:
        check_writable(junit_xml)
    with Store(store) as kept:
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


def _check_asked(asked: Request, grid: str | None, given: list[str]) -> None:
    """Refuse a grid with options of one cell, and neither."""
    if grid is not None and given:
        raise InvalidInput(f"give --grid or the options of one cell ({', '.join(given)}), not both")
    if grid is None and asked.task is None and asked.expr is None:
        raise InvalidInput("say what to verify: --grid smoke, --grid headline, or --task NAME")


def _verify_external(
    asked: Request, context: typer.Context, grid: str | None, model: str, device: str, trusted: bool
) -> int:
    """Ask a model from disk, and judge it if it is known how it was trained; the exit code."""
    if given := options.written(context, _OF_TRAINING):
        raise InvalidInput(f"{model} is not trained: leave out {', '.join(given)}")
    from arith.verify import external, external_model
    from arith.verify.judging.judge import exit_code
    from arith.verify.model.kept import EXPORTED, read_kept
    from arith.verify.training.device import pick_device

    path = Path(model.removeprefix(training.EXTERNAL))
    given = options.written(context)
    if external_model.read_config(path).get("model_type") == EXPORTED:
        if grid is not None or given:
            raise InvalidInput(
                f"{path} says how it was trained: leave out {', '.join(given or ['--grid'])}"
            )
        verdict = external.judge_export(read_kept(path), pick_device(device))
        print_verdicts([verdict])
        return exit_code([verdict])
    _check_asked(asked, grid, given)
    for name, ordinary in _ORDINARY.items():
        if options.written(context, (name,)) and getattr(asked, name) != ordinary:
            raise InvalidInput(
                f"{model} is asked in ordinary text, in the plain layout with numbers of natural "
                f"lengths: leave out --{name}"
            )
    is_known = len(options.written(context, ("train_digits", "pe"))) == 2
    if grid is None:
        words = replace(asked, layout="plain", padding="none") if is_known else asked
        cells = [Row(**vars(words)).cell()]
    else:
        cells = cells_of(grid)
    loaded = external_model.load(path, device, trusted)
    for cell in cells:
        s = cell.setting
        answer = partial(loaded.complete, tokens=external.answer_tokens(s))
        if is_known:
            judged = external.judge_answers(answer, s)
            print_text(cell.label(), bold=True)
            print_table(external.JUDGED_COLUMNS, external.judged_table(judged))
            print_text(judged.sentence, bold=True)
            return exit_code([judged.verdict])
        found = [external.evaluate(answer, s, n) for n in s.test_lengths]
        print_text(f"{s.task.text()}, examples of {s.train.text()}", bold=True)
        print_table(external.COLUMNS, external.table(found))
    print_text(
        "Nothing is predicted: --pe and --train-digits say how such a model was trained.",
        bold=True,
    )
    return 0


def show_grid(
    grid: Annotated[str, training.GridOption] = "full",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per cell and line.")
    ] = False,
) -> None:
    """List the cells of a grid with their predictions."""
    from arith.theory.display.text import count
    from arith.theory.prediction.predict import predict
    from arith.verify.reporting.terminal import PREDICTION_COLUMNS, prediction_row

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
    model: training.SizeOption = None,
    seed: Annotated[int, typer.Option(help="Of the weights and the examples.")] = 0,
    device: training.DeviceOption = "auto",
    precision: training.PrecisionOption = "auto",
    recipe: training.RecipeOption = "default",
    budget: Annotated[int, typer.Option(help="Most training steps.")] = DEFAULT_BUDGET,
    out: Annotated[Path, typer.Option(help="A folder for the pictures and mechanism.json.")] = Path(
        "mechanism"
    ),
) -> None:
    """Show what the answers of a trained model depend on."""
    how = [name for name in context.params if name not in ("kept", "out")]
    if kept is not None and (given := options.written(context, how)):
        raise InvalidInput(f"give --from or how to train a model ({', '.join(given)}), not both")
    if model is not None and model.startswith(training.EXTERNAL):
        raise InvalidInput(
            f"--model {model}: only verify takes {training.EXTERNAL}PATH; inspect trains a model "
            f"of a size ({', '.join(SIZES)})"
        )
    from arith.verify import inspection
    from arith.verify.plan import premise
    from arith.verify.plan.inputs import held_out_count
    from arith.verify.records.files import check_writable
    from arith.verify.reporting.sections.inside import mechanism_rows

    check_writable(out / "mechanism.json")
    if kept is not None:
        trained = inspection.kept(kept)
    else:
        cells, by = [Row(**vars(asked), model=model).cell()], find_recipe(recipe)
        plan = Plan(cells, seed, budget=budget, device=device, precision=precision, recipe=by)
        trained = inspection.trained(plan)
    mechanism = inspection.inspect(trained)
    print_text(f"{trained.cell.label()}, seed {trained.seed}", bold=True)
    print_text(f"in domain {premise.written(trained.premise)} after {trained.steps} steps")
    print_table(("at", "what", "value"), mechanism_rows(mechanism.to_json()))
    for picture in inspection.write_inspection(trained, mechanism, out):
        print(f"wrote {picture}")
    cell = trained.cell
    inputs = premise.independent(cell.setting.task, held_out_count(cell))
    raise typer.Exit(0 if premise.is_met(trained.premise, inputs) else 3)
