"""Files of examples: what is written is read, and the setting that wrote a file is found in it."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
from builders.strategies import cells_of_formats, examples
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import default_model
from arith.theory.transformer.layouts import layout as read_layout
from arith.verify.data.files import Examples, parse_examples
from arith.verify.data.finding import Found, find_setting
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import values_of
from arith.verify.data.texts import example_texts, read_texts
from arith.verify.plan.cells import Cell
from arith.verify.plan.examples import as_jsonl, as_text, draw_examples, draw_tests
from arith.verify.plan.given import read_examples

pytestmark = pytest.mark.long
PAIRS = [(a, b) for a in range(100) for b in range(100) if (a * 31 + b * 17) % 10 < 3]


def found(text: str, **given: Any) -> Found:
    """What a file with this text is found to be."""
    return find_setting(parse_examples(text.encode(), "the file"), given)


def drawn_tests(
    setting: Setting, number: int, trained: Collection[tuple[int, ...]] = ()
) -> Examples:
    """Tests of all lengths."""
    return Examples.joined(draw_tests(setting, number, 0, trained).values())


def lines(write: Callable[[int, int], str]) -> str:
    """A line for each of some pairs of numbers below 100."""
    return "\n".join(write(a, b) for a, b in PAIRS)


@given(cells_of_formats(), st.integers(0, 2**32))
@examples(60)
def test_what_is_written_is_read(cell: Cell, seed: int) -> None:
    s, rng = cell.setting, np.random.default_rng(seed)
    assume(s.layout.in_token > 0)
    fmt = cell.format_for(s.longest)
    operands = Sampler(fmt, s.test(s.longest)).sample(5, rng)
    spaces = rng.integers(2, size=operands.shape) == 1 if s.layout.spaced else None
    written = example_texts(fmt, operands, spaces=spaces)
    text = as_text(written, "how")
    again = parse_examples(text.encode(), "the file")
    digits, results = read_texts(again, fmt)
    assert (digits == operands).all()
    assert (results == fmt.results(operands)).all()


SMALL = {
    "lines": ("12+34=46\n5+7=12\n", "add", "plain", True),
    "JSON": (
        '{"prompt": "12+34=", "answer": "46"}\n{"prompt": "5+7=", "answer": "12"}',
        "add",
        "plain",
        True,
    ),
    "numbers in JSON": ('{"question": "12+34=", "target": 46}', "add", "plain", True),
    "a list": ('[{"input": "12+34=", "output": "46"}]', "add", "plain", True),
    "CSV": ("a,b,c\n12,34,46\n5,7,12", "add", "plain", True),
    "CSV with names": ('prompt,answer\n"12+34=",46\n"5+7=",12', "add", "plain", True),
    "blanks": ("12 + 34 = 46\n5 + 7 = 12", "add", "plain", True),
    "words": ("What is 12 plus 34? = 46\nWhat is 5 plus 7? = 12", "add", "plain", True),
    "other signs": ("12 × 34 = 408\n5 × 7 = 35", "mul", "plain", True),
    "an end": ("12+34=46$\n5+7=12$", "add", "plain", True),
    "reversed": (lines(lambda a, b: f"{a}+{b}={str(a + b)[::-1]}"), "add", "reversed", True),
    "all reversed": (
        lines(lambda a, b: f"{str(a)[::-1]}+{str(b)[::-1]}={str(a + b)[::-1]}"),
        "add",
        "aligned",
        True,
    ),
    "padded": (lines(lambda a, b: f"{a:05}+{b:05}={a + b:06}"), "add", "plain", False),
    "no signs": (
        lines(lambda a, b: f"{a:02}{b:02}{f'{a + b:03}'[::-1]}"),
        "add",
        "reversed, no signs",
        False,
    ),
    "digits apart": (
        lines(lambda a, b: f"{' '.join(str(a))} + {' '.join(str(b))} = {' '.join(str(a + b))}"),
        "add",
        "plain, spaces",
        True,
    ),
    "leading zeros": (lines(lambda a, b: f"0{a}+0{b}={a + b}"), "add", "plain, leading zero", True),
    "filled up": (
        lines(lambda a, b: f"{a:_>4}+{b:_>4}={a + b}"),
        "add",
        "plain, padded to 4 with _",
        True,
    ),
    "filled up with spaces": (
        lines(lambda a, b: f"{str(a)[::-1]:<3}+{str(b)[::-1]:<3}={str(a + b)[::-1]}"),
        "add",
        "aligned, padded to 3 with spaces",
        True,
    ),
    "a space between": (
        lines(lambda a, b: f"{a} {b} = {a * b}"),
        "mul",
        "plain, space between operands",
        True,
    ),
    "a comma between": (
        lines(lambda a, b: f"{a},{b}={a + b}"),
        "add",
        "plain, comma between operands",
        True,
    ),
    "modulus": (lines(lambda a, b: f"{a}*{b}={a * b % 97}"), "mod_mul", "plain", True),
    "two operations": (
        lines(lambda a, b: f"{a}+{b}={a + b}" if a < b else f"{a}-{b}={a - b}"),
        "add,sub",
        "plain",
        True,
    ),
    "three operands": (lines(lambda a, b: f"{a}+{b}+{a}={a + b + a}"), "multi_add", "plain", True),
    "one operand": (lines(lambda a, _: f"{a}={a * a}"), "square", "plain", True),
}


@pytest.mark.parametrize("name", SMALL)
def test_format_and_task_are_found(name: str) -> None:
    text, task, layout, natural = SMALL[name]
    got = found(text)
    s = got.setting
    assert (s.task.name, s.layout.name, s.natural) == (task, layout, natural)
    assert got.fit == got.read and got.odd is None
    if name == "modulus":
        assert s.task.modulus == 97
    if name == "padded":
        assert (s.width, s.test_lengths) == (5, (1, 2, 3, 4, 5))


@pytest.mark.parametrize("base", [2, 7, 16, 100])
def test_the_base_is_found(base: int) -> None:
    setting = Request("add", base=base, padding="none", train_digits="4", layout="plain").setting()
    text = as_text(draw_examples(setting, 2_000, 0), "how")
    assert found(text).setting.base == base


def test_four_operands_are_an_expression() -> None:
    s = found("1+2+3+4=10\n5+6+7+8=26").setting
    assert s.task.name == "a + b + c + d"


def test_errors_in_a_hundredth_of_the_lines_hide_neither_task_nor_modulus() -> None:
    rng = random.Random(0)
    text = lines(lambda a, b: f"{a}+{b}={(a + b + (rng.random() < 0.01)) % 57}")
    got = found(text)
    assert (got.setting.task.name, got.setting.task.modulus) == ("mod_add", 57)
    assert 0.98 * got.read < got.fit < got.read
    wrong = next(x for x in text.split("\n") if eval_line(x) != int(x.partition("=")[2]))
    assert got.odd is not None and got.odd[1] == wrong
    assert f"example {got.odd[0]:,}: {wrong}" in "\n".join(got.lines())


def eval_line(line: str) -> int:
    """The sum mod 57 that a line asks for."""
    a, b = line.partition("=")[0].split("+")
    return (int(a) + int(b)) % 57


def test_what_a_file_lacks_is_said() -> None:
    text = lines(lambda a, b: f"{a}+{b}={a + b}" if a % 10 != 7 else "1+1=2")
    got = found(f"{text}\n1+1=3\n500+500=1000\n")
    said = "\n".join(got.lines())
    assert "the digit 7 at place 1 of a" in said
    assert got.contradictions == 1 and "1 input has other answers" in said
    assert "combinations of lengths, as 1 and 3 digits" in said
    assert got.duplicates > 100
    assert dict(got.lengths)[3] == 1
    no_carry = found("\n".join(f"{a}+{b}={a + b}" for a in range(5) for b in range(5)))
    assert "carries out of place 1 other than 0" in no_carry.lacking
    assert not found("\n".join(f"{a}+{b}={a + b}" for a in range(10) for b in range(10))).lacking
    # No difference below 0 is asked for, so the first digit of b is never above that of a.
    pairs = [(a, b) for a in range(100) for b in range(a + 1)]
    assert not found("\n".join(f"{a:02}-{b:02}={a - b:02}" for a, b in pairs)).lacking
    few = found(
        "\n".join(f"{a:02}-{b:02}={a - b:02}" for a, b in pairs if (a // 10, b // 10) != (7, 3))
    )
    [gone] = few.lacking
    assert gone == "1 of 55 pairs of digits at place 2 of a and b: 7 and 3"


def test_no_view_that_a_file_lacks_counts_as_shown_at_natural_lengths() -> None:
    rng = random.Random(0)
    drawn = [(rng.randrange(10**d), rng.randrange(10**d)) for d in (1, 2, 3) for _ in range(150)]
    lines = [f"{a}+{b}={a + b}" for a, b in drawn if (a, b) != (1, 7)]
    prediction = predict(found("\n".join(lines), pe="ape").setting)
    trained = [x for x in prediction.lengths if x.digits <= 3]
    assert all(x.accuracy == 1 and not x.proved for x in trained)
    assert all(x.because == ("shown apart",) and x.requires_stability for x in trained)
    rules = [x.rule for x in prediction.derivation]
    assert "joint support" in rules and "stability" in rules


def test_a_width_that_is_asked_for_is_tested() -> None:
    text = "\n".join(f"{a:04}+{b:04}={a + b:05}" for a in range(90, 130) for b in range(90, 130))
    assert found(text).setting.test_lengths == (1, 2, 3, 4)
    assert found(text, width=6).setting.test_lengths == (1, 2, 3, 4, 5, 6)


ROOMLESS = [
    ("padded", {"width": 1}, r"--width 1 has no room for operands of 2 digits, as in '.*: say 2"),
    ("padded", {"width": -1}, "--width -1 has no room for operands of 2 digits"),
    ("padded", {"padding": "none"}, "padded to 5 digits, as '.*: leave out --padding none"),
    ("lines", {"width": 4}, r"--width 4 is for padded numbers, .* as '12\+34=46' .* and '5\+7=12'"),
    ("lines", {"padding": "fixed"}, "--padding fixed is for padded numbers"),
]


@pytest.mark.parametrize(("name", "option", "message"), ROOMLESS)
def test_padding_that_a_file_does_not_have_is_refused(
    name: str, option: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        found(SMALL[name][0], **option)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("option", [{"width": 4}, {"padding": "fixed"}])
def test_numbers_of_one_length_are_padded_where_that_is_said(option: dict[str, Any]) -> None:
    got = found("12+34=46\n21+50=71\n", **option)
    assert not got.setting.natural and got.written == 2


def test_options_win_over_what_is_found() -> None:
    text = "10+11=21\n11+10=21\n"
    assert found(text).setting.base == 10  # and of base 3 too
    assert found("10+11=101\n11+11=110", base=2).setting.task.name == "add"
    got = found(text, task="mod_add", modulus=1000, pe="rope", padding="none").setting
    assert (got.task.modulus, got.encoding.name) == (1000, "rope")
    with pytest.raises(InvalidInput, match="not read as examples of a·b"):
        found(text, task="mul")


def test_lengths_of_each_operand_are_found() -> None:
    setting = Request("mul", padding="none", layout="plain", train_digits="1-6x1-2").setting()
    got = found(as_text(draw_examples(setting, 5_000, 0), "how"))
    assert got.chosen["train_digits"] == "1-6x1-2" and not got.lacking
    assert [x.accuracy for x in predict(got.setting).lengths] == (
        [x.accuracy for x in predict(setting).lengths]
    )


DRAWN = [
    {"task": "add", "train_digits": "2"},
    {"task": "add", "train_digits": "3", "pe": "rpe", "layout": "reversed"},
    {"task": "sub", "train_digits": "3", "layout": "plain"},
    {"task": "mul", "train_digits": "3", "layout": "bare"},
    {"task": "mod_add", "modulus": 101, "train_digits": "3"},
    {"task": "mod_sub", "modulus": 150, "train_digits": "2", "layout": "reversed, no signs"},
    {"task": "mod_mul", "modulus": 125, "train_digits": "4", "pe": "sinusoidal"},
    {"task": "multi_add", "train_digits": "2", "layout": "interleaved"},
    {"task": "add", "train_digits": "1-3", "padding": "none", "pe": "abacus"},
    {"task": "add", "train_digits": "1-2", "padding": "none", "layout": "hinted"},
    {"task": "add", "train_digits": "1-3", "padding": "none", "layout": "scratchpad"},
    {"task": "mul", "train_digits": "1-2", "padding": "none", "layout": "plain", "pe": "rope"},
    {"task": "add", "train_digits": "1-3", "padding": "none", "layout": "interleaved"},
    {"task": "add", "train_digits": "2+3", "padding": "none", "layout": "spaced", "base": 7},
    {"task": "add,sub", "train_digits": "3", "layout": "plain"},
    {"task": "add", "train_digits": "1-3", "train_weights": "1:1,2:1,3:2", "train_domain": "every"},
    {"task": "add", "train_digits": "3", "train_allowed": ("2:0-6",)},
    {"task": "add", "train_digits": "1", "padding": "none", "layout": "plain, padded to 4 with _"},
]


@pytest.mark.parametrize("words", DRAWN, ids=lambda w: " ".join(map(str, w.values())))
def test_a_file_that_a_setting_writes_predicts_as_the_setting(words: dict[str, Any]) -> None:
    setting = Request(**words).setting()
    drawn = draw_examples(setting, 5_000, 0)
    got = found(as_text(drawn, "how"), pe=setting.encoding.name)
    expected, prediction = predict(setting), predict(got.setting)
    assert got.fit == len(drawn)
    assert prediction.learned_text == expected.learned_text
    for x, y in zip(prediction.lengths, expected.lengths, strict=True):
        assert (x.digits, x.claim, x.accuracy, x.unseen_share, x.at_most, x.known) == (
            (y.digits, y.claim, y.accuracy, y.unseen_share, y.at_most, y.known)
        )


PUBLISHED: dict[str, tuple[Callable[[int, int, int], str], str, str]] = {
    "plain": (lambda a, b, c: f"{a}+{b}={c}", "add", "plain"),
    "between dollars": (lambda a, b, c: f"${a}+{b}={str(c)[::-1]}$", "add", "plain, result least"),
    "reversed": (lambda a, b, c: f"{str(a)[::-1]}+{str(b)[::-1]}={str(c)[::-1]}", "add", "aligned"),
    "padded": (lambda a, b, c: f"{a:04}+{b:04}={c:05}", "add", "plain"),
    "no signs": (
        lambda a, b, c: f"{a:03}"[::-1] + f"{b:03}"[::-1] + f"{c:04}"[::-1],
        "add",
        "aligned, no signs",
    ),
    "a space before each digit": (lambda a, b, c: " ".join(f"{a}+{b}={c}"), "add", "plain, spaces"),
    "markers": (
        lambda a, b, c: "".join(
            "".join(f"<{len(str(x)) - i}>{d}" for i, d in enumerate(str(x))) + sign
            for x, sign in ((a, "+"), (b, "="), (c, ""))
        ),
        "add",
        "plain, markers",
    ),
    "JSON lines": (
        lambda a, b, c: json.dumps({"question": f"What is {a} plus {b}?", "answer": c}),
        "add",
        "plain",
    ),
    "chats": (
        lambda a, b, c: json.dumps(
            {
                "messages": [
                    {"role": "system", "content": "You add 2 numbers."},
                    {"role": "user", "content": "What is 1 + 2?"},
                    {"role": "assistant", "content": "3"},
                    {"role": "user", "content": f"What is {a} + {b}?"},
                    {"role": "assistant", "content": str(c)},
                ]
            }
        ),
        "add",
        "plain",
    ),
    "chats in parts": (
        lambda a, b, c: json.dumps(
            {
                "conversations": [
                    {"from": "human", "value": [{"type": "text", "text": f"{a} "}, f"+ {b}"]},
                    {"from": "gpt", "value": [{"type": "text", "text": f"{a} + {b} = {c}"}]},
                ]
            }
        ),
        "add",
        "plain",
    ),
    "sentences": (
        lambda a, b, c: json.dumps(
            {
                "instruction": f"Tom has {a} and Max {b}. How many together?",
                "input": "",
                "output": f"The sum of {a} and {b} is {c}.",
            }
        ),
        "add",
        "plain",
    ),
    "words between operands": (
        lambda a, b, c: json.dumps(
            {
                "question": f"Tom has {a} apples, Al has {b}. How many together?",
                "answer": f"Together they have {a} + {b} = {c} apples.",
            }
        ),
        "add",
        "plain, comma between operands",
    ),
    "words and commas": (
        lambda a, b, c: f"Tom has {a}, Max {b}, sum {c}",
        "add",
        "plain, comma between operands",
    ),
    "columns": (lambda a, b, c: f"{a},{b},{c}", "add", "plain"),
    "a tab": (lambda a, b, c: f"{a}+{b}\t{c}", "add", "plain"),
    "blanks": (lambda a, b, c: f"{a} {b} {c}", "add", "plain, space between operands"),
    "a colon": (lambda a, b, c: f"{a}+{b}: {c}", "add", "plain"),
    "an arrow": (lambda a, b, c: f"{a} + {b} -> {c}", "add", "plain"),
    "words": (lambda a, b, c: f"{a} plus {b} is {c}.", "add", "plain"),
    "differences too": (
        lambda a, b, c: (
            f"{a}+{b}={c}" if c % 2 else f"{max(a, b)}-{min(a, b)}={abs(a - b) + c % 1}"
        ),
        "add,sub",
        "plain",
    ),
}
"""Examples as the field writes them: how, and the task and the layout that they are of."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_the_field_writes_is_read(name: str) -> None:
    """With one line in a hundred wrong, of mixed lengths, and one digit never shown."""
    write, task, layout = PUBLISHED[name]
    rng = random.Random(0)
    rows = [(rng.randrange(10 ** rng.randint(1, 3)), rng.randrange(1000)) for _ in range(1500)]
    rows = [(a, b) for a, b in rows if 7 not in (a % 10, b % 10)]
    got = found(
        "\n".join(write(a, b, a + b + 2 * (i % 100 == 99)) for i, (a, b) in enumerate(rows))
    )
    assert (got.chosen["task"], got.setting.layout.name) == (task, read_layout(layout).name)
    wrong = len(rows) // 100
    assert len(rows) - wrong <= got.fit <= len(rows) - wrong * (task == "add")
    said = "\n".join(got.lines())
    assert "the digit 7 at place 1 of a" in said and (got.odd is not None or task != "add")


