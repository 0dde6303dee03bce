"""Cells: what is trained and measured.  A cell is a setting of the theory and a model size."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import (
    Request,
    option,
    read_setting,
    setting_json,
    setting_words,
)
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import (
    DEFAULT_BUDGET,
    default_model,
    default_recipe,
    goes_on,
)
from arith.theory.transformer.layouts import INDICES, STARTS
from arith.verify.data.numbering import Numbering
from arith.verify.data.sequences import Format, GroupedFormat, NaturalFormat
from arith.verify.plan.recipe import RECIPES, Recipe
from arith.verify.plan.sizes import BY_PARTS, SIZES, Size, size

if TYPE_CHECKING:
    from arith.theory.prediction.predict import Prediction


@dataclass(frozen=True)
class Cell:
    """A setting and the model that is trained on it.

    Args:
        model: its size: a name, or parts in their one order (``Size.text``).

    Raises:
        InvalidInput: an unknown model size, one that the setting or its encoding cannot have, or
            random positions and examples that have more tokens than there are indices.
    """

    setting: Setting
    model: str

    def __post_init__(self) -> None:
        shape = size(self.model)
        if self.setting.encoding.name == "rope" and shape.head_width % 2:
            raise InvalidInput(
                f"RoPE turns pairs of numbers: a head needs an even width, not {shape.head_width}"
            )
        object.__setattr__(self, "model", self.model if self.model in SIZES else shape.text())
        # The last token asks for nothing.
        tokens = len(self.longest_format.tokens) - 1 if self._is_random else 0
        if tokens > INDICES:
            raise InvalidInput(
                f"{self.setting.encoding.label} draws the indices of tokens from {INDICES}, and "
                f"examples of {self.setting.digits} digits have {tokens}: take fewer digits"
            )

    @property
    def _is_random(self) -> bool:
        return self.setting.encoding.reference == "random"

    @property
    def size(self) -> Size:
        """Layers, heads and widths of the model; a setting may ask for other layers."""
        shape = size(self.model)
        return replace(shape, layers=self.setting.layers or shape.layers)

    @property
    def format(self) -> Format:
        """How the cell's longest examples are written."""
        return self.format_for(self.setting.digits)

    def format_for(self, digits: int, test: bool = False) -> Format:
        """How examples of operands of up to so many digits are written: padded ones all alike.

        Args:
            test: those of a test, which may be written otherwise.
        """
        s = self.setting
        layout, beside = s.layout, s.test_layout
        if test and beside:
            layout, beside = beside, layout
        if s.natural:
            kind = GroupedFormat if layout.from_left > 1 else NaturalFormat
            return kind(s.task, s.base, layout, digits, s.starts, beside)
        return Format(s.task, s.base, layout, s.digits, s.starts, beside, s.result_width)

    @property
    def longest_format(self) -> Format:
        """How the longest examples are written, those of tests included."""
        each = (self.format_for(self.setting.digits, test) for test in (False, True))
        return max(each, key=lambda x: len(x.tokens))

    @property
    def training_format(self) -> Format:
        """How the examples of training are written."""
        return self.format_for(self.setting.train.every_length[-1])

    @property
    def numbering(self) -> Numbering | None:
        """What tells places from tokens; None where a token's place is its index."""
        s, fmt = self.setting, self.format
        if not isinstance(fmt, NaturalFormat):
            return None
        by_weight = s.encoding.by_weight
        from_end = by_weight and s.layout.operands_first == "most"
        together = s.task.operands + 1 if s.layout.interleaved else 0
        after: tuple[int, ...] = ()
        if self._is_random:
            formats = (replace(fmt, digits=n) for n in range(1, s.longest + 1))
            after = tuple(len(x.tokens) - x.equals - 2 for x in formats)
        known = s.base, fmt.end, s.task.operands, by_weight, from_end, together
        unnumbered = tuple({x for x in (fmt.space, fmt.blank) if x})  # a zero is a digit
        return Numbering(*known, after=after, unnumbered=unnumbered, bos=s.layout.bos)

    @cached_property
    def prediction(self) -> Prediction:
        """What theory predicts of it; made once, it goes with the cell to other processes."""
        from arith.theory.prediction.predict import predict

        return predict(self.setting)

    @cached_property
    def key(self) -> str:
        """The cell as one line of JSON: equal cells, and only they, have equal keys."""
        return json.dumps(self.to_json(), sort_keys=True)

    def label(self) -> str:
        """The cell in a few words, for tables and progress."""
        s = self.setting
        told = {
            " natural": s.natural,
            " signed": s.task.signed,
            f" W={s.window}": s.window,
            f" N={s.width}": s.width,
            f" M={s.result_width}": s.result_width,
            f" L={s.layers}": s.layers,
            f" S={s.starts}": s.starts != STARTS,
            f" tested {s.test_layout and s.test_layout.name}": s.test_layout,
        }
        more = "".join(words for words, is_so in told.items() if is_so)
        base = "" if s.digit_base == 10 else f" base {s.digit_base}"
        return (
            f"{s.task.text()} · {s.encoding.label} · {s.layout.name}{more} · {s.train.text()}{base}"
        )

    @property
    def recipe(self) -> Recipe:
        """How its models are trained unless another recipe is asked for.

        Learned noise makes a model noise-invariant at places that no answer rests on.  It is wrong
        where one rule reads every place, those that are always 0 in training included, and should
        go on at longer inputs: with noise there the rule fails in training, so a model learns where
        it ends.  That may be so for natural lengths, and in a window under encodings that do not
        tell a place by its index, unless a modulus bounds the result to digits that training shows.
        Without a window queries see where the sequence begins, so that no rule has to go on.
        """
        return RECIPES[default_recipe(self.setting)]

    def to_json(self) -> dict[str, Any]:
        """The cell as plain values (see ``from_json``)."""
        return setting_json(self.setting, model=self.model)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cell:
        """The cell that ``to_json`` wrote (InvalidInput, KeyError: it did not)."""
        return cls(read_setting(data), data["model"])

    def command(
        self,
        seed: int,
        budget: int = DEFAULT_BUDGET,
        seeds: int = 1,
        precision: str = "auto",
        recipe: Recipe | None = None,
    ) -> str:
        """The command that trains and judges this cell with some seeds, the first of them given.

        Args:
            recipe: None leaves it to the usual one of the day, and does not name it.
        """
        parts = ["arith verify", *setting_words(self.setting)]
        parts += [f"--model {self.model}", f"--first-seed {seed}"]
        parts += [f"--seeds {seeds}"] if seeds != 1 else []
        parts += [f"--budget {budget}"] if budget != DEFAULT_BUDGET else []
        parts += [f"--precision {precision}"] if precision != "auto" else []
        parts += [f"--recipe {recipe.asked_for}"] if recipe else []
        return " ".join(parts)


