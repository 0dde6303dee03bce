"""What every test process has: one thread, training in float32, and the headline's verdicts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from builders.paths import REPORTS

if TYPE_CHECKING:
    from arith.verify.judging.judge import CellVerdict

# Several processes share the machine's cores.
os.environ["OMP_NUM_THREADS"] = "1"


@pytest.fixture(autouse=True)
def precision(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that train, and what they start, do not depend on the processor's types."""
    if request.node.get_closest_marker("training"):
        monkeypatch.setenv("ARITH_PRECISION", "float32")


@pytest.fixture(scope="session")
def headline() -> list[CellVerdict]:
    """The verdicts on the committed evidence of the headline grid."""
    # Imported late: few tests need them.
    from arith.verify.pipeline import judge

    return list(judge("headline", REPORTS).verdicts)
