"""One time step with exact contact, as traced code.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler import absolute, maximum, minimum, sqrt, where
from footfall.contact.candidates import Candidate, Surface
from footfall.contact.contacts import contact_frame
from footfall.contact.distance_functions import signed_distance
from footfall.contact.local_cone import cone_block
from footfall.dynamics.configuration import integrate
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.math.spatial import cross, symmetric
from footfall.math.transform import Transform
from footfall.robot.model import JointType, Robot
from footfall.simulation.contact_rows import Row, Whitening, combine, inner
from footfall.simulation.contact_sweeps import ContactBlock, JointBlock, solve_blocks
from footfall.simulation.joint_action import JointAction
from footfall.simulation.step_values import Command, StepOptions, StepReport, StepState

Array = np.ndarray[Any, np.dtype[Any]]

_FAR = 1e9  # m/s: a contact that may close so fast is none


def actuated_velocities(robot: Robot) -> list[tuple[int, int]]:
    """(coordinate, velocity) of each joint axis that a drive can act on: all but those of free bodies."""
    floating = {joint.child for joint in robot.joints if joint.type is JointType.FLOATING}
    return [
        (link.q.start, link.v.start)
        for link in robot.tree.links
        if link.kind != "spherical" and link.body not in floating
    ]


def limited_velocities(robot: Robot) -> list[tuple[int, int]]:
    """(coordinate, velocity) of each joint axis with a finite position limit."""
    return [
        (q, v)
        for q, v in actuated_velocities(robot)
        if np.isfinite(robot.lower[q]) or np.isfinite(robot.upper[q])
    ]


def rubbing_velocities(robot: Robot) -> list[int]:
    """Velocities with dry friction."""
    return [v for v in range(robot.nv) if robot.friction[v] > 0.0]


def row_count(robot: Robot, candidates: Sequence[Candidate], options: StepOptions) -> int:
    """Number of impulses of a step."""
    rows = 3 * len(candidates)
    rows += len(limited_velocities(robot)) if options.joint_limits else 0
    return rows + (len(rubbing_velocities(robot)) if options.joint_friction else 0)


class _Contact(NamedTuple):
    """A candidate in one configuration: the links it joins, whitened rows along (t1, t2, n), and where it is."""

    links: tuple[int, int]
    rows: list[Row]
    frame: Array
    position: Array
    gap: Any
    friction: Any
    restitution: float
    surface: Surface
    carried: Array  # velocity (3,) at the contact of a surface that moves on a given path, world axes


class JointControl(NamedTuple):
    """PID control over one step: effort (nv,) at the predicted position, the inertia (nv,) that gains and damping
    add over the step, and the integral (joints,) after it."""

    effort: Array
    added_inertia: Array
    integral: Array


def joint_control(robot: Robot, state: StepState, command: Command, options: StepOptions) -> JointControl:
    """Joint efforts with their limits.

    With `implicit_gains` the gains act on position and velocity at the end of the step, which is stable however
    high they are: `(M + dt kd + dt^2 kp) dv = dt (kp (q* - q - dt v) + kd (v* - v) + ...)`. A saturated joint gives
    its limit, whatever it moves.
    """
    dt = options.dt
    effort: list[Any] = [0.0] * robot.nv
    added: list[Any] = [dt * float(damping) for damping in robot.damping]
    integral: list[Any] = []
    for k, (q, v) in enumerate(actuated_velocities(robot)):
        error = command.position[k] - state.q[q]
        integral.append(state.integral[k] + dt * error)
        ahead = error - dt * state.v[v] if options.implicit_gains else error
        wanted = (
            command.kp[k] * ahead
            + command.ki[k] * integral[k]
            + command.kd[k] * (command.velocity[k] - state.v[v])
            + command.effort[k]
        )
        inertia = dt * (command.kd[k] + dt * command.kp[k]) if options.implicit_gains else 0.0
        limit = float(robot.effort_limit[v])
        if np.isfinite(limit):
            inertia = where(absolute(wanted) < limit, inertia, 0.0)
            wanted = maximum(minimum(wanted, limit), -limit)
        effort[v] = wanted
        added[v] = added[v] + inertia
    return JointControl(np.array(effort), np.array(added), np.array(integral))


def contact_step(
    robot: Robot,
    candidates: Sequence[Candidate],
    options: StepOptions,
    state: StepState,
    command: Command,
    *,
    friction: Array,
    restitution: Sequence[float],
    wrenches: Mapping[str, Array] | None = None,
    forces: Array | None = None,
    action: JointAction | None = None,
    time: Any = 0.0,
) -> tuple[StepState, StepReport]:
    """Advance by dt. friction (contacts,), restitution: of the candidates. forces: (nv,) on the joints, N m or N,
    besides those of the command. action: of drives and springs. time: at the start, s, which places what moves on a
    given path."""
    tree, dt = robot.tree, options.dt
    control = joint_control(robot, state, command, options)
    bias = newton_euler(robot, state.q, state.v, np.zeros(robot.nv), wrenches)
    acting = control.effort - bias - np.asarray(robot.damping) * state.v
    acting = acting if forces is None else acting + forces
    inertia = composite_bodies(robot, state.q) + np.diag(control.added_inertia)
    if action is not None:
        acting, inertia = acting + action.forces, inertia + action.inertia
    factor = factorise(tree, inertia)
    free = state.v + dt * solve_factored(tree, factor, acting)
    whitening = Whitening(tree, link_poses(tree, state.q), factor)
    contacts = [
        _contact(robot, whitening, candidate, friction[k], restitution[k], time)
        for k, candidate in enumerate(candidates)
    ]
    blocks: list[ContactBlock | JointBlock] = []
    blocks += _contact_blocks(contacts, whitening, options, state.v, free)
    blocks += _joint_blocks(robot, whitening, options, state.q, free, 3 * len(candidates))
    impulses, change, residual, sweeps = solve_blocks(robot, blocks, options, state.impulses)
    v = free + whitening.velocity(change)
    q = integrate(robot, state.q, dt * v)
    # what the joints gave in the end: the added inertia is a part of it
    effort = control.effort - (control.added_inertia / dt - np.asarray(robot.damping)) * (v - state.v)
    if action is not None:
        effort = effort + action.effort(v - state.v, dt)
    report = StepReport(
        effort,
        np.array([contact.position for contact in contacts]).reshape(-1, 3),
        np.array(
            [contact.frame @ impulses[3 * k : 3 * k + 3] / dt for k, contact in enumerate(contacts)]
        ).reshape(-1, 3),
        np.array([contact.gap for contact in contacts]),
        residual,
        sweeps,
    )
    return StepState(q, v, control.integral, impulses), report


def _contact(
    robot: Robot, whitening: Whitening, candidate: Candidate, mu: Any, restitution: float, time: Any
) -> _Contact:
    poses, surface = whitening.poses, candidate.surface
    body, other = frame_attachment(robot, candidate.body), frame_attachment(robot, surface.body)
    center = _apply(poses, body.link, body.placement.apply(np.array(candidate.point)))
    pose = _pose(poses, other.link, other.placement @ surface.placement)
    if surface.motion is not None:
        pose = surface.motion.pose(time)
    distance, normal = signed_distance(surface.shape, pose, center)
    point = center - candidate.radius * normal
    frame = contact_frame(normal)
    rows = whitening.point_rows(body.link, point)
    if other.link >= 0:
        others = whitening.point_rows(other.link, point)
        rows = [combine((1.0, -1.0), pair) for pair in zip(rows, others, strict=True)]
    turned = [combine(list(frame[:, k]), rows) for k in range(3)]
    carried = np.zeros(3)
    if surface.motion is not None:
        motion = surface.motion.velocity(time)
        carried = motion[:3] + cross(motion[3:], point - pose.translation)
    gap = distance - candidate.radius
    return _Contact((body.link, other.link), turned, frame, point, gap, mu, restitution, surface, carried)


def _apply(poses: Sequence[Transform], link: int, point: Array) -> Array:
    return poses[link].apply(point) if link >= 0 else point


def _pose(poses: Sequence[Transform], link: int, placement: Transform) -> Transform:
    return poses[link] @ placement if link >= 0 else placement


def _contact_blocks(
    contacts: Sequence[_Contact], whitening: Whitening, options: StepOptions, before: Array, free: Array
) -> list[ContactBlock]:
    """Bias of each contact from its free velocity, gap and restitution."""
    dt, blocks = options.dt, []
    for k, contact in enumerate(contacts):
        material, rows = contact.surface.material, contact.rows
        compliance = 0.0
        if np.isfinite(material.stiffness):
            # p = -dt (k (gap + dt v) + d v), solved for v: an implicit spring-damper
            answer = material.stiffness * dt + material.damping
            offset, compliance = contact.gap * (material.stiffness / answer), 1.0 / (dt * answer)
        else:
            offset = _gap_term(contact.gap, options)
        if contact.restitution > 0.0:
            approach = _slip(contact, whitening, before)[2]
            bounces = (approach < -options.restitution_speed) & (contact.gap + dt * approach < 0.0)
            offset = where(bounces, contact.restitution * approach, offset)
        bias = list(_slip(contact, whitening, free))
        bias[2] = bias[2] + offset
        delassus = _delassus(rows)
        extra = 0.0
        if material.viscous_friction > 0.0:  # 001 (4.22), with the sliding speed at the start of the step
            along = _slip(contact, whitening, before)
            extra = material.viscous_friction * dt * sqrt(along[0] * along[0] + along[1] * along[1])
        delassus = delassus + np.diag([0.0, 0.0, compliance])
        cone = cone_block(*(delassus[i, j] for i in range(3) for j in range(i, 3)))
        inverse = _inverse(delassus)
        blocks.append(
            ContactBlock(3 * k, rows, bias, delassus, inverse, cone, contact.friction, extra, compliance)
        )
    return blocks


def _slip(contact: _Contact, whitening: Whitening, v: Array) -> Array:
    """Velocity (3,) of the robot's point against the surface along (t1, t2, n) at the robot's velocity v (nv,)."""
    body, other = contact.links
    relative = whitening.point_velocity(body, contact.position, v)
    relative = relative - whitening.point_velocity(other, contact.position, v) - contact.carried
    return np.asarray(contact.frame.T @ relative)


def _gap_term(gap: Any, options: StepOptions) -> Any:
    """What is added to the normal velocity so that it may not be negative, m/s."""
    if options.gap_term == "source":
        return where(gap <= 0.0, 0.0, _FAR)
    # A penetration comes from what a step could not see, such as a bend of the terrain; undone at once it would throw.
    return maximum(maximum(gap, options.recovery * gap) / options.dt, -options.recovery_speed)


def _delassus(rows: Sequence[Row]) -> Array:
    """A contact's own block (3, 3) of the Delassus matrix, 1/kg."""
    return symmetric(len(rows), lambda i, j: inner(rows[i], rows[j]))


