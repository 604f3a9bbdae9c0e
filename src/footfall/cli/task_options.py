"""Options of `footfall task` for what is opened, and who opens it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from footfall.control.hybrid_drive import MobileRobot
    from footfall.math.transform import Transform
    from footfall.robot.model import Robot

PANEL = "Drawers, doors and valves"
_POSE_METAVAR = "X,Y,Z[,ROLL,PITCH,YAW]"
_SHIPPED = "mobile-manipulator"


def _option(*names: str, help: str, **options: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=PANEL, **options)


@dataclass(frozen=True)
class OpeningOptions:
    """What is opened, and who opens it; None: as usual."""

    pose: Annotated[
        str | None,
        _option(
            help="Where the handle of the closed drawer or door is, or the hub of the valve, m and degrees: x points "
            "out of the furniture, z up.",
            metavar=_POSE_METAVAR,
        ),
    ] = None
    mass: Annotated[float | None, _option(help="Of the drawer, of the door, of the valve's rim, kg.")] = None
    friction: Annotated[float | None, _option(help="Dry, N; of hinges and hubs N m.")] = None
    size: Annotated[
        float | None,
        _option(help="Depth of the drawer, from the hinge to the handle, radius of the valve, m."),
    ] = None
    open: Annotated[float | None, _option(help="How far, m; doors and valves: degrees.")] = None
    hinge: Annotated[str, _option(help="Of a door, seen from the front: left or right.")] = "left"
    robot: Annotated[
        str,
        _option(help="An arm by name or file, youbot, or another mobile robot with its wheels (--wheel)."),
    ] = _SHIPPED
    wheel: Annotated[
        list[str] | None,
        _option(
            help="A wheel of a mobile robot: its body, its radius in m, and the angle of its rollers in degrees if it "
            "is a Mecanum wheel (usual: -45 front left and rear right, 45 the others); may be repeated.",
            metavar="BODY=RADIUS[:ROLLER]",
        ),
    ] = None
    frame: Annotated[
        str | None, _option(help="Frame of the finger; by default the one that is named like a tool.")
    ] = None
    finger: Annotated[str, _option(help="Where the finger is in that frame, m.", metavar="X,Y,Z")] = "0,0,0"
    force: Annotated[float, _option(help="At the handle, at most, N.")] = 40.0
    speed: Annotated[float, _option(help="Of the handle, at most, m/s.")] = 0.15

    @property
    def given(self) -> list[str]:
        """Names of the options that are not as usual."""
        return [f"--{each.name}" for each in fields(self) if getattr(self, each.name) != each.default]


def read_pose(text: str | None) -> Transform | None:
    """A pose as it is typed, refused if it is none."""
    from footfall.math.rotations import rotation_x, rotation_y, rotation_z
    from footfall.math.transform import Transform

    if text is None:
        return None
    numbers = _numbers(text)
    if len(numbers) not in (3, 6):
        raise typer.BadParameter(
            f"--pose is {text!r}; it must be X,Y,Z or X,Y,Z,ROLL,PITCH,YAW in m and degrees, "
            "0.6,0,0.4,0,0,180 say"
        )
    import numpy as np

    roll, pitch, yaw = (math.radians(angle) for angle in (*numbers, 0.0, 0.0, 0.0)[3:6])
    return Transform(rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll), np.array(numbers[:3]))


def _numbers(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return []
    return numbers if all(math.isfinite(number) for number in numbers) else []


def read_point(text: str) -> tuple[float, float, float]:
    """Three numbers, m."""
    numbers = _numbers(text)
    if len(numbers) != 3:
        raise typer.BadParameter(f"--finger is {text!r}; it must be X,Y,Z in m, 0,0,0.05 say")
    return numbers[0], numbers[1], numbers[2]


def read_robot(name: str, wheels: list[str] | None) -> Robot | MobileRobot | None:
    """Who opens; None for the shipped mobile manipulator."""
    from footfall.control.hybrid_drive import MobileRobot
    from footfall.dynamics.hybrid_wheels import Wheel, WheelKind
    from footfall.robot.load import load
    from footfall.scenarios.hybrid.bases import youbot

    if wheels:
        made = []
        for entry in wheels:
            body, sign, numbers = entry.partition("=")
            radius, _, roller = numbers.partition(":")
            try:
                size, angle = float(radius), math.radians(float(roller or 0.0))
            except ValueError:
                sign = ""
            if not (sign and body):
                raise typer.BadParameter(
                    f"--wheel is {entry!r}; it must be like left_wheel=0.08 or front_left=0.05:-45"
                )
            kind: WheelKind = "standard" if not roller else "mecanum" if angle else "omni"
            made.append(Wheel(body, size, kind, angle))
        robot = load(name, floating_base=True)
        return MobileRobot(robot, tuple(made), robot.bodies[0].name)
    if name == _SHIPPED:
        return None
    return youbot() if name == "youbot" else load(name)
