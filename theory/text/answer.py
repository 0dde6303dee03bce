"""A prediction in sentences: the answer, what the published theorem says, and the derivation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from typing import TYPE_CHECKING

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.directions import EXTRAPOLATING, Direction
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.arithmetic.properties import (
    base_aligned,
    residual_modulus,
    shift_difference,
)
from arith.theory.arithmetic.shares import percent_text
from arith.theory.arithmetic.tasks import for_people, polynomial_text
from arith.theory.generalization.lengths import MOST_UNSEEN
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.generalization.theorems import THEOREMS
from arith.theory.learning.leap_complexity import CONSTANT, FEW, GAIN
from arith.theory.prediction.expressibility import expressibility
from arith.theory.prediction.words import single

if TYPE_CHECKING:
    from fractions import Fraction

    from arith.theory.generalization.lengths import LengthPrediction
    from arith.theory.learning.learnability import Learnability
    from arith.theory.prediction.predict import Prediction
    from arith.theory.setting.settings import Setting

INPUTS = {
    Direction.DOWNWARD: "shorter",
    Direction.IN_DOMAIN: "trained",
    Direction.BETWEEN: "between",
    Direction.UPWARD: "longer",
}
"""Test lengths, by how they compare with those that were trained."""
UNCLAIMED = "no claim"
"""The one name, in text, of what is claimed where nothing is."""
_LONGEST_FORMULA = 150
_MOST = 1_000
"""Combinations of operand lengths that are looked through."""
_FINDINGS = "docs/findings.md"


def answer_line(prediction: Prediction) -> str:
    """Where a converged model is right, where it is wrong, and where nothing is claimed."""
    said, silent = _said(prediction)
    text = "; ".join(said)
    if silent:
        text += ". No claim" if said else "no claim"
        text += f" at {silent}: {why_silent(prediction)}"
    wrong = any(x.accuracy != 1 for x in beside_trained(prediction))
    beside = f" {beside_line(prediction)}" if wrong else ""
    return f"Answer, if the premises are met: {text}.{beside}"


def beside_trained(prediction: Prediction) -> list[LengthPrediction]:
    """The trained lengths that are tested on more than training shows."""
    s, lengths = prediction.setting, prediction.lengths
    trained = (x for x in lengths if x.direction == Direction.IN_DOMAIN)
    return [x for x in trained if not s.is_premise(x.digits)]


def beside_line(prediction: Prediction) -> str:
    """That tests of trained lengths have more than training shows, and of which lengths."""
    s, at = prediction.setting, [x.digits for x in beside_trained(prediction)]
    every = (w for n in at for w in islice(s.test(n).operand_lengths(n, s.task.operands), _MOST))
    lacking = next((w for w in every if not s.train.shows_lengths(w, s.base)), ())
    such = f", such as of {' and '.join(map(str, lacking))} digits" if lacking else ""
    what = f"Tests at {lengths_text(at)} (trained) also have inputs"
    return f"{what} that training shows seldom or never{such}."


def why_silent(prediction: Prediction) -> str:
    """Why nothing is claimed at some lengths, in a clause."""
    rules = {step.rule for step in prediction.derivation if step.leaves_open}
    if "count" in rules or not all(x.counted for x in prediction.lengths):
        return "it was not counted, as that would take too long, or the answer is open"
    if "sample" in rules:
        if prediction.setting.train.pairs is None:  # a file, which says itself what it lacks
            return "the examples lack digits or combinations of lengths"
        return "drawn pairs may lack digits; a file of them shows which (--data)"
    hidden = [step.statement for step in prediction.derivation if step.rule == "blind"]
    if hidden:
        return f"{hidden[0][0].lower()}{hidden[0][1:].removesuffix('.')}"
    return "the training data do not determine the answer"


def answer_title(prediction: Prediction) -> str:
    """The answer for shorter and longer inputs in one sentence, the title of a picture."""
    said, silent = _said(prediction)
    text = "; ".join([*said, *([f"no claim at {silent}"] if silent else [])])
    return text[0].upper() + text[1:]


def _said(prediction: Prediction) -> tuple[list[str], str]:
    """What is claimed, a phrase each, and the lengths at which nothing is."""
    silent = [x for x in prediction.lengths if x.claim == Claim.NONE]
    claimed = [x for x in prediction.lengths if x not in silent]
    of_all, of_stable = (
        [x for x in claimed if x.requires_measured_stability == asks] for asks in (False, True)
    )
    said = [*_claimed(of_all), *(f"{text}, if stable" for text in _claimed(of_stable))]
    return said, _at(silent) if silent else ""


def _claimed(lengths: list[LengthPrediction]) -> Iterator[str]:
    """What is claimed, a phrase each."""
    always = [x for x in lengths if x.accuracy == 1]
    right, nearly = ([x for x in always if bool(x.unseen) == known] for known in (False, True))
    most = [x for x in lengths if x.claim == Claim.AT_LEAST]
    wrong = [x for x in lengths if x not in [*always, *most]]
    if right:
        yield f"right at {_at(right)}"
    for group in (*_apart(nearly), *_apart(most)):
        yield f"{_on_some('right', min(x.at_least for x in group))} at {_at(group)}"
    for group in _apart(wrong):
        yield f"{_on_some('wrong', 1 - max(x.at_most for x in group))} at {_at(group)}"


def _apart(lengths: list[LengthPrediction]) -> list[list[LengthPrediction]]:
    """Shorter and longer inputs apart, so that each have a bound of their own."""
    return [list(group) for _, group in groupby(lengths, key=lambda x: x.direction)]


def _on_some(word: str, share: Fraction) -> str:
    """``wrong on at least 90% of the inputs``: on how many a model is right, or wrong, at least."""
    percent = int(100 * share)
    if percent == 100:
        return f"{word} on every input"
    return f"{word} on at least {percent}% of the inputs" if percent else f"{word} on some inputs"


def _at(lengths: list[LengthPrediction]) -> str:
    """``1..2 digits (shorter) and 4..6 digits (longer)``."""
    *others, last = (
        f"{lengths_text([x.digits for x in group])} ({INPUTS[direction]})"
        for direction, group in groupby(lengths, key=lambda x: x.direction)
    )
    return f"{', '.join(others)} and {last}" if others else last


def expected_function(prediction: Prediction) -> str | None:
    """f^ for people: ``((a mod 100) + (b mod 100)) mod 101``; None where it is not determined."""
    return None if prediction.expected is None else prediction.expected.text()


def expected_line(prediction: Prediction) -> str:
    """What theory expects a converged model to compute, or that training does not determine it."""
    head = "Expected function f^ of a converged model:"
    expected = expected_function(prediction)
    if expected is None and any(x.requires_noise_sensitivity for x in prediction.lengths):
        return f"{head} the task itself, if it is stable: {cut(prediction.setting.task.text())}"
    if expected is None:
        return f"{head} training does not determine it"
    same = "the task itself, " if prediction.continues else ""
    return f"{head} {same}{cut(expected)}"


def cut(text: str) -> str:
    """A formula, cut at its end where it would fill lines (JSON has it whole)."""
    return text if len(text) <= _LONGEST_FORMULA else f"{text[:_LONGEST_FORMULA]}..."


_PUBLISHED = {
    Status.GENERALIZES: "right on {} inputs",
    Status.FAILS: "wrong on some {} inputs",
    Status.UNDETERMINED: "no claim on {} inputs",
}


def published_lines(prediction: Prediction, with_reason: bool = False) -> list[str]:
    """What the published theorem says, and what it leaves out; then what others say.

    Args:
        with_reason: where it leaves nothing out, name the theorem.
    """
    says: dict[str, list[str]] = {}
    for direction in EXTRAPOLATING:
        verdict = prediction.published_verdict(direction)
        if verdict in _PUBLISHED:
            says.setdefault(_PUBLISHED[verdict], []).append(INPUTS[direction])
    text = ", ".join(how.format(" and ".join(which)) for how, which in says.items())
    assumes = _assumes(prediction)
    reason = f" ({prediction.published.theorem})" if with_reason and not assumes else ""
    theorem = f"Published theorem: {text or 'not tested'}{reason}. {assumes}".rstrip()
    return [theorem, *(x.text() for x in expressibility(prediction.setting))]


def _assumes(prediction: Prediction) -> str:
    """What the theorem takes for granted at shorter lengths where nothing is claimed."""
    down = Direction.DOWNWARD
    more = prediction.published_verdict(down) == Status.GENERALIZES and any(
        x.direction == down and x.at_most == 1 and x.unseen > MOST_UNSEEN
        for x in prediction.lengths
    )
    return "It ignores which digits training showed together." if more else ""


def explanation(prediction: Prediction, learned: Learnability) -> list[str]:
    """The derivation in numbered steps, the task's properties, how training may go, the sources."""
    steps, observed = prediction.derivation, prediction.observed
    cites = [_short(step.source, single(prediction.setting.train) is not None) for step in steps]
    sources = list(dict.fromkeys(cites))
    bases = [", observed" * (x.rule in observed and not x.leaves_open) for x in steps]
    lines = [
        f"{number}. {step.statement} ({step.rule}{bases[number - 1]} "
        f"[{sources.index(cites[number - 1]) + 1}])"
        for number, step in enumerate(steps, 1)
    ]
    lines += decided_by(prediction)
    if prediction.setting.task.terms and not prediction.operations:
        lines.append(_of_the_task(prediction.setting))
    lines += published_lines(prediction, with_reason=True)
    lines += _before_convergence(prediction.setting, learned) + _how_soon(learned)
    cited = [f"[{number}] {source}" for number, source in enumerate(sources, 1)]
    return [*lines, *cited[:-1], f"{cited[-1]} (rules: arith theorems)"]


