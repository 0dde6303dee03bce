"""The committed evidence, judged once in a process."""

from __future__ import annotations

from functools import cache

from arith.verify import pipeline
from arith.verify.reporting.report import Report
from builders.paths import REPORTS

_judge = pipeline.judge


@cache
def judged(name: str) -> Report:
    """The report of a grid on its committed evidence."""
    return _judge(name, REPORTS)
