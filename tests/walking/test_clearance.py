"""Arms that keep off the body while the robot walks."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.control.inverse_kinematics.costs import RepulsiveCost
from footfall.dynamics.configuration import integrate
from footfall.dynamics.volume_distances import volume_distances
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.motion.plans import load_plan
from footfall.scene.load import load_scene
from footfall.walking.clearance import REACH, SMOOTH, arm_pairs, clearance_kernel, keep_clear
from footfall.walking.gains import control_gains
from footfall.walking.task_space import TaskCode, task_code
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode


@routine
def pushed(code: TaskCode, q: Array, room: Array, push: Array, slope: Array) -> float:
    return keep_clear(code, q, room, push, slope)


def near(code: WalkingCode, seed: int) -> Array:
    """A configuration (nq,) whose arms are nearer to the body than where they push."""
    body, rng = code.body, np.random.default_rng(seed)
    for _ in range(1000):
        v = np.zeros(body.robot.nv)
        v[body.driven] = rng.normal(0.0, 0.3, len(body.driven))
        q = integrate(body.robot, body.comfort, v)
        least = volume_distances(body.robot, q, pairs=arm_pairs(body)).distance.min()
        if 0.0 < least < 0.5 * REACH * body.model.com_height:
            return np.asarray(q)
    raise AssertionError("no such configuration")


@pytest.mark.parametrize("seed", range(3))
def test_the_push_is_the_slope_of_the_cost(code: WalkingCode, seed: int) -> None:
    """Against differences of the cost itself, at one side and the other: (H(q + h) - H(q - h)) / 2 h."""
    body, q, h = code.body, near(code, seed), 1e-6
    kernel = clearance_kernel(body)
    assert kernel is not None
    push, _, least = kernel(q)
    cost = RepulsiveCost(REACH * body.model.com_height, 1.0, pairs=arm_pairs(body))
    slopes = []
    for k in range(body.robot.nv):
        step = np.zeros(body.robot.nv)
        step[k] = h
        ahead, back = (cost.value(body.robot, integrate(body.robot, q, way)) for way in (step, -step))
        slopes.append((ahead - back) / (2.0 * h))
    np.testing.assert_allclose(push, -np.array(slopes), atol=1e-7)
    assert np.abs(push).max() > 1e-3
    assert least[0] == pytest.approx(volume_distances(body.robot, q, pairs=arm_pairs(body)).distance.min())


def test_pushes_grow_as_a_low_pass_lets_them(code: WalkingCode) -> None:
    """p' = w (s P - p): p after n periods is s P (1 - (1 - w T)^n)."""
    body, gains, q = code.body, control_gains(code.body.model), near(code, 0)
    tasks, nv = task_code(body, code.tasks, gains), body.robot.nv
    room, push = np.zeros(body.robot.nq + nv + 2), np.zeros(nv)
    kernel = code.tasks.clearance
    assert kernel is not None
    wanted, fading, _ = kernel(q)
    assert gains.period * gains.clearance_strength * fading[0] < 1.0  # nothing is weakened here
    slope = np.zeros(nv)
    for _ in range(20):
        slope[:] = 0.0
        pushed(tasks, q, room, push, slope)
    share = 1.0 - (1.0 - SMOOTH * gains.period) ** 20
    np.testing.assert_allclose(push, share * gains.clearance_strength * wanted, atol=1e-12)
    np.testing.assert_array_equal(slope, -push)
    # One that would overshoot in a period is weakened to just not doing so.
    strong = tasks._replace(clearance_strength=1e6)
    push[:] = 0.0
    pushed(strong, q, room, push, slope)
    np.testing.assert_allclose(push, SMOOTH * wanted / fading[0], rtol=1e-9)


def test_only_arms_are_looked_at(code: WalkingCode) -> None:
    names = {name for pair in arm_pairs(code.body) for name in pair}
    assert "forearm_right" in names
    assert not any("shank" in name or "foot" in name for name in names)


@pytest.fixture(scope="module")
def curve(code: WalkingCode) -> Motion:
    return generate_motion(load_plan("curve", code.body.model), code.body.model, body=code.whole)


def least_distance(code: WalkingCode, motion: Motion, share: float) -> tuple[float, float, float]:
    """Of arms and body, m, most momentum about the vertical, and the greatest error of tasks."""
    from footfall.dynamics.centroidal import centroidal_momentum

    walker = Walker(code, load_scene("flat"), motion, WalkerOptions())
    walker.tune(walker.gains._replace(clearance_strength=share * walker.gains.clearance_strength))
    assert walker.run_until(motion.end_time)
    q, v = (np.ascontiguousarray(each[::10]) for each in (walker.log.q, walker.log.v))
    distance = volume_distances(code.body.robot, q, pairs=arm_pairs(code.body)).distance.min()
    momentum = np.abs(centroidal_momentum(code.body.robot, q, v)[:, 5]).max()
    return float(distance), float(momentum), float(walker.log.signals["task_error"].max())


def test_arms_that_swing_in_a_curve_keep_off_the_body(code: WalkingCode, curve: Motion) -> None:
    """Arms that take up the turn of legs come within the reach of the cost (54 mm): with it they stay farther away, and
    neither tasks nor momentum notice."""
    without, momentum, error = least_distance(code, curve, 0.0)
    apart, also, still = least_distance(code, curve, 1.0)
    assert without < 0.045
    assert apart > without + 0.003
    assert also < 1.1 * momentum
    # What moves arms at w turns them by (w dt)^2 / 2 beside their tasks in a step: 1e-6 m, which feedback of some 1/s
    # holds below 1e-4.
    assert still < error + 1e-4
