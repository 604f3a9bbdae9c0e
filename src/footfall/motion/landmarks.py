"""Which frames of a humanoid are its feet, hands, upper body and head, by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from footfall.errors import InvalidInput, UnknownName, UnsuitableRobot
from footfall.motion.reduced_model import LANDMARKS
from footfall.robot.model import WORLD, JointType, Robot

# What the parts are called, the better names first.
_FEET = ("sole", "foot", "ankle_roll", "ankle")
_LEG_ENDS = ("foot", "sole", "toe", "ankle", "hoof", "calf", "shank", "lower_leg")
# What a robot without legs may do instead.
FOR_OTHERS = "footfall task, footfall workspace and footfall simulate are for arms and bases on wheels"
_HANDS = ("hand", "gripper", "wrist", "lower_arm", "forearm")
_UPPER_BODIES = ("torso", "chest", "trunk", "upper_body", "waist")
_HEADS = ("head", "neck", "camera")
# A right side, and what stands there on the left.
_SIDES = (
    (r"right", "left"),
    (r"Right", "Left"),
    (r"RIGHT", "LEFT"),
    (r"(?<![a-zA-Z])r(?=[_-])", "l"),
    (r"^R(?=[A-Z_-])", "L"),
    (r"^FR(?=[_-])", "FL"),
    (r"(?<=[_-])r$", "l"),
    (r"(?<=[_-])R$", "L"),
)


def landmarks(robot: Robot, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Names of the frames for RF, LF, RH, LH, UB, VTCP: those given, others by their names.

    Frames of feet must lie on the sole, x forward, z up. A robot without arms has its upper body for both hands, see
    `has_hands`. A robot with four legs is refused unless RF and LF are given.
    """
    if not isinstance(given, Mapping | None):
        raise InvalidInput(f"frames are {given!r}; they must be names of frames by {', '.join(LANDMARKS)}")
    found = dict(given or {})
    for name, frame in found.items():
        if name not in LANDMARKS:
            raise UnknownName("landmark", name, LANDMARKS)
        if frame not in robot.frame_names:
            raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")
    if not {"RF", "LF"} <= set(found):
        _refuse_quadrupeds(robot)
    found |= {name: name for name in LANDMARKS if name in robot.frame_names and name not in found}
    names = [name for name in robot.frame_names if name != "world"]
    for (right, left), words in ((("RF", "LF"), _FEET), (("RH", "LH"), _HANDS)):
        if right not in found or left not in found:
            pair = _sided(names, words)
            if pair is None and right == "RH" and not _has_arms(robot, (found["RF"], found["LF"])):
                continue
            if pair is None:
                named = f"--frame {right}=... --frame {left}=..., frames={{{right!r}: ..., {left!r}: ...}}"
                legless = "" if legs_of(robot) else f"; if it has no legs, {FOR_OTHERS}"
                raise UnsuitableRobot(
                    f"robot {robot.name!r} has no pair of frames that look like {right} and {left} by their names "
                    f"({', '.join(words)}); name them: {named}{legless}",
                    advice=f"name frames of feet and hands: --frame {right}=right_sole --frame {left}=...{legless}",
                )
            found.setdefault(right, pair[0])
            found.setdefault(left, pair[1])
    trunk = _carrying(robot, names, _UPPER_BODIES)
    found.setdefault("UB", trunk or robot.bodies[0].name)
    found.setdefault("VTCP", _carrying(robot, names, _HEADS) or found["UB"])
    for hand in ("RH", "LH"):
        found.setdefault(hand, found["UB"])
    return {name: found[name] for name in LANDMARKS}


def has_hands(frames: Mapping[str, str]) -> bool:
    """Whether frames of landmarks are those of a robot with hands."""
    return frames["RH"] != frames["LH"]


def legs_of(robot: Robot) -> list[str]:
    """Bodies at the ends of limbs that are legs by their names, one a limb, in the order of the robot."""
    carriers = {joint.child: joint for joint in robot.joints}
    ends: dict[str, tuple[int, str]] = {}
    for body in robot.bodies:
        word = next((k for k, word in enumerate(_LEG_ENDS) if word in body.name.lower()), None)
        if word is None:
            continue
        limb, name = "", body.name
        while name != WORLD:
            joint = carriers[name]
            # The uppermost joint that moves below the root is the limb's.
            if joint.type is not JointType.FIXED and joint.parent != WORLD:
                limb = joint.name
            name = joint.parent
        if limb and word <= ends.get(limb, (word, ""))[0]:
            ends[limb] = word, body.name
    return [name for _, name in ends.values()]


def _refuse_quadrupeds(robot: Robot) -> None:
    legs = legs_of(robot)
    if len(legs) >= 4:
        raise UnsuitableRobot(
            f"robot {robot.name!r} has {len(legs)} legs ({', '.join(legs)}), and walking is for bipeds; for robots "
            "with four legs there are footfall simulate (a trained one: --policy go2), footfall quadruped (trot, fall, "
            "jump) and the gaits of footfall.gait; frames={'RF': ..., 'LF': ...} walks on two of them",
            advice="footfall simulate (--policy go2), footfall quadruped; or two of its legs: --frame RF=... "
            "--frame LF=...",
        )


def _has_arms(robot: Robot, feet: tuple[str, str]) -> bool:
    """Whether two limbs that do not hang on legs have a shoulder and an elbow, whatever they are called."""
    tree = robot.tree
    right, left = (set(tree.path(tree.attachments[foot].link)) for foot in feet)
    legs, trunk = right ^ left, right & left
    paths = [
        set(tree.path(link)) - trunk for link in range(len(tree.links)) if not legs & set(tree.path(link))
    ]
    return any(
        len(one - other) >= 2 and len(other - one) >= 2 for n, one in enumerate(paths) for other in paths[:n]
    )


def _sided(names: list[str], words: tuple[str, ...]) -> tuple[str, str] | None:
    for word in words:
        for name in names:
            if word not in name.lower():
                continue
            for pattern, other in _SIDES:
                mirrored = re.sub(pattern, other, name)
                if mirrored != name and mirrored in names:
                    return name, mirrored
    return None


def _carrying(robot: Robot, names: list[str], words: tuple[str, ...]) -> str | None:
    """The frame farthest from the root that is called so, without a side."""
    attachments = robot.tree.attachments
    for word in words:
        fitting = [
            name for name in names if word in name.lower() and _sided([name, *names], (name.lower(),)) is None
        ]
        if fitting:
            return max(fitting, key=lambda name: (attachments[name].link, -len(name)))
    return None
