"""Contact impulses by Newton's method in the robot's velocities: a few steps, however redundant the contacts are.

Every step takes each contact and joint row for a spring at its natural map (`footfall.contact.law`) and solves
`(M + J^T K J) dv = J^T shift`. That matrix has the zeros of the mass matrix, so a step costs about as much as the
factorisation of the mass matrix and grows with the number of bodies in contact, not of points. A step is halved until
the natural map gets smaller. Where this goes in circles, other values of reach and softness get out again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, gather, maximum, minimum, repeat, sqrt, where
from footfall.contact.law import (
    LinearLaw,
    follower_law,
    follower_map,
    linear_follower,
    linear_law,
    linear_row,
    made_law,
    natural_map,
    pressing_impulse,
    row_map,
)
from footfall.contact.newton_schedule import (
    HALVINGS,
    LEAST_SOFTNESS,
    MEMORY,
    MOST_SOFTNESS,
    ONE_ROUND,
    ROUND_APART,
    ROUND_WITHOUT_JOINTS,
    NewtonStep,
)
from footfall.dynamics.factorisation import MassFactor, solve_factored, velocity_path
from footfall.math.spatial import symmetric
from footfall.robot.tree import Tree
from footfall.simulation.contact_rows import Row, handed_on, inner
from footfall.simulation.lanes.contacts import JointLaw, StepLaw
from footfall.simulation.lanes.groups import (
    ConstraintGroups,
    SparseRows,
    eliminate,
    solve_sparse,
    untouched,
)

# Steps of Newton's method in the impulses of a few contacts, each between two links of its own, as traced code.
#
# Where there are fewer rows than velocities it takes less work to form the matrix of contacts, `W = J M^-1 J^T`, once
# and solve `(1 + K W) dp = shift` in every step. Each contact's own springs K only mix its three rows, and in the end
# every row is one of a positive matrix, or has no entry but one: elimination needs no pivots.

_LEAST_MOBILITY = 1e-9  # of a contact's own sum: keeps directions in which nothing moves off zero


def delassus_matrix(tree: Tree, factor: MassFactor, rows: Sequence[Row]) -> Array:
    """Velocities (n, n) of all rows by unit impulses, 1/kg."""
    handed = [handed_on(tree, factor, row) for row in rows]
    scaled = [{k: factor.inverse_pivots[k] * entry for k, entry in row.items()} for row in handed]
    return symmetric(len(rows), lambda i, j: inner(scaled[i], handed[j]))


def diagonal_mobilities(delassus: Array) -> list[tuple[Any, Any]]:
    """Mean tangential and normal mobility of each contact, 1/kg."""
    result = []
    for k in range(0, len(delassus), 3):
        first, second, normal = (delassus[k + i, k + i] for i in range(3))
        least = _LEAST_MOBILITY * (first + second + normal) + 1e-200
        result.append((0.5 * (first + second) + least, normal + least))
    return result


def impulse_solver(delassus: Array, linear: Sequence[LinearLaw]) -> Callable[[Array], Array]:
    """A function from the shift (n,) of all rows to the change (n,) of their impulses."""
    size = len(delassus)
    matrix = np.eye(size).astype(object)
    for k, cone in enumerate(linear):
        matrix[3 * k : 3 * k + 3] += cone.stiffness @ delassus[3 * k : 3 * k + 3]
    rows = [dict(enumerate(row)) for row in matrix]
    return lambda shift: solve_sparse([dict(row) for row in rows], shift)


class GroupMotion:
    """Motions of few groups of contacts by the loads on them alone, `m = W f` with `W = G M^-1 G^T` (n, n).

    With springs S of the groups loads and motions are found together: `(1 + W S) m = W f`. By `W = R R^T` that is
    `m = R y`, `(1 + R^T S R) y = R^T f`, which needs no pivots where S is that of a convex problem, however redundant
    the contacts of a group are and whatever some groups cannot do.
    """

    def __init__(self, tree: Tree, factor: MassFactor, groups: ConstraintGroups) -> None:
        self.groups = groups
        self.mobility = delassus_matrix(tree, factor, [row for group in groups.groups for row in group.rows])
        self.root = _root(self.mobility)
        ends = np.cumsum([len(group.rows) for group in groups.groups])
        self.parts = [
            slice(end - len(group.rows), end) for group, end in zip(groups.groups, ends, strict=True)
        ]

    def answer(self, change: Array) -> Array:
        """Change (rows,) of the contacts' velocities by one of their impulses (rows,)."""
        return self._slips(self.mobility @ np.concatenate(self.groups.loads(change)))

    def solver(self, linear: Sequence[LinearLaw]) -> Callable[[Array], Array]:
        """A function from the shift (rows,) to the velocities (rows,) at which springs and motions agree."""
        size, root = len(self.mobility), self.root
        matrix = np.eye(size).astype(object)
        for part, stiffness in zip(self.parts, self.groups.stiffnesses(linear), strict=True):
            for j in range(part.stop):
                first = max(j - part.start, 0)
                pushed = stiffness[:, first:] @ root[part.start + first : part.stop, j]
                for i in range(part.stop):
                    last = max(i - part.start, 0)
                    matrix[i, j] = matrix[i, j] + root[part.start + last : part.stop, i] @ pushed[last:]
        rows = [dict(enumerate(row)) for row in matrix]

        def answered(shift: Array) -> Array:
            load = np.concatenate(self.groups.loads(shift))
            right = np.array([root[k:, k] @ load[k:] for k in range(size)])
            y = solve_sparse([dict(row) for row in rows], right)
            return self._slips(np.array([root[k, : k + 1] @ y[: k + 1] for k in range(size)]))

        return answered

    def _slips(self, motion: Array) -> Array:
        return np.array(self.groups.slips([motion[part] for part in self.parts], relative=True))


