"""What tests of models share: some that are trained once, and how much others are asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from builders.cells import cell

from arith.verify.plan import inputs

if TYPE_CHECKING:
    from builders.tiny_models import Taught


@pytest.fixture(scope="session")
def tiny() -> Taught:
    """Sums mod 4 in base 4, trained on two digits: all but the first are ignored."""
    # Imported late: most tests do without torch.
    from builders.tiny_models import taught

    return taught(cell("mod_add", 4, base=4, test_lengths=(2, 3)), steps=120)


@pytest.fixture
def few_inputs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Models are asked a hundred inputs of each length; those that are remembered are forgotten."""
    inputs.inputs.cache_clear()
    monkeypatch.setattr(inputs, "SAMPLES", 100)
    yield
    inputs.inputs.cache_clear()
