"""Force control on a bench of springs, and reflexes to injected contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.walking.balance import balancing_wrench, follow_height, zmp_shift
from footfall.walking.compliance import Compliance
from footfall.walking.disturbance import ObservedForce
from footfall.walking.feet import (
    FootGoal,
    FootLoad,
    FootPlan,
    Moving,
    Smoothness,
    _smoothly,
    adapt_foot,
    foot_target,
    notice_touch,
)
from footfall.walking.footholds import Lead, foothold_goal, has_landed, shift_plan, step_room
from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.hands import SMOOTH, HandPlan, adapt_hand, hand_target, make_up
from footfall.walking.leaving import LastTouch
from footfall.walking.perceived import Footing, Tilt, about_sole, centre_of, touches
from footfall.walking.state import BodyMemory, FootMemory, HandMemory, new_controller_state
from footfall.walking.task_space import BodyTarget, PointTarget
from footfall.walking.walker import POINT_DAMPING, POINT_STIFFNESS, WalkingCode

ZERO = np.zeros(3)
AS_PLANNED = FootGoal(ZERO, ZERO)
UNLEARNT = Compliance(0.0, 0.0)
BODY = BodyMemory(0.0, 0.0, ZERO, ZERO, ZERO, ZERO, ObservedForce(ZERO, ZERO, ZERO))
STANDING = FootMemory(
    ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, 1.0, 0.0, 0.0, 300.0, 1.0, 0.0, 0.0, UNLEARNT, UNLEARNT, ZERO
)
SWINGING = STANDING._replace(touching=0.0, force=0.0, active=0.0)
FREE = HandMemory(ZERO, ZERO, 0.0, ZERO, 0.0, ZERO, ZERO, LastTouch(ZERO, 0.0, 0.0))
LEANING = FREE._replace(touching=1.0, force=np.array([0.0, -50.0, 0.0]), active=1.0)


@pytest.fixture(scope="module")
def gains(code: WalkingCode) -> ControlGains:
    return control_gains(code.body.model)


def plan(gains: ControlGains, *, closed: bool, velocity: float = 0.0) -> FootPlan:
    target = BodyTarget(ZERO, np.array([0.0, 0.0, velocity]), np.eye(3), ZERO)
    return FootPlan(target, closed, 0.5, gains.sole)


def test_torques_of_a_sole_on_springs_converge_at_the_rate_of_the_loop(gains: ControlGains) -> None:
    """On a bed of springs lambda' = -K u, with tau u' = c e / K - u: the error decays as a filtered loop of rate c."""
    memory, sole = STANDING, gains.sole
    stiffness = gains.foot_stiffness * sole.length**2 / 12
    wanted = about_sole(np.array([0.0, 0.0, 300.0, 0.0, 20.0, 0.0]), -sole.middle)  # 20 Nm about the middle
    errors = []
    for _ in range(100):
        torque = -stiffness * memory.turn[1]
        measured = about_sole(np.array([0.0, 0.0, 300.0, 0.0, torque, 0.0]), -sole.middle)
        errors.append(20.0 - torque)
        memory = adapt_foot(
            memory, plan(gains, closed=True), FootLoad(measured, wanted), 0.0, AS_PLANNED, gains
        )
    # With the share a = dt / (dt + tau): r' = (1 - a) r + a c e, e' = e - dt r'.
    share, dt = gains.period / (gains.period + 0.004), gains.period
    step = np.array(
        [[1 - dt * share * gains.force_rate, -dt * (1 - share)], [share * gains.force_rate, 1 - share]]
    )
    expected = [20.0 * np.linalg.matrix_power(step, k)[0, 0] for k in range(100)]
    np.testing.assert_allclose(errors, expected, rtol=1e-9, atol=1e-9)
    assert abs(errors[-1]) < 2.0


def test_a_sole_with_dampers_does_not_tremble(gains: ControlGains) -> None:
    """Dampers answer to the turning within the period, and pads at the ends of a sole are three times as stiff as the
    even bed that force control assumes. A much greater gain trembles: the comparison can fail."""

    def trembling(rate: float) -> float:
        memory, faster, sole = STANDING, gains._replace(force_rate=rate), gains.sole
        stiffness = 3.0 * gains.foot_stiffness * sole.length**2 / 12
        lag = POINT_DAMPING / POINT_STIFFNESS
        wanted = about_sole(np.array([0.0, 0.0, 300.0, 0.0, 20.0, 0.0]), -sole.middle)
        torques = []
        for _ in range(300):
            torques.append(-stiffness * (memory.turn[1] + lag * memory.turn_rate[1]))
            measured = about_sole(np.array([0.0, 0.0, 300.0, 0.0, torques[-1], 0.0]), -sole.middle)
            load = FootLoad(measured, wanted)
            memory = adapt_foot(memory, plan(faster, closed=True), load, 0.0, AS_PLANNED, faster)
        return float(np.abs(np.diff(torques[-20:])).max())

    assert trembling(gains.force_rate) < 0.01
    assert trembling(20.0 * gains.force_rate) > 1.0


def test_a_hand_on_a_spring_comes_to_its_force(gains: ControlGains) -> None:
    """e' = -r, tau r' = c e - r: the loop of rate c behind a filter of time tau, damped by 1 / (2 sqrt(c tau))."""
    start = np.array([0.0, -20.0, 0.0])
    memory, wanted = LEANING._replace(force=np.array([0.0, -20.0, 0.0])), np.array([0.0, -50.0, 0.0])
    leaning = HandPlan(PointTarget(ZERO, ZERO), wanted, 1.0, 1.0)
    share, error, rate = gains.period / (gains.period + SMOOTH), 30.0, 0.0
    for _ in range(200):
        force = start - gains.hand_stiffness * memory.offset
        np.testing.assert_allclose(force, [0.0, error - 50.0, 0.0], atol=1e-9)
        memory = adapt_hand(memory, leaning, force, wanted, gains)
        rate += share * (gains.hand_rate * error - rate)
        error -= gains.period * rate
    assert abs(error) < 0.5
    assert 1.0 / (2.0 * np.sqrt(gains.hand_rate * SMOOTH)) > 0.7


def test_a_hand_does_not_hammer_on_a_wall_with_dampers(gains: ControlGains) -> None:
    """A wall pushes by k d + b v; a hand sent by one period and taken back by the next one bounces for ever."""
    memory, forces = FREE, []
    wanted = np.array([0.0, -50.0, 0.0])
    leaning = HandPlan(PointTarget(ZERO, ZERO), wanted, 1.0, 1.0)
    for _ in range(600):
        depth, speed = memory.offset[1] - 0.002, memory.offset_rate[1]
        push = max(gains.hand_stiffness * depth + 500.0 * speed, 0.0) if depth > 0.0 else 0.0
        forces.append(push)
        memory = adapt_hand(memory, leaning, np.array([0.0, -push, 0.0]), wanted, gains)
    touched = np.flatnonzero(forces)[0]
    assert min(forces[touched:]) > 0.0
    np.testing.assert_allclose(forces[-1], 50.0, atol=0.5)


def test_a_hand_on_a_spring_with_a_damper_does_not_tremble(gains: ControlGains) -> None:
    """A damper d answers to the rate of the hand within the period: with a filter that takes a share s of the rate the
    pole of the sampled loop is 1 - s (1 + c d / k), and forces alternate for ever if it is -1 or beyond. With 80 times
    as much they do."""

    def trembling(gains: ControlGains) -> float:
        memory, wanted = LEANING, np.array([0.0, -50.0, 0.0])
        leaning = HandPlan(PointTarget(ZERO, ZERO), wanted, 1.0, 1.0)
        forces = []
        for _ in range(300):
            pressed = memory.offset[1] * gains.hand_stiffness + memory.offset_rate[1] * POINT_DAMPING
            forces.append(min(-20.0 - pressed, 0.0))
            memory = adapt_hand(memory, leaning, np.array([0.0, forces[-1], 0.0]), wanted, gains)
        return float(np.abs(np.diff(forces[-20:])).max())

    assert trembling(gains) < 0.01
    assert trembling(gains._replace(hand_rate=80.0 * gains.hand_rate)) > 10.0


def test_a_turned_foot_stays_where_it_is_when_its_sole_changes(gains: ControlGains) -> None:
    """From the whole sole to the toes: the pivot is another, the foot does not move."""
    whole = plan(gains, closed=True)
    tiptoe = whole._replace(closed=False, sole=gains.toe)
    turned = STANDING._replace(turn=np.array([0.01, 0.02, 0.0]), pivot=gains.sole.middle)
    load = FootLoad(np.zeros(6), np.zeros(6))
    before = foot_target(turned, whole)
    still = gains._replace(release_rate=0.0)
    after = foot_target(adapt_foot(turned, tiptoe, load, 0.0, AS_PLANNED, still), tiptoe)
    np.testing.assert_allclose(after.position, before.position, atol=1e-15)
    jumped = foot_target(turned._replace(pivot=gains.toe.middle), tiptoe).position - before.position
    assert np.linalg.norm(jumped) > 1e-3


def test_force_control_lets_a_foot_go_that_leaves(gains: ControlGains) -> None:
    """Its torque is that of the whole sole, its plan that of the toes, on which the same torque would turn it ten
    times as fast."""
    leaving = plan(gains, closed=False, velocity=0.2)._replace(sole=gains.toe)
    load = FootLoad(np.array([0.0, 0.0, 300.0, 0.0, 20.0, 0.0]), np.zeros(6))
    after = adapt_foot(STANDING, leaving, load, 0.0, AS_PLANNED, gains)
    np.testing.assert_array_equal(after.turn_rate, 0.0)


@pytest.mark.parametrize("missing", [1e-4, 0.02, -0.3, 2.0])
def test_displacements_get_their_rate_with_two_derivatives(gains: ControlGains, missing: float) -> None:
    """With J = A / T a rate changes by e in 2 sqrt(e / J), if A is not reached, else in e / A + T. On the way the
    acceleration changes by J dt in a period at most, and the rate comes to rest where it should."""
    most, jerk, dt = gains.stop_acceleration, gains.stop_acceleration / gains.stop_time, gains.period
    size = abs(missing)
    lasts = 2.0 * np.sqrt(size / jerk) if size < most**2 / jerk else size / most + gains.stop_time
    now, wanted = Moving(ZERO, ZERO), np.array([missing, 0.0, 0.0])
    rates, accelerations = [0.0], [0.0]
    for _ in range(int(lasts / dt) + 4):
        now = _smoothly(now, wanted, Smoothness(most, jerk * dt, dt))
        rates.append(now.rate[0])
        accelerations.append(now.acceleration[0])
    assert np.abs(np.diff(accelerations)).max() <= jerk * dt * (1.0 + 1e-9)
    assert np.abs(accelerations).max() <= most * (1.0 + 1e-9)
    assert np.abs(rates).max() <= size * (1.0 + 1e-9)
    assert rates[-1] == pytest.approx(missing, abs=jerk * dt * dt)


def swing_down(gains: ControlGains, ground: float) -> tuple[np.ndarray, np.ndarray, FootMemory]:
    """Heights and velocities of a foot that is planned to come down by a quintic in 0.3 s from 6 cm to 0, and the
    memory in the end, on ground of some height, m, that pushes as springs of the whole sole and its dampers do."""
    memory, heights, rates = SWINGING, [], []
    height, rate = 0.06, 0.0
    for k in range(600):
        t = min(k * gains.period / 0.3, 1.0)
        place = 0.06 * (1.0 - t**3 * (10.0 - 15.0 * t + 6.0 * t * t))
        speed = -0.06 * 30.0 * t * t * (1.0 - t) ** 2 / 0.3
        target = BodyTarget(np.array([0.0, 0.0, place]), np.array([0.0, 0.0, speed]), np.eye(3), ZERO)
        landing = FootPlan(target, t >= 1.0, 0.5, gains.sole)
        depth = ground - height
        force = max(gains.foot_stiffness * (depth - 0.01 * rate), 0.0) if depth > 0.0 else 0.0
        wrench = np.array([0.0, 0.0, force, 0.0, 0.0, 0.0])
        memory = notice_touch(memory, landing, force, gains)
        memory = adapt_foot(memory, landing, FootLoad(wrench, wrench), 0.0, AS_PLANNED, gains)
        found = foot_target(memory, landing)
        height, rate = float(found.position[2]), float(found.velocity[2])
        heights.append(height)
        rates.append(rate)
    return np.array(heights), np.array(rates), memory


def test_an_early_contact_stops_the_foot_where_it_is(gains: ControlGains) -> None:
    """Ground that is 2 cm too high: the foot stops in 2 sqrt(v / J) and stays; neither its velocity nor its
    acceleration jumps."""
    heights, rates, memory = swing_down(gains, 0.02)
    touched = int(np.flatnonzero(heights < 0.02)[0])
    speed, jerk = -rates[touched], gains.stop_acceleration / gains.stop_time
    # Forces are smoothed until they count (4 ms); then it stops within 2 sqrt(v / J), on the way of v sqrt(v / J).
    stopped = touched + 8 + int(np.ceil(2.0 * np.sqrt(speed / jerk) / gains.period))
    np.testing.assert_allclose(rates[stopped:], 0.0, atol=1e-9)
    assert heights[-1] > 0.02 - 0.008 * speed - speed * np.sqrt(speed / jerk)
    assert memory.hold[2] == pytest.approx(heights[-1])
    # C1: velocities change by no more than the stop and the plan allow (its quintic: 0.06 m 10 / sqrt(3) / T^2).
    most = gains.stop_acceleration + 0.06 * 10.0 / np.sqrt(3.0) / 0.3**2
    assert np.abs(np.diff(rates)).max() <= most * gains.period + 1e-9
    np.testing.assert_allclose(np.diff(heights), gains.period * rates[1:], atol=2e-6 + most * gains.period**2)
    # C2: accelerations change by no more than J dt, and the plan (its quintic: 0.06 m 60 / T^3).
    most = (jerk + 0.06 * 60.0 / 0.3**3) * gains.period
    assert np.abs(np.diff(rates, 2)).max() <= most * gains.period + 1e-9


def test_a_foot_without_a_limit_would_jump(gains: ControlGains) -> None:
    """Negative: a stop within one period is seen by the comparison above."""
    _, rates, _ = swing_down(gains._replace(stop_acceleration=1e9), 0.02)
    assert np.abs(np.diff(rates)).max() > 2.0 * gains.stop_acceleration * gains.period


def test_a_late_contact_goes_on_without_a_jump(gains: ControlGains) -> None:
    """Ground that is 1 cm too low: the foot looks for it with the speed that it may have, and is stopped by it."""
    heights, rates, memory = swing_down(gains, -0.01)
    assert memory.touching > 0.5
    assert -0.015 < heights[-1] < -0.01
    assert rates[300:].min() == pytest.approx(-gains.late_speed, rel=1e-6)
    assert np.abs(np.diff(rates[300:])).max() <= gains.stop_acceleration * gains.period + 1e-9


def test_a_foot_that_lost_the_ground_again_does_not_hammer_on_it(gains: ControlGains) -> None:
    """It came early and bounced: it sinks slowly from where it was, however fast its plan comes down, until the plan
    has come down too."""
    coming = plan(gains, closed=False, velocity=-0.4)
    memory, load = notice_touch(SWINGING, coming, 500.0, gains), FootLoad(np.zeros(6), np.zeros(6))
    for _ in range(50):
        memory = adapt_foot(notice_touch(memory, coming, 0.0, gains), coming, load, 0.0, AS_PLANNED, gains)
    assert (memory.touching, memory.early) == (0.0, 1.0)
    target = foot_target(memory, coming)
    assert -0.5 * gains.late_speed < target.velocity[2] < 0.0
    assert notice_touch(memory, plan(gains, closed=True), 0.0, gains).early == 0.0
    assert notice_touch(memory, plan(gains, closed=False, velocity=0.1), 0.0, gains).early == 0.0


@pytest.mark.parametrize("closed", [True, False])
def test_a_foot_that_lands_may_be_light_for_a_moment(gains: ControlGains, closed: bool) -> None:
    """Soles bounce as they land, by some newtons for some milliseconds: whether a foot stands must not follow them. If
    it stays light, for 20 ms and until its smoothed force is below half of what it touches with, it has lost the
    ground."""
    landing = plan(gains, closed=closed, velocity=0.0 if closed else -0.1)
    memory = notice_touch(SWINGING, landing, 20.0 * gains.touch_force, gains)
    assert memory.touching == 1.0
    first = memory.active
    for force in 3 * [*8 * [0.0], *4 * [2.0 * gains.touch_force]]:
        memory = notice_touch(memory, landing, force, gains)
        assert memory.touching == 1.0
        assert memory.active >= first  # goes up steadily to force control
        first = memory.active
    light = 0
    while memory.touching > 0.5:
        memory, light = notice_touch(memory, landing, 0.0, gains), light + 1
    # exp(-t / 4 ms) of at most twice the force is below half of it after 4 ms ln(4) = 5.5 ms.
    assert 20 <= light <= 20 + 7


def test_a_foot_that_rises_is_not_early(gains: ControlGains) -> None:
    memory = notice_touch(
        SWINGING._replace(force=100.0), plan(gains, closed=False, velocity=0.2), 100.0, gains
    )
    assert memory.early == 0.0


def test_a_late_foot_looks_for_the_ground_but_not_at_once(gains: ControlGains) -> None:
    standing, load = plan(gains, closed=True), FootLoad(np.zeros(6), np.zeros(6))
    memory, heights = SWINGING, []
    for _ in range(200):
        memory = notice_touch(memory, standing, 0.0, gains)
        memory = adapt_foot(memory, standing, load, 0.0, AS_PLANNED, gains)
        heights.append(memory.hold[2])
    assert heights[10] == 0.0
    assert heights[-1] < -0.01
    steps = np.diff(heights)
    assert steps.min() >= -gains.late_speed * gains.period - 1e-12
    assert np.abs(np.diff(steps)).max() < 0.1 * gains.late_speed * gains.period  # its velocity does not jump


def test_a_swinging_foot_takes_the_height_of_the_other(gains: ControlGains) -> None:
    memory, load = SWINGING, FootLoad(np.zeros(6), np.zeros(6))
    for _ in range(600):
        memory = adapt_foot(
            memory, plan(gains, closed=False), load, 0.0, FootGoal(np.array([0.0, 0.0, 0.02]), ZERO), gains
        )
    assert abs(memory.hold[2] - 0.02) < 1e-4


def test_touching_has_a_memory() -> None:
    assert touches(25.0, 0.0, 30.0) == 0.0
    assert touches(25.0, 1.0, 30.0) == 1.0
    assert touches(10.0, 1.0, 30.0) == 0.0


def test_the_zero_moment_point_is_shifted_as_asked() -> None:
    """A wrench at p shifted by d: the torque about the centre of mass grows by d x F."""
    force, shift = np.array([20.0, -30.0, 600.0]), np.array([0.03, -0.02, 0.0])
    planned = np.concatenate([force, [1.0, 2.0, 3.0]])
    torque = balancing_wrench(planned, shift)[3:] - planned[3:]
    np.testing.assert_allclose(torque, np.cross(shift, force), atol=1e-12)


def test_the_balance_loop_has_its_pole_at_the_rate_asked_for(gains: ControlGains) -> None:
    """xi' = w (xi - p) with p = (1 + k / w) xi: xi decays with exp(-k t)."""
    xi, w, dt = np.array([0.02, 0.0, 0.0]), gains.pendulum_rate, 1e-4
    for _ in range(10000):
        xi = xi + dt * w * (xi - zmp_shift(xi, gains))
    np.testing.assert_allclose(xi[0], 0.02 * np.exp(-gains.balance_rate), rtol=1e-3)


