"""Views: what the query of each result digit sees, and whether it can tell where it is.

A *view* is the tokens in a receptive field, each with the address that the encoding gives it.  What
deeper layers can pass on counts as seen: a query sees all of its receptive field, and the whole
prefix where the number of layers is left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.effort import memoize_with_cost, spend
from arith.theory.arithmetic.tasks import Task
from arith.theory.observation.addresses import local_needs
from arith.theory.observation.joint_support import carry_range, unseen
from arith.theory.observation.support import OperandDigit, Support
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import RESULT, Token

Landmark = tuple[str, int]
"""A landmark in view: the token's symbol, and how many tokens back it stands."""


@dataclass(frozen=True)
class View:
    """What the query that writes one result digit sees.

    Args:
        offsets: how many tokens back each needed digit stands (0 is the query itself).
        landmarks: those in the window, the furthest first.
    """

    position: int
    offsets: tuple[int, ...]
    landmarks: tuple[Landmark, ...]

    @property
    def back(self) -> int:
        """How many tokens back the furthest needed digit stands."""
        return max(self.offsets, default=0)


def carry_reach(task: Task, base: int) -> int | None:
    """How many positions back a result digit has to look, None without finite carry."""
    return digit_automaton(task, base).reach if task.has_finite_carry else None


def indices(tokens: tuple[Token, ...]) -> dict[tuple[int, int], int]:
    """The index of each digit of a sequence, by whose it is and its position."""
    digits = ("operand", "result")
    return {
        (t.operand, t.position + d): s
        for s, t in enumerate(tokens)
        if t.kind in digits
        for d in range(t.digits)
    }


@lru_cache(maxsize=8)  # thousands of tokens each, and asked for several times for a setting
def tokens(setting: Setting) -> tuple[Token, ...]:
    """The tokens of one example, for the longest operands that are written."""
    operands = (setting.operand_width,) * setting.task.operands
    return setting.layout.tokens(operands, setting.result_digits, setting.natural)


def views(setting: Setting) -> Iterator[View]:
    """The view of each result digit of a task of finite carry, for the longest operands.

    Raises:
        TooMuchWork: too many tokens.
    """
    task, sequence = setting.task, tokens(setting)
    reach = carry_reach(task, setting.base)
    if reach is None:
        return
    index, needs = indices(sequence), local_needs(task.operands, reach)
    landmarks = [(t.symbol, s) for s, t in enumerate(sequence) if t.kind == "landmark"]
    for i in range(1, setting.result_digits + 1):
        spend(1_000 * min(setting.window or len(sequence), len(sequence)) + 5_000)
        query = index[RESULT, i] - 1
        keys = (index.get((need.operand, i - need.below)) for need in needs)
        offsets = tuple(query - key for key in keys if key is not None)
        first = max(0, query - setting.window + 1) if setting.window else 0
        seen = tuple((symbol, query - s) for symbol, s in landmarks if first <= s <= query)
        yield View(i, offsets, seen)


def sight(setting: Setting) -> int:
    """How many tokens a query sees through all layers, or through one where they are left open."""
    return (setting.layers or 1) * (setting.window - 1) + 1


def receptive_field(setting: Setting) -> int | None:
    """How many tokens an answer can depend on; None where theory cannot say, or all of them."""
    speaks = setting.encoding.reference in ("relative", "none")
    is_narrow = 0 < setting.window < len(tokens(setting))
    return sight(setting) if speaks and setting.layers and is_narrow else None


