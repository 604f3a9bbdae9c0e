"""Shows a scene in the browser as it is at the start."""

from __future__ import annotations

import numpy as np

from footfall.dynamics.kinematics import forward_kinematics
from footfall.math.rotations import quaternion_from_matrix
from footfall.scene.assembly import combined_robot, initial_state
from footfall.scene.model import Scene
from footfall.viewer.drawing import RobotDrawing, SceneDrawing, ground_height
from footfall.viewer.stage import Stage


class ScenePanel:
    """Objects, robots and free bodies of a scene, with a list of them."""

    def __init__(self, stage: Stage, scene: Scene) -> None:
        self.scene = scene
        SceneDrawing(stage.server.scene, scene.fixed_objects)
        centers = [each.placement.translation for each in scene.fixed_objects if each.visible] or [
            np.zeros(3)
        ]
        bounds = np.array([np.min(centers, axis=0) - 0.5, np.max(centers, axis=0) + 0.5])
        if scene.robots or scene.free_objects:
            robot = combined_robot(scene)
            poses = forward_kinematics(robot, initial_state(scene, robot)[0])
            drawing = RobotDrawing(stage.server.scene, robot)
            drawing.place(poses.position, quaternion_from_matrix(poses.rotation))
            moving = drawing.bounds(poses)
            bounds = np.array([np.minimum(bounds[0], moving[0]), np.maximum(bounds[1], moving[1])])
        stage.look_at(bounds)
        stage.set_ground(ground_height(scene, bounds))
        names = [f"{each.name}: {type(each.shape).__name__}" for each in scene.objects]
        names += [f"{each.name}: robot" for each in scene.robots]
        stage.add_text(scene.name, names)
