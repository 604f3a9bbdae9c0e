"""The disturbance observer of an earlier stabilisation: which force acts on the robot that nobody planned?

A Kalman filter whose state is the centre of mass off its plan, its rate, and an external force that walks at random,
Seiwald 2023, section 2.6: `e'' = (f + F) / m`, f: forces of all contacts beyond what is planned, as sensors measure
them; its gains are `disturbance_filter`. (The linear inverted pendulum has `f = m w^2 (e - p)` in its place; a robot
with force sensors need not assume that.) A force that stays is met by a zero-moment point that is shifted by
`F / (m w^2)`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3
from footfall.walking.gains import ControlGains


class ObservedForce(NamedTuple):
    """place, rate: of the centre of mass off its plan, m and m/s. force: N, that acts besides all contacts."""

    place: Vector3
    rate: Vector3
    force: Vector3


def observed_force(
    before: ObservedForce, place: Vector3, pushed: Vector3, gains: ControlGains
) -> ObservedForce:
    """What is known after a period. place: of the centre of mass off its plan, measured, m. pushed: by contacts, beyond
    what is planned, N."""
    period, law = gains.period, gains.disturbance
    change = (pushed + before.force) / gains.mass
    moved = before.place + period * before.rate + 0.5 * period * period * change
    missed = place - moved
    after = before.force + law.force * missed
    return ObservedForce(
        moved + law.place * missed,
        before.rate + period * change + law.rate * missed,
        np.array([after[0], after[1], 0.0]),
    )