def rule_above(setting: Setting) -> tuple[str, str]:
    """Which rule speaks of digits above the trained ones, where no context decides.

    Returns:
        The rule, and why it applies: ``landmark`` or ``selection``, if training fits a local rule
        that stops as well as one that goes on; ``one candidate``, if there is no local rule;
        ``receptive field``, if there is one and no query that training shows can tell its place.
    """
    encoding, reach = setting.encoding, carry_reach(setting.task, setting.base)
    name = encoding.label
    if encoding.reference == "absolute":
        return "one candidate", f"{name} tells a digit by its position, not by its distance"
    if reach is None and setting.task.repeats:
        return (
            "landmark",
            "one rule reads every digit alike, in results with a sign once that is known",
        )
    if reach is None:
        return "one candidate", "the task has no finite carry, so no one rule repeats"
    if encoding.reference in ("shifted", "significance"):
        what = f"{name} numbers digits from a random start, and a number shows where it is"
        return "landmark", what
    if not can_single_out(setting):
        what = f"under {name} no query can single out the offset of a digit"
        return "selection", what
    local = [v for v in views(setting) if reach < v.position <= setting.digits]
    if not local:
        return "landmark", "no result digit that is written lies beyond the first carries"
    if len({v.offsets for v in local}) > 1:
        what = f"in the {setting.layout.text} the digits stand at changing offsets"
        return "one candidate", what
    reads, trained = receptive_field(setting), setting.train.most_places
    *_, last = (v for v in views(replace(setting, window=reads or 0)) if v.position <= trained)
    if not last.landmarks:
        return "receptive field", f"the last {reads} tokens may hold no landmark"
    symbol, back = last.landmarks[-1]
    through = ""
    if 0 < setting.window <= back:
        through = f" through {setting.layers_text}" if setting.layers else " if layers pass it on"
    return "landmark", (
        f"the query of result digit {last.position} sees the landmark '{symbol}' {back} tokens "
        f"back{through}, so it can tell where it is"
    )


def shows_rule(setting: Setting, shown: Support) -> bool:
    """Whether training shows a digit rule whole: its digits at some place, and its carries."""
    if carry_reach(setting.task, setting.base) is None:
        return False
    return all(_shown_views(shown, list(views(setting)), setting.train.most_places))


def _shown_views(shown: Support, every: list[View], trained: int) -> tuple[list[View], list[View]]:
    """The views at which training showed the digits of a local rule whole, and those of its carry.

    As digits are added, what it showed at one result digit and at another it showed together.
    """
    digits, carries = list[View](), list[View]()
    reach = carry_reach(shown.task, shown.base) or 0
    for v in every:
        if v.position <= reach:  # fewer digits are below it than the rule reads
            continue
        lowest = max(1, v.position - reach)
        below = lowest == 1 or _shows_carries(shown, lowest)
        if v.position <= trained and below and _shows(shown, lowest, v.position):
            digits.append(v)
        made = all(_shows_carries(shown, i) for i in (lowest, v.position))
        if v.position <= trained + 1 and made and _shows(shown, lowest, v.position - 1):
            carries.append(v)
    return digits, carries


def _shows_carries(shown: Support, position: int) -> bool:
    """Whether training showed every carry into a position that there is."""
    carry, every = carry_range(shown, position), digit_automaton(shown.task, shown.base).ranges[-1]
    return carry is not None and carry[0] <= every[0] and every[-1] <= carry[1]


@memoize_with_cost(1024)
def _shows(shown: Support, lowest: int, highest: int) -> bool:
    """Whether the digits at some positions took every value in training.

    The combinations that joint support does not fix have to be shown, too.
    """
    task, base = shown.task, shown.base
    reads = set(product(range(task.operands), range(lowest, highest + 1)))
    if any(shown.constant(digit) is not None for digit in reads):
        return False
    every = Box(((tuple(range(base)),) * highest,) * task.operands)
    return not any(reads.issuperset(combination) for combination in unseen(shown, every))


