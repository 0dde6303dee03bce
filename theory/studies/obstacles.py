"""Obstacles: why a setting does not generalize as it stands, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from arith.theory.inference.support import support
from arith.theory.inference.views import carry_reach
from arith.theory.prediction.outcomes import Status
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.decision import Decision
from arith.theory.setting.directions import Direction
from arith.theory.setting.properties import base_aligned, digit_causal, translation_invariant
from arith.theory.setting.settings import Setting

BOUNDING = ("address", "spaces", "count")
"""The rules that bound accuracy where digits are not found, or say that it was not counted."""
STOPPING = ("place", "receptive field")
"""The rules that say that a rule goes on, or that it stops."""


def obstacles(s: Setting, current: Prediction) -> Iterator[str]:
    """Why the setting as it stands does not generalize."""
    task = s.task.without_idle_modulus(s.base, s.digits)
    n, modulus = s.train.every_length[-1], task.modulus
    for position, digits in s.train.allowed:
        shown = ", ".join(map(str, digits))
        yield f"training shows no digits at position {position} but {shown}"
    if modulus is not None:
        k = base_aligned(modulus, s.base)
        if k is None:
            yield (
                f"{modulus} divides no power of {s.base}: digits at every position count, so "
                "inputs longer than all trained ones need digits that training never showed"
            )
        elif k > n:
            yield f"{modulus} divides {s.base}^{k} but not {s.base}^{n}: train {k} digits or more"
        if digit_causal(task, s.base)[0] is Decision.NO:
            yield "the low digits of the result depend on high digits: no digit-by-digit rule"
    elif not translation_invariant(task) and carry_reach(task, s.base) is None:
        yield "the task has no finite carry: no one rule serves every position"
    elif current.learned is not None and current.verdict(Direction.UPWARD) == Status.FAILS:
        constants = support(task, s.train, s.base).constant
        named = product(enumerate(task.names), range(1, n + 1))
        fixed = [
            f"{name} at position {i} (always {value})"
            for (j, name), i in named
            if (value := constants((j, i))) is not None
        ]
        which = " and ".join([*fixed, f"all those above position {n}"])
        yield f"digits that never varied in training, {which}, are ignored"
    for step in current.derivation:
        stops = step.rule in STOPPING and current.verdict(Direction.UPWARD) != Status.GENERALIZES
        if step.leaves_open or step.rule in BOUNDING or stops:
            yield step.statement.rstrip(".")
