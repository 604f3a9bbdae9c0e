"""A whole robot that follows a motion by inverse kinematics, and the wrench that it then needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.costs import ComfortCost, NullSpaceCost
from footfall.control.inverse_kinematics.limits import Limits
from footfall.control.inverse_kinematics.null_space import MotionWeight, NullSpaceTerm, Smoothing
from footfall.control.inverse_kinematics.rates import BoundedRate, ResolvedRate
from footfall.control.tasks.postures import posture
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.centroidal import centroidal_momentum
from footfall.dynamics.configuration import difference, integrate
from footfall.dynamics.kinematics import link_poses
from footfall.errors import NoSolution
from footfall.gait.poses import HANDS, Hand
from footfall.math.rotations import matrix_from_quaternion, quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.motion.body_tasks import body_targets, body_tasks, head_joints
from footfall.motion.five_mass import FootWrench, zero_moment_point
from footfall.motion.model_derivation import standing_configuration
from footfall.motion.motion import Motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples
from footfall.motion.standing import placed_frame
from footfall.motion.stream import HEAD, stream
from footfall.renamed import renamed_keywords
from footfall.robot.model import WORLD, JointType, Robot

# What tasks leave free: the least velocity of all coordinates, the base included, that joints do not have towards the
# comfortable posture. In a weighted sum of squares the posture has a small weight and a gain to match.
_DAMPING = 3e-3  # beside weights 1 of the tasks, which are off by some micrometres for it
_COMFORT_WEIGHT = 0.01 * _DAMPING**2
_COMFORT_GAIN = 2.0 * (_DAMPING**2 + _COMFORT_WEIGHT) / _COMFORT_WEIGHT  # 1/s: 2 at which joints come back


@renamed_keywords(told="inputs")
@dataclass(frozen=True)
class FreeMotion:
    """What joints do that a motion leaves free.

    tasks: further ones, whose targets stay. cost: whose gradient they follow; None: they stay near the configuration.
    weight: what motion costs, see `ResolvedRate`. terms: see what the tasks do, as `MomentumCompensation`. inputs:
    numbers of the terms at a time, s: the momentum that is wanted. smoothing: of the cost's motion.
    """

    tasks: tuple[MotionTask, ...] = ()
    cost: NullSpaceCost | None = None
    weight: MotionWeight | None = None
    terms: tuple[NullSpaceTerm, ...] = ()
    inputs: Callable[[float], Array] | None = None
    smoothing: Smoothing | None = None


class Followed(NamedTuple):
    """Times (n,), configurations (n, nq), velocities (n, nv), and how far the tasks are off (n,), m or rad."""

    times: Array
    q: Array
    v: Array
    errors: Array


def follow_motion(
    robot: Robot,
    motion: Motion,
    q: Array | None = None,
    *,
    dt: float = 0.005,
    gain: float = 100.0,
    allowed: float = 0.02,
    hands: Sequence[Hand] = (),
    free: FreeMotion | None = None,
) -> Followed:
    """The robot along a motion, within its joint limits: centre of mass, upper body, feet, head, toes where it has
    them, and hands as far as they are in task space; all other joints stay as near as they can to a configuration q
    (nq,), by default `standing_configuration`. It starts from q, with the right foot where the motion has it.

    dt: s. gain: 1/s, below 1/dt. hands: those that follow also where they are in null space. free: what joints do that
    the motion leaves free, such as arms that swing; limits are then what its cost makes of them, the head stays, and
    only the given hands follow. Raises `NoSolution` if it is off by more than allowed, m or rad.
    """
    times = np.arange(motion.begin_time, motion.end_time + dt / 2, dt)
    q = _on_right_foot(robot, motion, standing_configuration(robot, motion.model) if q is None else q)
    if free is not None:
        path, errors = _follow_freely(
            robot, motion, q, free, times=times, gain=gain, allowed=allowed, hands=hands
        )
        return Followed(times, path, _velocities(robot, path, dt), errors)
    here, middle = motion.sample(times), motion.sample(times + dt / 2)
    used = tuple(hand for side, hand in enumerate(HANDS) if hand in hands or here.selection[:, 0, side].any())
    steps = _Steps(robot, motion.model, q, used, dt)
    targets, _ = steps.targets(here)
    _, rates = steps.targets(middle)  # rates in the middle of a step take it to its end
    shares = steps.shares(here, always=hands)
    places, errors = np.empty((len(times), robot.nq)), np.empty(len(times))
    now = q
    for _ in range(50):  # come to the first pose
        now = steps.step(now, targets[0], 0.0 * rates[0], 0.2 / dt, shares[0])
    for step in range(len(times)):
        places[step] = now
        errors[step] = steps.error(now, targets[step], shares[step])
        require_followed(float(errors[step]), float(times[step]), allowed)
        now = steps.step(now, targets[step], rates[step], gain, shares[step])
    return Followed(times, places, _velocities(robot, places, dt), errors)


def require_followed(error: float, time: float, allowed: float) -> None:
    """Refuse a motion that the robot is off by an error, m or rad, at a time, s."""
    if not error <= allowed:
        raise NoSolution(
            f"the robot is off by {error:.3g} m or rad at {time:.3f} s; at most {allowed:.3g}: is the motion within "
            "reach?"
        )


def _follow_freely(
    robot: Robot,
    motion: Motion,
    q: Array,
    free: FreeMotion,
    *,
    times: Array,
    gain: float,
    allowed: float,
    hands: Sequence[Hand],
) -> tuple[Array, Array]:
    """Configurations (n, nq) and errors (n,) at times (n,) by resolved rates with costs and terms in the null space."""
    dt = times[1] - times[0]
    tasks = [*body_tasks(robot, motion.model, hands), *free.tasks]
    cost = ComfortCost(tuple(q.tolist()), comfort_gain=2.0) if free.cost is None else free.cost
    solver = ResolvedRate(
        robot, tasks, cost=cost, motion_weights=free.weight, terms=free.terms, smoothing=free.smoothing
    )
    # Rates in the middle of a step take it to its end.
    targets, _ = body_targets(motion.sample(times), motion.model, hands)
    _, rates = body_targets(motion.sample(times + dt / 2), motion.model, hands)
    more = [task.parameters for task in free.tasks]
    targets = np.hstack([targets, *(np.tile(each, (len(times), 1)) for each in more)])
    rates = np.hstack([rates, np.zeros((len(times), solver.stack.size - rates.shape[1]))])
    gains = np.full(rates.shape[1], gain)
    path, errors = np.empty((len(times), robot.nq)), np.empty(len(times))
    here = q
    kernel = solver.stack.kernel
    for _ in range(50):  # come to the first pose
        here = integrate(robot, here, 0.2 / gain * solver.run(here, targets[0], 0.0 * rates[0], gains))
    for step in range(len(times)):
        path[step] = here
        errors[step] = np.abs(kernel(here, targets[step])[0]).max()
        require_followed(float(errors[step]), float(times[step]), allowed)
        inputs = free.inputs(float(times[step])) if free.inputs is not None else None
        here = integrate(robot, here, dt * solver.run(here, targets[step], rates[step], gains, inputs))
    return path, errors


class _Steps:
    """Steps of inverse kinematics: tasks that are followed, then a comfortable posture with next to no weight."""

    def __init__(
        self, robot: Robot, model: ReducedModel, comfort: Array, hands: tuple[Hand, ...], dt: float
    ) -> None:
        self.robot, self.model, self.hands, self.dt = robot, model, hands, dt
        self.head = head_joints(robot, model)
        tasks = body_tasks(robot, model, hands)
        if self.head:
            tasks.append(posture(robot, {joint: 0.0 for joint, _ in self.head}))
        self.followed = TaskStack(robot, tasks).size
        self.comfort = posture(robot, comfort)
        self.solver = BoundedRate(
            robot, [*tasks, self.comfort], dt=dt, limits=Limits(velocity=None), damping=_DAMPING
        )
        self.size = self.solver.stack.size
        first = self.followed - len(self.head) - 3 * len(hands)
        self._rows = slice(first, first + 3 * len(hands))

    def targets(self, samples: MotionSamples) -> tuple[Array, Array]:
        """Targets (n, p) and rates (n, m) of all tasks."""
        values, rates = body_targets(samples, self.model, self.hands)
        count = len(values)
        vectors = stream(samples, self.model)
        signs = np.array([sign for _, sign in self.head])
        comfort = np.tile(self.comfort.parameters, (count, 1))
        still = np.zeros((count, self.size - self.followed))
        head = slice(HEAD.start, HEAD.start + len(signs))
        return (
            np.concatenate([values, signs * vectors.position[:, head], comfort], axis=1),
            np.concatenate([rates, signs * vectors.velocity[:, head], still], axis=1),
        )

    def shares(self, samples: MotionSamples, *, always: Sequence[Hand]) -> Array:
        """How far (n, hands) hands are in task space."""
        shares = [
            np.ones(len(samples.values)) if hand in always else samples.selection[:, 0, HANDS.index(hand)]
            for hand in self.hands
        ]
        return np.array(shares).T if shares else np.ones((len(samples.values), 0))

    def step(self, q: Array, target: Array, rate: Array, gain: float, shares: Array) -> Array:
        """The configuration after dt: velocities with and without each hand, blended as Seiwald 2023, (4.12). A hand is
        pulled to its place by its share, since it comes from where its arm is comfortable."""
        gains = np.full(self.size, gain)
        gains[self.followed :] = _COMFORT_GAIN
        gains[self._rows] *= np.repeat(shares, 3)
        weights = np.ones(self.size)
        weights[self.followed :] = _COMFORT_WEIGHT
        v = np.zeros(self.robot.nv)
        for chosen in itertools.product((False, True), repeat=len(shares)):
            part = float(np.prod(np.where(chosen, shares, 1.0 - shares)))
            if part > 0.0:
                weights[self._rows] = np.repeat(chosen, 3)
                v += part * self.solver.run(q, target, rate, gains, weights)
        return integrate(self.robot, q, self.dt * v)

    def error(self, q: Array, target: Array, shares: Array) -> float:
        """How far the tasks are off, m or rad; hands count once they are in task space."""
        error = np.abs(self.solver.stack.kernel(q, target)[0])
        error[self._rows] *= np.repeat(shares == 1.0, 3)
        return float(error[: self.followed].max())


def centroidal_wrench(robot: Robot, followed: Followed) -> Array:
    """Force and torque about the centre of mass (n - 2, 6) that contacts must exert for a followed motion, N and Nm, at
    all times but the first and the last."""
    dt = float(followed.times[1] - followed.times[0])
    momentum = centroidal_momentum(robot, followed.q, followed.v)
    wrench = (momentum[2:] - momentum[:-2]) / (2 * dt)
    wrench[:, :3] -= robot.mass * np.asarray(robot.gravity)
    return np.asarray(wrench)


class FollowedBalance(NamedTuple):
    """times (n,), s. zmp (n, 2): zero-moment point of the whole robot in the world, m. error: root mean square of its
    distance from the planned one, m. margins (n,): its distance from the border of the area below whole soles, m,
    negative outside."""

    times: Array
    zmp: Array
    error: float
    margins: Array


def followed_balance(robot: Robot, motion: Motion, followed: Followed) -> FollowedBalance:
    """Where the zero-moment point of a whole robot is that follows a motion without hands on anything."""
    times = followed.times[1:-1]
    wrench, center = centroidal_wrench(robot, followed), center_of_mass(robot, followed.q[1:-1])
    planned = motion.sample(times).zmp[:, 0]
    force = wrench[:, :3]
    about_origin = FootWrench(force, wrench[:, 3:] + np.cross(center, force))
    zmp = zero_moment_point(about_origin, planned[:, 2])[:, :2]
    error = float(np.sqrt(((zmp - planned[:, :2]) ** 2).sum(axis=1).mean()))
    return FollowedBalance(times, zmp, error, motion.phases.margins(times, zmp))


def _on_right_foot(robot: Robot, motion: Motion, q: Array) -> Array:
    """The configuration with its floating base moved so that the right foot is where the motion begins."""
    root = next(joint for joint in robot.joints if joint.parent == WORLD)
    if root.type is not JointType.FLOATING:
        return np.array(q, dtype=np.float64)
    poses, first = link_poses(robot.tree, q), motion.snapshot(motion.begin_time)
    foot = Transform(matrix_from_quaternion(first.quaternions[2]), first.feet[0, 0])
    moved = foot @ placed_frame(robot, poses, motion.model.frames["RF"]).inverse()
    moved = root.placement.inverse() @ moved @ placed_frame(robot, poses, root.child)
    result = np.array(q, dtype=np.float64)
    result[robot.q_slice(root.name)] = np.concatenate(
        [moved.translation, quaternion_from_matrix(moved.rotation)]
    )
    return result


def _velocities(robot: Robot, path: Array, dt: float) -> Array:
    """Velocities (n, nv) along a path by central differences."""
    v = np.empty((len(path), robot.nv))
    v[1:-1] = difference(robot, path[:-2], path[2:]) / (2 * dt)
    v[0], v[-1] = 0.0, 0.0
    return v
