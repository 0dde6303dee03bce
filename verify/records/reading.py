"""Records read back: every value has its type and is within its bounds before it is used.

A dataclass is written as an object of JSON with its fields.  It is read as one that has these, each
as its type says, and no others (``msgspec``); numbers that are no numbers are none in JSON.
"""

from __future__ import annotations

import atexit
import gc
import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache, lru_cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta, Raw, Struct
from msgspec.structs import asdict

from arith.theory.arithmetic.exact_text import exact_text, read_exact
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import (
    IN_CELLS,
    LARGEST_MODULUS,
    LARGEST_TEST,
    Option,
    Request,
    options_of,
)
from arith.verify.plan.cells import Cell
from arith.verify.plan.given import one_line
from arith.verify.plan.plan import LARGEST_SEED, PRECISIONS

FORMAT = 1
"""Of the records of models; one that does not say its ``format`` has format 1."""
_MOST = 10**9
"""No count and no time of ours comes near it."""
_ON_ONE_LINE = r"\A[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*\Z"
_OF_DIGITS = r"\A[0-9]{1,9}\Z"
_A_PRECISION = rf"\A({'|'.join(PRECISIONS)})\Z"
_FORMS = {
    _ON_ONE_LINE: " on one line",
    _OF_DIGITS: " of digits",
    _A_PRECISION: ": float32 or bfloat16",
}
"""What patterns ask for, in words."""
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object of JSON",
}
"""What the library calls values, in words."""
_RATIO = re.compile(r"[0-9]{1,20000}(/[1-9][0-9]{0,19999})?")
"""A fraction, short enough to be read."""

Whole = Annotated[int, Meta(ge=0, le=_MOST)]
Positive = Annotated[int, Meta(ge=1, le=_MOST)]
Length = Annotated[int, Meta(ge=1, le=LARGEST_TEST)]
"""In digits."""
Seed = Annotated[int, Meta(ge=0, le=LARGEST_SEED)]
Share = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0, le=_MOST)]
Line = Annotated[str, Meta(max_length=10_000, pattern=_ON_ONE_LINE)]
Number = Annotated[str, Meta(pattern=_OF_DIGITS)]
"""The version of a theory."""
Precision = Annotated[str, Meta(pattern=_A_PRECISION)]

_Kind = TypeVar("_Kind")


class UnknownField(InvalidInput):
    """A record has a field, or a format, that this version does not know."""


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """An object of JSON as it is read, of which a dataclass is made."""

    of: ClassVar[Any]
    besides: ClassVar[Sequence[str]]
    """The fields that the dataclass does not have."""
    unmade: ClassVar[Sequence[str]]
    """The fields that may hold records or cells as they are read; most fields do not."""

    def held(self, name: str) -> Any:
        """What a field holds."""
        return _made(getattr(self, name))

    def values(self) -> dict[str, Any]:
        """What the fields hold, those of the dataclass and others, but for what stands beside."""
        found = asdict(self)
        for name in _beside(self.of):
            del found[name]
        for name in self.unmade:
            found[name] = _made(found[name])
        return found

    def made(self) -> Any:
        """The dataclass (InvalidInput: it has not what was written beside its fields)."""
        found = self.values()
        for name in self.besides:
            del found[name]
        made = self.of(**found)
        for name in _beside(self.of):
            fine = getattr(made, name) == getattr(self, name)
            check(fine, f"{name}: it was changed, for it has another {name}")
        return made


def _beside(kind: Any) -> dict[str, tuple[Any, ...]]:
    """What is written beside the fields of a dataclass: its type and, if it may lack, a value."""
    return getattr(kind, "BESIDE", {})


@cache
def record(kind: Any, **other: Any) -> type[Record]:
    """How a dataclass is read.

    Its ``BESIDE`` names attributes that are written beside its fields, and have to be what was
    written.

    Args:
        other: types of fields that are written otherwise, or besides (which may be left out where
            they may be null); None for what is not written.
    """
    types = get_type_hints(kind, include_extras=True)
    own = {f.name: [] if f.default is MISSING else [f.default] for f in fields(kind)}
    form = [(name, *how) for name, how in _beside(kind).items()]
    unmade = []
    for name, hint in ({name: types[name] for name in own} | other).items():
        if hint is None:
            continue
        given = [None] if type(None) in get_args(hint) else []
        form.append((name, _read_as(hint), *(given if name in other else own[name])))
        if form[-1][1] != hint:
            unmade.append(name)
    besides = [name for name in other if name not in own]
    known = {"of": kind, "besides": besides, "unmade": unmade}
    made = msgspec.defstruct(kind.__name__, form, bases=(Record,), namespace=known, kw_only=True)
    assert issubclass(made, Record)
    return made


def _read_as(hint: Any) -> Any:
    """The type that stands for one whose dataclasses are read as records."""
    if hint is Cell:
        return Raw
    if is_dataclass(hint):
        return record(cast(Any, hint))
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(map(_read_as, get_args(hint)))]  # noqa: UP007
    if get_origin(hint) is tuple:
        return tuple.__class_getitem__(tuple(map(_read_as, get_args(hint))))
    return hint


def _made(value: Any) -> Any:
    if isinstance(value, Record):
        return value.made()
    if isinstance(value, Raw):
        return read_cell(bytes(value))
    if isinstance(value, tuple) and value and isinstance(value[0], Record):
        return tuple(map(_made, value))
    return value


