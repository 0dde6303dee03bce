"""The head of a report: what became of the claims, and of which models."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.display.markdown import Markdown
from arith.theory.display.text import count
from arith.theory.inference.rules import THEORY_VERSION
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.premises import is_firm
from arith.verify.plan.premise import INDIFFERENT, PREMISE, SEEN_STEADY, STEADY
from arith.verify.reporting.blocks import Block, Items, Table
from arith.verify.reporting.terminal import summary_line
from arith.verify.reporting.totals import Totals, before_by_version, ledger, totals


def summary(verdicts: Sequence[CellVerdict]) -> list[Block]:
    """The head of a report: how its two counts of claims belong together, and a list."""
    t = totals(verdicts)
    items = [
        f"**Refined theory**: {summary_line(verdicts)}",
        *_coverage(t),
        f"**Premise**: {t.converged} of {count(t.models, 'model')} were right on at least "
        f"{PREMISE:.0%} of the held-out inputs of the trained lengths, and of enough of "
        "them to know; only these are judged.",
        *_indifferent(verdicts),
        *_steady(verdicts),
        "**Published theorems** (*right on all inputs*, or *wrong on some*): true of the "
        f"models at {count(t.theorem.agree, 'length')}, false at {t.theorem.diverge}. "
        "Where both claim something, the refined theory alone is right at "
        f"{count(t.wins, 'length')}, the theorem alone at {t.losses}.",
    ]
    return [*_ledger(t), Items([*map(Markdown, items)])]


def _coverage(t: Totals) -> list[str]:
    """On which share of the longer lengths the refined theory claims something."""
    where = {"ape": "under APE", "other": "under other encodings"}
    said = [
        f"{x.claimed} of {x.lengths} {where[name]}" for name, x in t.upward.items() if x.lengths
    ]
    of = "of the longer lengths of all cells, trained or not,"
    return [f"**Coverage**: {of} {', '.join(said)} carry a claim."] * bool(said)


def _indifferent(verdicts: Sequence[CellVerdict]) -> list[str]:
    """How many models keep their answers when ignored tokens are disturbed, where it is asked."""
    cells = [v for v in verdicts if any(x.prediction.ignores for x in v.lengths)]
    asked = [r for v in cells for r in v.converged if r.indifference is not None]
    if not asked:
        return []
    return [
        f"**Indifference**: {sum(r.indifferent for r in asked)} of {count(len(asked), 'model')} "
        f"with a claim that rests on ignored digits kept {INDIFFERENT:.0%} of their answers in "
        "domain when all such digits were blended half and half with others; only these are judged "
        "on such claims."
    ]


def _steady(verdicts: Sequence[CellVerdict]) -> list[str]:
    """How many answers stay when digits are a little disturbed, where it is asked."""
    asked = [
        is_firm(x.prediction, m)
        for v in verdicts
        for x in v.lengths
        for run in v.converged
        for m in run.measurements
        if x.prediction.asks_steady and m.digits == x.digits and m.steady is not None
    ]
    if not asked:
        return []
    return [
        f"**Steadiness**: {sum(asked)} of {count(len(asked), 'measurement')} where a claim rests "
        "on ignored digits, or on digits that training never showed together, kept "
        f"{STEADY:.0%} of the answers ({SEEN_STEADY:.1%} where the claim asks for it) when all "
        "digits were a little disturbed; answers that training leaves open count as kept. Only "
        f"these are judged. Models in which it was not measured are judged as if they were steady, "
        f"but not where {SEEN_STEADY:.1%} is asked."
    ]


def _ledger(t: Totals) -> list[Block]:
    """A table in which the claims stored before training and those of today add up."""
    found = ledger(t)
    if not found:
        return []
    return [
        "Only claims that were stored before training put the theory to the test: a rule that was "
        "made or changed since may have been made to fit these models. All that this report says "
        "below, where it does not say otherwise, is of today's theory. How the two counts belong "
        "together:",
        Table(
            [
                {"claims": what, "agree": str(x.agree), "diverge": str(x.diverge)}
                | {"in all": str(x.tested)}
                for what, x in found
            ]
        ),
    ]


def versions(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What became of the stored claims by the version of the theory, a line of a list or none."""
    found = before_by_version(verdicts)
    if not found:
        return []
    said = [f"version {x}: {claims.agree} and {claims.diverge}" for x, claims in found.items()]
    return [
        "Claims stored before training that agree and diverge, by the version of the theory that "
        f"made them (today's is {THEORY_VERSION}; a length counts under the newest that claimed "
        "something of one of its models): "
        f"{', '.join(said)}."
    ]
