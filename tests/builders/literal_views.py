"""The theory by enumeration: each input of a small setting is listed, with each of its views.

Of arith it takes what a setting says, what layouts write and what encodings tell; nothing that
counts.  An array has one number for each input.  The names are those of docs/theory.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import gcd, prod
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task
from arith.theory.generalization.theorems import is_local
from arith.theory.setting.settings import Setting

# --- inputs -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a domain on which the task is defined.

    Args:
        operands: an array for each operand.
        results: f of each input.
        shapes: which operand lengths each input has, from 0 on.
        weights: of one input of each shape.
    """

    operands: list[np.ndarray]
    results: np.ndarray
    shapes: np.ndarray
    weights: list[Fraction]

    def share(self, chosen: np.ndarray) -> Fraction:
        """The share of some of the inputs, each counted with its weight."""
        return self.mean(np.bincount(self.shapes[chosen], minlength=len(self.weights)))

    def mean(self, chosen: np.ndarray) -> Fraction:
        """The same of so many inputs of each shape."""
        every = np.bincount(self.shapes, minlength=len(self.weights)).tolist()
        number = sum(w * n for w, n in zip(self.weights, chosen.tolist(), strict=True))
        return Fraction(number, sum(w * n for w, n in zip(self.weights, every, strict=True)))

    def __getitem__(self, chosen: np.ndarray) -> Inputs:
        """Some of the inputs, by a mask or by their places."""
        operands = [x[chosen] for x in self.operands]
        return Inputs(operands, self.results[chosen], self.shapes[chosen], self.weights)


def enumerated(setting: Setting, domain: Domain) -> Inputs:
    """The inputs of a domain, from all operands of so many digits."""
    base, longest = setting.base, max(domain.every_length)
    operands = all_tuples(base**longest, setting.task.operands)
    widths = [digit_counts(x, base) for x in operands]
    longer = sum(widths) if domain.kind == "total" else np.maximum.reduce(widths)
    member = np.isin(longer, domain.every_length)
    for x, each in zip(widths, domain.each, strict=False):
        member &= np.isin(x, each)
    if domain.kind == "every":
        member &= np.all([x == widths[0] for x in widths], axis=0)
    for position, digits in domain.allowed:
        for x, width in zip(operands, widths, strict=True):
            absent = setting.natural & (width < position)  # a number has no digit there
            member &= absent | np.isin(digit(x, position, base), digits)
    operands = [x[member] for x in operands]
    _, first, shapes = np.unique(packed(widths, 64)[member], return_index=True, return_inverse=True)
    picked = sum(x[member][first] == longer[member][first] for x in widths)
    weights = [Fraction(1)] * len(first)
    if domain.kind in ("lengths", "total"):  # the lengths are drawn first, all alike
        weights = [Fraction(1, n) for n in np.bincount(shapes).tolist()]
    elif domain.kind == "coin":  # that picks an operand of n digits
        weights = [Fraction(n) for n in picked.tolist()]
    results = evaluated(setting.task, operands)
    return Inputs(operands, results, shapes, weights)[results >= 0]


def all_tuples(number: int, operands: int) -> list[np.ndarray]:
    """All tuples of numbers below one, as an array for each place."""
    return [x.ravel() for x in np.meshgrid(*[np.arange(number)] * operands, indexing="ij")]


def digit(values: np.ndarray, position: int, base: int) -> np.ndarray:
    """The digit of weight ``base**(position - 1)``."""
    return values // base ** (position - 1) % base


def digit_counts(values: np.ndarray, base: int) -> np.ndarray:
    """How many digits each number has."""
    powers = base ** np.arange(1, 40)[: int(62 / np.log2(base))]
    return 1 + np.searchsorted(powers, values, side="right")


