"""What a walking robot believes of its surroundings: seen whole, exactly or with errors, or bit by bit by a camera; or
by another process (`vision/led_sight.py`)."""

from __future__ import annotations

import numpy as np

from footfall.environment.depth_camera import DepthCamera
from footfall.environment.depth_mapper import CAMERA, DepthMapper, look
from footfall.environment.depth_mapper import LOOK as LOOK
from footfall.environment.model import Environment
from footfall.environment.perception import EXACT, Observer, PerceptionOptions
from footfall.gait.poses import mean_foot_frame
from footfall.planning.contacts import Goal
from footfall.scene.model import Scene
from footfall.walking.request import WalkRequest
from footfall.walking.routes import scene_with_goal
from footfall.walking.vision.led_sight import LedSight, led_sight
from footfall.walking.vision.localisation import CameraPlaces
from footfall.walking.walker import Walker


class WholeSight:
    """Sees all of the scene whenever it looks, without errors or with those of a seed. known: what it saw last."""

    def __init__(self, *, noisy: bool, seed: int) -> None:
        self.known = Environment()
        self._observer = Observer(PerceptionOptions(seed=seed) if noisy else EXACT)
        self._last: tuple[object, ...] | None = None

    def look(
        self, walker: Walker, goal: Goal | None, places: CameraPlaces | None = None
    ) -> Environment | None:
        """The surroundings, None if they are as they were."""
        return self.see(walker.scene, goal, walker.time)

    def see(self, scene: Scene, goal: Goal | None, time: float = 0.0) -> Environment | None:
        """The same of a scene at a time, s."""
        seen = [each for each in scene.objects if each.visible]
        places = [each.placement if each.motion is None else each.motion.pose(time) for each in seen]
        shown = tuple(
            (each.name, each.category, each.shape, place.translation.tobytes(), place.rotation.tobytes())
            for each, place in zip(seen, places, strict=True)
        )
        if (goal, *shown) == self._last:
            return None
        self._last = (goal, *shown)
        self.known = self._observer.see(scene_with_goal(scene, goal), time=time)
        return self.known


class CameraSight:
    """Sees what is before the depth camera in the robot's head, and remembers it.

    Frames are taken where the head is and put into the map where the tracking camera says that it is. The ground before
    its feet, which the camera does not see, is taken to be level at the start.
    """

    def __init__(self, *, noisy: bool, seed: int, camera: DepthCamera | None = None) -> None:
        self.camera = CAMERA if camera is None else camera
        self._rng = np.random.default_rng(seed) if noisy else None
        self._mapper = DepthMapper()

    def look(self, walker: Walker, goal: Goal | None, places: CameraPlaces) -> Environment | None:
        """The surroundings as they are known after one more look; None if it cannot tell from where it looks."""
        mapper = self._mapper
        if mapper.environment.version == 0:  # no camera sees the ground that it stands on
            middle, _ = mean_foot_frame(*walker.motion.given.begin.feet)
            mapper.begin(float(middle[0]), float(middle[1]), float(middle[2]))
        if places.vision is None:
            return None
        scene, time = walker.scene, walker.time
        return mapper.add(look(scene, time, places.true, places.vision, camera=self.camera, rng=self._rng))


Sight = WholeSight | CameraSight | LedSight


def sight_for(request: WalkRequest) -> Sight:
    """How the robot of a walk sees."""
    if request.led:
        return led_sight(request)
    if request.seen == "camera":
        return CameraSight(noisy=request.noise, seed=request.seed)
    return WholeSight(noisy=request.seen == "noisy", seed=request.seed)
