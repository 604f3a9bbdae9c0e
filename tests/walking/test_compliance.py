"""Force control that learns how stiff the ground is, on a bench of springs."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.walking.compliance import Adaption, Compliance, learn

RATE, STIFFNESS, SCALE, PERIOD = 30.0, 5000.0, 80.0, 1e-4  # 1/s, Nm/rad as assumed, Nm, s


def course(softer: float, speed: float, seconds: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forces, references and excesses on ground that is so many times softer than assumed: f' = k theta c (f_des - f),
    while f_des alternates between 0 and 40 Nm every 0.25 s."""
    k, memory, force, rows = STIFFNESS / softer, Compliance(0.0, 0.0), 0.0, []
    for n in range(round(seconds / PERIOD)):
        wanted = 40.0 if (n * PERIOD) % 0.5 < 0.25 else 0.0
        rows.append((force, memory.reference, memory.excess))
        theta = (1.0 + memory.excess) / STIFFNESS
        after = learn(memory, wanted, force, Adaption(RATE, speed, SCALE, PERIOD))
        force += PERIOD * k * theta * RATE * (wanted - force)
        memory = after
    force_rows, reference_rows, excess_rows = np.array(rows).T
    return force_rows, reference_rows, excess_rows


def test_with_the_right_stiffness_it_decays_at_the_rate_of_the_loop() -> None:
    """f = f_des (1 - (1 - c dt)^k), nothing to learn."""
    force, reference, excess = course(1.0, 5.0, 0.2)
    n = np.arange(len(force))
    np.testing.assert_allclose(force, 40.0 * (1.0 - (1.0 - RATE * PERIOD) ** n), atol=1e-9)
    np.testing.assert_allclose(force, reference, atol=1e-9)
    np.testing.assert_allclose(excess, 0.0, atol=1e-12)


@pytest.mark.parametrize("softer", [0.5, 2.0, 3.0])
def test_unknown_stiffness_is_learnt_and_the_distance_never_grows(softer: float) -> None:
    """V = e^2 / 2 + k (theta - 1 / k)^2 / (2 G) is quadratic: a step of dt changes it by -c e^2 dt, and by what Euler's
    method adds, de^2 / 2 + k dtheta^2 / (2 G), exactly."""
    speed = 20.0
    force, reference, excess = course(softer, speed, 6.0)
    k, gain = STIFFNESS / softer, speed / (SCALE**2 * STIFFNESS)
    theta = (1.0 + excess) / STIFFNESS
    error = reference - force
    v = error**2 / 2 + k * (theta - 1.0 / k) ** 2 / (2.0 * gain)
    added = np.diff(error) ** 2 / 2 + k * np.diff(theta) ** 2 / (2.0 * gain)
    np.testing.assert_allclose(np.diff(v) - added, -RATE * error[:-1] ** 2 * PERIOD, atol=1e-10 * v[0])
    assert v[-1] < 0.1 * v[0]
    # theta comes to 1 / k.
    assert abs(1.0 + excess[-1] - softer) < 0.35 * abs(softer - 1.0)


def test_without_learning_the_reference_is_missed() -> None:
    """Negative: the same bench, and nothing is learnt."""
    learnt, plain = course(3.0, 20.0, 6.0), course(3.0, 0.0, 6.0)
    last = slice(-5000, None)
    errors = [np.sqrt(np.mean((each[0] - each[1])[last] ** 2)) for each in (learnt, plain)]
    assert errors[0] < 0.3 * errors[1]
