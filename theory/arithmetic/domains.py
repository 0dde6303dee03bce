"""Domains: the operand tuples that a model is trained or tested on, and how often each is met.

``longest`` (the paper's ``D_n``): the longest operand has exactly n digits.  ``every``
(``D_n^ab``): each operand has exactly n digits.  For n = 1 the operands are 0 .. B-1.  ``lengths``
has the inputs of ``longest``, and ``total`` those whose operands have n digits together; for these
two the lengths of the operands are drawn first, all alike.  ``coin`` has the inputs of ``longest``
as well: chance picks the operand that has n digits, and each other one is uniform below ``B**n``
(the sampler of the published code).

A domain is cut into disjoint boxes.  Within a box the digits are independent, which is what makes
exact counting possible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import accumulate, pairwise, product
from math import comb, pow, prod
from typing import Any

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.lengths_text import lengths_text, runs_text
from arith.theory.arithmetic.tasks import digit_count
from arith.theory.errors import InvalidInput, unknown_name

KINDS = ("longest", "every", "lengths", "total", "coin")
_WITHIN = {
    "longest": ("longest", "every", "coin"),
    "lengths": ("lengths", "longest", "every", "coin"),
    "coin": ("longest", "every", "coin"),
}
"""The kinds whose inputs a kind shows, none of them much more seldom than they are there."""
LENGTHS_FIRST = ("lengths", "total")
"""The kinds in which every tuple of operand lengths is as likely as any other."""
BALANCED, UNIFORM = "balanced", "uniform"
"""Weights of lengths by name."""
LEAST_SHARE = Fraction(1, 10**6)
"""The least share of examples that counts as shown: fewer would hardly be met in a training run."""
MOST_PAIRS = 10**9
"""The most operand tuples that a training set may be drawn to have."""
HOLDOUTS = ("hash", "position")
"""How it is said which operand tuples are held out of training."""
MISSED = 1e-3
"""The chance up to which a sample may lack a digit that its domain has."""
Weights = str | tuple[tuple[int, Fraction], ...]
"""The name of weights, none, or a table of lengths with their weights."""
Allowed = tuple[tuple[int, tuple[int, ...]], ...]
"""By position (1 = units) the only digits that operands have there."""


@dataclass(frozen=True)
class Domain:
    """The union of ``D_n`` (or ``D_n^ab``) over the given lengths.

    Args:
        lengths: the lengths n; where ``each`` says them, there may be none.
        priming: longer examples mixed in (Jelassi et al., arXiv 2306.15400): pairs of a length
            and its share of all examples.
        allowed: per position (1 = units), the only digits that operands have there.
        pairs: show only so many operand tuples, drawn once; None for all of them.
        in_token: how many digits one token holds.  Lengths and positions count digits; boxes are of
            tokens, the digits of a base that is so high a power of theirs.
        each: the lengths that each operand has; none for all.
        weights: how often each length n is met: ``balanced``, all alike; ``uniform``, every operand
            tuple alike, whatever the kind; or a table.  If none are given, natural lengths are
            balanced, unless ``each`` is given; else a length is met as often as the kind weighs its
            inputs.
        natural: numbers have their natural lengths.  Then a position above an operand's highest
            digit has no digit, so that ``allowed`` does not speak of it; else it has a zero.
        holdout: which tuples are held out of training: ``hash``, those that a hash of their digits
            says, before any is drawn; ``position``, the last tenth of ``pairs`` drawn once.

    Raises:
        InvalidInput: a value that makes no sense, or one given twice.
    """

    lengths: tuple[int, ...]
    kind: str = "longest"
    priming: tuple[tuple[int, Fraction], ...] = ()
    allowed: Allowed = ()
    pairs: int | None = None
    in_token: int = 1
    each: tuple[tuple[int, ...], ...] = ()
    weights: Weights = ""
    natural: bool = False
    holdout: str = "hash"

    def __post_init__(self) -> None:
        if self.holdout not in HOLDOUTS:
            raise unknown_name("holdout", self.holdout, HOLDOUTS)
        if self.holdout == "position" and self.pairs is None:
            raise InvalidInput("a holdout by position is of tuples drawn once: give --train-pairs")
        if self.kind not in KINDS:
            raise unknown_name("domain", self.kind, KINDS)
        object.__setattr__(self, "each", tuple(tuple(sorted(set(x))) for x in self.each))
        if not self.lengths and self.each:
            first = max(x[0] for x in self.each)
            longest = (n for x in self.each for n in x if n >= first)
            object.__setattr__(self, "lengths", tuple(longest))
        if not self.lengths:
            raise InvalidInput("a domain needs at least one length")
        if min(self.lengths) < 1:
            raise InvalidInput(f"digits must be at least 1, not {min(self.lengths)}")
        object.__setattr__(self, "lengths", tuple(sorted(set(self.lengths))))
        object.__setattr__(self, "priming", tuple(sorted(self.priming)))
        object.__setattr__(self, "allowed", tuple(sorted(self.allowed)))
        shares = [share for _, share in self.priming]
        for n, share in self.priming:
            if not LEAST_SHARE <= share < 1:
                raise InvalidInput(
                    f"priming {n}:{float(share):g}: a share is at least {float(LEAST_SHARE):g}, "
                    "and below 1"
                )
        if sum(shares) >= 1:
            each = " + ".join(f"{float(share):g}" for share in shares)
            raise InvalidInput(f"priming shares have to be below 1 in all, not {each}")
        for what, pairs in (("priming length", self.priming), ("place", self.allowed)):
            for (number, _), (following, _) in pairwise(pairs):
                if number == following:
                    raise InvalidInput(f"{what} {number} is given twice")
        for n, _ in self.priming:
            if n < 1:
                raise InvalidInput(f"priming lengths are 1 or more, not {n}")
            if n in self.lengths:
                raise InvalidInput(f"priming adds another length: {n} digits are trained already")
        if self.priming and self.each:
            raise InvalidInput("priming adds a length of all operands: give it among those of each")
        for position, digits in self.allowed:
            if position < 1:
                raise InvalidInput(f"places start at 1 (the units), not at {position}")
            if not digits or min(digits) < 0:
                raise InvalidInput(f"place {position} needs at least one allowed digit")
        if self.pairs is not None and self.pairs < 1:
            raise InvalidInput(f"training needs at least one operand tuple, not {self.pairs}")
        if self.pairs is not None and self.pairs > MOST_PAIRS:
            raise InvalidInput(f"training takes at most {MOST_PAIRS:,} operand tuples")
        self._check_weights()

    def _check_weights(self) -> None:
        """Refuse weights that are none, and sort a table of them."""
        if isinstance(self.weights, str):
            if self.weights not in ("", BALANCED, UNIFORM):
                names = BALANCED, UNIFORM
                listed = f"{', '.join(names)}, or LENGTH:WEIGHT for each length, as in 1:1,2:1,3:8"
                raise unknown_name("weights", self.weights, names, listed)
            return
        object.__setattr__(self, "weights", tuple(sorted(self.weights)))
        said = [n for n, _ in self.weights]
        wrong = {
            "none for {}": [n for n in self.lengths if n not in said],
            "{} not trained": [n for n in said if n not in self.lengths],
            "{} twice": [n for n, following in pairwise(said) if n == following],
        }
        if found := [text.format(lengths_text(some)) for text, some in wrong.items() if some]:
            lengths = f"a table has each of the lengths once: {lengths_text(self.lengths)}"
            raise InvalidInput(f"weights: {', '.join(found)}; {lengths}")
        every = sum(weight for _, weight in self.weights)
        if any(weight < LEAST_SHARE * every or not weight for _, weight in self.weights):
            raise InvalidInput(f"a weight is at least {float(LEAST_SHARE):g} of all of them")

    @cached_property
    def every_length(self) -> tuple[int, ...]:
        """All lengths that the domain shows, priming included."""
        return tuple(sorted({*self.lengths, *(n for n, _ in self.priming)}))

    @property
    def sampled(self) -> bool:
        """Whether training may lack some of the inputs that its boxes hold."""
        return self.pairs is not None

    @property
    def limit(self) -> int | None:
        """The operand tuples that training is limited to; None where it has all that there are."""
        return self.pairs

    @property
    def every_digit(self) -> bool:
        """Whether every place of a number has shown every digit."""
        return not self.allowed

    def of_operation(self, index: int) -> Domain:
        """The domain of one of several operations: all have the same."""
        return self

    @property
    def trained_pairs(self) -> int | None:
        """How many operand tuples are trained on; None where they are drawn anew."""
        if self.pairs is None or self.holdout == "hash":
            return self.pairs
        return self.pairs * 9 // 10

    @property
    def most_places(self) -> int:
        """How many tokens the longest operand takes."""
        return self.places(self.every_length[-1])

    def in_tokens(self, in_token: int) -> Domain:
        """The domain where a token holds so many digits."""
        return self if in_token == self.in_token else replace(self, in_token=in_token)

    def places(self, length: int) -> int:
        """How many tokens so many digits take."""
        return -(-length // self.in_token)

    def digit_base(self, base: int) -> int:
        """The base of the digits, by that of the tokens."""
        return digit_base(base, self.in_token)

    @property
    def digits(self) -> tuple[int, ...] | tuple[tuple[int, ...], ...]:
        """The lengths as they are asked for: of the longest operand, or of each."""
        return self.each or self.lengths

    @property
    def restricted(self) -> bool:
        """Whether it has only some of the inputs that its kind has at its lengths."""
        return bool(self.allowed or self.each)

    @property
    def by_lengths(self) -> bool:
        """Whether each tuple of operand lengths has a box of its own."""
        allowed = self.natural and self.allowed and self.kind != "every"
        return self.kind in LENGTHS_FIRST or bool(self.each or allowed)

    @property
    def even(self) -> bool:
        """Whether all inputs of one length are alike."""
        return self.weights == UNIFORM or self.kind in ("longest", "every")

    @property
    def uniform(self) -> bool:
        """Whether all inputs are alike, whatever their length."""
        alike = self.usual_weights in ("", UNIFORM) or len(self.lengths) == 1
        return self.even and not self.priming and alike

    @property
    def usual_weights(self) -> Weights:
        """The weights, and where none are given those that are usual."""
        return self.weights or (BALANCED if self.natural and not self.each else "")

    def share(self, n: int, base: int, operands: int) -> Fraction:
        """The share of the examples that have a length."""
        primed = dict(self.priming)
        if n in primed:
            return primed[n]
        rest = 1 - sum(primed.values(), Fraction(0))
        named = self.usual_weights
        if named == BALANCED:
            return rest / len(self.lengths)
        if isinstance(named, tuple):
            weights = dict(named)
        else:
            every = _weights(self, base, operands)
            weights = {m: Fraction(every[m]) for m in self.lengths}
        return rest * weights[n] / sum(weights.values())

    def met(self, base: int, operands: int) -> Domain:
        """The domain without lengths that are so seldom that a training run hardly meets them."""
        if not self.weights:
            return self
        share = ((n, self.share(n, base, operands)) for n in self.lengths)
        kept = tuple(n for n, x in share if x >= LEAST_SHARE)
        return replace(self, lengths=kept, weights="")

    def of_length(self, n: int) -> Domain:
        """The inputs of one length, as they are drawn there."""
        weights = UNIFORM if self.weights == UNIFORM else ""
        return replace(self, lengths=(n,), priming=(), pairs=None, weights=weights, holdout="hash")

    def direction(self, length: int) -> Direction:
        """Where a test length lies, as seen from a training domain."""
        shown = self.every_length
        if length in shown:
            return Direction.IN_DOMAIN
        if length < shown[0]:
            return Direction.DOWNWARD
        return Direction.UPWARD if length > shown[-1] else Direction.BETWEEN

    def covers(self, test: Domain, base: int, operands: int) -> bool:
        """Whether the domain shows the whole of a test domain of one length, by its definition."""
        [n] = test.lengths
        alike = n == 1 and "total" not in (test.kind, self.kind)
        within = alike or test.kind in _WITHIN.get(self.kind, (self.kind,))
        if not within or n not in self.every_length:
            return False
        if self.weights and self.share(n, base, operands) < LEAST_SHARE:
            return False
        digits, every = dict(test.allowed), range(self.digit_base(base))
        asked = test.each or (range(1, n + 1),) * operands
        return all(
            (self.natural and i > n) or set(only).issuperset(digits.get(i, every))
            for i, only in self.allowed
        ) and all(
            set(mine).issuperset(m for m in theirs if m <= n)
            for mine, theirs in zip(self.each, asked, strict=False)
        )

    def contains(self, values: tuple[int, ...], base: int) -> bool:
        """Whether an operand tuple is in the domain."""
        base = self.digit_base(base)
        widths = tuple(digit_count(v, base) for v in values)
        for position, digits in self.allowed:
            for v, width in zip(values, widths, strict=True):
                exists = position <= width or not self.natural
                if exists and v // base ** (position - 1) % base not in digits:
                    return False
        return self.has_lengths(widths)

    def length_of(self, widths: Sequence[int]) -> int:
        """The length n of operands of these lengths."""
        return sum(widths) if self.kind == "total" else max(widths)

    def has_lengths(self, widths: tuple[int, ...]) -> bool:
        """Whether operands of these lengths are in the domain, whatever their digits."""
        within = not self.each or all(w in x for w, x in zip(widths, self.each, strict=True))
        alike = self.kind != "every" or len(set(widths)) == 1
        return within and alike and self.length_of(widths) in self.every_length

    def shows_lengths(self, widths: tuple[int, ...], base: int) -> bool:
        """Whether a training run meets operands of these lengths."""
        if not self.has_lengths(widths):
            return False
        n, operands = self.length_of(widths), len(widths)
        inputs = self.inputs(widths, base)
        if not inputs:
            return False
        weight = inputs * self.weight_of_input(widths, base)
        share = Fraction(weight, _weights(self, base, operands)[n])
        return share * self.share(n, base, operands) >= LEAST_SHARE

    def weight_of_input(self, widths: tuple[int, ...], base: int) -> Fraction:
        """How often one input with operands of these lengths is drawn among those of its length."""
        if self.even:
            return Fraction(1)
        if self.kind in LENGTHS_FIRST:
            return Fraction(1, self.inputs(widths, base))
        return Fraction(widths.count(max(widths)))  # the operands that may have been picked

    def inputs(self, widths: tuple[int, ...], base: int) -> int:
        """How many operands of these lengths have the allowed digits only."""
        numbers = _numbers(self, base)
        return prod(numbers[w] for w in widths)

    def operand_lengths(self, n: int, operands: int) -> Iterator[tuple[int, ...]]:
        """The lengths that operands have together in the part of length n."""
        each = self.each or (range(1, n + 1),) * operands
        if self.kind == "every":
            yield (n,) * operands
        elif self.kind == "total":
            most = n - operands + 1  # the others have one digit each
            first = product(range(1, most + 1), repeat=operands - 1)
            yield from ((*w, n - sum(w)) for w in first if sum(w) < n)
        else:
            below = [[w for w in x if w < n] for x in each]
            up_to = [[w for w in x if w <= n] for x in each]
            for longest in range(operands):  # the first that has n digits
                if n in each[longest]:
                    yield from product(*below[:longest], (n,), *up_to[longest + 1 :])

    def has_operands(self, n: int, operands: int, base: int) -> bool:
        """Whether some operands of length n have the allowed digits only."""
        return _weights(self, base, operands).get(n, 0) > 0

    def number_of_boxes(self, n: int, operands: int) -> int:
        """How many boxes the part of length n is cut into, but for those without allowed digits."""
        if self.kind == "every":
            return 1
        if self.kind == "total":
            return comb(n - 1, operands - 1)
        if self.by_lengths:
            each = self.each or (range(1, n + 1),) * operands
            up_to = prod(sum(w <= n for w in x) for x in each)
            return up_to - prod(sum(w < n for w in x) for x in each)
        return 2**operands - 1 if self.kind == "coin" and n > 1 else operands

    def boxes(self, base: int, operands: int) -> tuple[Box, ...]:
        """The disjoint boxes whose union is the domain (what it shows, not how often)."""
        return _boxes(self, base, operands)

    def layers(self, base: int, operands: int) -> list[tuple[Fraction | int, Box]]:
        """The domain as boxes, each with the weight of one of its inputs, which may be negative.

        ``D_n`` is all up to n digits, less all below.
        """
        if self.kind != "longest" or self.by_lengths:
            return self.weighted_inputs(base, operands)
        signed = [step for n in self.every_length for step in ((1, n), (-1, n - 1)) if step[1]]
        full = tuple(range(self.digit_base(base)))
        layers = [(sign, self._allow(Box(((full,) * n,) * operands), base)) for sign, n in signed]
        return [(sign, box) for sign, box in layers if box.size]

    def weighted_inputs(self, base: int, operands: int) -> list[tuple[Fraction | int, Box]]:
        """The boxes, each with the weight of one of its inputs among those of its length."""
        every = (x for n in self.every_length for x in self._drawn(n, base, operands))
        return [(1 if self.even else Fraction(often, box.size), box) for box, often in every]

    def weighted_boxes(self, base: int, operands: int) -> list[tuple[Box, Fraction]]:
        """The boxes with the probability that a sample falls in each."""
        found = []
        for n in (*self.lengths, *dict(self.priming)):
            boxes = self._drawn(n, base, operands)
            every = sum(often for _, often in boxes)
            share = self.share(n, base, operands)
            found += [(box, share * Fraction(often, every)) for box, often in boxes]
        return found

    def _drawn(self, n: int, base: int, operands: int) -> list[tuple[Box, Fraction | int]]:
        """The boxes of ``cut`` with how often samples of length n fall in each, as a ratio."""
        boxes = self.cut(n, base, operands)
        if self.even:
            return [(box, box.size) for box in boxes]
        if self.kind in LENGTHS_FIRST:
            return [(box, 1) for box in boxes]
        # By how many operands with n digits may have been picked.
        longest = ((b, sum(row[n - 1] != (0,) or n == 1 for row in b.digits)) for b in boxes)
        return [(box, box.size * picked) for box, picked in longest]

    def cut(self, n: int, base: int, operands: int) -> list[Box]:
        """``D_n``, by which operand is the first to reach n digits, or ``D_n^ab`` as boxes.

        Where each tuple of lengths has a weight of its own there is a box for each, and where a
        coin picks an operand one for each choice of those that have n digits.
        """
        full, zero = tuple(range(self.digit_base(base))), (0,)

        @cache
        def number(width: int) -> tuple[tuple[int, ...], ...]:
            return (full,) * (width - 1) + (full[width > 1 :],) + (zero,) * (n - width)

        below, at_most = (full,) * (n - 1) + (zero,), (full,) * n
        if self.by_lengths or self.kind == "every" or n == 1:
            rows = [tuple(map(number, widths)) for widths in self.operand_lengths(n, operands)]
        elif self.kind == "coin":
            rows = [*product((number(n), below), repeat=operands)][:-1]
        else:
            rows = [
                (below,) * first + (number(n),) + (at_most,) * (operands - first - 1)
                for first in range(operands)
            ]
        boxes = (self._allow(Box(row), base) for row in rows)
        return [box for box in boxes if box.size]

    def _allow(self, box: Box, base: int) -> Box:
        """The part of a box of digits that has the allowed ones only, as a box of tokens."""
        only = {
            (j, i): frozenset(digits)
            for j, row in enumerate(box.digits)
            for i, digits in self.allowed
            if not self.natural or i <= len(row) - row.count((0,))
        }
        if only:
            box = box.restrict(only)
        return box.grouped(self.in_token, self.digit_base(base)) if self.in_token > 1 else box

    def likely_whole(self, base: int, operands: int) -> bool:
        """Whether a sample of ``pairs`` tuples shows every digit everywhere, by a union bound."""
        if self.pairs is None:
            return True
        shares: dict[tuple[int, int, int], Any] = defaultdict(lambda: np.zeros(base))
        for box, weight in self.weighted_boxes(base, operands):
            for j, row in enumerate(box.digits):
                for i, values in enumerate(row):
                    shares[box.width, j, i][list(values)] += float(weight) / len(values)
        drawn = self.trained_pairs or 0
        missed = sum(((1 - share[share > 0]) ** drawn).sum() for share in shares.values())
        return bool(missed < MISSED)

    def text(self) -> str:
        """``D_4 + D_5``, ``D_1 to D_5``, ``D_2^every``, ``D_3 + 1% D_6 (place 1: 6..9)``.

        Where each operand has lengths of its own: ``D_1-40x1-2``.
        """
        mark = "" if self.kind == "longest" or self.each else f"^{self.kind}"
        text = runs_text(self.lengths, " to ", " + ", 3, lambda n: f"D_{n}{mark}")
        text += "".join(f" + {100 * float(share):g}% D_{n}{mark}" for n, share in self.priming)
        if self.each:
            text = f"D_{each_text(self.each)}"
        inside = [f"place {i}: {_digits_text(d)}" for i, d in self.allowed]
        inside += [f"weights {weights_text(self.weights)}"] if self.weights else []
        text += f" ({'; '.join(inside)})" if inside else ""
        held = ", the last tenth held out" * (self.holdout == "position")
        return text if self.pairs is None else f"{text}, {self.pairs:,} pairs{held}"


def digit_base(base: int, in_token: int) -> int:
    """The base of digits of which so many make one of another base."""
    return base if in_token == 1 else round(pow(base, 1 / in_token))


def each_text(each: Sequence[Sequence[int]]) -> str:
    """The lengths of each operand as they are asked for: ``1-40x1-2``."""
    return "x".join(runs_text(x, "-", "+") for x in each)


def weights_text(weights: Weights) -> str:
    """Weights as they are asked for: ``uniform``, ``1:1,2:1,3:8``."""
    return weights if isinstance(weights, str) else ",".join(f"{n}:{x}" for n, x in weights)


@lru_cache(maxsize=1024)
def _numbers(domain: Domain, base: int) -> list[int]:
    """By its length, how many numbers there are with the allowed digits only; none of length 0."""
    found, allowed = [0], dict(domain.allowed)
    base = domain.digit_base(base)
    below = 1
    for w in range(1, domain.every_length[-1] + 1):
        digits = set(allowed.get(w, range(base)))
        above = domain.natural or all(0 in d for i, d in domain.allowed if i > w)
        found.append(below * len(digits - {0} if w > 1 else digits) * above)
        below *= len(digits)
    return found


@lru_cache(maxsize=1024)
def _weights(domain: Domain, base: int, operands: int) -> dict[int, int]:
    """By length, the weights of all its inputs together."""
    numbers, longest = _numbers(domain, base), domain.every_length[-1]
    if domain.kind in LENGTHS_FIRST and not domain.even:
        numbers = [int(x > 0) for x in numbers]
    if domain.kind == "every":
        return {n: numbers[n] ** operands for n in domain.every_length}
    if domain.kind == "total":
        sums = [1] + [0] * longest
        for _ in range(operands):
            widths = [range(1, m + 1) for m in range(longest + 1)]
            sums = [sum(sums[m - w] * numbers[w] for w in each) for m, each in enumerate(widths)]
        return {n: sums[n] for n in domain.every_length}
    each = [frozenset(x) for x in domain.each] or [frozenset(range(longest + 1))] * operands
    up_to = [[*accumulate(x * (w in some) for w, x in enumerate(numbers))] for some in each]
    if domain.kind == "coin" and not domain.even:
        others = operands - 1
        return {n: operands * numbers[n] * up_to[0][n] ** others for n in domain.every_length}
    return {
        n: prod(x[n] for x in up_to) - prod(x[n - 1] for x in up_to) for n in domain.every_length
    }


@lru_cache(maxsize=4096)
@lru_cache(maxsize=1024)
def _boxes(domain: Domain, base: int, operands: int) -> tuple[Box, ...]:
    return tuple(box for n in domain.every_length for box in domain.cut(n, base, operands))


def _digits_text(digits: tuple[int, ...]) -> str:
    """``6..9`` for a run of digits, ``0,5`` for others."""
    first, last = digits[0], digits[-1]
    is_run = list(digits) == list(range(first, last + 1)) and len(digits) > 2
    return f"{first}..{last}" if is_run else ",".join(map(str, digits))
