"""The sizes of models: apart from the models, so that they can be listed without torch."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os.path import isfile

from arith.theory.errors import InvalidInput, unknown_name

LARGEST = {"layers": 100, "heads": 10_000, "width": 10_000, "mlp": 40_000}
"""The largest value of each part of a size."""


@dataclass(frozen=True)
class Size:
    """The size of a model: decoder layers, attention heads, widths of tokens and perceptron.

    Args:
        mlp: hidden width of the perceptron of each layer; 0 is four times the width.
    """

    layers: int
    heads: int
    width: int
    mlp: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mlp", self.mlp or 4 * self.width)

    @property
    def head_width(self) -> int:
        """The width of one head."""
        return self.width // self.heads

    @property
    def in_layers(self) -> int:
        """How many numbers the matrices in its layers have."""
        return 2 * self.layers * self.width * (2 * self.width + self.mlp)

    def text(self) -> str:
        """Its name, or its parts in their order: ``layers=1,heads=1,width=7,mlp=14``."""
        for name, size in SIZES.items():
            if size == self:
                return name
        parts = f"layers={self.layers},heads={self.heads},width={self.width}"
        return parts if self.mlp == 4 * self.width else f"{parts},mlp={self.mlp}"


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
BY_PARTS = "layers=2,heads=4,width=64"
"""How a size of one's own is asked for; ``mlp=256`` may be added."""

BY_PYTHON = "arith.judge(module, arith.read(FILE), tokenizer=...)"
"""How a torch module is judged."""


def size(model: str) -> Size:
    """The size of that name, or of parts such as ``heads=4,layers=2,width=64`` in any order.

    Raises:
        InvalidInput: there is no such name, or parts are missing, unknown or out of range.
    """
    if model in SIZES:
        return SIZES[model]
    if isfile(model):
        raise InvalidInput(
            f"--model takes a size ({', '.join(SIZES)}), and {model} is a file: a model of your "
            f"own is judged in Python, {BY_PYTHON}"
        )
    if "=" not in model:
        raise unknown_name("model", model, SIZES, f"allowed: {', '.join(SIZES)}, or {BY_PARTS}")
    parts: dict[str, int] = {}
    for part in model.split(","):
        name, _, number = (x.strip() for x in part.partition("="))
        if name not in LARGEST or name in parts:
            known = ", ".join(LARGEST)
            raise InvalidInput(f"model '{model}': '{name}' is not one of {known}, each given once")
        if not (number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= LARGEST[name]):
            raise InvalidInput(
                f"model '{model}': {name} goes from 1 to {LARGEST[name]:,}, not '{number}'"
            )
        parts[name] = int(number)
    missing = [f.name for f in fields(Size) if f.name not in {*parts, "mlp"}]
    if missing:
        raise InvalidInput(f"model '{model}' says no {' and no '.join(missing)}")
    made = Size(**parts)
    if made.width % made.heads:
        raise InvalidInput(f"model '{model}': {made.heads} heads do not divide its width")
    return made
