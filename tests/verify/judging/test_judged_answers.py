"""Answers of models: which prompts are inputs of a setting, and what is said of the answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import arith
from arith.printing import answer_parts, print_parts
from arith.verify.judging.judge import Verdict
from arith.verify.reporting.answers import answer_legend, next_lines

PADDED = {"task": "add", "train_digits": "1-2", "layout": "plain", "width": 3}
NATURAL = {"task": "add", "train_digits": "1-2", "layout": "plain", "padding": "none"}
PAIRS = [(a, b) for a in range(100) for b in range(0, 100, 3)]
LONGER = [(a, b) for a in range(100, 1000, 13) for b in range(0, 1000, 31)]


def said(
    settings: dict[str, object], prompt: str, longer: Callable[[int, int], int], odd: str = ""
) -> arith.judging.JudgedModels:
    """A model that is right where it was trained: prompts of a form, and ten of another."""
    rows = [(prompt.format(a, b), f"{a + b}") for a, b in PAIRS]
    rows += [(prompt.format(a, b), f"{longer(a, b)}") for a, b in LONGER]
    rows += [(odd.format(a, b), f"{a + b}") for a, b in PAIRS[:10] if odd]
    return arith.judge(rows, **settings)


@pytest.mark.parametrize("form", ["{}+{}=", "{} + {} =", "Q: {} + {} = ? A: ", "What is {} + {}?"])
def test_prompts_are_inputs_if_their_numbers_are_padded_as_in_training(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever stands around them; and what was left out stands above the verdicts."""
    padded, bare = form.replace("{}", "{:03}"), form.replace("{}", "{}")
    for settings, own, other in ((PADDED, padded, bare), (NATURAL, bare, padded)):
        found = said(settings, own, lambda a, b: a % 100 + b % 100, other)
        assert found.judged.unread == (10, len(PAIRS) + len(LONGER) + 1, other.format(0, 0))
        print_parts(answer_parts(found.judged))
        out = capsys.readouterr().out
        assert 0 < out.index("Prompts left out: 10 that are no inputs") < out.index("verdict\n")


def test_prompts_that_are_longer_than_the_padding_are_counted_by_themselves() -> None:
    """Among others that are no inputs: with too short or no numbers, of another task, or empty."""
    rows = [(f"{a:03}+{b:03}=", f"{a + b}") for a, b in PAIRS]
    odd = ("1+2=", "1234+0001=", "", "one", "001*002=", "001+00023=", "1+2+4567=")
    judged = arith.judge([*rows, *((x, "3") for x in odd)], **PADDED).judged
    assert judged.too_long == (2, len(rows) + 2, "1234+0001=")
    assert judged.unread == (7, len(rows) + 1, "1+2=")


@pytest.mark.parametrize(
    ("longer", "verdict", "is_near", "uses"),
    [
        (lambda a, b: a % 100 + b % 100, Verdict.AGREE, False, False),
        (lambda a, b: 7 * a + b, Verdict.INCONCLUSIVE, True, True),
        (lambda a, b: a + b, Verdict.INCONCLUSIVE, False, True),
        (lambda a, b: a + b if b % 2 else a % 100 + b % 100, Verdict.INCONCLUSIVE, False, True),
    ],
)
def test_answers_other_than_f_hat_are_told_for_what_they_show(
    longer: Callable[[int, int], int], verdict: Verdict, is_near: bool, uses: bool
) -> None:
    """An accuracy as predicted is not enough; and who is not as f^ uses digits that it ignores."""
    judged = said(PADDED, "{:03}+{:03}=", longer).judged
    assert judged.verdict.lengths[-1].verdict == verdict
    text = " ".join(next_lines(judged))
    assert ("At 3 digits the accuracy is as predicted, and the answers are not" in text) == is_near
    shows = "Answers other than f^ at 3 digits show that the model uses digits"
    assert (shows in text) == uses and "Not known" not in text


@pytest.mark.parametrize(
    ("seldom", "told"),
    [(1, ""), (3, "have, less often than inputs do, some"), (10_000, "have not all")],
)
def test_answers_of_other_operand_lengths_than_inputs_are_told(seldom: int, told: str) -> None:
    """Of the inputs with an operand of fewer than three digits one in so many is asked."""
    drawn = np.random.default_rng(0).integers(1_000, size=(4_000, 2)).tolist()
    longer = [x for i, x in enumerate(drawn) if max(x) > 99 and (min(x) > 99 or i % seldom == 0)]
    rows = [(f"{a}+{b}=", f"{a + b}") for a, b in longer + PAIRS]
    lines = answer_legend(arith.judge(rows, **NATURAL).judged)
    said = [x for x in lines if x.endswith("predicted is for those that they have")]
    what = f"At 3 digits answers {told} combinations of operand lengths"
    assert [x.partition(":")[0] for x in said] == [what] * bool(told), said


@pytest.mark.parametrize("lost", [False, True])
def test_zeros_that_answers_lost_in_front_are_told(lost: bool) -> None:
    """As numbers in JSON do: 010 is the sum 10 with its units first, and 10 is 1."""
    texts = [f"{a + b:04}"[::-1] for a, b in PAIRS]
    answers = [str(int(x)) if lost else x for x in texts]
    prompts = [f"{b:03}+{a:03}"[::-1] + "=" for a, b in PAIRS]
    rows = [*zip(prompts, answers, strict=True)]
    judged = arith.judge(rows, **PADDED | {"layout": "reversed"}).judged
    assert any(x.startswith("Answers lack zeros in front") for x in next_lines(judged)) == lost
