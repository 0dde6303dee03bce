"""Why, in words: the steps from what training shows to what is said of each test length."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import groupby

from arith.theory.arithmetic.domains import LEAST_SHARE, MISSED, Domain
from arith.theory.arithmetic.lengths_text import lengths_text, runs, runs_text
from arith.theory.arithmetic.shares import percent_text, share_text
from arith.theory.generalization.constants import Computes
from arith.theory.generalization.lengths import EQUAL_VIEWS, MOST_UNSEEN, LengthPrediction
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.generalization.theorems import NEAR, AtLength, Observation, is_local
from arith.theory.observation.addresses import (
    LOOKED_BACK,
    UNTRAINED,
    AddressObservation,
    Finding,
    Need,
    says_nothing,
)
from arith.theory.observation.joint_support import interactions
from arith.theory.observation.shown_views import fits
from arith.theory.observation.support import Support
from arith.theory.observation.views import receptive_field
from arith.theory.rules import Step, cite, open_step
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import INDICES

_INDIFFERENT = "Premise: noise on ignored digits changes no answer."
_SENSITIVE = "Premise: noise on digits that training kept constant changes answers."
_STEADY = "Premise: disturbing all digits a little changes no answer."
_MEASURED = "Premise: at {} this was measured, and 0.998 of all answers stay."
_MOST_RUNS = 3
"""Runs of shown addresses that are listed."""


def derivation(observed: Observation, lengths: tuple[LengthPrediction, ...]) -> tuple[Step, ...]:
    """Every step, from the premises to the accuracy."""
    setting, shown = observed.setting, observed.support
    premise = f"Premise: the model is right on held-out {setting.train.text()}"
    if setting.train.pairs is not None:
        premise += f" (a digit is taken to be shown if it is missed with a chance below {MISSED:g})"
    trained = [n for n in setting.test_lengths if setting.is_premise(n)]
    by_shape = [
        x.digits for x in lengths if x.digits in observed.at and x.because == (EQUAL_VIEWS,)
    ]
    first = cite("convergence", premise, trained + by_shape)
    if setting.natural:
        steps = _interleaved if setting.layout.interleaved else _natural
        return (first, *steps(observed, lengths))
    others = [x for x in lengths if x.digits not in trained and x.digits not in observed.shown]
    read = [x.digits for x in others if observed.keeps or x.claim != Claim.NONE]
    how = observed.constants
    read = [n for n in read if how[n].unchanged and how[n].computes is not Computes.NO_BETTER]
    noise = [x.digits for x in lengths if x.requires_noise_invariance]
    reads = [x.digits for x in lengths if x.requires_noise_sensitivity]
    return (
        first,
        _support_step(setting, shown, read),
        *([cite("noise invariance", _INDIFFERENT, noise)] if noise else []),
        *observed.steps,
        *([cite("two candidates", _SENSITIVE, reads)] if reads else []),
        *_together(shown, lengths),
    )


# --- padded numbers ------------------------------------------------------------------------


def _support_step(setting: Setting, shown: Support, lengths: list[int]) -> Step:
    """Which digits are read."""
    names = shown.task.names
    widths = {*shown.read_lengths}
    n = widths.pop() if len(widths) == 1 else None
    if n is not None:
        place = setting.token_or("place")
        which = {0: f"No {place}", 1: f"{place} 1 (units)".capitalize()}
        varied = which.get(n, f"{place}s 1 (units) to {n}".capitalize())
        return cite("support", f"{varied} varied in training; above, only 0", lengths)
    rows = []
    for j, name in enumerate(names):
        constants = [shown.constant((j, i)) for i in range(1, shown.width + 1)]
        words = ["read" if c is None else f"always {c}" for c in constants]
        rows.append(" ".join([name, *(f"{i}:{word}" for i, word in enumerate(words, 1))]))
    return cite(
        "support", "Digits that are read, and digits that are ignored: " + "; ".join(rows), lengths
    )


def _together(shown: Support, lengths: tuple[LengthPrediction, ...]) -> Iterator[Step]:
    """The steps for digits never shown together, for lengths not counted, and for stable models."""
    inferred = {x.digits: x.inferred for x in lengths if x.inferred > MOST_UNSEEN}
    unfixed = {x.digits: x.unseen for x in lengths if x.unseen > MOST_UNSEEN}
    nearly = [x.digits for x in lengths if 0 < x.unseen <= MOST_UNSEEN]
    known = {n: x.known for x in lengths if x.known and (n := x.digits) in unfixed}
    if inferred:
        yield cite("joint support", inferred_text(shown, inferred), inferred)
    if unfixed:
        what = unfixed_text(shown, unfixed, known)
        yield cite("joint support", what, unfixed, leaves_open=True)
    if nearly or known:
        at = f": at {lengths_text(nearly)}" if nearly else ""
        what = (
            "An exact accuracy is said, give or take the inputs that are open, where these are at "
            f"most {percent_text(MOST_UNSEEN)}{at}"
        )
        yield cite("joint support", what, leaves_open=True)
    yield from _two_candidates(lengths)
    given_up = [x.digits for x in lengths if not x.counted]
    if given_up:
        at = ", ".join(map(str, given_up))
        what = f"Not counted, for it would take too long: the accuracy at {at} digit(s)."
        yield cite("count", what, given_up)
    stable = [x for x in lengths if x.requires_stability]
    if stable:
        yield cite("stability", _STEADY, [x.digits for x in stable])
    measured = [x.digits for x in stable if x.requires_measured_stability]
    if measured:
        yield cite("stability", _MEASURED.format(lengths_text(measured)), measured)


def _two_candidates(lengths: tuple[LengthPrediction, ...]) -> Iterator[Step]:
    """The step that names both functions: at which lengths they differ, at which they do not."""
    differ, alike = ([x.digits for x in lengths if len(x.candidates) == many] for many in (2, 1))
    if differ or alike:
        said = [f"at {lengths_text(differ)} one of the two"] * bool(differ)
        said += [f"at {lengths_text(alike)} both are right"] * bool(alike)
        what = (
            "A stable model is expected to compute the task, or f^, in which digits that training "
            f"kept constant stay: {'; '.join(said)}. Nothing is claimed by this"
        )
        yield cite("two candidates", what, differ + alike, leaves_open=True)


# --- interleaved numbers of natural length --------------------------------------------------


def _interleaved(observed: Observation, lengths: tuple[LengthPrediction, ...]) -> Iterator[Step]:
    """Which views training shows, and why longer inputs are bounded, or open."""
    yield from observed.steps
    setting = observed.setting
    lost = {x.digits: x.at_most for x in lengths if x.at_most < 1}
    if lost:
        n = setting.train.every_length[-1]
        names = " and ".join(setting.task.names[:-1])
        most = share_text(max(lost.values()))
        what = (
            f"at {lengths_text([*lost])} digit {n + 1} of {names} stands at a position from which "
            f"its query never read it, so at most {most} of the answers are right"
        )
        yield cite("address", what, lost)
    unclear = [x.digits for x in lengths if x.status == Status.UNDETERMINED]
    if unclear:
        yield from _why_open(setting, unclear, observed.why_not)


def _why_open(setting: Setting, unclear: list[int], uncompared: str) -> Iterator[Step]:
    """Why nothing is claimed at some lengths; nothing where a step says it already.

    Args:
        uncompared: why contexts were not compared; empty where they were, or cannot be.
    """
    encoding, reads = setting.encoding, receptive_field(setting)
    if encoding.own_positions and setting.task.operands == 1:
        what = "a query stands at its digit, and reads it at any position"
        yield open_step("address", unclear, what)
        return
    if encoding.reference in ("absolute", "shifted"):
        what = f"under {encoding.label} positions share parameters, so neighbours may be alike"
        yield open_step("neighbours", unclear, what)
        return
    if uncompared:
        yield open_step("receptive field", unclear, uncompared)
        return
    if encoding.reference == "random":
        near = [n for n in unclear if fits(setting, n)]
        far = [n for n in unclear if n not in near]
        if near:
            yield open_step("random positions", near, says_nothing(setting))
        if far:
            what = f"there are {INDICES} indices, and more tokens"
            yield open_step("random positions", far, what)
    elif reads is None:
        what = (
            "with the whole prefix in sight, or the layers left open, a query can tell where it "
            "is, and training fits a rule that goes no further"
        )
        yield open_step("landmark", unclear, what)


# --- numbers of natural length one after the other -----------------------------------------


def _natural(observed: Observation, lengths: tuple[LengthPrediction, ...]) -> Iterator[Step]:
    """What fails, what goes on, what is open, and why."""
    setting, seen, train = observed.setting, observed.addresses, observed.setting.train
    others = setting.untrained
    if not others:
        return
    if seen is None:
        if observed.why_not:
            what = f"nothing follows: {observed.why_not}"
            yield cite("count", what, others, leaves_open=True)
        else:
            what = f"{train.text()} may lack digits, or lengths together, that its lengths have"
            yield cite("sample", what, others, leaves_open=True)
        return
    listed = tuple(x for x in lengths if x.digits in observed.constants)  # by examples of a file
    yield from _together(observed.support, listed)
    looked_at = [x for x in lengths if x not in listed]
    lost = {x.digits: observed.at[x.digits].findings or [] for x in looked_at if x.at_most < 1}
    for rule in ("spaces", "address"):
        some = {n: found for n, found in lost.items() if _bounding(found) == rule}
        if some:
            found = next(iter(some.values()))
            what = f"At {lengths_text([*some])} a digit is not found: {_missing_text(seen, found)}"
            if seen.encoding.selection != "any":
                what += f"; nor beside those addresses, more than one digit up in {NEAR} trained"
            if is_local(setting):
                what += "; the chances of several such digits multiply"
            yield cite(rule, what + _seldom_text(found), some)
    at = observed.at
    right = [x.digits for x in lengths if x.accuracy == 1 and x.digits in at]
    rule_goes_on = [n for n in right if any(y.continues for y in at[n].findings or ())]
    if rule_goes_on:
        yield from _goes_on(seen, rule_goes_on)
    for why in dict.fromkeys(x.near for x in at.values() if x.near):
        near = [n for n, x in at.items() if x.near == why]
        yield open_step("neighbours", near, f"under {seen.encoding.label} {why}")
    open_ = {n: x for n, x in at.items() if n not in (*right, *observed.constants) and _is_open(x)}
    unclear = {n: x.findings for n, x in open_.items() if x.findings}
    if unclear:
        found = next(iter(unclear.values()))
        rule, why = _open_text(seen, found)
        yield open_step(rule, unclear, why + _seldom_text(found))
    given_up = [n for n, x in at.items() if x.findings is None]
    if given_up:
        what = f"At {lengths_text(given_up)} it would take too long to go through all shapes"
        yield cite("count", what, given_up, leaves_open=True)


def _is_open(x: AtLength) -> bool:
    """Whether nothing follows at a length, and not because digits near by are alike."""
    return not x.near and x.at_most == 1


def _bounding(findings: list[Finding]) -> str:
    """The rule that bounds the accuracy where a digit is missing."""
    example, _, _ = _example(findings)
    return "address" if any(1 in x.values() for x in example.missing.values()) else "spaces"


def _example(findings: list[Finding]) -> tuple[Finding, int, int]:
    """The most frequent shape with a missing digit, whose it is, and the lowest such digit.

    Of digits that spaces move it is the one that is missing for most of their choices.
    """
    one = max((x for x in findings if x.missing), key=lambda x: x.shape.inputs)

    each = ((kind.operand, at) for kind, at in one.missing.items())
    _, position, operand = min((-x, i, j) for j, at in each for i, x in at.items())
    return one, operand, position


def _missing_text(observed: AddressObservation, findings: list[Finding]) -> str:
    """Where a digit stands that is not found, in the most frequent shape that lacks one."""
    one, operand, position = _example(findings)
    names, need = observed.setting.task.names, Need(operand, 0)
    addresses, shown = observed.addresses(one.shape, need, position), observed.shown_addresses[need]
    if len(addresses) > 1:
        where = _moved_text(observed, need, [a for a in addresses if a not in shown])
        where += f", {_share_text(observed.not_found(one.shape, need, position))}"
    else:
        where = _where_text(observed, next(iter(addresses)), need)
    what = (
        f"{one.shape.text(names)} the query of result digit {position} has digit {position} of "
        f"{names[operand]} {where}"
    )
    if any(kind.by_all for kind in one.missing):
        what += f", nor does one of the {LOOKED_BACK} digits above find it"
    return what


def _where_text(observed: AddressObservation, address: Hashable, need: Need) -> str:
    """Where a digit stands that is not found."""
    encoding, shown = observed.encoding, observed.shown_addresses[need]
    if encoding.reference == "significance":
        if address is UNTRAINED:
            last, starts = observed.last_number, f"from {observed.setting.starts} starts"
            return f"under a number above {last}, the largest that was trained {starts}"
        return f"at a difference of numbers of {address}, {_never(shown)}"
    if encoding.reference == "relative":
        assert isinstance(address, int)
        untrained = encoding.own_parameter and address >= observed.tokens
        more = ", and nothing was learned for that offset" if untrained else ""
        merged = " or more" * (address == encoding.merged_from)
        return f"at offset {address}{merged}, {_never(shown)}{more}"
    assert isinstance(address, tuple)
    query, key = address
    learned = encoding.own_positions or encoding.reference == "shifted"
    untrained = learned and query >= observed.tokens
    more = f", and nothing was learned for position {query}" if untrained else ""
    more = f", from {observed.starts} starts{more}" if observed.starts > 1 else more
    return (
        f"from position {query} at position {key}, a pair that training never showed for it{more}"
    )


def _moved_text(observed: AddressObservation, need: Need, unseen: list[Hashable]) -> str:
    """Where spaces move a digit so that it is not found."""
    if observed.encoding.reference != "relative":
        return "at pairs of positions that training never showed for it"
    offsets = runs_text(_ascending(unseen), " to ")
    return f"at offsets {offsets}, {_never(observed.shown_addresses[need])}"


def _share_text(chance: Fraction) -> str:
    """``whatever the spaces``, ``for 34 % of the choices of spaces``."""
    if chance == 1:
        return "whatever the spaces"
    share = f"{100 * float(chance):.3g}" if chance < Fraction(999, 1000) else "more than 99.9"
    return f"for {share} % of the choices of spaces"


def _ascending(addresses: Collection[Hashable]) -> list[int]:
    """The addresses that are numbers."""
    return sorted(x for x in addresses if isinstance(x, int))


def _never(shown: set[Hashable]) -> str:
    """``where training never showed it (3 to 11)``."""
    numbers = _ascending(shown)
    found = runs_text(numbers, " to ")
    if len(runs(numbers)) > _MOST_RUNS:
        found = f"some from {numbers[0]} to {numbers[-1]}"
    return f"where training never showed it ({found})"


def _seldom_text(findings: list[Finding]) -> str:
    """That lengths seen too seldom count as not shown; empty where there are none."""
    least = f"{int(1 / LEAST_SHARE):,}"
    what = f"; lengths in fewer than one example in {least} count as not shown"
    return what * any(x.seldom for x in findings)


def _goes_on(observed: AddressObservation, lengths: list[int]) -> Iterator[Step]:
    """Why the rule goes on at these lengths."""
    label, most, at = observed.encoding.label, observed.together, lengths_text(lengths)
    if observed.by_content:
        rule = "hints"
        what = f"at {at} every digit is found by the marker before it, and up to {most} markers"
    else:
        rule = "numbered digits"
        what = f"at {at} {label} finds every digit at the difference of numbers as in training, "
        what += f"and up to {most} numbers"
    end = "the result ends where no operand has a digit left and the carry is 0"
    yield cite(rule, f"{what} stood together", lengths)
    yield cite("end", end, lengths)


def _open_text(observed: AddressObservation, findings: list[Finding]) -> tuple[str, str]:
    """The rule by which nothing follows at a length, and why."""
    if observed.stops is not None:
        return observed.stops
    content, label = observed.by_content, observed.encoding.label
    shape = max((x for x in findings if not x.right), key=lambda x: x.shape.inputs).shape
    numbers, most = max(*shape.widths, shape.result), observed.together
    rule = "hints" if content else "numbered digits"
    if numbers > most:
        what = "markers" if content else "numbers"
        return rule, (
            f"up to {numbers} {what} stand in one example, and in training {most} did, so no query "
            "had to tell its digit from one that far away"
        )
    if not observed.ends(shape) <= observed.shown_ends:
        shown = lengths_text(sorted(observed.shown_ends))
        return "end", f"in training results ended after {shown}, and here not all do"
    if not observed.cases(shape) <= observed.shown_cases:
        return rule, (
            f"{shape.text(observed.setting.task.names)} the digit rule meets a case that training "
            "lacks: which operands still have digits, and which digit is the highest"
        )
    if observed.layout.spaced:
        return rule, "more spaces may stand in one example than in training"
    if content:
        return rule, (
            f"examples are longer than the trained ones, and what {label} adds there was never "
            "trained"
        )
    return rule, "the difference of numbers between a digit and its query depends on the lengths"


# --- what training never showed --------------------------------------------------------------


def inferred_text(shown: Support, shares: Mapping[int, Fraction]) -> str:
    """That training fixes digits that it never showed together, and why.

    Args:
        shares: by length, the share of the inputs that have such digits.
    """
    apart = f"Never shown together by {shown.train.text()}: digits of {_where(shares)}"
    return f"{_zeros(shown, shares) or apart}. But the answer follows: {_why_fixed(shown)}."


def unfixed_text(
    shown: Support, shares: Mapping[int, Fraction], known: Mapping[int, Fraction]
) -> str:
    """That digits were never shown, or not together, and nothing fixes them.

    Args:
        known: by length, the share of all inputs that training fixes and f^ gets right.
    """
    right = ", ".join(f"{percent_text(share)} at {n}" for n, share in known.items())
    rest = f" Of all inputs, training fixes and f^ gets right: {right} digit(s)." if right else ""
    return f"{_never_shown(shown, shares)}. Nothing follows there.{rest}"


def _never_shown(shown: Support, shares: Mapping[int, Fraction]) -> str:
    task = shown.task
    which = None if task.needs_order else _zeros(shown, shares)
    if which is None:
        borrows = ", or that borrow from ignored ones" if task.needs_order else ""
        return (
            f"Never shown by {shown.train.text()}: digits, or combinations of digits that the task "
            f"makes interact{borrows}, of {_where(shares)}"
        )
    interact = ", and the task makes these digits interact" if task.operands > 1 else ""
    return f"{which}{interact}"


def single(train: Domain) -> int | None:
    """n where training is ``D_n``, all digits; of other domains nothing so simple can be said."""
    plain = train.kind == "longest" and len(train.every_length) == 1 and not train.restricted
    plain &= train.in_token == 1
    return train.every_length[0] if plain else None


def _zeros(shown: Support, shares: Mapping[int, Fraction]) -> str | None:
    """``Inputs of 1..2 digits have 0 at place 3 of both operands, never so in D_3``."""
    n, task = single(shown.train), shown.task
    if n is None or max(shares) >= n or set(shares.values()) != {Fraction(1)}:
        return None
    operands = {1: task.names[0], 2: "both operands"}.get(task.operands, "all operands")
    return (
        f"Inputs of {lengths_text(list(shares))} have 0 at place {n} of {operands}, "
        f"never so in {shown.train.text()}"
    )


def _why_fixed(shown: Support) -> str:
    """Why joint support fixes such digits."""
    n, p, period = single(shown.train), shown.task.modulus, shown.period
    steps = set() if n is None else {period((j, n)) for j in range(shown.task.operands)}
    modulo = f" modulo {p}" if p else ""
    if steps == {1}:
        return f"place {n} makes no difference{modulo}"
    lacking = [(j, i) for j, i in shown.read if len(shown.seen[j][i - 1]) < shown.base]
    if lacking and all(period(digit) == 1 for digit in lacking):
        return f"the digits that lack some value there make no difference{modulo}"
    groups = interactions(shown)
    if all(len(digits) == 1 for digits in groups):
        return "the digits only add up"
    step = steps.pop() if len(steps) == 1 else None
    if step is not None and step < shown.base:
        return f"0 there counts as {step} does modulo {p}, and {step} was shown"
    periods = [period(digit) for digits in groups for digit in digits]
    if any(step is not None and step < shown.base for step in periods):
        return f"digits equivalent modulo {p} were shown"
    return "the digits that the task makes interact were shown together"


def _where(shares: Mapping[int, Fraction]) -> str:
    """``inputs of 1 digit (9% of them), of 4..6 digits (100% of them)``."""
    groups = groupby(shares, key=lambda n: percent_text(shares[n], ".0f"))
    parts = (f"of {lengths_text(list(ns))} ({share} of them)" for share, ns in groups)
    return f"inputs {', '.join(parts)}"
