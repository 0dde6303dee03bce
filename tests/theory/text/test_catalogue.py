"""The lists of tasks, encodings, layouts and rules are whole."""

from __future__ import annotations

from arith.theory.generalization.rules import RULES
from arith.theory.generalization.theorems import THEOREMS
from arith.theory.setting.requests import TASK_NAMES
from arith.theory.text.catalogue import encoding_rows, layout_rows, rule_rows, task_rows
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS


def test_the_catalogue_lists_every_entry() -> None:
    assert [r[0] for r in task_rows()] == list(TASK_NAMES)
    assert [r[0] for r in encoding_rows()] == list(ENCODINGS)
    assert [r[0] for r in layout_rows()] == list(LAYOUTS)
    assert [r[0] for r in rule_rows()] == [*(x.name for x in THEOREMS), *RULES]


def test_layouts_are_shown_as_their_tokens_are_written() -> None:
    examples = {row[0]: row[1] for row in layout_rows()}
    assert examples["reversed"] == "<bos> 1 2 + 3 4 = 6 4"
    assert examples["interleaved"] == "<bos> 2 4 6 1 3 4"
    assert examples["hinted"] == "<bos> [1] 2 [2] 1 + [1] 4 [2] 3 = [1] 6 [2] 4"
    assert examples["scratchpad"] == "<bos> 2 1 + 4 3 = 0 6 0 4"
