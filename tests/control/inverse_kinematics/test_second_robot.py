"""Two robots side by side: the volumes of one are obstacles of the other, as they stand and while they move."""

from __future__ import annotations

import numpy as np

import footfall
from footfall.arrays import Array
from footfall.ik import BoundedRate, CollisionLimits
from footfall.tasks import PoseTask, frame_position
from footfall.volumes import CollisionModel, robot_obstacles

DT, STEPS, CLEARANCE = 0.01, 150, 0.02  # s, m


def test_a_hand_that_is_drawn_into_another_robot_stops_before_it() -> None:
    """LOLA's hand is drawn to the middle of a quadruped that stands beside it: without limits it gets there; with them
    all of LOLA keeps the clearance, and the hand stops no farther away than that and the arm's own thickness ask."""
    lola, other = footfall.load("lola"), footfall.load("quadruped")
    idle, beside = lola.configuration("idle"), np.array(other.configuration("stand"))
    beside[:3] = (0.15, -0.85, 0.97)  # lifted: its torso is as high as LOLA's hand
    obstacles = robot_obstacles(other, beside)
    torso = next(each for each in obstacles if each.name.endswith("/torso"))
    target = torso.placement.apply(np.array([0.0, 0.2, 0.0]))  # m, inside of it
    tasks = [
        PoseTask("UB", footfall.frame_pose(lola, idle, "UB"), gains=10.0, weight=100.0),
        frame_position("RH", target, gains=4.0),
    ]
    pairs = tuple(pair for pair in lola.volume_pairs if "arm" in pair[0])
    limits = CollisionLimits(pairs=pairs, obstacles=obstacles, clearance=CLEARANCE)
    judge = CollisionModel(lola, pairs=pairs, obstacles=obstacles)

    def least_gap(step: BoundedRate) -> tuple[float, Array]:
        q, least = idle, np.inf
        for _ in range(STEPS):
            q = footfall.integrate(lola, q, DT * step(q))
            least = min(least, float(judge.measure(q).distance.min()))
        return least, q

    touching, _ = least_gap(BoundedRate(lola, tasks, dt=DT, damping=0.01))
    kept, q = least_gap(BoundedRate(lola, tasks, dt=DT, damping=0.01, collisions=limits))
    assert touching < -0.01
    assert kept > 0.5 * CLEARANCE  # a step of 10 ms at 1 rad/s with an arm of 0.7 m goes 7 mm
    hand = footfall.frame_pose(lola, q, "RH").translation
    assert np.linalg.norm(hand - target) < 0.25  # it went as far as it may
