"""Token noise: how much of which other token is mixed in."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from builders.cells import cell
from builders.tiny_models import QUICK, float32

from arith.theory.arithmetic.domains import Domain
from arith.theory.transformer.layouts import layout
from arith.verify.model.gpt import GPT
from arith.verify.model.token_noise import BYTES, NAME, mix, noise_share
from arith.verify.plan.recipe import DENSE, find_recipe
from arith.verify.plan.sizes import Size
from arith.verify.training.ensemble import Ensemble
from arith.verify.training.train import train_ensemble

VECTORS = torch.eye(5)
TOKENS = torch.tensor([[0, 1, 2], [3, 4, 0]])


def noise(seed: int = 0) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randint(256, (BYTES * TOKENS.numel(),), dtype=torch.uint8, generator=rng)


def test_every_token_keeps_a_part_of_its_vector_under_dense_noise() -> None:
    most = torch.tensor(float(DENSE.noise))
    for seed in range(20):
        mixed = mix(VECTORS[TOKENS], VECTORS, noise(seed), most)
        assert torch.allclose(mixed.sum(2), torch.ones(2, 3))
        own = mixed.gather(2, TOKENS[..., None])
        assert mixed.min() >= 0 and own.min() >= 1 - float(most) / 256 - 1e-6


def test_the_largest_byte_mixes_in_the_largest_share() -> None:
    which = torch.full((6,), 6, dtype=torch.uint8)  # the second of five vectors
    share = torch.tensor([255, 0, 255, 0, 255, 0], dtype=torch.uint8)
    mixed = mix(VECTORS[TOKENS], VECTORS, torch.cat((which, share)), torch.tensor(64.0))
    assert torch.allclose(mixed[0, 0], torch.tensor([0.75, 0.25, 0, 0, 0]))
    assert torch.equal(mixed[0, 1], VECTORS[1])


def test_noise_can_leave_half_of_the_tokens_as_they_are() -> None:
    which = torch.full((6,), 6, dtype=torch.uint8)  # the second of five vectors
    share = torch.tensor([0, 128, 255, 129, 127, 64], dtype=torch.uint8)
    mixed = mix(VECTORS[TOKENS], VECTORS, torch.cat((which, share)), torch.tensor(256.0), clean=128)
    kept = torch.tensor([True, True, False, False, True, True]).view(2, 3)
    assert torch.equal(mixed[kept], VECTORS[TOKENS][kept])
    assert torch.equal(mixed[0, 2], VECTORS[1])  # the whole of another
    assert mixed[1, 0, 1] == pytest.approx(1 / 127)


def test_learned_noise_is_as_large_as_it_gets_in_half_of_the_tokens() -> None:
    which = torch.full((6,), 6, dtype=torch.uint8)  # the second of five vectors
    share = torch.tensor([0, 127, 255, 128, 254, 64], dtype=torch.uint8)
    own = torch.ones(3), torch.tensor(256.0)
    mixed = mix(
        VECTORS[TOKENS], VECTORS, torch.cat((which, share)), torch.tensor(0.0), clean=256, own=own
    )
    others = torch.tensor([False, True, True, True, True, False]).view(2, 3)
    assert torch.equal(mixed[others], VECTORS[1].expand(4, -1))
    assert torch.equal(mixed[0, 0], VECTORS[0])
    assert mixed[1, 2, 1] == pytest.approx(64 / 127)


def test_each_place_has_noise_between_that_of_every_token_and_all_that_is_learned() -> None:
    which = torch.full((6,), 6, dtype=torch.uint8)
    share = torch.full((6,), 255, dtype=torch.uint8)
    own = torch.tensor([0.0, 1.0, 0.5]), torch.tensor(256.0)
    mixed = mix(
        VECTORS[TOKENS], VECTORS, torch.cat((which, share)), torch.tensor(64.0), clean=128, own=own
    )
    shares = torch.tensor([0.25, 1.0, 0.625])[:, None]
    expected = VECTORS[TOKENS] + shares * (VECTORS[1] - VECTORS[TOKENS])
    assert torch.allclose(mixed, expected)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_places_begin_with_the_share_asked_for(share: float) -> None:
    assert torch.allclose(noise_share(torch.zeros(3), share), torch.full((3,), share))


@pytest.mark.training
def test_where_noise_is_learned_places_that_no_answer_needs_get_most_of_it() -> None:
    """Of four seeds these bore 0.92 or more, the others 0.16 or less; three inputs were right."""
    c = cell("mod_add", modulus=9, base=3, train=Domain((2,)), test_lengths=(2, 3))
    found = torch.zeros(0)

    def watch(_: int, ensemble: Ensemble) -> None:
        nonlocal found
        found = noise_share(ensemble.weights.stacked(NAME), recipe.begins).detach()  # (M, T)

    with float32(Size(1, 2, 32), chunk=25):
        recipe = replace(QUICK, settling=350, cooling=50, low_loss=0.5, adamw_lr=3e-3)
        [trained] = train_ensemble([(c, 0)], 450, recipe=recipe, watch=watch, compiled=False)
    needed = [t.kind != "landmark" and t.position < 3 for t in c.training_format.tokens[:-1]]
    of_needed, of_others = found[:, needed], found[:, [not x for x in needed]]
    assert trained.premise > 0.3  # of six held-out inputs, where a guess has one ninth
    assert of_needed.max() < 0.5 < 0.7 < of_others.min()


def test_no_noise_at_level_zero_and_none_without_a_level() -> None:
    tokens = layout("interleaved").tokens((3, 3), 3)
    net = GPT(Size(2, 2, 16), 7, tokens, "ape", 0, 0)
    x = torch.randint(7, (4, len(tokens)), generator=torch.Generator().manual_seed(1))
    size = net.noise_size(4, len(tokens), 3)
    assert size == 4 + BYTES * x.numel()
    bytes_ = torch.randint(256, (size,), dtype=torch.uint8)
    assert torch.allclose(net(x), net(x, None, bytes_, torch.zeros(3)))
    assert not torch.allclose(net(x), net(x, None, bytes_, torch.tensor([115.0, 0.0, 0.0])))


def test_dropout_beside_token_noise_uses_bytes_of_its_own() -> None:
    tokens = layout("interleaved").tokens((3, 3), 3)
    net = GPT(Size(2, 2, 16), 7, tokens, "ape", 0, 0, find_recipe("two-stage"))
    x = torch.randint(7, (4, len(tokens)), generator=torch.Generator().manual_seed(1))
    bytes_ = torch.randint(256, (net.noise_size(*x.shape, x.shape[1]),), dtype=torch.uint8)
    levels = [0.0, 0.0, 0.0], [99.0, 0.0, 0.0], [0.0, 51.0, 0.0]
    neither, mixed, dropped = (net(x, None, bytes_, torch.tensor(level)) for level in levels)
    assert torch.allclose(neither, net(x), atol=1e-6)
    assert not torch.allclose(mixed, neither) and not torch.allclose(dropped, neither)
    other = bytes_.clone()
    other[4 : 4 + BYTES * x.numel()] += 1  # those of the token noise
    again = net(x, None, other, torch.tensor([0.0, 51.0, 0.0]))
    assert torch.allclose(again, dropped, atol=1e-6)
    with pytest.raises(RuntimeError):
        net(x, None, bytes_[:-1], torch.tensor([0.0, 51.0, 0.0]))
