"""Arms that keep off the body: a cost on distances of swept-sphere volumes, for what tasks leave free.

Schwienbacher (2014) chapter 5: volumes that are closer than a reach push each other apart, the more the closer, and the
push is smoothed by a low-pass of 6 Hz, so that pairs may come and go. Legs have no say: their feet, the upper body and
the centre of mass are all given. Robots without volumes are not looked at.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, minimum
from footfall.compiler.routines import call_native
from footfall.control.inverse_kinematics.costs import RepulsiveCost
from footfall.dynamics.volume_distances import free_pairs, volume_distances
from footfall.gait.poses import HANDS
from footfall.motion.standing import start_configuration
from footfall.robot.model import WORLD
from footfall.robot.volumes import Pair
from footfall.walking.body import WalkingBody
from footfall.walking.task_space import TaskCode

REACH = 0.06  # of the height of the centre of mass, from which on volumes push
SMOOTH = 2.0 * np.pi * 6.0  # 1/s


def arm_pairs(body: WalkingBody) -> tuple[Pair, ...]:
    """Pairs of volumes of which one is of an arm, and which do not overlap where the robot stands."""
    robot = body.robot
    if not robot.volumes:
        return ()
    carriers = {joint.child: joint.parent for joint in robot.joints}
    arms = set()
    for hand in HANDS:
        link = body.body_of(hand)
        while link not in (WORLD, body.body_of("UB")) and link in carriers:
            arms.add(link)
            link = carriers[link]
    own = {volume.name for volume in robot.volumes if volume.body in arms}
    return tuple(pair for pair in free_pairs(robot, start_configuration(robot)) if own.intersection(pair))


def clearance_kernel(body: WalkingBody) -> Kernel | None:
    """Native code at q (nq,), for a push of strength 1 where volumes touch: push (nv,), how fast it fades as volumes
    part, 1/s, and the least distance, m, at most the reach. None for a robot without such volumes."""
    robot, pairs = body.robot, arm_pairs(body)
    if not pairs:
        return None
    reach = REACH * body.model.com_height
    cost = RepulsiveCost(reach=reach, strength=1.0, pairs=pairs)

    def look(q: Array) -> dict[str, Array]:
        found = volume_distances(robot, q, pairs=pairs, threshold=reach)
        squares = (found.jacobian * found.jacobian).sum(axis=1)
        least = reach
        for distance in found.distance:
            least = minimum(least, distance)
        return {
            "push": cost.slope(found.distance) @ found.jacobian,
            "fading": np.array([cost.fading(found.distance) @ squares]),
            "least": np.array([least]),
        }

    key = f"{robot.fingerprint} {cost!r}"
    return build_kernel(look, {"q": robot.nq}, name="walking_clearance", key=key, module=__name__)


def keep_clear(code: TaskCode, q: Array, room: Array, push: Array, slope: Array) -> float:
    """Take a push, joint velocities (nv,) that part arms and body and are smoothed in place, off the slope of the
    null-space cost (nv,); gives the least distance, m. q: (nq,), of the model. room: for native code."""
    nq, nv = code.nq, code.nv
    room[:nq] = q
    call_native(code.clearance, room[:nq], room[nq:])
    # A step that overshoots would ring: all pushes are weakened together until none does.
    strength = code.clearance_strength
    strength /= max(code.period * strength * room[nq + nv], 1.0)
    share = code.period * SMOOTH
    for k in range(nv):
        push[k] += share * (strength * room[nq + k] - push[k])
        slope[k] -= push[k]
    return float(room[nq + nv + 1])
