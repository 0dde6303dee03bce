"""What training never showed, in words: digits above the trained ones, and digits together."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import groupby

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.arithmetic.shares import percent_text
from arith.theory.generalization.joint_support import interactions
from arith.theory.generalization.support import Support


def inferred_text(shown: Support, shares: Mapping[int, Fraction]) -> str:
    """That training fixes digits that it never showed together, and why.

    Args:
        shares: by length, the share of the inputs that have such digits.
    """
    apart = f"Never shown together by {shown.train.text()}: digits of {_where(shares)}"
    return f"{_zeros(shown, shares) or apart}. But the answer follows: {_why_fixed(shown)}."


def unfixed_text(
    shown: Support, shares: Mapping[int, Fraction], known: Mapping[int, Fraction]
) -> str:
    """That digits were never shown, or not together, and nothing fixes them.

    Args:
        known: by length, the share of all inputs that training fixes and f^ gets right.
    """
    right = ", ".join(f"{percent_text(share)} at {n}" for n, share in known.items())
    rest = f" Of all inputs, training fixes and f^ gets right: {right} digit(s)." if right else ""
    return f"{_never_shown(shown, shares)}. Nothing follows there.{rest}"


def _never_shown(shown: Support, shares: Mapping[int, Fraction]) -> str:
    task = shown.task
    which = None if task.needs_order else _zeros(shown, shares)
    if which is None:
        borrows = ", or that borrow from ignored ones" if task.needs_order else ""
        return (
            f"Never shown by {shown.train.text()}: digits, or combinations of digits that the task "
            f"makes interact{borrows}, of {_where(shares)}"
        )
    interact = ", and the task makes these digits interact" if task.operands > 1 else ""
    return f"{which}{interact}"


def single(train: Domain) -> int | None:
    """n where training is ``D_n``, all digits; of other domains nothing so simple can be said."""
    plain = train.kind == "longest" and len(train.every_length) == 1 and not train.allowed
    return train.every_length[0] if plain else None


def _zeros(shown: Support, shares: Mapping[int, Fraction]) -> str | None:
    """``Inputs of 1..2 digits have 0 at position 3 of both operands, never so in D_3``."""
    n, task = single(shown.train), shown.task
    if n is None or max(shares) >= n or set(shares.values()) != {Fraction(1)}:
        return None
    operands = {1: task.names[0], 2: "both operands"}.get(task.operands, "all operands")
    return (
        f"Inputs of {lengths_text(list(shares))} have 0 at position {n} of {operands}, "
        f"never so in {shown.train.text()}"
    )


def _why_fixed(shown: Support) -> str:
    """Why joint support fixes such digits."""
    n, p, period = single(shown.train), shown.task.modulus, shown.period
    steps = set() if n is None else {period((j, n)) for j in range(shown.task.operands)}
    modulo = f" modulo {p}" if p else ""
    if steps == {1}:
        return f"position {n} makes no difference{modulo}"
    lacking = [(j, i) for j, i in shown.read if len(shown.seen[j][i - 1]) < shown.base]
    if lacking and all(period(digit) == 1 for digit in lacking):
        return f"the digits that lack some value there make no difference{modulo}"
    groups = interactions(shown)
    if all(len(digits) == 1 for digits in groups):
        return "the digits only add up"
    step = steps.pop() if len(steps) == 1 else None
    if step is not None and step < shown.base:
        return f"0 there counts as {step} does modulo {p}, and {step} was shown"
    periods = [period(digit) for digits in groups for digit in digits]
    if any(step is not None and step < shown.base for step in periods):
        return f"digits equivalent modulo {p} were shown"
    return "the digits that the task makes interact were shown together"


def _where(shares: Mapping[int, Fraction]) -> str:
    """``inputs of 1 digit (9% of them), of 4..6 digits (100% of them)``."""
    groups = groupby(shares, key=lambda n: percent_text(shares[n], ".0f"))
    parts = (f"of {lengths_text(list(ns))} ({share} of them)" for share, ns in groups)
    return f"inputs {', '.join(parts)}"
