"""Geometric errors of a chain from measured poses of its end: Gauss and Newton, with a check of the rank.

The chain is hinges as lines in space: joint i turns what follows about a line that is given at q = 0,
T(q) = exp(s1 q1) ... exp(sn qn) T(0). A line has four parameters, as many as Denavit and Hartenberg give a joint, but
small errors of it stay small parameters between parallel axes, too, where theirs jump and need a fifth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, UnknownName, UnsupportedFeature
from footfall.math.rotations import matrix_from_rotation_vector, rotation_vector_from_matrix
from footfall.math.spatial import cross
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, JointType, Robot


@dataclass(frozen=True, eq=False)
class KinematicChain:
    """joints: names. directions (n, 3): unit vectors of the lines. points (n, 3): on them, m. tool: the end's pose.

    All at q = 0, in the frame that carries the chain.
    """

    joints: tuple[str, ...]
    directions: Array
    points: Array
    tool: Transform

    def turns(self, q: Array) -> list[Transform]:
        """What each joint does to all that follows, at q (n,), rad."""
        return [
            _turn(direction, point, angle)
            for direction, point, angle in zip(self.directions, self.points, q, strict=True)
        ]

    def pose(self, q: Array) -> Transform:
        """Of the end at q (n,), rad."""
        result = identity_transform()
        for turn in self.turns(q):
            result = result @ turn
        return result @ self.tool

    def error_directions(self) -> Array:
        """Motions (n, 6, 4) of the lines, [linear at the origin; angular]: two turns about `points`, two shifts."""
        result = np.zeros((len(self.joints), 6, 4))
        for k, (direction, point) in enumerate(zip(self.directions, self.points, strict=True)):
            for column, side in enumerate(_normals(direction)):
                result[k, :3, column], result[k, 3:, column] = np.cross(point, side), side
                result[k, :3, column + 2] = side
        return result

    def with_line_errors(self, errors: Array) -> KinematicChain:
        """The chain with lines moved by errors (n, 4): two angles, rad, and two shifts, m, along `error_directions`."""
        directions, points = self.directions.copy(), self.points.copy()
        for k, error in enumerate(errors):
            first, second = _normals(self.directions[k])
            directions[k] = matrix_from_rotation_vector(first * error[0] + second * error[1]) @ directions[k]
            points[k] += first * error[2] + second * error[3]
        return replace(self, directions=directions, points=points)

    def with_tool_error(self, error: Array) -> KinematicChain:
        """The chain with its end moved by (6,): shift, m, and turn about the end's origin, rad, at q = 0."""
        turn = matrix_from_rotation_vector(np.asarray(error[3:]))
        tool = Transform(turn @ self.tool.rotation, self.tool.translation + error[:3])
        return replace(self, tool=tool)


def chain_of(robot: Robot, frame: str, *, base: str) -> KinematicChain:
    """The hinges between the body `base` and a frame of the robot."""
    parents = {body.name: joint for body, joint in zip(robot.bodies, robot.joints, strict=True)}
    carriers = {each.name: (each.body, each.placement) for each in robot.frames}
    robot.body(base)
    if frame not in robot.frame_names or frame == WORLD:
        raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")
    body, placement = carriers.get(frame, (frame, identity_transform()))
    path = []
    carrier = body
    while carrier != base:
        if carrier == WORLD:
            raise UnsupportedFeature(
                f"frame {frame!r} of robot {robot.name!r} does not hang on body {base!r}"
            )
        path.append(parents[carrier])
        carrier = path[-1].parent
    pose, names, directions, points = identity_transform(), [], [], []
    for joint in reversed(path):
        pose = pose @ joint.placement
        if joint.type is JointType.FIXED:
            continue
        if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
            raise UnsupportedFeature(
                f"joint is {joint.type}; chains for calibration have hinges only",
                subject=("joint", joint.name),
            )
        names.append(joint.name)
        directions.append(pose.rotation @ np.array(joint.axis))
        points.append(pose.translation)
    return KinematicChain(tuple(names), np.array(directions), np.array(points), pose @ placement)


def adjoint(pose: Transform) -> Array:
    """Matrix (6, 6) that carries a motion [linear at the origin; angular] along with the pose."""
    x, y, z = pose.translation
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[pose.rotation, across @ pose.rotation], [np.zeros((3, 3)), pose.rotation]])


def _turn(direction: Array, point: Array, angle: float) -> Transform:
    rotation = matrix_from_rotation_vector(direction * angle)
    return Transform(rotation, point - rotation @ point)


def _normals(direction: Array) -> tuple[Array, Array]:
    """Two unit vectors normal to a unit vector and to each other."""
    least = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = np.cross(direction, least)
    first = first / np.linalg.norm(first)
    return first, np.cross(direction, first)


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
