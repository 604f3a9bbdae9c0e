"""How far a robot's volumes are from each other, and how its velocities change that.

A kernel gives the poses of the bodies and the motions of the joints, routines the rest: pairs of volumes whose
boxes are far apart are skipped, elements whose spheres are, and a row of the Jacobian has a few entries only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, NativeFunction, call
from footfall.compiler.graph import ACTIVE
from footfall.compiler.routines import record_from_numbers
from footfall.compiler.threads import share_rows
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.jacobians import joint_motions
from footfall.dynamics.kinematics import forward_kinematics
from footfall.dynamics.loops import Coupling
from footfall.errors import RobotError, UnknownName
from footfall.geometry.swept_blocks import RESULT, PairDistance
from footfall.geometry.swept_distance import checked_threshold, new_rows
from footfall.geometry.swept_pairs import (
    DistanceRows,
    Model,
    VolumeDistances,
    all_distances,
    callback,
    distances_at,
    in_one_array,
    pack_model,
)
from footfall.math.spatial import cross
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair, as_pairs, changing_velocities, checked_pairs, pair_places

_POSES_A_PIECE = 32  # configurations that a thread measures at a time, in a millisecond or so


class _Carried(NamedTuple):
    position: Array
    rotation: Array
    motions: Array


def volume_distances(
    robot: Robot,
    q: Array,
    *,
    pairs: Sequence[Pair] | None = None,
    threshold: float = math.inf,
    threads: int | None = None,
) -> VolumeDistances:
    """Distances of the robot's volumes at a configuration q (nq,) or a batch of them (batch, nq).

    pairs: names of volumes, two and two; by default those that the robot names, or all that move against each other
    without being neighbours. threshold: m; pairs farther apart get a bound from below instead of a distance
    (Schwienbacher 2014, chapter 6). threads: for batches, how many share the work (default: all cores). Inside a
    trace it is traced, too.
    """
    plan = volume_plan(robot, pairs, threshold)
    if ACTIVE.get() is not None:
        return _traced(robot, plan, q)
    positions, rotations, motions = plan.kernel(q)
    if positions.ndim == 2:
        found = distances_at(plan.model, positions, rotations, motions)
        return found._replace(jacobian=independent_rows(robot, q, found.jacobian)) if robot.loops else found
    batch, count = len(positions), plan.pairs
    results, rows = new_rows(batch * count), np.empty((batch * count, robot.tree.nv))

    def measure(part: slice) -> None:
        own = slice(part.start * count, part.stop * count)
        places, turns, rates = (
            each[part].reshape(-1, *each.shape[2:]) for each in (positions, rotations, motions)
        )
        room = DistanceRows(*[_part(each, own) for each in results])
        all_distances(plan.model, places, turns, rates, room, rows[own])

    share_rows(measure, batch, piece=_POSES_A_PIECE, threads=threads)
    found = VolumeDistances(*[_reshaped(each, batch, count) for each in (*results, rows)])
    return found._replace(jacobian=independent_rows(robot, q, found.jacobian)) if robot.loops else found


def _part(rows: Any, part: slice) -> Any:
    return rows[part]


def _reshaped(rows: Any, batch: int, count: int) -> Any:
    return rows.reshape(batch, count, *rows.shape[1:])


def free_pairs(robot: Robot, q: Array) -> tuple[Pair, ...]:
    """Those pairs of the robot's volumes that do not overlap at a configuration q (nq,), or at any of (batch, nq).

    For a robot with fitted volumes: neighbours of neighbours, as in a hip, may never come apart. Considered are its
    named pairs, or all that move against each other.
    """
    least = np.atleast_2d(volume_distances(robot, q).distance).min(axis=0)
    return tuple(pair for pair, gap in zip(checked_pairs(robot), least, strict=True) if gap > 0.0)


class VolumePlan(NamedTuple):
    """What is the same at all configurations.

    chosen: names of the pairs. bodies: those that carry volumes. columns: see `pack_model`.
    """

    chosen: tuple[Pair, ...]
    bodies: tuple[str, ...]
    columns: list[list[tuple[int, float]]]
    model: Model
    kernel: Kernel

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.columns)


def volume_plan(robot: Robot, pairs: Sequence[Pair] | None, threshold: float) -> VolumePlan:
    """What the distances of some pairs need, made once and kept with the robot."""
    key = ("volume distances", None if pairs is None else as_pairs(pairs), threshold)
    plan = robot.tree.kernels.get(key)
    if plan is None:
        plan = robot.tree.kernels[key] = _new_plan(robot, key[1], threshold)
    found: VolumePlan = plan
    return found


def _new_plan(robot: Robot, pairs: tuple[Pair, ...] | None, threshold: float) -> VolumePlan:
    owner, names = f"robot {robot.name!r}", {volume.name for volume in robot.volumes}
    if not names:
        message = "has no volumes; give them in its file or use footfall.volumes.fit_volumes"
        raise RobotError(message, subject=("robot", robot.name))
    chosen = checked_pairs(robot) if pairs is None else pairs
    for name in (name for pair in chosen for name in pair):
        if name not in names:
            raise UnknownName("volume", name, sorted(names), owner)
    if not chosen:
        message = "has no pair of volumes that could meet; name pairs"
        raise RobotError(message, subject=("robot", robot.name))
    bodies = tuple(dict.fromkeys(volume.body for volume in robot.volumes))
    places = pair_places(robot, chosen)
    columns = [
        changing_velocities(robot.tree, robot.volumes[i].body, robot.volumes[j].body) for i, j in places
    ]
    model = pack_model(
        [volume.shape for volume in robot.volumes],
        [bodies.index(volume.body) for volume in robot.volumes],
        places,
        threshold=checked_threshold(threshold),
        columns=columns,
    )
    return VolumePlan(tuple(chosen), bodies, columns, model, carried_kernel(robot, bodies))


def carried_kernel(robot: Robot, bodies: Sequence[str]) -> Kernel:
    """Native code q -> poses of bodies, and the motions (6, nv of the tree) of joints at the origin of the world."""
    return _carried.kernel(robot, bodies=bodies)


def independent_rows(robot: Robot, q: Array, rows: Array) -> Array:
    """Rows (..., nv of the tree) on the velocities of all joints as rows (..., nv) on those that are independent."""
    return rows @ _coupling(robot, q) if robot.loops else rows


@algorithm(q="nq")
def _carried(robot: Robot, q: Array, *, bodies: Sequence[str]) -> _Carried:
    """Poses of bodies, and the motions (6, nv of the tree) of all joints at the origin of the world."""
    position, rotation = forward_kinematics.textbook(robot, q, frames=bodies)
    return _Carried(position, rotation, joint_motions.textbook(robot.spanning, q))


@algorithm(q="nq")
def _coupling(robot: Robot, q: Array) -> Array:
    """How the independent velocities move all joints of a looped robot, (nv of the tree, nv)."""
    return Coupling(robot, q).columns(np.eye(robot.tree.nv))


def _traced(robot: Robot, plan: VolumePlan, q: Array) -> VolumeDistances:
    """The same as symbols: one native call for the distances, the Jacobian traced."""
    position, rotation, motions = _carried.textbook(robot, q, bodies=plan.bodies)
    inputs = np.concatenate([position, rotation.reshape(-1, 9)], axis=1)
    data = in_one_array(plan.model)
    name = f"volumes_{sha256(data.tobytes()).hexdigest()[:16]}"
    native = NativeFunction(name, callback().address, plan.pairs * RESULT, data=data, owner=callback())
    numbers = call(native, inputs).reshape(plan.pairs, RESULT)
    found = [record_from_numbers(PairDistance, each) for each in numbers]
    rows = []
    for each, columns in zip(found, plan.columns, strict=True):
        # Schwienbacher 2014, (5.6), any point along the normal
        wrench = np.concatenate([each.normal, cross(each.first_point, each.normal)])
        row: list[Any] = [0.0] * robot.tree.nv
        for velocity, sign in columns:
            row[velocity] = sign * (wrench @ motions[:, velocity])
        rows.append(row)
    jacobian = Coupling(robot, q).columns(np.array(rows))
    results = {name: np.array([getattr(each, name) for each in found]) for name in PairDistance._fields}
    return VolumeDistances(**results, jacobian=jacobian)
