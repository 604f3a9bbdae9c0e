"""What a walking robot believes of its surroundings: seen whole, exactly or with errors, or bit by bit by a camera."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from footfall.dynamics.kinematics import frame_pose
from footfall.environment.depth_camera import DepthCamera, SeenScene, render_depth
from footfall.environment.finding import ObjectFinder
from footfall.environment.mapping import map_frame
from footfall.environment.model import Environment, updated
from footfall.environment.perception import EXACT, PerceptionOptions, perceive
from footfall.environment.reset_area import reset_area
from footfall.errors import InvalidEnvironment
from footfall.gait.poses import mean_foot_frame
from footfall.math.transform import Transform
from footfall.planning.contacts import Goal
from footfall.scene.model import Scene
from footfall.walking.routes import scene_with_goal
from footfall.walking.walker import Walker

LOOK = 0.2  # s, between two frames; each is the mean of the six that a camera of 30 Hz takes in this time
_CAMERA = DepthCamera(width=160, height=120, noise=0.01 / 6.0**0.5)
_EVERY = 3  # frames, of which one is searched for objects
_DISC = 1.5  # m, of level ground around the robot at the start


class WholeSight:
    """Sees all of the scene whenever it looks, without errors or with those of a seed."""

    def __init__(self, *, noisy: bool, seed: int) -> None:
        self._options = PerceptionOptions(seed=seed) if noisy else EXACT
        self._last: tuple[object, ...] | None = None
        self._known = Environment()

    def look(self, walker: Walker, goal: Goal | None) -> Environment | None:
        """The surroundings, None if they are as they were."""
        return self.see(walker.scene, goal, walker.time)

    def see(self, scene: Scene, goal: Goal | None, time: float = 0.0) -> Environment | None:
        """The same of a scene at a time, s."""
        seen = [each for each in scene.objects if each.visible]
        places = [each.placement if each.motion is None else each.motion.pose(time) for each in seen]
        shown = [
            (each.name, each.category, each.shape, place.translation.tobytes(), place.rotation.tobytes())
            for each, place in zip(seen, places, strict=True)
        ]
        if (goal, *shown) == self._last:
            return None
        before = set() if self._last is None else set(self._last[1:])
        same = {each[0] for each in shown if each in before}
        self._last = (goal, *shown)
        found = perceive(scene_with_goal(scene, goal), self._options, time=time)
        # Things that stay as they are stay the same: what planners know of their surfaces is kept with them.
        objects = {
            id: self._known.objects.get(id, each) if id in same else each
            for id, each in found.objects.items()
        }
        self._known = replace(found, objects=objects)
        return self._known


class CameraSight:
    """Sees what is before the depth camera in the robot's head, and remembers it.

    Frames are taken where the head is and put into the map where the robot believes it to be. The ground before its
    feet, which the camera does not see, is taken to be level at the start.
    """

    def __init__(self, *, noisy: bool, seed: int, camera: DepthCamera | None = None) -> None:
        self.camera = _CAMERA if camera is None else camera
        self._rng = np.random.default_rng(seed) if noisy else None
        self._finder = ObjectFinder()
        self._environment = Environment()
        self._frames = 0

    def look(self, walker: Walker, goal: Goal | None) -> Environment | None:
        """The surroundings as they are known after one more look."""
        body, state = walker.code.body, walker.arrays[0]
        head, nq = body.model.frames["VTCP"], body.robot.nq
        there = frame_pose(body.robot, np.ascontiguousarray(state.q[:nq]), head)
        frame = render_depth(SeenScene(walker.scene, time=walker.time), self.camera, there, rng=self._rng)
        believed = frame_pose(body.robot, walker.brain.state.q, head)
        frame = frame._replace(pose=Transform(np.array(believed.rotation), np.array(believed.translation)))
        environment = self._environment
        if environment.version == 0:  # no camera sees the ground that it stands on
            middle, _ = mean_foot_frame(*walker.motion.given.begin.feet)
            place = float(middle[0]), float(middle[1])
            disc = reset_area(environment.terrain, place, float(middle[2]), radius=_DISC)
            environment = updated(environment, disc)
        environment = updated(environment, map_frame(environment.terrain, frame))
        if self._frames % _EVERY == 0:
            self._finder.add(frame)
            with suppress(InvalidEnvironment):  # too little floor was seen to tell what stands on it
                environment = updated(environment, self._finder.update(environment))
        self._frames += 1
        self._environment = environment
        return environment


Sight = WholeSight | CameraSight


def sight_for(seen: str, seed: int, *, noise: bool) -> Sight:
    """How a robot sees: "exact", "noisy" or "camera", the last with errors if there is noise."""
    if seen == "camera":
        return CameraSight(noisy=noise, seed=seed)
    return WholeSight(noisy=seen == "noisy", seed=seed)
