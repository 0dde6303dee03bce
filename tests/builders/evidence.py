"""The committed evidence, read and judged once in a process."""

from __future__ import annotations

from functools import cache

from arith.verify import pipeline
from arith.verify.records.evidence import read_evidence
from arith.verify.records.runs import Run
from arith.verify.reporting.report import Report
from builders.paths import REPORTS

_judge = pipeline.judge


@cache
def judged(name: str) -> Report:
    """The report of a grid on its committed evidence."""
    return _judge(name, REPORTS)


@cache
def committed_runs(name: str) -> tuple[Run, ...]:
    """The runs in the committed evidence of a grid, of whatever recipe."""
    return tuple(read_evidence(REPORTS / name / "evidence.jsonl"))
