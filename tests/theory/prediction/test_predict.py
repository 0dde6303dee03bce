"""Predictions: statuses and verdicts of worked examples, and what they follow from."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest
from builders.brute_force import brute_accuracy
from builders.predictions import predicted
from hypothesis import given
from hypothesis import strategies as st

from arith.theory import Domain, Prediction, Setting, encoding, layout, parse_task, predict
from arith.theory.arithmetic.domains import KINDS
from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.theory.observation.views import carry_reach, rule_above, views
from arith.theory.rules import RULES
from arith.theory.setting.requests import Request
from arith.theory.transformer.encodings import ENCODINGS


def say(
    text: str,
    pe: str = "ape",
    form: str = "aligned",
    window: int = 0,
    n: int = 3,
    base: int = 10,
    tests: tuple[int, ...] = (),
    kind: str = "longest",
) -> Prediction:
    setting = Setting(
        parse_task(text), base, encoding(pe), layout(form), Domain((n,), kind), window, tests
    )
    return predict(setting)


@pytest.mark.parametrize(
    ("text", "pe", "form", "window", "n", "down", "up"),
    [
        ("a+b", "ape", "aligned", 0, 3, "generalizes", "fails"),
        ("a+b", "ape", "reversed", 0, 3, "generalizes", "fails"),
        ("a+b", "ape", "interleaved", 0, 3, "generalizes", "fails"),
        ("a+b", "rpe", "interleaved", 6, 3, "generalizes", "generalizes"),
        ("a+b", "rope", "interleaved", 6, 3, "generalizes", "generalizes"),
        ("a+b", "alibi", "interleaved", 6, 3, "generalizes", "generalizes"),
        ("a+b", "rpe", "bare", 15, 3, "generalizes", "generalizes"),
        ("a+b", "rpe", "bare", 14, 3, "undetermined", "undetermined"),
        ("a+b", "rpe", "bare", 0, 3, "generalizes", "fails"),
        ("a+b", "fire", "bare", 15, 3, "generalizes", "generalizes"),
        ("a+b", "fire", "aligned", 0, 3, "generalizes", "fails"),
        ("a+b", "rpe", "interleaved", 12, 3, "generalizes", "generalizes"),
        ("a+b", "rpe", "interleaved", 6, 2, "generalizes", "generalizes"),
        ("a+b", "rpe", "interleaved", 5, 2, "generalizes", "generalizes"),
        ("a+b", "rpe", "interleaved", 4, 3, "undetermined", "undetermined"),
        ("a+b", "rpe", "aligned", 0, 3, "generalizes", "fails"),
        ("a+b", "rpe", "reversed", 0, 3, "generalizes", "fails"),
        ("a+b", "nope", "aligned", 0, 3, "generalizes", "undetermined"),
        ("a*b", "ape", "aligned", 0, 2, "undetermined", "fails"),
        ("a*b", "rpe", "aligned", 0, 2, "undetermined", "fails"),
        ("a*b", "rope", "aligned", 0, 2, "undetermined", "fails"),
        ("(a+b) % 100", "ape", "aligned", 0, 3, "generalizes", "generalizes"),
        ("(a+b) % 100", "rpe", "aligned", 0, 3, "generalizes", "generalizes"),
        ("(a+b) % 100", "t5", "aligned", 0, 2, "generalizes", "generalizes"),
        ("(a+b) % 100", "rpe", "interleaved", 0, 3, "generalizes", "generalizes"),
        ("a*a % 10", "rpe", "plain", 0, 1, "none", "generalizes"),
        ("a*a % 10", "rpe", "aligned", 0, 1, "none", "generalizes"),
        ("(a+b) % 101", "rpe", "aligned", 0, 2, "undetermined", "fails"),
        ("a*b % 125", "rpe", "aligned", 0, 3, "generalizes", "generalizes"),
        ("(a+b) % 100", "rope", "aligned", 0, 3, "generalizes", "generalizes"),
        ("(a+b) % 100", "rope", "interleaved", 0, 3, "generalizes", "generalizes"),
        ("(a+b) % 101", "ape", "aligned", 0, 2, "undetermined", "fails"),
        ("(a+b) % 150", "ape", "aligned", 0, 2, "undetermined", "fails"),
        ("a*b % 125", "ape", "aligned", 0, 2, "undetermined", "fails"),
        ("a*b % 125", "ape", "aligned", 0, 3, "generalizes", "generalizes"),
        ("a*b % 50", "ape", "aligned", 0, 2, "generalizes", "generalizes"),
        ("a-b", "ape", "aligned", 0, 3, "undetermined", "fails"),
    ],
)  # fmt: skip
def test_worked_examples(
    text: str, pe: str, form: str, window: int, n: int, down: str, up: str
) -> None:
    got = say(text, pe, form, window, n)
    assert (got.verdict("downward"), got.verdict("upward")) == (down, up)


def test_every_step_cites_a_rule() -> None:
    for pe, form, window in [
        ("ape", "aligned", 0),
        ("rpe", "aligned", 0),
        ("rope", "interleaved", 6),
    ]:
        for step in say("a*b" if form == "aligned" else "a+b", pe, form, window).derivation:
            assert RULES[step.rule].source == step.source
            assert step.statement.endswith(".")


def test_a_landmark_is_named() -> None:
    steps = say("a+b", "rpe").derivation
    assert any(
        "'='" in s.statement or "'<bos>'" in s.statement for s in steps if s.rule == "landmark"
    )


def test_a_landmark_that_layers_pass_on_is_named() -> None:
    """``<bos> a_1 b_1 c_1 a_2 b_2 c_2 a_3 b_3``: eight tokens back, and a window holds four."""
    asked = {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 5}
    for layers, how in ((0, "if layers pass it on"), (2, "through 2 layers")):
        steps = predicted(**asked, layers=layers).derivation
        (text,) = [s.statement for s in steps if s.rule == "landmark"]
        assert text == (
            "The query of result digit 3 sees the landmark '<bos>' 8 tokens back "
            f"{how}, so it can tell where it is."
        )


def test_what_positions_share_asks_for_a_steady_model_where_more_than_one_digit_changes() -> None:
    own = say("(a+b) % 101", "ape", n=2)
    for pe in ("rpe", "rope", "alibi", "nope"):
        said = say("(a+b) % 101", pe, n=2)
        assert [x.accuracy for x in said.lengths] == [x.accuracy for x in own.lengths]
        assert [x.digits for x in said.lengths if x.requires_measured_stability] == [4, 5]
        (text,) = [s.statement for s in said.derivation if s.rule == "shared parameters"]
        assert "at 4..5 digits more than one ignored digit of an operand changes;" in text
    assert not any(x.requires_measured_stability for x in own.lengths)


def test_a_step_says_that_it_leaves_lengths_open() -> None:
    def open_rules(text: str, pe: str = "ape") -> list[str]:
        steps = say(text, pe).derivation
        return list(dict.fromkeys(step.rule for step in steps if step.leaves_open))

    assert open_rules("a+b") == []
    assert open_rules("a+b", "rpe") == []
    assert open_rules("a+b", "nope") == ["selection", "two candidates"]
    assert open_rules("a*b") == open_rules("a*b", "rope") == ["joint support", "two candidates"]


def test_in_domain_is_the_premise() -> None:
    x = say("a*b").lengths[2]
    assert (x.direction, x.status, x.accuracy) == ("in_domain", "generalizes", 1)


def test_gaps_of_a_union_are_between() -> None:
    setting = Setting(
        parse_task("a+b"), 10, encoding("ape"), layout("aligned"), Domain((2, 4)), 0, (1, 3, 5)
    )
    got = predict(setting)
    assert [x.direction for x in got.lengths] == ["downward", "between", "upward"]
    assert [x.accuracy for x in got.lengths] == [1, 1, 0]


def test_training_without_small_digits_leaves_downward_undetermined() -> None:
    """P's D_4^ab: position 4 never showed a 0, and 72.6 % was seen at three digits."""
    got = say("a+b", n=4, kind="every")
    assert got.verdict("downward") == "undetermined"


