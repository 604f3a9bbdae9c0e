"""One time step with exact contact, as traced code.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.compiler import absolute, maximum, minimum, repeat, sqrt, where
from footfall.contact.candidates import Candidate, Surface
from footfall.contact.distance_functions import signed_distance
from footfall.contact.local_cone import ConeBlock, cone_block, solve_cone
from footfall.dynamics.configuration import integrate
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.math.spatial import cross, symmetric
from footfall.math.transform import Transform
from footfall.robot.model import JointType, Robot
from footfall.simulation.contact_rows import Row, Whitening, combine, inner
from footfall.simulation.impact_sweep import impact_impulse

Array = np.ndarray[Any, np.dtype[Any]]

_SLIP_STEPS = 1  # of Newton's method in a sweep, for the direction of sliding
_FAR = 1e9  # m/s: a contact that may close so fast is none


@dataclass(frozen=True)
class StepOptions:
    """How a step is computed.

    dt: s. sweeps: at most, over all contacts; the first quick_sweeps of them solve sliding contacts only by a step
    each, the others exactly. tolerance: change of the impulses in the last sweep, as a fraction of the robot's weight
    times dt. relaxation: over-relaxation of the quick sweeps in (0, 2). recovery: part of a penetration that a step
    undoes. recovery_speed: at most, with which it does, m/s. restitution_speed: slower impacts do not bounce, m/s.
    joint_limits, joint_friction: whether they are constraints of the step. implicit_gains: see `joint_control`.
    gap_term: "gap" asks for v_n >= -gap / dt; "source" for v_n >= 0 of what touches already, 001 section 12.
    contact_rule: "cone" finds the impulses that are right for all contacts at once; "impacts" gives one after the
    other and takes none back. integrator: only of penalty contact and of systems without contact may it be another,
    see `smooth_step`.
    """

    dt: float = 1e-3
    sweeps: int = 200
    quick_sweeps: int = 10
    tolerance: float = 1e-9
    relaxation: float = 1.0
    recovery: float = 0.2
    recovery_speed: float = 1.0
    restitution_speed: float = 0.02
    joint_limits: bool = True
    joint_friction: bool = True
    implicit_gains: bool = True
    gap_term: Literal["gap", "source"] = "gap"
    contact_rule: Literal["cone", "impacts"] = "cone"
    integrator: Literal["semi-implicit", "explicit", "rk4"] = "semi-implicit"


class StepState(NamedTuple):
    """What one step hands to the next. q (nq,), v (nv,), integral (joints,) of the position errors in rad s,
    impulses (rows,) of contacts, limits and joint friction in N s: the start of the next solution."""

    q: Array
    v: Array
    integral: Array
    impulses: Array


class Command(NamedTuple):
    """What the joints shall do, (joints,) each: position, velocity, effort (feed-forward, N m) and gains."""

    position: Array
    velocity: Array
    effort: Array
    kp: Array
    ki: Array
    kd: Array


class StepReport(NamedTuple):
    """What happened. effort (nv,) applied, N m. positions (contacts, 3) m, forces (contacts, 3) N in world axes,
    gaps (contacts,) m before the step; residual: change of the impulses in the last sweep, N s; sweeps taken."""

    effort: Array
    positions: Array
    forces: Array
    gaps: Array
    residual: Any
    sweeps: Any


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


class _ContactBlock(NamedTuple):
    """One contact in the solver: rows (t1, t2, n), bias of their velocities, its own block (3, 3) of the Delassus
    matrix with compliance, its inverse and what else follows from it, and the bound `friction p_n + extra` of the
    tangential part."""

    first: int
    rows: list[Row]
    bias: list[Any]
    delassus: Array
    inverse: Array
    cone: ConeBlock
    friction: Any
    extra: Any
    compliance: float


class _JointBlock(NamedTuple):
    """One row in the solver: a joint limit (p >= 0), or with a bound dry friction (|p| <= bound)."""

    first: int
    row: Row
    bias: Any
    step: Any
    bound: float | None


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


def contact_frame(normal: Array) -> Array:
    """Rotation (3, 3) with columns t1, t2, n; t1 is the world's x axis projected, near n its y axis."""
    steep = absolute(normal[0]) > 0.9
    along = np.array([where(steep, 0.0, 1.0), where(steep, 1.0, 0.0), 0.0])
    t1 = along - normal * (along @ normal)
    t1 = t1 / sqrt(t1 @ t1)
    t2 = np.array(
        [
            normal[1] * t1[2] - normal[2] * t1[1],
            normal[2] * t1[0] - normal[0] * t1[2],
            normal[0] * t1[1] - normal[1] * t1[0],
        ]
    )
    return np.stack([t1, t2, normal], axis=1)


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
    time: Any = 0.0,
) -> tuple[StepState, StepReport]:
    """Advance by dt. friction (contacts,), restitution: of the candidates. forces: (nv,) on the joints, N m or N,
    besides those of the command. time: at the start, s, which places what moves on a given path."""
    tree, dt = robot.tree, options.dt
    control = joint_control(robot, state, command, options)
    bias = newton_euler(robot, state.q, state.v, np.zeros(robot.nv), wrenches)
    acting = control.effort - bias - np.asarray(robot.damping) * state.v
    acting = acting if forces is None else acting + forces
    factor = factorise(tree, composite_bodies(robot, state.q) + np.diag(control.added_inertia))
    free = state.v + dt * solve_factored(tree, factor, acting)
    whitening = Whitening(tree, link_poses(tree, state.q), factor)
    contacts = [
        _contact(robot, whitening, candidate, friction[k], restitution[k], time)
        for k, candidate in enumerate(candidates)
    ]
    blocks: list[_ContactBlock | _JointBlock] = []
    blocks += _contact_blocks(contacts, whitening, options, state.v, free)
    blocks += _joint_blocks(robot, whitening, options, state.q, free, 3 * len(candidates))
    impulses, change, residual, sweeps = _solve(robot, blocks, options, state.impulses)
    v = free + whitening.velocity(change)
    q = integrate(robot, state.q, dt * v)
    # what the joints gave in the end: the added inertia is a part of it
    effort = control.effort - (control.added_inertia / dt - np.asarray(robot.damping)) * (v - state.v)
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


