"""The GPT and its encodings: masks, windows, what encodings tell apart, and how weights start."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from arith.theory.setting.requests import Request
from arith.theory.transformer.encodings import ENCODINGS, SHIPPED
from arith.theory.transformer.layouts import STARTS, layout
from arith.verify.data.sequences import LANDMARKS
from arith.verify.model.gpt import GPT, Block, Dropout, relu, spare_keys
from arith.verify.model.networks import network
from arith.verify.model.positions import (
    POSITIONS,
    Columns,
    Padded,
    RandomStart,
    RelativeKeys,
    Slots,
)
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import RECIPE, RECIPES
from arith.verify.plan.sizes import SIZES, Size
from arith.verify.training.ensemble import Examples

TINY = Size(2, 2, 16)


SEQUENCE = layout("interleaved").tokens((5, 5), 5)[:12]


def model(encoding: str, window: int = 0) -> GPT:
    net = GPT(TINY, 7, SEQUENCE, encoding, window, seed=0)
    for p in net.parameters():  # the small initial weights would hide what passes through
        if p.dim() > 1:
            torch.nn.init.normal_(p, std=0.4)
    return net.eval()


def tokens(seed: int = 0, length: int = 12) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 7, (3, length)))


def padded(number: int, noise: torch.Tensor | None = None) -> Padded:
    """Where the tokens of so many sequences stand."""
    return Padded(Columns(SEQUENCE), torch.zeros(number, 12, dtype=torch.long), noise)


def test_every_encoding_has_a_module() -> None:
    assert set(POSITIONS) == set(ENCODINGS) == SHIPPED


def changed(x: torch.Tensor, first: int, end: int, encoding: str) -> torch.Tensor:
    """Tokens of which some are others; random positions are those of the same operands."""
    y, by_question = x.clone(), ENCODINGS[encoding].reference == "random"
    for s in range(first, end):
        if not by_question or SEQUENCE[s].kind == "result":
            y[:, s] = (y[:, s] + 1) % 7
    return y


@pytest.mark.parametrize("encoding", POSITIONS)
def test_the_future_is_hidden(encoding: str) -> None:
    net, x = model(encoding), tokens()
    y = changed(x, 8, 12, encoding)
    assert torch.allclose(net(x)[:, :8], net(y)[:, :8], atol=1e-5)
    assert not torch.allclose(net(x)[:, 8:], net(y)[:, 8:], atol=1e-5)


@pytest.mark.parametrize("encoding", POSITIONS)
def test_a_window_hides_what_lies_before_it(encoding: str) -> None:
    """Two layers with a window of 3 see four tokens back, and no further."""
    net, x = model(encoding, window=3), tokens()
    y = changed(x, 0, 5, encoding)
    last = max(s for s in range(5) if (x[:, s] != y[:, s]).any())
    assert torch.allclose(net(x)[:, 9:], net(y)[:, 9:], atol=1e-5)
    assert not torch.allclose(net(x)[:, last + 4], net(y)[:, last + 4], atol=1e-5)


@pytest.mark.parametrize(
    "encoding", [e for e in POSITIONS if ENCODINGS[e].reference != "significance"]
)
def test_only_absolute_encodings_tell_where_they_are(encoding: str) -> None:
    """Under a window, a relative encoding gives the same answer for the same tokens anywhere."""
    net = model(encoding, window=3)
    tail = tokens(length=6)
    early = torch.cat([tail[:, :1].expand(3, 3), tail], dim=1)
    late = torch.cat([tail[:, :1].expand(3, 6), tail], dim=1)
    same = torch.allclose(net(early)[:, -1], net(late)[:, -1], atol=1e-5)
    assert same == (ENCODINGS[encoding].reference not in ("absolute", "shifted", "random"))


@pytest.mark.parametrize("encoding", POSITIONS)
def test_asking_for_some_places_gives_their_logits(encoding: str) -> None:
    net, x = model(encoding), tokens()
    slots = torch.tensor([3, 7, 11])
    assert torch.allclose(net(x)[:, slots], net(x, slots), atol=1e-5)


def test_the_same_seed_gives_the_same_model() -> None:
    first, second = (GPT(TINY, 7, SEQUENCE, "ape", 0, seed=5) for _ in range(2))
    assert all(
        torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True)
    )


def test_published_sizes() -> None:
    assert SIZES["nano"] == Size(3, 3, 48)
    assert SIZES["micro"] == Size(4, 4, 128)
    assert SIZES["mini"] == Size(6, 6, 384)
    assert SIZES["gpt2"] == Size(12, 12, 768)
    assert SIZES["gpt2-medium"] == Size(24, 16, 1024)


def test_dropout_keeps_the_mean_and_a_rate_of_zero_keeps_everything() -> None:
    x = torch.ones(100_000)
    noise = torch.from_numpy(np.random.default_rng(0).integers(0, 256, 200_000, dtype=np.uint8))
    kept = Dropout(noise, torch.tensor(51.0))(x)
    assert kept.unique().tolist() == pytest.approx([0, 256 / 205])
    assert float((kept == 0).float().mean()) == pytest.approx(51 / 256, abs=0.01)
    assert float(kept.mean()) == pytest.approx(1, abs=0.01)
    assert torch.equal(Dropout(noise, torch.tensor(0.0))(x), x)


def test_dropout_uses_every_byte_once() -> None:
    noise = torch.arange(100, dtype=torch.uint8)
    drop = Dropout(noise, torch.tensor(50.0))
    kept = torch.cat([drop(torch.ones(5, 10)).flatten(), drop(torch.ones(50))])
    assert torch.equal(kept > 0, noise >= 50)


def test_a_training_step_uses_the_noise_it_asks_for() -> None:
    net, x = GPT(TINY, 7, SEQUENCE, "ape", 0, 0, replace(RECIPE, dropout=True)), tokens()
    slots = torch.tensor([10, 11])
    noise = torch.zeros(net.noise_size(3, 12, 2), dtype=torch.uint8)
    dropout = torch.tensor([10.0, 0.0, 0.0])
    dropped = net(x, slots, noise, dropout)  # every byte is below the rate: nothing is left
    assert torch.allclose(dropped, dropped[:1, :1].expand_as(dropped), atol=1e-5)
    with pytest.raises(RuntimeError):
        net(x, slots, noise[:-1], dropout)


def test_no_dropout_is_dropout_at_rate_zero() -> None:
    net, x, slots = model("abacus"), tokens(), torch.tensor([10, 11])
    size = net.noise_size(3, 12, 2)
    noise = torch.randint(256, (size,), generator=torch.Generator().manual_seed(0)).to(torch.uint8)
    assert torch.equal(net(x, slots, noise, torch.zeros(2)), net(x, slots, noise))
    assert not torch.equal(net(x, slots, noise), net(x, slots))  # the noise is its random start too


@pytest.mark.parametrize("slots", [slice(12), torch.tensor([4, 10, 11])])
def test_attention_is_that_of_torch(slots: Slots) -> None:
    net = model("nope")
    block, context = net.blocks[0], torch.randn(3, 12, 16)
    assert isinstance(block, Block)
    x = context if slots == slice(12) else context[:, slots]
    layers = (block.query, block.key, block.value)
    q, k, v = (
        layer(y).unflatten(2, (2, 8)).transpose(1, 2)
        for layer, y in zip(layers, (x, context, context), strict=True)
    )
    wanted = F.scaled_dot_product_attention(q, k, v, attn_mask=net.mask[slots])
    got = block.attend(x, context, net.position, net.mask[slots], slots)
    assert torch.allclose(got, block.out(wanted.transpose(1, 2).flatten(2)), atol=1e-5)


def test_a_relative_key_is_that_of_the_offset() -> None:
    position = model("rpe").position
    assert isinstance(position, RelativeKeys)
    q, slots = torch.randn(3, 2, 2, 8), torch.tensor([4, 10])
    bias = position.bias(q, slots, keys=11, layer=1)
    for i, place in enumerate(slots.tolist()):
        for key in range(place + 1):
            wanted = (q[:, :, i] * position.keys[1, :, place - key]).sum(2)
            assert torch.allclose(bias[:, :, i, key], wanted, atol=1e-5)


def test_the_rectifier_is_the_rectifier() -> None:
    x = torch.linspace(-2, 2, 41, requires_grad=True)
    assert torch.equal(relu(x), torch.relu(x))
    (slope,) = torch.autograd.grad(relu(x).sum(), x)
    assert torch.equal(slope[x != 0], (x[x != 0] > 0).float())


@pytest.mark.parametrize("encoding", ["abacus", "coupled"])
def test_digits_of_equal_weight_share_a_position(encoding: str) -> None:
    net = model(encoding)
    added = net.position.embed(torch.zeros(1, 12, 16), padded(1))[0]
    for i, first in enumerate(SEQUENCE):
        for j, second in enumerate(SEQUENCE):
            same = first.position == second.position
            assert torch.equal(added[i], added[j]) == same


@pytest.mark.parametrize("starts", [1, STARTS, 100, 300])
@pytest.mark.parametrize("encoding", ["coupled", "abacus", "shifted"])
def test_a_random_start_is_drawn_in_training_only(encoding: str, starts: int) -> None:
    """Each as often as any other, also where a byte has too few values or a remainder."""
    net = GPT(TINY, 7, SEQUENCE, encoding, 0, seed=0, starts=starts)
    number = 200 * starts
    x = torch.zeros(max(starts, 5), 12, 16)
    generator = torch.Generator().manual_seed(0)
    shape = number, net.position.random_bytes
    noise = torch.randint(256, shape, dtype=torch.uint8, generator=generator)
    assert isinstance(net.position, RandomStart)
    assert len(net.position.embed(x[:5], padded(5)).unique(dim=0)) == 1
    drawn = net.position.start(noise)
    assert (drawn.min(), drawn.max()) == (0, starts - 1)
    often = torch.bincount(drawn.flatten().long(), minlength=starts) / 200
    assert ((often - 1).abs() < 0.35).all()
    _, one_of_each = np.unique(drawn.numpy(), return_index=True)
    some = padded(starts, noise[one_of_each])
    assert len(net.position.embed(x[:starts], some).unique(dim=0)) == starts


@pytest.mark.parametrize("starts", [STARTS, 50])
def test_markers_start_at_as_many_places_as_the_setting_says(starts: int) -> None:
    asked = Request(task="add", pe="rope", layout="hinted", padding="none", train_digits="1")
    c = Cell(replace(asked.setting(), starts=starts), "pico")
    fmt = c.training_format
    tokens = Examples(c, 0, RECIPE).draw(20).flatten(0, 1)
    markers = tokens[tokens > fmt.base + len(LANDMARKS) + 1]
    assert len(markers.unique()) == starts + fmt.result_width - 1
    assert tokens.max() < c.format.vocabulary == network(c, 0).embedding.num_embeddings


def test_keys_that_nothing_sees_fill_up_to_sixteen_or_a_multiple_that_is_near() -> None:
    assert {t: spare_keys(t) for t in range(1, 80) if spare_keys(t)} == {
        **{t: 16 - t for t in range(1, 16)},
        31: 1,
        **{t: 48 - t for t in (46, 47)},
        **{t: 64 - t for t in (61, 62, 63)},
        **{t: 80 - t for t in (76, 77, 78, 79)},
    }


@pytest.mark.parametrize("encoding", POSITIONS)
def test_keys_that_nothing_sees_change_nothing(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, x = model(encoding), tokens()
    without = net(x)
    monkeypatch.setattr("arith.verify.model.gpt.spare_keys", lambda keys: 4)
    assert torch.allclose(net(x), without, atol=1e-5)


def test_tied_weights_are_those_of_the_tokens() -> None:
    tied = GPT(TINY, 7, SEQUENCE, "ape", 0, 0, RECIPES["with-tied-head"])
    free = GPT(TINY, 7, SEQUENCE, "ape", 0, 0)
    names = {n for n, _ in free.named_parameters()} - {n for n, _ in tied.named_parameters()}
    assert names == {"head.weight"}
    free.load_state_dict({**tied.state_dict(), "head.weight": tied.embedding.weight})
    assert torch.equal(tied(tokens()), free(tokens()))


def test_the_published_network_is_that_of_torch_with_a_gelu_and_norms_without_bias() -> None:
    net, x = GPT(TINY, 7, SEQUENCE, "nope", 0, 0, RECIPES["paper"]), tokens()
    assert not any("bias" in name for name, _ in net.named_parameters())
    block, stream = net.blocks[0], net.embedding(x)
    made = nn.TransformerEncoderLayer(
        TINY.width,
        TINY.heads,
        TINY.mlp,
        dropout=0.0,
        activation="gelu",
        batch_first=True,
        norm_first=True,
        bias=False,
    )
    weights = [block.query.weight, block.key.weight, block.value.weight]
    made.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat(weights),
            "self_attn.out_proj.weight": block.out.weight,
            "linear1.weight": block.up.weight,
            "linear2.weight": block.down.weight,
            "norm1.weight": block.norm1.weight,
            "norm2.weight": block.norm2.weight,
        }
    )
    mask = net.mask[: x.shape[1], : x.shape[1]]
    found = block(stream, net.position, mask, slice(x.shape[1]), lambda y: y)
    assert torch.allclose(found, made(stream, src_mask=mask), atol=1e-5)


@pytest.mark.parametrize("slots", [slice(8, 12), torch.tensor([7, 9, 10])])
def test_dropout_of_attention_uses_all_of_its_noise(
    slots: Slots, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, x = GPT(TINY, 7, SEQUENCE, "ape", 0, 0, RECIPES["paper"]), tokens()
    made: list[Dropout] = []

    class Seen(Dropout):
        def __init__(self, *args: torch.Tensor) -> None:
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr("arith.verify.model.gpt.Dropout", Seen)
    size = net.noise_size(len(x), x.shape[1], 4 if isinstance(slots, slice) else 3)
    noise = torch.randint(256, (size,), dtype=torch.uint8)
    dropped = net(x, slots, noise, torch.tensor([51.0, 0.0, 0.0]))
    assert made[0].used == size - len(x)
    assert not torch.allclose(dropped, net(x, slots))


def test_weights_start_as_those_of_gpt_2() -> None:
    """Normal with a deviation of .02, and what ends a block smaller by the root of their number."""
    net = GPT(Size(4, 2, 64), 7, SEQUENCE, "ape", 0, seed=3)
    deviations = {name: float(p.detach().std()) for name, p in net.named_parameters()}
    assert deviations["embedding.weight"] == pytest.approx(0.02, rel=0.1)
    assert deviations["blocks.0.query.weight"] == pytest.approx(0.02, rel=0.1)
    assert deviations["blocks.0.out.weight"] == pytest.approx(0.02 / math.sqrt(8), rel=0.1)


@pytest.mark.parametrize("encoding", ["ape", "shifted", "coupled", "rpe"])
def test_separate_inputs_start_orthogonal_and_positions_longer(encoding: str) -> None:
    recipe = RECIPES["with-separate-inputs"]
    net = GPT(Size(2, 2, 64), 7, SEQUENCE, encoding, 0, seed=3, recipe=recipe)
    rows = [net.embedding.weight.detach()]
    if encoding != "rpe":
        rows.append(net.position.table.detach())
    lengths = torch.cat([x.norm(dim=1) for x in rows])
    assert lengths[:7] == pytest.approx(torch.ones(7))
    assert lengths[7:] == pytest.approx(torch.full((len(lengths) - 7,), 2.0))
    unit = torch.cat(rows) / lengths[:, None]
    assert unit @ unit.T == pytest.approx(torch.eye(len(lengths)), abs=1e-5)


def test_what_starts_otherwise_starts_as_by_the_default_recipe() -> None:
    """So that recipes differ in one thing."""
    kinds = [RECIPES[name] for name in ("place-noise", "with-separate-inputs")]
    nets = [GPT(Size(2, 2, 64), 7, SEQUENCE, "ape", 0, seed=3, recipe=kind) for kind in kinds]
    same, other = (dict(net.named_parameters()) for net in nets)
    changed = {name for name in same if not torch.equal(same[name], other[name])}
    assert changed == {"embedding.weight", "position.table"}
    recipe = replace(RECIPES["place-noise"], sharp=True)
    sharp = GPT(Size(2, 2, 64), 7, SEQUENCE, "ape", 0, 3, recipe)
    for name, weight in sharp.named_parameters():
        assert torch.equal(weight, same[name] * (2 if "query" in name else 1))
