"""The law of contact, once, for all that steps, solves and checks: found contacts, feet in lanes, dense problems.

A contact has an impulse p along (t1, t2, n) and a velocity w at the end of a step, with what its materials add to it:

    w_n + compliance p_n >= 0,  p_n >= 0,  one of them zero;
    |p_t| <= friction p_n + extra;  w_t + shear p_t is zero where it is less, else against p_t.

Written as one equation this is the natural map, `p = project(p - w / W)`: `project` brings the normal part to zero or
more, and then the tangential part into the disc whose radius follows it. What is left of it is the residual of all
solvers; near some p and w it makes the contact a spring, `p = impulse - K w`, which is what solvers iterate on. Joint
limits and dry friction are rows of the same kind.

Surfaces that resist rolling and turning on the spot (rolling and torsional friction, lengths) give a contact a
follower: moments m about (t1, t2, n) against the relative rotation, whose bounds follow the normal impulse of the
contact that leads it, `|m_t| <= rolling p_n`, `|m_n| <= torsion p_n`, with no rotation where they are less. Moments are
counted as impulses at an arm, the larger of both lengths, so that all rows have the same units.

First what materials and gaps ask for, then projection, residual and linearisation. All of it is scalar and runs on
floats, on symbols of a trace and in routines; what is not asked to branch also on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.functions import absolute, maximum, minimum, sqrt, where
from footfall.compiler.routines import Matrix3, Vector3, merged

if TYPE_CHECKING:
    from footfall.contact.contacts import Contacts

_TINY = 1e-280
FAR = 1e9  # m/s: a contact that may close so fast is none


class ContactRules(NamedTuple):
    """`ContactOptions` as numbers. touching_only: only what touches already counts, and stops there. recovery: part of
    a penetration that a step undoes, at recovery_speed at most, m/s; what is not deeper than shallow, m, it undoes
    wholly. restitution_speed: approach from which on a contact rebounds, m/s."""

    touching_only: bool
    recovery: float
    shallow: float
    recovery_speed: float
    restitution_speed: float


class NormalLaw(NamedTuple):
    """offset: m/s. compliance: 1/kg."""

    offset: float
    compliance: float


class PairMaterial(NamedTuple):
    """How two surfaces touch each other; see `footfall.scene.model.Material`. A soft one has its spring instead of
    restitution."""

    friction: float
    viscous_friction: float
    restitution: float
    stiffness: float
    damping: float
    shear_stiffness: float
    rolling_friction: float
    torsional_friction: float

    @property
    def arm(self) -> float:
        """See `moment_arm`."""
        return moment_arm(self.rolling_friction, self.torsional_friction)


class MaterialLaw(NamedTuple):
    """What two surfaces ask for, whatever they belong to: see `ContactLaw`. offset: of the normal velocity, m/s."""

    offset: float
    compliance: float
    shear: float
    friction: float
    extra: float


@merged
def material_law(
    material: PairMaterial, gap: Any, bend: Any, speed: Any, rules: ContactRules, dt: float
) -> MaterialLaw:
    """The law of a contact. speed (3,): along (t1, t2, n) at the start of the step, m/s. The rest: see `normal_law`."""
    normal = normal_law(gap, bend, speed[2], material, rules, dt)
    extra, shear = 0.0, 0.0
    if material.viscous_friction > 0.0:
        extra = viscous_bound(material.viscous_friction, speed[0], speed[1], dt)
    if material.shear_stiffness < np.inf:
        shear = shear_compliance(material.shear_stiffness, dt)
    return MaterialLaw(normal.offset, normal.compliance, shear, material.friction, extra)


def normal_law(
    gap: Any, bend: Any, approach: Any, surface: PairMaterial, rules: ContactRules, dt: float
) -> NormalLaw:
    """The law of a contact at a distance `gap`, m. bend: by how much the last step ended nearer than its velocity said,
    m, not above zero. approach: its normal velocity at the start of the step, m/s."""
    if surface.stiffness < np.inf:
        # p = -dt (k (gap + dt v) + d v), solved for v: an implicit spring and damper
        answer = surface.stiffness * dt + surface.damping
        return NormalLaw(gap * (surface.stiffness / answer), 1.0 / (dt * answer))
    offset = rigid_offset(gap, bend, rules, dt)
    if surface.restitution > 0.0:  # Ayit 2015, (4.13)
        bounces = (approach < -rules.restitution_speed) & (gap + dt * approach < 0.0)
        offset = where(bounces, surface.restitution * approach, offset)
    return NormalLaw(offset, 0.0)


def rigid_offset(gap: Any, bend: Any, rules: ContactRules, dt: float) -> Any:
    """What is added to the normal velocity of a rigid contact so that it may not be negative, m/s."""
    if rules.touching_only:
        return where(gap <= 0.0, 0.0, FAR)
    # A penetration comes from what a step could not see, such as a bend of the terrain; undone at once it would throw.
    # What curves take a point aside in every step is undone in every step. What is shallow cannot throw, and has to be
    # undone at once: with some corners of a face a little above zero and some below it, no motion suits both otherwise.
    slowly = rules.recovery * gap - (1.0 - rules.recovery) * rules.shallow
    undone = maximum(maximum(gap, slowly) / dt, -rules.recovery_speed)
    return maximum(gap / dt, undone + bend / dt)


def limit_offset(room: Any, rules: ContactRules, dt: float) -> Any:
    """What is added to the rate of a joint, towards the inside, that has some room (rad or m) to its limit."""
    return maximum(room / dt, -rules.recovery_speed)


def viscous_bound(viscous_friction: Any, along_1: Any, along_2: Any, dt: float) -> Any:
    """What friction may have beside Coulomb's part, N s, with the sliding velocity at the start of the step, m/s;
    Ayit 2015, (4.22)."""
    return viscous_friction * dt * sqrt(along_1 * along_1 + along_2 * along_2)


def shear_compliance(stiffness: Any, dt: float) -> Any:
    """Of a contact along a surface with a spring there (N/m), 1/kg: `p = -dt k (s + dt v)`, where s is the length that
    gave the step before its impulse `-dt k s`."""
    return 1.0 / (dt * dt * stiffness)


def normal_laws(
    contacts: Contacts, bends: Sequence[float] | Array, approach: Array, rules: ContactRules, dt: float
) -> tuple[Array, Array]:
    """Offsets (m,) and compliances (m,) of contacts with bends (m,) and normal velocities (m,) before the step."""
    columns = (contacts.restitution, contacts.stiffness, contacts.damping)
    surfaces = [
        PairMaterial(0.0, 0.0, float(restitution), float(stiffness), float(damping), np.inf, 0.0, 0.0)
        for restitution, stiffness, damping in zip(*columns, strict=True)
    ]
    laws = [
        normal_law(gap, bend, speed, surface, rules, dt)
        for gap, bend, speed, surface in zip(contacts.gaps, bends, approach, surfaces, strict=True)
    ]
    offsets, compliances = np.array(laws, dtype=np.float64).reshape(-1, 2).T
    return offsets, compliances


# The law in a solver


class ContactLaw(NamedTuple):
    """What a solver knows of a contact; see the module's docstring. compliance, shear: 1/kg. friction: mu. extra: N s.
    along, normal: about how far an impulse moves it in the tangential and normal directions, W, 1/kg; hard_along,
    hard_normal: `1 / (along + shear)` and `1 / (normal + compliance)`, kg. torsion: of a follower, whose friction is
    that of rolling; both over the arm of its moments."""

    compliance: float
    shear: float
    friction: float
    extra: float
    along: float
    normal: float
    hard_along: float
    hard_normal: float
    torsion: float


def made_law(
    along: Any, normal: Any, friction: Any, extra: Any, compliance: Any = 0.0, shear: Any = 0.0
) -> ContactLaw:
    """The law of a contact with these mobilities and springs."""
    hard_along, hard_normal = 1.0 / (along + shear), 1.0 / (normal + compliance)
    return ContactLaw(compliance, shear, friction, extra, along, normal, hard_along, hard_normal, 0.0)


def follower_law(along: Any, normal: Any, rolling: Any, torsion: Any) -> ContactLaw:
    """The law of a follower, whose mobilities and friction are those at the arm of its moments."""
    return ContactLaw(0.0, 0.0, rolling, 0.0, along, normal, 1.0 / along, 1.0 / normal, torsion)


class LinearLaw(NamedTuple):
    """A contact as a spring, `p = impulse - K w`, N s; of an `answer`, the impulse at its own velocity.

    K (kg) has the tangential part `along (1 - slides u u^T)`, the normal part `normal`, and `lean u` in its normal
    column: friction follows the normal impulse. u: direction of the tangential impulse. Of a follower, `rolls u` and
    `turns` follow the normal velocity of the contact that leads it.
    """

    impulse: Vector3
    along: float
    normal: float
    lean: float
    slides: bool
    u1: float
    u2: float
    rolls: float
    turns: float

    @property
    def following(self) -> Vector3:
        """How a follower's impulse (3,) falls with the normal velocity of the contact that leads it, kg."""
        return np.array([self.rolls * self.u1, self.rolls * self.u2, self.turns])

    @property
    def stiffness(self) -> Matrix3:
        """K (3, 3)."""
        turned = where(self.slides, self.along, 0.0)
        u1, u2, lean = self.u1, self.u2, self.lean
        return np.array(
            [
                [self.along - turned * u1 * u1, -turned * u1 * u2, lean * u1],
                [-turned * u1 * u2, self.along - turned * u2 * u2, lean * u2],
                [0.0, 0.0, self.normal],
            ]
        )


