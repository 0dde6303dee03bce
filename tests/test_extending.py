"""The page on additions of one's own: its script runs, and what it adds is known everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from builders.cells import cell
from builders.paths import ROOT
from builders.tiny_models import untrained
from torch import nn

from arith.theory.arithmetic.tasks import TASKS
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.text.catalogue import encoding_rows, layout_rows
from arith.theory.transformer.encodings import ENCODINGS, Encoding
from arith.theory.transformer.layouts import LAYOUTS
from arith.verify.model.positions import POSITIONS, Learned, PositionalEncoding
from arith.verify.plan.sizes import SIZES, size

PAGE = ROOT / "docs" / "extending.md"
TABLES: tuple[dict, ...] = (TASKS, LAYOUTS, SIZES, ENCODINGS, POSITIONS)


@pytest.fixture
def tables_as_they_were() -> Iterator[None]:
    before = [dict(table) for table in TABLES]
    yield
    for table, rows in zip(TABLES, before, strict=True):
        table.clear()
        table.update(rows)


def scripts() -> list[str]:
    """The script of the page, and the module of an absolute encoding."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)


def test_the_module_of_an_absolute_encoding_does_as_the_learned_one() -> None:
    _, module = scripts()
    names = {"torch": torch, "nn": nn, "PositionalEncoding": PositionalEncoding}
    exec(module, names)
    tokens = cell(digits=2).format.tokens
    ours, usual = names["FromStart"](tokens, size("pico")), Learned(tokens, size("pico"))
    usual.table = ours.table
    x = torch.zeros(2, len(tokens), size("pico").width)
    index = torch.randint(len(tokens), (2, len(tokens)))
    for where in (index[0], index):
        places = SimpleNamespace(index=where, rows=lambda table, where=where: table[where])
        assert torch.equal(ours.embed(x, places), usual.embed(x, places))


@pytest.mark.training
@pytest.mark.usefixtures("tables_as_they_were")
def test_the_script_adds_predicts_trains_and_judges(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With too few steps to learn, and few inputs."""
    script, _ = scripts()
    monkeypatch.setattr("arith.verify.plan.inputs.SAMPLES", 200)
    assert "budget=6000" in script
    exec(script.replace("budget=6000", "budget=50"), {"__name__": "extending"})
    first, *lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"in domain 0\.\d{3}: inconclusive", first)  # after 50 steps
    assert [line.split()[:2] for line in lines] == [[str(n), "generalizes"] for n in range(1, 7)]
    assert "kerple" in {row[0] for row in encoding_rows()}
    assert "unsigned" in {row[0] for row in layout_rows()}
    assert size("small").width == 32
    got = predict(Request("lean", pe="kerple", layout="unsigned", test_digits="4").setting())
    assert "selection" in {step.rule for step in got.derivation}
    assert got.setting.task.evaluate(3, 4) == 17


def test_an_encoding_of_facts_that_make_no_sense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown selection 'ordre'; did you mean 'order'"):
        Encoding("kerple", "relative", False, "", "", selection="ordre")
    with pytest.raises(InvalidInput, match="unknown reference 'relativ'; did you mean 'relative'"):
        Encoding("kerple", "relativ", False, "", "")
    with pytest.raises(InvalidInput, match="merged_from is for relative encodings"):
        Encoding("clipped", "absolute", True, "", "", merged_from=8)
    with pytest.raises(InvalidInput, match="'kerple' is entered as 'kerpel': give it one name"):
        ENCODINGS["kerpel"] = Encoding("kerple", "relative", False, "", "")


@pytest.mark.usefixtures("tables_as_they_were")
def test_where_offsets_share_an_address_no_bound_rests_on_it() -> None:
    """Of numbers of natural length in reverse: training shows offsets 3 to 15 for a's digits."""
    asked = Request("add", pe="clipped", padding="none", layout="reversed", train_digits="1-5")
    bounds = {}
    for first in (0, 8, 16):
        row = replace(ENCODINGS["t5"], name="clipped", merged_from=first)
        ENCODINGS["clipped"] = row
        found = predict(replace(asked, test_digits="6").setting())
        bounds[first] = found.lengths[0].at_most
        if first == 16:
            [address] = [x.statement for x in found.derivation if x.rule == "address"]
            assert "at offset 16 or more, where training never showed it (3 to 15)" in address
            assert "chances" not in address
    assert bounds[0] < bounds[16] < 1 == bounds[8]
    padded = Request("add", pe="clipped", test_digits="5")
    for first, rule in ((4, "selection"), (64, "landmark")):
        ENCODINGS["clipped"] = replace(ENCODINGS["t5"], name="clipped", merged_from=first)
        assert rule in {step.rule for step in predict(padded.setting()).derivation}


@pytest.mark.usefixtures("tables_as_they_were")
@pytest.mark.parametrize("base", [PositionalEncoding, nn.Module])
def test_a_module_that_adds_no_positions_is_refused(base: type) -> None:
    """As one with a misspelled method has none, unless its encoding has none either."""
    ENCODINGS["mine"] = replace(ENCODINGS["alibi"], name="mine")
    POSITIONS["mine"] = type("Mine", (base,), {"biases": PositionalEncoding.bias})
    with pytest.raises(InvalidInput, match=r"^Mine, the module of mine, adds no positions: .*scor"):
        untrained(cell(pe="mine"))
    ENCODINGS["mine"] = replace(ENCODINGS["nope"], name="mine")
    POSITIONS["mine"] = type("Mine", (PositionalEncoding,), {})
    assert untrained(cell(pe="mine")).position is not None
