"""A bound on energy: after a step nothing has more of it than before and the work done on it in between.

The energy of semi-implicit steps goes up and down by some dt as things swing, and comes back; the bound takes what goes
up and does not give it back, so that what swings freely is damped. It is for studies of contact, and an option.

Each robot and each free body is looked at by itself, so that none pays for another. Where a step can create next to
nothing, because what moves does not turn and nothing lies in the ground, or because all of it falls freely, it is not
looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import greater, less, maximum, repeat, sqrt, where
from footfall.dynamics.configuration import integrate
from footfall.dynamics.energy import link_kinetic_energies, root_potential_energies
from footfall.robot.model import JointType, Robot
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.lanes.contacts import JointLaw, LaneContact, StepLaw

_COST = 0.1  # of the speed; what would cost more lies in the ground, is lifted out of it and has nothing to pay with
_LITTLE = 0.1  # of what a free fall loses
_NOTHING = 1e-11  # m: energy over weight that a step may create without being looked at


@dataclass(frozen=True)
class _Whole:
    """A robot, or a free body: roots of the tree, its links and its velocities."""

    roots: tuple[int, ...]
    links: tuple[int, ...]
    velocities: tuple[int, ...]


class EnergyBound:
    """Of one step of dt (s) from q (nq,) with the velocity `before` (nv,), where the mass matrix is `mass` (nv, nv).

    midway: energies are compared halfway between configurations, where each velocity holds and a ball that bounces
    keeps all it has; else at their ends, where what does not bounce only loses energy. pushed: whether anything but
    contact acts on free bodies.
    """

    def __init__(
        self,
        robot: Robot,
        motion: LinkMotion,
        mass: Array,
        q: Array,
        before: Array,
        dt: float,
        *,
        midway: bool,
        pushed: bool,
    ) -> None:
        self.robot = robot
        self.motion = motion
        self.mass = mass
        self.q = q
        self.before = before
        self.dt = dt
        self.midway = midway
        self.wholes = _wholes(robot)
        floating = {joint.child for joint in robot.joints if joint.type is JointType.FLOATING}
        roots = [link.body for link in robot.tree.links if link.parent < 0]
        self.falls = floating.issuperset(roots) and not pushed and not midway

    def velocity(
        self,
        after: Array,
        impulse: Array,
        contacts: Sequence[LaneContact],
        contact_impulses: Array,
        laws: Sequence[StepLaw | JointLaw],
    ) -> Array:
        """The velocity (nv,) after the step, slowed down where energy less work would grow otherwise.

        What rests on the ground still does, and what comes near it does not come nearer. after: (nv,) as contact
        impulses (rows,) leave it. impulse: (nv,) N s of drives and pushes.
        """
        calm = self._is_calm(after, contact_impulses[2 : 3 * len(contacts) : 3], laws)

        def bounded(velocity: Array) -> Array:
            return self._bounded(velocity, impulse, contacts, contact_impulses)

        return np.asarray(repeat(bounded, after, count=1, until=lambda _: calm))

    def _is_calm(self, v: Array, normal_impulses: Array, laws: Sequence[StepLaw | JointLaw]) -> Any:
        """Whether next to no energy can be created.

        Velocity terms create `dt m r w^2 v` at most, with r of a metre; contacts and limits give no more than it
        takes to undo a depth. What falls freely loses `m (g dt)^2 / 2` in a step, by which its gravity comes too soon;
        velocity terms create `m (w v dt)^2 / 2` and `m g r (w dt)^2 / 2` of it.
        """
        tree, dt = self.robot.tree, self.dt
        straight = [link.v.start for link in tree.links if link.kind == "prismatic" and tree.loops is None]
        spin = sum((rate * rate for k, rate in enumerate(v) if k not in straight), start=0.0)
        speed = sum((v[k] * v[k] for k in straight), start=spin)
        gravity = float(np.linalg.norm(self.robot.gravity))
        calm = less(spin * spin * speed, (_NOTHING * (gravity or 9.81) / dt) ** 2)
        if self.falls:
            flies = less(spin * (speed + gravity), _LITTLE * gravity**2)
            for impulse in normal_impulses:
                flies = flies & (impulse == 0.0)
            calm = calm | flies
        for law in laws:
            hard = law.bound == np.inf if isinstance(law, JointLaw) else law.compliance == 0.0
            if hard and not isinstance(law.offset, float):
                calm = calm & greater(law.offset, -_NOTHING / dt)
        return calm

    def _bounded(
        self, after: Array, impulse: Array, contacts: Sequence[LaneContact], contact_impulses: Array
    ) -> Array:
        robot, dt, before = self.robot, self.dt, self.before
        part = 0.5 if self.midway else 1.0
        start = integrate(robot, self.q, -0.5 * dt * before) if self.midway else self.q
        end = integrate(robot, self.q, part * dt * after)
        low, here, high = (root_potential_energies(robot, q) for q in (start, self.q, end))
        kinetic = link_kinetic_energies(robot, end, after)
        earlier = link_kinetic_energies(robot, start, before) if self.midway else None
        handed = self._handed(part * after, contacts, contact_impulses)
        fixed = self._handed(0.5 * before, contacts, contact_impulses) if self.midway else [0.0] * len(handed)
        carried = self._carried(contacts, contact_impulses)
        result = [*after]
        for whole, by_after, by_before, by_paths in zip(self.wholes, handed, fixed, carried, strict=True):
            own = list(whole.velocities)
            energy = sum(kinetic[k] for k in whole.links)
            had = self._kinetic_energy(own) if earlier is None else sum(earlier[k] for k in whole.links)
            given = part * (impulse[own] @ after[own]) + by_after
            rise = sum(high[k] - here[k] for k in whole.roots)
            created = energy + rise + sum(here[k] - low[k] for k in whole.roots)
            created = created - had - given - by_before - by_paths
            if self.midway:
                created = created - part * (impulse[own] @ before[own])
            factor = _slowed(energy, rise - given, created)
            for k in own:
                result[k] = after[k] * factor
        return np.array(result)

    def _kinetic_energy(self, own: Sequence[int]) -> Any:
        """At the start, J, of what has these velocities."""
        v, energy = self.before, 0.0
        for k in own:
            row = [self.mass[k, j] * v[j] for j in own if j < k and not _vanishes(self.mass[k, j])]
            energy = energy + v[k] * (0.5 * self.mass[k, k] * v[k] + sum(row, start=0.0))
        return energy

    def _handed(self, v: Array, contacts: Sequence[LaneContact], impulses: Array) -> list[Any]:
        """Work, J, that contacts do at a velocity (nv,) on each of the wholes: by others, and by soft ground.

        What touches is taken to move with the mean of both velocities, so that what one gains the other loses.
        """
        work: list[Any] = [0.0] * len(self.wholes)
        for k, contact in enumerate(contacts):
            sides = [self._owner(link) for link in contact.links]
            own = [side for side in sides if side is not None]
            if len(set(own)) == 2:
                push = contact.frame @ impulses[3 * k : 3 * k + 3]
                both = [self.motion.point_velocity(link, contact.at.position, v) for link in contact.links]
                passed = 0.5 * (push @ (both[0] + both[1]))
                work[own[0]], work[own[1]] = work[own[0]] + passed, work[own[1]] - passed
            if np.isfinite(contact.material.stiffness):
                sprung = impulses[3 * k + 2] * (contact.at.normal @ self._apart(contact, v))
                for side in own:
                    work[side] = work[side] + sprung / len(own)
        return work

    def _apart(self, contact: LaneContact, v: Array) -> Array:
        """Velocity (3,) of a contact's two sides against each other at v (nv,), on ground that stands still."""
        first, second = (self.motion.point_velocity(link, contact.at.position, v) for link in contact.links)
        return np.asarray(first - second)

    def _carried(self, contacts: Sequence[LaneContact], impulses: Array) -> list[Any]:
        """Work, J, that surfaces on given paths do on each of the wholes."""
        work: list[Any] = [0.0] * len(self.wholes)
        for k, contact in enumerate(contacts):
            side = self._owner(contact.links[0])
            if side is not None:
                push = contact.frame @ impulses[3 * k : 3 * k + 3]
                if np.isfinite(contact.material.stiffness):
                    # A spring's work is counted already.
                    push = push - impulses[3 * k + 2] * contact.at.normal
                work[side] = work[side] + push @ contact.carried
        return work

    def _owner(self, link: int) -> int | None:
        return next((k for k, whole in enumerate(self.wholes) if link in whole.links), None)


