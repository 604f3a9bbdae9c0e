"""One time step whose contacts are solved one after the other, as traced code, until their impulses stand still.

Of the sources: relaxed sweeps (Ayit 2015, section 4.3), and impacts in sequence (`footfall.contact.classic.impacts`).

Rows stand in whitened coordinates, where the mass matrix is the identity: with `M = L^T D L` a row J becomes
`y = D^-1/2 L^-T J^T`. Then `J M^-1 J^T = y^T y`, and an impulse p changes the whitened velocity `u` by `y p`. A row has
entries only on the path from its bodies to the root, so a sweep over all contacts costs the number of rows times the
depth of the tree, and no matrix of contacts is formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, maximum, repeat, sqrt, where
from footfall.contact.law import FAR, ContactRules, allowed_impulse, normal_law
from footfall.contact.local_cone import cone_block, solve_cone
from footfall.dynamics.factorisation import MassFactor, factorise, solve_factored, velocity_path
from footfall.errors import InvalidInput
from footfall.math.spatial import symmetric
from footfall.simulation.contact_rows import LinkMotion, Row, along, combine, handed_on, inner, moved
from footfall.simulation.lanes.contacts import JointLaw, LaneContact, StepLaw, slip_velocity
from footfall.simulation.lanes.step import Problem, Solved, advanced, row_count
from footfall.simulation.lanes.values import Loads, Place, StepReport, StepState
from footfall.simulation.step_values import Command

SweepRule = Literal["sweeps", "impacts"]

_IMPACT_STEPS = 8  # of Newton's method in a collision: what is left over would stay in the impulse


@dataclass(frozen=True)
class SweptStep:
    """Contacts one after the other. rule: "impacts" gives one impulse after the other and takes none back; "sweeps" are
    those of Ayit 2015, (4.41)-(4.43). sweeps: at most."""

    rule: SweepRule
    sweeps: int

    def rows(self, place: Place) -> int:
        return row_count(place)

    def advance(
        self, place: Place, state: StepState, command: Command, loads: Loads
    ) -> tuple[StepState, StepReport]:
        """See `StepKind`."""
        return advanced(place, state, command, loads, self._solve, bounded=False)

    def _solve(self, place: Place, problem: Problem, state: StepState) -> Solved:
        motion, contacts = problem.motion, problem.contacts
        if any(each.leader is not None for each in contacts):
            raise InvalidInput(
                "rolling_friction and torsional_friction of materials: contacts that are solved one after the other "
                "have none; set them to zero, or simulate with Simulation or FeetSimulation"
            )
        factor = factorise(place.robot.tree, problem.inertia)
        free = state.v + solve_factored(place.robot.tree, factor, problem.push)
        whitening = Whitening(motion, factor)
        blocks: list[ContactBlock | JointBlock] = [
            *contact_blocks(contacts, problem.contact_laws, motion, whitening, free),
            *joint_blocks(problem.joint_laws, whitening, free, 3 * len(contacts)),
        ]
        impulses, change, residual, sweeps = solve_blocks(
            place, blocks, state.impulses, rule=self.rule, most=self.sweeps
        )
        return Solved(free + whitening.velocity(change), impulses, residual, sweeps)


class Whitening:
    """Rows of a robot in one configuration in their whitened form."""

    def __init__(self, motion: LinkMotion, factor: MassFactor) -> None:
        self.motion = motion
        self.factor = factor
        self.scale = [sqrt(pivot) for pivot in factor.inverse_pivots]
        self._links: dict[int, list[Row]] = {}

    def whiten(self, row: Row) -> Row:
        """y of a row: hand each entry on to the velocities before it, then scale."""
        return {
            k: self.scale[k] * entry for k, entry in handed_on(self.motion.tree, self.factor, row).items()
        }

    def point_rows(self, link: int, point: Array) -> list[Row]:
        """Whitened rows of the velocity of a point (3,) in world axes that moves with a link."""
        if link < 0:
            return [{}, {}, {}]
        if link not in self._links:
            self._links[link] = [self.whiten(row) for row in self.motion.link_rows(link)]
        return moved(self._links[link], point - self.motion.poses[link].translation)

    def velocity(self, u: Array) -> Array:
        """Change of v (nv,) that belongs to a whitened velocity: `v = L^-1 D^-1/2 u`."""
        v = [scale * entry for scale, entry in zip(self.scale, u, strict=True)]
        for k in range(len(v)):
            for i in reversed(velocity_path(self.motion.tree, k)):
                v[k] = v[k] - self.factor.lower[k, i] * v[i]
        return np.array(v)


class ContactBlock(NamedTuple):
    """One contact in the solver: rows (t1, t2, n), bias of their velocities, its own block (3, 3) of the Delassus
    matrix with compliance, and its inverse."""

    contact: LaneContact
    law: StepLaw
    first: int
    rows: list[Row]
    bias: Array
    delassus: Array
    inverse: Array


class JointBlock(NamedTuple):
    """One row in the solver: a joint limit (p >= 0), or with a finite bound dry friction (|p| <= bound)."""

    first: int
    row: Row
    bias: Any
    step: Any
    bound: float


def solve_blocks(
    place: Place, blocks: Sequence[ContactBlock | JointBlock], start: Array, *, rule: SweepRule, most: int
) -> tuple[Array, Array, Any, Any]:
    """Impulses, the whitened velocity that they cause, the change in the last sweep and the number of sweeps."""
    robot, options = place.robot, place.options
    if not blocks:
        return np.zeros(0), np.zeros(robot.nv), 0.0, 0.0
    # Without weight it is measured against that on Earth.
    gravity = float(np.linalg.norm(robot.gravity)) or 9.81
    rules = options.contact.rules(float(np.linalg.norm(robot.gravity)), options.dt)
    tolerance = options.solver.tolerance * robot.mass * gravity * options.dt

    def sweep(u: Array, p: Array, change: Any, count: Any) -> tuple[Any, ...]:
        velocity, impulses = list(u), list(p)
        changes: list[Any] = []
        for block in blocks:
            if isinstance(block, JointBlock):
                changes += _relax_joint(block, velocity, impulses)
            elif rule == "impacts":
                changes += _collide(block, velocity, impulses, rules, options.dt)
            else:
                changes += _relax_contact(block, velocity, impulses)
        largest = absolute(changes[0])
        for other in changes[1:]:
            largest = maximum(largest, absolute(other))
        return np.array(velocity), np.array(impulses), largest, count + 1.0

    if rule == "impacts":
        start = np.zeros(len(start))
    caused: list[Any] = [0.0] * robot.nv
    for row, impulse in zip(_all_rows(blocks), start, strict=True):
        _apply_impulse(row, impulse, caused)
    u, p, change, count = repeat(
        sweep,
        (np.array(caused), start, np.inf, 0.0),
        count=most,
        until=lambda u, p, change, count: change <= tolerance,
    )
    return p, u, change, count


def contact_blocks(
    contacts: Sequence[LaneContact],
    laws: Sequence[StepLaw],
    motion: LinkMotion,
    whitening: Whitening,
    free: Array,
) -> list[ContactBlock]:
    """The contacts' blocks; free (nv,): the velocity without contact."""
    blocks = []
    for k, (contact, law) in enumerate(zip(contacts, laws, strict=True)):
        body, other = contact.links
        rows = whitening.point_rows(body, contact.at.position)
        if other >= 0:
            others = whitening.point_rows(other, contact.at.position)
            rows = [combine((1.0, -1.0), pair) for pair in zip(rows, others, strict=True)]
        rows = [combine(list(contact.frame[:, i]), rows) for i in range(3)]
        bias = slip_velocity(contact, motion, free) + law.drift
        delassus = symmetric(3, lambda i, j: inner(rows[i], rows[j]))  # noqa: B023
        delassus = delassus + np.diag([law.shear, law.shear, law.compliance])
        blocks.append(ContactBlock(contact, law, 3 * k, rows, bias, delassus, _inverse(delassus)))
    return blocks


