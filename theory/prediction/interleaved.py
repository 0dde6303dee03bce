"""Predictions for the interleaved layout where numbers have their natural lengths.

All operands of an example have as many digits as its longest; then a sign says that they are over.
Under a window every context of a length may have been shown, however long it is.  Where every index
has a vector of its own, those above the trained ones were never learned.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from arith.theory.counting.bounds import interleaved_bound
from arith.theory.errors import NotCountable
from arith.theory.inference.addresses import says_nothing
from arith.theory.inference.contexts import receptive_field, unshown
from arith.theory.inference.derivation import RIGHT_THERE, Step, cite, open_step, shown_lengths
from arith.theory.numbers.effort import PART, budget
from arith.theory.numbers.shares import share_text
from arith.theory.prediction.lengths import LengthPrediction, natural_length
from arith.theory.prediction.outcomes import Status
from arith.theory.setting.directions import Direction
from arith.theory.setting.domains import Domain
from arith.theory.setting.encodings import encoding
from arith.theory.setting.layouts import INDICES
from arith.theory.setting.lengths_text import lengths_text
from arith.theory.setting.settings import Setting


def interleaved_lengths(setting: Setting) -> tuple[tuple[LengthPrediction, ...], tuple[Step, ...]]:
    """The prediction at each test length, and the steps to it."""
    with budget(4 * PART):
        return _at_lengths(setting)


def _at_lengths(setting: Setting) -> tuple[tuple[LengthPrediction, ...], tuple[Step, ...]]:
    shown, steps = _shown_lengths(setting)
    bound = _bound(setting)
    lengths = []
    for n in setting.test_lengths:
        right = setting.is_premise(n) or n in shown
        longer = setting.train.direction(n) == Direction.UPWARD
        at_most = bound if longer else Fraction(1)
        lengths.append(natural_length(setting, n, right, at_most, shown=n in shown))
    return tuple(lengths), (*steps, *_because(setting, lengths, bound, bool(steps)))


def _shown_lengths(setting: Setting) -> tuple[frozenset[int], tuple[Step, ...]]:
    """The test lengths of whose inputs training shows every context, and the steps to that.

    From a random start training shows a context at its own index and at those that follow, so that
    a longer example asks for nothing new up to the index that the last start of the first query has
    (the proof is in ``docs/addresses.md``).
    """
    if setting.encoding.reference == "random":
        return _shown_in_order(setting)
    if setting.encoding.reference != "shifted":
        found, _, steps = shown_lengths(setting)
        return found, steps
    if setting.train.allowed or setting.task.needs_order:  # a context may be shown further up alone
        return frozenset(), ()
    shown, _, steps = shown_lengths(replace(setting, encoding=encoding("rpe")), decides=False)
    longest, last = setting.train.every_length[-1], setting.task.operands + setting.starts - 1
    near = frozenset(n for n in shown if longest < n and _last_query(setting, n) <= last)
    if near:
        what = f"from {setting.starts} starts it shows the same contexts at each index up to {last}"
        what += f", and {lengths_text(sorted(near))} asks for no other: {RIGHT_THERE}"
        steps += (cite("receptive field", what),)
    return near, steps


def _shown_in_order(setting: Setting) -> tuple[frozenset[int], tuple[Step, ...]]:
    """The same under random positions.

    A context is shown at all indices that leave room for as many tokens before and after it as it
    has in training.  So a length asks for nothing new if training shows each of its contexts with
    no more tokens before and no more after: in examples of no more digits (the proof is in
    ``docs/addresses.md``).
    """
    train = setting.train
    if train.allowed or setting.task.needs_order:
        return frozenset(), ()
    if train.kind not in ("longest", setting.test_kind):
        return frozenset(), ()
    shown, _, steps = shown_lengths(replace(setting, encoding=encoding("rpe")), decides=False)
    asked = [n for n in sorted(shown) if not setting.is_premise(n) and _fits(setting, n)]
    near = [n for n in asked if _shown_by_no_longer(setting, n)]
    far = [n for n in asked if n not in near]
    what = f"random positions show a context at all of {INDICES} indices that leave room beside it"
    each = [f"no others are asked for at {lengths_text(near)}: {RIGHT_THERE}"] if near else []
    each += [f"at {lengths_text(far)} some may have less room than in training"] if far else []
    if each:
        steps += (cite("receptive field", f"{what}, and {'; '.join(each)}"),)
    return frozenset(near), steps


def _fits(setting: Setting, length: int) -> bool:
    """Whether there are indices for all tokens of the longest examples of a length."""
    return _last_query(setting, length) < INDICES


def _shown_by_no_longer(setting: Setting, length: int) -> bool:
    """Whether the examples of training that have no more digits show all contexts of a length.

    The proof moves digits up, where the sum begins with no carry, or cuts them off, where every
    length below is trained.
    """
    trained = tuple(m for m in setting.train.every_length if m <= length)
    if not trained:
        return False
    if setting.task.constant and trained != tuple(range(1, trained[-1] + 1)):
        return False
    if any(_left(setting, m) > _left(setting, length) for m in trained):
        return False
    relative, train = encoding("rpe"), Domain(trained, setting.train.kind)
    asked = replace(setting, encoding=relative, train=train, test_lengths=(length,))
    return length in shown_lengths(asked)[0]


def _last_query(setting: Setting, length: int) -> int:
    """The index of the last query, of the end token, in the longest examples of a length."""
    return 1 + length * (setting.task.operands + 1) + _left(setting, length)


def _left(setting: Setting, length: int) -> int:
    """How many digits of the result may be left after the operands of a length."""
    return max(setting.task.result_width(setting.base, length) - length, 0)


def _bound(setting: Setting) -> Fraction:
    """The most that can be right of longer inputs; 1 where nothing follows."""
    task, train = setting.task, setting.train
    learned = setting.encoding.own_positions and task.has_finite_carry and not task.needs_order
    is_whole = train.pairs is None and not train.allowed
    return interleaved_bound(setting) if learned and is_whole else Fraction(1)


def _because(
    setting: Setting, lengths: list[LengthPrediction], bound: Fraction, compared: bool
) -> list[Step]:
    """Why longer inputs are bounded, or open.

    Args:
        compared: whether a step says already which contexts training shows.
    """
    lost = [x.digits for x in lengths if x.at_most < 1]
    steps = list[Step]()
    if lost:
        n = setting.train.every_length[-1]
        names = " and ".join(setting.task.names[:-1])
        what = (
            f"at {lengths_text(lost)} digit {n + 1} of {names} stands at an index from which its "
            f"query never read it, so at most {share_text(bound)} of the answers are right"
        )
        steps.append(cite("address", what))
    unclear = [x.digits for x in lengths if x.status == Status.UNDETERMINED]
    return [*steps, *(_why_open(setting, unclear, compared) if unclear else [])]


def _why_open(setting: Setting, unclear: list[int], compared: bool) -> list[Step]:
    """Why nothing is claimed at some lengths; empty where a step says it already."""
    if setting.encoding.own_positions and setting.task.operands == 1:
        what = "a query stands at its digit, and reads it at any index"
        return [open_step("address", unclear, what)]
    if setting.encoding.reference in ("absolute", "shifted"):
        what = f"under {setting.encoding.label} neighbouring indices are alike"
        return [open_step("neighbours", unclear, what)]
    if not compared and receptive_field(setting) is not None:
        try:
            unshown(setting)
        except NotCountable as error:
            return [open_step("receptive field", unclear, str(error))]
    if setting.encoding.reference == "random":
        because = {
            True: says_nothing(setting),
            False: f"there are {INDICES} indices, and more tokens",
        }
        each = {fits: [n for n in unclear if _fits(setting, n) == fits] for fits in because}
        return [open_step("random positions", at, because[fits]) for fits, at in each.items() if at]
    if receptive_field(setting) is None:
        what = (
            "with the whole prefix in sight, or the layers left open, a query can tell where it "
            "is, and training fits a rule that goes no further"
        )
        return [open_step("landmark", unclear, what)]
    return []
