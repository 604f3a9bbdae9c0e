"""Can this robot walk, and if not: what is missing? Each thing that walking needs is looked at, one after the other.

Walking at a wanted speed: step length and time are chosen so that legs and zero-moment point have room.

Short fast steps leave the legs most room but need fast feet. So the time is as near to the usual one as room allows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from footfall.errors import (
    FootfallError,
    InvalidInput,
    InvalidTransition,
    MisplacedFrame,
    TooFast,
    UnsuitableRobot,
)
from footfall.gait.actions import straight
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import HANDS
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.body_tasks import head_joints, joints_between
from footfall.motion.following import follow_motion, followed_balance
from footfall.motion.joint_loads import joint_loads
from footfall.motion.landmarks import FOR_OTHERS, landmarks
from footfall.motion.model_derivation import reduced_model, standing_configuration
from footfall.motion.motion import Motion
from footfall.motion.parameters import MotionParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import Rectangle, ReducedModel
from footfall.motion.soles import with_sole_shapes
from footfall.motion.standing import with_standing_frames
from footfall.motion.verification import verify_motion
from footfall.motion.whole_body import WholeBody
from footfall.renamed import warn_renamed
from footfall.robot.drives.drive_limits import drive_limits
from footfall.robot.model import WORLD, JointType, Robot

DURATIONS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0, 1.2)  # s, of a transition
_COMFORTABLE = 0.01  # m of room that is enough
_TRIED = 6  # full steps of a walk that is tried


class StepChoice(NamedTuple):
    """A step: length, m, duration, s; how far the zero-moment point stays from the border of the soles and the torso
    from the bounds of the legs in a walk of such steps, m. velocity_share, effort_share: of the limits of the joint
    that is nearest to its own, see `joint_loads`; zero without a body."""

    length: float
    duration: float
    zmp_margin: float
    leg_margin: float
    velocity_share: float = 0.0
    effort_share: float = 0.0

    @property
    def speed(self) -> float:
        """m/s."""
        return self.length / self.duration

    @property
    def room(self) -> float:
        """The smaller of both margins, m; minus infinity if joints are too slow or too weak."""
        return min(self.zmp_margin, self.leg_margin) if self.driven else -np.inf

    @property
    def driven(self) -> bool:
        """Whether the joints are fast and strong enough."""
        return max(self.velocity_share, self.effort_share) <= 1.0


def choose_step(
    model: ReducedModel,
    speed: float,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
) -> StepChoice:
    """The step for a speed, m/s: of those that leave a centimetre of room that whose duration is nearest to the usual
    one, else that with most room. Each is tried by generating a walk. body: whose joints must be fast and strong
    enough.

    Raises `TooFast` if none works.
    """
    if not (np.isfinite(speed) and speed > 0.0):
        raise InvalidInput(f"speed is {speed} m/s; it must be above zero")
    usual = (MotionParameters() if parameters is None else parameters).phase.transition_s
    best: StepChoice | None = None
    for duration in sorted(DURATIONS, key=lambda value: abs(value - usual)):
        choice = try_step(model, speed * duration, duration, parameters=parameters, body=body)
        if choice is not None and choice.room >= _COMFORTABLE:
            return choice
        if choice is not None and (best is None or choice.room > best.room):
            best = choice
    if best is None or best.room < 0.0:
        raise TooFast(speed, model.name)
    return best


def fastest_step(
    model: ReducedModel,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
    tolerance: float = 0.01,
) -> StepChoice:
    """The fastest step that works, found by halving to a tolerance, m/s. body: as for `choose_step`."""
    slow, fast = choose_step(model, 0.1, parameters=parameters, body=body), 4.0
    while fast - slow.speed > tolerance:
        try:
            slow = choose_step(model, (slow.speed + fast) / 2, parameters=parameters, body=body)
        except TooFast:
            fast = (slow.speed + fast) / 2
    return slow


def try_step(
    model: ReducedModel,
    length: float,
    duration: float,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
) -> StepChoice | None:
    """How much room a walk of steps of a length, m, and duration, s, leaves; None if it is refused."""
    try:
        motion = generate_motion(
            speed_walk(model, length, duration), model, parameters=parameters, body=body, check=False
        )
    except InvalidTransition:
        return None
    found = verify_motion(motion, dt=0.01)
    if body is None:
        return StepChoice(length, duration, found.zmp_margin, found.leg_margin)
    loads = joint_loads(motion, body)
    shares = loads.velocity_share, loads.effort_share
    return StepChoice(length, duration, found.zmp_margin, found.leg_margin, *shares)


def speed_walk(model: ReducedModel, length: float, duration: float, *, count: int = _TRIED) -> MotionPlan:
    """A straight walk that speeds up to steps of a length, m, each of a duration, s, keeps that and slows down."""
    dimensions = gait_dimensions(model)
    ramp = [WalkingTransition(forward=length * share, duration=duration) for share in (0.35, 0.7)]
    steps = [*ramp, *[WalkingTransition(forward=length, duration=duration)] * count, *ramp[::-1]]
    return MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))


def walk_at_speed(
    model: ReducedModel,
    distance: float,
    speed: float,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
) -> Motion:
    """A straight walk over a distance, m, at a speed, m/s, with the step of `choose_step`."""
    choice = choose_step(model, speed, parameters=parameters, body=body)
    dimensions = gait_dimensions(model)
    steps = straight(
        distance,
        shortest=0.35 * choice.length,
        longest=choice.length,
        gradient=0.35 * choice.length,
        duration=choice.duration,
    )
    plan = MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))
    return generate_motion(plan, model, parameters=parameters, body=body)


_NAMED = 16  # frames that are named to somebody who has to choose
_TRIED_SHARE, _TRIED_TIME = 0.25, 0.8  # steps that are tried: parts of the leg's length, s


class Finding(NamedTuple):
    """What was looked at. state: "good", "weak" (it walks, but something is left out) or "missing" (it does not walk).
    outcome: what was found. advice: what to do about it, empty if nothing is to be done."""

    what: str
    state: Literal["good", "weak", "missing"]
    outcome: str
    advice: str = ""

    @property
    def told(self) -> str:
        """The old name of `outcome`."""
        warn_renamed("Finding.told", "outcome", depth=3)
        return self.outcome


def check_walking(
    robot: Robot, *, frames: Mapping[str, str] | None = None, sole: Rectangle | None = None
) -> list[Finding]:
    """Findings in the order in which walking needs them; the first that is missing ends the list.

    frames, sole: as for `reduced_model`.
    """
    found = []
    for finding in _findings(robot, frames, sole):
        found.append(finding)
        if finding.state == "missing":
            break
    return found


def _findings(robot: Robot, frames: Mapping[str, str] | None, sole: Rectangle | None) -> Iterator[Finding]:
    yield _base(robot)
    try:
        marks = landmarks(robot, frames)
    except FootfallError as error:
        advice = "name frames of feet and hands: --frame RF=right_sole --frame LF=..."
        advice = (isinstance(error, UnsuitableRobot) and error.advice) or advice
        yield Finding("frames", "missing", str(error), f"{advice}; it has {_some_frames(robot)}")
        return
    yield Finding("frames", "good", ", ".join(f"{name}: {frame}" for name, frame in marks.items()))
    model, machine, finding = _model(robot, frames, sole)
    yield finding
    if model is None:
        return
    yield _limits(machine, model)
    yield _head(machine, model)
    try:
        body = WholeBody(machine, model)
    except FootfallError as error:
        yield Finding("standing", "missing", str(error))
        return
    yield _arms(body)
    yield from _steps(body)


def _some_frames(robot: Robot) -> str:
    """Names that --frame takes: those at the ends of limbs first."""
    inner = {joint.parent for joint in robot.joints}
    names = sorted(
        (name for name in robot.frame_names if name != WORLD), key=lambda name: (name in inner, name)
    )
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} others" if len(names) > _NAMED else "")


def _base(robot: Robot) -> Finding:
    roots = [joint for joint in robot.joints if joint.parent == WORLD]
    if len(roots) == 1 and roots[0].type is JointType.FLOATING:
        return Finding("base", "good", f"it floats; {robot.nv - 6} joints, {robot.mass:.1f} kg")
    kind = roots[0].type.value if roots else "none"
    advice = "load it with a floating base: footfall.load(file, floating_base=True)"
    if kind != JointType.FIXED:
        advice = f"walking is for robots on a floating base; {FOR_OTHERS}"
    return Finding("base", "missing", f"the root is joined to the world by: {kind}", advice)


def _model(
    robot: Robot, frames: Mapping[str, str] | None, sole: Rectangle | None
) -> tuple[ReducedModel | None, Robot, Finding]:
    """The reduced model; frames for standing are added where the robot's own do not do."""
    added = ""
    try:
        try:
            model = reduced_model(robot, frames=frames, sole=sole)
        except MisplacedFrame:
            robot = with_standing_frames(robot, frames=frames)
            model, added = reduced_model(robot, sole=sole), "; frames on the soles were added"
        shaped = with_sole_shapes(robot, (model.frames["RF"], model.frames["LF"]), sole)
        if shaped is not robot:
            robot, added = shaped, f"{added}; feet without shapes stand on boxes of the sole given"
    except FootfallError as error:
        advice = "feet need collision shapes or --sole, x forward and z up; legs a hip, a knee and an ankle"
        advice = (isinstance(error, UnsuitableRobot) and error.advice) or advice
        return None, robot, Finding("soles and legs", "missing", str(error), advice)
    rear, front, right, left = model.sole
    outcome = (
        f"soles {front - rear:.3f} x {left - right:.3f} m, legs {gait_dimensions(model).leg_length:.3f} m, centre of "
        f"mass at {model.com_height:.3f} m{added}"
    )
    return model, robot, Finding("soles and legs", "good", outcome)


