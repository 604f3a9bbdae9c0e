"""The contact problem that a native step solves, built another way: to look at it, and to check what the step found.

Places that are listed come from `detect_contacts`, contacts that are found while it runs from the step itself, with
their positions, normals and gaps alone. Jacobians are those of the combined robot, the Delassus matrix comes from its
full mass matrix; nothing is split into islands and no graph is traced. `check_solution` of
`footfall.contact.validation` then tells how good the impulses of a step are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.contact.assembly import problem_of, problem_rows
from footfall.contact.candidates import detect_contacts
from footfall.contact.contacts import Contacts, contact_frame, material_columns
from footfall.contact.law import limit_offset, moment_arm, shear_compliance
from footfall.contact.pair_material import touching_material
from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution
from footfall.dynamics.factorisation import factorise
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.kinematics import forward_kinematics
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import InvalidInput
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.spatial import skew
from footfall.robot.loop_equations import held_equations
from footfall.robot.model import WORLD, Robot
from footfall.scene.model import Material
from footfall.simulation.joint_control import joint_control, limited_velocities, rubbing_velocities
from footfall.simulation.lanes.step import foreseen_velocities
from footfall.simulation.plants import ExactSimulation
from footfall.simulation.run_values import SimulationState, Trajectory, join_trajectories
from footfall.simulation.step_values import Command
from footfall.simulation.world.engine import WorldEngine
from footfall.simulation.world.laws import felt_gap, giving_share
from footfall.simulation.world.movers import COUNTS, IMPACT
from footfall.simulation.world.velocity_sums import CLOSING, HOLDS
from footfall.simulation.world.warm_start import match_contacts, warm_impulses


class StepProblem(NamedTuple):
    """problem: all contacts (t1, t2, n each), then joint limits, then dry friction, then equations of loops that forces
    hold as friction with a bound beyond need, then rolling and torsional friction, in the order of `step_impulses`.
    response: (nv, n) velocities that unit impulses cause. free_velocity: (nv,) without any."""

    problem: ContactProblem
    response: Array
    free_velocity: Array

    def velocity_after(self, impulses: Array) -> Array:
        """v (nv,) at the end of the step with impulses (n,), N s."""
        result: Array = self.free_velocity + self.response @ impulses
        return result


def build_step_problem(
    simulation: ExactSimulation,
    state: SimulationState,
    command: Command,
    *,
    after: SimulationState | None = None,
) -> StepProblem:
    """The problem of the step of `options.dt` from a state, without pushes, springs and drives.

    after: the state that the step led to, where contacts are found while it runs: it says which they were.
    """
    robot, options, dt = simulation.robot, simulation.options, simulation.options.dt
    q, v = state.q, state.v
    control = joint_control(
        robot, q, v, state.integral, command, dt, implicit_gains=options.joints.implicit_gains
    )
    inertia = mass_matrix(robot, q) + np.diag(np.asarray(control.added_inertia, dtype=np.float64))
    forces = np.asarray(control.effort, dtype=np.float64) - bias_forces(robot, q, v) - robot.damping * v
    if foreseen := _foreseen(simulation):
        middle = v + dt / 2 * np.linalg.solve(inertia, forces) + _contact_spins(simulation, state) / 2
        forces[foreseen] += (bias_forces(robot, q, v) - bias_forces(robot, q, middle))[foreseen]
    free = v + dt * np.linalg.solve(inertia, forces)
    contacts = _contacts(simulation, state, after)
    joints, room, bounds, closing = _joint_rows(simulation, q)
    jacobian = problem_rows(robot, q, contacts, joints)
    response = np.linalg.solve(inertia, jacobian.T)
    rules = options.contact.rules(float(np.linalg.norm(robot.gravity)), dt)
    found = simulation.engine if isinstance(simulation.engine, WorldEngine) else None
    problem = problem_of(
        contacts, jacobian @ response, jacobian @ free, jacobian @ v, limit_offset(room, rules, dt), bounds, rules, dt,
        bends=after.contacts["bend"] if found and after else None,
    )  # fmt: skip
    bias, compliance, first = problem.bias.copy(), problem.compliance.copy(), 3 * len(contacts)
    shear, before_step = _stick_springs(simulation, state, after, contacts.rotations)
    for way in (0, 1):
        compliance[way:first:3] = shear
        bias[way:first:3] -= shear * before_step[:, way]
    bias[first + len(room) : first + len(joints)] += closing
    if found and after:
        along = jacobian[:first].reshape(-1, 3, robot.nv)
        pressed = before_step[:, 2] * _mobilities(robot, inertia, along[:, 2:])
        giving = _giving_shares(found, after.contacts, pressed) * _mobilities(robot, inertia, along)
        compliance[2:first:3] = np.maximum(compliance[2:first:3], giving)
    return StepProblem(replace(problem, bias=bias, compliance=compliance), response, free)


def step_impulses(simulation: ExactSimulation, after: SimulationState) -> Array:
    """Impulses (n,) of the step that led to a state, N s: contacts (t1, t2, n each), joint limits, dry friction, loops
    that forces hold."""
    engine = simulation.engine
    if not isinstance(engine, WorldEngine):
        limited, rubbing = _limited_and_rubbing(simulation)
        count, joints = 3 * len(engine.candidates), len(limited) + len(rubbing)
        last = len(after.impulses) - joints
        return np.concatenate([after.impulses[:count], after.impulses[last:], after.impulses[count:last]])
    count = len(after.contacts)
    frames = np.array([contact_frame(contact["normal"]) for contact in after.contacts]).reshape(-1, 3, 3)
    own = np.einsum("mij,mi->mj", frames, after.impulses[: 3 * count].reshape(-1, 3)).ravel()
    rows: dict[tuple[int, bool], float] = {}
    held: list[float] = []
    for row, impulse in zip(np.asarray(engine.world.joints), after.impulses[3 * count :], strict=True):
        if row["friction"] == np.inf:
            held.append(impulse)
        else:
            rows[int(row["velocity"]), bool(row["friction"] > 0.0)] = impulse
    limited, rubbing = _limited_and_rubbing(simulation)
    limits = [rows[velocity, False] for _, velocity in limited]
    arms = [
        moment_arm(each.rolling_friction, each.torsional_friction) for each in _pair_materials(engine, after)
    ]
    turned = [
        frame.T @ contact["moment"] / arm
        for frame, contact, arm in zip(frames, after.contacts, arms, strict=True)
        if arm > 0.0
    ]
    rubbed = [rows[velocity, True] for velocity in rubbing]
    return np.concatenate([own, limits, rubbed, held, np.ravel(turned)])


def step_residuals(simulation: ExactSimulation, command: Command, steps: int) -> tuple[Array, Trajectory]:
    """Run some steps and check each: natural-map residuals (steps,) in N s, and the trajectory.

    The simulation must have one step a control period. Residuals are those of `check_solution`.
    """
    residuals, rows = np.empty(steps), []
    for k in range(steps):
        before = simulation.state
        rows.append(simulation.step(command))
        after = simulation.state
        problem = build_step_problem(simulation, before, command, after=after).problem
        residuals[k] = check_solution(problem, step_impulses(simulation, after)).natural_map
    return residuals, join_trajectories(rows)


def _foreseen(simulation: ExactSimulation) -> list[int]:
    """Velocities whose Coriolis and gyroscopic forces are those in the middle of the step."""
    engine, options = simulation.engine, simulation.options
    if not isinstance(engine, WorldEngine):
        return foreseen_velocities(simulation.robot, options)
    result, first = [], 0
    for member in engine.members:
        middle = options.velocity_terms != "start" if member.motion is None else member.motion.middle
        result += list(range(first, first + member.robot.nv)) if middle else []
        first += member.robot.nv
    return result


def _contact_spins(simulation: ExactSimulation, state: SimulationState) -> Array:
    """By how much contact changed the angular velocities (nv,) of free bodies in the last step, as
    `world.movers.note_contact_spins` has it."""
    engine, spins = simulation.engine, np.zeros(simulation.robot.nv)
    if not isinstance(engine, WorldEngine):
        return spins
    impulses = state.impulses[: 3 * len(state.contacts)].reshape(-1, 3)
    for body in np.asarray(engine.world.free):
        q, speeds = state.q[body["first_q"] :][:7], state.v[body["first_v"] :][3:6]
        speed = float(np.linalg.norm(speeds))
        if engine.settings.dt * speed <= COUNTS:
            continue
        rotation, centre, moment = matrix_from_quaternion(q[3:]), body["center"], np.zeros(3)
        for contact, impulse in zip(state.contacts, impulses, strict=True):
            for side, sign in (("first", 1.0), ("second", -1.0)):
                if engine.contacts.table.shapes["body"][contact[side]] == body["link"]:
                    arm = contact["position"] - q[:3] - rotation @ centre
                    moment += sign * (np.cross(arm, impulse) + contact["moment"])
        about_center = body["inertia"] + body["mass"] * (skew(centre) @ skew(centre))
        change = np.linalg.solve(about_center, rotation.T @ moment)
        if np.linalg.norm(change) <= IMPACT * speed:
            spins[body["first_v"] + 3 : body["first_v"] + 6] = change
    return spins


def _contacts(simulation: ExactSimulation, state: SimulationState, after: SimulationState | None) -> Contacts:
    engine, robot = simulation.engine, simulation.robot
    if not isinstance(engine, WorldEngine):
        listed = detect_contacts(robot, state.q, engine.candidates, margin=np.inf, time=state.time)
        return replace(listed, friction=engine.friction, restitution=np.array(engine.restitution))
    if after is None:
        raise InvalidInput("after is None; contacts are found while it runs: give the state after the step")
    contacts, bodies = after.contacts, {body.name for body in robot.bodies}
    names = [
        [engine.contacts.owner_of(contact[side]) for side in ("first", "second")] for contact in contacts
    ]
    carriers = [[name if name in bodies else WORLD for name in pair] for pair in names]
    surface = np.zeros((len(contacts), 3))
    for k, (contact, (_, other)) in enumerate(zip(contacts, names, strict=True)):
        if other in engine.contacts.paths:
            path = engine.contacts.paths[other]
            velocity = path.velocity(state.time)
            arm = contact["position"] - path.pose(state.time).translation
            surface[k] = velocity[:3] + np.cross(velocity[3:], arm)
    return Contacts(
        [pair[0] for pair in carriers],
        _in_frames(simulation, state.q, [pair[0] for pair in carriers], contacts["position"]),
        np.array([contact_frame(contact["normal"]) for contact in contacts]).reshape(-1, 3, 3),
        _felt_gaps(engine, contacts),
        others=[pair[1] for pair in carriers],
        other_points=_in_frames(simulation, state.q, [pair[1] for pair in carriers], contacts["position"]),
        surface_velocity=surface,
        **material_columns(_pair_materials(engine, after)),
    )


def _felt_gaps(engine: WorldEngine, contacts: Any) -> Array:
    """Gaps (m,) that laws go by, m."""
    each = zip(_touches_itself(engine, contacts), contacts["gap"], strict=True)
    return np.array([felt_gap(*one) for one in each], dtype=np.float64)


def _giving_shares(engine: WorldEngine, contacts: Any, pressed: Array) -> Array:
    """By how much of their mobility contacts (m,) give way; pressed (m,): m/s, see `giving_share`."""
    each = zip(_touches_itself(engine, contacts), contacts["gap"], pressed, strict=True)
    return np.array([giving_share(*one) for one in each], dtype=np.float64)


def _touches_itself(engine: WorldEngine, contacts: Any) -> Flags:
    """Which contacts (m,) are of a robot with itself."""
    movers = np.append(engine.world.link_mover, -1)  # what does not move by itself comes behind the links
    bodies = np.asarray(engine.world.shapes.shapes)["body"]
    first, second = (
        movers[np.minimum(bodies[contacts[side]], len(movers) - 1)] for side in ("first", "second")
    )
    return np.asarray((first == second) & (first >= 0))


def _mobilities(robot: Robot, inertia: Array, rows: Array) -> Array:
    """About how far unit impulses along all rows (m, k, nv) of contacts move these (m,), 1/kg: the pivots of the
    inertia stand for all of it, `sum over v of |J_v|^2 / D_v` with `M = L^T D L`."""
    pivots = np.asarray(factorise(robot.tree, inertia).inverse_pivots, dtype=np.float64)
    return np.asarray(np.einsum("miv,miv,v->m", rows, rows, pivots))


def _stick_springs(
    simulation: ExactSimulation, state: SimulationState, after: SimulationState | None, frames: Array
) -> tuple[Array, Array]:
    """Compliances (m,) along the surface of what touches after a step, 1/kg, and the impulses (m, 3) along the contact
    frames that it had in the step before, N s."""
    engine, dt = simulation.engine, simulation.options.dt
    if not isinstance(engine, WorldEngine):
        listed = np.array([each.surface.material.shear_stiffness for each in engine.candidates])
        return shear_compliance(listed, dt), state.impulses[: 3 * len(listed)].reshape(-1, 3)
    assert after is not None
    count = len(after.contacts)
    stiffness = np.array([pair.shear_stiffness for pair in _pair_materials(engine, after)])
    warm = np.zeros((count, 3))
    known = np.ascontiguousarray(state.impulses[: 3 * len(state.contacts)].reshape(-1, 3))
    matches = np.empty(count, dtype=np.int64)
    match_contacts(state.contacts, after.contacts, matches)
    warm_impulses(known, matches, warm)
    shear = shear_compliance(stiffness, dt)  # nothing where it is rigid
    return shear, np.einsum("mij,mi->mj", frames, warm)


def _pair_materials(engine: WorldEngine, after: SimulationState) -> list[Material]:
    """Of all contacts."""
    shapes, known = np.asarray(engine.world.shapes.shapes), engine.contacts.materials
    return [
        touching_material(
            *(known[int(shapes[int(contact[side])]["material"])] for side in ("first", "second"))
        )
        for contact in after.contacts
    ]


def _in_frames(simulation: ExactSimulation, q: Array, names: list[str], points: Array) -> Array:
    """Points (m, 3) of the world in the frames of bodies (m,) or of the world, m."""
    bodies = tuple(body.name for body in simulation.robot.bodies)
    poses = forward_kinematics(simulation.robot, q, frames=bodies)
    result = np.array(points, dtype=np.float64)
    for k, name in enumerate(names):
        if name != WORLD:
            number = bodies.index(name)
            result[k] = poses.rotation[number].T @ (points[k] - poses.position[number])
    return result


def _limited_and_rubbing(simulation: ExactSimulation) -> tuple[list[tuple[int, int]], list[int]]:
    """(coordinate, velocity) of joint limits, and velocities with dry friction, that are part of a step."""
    robot, options = simulation.robot, simulation.options
    limited = limited_velocities(robot) if options.joints.limits else []
    return limited, rubbing_velocities(robot) if options.joints.friction else []


def _joint_rows(simulation: ExactSimulation, q: Array) -> tuple[Array, Array, Array, Array]:
    """Rows (k, nv) of joint limits, towards the nearer one, of dry friction and of loops that forces hold; room
    (limits,) left in rad or m; bounds (others,) in N s; speeds (others,) at which loops are closed."""
    robot, options = simulation.robot, simulation.options
    limited, rubbing = _limited_and_rubbing(simulation)
    equations = held_equations(robot.tree, q)
    first = len(limited) + len(rubbing)
    rows, room = np.zeros((first + len(equations), robot.spanning.nv)), np.zeros(len(limited))
    for k, (coordinate, velocity) in enumerate(limited):
        below, above = (
            q[coordinate] - robot.lower_limits[coordinate],
            robot.upper_limits[coordinate] - q[coordinate],
        )
        rows[k, velocity] = 1.0 if below < above else -1.0
        room[k] = min(below, above)
    for k, velocity in enumerate(rubbing):
        rows[len(limited) + k, velocity] = 1.0
    for k, (_, row) in enumerate(equations):
        for velocity, entry in row.items():
            rows[first + k, velocity] = entry
    most = HOLDS * robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81) * options.dt
    bounds = np.array([*robot.spanning.friction[rubbing] * options.dt, *[most] * len(equations)])
    closing = np.array([*[0.0] * len(rubbing), *(CLOSING * miss / options.dt for miss, _ in equations)])
    return Coupling(robot, q).columns(rows), room, bounds, closing
