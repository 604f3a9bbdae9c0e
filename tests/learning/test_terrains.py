"""Terrains with levels, and rows that walk to harder ones."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.learning import FootfallVectorEnv, judge, rough_velocity, terrain


@pytest.fixture(scope="module")
def env() -> FootfallVectorEnv:
    task = rough_velocity("go2", kp=30.0, kd=0.8, levels=3, size=4.0, seconds=0.3, kick=None)
    return FootfallVectorEnv(task, 16, autoreset_mode="SameStep")


def test_fields_have_kinds_and_levels():
    ground = terrain(("stairs", "slopes", "boxes", "stones", "noise"), levels=3, size=4.0)
    assert ground.heights.shape == (240, 400)
    fields = ground.heights.reshape(3, 80, 5, 80).transpose(0, 2, 1, 3)
    assert np.abs(fields[:, :, 30:50, 30:50]).max() == 0.0  # where rows begin
    spans = np.ptp(fields, axis=(2, 3))
    assert (np.diff(spans, axis=0) > 0.0).all()  # harder from level to level
    # Stairs of the last level: risers of 0.13 m, and (2.0 - 0.7) / 0.3 of them, begun ones counted.
    rises = np.unique(np.round(fields[2, 0], 6))
    np.testing.assert_allclose(np.diff(rises), 0.13, atol=1e-9)
    assert len(rises) == 1 + 5
    # Slopes: 0.4, up to the last height before the rim, 1.975 m from the middle.
    assert fields[2, 1].max() == pytest.approx(0.4 * (1.975 - 0.7), abs=1e-9)
    assert np.array_equal(terrain(levels=2, seed=3).heights, terrain(levels=2, seed=3).heights)
    assert not np.array_equal(terrain(levels=2, seed=3).heights, terrain(levels=2, seed=4).heights)


def test_rows_begin_on_fields_of_their_level(env):
    env.reset(seed=0)
    env.rows["level"][:] = np.repeat([0.0, 0.4, 0.7, 1.0], 4)
    env.rows["elapsed"][:] = 0.0
    env.reset(seed=0)
    assert np.unique(env.rows["origin"][:, 0]).tolist() == [2.0, 6.0, 10.0]
    assert env.rows["origin"][:4, 0].tolist() == [2.0] * 4
    assert len(np.unique(env.rows["origin"][:, 1])) > 2  # any kind
    np.testing.assert_allclose(env.rows["q"][:, :2], env.rows["origin"])


def test_scan_is_the_height_of_the_ground(env):
    """Against the map itself, under the points of the scan turned with the row."""
    seen, _ = env.reset(seed=1)
    for _ in range(3):
        seen, *_ = env.step(np.zeros((16, 12)))
    ground, q = env.task.ground, env.rows["q"]
    yaw = 2.0 * np.arctan2(q[:, 6], q[:, 3])
    for row in range(16):
        c, s = np.cos(yaw[row]), np.sin(yaw[row])
        places = env.task.scan @ np.array([[c, s], [-s, c]]) + q[row, :2]
        heights = np.array([ground.height(x, y) for x, y in places])
        wanted = np.clip(heights - q[row, 2] + 0.3, -1.0, 1.0)
        # Noise of 0.02, and the yaw of a base that leans a little.
        np.testing.assert_allclose(seen[row, 48:], wanted, atol=0.05)


def test_levels_go_up_and_down(env):
    """A row that went farther than half of what was wanted goes up by a third, one that stayed goes down."""
    env.reset(seed=2)
    env.rows["level"][:] = 0.5
    env.rows["elapsed"][:] = 14.0  # of 15 steps: this one ends all rows
    env.rows["command"][:] = 1.0, 0.0, 0.0
    env.rows["q"][:8, 0] += 0.5  # m; half of what was wanted is 0.15
    _, _, terminated, truncated, _ = env.step(np.zeros((16, 12)))
    assert (terminated | truncated).all()
    np.testing.assert_allclose(env.rows["level"][:8], 0.5 + 1 / 3)
    np.testing.assert_allclose(env.rows["level"][8:], 0.5 - 1 / 3)


class Still:
    """A policy that does nothing."""

    note = None

    def __call__(self, seen):
        return np.zeros((len(seen), 12))


def test_a_policy_is_judged_on_a_level(env):
    """All rows begin there, whatever they did before."""
    for level, place in ((1.0, 10.0), (0.0, 2.0)):
        judge(Still(), env, level=level)
        assert (env.rows["origin"][:, 0] == place).all()
    with pytest.raises(FootfallError, match=r"level is 1.5; it must be from 0 to 1"):
        judge(Still(), env, level=1.5)


def test_random_and_zero_agents_stay_finite(env):
    """Rows fall, begin anew and stay finite on every terrain."""
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    for action in (np.zeros((16, 12)), None):
        for _ in range(30):
            seen, reward, *_ = env.step(rng.uniform(-3, 3, (16, 12)) if action is None else action)
            assert np.isfinite(seen).all()
            assert np.isfinite(reward).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"kinds": ("lava",)}, "no terrain 'lava'"),
        ({"levels": 0}, "there are 0 levels"),
        ({"levels": 200}, "1 to 400 fields"),
        ({"size": 1.0}, "size is 1.0"),
        ({"kinds": ()}, "of 0 kinds"),
    ],
)
def test_wrong_terrains_are_told(options, message):
    with pytest.raises(FootfallError, match=message):
        terrain(**options)
