"""What starts deep inside of something is said, once; what stands is not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from footfall import Scene, SceneObject, free_body
from footfall.errors import SimulationWarning
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Sphere
from footfall.scene import SceneRobot
from footfall.simulation.simulation import Simulation

FLOOR = SceneObject("floor", Plane())


def dog(height: float, configuration: str | None = None) -> Simulation:
    place = Transform(np.eye(3), np.array([0.0, 0.0, height]))
    scene = Scene("yard", (FLOOR,), (SceneRobot("dog", "point-foot-quadruped", place, configuration),))
    return Simulation(None, scene, dt=2e-3)


def test_a_robot_in_the_ground_is_said_once() -> None:
    simulation = dog(-0.1)
    with pytest.warns(SimulationWarning, match=r"'dog/\w+' starts 0\.1\d* m deep in 'floor'"):
        simulation.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        simulation.step()
        simulation.reset()
        simulation.step()


def test_robots_of_a_scene_start_as_they_stand() -> None:
    """From the first of their configurations, so that a placement of 2 cm is 2 cm above the ground."""
    simulation = dog(0.02)
    # And not neutral, with the base on the ground.
    assert simulation.state.q[:3] == pytest.approx(dog(0.02, "stand").state.q[:3])
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        simulation.run(simulation.pd(simulation.joint_positions(), kp=300.0, kd=10.0), 0.2)
    assert simulation.state.q[2] == pytest.approx(
        simulation.robot.configuration("initial")[2] - 0.02, abs=0.01
    )


def test_balls_in_the_same_place_part_slowly() -> None:
    """One stays on the ground, one rises at `recovery_speed`, 0.05 m/s; the problem is solved all the while."""
    shape, place = Sphere(0.1), Transform(np.eye(3), np.array([0.0, 0.0, 0.1]))
    balls = [SceneObject(name, shape, place, free=free_body(shape, 1.0)) for name in ("one", "other")]
    simulation = Simulation(None, Scene("same", (FLOOR, *balls)), dt=2e-3)
    with pytest.warns(SimulationWarning, match=r"'one' starts 0\.2 m deep in 'other'"):
        trajectory = simulation.run(simulation.zero_command, 0.4)
    assert sorted(trajectory.q[-1, [2, 9]]) == pytest.approx([0.1, 0.1 + 0.05 * 0.4], abs=1e-6)
    assert trajectory.residual.max() < 1e-9
