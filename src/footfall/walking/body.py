"""What walking knows of a robot: which frames, joints and bodies are feet, hands, upper body and head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import MisplacedFrame
from footfall.gait.poses import HANDS, Hand
from footfall.motion.landmarks import has_hands
from footfall.motion.model_derivation import reduced_model, standing_configuration
from footfall.motion.reduced_model import Rectangle, ReducedModel
from footfall.motion.soles import with_sole_shapes
from footfall.motion.standing import start_configuration, with_standing_frames
from footfall.robot.model import WORLD, JointType, Robot
from footfall.robot.variants import with_floating_base
from footfall.simulation.joint_control import actuated_velocities

FEET = ("RF", "LF")
OTHER, RIGHT_FOOT, LEFT_FOOT, RIGHT_HAND, LEFT_HAND = -1, 0, 1, 2, 3  # what a link belongs to


@dataclass(frozen=True)
class HeadJoint:
    """A joint that turns the head; sign: 1 if its angle is the pan or tilt itself."""

    joint: str
    sign: float


@dataclass(frozen=True, eq=False)
class WalkingBody:
    """A robot and its reduced model, by which it walks."""

    robot: Robot
    model: ReducedModel

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the robot's frames for RF, LF, RH, LH, UB."""
        return tuple(self.model.frames[name] for name in (*FEET, *HANDS, "UB"))

    def body_of(self, landmark: str) -> str:
        """The body that carries a landmark."""
        name = self.model.frames[landmark]
        return next((frame.body for frame in self.robot.frames if frame.name == name), name)

    def joint_of(self, body: str) -> str:
        """The joint that carries a body."""
        return next(joint.name for joint in self.robot.joints if joint.child == body)

    def arm_links(self, hand: Hand) -> set[str]:
        """Bodies between the upper body and a hand, the one that carries the hand included."""
        carriers = {joint.child: joint.parent for joint in self.robot.joints}
        links, link = set(), self.body_of(hand)
        while link not in (WORLD, self.body_of("UB")) and link in carriers:
            links.add(link)
            link = carriers[link]
        return links

    @cached_property
    def arm_joints(self) -> tuple[str, ...]:
        """Joints of both arms, in the order of the robot's."""
        links = self.arm_links("RH") | self.arm_links("LH")
        return tuple(joint.name for joint in self.robot.joints if joint.child in links)

    @property
    def toes(self) -> tuple[str, ...]:
        """The joints of the right and left toe, none if feet are stiff."""
        return () if self.model.toe_limits is None else tuple(self.joint_of(self.body_of(f)) for f in FEET)

    @cached_property
    def head(self) -> tuple[HeadJoint, ...]:
        """Pan and tilt of the head, if two joints carry it on the upper body."""
        by_child = {joint.child: joint for joint in self.robot.joints}
        body, path = self.body_of("VTCP"), []
        while body != self.body_of("UB"):
            joint = by_child.get(body)
            if joint is None or joint.parent == WORLD:
                return ()
            if joint.type is not JointType.FIXED:
                path.append(joint.name)
            body = joint.parent
        if len(path) != 2:
            return ()
        pan, tilt = reversed(path)
        return HeadJoint(pan, self._sign(pan, 2)), HeadJoint(tilt, -self._sign(tilt, 1))

    def _sign(self, joint: str, axis: int) -> float:
        """Whether a joint turns along or against an axis of the upper body, where the robot stands."""
        from footfall.dynamics.jacobians import frame_jacobian
        from footfall.dynamics.kinematics import frame_pose

        q = start_configuration(self.robot)
        child = self.robot.joint(joint).child
        column = frame_jacobian(self.robot, q, child)[3:, self.robot.v_slice(joint)][:, 0]
        turn = frame_pose(self.robot, q, self.model.frames["UB"]).rotation.T @ column
        return float(np.sign(turn[axis])) or 1.0

    @cached_property
    def comfort(self) -> Array:
        """The configuration (nq,) that joints keep near, where tasks leave them free."""
        if "idle" in self.robot.configurations:
            return self.robot.configuration("idle")
        return standing_configuration(self.robot, self.model)

    @cached_property
    def driven(self) -> Integers:
        """The velocities (joints,) of v that drives give, in the order of commands."""
        return np.array([velocity for _, velocity in actuated_velocities(self.robot)], dtype=np.int64)

    @cached_property
    def coordinates(self) -> Integers:
        """The places (joints,) of their angles in q, in the same order."""
        return np.array([coordinate for coordinate, _ in actuated_velocities(self.robot)], dtype=np.int64)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Of the joints of `driven`."""
        owners = {
            velocity: joint.name
            for joint in self.robot.joints
            for velocity in range(self.robot.nv)[self.robot.v_slice(joint.name)]
        }
        return tuple(owners[velocity] for velocity in self.driven.tolist())

    @cached_property
    def parts(self) -> Integers:
        """What each link of the tree (links,) belongs to: a foot, a hand or something other."""
        tree = self.robot.tree
        parts = np.full(len(tree.links), OTHER, dtype=np.int64)
        for number, landmark in enumerate((*FEET, *HANDS)):
            link = tree.attachments[self.model.frames[landmark]].link
            parts[link] = number
            if landmark in FEET and self.toes:  # the middle foot belongs to it too
                parts[tree.links[link].parent] = number
            if landmark in HANDS and has_hands(self.model.frames):
                # Fingers belong to it: what they touch a wrist feels.
                parts[[link in tree.path(each) for each in range(len(tree.links))]] = number
        return parts

    @property
    def soles(self) -> list[str]:
        """Bodies of feet that have shapes to stand on."""
        attached, feet = self.robot.tree.attachments, range(len(FEET))
        shaped = (body.name for body in self.robot.bodies if body.collisions)
        return [name for name in shaped if self.parts[attached[name].link] in feet]


def walking_body(
    robot: Robot, *, frames: Mapping[str, str] | None = None, sole: Rectangle | None = None
) -> WalkingBody:
    """A robot as walking sees it: free to move, with frames on its soles if it had none.

    frames, sole: as for `reduced_model`; a sole also serves feet that have no shapes to stand on.
    """
    machine = with_floating_base(robot)
    frames = frames or None
    try:
        model = reduced_model(machine, frames=frames, sole=sole)
    except MisplacedFrame:
        machine = with_standing_frames(machine, frames=frames)
        model = reduced_model(machine, sole=sole)
    machine = with_sole_shapes(machine, (model.frames["RF"], model.frames["LF"]), sole)
    return WalkingBody(machine, model)
