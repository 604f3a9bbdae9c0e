"""Footholds that follow the error of the divergent component: beyond the source, which steps where it planned.

A pendulum whose divergent component is off by e when a foot lands is caught by a step that is displaced by e. So the
swinging foot goes where the error will be, within limits; as it stands there the rest of the plan is shifted by as
much, and later steps bring the shift back. A small error is left to the soles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3
from footfall.walking.gains import ControlGains
from footfall.walking.state import BodyMemory, ControllerState, FootMemory

_RETURN = 0.5  # of a shift that a step takes back


class StepRoom(NamedTuple):
    """How far a foothold may be displaced, m: ahead and back, outwards, and inwards. least: error that feet follow."""

    ahead: float
    outward: float
    inward: float
    least: float


def step_room(gains: ControlGains) -> StepRoom:
    """Room for feet of this size."""
    return StepRoom(
        0.5 * gains.sole.length, 0.3 * gains.sole.width, 0.1 * gains.sole.width, 0.17 * gains.sole.length
    )


class Lead(NamedTuple):
    """What footholds follow. error: of the divergent component, m. shift: by which the plan is shifted already, m.
    room: within which they do."""

    error: Vector3
    shift: Vector3
    room: StepRoom


def foothold_goal(lead: Lead, heading: Matrix3, outward: float, gains: ControlGains) -> Vector3:
    """Where a swinging foot should be displaced to, m, world axes.

    heading: rotation of the foot. outward: 1 if left is outside, -1 if right is.
    """
    if gains.step_share <= 0.0:
        return np.zeros(3)
    error, shift, room = lead
    ahead, left = heading[:, 0], heading[:, 1]
    x, y = float(error @ ahead), outward * float(error @ left)
    along = _beyond(x, room.least) * gains.step_share - _RETURN * float(shift @ ahead)
    aside = _beyond(y, room.least) * gains.step_share - _RETURN * outward * float(shift @ left)
    along = min(max(along, -room.ahead), room.ahead)
    aside = outward * min(max(aside, -room.inward), room.outward)
    goal = along * ahead + aside * left
    return np.array([goal[0], goal[1], 0.0])


def _beyond(error: float, least: float) -> float:
    """What of an error is above the least one, which grows in until twice of it."""
    size = abs(error)
    share = min(max(size / least - 1.0, 0.0), 1.0)
    return share * error


def has_landed(foot: FootMemory, closed: bool) -> bool:
    """Whether a foot that has swung stands now, where it was planned to stand."""
    return closed and foot.swung > 0.5 and foot.touching > 0.5


def shift_plan(state: ControllerState, landed: int) -> None:
    """Shift the plan by the displacement of a foot that has landed; nothing of the model moves by this.

    Once for each swing: the other foot, which stays where it is, is displaced now, and must not take the plan back.
    """
    foot, other, body = state.feet[landed], state.feet[1 - landed], state.body[0]
    by = np.array([foot.hold[0], foot.hold[1], 0.0])
    state.feet[landed] = _moved(foot, -by)._replace(swung=0.0)
    state.feet[1 - landed] = _moved(other, -by)
    state.body[0] = body._replace(plan_shift=body.plan_shift + by, shift=body.shift - by, dcm=body.dcm - by)


def _moved(foot: FootMemory, by: Vector3) -> FootMemory:
    return foot._replace(hold=foot.hold + by)


def come_back(body: BodyMemory, goal: Vector3, gains: ControlGains) -> BodyMemory:
    """Let the model's centre of mass come to a place beside the (shifted) plan, m, as a critically damped spring."""
    rate = gains.height_rate
    change = rate * rate * (goal - body.shift) - 2.0 * rate * body.shift_rate
    shift_rate = body.shift_rate + gains.period * change
    return body._replace(shift=body.shift + gains.period * shift_rate, shift_rate=shift_rate)
