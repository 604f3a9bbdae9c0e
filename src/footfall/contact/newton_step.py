"""Newton's method on the natural map, one contact or joint row at a time: on numbers, on symbols or in a routine.

The natural map `F = p - project(p - w / W)` of a row vanishes where its impulse p and velocity w are right: `project`
brings the impulse into what is allowed, the normal part first and the tangential part then onto the disc whose
radius follows it. At a point each row becomes linear,

    change of p = shift - stiffness * (change of its velocity by all impulses),

so that a step of Newton's method for all rows together is the motion of a robot on springs of that stiffness: a
linear system of the robot's velocities, whatever the number of contacts.

reach: how far along -w the map looks, over 1 / W. softness: a fraction of W that is added to the diagonal in a step
(not in F): redundant contacts then have one step and not many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from footfall.compiler.functions import absolute, maximum, minimum, sqrt, where

_TINY = 1e-280
# A sliding contact presses and rubs by one and the same spring, and elimination without pivots loses digits by it.
_SOFTNESS_SLIDING = 1e-7


class ConeLaw(NamedTuple):
    """A contact in the solver: mean tangential and normal mobility W in 1/kg, compliance C of the normal direction
    (part of w), friction mu, and what is added to the bound `mu p_n`, N s."""

    tangential: Any
    normal: Any
    compliance: Any
    friction: Any
    extra: Any


class LinearCone(NamedTuple):
    """A contact near its present impulse: shift (3,) N s and the entries of its stiffness (3, 3), kg: `along`
    (11, 12, 22) of the tangential rows, `lean` (1n, 2n) of what friction follows the normal direction, `normal`."""

    shift: tuple[Any, Any, Any]
    along: tuple[Any, Any, Any]
    lean: tuple[Any, Any]
    normal: Any


def natural_cone(law: ConeLaw, p: Any, w: Any, reach: Any) -> tuple[Any, Any, Any]:
    """The natural map (3,) of a contact, N s, for impulses and velocities (t1, t2, n)."""
    z1, z2, zn, bound, length = _target(law, p, w, reach)
    scale = where(length < bound, 1.0, bound * (1.0 / maximum(length, _TINY)))
    return p[0] - scale * z1, p[1] - scale * z2, p[2] - maximum(zn, 0.0)


def _target(law: ConeLaw, p: Any, w: Any, reach: Any) -> tuple[Any, Any, Any, Any, Any]:
    """What is projected, the bound of its tangential part and the length of that."""
    along, normal = reach * (1.0 / law.tangential), reach * (1.0 / law.normal)
    z1, z2, zn = p[0] - along * w[0], p[1] - along * w[1], p[2] - normal * w[2]
    bound = where(zn > 0.0, law.friction * zn + law.extra, 0.0)
    return z1, z2, zn, bound, sqrt(z1 * z1 + z2 * z2)


def linear_cone(law: ConeLaw, p: Any, w: Any, reach: Any, softness: Any, leaning: Any = 1.0) -> LinearCone:
    """Newton's step of one contact: open, sticking or sliding, as the natural map has it.

    leaning: by how much friction follows the normal impulse. One is Newton's method; with zero the bound stays as it
    is for the step, which is no longer Newton's but that of a convex problem.
    """
    z1, z2, zn, bound, length = _target(law, p, w, reach)
    inverse = 1.0 / maximum(length, _TINY)
    sticks, pressed = length < bound, zn > 0.0
    scale = where(sticks, 1.0, bound * inverse)
    slides = where(sticks, 0.0, 1.0)
    softness = where(sticks, softness, maximum(softness, _SOFTNESS_SLIDING))
    soft = softness * law.normal + law.compliance
    normal = where(pressed, 1.0 / soft, 0.0)
    shift_n = where(pressed, -w[2] * normal, -p[2])
    f1, f2 = p[0] - scale * z1, p[1] - scale * z2
    u1, u2 = z1 * inverse, z2 * inverse
    # Across the direction of sliding the disc's rim turns with the velocity, along it only the bound moves.
    across = 1.0 / ((1.0 - scale) + scale * reach * softness)
    stiffness = scale * across * (reach * (1.0 / law.tangential))
    follows = leaning * law.friction * shift_n * (1.0 - reach * soft * (1.0 / law.normal))
    rim = slides * ((across - 1.0) * (f1 * u1 + f2 * u2) + where(pressed, follows, 0.0))
    turned = slides * stiffness
    lean = slides * leaning * law.friction * normal
    return LinearCone(
        (rim * u1 - across * f1, rim * u2 - across * f2, shift_n),
        (stiffness - turned * u1 * u1, -turned * u1 * u2, stiffness - turned * u2 * u2),
        (lean * u1, lean * u2),
        normal,
    )


def natural_row(mobility: Any, bound: Any, p: Any, w: Any, reach: Any) -> Any:
    """The natural map of a joint row: a limit (p >= 0), or with a bound dry friction (|p| <= bound)."""
    return p - _allowed(p - reach * (1.0 / mobility) * w, bound)


def linear_row(mobility: Any, bound: Any, p: Any, w: Any, reach: Any, softness: Any) -> tuple[Any, Any]:
    """Newton's step of a joint row: its shift and its stiffness."""
    z = p - reach * (1.0 / mobility) * w
    moves = z > 0.0 if bound is None else absolute(z) < bound
    stiffness = where(moves, 1.0 / (softness * mobility), 0.0)
    return where(moves, -w * stiffness, _allowed(z, bound) - p), stiffness


def _allowed(z: Any, bound: Any) -> Any:
    return maximum(z, 0.0) if bound is None else maximum(minimum(z, bound), -bound)
