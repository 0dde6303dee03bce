"""Identifiability: does training pin down the rule at longer lengths?

Derived from the layout, the encoding and the window: at which offsets each result
digit finds the digits it needs, and which anchors (landmarks) its query sees.
A landmark that several layers could pass on is counted where it marks the digits
above the trained ones, and otherwise not: a premise of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from theory.encodings import Encoding
from theory.joint_support import period
from theory.layouts import Layout, Token
from theory.properties import carries
from theory.support import Place, Support
from theory.tasks import Task


@dataclass(frozen=True)
class View:
    """What the query that writes one result digit sees.

    Args:
        position: the result digit's position, 1 = units.
        offsets: how many tokens back each needed digit stands (0 is the query itself);
            under an encoding by significance, how much higher its weight is than the
            query's, and empty where the query is no digit.
        back: how many tokens back the furthest needed digit stands.
        landmarks: what tells the query where it is: (what, how many tokens back).
        visible: the operand digits in the window, (operand, position) -> tokens back.
    """

    position: int
    offsets: tuple[int, ...]
    back: int
    landmarks: tuple[tuple[str, int], ...]
    visible: dict[Place, int]


def carry_reach(task: Task, base: int) -> int | None:
    """How many positions back a result digit has to look, None without finite carry.

    The digits of r positions below fix the carry into the lowest of them modulo
    ``base**r``; so the least r with ``base**r`` at least the number of carries is enough.
    """
    states = carries(task, base)
    if states is None:
        return None
    reach, told_apart = 0, 1
    while told_apart < states:
        reach, told_apart = reach + 1, told_apart * base
    return reach


def views(
    task: Task, base: int, layout: Layout, window: int, digits: int, reference: str = "relative"
) -> tuple[View, ...]:
    """The view of each result digit, for operands of up to ``digits`` digits.

    Args:
        reference: what the encoding tells positions apart by (see ``Encoding``).
    """
    return tuple(_views(task, base, layout, window, digits, reference))


def _views(
    task: Task, base: int, layout: Layout, window: int, digits: int, reference: str = "relative"
) -> Iterator[View]:
    """The same, one at a time: often the first few decide."""
    result_width = task.result_width(base, digits)
    width = layout.operand_width(digits, result_width)
    tokens = layout.tokens(task.operands, width, result_width)
    slot = {(t.kind, t.operand, t.position): s for s, t in enumerate(tokens) if t.kind != "anchor"}
    reach = carry_reach(task, base)
    for i in range(1, result_width + 1):
        query = slot["result", -1, i] - 1
        first = 0 if not window else max(0, query - window + 1)
        needed = [slot[key] for key in _needed(task, i, reach, width, result_width)]
        yield View(
            i,
            _offsets(reference, tokens, query, needed),
            query - min(needed, default=query),
            tuple(_landmarks(reference, tokens, first, query)),
            {
                (t.operand, t.position): query - s
                for s, t in enumerate(tokens[first : query + 1], first)
                if t.kind == "operand"
            },
        )


def _needed(
    task: Task, i: int, reach: int | None, width: int, result_width: int
) -> list[tuple[str, int, int]]:
    """The digits that result digit i is made from: those of the local rule, or all of them."""
    if reach is None:
        return [("operand", j, l) for l in range(1, width + 1) for j in range(task.operands)]
    span = range(max(1, i - reach), i + 1)
    keys = [("operand", j, l) for l in span if l <= width for j in range(task.operands)]
    return keys + [("result", -1, l) for l in span if l < i and l <= result_width]


def _offsets(
    reference: str, tokens: tuple[Token, ...], query: int, needed: list[int]
) -> tuple[int, ...]:
    if reference != "significance":
        return tuple(query - slot for slot in needed)
    if tokens[query].kind == "anchor":
        return ()
    return tuple(tokens[slot].position - tokens[query].position for slot in needed)


def _landmarks(
    reference: str, tokens: tuple[Token, ...], first: int, query: int
) -> list[tuple[str, int]]:
    """What stands at a known place: anchors, or under significance the digits at either end.

    A random start hides the place of a number, and not which of its digits is the lowest.
    """
    seen = [(t, query - s) for s, t in enumerate(tokens[first : query + 1], first)]
    if reference != "significance":
        return [(f"landmark '{t.symbol}'", back) for t, back in seen if t.kind == "anchor"]
    return [("units digit", back) for t, back in seen if t.position == 1]


def _marked(
    task: Task, base: int, layout: Layout, window: int, trained: int, digits: int, reference: str
) -> str:
    """Which operand digit above the trained ones sees a landmark; empty if none does.

    Training fills those places with zeros.  If they can be told from the zeros below, a model
    may have learned to pass over whatever stands there.
    """
    result_width = task.result_width(base, digits)
    tokens = layout.tokens(task.operands, layout.operand_width(digits, result_width), result_width)
    for s, t in enumerate(tokens):
        if t.kind == "operand" and trained < t.position <= digits:
            first = 0 if not window else max(0, s - window + 1)
            for what, back in _landmarks(reference, tokens, first, s):
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
    digits: int,
) -> Continuation:
    """Whether a relative encoding has to carry a task's local rule to longer inputs."""
    if encoding.reference == "absolute":
        return Continuation("impossible", "an absolute encoding has no rule shared by positions")
    reach = carry_reach(task, base)
    if reach is None:
        return Continuation("impossible", "the task has no finite carry, so no one rule repeats")
    if not finds_digits(task, base, layout, encoding, window, digits):
        return Continuation("loose", f"under {encoding.name} no query can single out the offset of a digit")
    found = views(task, base, layout, window, digits, encoding.reference)
    seen = [v for v in found if reach < v.position <= digits and v.offsets]
    if not seen:
        return Continuation("open", "no result digit that is written lies beyond the first carries")
    if len({v.offsets for v in seen}) > 1:
        return Continuation(
            "impossible", f"in the {layout.name} layout the digits stand at changing offsets"
        )
    clear = [v for v in seen if not v.landmarks]
    if not any(v.position <= trained for v in clear):
        spoiler = next((v for v in reversed(seen) if v.position <= trained), seen[0])
        what, back = spoiler.landmarks[-1]
        return Continuation(
            "open",
            f"the query of result digit {spoiler.position} sees the {what} "
            f"{back} tokens back, so it can tell where it is",
        )
    if any(v.landmarks and v.position > trained for v in seen):
        return Continuation("open", "a landmark comes into view at longer lengths")
    marked = _marked(task, base, layout, window, trained, digits, encoding.reference)
    if marked:
        return Continuation("open", marked)
    position = min(v.position for v in clear)
    return Continuation(
        "forced",
        f"from result digit {position} on every query finds its digits at the same offsets "
        f"(up to {seen[0].back} tokens back) and sees no landmark",
    )


