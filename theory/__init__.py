"""What should happen: the theory of length generalization in arithmetic, exactly.

>>> from arith.theory import Domain, Setting, encoding, layout, named_task, predict
>>> setting = Setting(named_task("mul"), 10, encoding("ape"), layout("aligned"), Domain((3,)))
>>> predict(setting).lengths[3].accuracy
Fraction(1, 5500)
"""

import sys

from arith.theory.display.text import markdown
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.domains import Domain
from arith.theory.setting.encodings import encoding
from arith.theory.setting.expressions import parse_task
from arith.theory.setting.layouts import layout
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import Task, named_task

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

# Accuracies are exact: at hundreds of digits their numerators are longer than what Python would
# write by default (4,300 digits).  What a user may ask for is limited by the settings.
sys.set_int_max_str_digits(0)

# A notebook shows a prediction as Markdown.  Predictions know nothing of display, so the two are
# joined here, where both are known.
Prediction._repr_markdown_ = markdown  # type: ignore[attr-defined]
