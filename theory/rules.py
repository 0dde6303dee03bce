"""The rules of the theory: each with its statement, what it presupposes, and its source.

Derivations cite them by name.  A rule of ours says where its evidence is told and counted.

May import: arith.theory.setting and below.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from arith.theory.arithmetic.lengths_text import lengths_text

THEORY_VERSION = "43"
"""Changes whenever a prediction does: what is predicted before a training says what made it."""
CONVERGED = "the model has converged"
"""The first premise of nearly every rule."""


class Basis(StrEnum):
    """Why a rule is believed."""

    PREMISE = "premise"
    """It is what the theory presupposes of a model; each model is tested for it."""
    PROVED = "proved"
    """It follows from its premises by mathematics."""
    OBSERVED = "observed"
    """It says what trained models come to do, which no training data decide."""
    OPEN = "open"
    """It says where nothing follows, and claims nothing."""


@dataclass(frozen=True)
class Rule:
    """A citable statement.

    Args:
        summary: what it says in at most 55 characters, for lists.
        premises: what has to hold for it to apply.
        source: who published it, or "ours" and where the evidence is told and counted.
        basis: why it is believed.
    """

    name: str
    summary: str
    statement: str
    premises: str
    source: str
    basis: Basis


_XU = "Xu et al. 2024, arXiv 2407.17963"
_ABBE = "Abbe et al. 2023, arXiv 2301.13105"
_LEAPS = "Abbe, Boix-Adserà and Misiakiewicz 2023, arXiv 2302.11055"


def _findings(section: str, report: str = "full") -> str:
    return f"docs/findings.md ({section}), reports/{report} (Theorems and rules)"


_RULES = (
    Rule(
        "convergence",
        "right on held-out inputs: right on the trained lengths",
        "A model that is right on held-out inputs of its training domain is right on that domain.",
        "held-out accuracy in domain of at least 0.99 (the threshold is ours)",
        _XU,
        Basis.PREMISE,
    ),
    Rule(
        "sample",
        "too few examples may lack digits; then nothing follows",
        "A small set of operand tuples may lack digits that its domain has.  A model does not "
        "learn what it is not shown.  So nothing follows for other inputs.",
        "training on a drawn set of tuples, which lacks a digit with a chance of 0.001 or more",
        "ours, from the rule support and a union bound",
        Basis.OPEN,
    ),
    Rule(
        "support",
        "a place that showed one digit only is ignored",
        "Where no rule on encodings says otherwise, a place that had one digit in all of training "
        "is ignored, as if it always had that digit.  A place that had several is read.  For D_n "
        "the expected function is f(a mod B^n, b mod B^n).",
        f"{CONVERGED}, is noise-invariant (noise invariance) and stable (stability)",
        f"{_XU}, 2308.08268; for other domains ours, after {_ABBE}",
        Basis.OBSERVED,
    ),
    Rule(
        "noise invariance",
        "that a model ignores a digit can be measured",
        "A model that ignores a digit is invariant to noise there, and that can be measured on "
        "inputs of the trained lengths.  Models meet it if training mixes other tokens into each "
        "token (token noise).",
        "with half of another token's vector in all digits at once that are said to be ignored at "
        "least 0.99 of the answers in domain stay (the threshold is ours)",
        "ours: docs/ignored-digits.md",
        Basis.PREMISE,
    ),
    Rule(
        "joint support",
        "digits never shown together: when the answer is fixed",
        "For digits that were never shown together training fixes the answer in three cases.  It "
        "showed together others that count alike modulo p (digits that, each times its power of "
        "the base and its coefficient, are congruent), and inputs that differ in one such digit "
        "only.  Or the digits are only added: the task is digit causal, none of its terms "
        "multiplies one of them by another, the carry into their place varied or was always 0 (one "
        "that was always there is learned as a part of the sum), more combinations were shown than "
        "a sum has free numbers (of two values each, three pairs show no adding), and those that "
        "were shown hang together: if 0 stood beside 0 only, what 0 does beside 7 is open.  Or the "
        "digit can change nothing, as hundreds modulo 10.  Otherwise the answer is open.  Where "
        "some inputs are open and others are not, the accuracy is at least the share of those "
        "others that f^ gets right, and at most that and the open share.",
        f"{CONVERGED} and is stable at that length (stability); each of these is decided (what is "
        "not decided counts as interaction)",
        f"ours, an observation: the least-degree interpolator ({_ABBE}) does not give it; "
        f"{_findings('Shorter inputs')}",
        Basis.OBSERVED,
    ),
    Rule(
        "stability",
        "that an answer is firm can be measured",
        "It is asked in two cases.  To digits that training never showed together a model may have "
        "no firm answer: which one it gives differs from model to model, and changes when its "
        "digits are disturbed a little.  Where ignored digits leak into the answer, it changes as "
        "well.  Both can be measured without knowing what is right.  The disturbance is weak: "
        "where leaks were seen, up to seven times as many answers were wrong as changed by it.",
        "with a tenth of another digit's vector in every operand digit, at least 0.99 of the "
        "answers at that length stay, less the share of those that training leaves open; 0.998 "
        "where a rule asks that it was seen (share and thresholds are ours)",
        f"ours; {_findings('Shorter inputs')}, and docs/ignored-digits.md",
        Basis.PREMISE,
    ),
    Rule(
        "base aligned",
        "p divides B^k: only the lowest k digits matter",
        "If p divides a power B^k of the base, digits above place k do not change the result "
        "modulo p.  So a model that reads the lowest k digits, and ignores all others, can be "
        "right on longer inputs.",
        "those of the rules that say which digits are ignored (support), and which digits that "
        "never stood together are answered (joint support)",
        _XU,
        Basis.PROVED,
    ),
    Rule(
        "modulus out of reach",
        "no answer reaches p: as without it",
        "If no sum of the operands' terms reaches p, nothing is ever reduced, and the task is the "
        "one without the modulus.",
        "no negative coefficient; operands as long as those that are written",
        "ours: by definition",
        Basis.PROVED,
    ),
    Rule(
        "residual modulus",
        "otherwise higher digits matter modulo p / gcd(p, B^n)",
        "If p does not divide B^n, the digits above place n matter modulo p' = p / gcd(p, B^n).  A "
        "model that ignores them is right where what they add to the result, in units of B^n, is 0 "
        "modulo p'; and if the result is divided by a number that does not divide B^n, on some "
        "other inputs as well.",
        "those of the rule that says that they are ignored (support)",
        f"{_XU}; the count is ours",
        Basis.PROVED,
    ),
    Rule(
        "receptive field",
        "what no query can see changes no answer",
        "In a model of L layers under a window of W tokens an answer depends on the last L (W - 1) "
        "+ 1 tokens alone, its context.  If training shows every context that a test asks for, a "
        "model that is right on all of training is right on the test.  If it lacks some, no other "
        "rule says that a model is right there, unless it was measured to be stable.",
        "the number of layers is given; a relative encoding or none, or random positions "
        "(docs/proofs.md); a task of finite carry; fresh examples; right on all of training",
        "ours, proved in docs/proofs.md",
        Basis.PROVED,
    ),
    Rule(
        "landmark",
        "a landmark in view: the rule may stop, or go on",
        "If a trained query can see a landmark, by itself or through deeper layers, the training "
        "data fit two rules: apply the digit rule at every place, or tell the place by the "
        "landmark and write above the trained places what always stood there (mostly 0).  Unless "
        "training shows every context (receptive field), noise tells of stable models which they "
        "follow (two candidates).  Where the number of layers is left open, layers may pass on the "
        "whole prefix.",
        "a relative encoding, or one by significance",
        f"ours; {_findings('Longer inputs')}",
        Basis.OPEN,
    ),
    Rule(
        "position",
        "no encoding: stops if what it sees tells the position",
        "A model without an encoding finds its digits by all that its layers let it see, its "
        "receptive field.  If one layer less has a landmark in its receptive field at every result "
        "digit that varies in training, the last layer reads digits knowing its position, and the "
        "model is right on longer inputs no more often than the expected function.  Otherwise "
        "nothing follows but what training shows every context of (receptive field).",
        f"{CONVERGED}; no encoding, a window, the number of layers; a task of finite carry",
        f"ours; {_findings('Longer inputs', 'relative')}",
        Basis.OBSERVED,
    ),
    Rule(
        "selection",
        "the encoding has to let a query find its digits",
        "A rule goes on only where queries can find its digits: under an encoding that can single "
        "out any offset, or under one that learns the order of the digits if the window holds no "
        "others.  Elsewhere noise tells of stable models what they compute (two candidates).  In a "
        "layout without signs (bare) a model may go by the digits themselves, and without an "
        "encoding nothing follows but what was trained.",
        "a function of the offset that changes little from one to the next, learned (FIRE) or "
        "fixed (ALiBi), or no encoding",
        f"ours; {_findings('Longer inputs')}",
        Basis.OPEN,
    ),
    Rule(
        "one candidate",
        "without a digit rule only the rule support is left",
        "If the task has no finite carry (products, modular tasks), or its digits stand at "
        "changing offsets, no digit rule can go on to longer inputs.  One candidate is left for "
        "what a model does there: to ignore what the rule support says.",
        f"{CONVERGED}, is noise-invariant (noise invariance) and stable (stability); under some "
        "encodings it has to have been measured to be stable (neighbours, shared parameters)",
        f"ours; {_findings('Longer inputs')}",
        Basis.OBSERVED,
    ),
    Rule(
        "two candidates",
        "f or f^: noise tells which stable models compute",
        "Where training fits the task f (the digit rule goes on) as well as the expected function "
        "f^ (digits that were constant in training stay as they were), a model that was measured "
        "to be stable computes one of the two.  It computes f^ if noise at constant addresses "
        "changes none of its answers, and f if it changes some.  Models are usually trained with "
        "noise by place, which brings the first about; in a window where one rule should go on "
        "they are not, which brings the second.  Without an encoding, and where training lacks a "
        "part of the digit rule, nothing is claimed, and both accuracies are named: 1 or c, the "
        "share on which f^ is right.",
        f"{CONVERGED}, and was measured to be stable at that length (stability: 0.998 of the "
        "answers stay); noise invariance for f^, its contrary for f (more than 0.01 of the answers "
        "change); a task of finite carry; an encoding that does not draw positions at random; "
        "every digit that is needed is seen (blind)",
        f"ours, found after the fact; {_findings('Two candidates')} has what it was seen on, and "
        "the test on cells that were predicted before",
        Basis.OBSERVED,
    ),
    Rule(
        "neighbours",
        "positions by a formula are like their neighbours",
        "Where positions come from a formula or a random start, neighbours are alike, and a model "
        "that keeps its answers under noise may still read what stands at an ignored place.  So "
        "the rule 'support' speaks only of models that were measured to be stable at the length in "
        "question.  Numbers of natural length: it does not follow that a digit beyond the trained "
        "positions is not found, where it stands as near to its query as ever; where no query can "
        "single out an offset and numbers are longer by a sixth at most; or where all digits that "
        "count stand as far from a sign as in training, under every encoding but absolute "
        "positions that are learned one by one.",
        f"{CONVERGED}, is noise-invariant (noise invariance) and stable (stability); absolute "
        "positions that are not learned one by one, positions by significance, or a fixed or "
        "smooth function of the offset, or none; signs: every encoding but APE",
        f"ours; {_findings('Longer inputs', 'relative')}",
        Basis.OBSERVED,
    ),
    Rule(
        "shared parameters",
        "where positions share parameters small leaks add up",
        "Where positions share parameters (relative encodings, or none), each ignored digit that "
        "differs from training shifts the answer a little, and the shifts add up.  So where more "
        "than one ignored digit of an operand differs the rule 'support' speaks only of models "
        "that were measured to be stable at that length.",
        f"{CONVERGED}, is noise-invariant (noise invariance) and stable (stability)",
        f"ours; {_findings('Longer inputs', 'relative')}",
        Basis.OBSERVED,
    ),
    Rule(
        "out of sight",
        "what the causal mask hides changes nothing",
        "Digits that the causal mask hides from a query cannot change it.",
        "none",
        "ours: what a causal mask is",
        Basis.PROVED,
    ),
    Rule(
        "plateau",
        "what a model knows that has not learned its task",
        "A model of a modular task that reads only the lowest k digits of each operand can do no "
        "better than give every combination of them its most frequent result.  Sums are learned in "
        "these steps, and training can stand still on each of them.  Products mostly pass through "
        "without standing still.",
        "the premise is not met; the task wraps",
        f"ours; {_findings('Plateaus')}",
        Basis.OBSERVED,
    ),
    Rule(
        "leap",
        "one or two digits at a time are learned soon",
        "A task is learned soon (right on 0.9 within 1,000 steps) if it can be put together from "
        "one or two operand digits at a time, so that each step corrects at least a tenth of the "
        "errors that the best guess before it makes in a result digit.  Other tasks may take long.",
        "a learned vector per position; no noise until the task is learned",
        f"ours, after {_LEAPS}; {_findings('How soon')}",
        Basis.OBSERVED,
    ),
    Rule(
        "count",
        "a share is counted exactly, or not given",
        "A share of the inputs is counted exactly or not given.  Where a count would take too many "
        "steps, an input on which the expected function is wrong still says that its accuracy is "
        "below 1.",
        "none; that a model computes the expected function is the rule support",
        "arithmetic; the number of steps is estimated from the question, never from a clock",
        Basis.PROVED,
    ),
    Rule(
        "operations",
        "the sign says which operation: each as if alone",
        "Of several operations a view that holds the sign between the operands occurs in training "
        "only where the same one is asked for.  So a model answers each as one that is trained on "
        "it alone, and its accuracy is the mean over the inputs of all.",
        "signs between the operands; every query sees one of them",
        "ours: docs/proofs.md (Several operations)",
        Basis.PROVED,
    ),
    Rule(
        "blind",
        "a digit that is needed and not seen: nothing follows",
        "If a result digit needs digits outside its query's window, nothing is predicted but what "
        "was trained.",
        "a window",
        "ours; what several layers could pass on is not used",
        Basis.OPEN,
    ),
    Rule(
        "address",
        "a digit where training never showed it is not found",
        "In numbers of natural length a query finds a digit by its address: a pair of positions, "
        "an offset, or a difference of numbers.  At an address where training never showed the "
        "digit to that query it is not found, and the answer does not depend on it.  Then the "
        "model is right no more often than the best guess without it; of sums and differences the "
        "chances of several such digits multiply.",
        f"{CONVERGED}; numbers of natural length; an address is learned, and not computed; where "
        "chances multiply, no query depends on a digit that a later query lacks",
        "ours, a premise: docs/addresses.md",
        Basis.OBSERVED,
    ),
    Rule(
        "spaces",
        "random spaces: at most the mean over their choices",
        "Of random spaces, those choices that put a digit where training never did bound the "
        "accuracy by the rule address, the others by 1; so it is at most the mean.",
        "those of the rule address; an encoding by which a query can single out an address",
        "ours: docs/addresses.md",
        Basis.OBSERVED,
    ),
    Rule(
        "lengths together",
        "lengths never shown together: nothing follows",
        "Where operands have lengths that training never showed together, or in fewer than one "
        "example in a million, and no one rule finds the digits, each address was shown, but which "
        "is the right one was not.",
        "numbers of natural length",
        "ours: docs/addresses.md",
        Basis.OPEN,
    ),
    Rule(
        "other format",
        "tests written otherwise: nothing follows but bounds",
        "Where test examples are written otherwise than those of training, their digits and signs "
        "stand at other addresses.  A digit at an address where training never showed it is not "
        "found (address); of the others nothing follows, unless all that is read before the last "
        "digit of the result is as in training.",
        "a format for tests",
        "ours: docs/addresses.md",
        Basis.OPEN,
    ),
    Rule(
        "random positions",
        "positions drawn anew say nothing of a digit",
        "Where the positions of an example's tokens are a sorted random subset, none is new in "
        "longer inputs, and none tells one digit from another, or which token follows a marker.  "
        "Nothing follows but what was trained, unless by the rule receptive field.",
        "random positions, learned or by offsets",
        "ours: docs/addresses.md",
        Basis.OPEN,
    ),
    Rule(
        "numbered digits",
        "digits found by their numbers: the rule goes on",
        "Under an encoding by significance a rule of finite carry goes on if each digit that it "
        "reads has one difference of numbers to its query in all of training, no more numbers "
        "stand in one example than stood together in training, and training shows every case of "
        "the rule: which digits exist, and which are the highest of their number.  Of numbers "
        "further apart than any in training no query learned to tell its digit.",
        f"{CONVERGED}; numbers of natural length; the result least significant first; the sign "
        "before the result counts as number 0",
        "ours, a premise: docs/addresses.md",
        Basis.OBSERVED,
    ),
    Rule(
        "hints",
        "a marker before a digit lets queries find it",
        "A query finds a digit by the marker before it, at any position or offset that training "
        "showed.  Beyond them nothing follows: what the encoding adds there was never trained.",
        f"{CONVERGED}; an encoding that can single out the token after the marker; markers that "
        "stood together in training",
        "ours, a premise: docs/addresses.md",
        Basis.OBSERVED,
    ),
    Rule(
        "end",
        "a result ends where no digit and no carry is left",
        "A model that has learned the digit rule ends the result where no operand has a digit left "
        "and the carry is 0: it finds that by the addresses of those digits, and needs no others.",
        f"{CONVERGED}; training on several lengths, so that results end at several positions; an "
        "end was shown after each number of digits",
        "ours, a premise: docs/addresses.md",
        Basis.OBSERVED,
    ),
)
RULES = {rule.name: rule for rule in _RULES}
"""Every rule, by name."""


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Args:
        lengths: the test lengths of which it decides what is claimed, or why nothing is.
        leaves_open: nothing follows there by it.
    """

    rule: str
    statement: str
    source: str
    lengths: frozenset[int]
    leaves_open: bool = False

    @property
    def basis(self) -> Basis:
        """Why it is believed; a step that leaves open claims nothing, whatever its rule."""
        return Basis.OPEN if self.leaves_open else RULES[self.rule].basis


def cite(
    rule: str, statement: str, lengths: Collection[int] = (), leaves_open: bool = False
) -> Step:
    """The step that applies a rule; its statement becomes a sentence."""
    sentence = statement[0].upper() + statement[1:].removesuffix(".") + "."
    return Step(rule, sentence, RULES[rule].source, frozenset(lengths), leaves_open)


def open_step(rule: str, lengths: Collection[int], why: str) -> Step:
    """That nothing follows at some lengths, and why."""
    what = f"at {lengths_text(sorted(lengths))} nothing follows: {why}"
    return cite(rule, what, lengths, leaves_open=True)
