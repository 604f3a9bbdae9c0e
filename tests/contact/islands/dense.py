"""Islands of free bodies, made from dense arrays that other solvers can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records, routine
from footfall.contact.islands.island import Follower, Group, Island, IslandContact, JointRow, pair_blocks
from footfall.contact.law import made_law
from footfall.contact.problem import ContactProblem
from footfall.math.block_sparse import WIDTH, plan_elimination

GROUND = -1
_fill_pairs = routine(pair_blocks)
DT, GRAVITY = 1e-3, 9.81


@dataclass(frozen=True)
class Contact:
    """Between a body and another or the ground: where (m), frame with the columns (t1, t2, n), drift (m/s): what is
    added to its velocity."""

    first: int
    second: int
    position: Array
    frame: Array
    drift: Array
    friction: float


@dataclass(frozen=True)
class Bodies:
    """n free bodies: positions (n, 3) m, masses (n,) kg, inertias (n, 3) kg m2 about world axes, free (n, 6): their
    velocities without contact; and contacts, ordered by pairs."""

    positions: Array
    masses: Array
    inertias: Array
    free: Array
    contacts: tuple[Contact, ...]

    @property
    def weight(self) -> float:
        """Of all bodies times dt, N s."""
        return float(self.masses.sum()) * GRAVITY * DT

    def inverse_mass(self) -> Array:
        """Diagonal of M^-1 (6 n,)."""
        return np.concatenate(
            [[1 / m] * 3 + list(1 / i) for m, i in zip(self.masses, self.inertias, strict=True)]
        )

    def jacobian(self) -> Array:
        """(3 c, 6 n): velocities of contacts along (t1, t2, n)."""
        result = np.zeros((3 * len(self.contacts), 6 * len(self.masses)))
        for k, contact in enumerate(self.contacts):
            for body, sign in ((contact.first, 1.0), (contact.second, -1.0)):
                if body != GROUND:
                    arm = contact.position - self.positions[body]
                    moved = np.hstack([np.eye(3), -_cross(arm)])
                    result[3 * k : 3 * k + 3, 6 * body : 6 * body + 6] = sign * contact.frame.T @ moved
        return result

    def problem(self) -> ContactProblem:
        """The dense problem `w = J M^-1 J^T p + J v_free + drift`."""
        j = self.jacobian()
        drift = np.concatenate([contact.drift for contact in self.contacts])
        friction = np.array([contact.friction for contact in self.contacts])
        w = (j * self.inverse_mass()) @ j.T
        return ContactProblem(0.5 * (w + w.T), j @ self.free.ravel() + drift, friction)

    def velocities(self, impulses: Array) -> Array:
        """(6 n,) after impulses (3 c,)."""
        return self.free.ravel() + self.inverse_mass() * (self.jacobian().T @ impulses)

    def island(self) -> Island:
        """The same problem as the engine has it."""
        pairs = sorted({(c.first, c.second) for c in self.contacts})
        assert list(self.contacts) == sorted(self.contacts, key=lambda c: (c.first, c.second))
        n, count = len(self.masses), len(self.contacts)
        coupled = np.array([p for p in pairs if GROUND not in p], dtype=np.int64).reshape(-1, 2)
        plan = plan_elimination(n, coupled)
        mass, diagonal = np.zeros((WIDTH * plan.size, WIDTH)), 1.0 / self.inverse_mass().reshape(n, 6)
        pivots, free = np.zeros((n, WIDTH)), np.zeros((n, WIDTH))
        for body in range(n):
            block = np.diag([*diagonal[body], 1.0, 1.0])
            mass[WIDTH * plan.places[body] : WIDTH * (plan.places[body] + 1)] = block
            pivots[body, :6], free[body, :6] = 1.0 / diagonal[body], self.free[body]
        groups, points = new_records(Group, len(pairs)), new_records(IslandContact, count)
        rows, nodes, motions, first_pair, number = np.zeros((3 * count, WIDTH)), [], [], 0, 0
        mobilities = np.diag(self.problem().delassus).reshape(-1, 3)
        for k, pair in enumerate(pairs):
            own = [c for c in self.contacts if (c.first, c.second) == pair]
            centre = np.mean([c.position for c in own], axis=0)
            bodies = [(body, sign) for body, sign in zip(pair, (1.0, -1.0), strict=True) if body != GROUND]
            groups[k] = (number, len(own), len(nodes), len(bodies), first_pair)
            first_pair += len(bodies) ** 2
            for body, sign in bodies:
                motion = np.zeros((6, WIDTH))
                motion[:, :6] = sign * np.eye(6)
                motion[:3, 3:6] = -sign * _cross(centre - self.positions[body])
                nodes.append(body)
                motions.append(motion)
            for contact in own:
                along, normal = mobilities[number, :2].mean(), mobilities[number, 2]
                law, arm = made_law(along, normal, contact.friction, 0.0), contact.position - centre
                points[number] = (contact.drift, tuple(law), arm, contact.frame)
                for i in range(3):
                    axis = contact.frame[:, i]
                    rows[3 * number + i, :6] = [*axis, *np.cross(arm, axis)]
                number += 1
        members = np.array(nodes, dtype=np.int64)
        blocks = np.empty(first_pair, dtype=np.int64)
        _fill_pairs(plan, groups, members, blocks)
        return Island(
            plan,
            mass,
            free,
            np.zeros((n, WIDTH)),
            pivots,
            groups,
            members,
            np.concatenate(motions),
            blocks,
            points,
            rows,
            new_records(JointRow, 0),
            new_records(Group, 0),
            new_records(Follower, 0),
            count,
            self.weight,
            float(mobilities.max()),
        )


def _cross(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def frame_of(normal: Array) -> Array:
    """Columns (t1, t2, n)."""
    n = normal / np.linalg.norm(normal)
    t = np.cross(np.eye(3)[int(np.abs(n).argmin())], n)
    t /= np.linalg.norm(t)
    return np.column_stack([t, np.cross(n, t), n])


def random_bodies(
    rng: np.random.Generator,
    count: int,
    *,
    friction: float = 0.5,
    heavy: float = 1.0,
    copies: int = 1,
    gaps: float = 1e-4,
) -> Bodies:
    """A heap: bodies of about 1 kg (masses up to `heavy` times that) above each other, two to four contacts with what
    is below, each `copies` times, and gaps up to so much (m)."""
    positions = np.column_stack([0.1 * rng.normal(size=(count, 2)), 0.1 * np.arange(count) + 0.1])
    masses = np.exp(rng.uniform(0.0, np.log(heavy), count)) if heavy > 1.0 else rng.uniform(0.5, 2.0, count)
    inertias = masses[:, None] * 0.01 * rng.uniform(0.3, 1.0, (count, 3))
    free = np.column_stack([0.05 * rng.normal(size=(count, 3)), 0.3 * rng.normal(size=(count, 3))])
    free[:, 2] -= 0.1
    contacts: list[Any] = []
    for body in range(count):
        for below in {GROUND, body - 1} if body % 3 == 0 else {body - 1}:
            for _ in range(rng.integers(2, 5)):
                place = positions[body] + [*(0.06 * rng.normal(size=2)), -0.05]
                normal = np.array([0.2, 0.2, 1.0]) * rng.normal(size=3) * [1, 1, 0] + [0, 0, 1]
                drift = np.array([0.0, 0.0, gaps * rng.uniform() / DT])
                first, second = (body, below)
                contacts += [Contact(first, second, place, frame_of(normal), drift, friction)] * copies
    contacts.sort(key=lambda c: (c.first, c.second))
    return Bodies(positions, masses, inertias, free, tuple(contacts))
