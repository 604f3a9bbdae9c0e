"""Drives in TOML: the tables that a robot's file may have, and what they make; docs/drives.md explains the fields.

Files of drives alone: mechanisms, motors and friction of a robot in TOML; docs/drives.md explains the fields.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from footfall.errors import DescriptionError, RobotError, listed
from footfall.robot.drives.ankle_cranks import AnkleCranks, SliderCrank
from footfall.robot.drives.camera_vergence import CameraVergence
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.drives.elasticity import Elasticity
from footfall.robot.drives.electric_motor import ElectricMotor
from footfall.robot.drives.friction import Friction, friction_of_efficiency
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.knee_screw import KneeScrew
from footfall.robot.drives.mechanism import Mechanism
from footfall.robot.drives.servo_cascade import ServoCascade
from footfall.robot.drives.spring import Spring
from footfall.robot.model import Robot
from footfall.robot.toml_parts import decode, read_text
from footfall.robot.values import Subject

Vector = tuple[float, float, float]
Part = TypeVar("Part", ElectricMotor, ServoCascade)


class MotorSchema(msgspec.Struct, forbid_unknown_fields=True):
    torque_constant: float
    resistance: float
    inductance: float
    voltage: float
    permanent_current: float
    peak_current: float
    rotor_inertia: float


class FrictionSchema(msgspec.Struct, forbid_unknown_fields=True):
    viscous: float = 0.0
    coulomb: float = 0.0
    load: float | None = None
    efficiency: float | None = None
    smoothing: float = 0.01

    def build(self, subject: Subject) -> Friction:
        if self.efficiency is None:
            return Friction(self.viscous, self.coulomb, self.load or 0.0, self.smoothing)
        if self.load is not None:
            raise RobotError("has load and efficiency; give one of them", subject=subject)
        return friction_of_efficiency(
            self.efficiency, viscous=self.viscous, coulomb=self.coulomb, smoothing=self.smoothing
        )


class ServoSchema(msgspec.Struct, forbid_unknown_fields=True):
    period: float
    position_gain: float
    velocity_gain: float
    velocity_integral_gain: float
    current_gain: float
    current_integral_gain: float
    current_limit: float
    voltage_limit: float
    feed_forward: float = 1.0


class HarmonicDriveSchema(msgspec.Struct, forbid_unknown_fields=True, tag="harmonic-drive", tag_field="type"):
    ratio: float

    def build(self) -> Mechanism:
        return HarmonicDrive(self.ratio)


class KneeScrewSchema(msgspec.Struct, forbid_unknown_fields=True, tag="knee-screw", tag_field="type"):
    thigh_to_hinge: Vector
    hinge_to_shank: Vector
    lead: float
    axis: Vector
    screw_axis: Vector
    tilt: bool = False

    def build(self) -> Mechanism:
        return KneeScrew(
            np.array(self.thigh_to_hinge),
            np.array(self.hinge_to_shank),
            self.lead,
            np.array(self.axis),
            self.tilt,
            np.array(self.screw_axis),
        )


class CrankSchema(msgspec.Struct, forbid_unknown_fields=True):
    top: Vector
    direction: Vector
    foot_point: Vector
    coupler: float
    lead: float


class AnkleSchema(msgspec.Struct, forbid_unknown_fields=True, tag="ankle-cranks", tag_field="type"):
    cranks: tuple[CrankSchema, CrankSchema]
    first_axis: Vector
    second_axis: Vector
    shank_to_ankle: Vector = (0.0, 0.0, 0.0)
    ankle_to_foot: Vector = (0.0, 0.0, 0.0)

    def build(self) -> Mechanism:
        first, second = (
            SliderCrank(
                np.array(crank.top),
                np.array(crank.direction),
                np.array(crank.foot_point),
                crank.coupler,
                crank.lead,
            )
            for crank in self.cranks
        )
        axes = np.array(self.first_axis), np.array(self.second_axis)
        return AnkleCranks(
            (first, second), *axes, np.array(self.shank_to_ankle), np.array(self.ankle_to_foot)
        )


class VergenceSchema(msgspec.Struct, forbid_unknown_fields=True, tag="camera-vergence", tag_field="type"):
    lever: float
    coupler: float
    lever_x: float
    receptacle: Vector
    camera_point: Vector
    ratio: float
    reference: float = 0.0

    def build(self) -> Mechanism:
        points = np.array(self.receptacle), np.array(self.camera_point)
        return CameraVergence(self.lever, self.coupler, self.lever_x, *points, self.ratio, self.reference)


class DriveSchema(msgspec.Struct, forbid_unknown_fields=True):
    joints: list[str]
    mechanism: HarmonicDriveSchema | KneeScrewSchema | AnkleSchema | VergenceSchema
    motor: str
    friction: str | None = None
    stiffness: float | None = None
    damping: float = 0.0
    absolute_encoder: bool = True
    module: str = ""
    servo: str | None = None
    rotor_axes: list[Vector] = msgspec.field(default_factory=list)


class SpringSchema(msgspec.Struct, forbid_unknown_fields=True):
    joint: str
    stiffness: float
    damping: float = 0.0
    rest: float = 0.0


class DriveTables(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The tables of drives in a robot's file, or in one of their own."""

    motor: dict[str, MotorSchema] = msgspec.field(default_factory=dict)
    friction: dict[str, FrictionSchema] = msgspec.field(default_factory=dict)
    servo: dict[str, ServoSchema] = msgspec.field(default_factory=dict)
    drive: list[DriveSchema] = msgspec.field(default_factory=list)
    spring: list[SpringSchema] = msgspec.field(default_factory=list)

    def drives(self) -> tuple[Drive, ...]:
        """The drives, with what they name put in."""
        motors = {name: _built(ElectricMotor, each, ("motor", name)) for name, each in self.motor.items()}
        frictions = {name: each.build(("friction", name)) for name, each in self.friction.items()}
        servos = {name: _built(ServoCascade, each, ("servo", name)) for name, each in self.servo.items()}
        return tuple(_drive(each, motors, frictions, servos) for each in self.drive)

    def springs(self) -> tuple[Spring, ...]:
        """The springs."""
        return tuple(Spring(**msgspec.structs.asdict(each)) for each in self.spring)