def _limits(robot: Robot, model: ReducedModel) -> Finding:
    """Of the joints of legs."""
    names = {
        joint.name
        for foot in ("RF", "LF")
        for joint in joints_between(robot, model.frames["UB"], model.frames[foot])
        if joint.type is not JointType.FIXED and joint.parent != WORLD
    }
    limits = drive_limits(robot)
    lacking = {"positions": [], "speeds": [], "torques": []}  # type: dict[str, list[str]]
    for name in sorted(names):
        place, rate = robot.q_slice(name).start, robot.v_slice(name).start
        if not np.isfinite([robot.lower_limits[place], robot.upper_limits[place]]).all():
            lacking["positions"].append(name)
        if not 0.0 < limits.velocity[rate] < np.inf:  # zero is what descriptions have that know none
            lacking["speeds"].append(name)
        if not 0.0 < limits.effort[rate] < np.inf:
            lacking["torques"].append(name)
    outcome = "; ".join(f"no {kind} of {', '.join(joints)}" for kind, joints in lacking.items() if joints)
    stance = standing_configuration(robot, model)
    advice = "give them in the description, so that speeds can be judged"
    for name in sorted(names):
        place = robot.q_slice(name).start
        low, angle, high = robot.lower_limits[place], stance[place], robot.upper_limits[place]
        if not low <= angle <= high:
            outcome += "; " if outcome else ""
            outcome += f"{name} stands at {angle:.2f} rad, its limits are {low:.2f} to {high:.2f}"
            advice = (
                "limits of the description leave no stance with bent knees: are they those of another joint?"
            )
    if not outcome:
        return Finding("limits", "good", f"of all {len(names)} joints of the legs")
    return Finding("limits", "weak", outcome, advice)