def packed(columns: list[np.ndarray], base: int) -> np.ndarray:
    """One number for each row of columns of numbers below the base."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        code = code * base + column
    return code


def total(task: Task, operands: list[np.ndarray]) -> np.ndarray:
    """The polynomial over the integers."""
    values = np.zeros(len(operands[0]), dtype=np.int64)
    for coefficient, exponents in task.terms:
        factors = [x for x, e in zip(operands, exponents, strict=True) for _ in range(e)]
        values += prod(factors, start=coefficient)
    return values


def evaluated(task: Task, operands: list[np.ndarray]) -> np.ndarray:
    """The function f."""
    values = total(task, operands)
    return values if task.modulus is None else values % task.modulus


# --- views ------------------------------------------------------------------------------


def written(setting: Setting, inputs: Inputs) -> Iterator[tuple[list[Any], np.ndarray]]:
    """The tokens of an example, and the inputs that are written with such tokens."""
    task, base, layout = setting.task, setting.base, setting.layout
    if not setting.natural:
        width, padded = task.result_width(base, setting.digits), (setting.operand_width,)
        every = np.arange(len(inputs.results))
        yield list(layout.tokens(padded * task.operands, width, False)), every
        return
    widths = [digit_counts(x, base) for x in inputs.operands]
    result = digit_counts(inputs.results, base)
    if layout.interleaved:
        widths = [np.maximum.reduce(widths)] * task.operands
        result = np.maximum(result, widths[0])
    codes = packed([*widths, result], 64)
    for code in np.unique(codes):
        chosen = np.flatnonzero(codes == code)
        lengths = tuple(int(x[chosen[0]]) for x in widths)
        tokens = layout.tokens(lengths, int(result[chosen[0]]), True)
        yield [x._replace(kind="filler") if x.symbol == "0" else x for x in tokens], chosen


def alphabet(setting: Setting, digits: int = 0) -> int:
    """How many tokens have digits, or fewer digits than that: ``4`` and ``04`` are two."""
    most = digits - 1 if digits else setting.layout.from_left
    return sum(setting.base**size for size in range(1, most + 1))


def column(setting: Setting, inputs: Inputs, token: Any) -> np.ndarray:
    """The digits that stand at a token; the end token counts as one more."""
    if not is_digit(token):
        return np.full(len(inputs.results), alphabet(setting))
    values = inputs.results if token.kind == "result" else inputs.operands[token.operand]
    base, first = setting.base, setting.layout.operands_first
    first = setting.layout.result_first if token.kind == "result" else first
    order = range(token.position, token.position + token.digits)
    text = [digit(values, i, base) for i in (order if first == "least" else order[::-1])]
    return alphabet(setting, token.digits) + packed([0 * values, *text], base)


def number(setting: Setting, token: Any, tokens: list[Any]) -> int | None:
    """The number of a digit under `coupled` and `abacus`: by weight, or within its number."""
    if not is_digit(token):
        return None
    layout = setting.layout
    first = layout.result_first if token.kind == "result" else layout.operands_first
    if setting.encoding.by_weight or first == "least":
        return token.position
    same = [x for x in tokens if is_digit(x) and x.operand == token.operand]
    return max(x.position for x in same) - token.position + 1


@dataclass(frozen=True, eq=False)
class Views:
    """The views of one query.

    Args:
        place: which tokens are in sight, and what does not move with a random start.
        at: what does.
        seen: the digits in sight, as one number.
        answers: the digit that is asked for.
        chosen: which inputs these are.
    """

    place: Any
    at: Any
    seen: np.ndarray
    answers: np.ndarray
    chosen: np.ndarray


def is_digit(token: Any) -> bool:
    """Whether a token is a digit of a number, or a zero that fills it up."""
    return token.kind in ("operand", "result", "filler")


def is_asked(setting: Setting, token: Any) -> bool:
    """Whether an answer needs the token: in padded examples the end stands at one place."""
    return token.kind == "result" or (setting.natural and token.symbol == "<end>")


def views(setting: Setting, inputs: Inputs) -> Iterator[Views]:
    """The views of all queries of all inputs."""
    layers, window = setting.layers, setting.window
    field = layers * (window - 1) + 1 if layers and window else 10**9
    for tokens, chosen in written(setting, inputs):
        part = inputs[chosen]
        columns = [column(setting, part, x) for x in tokens]
        for asked in range(1, len(tokens)):
            if is_asked(setting, tokens[asked]):
                low = max(0, asked - field)
                place, at = told(setting, tokens, low, asked)
                digits = [columns[x] for x in range(low, asked) if is_digit(tokens[x])]
                none = np.zeros(len(chosen), dtype=np.int64)
                seen = packed([none, *digits], alphabet(setting))
                yield Views(place, at, seen, columns[asked], chosen)


def told(setting: Setting, tokens: list[Any], low: int, asked: int) -> tuple[Any, Any]:
    """What an encoding tells of the tokens in sight: what is fixed, and what a start moves."""
    signs = tuple(x.digits if is_digit(x) else x.symbol for x in tokens[low:asked])
    match setting.encoding.reference:
        case "absolute":
            return (signs, asked), 0
        case "significance":
            numbers = [number(setting, x, tokens) for x in tokens[low:asked]]
            least = min((x for x in numbers if x is not None), default=0)
            return (signs, tuple(x if x is None else x - least for x in numbers)), least
        case "shifted":
            return signs, asked
        case "random":
            return signs, (low, len(tokens) - asked)
    return signs, 0


def is_shown_at(setting: Setting, at: Any, asked: Any) -> bool:
    """Whether training, where it draws the positions, may show a view where a test has it."""
    if setting.encoding.reference == "random":  # as many indices below and above, or more
        return bool(at[0] <= asked[0] and at[1] <= asked[1])
    moves = setting.encoding.reference in ("shifted", "significance")
    return bool(0 <= asked - at < (setting.starts if moves else 1))


class ShownViews:
    """The views that occur in training, with the answer to each."""

    def __init__(self, setting: Setting, inputs: Inputs) -> None:
        self.setting = setting
        self.trained: dict[Any, list[Views]] = defaultdict(list)
        for x in views(setting, inputs):
            self.trained[x.place].append(x)
        self.answers: dict[Any, tuple[np.ndarray, np.ndarray]] = {}
        self.conflict = any(
            (self.answers_at(place, at)[1] < 0).any()
            for place, every in self.trained.items()
            for at in {x.at for x in every}
        )

    def answers_at(self, place: Any, asked: Any) -> tuple[np.ndarray, np.ndarray]:
        """What is seen at a place in training, and the answers: -1 if there are two."""
        if (place, asked) not in self.answers:
            every = self.trained.get(place, [])
            found = [x for x in every if is_shown_at(self.setting, x.at, asked)]
            most = alphabet(self.setting) + 1
            each = [x.seen * most + x.answers for x in found]
            pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *each]))
            seen, first, times = np.unique(pairs // most, return_index=True, return_counts=True)
            self.answers[place, asked] = seen, np.where(times > 1, -1, pairs[first] % most)
        return self.answers[place, asked]

    def of(self, inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
        """The inputs that views prove to be right, and those that views prove to be wrong."""
        right = np.ones(len(inputs.results), dtype=bool)
        wrong = ~right
        for x in views(self.setting, inputs):
            seen, answers = self.answers_at(x.place, x.at)
            at = np.searchsorted(seen, x.seen)
            known = np.append(seen, -1)[at] == x.seen
            given = np.where(known, np.append(answers, -1)[at], -1)
            right[x.chosen] &= given == x.answers
            wrong[x.chosen] |= (given >= 0) & (given != x.answers)
        return right, wrong


# --- padded numbers: constants, and what was shown together -------------------------------


class Padded:
    """What training shows of padded numbers: f^, and the inputs that it leaves open."""

    def __init__(self, setting: Setting, inputs: Inputs) -> None:
        self.task, self.base, self.inputs = setting.task, setting.base, inputs
        widths = (digit_counts(x, self.base).max() for x in inputs.operands)
        self.width = max(setting.longest, *map(int, widths))
        self.digits = self.digits_of(inputs)
        self.constant = {d: int(x[0]) for d, x in self.digits.items() if (x == x[0]).all()}
        self.needed = sorted(
            d for d in self.digits if d not in self.constant and self.period(d) != 1
        )
        self.alike = {d: self.equivalent(d) for d in self.needed}
        self.interacting = sorted(self.interactions())
        self.shown = [np.unique(self.together(group, self.digits)) for group in self.interacting]

    def digits_of(self, inputs: Inputs) -> dict[tuple[int, int], np.ndarray]:
        """All operand digits, by operand and position."""
        places = product(range(self.task.operands), range(1, self.width + 1))
        return {(j, i): digit(inputs.operands[j], i, self.base) for j, i in places}

    def period(self, which: tuple[int, int]) -> int | None:
        """By what the values of a digit may differ that count alike in the task."""
        j, i = which
        steps = [c * self.base ** (i - 1) for c, exponents in self.task.terms if exponents[j]]
        p = self.task.modulus
        return 1 if not steps else p and p // gcd(p, *steps)

    def equivalent(self, which: tuple[int, int]) -> np.ndarray:
        """Which values count alike, as inputs show that differ in this digit only."""
        label = np.arange(self.base)
        period = self.period(which)
        if period is None or period >= self.base:
            return label
        others = [self.digits[d] for d in self.needed if d != which]
        rest = packed([0 * self.digits[which], *others], self.base)
        values_of = defaultdict(set)
        for code in np.unique(rest * self.base + self.digits[which]).tolist():
            values_of[code // self.base].add(code % self.base)
        for values in {tuple(sorted(x)) for x in values_of.values()}:
            for low, high in combinations(values, 2):
                if (high - low) % period == 0:
                    label[label == label[high]] = label[low]
        return label

    def interactions(self) -> set[tuple[tuple[int, int], ...]]:
        """The digits that were to be shown together."""
        if not self.is_digit_causal:
            return {tuple(self.needed)}
        groups: set[tuple[tuple[int, int], ...]] = {(d,) for d in self.needed}
        for coefficient, exponents in self.task.terms:
            factors = [j for j, e in enumerate(exponents) for _ in range(e)]
            for group in product(*([d for d in self.needed if d[0] == j] for j in factors)):
                weight = coefficient * self.base ** sum(i - 1 for _, i in group)
                if len(group) > 1 and (self.task.modulus is None or weight % self.task.modulus):
                    groups.add(tuple(sorted(set(group))))
        at = [tuple(d for d in self.needed if d[1] == i) for i in range(1, self.width + 1)]
        return groups | {x for x in at if x and not self.is_added(x)}

    @cached_property
    def is_digit_causal(self) -> bool:
        """Whether the lowest j result digits depend on those of the operands, by all residues."""
        p, task, base = self.task.modulus, self.task, self.base
        if p is None or not task.degree:
            return True
        width = next(n for n in range(40) if base**n >= p)
        residues = all_tuples(p, task.operands)
        f = evaluated(task, residues)
        for j, operand in product(range(1, width + p.bit_length() + 3), range(task.operands)):
            moved = [x + (n == operand) * base**j for n, x in enumerate(residues)]
            if ((evaluated(task, moved) - f) % base ** min(j, width)).any():
                return False
        return True

    def is_added(self, together: tuple[tuple[int, int], ...]) -> bool:
        """Whether the digits at one position fit one sum of a number for each value alone."""
        weight = self.base ** (together[0][1] - 1)
        low = [x % weight for x in self.inputs.operands]
        carries = np.unique(total(self.task, low) // weight)
        rows = np.unique([self.alike[d][self.digits[d]] for d in together], axis=1)
        values = [np.unique(x) for x in rows]
        if (len(carries) == 1 and carries[0]) or [len(x) for x in values] == [2, 2]:
            return False
        marks = np.concatenate([x[:, None] == v for x, v in zip(rows, values, strict=True)], axis=1)
        freedom = sum(len(x) - 1 for x in values) + 1
        return bool(np.linalg.matrix_rank(marks.astype(float)) == freedom)

    def together(self, group: Any, digits: Mapping[tuple[int, int], np.ndarray]) -> np.ndarray:
        """The values of some digits as one number, those that count alike being the same."""
        none = np.zeros(len(digits[0, 1]), dtype=np.int64)
        return packed([none, *(self.alike[d][digits[d]] for d in group)], self.base)

    def of(self, inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
        """The inputs on which f^ is right, and those that are open."""
        digits = self.digits_of(inputs)
        kept = [0 * x for x in inputs.operands]
        for (j, i), x in digits.items():
            kept[j] = kept[j] + self.constant.get((j, i), x) * self.base ** (i - 1)
        expected = evaluated(self.task, kept)
        is_open = expected < 0
        for group, shown in zip(self.interacting, self.shown, strict=True):
            is_open |= ~np.isin(self.together(group, digits), shown)
        return expected == inputs.results, is_open


# --- natural lengths: the best answerer without a digit -----------------------------------


def indices(tokens: list[Any]) -> dict[tuple[int, int], int]:
    """Where each digit stands, by operand and position; the result's operand is -1."""
    return {(t.operand, i): n for n, t in enumerate(tokens) if is_digit(t) for i in held(t)}


