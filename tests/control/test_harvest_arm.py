"""A second robot needs only data: a harvesting arm reaches between fruits and keeps off them and off itself."""

from __future__ import annotations

import numpy as np

import footfall
from footfall.geometry.swept_sphere import swept_point
from footfall.ik import CollisionLimits, solve_ik
from footfall.math.transform import Transform
from footfall.tasks import frame_position
from footfall.volumes import CollisionModel, Obstacle

ARM = footfall.load("harvest-arm")


def test_fruits_are_picked_without_touching_others() -> None:
    """Ten fruits around the arm; the tip goes to each, the other nine stay untouched, and so does the arm itself."""
    rng, ready = np.random.default_rng(0), ARM.configuration("ready")
    angles = rng.uniform(-0.6, 0.6, size=10)
    places = np.column_stack([0.75 * np.cos(angles), 0.75 * np.sin(angles), rng.uniform(0.7, 1.6, size=10)])
    fruits = [
        Obstacle(f"fruit {k}", swept_point((0, 0, 0), 0.05), Transform(np.eye(3), place))
        for k, place in enumerate(places)
    ]
    met = 0
    for k, place in enumerate(places):
        touched = [(volume.name, f"fruit {k}") for volume in ARM.volumes[-3:]]
        limits = CollisionLimits(obstacles=tuple(fruits), touching=tuple(touched), clearance=0.005)
        tasks = [frame_position("tip", place)]
        found = solve_ik(ARM, ready, tasks, collisions=limits, restarts=8, tolerance=1e-6)
        free = solve_ik(ARM, ready, tasks, tolerance=1e-6, restarts=8)
        assert free.reached
        met += found.reached
        if found.reached:
            model = CollisionModel(ARM, obstacles=fruits, touching=touched)
            assert model.measure(found.q).distance.min() >= 0.005 - 2e-6
            np.testing.assert_allclose(footfall.frame_pose(ARM, found.q, "tip").translation, place, atol=1e-5)
    assert met >= 8
