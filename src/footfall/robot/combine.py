"""Several robots side by side as one, so that one contact problem couples them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform, identity_transform
from footfall.robot.loops import renamed
from footfall.robot.model import WORLD, Frame, Joint, JointType, Robot
from footfall.robot.orientation import matrix_from_quaternion, quaternion_from_matrix
from footfall.robot.tree_loops import ASSEMBLY, neutral_coordinates
from footfall.robot.values import Value, placement

INITIAL = "initial"


@dataclass(frozen=True, slots=True)
class Placed(Value):
    """A robot that stands somewhere.

    pose: where its world is, in the common one. q: (nq,) at the start, before that pose is applied; neutral if None.
    name: put with a slash in front of all its names; the empty one leaves them.
    """

    robot: Robot
    pose: Transform = field(default_factory=identity_transform)
    q: Array | None = None
    name: str = ""

    def __post_init__(self) -> None:
        pose = placement(self.pose, "robot", ("robot", self.robot.name))
        object.__setattr__(self, "pose", pose)


def combine(
    members: Iterable[Placed], *, name: str = "scene", gravity: tuple[float, float, float] | None = None
) -> Robot:
    """One robot of all, their trees side by side under the world.

    Names of bodies, joints, frames, groups, regions, limit sets and volumes get the member's name and a slash in front.
    Coordinates follow one another in the order of the members. The configuration "initial" has all of them where
    they start. gravity: m/s2, that of the first member by default.
    """
    parts = [(member.name, *moved(member)) for member in members]
    if not parts:
        raise RobotError("there is nothing to combine; give at least one robot", subject=("robot", name))
    robots = [_prefixed(robot, f"{prefix}/" if prefix else "") for prefix, robot, _ in parts]
    return Robot(
        name,
        tuple(body for robot in robots for body in robot.bodies),
        tuple(joint for robot in robots for joint in robot.joints),
        tuple(frame for robot in robots for frame in robot.frames),
        {
            name: np.concatenate([q for _, _, q in parts])
            for name in ((INITIAL, ASSEMBLY) if any(robot.loops for robot in robots) else (INITIAL,))
        },
        {key: value for robot in robots for key, value in robot.groups.items()},
        robots[0].gravity if gravity is None else gravity,
        {key: value for robot in robots for key, value in robot.notes.items()},
        {key: value for robot in robots for key, value in robot.regions.items()},
        {key: value for robot in robots for key, value in robot.limit_sets.items()},
        drives=tuple(drive for robot in robots for drive in robot.drives),
        springs=tuple(spring for robot in robots for spring in robot.springs),
        loops=tuple(loop for robot in robots for loop in robot.loops),
        volumes=tuple(volume for robot in robots for volume in robot.volumes),
        volume_pairs=tuple(pair for robot in robots for pair in robot.volume_pairs),
        apart=tuple(pair for robot in robots for pair in robot.apart),
    )


def q_of(robot: Robot, member: str) -> slice:
    """Where the coordinates of a member of a combined robot stand in `q`."""
    places = [
        robot.q_slice(joint.name)
        for joint in robot.joints
        if joint.name == member or joint.name.startswith(f"{member}/")
    ]
    if not places:
        raise RobotError(f"has no member {member!r}", subject=("robot", robot.name))
    return slice(min(place.start for place in places), max(place.stop for place in places))


def moved(member: Placed) -> tuple[Robot, Array]:
    """The robot with its roots moved by the pose, and its coordinates there.

    Coordinates of a floating root tell where it is in the world, so they move, not the joint.
    """
    robot, pose = member.robot, member.pose
    q = neutral_coordinates(robot) if member.q is None else np.array(member.q, dtype=np.float64)
    if q.shape != (robot.nq,):
        message = f"q has shape {q.shape}; the robot has {robot.nq} coordinates"
        raise RobotError(message, subject=("robot", robot.name))
    joints = []
    for joint in robot.joints:
        if joint.parent == WORLD and joint.type is JointType.FLOATING:
            place = robot.q_slice(joint.name)
            moved = joint.placement.inverse() @ pose @ joint.placement @ _free_pose(q[place])
            q[place] = np.concatenate([moved.translation, quaternion_from_matrix(moved.rotation)])
        elif joint.parent == WORLD:
            joint = replace(joint, placement=pose @ joint.placement)
        joints.append(joint)
    frames = tuple(
        replace(frame, placement=pose @ frame.placement) if frame.body == WORLD else frame
        for frame in robot.frames
    )
    # Named configurations do not survive: each concerns one member only.
    return replace(robot, joints=tuple(joints), frames=frames, configurations=_assembly(robot, q)), q


def _assembly(robot: Robot, q: Array) -> dict[str, Array]:
    """Where the loops close."""
    return {ASSEMBLY: q} if robot.loops else {}


def _prefixed(robot: Robot, prefix: str) -> Robot:
    if not prefix:
        return robot

    def named(name: str) -> str:
        return name if name == WORLD else prefix + name

    def joint(old: Joint) -> Joint:
        mimic = None if old.mimic is None else replace(old.mimic, joint=named(old.mimic.joint))
        return replace(
            old, name=named(old.name), parent=named(old.parent), child=named(old.child), mimic=mimic
        )

    return replace(
        robot,
        bodies=tuple(replace(body, name=named(body.name)) for body in robot.bodies),
        joints=tuple(joint(old) for old in robot.joints),
        frames=tuple(Frame(named(old.name), named(old.body), old.placement) for old in robot.frames),
        loops=tuple(renamed(loop, named) for loop in robot.loops),
        groups={prefix + key: tuple(map(named, members)) for key, members in robot.groups.items()},
        regions={prefix + key: tuple(map(named, members)) for key, members in robot.regions.items()},
        notes={prefix + key: text for key, text in robot.notes.items()},
        limit_sets={
            prefix + key: {named(joint): limits for joint, limits in table.items()}
            for key, table in robot.limit_sets.items()
        },
        drives=tuple(replace(old, joints=tuple(map(named, old.joints))) for old in robot.drives),
        springs=tuple(replace(old, joint=named(old.joint)) for old in robot.springs),
        volumes=tuple(replace(old, name=prefix + old.name, body=named(old.body)) for old in robot.volumes),
        volume_pairs=tuple((prefix + first, prefix + second) for first, second in robot.volume_pairs),
        apart=tuple((named(first), named(second)) for first, second in robot.apart),
    )


def _free_pose(q: Array) -> Transform:
    return Transform(matrix_from_quaternion(q[3:].tolist()), q[:3])