def adapted(recipe: Recipe, setting: Setting) -> Recipe:
    """A recipe as it is for a setting: whether its task multiplies, and how numbers are written."""
    natural = setting.natural
    parts = {
        "for_products": not setting.task.is_linear,
        "for_natural": natural,
        "for_windows": not natural and goes_on(setting),
    }
    changed = [x for name, applies in parts.items() if applies for x in getattr(recipe, name)]
    none: dict[str, Any] = dict.fromkeys(parts, ())
    return replace(recipe, **(none | dict(changed))) if changed else recipe


def refuse_natural(cell: Cell, what: str) -> None:
    """Refuse what is not made for natural lengths (InvalidInput)."""
    if cell.setting.natural:
        raise InvalidInput(
            f"{what} needs padded operands: with --padding none a digit has no one position. "
            "arith ask and arith verify take such models"
        )


@dataclass(frozen=True)
class CellRequest(Request):
    """A cell in words: a setting in the words of the command line, and a model size."""

    model: str | None = option(
        None,
        f"Model size: {', '.join(SIZES)}, or {BY_PARTS} (mlp=256 may be added).",
        names=SIZES,
    )

    def cell(self) -> Cell:
        """The cell asked for (InvalidInput: a value that no cell can have)."""
        setting = self.setting()
        return Cell(setting, self.model or default_model(setting.task))
