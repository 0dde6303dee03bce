"""What a file of examples shows, as a training domain.

The premise of every prediction is that a model is right on held-out inputs like those that it was
trained on.  Of a file these are its examples and what is like them: of each length, the operand
tuples any two digits of which stand together in some example.  A digit that no example has at its
place, and two digits that stand together in none, count as not shown; but where nearly all of a few
inputs are there, the others are taken as held out.  Where too few examples show two digits
together, and where each stands there so often that one more would have been met, only the examples
themselves count as shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import log, prod
from typing import Any

import numpy as np

from arith.theory.arithmetic.boxes import Box, largest_value
from arith.theory.arithmetic.domains import MISSED, Domain, digit_base
from arith.theory.arithmetic.integer_arrays import operand_tuples
from arith.theory.arithmetic.tasks import Operations, Task
from arith.theory.errors import InvalidInput

MOST_BOXES = 200
"""Boxes of one length; examples whose digits stand together in more ways count by themselves."""
MOST_SINGLE = 500
"""Examples of one length that count by themselves; others are taken as not shown."""
_WHOLE = Fraction(9, 10)
"""The share of a domain that makes a file of it whole: up to a tenth may be held out."""
_FEW = 5
"""Inputs of which by chance all may be held out, where up to a tenth of all is."""
_COUNTED = 1_000_000
"""Operand tuples that are counted one by one."""
_CHUNK = 20_000
"""Examples that are looked through at once."""
_MOST_PAIRS = 4_000_000
"""Pairs of values of two places that are looked for."""
_Pair = tuple[int, int]


@dataclass(frozen=True)
class ObservedDomain(Domain):
    """A training domain that is known by its examples alone.

    Args:
        shown: by length, the boxes that its examples show.
        widths: the lengths that operands have together.
        examples: how many there are of each length.
        different: how many of these differ.
        task: what they are examples of.
        whole: they are all that the boxes hold, but for those that may be held out.
        complete: each length shows all that its kind of domain has.
        every_digit: each place has shown every digit.
        every_token: where digits stand together in tokens, these are shown, and any two of them.
        operations: of several operations, what the examples of each show.
    """

    shown: tuple[tuple[int, tuple[Box, ...]], ...] = ()
    widths: tuple[tuple[int, ...], ...] = ()
    examples: tuple[int, ...] = ()
    different: int = 0
    task: Task | None = None
    whole: bool = False
    complete: bool = False
    every_digit: bool = False
    every_token: bool = True
    operations: tuple[ObservedDomain, ...] = ()

    @property
    def sampled(self) -> bool:
        return not self.whole

    @property
    def limit(self) -> int | None:
        return None if self.whole and self.complete else self.different

    @property
    def restricted(self) -> bool:
        return not self.complete

    @property
    def by_lengths(self) -> bool:
        return True

    @property
    def uniform(self) -> bool:
        return False

    def in_tokens(self, in_token: int) -> Domain:
        """The domain itself: which digits stood together in tokens, its boxes do not say."""
        if in_token != self.in_token and self.every_length[-1] > min(in_token, self.in_token):
            what = "digits in a token: the examples have"
            raise InvalidInput(f"{what} {self.in_token}, and do not say what {in_token} would show")
        return super().in_tokens(in_token)

    def cut(self, n: int, base: int, operands: int) -> list[Box]:
        """The boxes of a length that examples show."""
        return list(dict(self.shown).get(n, ()))

    def number_of_boxes(self, n: int, operands: int) -> int:
        return len(dict(self.shown).get(n, ()))

    def operand_lengths(self, n: int, operands: int) -> Iterator[tuple[int, ...]]:
        """The lengths that operands of some example have together."""
        return (w for w in self.widths if max(w) == n)

    def has_operands(self, n: int, operands: int, base: int) -> bool:
        return n in self.lengths

    def has_lengths(self, widths: tuple[int, ...]) -> bool:
        return widths in self.widths

    def shows_lengths(self, widths: tuple[int, ...], base: int) -> bool:
        return widths in self.widths

    def of_length(self, n: int) -> Domain:
        i = self.lengths.index(n)
        return replace(
            self,
            lengths=(n,),
            shown=self.shown[i : i + 1],
            widths=tuple(w for w in self.widths if max(w) == n),
            examples=self.examples[i : i + 1],
        )

    def likely_whole(self, base: int, operands: int) -> bool:
        """True: what no example shows is in no box."""
        return True

    def weighted_boxes(self, base: int, operands: int) -> list[tuple[Box, Fraction]]:
        every, found = sum(self.examples), []
        for (_, boxes), examples in zip(self.shown, self.examples, strict=True):
            size = sum(box.size for box in boxes)
            found += [(box, Fraction(examples * box.size, every * size)) for box in boxes]
        return found

    def covers(self, test: Domain, base: int, operands: int) -> bool:
        """Whether all inputs of a test domain, on which the task is defined, are in the boxes."""
        [n] = test.lengths
        shown = self.cut(n, base, operands)
        if not shown:
            return False
        asked = [box for box in test.boxes(base, operands) if is_defined(self.task, box, base)]
        of = self.digit_base(base)
        lacking = (w for w in test.operand_lengths(n, operands) if w not in self.widths)
        if self.natural and any(is_defined(self.task, box_of_widths(w, of), of) for w in lacking):
            return False
        return all(sum(_common(box, x) for x in shown) == box.size for box in asked)

    def of_operation(self, index: int) -> Domain:
        return self.operations[index]

    def text(self) -> str:
        """``9,025 examples of D_2``."""
        number = sum(self.examples)
        return f"{number:,} example{'s' * (number > 1)} of {super().text()}"


@dataclass(frozen=True)
class AnsweredDomain(Domain):
    """The inputs of one length that were asked: some combinations of operand lengths.

    Each is as often as it was asked; of one, all inputs are alike, as in the kind ``lengths``.

    Args:
        shapes: the combinations, each with its share of operands, also of those on which the task
            is not defined.
    """

    shapes: tuple[tuple[tuple[int, ...], Fraction], ...] = ()

    def operand_lengths(self, n: int, operands: int) -> Iterator[tuple[int, ...]]:
        return (widths for widths, _ in self.shapes)

    def number_of_boxes(self, n: int, operands: int) -> int:
        return len(self.shapes)

    def has_lengths(self, widths: tuple[int, ...]) -> bool:
        return widths in dict(self.shapes)

    def weight_of_input(self, widths: tuple[int, ...], base: int) -> Fraction:
        return dict(self.shapes)[widths] / self.inputs(widths, base)

    def _drawn(self, n: int, base: int, operands: int) -> list[tuple[Box, Fraction | int]]:
        boxes = self.cut(n, base, operands)
        return [(box, often) for box, (_, often) in zip(boxes, self.shapes, strict=True)]

    def text(self) -> str:
        """``12 combinations of lengths of D_3``."""
        many = f"{len(self.shapes):,} combination{'s' * (len(self.shapes) > 1)} of lengths"
        return f"{many} of {Domain(self.lengths).text()}"


def observed(
    task: Task,
    digits: np.ndarray,
    base: int,
    natural: bool,
    in_token: int = 1,
    together: tuple[int, str] = (1, "most"),
) -> ObservedDomain:
    """The domain that the operands of examples show.

    Args:
        digits: ``(n, k, N)``, units first; of several operations the last row says which.
        base: of the tokens, of which each holds ``in_token`` digits.
        together: how many digits of numbers of natural length stand in a token, counted from the
            first that is written, and whether that is the ``most`` or the ``least`` significant.
    """
    operations = list[ObservedDomain]()
    if isinstance(task, Operations):
        which, digits = digits[:, -1, 0], digits[:, :-1]
        for i, part in enumerate(task.operations):
            some = digits[which == i]
            operations.append(observed(part, some, base, natural, in_token, together))
    k, every_token = digits.shape[1], True
    widths = widths_of(digits)
    longest = widths.max(axis=1)
    shapes = [tuple(w) for w in shapes_of(widths)[0].tolist()]
    lengths = tuple(np.unique(longest).tolist())
    shown, counts, different = [], [], 0
    seen: dict[tuple[int, int], set[int]] = {}
    for length in lengths:
        some = digits[longest == length]
        tokens = grouped(some[:, :, :length], in_token, base)
        flat = tokens.reshape(len(some), -1)
        rows, repeats = distinct(flat, base)
        values = [tuple(np.unique(column).tolist()) for column in rows.T]
        boxes = _boxes(rows, values, int(repeats.min()), task, base)
        shape = k, tokens.shape[2]
        numbers = rows.reshape(-1, *shape)
        size = sum(_inputs(_box(x, shape), task, base) for x in boxes)
        if len(rows) < _WHOLE * size and not _tokens_shown(numbers, *together, base):
            every_token, boxes = False, _single(rows, values)
        shown.append((length, tuple(_box(x, shape) for x in boxes)))
        counts.append(len(some))
        different += len(rows)
        for place, have in enumerate(values):
            seen.setdefault(divmod(place, shape[1]), set()).update(have)
    every_digit = in_token > 1 or all(
        seen[j, i].issuperset(range(1 if 0 < i == w - 1 else 0, base))
        for j, w in enumerate(widths.max(axis=0).tolist())
        for i in range(w)
    )
    # The two kinds are one at one digit.
    is_every = k > 1 and lengths != (1,) and all(len(set(w)) == 1 for w in shapes)
    kind = "every" if is_every else "longest"
    size = sum(_inputs(box, task, base) for _, boxes in shown for box in boxes)
    found = ObservedDomain(
        lengths,
        kind,
        natural=natural,
        in_token=in_token,
        shown=tuple(shown),
        widths=tuple(shapes),
        examples=tuple(counts),
        different=different,
        task=task,
        whole=different >= _WHOLE * size,
        every_digit=every_digit and every_token,
        every_token=every_token,
        operations=tuple(operations),
    )
    asked = (Domain((n,), kind, natural=natural, in_token=in_token) for n in lengths)
    return replace(found, complete=all(found.covers(x, base, k) for x in asked))


def widths_of(digits: np.ndarray) -> np.ndarray:
    """How many digits each number ``(..., N)`` has, without the zeros before it; 0 has one."""
    there = digits[..., ::-1] != 0
    found: np.ndarray = np.where(there.any(axis=-1), digits.shape[-1] - there.argmax(axis=-1), 1)
    return found


def shapes_of(widths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows ``(s, k)`` of the lengths of operands ``(n, k)``, and which each is."""
    first = which = np.zeros(len(widths), dtype=np.int64)
    for column in widths.T:
        rows = which * (widths.max(initial=0) + 1) + column
        _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    return widths[first], which


