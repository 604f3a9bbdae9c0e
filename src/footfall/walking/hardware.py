"""The hardware layer: set points for servos at their rate, checks of what they measure, and what follows from faults.

The controller gives joint velocities every period (1 ms); servos want positions, velocities and torques every tick
(0.25 ms), Seiwald (2023) section 4.7. Motors lie behind mechanisms: drives turn joint angles into theirs. Whatever is
not plausible leads to the error state, in which motors have no power.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf
from footfall.robot.drives.homing import HomingPhase, homing_step
from footfall.simulation.step_values import Command
from footfall.walking.bus import LOST, MISSED, BusSettings, BusState, receive_frame, send_frame
from footfall.walking.homing import HomingJoint, is_homing
from footfall.walking.joints_by_hand import JointsByHand, hear_sweep
from footfall.walking.state import Sensors

_POSITION, _VELOCITY, _EFFORT = (Command._fields.index(name) for name in ("position", "velocity", "effort"))
_SMOOTH = 0.002  # s, of measured rates
_CREEPING = 0.1  # rad/s, below which friction is not made up for


class Stage(IntEnum):
    """Of the hardware: without power; powered, at rest; following set points; stopped by an error, without power;
    powered, while joints look for their stops."""

    OFF = 0
    READY = 1
    ACTIVE = 2
    ERROR = 3
    HOMING = 4


class Event(IntEnum):
    """What changes the stage."""

    NOTHING = 0
    SWITCHED_ON = 1
    ANSWERED = 2  # all servos
    FAILED = 3
    RESET = 4
    HOMED = 5


class Trouble(IntEnum):
    """Why hardware has stopped."""

    NONE = 0
    BUS = 1  # too many frames in a row were lost
    POSITION = 2  # a joint is at its stop
    VELOCITY = 3  # a joint is faster than its drive can be
    TRACKING = 4  # a joint does not follow
    OVERLOAD = 5  # a motor gives all of its current for too long
    SENSOR = 6  # force sensors of feet say what cannot be
    MOTOR = 7  # a servo says that it has no power
    EMERGENCY = 8  # somebody has pressed the button
    HOMING = 9  # a joint has not found its stop


class FaultKind(IntEnum):
    """What breaks: the bus, the power of a motor, an encoder, or a force sensor."""

    BUS = 0
    MOTOR = 1
    ENCODER = 2
    FORCE = 3


class Fault(NamedTuple):
    """kind: see `FaultKind`. number: of the joint or foot. start, end: s. size: rad, by which an encoder jumps."""

    kind: int
    number: int
    start: float
    end: float
    size: float


class HardwareSettings(NamedTuple):
    """ticks: in a period of the controller; none if joints are prescribed. tick: s. lower, upper, fastest (joints,):
    rad and rad/s, of joints. strongest (motors,): A. quantum: rad, of encoders. tracking: rad, that a joint may be off.
    strain: s, for which a motor may give all of its current. force, open_force: N, that a foot may measure, with and
    without a closed switch. power, current (motors,): places of switches and currents in the drives' state;
    motor_joints (motors,): joints that motors move. compliance (joints,): rad/Nm, of gears. load, coulomb
    (joints,): friction a unit of torque, and Nm, at joints. ahead (joints,): share of their velocities that servos are
    told. coordinates (joints,): places of joint angles in q."""

    ticks: int
    tick: float
    lower: Array
    upper: Array
    fastest: Array
    strongest: Array
    quantum: float
    tracking: float
    strain: float
    force: float
    open_force: float
    power: Integers
    current: Integers
    motor_joints: Integers
    compliance: Array
    load: Array
    coulomb: Array
    ahead: Array
    coordinates: Integers
    bus: BusSettings


class HardwareState(NamedTuple):
    """target (joints,): set points now, rad. measured, measured_rate (joints,): by encoders, to which homing has added
    offsets (joints,). command
    (6, joints): what servos follow. strained (motors,): s, for which currents are at their limits. stage (1,): see
    `Stage`. trouble (2,): see `Trouble`, and the joint or foot. ticks (1,): how many have been."""

    target: Array
    measured: Array
    measured_rate: Array
    offsets: Array
    command: Array
    strained: Array
    stage: Integers
    trouble: Integers
    ticks: Integers
    bus: BusState


class Hardware(NamedTuple):
    """The hardware layer of a robot, with what will break. held: sensors as they came last. hand: joints that the
    operator moves. homing: joints without absolute encoder."""

    settings: HardwareSettings
    state: HardwareState
    faults: ArrayOf[Fault]
    held: Sensors
    hand: JointsByHand
    homing: ArrayOf[HomingJoint]


def next_stage(stage: int, event: int) -> int:
    """The state machine: an error is left by a reset only."""
    if event == Event.FAILED:
        return Stage.ERROR
    if event == Event.RESET and stage == Stage.ERROR:
        return Stage.OFF
    if event == Event.SWITCHED_ON and stage == Stage.OFF:
        return Stage.READY
    if event == Event.ANSWERED and stage == Stage.READY:
        return Stage.ACTIVE
    if event == Event.HOMED and stage == Stage.HOMING:
        return Stage.ACTIVE
    return stage


class Orders(NamedTuple):
    """What the controller wants in a period, of which a share is over. before, after (joints,): joint velocities at its
    ends, rad/s. effort (joints,): torques that joints will need, Nm."""

    share: float
    before: Array
    after: Array
    effort: Array


def run_tick(hardware: Hardware, orders: Orders, drives: Array, q: Array) -> None:
    """One tick, in which frames are exchanged. drives: state of the drives, which gets power and time. q (nq,): of all
    that moves; encoders tell of it what they can."""
    settings, state, bus = hardware.settings, hardware.state, hardware.state.bus
    tick = state.ticks[0]
    time = settings.tick * tick
    if state.stage[0] == Stage.READY and tick > 0 and bus.counts[MISSED] == 0 and answers(settings, drives):
        state.stage[0] = next_stage(state.stage[0], Event.ANSWERED)
    cut = is_broken(hardware.faults, FaultKind.BUS, 0, time)
    place = send_frame(settings.bus, bus, tick, cut)
    for k in range(len(state.target)):
        bus.position[place, k] = state.target[k] + settings.compliance[k] * orders.effort[k]
        rate = upsampled_rate(orders, k, orders.share)
        bus.velocity[place, k] = settings.ahead[k] * rate
        bus.effort[place, k] = orders.effort[k] + friction_of(settings, k, orders.effort[k], rate)
    elapsed = settings.tick * (1.0 + bus.counts[MISSED])  # since the last frame
    came = receive_frame(bus, tick)
    if came != LOST:
        state.command[_POSITION] = bus.position[came]
        state.command[_VELOCITY] = bus.velocity[came]
        state.command[_EFFORT] = bus.effort[came]
        drives[len(drives) - 1] = 0.0  # targets go on from now
        measure(hardware, q, time, elapsed)
        check(hardware, drives, elapsed)
    if bus.counts[MISSED] > settings.bus.tolerated + settings.bus.latency:
        fail(state, Trouble.BUS, 0)
    switch_power(hardware, drives, time)
    upsample(hardware, orders)
    state.ticks[0] += 1


def answers(settings: HardwareSettings, drives: Array) -> bool:
    """Whether servos answer: those that have power do."""
    most = 0.0
    for m in range(len(settings.power)):
        most = max(most, drives[settings.power[m]])
    return most > 0.5


def friction_of(settings: HardwareSettings, joint: int, effort: float, rate: float) -> float:
    """What a drive takes besides, Nm at the joint, so that it gives an effort, Nm, at a rate, rad/s."""
    way = rate / np.sqrt(rate * rate + _CREEPING * _CREEPING)
    return float((settings.coulomb[joint] + settings.load[joint] * abs(effort)) * way)


def upsampled_rate(orders: Orders, joint: int, share: float) -> float:
    """Of a joint, rad/s, when a share of the period is over."""
    before, after = orders.before[joint], orders.after[joint]
    return float(before + share * (after - before))


def upsample(hardware: Hardware, orders: Orders) -> None:
    """Set points a tick later: rates between those at the ends of the period, and angles that are their integral, so
    that both are continuous."""
    settings, state = hardware.settings, hardware.state
    if not has_power(state):
        return
    middle = orders.share + 0.5 / settings.ticks
    for k in range(len(state.target)):
        state.target[k] += settings.tick * upsampled_rate(orders, k, middle)


def measure(hardware: Hardware, q: Array, time: float, elapsed: float) -> None:
    """What encoders say of true angles, which are in q (nq,), s after they were last heard."""
    settings, state = hardware.settings, hardware.state
    blend = elapsed / (elapsed + _SMOOTH)
    for k in range(len(state.measured)):
        angle = settings.quantum * np.floor(q[settings.coordinates[k]] / settings.quantum + 0.5)
        if len(hardware.faults) > 0:
            angle += encoder_jump(hardware.faults, k, time)
        angle += state.offsets[k]
        rate = (angle - state.measured[k]) / elapsed
        state.measured_rate[k] += blend * (rate - state.measured_rate[k])
        state.measured[k] = angle


def check(hardware: Hardware, drives: Array, elapsed: float) -> None:
    """Whether what was measured is plausible, s after it was last looked at; drives: state of the drives."""
    settings, state = hardware.settings, hardware.state
    for k in range(len(state.measured)):
        angle = state.measured[k]
        if abs(state.measured_rate[k]) > settings.fastest[k]:
            fail(state, Trouble.VELOCITY, k)
        if not has_power(state):
            continue  # joints go where the robot sinks
        if state.stage[0] == Stage.HOMING and is_homing(hardware.homing, k):
            continue  # it does not know where it is, and presses against its stop
        if not settings.lower[k] <= angle <= settings.upper[k]:
            fail(state, Trouble.POSITION, k)
        if abs(state.target[k] - angle) > settings.tracking:
            fail(state, Trouble.TRACKING, k)
    for m in range(len(settings.strongest)):
        if state.stage[0] == Stage.ACTIVE and drives[settings.power[m]] < 0.5:
            fail(state, Trouble.MOTOR, settings.motor_joints[m])
        full = abs(drives[settings.current[m]]) > 0.99 * settings.strongest[m]
        state.strained[m] = state.strained[m] + elapsed if full else 0.0
        if state.strained[m] > settings.strain:
            fail(state, Trouble.OVERLOAD, settings.motor_joints[m])


def exchange_sensors(hardware: Hardware, sensors: Sensors) -> None:
    """Let sensors come over the bus: joint angles are those of encoders, and while frames are missing all of them stay
    as they were. Force sensors must say what can be."""
    settings, state, held = hardware.settings, hardware.state, hardware.held
    time = settings.tick * state.ticks[0]
    sensors.joints[:], sensors.joint_rates[:] = state.measured, state.measured_rate
    hear_sweep(hardware.hand, state.target, state.measured, time)
    for foot in range(2):
        if is_broken(hardware.faults, FaultKind.FORCE, foot, time):
            sensors.feet[foot] = np.inf
    if state.bus.counts[MISSED] > settings.bus.latency:
        copy_readings(held, sensors)
    else:
        copy_readings(sensors, held)
    for foot in range(2):
        closed = sensors.pads[foot, 0] + sensors.pads[foot, 1] + sensors.pads[foot, 2] + sensors.pads[foot, 3]
        # A quarter of what it measures is more than what closes a switch, many times.
        if not abs(sensors.feet[foot, 2]) <= (settings.force if closed > 0.0 else settings.open_force):
            fail(state, Trouble.SENSOR, foot)
            sensors.feet[foot] = 0.0


def home_joints(hardware: Hardware, drives: Array, q: Array, period: float) -> None:
    """What joints do that look for their stops, in a period, s. drives: state of the drives. q (nq,): what the
    controller wants, where joints go to afterwards."""
    settings, state, hand = hardware.settings, hardware.state, hardware.hand
    if state.stage[0] != Stage.HOMING:
        return
    homed = 0
    for n in range(len(hardware.homing)):
        joint = hardware.homing[n]
        k, before = joint.joint, joint.state
        after = homing_step(
            joint.course,
            before,
            period,
            state.measured[k],
            state.measured_rate[k],
            drives[settings.current[joint.motor]],
        )
        if after.phase == HomingPhase.LEAVING and before.phase == HomingPhase.SEEKING:
            state.offsets[k] += after.offset
            state.measured[k] += after.offset
            state.target[k] = state.measured[k]
            after = after._replace(began=state.measured[k])
        hardware.homing[n] = joint._replace(state=after)
        homed += 1 if after.phase == HomingPhase.HOMED else 0
        if after.phase == HomingPhase.FAILED:
            fail(state, Trouble.HOMING, k)
    if homed == len(hardware.homing):
        state.stage[0] = next_stage(state.stage[0], Event.HOMED)
        for n in range(len(hardware.homing)):
            k = hardware.homing[n].joint
            hand.offsets[k] = state.target[k] - q[settings.coordinates[k]]
        hand.active[0] = 1


def copy_readings(source: Sensors, target: Sensors) -> None:
    """Of all sensors but encoders."""
    target.feet[:], target.hands[:] = source.feet, source.hands
    target.orientation[:], target.turning[:], target.pads[:] = source.orientation, source.turning, source.pads


def fail(state: HardwareState, trouble: int, number: int) -> None:
    """Stop; only the first cause is kept."""
    if state.stage[0] != Stage.ERROR:
        state.trouble[0], state.trouble[1] = trouble, number
        state.stage[0] = next_stage(state.stage[0], Event.FAILED)


def switch_power(hardware: Hardware, drives: Array, time: float) -> None:
    """Motors have power in the stages that allow it, unless theirs is broken."""
    settings, powered = hardware.settings, has_power(hardware.state)
    for m in range(len(settings.power)):
        on = powered and not is_broken(hardware.faults, FaultKind.MOTOR, settings.motor_joints[m], time)
        drives[settings.power[m]] = 1.0 if on else 0.0


def has_power(state: HardwareState) -> bool:
    """Whether the stage allows motors to have power."""
    stage = state.stage[0]
    return bool(stage == Stage.READY or stage == Stage.ACTIVE or stage == Stage.HOMING)


def is_broken(faults: ArrayOf[Fault], kind: int, number: int, time: float) -> bool:
    """Whether something is broken at a time, s."""
    for k in range(len(faults)):
        fault = faults[k]
        if fault.kind == kind and fault.number == number and fault.start <= time < fault.end:
            return True
    return False


def encoder_jump(faults: ArrayOf[Fault], joint: int, time: float) -> float:
    """By how much the encoder of a joint is off, rad."""
    total = 0.0
    for k in range(len(faults)):
        fault = faults[k]
        if fault.kind == FaultKind.ENCODER and fault.number == joint and fault.start <= time < fault.end:
            total += fault.size
    return total
