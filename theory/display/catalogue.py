"""What there is: the registries as tables, with the properties that the theory uses.

The columns of a table are given as what they hold (the keys in JSON) and their headings.
"""

from __future__ import annotations

from theory.errors import look_up
from theory.inference.rules import RULES
from theory.setting.decision import Decision
from theory.setting.encodings import ENCODINGS
from theory.setting.layouts import LAYOUTS
from theory.setting.properties import carries, digit_causal, translation_invariant
from theory.setting.tasks import TASKS, named_task

TASK_COLUMNS = {
    "task": "task",
    "summary": "what",
    "digit_causal": "digit causal",
    "carries": "carries",
    "translation_invariant": "translation invariant",
}
ENCODING_COLUMNS = {
    "encoding": "encoding",
    "reference": "tells positions apart by",
    "own_parameter": "own parameter each",
    "summary": "what",
    "source": "source",
}
LAYOUT_COLUMNS = {"layout": "layout", "example": "12 + 34 = 46", "summary": "what"}
RULE_COLUMNS = {name: name for name in ("rule", "statement", "premises", "source")}
RULES_IN_SHORT = ("rule", "what it says, in short", "by")

_EXAMPLE = {
    ("operand", 0, 1): "2",
    ("operand", 0, 2): "1",
    ("operand", 1, 1): "4",
    ("operand", 1, 2): "3",
    ("result", -1, 1): "6",
    ("result", -1, 2): "4",
}


def task_rows(base: int = 10) -> list[list[str]]:
    """A row per named task; what depends on the modulus is said of none in particular."""
    rows = []
    for name, entry in TASKS.items():
        if entry.modular:
            rows.append([name, entry.summary, "depends on p", "-", "no"])
            continue
        task = named_task(name)
        count = carries(task, base)
        rows.append(
            [
                name,
                entry.summary,
                _yes(digit_causal(task, base)[0] is Decision.YES),
                "unbounded" if count is None else str(count),
                _yes(translation_invariant(task)),
            ]
        )
    return rows


def encoding_rows() -> list[list[str]]:
    """A row per encoding."""
    return [
        [e.name, e.reference, _yes(e.own_parameter), e.summary, e.source]
        for e in ENCODINGS.values()
    ]


def layout_rows() -> list[list[str]]:
    """A row per layout, with an example."""
    rows = []
    for layout in LAYOUTS.values():
        example = " ".join(
            t.symbol or _EXAMPLE[t.kind, t.operand, t.position] for t in layout.tokens(2, 2, 2)
        )
        rows.append([layout.name, example, layout.summary])
    return rows


def rule_rows() -> list[list[str]]:
    """A row per rule."""
    return [[r.name, r.statement, r.premises, r.source] for r in RULES.values()]


def rules_in_short() -> list[list[str]]:
    """A line per rule, under ``RULES_IN_SHORT``."""
    return [
        [r.name, r.summary, "ours" if r.source.startswith("ours") else "paper"]
        for r in RULES.values()
    ]


def rule_text(name: str) -> list[str]:
    """One rule whole, a paragraph each (InvalidInput: no such rule)."""
    rule = look_up("rule", name, RULES)
    return [
        " ".join(rule.statement.split()),
        f"Premises: {rule.premises}.",
        f"Source: {rule.source}.",
    ]


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
