"""The contact problem that a native step solves, built another way: to look at it, and to check what the step found.

Contacts come from `detect_contacts`, the Delassus matrix from the full mass matrix; nothing is whitened and no
graph is traced. `check_solution` of `footfall.contact.validation` then tells how good the impulses of a step are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.assembly import contact_jacobian
from footfall.contact.contacts import contact_frame
from footfall.contact.detection import detect_contacts
from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.simulation.run_values import SimulationState, Trajectory, join_trajectories
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import Command, StepState
from footfall.simulation.time_step import (
    foreseen_velocities,
    joint_control,
    limited_velocities,
    rubbing_velocities,
)


class StepProblem(NamedTuple):
    """problem: all candidates (t1, t2, n each), then joint limits, then dry friction, in the order of the step's
    impulses. response: (nv, n) velocities that unit impulses cause. free_velocity: (nv,) without any."""

    problem: ContactProblem
    response: Array
    free_velocity: Array

    def velocity_after(self, impulses: Array) -> Array:
        """v (nv,) at the end of the step with impulses (n,), N s."""
        result: Array = self.free_velocity + self.response @ impulses
        return result


def build_step_problem(simulation: Simulation, state: SimulationState, command: Command) -> StepProblem:
    """The problem of the next step of `options.dt` from a state, without pushes."""
    robot, options, dt = simulation.robot, simulation.options, simulation.options.dt
    q, v = state.q, state.v
    control = joint_control(robot, StepState(q, v, state.integral, state.impulses), command, options)
    inertia = mass_matrix(robot, q) + np.diag(np.asarray(control.added_inertia, dtype=np.float64))
    forces = np.asarray(control.effort, dtype=np.float64) - bias_forces(robot, q, v) - robot.damping * v
    if foreseen := foreseen_velocities(robot, options):
        middle = v + dt / 2 * np.linalg.solve(inertia, forces)
        forces[foreseen] += (bias_forces(robot, q, v) - bias_forces(robot, q, middle))[foreseen]
    free = v + dt * np.linalg.solve(inertia, forces)
    contacts = detect_contacts(robot, q, simulation.candidates, margin=np.inf)
    frames = np.array([contact_frame(rotation[:, 2]) for rotation in contacts.rotations]).reshape(-1, 3, 3)
    jacobian = contact_jacobian(robot, q, contacts)
    turned = np.einsum("mij,mik,mkl->mjl", frames, contacts.rotations, jacobian.reshape(-1, 3, robot.nv))
    joints, room, bounds = _joint_rows(simulation, q)
    jacobian = np.concatenate([turned.reshape(-1, robot.nv), joints])
    response = np.linalg.solve(inertia, jacobian.T)
    bias, before = jacobian @ free, jacobian @ v
    normal = slice(2, 3 * len(contacts), 3)
    compliance = np.zeros(len(jacobian))
    soft = np.isfinite(contacts.stiffness)
    stiffness = np.where(soft, contacts.stiffness, 0.0)
    answer = np.where(soft, stiffness * dt + contacts.damping, 1.0)
    compliance[normal] = np.where(soft, 1.0 / (dt * answer), 0.0)
    rigid = np.maximum(
        np.maximum(contacts.gaps, options.contact.recovery * contacts.gaps) / dt,
        -options.contact.recovery_speed,
    )
    if options.contact.gap_term == "source":
        rigid = np.where(contacts.gaps <= 0.0, 0.0, 1e9)
    offset = np.where(soft, contacts.gaps * stiffness / answer, rigid)
    approach = before[normal]
    slowest = options.contact.slowest_rebound(float(np.linalg.norm(robot.gravity)), dt)
    bounces = (approach < -slowest) & (contacts.gaps + dt * approach < 0.0)
    bounces &= (simulation.restitution > 0.0) & ~soft
    bias[normal] += np.where(bounces, simulation.restitution * approach, offset)  # 001 (4.13)
    limits = len(joints) - len(bounds)
    first = 3 * len(contacts)
    bias[first : first + limits] += np.maximum(room / dt, -options.contact.recovery_speed)
    sliding = np.linalg.norm(before[:first].reshape(-1, 3)[:, :2], axis=1)
    delassus = jacobian @ response
    problem = ContactProblem(
        delassus=(delassus + delassus.T) / 2,
        bias=bias,
        friction=simulation.friction,
        extra=contacts.viscous_friction * dt * sliding,  # 001 (4.22)
        limits=limits,
        box=bounds,
        compliance=compliance,
    )
    return StepProblem(problem, response, free)


def step_residuals(simulation: Simulation, command: Command, steps: int) -> tuple[Array, Trajectory]:
    """Run some steps and check each: natural-map residuals (steps,) in N s, and the trajectory.

    The simulation must have one step a control period. Residuals are those of `check_solution`.
    """
    residuals, rows = np.empty(steps), []
    for k in range(steps):
        problem = build_step_problem(simulation, simulation.state, command).problem
        rows.append(simulation.step(command))
        residuals[k] = check_solution(problem, simulation.state.impulses).natural_map
    return residuals, join_trajectories(rows)


def _joint_rows(simulation: Simulation, q: Array) -> tuple[Array, Array, Array]:
    """Rows (k, nv) of joint limits, towards the nearer one, and of dry friction; room (limits,) left in rad or m;
    bounds (frictions,) in N s."""
    robot, options = simulation.robot, simulation.options
    limited = limited_velocities(robot) if options.joints.limits else []
    rubbing = rubbing_velocities(robot) if options.joints.friction else []
    rows, room = np.zeros((len(limited) + len(rubbing), robot.spanning.nv)), np.zeros(len(limited))
    for k, (coordinate, velocity) in enumerate(limited):
        below, above = (
            q[coordinate] - robot.lower_limits[coordinate],
            robot.upper_limits[coordinate] - q[coordinate],
        )
        rows[k, velocity] = 1.0 if below < above else -1.0
        room[k] = min(below, above)
    for k, velocity in enumerate(rubbing):
        rows[len(limited) + k, velocity] = 1.0
    return Coupling(robot, q).columns(rows), room, robot.spanning.friction[rubbing] * options.dt
