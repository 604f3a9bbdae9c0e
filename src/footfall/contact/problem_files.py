"""Contact problems on disk, such as those that a simulation met: one NPZ file for any number of them."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from footfall.contact.problem import ContactProblem
from footfall.errors import InvalidInput
from footfall.whole_file import open_file, written_whole

_MOST_BYTES = 256 * 2**20
_MOST_PROBLEMS = 20_000
_ARRAYS = ("delassus", "bias", "friction", "extra", "box", "compliance")


def save_problems(path: str | Path, problems: Sequence[ContactProblem]) -> None:
    """Write contact problems; the file appears only when it is complete."""
    for problem in problems:
        problem.require_no_followers("a file of contact problems")
    sizes = np.array(
        [[problem.contacts, problem.limits, len(problem.box)] for problem in problems], dtype=np.int64
    )
    arrays: dict[str, Any] = {
        name: np.concatenate([np.zeros(0), *(getattr(problem, name).ravel() for problem in problems)])
        for name in _ARRAYS
    }
    with written_whole(Path(path)) as file:
        np.savez_compressed(file, sizes=sizes.reshape(-1, 3), **arrays)


def load_problems(path: str | Path) -> list[ContactProblem]:
    """The contact problems of a file that `save_problems` has written."""
    with open_file(Path(path), "file of contact problems") as file:
        try:
            stored = _arrays(file)
            return list(_problems(stored))
        except InvalidInput as error:
            raise InvalidInput(f"{path}: {error}") from None
        except Exception as error:  # zip, zlib and NumPy have many ways to say that something is no array
            raise InvalidInput(f"{path} is no file of contact problems: {error}") from error


def _arrays(file: IO[bytes]) -> dict[str, Any]:
    """The arrays of an NPZ file; sizes are compared with what is there before memory is asked for."""
    found: dict[str, Any] = {}
    with zipfile.ZipFile(file) as archive:
        members = {info.filename: info for info in archive.infolist()}
        names = {name: f"{name}.npy" for name in ("sizes", *_ARRAYS)}
        missing = [name for name, member in names.items() if member not in members]
        if missing:
            raise InvalidInput(f"there is no array {missing[0]!r}")
        total = sum(members[member].file_size for member in names.values())
        if total > _MOST_BYTES:
            raise InvalidInput(f"holds {total} bytes; at most {_MOST_BYTES} are read")
        for name, member in names.items():
            with archive.open(members[member]) as content:
                found[name] = _array(name, content, members[member].file_size)
    return found


def _array(name: str, content: IO[bytes], size: int) -> Any:
    version = np.lib.format.read_magic(content)
    if version != (1, 0):
        raise InvalidInput(f"{name} is an array of version {version}; 1.0 is read")
    shape, fortran, kind = np.lib.format.read_array_header_1_0(content, max_header_size=1000)
    axes, wanted = (2, np.dtype("<i8")) if name == "sizes" else (1, np.dtype("<f8"))
    if kind != wanted or fortran or len(shape) != axes or (axes == 2 and shape[1] != 3):
        raise InvalidInput(f"{name} is {kind} of shape {shape}; it must be {wanted}, {axes} axes")
    count = math.prod(shape)
    if not 0 <= 8 * count <= size:
        raise InvalidInput(f"{name} announces {count} numbers; {size} bytes are there")
    data = content.read(8 * count)
    return np.frombuffer(data, wanted).reshape(shape)


def _problems(stored: dict[str, Any]) -> Iterator[ContactProblem]:
    positions = dict.fromkeys(_ARRAYS, 0)
    if len(stored["sizes"]) > _MOST_PROBLEMS:
        raise InvalidInput(f"holds {len(stored['sizes'])} problems; at most {_MOST_PROBLEMS} are read")
    for contacts, limits, boxes in stored["sizes"].tolist():
        if min(contacts, limits, boxes) < 0:
            raise InvalidInput(f"a problem of {contacts} contacts, {limits} limits and {boxes} boxes")
        size = 3 * contacts + limits + boxes
        lengths = (size * size, size, contacts, contacts, boxes, size)
        parts: dict[str, Any] = {"limits": limits}
        for name, length in zip(_ARRAYS, lengths, strict=True):
            part = stored[name][positions[name] : positions[name] + length]
            if len(part) != length:
                raise InvalidInput(f"{name} ends within a problem")
            parts[name] = part
            positions[name] += length
        parts["delassus"] = parts["delassus"].reshape(size, size)
        yield ContactProblem(**parts)