def test_a_position_that_showed_one_digit_is_ignored() -> None:
    """Base 2, both operands of two digits: the second digit was always 1, and is read as 1."""
    got = say("a+b", n=2, base=2, kind="every", tests=(1,))
    assert got.learned is not None
    assert got.learned.evaluate(0, 1) == 2 + 3
    assert got.lengths[0].accuracy == 0


@given(st.integers(1, 200), st.integers(2, 12), st.sampled_from(["a+b", "a*b", "3*a+b"]))
def test_the_base_aligned_rule_is_what_counting_gives(p: int, base: int, text: str) -> None:
    got = say(f"({text}) % {p}", n=1, base=base, tests=(2,))
    x = got.lengths[0]
    assert got.learned is not None
    assert x.accuracy == brute_accuracy(got.learned, Domain((2,)))


def test_published_theorems() -> None:
    def theorem(text: str, pe: str = "ape", n: int = 3) -> tuple[str, str]:
        found = say(text, pe, n=n).published
        return found.downward, found.upward

    assert theorem("a+b") == ("generalizes", "fails")
    assert theorem("a+b", "rpe") == ("generalizes", "generalizes")
    assert theorem("a*b", "rpe") == ("generalizes", "fails")
    assert theorem("(a+b) % 100", "rope") == ("generalizes", "generalizes")
    assert theorem("(a+b) % 101", "rpe") == ("generalizes", "fails")
    assert theorem("a*b % 125", n=2) == ("generalizes", "fails")
    assert theorem("a+b", "nope") == ("undetermined", "undetermined")


