"""Advice: the changes to a setting that make it generalize, cheapest first.

Every combination of a few elementary changes is put to ``predict``; what is listed is
exactly what the theory says works, and a combination is dropped where a part of it works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from theory.errors import InvalidInput, TooMuchWork
from theory.inference.views import carry_reach
from theory.numbers.effort import budget
from theory.prediction.outcomes import Claim, Status
from theory.prediction.predict import Prediction, predict
from theory.prediction.unseen_text import NOTHING_FOLLOWS
from theory.setting.directions import Direction
from theory.setting.domains import Domain
from theory.setting.encodings import ENCODINGS
from theory.setting.layouts import LAYOUTS
from theory.setting.options import LARGEST_DIGITS
from theory.setting.properties import base_aligned, digit_causal, translation_invariant
from theory.setting.settings import Setting

PRIMING = Fraction(1, 100)
"""The share of long examples that is proposed."""
_OPEN = ("sample", "landmark", "selection", "shared offset", "formula", "blind")
"""Rules by which nothing follows."""
MOST_WORK = 3_000_000_000
"""Steps that trying the changes may take (some seconds)."""


@dataclass(frozen=True)
class Change:
    """An elementary change.

    Args:
        aspect: what is changed; changes of one aspect exclude each other.
        text: the change in words.
        cost: what it asks for: 1 another model, 2 the same examples written otherwise,
            3 other examples of the trained lengths or shorter, 4 a few longer examples,
            5 and more longer examples throughout.
        apply: the setting with the change made.
    """

    aspect: str
    text: str
    cost: int
    apply: Callable[[Setting], Setting]


@dataclass(frozen=True)
class Suggestion:
    """Changes that together make every test length generalize, by the theory.

    Args:
        claimed: whether that is claimed of a model, not of the expected function only (rule ``leak``).
    """

    changes: tuple[Change, ...]
    setting: Setting
    claimed: bool

    @property
    def cost(self) -> int:
        """The sum of the changes' costs."""
        return sum(c.cost for c in self.changes)

    @property
    def text(self) -> str:
        """The changes in words."""
        return "; ".join(c.text for c in self.changes)


@dataclass(frozen=True)
class Advice:
    """What to change.

    Args:
        current: the prediction as it stands.
        suggestions: cheapest first; empty where the setting generalizes already, or
            nothing short of training every length works.
        obstacles: what stands in the way of the setting as it is, each a sentence.
        complete: whether every combination of changes was tried, the limit of steps not reached.
    """

    current: Prediction
    suggestions: tuple[Suggestion, ...]
    obstacles: tuple[str, ...]
    complete: bool = True

    @property
    def generalizes(self) -> bool:
        """Whether nothing has to be changed."""
        return _works(self.current)

    @property
    def claimed(self) -> bool:
        """Whether that is claimed of a model, not of the expected function only."""
        return _claimed(self.current)

    def to_json(self) -> dict[str, Any]:
        """The object that ``arith advise --json`` prints."""
        return {
            "generalizes": self.generalizes,
            "claimed": self.claimed,
            "suggestions": [
                {"changes": [c.text for c in s.changes], "cost": s.cost, "claimed": s.claimed}
                for s in self.suggestions
            ],
            "obstacles": list(self.obstacles),
            "complete": self.complete,
        }


def advise(setting: Setting, most: int = 8) -> Advice:
    """The cheapest changes under which all test lengths generalize.

    Args:
        most: how many suggestions to give.
    """
    current = predict(setting)
    if _works(current):
        return Advice(current, (), ())
    found: list[Suggestion] = []
    complete = True
    try:
        with budget(MOST_WORK):
            for chosen in _combinations(setting):
                if not _holds_one(chosen, found):
                    changed = _apply(setting, chosen)
                    if changed is not None and _all_lengths_work(changed):
                        found.append(Suggestion(chosen, changed, _claimed(predict(changed))))
    except TooMuchWork:
        complete = False
    found.sort(key=lambda s: (s.cost, len(s.changes)))
    return Advice(current, tuple(found[:most]), tuple(_obstacles(setting, current)), complete)


def _combinations(setting: Setting) -> list[tuple[Change, ...]]:
    """Changes of at most one of each aspect: single ones first, then pairs, the cheapest first."""
    changes = sorted(_changes(setting), key=lambda c: c.cost)
    order = {change: number for number, change in enumerate(changes)}
    aspects: dict[str, list[Change | None]] = {}
    for change in changes:
        aspects.setdefault(change.aspect, [None]).append(change)
    chosen = [
        tuple(sorted((c for c in some if c is not None), key=order.__getitem__))
        for some in product(*aspects.values())
    ]
    return sorted(
        filter(None, chosen),
        key=lambda cs: (len(cs), sum(c.cost for c in cs), [order[c] for c in cs]),
    )


