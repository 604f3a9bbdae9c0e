"""One time step with exact contact, as traced code.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.law import moment_arm
from footfall.dynamics.configuration import integrate
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling, damping_of_followers
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.errors import InvalidInput
from footfall.option_checks import require_switch
from footfall.robot.model import JointType, Robot
from footfall.simulation.constraint_groups import ConstraintGroups
from footfall.simulation.contact_newton import ContactNewton
from footfall.simulation.contact_rows import LinkMotion, Whitening
from footfall.simulation.contact_sweeps import (
    ContactBlock,
    JointBlock,
    SweepRule,
    contact_blocks,
    joint_blocks,
    solve_blocks,
)
from footfall.simulation.energy_bound import EnergyBound
from footfall.simulation.joint_action import JointAction
from footfall.simulation.joint_control import (
    JointControl,
    joint_control,
    limited_velocities,
    rubbing_velocities,
)
from footfall.simulation.step_contacts import (
    JointLaw,
    StepContact,
    StepLaw,
    contact_laws,
    followers_of,
    joint_laws,
    locate_contact,
    on_surface,
)
from footfall.simulation.step_values import Command, Place, StepOptions, StepReport, StepState


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


def row_count(place: Place) -> int:
    """Number of impulses of a step."""
    robot, joints = place.robot, place.options.joints
    materials = [each.surface.material for each in place.candidates]
    followers = [moment_arm(each.rolling_friction, each.torsional_friction) > 0.0 for each in materials]
    rows = 3 * (len(materials) + sum(followers))
    rows += len(limited_velocities(robot)) if joints.limits else 0
    return rows + (len(rubbing_velocities(robot)) if joints.friction else 0)


class _Loads(NamedTuple):
    """What acts besides gravity and the command: wrenches on bodies, forces (nv,) on the joints, N m or N, and the
    action of drives and springs."""

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


class _Solved(NamedTuple):
    """Velocity (nv,) and impulses (rows,) after a step, what is left of the residual, and the number of steps or sweeps
    of the solver."""

    velocity: Array
    impulses: Array
    residual: Any
    steps: Any


_Solver = Callable[[Place, "_Problem", StepState], _Solved]


@dataclass(frozen=True)
class ExactStep:
    """Impulses that are right for all contacts at once, by Newton's method. bounded_energy: see `energy_bound`."""

    bounded_energy: bool = False

    def __post_init__(self) -> None:
        require_switch(self, "bounded_energy")

    def rows(self, place: Place) -> int:
        return row_count(place)

    def advance(
        self,
        place: Place,
        state: StepState,
        command: Command,
        *,
        friction: Array,
        wrenches: Mapping[str, Array] | None = None,
        forces: Array | None = None,
        action: JointAction | None = None,
        time: Any = 0.0,
    ) -> tuple[StepState, StepReport]:
        """See `StepKind`. forces: (nv,) on the joints, N m or N, besides those of the command."""
        loads = _Loads(wrenches, forces, action)
        return _advanced(
            place, state, command, loads, friction, time, _by_newton, bounded=self.bounded_energy
        )


@dataclass(frozen=True)
class SweptStep:
    """Contacts one after the other. rule: "impacts" gives one impulse after the other and takes none back; "sweeps" are
    those of Ayit 2015, (4.41)-(4.43). sweeps: at most."""

    rule: SweepRule
    sweeps: int

    def rows(self, place: Place) -> int:
        return row_count(place)

    def advance(
        self,
        place: Place,
        state: StepState,
        command: Command,
        *,
        friction: Array,
        wrenches: Mapping[str, Array] | None = None,
        action: JointAction | None = None,
        time: Any = 0.0,
    ) -> tuple[StepState, StepReport]:
        return _advanced(
            place, state, command, _Loads(wrenches, None, action), friction, time, self._solve, bounded=False
        )

    def _solve(self, place: Place, problem: _Problem, state: StepState) -> _Solved:
        motion, contacts = problem.motion, problem.contacts
        if any(each.leader is not None for each in contacts):
            raise InvalidInput(
                "rolling_friction and torsional_friction of materials: contacts that are solved one after the other "
                "have none; set them to zero, or simulate with Simulation or FeetSimulation"
            )
        factor = factorise(place.robot.tree, problem.inertia)
        free = state.v + solve_factored(place.robot.tree, factor, problem.push)
        whitening = Whitening(motion, factor)
        blocks: list[ContactBlock | JointBlock] = [
            *contact_blocks(contacts, problem.contact_laws, motion, whitening, free),
            *joint_blocks(problem.joint_laws, whitening, free, 3 * len(contacts)),
        ]
        impulses, change, residual, sweeps = solve_blocks(
            place, blocks, state.impulses, rule=self.rule, most=self.sweeps
        )
        return _Solved(free + whitening.velocity(change), impulses, residual, sweeps)


def _advanced(
    place: Place,
    state: StepState,
    command: Command,
    loads: _Loads,
    friction: Array,
    time: Any,
    solve: _Solver,
    *,
    bounded: bool,
) -> tuple[StepState, StepReport]:
    """Advance by dt. friction (contacts,): of the candidates. time: at the start, s, which places what moves on a given
    path. bounded: whether no step gives energy."""
    robot, options, dt = place.robot, place.options, place.options.dt
    acting = _acting(robot, options, state, command, loads)
    motion = LinkMotion(robot.tree, link_poses(robot.tree, state.q), acting.coupling)
    contacts = [
        locate_contact(robot, motion.poses, candidate, friction[k], time)
        for k, candidate in enumerate(place.candidates)
    ]
    if place.on_surfaces:
        contacts = [on_surface(contact) for contact in contacts]
    problem = _problem(robot, options, state, acting, motion, contacts + followers_of(contacts))
    v, impulses, residual, steps = solve(place, problem, state)
    effort = _effort(robot, options, acting.control, loads.action, v - state.v)
    if bounded:
        bound = EnergyBound(
            robot, motion, acting.mass, state.q, state.v, dt,
            midway=any(each.material.restitution > 0.0 for each in contacts),
            pushed=bool(loads.wrenches) or loads.forces is not None,
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


def _by_newton(place: Place, problem: _Problem, state: StepState) -> _Solved:
    """Newton's method on all contacts together, from the impulses of the last step."""
    robot, tree, solver = place.robot, place.robot.tree, place.options.solver
    factor = factorise(tree, problem.inertia)
    if not problem.contacts and not problem.joint_laws:
        return _Solved(state.v + solve_factored(tree, factor, problem.push), np.zeros(0), 0.0, 0.0)
    groups = ConstraintGroups(problem.motion, problem.contacts, problem.joint_laws)
    # Without weight impulses are measured against that on Earth.
    scale = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81) * place.options.dt
    start = state.impulses
    v = state.v + solve_factored(tree, factor, problem.push + groups.forces(start))
    newton = ContactNewton(tree, problem.inertia, factor, groups, problem.contact_laws, problem.joint_laws)
    found = newton.solve(v, start, tolerance=solver.tolerance * scale, scale=scale, most=solver.newton_steps)
    return _Solved(found.velocity, found.impulses, found.residual, found.steps)