def test_the_height_follows_the_ground_without_overshoot(gains: ControlGains) -> None:
    body, heights = BODY, []
    for _ in range(3000):
        body = follow_height(body, 0.02, gains)
        heights.append(body.height)
    assert max(heights) <= 0.02 + 1e-9
    assert abs(heights[-1] - 0.02) < 1e-5


def test_footholds_follow_great_errors_within_their_room(gains: ControlGains) -> None:
    room, ahead = step_room(gains), np.array([1.0, 0.0, 0.0])
    np.testing.assert_array_equal(
        foothold_goal(Lead(0.9 * room.least * ahead, ZERO, room), np.eye(3), 1.0, gains), 0.0
    )
    far = foothold_goal(Lead(1.0 * ahead, ZERO, room), np.eye(3), 1.0, gains)
    np.testing.assert_allclose(far, [room.ahead, 0.0, 0.0])
    inwards = foothold_goal(Lead(np.array([0.0, -1.0, 0.0]), ZERO, room), np.eye(3), 1.0, gains)
    assert inwards[1] == pytest.approx(-room.inward)
    off = gains._replace(step_share=0.0)
    np.testing.assert_array_equal(foothold_goal(Lead(1.0 * ahead, ZERO, room), np.eye(3), 1.0, off), 0.0)


