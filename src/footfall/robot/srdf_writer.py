"""Writer of SRDF: what a URDF has no word for, and `footfall.load` reads from beside it."""

from __future__ import annotations

from footfall.robot.description import free_name
from footfall.robot.model import JointType, Robot
from footfall.robot.urdf_writer import urdf_joints
from footfall.robot.xml_writer import Node


def srdf_text(robot: Robot) -> str | None:
    """Groups, named configurations and pairs that never touch; None if there are none."""
    if not (robot.groups or robot.configurations or robot.apart):
        return None
    root = Node("robot", {"name": robot.name})
    written = urdf_joints(robot)
    names = {joint: [part.name for part in parts] for joint, parts in written.items()}
    groups = {name: tuple(members) for name, members in robot.groups.items()}
    everything = ""
    if robot.configurations:
        # A state belongs to a group.
        everything = next(
            (name for name, members in groups.items() if set(members) == set(robot.joint_names)), ""
        )
        if not everything:
            everything = free_name("all", groups)
            groups[everything] = robot.joint_names
    for name, members in groups.items():
        group = root.add("group", name=name)
        for member in members:
            for part in names.get(member, [member]):
                group.add("joint", name=part)
    for name, q in robot.configurations.items():
        state = root.add("group_state", name=name, group=everything)
        for joint in robot.joints:
            values = q[robot.q_slice(joint.name)].tolist()
            if joint.type.has_quaternion:  # scalar last, as ROS has it
                values = [*values[:-4], *values[-3:], values[-4]]
            parts = names.get(joint.name, [joint.name])
            if joint.type is JointType.UNIVERSAL:
                for part, value in zip(parts, values, strict=True):
                    state.add("joint", name=part, value=value)
            elif values:
                state.add("joint", name=joint.name, value=values)
    for first, second in robot.apart:
        root.add("disable_collisions", link1=first, link2=second, reason="Never")
    return root.text()
