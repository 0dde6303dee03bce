"""Advice: what stands in the way of a setting, and the changes that make it generalize.

Every combination of a few elementary changes is put to ``predict``, cheapest first, but for those
of which a part works.  What took long to predict comes last under every other encoding, and so does
whatever it is a part of: else a few such changes, times all encodings, would use up all work.
"""

from __future__ import annotations

from collections import ChainMap, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import LITTLE, PART, budget, spend
from arith.theory.arithmetic.properties import base_aligned, digit_causal, translation_invariant
from arith.theory.errors import InvalidInput, TooMuchWork
from arith.theory.generalization.outcomes import Status
from arith.theory.learning.leap_complexity import setting_leaps
from arith.theory.observation.support import support
from arith.theory.observation.views import carry_reach
from arith.theory.prediction.convergence import Convergence, better_recipe
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import LARGEST_DIGITS, setting_words
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS

PRIMING = Fraction(1, 10)
"""The share of long examples that is proposed: of fewer models may not learn these in time."""
_TRYING = 4 * PART
"""Steps that trying the changes may take."""
MOST_SUGGESTIONS = 8
_LONGER = 4
"""The cost of a few longer examples; above, there are longer examples throughout."""
_BOUNDING = ("address", "spaces", "count")
"""The rules that bound accuracy where digits are not found, or say that it was not counted."""
_STOPPING = ("position", "receptive field")
"""The rules that say that a rule goes on, or that it stops."""


@dataclass(frozen=True)
class Change:
    """An elementary change: what is changed in a setting.

    Args:
        aspect: what it is a change of: of one aspect only one change is made at a time.
        fields: the fields of the setting, with what they become.
        cost: what it asks for: 1 another model, 2 the same examples written otherwise,
            3 other examples of the trained lengths or shorter, 4 a few longer examples,
            5 and more longer examples throughout.
    """

    aspect: str
    text: str
    cost: int
    fields: Mapping[str, Any]

    def is_less_than(self, other: Change) -> bool:
        """Whether both train on longer examples throughout, this one up to fewer digits."""
        return self.aspect == other.aspect == "train" and _LONGER < self.cost < other.cost


@dataclass(frozen=True)
class Suggestion:
    """Changes that together make every test length generalize, by the theory.

    Args:
        goes_on: whether the length after the longest tested one generalizes as well.
        proved: whether that follows from the premises by mathematics alone.
        trained: whether every tested length is then a trained one, so that nothing is claimed.
        then_trained: the tested lengths that are trained by it, and were not.
        slow: whether such a model may take long to converge, or never do so (rule ``leap``).
    """

    changes: tuple[Change, ...]
    setting: Setting
    goes_on: bool
    proved: bool
    trained: bool
    then_trained: tuple[int, ...] = ()
    slow: bool = False

    @property
    def cost(self) -> int:
        """The sum of the changes' costs."""
        return sum(c.cost for c in self.changes)

    @property
    def text(self) -> str:
        """The changes in words."""
        return "; ".join(c.text for c in self.changes)

    @property
    def command(self) -> tuple[str, ...]:
        """The command that trains a model so, and judges it: its name, and each option."""
        return ("arith verify", *setting_words(self.setting))


@dataclass(frozen=True)
class Advice:
    """What to change in a setting, if it does not generalize.

    Args:
        suggestions: cheapest first.
        obstacles: what stands in the way of the setting as it is, each a sentence.
        complete: whether every combination of changes was tried, the limit of steps not reached.
        recipes: how many models converge by the usual recipe, and by a better one; None where
            those by the usual one are not few, or no better one is known.
    """

    current: Prediction
    generalizes: bool
    suggestions: tuple[Suggestion, ...] = ()
    obstacles: tuple[str, ...] = ()
    complete: bool = True
    recipes: tuple[Convergence, Convergence] | None = None

    def to_json(self) -> dict[str, Any]:
        """The advice as a JSON object."""
        return {
            "generalizes": self.generalizes,
            "suggestions": [
                {
                    "changes": [c.text for c in s.changes],
                    "cost": s.cost,
                    "goes_on": s.goes_on,
                    "proved": s.proved,
                    "trained": s.trained,
                    "then_trained": list(s.then_trained),
                    "slow": s.slow,
                    "command": " ".join(s.command),
                }
                for s in self.suggestions
            ],
            "obstacles": list(self.obstacles),
            "complete": self.complete,
            "recipes": self.recipes and [x.to_json() for x in self.recipes],
        }


