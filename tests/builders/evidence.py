"""The committed evidence, read and judged once in a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from unittest.mock import patch

from arith.verify import pipeline
from arith.verify.records.evidence import read_evidence
from arith.verify.records.runs import Run
from arith.verify.reporting import exports
from arith.verify.reporting.report import Report
from builders.paths import REPORTS

FROZEN = ("frozen", "frozen-again", "frozen-third")
"""Grids that were drawn after theory and forecasts were fixed."""

_judge = pipeline.judge


@cache
def judged(name: str) -> Report:
    """The report of a grid on its committed evidence."""
    with patch.object(pipeline, "read_evidence", read_once):
        return _judge(name, REPORTS)


@cache
def every_run() -> tuple[Run, ...]:
    """The models of all committed evidence, each once."""
    with patch.object(exports, "read_evidence", read_once):
        return tuple(exports.committed(REPORTS)[0])


@cache
def committed_runs(name: str) -> tuple[Run, ...]:
    """The runs in the committed evidence of a grid, of whatever recipe."""
    return tuple(read_evidence(REPORTS / name / "evidence.jsonl"))


def read_once(path: Path) -> list[Run]:
    """``read_evidence``, for tests that ask for the same committed evidence."""
    is_committed = path.parent.parent == REPORTS
    return list(committed_runs(path.parent.name)) if is_committed else read_evidence(path)
