"""Fast things do not pass thin ones, and feel nothing that they fly past."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.geometry.mesh import TriangleMesh
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from tests.contact.detection.pairs import TwoShapes
from tests.contact.detection.test_facets import grid_mesh
from tests.poses import random_pose

HERE = Transform(np.eye(3), np.zeros(3))
PLATE = Box((0.01, 0.4, 0.4))
BALL = Sphere(0.01)
SPEED, DT, REACH = 50.0, 1e-3, 1e-4


def at(x: float, y: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def standing_sheet() -> TriangleMesh:
    sheet = grid_mesh(np.zeros((9, 9)), 0.05)
    return TriangleMesh(sheet.vertices[:, [2, 0, 1]], sheet.triangles)


@pytest.mark.parametrize("plate", [PLATE, standing_sheet()], ids=["box", "sheet"])
@pytest.mark.parametrize("shape", [BALL, Capsule(0.01, 0.02), Cylinder(0.01, 0.02), Box((0.02, 0.02, 0.02))])
def test_whatever_is_hit_within_the_step_is_reported_before(shape: Any, plate: Any) -> None:
    """From all starts, wherever the step begins: the gap is no more than the way to go, so that the speed which the
    step allows, gap / dt, ends at the plate."""
    two = TwoShapes(shape, plate, fixed=True)
    front = 0.01 + (0.005 if isinstance(plate, Box) else 0.0)
    for lead in np.linspace(0.0, 0.049, 30):
        found = two.contacts(
            at(-front - lead, 0.01, 0.02),
            HERE,
            reach=REACH,
            dt=DT,
            velocity=np.array([SPEED, 0, 0, 0, 0, 0.0]),
        )
        assert len(found) > 0
        assert found["gap"].min() == pytest.approx(lead, abs=1e-9)
        np.testing.assert_allclose(found["normal"], np.tile([-1.0, 0.0, 0.0], (len(found), 1)), atol=1e-9)


@pytest.mark.parametrize("beside", [0.011, 0.03])
@pytest.mark.parametrize("plate", [PLATE, standing_sheet()], ids=["box", "sheet"])
def test_nothing_is_felt_in_passing(beside: float, plate: Any) -> None:
    """The centre passes the rim of the plate at more than the ball's radius."""
    two = TwoShapes(BALL, plate, fixed=True)
    for x in np.linspace(-0.1, 0.05, 60):
        pose = at(x, 0.2 + beside, 0.0)
        found = two.contacts(pose, HERE, reach=REACH, dt=DT, velocity=np.array([SPEED, 0, 0, 0, 0, 0.0]))
        assert len(found) == 0


def first_hit(two: TwoShapes, pose: Transform, place: Transform, velocity: Array) -> float:
    """Time (s) at which two shapes first touch, by small steps in time and bisection."""

    def gap(time: float) -> float:
        turn = matrix_from_rotation_vector(time * velocity[3:])
        moved = Transform(turn @ pose.rotation, pose.translation + time * velocity[:3])
        return float(two.contacts(moved, place, reach=5.0)["gap"].min())

    times = np.linspace(0.0, DT, 200)
    gaps = np.array([gap(time) for time in times])
    if not (gaps <= 0.0).any():
        return np.inf if gaps.min() > 1e-5 else np.nan  # a graze: nobody's matter
    k = int(np.argmax(gaps <= 0.0))
    low, high = times[max(k - 1, 0)], times[k]
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0.0 else (low, middle)
    return float(low)


@pytest.mark.parametrize("shape", [BALL, Box((0.02, 0.03, 0.04)), Cylinder(0.02, 0.03), Capsule(0.01, 0.05)])
@pytest.mark.parametrize("target", [Box((0.02, 0.1, 0.1)), Cylinder(0.03, 0.02)])
def test_hits_are_those_of_a_search_in_time(shape: Any, target: Any) -> None:
    """Random flights with spin: points are reported if and only if something is hit within the step, and at the speed
    that they allow the material points meet when the shapes do."""
    rng = np.random.default_rng(3)
    two = TwoShapes(shape, target, fixed=True)
    hits, misses, worst = 0, 0, 0.0
    for _ in range(80):
        pose = Transform(random_pose(rng).rotation, rng.normal(size=3) * 0.06)
        aim = rng.normal(size=3) * 0.035 - pose.translation
        velocity = np.concatenate([60.0 * aim / np.linalg.norm(aim), rng.normal(size=3) * 30.0])
        if two.contacts(pose, HERE, reach=5.0)["gap"].min() < 2e-3:
            continue
        time = first_hit(two, pose, HERE, velocity)
        found = two.contacts(pose, HERE, reach=REACH, dt=DT, velocity=velocity)
        if np.isnan(time) or 0.98 * DT < time < np.inf:
            continue
        if np.isinf(time):
            assert len(found) == 0
            misses += 1
            continue
        assert len(found) > 0
        speeds = velocity[:3] + np.cross(velocity[3:], found["position"] - pose.translation)
        approach = -np.einsum("ij,ij->i", speeds, found["normal"])
        arrival = (found["gap"] / approach).min()
        # Points on bodies that turn go along arcs: half of (w t)^2 r, against the way v t.
        assert arrival == pytest.approx(time, abs=0.1 * DT)
        worst = max(worst, abs(arrival - time) / DT)
        hits += 1
    print(f"{hits} hits, {misses} misses, worst time {worst:.3g} of a step")
    assert hits > 10
    assert misses > 1


def test_a_fast_box_that_lands_on_a_corner_reports_what_comes_down_after_it() -> None:
    """A box tilted by 0.02 about two axes falls at 6 m/s, 12 mm in a step, 4 mm above another: one corner touches
    first, and the impact turns the box about it. All four corners stand within the way that is left; without them the
    others were up to 13 mm inside before the next step knew."""
    box, dt, tilt = Box((0.1, 0.1, 0.05)), 2e-3, 0.02
    two = TwoShapes(box, Box((0.4, 0.4, 0.1)), fixed=True)
    turn = matrix_from_rotation_vector(np.array([tilt, tilt, 0.0]))
    corners = np.array([turn @ np.array([x, y, -0.025]) for x in (-0.05, 0.05) for y in (-0.05, 0.05)])
    pose = Transform(turn, np.array([0.0, 0.0, 0.05 + 4e-3 - corners[:, 2].min()]))
    found = two.contacts(pose, HERE, reach=1e-3, dt=dt, velocity=np.array([0.0, 0.0, -6.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(
        np.sort(found["gap"]), np.sort(corners[:, 2] - corners[:, 2].min() + 4e-3), atol=1e-9
    )
    np.testing.assert_allclose(found["normal"], np.tile([0.0, 0.0, 1.0], (4, 1)), atol=1e-12)


def test_a_slow_thing_is_not_looked_at_as_fast() -> None:
    """Negative: without looking ahead a ball that passes in a slant would be stopped by the rim it comes nearest to."""
    two = TwoShapes(BALL, PLATE, fixed=True)
    pose, velocity = at(-0.035, 0.22, 0.0), np.array([SPEED, 0.0, 0.0, 0.0, 0.0, 0.0])
    nearest = two.contacts(pose, HERE, reach=1.0)
    ahead = nearest["gap"] + DT * nearest["normal"] @ velocity[:3]
    assert ahead.min() < 0.0  # the plane through the nearest point is crossed
    assert len(two.contacts(pose, HERE, reach=REACH, dt=DT, velocity=velocity)) == 0