@pytest.mark.parametrize("base", [-1_653_656, 1, 10_001])
def test_a_base_that_is_none_is_refused(base: int) -> None:
    with pytest.raises(InvalidInput, match=f"^base must be between 2 and 10,000, not {base}$"):
        found("1+2=3\n4+5=9\n", base=base)


def test_files_with_too_many_wrong_lines_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"[0-9.]+% of the examples are of a \+ b in base 10, and 90%"
    ):
        found("\n".join(f"{a}+{b}={a + b + (b % 5 == 0)}" for a, b in PAIRS))


def test_negative_results_are_written_and_found_with_their_sign() -> None:
    for layout in ("plain", "reversed"):
        asked = Request("sub", padding="none", train_digits="1-2", layout=layout, results="signed")
        text = as_text(draw_examples(asked.setting(), 3_000, 0), "how")
        got = found(text)
        assert got.setting.task.signed and got.fit == got.read == 3_000 and "<" not in text
    assert found("12=2\n31=3\n9=9\n40=4").setting.task.name == "max_digit"


@pytest.mark.parametrize("digits", [1_000, 50_000])
def test_a_long_line_takes_no_time_and_is_named(digits: int) -> None:
    text = lines(lambda a, b: f"{a}+{b}={a + b}")
    long = "1" * digits
    started = process_time()
    got = found(f"{text}\n{long}+1={long[:-1]}2")
    assert process_time() - started < 5
    assert got.odd is not None and got.odd[0] == got.read and got.fit == got.read - 1
    record = f'{{"prompt": "1+1=", "answer": {long[:5_000]}}}'
    assert len(parse_examples(record.encode(), "x").answers[0]) == min(digits, 5_000)


