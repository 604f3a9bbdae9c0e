"""Given motions: through the waypoints, smooth, velocities as derivatives, native code the same."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler import build_kernel
from footfall.errors import SceneError
from footfall.scene.given_motion import GivenMotion


def motion(count: int = 6, *, periodic: bool = False) -> GivenMotion:
    rng = np.random.default_rng(count)
    times = np.cumsum(rng.uniform(0.5, 1.0, size=count))
    positions, quaternions = rng.normal(size=(count, 3)), rng.normal(size=(count, 4))
    if periodic:
        positions[-1], quaternions[-1] = positions[0], -quaternions[0]
    return GivenMotion(times, positions, quaternions, periodic)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("count", [2, 6, 40])
def test_waypoints_are_passed_and_velocities_are_derivatives(count: int, periodic: bool) -> None:
    given = motion(count, periodic=periodic)
    if periodic and count == 2:
        pytest.skip("it stands")
    for k in range(count - int(periodic)):
        assert np.abs(given.pose(given.times[k]).translation - given.positions[k]).max() < 1e-12
    step = 1e-6
    for time in np.random.default_rng(0).uniform(given.times[0] - 1, given.times[-1] + 1, size=60):
        ahead, behind, now = given.pose(time + step), given.pose(time - step), given.pose(time)
        linear = (ahead.translation - behind.translation) / (2 * step)
        spin = (ahead.rotation - behind.rotation) / (2 * step) @ now.rotation.T
        angular = [spin[2, 1], spin[0, 2], spin[1, 0]]
        assert np.abs(given.velocity(time) - [*linear, *angular]).max() < 1e-6


@pytest.mark.parametrize("periodic", [False, True])
def test_velocities_do_not_jump(periodic: bool) -> None:
    given = motion(periodic=periodic)
    for time in given.times:
        jump = given.velocity(time + 1e-9) - given.velocity(time - 1e-9)
        assert np.abs(jump).max() < 1e-6


def test_it_rests_before_and_after_and_a_periodic_one_goes_on() -> None:
    given = motion()
    for time in (given.times[0] - 5.0, given.times[-1] + 5.0):
        assert not given.velocity(time).any()
    assert np.abs(given.pose(-100.0).translation - given.positions[0]).max() < 1e-12
    again = motion(periodic=True)
    period = again.times[-1] - again.times[0]
    for time in (1.0, 2.3):
        assert np.abs(again.pose(time).rotation - again.pose(time + 3 * period).rotation).max() < 1e-9


@pytest.mark.parametrize("count", [2, 3, 17])
def test_traced_equals_plain(count: int) -> None:
    given = motion(count)

    def traced(time):
        pose = given.pose(time[0])
        return {"rotation": pose.rotation, "position": pose.translation, "velocity": given.velocity(time[0])}

    kernel = build_kernel(traced, {"time": 1}, name="motion")
    for time in np.linspace(given.times[0] - 0.5, given.times[-1] + 0.5, 50):
        rotation, position, velocity = kernel(np.array([time]))
        assert np.abs(rotation - given.pose(time).rotation).max() < 1e-13
        assert np.abs(position - given.pose(time).translation).max() < 1e-13
        assert np.abs(velocity - given.velocity(time)).max() < 1e-11


@pytest.mark.parametrize(
    ("times", "positions", "quaternions", "periodic", "words"),
    [
        ([0.0], [[0, 0, 0]], None, False, "from 2 to"),
        ([0.0, 0.0], [[0, 0, 0]] * 2, None, False, "do not ascend"),
        ([0.0, 1.0], [[0, 0, 0]], None, False, "positions has shape"),
        ([0.0, np.nan], [[0, 0, 0]] * 2, None, False, "times has the entry nan"),
        ([0.0, 1.0], [[0, 0, 0]] * 2, [[0, 0, 0, 0]] * 2, False, "quaternion 0 is zero"),
        ([0.0, 1.0], [[0, 0, 0], [1, 0, 0]], None, True, "last pose is not its first"),
    ],
)
def test_bad_motions_are_refused(
    times: list, positions: list, quaternions: list | None, periodic: bool, words: str
) -> None:
    with pytest.raises(SceneError, match=words):
        GivenMotion(np.array(times), np.array(positions), quaternions, periodic)  # type: ignore[arg-type]
