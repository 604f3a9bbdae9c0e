"""What each joint transmits: the wrenches that hold the robot together while it moves.

In the tree the joint forces t of a motion are those of the motors and of the loops, `t = tau + J^T f`. Joints that
follow have no motor, so the forces f of the equations follow from their part of t, from the last block of equations
to the first. These are the wrenches that loops transmit between their two frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.external_wrenches import wrench_on_link
from footfall.dynamics.inverse_dynamics import force_of_motion, link_motions, newton_euler, world_motion
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import body_moments, rotate_moments, shift_moments
from footfall.errors import UnsupportedFeature
from footfall.math.small_systems import solve_small
from footfall.math.spatial import force_to_parent, rotate, shift_force
from footfall.robot.loop_equations import Cut, hindered_turns, seen_from
from footfall.robot.loops import LoopType
from footfall.robot.model import WORLD, Robot


@algorithm(q="nq", v="nv", a="nv", wrenches="name -> 6")
def loop_wrenches(
    robot: Robot, q: Array, v: Array, a: Array, *, wrenches: Mapping[str, Array] | None = None
) -> Array:
    """Wrench [f; n] (loops, 6), N and N m, that each loop transmits from its frame to the one it is against.

    World axes, at the origin of the frame `against`, in the order of `robot.loops`; zero for loops that couple joints
    only. q (nq,), v (nv,), a (nv,); wrenches as in `inverse_dynamics`. On joints that follow no motor acts.
    """
    structure, tree = robot.tree.loops, robot.tree
    if structure is None:
        return np.zeros((0, 6))
    if structure.held:
        message = (
            f"loop_wrenches is for loops that coordinates hold; forces hold {structure.held[0].loop.name!r}"
        )
        raise UnsupportedFeature(message, subject=("robot", robot.name))
    poses = link_poses(tree, q)
    result = []
    for cut, forces in zip(structure.cuts, _equation_forces(robot, q, v, a, wrenches), strict=True):
        if not cut.ends:
            result.append(np.zeros(6))
            continue
        rotation = poses[cut.ancestor].rotation if cut.ancestor >= 0 else np.eye(3)
        force, moment = _between_frames(robot, cut, q, forces)
        result.append(np.concatenate([rotation @ force, rotation @ moment]))
    return np.array(result).reshape(-1, 6)


def _equation_forces(
    robot: Robot, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None
) -> list[list[Any]]:
    """For each loop the forces of its equations."""
    structure, coupling = robot.tree.loops, Coupling(robot, q)
    assert structure is not None
    needed = newton_euler(robot.spanning, q, coupling.velocity(v), coupling.acceleration(v, a), wrenches)
    rest = list(needed)
    forces: list[list[Any]] = [[0.0] * 6 for _ in structure.cuts]
    for block in reversed(structure.blocks):
        rows = coupling.block_rows(block)
        matrix = np.array([[row.get(k, 0.0) for row in rows] for k in block.velocities])
        right = np.array([rest[k] for k in block.velocities]).reshape(-1, 1)
        for chosen, row, force in zip(block.rows, rows, solve_small(matrix, right)[:, 0], strict=True):
            for k, entry in row.items():
                rest[k] = rest[k] - entry * force
            for number, weight in chosen.weights:
                forces[chosen.cut][number] = forces[chosen.cut][number] + weight * force
    return forces


def _between_frames(robot: Robot, cut: Cut, q: Array, forces: list[Any]) -> tuple[Array, Array]:
    """Force and moment (3,) on the second frame of a loop, axes of its ancestor."""
    first, second = (seen_from(robot.tree, cut.ancestor, end, q).pose for end in cut.ends)
    if cut.loop.type in (LoopType.DISTANCE, LoopType.SCREW):
        apart = second.translation - first.translation
        factor = 1.0 if cut.loop.type is LoopType.DISTANCE else -cut.loop.coefficients[0]
        return factor * forces[0] * apart / np.sqrt(apart @ apart), np.zeros(3)
    axes = first.rotation @ hindered_turns(cut.loop)
    moment = sum((axes[:, k] * forces[3 + k] for k in range(axes.shape[1])), start=np.zeros(3))
    return np.array(forces[:3]), moment


@algorithm(q="nq", v="nv", a="nv", wrenches="name -> 6")
def joint_wrenches(
    robot: Robot, q: Array, v: Array, a: Array, *, wrenches: Mapping[str, Array] | None = None
) -> Array:
    """Wrench [f; n] (joints, 6) that each joint transmits from its parent to its child, N and N m.

    World axes, at the origin of the child body, in the order of `robot.joints`, fixed joints included.
    q (nq,), v (nv,), a (nv,); wrenches as in `inverse_dynamics`. Along its free axes a joint transmits what
    `inverse_dynamics` says less the part that accelerates its armature. Loops bear their part, see `loop_wrenches`.
    """
    tree, coupling = robot.tree, Coupling(robot, q)
    external = list((wrenches or {}).items()) + _wrenches_of_loops(robot, q, v, a, wrenches)
    v, a = coupling.velocity(v), coupling.acceleration(v, a)
    poses = joint_transforms(tree, q)
    motions = [*link_motions(tree, poses, v, a), world_motion(tree)]  # [-1]: of what is fixed to the world
    places = [tree.attachments[body.name] for body in robot.bodies]

    # In the axes and at the origin of the link that carries the body, so that sums need no base position.
    transmitted: list[Array] = []
    for body, place in zip(robot.bodies, places, strict=True):
        rotation, translation = place.placement
        moments = shift_moments(translation, rotate_moments(rotation, body_moments(body)))
        transmitted.append(force_of_motion(moments, motions[place.link]))
    index = {body.name: i for i, body in enumerate(robot.bodies)}
    carriers = index | {frame.name: index[frame.body] for frame in robot.frames if frame.body != WORLD}
    for name, wrench in external:
        attachment = frame_attachment(robot, name)
        if name in carriers:
            applied = wrench_on_link(tree, poses, attachment, wrench)
            transmitted[carriers[name]] = transmitted[carriers[name]] - applied
    for i, joint in reversed(list(enumerate(robot.joints))):
        if joint.parent == WORLD:
            continue
        parent, link, force = index[joint.parent], places[i].link, transmitted[i]
        while link != places[parent].link:
            force, link = force_to_parent(poses[link], force), tree.links[link].parent
        transmitted[parent] = transmitted[parent] + force

    result: list[Array] = []
    for place, force in zip(places, transmitted, strict=True):
        in_world = shift_force(-place.placement.translation, force)
        for carrier in tree.path(place.link):
            in_world = rotate(poses[carrier].rotation, in_world)
        result.append(in_world)
    return np.array(result).reshape(-1, 6)


def _wrenches_of_loops(
    robot: Robot, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None
) -> list[tuple[str, Array]]:
    """What loops do to their two frames, each at its own origin: these coincide, or the force is along their line."""
    if not robot.loops:
        return []
    found: list[tuple[str, Array]] = []
    for loop, wrench in zip(
        robot.loops, loop_wrenches.textbook(robot, q, v, a, wrenches=wrenches), strict=True
    ):
        if loop.type.joins_frames:
            found += [(loop.against, wrench), (loop.frame, -wrench)]
    return found
