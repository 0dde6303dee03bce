"""Contexts: all that the answer to a query can depend on, and which of them training shows.

In a model of L layers under a window of W tokens the answer at a query depends on the last
``R = L (W - 1) + 1`` tokens alone, unless the encoding says where in the sequence a token stands:
each layer hands on what its query saw, and no layer sees further than W tokens.  So a model gives
the same answer to equal contexts.  If training shows every context that a test asks for, a model
that is right on all of training is right on the test.  The proof, and what holds where a context
was not shown, are in ``docs/relative.md``.

Shapes: n ways to fill a context, k operands, m digit tuples of one position.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from theory.errors import NotCountable
from theory.inference.views import tokens
from theory.numbers.effort import remembered, spend
from theory.setting.boxes import Box
from theory.setting.domains import Domain
from theory.setting.encodings import encoding
from theory.setting.layouts import Token
from theory.setting.properties import carries
from theory.setting.settings import Setting

MOST_CONTEXTS = 20_000_000
"""Ways to fill the context of one query that are written out at most (a few seconds)."""
_BITS = 62
"""A context is a number of so many bits at most."""


@dataclass(frozen=True)
class Unshown:
    """A context that a test asks for and training never shows.

    Args:
        position: of the result digit that is asked for; 1 is the units.
        tokens: the context as it is written, the query last.
    """

    position: int
    tokens: tuple[str, ...]


def receptive_field(setting: Setting) -> int | None:
    """How many tokens an answer can depend on; None where theory cannot say, or all of them."""
    speaks = setting.encoding.reference in ("relative", "none")
    if not (speaks and setting.layers and setting.window):
        return None
    return setting.layers * (setting.window - 1) + 1


@remembered(256)
def unshown(setting: Setting, test: Domain) -> Unshown | None:
    """A context of a test domain that training never shows; None where it shows all.

    Raises:
        NotCountable: no receptive field, a task without a finite carry, or too many contexts.
    """
    reads = receptive_field(setting)
    task, train = setting.task, setting.train
    if reads is None or carries(task, setting.base) is None or task.needs_order:
        raise NotCountable("contexts are counted for sums of a finite carry under a window")
    if train.pairs is not None:
        raise NotCountable("a drawn training set may lack contexts of its domain")
    # Contexts are the same under every encoding, and for every test of this longest input.
    alike = replace(setting, encoding=encoding("nope"), test_lengths=(setting.longest,))
    writer = _trained(alike, reads)
    for position, codes in writer.contexts(test):
        missing = writer.lacking(codes)
        if missing is not None:
            return Unshown(position, missing)
    return None


@remembered(16)
def _trained(setting: Setting, reads: int) -> _Writer:
    """The contexts that training shows (``NotCountable`` as ``unshown``)."""
    writer = _Writer(setting, reads)
    if (writer.shown[1:] // setting.base == writer.shown[:-1] // setting.base).any():
        raise NotCountable("the answer does not follow from a context")
    return writer


class _Writer:
    """Writes contexts as numbers: the answer first, then a digit for each token from the query on.

    Contexts that are made alike are made once: most queries of long inputs are.

    Args:
        reads: the tokens of a context.
    """

    def __init__(self, setting: Setting, reads: int) -> None:
        self.setting, self.reads = setting, reads
        self.sequence = tokens(setting)
        symbols = dict.fromkeys(t.symbol for t in self.sequence if t.kind == "landmark")
        self.symbols = [*map(str, range(setting.base)), *symbols, ""]
        self.radix = len(self.symbols)
        spans = carries(setting.task, setting.base) or 1
        if spans * setting.base * self.radix**reads >= 2**_BITS:
            raise NotCountable(f"contexts of {reads} tokens are too many")
        self.linear = [
            sum(c for c, e in setting.task.terms if e[j]) for j in range(setting.task.operands)
        ]
        self.constant = sum(c for c, e in setting.task.terms if not any(e))
        self._made: dict[Hashable, np.ndarray] = {}
        self._lacking: dict[int, tuple[str, ...] | None] = {}
        every = {id(codes): codes for _, codes in self.contexts(setting.train)}
        self.shown = np.unique(np.concatenate(list(every.values())))
        """The contexts of training with their answers, ascending, ``(n,)``."""

    def lacking(self, codes: np.ndarray) -> tuple[str, ...] | None:
        """One of the contexts that training does not show; None if it shows all."""
        if id(codes) not in self._lacking:
            missing = codes[~np.isin(codes, self.shown, assume_unique=True)]
            self._lacking[id(codes)] = self.read(int(missing[0])) if len(missing) else None
        return self._lacking[id(codes)]

    def contexts(self, domain: Domain) -> Iterator[tuple[int, np.ndarray]]:
        """Every result digit's position, and its contexts ``(n,)``, ascending, box by box."""
        for box in domain.boxes(self.setting.base, self.setting.task.operands):
            carries = [np.array([self.constant])]
            for i in range(1, len(self.sequence)):
                carries.append(np.unique(self._step(box, i, carries[-1])[2]))
                if i >= box.width and np.array_equal(carries[-1], carries[-2]):
                    break
            for query, token in enumerate(self.sequence[1:]):
                if token.kind == "result":
                    yield token.position, self._of(box, query, token.position, carries)

    def read(self, code: int) -> tuple[str, ...]:
        """The tokens of a context, the query last."""
        code //= self.setting.base
        places = [code // self.radix**back % self.radix for back in range(self.reads)]
        return tuple(self.symbols[x] for x in reversed(places) if self.symbols[x])

    def _of(self, box: Box, query: int, position: int, carries: list[np.ndarray]) -> np.ndarray:
        """The contexts of one query."""
        weights, fixed = self._weights(query)
        last = max([position, *(t.position for t in weights)])
        first = min([position, *(t.position for t in weights)])
        carry = carries[min(first - 1, len(carries) - 1)]
        operands, places = range(len(self.linear)), range(first, last + 1)
        alike = (
            fixed,
            position - first,
            tuple((t.kind, t.operand, t.position - first, w) for t, w in weights.items()),
            tuple(box.values(j, i) for i in places for j in operands),
            tuple(carry.tolist()),
        )
        if alike not in self._made:
            self._made[alike] = self._fill(box, weights, fixed, position, places, carry)
        return self._made[alike]

    def _fill(
        self,
        box: Box,
        weights: dict[Token, int],
        fixed: int,
        position: int,
        places: range,
        carry: np.ndarray,
    ) -> np.ndarray:
        """The contexts of one query, from the digits at some places and the carry below them."""
        code = np.full(len(carry), fixed)
        for i in places:
            digits, result, onward = self._step(box, i, carry)
            added = np.zeros(len(digits), dtype=np.int64)
            for token, weight in weights.items():
                if token.position == i and token.kind == "operand":
                    added += digits[:, token.operand] * weight
            weight = weights.get(Token("result", i), 0) + (i == position)
            written = code[:, None] + added + weight * result
            low = onward.min()
            span = onward.max() - low + 1
            both = np.unique(written * span + (onward - low))
            code, carry = both // span, both % span + low
        return np.unique(code)

    def _weights(self, query: int) -> tuple[dict[Token, int], int]:
        """What a digit at each token in view counts for in the number, and what landmarks do."""
        weights, fixed = dict[Token, int](), 0
        for back in range(self.reads):
            weight = self.setting.base * self.radix**back
            if back > query:
                fixed += (self.radix - 1) * weight  # before the start there is nothing
                continue
            token = self.sequence[query - back]
            if token.kind == "landmark":
                fixed += self.symbols.index(token.symbol) * weight
            else:
                weights[token] = weight
        return weights, fixed

    def _step(
        self, box: Box, position: int, carry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All digits at a position ``(m, k)``; with each carry ``(n, m)`` the result's, and on."""
        values = [box.values(j, position) for j in range(len(self.linear))]
        digits = np.array(list(product(*values)), dtype=np.int64)
        if len(carry) * len(digits) > MOST_CONTEXTS:
            raise NotCountable("there are too many contexts")
        spend(120 * len(carry) * len(digits))
        total = carry[:, None] + digits @ np.array(self.linear)
        return digits, total % self.setting.base, total // self.setting.base
