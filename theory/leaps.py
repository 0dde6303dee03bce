"""Leaps: how many digits at once a task asks a learner to put together.

Functions that can be learned a few coordinates at a time are learned soon, those that make a
learner find many at once late or never: Abbe, Boix-Adserà and Misiakiewicz (arXiv 2302.11055)
call the largest such step of a function its leap, counted in its Fourier expansion.  Here the
coordinates are the operands' digits, and a step counts by what a guess gains (ours; the evidence
is in the report of the full grid, under *How soon*).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations

from theory.domains import Domain
from theory.effort import budget
from theory.guesses import Guess
from theory.integer_arrays import NotCountable
from theory.support import Place
from theory.tasks import Task

FEW = 2
"""Digits that a task may ask for at once to be learned soon (rule ``leap``)."""
GAIN = Fraction(1, 10)
"""The least share that a step has to gain of what is still unknown of a result digit.

Chosen after the fact, on sums mod 100, 200 and 300, and kept when the tasks of the grid
``leaks`` were put to it (a third would have fit those better).
"""
CONSTANT = Fraction(9, 10)
"""A result digit that is right so often without reading anything is left out."""
MOST_WORK = 1_500_000_000
"""Steps that counting the guesses of one task may take (some seconds)."""
_NOTHING: frozenset[Place] = frozenset()


@lru_cache(maxsize=4096)
def leaps(task: Task, base: int, train: Domain, most: int = FEW) -> bool | None:
    """Whether learning a task asks for more than ``most`` operand digits at once.

    Of a result digit and a set of operand digits, let g be the share of the training domain on
    which the best guess from these digits is right.  A step adds digits, and gains at least
    ``GAIN`` of 1 - g.  The task leaps if for some result digit steps of at most ``most`` digits do
    not lead from no digits to a g of 1.

    Returns:
        None for primed or drawn training sets, and where it cannot be counted.
    """
    if train.priming or train.pairs is not None:
        return None
    boxes = train.boxes(base, task.operands)
    every = [(j, i) for j in range(task.operands) for i in range(1, train.every_length[-1] + 1)]
    begun = []
    try:
        with budget(MOST_WORK):
            for r in range(task.result_width(base, train.every_length[-1])):
                guess = Guess(task, base, boxes, r)
                if guess.right(_NOTHING) < CONSTANT * guess.total:
                    if not any(_steps(guess, every, _NOTHING, most)):  # soon told, and often so
                        return True
                    begun.append(guess)
            return not all(_learned(guess, every, most) for guess in begun)
    except NotCountable:
        return None


def _learned(guess: Guess, every: list[Place], most: int) -> bool:
    """Whether steps of at most so many digits lead to all that there is to know."""
    reached = {_NOTHING}
    ahead: list[tuple[int, list[Place]]] = [(0, [])]  # the best guess first
    while ahead:
        _, here = heappop(ahead)
        for there in _steps(guess, every, frozenset(here), most):
            right = guess.right(there)
            if right == guess.total:
                return True
            if there not in reached:
                reached.add(there)
                heappush(ahead, (-right, sorted(there)))
    return False


def _steps(
    guess: Guess, every: list[Place], here: frozenset[Place], most: int
) -> Iterator[frozenset[Place]]:
    """What is read after a step of at most so many digits that gains enough, larger ones first."""
    least = guess.right(here) + GAIN * (guess.total - guess.right(here))
    rest = [place for place in every if place not in here]
    for size in range(most, 0, -1):
        for more in combinations(rest, size):
            there = here.union(more)
            if guess.right(there) >= least:
                yield there