def held(token: Any) -> range:
    """The positions of the digits that a token holds."""
    return range(token.position, token.position + token.digits)


class Addresses:
    """The addresses at which training shows needed operand digits of numbers of natural length."""

    def __init__(self, setting: Setting, inputs: Inputs) -> None:
        self.setting = setting
        task = setting.task.without_idle_modulus(setting.base, setting.digits)
        self.by_digit = task.modulus is None and task.degree <= 1
        units_first = setting.layout.result_first == "least" or setting.layout.interleaved
        self.places_below = 0 if units_first else 2
        self.shown: dict[tuple[int, int], set[Any]] = defaultdict(set)
        longest, self.last = 0, 10**9
        for tokens, _ in written(setting, inputs):
            at = indices(tokens)
            longest = max(longest, *(i for _, i in at))
            for i in range(1, max(i for j, i in at if j == -1) + 1):
                for j, below in self.needs(at, i):
                    told = self.address(tokens, at[j, i - below], at[-1, i] - 1)
                    self.shown[j, below].add(told)
        self.last = longest + setting.starts - 1  # of the numbers under coupled and abacus
        if setting.encoding.reference == "significance":
            for every in self.shown.values():
                every |= {("sign", n) for n in range(1, self.last + 1)}

    def needs(self, at: Mapping[tuple[int, int], int], i: int) -> list[tuple[int, int]]:
        """The operand digits that result digit i needs, by how many places below they stand."""
        if not self.by_digit and i > 1:
            return []
        each = product(range(self.setting.task.operands), range(self.places_below + 1))
        return [(j, below) for j, below in each if (j, i - below) in at]

    def address(self, tokens: list[Any], key: int, query: int) -> Any:
        """What a query is told of where a digit stands; None where a number was never drawn."""
        match self.setting.encoding.reference:
            case "relative":
                return query - key
            case "significance":
                near, far = (number(self.setting, tokens[x], tokens) or 0 for x in (query, key))
                if max(near, far) > self.last:
                    return None
                return far - near if near else ("sign", far)
        return query, key

    def missing(self, tokens: list[Any], asked: int) -> frozenset[tuple[int, int]]:
        """The operand digits that the query of a token needs and does not find."""
        at, query = indices(tokens), asked - 1
        found = set()
        for i in held(tokens[asked]) if tokens[asked].kind == "result" else ():
            for j, below in self.needs(at, i):
                key = at[j, i - below]
                if tokens[key].kind == "filler":
                    continue  # no number of that length has another digit there
                if key != query and self.address(tokens, key, query) not in self.shown[j, below]:
                    found.add((j, i - below))
        return frozenset(found)