@st.composite
def written_settings(draw: st.DrawFn) -> Request:
    """Settings whose files of 20,000 examples show all or nearly all that there is."""
    natural = draw(st.booleans())
    task = draw(st.sampled_from(("add", "sub", "mul", "mod_add", "mod_sub", "mod_mul")))
    layouts = ("plain", "reversed", "aligned", "hinted" if natural else "reversed, no signs")
    return Request(
        task,
        modulus=draw(st.integers(30, 300)) if task.startswith("mod") else None,
        base=draw(st.sampled_from((10, 10, 8, 5))),
        padding="none" if natural else "fixed",
        layout=draw(st.sampled_from(layouts)),
        train_digits=draw(st.sampled_from(("2", "1-2", "1-3") if natural else ("2", "3", "2+3"))),
        pe=draw(st.sampled_from(("ape", "rope", "nope", "rpe"))),
    )


@given(written_settings(), st.integers(0, 2**32))
@examples(4)
def test_drawn_settings_are_predicted_alike_from_their_files(request: Request, seed: int) -> None:
    """A file that shows the whole domain says what the setting says.

    One that shows less says the same or less: its bounds are no narrower.  A modulus that no line
    reaches is not in the file, and one that fewer than five lines reach may be chance.
    """
    setting = request.setting()
    drawn = draw_examples(setting, 8_000, seed)
    got = found(as_text(drawn, "how"), pe=setting.encoding.name)
    fmt = Cell(setting, default_model(setting.task)).format_for(setting.train.every_length[-1])
    digits, results = read_texts(drawn, fmt)
    a, b, said = (values_of(x, setting.base) for x in (digits[:, 0], digits[:, 1], results))
    whole = named_task((request.task or "").removeprefix("mod_"))
    reached = np.count_nonzero(whole.evaluate(a, b) != said)
    assume(setting.task.modulus is None or not 0 < reached < 5)
    assert got.fit == len(drawn)
    if setting.task.modulus is not None and not reached:
        assert got.setting.task == whole
        return
    assert got.setting.task == setting.task
    each = zip(predict(got.setting).lengths, predict(setting).lengths, strict=True)
    for x, y in each:
        assert x.digits == y.digits
        if got.train.complete:
            assert (x.claim, x.accuracy, x.at_most, x.at_least) == (
                (y.claim, y.accuracy, y.at_most, y.at_least)
            )
        assert x.at_least <= y.at_least <= y.at_most <= x.at_most


