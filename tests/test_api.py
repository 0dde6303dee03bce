"""arith from Python: the commands' answers as objects, and their errors."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from builders.command_line import run_cli
from builders.paths import REPORTS, ROOT

from arith import InvalidInput, Judged, predict, report, verify
from arith.theory.setting.requests import Request, options_of
from arith.verify import pipeline
from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.plan.grids import grid
from arith.verify.plan.plan import Plan

HEADLINE = len(grid("headline"))


def test_importing_it_imports_nothing_slow() -> None:
    program = "import sys, arith; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert not {"torch", "matplotlib", "pandas", "typer"} & set(done.stdout.split())


def test_a_prediction_is_the_commands_text_with_exact_values() -> None:
    got = predict("mod_add", modulus=101, pe="ape", train_digits=2)
    words = ("--task", "mod_add", "--modulus", "101", "--pe", "ape", "--train-digits", "2")
    printed = run_cli("predict", *words, width=80).out
    assert repr(got).split() == printed.split()
    assert (got.accuracy[1], got.accuracy[4]) == (None, Fraction(49, 4950))
    assert got.function == "Mod(Mod(a, 100) + Mod(b, 100), 101)"
    assert repr(got.explain()).split() == run_cli("predict", *words, "--explain").out.split()


def test_options_are_taken_as_python_has_them() -> None:
    asked: dict[str, Any] = {"pe": "rpe", "layout": "interleaved", "window": 6, "base": 6}
    got = predict(expr="(2*a + 3*b) % 12", test_digits=range(1, 5), train_digits=[2, 3], **asked)
    assert [x.digits for x in got.lengths] == [1, 2, 3, 4]
    assert got.setting.train.lengths == (2, 3) and got.setting.window == 6
    narrow = predict("add", train_allowed=("2:6-9",), modulus=None)
    assert narrow.setting.train.allowed == ((2, (6, 7, 8, 9)),)


def test_every_option_of_a_setting_is_shown() -> None:
    for function in (predict, verify):
        assert {*options_of(Request)} <= {*inspect.signature(function).parameters}
        assert "test_domain: The same values as train_domain." in str(function.__doc__)
    assert {"model", *options_of(Plan)} <= {*inspect.signature(verify).parameters}
    assert "budget: Most training steps per model." in str(verify.__doc__)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: predict("mod_ad"), "did you mean 'mod_add'?"),
        (lambda: predict("add", train_digit=3), "unknown option 'train_digit'; did you mean 't"),
        (lambda: predict("add", pe="rop"), "did you mean 'rope'?"),
        (lambda: predict("add", base="ten"), "'ten' is no value for 'base'"),
        (lambda: predict("add", train_allowed="1:2"), "no value for 'train_allowed', which takes"),
        (lambda: predict("add", train_digits="x"), "^train_digits 'x' is no list of lengths"),
        (lambda: predict("add", expr="a"), "^give task or expr, not both"),
        (lambda: verify(), "say what to verify"),
        (lambda: verify(grid="smok"), "did you mean 'smoke'?"),
        (lambda: verify(grid="smoke", pe="rpe"), r"give grid or the options of one cell \(pe\)"),
        (lambda: verify("add", model="pic"), "did you mean 'pico'?"),
        (lambda: verify("add", recipe="papr"), "did you mean 'paper'?"),
        (lambda: verify("add", recipe=3), "3 is no value for 'recipe', which takes a name"),
        (lambda: verify("add", seeds="3"), "'3' is no value for 'seeds', which takes a whole"),
        (lambda: verify("add", seeds=0), "^seeds goes from 1"),
        (lambda: report("nothing"), "unknown grid 'nothing'"),
        (lambda: report("full", folder="docs"), "no evidence docs/full/evidence.jsonl"),
        (lambda: predict("add", window=10**5000), "'window' is a number of more than 300 digits"),
        (lambda: predict("add", test_digits=[1, -(10**5000)]), "'test_digits' is a number of more"),
        (
            lambda: predict("add", test_digits=range(1, 10**30)),
            "'test_digits' has more than 10,000",
        ),
        (lambda: verify("add", seeds=10**5000), "'seeds' is a number of more than 300 digits"),
    ],
)
def test_an_error_is_one_line_in_the_words_of_python(ask: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message.replace("?", r"\?")) as raised:
        ask()
    assert "\n" not in str(raised.value) and "--" not in str(raised.value)


def test_models_are_trained_as_asked_and_kept_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = list[Plan]()
    monkeypatch.setattr(pipeline, "verify", lambda plan, store: plans.append(plan) or [])
    asked: dict[str, Any] = {"store": tmp_path / "s.sqlite", "seeds": 2}
    verify("add", **asked, keep_models=tmp_path / "models")
    verify(grid="factors", **asked)
    verify(grid="factors", **asked, recipe="default")
    assert [plan.seeds for plan in plans] == [2, 2, 2]
    assert [plan.folders.models for plan in plans] == [tmp_path / "models", None, None]
    assert [plan.recipe and plan.recipe.name for plan in plans] == [None, "dense-noise", None]


def test_html_has_what_the_text_has() -> None:
    shown = predict(expr="(a + b) % 12", base=6)._repr_html_()
    assert "<table>" in shown and "<b>(a + b) mod 12 in base 6" in shown
    assert "±" not in shown or "<td" in shown
    assert "a &lt; b" not in shown


def test_a_prediction_as_a_table() -> None:
    frame = predict("mul", train_digits=3, test_digits=4).to_frame()
    assert list(frame["accuracy"]) == ["1/5500"] and frame["accuracy_float"][0] == 1 / 5500


def test_tables_of_several_settings_make_one_of_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    asked = [predict("mul", base=10), predict("add", pe="rpe", window=6, layout="interleaved")]
    asked.append(predict(expr="a + 2*b", train_digits="2+3", train_priming=["5:0.01"]))
    table = pandas.concat([x.to_frame() for x in asked], ignore_index=True)
    numbers = ("accuracy", "at_most", "at_least", "unseen_share", "learned_accuracy")
    for name in numbers:
        known = table[table[name].notna()]
        assert table[f"{name}_float"].dtype == float
        assert [float(Fraction(x)) for x in known[name]] == list(known[f"{name}_float"])
    first = table.groupby("task").first()
    assert list(first.loc["a + 2*b", ["train_digits", "train_priming"]]) == ["2+3", "5:1/100"]
    assert list(first.loc["add", ["encoding", "layout", "window"]]) == ["rpe", "interleaved", 6]


def test_evidence_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = report("headline").to_frame()
    monkeypatch.chdir(tmp_path)
    assert report("headline").to_frame().equals(here)
    assert {"task", "encoding", "model", "at_least_float"} <= set(here.columns)
    assert not list(tmp_path.iterdir())


def test_without_pandas_a_table_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InvalidInput, match="to_frame needs pandas: pip install pandas"):
        predict("add").to_frame()


@pytest.mark.parametrize("asked", ["headline", REPORTS / "headline"])
def test_a_report_is_the_judged_evidence(
    asked: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    got = report(asked)
    assert got.verdict == "diverge" and len(got.verdicts) == HEADLINE
    monkeypatch.setenv("COLUMNS", "80")
    printed = run_cli("report", "--grid", "headline", "--check", width=80)
    assert repr(got).split() == printed.out.split()
    frame = got.to_frame()
    assert set(frame["verdict"]) <= {"agree", "diverge", "premise", "undetermined"}
    assert (frame["verdict"] == "diverge").sum() == 1  # its cause is named
    assert len(frame) == sum(len(v.lengths) for v in got.verdicts)
    assert frame["measured"].between(frame["low"], frame["high"]).all()


def test_a_plot_has_a_panel_per_cell_and_is_drawn_by_notebooks(
    headline: list[CellVerdict],
) -> None:
    [fraction] = [v for v in headline if "mod 150" in v.name]
    got: Any = Judged([fraction, headline[0]]).plot()
    first, second = (ax for ax in got.axes if ax.get_title())
    assert (first.get_title(), second.get_title()) == (fraction.name, headline[0].name)
    claims = [x for x in first.lines if str(x.get_label()).startswith("predicted")]
    heights = [float(x.get_ydata()[0]) for x in claims]
    assert heights[-1] == pytest.approx(1 / 3, abs=0.01)
    assert got._repr_png_().startswith(b"\x89PNG")


def test_what_is_not_trained_is_not_drawn() -> None:
    with pytest.raises(InvalidInput, match="no cell is trained"):
        Judged([judge(cell, []) for cell in grid("smoke")]).plot()


def test_the_page_on_python_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page, flags = str(ROOT / "docs" / "python.md"), doctest.ELLIPSIS
    found = doctest.testfile(page, module_relative=False, optionflags=flags)
    assert found.attempted >= 10
    assert found.failed == 0