class _Target(NamedTuple):
    """What is projected: the normal part, the tangential one z and what that lacks of p, the square of its length, and
    the bound of its disc if the contact is pressed."""

    normal: float
    f1: float
    f2: float
    z1: float
    z2: float
    square: float
    bound: float


@merged
def _target(law: ContactLaw, p: Any, w: Any, reach: Any) -> _Target:
    along, outwards = reach * law.hard_along, reach * law.hard_normal
    normal = p[2] - (w[2] + law.compliance * p[2]) * outwards
    f1, f2 = (w[0] + law.shear * p[0]) * along, (w[1] + law.shear * p[1]) * along
    z1, z2 = p[0] - f1, p[1] - f2
    return _Target(normal, f1, f2, z1, z2, z1 * z1 + z2 * z2, law.friction * normal + law.extra)


def natural_map(law: ContactLaw, p: Any, w: Any, reach: Any = 1.0) -> tuple[Any, Any, Any]:
    """`p - project(p - reach w / W)` (3,), N s; zero where the law holds, whatever the reach."""
    at = _target(law, p, w, reach)
    bound = where(at.normal > 0.0, at.bound, 0.0)
    outside = at.square > bound * bound
    scale = bound / sqrt(where(outside, at.square, 1.0))
    return (
        where(outside, p[0] - scale * at.z1, at.f1),
        where(outside, p[1] - scale * at.z2, at.f2),
        p[2] - maximum(at.normal, 0.0),
    )


