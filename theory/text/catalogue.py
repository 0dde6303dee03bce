"""What there is: the registries as tables, with the properties that the theory uses.

Columns are given by their keys in JSON, each with its heading.
"""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.properties import digit_causal, translation_invariant
from arith.theory.arithmetic.tasks import DIGIT_FUNCTIONS, TASKS, named_task
from arith.theory.errors import look_up
from arith.theory.generalization.theorems import THEOREMS, Theorem
from arith.theory.rules import RULES, Basis, Rule
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import (
    BLANKS,
    LAYOUTS,
    PART_WORDS,
    RESULT,
    SIGN,
    Layout,
    Token,
)
from arith.theory.transformer.layouts import layout as read_layout

TASK_COLUMNS = {
    "task": "task",
    "summary": "what",
    "digit_causal": "digit causal",
    "carries": "carries",
    "translation_invariant": "translation invariant",
}
ENCODING_COLUMNS = {
    "encoding": "encoding",
    "reference": "address",
    "own_parameter": "own parameter",
    "selection": "singles out",
    "summary": "what",
    "source": "source",
}
LAYOUT_COLUMNS = {"layout": "layout", "example": "12 + 34 = 46", "summary": "what"}
RULE_COLUMNS = {name: name for name in ("rule", "statement", "premises", "source", "basis")}
THEOREMS_IN_SHORT = ("theorem", "what it says", "basis")
RULES_IN_SHORT = ("rule", "what it says, in short", "basis")

_MEANS = {
    Basis.PREMISE: "a premise; each model is tested for it",
    Basis.PROVED: "proved; it follows from its premises by mathematics",
    Basis.OBSERVED: "observed; it says what trained models come to do, and reports count how often",
    Basis.OPEN: "it claims nothing; it says where nothing follows",
}

_EXAMPLE = {0: "12", 1: "34", RESULT: "46"}
"""The number of each operand, and the result."""
LAYOUT_PARTS = ", ".join(
    [word for word in PART_WORDS if not word[0].isdigit()]
    + ["2 to 9 leading zeros", "1 to 4 digits per token", "random spaces 1/4"]
    + [f"padded to 8 with _ (or {', '.join(list(BLANKS)[1:])})"]
)
"""What may follow a layout's name."""


def task_rows() -> list[list[str]]:
    """A row per named task in base 10; what depends on the modulus is said of none."""
    rows = []
    for name, entry in (TASKS | DIGIT_FUNCTIONS).items():
        known = ["depends on p", "-", "no"]
        if not entry.modular:
            task = named_task(name)
            causal, invariant = digit_causal(task, 10)[0], translation_invariant(task)
            number = str(digit_automaton(task, 10).states) if task.has_finite_carry else "unbounded"
            known = [_yes(causal is Decision.YES), number, _yes(invariant)]
        if name in DIGIT_FUNCTIONS:
            known = ["no", "-", "no"]
        rows.append([name, entry.summary, *known])
    return rows


def encoding_rows() -> list[list[str]]:
    """A row per encoding."""
    return [
        [e.name, e.reference, _yes(e.own_parameter), e.selection, e.summary, e.source]
        for e in ENCODINGS.values()
    ]


def encoding_legend() -> list[str]:
    """What the columns of encodings mean."""
    numbered = [e for e in ENCODINGS.values() if e.reference == "significance"]
    place, written = (
        ", ".join(e.name for e in numbered if e.by_weight == by_weight)
        for by_weight in (True, False)
    )
    return [
        "address: what a query is told of a digit. absolute: its position in the sequence; "
        "shifted: that, from a random start; random: a position drawn for each example; "
        f"relative: its offset; significance: its place, counted from the units ({place}), or "
        f"from where its number starts ({written}); none: nothing but the order",
        "own parameter: each position or offset has learned parameters of its own",
        "singles out: what a query can attend to. any: one position or offset alone; order: the "
        "nearer or the farther ones; none: it cannot choose by position",
    ]


def layout_rows(texts: Sequence[str] = ()) -> list[list[str]]:
    """A row per layout, with an example; of those told by texts, or of all that have a name."""
    asked = [read_layout(text) for text in texts] or list(LAYOUTS.values())
    return [[x.name, example(x), x.summary] for x in asked]


def example(layout: Layout) -> str:
    """How a layout writes 12 + 34 = 46, its tokens apart."""
    each = layout.in_token or len(_EXAMPLE[RESULT])
    width = -(-len(_EXAMPLE[RESULT]) // each)
    tokens = layout.tokens((width, width), width)
    texts = (layout.sign if x.symbol == SIGN else _written(x, each) for x in tokens)
    firsts = (layout.result_first if x.operand == RESULT else layout.operands_first for x in tokens)
    return " ".join(
        text[::-1] if x.digits > 1 and first == "least" else text
        for x, text, first in zip(tokens, texts, firsts, strict=True)
    )


def _written(token: Token, each: int) -> str:
    """A token of the example, of so many digits each; no digit of it carries."""
    if token.kind == "marker":
        return f"[{token.position}]"
    if token.kind == "carry":
        return "0"
    if token.symbol:
        return token.symbol
    number, last = _EXAMPLE[token.operand], each * (token.position - 1)
    end = len(number) - last
    return number[max(0, end - each * token.digits) : end] or "0"


def rule_rows() -> list[list[str]]:
    """A row per theorem, then one per rule."""
    every: list[Theorem | Rule] = [*THEOREMS, *RULES.values()]
    return [[x.name, x.statement, x.premises, x.source, x.basis] for x in every]


def theorems_in_short() -> list[list[str]]:
    """A line per theorem, under ``THEOREMS_IN_SHORT``."""
    return [[x.name, " ".join(x.statement.split()), x.basis] for x in THEOREMS]


def rules_in_short() -> dict[str, list[list[str]]]:
    """A line per rule, under ``RULES_IN_SHORT``, by what it belongs to."""
    groups = {
        "every theorem": ("convergence", "sample"),
        **{x.name: x.rules for x in THEOREMS},
        "training": ("leap", "plateau"),
    }
    return {
        name: [[x, RULES[x].summary, RULES[x].basis] for x in some] for name, some in groups.items()
    }


def rule_text(name: str) -> list[str]:
    """One theorem or rule whole, a paragraph each (InvalidInput: no such rule)."""
    rule = look_up("rule", name, {x.name: x for x in THEOREMS} | RULES)
    statement = " ".join(rule.statement.split())
    basis = f"Basis: {_MEANS[rule.basis]}."
    return [statement, f"Premises: {rule.premises}.", f"Source: {rule.source}.", basis]


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
