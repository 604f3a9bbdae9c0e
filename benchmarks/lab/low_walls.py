"""A video of a recording in a building whose walls are cut down to 0.3 m: else they stand before the camera half of the
time.

python -m benchmarks.lab.low_walls life/life-1010-full.mcap life.mp4 [--speed 20] [--rate 2]
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

import footfall
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene.model import Scene, SceneObject
from footfall.scene.toml_writer import scene_text
from footfall.viewer.video import take_video

_LOW = 0.3  # m, of what is left of a wall
_ABOVE = 0.5  # m, from which on a wall begins that is over a door


def with_low_walls(scene: Scene) -> Scene:
    """The scene with all walls cut down, without those over doors. Doors that close stay as they are."""
    things = []
    for each in scene.objects:
        if each.category == "wall" and each.motion is None and isinstance(each.shape, Box):
            x, y, z = each.placement.translation.tolist()
            begin = z - each.shape.size[2] / 2
            if begin <= _ABOVE:
                things.append(_cut(each, each.shape, (x, y, begin)))
            continue
        things.append(each)
    return replace(scene, objects=tuple(things))


def _cut(wall: SceneObject, shape: Box, foot: tuple[float, float, float]) -> SceneObject:
    x, y, z = foot
    low = Box((shape.size[0], shape.size[1], min(_LOW, shape.size[2])))
    place = Transform(wall.placement.rotation, np.array([x, y, z + low.size[2] / 2]))
    return replace(wall, shape=low, placement=place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("video", type=Path)
    parser.add_argument("--speed", type=float, default=20.0, help="recorded seconds in a second")
    parser.add_argument("--rate", type=float, default=2.0, help="pictures a second")
    options = parser.parse_args()
    recording = footfall.read_recording(options.recording)
    assert recording.scene is not None
    shown = replace(recording, scene_text=scene_text(with_low_walls(recording.scene)))
    take_video(shown, options.video, rate=options.rate, size=(640, 480), speed=options.speed)


if __name__ == "__main__":
    main()