def test_views_of_the_interleaved_layout() -> None:
    """c_i is written at b_i: its digits stand 0 and 1 back, the carry's 2, 3 and 4 back."""
    view = list(views(say("a+b", "rpe", "interleaved", 6).setting))[3]
    assert sorted(view.offsets) == [0, 1, 2, 3, 4]
    assert view.landmarks == ()
    assert carry_reach(named_task("add"), 10) == 1
    assert carry_reach(parse_task("50*a + 51*b"), 10) == 3
    assert carry_reach(parse_task("a"), 10) == 0


def test_digits_at_changing_offsets_have_no_rule_to_continue() -> None:
    setting = say("a+b", "rpe", "reversed").setting
    rule, reason = rule_above(setting)
    assert rule == "one candidate"  # no local rule goes on
    assert "changing offsets" in reason


@pytest.mark.parametrize("base", [1, 0, -3, 10_001])
def test_a_base_out_of_range_is_refused(base: int) -> None:
    with pytest.raises(InvalidInput, match="base"):
        say("a+b", base=base)


def test_accuracies_are_probabilities_in_lowest_terms() -> None:
    for x in say("(a+b) % 150", n=2).lengths:
        assert x.accuracy is None or 0 <= x.accuracy <= 1
        assert x.accuracy is None or isinstance(x.accuracy, Fraction)


def test_predictions_share_nothing_that_can_be_changed() -> None:
    first = say("a*b % 101", n=2)
    expected = json.dumps(first.to_json())
    data = first.to_json()
    data["lengths"][0]["status"] = data["derivation"][0]["rule"] = "changed"
    data["train"]["digits"].append(9)
    data["derivation"].clear()
    assert json.dumps(first.to_json()) == expected
    assert json.dumps(say("a*b % 101", n=2).to_json()) == expected
    assert first == say("a*b % 101", n=2)


def test_settings_that_share_counts_keep_what_is_their_own() -> None:
    """RPE and APE share the counts of (a + b) mod 101; RPE asks more of the models."""
    ape, rpe = (say("(a+b) % 101", pe, n=2) for pe in ("ape", "rpe"))
    assert [x.requires_measured_stability for x in ape.lengths] == [False] * 5
    assert [x.requires_measured_stability for x in rpe.lengths] == [False, False, False, True, True]
    shared = [[x.learned_accuracy for x in p.lengths] for p in (ape, rpe)]
    assert shared[0] == shared[1] and None not in shared[0]


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ({"expr": "(a**7*b+c**7*d)%9999"}, "fails"),
        ({"expr": "(a+b+c+d)**8", "train_digits": "100"}, "fails"),
        (
            {
                "task": "mul",
                "train_allowed": ("1:1,3", "2:1,5"),
                "train_priming": ("8:0.1",),
                "test_digits": "1-30",
            },
            "fails",
        ),
        ({"expr": "(a+b+c+d)%999983", "train_digits": "1-20", "train_domain": "every"}, "fails"),
    ],
)
def test_what_is_too_large_to_be_counted_has_a_verdict(words: dict, verdict: str) -> None:
    """One input whose answer is fixed, and on which f^ is wrong, is enough."""
    got = predict(Request(**words).setting())
    assert got.verdict("upward") == verdict
    longest = got.lengths[-1]
    assert longest.accuracy is None and 0 < longest.at_most < 1
    cited = {step.rule for step in got.derivation}
    assert "count" in cited or all(x.counted for x in got.lengths)


