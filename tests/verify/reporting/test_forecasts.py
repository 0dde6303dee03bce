"""The table of forecasts is what the committed evidence gives, and forecasts say something."""

from __future__ import annotations

from functools import cache
from statistics import fmean

from builders.evidence import every_run

from arith.theory.prediction.convergence import MISSED, MODELS, Models
from arith.theory.prediction.forecast import FOREST, TABLE, Columns, Forecasts, Measured
from arith.verify.records.runs import Run
from arith.verify.reporting.forecasts import chances, errors, recipe_of, score_lines, table


@cache
def some_runs() -> list[Run]:
    """The models of every 25th cell."""
    keys = set(sorted({run.cell.key for run in every_run()})[::25])
    return [run for run in every_run() if run.cell.key in keys]


def blocks(text: str) -> list[str]:
    """The lines of each cell."""
    return text.replace("\n\t", "\0\t").split("\n")[:-1]


def test_the_table_is_what_the_command_writes() -> None:
    text = TABLE.read_text("utf-8")
    made, kept = blocks(table(some_runs())), blocks(text)
    assert len(made) > 25 and set(made) <= set(kept) and kept == sorted(kept, key=_name)
    names = {run.cell.label() for run in some_runs()}
    assert {_name(x) for x in made} == names & {_name(x) for x in kept}
    assert {*map(_name, kept)} <= {run.cell.label() for run in every_run() if run.converged}
    assert len(text.encode()) < 10**6


def _name(block: str) -> str:
    return block.split("\t")[0]


def test_the_trees_are_grown_on_the_table() -> None:
    measured = Measured.read(TABLE.read_text("utf-8"))
    kept, forest = Forecasts.read(FOREST), Forecasts.read(FOREST).forest
    assert forest.members.shape == (len(forest.roots) * len(measured.of),)
    assert forest.sizes.sum() == len(forest.members)
    assert forest.grown.shape == (len(forest.roots), len(measured.cells))
    assert forest.column.max() < Columns.of(measured.features).number
    assert (kept.cells, kept.of.tolist()) == (measured.cells, measured.of)
    assert sorted(x for some in measured.right for x in some) == kept.values.tolist()
    assert FOREST.stat().st_size < 10**6


def test_forecasts_do_better_than_a_constant_where_theory_is_silent() -> None:
    off, within, of_stable, groups = zip(*errors(some_runs()), strict=True)
    assert 0 < fmean(off) < 0.25 and 0.6 < fmean(within) <= 1
    assert {*of_stable} == {True, False} and "longer, natural" in groups


def test_every_model_of_the_evidence_tells_whether_models_converge() -> None:
    runs, kept = every_run(), Models.read(MODELS)
    ends = sorted(run.steps if run.converged else run.budget + MISSED for run in runs)
    assert kept.values.tolist() == ends
    assert sorted(kept.cells) == sorted({run.cell.key: run.cell.label() for run in runs}.values())
    assert set(kept.recipes) == {recipe_of(run) for run in runs}
    pairs = {(run.cell.key, recipe_of(run)) for run in runs}
    assert len(kept.of) == len(kept.recipe) == len(pairs)
    assert kept.forest.members.shape == (len(kept.forest.roots) * len(pairs),)
    assert MODELS.stat().st_size < 500_000


def test_chances_to_converge_do_better_than_the_share_of_all() -> None:
    """Of every 25th cell, each forecast without itself."""
    found = list(chances(some_runs()))
    share = fmean(converged for _, converged in found)
    brier = fmean((chance - converged) ** 2 for chance, converged in found)
    assert len(found) > 60 and 0 < brier < share * (1 - share)


def test_the_score_is_told_by_tenths() -> None:
    assert list(score_lines([(0.25, False), (0.25, True), (1.0, True), (1.0, True)])) == [
        "convergence of 4 models: Brier score 0.1562, the share 0.1875",
        "  0.2 to 0.3: 2 models, 0.25 forecast, 0.50 converged",
        "  0.9 to 1.0: 2 models, 1.00 forecast, 1.00 converged",
    ]
