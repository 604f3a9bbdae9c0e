"""A free root two ways, Ayit 2015, (3.45)-(3.46): three slides and three hinges in a row, and one floating joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.math.rotations import quaternion_from_matrix, rotation_x, rotation_y, rotation_z
from footfall.robot.library import quadruped
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FLOATING = quadruped()


def on_six_joints(robot: Robot) -> Robot:
    """The robot with its floating joint replaced by massless carriers on X, Y, Z and then about x, y, z."""
    (root,) = (joint for joint in robot.joints if joint.type is JointType.FLOATING)
    names = [f"carrier{k}" for k in range(5)]
    carriers = [Body(name, 0.0, np.zeros(3), np.zeros((3, 3))) for name in names]
    kinds = [JointType.PRISMATIC] * 3 + [JointType.REVOLUTE] * 3
    chain = zip(kinds, AXES * 2, [WORLD, *names], [*names, root.child], strict=True)
    joints = [
        Joint(f"root{k}", kind, parent, child, axis=axis)
        for k, (kind, axis, parent, child) in enumerate(chain)
    ]
    others = [joint for joint in robot.joints if joint is not root]
    return replace(robot, bodies=(*carriers, *robot.bodies), joints=(*joints, *others), configurations={})


@pytest.mark.parametrize("seed", range(4))
def test_both_roots_give_the_same_accelerations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chained = on_six_joints(FLOATING)
    assert (chained.nq, chained.nv) == (22, 22)
    place, legs, rates, tau = (
        rng.normal(size=3),
        rng.normal(size=16),
        rng.normal(size=16),
        rng.normal(size=16),
    )
    a, b, c = rng.uniform(-1.2, 1.2, 3)  # away from the lock at b = pi / 2
    speed, turning = rng.normal(size=3), rng.normal(size=3)
    # Each hinge turns with those after it: the torso's angular velocity in its own axes.
    rotation = rotation_x(a) @ rotation_y(b) @ rotation_z(c)
    to_body = np.stack(
        [(rotation_y(b) @ rotation_z(c)).T @ AXES[0], rotation_z(c).T @ AXES[1], np.array(AXES[2])], axis=1
    )
    mine = footfall.forward_dynamics(
        FLOATING,
        np.concatenate([place, quaternion_from_matrix(rotation), legs]),
        np.concatenate([speed, to_body @ turning, rates]),
        np.concatenate([np.zeros(6), tau]),
    )
    theirs = footfall.forward_dynamics(
        chained,
        np.concatenate([place, [a, b, c], legs]),
        np.concatenate([speed, turning, rates]),
        np.concatenate([np.zeros(6), tau]),
    )
    scale = np.abs(mine).max()
    assert theirs[6:] == pytest.approx(mine[6:], abs=1e-9 * scale)
    assert theirs[:3] == pytest.approx(mine[:3], abs=1e-9 * scale)


def test_six_joints_lock_where_two_axes_meet() -> None:
    """At 90 degrees about y the first and the last hinge turn about the same axis: the mass matrix loses a rank."""
    q = np.zeros(22)
    q[4] = np.pi / 2
    values = np.linalg.eigvalsh(footfall.mass_matrix(on_six_joints(FLOATING), q))
    assert abs(values[0]) < 1e-12 * values[-1]
    q[4] = 0.3
    assert np.linalg.eigvalsh(footfall.mass_matrix(on_six_joints(FLOATING), q))[0] > 1e-4
