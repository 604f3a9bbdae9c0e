"""The hardware layer of a robot as numbers: limits, places in the state of its drives, bus and faults."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, new_records
from footfall.errors import UnknownName
from footfall.robot.drives.drive_limits import DriveLimits
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.step_values import Command
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.bus import BusSettings, new_bus
from footfall.walking.gains import ControlGains
from footfall.walking.hardware import (
    Fault,
    FaultKind,
    Hardware,
    HardwareSettings,
    HardwareState,
    Stage,
    Trouble,
)
from footfall.walking.hardware_request import BusQuality, HardwareFault
from footfall.walking.homing import homing_joints
from footfall.walking.joints_by_hand import new_joints_by_hand
from footfall.walking.state import new_sensors

TICKS = 4  # of servos and bus in a period of the controller
_QUANTUM = 2.0 * np.pi / 2**17  # rad, of encoders
_STOP_ANGLE = np.deg2rad(2.0)  # rad, from which a joint beyond its limits is at its stop
_FASTER = 1.2  # times what a drive can reach
_TRACKING = np.deg2rad(20.0)  # rad
_STRAIN = 1.0  # s
_BY_HAND = 0.5  # rad/s, of joints that an operator moves
_LOAD, _OPEN = 5.0, 0.5  # weights that a foot may measure; with no switch closed


def new_hardware(
    body: WalkingBody,
    train: DriveTrain | None,
    limits: DriveLimits,
    gains: ControlGains,
    q: Array,
    *,
    bus: BusQuality,
    faults: Sequence[HardwareFault],
    seed: int,
) -> Hardware:
    """At rest at q (nq,). train: the robot's drives, None if joints are prescribed. limits: of all joints, by them."""
    robot, joints = body.robot, len(body.driven)
    angles = np.array(q[body.coordinates])
    none = np.zeros(0, dtype=np.int64)
    settings = HardwareSettings(
        ticks=0 if train is None else TICKS,
        tick=gains.period / TICKS,
        lower=robot.lower_limits[body.coordinates] - _STOP_ANGLE,
        upper=robot.upper_limits[body.coordinates] + _STOP_ANGLE,
        fastest=_FASTER * limits.velocity[body.driven],
        strongest=np.zeros(0) if train is None else train.peak_currents,
        quantum=_QUANTUM,
        tracking=_TRACKING,
        strain=_STRAIN,
        force=_LOAD * gains.mass * gains.gravity,
        open_force=_OPEN * gains.mass * gains.gravity,
        power=none if train is None else train.power,
        current=none if train is None else train.power - 1,
        motor_joints=none if train is None else train.joints_of_motors,
        compliance=np.zeros(joints) if train is None else train.compliance,
        load=np.zeros(joints) if train is None else train.load,
        coulomb=np.zeros(joints) if train is None else train.coulomb,
        ahead=np.ones(joints),
        coordinates=body.coordinates,
        bus=BusSettings(bus.latency, bus.jitter, bus.dropped, bus.tolerated),
    )
    state = HardwareState(
        angles.copy(),
        angles.copy(),
        np.zeros(joints),
        np.zeros(joints),
        np.zeros((len(Command._fields), joints)),
        np.zeros(len(settings.strongest)),
        np.array([int(Stage.READY)]),
        np.zeros(2, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        new_bus(joints, seed),
    )
    state.command[0] = angles
    hand = new_joints_by_hand(joints, gains.period, _BY_HAND, sweeps=settings.ticks > 0)
    homing = homing_joints(robot, body.joint_names, settings.motor_joints, settings.strongest, angles)
    return Hardware(settings, state, _records(body, faults), new_sensors(joints), hand, homing)


def _records(body: WalkingBody, faults: Sequence[HardwareFault]) -> ArrayOf[Fault]:
    records: ArrayOf[Fault] = new_records(Fault, len(faults))
    for record, fault in zip(records, faults, strict=True):
        kind, number = FaultKind[fault.kind.upper()], 0
        if kind in (FaultKind.MOTOR, FaultKind.ENCODER):
            if fault.name not in body.joint_names:
                raise UnknownName("joint", fault.name, body.joint_names, "a fault")
            number = body.joint_names.index(fault.name)
        elif kind is FaultKind.FORCE:
            if fault.name not in FEET:
                raise UnknownName("foot", fault.name, FEET, "a fault")
            number = FEET.index(fault.name)
        record["kind"], record["number"], record["size"] = int(kind), number, fault.size
        record["start"], record["end"] = fault.start, fault.end
    return records


def trouble_of(hardware: Hardware, body: WalkingBody) -> str | None:
    """Why hardware has stopped, in words; None if it has not."""
    state = hardware.state
    if state.stage[0] != Stage.ERROR:
        return None
    cause, number = Trouble(int(state.trouble[0])), int(state.trouble[1])
    joint = body.joint_names[number] if number < len(body.joint_names) else ""
    return {
        Trouble.NONE: "stopped",
        Trouble.BUS: "too many frames of the bus in a row were lost",
        Trouble.POSITION: f"joint {joint!r} is at its stop",
        Trouble.VELOCITY: f"joint {joint!r} is faster than its drive can be",
        Trouble.TRACKING: f"joint {joint!r} does not follow its set points",
        Trouble.OVERLOAD: f"the motor of {joint!r} gave all of its current for too long",
        Trouble.MOTOR: f"the servo of {joint!r} has lost its power",
        Trouble.EMERGENCY: "the emergency stop was pressed",
        Trouble.HOMING: f"joint {joint!r} has not found its stop",
        Trouble.SENSOR: f"the force sensor of {FEET[number % 2]!r} says what cannot be",
    }[cause]
