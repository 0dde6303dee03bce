"""Files that a user gives, or that others made: opened only if they are regular and not too large.

A pipe would keep a reader waiting, and a device may have no end.
"""

from __future__ import annotations

import gzip
import os
import stat
import sys
import tomllib
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

from arith.theory.errors import InvalidInput
from arith.verify.data.answers import parse_log
from arith.verify.data.files import Examples, parse_examples

MOST = 64 * 2**20
"""Bytes of a file that is read as a whole."""
_MOST_EXAMPLES = 256 * 2**20
"""Bytes of a file of examples, unpacked."""
_GZIP = b"\x1f\x8b"
_MOST_TOML = 4 * 2**20
"""TOML is read by Python alone, a second for a megabyte."""
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0)
_LONGEST = 500
"""Characters of what is repeated from a file."""


def read_bytes(path: Path, what: str, most: int = MOST) -> bytes:
    """What a file holds.

    Args:
        what: it is, for the error: ``the grid``.

    Raises:
        InvalidInput: there is none, it is no regular file (where links lead), or it is longer.
    """
    _check_name(path, what)
    try:
        with open(path, "rb", opener=lambda p, flags: os.open(p, flags | _NEVER_WAIT)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidInput(f"cannot read {what} {path}: it is no regular file")
            found = file.read(most + 1)
    except OSError as error:
        raise InvalidInput(f"cannot read {what} {path}: {error.strerror or error}") from None
    if len(found) > most:
        raise InvalidInput(f"cannot read {what} {path}: it has more than {most:,} bytes")
    return found


def read_text(path: Path, what: str, most: int = MOST) -> str:
    """What a file of UTF-8 holds (InvalidInput: as of ``read_bytes``, or it is no text)."""
    try:
        return read_bytes(path, what, most).decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"cannot read {what} {path}: it is no text") from None


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """What a TOML file holds (InvalidInput: as of ``read_text``, or it is no TOML)."""
    text = read_text(path, what, _MOST_TOML).replace("\r\n", "\n")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{what} {path} is not valid TOML: {one_line(str(error))}") from None
    except (ValueError, RecursionError):
        raise InvalidInput(
            f"{what} {path} is not valid TOML: it is nested too deeply, or a number is too long"
        ) from None


def read_examples(path: Path) -> Examples:
    """The examples in a file, which may be packed with gzip; ``-`` is the standard input.

    Raises:
        InvalidInput: as of ``read_bytes``, or it has no examples.
    """
    if str(path) == "-":
        what, found = "standard input", sys.stdin.buffer.read(_MOST_EXAMPLES + 1)
    else:
        what, found = str(path), read_bytes(path, "the examples", _MOST_EXAMPLES)
    if found.startswith(_GZIP):
        try:
            with gzip.open(BytesIO(found)) as file:
                found = file.read(_MOST_EXAMPLES + 1)
        except EOFError:
            raise InvalidInput(f"{what}: cannot be unpacked: it ends early") from None
        except (OSError, zlib.error) as error:
            raise InvalidInput(f"{what}: cannot be unpacked: {error}") from None
    if len(found) > _MOST_EXAMPLES:
        raise InvalidInput(f"{what} has more than {_MOST_EXAMPLES:,} bytes")
    return parse_examples(found, what)


def read_answers(path: Path) -> Examples:
    """The prompts and answers in a file: JSON lines, CSV, or a log of lm-evaluation-harness.

    Raises:
        InvalidInput: there is no such file, or a line of it is no prompt with an answer.
    """
    if str(path) != "-":
        found = read_bytes(path, "the answers", _MOST_EXAMPLES)
        if b'"resps"' in found.partition(b"\n")[0]:
            return parse_log(found, str(path))
        del found
    return read_examples(path)


def check_regular(path: Path, what: str) -> None:
    """Refuse a file that a library is to open and that is there, but is no regular one."""
    _check_name(path, what)
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InvalidInput(f"cannot use {what} {path}: {error.strerror or error}") from None
    if not regular:
        raise InvalidInput(f"cannot use {what} {path}: it is no regular file")


def _check_name(path: Path, what: str) -> None:
    """Refuse a name that no page can hold: of bytes that are no text, or with a null in it."""
    name = str(path)
    if "\0" in name or name != name.encode(errors="replace").decode():
        raise InvalidInput(f"cannot use {what} {one_line(name)}: its name is no text")


def one_line(text: str) -> str:
    """A text that repeats what a file holds, short and without what would end or colour a line."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}...{text[-_LONGEST // 2 :]}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
