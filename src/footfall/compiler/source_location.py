"""Where in the user's code something has happened."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import FrameType, TracebackType

import numpy as np

_HERE = str(Path(__file__).parent)
_NUMPY = str(Path(np.__file__).parent)


def _is_ours(filename: str) -> bool:
    return filename.startswith((_HERE, _NUMPY, "<"))


def user_location() -> str:
    """`file:line in function` of the innermost frame on the stack outside of the compiler and NumPy."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "an unknown place"
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"


def traceback_location(trace: TracebackType | None) -> str:
    """The same for an exception's traceback."""
    for entry in reversed(traceback.extract_tb(trace)):
        if not _is_ours(entry.filename):
            return f"{entry.filename}:{entry.lineno} in {entry.name}"
    return "an unknown place"
