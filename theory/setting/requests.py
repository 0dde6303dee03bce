"""The options of a setting, each described once.

Every field of ``Request`` is an option.  Its description makes the options of the command line with
their help (``arith.commands.options``), keyword arguments (``arith.keywords``), the tables of TOML
grids (``verify.plan.grids``), the JSON of cells, and the command that asks for a setting again.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from inspect import Parameter
from operator import attrgetter
from typing import Any, NamedTuple, get_type_hints

from arith.theory.arithmetic.domains import (
    BALANCED,
    HOLDOUTS,
    KINDS,
    UNIFORM,
    Domain,
    each_text,
)
from arith.theory.arithmetic.expressions import own_modulus, parse_task
from arith.theory.arithmetic.tasks import (
    DIGIT_FUNCTIONS,
    RESULTS,
    TASKS,
    UNSIGNED,
    Task,
    is_named,
    named_task,
)
from arith.theory.errors import InvalidInput, NoTask, look_up, unknown_name
from arith.theory.setting.settings import LARGEST_BASE, PADDINGS, RANDOM_STARTS, Setting
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS, STARTS
from arith.theory.transformer.layouts import layout as read_layout

LARGEST_MODULUS = 10**40
"""Moduli stay below it, as the numbers of an expression do."""
LARGEST_DIGITS = 200
"""The longest operand to train on."""
LARGEST_TEST = 1000
"""The longest operand to test on."""
MOST_NUMBERS = 10_000
"""The most numbers that a list, as that of moduli, may have."""
TASK_NAMES = (*TASKS, *DIGIT_FUNCTIONS)
WHERE_SET, IN_CELLS, ALWAYS = range(3)
"""Where an option is written: only where it differs from its default; in the JSON of cells always;
there and in commands always."""
_SHARE = re.compile(r"[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}", re.I)
"""A share, short enough to be written out: ``1e1000000000`` would fill the memory."""


@dataclass(frozen=True)
class Option:
    """What there is to say of one option.

    Args:
        help: for ``--help`` and the page on usage.
        part: the field of ``Setting`` that holds the value, with ``train.`` before a field of the
            training domain; empty for the options that name the task together.
        written: ``WHERE_SET``, ``IN_CELLS`` or ``ALWAYS``.
        names: the names that the option takes, if it takes names; a table has what they stand for.
        joined: what stands between two lengths in a command, if the option takes lengths.
        largest: of the lengths.
        example: of one text, if the option takes several, each a number with what belongs to it.
        read: makes such a pair of a text, or of each part of one that commas separate, unless it is
            a name; its other arguments say where that stands, for an error, and the base.
        named: what makes the value of a name; else it is that of the table.
        alias: another name of the option.
        variable: of the environment, which the command line reads in place of the option.
    """

    help: str
    part: str = ""
    written: int = WHERE_SET
    names: Collection[str] = ()
    joined: str = ""
    largest: int = LARGEST_DIGITS
    example: str = ""
    read: Callable[[str, str, int], Any] | None = None
    named: Callable[[str], Any] | None = None
    alias: str = ""
    variable: str = ""

    def value(self, words: Any, option: str, base: int) -> Any:
        """The value of what the command line gives."""
        if self.read and (not isinstance(words, str) or ":" in words):  # no name
            each = words.split(",") if isinstance(words, str) else words
            return tuple(self.read(text, f"{option} '{text}'", base) for text in each)
        if self.joined:
            return () if words is None else read_each(words, option, self.largest)
        if self.named:
            return None if words is None else self.named(words)
        return look_up(self.part, words, self.names) if isinstance(self.names, dict) else words

    def words(self, value: Any) -> list[str]:
        """The value for the command line; one text for each time that the option is given."""
        if self.read and not isinstance(value, str):
            each = [f"{number}:{self._word(other)}" for number, other in value]
            return each if self.example else [",".join(each)]
        return [self._word(value)]

    def _word(self, value: Any) -> str:
        if _of_each(value):
            return each_text(value)
        if isinstance(value, tuple):
            return (self.joined or ",").join(map(str, value))
        return str(getattr(value, "name", value))

    def to_json(self, value: Any) -> Any:
        """The value for the JSON of a cell."""
        if self.example:
            return {str(n): list(x) if isinstance(x, tuple) else str(x) for n, x in value}
        if self.read:
            return self.words(value)[0]
        if _of_each(value):
            return [list(x) for x in value]
        return list(value) if isinstance(value, tuple) else getattr(value, "name", value)

    def from_json(self, data: Any) -> Any:
        """The value that ``to_json`` wrote."""
        if self.example:
            return tuple(
                (int(n), tuple(x) if isinstance(x, list) else Fraction(x)) for n, x in data.items()
            )
        if isinstance(data, list):
            return tuple(tuple(x) if isinstance(x, list) else x for x in data)
        return self.value(data, "", 0)


def _of_each(lengths: Any) -> bool:
    """Whether lengths are given for each operand."""
    return isinstance(lengths, tuple) and isinstance((*lengths, 0)[0], tuple)


def option(default: Any, *description: Any, **more: Any) -> Any:
    """A field of a dataclass that is an option, described by the fields of ``Option``."""
    return field(default=default, metadata={"option": Option(*description, **more)})


types_of = cache(get_type_hints)
"""The types of the fields of a dataclass by their names; to read them takes long."""


@cache
def options_of(described: type) -> dict[str, Option]:
    """The options of a dataclass, by the names of its fields; nobody changes them."""
    return {f.name: f.metadata["option"] for f in fields(described) if f.metadata}


def parameters(described: type, own: Collection[str] = ()) -> list[Parameter]:
    """The options of a dataclass as parameters of a function, but for those that it has itself."""
    hints = types_of(described)
    return [
        Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(described)
        if f.metadata and f.name not in own
    ]


def chosen(described: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that are options of a dataclass, and are not None."""
    return {n: values[n] for n in options_of(described) if values.get(n) is not None}


