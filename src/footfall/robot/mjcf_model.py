"""A compiled MuJoCo model as bodies, joints and frames."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform, identity_transform
from footfall.robot.description import free_name
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.mjcf_actuators import read_actuators, read_springs
from footfall.robot.mjcf_equalities import read_equalities
from footfall.robot.mjcf_inertias import LEAST
from footfall.robot.mjcf_left_out import left_out
from footfall.robot.mjcf_pairs import paired_geoms
from footfall.robot.mjcf_shapes import body_geometries, shapes_without_counterpart
from footfall.robot.mjcf_writer import NO_LIMIT, part_names, parts
from footfall.robot.model import WORLD, Body, Frame, Joint, JointType
from footfall.robot.orientation import matrix_from_axis_angle, matrix_from_quaternion
from footfall.robot.tree_loops import ASSEMBLY
from footfall.robot.values import finite_array

# MuJoCo's enumerations
_FREE, _BALL, _SLIDE, _HINGE = range(4)

_TYPES = {_FREE: JointType.FLOATING, _BALL: JointType.SPHERICAL, _SLIDE: JointType.PRISMATIC}


def model_fields(model: Any, meshes: MeshPaths) -> tuple[dict[str, Any], list[RobotError]]:
    """Fields of the `Robot` that a compiled model describes, and what was left out."""
    reader = _ModelReader(model, meshes)
    for index in range(1, model.nbody):
        reader.add_body(index)
    springs, lost_springs = read_springs(model, reader.joint_names)
    fields: dict[str, Any] = {
        "bodies": tuple(reader.bodies),
        "joints": tuple(reader.joints),
        "frames": (*reader.frames(), *reader.equalities.frames),
        "configurations": _configurations(model, looped=bool(reader.equalities.loops)),
        "loops": tuple(reader.equalities.loops),
        "gravity": tuple(model.opt.gravity.tolist()),
        "springs": tuple(springs),
        "apart": reader.apart(),
    }
    return fields, reader.left_out(lost_springs)


def check_numbers(model: Any) -> None:
    """MuJoCo lets through numbers that are not finite; here they would spread before they are noticed."""
    for kind in ("body", "jnt", "site", "geom", "mesh"):
        for part in ("pos", "quat", "ipos", "iquat", "axis", "size"):
            values = getattr(model, f"{kind}_{part}", None)
            if values is not None and len(values):
                finite_array(values, values.shape, f"{kind} {part}", ("model", kind))
    for values, what in (
        (model.qpos0, "qpos0"),
        (model.hfield_data, "heights"),
        (model.hfield_size, "hfield size"),
    ):
        finite_array(values, values.shape, what, ("model", "all"))


class _ModelReader:
    def __init__(self, model: Any, meshes: MeshPaths) -> None:
        self.model, self._meshes = model, meshes
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self._pairs = paired_geoms(model)
        self._geometries = body_geometries(model, meshes, self._pairs)
        self._body_names = _unique(
            [WORLD, *(model.body(i).name or f"body_{i}" for i in range(1, model.nbody))]
        )
        self.joint_names = _unique(
            [
                model.joint(i).name or f"{self._body_names[model.jnt_bodyid[i]]}_joint"
                for i in range(model.njnt)
            ]
        )
        self._taken = set(self._body_names)
        self._taken_by_joints = set(self.joint_names)
        self._actuators = read_actuators(model)
        self.equalities = read_equalities(model, self._body_names, self.joint_names, self._taken)

    def add_body(self, index: int) -> None:
        """Append a body and the chain of joints that carries it."""
        model = self.model
        name = self._body_names[index]
        offset = _pose(model.body_pos[index], model.body_quat[index])
        first = int(model.body_jntadr[index])
        indices = range(first, first + int(model.body_jntnum[index])) if first >= 0 else range(0)
        chain = [self._joint(joint) for joint in indices]
        if any(joint.type is JointType.FLOATING for joint in chain):
            offset = identity_transform()  # qpos is the pose in the world; where the body starts is in qpos0
        compound = _compound(chain) if not self._is_offset(indices) else None
        parent = self._body_names[model.body_parentid[index]]
        body = self._body(index)
        if compound is not None:
            self._append(replace(compound, parent=parent, child=name, placement=offset), body)
            return
        for number, (joint, place) in enumerate(zip(indices, chain, strict=True)):
            pose, after = self._place(joint)
            offset = offset @ pose
            last = number == len(chain) - 1 and after is None
            child = name if last else free_name(f"{name}_{place.name}", self._taken)
            self._taken.add(child)
            carried = body if last else Body(child)
            self._append(replace(place, parent=parent, child=child, placement=offset), carried)
            parent, offset = child, after or identity_transform()
        if parent != name:
            weld = free_name(name, self._taken_by_joints)
            self._taken_by_joints.add(weld)
            self._append(Joint(weld, JointType.FIXED, parent, name, offset), body)

    def _is_offset(self, indices: range) -> bool:
        """Whether a joint does not stand at the body's origin, or turns by the difference to a reference."""
        scalar = [i for i in indices if int(self.model.jnt_type[i]) in (_SLIDE, _HINGE)]
        references = self.model.qpos0[self.model.jnt_qposadr[scalar]]
        return bool(np.any(self.model.jnt_pos[list(indices)]) or np.any(references))

    def _append(self, joint: Joint, body: Body) -> None:
        self.joints.append(joint)
        self.bodies.append(body)

    def _body(self, index: int) -> Body:
        model = self.model
        rotation = matrix_from_quaternion(model.body_iquat[index])
        moments = np.array(model.body_inertia[index])
        moments[moments <= LEAST * (1 + 1e-9)] = 0.0
        with np.errstate(invalid="ignore"):  # what is not finite is refused with the body's name
            inertia = rotation @ np.diag(moments) @ rotation.T
        mass = float(model.body_mass[index])
        visuals, collisions = self._geometries.get(index, ([], []))
        return Body(
            self._body_names[index],
            mass if mass > LEAST * (1 + 1e-9) else 0.0,
            np.array(model.body_ipos[index]),
            (inertia + inertia.T) / 2,
            tuple(visuals),
            tuple(collisions),
        )

    def _joint(self, index: int) -> Joint:
        """A MuJoCo joint by itself; who it carries is filled in later."""
        model = self.model
        kind = int(model.jnt_type[index])
        limited = bool(model.jnt_limited[index]) and kind in (_SLIDE, _HINGE)
        low, high = model.jnt_range[index].tolist() if limited else (-math.inf, math.inf)
        lower, upper = () if low <= -NO_LIMIT else (low,), () if high >= NO_LIMIT else (high,)
        stops = bool(lower or upper)
        dof = int(model.jnt_dofadr[index])
        scalar = kind in (_SLIDE, _HINGE)
        acting = self._actuators
        rotor = acting.rotors.get(index, 0.0) if scalar else 0.0
        gains = acting.gains.get(index)
        return Joint(
            self.joint_names[index],
            _TYPES.get(kind, JointType.REVOLUTE if stops else JointType.CONTINUOUS),
            "",
            "",
            axis=tuple(model.jnt_axis[index].tolist()) if scalar else (0.0, 0.0, 1.0),
            lower=lower,
            upper=upper,
            effort=(acting.efforts[index],) if scalar and index in acting.efforts else (),
            damping=float(model.dof_damping[dof]),
            friction=float(model.dof_frictionloss[dof]),
            armature=float(model.dof_armature[dof]) + rotor,
            mimic=self.equalities.mimics.get(index),
            kp=() if gains is None else gains[:1],
            kd=() if gains is None else gains[1:],
        )

    def _place(self, index: int) -> tuple[Transform, Transform | None]:
        """Pose of the joint frame in the body frame, and of the body frame in the joint frame if it differs.

        MuJoCo turns bodies about an anchor, by the difference to a reference angle (`ref`).
        """
        model = self.model
        kind = int(model.jnt_type[index])
        anchor = np.array(model.jnt_pos[index])
        axis = np.array(model.jnt_axis[index])
        reference = float(model.qpos0[model.jnt_qposadr[index]]) if kind in (_SLIDE, _HINGE) else 0.0
        if kind == _FREE:
            return identity_transform(), None
        if kind == _SLIDE:
            return Transform(np.eye(3), -reference * axis), None
        turn = matrix_from_axis_angle(axis.tolist(), -reference) if kind == _HINGE else np.eye(3)
        back = Transform(np.eye(3), -anchor) if np.any(anchor) else None
        return Transform(turn, anchor), back

    def apart(self) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies that an `exclude` names; those with the world stay, it is no body of the robot."""
        names = self._body_names
        pairs = ((int(each) >> 16, int(each) & 0xFFFF) for each in self.model.exclude_signature)
        return tuple((names[first], names[second]) for first, second in pairs if first and second)

    def frames(self) -> list[Frame]:
        """Named sites; one with the name of a body or another frame gets `_site` behind it."""
        model = self.model
        frames = []
        for index in range(model.nsite):
            name = model.site(index).name
            if not name:
                continue
            if name in self._taken:
                name = free_name(f"{name}_site", self._taken)
            self._taken.add(name)
            body = self._body_names[model.site_bodyid[index]]
            frames.append(Frame(name, body, _pose(model.site_pos[index], model.site_quat[index])))
        return frames

    def left_out(self, springs: list[str]) -> list[RobotError]:
        """What the model has and a robot has not. springs: names of joints whose spring has no counterpart."""
        named = (
            ("equality constraints", self.equalities.left_out),
            ("springs of", springs),
            ("actuators", self._actuators.left_out),
            (
                "shapes (ellipsoids, planes, fields and meshes without a file touch nothing)",
                shapes_without_counterpart(self.model, self._meshes),
            ),
        )
        tendons = self.model.ntendon - len(self.equalities.tendons)
        return [*left_out(self.model, named=named, tendons=tendons, pairs=self._pairs.left)]


def _unique(names: list[str]) -> list[str]:
    """Names with numbers behind those that stood before."""
    taken: set[str] = set()
    result = []
    for name in names:
        result.append(free_name(name, taken))
        taken.add(result[-1])
    return result


def _compound(chain: list[Joint]) -> Joint | None:
    """The joint that the writer split into `name:1`, `name:2`, ...; None if it did not."""
    if not chain:
        return None
    base = chain[0].name.removesuffix(":1")
    types = [joint.type for joint in chain]
    turns = (JointType.REVOLUTE, JointType.CONTINUOUS)
    if len(chain) == 2 and all(kind in turns for kind in types):
        guess = Joint(base, JointType.UNIVERSAL, "", "", axis=chain[0].axis, second_axis=chain[1].axis)
    elif len(chain) == 3 and types[2] in turns:
        guess = Joint(base, JointType.PLANAR, "", "", axis=chain[2].axis)
    elif len(chain) == 4:
        guess = Joint(base, JointType.FLOATING, "", "")
    else:
        return None
    return _filled(guess, chain)


def _filled(guess: Joint, chain: list[Joint]) -> Joint | None:
    """`guess` with the limits of the chain, if the writer makes this chain of it."""
    made = parts(guess)
    if part_names(guess) != [joint.name for joint in chain]:
        return None
    kinds = {"slide": (JointType.PRISMATIC,), "ball": (JointType.SPHERICAL,)}
    for part, joint in zip(made, chain, strict=True):
        if joint.type not in kinds.get(part.type, (JointType.REVOLUTE, JointType.CONTINUOUS)):
            return None
        if part.axis is not None and not np.allclose(part.axis, joint.axis, rtol=0.0, atol=1e-12):
            return None
    lower = tuple(joint.lower[0] if joint.lower else -math.inf for joint in chain)
    upper = tuple(joint.upper[0] if joint.upper else math.inf for joint in chain)
    effort = tuple(joint.effort[0] if joint.effort else math.inf for joint in chain)
    driven = guess.type is not JointType.FLOATING and all(joint.kp for joint in chain)
    limited = guess.type is not JointType.FLOATING
    return replace(
        guess,
        lower=lower if limited and any(map(math.isfinite, lower)) else (),
        upper=upper if limited and any(map(math.isfinite, upper)) else (),
        effort=effort if limited and any(map(math.isfinite, effort)) else (),
        damping=chain[0].damping,
        friction=chain[0].friction,
        armature=chain[0].armature,
        kp=tuple(joint.kp[0] for joint in chain) if driven else (),
        kd=tuple(joint.kd[0] for joint in chain) if driven else (),
    )


def _configurations(model: Any, *, looped: bool) -> dict[str, Array]:
    """Keyframes, and `qpos0` where it is not neutral; loops close there."""
    configurations: dict[str, Array] = {}
    for index in range(model.nkey):
        name = free_name(model.key(index).name or f"key_{index}", configurations)
        configurations[name] = np.array(model.key_qpos[index])
    neutral = np.zeros(model.nq)
    for joint in range(model.njnt):
        kind, start = int(model.jnt_type[joint]), int(model.jnt_qposadr[joint])
        if kind in (_FREE, _BALL):
            neutral[start + (3 if kind == _FREE else 0)] = 1.0
    if not np.array_equal(model.qpos0, neutral):
        configurations.setdefault("qpos0", np.array(model.qpos0))
        if looped:
            configurations.setdefault(ASSEMBLY, np.array(model.qpos0))
    return configurations


def _pose(position: Array, quaternion: Array) -> Transform:
    return Transform(matrix_from_quaternion(quaternion.tolist()), np.array(position))
