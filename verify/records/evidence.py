"""Evidence: measurements to be committed beside a report, as sorted lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from theory.errors import InvalidInput
from verify.plan.cells import Cell
from verify.records.files import write
from verify.records.predicted import Predicted
from verify.records.reading import (
    check,
    check_names,
    read_cell,
    read_head,
    read_measurement,
    read_trajectory,
)
from verify.records.runs import Run

PREDICTIONS, TRAJECTORIES = "predictions.jsonl", "trajectories.jsonl"
"""The files beside an evidence file: what was predicted before, and what was seen in training."""


def read_evidence(path: Path) -> list[Run]:
    """The runs of an evidence file, measurements of one model put together.

    Trajectories are read from ``trajectories.jsonl`` beside it, and what was predicted before from
    ``predictions.jsonl``, where these are.

    Raises:
        InvalidInput: a file is missing, or a line cannot be read or says what another says.
    """
    heads: dict[Any, dict[str, Any]] = {}
    predictions = _read_predictions(path.with_name(PREDICTIONS))
    for where, data in _read_lines(path):
        try:
            said, made = data.pop("measurement", None), data.pop("predicted", None)
            head = read_head(data)
            head["predicted"] = None if made is None else predictions.get((head["cell"], made))
            check(made is None or head["predicted"], f"no prediction {made} in {PREDICTIONS}")
            measurement = read_measurement(said, head["cell"])
            identity = tuple(head[name] for name in ("cell", "seed", "recipe", "precision"))
            found = heads.setdefault(identity, {**head, "measurements": ()})
            before = found["measurements"]
            if any(m.digits == measurement.digits for m in before):
                raise InvalidInput(f"{measurement.digits} digits are measured twice")
            if head != {k: v for k, v in found.items() if k != "measurements"}:
                raise InvalidInput("it contradicts an earlier line on the same model")
            found["measurements"] = (*before, measurement)
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from None
    beside = path.with_name(TRAJECTORIES)
    for where, data in _read_lines(beside) if beside.exists() else ():
        try:
            _add_trajectory(heads, data)
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from None
    return [Run(**head) for head in heads.values()]


def _read_predictions(path: Path) -> dict[tuple[Cell, str], Predicted]:
    """Predictions by cell and hash."""
    found = {}
    for where, data in _read_lines(path) if path.exists() else ():
        try:
            cell = read_cell(data.pop("cell", None))
            predicted = Predicted.from_json(data)
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from None
        found[cell, predicted.hash] = predicted
    return found


def _add_trajectory(heads: dict[Any, dict[str, Any]], data: dict[str, Any]) -> None:
    """Give a trajectory to its run."""
    check_names(data, {"cell", "seed", "recipe", "trajectory", "precision"})
    cell = read_cell(data["cell"])
    trajectory = read_trajectory(data["trajectory"], cell)
    head = heads.get((cell, data["seed"], data["recipe"], data["precision"]), {})
    if "trajectory" in head:
        raise InvalidInput("a second trajectory of the same model")
    head["trajectory"] = trajectory


def _read_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line with words for where it stands."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidInput(f"cannot read the evidence {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"cannot read the evidence {path}: it is no text") from None
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number}"
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"{where}: it is no JSON") from None
        if not isinstance(data, dict):
            raise InvalidInput(f"{where}: it is no object of JSON")
        yield where, data


def write_evidence(path: Path, runs: Iterable[Run]) -> None:
    """Write runs as evidence: one line per measurement, sorted, with what else is kept.

    Raises:
        InvalidInput, Failed: a file cannot be written; what was there before is still there.
    """
    ordered = sorted(runs, key=lambda r: r.identity)
    write(path, "".join(line + "\n" for run in ordered for line in run.lines()))
    curves = [line for run in ordered if (line := run.trajectory_line()) is not None]
    told = {line: None for run in ordered if (line := run.prediction_line()) is not None}
    for name, lines in ((TRAJECTORIES, curves), (PREDICTIONS, told)):
        if lines:
            write(path.with_name(name), "".join(line + "\n" for line in lines))


def merge(old: Iterable[Run], new: Iterable[Run]) -> list[Run]:
    """All runs; of two of one model the one with the larger budget, or else the newer one."""
    merged = {run.identity: run for run in old}
    for run in new:
        before = merged.get(run.identity)
        if before is None or run.budget >= before.budget:
            merged[run.identity] = run
    return list(merged.values())
