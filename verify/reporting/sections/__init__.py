"""The sections of a report: each is a function from a report to blocks, listed in ``SECTIONS``.

There are no blocks where the evidence has nothing for a section.  Otherwise they begin with a
heading and the one sentence that says what was found.
"""

from __future__ import annotations

from collections.abc import Callable

from arith.verify.reporting.blocks import Block
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections import agreement, convergence, robustness
from arith.verify.reporting.sections.inside import inside
from arith.verify.reporting.sections.published_tables import compared_tables

SECTIONS: list[Callable[[Report], list[Block]]] = [
    robustness.what_decides,
    agreement.no_claim,
    agreement.published_wrong,
    convergence.unconverged,
    agreement.theorems_and_rules,
    robustness.indifference,
    robustness.learned_noise,
    robustness.steadiness,
    convergence.during_training,
    agreement.encodings,
    agreement.training_data,
    convergence.how_soon,
    inside,
    compared_tables,
]
"""In their order on the page."""


def sections(report: Report) -> list[Block]:
    """The blocks of all sections."""
    return [block for section in SECTIONS for block in section(report)]
