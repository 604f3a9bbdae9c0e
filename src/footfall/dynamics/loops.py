"""Looped robots: velocities of all joints from the independent ones, and configurations in which the loops are closed.

A loop is an equation `r(q) = 0` between the joints of the tree. Its derivatives

    J u = 0,    J u' + (dJ/dt) u = 0        u: the velocities of all joints

give the dependent ones by the independent ones v (implicit-function theorem):

    u = G(q) v,    u' = G(q) v' + g(q, v)

Then every algorithm of trees holds for looped robots too: Jacobians become `J G`, forces `G^T tau`, the mass matrix
`G^T M G`. Nothing drifts apart, as a step moves the independent joints and solves for the others (Newton's method from
where they are, so that they stay on their branch). What depends on what, and in which order it is solved, is found
once for a robot (`footfall.robot.loop_structure`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, maximum, repeat, where
from footfall.errors import UnsupportedFeature
from footfall.math.rotations import normalised, quaternion_from_rotation_vector, quaternion_product
from footfall.math.small_systems import solve_small
from footfall.robot.loop_equations import Cut, Equations, Row, loop_acceleration, loop_equations
from footfall.robot.loop_structure import Block, LoopStructure
from footfall.robot.loops import LoopType
from footfall.robot.model import Robot
from footfall.robot.tree import Tree
from footfall.robot.tree_loops import closed_configuration, loop_systems

_ITERATIONS = 12  # of Newton's method from a neighbouring configuration; two or three are usual
_QUADRATIC = 1e-10  # of a loop's size: residual whose square is beyond what numbers tell apart
_EXACT = 1e-14


class Coupling:
    """How the joints of a robot move together in the configuration q (nq,); for a tree it leaves all as it is.

    rows: for each tree velocity its entries of G, independent velocity -> weight.
    """

    def __init__(self, robot: Robot, q: Array) -> None:
        self.tree = robot.tree
        self.q = q
        self.rows: list[Row] = []
        if self.tree.loops is not None:
            self._equations: dict[int, Equations] = {}
            self._find_rows(self.tree.loops)

    @property
    def structure(self) -> LoopStructure | None:
        """What couples the joints; None for a tree."""
        return self.tree.loops

    def _find_rows(self, structure: LoopStructure) -> None:
        rows: list[Row] = [{} for _ in range(self.tree.nv)]
        for place, velocity in enumerate(structure.independent):
            rows[velocity] = {place: 1.0}
        for block in structure.blocks:
            equations = self.block_rows(block)
            others = [{k: w for k, w in row.items() if k not in block.velocities} for row in equations]
            columns = sorted({place for row in others for k in row for place in rows[k]})
            right = [
                [
                    -sum(
                        (weight * rows[k][place] for k, weight in row.items() if place in rows[k]), start=0.0
                    )
                    for place in columns
                ]
                for row in others
            ]
            solved = solve_small(self._matrix(block), np.array(right).reshape(len(others), len(columns)))
            for velocity, entries in zip(block.velocities, solved, strict=True):
                rows[velocity] = dict(zip(columns, entries, strict=True))
        self.rows = rows

    def block_rows(self, block: Block) -> list[Row]:
        """Equations of a block: tree velocity -> entry."""
        assert self.tree.loops is not None
        combined: list[Row] = []
        for row in block.rows:
            if row.cut not in self._equations:
                self._equations[row.cut] = loop_equations(self.tree, self.tree.loops.cuts[row.cut], self.q)
            parts = self._equations[row.cut].rows
            velocities = sorted({k for number, _ in row.weights for k in parts[number]})
            entries: Row = {
                k: _weighted(row.weights, [part.get(k, 0.0) for part in parts]) for k in velocities
            }
            combined.append({k: entry for k, entry in entries.items() if not _vanishes(entry)})
        return combined

    def _matrix(self, block: Block) -> Array:
        rows = self.block_rows(block)
        return np.array([[row.get(k, 0.0) for k in block.velocities] for row in rows])

    def velocity(self, v: Array) -> Array:
        """Velocities of all joints (tree nv,) from the independent ones v (nv,): `G v`."""
        if self.tree.loops is None:
            return v
        return np.array([sum((w * v[k] for k, w in row.items()), start=0.0) for row in self.rows])

    def acceleration(self, v: Array, a: Array) -> Array:
        """Accelerations of all joints (tree nv,) from v and the independent accelerations a (nv,): `G a + g`."""
        if self.tree.loops is None:
            return a
        return self.velocity(a) + self.bias(v)

    def bias(self, v: Array) -> Array:
        """g (tree nv,): accelerations of all joints in constant v (nv,)."""
        structure, tree = self.tree.loops, self.tree
        if structure is None:
            return np.zeros(tree.nv)
        velocities = self.velocity(v)
        curvatures = [loop_acceleration(tree, cut, self.q, velocities) for cut in structure.cuts]
        result: list[Any] = [0.0] * tree.nv
        for block in structure.blocks:
            right = []
            for chosen, row in zip(block.rows, self.block_rows(block), strict=True):
                total = _weighted(chosen.weights, curvatures[chosen.cut])
                right.append(
                    -sum((w * result[k] for k, w in row.items() if k not in block.velocities), start=total)
                )
            solved = solve_small(self._matrix(block), np.array(right).reshape(-1, 1))
            for velocity, entry in zip(block.velocities, solved[:, 0], strict=True):
                result[velocity] = entry
        return np.array(result)

    def row(self, row: Row) -> Row:
        """A row over all joints, tree velocity -> entry, as one over v."""
        if self.tree.loops is None:
            return row
        result: Row = {}
        for velocity, entry in row.items():
            for k, weight in self.rows[velocity].items():
                result[k] = result[k] + weight * entry if k in result else weight * entry
        return dict(sorted(result.items()))

    def forces(self, tau: Array) -> Array:
        """Forces on v (nv,), or rows of a matrix (nv, k), from those on all joints of the tree: `G^T tau`."""
        if self.tree.loops is None:
            return tau
        result: list[Any] = [np.zeros(np.shape(tau)[1:]) for _ in self.tree.loops.independent]
        for row, force in zip(self.rows, tau, strict=True):
            for k, weight in row.items():
                result[k] = result[k] + weight * force
        return np.array(result)

    def columns(self, matrix: Array) -> Array:
        """Columns (m, nv) from those of all joints (m, tree nv): `J G`."""
        return matrix if self.tree.loops is None else self.forces(matrix.T).T

    def quadratic(self, matrix: Array) -> Array:
        """`G^T M G` (nv, nv) of a symmetric matrix (tree nv, tree nv); half is computed, and mirrored."""
        structure = self.tree.loops
        if structure is None:
            return matrix
        half = self.columns(matrix)  # M G
        size = len(structure.independent)
        result: list[list[Any]] = [[0.0] * size for _ in range(size)]
        for row, entries in zip(self.rows, half, strict=True):
            for k, weight in row.items():
                for other in range(k + 1):
                    if not _vanishes(entries[other]):
                        result[k][other] = result[k][other] + weight * entries[other]
        return np.array([[result[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)])


def _vanishes(value: Any) -> bool:
    """Whether a value is known to be zero before anything runs."""
    return isinstance(value, (int, float)) and value == 0.0


def damping_of_followers(robot: Robot, coupling: Coupling) -> Array:
    """Damping (nv, nv) that joints which follow from others give to v, N m s/rad."""
    structure = robot.tree.loops
    if structure is None:
        return np.zeros((robot.nv, robot.nv))
    damping = np.array(robot.spanning.damping)
    damping[list(structure.independent)] = 0.0
    return coupling.quadratic(np.diag(damping))


def independent(robot: Robot, values: Array) -> Array:
    """Those of values (tree nv,) that belong to v (nv,)."""
    structure = robot.tree.loops
    return values if structure is None else values[list(structure.independent)]


def tree_step(tree: Tree, q: Array, step: Array) -> Array:
    """The configuration (nq,) after a step (tree nv,) of all joints."""
    parts: list[Array] = [np.zeros(0)]
    for link in tree.links:
        if link.kind == "spherical":
            turn = quaternion_from_rotation_vector(step[link.v])
            parts.append(normalised(quaternion_product(q[link.q], turn)))
        else:
            parts.append(q[link.q] + step[link.v])
    return np.concatenate(parts)


def closed_step(robot: Robot, q: Array, step: Array) -> Array:
    """The closed configuration (nq,) that a step (nv,) of the independent joints leads to.

    The others go along to first order, then Newton's method closes the loops, sub-system by sub-system. Where it does
    not (the loop cannot be closed there, or is singular) all coordinates of the loop are NaN.
    """
    structure, tree = robot.tree.loops, robot.tree
    if structure is None:
        return tree_step(tree, q, step)
    ahead = Coupling(robot, q).velocity(step)
    for block in structure.blocks:
        ahead = _solved_block(robot, block, q, ahead)
    return tree_step(tree, q, ahead)


def _solved_block(robot: Robot, block: Block, q: Array, step: Array) -> Array:
    """The step (tree nv,) with the entries of a block changed until its equations hold."""
    tree, structure = robot.tree, robot.tree.loops
    assert structure is not None
    unknowns = block.velocities
    systems = loop_systems(tree)
    size = next(system.size for system in systems if block.rows[0].cut in system.subsystem.cuts)

    def newton(values: Array, _: Any) -> tuple[Array, Any]:
        at = tree_step(tree, q, _exchanged(step, unknowns, values))
        equations = {row.cut: loop_equations(tree, structure.cuts[row.cut], at) for row in block.rows}
        residual = [_weighted(row.weights, equations[row.cut].residual) for row in block.rows]
        matrix = [
            [_weighted(row.weights, [part.get(u, 0.0) for part in equations[row.cut].rows]) for u in unknowns]
            for row in block.rows
        ]
        change = solve_small(np.array(matrix), np.array(residual).reshape(-1, 1))[:, 0]
        error = absolute(residual[0])
        for entry in residual[1:]:
            error = maximum(error, absolute(entry))
        return values - change, error

    start = np.array([step[unknown] for unknown in unknowns])
    if len(unknowns) == 1 and _is_formula(tree, structure.cuts[block.rows[0].cut], unknowns[0]):
        # A formula: one step is exact from anywhere.
        return _exchanged(step, unknowns, newton(start, size)[0])
    turning = any(
        link.kind == "spherical" and {*range(link.v.start, link.v.stop)} & {*unknowns} for link in tree.links
    )
    # On ball joints convergence is not quadratic, as a step is a rotation vector from the start.
    precision = (_EXACT if turning else _QUADRATIC) * size
    count = 4 * _ITERATIONS if turning else _ITERATIONS
    values, error = repeat(newton, (start, size), count=count, until=lambda _, error: error <= precision)
    solved = [where(error <= precision, value, np.nan) for value in values]
    return _exchanged(step, unknowns, solved)


def _is_formula(tree: Tree, cut: Cut, unknown: int) -> bool:
    """Whether the equation of a loop is linear in this velocity's coordinate."""
    if cut.loop.type in (LoopType.GEAR, LoopType.ROLLING):
        return True
    if not cut.loop.type.is_explicit or unknown != cut.coordinates[0][1]:
        return False
    own = next(k for k, link in enumerate(tree.links) if link.v.start == unknown)
    return all(own not in tree.path(end.link) for end in cut.ends)


def _exchanged(step: Array, places: Sequence[int], values: Sequence[Any] | Array) -> Array:
    entries = list(step)
    for place, value in zip(places, values, strict=True):
        entries[place] = value
    return np.array(entries)


def _weighted(weights: Sequence[tuple[int, float]], values: Sequence[Any] | Array) -> Any:
    """Sum of some values, each times its weight."""
    return sum((weight * values[k] for k, weight in weights), start=0.0)


def refuse_loops(robot: Robot, what: str) -> None:
    """An error where a looped robot comes to an algorithm for trees."""
    if robot.loops:
        message = f"{what} is for robots without loops; take `robot.spanning`, and the loops as constraints"
        raise UnsupportedFeature(message, subject=("robot", robot.name))


def close_loops(robot: Robot, q: Array) -> Array:
    """The configuration (nq,) with the dependent joints of q (nq,) moved until all loops are closed.

    The independent joints stay. Raises `LoopClosureError` where that cannot be: it names the loop and what is left.
    """
    return closed_configuration(robot, np.asarray(q, dtype=np.float64)).copy()