@lru_cache(maxsize=4096)
def finds_digits(
    task: Task, base: int, layout: Layout, encoding: Encoding, window: int, digits: int
) -> bool:
    """Whether every query can find the digits that its local rule asks for.

    It can if the encoding singles out any offset.  If the encoding only tells what comes before
    what, it still can if the window holds nothing but those digits: there is nothing to choose.
    """
    if encoding.selective:
        return True
    reach = carry_reach(task, base)
    if encoding.reference == "none" or not window or reach is None:
        return False
    return all(
        len(set(view.offsets)) == window
        for view in _views(task, base, layout, window, digits)
        if reach < view.position <= digits
    )


def blind(task: Task, base: int, layout: Layout, window: int, digits: int, support: Support) -> str:
    """Why some query cannot see a digit it needs in one look; empty if every one can."""
    if not window:
        return ""
    for view in _views(task, base, layout, window, digits):
        if carry_reach(task, base) is None:
            needed = {
                (j, i)
                for j in range(task.operands)
                for i in range(1, support.width + 1)
                if support.constant((j, i)) is None
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


@lru_cache(maxsize=4096)
def out_of_sight(
    task: Task, base: int, layout: Layout, window: int, digits: int, support: Support
) -> bool:
    """Whether every digit that training kept constant is hidden from every query."""
    return all(
        support.constant(place) is None
        for view in _views(task, base, layout, window, digits)
        for place in view.visible
    )


@lru_cache(maxsize=4096)
def shared_offset(
    task: Task, base: int, layout: Layout, window: int, digits: int, support: Support
) -> str:
    """Where a digit to be ignored stands as far back as one that is read; empty if nowhere.

    A parameter per offset can switch off the digits that never varied only if no token finds a
    digit that matters at the same offset.  Every token may be a reader: the tokens in between
    pass on what they have read.
    """
    result_width = task.result_width(base, digits)
    width = layout.operand_width(digits, result_width)
    tokens = layout.tokens(task.operands, width, result_width)
    read = [
        s
        for s, t in enumerate(tokens)
        if t.kind == "operand"
        and support.constant((t.operand, t.position)) is None
        and period(task, (t.operand, t.position), base) != 1
    ]
    last = max(s for s, t in enumerate(tokens) if t.kind == "result") - 1
    for view in _views(task, base, layout, window, digits):
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