def _along(row: Row, u: Array) -> Any:
    return inner(row, dict(enumerate(u)))


def _contact_blocks(
    contacts: Sequence[_Contact], whitening: Whitening, options: StepOptions, before: Array, free: Array
) -> list[_ContactBlock]:
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
            _ContactBlock(3 * k, rows, bias, delassus, inverse, cone, contact.friction, extra, compliance)
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
) -> list[_JointBlock]:
    """Rows of joint limits, with a sign towards the nearer one, and of dry friction."""
    blocks: list[_JointBlock] = []
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
            blocks.append(_JointBlock(first, row, sign * free[velocity] + offset, step, None))
            first += 1
    if options.joint_friction:
        for velocity in rubbing_velocities(robot):
            row = whitening.whiten({velocity: 1.0})
            bound = float(robot.friction[velocity]) * options.dt
            step = 1.0 / inner(row, row)
            blocks.append(_JointBlock(first, row, free[velocity], step, bound))
            first += 1
    return blocks


def _solve(
    robot: Robot, blocks: Sequence[_ContactBlock | _JointBlock], options: StepOptions, start: Array
) -> tuple[Array, Array, Any, Any]:
    """Impulses, the whitened velocity that they cause, the change in the last sweep and the number of sweeps."""
    if not blocks:
        return np.zeros(0), np.zeros(robot.nv), 0.0, 0.0
    # Without weight it is measured against that on Earth.
    gravity = float(np.linalg.norm(robot.gravity)) or 9.81
    tolerance = options.tolerance * robot.mass * gravity * options.dt

    def sweep(u: Array, p: Array, slips: Array | None) -> tuple[Array, Array, Any]:
        velocity, impulses = list(u), list(p)
        changes: list[Any] = []
        for block in blocks:
            if isinstance(block, _JointBlock):
                changes += _relax_joint(block, velocity, impulses, options.relaxation)
            elif options.contact_rule == "impacts":
                changes += _collide(block, velocity, impulses)
            elif slips is None:
                changes += _relax_contact(block, velocity, impulses, options.relaxation)
            else:
                changes += _solve_contact(block, velocity, impulses, slips)
        largest = absolute(changes[0])
        for other in changes[1:]:
            largest = maximum(largest, absolute(other))
        return np.array(velocity), np.array(impulses), largest

    def quick(u: Array, p: Array, change: Any, count: Any) -> tuple[Any, ...]:
        return *sweep(u, p, None), count + 1.0

    def thorough(u: Array, p: Array, slips: Array, change: Any, count: Any) -> tuple[Any, ...]:
        slips = slips.copy()
        u, p, change = sweep(u, p, slips)
        return u, p, slips, change, count + 1.0

    if options.contact_rule == "impacts":
        start = np.zeros(len(start))
    caused: list[Any] = [0.0] * robot.nv
    for block in blocks:
        for k, row in enumerate(block.rows if isinstance(block, _ContactBlock) else [block.row]):
            _apply_impulse(row, start[block.first + k], caused)
    contacts = sum(isinstance(block, _ContactBlock) for block in blocks)
    first = options.sweeps if options.contact_rule == "impacts" else min(options.quick_sweeps, options.sweeps)
    u, p, change, count = repeat(
        quick,
        (np.array(caused), start, np.inf, 0.0),
        count=first,
        until=lambda u, p, change, count: change <= tolerance,
    )
    if first < options.sweeps:
        u, p, _, change, count = repeat(
            thorough,
            (u, p, np.zeros(contacts), change, count),
            count=options.sweeps - first,
            until=lambda u, p, slips, change, count: change <= tolerance,
        )
    return p, u, change, count