@pytest.mark.parametrize("modulus", [195, 193])
@pytest.mark.parametrize("wrong", [0, 3])
def test_a_modulus_that_few_lines_reach_is_found(modulus: int, wrong: int) -> None:
    """Of 20,000 lines 20 or fewer: the lines that are no sums have it in common."""
    rng = random.Random(modulus)
    pairs = [(rng.randrange(100), rng.randrange(100)) for _ in range(20_000)]
    reached = sum(a + b >= modulus for a, b in pairs)
    assert 5 <= reached <= 60
    written = [f"{a}+{b}={(a + b) % modulus}" for a, b in pairs]
    written[:wrong] = [f"{x}9" for x in written[:wrong]]
    got = found("\n".join(written))
    assert (got.setting.task.modulus, got.fit) == (modulus, 20_000 - wrong)


def test_an_operation_that_few_lines_ask_for_is_found() -> None:
    rng = random.Random(0)
    pairs = [(rng.randrange(100), rng.randrange(100)) for _ in range(20_000)]
    got = found(
        "\n".join(
            f"{max(a, b)}-{min(a, b)}={abs(a - b)}" if i % 100 == 1 else f"{a}+{b}={a + b}"
            for i, (a, b) in enumerate(pairs)
        )
    )
    assert (got.setting.task.name, got.fit) == ("add,sub", 20_000)


