"""What trained models of one setting got right, for the picture of its prediction; no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arith.theory.setting.settings import Setting
from arith.theory.setting.training import default_model
from arith.theory.text.length_plot import Measured
from arith.verify.judging.standards import interval
from arith.verify.plan.recipe import BY_VERSION
from arith.verify.records.runs import Run
from arith.verify.records.store import Store


def measured(setting: Setting, store: Path) -> list[Measured]:
    """The models of a setting in a store, those of the usual recipe and size first.

    Raises:
        InvalidInput: the file is no store, or is damaged.
        Failed: it cannot be read.
    """
    if not store.exists():
        return []
    with Store(store) as kept:
        found, _ = kept.runs()
    return of_runs([x for x in found if _asked(x.cell.setting) == _asked(setting)], setting)


def of_runs(runs: Sequence[Run], setting: Setting) -> list[Measured]:
    """The models of some runs, named by what sets them apart from a setting's usual ones."""
    precise = len({run.precision for run in runs}) > 1
    return [
        Measured(
            ", ".join([f"seed {run.seed}", *_unusual(run, setting), *[run.precision] * precise]),
            run.converged,
            {m.digits: (x.value, x.low, x.high) for m in run.measurements for x in [interval(m)]},
        )
        for run in sorted(runs, key=lambda run: (_unusual(run, setting), run.seed, run.precision))
    ]


def _asked(setting: Setting) -> dict[str, object]:
    """What a setting asks for, whatever is tested."""
    return {**vars(setting), "test_lengths": None}


def _unusual(run: Run, asked: Setting) -> tuple[str, ...]:
    """What sets a model apart: size, recipe and padding, where they are not the usual ones."""
    s, made = run.cell.setting, BY_VERSION.get(run.recipe)
    said = {
        run.cell.model: run.cell.model == default_model(s.task),
        f"recipe {made.name if made else run.recipe}": run.recipe == run.cell.recipe.version,
        f"padded to {s.digits} digits": s.natural or s.digits == asked.digits,
    }
    return tuple(text for text, is_usual in said.items() if not is_usual)
