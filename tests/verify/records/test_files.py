"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from arith.theory.errors import Failed, InvalidInput
from arith.verify.records.files import check_writable, new_folder, write


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new" / "page.md"
    write(path, "old")
    path.chmod(0o640)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(Failed, match=r"cannot write .*page.md: No space left"):
            write(path, "new")
    assert [x.name for x in path.parent.iterdir()] == ["page.md"]
    assert path.read_text() == "old"
    write(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)
    with pytest.raises(InvalidInput, match="cannot write"):
        write(path / "below", "text")


def half_a_folder(path: Path) -> None:
    with new_folder(path) as beside:
        (beside / "a.txt").write_text("half")
        beside.mkdir()


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "model"
    for text in ("old", "new"):
        with new_folder(path) as beside:
            (beside / "a.txt").write_text(text)
            (beside / f"{text}.txt").touch(0o600)
        modes = {x.name: x.stat().st_mode for x in path.iterdir()}
        assert modes.keys() == {"a.txt", f"{text}.txt"} and len(set(modes.values())) == 1
    with pytest.raises(InvalidInput, match="File exists"):
        half_a_folder(path)
    assert [x.name for x in path.parent.iterdir()] == ["model"]
    assert (path / "a.txt").read_text() == "new"
    with pytest.raises(InvalidInput, match="cannot write"), new_folder(path / "a.txt" / "below"):
        pass


def test_the_old_folder_is_put_back_when_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "a.txt").write_text("old")
    rename = Path.rename

    def full(self: Path, target: Path) -> Path:
        """The disk is full when the new folder is to be put there."""
        if (self / "new.txt").exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(Failed, match="No space left"), new_folder(path) as beside:
        (beside / "new.txt").touch()
    assert [x.name for x in tmp_path.iterdir()] == ["model"]
    assert (path / "a.txt").read_text() == "old"


def test_a_file_that_can_be_written_leaves_nothing_when_that_was_asked(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "folder" / "page.md")
    assert not list(tmp_path.iterdir())
    (tmp_path / "page.md").write_text("old")
    check_writable(tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text() == "old"
    with pytest.raises(InvalidInput, match="cannot write"):
        check_writable(tmp_path / "page.md" / "below")


def test_a_file_that_cannot_be_written_leaves_nothing_either(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot write"):
        check_writable(tmp_path / "new" / ("x" * 300))
    assert list(tmp_path.iterdir()) == []


def test_a_link_leads_to_the_file_that_is_meant(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "page.md", tmp_path / "page.md"
    target.write_text("old")
    link.symlink_to(target)
    write(link, "new")
    assert link.is_symlink() and target.read_text() == "new"


def test_what_is_no_file_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, "text")
    assert os.read(end, 10) == b"text"
    os.close(end)
    assert pipe.is_fifo()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_takes_no_new_file_is_refused_before_the_work(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    tmp_path.chmod(0o555)
    with pytest.raises(InvalidInput, match="cannot write"):
        check_writable(path)
    tmp_path.chmod(0o755)
