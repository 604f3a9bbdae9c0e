"""`footfall show`: what a robot is, as tables."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from footfall.arrays import Array
from footfall.cli.option_groups import grouped
from footfall.cli.options import RobotArgument, RobotReading
from footfall.cli.screen import screen, table
from footfall.robot.model import Joint, JointType, Robot


@grouped
def show(
    robot: RobotArgument,
    *,
    reading: RobotReading,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as one JSON object.")] = False,
) -> None:
    """Show a robot: bodies, joints and their limits, masses, loops, frames, configurations and groups.

    [dim]$[/] footfall show lola

    [dim]$[/] footfall show my_robot.urdf --floating-base

    [dim]$[/] footfall show talos --json
    """
    shown = reading.load(robot)
    if as_json:
        typer.echo(json.dumps(described(shown), indent=2, allow_nan=False))
        return
    console = screen()
    console.print(repr(shown), style="bold", markup=False)
    console.print(f"gravity {_vector(shown.gravity)} m/s2", highlight=False)
    parts = (bodies, regions, joints, loops, drives, springs, frames, configurations)
    for part in (each(shown) for each in parts):
        if part.row_count:
            console.print()
            console.print(part)
    for title, groups in (("Groups", shown.groups), ("Limit sets", shown.limit_sets), ("Notes", shown.notes)):
        if groups:
            rows = [
                [name, value if isinstance(value, str) else ", ".join(value)]
                for name, value in groups.items()
            ]
            console.print()
            console.print(table(title, ["name", ""], rows))


def described(robot: Robot) -> dict[str, Any]:
    """The robot in SI units and radians, as JSON can hold it; bounds that there are none of are null."""
    return {
        "name": robot.name,
        "mass": float(robot.mass),
        "nq": robot.nq,
        "nv": robot.nv,
        "gravity": _plain(robot.gravity),
        "bodies": [
            {
                "name": body.name,
                "parent": joint.parent,
                "joint": joint.name,
                "mass": float(body.mass),
                "center_of_mass": _plain(body.center_of_mass),
                "inertia": _plain(body.inertia),
                "visuals": len(body.visuals),
                "collisions": len(body.collisions),
            }
            for body, joint in zip(robot.bodies, robot.joints, strict=True)
        ],
        "joints": [_described_joint(robot, joint) for joint in robot.joints],
        "frames": [
            {
                "name": frame.name,
                "body": frame.body,
                "position": _plain(frame.placement.translation),
                "rotation": _plain(frame.placement.rotation),
            }
            for frame in robot.frames
        ],
        "loops": [
            {
                "name": loop.name,
                "type": str(loop.type),
                "frame": loop.frame,
                "against": loop.against,
                "joints": list(loop.joints),
            }
            for loop in robot.loops
        ],
        "drives": [list(drive.joints) for drive in robot.drives],
        "configurations": {name: _plain(q) for name, q in robot.configurations.items()},
        "groups": {name: list(members) for name, members in robot.groups.items()},
        "regions": {name: list(members) for name, members in robot.regions.items()},
        "notes": dict(robot.notes),
    }


def _described_joint(robot: Robot, joint: Joint) -> dict[str, Any]:
    place, rate = robot.q_slice(joint.name), robot.v_slice(joint.name)
    turning = joint.type in (JointType.FIXED, JointType.FLOATING, JointType.SPHERICAL)
    return {
        "name": joint.name,
        "type": str(joint.type),
        "parent": joint.parent,
        "child": joint.child,
        "axis": None if turning else _plain(joint.axis),
        "position": _plain(joint.placement.translation),
        "rotation": _plain(joint.placement.rotation),
        "lower": _plain(joint.lower),
        "upper": _plain(joint.upper),
        "velocity": _plain(joint.velocity),
        "effort": _plain(joint.effort),
        "q": [place.start, place.stop],
        "v": [rate.start, rate.stop],
        "mimic": None
        if joint.mimic is None
        else {
            "joint": joint.mimic.joint,
            "multiplier": joint.mimic.multiplier,
            "offset": joint.mimic.offset,
        },
    }


def _plain(values: Any) -> list[Any]:
    """Numbers in lists; null where one is no number of JSON."""
    return [
        _plain(value) if np.ndim(value) else float(value) if np.isfinite(value) else None for value in values
    ]


def bodies(robot: Robot) -> Table:
    """Masses and their shares."""
    rows = []
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        moments = [body.inertia[i, i] for i in range(3)]
        share = body.mass / robot.mass if robot.mass else 0.0
        rows.append(
            [
                body.name,
                joint.parent,
                f"{body.mass:.3f}",
                f"{100 * share:.1f}",
                _vector(body.center_of_mass),
                _vector(moments),
            ]
        )
    columns = ["body", "on", "kg", "%", "centre of mass, m", "Ixx, Iyy, Izz, kg m2"]
    return table("Bodies", columns, rows, numbers="kg; %")


def regions(robot: Robot) -> Table:
    """Mass by region."""
    rows = []
    for name, members in robot.regions.items():
        mass = sum(robot.body(member).mass for member in members)
        rows.append([name, f"{mass:.3f}", f"{100 * mass / robot.mass:.1f}", ", ".join(members)])
    return table("Mass by region", ["region", "kg", "%", "bodies"], rows, numbers="kg; %")


def joints(robot: Robot) -> Table:
    """Kinds, axes and limits; fixed joints are left out."""
    rows = [
        [
            joint.name,
            str(joint.type),
            f"{joint.parent} to {joint.child}",
            _axes(joint),
            _limits(joint),
            _numbers(joint.velocity),
            _numbers(joint.effort),
            _follows(joint),
        ]
        for joint in _moving(robot)
    ]
    units = ["velocity, rad/s or m/s", "effort, N m or N"]
    columns = ["joint", "type", "bodies", "axis", "limits", *units, "follows"]
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return table("Joints", columns, rows)


def frames(robot: Robot) -> Table:
    """Named frames besides the bodies."""
    rows = []
    for frame in robot.frames:
        rotation, translation = frame.placement
        rows.append([frame.name, frame.body, _vector(translation), _turn(rotation)])
    return table("Frames", ["frame", "on", "position, m", "rotated by, deg"], rows, numbers="rotated by, deg")


def loops(robot: Robot) -> Table:
    """What couples joints, and which of them follow."""
    following = {
        joint.name for joint in robot.joints if joint.type.velocities and _is_empty(robot.v_slice(joint.name))
    }
    rows = []
    for loop in robot.loops:
        parts = [loop.frame, loop.against] if loop.type.joins_frames else []
        numbers = ", ".join(f"{number:g}" for number in loop.coefficients)
        rows.append([loop.name, str(loop.type), ", ".join([*parts, *loop.joints]), numbers, loop.held_by])
    title = f"Loops; {', '.join(sorted(following))} follow" if following else "Loops"
    return table(title, ["loop", "type", "between", "coefficients", "held by"], rows)


def _is_empty(place: slice) -> bool:
    return bool(place.stop == place.start)


def drives(robot: Robot) -> Table:
    """What moves the joints."""
    rows = []
    for drive in robot.drives:
        motor, elasticity = drive.motor, drive.elasticity
        rows.append(
            [
                ", ".join(drive.joints),
                type(drive.mechanism).__name__,
                f"{motor.permanent_torque:.3g}",
                f"{motor.peak_torque:.3g}",
                f"{motor.rotor_inertia:.3g}",
                f"{drive.friction.forward_efficiency:.2f}",
                "" if elasticity is None else f"{elasticity.stiffness:g}",
                "" if drive.servo is None else f"{1.0 / drive.servo.period:.0f}",
            ]
        )
    columns = ["joints", "mechanism", "permanent, N m", "peak, N m", "rotor, kg m2", "efficiency", "stiffness, N m/rad",
               "servo, Hz"]  # fmt: skip
    return table("Drives, torques of the motors", columns, rows, numbers="; ".join(columns[2:]))


def springs(robot: Robot) -> Table:
    """What acts on joints by itself."""
    rows = [
        [spring.joint, f"{spring.stiffness:g}", f"{spring.damping:g}", f"{spring.rest:g}"]
        for spring in robot.springs
    ]
    columns = ["joint", "stiffness", "damping", "rest"]
    return table("Springs, SI and rad", columns, rows, numbers="; ".join(columns[1:]))


def configurations(robot: Robot) -> Table:
    """Named configurations, joint by joint."""
    rows = []
    for name, q in robot.configurations.items():
        values = [f"{joint.name} {_numbers(q[robot.q_slice(joint.name)])}" for joint in _moving(robot)]
        rows.append([name, ", ".join(values)])
    return table("Configurations, rad or m", ["name", ""], rows)


def _moving(robot: Robot) -> list[Joint]:
    return [joint for joint in robot.joints if joint.type is not JointType.FIXED]


def _axes(joint: Joint) -> str:
    match joint.type:
        case JointType.SPHERICAL | JointType.FLOATING:
            return ""
        case JointType.UNIVERSAL:
            return f"{_vector(joint.axis)}, {_vector(joint.second_axis)}"
    return _vector(joint.axis)


def _limits(joint: Joint) -> str:
    """Angles in degrees, lengths in metres."""
    texts = []
    for k in range(max(len(joint.lower), len(joint.upper))):
        low = joint.lower[k] if joint.lower else -math.inf
        high = joint.upper[k] if joint.upper else math.inf
        is_angle = joint.type.turns or (joint.type is JointType.PLANAR and k == 2)
        scale, unit = (180 / math.pi, "deg") if is_angle else (1.0, "m")
        texts.append(f"{scale * low:.4g} to {scale * high:.4g} {unit}")
    return ", ".join(texts)


def _follows(joint: Joint) -> str:
    if joint.mimic is None:
        return ""
    return f"{joint.mimic.multiplier:g} * {joint.mimic.joint} + {joint.mimic.offset:g}"


def _turn(rotation: Array) -> str:
    """Angle of a rotation in degrees, empty where there is none."""
    cosine = min(1.0, max(-1.0, (float(np.trace(rotation)) - 1.0) / 2.0))
    angle = math.degrees(math.acos(cosine))
    return f"{angle:.1f}" if angle > 1e-6 else ""


def _vector(values: Sequence[float] | Array) -> str:
    return f"({_numbers(values)})"


def _numbers(values: Sequence[float] | Array) -> str:
    return ", ".join(f"{float(value) + 0.0:.4g}" for value in values)
