"""Verdicts in words: a line per cell, a sentence for one, a line for all."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from builders.cells import cell
from builders.runs import RIGHT, run

from arith.theory.arithmetic.domains import Domain
from arith.theory.prediction.predict import predict
from arith.verify.judging.judge import CellVerdict, Untested, Verdict, judge
from arith.verify.judging.known_divergences import KnownDivergences
from arith.verify.reporting.terminal import (
    CELL_COLUMNS,
    LENGTH_COLUMNS,
    cell_legend,
    cell_line,
    length_legend,
    length_line,
    outcome_line,
    prediction_row,
    sentence,
    short_label,
    summary_line,
    theorem_sentence,
)


def agreeing() -> CellVerdict:
    c = cell(digits=3)
    return judge(c, [run(c, RIGHT)])


def diverging() -> CellVerdict:
    c = cell(digits=3)
    return judge(c, [run(c, {**RIGHT, 4: 0.5}), run(c, {**RIGHT, 4: 0.7}, seed=1)])


def inconclusive() -> CellVerdict:
    c = cell(digits=3)
    return judge(c, [run(c, {1: 0.31, 2: 0.4, 3: 0.5, 4: 0.22}, premise=0.5)])


def test_why_nothing_was_tested_at_a_length_is_said_of_it_and_counted() -> None:
    v = agreeing()
    assert [x.untested for x in v.lengths] == [None] * len(v.lengths)
    of = v.lengths[-1]
    open_ = replace(of.prediction, accuracy=None, at_most=Fraction(1), known=Fraction(0))
    claims = {
        Untested.UNCLAIMED: open_,
        Untested.WEAK: replace(open_, at_most=Fraction(999, 1000)),
        Untested.UNSTABLE: of.prediction,
    }
    lengths = tuple(
        replace(of, prediction=x, verdict=Verdict.UNDETERMINED) for x in claims.values()
    )
    assert [x.untested for x in lengths] == [*claims]
    assert [length_line(v, x)[-1] for x in lengths] == [
        "no claim",
        "too weak to test",
        "none stable",
    ]
    said = summary_line([replace(v, lengths=lengths)])
    assert (
        "; 1 length without a claim; 1 length: too weak to test; 1 length: no model stable" in said
    )
    assert len(length_legend(replace(v, lengths=lengths))) == 2 + len(length_legend(v)) - 1


def shown(v: CellVerdict) -> dict[str, str]:
    return dict(zip(CELL_COLUMNS, cell_line(v), strict=True))


def test_a_cell_in_a_line() -> None:
    assert shown(agreeing()) == {
        "cell": "a + b · APE D_3",
        "predicted": "1 / 0",
        "measured": "1.00 / 0.00",
        "shorter": "agree 2/2",
        "longer": "agree 1/1",
    }
    assert shown(diverging())["longer"] == "diverge at 4 (0/1)"
    assert shown(diverging())["shorter"] == "agree 2/2"
    assert shown(judge(cell(digits=3), []))["measured"] == "- / -"


def test_what_is_usual_is_left_out_of_a_label() -> None:
    assert short_label(cell("mul", digits=3)) == "a·b · APE D_3 pico"
    other = cell(pe="rpe", form="interleaved", digits=3, window=6, base=6)
    assert short_label(other) == "a + b · RPE interleaved W=6 D_3 base 6"


def test_the_answers_of_an_inconclusive_model_are_shown_with_the_reason() -> None:
    v = inconclusive()
    assert shown(v)["measured"] == "(0.31 / 0.22)"
    assert shown(v)["shorter"] == shown(v)["longer"] == "inconclusive"
    rows = [dict(zip(LENGTH_COLUMNS, length_line(v, x), strict=True)) for x in v.lengths]
    assert rows[0]["measured"].startswith("(0.310, ")
    assert v.reason in sentence(v) and "--budget" in sentence(v)


def test_one_cell_in_a_sentence() -> None:
    assert sentence(agreeing()) == (
        "Theory and experiment agree: 3 of 3 claims hold. 1 of 1 model met the premise."
    )
    said = sentence(diverging())
    assert said.startswith("Theory and experiment diverge: at 4 digits 0 was predicted and 0.600")
    assert "(by model 0.500, 0.700)" in said
    silent = cell(pe="rope", digits=3)
    found = judge(replace(silent, setting=replace(silent.setting, test_lengths=(3, 4))), [])
    assert sentence(found) == "Not trained yet."
    assert theorem_sentence(agreeing()) == (
        "Published theorem: shorter inputs: generalizes (as measured), longer inputs: fails "
        "(as measured)."
    )
    assert "fails (not tested)" in theorem_sentence(inconclusive())


def test_lengths_that_no_model_could_test_are_named() -> None:
    c = cell(digits=3)
    v = judge(c, [replace(run(c, RIGHT), indifference=0.5)])
    assert sentence(v) == (
        "Theory and experiment agree: 2 of 2 claims hold; 1 length not tested, for no model is "
        "noise-invariant at the digits that it should ignore. 1 of 1 model met the premise."
    )


def test_lengths_at_which_no_model_was_stable_are_not_said_to_be_without_a_claim() -> None:
    c = cell("mod_add", 40, pe="sinusoidal")
    right = run(c, {x.digits: float(x.accuracy or 0) for x in c.prediction.lengths})
    shares = {1: 1.0, 2: 1.0, 3: 0.5}
    told = tuple(replace(m, steady=shares[m.digits]) for m in right.measurements)
    v = judge(c, [replace(right, measurements=told)])
    assert "; 1 length: no model stable" in sentence(v)
    assert "; 1 length: no model stable" in summary_line([v])


def test_how_many_answers_stayed_under_noise_stands_below_the_lengths_of_a_cell() -> None:
    c = cell("mod_add", 40)
    one = run(c, {1: 1.0, 2: 1.0, 3: 0.5})
    told = tuple(replace(m, steady=0.5) for m in one.measurements if m.digits == 3)
    others = tuple(m for m in one.measurements if m.digits != 3)
    runs = [
        replace(one, measurements=others + told, indifference=x, seed=i)
        for i, x in enumerate((1, 0.991))
    ]
    lines = length_legend(judge(c, runs))
    assert "noise invariance: 0.991 to 1.000 of the answers stay" in lines
    assert "stability: 0.500 at 3 digits of the answers stay" in lines


def test_where_nothing_is_claimed_the_sentence_says_so() -> None:
    c = cell(pe="rope", digits=3, test_lengths=(3, 4))
    v = judge(c, [run(c, {3: 1.0, 4: 0.4})])
    assert sentence(v).startswith("No claim was made")
    assert (shown(v)["shorter"], shown(v)["longer"]) == ("-", "no claim")


def test_all_cells_in_a_line() -> None:
    one = agreeing()
    assert summary_line([one]) == ("1 of 1 cell converged; 3 claims agree, 0 diverge.")
    found = [one, diverging(), inconclusive(), judge(cell(digits=3), [])]
    assert summary_line(found) == (
        "2 of 4 cells converged; 5 claims agree, 1 diverges. "
        "In 1 cell no model converged; a larger --budget may help. Not trained yet: 1."
    )


def test_too_few_held_out_inputs_are_no_matter_of_the_budget() -> None:
    c = cell(digits=3)
    v = judge(c, [replace(run(c, RIGHT), held_out=116)])
    assert v.reason == "premise not established: only 58 independent held-out inputs, 59 needed"
    assert summary_line([v]) == (
        "0 of 1 cell converged; 0 claims agree, 0 diverge. "
        "In 1 cell too few inputs are held out to know."
    )


def test_a_legend_has_the_entries_that_its_table_uses() -> None:
    usual = cell_legend([agreeing()])
    assert usual == [
        "D_n: trained where the longest operand has n digits",
        "no layout named: aligned",
        "predicted, measured: accuracy at the shortest / longest test length",
        "shorter: verdict on what is not longer than trained; -: nothing else was tested",
        "agree 4/4: claims at untrained lengths that agree (within 0.02), of those made",
        "1 model per cell, 1 of 1 converged",
    ]
    windowed = cell(pe="rpe", digits=3, window=6)
    found = cell_legend([agreeing(), inconclusive(), judge(windowed, [])])
    assert "W: attention window in tokens" in found
    assert "?: no claim" in found
    assert "(..): of models that did not converge" in found
    assert found[-1] == "0 to 1 model per cell, 1 of 2 converged"
    assert len(length_legend(agreeing())) == 4
    assert "(..): of models that did not converge" in length_legend(inconclusive())


def test_trained_lengths_are_no_claims() -> None:
    """The trained length is the premise: of four lengths three are claimed."""
    v = agreeing()
    assert [x.verdict for x in v.lengths if v.cell.setting.is_premise(x.prediction.digits)] == [
        Verdict.PREMISE
    ]
    assert len(v.lengths) == 4 and "3 claims agree" in summary_line([v])


def test_the_gate_counts_what_is_explained_and_what_is_not() -> None:
    v = diverging()
    assert outcome_line([agreeing()], KnownDivergences()) == "3 of 3 claims agree, none diverges."
    assert outcome_line([v], KnownDivergences()) == (
        "2 of 3 claims agree, 0 diverge with a named cause, 1 without."
    )
    known = KnownDivergences({(v.name, 4): "leak"})
    assert outcome_line([v], known) == (
        "2 of 3 claims agree, 1 diverges with a named cause, none without."
    )


def test_what_is_shown_as_measured_is_what_was_judged() -> None:
    """A model that is not indifferent is not judged on lengths that rest on ignored digits."""
    c = cell("mod_add", 150)
    one = run(c, {1: 1, 2: 1, 3: 1 / 3}, samples=9000)
    other = replace(run(c, {1: 1, 2: 1, 3: 0.9}, samples=9000, seed=1), indifference=0.5)
    v = judge(c, [one, other])
    rows = [dict(zip(LENGTH_COLUMNS, length_line(v, x), strict=True)) for x in v.lengths]
    assert rows[2]["measured"].startswith("0.333")
    assert shown(v)["measured"] == "1.00 / 0.33"


def test_bounds_are_rounded_to_the_safe_sides_and_have_signs() -> None:
    every = cell(digits=3, train=Domain((3,), "every"), test_lengths=(3, 4))
    less = cell("sub", digits=3, train=Domain((2, 3)), test_lengths=(2, 4))
    lines = [judge(c, [run(c, dict.fromkeys(c.setting.test_lengths, 0.1))]) for c in (every, less)]
    assert [shown(v)["predicted"] for v in lines] == [">=0.81 / <=0.19", "1 / 0.09..0.55"]
    said = " ".join(cell_legend(lines))
    assert ">=: at least" in said and "..: between" in said
    row = prediction_row(less, predict(less.setting))
    assert row[-1] == "2: 1 4: 1001/11001..5996/11001"
