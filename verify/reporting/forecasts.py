"""The table that forecasts rest on: ``python -m arith.verify.reporting.forecasts`` writes it anew.

It has what theory says of each cell of the committed evidence and of each of its untrained lengths,
and what each converged model got right there.  With ``--score`` nothing is written; how forecasts
do where nothing is claimed is printed, without the cell itself, its encoding, and its base.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean

from arith.theory.generalization.forecast import (
    OF_LENGTH,
    OF_SETTING,
    TABLE,
    Feature,
    forecast,
    length_features,
    setting_features,
    written,
)
from arith.theory.generalization.outcomes import Claim
from arith.verify.plan.folders import COMMITTED
from arith.verify.records.runs import Run
from arith.verify.reporting.exports import committed

HELD_OUT = ("cell", "encoding", "base")
"""What of a model's own is left out of the table, to see how forecasts do without it."""


def table(runs: Iterable[Run]) -> str:
    """The text of the table, sorted by cell, model and length."""
    by_cell: dict[str, list[Run]] = {}
    for run in sorted((run for run in runs if run.converged), key=lambda run: run.identity):
        by_cell.setdefault(run.cell.key, []).append(run)
    blocks = sorted(((some[0].cell.label(), key), some) for key, some in by_cell.items())
    lines = (line for _, some in blocks for line in _lines(some))
    return "".join("\t".join(line) + "\n" for line in lines)


def _lines(runs: list[Run]) -> Iterator[list[str]]:
    """The lines on the models of a cell."""
    cell, prediction = runs[0].cell, runs[0].cell.prediction
    yield [cell.label(), *_texts(OF_SETTING, setting_features(cell.setting))]
    for x in prediction.lengths:
        measured = [m for run in runs for m in run.measurements if m.digits == x.digits]
        if measured and not cell.setting.is_premise(x.digits):
            found = length_features(cell.setting, prediction.derivation, x)
            right = " ".join(written(m.correct / m.samples) for m in measured)
            yield ["", str(x.digits), *_texts(OF_LENGTH, found), right]


def _texts(names: Iterable[str], found: Mapping[str, Feature]) -> Iterator[str]:
    return (written(found[name]) for name in names)


def scores(runs: Iterable[Run]) -> dict[str, tuple[float, float]]:
    """The mean absolute error of forecasts, and the share of models within their intervals.

    Where nothing is claimed, by what is held out (``HELD_OUT``).
    """
    found: dict[str, list[tuple[float, bool]]] = {name: [] for name in HELD_OUT}
    for run in (run for run in runs if run.converged):
        s, prediction = run.cell.setting, run.cell.prediction
        silent = [x for x in prediction.lengths if x.claim == Claim.NONE]
        values = {"cell": run.cell.label()} | setting_features(s)
        for name in HELD_OUT:
            without = name, written(values[name])
            told = forecast(s, prediction.derivation, silent, without)
            for m in run.measurements:
                if x := told.get(m.digits):
                    right = m.correct / m.samples
                    found[name].append((abs(x.median - right), x.low <= right <= x.high))
    each = {name: list(zip(*pairs, strict=True)) for name, pairs in found.items()}
    return {name: (fmean(errors), fmean(within)) for name, (errors, within) in each.items()}


def main() -> None:
    """Write the table, or print how forecasts do."""
    runs, _ = committed(COMMITTED)
    if "--score" in sys.argv:
        for name, (error, within) in scores(runs).items():
            print(f"without its {name}: error {error:.3f}, within the interval {within:.0%}")
        return
    TABLE.write_text(table(runs), "utf-8")
    print(f"wrote {TABLE.name}")


if __name__ == "__main__":
    main()
