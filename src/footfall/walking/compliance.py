"""Force control on ground of unknown stiffness: model-reference adaption, Seiwald (2023) section 4.6.

A contact answers to a velocity u as `f' = -k u`. The law `u = -theta c (f_des - f)` lets errors decay with the rate c
if theta is 1 / k. The reference `f_m' = c (f_des - f_m)` decays so, and theta follows what is missing to it:

    theta' = G e c (f_des - f),  e = f_m - f:   V = e^2 / 2 + k (theta - 1 / k)^2 / (2 G)  has  V' = -c e^2

Theta is kept as its excess over that of the stiffness which was assumed: 0 is right if the assumption is.
"""

from __future__ import annotations

from typing import NamedTuple

_LEAST_EXCESS, _MOST_EXCESS = -0.75, 3.0  # excess: ground four times as stiff, and a quarter as stiff


class Compliance(NamedTuple):
    """reference: force or torque that should be there by now. excess: of theta over what was assumed, as a part."""

    reference: float
    excess: float


class Adaption(NamedTuple):
    """How it is learnt. rate: c, 1/s. speed: of learning, without unit; 0 is no learning. scale: of forces, N or Nm.
    period: s."""

    rate: float
    speed: float
    scale: float
    period: float


def learn(memory: Compliance, wanted: float, measured: float, adaption: Adaption) -> Compliance:
    """What is known of a contact after a period. G is `speed / (scale^2 k_assumed)`."""
    missing = (wanted - measured) / adaption.scale
    behind = (memory.reference - measured) / adaption.scale
    step = adaption.period * adaption.rate
    excess = memory.excess + step * adaption.speed * behind * missing
    reference = memory.reference + step * (wanted - memory.reference)
    return Compliance(reference, min(max(excess, _LEAST_EXCESS), _MOST_EXCESS))


def forget(memory: Compliance, measured: float) -> Compliance:
    """Begin anew with the force that is there; what was learnt of the ground is kept."""
    return Compliance(measured, memory.excess)
