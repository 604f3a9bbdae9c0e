"""The bus between control computer and servos: frames that are late, come at odd times, or are lost.

Every tick a frame leaves with set points of all servos and comes back with what they measured. What happens to it is a
matter of numbers (`BusSettings`) and of a seed. Servos carry their last set points on while no frame comes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.walking.noise import uniform

FRAMES = 8  # that may be under way
LOST = -1


class BusSettings(NamedTuple):
    """latency: ticks that a frame takes. jitter: probability that it takes one more. dropped: probability that it is
    lost. tolerated: how many ticks in a row may pass without a frame."""

    latency: int
    jitter: float
    dropped: float
    tolerated: int


class BusState(NamedTuple):
    """Frames under way: position, velocity, effort (FRAMES, joints), rad, rad/s and N m. arrival (FRAMES,): tick at
    which they come, or LOST. counts (3,): newest frame that came, ticks without one, frames lost so far. seed (1,)."""

    position: Array
    velocity: Array
    effort: Array
    arrival: Integers
    counts: Integers
    seed: Integers


NEWEST, MISSED, LOSSES = 0, 1, 2  # places in `BusState.counts`


def new_bus(joints: int, seed: int) -> BusState:
    """Nothing is under way."""
    rows = (FRAMES, joints)
    first = int(np.random.default_rng([seed, 1]).integers(1, 2**31 - 2))
    return BusState(
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows),
        np.full(FRAMES, LOST, dtype=np.int64),
        np.array([-1, 0, 0]),
        np.array([first]),
    )


def send_frame(settings: BusSettings, bus: BusState, tick: int, cut: bool) -> int:
    """Send a frame at a tick; gives its place, where set points are to be written. cut: no frame comes through."""
    place = tick % FRAMES
    late = 1 if settings.jitter > 0.0 and uniform(bus.seed) < settings.jitter else 0
    lost = cut or (settings.dropped > 0.0 and uniform(bus.seed) < settings.dropped)
    bus.arrival[place] = LOST if lost else tick + settings.latency + late
    if lost:
        bus.counts[LOSSES] += 1
    return place


def receive_frame(bus: BusState, tick: int) -> int:
    """The place of the newest frame that has come until a tick, or LOST if none is newer than the last one."""
    found, newest = LOST, bus.counts[NEWEST]
    for age in range(FRAMES):
        sent = tick - age
        if sent <= newest or sent < 0:
            break
        arrival = bus.arrival[sent % FRAMES]
        if arrival != LOST and arrival <= tick:
            found = sent
            break
    if found == LOST:
        bus.counts[MISSED] += 1
        return LOST
    bus.counts[NEWEST], bus.counts[MISSED] = found, 0
    return found % FRAMES
