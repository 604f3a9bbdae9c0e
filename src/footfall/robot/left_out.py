"""What a robot has and a format has no word for, to be told when it is written."""

from __future__ import annotations

from collections.abc import Iterator

from footfall.robot.model import STANDARD_GRAVITY, JointType, Robot

_SHOWN = 4


def lost_in_urdf(robot: Robot) -> list[str]:
    """Of what stands neither in a URDF nor in the SRDF beside it."""
    planar = [j.name for j in robot.joints if j.type is JointType.PLANAR and (j.lower or j.upper)]
    springs = [spring.joint for spring in robot.springs]
    servos = [joint.name for joint in robot.joints if joint.kp or joint.kd]
    return [
        *([] if robot.gravity == STANDARD_GRAVITY else [f"gravity {robot.gravity}"]),
        *_named("limits of planar joints", planar),
        *_named("springs of", springs),
        *_named("servo gains of", servos),
        *_named("friction of shapes of", _with_friction(robot)),
        *_named("contact groups of shapes of", _with_groups(robot)),
        *_of_footfall(robot),
    ]


def lost_in_mjcf(robot: Robot) -> list[str]:
    """Of what stands not in an MJCF."""
    velocities = [j.name for j in robot.joints if j.velocity and j.type is not JointType.FLOATING]
    return [
        *_named("velocity limits of", velocities),
        *_named("groups", list(robot.groups)),
        *_of_footfall(robot),
    ]


def _of_footfall(robot: Robot) -> Iterator[str]:
    """What only footfall's own files have."""
    drives = [", ".join(drive.joints) for drive in robot.drives]
    for words, names in (
        ("drives of", drives),
        ("volumes", [volume.name for volume in robot.volumes]),
        ("limit sets", list(robot.limit_sets)),
        ("regions", list(robot.regions)),
        ("notes", list(robot.notes)),
    ):
        yield from _named(words, names)


def _with_friction(robot: Robot) -> list[str]:
    return [body.name for body in robot.bodies if any(g.friction is not None for g in body.collisions)]


def _with_groups(robot: Robot) -> list[str]:
    return [body.name for body in robot.bodies if any((g.group, g.mask) != (1, 1) for g in body.collisions)]


def _named(words: str, names: list[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"{words} {', '.join(names[:_SHOWN])}{more}"]
