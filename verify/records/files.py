"""Writing files: whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from theory.errors import InvalidInput

_NO_FAULT_OF_THE_PATH = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""A full disk, a quota, a limit on file sizes, a failing device."""


class Failed(Exception):
    """Something that was rightly asked for could not be done; what had finished is kept."""


def write(path: Path, text: str) -> None:
    """Write a text file, with its folder; a file that was there stays whole until the new one is.

    The text goes to a file beside it, to the disk, and then in its place.

    Raises:
        InvalidInput: no file can be at this path.
        Failed: the disk is full or fails.
    """
    with _errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
        ) as file:
            beside = Path(file.name)
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                beside.chmod(_mode(path))
                beside.replace(path)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before the long work whose result it is to hold.

    Raises:
        InvalidInput, Failed: as ``write`` does.
    """
    new = not path.exists()
    with _errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
        if new:
            path.unlink()


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Say in one line why a file cannot be written."""
    try:
        yield
    except OSError as error:
        kind = Failed if error.errno in _NO_FAULT_OF_THE_PATH else InvalidInput
        raise kind(f"cannot write {path}: {error.strerror}") from None


def _mode(path: Path) -> int:
    """The permissions of a file, or those that a new one gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
