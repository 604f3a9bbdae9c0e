"""A hash of what a robot is made of: the name under which its native code is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def digest_of(*parts: Any) -> str:
    """Hash of values of robots."""
    digest = hashlib.sha256()
    for part in _leaves(parts):
        digest.update(part + b"\0")
    return digest.hexdigest()


def _leaves(value: Any) -> Iterator[bytes]:
    """What a nested value is made of, without ambiguity. Zero and minus zero are one, as in all files."""
    if isinstance(value, np.ndarray):
        numbers = np.ascontiguousarray(value, dtype=np.float64) + 0.0
        yield f"array {value.shape}".encode() + numbers.tobytes()
    elif isinstance(value, float):
        yield repr(value + 0.0).encode()
    elif isinstance(value, (list, tuple)):
        yield f"tuple {len(value)}".encode()
        for part in value:
            yield from _leaves(part)
    elif is_dataclass(value):
        yield type(value).__name__.encode()
        for entry in fields(value):
            yield from _leaves(getattr(value, entry.name))
    else:
        yield repr(value).encode()
