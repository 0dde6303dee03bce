"""The store: measurements in SQLite, written as each training run ends; and evidence as text.

A run is one model: a cell, a seed and the recipe it was trained with.  Its row holds the
premise, the steps and one measurement per test length.  The evidence is the same, one line
of JSON per measurement, sorted, to be committed beside a report.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theory.tasks import InvalidInput
from verify.cells import Cell
from verify.measure import Measurement
from verify.trajectory import Trajectory

_APPLICATION = 0x61726974  # "arit"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
    cell TEXT NOT NULL, seed INTEGER NOT NULL, recipe TEXT NOT NULL, budget INTEGER NOT NULL,
    data TEXT NOT NULL, PRIMARY KEY (cell, seed, recipe)
)
"""


@dataclass(frozen=True)
class Run:
    """One trained model and what was measured of it.

    Args:
        recipe: version of the recipe it was trained with.
        premise: held-out accuracy in domain.
        steps: optimizer steps taken.
        budget: the most steps it was allowed.
        seconds: wall time of training.
        machine: processor or accelerator, and the versions of Python and torch.
        trajectory: what it answered along training, where that was recorded.
    """

    cell: Cell
    seed: int
    recipe: str
    premise: float
    steps: int
    budget: int
    seconds: float
    machine: str
    measurements: tuple[Measurement, ...]
    trajectory: Trajectory | None = None

    @property
    def identity(self) -> tuple[str, int, str]:
        """What two measurements of the same thing share."""
        return self.cell.key, self.seed, self.recipe

    @property
    def settled(self) -> bool:
        """Whether training ended by itself, and not because the budget was spent."""
        return self.steps < self.budget

    def _head(self) -> dict[str, Any]:
        return {
            "cell": self.cell.to_json(),
            "seed": self.seed,
            "recipe": self.recipe,
            "premise": round(self.premise, 6),
            "steps": self.steps,
            "budget": self.budget,
            "seconds": round(self.seconds, 1),
            "machine": self.machine,
        }

    def to_json(self) -> dict[str, Any]:
        """The run as plain values."""
        data = {**self._head(), "measurements": [m.to_json() for m in self.measurements]}
        if self.trajectory is not None:
            data["trajectory"] = self.trajectory.to_json()
        return data

    def lines(self) -> list[str]:
        """One line of JSON per measurement."""
        head = self._head()
        return [json.dumps({**head, "measurement": m.to_json()}) for m in self.measurements]

    def trajectory_line(self) -> str | None:
        """The trajectory as one line of JSON, where it was recorded."""
        if self.trajectory is None:
            return None
        names = ("cell", "seed", "recipe")
        head = {k: v for k, v in self._head().items() if k in names}
        return json.dumps({**head, "trajectory": self.trajectory.to_json()})

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Run:
        """The run that ``to_json`` wrote."""
        fields = {**data, "cell": Cell.from_json(data["cell"])}
        fields["measurements"] = tuple(Measurement.from_json(m) for m in data["measurements"])
        if "trajectory" in data:
            fields["trajectory"] = Trajectory.from_json(data["trajectory"])
        return cls(**fields)


class Store:
    """Measurements on disk, safe against interruption.

    Raises:
        InvalidInput: the file is no store of ours, is damaged, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30)
            self._check()
        except FileExistsError:
            raise InvalidInput(f"cannot use the store {path}: its folder is a file") from None
        except OSError as error:
            raise InvalidInput(f"cannot use the store {path}: {error.strerror}") from None
        except sqlite3.Error as error:
            raise InvalidInput(f"cannot use the store {path}: {error}") from None

    def _check(self) -> None:
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        if tables and application != _APPLICATION:
            raise sqlite3.DatabaseError("it is a database of another program")
        if self._db.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("it is damaged")
        with self._db:
            self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._db.execute(_SCHEMA)

    def find(self, cell: Cell, seed: int, recipe: str) -> Run | None:
        """The run of a cell with a seed, if it was made."""
        row = self._db.execute(
            "SELECT data FROM run WHERE cell = ? AND seed = ? AND recipe = ?",
            (cell.key, seed, recipe),
        ).fetchone()
        return None if row is None else self._read(row[0])

    def add(self, run: Run) -> None:
        """Write a run; it is on disk when this returns."""
        cell, seed, recipe = run.identity
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?)",
                (cell, seed, recipe, run.budget, json.dumps(run.to_json())),
            )

    def runs(self) -> list[Run]:
        """Every run in the store."""
        return [self._read(row[0]) for row in self._db.execute("SELECT data FROM run")]

    def _read(self, text: str) -> Run:
        try:
            return Run.from_json(json.loads(text))
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"the store {self.path} holds a run that cannot be read: {error}"
            ) from None

    def close(self) -> None:
        """Release the file."""
        self._db.close()


def read_evidence(path: Path) -> list[Run]:
    """The runs of an evidence file, measurements of one model put together.

    Trajectories are read from ``trajectories.jsonl`` beside it, where there is one.

    Raises:
        InvalidInput: a file is missing or a line cannot be read.
    """
    heads: dict[tuple[str, int, str], dict[str, Any]] = {}
    for data in _read_lines(path, "measurement"):
        measurement = data.pop("measurement")
        head = heads.setdefault(_identity(data), {**data, "measurements": []})
        head["measurements"].append(measurement)
    beside = trajectories_of(path)
    for data in _read_lines(beside, "trajectory") if beside.exists() else []:
        if _identity(data) in heads:
            heads[_identity(data)]["trajectory"] = data["trajectory"]
    try:
        return [Run.from_json(h) for h in heads.values()]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} holds a run that cannot be read: {error}") from None


def trajectories_of(evidence: Path) -> Path:
    """The file of trajectories beside an evidence file."""
    return evidence.with_name("trajectories.jsonl")


def _read_lines(path: Path, wanted: str) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise InvalidInput(f"cannot read the evidence {path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            _identity(data)
            data[wanted]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(f"{path}, line {number} is no measurement: {error}") from None
        yield data


def _identity(data: dict[str, Any]) -> tuple[str, int, str]:
    return Cell.from_json(data["cell"]).key, data["seed"], data["recipe"]


def write_evidence(path: Path, runs: Iterable[Run]) -> None:
    """Write runs as evidence: one line per measurement, sorted, and their trajectories beside it.

    Raises:
        InvalidInput: a file cannot be written.
    """
    ordered = sorted(runs, key=lambda r: r.identity)
    _write_lines(path, [line for run in ordered for line in run.lines()])
    curves = [line for run in ordered if (line := run.trajectory_line()) is not None]
    if curves:
        _write_lines(trajectories_of(path), curves)


def _write_lines(path: Path, lines: list[str]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines))
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from None


def merge(old: Iterable[Run], new: Iterable[Run]) -> list[Run]:
    """All runs; of two of one model the one with the larger budget, or else the newer one."""
    merged = {run.identity: run for run in old}
    for run in new:
        before = merged.get(run.identity)
        if before is None or run.budget >= before.budget:
            merged[run.identity] = run
    return list(merged.values())