def _inverse(delassus: Array) -> Array:
    """Inverse (3, 3) of a contact's own block; a little is added so that one that cannot move has one."""
    trace = delassus[0, 0] + delassus[1, 1] + delassus[2, 2]
    w = delassus + np.diag([1e-9, 1e-9, 1e-9]) * trace
    cofactors = np.array(
        [
            w[1, 1] * w[2, 2] - w[1, 2] * w[1, 2],
            w[0, 2] * w[1, 2] - w[0, 1] * w[2, 2],
            w[0, 1] * w[1, 2] - w[0, 2] * w[1, 1],
            w[0, 0] * w[2, 2] - w[0, 2] * w[0, 2],
            w[0, 1] * w[0, 2] - w[0, 0] * w[1, 2],
            w[0, 0] * w[1, 1] - w[0, 1] * w[0, 1],
        ]
    )
    c = cofactors / (w[0] @ cofactors[:3])
    return np.array([[c[0], c[1], c[2]], [c[1], c[3], c[4]], [c[2], c[4], c[5]]])


def _joint_blocks(
    robot: Robot, whitening: Whitening, options: StepOptions, q: Array, free: Array, first: int
) -> list[JointBlock]:
    """Rows of joint limits, with a sign towards the nearer one, and of dry friction."""
    blocks: list[JointBlock] = []
    if options.joint_limits:
        for coordinate, velocity in limited_velocities(robot):
            lower, upper = float(robot.lower[coordinate]), float(robot.upper[coordinate])
            if np.isfinite(lower) and np.isfinite(upper):
                sign = where(q[coordinate] < (lower + upper) / 2, 1.0, -1.0)
                room = minimum(q[coordinate] - lower, upper - q[coordinate])
            else:
                sign = 1.0 if np.isfinite(lower) else -1.0
                room = q[coordinate] - lower if np.isfinite(lower) else upper - q[coordinate]
            row = whitening.whiten({velocity: sign})
            offset = maximum(room / options.dt, -options.recovery_speed)
            step = 1.0 / inner(row, row)
            blocks.append(JointBlock(first, row, sign * free[velocity] + offset, step, None))
            first += 1
    if options.joint_friction:
        for velocity in rubbing_velocities(robot):
            row = whitening.whiten({velocity: 1.0})
            bound = float(robot.friction[velocity]) * options.dt
            step = 1.0 / inner(row, row)
            blocks.append(JointBlock(first, row, free[velocity], step, bound))
            first += 1
    return blocks