@pytest.mark.parametrize("words", [{"task": "add"}, {"task": "mod_mul", "modulus": 150}])
@pytest.mark.parametrize("form", ["aligned", "plain", "reversed"])
def test_absolute_positions_predict_the_same_at_every_width(words: dict, form: str) -> None:
    narrow, wide = (
        predict(Request(layout=form, train_digits="2", width=n, **words).setting()) for n in (0, 20)
    )
    assert narrow.lengths == wide.lengths


def test_a_rule_goes_on_in_wider_numbers_only_where_no_landmark_is_in_view() -> None:
    asked = {"task": "add", "pe": "rpe", "layout": "interleaved", "test_digits": "1-6"}
    for window in (5, 12):
        narrow, wide = (
            predict(Request(window=window, width=n, layers=1, **asked).setting()) for n in (0, 20)
        )
        assert narrow.continues == wide.continues == (window == 5)


@pytest.mark.parametrize("text", ["a + b", "a * b", "2*a + 3*b + 1"])
def test_a_modulus_that_no_answer_reaches_changes_nothing(text: str) -> None:
    plain = predict(Request(expr=text).setting())
    over = predict(Request(expr=text, modulus=10**13).setting())
    assert over.lengths == plain.lengths
    assert over.learned_text == plain.learned_text
    assert over.setting.task.modulus == 10**13
    assert "modulus out of reach" in {step.rule for step in over.derivation}
    within = predict(Request(expr=text, modulus=1000).setting())
    assert "modulus out of reach" not in {step.rule for step in within.derivation}


def test_a_drawn_training_set_proves_nothing_of_what_was_not_drawn() -> None:
    asked: dict[str, Any] = {"task": "mod_mul", "modulus": 36, "base": 36, "train_digits": "1"}
    asked |= {"layout": "interleaved", "test_digits": "2"}
    assert predicted(**asked).observed == []
    assert predicted(**asked, train_pairs=1000).observed == ["support"]


def test_a_modulus_of_one_lets_no_digit_matter() -> None:
    steps = predict(Request("mod_add", modulus=1).setting()).derivation
    assert "Modulo 1 every answer is 0: no digit matters." in {x.statement for x in steps}
    constant = predict(Request(expr="0*a + 5").setting()).derivation
    assert not any("None" in step.statement for step in constant)


def test_what_the_mask_hides_changes_nothing_under_any_encoding() -> None:
    for pe in ENCODINGS:
        asked = {"task": "mod_mul", "modulus": 10, "layout": "interleaved", "train_digits": "1"}
        assert predicted(**asked, pe=pe, test_digits="2,3").verdict("upward") == "generalizes", pe


def test_a_modulus_out_of_reach_still_makes_results_longer() -> None:
    asked = {"expr": "(a + b) % 10**12", "pe": "rpe", "layout": "bare", "window": 13}
    assert predicted(**asked, test_digits="1").lengths[0].accuracy is None
    written = {"expr": "(a + b) % 4999", "pe": "rpe", "layout": "interleaved", "window": 5}
    assert predicted(**written, test_digits="1-3").verdict("downward") == "generalizes"


def test_the_task_itself_is_expected_only_where_all_of_it_comes_out_right() -> None:
    asked = {"task": "add", "pe": "rpe", "layout": "interleaved", "padding": "none", "window": 5}
    asked |= {"layers": 1, "train_digits": "4+5"}
    assert predicted(**asked, test_digits="6,7").learned_text == "a + b"
    assert predicted(**asked, test_digits="1,2,6,7").learned_text is None


def test_a_part_of_what_was_trained_is_a_premise() -> None:
    asked = {"task": "add", "pe": "rpe", "padding": "none", "train_digits": "1-5"}
    found = [predicted(**asked, test_domain=x).setting.is_premise(3) for x in KINDS]
    assert found == [True, True, False, False, True]


def test_the_published_n_is_that_of_training_and_not_of_what_is_mixed_in() -> None:
    asked = {"task": "mod_add", "modulus": 10**6, "train_digits": "2", "test_digits": "1-7"}
    primed = predicted(**asked, train_priming=("6:0.01",)).published
    assert primed == predicted(**asked).published
    assert "1000000 does not divide 10^2" in primed.theorem
    both = predicted(**asked | {"train_digits": "2+6"}).published
    assert both.theorem.startswith("p = 1000000 divides 10^6")


