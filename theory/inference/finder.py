"""Finding: in which shapes queries find their digits, as training showed where those stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from arith.theory.inference.addresses import NEVER, Need, Sequences, Trained
from arith.theory.inference.digit_cases import DigitCases, digit_cases
from arith.theory.inference.found import Found, Missing, Where
from arith.theory.inference.identifiability import says_nothing
from arith.theory.inference.result_lengths import possible_lengths
from arith.theory.inference.shapes import Shapes, shapes, writes_carry
from arith.theory.inference.spaces import Choices, choices
from arith.theory.inference.views import carry_reach
from arith.theory.numbers.effort import spend
from arith.theory.numbers.integer_arrays import Array
from arith.theory.setting.settings import Setting

_LOOKED_BACK = 2
"""Where the result is written most significant first: places below that are looked at.  More would
only lower a bound."""


class Finder:
    """What training showed, and what follows of it for the shapes of other domains.

    Raises:
        NotCountable: the shapes of training cannot be counted, or there are too many.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.local = setting.task.has_finite_carry
        self.by_content = setting.layout.hinted and setting.encoding.reference != "significance"
        train = setting.train
        self.shown = shapes(setting, train.every_length, train.kind)
        self.together = max(int(self.shown.widths.max()), int(self.shown.results.max()))
        """The digits of the longest number that training shows."""
        self.is_random = setting.encoding.reference == "random"
        self.starts = setting.starts if setting.encoding.reference == "shifted" else 1
        """How many indices training draws from for the first token of an example."""
        tokens = int(self._sequences(self.shown).length().max()) + self.starts - 1
        self.trained = Trained(self.together + setting.starts - 1, tokens)

    def _sequences(self, found: Shapes) -> Sequences:
        return Sequences(self.setting.layout, found.widths, found.results)

    def needs(self) -> list[Need]:
        """The operand digits whose addresses count, the asked digit's own place first."""
        task, layout = self.setting.task, self.setting.layout
        back = carry_reach(task, self.setting.base) if writes_carry(layout) else _LOOKED_BACK
        if not back or not self.local or layout.scratchpad:  # the carry is the query itself
            back = 0
        return [Need(j, below) for below in range(back + 1) for j in range(task.operands)]

    def positions(self, found: Shapes) -> range:
        """The result digits that are looked at: without a local rule the units only."""
        return range(1, int(found.results.max()) + 1) if self.local else range(1, 2)

    def at(self, found: Shapes, need: Need, position: int) -> tuple[Array, Array]:
        """The address of a need in each shape, and where the digits exist at all."""
        place, sequences = position - need.below, self._sequences(found)
        spend(200 * len(found.results) + 30_000)
        there = (position <= found.results) & (place <= found.widths[:, need.operand])
        there &= place >= 1
        code = sequences.addresses(self.setting.encoding, need, position, self.trained)
        return code, there

    def choices(self, found: Shapes, need: Need, position: int) -> Choices:
        """The addresses of a need in each shape for all choices of spaces."""
        encoding, sequences = self.setting.encoding, self._sequences(found)
        return choices(sequences, encoding, need, position, self.trained)

    def indices(self, one: Shapes, need: Need, position: int) -> tuple[int, int]:
        """Where query and key of a need stand in a single shape."""
        sequences = self._sequences(one)
        key = sequences.key(need.operand, position - need.below)
        return int(sequences.query(position)[0]), int(key[0])

    @cached_property
    def addresses(self) -> dict[Need, Array]:
        """The shown addresses of each need, sorted."""
        found = {}
        for need in self.needs():
            each = [np.array([], int)]
            for i in self.positions(self.shown):
                code, there = self.at(self.shown, need, i)
                if self.setting.layout.spaced:
                    each.append(self.choices(self.shown, need, i).shown(there))
                else:
                    each.append(np.unique(code[there]))
            if self.starts > 1:  # both indices are one more from the next start
                spend(sum(map(len, each)) * self.starts)
                step = self.trained.tokens + 1
                each = [c + s * step for c in each for s in range(self.starts)]
            found[need] = np.unique(np.concatenate(each))
        return found

    def find(self, found: Shapes) -> Found:
        """What is found in these shapes."""
        train, base = self.setting.train, self.setting.base
        shown = [train.shows_lengths(tuple(widths), base) for widths in found.widths.tolist()]
        trained, rule = np.array(shown), self._rule(found)
        missing: dict[Missing, Where] = {}
        throughout: dict[Missing, Where] = {}
        for i, kind, lacks in self._lacking(found):
            chance = np.where(trained | rule, False, lacks)
            if chance.any():
                everywhere = np.minimum.reduceat(chance, found.firsts)
                for kept, each in ((missing, chance), (throughout, everywhere)):
                    nowhere = Where(np.zeros(len(each), int), np.zeros_like(each))
                    kept.setdefault(kind, nowhere).note(i, each)
        return Found(found, trained, rule, missing, throughout)

    def _rule(self, found: Shapes) -> Array:
        """In which shapes the rule goes on: every digit is found as always, and every case shown.

        Only an encoding by significance, or a marker before each digit, finds a digit at one
        address in numbers of all lengths.
        """
        nothing = np.zeros(len(found.results), bool)
        if self.stops():
            return nothing
        whole = self.cases.all_shown(found, self.shown_cases)
        whole &= np.maximum(found.widths.max(axis=1), found.results) <= self.together
        whole &= self.ends_shown(found)
        if self.setting.layout.spaced:  # as many spaces as operand digits
            whole &= found.widths.sum(axis=1) <= self.shown.widths.sum(axis=1).max()
        if self.by_content:
            return whole & (self._sequences(found).length() <= self.trained.tokens)
        for need in self.needs():
            if len(self.addresses[need]) != 1:
                return nothing
            for i in self.positions(found):
                code, there = self.at(found, need, i)
                whole &= (code == self.addresses[need][0]) | ~there
        return whole

    def ends_shown(self, found: Shapes) -> Array:
        """In which shapes training shows an end after as many digits as each result may have."""
        return np.array([self._ends(w) <= self.shown_ends for w in found.widths.tolist()])

    def _ends(self, widths: list[int]) -> set[int]:
        return {*possible_lengths(self.setting.task, self.setting.base, tuple(widths))}

    @cached_property
    def shown_ends(self) -> set[int]:
        """After how many digits of the result training shows the end."""
        return set().union(*map(self._ends, self.shown.widths.tolist()))

    def stops(self) -> tuple[str, str] | None:
        """The rule by which no digit rule goes on in shapes that training lacks, and why, if so."""
        s, rule, why = self.setting, "hints" if self.by_content else "lengths together", ""
        if self.is_random:
            rule, why = "random positions", says_nothing(s)
        elif not self.local:
            why = "the task has no finite carry, so longer numbers ask for another rule"
        elif not writes_carry(s.layout):
            why = "a result written most significant digit first asks for all lower digits at once"
        elif not (s.encoding.reference == "significance" or s.layout.hinted):
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

    @cached_property
    def cases(self) -> DigitCases:
        """The cases of the task's rule."""
        return digit_cases(self.setting.task, self.setting.base)

    @cached_property
    def shown_cases(self) -> Array:
        """Which cases of the rule training shows."""
        return self.cases.shown(self.shown)

    def _lacking(self, found: Shapes) -> Iterator[tuple[int, Missing, Array]]:
        """By result digit and kind, in which shapes, or with which chance, it is missing."""
        local, early = self.local, writes_carry(self.setting.layout)
        if self.is_random or self.by_content or not (local or early):
            return
        for i in self.positions(found):
            for j in range(self.setting.task.operands):
                lacks = self._not_found(found, Need(j, 0), i)
                top = (found.widths[:, j] == i) & (i > 1)
                alone = early or self.setting.layout.spaced
                by_all = [] if alone else [(True, lacks & self._missed_before(found, j, i))]
                for is_by_all, rows in [(False, lacks), *by_all]:
                    yield i, Missing(j, True, is_by_all), np.where(top, rows, False)
                    yield i, Missing(j, False, is_by_all), np.where(top, False, rows)

    def _missed_before(self, found: Shapes, operand: int, position: int) -> Array:
        """Where no query before that of a result digit finds an operand digit of its position.

        The result is written most significant first, and all of these queries need the digit.
        """
        missed = found.results - position <= _LOOKED_BACK
        for below in range(1, _LOOKED_BACK + 1):
            later = position + below
            not_asked = found.results < later
            missed &= not_asked | self._not_found(found, Need(operand, below), later)
        return missed

    def _not_found(self, found: Shapes, need: Need, position: int) -> Array:
        """Where a digit exists, and stands at an address that training never showed for it.

        Where spaces move it, for which share of their choices.
        """
        code, there = self.at(found, need, position)
        if self.setting.layout.spaced and self.setting.encoding.reference != "significance":
            moved = self.choices(found, need, position)
            chance = moved.chance(~np.isin(moved.codes, self.addresses[need]))
            return np.where(there, chance, False)
        unseen = ~np.isin(code, self.addresses[need])
        if self.setting.encoding.reference == "significance":
            # A sign has no number, so from there only what was never trained is not found.
            numbered = self._sequences(found).query_number(position, False) > 0
            unseen = np.where(numbered, unseen, code == NEVER)
        return there & unseen