def _inverse(delassus: Array) -> Array:
    """Inverse (3, 3) of a contact's own block; a little is added so that one that cannot move has one."""
    trace = delassus[0, 0] + delassus[1, 1] + delassus[2, 2]
    w = delassus + np.diag([1e-9, 1e-9, 1e-9]) * trace
    cofactors = np.array(
        [
            w[1, 1] * w[2, 2] - w[1, 2] * w[1, 2],
            w[0, 2] * w[1, 2] - w[0, 1] * w[2, 2],
            w[0, 1] * w[1, 2] - w[0, 2] * w[1, 1],
            w[0, 0] * w[2, 2] - w[0, 2] * w[0, 2],
            w[0, 1] * w[0, 2] - w[0, 0] * w[1, 2],
            w[0, 0] * w[1, 1] - w[0, 1] * w[0, 1],
        ]
    )
    c = cofactors / (w[0] @ cofactors[:3])
    return np.array([[c[0], c[1], c[2]], [c[1], c[3], c[4]], [c[2], c[4], c[5]]])


def joint_blocks(laws: Sequence[JointLaw], whitening: Whitening, free: Array, first: int) -> list[JointBlock]:
    """The joints' blocks, whose rows begin at `first`."""
    blocks = []
    for k, law in enumerate(laws):
        row = whitening.whiten({velocity: law.sign * entry for velocity, entry in law.row.items()})
        bias = law.sign * along(law.row, free) + law.offset
        blocks.append(JointBlock(first + k, row, bias, 1.0 / inner(row, row), law.bound))
    return blocks