def plain_values(described: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """What the command line would give for the values of a TOML table, or of keyword arguments.

    Raises:
        InvalidInput: an unknown key, one given twice, or a value of another type than its option
            takes.
    """
    options, hints, values = options_of(described), types_of(described), dict[str, Any]()
    aliases = {o.alias: n for n, o in options.items()}
    for key, value in data.items():
        dashed = key.replace("_", "-")
        name = aliases.get(dashed) or key.replace("-", "_")
        if name not in options:
            raise unknown_name("key", key, [flag(known)[2:] for known in options])
        if name in values:
            raise InvalidInput(f"'{dashed}' is given twice, with a dash and with an underscore")
        values[name] = _plain_value(dashed, options[name], hints[name], value)
    return values


def _plain_value(dashed: str, option: Option, hint: Any, value: Any) -> Any:
    """The words of one value; lengths may be a number or a list."""
    if option.joined:
        takes = "a number, a list of numbers, or text such as '1-6'"
        if isinstance(value, list):
            return ",".join(map(str, value))
        if isinstance(value, int | str) and not isinstance(value, bool):
            return str(value)
    elif option.example:
        takes = f"a list of texts, as in ['{option.example}']"
        if isinstance(value, list) and all(isinstance(x, str) for x in value):
            return tuple(value)
    else:
        kind = int if hint in (int, int | None) else str
        takes = "a whole number" if kind is int else "text"
        if type(value) is kind:
            return value
    raise InvalidInput(f"{reprlib.repr(value)} is no value for '{dashed}', which takes {takes}")


def flag(name: str) -> str:
    """How the option of that name is given: ``--train-digits``."""
    return "--" + name.replace("_", "-")


def read_lengths(text: str, option: str, largest: int = LARGEST_DIGITS) -> tuple[int, ...]:
    """``4+5``, ``1,3`` and ``1-6`` as lengths (InvalidInput: others, or one out of range)."""
    try:
        lengths = _read_ranges(text)
        if min(lengths) < 1 or max(lengths) > largest:
            raise ValueError
    except ValueError:
        raise InvalidInput(
            f"{option} '{text}' is no list of lengths from 1 to {largest}, "
            "such as 3, 4+5, 1,3 or 1-6"
        ) from None
    return lengths


def read_each(text: str, option: str, largest: int) -> Any:
    """``1-40x1-2`` as the lengths of each operand, and other text as ``read_lengths`` does."""
    each = text.split("x")
    if len(each) == 1 or not all(each):
        return read_lengths(text, option, largest)
    return tuple(read_lengths(lengths, option, largest) for lengths in each)


def read_numbers(text: str, option: str) -> tuple[int, ...]:
    """``2..400`` and ``100,101`` as numbers (InvalidInput: others, or too many)."""
    try:
        return _read_ranges(text)
    except ValueError:
        raise InvalidInput(
            f"{option} '{text}' is no list of at most {MOST_NUMBERS:,} numbers, as in 2..400 or 5,7"
        ) from None


def _read_ranges(text: str) -> tuple[int, ...]:
    """``4+5``, ``1,3``, ``1-6`` and ``1..6`` as numbers (ValueError: others, or too many)."""
    numbers: list[int] = []
    for part in text.replace("+", ",").replace("..", "-").split(","):
        low, dash, high = part.strip().partition("-")
        first, last = int(low), int(high if dash else low)
        if last < first or len(numbers) + last - first >= MOST_NUMBERS:
            raise ValueError
        numbers += range(first, last + 1)
    return tuple(numbers)


def read_share(text: str, where: str, _: int) -> tuple[int, Fraction]:
    """A length with its share, from text such as ``6:0.01`` (InvalidInput: other text)."""
    try:
        before, after = text.split(":")
        if not _SHARE.fullmatch(after.strip()):
            raise ValueError
        length, share = int(before), Fraction(after)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(f"{where} is not LENGTH:SHARE, as in 6:0.01") from None
    if not 1 <= length <= LARGEST_DIGITS:
        raise InvalidInput(f"{where}: lengths go from 1 to {LARGEST_DIGITS}")
    return length, share


def read_allowed(text: str, where: str, base: int) -> tuple[int, tuple[int, ...]]:
    """A position with the digits allowed there, from text such as ``2:6-9`` (InvalidInput)."""
    try:
        before, after = text.split(":")
        position, digits = int(before), tuple(sorted(set(_read_ranges(after))))
    except ValueError:
        raise InvalidInput(f"{where} is not PLACE:DIGITS, as in 2:6-9 or 1:0,5") from None
    if not 1 <= position <= LARGEST_DIGITS:
        raise InvalidInput(f"{where}: places start at 1 (the units) and end at {LARGEST_DIGITS}")
    if digits[-1] >= base:
        raise InvalidInput(f"{where}: {digits[-1]} is no digit of base {base}")
    return position, digits


@dataclass(frozen=True)
class Request:
    """A setting in words; each field is an option, whose value goes to ``part`` of the setting."""

    task: str | None = option(
        None,
        f"Task: {', '.join(TASK_NAMES)}; several in one model as add,sub.",
        names=TASK_NAMES,
    )
    expr: str | None = option(
        None,
        "In place of --task: a polynomial in up to eight operands, as in '(2*a + 3*b) % 12'; "
        "several in one model as 'a + b, a - b'.",
    )
    modulus: int | None = option(None, "Modulus p, at least 1.")
    base: int = option(10, f"Base of the digits, 2 to {LARGEST_BASE:,}.", "digit_base", IN_CELLS)
    pe: str = option(
        "ape", f"Encoding: {', '.join(ENCODINGS)}.", "encoding", ALWAYS, names=ENCODINGS
    )
    layout: str = option(
        "aligned",
        f"How examples are written: {', '.join(LAYOUTS)}; or one of these and what differs, as in "
        "'reversed, no signs' (arith layouts lists the parts).",
        "layout",
        ALWAYS,
        names=LAYOUTS,
        named=read_layout,
        alias="format",
    )
    test_layout: str | None = option(
        None,
        "How test examples are written, if otherwise than those of training.",
        "test_layout",
        names=LAYOUTS,
        named=read_layout,
        alias="test-format",
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
        f"Training lengths, 1 to {LARGEST_DIGITS}: 3, or 4+5 or 1-4 for a union; 1-40x1-2: those "
        "of each operand, drawn first.",
        "train.digits",
        ALWAYS,
        joined="+",
    )
    train_domain: str = option(
        "longest",
        "longest: the longest operand has n digits; every: each has; lengths: as longest, with the "
        "operands' lengths drawn first; coin: as longest, with one picked by chance to have n. "
        "With --padding none also total: all have n together, lengths drawn first.",
        "train.kind",
        IN_CELLS,
        names=KINDS,
    )
    train_priming: tuple[str, ...] = option(
        (),
        "Examples of another length mixed in: 6:0.01 is 1% of 6 digits.",
        "train.priming",
        example="6:0.01",
        read=read_share,
    )
    train_allowed: tuple[str, ...] = option(
        (),
        "The only digits at a place (1 = units): 2:6-9. Natural numbers have none above.",
        "train.allowed",
        example="2:6-9",
        read=read_allowed,
    )
    train_pairs: int | None = option(
        None,
        "Train on so many operand tuples, drawn once; else on fresh ones at every step.",
        "train.pairs",
    )
    train_weights: str = option(
        "",
        f"How often each length is met: {BALANCED}, all alike (default with --padding none); "
        f"{UNIFORM}, every operand tuple alike (default without); or 1:1,2:1,3:8.",
        "train.weights",
        read=read_share,
    )
    train_holdout: str = option(
        "hash",
        "hash: one operand tuple in 20 is held out; position: the last tenth of --train-pairs.",
        "train.holdout",
        names=HOLDOUTS,
    )
    test_digits: str | None = option(
        None,
        f"Test lengths, 1 to {LARGEST_TEST}: 1-6 or 1,4 (default: 1 to train + 3, or to "
        "--width), or 1-50x1-2.",
        "test_digits",
        ALWAYS,
        joined=",",
        largest=LARGEST_TEST,
    )
    test_domain: str = option(
        "longest", "The same values as --train-domain.", "test_kind", IN_CELLS, names=KINDS
    )
    test_allowed: tuple[str, ...] = option(
        (),
        "As --train-allowed, in tests.",
        "test_allowed",
        example="2:6-9",
        read=read_allowed,
    )
    padding: str = option(
        "",
        "fixed (default): all operands padded to one width; none (default in a layout that is "
        "padded to a width of its own): natural lengths and an end token.",
        "padding",
        names=PADDINGS,
        named=lambda words: words or "fixed",
    )
    starts: int = option(
        STARTS,
        f"From how many starts training draws, under {', '.join(RANDOM_STARTS[:-1])} and in the "
        f"{RANDOM_STARTS[-1]} layout.",
        "starts",
    )
    result_width: int = option(
        0, "Digits that results are padded to; 0 is those of the longest.", "result_width"
    )
    results: str = option(
        UNSIGNED,
        "unsigned: a task is not defined where it is negative; signed: a minus sign stands above "
        "the highest digit of a negative result.",
        "task.results",
        names=RESULTS,
    )

    def _task(self) -> Task:
        if self.task is not None and self.expr is not None:
            raise InvalidInput("give --task or --expr, not both")
        if self.modulus is not None and self.modulus >= LARGEST_MODULUS:
            raise InvalidInput("--modulus has more than 40 digits")
        if self.expr is not None:
            return parse_task(self.expr, self.modulus, self.results)
        if self.task is None:
            raise NoTask(f"give a task: --task ({', '.join(TASK_NAMES)}) or --expr")
        return named_task(self.task, self.modulus, self.results, self.base)

    def setting(self) -> Setting:
        """The setting asked for (InvalidInput: no task or two, or a value that none can have)."""
        task = self._task()
        words = ((p, getattr(self, p.name)) for p in _parts())
        values = {p.option.part: p.option.value(x, flag(p.name), self.base) for p, x in words}
        setting = _setting(task, values)
        if self.padding == "fixed" and setting.layout.blanks:
            raise InvalidInput(
                "--padding fixed fills all operands up to one width, and the "
                f"{setting.layout.text} fills them up to its own: give one of the two"
            )
        if self.starts != STARTS and not setting.random_starts:
            which = f"{', '.join(RANDOM_STARTS[:-1])}, or the {RANDOM_STARTS[-1]} layout"
            raise InvalidInput(
                f"--starts needs numbers that start at random ({which}), not "
                f"{setting.encoding.name} in the {setting.layout.text}"
            )
        if task.signed and not any(x.may_be_negative for x in task.operations):
            raise InvalidInput(f"--results signed: '{task.name}' is never negative")
        return setting


class _Part(NamedTuple):
    """An option that is a part of the setting: its name, what reads it there, and its default."""

    name: str
    option: Option
    of: attrgetter[Any]
    default: Any

    def text(self, value: Any) -> str:
        """A value as the command line takes it; of several texts, each apart by a blank."""
        return "" if value is None else " ".join(self.option.words(value))


@cache
def _parts() -> list[_Part]:
    """The options that are a part of the setting."""
    return [
        _Part(n, o, attrgetter(o.part), o.value(getattr(Request, n), flag(n), LARGEST_BASE))
        for n, o in options_of(Request).items()
        if o.part
    ]


def setting_words(setting: Setting) -> list[str]:
    """The options that ask for a setting on the command line, each with its value."""
    task, named = setting.task, is_named(setting.task.name)
    words = [f"--task {task.name}" if named else f'--expr "{task.name}"']
    said = None if named else own_modulus(task.name)
    modulus = task.asked_modulus
    words += [f"--modulus {modulus}"] if modulus != said else []
    for part in _parts():
        value = part.of(setting)
        if part.option.written == ALWAYS or value != part.default:
            texts = part.option.words(value)
            words += [f"{flag(part.name)} {_quoted(text)}" for text in texts]
    return words


def _quoted(text: str) -> str:
    """A value as a shell takes it in one piece."""
    return f'"{text}"' if " " in text else text


def default_text(name: str) -> str:
    """What is taken for an option of a setting that is not given; empty where that is nothing."""
    return next((part.text(part.default) for part in _parts() if part.name == name), "")


def request_of(texts: Mapping[str, str]) -> Request:
    """The request of options by their names, each as the command line takes it.

    An option that takes several texts has blanks between them.  What is empty is not given.

    Raises:
        InvalidInput: an unknown option, or a text that is no number where one is asked for.
    """
    options, hints = options_of(Request), types_of(Request)
    values: dict[str, Any] = {name: text for name, text in texts.items() if text.strip()}
    for name, text in values.items():
        if name in options and options[name].example:
            values[name] = text.split()
        elif hints.get(name) in (int, int | None):
            values[name] = whole_number(name, text)
    return Request(**plain_values(Request, values))


def whole_number(name: str, text: str) -> int:
    """The number that an option is given (InvalidInput: it is none)."""
    try:
        return int(text)
    except ValueError:
        what = f"{reprlib.repr(text)} is no whole number"
        raise InvalidInput(f"Invalid value for '{flag(name)}': {what}") from None


def setting_columns(setting: Setting) -> dict[str, str | int | None]:
    """The task and every option of the setting, for a table of several settings.

    Numbers are numbers, all else is text as the command line takes it, and what is not set is None.
    """
    found: dict[str, str | int | None] = {
        "task": setting.task.name,
        "modulus": setting.task.asked_modulus,
    }
    for part in _parts():
        value, column = part.of(setting), "encoding" if part.name == "pe" else part.name
        found[column] = value if isinstance(value, int) else part.text(value) or None
    return found


def setting_json(setting: Setting, **more: Any) -> dict[str, Any]:
    """The setting as JSON, for ``read_setting``.

    Args:
        more: further entries, to stand before the options that are written only where set.
    """
    task = setting.task
    always: dict[str, Any] = {"task": task.name, "modulus": task.asked_modulus}
    changed = {}
    for part in _parts():
        value = part.of(setting)
        if part.option.written >= IN_CELLS:
            always[part.name] = part.option.to_json(value)
        elif value != part.default:
            changed[part.name] = part.option.to_json(value)
    return {**always, **more, **changed}


def read_setting(data: dict[str, Any]) -> Setting:
    """The setting that ``setting_json`` wrote (InvalidInput, KeyError: it did not)."""
    values = {
        o.part: o.from_json(data[name])
        for name, o, *_ in _parts()
        if o.written >= IN_CELLS or name in data
    }
    name, modulus, results = data["task"], data["modulus"], values.get("task.results", UNSIGNED)
    if is_named(name):
        return _setting(named_task(name, modulus, results, values["digit_base"]), values)
    asked = None if own_modulus(name) == modulus else modulus  # the name may hold it itself
    return _setting(parse_task(name, asked, results), values)


def _setting(task: Task, values: dict[str, Any]) -> Setting:
    """A setting of values by their parts."""
    train = {p.removeprefix("train."): v for p, v in values.items() if p.startswith("train.")}
    others = {p: v for p, v in values.items() if "." not in p}
    for some, digits, lengths, each in (
        (train, "digits", "lengths", "each"),
        (others, "test_digits", "test_lengths", "test_each"),
    ):
        asked = some.pop(digits)
        some |= {lengths: (), each: asked} if _of_each(asked) else {lengths: asked}
    return Setting(task=task, train=Domain(**train), **others)
