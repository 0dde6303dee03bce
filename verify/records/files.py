"""Writing files and folders: whole or not at all; and where checkpoints are."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copymode
from tempfile import TemporaryDirectory
from uuid import uuid4

from arith.theory.errors import InvalidInput
from arith.theory.text.files import writing
from arith.verify.plan.plan import Job

_ROOM = 2**16
"""Bytes that there must be room for where a file is to be written later."""


def write(path: Path, text: str) -> None:
    """Write a text file, with its folder; a file that was there stays whole until the new one is.

    The text goes to a file beside it, to the disk, and then in its place.  What is no file (a
    device, a pipe) is written to, and a link leads to the file that is meant.

    Raises:
        InvalidInput: no file can be at this path.
        Failed: the disk is full or fails.
    """
    with writing(path):
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8") as device:
                device.write(text)
            return
        path = path.resolve()
        beside = _beside(path)
        try:
            with beside.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                copymode(path, beside)
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def check_inside(path: Path, root: Path) -> None:
    """Refuse links out of a folder that was handed over: nothing there is read or written.

    Args:
        path: a file or a folder in ``root``, with all that is in it; it need not exist.

    Raises:
        InvalidInput: it is, or holds, a link that leads out of ``root``.
    """
    inside = os.path.realpath(root)
    within = (os.path.join(at, x) for at, *names in os.walk(path) for some in names for x in some)
    for link in (str(path), *within):
        is_out = os.path.commonpath([inside, os.path.realpath(link)]) != inside
        if os.path.islink(link) and is_out:
            raise InvalidInput(f"{link} is a link that leads out of {root}: take it away")


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid4().hex}")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to write files into, which is put at ``path`` when all of them are written.

    A folder that was there stays whole until then.

    Raises:
        InvalidInput: no folder can be at this path.
        Failed: the disk is full or fails.
    """
    with writing(path), TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as room:
        new, old = Path(room, "new"), Path(room, "old")
        new.mkdir()
        yield new
        mode = new.stat().st_mode & 0o666  # files that libraries make may be private
        for written in new.iterdir():
            written.chmod(mode)
            with written.open("rb+") as file:
                os.fsync(file.fileno())
        if path.exists():
            path.rename(old)
        try:
            new.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise


def check_writable(path: Path) -> None:
    """Refuse a file (as ``write`` does) before the long work whose result it is to hold.

    What was not there before is not there afterwards either.
    """
    new = [x for x in (path, *path.parents) if not x.exists()]
    try:
        with writing(path):
            path.open("a").close()
            if path.is_file():
                beside = _beside(path.resolve())
                beside.write_bytes(bytes(_ROOM))
                beside.unlink()
    finally:
        for made in new:
            with suppress(OSError):  # it was not made, or another process put something there
                made.unlink() if made == path else made.rmdir()


def checkpoint_path(
    folder: Path, jobs: Sequence[Job], budget: int, device: str, precision: str
) -> Path:
    """The file for a training of these models."""
    models = [(job.cell.key, job.seed, job.recipe.version) for job in jobs]
    name = hashlib.sha256(json.dumps([models, budget, device, precision]).encode()).hexdigest()[:16]
    return folder / f"{name}.safetensors"


def forget_checkpoint(path: Path) -> None:
    """Remove a checkpoint, and its folder with the last: its runs are kept elsewhere.

    With it goes what writers that were killed have left of it.
    """
    with suppress(OSError):
        for file in path.parent.glob(f"{path.stem}.*"):
            file.unlink(missing_ok=True)
        path.parent.rmdir()
