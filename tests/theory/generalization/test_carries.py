"""Carries of a task, and which digits they couple."""

from __future__ import annotations

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import named_task
from arith.theory.observation.joint_support import carry_range, interactions
from arith.theory.observation.support import Support


def test_a_built_in_borrow_couples_what_stands_above_it() -> None:
    task = parse_task("3*a - b")
    shown = Support(task, Domain((2,), "every", allowed=((1, (9,)),)), 10)  # 3 * 9 - 9 is 18
    assert carry_range(shown, 2) == (1, 1)
    assert frozenset({(0, 2), (1, 2)}) in interactions(shown)


def test_an_order_that_rules_a_carry_out_is_not_taken_for_one_that_varied() -> None:
    """Of one digit 2, 2 the difference borrows nothing if the tens are equal."""
    task = named_task("sub")
    equal = Support(task, Domain((2,), "every", allowed=((2, (2,)),)), 10)
    assert carry_range(equal, 2) is None
    free = Support(task, Domain((2,)), 10)
    assert carry_range(free, 2) == (-1, 0)


def test_a_carry_of_a_product_is_known_by_examples_only() -> None:
    task = parse_task("(a*b - 3*a*a + 9*b) % 100")
    shown = Support(task, Domain((2,)), 10)
    carry = carry_range(shown, 2)
    assert carry is not None
    assert carry[0] < carry[1]
