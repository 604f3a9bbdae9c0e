"""The reduced model of any humanoid, derived from its description (Seiwald 2023 asks for the constants).

The robot is put into a stance: upper body upright, knees bent, soles level, centre of mass above their middle. Lengths,
limits and heights are read off there. The mass of a limb counts at its end as far as it moves with it, by the lever
rule: a segment half way between hip and foot gives half its mass to the foot, the rest to the torso.

How much room a standing robot takes: capsules around its body and its arms, from its own shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import link_poses
from footfall.errors import MisplacedFrame, UnsuitableRobot
from footfall.math.transform import Transform
from footfall.motion.arm_reach import arm_of, arm_reach, on_axis
from footfall.motion.hand_space import HandSpace
from footfall.motion.landmarks import has_hands, landmarks
from footfall.motion.reduced_model import (
    Bulk,
    CapsuleShape,
    Interval,
    Place,
    PlanarLeg,
    Rectangle,
    ReducedModel,
)
from footfall.motion.reduced_model_file import published_model
from footfall.motion.soles import shape_points, sole_rectangle
from footfall.motion.standing import check_upright, placed_frame, start_configuration
from footfall.robot.model import Robot

_LOWEST = 0.23  # of the legs' length: what is lower may be beside things that the robot steps over
_ROOM_TO_MOVE = 0.02  # m beyond the standing robot: knees and elbows move


def robot_bulk(
    robot: Robot, poses: list[Transform], frames: Mapping[str, str], *, leg: float, hip_width: float
) -> Bulk | None:
    """The room that a robot takes whose links are at these poses; None if it has no shapes. leg: its length, m."""
    feet = [placed_frame(robot, poses, frames[foot]) for foot in ("RF", "LF")]
    middle = Transform(feet[0].rotation, (feet[0].translation + feet[1].translation) / 2)
    hands = ("RH", "LH") if has_hands(frames) else ()
    arms = [arm_of(robot, poses, frames, hand) for hand in hands]
    tree = robot.tree
    limbs = [{k for k in range(len(tree.links)) if arm.shoulder in tree.path(k)} for arm in arms]
    rest = set(range(len(tree.links))).difference(*limbs)
    body = _points(robot, poses, rest, middle)
    body = body[body[:, 2] > _LOWEST * leg]
    if len(body) == 0:
        return None
    around_body = _around_body(body, leg, hip_width / 2)
    if not arms:
        return Bulk(around_body, ())
    points, inward = _points(robot, poses, limbs[0], middle), middle.inverse()
    if len(points) == 0:
        return None
    joints = [inward.apply(poses[link].translation) for link in (arms[0].following, arms[0].elbow)]
    hand = inward.apply(placed_frame(robot, poses, frames["RH"]).translation)
    return Bulk(around_body, _around_arm(points, joints[0], joints[1], hand))


def _points(robot: Robot, poses: list[Transform], links: Iterable[int], frame: Transform) -> Array:
    """Points (k, 3) in a frame, whose hull is that of the shapes on some links."""
    wanted, found = set(links), [np.empty((0, 3))]
    for body in robot.bodies:
        carried = robot.tree.attachments[body.name]
        if carried.link in wanted:
            place = frame.inverse() @ poses[carried.link] @ carried.placement
            for shape in body.collisions or body.visuals:
                pose = place @ shape.placement
                found.append(shape_points(shape) @ pose.rotation.T + pose.translation)
    return np.concatenate(found)


def _around_body(points: Array, leg: float, aside: float) -> tuple[CapsuleShape, ...]:
    """Two upright capsules, above the hips, with all points in one of them but for their ends."""
    ahead = float((points[:, 0].min() + points[:, 0].max()) / 2)
    away = np.hypot(points[:, 0] - ahead, np.abs(points[:, 1]) - aside)
    radius = float(away.max()) + _ROOM_TO_MOVE
    low = _LOWEST * leg + radius
    high = max(float(points[:, 2].max()) + _ROOM_TO_MOVE - radius, low)
    return tuple(CapsuleShape((ahead, y, low), (ahead, y, high), radius) for y in (-aside, aside))


def _around_arm(points: Array, shoulder: Array, elbow: Array, hand: Array) -> tuple[CapsuleShape, ...]:
    """Upper arm and forearm: each has the points that are nearer to its line."""
    lines = ((shoulder, elbow), (elbow, hand))
    away = np.stack([_distance(points, *line) for line in lines])
    nearer = away.argmin(axis=0)
    capsules = []
    for k, (first, second) in enumerate(lines):
        own = away[k][nearer == k]
        radius = float(own.max(initial=0.0)) + _ROOM_TO_MOVE
        capsules.append(CapsuleShape(_place(first), _place(second), radius))
    return tuple(capsules)


def _distance(points: Array, first: Array, second: Array) -> Array:
    span = second - first
    share = np.clip((points - first) @ span / max(float(span @ span), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - first - share[:, None] * span, axis=1))


def _place(point: Array) -> Place:
    x, y, z = point.tolist()
    return x, y, z


_KNEES = (0.8, 0.7, 0.6, 0.5, 0.4)  # rad
_ANKLE_RANGE = 0.25  # rad between the ankle in the stance and its limits
_MARGIN = float(np.deg2rad(5.0))  # from the limits of the leg's joints
_SIDEWAYS = 0.9  # how much of an axis must point sideways for a joint to count as pitch


def reduced_model(
    robot: Robot,
    *,
    frames: Mapping[str, str] | None = None,
    sole: Rectangle | None = None,
    knee_angle: float | None = None,
    limit_margin: float = _MARGIN,
    hand_radius: float = 0.05,
) -> ReducedModel:
    """The reduced model of a humanoid: the published one if there is one, else derived from the description.

    frames: names of frames for RF, LF, RH, LH, UB, VTCP, where names of the robot do not show them; foot frames lie on
    the sole, x forward, z up. sole: (rear, front, right, left) of the sole in the foot frame, m, where the robot's
    shapes do not show it. knee_angle: in the stance, rad; by default bent as far as leaves the ankle room.
    limit_margin: from the limits of the leg's joints, rad.
    """
    published = published_model(robot.name)
    if published is not None and frames is None and sole is None:
        return published
    return derived_model(
        robot,
        landmarks(robot, frames),
        sole=sole,
        knee_angle=knee_angle,
        limit_margin=limit_margin,
        hand_radius=hand_radius,
    )


def standing_configuration(robot: Robot, model: ReducedModel) -> Array:
    """A configuration (nq,) with bent knees, level soles and the centre of mass above them: where motions begin."""
    legs = [_leg(robot, model.frames[foot]) for foot in ("RF", "LF")]
    middle = (model.sole[0] + model.sole[1]) / 2
    return _relaxed_stance(robot, legs, model.frames, middle, None, _MARGIN)


class _Toe(NamedTuple):
    """The joint between foot and toes, which carry the foot frame: link, sign about y, place (x, z) in the frame, and
    the link of the foot behind it."""

    link: int
    sign: float
    place: Array
    behind: int


@dataclass(frozen=True, eq=False)
class _Leg:
    """Joints of a leg in the sagittal plane: links, signs about y, places (x, z) in the foot frame, at the start."""

    links: tuple[int, int, int]  # hip, knee, ankle
    signs: Array
    hip: Array
    knee: Array
    ankle: Array
    toe: _Toe | None = None

    @property
    def shank(self) -> Array:
        return np.asarray(self.knee - self.ankle)

    @property
    def thigh(self) -> Array:
        return np.asarray(self.hip - self.knee)

    @property
    def start_angles(self) -> Array:
        """Hip, knee and ankle angle (3,) of Seiwald 2023, appendix E at the start, rad."""
        lean, back = (float(np.arctan2(*segment)) for segment in (self.shank, self.thigh))
        return np.array([back, lean - back, -lean])

    def angles(self, knee: float, lean: float) -> Array:
        """Changes of the joint angles (3,) from the start for an upright body and a level foot; lean: of the shank."""
        return np.asarray(self.signs * (np.array([lean - knee, knee, -lean]) - self.start_angles))


def derived_model(
    robot: Robot,
    frames: Mapping[str, str],
    *,
    sole: Rectangle | None,
    knee_angle: float | None,
    limit_margin: float,
    hand_radius: float,
) -> ReducedModel:
    """Constants from the description alone."""
    if frames["RF"] == frames["LF"]:
        raise UnsuitableRobot(
            f"both feet of robot {robot.name!r} are frame {frames['RF']!r}; they must be two"
        )
    _check_build(robot, frames)
    check_upright(robot, link_poses(robot.tree, start_configuration(robot)), frames)
    legs = [_leg(robot, frames[foot]) for foot in ("RF", "LF")]
    toe = legs[0].toe if legs[1].toe is not None else None
    behind = () if toe is None else (toe.behind,)
    rectangle = sole_rectangle(robot, frames["RF"], beside=behind) if sole is None else sole
    middle = (rectangle[0] + rectangle[1]) / 2
    q = _relaxed_stance(robot, legs, frames, middle, knee_angle, limit_margin)
    poses = link_poses(robot.tree, q)
    place = {name: placed_frame(robot, poses, frame).translation for name, frame in frames.items()}
    ground = (place["RF"] + place["LF"]) / 2
    hips = [poses[leg.links[0]].translation for leg in legs]
    feet = [
        _share(robot, poses, leg.links[0], place[foot]) for leg, foot in zip(legs, ("RF", "LF"), strict=True)
    ]
    foot_share = float(np.mean(feet))
    height = float(_center(robot, poses)[2] - ground[2])
    hip_height = float(np.mean([hip[2] for hip in hips]) - ground[2])
    axes = placed_frame(robot, poses, frames["RF"]).rotation
    # Where five masses must have their torso in this stance, seen from the hips: both feet count at their frames.
    torso_ahead = middle / (1 - 2 * foot_share) - float((np.mean(hips, axis=0) - ground) @ axes[:, 0])
    torso_above = height / (1 - 2 * foot_share) - hip_height
    leg = _planar_leg(robot, legs, limit_margin, torso_above, torso_ahead)
    hip_width = float(abs(hips[0][1] - hips[1][1]))
    if has_hands(frames):
        arms = _arms(robot, poses, frames, ground, hip_height)
    else:  # as high as a body whose mass is half way up
        arms = _Arms(0.0, hip_width, 2.0 * torso_above, 0.0, 0.0, (0.0, 0.0, height))
    return ReducedModel(
        name=robot.name,
        mass=robot.mass,
        foot_share=foot_share,
        hand_share=arms.share,
        torso_inertia=_upper_inertia(robot, poses, legs, frames["UB"]),
        leg=leg,
        sole=rectangle,
        **_toes(robot, frames, legs, rectangle, limit_margin),
        hip_width=hip_width,
        shoulder_width=arms.width,
        shoulder_height=arms.above_hips,
        upper_arm=arms.upper,
        lower_arm=arms.lower,
        hand_radius=hand_radius,
        com_height=height,
        foot_distance=float(abs(place["LF"][1] - place["RF"][1])),
        hand_offset=arms.offset,
        head_tilt=0.0,
        frames=frames,
        gravity=float(np.linalg.norm(robot.gravity)),
        hand_space=_hand_space(robot, frames, q) if has_hands(frames) else None,
        bulk=robot_bulk(robot, poses, frames, leg=leg.lower_leg + leg.upper_leg, hip_width=hip_width),
    )


def _check_build(robot: Robot, frames: Mapping[str, str]) -> None:
    """Refuse robots that no frames would help: that do not stand upright, or have no ankles."""
    tree, poses = robot.tree, link_poses(robot.tree, start_configuration(robot))
    body = placed_frame(robot, poses, frames["UB"]).translation
    for foot in ("RF", "LF"):
        span = placed_frame(robot, poses, frames[foot]).translation - body
        if -span[2] < 0.5 * float(np.linalg.norm(span)):
            raise UnsuitableRobot(
                f"robot {robot.name!r} does not stand upright where its joints are at rest: the way from its upper "
                f"body to foot {frames[foot]!r} is {span.round(2).tolist()} m; x must be forward and z up",
                advice="turn its root in the description, or give it a configuration in which it stands",
            )
        carriers = tree.path(tree.attachments[frames[foot]].link)
        hinges = [poses[k].rotation[1, 2] for k in carriers if tree.links[k].kind == "revolute"]
        if sum(abs(axis) > _SIDEWAYS for axis in hinges) < 3:
            raise UnsuitableRobot(
                f"the leg to frame {frames[foot]!r} of robot {robot.name!r} has fewer than 3 joints that turn about a "
                "sideways axis: there is no ankle that keeps a sole on the ground",
                advice="walking is for robots that stand on soles; footfall simulate is for others",
            )


def _toes(
    robot: Robot, frames: Mapping[str, str], legs: list[_Leg], sole: Rectangle, margin: float
) -> dict[str, Any]:
    """What a reduced model says of toes: the part of the sole under them, limits, and signs that lift the heel."""
    toes = [leg.toe for leg in legs if leg.toe is not None]
    if len(toes) < len(legs):
        return {"toe_sole": sole, "toe_limits": None, "toe_signs": (-1.0, 1.0)}
    try:
        rear, front, right, left = sole_rectangle(robot, frames["RF"])
    except MisplacedFrame:  # toes without shapes on the ground: the sole was given
        rear, front, right, left = sole
    limits = []
    for toe in toes:
        place = robot.tree.links[toe.link].q
        bounds = np.clip([robot.lower_limits[place][0], robot.upper_limits[place][0]], -np.pi, np.pi)
        limits.append((float(bounds[0] + margin), float(bounds[1] - margin)))
    toe_sole = (max(rear, sole[0]), min(front, sole[1]), max(right, sole[2]), min(left, sole[3]))
    return {
        "toe_sole": toe_sole,
        "toe_limits": tuple(limits),
        # The heel is lifted as the foot turns forwards, and so the toes backwards against it.
        "toe_signs": tuple(-toe.sign for toe in toes),
    }


class _Arms(NamedTuple):
    """What a reduced model says of arms, see there: share of each hand, width and height of the shoulders above the
    hips, lengths, and where hands are at rest, m."""

    share: float
    width: float
    above_hips: float
    upper: float
    lower: float
    offset: tuple[float, float, float]


def _arms(
    robot: Robot, poses: list[Transform], frames: Mapping[str, str], ground: Array, hip_height: float
) -> _Arms:
    """Arms in a stance. ground (3,): the middle between the feet, m. hip_height: of the hips above it, m."""
    arms = [arm_of(robot, poses, frames, hand) for hand in ("RH", "LH")]
    right, left = (placed_frame(robot, poses, frames[hand]).translation for hand in ("RH", "LH"))
    feet = [placed_frame(robot, poses, frames[foot]) for foot in ("RF", "LF")]
    shares = [_share(robot, poses, arm.shoulder, hand) for arm, hand in zip(arms, (right, left), strict=True)]
    shoulders = np.array([on_axis(poses[arm.shoulder], poses[arm.following].translation) for arm in arms])
    elbow = poses[arms[0].elbow].translation
    offset = ((right + left) / 2 - ground) @ feet[0].rotation
    distance = abs(feet[1].translation[1] - feet[0].translation[1])
    return _Arms(
        float(np.mean(shares)),
        float(abs(shoulders[0, 1] - shoulders[1, 1])),
        float(shoulders[:, 2].mean() - ground[2] - hip_height),
        float(np.linalg.norm(elbow - shoulders[0])),
        float(np.linalg.norm(right - elbow)),
        (float(offset[0]), float(abs(left[1] - right[1]) - distance) / 2, float(offset[2])),
    )


def _hand_space(robot: Robot, frames: Mapping[str, str], q: Array) -> HandSpace:
    """Where hands get, seen from the shoulders; that of the right one, as all that both sides share."""
    found = arm_reach(robot, frames, "RH", q)
    return HandSpace(found.corner - found.shoulder, found.size, found.cells)


def _leg(robot: Robot, foot: str) -> _Leg:
    """The first three pitch joints on the way to a foot frame, and the fourth, if the frame stands on toes."""
    tree = robot.tree
    poses = link_poses(tree, start_configuration(robot))
    sole = placed_frame(robot, poses, foot)
    pitch = [
        index
        for index in tree.path(tree.attachments[foot].link)
        if tree.links[index].kind == "revolute"
        and abs(sole.rotation[:, 1] @ poses[index].rotation[:, 2]) > _SIDEWAYS
    ]
    links, carrier = sorted(pitch)[:3], tree.attachments[foot].link
    if len(links) < 3:
        raise UnsuitableRobot(
            f"the leg to frame {foot!r} of robot {robot.name!r} has {len(pitch)} joints that turn about a sideways "
            "axis; it must have hip, knee and ankle"
        )
    places = [sole.rotation.T @ (poses[index].translation - sole.translation) for index in links]
    signs = np.array([np.sign(sole.rotation[:, 1] @ poses[index].rotation[:, 2]) for index in links])
    hip, knee, ankle = (place[[0, 2]] for place in places)
    toe = None
    if len(pitch) > 3 and max(pitch) == carrier:
        place = sole.rotation.T @ (poses[carrier].translation - sole.translation)
        sign = float(np.sign(sole.rotation[:, 1] @ poses[carrier].rotation[:, 2]))
        toe = _Toe(carrier, sign, place[[0, 2]], sorted(tree.path(carrier))[-2])
    return _Leg((links[0], links[1], links[2]), signs, hip, knee, ankle, toe)


def _relaxed_stance(
    robot: Robot,
    legs: list[_Leg],
    frames: Mapping[str, str],
    middle: float,
    knee: float | None,
    margin: float,
) -> Array:
    """A stance with the knee angle asked for, or with the largest usual one that leaves the ankle room."""
    low, high = _planar_limits(robot, legs[0], 2)
    for angle in _KNEES if knee is None else (knee,):
        q, lean = _stance(robot, legs, frames, middle, angle)
        if min(-lean - low, high + lean) > margin + _ANKLE_RANGE:
            break
    return q


def _stance(
    robot: Robot, legs: list[_Leg], frames: Mapping[str, str], middle: float, knee: float
) -> tuple[Array, float]:
    """Bent knees, the centre of mass above the middle of the soles: configuration, and how far the shank leans, rad.

    By the secant method.
    """
    tree, start = robot.tree, start_configuration(robot)

    def stance(lean: float) -> Array:
        q = start.copy()
        for leg in legs:
            for link, change in zip(leg.links, leg.angles(knee, lean), strict=True):
                q[tree.links[link].q] += change
        return q

    def ahead(lean: float) -> float:
        poses = link_poses(tree, stance(lean))
        foot = placed_frame(robot, poses, frames["RF"])
        return float((foot.rotation.T @ (_center(robot, poses) - foot.translation))[0] - middle)

    first, second = 0.4 * knee, 0.6 * knee
    before, now = ahead(first), ahead(second)
    for _ in range(30):
        if abs(now) < 1e-10 or now == before:
            break
        first, second, before = second, second - now * (second - first) / (now - before), now
        now = ahead(second)
    if not abs(now) < 1e-6:
        raise UnsuitableRobot(f"robot {robot.name!r} finds no stance with its centre of mass above its soles")
    return stance(second), second


def _planar_leg(
    robot: Robot, legs: list[_Leg], margin: float, hip_to_torso: float, torso_ahead: float
) -> PlanarLeg:
    limits = []
    for joint in range(3):
        intervals = [_planar_limits(robot, leg, joint) for leg in legs]
        low, high = max(interval[0] for interval in intervals), min(interval[1] for interval in intervals)
        limits.append((float(low + margin), float(high - margin)))
    hip, knee, ankle = limits
    right = legs[0]
    toe = np.zeros(2) if any(leg.toe is None for leg in legs) or right.toe is None else right.toe.place
    return PlanarLeg(
        float(toe[1]),
        float(-toe[0]),
        float(toe[0] - right.ankle[0]),
        float(right.ankle[1] - toe[1]),
        float(np.linalg.norm(right.shank)),
        float(np.linalg.norm(right.thigh)),
        hip_to_torso,
        hip,
        knee,
        ankle,
        torso_ahead,
    )


def _planar_limits(robot: Robot, leg: _Leg, joint: int) -> Interval:
    """Limits of a joint as an angle of Seiwald 2023, appendix E."""
    place = robot.tree.links[leg.links[joint]].q
    start = start_configuration(robot)[place][0]
    ends = leg.start_angles[joint] + leg.signs[joint] * (
        np.clip([robot.lower_limits[place][0], robot.upper_limits[place][0]], -np.pi, np.pi) - start
    )
    return float(ends.min()), float(ends.max())


def _limb(robot: Robot, root: int) -> list[int]:
    """All links that hang on a link, itself included."""
    tree = robot.tree
    return [index for index in range(len(tree.links)) if root in tree.path(index)]


def _share(robot: Robot, poses: list[Transform], root: int, end: Array) -> float:
    """How much of the robot's mass counts at the end of a limb, by the lever rule."""
    start = poses[root].translation
    line = end - start
    total = 0.0
    for index in _limb(robot, root):
        link = robot.tree.links[index]
        center = poses[index].apply(link.center_of_mass)
        total += link.mass * float(np.clip((center - start) @ line / (line @ line), 0.0, 1.0))
    return total / robot.mass


