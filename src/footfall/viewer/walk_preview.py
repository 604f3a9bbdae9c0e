"""A way that a robot would walk, planned before it does."""

from __future__ import annotations

from typing import NamedTuple

from footfall.gait.plan import MotionPlan
from footfall.gait.poses import RobotPose
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.planning.contacts import Goal
from footfall.walking.pilot import hands_used
from footfall.walking.routes import plan_way_from_rest
from footfall.walking.session import WalkSession
from footfall.walking.sight import CameraSight, WholeSight


class Preview(NamedTuple):
    """x, y, yaw: of the goal, m and rad. poses: feet and hands on the way. text: what it takes, in a line."""

    x: float
    y: float
    yaw: float
    poses: tuple[RobotPose, ...]
    motion: Motion
    text: str


def preview_way(session: WalkSession, x: float, y: float, yaw: float) -> Preview:
    """Plan a way from where the robot will rest. What the session has seen and planned stays as it is: a look of its
    own would change its random numbers. Raises `NoPath` if there is none."""
    pilot, whole = session.pilot, session.code.whole
    goal = Goal(x, y, yaw)
    if isinstance(session.sight, CameraSight):
        seen = pilot.environment
    else:
        looked = WholeSight(noisy=False, seed=0).look(session.walker, goal)
        assert looked is not None
        seen = looked
    way = plan_way_from_rest(seen, pilot.model, goal, pilot.settings.planner, start=pilot.motion.given.end)
    for hand in hands_used(way.sequence):
        whole.arm(hand)
    plan = MotionPlan((way.sequence,))
    motion = generate_motion(plan, pilot.model, parameters=pilot.settings.motion, body=whole)
    poses = (way.sequence.begin, *(each.end for each in way.sequence.transitions))
    hands = len(way.contacts.hand_contacts)
    text = f"{len(way.contacts.steps)} steps, {motion.duration:.1f} s, planned in {way.contacts.milliseconds:.0f} ms"
    if hands:
        text += f", {hands} hand contact{'' if hands == 1 else 's'}"
    return Preview(x, y, yaw, poses, motion, text)
