"""The table of evidence that forecasts rest on: ``python -m arith.verify.reporting.forecasts``.

A row for each untrained length of each cell, with what theory says of it and what each converged
model of the committed evidence got right.  The command writes it anew.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from arith.theory.generalization import forecast
from arith.theory.generalization.forecast import WEIGHTS, length_features, setting_features
from arith.verify.plan.folders import COMMITTED
from arith.verify.records.runs import Run
from arith.verify.reporting.exports import committed

COLUMNS = ("cell", "digits", *WEIGHTS, "right")


def rows(runs: Iterable[Run]) -> Iterator[dict[str, str]]:
    """The rows of the table, by cell and length; ``right`` has the share of each model."""
    by_cell: dict[str, list[Run]] = {}
    for run in sorted(filter(lambda run: run.converged, runs), key=lambda run: run.identity):
        by_cell.setdefault(run.cell.key, []).append(run)
    for some in sorted(by_cell.values(), key=lambda some: (some[0].cell.label(), some[0].cell.key)):
        cell = some[0].cell
        of_setting = setting_features(cell.setting)
        for x in cell.prediction.lengths:
            right = [
                f"{m.correct / m.samples:.4g}"
                for run in some
                for m in run.measurements
                if m.digits == x.digits
            ]
            if cell.setting.is_premise(x.digits) or not right:
                continue
            found = of_setting | length_features(cell.setting, cell.prediction.derivation, x)
            texts = {n: v if isinstance(v, str) else f"{v:.4g}" for n, v in found.items()}
            row = {"cell": cell.label(), "digits": str(x.digits), "right": " ".join(right)}
            yield {name: (row | texts)[name] for name in COLUMNS}


def table(found: Iterable[dict[str, str]]) -> str:
    """Rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


if __name__ == "__main__":
    path = Path(str(files(forecast.__package__).joinpath(forecast.TABLE)))
    path.write_text(table(rows(committed(COMMITTED)[0])), "utf-8")
    print(f"wrote {path.name}")
