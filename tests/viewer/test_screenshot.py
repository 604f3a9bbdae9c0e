"""Pictures by Chromium show the robot; without Chromium the error says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import imageio.v3 as imageio
import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput, MissingPackage
from footfall.gait.actions import idle
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import idle_pose
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.recording.reader import read_recording
from footfall.recording.writer import RecordingWriter
from footfall.viewer import chromium
from footfall.viewer.screenshot import checked_time, draw, take_screenshot
from footfall.viewer.video import take_video

needs_chromium = pytest.mark.skipif(
    chromium.find_chromium() is None, reason="Chromium is not installed: no pictures are taken"
)


@needs_chromium
def test_picture_of_lola_shows_her_blue_parts_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "lola.png"
    take_screenshot(footfall.load("lola"), path, size=(320, 240))
    picture = imageio.imread(path).astype(int)
    assert picture.shape == (240, 320, 3)
    red, green, blue = np.moveaxis(picture, -1, 0)
    rows, columns = np.nonzero((blue > 90) & (blue - red > 60) & (blue - green > 30))
    assert len(rows) > 150
    assert 100 < columns.mean() < 220
    assert rows.min() < 80  # the head
    assert rows.max() > 160  # the toes
    assert picture[:20, :20].min() > 200  # the background
    assert orange_pixels(picture) == 0


@needs_chromium
def test_picture_of_a_recording_shows_the_force_of_its_instant(tmp_path: Path) -> None:
    robot = footfall.load("falling-rod")
    with RecordingWriter(tmp_path / "rod.mcap", robot) as writer:
        for time in (0.0, 1.0):
            writer.state(time, footfall.neutral(robot), np.zeros(robot.nv))
            writer.contacts(time, [[0.0, 0.0, 0.0]], [[0.0, 0.0, time * robot.mass * 9.81]])
    recording = read_recording(tmp_path / "rod.mcap")
    assert orange_pixels(draw(recording, time=1.0, size=(160, 120))) > 10


@needs_chromium
def test_moving_pictures_show_what_moves(tmp_path: Path) -> None:
    robot = footfall.load("falling-rod")
    with RecordingWriter(tmp_path / "rod.mcap", robot) as writer:
        for time in (0.0, 0.5, 1.0):
            writer.state(time, footfall.neutral(robot), np.zeros(robot.nv))
            writer.contacts(time, [[0.0, 0.0, 0.0]], [[0.0, 0.0, 2 * time * robot.mass * 9.81]])
    take_video(read_recording(tmp_path / "rod.mcap"), tmp_path / "rod.gif", rate=2.0, size=(320, 240))
    first, second = imageio.imread(tmp_path / "rod.gif", index=None)[..., :3]
    assert orange_pixels(first) == 0
    assert orange_pixels(second) > 10


def orange_pixels(picture: Any) -> int:
    """Pixels with the colour of contact forces."""
    red, green, blue = np.moveaxis(np.asarray(picture, dtype=int), -1, 0)
    return int(((red > 150) & (red - blue > 90) & (red - green > 50)).sum())


def test_missing_browser_is_named_and_no_file_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(chromium, "_PROGRAMS", ("no-such-browser",))
    with pytest.raises(MissingPackage, match="apt-get install chromium"):
        take_screenshot(footfall.load("wrist"), tmp_path / "wrist.png")
    assert list(tmp_path.iterdir()) == []


def test_instant_outside_of_the_recording_is_named(tmp_path: Path) -> None:
    robot = footfall.load("wrist")
    with RecordingWriter(tmp_path / "wrist.mcap", robot) as writer:
        writer.state(0.5, footfall.neutral(robot), np.zeros(robot.nv))
    recording = read_recording(tmp_path / "wrist.mcap")
    with pytest.raises(InvalidInput, match=r"time is 2 s; the recording goes from 0\.5 to 0\.5 s"):
        take_screenshot(recording, tmp_path / "wrist.png", time=2.0)
    with pytest.raises(InvalidInput, match="size is 0 x 100"):
        take_screenshot(recording, tmp_path / "wrist.png", size=(0, 100))


def test_the_last_instant_may_be_rounded(tmp_path: Path) -> None:
    """Three times 0.1 s are 0.30000000000000004 s; a run of 3 s in steps of 2 ms ends at 2.9999999999998 s."""
    robot = footfall.load("wrist")
    with RecordingWriter(tmp_path / "wrist.mcap", robot) as writer:
        writer.state(0.1, footfall.neutral(robot), np.zeros(robot.nv))
        writer.state(2.9999999999998, footfall.neutral(robot), np.zeros(robot.nv))
    recording = read_recording(tmp_path / "wrist.mcap")
    assert checked_time(recording, 3.0) == recording.time[-1]
    assert checked_time(recording, 0.1) == recording.time[0]
    assert checked_time(recording, None) == recording.time[-1]


@pytest.mark.parametrize("time", [-5.0, 1e6, float("nan")])
def test_instant_outside_of_the_motion_is_named(time: float, tmp_path: Path) -> None:
    model = footfall.reduced_model(footfall.load("lola"))
    motion = generate_motion(MotionPlan((idle(idle_pose(gait_dimensions(model))),)), model)
    with pytest.raises(InvalidInput, match="the motion goes from 0 to"):
        take_screenshot(motion, tmp_path / "idle.png", time=time)
