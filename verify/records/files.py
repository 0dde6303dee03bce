"""Writing files: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from theory.display.files import writing


def write(path: Path, text: str) -> None:
    """Write a text file, with its folder; a file that was there stays whole until the new one is.

    The text goes to a file beside it, to the disk, and then in its place.

    Raises:
        InvalidInput: no file can be at this path.
        Failed: the disk is full or fails.
    """
    with (
        writing(path),
        tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
        ) as file,
    ):
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
    with writing(path):
        path.open("a").close()
        if new:
            path.unlink()


def _mode(path: Path) -> int:
    """The permissions of a file, or those that a new one gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
