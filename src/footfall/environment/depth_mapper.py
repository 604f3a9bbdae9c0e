"""A map made frame by frame: what a robot knows after each depth frame that its camera has taken."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from footfall.environment.depth_camera import DepthCamera, DepthFrame, SeenScene, render_depth
from footfall.environment.finding import ObjectFinder
from footfall.environment.mapping import map_frame
from footfall.environment.model import Environment, updated
from footfall.environment.reset_area import reset_area
from footfall.errors import InvalidEnvironment
from footfall.math.transform import Transform
from footfall.scene.model import Scene

_EVERY = 3  # frames, of which one is searched for objects
_DISC = 1.5  # m, of level ground around the robot at the start
LOOK = 0.2  # s, between two frames; each is the mean of the six that a camera of 30 Hz takes in this time
CAMERA = DepthCamera(width=160, height=120, noise=0.01 / 6.0**0.5)


class DepthMapper:
    """Terrain after each frame, objects after every third. environment: the newest map."""

    def __init__(self) -> None:
        self.environment = Environment()
        self._finder = ObjectFinder()
        self._frames = 0

    def begin(self, x: float, y: float, height: float) -> None:
        """Take the ground around a place to be level, all m: no camera sees what the robot stands on."""
        disc = reset_area(self.environment.terrain, (x, y), height, radius=_DISC)
        self.environment = updated(self.environment, disc)

    def add(self, frame: DepthFrame) -> Environment:
        """The map after one more frame."""
        environment = updated(self.environment, map_frame(self.environment.terrain, frame))
        if self._frames % _EVERY == 0:
            self._finder.add(frame)
            with suppress(InvalidEnvironment):  # too little floor was seen to tell what stands on it
                environment = updated(environment, self._finder.update(environment))
        self._frames += 1
        self.environment = environment
        return environment


def look(
    scene: Scene,
    time: float,
    there: Transform,
    believed: Transform,
    *,
    camera: DepthCamera = CAMERA,
    rng: np.random.Generator | None = None,
) -> DepthFrame:
    """What a camera sees of a scene at a time (s) from where it is, as a frame from where it is believed to be. rng: of
    errors; without one there are none."""
    frame = render_depth(SeenScene(scene, time=time), camera, there, rng=rng)
    return frame._replace(pose=Transform(np.array(believed.rotation), np.array(believed.translation)))