def test_names_of_tasks_may_have_blanks_beside_their_commas() -> None:
    text = lines(lambda a, b: f"{a}{'+-'[b % 2]}{b}={(a - b if b % 2 else a + b) % 57}")
    got = found(text, task="mod_add, mod_sub").setting.task
    assert (got.name, got.operations[1].modulus) == ("mod_add,mod_sub", 57)


def test_interleaved_numbers_of_natural_length_are_read_where_that_is_said() -> None:
    setting = Request("add", padding="none", layout="interleaved", train_digits="1-3").setting()
    text = as_text(draw_examples(setting, 400, 0), "how")
    assert found(text, layout="interleaved").setting == found(text).setting


def test_of_two_readings_the_one_that_explains_more_is_taken() -> None:
    """In an odd base the last carry of a sum is the parity of all digits before it."""
    words = {"base": 5, "layout": "reversed, no signs", "train_digits": "3"}
    got = found(as_text(draw_examples(Request("add", **words).setting(), 2_000, 0), "how"))
    assert (got.setting.task.name, got.setting.base) == ("add", 5)


def test_lengths_on_which_a_task_is_not_defined_lack_nowhere() -> None:
    """Differences below ten never have a shorter minuend: the file is of two digits, not 2x1-2."""
    setting = Request("sub", padding="none", layout="plain", train_digits="2").setting()
    got = found(as_text(draw_examples(setting, 5_000, 0), "how"))
    assert got.chosen["train_digits"] == "2"
    assert not any("combinations of lengths" in x for x in got.lacking)


def test_tests_are_read_from_a_file_too() -> None:
    train = parse_examples(lines(lambda a, b: f"{a}+{b}={a + b}").encode(), "the file")
    test = parse_examples(b"0123+0456=579\n01234+01234=2468", "the tests")
    s = find_setting(train, {}, test).setting
    assert (s.test_lengths, s.test_kind) == ((3, 4), "every")
    assert s.test_layout is not None and s.test_layout.name == "plain, leading zero"
    given = find_setting(train, {"task": "add"}, parse_examples(b"123+45=168", "the tests")).setting
    assert (given.test_lengths, given.test_layout) == ((3,), None)


