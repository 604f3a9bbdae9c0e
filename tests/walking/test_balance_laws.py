"""The source's balance law on a flywheel and its disturbance observer: poles, gains, and what they do for a robot."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from footfall.errors import UnknownName
from footfall.scene.load import load_scene
from footfall.walking import WalkSession
from footfall.walking.balance import balancing_shift, inclination_shift, zmp_shift
from footfall.walking.disturbance import ObservedForce, observed_force
from footfall.walking.gains import control_gains, disturbance_filter
from footfall.walking.perceived import Tilt
from footfall.walking.request import Push
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode
from tests.motion.lola import MODEL, straight

GAINS = control_gains(MODEL)
NOTHING = ObservedForce(np.zeros(3), np.zeros(3), np.zeros(3))


def test_a_flywheel_that_tilts_comes_back_with_a_double_pole() -> None:
    """Theta e'' = m g h sin e - T with T = m g shift: e = e0 (1 + w t) exp(-w t) for small angles, about both axes."""
    weight, step, rate = GAINS.mass * GAINS.gravity, 1e-4, GAINS.balance_rate
    for axis, sign, other in ((0, -1.0, 1), (1, 1.0, 0)):
        tilt, speed, start = np.zeros(3), np.zeros(3), 1e-3
        tilt[axis] = start
        for _ in range(5000):
            shift = inclination_shift(tilt, speed, GAINS)
            assert shift[axis] == 0.0  # it tilts about one axis, and is moved along the other
            torque = sign * weight * shift[other]
            pull = weight * GAINS.height * np.sin(tilt[axis])
            speed[axis] += step * (pull - torque) / GAINS.inclination_inertia
            tilt[axis] += step * speed[axis]
        expected = start * (1.0 + rate * 0.5) * np.exp(-rate * 0.5)
        assert_allclose(tilt[axis], expected, rtol=2e-3)  # a first-order integrator: 5000 steps of 1e-4 s


def test_laws_are_shares() -> None:
    """Nothing of them: the divergent component alone, with its bits. All of it: the other law, within the sole."""
    dcm, tilt = np.array([0.01, -0.004, 0.0]), Tilt(np.eye(3), np.array([0.01, 0.02, 0.0]), np.zeros(3))
    assert np.array_equal(balancing_shift(dcm, tilt, NOTHING, GAINS), zmp_shift(dcm, GAINS))
    flywheel = GAINS._replace(inclination_share=1.0)
    expected = inclination_shift(tilt.error, tilt.rate, GAINS)
    assert_allclose(balancing_shift(dcm, tilt, NOTHING, flywheel), expected, atol=1e-15)
    half = GAINS._replace(inclination_share=0.5)
    assert_allclose(
        balancing_shift(dcm, tilt, NOTHING, half), 0.5 * (expected + zmp_shift(dcm, GAINS)), atol=1e-15
    )
    huge = NOTHING._replace(force=np.array([1e4, -1e4, 0.0]))
    found = balancing_shift(dcm, tilt, huge, GAINS._replace(disturbance_share=1.0))
    assert_allclose(np.abs(found[:2]), GAINS.sole.length)


def test_a_steady_force_is_met_by_a_shift_that_holds_it() -> None:
    """xi' = w (xi - p) + F / (m w) = 0 with xi on its plan: p = F / (m w^2)."""
    force = NOTHING._replace(force=np.array([30.0, 0.0, 0.0]))
    tilt = Tilt(np.eye(3), np.zeros(3), np.zeros(3))
    shift = balancing_shift(np.zeros(3), tilt, force, GAINS._replace(disturbance_share=1.0))
    rate = GAINS.pendulum_rate
    assert_allclose(rate * (0.0 - shift[0]) + 30.0 / (GAINS.mass * rate), 0.0, atol=1e-12)


def test_the_observer_has_the_gains_of_the_riccati_equation_and_finds_a_force() -> None:
    """A mass that an unknown force of 25 N pushes, besides a known one: place, rate and force are found. The gains are
    those to which the Kalman recursion settles, here by iterating it."""
    law = disturbance_filter(1e-3, GAINS.mass, GAINS.gravity, GAINS.height)
    assert law == GAINS.disturbance
    unknown, seen = np.array([25.0, -10.0, 0.0]), NOTHING
    place, rate = np.zeros(3), np.zeros(3)
    for k in range(4000):
        known = np.array([40.0 * np.sin(0.01 * k), 5.0, 0.0])
        acceleration = (known + unknown) / GAINS.mass
        place = place + GAINS.period * rate + 0.5 * GAINS.period**2 * acceleration
        rate = rate + GAINS.period * acceleration
        seen = observed_force(seen, place, known, GAINS)
    assert_allclose(seen.force, unknown, atol=1e-3)
    assert_allclose(seen.rate, rate, atol=1e-4)
    blind = observed_force(NOTHING, np.zeros(3), np.zeros(3), GAINS)
    assert_allclose(blind.force, 0.0)
    # Poles of the observer's error: all within the unit circle, none so slow that a push is over before it is seen.
    move = np.array([[1.0, 1e-3, 0.5e-6 / GAINS.mass], [0.0, 1.0, 1e-3 / GAINS.mass], [0.0, 0.0, 1.0]])
    poles = np.linalg.eigvals(move - np.outer([law.place, law.rate, law.force], [1.0, 0.0, 0.0]) @ move)
    assert np.abs(poles).max() < np.exp(-1e-3 / 0.5)


@pytest.fixture(scope="module")
def pulled(code: WalkingCode) -> dict[str, float]:
    """Error of the divergent component in a walk under a steady force of 20 N, m, by laws; nan for a fall."""
    motion = straight(4, 0.25)
    push = Push(code.body.body_of("UB"), (20.0, 0.0, 0.0), 1.0, 20.0)
    found = {}
    for name, shares in (
        ("component", {}),
        ("flywheel", {"inclination_share": 1.0}),
        ("observer", {"disturbance_share": 1.0}),
    ):
        walker = Walker(code, load_scene("flat"), motion, WalkerOptions(pushes=(push,), log_every=10))
        walker.tune(walker.gains._replace(**shares))
        stands = walker.run_until(motion.end_time + 0.5)
        errors = walker.log.signals["dcm_error"]
        found[name] = float(np.sqrt(np.square(errors).sum(axis=1).mean())) if stands else np.nan
    return found


def test_robots_walk_by_all_laws_and_observers_take_most_of_a_steady_force_away(
    pulled: dict[str, float],
) -> None:
    assert np.isfinite(list(pulled.values())).all()
    assert pulled["observer"] < 0.7 * pulled["component"]


def test_laws_are_set_by_name(code: WalkingCode) -> None:
    session = WalkSession(scene="flat", code=code)
    session.set("gains.inclination_share", 1.0)
    session.set("gains.disturbance_share", 0.5)
    assert (session.walker.gains.inclination_share, session.walker.gains.disturbance_share) == (1.0, 0.5)
    with pytest.raises(UnknownName):
        session.set("gains.inclination_inertia", 1.0)  # what a robot is