def read(kind: type[_Kind], data: str | bytes | dict[str, Any]) -> _Kind:
    """A record of JSON, or of TOML if it is parsed already.

    Args:
        kind: a dataclass, or a type of ``msgspec``.

    Raises:
        InvalidInput: it is no JSON, or a value is missing, of another type or out of bounds.
        UnknownField: there is a field more.
    """
    try:
        found = _reader(cast(Any, kind), isinstance(data, dict))(data)
    except msgspec.ValidationError as error:
        raise _worded(str(error)) from None
    except (msgspec.DecodeError, UnicodeError, TypeError):
        raise InvalidInput("it is no JSON") from None
    except RecursionError:
        raise InvalidInput("it is nested too deeply") from None
    return _made(found) if is_dataclass(kind) else found


@cache
def _reader(kind: Any, parsed: bool) -> Callable[[Any], Any]:
    form = _read_as(kind)
    if parsed:
        return lambda data: msgspec.convert(data, form, dec_hook=_hook)
    return msgspec.json.Decoder(form, dec_hook=_hook).decode


# As Python ends it may free types of the library before the readers that were made of them, and
# crash.  What is frozen is not freed then.
atexit.register(gc.freeze)


def _hook(kind: type, data: Any) -> Fraction:
    if kind is not Fraction or not isinstance(data, str):
        raise ValueError("expected a fraction as text")
    return _share(data)


@lru_cache(maxsize=4096)
def _share(text: str) -> Fraction:
    """A share that is written as a fraction; most are 0 or 1."""
    if not _RATIO.fullmatch(text):
        raise ValueError("expected a fraction as text")
    share = read_exact(text)
    if share > 1:
        raise ValueError("expected a fraction from 0 to 1")
    return share


def _worded(message: str) -> InvalidInput:
    """The error of what the library says, in one line: the field, and what is wrong there."""
    said, _, place = message.partition(" - at ")
    where = place.replace("`", "").replace("$.", "").replace("$", "").replace("[...]", "")
    where = f"{where}: " if where else ""
    if unknown := re.fullmatch("Object contains unknown field `(.*)`", said, re.S):
        return UnknownField(one_line(f"{where}unknown field '{unknown[1]}'"))
    if lacking := re.fullmatch("Object missing required field `(.*)`", said):
        return InvalidInput(f"{where}it lacks '{lacking[1]}'")
    for pattern, words in _FORMS.items():
        said = said.replace(f" matching regex {pattern!r}", words)
    said = re.sub(r"`([a-z |]+)`", _kinds, said).replace("Expected", "expected")
    return InvalidInput(one_line(where + said))


def _kinds(found: re.Match[str]) -> str:
    """What the library expects, ``str | null``, in words: a text or null."""
    return " or ".join(_KINDS.get(kind, kind) for kind in found[1].split(" | "))


def as_json(value: Any) -> Any:
    """What is written of a dataclass: its fields, but for those that have their defaults."""
    kind: Any = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: Any) -> Callable[[Any], Any]:
    """How values of a type are written."""
    if issubclass(kind, Cell):
        return Cell.to_json
    if issubclass(kind, tuple):
        return lambda value: [as_json(x) for x in value]
    if issubclass(kind, Fraction):
        return exact_text
    if not is_dataclass(kind):
        return lambda value: value
    defaults = {f.name: f.default for f in fields(kind)}

    def written(value: Any) -> dict[str, Any]:
        held = {name: getattr(value, name) for name in defaults}
        # A fraction takes long to find that it is no default.
        return {
            name: as_json(x)
            for name, x in held.items()
            if defaults[name] is MISSING or x != defaults[name]
        }

    return written


def check(fine: Any, message: str) -> None:
    """Refuse what does not fit together (InvalidInput)."""
    if not fine:
        raise InvalidInput(message)


@lru_cache(maxsize=4096)
def read_cell(text: str | bytes) -> Cell:
    """A cell (InvalidInput: it is none; UnknownField: it has a field more)."""
    try:
        data = msgspec.to_builtins(read(_cell_record(), text))
        given = {name: value for name, value in data.items() if value is not msgspec.UNSET}
        modulus = given["modulus"]
        check(modulus is None or 0 < modulus < LARGEST_MODULUS, f"no such modulus: {modulus}")
        return Cell.from_json(given)
    except UnknownField as error:
        raise UnknownField(f"cell: {error}") from None
    except (ValueError, TypeError, AttributeError, ArithmeticError, LookupError) as error:
        raise InvalidInput(one_line(f"cell: {error}")) from None


@cache
def _cell_record() -> type[Struct]:
    """A cell as it is written: the options of a setting, and a model size."""
    hints = get_type_hints(Request)

    def written(name: str, option: Option) -> tuple[Any, ...]:
        hint = hints[name]
        if option.joined:
            kind: Any = list[Length | list[Length]]  # of the longest operand, or of each
        elif option.example:
            kind = dict[str, list[Whole] | Annotated[str, Meta(pattern=r"\A[0-9/]{1,41}\Z")]]
        elif hint in (int, int | None):
            kind = Whole if hint is int else Whole | None
        else:
            kind = Line
        if option.written >= IN_CELLS:
            return name, kind
        return name, kind | msgspec.UnsetType, msgspec.UNSET

    parts = [written(name, o) for name, o in options_of(Request).items() if o.part]
    always: list[Any] = [("task", Line), ("modulus", int | None), ("model", Line)]
    return msgspec.defstruct("Cell", [*always, *parts], forbid_unknown_fields=True, kw_only=True)
