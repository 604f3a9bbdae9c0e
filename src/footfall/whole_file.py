"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from footfall.errors import MissingFile


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file beside `path` that takes its name when all has been written."""
    if not path.parent.is_dir():
        raise MissingFile(f"no folder {str(path.parent)!r} to write {path.name!r} into")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes it private
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    with written_whole(path) as file:
        file.write(text.encode())
