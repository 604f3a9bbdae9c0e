"""Closing the loops of one sub-system on numbers: what the analysis of a robot, and errors about it, need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.arrays import Array
from footfall.errors import LoopClosureError
from footfall.math.rotations import normalised, quaternion_from_rotation_vector, quaternion_product
from footfall.robot.joint_poses import joint_transform
from footfall.robot.loop_equations import Cut, loop_equations
from footfall.robot.loops import LoopType
from footfall.robot.subsystems import Subsystem
from footfall.robot.tree import Tree

CLOSED = 1e-10  # of a loop's size: residuals below are closed
# Of a loop's size: what rounded numbers of a description leave where no joint can help, across a plane linkage say.
_WRITTEN = 1e-7
_STILL = 1e-13  # rad, or this part of the loop's size: a step that goes nowhere
_COUNTS = {LoopType.POINT: 3, LoopType.HINGE: 5, LoopType.WELD: 6}
_ITERATIONS = 60
_ROUNDING = 8.0  # times smaller residuals, where both are small, are chance
_LONGEST_STEP = 0.5  # rad, or this part of the loop's size: longest step of a joint in one iteration


@dataclass(frozen=True, eq=False)
class LoopSystem:
    """The loops of one sub-system."""

    tree: Tree
    subsystem: Subsystem
    cuts: tuple[Cut, ...]

    @cached_property
    def velocities(self) -> list[int]:
        """Tree velocities of the members."""
        links = [self.tree.links[k] for k in self.subsystem.links]
        return [velocity for link in links for velocity in range(link.v.start, link.v.stop)]

    @cached_property
    def size(self) -> float:
        """Length that is typical of the loops, m."""
        lengths = [
            float(np.linalg.norm(self.tree.links[k].placement.translation)) for k in self.subsystem.links
        ]
        lengths += [float(np.linalg.norm(end.placement.translation)) for cut in self.cuts for end in cut.ends]
        lengths += [cut.loop.length for cut in self.cuts]
        return max([*lengths, 1e-3])

    @cached_property
    def scales(self) -> Array:
        """One for a velocity that turns, the size for one that slides; as much more as a gear makes of it."""
        slides = {
            self.tree.links[k].v.start for k in self.subsystem.links if self.tree.links[k].kind == "prismatic"
        }
        scales = {velocity: self.size if velocity in slides else 1.0 for velocity in self.velocities}
        for cut in self.cuts:
            if cut.loop.type in (LoopType.GEAR, LoopType.SCREW):
                sources = [scales[velocity] for _, velocity in cut.coordinates[1:]] or [self.size]
                follows = max(abs(c) * scale for c, scale in zip(cut.loop.coefficients, sources, strict=True))
                own = cut.coordinates[0][1]
                scales[own] = max(scales[own], follows)
        return np.array(list(scales.values()))

    def rows_of(self, position: int) -> slice:
        """Where the equations of a loop stand."""
        counts = [_COUNTS.get(cut.loop.type, 1) for cut in self.cuts]
        return slice(sum(counts[:position]), sum(counts[: position + 1]))

    @cached_property
    def row_scales(self) -> Array:
        """What makes residuals comparable: lengths are divided by the size, angles stay."""
        scales: list[float] = []
        for position, cut in enumerate(self.cuts):
            rows = self.rows_of(position)
            length = not cut.loop.type.is_explicit
            scales += [1 / self.size if length and k < 3 else 1.0 for k in range(rows.stop - rows.start)]
        return np.array(scales)

    def equations(self, q: Array) -> tuple[Array, Array]:
        """Residuals (n,) and Jacobian (n, velocities) in m and rad."""
        residuals, jacobian = [], []
        for cut in self.cuts:
            residual, rows = loop_equations(self.tree, cut, q)
            residuals.append(residual)
            jacobian += [[row.get(velocity, 0.0) for velocity in self.velocities] for row in rows]
        return np.concatenate(residuals).astype(float), np.array(jacobian, dtype=float)

    def moved(self, q: Array, step: Array) -> Array:
        """The configuration after a step (velocities,) of the members."""
        q, by_velocity = q.copy(), dict(zip(self.velocities, step, strict=True))
        for index in self.subsystem.links:
            link = self.tree.links[index]
            turn = np.array([by_velocity[velocity] for velocity in range(link.v.start, link.v.stop)])
            if link.kind == "spherical":
                q[link.q] = normalised(quaternion_product(q[link.q], quaternion_from_rotation_vector(turn)))
            else:
                q[link.q] += turn
        return q


def scaled_jacobian(system: LoopSystem, q: Array) -> Array:
    """Jacobian (n, velocities) without units; equations between joints have length one."""
    jacobian = system.equations(q)[1] * system.scales * system.row_scales[:, None]
    explicit = [system.rows_of(k).start for k, cut in enumerate(system.cuts) if cut.loop.type.is_explicit]
    jacobian[explicit] /= np.linalg.norm(jacobian[explicit], axis=1, keepdims=True)
    return jacobian


def largest_residual(system: LoopSystem, q: Array) -> tuple[float, str]:
    """Largest residual over the size of the loops, and the name of the loop that has it."""
    residual = np.abs(system.equations(q)[0] * system.row_scales)
    largest = [float(residual[system.rows_of(k)].max()) for k in range(len(system.cuts))]
    worst = int(np.argmax(largest))
    for position, cut in enumerate(system.cuts):
        if _is_turned_over(system, cut, q):
            return np.pi, system.cuts[position].loop.name
    return largest[worst], system.cuts[worst].loop.name


def close_freely(system: LoopSystem, q: Array, *, tries: int = 8) -> Array:
    """A closed configuration near q: all joints of the loops move, as little as possible (Gauss-Newton).

    Where that leads nowhere it is tried again from random configurations around. What is closed stays as it is.
    """
    if largest_residual(system, q)[0] < 1e-3 * CLOSED:
        return q
    rng = np.random.default_rng(0)
    best, at = (np.inf, ""), q
    for attempt in range(tries):
        spread = min(0.4 * attempt, 2.0)
        found = system.moved(q, spread * rng.normal(size=len(system.velocities)) * system.scales)
        found = _gauss_newton(system, found if attempt else q, range(len(system.velocities)))
        residual = largest_residual(system, found)
        if residual[0] < CLOSED:
            return found
        if residual[0] < best[0]:
            best, at = residual, found
    raise closure_error(system, at, best)


def close_dependent(system: LoopSystem, q: Array, velocities: Sequence[int]) -> Array:
    """The closed configuration near q in which only these velocities of the tree have moved; q itself if it is closed
    as well as rounding allows, so that files read back to the same numbers."""
    columns = [system.velocities.index(velocity) for velocity in velocities]
    found = _gauss_newton(system, q, columns)
    residual = largest_residual(system, found)
    if residual[0] < CLOSED:
        before = largest_residual(system, q)[0]
        return q if before < CLOSED and before < _ROUNDING * residual[0] + 1e-15 else found
    if residual[0] < _WRITTEN and np.abs(_step(system, found, columns)[0]).max() < _STILL:
        return found
    raise closure_error(system, found, residual, columns)


def _gauss_newton(system: LoopSystem, q: Array, columns: Sequence[int]) -> Array:
    columns = list(columns)
    scales, before = system.scales[columns], np.inf
    for _ in range(_ITERATIONS):
        move, error = _step(system, q, columns)
        if error < 1e-15 or (error < 1e-13 and error > 0.25 * before):
            break
        before = error
        move *= min(1.0, _LONGEST_STEP / max(float(np.abs(move).max()), 1e-300))
        step = np.zeros(len(system.velocities))
        step[columns] = move * scales
        q = system.moved(q, step)
    return q


def _step(system: LoopSystem, q: Array, columns: list[int]) -> tuple[Array, float]:
    """Where linearised equations lead, without units, and the largest residual, of the loops' size."""
    residual, jacobian = system.equations(q)
    residual, matrix = residual * system.row_scales, (jacobian * system.row_scales[:, None])[:, columns]
    move = -np.linalg.lstsq(matrix * system.scales[columns], residual, rcond=1e-9)[0]
    return np.asarray(move, dtype=float), float(np.abs(residual).max())


