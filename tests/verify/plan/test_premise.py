"""The premise rests on enough held-out inputs, or is not met."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.cells import cell
from builders.runs import RIGHT, run

from arith.printing import Text, prediction_parts
from arith.theory.arithmetic.domains import Domain
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import Prediction, predict
from arith.verify.data.files import parse_examples
from arith.verify.data.finding import find_setting
from arith.verify.judging.judge import Verdict, exit_code, judge
from arith.verify.plan import inputs
from arith.verify.plan.cells import Cell
from arith.verify.plan.grids import grid
from arith.verify.plan.inputs import held_out_count, held_out_inputs, unjudged
from arith.verify.plan.plan import Plan
from arith.verify.plan.premise import CONFIDENCE, NEEDED, PREMISE, SURE, is_met, lower_bound


def unfolded(prediction: Prediction) -> str:
    """What ``arith predict`` prints, a line for each text."""
    return "\n".join(x.text for x in prediction_parts(prediction) if isinstance(x, Text))


def small(base: int, digits: int, modulus: int | None = None) -> Cell:
    tests = (digits, digits + 1)
    name = "add" if modulus is None else "mod_add"
    return cell(name, modulus, base=base, digits=digits, test_lengths=tests)


@pytest.mark.parametrize(("right", "inputs"), [(2, 2), (59, 59), (99, 100), (1990, 2000)])
def test_the_bound_is_that_of_clopper_and_pearson(right: int, inputs: int) -> None:
    from scipy.stats import beta, binom  # slow to import

    found = lower_bound(right, inputs)
    assert found == pytest.approx(beta.ppf(1 - CONFIDENCE, right, inputs - right + 1))
    # A model as bad as the bound would do so well one time in twenty.
    assert binom.sf(right - 1, inputs, found) == pytest.approx(1 - CONFIDENCE)


def test_59_held_out_inputs_are_needed() -> None:
    assert NEEDED == 59 and lower_bound(59, 59) >= SURE > lower_bound(58, 58)
    assert is_met(1.0, 59) and not is_met(1.0, 58)
    assert SURE**59 < 1 - CONFIDENCE < SURE**58  # none of 59 would be wrong by luck


def test_nothing_is_noted_where_enough_is_held_out() -> None:
    assert Plan([cell(digits=3)]).notes() == []


def test_a_point_below_the_premise_is_not_enough_however_many_inputs() -> None:
    assert is_met(PREMISE, 2000)
    assert not is_met(PREMISE - 0.001, 100_000)


@pytest.mark.parametrize(("base", "digits", "modulus"), [(16, 1, 7), (2, 3, None), (3, 3, None)])
def test_a_domain_too_small_to_hold_enough_out_is_inconclusive(
    base: int, digits: int, modulus: int | None
) -> None:
    c = small(base, digits, modulus)
    count = held_out_count(c) // 2  # sums: two operands that can change places
    assert 0 < count < 59
    found = judge(c, [replace(run(c, {digits: 1, digits + 1: 1}), held_out=held_out_count(c))])
    assert found.verdict == Verdict.INCONCLUSIVE
    assert exit_code([found]) == 3
    few = f"No model can be judged: only {count} independent held-out inputs, 59 needed"
    assert Plan([c]).notes() == [f"{c.label()}: {few} (arith theorems convergence)."]
    assert (
        found.reason
        == f"premise not established: only {count} independent held-out inputs, 59 needed"
    )


def test_several_cells_that_cannot_be_judged_are_one_note() -> None:
    few = [small(2, 3, modulus) for modulus in range(2, 7)]
    for n in (2, 3, 5):
        named = [*[x.label() for x in few[:3]], *["..."] * (n > 3)][:n]
        [note] = Plan([cell(digits=3), *few[:n]]).notes()
        assert note == (
            f"No model of {n} of {n + 1} cells can be judged, as too few inputs are held out "
            f"(arith theorems convergence): {'; '.join(named)}"
        )


def test_what_verify_notes_before_training_a_prediction_says_too() -> None:
    c = small(2, 3)
    assert f"{unjudged(c)}\n" in f"{unfolded(predict(c.setting))}\n"
    assert "judged" not in unfolded(predict(cell(digits=3).setting))


def test_the_examples_of_a_file_are_not_split_by_us() -> None:
    lines = "".join(f"{a}+{b}={a + b}\n" for a in range(10, 16) for b in range(10, 15))
    found = find_setting(parse_examples(lines.encode(), "the file"), {})
    assert unjudged(Cell(found.setting, "nano"))
    assert "judged" not in unfolded(predict(found.setting))


def test_why_a_cell_is_inconclusive() -> None:
    c = cell(digits=3)
    assert judge(c, []).reason == "not trained"
    poor = replace(run(c, RIGHT, premise=0.434), steps=6000, budget=6000)
    worse = replace(poor, seed=1, premise=0.1)
    assert judge(c, [worse, poor]).reason == (
        "not converged: 0.434 of held-out inputs after 6000 of 6000 steps; try --budget 18000"
    )
    found = judge(c, [poor, run(c, RIGHT, seed=2)])
    assert (found.verdict, found.reason) == (Verdict.AGREE, "")


def test_tasks_that_are_defined_on_the_same_inputs_share_their_count() -> None:
    cells = [cell("mod_add", p) for p in range(2, 22)]
    before = inputs._held_out.cache_info().misses
    counts = {held_out_count(c) for c in cells}
    assert len(counts) == 1 and inputs._held_out.cache_info().misses <= before + 1


def test_held_out_inputs_are_counted_without_drawing_them() -> None:
    cells = [small(2, 3), small(4, 3), *grid("smoke")]
    for c in [*cells, cell(train=Domain((2,), "every"))]:
        assert held_out_count(c) == sum(map(len, held_out_inputs(c)))


def test_a_domain_that_holds_nothing_out_is_refused() -> None:
    c = small(2, 1)
    assert held_out_count(c) == 0
    with pytest.raises(InvalidInput, match="no input can be held out"):
        held_out_inputs(c)
