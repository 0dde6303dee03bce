"""Derivations: the steps from what training shows to a claim, each citing its rule."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.generalization.rules import RULES, Basis


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Args:
        lengths: the test lengths of which it decides what is claimed, or why nothing is.
        leaves_open: nothing follows there by it.
    """

    rule: str
    statement: str
    source: str
    lengths: frozenset[int]
    leaves_open: bool = False

    @property
    def basis(self) -> Basis:
        """Why it is believed; a step that leaves open claims nothing, whatever its rule."""
        return Basis.OPEN if self.leaves_open else RULES[self.rule].basis


def cite(
    rule: str, statement: str, lengths: Collection[int] = (), leaves_open: bool = False
) -> Step:
    """The step that applies a rule; its statement becomes a sentence."""
    sentence = statement[0].upper() + statement[1:].removesuffix(".") + "."
    return Step(rule, sentence, RULES[rule].source, frozenset(lengths), leaves_open)


def open_step(rule: str, lengths: Collection[int], why: str) -> Step:
    """That nothing follows at some lengths, and why."""
    what = f"at {lengths_text(sorted(lengths))} nothing follows: {why}"
    return cite(rule, what, lengths, leaves_open=True)
