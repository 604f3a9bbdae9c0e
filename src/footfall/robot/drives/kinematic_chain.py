"""A chain of hinges as lines in space: the model whose errors calibration identifies.

Joint i turns what follows about a line that is given at q = 0, T(q) = exp(s1 q1) ... exp(sn qn) T(0). A line has four
parameters, as many as Denavit and Hartenberg give to a joint, but small errors of it stay small parameters between
parallel axes, too, where theirs jump and need a fifth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.arrays import Array
from footfall.errors import UnknownName, UnsupportedFeature
from footfall.math.rotations import matrix_from_rotation_vector
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