@merged
def contact_residual(law: ContactLaw, p: Vector3, w: Vector3) -> float:
    """The largest of the natural map, N s: of the normal part and of the tangential one. In a routine."""
    at = _target(law, p, w, 1.0)
    f1, f2, bound = at.f1, at.f2, at.bound if at.normal > 0.0 else 0.0
    if at.square > bound * bound:
        scale = bound / np.sqrt(at.square)
        f1, f2 = p[0] - scale * at.z1, p[1] - scale * at.z2
    return float(max(abs(p[2] - max(at.normal, 0.0)), np.sqrt(f1 * f1 + f2 * f2)))


@merged
def contact_state(law: ContactLaw, p: Vector3, w: Vector3, softness: float) -> tuple[LinearLaw, float]:
    """The contact in the state that p and w (3,) lead to, open, sticking or sliding, made linear: a step of Newton's
    method on the natural map. And the largest of that map, N s. In a routine; `linear_law` is the same in a trace.

    What presses and sticks is held by a spring that starts from its impulse, `p_new = p - w_new / (softness W)`: loads
    that several contacts could share are shared as before (a proximal step).
    """
    at = _target(law, p, w, 1.0)
    if not at.normal > 0.0:  # NaN is open
        left = max(abs(p[2]), np.sqrt(p[0] * p[0] + p[1] * p[1]))
        return LinearLaw(np.array([0.0, 0.0, 0.0]), 0.0, 0.0, 0.0, False, 0.0, 0.0, 0.0, 0.0), float(left)
    if at.square <= at.bound * at.bound:
        lacking = max(abs(p[2] - at.normal), np.sqrt(at.f1 * at.f1 + at.f2 * at.f2))
        return _sticking(law, p, softness), float(lacking)
    size = np.sqrt(at.square)
    linear = _sliding(law, p, at, size, at.z1 / size, at.z2 / size, softness, 1.0, 1.0)
    e1, e2 = p[0] - at.bound * linear.u1, p[1] - at.bound * linear.u2
    return linear, float(max(abs(p[2] - at.normal), np.sqrt(e1 * e1 + e2 * e2)))


