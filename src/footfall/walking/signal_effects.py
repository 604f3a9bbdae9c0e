"""What signals do: orders for the planner, and objects of the scene that come or change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.errors import InvalidInput, UnknownName
from footfall.gait.actions import stamping
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.planning.contacts import Goal
from footfall.planning.teleoperation import VelocityCommand
from footfall.planning.transition_planner import (
    FollowFile,
    FollowSteps,
    GoTo,
    Perform,
    Request,
    Teleoperate,
    WalkStraight,
)
from footfall.robot.shapes import Box
from footfall.scene.model import Material, Scene, SceneObject
from footfall.walking import signals as kinds
from footfall.walking.settings import WalkSettings
from footfall.walking.walker import POINT_DAMPING


def requested(signal: kinds.Signal, settings: WalkSettings) -> Request:
    """What a signal asks of the planner."""
    match signal:
        case kinds.Drive(forward=forward, left=left, turn=turn):
            return Teleoperate(VelocityCommand(forward, left, turn), settings.planning.drive_steps)
        case kinds.WalkTo(x=x, y=y, yaw=yaw):
            return GoTo(Goal(x, y, yaw))
        case kinds.WalkStraight(distance=distance, longest=longest):
            return WalkStraight(distance, shortest=min(0.1, longest), longest=longest)
        case kinds.Follow(plan=plan):
            return FollowFile(plan)
        case kinds.Stamp(steps=steps):
            return FollowSteps(tuple(stamping(steps)))
        case kinds.Bow(angle=angle, hold=hold):
            return Perform("bow", {"angle": angle, "hold": hold})
        case kinds.LookAround(pan=pan, hold=hold):
            return Perform("look_around", {"pan": pan, "hold": hold})
        case kinds.OneLeg(foot=foot, lift=lift, hold=hold):
            return Perform("one_leg", {"foot": foot, "lift": lift, "hold": hold})
        case kinds.Balance(hand=hand, position=position, force=force, hold=hold):
            return Perform("balance", {"hand": hand, "position": position, "force": force, "hold": hold})
        case kinds.Wave(hand=hand, times=times):
            return Perform("wave", {"hand": hand, "times": times})
    raise InvalidInput(f"signal {signal.word!r} asks nothing of the robot")


def added_object(signal: kinds.Add) -> SceneObject:
    """The object that a signal puts into the scene."""
    material = Material(friction=signal.friction)
    if signal.stiffness is not None:
        damping = POINT_DAMPING if signal.damping is None else signal.damping
        material = replace(material, stiffness=signal.stiffness, damping=damping)
    return SceneObject(
        signal.name,
        Box(signal.size),
        Transform(rotation_z(signal.yaw), np.array(signal.position)),
        material,
        category=signal.kind,
        visible=signal.visible,
    )


def changed_objects(signal: kinds.Move | kinds.Surface, scene: Scene) -> list[SceneObject]:
    """Objects as they are after a signal."""
    known = [each.name for each in scene.fixed_objects]
    if isinstance(signal, kinds.Surface) and signal.object == "all":
        chosen = list(scene.fixed_objects)
    elif signal.object in known:
        chosen = [scene.object(signal.object)]
    else:
        raise UnknownName("object at rest or on a given path", signal.object, known, f"scene {scene.name!r}")
    if isinstance(signal, kinds.Move):
        return [replace(chosen[0], placement=_moved(chosen[0].placement, signal), motion=None)]
    given = {name: getattr(signal, name) for name in ("friction", "stiffness", "damping")}
    changes = {name: value for name, value in given.items() if value is not None}
    if signal.stiffness is not None:
        changes["shear_stiffness"] = np.inf  # its spring along the surface follows from the new one
    return [replace(each, material=replace(each.material, **changes)) for each in chosen]


def _moved(placement: Transform, signal: kinds.Move) -> Transform:
    rotation = placement.rotation if signal.yaw is None else rotation_z(signal.yaw)
    return Transform(rotation, np.array(signal.position))
