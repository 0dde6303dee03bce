"""What should happen: the theory of length generalization in arithmetic, exactly.

>>> from arith.theory import Domain, Setting, encoding, layout, named_task, predict
>>> setting = Setting(named_task("mul"), 10, encoding("ape"), layout("aligned"), Domain((3,)))
>>> predict(setting).lengths[3].accuracy
Fraction(1, 5500)

Nothing is loaded before it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arith.theory.arithmetic.domains import Domain
    from arith.theory.arithmetic.expressions import parse_task
    from arith.theory.arithmetic.tasks import Task, named_task
    from arith.theory.errors import InvalidInput
    from arith.theory.prediction.predict import Prediction, predict
    from arith.theory.setting.settings import Setting
    from arith.theory.transformer.encodings import encoding
    from arith.theory.transformer.layouts import layout

__all__ = [
    "Domain",
    "InvalidInput",
    "Prediction",
    "Setting",
    "Task",
    "encoding",
    "layout",
    "named_task",
    "parse_task",
    "predict",
]

_MODULES = {
    "Domain": "arithmetic.domains",
    "InvalidInput": "errors",
    "Prediction": "prediction.predict",
    "Setting": "setting.settings",
    "Task": "arithmetic.tasks",
    "encoding": "transformer.encodings",
    "layout": "transformer.layouts",
    "named_task": "arithmetic.tasks",
    "parse_task": "arithmetic.expressions",
    "predict": "prediction.predict",
}
"""Where each name is defined."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
