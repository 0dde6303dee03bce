"""Verdicts as JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from arith.verify.judging.judge import judge_evidence
from arith.verify.plan.grids import grid
from arith.verify.reporting.exports import junit


def test_junit_names_every_length() -> None:
    verdicts = judge_evidence(grid("smoke"), [])
    xml = junit(verdicts)
    assert xml.count("<testcase") == sum(len(v.lengths) for v in verdicts)
    assert 'failures="0"' in xml


def test_cases_have_names_of_their_own_and_reasons_that_are_theirs() -> None:
    for name in ("full", "natural"):
        suite = ET.fromstring(junit(judge_evidence(grid(name), [])))
        cases = [(x.get("classname"), x.get("name")) for x in suite]
        assert len(cases) == len(set(cases))
        for x in suite.iter("skipped"):
            assert x.get("message") in ("undetermined", "inconclusive: not trained")