def linear_law(law: ContactLaw, p: Any, w: Any, softness: Any, reach: Any, leaning: Any) -> LinearLaw:
    """`contact_state` without branches. reach: how far along -w the map looks, over 1 / W. leaning: one, or zero if
    friction keeps its bound within the step, which is then that of a convex problem."""
    at = _target(law, p, w, reach)
    pressed, sticks = at.normal > 0.0, at.square <= at.bound * at.bound
    stuck = _sticking(law, p, softness)
    size = sqrt(maximum(at.square, _TINY))
    shorter = 1.0 / size
    moving = _sliding(law, p, at, size, at.z1 * shorter, at.z2 * shorter, softness, reach, leaning)
    slides = pressed & (at.square > at.bound * at.bound)
    impulse = np.array(
        [
            where(pressed, where(sticks, stuck.impulse[0], moving.impulse[0]), 0.0),
            where(pressed, where(sticks, stuck.impulse[1], moving.impulse[1]), 0.0),
            where(pressed, stuck.impulse[2], 0.0),
        ]
    )
    return LinearLaw(
        impulse,
        where(pressed, where(sticks, stuck.along, moving.along), 0.0),
        where(pressed, stuck.normal, 0.0),
        where(slides, moving.lean, 0.0),
        slides,
        moving.u1,
        moving.u2,
        0.0,
        0.0,
    )


@merged
def _sticking(law: ContactLaw, p: Any, softness: Any) -> LinearLaw:
    soft, soft_along = softness * law.normal, softness * law.along
    stiffness, hard = 1.0 / (soft + law.compliance), 1.0 / (soft_along + law.shear)
    kept = soft_along * hard
    impulse = np.array([kept * p[0], kept * p[1], stiffness * soft * p[2]])
    return LinearLaw(impulse, hard, stiffness, 0.0, False, 0.0, 0.0, 0.0, 0.0)


@merged
def _sliding(
    law: ContactLaw,
    p: Any,
    at: _Target,
    size: Any,
    u1: Any,
    u2: Any,
    softness: Any,
    reach: Any,
    leaning: Any,
) -> LinearLaw:
    """size, u1, u2: length and direction of the tangential part of the target."""
    soft, bound = softness * law.normal, at.bound
    stiffness = 1.0 / (soft + law.compliance)
    held = stiffness * soft * p[2]
    # Across its way a sliding contact is as stiff as `bound / slip`: friction turns with it.
    give = 1.0 - (1.0 - softness) * law.along * law.hard_along  # of springs and the softness
    across = reach * bound / (size - bound + reach * give * bound) * law.hard_along
    beside = across * softness * law.along * (p[1] * u1 - p[0] * u2)
    along = law.friction * where(leaning > 0.5, held, at.normal) + law.extra
    impulse = np.array([along * u1 - beside * u2, along * u2 + beside * u1, held])
    return LinearLaw(impulse, across, stiffness, leaning * law.friction * stiffness, True, u1, u2, 0.0, 0.0)


