"""Geometric errors of a chain from measured poses of its end: Gauss and Newton, with a check of the rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.rotations import rotation_vector_from_matrix
from footfall.math.spatial import cross
from footfall.math.transform import Transform, identity_transform
from footfall.robot.drives.kinematic_chain import KinematicChain, adjoint

_RANK_TOLERANCE = 1e-8  # of the greatest singular value, with columns of length one


@dataclass(frozen=True, eq=False)
class Identification:
    """What was found.

    chain: with the errors put right. rank of `parameters`: below it, some combinations do not show in the measurements;
    they stay as they were. condition: of the columns, each scaled to length one; infinite if the rank is low.
    uncertainty (parameters,): standard deviations, rad and m, infinite for what does not show. residual: root mean
    square of what is left, in standard deviations of the noise. steps: Gauss-Newton steps. converged: whether they
    settled.
    """

    chain: KinematicChain
    rank: int
    parameters: int
    condition: float
    uncertainty: Array
    residual: float
    steps: int
    converged: bool

    @property
    def complete(self) -> bool:
        """Whether the measurements determine all parameters."""
        return self.rank == self.parameters


def identify_kinematics(
    nominal: KinematicChain,
    positions: Array,
    poses: Sequence[Transform],
    *,
    tool: bool = False,
    position_noise: float = 1e-4,
    angle_noise: float = 1e-4,
    greatest_steps: int = 20,
) -> Identification:
    """Lines of the joints that explain the poses measured at joint angles `positions` (m, n), rad.

    tool: whether the end's placement is unknown as well. position_noise (m), angle_noise (rad): of a measurement.
    """
    angles = np.asarray(positions, dtype=float)
    if angles.ndim != 2 or angles.shape != (len(poses), len(nominal.joints)) or len(poses) == 0:
        raise InvalidInput(
            f"positions have shape {angles.shape}; with {len(poses)} poses of {len(nominal.joints)} joints "
            f"they must be ({len(poses)}, {len(nominal.joints)}), and at least one"
        )
    scale = np.repeat([1.0 / position_noise, 1.0 / angle_noise], 3)
    chain, converged, steps = nominal, False, 0
    lines = 4 * len(nominal.joints)
    for _ in range(greatest_steps):
        matrix, left = _linearised(chain, angles, poses, scale, tool)
        step = _least_squares(matrix, left)[0]
        chain = chain.with_line_errors(step[:lines].reshape(-1, 4))
        if tool:
            chain = chain.with_tool_error(step[lines:])
        steps += 1
        if np.abs(step).max() < 1e-12:
            converged = True
            break
    matrix, left = _linearised(chain, angles, poses, scale, tool)
    _, rank, condition, uncertainty = _least_squares(matrix, left)
    residual = float(np.sqrt(np.mean(left**2)))
    return Identification(chain, rank, matrix.shape[1], condition, uncertainty, residual, steps, converged)


def identification_jacobian(chain: KinematicChain, q: Array, *, tool: bool = False) -> Array:
    """Derivative (6, parameters) of the end's pose by the errors: shift of its origin, turn, at q (n,)."""
    before, blocks = identity_transform(), []
    for turn, directions in zip(chain.turns(q), chain.error_directions(), strict=True):
        blocks.append(adjoint(before) @ (directions - adjoint(turn) @ directions))  # a line moves, and back
        before = before @ turn
    if tool:
        unit = np.eye(6)
        unit[:3, 3:] = np.stack([cross(chain.tool.translation, axis) for axis in np.eye(3)], axis=1)
        blocks.append(adjoint(before) @ unit)
    motions = np.concatenate(blocks, axis=1)
    end = (before @ chain.tool).translation
    shift = motions[:3] + np.cross(motions[3:], end, axis=0)
    return np.concatenate([shift, motions[3:]])


def _linearised(
    chain: KinematicChain, angles: Array, poses: Sequence[Transform], scale: Array, tool: bool
) -> tuple[Array, Array]:
    rows, left = [], []
    for q, measured in zip(angles, poses, strict=True):
        expected = chain.pose(q)
        turn = rotation_vector_from_matrix(measured.rotation @ expected.rotation.T)
        left.append(scale * np.concatenate([measured.translation - expected.translation, turn]))
        rows.append(scale[:, None] * identification_jacobian(chain, q, tool=tool))
    return np.concatenate(rows), np.concatenate(left)


def _least_squares(matrix: Array, right: Array) -> tuple[Array, int, float, Array]:
    """The smallest solution, the rank, the condition and the standard deviations of the solution."""
    lengths = np.linalg.norm(matrix, axis=0)
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    left, values, turn = np.linalg.svd(matrix / lengths, full_matrices=False)
    rank = int((values > _RANK_TOLERANCE * values[0]).sum())
    inverse = turn[:rank].T / values[:rank]
    solution = inverse @ (left[:, :rank].T @ right) / lengths
    deviations = np.sqrt((inverse**2).sum(axis=1)) / lengths
    shown = (turn[:rank] ** 2).sum(axis=0)
    complete = rank == matrix.shape[1]
    condition = float(values[0] / values[-1]) if complete else np.inf
    return solution, rank, condition, np.where(shown > 1.0 - 1e-9, deviations, np.inf)
