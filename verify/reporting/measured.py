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
    asked = setting.fields_without("test_lengths")
    alike = [x for x in found if x.cell.setting.fields_without("test_lengths") == asked]
    return of_runs(alike, setting)


def of_runs(runs: Sequence[Run], setting: Setting) -> list[Measured]:
    """The models of some runs, named by what sets them apart from a setting's usual ones."""
    precise = len({run.precision for run in runs}) > 1
    ordered = sorted(runs, key=lambda run: (_unusual(run, setting), run.seed, run.precision))
    names = ([f"seed {x.seed}", *_unusual(x, setting), *[x.precision] * precise] for x in ordered)
    return [named(", ".join(name), run) for name, run in zip(names, ordered, strict=True)]


def named(name: str, run: Run) -> Measured:
    """A model under a name."""
    right = {m.digits: interval(m) for m in run.measurements}
    ends = {digits: (x.value, x.low, x.high) for digits, x in right.items()}
    return Measured(name, run.converged, ends)


def _unusual(run: Run, asked: Setting) -> tuple[str, ...]:
    """What sets a model apart: size, recipe and padding, where they are not the usual ones."""
    s, made = run.cell.setting, BY_VERSION.get(run.recipe)
    said = {
        run.cell.model: run.cell.model == default_model(s.task),
        f"recipe {made.name if made else run.recipe}": run.recipe == run.cell.recipe.version,
        f"padded to {s.digits} digits": s.natural or s.digits == asked.digits,
    }
    return tuple(text for text, is_usual in said.items() if not is_usual)
