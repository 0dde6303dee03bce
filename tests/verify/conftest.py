"""What tests of training share: models that are trained once."""

from __future__ import annotations

import pytest
from builders import cell
from models import Taught, taught

from theory.setting.domains import Domain
from theory.setting.tasks import named_task


@pytest.fixture(scope="session")
def tiny() -> Taught:
    """Sums mod 4 in base 4, trained on two digits: the second and third of an operand are ignored."""
    mod_4 = named_task("mod_add", 4)
    return taught(cell(task=mod_4, base=4, train=Domain((2,)), test_lengths=(2, 3)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share models run in one process, which trains them once."""
    for item in items:
        if "tiny" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.training)
            item.add_marker(pytest.mark.xdist_group("tiny"))
