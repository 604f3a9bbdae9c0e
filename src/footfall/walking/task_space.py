"""Set points in task space, and the joint velocities that follow them, Seiwald (2023) section 4.6.

    q' = J# (v + K dx) - (1 - J# J) dH/dq,   J# = J^T (J J^T + d^2 1)^-1                          (4.10), (4.11)

Whole-body yaw is penalised: with the row a of the momentum L_z = a q' the norm
that is least is q' D q' + w (L_z - L)^2, so that arms take up what a swinging leg does, and the stance foot need not
hold against it, Schwienbacher (2014) chapter 7. L is the momentum of a robot that turns with its upper body as a whole:
arms that held against it would be wound up. D is 1, and more for joints near their limits (`joint_room.py`); with
S = D^-1 the metric is that of `least_velocity.py`.

Hands are in task space or in null space, and blend from one to the other: four solutions, weighted (4.12). The model's
own configuration of the last period counts, not that of the robot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.compiler.routines import Matrix3, Vector2, Vector3, call_native
from footfall.control.inverse_kinematics.costs import ComfortCost
from footfall.control.inverse_kinematics.least_velocity import (
    Pattern,
    across,
    add_solution,
    eliminate_rows,
    metric_of,
    normal_equations,
    pattern_of,
)
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.positions import center_of_mass_position, frame_position
from footfall.control.tasks.postures import posture
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.centroidal import centroidal_momentum_matrix
from footfall.dynamics.configuration import integrate, neutral
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import HANDS
from footfall.robot.drives.drive_limits import DriveLimits
from footfall.robot.model import WORLD
from footfall.robot.variants import sprung_joints
from footfall.walking.arm_speeds import arm_speeds
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.gains import ControlGains
from footfall.walking.joint_room import come_near, mobility

_DAMPING = 1e-3  # of singular values: where tasks lose rank
# m, likewise of hands: an arm beside the body is singular (its flexion and rotation have one axis), and its abduction
# is near its limit there. A hand that lags behind its way is better than a shoulder that cannot follow.
_HAND_DAMPING = 0.15
_COMFORT, _LIMIT = 2.0, 20.0  # 1/s
_SAMPLES = 3  # configurations drawn at random, in which what may be other than zero is


class BodyTarget(NamedTuple):
    """Where a foot or the upper body shall be: position (m), rotation, and their velocities in world axes."""

    position: Vector3
    velocity: Vector3
    rotation: Matrix3
    turning: Vector3  # rad/s


class PointTarget(NamedTuple):
    """Where a hand shall be, m and m/s."""

    position: Vector3
    velocity: Vector3


class Targets(NamedTuple):
    """All set points of a control period. body: the centre of mass with the rotation of the upper body. toes, head:
    pan and tilt for the head, rad, with their rates. selection: how far hands are in task space. All pairs here and
    below are right and left."""

    body: BodyTarget
    feet: tuple[BodyTarget, BodyTarget]
    hands: tuple[PointTarget, PointTarget]
    toes: Vector2
    toe_rates: Vector2
    head: Vector2
    head_rates: Vector2
    selection: Vector2


class TaskCode(NamedTuple):
    """Native code of the tasks of a robot, and how its numbers lie.

    kinematics, errors, move, clearance, own_clearance: addresses, the last two 0 if arms are not kept off the body; the
    last looks at no walls. rows: of all tasks, hands
    last. has_toes, has_head: whether there are such rows; stiff: how many stay at rest. pan_sign, tilt_sign: see
    `HeadJoint`. gain: K, 1/s. momentum_weight: w, 1/(kg m2)^2. clearance_strength: of pushes where volumes touch.
    period: s. arms (nv,): how fast joints of arms may be. pattern: of the tasks' Jacobian.
    """

    kinematics: int
    errors: int
    move: int
    clearance: int
    own_clearance: int
    nq: int
    nv: int
    rows: int
    has_toes: bool
    has_head: bool
    stiff: int
    pan_sign: float
    tilt_sign: float
    gain: float
    momentum_weight: float
    clearance_strength: float
    period: float
    arms: Array
    pattern: Pattern


class Kinematics(NamedTuple):
    """Where the model is, from the last configuration; world axes. Arrays point into the outputs of native code."""

    error: Array
    jacobian: Array
    slope: Array  # (nv,) of the null-space cost
    momentum: Array  # (nv,) kg m2: about the vertical through the centre of mass, for unit velocities
    mobility: Array  # (2, nv) of joints, down and up: 1, less towards limits that are near
    inertia: float  # kg m2: momentum for a unit turn of the whole robot
    center: Vector3
    upper_body: Matrix3
    feet: tuple[Vector3, Vector3]
    turns: tuple[Matrix3, Matrix3]  # of the feet
    hands: tuple[Matrix3, Matrix3]  # rotations of what carries them


def task_stack(body: WalkingBody) -> TaskStack:
    """Centre of mass, upper body, feet, toes, head, hands; targets are given while it runs. The model does not bend:
    joints that only springs hold stay at rest, before hands."""
    robot, frames = body.robot, body.model.frames
    tasks: list[MotionTask] = [center_of_mass_position(np.zeros(3)), OrientationTask(frames["UB"], np.eye(3))]
    for foot in FEET:
        tasks += [frame_position(frames[foot], np.zeros(3)), OrientationTask(frames[foot], np.eye(3))]
    tasks += [posture(robot, {joint: 0.0}) for joint in body.toes]
    tasks += [posture(robot, {each.joint: 0.0}) for each in body.head]
    tasks += [posture(robot, {joint: 0.0}) for joint in sprung_joints(robot)]
    tasks += [frame_position(frames[hand], np.zeros(3)) for hand in HANDS]
    return TaskStack(robot, tasks)


class TaskKernels(NamedTuple):
    """Native code of a robot: kinematics of the tasks, their errors alone, the configuration after a step of a
    velocity, and what keeps arms off body and walls, or off the body alone, if it has volumes. They must be kept while
    their addresses are used."""

    kinematics: Kernel
    errors: Kernel
    move: Kernel
    clearance: Kernel | None
    own_clearance: Kernel | None


def task_kernels(body: WalkingBody) -> tuple[Kernel, Kernel, Kernel]:
    """Kinematics of the tasks, their errors alone, and the configuration after a step of a velocity."""
    robot, stack = body.robot, task_stack(body)
    cost = ComfortCost(tuple(body.comfort.tolist()), comfort_gain=_COMFORT, limit_gain=_LIMIT)
    base = next(joint for joint in robot.joints if joint.parent == WORLD)
    turning = robot.v_slice(base.name)
    turning = slice(turning.stop - 3, turning.stop)

    def kinematics(q: Array, parameters: Array) -> dict[str, Any]:
        values = stack.traced(q, parameters)
        poses = {name: frame_pose(robot, q, body.model.frames[name]) for name in (*FEET, *HANDS, "UB")}
        momentum = centroidal_momentum_matrix(robot, q)[5]
        upwards = frame_pose(robot, q, base.child).rotation[2]  # in axes of the base
        return {
            "error": values["error"],
            "jacobian": values["jacobian"],
            "slope": cost.gradient(robot, q),
            "momentum": momentum,
            "mobility": mobility(body, q),
            "inertia": np.array([momentum[turning] @ upwards]),
            "center": center_of_mass(robot, q),
            "upper_body": poses["UB"].rotation,
            "feet": np.array([poses[foot].translation for foot in FEET]),
            "turns": np.array([poses[foot].rotation for foot in FEET]),
            "hands": np.array([poses[hand].rotation for hand in HANDS]),
        }

    def errors(q: Array, parameters: Array) -> Array:
        return stack.traced(q, parameters)["error"]

    def move(q: Array, v: Array) -> Array:
        after: Array = integrate(robot, q, v)
        return after

    key = stack.key(cost)
    shapes: dict[str, int | tuple[int, ...]] = {"q": robot.nq, "parameters": len(stack.parameters)}
    return (
        build_kernel(kinematics, shapes, name="walking_kinematics", key=f"walking {key}", module=__name__),
        build_kernel(errors, shapes, name="walking_errors", key=f"walking {key}", module=__name__),
        build_kernel(
            move, {"q": robot.nq, "v": robot.nv}, name="walking_move", key=robot.fingerprint, module=__name__
        ),
    )


def task_code(body: WalkingBody, kernels: TaskKernels, gains: ControlGains, limits: DriveLimits) -> TaskCode:
    """What routines need of the kernels, which must be kept while it is used. limits: of the robot's joints."""
    kinematics, errors, move, clearance, own_clearance = kernels
    pan, tilt = [each.sign for each in body.head] or (1.0, 1.0)
    rows = dict(kinematics.signature.outputs)["error"][0]
    return TaskCode(
        kinematics.native_function().address,
        errors.native_function().address,
        move.native_function().address,
        0 if clearance is None else clearance.native_function().address,
        0 if own_clearance is None else own_clearance.native_function().address,
        body.robot.nq,
        body.robot.nv,
        rows,
        bool(body.toes),
        bool(body.head),
        len(sprung_joints(body.robot)),
        pan,
        tilt,
        gains.task_rate,
        gains.momentum_weight,
        gains.clearance_strength,
        gains.period,
        arm_speeds(body, limits),
        _pattern(body, kinematics, move),
    )


