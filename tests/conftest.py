"""What every test process has: one thread, and training in float32 whatever the processor has."""

from __future__ import annotations

import os

import pytest

# Several processes share the machine's cores.
os.environ["OMP_NUM_THREADS"] = "1"


@pytest.fixture(autouse=True)
def precision(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that train, and the processes that they start, do not depend on the processor's types."""
    if request.node.get_closest_marker("training"):
        monkeypatch.setenv("ARITH_PRECISION", "float32")
