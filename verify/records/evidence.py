"""Evidence: measurements to be committed beside a report, as sorted lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from arith.theory.errors import InvalidInput
from arith.verify.plan.cells import Cell
from arith.verify.records.files import write
from arith.verify.records.predicted import Predicted
from arith.verify.records.reading import (
    check,
    check_fields,
    read_cell,
    read_head,
    read_measurement,
    read_trajectory,
)
from arith.verify.records.runs import Run

PREDICTIONS, TRAJECTORIES = "predictions.jsonl", "trajectories.jsonl"
"""The files beside an evidence file: what was predicted before, and what was seen in training."""


def read_evidence(path: Path) -> list[Run]:
    """The runs of an evidence file, measurements of one model put together.

    Trajectories are read from ``trajectories.jsonl`` beside it, and what was predicted before from
    ``predictions.jsonl``, where these are.

    Raises:
        InvalidInput: a file is missing, or a line cannot be read or says what another says.
    """
    runs: dict[Any, Run] = {}
    predictions: dict[tuple[Cell, str], Predicted] = {}

    def add_prediction(data: dict[str, Any]) -> None:
        cell = read_cell(data.pop("cell", None))
        predicted = Predicted.from_json(data)
        predictions[cell, predicted.hash] = predicted

    def add_measurement(data: dict[str, Any]) -> None:
        head = read_head(data, {"measurement", "predicted"})
        cell, made = head["cell"], data.get("predicted")
        check(made is None or isinstance(made, str), "predicted must be a hash, or left out")
        told = None if made is None else predictions.get((cell, made))
        check(made is None or told, f"no prediction {made} in {PREDICTIONS}")
        measurement = read_measurement(data.get("measurement"), cell)
        run = Run(**head, measurements=(), predicted=told)
        identity = cell, run.seed, run.recipe, run.precision
        before = runs.get(identity, run)
        known = before.measurements
        fresh = all(m.digits != measurement.digits for m in known)
        check(fresh, f"{measurement.digits} digits are measured twice")
        same = replace(run, measurements=known) == before
        check(same, "it contradicts an earlier line on the same model")
        runs[identity] = replace(run, measurements=(*known, measurement))

    def add_trajectory(data: dict[str, Any]) -> None:
        check_fields(data, {"cell", "seed", "recipe", "trajectory", "precision"})
        cell = read_cell(data["cell"])
        trajectory = read_trajectory(data["trajectory"], cell)
        names = [data[name] for name in ("seed", "recipe", "precision")]
        check(all(isinstance(x, int | str) for x in names), "seed, recipe or precision is wrong")
        identity = cell, *names
        if identity in runs:
            check(runs[identity].trajectory is None, "a second trajectory of the same model")
            runs[identity] = replace(runs[identity], trajectory=trajectory)

    if path.with_name(PREDICTIONS).exists():
        _read_lines(path.with_name(PREDICTIONS), add_prediction)
    _read_lines(path, add_measurement)
    if path.with_name(TRAJECTORIES).exists():
        _read_lines(path.with_name(TRAJECTORIES), add_trajectory)
    return list(runs.values())


def _read_lines(path: Path, use: Callable[[dict[str, Any]], None]) -> None:
    """Use the object of each line, and say where it is that one cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidInput(f"cannot read the evidence {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"cannot read the evidence {path}: it is no text") from None
    for number, line in enumerate(lines, 1):
        try:
            data = _parsed(line)
            check(isinstance(data, dict), "it is no object of JSON")
            use(data)
        except InvalidInput as error:
            raise InvalidInput(f"{path}, line {number}: {error}") from None


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("it is no JSON") from None


def write_evidence(path: Path, runs: Iterable[Run]) -> None:
    """Write runs as evidence: one line per measurement, sorted, with what else is kept.

    If it is interrupted, what is there can be read: predictions that evidence does not name are no
    fault, and those that it names are written before, and taken away after it.

    Raises:
        InvalidInput, Failed: a file cannot be written; what was there before is still there.
    """
    measured: list[str] = []
    followed: list[str] = []
    told: dict[str, None] = {}  # each once: models of one cell share a prediction
    for run in sorted(runs, key=lambda r: r.identity):
        head = run.to_json()
        measurements = head.pop("measurements")
        trajectory, predicted = head.pop("trajectory", None), head.pop("predicted", None)
        if trajectory:
            model = {name: head[name] for name in ("cell", "seed", "recipe", "precision")}
            followed.append(json.dumps({**model, "trajectory": trajectory}))
        if predicted:
            told[json.dumps({"cell": head["cell"], **predicted})] = None
            head["predicted"] = predicted["hash"]
        measured += [json.dumps({**head, "measurement": m}) for m in measurements]
    predictions = path.with_name(PREDICTIONS)
    before = predictions.read_text(encoding="utf-8").splitlines() if predictions.exists() else []
    both = dict.fromkeys([*told, *before])
    files = ((PREDICTIONS, both), (TRAJECTORIES, followed), (path.name, measured))
    for file, lines in (*files, (PREDICTIONS, told)) if len(both) > len(told) else files:
        if lines or file == path.name:
            write(path.with_name(file), "".join(line + "\n" for line in lines))
