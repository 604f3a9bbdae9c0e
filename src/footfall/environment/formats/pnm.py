"""PNM: grey and coloured pictures without compression, of 8 or 16 bits, binary (P5 and P6)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from footfall.errors import InvalidEnvironment

Pixels = np.ndarray[Any, np.dtype[Any]]

_HEADER = re.compile(
    rb"P([56])\s(?:\s*#[^\n]*\n)*\s*(\d{1,9})\s(?:\s*#[^\n]*\n)*\s*(\d{1,9})\s(?:\s*#[^\n]*\n)*\s*(\d{1,5})\s"
)
_MOST_PIXELS = 2**26


def pnm_bytes(pixels: Pixels) -> bytes:
    """A picture (height, width) or (height, width, 3) of uint8 or uint16, to the bit."""
    pixels = np.asarray(pixels)
    if (
        pixels.dtype not in (np.uint8, np.uint16)
        or pixels.ndim not in (2, 3)
        or pixels.shape[2:] not in ((), (3,))
    ):
        raise InvalidEnvironment(
            f"pixels are {pixels.dtype} {pixels.shape}; they must be uint8 or uint16, (height, width) or with 3 colours"
        )
    kind = "P5" if pixels.ndim == 2 else "P6"
    largest = 255 if pixels.dtype == np.uint8 else 65535
    header = f"{kind}\n{pixels.shape[1]} {pixels.shape[0]}\n{largest}\n".encode("ascii")
    return header + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()


def read_pnm(content: bytes, *, source: str = "<pnm>") -> Pixels:
    """The picture of a P5 or P6 file's content, (height, width) or (height, width, 3), uint8 or uint16."""
    header = _HEADER.match(content[:4096])
    if header is None:
        raise InvalidEnvironment(
            "is no binary PNM file: it must begin with P5 or P6 and its size", source=source
        )
    colors, width, height, largest = (int(part) for part in header.groups())
    shape = (height, width) if colors == 5 else (height, width, 3)
    if not width * height or width * height > _MOST_PIXELS or not 0 < largest < 65536:
        message = (
            f"has {width} by {height} pixels up to {largest}; at most {_MOST_PIXELS} up to 65535 are read"
        )
        raise InvalidEnvironment(message, source=source)
    kind = np.dtype(np.uint8) if largest < 256 else np.dtype(">u2")
    size = int(np.prod(shape)) * kind.itemsize
    if len(content) - header.end() != size:
        message = f"holds {len(content) - header.end()} bytes of pixels; {shape} are {size} bytes"
        raise InvalidEnvironment(message, source=source)
    pixels = np.frombuffer(content, kind, offset=header.end()).reshape(shape)
    return pixels.astype(np.uint8 if largest < 256 else np.uint16)
