"""A robot in Pinocchio, and vectors in its conventions: the one place where they and ours meet.

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
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pinocchio as pin

from footfall.arrays import Array
from footfall.bench.pinocchio_models import ROOT, model_from_robot, model_from_urdf
from footfall.bench.robots import EXAMPLES, example_file
from footfall.bench.states import BenchState
from footfall.errors import UnknownName, UnsupportedFeature
from footfall.math.rotations import matrix_from_quaternion
from footfall.robot.model import WORLD, Joint, JointType, Robot
from footfall.robot.save import save
from footfall.robot.variants import with_fixed_base


class PinocchioModel:
    """Pinocchio's model of a robot, with the maps between our vectors and its own.

    order_v: (nv,) where our velocities stand in Pinocchio's.
    """

    _with_quaternion: ClassVar[tuple[str, ...]] = ("JointModelSpherical",)

    def __init__(self, robot: Robot, model: Any) -> None:
        self.robot = robot
        self.model = model
        moving = [joint for joint in robot.joints if joint.type is not JointType.FIXED]
        self._joints = [each for joint in moving for each in _chain(model, joint)]
        for joint in self._joints:
            self._require_our_tangent_space(joint)
        places = [range(joint.idx_v, joint.idx_v + joint.nv) for joint in self._joints]
        self.order_v = np.array([k for place in places for k in place], dtype=int)
        if sorted(self.order_v) != list(range(model.nv)) or robot.nv != model.nv:
            message = f"{robot.nv} velocities, Pinocchio's model of it has {model.nv}"
            raise UnsupportedFeature(message, subject=("robot", robot.name))
        model.gravity.linear = np.asarray(robot.gravity)
        model.armature = self.v(robot.armature)
        self.data = model.createData()

    @classmethod
    def from_robot(cls, robot: Robot) -> Self:
        """Converted joint by joint."""
        return cls(robot, model_from_robot(robot))

    @classmethod
    def from_urdf(cls, robot: Robot, path: Path | str, *, floating_base: bool) -> Self:
        """Pinocchio's reading of the file that `robot` was read from."""
        return cls(robot, model_from_urdf(path, floating_base=floating_base))

    def _require_our_tangent_space(self, joint: Any) -> None:
        if joint.nq != joint.nv and not _is_cosine_and_sine(joint) and not self._has_quaternion(joint):
            raise UnsupportedFeature(f"no conversion for Pinocchio's {joint.shortname()}")

    def _has_quaternion(self, joint: Any) -> bool:
        return joint.shortname() in self._with_quaternion

    def q(self, q: Array) -> Array:
        """Our configuration (nq,) in Pinocchio's coordinates."""
        result = np.zeros(self.model.nq)
        start = 0
        for joint in self._joints:
            count = 1 if _is_cosine_and_sine(joint) else joint.nq
            part = q[start : start + count]
            if _is_cosine_and_sine(joint):
                part = np.array([np.cos(part[0]), np.sin(part[0])])
            elif self._has_quaternion(joint):
                part = np.concatenate([part[:-4], np.roll(part[-4:], -1)])
            result[joint.idx_q : joint.idx_q + joint.nq] = part
            start += count
        return result

    def v(self, v: Array) -> Array:
        """Our tangent or force vector (nv,) in Pinocchio's order."""
        result = np.zeros(self.model.nv)
        result[self.order_v] = v
        return result

    def vector(self, theirs: Array) -> Array:
        """Pinocchio's tangent or force vector (nv,) in our order."""
        ours: Array = np.array(theirs).reshape(self.model.nv)[self.order_v]
        return ours

    def columns(self, theirs: Array) -> Array:
        """Pinocchio's (k, nv) with the columns in our order; its bindings drop the axis where nv is 1."""
        ours: Array = np.array(theirs).reshape(-1, self.model.nv)[:, self.order_v]
        return ours

    def matrix(self, theirs: Array) -> Array:
        """Pinocchio's (nv, nv) in our order."""
        square = np.array(theirs).reshape(self.model.nv, self.model.nv)
        ours: Array = square[np.ix_(self.order_v, self.order_v)]
        return ours

    def symmetric(self, theirs: Array) -> Array:
        """Pinocchio's symmetric (nv, nv), of which it fills the upper triangle only, in our order."""
        upper = np.array(theirs).reshape(self.model.nv, self.model.nv)
        return self.matrix(np.triu(upper) + np.triu(upper, 1).T)

    def state(self, state: BenchState) -> BenchState:
        """All of a state in Pinocchio's coordinates and order."""
        return BenchState(self.q(state.q), self.v(state.v), self.v(state.a), self.v(state.tau))

    def frame_id(self, name: str) -> int:
        """Index of Pinocchio's frame of a body or frame."""
        if self.model.existFrame(name, pin.FrameType.BODY):
            return int(self.model.getFrameId(name, pin.FrameType.BODY))
        if not self.model.existFrame(name):
            names = [frame.name for frame in self.model.frames]
            raise UnknownName("frame", name, names, f"Pinocchio's model of {self.robot.name!r}")
        return int(self.model.getFrameId(name))


def _chain(model: Any, joint: Joint) -> list[Any]:
    """Pinocchio's joints that make up a joint, in the order of its coordinates."""
    name = joint.name
    if joint.type is JointType.FLOATING and not model.existJointName(name):
        name = ROOT
    if not model.existJointName(name):
        raise UnknownName("joint", name, model.names, "Pinocchio's model")
    index = model.getJointId(name)
    chain = [model.joints[index]]
    while sum(each.nv for each in chain) < joint.type.velocities and model.parents[index] > 0:
        index = model.parents[index]
        chain.insert(0, model.joints[index])
    return chain


def _is_cosine_and_sine(joint: Any) -> bool:
    """Whether it is a continuous joint as Pinocchio reads it from a file."""
    return bool(joint.nq == 2 and joint.nv == 1)


class FreeFlyerModel(PinocchioModel):
    """The same with Pinocchio's own floating base: linear rates, accelerations and forces in body axes."""

    _with_quaternion = ("JointModelSpherical", "JointModelFreeFlyer")

    def state(self, state: BenchState) -> BenchState:
        q, v, a, tau = super().state(state)
        if is_free_flyer(self.robot):
            root = self.robot.joints[0].name
            ours = self.robot.v_slice(root)
            linear = self.order_v[ours][:3]
            turn = matrix_from_quaternion(state.q[self.robot.q_slice(root)][3:]).T
            v[linear] = turn @ v[linear]
            a[linear] = turn @ a[linear] - np.cross(state.v[ours][3:], v[linear])
            tau[linear] = turn @ tau[linear]
        return BenchState(q, v, a, tau)


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
    exact = PinocchioModel.from_urdf(robot, path, floating_base=is_free_flyer(robot))
    if not is_free_flyer(robot):
        return Peer(exact, exact)
    free = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    return Peer(exact, FreeFlyerModel(robot, free))
