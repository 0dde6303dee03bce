"""Verdicts as JUnit XML."""

from __future__ import annotations

from verify.judging.judge import judge_evidence
from verify.plan.grids import grid
from verify.reporting.junit import junit


def test_junit_names_every_length() -> None:
    verdicts = judge_evidence(grid("smoke"), [])
    xml = junit(verdicts)
    assert xml.count("<testcase") == sum(len(v.lengths) for v in verdicts)
    assert 'failures="0"' in xml
