"""Pictures of recordings and robots, drawn by the viewer's own page in a browser without a window."""

from __future__ import annotations

import io
import os
import subprocess
import time as clock
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from footfall.environment.model import Environment
from footfall.errors import InvalidInput, ProgramFailed
from footfall.motion.motion import Motion
from footfall.recording.reader import Recording
from footfall.robot.model import Robot
from footfall.scene.model import Scene
from footfall.simulation.simulation import SimulationBase
from footfall.viewer.chromium import page_open
from footfall.viewer.show import FollowedMotion, PlannedScene, Subject, View
from footfall.whole_file import written_whole
from footfall.workspace.workspace import Workspace

BACKGROUND = (247, 248, 250)
_MOST_PIXELS = 8192  # pixels along an edge

Pixels = np.ndarray[Any, np.dtype[np.uint8]]

_ROUNDED = 1e-6  # s: times that are summed up step by step end a little before the one that was asked for


def take_screenshot(
    subject: Subject,
    path: str | os.PathLike[str],
    *,
    time: float | None = None,
    size: tuple[int, int] = (1280, 960),
    configuration: str | None = None,
    volumes: bool = False,
    confidence: bool = False,
    timeout: float = 120.0,
) -> None:
    """Write a PNG of a recording or motion at an instant (s, by default its last) or of a robot in a configuration.

    volumes: whether swept-sphere volumes are drawn. confidence: whether terrain is coloured by it. size: width and
    height in pixels. timeout: s that the browser may take to open the page, and again to draw it.
    """
    pixels = draw(
        subject,
        time=time,
        size=size,
        configuration=configuration,
        volumes=volumes,
        confidence=confidence,
        timeout=timeout,
    )
    import imageio.v3 as imageio

    content = io.BytesIO()
    imageio.imwrite(content, pixels, extension=".png")
    with written_whole(Path(path)) as file:
        file.write(content.getvalue())


def draw(
    subject: Subject,
    *,
    time: float | None = None,
    size: tuple[int, int] = (1280, 960),
    configuration: str | None = None,
    volumes: bool = False,
    confidence: bool = False,
    timeout: float = 120.0,
) -> Pixels:
    """The picture that `take_screenshot` writes: (height, width, 3) RGB."""
    if not isinstance(subject, (Robot, Scene, Environment, SimulationBase, Workspace)):
        time = checked_time(subject, time)
    with View(subject, port=0, configuration=configuration, volumes=volumes, confidence=confidence) as view:
        return next(frames(view, [time], size=size, timeout=timeout))


def frames(
    view: View, times: Iterable[float | None], *, size: tuple[int, int], timeout: float = 120.0
) -> Iterator[Pixels]:
    """What a view shows at instants, s: pictures (height, width, 3) RGB, one after the other. None: as it is."""
    width, height = size
    if not (1 <= width <= _MOST_PIXELS and 1 <= height <= _MOST_PIXELS):
        raise InvalidInput(f"size is {width} x {height}; both must be from 1 to {_MOST_PIXELS} pixels")
    with page_open(view.address, width=width, height=height) as process:
        client = _connected(view, process, timeout)
        try:
            for number, time in enumerate(times):
                if view.player is not None and time is not None:
                    view.player.seek(time)
                if number == 0:  # textures of the light come with the first one
                    client.get_render(height, width, timeout=timeout)
                pixels = client.get_render(
                    height, width, transport_format="png", timeout=timeout, **view.stage.view._asdict()
                )
                yield _on_background(np.asarray(pixels))
        except (RuntimeError, TimeoutError) as problem:
            raise ProgramFailed(f"the browser gave no picture: {problem}") from problem


def checked_time(subject: Recording | Motion | FollowedMotion | PlannedScene, time: float | None) -> float:
    """An instant of it, s: the last one if None."""
    if isinstance(subject, Recording):
        if not len(subject.time):
            raise InvalidInput(f"{str(subject.path)!r} has no state to show")
        what, start, end = "recording", float(subject.time[0]), float(subject.time[-1])
    else:
        motion = subject if isinstance(subject, Motion) else subject.motion
        what, start, end = "motion", motion.begin_time, motion.end_time
    if time is None:
        return end
    if not start - _ROUNDED <= time <= end + _ROUNDED:
        raise InvalidInput(f"time is {time:g} s; the {what} goes from {start:g} to {end:g} s")
    return min(max(time, start), end)


def _connected(view: View, process: subprocess.Popen[bytes], timeout: float) -> Any:
    """The page, once it has a camera."""
    deadline = clock.monotonic() + timeout
    while clock.monotonic() < deadline:
        for client in view.stage.server.get_clients().values():
            if client.camera.update_timestamp:
                return client
        if process.poll() is not None:
            raise ProgramFailed(
                f"the browser ended with code {process.returncode} before it opened the page; in containers its "
                "sandbox may not be able to start"
            )
        clock.sleep(0.05)
    raise ProgramFailed(f"the browser did not open the page within {timeout:g} s")


def _on_background(pixels: Pixels) -> Pixels:
    """Without transparency."""
    opacity = pixels[..., 3:].astype(np.float64) / 255.0
    blended = pixels[..., :3] * opacity + np.array(BACKGROUND) * (1.0 - opacity)
    return np.rint(blended).astype(np.uint8)
