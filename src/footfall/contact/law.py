"""The law of a contact, for all kinds of steps: what it asks of the velocity v at the end of a step and its impulse p.

    v_n + offset + compliance p_n >= 0,  p_n >= 0,  |p_t| <= friction p_n + extra

These functions are scalar. They run on floats, on symbols of a trace and in routines; `normal_laws` is for arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.functions import maximum, sqrt, where

if TYPE_CHECKING:
    from footfall.contact.contacts import Contacts

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


class Bounce(NamedTuple):
    """What a surface answers along its normal. stiffness: N/m, infinite if it is rigid; damping: N s/m. restitution: of
    a rigid one, in [0, 1]; a soft one has its spring."""

    stiffness: float
    damping: float
    restitution: float


def normal_law(
    gap: Any, bend: Any, approach: Any, surface: Bounce, rules: ContactRules, dt: float
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
    surfaces = zip(contacts.stiffness, contacts.damping, contacts.restitution, strict=True)
    laws = [
        normal_law(gap, bend, speed, Bounce(*map(float, surface)), rules, dt)
        for gap, bend, speed, surface in zip(contacts.gaps, bends, approach, surfaces, strict=True)
    ]
    offsets, compliances = np.array(laws, dtype=np.float64).reshape(-1, 2).T
    return offsets, compliances