def test_the_plan_follows_a_foot_once_for_each_swing() -> None:
    """A foot that landed elsewhere takes the plan along; the other one, which now is displaced, does not take it back
    in the next period: force and error would change from one period to the next."""
    aside, plain = np.array([0.04, 0.02, 0.0]), BODY
    feet, body = [STANDING._replace(hold=aside, swung=1.0), STANDING], [plain]
    state: Any = new_controller_state(np.zeros(7), 6, 0)._replace(feet=feet, body=body)
    assert has_landed(feet[0], closed=True)
    assert not has_landed(feet[0], closed=False)
    shift_plan(state, 0)
    assert not any(has_landed(foot, closed=True) for foot in feet)
    np.testing.assert_array_equal(body[0].plan_shift, aside)
    # Nothing of the model has moved: displacements against the shifted plan.
    np.testing.assert_array_equal([foot.hold for foot in feet], [ZERO, -aside])
    np.testing.assert_array_equal(body[0].shift, -aside)


def test_the_robot_is_where_its_model_is_turned_about_its_feet() -> None:
    """A robot that is turned as a rigid body about its feet: its centre of mass and its velocity, closed form."""
    angle, rate, height = 0.05, 0.3, 0.9
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    tilt = Tilt(rotation, np.array([0.0, angle, 0.0]), np.array([0.0, rate, 0.0]))
    feet = np.array([0.2, 0.1, 0.0])
    footing = Footing(feet, ZERO, feet, ZERO)
    found = centre_of(tilt, feet + np.array([0.0, 0.0, height]), ZERO, footing)
    np.testing.assert_allclose(found.position, feet + height * np.array([s, 0.0, c]), atol=1e-15)
    np.testing.assert_allclose(found.velocity, rate * height * np.array([c, 0.0, -s]), atol=1e-15)
    # Load goes from one foot to the other: nothing jumps if both stand where the plan has them.
    moved = footing._replace(model=feet + 0.3, ground=feet + 0.3)
    plain = Tilt(np.eye(3), ZERO, ZERO)
    at = [centre_of(plain, feet + 1.0, ZERO, each).position for each in (footing, moved)]
    np.testing.assert_allclose(at[0], at[1], atol=1e-15)