@merged
def contact_answer(law: ContactLaw, p: Vector3, w: Vector3, hardness: float) -> LinearLaw:
    """What a contact with impulse p gives at a velocity w (3,), `project(p - hardness w / W)`, springs aside; in a
    routine."""
    if law.compliance > 0.0:
        soft_normal = law.normal / hardness
        stiffness = 1.0 / (soft_normal + law.compliance)
        normal = (soft_normal * p[2] - w[2]) * stiffness
    else:
        stiffness = hardness * law.hard_normal
        normal = p[2] - w[2] * stiffness
    if not normal > 0.0:
        return LinearLaw(np.array([0.0, 0.0, 0.0]), 0.0, 0.0, 0.0, False, 0.0, 0.0, 0.0, 0.0)
    soft_along = law.along / hardness
    hard = 1.0 / (soft_along + law.shear)
    kept = soft_along * hard
    z1, z2 = kept * p[0] - w[0] * hard, kept * p[1] - w[1] * hard
    square, bound = z1 * z1 + z2 * z2, law.friction * normal + law.extra
    if square <= bound * bound:
        return LinearLaw(np.array([z1, z2, normal]), hard, stiffness, 0.0, False, 0.0, 0.0, 0.0, 0.0)
    shorter = 1.0 / np.sqrt(square)
    u1, u2 = z1 * shorter, z2 * shorter
    lean = law.friction * stiffness
    impulse = np.array([bound * u1, bound * u2, normal])
    return LinearLaw(impulse, bound * shorter * hard, stiffness, lean, True, u1, u2, 0.0, 0.0)


# Rolling and torsional friction


def moment_arm(rolling: float, torsional: float) -> float:
    """At which moments of rolling and torsional friction (lengths, m) are counted as impulses, m; zero without them."""
    return max(rolling, torsional)


def pressing_impulse(law: ContactLaw, p: Any, w: Any, reach: Any = 1.0) -> Any:
    """The normal part of a contact's projection, N s: what a follower's bounds go by."""
    return maximum(p[2] - reach * ((w[2] + law.compliance * p[2]) * law.hard_normal), 0.0)


def follower_map(law: ContactLaw, p: Any, w: Any, load: Any, reach: Any = 1.0) -> tuple[Any, Any, Any]:
    """The natural map (3,) of a follower, N s. load: the normal impulse of the contact that leads it, N s, not below
    zero."""
    f1, f2 = reach * (w[0] * law.hard_along), reach * (w[1] * law.hard_along)
    z1, z2, z3 = p[0] - f1, p[1] - f2, p[2] - reach * (w[2] * law.hard_normal)
    bound, turn = law.friction * load, law.torsion * load
    square = z1 * z1 + z2 * z2
    outside = square > bound * bound
    scale = bound / sqrt(where(outside, square, 1.0))
    return (
        where(outside, p[0] - scale * z1, f1),
        where(outside, p[1] - scale * z2, f2),
        p[2] - minimum(maximum(z3, -turn), turn),
    )


def follower_residual(law: ContactLaw, p: Any, w: Any, load: Any) -> Any:
    """The largest of it, N s."""
    f1, f2, fn = follower_map(law, p, w, load)
    return maximum(absolute(fn), sqrt(f1 * f1 + f2 * f2))


def linear_follower(
    law: ContactLaw, p: Any, w: Any, softness: Any, load: Any, lead: LinearLaw, reach: Any, leaning: Any
) -> LinearLaw:
    """A follower made linear as by `linear_law`. lead: the linear law of the contact that leads it."""
    z1, z2 = p[0] - reach * (w[0] * law.hard_along), p[1] - reach * (w[1] * law.hard_along)
    z3 = p[2] - reach * (w[2] * law.hard_normal)
    bound, turn, square = law.friction * load, law.torsion * load, z1 * z1 + z2 * z2
    pressed, rolls, turns = load > 0.0, square > bound * bound, absolute(z3) > turn
    size = sqrt(where(rolls, square, 1.0))
    u1, u2, side = where(rolls, z1 / size, 0.0), where(rolls, z2 / size, 0.0), where(z3 > 0.0, 1.0, -1.0)
    across = reach * bound / (size - bound + reach * softness * bound) * law.hard_along
    beside = across * softness * law.along * (p[1] * u1 - p[0] * u2)
    push, stiffness = where(leaning > 0.5, lead.impulse[2], load), leaning * lead.normal
    rim = law.friction * push
    impulse = np.array(
        [
            where(pressed, where(rolls, rim * u1 - beside * u2, p[0]), 0.0),
            where(pressed, where(rolls, rim * u2 + beside * u1, p[1]), 0.0),
            where(pressed, where(turns, side * law.torsion * push, p[2]), 0.0),
        ]
    )
    return LinearLaw(
        impulse,
        where(pressed, where(rolls, across, 1.0 / (softness * law.along)), 0.0),
        where(pressed, where(turns, 0.0, 1.0 / (softness * law.normal)), 0.0),
        0.0,
        pressed & (rolls | turns),
        u1,
        u2,
        where(pressed & rolls, law.friction * stiffness, 0.0),
        where(pressed & turns, side * law.torsion * stiffness, 0.0),
    )


