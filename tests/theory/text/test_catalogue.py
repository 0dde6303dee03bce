"""The lists of tasks, encodings, layouts and rules are whole."""

from __future__ import annotations

import pytest

from arith.theory.errors import InvalidInput
from arith.theory.generalization.theorems import THEOREMS
from arith.theory.rules import RULES
from arith.theory.setting.requests import TASK_NAMES, Request
from arith.theory.text.catalogue import encoding_rows, layout_rows, rule_rows, task_rows
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS
from arith.theory.transformer.layouts import layout as read_layout


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


def test_parts_of_a_layout_are_shown_by_its_example() -> None:
    written = {
        "plain, padded to 4 with _": "<bos> _ _ 1 2 + _ _ 3 4 = 4 6",
        "aligned, padded to 3 with spaces": "<bos> 2 1 <space> + 4 3 <space> = 6 4",
        "plain, comma between operands": "<bos> 1 2 , 3 4 = 4 6",
        "plain, 2 digits per token from the left": "<bos> 12 + 34 = 46",
    }
    assert [row[1] for row in layout_rows([*written])] == [*written.values()]
    assert read_layout("plain, 2 digits per token from the right") == read_layout(
        "plain, 2 digits per token"
    )


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("plain, nosigns", r"did you mean 'no signs'\? \(arith layouts lists them\)"),
        ("plain, padded to 4 with 0", "one of _, spaces, dots"),
        ("plain, no operators, comma between operands", "nothing stands between the operands"),
        ("plain, padded to 4 with spaces, space between operands", "no other spaces"),
        ("interleaved, padded to 4 with _", "stand alone"),
    ],
)
def test_parts_that_make_no_sense_are_refused(layout: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_layout(layout)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"layout": "plain", "test_layout": "reversed"}, "as training taught it"),
        ({"layout": "aligned", "test_layout": "aligned, carries"}, "as training taught it"),
        ({"layout": "plain, padded to 2 with _"}, "too narrow: operands have up to 3 digits"),
        ({"test_layout": "plain, padded to 9 with _"}, "it needs --padding none"),
        ({"task": "add,sub", "layout": "plain, comma between operands"}, "need signs"),
    ],
)
def test_a_setting_that_cannot_be_written_so_is_refused(
    words: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        Request(**{"task": "add", **words}).setting()


def test_operands_filled_up_have_natural_lengths_and_tests_no_longer_ones() -> None:
    setting = Request(task="add", layout="plain, padded to 5 with _").setting()
    assert setting.natural and setting.test_lengths == (1, 2, 3, 4, 5)
    tokens = Request(task="add", layout="plain, 2 digits per token", width=7).setting()
    assert "padded to 4 tokens of 2 digits" in tokens.text()