def _pattern(body: WalkingBody, kinematics: Kernel, move: Kernel) -> Pattern:
    """Of the Jacobian of the tasks."""
    robot, parameters = body.robot, np.zeros(dict(kinematics.signature.inputs)["parameters"])
    velocities = np.random.default_rng(0).normal(size=(_SAMPLES, robot.nv))
    configurations = [move(neutral(robot), v) for v in velocities]  # also beyond limits
    return pattern_of(np.array([kinematics(q, parameters)[1] for q in configurations]))


def fill_targets(code: TaskCode, targets: Targets, parameters: Array, rates: Array) -> int:
    """Write targets and rates in the order of the tasks; gives the number of parameters."""
    at = _put(parameters, 0, targets.body.position)
    _put(rates, 0, targets.body.velocity)
    at = _put_matrix(parameters, at, targets.body.rotation)
    row = _put(rates, 3, targets.body.turning)
    for foot in targets.feet:
        at = _put_matrix(parameters, _put(parameters, at, foot.position), foot.rotation)
        row = _put(rates, _put(rates, row, foot.velocity), foot.turning)
    if code.has_toes:
        parameters[at], parameters[at + 1] = targets.toes[0], targets.toes[1]
        rates[row], rates[row + 1] = targets.toe_rates[0], targets.toe_rates[1]
        at, row = at + 2, row + 2
    if code.has_head:
        parameters[at], rates[row] = code.pan_sign * targets.head[0], code.pan_sign * targets.head_rates[0]
        parameters[at + 1] = code.tilt_sign * targets.head[1]
        rates[row + 1] = code.tilt_sign * targets.head_rates[1]
        at, row = at + 2, row + 2
    at, row = at + code.stiff, row + code.stiff
    for hand in targets.hands:
        at = _put(parameters, at, hand.position)
        row = _put(rates, row, hand.velocity)
    return at


