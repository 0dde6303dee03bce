"""Addresses: where the queries of numbers of natural length find the digits that they need.

The *query* of a result digit is the token before it.  A *need* names a digit that its rule reads:
whose it is, and how many places below the asked digit.  Its *address* is what the encoding tells of
where it stands: the indices of query and key, their offset, or the difference of their numbers.

A *shape* is the lengths of the operands and of the result.  In a shape every digit has one address
for each query.  What training shows of addresses is a set for each need; a digit at an address
outside of it is not found.  The mathematics is in ``docs/proofs.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from arith.theory.arithmetic.automaton import digit_automaton, number_of_tuples
from arith.theory.arithmetic.domains import LEAST_SHARE, Domain
from arith.theory.arithmetic.effort import spend
from arith.theory.errors import NotCountable
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import RESULT, Layout, Shape

UNTRAINED = None
"""The address of a digit or a query whose number was never trained."""
LOOKED_BACK = 2
"""Where the result is written most significant first: places below that are looked at.  More would
only lower a bound."""
_STEPS = 3_000
"""Steps to find one digit in one shape."""
_NEVER, _ALWAYS = Fraction(0), Fraction(1)
"""Mostly a digit is missing so often; chances that are one object are compared once."""


class Need(NamedTuple):
    """A digit that a rule needs.

    Args:
        operand: whose digit; ``RESULT`` for the result's.
        below: how many places below the digit that is asked for.
    """

    operand: int
    below: int


def local_needs(operands: int, reach: int) -> list[Need]:
    """The needs of a rule of finite carry that looks ``reach`` places back, the lowest first.

    The digits of the result below the asked one tell the carry.
    """
    back = range(reach, -1, -1)
    needs = [Need(j, below) for below in back for j in range(operands)]
    return needs + [Need(RESULT, below) for below in back if below]


def writes_carry(layout: Layout) -> bool:
    """Whether what is written of the result tells the carry into its next digit."""
    return layout.result_first == "least"


def shapes(setting: Setting, domain: Domain, layout: Layout | None = None) -> list[Shape]:
    """The shapes of a domain; those of the same operands' lengths are neighbours.

    They are written in a layout, that of training unless another is given.

    Where the result is written least significant first its length moves no digit that a rule
    needs.  Then it is as long as it can be, but where a form subtracts: its result may be shorter
    than the operands.

    Raises:
        NotCountable: a task that subtracts and is no difference of two operands.
        TooMuchWork: too many of them.
    """
    task, base, layout = setting.task, setting.base, layout or setting.layout
    by_result = task.needs_order or (task.has_finite_carry and not writes_carry(layout))
    is_difference = not task.constant and sorted(task.coefficients) == [-1, 1]
    if task.needs_order and not is_difference:
        raise NotCountable(f"no way of counting where '{task.name}' is defined is known")
    found = []
    for widths in (
        w for n in domain.every_length for w in domain.operand_lengths(n, task.operands)
    ):
        spend(20_000 + 20 * sum(widths))
        if by_result:
            counts = digit_automaton(task, base).lengths(widths)
        elif task.has_finite_carry:
            longest = digit_automaton(task, base).result_lengths(widths)[-1]
            counts = {longest: number_of_tuples(widths, base)}
        else:
            width = task.result_width(base, max(widths))
            counts = {width: number_of_tuples(widths, base)}
        found += [Shape(layout, widths, m, inputs) for m, inputs in counts.items()]
    return found


class Missing(NamedTuple):
    """A kind of operand digit that is needed for the result digit of its own weight, and not found.

    Args:
        top: it is the highest of a number of more than one digit, and so not 0.
        by_all: no other query that needs it finds it either.
    """

    operand: int
    top: bool
    by_all: bool


Chances = Mapping[Missing, Mapping[int, Fraction]]
"""By kind and result digit, the chance over random spaces that such a digit is not found."""


@dataclass(frozen=True)
class Finding:
    """What is found in one shape.

    Args:
        trained: training shows the shape.
        continues: every digit is found as in training, and the rule goes on.
        seldom: training has the shape, but too seldom for it to count as shown.
        missing: what is not found; 1 where there are no spaces.  Empty where training shows the
            shape or the rule goes on.
    """

    shape: Shape
    trained: bool
    continues: bool
    seldom: bool
    missing: Chances

    @property
    def right(self) -> bool:
        """Whether all inputs of the shape come out right."""
        return self.trained or self.continues

    def always(self) -> Finding:
        """The finding that counts a digit as missing only where it is so whatever the spaces."""
        sure = {
            kind: {i: x for i, x in chances.items() if x is _ALWAYS or x == 1}
            for kind, chances in self.missing.items()
        }
        return replace(self, missing={kind: chances for kind, chances in sure.items() if chances})


class AddressObservation:
    """At which addresses training shows the digits that queries need.

    Raises:
        NotCountable: the shapes of training cannot be counted, or there are too many.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting, self.encoding, self.layout = setting, setting.encoding, setting.layout
        self.local = setting.task.has_finite_carry
        self.automaton = digit_automaton(setting.task, setting.base) if self.local else None
        self.by_significance = self.encoding.reference == "significance"
        self.by_content = self.layout.hinted and not self.by_significance
        self.shown = shapes(setting, setting.train.met(setting.base, setting.task.operands))
        self.together = max(max(*s.widths, s.result) for s in self.shown)
        """The digits of the longest number that training shows."""
        self.last_number = max(s.longest for s in self.shown) + setting.starts - 1
        """The largest number of a digit that training shows, random starts included."""
        self.starts = setting.starts if self.encoding.reference == "shifted" else 1
        """How many indices training draws from for the first token of an example."""
        self.tokens = max(s.tokens for s in self.shown) + self.starts - 1
        """The index after the last that training shows, random starts included."""

    # --- addresses ---------------------------------------------------------------------

    @cached_property
    def needs(self) -> list[Need]:
        """The operand digits whose addresses count, the asked digit's own place first."""
        back = 0
        if self.automaton and not self.layout.scratchpad:  # else the carry is the query itself
            back = self.automaton.reach if writes_carry(self.layout) else LOOKED_BACK
        operands = range(self.setting.task.operands)
        return [Need(j, below) for below in range(back + 1) for j in operands]

    def asked(self, shape: Shape) -> range:
        """The result digits that are looked at: without a local rule the units only."""
        return range(1, (shape.result if self.local else 1) + 1)

    def addresses(self, shape: Shape, need: Need, position: int) -> Mapping[Hashable, int]:
        """The addresses of a need of a result digit, each with its weight among the spaces."""
        if self._has_one(shape):
            [address] = self._each(shape, need, range(position, position + 1))
            return {address: 1}
        spend(_STEPS)
        place = position - need.below
        query, key = shape.query(position), shape.index(need.operand, place)
        (before, after), ways = shape.spaces(need.operand, place), shape.layout.ways
        if self.encoding.reference == "relative":  # what moves query and key leaves their offset
            spend(_STEPS * after)
            weights: Counter[Hashable] = Counter()
            for x, chosen in enumerate(ways(after)):
                weights[self.encoding.merged(query - key - x)] += chosen
            return weights
        spend(_STEPS * (before + 1) * (after + 1) // 4)
        return {
            (query - x - y, key - x): one * other
            for x, one in enumerate(ways(before))
            for y, other in enumerate(ways(after))
        }

    def _has_one(self, shape: Shape) -> bool:
        """Whether each digit has one address for each query: no space at random moves it."""
        return self.by_significance or not shape.layout.spaced

    def _each(self, shape: Shape, need: Need, positions: range) -> Sequence[Hashable]:
        """The one address of a need of each of some result digits that ascend one by one."""
        spend(_STEPS * len(positions))
        places = range(positions.start - need.below, positions.stop - need.below)
        if self.by_significance:
            keys, last = self._key_numbers(shape, need.operand, places), self.last_number
            both = zip(keys, self._query_numbers(shape, positions), strict=True)
            return [k - q if k <= last and q <= last else UNTRAINED for k, q in both]
        keys, first = shape.indices(need.operand, places), shape.indices(RESULT, positions)
        if self.encoding.reference == "relative":
            merged = self.encoding.merged
            offsets = [i - 1 - key for i, key in zip(first, keys, strict=True)]
            return [merged(x) for x in offsets] if self.encoding.merged_from else offsets
        return [(i - 1, key) for i, key in zip(first, keys, strict=True)]

    def _key_numbers(self, shape: Shape, operand: int, places: range) -> Sequence[int]:
        """The numbers of some digits of an operand."""
        return places if self.encoding.by_weight else [x + 1 for x in shape.ranks(operand, places)]

    def _query_numbers(self, shape: Shape, positions: range) -> Sequence[int]:
        """The numbers of the tokens before some result digits; 0 for the sign before the result."""
        if self.layout.result_tokens == 1:
            return shape.ranks(RESULT, positions)
        # A marker or a carry has the number of its digit.
        return self._key_numbers(shape, RESULT, positions)

    def _positions(self, shape: Shape, need: Need, highest: int) -> range:
        """The result digits that are looked at and have a need, of a number of so many digits."""
        asked = self.asked(shape)
        first = max(asked.start, 1 + need.below)
        return range(first, max(first, min(asked.stop, highest + need.below + 1)))

    @cached_property
    def shown_addresses(self) -> dict[Need, set[Hashable]]:
        """The addresses at which training shows each need, if only as a zero that fills it up."""
        found: dict[Need, set[Hashable]] = {need: set() for need in self.needs}
        for shape in self.shown:
            for need, addresses in found.items():
                positions = self._positions(shape, need, shape.highest(need.operand))
                if self._has_one(shape):
                    addresses.update(self._each(shape, need, positions))
                    continue
                for i in positions:
                    addresses.update(self.addresses(shape, need, i))
        if self.starts > 1:  # both indices are one more from the next start
            spend(sum(map(len, found.values())) * self.starts * 200)
            found = {need: _moved(pairs, self.starts) for need, pairs in found.items()}
        return found

    # --- what is found ------------------------------------------------------------------

    def find(self, test: Domain) -> list[Finding]:
        """What is found in each shape of a test domain (raises as ``shapes``)."""
        findings = []
        train, layout = self.setting.train, self.setting.test_layout
        for shape in shapes(self.setting, test, layout):
            written = self.layout.chance(shape)
            trained = train.shows_lengths(shape.widths, self.setting.base)
            trained &= written >= LEAST_SHARE
            seldom = not trained and written > 0 and train.has_lengths(shape.widths)
            continues = not trained and self.continues(shape)
            missing = {} if trained or continues else self._missing(shape)
            findings.append(Finding(shape, trained, continues, seldom, missing))
        return findings

    def _missing(self, shape: Shape) -> Chances:
        early = writes_carry(self.layout)
        if self.encoding.reference == "random" or self.by_content or not (self.local or early):
            return {}
        may_be_seen_before = early or self.layout.spaced or self.layout.scratchpad
        found: dict[Missing, dict[int, Fraction]] = {}
        for j, width in enumerate(shape.widths):
            need = Need(j, 0)
            lost = self._lost(shape, need, self._positions(shape, need, width))
            if not lost:
                continue
            highest = {width: lost.pop(width)} if width > 1 and width in lost else {}
            for top, chances in ((False, lost), (True, highest)):
                found[Missing(j, top, False)] = chances
                if not may_be_seen_before:
                    last = range(shape.result - LOOKED_BACK, shape.result + 1)
                    found[Missing(j, top, True)] = {
                        i: chances[i] for i in last if i in chances and self._missed(shape, j, i)
                    }
        return {kind: chances for kind, chances in found.items() if chances}

    def _lost(self, shape: Shape, need: Need, positions: range) -> dict[int, Fraction]:
        """By result digit, of those at some positions, the chance that its need is not found.

        Only where there is one: the digit stands at an address that training never showed for it.
        """
        shown = self.shown_addresses[need]
        if not self._has_one(shape):
            found = {i: unseen(self.addresses(shape, need, i), shown) for i in positions}
            return {i: chance for i, chance in found.items() if chance}
        each = zip(positions, self._each(shape, need, positions), strict=True)
        if not self.by_significance:
            return {i: _ALWAYS for i, address in each if address not in shown}
        # A sign has no number, so from there only what was never trained is not found.
        return {
            i: _ALWAYS
            for i, address in each
            if (address not in shown if shape.rank(RESULT, i) else address is UNTRAINED)
        }

    def _missed(self, shape: Shape, operand: int, position: int) -> bool:
        """Whether no query before that of a result digit finds an operand digit of its position.

        The result is written most significant first, and all of these queries need the digit: it
        is one of the last that are looked back to.
        """
        return all(
            self.not_found(shape, Need(operand, later - position), later)
            for later in range(position + 1, shape.result + 1)
        )

    def not_found(self, shape: Shape, need: Need, position: int) -> Fraction:
        """The chance that a digit stands at an address that training never showed for it."""
        is_there = shape.has(need.operand, position - need.below)
        lost = self._lost(shape, need, range(position, position + 1)) if is_there else {}
        return lost.get(position, _NEVER)

    # --- where the rule goes on -----------------------------------------------------------

    def continues(self, shape: Shape) -> bool:
        """Whether the rule goes on: every digit is found as always, and every case was shown.

        Only an encoding by significance, or a marker before each digit, finds a digit at one
        address in numbers of all lengths.
        """
        if self.stops or max(*shape.widths, shape.result) > self.together:
            return False
        if not (self.ends(shape) <= self.shown_ends and self.cases(shape) <= self.shown_cases):
            return False
        if self.layout.spaced and sum(shape.widths) > max(sum(s.widths) for s in self.shown):
            return False  # there are as many spaces as operand digits
        if self.by_content:
            return shape.tokens <= self.tokens
        return all(
            {*self.addresses(shape, need, i)} == shown and len(shown) == 1
            for need, shown in self.shown_addresses.items()
            for i in self.asked(shape)
            if shape.has(need.operand, i - need.below)
        )

    @cached_property
    def stops(self) -> tuple[str, str] | None:
        """The rule by which no digit rule goes on in shapes that training lacks, and why, if so."""
        s, rule, why = self.setting, "hints" if self.by_content else "lengths together", ""
        if s.test_layout:
            rule, why = "other format", f"tests are written in the {s.test_layout.text}"
        elif self.encoding.reference == "random":
            rule, why = "random positions", says_nothing(s)
        elif not self.local:
            why = "the task has no finite carry, so longer numbers ask for another rule"
        elif not writes_carry(s.layout):
            why = "a result written most significant digit first asks for all lower digits at once"
        elif s.layout.from_left > 1:
            why = "which digits stand in one token depends on the length of their number"
        elif not (self.by_significance or s.layout.hinted):
            spaces = ", and on the spaces" if s.layout.spaced else ""
            why = f"which address is the right one depends on the lengths of the numbers{spaces}"
        elif min(s.task.coefficients) < 1:
            why = "the result may end before the operands do, and all that is left says where"
        elif self.by_content and (s.encoding.selection != "any" or s.encoding.reference == "none"):
            why = (
                f"under {s.encoding.label} no query can single out the token after a marker, "
                "which is its digit"
            )
        elif len(s.train.every_length) == 1:
            rule, why = "end", "training has one length, so results may end where they always ended"
        return (rule, why) if why else None

    def ends(self, shape: Shape) -> set[int]:
        """After how many digits a result may end, operands having these lengths."""
        assert self.automaton is not None
        widths = shape.widths
        return {*self.automaton.result_lengths(widths)}

    @cached_property
    def shown_ends(self) -> set[int]:
        """After how many digits of the result training shows the end."""
        return set().union(*map(self.ends, self.shown))

    def cases(self, shape: Shape) -> set[tuple[int, ...]]:
        """The cases of the rule in a shape, one for each result digit and for the end.

        A case says which of the digits that the rule reads exist, and which are the highest of
        their number: a rule that training showed in one case says nothing of another.  From some
        result digit on the place makes no difference: every carry that there is can come in.
        """
        assert self.automaton is not None
        reach = self.automaton.reach
        alike_from = len(self.automaton.ranges) + reach
        return {
            (min(i, alike_from), *(min(max(w - i, -reach - 1), 1) for w in shape.widths))
            for i in range(1, shape.result + 2)
        }

    @cached_property
    def shown_cases(self) -> set[tuple[int, ...]]:
        """The cases of the rule that training shows."""
        return set().union(*map(self.cases, self.shown))


def unseen(addresses: Mapping[Hashable, int], shown: set[Hashable]) -> Fraction:
    """The share of some addresses, by their weights, that are none of those that were shown."""
    if addresses.keys() <= shown:
        return _NEVER
    if shown.isdisjoint(addresses):
        return _ALWAYS
    others = sum(ways for address, ways in addresses.items() if address not in shown)
    return Fraction(others, sum(addresses.values()))


def _moved(pairs: set[Hashable], starts: int) -> set[Hashable]:
    """Pairs of indices, from the first and from every other start."""
    queries: dict[int, list[int]] = {}  # by the offset of query and key
    for pair in pairs:
        if isinstance(pair, tuple):
            query, key = pair
            queries.setdefault(query - key, []).append(query)
    moved: set[Hashable] = set()
    for offset, each in queries.items():
        end = 0
        for query in sorted(each):
            moved.update((x, x - offset) for x in range(max(query, end), query + starts))
            end = query + starts
    return moved


def says_nothing(setting: Setting) -> str:
    """Why no query finds a digit by an address where indices are drawn for each example."""
    markers = ", and the token after a marker is at any offset" if setting.layout.hinted else ""
    return (
        f"{setting.encoding.label} draws the indices of each example anew, so that one says "
        f"nothing of which digit stands there{markers}"
    )


def grouped(findings: list[Finding]) -> Iterator[list[Finding]]:
    """The findings of each tuple of operands' lengths: they differ in the result's length."""
    for _, group in groupby(findings, key=lambda x: x.shape.widths):
        yield list(group)
