"""What the commands print fits the terminal: no word is broken, and answers take one screen."""

from __future__ import annotations

import io
import re

import pytest

from arith.printing import (
    prediction_parts,
    print_json,
    print_list,
    print_parts,
    print_table,
    print_text,
    shown,
    verdict_parts,
    waiting,
)
from arith.theory.prediction.predict import predict
from arith.theory.rules import RULES
from arith.theory.setting.requests import Request
from arith.theory.text.catalogue import (
    ENCODING_COLUMNS,
    LAYOUT_COLUMNS,
    RULES_IN_SHORT,
    TASK_COLUMNS,
    encoding_rows,
    layout_rows,
    rules_in_short,
    task_rows,
)

WIDTHS = (40, 80, 200)
TABLES = [
    (tuple(TASK_COLUMNS.values()), task_rows),
    (tuple(ENCODING_COLUMNS.values()), encoding_rows),
    (tuple(LAYOUT_COLUMNS.values()), layout_rows),
    (RULES_IN_SHORT, lambda: rules_in_short()["constants"]),
]


def words(text: str) -> set[str]:
    return set(re.findall(r"\S+", text))


@pytest.fixture
def lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> object:
    """What was printed on a terminal of some width, line by line."""
    monkeypatch.setenv("COLUMNS", str(width))
    return lambda: capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("columns", "rows"), TABLES, ids=[c[0] for c, _ in TABLES])
def test_no_word_of_a_table_is_broken(columns, rows, width, lines) -> None:  # type: ignore[no-untyped-def]
    found = rows()
    print_table(columns, found)
    shown = lines()
    assert max(map(len, shown)) <= width
    whole = {w.rstrip(";") for w in words(" ".join(shown))}
    assert {w.rstrip(";") for row in found for text in row for w in words(text)} <= whole


@pytest.mark.parametrize("width", [80])
@pytest.mark.parametrize("explain", [False, True])
def test_an_answer_takes_one_screen(explain: bool, width: int, lines) -> None:  # type: ignore[no-untyped-def]
    print_parts(prediction_parts(predict(Request("mod_mul", modulus=125).setting()), explain))
    shown = lines()
    assert len(shown) < (33 if explain else 24)
    assert max(map(len, shown)) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_piped_output_has_no_colour(width: int, lines, headline) -> None:  # type: ignore[no-untyped-def]
    print_parts(prediction_parts(predict(Request("mul").setting()), explain=True))
    print_parts(verdict_parts(headline))
    print_parts(verdict_parts(headline[:1]))
    text = "\n".join(lines())
    assert "\x1b" not in text
    assert "inconclusi " not in text and "\nve" not in text


@pytest.mark.parametrize("width", [80])
def test_a_grid_takes_one_screen(width: int, lines, headline) -> None:  # type: ignore[no-untyped-def]
    print_parts(verdict_parts(headline))
    shown = lines()
    assert len(shown) < 25
    word = r"(agree \d+/\d+|diverge .*|no claim|inconclusive|-)"
    table = [x for x in shown if re.search(rf" {word} +{word} *$", x)]
    for v, line in zip(headline, table, strict=True):
        assert v.cell.setting.task.text() in line
    assert f"{len(headline)} of {len(headline)} cells converged; " in " ".join(shown[-2:])
    assert "per cell, " in shown[-3] and "within 0.02" in shown[-4]


@pytest.mark.parametrize("width", [30])
def test_long_words_are_left_whole(width: int, lines) -> None:  # type: ignore[no-untyped-def]
    formula = "Mod(Mod(a,1000000000000)*Mod(b,1000000000000),125)"
    print_text(f"f^ = {formula}")
    assert formula in lines()


def test_lists_have_an_entry_for_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert {row[0] for rows in rules_in_short().values() for row in rows} == {*RULES}
    assert max(len(rule.summary) for rule in RULES.values()) <= 55
    print_list({"a": "A"}, [["1"]], as_json=True)
    assert capsys.readouterr().out == '[\n  {\n    "a": "1"\n  }\n]\n'


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_work_is_said_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, says in ((_Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr("sys.stderr", stream)
        with waiting("predicting"):
            pass
        assert ("predicting" in stream.getvalue()) == says
        assert [*shown("ab", "letters done")] == ["a", "b"]
        assert ("2 of 2 letters done" in stream.getvalue()) == says


def test_json_has_no_number_that_is_none() -> None:
    with pytest.raises(ValueError, match="JSON"):
        print_json({"accuracy": float("nan")})
