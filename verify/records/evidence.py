"""Evidence: measurements to be committed beside a report, as sorted lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from arith.theory.errors import InvalidInput
from arith.verify.plan.cells import Cell
from arith.verify.plan.given import read_bytes, read_text
from arith.verify.records.files import write
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import Predicted
from arith.verify.records.reading import Line, Precision, Seed, check, read, record
from arith.verify.records.runs import Identity, Run, read_model
from arith.verify.records.trajectory import Trajectory

PREDICTIONS, TRAJECTORIES = "predictions.jsonl", "trajectories.jsonl"
"""The files beside an evidence file: what was predicted before, and what was seen in training."""


_MEASURED = record(
    Run, measurements=None, trajectory=None, measurement=Measurement, predicted=Line | None
)
"""A line of evidence: a model with one of its measurements, and the hash of its prediction."""
_STORED_PREDICTION = record(Predicted, cell=Cell)


@dataclass(frozen=True)
class _Followed:
    """A line of trajectories."""

    cell: Cell
    seed: Seed
    recipe: Line
    precision: Precision
    trajectory: Trajectory


def read_evidence(path: Path) -> list[Run]:
    """The runs of an evidence file, measurements of one model put together.

    Trajectories are read from ``trajectories.jsonl`` beside it, and what was predicted before from
    ``predictions.jsonl``, where these are.

    Raises:
        InvalidInput: a file is missing, or a line cannot be read or says what another says.
    """
    # By the keys of cells: to hash a cell itself takes long.
    runs: dict[Identity, Run] = {}
    measured: dict[Identity, dict[int, Measurement]] = {}
    predictions: dict[tuple[str, str], Predicted] = {}

    def add_prediction(line: bytes) -> None:
        found = read(_STORED_PREDICTION, line)
        cell, predicted = found.held("cell"), found.made()
        predicted.check(cell)
        predictions[cell.key, predicted.hash] = predicted

    def add_measurement(line: bytes) -> None:
        values = read_model(_MEASURED, line).values()
        cell, digest = values["cell"], values.pop("predicted")
        stored = None if digest is None else predictions.get((cell.key, digest))
        check(digest is None or stored, f"no prediction {digest} in {PREDICTIONS}")
        measurement = values.pop("measurement")
        run = Run(**values, measurements=(), predicted=stored)
        identity = run.identity
        if run != runs.get(identity):
            run.check()
            check(identity not in runs, "it contradicts an earlier line on the same model")
            runs[identity], measured[identity] = run, {}
        digits, known = measurement.digits, measured[identity]
        check(digits not in known, f"{digits} digits are measured twice")
        measurement.check(cell)
        known[digits] = measurement

    def add_trajectory(line: bytes) -> None:
        found = read(_Followed, line)
        found.trajectory.check(found.cell)
        identity = found.cell.key, found.seed, found.recipe, found.precision
        if identity in runs:
            check(runs[identity].trajectory is None, "a second trajectory of the same model")
            runs[identity] = replace(runs[identity], trajectory=found.trajectory)

    read_lines(path.with_name(PREDICTIONS), add_prediction)
    read_lines(path, add_measurement, is_needed=True)
    read_lines(path.with_name(TRAJECTORIES), add_trajectory)
    return [replace(r, measurements=tuple(measured[i].values())) for i, r in runs.items()]


def read_lines(path: Path, use: Callable[[bytes], None], is_needed: bool = False) -> None:
    """Use each line of a file, if it is there, and say where one is wrong (InvalidInput)."""
    if not (is_needed or path.exists()):
        return
    for number, line in enumerate(BytesIO(read_bytes(path, "the evidence")), 1):
        try:
            use(line)
        except InvalidInput as error:
            raise InvalidInput(f"{path}, line {number}: {error}") from None


def write_evidence(path: Path, runs: Iterable[Run]) -> None:
    """Write runs as evidence: one line per measurement, sorted, with what else is kept.

    If it is interrupted, what is there can be read: predictions that evidence does not name are no
    fault, and those that it names are written before, and taken away after it.  Those of cells that
    are not trained yet stay.

    Raises:
        InvalidInput, Failed: a file cannot be written; what was there before is still there.
    """
    measured: list[str] = []
    followed: list[str] = []
    trained = set[str]()
    stored: dict[str, None] = {}  # each once: models of one cell share a prediction
    for run in sorted(runs, key=lambda r: r.identity):
        head = run.to_json()
        measurements = head.pop("measurements")
        trajectory, predicted = head.pop("trajectory", None), head.pop("predicted", None)
        if trajectory:
            whose = {name: head[name] for name in ("cell", "seed", "recipe", "precision")}
            followed.append(json.dumps({**whose, "trajectory": trajectory}))
        if predicted:
            stored[json.dumps({"cell": head["cell"], **predicted})] = None
            head["predicted"] = predicted["hash"]
        trained.add(json.dumps(head["cell"]))
        model = json.dumps(head)[:-1]
        measured += [f'{model}, "measurement": {json.dumps(m)}}}' for m in measurements]
    predictions = path.with_name(PREDICTIONS)
    before = read_text(predictions, "the evidence").splitlines() if predictions.exists() else []
    both = dict.fromkeys([*stored, *before])
    kept = [x for x in both if x in stored or json.dumps(json.loads(x)["cell"]) not in trained]
    files = ((PREDICTIONS, both), (TRAJECTORIES, followed), (path.name, measured))
    for file, lines in (*files, (PREDICTIONS, kept)) if len(both) > len(kept) else files:
        if lines or file == path.name:
            write(path.with_name(file), "".join(line + "\n" for line in lines))
