"""Settings in words, and written settings.

All is made from ``Request``: the commands and their ``--help``, TOML grids, the JSON of cells, and
the commands that train a cell again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from arith.theory.errors import InvalidInput
from arith.theory.setting.domains import KINDS, Domain
from arith.theory.setting.encodings import ENCODINGS, encoding
from arith.theory.setting.expressions import own_modulus, parse_task
from arith.theory.setting.layouts import LAYOUTS, STARTS, layout
from arith.theory.setting.options import (
    ALWAYS,
    IN_CELLS,
    LARGEST_DIGITS,
    LARGEST_TEST,
    Option,
    flag,
    option,
    options_of,
    read_allowed,
    read_lengths,
    read_share,
)
from arith.theory.setting.settings import LARGEST_BASE, PADDINGS, RANDOM_STARTS, Setting
from arith.theory.setting.tasks import TASKS, Task, named_task

LARGEST_MODULUS = 10**40
"""Moduli stay below it, as the numbers of an expression do."""


@dataclass(frozen=True)
class Request:
    """A setting in words; each field is an option, whose value goes to ``part`` of the setting."""

    task: str | None = option(None, f"Task: {', '.join(TASKS)}.", names=TASKS)
    expr: str | None = option(
        None, "In place of --task: a polynomial in up to four operands, as in '(2*a + 3*b) % 12'."
    )
    modulus: int | None = option(None, "Modulus p, at least 1.")
    base: int = option(10, f"Base of the digits, 2 to {LARGEST_BASE}.", "base", IN_CELLS)
    pe: str = option(
        "ape",
        f"Encoding: {', '.join(ENCODINGS)}.",
        "encoding",
        ALWAYS,
        lambda words, *_: encoding(words),
        ENCODINGS,
    )
    layout: str = option(
        "aligned",
        f"Layout: {', '.join(LAYOUTS)}.",
        "layout",
        ALWAYS,
        lambda words, *_: layout(words),
        LAYOUTS,
    )
    window: int = option(0, "Tokens that a query sees; 0 is the whole prefix.", "window", IN_CELLS)
    width: int = option(
        0, "Digits that operands are padded to; 0 is those of the longest.", "width"
    )
    layers: int = option(
        0, "Layers of the model; 0 leaves them open: as many as its size has.", "layers"
    )
    train_digits: str = option(
        "3",
        f"Training lengths, 1 to {LARGEST_DIGITS}: 3, or 4+5 or 1-4 for a union.",
        "train.lengths",
        ALWAYS,
        lambda words, option, _: read_lengths(words, option),
        joined="+",
    )
    train_domain: str = option(
        "longest",
        "longest: the longest operand has n digits; every: each has. With --padding none also "
        "total: all have together; lengths: as longest, with the operands' lengths drawn first.",
        "train.kind",
        IN_CELLS,
        names=KINDS,
    )
    train_priming: tuple[str, ...] = option(
        (),
        "Examples of another length mixed in: 6:0.01 is 1% of 6 digits.",
        "train.priming",
        read=read_share,
        example="6:0.01",
    )
    train_allowed: tuple[str, ...] = option(
        (),
        "The only digits at a position (1 = units): 2:6-9.",
        "train.allowed",
        read=read_allowed,
        example="2:6-9",
    )
    train_pairs: int | None = option(
        None,
        "Train on so many operand tuples, drawn once; else on fresh ones at every step.",
        "train.pairs",
    )
    test_digits: str | None = option(
        None,
        f"Test lengths, 1 to {LARGEST_TEST}: 1-6 or 1,4 (default: 1 to train + 3).",
        "test_lengths",
        ALWAYS,
        lambda words, option, _: () if words is None else read_lengths(words, option, LARGEST_TEST),
        joined=",",
    )
    test_domain: str = option(
        "longest", "The same values as --train-domain.", "test_kind", IN_CELLS, names=KINDS
    )
    padding: str = option(
        "fixed",
        "fixed: all operands padded to one width; none: natural lengths and an end token.",
        "padding",
        names=PADDINGS,
    )
    starts: int = option(
        STARTS,
        f"From how many starts training draws, under {', '.join(RANDOM_STARTS[:-1])} and in the "
        f"{RANDOM_STARTS[-1]} layout.",
        "starts",
    )

    def _task(self) -> Task:
        if self.task is not None and self.expr is not None:
            raise InvalidInput("give --task or --expr, not both")
        if self.modulus is not None and self.modulus >= LARGEST_MODULUS:
            raise InvalidInput("--modulus has more than 40 digits")
        if self.expr is not None:
            return parse_task(self.expr, self.modulus)
        if self.task is None:
            raise InvalidInput(f"give a task: --task ({', '.join(TASKS)}) or --expr")
        return named_task(self.task, self.modulus)

    def setting(self) -> Setting:
        """The setting asked for (InvalidInput: no task or two, or a value that none can have)."""
        task = self._task()
        parts = _parts().items()
        read = {o.part: o.value(getattr(self, n), flag(n), self.base) for n, o in parts}
        setting = _setting(task, read)
        if self.starts != STARTS and not setting.random_starts:
            which = f"{', '.join(RANDOM_STARTS[:-1])}, or the {RANDOM_STARTS[-1]} layout"
            raise InvalidInput(
                f"--starts needs numbers that start at random ({which}), not "
                f"{setting.encoding.name} in the {setting.layout.name} layout"
            )
        return setting


@cache
def _parts() -> dict[str, Option]:
    """The options that are a part of the setting."""
    return {name: o for name, o in options_of(Request).items() if o.part}


def setting_words(setting: Setting) -> list[str]:
    """The options that ask for a setting on the command line, each with its value."""
    task = setting.task
    words = [f"--task {task.name}" if task.name in TASKS else f'--expr "{task.name}"']
    said = None if task.name in TASKS else own_modulus(task.name)
    words += [f"--modulus {task.modulus}"] if task.modulus != said else []
    for name, o, value, default in _values(setting):
        if o.written == ALWAYS or value != default:
            words += [f"{flag(name)} {text}" for text in o.words(value)]
    return words


def setting_texts(setting: Setting) -> dict[str, str]:
    """Every option of the setting but the task, by its name, as the command line takes it."""
    return {n: "" if x is None else " ".join(o.words(x)) for n, o, x, _ in _values(setting)}


def setting_columns(setting: Setting) -> dict[str, str | int | None]:
    """The task and every option of the setting, for a table of several settings.

    Numbers are numbers, all else is text as the command line takes it, and what is not set is None.
    """
    found: dict[str, str | int | None] = {
        "task": setting.task.name,
        "modulus": setting.task.modulus,
    }
    for name, o, value, _ in _values(setting):
        is_plain = value is None or isinstance(value, int)
        column = "encoding" if name == "pe" else name
        found[column] = value if is_plain else " ".join(o.words(value)) or None
    return found


def setting_json(setting: Setting, **more: Any) -> dict[str, Any]:
    """The setting as JSON, for ``read_setting``.

    Args:
        more: further entries, to stand before the options that are written only where set.
    """
    always: dict[str, Any] = {"task": setting.task.name, "modulus": setting.task.modulus}
    changed = {}
    for name, o, value, default in _values(setting):
        if o.written >= IN_CELLS:
            always[name] = o.to_json(value)
        elif value != default:
            changed[name] = o.to_json(value)
    return {**always, **more, **changed}


def _values(setting: Setting) -> Iterator[tuple[str, Option, Any, Any]]:
    """Each part of the setting: the name of its option, the option, the value, and the default."""
    for name, o, part, default in _defaults(setting.base):
        yield name, o, part(setting), default


@cache
def _defaults(base: int) -> list[tuple[str, Option, attrgetter[Any], Any]]:
    """Each option that is a part of the setting: what reads it there, and its default."""
    return [
        (name, o, attrgetter(o.part), o.value(getattr(Request, name), flag(name), base))
        for name, o in _parts().items()
    ]


def read_setting(data: dict[str, Any]) -> Setting:
    """The setting that ``setting_json`` wrote (InvalidInput, KeyError: it did not)."""
    values = {
        o.part: o.from_json(data[name])
        for name, o in _parts().items()
        if o.written >= IN_CELLS or name in data
    }
    name, modulus = data["task"], data["modulus"]
    if name in TASKS:
        return _setting(named_task(name, modulus), values)
    asked = None if own_modulus(name) == modulus else modulus  # the name may hold it itself
    return _setting(parse_task(name, asked), values)


def _setting(task: Task, values: dict[str, Any]) -> Setting:
    """A setting of values by their parts."""
    train = {p.removeprefix("train."): v for p, v in values.items() if p.startswith("train.")}
    others = {p: v for p, v in values.items() if "." not in p}
    return Setting(task=task, train=Domain(**train), **others)