def look_at_model(code: TaskCode, q: Array, inputs: Array, outputs: Array) -> Kinematics:
    """Kinematics of the model in a configuration q (nq,); inputs: has the parameters behind room for q."""
    inputs[: code.nq] = q
    call_native(code.kinematics, inputs, outputs)
    m, size = code.rows, code.rows * code.nv
    slope = m + size
    momentum, mobile, end = slope + code.nv, slope + 2 * code.nv, slope + 4 * code.nv
    return Kinematics(
        outputs[:m],
        outputs[m : m + size].reshape(m, code.nv),
        outputs[slope:momentum],
        outputs[momentum:mobile],
        outputs[mobile:end].reshape(2, code.nv),
        outputs[end],
        _vector(outputs, end + 1),
        _matrix(outputs, end + 4),
        (_vector(outputs, end + 13), _vector(outputs, end + 16)),
        (_matrix(outputs, end + 19), _matrix(outputs, end + 28)),
        (_matrix(outputs, end + 37), _matrix(outputs, end + 46)),
    )


def look_at_targets(code: TaskCode, inputs: Array, outputs: Array) -> None:
    """Bring errors of the tasks up to date where only their targets have changed since `look_at_model`."""
    call_native(code.errors, inputs, outputs[: code.rows])


def joint_velocities(
    code: TaskCode, found: Kinematics, rates: Array, selection: Vector2, turning: float
) -> Array:
    """v (nv,) that follows the targets, with hands blended into task space. turning: of the whole robot about the
    vertical, rad/s. Joints that would go on towards a limit which is near are penalised."""
    mobile = np.ones(code.nv)
    columns = across(found.jacobian, code.pattern)
    v = _least_velocities(code, found, columns, rates, selection, turning, mobile)
    if come_near(found.mobility, v, mobile):
        v = _least_velocities(code, found, columns, rates, selection, turning, mobile)
    return v


