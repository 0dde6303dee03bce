"""Evidence: measurements to be committed beside a report, as sorted lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from theory.errors import InvalidInput
from verify.records.files import write
from verify.records.reading import (
    check_names,
    read_cell,
    read_head,
    read_measurement,
    read_trajectory,
)
from verify.records.runs import Run


def read_evidence(path: Path) -> list[Run]:
    """The runs of an evidence file, measurements of one model put together.

    Trajectories are read from ``trajectories.jsonl`` beside it, where there is one.

    Raises:
        InvalidInput: a file is missing, or a line cannot be read or says what another says.
    """
    heads: dict[Any, dict[str, Any]] = {}
    for where, data in _read_lines(path):
        try:
            said = data.pop("measurement", None)
            head = read_head(data)
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
    beside = trajectories_of(path)
    for where, data in _read_lines(beside) if beside.exists() else ():
        try:
            _add_trajectory(heads, data)
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from None
    return [Run(**head) for head in heads.values()]


def _add_trajectory(heads: dict[Any, dict[str, Any]], data: dict[str, Any]) -> None:
    """Give a trajectory to its run."""
    check_names(data, {"cell", "seed", "recipe", "trajectory", "precision"})
    cell = read_cell(data["cell"])
    trajectory = read_trajectory(data["trajectory"], cell)
    head = heads.get((cell, data["seed"], data["recipe"], data["precision"]), {})
    if "trajectory" in head:
        raise InvalidInput("a second trajectory of the same model")
    head["trajectory"] = trajectory


def trajectories_of(evidence: Path) -> Path:
    """The file of trajectories beside an evidence file."""
    return evidence.with_name("trajectories.jsonl")


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
    """Write runs as evidence: one line per measurement, sorted, and their trajectories beside it.

    Raises:
        InvalidInput, Failed: a file cannot be written; what was there before is still there.
    """
    ordered = sorted(runs, key=lambda r: r.identity)
    write(path, "".join(line + "\n" for run in ordered for line in run.lines()))
    curves = [line for run in ordered if (line := run.trajectory_line()) is not None]
    if curves:
        write(trajectories_of(path), "".join(line + "\n" for line in curves))


def merge(old: Iterable[Run], new: Iterable[Run]) -> list[Run]:
    """All runs; of two of one model the one with the larger budget, or else the newer one."""
    merged = {run.identity: run for run in old}
    for run in new:
        before = merged.get(run.identity)
        if before is None or run.budget >= before.budget:
            merged[run.identity] = run
    return list(merged.values())