TESTS = {
    "another order": (
        lines(lambda a, b: f"{a}+{b}={str(a + b)[::-1]}"),
        r"the plain layout, and tests in the reversed layout, as '.*' \(the tests, line 1\): a mod",
    ),
    "another task": (
        lines(lambda a, b: f"{a}*{b}={a * b}"),
        r"the tests, line 1\).*task of training",
    ),
    "no padding": ("1+2=3\n12+34=46", r"are padded, and .* as '1\+2=3' \(the tests, line 1\) and"),
}


@pytest.mark.parametrize("name", TESTS)
def test_tests_of_another_format_are_refused_with_a_line(name: str) -> None:
    text, message = TESTS[name]
    width = 2 if name == "no padding" else 0
    train = lines(lambda a, b: f"{a:0{width}}+{b:0{width}}={a + b:0{width and 3}}")
    tests = parse_examples(text.encode(), "the tests")
    with pytest.raises(InvalidInput, match=message):
        find_setting(parse_examples(train.encode(), "the file"), {}, tests)


DAMAGED = {
    "nothing": (b"", "no examples"),
    "blank lines": (b"\n\n  \n", "no examples"),
    "comments": (b"# arith examples\n", "no examples"),
    "bytes": (b"\xff\xfe12+34", "no text"),
    "nulls": (b"1+1=2\0", "no text"),
    "words": (b"hello\nworld\n", "not read as examples of any task"),
    "wrong sums": (b"1+1=5\n2+2=9\n3+3=1\n7+5=9\n", "not read as examples of any task"),
    "broken JSON": (b'{"prompt": "1+1=", "answer": "2"}\n{"prompt": \n', "line 2: no JSON"),
    "an object with two lists": (
        b'{\n"train": [\n{"prompt": "1+1=", "answer": "2"}\n],\n"test": []}',
        r"line 1: no JSON: each example stands on one line, or all in a list: \{",
    ),
    "JSON of other things": (b'{"a": 1}\n', "line 1: it needs a prompt and an answer"),
    "no answer": (
        b'{"prompt": "1+1=", "answer": "2"}\n{"prompt": "1+2=", "output": null}\n',
        r"line 2: its output is null, and has to be text or a number, .*; \"\" is no answer",
    ),
    "a picture in a chat": (
        b'{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]}',
        "line 1: its user content is .*image_url.*, and has to be text",
    ),
    "a chat that says something else": (
        json.dumps(
            {
                "messages": [
                    {"role": "system", "content": "You are a helpful assistant. " * 10},
                    {"role": "user", "content": "12 + 34"},
                    {"role": "assistant", "content": "12 + 34 = 47"},
                ]
            }
        ).encode(),
        r"the first is '12 \+ 34 -> 12 \+ 34 = 47' \(.*file, line 1\)",
    ),
    "a long prompt": (
        json.dumps({"prompt": "Now please add. " * 20 + "12+34=", "answer": "47"}).encode(),
        r"the first is 'Now please add.* \.\.\. .*12\+34= -> 47' \(.*file, line 1\)",
    ),
    "an empty chat": (b'{"messages": []}\n', "one key of prompt, question, .*; it has none"),
    "two words": (b"hello world\n", r"the first is 'hello world' \(.*file, line 1\)"),
    "commas": (b"7,330 + 4,560 = 11,890\n" * 3, r"'7,330 \+ 4,560 = 11,890' .*without commas"),
    "a result that overflows": (
        "".join(
            f"${a:03}+{b:03}={a + b:03}\n" for a, b in [(12, 34), (5, 60), (363, 849)]
        ).encode(),
        r"'\$012\+034=046' .* results of 3 digits, and '\$363\+849=1212' \(.*line 3\) of 4; pad",
    ),
    "a chat without an answer": (
        b'{"messages": [{"role": "user", "content": "12+34="}, {"role": ["x"]}, 3]}',
        "line 1: it needs a prompt and an answer, .*; it has user, ",
    ),
    "a number in the words": (
        b'{"prompt": "Add these 2 numbers: 637 + 261 =", "answer": "898"}\n' * 20,
        "not read as examples of any task",
    ),
    "two lines": (b"What is 1 plus 4?\nA: 5\n", "each stands on one line: whole numbers"),
    "uneven CSV": (b"1,2,3\n1,2\n", "line 2: the first line has 3 columns, and this one 2"),
    "CSV without answers": (b"prompt,b\n1+1,2\n", "no column of answers"),
    "CSV of two columns": (
        b"12,46\n5,12\n",
        r"the first is '12,46' \(.*, line 1\); its columns are read as 1 operand and the answer",
    ),
    "JSON below text": (
        b'12+34=46\n{"prompt": "5+7=", "answer": "12"}\n',
        "line 2: it is JSON, and the lines before it are no JSON: write all in one way",
    ),
    "text below JSON": (
        b'{"prompt": "5+7=", "answer": "12"}\n12+34=46\n',
        "line 2: it is no JSON, and the lines before it are JSON",
    ),
    "two formats": (
        lines(lambda a, b: f"{a}+{b}={a + b if a % 2 else str(a + b)[::-1]}").encode(),
        r"one that is not is .*, line [\d,]+\); these are of a \+ b in base 10 in the "
        "(plain|reversed) layout: a file has one format",
    ),
    "deep JSON": (b'{"prompt": ' + b"[" * 10**5, "line 1: no JSON"),
    "superscripts": ("²+1=3\n".encode() * 5, "not read as examples of any task"),
    "cut gzip": (gzip.compress(b"1+1=2\n" * 1000)[:-20], "cannot be unpacked"),
    "long numbers": (b"%s+1=2\n" % (b"1" * 5000), "not read as examples"),
    "long right ones": (b"%s+1=%s2\n" % (b"1" * 300, b"1" * 299), "at most 200"),
}


