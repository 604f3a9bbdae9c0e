"""Native loops of the five-mass model: what the limbs demand of the torso, at many times (spec 003c section 10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop

Array = np.ndarray[Any, np.dtype[np.float64]]


@native_loop
def rate_of_spin(inertia: Array, quaternion: Array, spin: Array, change: Array) -> tuple[float, float, float]:
    """d/dt (Theta omega) in world axes, for an inertia (3, 3) in axes that turn, 003c (F.7)."""
    still = True
    for i in range(3):
        still = still and spin[i] == 0.0 and change[i] == 0.0
    if still:
        return 0.0, 0.0, 0.0
    w, x, y, z = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    a00, a01, a02 = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (w * y + x * z)
    a10, a11, a12 = 2 * (w * z + x * y), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    a20, a21, a22 = 2 * (x * z - w * y), 2 * (w * x + y * z), 1 - 2 * (x * x + y * y)
    # In the turning axes: omega x (Theta omega) + Theta omegadot, then back into the world.
    u0 = a00 * spin[0] + a10 * spin[1] + a20 * spin[2]
    u1 = a01 * spin[0] + a11 * spin[1] + a21 * spin[2]
    u2 = a02 * spin[0] + a12 * spin[1] + a22 * spin[2]
    c0 = a00 * change[0] + a10 * change[1] + a20 * change[2]
    c1 = a01 * change[0] + a11 * change[1] + a21 * change[2]
    c2 = a02 * change[0] + a12 * change[1] + a22 * change[2]
    h0 = inertia[0, 0] * u0 + inertia[0, 1] * u1 + inertia[0, 2] * u2
    h1 = inertia[1, 0] * u0 + inertia[1, 1] * u1 + inertia[1, 2] * u2
    h2 = inertia[2, 0] * u0 + inertia[2, 1] * u1 + inertia[2, 2] * u2
    n0 = inertia[0, 0] * c0 + inertia[0, 1] * c1 + inertia[0, 2] * c2 + u1 * h2 - u2 * h1
    n1 = inertia[1, 0] * c0 + inertia[1, 1] * c1 + inertia[1, 2] * c2 + u2 * h0 - u0 * h2
    n2 = inertia[2, 0] * c0 + inertia[2, 1] * c1 + inertia[2, 2] * c2 + u0 * h1 - u1 * h0
    return (
        a00 * n0 + a01 * n1 + a02 * n2,
        a10 * n0 + a11 * n1 + a12 * n2,
        a20 * n0 + a21 * n1 + a22 * n2,
    )


@native_loop
def limb_terms(
    right_foot: Array,
    left_foot: Array,
    right_hand: Array,
    left_hand: Array,
    right_selection: Array,
    left_selection: Array,
    wrenches: Array,
    quaternion: Array,
    spin: Array,
    change: Array,
    mass: float,
    foot_share: float,
    hand_share: float,
    inertia: Array,
    gravity: float,
) -> Array:
    """What the limbs contribute (k, 8): C1 (3), C2 (3) of 003c (F.3), (F.6), torso mass and its rate.

    Limbs (3, k, 3): value, velocity, acceleration. selections (2 or more, k, 1). wrenches (k, 12): force and
    torque at the right hand, then the left, world axes. quaternion, spin, change: of the upper body.
    """
    count = right_foot.shape[1]
    result = np.empty((count, 8))
    foot = foot_share * mass
    for k in range(count):
        c1x, c1y, c1z = 0.0, 0.0, mass * gravity
        c2x, c2y, c2z = rate_of_spin(inertia, quaternion[k], spin[k], change[k])
        torso, flow = mass, 0.0
        for limb in range(4):
            if limb == 0:
                motion, share, drift, chosen = right_foot, foot, 0.0, 0.0
            elif limb == 1:
                motion, share, drift, chosen = left_foot, foot, 0.0, 0.0
            elif limb == 2:
                chosen = right_selection[0, k, 0]
                motion, drift = right_hand, right_selection[1, k, 0] * hand_share * mass
                share = chosen * hand_share * mass
            else:
                chosen = left_selection[0, k, 0]
                motion, drift = left_hand, left_selection[1, k, 0] * hand_share * mass
                share = chosen * hand_share * mass
            torso -= share
            flow -= drift
            x, y, z = motion[0, k, 0], motion[0, k, 1], motion[0, k, 2]
            # m (r'' - g) + mdot r', without gravity in the force (it is in C1 for the whole mass).
            fx = share * motion[2, k, 0] + drift * motion[1, k, 0]
            fy = share * motion[2, k, 1] + drift * motion[1, k, 1]
            fz = share * motion[2, k, 2] + drift * motion[1, k, 2]
            lift = fz + share * gravity
            c1x, c1y, c1z = c1x + fx, c1y + fy, c1z + fz
            c2x += y * lift - z * fy
            c2y += z * fx - x * lift
            c2z += x * fy - y * fx
            if limb >= 2 and chosen != 0.0:
                first = 6 * (limb - 2)
                px, py, pz = (
                    chosen * wrenches[k, first],
                    chosen * wrenches[k, first + 1],
                    chosen * wrenches[k, first + 2],
                )
                c1x, c1y, c1z = c1x - px, c1y - py, c1z - pz
                c2x -= y * pz - z * py + chosen * wrenches[k, first + 3]
                c2y -= z * px - x * pz + chosen * wrenches[k, first + 4]
                c2z -= x * py - y * px + chosen * wrenches[k, first + 5]
        result[k, 0], result[k, 1], result[k, 2] = c1x, c1y, c1z
        result[k, 3], result[k, 4], result[k, 5] = c2x, c2y, c2z
        result[k, 6], result[k, 7] = torso, flow
    return result


@native_loop
def torso_equation(terms: Array, height: Array, zmp: Array, gravity: float) -> Array:
    """Coefficients (5, k) of alpha r'' + beta r' + gamma r = tau for the torso's x and y, 003c (6.26)-(6.29).

    terms (k, 8) of `limb_terms`; height (3, k, 1) of the torso; zmp (1 or more, k, 3). Rows: alpha, beta, gamma,
    tau of x, tau of y. The equation of y is that of x with all signs turned: it is multiplied by -1, so that
    both have the same left-hand side.
    """
    count = len(terms)
    result = np.empty((5, count))
    for k in range(count):
        torso, flow = terms[k, 6], terms[k, 7]
        arm = zmp[0, k, 2] - height[0, k, 0]
        lift = torso * height[2, k, 0] + flow * height[1, k, 0]
        result[0, k] = torso * arm
        result[1, k] = flow * arm
        result[2, k] = lift + torso * gravity
        push = lift + terms[k, 2]
        result[3, k] = terms[k, 4] - zmp[0, k, 2] * terms[k, 0] + zmp[0, k, 0] * push
        result[4, k] = -(terms[k, 3] + zmp[0, k, 2] * terms[k, 1] - zmp[0, k, 1] * push)
    return result


@native_loop
def mass_point_motion(
    torso: Array,
    right_foot: Array,
    left_foot: Array,
    right_hand: Array,
    left_hand: Array,
    right_selection: Array,
    left_selection: Array,
    foot_share: float,
    hand_share: float,
) -> Array:
    """Value, velocity and acceleration (3, k, 3) of the centre of mass with masses that change, 003c (F.8)."""
    count = torso.shape[1]
    result = np.empty((3, count, 3))
    for k in range(count):
        right, left = right_selection[:, k, 0], left_selection[:, k, 0]
        r0, r1, r2 = hand_share * right[0], hand_share * right[1], hand_share * right[2]
        l0, l1, l2 = hand_share * left[0], hand_share * left[1], hand_share * left[2]
        t0, t1, t2 = 1.0 - 2.0 * foot_share - r0 - l0, -r1 - l1, -r2 - l2
        for d in range(3):
            t, r, l = torso[:, k, d], right_hand[:, k, d], left_hand[:, k, d]
            for n in range(3):
                result[n, k, d] = foot_share * (right_foot[n, k, d] + left_foot[n, k, d])
            result[0, k, d] += t0 * t[0] + r0 * r[0] + l0 * l[0]
            result[1, k, d] += t0 * t[1] + r0 * r[1] + l0 * l[1] + t1 * t[0] + r1 * r[0] + l1 * l[0]
            result[2, k, d] += t0 * t[2] + r0 * r[2] + l0 * l[2] + 2.0 * (t1 * t[1] + r1 * r[1] + l1 * l[1])
            result[2, k, d] += t2 * t[0] + r2 * r[0] + l2 * l[0]
    return result
