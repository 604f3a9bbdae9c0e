"""Moving pictures of recordings, drawn in a browser without a window by the page that `footfall share` writes."""

from __future__ import annotations

import base64
import io
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import InvalidInput, MissingPackage
from footfall.recording.reader import Recording
from footfall.viewer.chromium import operated_page
from footfall.viewer.screenshot import checked_time
from footfall.viewer.shared_page import shared_page
from footfall.whole_file import written_whole

_CODECS = {".mp4": "libx264", ".webm": "libvpx-vp9"}
_SETTINGS = {
    ".mp4": {"preset": "veryfast", "crf": "21"},
    ".webm": {"crf": "32", "b:v": "0", "deadline": "realtime", "cpu-used": "7"},
}
SUFFIXES = (*_CODECS, ".gif", ".webp")
_PICTURES = 20_000  # pictures
_PIXELS = 4096  # pixels along an edge

Pixels = np.ndarray[Any, np.dtype[np.uint8]]


def take_video(
    recording: Recording,
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    size: tuple[int, int] | None = None,
    speed: float = 1.0,
    timeout: float = 120.0,
    progress: Callable[[float, str], None] | None = None,
) -> None:
    """Write a recording as a moving picture: .mp4 and .webm by an encoder (PyAV), .gif and .webp by Pillow.

    rate: pictures a second; 25, and 10 for .gif and .webp. size: width and height in pixels; 1280 x 720, and 640 x 480.
    speed: recorded seconds in a second. timeout: s that the browser may take for each picture. progress: called with
    the share that is done.
    """
    path = checked_video(path)
    encoded = path.suffix in _CODECS
    rate = rate or (25.0 if encoded else 10.0)
    width, height = size or ((1280, 720) if encoded else (640, 480))
    if not 0.1 <= rate <= 60.0:
        raise InvalidInput(f"rate is {rate:g}; it must be from 0.1 to 60 pictures a second")
    if not 0.01 <= speed <= 100.0:
        raise InvalidInput(f"speed is {speed:g}; it must be from 0.01 to 100")
    if not all(16 <= edge <= _PIXELS for edge in (width, height)) or (encoded and (width % 2 or height % 2)):
        raise InvalidInput(f"size is {width} x {height}; both must be even and from 16 to {_PIXELS} pixels")
    end = checked_time(recording, None)
    times = np.arange(float(recording.time[0]), max(end, float(recording.time[0]) + 1e-9), speed / rate)
    if len(times) > _PICTURES:
        raise InvalidInput(f"{len(times)} pictures are too many; at most {_PICTURES}: choose a smaller rate")
    pictures = _pictures(recording, times, (width, height), timeout, progress)
    if encoded:
        _encode(pictures, path, rate, (width, height))
    else:
        _animate(pictures, path, rate)


def _pictures(
    recording: Recording,
    times: Any,
    size: tuple[int, int],
    timeout: float,
    progress: Callable[[float, str], None] | None,
) -> Iterator[Pixels]:
    """Pictures (height, width, 3) RGB at instants, s."""
    import imageio.v3 as imageio

    text = shared_page([recording], rate=60.0, pixels=size)
    with tempfile.TemporaryDirectory(prefix="footfall-video-") as folder:
        page_file = Path(folder) / "video.html"
        page_file.write_text(text, encoding="utf-8")
        with operated_page(page_file.as_uri(), width=size[0], height=size[1], timeout=timeout) as page:
            page.wait_for("window.footfall && window.footfall.ready === true", timeout)
            # The browser draws the next picture while this one is encoded.
            with ThreadPoolExecutor(1) as drawing:
                asked = deque([drawing.submit(page.evaluate, _at(times[0]))])
                for number in range(len(times)):
                    if number + 1 < len(times):
                        asked.append(drawing.submit(page.evaluate, _at(times[number + 1])))
                    content = base64.b64decode(asked.popleft().result())
                    if progress is not None:
                        progress((number + 1) / len(times), f"drawing picture {number + 1} of {len(times)}")
                    yield np.asarray(imageio.imread(content, extension=".jpg"))[..., :3]


def _at(time: float) -> str:
    """What the page draws an instant by, s."""
    return f"window.footfall.at({float(time)!r})"


def _encode(pictures: Iterator[Pixels], path: Path, rate: float, size: tuple[int, int]) -> None:
    try:
        import av
    except ImportError as error:
        raise MissingPackage(
            f"{path.suffix} needs an encoder: pip install 'footfall[video]'; .gif and .webp do without"
        ) from error
    content = io.BytesIO()
    with av.open(content, "w", format=path.suffix[1:]) as container:
        stream: Any = container.add_stream(_CODECS[path.suffix], rate=Fraction(rate).limit_denominator(1000))
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.options = _SETTINGS[path.suffix]
        for pixels in pictures:
            for packet in stream.encode(
                av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
            ):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    with written_whole(path) as file:
        file.write(content.getvalue())


def _animate(pictures: Iterator[Pixels], path: Path, rate: float) -> None:
    from PIL import Image

    images = [
        Image.fromarray(each).quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        if path.suffix == ".gif"
        else Image.fromarray(each)
        for each in pictures
    ]
    content = io.BytesIO()
    images[0].save(
        content,
        format=path.suffix[1:],
        quality=55,  # of WebP
        save_all=True,
        append_images=images[1:],
        duration=round(1000.0 / rate),
        loop=0,
    )
    with written_whole(path) as file:
        file.write(content.getvalue())


def checked_video(path: str | os.PathLike[str]) -> Path:
    """The path, if moving pictures can be written to it."""
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise InvalidInput(
            f"suffix {path.suffix!r} is unknown; moving pictures are {', '.join(SUFFIXES)} files"
        )
    return path
