"""One contact on its own: the exact solution of Coulomb's law with everything else held fixed.

The impulse p = (p1, p2, pn) of a contact changes its velocity by `w = W p + b`. Either it separates (p = 0), or it
sticks (w = 0, p within the cone), or it slides: w_n = 0, p_t lies on the rim of the disc and opposes w_t. Sliding
means `(S + slip) p_t = -b_s` with the 2x2 matrix S that is left of W once w_n = 0 is solved for p_n, and one
unknown slip >= 0 that is found by Newton's method on an almost linear function, kept within a bracket.

Everything here is scalar and without branches. It runs on floats, on symbols of a trace and in routines.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from footfall.compiler.functions import maximum, minimum, sqrt, where

REGULARISATION = 1e-9  # of the mean diagonal: lets a contact work that cannot move in some direction
_TINY = 1e-280


class ConeBlock(NamedTuple):
    """What one contact's 3x3 block of the Delassus matrix gives once and for all.

    tangent_*: the matrix S, 1/kg. coupling_*: normal velocity of a unit tangential impulse over that of a unit
    normal impulse. inverse_normal: kg. added: what has been added to the diagonal, 1/kg.
    """

    tangent_11: float
    tangent_12: float
    tangent_22: float
    coupling_1: float
    coupling_2: float
    inverse_normal: float
    added: float


def cone_block(w11: Any, w12: Any, w1n: Any, w22: Any, w2n: Any, wnn: Any) -> ConeBlock:
    """Block of a contact from the upper triangle of its symmetric W, 1/kg, rows (t1, t2, n)."""
    added = REGULARISATION * (w11 + w22 + wnn) / 3 + _TINY
    inverse_normal = 1 / (wnn + added)
    coupling_1 = w1n * inverse_normal
    coupling_2 = w2n * inverse_normal
    return ConeBlock(
        w11 + added - w1n * coupling_1,
        w12 - w1n * coupling_2,
        w22 + added - w2n * coupling_2,
        coupling_1,
        coupling_2,
        inverse_normal,
        added,
    )


def solve_cone(
    block: ConeBlock,
    free_1: Any,
    free_2: Any,
    free_n: Any,
    friction: Any,
    extra: Any,
    slip: Any,
    steps: int,
) -> tuple[Any, Any, Any, Any]:
    """Impulse (p1, p2, pn) of a contact in N s, and the slip to start from next time.

    free: velocity without this impulse, m/s: of the current p and w it is `w - W p - block.added p`, so that what
    was added to the diagonal does not change the solution of a sweep. friction: mu. extra: part of the bound
    `mu p_n + extra` that does not grow with p_n, N s; it acts only while there is a normal impulse.
    slip: where to start (zero, or what the last sweep gave), 1/kg. steps: of Newton's method. Whatever their
    number, the result lies in the cone and solves the normal direction; they only turn the sliding direction.
    """
    normal = -free_n * block.inverse_normal  # were there no friction
    b1 = free_1 + block.coupling_1 * -free_n
    b2 = free_2 + block.coupling_2 * -free_n
    bound = friction * normal + extra
    c1 = friction * block.coupling_1
    c2 = friction * block.coupling_2

    stick_1, stick_2 = tangential_impulse(block, b1, b2, 0.0)
    stick_n = normal - block.coupling_1 * stick_1 - block.coupling_2 * stick_2
    stick_bound = friction * stick_n + extra
    inside = stick_1 * stick_1 + stick_2 * stick_2 <= stick_bound * stick_bound
    sticks = where(inside, where(stick_bound >= 0.0, where(stick_n >= 0.0, 1.0, 0.0), 0.0), 0.0)

    slip = find_slip(block, b1, b2, bound, c1, c2, slip, steps)
    slide_1, slide_2 = tangential_impulse(block, b1, b2, slip)
    length = sqrt(slide_1 * slide_1 + slide_2 * slide_2) + _TINY
    # On the rim: |p_t| = bound - c.u |p_t| in the direction u.
    rim = bound / maximum(length + c1 * slide_1 + c2 * slide_2, 1e-9 * length)
    slide_1 = rim * slide_1
    slide_2 = rim * slide_2
    slide_n = normal - block.coupling_1 * slide_1 - block.coupling_2 * slide_2
    # Friction that would lift the contact off (by `extra`, which has no normal impulse behind it) acts in part only.
    part = where(slide_n < 0.0, normal / maximum(normal - slide_n, _TINY), 1.0)
    slide_1 = part * slide_1
    slide_2 = part * slide_2
    slide_n = maximum(slide_n, 0.0)

    stuck = sticks > 0.0
    pressed = normal > 0.0
    return (
        where(pressed, where(stuck, stick_1, slide_1), 0.0),
        where(pressed, where(stuck, stick_2, slide_2), 0.0),
        where(pressed, where(stuck, stick_n, slide_n), 0.0),
        where(stuck, 0.0, slip),
    )


def tangential_impulse(block: ConeBlock, b1: Any, b2: Any, slip: Any) -> tuple[Any, Any]:
    """p_t with `(S + slip) p_t = -b`."""
    s11 = block.tangent_11 + slip
    s22 = block.tangent_22 + slip
    inverse = 1 / (s11 * s22 - block.tangent_12 * block.tangent_12)
    return inverse * (block.tangent_12 * b2 - s22 * b1), inverse * (block.tangent_12 * b1 - s11 * b2)


def find_slip(
    block: ConeBlock, b1: Any, b2: Any, bound: Any, c1: Any, c2: Any, start: Any, steps: int
) -> Any:
    """The slip where |p_t| meets the bound; of no meaning if the contact separates or sticks.

    Newton's method on `bound(p_t) / |p_t| - 1`, concave and almost linear in the slip unless normal and tangent
    are strongly coupled. At the upper end of the bracket the bound is kept for certain.
    """
    reach = sqrt(b1 * b1 + b2 * b2)
    low = 0.0 * reach
    high = reach * (1 + sqrt(c1 * c1 + c2 * c2)) / maximum(bound, 1e-15 * reach + _TINY)
    slip = minimum(maximum(start, low), high)
    for _ in range(steps):
        s11 = block.tangent_11 + slip
        s22 = block.tangent_22 + slip
        inverse = 1 / (s11 * s22 - block.tangent_12 * block.tangent_12)
        p1 = inverse * (block.tangent_12 * b2 - s22 * b1)
        p2 = inverse * (block.tangent_12 * b1 - s11 * b2)
        rate_1 = inverse * (block.tangent_12 * p2 - s22 * p1)  # with the slip
        rate_2 = inverse * (block.tangent_12 * p1 - s11 * p2)
        length = sqrt(p1 * p1 + p2 * p2) + _TINY
        length_rate = (p1 * rate_1 + p2 * rate_2) / length
        kept = bound - c1 * p1 - c2 * p2
        kept_rate = -(c1 * rate_1 + c2 * rate_2)
        slope = kept_rate * length - kept * length_rate
        excess = length - kept
        low = where(excess > 0.0, slip, low)
        high = where(excess > 0.0, high, slip)
        newton = slip + excess * length / where(slope > _TINY, slope, _TINY)
        middle = 0.5 * (low + high)
        slip = where(newton >= low, where(newton <= high, newton, middle), middle)
    return slip


def solve_limit(inverse: Any, free: Any) -> Any:
    """Impulse p >= 0 of a unilateral row with `p w = 0`, `w = p / inverse + free >= 0`."""
    return maximum(-inverse * free, 0.0)


def solve_box(inverse: Any, free: Any, bound: Any) -> Any:
    """Impulse |p| <= bound of a row with w = 0 unless p is at its bound; `w = p / inverse + free`."""
    return maximum(minimum(-inverse * free, bound), -bound)
