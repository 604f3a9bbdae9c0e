"""Looped robots the other way: all joints of the tree and constraint forces, dense, in world axes.

Shares nothing with `footfall.dynamics.loops` but the functions of trees.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.model import Loop, LoopType, Robot


def constraint_rows(robot: Robot, loop: Loop, q: Array, u: Array) -> tuple[Array, Array, Array]:
    """Residual (n,), Jacobian (n, tree nv) and `dJ/dt u` (n,) of a loop."""
    tree = robot.spanning
    places = [tree.v_slice(name).start for name in loop.joints]
    values = [float(q[tree.q_slice(name)][0]) for name in loop.joints]
    c, row, curvature = loop.coefficients, np.zeros(tree.nv), 0.0
    if not loop.type.joins_frames:
        if loop.type is LoopType.ROLLING:
            row[places] = c
            residual = c[0] * values[0] + c[1] * values[1] - loop.offset
        elif loop.type is LoopType.GEAR:
            row[places] = [1.0, *(-ratio for ratio in c)]
            residual = values[0] - np.dot(c, values[1:]) - loop.offset
        else:
            follows = np.polynomial.Polynomial(c)
            row[places] = [1.0, -follows.deriv()(values[1])]
            residual = values[0] - follows(values[1]) - loop.offset
            curvature = -follows.deriv(2)(values[1]) * u[places[1]] ** 2
        return np.array([residual]), row[None], np.array([curvature])
    poses = [frame_pose.textbook(tree, q, name) for name in (loop.frame, loop.against)]
    jacobians = [
        np.asarray(frame_jacobian.textbook(tree, q, name), float) for name in (loop.frame, loop.against)
    ]
    biases = [
        np.asarray(frame_jacobian_bias.textbook(tree, q, u, name), float)
        for name in (loop.frame, loop.against)
    ]
    apart = poses[1].translation - poses[0].translation
    jacobian, bias = jacobians[1] - jacobians[0], biases[1] - biases[0]
    if loop.type in (LoopType.DISTANCE, LoopType.SCREW):
        distance = float(np.linalg.norm(apart))
        rate = jacobian[:3] @ u
        along = apart / distance
        second = (rate @ rate - (along @ rate) ** 2) / distance + along @ bias[:3]
        if loop.type is LoopType.DISTANCE:
            return np.array([distance - loop.length]), (along @ jacobian[:3])[None], np.array([second])
        row = -c[0] * (along @ jacobian[:3])
        row[places[0]] += 1.0
        residual = values[0] - c[0] * distance - loop.offset
        return np.array([residual]), row[None], np.array([-c[0] * second])
    turn = poses[0].rotation.T @ poses[1].rotation
    if loop.type is LoopType.POINT:
        return apart, jacobian[:3], bias[:3]
    if loop.type is LoopType.WELD:
        angles = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        return np.concatenate([apart, angles]), jacobian, bias
    axis = poses[0].rotation @ np.array(loop.axis)
    across = np.linalg.svd(axis[None])[2][1:]
    # The axis of the second frame stays along that of the first: second derivative of their cross product.
    spins = [frame_jacobian.textbook(tree, q, name)[3:] @ u for name in (loop.frame, loop.against)]
    drift = bias[3:] - np.cross(spins[0], spins[1] - spins[0])
    tilt = across @ np.cross(axis, poses[1].rotation @ np.array(loop.axis))
    return (
        np.concatenate([apart, tilt]),
        np.vstack([jacobian[:3], across @ jacobian[3:]]),
        np.concatenate([bias[:3], across @ drift]),
    )


def all_constraint_rows(robot: Robot, q: Array, u: Array) -> tuple[Array, Array, Array]:
    """`constraint_rows` of all loops."""
    parts = [constraint_rows(robot, loop, q, u) for loop in robot.loops]
    residual, jacobian, bias = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return residual, jacobian, bias


def accelerations_with_multipliers(robot: Robot, q: Array, u: Array, tau: Array) -> Array:
    """Accelerations of all joints (tree nv,) under tau (tree nv,): the dense KKT system by least squares."""
    tree = robot.spanning
    mass = np.asarray(mass_matrix.textbook(tree, q), float)
    right = tau - np.asarray(bias_forces.textbook(tree, q, u), float)
    _, jacobian, bias = all_constraint_rows(robot, q, u)
    size = np.maximum(np.linalg.norm(jacobian, axis=1, keepdims=True), 1e-9)
    jacobian, bias = jacobian / size, bias / size[:, 0]
    scale = np.abs(mass).max()
    rows = len(bias)
    system = np.block([[mass / scale, jacobian.T], [jacobian, np.zeros((rows, rows))]])
    solution = np.linalg.lstsq(system, np.concatenate([right / scale, -bias]), rcond=1e-12)[0]
    return np.asarray(solution[: tree.nv])
