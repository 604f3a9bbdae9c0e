"""Equality constraints of a compiled MuJoCo model as mimics and loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.math.transform import Transform
from footfall.robot.description import free_name
from footfall.robot.loops import Loop, LoopType
from footfall.robot.model import Frame, Mimic
from footfall.robot.orientation import matrix_from_quaternion

# MuJoCo's enumerations
_CONNECT, _WELD, _JOINT, _TENDON = range(4)
_OF_SITES = 6
_WRAPS_JOINT = 1
_SCALAR = (2, 3)  # slide and hinge


@dataclass
class Equalities:
    """What the equality constraints say. mimics: by number of the joint. left_out: names of those that no loop says."""

    mimics: dict[int, Mimic] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    tendons: set[int] = field(default_factory=set)


def read_equalities(model: Any, bodies: Sequence[str], joints: Sequence[str], taken: set[str]) -> Equalities:
    """Loops of all active constraints that can be one.

    bodies, joints: names by number. taken: names of bodies and frames; those of new frames are added.
    """
    reader = _Reader(model, bodies, joints, taken, Equalities())
    names: set[str] = set()
    for index in range(model.neq):
        name = free_name(model.eq(index).name or f"equality_{index}", names)
        names.add(name)
        if not model.eq_active0[index] or not reader.read(index, name):
            reader.found.left_out.append(model.eq(index).name or str(index))
    return reader.found


@dataclass(frozen=True)
class _Reader:
    """Adds to what is found, one constraint after the other; a method tells whether it could say it."""

    model: Any
    bodies: Sequence[str]
    joints: Sequence[str]
    taken: set[str]
    found: Equalities

    def read(self, index: int, name: str) -> bool:
        kind = int(self.model.eq_type[index])
        if kind in (_CONNECT, _WELD):
            return self.frames_meet(index, name)
        if kind == _JOINT:
            return self.joints_follow(index, name)
        return kind == _TENDON and self.tendon_holds(index, name)

    def frames_meet(self, index: int, name: str) -> bool:
        model, found, taken = self.model, self.found, self.taken
        ids = (int(model.eq_obj1id[index]), int(model.eq_obj2id[index]))
        data = np.array(model.eq_data[index], dtype=np.float64)
        weld = int(model.eq_type[index]) == _WELD
        sites = {model.site(k).name for k in range(model.nsite)}
        names: list[str] = []
        if int(model.eq_objtype[index]) == _OF_SITES:
            carriers = [self.bodies[int(model.site_bodyid[site])] for site in ids]
            poses = [
                Transform(
                    matrix_from_quaternion(model.site_quat[site].tolist()), np.array(model.site_pos[site])
                )
                for site in ids
            ]
            names = [model.site(site).name for site in ids]
        else:
            carriers = [self.bodies[body] for body in ids]
            # A weld has its point in the second body first, then where the first body has it, and how it is turned.
            points = (data[3:6], data[:3]) if weld else (data[:3], data[3:6])
            turn = matrix_from_quaternion(data[6:10].tolist()) if weld else np.eye(3)
            poses = [Transform(turn, points[0]), Transform(np.eye(3), points[1])]
        if not names or "" in names or {*names} & taken:  # sites with names of their own are frames already
            names = [free_name(f"{name}_{number}", taken | sites) for number in (1, 2)]
            found.frames += [Frame(*each) for each in zip(names, carriers, poses, strict=True)]
            taken.update(names)
        found.loops.append(Loop(name, LoopType.WELD if weld else LoopType.POINT, names[0], names[1]))
        return True

    def joints_follow(self, index: int, name: str) -> bool:
        model, joints, found = self.model, self.joints, self.found
        follower, leader = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        if leader < 0 or any(int(model.jnt_type[joint]) not in _SCALAR for joint in (follower, leader)):
            return False
        start, leader_start = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (follower, leader))
        # MuJoCo's polynomial is one of differences to the start.
        shifted = np.polynomial.Polynomial(model.eq_data[index, :5])(
            np.polynomial.Polynomial([-leader_start, 1.0])
        )
        coefficients = np.trim_zeros(shifted.coef, "b").tolist() or [0.0]
        if len(coefficients) <= 2 and follower not in found.mimics:
            constant, slope = (*coefficients, 0.0)[:2]
            found.mimics[follower] = Mimic(joints[leader], slope, start + constant)
        else:
            pair = (joints[follower], joints[leader])
            padded = tuple([*coefficients, 0.0][: max(2, len(coefficients))])
            found.loops.append(
                Loop(name, LoopType.POLYNOMIAL, joints=pair, coefficients=padded, offset=start)
            )
        return True

    def tendon_holds(self, index: int, name: str) -> bool:
        """One fixed tendon that keeps its length: a weighted sum of joints."""
        model, found = self.model, self.found
        tendon = int(model.eq_obj1id[index])
        first = int(model.tendon_adr[tendon])
        parts = range(first, first + int(model.tendon_num[tendon]))
        if int(model.eq_obj2id[index]) >= 0 or any(
            int(model.wrap_type[part]) != _WRAPS_JOINT for part in parts
        ):
            return False
        pulled = [(self.joints[int(model.wrap_objid[part])], float(model.wrap_prm[part])) for part in parts]
        pulled = [(joint, weight) for joint, weight in pulled if weight]
        if len(pulled) < 2:
            return False
        length = float(model.tendon_length0[tendon]) + float(model.eq_data[index, 0])
        (joint, weight), *others = pulled
        ratios = tuple(-other / weight for _, other in others)
        names = (joint, *(other for other, _ in others))
        found.loops.append(
            Loop(name, LoopType.GEAR, joints=names, coefficients=ratios, offset=length / weight)
        )
        found.tendons.add(tendon)
        return True
