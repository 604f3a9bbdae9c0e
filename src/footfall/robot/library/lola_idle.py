"""LOLA's idle configuration, found by Newton's method on its forward kinematics (Seiwald 2023).

`python -m footfall.robot.library.lola_idle` prints the line that stands in `lola.toml`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import NoSolution
from footfall.math.transform import Transform
from footfall.robot.joint_poses import joint_transforms
from footfall.robot.model import Robot
from footfall.robot.tree import Tree

# The conditions of Seiwald 2023, section 4.5.2, m and rad.
COM_HEIGHT = 0.9
FOOT_DISTANCE = 0.275
HAND_DISTANCE = 0.68
HAND_HEIGHT = 0.97
HAND_AHEAD = 0.22
HEAD_TILT = np.deg2rad(-25.0)
# The sole reaches from the heel's rear edge to the toe's front edge, in the axes of RF (Seiwald 2023, section 3.4).
SOLE_REAR, SOLE_FRONT = -0.2336, 0.0425

# What Newton's method moves, with a start on the branch where knees and elbows bend as a human's do. All else
# is zero: the arm rotation and pelvis angles by the assumption of section H.1, the toes by section 4.5.2.
_START_DEGREES = {
    "hrr": 0.0,
    "har": 10.0,
    "hfr": -20.0,
    "kfr": 45.0,
    "sar": 0.0,
    "sfr": -25.0,
    "afr": 20.0,
    "aar": -10.0,
    "efr": -60.0,
    "hrl": 0.0,
    "hal": 10.0,
    "hfl": 20.0,
    "kfl": -45.0,
    "sal": 0.0,
    "sfl": 25.0,
    "afl": -20.0,
    "aal": -10.0,
    "efl": 60.0,
}
_START_POSITION = (-0.22, 0.0, 1.1)


def idle_configuration(robot: Robot, *, tolerance: float = 1e-13) -> Array:
    """Configuration q (nq,) that meets these conditions, the mean of both foot frames at the world's origin; rad and m.

    robot: LOLA or a variant of it. tolerance: largest error allowed, m and rad.
    """
    unknown = [0, 1, 2, *(robot.q_slice(joint).start for joint in _START_DEGREES)]
    q = np.zeros(robot.nq)
    q[unknown] = [*_START_POSITION, *np.deg2rad(list(_START_DEGREES.values()))]
    q[3] = 1.0
    q[robot.q_slice("vt")] = HEAD_TILT

    error = idle_error(robot, q)
    for _ in range(50):
        if np.abs(error).max() <= tolerance:
            return q
        jacobian = _complex_step_jacobian(robot, q, unknown)
        q[unknown] -= np.linalg.lstsq(jacobian, error, rcond=None)[0]
        error = idle_error(robot, q)
    raise NoSolution(
        f"no idle configuration of robot '{robot.name}' found: the largest error stays at "
        f"{np.abs(error).max():.3g} m or rad (allowed: {tolerance:.3g}); are the feet and hands within reach?"
    )


def idle_error(robot: Robot, q: Any) -> Array:
    """Errors (21,) of these conditions for a base without rotation, m and rad; q may be complex.

    Order: centre of mass; RF and LF, position and orientation each; RH and LH, position.
    """
    poses = _link_poses(robot.tree, q)

    def frame(name: str) -> Transform:
        attachment = robot.tree.attachments[name]
        return poses[attachment.link] @ attachment.placement

    links = robot.tree.links
    moments = [link.mass * pose.apply(link.center_of_mass) for link, pose in zip(links, poses, strict=True)]
    center = sum(moments, start=np.zeros(3)) / robot.mass
    errors = [center - [(SOLE_REAR + SOLE_FRONT) / 2, 0.0, COM_HEIGHT]]
    for name, side in (("RF", -1.0), ("LF", 1.0)):
        foot = frame(name)
        turned = foot.rotation - foot.rotation.T
        errors.append(foot.translation - [0.0, side * FOOT_DISTANCE / 2, 0.0])
        errors.append(np.array([turned[2, 1], turned[0, 2], turned[1, 0]]) / 2)
    for name, side in (("RH", -1.0), ("LH", 1.0)):
        errors.append(frame(name).translation - [HAND_AHEAD, side * HAND_DISTANCE / 2, HAND_HEIGHT])
    return np.concatenate(errors)


def _complex_step_jacobian(robot: Robot, q: Array, columns: list[int], step: float = 1e-30) -> Array:
    """Derivative of the errors, exact to rounding: an imaginary step leaves no difference to cancel."""
    jacobian = []
    for column in columns:
        shifted = q.astype(np.complex128)
        shifted[column] += 1j * step
        jacobian.append(idle_error(robot, shifted).imag / step)
    return np.column_stack(jacobian)


def _link_poses(tree: Tree, q: Array) -> list[Transform]:
    """Pose of each link in the world."""
    poses: list[Transform] = []
    for link, pose in zip(tree.links, joint_transforms(tree, q), strict=True):
        poses.append(pose if link.parent < 0 else poses[link.parent] @ pose)
    return poses


if __name__ == "__main__":
    from footfall.robot.load import load

    values = idle_configuration(load("lola"))
    print(f"idle = [{', '.join(repr(float(value)) for value in values)}]")
