"""Where the theory is silent: the rules that say why, and what was measured there."""

from __future__ import annotations

from arith.theory.display.markdown import Markdown
from arith.theory.display.text import count
from arith.theory.inference.rules import Basis
from arith.verify.judging.claims import uses
from arith.verify.judging.judge import CellVerdict, LengthVerdict
from arith.verify.judging.standards import is_testable
from arith.verify.reporting.blocks import Block, Heading, Items
from arith.verify.reporting.report import Report
from arith.verify.reporting.totals import is_silent

ORDER = 5


def section(report: Report) -> list[Block]:
    """The lengths without a claim by rule, each cell in a line with what was measured."""
    by_rule: dict[str, dict[str, list[str]]] = {}
    for v in report.trained:
        for x in v.lengths:
            if x.accuracy is not None and is_silent(x):
                cells = by_rule.setdefault(_because(v, x), {})
                cells.setdefault(v.name, []).append(f"{x.accuracy.value:.3f} at {x.digits}")
    if not by_rule:
        return []
    found = [at for cells in by_rule.values() for lengths in cells.values() for at in lengths]
    parts: list[Block] = [Heading("No claim")]
    parts.append(
        f"At {count(len(found), 'length')} theory is silent: the training data leave the answer "
        "open, or what is claimed is about models that were seen to be steady, and none was. What "
        "was measured there, as the accuracy at so many digits, by the rule that says why:"
    )
    for rule, cells in sorted(by_rule.items(), key=lambda x: -len(x[1])):
        parts.append(Markdown(f"**{rule[0].upper()}{rule[1:]}**"))
        parts.append(Items([f"{cell}: {', '.join(at)}" for cell, at in cells.items()]))
    return parts


def _because(v: CellVerdict, x: LengthVerdict) -> str:
    """The rules that leave the answer open at a length."""
    rules = {step.rule for step in v.prediction.derivation}
    if x.prediction.tried and is_testable(x.prediction):
        return f"{'neighbours' if 'neighbours' in rules else 'shared parameters'} (none is steady)"
    steps = [step.rule for step in v.prediction.derivation if step.leaves_open]
    here = [rule for rule in steps if uses(rule, v.prediction, x.prediction)]
    if not x.prediction.counted:
        return "not counted"
    last = [x.rule for x in v.prediction.derivation if x.basis != Basis.CONJECTURE][-1]
    return " and ".join(dict.fromkeys(here or steps)) or last