def _least_velocities(
    code: TaskCode,
    found: Kinematics,
    columns: Array,
    rates: Array,
    selection: Vector2,
    turning: float,
    mobile: Array,
) -> Array:
    """columns: of the Jacobian, `across`; mobile (nv,): S."""
    m = code.rows
    base = m - 6
    metric = metric_of(found.jacobian, mobile, found.momentum, code.momentum_weight)
    held = found.inertia * turning + found.momentum @ found.slope  # what the pull along the slope leaves of L
    free = metric.share * held * metric.row - found.slope
    wanted = rates[:m] + code.gain * found.error - found.jacobian @ free
    damping = np.full(m, _DAMPING)
    damping[base:] = _HAND_DAMPING
    normal = normal_equations(columns, metric, damping, wanted, code.pattern)
    v, right, left = np.zeros(code.nv), selection[0], selection[1]
    order = np.arange(m)
    eliminate_rows(normal, order, 0, base, m if right > 0.0 or left > 0.0 else base)
    if right < 1.0 and left < 1.0:
        add_solution(metric, normal, order[:base], base, (1.0 - right) * (1.0 - left), v)
    if right > 0.0 and left < 1.0:
        add_solution(metric, normal, order[: base + 3], base, right * (1.0 - left), v)
    if right > 0.0 and left > 0.0:
        add_solution(metric, normal, order, base, right * left, v)
    if right < 1.0 and left > 0.0:
        for k in range(3):
            order[base + k] = base + 3 + k
        add_solution(metric, normal, order[: base + 3], base, (1.0 - right) * left, v)
    v += free
    return v


def greatest_error(code: TaskCode, found: Kinematics, selection: Vector2) -> float:
    """How far the model is off its targets, m or rad; hands count as far as they are in task space."""
    worst, hands = 0.0, code.rows - 6
    for k in range(code.rows):
        share = 1.0 if k < hands else selection[0] if k < hands + 3 else selection[1]
        worst = max(worst, share * abs(found.error[k]))
    return worst


def move_model(code: TaskCode, q: Array, step: Array, inputs: Array) -> None:
    """Let the model move by a step (nv,), in place."""
    inputs[: code.nq] = q
    inputs[code.nq : code.nq + code.nv] = step
    call_native(code.move, inputs[: code.nq + code.nv], q)


def _put(target: Array, at: int, values: Vector3) -> int:
    for i in (0, 1, 2):
        target[at + i] = values[i]
    return at + 3


def _put_matrix(target: Array, at: int, values: Matrix3) -> int:
    for i in (0, 1, 2):
        for j in (0, 1, 2):
            target[at + 3 * i + j] = values[i, j]
    return at + 9


def _vector(values: Array, at: int) -> Vector3:
    return np.array([values[at], values[at + 1], values[at + 2]])


def _matrix(values: Array, at: int) -> Matrix3:
    return np.array(
        [
            [values[at], values[at + 1], values[at + 2]],
            [values[at + 3], values[at + 4], values[at + 5]],
            [values[at + 6], values[at + 7], values[at + 8]],
        ]
    )
