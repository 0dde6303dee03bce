"""The rules of the theory: each with its statement, what it presupposes, and its source.

Derivations cite these by name; ``P`` is Xu, Zhao, Zhang, Yang, arXiv 2407.17963
(ACL 2025), ``E`` is Xu et al., arXiv 2308.08268.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A citable statement."""

    name: str
    statement: str
    source: str


_P = "arXiv 2407.17963"
_ABBE = "ours, after Abbe et al., Generalization on the Unseen (arXiv 2301.13105)"

RULES: dict[str, Rule] = {
    r.name: r
    for r in (
        Rule(
            "convergence",
            "The theory speaks of a model that has converged: it is right on held-out inputs of the "
            "lengths it was trained on.",
            _P,
        ),
        Rule(
            "support",
            "A position that showed a single digit in training is ignored, as if that digit stood "
            "there; a position that showed several is read.  For D_n this is f(a mod B^n, b mod B^n).",
            f"{_P} (learned function), arXiv 2308.08268 (equivalence generalization); {_ABBE}",
        ),
        Rule(
            "joint support",
            "A combination of digits never seen together is fixed by what was seen when it equals a "
            "seen one up to digits equivalent modulo p, or when the task is digit causal and no term "
            "multiplies those digits; otherwise nothing follows.",
            _ABBE,
        ),
        Rule(
            "base aligned",
            "If p divides a power B^k of the base, digits above position k do not change the result "
            "modulo p; training on n >= k digits then loses nothing.",
            f"{_P}, theorems on modular addition and multiplication",
        ),
        Rule(
            "residual modulus",
            "Otherwise the digits above n matter modulo p' = p / gcd(p, B^n), and the accuracy is the "
            "probability that they contribute 0.",
            f"{_P}; the count is ours",
        ),
        Rule(
            "continuation",
            "Under a relative encoding a rule of finite carry, whose digits stand at constant offsets "
            "inside the window, is applied at every length, provided that some trained position showed "
            "the whole rule with no landmark in direct view.",
            f"{_P} (addition, RPE), with the premise about landmarks ours",
        ),
        Rule(
            "landmark",
            "With an anchor in view the training data fit two rules: go on, or write what was always "
            "there beyond the trained positions.  Where the two differ nothing follows.",
            "ours",
        ),
        Rule(
            "one candidate",
            "Where no local rule could be continued (the task has no finite carry, or the digits stand "
            "at changing offsets), an encoding with a parameter per offset leaves only the support "
            "rule, provided that no offset is shared (see there).",
            "ours",
        ),
        Rule(
            "shared offset",
            "If one query has to read at an offset at which another has to ignore a digit that never "
            "varied, a parameter per offset cannot switch that digit off, and nothing follows.",
            "ours; seen in (a + b) mod 101 with RPE, whose answers follow the support rule in part",
        ),
        Rule(
            "formula",
            "An encoding by a formula ties positions together: one that carried no information in "
            "training cannot be switched off by itself, so the support rule does not follow.",
            "ours",
        ),
        Rule(
            "out of sight",
            "A query cannot be changed by digits that the causal mask or the window hides from it.",
            "the causal mask",
        ),
        Rule(
            "blind",
            "A result digit needs digits that its query cannot see in one look; nothing is predicted.",
            "ours",
        ),
    )
}
"""Every rule, by name."""
