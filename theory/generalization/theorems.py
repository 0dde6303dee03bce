"""The four theorems: what a model that is right on its training domain answers elsewhere.

A model is a function of views: to two queries that see the same it gives the same answer, whatever
its weights.  What training showed of the views of a test decides the answer in four ways; where
none of them applies it is open.  Each theorem looks at what training shows (``Observation``) and at
one test length, and gives a conclusion or nothing; the first that applies decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.effort import PART, budget
from arith.theory.arithmetic.properties import base_aligned
from arith.theory.counting.bounds import interleaved_bound, most_right
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import NotCountable
from arith.theory.generalization.constants import KEPT, UNKNOWN, Computes, Constants, constants
from arith.theory.generalization.lengths import (
    APART,
    CONSTANTS,
    EQUAL_VIEWS,
    NOT_FOUND,
    LengthPrediction,
    Premise,
    expected,
    right,
    undecided,
)
from arith.theory.observation.addresses import AddressObservation, Finding
from arith.theory.observation.shown_views import shown_views, uncompared
from arith.theory.observation.support import Support, support
from arith.theory.observation.views import indices
from arith.theory.rules import Basis, Step, cite
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import RESULT, Layout, Token

NEAR = 6
"""Where no query can single out an offset, untrained addresses are found up to one digit in so many
beyond the longest trained length (docs/addresses.md has the models that this was read off)."""


@dataclass(frozen=True)
class AtLength:
    """What is found at one test length of numbers of natural length.

    Args:
        findings: by shape; None where there are too many.
        at_most: the largest share of the inputs that can be right without the missing digits.
        near: why a digit may be found though it stands at an address that training never showed;
            empty if it is not.
    """

    findings: list[Finding] | None = None
    at_most: Fraction = Fraction(1)
    near: str = ""


@dataclass(frozen=True, eq=False)
class Observation:
    """What training shows of a setting, and what that says of each test length.

    Args:
        support: of padded numbers, which addresses were constant and what was shown together.
        keeps: a model is expected to keep what was constant: to compute f^.
        constants: by test length, what is said of digits at constant addresses; of natural lengths
            only where training is a file that has their shapes.
        shown: the test lengths of whose inputs training shows every view.
        at: of natural lengths, by test length, the digits that are found and those that are not.
        addresses: at which training shows digits, where those are compared.
        stops: longer interleaved inputs have digits at indices that training never showed.
        steps: what was found out so far.
        why_not: why views or addresses are not compared that might be.
    """

    setting: Setting
    support: Support
    keeps: bool = False
    constants: dict[int, Constants] = field(default_factory=dict)
    shown: frozenset[int] = frozenset()
    at: dict[int, AtLength] = field(default_factory=dict)
    addresses: AddressObservation | None = None
    stops: bool = False
    steps: tuple[Step, ...] = ()
    why_not: str = ""
    _found: dict[int, LengthPrediction | None] = field(default_factory=dict, repr=False)

    @property
    def learned(self) -> LearnedFunction:
        """f^: the task of what a model reads."""
        return LearnedFunction(self.support)

    def direction(self, digits: int) -> Direction:
        """Where a test length lies, as seen from the trained ones."""
        return self.setting.train.direction(digits)

    def findings(self, digits: int) -> list[Finding]:
        """Of natural lengths, what is found in each shape; empty where shapes do not decide."""
        decides = digits in self.at and digits not in self.constants
        return (self.at[digits].findings if decides else None) or []

    def expected(self, digits: int) -> LengthPrediction | None:
        """What follows if a model computes f^, of padded numbers; None where that is not said."""
        how = self.constants.get(digits)
        if how is None:
            return None
        if digits not in self._found:
            says = how.unchanged and how.computes is not Computes.RIGHT
            test = self.setting.test(digits)
            self._found[digits] = expected(self.learned, test, how) if says else None
        found = self._found[digits]
        if found and how.unshown and not (how.measured or found.proved):
            return None  # what is not proved is not said where training lacks some view
        return found


@dataclass(frozen=True)
class Theorem:
    """A statement on what a model answers, with what it presupposes.

    Args:
        basis: whether it is proved, or observed of models.
        source: where the proof or the evidence is.
        apply: what it says of a test length of a setting; None where it does not apply.
        rules: the names of those that say when it applies, and what follows.
    """

    name: str
    statement: str
    premises: str
    basis: Basis
    source: str
    apply: Callable[[Observation, int], LengthPrediction | None]
    rules: tuple[str, ...] = ()


def equal_views(observed: Observation, digits: int) -> LengthPrediction | None:
    """Each view of the test occurs in training."""
    findings = observed.findings(digits)
    every = bool(findings) and all(x.trained for x in findings)
    if every or observed.setting.is_premise(digits) or digits in observed.shown:
        return right(digits, observed.direction(digits), EQUAL_VIEWS)
    return _expected(observed, digits, EQUAL_VIEWS)


def constants_stay(observed: Observation, digits: int) -> LengthPrediction | None:
    """Digits at constant addresses are others, and the model answers as if they were not."""
    return _expected(observed, digits, CONSTANTS)


def shown_apart(observed: Observation, digits: int) -> LengthPrediction | None:
    """Each digit was shown at its address, not together, and only one rule fits them all."""
    findings = observed.findings(digits)
    if findings and all(x.right for x in findings):
        every = right(digits, observed.direction(digits), APART)
        return replace(every, premises=(Premise.STABLE,))
    return _expected(observed, digits, APART)


def _expected(observed: Observation, digits: int, theorem: str) -> LengthPrediction | None:
    """What follows of padded numbers, if it is this theorem that decides first."""
    found = observed.expected(digits)
    return found if found and found.because[:1] == (theorem,) else None


def not_found(observed: Observation, digits: int) -> LengthPrediction | None:
    """A digit that counts stands at an address where training never showed it."""
    at_most, local = Fraction(1), False
    if observed.stops and observed.direction(digits) == Direction.UPWARD:
        at_most = interleaved_bound(observed.setting, digits)
    if digits in observed.at and not observed.at[digits].near:
        at_most, local = observed.at[digits].at_most, is_local(observed.setting)
    if at_most == 1:
        return None
    return replace(
        undecided(digits, observed.direction(digits)),
        at_most=at_most,
        because=(NOT_FOUND,),
        premises=(Premise.LOCALITY,) * local,
    )


THEOREMS = (
    Theorem(
        EQUAL_VIEWS,
        "A view that occurs in training is answered as in training.",
        "right on all of training",
        Basis.PROVED,
        "a model is a function of views: docs/proofs.md",
        equal_views,
        ("receptive field", "out of sight", "operations"),
    ),
    Theorem(
        CONSTANTS,
        "If noise at addresses that always held one digit changes no answer, a view is answered as "
        "if they still held it: the model computes f^.  If noise changes some, a stable model goes "
        "on by its digit rule.",
        "right on training; what noise at constant addresses does; stable at that length, which "
        "has to be measured where addresses share parameters",
        Basis.OBSERVED,
        "docs/ignored-digits.md",
        constants_stay,
        (
            *("support", "noise invariance", "stability", "one candidate", "two candidates"),
            *("landmark", "position", "selection", "neighbours", "shared parameters", "blind"),
            *("base aligned", "residual modulus", "modulus out of reach", "count"),
        ),
    ),
    Theorem(
        APART,
        "If the digits of a view were all shown at their addresses, but not together, the answer "
        "is the one on which all functions of the task's kind that fit training agree.",
        "right on training; stable at that length",
        Basis.OBSERVED,
        "docs/findings.md (Shorter inputs), docs/addresses.md",
        shown_apart,
        ("joint support", "stability", "numbered digits", "hints", "end", "lengths together"),
    ),
    Theorem(
        NOT_FOUND,
        "If a view needs a digit at an address where training never showed it, the answer is right "
        "no more often than the best guess without that digit.  Of sums and differences each "
        "result digit is guessed by itself.",
        "right on training; addresses are learned, and not computed; where chances multiply, no "
        "query uses a digit that a later query cannot find",
        Basis.OBSERVED,
        "docs/addresses.md",
        not_found,
        ("address", "neighbours", "spaces", "random positions", "other format"),
    ),
)
"""In the order in which they are asked: the first that applies decides a length."""


def conclude(observed: Observation, digits: int) -> LengthPrediction:
    """What the theorems say of a test length."""
    applied = (theorem.apply(observed, digits) for theorem in THEOREMS)
    return next(filter(None, applied), None) or _open(observed, digits)


def _open(observed: Observation, digits: int) -> LengthPrediction:
    """That nothing follows at a length, with what is known of it all the same."""
    at = observed.at.get(digits)
    counted = at is None or at.findings is not None
    found = observed.expected(digits)
    return found or undecided(digits, observed.direction(digits), counted)


# --- what training shows ----------------------------------------------------------------


def observe(setting: Setting) -> Observation:
    """What training shows of a setting."""
    shown = support(setting.task, setting.train, setting.base)
    if setting.natural:
        with budget(4 * PART):
            return (_interleaved if setting.layout.interleaved else _natural)(setting, shown)
    if setting.test_layout and (where := _moved(setting, setting.test_layout)):
        what = f"tests are written in the {setting.test_layout.text}: {where}"
        step = cite("other format", what, setting.test_lengths, leaves_open=True)
        return Observation(
            setting, shown, constants=dict.fromkeys(setting.test_lengths, UNKNOWN), steps=(step,)
        )
    with budget(PART):
        how, steps, keeps = constants(setting, shown)
    whole = frozenset(n for n, x in how.items() if x.computes is Computes.RIGHT)
    return Observation(setting, shown, keeps, how, shown=whole, steps=steps)


def _moved(setting: Setting, test: Layout) -> str:
    """Where padded tests have digits that training has elsewhere; empty if they read the same."""
    operands = (setting.operand_width,) * setting.task.operands
    trained, tested = (x.tokens(operands, setting.result_digits) for x in (setting.layout, test))
    if trained[: len(trained) - setting.layout.end] == tested[: len(tested) - test.end]:
        return ""
    there, then = (_units(tokens, setting.encoding.reference) for tokens in (tested, trained))
    if there == then:
        return "the digits stand at the same addresses, among other signs"
    at = f"the query of the units has digit 1 of {setting.task.names[0]} "
    return f"{at}{there}, and in training {then}"


def _units(tokens: Sequence[Token], reference: str) -> str:
    """The address of the first operand's units for the query of the result's, in words."""
    index = indices(tuple(tokens))
    query, key = index[RESULT, 1] - 1, index[0, 1]
    is_offset = reference in ("relative", "none")
    return f"at offset {query - key}" if is_offset else f"from position {query} at position {key}"


def _interleaved(setting: Setting, shown: Support) -> Observation:
    """Interleaved numbers of natural length: contexts, or indices that were never trained."""
    views, steps = shown_views(setting)
    task, train = setting.task, setting.train
    learned = setting.encoding.own_positions and task.has_finite_carry and not task.needs_order
    is_whole = train.pairs is None and train.every_digit and not setting.test_allowed
    error = None if steps else uncompared(setting)
    return Observation(
        setting,
        shown,
        shown=views,
        stops=learned and is_whole,
        steps=steps,
        why_not=str(error or ""),
    )


def _natural(setting: Setting, shown: Support) -> Observation:
    """Numbers of natural length one after the other: what is found at each length."""
    tests = setting.untrained
    if not tests or setting.train.pairs is not None or not setting.train.every_digit:
        return Observation(setting, shown)
    try:
        addresses = AddressObservation(setting)
    except NotCountable as error:
        return Observation(setting, shown, why_not=str(error))
    at = {n: _at_length(addresses, n) for n in tests}
    known = {n for n, x in at.items() if x.findings and all(y.trained for y in x.findings)}
    # Of the shapes of a file not all inputs are shown, so there digits count as of padded numbers.
    listed = dict.fromkeys(known if setting.train.limit is not None else (), KEPT)
    return Observation(setting, shown, constants=listed, at=at, addresses=addresses)


def _at_length(addresses: AddressObservation, digits: int) -> AtLength:
    """What is found at a length, by its shapes."""
    setting, test = addresses.setting, addresses.setting.test(digits)
    try:
        findings = addresses.find(test)
    except NotCountable:
        return AtLength()
    if setting.test_allowed or all(x.right for x in findings):  # bounds are those of all digits
        return AtLength(findings)
    encoding = setting.encoding
    at_most = most_right(setting, test, findings, is_local(setting))
    if at_most == 1:
        return AtLength(findings)
    longest = setting.train.every_length[-1]
    if encoding.selection != "any":
        always = [x.always() for x in findings]
        surely = most_right(setting, test, always)
        if surely == 1 or digits <= longest + longest // NEAR:
            like = (
                "an address that training never showed is like those beside it, up to one digit up "
                f"in {NEAR} trained"
            )
            return AtLength(findings, near=like)
        at_most, findings = surely, always
    if not encoding.own_positions and _counts_beside_signs(setting, longest):
        sign = "digits may be found by the sign beside their number, no farther than in training"
        return AtLength(findings, near=sign)
    return AtLength(findings, at_most)


def is_local(setting: Setting) -> bool:
    """Whether no query is expected to depend on a digit that a later query lacks.

    That was tested for sums and differences, where queries can single out an address.
    """
    task, encoding = setting.task, setting.encoding
    is_sharp = encoding.selection == "any" and not encoding.merged_from
    is_sum = task.is_linear and task.operands > 1 and task.modulus is None
    is_plain = is_sum and {abs(c) for c in task.coefficients} == {1}
    return is_sharp and is_plain and not setting.window


def _counts_beside_signs(setting: Setting, longest: int) -> bool:
    """Whether each digit that counts stands as far from a sign as in training: the lowest ones."""
    p = setting.task.modulus
    k = None if p is None else base_aligned(p, setting.base)
    return setting.layout.marked and k is not None and k <= longest