def _root(matrix: Array) -> Array:
    """R (n, n), a lower triangle with `R R^T = matrix`, which is positive up to rounding."""
    size = len(matrix)
    root = np.zeros((size, size), dtype=object)
    for j in range(size):
        pivot = matrix[j, j] - _dot(root[j, :j], root[j, :j])
        length = sqrt(maximum(pivot, _LEAST_MOBILITY * matrix[j, j]))
        root[j, j], inverse = length, 1.0 / length
        for i in range(j + 1, size):
            root[i, j] = (matrix[i, j] - _dot(root[i, :j], root[j, :j])) * inverse
    return root


def _dot(a: Array, b: Array) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), start=0.0)


_DESCENTS, _LONGEST_STEP, _TINY = 40, 1e4, 1e-280
_AT_REST = 1e-3  # of the tolerance
_FEW_ROWS = 15  # rows of contacts: up to so many, steps are solved for the impulses


class NewtonResult(NamedTuple):
    """impulses (n,) N s, velocity (nv,) after them, natural-map residual in N s and the number of steps."""

    impulses: Array
    velocity: Array
    residual: Any
    steps: Any


class ContactNewton:
    """The rows of a step, contacts (t1, t2, n each) and then joints, and Newton's method on them."""

    def __init__(
        self,
        tree: Tree,
        inertia: Array,
        factor: MassFactor,
        groups: ConstraintGroups,
        contacts: Sequence[StepLaw],
        joints: Sequence[JointLaw],
    ) -> None:
        self.tree = tree
        self.inertia = inertia
        self.factor = factor
        self.groups = groups
        self.contacts = contacts
        self.joints = joints
        self.first_joint = 3 * len(contacts)
        apart = not joints and not groups.redundant()
        self.kinds = ROUND_APART if apart else ONE_ROUND if joints else ROUND_WITHOUT_JOINTS
        self.delassus: Array | None = None
        self.motion: GroupMotion | None = None
        if apart and self.first_joint <= _FEW_ROWS:
            self.delassus = delassus_matrix(tree, factor, groups.contact_rows())
            mobilities = diagonal_mobilities(self.delassus)
        else:
            mobilities = groups.mobilities(factor.inverse_pivots)
            if not joints and groups.apart() and sum(len(group.rows) for group in groups.groups) <= _FEW_ROWS:
                self.motion = GroupMotion(tree, factor, groups)
        self.leaders = [each.leader for each in groups.contacts]
        self.cones = [
            made_law(along, normal, law.friction, law.extra, law.compliance, law.shear)
            if leader is None
            else follower_law(along, normal, law.friction, law.torsion)
            for (along, normal), law, leader in zip(mobilities, contacts, self.leaders, strict=True)
        ]
        self.joint_mobilities = [
            sum((entry * entry * factor.inverse_pivots[k] for k, entry in law.row.items()), start=0.0)
            for law in joints
        ]

    def solve(self, v: Array, start: Array, *, tolerance: float, scale: float, most: int) -> NewtonResult:
        """Impulses from those to start with (n,), and the velocity v (nv,) that they lead to.

        tolerance: of the natural map, N s. scale: of impulses, N s. most: steps.
        """
        w = self.velocities(v)

        def solved(*_: Any) -> tuple[Any, ...]:
            return tuple(self._iterated(v, start, w, tolerance=tolerance, scale=scale, most=most))

        # All that contacts need is computed only if some of them touch.
        found = repeat(
            solved, (start, v, 0.0, 0.0), count=1, until=lambda *_: self._nothing_touches(start, w)
        )
        return NewtonResult(*found)

    def _nothing_touches(self, p: Array, w: Array) -> Any:
        """Whether impulses of zero are the solution."""
        if any(law.bound < np.inf for law in self.joints):
            return False  # dry friction always acts
        normals = [w[3 * k + 2] for k, leader in enumerate(self.leaders) if leader is None]
        normals += list(w[self.first_joint :])
        nothing: Any = True
        for velocity in normals:
            nothing = (velocity >= 0.0) & nothing
        for impulse in p:
            nothing = (impulse == 0.0) & nothing
        return nothing

    def _iterated(
        self, v: Array, start: Array, w: Array, *, tolerance: float, scale: float, most: int
    ) -> NewtonResult:
        """Newton's method; w (n,): velocities of the rows."""
        columns = schedule(self.kinds, most)
        rounds, changes = (np.where(begins, 1.0, 0.0) for begins in _beginnings(self.kinds, most))

        def step(
            p: Array, w: Array, residual: Any, best: Array, least: Any, merits: Array, count: Any
        ) -> tuple[Any, ...]:
            stuck = gather(rounds, count) * count
            p, w = repeat(
                self._descended, (p, w), count=1, until=lambda *_: (stuck < 0.5) | (least <= tolerance)
            )
            reach, softness, least_softness, leaning = (gather(column, count) for column in columns)
            softness = maximum(softness * (residual / scale), least_softness)
            softness = minimum(maximum(softness, LEAST_SOFTNESS), MOST_SOFTNESS)
            merit = self._merit(p, w, reach)
            merits = np.array([merit, *where(gather(changes, count) > 0.5, 0.0, merits[:-1])])
            p, w = self._step(p, w, reach, softness, leaning, merits, tolerance)
            residual = self.residual(p, w)
            better = residual < least
            best = where(better, p, best)
            return p, w, residual, best, where(better, residual, least), merits, count + 1.0

        residual = self.residual(start, w)
        # What the last step left would add up, so one step is taken even if that were good enough: what rests, rests.
        least = where(residual > _AT_REST * tolerance, maximum(residual, 2.0 * tolerance), residual)
        *_, best, least, _, count = repeat(
            step,
            (start, w, residual, start, least, np.zeros(MEMORY), 0.0),
            count=most,
            until=lambda p, w, residual, best, least, merits, count: least <= tolerance,
        )
        changed = solve_factored(self.tree, self.factor, self.groups.forces(best - start))
        return NewtonResult(best, v + changed, least, count)

    def velocities(self, v: Array) -> Array:
        """Velocities (n,) of all rows, with what their laws add to them."""
        w = self.groups.velocities(v)
        for k, law in enumerate(self.contacts):
            w[3 * k : 3 * k + 3] = w[3 * k : 3 * k + 3] + law.drift
        for k, joint in enumerate(self.joints):
            w[self.first_joint + k] = w[self.first_joint + k] + joint.offset
        return np.array(w)

    def residual(self, p: Array, w: Array) -> Any:
        """The largest entry of the natural map, N s."""
        return _largest(self._natural_map(p, w, 1.0))

    def _natural_map(self, p: Array, w: Array, reach: Any) -> list[Any]:
        values: list[Any] = []
        for k, (cone, leader) in enumerate(zip(self.cones, self.leaders, strict=True)):
            own, speed = p[3 * k : 3 * k + 3], w[3 * k : 3 * k + 3]
            if leader is None:
                values += natural_map(cone, own, speed, reach)
            else:
                values += follower_map(cone, own, speed, self._load(leader, p, w, reach), reach)
        for k, (mobility, law) in enumerate(
            zip(self.joint_mobilities, self.joints, strict=True), self.first_joint
        ):
            values.append(row_map(mobility, law.bound, p[k], w[k], reach))
        return values

    def _load(self, k: int, p: Array, w: Array, reach: Any) -> Any:
        """What presses a contact, N s."""
        return pressing_impulse(self.cones[k], p[3 * k : 3 * k + 3], w[3 * k : 3 * k + 3], reach)

    def _merit(self, p: Array, w: Array, reach: Any) -> Any:
        """Sum of the squares of the natural map, weighted so that it is an energy, J."""
        strands: list[Any] = [0.0] * 4
        for k, (weight, value) in enumerate(
            zip(self._mobilities(), self._natural_map(p, w, reach), strict=True)
        ):
            strands[k % 4] = strands[k % 4] + weight * (value * value)
        return (strands[0] + strands[1]) + (strands[2] + strands[3])

    def _step(
        self,
        p: Array,
        w: Array,
        reach: Any,
        softness: Any,
        leaning: Any,
        merits: Array,
        tolerance: float,
    ) -> tuple[Array, Array]:
        """Impulses and velocities of the rows after one step of Newton's method, shortened as need be.

        merits: (n,) of this and the steps before, of which the greatest must not be exceeded.
        """
        change = self._direction(p, w, reach, softness, leaning, tolerance)
        turned = self._answer(change)
        allowed = merits[0]
        for merit in merits[1:]:
            allowed = maximum(allowed, merit)

        def halve(length: Any, merit: Any) -> tuple[Any, Any]:
            length = 0.5 * length
            return length, self._merit(p + length * change, w + length * turned, reach)

        length, merit = repeat(
            halve, (2.0, np.inf), count=HALVINGS + 1, until=lambda length, merit: merit < allowed
        )
        length = where(merit < np.inf, length, 0.0)  # not if the step is not a number
        return _advanced(p, length, change), _advanced(w, length, turned)

    def _answer(self, change: Array) -> Array:
        """Change (n,) of the rows' velocities by one of the impulses (n,)."""
        if self.delassus is not None:
            return np.asarray(self.delassus @ change)
        if self.motion is not None:
            return self.motion.answer(change)
        moved = solve_factored(self.tree, self.factor, self.groups.forces(change))
        return np.array(self.groups.velocities(moved, relative=True))

    def _descended(self, p: Array, w: Array) -> tuple[Array, Array]:
        """Impulses and velocities of the rows to go on from where Newton's method is stuck.

        The best of some projected gradient steps, each as long as the one before would have had to be (Barzilai and
        Borwein).
        """

        def descend(p: Array, w: Array, length: Any, best: Array, least: Any) -> tuple[Any, ...]:
            change = -np.array(self._natural_map(p, w, length))
            turned = self._answer(change)
            p, w = p + change, w + turned
            size: Any = 0.0
            slope: Any = 0.0
            for mobility, step, turn in zip(self._mobilities(), change, turned, strict=True):
                size, slope = size + mobility * (step * step), slope + step * turn
            length = where(slope > 0.0, minimum(size / maximum(slope, _TINY), _LONGEST_STEP), 1.0)
            residual = self.residual(p, w)
            best = where(residual < least, np.concatenate([p, w]), best)
            return p, w, length, best, minimum(residual, least)

        start = (p, w, 1.0, np.concatenate([p, w]), np.inf)
        *_, best, _ = repeat(descend, start, count=_DESCENTS)
        return best[: len(p)], best[len(p) :]

    def _direction(
        self, p: Array, w: Array, reach: Any, softness: Any, leaning: Any, tolerance: float
    ) -> Array:
        """Newton's change (n,) of the impulses."""
        linear: list[LinearLaw] = []
        for k, (cone, leader) in enumerate(zip(self.cones, self.leaders, strict=True)):
            own, speed = p[3 * k : 3 * k + 3], w[3 * k : 3 * k + 3]
            if leader is None:
                linear.append(linear_law(cone, own, speed, softness, reach, leaning))
            else:
                load, lead = self._load(leader, p, w, reach), linear[leader]
                linear.append(linear_follower(cone, own, speed, softness, load, lead, reach, leaning))
        joints = [
            linear_row(mobility, law.bound, p[k], reach * (1.0 / mobility) * w[k], softness)[0]
            for k, (mobility, law) in enumerate(
                zip(self.joint_mobilities, self.joints, strict=True), self.first_joint
            )
        ]
        springs = [each.stiffness for each in joints]
        # At its own velocity each spring gives another impulse than p: that is what is to change.
        impulses = [entry for each in linear for entry in each.impulse] + [each.impulse for each in joints]
        shift = (np.array(impulses) - p) - self._pushed(w, linear, springs)
        if self.delassus is not None:
            answered = impulse_solver(self.delassus, linear)
        else:
            answered = self._velocity_solver(linear, springs)

        def refined(change: Array) -> Array:
            """Without what softness took from the first answer, up to its square."""
            soft = [
                softness * mobility * entry
                for mobility, entry in zip(self._mobilities(), change, strict=True)
            ]
            return answered(shift + self._pushed(np.array(soft), linear, springs))

        change: Array = repeat(
            refined,
            answered(shift),
            count=1,
            until=lambda change: softness * _largest(change) <= 0.1 * tolerance,
        )
        return change

    def _velocity_solver(
        self, linear: Sequence[LinearLaw], springs: Sequence[Any]
    ) -> Callable[[Array], Array]:
        """A function from the shift (n,) of all rows to the change (n,) of their impulses."""
        if self.motion is not None:
            moved = self.motion.solver(linear)
            return lambda shift: shift - self._pushed(moved(shift), linear, springs)
        matrix: SparseRows = [{} for _ in range(len(self.inertia))]
        for k in range(len(matrix)):
            for j in (k, *velocity_path(self.tree, k)):
                matrix[k][j], matrix[j][k] = self.inertia[k, j], self.inertia[j, k]
        # Arms that touch nothing are eliminated before anything depends on the step: that leaves the loop.
        inverse = eliminate(matrix, [], untouched(matrix, self.groups.touched()))
        self.groups.add_stiffness(matrix, linear, springs)

        def answered(shift: Array) -> Array:
            dv = solve_sparse([dict(row) for row in matrix], self.groups.forces(shift), inverse)
            answer = np.array(self.groups.velocities(dv, relative=True))
            return shift - self._pushed(answer, linear, springs)

        return answered

    def _pushed(self, velocities: Array, linear: Sequence[LinearLaw], springs: Sequence[Any]) -> Array:
        """Impulses (n,) of the springs that stand for contacts and joints, at velocities (n,) of their rows."""
        result: list[Any] = []
        for k, each in enumerate(linear):
            pushed = each.stiffness @ velocities[3 * k : 3 * k + 3]
            if (leader := self.leaders[k]) is not None:
                pushed = pushed + velocities[3 * leader + 2] * each.following
            result += list(pushed)
        for spring, velocity in zip(springs, velocities[self.first_joint :], strict=True):
            result.append(spring * velocity)
        return np.array(result)

    def _mobilities(self) -> list[Any]:
        """Of all rows (n,), 1/kg."""
        result: list[Any] = []
        for cone in self.cones:
            result += [cone.along, cone.along, cone.normal]
        return result + self.joint_mobilities


def schedule(kinds: Sequence[NewtonStep], most: int) -> list[Array]:
    """The columns of `NewtonStep` for each step, (most,) each: round after round."""
    rows = [kinds[k % len(kinds)] for k in range(max(most, 1))]
    return [np.ascontiguousarray(column) for column in np.array(rows).T]


def _beginnings(kinds: Sequence[NewtonStep], most: int) -> tuple[Array, Array]:
    """Of each step (most,): whether a round begins with it, and whether another kind of steps does."""
    numbers = np.arange(max(most, 1)) % len(kinds)
    others = np.array([k == 0 or kinds[k] != kinds[k - 1] for k in range(len(kinds))])
    return numbers == 0, others[numbers]


def _largest(values: Sequence[Any] | Array) -> Any:
    """The largest absolute value."""
    result: Any = 0.0
    for value in values:
        result = maximum(result, absolute(value))
    return result


def _advanced(start: Array, length: Any, change: Array) -> Array:
    return np.array([where(length > 0.0, a + length * b, a) for a, b in zip(start, change, strict=True)])
