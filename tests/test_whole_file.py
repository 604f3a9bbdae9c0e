"""Files appear whole or not at all, and belong to whom the user wants."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from footfall.errors import CannotWrite, MissingFile
from footfall.whole_file import write_text, written_whole


@pytest.mark.skipif(os.name == "nt", reason="needs permissions of POSIX")
def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "whole", "text")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "whole")]
    assert modes[0] == modes[1]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_text(path, "old")

    def fail() -> None:
        with written_whole(path) as file:
            file.write(b"half of the new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        write_text(tmp_path / "taken", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    with pytest.raises(MissingFile, match="nowhere"):
        write_text(tmp_path / "nowhere" / "file", "text")


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    """The message names the file, says why, and what is there now; nothing else is left in the folder."""
    path = tmp_path / "model.xml"
    with pytest.raises(CannotWrite, match=r"model\.xml' cannot be written: .*; nothing of it is kept"):
        _fill(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    with pytest.raises(CannotWrite, match="the old one is as it was"):
        _fill(path)
    assert path.read_text() == "old"


def _fill(path: Path) -> None:
    with written_whole(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
