"""Arithmetic tasks ``f: N^k -> N``: integer polynomials, optionally reduced mod p.

Besides these there are functions of the digits of one number (``DigitFunction``).  Where results
are written with their sign a task is defined where it is negative too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2, prod
from operator import add
from typing import Any, NamedTuple

import numpy as np

from arith.theory.arithmetic.canonical import Term, canonical
from arith.theory.arithmetic.integer_arrays import exact_dtype
from arith.theory.errors import InvalidInput, look_up, unknown_name

UNSIGNED, SIGNED = RESULTS = "unsigned", "signed"
"""How results are written: a negative one is none, or all have a place for a sign."""


@dataclass(frozen=True)
class Task:
    """An arithmetic task: the sum of its terms, reduced mod ``modulus`` if there is one.

    It is held in its canonical form (``theory.arithmetic.canonical``), so that one function has one
    prediction.  Only its name stays as it was written.

    Args:
        terms: the polynomial; a constant function has one term, its value.
        names: the operands, in the order in which they are written; those that do not enter are
            left out, unless none is left.
        modulus: ``p >= 1``, or None for a task over the natural numbers.
        results: ``unsigned``, or ``signed``, where a negative result is written with its sign.

    Raises:
        InvalidInput: a modulus below 1, no operands, or, without a modulus, a polynomial that
            subtracts and is not linear, unless results are signed, or is never positive.  A linear
            form that can be negative is defined where it is not, unless results are signed: ``sub``
            needs ``a >= b``.
    """

    name: str
    terms: tuple[Term, ...]
    names: tuple[str, ...] = ("a", "b")
    modulus: int | None = None
    results: str = UNSIGNED

    def __post_init__(self) -> None:
        if self.results not in RESULTS:
            raise unknown_name("kind of results", self.results, RESULTS)
        if self.modulus is not None and self.modulus < 1:
            raise InvalidInput(f"modulus must be at least 1, not {self.modulus}")
        if not self.names:
            raise InvalidInput("a task needs at least one operand")
        terms, names = canonical(self.terms, self.names, self.modulus)
        object.__setattr__(self, "terms", terms)
        object.__setattr__(self, "names", names)
        if self.needs_order and not self.is_linear:
            raise InvalidInput(
                f"'{self.name}' subtracts and is not linear: whether it is ever negative is not "
                "decided; reduce it with '% p', or write signs (--results signed)"
            )
        if self.modulus is None and all(c <= 0 for c, _ in self.terms):
            raise InvalidInput(f"'{self.name}' is never positive; reduce it with '% p'")

    @property
    def operations(self) -> tuple[Task, ...]:
        """The tasks of which an example asks for one: itself alone."""
        return (self,)

    @property
    def operands(self) -> int:
        """The number k of operands."""
        return len(self.names)

    @cached_property
    def degree(self) -> int:
        """The total degree of the polynomial."""
        return max(sum(exponents) for _, exponents in self.terms)

    @property
    def is_linear(self) -> bool:
        """Whether no term multiplies operands (degree at most one)."""
        return self.degree <= 1

    @property
    def has_finite_carry(self) -> bool:
        """Whether it is a linear form without a modulus: a rule of finite carry."""
        return self.repeats and self.follows_polynomial

    @property
    def repeats(self) -> bool:
        """Whether one rule reads every digit alike, however many there are.

        That of a linear form without a modulus is the carry, which gives the digits of a result
        that may be negative as well, once the sign is known.
        """
        return self.modulus is None and self.is_linear

    @property
    def follows_polynomial(self) -> bool:
        """Whether the digits that are written are those of the polynomial, mod p if there is one.

        Of a result that may be negative they are those of its absolute value.
        """
        return not self.may_be_negative

    @property
    def asked_modulus(self) -> int | None:
        """The modulus that a command gives."""
        return self.modulus

    @property
    def signed(self) -> bool:
        """Whether results have a place for a sign, above their highest digit."""
        return self.results == SIGNED

    @cached_property
    def coefficients(self) -> tuple[int, ...]:
        """The coefficient of each operand in the linear terms."""
        of = {e.index(1): c for c, e in self.terms if sum(e) == 1}
        return tuple(of.get(j, 0) for j in range(self.operands))

    @cached_property
    def steps(self) -> int:
        """How many additions and multiplications a value of the polynomial takes."""
        return sum(1 + sum(e) for _, e in self.terms)

    @cached_property
    def constant(self) -> int:
        """The term without operands."""
        return sum(c for c, e in self.terms if not any(e))

    @cached_property
    def symmetric_operands(self) -> tuple[tuple[int, ...], ...]:
        """The operands in groups: those of one group can change places, and ``f`` stays."""
        groups: dict[int, list[int]] = {}
        for j in range(self.operands):
            first = next(i for i in range(j + 1) if self._can_change_places(i, j))
            groups.setdefault(first, []).append(j)
        return tuple(map(tuple, groups.values()))

    def _can_change_places(self, i: int, j: int) -> bool:
        order = list(range(self.operands))
        order[i], order[j] = j, i
        return self.stays(order)

    def stays(self, order: Sequence[int]) -> bool:
        """Whether ``f`` is the same where its operands are taken in this order."""
        return {(c, tuple(e[k] for k in order)) for c, e in self.terms} == set(self.terms)

    @cached_property
    def subtracts(self) -> bool:
        """Whether some term is taken off, and no modulus keeps the result from being negative."""
        return self.modulus is None and any(c < 0 for c, _ in self.terms)

    @property
    def needs_order(self) -> bool:
        """Whether the task is defined only on part of N^k (``sub``: a >= b)."""
        return self.subtracts and not self.signed

    @property
    def may_be_negative(self) -> bool:
        """Whether a result may have a minus sign."""
        return self.subtracts and self.signed

    def is_result(self, values: Any) -> Any:
        """Whether a number can be written as a result, elementwise of arrays."""
        return (values >= 0) | self.signed

    def evaluate(self, *operands: Any) -> Any:
        """``f`` of integers, or elementwise of arrays; no result (``is_result``): not defined."""
        total = self.polynomial(*operands)
        return total if self.modulus is None else total % self.modulus

    def polynomial(self, *operands: Any) -> Any:
        """The polynomial of the operands, without the modulus; as ``evaluate``."""
        total: Any = 0 if self.degree else 0 * operands[0]  # a constant has the operands' shape too
        for coefficient, exponents in self.terms:
            factors = [x for x, e in zip(operands, exponents, strict=True) for _ in range(e)]
            total = total + prod(factors, start=coefficient)
        return total

    def largest(self, base: int, width: int) -> int:
        """An upper bound of ``f``, signed of ``|f|``, on operands of at most ``width`` digits."""
        if self.modulus is not None:
            return self.modulus - 1
        top = base**width - 1
        return sum(c * top**degree for degree, c in self._most.items())

    @cached_property
    def _most(self) -> Counter[int]:
        """By their degree, what the coefficients of terms of one sign come to at most."""
        positive, negative = Counter[int](), Counter[int]()
        for c, e in self.terms:
            (positive if c > 0 else negative)[sum(e)] += abs(c)
        return positive | negative if self.signed else positive  # the larger of each degree

    def dtype(self, top: int) -> np.dtype:
        """A dtype that holds all that the task computes of operands up to ``top``."""
        most = sum(abs(c) * top ** sum(e) for c, e in self.terms)
        return exact_dtype(max(most, self.modulus or 0, top))

    def without_idle_modulus(self, base: int, width: int) -> Task:
        """The task without its modulus, if no operands of at most ``width`` digits reach it."""
        signs = [c for c, _ in self.terms]
        if self.modulus is None or min(signs) < 0 or not any(signs):
            return self
        whole = replace(self, modulus=None)
        return whole if whole.largest(base, width) < self.modulus else self

    def result_width(self, base: int, width: int) -> int:
        """Digits M that hold every result of operands of at most ``width`` digits, and its sign."""
        return digit_count(self.largest(base, width), base) + self.signed

    def digits(self, values: Any, base: int, width: int) -> Iterator[Any]:
        """The digits of results, units first, elementwise of arrays.

        A sign stands above the others, if results have one: 1 of a negative result, otherwise 0.
        """
        rest = abs(values)
        for _ in range(width - self.signed):
            yield rest % base
            rest = rest // base
        if self.signed:
            yield (values < 0) * 1

    def text(self, operands: Sequence[str] | None = None) -> str:
        """The task as a person writes it: ``(a + b) mod 100``; a sum as operand has brackets."""
        body = for_people(polynomial_text(self.terms, operands or self.names))
        in_brackets = f"({body})" if len(self.terms) > 1 else body
        return body if self.modulus is None else f"{in_brackets} mod {self.modulus}"

    def formula(self, operands: Sequence[str] | None = None) -> str:
        """The task as SymPy writes it, ``Mod(2*a + b, 12)``; a sum as operand has brackets."""
        # The terms are in the lexicographic order of their exponents, but for ``1 - a``.
        ordered = sorted(self.terms, key=lambda term: term[1], reverse=True)
        first, last = ordered[0], ordered[-1]
        is_of_one = sum(map(bool, first[1])) == 1
        if len(ordered) == 2 and is_of_one and first[0] < 0 < last[0] and not any(last[1]):
            ordered.reverse()
        body = polynomial_text(ordered, operands or self.names)
        if operands and body in operands and body.startswith("("):
            body = body[1:-1]
        return body if self.modulus is None else f"Mod({body}, {self.modulus})"


@dataclass(frozen=True)
class Operations(Task):
    """Several tasks of the same operands: the sign between these says which one is asked for.

    An example has one number more than operands, the index of its operation, which is written as
    that sign.  Theory predicts each operation by itself (``prediction.mixture``); what is read
    here is what holds of all.

    Args:
        parts: the operations.
        modulus: that of every operation, or None.
        results: as they are of every operation.

    Raises:
        InvalidInput: operations that are the same, or have other operands or another modulus.
    """

    parts: tuple[Task, ...] = ()

    def __post_init__(self) -> None:
        first, *others = self.parts
        if len(first.names) < 2:
            raise InvalidInput(f"'{self.name}': one operand has no sign that says the operation")
        for i, part in enumerate(others, 1):
            if part.names != first.names:
                what = f"{', '.join(first.names)} and {', '.join(part.names)}"
                raise InvalidInput(f"'{self.name}': the operations have other operands, {what}")
            if part.modulus != first.modulus:
                raise InvalidInput(f"'{self.name}': all operations have one modulus, or none has")
            if any(part.terms == other.terms for other in self.parts[:i]):
                raise InvalidInput(f"'{self.name}': {part.text()} is given twice")

    @property
    def operations(self) -> tuple[Task, ...]:
        return self.parts

    @cached_property
    def symmetric_operands(self) -> tuple[tuple[int, ...], ...]:
        """The operands in groups: those of one group change places in some of the operations."""
        groups = [{j} for j in range(self.operands)]
        for group in (set(g) for part in self.parts for g in part.symmetric_operands):
            joined = set[int]().union(*(g for g in groups if g & group))
            groups = [g for g in groups if not g & group] + [joined]
        return tuple(sorted(tuple(sorted(g)) for g in groups))

    @property
    def needs_order(self) -> bool:
        """False: of the digits that are shown those count of any operation."""
        return False

    def evaluate(self, *operands: Any) -> Any:
        """The operation that the last number says, of the others; no result if not defined."""
        return one_of(self.parts, operands)

    def largest(self, base: int, width: int) -> int:
        return max(part.largest(base, width) for part in self.parts)

    def without_idle_modulus(self, base: int, width: int) -> Task:
        return self

    def text(self, operands: Sequence[str] | None = None) -> str:
        """The operations as a person writes them: ``a + b or a - b``."""
        return " or ".join(part.text(operands) for part in self.parts)

    def formula(self, operands: Sequence[str] | None = None) -> str:
        """The operations as SymPy writes them, ``a + b, a - b``."""
        return ", ".join(part.formula(operands) for part in self.parts)


def _larger(total: Any, more: Any) -> Any:
    return total + (more - total) * (more > total)


@dataclass(frozen=True)
class DigitFunction(Task):
    """A function of the digits of one number, whatever their places, or their reversal.

    Args:
        base: that of the digits.
        divisor: what the function is reduced by; None where it is not.
    """

    base: int = 10
    divisor: int | None = None

    def __post_init__(self) -> None:
        if self.divisor is not None and self.divisor < 1:
            raise InvalidInput(f"modulus must be at least 1, not {self.divisor}")

    @property
    def combine(self) -> Callable[[Any, Any], Any] | None:
        """How it is made of its values for two parts of the digits; None: not of these alone."""
        return DIGIT_FUNCTIONS[self.name].combine

    @property
    def asked_modulus(self) -> int | None:
        return self.divisor if DIGIT_FUNCTIONS[self.name].modular else None

    @property
    def degree(self) -> int:
        """That of a number alone: no result is longer."""
        return 1

    @property
    def is_linear(self) -> bool:
        return False

    @property
    def repeats(self) -> bool:
        return True

    @property
    def follows_polynomial(self) -> bool:
        return False

    def evaluate(self, *operands: Any) -> Any:
        [rest] = operands
        total = 0 * rest
        while np.any(rest > 0):
            digit = rest % self.base
            if self.combine is None:
                total = total + (total * (self.base - 1) + digit) * (rest > 0)
            else:
                total = self.merged(total, digit)
            rest = rest // self.base
        return total

    def merged(self, first: Any, second: Any) -> Any:
        """The value for some digits, from those for two parts of them."""
        assert self.combine is not None
        total = self.combine(first, second)
        return total if self.divisor is None else total % self.divisor

    def largest(self, base: int, width: int) -> int:
        if self.divisor is not None:
            return self.divisor - 1
        return base**width - 1 if self.combine is None else self.base - 1

    def text(self, operands: Sequence[str] | None = None) -> str:
        """The function as a person writes it: ``digit_sum(a) mod 7``."""
        modulo = "" if self.asked_modulus is None else f" mod {self.asked_modulus}"
        return self._of(operands) + modulo

    def formula(self, operands: Sequence[str] | None = None) -> str:
        """The function as SymPy writes it, ``Mod(digit_sum(a), 7)``."""
        of = self._of(operands)
        return of if self.asked_modulus is None else f"Mod({of}, {self.asked_modulus})"

    def _of(self, operands: Sequence[str] | None) -> str:
        [name] = operands or self.names
        return (
            f"{self.name}({name.removeprefix('(').removesuffix(')') if name[0] == '(' else name})"
        )


def one_of(functions: Sequence[Any], operands: Sequence[Any]) -> Any:
    """What the function says, of all operands but the last, whose index the last one is."""
    *values, which = operands
    if isinstance(which, int):
        return functions[which].evaluate(*values)
    return sum(f.evaluate(*values) * (which == i) for i, f in enumerate(functions))


def joined(name: str, parts: Sequence[Task]) -> Task:
    """The task that asks for one of some operations; a single one is itself."""
    if len(parts) == 1:
        return parts[0]
    terms = tuple(term for part in parts for term in part.terms)
    first = parts[0]
    return Operations(name, terms, first.names, first.modulus, first.results, tuple(parts))


def polynomial_text(terms: Sequence[Term], operands: Sequence[str]) -> str:
    """A polynomial, term by term: ``2*a**2 - a*b + 1``; each operand as it is to be written."""
    text = ""
    for coefficient, exponents in terms:
        powers = zip(operands, exponents, strict=True)
        factors = [x if e == 1 else f"{x}**{e}" for x, e in powers if e]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, str(abs(coefficient)))
        text += f" {'-' if coefficient < 0 else '+'} {'*'.join(factors)}"
    return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def for_people(formula: str) -> str:
    """A polynomial as a person writes it: ``2·a^2 - a·b + 1``."""
    return formula.replace("**", "^").replace("*", "·")


def digit_count(value: int, base: int) -> int:
    """The number of digits of a natural number; 0 has one."""
    # Never above the answer and at most two below: dividing digit by digit takes long.
    count = max(1, int((value.bit_length() - 1) / log2(base)))
    power = base**count
    while value >= power:
        power *= base
        count += 1
    return count


@dataclass(frozen=True)
class NamedTask:
    """A row of the table of tasks: the polynomial, and whether it takes a modulus."""

    terms: tuple[Term, ...]
    names: tuple[str, ...]
    modular: bool
    summary: str


_SUM: tuple[Term, ...] = ((1, (1, 0)), (1, (0, 1)))
_SUM_OF_THREE: tuple[Term, ...] = ((1, (1, 0, 0)), (1, (0, 1, 0)), (1, (0, 0, 1)))
_AFFINE: tuple[Term, ...] = ((2, (1, 0)), (3, (0, 1)), (1, (0, 0)))
_DIFFERENCE: tuple[Term, ...] = ((1, (1, 0)), (-1, (0, 1)))
_PRODUCT: tuple[Term, ...] = ((1, (1, 1)),)
_AB = ("a", "b")

TASKS: dict[str, NamedTask] = {
    "add": NamedTask(_SUM, _AB, False, "a + b"),
    "sub": NamedTask(_DIFFERENCE, _AB, False, "a - b, where a >= b"),
    "mul": NamedTask(_PRODUCT, _AB, False, "a * b"),
    "multi_add": NamedTask(_SUM_OF_THREE, ("a", "b", "c"), False, "a + b + c"),
    "affine": NamedTask(_AFFINE, _AB, False, "2*a + 3*b + 1 (others as --expr)"),
    "square": NamedTask(((1, (2,)),), ("a",), False, "a ** 2"),
    "copy": NamedTask(((1, (1,)),), ("a",), False, "a"),
    "mod_add": NamedTask(_SUM, _AB, True, "(a + b) mod p"),
    "mod_sub": NamedTask(_DIFFERENCE, _AB, True, "(a - b) mod p"),
    "mod_mul": NamedTask(_PRODUCT, _AB, True, "(a * b) mod p"),
}
"""Every named task.  Adding a row here is all that a new task needs."""


class NamedDigitFunction(NamedTuple):
    """A row of the table of digit functions."""

    combine: Callable[[Any, Any], Any] | None
    modular: bool
    divisor: int | None
    summary: str


DIGIT_FUNCTIONS = {
    "digit_sum": NamedDigitFunction(add, True, None, "the sum of a's digits mod p"),
    "parity": NamedDigitFunction(add, False, 2, "the sum of a's digits mod 2"),
    "max_digit": NamedDigitFunction(_larger, False, None, "the largest digit of a"),
    "reverse": NamedDigitFunction(None, False, None, "a read from its units: 120 is 21"),
}
"""Every named function of the digits of one number."""


def names_in(name: str) -> list[str]:
    """The names that commas join, without the blanks beside these."""
    return [x.strip() for x in name.split(",")]


def takes_modulus(name: str) -> bool:
    """Whether a task of the tables is modular (InvalidInput: no such name)."""
    return any(look_up("task", x, TASKS | DIGIT_FUNCTIONS).modular for x in names_in(name))


def is_named(name: str) -> bool:
    """Whether a name is one of the tables, or several of them joined by commas."""
    return all(x in TASKS | DIGIT_FUNCTIONS for x in names_in(name))


def named_task(
    name: str, modulus: int | None = None, results: str = UNSIGNED, base: int = 10
) -> Task:
    """A task of the tables, or several of them joined by commas: ``add,sub``.

    Args:
        base: that of the digits, for functions of these.

    Raises:
        InvalidInput: no such name; a modulus missing, or one too many.
    """
    names = names_in(name)
    return joined(",".join(names), [_named_task(x, modulus, results, base) for x in names])


def _named_task(name: str, modulus: int | None, results: str, base: int) -> Task:
    entry = look_up("task", name, TASKS | DIGIT_FUNCTIONS)
    if entry.modular and modulus is None:
        raise InvalidInput(f"task '{name}' needs a modulus (--modulus P, at least 1)")
    if not entry.modular and modulus is not None:
        alternative = f"mod_{name}"
        hint = f"; did you mean '{alternative}'?" if alternative in TASKS else ""
        raise InvalidInput(f"task '{name}' takes no modulus{hint}")
    if isinstance(entry, NamedDigitFunction):
        divisor = modulus if entry.modular else entry.divisor
        return DigitFunction(name, (), ("a",), None, results, base, divisor)
    return Task(name, entry.terms, entry.names, modulus, results)
