"""Arms that keep off the body and off walls: a cost on distances of swept-sphere volumes, for what tasks leave free.

Schwienbacher (2014) chapter 5: volumes that are closer than a reach push each other apart, the more the closer, and the
push is smoothed by a low-pass of 6 Hz, so that pairs may come and go. Legs have no say: their feet, the upper body and
the centre of mass are all given. Robots without volumes are not looked at. Walls are those that the robot believes to
stand beside it: an arm that swings yields to them, elbows also while their hands lean on them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, minimum
from footfall.compiler.routines import Vector2, call_native
from footfall.control.inverse_kinematics.costs import RepulsiveCost
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.volume_distances import free_pairs, volume_distances
from footfall.gait.poses import HANDS
from footfall.math.spatial import cross
from footfall.motion.standing import start_configuration
from footfall.robot.volumes import Pair
from footfall.walking.body import WalkingBody
from footfall.walking.task_space import TaskCode
from footfall.walking.walls import MOST_WALLS, WALL_NUMBERS, wall_of

REACH = 0.06  # of the height of the centre of mass, from which on volumes push
SMOOTH = 2.0 * np.pi * 6.0  # 1/s


def arm_pairs(body: WalkingBody) -> tuple[Pair, ...]:
    """Pairs of volumes of which one is of an arm, and which do not overlap where the robot stands."""
    robot = body.robot
    if not robot.volumes:
        return ()
    links = body.arm_links("RH") | body.arm_links("LH")
    own = {volume.name for volume in robot.volumes if volume.body in links}
    return tuple(pair for pair in free_pairs(robot, start_configuration(robot)) if own.intersection(pair))


class ArmPoint(NamedTuple):
    """A corner of an arm's volume: the body that carries it, its place there, m, its radius, m, on which side, and
    whether it goes to what its hand touches."""

    body: str
    place: tuple[float, float, float]
    radius: float
    side: int
    reaches: bool


def arm_points(body: WalkingBody) -> tuple[ArmPoint, ...]:
    """Corners of the volumes of both arms, those of the right one first. What is nearer to the hand than to the joint
    that carries the body goes along with the hand."""
    found = []
    robot = body.robot
    for side, hand in enumerate(HANDS):
        links = body.arm_links(hand)
        last = body.body_of(hand)
        tip = robot.tree.attachments[body.model.frames[hand]].placement.translation
        for volume in robot.volumes:
            if volume.body not in links:
                continue
            for element in volume.shape.elements:
                for corner in np.atleast_2d(element.corners):
                    reaches = volume.body == last and np.linalg.norm(corner - tip) < np.linalg.norm(corner)
                    x, y, z = corner.tolist()
                    found.append(ArmPoint(volume.body, (x, y, z), float(element.radius), side, bool(reaches)))
    return tuple(found)


def clearance_kernel(body: WalkingBody, walls: int = MOST_WALLS) -> Kernel | None:
    """Native code at q (nq,) beside so many walls (walls, 16), see `walls_around`, for a push of strength 1 where
    volumes touch: push (nv,), how fast it fades as volumes part, 1/s, and the least distance of arms and body, m, at
    most the reach. free (2,): 0 for the right and the left arm that leans on something with its hand, 1 if it swings.
    None for a robot without such volumes."""
    robot, pairs, points = body.robot, arm_pairs(body), arm_points(body)
    if not pairs:
        return None
    reach = REACH * body.model.com_height
    cost = RepulsiveCost(reach=reach, strength=1.0, pairs=pairs)
    moved = [robot.v_slice(name) for name in body.arm_joints]
    columns = [k for each in moved for k in range(each.start, each.stop)]

    def look(q: Array, beside: Array, free: Array) -> dict[str, Array]:
        found = volume_distances(robot, q, pairs=pairs, threshold=reach)
        squares = (found.jacobian * found.jacobian).sum(axis=1)
        least = reach
        for distance in found.distance:
            least = minimum(least, distance)
        push = cost.slope(found.distance) @ found.jacobian
        fading = cost.fading(found.distance) @ squares
        carried = {
            point.body: (frame_pose(robot, q, point.body), frame_jacobian(robot, q, point.body))
            for point in (points if walls else ())
        }
        for point in points if walls else ():
            pose, jacobian = carried[point.body]
            arm = pose.rotation @ np.array(point.place)
            for k in range(walls):
                wall = wall_of(beside, k)
                gap, away = wall.distance(pose.translation + arm)
                share = wall.counts * (free[point.side] if point.reaches else 1.0)
                near = np.array([gap - point.radius])
                row = away @ jacobian[:3] + cross(arm, away) @ jacobian[3:]
                row = [row[n] if n in columns else 0.0 for n in range(robot.nv)]
                slope, steep = share * cost.slope(near)[0], share * cost.fading(near)[0]
                push = push + slope * np.array(row)
                fading = fading + steep * sum(each * each for each in row)
        return {"push": push, "fading": np.array([fading]), "least": np.array([least])}

    def look_at_itself(q: Array) -> dict[str, Array]:
        return look(q, np.zeros(0), np.zeros(2))

    key = f"{robot.fingerprint} {cost!r} {points!r} {walls}"
    shapes: dict[str, int | tuple[int, ...]] = {"q": robot.nq}
    if walls:
        shapes |= {"beside": walls * WALL_NUMBERS, "free": 2}
    return build_kernel(
        look if walls else look_at_itself, shapes, name="walking_clearance", key=key, module=__name__
    )


def clearance_room(body: WalkingBody) -> Array:
    """Room for the inputs and outputs of the kernel."""
    return np.zeros(body.robot.nq + MOST_WALLS * WALL_NUMBERS + 2 + body.robot.nv + 2)


def keep_clear(
    code: TaskCode, q: Array, walls: Array, selection: Vector2, room: Array, push: Array, slope: Array
) -> float:
    """Take a push, joint velocities (nv,) that part arms from the body and from walls and are smoothed in place, off
    the slope of the null-space cost (nv,); gives the least distance of arms and body, m. q: (nq,), of the model.
    selection: how far hands are in task space. room: for native code."""
    nq, nv = code.nq, code.nv
    room[:nq] = q
    inputs = nq + len(walls) + 2
    if walls[0] > 0.0:  # the nearest
        room[nq : inputs - 2] = walls
        room[inputs - 2], room[inputs - 1] = 1.0 - selection[0], 1.0 - selection[1]
        call_native(code.clearance, room[:inputs], room[inputs:])
    else:
        call_native(code.own_clearance, room[:nq], room[inputs:])
    # A step that overshoots would ring: all pushes are weakened together until none does.
    strength = code.clearance_strength
    strength /= max(code.period * strength * room[inputs + nv], 1.0)
    share = code.period * SMOOTH
    for k in range(nv):
        push[k] += share * (strength * room[inputs + k] - push[k])
        slope[k] -= push[k]
    return float(room[inputs + nv + 1])
