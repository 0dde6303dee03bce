"""Leaps: how many digits at once a task asks a learner to put together.

Functions that can be learned a few coordinates at a time are learned soon, those that make a
learner find many at once late or never: Abbe, Boix-Adserà and Misiakiewicz (arXiv 2302.11055)
call the largest such step of a function its leap, counted in its Fourier expansion.  Here the
coordinates are the operands' digits, and a step counts by what a guess gains (ours; the evidence
is in the report of the full grid, under *How soon*).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations

from theory.errors import NotCountable
from theory.inference.support import OperandDigit
from theory.learning.carry_guesses import DownwardGuesses
from theory.learning.guesses import Guess
from theory.numbers.effort import budget
from theory.setting.boxes import Box
from theory.setting.domains import Domain
from theory.setting.tasks import Task

FEW = 2
"""Digits that a task may ask for at once to be learned soon (rule ``leap``)."""
GAIN = Fraction(1, 10)
"""The least share that a step has to gain of what is still unknown of a result digit.

Chosen after the fact, on sums mod 100, 200 and 300, and kept when the tasks of the grid
``leaks`` were put to it (a third would have fit those better).
"""
CONSTANT = Fraction(9, 10)
"""A result digit that is right so often without reading anything is left out."""
MOST_GUESSES = 1_000
"""Sets of digits that are looked at in one task at most (seconds)."""
_MOST_CASES = 30_000_000
"""Cases of a product's operands that are gone through for all of them at most (some ten seconds)."""
MOST_WORK = 1_500_000_000
"""Steps that counting the guesses of one task may take (some seconds)."""
_NOTHING: frozenset[OperandDigit] = frozenset()


@lru_cache(maxsize=4096)
def leaps(task: Task, base: int, train: Domain, most: int = FEW) -> bool | None:
    """Whether learning a task asks for more than ``most`` operand digits at once.

    Of a result digit and a set of operand digits, let g be the share of the training domain on
    which the best guess from these digits is right.  A step adds digits, and gains at least
    ``GAIN`` of 1 - g.  The task leaps if for some result digit steps of at most ``most`` digits do
    not lead from no digits to a g of 1.

    Of a drawn training set, and of one with longer examples mixed in, this is counted on the main
    domain, all of ``D_n``: what is drawn from it likely shows the same digits.

    Returns:
        None where it was not counted: neither is then known.
    """
    if task.degree == 0:
        return False
    train = replace(train, priming=(), pairs=None)
    boxes = train.boxes(base, task.operands)
    digits = range(task.result_width(base, train.every_length[-1]))
    if _told_downward(task, base, boxes, digits, most):
        return False
    every = [(j, i) for j in range(task.operands) for i in range(1, train.every_length[-1] + 1)]
    begun = []
    left = iter(range(_most_guesses(task, base ** train.every_length[-1])))
    try:
        with budget(MOST_WORK):
            for r in digits:
                guess = Guess(task, base, boxes, r)
                if guess.right(_NOTHING) < CONSTANT * guess.total:
                    if not any(
                        _steps(guess, every, _NOTHING, most, left)
                    ):  # soon told, and often so
                        return True
                    begun.append(guess)
            return not all(_learned(guess, every, most, left) for guess in begun)
    except NotCountable:
        return None


def _most_guesses(task: Task, top: int) -> int:
    """How many sets of digits may be looked at: fewer where each takes long."""
    if task.is_linear:
        return MOST_GUESSES
    return min(MOST_GUESSES, _MOST_CASES // min(top, task.full_modulus or top) ** task.operands)


def _told_downward(task: Task, base: int, boxes: tuple[Box, ...], digits: range, most: int) -> bool:
    """Whether steps that read whole places downward are known to tell every result digit."""
    try:
        guesses = DownwardGuesses(task, base, boxes)
        return all(_leads_on(guesses, r, most // task.operands) for r in digits)
    except NotCountable:
        return False


def _leads_on(guesses: DownwardGuesses, r: int, most: int) -> bool:
    """The same of one result digit; a step reads up to so many places."""
    right: list[int] = []
    reached = set(range(guesses.blank(r) + 1))
    for places, here in enumerate(guesses.right(r)):
        right.append(here)
        if places == 0 and here >= CONSTANT * guesses.total:
            return True
        before = [p for p in range(max(0, places - most), places) if p in reached]
        if places in reached or any(here >= _least(right[p], guesses.total) for p in before):
            reached.add(places)
            if here == guesses.total:
                return True
        elif max(reached) < places - most:
            return False
    return False


def _least(right: int, total: int) -> Fraction:
    """On how many tuples a guess has to be right to gain enough over one that is on so many."""
    return right + GAIN * (total - right)


def _learned(guess: Guess, every: list[OperandDigit], most: int, left: Iterator[int]) -> bool:
    """Whether steps of at most so many digits lead to all that there is to know."""
    reached = {_NOTHING}
    ahead: list[tuple[int, list[OperandDigit]]] = [(0, [])]  # the best guess first
    while ahead:
        _, here = heappop(ahead)
        for there in _steps(guess, every, frozenset(here), most, left):
            right = guess.right(there)
            if right == guess.total:
                return True
            if there not in reached:
                reached.add(there)
                heappush(ahead, (-right, sorted(there)))
    return False


def _steps(
    guess: Guess,
    every: list[OperandDigit],
    here: frozenset[OperandDigit],
    most: int,
    left: Iterator[int],
) -> Iterator[frozenset[OperandDigit]]:
    """What is read after a step of at most so many digits that gains enough, larger ones first.

    Raises:
        NotCountable: nothing is left of the guesses that may be looked at.
    """
    least = _least(guess.right(here), guess.total)
    rest = [place for place in every if place not in here]
    for size in range(most, 0, -1):
        for more in combinations(rest, size):
            there = here.union(more)
            if next(left, None) is None:
                raise NotCountable("too many sets of digits to tell whether the task leaps")
            if guess.right(there) >= least:
                yield there
