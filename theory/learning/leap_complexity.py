"""Leap complexity: how many digits at once a task asks a learner to put together.

Functions that can be learned a few coordinates at a time are learned soon, those that make a
learner find many at once late or never.  The largest such step of a function is its leap
complexity (Abbe, Boix-Adserà and Misiakiewicz, arXiv 2302.11055, who count it in the function's
Fourier expansion).  Here the coordinates are the operands' digits, and a step counts by what a
Bayes classifier gains by it (ours; the evidence is in the report of the full grid, under *How
soon*).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import PART, budget, memoize_with_cost
from arith.theory.arithmetic.integer_arrays import SAFE
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import NotCountable
from arith.theory.learning.carry_classifier import CarryClassifier
from arith.theory.learning.digit_classifier import DigitClassifier
from arith.theory.observation.support import OperandDigit
from arith.theory.setting.settings import Setting

FEW = 2
"""Digits that a task may ask for at once to be learned soon (rule ``leap``)."""
GAIN = Fraction(1, 10)
"""The least share that a step has to gain of what is still unknown of a result digit.

Chosen after the fact, on sums mod 100, 200 and 300, and kept when more tasks were put to it (a
third would have fit those better).
"""
CONSTANT = Fraction(9, 10)
"""A result digit that is right so often without reading anything is left out."""
_NOTHING: frozenset[OperandDigit] = frozenset()


@memoize_with_cost(4096)
def leaps(task: Task, base: int, train: Domain, most: int = FEW) -> Decision:
    """Whether learning a task asks for more than ``most`` operand digits at once.

    Of a result digit and a set of operand digits, let g be the share of the training domain on
    which the Bayes classifier that reads these digits is right.  A step adds digits, and gains at
    least ``GAIN`` of 1 - g.  The task leaps if for some result digit steps of at most ``most``
    digits do not lead from no digits to a g of 1.

    Of a drawn training set, and of one with longer examples mixed in, this is counted on the main
    domain, all of ``D_n``: what is drawn from it likely shows the same digits.

    Returns:
        undecided where it was not counted.
    """
    if task.degree == 0:
        return Decision.NO
    if (task.modulus or 1) >= SAFE or not task.follows_polynomial:
        return Decision.UNDECIDED
    train = replace(train, priming=(), pairs=None, weights="", holdout="hash")
    boxes, n = train.boxes(base, task.operands), train.most_places
    digits = range(task.result_width(base, n))
    with suppress(NotCountable), budget(PART):
        by_place = CarryClassifier(task, base, boxes)
        if all(_told(by_place, r, most // task.operands) for r in digits):
            return Decision.NO
    with suppress(NotCountable), budget(PART):
        every = [(j, i) for j in range(task.operands) for i in range(1, n + 1)]
        begun = []
        for r in digits:
            classifier = DigitClassifier(task, base, boxes, r)
            if classifier.right(_NOTHING) < CONSTANT * classifier.total:
                # Whether there is a first step at all is soon told, so it is asked first.
                if not any(_steps(classifier, every, _NOTHING, most)):
                    return Decision.YES
                begun.append(classifier)
        return Decision.of(not all(_learned(classifier, every, most) for classifier in begun))
    return Decision.UNDECIDED


def setting_leaps(s: Setting) -> Decision:
    """Whether a setting's task leaps; undecided where digits have no positions of their own."""
    own_positions = s.encoding.own_positions and not s.natural
    if not own_positions:
        return Decision.UNDECIDED
    each = {leaps(task, s.base, s.train) for task in s.task.operations}
    return each.pop() if len(each) == 1 else Decision.UNDECIDED


def _told(classifier: CarryClassifier, r: int, most: int) -> bool:
    """Whether steps downward by up to so many whole places are known to tell a result digit."""
    total, reached = classifier.total, dict[int, int]()
    for places, right in enumerate(classifier.right(r)):
        if places == 0 and right >= CONSTANT * total:
            return True
        before = (n for p, n in reached.items() if p >= places - most)
        if places == 0 or any(right >= _least(n, total) for n in before):
            reached[places] = right
    return places in reached


def _least(right: int, total: int) -> Fraction:
    """On how many tuples one has to be right to gain enough over being right on so many."""
    return right + GAIN * (total - right)


def _learned(classifier: DigitClassifier, every: list[OperandDigit], most: int) -> bool:
    """Whether steps of at most so many digits lead to all that there is to know."""
    reached = {_NOTHING}
    ahead: list[tuple[int, list[OperandDigit]]] = [(0, [])]  # the most often right first
    while ahead:
        _, here = heappop(ahead)
        for there in _steps(classifier, every, frozenset(here), most):
            right = classifier.right(there)
            if right == classifier.total:
                return True
            if there not in reached:
                reached.add(there)
                heappush(ahead, (-right, sorted(there)))
    return False


def _steps(
    classifier: DigitClassifier,
    every: list[OperandDigit],
    here: frozenset[OperandDigit],
    most: int,
) -> Iterator[frozenset[OperandDigit]]:
    """What is read after a step of at most so many digits that gains enough, larger ones first."""
    least = _least(classifier.right(here), classifier.total)
    rest = [digit for digit in every if digit not in here]
    for size in range(most, 0, -1):
        for more in combinations(rest, size):
            there = here.union(more)
            if classifier.right(there) >= least:
                yield there