def grouped(digits: np.ndarray, in_token: int, base: int) -> np.ndarray:
    """Digits ``(n, k, N)`` as tokens of so many digits, from the units."""
    if in_token == 1:
        return digits
    n, k, width = digits.shape
    padded = np.zeros((n, k, -(-width // in_token) * in_token), dtype=np.int64)
    padded[:, :, :width] = digits
    weights = digit_base(base, in_token) ** np.arange(in_token)
    found: np.ndarray = padded.reshape(n, k, -1, in_token) @ weights
    return found


def distinct(rows: np.ndarray, base: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows that differ, and how often each is there."""
    kind = np.uint8 if base <= 256 else np.uint16
    packed = np.ascontiguousarray(rows, dtype=kind)
    size = packed.dtype.itemsize * packed.shape[1]
    if size <= 8:  # in one integer, which sorts as its bytes do
        bytes_ = np.zeros((len(packed), 8), dtype=np.uint8)
        bytes_[:, :size] = packed.view(np.uint8)
        names: np.ndarray = bytes_.view(">u8").astype(np.uint64).ravel()
    else:
        names = packed.view(np.dtype((np.void, size))).ravel()
    _, first, counts = np.unique(names, return_index=True, return_counts=True)
    return packed[first], counts


# --- boxes of examples ---------------------------------------------------------------------

_Values = list[tuple[int, ...]]
"""Of each place the values that it takes, in one row."""


def _box(values: Sequence[tuple[int, ...]], shape: tuple[int, int]) -> Box:
    k, width = shape
    return Box(tuple(tuple(values[j * width : (j + 1) * width]) for j in range(k)))


def _boxes(rows: np.ndarray, values: _Values, repeats: int, task: Task, base: int) -> list[_Values]:
    """Disjoint boxes of what different examples ``(n, P)`` show.

    Args:
        values: what each place takes.
        repeats: how often the rarest of the examples is there.
    """
    partners = _partners(rows, values, task, base)
    boxes: list[_Values] | None = None if partners is None else [values]
    for pair, beside in partners or ():
        boxes = None if boxes is None else _split(boxes, pair, beside)
    size = sum(prod(map(len, box)) for box in boxes or ())
    met_all = repeats >= log(len(rows) / MISSED)  # what is left out would have been met
    by_itself = met_all and len(rows) <= MOST_SINGLE and len(rows) < _WHOLE * size
    if boxes and not by_itself:
        return _merged(boxes)
    return _single(rows, values)


def _single(rows: np.ndarray, values: _Values) -> list[_Values]:
    """Boxes of examples that count by themselves: all, or some that have all values of a place."""
    if len(rows) > MOST_SINGLE:
        first = [int(np.argmax(rows[:, p] == v)) for p, vs in enumerate(values) for v in vs]
        rows = rows[sorted({*first, *range(0, len(rows), -(-len(rows) // MOST_SINGLE))})]
    return _merged([[(x,) for x in row] for row in rows.tolist()])


def _tokens_shown(rows: np.ndarray, size: int, first: str, base: int) -> bool:
    """Whether tokens of several digits are all shown of digits that are, and any two of them.

    Args:
        rows: digits ``(n, k, N)`` of one length, of which tokens hold ``size``.
    """
    widths = widths_of(rows)
    for shape in shapes_of(widths)[0] if size > 1 else ():
        some, columns = rows[(widths == shape).all(axis=1)].astype(np.int64), []
        for j, width in enumerate(shape.tolist()):
            places = range(width)[:: -1 if first == "most" else 1]
            for at in range(0, width, size):
                held = [some[:, j, i] for i in places[at : at + size]]
                token = sum(x * base**n for n, x in enumerate(held))
                columns.append((token, prod(len(np.unique(x)) for x in held)))
        for (a, many), (b, others) in combinations([*columns, (0 * columns[0][0], 1)], 2):
            if len(np.unique(a * base**size + b)) < many * others:
                return False
    return True


def _order(task: Task, values: _Values, base: int) -> tuple[int, list[np.ndarray]]:
    """The largest value of a linear form, and what each value of each place takes away from it.

    Where that is more in all, the task is not defined; of a task that is defined everywhere nothing
    is taken away.
    """
    if not task.needs_order:
        return 0, [np.zeros(len(vs), dtype=object) for vs in values]
    width = len(values) // task.operands
    room, losses = task.constant, []
    for p, vs in enumerate(values):
        weight = task.coefficients[p // width] * base ** (p % width)
        steps = np.array([weight * v for v in vs], dtype=object)
        room += steps.max()
        losses.append(steps.max() - steps)
    return room, losses


def _partners(
    rows: np.ndarray, values: _Values, task: Task, base: int
) -> list[tuple[_Pair, dict[int, frozenset[int]]]] | None:
    """The pairs of places that do not show all values together; by a value, those beside it.

    Two values that few inputs have may be held out, and of two on which the task is not defined
    nothing is lacking.  None if a pair of places has too many values to be looked at.
    """
    pairs = list(combinations(range(len(values)), 2))
    sizes = {(p, q): len(values[p]) * len(values[q]) for p, q in pairs}
    if max(sizes.values(), default=0) > _MOST_PAIRS:
        return None
    met = {pair: np.zeros(size, dtype=bool) for pair, size in sizes.items()}
    for start in range(0, len(rows), _CHUNK):
        part = rows[start : start + _CHUNK].T
        some = [np.searchsorted(vs, row) for vs, row in zip(values, part, strict=True)]
        for p, q in pairs:
            met[p, q][some[p] * len(values[q]) + some[q]] = True
        pairs = [pair for pair in pairs if not met[pair].all()]
    room, losses = _order(task, values, base)
    found, size = [], prod(map(len, values))
    for p, q in pairs:
        if size < _FEW * sizes[p, q] and len(rows) >= _WHOLE * size:
            continue
        beside = met[p, q].reshape(len(values[p]), len(values[q]))
        beside |= np.add.outer(losses[p], losses[q]) > room
        if beside.all():
            continue
        of = {
            v: frozenset(values[q][i] for i in np.flatnonzero(row).tolist())
            for v, row in zip(values[p], beside, strict=True)
        }
        found.append(((p, q), of))
    return found


def _split(
    boxes: list[_Values], pair: _Pair, partners: dict[int, frozenset[int]]
) -> list[_Values] | None:
    """Boxes without the pairs of values that no example has; None if there are too many."""
    p, q = pair
    found = []
    for box in boxes:
        groups: dict[tuple[int, ...], list[int]] = {}
        for v in box[p]:
            groups.setdefault(tuple(w for w in box[q] if w in partners[v]), []).append(v)
        for beside, vs in groups.items():
            if beside:
                one = list(box)
                one[p], one[q] = tuple(vs), beside
                found.append(one)
        if len(found) > MOST_BOXES:
            return None
    return found


def _merged(boxes: list[_Values]) -> list[_Values]:
    """Fewer boxes with the same members: those that differ in one place become one."""
    changed = True
    while changed:
        changed = False
        for p in range(len(boxes[0])):
            groups: dict[Any, list[int]] = {}
            for box in boxes:
                groups.setdefault((*box[:p], (), *box[p + 1 :]), []).extend(box[p])
            changed |= len(groups) < len(boxes)
            boxes = [[*key[:p], tuple(sorted(vs)), *key[p + 1 :]] for key, vs in groups.items()]
    return boxes


def _inputs(box: Box, task: Task, base: int) -> int:
    """How many operand tuples of a box the task is defined on; all, where they are not counted."""
    if not task.needs_order or box.size > _COUNTED:
        return box.size
    return int(np.count_nonzero(task.evaluate(*operand_tuples(box.digits, base)) >= 0))


def is_defined(task: Task | None, box: Box, base: int) -> bool:
    """Whether a task is defined on some member of a box."""
    return task is None or not task.needs_order or largest_value(task, box, base) >= 0


def box_of_widths(widths: tuple[int, ...], base: int) -> Box:
    """All operands of some lengths."""
    full = tuple(range(base))
    return Box(tuple((full,) * (w - 1) + (full[w > 1 :],) for w in widths))


def _common(one: Box, other: Box) -> int:
    """How many operand tuples two boxes have in common."""
    width = max(one.width, other.width)
    return prod(
        len(set(one.values(j, i)).intersection(other.values(j, i)))
        for j, i in product(range(len(one.digits)), range(1, width + 1))
    )
