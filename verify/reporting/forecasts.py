"""The table that forecasts rest on: ``python -m arith.verify.reporting.forecasts`` writes it anew.

It has what theory says of each cell of the committed evidence and of each of its untrained lengths,
and what each converged model got right there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from arith.theory.generalization.forecast import (
    OF_LENGTH,
    OF_SETTING,
    TABLE,
    Feature,
    length_features,
    setting_features,
)
from arith.verify.plan.folders import COMMITTED
from arith.verify.records.runs import Run
from arith.verify.reporting.exports import committed


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
            right = " ".join(f"{m.correct / m.samples:.4g}" for m in measured)
            yield ["", str(x.digits), *_texts(OF_LENGTH, found), right]


def _texts(names: Iterable[str], found: Mapping[str, Feature]) -> Iterator[str]:
    values = (found[name] for name in names)
    return (x if isinstance(x, str) else f"{x:.4g}" for x in values)


if __name__ == "__main__":
    TABLE.write_text(table(committed(COMMITTED)[0]), "utf-8")
    print(f"wrote {TABLE.name}")
