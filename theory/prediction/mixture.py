"""Several operations in one model: what follows of all from what follows of each.

The sign between the operands says which operation an example asks for.  A view that holds it occurs
in training only in examples of that operation.  So where every query sees a sign the model answers
each operation as one that is trained on it alone, and the accuracy of a test is the mean of theirs,
weighted by how many of its inputs ask for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import PART, budget
from arith.theory.arithmetic.tasks import Task
from arith.theory.counting.accuracy import defined
from arith.theory.errors import NotCountable
from arith.theory.generalization.lengths import LengthPrediction, undecided
from arith.theory.generalization.outcomes import Status
from arith.theory.observation.views import sight, tokens
from arith.theory.prediction.published import Published
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import SIGN


def hidden_sign(setting: Setting) -> str:
    """Why some query may not see which operation is asked for; empty if every one does.

    Where the number of layers is left open nothing that they could pass on is counted on.
    """
    if not setting.window or setting.natural:
        return ""
    widths = {x.result_width(setting.base, setting.digits) for x in setting.task.operations}
    if len(widths) > 1 and setting.layout.result_first == "most":
        return "the results of the operations have other widths, and so other offsets alone"
    reads, sequence = sight(setting), tokens(setting)
    last_sign = max(s for s, t in enumerate(sequence) if t.symbol == SIGN)
    last_query = max(s for s, t in enumerate(sequence) if t.kind == "result") - 1
    if last_query - last_sign < reads:
        return ""
    return (
        f"the query of a result digit stands {last_query - last_sign} tokens after the sign that "
        f"says the operation, and sees {reads} tokens, so a model may never learn the task"
    )


def defined_share(task: Task, base: int, domain: Domain) -> Fraction:
    """The share of the operand tuples of a domain, as they are drawn, that a task is defined on."""
    if not task.needs_order:
        return Fraction(1)
    boxes = domain.weighted_boxes(base, task.operands)
    return sum((w * Fraction(defined(task, box, base), box.size) for box, w in boxes), Fraction(0))


def mixed_length(setting: Setting, each: Sequence[LengthPrediction]) -> LengthPrediction:
    """What follows at a length from what follows of each operation there."""
    digits, direction = each[0].digits, each[0].direction
    base, test = setting.base, setting.test(digits)
    try:
        with budget(PART):
            shares = [defined_share(part, base, test) for part in setting.task.operations]
    except NotCountable:
        return undecided(digits, direction, counted=False)

    def mean(of: Callable[[LengthPrediction], Fraction | None]) -> Fraction | None:
        values = [of(x) for x in each]
        known = [x for x in values if x is not None]
        if len(known) < len(values):
            return None
        inputs = zip(shares, known, strict=True)
        return sum((share * x for share, x in inputs), Fraction(0)) / sum(shares)

    accuracy = mean(lambda x: x.accuracy)
    return LengthPrediction(
        digits,
        direction,
        accuracy,
        unseen_share=mean(lambda x: x.unseen_share),
        at_most=mean(lambda x: x.at_most) or Fraction(0),
        inferred=mean(lambda x: x.inferred) or Fraction(0),
        learned_accuracy=mean(lambda x: x.learned_accuracy),
        counted=all(x.counted for x in each),
        known=Fraction(0) if accuracy is not None else mean(lambda x: x.at_least) or Fraction(0),
        because=tuple(dict.fromkeys(name for x in each for name in x.because)),
        premises=tuple(dict.fromkeys(name for x in each for name in x.premises)),
    )


def mixed_published(each: Sequence[Published], tasks: Sequence[Task]) -> Published:
    """What the published theorems say of all operations together."""

    def of_all(verdicts: list[Status]) -> Status:
        if len(set(verdicts)) == 1:
            return verdicts[0]
        return Status.FAILS if Status.FAILS in verdicts else Status.UNDETERMINED

    down, up = (of_all([getattr(x, d) for x in each]) for d in ("downward", "upward"))
    if len({x.theorem for x in each}) == 1:
        return Published(down, up, each[0].theorem)
    named = zip(tasks, each, strict=True)
    return Published(down, up, "; ".join(f"{t.text()}: {x.theorem}" for t, x in named))
