"""All gains of the walking controller, from one function of mass, height, foot size and rates."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.motion.reduced_model import Rectangle, ReducedModel


class Sole(NamedTuple):
    """A rectangle that may touch the ground, in the frame of a foot, m."""

    rear: float
    front: float
    right: float
    left: float

    @property
    def middle(self) -> float:
        """Its centre ahead of the frame's origin, m."""
        return 0.5 * (self.rear + self.front)

    @property
    def length(self) -> float:
        return self.front - self.rear

    @property
    def width(self) -> float:
        return self.left - self.right


class DisturbanceFilter(NamedTuple):
    """Gains of the disturbance observer: what a measured place of the centre of mass changes, a period."""

    place: float
    rate: float  # 1/s
    force: float  # N/m


# Standard deviations: what is measured of the centre of mass as a part of its height; accelerations that follow from
# measured forces, as a part of gravity; and how fast external forces change, as a part of the weight, a second.
_PLACE, _PUSH, _FORCE = 2e-3, 0.1, 3.0


@lru_cache(maxsize=16)
def disturbance_filter(period: float, mass: float, gravity: float, height: float) -> DisturbanceFilter:
    """Gains of the filter once it has settled, from the Riccati equation."""
    from scipy.linalg import solve_discrete_are  # slow to import

    move = np.array([[1.0, period, period**2 / (2 * mass)], [0.0, 1.0, period / mass], [0.0, 0.0, 1.0]])
    seen = np.array([[1.0, 0.0, 0.0]])
    drift = np.diag([0.0, (_PUSH * gravity * period) ** 2, (_FORCE * mass * gravity) ** 2 * period])
    blur = np.array([[(_PLACE * height) ** 2 / period]])  # of all that is measured in a second
    spread = solve_discrete_are(move.T, seen.T, drift, blur)
    place, rate, force = (spread @ seen.T @ np.linalg.inv(seen @ spread @ seen.T + blur))[:, 0]
    return DisturbanceFilter(float(place), float(rate), float(force))


class ControlGains(NamedTuple):
    """What the controller is tuned by, SI units."""

    period: float  # s
    mass: float  # kg
    gravity: float  # m/s2
    height: float  # m, of the centre of mass
    pendulum_rate: float  # 1/s, sqrt(g / height)
    sole: Sole
    toe: Sole
    task_rate: float  # 1/s, K of the inverse kinematics
    momentum_weight: (
        float  # 1/(kg m2)^2, of momentum about the vertical against joint velocities; 0: arms rest
    )
    clearance_strength: float  # by which arms are pushed off the body where they would touch; 0: they are not
    balance_rate: float  # 1/s, by which an error of the divergent component decays
    observer_rate: float  # 1/s, by which what is measured corrects what follows from forces
    force_rate: float  # 1/s, by which errors of contact forces decay
    learning: (
        float  # speed by which force control learns the stiffness of the ground; 0: it is taken as assumed
    )
    hand_rate: float  # 1/s, likewise of hands
    foot_stiffness: float  # N/m, a whole sole pressed down
    hand_stiffness: float  # N/m
    touch_force: float  # N, from which a foot has touched down
    hand_touch_force: float  # N
    foot_force_limit: float  # N
    hand_force_limit: float  # N
    foot_friction: float
    hand_friction: float
    height_rate: float  # 1/s, of the spring that brings the centre of mass to its height
    release_rate: float  # 1/s, by which swinging feet forget what forces have done to them
    level_rate: float  # 1/s, by which the model forgets that all of the ground is off its plan
    step_share: (
        float  # of an error of the divergent component that footholds follow; 0: they stay where planned
    )
    catching_step: (
        float  # m, longest step ahead by which a robot that stands catches itself; 0: it takes none
    )
    stop_acceleration: float  # m/s2, by which a foot is stopped that meets the ground early
    stop_time: float  # s, in which a displaced foot gets that acceleration: set points have two derivatives
    late_speed: float  # m/s, of a foot that looks for the ground
    hand_speed: float  # m/s, of a hand that looks for what it should touch
    largest_turn: float  # rad, that force control may turn a foot by
    largest_step: float  # m, that the ground may be off by
    feed_forward: float  # share of the torques that joints will need which drives are told of
    inclination_share: float  # of the source's law on a flywheel in balance; 0: the divergent component alone
    inclination_inertia: float  # kg m2, of the robot about its feet
    disturbance_share: float  # of the observed external force that balance makes up for; 0: nobody observes
    disturbance: DisturbanceFilter


def control_gains(model: ReducedModel, *, period: float = 1e-3, point_stiffness: float = 5e4) -> ControlGains:
    """The one set of gains for a robot, for all scenes.

    period: of the controller, s. point_stiffness: of one of 16 points of a sole, N/m.
    """
    weight = model.mass * model.gravity
    rate = float(np.sqrt(model.gravity / model.com_height))
    return ControlGains(
        period,
        model.mass,
        model.gravity,
        model.com_height,
        rate,
        sole_of(model.sole),
        sole_of(model.toe_sole),
        task_rate=0.1 / period,
        # Without arms the pelvis would have to swing against the legs, and hips come to their stops.
        momentum_weight=5.0 / (0.01 * model.mass * model.com_height**2) ** 2 if _has_arms(model) else 0.0,
        clearance_strength=5.0 * rate,
        balance_rate=1.2 * rate,
        observer_rate=4.0 * rate,
        force_rate=12.0 * rate,
        learning=0.0,
        hand_rate=9.0 * rate,
        foot_stiffness=16 * point_stiffness,
        hand_stiffness=point_stiffness,
        touch_force=0.045 * weight,
        hand_touch_force=0.015 * weight,
        foot_force_limit=2.0 * weight,
        hand_force_limit=0.2 * weight,
        foot_friction=0.8,
        hand_friction=0.05,
        height_rate=2.5 * rate,
        release_rate=4.0 * rate,
        level_rate=0.3 * rate,
        step_share=1.0,
        catching_step=0.4 * model.com_height,
        stop_acceleration=5.0 * model.gravity,
        stop_time=0.01,
        late_speed=0.04 * rate * model.com_height,
        hand_speed=0.04 * rate * model.com_height,
        largest_turn=0.3,
        largest_step=0.07 * model.com_height,
        feed_forward=1.0,
        inclination_share=0.0,
        inclination_inertia=model.mass * model.com_height**2
        + float(np.trace(model.torso_inertia[:2, :2])) / 2.0,
        disturbance_share=0.0,
        disturbance=disturbance_filter(period, model.mass, model.gravity, model.com_height),
    )


def _has_arms(model: ReducedModel) -> bool:
    return model.upper_arm + model.lower_arm > 0.0


def sole_of(rectangle: Rectangle) -> Sole:
    return Sole(*rectangle)
