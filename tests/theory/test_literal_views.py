"""What is predicted of small settings, beside the theory by enumeration.

Settings of seeds 0 to 99 are drawn; ``ARITH_EXAMPLES=N`` draws those of 0 to N - 1.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from builders.literal_views import Addresses, Padded, ShownViews, best_share, enumerated

from arith.theory.counting import accuracy, bounds
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput, NotCountable
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.theorems import THEOREMS, observe
from arith.theory.observation import contexts
from arith.theory.observation.support import support
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request, setting_words
from arith.theory.setting.settings import Setting

NUMBER = int(os.environ.get("ARITH_EXAMPLES", "100"))
MOST = 66_000
"""Inputs of the longest test."""
EXPRESSIONS = ("a+b", "a+b", "2*a+b", "a-b", "a-b", "a+b+c", "a*b")
ENCODINGS = ("ape", "rpe", "t5", "nope", "sinusoidal", "coupled", "abacus", "rope")
LAYOUTS = ("aligned", "reversed", "plain", "bare", "interleaved", "interleaved")
PARTS = (
    "no bos",
    "no signs",
    "no equals",
    "no operators",
    "operand spaces",
    "spaces",
    "wide",
    "end",
    "padded to 6 with _",
    "padded to 7 with spaces",
)
NATURAL = (
    *(f"{n} digits per token from the left" for n in (2, 3)),
    "padded to 6 with zeros",
    "padded to 7 with zeros",
)
"""Parts of layouts of natural lengths; padded numbers are whole tokens of a higher base."""

Difference = tuple[str, int, Any, Any]
"""What is compared, at how many digits, what arith says, and what was enumerated."""


def drawn(rng: Random) -> Request:
    """A random request, of which no setting may come."""
    expression, base = rng.choice(EXPRESSIONS), rng.choice((2, 2, 3, 3, 4, 5))
    operands = 3 if "c" in expression else 2
    top = min(6, max(n for n in range(1, 9) if base ** (operands * n) <= MOST))
    longest = rng.randint(1, max(1, min(4, top - 1)))
    natural, layout, pe = rng.random() < 0.5, rng.choice(LAYOUTS), rng.choice(ENCODINGS)
    narrow = rng.random() < 0.7 and (not natural or layout == "interleaved")
    kinds = ["longest", "longest", "every", *(["lengths", "total"] if natural else [])]
    free = not (natural and layout == "interleaved")  # lengths may be drawn first
    kinds += ["lengths", "coin"] if free else []
    kind = rng.choice(kinds)
    modulus = rng.choice((None, None, None, rng.randint(2, 27), base ** rng.randint(1, 3)))
    if narrow and layout == "interleaved" and rng.random() < 0.8:  # where contexts are told
        pe = rng.choice(("rpe", "t5", "nope", "rope", "shifted", "randomized"))
        modulus = None
    positions = rng.sample(range(1, longest + 1), rng.randint(1, min(2, longest)))
    allowed = [(p, rng.sample(range(base), rng.randint(1, base - 1))) for p in positions]
    few = rng.random() < 0.25
    digits = "+".join(map(str, {longest, *rng.choices(range(1, longest + 1), k=2)}))
    test_digits = f"{rng.choice((1, 1, operands))}-{min(top, longest + 2)}"
    each = [rng.choice((digits, "1", "1-2", f"2-{longest + 1}")) for _ in range(operands)]
    if free and rng.random() < 0.2:
        digits, kind = "x".join(each), "longest"
        if rng.random() < 0.3:
            test_digits = "x".join(f"1-{rng.randint(1, top)}" for _ in range(operands))
    some = rng.random() < 0.15
    starts = {"starts": rng.choice((1, 2, 3, 9))} if pe in ("coupled", "abacus", "shifted") else {}
    return Request(
        expr=expression,
        modulus=modulus,
        base=base,
        pe=pe,
        layout=layout,
        padding="none" if natural else "fixed",
        window=rng.randint(3, 7) if narrow else 0,
        layers=rng.randint(1, 3) if narrow else 0,
        **starts,
        train_digits=digits,
        train_domain=kind,
        train_allowed=tuple(f"{p}:{','.join(map(str, x))}" for p, x in allowed) if few else (),
        train_weights=rng.choice(("", "", "", "balanced", "uniform")) if free else "",
        test_digits=test_digits,
        test_allowed=tuple(f"{p}:{','.join(map(str, x))}" for p, x in allowed) if some else (),
        test_domain=rng.choice((kind, kind, rng.choice(kinds))),
    )


def predicted(seed: int) -> tuple[Setting, Prediction]:
    """The first setting of a seed that makes sense, with its prediction."""
    rng, parts = Random(seed), Random(f"parts {seed}")
    while True:
        try:
            request = drawn(rng)
            if parts.random() < 0.3:  # in a format of its own
                told = ", ".join([request.layout, *parts.sample(PARTS, parts.randint(1, 2))])
                request = replace(request, layout=told)
            elif request.padding == "none" and parts.random() < 0.3:
                request = replace(request, layout=f"{request.layout}, {parts.choice(NATURAL)}")
            setting = request.setting()
            return setting, predict(setting)
        except InvalidInput:
            continue


def differences(setting: Setting, prediction: Prediction) -> Iterator[Difference]:
    """All that enumeration finds to be otherwise than arith says."""
    trained = enumerated(setting, setting.train)
    shown = ShownViews(setting, trained)
    observed = observe(setting)
    padded = None if setting.natural else Padded(setting, trained)
    addresses = Addresses(setting, trained) if setting.natural else None
    for said in prediction.lengths:
        n = said.digits
        inputs = enumerated(setting, setting.test(n))
        right, wrong = (inputs.share(x) for x in shown.of(inputs))
        yield from of_views(setting, said, right, wrong, shown.conflict)
        yield from of_theorems(observed, n)
        goes_on = said.requires_noise_sensitivity  # it computes the task, and not f^
        premise = setting.is_premise(n) or n in observed.shown or goes_on
        if padded:
            is_right, is_open = padded.of(inputs)
            shares = [inputs.share(x) for x in (is_right, is_open, is_right & ~is_open)]
            yield from of_counts(setting, n, shares)
            yield from () if premise else of_padded(said, *shares)
        elif addresses and not setting.train.allowed and not setting.is_premise(n):
            best = best_share(addresses, trained, inputs)
            if best > said.at_most:
                yield "best answerer beats at most", n, said.at_most, best


def of_views(
    setting: Setting, said: LengthPrediction, right: Fraction, wrong: Fraction, conflict: bool
) -> Iterator[Difference]:
    """Equal views, both ways."""
    n = said.digits
    at_most = said.at_most
    if said.accuracy is not None:
        at_most = min(at_most, said.accuracy + said.unseen)
    if not conflict and at_most < right:
        yield "views prove more than at most", n, at_most, right
    if not conflict and said.at_least > 1 - wrong:
        yield "views prove less than at least", n, said.at_least, 1 - wrong
    premise = conflict and setting.is_premise(n)
    if said.because == ("equal views",) and said.at_least > right and not premise:
        yield "equal views that do not occur", n, said.at_least, right
    try:
        lacking = contexts.unshown(setting)[n]
    except NotCountable as error:
        if "does not follow" in str(error) and not conflict:
            yield "views of training with two answers", n, True, False
        return
    if (lacking is None) != (right == 1):
        yield "contexts all shown", n, lacking is None, right


def of_theorems(observed: Any, n: int) -> Iterator[Difference]:
    """The intervals of the four theorems have a common point."""
    every = [said for said in (theorem.apply(observed, n) for theorem in THEOREMS) if said]
    low = max((x.at_least for x in every), default=Fraction(0))
    high = min((x.at_most for x in every), default=Fraction(1))
    if low > high:
        yield "theorems do not overlap", n, low, high


def of_counts(setting: Setting, n: int, shares: list[Fraction]) -> Iterator[Difference]:
    """The accuracy of f^, the open share and the fixed share on which f^ is right."""
    learned = LearnedFunction(support(setting.task, setting.train, setting.base))
    for name, share in zip(("accuracy", "unseen_share", "known_accuracy"), shares, strict=True):
        try:
            counted = getattr(accuracy, name)(learned, setting.test(n))
        except NotCountable:
            continue
        if counted != share:
            yield name, n, counted, share


def of_padded(
    said: LengthPrediction, right: Fraction, is_open: Fraction, fixed: Fraction
) -> Iterator[Difference]:
    """The interval of padded numbers, from the share on which f^ is right and the open share."""
    one = Fraction(1)
    pairs = [(said.learned_accuracy, right), (said.unseen_share, is_open), (said.accuracy, right)]
    for name, (x, share) in zip(("accuracy of f^", "open share", "accuracy"), pairs, strict=True):
        if x is not None and x != share:
            yield name, said.digits, x, share
    interval = said.at_least, said.at_most
    at_most = {min(one, right + is_open), min(one, fixed + is_open)}
    if said.accuracy is not None:
        expected = max(Fraction(0), right - is_open), min(one, right + is_open)
    elif said.at_least:
        expected = fixed, min(one, fixed + is_open)
    else:
        expected = Fraction(0), said.at_most if said.at_most in at_most | {one} else max(at_most)
    if interval != expected:
        yield "interval", said.digits, interval, expected


def first_difference(seeds: range) -> str:
    """The first thing that is otherwise, with the command that shows it; empty if nothing is."""
    for seed in seeds:
        setting, prediction = predicted(seed)
        for what, n, said, found in differences(setting, prediction):
            command = " ".join(["arith predict", *setting_words(setting)])
            return f"{command}\n{what} at {n} digits: arith {said}, enumerated {found}"
    return ""


@pytest.mark.soak
def test_no_prediction_is_contradicted_by_enumeration() -> None:
    found = first_difference(range(NUMBER))
    assert not found, found


def lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """One value of a missing digit fewer is right."""
    old = bounds.right_values
    monkeypatch.setattr(bounds, "right_values", lambda *words: old(*words) - 1)


def shorter_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """One token of a context is out of sight."""
    old = contexts.receptive_field
    monkeypatch.setattr(contexts, "receptive_field", lambda x: old(x) and old(x) - 1)


def lower_accuracy(monkeypatch: pytest.MonkeyPatch) -> None:
    """One hundredth of the inputs on which f^ is right is not counted."""
    old = accuracy.accuracy
    monkeypatch.setattr(accuracy, "accuracy", lambda *words: old(*words) * Fraction(99, 100))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lower_bound, "best answerer"),
        (shorter_views, "views"),
        (lower_accuracy, "accuracy at"),
    ],
)
def test_a_wrong_rule_is_found_out(
    change: Callable[[pytest.MonkeyPatch], None], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch)
    found = first_difference(range(100))
    assert what in found, found
