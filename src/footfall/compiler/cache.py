"""Compiled kernels on disk: found by a key of everything they depend on, checked before use, bounded in size.

An entry is a header with a hash of the rest. A file that is truncated, corrupted or of another format is removed and
built anew. Entries are written under a temporary name and renamed, so that processes never see half of one. The
folder belongs to the user alone: code of others is not loaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAGIC = b"footfall-kernel-1\n"
LIMIT = 512 * 2**20  # bytes kept; the least recently used entries go first
_LOOKS = 64  # at the size of the folder, while as many bytes are written as are kept
ENTRY_LIMIT = 256 * 2**20  # larger files are not ours


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
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read(key: str) -> Entry | None:
    """The entry, if there is a sound one."""
    path = directory() / f"{key}.kernel"
    try:
        if not _is_ours(path) or path.stat().st_size > ENTRY_LIMIT:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    entry = _parse(content, key)
    with suppress(OSError):
        if entry is None:
            path.unlink()
        else:
            os.utime(path)  # most recently used
    return entry


def write(key: str, entry: Entry) -> None:
    """Keep an entry. A cache that cannot be written is no cache, but no error either."""
    folder = directory()
    facts = json.dumps({**entry.facts, "key": key}).encode()
    body = len(facts).to_bytes(8, "little") + facts + entry.code
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_ours(folder):
            return
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC + hashlib.sha256(body).digest() + body)
            os.replace(temporary, folder / f"{key}.kernel")
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        # To look at thousands of files takes as long as to compile: one write in many does it, large ones sooner.
        if random.random() < _LOOKS * len(body) / LIMIT:
            _evict(folder)
    except OSError:
        return


def clear() -> tuple[int, int]:
    """Remove all entries; gives how many files and bytes went."""
    count = size = 0
    for path in _entries(directory()):
        with suppress(OSError):
            size += path.stat().st_size
            path.unlink()
            count += 1
    return count, size


def usage() -> tuple[int, int]:
    """Files and bytes in the cache."""
    sizes = []
    for path in _entries(directory()):
        with suppress(OSError):
            sizes.append(path.stat().st_size)
    return len(sizes), sum(sizes)


def _parse(content: bytes, key: str) -> Entry | None:
    head = len(MAGIC) + 32
    body = content[head:]
    if not content.startswith(MAGIC) or hashlib.sha256(body).digest() != content[len(MAGIC) : head]:
        return None
    length = int.from_bytes(body[:8], "little")
    facts = json.loads(body[8 : 8 + length])
    if facts.pop("key") != key:  # renamed or copied by hand
        return None
    return Entry(facts, body[8 + length :])


def _is_ours(path: Path) -> bool:
    """Owned by this user and writable by nobody else."""
    if not hasattr(os, "getuid"):
        return True
    status = path.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _entries(folder: Path) -> list[Path]:
    return [*folder.glob("*.kernel"), *folder.glob("*.part")]


def _evict(folder: Path) -> None:
    """Remove the entries used longest ago until the rest fits the limit."""
    files = []
    for path in _entries(folder):
        with suppress(OSError):
            status = path.stat()
            files.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LIMIT:
            break
        with suppress(OSError):
            path.unlink()
            total -= size
