"""A robot in Pinocchio, and vectors in its conventions.

Ours: quaternions scalar first, linear rates of a floating base in world axes. Pinocchio: quaternions scalar
last, (cos, sin) for continuous joints, children in alphabetical order, and a free flyer that lives on SE(3)
with linear rates in the axes of the body. A base that is a translation and then a ball joint has our tangent
space; the free flyer is what its users take, and is faster. So results are compared with the one and times with
the other.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from footfall.benchmarks.robots import EXAMPLES, example_file
from footfall.benchmarks.states import State
from footfall.math.rotations import matrix_from_quaternion
from footfall.robot.load import save
from footfall.robot.model import WORLD, Joint, JointType, Robot
from footfall.robot.variants import with_fixed_base

Array = np.ndarray[Any, np.dtype[np.float64]]
_ROOT, _BASE = "root_joint", "root_joint:translation"  # Pinocchio's name, and what we put below it


class PinocchioModel:
    """Pinocchio's model of a robot with the maps between our vectors and its own."""

    def __init__(self, robot: Robot, model: Any) -> None:
        self.robot = robot
        self.model = model
        model.gravity.linear = np.asarray(robot.gravity)
        self._joints = [
            (joint, _first_of(model, joint)) for joint in robot.joints if joint.type is not JointType.FIXED
        ]
        places = [range(first.idx_v, first.idx_v + joint.type.velocities) for joint, first in self._joints]
        self.v_index = np.array(
            [k for place in places for k in place], dtype=int
        )  # where ours stand in theirs
        if sorted(self.v_index) != list(range(model.nv)) or robot.nv != model.nv:
            raise ValueError(f"{robot.name!r} has {robot.nv} velocities, Pinocchio's model {model.nv}")
        model.armature = self.v(robot.armature)
        self.data = model.createData()

    def q(self, q: Array) -> Array:
        """Our configuration (nq,) in Pinocchio's coordinates."""
        result = np.zeros(self.model.nq)
        for joint, first in self._joints:
            part = q[self.robot.q_slice(joint.name)]
            if joint.type.has_quaternion:
                part = np.concatenate([part[:-4], np.roll(part[-4:], -1)])
            elif joint.type.coordinates == 1 and first.nq == 2:
                part = np.array([np.cos(part[0]), np.sin(part[0])])
            result[first.idx_q : first.idx_q + len(part)] = part
        return result

    def v(self, v: Array) -> Array:
        """Our tangent or force vector (nv,) in Pinocchio's order."""
        result = np.zeros(self.model.nv)
        result[self.v_index] = v
        return result

    def vector(self, theirs: Array) -> Array:
        """Pinocchio's vector (nv,), or columns (k, nv), in our order."""
        return np.take(theirs, self.v_index, axis=-1)

    def matrix(self, theirs: Array) -> Array:
        """Pinocchio's (nv, nv) in our order."""
        rows: Array = np.array(theirs)[np.ix_(self.v_index, self.v_index)]
        return rows

    def state(self, state: State) -> State:
        """All of a state in Pinocchio's coordinates and order."""
        return State(self.q(state.q), self.v(state.v), self.v(state.a), self.v(state.tau))

    def body_frame(self, name: str) -> int:
        """Index of the frame of a body."""
        return int(self.model.getFrameId(name, pin.FrameType.BODY))


def _first_of(model: Any, joint: Joint) -> Any:
    """Pinocchio's joint that has the first of our joint's coordinates."""
    names = (_BASE, joint.name, _ROOT) if joint.type is JointType.FLOATING else (joint.name,)
    for name in names:
        if model.existJointName(name):
            return model.joints[model.getJointId(name)]
    raise ValueError(f"no joint {joint.name!r} in Pinocchio's model")


class FreeFlyerModel(PinocchioModel):
    """The same with Pinocchio's own floating base: linear rates, accelerations and forces in body axes."""

    def state(self, state: State) -> State:
        q, v, a, tau = super().state(state)
        root = self.robot.joints[0]
        if is_free_flyer(self.robot):
            ours, place = self.robot.v_slice(root.name), self._joints[0][1].idx_v
            turn = matrix_from_quaternion(state.q[self.robot.q_slice(root.name)][3:]).T
            linear = slice(place, place + 3)
            v[linear] = turn @ v[linear]
            a[linear] = turn @ a[linear] - np.cross(state.v[ours][3:], v[linear])
            tau[linear] = turn @ tau[linear]
        return State(q, v, a, tau)


def is_free_flyer(robot: Robot) -> bool:
    """Whether the base floats freely in the world, the only place for a floating joint here."""
    root = robot.joints[0]
    return root.type is JointType.FLOATING and root.parent == WORLD


class Peer(NamedTuple):
    """exact: has our tangent space, for comparing. fast: has Pinocchio's free flyer, for timing."""

    exact: PinocchioModel
    fast: PinocchioModel


def build_peer(name: str, robot: Robot) -> Peer:
    """Pinocchio's reading of the robot's URDF; of a robot that has none, of the URDF that we write."""
    if name in EXAMPLES:
        return _read(robot, example_file(name))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        plain = replace(with_fixed_base(robot) if is_free_flyer(robot) else robot, frames=())
        save(plain, path)
        return _read(robot, path)


def _read(robot: Robot, path: Path) -> Peer:
    if not is_free_flyer(robot):
        model = PinocchioModel(robot, pin.buildModelFromUrdf(str(path)))
        return Peer(model, model)
    ball = pin.buildModelFromUrdf(str(path), pin.JointModelSpherical())
    free = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    return Peer(PinocchioModel(robot, _on_translation(ball)), FreeFlyerModel(robot, free))


def _on_translation(model: Any) -> Any:
    """Set a model afloat whose root is a ball joint. As one composite joint it would have wrong derivatives."""
    afloat = pin.Model()
    afloat.addJoint(0, pin.JointModelTranslation(), pin.SE3.Identity(), _BASE)
    for index in range(1, model.njoints):
        parent = model.parents[index] + 1
        afloat.addJoint(parent, model.joints[index], model.jointPlacements[index], model.names[index])
        afloat.appendBodyToJoint(index + 1, model.inertias[index], pin.SE3.Identity())
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY:
            moved = pin.Frame(frame.name, frame.parentJoint + 1, 0, frame.placement, frame.type)
            afloat.addFrame(moved, False)
    return afloat