def _upper_inertia(robot: Robot, poses: list[Transform], legs: list[_Leg], upper_body: str) -> Array:
    """Inertia (3, 3) of all that the legs carry, about its centre of mass, in the axes of the upper body, kg m2."""
    tree = robot.tree
    lower = {index for leg in legs for index in _limb(robot, leg.links[0])}
    upper = [index for index in range(len(tree.links)) if index not in lower and tree.links[index].mass > 0.0]
    masses = np.array([tree.links[index].mass for index in upper])
    centers = np.array([poses[index].apply(tree.links[index].center_of_mass) for index in upper])
    middle = masses @ centers / masses.sum()
    turn = placed_frame(robot, poses, upper_body).rotation
    total = np.zeros((3, 3))
    for index, mass, center in zip(upper, masses, centers - middle, strict=True):
        rotation = poses[index].rotation
        total += rotation @ tree.links[index].inertia @ rotation.T
        total += mass * (center @ center * np.eye(3) - np.outer(center, center))
    return np.asarray(turn.T @ total @ turn)


def _center(robot: Robot, poses: list[Transform]) -> Array:
    moments = [
        link.mass * pose.apply(link.center_of_mass)
        for link, pose in zip(robot.tree.links, poses, strict=True)
    ]
    return np.asarray(sum(moments, start=np.zeros(3)) / robot.mass)
