"""One time step with penalty contact, as traced code: springs and dampers at the contact points, Ayit 2015, chapter 5.

What the springs remember takes the place of the impulses in the state: touched, anchor and integral of each contact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.assembly import contact_jacobian
from footfall.contact.candidates import Candidate
from footfall.contact.contacts import contact_frame
from footfall.contact.detection import detect_contacts
from footfall.contact.penalty import PenaltyLaw, PenaltyMemory, penalty_force
from footfall.contact.touching import touch
from footfall.dynamics.factorisation import factorise_mass_matrix, solve_mass_matrix
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.loops import Coupling
from footfall.math.spatial import cross
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import Robot
from footfall.robot.tree import Tree
from footfall.simulation.contact_rows import Row
from footfall.simulation.joint_action import JointAction
from footfall.simulation.smooth_step import smooth_step
from footfall.simulation.step_values import Command, StepOptions, StepReport, StepState
from footfall.simulation.time_step import contact_step, row_count

_MEMORY = 5  # numbers that a contact remembers


def penalty_row_count(robot: Robot, candidates: Sequence[Candidate], options: StepOptions) -> int:
    """Number of values that a step with penalty contact hands on besides q, v and integral."""
    return _MEMORY * len(candidates) + row_count(robot, (), options)


def penalty_delassus(robot: Robot, q: Array, candidates: Sequence[Candidate]) -> Array:
    """Delassus matrix (3 m, 3 m) of all candidates as if they touched, 1/kg: what limits stiffness and damping."""
    jacobian = contact_jacobian(robot, q, detect_contacts(robot, q, candidates, margin=np.inf))
    if not len(jacobian):
        return np.zeros((0, 0))
    response = solve_mass_matrix(robot, factorise_mass_matrix(robot, q), jacobian.T)
    return np.asarray(jacobian @ response)


def penalty_step(
    robot: Robot,
    candidates: Sequence[Candidate],
    options: StepOptions,
    state: StepState,
    command: Command,
    *,
    law: PenaltyLaw,
    friction: Array,
    wrenches: Mapping[str, Array] | None = None,
    action: JointAction | None = None,
    time: Any = 0.0,
) -> tuple[StepState, StepReport]:
    """Advance by dt. friction: (contacts,) of the candidates; they do not bounce other than by their springs.

    action: of drives and springs, for the semi-implicit integrator; the others take the robot's springs as they are.
    time: at the start, s; surfaces on a given path stay where they are then for the step.
    With the semi-implicit integrator joint limits and dry friction are those of the exact step.
    """
    remembered = _MEMORY * len(candidates)
    memories = [_memory(state.impulses[k : k + _MEMORY]) for k in range(0, remembered, _MEMORY)]
    springs = _Springs(robot, candidates, law, memories, friction, options.dt, time)
    now = _contact_forces(springs, state.q, state.v)
    rest = state.impulses[remembered:]
    if options.integrator == "semi-implicit":
        none = np.zeros(0)
        following, report = contact_step(
            robot, (), options, state._replace(impulses=rest), command,
            friction=none, restitution=(), wrenches=wrenches, forces=now.generalised, action=action,
        )  # fmt: skip
        q, v, integral, rest = following
        effort, residual, steps = report.effort, report.residual, report.solver_steps
    else:
        q, v, integral, effort = smooth_step(
            robot,
            options,
            state,
            command,
            forces=lambda q, v: _contact_forces(springs, q, v).generalised,
            wrenches=wrenches,
        )
        residual, steps = 0.0, 0.0
    kept = [np.array([memory.touched, *memory.anchor, memory.integral]) for memory in now.memories]
    return (
        StepState(q, v, integral, np.concatenate([np.zeros(0), *kept, rest])),
        StepReport(effort, now.positions, now.forces, now.normals, now.gaps, residual, steps),
    )


class _Springs(NamedTuple):
    """What the forces of a step come from: places that may touch, the law, what each remembers, their coefficients of
    friction (contacts,), the step and the time at its start, s."""

    robot: Robot
    candidates: Sequence[Candidate]
    law: PenaltyLaw
    memories: Sequence[PenaltyMemory]
    friction: Array
    dt: float
    time: Any


class _Touch(NamedTuple):
    """Contacts in one state: forces on the joints (nv,), on the points (m, 3) in world axes, and what they keep."""

    generalised: Array
    positions: Array
    forces: Array
    normals: Array
    gaps: Array
    memories: list[PenaltyMemory]


def _memory(values: Array) -> PenaltyMemory:
    return PenaltyMemory(values[0], np.array(values[1:4]), values[4])


def _contact_forces(springs: _Springs, q: Array, v: Array) -> _Touch:
    robot, time = springs.robot, springs.time
    tree, coupling = robot.tree, Coupling(robot, q)
    poses = link_poses(tree, q)
    generalised: list[Any] = [0.0] * robot.nv
    found: list[tuple[Array, Array, Array, Any, PenaltyMemory]] = []
    for k, candidate in enumerate(springs.candidates):
        surface = candidate.surface
        body, other = frame_attachment(robot, candidate.body), frame_attachment(robot, surface.body)
        carrier = _link_pose(poses, other.link)
        pose = carrier @ (other.placement @ surface.placement)
        if surface.motion is not None:
            carrier = pose = surface.motion.pose(time)
        point, normal, gap = touch(candidate, _link_pose(poses, body.link) @ body.placement, pose)
        frame = contact_frame(normal)
        rows, others = (
            [coupling.row(row) for row in point_rows(tree, poses, link, point)]
            for link in (body.link, other.link)
        )
        velocity = np.array([_along(a, v) - _along(b, v) for a, b in zip(rows, others, strict=True)])
        if surface.motion is not None:
            moved = surface.motion.velocity(time)
            velocity = velocity - moved[:3] - cross(moved[3:], point - pose.translation)
        # In the axes of what is touched, so that anchors move along with it.
        turn = carrier.rotation.T
        force, memory = penalty_force(
            springs.law,
            springs.memories[k],
            gap=gap,
            frame=turn @ frame,
            position=turn @ (point - carrier.translation),
            velocity=turn @ velocity,
            friction=springs.friction[k],
            viscous_friction=surface.material.viscous_friction,
            dt=springs.dt,
        )
        in_world = frame @ force
        for axis in range(3):
            for side, sign in ((rows[axis], 1.0), (others[axis], -1.0)):
                for index, entry in side.items():
                    generalised[index] = generalised[index] + sign * entry * in_world[axis]
        found.append((point, in_world, normal, gap, memory))
    return _Touch(
        np.array(generalised),
        np.array([point for point, *_ in found]).reshape(-1, 3),
        np.array([force for _, force, *_ in found]).reshape(-1, 3),
        np.array([normal for _, _, normal, *_ in found]).reshape(-1, 3),
        np.array([gap for _, _, _, gap, _ in found]),
        [memory for *_, memory in found],
    )


def point_rows(tree: Tree, poses: Sequence[Transform], link: int, point: Array) -> list[Row]:
    """Rows of the velocity of a point (3,) in world axes that moves with a link; empty for the world."""
    rows: list[Row] = [{}, {}, {}]
    for index in tree.path(link) if link >= 0 else ():
        joint, pose = tree.links[index], poses[index]
        for velocity, motion in zip(range(tree.nv)[joint.v], joint.subspace.T, strict=True):
            angular = pose.rotation @ motion[3:]
            linear = pose.rotation @ motion[:3] + cross(angular, point - pose.translation)
            for row, entry in zip(rows, linear, strict=True):
                row[velocity] = entry
    return rows


def _along(row: Row, v: Array) -> Any:
    return sum((entry * v[velocity] for velocity, entry in row.items()), start=0.0)


def _link_pose(poses: Sequence[Transform], link: int) -> Transform:
    return poses[link] if link >= 0 else identity_transform()
