"""Native loops of the five-mass model: what the limbs demand of the torso, at many times (spec 003c section 10).

They work on samples of a motion: values (k, 3, columns) and rotations (k, rows, 10), see `sample_layout`.
numbers (13,): mass of the robot, shares of a foot and of a hand, gravity, and the torso's inertia, row by row.
"""

from __future__ import annotations

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.motion.sample_layout import FEET, HANDS, SELECTION, UPPER_BODY, WRENCHES, ZMP


@routine
def rate_of_spin(rotations: Array, k: int, numbers: Array) -> tuple[float, float, float]:
    """d/dt (Theta omega) of the torso in world axes, for an inertia in axes that turn, 003c (F.7)."""
    still = True
    for i in range(4, 10):
        still = still and rotations[k, UPPER_BODY, i] == 0.0
    if still:
        return 0.0, 0.0, 0.0
    w, x = rotations[k, UPPER_BODY, 0], rotations[k, UPPER_BODY, 1]
    y, z = rotations[k, UPPER_BODY, 2], rotations[k, UPPER_BODY, 3]
    v0, v1, v2 = rotations[k, UPPER_BODY, 4], rotations[k, UPPER_BODY, 5], rotations[k, UPPER_BODY, 6]
    b0, b1, b2 = rotations[k, UPPER_BODY, 7], rotations[k, UPPER_BODY, 8], rotations[k, UPPER_BODY, 9]
    a00, a01, a02 = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (w * y + x * z)
    a10, a11, a12 = 2 * (w * z + x * y), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    a20, a21, a22 = 2 * (x * z - w * y), 2 * (w * x + y * z), 1 - 2 * (x * x + y * y)
    # In the turning axes: omega x (Theta omega) + Theta omegadot, then back into the world.
    u0, u1, u2 = (
        a00 * v0 + a10 * v1 + a20 * v2,
        a01 * v0 + a11 * v1 + a21 * v2,
        a02 * v0 + a12 * v1 + a22 * v2,
    )
    c0, c1, c2 = (
        a00 * b0 + a10 * b1 + a20 * b2,
        a01 * b0 + a11 * b1 + a21 * b2,
        a02 * b0 + a12 * b1 + a22 * b2,
    )
    h0 = numbers[4] * u0 + numbers[5] * u1 + numbers[6] * u2
    h1 = numbers[7] * u0 + numbers[8] * u1 + numbers[9] * u2
    h2 = numbers[10] * u0 + numbers[11] * u1 + numbers[12] * u2
    n0 = numbers[4] * c0 + numbers[5] * c1 + numbers[6] * c2 + u1 * h2 - u2 * h1
    n1 = numbers[7] * c0 + numbers[8] * c1 + numbers[9] * c2 + u2 * h0 - u0 * h2
    n2 = numbers[10] * c0 + numbers[11] * c1 + numbers[12] * c2 + u0 * h1 - u1 * h0
    return a00 * n0 + a01 * n1 + a02 * n2, a10 * n0 + a11 * n1 + a12 * n2, a20 * n0 + a21 * n1 + a22 * n2


@routine
def limb_terms(
    values: Array, rotations: Array, k: int, numbers: Array
) -> tuple[float, float, float, float, float, float, float, float]:
    """What the limbs contribute at time number k: C1 (3), C2 (3) of 003c (F.3), (F.6), torso mass and its rate."""
    mass, gravity = numbers[0], numbers[3]
    c1x, c1y, c1z = 0.0, 0.0, mass * gravity
    c2x, c2y, c2z = rate_of_spin(rotations, k, numbers)
    torso, flow = mass, 0.0
    for limb in range(4):  # RF, LF, RH, LH
        share, drift, chosen = numbers[1] * mass, 0.0, 0.0
        if limb >= 2:
            chosen = values[k, 0, SELECTION + limb - 2]
            share, drift = chosen * numbers[2] * mass, values[k, 1, SELECTION + limb - 2] * numbers[2] * mass
        torso -= share
        flow -= drift
        column = FEET + 3 * limb  # hands stand behind feet
        x, y, z = values[k, 0, column], values[k, 0, column + 1], values[k, 0, column + 2]
        # m (r'' - g) + mdot r', without gravity in the force (it is in C1 for the whole mass).
        fx = share * values[k, 2, column] + drift * values[k, 1, column]
        fy = share * values[k, 2, column + 1] + drift * values[k, 1, column + 1]
        fz = share * values[k, 2, column + 2] + drift * values[k, 1, column + 2]
        lift = fz + share * gravity
        c1x, c1y, c1z = c1x + fx, c1y + fy, c1z + fz
        c2x += y * lift - z * fy
        c2y += z * fx - x * lift
        c2z += x * fy - y * fx
        if chosen != 0.0:
            push = WRENCHES + 6 * (limb - 2)
            px, py, pz = values[k, 0, push], values[k, 0, push + 1], values[k, 0, push + 2]
            c1x, c1y, c1z = c1x - chosen * px, c1y - chosen * py, c1z - chosen * pz
            c2x -= chosen * (y * pz - z * py + values[k, 0, push + 3])
            c2y -= chosen * (z * px - x * pz + values[k, 0, push + 4])
            c2z -= chosen * (x * py - y * px + values[k, 0, push + 5])
    return c1x, c1y, c1z, c2x, c2y, c2z, torso, flow