def deciding(prediction: Prediction) -> dict[tuple[str, ...], list[int]]:
    """The test lengths that are decided, by the theorems that decide them."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for x in prediction.lengths:
        if x.because:
            groups.setdefault(x.because, []).append(x.digits)
    return groups


def decided_by(prediction: Prediction) -> list[str]:
    """Which of the four theorems decide which lengths; no line where nothing is claimed."""
    groups, basis = deciding(prediction), {x.name: x.basis for x in THEOREMS}
    each = (
        f"{' and '.join(names)} ({' and '.join(dict.fromkeys(basis[x] for x in names))}) "
        f"at {lengths_text(ns)}"
        for names, ns in groups.items()
    )
    return [f"Theorems that decide: {'; '.join(each)}."] if groups else []


def _of_the_task(s: Setting) -> str:
    """What the theory uses of the task's polynomial f, each with the calculation that shows it."""
    task, base, p = s.task, s.base, s.task.modulus
    same = len({sum(e) for _, e in task.terms}) == 1
    said = [f"has degree {task.degree} and is {'' if same else 'not '}homogeneous"]
    said.append(_shift(s))
    if p is not None and (k := base_aligned(p, base)) is None:
        n = p.bit_length()
        left = f"{p} / gcd({p}, {base}^{n}) = {residual_modulus(p, base, n)}"
        said.append(f"{p} divides no power of {base}, as {left} is prime to it")
    elif p is not None and k:
        said.append(f"{p} divides {base}^{k} and not {base}^{k - 1}")
    if task.has_finite_carry:
        automaton = digit_automaton(task, base)
        carries, (least, most) = automaton.carries, automaton.digit_sums
        said.append(
            f"a carry c goes on as ⌊(c + s) / {base}⌋ with s from {least} to {most}, so carries "
            f"are from {carries.start} to {carries.stop - 1}"
        )
    return f"The polynomial f {'; '.join(said)}."


