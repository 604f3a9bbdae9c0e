"""What the controller remembers from one period to the next, and what sensors tell it. All of it is arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, new_records
from footfall.walking.compliance import Compliance
from footfall.walking.disturbance import ObservedForce
from footfall.walking.leaving import LastTouch
from footfall.walking.step_ground import StepGround, unknown_ground
from footfall.walking.walls import no_walls


class Sensors(NamedTuple):
    """What the controller knows of the robot.

    feet (2, 6): force and torque [f; n] on RF and LF at the frame of the foot, in its axes, N and Nm. hands (2, 3):
    force on RH and LH, in axes of their frames, N. orientation (3, 3): rotation of the upper body, whose yaw drifts.
    turning (3,): its angular velocity in its axes, rad/s. joints, joint_rates (joints,): rad and rad/s. pads (2, 4):
    1 where a switch under RF and LF is closed; heel right, heel left, front right, front left.
    """

    feet: Array
    hands: Array
    orientation: Array
    turning: Array
    joints: Array
    joint_rates: Array
    pads: Array


def new_sensors(joints: int) -> Sensors:
    return Sensors(
        np.zeros((2, 6)),
        np.zeros((2, 3)),
        np.eye(3),
        np.zeros(3),
        np.zeros(joints),
        np.zeros(joints),
        np.ones((2, 4)),
    )


class JointPlaces(NamedTuple):
    """Where driven joints are, in the order of commands: velocities (joints,) in v, coordinates (joints,) in q."""

    velocities: Integers
    coordinates: Integers


class FootMemory(NamedTuple):
    """hold: how far the foot is displaced against its plan, m, since the ground is not where it was thought to be.
    turn: rotation (3,) by which force control has turned it, rad. Both in world axes, with rates and accelerations.
    touching: 1 if it touches. early: 1 if it touched before it was planned to. missing: s, for how long it should
    stand and bears nothing. force: N, upwards, smoothed. active: from 0 (position control) to 1 (force control).
    pivot: m, ahead of its frame, about which it is turned. swung: 1 from when it swings until the plan has followed it
    to where it landed. about_x, about_y: what it has learnt of the ground, for torques about its axes. block: what it
    has struck while it swung pushes it this way, in the plane; of length 1 while it does, less and less afterwards."""

    hold: Vector3
    hold_rate: Vector3
    hold_acceleration: Vector3
    turn: Vector3
    turn_rate: Vector3
    turn_acceleration: Vector3
    touching: float
    early: float
    missing: float
    force: float
    active: float
    pivot: float
    swung: float
    about_x: Compliance
    about_y: Compliance
    block: Vector3


class HandMemory(NamedTuple):
    """offset: of the hand against its plan, m, world axes, with its rate. touching, active: as for feet. force: on it,
    N, world axes, smoothed. lean, lean_rate: likewise an offset, which makes up for the tilt of the robot. last: what
    it has touched as planned."""

    offset: Vector3
    offset_rate: Vector3
    touching: float
    force: Vector3
    active: float
    lean: Vector3
    lean_rate: Vector3
    last: LastTouch


class BodyMemory(NamedTuple):
    """height: of the centre of mass against its plan, m. shift: of it in the plane. With rates. plan_shift: by which
    all of the plan is shifted, m, since feet were put elsewhere. dcm: error of the divergent component, smoothed, m.
    disturbance: what the observer knows, if there is one."""

    height: float
    height_rate: float
    shift: Vector3
    shift_rate: Vector3
    plan_shift: Vector3
    dcm: Vector3
    disturbance: ObservedForce


class CatchMemory(NamedTuple):
    """A step by which a robot that stands catches itself. side: of the foot that swings, 1 left, -1 right, 0 none.
    time: s, for which it has swung, or both feet have stood. taken: share of its load that the other foot has. last:
    side of the foot that has swung last."""

    side: float
    time: float
    taken: float
    last: float


class ControllerState(NamedTuple):
    """q (nq,), v (nv,): of the model, which is where the robot should be. before, after (joints,): joint
    velocities at the beginning and at the end of the period. effort (joints,): torques that joints will need, Nm, where
    drives want to know them. push (nv,): velocities that keep arms off the body. ground: what is known of it. walls:
    beside the robot, see `walls_around`."""

    q: Array
    v: Array
    before: Array
    after: Array
    effort: Array
    push: Array
    feet: ArrayOf[FootMemory]
    hands: ArrayOf[HandMemory]
    body: ArrayOf[BodyMemory]
    catch: ArrayOf[CatchMemory]
    ground: StepGround
    walls: Array


def new_controller_state(q: Array, nv: int, joints: int) -> ControllerState:
    """At rest in a configuration q (nq,), on both feet."""
    feet = new_records(FootMemory, 2)
    feet["touching"], feet["active"] = 1.0, 1.0
    return ControllerState(
        np.array(q, dtype=np.float64),
        np.zeros(nv),
        np.zeros(joints),
        np.zeros(joints),
        np.zeros(joints),
        np.zeros(nv),
        feet,
        new_records(HandMemory, 2),
        new_records(BodyMemory, 1),
        new_records(CatchMemory, 1),
        unknown_ground(),
        no_walls(),
    )
