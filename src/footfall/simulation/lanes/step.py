"""One time step with exact contact, as traced code.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import repeat
from footfall.contact.law import moment_arm
from footfall.dynamics.configuration import integrate
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling
from footfall.math.transform import Transform
from footfall.option_checks import require_switch
from footfall.robot.model import JointType, Robot
from footfall.simulation.contact_rows import LinkMotion, along
from footfall.simulation.joint_control import (
    joint_control,
    limited_velocities,
    rubbing_velocities,
)
from footfall.simulation.lanes.contacts import (
    JointLaw,
    LaneContact,
    StepLaw,
    contact_laws,
    followers_of,
    joint_laws,
    lane_contact,
    on_surface,
)
from footfall.simulation.lanes.energy_bound import EnergyBound
from footfall.simulation.lanes.groups import ConstraintGroups
from footfall.simulation.lanes.newton import ContactNewton
from footfall.simulation.lanes.values import Loads, Place, StepReport, StepState
from footfall.simulation.smooth_forces import SmoothForces, joint_effort, smooth_forces
from footfall.simulation.step_values import Command, StepOptions


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


class Problem(NamedTuple):
    """What a step must solve: `inertia dv = push + J^T p` with the laws of all contacts and joints."""

    inertia: Array
    push: Array  # (nv,) N s
    motion: LinkMotion
    contacts: list[LaneContact]
    contact_laws: list[StepLaw]
    joint_laws: list[JointLaw]


class Solved(NamedTuple):
    """Velocity (nv,) and impulses (rows,) after a step, what is left of the residual, and the number of steps or sweeps
    of the solver."""

    velocity: Array
    impulses: Array
    residual: Any
    steps: Any


Solver = Callable[[Place, "Problem", StepState], Solved]


@dataclass(frozen=True)
class ExactStep:
    """Impulses that are right for all contacts at once, by Newton's method. bounded_energy: see `energy_bound`."""

    bounded_energy: bool = False

    def __post_init__(self) -> None:
        require_switch(self, "bounded_energy")

    def rows(self, place: Place) -> int:
        return row_count(place)

    def advance(
        self, place: Place, state: StepState, command: Command, loads: Loads
    ) -> tuple[StepState, StepReport]:
        """See `StepKind`."""
        return advanced(place, state, command, loads, _by_newton, bounded=self.bounded_energy)


def advanced(
    place: Place, state: StepState, command: Command, loads: Loads, solve: Solver, *, bounded: bool
) -> tuple[StepState, StepReport]:
    """Advance by dt. bounded: whether no step gives energy."""
    robot, options, dt = place.robot, place.options, place.options.dt
    coupling = Coupling(robot, state.q)
    implicit = options.joints.implicit_gains
    control = joint_control(robot, state.q, state.v, state.integral, command, dt, implicit_gains=implicit)
    acting = smooth_forces(
        robot, state.q, state.v, control, loads.action, coupling, dt,
        foreseen=foreseen_velocities(robot, options), wrenches=loads.wrenches, forces=loads.forces,
    )  # fmt: skip
    motion = LinkMotion(robot.tree, link_poses(robot.tree, state.q), coupling)
    contacts = contacts_at(place, motion.poses, loads)
    problem = _problem(robot, options, state, acting, coupling, motion, contacts + followers_of(contacts))
    v, impulses, residual, steps = solve(place, problem, state)
    effort = joint_effort(robot, control, loads.action, v - state.v, dt)
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
        np.array([contact.at.position for contact in contacts]).reshape(-1, 3),
        np.array(
            [contact.frame @ (impulses[3 * k : 3 * k + 3] * (1.0 / dt)) for k, contact in enumerate(contacts)]
        ).reshape(-1, 3),
        np.array([contact.at.normal for contact in contacts]).reshape(-1, 3),
        np.array([contact.at.gap for contact in contacts]),
        residual,
        steps,
    )
    return StepState(q, v, control.integral, impulses), report


def contacts_at(place: Place, poses: Sequence[Transform], loads: Loads) -> list[LaneContact]:
    """Where all places are, with the links at these poses."""
    contacts = [
        lane_contact(place.robot, poses, candidate, loads.friction[k], loads.time)
        for k, candidate in enumerate(place.candidates)
    ]
    return [on_surface(contact) for contact in contacts] if place.on_surfaces else contacts


def _problem(
    robot: Robot,
    options: StepOptions,
    state: StepState,
    acting: SmoothForces,
    coupling: Coupling,
    motion: LinkMotion,
    contacts: list[LaneContact],
) -> Problem:
    return Problem(
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
            coupling,
        ),
    )


def _given(robot: Robot, state: StepState, acting: SmoothForces, loads: Loads, effort: Array) -> Array:
    """Forces (nv,) that do work on the robot, N m or N: of joints and of all that pushes."""
    given = effort if loads.forces is None else effort + loads.forces
    if loads.wrenches:
        given = given + newton_euler(robot, state.q, state.v, np.zeros(robot.nv), None) - acting.bias
    return given


def _by_newton(place: Place, problem: Problem, state: StepState) -> Solved:
    """Newton's method on all contacts together, from the impulses of the last step."""
    robot, tree, solver = place.robot, place.robot.tree, place.options.solver
    factor = factorise(tree, problem.inertia)
    if not problem.contacts and not problem.joint_laws:
        return Solved(state.v + solve_factored(tree, factor, problem.push), np.zeros(0), 0.0, 0.0)
    # Without weight impulses are measured against that on Earth.
    scale = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81) * place.options.dt

    def solved(joints: list[JointLaw], start: Array) -> Solved:
        groups = ConstraintGroups(problem.motion, problem.contacts, joints)
        v = state.v + solve_factored(tree, factor, problem.push + groups.forces(start))
        newton = ContactNewton(tree, problem.inertia, factor, groups, problem.contact_laws, joints)
        found = newton.solve(
            v, start, tolerance=solver.tolerance * scale, scale=scale, most=solver.newton_steps
        )
        return Solved(found.velocity, found.impulses, found.residual, found.steps)

    contacts = 3 * len(problem.contacts)
    start = state.impulses
    if (
        not problem.contacts
        or not problem.joint_laws
        or any(law.bound < np.inf for law in problem.joint_laws)
    ):
        return solved(problem.joint_laws, start)
    # Joint limits rarely act, and make each step of the solver twice as long: what obeys them without them is the
    # solution with them.
    aside = solved([], start[:contacts])
    idle: Any = True
    for law, impulse in zip(problem.joint_laws, start[contacts:], strict=True):
        idle = (impulse == 0.0) & (law.sign * along(law.row, aside.velocity) + law.offset >= 0.0) & idle
    without = (
        aside.velocity,
        np.concatenate([aside.impulses, start[contacts:]]),
        aside.residual,
        aside.steps,
    )
    return Solved(
        *repeat(lambda *_: solved(problem.joint_laws, start), without, count=1, until=lambda *_: idle)
    )
