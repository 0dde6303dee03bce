"""Writing files: a failure is one clear line."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arith.theory.errors import Failed, InvalidInput

_NO_FAULT_OF_THE_PATH = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""A full disk, a quota, a limit on file sizes, a failing device."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Make a file's folder, and turn a failure to write into one clear line.

    Raises:
        InvalidInput: no file can be at this path.
        Failed: the disk is full or fails.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        kind = Failed if error.errno in _NO_FAULT_OF_THE_PATH else InvalidInput
        raise kind(f"cannot write {path}: {error.strerror or error}") from None
