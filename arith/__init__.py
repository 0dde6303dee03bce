"""arith from Python: what the commands answer, as objects with exact values.

>>> from arith import predict
>>> predict("mod_add", modulus=101, train_digits=2).accuracy[4]
Fraction(49, 4950)

Nothing is loaded before it is asked for: a prediction imports no torch, no grid and no figure.

May import: theory, verify, printing, commands.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arith.judging import Judged, JudgedModels, judge, report, verify
    from arith.predicting import Predicted, Read, predict, read
    from arith.theory.errors import Failed, InvalidInput

__version__ = "0.1.0"
__all__ = [
    "Failed",
    "InvalidInput",
    "Judged",
    "JudgedModels",
    "Predicted",
    "Read",
    "judge",
    "predict",
    "read",
    "report",
    "verify",
]

_MODULES = {
    "JudgedModels": "arith.judging",
    "Failed": "arith.theory.errors",
    "InvalidInput": "arith.theory.errors",
    "Judged": "arith.judging",
    "Predicted": "arith.predicting",
    "Read": "arith.predicting",
    "judge": "arith.judging",
    "predict": "arith.predicting",
    "read": "arith.predicting",
    "report": "arith.judging",
}
"""Where each name is defined; ``verify`` is the package of that name, which can be called."""

# In the repository theory, verify and the commands stand beside this folder, which has links to
# them.  Where git writes none, as on Windows, they are found by this path.
__path__.append(str(Path(__file__).resolve().parent.parent))


def __getattr__(name: str) -> Any:
    if name == "verify":
        return import_module("arith.verify")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'arith' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
