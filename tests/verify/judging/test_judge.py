"""Judging: verdicts, intervals and exit codes from made-up measurements."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from builders.cells import cell
from builders.runs import run

from arith.theory.arithmetic.domains import Domain
from arith.theory.prediction.predict import predict
from arith.verify.judging.judge import Verdict, exit_code, judge
from arith.verify.plan.cells import Cell
from arith.verify.records.predicted import Predicted, predicted
from arith.verify.records.runs import Run


def verdicts(c: Cell, *runs: Run) -> list[Verdict]:
    return [x.verdict for x in judge(c, runs).lengths]


def test_agreement() -> None:
    c = cell(digits=3)
    assert verdicts(c, run(c, {1: 1, 2: 0.99, 3: 1, 4: 0.01})) == [
        Verdict.AGREE,
        Verdict.AGREE,
        Verdict.PREMISE,
        Verdict.AGREE,
    ]


@pytest.mark.parametrize("accuracy", [{1: 0.8, 2: 1, 3: 1, 4: 0}, {1: 1, 2: 1, 3: 1, 4: 0.2}])
def test_a_wrong_accuracy_diverges(accuracy: dict[int, float]) -> None:
    c = cell(digits=3)
    found = judge(c, [run(c, accuracy)])
    assert found.verdict == Verdict.DIVERGE
    assert exit_code([found]) == 1


def test_a_learned_function_that_explains_little_diverges() -> None:
    c = cell(digits=3)
    assert verdicts(c, run(c, {1: 1, 2: 1, 3: 1, 4: 0}, learned=0.3))[3] == Verdict.DIVERGE


def test_a_run_without_the_premise_is_never_agreement() -> None:
    c = cell(digits=3)
    bad = run(c, {1: 1, 2: 1, 3: 0.9, 4: 0}, premise=0.9)
    assert set(verdicts(c, bad)) == {Verdict.INCONCLUSIVE}
    assert exit_code([judge(c, [bad])]) == 3
    good = run(c, {1: 1, 2: 1, 3: 1, 4: 0}, seed=1)
    pooled_cell = judge(c, [bad, good])
    assert pooled_cell.verdict == Verdict.AGREE
    assert [r.seed for r in pooled_cell.converged] == [1]
    assert len(pooled_cell.runs) == 2


def test_a_cell_that_was_not_trained_is_inconclusive() -> None:
    assert judge(cell(digits=3), []).verdict == Verdict.INCONCLUSIVE


def test_where_nothing_is_claimed_nothing_is_inconclusive() -> None:
    c = cell(pe="nope", digits=3, test_lengths=(3, 4))
    assert not judge(c, []).prediction.lengths[-1].accuracy
    for runs in ([], [run(c, {3: 0.5, 4: 0}, premise=0.5)]):
        assert verdicts(c, *runs)[-1] == Verdict.UNDETERMINED


def test_a_fraction_asks_for_a_comparison_with_the_learned_function() -> None:
    """Evidence may be older than the f^ of its cell."""
    c = cell("mod_add", 150)
    compared = run(c, {1: 1, 2: 1, 3: 1 / 3}, samples=9000)
    old = [replace(m, learned=None, digit_learned=None) for m in compared.measurements]
    found = judge(c, [replace(compared, measurements=tuple(old))])
    assert found.lengths[2].verdict == Verdict.INCONCLUSIVE
    assert found.reason == "answers were not compared with f^, which theory has now"
    c = cell("mod_add", 100)  # where f^ is right, to be right is to follow it
    compared = run(c, {1: 1, 2: 1, 3: 1})
    old = [replace(m, learned=None, digit_learned=None) for m in compared.measurements]
    assert verdicts(c, replace(compared, measurements=tuple(old)))[2] == Verdict.AGREE


def test_a_share_is_not_rounded_up_to_the_threshold_that_it_missed() -> None:
    c = cell(digits=3)
    assert "not converged: 0.989 of" in judge(c, [run(c, {3: 1}, premise=0.98996)]).reason


def test_no_claim_is_no_agreement() -> None:
    c = cell(pe="rpe", digits=3)
    found = judge(c, [run(c, {1: 1, 2: 1, 3: 1, 4: 0})])
    assert found.lengths[3].verdict == Verdict.UNDETERMINED
    assert found.lengths[3].published == Verdict.DIVERGE  # the theorem says that it generalizes
    assert exit_code([found]) == 0


def test_a_fraction_is_told_from_its_neighbours() -> None:
    c = cell("mod_add", 150)
    expected = judge(c, []).prediction.lengths[2]
    assert expected.accuracy == Fraction(1, 3)
    assert verdicts(c, run(c, {1: 1, 2: 1, 3: 0.335}))[2] == Verdict.AGREE
    assert verdicts(c, run(c, {1: 1, 2: 1, 3: 0.5}))[2] == Verdict.DIVERGE
    assert verdicts(c, run(c, {1: 1, 2: 1, 3: 0.15}))[2] == Verdict.DIVERGE


def test_a_trained_length_tested_on_other_inputs_has_no_theorem() -> None:
    c = cell("mod_add", 50, train=Domain((3,), "every"), test_lengths=(2, 3, 4))
    found = judge(c, [run(c, {2: 1, 3: 1, 4: 1})])
    assert [x.verdict for x in found.lengths] == [Verdict.AGREE] * 3
    assert [x.published for x in found.lengths] == [
        Verdict.AGREE,
        Verdict.UNDETERMINED,
        Verdict.AGREE,
    ]


def test_what_training_leaves_open_bounds_the_accuracy() -> None:
    """Sums of operands of three digits each: 0.19 of the longer ones ask for a first digit of 0."""
    c = cell(digits=3, train=Domain((3,), "every"))
    for measured, verdict in ((0.0, Verdict.AGREE), (0.9, Verdict.DIVERGE)):
        found = judge(c, [run(c, {1: 1, 2: 1, 3: 1, 4: measured})]).lengths[-1]
        assert found.verdict == verdict


def test_what_training_fixes_bounds_the_accuracy_from_below() -> None:
    """In 81 of 100 no tens are 0, as in training; of the hundreds nothing depends."""
    c = cell("mod_add", 100, train=Domain((2,), "every"), test_lengths=(3,))
    shares = {0.5: Verdict.DIVERGE, 0.77: Verdict.DIVERGE, 0.82: Verdict.AGREE, 1.0: Verdict.AGREE}
    for measured, verdict in shares.items():
        assert verdicts(c, run(c, {3: measured})) == [verdict]


def test_a_bound_that_the_premise_implies_is_no_claim() -> None:
    """Of three digits 9/11 are those of the training domain."""
    c = cell(digits=3, train=Domain((3,), "every"), test_lengths=(3,))
    for measured in (0.5, 1.0):
        assert verdicts(c, run(c, {3: measured})) == [Verdict.PREMISE]


@pytest.mark.parametrize(
    ("share", "verdict"),
    [
        (0.333, Verdict.AGREE),
        (0.345, Verdict.AGREE),
        (0.355, Verdict.DIVERGE),  # nearer than .03, but its interval goes from .343 to .368
        (0.312, Verdict.DIVERGE),
    ],
)
def test_equivalence_wants_the_whole_interval_within_the_tolerance(
    share: float, verdict: Verdict
) -> None:
    """Of 1/3, give or take the tolerance of .02 and .01 on which nothing is predicted."""
    c = cell("mod_add", 150)
    assert verdicts(c, run(c, {1: 1, 2: 1, 3: share}, samples=4000))[2] == verdict
    # A share of all there is has no interval.
    known = run(c, {1: 1, 2: 1, 3: share}, samples=4000, exhaustive=True)
    assert verdicts(c, known)[2] == Verdict.AGREE


def test_few_inputs_are_no_equivalence() -> None:
    c = cell("mod_add", 150)
    assert verdicts(c, run(c, {1: 1, 2: 1, 3: 1 / 3}, samples=400))[2] == Verdict.DIVERGE


def test_equivalence_asks_every_model() -> None:
    c = cell(digits=3)
    right, wrong = {1: 1, 2: 1, 3: 1, 4: 0}, {1: 1, 2: 1, 3: 1, 4: 0.03}
    runs = [run(c, right), run(c, right, seed=1), run(c, wrong, seed=2)]
    assert verdicts(c, *runs[:2])[3] == Verdict.AGREE
    assert verdicts(c, *runs)[3] == Verdict.DIVERGE


def test_equivalence_wants_the_learned_function_nearly_always() -> None:
    c = cell(digits=3)
    for learned, verdict in ((0.89, Verdict.DIVERGE), (0.9, Verdict.AGREE)):
        found = verdicts(c, run(c, {1: 1, 2: 1, 3: 1, 4: 0}, learned=learned))
        assert found[3] == verdict


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.99, Verdict.DIVERGE), (0.98, Verdict.DIVERGE), (0.9, Verdict.AGREE)]
)
def test_the_published_no_is_judged_by_the_same_test(share: float, verdict: Verdict) -> None:
    """Sums mod 101: the theorem says that longer inputs are not always right."""
    c = cell("mod_add", 101)
    found = judge(c, [run(c, {1: 1, 2: 1, 3: share})])
    assert found.lengths[2].published == verdict


def test_what_was_predicted_before_is_judged_as_it_was() -> None:
    c = cell(digits=3)
    made = predicted(predict(c.setting))
    wrong = replace(made.lengths[3], accuracy=Fraction(1, 2))
    for stored, verdict in (
        (None, Verdict.UNDETERMINED),
        (made, Verdict.AGREE),
        (replace(made, lengths=(*made.lengths[:3], wrong)), Verdict.DIVERGE),
    ):
        one = replace(run(c, {1: 1, 2: 1, 3: 1, 4: 0}), predicted=stored)
        found = judge(c, [one]).lengths[3]
        assert (found.before, found.verdict) == (verdict, Verdict.AGREE)
    unmeasured = replace(run(c, {1: 1, 2: 1, 3: 1}), predicted=made)
    assert judge(c, [unmeasured]).lengths[3].before == Verdict.UNDETERMINED


def test_a_model_that_is_disturbed_by_ignored_tokens_is_not_judged_on_them() -> None:
    c = cell(digits=3)
    leaky = replace(run(c, {1: 1, 2: 1, 3: 1, 4: 0.3}), indifference=0.9)
    assert verdicts(c, leaky)[2:] == [Verdict.PREMISE, Verdict.INCONCLUSIVE]
    firm = replace(run(c, {1: 1, 2: 1, 3: 1, 4: 0}, seed=1), indifference=1.0)
    assert verdicts(c, leaky, firm)[3] == Verdict.AGREE


def told_by(theory: str, told: Predicted) -> Predicted:
    """What was predicted as another theory stored it, before claims said what they ask."""
    lengths = tuple(replace(x, premises=None) for x in told.lengths)
    return replace(told, theory=theory, lengths=lengths)


def with_steady(made: Run, shares: dict[int, float]) -> Run:
    measured = [replace(m, steady=shares.get(m.digits)) for m in made.measurements]
    return replace(made, measurements=tuple(measured))


def test_a_model_that_wavers_on_digits_never_shown_together_is_not_judged_there() -> None:
    c = cell(digits=3)
    lengths = {1: 1, 2: 0.6, 3: 1, 4: 0}
    wavers = with_steady(run(c, lengths), {1: 1.0, 2: 0.98, 4: 0.99})
    assert verdicts(c, wavers) == ["agree", "inconclusive", "premise", "agree"]
    assert judge(c, [wavers]).reason == "no model is stable where its answers have to be firm"
    for firm in (with_steady(run(c, lengths, seed=1), {2: 0.99}), run(c, lengths, seed=1)):
        assert verdicts(c, wavers, firm)[1] == Verdict.DIVERGE
    [published] = [x.published for x in judge(c, [wavers]).lengths if x.digits == 2]
    assert published == Verdict.DIVERGE


def test_a_claim_that_rests_on_ignored_digits_speaks_of_steady_models() -> None:
    c = cell("mod_add", 50)
    lengths = {1: 1.0, 2: 1.0, 3: 0.7}
    leaks = with_steady(run(c, lengths), {1: 1.0, 3: 0.9})
    assert predict(c.setting).lengths[2].requires_stability
    assert verdicts(c, leaks)[2] == Verdict.INCONCLUSIVE
    assert judge(c, [leaks]).reason == "no model is stable where its answers have to be firm"
    assert verdicts(c, with_steady(leaks, {1: 1.0, 3: 0.99}))[2] == Verdict.DIVERGE
    told = predicted(predict(c.setting))
    for theory, before in (("28", Verdict.UNDETERMINED), ("27", Verdict.DIVERGE)):
        one = replace(leaks, predicted=told_by(theory, told))
        assert judge(c, [one]).lengths[2].before == before


@pytest.mark.parametrize(("right", "verdict"), [(0.7, Verdict.DIVERGE), (1.0, Verdict.AGREE)])
def test_of_which_models_a_claim_speaks_depends_on_when_it_was_stored(
    right: float, verdict: Verdict
) -> None:
    """In theory 30 to 32 all claims on stable models asked for more answers."""
    c = cell("mod_add", 50)
    told = predicted(predict(c.setting))
    made = run(c, {1: 1.0, 2: 1.0, 3: right})
    for kept, theory, was_spoken_of in (
        (0.995, "29", True),
        (0.995, "30", False),
        (0.995, "31", False),
        (0.995, "32", False),
        (0.995, "33", True),
        (0.998, "31", True),
    ):
        one = replace(with_steady(made, {3: kept}), predicted=told_by(theory, told))
        found = judge(c, [one]).lengths[2]
        assert (found.verdict, found.stored) == (verdict, was_spoken_of)
        assert found.before == (verdict if was_spoken_of else Verdict.UNDETERMINED)


@pytest.mark.parametrize("theory", ["30", "31", "33"])
def test_where_steadiness_has_to_be_seen_more_answers_have_to_stay(theory: str) -> None:
    """Two digits up under RPE a model is judged from 0.998 on, one up from 0.99 on."""
    c = cell("mod_add", 50, pe="rpe", test_lengths=(3, 4))
    told = told_by(theory, predicted(predict(c.setting)))
    made = replace(run(c, {3: 1.0, 4: 0.7}), predicted=told)
    for kept, seen, stored in (
        (0.998, ["agree", "diverge"], Verdict.DIVERGE),
        (0.997, ["agree", "undetermined"], Verdict.UNDETERMINED),
        (0.98, ["inconclusive", "undetermined"], Verdict.UNDETERMINED),
    ):
        one = with_steady(made, {3: kept, 4: kept})
        assert verdicts(c, one) == seen
        assert judge(c, [one]).lengths[1].before == stored


def test_what_is_shared_or_alike_is_judged_by_models_that_were_seen_to_be_steady() -> None:
    """One digit up RPE needs no trial, two up it does; sine waves do at once."""
    for pe, asked in (("rpe", [4]), ("sinusoidal", [3, 4])):
        c = cell("mod_add", 50, pe=pe, test_lengths=(3, 4))
        untried = run(c, {3: 1.0, 4: 1.0})
        silent = [n for n, x in zip((3, 4), verdicts(c, untried), strict=True) if x != "agree"]
        assert silent == asked
        assert verdicts(c, with_steady(untried, {3: 1.0, 4: 1.0})) == ["agree", "agree"]
        # Where no model is steady the claim says nothing, which hides no model that has one.
        wavers = with_steady(run(c, {3: 1.0, 4: 0.5}, seed=1), {3: 1.0, 4: 0.99})
        assert verdicts(c, wavers) == ["agree", "undetermined"]
        assert judge(c, [wavers]).lengths[1].accuracy.value == 0.5  # type: ignore[union-attr]
        both = with_steady(untried, {3: 1.0, 4: 1.0}), wavers
        assert verdicts(c, *both) == ["agree", "agree"]
        # A model that does not ignore the digits in domain is another matter.
        reads = replace(with_steady(run(c, {3: 1.0, 4: 1.0}), {3: 1.0, 4: 1.0}), indifference=0.5)
        assert verdicts(c, reads) == ["inconclusive", "inconclusive"]
        unlearned = replace(wavers, premise=0.5)
        assert verdicts(c, unlearned) == ["inconclusive", "inconclusive"]
        leaks = with_steady(run(c, {3: 1.0, 4: 0.9}), {3: 1.0, 4: 1.0})
        assert verdicts(c, leaks) == ["agree", "diverge"]


def test_of_open_inputs_a_steady_model_needs_no_firm_answer() -> None:
    """0.19 of the longer ones are open."""
    c = cell(digits=3, train=Domain((3,), "every"), test_lengths=(4,))
    for kept, verdict in ((0.81, Verdict.AGREE), (0.79, Verdict.INCONCLUSIVE)):
        assert verdicts(c, with_steady(run(c, {4: 0.1}), {4: kept})) == [verdict]
        told = told_by("28", predicted(predict(c.setting)))  # bounds did not ask for it
        one = replace(with_steady(run(c, {4: 0.1}), {4: kept}), predicted=told)
        assert judge(c, [one]).lengths[0].before == Verdict.AGREE


def test_what_was_claimed_before_steadiness_was_a_premise_is_judged_as_it_was() -> None:
    c = cell(digits=3)
    told = predicted(predict(c.setting))
    made = with_steady(run(c, {1: 1, 2: 0.6, 3: 1, 4: 0}), {2: 0.9})
    firm = with_steady(run(c, {1: 1, 2: 1, 3: 1, 4: 0}, seed=1), {2: 1.0})
    for theory, verdict in ((told.theory, Verdict.AGREE), ("25", Verdict.DIVERGE)):
        runs = [replace(x, predicted=told_by(theory, told)) for x in (made, firm)]
        found = judge(c, runs).lengths[1]
        assert (found.before, found.verdict) == (verdict, Verdict.AGREE)
        assert found.stored == (verdict == Verdict.AGREE)
        assert found.published == Verdict.AGREE  # of the same models


def test_what_is_not_tested_hides_no_divergence_and_not_the_theorem() -> None:
    c = cell(digits=3)
    leaky = replace(run(c, {1: 1, 2: 0.5, 3: 1, 4: 0.3}), indifference=0.9)
    verdict = judge(c, [leaky])
    assert [x.verdict for x in verdict.lengths if x.digits in (2, 4)] == ["diverge", "inconclusive"]
    assert verdict.verdict == Verdict.DIVERGE
    assert verdict.reason == "no model is noise-invariant at the digits that it should ignore"
    [longer] = verdict.longer
    assert (longer.published, longer.before) == (Verdict.AGREE, Verdict.UNDETERMINED)


def test_a_bound_that_rests_on_ignored_digits_asks_for_indifference() -> None:
    c = cell(digits=3, train=Domain((3,), "every"))
    lengths = {1: 1.0, 2: 1.0, 3: 1.0, 4: 0.1}
    firm, leaky = run(c, lengths), replace(run(c, lengths), indifference=0.9)
    assert [judge(c, [r]).longer[0].verdict for r in (firm, leaky)] == ["agree", "inconclusive"]


def test_a_model_that_did_not_converge_is_inconclusive_where_nothing_is_claimed() -> None:
    c = cell(pe="nope", digits=3, test_lengths=(4,))
    assert {x.verdict for x in judge(c, [run(c, {4: 0.5})]).lengths} == {Verdict.UNDETERMINED}
    assert exit_code([judge(c, [run(c, {4: 0.5})])]) == 0
    assert exit_code([judge(c, [run(c, {4: 0.5}, premise=0.5)])]) == 3


def test_counts_against_a_function_of_former_days_decide_nothing_where_there_is_none() -> None:
    c = cell(pe="rpe", form="interleaved", digits=3, window=5, layers=1)
    other = cell(digits=3)
    for asked, verdict in ((c, Verdict.AGREE), (other, Verdict.DIVERGE)):
        assert (predict(asked.setting).learned is None) == (asked == c)
        assert verdicts(asked, run(asked, {1: 1}, learned=0.0))[0] == verdict


def test_only_an_indifferent_model_tests_what_was_claimed_before_if_it_rests_on_that() -> None:
    """Also where the claim rests on one answer digit being ignored, not on digits replaced."""
    c = cell("mod_add", 100, pe="nope", digits=3)
    told = predicted(predict(c.setting))
    for share, verdict in ((1.0, Verdict.AGREE), (0.6, Verdict.UNDETERMINED)):
        made = replace(run(c, {1: 1, 2: 1, 4: 1}), predicted=told, indifference=share)
        at_four = next(x for x in judge(c, [made]).lengths if x.digits == 4)
        assert at_four.prediction.requires_noise_invariance and at_four.before == verdict


@pytest.mark.parametrize(
    ("correct", "exhaustive", "verdict"),
    [
        (9850, True, Verdict.AGREE),  # of all there are, 150 are wrong
        (9999, True, Verdict.AGREE),
        (10000, True, Verdict.DIVERGE),
        (9850, False, Verdict.DIVERGE),  # a model that is right by rule is wrong now and then
    ],
)
def test_one_wrong_answer_of_all_there_are_is_wrong_on_some(
    correct: int, exhaustive: bool, verdict: Verdict
) -> None:
    c = cell(digits=3)
    made = run(c, {1: 1, 2: 1, 3: 1, 4: 1}, samples=10000)
    *others, last = made.measurements
    last = replace(last, correct=correct, exhaustive=exhaustive)
    found = judge(c, [replace(made, measurements=(*others, last))])
    assert found.lengths[3].published == verdict
