"""Constant addresses: does a model keep what training always showed there, or go on by a rule?

Where a digit stands at an address that always held the digit v, training data alone fit two
functions: the task f, whose rule goes on there, and f^, in which v stays.  What the encoding lets a
query know may leave only f^.  Where it leaves both, noise tells: a stable model whose answers noise
at constant addresses does not change computes f^, and one whose answers it changes computes f.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import MISSED
from arith.theory.arithmetic.effort import PART, budget, memoize_with_cost
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.arithmetic.properties import base_aligned, residual_modulus
from arith.theory.errors import NotCountable, TooMuchWork
from arith.theory.observation.addresses import says_nothing
from arith.theory.observation.shown_views import shown_lengths, uncompared
from arith.theory.observation.support import Support
from arith.theory.observation.views import (
    can_localize,
    can_single_out,
    carry_reach,
    causally_masked,
    outside_window,
    receptive_field,
    rule_above,
    shows_rule,
)
from arith.theory.rules import Step, cite
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import goes_on

_HAS_TO_BE_STABLE = (
    "so only models that were measured to be stable at the length in question are said to ignore "
    "them"
)

_BOTH_FIT = (
    "both fit training: the task f, and f^, in which digits that training kept constant stay; as "
    "models are usually trained, noise on these digits changes no answer, so a stable model "
    "computes f^"
)
_GOES_ON = (
    "one digit rule for all places fits training; as models are usually trained in such a window, "
    "noise on digits that training kept constant changes answers, so a stable model goes on: it "
    "computes f"
)


class Computes(Enum):
    """What a model computes where digits differ from those that training always showed there."""

    RIGHT = "training shows every view, so that models are right"
    TASK = "f, if noise at constant addresses changes its answers"
    EXPECTED = "f^"
    NO_BETTER = "something that is right at most as often as f^"
    EITHER = "f or f^, if it is stable"
    UNKNOWN = "nothing is known of it"


@dataclass(frozen=True)
class Constants:
    """What is said of a model at a test length, by what it does with constant digits.

    Args:
        unchanged: something is said as well of inputs in which no such digit differs.
        masked: no query sees such a digit, so it changes no answer.
        unshown: training lacks the view of some answer, so that nothing is said of models that were
            not measured to be stable but what is proved.
        shared: addresses share parameters, so that a model has to tell them apart everywhere.
        measured: a model has to be measured as stable at the length in question.
    """

    computes: Computes
    unchanged: bool = True
    masked: bool = False
    unshown: bool = False
    shared: bool = False
    measured: bool = False


KEPT = Constants(Computes.EXPECTED)
KEPT_APART = replace(KEPT, shared=True)
KEPT_IF_STABLE = replace(KEPT, measured=True)
MASKED = replace(KEPT, masked=True)
GOES_ON = Constants(Computes.TASK, measured=True)
SHOWN = Constants(Computes.RIGHT)
STOPPED = Constants(Computes.NO_BETTER)
EITHER = Constants(Computes.EITHER)
SILENT = replace(EITHER, unchanged=False)
UNKNOWN = Constants(Computes.UNKNOWN, unchanged=False)
UNKNOWN_IF_CHANGED = Constants(Computes.UNKNOWN, measured=True, unshown=True)

_BY_PLACE = {
    Decision.NO: (SILENT, "at some trained digit it cannot tell where it is"),
    Decision.YES: (STOPPED, "{}, and one layer less sees as much at each digit that varies"),
    Decision.UNDECIDED: (SILENT, "{}, so it can tell where it is, but not a layer earlier"),
}
"""By whether a model without an encoding can tell its place: what follows, and why."""


def constants(
    setting: Setting, shown: Support
) -> tuple[dict[int, Constants], tuple[Step, ...], bool]:
    """What is said at each test length, the steps to it, and whether f^ is what is expected.

    Where training shows every context of a length models are right, and where it lacks some only
    those that were measured to be stable are said to be (rule *receptive field*).  What is shared
    by positions ignores one digit of each operand, and more only if the model is known to be stable
    (rule *shared parameters*).
    """
    try:
        with budget(PART):
            general, why = _general(setting, shown)
    except NotCountable:
        what = "Whether the digits that training showed fix the rule was not decided."
        untrained = setting.untrained
        general, why = UNKNOWN, (cite("count", what, untrained, leaves_open=True),)
    tests, longest = setting.test_lengths, setting.train.every_length[-1]
    stops = general.computes is Computes.NO_BETTER
    stopped = {n for n in tests if stops and n > longest}
    surely, lacking, steps = shown_lengths(setting, besides=stopped)
    is_local = carry_reach(setting.task, setting.base) is not None
    error = None if steps or not is_local else uncompared(setting)
    if isinstance(error, TooMuchWork):  # some may be lacking
        lacking = frozenset(setting.untrained)
    is_open = not general.measured
    if error and (lacking or general == EITHER):
        why_not = f"nothing follows: {error}"
        steps = (cite("receptive field", why_not, lacking, leaves_open=is_open),)
    too_far = [
        n
        for n in tests
        if general.shared
        and n not in surely | lacking
        and _changed(setting, shown, n) > setting.task.operands
    ]
    if too_far:
        what = (
            f"{setting.encoding.label} shares parameters among positions, and at "
            f"{lengths_text(too_far)} more than one ignored digit of an operand changes; "
            f"{_HAS_TO_BE_STABLE}"
        )
        steps += (cite("shared parameters", what, too_far),)
    special = dict.fromkeys(too_far, KEPT_IF_STABLE)
    if stops:  # of shorter inputs it says nothing
        special = dict.fromkeys({*tests} - stopped, SILENT)
    if general.unchanged:
        unshown = replace(general if general.measured else EITHER, unshown=True)
        special |= dict.fromkeys(lacking, unshown)
    special |= dict.fromkeys(surely, SHOWN)
    found = {n: special.get(n, general) for n in tests}
    if all(found[n] == SHOWN for n in setting.untrained):
        why = ()  # nothing rests on it
    return found, (*why, *steps), general.computes is Computes.EXPECTED


@memoize_with_cost(256)
def _general(setting: Setting, shown: Support) -> tuple[Constants, tuple[Step, ...]]:
    """What is said where contexts decide nothing, and the steps to it."""
    encoding, train = setting.encoding, setting.train
    longer = [n for n in setting.test_lengths if train.direction(n) == Direction.UPWARD]
    every = setting.untrained
    if not train.likely_whole(setting.base, setting.task.operands):
        what = f"{train.text()} may lack digits that the domain has"
        what += f", with a chance of {MISSED:g} or more."
        return UNKNOWN, (cite("sample", what, every, leaves_open=True),)
    hidden = outside_window(setting, shown)
    if hidden:
        return UNKNOWN, (cite("blind", hidden, every, leaves_open=True),)
    if causally_masked(setting, shown):
        what = "no query sees a digit that training kept constant"
        return MASKED, (cite("out of sight", what, longer),)
    if encoding.reference == "random":
        step = cite("random positions", says_nothing(setting), longer, leaves_open=True)
        return UNKNOWN_IF_CHANGED, (step,)
    place = can_localize(setting, shown)
    if place is not None:
        follows, why = _BY_PLACE[place[0]]
        reads = receptive_field(setting)
        what = f"with {setting.layers_text} an answer depends on the last {reads} tokens: "
        step = cite(
            "position", what + why.format(place[1]), every, leaves_open=not follows.unchanged
        )
        return follows, (step,)
    if not (can_single_out(setting) or setting.layout.marked):
        what = (
            f"under {encoding.label} no query can single out the offset of a digit, and no sign "
            "says where a number starts"
        )
        if encoding.reference == "none":
            return UNKNOWN, (cite("selection", what, longer, leaves_open=True),)
        either, told = _told_by_noise(setting, shown, longer)
        return replace(either, unshown=True), (cite("selection", what, longer), *told)
    if setting.layout.hinted:
        what = "a query can find a digit by the marker before it, at trained positions and others"
        either, told = _told_by_noise(setting, shown, longer)
        return either, (cite("hints", what, longer, leaves_open=either == EITHER), *told)
    if encoding.own_positions:
        return KEPT, modulus_steps(setting, shown, longer)
    rule, reason = rule_above(setting)
    if rule != "one candidate":
        either, told = _told_by_noise(setting, shown, longer)
        step = cite(rule, reason, longer, leaves_open=either == EITHER)
        return either, (step,) * (rule != "receptive field") + told  # the contexts say more
    step = cite(rule, reason, longer)
    if encoding.reference in ("absolute", "shifted", "significance"):
        what = f"under {encoding.label} positions share parameters, so neighbours may be alike"
        if setting.task.repeats:
            either, told = _told_by_noise(setting, shown, longer)
            what += ", so a digit rule may go on"
            return either, (step, cite("neighbours", what, longer), *told)
        alike = cite("neighbours", f"{what}; {_HAS_TO_BE_STABLE}", longer)
        return KEPT_IF_STABLE, (step, alike, *modulus_steps(setting, shown, longer))
    return KEPT_APART, (step, *modulus_steps(setting, shown, longer))


def _told_by_noise(
    setting: Setting, shown: Support, longer: Collection[int]
) -> tuple[Constants, tuple[Step, ...]]:
    """Which of two candidates a stable model computes, and the step to it.

    Said is what follows for models that are trained as usual: by noise that places bear, which
    makes them ignore constant digits, or where one rule should go on in a window without it.
    Nothing is said where training lacks a part of the digit rule; nor without an encoding, as there
    a stable model was seen to compute f^ all the same.
    """
    is_open = goes_on(setting) and not shows_rule(setting, shown)
    has_rule = carry_reach(setting.task, setting.base) is not None
    if setting.encoding.reference == "none" or is_open or not has_rule:
        return EITHER, ()
    if goes_on(setting):
        return GOES_ON, (cite("two candidates", _GOES_ON, longer),)
    return KEPT_IF_STABLE, (cite("two candidates", _BOTH_FIT, longer),)


def _changed(setting: Setting, shown: Support, digits: int) -> int:
    """How many of the digits that training kept constant may be others in operands so long."""
    places = setting.train.places(digits)
    kept = (
        (i, shown.constant((j, i)))
        for j in range(setting.task.operands)
        for i in range(1, max(places, shown.width) + 1)
    )
    return sum(c is not None and (i <= places or c != 0) for i, c in kept)


def modulus_steps(setting: Setting, shown: Support, lengths: Collection[int]) -> tuple[Step, ...]:
    """What the modulus, if any, leaves of the digits above those that are read."""
    p, base, operands = setting.task.modulus, setting.base, range(setting.task.operands)
    widths = {*shown.read_lengths}
    n = widths.pop()
    if p is None or n is None or widths:
        return ()
    k = base_aligned(p, base)
    if k is not None and k <= n:
        digit = setting.token_or("digit")
        digits, varied = f"{k} {digit}s of each operand matter", f"all {k}"
        if k == 1:
            digits, varied = f"{digit} of each operand can matter", "it"
        what = f"{p} divides {base}^{k}: only the lowest {digits}, and {varied} varied in training"
        if k == 0:
            what = "Modulo 1 every answer is 0: no digit matters"
        return (cite("base aligned", what, lengths),)
    left = residual_modulus(p, base, n)
    above = f"The digits above {setting.token_or('place')} {n}"
    what = f"{above} matter modulo p' = {p} / gcd({p}, {base}^{n}) = {left}"
    if any(shown.period((j, n + 1)) != left for j in operands):
        what += ", or less where they are multiplied by a common divisor"
    return (cite("residual modulus", what, lengths),)