def _peak_at_wall(gains: ControlGains, velocity: np.ndarray, normal: np.ndarray) -> float:
    """Greatest force on a hand that is sent through a wall (k d + b v) for 0.1 s before any contact is planned."""
    memory, place, peak = FREE, 0.005 * normal, 0.0
    for _ in range(100):
        depth = -float((place + memory.offset) @ normal)
        speed = -float((velocity + memory.offset_rate) @ normal)
        push = max(POINT_STIFFNESS * depth + POINT_DAMPING * speed, 0.0) if depth > 0.0 else 0.0
        coming = HandPlan(PointTarget(place, velocity), ZERO, 0.0, 1.0)
        memory = adapt_hand(memory, coming, push * normal, ZERO, gains)
        place, peak = place + gains.period * velocity, max(peak, push)
    return peak


def test_a_hand_that_meets_a_wall_early_stops_whichever_way_it_faces(gains: ControlGains) -> None:
    """At v = 0.4 m/s the damper alone gives 200 N. Its rate follows with the time T of the filter, so the hand goes on
    by at most v T and the spring adds no more than k v T; sent on for 0.1 s it would push with 2 kN."""
    for normal in (np.array([0.0, 1.0, 0.0]), np.array([-0.6, 0.0, 0.8])):
        velocity = -0.4 * normal
        bound = POINT_DAMPING * 0.4 + POINT_STIFFNESS * 0.4 * SMOOTH
        assert _peak_at_wall(gains, velocity, normal) < bound
        stiff = gains._replace(hand_touch_force=1e9)  # it never notices
        assert _peak_at_wall(stiff, velocity, normal) > 3.0 * bound


