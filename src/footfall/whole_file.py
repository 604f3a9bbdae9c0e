"""Files that appear whole or not at all, and files that are opened to be read."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from footfall.errors import CannotWrite, FootfallError, MissingFile

# A full disk, a quota, a file that may not be so large, a device that fails
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file beside `path` that takes its name when all has been written."""
    if not path.parent.is_dir():
        raise MissingFile(f"no folder {str(path.parent)!r} to write {path.name!r} into")
    kept = "the old one is as it was" if path.exists() else "nothing of it is kept"
    try:
        with _beside(path) as file:
            yield file
    except OSError as problem:
        if isinstance(problem, FootfallError) or problem.errno not in _NO_ROOM:
            raise
        raise CannotWrite(f"{str(path)!r} cannot be written: {problem.strerror}; {kept}") from problem


@contextmanager
def _beside(path: Path) -> Iterator[IO[bytes]]:
    # Not mkstemp: it makes files private, and what others may do can only be asked for by changing it.
    temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
    with open(temporary, "xb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):  # a full disk stays full when it is closed
                file.close()
            temporary.unlink()
            raise


def is_file(path: Path) -> bool:
    """Whether there is a file; a name that no file system takes has none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def open_file(path: Path, what: str = "file") -> IO[bytes]:
    """A file that is read; what: its kind, in messages. Whatever keeps it from being opened is a `MissingFile`."""
    try:
        if path.is_dir():
            raise MissingFile(f"{str(path)!r} is a folder; a file is needed")
        if not path.is_file():  # a device or a pipe may have no end
            raise MissingFile(f"no {what} {str(path)!r}")
        return path.open("rb")
    except MissingFile:
        raise
    except (OSError, ValueError) as problem:  # no permission, a name that no file system takes
        reason = getattr(problem, "strerror", None) or problem
        raise MissingFile(f"{what} {str(path)!r} cannot be opened: {reason}") from None


def write_text(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    with written_whole(path) as file:
        file.write(text.encode())
