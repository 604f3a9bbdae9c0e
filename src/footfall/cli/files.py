"""Files and folders that a command writes: looked at before it starts to work, not after minutes of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from footfall.errors import CannotWrite, ExistingFile


def new_file(path: Path, *, force: bool = False) -> Path:
    """The path, if a file can be written there. force: also over one that exists."""
    if path.is_dir():
        raise CannotWrite(f"{str(path)!r} is a folder; name a file in it")
    if path.exists() and not force:
        raise ExistingFile(f"{str(path)!r} exists; --force overwrites it")
    if not path.parent.is_dir():
        raise CannotWrite(f"no folder {str(path.parent)!r} to write {path.name!r} into")
    _try_to_write(path.parent)
    return path


def output_folder(path: Path) -> Path:
    """The folder, made if there is none, if files can be written into it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "it is a file" if path.is_file() else error.strerror
        raise CannotWrite(f"cannot make the folder {str(path)!r}: {reason}; name another") from error
    _try_to_write(path)
    return path


def _try_to_write(folder: Path) -> None:
    """Permissions alone do not tell: disks are full, shares are read-only."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CannotWrite(f"cannot write into {str(folder)!r}: {error.strerror}; name another") from error
