"""Domains: the sets of operand tuples that a model is trained or tested on.

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
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import pairwise, product
from math import comb, prod
from typing import Any

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.lengths_text import runs
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
LEAST_SHARE = Fraction(1, 10**6)
"""The least share of examples that counts as shown: fewer would hardly be met in a training run."""
MOST_PAIRS = 10**9
"""The most operand tuples that a training set may be drawn to have."""
HOLDOUTS = ("hash", "position")
"""How it is said which operand tuples are held out of training."""
MISSED = 1e-3
"""The chance up to which a sample may lack a digit that its domain has."""


@dataclass(frozen=True)
class Domain:
    """The union of ``D_n`` (or ``D_n^ab``) over the given lengths.

    Args:
        lengths: the lengths n, uniform on the union of their domains.
        priming: longer examples mixed in (Jelassi et al., arXiv 2306.15400): pairs of a length
            and its share of all examples.
        allowed: per position (1 = units), the only digits that operands have there;
            a zero above an operand's highest digit counts as a digit.
        pairs: show only so many operand tuples, drawn once; None for all of them.
        holdout: which tuples are held out of training: ``hash``, those that a hash of their digits
            says, before any is drawn; ``position``, the last tenth of ``pairs`` drawn once.

    Raises:
        InvalidInput: a value that makes no sense, or one given twice.
    """

    lengths: tuple[int, ...]
    kind: str = "longest"
    priming: tuple[tuple[int, Fraction], ...] = ()
    allowed: tuple[tuple[int, tuple[int, ...]], ...] = ()
    pairs: int | None = None
    holdout: str = "hash"

    def __post_init__(self) -> None:
        if self.holdout not in HOLDOUTS:
            raise unknown_name("holdout", self.holdout, HOLDOUTS)
        if self.holdout == "position" and self.pairs is None:
            raise InvalidInput("a holdout by position is of tuples drawn once: give --train-pairs")
        if self.kind not in KINDS:
            raise unknown_name("domain", self.kind, KINDS)
        if not self.lengths:
            raise InvalidInput("a domain needs at least one length")
        if min(self.lengths) < 1:
            raise InvalidInput(f"digits must be at least 1, not {min(self.lengths)}")
        object.__setattr__(self, "lengths", tuple(sorted(set(self.lengths))))
        object.__setattr__(self, "priming", tuple(sorted(self.priming)))
        object.__setattr__(self, "allowed", tuple(sorted(self.allowed)))
        shares = [share for _, share in self.priming]
        if any(share < LEAST_SHARE for share in shares) or sum(shares) >= 1:
            least = f"{float(LEAST_SHARE):g}"
            raise InvalidInput(f"priming shares have to be at least {least}, and below 1 in all")
        for what, pairs in (("priming length", self.priming), ("position", self.allowed)):
            for (number, _), (following, _) in pairwise(pairs):
                if number == following:
                    raise InvalidInput(f"{what} {number} is given twice")
        for n, _ in self.priming:
            if n < 1:
                raise InvalidInput(f"priming lengths are 1 or more, not {n}")
            if n in self.lengths:
                raise InvalidInput(f"priming adds another length: {n} digits are trained already")
        for position, digits in self.allowed:
            if position < 1:
                raise InvalidInput(f"positions start at 1 (the units), not at {position}")
            if not digits or min(digits) < 0:
                raise InvalidInput(f"position {position} needs at least one allowed digit")
        if self.pairs is not None and self.pairs < 1:
            raise InvalidInput(f"training needs at least one operand tuple, not {self.pairs}")
        if self.pairs is not None and self.pairs > MOST_PAIRS:
            raise InvalidInput(f"training takes at most {MOST_PAIRS:,} operand tuples")

    @cached_property
    def every_length(self) -> tuple[int, ...]:
        """All lengths that the domain shows, priming included."""
        return tuple(sorted({*self.lengths, *(n for n, _ in self.priming)}))

    @property
    def trained_pairs(self) -> int | None:
        """How many operand tuples are trained on; None where they are drawn anew."""
        if self.pairs is None or self.holdout == "hash":
            return self.pairs
        return self.pairs * 9 // 10

    def direction(self, length: int) -> Direction:
        """Where a test length lies, as seen from a training domain."""
        shown = self.every_length
        if length in shown:
            return Direction.IN_DOMAIN
        if length < shown[0]:
            return Direction.DOWNWARD
        return Direction.UPWARD if length > shown[-1] else Direction.BETWEEN

    def covers(self, length: int, kind: str) -> bool:
        """Whether the domain shows the whole of ``Domain((length,), kind)``, by its definition."""
        alike = length == 1 and "total" not in (kind, self.kind)
        within = alike or kind in _WITHIN.get(self.kind, (self.kind,))
        return within and not self.allowed and length in self.every_length

    def contains(self, values: tuple[int, ...], base: int) -> bool:
        """Whether an operand tuple is in the domain."""
        for position, digits in self.allowed:
            if any(v // base ** (position - 1) % base not in digits for v in values):
                return False
        return self.has_lengths(tuple(digit_count(v, base) for v in values))

    def has_lengths(self, widths: tuple[int, ...]) -> bool:
        """Whether operands of these lengths are in the domain, whatever their digits."""
        n = sum(widths) if self.kind == "total" else max(widths)
        return n in self.every_length and (self.kind != "every" or len(set(widths)) == 1)

    def shows_lengths(self, widths: tuple[int, ...], base: int) -> bool:
        """Whether a training run meets operands of these lengths, an example's own drawn first."""
        if not self.has_lengths(widths):
            return False
        n, operands = sum(widths) if self.kind == "total" else max(widths), len(widths)
        primed = dict(self.priming)
        share = primed.get(n, (1 - sum(primed.values(), Fraction(0))) / len(self.lengths))
        if self.kind == "longest":
            alike = prod(base**w - base ** (w - 1) * (w > 1) for w in widths)
            every = base ** (n * operands) - base ** ((n - 1) * operands) * (n > 1)
            share *= Fraction(alike, every)
        elif self.kind == "coin":
            alike = prod(base**w - base ** (w - 1) * (w > 1) for w in widths) * widths.count(n)
            picked = base**n - base ** (n - 1) * (n > 1)
            share *= Fraction(alike, operands * picked * base ** (n * (operands - 1)))
        elif self.kind == "lengths":
            share /= n**operands - (n - 1) ** operands
        elif self.kind == "total":
            share /= comb(n - 1, operands - 1)
        return share >= LEAST_SHARE

    def operand_lengths(self, n: int, operands: int) -> Iterator[tuple[int, ...]]:
        """The lengths that operands have together in the part of length n."""
        if self.kind == "every":
            yield (n,) * operands
        elif self.kind == "total":
            most = n - operands + 1  # the others have one digit each
            first = product(range(1, most + 1), repeat=operands - 1)
            yield from ((*w, n - sum(w)) for w in first if sum(w) < n)
        else:
            below, up_to = range(1, n), range(1, n + 1)
            for longest in range(operands):  # the first that has n digits
                yield from product(*[below] * longest, (n,), *[up_to] * (operands - longest - 1))

    def has_operands(self, n: int, operands: int) -> bool:
        """Whether some operands of length n have the allowed digits only."""
        widths = {
            w
            for w in range(1, n + 1)
            if all(
                0 in digits if i > w else any(digits) or i < w or w == 1
                for i, digits in self.allowed
            )
        }
        if self.kind != "total":
            return n in widths
        sums = {0}
        for _ in range(operands):
            sums = {s + w for s in sums for w in widths if s + w <= n}
        return n in sums

    def number_of_boxes(self, n: int, operands: int) -> int:
        """How many boxes the part of length n is cut into, but for those without allowed digits."""
        if self.kind == "every":
            return 1
        if self.kind == "total":
            return comb(n - 1, operands - 1)
        if self.kind == "coin" and n > 1:
            return 2**operands - 1
        return n**operands - (n - 1) ** operands if self.kind == "lengths" else operands

    def boxes(self, base: int, operands: int) -> tuple[Box, ...]:
        """The disjoint boxes whose union is the domain (what it shows, not how often)."""
        return _boxes(self, base, operands)

    def layers(self, base: int, operands: int) -> list[tuple[int, Box]]:
        """The domain as a signed sum of boxes: ``D_n`` is all up to n digits, less all below."""
        if self.kind not in ("longest", "coin"):
            return [(1, box) for box in self.boxes(base, operands)]
        signed = [step for n in self.every_length for step in ((1, n), (-1, n - 1)) if step[1]]
        full = tuple(range(base))
        layers = [(sign, self._allow(Box(((full,) * n,) * operands))) for sign, n in signed]
        return [(sign, box) for sign, box in layers if box.size]

    def weighted_boxes(
        self, base: int, operands: int, balanced: bool = False
    ) -> list[tuple[Box, Fraction]]:
        """The boxes with the probability that a sample falls in each.

        Args:
            balanced: every length is as likely as any other, not every operand tuple.
        """
        by_length = [self._often(n, base, operands) for n in self.lengths]
        main = by_length if balanced else [[x for boxes in by_length for x in boxes]]
        rest = 1 - sum((share for _, share in self.priming), Fraction(0))
        groups = [(rest / len(main), boxes) for boxes in main]
        groups += [(share, self._often(n, base, operands)) for n, share in self.priming]
        return [
            (box, share * Fraction(often, sum(often for _, often in boxes)))
            for share, boxes in groups
            for box, often in boxes
        ]

    def _often(self, n: int, base: int, operands: int) -> list[tuple[Box, int]]:
        """The boxes of ``cut`` with how often samples of length n fall in each, as a ratio."""
        boxes = self.cut(n, base, operands)
        if self.kind in LENGTHS_FIRST:
            return [(box, 1) for box in boxes]
        if self.kind == "coin" and n > 1:  # by how many operands with n digits may have been picked
            return [(b, b.size * sum(row[n - 1] != (0,) for row in b.digits)) for b in boxes]
        return [(box, box.size) for box in boxes]

    def cut(self, n: int, base: int, operands: int) -> list[Box]:
        """``D_n``, by which operand is the first to reach n digits, or ``D_n^ab`` as boxes.

        Where lengths are drawn first there is a box for each tuple of them, and where a coin picks
        an operand one for each choice of those that have n digits.
        """
        full, zero = tuple(range(base)), (0,)

        @cache
        def number(width: int) -> tuple[tuple[int, ...], ...]:
            return (full,) * (width - 1) + (full[width > 1 :],) + (zero,) * (n - width)

        below, at_most = (full,) * (n - 1) + (zero,), (full,) * n
        if self.kind == "coin" and n > 1:
            rows = [*product((number(n), below), repeat=operands)][:-1]
        elif self.kind == "longest" and n > 1:
            rows = [
                (below,) * first + (number(n),) + (at_most,) * (operands - first - 1)
                for first in range(operands)
            ]
        else:
            rows = [tuple(map(number, widths)) for widths in self.operand_lengths(n, operands)]
        return [box for box in map(self._allow, map(Box, rows)) if box.size]

    def _allow(self, box: Box) -> Box:
        """The part of a box that has the allowed digits only."""
        operands = range(len(box.digits))
        return box.restrict({(j, i): frozenset(d) for j in operands for i, d in self.allowed})

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
        """``D_4 + D_5``, ``D_1 to D_5``, ``D_2^every``, ``D_3 + 1% D_6 (position 1: 6..9)``."""
        mark = "" if self.kind == "longest" else f"^{self.kind}"
        parts = []
        for first, last in runs(self.lengths):
            ends = [first, last] if last > first else [first]
            parts.append((" to " if last > first + 1 else " + ").join(f"D_{n}{mark}" for n in ends))
        parts += [f"{100 * float(share):g}% D_{n}{mark}" for n, share in self.priming]
        text = " + ".join(parts)
        if self.allowed:
            only = "; ".join(f"position {i}: {_digits_text(d)}" for i, d in self.allowed)
            text += f" ({only})"
        return text if self.pairs is None else f"{text}, {self.pairs:,} pairs"


@lru_cache(maxsize=1024)
def _boxes(domain: Domain, base: int, operands: int) -> tuple[Box, ...]:
    return tuple(box for n in domain.every_length for box in domain.cut(n, base, operands))


def _digits_text(digits: tuple[int, ...]) -> str:
    """``6..9`` for a run of digits, ``0,5`` for others."""
    first, last = digits[0], digits[-1]
    is_run = list(digits) == list(range(first, last + 1)) and len(digits) > 2
    return f"{first}..{last}" if is_run else ",".join(map(str, digits))
