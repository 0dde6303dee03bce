"""Natural lengths in a model: places, and padding that nobody sees."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from builders.cells import natural_cell
from builders.layouts import NATURAL
from builders.tiny_models import untrained

from arith.theory.errors import InvalidInput
from arith.theory.setting.encodings import ENCODINGS
from arith.verify.model.measure import answers
from arith.verify.model.positions import Natural
from arith.verify.plan.cells import Cell
from arith.verify.plan.natural_sequences import NaturalFormat
from arith.verify.plan.sampling import Sampler

CELLS = [(pe, form) for pe in ENCODINGS for form in ("aligned", "hinted", "spaced")] + [
    ("ape", "plain"),
    ("rope", "reversed"),
    ("abacus", "plain"),
    ("coupled", "reversed"),
    ("ape", "interleaved"),
    ("rpe", "interleaved"),
]


def examples(cell: Cell, number: int = 40) -> np.ndarray:
    fmt = cell.format_for(3)
    return Sampler(fmt, cell.setting.train).sample(number, np.random.default_rng(0))


def test_the_numbers_of_digits_are_those_of_the_layout() -> None:
    """12 + 345 = 357, in the order in which each number is written."""
    expected = {
        ("abacus", "aligned"): [-1, 1, 2, -1, 1, 2, 3, -1, 1, 2, 3],
        ("abacus", "reversed"): [-1, 1, 2, -1, 1, 2, 3, -1, 1, 2, 3],
        ("coupled", "aligned"): [0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3],
        ("coupled", "reversed"): [0, 2, 1, 0, 3, 2, 1, 0, 1, 2, 3],
        ("coupled", "hinted"): [0, 1, 1, 2, 2, 0, 1, 1, 2, 2, 3, 3, 0, 1, 1, 2, 2, 3, 3],
    }
    # A space before the 2, the 5 and the 3: no digit is counted otherwise.
    expected["abacus", "spaced"] = [-1, -1, 1, 2, -1, -1, 1, 2, -1, 3, -1, 1, 2, 3]
    expected["coupled", "spaced"] = [0, -1, 1, 2, 0, -1, 1, 2, -1, 3, 0, 1, 2, 3]
    spaces = np.array([[[1, 0, 1], [1, 0, 1]]], dtype=bool)
    operands = np.array([[[2, 1, 0], [5, 4, 3]]])
    for (pe, form), numbers in expected.items():
        c = natural_cell(pe, form)
        fmt = c.format_for(3)
        assert isinstance(fmt, NaturalFormat)
        there = spaces if form == "spaced" else None
        tokens = torch.from_numpy(fmt.write(operands, fmt.results(operands), spaces=there))
        assert c.numbering is not None
        places = Natural(c.numbering, tokens)
        seen = ~places.hidden[0]
        assert places.number[0][seen].tolist()[:-1] == numbers  # the last is <end>
        assert places.index[0][seen].tolist() == list(range(len(numbers) + 1))


@pytest.mark.parametrize(("pe", "form"), CELLS)
def test_padding_changes_no_answer(pe: str, form: str) -> None:
    """The logits of an example are the same alone and beside longer ones."""
    c = natural_cell(pe, form)
    model, operands = untrained(c, std=0.6), np.pad(examples(c), ((0, 0), (0, 0), (0, 2)))
    wide = c.format_for(5)
    tokens = wide.write(operands, wide.results(operands))
    assert isinstance(wide, NaturalFormat)
    with torch.no_grad():
        together = model(torch.from_numpy(tokens)[:, :-1])
        for row, logits in zip(tokens, together, strict=True):
            seen = row != wide.padding
            alone = model(torch.from_numpy(row[seen])[None, :-1])[0]
            assert torch.allclose(logits[seen[:-1]][: len(alone)], alone, atol=1e-4)


def test_in_the_interleaved_layout_results_alone_are_asked_for() -> None:
    c = natural_cell("rpe", "interleaved")
    fmt = c.format_for(3)
    operands = np.array([[[5, 9, 0], [6, 0, 0]], [[1, 0, 0], [2, 0, 0]]])  # 95 + 6, 1 + 2
    tokens = torch.from_numpy(fmt.write(operands, fmt.results(operands)))
    assert c.numbering is not None and c.numbering.together == 3
    asked = Natural(c.numbering, tokens).asked
    assert tokens[asked].tolist() == [1, 0, 1, c.numbering.end, 3, c.numbering.end]


@pytest.mark.parametrize("form", [*NATURAL, "interleaved"])
def test_answers_are_what_greedy_decoding_gives(form: str) -> None:
    c = natural_cell("rpe", form)
    model, operands = untrained(c, std=0.6), examples(c)
    if form == "interleaved":  # all of one length: shorter ones are written in other columns
        operands[:, 0, -1] = 1
    fmt = c.format_for(3)
    assert isinstance(fmt, NaturalFormat)
    sequence = torch.from_numpy(fmt.write(operands, fmt.results(operands)))
    written = sequence[:, fmt.written_slots]
    sequence[:, fmt.written_slots] = 0 * written + (0 if form == "interleaved" else fmt.padding)
    ended = torch.zeros(len(sequence), dtype=torch.bool)
    with torch.no_grad():
        for slot in fmt.written_slots:
            said = model(sequence[:, :slot])[:, -1].argmax(1)
            sequence[:, slot] = torch.where(ended, fmt.padding, said)
            ended |= said == fmt.end
    expected = fmt.read(sequence[:, fmt.written_slots].numpy())
    assert (answers(model, c, operands) == expected).all()
    # A model that knows nothing rarely writes digits where digits stand between other tokens.
    assert fmt.layout.result_tokens > 1 or len(np.unique(expected, axis=0)) > 1


def test_what_cannot_be_written_is_refused() -> None:
    for pe, form in (("abacus", "interleaved"), ("ape", "bare"), ("coupled", "plain")):
        with pytest.raises(InvalidInput):
            natural_cell(pe, form)
