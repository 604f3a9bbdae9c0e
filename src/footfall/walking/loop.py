"""The closed loop as native code: plan, controller, plant and sensors, period after period in one call.

All that changes is arrays, nothing of it is Python: many robots walk side by side, each with its own arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, Vector6, routine
from footfall.simulation.step_values import Command
from footfall.simulation.world.records import Count, Moment
from footfall.simulation.world.run import is_number
from footfall.simulation.world.step import advance
from footfall.walking.bus import LOSSES
from footfall.walking.clock import Clock, Level, begin_period, begin_tick, end_period, mark
from footfall.walking.controller import ControllerRoom, Decision, control_period
from footfall.walking.feed_forward import FeedForward, needed_torques
from footfall.walking.gains import ControlGains
from footfall.walking.hardware import (
    Hardware,
    Orders,
    Stage,
    exchange_sensors,
    has_power,
    home_joints,
    run_tick,
)
from footfall.walking.homing import add_homing_rates
from footfall.walking.joint_watch import JointWatch, watch_joints
from footfall.walking.joints_by_hand import add_hand_rates
from footfall.walking.mailbox import Mailbox, Word, take_mail
from footfall.walking.noise import NoiseSizes, NoiseState, SensorDelay, disturb, hold_back
from footfall.walking.plan_sampling import Planned, PlanTable, phase_at, planned_at
from footfall.walking.sensing import SensingCode, Truth, sense
from footfall.walking.state import ControllerState, JointPlaces, Sensors
from footfall.walking.task_space import TaskCode
from footfall.walking.touch_watch import TouchWatch, watch_touches

_VELOCITY = Command._fields.index("velocity")  # of a command


class Plant(NamedTuple):
    """The world that the robot walks in, and how many of its steps make a period of the controller. hardware: between
    the controller and drives, if these are simulated. watch: of limits of joints. touches: of bodies that
    are no feet."""

    now: Moment
    substeps: int
    hardware: Hardware
    watch: JointWatch
    touches: TouchWatch


class Brain(NamedTuple):
    """The controller: what it is tuned by, its native code, and all that it remembers. room, sensing_room: of native
    code for the plan and for sensors; truth (4, 6): room for what is true."""

    gains: ControlGains
    tasks: TaskCode
    sensing: SensingCode
    driven: JointPlaces
    sensors: Sensors
    state: ControllerState
    tasks_room: ControllerRoom
    stream_room: Array
    sensing_room: Array
    truth: Array
    feed: FeedForward
    noise_sizes: NoiseSizes
    noise: NoiseState
    delay: SensorDelay
    clock: Clock


class Signals(NamedTuple):
    """What is known after a period; world axes. phase: of the plan. residual: of contact, as a part of the weight."""

    time: float  # s
    phase: int
    planned_center: Vector3  # m
    estimated_center: Vector3  # m
    center: Vector3  # m, true
    dcm_error: Vector3  # m
    planned_zmp: Vector3  # m
    zmp: Vector3  # m, true, of the feet
    tilt: Vector3  # rad, measured
    right_foot: Vector6  # N and Nm, true wrench at its frame
    left_foot: Vector6
    right_hand: Vector6
    left_hand: Vector6
    wanted_right_foot: Vector6  # N and Nm, in its frame
    wanted_left_foot: Vector6
    wanted_right_hand: Vector3  # N
    wanted_left_hand: Vector3
    right_hold: Vector3  # m
    left_hold: Vector3
    right_turn: Vector3  # rad
    left_turn: Vector3
    right_state: Vector3  # touching, early, active
    left_state: Vector3
    hand_offsets: Vector6  # m, right and left
    height: float  # m, of the centre of mass against its plan
    task_error: float  # m or rad, of the model against its set points
    clearance: float  # m, least between arms and body of the model; no more than from where on it is kept
    missed: float  # N or Nm, of the distributed wrench
    other: float  # N, on bodies that are neither feet nor hands
    upright: float  # cosine of the upper body's tilt
    residual: float
    solver_steps: int
    stage: int  # of the hardware, see `footfall.walking.hardware.Stage`
    tracking: float  # rad, greatest error of a joint
    strain: float  # greatest current as a part of what its motor can have
    lost_frames: int  # of the bus, so far
    hand_loads: Vector2  # planned load factors, right and left: 0 off, 1 on what the hand leans on


class WalkLog(NamedTuple):
    """q (rows, nq) and v (rows, nv) of all that moves, signals (rows,), and what sensors told, each with rows in front.
    wanted (rows, nq of the model): where the controller wants the robot to be then. every: periods that a row stands
    for. first: number of the first row that is here."""

    q: Array
    v: Array
    wanted: Array
    signals: ArrayOf[Signals]
    sensors: Sensors
    every: int
    first: int


class Progress(NamedTuple):
    """periods: done. touches, pairs: room that the next step needs, if more than there is. lost: no numbers any more,
    or no forces of contact that hold the robot. fallen: stopped by the limits of `Judgement`."""

    periods: int
    touches: int
    pairs: int
    lost: bool
    fallen: bool


class Judgement(NamedTuple):
    """From when on a robot counts as fallen: least cosine of its tilt, how far its centre of mass is below its
    plan, m, and the greatest force on bodies that are neither feet nor hands, N."""

    upright: float
    sunk: float
    force: float


@routine(fused=True)
def run_walk(
    brain: Brain, plant: Plant, mail: Mailbox, judge: Judgement, first: int, last: int, log: WalkLog
) -> Progress:
    """Walk from period `first` to before `last`, or until it is to pause, there is no more room, or the robot has
    fallen."""
    for period in range(first, last):
        if plant.now.state.counts[Count.SUBSTEPS] == 0:
            take_mail(mail, brain.state, plant.now.state.q, period)
            if mail.words[Word.PAUSE] <= period:
                return Progress(period, 0, 0, False, False)
            begin_period(brain.clock, period)
            if not has_power(plant.hardware.state):
                stand_still(brain, period, log)
            elif mail.words[Word.SLOT] == 0:
                think(brain, mail.plans[0], period, log)
            else:
                think(brain, mail.plans[1], period, log)
            if plant.hardware.state.stage[0] == Stage.HOMING:
                add_homing_rates(
                    plant.hardware.homing, plant.hardware.hand, brain.state.after, brain.gains.period
                )
            elif has_power(plant.hardware.state):
                add_hand_rates(
                    plant.hardware.hand, brain.state.after, brain.gains.period * period, brain.gains.period
                )
        progress = act(brain, plant, judge, period, log)
        if progress.periods == period or progress.lost or progress.fallen:
            return progress
        end_period(brain.clock, period)
    mail.words[Word.PROGRESS] = last
    return Progress(last, 0, 0, False, False)


@routine(quick=True)
def run_empty(clock: Clock, first: int, last: int) -> None:
    """Periods in which nothing is done, to see how well the machine keeps time."""
    for period in range(first, last):
        begin_period(clock, period)
        end_period(clock, period)


@routine(fused=True, apart=True)
def think(brain: Brain, plan: PlanTable, period: int, log: WalkLog) -> None:
    """What the controller does in a period. It is given the plan and what sensors say, and nothing of the plant."""
    time = brain.gains.period * period
    planned = planned_at(plan, time, brain.stream_room, brain.gains)
    mark(brain.clock, Level.PATTERN)
    decision = control_period(
        brain.gains, brain.tasks, brain.driven, planned, brain.sensors, brain.state, brain.tasks_room
    )
    if brain.feed.code != 0:
        needed_torques(brain.feed, brain.state.q, decision.shares, brain.state.effort)
    phase = phase_at(plan.times, time)
    log.signals[period // log.every - log.first] = _decided(time, phase, planned, decision, brain.state)
    mark(brain.clock, Level.STABILISATION)


def stand_still(brain: Brain, period: int, log: WalkLog) -> None:
    """Without power there is nothing to control: joints get no set points, and nothing is decided anew."""
    memory, at = brain.state, period // log.every - log.first
    memory.before[:], memory.after[:], memory.effort[:] = 0.0, 0.0, 0.0
    log.signals[at] = log.signals[max(at - 1, 0)]._replace(
        time=brain.gains.period * period, residual=0.0, solver_steps=0
    )


@routine(fused=True, apart=True)
def act(brain: Brain, plant: Plant, judge: Judgement, period: int, log: WalkLog) -> Progress:
    """What the robot does in a period, and what its sensors say then; it has one more done, unless room is missing."""
    state, at = plant.now.state, period // log.every - log.first
    while state.counts[Count.SUBSTEPS] < plant.substeps:
        command = _ordered(brain, plant, period)
        report = advance(plant.now, command)
        if report.contacts > len(plant.now.room.found) or report.pairs > len(state.memory.pairs):
            return Progress(period, report.contacts, report.pairs, False, False)
        state.counts[Count.SUBSTEPS] += 1
        row = log.signals[at]
        log.signals[at] = row._replace(
            residual=max(row.residual, report.residual), solver_steps=max(row.solver_steps, report.steps)
        )
    state.counts[Count.SUBSTEPS] = 0
    log.q[at], log.v[at], log.wanted[at] = state.q, state.v, brain.state.q
    if not (is_number(state) and log.signals[at].residual < np.inf):
        return Progress(period + 1, 0, 0, True, False)
    watch_joints(plant.watch, brain.driven, state.q, state.v, brain.gains.period * (period + 1))
    truth = sense(
        brain.sensing,
        plant.now.world,
        state,
        plant.now.settings.dt,
        brain.sensing_room,
        brain.sensors,
        brain.truth,
    )
    watch_touches(
        plant.touches,
        brain.sensing,
        plant.now.world,
        state,
        plant.now.settings.dt,
        log.signals[at].hand_loads,
        brain.gains.period * (period + 1),
    )
    disturb(brain.noise_sizes, brain.noise, brain.gains.period, brain.sensors)
    if plant.hardware.settings.ticks > 0:
        home_joints(plant.hardware, state.drives, brain.state.q, brain.gains.period)
        exchange_sensors(plant.hardware, brain.sensors)
    hold_back(brain.delay, brain.sensors)
    _keep_readings(log.sensors, brain.sensors, at)
    row = _with_hardware(_judged(log.signals[at], truth), plant)
    log.signals[at] = row
    mark(brain.clock, Level.PLANT)
    sunk = row.planned_center[2] - row.center[2]
    fallen = row.upright < judge.upright or sunk > judge.sunk or row.other > judge.force
    return Progress(period + 1, 0, 0, False, fallen)


def _ordered(brain: Brain, plant: Plant, period: int) -> Array:
    """The command (6, joints) for the next step of the plant."""
    memory, state, hardware = brain.state, plant.now.state, plant.hardware
    done, command = state.counts[Count.SUBSTEPS], hardware.state.command
    if hardware.settings.ticks == 0:  # velocities of prescribed joints
        share = (done + 1.0) / plant.substeps
        for k in range(len(memory.after)):
            command[_VELOCITY, k] = memory.before[k] + share * (memory.after[k] - memory.before[k])
        return command
    steps = plant.substeps // hardware.settings.ticks
    tick = period * hardware.settings.ticks + done // steps
    # A step that wanted more room is tried again, its tick is not.
    if done % steps == 0 and hardware.state.ticks[0] == tick:
        begin_tick(brain.clock, period, done // steps, hardware.settings.ticks)
        robot = plant.now.world.robots[0]
        drives = robot.drives.of(state.drives)
        orders = Orders(done / plant.substeps, memory.before, memory.after, memory.effort)
        run_tick(hardware, orders, drives, state.q)
    return command


def _decided(
    time: float, phase: int, planned: Planned, decision: Decision, memory: ControllerState
) -> Signals:
    """What is known before the robot has moved."""
    none: Vector3 = np.zeros(3)
    nothing: Vector6 = np.zeros(6)
    right, left, hands = memory.feet[0], memory.feet[1], memory.hands
    first, second = hands[0].offset, hands[1].offset
    return Signals(
        time,
        phase,
        planned.body.position,
        decision.center,
        none,
        decision.dcm,
        planned.zmp,
        none,
        decision.tilt,
        nothing,
        nothing,
        nothing,
        nothing,
        decision.shares.feet[0],
        decision.shares.feet[1],
        decision.shares.hands[0],
        decision.shares.hands[1],
        right.hold,
        left.hold,
        right.turn,
        left.turn,
        np.array([right.touching, right.early, right.active]),
        np.array([left.touching, left.early, left.active]),
        np.array([first[0], first[1], first[2], second[0], second[1], second[2]]),
        memory.body[0].height,
        decision.task_error,
        decision.clearance,
        decision.shares.missed,
        0.0,
        1.0,
        0.0,
        0,
        0,
        0.0,
        0.0,
        0,
        np.array([planned.hands[0].load, planned.hands[1].load]),
    )


def _judged(row: Signals, truth: Truth) -> Signals:
    """With what was true afterwards."""
    return row._replace(
        center=truth.center,
        zmp=truth.zmp,
        right_foot=_row(truth.wrenches, 0),
        left_foot=_row(truth.wrenches, 1),
        right_hand=_row(truth.wrenches, 2),
        left_hand=_row(truth.wrenches, 3),
        other=truth.other,
        upright=truth.upright,
    )


def _with_hardware(row: Signals, plant: Plant) -> Signals:
    """With how drives and bus have done."""
    settings, state, drives = plant.hardware.settings, plant.hardware.state, plant.now.state.drives
    if settings.ticks == 0:
        return row
    tracking, strain = 0.0, 0.0
    for k in range(len(state.target)):
        tracking = max(tracking, abs(state.target[k] - state.measured[k]))
    for m in range(len(settings.strongest)):
        strain = max(strain, abs(drives[settings.current[m]]) / settings.strongest[m])
    return row._replace(
        stage=state.stage[0], tracking=tracking, strain=strain, lost_frames=state.bus.counts[LOSSES]
    )


def _keep_readings(rows: Sensors, sensors: Sensors, at: int) -> None:
    """Of all sensors in a period."""
    rows.feet[at], rows.hands[at], rows.pads[at] = sensors.feet, sensors.hands, sensors.pads
    rows.orientation[at], rows.turning[at] = sensors.orientation, sensors.turning
    rows.joints[at], rows.joint_rates[at] = sensors.joints, sensors.joint_rates


def _row(values: Array, k: int) -> Vector6:
    row = values[k]
    return np.array([row[0], row[1], row[2], row[3], row[4], row[5]])