def closure_error(
    system: LoopSystem, q: Array, residual: tuple[float, str], columns: Sequence[int] = ()
) -> LoopClosureError:
    """Why a loop does not close: it is out of reach, or near a configuration where it is singular."""
    jacobian = scaled_jacobian(system, q)[:, list(columns) or slice(None)]
    values = np.linalg.svd(jacobian, compute_uv=False)
    rank = int(np.count_nonzero(values > 1e-6 * max(float(values.max(initial=0.0)), 1e-12)))
    generic = min(jacobian.shape)
    near = " where it is singular: the joints that follow cannot move it closer" if rank < generic else ""
    cut = next(cut for cut in system.cuts if cut.loop.name == residual[1])
    unit = "rad" if cut.loop.type in (LoopType.GEAR, LoopType.POLYNOMIAL) else "m"
    gap = residual[0] if unit == "rad" else residual[0] * system.size
    message = (
        f"does not close: the nearest that was found leaves {gap:.3g} {unit}{near}; change the lengths, start from "
        "another configuration (one named 'assembly' is the first start), or name other dependent joints"
    )
    return LoopClosureError(message, subject=("loop", residual[1]), residual=gap)


def _is_turned_over(system: LoopSystem, cut: Cut, q: Array) -> bool:
    """Whether a hinge or weld has its residual zero because it is half a turn away."""
    if cut.loop.type not in (LoopType.HINGE, LoopType.WELD):
        return False
    rotations = []
    for end in cut.ends:
        rotation = end.placement.rotation
        for index in system.tree.path(end.link):
            if index == cut.ancestor:
                break
            rotation = joint_transform(system.tree.links[index], q).rotation @ rotation
        rotations.append(rotation)
    turn = rotations[0].T @ rotations[1]
    axis = np.array(cut.loop.axis)
    return bool(axis @ turn @ axis < 0.0 if cut.loop.type is LoopType.HINGE else np.trace(turn) < 1.0)
