"""Compiled kernels on disk: found by a key of everything they depend on, checked before use, bounded in size.

An entry is a header with a hash of the rest. A file that is truncated, corrupted or of another format is removed and
built anew. Entries are written under a temporary name and renamed, so that processes never see half of one. The
folder belongs to the user alone: code of others is not loaded. Folder and files are opened first and looked at then, so
that no one else can exchange them in between.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
import random
import re
import secrets
import stat
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_LOG = logging.getLogger(__name__)

MAGIC = b"footfall-kernel-1\n"
LIMIT = 512 * 2**20  # bytes kept; the least recently used entries go first
_LOOKS = 64  # at the size of the folder, while as many bytes are written as are kept
ENTRY_LIMIT = 256 * 2**20  # larger files are not ours
SHIPPED = Path(__file__).parent / "shipped"  # archives of entries that come with the package
_CHANCE = random.Random()  # not the one of `random`, which a program may have seeded
_OURS = re.compile(r"[0-9a-f]{64}(\.kernel|\.[0-9a-f]{16}\.part)")  # names of files
_BY_DESCRIPTOR = hasattr(os, "getuid") and os.open in os.supports_dir_fd and os.scandir in os.supports_fd


@dataclass(frozen=True)
class Entry:
    """A compiled kernel: facts about it, and its object code."""

    facts: dict[str, Any]
    code: bytes


def directory() -> Path:
    """Where kernels are kept: FOOTFALL_CACHE_DIR, or `footfall` in the user's cache folder."""
    chosen = os.environ.get("FOOTFALL_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "footfall"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "footfall"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "footfall"


def key_of(*parts: str) -> str:
    """Name of the entry for something that depends on these parts."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


def read(key: str) -> Entry | None:
    """The entry, if there is a sound one: in the folder, or among those that come with the package."""
    return _read_kept(key) or _read_shipped(key)


def _read_kept(key: str) -> Entry | None:
    name = f"{key}.kernel"
    with suppress(OSError), _opened(directory()) as folder:
        with folder.open(name, os.O_RDONLY) as file:
            status = os.fstat(file.fileno())
            if not _is_ours(status) or not stat.S_ISREG(status.st_mode) or status.st_size > ENTRY_LIMIT:
                return None
            content = file.read()
        entry = parsed(content, key)
        if entry is None:
            folder.remove(name)
        else:
            with suppress(OSError):
                folder.touch(name)  # most recently used
        return entry
    return None


@cache
def _packs() -> tuple[zipfile.ZipFile, ...]:
    """Archives of entries that come with the package, in memory: where processes fork they share no place in a file."""
    return tuple(zipfile.ZipFile(io.BytesIO(path.read_bytes())) for path in sorted(SHIPPED.glob("*.zip")))


def _read_shipped(key: str) -> Entry | None:
    for pack in _packs():
        with suppress(KeyError):
            return parsed(pack.read(f"{key}.kernel"), key)
    return None


def write(key: str, entry: Entry) -> None:
    """Keep an entry. A cache that cannot be written is no cache, but no error either."""
    facts = json.dumps({**entry.facts, "key": key}).encode()
    body = len(facts).to_bytes(8, "little") + facts + entry.code
    with suppress(OSError):
        directory().mkdir(parents=True, exist_ok=True, mode=0o700)
        with _opened(directory()) as folder:
            temporary = f"{key}.{secrets.token_hex(8)}.part"
            try:
                with folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
                    file.write(MAGIC + hashlib.sha256(body).digest() + body)
                folder.rename(temporary, f"{key}.kernel")
            except BaseException:
                with suppress(OSError):
                    folder.remove(temporary)
                raise
            # To look at thousands of files takes as long as to compile: one write in many does it, large ones sooner.
            if _CHANCE.random() < _LOOKS * len(body) / LIMIT:
                _evict(folder)


def clear() -> tuple[int, int]:
    """Remove all entries; gives how many files and bytes went. Other files are left alone."""
    count = size = 0
    with suppress(OSError), _opened(directory()) as folder:
        for name, status in folder.entries():
            with suppress(OSError):
                folder.remove(name)
                count, size = count + 1, size + status.st_size
    return count, size


def usage() -> tuple[int, int]:
    """Files and bytes in the cache."""
    with suppress(OSError), _opened(directory()) as folder:
        sizes = [status.st_size for _, status in folder.entries()]
        return len(sizes), sum(sizes)
    return 0, 0


class _Folder:
    """The folder of kernels, held open: names are looked up in it, whatever becomes of its path.

    Systems that cannot do so take paths, and leave it to the folder's own protection.
    """

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self.path = path
        self.descriptor = descriptor

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)

    def open(self, name: str, flags: int) -> Any:
        """A file, never the one that a link points to."""
        flags |= sum(getattr(os, each, 0) for each in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NONBLOCK"))
        file = os.open(self._at(name), flags, 0o600, dir_fd=self.descriptor)
        return os.fdopen(file, "wb" if flags & os.O_WRONLY else "rb")

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self.descriptor)

    def touch(self, name: str) -> None:
        os.utime(self._at(name), dir_fd=self.descriptor)

    def rename(self, old: str, new: str) -> None:
        at = self.descriptor
        os.replace(self._at(old), self._at(new), src_dir_fd=at, dst_dir_fd=at)

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        """Files that this module has written."""
        with os.scandir(self.path if self.descriptor is None else self.descriptor) as found:
            for each in found:
                with suppress(OSError):
                    if _OURS.fullmatch(each.name) and each.is_file(follow_symlinks=False):
                        yield each.name, each.stat(follow_symlinks=False)


@contextmanager
def _opened(path: Path) -> Iterator[_Folder]:
    """The folder, if there is one that only this user writes to; otherwise an OSError."""
    if not _BY_DESCRIPTOR:
        yield _Folder(path, None)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not _is_ours(os.fstat(descriptor)):
            _tell_of_others(path)
            raise PermissionError(f"{path} may be written by others")
        yield _Folder(path, descriptor)
    finally:
        os.close(descriptor)


@cache
def _tell_of_others(path: Path) -> None:
    _LOG.warning("%s belongs to others, or others may write to it: kernels are not kept there", path)


def parsed(content: bytes, key: str) -> Entry | None:
    head = len(MAGIC) + 32
    body = content[head:]
    if not content.startswith(MAGIC) or hashlib.sha256(body).digest() != content[len(MAGIC) : head]:
        return None
    length = int.from_bytes(body[:8], "little")
    facts = json.loads(body[8 : 8 + length])
    if facts.pop("key") != key:  # renamed or copied by hand
        return None
    return Entry(facts, body[8 + length :])


def _is_ours(status: os.stat_result) -> bool:
    """Owned by this user and writable by no other."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _evict(folder: _Folder) -> None:
    """Remove the entries used longest ago until the rest fits the limit."""
    files = [(status.st_mtime, status.st_size, name) for name, status in folder.entries()]
    total = sum(size for _, size, _ in files)
    for _, size, name in sorted(files):
        if total <= LIMIT:
            break
        with suppress(OSError):
            folder.remove(name)
            total -= size
