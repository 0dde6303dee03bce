"""One input of each kind of length, as tokens: what is read of it, and what comes out.

>>> from arith.theory.prediction.predict import predict
>>> from arith.theory.setting.requests import Request
>>> from arith.theory.studies.example import examples
>>> found = predict(Request(task="mod_add", modulus=101, train_digits="2").setting())
>>> [(x.digits, x.operands, x.right, x.expected) for x in examples(found)]
[(1, (8, 5), 13, 13), (2, (58, 25), 83, 83), (3, (358, 725), 73, 83)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.tasks import Operations, digit_count
from arith.theory.counting.learned import LearnedFunction
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.generalization.theorems import observe
from arith.theory.observation.support import OperandDigit
from arith.theory.prediction.digit_use import Use, digit_uses
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import Token

MOST_TOKENS = 120
"""Longer inputs are not shown."""
_DIGITS = (8, 5, 3, 7, 2, 6, 4, 9, 1)
"""The digits of examples, from the units up: of operand j from the place 1 + j on."""


@dataclass(frozen=True)
class ExampleToken:
    """A token of an input, with its value.

    Args:
        value: of a digit, a marker or a carry; None of a sign, and of a result digit that is open.
        use: of a digit of an operand.
        wrong: a digit of the expected answer that is not that of the task.
    """

    token: Token
    value: int | None
    use: Use | None = None
    wrong: bool = False


@dataclass(frozen=True)
class Example:
    """An input of a test length, with what a converged model is expected to make of it.

    Args:
        right: the answer of the task.
        expected: that of the model; None where nothing is claimed.
        uses: what becomes of each digit of the operands.
    """

    setting: Setting
    digits: int
    direction: Direction
    operands: tuple[int, ...]
    right: int
    expected: int | None
    uses: Mapping[OperandDigit, Use]

    @cached_property
    def tokens(self) -> tuple[ExampleToken, ...]:
        """The input with the expected answer, as the layout writes them."""
        return tuple(map(self._token, _tokens(self.setting, self.operands, self.right)))

    def _token(self, token: Token) -> ExampleToken:
        """A token with its value."""
        if token.kind == "operand":
            value = self._digit(self.operands[token.operand], token)
            return ExampleToken(token, value, self._use(token))
        if token.kind == "marker":
            return ExampleToken(token, token.position)
        if token.kind == "carry":
            return ExampleToken(token, self._carry(token.position))
        if token.kind != "result" or self.expected is None:
            return ExampleToken(token, None)
        value = self._digit(self.expected, token)
        return ExampleToken(token, value, wrong=value != self._digit(self.right, token))

    def _use(self, token: Token) -> Use | None:
        """What becomes of an operand's token: of several digits that of all, or it is open."""
        places = range(token.position, token.position + token.digits)
        found = {self.uses.get((token.operand, i)) for i in places}
        if found == {Use.READ, Use.IGNORED}:
            return Use.READ
        return found.pop() if len(found) == 1 else Use.OPEN

    def _digit(self, number: int, token: Token) -> int:
        """The digits of a number in a token; of a negative result the highest is the sign, -1."""
        base = self.setting.base
        if number < 0 and self._is_sign(token):
            return -1
        digits: int = abs(number) // base ** (token.position - 1) % base**token.digits
        return digits

    def _is_sign(self, token: Token) -> bool:
        """Whether the minus sign of a negative result stands there."""
        width = self.setting.result_digits
        if self.setting.natural:
            width = digit_count(abs(self.right), self.setting.base) + 1
        return token.position == width

    def _carry(self, position: int) -> int:
        """The carry into a result digit."""
        base, carry = self.setting.base, 0
        automaton = digit_automaton(self.setting.task, base)
        for i in range(position - 1):
            carry, _ = automaton.step(carry, [x // base**i % base for x in self.operands])
        return carry


def examples(prediction: Prediction) -> list[Example]:
    """An input of the shorter, the trained and the longer length that are nearest to each other.

    Of several operations, inputs of the first; none where no theorem speaks of each by itself.
    Lengths whose inputs are too long are left out.
    """
    while prediction.operations:
        prediction = prediction.operations[0]
    if isinstance(prediction.setting.task, Operations):
        return []
    observed, setting = observe(prediction.setting), prediction.setting
    found = []
    for x in _nearest(prediction):
        operands = _operands(setting, x.digits)
        if operands is None:
            continue
        right = int(setting.task.evaluate(*operands))
        if len(_tokens(setting, operands, right)) > MOST_TOKENS:
            continue
        expected = _expected(prediction, x, operands, right)
        uses = digit_uses(observed, x.digits, operands)
        found.append(Example(setting, x.digits, x.direction, operands, right, expected, uses))
    return found


def _nearest(prediction: Prediction) -> list[LengthPrediction]:
    """The last shorter length, the last trained one and the first longer one."""
    by = {d: [x for x in prediction.lengths if x.direction == d] for d in Direction}
    found = [*by[Direction.DOWNWARD][-1:], *by[Direction.IN_DOMAIN][-1:]]
    return [*found, *by[Direction.UPWARD][:1]]


def _expected(
    prediction: Prediction, x: LengthPrediction, operands: Sequence[int], right: int
) -> int | None:
    """The answer that a converged model is expected to give; None where none follows."""
    learned, task = prediction.learned, prediction.setting.task
    if x.accuracy == 1 and not x.unseen:
        return right
    if x.claim != Claim.EXACT or not isinstance(learned, LearnedFunction):
        return None
    found = int(learned.evaluate(*operands))
    return found if task.is_result(found) else None


def _operands(setting: Setting, digits: int) -> tuple[int, ...] | None:
    """Operands of a test length on which the task is defined; None where none are found.

    They are of full length where they can be.
    """
    task, base, test = setting.task, setting.base, setting.test(digits)
    boxes = test.cut(digits, base, task.operands)
    full = max(boxes, key=lambda box: sum(row[-1] != (0,) for row in box.digits))
    for turn in range(len(_DIGITS)):
        drawn = [
            sum(_pick(values, 2 * j + i + turn) * base**i for i, values in enumerate(row))
            for j, row in enumerate(full.digits)
        ]
        for order in permutations(drawn):
            if test.contains(order, base) and task.is_result(task.evaluate(*order)):
                return order
    return None


def _pick(values: Sequence[int], number: int) -> int:
    """One of the values that a digit may have."""
    return values[_DIGITS[number % len(_DIGITS)] % len(values)]


def _tokens(setting: Setting, operands: Sequence[int], right: int) -> tuple[Token, ...]:
    """The tokens of an input and of its answer, as a test writes them."""
    task, base, layout = setting.task, setting.base, setting.test_layout or setting.layout
    if not setting.natural:
        widths = [setting.operand_width] * task.operands
        return layout.tokens(widths, setting.result_digits)
    minus = task.signed and right < 0
    return layout.tokens(
        [digit_count(x, base) for x in operands], digit_count(abs(right), base) + minus, ends=True
    )