def _built(kind: type[Part], schema: msgspec.Struct, subject: Subject) -> Part:
    try:
        return kind(**msgspec.structs.asdict(schema))
    except RobotError as error:
        error.subject = subject
        raise


def _drive(
    schema: DriveSchema,
    motors: dict[str, ElectricMotor],
    frictions: dict[str, Friction],
    servos: dict[str, ServoCascade],
) -> Drive:
    subject = ("drive of", " and ".join(schema.joints))
    tables: dict[str, dict[str, Any]] = {"motor": motors, "friction": frictions, "servo": servos}
    named = {}
    for kind, known in tables.items():
        name = getattr(schema, kind)
        if name is not None and name not in known:
            raise RobotError(f"{kind} is {name!r}; there are: {listed(name, known)}", subject=subject)
        named[kind] = known[name] if name is not None else None
    if schema.stiffness is None and schema.damping:
        raise RobotError("has damping without stiffness; it belongs to an elastic gear", subject=subject)
    return Drive(
        joints=tuple(schema.joints),
        mechanism=schema.mechanism.build(),
        motor=motors[schema.motor],
        friction=named["friction"] or Friction(),
        elasticity=Elasticity(schema.stiffness, schema.damping) if schema.stiffness is not None else None,
        absolute_encoder=schema.absolute_encoder,
        module=schema.module,
        servo=named["servo"],
        rotor_axes=tuple(schema.rotor_axes),
    )


_SIZE_LIMIT = 2**20  # bytes; LOLA's need 8 kB


def read_drives(path: str | Path) -> tuple[Drive, ...]:
    """The drives that a TOML file describes."""
    source = Path(path)
    return parse_drives(read_text(source, limit=_SIZE_LIMIT), source=str(source))


def parse_drives(text: str, *, source: str = "drives") -> tuple[Drive, ...]:
    """The drives that a TOML text describes; source: its name in errors."""
    try:
        return decode(text, source, DriveTables).drives()
    except DescriptionError as error:
        error.source = error.source or source
        raise


def lola_drives(robot: Robot) -> DriveSet:
    """Drives of robot `lola`: ratios and ratings of the source, geometry and motor data of our choice."""
    return DriveSet(robot, robot.drives)
