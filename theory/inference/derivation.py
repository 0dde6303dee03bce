"""Derivations: what follows beyond the trained positions, step by step, each citing its rule."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, Flag, auto

from arith.theory.errors import NotCountable
from arith.theory.inference.addresses import says_nothing
from arith.theory.inference.contexts import receptive_field, unshown
from arith.theory.inference.identifiability import (
    blind,
    finds_digits,
    out_of_sight,
    rule_above,
    tells_place,
)
from arith.theory.inference.rule import Basis
from arith.theory.inference.rules import RULES
from arith.theory.inference.support import Support
from arith.theory.inference.views import carry_reach
from arith.theory.numbers.effort import remembered
from arith.theory.setting.decision import Decision
from arith.theory.setting.lengths_text import lengths_text
from arith.theory.setting.properties import base_aligned, residual_modulus
from arith.theory.setting.settings import Setting

RIGHT_THERE = "a model that is right on all of training is right there"
"""What follows where training shows every context."""
_HAS_TO_BE_STEADY = (
    "so only models that were seen to be steady at the length in question are said to ignore them"
)
_LONGEST_CONTEXT = 20
"""Tokens of a context that are written; its beginning is left out."""


@dataclass(frozen=True)
class Step:
    """One step of a derivation; if it leaves open, nothing follows by it for some lengths."""

    rule: str
    statement: str
    source: str
    leaves_open: bool = False

    @property
    def basis(self) -> Basis:
        """Why it is believed; a step that leaves open claims nothing, whatever its rule."""
        return Basis.OPEN if self.leaves_open else RULES[self.rule].basis


class Function(Flag):
    """Functions that a model may compute where training does not say."""

    TASK = auto()
    """The task f: its rule goes on."""
    EXPECTED = auto()
    """The expected function f^: what was constant in training stays."""
    EITHER = TASK | EXPECTED


class Beyond(Enum):
    """What happens to digits at positions that training kept constant.

    Attributes:
        candidates: the functions that a stable model may compute there; none where nothing is
            known of it.
    """

    candidates: Function

    def __new__(cls, text: str, candidates: Function) -> Beyond:
        """A member; its value is what happens, in words."""
        member = object.__new__(cls)
        member._value_, member.candidates = text, candidates
        return member

    IGNORED = "the support rule: they are ignored", Function.EXPECTED
    ONE_IGNORED = "they are ignored where one of each operand changes", Function.EXPECTED
    STEADILY_IGNORED = "they are ignored by models that are known to be steady", Function.EXPECTED
    UNSEEN = "no query sees them", Function.EXPECTED
    SHOWN = "training shows the context of every answer", Function.TASK
    STOPS = "the local rule does not go on", Function.EITHER
    OPEN = "nothing follows", Function.EITHER
    UNSHOWN = "training lacks the context of some answer", Function.EITHER
    UNPLACED = "nothing follows, for other inputs either, but what was trained", Function.EITHER
    BLIND = "nothing follows, nor is known of what a model may compute", Function(0)

    @property
    def is_silent(self) -> bool:
        """Whether nothing is claimed of any input but what was trained."""
        return self in (Beyond.UNPLACED, Beyond.BLIND)


_BY_PLACE = {
    Decision.NO: (Beyond.UNPLACED, "at some trained digit it cannot tell where it is"),
    Decision.YES: (Beyond.STOPS, "{}, and one layer less sees as much at each digit that varies"),
    Decision.UNDECIDED: (
        Beyond.UNPLACED,
        "{}, so it can tell where it is, but not a layer earlier",
    ),
}
"""By whether a model without an encoding can tell its place: what follows, and why."""


def cite(rule: str, statement: str, leaves_open: bool = False) -> Step:
    """The step that applies a rule; its statement becomes a sentence."""
    sentence = statement[0].upper() + statement[1:].removesuffix(".") + "."
    return Step(rule, sentence, RULES[rule].source, leaves_open)


def open_step(rule: str, lengths: list[int], why: str) -> Step:
    """That nothing follows at some lengths, and why."""
    return cite(rule, f"at {lengths_text(lengths)} nothing follows: {why}", leaves_open=True)


@remembered(256)
def beyond(setting: Setting, shown: Support) -> tuple[Beyond, tuple[Step, ...]]:
    """What happens to digits at positions that training kept constant, and the steps to it."""
    encoding = setting.encoding
    cannot_see = blind(setting, shown)
    if cannot_see:
        return Beyond.BLIND, (cite("blind", cannot_see, leaves_open=True),)
    if out_of_sight(setting, shown):
        what = "no query sees a digit that training kept constant"
        return Beyond.UNSEEN, (cite("out of sight", what),)
    if encoding.reference == "random":
        step = cite("random positions", says_nothing(setting), leaves_open=True)
        return Beyond.BLIND, (step,)
    place = tells_place(setting, shown)
    if place is not None:
        follows, why = _BY_PLACE[place[0]]
        reads = receptive_field(setting)
        what = f"with {setting.layers_text} an answer depends on the last {reads} tokens: "
        step = cite("place", what + why.format(place[1]), leaves_open=follows.is_silent)
        return follows, (step,)
    if not (finds_digits(setting) or setting.layout.marked):
        what = (
            f"under {encoding.label} no query can single out the offset of a digit, and no sign "
            "says where a number starts"
        )
        return Beyond.BLIND, (cite("selection", what, leaves_open=True),)
    if encoding.own_positions:
        return Beyond.IGNORED, modulus_steps(setting, shown)
    rule, reason = rule_above(setting)
    step = cite(rule, reason, leaves_open=rule != "one candidate")
    if step.leaves_open:
        return Beyond.OPEN, (step,) * (rule != "receptive field")  # the contexts say more
    if encoding.reference in ("absolute", "shifted", "significance"):
        what = f"under {encoding.label} neighbouring positions are alike"
        if carry_reach(setting.task, setting.base) is not None:
            what += ", so a digit rule may go on"
            return Beyond.OPEN, (step, cite("neighbours", what, leaves_open=True))
        what += f"; {_HAS_TO_BE_STEADY}"
        alike = cite("neighbours", what)
        return Beyond.STEADILY_IGNORED, (step, alike, *modulus_steps(setting, shown))
    return Beyond.ONE_IGNORED, (step, *modulus_steps(setting, shown))


def beyond_lengths(
    setting: Setting, shown: Support, upward: Beyond
) -> tuple[tuple[Beyond, ...], tuple[Step, ...]]:
    """What happens at each test length, where ``upward`` is what happens in general.

    Where training shows every context of a length models are right, and where it lacks some they
    are not said to be (rule *receptive field*), whatever else would say so.  What is shared by
    positions ignores one digit of each operand, and more only if the model is known to be steady
    (rule *shared parameters*).
    """
    longest = setting.train.every_length[-1]
    stopped = {n for n in setting.test_lengths if upward is Beyond.STOPS and n > longest}
    surely, lacking, steps = shown_lengths(setting, besides=stopped)
    if upward is Beyond.OPEN and not steps:
        steps = _uncompared(setting)
    too_far = [
        n
        for n in setting.test_lengths
        if upward is Beyond.ONE_IGNORED
        and n not in surely | lacking
        and _changed(setting, shown, n) > setting.task.operands
    ]
    if too_far:
        what = (
            f"{setting.encoding.label} shares parameters among positions, and at "
            f"{lengths_text(too_far)} more than one ignored digit of an operand changes; "
            f"{_HAS_TO_BE_STEADY}"
        )
        steps += (cite("shared parameters", what),)
    special = dict.fromkeys(too_far, Beyond.STEADILY_IGNORED)
    if upward is Beyond.STOPS:  # of shorter inputs it says nothing
        special = dict.fromkeys({*setting.test_lengths} - stopped, Beyond.UNPLACED)
    if not upward.is_silent:
        special |= dict.fromkeys(lacking, Beyond.UNSHOWN)
    special |= dict.fromkeys(surely, Beyond.SHOWN)
    return tuple(special.get(n, upward) for n in setting.test_lengths), steps


def _uncompared(setting: Setting) -> tuple[Step, ...]:
    """Why contexts are not compared that might be; no step where there are none to compare."""
    if receptive_field(setting) is None or carry_reach(setting.task, setting.base) is None:
        return ()
    try:
        unshown(setting)
    except NotCountable as error:
        return (cite("receptive field", f"nothing follows: {error}", leaves_open=True),)
    return ()


def _changed(setting: Setting, shown: Support, digits: int) -> int:
    """How many of the digits that training kept constant may be others in operands so long."""
    constants = (
        (i, shown.constant((j, i)))
        for j in range(setting.task.operands)
        for i in range(1, max(digits, shown.width) + 1)
    )
    return sum(c is not None and (i <= digits or c != 0) for i, c in constants)


def shown_lengths(
    setting: Setting, decides: bool = True, besides: Collection[int] = ()
) -> tuple[frozenset[int], frozenset[int], tuple[Step, ...]]:
    """The test lengths of whose inputs training shows every context, those of which it lacks some.

    Args:
        decides: whether models are right there; otherwise indices have to be shown too.
        besides: lengths of which another rule says that models are wrong.

    Returns:
        Both, and the steps to it; nothing where contexts are not compared.
    """
    try:
        contexts = unshown(setting)
    except NotCountable:
        return frozenset(), frozenset(), ()
    found = [n for n, missing in contexts.items() if missing is None]
    lacking = {n: x for n, x in contexts.items() if x is not None and n not in besides}
    if not (found or lacking):
        return frozenset(), frozenset(), ()
    steps = []
    if found:
        steps.append(
            f"training shows every context of {lengths_text(found)}"
            + f", so {RIGHT_THERE}" * decides
        )
    if lacking:
        one = next(iter(lacking.values()))
        beginning = "... " if len(one.tokens) > _LONGEST_CONTEXT else ""
        steps.append(
            f"at {lengths_text(list(lacking))} it lacks some, or answers them otherwise, as "
            f"'{beginning}{' '.join(one.tokens[-_LONGEST_CONTEXT:])}' for result digit "
            f"{one.position}"
        )
    what = (
        f"with {setting.layers_text} and a window of {setting.window} an answer depends on the "
        f"last {receptive_field(setting)} tokens, its context: {'; '.join(steps)}"
    )
    return frozenset(found), frozenset(lacking), (cite("receptive field", what),)


def support_step(shown: Support) -> Step:
    """Which digits are read."""
    names = shown.task.names
    lengths = {shown.read_length(j) for j in range(len(names))}
    n = lengths.pop() if len(lengths) == 1 else None
    if n is not None:
        which = {0: "No position", 1: "Position 1 (units)"}.get(n, f"Positions 1 (units) to {n}")
        return cite("support", f"{which} varied in training; above, only 0")
    rows = []
    for j, name in enumerate(names):
        constants = [shown.constant((j, i)) for i in range(1, shown.width + 1)]
        words = ["read" if c is None else f"always {c}" for c in constants]
        rows.append(" ".join([name, *(f"{i}:{word}" for i, word in enumerate(words, 1))]))
    return cite("support", "Read and ignored positions: " + "; ".join(rows))


def modulus_steps(setting: Setting, shown: Support) -> tuple[Step, ...]:
    """What the modulus, if any, leaves of the digits above those that are read."""
    p, base, operands = setting.task.modulus, setting.base, range(setting.task.operands)
    lengths = {shown.read_length(j) for j in operands}
    n = lengths.pop()
    if p is None or n is None or lengths:
        return ()
    k = base_aligned(p, base)
    if k is not None and k <= n:
        digits, varied = f"{k} digits of each operand matter", f"all {k}"
        if k == 1:
            digits, varied = "digit of each operand can matter", "it"
        what = f"{p} divides {base}^{k}: only the lowest {digits}, and {varied} varied in training"
        if k == 0:
            what = "Modulo 1 every answer is 0: no digit matters"
        return (cite("base aligned", what),)
    left = residual_modulus(p, base, n)
    what = f"The digits above position {n} matter modulo p' = {p} / gcd({p}, {base}^{n}) = {left}"
    if any(shown.period((j, n + 1)) != left for j in operands):
        what += ", or less where they are multiplied by a common divisor"
    return (cite("residual modulus", what),)
