"""Files of drives: mechanisms, motors and friction of a robot in TOML; docs/drives.md explains the fields."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from footfall.errors import UnknownReference, listed
from footfall.robot.drives.ankle_cranks import AnkleCranks, SliderCrank
from footfall.robot.drives.camera_vergence import CameraVergence
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.drives.elasticity import Elasticity
from footfall.robot.drives.electric_motor import ElectricMotor
from footfall.robot.drives.friction import Friction
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.knee_screw import KneeScrew
from footfall.robot.drives.mechanism import Mechanism
from footfall.robot.model import Robot
from footfall.robot.toml_parts import decode, read_text

_SIZE_LIMIT = 2**20  # bytes; LOLA's needs 8 kB

Vector = tuple[float, float, float]


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
    load: float = 0.0
    smoothing: float = 0.01


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


class DrivesSchema(msgspec.Struct, forbid_unknown_fields=True):
    motor: dict[str, MotorSchema]
    drive: list[DriveSchema]
    friction: dict[str, FrictionSchema] = msgspec.field(default_factory=dict)


def read_drives(path: str | Path) -> tuple[Drive, ...]:
    """The drives that a TOML file describes."""
    source = Path(path)
    return parse_drives(read_text(source, limit=_SIZE_LIMIT), source=str(source))


def parse_drives(text: str, *, source: str = "drives") -> tuple[Drive, ...]:
    """The drives that a TOML text describes; source: its name in errors."""
    schema = decode(text, source, DrivesSchema)
    motors = {name: ElectricMotor(**msgspec.structs.asdict(motor)) for name, motor in schema.motor.items()}
    frictions = {name: Friction(**msgspec.structs.asdict(each)) for name, each in schema.friction.items()}
    drives = []
    for each in schema.drive:
        subject = ("drive of", " and ".join(each.joints))
        for kind, name, known in (("motor", each.motor, motors), ("friction", each.friction, frictions)):
            if name is not None and name not in known:
                message = f"{kind} is {name!r}; there are: {listed(name, known)}"
                raise UnknownReference(message, subject=subject, source=source)
        drives.append(
            Drive(
                joints=tuple(each.joints),
                mechanism=each.mechanism.build(),
                motor=motors[each.motor],
                friction=frictions[each.friction] if each.friction else Friction(),
                elasticity=Elasticity(each.stiffness, each.damping) if each.stiffness is not None else None,
                absolute_encoder=each.absolute_encoder,
                module=each.module,
            )
        )
    return tuple(drives)


def lola_drives(robot: Robot) -> DriveSet:
    """Drives for robot `lola`: ratios and ratings of the source, geometry and motor data of our choice."""
    return DriveSet(robot, read_drives(Path(__file__).with_name("lola.toml")))
