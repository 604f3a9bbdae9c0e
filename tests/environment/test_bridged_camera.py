"""A tracking camera that is blind now and then: its world goes on by what planning knows of the way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.environment.vision.alignment import heading
from footfall.environment.vision.bridged import BridgedCamera
from footfall.environment.vision.tracking import TrackingCamera, TrackingQuality
from footfall.math.rotations import rotation_y, rotation_z
from footfall.math.transform import Transform

_LOSSES = tuple((5.0 * k, 0.3) for k in range(1, 12))


def _place(time: float) -> Transform:
    yaw = 0.1 * time
    return Transform(rotation_z(yaw) @ rotation_y(0.4), np.array([0.3 * time, 0.1 * math.sin(time), 1.6]))


def _errors(quality: TrackingQuality, slip: float, seed: int) -> tuple[float, float]:
    """m, at the end of a minute, in the map, of a camera that is bridged and of one that is not. slip: of planning
    against the truth, m/s."""
    bridged = BridgedCamera(TrackingCamera(quality, seed=seed))
    alone = TrackingCamera(quality, seed=seed)
    for camera in (bridged, alone):
        camera.begin(0.0, _place(0.0), _place(0.0))
    steady = other = None
    for k in range(1, 601):
        true = _place(0.1 * k)
        planning = Transform(true.rotation, true.translation + np.array([slip * 0.1 * k, 0.0, 0.0]))
        steady = bridged.track(0.1 * k, true, planning) or steady
        other = alone.track(0.1 * k, true) or other
    assert steady is not None
    assert other is not None
    return tuple(float(np.linalg.norm((each.translation - true.translation)[:2])) for each in (steady, other))  # type: ignore[return-value]


def test_losses_cost_no_more_than_the_noise_of_the_drift_of_planning() -> None:
    """Without errors but those of losses, eleven gaps of 0.3 s: how planning drifts steadily is known but for the part
    of a slope that is not believed, 0.2 s2 of 57, over the 3.2 s between the means of both sides."""
    quality = TrackingQuality(drift=1e-12, noise_m=0.0, noise_rad=0.0, losses=_LOSSES)
    slip = 0.002
    for seed in range(5):
        steady, alone = _errors(quality, slip, seed)
        assert steady < 11 * 3.2 * slip * 0.2 / 57.0 * 1.5  # the first gap knows less
        assert alone > 0.02  # 11 times 3 cm/s for 0.3 s at random, and by heading


def test_headings_after_a_gap_have_the_noise_of_a_line_with_a_step() -> None:
    """The variance of a step between two lines of one slope, of n and m measurements whose mean times are dt apart and
    whose squares of times sum up to S: sigma^2 (1/n + 1/m + dt^2 / S); less, since slopes are taken for small."""
    sigma, turned = 0.001, []
    quality = TrackingQuality(drift=1e-12, noise_m=0.0, noise_rad=sigma, losses=((5.0, 0.3),))
    times = 0.1 * np.arange(1, 101)
    before, after = times[(times > 0.99) & (times < 4.99)], times[(times > 5.29) & (times < 6.91)]
    spread = sum(float(((each - each.mean()) ** 2).sum()) for each in (before, after))
    slope = math.sqrt(spread) / (spread + 0.2)  # the standard deviation of slopes over sigma
    apart = after.mean() - before.mean()
    expected = sigma * math.sqrt(1 / len(before) + 1 / len(after) + (apart * slope) ** 2)
    for seed in range(200):
        bridged = BridgedCamera(TrackingCamera(quality, seed=seed))
        bridged.begin(0.0, _place(0.0), _place(0.0))
        for time in times:
            bridged.track(time, _place(time), _place(time))
        # What it has turned the camera's world by, beside what that has turned by itself while it saw nothing.
        own = bridged.camera._off
        assert own is not None
        turned.append(math.remainder(heading(bridged._moved @ own), 2.0 * math.pi))
    assert np.sqrt(np.mean(np.square(turned))) == pytest.approx(expected, rel=0.2)  # 0.05 by 200 seeds


def test_a_camera_that_sees_only_now_and_then_is_carried_on_by_planning() -> None:
    """It sees for 0.7 s, then for 0.2 s nothing, again and again: less than a whole step, and enough."""
    losses = tuple((5.0 + 0.9 * k, 0.2) for k in range(60))
    quality = TrackingQuality(drift=1e-12, noise_m=0.0, noise_rad=0.0, losses=losses)
    steady, alone = _errors(quality, 0.002, 1)
    assert steady < 12e-3
    assert alone > 0.02


def test_a_camera_that_always_sees_is_left_as_it_is() -> None:
    quality = TrackingQuality()
    bridged, alone = BridgedCamera(TrackingCamera(quality, seed=2)), TrackingCamera(quality, seed=2)
    for camera in (bridged, alone):
        camera.begin(0.0, _place(0.0), _place(0.0))
    for k in range(1, 50):
        true = _place(0.1 * k)
        one, other = bridged.track(0.1 * k, true, true), alone.track(0.1 * k, true)
        assert one is not None
        assert other is not None
        np.testing.assert_array_equal(one.rotation, other.rotation)
        np.testing.assert_array_equal(one.translation[:2], other.translation[:2])
        assert one.translation[2] == true.translation[2]  # legs know the height
