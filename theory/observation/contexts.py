"""Contexts: all that the answer to a query can depend on, and which of them training shows.

In a model of L layers under a window of W tokens the answer at a query depends on the last
``R = L (W - 1) + 1`` tokens alone, unless the encoding says where in the sequence a token stands:
each layer hands on what its query saw, and no layer sees further than W tokens.  So a model gives
the same answer to equal contexts.  If training shows every context that a test asks for, a model
that is right on all of training is right on the test.  The proof, and what holds where a context
was not shown, are in ``docs/proofs.md``.

Contexts are not written out: there are too many.  The digits are read from the lowest in sight
upwards, with the carry of the test and with every carry that training can have after the same
digits (the subset construction of Rabin and Scott 1959).  A difference is defined where it is not
negative: so of the carries that come out of the digits in sight those count after which the digits
above them can still make it so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import NamedTuple

from arith.theory.arithmetic.automaton import digit_automaton, sums
from arith.theory.arithmetic.boxes import Box, largest_value
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import ENTRIES, memoize_with_cost, spend
from arith.theory.errors import NotCountable, TooMuchWork
from arith.theory.observation.views import receptive_field, tokens
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import encoding
from arith.theory.transformer.layouts import EQUALS, Token

_Role = tuple[str, int, int]
"""A token of a context: its symbol; or ``operand``, ``result`` or ``rest``, of which operand, and
how many places above the digit that is asked for."""
_DIGITS = ("operand", "result", "rest")
"""Of numbers of natural length the digits of the result that are left after the operands are
``rest``: where no carry comes in there, the result has ended."""
_END = -2
"""What is written, in place of a digit, where the result has ended."""
_COMPARED = "contexts are compared for tasks of a finite carry under a window"
_MOST_COMBINATIONS = ENTRIES // 20
_Letter = tuple[int, ...]
"""The digits in sight at one place."""
_Moves = frozenset[tuple[int, int]]
"""Carries out of a place, each with the answer that is given there or -1."""
_Values = tuple[tuple[int, ...], ...]
"""The values of each operand's digit at one place."""
_State = tuple[int, int, int, int]
"""The number of the values still to come; the least carry out of all of them after which the
result can be 0 or more; the carry into them; the answer, -1 before it."""
_Kind = tuple[int, int]
"""What the moves from a state depend on: the number of the values at the next place, the carry."""
_Queries = dict[tuple[_Role, ...], list[int]]
_Shown = frozenset[_State]
"""The states that training can have reached by the same digits."""


class _Sight(NamedTuple):
    """What is in sight at a place.

    Args:
        seen: the operands whose digits are; -1 is the result.
        answers: whether the result's digit there is the one that is asked for.
        is_rest: whether it is left after the operands; without a carry the result has ended, and
            nothing is asked above.
    """

    seen: tuple[int, ...]
    answers: bool
    is_rest: bool


@dataclass(frozen=True)
class Unshown:
    """A context that a test asks for, and training never shows, or answers otherwise.

    Args:
        position: of the result digit that is asked for; 1 is the units.
        tokens: the context as it is written, the query last.
    """

    position: int
    tokens: tuple[str, ...]


def unshown(setting: Setting) -> dict[int, Unshown | None]:
    """By test length, a context that it asks for and training never shows; None where it shows all.

    Raises:
        NotCountable: no receptive field, a task without a finite carry, training that gives one
            context two answers, or too much work.
    """
    reads = receptive_field(setting)
    if reads is None:
        raise NotCountable(_COMPARED)
    return _unshown(replace(setting, encoding=encoding("rpe")), reads)


@memoize_with_cost(256)
def _unshown(setting: Setting, reads: int) -> dict[int, Unshown | None]:
    """``unshown``, by the tokens of a context alone: encodings that see the same share the work."""
    task, train = setting.task, setting.train
    if not task.has_finite_carry:
        raise NotCountable(_COMPARED)
    if setting.layout.hinted or setting.layout.scratchpad:
        raise NotCountable("contexts with markers or carries are not compared")
    if train.sampled:
        raise NotCountable("a drawn training set may lack contexts of its domain")
    contexts = _Contexts(setting, reads)
    contexts.lacking(train)
    return {n: contexts.lacking(setting.test(n)) for n in setting.test_lengths}


