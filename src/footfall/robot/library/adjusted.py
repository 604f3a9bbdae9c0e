"""Shipped robots with other values than their files have, where the sources leave a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform
from footfall.robot.drives.geared_rotors import with_geared_rotors
from footfall.robot.drives.rotor_bodies import with_rotor_bodies
from footfall.robot.drives.spring import Spring
from footfall.robot.model import Body, Box, Geometry, Robot
from footfall.robot.toml import read_toml
from footfall.robot.validation import check_physics
from footfall.robot.variants import lock_joints, with_configuration, with_sprung_joint

_LEGS = ("RB", "LB", "RF", "LF")
_FOOT_LENGTH, _FOOT_WIDTH = 0.22, 0.05  # m, Ayit 2015, table 5.1


def lola(
    *,
    torso_center_of_mass: Sequence[float] | None = None,
    torso_to_pelvis: Sequence[float] | None = None,
    left_toe_center_of_mass: Sequence[float] | None = None,
) -> Robot:
    """LOLA with other values for what its source leaves blank or doubtful (Seiwald 2023), m.

    torso_center_of_mass: (3,) in the torso frame; the printed inertia about the frame's origin is kept.
    torso_to_pelvis: (3,) position of `br` in the torso frame. left_toe_center_of_mass: (3,) in `zfl`. The
    `idle` configuration is solved for again if anything changes.
    """
    robot = _read("lola")
    changes = {
        "torso_center_of_mass": torso_center_of_mass,
        "torso_to_pelvis": torso_to_pelvis,
        "left_toe_center_of_mass": left_toe_center_of_mass,
    }
    vectors = {name: _vector(values, name) for name, values in changes.items() if values is not None}
    if not vectors:
        return robot
    for name, vector in vectors.items():
        match name:
            case "torso_center_of_mass":
                robot = _with_center_of_mass(robot, "torso", vector)
            case "torso_to_pelvis":
                robot = _with_joint_position(robot, "br", vector)
            case "left_toe_center_of_mass":
                robot = _with_center_of_mass(robot, "zfl", vector)
    notes = {name: f"changed to {vector.tolist()} m." for name, vector in vectors.items()}
    robot = replace(robot, notes={**robot.notes, **notes})
    check_physics(robot)
    # imported here so that the module can also run as a program of its own
    from footfall.robot.library.lola_idle import idle_configuration

    return with_configuration(robot, "idle", idle_configuration(robot))


def lola_2012(model_type: int | None = None) -> Robot:
    """The stand-in for LOLA of Schwienbacher 2014: 24 joints, the rotation of the arms welded.

    model_type: of Table 2.3. None leaves the drives out of the bodies. 1: one rigid body in the idle pose, 6 degrees of
    freedom. 2: a body for each of the 24 rotors that turns with its joint through gear, screw or cranks; 30 degrees.
    3: those of the 16 elastic gears turn by themselves; 46 degrees. Gears are not springs of the model: their torques
    belong into tau.
    """
    note = "stand-in: LOLA v1.1 with its arm rotation welded; the source gives no numbers of the older robot."
    robot = lock_joints(_read("lola"), ["arr", "arl"])
    robot = replace(robot, name="lola-2012", notes={**robot.notes, "stand_in": note})
    if model_type is None:
        return robot
    elastic = [drive for drive in robot.drives if drive.elasticity is not None]
    match model_type:
        case 1:
            moving = [joint.name for joint in robot.joints[1:] if joint.type.velocities]
            robot = lock_joints(robot, moving, q=robot.configuration("idle"))
        case 2:
            robot = with_geared_rotors(robot, robot.drives)
        case 3:
            rigid = [drive for drive in robot.drives if drive.elasticity is None]
            robot = with_geared_rotors(with_rotor_bodies(robot, elastic), rigid)
        case _:
            message = (
                f"model_type is {model_type}; it must be 1, 2 or 3 (4 and 5 are 2 and 3 with another contact)"
            )
            raise RobotError(message, subject=("robot", "lola-2012"))
    return replace(robot, name=f"lola-2012-type-{model_type}")


def quadruped(
    *, foot_height: float = 0.05, joints_per_leg: int = 4, shock_absorber: tuple[float, float] | None = None
) -> Robot:
    """The quadruped of Ayit 2015, with other feet or legs.

    foot_height: m, above zero; the source prints 0.5, probably for 0.05. joints_per_leg: 4, or 3 with ankles welded as
    they stand. shock_absorber: stiffness (N/m) and damping (N s/m) of springs between shanks and feet, which give way
    along the shanks (joints `RB_shock` and so on).
    """
    robot = _quadruped_with_feet(foot_height)
    if joints_per_leg not in (3, 4):
        message = f"joints_per_leg is {joints_per_leg}; it must be 3 or 4"
        raise RobotError(message, subject=("robot", robot.name))
    if shock_absorber is not None:
        for leg in _LEGS:
            stiffness, damping = shock_absorber
            robot = with_sprung_joint(robot, f"{leg}_ankle", Spring(f"{leg}_shock", stiffness, damping))
    if joints_per_leg == 3:
        ankles = [f"{leg}_ankle" for leg in _LEGS]
        robot = lock_joints(robot, ankles, q=robot.configuration("stand"))
    return robot


def _quadruped_with_feet(foot_height: float) -> Robot:
    robot = _read("quadruped")
    if not 0.0 < foot_height <= 1.0:
        message = f"foot_height is {foot_height}; it must be above zero and at most 1 m"
        raise RobotError(message, subject=("robot", robot.name))
    if foot_height == 0.05:
        return robot
    bodies = tuple(_with_foot_height(b, foot_height) if b.name.endswith("_foot") else b for b in robot.bodies)
    name = "quadruped-tall-feet" if foot_height == 0.5 else robot.name
    note = f"{foot_height} m instead of 0.05 m."
    return replace(robot, name=name, bodies=bodies, notes={**robot.notes, "foot_height": note})


def _read(name: str) -> Robot:
    return read_toml(Path(str(files(__package__).joinpath(f"{name}.toml"))))


def _vector(values: Sequence[float], what: str) -> Array:
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise RobotError(f"{what} is {values!r}; it must be three finite numbers", subject=("robot", "lola"))
    return vector


def _with_center_of_mass(robot: Robot, name: str, center: Array) -> Robot:
    """The robot with the centre of mass of a body moved, its inertia about the body's origin kept."""
    body = robot.body(name)
    about_origin = body.inertia + body.mass * _steiner(body.center_of_mass)
    moved = replace(body, center_of_mass=center, inertia=about_origin - body.mass * _steiner(center))
    return replace(robot, bodies=tuple(moved if b.name == name else b for b in robot.bodies))


def _with_joint_position(robot: Robot, name: str, position: Array) -> Robot:
    joint = robot.joint(name)
    moved = replace(joint, placement=Transform(joint.placement.rotation, position))
    return replace(robot, joints=tuple(moved if j.name == name else j for j in robot.joints))


def _steiner(r: Array) -> Any:
    return r @ r * np.eye(3) - np.outer(r, r)  # RSL 2022, (3.14)-(3.25)


def _with_foot_height(foot: Body, height: float) -> Body:
    """The foot as a solid box: its length along z, its width along y, its height along x."""
    x, y, z = height**2, _FOOT_WIDTH**2, _FOOT_LENGTH**2
    shapes = tuple(_with_height(shape, height) for shape in foot.visuals)
    return replace(foot, inertia=foot.mass / 12 * np.diag([y + z, x + z, x + y]), visuals=shapes)


def _with_height(geometry: Geometry, height: float) -> Geometry:
    return replace(geometry, shape=Box((height, _FOOT_WIDTH, _FOOT_LENGTH)))