@pytest.mark.parametrize("option", [{"layout": "plain"}, {"base": 8}, {"task": "sub"}])
def test_an_option_that_hides_what_a_file_has_is_named(option: dict[str, Any]) -> None:
    text = lines(lambda a, b: f"{a}+{b}={str(a + b)[::-1]}")
    [(name, value)] = option.items()
    with pytest.raises(
        InvalidInput, match=rf"; without --{name} {value}, [\d,]+ of [\d,]+ examples"
    ):
        found(text, **option)


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_gets_one_line(name: str, tmp_path: Path) -> None:
    data, message = DAMAGED[name]
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(InvalidInput, match=message) as caught:
        find_setting(read_examples(tmp_path / "file"), {})
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_gzip_and_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b"# how\n") + gzip.compress(b"12+34=46\n")  # as of joined files
    (tmp_path / "train.txt.gz").write_bytes(packed)
    assert read_examples(tmp_path / "train.txt.gz").prompts == ["12+34="]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
    assert read_examples(Path("-")).answers == ["46"]


def test_training_and_test_files_have_no_input_in_common() -> None:
    setting = Request("add", padding="none", train_digits="1-2", test_digits="2,3").setting()
    train, test = draw_examples(setting, 4_000, 0), drawn_tests(setting, 4_000)
    assert not set(train.prompts) & set(test.prompts)
    longest = [max(len(n) for n in x[:-1].split("+")) for x in test.prompts]
    # Each input once: so few of two digits are held out.
    assert longest.count(2) == 451 and longest.count(3) == 2_000
    assert draw_examples(setting, 50, 1) == draw_examples(setting, 50, 1)
    assert draw_examples(setting, 50, 1) != draw_examples(setting, 50, 2)


def test_inputs_are_gathered_when_they_are_asked_for() -> None:
    got = found("1+2=3\n1+2=3\n12+34=46\n")
    assert "inputs" not in vars(got)
    assert got.inputs == {(1, 2), (12, 34)}


def test_tests_beside_a_file_have_none_of_it_however_it_is_written() -> None:
    pairs = [(a, b) for a in range(10) for b in range(10) if (a * 7 + b) % 9]
    file = Examples([f"What is {a} + {b}? " for a, b in pairs], [str(a + b) for a, b in pairs])
    found = find_setting(file, {})
    test = drawn_tests(found.setting, 500, found.inputs).prompts
    short = {x for x in test if len(x) == len("1+2=")}
    assert found.inputs == {*pairs}
    assert len(short) == 100 - len(pairs) and not short & {f"{a}+{b}=" for a, b in pairs}


@pytest.mark.parametrize(
    "prompt", ["12+34= ", "12 + 34 = ", "Q: 12+34\nA: ", "12+34?", "12+34=?", "12+34:", "12+34!"]
)
def test_a_prompt_may_end_in_a_blank_or_in_a_mark(prompt: str) -> None:
    found = find_setting(Examples([prompt] * 3, ["46"] * 3), {})
    assert found.setting.task.text() == "a + b"


def test_a_question_mark_ends_prompts_of_every_base() -> None:
    pairs = [(a, b) for a in range(200) for b in range(0, 200, 9)]
    got = find_setting(
        Examples([f"{a:x}+{b:x}?" for a, b in pairs], [f"{a + b:x}" for a, b in pairs]), {}
    )
    assert (got.setting.base, got.fit) == (16, len(pairs))


def test_tests_beside_a_file_have_no_input_twice_and_none_of_the_file() -> None:
    setting = Request("add", padding="none", train_digits="2", test_digits="1-3").setting()
    found = find_setting(draw_examples(setting, 15_000, 0), {})
    trained = {f"{str(a)[::-1]}+{str(b)[::-1]}=" for a, b in found.inputs}
    test = drawn_tests(setting, 12_000, found.inputs).prompts
    assert len({*test}) == len(test) and not trained & {*test}
    longest = [max(len(n) for n in x[:-1].split("+")) for x in test]
    assert [longest.count(n) for n in (1, 2, 3)] == [100, 9_900 - len(trained), 4_000]


