"""A tracking camera that is blind now and then: its world goes on by what planning knows of the way."""

from __future__ import annotations

import math

import numpy as np

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


def test_losses_cost_no_more_than_what_planning_slips_meanwhile() -> None:
    """Without errors but those of losses, eleven gaps of 0.3 s: planning slips by s over the gap and over half of both
    means around it, 0.3 + 0.25 + 0.25 s, at each of them, and the sampling of 0.1 s adds at most one step."""
    quality = TrackingQuality(drift=1e-12, noise_m=0.0, noise_rad=0.0, losses=_LOSSES)
    slip = 0.002
    for seed in range(5):
        steady, alone = _errors(quality, slip, seed)
        assert steady < 11 * (0.3 + 0.5 + 0.1) * slip
        assert alone > 0.02  # 11 times 3 cm/s for 0.3 s at random, and by heading


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