def _all_rows(blocks: Sequence[ContactBlock | JointBlock]) -> list[Row]:
    return [
        row for block in blocks for row in (block.rows if isinstance(block, ContactBlock) else [block.row])
    ]


def _apply_impulse(row: Row, impulse: Any, u: list[Any]) -> None:
    for velocity, entry in row.items():
        u[velocity] = u[velocity] + entry * impulse


def _relax_contact(block: ContactBlock, u: list[Any], p: list[Any]) -> list[Any]:
    """Solve one contact with the others held: changes u and p, gives the changes of its impulses.

    If it sticks, exactly; else one step towards sliding: the normal row, then the tangential ones scaled back onto
    the disc, Ayit 2015, (4.41)-(4.43). Where both agree, and only there, nothing changes any more. Quick, but contacts
    that are about to slide may go in circles.
    """
    old, speed = _slipping(block, u, p)
    stick = old - block.inverse @ speed
    bound = block.law.friction * stick[2] + block.law.extra
    sticks = (stick[0] * stick[0] + stick[1] * stick[1] <= bound * bound) & (stick[2] > 0.0)
    normal = maximum(old[2] - speed[2] / block.delassus[2, 2], 0.0)
    step = 2.0 / (block.delassus[0, 0] + block.delassus[1, 1])
    along = old[:2] - step * speed[:2]
    bound = where(normal > 0.0, block.law.friction * normal + block.law.extra, 0.0)
    size = sqrt(along[0] * along[0] + along[1] * along[1])
    slide = np.array([*(along * (bound / maximum(size, maximum(bound, 1e-300)))), normal])
    return _exchange(block, where(sticks, stick, slide), old, u, p)


def _slipping(block: ContactBlock, u: list[Any], p: list[Any]) -> tuple[Array, Array]:
    """Impulses (3,) of a contact and its velocities (3,) with what is added to them."""
    old = np.array(p[block.first : block.first + 3])
    speed = np.array([along(row, np.array(u)) for row in block.rows]) + np.array(block.bias)
    return old, speed + np.array([block.law.shear, block.law.shear, block.law.compliance]) * old


def _exchange(block: ContactBlock, new: Array, old: Array, u: list[Any], p: list[Any]) -> list[Any]:
    """Put new impulses in the place of the old ones; gives the changes."""
    for k, row in enumerate(block.rows):
        _apply_impulse(row, new[k] - old[k], u)
        p[block.first + k] = new[k]
    return list(new - old)


def _collide(block: ContactBlock, u: list[Any], p: list[Any], rules: ContactRules, dt: float) -> list[Any]:
    """One collision of a contact, after those of the others: adds to u and p, gives the impulse."""
    caused = np.array([along(row, np.array(u)) for row in block.rows])
    speed, contact, law = caused + np.array(block.bias), block.contact, block.law
    if contact.material.restitution > 0.0 and not (isinstance(law.offset, float) and law.offset == FAR):
        # It rebounds from what the others have done to it, too: so a row of balls passes an impact on.
        now = normal_law(contact.at.gap, 0.0, law.approach + caused[2], contact.material, rules, dt)
        speed[2] = speed[2] - law.offset + now.offset
    impulse = _impact_impulse(block.rows, speed, law.friction)
    # Blocks are regularised by 1e-9, and no later impact would make up for it.
    impulse = impulse + _impact_impulse(block.rows, speed + block.delassus @ impulse, law.friction)
    for k, row in enumerate(block.rows):
        _apply_impulse(row, impulse[k], u)
        p[block.first + k] = p[block.first + k] + impulse[k]
    return list(impulse)


def _relax_joint(block: JointBlock, u: list[Any], p: list[Any]) -> list[Any]:
    """Solve one joint row with the others held."""
    old = p[block.first]
    new = old - block.step * (along(block.row, np.array(u)) + block.bias)
    new = allowed_impulse(new, block.bound)
    _apply_impulse(block.row, new - old, u)
    p[block.first] = new
    return [new - old]


def _impact_impulse(rows: Sequence[Row], speed: Array, friction: Any) -> Array:
    """Impulse (3,) of one collision along (t1, t2, n), N s; zero unless the contact approaches.

    rows: whitened, of the contact. speed: (3,) along them before, m/s, the normal one with what restitution adds.
    """
    block = cone_block(
        inner(rows[0], rows[0]),
        inner(rows[0], rows[1]),
        inner(rows[0], rows[2]),
        inner(rows[1], rows[1]),
        inner(rows[1], rows[2]),
        inner(rows[2], rows[2]),
    )
    first, second, normal, _ = solve_cone(
        block, speed[0], speed[1], speed[2], friction, 0.0, 0.0, _IMPACT_STEPS
    )
    return np.array([first, second, normal])
