"""The manifold of configurations: steps along tangent vectors, differences, special and random points.

Where coordinates and velocities match, a step is added. A ball joint or the orientation of a floating base
is a unit quaternion that a step turns about the body's own axes; the position of a floating base moves in the
axes of its joint frame (the world's, mostly). So the tangent space of a floating base is R3 x SO(3).

All joints of a looped robot: their rates from the independent ones, and forces on them as forces on v.

For a robot without loops these are the same vectors.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.loops import Coupling, closed_step, independent
from footfall.errors import InvalidInput
from footfall.math.angular_velocity import angular_velocity_map, rotation_rate_map
from footfall.math.rotations import (
    quaternion_inverse,
    quaternion_product,
    rotation_vector_from_quaternion,
)
from footfall.robot.model import JointType, Robot
from footfall.robot.required import require_robot
from footfall.robot.tree_loops import neutral_coordinates


@algorithm(q="nq", step="nv")
def integrate(robot: Robot, q: Array, step: Array) -> Array:
    """The configuration (nq,) that a constant velocity reaches from q (nq,); step (nv,): velocity times time.

    Quaternions come out with norm one. Loops are closed, on the branch they are on; where they cannot be, the
    coordinates of their joints are NaN (`close_loops` says why).
    """
    return closed_step(robot, q, step)


@algorithm(q0="nq", q1="nq")
def difference(robot: Robot, q0: Array, q1: Array) -> Array:
    """The shortest step (nv,) from q0 (nq,) to q1 (nq,): `integrate(q0, difference(q0, q1)) = q1`.

    Quaternions must have norm one; q and -q are the same. Angles of hinges count as they are, without
    wrapping.
    """
    parts: list[Array] = [np.zeros(0)]
    for link in robot.tree.links:
        if link.kind == "spherical":
            turn = quaternion_product(quaternion_inverse(q0[link.q]), q1[link.q])
            parts.append(rotation_vector_from_quaternion(turn))
        else:
            parts.append(q1[link.q] - q0[link.q])
    return independent(robot, np.concatenate(parts))


def interpolate(robot: Robot, q0: Array, q1: Array, fraction: float | Array) -> Array:
    """Configurations on the shortest way from q0 (nq,) to q1 (nq,): (nq,) at a fraction of it, (n, nq) at several (n,).

    Zero is q0, one is q1; what is beyond goes on with the same velocity. Orientations turn about one axis.
    """
    require_robot("interpolate", robot)
    try:
        share = np.asarray(fraction, dtype=float)
    except (TypeError, ValueError):
        share = np.array(np.nan)
    if share.ndim > 1 or not np.isfinite(share).all():
        raise InvalidInput(f"fraction is {fraction!r}; it must be a finite number, or several (n,)")
    step = np.asarray(difference(robot, q0, q1))
    if step.ndim != 1:
        raise InvalidInput(
            f"q0 and q1 must be one configuration each, (nq,), not {np.shape(q0)}, {np.shape(q1)}"
        )
    found: Array = integrate(robot, np.asarray(q0, dtype=float), share[..., None] * step)
    return found


@algorithm(q="nq", v="nv")
def configuration_rate(robot: Robot, q: Array, v: Array) -> Array:
    """`dq/dt` (nq,) of the configuration q (nq,) that moves with v (nv,), RSL 2022, (2.262)."""
    v = Coupling(robot, q).velocity(v)
    parts: list[Array] = [np.zeros(0)]
    for link in robot.tree.links:
        if link.kind == "spherical":
            parts.append(rotation_rate_map("quaternion", q[link.q], body_axes=True) @ v[link.v])
        else:
            parts.append(v[link.v])
    return np.concatenate(parts)


@algorithm(q="nq", rate="nq")
def velocity_from_rate(robot: Robot, q: Array, rate: Array) -> Array:
    """Velocity v (nv,) of a configuration q (nq,) that changes with `dq/dt` = rate (nq,), RSL 2022, (2.262)."""
    parts: list[Array] = [np.zeros(0)]
    for link in robot.tree.links:
        if link.kind == "spherical":
            parts.append(angular_velocity_map("quaternion", q[link.q], body_axes=True) @ rate[link.q])
        else:
            parts.append(rate[link.q])
    return independent(robot, np.concatenate(parts))


def neutral(robot: Robot) -> Array:
    """The configuration (nq,) with all joints at zero and quaternions at identity; of a looped robot, closed near it.

    A looped robot with a configuration "assembly" has that one, closed.
    """
    require_robot("neutral", robot)
    return neutral_coordinates(robot)


def random_configuration(
    robot: Robot, *, seed: int | np.random.Generator | None = None, count: int | None = None
) -> Array:
    """A random configuration (nq,), or `count` of them (count, nq).

    Uniform within the joints' limits; without limits angles lie in [-pi, pi], lengths and the position of a
    floating base in [-1, 1] m; orientations are uniform over all rotations. Loops are closed, on the branch of the
    neutral configuration: where the way there ends before the random one is reached, one before its end is given.
    Joints that follow from others may be beyond their limits.
    """
    require_robot("random_configuration", robot)
    if count is not None and (not isinstance(count, int | np.integer) or count < 0):
        raise InvalidInput(
            f"count is {count!r}; it must be a whole number that is not negative, or None for one"
        )
    rng = np.random.default_rng(seed)
    shape = (1 if count is None else count,)
    parts: list[Array] = [np.zeros((*shape, 0))]
    for joint in robot.joints:
        if joint.type is JointType.FLOATING:
            parts.append(rng.uniform(-1.0, 1.0, (*shape, 3)))
        if joint.type.has_quaternion:
            q = rng.normal(size=(*shape, 4))  # its direction is uniform on the sphere
            parts.append(q / np.linalg.norm(q, axis=-1, keepdims=True))
        elif joint.type is not JointType.FIXED:
            reach = np.array([1.0 if along else np.pi for along in _lengths(joint.type)])
            place = robot.q_slice(joint.name)
            lower, upper = robot.lower_limits[place], robot.upper_limits[place]
            lower = np.where(
                np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * reach, -reach)
            )
            upper = np.where(np.isfinite(upper), upper, lower + 2 * reach)
            parts.append(rng.uniform(lower, upper, (*shape, len(reach))))
    result = np.concatenate(parts, axis=-1)
    if robot.loops:
        result = _reached(robot, result)
    return result[0] if count is None else result


def _reached(robot: Robot, targets: Array) -> Array:
    """Closed configurations (count, nq) on the way from the neutral one to the targets (count, nq).

    Where a loop ends it is singular: there the way stops two of its twenty parts before.
    """
    q = np.tile(neutral(robot), (len(targets), 1))
    before = two_before = q
    moving = np.ones((len(targets), 1), dtype=bool)
    step = difference(robot, q, targets) / 20
    for _ in range(20):
        following = integrate(robot, q, step)
        fine = np.isfinite(following).all(axis=-1, keepdims=True)
        q = np.where(moving & fine, following, np.where(moving, two_before, q))
        moving &= fine
        two_before, before = before, q
    return q


def _lengths(kind: JointType) -> tuple[bool, ...]:
    """For each coordinate of a joint without quaternion whether it is a length."""
    match kind:
        case JointType.PRISMATIC:
            return (True,)
        case JointType.PLANAR:
            return (True, True, False)
    return (False,) * kind.coordinates


@algorithm(q="nq", v="nv")
def joint_rates(robot: Robot, q: Array, v: Array) -> Array:
    """Rates (n,) of all joints, rad/s or m/s, in the order of `robot.spanning`; q (nq,), v (nv,)."""
    return Coupling(robot, q).velocity(v)


@algorithm(q="nq", v="nv", a="nv")
def joint_accelerations(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    """Accelerations (n,) of all joints, rad/s2 or m/s2, in the order of `robot.spanning`; q (nq,), v (nv,), a (nv,)."""
    return Coupling(robot, q).acceleration(v, a)


@algorithm(q="nq", forces="*")
def independent_forces(robot: Robot, q: Array, forces: Array) -> Array:
    """Joint forces tau (nv,) that act like forces (n,) on all joints, N m or N: motors on joints that follow; q (nq,).

    forces: in the order of the velocities of `robot.spanning`.
    """
    if len(forces) != robot.spanning.nv:
        raise InvalidInput(
            f"independent_forces: forces has {len(forces)} entries, needed are {robot.spanning.nv}, one for each "
            "velocity of robot.spanning"
        )
    return Coupling(robot, q).forces(forces)
