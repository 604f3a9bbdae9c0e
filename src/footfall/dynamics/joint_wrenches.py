"""What each joint transmits: the wrenches that hold the robot together while it moves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.external_wrenches import wrench_on_link
from footfall.dynamics.inverse_dynamics import force_of_motion, link_motions, world_motion
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.kinematics import frame_attachment
from footfall.dynamics.loop_wrenches import loop_wrenches
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import body_moments, rotate_moments, shift_moments
from footfall.math.spatial import force_to_parent, rotate, shift_force
from footfall.robot.model import WORLD, Robot


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
