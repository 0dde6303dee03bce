"""A prediction as LaTeX: the same functions and table, in what a plain LaTeX can set."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from builders.command_line import run_cli
from builders.strategies import examples, learned_functions
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.counting.learned import LearnedFunction
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.text.latex import formula, latex

AS_PYTHON = {
    r"\bmod": "%",
    r"\cdot": "*",
    "^": "**",
    "{": "",
    "}": "",
}
REQUESTS = (
    {"task": "mod_add", "modulus": 101, "train_digits": "2"},  # ± and ≈
    {"expr": "((a**2)*b + 3) % 7", "train_digits": "9"},  # a power, below 1
    {"task": "add", "pe": "randomized"},  # no f^
    {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 5, "layers": 1},
    {"task": "sub", "base": 4, "train_digits": "2"},  # a range
    {"task": "add", "train_domain": "every", "train_allowed": ("2:6-9",)},
)


@examples(30)
@given(learned_functions(), st.data())
def test_a_formula_is_the_function(
    learned: tuple[LearnedFunction, Domain], data: st.DataObject
) -> None:
    f, _ = learned
    values = {name: data.draw(st.integers(0, 10**6)) for name in f.task.names}
    for text, expected in (
        (f.text(), f.evaluate(*values.values())),
        (f.task.text(), f.task.evaluate(*values.values())),
    ):
        written = formula(text)
        assert written.isascii()
        for command, python in AS_PYTHON.items():
            written = written.replace(command, python)
        assert eval(written, dict(values)) == expected


def test_a_function_of_digits_stands_upright() -> None:
    assert formula("max_digit(a)") == r"\operatorname{max\_digit}(a)"


def test_the_command_prints_it() -> None:
    words = ("predict", "--task", "mod_add", "--modulus", "101", "--train-digits", "2", "--latex")
    done = run_cli(*words)
    assert done.out.startswith(
        r"""% (a + b) mod 101, base 10, APE, aligned layout, trained on D_2
\begin{align*}
  f(a, b) &= (a + b) \bmod 101 \\
  \hat{f}(a, b) &= ((a \bmod 100) + (b \bmod 100)) \bmod 101
\end{align*}
\begin{tabular}"""
    )
    [row] = [line for line in done.out.splitlines() if "49/4950" in line]
    cells = [cell.strip() for cell in row.removesuffix(r"\\").split("&")]
    assert cells == ["4", "longer", r"49/4950 $\approx$ 0.0099 $\pm$ 0.01", "exact"]
    refused = run_cli(*words, "--json")
    assert refused.code == 2 and "without --json" in refused.err


@pytest.mark.parametrize("words", REQUESTS, ids=str)
def test_every_sign_is_one_that_latex_has(words: dict) -> None:
    comment, _, body = latex(predict(Request(**words).setting())).partition("\n")
    assert comment.startswith("% ") and body.isascii()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_sets_it(tmp_path: Path) -> None:
    pages = "\n\n".join(latex(predict(Request(**words).setting())) for words in REQUESTS)
    head = "\\documentclass{article}\\usepackage{amsmath,booktabs}\\begin{document}\n"
    (tmp_path / "a.tex").write_text(f"{head}{pages}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
