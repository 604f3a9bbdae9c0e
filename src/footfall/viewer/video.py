"""Moving pictures of recordings, drawn by the viewer's own page."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from footfall.errors import NothingToShow
from footfall.recording.reader import Recording
from footfall.viewer.screenshot import checked_time, frames
from footfall.viewer.show import View
from footfall.whole_file import written_whole

SUFFIXES = (".gif", ".webp")
_MOST = 3000  # pictures


def take_video(
    recording: Recording,
    path: str | os.PathLike[str],
    *,
    rate: float = 10.0,
    size: tuple[int, int] = (640, 480),
    timeout: float = 120.0,
    progress: Callable[[float, str], None] | None = None,
) -> None:
    """Write a recording as a moving picture, .gif or .webp, which runs at the speed of what it shows.

    rate: pictures a second. size: width and height in pixels. timeout: s that the browser may take for each.
    progress: called with the share that is done.
    """
    path = checked_video(path)
    if not 0.1 <= rate <= 60.0:
        raise NothingToShow(f"rate is {rate:g}; it must be from 0.1 to 60 pictures a second")
    end = checked_time(recording, None)
    times = np.arange(float(recording.time[0]), end, 1.0 / rate)
    if len(times) > _MOST:
        raise NothingToShow(f"{len(times)} pictures are too many; at most {_MOST}: choose a smaller rate")
    from PIL import Image

    pictures = []
    with View(recording, port=0) as view:
        for number, pixels in enumerate(frames(view, times.tolist(), size=size, timeout=timeout)):
            if progress is not None:
                progress((number + 1) / len(times), f"drawing picture {number + 1} of {len(times)}")
            pictures.append(
                Image.fromarray(pixels).quantize(96, dither=Image.Dither.NONE)
                if path.suffix == ".gif"
                else Image.fromarray(pixels)
            )
    content = io.BytesIO()
    pictures[0].save(
        content,
        format=path.suffix[1:],
        quality=55,  # of WebP
        save_all=True,
        append_images=pictures[1:],
        duration=round(1000.0 / rate),
        loop=0,
    )
    with written_whole(path) as file:
        file.write(content.getvalue())


def checked_video(path: str | os.PathLike[str]) -> Path:
    """The path, if moving pictures can be written to it."""
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise NothingToShow(
            f"suffix {path.suffix!r} is unknown; moving pictures are {' or '.join(SUFFIXES)} files"
        )
    return path