def can_localize(setting: Setting, shown: Support) -> tuple[Decision, str] | None:
    """Whether a model without an encoding can tell its place, and by which landmark, in words.

    No: some result digit that shows the whole rule has no landmark in the receptive field of its
    query.  Yes: every result digit that varies has one in the receptive field of one layer less, so
    that the last layer reads digits knowing its place.  None where the question does not arise.
    """
    reads, reach = receptive_field(setting), carry_reach(setting.task, setting.base)
    if setting.encoding.reference != "none" or reads is None or reach is None:
        return None
    if not setting.layout.interleaved:  # the signs of others are landmarks to all of the result
        return None
    trained = setting.train.most_places
    seen = list(views(replace(setting, window=reads)))
    both = _shown_views(shown, seen, trained)
    if not all(both):
        return None
    told = [some[-1] for some in both if all(v.landmarks for v in some)]
    if not told:
        return Decision.NO, ""
    symbol, back = told[0].landmarks[-1]
    landmark = f"the query of result digit {told[0].position} has '{symbol}' {back} tokens back"
    before = reads - (setting.window - 1)
    varying = (v for v in seen if v.position <= trained + reach)  # the last are carries alone
    soon = all(any(back < before for _, back in v.landmarks) for v in varying)
    return Decision.YES if soon else Decision.UNDECIDED, landmark


def can_single_out(setting: Setting) -> bool:
    """Whether every query can find the digits that its local rule asks for.

    An encoding that only learns the digits' order needs a window that holds nothing but those.
    """
    selection, window = setting.encoding.selection, setting.window
    written = len(tokens(setting))
    if setting.encoding.merges(min(window or written, written)):
        return False
    if selection == "any":
        return True
    reach = carry_reach(setting.task, setting.base)
    if selection == "none" or not window or reach is None:
        return False
    return all(
        len(set(view.offsets)) == window
        for view in views(setting)
        if reach < view.position <= setting.digits
    )


def outside_window(setting: Setting, shown: Support) -> str:
    """What some query needs and cannot see in one look, and what follows; empty if all is seen."""
    if not setting.window:
        return ""
    if unseen := _unseen_digit(setting, shown):
        operand, position = unseen
        name = setting.task.names[operand]
        layers = f" in {setting.layers_text}" * bool(setting.layers)
        return (
            f"with a window of {setting.window}{layers} no query sees digit {position} of "
            f"{name} (1 is the units), so no model can learn the task"
        )
    hidden = _hidden_digit(setting, shown)
    return hidden and f"{hidden}, so a model may never learn the task"


def _unseen_digit(setting: Setting, shown: Support) -> OperandDigit | None:
    """An operand digit that varies and is needed, and that no query sees in any layer.

    Where the number of layers is left open only a window of one token hides a digit from all.
    """
    if not (setting.layers or setting.window == 1):
        return None
    sequence = tokens(setting)
    spend(1_000 * len(sequence))
    index = indices(sequence)
    queries = sorted(s - 1 for (j, _), s in index.items() if j == RESULT)
    for digit in shown.needed:
        after = [query for query in queries if query >= index[digit]]
        if not after or after[0] - index[digit] >= sight(setting):
            return digit
    return None


def _hidden_digit(setting: Setting, shown: Support) -> str:
    """Which digit some query needs and cannot see in one look; empty if every one can."""
    window = setting.window
    if carry_reach(setting.task, setting.base) is not None:
        for view in views(setting):
            if view.back >= window:
                return (
                    f"result digit {view.position} needs a digit {view.back} tokens back, "
                    f"outside a window of {window}"
                )
        return ""
    sequence = tokens(setting)
    index = indices(sequence)
    for i, query in sorted((i, s - 1) for (j, i), s in index.items() if j == RESULT):
        spend(1_000 * min(window, len(sequence)) + 5_000)
        hidden = [digit[1] for digit in shown.needed if query - index[digit] >= window]
        if hidden:
            return (
                f"a window of {window} hides digit {hidden[-1]} of an operand from result digit {i}"
            )
    return ""


def causally_masked(setting: Setting, shown: Support) -> bool:
    """Whether the causal mask hides every digit that training kept constant from every query.

    A window does not: what it hides from a query, tokens in between can pass on.
    """
    sequence = tokens(setting)
    spend(1_000 * len(sequence))
    last = max(s for s, t in enumerate(sequence) if t.kind == "result")
    return all(
        shown.constant((t.operand, t.position)) is None
        for t in sequence[:last]
        if t.kind == "operand"
    )
