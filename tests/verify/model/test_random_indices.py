"""Random positions: what is drawn, when, and for how many tokens."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from builders.cells import cell, natural_cell
from builders.layouts import NATURAL
from builders.tiny_models import untrained

from arith.theory.errors import InvalidInput
from arith.theory.setting.layouts import INDICES, layout
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers
from arith.verify.model.positions import Natural, Padded, RandomIndices, Randomized
from arith.verify.plan.cells import Cell
from arith.verify.plan.natural_sequences import NaturalFormat
from arith.verify.plan.sampling import Sampler
from arith.verify.plan.sizes import Size

PES = ["randomized", "randomized-fire"]
FORMS = [*NATURAL, "interleaved"]
SEQUENCE = layout("aligned").tokens((3, 3), 4)[:-1]


def noise(examples: int, seed: int = 0) -> torch.Tensor:
    drawn = np.random.default_rng(seed).integers(
        0, 256, (examples, Randomized.random_bytes), dtype=np.uint8
    )
    return torch.from_numpy(drawn)


def padded(tokens: torch.Tensor, noise: torch.Tensor | None = None) -> Padded:
    return Padded(Padded.columns_of(SEQUENCE), tokens, noise)


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
