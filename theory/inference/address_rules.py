"""The rules on numbers of natural length: where a query finds a digit (``docs/addresses.md``)."""

from __future__ import annotations

from arith.theory.inference.rule import CONVERGED, Basis, Rule

ADDRESS_RULES = (
    Rule(
        "address",
        "a digit where training never showed it is not found",
        "In numbers of natural length a query finds a digit by its address: a pair of "
        "indices, an offset, or a difference of numbers.  At an address where training never "
        "showed the digit to that query it is not found, and the answer does not depend on "
        "it.  Then the model is right no more often than the best guess without it.",
        f"{CONVERGED}; numbers of natural length; an address is learned, and not computed",
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
        "example in a million, and no one rule finds the digits, each address was shown, but "
        "which is the right one was not.",
        "numbers of natural length",
        "ours: docs/addresses.md",
        Basis.OPEN,
    ),
    Rule(
        "random positions",
        "indices drawn anew say nothing of a digit",
        "Where the indices of an example's tokens are a sorted random subset, none is new in "
        "longer inputs, and none tells one digit from another, or which token follows a "
        "marker.  Nothing follows but what was trained, unless by the rule receptive field.",
        "random positions, learned or by offsets",
        "ours: docs/addresses.md",
        Basis.OPEN,
    ),
    Rule(
        "numbered digits",
        "digits found by their numbers: the rule goes on",
        "Under an encoding by significance a rule of finite carry goes on if each digit that "
        "it reads has one difference of numbers to its query in all of training, no more "
        "numbers stand in one example than stood together in training, and training shows "
        "every case of the rule: which digits exist, and which are the highest of their "
        "number.  Of numbers further apart than any in training no query learned to tell its "
        "digit.",
        f"{CONVERGED}; numbers of natural length; the result least significant first; the "
        "sign before the result counts as number 0",
        "ours, a premise: docs/addresses.md",
        Basis.OBSERVED,
    ),
    Rule(
        "hints",
        "a marker before a digit lets queries find it",
        "A query finds a digit by the marker before it, at any index or offset that training "
        "showed.  Beyond them nothing follows: what the encoding adds there was never trained.",
        f"{CONVERGED}; an encoding that can single out the token after the marker; markers "
        "that stood together in training",
        "ours, a premise: docs/addresses.md",
        Basis.OBSERVED,
    ),
    Rule(
        "end",
        "a result ends where no digit and no carry is left",
        "A model that has learned the digit rule ends the result where no operand has a digit "
        "left and the carry is 0: it finds that by the addresses of those digits, and needs "
        "no others.",
        f"{CONVERGED}; training on several lengths, so that results end at several places; an "
        "end was shown after each number of digits",
        "ours, a premise: docs/addresses.md",
        Basis.OBSERVED,
    ),
)
"""In the order in which ``arith theorems`` lists them."""
