"""The sizes of models: apart from the models, so that they can be listed without torch."""

from __future__ import annotations

from dataclasses import dataclass

from arith.theory.errors import look_up


@dataclass(frozen=True)
class Size:
    """The size of a model: decoder layers, attention heads, width."""

    layers: int
    heads: int
    width: int


SIZES: dict[str, Size] = {
    "pico": Size(2, 4, 64),
    "wide": Size(2, 4, 128),
    "nano": Size(3, 3, 48),
    "micro": Size(4, 4, 128),
    "mini": Size(6, 6, 384),
    "gpt2": Size(12, 12, 768),
    "gpt2-medium": Size(24, 16, 1024),
}
"""The paper's NanoGPT, MicroGPT and MiniGPT, two shallower ones that learn sooner, and GPT-2's."""


def size(name: str) -> Size:
    """The size of that name (InvalidInput: there is none)."""
    return look_up("model", name, SIZES)
