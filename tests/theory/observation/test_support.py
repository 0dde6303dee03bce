"""Support: what training showed, compared by what it is made of."""

from __future__ import annotations

from builders.strategies import domains, tasks
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.observation.support import Support


def test_equal_questions_have_equal_supports() -> None:
    task = named_task("mod_mul", 125)
    first, second = (Support(named_task("mod_mul", 125), Domain((3,)), 10) for _ in range(2))
    assert first == second and hash(first) == hash(second)
    assert first != Support(task, Domain((2,)), 10)
    assert [first.constant((0, i)) for i in (1, 3, 4)] == [None, None, 0]


@given(tasks(), domains, st.integers(2, 6))
def test_what_is_read_varied_and_what_is_needed_counts(
    task: Task, train: Domain, base: int
) -> None:
    shown = Support(task, train, base)
    assume(shown.boxes)
    for j, i in shown.read:
        assert len(shown.seen[j][i - 1]) > 1
    for digit in set(shown.read) - set(shown.needed):
        assert shown.period(digit) == 1
    for j in range(task.operands):
        n = shown.read_lengths[j]
        value = base ** (shown.width + 1) - 1
        if n is not None:
            assert shown.reduce(j, value) == value % base**n