def _shift(s: Setting) -> str:
    """Whether a shift of all operands shifts the result: ``f(10·a, 10·b) = ... = 10·f(a, b)``."""
    task, base = s.task, s.base
    at = f"f({', '.join(f'{base}·{name}' for name in task.names)})"
    f, modulo = f"{base}·f({', '.join(task.names)})", ""
    terms, names = shift_difference(task, base)
    if task.modulus is not None:
        modulo = f" modulo {task.modulus}"
    elif not any(c for c, _ in terms):
        times_base = [(base * c, e) for c, e in task.terms]
        middle = for_people(polynomial_text(times_base, task.names))
        return f"{at} = {cut(middle)} = {f}, so it is translation invariant"
    so = ", so it is not translation invariant" * (not modulo)
    return f"{at} - {f} = {cut(for_people(polynomial_text(terms, names)))}{modulo}{so}"


def _short(source: str, is_published: bool) -> str:
    """A source in a line, with "in part ours" unless training is on a domain of the paper."""
    first, *more = source.split("; ")
    if first.startswith("ours") and _FINDINGS in source:
        return f"ours; {_FINDINGS}"
    ours = [x for x in more if "ours" in x and not (is_published and "for other domains" in x)]
    return first.removesuffix(", 2308.08268") + ("; in part ours" if ours else "")


def _before_convergence(s: Setting, learned: Learnability) -> list[str]:
    """What a model is right on that has not learned the task, where that is known."""
    found = learned.plateaus
    shares = [f"{percent_text(x.accuracy, '.3g')} {_from(s, x.read)}" for x in found]
    shares[2:] = [x.replace(f" {s.token_or('digit')}s of each operand", "") for x in shares[2:]]
    where = f"Training may stand on a plateau (share right on {s.train.text()})"
    return [f"{where}: {'; '.join(shares)}."] if found else []


def _from(s: Setting, read: int) -> str:
    if not read:
        return "always the commonest answer"
    digit = s.token_or("digit")
    return f"from the last {digit if read == 1 else f'{read} {digit}s'} of each operand"


def _how_soon(learned: Learnability) -> list[str]:
    """How many digits the task asks for at once, where that can be counted."""
    text = {
        Decision.NO: f"up to {FEW} digits jointly (leap complexity): mostly learned soon",
        Decision.YES: f"more than {FEW} digits jointly (leap complexity): training may be slow",
    }
    steps = (
        f"a step counts that corrects {percent_text(GAIN)} of the errors of a result digit that is "
        f"not right on {percent_text(CONSTANT)} without it"
    )
    return [f"It needs {text[learned.leaps]} ({steps})."] if learned.leaps in text else []