def follower_answer(law: ContactLaw, p: Any, w: Any, hardness: Any, lead: LinearLaw) -> LinearLaw:
    """What a follower with impulse p gives at a velocity w (3,); lead: the answer of the contact that leads it."""
    hard_along, hard_normal, load = hardness * law.hard_along, hardness * law.hard_normal, lead.impulse[2]
    z1, z2, z3 = p[0] - w[0] * hard_along, p[1] - w[1] * hard_along, p[2] - w[2] * hard_normal
    bound, turn, square = law.friction * load, law.torsion * load, z1 * z1 + z2 * z2
    rolls, turns = square > bound * bound, absolute(z3) > turn
    size = sqrt(where(rolls, square, 1.0))
    u1, u2, side = where(rolls, z1 / size, 0.0), where(rolls, z2 / size, 0.0), where(z3 > 0.0, 1.0, -1.0)
    pressed = load > 0.0
    return LinearLaw(
        np.array([where(rolls, bound * u1, z1), where(rolls, bound * u2, z2), where(turns, side * turn, z3)]),
        where(pressed, where(rolls, bound / size, 1.0) * hard_along, 0.0),
        where(pressed, where(turns, 0.0, hard_normal), 0.0),
        0.0,
        pressed & (rolls | turns),
        u1,
        u2,
        where(rolls, law.friction * lead.normal, 0.0),
        where(turns, side * law.torsion * lead.normal, 0.0),
    )


# Rows of joints


class LinearRow(NamedTuple):
    """A joint row as a spring, `p = impulse - stiffness w`; of an answer, the impulse at its own velocity."""

    impulse: float
    stiffness: float


def allowed_impulse(z: Any, bound: float) -> Any:
    """The nearest impulse that a row may have: of a limit, whose bound is infinite, not negative; of dry friction,
    not beyond its bound."""
    if bound < np.inf:
        return minimum(maximum(z, -bound), bound)
    return maximum(z, 0.0)


def row_map(mobility: Any, bound: float, p: Any, w: Any, reach: Any = 1.0) -> Any:
    """The natural map of a row, N s. w: its velocity with what a limit adds to it. mobility: 1/kg."""
    return p - allowed_impulse(p - w * (reach * (1.0 / mobility)), bound)


def linear_row(mobility: Any, bound: float, p: Any, step: Any, softness: Any) -> tuple[LinearRow, Any]:
    """A row made linear as by `linear_law`, and its natural map. step: how far that looks, `reach w / mobility`."""
    z = p - step
    most = allowed_impulse(z, bound)
    moves = absolute(z) < bound if bound < np.inf else z > 0.0
    spring = 1.0 / (softness * mobility)
    return LinearRow(where(moves, p, most), where(moves, spring, 0.0)), p - most


def row_answer(mobility: Any, bound: float, p: Any, w: Any, softness: Any) -> LinearRow:
    """What a row with impulse p gives at a velocity."""
    stiffness = 1.0 / (softness * mobility)
    z = p - w * stiffness
    moves = absolute(z) < bound if bound < np.inf else z > 0.0
    return LinearRow(allowed_impulse(z, bound), where(moves, stiffness, 0.0))
