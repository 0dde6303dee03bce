"""The lists of tasks, encodings, layouts and rules are whole."""

from __future__ import annotations

from theory.display.catalogue import encoding_rows, layout_rows, rule_rows, task_rows
from theory.inference.rules import RULES
from theory.setting.encodings import ENCODINGS
from theory.setting.layouts import LAYOUTS
from theory.setting.tasks import TASKS


def test_the_catalogue_lists_every_entry() -> None:
    assert [r[0] for r in task_rows()] == list(TASKS)
    assert [r[0] for r in encoding_rows()] == list(ENCODINGS)
    assert [r[0] for r in layout_rows()] == list(LAYOUTS)
    assert [r[0] for r in rule_rows()] == list(RULES)