def advise(setting: Setting, trained: Setting | None = None) -> Advice:
    """The cheapest changes under which all test lengths generalize.

    Args:
        trained: the same, but trained on the examples of a file alone: how many models converge is
            forecast of that.
    """
    current, recipes = predict(setting), better_recipe(trained or setting)
    if _works(current):
        return Advice(current, True, recipes=recipes)
    found, complete = _working(setting)
    found.sort(key=lambda s: (s.cost, len(s.changes)))
    with budget(PART):
        suggestions = tuple(replace(s, slow=_is_slow(s.setting)) for s in found[:MOST_SUGGESTIONS])
    obstacles = tuple(_obstacles(setting, current))
    return Advice(current, False, suggestions, obstacles, complete, recipes)


def _is_slow(setting: Setting) -> bool:
    """Whether a task is known to leap, as far as there is work left to find out."""
    try:
        spend(1)
        return setting_leaps(setting) is Decision.YES
    except TooMuchWork:
        return False


def changed(setting: Setting, changes: tuple[Change, ...]) -> Setting:
    """The setting with changes made (InvalidInput: it makes no sense)."""
    fields = ChainMap(*(dict(c.fields) for c in changes), {"train": _weighted(setting.train)})
    return replace(setting, **fields)


def _weighted(train: Domain) -> Domain:
    """Training with its weights by name: those that are usual change with the padding."""
    usual = train.usual_weights
    return train if train.weights == usual else replace(train, weights=usual)


def _works(prediction: Prediction) -> bool:
    """Whether every length is right, and not only in models that were measured to be stable."""
    return all(
        x.status == Status.GENERALIZES and not x.requires_measured_stability
        for x in prediction.lengths
    )


def _combinations(setting: Setting) -> list[tuple[Change, ...]]:
    """Changes of at most one of each aspect: the cheapest first."""
    ranked: dict[str, list[Any]] = defaultdict(lambda: [None])
    for rank, change in enumerate(sorted(_changes(setting), key=lambda c: c.cost)):
        ranked[change.aspect].append((rank, change))
    chosen = [sorted(filter(None, some)) for some in product(*ranked.values())]
    chosen.sort(key=lambda some: (sum(c.cost for _, c in some), [rank for rank, _ in some]))
    return [tuple(c for _, c in some) for some in chosen if some]


def _working(setting: Setting) -> tuple[list[Suggestion], bool]:
    """The combinations that work, and whether all were tried: the limit of steps not reached."""
    found: list[Suggestion] = []
    slow: list[tuple[Change, ...]] = []
    left = _combinations(setting)
    ends = setting.test_lengths[-1:], setting.test_lengths  # mostly the longest decides
    asked = [replace(setting, test_lengths=lengths) for lengths in dict.fromkeys(ends)]
    try:
        with budget(_TRYING) as work:
            for is_last in (False, True):
                some, left = left, []
                for changes in some:
                    if any(_covers(changes, s.changes) for s in found):
                        continue
                    if not is_last and any(_covers(changes, part) for part in slow):
                        left.append(changes)
                        continue
                    before = work.spent
                    found += _suggestion(asked, changes)
                    if work.spent - before > LITTLE:
                        slow.append(tuple(c for c in changes if c.aspect != "encoding"))
    except TooMuchWork:
        return found, False
    return found, True


def _covers(changes: tuple[Change, ...], part: tuple[Change, ...]) -> bool:
    """Whether some changes have others among them, or more trained digits in their place."""
    return all(any(c == mine or c.is_less_than(mine) for mine in changes) for c in part)


def _suggestion(asked: list[Setting], changes: tuple[Change, ...]) -> list[Suggestion]:
    """The changes, if every test length generalizes after them.

    Args:
        asked: the setting with some of the test lengths, and at last with all.
    """
    for setting in asked:
        try:
            after = changed(setting, changes)
        except InvalidInput:  # a layout that the task cannot be written in
            return []
        if after.layers == 1 and after.encoding.selection != "any":
            return []  # one layer does not learn to find digits then (docs/relative.md)
        prediction = predict(after)
        if not _works(prediction):
            return []
    lengths, known = after.test_lengths, setting.train.every_length
    trained = all(map(after.is_premise, lengths))
    more = tuple(n for n in lengths if n in after.train.every_length and n not in known)
    return [Suggestion(changes, after, _goes_on(after), not prediction.observed, trained, more)]


def _goes_on(setting: Setting) -> bool:
    """Whether the length after the longest tested one generalizes as well."""
    try:
        return _works(predict(replace(setting, test_lengths=(max(setting.test_lengths) + 1,))))
    except TooMuchWork:
        raise
    except InvalidInput:  # a length that cannot be written
        return False