def test_lengths_are_met_by_their_weights() -> None:
    words = {"train_digits": "1-3", "train_weights": "1:1,2:1,3:8"}
    drawn = draw_examples(Request("add", padding="none", **words).setting(), 5_000, 0)
    three = sum(len(x) >= 6 for x in as_text(drawn, "").split("\n")[1:] if x)
    assert (
        0.78
        < len([p for p in drawn.prompts if max(map(len, p[:-1].split("+"))) == 3]) / 5_000
        < 0.82
    )
    assert three


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("row", ["prompt", "messages"])
def test_a_list_of_json_may_stand_under_one_key(row: str, indent: int | None) -> None:
    """On one line or on several, beside what is no list; two lists may not, nor does a chat."""
    rows: list[dict[str, Any]] = [{"prompt": f"{a}+12=", "answer": f"{a + 12}"} for a in range(9)]
    if row == "messages":
        rows = [
            {"messages": [{"role": "user", "content": x["prompt"]},
                          {"role": "assistant", "content": x["answer"]}]} for x in rows
        ]  # fmt: skip

    def read(data: Any) -> Examples:
        text = f"# made by me\n{json.dumps(data, indent=indent)}\n"
        return parse_examples(text.encode(), "the file")

    plain = read(rows)
    assert plain.prompts[3] == "3+12=" and plain.answers[3] == "15" and len(plain) == 9
    under = read({"version": 1, "data": rows})
    assert under == plain and under.quoted(2).endswith("(the file, entry 3)")
    if indent is None:
        assert read(rows[0]) == plain.some([0])
    with pytest.raises(InvalidInput, match="the file, line 2: "):
        read({"train": rows, "test": rows})


def test_json_lines_have_prompt_and_answer() -> None:
    drawn = draw_examples(Request("add", padding="none", layout="plain").setting(), 10, 0)
    first = json.loads(as_jsonl(drawn).split("\n")[0])
    a, b = first["prompt"].removesuffix("=").split("+")
    assert int(first["answer"]) == int(a) + int(b)
    with pytest.raises(InvalidInput, match="interleaved"):
        as_jsonl(draw_examples(Request("add", layout="interleaved").setting(), 10, 0))


def test_what_one_digit_does_not_show_is_said() -> None:
    """A file of one-digit results is read as plain, where it was written as reversed."""
    asked = Request("sub", layout="reversed, padded to 4 with zeros", train_digits="1")
    text = as_text(draw_examples(asked.setting(), 300, 0), "how")
    got, known = found(text), found(text, layout=asked.layout)
    said = (
        "results of one digit show no order of digits: the layout 'plain, padded to 4 with zeros'"
    )
    assert said in "\n".join(got.lines()) and "order" not in "\n".join(known.lines())
    (short, longer), (_, as_written) = (
        [x.at_most for x in predict(replace(x.setting, test_lengths=(1, 2))).lengths]
        for x in (got, known)
    )
    assert short == 1 and longer < as_written == predict(asked.setting()).lengths[1].at_most
    modular = found("1+2=3\n5+6=4\n3+4=0\n6+6=5\n", modulus=7)
    assert modular.assumed_lines()[0].startswith("operands of one digit show no order")


def chats(*turns: Callable[[int, int], tuple[str, str]]) -> str:
    """A chat for each of some pairs of numbers, with these prompts and answers."""
    roles = ("user", "assistant")
    return lines(
        lambda a, b: json.dumps(
            {
                "messages": [
                    {"role": role, "content": text}
                    for turn in turns
                    for role, text in zip(roles, turn(a, b), strict=True)
                ]
            }
        )
    )


def test_each_sum_of_a_chat_is_an_example_at_a_place_of_its_own() -> None:
    """A turn that all chats begin with shows what is asked for, and is none."""
    shown = ("1+2=", "3")
    one = found(chats(lambda a, b: shown, lambda a, b: (f"{a}+{b}=", str(a + b))))
    two = found(
        chats(lambda a, b: (f"{a}+{b}=", str(a + b)), lambda a, b: (f"{b}+{a}=", str(a + b)))
    )
    assert (one.fit, two.fit) == (len(PAIRS), 2 * len(PAIRS))
    assert one.phrasing.uneven_lines() == []
    # In front of the second sum stand the first, of 5 to 10 characters, and the ends of two turns.
    assert two.phrasing.uneven_lines() == [
        "the text around the numbers has no constant length (before a 0 to 11 characters): "
        "positions are as if it had"
    ]


WORDED: dict[str, tuple[Callable[[int, int], str], dict[str, tuple[int, int]]]] = {
    "constant": (
        lambda a, b: f"What is {a} plus {b}? {a + b}",
        {"a": (8, 8), "b": (6, 6), "the result": (1, 1)},
    ),
    "names": (
        lambda a, b: f"{('Al', 'Max')[a % 2]} has {a} and {b}: {a + b}",
        {"a": (7, 8), "b": (5, 5), "the result": (1, 1)},
    ),
    "an operand again": (
        lambda a, b: json.dumps({"prompt": f"{a}+{b}", "answer": f"{a}+{b} = {a + b}"}),
        {"a": (0, 0), "b": (1, 1), "the result": (6, 8)},
    ),
    "columns": (lambda a, b: f"{a},{b},{a + b}", {}),
}


@pytest.mark.parametrize("name", WORDED)
def test_text_of_several_lengths_around_numbers_is_a_premise(name: str) -> None:
    write, lengths = WORDED[name]
    got = found(lines(write), pe="ape")
    assert got.phrasing.lengths == lengths
    assert got.to_json()["around"] == {place: list(x) for place, x in lengths.items()}
    uneven = [x for x, (least, most) in lengths.items() if least < most]
    said = [x for x in got.lines() if x.startswith("the text around the numbers")]
    assert len(said) == bool(uneven) and all(f"before {x} " in said[0] for x in uneven)


def test_what_a_file_repeats_at_a_regular_distance_is_not_missed() -> None:
    some = Examples([str(i % 3) for i in range(9_000)], [""] * 9_000).sample(1_000)
    assert len(some) == 1_000 and {*some.prompts} == {"0", "1", "2"}
