"""What tests of training share: models that are trained once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from builders.cells import cell

if TYPE_CHECKING:
    from builders.tiny_models import Taught


@pytest.fixture(scope="session")
def tiny() -> Taught:
    """Sums mod 4 in base 4, trained on two digits: all but the first are ignored."""
    # Imported late: most tests do without torch.
    from builders.tiny_models import taught

    return taught(cell("mod_add", 4, base=4, test_lengths=(2, 3)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share models run in one process, which trains them once."""
    for item in items:
        if "tiny" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.training)
            item.add_marker(pytest.mark.xdist_group("tiny"))
