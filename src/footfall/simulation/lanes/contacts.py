"""The contacts of a time step: where they are, and what law each of them obeys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import minimum, where
from footfall.contact.candidates import Candidate, locate_contact, surface_motion
from footfall.contact.contacts import Contact, contact_frame
from footfall.contact.law import FAR, PairMaterial, limit_offset, material_law
from footfall.dynamics.loops import Coupling
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.simulation.contact_rows import LinkMotion, Row, combine
from footfall.simulation.step_values import StepOptions

# m: no step reaches a surface that is farther away, and cells of terrain that cannot be touched are 1 km away.
MOST_ARM = 0.1


class LaneContact(NamedTuple):
    """A contact, where it is at, as solvers in lanes take it. frame (3, 3): columns (t1, t2, n), of a follower as long
    as the arm of its moments. carried, turned (3,): velocity at the contact and rotation of a surface on a given path,
    world axes. leader: of a follower the contact whose rolling and torsional friction it is."""

    at: Contact
    material: PairMaterial
    frame: Array
    carried: Array
    turned: Array
    leader: int | None = None

    @property
    def links(self) -> tuple[int, int]:
        return self.at.first, self.at.second


class StepLaw(NamedTuple):
    """What a contact asks for, see `footfall.contact.law.ContactLaw`. approach: its normal velocity at the start of the
    step where it may rebound, m/s. drift (3,): what is added to its velocity, m/s; offset: of it along the normal."""

    approach: Any
    drift: Array
    compliance: float
    shear: float
    friction: Any
    extra: Any
    torsion: float = 0.0

    @property
    def offset(self) -> Any:
        return self.drift[2]


class JointLaw(NamedTuple):
    """A joint limit, `sign u + offset >= 0`, or with a finite bound (N s) its dry friction. row: of its velocity u."""

    row: Row
    sign: Any
    offset: Any
    bound: float


def lane_contact(
    robot: Robot, poses: Sequence[Transform], candidate: Candidate, mu: Any, time: Any
) -> LaneContact:
    """A candidate with the links at these poses, and with this coefficient of friction."""
    at = locate_contact(robot, poses, candidate, time)
    carried, turned = surface_motion(candidate.surface, at.position, time)
    material = {name: getattr(candidate.surface.material, name) for name in PairMaterial._fields}
    material |= {"friction": mu}
    return LaneContact(at, PairMaterial(**material), contact_frame(at.normal), carried, turned)


def on_surface(contact: LaneContact) -> LaneContact:
    """A contact with what does not move by itself acts where its surface is, as contacts that are found have it."""
    at = contact.at
    if at.second >= 0:
        return contact
    return contact._replace(at=at._replace(position=at.position - minimum(at.gap, MOST_ARM) * at.normal))


def followers_of(contacts: Sequence[LaneContact]) -> list[LaneContact]:
    """Rolling and torsional friction of contacts that have some; the axes are as long as the arm of the moments."""
    return [
        contact._replace(frame=contact.material.arm * contact.frame, leader=k)
        for k, contact in enumerate(contacts)
        if contact.material.arm > 0.0
    ]


def contact_laws(
    contacts: Sequence[LaneContact],
    motion: LinkMotion,
    options: StepOptions,
    before: Array,
    impulses: Array,
    gravity: float,
) -> list[StepLaw]:
    """Laws of contacts that had the velocity `before` (nv,) at the start of the step, and impulses (3 contacts,) in the
    one before. gravity: m/s2."""
    dt, rules, laws = options.dt, options.contact.rules(gravity, options.dt), []
    for k, contact in enumerate(contacts):
        material, speed = contact.material, np.zeros(3)
        if contact.leader is not None:
            rolling, torsion = (
                each / material.arm for each in (material.rolling_friction, material.torsional_friction)
            )
            laws.append(StepLaw(0.0, np.zeros(3), 0.0, 0.0, rolling, 0.0, torsion))
            continue
        if material.restitution > 0.0 or material.viscous_friction > 0.0:
            speed = slip_velocity(contact, motion, before)
        asked = material_law(material, contact.at.gap, 0.0, speed, rules, dt)
        offset = asked.offset if _gives_way(contact, motion) else FAR
        held = [-asked.shear * impulses[3 * k + way] if asked.shear > 0.0 else 0.0 for way in (0, 1)]
        drift = np.array([*held, offset])
        laws.append(StepLaw(speed[2], drift, asked.compliance, asked.shear, asked.friction, asked.extra))
    return laws


def _gives_way(contact: LaneContact, motion: LinkMotion) -> bool:
    """Whether any velocity moves a contact along its normal: a robot on slides over a floor cannot leave it, and no
    impulse could help it out of it."""
    rows = [motion.rows_at(link, contact.at.position)[:3] for link in contact.links]
    normal = list(contact.at.normal)
    entries = [entry for three in rows for entry in combine(normal, three).values()]
    return any(not isinstance(entry, int | float) or entry != 0.0 for entry in entries)


def slip_velocity(contact: LaneContact, motion: LinkMotion, v: Array) -> Array:
    """Velocity (3,) of the robot's point against the surface along (t1, t2, n) at the robot's velocity v (nv,)."""
    position = contact.at.position
    first, second = (motion.point_velocity(link, position, v) for link in contact.links)
    relative = first - second - contact.carried
    return np.asarray(contact.frame.T @ relative)


def joint_laws(
    robot: Robot,
    options: StepOptions,
    q: Array,
    limited: Sequence[tuple[int, int]],
    rubbing: Sequence[int],
    coupling: Coupling,
) -> list[JointLaw]:
    """Joint limits, each towards the nearer end, then dry friction.

    limited: (coordinate, velocity of the tree) of joints with limits; rubbing: such velocities with dry friction.
    coupling: of the joints by loops.
    """
    laws: list[JointLaw] = []
    rules = options.contact.rules(float(np.linalg.norm(robot.gravity)), options.dt)
    for coordinate, velocity in limited:
        lower, upper = float(robot.lower_limits[coordinate]), float(robot.upper_limits[coordinate])
        if np.isfinite(lower) and np.isfinite(upper):
            sign = where(q[coordinate] < (lower + upper) / 2, 1.0, -1.0)
            room = minimum(q[coordinate] - lower, upper - q[coordinate])
        else:
            sign = 1.0 if np.isfinite(lower) else -1.0
            room = q[coordinate] - lower if np.isfinite(lower) else upper - q[coordinate]
        row = coupling.row({velocity: 1.0})
        laws.append(JointLaw(row, sign, limit_offset(room, rules, options.dt), np.inf))
    for velocity in rubbing:
        bound = float(robot.spanning.friction[velocity]) * options.dt
        laws.append(JointLaw(coupling.row({velocity: 1.0}), 1.0, 0.0, bound))
    return laws
