"""Derivations: what follows beyond the trained positions, step by step, each citing its rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from theory.inference.identifiability import (
    Continuation,
    blind,
    continuation,
    finds_digits,
    out_of_sight,
    shared_offset,
)
from theory.inference.joint_support import period
from theory.inference.rules import RULES
from theory.inference.support import Support
from theory.numbers.effort import remembered
from theory.setting.properties import base_aligned, residual_modulus
from theory.setting.settings import Setting


@dataclass(frozen=True)
class Step:
    """One step of a derivation: the rule, what it says here, and its source."""

    rule: str
    statement: str
    source: str


SUPPORT, CONTINUES, SAME, NOTHING, BLIND = "support", "continues", "same", "nothing", "blind"
"""What happens at positions that training kept constant: the digits there are ignored, the
local rule goes on, no query sees them, nothing follows, or nothing is predicted but what was trained."""


@remembered(4096)
def beyond(setting: Setting, shown: Support) -> tuple[str, tuple[Step, ...]]:
    """What happens to digits at positions that training kept constant, and the steps to it."""
    task, base, encoding = setting.task, setting.base, setting.encoding
    place = (setting.layout, setting.window, setting.digits)
    cannot_see = blind(task, base, *place, shown)
    if cannot_see:
        return BLIND, (cite("blind", cannot_see + "."),)
    finds = finds_digits(task, base, setting.layout, encoding, setting.window, setting.digits)
    if not (finds or setting.layout.marked):
        what = (
            f"under {encoding.name} no query can single out the offset of a digit, and no sign "
            "says where a number starts."
        )
        return BLIND, (cite("selection", what),)
    if out_of_sight(task, base, setting.layout, setting.digits, shown):
        return SAME, (cite("out of sight", "No query sees a digit that training kept constant."),)
    if encoding.own_positions:
        return SUPPORT, modulus_steps(setting, shown)
    goes_on = continuation(
        task,
        base,
        setting.layout,
        encoding,
        setting.window,
        max(setting.train.every_length),
        shown,
        setting.digits,
    )
    if goes_on.outcome == "forced":
        return CONTINUES, (cite("continuation", goes_on.reason + "."),)
    if not encoding.own_parameter:
        return NOTHING, (*_why_not(goes_on), cite("formula", RULES["formula"].statement))
    if goes_on.outcome in _OPEN:
        return NOTHING, _why_not(goes_on)
    shared = shared_offset(task, base, *place, shown)
    if shared:
        return NOTHING, (cite("shared offset", shared + "."),)
    return SUPPORT, (
        cite("one candidate", goes_on.reason + "."),
        *modulus_steps(setting, shown),
    )


_OPEN = {"open": "landmark", "loose": "selection"}
"""The rule by which nothing follows, for the outcomes that leave it open whether a rule goes on."""


def _why_not(goes_on: Continuation) -> tuple[Step, ...]:
    rule = _OPEN.get(goes_on.outcome)
    return () if rule is None else (cite(rule, goes_on.reason + "."),)


def cite(rule: str, statement: str) -> Step:
    """The step that applies a rule; its statement begins with a capital letter."""
    return Step(rule, statement[0].upper() + statement[1:], RULES[rule].source)


@lru_cache(maxsize=4096)
def support_step(names: tuple[str, ...], shown: Support) -> Step:
    """Which positions of the operands so named are read."""
    lengths = {shown.read_length(j) for j in range(len(names))}
    n = next(iter(lengths)) if len(lengths) == 1 else None
    if n is not None:
        which = {0: "No position", 1: "Position 1 (units)"}.get(n, f"Positions 1 (units) to {n}")
        what = f"{which} varied in training; above, only 0."
    else:
        what = (
            "Read and ignored positions: "
            + "; ".join(
                f"{name} "
                + " ".join(
                    f"{i}:{'read' if (c := shown.constant((j, i))) is None else f'always {c}'}"
                    for i in range(1, shown.width + 1)
                )
                for j, name in enumerate(names)
            )
            + "."
        )
    return cite("support", what)


def modulus_steps(setting: Setting, shown: Support) -> tuple[Step, ...]:
    """What the modulus, if any, leaves of the digits above those that are read."""
    task, p, base = setting.task, setting.task.full_modulus, setting.base
    reads = [shown.read_length(j) for j in range(task.operands)]
    if p is None or len(set(reads)) > 1 or reads[0] is None:
        return ()
    n, k = reads[0], base_aligned(p, base)
    if k is not None and k <= n:
        digits, trained = f"{k} digits of each operand matter", f"all {k} were"
        if k < 2:
            digits, trained = "digit of each operand can matter", "it was"
        what = f"{p} divides {base}^{k}: only the lowest {digits}, and {trained} trained."
        return (cite("base aligned", what),)
    left = residual_modulus(p, base, n)
    what = f"The digits above position {n} matter modulo p' = {p} / gcd({p}, {base}^{n}) = {left}"
    if any(period(task, (j, n + 1), base) != left for j in range(task.operands)):
        what += ", or less where they are multiplied by a common divisor"
    return (cite("residual modulus", what + "."),)