def _works(prediction: Prediction) -> bool:
    return all(x.status == Status.GENERALIZES for x in prediction.lengths)


def _claimed(prediction: Prediction) -> bool:
    return all(prediction.claim(x) == Claim.EXACT for x in prediction.lengths)


def _all_lengths_work(setting: Setting) -> bool:
    """``_works`` of the prediction, the most telling lengths first."""
    shown = (max(setting.test_lengths), min(setting.test_lengths))
    ends = replace(setting, test_lengths=shown)
    return _works(predict(ends)) and _works(predict(setting))


def _holds_one(chosen: tuple[Change, ...], found: list[Suggestion]) -> bool:
    """Whether a part of these changes works, or fewer trained digits would do in their place."""
    return any(
        all(any(c == mine or _less_of(c, mine) for mine in chosen) for c in s.changes)
        for s in found
    )


def _less_of(change: Change, other: Change) -> bool:
    """Whether both train on more digits, the first on fewer of them."""
    return change.aspect == other.aspect == "training" and 4 < change.cost < other.cost


def _apply(setting: Setting, changes: tuple[Change, ...]) -> Setting | None:
    try:
        for change in changes:
            setting = change.apply(setting)
    except InvalidInput:  # a layout that the task cannot be written in
        return None
    return setting


def _changes(s: Setting) -> Iterator[Change]:
    """Every elementary change of a setting."""
    train, longest = s.train, max(s.test_lengths)
    trained = max(train.every_length)
    for name, e in ENCODINGS.items():
        if e != s.encoding:
            yield Change("encoding", f"encoding {name}", 1, partial(replace, encoding=e))
    for window in _windows(s):
        if window != s.window:
            text = f"attention window {window}" if window else "no attention window"
            yield Change("window", text, 1, partial(replace, window=window))
    for name, layout in LAYOUTS.items():
        if layout != s.layout:
            yield Change("layout", f"{name} layout", 2, partial(replace, layout=layout))
    shorter = tuple(range(min(*train.lengths, *s.test_lengths), max(train.lengths) + 1))
    if shorter != train.lengths:
        lengths = "+".join(map(str, shorter))
        yield _domain(f"train on {lengths} digits", 3, replace(train, lengths=shorter))
    if train.kind == "every":
        yield _domain("let operands be shorter than n", 3, replace(train, kind="longest"))
    if train.allowed:
        yield _domain("show the missing digits", 3, replace(train, allowed=()))
    if train.pairs is not None:
        yield _domain("train on all operand tuples", 3, replace(train, pairs=None))
    if trained < longest <= LARGEST_DIGITS and not train.priming:
        primed = replace(train, priming=((longest, PRIMING),))
        share = f"{float(PRIMING):.0%}"
        yield _domain(f"mix in {share} of {longest}-digit examples", 4, primed)
    for n in range(trained + 1, min(longest, LARGEST_DIGITS + 1)):
        more = replace(train, lengths=(*train.lengths[:-1], n), priming=())
        text = f"train on {'+'.join(map(str, more.lengths))} digits"
        text += ", without the long examples" if train.priming else ""
        yield _domain(text, 4 + n - trained, more)


def _domain(text: str, cost: int, train: Domain) -> Change:
    return Change("training", text, cost, partial(replace, train=train))


def _windows(s: Setting) -> tuple[int, ...]:
    """No window, and the least one in which the interleaved layout holds the local rule."""
    reach = carry_reach(s.task, s.base)
    if reach is None:
        return (0,)
    return (0, (reach + 1) * (s.task.operands + 1) - 1)


def _obstacles(s: Setting, current: Prediction) -> Iterator[str]:
    """Why the setting as it stands does not generalize."""
    n = max(s.train.every_length)
    modulus = s.task.full_modulus
    if modulus is not None:
        k = base_aligned(modulus, s.base)
        if k is None:
            yield (
                f"{modulus} divides no power of {s.base}: digits at every position count, so "
                "inputs longer than all trained ones need digits that training never showed"
            )
        elif k > n:
            yield f"{modulus} divides {s.base}^{k} but not {s.base}^{n}: train {k} digits or more"
        if digit_causal(s.task, s.base)[0] is False:
            yield "the low digits of the result depend on high digits: no digit-by-digit rule"
    elif not translation_invariant(s.task) and carry_reach(s.task, s.base) is None:
        yield "the task has no finite carry: no one rule serves every position"
    elif current.learned is not None and current.verdict(Direction.UPWARD) == Status.FAILS:
        yield f"digits that never varied in training, all those above position {n}, are ignored"
    for step in current.derivation:
        open_ = step.rule == "joint support" and step.statement.endswith(NOTHING_FOLLOWS)
        if open_ or step.rule in _OPEN:
            yield step.statement.rstrip(".")