def _slowed(kinetic: Any, rate: Any, created: Any) -> Any:
    """Factor of a velocity with which no energy is created. rate: of all else that is in proportion to it, J."""
    # Slower by a part x of the speed there is less of it by x (2 kinetic + rate) - x^2 kinetic.
    rate = 2.0 * kinetic + rate
    root = sqrt(maximum(rate * rate - 4.0 * kinetic * created, 0.0))
    slower = 2.0 * created / (rate + root)
    pays = greater(slower, 0.0) & less(slower, _COST)
    return where(pays, 1.0 - slower, 1.0)


def _wholes(robot: Robot) -> list[_Whole]:
    """Robots and free bodies; all together if loops may join them."""
    tree = robot.tree
    roots = [tree.path(index)[-1] for index in range(len(tree.links))]
    if tree.loops is not None:
        return [_Whole(tuple(sorted(set(roots))), tuple(range(len(roots))), tuple(range(robot.nv)))]
    wholes = []
    for root in sorted(set(roots)):
        links = tuple(index for index, own in enumerate(roots) if own == root)
        velocities = (k for index in links for k in range(tree.nv)[tree.links[index].v])
        wholes.append(_Whole((root,), links, tuple(velocities)))
    return wholes


def _vanishes(value: Any) -> bool:
    return isinstance(value, int | float) and value == 0.0
