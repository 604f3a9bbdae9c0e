"""Single joints moved by hand beside what the controller wants of them, and sweeps by which drives are identified.

The source's panel has a tab for either (Seiwald 2023, section 7.6). The controller does not know of what is done here:
its joint velocities get others added before servos see them. A joint goes to where it shall be with bounded velocity
and acceleration; a sweep is a sine that grows, goes through frequencies one after the other, and fades:

    x(t) = a w(t) sin(2 pi (f0 t + (f1 - f0) t^2 / 2 T))

Velocities are linear within a period, so what is added to an angle is their sum by the rule of trapezoids.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, new_records

LONGEST = 30.0  # s, of a sweep
FADE = 0.5  # s, at each of its ends
_ACCELERATION = 4.0  # times the velocity that hands have, a second
_THERE = 1e-9  # rad


class Sweep(NamedTuple):
    """joint: its number. begin, end: s; amplitude: rad. first, last: Hz, at its ends."""

    joint: int
    begin: float
    end: float
    amplitude: float
    first: float
    last: float


class JointsByHand(NamedTuple):
    """offsets, wanted (joints,): where joints are beside what the controller wants, and where they shall be, rad.
    rates (joints,): how fast they go there, rad/s. fastest: rad/s. sweep (1,): the one that runs or ran last. heard
    (periods, 2): of the joint that is swept, its set point and its encoder, rad. active, known (1,): whether any joint
    is moved, and rows that were heard."""

    offsets: Array
    wanted: Array
    rates: Array
    fastest: float
    sweep: ArrayOf[Sweep]
    heard: Array
    active: Integers
    known: Integers


def new_joints_by_hand(joints: int, period: float, fastest: float, *, sweeps: bool) -> JointsByHand:
    """Nothing is moved. period: of the controller, s. sweeps: whether there are drives to listen to."""
    sweep: ArrayOf[Sweep] = new_records(Sweep, 1)
    sweep[0]["begin"], sweep[0]["end"] = -1.0, -1.0
    rows = round(LONGEST / period) + 1 if sweeps else 0
    return JointsByHand(
        np.zeros(joints),
        np.zeros(joints),
        np.zeros(joints),
        fastest,
        sweep,
        np.zeros((rows, 2)),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


def add_hand_rates(hand: JointsByHand, after: Array, time: float, period: float) -> None:
    """Add what is done by hand to joint velocities (joints,) at the end of a period, s, that begins at a time, s."""
    if hand.active[0] == 0:
        return
    sweep, moves = hand.sweep[0], 0
    for k in range(len(after)):
        before = hand.rates[k]
        if k == sweep.joint and time < sweep.end:
            rate = sweep_rate(sweep, time + period)
        else:
            rate = rate_towards(hand.wanted[k] - hand.offsets[k], before, hand.fastest, period)
        hand.offsets[k] += 0.5 * period * (before + rate)
        hand.rates[k] = rate
        after[k] += rate
        if abs(rate) > 0.0 or abs(hand.wanted[k] - hand.offsets[k]) > _THERE:
            moves = 1
    hand.active[0] = moves if time >= sweep.end else 1


def rate_towards(gap: float, rate: float, fastest: float, period: float) -> float:
    """Velocity after a period, rad/s, of a joint that shall come to rest a gap ahead, rad."""
    if abs(gap) < _THERE and abs(rate) < _THERE / period:
        return 0.0
    most = _ACCELERATION * fastest
    # From the largest velocity that still comes to rest in time; near the end it fades by a fifth a period.
    wanted = min(np.sqrt(2.0 * 0.8 * most * abs(gap)), fastest, 0.2 * abs(gap) / period)
    wanted = wanted if gap > 0.0 else -wanted
    return float(min(max(wanted, rate - most * period), rate + most * period))


def sweep_rate(sweep: Sweep, time: float) -> float:
    """Derivative of a sweep at a time, rad/s."""
    length, since = sweep.end - sweep.begin, time - sweep.begin
    if since <= 0.0 or since >= length:
        return 0.0
    growth = faded(since, length)
    rise = (sweep.last - sweep.first) / length
    angle = 2.0 * np.pi * (sweep.first + 0.5 * rise * since) * since
    turn = 2.0 * np.pi * (sweep.first + rise * since)
    return float(sweep.amplitude * (growth.slope * np.sin(angle) + growth.share * turn * np.cos(angle)))


class Growth(NamedTuple):
    """share: of its amplitude that a sweep has, from 0 to 1; slope: derivative of that, 1/s."""

    share: float
    slope: float


def faded(since: float, length: float) -> Growth:
    """How far a sweep of some length, s, has grown since it began, s."""
    nearest = min(since, length - since)
    if nearest >= FADE:
        return Growth(1.0, 0.0)
    way = 1.0 if since < length - since else -1.0
    angle = np.pi * nearest / FADE
    return Growth(0.5 - 0.5 * np.cos(angle), way * 0.5 * np.pi / FADE * np.sin(angle))


def hear_sweep(hand: JointsByHand, target: Array, measured: Array, time: float) -> None:
    """Keep set point and encoder of the joint that is swept, from (joints,) of all, while it is swept."""
    sweep, row = hand.sweep[0], hand.known[0]
    if sweep.begin <= time < sweep.end and row < len(hand.heard):
        hand.heard[row, 0], hand.heard[row, 1] = target[sweep.joint], measured[sweep.joint]
        hand.known[0] = row + 1
