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

    return taught(cell("mod_add", 4, base=4, test_lengths=(2, 3)), steps=100)