def _changes(s: Setting) -> Iterator[Change]:
    for name, encoding in ENCODINGS.items():
        if encoding != s.encoding:
            yield Change("encoding", f"encoding {name}", 1, {"encoding": encoding})
    reach = carry_reach(s.task, s.base)
    if s.window:
        yield Change("window", "no attention window", 1, {"window": 0})
    if reach is not None:  # the least window in which the interleaved layout holds the local rule
        window = (reach + 1) * (s.task.operands + 1) - 1
        # More layers see more, so that more has to be shown in training.
        text = f"attention window {window} in one layer"
        if (window, 1) != (s.window, s.layers):
            yield Change("window", text, 1, {"window": window, "layers": 1})
    for name, layout in LAYOUTS.items():
        if layout != s.layout:
            yield Change("layout", f"{name} layout", 2, {"layout": layout})
    if s.natural and not s.layout.blanks:
        yield Change("padding", "pad operands with zeros", 2, {"padding": "fixed"})
    yield from _training_changes(s)


def _training_changes(s: Setting) -> Iterator[Change]:
    train, trained, longest = _weighted(s.train), s.train.every_length[-1], s.test_lengths[-1]

    def change(text: str, cost: int, train: Domain) -> Change:
        return Change("train", text, cost, {"train": train})

    def on(lengths: tuple[int, ...], priming: tuple[tuple[int, Fraction], ...] = ()) -> Domain:
        """Training on other lengths; of a table a new one has the weight of that nearest to it."""
        weights = train.weights
        if not isinstance(weights, str):
            known = dict(weights)
            weights = tuple((n, known[min(known, key=lambda m: abs(m - n))]) for n in lengths)
        return replace(train, lengths=lengths, priming=priming, weights=weights)

    shorter = tuple(range(min(*train.lengths, *s.test_lengths), max(train.lengths) + 1))
    if shorter != train.lengths and not train.each:
        left = tuple(x for x in train.priming if x[0] not in shorter)
        text = f"train on {_sum(shorter)} digits"
        yield change(text, 3, on(shorter, left))
    if train.kind == "every":
        yield change("let operands be shorter than n", 3, replace(train, kind="longest"))
    if train.allowed:
        yield change("show the missing digits", 3, replace(train, allowed=()))
    if train.pairs is not None:
        yield change("train on all operand tuples", 3, replace(train, pairs=None, holdout="hash"))
    if train.each:  # tests have the lengths of training, so that others would be another question
        return
    if trained < longest <= LARGEST_DIGITS and not train.priming:
        text = f"mix in {float(PRIMING):.0%} of {longest}-digit examples"
        yield change(text, _LONGER, replace(train, priming=((longest, PRIMING),)))
    without = ", without the long examples" if train.priming else ""
    for n in range(trained + 1, min(longest, LARGEST_DIGITS + 1)):
        lengths = (*train.lengths[:-1], n)
        if s.natural:  # shorter ones show what these do not
            lengths = tuple(range(shorter[0], n + 1))
        text = f"train on {_sum(lengths)} digits{without}"
        yield change(text, _LONGER + n - trained, on(lengths))


def _sum(lengths: tuple[int, ...]) -> str:
    return "+".join(map(str, lengths))


def _obstacles(s: Setting, current: Prediction) -> Iterator[str]:
    """Why the setting as it stands does not generalize."""
    task = s.task.without_idle_modulus(s.base, s.digits)
    n, modulus = s.train.every_length[-1], task.modulus
    for position, digits in s.train.allowed:
        shown = ", ".join(map(str, digits))
        yield f"training shows no digits at place {position} but {shown}"
    if modulus is not None:
        k = base_aligned(modulus, s.digit_base)
        if k is None:
            yield (
                f"{modulus} divides no power of {s.digit_base}: digits at every place count, so "
                "inputs longer than all trained ones need digits that training never showed"
            )
        elif k > n:
            power = f"{s.digit_base}^{k} but not {s.digit_base}^{n}"
            yield f"{modulus} divides {power}: train {k} digits or more"
        if digit_causal(task, s.base)[0] is Decision.NO:
            yield "the low digits of the result depend on high digits: no digit-by-digit rule"
    elif not translation_invariant(task) and carry_reach(task, s.base) is None:
        yield "the task has no finite carry: no one rule serves every place"
    elif current.learned is not None and current.verdict(Direction.UPWARD) == Status.FAILS:
        constants = support(task, s.train, s.base).constant
        place, read = s.token_or("place"), s.train.most_places
        named = product(enumerate(task.names), range(1, read + 1))
        fixed = [
            f"{name} at {place} {i} (always {value})"
            for (j, name), i in named
            if (value := constants((j, i))) is not None
        ]
        which = " and ".join([*fixed, f"all those above {place} {read}"])
        yield f"digits that never varied in training, {which}, are ignored"
    for step in current.derivation:
        stops = step.rule in _STOPPING and current.verdict(Direction.UPWARD) != Status.GENERALIZES
        if step.leaves_open or step.rule in _BOUNDING or stops:
            yield step.statement.rstrip(".")
