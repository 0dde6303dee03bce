"""Writing the files that a person asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from theory.errors import InvalidInput


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Make a file's folder, and turn a failure to write into one clear line.

    Raises:
        InvalidInput: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror or error}") from None