def test_the_theorem_speaks_of_the_encoding_that_was_asked_for() -> None:
    longest_first = sorted((x.label for x in ENCODINGS.values()), key=len, reverse=True)
    labels = "|".join(map(re.escape, longest_first))
    for name, each in ENCODINGS.items():
        said = predicted(task="add", pe=name).published.theorem
        named = re.findall(rf"(?<!\w)(?:{labels})(?!\w)", said)
        assert set(named) <= {each.label}, said
        assert each.label in said or "does not treat this encoding" in said


def test_a_digit_of_base_1000_stands_for_three_of_base_ten() -> None:
    task = {"task": "mod_add", "modulus": 997}
    large = predicted(**task, base=1000, train_digits="1", test_digits="2").lengths[0]
    small = predicted(**task, train_digits="1-3", test_digits="4-6").lengths
    inputs = {n: 10 ** (2 * n) - 10 ** (2 * n - 2) for n in (4, 5, 6)}
    right = sum(inputs[x.digits] * (x.accuracy or 0) for x in small)
    assert large.accuracy == right / sum(inputs.values())
    wide = predicted(expr="a + b + c + d + e + f + g + h", base=10_000, train_digits="1")
    assert wide.lengths[1].accuracy == 0


def test_a_restriction_of_natural_lengths_speaks_of_digits_that_exist() -> None:
    """Numbers of one or two digits have no position 3, so all of them are trained."""
    asked = {"task": "add", "train_digits": "1-3", "train_allowed": ("3:1-4,6-9",)}
    found = predicted(**asked, padding="none")
    assert [x.claim for x in found.lengths] == ["exact", "exact", *["none"] * 4]
    with pytest.raises(InvalidInput, match="no operands of 1 digits have the allowed digits only"):
        predicted(**asked)


def test_lengths_of_each_operand_are_ignored_above_those_of_training() -> None:
    """Of 100 values of the tens and hundreds of b, f^ reads the tens, as it was trained on them."""
    asked = {"task": "add", "train_digits": "1-4x1-2", "test_digits": "1-4x3"}
    assert predicted(**asked).learned_text == "Mod(a, 10000) + Mod(b, 100)"
    found = predicted(**asked | {"task": "mod_add", "modulus": 300})
    assert {x.digits: x.accuracy for x in found.lengths} == dict.fromkeys((3, 4), Fraction(3, 9))


def test_weights_say_which_lengths_are_shown() -> None:
    """Of uniform tuples of up to nine digits one in 10^16 has operands of one digit."""
    asked = {"task": "add", "train_digits": "1-9", "padding": "none", "test_digits": "1-9"}
    uniform = predicted(**asked, train_weights="uniform")
    assert [uniform.setting.is_premise(n) for n in (1, 6, 7, 9)] == [False, False, True, True]
    assert all(map(predicted(**asked).setting.is_premise, range(1, 10)))


def test_digits_are_allowed_in_tests_alone() -> None:
    """Hundreds are ignored, and count nothing where their sum is even."""
    asked = {"task": "mod_add", "modulus": 200, "train_digits": "2", "test_digits": "3"}
    shares = {
        digits: predicted(**asked, test_allowed=(f"3:{digits}",)).lengths[0].accuracy
        for digits in ("2,4,6,8", "1,2", "1-3")
    }
    assert shares == {"2,4,6,8": 1, "1,2": Fraction(1, 2), "1-3": Fraction(5, 9)}


@pytest.mark.parametrize(
    ("words", "statements"),
    [
        (
            {"modulus": 1000, "train_digits": "4"},
            ("Tokens 1 (units) to 2 varied", "lowest 2 tokens of each operand matter"),
        ),
        ({"modulus": 50, "train_digits": "1"}, ("Token 1 (units) varied", "lowest token of each")),
        ({"modulus": 150, "train_digits": "3"}, ("digits above token 2 matter",)),
    ],
)
def test_steps_count_tokens_where_one_holds_several_digits(
    words: dict[str, Any], statements: tuple[str, ...]
) -> None:
    steps = predicted(task="mod_add", layout="aligned, 2 digits per token", **words).derivation
    assert all(any(said in step.statement for step in steps) for said in statements)
    assert not any("Places" in step.statement for step in steps)
