"""Arrays that take long to compute, kept on disk beside compiled kernels: those of meshes and their hulls.

They are found by what they are made of and by the source of the module that makes them. What makes them often needs
packages that take a second to import, which then are not.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from footfall.compiler import cache as disk

_LEAST_BYTES = 1024  # bytes; what is made of less is quicker to make


def kept_arrays(make: Callable[[], Sequence[Any]], module: str, *content: bytes) -> tuple[Any, ...]:
    """The arrays that `make` gives, from the disk if they are there. module: the name of the one that makes them;
    content: all that they depend on besides its source."""
    if sum(map(len, content)) < _LEAST_BYTES:
        return tuple(make())
    digests = [sha256(part).hexdigest() for part in content]
    key = disk.key_of("arrays", module, _source(module), *digests)
    entry = disk.read(key)
    known = None if entry is None else _unpacked(entry)
    if known is not None:
        return known
    arrays = tuple(np.asarray(array) for array in make())
    disk.write(key, disk.Entry({"arrays": len(arrays)}, _packed(arrays)))
    return arrays


@cache
def _source(module: str) -> str:
    file = sys.modules[module].__file__
    assert file is not None
    return sha256(Path(file).read_bytes()).hexdigest()


def _packed(arrays: Sequence[np.ndarray[Any, Any]]) -> bytes:
    file = io.BytesIO()
    for array in arrays:
        np.lib.format.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def _unpacked(entry: disk.Entry) -> tuple[np.ndarray[Any, Any], ...] | None:
    """None where the content is something else."""
    file = io.BytesIO(entry.code)
    try:
        return tuple(
            np.lib.format.read_array(file, allow_pickle=False) for _ in range(int(entry.facts["arrays"]))
        )
    except (KeyError, ValueError, EOFError):
        return None