@dataclass(frozen=True, eq=False)
class Answered:
    """One query of the best answerer: which inputs get one answer, and what is right."""

    chosen: np.ndarray
    alike: np.ndarray
    answers: np.ndarray

    def right(self, weights: np.ndarray) -> np.ndarray:
        """The inputs that are right if each class gets the answer that most of it wants."""
        votes = np.zeros((self.alike.max() + 1, self.answers.max() + 1))
        np.add.at(votes, (self.alike, self.answers), weights[self.chosen])
        right = np.ones(len(weights), dtype=bool)
        right[self.chosen] = votes.argmax(axis=1)[self.alike] == self.answers
        return right


def best_answerer(addresses: Addresses, inputs: Inputs) -> int:
    """How many inputs an answerer gets right to which each missing digit is unknown.

    From one query to the next the answers are changed to those that most inputs want which are
    right at all other queries, so the number never falls.  It need not be the largest there is.
    """
    queries = unanswered(addresses, inputs)
    right = np.ones((len(queries), len(inputs.results)), dtype=bool)
    for _ in range(4):
        for n, query in enumerate(queries):
            others = np.delete(right, n, axis=0).all(axis=0)
            right[n] = query.right(others.astype(float))
    return int(right.all(axis=0).sum())


def unanswered(addresses: Addresses, inputs: Inputs) -> list[Answered]:
    """The queries to which a digit is missing, in the order in which they are asked.

    Where queries are local, what later ones lack is hidden too.
    """
    parts = defaultdict(list)
    for tokens, chosen in written(addresses.setting, inputs):
        looks = [
            (x.kind, x.operand, x.symbol, x.kind == "operand" and x.position, x.digits)
            for x in tokens
        ]
        later: frozenset[tuple[int, int]] = frozenset()
        for n in reversed(range(len(tokens))):
            if is_asked(addresses.setting, tokens[n]):
                hidden = addresses.missing(tokens, n)
                if is_local(addresses.setting):
                    later |= hidden
                    hidden = later if hidden else hidden
                parts[n, tuple(looks[:n])].append((hidden, tokens, chosen))
    asked = [(n, part) for (n, _), part in parts.items() if any(hidden for hidden, *_ in part)]
    asked.sort(key=lambda x: x[0])
    return [answered(addresses.setting, inputs, n, part) for n, part in asked]