def _head(robot: Robot, model: ReducedModel) -> Finding:
    joints = head_joints(robot, model)
    if joints:
        return Finding("head", "good", ", ".join(name for name, _ in joints))
    return Finding("head", "weak", "no pair of joints that pan and tilt it", "it looks ahead; nothing to do")


def _arms(body: WholeBody) -> Finding:
    try:
        volumes = {hand: float(body.arm(hand).cells.sum() * body.arm(hand).size ** 3) for hand in HANDS}
    except FootfallError as error:
        return Finding("arms", "weak", str(error), "it walks without hands on walls")
    outcome = ", ".join(f"{hand} reaches {volume:.2f} m3" for hand, volume in volumes.items())
    if min(volumes.values()) > 0.0:
        around = "" if body.robot.volumes else "; the robot has no volumes, so that hands may meet its body"
        advice = "footfall volumes fits some" if around else ""
        return Finding("arms", "weak" if around else "good", outcome + around, advice)
    return Finding("arms", "weak", outcome, "it walks without hands on walls; look at the limits of its arms")


def _steps(body: WholeBody) -> Iterator[Finding]:
    """A short walk is planned, followed and judged."""
    model = body.model
    length = _TRIED_SHARE * gait_dimensions(model).leg_length
    step = f"steps of {length:.2f} m in {_TRIED_TIME} s"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motion = generate_motion(speed_walk(model, length, _TRIED_TIME, count=2), model, body=body)
        followed = follow_motion(body.robot, motion, dt=0.01, gain=50.0)
    except FootfallError as error:
        yield Finding("walk", "missing", f"{step}: {error}", "shorter steps, or other legs: see the message")
        return
    balance = followed_balance(body.robot, motion, followed)
    margin = float(balance.margins.min())
    outcome = (
        f"{step}: zero-moment point {1e3 * margin:.0f} mm inside the soles, {1e3 * balance.error:.0f} mm off"
    )
    if margin > 0.0:
        yield Finding("walk", "good", outcome)
    else:
        yield Finding("walk", "missing", outcome, "soles are too small for its legs: shorter or slower steps")
        return
    loads = joint_loads(motion, body)
    fastest, strongest = int(loads.velocity_shares.argmax()), int(loads.effort_shares.argmax())
    outcome = (
        f"{loads.names[fastest]} needs {100 * loads.velocity_share:.0f} % of its speed, "
        f"{loads.names[strongest]} {100 * loads.effort_share:.0f} % of its torque"
    )
    strong = max(loads.velocity_share, loads.effort_share) <= 1.0
    advice = "" if strong else "slower steps, or limits in the description that are true"
    yield Finding("joints", "good" if strong else "weak", outcome, advice)
