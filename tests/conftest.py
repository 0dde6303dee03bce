"""What every test process has: one thread, training in float32, and the same random examples.

With ``ARITH_EXAMPLES`` set, random tests draw that many examples anew (``make soak``).
"""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from arith.verify.judging.judge import CellVerdict

# Several processes share the machine's cores.
os.environ["OMP_NUM_THREADS"] = "1"

# What is imported and collected stays: to look through it for garbage takes a tenth of all time.
gc.disable()

settings.register_profile(
    "arith",
    derandomize="ARITH_EXAMPLES" not in os.environ,
    max_examples=int(os.environ.get("ARITH_EXAMPLES", "25")),
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("arith")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rooms that take long go first, so that none is left at the end."""
    for item in items:
        if "tiny" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.training)
        if getattr(getattr(item, "function", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.soak)
    long = {
        room(item.nodeid)
        for item in items
        if item.get_closest_marker("training") or item.get_closest_marker("long")
    }
    items.sort(key=lambda item: room(item.nodeid) not in long)


def room(nodeid: str) -> str:
    """The folder of a test below ``theory`` or ``verify``; a file that is in none of them."""
    return "/".join(nodeid.split("::")[0].split("/")[1:3])


class RoomScheduling(LoadScopeScheduling):
    """A room runs in one process.

    What its tests share is made once: judged evidence, trained models, counts, imports.
    """

    def _split_scope(self, nodeid: str) -> str:
        return room(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> RoomScheduling:
    """Asked for by ``-n``; groups of xdist have no effect under pytest 9.2."""
    return RoomScheduling(config, log)


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later search for garbage, and search seldom."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Search for garbage once: pytest does so twice, and Python again as it ends."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def precision(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that train, and what they start, do not depend on the processor's types."""
    if request.node.get_closest_marker("training"):
        monkeypatch.setenv("ARITH_PRECISION", "float32")


@pytest.fixture(scope="session")
def headline() -> list[CellVerdict]:
    """The verdicts on the committed evidence of the headline grid."""
    # Imported late: few tests need them.
    from builders.evidence import judged

    return list(judged("headline").verdicts)