def answered(setting: Setting, inputs: Inputs, n: int, parts: list[Any]) -> Answered:
    """The query of token n, of inputs that look the same up to there but for their digits."""
    chosen = np.concatenate([x for *_, x in parts])
    every = [(tokens, inputs[x]) for _, tokens, x in parts]
    columns = [
        np.concatenate([column(setting, x, tokens[at]) for tokens, x in every])
        for at in range(n + 1)
    ]
    views = []
    for hidden in {x for x, *_ in parts if x}:
        tokens = parts[0][1]
        sight = [
            x
            for at in range(n)
            for x in in_sight(setting, inputs[chosen], tokens[at], columns[at], hidden)
        ]
        seen = packed(sight, alphabet(setting) + 1)
        misses = np.concatenate([np.full(len(x), one == hidden) for one, _, x in parts])
        views.append((np.unique(seen, return_inverse=True)[1], misses))
    return Answered(chosen, classes(views), columns[n])


def in_sight(
    setting: Setting, inputs: Inputs, token: Any, column: np.ndarray, hidden: Any
) -> Iterator[np.ndarray]:
    """What is seen of a token: all of it, or those of its digits that are not hidden."""
    if not is_digit(token) or not any((token.operand, i) in hidden for i in held(token)):
        yield column
        return
    for i in held(token):
        if (token.operand, i) not in hidden:
            yield digit(inputs.operands[token.operand], i, setting.base)


