"""The verdicts as JUnit XML, for programs that show tests."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from arith.theory.display.markdown import one_line
from arith.theory.display.text import claim_text, digits_text
from arith.verify.judging.judge import CellVerdict, Verdict
from arith.verify.reporting.tables import interval_text


def junit(verdicts: Sequence[CellVerdict]) -> str:
    """The verdicts as JUnit XML: a case per length, failed where it diverges."""
    suite = ET.Element("testsuite", name="arith verify")
    for v in verdicts:
        for x in v.lengths:
            name = digits_text(x.digits)
            case = ET.SubElement(suite, "testcase", classname=one_line(v.name), name=name)
            if x.verdict == Verdict.DIVERGE:
                predicted = claim_text(x.prediction)
                message = f"predicted {predicted}, measured {interval_text(x.accuracy)}"
                ET.SubElement(case, "failure", message=one_line(message))
            elif x.verdict not in (Verdict.AGREE, Verdict.PREMISE):
                is_untested = x.verdict == Verdict.INCONCLUSIVE
                why = f"{x.verdict}: {v.reason}" if is_untested else x.verdict
                ET.SubElement(case, "skipped", message=one_line(why))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
