"""What a robot sees, as files and as messages of vision, for attacks on their readers to start from."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def environment_files(*, beside: bool) -> Mapping[str, bytes]:
    from footfall.environment import PerceptionOptions, perceive, save_environment
    from footfall.scene import make_scene

    scene = make_scene("right-wall", length=0.2, height=0.3, goal=0.5, distance=0.1)
    area = ((0.0, -0.3), (0.3, 0.3))
    seen = perceive(scene, PerceptionOptions(voxel=0.0, noise=0.0, area=area))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seen.toml"
        save_environment(seen, path, embedded=not beside, compressed=not beside)
        found = {each.name: each.read_bytes() for each in sorted(Path(folder).iterdir())}
        return {"seen.toml": found.pop("seen.toml"), **found}


def containers() -> list[Any]:
    from footfall.environment import ControlToVision, FrameMotion, MotionCapture, VisionToControl
    from footfall.environment.files import parse_environment
    from footfall.environment.model import whole
    from footfall.math.transform import identity_transform
    from footfall.messages import Signal

    seen = parse_environment(environment_files(beside=False)["seen.toml"].decode())
    rest = FrameMotion(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    pose = identity_transform()
    signals = (Signal("reset"), Signal("gain", 0.5))
    return [
        ControlToVision(1.0, 0.9, rest, rest, None, signals),
        VisionToControl(1.0, pose, pose, signals, whole(seen)),
        MotionCapture(1.0, {"pelvis": pose}),
    ]


def vision_stream() -> Mapping[str, bytes]:
    from footfall.environment.vision.codec import container_message
    from footfall.messages.frames import message_bytes

    messages = [container_message(each) for each in containers()]
    return {"stream.bin": b"".join(message_bytes(message) for message in messages)}


def vision_content() -> Mapping[str, bytes]:
    from footfall.environment.vision.codec import container_message

    return {"container.bin": b"\x01" + container_message(containers()[1]).content}


def perception_file() -> Mapping[str, bytes]:
    from footfall.environment import PerceptionRecorder

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seen.mcap"
        with PerceptionRecorder(path) as recorder:
            recorder.add(containers()[1])
        return {"seen.mcap": path.read_bytes()}
