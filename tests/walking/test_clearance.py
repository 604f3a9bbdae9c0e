"""Arms that keep off the body while the robot walks."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.control.inverse_kinematics.costs import RepulsiveCost
from footfall.dynamics.configuration import integrate
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.volume_distances import volume_distances
from footfall.environment.perception import EXACT, perceive
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.motion.plans import load_plan
from footfall.scene.load import load_scene
from footfall.walking.clearance import (
    REACH,
    SMOOTH,
    ArmPoint,
    arm_pairs,
    arm_points,
    clearance_kernel,
    clearance_room,
    keep_clear,
)
from footfall.walking.gains import control_gains
from footfall.walking.task_space import TaskCode, task_code
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode
from footfall.walking.walls import MOST_WALLS, Wall, moved_walls, no_walls, wall_of, walls_around


@routine
def pushed(code: TaskCode, q: Array, walls: Array, room: Array, push: Array, slope: Array) -> float:
    return keep_clear(code, q, walls, np.array([0.0, 0.0]), room, push, slope)


SWINGING = np.ones(2)


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
    push, _, least = kernel(q, no_walls(), SWINGING)
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
    tasks, nv = task_code(body, code.tasks, gains, code.limits), body.robot.nv
    room, push = clearance_room(body), np.zeros(nv)
    kernel, beside = code.tasks.own_clearance, code.tasks.clearance
    assert kernel is not None
    assert beside is not None
    wanted, fading, _ = kernel(q)
    # Without walls the other kernel says the same; pushes of some 1 m/s are sums of some hundred terms.
    np.testing.assert_allclose(wanted, beside(q, no_walls(), SWINGING)[0], atol=1e-13)
    assert gains.period * gains.clearance_strength * fading[0] < 1.0  # nothing is weakened here
    slope = np.zeros(nv)
    for _ in range(20):
        slope[:] = 0.0
        pushed(tasks, q, no_walls(), room, push, slope)
    share = 1.0 - (1.0 - SMOOTH * gains.period) ** 20
    np.testing.assert_allclose(push, share * gains.clearance_strength * wanted, atol=1e-12)
    np.testing.assert_array_equal(slope, -push)
    # One that would overshoot in a period is weakened to just not doing so.
    strong = tasks._replace(clearance_strength=1e6)
    push[:] = 0.0
    pushed(strong, q, no_walls(), room, push, slope)
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


def beside(code: WalkingCode, gap: float, side: int) -> tuple[Array, ArmPoint]:
    """A wall beside a robot at rest, as numbers, so far from the outermost point of an arm, m; and that point."""
    outward = -1.0 if side == 0 else 1.0
    points = [each for each in arm_points(code.body) if each.side == side]
    outermost = max(
        points, key=lambda each: outward * place_of(code, code.body.comfort, each)[1] + each.radius
    )
    face = outward * place_of(code, code.body.comfort, outermost)[1] + outermost.radius + gap
    walls = no_walls().reshape(MOST_WALLS, -1)
    walls[0, 0], walls[0, 1:4] = 1.0, (0.0, outward * (face + 0.1), 1.0)
    walls[0, 13:16] = (2.0, 0.1, 1.0)
    return walls.reshape(-1), outermost


def place_of(code: WalkingCode, q: Array, point: ArmPoint) -> Array:
    pose = frame_pose(code.body.robot, np.ascontiguousarray(q), point.body)
    return np.asarray(pose.rotation @ np.array(point.place) + pose.translation)


@pytest.mark.parametrize("side", [0, 1])
def test_an_arm_that_swings_yields_to_a_wall(code: WalkingCode, side: int) -> None:
    body, kernel = code.body, code.tasks.clearance
    assert kernel is not None
    still, _, _ = kernel(body.comfort, no_walls(), SWINGING)
    for gap in (0.03, -0.01):  # also if it is believed to be in the wall already
        walls, point = beside(code, gap, side)
        push, fading, _ = kernel(body.comfort, walls, SWINGING)
        away = np.array(push) - np.array(still)
        assert fading[0] > 0.0
        rates = {joint.child: np.abs(away[body.robot.v_slice(joint.name)]) for joint in body.robot.joints}
        moved = {name for name, rate in rates.items() if rate.max(initial=0.0) > 1e-9}
        assert moved
        assert all(name.endswith("r" if side == 0 else "l") for name in moved)  # nothing but this arm
        outward = -1.0 if side == 0 else 1.0
        step = integrate(body.robot, body.comfort, 1e-4 * away / np.linalg.norm(away))
        assert outward * (place_of(code, step, point) - place_of(code, body.comfort, point))[1] < -1e-6
    far, _ = beside(code, 0.1, side)
    np.testing.assert_allclose(kernel(body.comfort, far, SWINGING)[0], still, atol=1e-12)


def test_a_hand_that_leans_on_a_wall_is_not_pushed_off_it(code: WalkingCode) -> None:
    kernel, walls = code.tasks.clearance, beside(code, 0.03, 0)[0]
    assert kernel is not None
    pushes = [np.abs(kernel(code.body.comfort, walls, np.array([free, 1.0]))[0]).max() for free in (1.0, 0.0)]
    reaching = [each for each in arm_points(code.body) if each.side == 0 and each.reaches]
    assert reaching
    assert pushes[1] < pushes[0]


def test_distances_of_walls_are_those_of_boxes() -> None:
    """A box with round edges, against the closest of many points of its faces and edges."""
    rng = np.random.default_rng(0)
    turn = rotation_z(0.4)
    wall = Wall(1.0, np.array([0.3, 0.1, 0.5]), turn, np.array([0.6, 0.07, 0.5]))
    local = rng.uniform(-1.0, 1.0, (20000, 3)) * (wall.half - 0.05)
    local += 0.05 * (lambda d: d / np.linalg.norm(d, axis=1)[:, None])(rng.normal(size=local.shape))
    # Faces: flat parts, moved out along one axis.
    flat = rng.uniform(-1.0, 1.0, (20000, 3)) * (wall.half - 0.05)
    axis, sign = rng.integers(0, 3, len(flat)), rng.choice([-1.0, 1.0], len(flat))
    flat[np.arange(len(flat)), axis] = sign * wall.half[axis]
    surface = np.concatenate([local, flat]) @ turn.T + wall.middle
    for point in rng.uniform(-1.5, 1.5, (30, 3)):
        outside = np.abs(turn.T @ (point - wall.middle)) - wall.half
        if outside.max() < 0.02:
            continue
        distance, away = wall.distance(point)
        nearest = np.linalg.norm(surface - point, axis=1).min()
        assert distance <= nearest + 1e-9
        assert distance == pytest.approx(nearest, abs=0.03)
        assert wall.distance(point + 1e-6 * away)[0] - distance == pytest.approx(1e-6, rel=1e-3)


def test_the_nearest_walls_are_known_where_they_are() -> None:
    seen = perceive(load_scene("corridor"), EXACT)
    walls = walls_around(seen, np.array([1.0, 0.0, 0.0]), 1.6)
    known = [wall_of(walls, k) for k in range(MOST_WALLS) if wall_of(walls, k).counts > 0.0]
    assert known
    low, high = (np.array(each) for each in seen.objects[next(iter(seen.objects))].box)
    assert all(abs(wall.middle[1]) > 0.3 for wall in known)
    assert any(np.allclose(wall.middle, (low + high) / 2, atol=1e-9) for wall in known)
    moved = moved_walls(walls, Transform(rotation_z(0.0), np.array([0.0, 0.2, 0.0])))
    np.testing.assert_allclose(wall_of(moved, 0).middle, known[0].middle + np.array([0.0, 0.2, 0.0]))
    assert not walls_around(seen, np.array([50.0, 0.0, 0.0]), 1.6).reshape(MOST_WALLS, -1)[:, 0].any()
