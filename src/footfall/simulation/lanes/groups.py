"""Contacts and joint rows as the robot's velocities see them: all contacts between two links are one group.

A single contact has its three rows. Several move with the six of their links' relative motion: velocities, forces and
stiffness of any number of points then cost little more than those of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.law import LinearLaw
from footfall.math.spatial import cross, skew, symmetric
from footfall.simulation.contact_rows import LinkMotion, Row, along, combine, inner
from footfall.simulation.lanes.contacts import JointLaw, LaneContact

# Linear systems of a robot's velocities by elimination that keeps the zeros between branches, as traced code.
#
# From the leaves to the root a tree has no fill-in. Contacts between bodies add entries: which, is known when the code
# is traced. The matrix has a symmetric pattern but need not be symmetric: friction is not.

SparseRows = list[dict[int, Any]]  # row -> column -> entry


def add_entry(rows: SparseRows, i: int, j: int, value: Any) -> None:
    """Add to an entry; a new one also opens its mirror image, so that the pattern stays symmetric."""
    rows[i][j] = rows[i].get(j, 0.0) + value
    rows[j].setdefault(i, 0.0)


def untouched(rows: SparseRows, touched: set[int]) -> list[int]:
    """Rows, last first, that can be eliminated without `touched` ones: all their later columns are such rows too."""
    result: list[int] = []
    for k in reversed(range(len(rows))):
        if k not in touched and all(j in result for j in rows[k] if j > k):
            result.append(k)
    return result


def eliminate(rows: SparseRows, x: list[Any], order: Sequence[int]) -> dict[int, Any]:
    """Eliminate rows in some order, from last to first, in place, with the right side x unless that is empty there.

    Gives the inverse pivots.
    """
    inverse: dict[int, Any] = {}
    for k in order:
        inverse[k] = 1.0 / rows[k][k]
        before = [j for j in rows[k] if j < k]
        for i in before:
            factor = rows[i][k] * inverse[k]
            for j in before:
                rows[i][j] = rows[i].get(j, 0.0) - factor * rows[k][j]
            if x:
                x[i] = x[i] - factor * x[k]
    return inverse


def solve_sparse(rows: SparseRows, right: Array, eliminated: Mapping[int, Any] | None = None) -> Array:
    """x (n,) with `rows x = right`, n^3 / 3 multiplications at most. rows are used up.

    eliminated: inverse pivots of rows that `eliminate` has been through; right must be zero there.
    """
    x, done = list(right), dict(eliminated or {})
    inverse = done | eliminate(rows, x, [k for k in reversed(range(len(rows))) if k not in done])
    for k in range(len(rows)):
        for j in sorted(rows[k]):
            if j < k:
                x[k] = x[k] - rows[k][j] * x[j]
        x[k] = x[k] * inverse[k]
    return np.array(x)


_LEAST_MOBILITY = 1e-9  # of a contact's own sum: keeps directions in which nothing moves off zero


class _Group(NamedTuple):
    """Contacts between two links. rows: of one contact along its axes (3), or of the relative motion [v; w] in world
    axes (6); arms: then (3,) from where that is taken to each contact. base: number of a group on a link further in on
    the same branch, whose motion is taken at the same point; own: the velocities that only this group has."""

    members: list[int]
    rows: list[Row]
    arms: list[Array] | None
    base: int | None
    own: list[int]

    def column(self, velocity: int) -> Array:
        return np.array([row[velocity] for row in self.rows])


class ConstraintGroups:
    """The rows of a step: three for each contact, then one for each joint law."""

    def __init__(
        self, motion: LinkMotion, contacts: Sequence[LaneContact], joints: Sequence[JointLaw]
    ) -> None:
        self.size = len(motion.tree.parent_velocity)
        self.contacts = contacts
        self.joints = joints
        members: dict[tuple[int, int], list[int]] = {}
        for k, contact in enumerate(contacts):
            members.setdefault(contact.links, []).append(k)
        self.groups: list[_Group] = []
        # link -> number of its group against the world, where it is taken
        points: dict[int, tuple[int, Array]] = {}
        for links, numbers in sorted(members.items(), key=lambda item: len(motion.tree.path(item[0][0]))):
            shares = links[1] < 0 and len(numbers) > 1 and motion.tree.loops is None
            branch = motion.tree.path(links[0])[1:] if shares else []
            base = next((points[link] for link in branch if link in points), None)
            group, point = _group(motion, links, numbers, [contacts[k] for k in numbers], base)
            if base is not None:
                inner_ones = set(self.groups[base[0]].rows[0])
                group = group._replace(own=[k for k in group.own if k not in inner_ones])
            if shares:
                points[links[0]] = (len(self.groups), point)
            self.groups.append(group)

    def cliques(self) -> list[set[int]]:
        """The velocities that each group couples, and each joint that moves with several."""
        return [set(group.rows[0]) for group in self.groups] + [
            set(law.row) for law in self.joints if len(law.row) > 1
        ]

    def touched(self) -> set[int]:
        """The velocities that any row depends on."""
        rows = [set(law.row) for law in self.joints]
        return set().union(*self.cliques(), *rows)

    def apart(self) -> bool:
        """Whether no group moves with another one on its branch."""
        return all(group.base is None for group in self.groups)

    def contact_rows(self) -> list[Row]:
        """The rows (t1, t2, n) of all contacts, where no two links touch in more than one point."""
        groups = sorted(self.groups, key=lambda group: group.members[0])
        return [row for group in groups for row in group.rows]

    def redundant(self) -> bool:
        """Whether two links touch in more than one point."""
        return any(len(group.members) > 1 for group in self.groups)

    def velocities(self, v: Array, *, relative: bool = False) -> list[Any]:
        """Velocities (rows,) at v (nv,); relative: without that of surfaces on a given path."""
        motions: list[Array] = []
        for group in self.groups:
            own = [{k: row[k] for k in group.own} for row in group.rows]
            motion = np.array([along(row, v) for row in own])
            motions.append(motion if group.base is None else motions[group.base] + motion)
        return self.slips(motions, relative=relative) + [law.sign * along(law.row, v) for law in self.joints]

    def slips(self, motions: Sequence[Array], *, relative: bool = False) -> list[Any]:
        """Velocities (3 contacts,) of contacts whose groups have these motions along their rows."""
        result: list[Any] = [0.0] * (3 * len(self.contacts))
        for group, motion in zip(self.groups, motions, strict=True):
            for k, number in enumerate(group.members):
                contact = self.contacts[number]
                if contact.leader is not None:
                    velocity = contact.frame.T @ (motion[3:] if relative else motion[3:] - contact.turned)
                    result[3 * number : 3 * number + 3] = velocity
                    continue
                if group.arms is not None:
                    point = motion[:3] + cross(motion[3:], group.arms[k])
                    velocity = contact.frame.T @ point
                else:
                    velocity = motion
                if not relative:
                    velocity = velocity - contact.frame.T @ contact.carried
                result[3 * number : 3 * number + 3] = velocity
        return result

    def forces(self, p: Array) -> Array:
        """Impulses (nv,) on the velocities of impulses (rows,)."""
        result: list[Any] = [0.0] * self.size
        carried = self._carried(self.loads(p))
        for group, load in zip(self.groups, carried, strict=True):
            for row, entry in zip(group.rows, load, strict=True):
                for velocity in group.own:
                    result[velocity] = result[velocity] + row[velocity] * entry
        for k, law in enumerate(self.joints):
            impulse = law.sign * p[3 * len(self.contacts) + k]
            for velocity, entry in law.row.items():
                result[velocity] = result[velocity] + entry * impulse
        return np.array(result)

    def add_stiffness(self, matrix: SparseRows, cones: Sequence[LinearLaw], joints: Sequence[Any]) -> None:
        """Add `J^T K J` to a matrix, K with the stiffness of each contact and of each joint row."""
        carried = self._carried(self.stiffnesses(cones))
        for group, stiffness in zip(self.groups, carried, strict=True):
            columns = {j: group.column(j) for j in sorted(group.rows[0])}
            own = set(group.own)
            for j in group.own:
                pushed, turned = stiffness @ columns[j], stiffness.T @ columns[j]
                for i, column in columns.items():
                    add_entry(matrix, i, j, _product(column, pushed))
                    if i not in own:
                        add_entry(matrix, j, i, _product(column, turned))
        for law, spring in zip(self.joints, joints, strict=True):
            for i, entry in law.row.items():
                for j, other in law.row.items():
                    add_entry(matrix, i, j, entry * other * spring)

    def _carried(self, parts: list[Array]) -> list[Array]:
        """What belongs to each group, with that of the groups further out on its branch."""
        for number in reversed(range(len(self.groups))):
            base = self.groups[number].base
            if base is not None:
                parts[base] = parts[base] + parts[number]
        return parts

    def loads(self, p: Array) -> list[Array]:
        """What impulses (rows,) are along the rows of each group, (3,) or (6,)."""
        return [self._load(group, p) for group in self.groups]

    def stiffnesses(self, cones: Sequence[LinearLaw]) -> list[Array]:
        """Of each group along its rows, (3, 3) or (6, 6)."""
        return [self._stiffness(group, cones) for group in self.groups]

    def _load(self, group: _Group, p: Array) -> Array:
        """Impulses (3,) or wrench (6,) of a group along its rows."""
        if group.arms is None:
            first = 3 * group.members[0]
            return np.array(p[first : first + 3])
        wrench = np.zeros(6)
        for number, arm in zip(group.members, group.arms, strict=True):
            force = self.contacts[number].frame @ p[3 * number : 3 * number + 3]
            if self.contacts[number].leader is not None:
                wrench = wrench + np.array([0.0, 0.0, 0.0, *force])
                continue
            wrench = wrench + np.array([*force, *cross(arm, force)])
        return wrench

    def _stiffness(self, group: _Group, cones: Sequence[LinearLaw]) -> Array:
        """Stiffness (3, 3) or (6, 6) of a group along its rows."""
        if group.arms is None:
            return cones[group.members[0]].stiffness
        total = np.zeros((6, 6))
        for number, arm in zip(group.members, group.arms, strict=True):
            frame = self.contacts[number].frame
            local = frame @ cones[number].stiffness @ frame.T
            if (leader := self.contacts[number].leader) is not None:
                normal = self.contacts[leader].at.normal
                led = np.array([*normal, *cross(arm, normal)])
                push = np.array([0.0, 0.0, 0.0, *(frame @ cones[number].following)])
                total = total + np.outer(push, led)
                total[3:, 3:] = total[3:, 3:] + local
                continue
            turn = skew(arm)
            carried = local @ turn
            total = total + np.block([[local, -carried], [turn @ local, -(turn @ carried)]])
        return total

    def mobilities(self, inverse_pivots: Array) -> list[tuple[Any, Any]]:
        """Mean tangential and normal mobility of each contact, 1/kg: about the diagonal of the Delassus matrix.

        The factor's pivots stand for the whole mass matrix: what a joint feels while all those beyond it give way.
        """
        result: list[tuple[Any, Any]] = [(0.0, 0.0)] * len(self.contacts)
        for group in self.groups:
            scaled = [{k: inverse_pivots[k] * entry for k, entry in row.items()} for row in group.rows]
            whole = symmetric(len(scaled), lambda i, j: inner(scaled[i], group.rows[j]))  # noqa: B023
            for k, number in enumerate(group.members):
                if group.arms is None:
                    diagonal = [whole[i, i] for i in range(3)]
                else:
                    axes = self.contacts[number].frame.T
                    reach = [np.array([*axis, *cross(group.arms[k], axis)]) for axis in axes]
                    if self.contacts[number].leader is not None:
                        reach = [np.array([0.0, 0.0, 0.0, *axis]) for axis in axes]
                    diagonal = [_product(row, whole @ row) for row in reach]
                least = _LEAST_MOBILITY * (diagonal[0] + diagonal[1] + diagonal[2]) + 1e-200
                result[number] = (0.5 * (diagonal[0] + diagonal[1]) + least, diagonal[2] + least)
        return result


def _group(
    motion: LinkMotion,
    links: tuple[int, int],
    members: list[int],
    contacts: Sequence[LaneContact],
    base: tuple[int, Array] | None,
) -> tuple[_Group, Array]:
    """A group, and the point (3,) where its motion is taken: that of its base, if it has one."""
    first, second = links
    if len(members) == 1:
        point, frame = contacts[0].at.position, contacts[0].frame
        rows = _relative(motion.rows_at(first, point), motion.rows_at(second, point))
        rows = [combine(list(frame[:, k]), rows[:3]) for k in range(3)]
        return _Group(members, rows, None, None, sorted(rows[0])), point
    if base is not None:
        point = base[1]
    else:
        point = motion.poses[max(first, second)].translation if links != (-1, -1) else np.zeros(3)
    rows = _relative(motion.rows_at(first, point), motion.rows_at(second, point))
    arms = [contact.at.position - point for contact in contacts]
    return _Group(members, rows, arms, None if base is None else base[0], sorted(rows[0])), point


def _relative(first: list[Row], second: list[Row]) -> list[Row]:
    return [combine((1.0, -1.0), pair) for pair in zip(first, second, strict=True)]


def _product(a: Array, b: Array) -> Any:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), start=a[0] * b[0])
