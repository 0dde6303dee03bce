"""What should happen: the theory of length generalization in arithmetic, exactly.

>>> from theory import Domain, Setting, encoding, layout, named_task, predict
>>> setting = Setting(named_task("mul"), 10, encoding("ape"), layout("aligned"), Domain((3,)))
>>> predict(setting).lengths[3].accuracy
Fraction(1, 5500)
"""

import sys

from theory.display.text import markdown
from theory.errors import InvalidInput
from theory.prediction.predict import Prediction, predict
from theory.setting.domains import Domain
from theory.setting.encodings import encoding
from theory.setting.expressions import parse_task
from theory.setting.layouts import layout
from theory.setting.settings import Setting
from theory.setting.tasks import Task, named_task

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