def test_a_hand_in_the_air_makes_up_for_a_tilt_and_one_that_touches_does_not(gains: ControlGains) -> None:
    missed, free, leaning = np.array([0.0, 0.06, -0.01]), FREE, LEANING
    for _ in range(200):
        free, leaning = make_up(free, missed, gains), make_up(leaning, missed, gains)
    np.testing.assert_allclose(free.lean, -missed, atol=1e-4)
    np.testing.assert_array_equal(leaning.lean, 0.0)
    plain = HandPlan(PointTarget(ZERO, ZERO), ZERO, 0.0, 1.0)
    np.testing.assert_allclose(hand_target(free, plain).position, -missed, atol=1e-4)


def test_a_foot_that_strikes_an_edge_rises_and_does_not_go_on(gains: ControlGains) -> None:
    """The edge is a stiff spring 2 cm ahead of a foot that swings ahead and up; above the edge it goes on."""
    swing = np.array([0.5, 0.0, 0.4])
    plan_of = FootPlan(BodyTarget(ZERO, swing, np.eye(3), ZERO), False, 0.0, gains.sole)

    def way(edge_height: float, gains: ControlGains) -> tuple[np.ndarray, float]:
        memory, place, hardest = SWINGING, np.zeros(3), 0.0
        for _ in range(200):
            now = place + memory.hold
            depth = now[0] - 0.02 if now[2] < edge_height else 0.0
            push = 16 * POINT_STIFFNESS * max(depth, 0.0)
            hardest = max(hardest, push)
            load = FootLoad(np.array([-push, 0.0, 0.0, 0.0, 0.0, 0.0]), np.zeros(6))
            memory = adapt_foot(memory, plan_of, load, 0.0, AS_PLANNED, gains)
            place = place + gains.period * swing
        return place + memory.hold, hardest

    end, hardest = way(0.04, gains)
    assert end[0] > 0.02
    assert end[2] == pytest.approx(0.08, abs=1e-9)
    # It notices within T: at most v T into the edge, and what it went in before it is sure.
    assert hardest < 16 * POINT_STIFFNESS * 0.5 * 2 * 0.003
    _, blind = way(0.04, gains._replace(touch_force=1e9))
    assert blind > 5.0 * hardest
