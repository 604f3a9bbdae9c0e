"""A file that grows while a program runs: it takes the place of an old one when it is whole, and has one owner.

A forked process has the file open, too. There it must not be finished, nor may a buffer be written once more: so it
is replaced by an empty device.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

from footfall.errors import ExistingFile, MissingFile

_OPEN: WeakSet[OutputFile] = WeakSet()


class OutputFile:
    """A new file at `path`, or, where there is one to be replaced, beside it until it is whole.

    place: where it is now. foreign: whether it belongs to the process that this one was forked from.
    """

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        if not path.parent.is_dir():
            raise MissingFile(f"no folder {str(path.parent)!r} to write {path.name!r} into")
        if path.exists() and not path.is_file():
            raise ExistingFile(f"{str(path)!r} exists and is no file; name another")
        self.path = path
        self.place = path
        self.foreign = False
        if overwrite and path.exists():
            self.place = path.with_name(f"{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
        try:
            self.stream = open(self.place, "xb")  # noqa: SIM115  closed by finish() or leave()
        except FileExistsError:
            raise ExistingFile(f"{str(path)!r} exists; overwrite=True replaces it") from None
        _OPEN.add(self)

    def finish(self) -> None:
        """All has been written: keep it, in the place of the old file."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()
        if self.place != self.path:
            os.replace(self.place, self.path)
            self.place = self.path

    def leave(self) -> None:
        """Writing has failed: close it where it is, with what it has."""
        with suppress(OSError):  # that is known already
            self.stream.close()

    def remove(self) -> None:
        """Nothing of use has been written."""
        self.leave()
        self.place.unlink(missing_ok=True)

    def disown(self) -> None:
        """In a forked process: whatever is still written here goes nowhere."""
        self.foreign = True
        if not self.stream.closed:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
            os.close(nowhere)


def _disown_all() -> None:
    for file in list(_OPEN):
        file.disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)
