"""One time step with exact contact, as traced code.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate
from footfall.contact.law import moment_arm
from footfall.dynamics.configuration import integrate
from footfall.dynamics.factorisation import MassFactor, factorise, solve_factored
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling, damping_of_followers
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.errors import InvalidOption
from footfall.robot.model import JointType, Robot
from footfall.simulation.constraint_groups import ConstraintGroups
from footfall.simulation.contact_newton import ContactNewton, affordable
from footfall.simulation.contact_rows import LinkMotion, Whitening
from footfall.simulation.contact_sweeps import (
    ContactBlock,
    JointBlock,
    contact_blocks,
    joint_blocks,
    solve_blocks,
)
from footfall.simulation.energy_bound import EnergyBound
from footfall.simulation.joint_action import JointAction
from footfall.simulation.joint_axes import limited_velocities, rubbing_velocities
from footfall.simulation.joint_control import JointControl, joint_control
from footfall.simulation.step_contacts import (
    JointLaw,
    StepContact,
    StepLaw,
    contact_laws,
    followers_of,
    joint_laws,
    locate_contact,
)
from footfall.simulation.step_values import Command, StepOptions, StepReport, StepState


def foreseen_velocities(robot: Robot, options: StepOptions) -> list[int]:
    """Velocities whose Coriolis and gyroscopic forces are those in the middle of a step."""
    if options.velocity_terms == "auto":
        parents = {joint.parent for joint in robot.joints}
        free = [
            joint.name
            for joint in robot.joints
            if joint.type is JointType.FLOATING and joint.child not in parents
        ]
        return [k for name in free for k in range(robot.nv)[robot.v_slice(name)]]
    return list(range(robot.nv)) if options.velocity_terms == "middle" else []


def row_count(robot: Robot, candidates: Sequence[Candidate], options: StepOptions) -> int:
    """Number of impulses of a step."""
    materials = [each.surface.material for each in candidates]
    followers = [moment_arm(each.rolling_friction, each.torsional_friction) > 0.0 for each in materials]
    rows = 3 * (len(candidates) + sum(followers))
    rows += len(limited_velocities(robot)) if options.joints.limits else 0
    return rows + (len(rubbing_velocities(robot)) if options.joints.friction else 0)


class _Loads(NamedTuple):
    """What acts besides gravity and the command, see `contact_step`."""

    wrenches: Mapping[str, Array] | None
    forces: Array | None
    action: JointAction | None


class _Acting(NamedTuple):
    """Before contact. forces (nv,): all that act, N m or N; bias (nv,): what gravity, wrenches and velocities hold
    against them. mass (nv, nv): of the bodies; inertia (nv, nv): with what control, drives and loops add to it."""

    control: JointControl
    coupling: Coupling
    forces: Array
    bias: Array
    mass: Array
    inertia: Array


class _Problem(NamedTuple):
    """What a step must solve: `inertia dv = push + J^T p` with the laws of all contacts and joints."""

    inertia: Array
    push: Array  # (nv,) N s
    motion: LinkMotion
    contacts: list[StepContact]
    contact_laws: list[StepLaw]
    joint_laws: list[JointLaw]


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
    dt, loads = options.dt, _Loads(wrenches, forces, action)
    acting = _acting(robot, options, state, command, loads)
    motion = LinkMotion(robot.tree, link_poses(robot.tree, state.q), acting.coupling)
    contacts = [
        locate_contact(robot, motion.poses, candidate, friction[k], restitution[k], time)
        for k, candidate in enumerate(candidates)
    ]
    problem = _problem(robot, options, state, acting, motion, contacts + followers_of(contacts))
    v, impulses, residual, steps = _solved(robot, problem, options, state)
    effort = _effort(robot, options, acting.control, action, v - state.v)
    if options.bounded_energy:
        bound = EnergyBound(
            robot, motion, acting.mass, state.q, state.v, dt,
            midway=any(each > 0.0 for each in restitution), pushed=bool(wrenches) or forces is not None,
        )  # fmt: skip
        given = _given(robot, state, acting, loads, effort)
        v = bound.velocity(v, dt * given, contacts, impulses, [*problem.contact_laws, *problem.joint_laws])
    q = integrate(robot, state.q, dt * v)
    report = StepReport(
        effort,
        np.array([contact.position for contact in contacts]).reshape(-1, 3),
        np.array(
            [contact.frame @ (impulses[3 * k : 3 * k + 3] * (1.0 / dt)) for k, contact in enumerate(contacts)]
        ).reshape(-1, 3),
        np.array([contact.frame[:, 2] for contact in contacts]).reshape(-1, 3),
        np.array([contact.gap for contact in contacts]),
        residual,
        steps,
    )
    return StepState(q, v, acting.control.integral, impulses), report


def _acting(robot: Robot, options: StepOptions, state: StepState, command: Command, loads: _Loads) -> _Acting:
    """All forces but those of contact, and the inertia that they move."""
    tree, dt = robot.tree, options.dt
    control = joint_control(
        robot,
        state.q,
        state.v,
        state.integral,
        command,
        dt,
        implicit_gains=options.joints.implicit_gains,
    )
    bias = newton_euler(robot, state.q, state.v, np.zeros(robot.nv), loads.wrenches)
    acting = control.effort - bias - np.asarray(robot.damping) * state.v
    acting = acting if loads.forces is None else acting + loads.forces
    mass = composite_bodies(robot, state.q)
    inertia = mass + np.diag(control.added_inertia)
    coupling = Coupling(robot, state.q)
    if robot.loops:
        passive = damping_of_followers(robot, coupling)
        acting, inertia = acting - passive @ state.v, inertia + dt * passive
    if loads.action is not None:
        acting, inertia = acting + loads.action.forces, inertia + loads.action.inertia
    if foreseen := foreseen_velocities(robot, options):
        half_change = solve_factored(tree, factorise(tree, inertia), dt / 2 * acting)
        middle = newton_euler(robot, state.q, state.v + half_change, np.zeros(robot.nv), loads.wrenches)
        acting[foreseen] = (acting + bias - middle)[foreseen]
    return _Acting(control, coupling, acting, bias, mass, inertia)


def _problem(
    robot: Robot,
    options: StepOptions,
    state: StepState,
    acting: _Acting,
    motion: LinkMotion,
    contacts: list[StepContact],
) -> _Problem:
    return _Problem(
        acting.inertia,
        options.dt * acting.forces,
        motion,
        contacts,
        contact_laws(
            contacts, motion, options, state.v, state.impulses, float(np.linalg.norm(robot.gravity))
        ),
        joint_laws(
            robot,
            options,
            state.q,
            limited_velocities(robot) if options.joints.limits else [],
            rubbing_velocities(robot) if options.joints.friction else [],
            acting.coupling,
        ),
    )


def _effort(
    robot: Robot, options: StepOptions, control: JointControl, action: JointAction | None, change: Array
) -> Array:
    """What the joints gave in the end (nv,), N m or N: the added inertia is a part of it. change: of v."""
    effort = (
        control.effort - (control.added_inertia * (1.0 / options.dt) - np.asarray(robot.damping)) * change
    )
    return effort if action is None else effort + action.effort(change, options.dt)


def _given(robot: Robot, state: StepState, acting: _Acting, loads: _Loads, effort: Array) -> Array:
    """Forces (nv,) that do work on the robot, N m or N: of joints and of all that pushes."""
    given = effort if loads.forces is None else effort + loads.forces
    if loads.wrenches:
        given = given + newton_euler(robot, state.q, state.v, np.zeros(robot.nv), None) - acting.bias
    return given


def _solved(
    robot: Robot, problem: _Problem, options: StepOptions, state: StepState
) -> tuple[Array, Array, Any, Any]:
    """Velocity and impulses after the step, what is left of the residual, and the number of steps or sweeps."""
    tree, motion, contacts = robot.tree, problem.motion, problem.contacts
    factor = factorise(tree, problem.inertia)
    if not contacts and not problem.joint_laws:
        return state.v + solve_factored(tree, factor, problem.push), np.zeros(0), 0.0, 0.0
    groups = ConstraintGroups(motion, contacts, problem.joint_laws)
    if options.solver.rule == "cone" and options.solver.newton_steps > 0 and affordable(tree, groups):
        # Without weight impulses are measured against that on Earth.
        scale = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81) * options.dt
        start = state.impulses
        v = state.v + solve_factored(tree, factor, problem.push + groups.forces(start))
        newton = ContactNewton(
            tree, problem.inertia, factor, groups, problem.contact_laws, problem.joint_laws
        )
        found = newton.solve(
            v,
            start,
            tolerance=options.solver.tolerance * scale,
            scale=scale,
            most=options.solver.newton_steps,
        )
        return found.velocity, found.impulses, found.residual, found.steps
    return _swept(robot, problem, factor, options, state)


def _swept(
    robot: Robot, problem: _Problem, factor: MassFactor, options: StepOptions, state: StepState
) -> tuple[Array, Array, Any, Any]:
    """The same by sweeps over the contacts."""
    motion, contacts = problem.motion, problem.contacts
    if any(each.leader is not None for each in contacts):
        raise InvalidOption(
            "rolling_friction and torsional_friction need Newton's method, but sweeps are asked for: leave out "
            "contact='impacts' and other rules of the solver, or list fewer places"
        )
    free = state.v + solve_factored(robot.tree, factor, problem.push)
    whitening = Whitening(motion, factor)
    blocks: list[ContactBlock | JointBlock] = []
    blocks += contact_blocks(contacts, problem.contact_laws, motion, whitening, free)
    blocks += joint_blocks(problem.joint_laws, whitening, free, 3 * len(contacts))
    impulses, change, residual, sweeps = solve_blocks(robot, blocks, options, state.impulses)
    return free + whitening.velocity(change), impulses, residual, sweeps
