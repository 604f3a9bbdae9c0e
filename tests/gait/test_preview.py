"""Preview control of the cart-table model against the optimum over the whole course, and on steps."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import InvalidInput
from footfall.gait.preview import CartTable


def optimal_jerks(table: CartTable, zmp: np.ndarray) -> np.ndarray:
    """Jerks that minimise `sum Q e^2 + R (change of jerk)^2` over the whole course: plain least squares."""
    count = len(zmp)
    a, b, c = table.transition, table.input, table.output
    response = np.zeros((count, count))  # of the zero-moment point to each jerk
    state = b
    impulse = []
    for _ in range(count):
        impulse.append(c @ state)
        state = a @ state
    for k in range(count):
        response[k, :k] = impulse[:k][::-1]
    change = np.eye(count) - np.eye(count, k=-1)
    matrix = np.vstack([np.sqrt(table.error_weight) * response, np.sqrt(table.jerk_weight) * change])
    target = np.concatenate([np.sqrt(table.error_weight) * zmp, np.zeros(count)])
    return np.linalg.solve(matrix.T @ matrix, matrix.T @ target)


def test_control_is_optimal() -> None:
    table = CartTable(0.5, dt=0.01, horizon=3.5)
    times = 0.01 * np.arange(600)
    zmp = np.where(times < 2.0, 0.0, 0.1 * np.sign(np.sin(4.0 * (times - 2.0))))
    motion = table.follow(zmp)
    best = optimal_jerks(table, zmp)
    # Towards the end they differ: there the controller believes in a reference that holds on.
    early = times < 2.4
    assert np.abs(motion.jerk - best)[early].max() < 1e-4 * np.abs(best).max()
    short = CartTable(0.5, dt=0.01, horizon=0.3).follow(zmp)  # too short a preview is not optimal
    assert np.abs(short.jerk - best)[early].max() > 1e-2 * np.abs(best).max()


def test_zmp_follows_steps() -> None:
    table = CartTable(0.55)
    times = table.dt * np.arange(1600)
    zmp = 0.02 * (np.floor(times / 0.8) % 2) * (times < 6.0)
    motion = table.follow(zmp)
    settled = np.array([np.ptp(zmp[max(0, k - 40) : k + 40]) == 0.0 for k in range(len(zmp))])
    settled &= times > 0.2  # the first step comes without notice: it is nearer than the preview is long
    assert np.abs(motion.zmp - zmp)[settled].max() < 1e-3
    assert np.abs(motion.state[-1]).max() < 1e-4
    # the centre of mass begins to move before the first step of the zero-moment point
    assert motion.state[round(0.75 / table.dt), 0] > 1e-3


def test_positions_between_instants() -> None:
    motion = CartTable(0.55).follow(np.linspace(0.0, 0.1, 100))
    assert motion.position(motion.time) == pytest.approx(motion.state[:, 0], abs=1e-15)
    fine = motion.position(np.linspace(0.0, 0.4, 20_001))
    speed = np.gradient(fine, 0.4 / 20_000)
    # velocity is continuous: it changes by no more than the acceleration allows
    assert np.abs(np.diff(speed)).max() < 1.01 * np.abs(motion.state[:, 2]).max() * 0.4 / 20_000
    assert speed[10_000] == pytest.approx(motion.state[40, 1], rel=1e-4)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="height of the cart-table model is -1"):
        CartTable(-1.0)
    with pytest.raises(InvalidInput, match=r"shape \(2, 2\)"):
        CartTable(0.5).follow(np.zeros((2, 2)))
