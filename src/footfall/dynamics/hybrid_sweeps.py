"""The two sweeps of hybrid dynamics, Devaramani 2019, chapter 3, (4.1); `hybrid.py` says what they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.external_wrenches import link_wrenches
from footfall.dynamics.free_joints import JointResponse, free_joint_axis
from footfall.dynamics.hybrid_branches import EliminatedBranch, eliminate_branch
from footfall.dynamics.hybrid_constraints import (
    AttachedColumn,
    Constraint,
    attached_columns,
    constraint_rows,
    direction_columns,
)
from footfall.dynamics.inverse_dynamics import force_of_motion
from footfall.dynamics.joints import free_axes, inertia_in_parent_axes, joint_transforms
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.loops import refuse_loops
from footfall.dynamics.mass_moments import lumped_moments
from footfall.dynamics.velocity_terms import VelocityTerms, velocity_terms
from footfall.math.spatial import (
    cross,
    force_to_parent,
    rigid_inertia,
    rotate,
    shift_force,
    shift_inertia,
)
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.tree import Link

Columns = dict[int, Array]  # by row of the component: its unit force [f; n] (6,) on a link


class Inputs(NamedTuple):
    """Arguments of `hybrid_dynamics` that the sweeps need."""

    q: Array
    v: Array
    tau: Array
    constraints: tuple[Constraint, ...]
    directions: Array | None
    active: Array | None
    prescribed: tuple[str, ...]
    a: Array | None
    wrenches: Mapping[str, Array] | None
    goal: Array  # set-points (m,), zero where a component is not active
    compliance: Array | None


class FreeAxis(NamedTuple):
    """A joint axis that moves as forces make it.

    response: to its parent's acceleration. pushes: by row, what a unit constraint force adds to its acceleration.
    inertia: D, kg m2 or kg.
    """

    response: JointResponse
    pushes: dict[int, Any]
    inertia: Any


class PrescribedJoint(NamedTuple):
    """A link whose joint acceleration is prescribed: what its force follows from.

    inertia (6, 6), force (6,): of the link and all beyond it. columns: unit constraint forces that it feels.
    """

    inertia: Array
    force: Array
    columns: Columns


@dataclass(frozen=True)
class InwardSweep:
    """What the way inward leaves for the way outward.

    poses: of the links in their parents; world: in the world. attached: the constraint columns where they act.
    joints: for each link its free axes, or its prescribed joint. matrix, free_accelerations: see `ConstraintSystem`.
    scales: what entries on the diagonal of the matrix usually are. eliminated: branches, by the link that they leave;
    their rows have no part in the equations at the root.
    """

    poses: list[Transform]
    world: list[Transform]
    by_velocity: list[VelocityTerms]
    attached: list[AttachedColumn]
    joints: list[list[FreeAxis] | PrescribedJoint]
    matrix: list[list[Any]]
    free_accelerations: list[Any]
    scales: list[Any]
    eliminated: dict[int, EliminatedBranch]

    @property
    def rows(self) -> list[int]:
        """Components that are left at the root."""
        gone = {row for branch in self.eliminated.values() for row in branch.rows}
        return [row for row in range(len(self.matrix)) if row not in gone]


def inward_sweep(robot: Robot, inputs: Inputs, *, plan: Mapping[int, list[int]] | None = None) -> InwardSweep:
    """Inertias, forces and constraint columns from the leaves to the root.

    plan: solve for the constraint forces of these branches on the way, see `hybrid_branches`.
    """
    refuse_loops(robot, "hybrid dynamics")
    tree, q = robot.tree, inputs.q
    poses = joint_transforms(tree, q)
    world = link_poses(tree, q)
    by_velocity = velocity_terms(tree, poses, inputs.v)
    moments = lumped_moments(tree)
    inertias = [rigid_inertia(m.mass, m.first, m.rotational_inertia()) for m in moments]
    external = link_wrenches(robot, poses, inputs.wrenches)
    forces = [
        force_of_motion(m, terms.motion) - wrench
        for m, terms, wrench in zip(moments, by_velocity, external, strict=True)
    ]
    attached = _attached(robot, world, inputs)
    rows = constraint_rows(inputs.constraints)
    matrix: list[list[Any]] = [[0.0] * rows for _ in range(rows)]
    free = _accelerations_at_rest(robot, poses, by_velocity, attached, rows)
    columns: list[Columns] = [{} for _ in tree.links]
    for each in attached:
        _add(columns[each.link], each.row, each.force)
    driven = prescribed_velocities(robot, inputs.prescribed)
    plan = plan or {}
    scales = _inverse_inertia_scales(robot, attached, rows)
    eliminated: dict[int, EliminatedBranch] = {}
    soft = [0.0] * rows if inputs.compliance is None else inputs.compliance
    for row in range(rows):
        matrix[row][row] = soft[row]

    joints: list[list[FreeAxis] | PrescribedJoint] = []
    for index, link in reversed(list(enumerate(tree.links))):
        inertia, force, own = inertias[index], forces[index], columns[index]
        if link.v.start in driven:
            assert inputs.a is not None
            joints.insert(0, PrescribedJoint(inertia, force, dict(own)))
            for velocity, axis in free_axes(link):
                force = force + inertia[:, axis] * inputs.a[velocity]
                for row, column in own.items():
                    free[row] = free[row] + column[axis] * inputs.a[velocity]
        else:
            freed: list[FreeAxis] = []
            for velocity, axis in reversed(free_axes(link)):
                before = inertia[axis, axis] + link.armature
                response, inertia, force = free_joint_axis(
                    axis, link.armature, inputs.tau[velocity], inertia, force
                )
                pushes = _free_columns(link, axis, response, before, own, matrix, free)
                freed.insert(0, FreeAxis(response, pushes, before))
            joints.insert(0, freed)
        pose, bias = poses[index], by_velocity[index].bias
        handed_on: Columns = {}
        for row, column in own.items():
            turned = rotate(pose.rotation, column)
            free[row] = free[row] + turned @ bias  # (P A)^T c, Devaramani 2019, (3.1)-(3.8)
            if link.parent >= 0:
                handed_on[row] = shift_force(pose.translation, turned)
            else:
                free[row] = free[row] - turned[:3] @ tree.gravity
        if index in plan:
            missing = [goal - each for goal, each in zip(inputs.goal, free, strict=True)]
            branch = eliminate_branch(plan[index], handed_on, matrix, missing, scales)
            eliminated[index] = branch
            inertias[link.parent] = inertias[link.parent] + branch.inertia
            forces[link.parent] = forces[link.parent] + branch.force
            handed_on = {}
        for row, column in handed_on.items():
            _add(columns[link.parent], row, column)
        if link.parent >= 0:
            inertia = inertia_in_parent_axes(link, q, inertia)
            force = rotate(pose.rotation, force) + inertia @ bias
            inertias[link.parent] = inertias[link.parent] + shift_inertia(pose.translation, inertia)
            forces[link.parent] = forces[link.parent] + shift_force(pose.translation, force)
    return InwardSweep(poses, world, by_velocity, attached, joints, matrix, free, scales, eliminated)


def prescribed_velocities(robot: Robot, prescribed: Sequence[str]) -> set[int]:
    """Indices in v of joints whose accelerations are prescribed."""
    return {index for joint in prescribed for index in range(robot.nv)[robot.v_slice(joint)]}


def _attached(robot: Robot, world: Sequence[Transform], inputs: Inputs) -> list[AttachedColumn]:
    columns = direction_columns(inputs.constraints, inputs.directions)
    if inputs.active is not None:
        columns = [column * inputs.active[row] for row, column in enumerate(columns)]
    return attached_columns(robot, world, inputs.constraints, columns)


def _accelerations_at_rest(
    robot: Robot,
    poses: Sequence[Transform],
    by_velocity: Sequence[VelocityTerms],
    attached: Sequence[AttachedColumn],
    rows: int,
) -> list[Any]:
    """What the components accelerate with while the links' origins, which gravity is counted in, do not.

    Points away from the origin of a turning link accelerate towards it; and all true accelerations are those of
    the sweeps plus gravity, which enters the sweeps as an acceleration of the world upwards.
    """
    gravity: list[Array] = []
    for link, pose in zip(robot.tree.links, poses, strict=True):
        gravity.append(pose.rotation.T @ (gravity[link.parent] if link.parent >= 0 else robot.tree.gravity))
    free: list[Any] = [0.0] * rows
    for each in attached:
        centripetal = by_velocity[each.link].motion.acceleration_gradient @ each.point
        free[each.row] = free[each.row] + each.force[:3] @ (centripetal + gravity[each.link])
    return free


def _inverse_inertia_scales(robot: Robot, attached: Sequence[AttachedColumn], rows: int) -> list[Any]:
    """Of each component: what the whole robot, as a point mass, would yield to its unit force."""
    scales: list[Any] = [0.0] * rows
    for each in attached:
        scales[each.row] = scales[each.row] + each.force @ each.force / (robot.mass or 1.0)
    return scales


def _add(columns: Columns, row: int, column: Array) -> None:
    columns[row] = columns[row] + column if row in columns else column


def _free_columns(
    link: Link,
    axis: int,
    response: JointResponse,
    inertia: Any,
    columns: Columns,
    matrix: list[list[Any]],
    free: list[Any],
) -> dict[int, Any]:
    """Let one axis move freely under constraint forces: what they add to its acceleration, by row.

    Changes `columns` to what the joint hands on, Devaramani 2019, algorithm line 17, and adds to `matrix` and `free`,
    lines 19, 18.
    """
    along = {row: column[axis] for row, column in columns.items()}
    inverse = 1 / inertia
    pushes = {row: component * inverse for row, component in along.items()}
    for row, component in along.items():
        free[row] = free[row] + component * response.free_acceleration
        for other, push in pushes.items():
            if other <= row:
                matrix[row][other] = matrix[row][other] + component * push
                matrix[other][row] = matrix[row][other]
        handed_on = columns[row] - response.gain * component
        handed_on[axis] = link.armature * pushes[row]
        columns[row] = handed_on
    return pushes


class OutwardSweep(NamedTuple):
    """Parts of `HybridMotion`."""

    accelerations: Array
    joint_forces: Array
    constraint_torques: Array
    segments: Array


def outward_sweep(
    robot: Robot, inputs: Inputs, sweep: InwardSweep, forces: list[Any], segments: Sequence[str]
) -> OutwardSweep:
    """Accelerations from the root to the leaves under constraint forces (m,).

    Forces of eliminated branches are written into `forces` as their accelerations become known.
    """
    tree = robot.tree
    world = np.concatenate([-tree.gravity, np.zeros(3)])
    links: list[Array] = []
    a: list[Any] = []
    joint_forces: list[Any] = []
    for index, (link, pose) in enumerate(zip(tree.links, sweep.poses, strict=True)):
        parent = links[link.parent] if link.parent >= 0 else world
        if index in sweep.eliminated:
            for row, force in sweep.eliminated[index].forces(parent).items():
                forces[row] = force
        at_joint = np.concatenate([parent[:3] + cross(parent[3:], pose.translation), parent[3:]])
        acceleration = rotate(pose.rotation.T, at_joint + sweep.by_velocity[index].bias)
        joint = sweep.joints[index]
        if isinstance(joint, PrescribedJoint):
            assert inputs.a is not None
            own = link.subspace @ inputs.a[link.v]
            acceleration = acceleration + own
            carried = joint.inertia @ acceleration + joint.force
            for row, column in joint.columns.items():
                carried = carried - column * forces[row]
            for velocity, axis in free_axes(link):
                a.append(inputs.a[velocity])
                joint_forces.append(carried[axis] + link.armature * a[-1])
        else:
            for (velocity, axis), free in zip(free_axes(link), joint, strict=True):
                pushed = free.response.free_acceleration + sum(
                    push * forces[row] for row, push in free.pushes.items()
                )
                a.append(pushed - free.response.gain @ acceleration)  # Devaramani 2019, (3.9)
                acceleration = acceleration + np.eye(6)[axis] * a[-1]
                joint_forces.append(inputs.tau[velocity])
        links.append(acceleration)
    return OutwardSweep(
        np.array(a),
        np.array(joint_forces),
        _constraint_torques(robot, sweep, forces),
        _segment_accelerations(robot, sweep, links, segments),
    )


def joint_inertias(robot: Robot, sweep: InwardSweep) -> Array:
    """Articulated inertia (nv,) of each joint, kg m2 or kg."""
    found: list[Any] = []
    for link, joint in zip(robot.tree.links, sweep.joints, strict=True):
        if isinstance(joint, PrescribedJoint):
            found += [joint.inertia[axis, axis] + link.armature for _, axis in free_axes(link)]
        else:
            found += [free.inertia for free in joint]
    return np.array(found)


def _constraint_torques(robot: Robot, sweep: InwardSweep, forces: Sequence[Any]) -> Array:
    """`J^T forces` (nv,), from the leaves to the root."""
    tree = robot.tree
    wrenches: list[Array] = [np.zeros(6) for _ in tree.links]
    for each in sweep.attached:
        wrenches[each.link] = wrenches[each.link] + each.force * forces[each.row]
    torques: list[Array] = []
    for index, link in reversed(list(enumerate(tree.links))):
        torques.insert(0, link.subspace.T @ wrenches[index])
        if link.parent >= 0:
            wrenches[link.parent] = wrenches[link.parent] + force_to_parent(
                sweep.poses[index], wrenches[index]
            )
    return np.concatenate([np.zeros(0), *torques])


def _segment_accelerations(
    robot: Robot, sweep: InwardSweep, links: Sequence[Array], segments: Sequence[str]
) -> Array:
    """Classical accelerations (k, 6) of frames, world axes; links: of the link origins, less gravity."""
    found = []
    for name in segments:
        attachment = frame_attachment(robot, name)
        if attachment.link < 0:
            found.append(np.zeros(6))
            continue
        point, carrier = attachment.placement.translation, links[attachment.link]
        rotation = sweep.world[attachment.link].rotation
        centripetal = sweep.by_velocity[attachment.link].motion.acceleration_gradient @ point
        linear = rotation @ (carrier[:3] + cross(carrier[3:], point) + centripetal) + robot.tree.gravity
        found.append(np.concatenate([linear, rotation @ carrier[3:]]))
    return np.array(found).reshape(len(segments), 6)
