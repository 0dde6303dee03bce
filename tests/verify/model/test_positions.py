"""Where tokens stand: natural lengths, padding that nobody sees, and random indices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from builders.cells import cell, natural_cell
from builders.layouts import NATURAL
from builders.tiny_models import untrained

from arith.theory.errors import InvalidInput
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import INDICES, layout
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import NaturalFormat
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers
from arith.verify.model.positions import (
    POSITIONS,
    Columns,
    Natural,
    Padded,
    PositionalEncoding,
    RandomIndices,
    Randomized,
)
from arith.verify.plan.cells import Cell
from arith.verify.plan.sizes import Size

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
    # Blanks up to five places: no digit is counted otherwise.
    filled = ", padded to 5 with spaces"
    expected["coupled", f"aligned{filled}"] = [0, 1, 2, *[-1] * 3, 0, 1, 2, 3, -1, -1, 0, 1, 2, 3]
    expected["abacus", f"plain{filled}"] = [*[-1] * 4, 1, 2, *[-1] * 3, 1, 2, 3, -1, 1, 2, 3]
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


def test_a_bias_of_another_shape_than_the_scores_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Flat(PositionalEncoding):
        def bias(self, q: torch.Tensor, slots: object, keys: int, layer: int) -> torch.Tensor:
            return torch.zeros(7, 3)

    monkeypatch.setitem(ENCODINGS, "flat", replace(ENCODINGS["nope"], name="flat"))
    monkeypatch.setitem(POSITIONS, "flat", Flat)
    net = untrained(cell(pe="flat"))
    with pytest.raises(ValueError, match=r"^Flat.bias gives the shape \(7, 3\); \(H, S, T\) is "):
        net(torch.zeros(1, 4, dtype=torch.long))


@pytest.mark.parametrize(("pe", "form"), CELLS)
def test_padding_changes_no_answer(pe: str, form: str) -> None:
    """The logits of an example are the same without any padding and beside longer ones."""
    c = natural_cell(pe, form)
    model, operands = untrained(c, std=0.6), np.pad(examples(c), ((0, 0), (0, 0), (0, 2)))
    wide = c.format_for(5)
    tokens = torch.from_numpy(wide.write(operands, wide.results(operands)))
    assert isinstance(wide, NaturalFormat)
    with torch.no_grad():
        together = model(tokens[:, :-1])
        for seen in (tokens != wide.padding).unique(dim=0):
            rows = ((tokens != wide.padding) == seen).all(1)
            alone = model(tokens[rows][:, seen][:, :-1])
            padded = together[rows][:, seen[:-1]][:, : alone.shape[1]]
            assert torch.allclose(padded, alone, atol=1e-4)


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


PES = ["randomized", "randomized-fire"]
FORMS = [*NATURAL, "interleaved"]
SEQUENCE = layout("aligned").tokens((3, 3), 4)[:-1]


def noise(examples: int, seed: int = 0) -> torch.Tensor:
    drawn = np.random.default_rng(seed).integers(
        0, 256, (examples, Randomized.random_bytes), dtype=np.uint8
    )
    return torch.from_numpy(drawn)


def padded(tokens: torch.Tensor, noise: torch.Tensor | None = None) -> Padded:
    return Padded(Columns(SEQUENCE), tokens, noise)


def written(c: Cell, digits: int, fmt: NaturalFormat | None = None) -> torch.Tensor:
    """Examples whose longest operand has so many digits, some with the longest result."""
    form = fmt or c.format_for(digits)
    rng = np.random.default_rng(0)
    operands = rng.integers(c.setting.base, size=(40, c.setting.task.operands, form.digits))
    operands[:, :, digits:] = 0
    operands[:, 0, digits - 1] = 1
    operands[0, :, :digits] = c.setting.base - 1
    return torch.from_numpy(form.write(operands, form.results(operands)))


def test_in_training_every_subset_is_as_likely_as_any_other() -> None:
    draw, number = RandomIndices(), len(SEQUENCE)
    tokens = torch.zeros(20_000, number, dtype=torch.long)
    found = draw(padded(tokens, noise(20_000)))
    assert (found.diff(dim=1) > 0).all() and found.min() >= 0 and found.max() < INDICES
    mean = (torch.arange(number) + 1) * (INDICES + 1) / (number + 1) - 1
    assert torch.allclose(found.double().mean(0), mean.double(), atol=0.5)
    often = torch.bincount(found.flatten(), minlength=INDICES) / (20_000 * number / INDICES)
    assert (often - 1).abs().max() < 0.15
    again = draw(padded(tokens[:100], noise(100, seed=1)))
    assert (again != found[:100]).any(1).all()


def test_in_evaluation_the_operands_say_which_indices() -> None:
    draw, first = RandomIndices(), torch.arange(len(SEQUENCE)) % 10
    other = torch.stack([first, first])
    other[0, -1] = 9 - first[-1]  # a digit of the result
    other[1, 1] = 9 - first[1]  # one of an operand
    [one, same, apart] = draw(padded(torch.stack([first, *other])))
    assert torch.equal(one, same) and not torch.equal(one, apart)
    assert (one.diff() > 0).all() and (apart.diff() > 0).all()
    assert torch.equal(RandomIndices()(padded(first[None]))[0], one)  # of any model
    assert torch.equal(draw(padded(first[None, :-2]))[0], one[:-2])  # and while it is written


@pytest.mark.parametrize("form", FORMS)
def test_there_is_an_index_for_each_token_of_the_longest_result(form: str) -> None:
    c = natural_cell("randomized", form)
    assert c.numbering is not None
    for digits in range(1, c.setting.longest + 1):
        tokens = written(c, digits)
        places = Natural(c.numbering, tokens)
        before = (tokens == c.numbering.end).long().argmax(1) - (~places.hidden).long().argmax(1)
        assert (places.room >= before).all()
        assert places.room[0] == before[0]  # the longest operands, and the longest result


@pytest.mark.parametrize("form", FORMS)
def test_the_indices_are_those_of_the_question(form: str) -> None:
    """Alone, beside longer examples, and whatever is written of the result."""
    c = natural_cell("randomized", form)
    fmt, how = c.format_for(3), c.numbering
    assert isinstance(fmt, NaturalFormat) and how is not None
    draw, tokens = RandomIndices(), written(c, 3)
    seen = draw(Natural(how, tokens))
    is_real = tokens < how.end
    is_real |= tokens > how.end + 1
    for row, at, real in zip(tokens, seen, is_real, strict=True):
        assert (at[real].diff() > 0).all()
        alone = row[row != fmt.padding][None]
        assert torch.equal(draw(Natural(how, alone))[0][:-1], at[real])
    for token in (0, 1, how.end - 1, how.end, how.end + 1):  # a digit, a sign, the end, padding
        garbled = tokens.clone()
        garbled[:, fmt.written_slots] = token
        places = Natural(how, garbled)
        assert torch.equal(places.room, Natural(how, tokens).room)
        first = int(fmt.written_slots[0])
        assert torch.equal(draw(places)[:, :first], seen[:, :first])


@pytest.mark.parametrize("pe", PES)
def test_of_indices_one_after_the_other_it_is_the_encoding_without_chance(
    pe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = {"randomized": "ape", "randomized-fire": "fire"}[pe]
    nets = [GPT(Size(2, 2, 16), 10, SEQUENCE, name, 0, seed=0) for name in (pe, plain)]
    for net in nets:
        torch.manual_seed(0)
        for name, p in net.named_parameters():
            if not name.startswith("position"):
                torch.nn.init.normal_(p, std=0.4)
    first, second = (net.position for net in nets)
    for name, p in second.named_parameters():
        torch.nn.init.normal_(p, std=0.4)
        first.get_parameter(name).data[: len(p)] = p.data
    tokens = torch.from_numpy(np.random.default_rng(0).integers(0, 10, (5, len(SEQUENCE))))
    apart = nets[0](tokens)
    in_order = torch.arange(len(SEQUENCE)).expand(5, -1)
    monkeypatch.setattr(RandomIndices, "forward", lambda *_: in_order)
    assert torch.allclose(nets[0](tokens), nets[1](tokens), atol=1e-5)
    assert not torch.allclose(apart, nets[1](tokens), atol=1e-2)


@pytest.mark.parametrize("pe", PES)
@pytest.mark.parametrize("form", ["aligned", "interleaved"])
def test_answers_do_not_depend_on_the_batch(pe: str, form: str) -> None:
    c = natural_cell(pe, form)
    net = untrained(c, std=0.6)
    operands = Sampler(c.format_for(3), c.setting.train).sample(20, np.random.default_rng(0))
    operands[:, 0, -1] = 1
    together = answers(net, c, operands)
    assert (np.concatenate([answers(net, c, x[None]) for x in operands]) == together).all()
    assert (answers(net, c, operands) == together).all()


def test_examples_that_there_are_no_indices_for_are_refused() -> None:
    for pe in PES:
        cell(pe=pe, test_lengths=(41,))
        with pytest.raises(
            InvalidInput, match="from 128, and examples of 43 digits have 132: take"
        ):
            cell(pe=pe, test_lengths=(43,))
        with pytest.raises(InvalidInput, match="take fewer digits"):
            natural_cell(pe, "hinted", test_lengths=(22,))
