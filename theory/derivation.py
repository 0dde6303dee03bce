"""Derivations: what follows beyond the trained positions, step by step, each citing its rule."""

from __future__ import annotations

from dataclasses import dataclass

from theory.identifiability import (
    Continuation,
    blind,
    continuation,
    out_of_sight,
    shared_offset,
)
from theory.properties import base_aligned, residual_modulus
from theory.rules import RULES
from theory.settings import Setting
from theory.support import Support


@dataclass(frozen=True)
class Step:
    """One step of a derivation: the rule, what it says here, and its source."""

    rule: str
    statement: str
    source: str


SUPPORT, CONTINUES, SAME, NOTHING, BLIND = "support", "continues", "same", "nothing", "blind"
"""What happens at positions that training kept constant: the digits there are ignored, the
local rule goes on, no query sees them, nothing follows, or nothing is predicted at all."""


def beyond(setting: Setting, shown: Support) -> tuple[str, list[Step]]:
    """What happens to digits at positions that training kept constant, and the steps to it."""
    task, base, encoding = setting.task, setting.base, setting.encoding
    place = (setting.layout, setting.window, setting.digits)
    cannot_see = blind(task, base, *place, shown)
    if cannot_see:
        return BLIND, [cite("blind", cannot_see + ".")]
    if out_of_sight(task, base, *place, shown):
        return SAME, [cite("out of sight", "No query sees a digit that training kept constant.")]
    if encoding.reference == "absolute" and encoding.own_parameter:
        return SUPPORT, modulus_steps(setting)
    goes_on = continuation(
        task,
        base,
        setting.layout,
        encoding,
        setting.window,
        max(setting.train.every_length),
        setting.digits,
    )
    if goes_on.outcome == "forced":
        return CONTINUES, [cite("continuation", goes_on.reason + ".")]
    if not encoding.own_parameter:
        return NOTHING, [*_why_not(goes_on), cite("formula", RULES["formula"].statement)]
    if goes_on.outcome == "open":
        return NOTHING, _why_not(goes_on)
    shared = shared_offset(task, base, *place, shown)
    if shared:
        return NOTHING, [cite("shared offset", shared[0].upper() + shared[1:] + ".")]
    return SUPPORT, [
        cite("one candidate", goes_on.reason[0].upper() + goes_on.reason[1:] + "."),
        *modulus_steps(setting),
    ]


def _why_not(goes_on: Continuation) -> list[Step]:
    return [cite("landmark", goes_on.reason + ".")] if goes_on.outcome == "open" else []


def cite(rule: str, statement: str) -> Step:
    return Step(rule, statement, RULES[rule].source)


def support_steps(setting: Setting, shown: Support) -> list[Step]:
    names = setting.task.names
    lengths = [shown.read_length(j) for j in range(setting.task.operands)]
    if len(set(lengths)) == 1 and lengths[0] is not None:
        what = (
            f"Positions 1..{lengths[0]} of {' and '.join(names)} varied in training; above, only 0."
        )
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
    return [cite("support", what)]


def modulus_steps(setting: Setting) -> list[Step]:
    task, base, n = setting.task, setting.base, max(setting.train.every_length)
    if task.full_modulus is None:
        return []
    k = base_aligned(task.full_modulus, base)
    if k is not None and k <= n:
        return [
            cite(
                "base aligned",
                f"{task.full_modulus} divides {base}^{k}, and {n} >= {k} digits were trained.",
            )
        ]
    left = residual_modulus(task.full_modulus, base, n)
    return [
        cite(
            "residual modulus",
            f"p' = {task.full_modulus} / gcd({task.full_modulus}, {base}^{n}) = {left}: the digits above "
            f"{n} matter modulo {left}.",
        )
    ]