def classes(views: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The inputs of one answer: they look as one does that misses a digit, or are linked so."""
    nodes = len(views[0][0])
    links = []
    for seen, misses in views:
        same = np.flatnonzero(np.isin(seen, seen[misses]))
        links.append(np.stack([same, nodes + seen[same]]))
        nodes += int(seen.max()) + 1
    rows, columns = np.concatenate(links, axis=1)
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(nodes, nodes))
    labels = connected_components(graph, directed=False)[1][: len(views[0][0])]
    return np.unique(labels, return_inverse=True)[1]


def best_share(addresses: Addresses, trained: Inputs, inputs: Inputs) -> Fraction:
    """The share that the best answerer gets right, who knows the operand lengths of training."""
    setting, right = addresses.setting, np.zeros(len(inputs.weights), dtype=int)
    lengths, known = (written_lengths(setting, x) for x in (inputs, trained))
    for shape in np.unique(lengths):
        part = inputs[lengths == shape]
        number = len(part.results) if shape in known else best_answerer(addresses, part)
        right[part.shapes[0]] += number
    return inputs.mean(right)


def written_lengths(setting: Setting, inputs: Inputs) -> np.ndarray:
    """A number for the operand lengths as they are written: interleaved ones are all alike."""
    widths = [digit_counts(x, setting.base) for x in inputs.operands]
    return np.maximum.reduce(widths) if setting.layout.interleaved else packed(widths, 64)
