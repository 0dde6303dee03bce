"""Identifiability: does training pin down the rule at longer lengths?

A landmark that several layers could pass on is counted where it marks the digits
above the trained ones, and otherwise not: a premise of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from theory.inference.joint_support import carry_range, period, unseen
from theory.inference.support import Place, Support
from theory.inference.views import carry_reach, landmarks, places, views
from theory.numbers.effort import remembered
from theory.setting.domains import Box
from theory.setting.encodings import Encoding
from theory.setting.layouts import Layout
from theory.setting.tasks import Task


def _marked(task: Task, base: int, layout: Layout, window: int, trained: int, digits: int) -> str:
    """Which operand digit above the trained ones sees a landmark; empty if none does.

    Training fills those places with zeros.  If they can be told from the zeros below, a model
    may have learned to pass over whatever stands there.
    """
    tokens, _, _ = places(task, base, layout, digits)
    for s, t in enumerate(tokens):
        if t.kind == "operand" and trained < t.position <= digits:
            first = 0 if not window else max(0, s - window + 1)
            for what, back in landmarks(tokens, first, s):
                place = _what(task, (t.operand, t.position))
                return f"{place}, always 0 in training, sees the {what} {back} tokens back"
    return ""


@dataclass(frozen=True)
class Continuation:
    """Whether the local rule goes on beyond the trained lengths.

    Args:
        outcome: ``forced``, ``open`` (two rules fit the data), ``loose`` (the encoding does not
            hold the rule), or ``impossible``.
        reason: why, in one sentence.
    """

    outcome: str
    reason: str


def continuation(
    task: Task,
    base: int,
    layout: Layout,
    encoding: Encoding,
    window: int,
    trained: int,
    shown: Support,
    digits: int,
) -> Continuation:
    """Whether a relative encoding has to carry a task's local rule to longer inputs.

    Args:
        trained: the longest trained length.
        shown: what training showed.
        digits: the longest operand that is written.
    """
    if encoding.reference in ("absolute", "significance"):
        return Continuation(
            "impossible", f"{encoding.name} does not tell a digit by its distance from the query"
        )
    reach = carry_reach(task, base)
    if reach is None:
        return Continuation("impossible", "the task has no finite carry, so no one rule repeats")
    if not finds_digits(task, base, layout, encoding, window, digits):
        return Continuation(
            "loose", f"under {encoding.name} no query can single out the offset of a digit"
        )
    found = list(views(task, base, layout, window, digits))
    seen = [v for v in found if reach < v.position <= digits]
    if not seen:
        return Continuation("open", "no result digit that is written lies beyond the first carries")
    if len({v.offsets for v in seen}) > 1:
        return Continuation(
            "impossible", f"in the {layout.name} layout the digits stand at changing offsets"
        )
    fixed = [
        place
        for place in product(range(task.operands), range(1, trained + 1))
        if shown.constant(place) is not None
    ]
    if fixed:
        return Continuation("open", f"training showed one digit only at {_what(task, fixed[0])}")
    whole = [
        v for v in seen if v.position <= trained and _shows_rule(task, base, shown, v.position)
    ]
    if not whole:
        return Continuation(
            "open",
            "training shows the whole rule, with every digit that it reads, at no result digit",
        )
    for v in found:
        anchored = v.landmarks or v.position <= reach
        if anchored and v.position <= trained and not _shows_rule(task, base, shown, v.position):
            return Continuation(
                "open",
                f"the query of result digit {v.position} can tell where it is, and training lacks digits "
                "that the rule reads there",
            )
    clear = [v for v in whole if not v.landmarks]
    if not clear:
        what, back = whole[-1].landmarks[-1]
        return Continuation(
            "open",
            f"the query of result digit {whole[-1].position} sees the {what} "
            f"{back} tokens back, so it can tell where it is",
        )
    if any(v.landmarks and v.position > trained for v in seen):
        return Continuation("open", "a landmark comes into view at longer lengths")
    marked = _marked(task, base, layout, window, trained, digits)
    if marked:
        return Continuation("open", marked)
    position = min(v.position for v in clear)
    alone = "" if encoding.selection == "any" else ", nor anything else"
    return Continuation(
        "forced",
        f"from result digit {position} on every query finds its digits at the same offsets "
        f"(up to {seen[0].back} tokens back) and sees no landmark{alone}",
    )


@remembered(4096)
def _shows_rule(task: Task, base: int, shown: Support, position: int) -> bool:
    """Whether training showed the local rule of a finite carry whole at a result digit.

    It did if the digits that the rule reads took every value, the combinations that joint
    support does not fix were shown, and the carry from below them varied.  (Below the units there
    is nothing that could vary; the padding above shows how carries go on.)
    """
    lowest = max(1, position - (carry_reach(task, base) or 0))
    span = {(j, i) for j in range(task.operands) for i in range(lowest, position + 1)}
    if any(shown.constant(place) is not None for place in span):
        return False
    every = Box(((tuple(range(base)),) * position,) * task.operands)
    if any(set(combination) <= span for combination in unseen(task, shown, (every,), base)):
        return False
    carry = carry_range(task, shown, lowest, base)
    return lowest == 1 or (carry is not None and carry[0] < carry[1])


@remembered(4096)
def finds_digits(
    task: Task, base: int, layout: Layout, encoding: Encoding, window: int, digits: int
) -> bool:
    """Whether every query can find the digits that its local rule asks for.

    It can if the encoding singles out any offset.  If it only learns the digits' order, it still
    can if the window holds nothing but those digits: there is nothing to choose.
    """
    if encoding.selection == "any":
        return True
    reach = carry_reach(task, base)
    if encoding.selection == "none" or not window or reach is None:
        return False
    return all(
        len(set(view.offsets)) == window
        for view in views(task, base, layout, window, digits)
        if reach < view.position <= digits
    )


def blind(task: Task, base: int, layout: Layout, window: int, digits: int, support: Support) -> str:
    """Why some query cannot see a digit it needs in one look; empty if every one can."""
    if not window:
        return ""
    for view in views(task, base, layout, window, digits):
        if carry_reach(task, base) is None:
            needed = {
                (j, i)
                for j in range(task.operands)
                for i in range(1, support.width + 1)
                if support.constant((j, i)) is None and period(task, (j, i), base) != 1
            }
            if layout.interleaved:
                needed = {(j, i) for j, i in needed if i <= view.position}
            missing = needed - set(view.visible)
            if missing:
                return (
                    f"a window of {window} hides digit {max(missing)[1]} of an operand "
                    f"from result digit {view.position}"
                )
        elif view.back >= window:
            return (
                f"result digit {view.position} needs a digit {view.back} tokens back, "
                f"outside a window of {window}"
            )
    return ""


@remembered(4096)
def out_of_sight(task: Task, base: int, layout: Layout, digits: int, support: Support) -> bool:
    """Whether the causal mask hides every digit that training kept constant from every query.

    A window does not: what it hides from a query, tokens in between can pass on.
    """
    return all(
        support.constant(place) is None
        for view in views(task, base, layout, 0, digits)
        for place in view.visible
    )


@remembered(4096)
def shared_offset(
    task: Task, base: int, layout: Layout, window: int, digits: int, support: Support
) -> str:
    """Where a digit to be ignored stands as far back as one that is read; empty if nowhere.

    A parameter per offset can switch off the digits that never varied only if no token finds a
    digit that matters at the same offset.  Every token may be a reader: the tokens in between
    pass on what they have read.
    """
    tokens, _, _ = places(task, base, layout, digits)
    read = [
        s
        for s, t in enumerate(tokens)
        if t.kind == "operand"
        and support.constant((t.operand, t.position)) is None
        and period(task, (t.operand, t.position), base) != 1
    ]
    last = max(s for s, t in enumerate(tokens) if t.kind == "result") - 1
    for view in views(task, base, layout, window, digits):
        for place, back in view.visible.items():
            if support.constant(place) is None:
                continue
            reader, found = next(((s + back, s) for s in read if s + back <= last), (0, 0))
            if reader:
                return (
                    f"result digit {view.position} would have to ignore {_what(task, place)} "
                    f"{back} tokens back, where the token {reader - found} after "
                    f"{_what(task, (tokens[found].operand, tokens[found].position))} finds that digit"
                )
    return ""


def _what(task: Task, place: Place) -> str:
    return f"digit {place[1]} of {task.names[place[0]]}"