class _Contexts:
    """The contexts that training shows, to be compared with those of tests.

    Args:
        reads: the tokens of a context.
    """

    def __init__(self, setting: Setting, reads: int) -> None:
        self.setting, self.task, self.base = setting, setting.task, setting.base
        self.reads, self.lowest = reads, digit_automaton(self.task, self.base).carries.start
        self._moves = cache(self._moves_at)
        self._along = cache(self._along_of)
        self._letters = cache(self._letters_of)
        self._queries = cache(self._queries_of)
        self._onwards = cache(self._onwards_of)
        self._rest = cache(self._rest_of)
        self._lowest = cache(self._lowest_of)
        self._numbers: dict[tuple[_Values, ...], int] = {}
        self._to_come: list[tuple[_Values, ...]] = []
        """The values to come, from the lowest, by their number."""
        self._shown = cache(self._shown_at)
        self._known: dict[tuple[_Role, ...], set[_State]] = defaultdict(set)
        """By what contexts hold, the states from which training shows them all."""

    def queries(self, digits: int) -> _Queries:
        """The positions of the result digits that are asked for, by what their contexts hold.

        Args:
            digits: of the longest operand; padded examples are all alike.
        """
        return self._queries(digits if self.setting.natural else 0)

    def _queries_of(self, digits: int) -> _Queries:
        sequence = self._natural(digits) if digits else tokens(self.setting)
        found: _Queries = {}
        for query, asked in enumerate(sequence[1:]):
            if asked.kind == "result":
                context = sequence[max(0, query - self.reads + 1) : query + 1]
                roles = tuple(_role(t, asked.position, digits) for t in context)
                found.setdefault(roles, []).append(asked.position)
        return found

    def _natural(self, digits: int) -> tuple[Token, ...]:
        """An example of natural length with the longest result; its end is written as a digit."""
        task = self.task
        width = max(task.result_width(self.base, digits), digits)
        written = self.setting.layout.tokens((digits,) * task.operands, width, ends=True)
        return (*written[:-1], Token("result", width + 1))

    def lacking(self, test: Domain) -> Unshown | None:
        """A context of a test domain that training does not show with its answer, if there is one.

        Raises:
            NotCountable: training gives one context two answers.
        """
        for roles in dict.fromkeys(x for n in test.every_length for x in self.queries(n)):
            places = [0, *(place for kind, _, place in roles if kind in _DIGITS)]
            reach = min(places), max(places)
            known = self._known[roles]
            starts = {x: i for x, i in self._starts(test, roles, *reach) if x not in known}
            if starts:
                missing = self._search(roles, reach[0], starts, self._shown(roles, *reach))
                if missing is not None:
                    return missing
                known.update(starts)
        return None

    def _shown_at(self, roles: tuple[_Role, ...], low: int, high: int) -> _Shown:
        """The states in which training begins."""
        return frozenset(x for x, _ in self._starts(self.setting.train, roles, low, high))

    def _starts(
        self, domain: Domain, roles: tuple[_Role, ...], low: int, high: int
    ) -> Iterator[tuple[_State, int]]:
        """The states in which reading begins, each with the position that is asked for.

        Args:
            low: the lowest place in sight, seen from that position; ``high`` the highest.
        """
        for box in domain.boxes(self.base, self.task.operands):
            positions = self.queries(box.width).get(roles, [])
            reached = self._carries(box, max(positions, default=0) + low)
            spend(5_000 * len(positions) * (high - low + 1))
            for position in positions:
                places = range(position + low, position + high + 1)
                to_come = self._number(tuple(_values(box, i) for i in places))
                least = self._least(box, position + high)
                for carry in reached[min(position + low, len(reached)) - 1]:
                    yield (to_come, least, carry, -1), position

    def _number(self, to_come: tuple[_Values, ...]) -> int:
        """A number for values to come, from the lowest: states are compared far more often."""
        if to_come not in self._numbers:
            self._numbers[to_come] = len(self._to_come)
            self._to_come.append(to_come)
        return self._numbers[to_come]

    def _rest_of(self, number: int) -> int:
        """The number of the values that come after the lowest."""
        spend(self.base * self.task.operands * len(self._to_come[number]))
        return self._number(self._to_come[number][1:])

    def _lowest_of(self, number: int) -> int:
        """The number of the lowest of the values to come alone."""
        return self._number(self._to_come[number][:1])

    def _carries(self, box: Box, last: int) -> list[frozenset[int]]:
        """The carries into each place of a box, the first for the units, until they repeat."""
        found = [frozenset({self.task.constant})]
        while len(found) < last:
            values = _values(box, len(found))
            found.append(frozenset[int]().union(*(self._onwards(values, c) for c in found[-1])))
            if len(found) > box.width + 1 and found[-1] == found[-2]:
                break
        return found

    def _onwards_of(self, values: _Values, carry: int) -> frozenset[int]:
        """The carries out of a place."""
        column = zip(self.task.coefficients, values, strict=True)
        return frozenset((carry + total) // self.base for total in sums(column))

    def _least(self, box: Box, last: int) -> int:
        """The least carry out of a place after which the result can be 0 or more."""
        if not self.task.needs_order:
            return self.lowest
        above = Box(tuple(row[last:] for row in box.digits))
        most = largest_value(self.task, above, self.base) - self.task.constant
        return max(-most, self.lowest)

    def _moves_at(self, number: int, carry: int, sight: _Sight) -> dict[_Letter, _Moves]:
        """By letter, the moves from a carry into a place.

        Args:
            number: of the values at the place.
        """
        [values] = self._to_come[number]
        combinations = math.prod(map(len, values))
        if combinations > _MOST_COMBINATIONS:
            raise TooMuchWork("more digits stand at one place than contexts can be compared of")
        spend(10_000 + 5_000 * combinations)
        if sight.is_rest and carry == 0:
            return {(): frozenset({(0, _END)})} if sight.answers else {}
        found: dict[_Letter, set[tuple[int, int]]] = {}
        for digits in product(*values):
            total = carry + sum(c * d for c, d in zip(self.task.coefficients, digits, strict=True))
            onward, result = divmod(total, self.base)
            letter = tuple((*digits, result)[j] for j in sight.seen)
            found.setdefault(letter, set()).add((onward, result if sight.answers else -1))
        return {letter: frozenset(moves) for letter, moves in found.items()}

    def _search(
        self, roles: tuple[_Role, ...], low: int, starts: dict[_State, int], shown: _Shown
    ) -> Unshown | None:
        """A context that the test has and training lacks.

        Of the digits at a place after which nothing differs one choice is followed.

        Args:
            low: the lowest place in sight.
            starts: the states in which the test begins there, each with the position asked for.
            shown: those in which training does.
        """
        reached = {(start, shown): (i, tuple[_Letter, ...]()) for start, i in starts.items()}
        rests = {place for kind, _, place in roles if kind == "rest"}
        rests |= {0} if roles[-1][0] in ("rest", EQUALS) else set()
        for place in range(low, low + len(self._to_come[next(iter(starts))[0]])):
            seen = tuple(j for kind, j, at in roles if kind in _DIGITS and at == place)
            sight = _Sight(seen, place == 0, place in rests and self.setting.natural)
            further: dict[tuple[_State, _Shown], tuple[int, tuple[_Letter, ...]]] = {}
            alone = {x: self._onward((x,), sight) for x in {x for x, _ in reached}}
            together = {x: self._onward(x, sight) for x in {x for _, x in reached}}
            kinds = {x: frozenset(map(self._kind, x)) for x in together}
            for (state, states), (position, word) in reached.items():
                letters = self._letters(self._kind(state), kinds[states], sight)
                spend(1_000 * len(letters))
                for letter in letters:
                    there = together[states](letter)
                    for one in alone[state](letter):
                        further.setdefault((one, there), (position, (*word, letter)))
            reached = further
        for ((_, least, carry, right), states), (position, word) in reached.items():
            answers = {answer for _, lowest, out, answer in states if out >= lowest}
            if len(answers) > 1:
                raise NotCountable("the answer does not follow from a context")
            if carry >= least and answers != {right}:
                return Unshown(position, _written(roles, low, word))
        return None

    def _kind(self, state: _State) -> _Kind:
        """What the moves from a state depend on."""
        to_come, _, carry, _ = state
        return self._lowest(to_come), carry

    def _letters_of(self, kind: _Kind, kinds: frozenset[_Kind], sight: _Sight) -> list[_Letter]:
        """The letters of a kind of state, but of those that move all states alike the first.

        Args:
            kinds: of the states that move along.
        """
        alike: dict[Hashable, _Letter] = {}
        along, moves = self._along(kinds, sight), self._moves(*kind, sight)
        spend(2_000 * len(moves))
        for letter, onward in moves.items():
            alike.setdefault((onward, along.get(letter)), letter)
        return [*alike.values()]

    def _along_of(self, kinds: frozenset[_Kind], sight: _Sight) -> dict[_Letter, Hashable]:
        """By letter, how it moves each of some kinds of states."""
        found: dict[_Letter, list[tuple[_Kind, Hashable]]] = {}
        for kind in kinds:
            moves = self._moves(*kind, sight)
            spend(10_000 + 2_000 * len(moves))
            for letter, onward in moves.items():
                found.setdefault(letter, []).append((kind, onward))
        return {letter: tuple(onward) for letter, onward in found.items()}

    def _onward(self, states: Collection[_State], sight: _Sight) -> Callable[[_Letter], _Shown]:
        """The states after some, by the letter that is read."""
        spend(2_000 * len(states))
        each = [
            (self._moves(*self._kind(state), sight), self._rest(state[0]), state[1], state[3])
            for state in states
        ]

        @cache
        def after(letter: _Letter) -> _Shown:
            spend(1_000 * len(each))
            return frozenset(
                (rest, least, carry, right if sight.answers else answer)
                for moves, rest, least, answer in each
                for carry, right in moves.get(letter, ())
            )

        return after


def _role(token: Token, asked: int, digits: int) -> _Role:
    """What a token is to the query of a result digit.

    Args:
        digits: of the operands, where they have natural lengths; else 0.
    """
    if token.symbol:
        return token.symbol, token.operand, 0
    is_rest = token.kind == "result" and 0 < digits < token.position
    return "rest" if is_rest else token.kind, token.operand, token.position - asked


def _values(box: Box, position: int) -> _Values:
    return tuple(box.values(j, position) for j in range(len(box.digits)))


def _written(roles: tuple[_Role, ...], low: int, word: tuple[_Letter, ...]) -> tuple[str, ...]:
    """The tokens of a context, from the digits in sight at each place, the lowest first."""
    left = [list(letter) for letter in word]
    return tuple(
        str(left[place - low].pop(0)) if kind in _DIGITS else kind for kind, _, place in roles
    )
