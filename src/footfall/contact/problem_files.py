"""Contact problems on disk, such as those that a simulation met: one NPZ file for any number of them."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.contact.problem import ContactProblem
from footfall.errors import InvalidContact, MissingFile
from footfall.whole_file import written_whole

_ARRAYS = ("delassus", "bias", "friction", "extra", "box", "compliance")


def save_problems(path: str | Path, problems: Sequence[ContactProblem]) -> None:
    """Write contact problems; the file appears only when it is complete."""
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
    if not Path(path).is_file():
        raise MissingFile(f"no file of contact problems at {path}")
    try:
        with np.load(path, allow_pickle=False) as file:
            stored = {name: file[name] for name in ("sizes", *_ARRAYS)}
        positions = dict.fromkeys(_ARRAYS, 0)
        result = []
        for contacts, limits, boxes in stored["sizes"].tolist():
            size = 3 * contacts + limits + boxes
            lengths = (size * size, size, contacts, contacts, boxes, size)
            parts: dict[str, Any] = {"limits": limits}
            for name, length in zip(_ARRAYS, lengths, strict=True):
                parts[name] = stored[name][positions[name] : positions[name] + length]
                positions[name] += length
            parts["delassus"] = parts["delassus"].reshape(size, size)
            result.append(ContactProblem(**parts))
    except InvalidContact:
        raise
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidContact(f"{path} is no file of contact problems: {error}") from error
    return result
