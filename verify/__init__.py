"""What does happen: models, training, measurement, and the comparison with the theory.

The package can be called: ``arith.verify("add")`` trains and judges, as ``arith.judging.verify``
does.  So one name serves for both, in ``from arith import verify`` and in ``import
arith.verify.plan.cells``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import Signature, signature
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arith.judging import Judged


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Judged:
        return _function()(*args, **options)

    @property
    def __signature__(self) -> Signature:
        """What a notebook completes."""
        return signature(_function())

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        """What ``help`` says of the function."""
        return _function().__doc__


def _function() -> Callable[..., Judged]:
    from arith.judging import verify

    return verify


sys.modules[__name__].__class__ = _CallablePackage