@routine
def all_limb_terms(values: Array, rotations: Array, numbers: Array, result: Array) -> None:
    """Fill result (k, 8) with `limb_terms`."""
    for k in range(len(values)):
        terms = limb_terms(values, rotations, k, numbers)
        for c in range(8):
            result[k, c] = terms[c]


@routine
def torso_equation(
    values: Array, rotations: Array, height: Array, numbers: Array, left: Array, right: Array
) -> None:
    """Fill left (3, k) with alpha, beta, gamma and right (k, 2) with tau of alpha r'' + beta r' + gamma r = tau for the
    torso's x and y, 003c (6.26)-(6.29). height (3, k, 1): of the torso.

    The equation of y is that of x with all signs turned: it is multiplied by -1, so that both have the same left-hand
    side.
    """
    for k in range(len(values)):
        c1x, c1y, c1z, c2x, c2y, _, torso, flow = limb_terms(values, rotations, k, numbers)
        ground = values[k, 0, ZMP + 2]
        arm = ground - height[0, k, 0]
        lift = torso * height[2, k, 0] + flow * height[1, k, 0]
        left[0, k], left[1, k], left[2, k] = torso * arm, flow * arm, lift + torso * numbers[3]
        push = lift + c1z
        right[k, 0] = c2y - ground * c1x + values[k, 0, ZMP] * push
        right[k, 1] = -(c2x + ground * c1y - values[k, 0, ZMP + 1] * push)


@routine
def torso_heights(values: Array, centre: Array, numbers: Array, result: Array) -> None:
    """Fill result (k, 1) with the torso's height for heights of the centre of mass (k,) if masses do not change, 003c
    (6.22)."""
    for k in range(len(values)):
        torso, moment = 1.0, centre[k]
        for limb in range(4):
            share = numbers[1] if limb < 2 else numbers[2] * values[k, 0, SELECTION + limb - 2]
            torso -= share
            moment -= share * values[k, 0, FEET + 3 * limb + 2]
        result[k, 0] = moment / torso


@routine
def mass_point_motion(values: Array, torso: Array, numbers: Array, result: Array) -> None:
    """Fill result (3, k, 3) with value, velocity and acceleration of the centre of mass with masses that change, 003c
    (F.8). torso (3, k, 3): its motion."""
    foot, hand = numbers[1], numbers[2]
    for k in range(len(values)):
        r0, l0 = hand * values[k, 0, SELECTION], hand * values[k, 0, SELECTION + 1]
        r1, l1 = hand * values[k, 1, SELECTION], hand * values[k, 1, SELECTION + 1]
        r2, l2 = hand * values[k, 2, SELECTION], hand * values[k, 2, SELECTION + 1]
        t0, t1, t2 = 1.0 - 2.0 * foot - r0 - l0, -r1 - l1, -r2 - l2
        for d in range(3):
            x0, x1, x2 = torso[0, k, d], torso[1, k, d], torso[2, k, d]
            y0, y1, y2 = values[k, 0, HANDS + d], values[k, 1, HANDS + d], values[k, 2, HANDS + d]
            z0, z1, z2 = values[k, 0, HANDS + 3 + d], values[k, 1, HANDS + 3 + d], values[k, 2, HANDS + 3 + d]
            for n in range(3):
                result[n, k, d] = foot * (values[k, n, FEET + d] + values[k, n, FEET + 3 + d])
            result[0, k, d] += t0 * x0 + r0 * y0 + l0 * z0
            result[1, k, d] += t0 * x1 + r0 * y1 + l0 * z1 + t1 * x0 + r1 * y0 + l1 * z0
            result[2, k, d] += t0 * x2 + r0 * y2 + l0 * z2 + 2.0 * (t1 * x1 + r1 * y1 + l1 * z1)
            result[2, k, d] += t2 * x0 + r2 * y0 + l2 * z0
