"""From a robot that touches things to a contact problem, at the level of impulses over one time step.

The Delassus matrix comes either from the factor of the mass matrix, J M^-1 J^T, or without a Jacobian: a unit
force on a contact of the resting, weightless robot accelerates all contacts by a column of it, Ayit 2015, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from footfall.arrays import Array, Integers
from footfall.contact.contacts import Contacts
from footfall.contact.law import ContactRules, limit_offset, moment_arm, normal_laws, viscous_bound
from footfall.contact.options import ContactOptions, JointRows
from footfall.contact.problem import ContactProblem
from footfall.dynamics.factorisation import MassFactor, factorise_mass_matrix, solve_mass_matrix
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.jacobians import joint_motions
from footfall.dynamics.kinematics import forward_kinematics, frame_acceleration, frame_attachment
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import WORLD, Robot

Method = Literal["factorised", "unit forces"]


@dataclass(frozen=True)
class RobotContactProblem(ContactProblem):
    """A contact problem of a robot, and what leads back to its velocities: `v = free_velocity + response p`.

    jacobian: (n, nv) rows J. response: (nv, n) M^-1 J^T. free_velocity: (nv,) after the step without impulses.
    limited: (velocity, sign) of each limit row, sign +1 for a lower limit. dry: velocity of each box row.
    """

    jacobian: Array = field(default_factory=lambda: np.zeros((0, 0)))
    response: Array = field(default_factory=lambda: np.zeros((0, 0)))
    free_velocity: Array = field(default_factory=lambda: np.zeros(0))
    limited: tuple[tuple[int, int], ...] = ()
    dry: tuple[int, ...] = ()

    def velocity_after(self, impulses: Array) -> Array:
        """Velocities v (nv,) of the robot after the step with impulses (n,), N s, Ayit 2015, (4.29)."""
        result: Array = self.free_velocity + self.response @ impulses
        return result


def build_contact_problem(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    contacts: Contacts,
    *,
    dt: float,
    options: ContactOptions | None = None,
    joints: JointRows | None = None,
    method: Method = "factorised",
) -> RobotContactProblem:
    """The contact problem of one time step of dt seconds from the state q (nq,), v (nv,) under tau (nv,).

    tau: joint torques and forces; the joints' damping is added here, at the velocities v.
    options: what contact asks for; all contacts given count as touching. One that closes within the step rebounds with
        -restitution v_n.
    joints: which of their limits and frictions have rows.
    method: how the Delassus matrix is made; both give the same.
    """
    if not dt > 0.0:
        raise InvalidInput(f"the time step dt is {dt}; it must be above zero")
    options, joints = options or ContactOptions(), joints or JointRows()
    q, v, tau = (np.asarray(array, dtype=np.float64) for array in (q, v, tau))
    limited = _near_limits(robot, q, joints.limit_margin) if joints.limits else ()
    dry = tuple(int(k) for k in np.flatnonzero(robot.friction)) if joints.friction else ()
    free_velocity = v + dt * forward_dynamics(robot, q, v, tau - robot.damping * v)
    jacobian = problem_rows(robot, q, contacts, _joint_rows(robot, limited, dry))
    if method == "factorised":
        response = _factored_columns(robot, q, jacobian)
        delassus = jacobian @ response
    elif method == "unit forces":
        if leaders := len(followers(contacts)[0]):
            raise InvalidInput(
                f"method is 'unit forces', but {leaders} contacts have rolling or torsional friction; "
                "use 'factorised'"
            )
        response, delassus = unit_force_columns(robot, q, contacts, limited, dry)
    else:
        raise UnknownName("method", method, ("factorised", "unit forces"), "build_contact_problem")
    rules = options.rules(float(np.linalg.norm(robot.gravity)), dt)
    felt = replace(contacts, gaps=np.minimum(contacts.gaps, 0.0)) if rules.touching_only else contacts
    problem = problem_of(
        felt,
        delassus,
        jacobian @ free_velocity,
        jacobian @ v,
        limit_offset(_limit_gaps(robot, q, limited), rules, dt),
        robot.friction[list(dry)] * dt,
        rules,
        dt,
    )
    return RobotContactProblem(
        **{each.name: getattr(problem, each.name) for each in fields(problem)},
        jacobian=jacobian,
        response=response,
        free_velocity=free_velocity,
        limited=limited,
        dry=dry,
    )


def problem_rows(robot: Robot, q: Array, contacts: Contacts, joints: Array) -> Array:
    """Rows (n, nv) of a contact problem: contacts (t1, t2, n each), joints (k, nv), and rolling and torsional friction
    at the arms of their moments."""
    leaders, arms = followers(contacts)
    turning = arms[:, None, None] * rotation_jacobian(robot, q, contacts)[leaders]
    return np.concatenate([contact_jacobian(robot, q, contacts), joints, turning.reshape(-1, robot.nv)])


def problem_of(
    contacts: Contacts,
    delassus: Array,
    free: Array,
    before: Array,
    limits: Array,
    box: Array,
    rules: ContactRules,
    dt: float,
    *,
    bends: Array | None = None,
) -> ContactProblem:
    """The laws of contacts and joints in rows as of `problem_rows`.

    free, before: (n,) velocities of the rows without impulses, and at the start of the step, m/s. limits: (limits,)
    what their velocities have added to them, m/s. box: (others,) bounds of the joints' other rows, N s. bends:
    (contacts,) m, see `normal_law`.
    """
    leaders, arms = followers(contacts)
    end = 3 * len(contacts)
    carried = np.einsum("mij,mi->mj", contacts.rotations, contacts.surface_velocity).ravel()
    bias, before, compliance = free.copy(), before[:end] - carried, np.zeros(len(free))
    bias[:end] -= carried
    offset, compliance[2:end:3] = normal_laws(
        contacts, np.zeros(len(contacts)) if bends is None else bends, before[2::3], rules, dt
    )
    bias[2:end:3] += offset
    bias[end : end + len(limits)] += limits
    return ContactProblem(
        delassus=(delassus + delassus.T) / 2,
        bias=bias,
        friction=contacts.friction,
        extra=viscous_bound(contacts.viscous_friction, before[0::3], before[1::3], dt),
        limits=len(limits),
        box=box,
        compliance=compliance,
        leaders=leaders.tolist(),
        rolling=contacts.rolling_friction[leaders] / arms,
        torsion=contacts.torsional_friction[leaders] / arms,
    )


def contact_jacobian(robot: Robot, q: Array, contacts: Contacts) -> Array:
    """Rows (3 m, nv) that give the velocities of the contacts, `bodies` less `others`, in contact axes."""
    tree = robot.spanning
    motions = joint_motions(tree, q)
    rows = np.zeros((len(contacts), 3, tree.nv))
    for names, points, sign in (
        (contacts.bodies, contacts.points, 1.0),
        (contacts.others, contacts.other_points, -1.0),
    ):
        positions = world_points(robot, q, names, points)
        for index, name in enumerate(names):
            carried = _carrying(tree, name)
            linear, angular = motions[:3, carried], motions[3:, carried]
            moved = linear + np.cross(angular, positions[index], axis=0)
            rows[index][:, carried] += sign * contacts.rotations[index].T @ moved
    return Coupling(robot, q).columns(rows.reshape(-1, tree.nv))


def followers(contacts: Contacts) -> tuple[Integers, Array]:
    """Numbers (f,) of contacts with rolling or torsional friction, and the arms (f,) of their moments, m."""
    lengths = [
        moment_arm(*pair) for pair in zip(contacts.rolling_friction, contacts.torsional_friction, strict=True)
    ]
    arms = np.array(lengths, dtype=np.float64)
    leaders = np.flatnonzero(arms)
    return leaders, arms[leaders]


def rotation_jacobian(robot: Robot, q: Array, contacts: Contacts) -> Array:
    """Rows (m, 3, nv) that give the rotation of `bodies` less that of `others`, in contact axes."""
    tree = robot.spanning
    motions = joint_motions(tree, q)
    rows = np.zeros((len(contacts), 3, tree.nv))
    for names, sign in ((contacts.bodies, 1.0), (contacts.others, -1.0)):
        for index, name in enumerate(names):
            carried = _carrying(tree, name)
            rows[index][:, carried] += sign * contacts.rotations[index].T @ motions[3:, carried]
    return Coupling(robot, q).columns(rows.reshape(-1, tree.nv)).reshape(-1, 3, robot.nv)


def world_points(robot: Robot, q: Array, names: Sequence[str], points: Array) -> Array:
    """Positions (m, 3) in the world of points (m, 3) of bodies or frames, m."""
    order = {name: index for index, name in enumerate(_frames(robot))}
    poses = forward_kinematics(robot, q, frames=_frames(robot))
    for name in names:
        frame_attachment(robot, name)  # names what is wrong
    indices = [order[name] for name in names]
    turned = np.einsum("mij,mj->mi", poses.rotation[indices], points)
    result: Array = poses.position[indices] + turned
    return result


def unit_force_columns(
    robot: Robot, q: Array, contacts: Contacts, limited: Sequence[tuple[int, int]], dry: Sequence[int]
) -> tuple[Array, Array]:
    """M^-1 J^T (nv, n) and J M^-1 J^T (n, n) from forward dynamics alone, Ayit 2015, chapter 4."""
    resting = _weightless(robot)
    rest = np.zeros(robot.nv)
    sides = [(contacts.bodies, contacts.points, 1.0), (contacts.others, contacts.other_points, -1.0)]
    names = sorted({name for side in sides for name in side[0]} - {WORLD})
    joint_rows = _joint_rows(robot, limited, dry)
    count = 3 * len(contacts) + len(joint_rows)
    poses = forward_kinematics(robot, q, frames=_frames(robot))
    rotation = dict(zip(_frames(robot), poses.rotation, strict=True))
    wrenches = {name: np.zeros((count, 6)) for name in names}
    for side, points, sign in sides:
        for index, name in enumerate(side):
            if name != WORLD:
                forces = sign * contacts.rotations[index].T
                moments = np.cross(rotation[name] @ points[index], forces)
                wrenches[name][3 * index : 3 * index + 3] += np.concatenate([forces, moments], axis=1)
    tau = np.zeros((count, robot.nv))
    tau[3 * len(contacts) :] = joint_rows
    if count == 0:
        return np.zeros((robot.nv, 0)), np.zeros((0, 0))
    columns = forward_dynamics(resting, q, rest, tau, wrenches=wrenches or None)
    delassus = np.zeros((count, count))
    accelerations = {name: frame_acceleration(resting, q, rest, columns, name) for name in names}
    for side, points, sign in sides:
        for index, name in enumerate(side):
            if name != WORLD:
                linear, angular = accelerations[name][:, :3], accelerations[name][:, 3:]
                at_point = linear + np.cross(angular, rotation[name] @ points[index])
                delassus[3 * index : 3 * index + 3] += sign * contacts.rotations[index].T @ at_point.T
    delassus[3 * len(contacts) :] = joint_rows @ columns.T
    return columns.T, delassus


def _factored_columns(robot: Robot, q: Array, jacobian: Array) -> Array:
    """M^-1 J^T (nv, n), as a batch of vectors: one kernel for any number of rows."""
    factor = factorise_mass_matrix(robot, q)
    batch = MassFactor(*(np.broadcast_to(part, (len(jacobian), *part.shape)) for part in factor))
    return solve_mass_matrix(robot, batch, jacobian).T


@lru_cache(maxsize=64)
def _weightless(robot: Robot) -> Robot:
    return replace(robot, gravity=(0.0, 0.0, 0.0))


@lru_cache(maxsize=64)
def _frames(robot: Robot) -> tuple[str, ...]:
    return tuple(robot.tree.attachments)


@lru_cache(maxsize=4096)
def _carrying(robot: Robot, name: str) -> Any:
    """Indices of the velocities that move a body or frame."""
    tree = robot.tree
    path = tree.path(frame_attachment(robot, name).link)
    indices = [k for link in path for k in range(tree.nv)[tree.links[link].v]]
    return np.array(sorted(indices), dtype=int)


def _joint_rows(robot: Robot, limited: Sequence[tuple[int, int]], dry: Sequence[int]) -> Array:
    rows = np.zeros((len(limited) + len(dry), robot.nv))
    for row, (velocity, sign) in enumerate(limited):
        rows[row, velocity] = sign
    rows[np.arange(len(limited), len(rows)), list(dry)] = 1.0
    return rows


def _near_limits(robot: Robot, q: Array, margin: float) -> tuple[tuple[int, int], ...]:
    """(velocity, +1) for lower and (velocity, -1) for upper limits nearer than the margin."""
    coordinates = _limited_coordinates(robot)
    candidates = [(velocity, sign) for velocity in coordinates for sign in (1, -1)]
    gaps = _limit_gaps(robot, q, candidates)
    return tuple(row for row, gap in zip(candidates, gaps, strict=True) if gap < margin)


def _limit_gaps(robot: Robot, q: Array, limited: Sequence[tuple[int, int]]) -> Array:
    coordinates = _limited_coordinates(robot)
    gaps = []
    for velocity, sign in limited:
        k = coordinates[velocity]
        gaps.append(q[k] - robot.lower_limits[k] if sign > 0 else robot.upper_limits[k] - q[k])
    return np.array(gaps, dtype=np.float64)


@lru_cache(maxsize=64)
def _limited_coordinates(robot: Robot) -> dict[int, int]:
    """Coordinate of each velocity that has a limit."""
    result: dict[int, int] = {}
    for joint in robot.joints:
        coordinates, velocities = robot.q_slice(joint.name), robot.v_slice(joint.name)
        # Joints that follow from others through loops have no velocity of their own; their limits are not watched.
        if (joint.lower or joint.upper) and velocities.stop > velocities.start:
            for k, j in zip(range(robot.nq)[coordinates], range(robot.nv)[velocities], strict=True):
                result[j] = k
    return result
