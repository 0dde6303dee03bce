"""Which lengths ask only for views that training shows.

Under a window every context of a length may have been shown, however long it is.  Interleaved
numbers of natural length have as many digits as the longest operand; then a sign says that they
are over.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.errors import NotCountable
from arith.theory.observation.contexts import unshown
from arith.theory.observation.views import receptive_field
from arith.theory.rules import Step, cite
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import encoding
from arith.theory.transformer.layouts import INDICES

RIGHT_THERE = "a model that is right on all of training is right there"
"""What follows where training shows every context."""
_LONGEST_CONTEXT = 20
"""Tokens of a context that are written; its beginning is left out."""


def shown_lengths(
    setting: Setting, decides: bool = True, besides: Collection[int] = ()
) -> tuple[frozenset[int], frozenset[int], tuple[Step, ...]]:
    """The test lengths of whose inputs training shows every context, those of which it lacks some.

    Args:
        decides: whether models are right there; otherwise indices have to be shown too.
        besides: lengths of which another rule says that models are wrong.

    Returns:
        Both, and the steps to it; nothing where contexts are not compared.
    """
    try:
        contexts = unshown(setting)
    except NotCountable:
        return frozenset(), frozenset(), ()
    found = [n for n, missing in contexts.items() if missing is None]
    lacking = {n: x for n, x in contexts.items() if x is not None and n not in besides}
    if not (found or lacking):
        return frozenset(), frozenset(), ()
    steps = []
    if found:
        steps.append(
            f"training shows every context of {lengths_text(found)}"
            + f", so {RIGHT_THERE}" * decides
        )
    if lacking:
        one = next(iter(lacking.values()))
        beginning = "... " if len(one.tokens) > _LONGEST_CONTEXT else ""
        steps.append(
            f"at {lengths_text(list(lacking))} it lacks some, or answers them otherwise, as "
            f"'{beginning}{' '.join(one.tokens[-_LONGEST_CONTEXT:])}' for result digit "
            f"{one.position}"
        )
    what = (
        f"with {setting.layers_text} and a window of {setting.window} an answer depends on the "
        f"last {receptive_field(setting)} tokens, its context: {'; '.join(steps)}"
    )
    decided = {n for n in found if decides and not setting.is_premise(n)}
    return frozenset(found), frozenset(lacking), (cite("receptive field", what, decided),)


def uncompared(setting: Setting) -> NotCountable | None:
    """Why contexts are not compared that might be; None where there are none to compare."""
    if receptive_field(setting) is not None:
        try:
            unshown(setting)
        except NotCountable as error:
            return error
    return None


def shown_views(setting: Setting) -> tuple[frozenset[int], tuple[Step, ...]]:
    """The test lengths of whose inputs training shows every context, and the steps to that.

    From a random start training shows a context at its own index and at those that follow, so that
    a longer example asks for nothing new up to the index that the last start of the first query has
    (the proof is in ``docs/proofs.md``).
    """
    if setting.encoding.reference == "random":
        return _shown_in_order(setting)
    if setting.encoding.reference != "shifted":
        found, _, steps = shown_lengths(setting)
        return found, steps
    if setting.train.restricted or setting.task.needs_order:  # it may be shown further up alone
        return frozenset(), ()
    shown, _, steps = shown_lengths(replace(setting, encoding=encoding("rpe")), decides=False)
    longest, last = setting.train.every_length[-1], setting.task.operands + setting.starts - 1
    near = frozenset(n for n in shown if longest < n and _last_query(setting, n) <= last)
    if near:
        what = f"from {setting.starts} starts it shows the same contexts at each index up to {last}"
        what += f", and {lengths_text(sorted(near))} asks for no other: {RIGHT_THERE}"
        steps += (cite("receptive field", what, near),)
    return near, steps


def _shown_in_order(setting: Setting) -> tuple[frozenset[int], tuple[Step, ...]]:
    """The test lengths of whose inputs random positions show every context, and the steps to that.

    A context is shown at all indices that leave room for as many tokens before and after it as it
    has in training.  So a length asks for nothing new if training shows each of its contexts with
    no more tokens before and no more after: in examples of no more digits (the proof is in
    ``docs/proofs.md``).
    """
    train = setting.train
    if train.restricted or setting.task.needs_order:
        return frozenset(), ()
    if train.kind not in ("longest", setting.test_kind):
        return frozenset(), ()
    shown, _, steps = shown_lengths(replace(setting, encoding=encoding("rpe")), decides=False)
    asked = [n for n in sorted(shown) if not setting.is_premise(n) and fits(setting, n)]
    near = [n for n in asked if _shown_by_no_longer(setting, n)]
    far = [n for n in asked if n not in near]
    what = f"random positions show a context at all of {INDICES} indices that leave room beside it"
    each = [f"no others are asked for at {lengths_text(near)}: {RIGHT_THERE}"] if near else []
    each += [f"at {lengths_text(far)} some may have less room than in training"] if far else []
    if each:
        steps += (cite("receptive field", f"{what}, and {'; '.join(each)}", near),)
    return frozenset(near), steps


def fits(setting: Setting, length: int) -> bool:
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