def _apply_impulse(row: Row, impulse: Any, u: list[Any]) -> None:
    for velocity, entry in row.items():
        u[velocity] = u[velocity] + entry * impulse


def _relax_contact(block: _ContactBlock, u: list[Any], p: list[Any], relaxation: float) -> list[Any]:
    """Solve one contact with the others held: changes u and p, gives the changes of its impulses.

    If it sticks, exactly; else one step towards sliding: the normal row, then the tangential ones scaled back onto
    the disc, 001 (4.41)-(4.43). Where both agree, and only there, nothing changes any more. Quick, but contacts that
    are about to slide may go in circles.
    """
    old, speed = _slipping(block, u, p)
    stick = old - relaxation * (block.inverse @ speed)
    bound = block.friction * stick[2] + block.extra
    sticks = (stick[0] * stick[0] + stick[1] * stick[1] <= bound * bound) & (stick[2] > 0.0)
    normal = maximum(old[2] - relaxation * speed[2] / block.delassus[2, 2], 0.0)
    step = 2.0 / (block.delassus[0, 0] + block.delassus[1, 1])
    along = old[:2] - relaxation * step * speed[:2]
    bound = where(normal > 0.0, block.friction * normal + block.extra, 0.0)
    size = sqrt(along[0] * along[0] + along[1] * along[1])
    slide = np.array([*(along * (bound / maximum(size, maximum(bound, 1e-300)))), normal])
    return _exchange(block, where(sticks, stick, slide), old, u, p)


def _solve_contact(block: _ContactBlock, u: list[Any], p: list[Any], slips: Array) -> list[Any]:
    """The same exactly, also if it slides; changes its slip too."""
    index, cone = block.first // 3, block.cone
    old, speed = _slipping(block, u, p)
    free = speed - block.delassus @ old - cone.added * old
    p1, p2, pn, slips[index] = solve_cone(
        cone, free[0], free[1], free[2], block.friction, block.extra, slips[index], _SLIP_STEPS
    )
    return _exchange(block, np.array([p1, p2, pn]), old, u, p)


def _slipping(block: _ContactBlock, u: list[Any], p: list[Any]) -> tuple[Array, Array]:
    """Impulses (3,) of a contact and its velocities (3,) with what is added to them."""
    old = np.array(p[block.first : block.first + 3])
    speed = np.array([_along(row, np.array(u)) for row in block.rows]) + np.array(block.bias)
    return old, speed + np.array([0.0, 0.0, block.compliance]) * old


def _exchange(block: _ContactBlock, new: Array, old: Array, u: list[Any], p: list[Any]) -> list[Any]:
    """Put new impulses in the place of the old ones; gives the changes."""
    for k, row in enumerate(block.rows):
        _apply_impulse(row, new[k] - old[k], u)
        p[block.first + k] = new[k]
    return list(new - old)


def _collide(block: _ContactBlock, u: list[Any], p: list[Any]) -> list[Any]:
    """One collision of a contact, after those of the others: adds to u and p, gives the impulse."""
    speed = np.array([_along(row, np.array(u)) for row in block.rows]) + np.array(block.bias)
    impulse = impact_impulse(block.rows, speed, block.friction)
    for k, row in enumerate(block.rows):
        _apply_impulse(row, impulse[k], u)
        p[block.first + k] = p[block.first + k] + impulse[k]
    return list(impulse)


def _relax_joint(block: _JointBlock, u: list[Any], p: list[Any], relaxation: float) -> list[Any]:
    """Solve one joint row with the others held."""
    old = p[block.first]
    new = old - relaxation * block.step * (_along(block.row, np.array(u)) + block.bias)
    new = maximum(new, 0.0 if block.bound is None else -block.bound)
    new = new if block.bound is None else minimum(new, block.bound)
    _apply_impulse(block.row, new - old, u)
    p[block.first] = new
    return [new - old]
